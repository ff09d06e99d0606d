//! What the checker knows about the built-in losses: value at 0 and slope. The page `own:losses` has the proofs.

use crate::exact::Exact;
use crate::schema::{Loss, Neighbours, Problem};

/// ln 2, rounded up.
const LN_2_UP: f64 = 0.693_147_180_559_945_4;

/// Whether `claimed` is a Lipschitz constant, within `reach` of the origin, of the difference of two neighbours'
/// objectives. For a user's loss it is the user's word.
///
/// The gradient of one record's loss is the slope times the row: at most ρ·S, where S bounds the slope for
/// predictions up to ρ·reach. Replacing a record changes two losses.
pub(crate) fn lipschitz_covers(
    problem: &Problem,
    neighbours: Neighbours,
    claimed: &Exact,
    reach: &Exact,
) -> bool {
    let changed = Exact::whole(neighbours.changed_losses());
    let row = Exact::of(problem.row_norm);
    let residual = &row * reach + Exact::of(problem.target);
    // Each bounds the slope, so that one which fits is enough.
    let slopes = match problem.loss {
        Loss::Logistic => vec![Exact::whole(1)],
        Loss::Squared => vec![residual],
        Loss::Huber { delta } => vec![residual, Exact::of(delta)],
        Loss::User { .. } => return claimed.is_positive(),
    };
    slopes.iter().any(|slope| &changed * &row * slope <= *claimed)
}

/// Whether no minimiser of an admissible data set is farther from 0 than `bound`. For a user's loss it is the
/// user's word.
///
/// Losses are not negative, so `(Λ/2)‖θ*‖² ≤ J(θ*) ≤ J(0) ≤ n_max·φ(0)`; and the search may be bounded.
pub(super) fn minimiser_within(problem: &Problem, bound: &Exact) -> bool {
    let target = Exact::of(problem.target);
    let half_square = target.squared() * Exact::power(-1);
    // Each bounds the value at 0.
    let values = match problem.loss {
        Loss::Logistic => vec![Exact::of(LN_2_UP)],
        Loss::Squared => vec![half_square],
        Loss::Huber { delta } => vec![half_square, Exact::of(delta) * target],
        Loss::User { .. } => return bound.is_positive(),
    };
    let searched = problem.parameter_bound.is_some_and(|radius| Exact::of(radius) <= *bound);
    let room = Exact::of(problem.regulariser) * bound.squared();
    let rows = Exact::whole(2) * Exact::whole(problem.max_rows);
    searched || values.iter().any(|value| &rows * value <= room)
}

/// Whether the gradient of one record's loss is Lipschitz with the constant `claimed`. For a user's loss it is the
/// user's word.
///
/// The slope changes by at most ¼ (logistic) or 1 for each unit of the prediction, the prediction by ρ for each unit of
/// θ, and the gradient is the slope times the row.
pub(super) fn smoothness_covers(problem: &Problem, claimed: &Exact) -> bool {
    let square = Exact::of(problem.row_norm).squared();
    match problem.loss {
        Loss::Logistic => square * Exact::power(-2) <= *claimed,
        Loss::Squared | Loss::Huber { .. } => square <= *claimed,
        Loss::User { .. } => claimed.is_positive(),
    }
}

/// What is known of a built-in loss for predictions up to a size, as it is computed and in truth.
pub(super) struct Facts {
    /// The size.
    pub(super) prediction: Exact,
    /// S: the largest slope.
    pub(super) slope: Exact,
    /// How far a computed slope is from the true one.
    pub(super) slope_error: Exact,
    /// C: the largest curvature.
    pub(super) curvature: Exact,
    /// A computed divergence b(z, t) is within `linear·|t| + quadratic·t²` of the true one, and 2^−1022 for underflow.
    pub(super) linear: Exact,
    /// See `linear`.
    pub(super) quadratic: Exact,
}

impl Facts {
    /// `None` for a user's loss.
    pub(super) fn of(problem: &Problem, prediction: &Exact) -> Option<Self> {
        let residual = prediction + Exact::of(problem.target);
        let unit = Exact::power(-53);
        let facts = |slope, slope_error, curvature, linear, quadratic| Self {
            prediction: prediction.clone(),
            slope,
            slope_error,
            curvature,
            linear,
            quadratic,
        };
        let (zero, one) = (Exact::whole(0), Exact::whole(1));
        let rounded = &residual * Exact::power(-52);
        Some(match problem.loss {
            Loss::Logistic => facts(one, Exact::power(-48), Exact::power(-2), Exact::power(-48), zero),
            Loss::Squared => facts(residual, rounded, one, zero, unit),
            Loss::Huber { delta } => {
                let linear = Exact::whole(5) * &unit * &residual;
                let slope = residual.min(Exact::of(delta));
                facts(slope, rounded, one, linear, Exact::whole(2) * unit)
            }
            Loss::User { .. } => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    /// ln 2 = Σ 1/(k·2^k), in units of 2^−90: every term rounded up, and the rest after 90 terms is below one.
    #[test]
    fn the_logarithm_is_rounded_up_by_one_step_at_most() {
        let above: u128 = 1 + (1..=90).map(|k: u32| (1_u128 << (90 - k)).div_ceil(k.into())).sum::<u128>();
        let value = |x: f64| {
            let (mantissa, exponent) = crate::exact::decompose(x).unwrap();
            u128::from(mantissa) << (90 + exponent)
        };
        assert!(value(super::LN_2_UP) >= above);
        assert!(value(super::LN_2_UP.next_down()) < above);
    }
}
