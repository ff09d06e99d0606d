//! How far floating point moves one draw of the posterior, in Wasserstein-∞ distance: the pages `own:proximal`,
//! `own:exact` and `own:rounding`, worked out again from the numbers of a certificate.

use super::sums::{Growing, LargestSums, margin, unit};
use crate::contract::accumulation;
use crate::exact::Exact;
use crate::schema::{Problem, Reference, Sampler};

/// √(π/2), rounded up.
const ROOT_OF_HALF_PI: f64 = 1.253_314_137_315_500_3;

/// √(2/π), rounded up.
const ROOT_OF_TWO_OVER_PI: f64 = 0.797_884_560_802_865_4;

/// ln 2, rounded up.
const LN_2_UP: f64 = 0.693_147_180_559_945_4;

/// Beyond so many parameters the exact draw is not tried, and the proximal sampler draws.
const LARGEST_EXACT: u64 = 512;

/// f = γJ on the ball, for the largest admissible data set.
struct ChargedPotential<'a> {
    sums: LargestSums<'a>,
    gamma: Exact,
    radius: Exact,
    /// ‖θ_0‖.
    centre: Exact,
    /// d.
    dimension: Exact,
    /// m = γΛ.
    convexity: Exact,
    /// L.
    smoothness: Exact,
}

/// Whether `charge`, in this norm, covers what rounding does to every sampler that may draw; `None` for a user's loss,
/// whose rounding is not known here.
pub(crate) fn covers(
    problem: &Problem,
    reference: &Reference,
    sampler: Sampler,
    norm: u8,
    charge: &Exact,
) -> Option<bool> {
    let sums = LargestSums::of(problem);
    let gamma = Exact::of(reference.gamma);
    let potential = ChargedPotential {
        convexity: &gamma * &sums.regulariser,
        smoothness: &gamma * sums.smoothness()?,
        dimension: sums.dimension.clone(),
        radius: Exact::of(reference.radius),
        centre: Exact::of(reference.centre_norm),
        gamma,
        sums,
    };
    // A 1-norm is at most √d times the 2-norm.
    let factor = if norm == 1 { potential.dimension.clone() } else { Exact::whole(1) };
    let paid = |distance: Exact| &factor * distance.squared() <= charge.squared();
    let exact = sampler == Sampler::Exact && problem.dimension <= LARGEST_EXACT;
    let proximal = potential.proximal()?.into_iter().any(paid);
    Some(proximal && (!exact || potential.exact()?.into_iter().any(paid)))
}

impl ChargedPotential<'_> {
    /// A Lipschitz constant of f up to `reach` from 0, and how far a computed gradient is from the true one there.
    fn slopes(&self, reach: &Exact) -> Option<(Exact, Exact)> {
        let slope = &self.gamma * self.sums.slope(reach)?;
        let error = &self.gamma * self.sums.gradient_error(reach)? + Exact::whole(2) * unit() * &slope;
        Some((slope, error))
    }

    /// How far a computed divergence of f is from the true one: two bounds.
    fn divergences(&self, reach: &Exact, moved: &Exact) -> Option<[Growing; 2]> {
        let smoothness = self.sums.smoothness()?;
        let errors = self.sums.divergence_errors(reach, moved)?;
        Some(errors.map(|error| error.scaled(&self.gamma, &smoothness)))
    }

    /// The proximal sampler: `own:proximal`, errors of one step.
    fn proximal(&self) -> Option<[Exact; 2]> {
        let (b, d, m, l) = (&self.radius, &self.dimension, &self.convexity, &self.smoothness);
        let reach = &self.centre + b;
        let (slope, gradient) = self.slopes(&reach)?;
        let unit = unit() * margin();
        let root = d.root();
        let one_over_root = Exact::whole(1).over(d).root();

        let (inverse, accumulated) = accumulation(m, l, &slope, b, d);
        let precision = m + inverse;
        let largest = (Exact::whole(11) * precision.clone().max(l.clone())).over(Exact::whole(10));

        let point = &unit * ((Exact::whole(4) * d + Exact::whole(34)) * b + &reach);
        let mean = (&Exact::whole(1) + &one_over_root)
            * ((Exact::whole(18) * d + Exact::whole(294)) * b + Exact::whole(2) * &reach)
            * Exact::of(1.5)
            * &unit;
        let depth = d * Exact::power(-1) + Exact::whole(16);
        let inner_edge = (Exact::whole(14) + Exact::whole(15) * one_over_root) * depth * &unit * b;
        // 4√d + 2: the mean distance of a draw from its anchor, times √λ.
        let far = Exact::whole(4) * root + Exact::whole(2);
        let four = Exact::whole(4) * &unit;
        let coins = Growing {
            constant: Exact::whole(0),
            linear: &four * precision.root(),
            quadratic: &four * &precision,
        };
        let coins = moved(&coins, &far, b, &precision);
        let step = &point + mean + four * b + inner_edge + coins;

        // p* on the inner ball against p* on the ball.
        let slack = Exact::whole(8) * (d + Exact::whole(8)) * &unit * &reach;
        let share = slack.over(b - Exact::whole(2) * &slack);
        let edge = slack + quantile(&(share * (d + b * slope)), m);

        let ordinary = [m, l, b, &reach].into_iter().all(is_ordinary);
        let once = accumulated * step + gradient.over(m) + edge;
        let totals = self.divergences(&reach, &(Exact::whole(2) * b))?.map(|errors| {
            let energies = Growing {
                constant: errors.constant * largest.over(m).root(),
                linear: errors.linear + l * &point,
                quadratic: errors.quadratic + (d + Exact::whole(9)) * Exact::power(-1) * &unit * l,
            };
            &once + moved(&energies, &far, b, m)
        });
        Some(totals.map(|total| total.only_if(ordinary)))
    }
}

impl ChargedPotential<'_> {
    /// The exact draw: `own:exact`, what rounding costs.
    fn exact(&self) -> Option<[Exact; 2]> {
        let (b, d, m) = (&self.radius, &self.dimension, &self.convexity);
        let reach = &self.centre + Exact::of(1.375) * b;
        let away = Exact::of(2.375) * b;
        let (slope, gradient) = self.slopes(&reach)?;

        let rounded_move = Exact::whole(16) * unit() * &away;
        let point = &rounded_move + unit() * (&self.centre + Exact::whole(2) * b);
        let slack = &point + Exact::whole(2) * (d + Exact::whole(8)) * unit() * b;
        let twice = Exact::whole(2) * &slack;
        let thin = Exact::whole(64) * &twice <= *b;
        // −ln(1 − x) ≤ x/(1 − x).
        let shell = &twice * &slope + (&twice * d).over(b - &twice);

        // ‖w‖ ≤ ‖M⁻¹‖·‖v‖, and ‖M⁻¹‖² ≤ L/(1 − 2^−10).
        let norm = margin() * self.smoothness.root() * &away;
        let odds = Exact::whole(16)
            * (d + Exact::whole(8))
            * (d + Exact::whole(1))
            * (ln_above(self.sums.whole_dimension() + 1) + Exact::whole(4));
        let units = Exact::whole(32) * norm * (d.root() + Exact::whole(7)) + Exact::whole(64) + odds;
        let arithmetic = gradient * &away
            + &slope * rounded_move
            + Exact::whole(4) * unit() * slope * &away
            + unit() * units;
        let totals = self.divergences(&reach, &away)?.map(|errors| {
            let energy = errors.at(&away) + &arithmetic;
            quantile(&(Exact::whole(2) * energy + &shell), m) + &twice + &point
        });
        Some(totals.map(|total| total.only_if(thin)))
    }
}

/// Between 2^−200 and 2^200: far from where anything underflows.
fn is_ordinary(x: &Exact) -> bool {
    Exact::power(-200) <= *x && *x <= Exact::power(200)
}

/// `own:rounding`, Lemma A: how far a λ-strongly log-concave law moves if the logarithm of its density is off by at
/// most `exponent`. No value beyond ¼.
fn quantile(exponent: &Exact, convexity: &Exact) -> Exact {
    let small = *exponent <= Exact::power(-2);
    let exponent = &exponent.shortened();
    // e^a − 1 ≤ a + a²/2 + a³/5, and Φ⁻¹(½ + y/√(2π)) ≤ y + y³/5.
    let fifth = |x: Exact| x.over(Exact::whole(5));
    let powers = exponent + exponent.squared() * Exact::power(-1) + fifth(exponent.squared() * exponent);
    let y = Exact::of(ROOT_OF_HALF_PI) * powers;
    let y = y.shortened();
    let quantile = &y + fifth(y.squared() * &y);
    quantile.squared().over(convexity).root().only_if(small)
}

/// `own:rounding`, Lemma B: the same where the logarithm is off by at most `error` at a distance from an anchor, whose
/// mean is at most `far`/√λ, in a ball of this radius.
fn moved(error: &Growing, far: &Exact, radius: &Exact, convexity: &Exact) -> Exact {
    let error = Growing {
        constant: error.constant.shortened(),
        linear: error.linear.shortened(),
        quadratic: error.quadratic.shortened(),
    };
    let Growing { linear, quadratic, .. } = &error;
    let (one, two, four) = (Exact::whole(1), Exact::whole(2), Exact::whole(4));
    let slow = Exact::whole(128) * quadratic <= *convexity;
    let distance = far.squared().over(convexity).root();
    let steepness = linear + &two * quadratic * &distance;
    let ratio = quadratic.over(convexity);
    let beta = steepness.squared().over(convexity);
    let exponent = &two * error.at(&distance)
        + &ratio * (&two + &four * &ratio)
        + Exact::of(ROOT_OF_TWO_OVER_PI) * beta.root() * (&one + &two * &ratio)
        + beta * Exact::power(-1) * (&one + &four * ratio);
    let steepest = linear + four * quadratic * radius;
    quantile(&exponent, convexity).max(steepest.over(convexity)).only_if(slow)
}

/// Not below ln k: with k = 2^j·y, y ≥ 1, it is j·ln 2 + ln y, and ln y ≤ (y² − 1)/(2y).
fn ln_above(k: u64) -> Exact {
    let whole = k.max(1).ilog2();
    let power = Exact::whole(1 << whole);
    let (k, one) = (Exact::whole(k), Exact::whole(1));
    let y = k.over(power);
    Exact::whole(whole.into()) * Exact::of(LN_2_UP) + (&y.squared() - one).over(Exact::whole(2) * y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// π < 3.14159265358979323847 and π > 3.14159265358979323846, so that both constants are at
    /// most one step too large.
    #[test]
    fn the_constants_are_rounded_up_by_one_step_at_most() {
        let scale = Exact::whole(10_u64.pow(10)) * Exact::whole(10_u64.pow(10));
        let pi = |last: u64| Exact::whole(3_141_592_653_589_793_238) * Exact::whole(100) + Exact::whole(last);
        let square = |x: f64| Exact::of(x).squared();
        assert!(Exact::whole(2) * square(ROOT_OF_HALF_PI) * &scale >= pi(47));
        assert!(Exact::whole(2) * square(ROOT_OF_HALF_PI.next_down()) * &scale <= pi(46));
        assert!(square(ROOT_OF_TWO_OVER_PI) * pi(46) >= Exact::whole(2) * &scale);
        assert!(square(ROOT_OF_TWO_OVER_PI.next_down()) * pi(47) <= Exact::whole(2) * &scale);
    }

    /// Above the logarithm, and with 4 added by less than the sixteenth part that the issuer's 17 leaves.
    #[test]
    fn logarithms_are_from_above_and_close() {
        for k in 1..=1025_u64 {
            let above = Exact::of((k as f64).ln() * (1.0 - 1e-15)) <= ln_above(k);
            let proposed = Exact::of(17.0 * ((k as f64).ln() + 4.0));
            assert!(above && Exact::whole(16) * (ln_above(k) + Exact::whole(4)) < proposed, "{k}");
        }
        assert_eq!(ln_above(1), Exact::whole(0));
    }

    /// mpmath, 80 digits: Φ⁻¹(e^a/2), which the bound covers by at most 0.09·a² of it.
    #[test]
    fn quantiles_against_fifty_digits() {
        let close = |a: f64, expected: f64, slack: f64| {
            let bound = quantile(&Exact::of(a), &Exact::whole(4)) * Exact::whole(2);
            assert!(Exact::of(expected * (1.0 - 1e-15)) <= bound, "{a}");
            assert!(bound <= Exact::of(expected * (1.0 + slack)), "{a}");
        };
        close(1e-12, 1.253_314_137_316_126_9e-12, 1e-14);
        close(0.001, 0.001_253_941_331_931_719_9, 1e-7);
        close(0.0625, 0.080_920_041_923_998_46, 3.6e-4);
        close(0.25, 0.363_843_893_788_040_53, 5.7e-3);
        assert!(!quantile(&Exact::of(0.25_f64.next_up()), &Exact::whole(1)).is_positive(), "no value");
    }

    #[test]
    fn the_edges_of_what_is_ordinary_belong_to_it() {
        for (x, ordinary) in [
            (Exact::power(200), true),
            (Exact::power(-200), true),
            (Exact::power(201), false),
            (Exact::power(-201), false),
        ] {
            assert_eq!(is_ordinary(&x), ordinary);
        }
        assert!(!is_ordinary(&Exact::of(f64::NAN)));
    }

    /// Lemma B has a value up to 128 times the quadratic part, and with that.
    #[test]
    fn errors_that_grow_slowly_move_a_law() {
        let moved = |quadratic: Exact| {
            let error = Growing { constant: Exact::whole(0), linear: Exact::whole(0), quadratic };
            moved(&error, &Exact::power(-10), &Exact::whole(1), &Exact::whole(128))
        };
        assert!(moved(Exact::whole(1)).is_positive());
        assert!(!moved(Exact::of(1.0_f64.next_up())).is_positive());
    }
}
