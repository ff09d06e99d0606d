//! Noisy gradient descent: what the noise of one gradient hides, and what T of them spend together.

use super::loss::lipschitz_covers;
use super::sums::LargestSums;
use crate::contract::{Broken, GradientSensitivity, NoiseScale, StepShares};
use crate::exact::Exact;
use crate::schema::{Certificate, Guarantee, NoisyGradient};
use crate::verdict::Clauses;

pub(super) fn check(
    certificate: &Certificate,
    descent: &NoisyGradient,
    clauses: &mut Clauses,
) -> Result<(), Broken> {
    let (spec, problem) = ("own:noisy-gradient", &certificate.problem);
    let rows = (1..=problem.max_rows).contains(&descent.expected_rows);
    clauses.need("own:certificate", "expected rows are between 1 and the most", rows)?;
    // The schedule is post-processing of the noisy gradients; these numbers have to be numbers, no more.
    let momentum = Exact::of(descent.momentum);
    let scheduled = descent.skipped < descent.steps
        && Exact::of(descent.step).is_positive()
        && momentum >= Exact::whole(0)
        && momentum < Exact::whole(1);
    clauses.need(spec, "schedule is one of a descent", scheduled)?;

    let radius = Exact::of(descent.radius);
    let searched = problem.parameter_bound.is_none_or(|bound| radius <= Exact::of(bound));
    clauses.need("own:ball", "ball is positive and within the search", radius.is_positive() && searched)?;
    let square = certificate.theta.iter().fold(Exact::whole(0), |sum, x| sum + Exact::of(x.abs()).squared());
    clauses.need("own:ball", "θ̂ is in the ball", square <= radius.squared())?;

    let lipschitz = Exact::of(descent.lipschitz);
    let covers = lipschitz_covers(&certificate.problem, certificate.neighbours, &lipschitz, &radius);
    clauses.need("own:losses", "Lipschitz constant where gradients are asked for", covers)?;
    let NoisyGradient { sensitivity, lipschitz, rounding, steps, share, noise, .. } = *descent;
    GradientSensitivity { sensitivity, lipschitz, rounding }.note(clauses)?;
    // For a user's loss this is the user's word, and the verdict says so.
    if let Some(needed) = LargestSums::of(problem).gradient_error(&radius) {
        let clause = "rounding covers a gradient of the largest data set";
        clauses.need("own:objective", clause, needed <= Exact::of(rounding))?;
    }

    // What the steps may spend together is their share, which is of the kind of what the ledger spends.
    let spent = certificate.ledger.spent_on("gradients").unwrap_or(f64::NAN);
    let guarantee = certificate.ledger.spends();
    let total = match guarantee {
        Guarantee::Pure(_) => Guarantee::Pure(spent),
        Guarantee::Gaussian(_) => Guarantee::Gaussian(spent),
    };
    StepShares { steps, share, total }.note(clauses)?;
    let right = noise.buys(guarantee);
    clauses.need(spec, "noise of the gradients is of the kind of the guarantee", right)?;
    let dimension = problem.dimension;
    let scale = NoiseScale { noise, guarantee, moved: sensitivity, norm: 2, dimension, share };
    clauses.need(spec, "noise of a gradient covers its sensitivity and the rounding", scale.holds().is_ok())
}
