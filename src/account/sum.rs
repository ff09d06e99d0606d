//! Sums of f64, and of their squares, without any rounding.

use crate::exact::decompose;
use num_bigint::BigUint;

/// Binary places of the smallest f64.
const PLACES: u32 = 1074;

/// `units · 2^−places`. Only sums with the same places are compared.
#[derive(PartialEq, PartialOrd)]
pub(super) struct Sum {
    units: BigUint,
    places: u32,
}

impl Sum {
    /// The sum of some numbers ≥ 0; `None` if one of them is not.
    pub(super) fn of(numbers: &[f64]) -> Option<Self> {
        let units: Option<BigUint> = numbers.iter().copied().map(units).sum();
        Some(Self { units: units?, places: PLACES })
    }

    /// The sum of their squares.
    pub(super) fn of_squares(numbers: &[f64]) -> Option<Self> {
        let squares: Option<BigUint> = numbers.iter().map(|&x| units(x).map(|x| &x * &x)).sum();
        Some(Self { units: squares?, places: 2 * PLACES })
    }

    /// With another one.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self { units: &self.units + &other.units, places: self.places }
    }

    /// Without another one; `None` if that is larger.
    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        (self.units >= other.units).then(|| Self { units: &self.units - &other.units, places: self.places })
    }

    /// Its root, rounded down to 2^−128 of the smallest f64.
    pub(super) fn root(&self) -> Self {
        Self { units: (&self.units << 256_u32).sqrt(), places: self.places / 2 + 128 }
    }

    /// All of its digits.
    pub(super) fn decimal(&self) -> String {
        // n·2^−p = n·5^p/10^p.
        let places = self.places as usize;
        let digits = (&self.units * BigUint::from(5_u8).pow(self.places)).to_string();
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, parts) = digits.split_at(digits.len() - places);
        let parts = parts.trim_end_matches('0');
        if parts.is_empty() { whole.to_owned() } else { format!("{whole}.{parts}") }
    }

    /// The nearest f64.
    pub(super) fn nearest(&self) -> Option<f64> {
        self.decimal().parse().ok()
    }
}

/// x in units of 2^−1074.
fn units(x: f64) -> Option<BigUint> {
    let (mantissa, exponent) = decompose(x)?;
    let shift = u32::try_from(exponent + i32::try_from(PLACES).ok()?).ok()?;
    Some(BigUint::from(mantissa) << shift)
}
