//! Whole numbers times powers of two: sums, products and comparisons without rounding.
//!
//! Generic over the whole numbers ([`Natural`]), so that a model checker runs the same source on machine words.

use core::cmp::Ordering;

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

/// The exact number `mantissa · 2^exponent`.
#[derive(Clone, Debug)]
pub struct Dyadic<N = super::Whole> {
    pub(super) mantissa: N,
    pub(super) exponent: i32,
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

/// The same number with an odd mantissa; 0 stays as it is.
#[doc(hidden)]
pub fn without_zeros(mantissa: u64, exponent: i32) -> (u64, i32) {
    let zeros = if mantissa == 0 { 0 } else { mantissa.trailing_zeros() };
    (mantissa >> zeros, exponent + zeros.cast_signed())
}

impl<N: Natural> Dyadic<N> {
    /// The exact value of a finite, non-negative `f64`, with an odd mantissa: a power of two takes a bit, not 53.
    pub fn new(x: f64) -> Option<Self> {
        let (mantissa, exponent) = decompose(x)?;
        // A model checker spends its time on shifts by unknown numbers of places; this one has a proof of its own.
        let (mantissa, exponent) =
            if cfg!(kani) { (mantissa, exponent) } else { without_zeros(mantissa, exponent) };
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

    /// Both mantissas at the smaller of the two exponents. 0 has any exponent: next to it a number stays as it is.
    pub(super) fn aligned(&self, other: &Self) -> (N, N, i32) {
        let nothing = N::from_u64(0);
        let exponent = if self.mantissa == nothing {
            other.exponent
        } else if other.mantissa == nothing {
            self.exponent
        } else {
            self.exponent.min(other.exponent)
        };
        let at = |number: &Self| number.mantissa.shifted(number.exponent.abs_diff(exponent));
        (at(self), at(other), exponent)
    }
}

impl<N: Natural> PartialEq for Dyadic<N> {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl<N: Natural> PartialOrd for Dyadic<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let (a, b, _) = self.aligned(other);
        a.partial_cmp(&b)
    }
}

/// The exact sum of products `Σ_i Π_j terms[i][j]`, given the exact value of each factor; `None` if one has none.
fn sum_of_products<N: Natural, T: Copy>(
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
/// use asap_contracts::exact::at_most;
/// // In floating point 0.1 + 0.2 > 0.3, and the exact values agree:
/// assert!(!at_most(&[&[0.1], &[0.2]], &[&[0.3]]));
/// assert!(at_most(&[&[0.3]], &[&[0.1], &[0.2]]));
/// // 0.1 ten times is more than 1, although a floating-point loop gives less than 1:
/// assert!(!at_most(&[&[10.0, 0.1]], &[&[1.0]]));
/// ```
#[must_use]
#[prusti_contracts::pure]
#[prusti_contracts::trusted]
pub fn at_most(left: &[&[f64]], right: &[&[f64]]) -> bool {
    decided_in_words(left, right).unwrap_or_else(|| at_most_of(left, right, Dyadic::<super::Whole>::new))
}

/// [`at_most`] where 128 bits are enough for every number on the way; `None` where they are not. Most inequalities are
/// decided by it, and without a branch on the length of each number.
fn decided_in_words(left: &[&[f64]], right: &[&[f64]]) -> Option<bool> {
    let [left, right] = [left, right].map(|terms| sum_of_products(terms, Dyadic::<Short>::new));
    let (Short(left), Short(right), _) = left?.aligned(&right?);
    Some(left? <= right?)
}

/// Integers below 2¹²⁸, and `None` from where they do not last.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Short(pub Option<u128>);

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

/// [`at_most`] for factors of any kind: one source for numbers of any length and for the words of a model checker.
pub fn at_most_of<N: Natural, T: Copy>(
    left: &[&[T]],
    right: &[&[T]],
    exact: impl Fn(T) -> Option<Dyadic<N>>,
) -> bool {
    match (sum_of_products(left, &exact), sum_of_products(right, &exact)) {
        (Some(left), Some(right)) => left <= right,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Whole;
    use num_bigint::BigUint;

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

    #[test]
    fn decomposition_of_hand_picked_values() {
        assert_eq!(decompose(1.0), Some((1 << 52, -52)));
        assert_eq!(decompose(0.75), Some((3 << 51, -53)));
        assert_eq!(decompose(f64::from_bits(1)), Some((1, -1074)));
        assert_eq!(decompose(f64::MIN_POSITIVE), Some((1 << 52, -1074)));
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

    /// Words that become big integers where they do not last decide as big integers do, next to equality too.
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
                        assert_eq!(at_most_of(left, right, Dyadic::<Whole>::new), big, "{left:?} {right:?}");
                        let words = decided_in_words(left, right);
                        assert!(words.is_none_or(|words| words == big), "{left:?} {right:?}");
                        assert_eq!(at_most(left, right), big);
                    }
                }
            }
        }
    }

    /// 0 has no length: next to it words last as long as without it. Red: the smaller exponent, whatever the mantissas.
    #[test]
    fn zero_is_decided_in_words() {
        for (left, right, holds) in [
            (&[&[0.0, 1e300][..]][..], &[&[1e-300][..]][..], true),
            (&[&[0.0], &[1e300]], &[&[1e300], &[0.0, 1e-300]], true),
            (&[&[1e300]], &[&[0.0]], false),
            (&[&[1e-300]], &[&[0.0, 0.0]], false),
            (&[], &[&[f64::MAX]], true),
        ] {
            assert_eq!(decided_in_words(left, right), Some(holds), "{left:?} {right:?}");
        }
    }

    /// A number is itself, however it is written, and no other.
    #[test]
    fn equal_numbers_are_equal() {
        let number = |mantissa, exponent| Dyadic::<Whole>::from_parts(mantissa, exponent);
        assert!(number(3, 2) == number(12, 0) && number(0, 5) == number(0, -5));
        assert!(number(3, 2) != number(11, 0) && number(3, 2) != number(13, 0));
        assert_eq!(number(1, 1).partial_cmp(&number(3, 0)), Some(Ordering::Less));
    }

    /// 128-bit integers are the reference: exact for every product of two u32.
    #[test]
    fn comparison_agrees_with_integers() {
        let mut state = 7_u64;
        for _ in 0..10_000 {
            let [a, b, c, d] = [(); 4].map(|()| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                u32::try_from(state >> (32 + (state >> 8) % 31)).unwrap()
            });
            let left = u128::from(a) * u128::from(b) + u128::from(c);
            let right = u128::from(d) * u128::from(d);
            let [a, b, c, d] = [a, b, c, d].map(f64::from);
            assert_eq!(at_most(&[&[a, b], &[c]], &[&[d, d]]), left <= right);
        }
    }
}
