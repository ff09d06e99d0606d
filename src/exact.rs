//! Exact arithmetic on the values of `f64`: certify, do not trust. spec: `own:contracts`
//!
//! Every finite `f64` is a dyadic rational `mantissa · 2^exponent`. Sums, products and comparisons of such
//! numbers are exact here, so an inequality between calibrated values is *decided*, not estimated.
//!
//! The comparison is generic over the integers it uses ([`Natural`]): at run time these are big integers and
//! nothing can overflow; a model checker runs the same source on machine words.
//!
//! The directed operations ([`add_up`], [`div_down`], …) compute in `f64` and then step to the next
//! representable number until the exact inequality holds. `None` means that the result is not a finite
//! positive `f64`.

use crate::contract::prusti;
use core::cmp::Ordering;
use num_bigint::BigUint;

/// Non-negative integers with exact addition, multiplication and shift.
pub trait Natural: Clone + Ord {
    /// The number itself.
    fn from_u64(value: u64) -> Self;
    /// Exact sum.
    fn plus(&self, other: &Self) -> Self;
    /// Exact product.
    fn times(&self, other: &Self) -> Self;
    /// Exact product with `2^places`.
    fn shifted(&self, places: u32) -> Self;
}

impl Natural for BigUint {
    fn from_u64(value: u64) -> Self {
        Self::from(value)
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn shifted(&self, places: u32) -> Self {
        self << places
    }
}

/// Integers below 2¹²⁸, and `None` from where they do not last: most inequalities are decided by them, and without the heap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Short(Option<u128>);

impl Natural for Short {
    fn from_u64(value: u64) -> Self {
        Self(Some(value.into()))
    }
    fn plus(&self, other: &Self) -> Self {
        Self(self.0.zip(other.0).and_then(|(a, b)| a.checked_add(b)))
    }
    fn times(&self, other: &Self) -> Self {
        Self(self.0.zip(other.0).and_then(|(a, b)| a.checked_mul(b)))
    }
    fn shifted(&self, places: u32) -> Self {
        let fits = |value: &u128| *value == 0 || places <= value.leading_zeros();
        Self(self.0.filter(fits).map(|value| value.checked_shl(places).unwrap_or(0)))
    }
}

/// The exact number `mantissa · 2^exponent`.
#[derive(Clone, Debug)]
pub struct Dyadic<N = BigUint> {
    mantissa: N,
    exponent: i32,
}

/// Splits a finite, non-negative `f64` into `(mantissa, exponent)` with `x = mantissa · 2^exponent` exactly.
/// `None` for negative numbers, infinities and NaN.
pub const fn decompose(x: f64) -> Option<(u64, i32)> {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let biased = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & FRACTION;
    if biased == 0x7ff || (bits >> 63 == 1 && bits << 1 != 0) {
        None
    } else if biased == 0 {
        Some((fraction, -1074))
    } else {
        Some((fraction | (1 << 52), biased - 1075))
    }
}

impl<N: Natural> Dyadic<N> {
    /// The exact value of a finite, non-negative `f64`.
    pub fn new(x: f64) -> Option<Self> {
        let (mantissa, exponent) = decompose(x)?;
        Some(Self::from_parts(mantissa, exponent))
    }

    /// `mantissa · 2^exponent`.
    pub fn from_parts(mantissa: u64, exponent: i32) -> Self {
        Self { mantissa: N::from_u64(mantissa), exponent }
    }

    /// Exact sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let (a, b, exponent) = self.aligned(other);
        Self { mantissa: a.plus(&b), exponent }
    }

    /// Exact product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        Self { mantissa: self.mantissa.times(&other.mantissa), exponent: self.exponent + other.exponent }
    }

    /// Both mantissas at the smaller of the two exponents.
    fn aligned(&self, other: &Self) -> (N, N, i32) {
        let exponent = self.exponent.min(other.exponent);
        let at = |number: &Self| number.mantissa.shifted(number.exponent.abs_diff(exponent));
        (at(self), at(other), exponent)
    }
}

impl<N: Natural> PartialEq for Dyadic<N> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<N: Natural> Eq for Dyadic<N> {}

impl<N: Natural> PartialOrd for Dyadic<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<N: Natural> Ord for Dyadic<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b, _) = self.aligned(other);
        a.cmp(&b)
    }
}

/// The exact sum of products `Σ_i Π_j terms[i][j]`; `None` if a factor is negative or not finite.
pub fn sum_of_products(terms: &[&[f64]]) -> Option<Dyadic> {
    sum_of_products_of(terms, Dyadic::new)
}

/// [`sum_of_products`] for factors of any kind, given the exact value of each.
fn sum_of_products_of<N: Natural, T: Copy>(
    terms: &[&[T]],
    exact: impl Fn(T) -> Option<Dyadic<N>>,
) -> Option<Dyadic<N>> {
    let mut sum = Dyadic::from_parts(0, 0);
    for term in terms {
        let mut product = Dyadic::from_parts(1, 0);
        for &factor in *term {
            product = product.times(&exact(factor)?);
        }
        sum = sum.plus(&product);
    }
    Some(sum)
}

/// Decides `Σ_i Π_j left[i][j] ≤ Σ_i Π_j right[i][j]` exactly. `false` if a factor is negative or not finite.
///
/// ```
/// use asap_dp::exact::at_most;
/// // In floating point 0.1 + 0.2 > 0.3, and the exact values agree:
/// assert!(!at_most(&[&[0.1], &[0.2]], &[&[0.3]]));
/// assert!(at_most(&[&[0.3]], &[&[0.1], &[0.2]]));
/// // 0.1 ten times is more than 1, although a floating-point loop gives less than 1:
/// assert!(!at_most(&[&[10.0, 0.1]], &[&[1.0]]));
/// ```
#[must_use]
#[prusti::pure]
#[prusti::trusted]
pub fn at_most(left: &[&[f64]], right: &[&[f64]]) -> bool {
    decided_in_words(left, right).unwrap_or_else(|| at_most_of(left, right, Dyadic::<BigUint>::new))
}

/// [`at_most`] where 128 bits are enough for every number on the way; `None` where they are not.
fn decided_in_words(left: &[&[f64]], right: &[&[f64]]) -> Option<bool> {
    let [left, right] = [left, right].map(|terms| sum_of_products_of(terms, without_zeros));
    let (Short(left), Short(right), _) = left?.aligned(&right?);
    Some(left? <= right?)
}

/// [`Dyadic::new`] with an odd mantissa: powers of two take a bit, not 53.
fn without_zeros(x: f64) -> Option<Dyadic<Short>> {
    let (mantissa, exponent) = decompose(x)?;
    let zeros = if mantissa == 0 { 0 } else { mantissa.trailing_zeros() };
    Some(Dyadic::from_parts(mantissa >> zeros, exponent + zeros.cast_signed()))
}

/// [`at_most`] for factors of any kind: one source for big integers and for the words of a model checker.
fn at_most_of<N: Natural, T: Copy>(
    left: &[&[T]],
    right: &[&[T]],
    exact: impl Fn(T) -> Option<Dyadic<N>>,
) -> bool {
    match (sum_of_products_of(left, &exact), sum_of_products_of(right, &exact)) {
        (Some(left), Some(right)) => left <= right,
        _ => false,
    }
}

/// The first of `start, step(start), step(step(start)), …` for which `holds`, trying at most `limit` steps.
pub fn step_until<T: Copy>(
    start: T,
    step: impl Fn(T) -> T,
    holds: impl Fn(T) -> bool,
    limit: u32,
) -> Option<T> {
    let mut value = start;
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
    fn decomposition_of_hand_picked_values() {
        assert_eq!(decompose(1.0), Some((1 << 52, -52)));
        assert_eq!(decompose(0.75), Some((3 << 51, -53)));
        assert_eq!(decompose(f64::from_bits(1)), Some((1, -1074)));
        assert_eq!(decompose(0.0), Some((0, -1074)));
        assert_eq!(decompose(-0.0), Some((0, -1074)));
        assert_eq!(decompose(f64::MAX), Some(((1 << 53) - 1, 971)));
        for bad in [-1.0, -f64::from_bits(1), f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(decompose(bad), None, "{bad}");
        }
    }

    #[test]
    fn comparison_sees_the_last_bit() {
        let next = 1.0_f64.next_up();
        // (1 + 2^-52)² = 1 + 2^-51 + 2^-104: the last term is invisible to f64.
        assert!(!at_most(&[&[next, next]], &[&[1.0], &[2.0_f64.powi(-51)]]));
        assert!(at_most(&[&[next, next]], &[&[1.0], &[2.0_f64.powi(-51)], &[2.0_f64.powi(-104)]]));
        assert!(!at_most(&[&[f64::NAN]], &[&[1.0]]));
        assert!(!at_most(&[&[0.0]], &[&[f64::INFINITY]]));
    }

    /// Words and big integers: wherever words decide, they decide alike, next to equality too; and they do where it counts.
    #[test]
    fn words_decide_as_big_integers_do() {
        let numbers = [
            0.0,
            f64::from_bits(1),
            1e-300,
            2.0_f64.powi(-105),
            0.1,
            0.2,
            0.3,
            1.0,
            1.0_f64.next_up(),
            3.0,
            1e9,
            1e22,
            2.0_f64.powi(74),
            1e300,
            f64::MAX,
        ];
        let (mut decided, mut all) = (0, 0);
        for a in numbers {
            for b in numbers {
                for c in [a * b, (a * b).next_up(), (a * b).next_down(), a + b, (a + b).next_up(), b] {
                    for (left, right) in [
                        (&[&[a, b][..]][..], &[&[c][..]][..]),
                        (&[&[c]], &[&[a, b]]),
                        (&[&[a], &[b]], &[&[c]]),
                        (&[&[c]], &[&[a], &[b]]),
                        (&[&[a, b], &[1.0]], &[&[c, 1.0], &[0.0, a]]),
                    ] {
                        let big = at_most_of(left, right, Dyadic::<BigUint>::new);
                        let words = decided_in_words(left, right);
                        assert!(words.is_none_or(|words| words == big), "{left:?} {right:?}");
                        assert_eq!(at_most(left, right), big);
                        (decided, all) = (decided + usize::from(words.is_some()), all + 1);
                    }
                }
            }
        }
        assert!(decided > all / 10 && decided < all, "{decided} of {all}");
        assert_eq!(decided_in_words(&[&[0.1, 0.7]], &[&[0.07]]), Some(true));
        assert_eq!(decided_in_words(&[&[0.1, 3.0]], &[&[0.3]]), Some(false));
        assert_eq!(Short(Some(1)).shifted(128).0, None);
        assert_eq!((Short(Some(1)).shifted(127).0, Short(Some(0)).shifted(500).0), (Some(1 << 127), Some(0)));
        assert_eq!(Short(Some(u128::MAX)).plus(&Short(Some(1))).0, None);
        assert_eq!(Short(Some(1 << 64)).times(&Short(Some(1 << 64))).0, None);
    }

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
        // 128-bit integers are the reference: exact for every product of two u32.
        fn comparison_agrees_with_integers(a: u32, b: u32, c: u32, d: u32) -> bool {
            let left = u128::from(a) * u128::from(b) + u128::from(c);
            let right = u128::from(d) * u128::from(d);
            let [a, b, c, d] = [a, b, c, d].map(f64::from);
            at_most(&[&[a, b], &[c]], &[&[d, d]]) == (left <= right)
        }

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
