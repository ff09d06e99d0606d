//! The posterior mechanism after its first stage: the ball, the temperature, the noise for the sampler's error.

use super::charge;
use super::loss::lipschitz_covers;
use super::output::Perturbed;
use crate::exact::Exact;
use crate::schema::{Asap, Certificate, Guarantee, Numerics, Posterior, Reference};
use crate::verdict::{CheckFailed, Clauses};

/// The charge for rounding is at most a quarter of the error.
const PARTS: u64 = 4;

pub(super) fn check(
    certificate: &Certificate,
    posterior: &Posterior,
    clauses: &mut Clauses,
) -> Result<(), CheckFailed> {
    let rows = (1..=certificate.problem.max_rows).contains(&posterior.expected_rows);
    clauses.need("own:certificate", "expected rows are between 1 and the most", rows)?;
    let first = Perturbed {
        minimiser: &posterior.minimiser,
        noise: &posterior.localisation.noise,
        share: certificate.ledger.spent("localise"),
        point: &posterior.localisation.theta_0,
    };
    first.check(certificate, clauses)?;
    reference(certificate, &posterior.reference, &posterior.localisation.theta_0, clauses)?;
    let reach = Exact::of(posterior.reference.centre_norm) + Exact::of(posterior.reference.radius);
    let last = Last {
        stage: &posterior.asap,
        parts: PARTS,
        reach,
        charge: "charge covers the rounding of every sampler that may draw",
        covered: charge::covers(
            &certificate.problem,
            &posterior.reference,
            posterior.sampler,
            posterior.asap.norm,
            &Exact::of(posterior.asap.charge),
        ),
    };
    last.check(certificate, clauses)
}

/// The density ∝ e^(−γJ) on the ball is as private as its share says.
fn reference(
    certificate: &Certificate,
    reference: &Reference,
    centre: &[f64],
    clauses: &mut Clauses,
) -> Result<(), CheckFailed> {
    let norm = Exact::of(reference.centre_norm);
    let square = centre.iter().fold(Exact::whole(0), |sum, x| sum + Exact::of(x.abs()).squared());
    clauses.need("own:ball", "centre norm covers θ_0", square <= norm.squared())?;
    let radius = Exact::of(reference.radius);
    clauses.need("own:ball", "radius is positive", radius.is_positive())?;
    let lipschitz = Exact::of(reference.lipschitz);
    let covers = lipschitz_covers(certificate, &lipschitz, &(norm + &radius));
    clauses.need("own:losses", "Lipschitz constant on the ball", covers)?;
    let (gamma, share) = (Exact::of(reference.gamma), certificate.ledger.spent("posterior"));
    clauses.need("own:certificate", "gamma is positive", gamma.is_positive())?;
    match certificate.ledger.spends() {
        Guarantee::Pure(_) => {
            // Up to a constant, neighbours' energies differ by at most γGB on the ball; so do, then, the logarithms
            // of the normalising integrals.
            let spent = Exact::whole(2) * gamma * lipschitz * radius;
            clauses.need("lem:pure_DP_Post_Sam", "2γGB is at most ε", spent <= share)
        }
        Guarantee::Gaussian(_) => {
            let allowed = share.squared() * Exact::of(certificate.problem.regulariser);
            let spent = gamma * lipschitz.squared();
            clauses.need("lem:GDP_Post_Sam", "γG² is at most μ²Λ", spent <= allowed)
        }
    }
}

/// The last stage of a mechanism: noise for the distance between what was drawn and what should have been.
pub(super) struct Last<'a> {
    pub(super) stage: &'a Asap,
    /// Rounding is at most one of so many parts of the error.
    pub(super) parts: u64,
    /// What was drawn is not farther from 0.
    pub(super) reach: Exact,
    /// What the charge for rounding has to cover, and whether it does. For a user's loss that is the user's word, and the
    /// verdict says so.
    pub(super) charge: &'static str,
    pub(super) covered: Option<bool>,
}

impl Last<'_> {
    /// The noise of θ̂ pays for the error on both sides of a pair of neighbours.
    pub(super) fn check(&self, certificate: &Certificate, clauses: &mut Clauses) -> Result<(), CheckFailed> {
        let asap = self.stage;
        let spec = "thm:asap_privacy";
        let (error, charge) = (Exact::of(asap.error), Exact::of(asap.charge));
        clauses.need(spec, "error is positive", error.is_positive())?;
        clauses.need(spec, "charge is not negative", charge >= Exact::whole(0))?;
        if certificate.numerics == Numerics::Rigorous {
            let clause = match self.parts {
                2 => "charge for rounding is at most half of the error",
                _ => "charge for rounding is at most a quarter of the error",
            };
            clauses.need("own:rounding", clause, Exact::whole(self.parts.max(2)) * charge <= error)?;
            if let Some(covered) = self.covered {
                clauses.need("own:rounding", self.charge, covered)?;
            }
        }
        let right = asap.noise.buys(certificate.ledger.spends());
        clauses.need(spec, "noise of the sample is of the kind of the guarantee", right)?;
        let same_norm = asap.norm == asap.noise.norm();
        clauses.need(spec, "error is in the norm of its noise", same_norm)?;
        let (moved, share) = (Exact::whole(2) * error, certificate.ledger.spent("asap"));
        let hidden = asap.noise.hides(&moved, asap.norm, certificate.problem.dimension, &share);
        clauses.need(spec, "noise of the sample covers twice the error and the rounding", hidden)?;
        let held = asap.noise.holds(&self.reach);
        clauses.need("own:lattice", "lattice of θ̂ holds the ball and 64 scales of noise", held)?;
        clauses.need("own:lattice", "θ̂ is on its lattice", asap.noise.reaches(&certificate.theta))
    }
}
