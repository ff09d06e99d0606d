//! Objective perturbation: the tilt, the Jacobian of the change of variables, the distance to the exact minimiser.

use super::logarithm::covers_logarithm;
use super::loss::{changed_losses, lipschitz_covers, smoothness_covers};
use super::posterior::Last;
use super::sums::{Sums, unit};
use crate::exact::Exact;
use crate::schema::{Certificate, Guarantee, Loss, ObjectivePerturbation};
use crate::verdict::{CheckFailed, Clauses};

/// The charge for rounding is at most half of the error: the stopping rule has the other half.
const PARTS: u64 = 2;

pub(super) fn check(
    certificate: &Certificate,
    objective: &ObjectivePerturbation,
    clauses: &mut Clauses,
) -> Result<(), CheckFailed> {
    let (problem, ledger) = (&certificate.problem, &certificate.ledger);
    let spec = "own:objective-perturbation";
    let rows = (1..=problem.max_rows).contains(&objective.expected_rows);
    clauses.need("own:certificate", "expected rows are between 1 and the most", rows)?;
    let radius = Exact::of(objective.radius);
    clauses.need("own:ball", "radius is positive", radius.is_positive())?;
    let searched = problem.parameter_bound.is_none_or(|bound| Exact::of(bound) == radius);
    clauses.need(spec, "search is in the ball of the parameter bound", searched)?;

    let lipschitz = Exact::of(objective.lipschitz);
    let covers = lipschitz_covers(certificate, &lipschitz, &radius);
    clauses.need("own:losses", "Lipschitz constant on the ball", covers)?;
    let smoothness = Exact::of(objective.smoothness);
    let covers = smoothness_covers(problem, &smoothness);
    clauses.need("own:losses", "smoothness of the loss", covers)?;

    let kind = objective.tilt.buys(ledger.spends()) && objective.tilt.norm() == 2;
    clauses.need(spec, "tilt has a law of the kind of the guarantee in the 2-norm", kind)?;
    // A pure tilt and the Jacobian have a share each; a Gaussian tilt pays for both, the Jacobian of each changed loss at √(π/2).
    let (jacobian, price) = match ledger.spends() {
        Guarantee::Pure(_) => (ledger.spent_on("jacobian"), Exact::whole(0)),
        Guarantee::Gaussian(_) => {
            let one_sided = matches!(problem.loss, Loss::Logistic | Loss::User { .. });
            clauses.need("own:gaussian-tilt", "slope of the loss keeps its sign", one_sided)?;
            (objective.jacobian, Exact::whole(321) * Exact::power(-8) * changed_losses(certificate))
        }
    };
    let stated = objective.jacobian.is_none() || matches!(ledger.spends(), Guarantee::Gaussian(_));
    clauses.need(spec, "Jacobian is stated once", stated)?;
    let regulariser = Exact::of(problem.regulariser);
    let paid = jacobian.is_some_and(|share| covers_logarithm(share, &smoothness, &regulariser));
    clauses.need(spec, "share of the Jacobian is at least ln(1 + β/Λ)", paid)?;
    let taken = price * jacobian.map_or(Exact::none(), Exact::of);
    // The exact b is a real vector: nothing is rounded in the reference.
    let hidden = objective.tilt.hides_exactly(&lipschitz, &taken, &ledger.spent("tilt"));
    clauses.need(spec, "tilt covers the Lipschitz constant", hidden)?;
    let two_norm = objective.asap.norm == 2;
    clauses.need(spec, "error is in the 2-norm", two_norm)?;
    let held = objective.asap.noise.holds(&radius);
    clauses.need("own:lattice", "lattice of θ̂ holds the ball and 64 scales of noise", held)?;
    Last { stage: &objective.asap, parts: PARTS }.check(certificate, clauses, |clauses| {
        let clause =
            "charge covers the gradients of the largest data set, the tilt's lattice and the updates";
        // For a user's loss it is the user's word, and the verdict says so.
        charge_covers(certificate, objective)
            .map_or(Ok(()), |covered| clauses.need("own:rounding", clause, covered))
    })
}

/// Whether Λ times the charge is at least `δ + √d·g/2 + u·L·((12 + ⌈log₂ d⌉)·R + 2A)`, δ the error of a computed gradient on the ball,
/// g the step of the tilt's lattice and A the larger of R and G₁/β, G₁ of one record. `None` for a user's loss.
fn charge_covers(certificate: &Certificate, objective: &ObjectivePerturbation) -> Option<bool> {
    let problem = &certificate.problem;
    let (sums, radius) = (Sums::of(problem), Exact::of(objective.radius));
    let pull = sums.one_slope(&radius)?.over(Exact::of(objective.smoothness)).max(radius.clone());
    let halvings = problem.dimension.saturating_sub(1).checked_ilog2().map_or(0, |log| u64::from(log) + 1);
    let lengths = Exact::whole(12 + halvings) * &radius + Exact::whole(2) * pull;
    let needed = sums.gradient_error(&radius)? + unit() * sums.smoothness()? * lengths;
    let half_step = Exact::power(objective.tilt.exponent() - 1);
    let room = Exact::of(objective.asap.charge) * Exact::of(problem.regulariser);
    Some(room.covers(&needed, &(half_step.squared() * &sums.dimension)))
}
