//! The proximal sampler on a ball: how many steps, and how short they may be.

use super::{contract, positive};
use crate::exact::Exact;
use crate::exact::transcendental::{ln_above, ln_below};

/// K: one step brings any two laws on the ball closer by the factor 1 + mη in Wasserstein-∞ distance, and the centre is
/// within B of every law on the ball. So K steps from there are within B/(1 + mη)^K of the target, in the 2-norm.
///
/// spec: `own:proximal`
#[derive(Clone, Copy)]
pub struct ProximalSteps {
    /// K.
    pub steps: u64,
    /// η: the step size.
    pub step: f64,
    /// m, on the ball.
    pub strong_convexity: f64,
    /// B: the radius of the ball.
    pub radius: f64,
    /// What the law may be off by.
    pub error: f64,
}

contract! {
    ProximalSteps:
    requires "own:proximal", "m and η are positive" => |it| positive(&[it.strong_convexity, it.step]);
    requires "own:proximal", "error is positive" => |it| positive(&[it.error]);
    ensures "own:proximal", "B is at most the error times (1 + mη)^K" => |it| {
        let (radius, error) = (Exact::of(it.radius), Exact::of(it.error));
        if radius <= error {
            return true;
        }
        let factor = Exact::whole(1) + Exact::of(it.strong_convexity) * Exact::of(it.step);
        ln_above(&radius.over(error)) <= Exact::whole(it.steps) * ln_below(&factor)
    };
}

/// What bounds f = γJ on a ball: for one data set, or, from public numbers, for all of them. It has no `Debug`, because
/// one data set's are private.
///
/// spec: `own:proximal`
#[derive(Clone, Copy)]
pub struct PotentialClass {
    /// m: f is nowhere less convex.
    pub strong_convexity: f64,
    /// L: f bends nowhere more.
    pub smoothness: f64,
    /// g: no gradient that matters is longer: that at the centre for one data set, any on the ball for all of them.
    pub slope: f64,
    /// B: the radius of the ball.
    pub radius: f64,
    /// d: the number of parameters.
    pub dimension: u64,
}

/// η of one data set: any step is right in real arithmetic, but rounding adds up over about 1/(mη) of them, and the
/// charge counts with a public worst case of that.
///
/// spec: `own:proximal`
#[derive(Clone, Copy)]
pub struct ProximalStep {
    /// η: the step size.
    pub step: f64,
    /// m of this data set, on the ball.
    pub strong_convexity: f64,
    /// The public worst case.
    pub worst: PotentialClass,
}

contract! {
    ProximalStep:
    requires "own:proximal", "m and η are positive" => |it| positive(&[it.strong_convexity, it.step]);
    ensures "own:proximal", "rounding adds up over no more steps than the charge counts with" => |it| {
        let PotentialClass { strong_convexity, smoothness, slope, radius, dimension } = it.worst;
        let [m, l, slope, radius] = [strong_convexity, smoothness, slope, radius].map(Exact::of);
        let (_, accumulated) = accumulation(&m, &l, &slope, &radius, &Exact::whole(dimension));
        let product = Exact::of(it.strong_convexity) * Exact::of(it.step);
        &product + Exact::whole(1) <= product * accumulated
    };
}

/// 1/η of the planned step for these numbers, and not below 1 + 1/(mη) of any data set that is no worse: the search for
/// η loses less than a twentieth.
///
/// λ = m + 1/η is as large as the three conditions of the page ask for: (L − m)d, d(g − mB)/(2B), d²/B²;
/// and 1/η is at least m/2^20.
pub(crate) fn accumulation(m: &Exact, l: &Exact, slope: &Exact, b: &Exact, d: &Exact) -> (Exact, Exact) {
    let pull = slope.beyond(&(m * b));
    let wanted = (d * (l - m)).max((d * pull).over(b * Exact::whole(2))).max(d.squared().over(b.squared()));
    let inverse = wanted.beyond(m).max(m * Exact::power(-20));
    let accumulated = Exact::whole(1) + (Exact::whole(21) * &inverse).over(m * Exact::whole(20));
    (inverse, accumulated)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath, 40 digits: (mη, B/Δ, the least K).
    #[test]
    fn the_number_of_steps_is_decided_to_one() {
        for (product, ratio, needed) in [
            (1.0, 1000.0, 10),
            (0.25, 5e6, 70),
            (1e-3, 1e10, 23_038),
            (3.637_686_431_429_611e-4, 1e11, 69_641),
            (1_048_576.0, 2.0_f64.powi(41), 3),
        ] {
            let enough = |steps| {
                let it = ProximalSteps {
                    steps,
                    step: product / 2.0,
                    strong_convexity: 2.0,
                    radius: ratio,
                    error: 1.0,
                };
                it.holds().is_ok()
            };
            assert!(enough(needed) && !enough(needed - 1), "{product} {ratio}");
        }
        let it = ProximalSteps { steps: 1, step: 1.0, strong_convexity: 1.0, radius: 1.0, error: 1.0 };
        assert!(it.holds().is_ok() && ProximalSteps { radius: 0.0, ..it }.holds().is_ok());
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(ProximalSteps { radius: bad, ..it }.holds().is_err());
            assert!(ProximalSteps { error: bad, ..it }.holds().is_err());
            assert!(ProximalSteps { step: bad, ..it }.holds().is_err());
            assert!(ProximalSteps { strong_convexity: bad, ..it }.holds().is_err());
        }
    }

    /// m = 1, L = 11, d = 2, B = 10: λ = 20, 1/η = 19, and a twentieth more is allowed.
    #[test]
    fn a_step_is_not_shorter_than_the_charge_counts_with() {
        let worst = PotentialClass {
            strong_convexity: 1.0,
            smoothness: 11.0,
            slope: 0.0,
            radius: 10.0,
            dimension: 2,
        };
        let it = ProximalStep { step: 1.0 / 19.0, strong_convexity: 1.0, worst };
        assert!(it.holds().is_ok());
        assert!(ProximalStep { step: 1.0 / (19.0 * 1.049), ..it }.holds().is_ok());
        assert!(ProximalStep { step: 1.0 / (19.0 * 1.051), ..it }.holds().is_err());
        // A data set that is more convex may take shorter steps.
        assert!(ProximalStep { step: 1.0 / 38.0, strong_convexity: 2.0, ..it }.holds().is_ok());
        assert!(ProximalStep { strong_convexity: 0.9, ..it }.holds().is_err());
        assert!(ProximalStep { step: f64::NAN, ..it }.holds().is_err());
    }
}
