//! Exact non-negative numbers, so that an inequality is decided and not estimated. spec: `own:contracts`
//!
//! A finite `f64` is a whole number times a power of two. Sums, differences and products of such numbers are such
//! numbers, so none of these rounds. Quotients and roots, which some inequalities need, are rounded to the side that
//! their name says, and so are logarithms and exponentials (`exact/transcendental.rs`). Anything else (negative,
//! infinite, NaN) has no value, and every comparison with it is false, so the clause fails.

mod dyadic;
#[cfg(kani)]
pub mod ghost;
#[cfg(kani)]
mod long;
pub(crate) mod transcendental;
mod whole;

pub use dyadic::{Dyadic, Natural, Short, at_most, at_most_of, decompose, without_zeros};
pub use whole::Whole;

use core::borrow::Borrow;
use core::cmp::Ordering;
use core::ops::{Add, Mul, Sub};

/// Binary places that quotients and roots keep at least.
const PLACES: u64 = 128;

/// `mantissa · 2^exponent`, or no value.
#[derive(Clone, Debug)]
pub struct Exact(Option<Dyadic>);

/// To which side a result that is no dyadic number is rounded.
#[derive(Clone, Copy, PartialEq)]
enum Toward {
    Below,
    Above,
}

impl Toward {
    /// A whole number after a cut: something may have been cut off.
    fn of(self, (cut, rest): (Whole, bool)) -> Whole {
        if rest && self == Self::Above { cut.next() } else { cut }
    }
}

impl Exact {
    /// The value of `x`.
    pub fn of(x: f64) -> Self {
        Self(Dyadic::new(x))
    }

    /// The value of a whole number.
    pub fn whole(x: u64) -> Self {
        Self(Some(Dyadic::from_parts(x, 0)))
    }

    /// 2^exponent. The exponents of this crate are those of `f64`; others have no value.
    pub fn power(exponent: i32) -> Self {
        Self((-1074..=1023).contains(&exponent).then(|| Dyadic::from_parts(1, exponent)))
    }

    /// mantissa · 2^exponent.
    pub(crate) fn scaled(mantissa: Whole, exponent: i32) -> Self {
        Self(Some(Dyadic { mantissa, exponent }))
    }

    /// No value.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Its square.
    #[must_use]
    pub fn squared(&self) -> Self {
        self * self
    }

    /// Whether it is a number greater than 0.
    pub fn is_positive(&self) -> bool {
        self.0.as_ref().is_some_and(|number| !number.mantissa.is_zero())
    }

    /// Whether `plain + √radicand ≤ self`. The root is squared away: `radicand ≤ (self − plain)²`.
    pub(crate) fn covers(&self, plain: &Self, radicand: &Self) -> bool {
        *radicand <= (self - plain).squared()
    }

    /// Not below `self / other`, by less than 2^−126 of itself; no value for a divisor of 0.
    pub(crate) fn over(&self, other: impl Borrow<Self>) -> Self {
        self.quotient(other.borrow(), Toward::Above)
    }

    /// Not above `self / other`, by less than 2^−126 of itself; no value for a divisor of 0.
    pub(crate) fn over_below(&self, other: impl Borrow<Self>) -> Self {
        self.quotient(other.borrow(), Toward::Below)
    }

    fn quotient(&self, other: &Self, side: Toward) -> Self {
        let quotient = |(a, b): (&Dyadic, &Dyadic)| {
            let places = (b.mantissa.bits() + PLACES).saturating_sub(a.mantissa.bits());
            let places = u32::try_from(places).ok()?;
            let exponent = a.exponent - b.exponent - i32::try_from(places).ok()?;
            let mantissa = side.of(a.mantissa.shifted(places).divided(&b.mantissa)?);
            Some(Dyadic { mantissa, exponent })
        };
        Self(self.0.as_ref().zip(other.0.as_ref()).and_then(quotient)).cut(side)
    }

    /// Not below it, by less than 2^−127 of itself, and not longer than needed for that.
    pub(crate) fn shortened(&self) -> Self {
        self.cut(Toward::Above)
    }

    /// Not above it, by less than 2^−127 of itself, and not longer than needed for that.
    pub(crate) fn shortened_below(&self) -> Self {
        self.cut(Toward::Below)
    }

    fn cut(&self, side: Toward) -> Self {
        let short = |number: &Dyadic| {
            let places = number.mantissa.bits().saturating_sub(PLACES);
            let exponent = number.exponent.checked_add(i32::try_from(places).ok()?)?;
            let mantissa =
                if places == 0 { number.mantissa.clone() } else { side.of(number.mantissa.cut(places)) };
            Some(Dyadic { mantissa, exponent })
        };
        Self(self.0.as_ref().and_then(short))
    }

    /// Not below the square root, by less than 2^−126 of itself.
    pub(crate) fn root(&self) -> Self {
        self.square_root(Toward::Above)
    }

    /// Not above the square root, by less than 2^−126 of itself.
    pub(crate) fn root_below(&self) -> Self {
        self.square_root(Toward::Below)
    }

    fn square_root(&self, side: Toward) -> Self {
        let root = |number: &Dyadic| {
            let places = u32::try_from((2 * PLACES).saturating_sub(number.mantissa.bits())).ok()?;
            // An even exponent, so that it can be halved.
            let odd = (number.exponent - i32::try_from(places).ok()?).rem_euclid(2);
            let places = places + odd.cast_unsigned();
            let exponent = (number.exponent - i32::try_from(places).ok()?) / 2;
            Some(Dyadic { mantissa: side.of(number.mantissa.shifted(places).root()), exponent })
        };
        Self(self.cut(side).0.as_ref().and_then(root))
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

    /// Both numbers, where both have a value.
    fn both<T>(&self, other: &Self, f: impl FnOnce(&Dyadic, &Dyadic) -> T) -> Option<T> {
        self.0.as_ref().zip(other.0.as_ref()).map(|(a, b)| f(a, b))
    }
}

impl<T: Borrow<Exact>> Add<T> for &Exact {
    type Output = Exact;
    fn add(self, other: T) -> Exact {
        Exact(self.both(other.borrow(), Dyadic::plus))
    }
}

/// No value where the difference is negative.
impl<T: Borrow<Exact>> Sub<T> for &Exact {
    type Output = Exact;
    fn sub(self, other: T) -> Exact {
        let difference = |a: &Dyadic, b: &Dyadic| {
            let (a, b, exponent) = a.aligned(b);
            a.minus(&b).map(|mantissa| Dyadic { mantissa, exponent })
        };
        Exact(self.both(other.borrow(), difference).flatten())
    }
}

impl<T: Borrow<Exact>> Mul<T> for &Exact {
    type Output = Exact;
    fn mul(self, other: T) -> Exact {
        Exact(self.both(other.borrow(), Dyadic::times))
    }
}

impl<T: Borrow<Exact>> Add<T> for Exact {
    type Output = Exact;
    fn add(self, other: T) -> Exact {
        &self + other
    }
}

impl<T: Borrow<Exact>> Sub<T> for Exact {
    type Output = Exact;
    fn sub(self, other: T) -> Exact {
        &self - other
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
        self.both(other, Dyadic::partial_cmp)?
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
            let quotient = a.over_below(&b);
            assert!(&quotient * &b <= a && a <= &quotient * &b * &slack, "{k}");
            let root = a.root_below();
            assert!(root.squared() <= a && a <= root.squared() * slack.squared(), "{k}");
            assert!(long > long.shortened_below() && long <= long.shortened_below() * &slack, "{k}");
            assert_eq!((a.squared().root_below(), (&a * &b).over_below(&b)), (a.clone(), a.clone()));
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
