//! Whole numbers of any length: a machine word while that is long enough, and no heap until then.

use super::Natural;
#[cfg(kani)]
use super::long::BigUint;
#[cfg(not(kani))]
use num_bigint::BigUint;

/// A whole number that is not negative. Below 2^128 it is a word, always.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whole(Form);

/// In the order of the numbers: every word is below everything that is long.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Word(u128),
    Long(BigUint),
}

use Form::{Long, Word};

impl Whole {
    pub(crate) const fn word(value: u128) -> Self {
        Self(Word(value))
    }

    /// In the form that belongs to its size.
    fn long(value: BigUint) -> Self {
        match u128::try_from(&value) {
            Ok(word) => Self(Word(word)),
            Err(_) => Self(Long(value)),
        }
    }

    fn as_long(&self) -> BigUint {
        match &self.0 {
            Word(word) => BigUint::from(*word),
            Long(long) => long.clone(),
        }
    }

    /// Does it in words; where these do not last, with long numbers.
    fn both(
        &self,
        other: &Self,
        in_words: impl FnOnce(u128, u128) -> Option<u128>,
        in_full: impl FnOnce(BigUint, BigUint) -> BigUint,
    ) -> Self {
        if let (Word(a), Word(b)) = (&self.0, &other.0)
            && let Some(word) = in_words(*a, *b)
        {
            return Self(Word(word));
        }
        Self::long(in_full(self.as_long(), other.as_long()))
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0 == Word(0)
    }

    /// The number of its binary digits.
    pub(crate) fn bits(&self) -> u64 {
        match &self.0 {
            Word(word) => u64::from(u128::BITS - word.leading_zeros()),
            Long(long) => long.bits(),
        }
    }

    /// The difference; `None` where it is negative.
    pub(crate) fn minus(&self, other: &Self) -> Option<Self> {
        (self >= other).then(|| self.both(other, u128::checked_sub, |a, b| a - b))
    }

    /// The quotient and whether something is left; `None` for a divisor of 0.
    pub(crate) fn divided(&self, other: &Self) -> Option<(Self, bool)> {
        if other.is_zero() {
            return None;
        }
        let quotient = self.both(other, u128::checked_div, |a, b| a / b);
        let exact = quotient.times(other) == *self;
        Some((quotient, !exact))
    }

    /// The whole part of the root and whether something is left.
    pub(crate) fn root(&self) -> (Self, bool) {
        let root = match &self.0 {
            Word(word) => Self(Word(word.isqrt())),
            Long(long) => Self::long(long.sqrt()),
        };
        let exact = root.times(&root) == *self;
        (root, !exact)
    }

    /// The quotient by `2^places` and whether something is left.
    pub(crate) fn cut(&self, places: u64) -> (Self, bool) {
        let cut = match &self.0 {
            Word(word) => {
                let places = u32::try_from(places).unwrap_or(u32::MAX);
                let cut = word.checked_shr(places).unwrap_or(0);
                return (Self(Word(cut)), *word != cut.checked_shl(places).unwrap_or(0));
            }
            Long(long) => long >> places,
        };
        let rest = &cut << places != self.as_long();
        (Self::long(cut), rest)
    }

    /// The word that it is: where a model checker looks, there are no others.
    #[cfg(kani)]
    pub(crate) fn as_word(&self) -> u128 {
        match &self.0 {
            Word(word) => *word,
            Long(_) => 0,
        }
    }

    /// One more.
    pub(crate) fn next(&self) -> Self {
        self.plus(&Self(Word(1)))
    }
}

/// A number of any length.
#[cfg(not(kani))]
impl From<BigUint> for Whole {
    fn from(value: BigUint) -> Self {
        Self::long(value)
    }
}

/// Of a number that no proof asks for.
#[cfg(kani)]
impl From<num_bigint::BigUint> for Whole {
    fn from(value: num_bigint::BigUint) -> Self {
        Self(Word(u128::try_from(value).unwrap_or(u128::MAX)))
    }
}

impl Natural for Whole {
    fn from_u64(value: u64) -> Self {
        Self(Word(value.into()))
    }

    fn plus(&self, other: &Self) -> Self {
        self.both(other, u128::checked_add, |a, b| a + b)
    }

    fn times(&self, other: &Self) -> Self {
        self.both(other, u128::checked_mul, |a, b| a * b)
    }

    fn shifted(&self, places: u32) -> Self {
        match &self.0 {
            Word(0) => Self(Word(0)),
            Word(word) if places <= word.leading_zeros() => Self(Word(word << places)),
            _ => Self::long(self.as_long() << places),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Around 2^128, where the form changes, against long numbers alone.
    #[test]
    fn words_and_long_numbers_agree() {
        let (most, one) = (BigUint::from(u128::MAX), BigUint::from(1_u8));
        let near: Vec<BigUint> = vec![
            BigUint::ZERO,
            one.clone(),
            BigUint::from(3_u8),
            BigUint::from(u64::MAX),
            BigUint::from(u64::MAX) + 1_u8,
            &most - 1_u8,
            most.clone(),
            &most + 1_u8,
            &most * 3_u8,
            &most * &most,
        ];
        for a in &near {
            for b in &near {
                let (x, y) = (Whole::long(a.clone()), Whole::long(b.clone()));
                assert_eq!((x.plus(&y).as_long(), x.times(&y).as_long()), (a + b, a * b));
                assert_eq!(x.minus(&y).map(|x| x.as_long()), (a >= b).then(|| a - b));
                assert_eq!(x.cmp(&y), a.cmp(b));
                let quotient = (*b != BigUint::ZERO).then(|| (a / b, a % b != BigUint::ZERO));
                assert_eq!(x.divided(&y).map(|(quotient, rest)| (quotient.as_long(), rest)), quotient);
            }
            let x = Whole::long(a.clone());
            assert_eq!(
                (x.bits(), x.is_zero(), x.next().as_long()),
                (a.bits(), *a == BigUint::ZERO, a + 1_u8)
            );
            for places in [0_u32, 1, 64, 127, 128, 129, 300] {
                assert_eq!(x.shifted(places).as_long(), a << places);
                let (cut, rest) = x.cut(places.into());
                assert_eq!((cut.as_long(), rest), (a >> places, (a >> places) << places != *a));
            }
            let (root, rest) = x.root();
            assert_eq!((root.as_long(), rest), (a.sqrt(), a.sqrt() * a.sqrt() != *a));
        }
    }
}
