//! Objective perturbation: the tilt, the Jacobian of the change of variables, the distance to the exact minimiser.

use super::logarithm::covers_logarithm;
use super::loss::{lipschitz_covers, smoothness_covers};
use super::posterior::Last;
use super::sums::{LargestSums, unit};
use crate::contract::{Broken, GaussianPrice, JointPrice, Taken, TiltScales};
use crate::exact::Exact;
use crate::schema::{Certificate, Guarantee, Loss, ObjectivePerturbation, Price, Problem};
use crate::verdict::Clauses;

/// The charge for rounding is at most half of the error: the stopping rule has the other half.
const PARTS: u64 = 2;

const PAGE: &str = "own:objective-perturbation";

pub(super) fn check(
    certificate: &Certificate,
    objective: &ObjectivePerturbation,
    clauses: &mut Clauses,
) -> Result<(), Broken> {
    let (problem, ledger) = (&certificate.problem, &certificate.ledger);
    let rows = (1..=problem.max_rows).contains(&objective.expected_rows);
    clauses.need("own:certificate", "expected rows are between 1 and the most", rows)?;
    let radius = Exact::of(objective.radius);
    clauses.need("own:ball", "radius is positive", radius.is_positive())?;
    let searched = problem.parameter_bound.is_none_or(|bound| Exact::of(bound) == radius);
    clauses.need(PAGE, "search is in the ball of the parameter bound", searched)?;

    let lipschitz = Exact::of(objective.lipschitz);
    let covers = lipschitz_covers(problem, certificate.neighbours, &lipschitz, &radius);
    clauses.need("own:losses", "Lipschitz constant on the ball", covers)?;
    let smoothness = Exact::of(objective.smoothness);
    let covers = smoothness_covers(problem, &smoothness);
    clauses.need("own:losses", "smoothness of the loss", covers)?;

    // The exact b is a real vector: nothing is rounded in the reference.
    match ledger.spends() {
        Guarantee::Pure(_) => pure(certificate, objective, clauses),
        Guarantee::Gaussian(_) => gaussian(certificate, objective, clauses),
    }?;
    let two_norm = objective.asap.norm == 2;
    clauses.need(PAGE, "error is in the 2-norm", two_norm)?;
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

/// A pure tilt and the Jacobian have a share each.
fn pure(
    certificate: &Certificate,
    objective: &ObjectivePerturbation,
    clauses: &mut Clauses,
) -> Result<(), Broken> {
    let (problem, ledger) = (&certificate.problem, &certificate.ledger);
    let (share, changed) = (ledger.spent_or_nothing("tilt"), certificate.neighbours.changed_losses());
    let (lipschitz, taken) = (objective.lipschitz, Taken::default());
    TiltScales { tilt: &objective.tilt, problem, lipschitz, share: Guarantee::Pure(share), taken }
        .note(clauses)?;
    clauses.need(PAGE, "Jacobian is stated once", objective.jacobian.is_none())?;
    let jacobian = ledger.spent_on("jacobian");
    if objective.price == Price::Apart {
        return apart(certificate, objective, jacobian, clauses);
    }
    tied(problem, clauses)?;
    let (smoothness, regulariser) = (objective.smoothness, problem.regulariser);
    // A certificate that says that it is free has no share for it, and one that does not has a share.
    let jacobian = jacobian.unwrap_or(0.0);
    JointPrice { tilt: share, changed, smoothness, regulariser, jacobian }.note(clauses)
}

/// A Gaussian tilt pays for both, the Jacobian of each changed loss at √(π/2).
fn gaussian(
    certificate: &Certificate,
    objective: &ObjectivePerturbation,
    clauses: &mut Clauses,
) -> Result<(), Broken> {
    let (problem, ledger) = (&certificate.problem, &certificate.ledger);
    let (share, changed) = (ledger.spent_or_nothing("tilt"), certificate.neighbours.changed_losses());
    let stated = objective.jacobian.is_none() || objective.price != Price::Free;
    let jacobian = objective.jacobian.unwrap_or(0.0);
    let (lipschitz, taken, tilt) = (objective.lipschitz, Taken { jacobian, changed }, &objective.tilt);
    TiltScales { tilt, problem, lipschitz, share: Guarantee::Gaussian(share), taken }.note(clauses)?;
    let one_sided = matches!(problem.loss, Loss::Logistic | Loss::User { .. });
    clauses.need("own:gaussian-tilt", "slope of the loss keeps its sign", one_sided)?;
    clauses.need(PAGE, "Jacobian is stated once", stated)?;
    if objective.price == Price::Apart {
        return apart(certificate, objective, objective.jacobian, clauses);
    }
    tied(problem, clauses)?;
    GaussianPrice { tilt, problem, share, changed, jacobian }.note(clauses)
}

/// The Jacobian where slope and curvature are each taken at their largest.
fn apart(
    certificate: &Certificate,
    objective: &ObjectivePerturbation,
    share: Option<f64>,
    clauses: &mut Clauses,
) -> Result<(), Broken> {
    let regulariser = Exact::of(certificate.problem.regulariser);
    let smoothness = Exact::of(objective.smoothness);
    let paid = share.is_some_and(|share| covers_logarithm(share, &smoothness, &regulariser));
    clauses.need(PAGE, "share of the Jacobian is at least ln(1 + β/Λ)", paid)
}

/// Slope and curvature are p and p(1 − p) at the same p for one loss.
fn tied(problem: &Problem, clauses: &mut Clauses) -> Result<(), Broken> {
    let logistic = matches!(problem.loss, Loss::Logistic);
    clauses.need("own:joint-price", "slope and curvature of the loss are tied", logistic)
}

/// Whether Λ times the charge is at least `δ + √d·g/2 + u·L·((12 + ⌈log₂ d⌉)·R + 2A)`, δ the error of a computed
/// gradient on the ball, g the step of the tilt's lattice (of each block's) and A the larger of R and what one record
/// pulls. `None` for a user's loss.
fn charge_covers(certificate: &Certificate, objective: &ObjectivePerturbation) -> Option<bool> {
    let problem = &certificate.problem;
    let (sums, radius) = (LargestSums::of(problem), Exact::of(objective.radius));
    let pull = sums.one_pull(&radius)?.max(radius.clone());
    let halvings = problem.dimension.saturating_sub(1).checked_ilog2().map_or(0, |log| u64::from(log) + 1);
    let lengths = Exact::whole(12 + halvings) * &radius + Exact::whole(2) * pull;
    let needed = sums.gradient_error(&radius)? + unit() * sums.smoothness()? * lengths;
    let room = Exact::of(objective.asap.charge) * Exact::of(problem.regulariser);
    Some(room.covers(&needed, &objective.tilt.rounding(&sums.dimension)))
}
