//! The two logarithms that a budget may need, decided in whole numbers: sums of positive terms,
//! rounded to the safe side.
//!
//! Numbers are whole multiples of 2^−P. A series with positive terms, each rounded down and cut where its terms vanish,
//! is below its sum; with each term rounded up, and the rest added, it is above.

use crate::exact::{Exact, decompose};
use num_bigint::BigUint;

/// 1/√(2π), rounded down, in units of 10^−60.
const DENSITY_AT_0: &str = "398942280401432677939946059934381868475858631164934657665925";

/// The largest μ that is converted as it is; a larger one counts as this one, whose ε is about 53.
const LARGEST_MU: f64 = 20.0;

/// Whether `Λ·e^share ≥ Λ + β`, that is `ln(1 + β/Λ) ≤ share`.
pub(super) fn covers_logarithm(share: f64, smoothness: &Exact, regulariser: &Exact) -> bool {
    // A larger share covers whatever this one does; the sum must end.
    let Some(share) = Fixed::new(capped(share, 1000.0)) else { return false };
    let grown = Exact::scaled(share.exponential_below().into(), share.exponent());
    regulariser + smoothness <= grown * regulariser
}

/// Whether every ε-DP mechanism is μ-GDP: `e^ε ≤ Φ(μ/2)/Φ(−μ/2)`.
///
/// With `q = Φ(μ/2) − ½ = φ(x)·(x + x³/3 + x⁵/(3·5) + …)`, `x = μ/2`, it reads `e^ε·(½ − q) ≤ ½ + q`. The right side
/// grows with q and the left one falls, so that a lower bound of q decides. φ(x) is `1/√(2π)` over `e^(x²/2)`.
pub(crate) fn converts(mu: f64, epsilon: f64) -> bool {
    let Some((mu, epsilon)) = Fixed::new(capped(mu, LARGEST_MU)).zip(Fixed::new(epsilon)) else {
        return false;
    };
    if mu.value == BigUint::ZERO || epsilon.value > (BigUint::from(100_u8) << epsilon.places) {
        return false;
    }
    let places = mu.places.max(epsilon.places);
    let (mu, epsilon) = (mu.at(places), epsilon.at(places));
    let one = BigUint::from(1_u8) << places;
    let square = &mu.value * &mu.value;
    let (mut term, mut series, mut odd) = (&mu.value >> 1_u8, BigUint::ZERO, 1_u32);
    while term > BigUint::ZERO {
        series += &term;
        odd += 2;
        // x² is μ²/4.
        term = ((term * &square) >> (2 * places + 2)) / odd;
    }
    let half_square = Fixed { value: (square >> (places + 3)) + 1_u8, places };
    let density: BigUint = DENSITY_AT_0.parse().unwrap_or_default();
    let scaled: BigUint = series * density / BigUint::from(10_u8).pow(60);
    let q = (scaled << places) / half_square.exponential_above();
    let half = &one >> 1_u8;
    // A lower bound of q that is not below ½ would be none.
    q < half && epsilon.exponential_above() * (&half - &q) <= (&half + &q) << places
}

/// The smaller of the two; what is not a finite number stays that.
fn capped(x: f64, most: f64) -> f64 {
    if x > most && x.is_finite() { most } else { x }
}

/// A number that is not negative, as a multiple of 2^−places.
struct Fixed {
    value: BigUint,
    places: u64,
}

impl Fixed {
    /// The value of x, exactly.
    fn new(x: f64) -> Option<Self> {
        let (mantissa, exponent) = decompose(x)?;
        // Small numbers get more places; those of an f64 are always enough to hold it.
        let places = 256 + 2 * u64::from(exponent.min(0).unsigned_abs());
        let shift = i64::try_from(places).ok()? + i64::from(exponent);
        Some(Self { value: BigUint::from(mantissa) << u64::try_from(shift).ok()?, places })
    }

    /// The same number with more places.
    fn at(self, places: u64) -> Self {
        Self { value: self.value << (places - self.places), places }
    }

    fn exponent(&self) -> i32 {
        i32::try_from(self.places).map_or(i32::MIN, |places| -places)
    }

    /// Not above e^x.
    fn exponential_below(&self) -> BigUint {
        let (mut term, mut sum, mut k) = (BigUint::from(1_u8) << self.places, BigUint::ZERO, 0_u32);
        while term > BigUint::ZERO {
            sum += &term;
            k += 1;
            term = ((term * &self.value) >> self.places) / k;
        }
        sum
    }

    /// Not below e^x.
    fn exponential_above(&self) -> BigUint {
        let (mut term, mut sum, mut k) = (BigUint::from(1_u8) << self.places, BigUint::ZERO, 0_u32);
        // Where the terms at least halve, the rest is not more than the last of them.
        let halving = (&self.value >> self.places) * 2_u8 + 2_u8;
        while term > BigUint::from(2_u8) || BigUint::from(k) < halving {
            sum += &term;
            k += 1;
            term = ((term * &self.value) >> self.places) / k + 2_u8;
        }
        sum + term * 2_u8 + 4_u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 50 digits by another program: (μ, ε).
    const PAIRS: [(f64, f64); 7] = [
        (1.25331413731550025e-9, 1e-9),
        (0.0125331189596498386, 0.01),
        (0.623892592098508192, 0.5),
        (1.23203538534490097, 1.0),
        (2.35796148564724971, 2.0),
        (7.82791439362186654, 10.0),
        (19.349650567224713, 50.0),
    ];

    #[test]
    fn conversions_are_decided_to_one_part_in_a_million_million() {
        for (mu, epsilon) in PAIRS {
            assert!(converts(mu, epsilon * (1.0 - 1e-12)), "{mu}");
            assert!(!converts(mu, epsilon * (1.0 + 1e-12)), "{mu}");
            assert!(converts(mu * (1.0 + 1e-12), epsilon) && !converts(mu * (1.0 - 1e-12), epsilon), "{mu}");
        }
        // μ = 1: ln(0.691462461274013/0.308537538725987).
        assert!(converts(1.0, 0.806965) && !converts(1.0, 0.806966));
        // As μ = 20.
        assert!(converts(1e300, 53.0) && !converts(1e300, 54.0) && !converts(1e300, 1e300));
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(!converts(bad, 0.1) && !converts(1.0, bad));
        }
        assert!(!converts(0.0, 1e-300) && !converts(1e-300, 1e-299));
    }

    /// mpmath, 200 digits: ⌊2^256·e^x⌋. Less than a unit for each term is lost below, about two are added above.
    #[test]
    fn exponentials_are_enclosed_to_the_last_places() {
        for (halves, digits, most) in [
            (0_u32, "10000000000000000000000000000000000000000000000000000000000000000", 12_u32),
            (1, "1a61298e1e069bc972dfefab6df33f9b1f651f16c130b4759c44bfc906367f2cc", 90),
            (2, "2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef", 105),
            (6, "1415e5bf6fb105f2d4bdfc53744c3a390585839728aa90a12389790c837e6ff2a6", 175),
        ] {
            let exact = BigUint::parse_bytes(digits.as_bytes(), 16).unwrap();
            let x = Fixed { value: BigUint::from(halves) << 255_u32, places: 256 };
            let (below, above) = (x.exponential_below(), x.exponential_above());
            assert!(below <= exact && exact <= below + 60_u8, "{halves}");
            assert!(exact < above && above <= exact + most, "{halves}");
        }
    }

    #[test]
    fn logarithms_are_decided_to_one_part_in_a_million_million() {
        let covers = |share, smoothness, regulariser| {
            covers_logarithm(share, &Exact::of(smoothness), &Exact::of(regulariser))
        };
        for (smoothness, regulariser, share) in [
            (0.25, 5.0, 0.048790164169432003),
            (3.0, 3.0, core::f64::consts::LN_2),
            (1e-9, 1.0, 9.9999999950000000033e-10),
            (1e6, 1e-3, 20.72326583794641125),
        ] {
            assert!(covers(share * (1.0 + 1e-12), smoothness, regulariser), "{share}");
            assert!(!covers(share * (1.0 - 1e-12), smoothness, regulariser), "{share}");
        }
        assert!(!covers(f64::NAN, 1.0, 1.0) && !covers(1.0, f64::NAN, 1.0) && !covers(1.0, 1.0, f64::NAN));
        assert!(covers(1e-300, 1e-301, 1.0) && !covers(1e-301, 1e-300, 1.0));
        // Nothing covers nothing: e⁰ is 1 exactly.
        assert!(covers(0.0, 0.0, 1.0));
    }
}
