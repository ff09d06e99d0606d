//! Logarithms, exponentials and normal probabilities, each from below and from above: rational numbers
//! that enclose the true one.
//!
//! Series of positive terms, every operation rounded to the same side, and the rest of the series added above. So an
//! inequality between such numbers is decided, not estimated: a yes is a proof, and a no within about 2^−90 of
//! equality may be one too many.
//! spec: `own:contracts`

use super::Toward::{Above, Below};
use super::{Exact, Toward, Whole};

/// ⌊2^128·ln 2⌋.
const LN_2: u128 = 0xB172_17F7_D1CF_79AB_C9E3_B398_03F2_F6AF;

/// ⌊10^36/√(2π)⌋: the normal density at 0.
const DENSITY_AT_0: u128 = 398_942_280_401_432_677_939_946_059_934_381_868;

/// The largest exponent that is raised.
const LARGEST_EXPONENT: u64 = 1 << 14;

/// The largest x whose normal probabilities are asked for.
const LARGEST_QUANTILE: u64 = 8;

/// A series ends where its terms are below this part of what they are added to.
const NEGLIGIBLE: i32 = -100;

/// Not above ln x, for x ≥ 1.
pub(crate) fn ln_below(x: &Exact) -> Exact {
    ln(x, Below)
}

/// Not below ln x, for x ≥ 1.
pub(crate) fn ln_above(x: &Exact) -> Exact {
    ln(x, Above)
}

/// Not above e^x.
pub(crate) fn exp_below(x: &Exact) -> Exact {
    exp(x, Below)
}

/// Not below e^(−x).
pub(crate) fn exp_minus_above(x: &Exact) -> Exact {
    Exact::whole(1).over(exp(x, Below))
}

/// Not above `2Φ(x) − 1`: the mass of [−x, x] under the standard normal law, for x up to 8.
pub(crate) fn centre_mass_below(x: &Exact) -> Exact {
    centre_mass(x, Below)
}

/// Not below `2Φ(x) − 1`, for x up to 8.
pub(crate) fn centre_mass_above(x: &Exact) -> Exact {
    centre_mass(x, Above)
}

/// π, from below.
pub(crate) fn pi_below() -> Exact {
    // ⌊10^36·π⌋.
    Exact::scaled(Whole::word(3_141_592_653_589_793_238_462_643_383_279_502_884), 0).over_below(ten_to_36())
}

/// ln 2.
pub(crate) fn ln_2_below() -> Exact {
    Exact::scaled(Whole::word(LN_2), -128)
}

/// ln 2, from above.
pub(crate) fn ln_2_above() -> Exact {
    Exact::scaled(Whole::word(LN_2 + 1), -128)
}

fn ten_to_36() -> Exact {
    Exact::scaled(Whole::word(10_u128.pow(36)), 0)
}

/// With x = 2^k·z, 1 ≤ z < 2: ln x = k·ln 2 + ln z, and ln z = 2(w + w³/3 + w⁵/5 + …) for w = (z − 1)/(z + 1) < 1/3.
fn ln(x: &Exact, side: Toward) -> Exact {
    let one = Exact::whole(1);
    let x = x.cut(side);
    let Some(number) = x.0.as_ref().filter(|_| x >= one) else { return Exact::none() };
    // x ≥ 1: the exponent is not below minus the number of places.
    let Ok(places) = i32::try_from(number.mantissa.bits().saturating_sub(1)) else { return Exact::none() };
    let Ok(twos) = u64::try_from(number.exponent + places) else { return Exact::none() };
    let z = Exact::scaled(number.mantissa.clone(), -places);
    let w = (&z - &one).quotient(&(&z + &one), side);
    let square = w.squared().cut(side);
    let negligible = &w * Exact::power(NEGLIGIBLE);
    let (mut power, mut series, mut odd) = (w.clone(), w, 1);
    while power > negligible {
        power = (power * &square).cut(side);
        odd += 2;
        series = (series + power.quotient(&Exact::whole(odd), side)).cut(side);
    }
    if side == Above {
        // The rest: w² ≤ 1/9, so that all of it is less than the last power.
        series = series + power;
    }
    let ln_2 = if side == Above { ln_2_above() } else { ln_2_below() };
    Exact::whole(twos) * ln_2 + series * Exact::whole(2)
}

/// e^x = (e^(x/2^j))^(2^j) with x/2^j < 1/16, and 1 + y + y²/2 + … for that.
fn exp(x: &Exact, side: Toward) -> Exact {
    // e^x is not below e^c for c ≤ x; above there is no such way out.
    let most = Exact::whole(LARGEST_EXPONENT);
    let x = if side == Below { x.clone().min(most) } else { x.clone().only_if(*x <= most) };
    let halvings = (0..18).find(|j| x < Exact::power(j - 4)).unwrap_or(18);
    let y = (x * Exact::power(-halvings)).cut(side);
    let negligible = Exact::power(NEGLIGIBLE - halvings);
    let (mut term, mut sum, mut k) = (Exact::whole(1), Exact::whole(1), 0);
    while term > negligible {
        k += 1;
        term = (term * &y).quotient(&Exact::whole(k), side);
        sum = (sum + &term).cut(side);
    }
    if side == Above {
        // The rest: y < 1/16, so that all of it is less than the last term.
        sum = sum + term;
    }
    (0..halvings).fold(sum, |power, _| power.squared().cut(side))
}

/// `√(2/π)·e^(−x²/2)·(x + x³/3 + x⁵/(3·5) + …)`.
fn centre_mass(x: &Exact, side: Toward) -> Exact {
    let x = x.clone().only_if(*x <= Exact::whole(LARGEST_QUANTILE)).cut(side);
    let square = x.squared().cut(side);
    let negligible = &x * Exact::power(NEGLIGIBLE);
    let (mut term, mut series, mut odd) = (x.clone(), x, 1_u64);
    // Beyond 2·64 the terms at least halve.
    while term > negligible || (odd <= 128 && term.is_positive()) {
        odd += 2;
        term = (term * &square).quotient(&Exact::whole(odd), side);
        series = (series + &term).cut(side);
    }
    let twice = Exact::whole(2);
    let half_square = square * Exact::power(-1);
    match side {
        Below => {
            let density = Exact::scaled(Whole::word(DENSITY_AT_0), 0).over_below(ten_to_36());
            (twice * density * series).over_below(exp(&half_square, Above))
        }
        Above => {
            let density = Exact::scaled(Whole::word(DENSITY_AT_0 + 1), 0).over(ten_to_36());
            // All that is left of the series is less than its last term.
            (twice * density * (series + term)).over(exp(&half_square, Below))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    fn exp_on_below(x: &Exact) -> Exact {
        exp(x, Below)
    }

    fn exp_on_above(x: &Exact) -> Exact {
        exp(x, Above)
    }

    /// A decimal fraction of 56 places, cut: the true number is between it and the next, and within `part`
    /// both bounds are that. The rest of a series is some 2^−103 of it. Red: the rest taken away from the
    /// upper bound instead of added.
    fn between(below: &Exact, above: &Exact, digits: &str, part: i32) {
        let whole = |number: BigUint| Exact::scaled(number.into(), 0);
        let number: BigUint = digits.parse().unwrap();
        let scale = whole(BigUint::from(10_u8).pow(56));
        assert!(below * &scale <= whole(&number + 1_u8) && whole(number) <= above * &scale, "{digits}");
        assert!(below <= above && (above - below) * Exact::power(part) <= *above, "{digits}");
    }

    /// Σ 1/(k·2^k), each term rounded down or up, and the rest after 128 terms below one unit.
    #[test]
    fn ln_2_is_its_series() {
        let below: u128 = (1..=127_u32).map(|k| (1_u128 << (127 - k)) / u128::from(k)).sum();
        let above: u128 = 1 + (1..=127_u32).map(|k| (1_u128 << (127 - k)).div_ceil(k.into())).sum::<u128>();
        assert!(below <= LN_2 / 2 && LN_2 / 2 < above && above - below < 200);
        between(
            &ln_2_below(),
            &ln_2_above(),
            "69314718055994530941723212145817656807550013436025525412",
            127,
        );
        // The last of 128 places is below on one side and above on the other.
        assert!(ln_2_below() < ln_2_above());
    }

    /// φ(0)²·2π = 1.
    #[test]
    fn the_density_at_0_is_that_of_pi() {
        let unit = ten_to_36();
        let square = |x: u128| Exact::scaled(Whole::word(x), 0).squared() * Exact::whole(2);
        let pi = pi_below() * &unit;
        let cube = &unit * &unit * &unit;
        assert!(square(DENSITY_AT_0) * &pi <= cube);
        assert!(square(DENSITY_AT_0 + 1) * (pi + Exact::whole(1)) >= cube);
    }

    /// mpmath, 90 digits.
    #[test]
    fn logarithms_are_enclosed() {
        let ln = |x: f64| (ln_below(&Exact::of(x)), ln_above(&Exact::of(x)));
        for (x, digits) in [
            (3.0, "109861228866810969139524523692252570464749055782274945173"),
            (10.0, "230258509299404568401799145468436420760110148862877297603"),
            (1.5, "40546510810816438197801311546434913657199042346249419761"),
            (1000003.0, "1381551355795977411310792847815478512410692135952394361462"),
            (1.0000152587890625, "1525867264836239740575732513488881988266248011539656"),
            // Ten times ln 2, and no series: below and above are not to be exchanged.
            (1024.0, "693147180559945309417232121458176568075500134360255254120"),
        ] {
            let (below, above) = ln(x);
            between(&below, &above, digits, 99);
        }
        // 1e300 is no power of ten.
        let (below, above) = ln(1e300);
        assert!(below <= above && (Exact::of(690.775_527_898_213_6) < below));
        let (below, above) = ln(1.0);
        assert_eq!((below, above), (Exact::whole(0), Exact::whole(0)));
        // Near 1 it is x − 1, to a part in 2^49 of it.
        let x = 1.0 + 2.0_f64.powi(-50);
        let (below, above) = ln(x);
        assert!(below < Exact::power(-50) && Exact::power(-50) * Exact::of(1.0 - 2.0_f64.powi(-50)) < above);
        for bad in [0.5, 0.0, f64::NAN, f64::INFINITY] {
            assert!(!ln(bad).0.is_positive() && ln(bad).1 != ln(bad).1);
        }
    }

    /// mpmath, 90 digits.
    #[test]
    fn exponentials_are_enclosed() {
        let exp = |x: f64| (exp_on_below(&Exact::of(x)), exp_on_above(&Exact::of(x)));
        for (x, digits) in [
            (1.0, "271828182845904523536028747135266249775724709369995957496"),
            (0.5, "164872127070012814684865078781416357165377610071014801157"),
            (0.0625, "106449445891785942956339059464288967310072544364935330151"),
            (0.0078125, "100784309720644797769345355976012357919339214988403723154"),
            (3.75, "4252108200006278305551817262160385822357686660955578504217"),
            (10.0, "2202646579480671651695790064528424436635351261855678107423542"),
        ] {
            let (below, above) = exp(x);
            between(&below, &above, digits, 99);
            let x = Exact::of(x);
            let product = exp_minus_above(&x) * above;
            assert!(Exact::whole(1) <= product && product <= Exact::whole(1) + Exact::power(-80));
        }
        assert_eq!(exp(0.0), (Exact::whole(1), Exact::whole(1)));
        // ln(e^1000) is 1000.
        let (below, above) = exp(1000.0);
        assert!(ln_below(&below) <= Exact::whole(1000) && Exact::whole(1000) <= ln_above(&above));
        assert!(ln_above(&below) >= Exact::of(1000.0_f64.next_down()));
        assert!(!exp_on_above(&Exact::of(2e4)).is_positive() && exp_on_below(&Exact::of(2e4)).is_positive());
        assert!(exp_on_above(&Exact::whole(LARGEST_EXPONENT)).is_positive(), "the largest is raised");
        assert!(!exp_on_below(&Exact::of(f64::NAN)).is_positive());
    }

    /// mpmath, 90 digits: erf(x/√2).
    #[test]
    fn normal_probabilities_are_enclosed() {
        let mass = |x: f64| (centre_mass_below(&Exact::of(x)), centre_mass_above(&Exact::of(x)));
        for (x, digits) in [
            (1.0, "68268949213708589717046509126407584495582593345320878197"),
            (0.5, "38292492254802620727540922121667547976720435110915587364"),
            (3.0, "99730020393673981094669637046481004524434126368323870127"),
            (0.015625, "1246643899977936566697859255539651995941737746176042842"),
            (6.5, "99999999991967998832281764383307709155198625022605858695"),
            // 2⁻⁶⁰: all but the density at 0 is known to 2⁻¹²⁰, so that its last place counts.
            (2.0_f64.powi(-60), "69205453937208733981152976993675059948"),
        ] {
            let (below, above) = mass(x);
            between(&below, &above, digits, 99);
        }
        let (below, above) = mass(8.0);
        assert!(below < above && above < Exact::whole(1) && below > Exact::of(1.0 - 1.3e-15));
        assert_eq!(mass(0.0), (Exact::whole(0), Exact::whole(0)));
        assert!(!mass(8.5).0.is_positive() && !mass(f64::NAN).1.is_positive());
    }
}
