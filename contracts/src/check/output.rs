//! Output perturbation: all of one mechanism, the first stage of the other.

use super::loss::{lipschitz_covers, minimiser_within};
use super::sums::LargestSums;
use crate::contract::{Broken, MinimiserSensitivity, NoiseScale};
use crate::exact::Exact;
use crate::schema::{Certificate, Minimiser, Noise, Problem};
use crate::verdict::Clauses;

/// A minimiser that was released through noise.
pub(super) struct Perturbed<'a> {
    pub(super) minimiser: &'a Minimiser,
    pub(super) noise: &'a Noise,
    /// ε or μ of this release.
    pub(super) share: f64,
    /// What was released.
    pub(super) point: &'a [f64],
}

impl Perturbed<'_> {
    pub(super) fn check(&self, certificate: &Certificate, clauses: &mut Clauses) -> Result<(), Broken> {
        let (problem, minimiser) = (&certificate.problem, self.minimiser);
        let bound = Exact::of(minimiser.bound);
        let inside = minimiser_within(problem, &bound);
        clauses.need("lem:sensitivity_minimizer", "minimiser bound holds every minimiser", inside)?;
        let lipschitz = Exact::of(minimiser.lipschitz);
        let covers = lipschitz_covers(&certificate.problem, certificate.neighbours, &lipschitz, &bound);
        clauses.need("own:losses", "Lipschitz constant where the minimisers are", covers)?;

        let (two, tolerance) = (Exact::whole(2), Exact::of(minimiser.tolerance));
        let reached = tolerance.is_positive() && &two * Exact::of(minimiser.rounding) <= tolerance;
        clauses.need("own:certified-minimiser", "tolerance is above twice the rounding", reached)?;
        // For a user's loss this is the user's word, and the verdict says so.
        if let Some(needed) = minimiser_rounding(problem, minimiser) {
            let covered = needed <= Exact::of(minimiser.rounding) * Exact::of(problem.regulariser);
            let clause = "rounding covers the sums of the largest data set and the updates";
            clauses.need("own:certified-minimiser", clause, covered)?;
        }
        let Minimiser { sensitivity, lipschitz, tolerance, .. } = *minimiser;
        let regulariser = problem.regulariser;
        MinimiserSensitivity { sensitivity, lipschitz, regulariser, tolerance }.note(clauses)?;

        let spec = "lem:OutPert_DP";
        let guarantee = certificate.ledger.spends();
        let right = self.noise.buys(guarantee);
        clauses.need(spec, "noise of the minimiser is of the kind of the guarantee", right)?;
        let (noise, dimension, share) = (*self.noise, problem.dimension, self.share);
        let scale = NoiseScale { noise, guarantee, moved: sensitivity, norm: 2, dimension, share };
        let clause = "noise of the minimiser covers its sensitivity and the rounding";
        clauses.need(spec, clause, scale.holds().is_ok())?;
        let held = self.noise.holds(&bound);
        clauses.need("own:lattice", "lattice of the minimiser holds it and 64 scales of noise", held)?;
        clauses.need("own:lattice", "noisy minimiser is on its lattice", self.noise.reaches(self.point))?;
        // What lies farther out is moved to that edge before it is released: no fit states it.
        let clause = "noisy minimiser is within 1024 scales of where minimisers are";
        clauses.need("own:lattice", clause, self.noise.stays_within(&bound, self.point))
    }
}

/// Λ times how far rounding moves the limit of the search, for the largest admissible data set: δ + ρL, where the
/// computed gradient is within δ of the true one and an update within ρ. `None` for a user's loss.
fn minimiser_rounding(problem: &Problem, minimiser: &Minimiser) -> Option<Exact> {
    let sums = LargestSums::of(problem);
    // No iterate is longer than 3r + τ.
    let reach = Exact::whole(3) * Exact::of(minimiser.bound) + Exact::of(minimiser.tolerance);
    let units = match problem.parameter_bound {
        None => Exact::whole(8),
        Some(_) => Exact::whole(8) * (&sums.dimension + Exact::whole(16)),
    };
    let update = units * Exact::power(-52) * &reach;
    let slack = Exact::whole(1) + Exact::power(-20);
    Some((sums.gradient_error(&reach)? + update * sums.smoothness()?) * slack)
}
