//! Rounding to the safe side: certify, do not trust. spec: `own:contracts`
//!
//! Every finite `f64` is a dyadic rational, and sums, products and comparisons of such numbers are exact
//! ([`asap_contracts::exact`], the one exact arithmetic of this workspace). The directed operations ([`add_up`],
//! [`div_down`], …) compute in `f64` and then step to the next representable number until the exact inequality holds.
//! `None` means that the result is not a finite positive `f64`.
//!
//! They are for proposals: [`asap_contracts::contract`] decides everything that a guarantee rests on.

pub use asap_contracts::exact::{Dyadic, Natural, at_most, at_most_of, decompose};

/// The first of `value, step(value), step(step(value)), …` for which `holds`, trying at most `limit` steps.
pub fn step_until<T: Copy>(
    mut value: T,
    step: impl Fn(T) -> T,
    holds: impl Fn(T) -> bool,
    limit: u32,
) -> Option<T> {
    for _ in 0..limit {
        if holds(value) {
            return Some(value);
        }
        value = step(value);
    }
    holds(value).then_some(value)
}

/// A correctly rounded result is at most one step from its bound; the rest is a margin that is never used.
const STEPS: u32 = 4;

fn up(value: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    step_until(value, f64::next_up, holds, STEPS).filter(|x| x.is_finite())
}

fn down(value: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    // Above the largest f64 the rounded result is infinite; the largest finite number is below it.
    step_until(value.min(f64::MAX), f64::next_down, holds, STEPS).filter(|x| *x > 0.0)
}

/// An `f64` not below `a + b`.
pub fn add_up(a: f64, b: f64) -> Option<f64> {
    up(a + b, |x| at_most(&[&[a], &[b]], &[&[x]]))
}

/// An `f64` not below `a · b`.
pub fn mul_up(a: f64, b: f64) -> Option<f64> {
    up(a * b, |x| at_most(&[&[a, b]], &[&[x]]))
}

/// An `f64` not below `a / b`.
pub fn div_up(a: f64, b: f64) -> Option<f64> {
    up(a / b, |x| at_most(&[&[a]], &[&[x, b]])).filter(|_| b > 0.0)
}

/// An `f64` not below `√a`.
pub fn sqrt_up(a: f64) -> Option<f64> {
    up(a.sqrt(), |x| at_most(&[&[a]], &[&[x, x]]))
}

/// An `f64` not above `a + b`.
pub fn add_down(a: f64, b: f64) -> Option<f64> {
    down(a + b, |x| at_most(&[&[x]], &[&[a], &[b]]))
}

/// An `f64` not above `a − b`, where that is positive.
pub fn sub_down(a: f64, b: f64) -> Option<f64> {
    down(a - b, |x| at_most(&[&[x], &[b]], &[&[a]]))
}

/// An `f64` not above `a · b`.
pub fn mul_down(a: f64, b: f64) -> Option<f64> {
    down(a * b, |x| at_most(&[&[x]], &[&[a, b]]))
}

/// An `f64` not above `a / b`.
pub fn div_down(a: f64, b: f64) -> Option<f64> {
    down(a / b, |x| at_most(&[&[x, b]], &[&[a]])).filter(|_| b > 0.0)
}

/// An `f64` not above `√a`.
pub fn sqrt_down(a: f64) -> Option<f64> {
    down(a.sqrt(), |x| at_most(&[&[x, x]], &[&[a]]))
}

/// An `f64` not below the integer.
pub fn integer_up(value: u64) -> Option<f64> {
    let exact: Dyadic = Dyadic::from_parts(value, 0);
    up(value as f64, |x| Dyadic::new(x).is_some_and(|x| x >= exact))
}

/// The largest power of two not above a finite positive `x`, as its exponent.
#[allow(clippy::cast_possible_wrap)]
pub fn floor_log2(x: f64) -> Option<i32> {
    let (mantissa, exponent) = decompose(x)?;
    mantissa.checked_ilog2().map(|log| log as i32 + exponent)
}

#[cfg(any(kani, test))]
#[path = "../proofs/exact.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::quickcheck;

    #[test]
    fn extremes_are_none_not_wrong() {
        assert_eq!(mul_up(f64::MAX, 2.0), None);
        assert_eq!(div_up(1.0, 0.0), None);
        assert_eq!(div_down(1.0, 0.0), None);
        assert_eq!(mul_down(f64::from_bits(1), 0.5), None);
        assert_eq!(mul_up(f64::from_bits(1), 0.5), Some(f64::from_bits(1)));
        assert_eq!(mul_down(f64::MAX, 2.0), Some(f64::MAX));
        assert_eq!(integer_up(u64::MAX), Some(2.0_f64.powi(64)));
        assert_eq!(integer_up((1 << 53) + 1), Some(((1_u64 << 53) + 2) as f64));
        assert_eq!(floor_log2(0.0), None);
        assert_eq!(floor_log2(1.5), Some(0));
        assert_eq!(floor_log2(0.49), Some(-2));
        assert_eq!(floor_log2(f64::from_bits(1)), Some(-1074));
    }

    quickcheck! {
        // Fused multiply-add gives the exact sign of the rounding error of a product.
        fn products_are_rounded_outwards(a: f64, b: f64) -> bool {
            let (a, b) = (a.abs(), b.abs());
            let in_range = (1e-100..1e100).contains(&a) && (1e-100..1e100).contains(&b);
            !in_range || (mul_up(a, b).is_some_and(|x| a.mul_add(b, -x) <= 0.0)
                && mul_down(a, b).is_some_and(|x| a.mul_add(b, -x) >= 0.0))
        }

        fn quotients_and_roots_are_rounded_outwards(a: f64, b: f64) -> bool {
            let (a, b) = (a.abs(), b.abs());
            let in_range = (1e-100..1e100).contains(&a) && (1e-100..1e100).contains(&b);
            !in_range || (div_up(a, b).is_some_and(|x| x.mul_add(b, -a) >= 0.0)
                && div_down(a, b).is_some_and(|x| x.mul_add(b, -a) <= 0.0)
                && sqrt_up(a).is_some_and(|x| x.mul_add(x, -a) >= 0.0)
                && sqrt_down(a).is_some_and(|x| x.mul_add(x, -a) <= 0.0))
        }

        fn stepping_is_tight(a: u32, b: u32) -> bool {
            // Representable results are returned as they are.
            let (a, b) = (f64::from(a) + 1.0, f64::from(b) + 1.0);
            add_up(a, b) == Some(a + b) && add_down(a, b) == Some(a + b)
        }
    }
}
