//! Exact non-negative numbers, so that an inequality is decided and not estimated.
//!
//! A finite `f64` is a whole number times a power of two. Sums, differences and products of such numbers are such
//! numbers, so none of these rounds; quotients and roots, which the charges for rounding need, are rounded up. What is not such a number (negative, infinite, NaN) has no value, and every
//! comparison with it is false: a clause that meets it fails.

use core::borrow::Borrow;
use core::cmp::Ordering;
use core::ops::{Add, Mul, Sub};
use num_bigint::BigUint;

/// Binary places that quotients and roots keep at least.
const PLACES: u64 = 128;

/// `mantissa · 2^exponent`, or no value.
#[derive(Clone, Debug)]
pub(crate) struct Exact(Option<(BigUint, i32)>);

/// The whole number `m` and the exponent `q` with `x = m · 2^q`, for a finite `x ≥ 0`.
pub(crate) fn split(x: f64) -> Option<(u64, i32)> {
    if !x.is_finite() || x < 0.0 {
        return None;
    }
    // Without the sign: −0 is 0.
    let bits = x.abs().to_bits();
    let fraction = bits & ((1 << 52) - 1);
    // The eleven bits above the fraction fit every integer type.
    match i32::try_from(bits >> 52).ok()? {
        0 => Some((fraction, -1074)),
        biased => Some((fraction | 1 << 52, biased - 1075)),
    }
}

impl Exact {
    /// The value of `x`.
    pub(crate) fn of(x: f64) -> Self {
        Self(split(x).map(|(mantissa, exponent)| (mantissa.into(), exponent)))
    }

    /// The value of a whole number.
    pub(crate) fn whole(x: u64) -> Self {
        Self(Some((x.into(), 0)))
    }

    /// 2^exponent. The exponents of this crate are those of `f64`; others have no value.
    pub(crate) fn power(exponent: i32) -> Self {
        Self((-1074..=1023).contains(&exponent).then(|| (1_u32.into(), exponent)))
    }

    /// mantissa · 2^exponent.
    pub(crate) fn scaled(mantissa: BigUint, exponent: i32) -> Self {
        Self(Some((mantissa, exponent)))
    }

    /// Whole number and exponent.
    pub(crate) fn parts(&self) -> Option<(&BigUint, i32)> {
        self.0.as_ref().map(|(mantissa, exponent)| (mantissa, *exponent))
    }

    /// No value.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    pub(crate) fn squared(&self) -> Self {
        self * self
    }

    pub(crate) fn is_positive(&self) -> bool {
        *self > Self::whole(0)
    }

    /// Whether `plain + √radicand ≤ self`. The root is squared away: `radicand ≤ (self − plain)²`.
    pub(crate) fn covers(&self, plain: &Self, radicand: &Self) -> bool {
        *radicand <= (self - plain).squared()
    }

    /// Not below `self / other`, by less than 2^−126 of itself; no value for a divisor of 0.
    pub(crate) fn over(&self, other: impl Borrow<Self>) -> Self {
        let quotient = |((a, p), (b, q)): (&(BigUint, i32), &(BigUint, i32))| {
            let places = (b.bits() + PLACES).saturating_sub(a.bits());
            let exponent = p - q - i32::try_from(places).ok()?;
            (b.bits() > 0).then(|| (((a << places) + b - 1_u32) / b, exponent))
        };
        Self(self.0.as_ref().zip(other.borrow().0.as_ref()).and_then(quotient)).shortened()
    }

    /// Not below it, by less than 2^−127 of itself, and not longer than needed for that.
    pub(crate) fn shortened(&self) -> Self {
        let short = |(a, p): &(BigUint, i32)| {
            let places = i32::try_from(a.bits().saturating_sub(PLACES)).ok()?;
            let cut = a >> places;
            Some((if &cut << places == *a { cut } else { cut + 1_u32 }, p + places))
        };
        Self(self.0.as_ref().and_then(short))
    }

    /// Not below the square root, by less than 2^−126 of itself.
    pub(crate) fn root(&self) -> Self {
        let root = |(a, p): &(BigUint, i32)| {
            let places = i32::try_from((2 * PLACES).saturating_sub(a.bits())).ok()?;
            // An even exponent, so that it can be halved.
            let places = places + (p - places).rem_euclid(2);
            let square = a << places;
            let below = square.sqrt();
            let exact = &below * &below == square;
            Some((if exact { below } else { below + 1_u32 }, (p - places) / 2))
        };
        Self(self.shortened().0.as_ref().and_then(root))
    }

    /// The number, or no value where what it rests on does not hold.
    pub(crate) fn only_if(self, holds: bool) -> Self {
        if holds { self } else { Self::none() }
    }

    /// By how much it exceeds `other`: 0 where it does not.
    pub(crate) fn beyond(&self, other: &Self) -> Self {
        &self.clone().max(other.clone()) - other
    }

    /// The smaller of two numbers; no value if one has none.
    pub(crate) fn min(self, other: Self) -> Self {
        match self.partial_cmp(&other) {
            Some(Ordering::Greater) => other,
            Some(_) => self,
            None => Self::none(),
        }
    }

    /// The larger of two numbers; no value if one has none.
    pub(crate) fn max(self, other: Self) -> Self {
        match self.partial_cmp(&other) {
            Some(Ordering::Less) => other,
            Some(_) => self,
            None => Self::none(),
        }
    }

    /// Both numbers and, as whole multiples of the smaller power of two, what `f` makes of them.
    fn aligned<T>(&self, other: &Self, f: impl FnOnce(BigUint, BigUint, i32) -> Option<T>) -> Option<T> {
        let ((a, p), (b, q)) = (self.0.as_ref()?, other.0.as_ref()?);
        let exponent = *p.min(q);
        f(a << p.abs_diff(exponent), b << q.abs_diff(exponent), exponent)
    }
}

impl<T: Borrow<Exact>> Add<T> for &Exact {
    type Output = Exact;
    fn add(self, other: T) -> Exact {
        Exact(self.aligned(other.borrow(), |a, b, exponent| Some((a + b, exponent))))
    }
}

/// No value where the difference is negative.
impl<T: Borrow<Exact>> Sub<T> for &Exact {
    type Output = Exact;
    fn sub(self, other: T) -> Exact {
        Exact(self.aligned(other.borrow(), |a, b, exponent| (a >= b).then(|| (a - b, exponent))))
    }
}

impl<T: Borrow<Exact>> Mul<T> for &Exact {
    type Output = Exact;
    fn mul(self, other: T) -> Exact {
        let factors = self.0.as_ref().zip(other.borrow().0.as_ref());
        Exact(factors.map(|((a, p), (b, q))| (a * b, p + q)))
    }
}

impl<T: Borrow<Exact>> Add<T> for Exact {
    type Output = Exact;
    fn add(self, other: T) -> Exact {
        &self + other
    }
}

impl<T: Borrow<Exact>> Mul<T> for Exact {
    type Output = Exact;
    fn mul(self, other: T) -> Exact {
        &self * other
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.aligned(other, |a, b, _| Some(a.cmp(&b)))
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_hand_picked_numbers() {
        assert_eq!(split(1.0), Some((1 << 52, -52)));
        assert_eq!(split(0.75), Some((3 << 51, -53)));
        assert_eq!(split(f64::from_bits(1)), Some((1, -1074)));
        assert_eq!(split(f64::MIN_POSITIVE), Some((1 << 52, -1074)));
        assert_eq!(split(f64::MAX), Some(((1 << 53) - 1, 971)));
        assert_eq!(split(-0.0), Some((0, -1074)));
        for bad in [-1.0, -f64::from_bits(1), f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(split(bad), None, "{bad}");
        }
        assert_eq!(Exact::power(-1), Exact::of(0.5));
        assert!(Exact::power(i32::MIN) != Exact::power(i32::MIN), "no value");
    }

    #[test]
    fn the_last_bit_decides() {
        let next = Exact::of(1.0_f64.next_up());
        // (1 + 2^−52)² = 1 + 2^−51 + 2^−104: no f64 sees the last term.
        let short = Exact::whole(1) + Exact::power(-51);
        assert!(next.squared() > short);
        assert_eq!(next.squared(), short + Exact::power(-104));
        assert!(Exact::of(0.1) + Exact::of(0.2) > Exact::of(0.3));
        let huge = Exact::of(f64::MAX).squared() * Exact::of(f64::MAX);
        assert_eq!(&(&huge + Exact::power(-1074)) - &huge, Exact::power(-1074));
    }

    /// 128-bit integers are the reference.
    #[test]
    fn agrees_with_whole_numbers() {
        let mut state = 1_u64;
        for _ in 0..10_000 {
            let [a, b, c, d] = [(); 4].map(|()| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // Of different sizes, equal ones included.
                state >> (32 + (state >> 8) % 31)
            });
            let [x, y, z, w] = [a, b, c, d].map(Exact::whole);
            let [a, b, c, d] = [a, b, c, d].map(u128::from);
            assert_eq!(&x * &y + &z <= w.squared(), a * b + c <= d * d);
            assert_eq!(&x * &y + &z == w.squared(), a * b + c == d * d);
            let difference = a.checked_sub(b).map(|difference| Exact::whole(difference.try_into().unwrap()));
            match difference {
                Some(difference) => assert_eq!(&x - &y, difference),
                None => assert!((&x - &y) != (&x - &y), "no value"),
            }
            let root = d.checked_sub(a).is_some_and(|rest| c <= rest * rest);
            assert_eq!(w.covers(&x, &z), root, "{a} + √{c} ≤ {d}");
        }
    }

    /// Not below, and not more than one part in 2^126 above.
    #[test]
    fn quotients_and_roots_are_rounded_up_by_next_to_nothing() {
        let mut state = 3_u64;
        let slack = Exact::whole(1) + Exact::power(-126);
        for k in 0..2_000 {
            let [a, b] = [(); 2].map(|()| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                Exact::whole(1 + (state >> (32 + (state >> 8) % 31)))
                    * Exact::power((state % 201) as i32 - 100)
            });
            let quotient = a.over(&b);
            assert!(a <= &quotient * &b && &quotient * &b <= &a * &slack, "{k}");
            let root = a.root();
            assert!(a <= root.squared() && root.squared() <= &a * slack.squared(), "{k}");
            assert_eq!(a.squared().root(), a);
            let long = a.squared() * b.squared() * &a * &b * &a * &b + Exact::power(-900);
            assert!(long < long.shortened() && long.shortened() <= &long * &slack, "{k}");
            assert_eq!(a.shortened(), a);
            assert_eq!((&a * &b).over(&b), a);
            assert_eq!(a.clone().min(b.clone()) + a.clone().max(b.clone()), &a + &b);
            assert!(a.clone().min(b.clone()) <= a.clone().max(b.clone()));
        }
        let zero = Exact::whole(0);
        assert_eq!((zero.over(Exact::whole(3)), zero.root()), (zero.clone(), zero.clone()));
        let nothing = Exact::whole(3).over(&zero);
        assert!(nothing != nothing.clone() && nothing.root() != nothing.root());
        assert!(
            !nothing.clone().min(zero.clone()).is_positive() && !nothing.max(Exact::whole(1)).is_positive()
        );
        assert!(zero.clone().min(Exact::none()) != zero && zero.clone().max(Exact::none()) != zero);
    }

    #[test]
    fn nothing_compares_with_no_value() {
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            let (bad, one) = (Exact::of(bad), Exact::whole(1));
            for nothing in [&bad * Exact::whole(0), &one + &bad, &one - &bad, &bad - &one, bad.squared()] {
                assert_eq!(nothing.partial_cmp(&one), None);
                assert_eq!(one.partial_cmp(&nothing), None);
                assert!(!nothing.is_positive() && nothing != nothing.clone());
            }
            assert!(!one.covers(&bad, &one) && !one.covers(&one, &bad) && !bad.covers(&one, &one));
        }
        assert!(!Exact::whole(0).is_positive() && Exact::of(f64::from_bits(1)).is_positive());
    }
}
