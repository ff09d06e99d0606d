//! Budgets against whole numbers: every comparison, sum and share of `privacy` and `ledger` is judged here by exact
//! fractions of this file's own, and by nothing of the library.
//!
//! Sabotages that turn these red: `covers` true for what is one unit too much; `compose` rounded to
//! nearest; a share rounded to nearest; `Ledger::pure` that does not look.

use asap_dp::ledger::Ledger;
use asap_dp::noise::{RandomBits, ReplayRng};
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Parameter};
use num_bigint::BigUint;

/// x·2^1100, a whole number for every x ≥ 0 from 2⁻¹⁰⁰ on (and below it for the subnormal ones, too: 2⁻¹⁰⁷⁴ is 2^26).
fn whole(x: f64) -> BigUint {
    assert!(x.is_finite() && x >= 0.0);
    let bits = x.to_bits();
    let (fraction, biased) = (bits & ((1 << 52) - 1), bits >> 52);
    let (mantissa, exponent) = if biased == 0 { (fraction, 1) } else { (fraction | 1 << 52, biased) };
    // mantissa·2^(exponent − 1075).
    BigUint::from(mantissa) << (exponent + 25)
}

fn sum(parts: &[f64]) -> BigUint {
    parts.iter().map(|x| whole(*x)).sum()
}

fn sum_of_squares(parts: &[f64]) -> BigUint {
    parts.iter().map(|x| whole(*x).pow(2)).sum()
}

struct Numbers(ReplayRng);

impl Numbers {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly on a logarithmic scale.
    fn wide(&mut self) -> f64 {
        10_f64.powf(-9.0 + 12.0 * self.uniform())
    }
}

/// Totals within a few units of what the parts come to, on both sides.
#[test]
fn covering_is_decided_to_the_last_unit() {
    let mut numbers = Numbers(ReplayRng::new(1));
    let (mut covered, mut not) = (0, 0);
    for _ in 0..3000 {
        let count = 1 + (numbers.0.next_u64() % 5) as usize;
        let parts: Vec<f64> = (0..count).map(|_| numbers.wide()).collect();
        for gaussian in [false, true] {
            let about =
                if gaussian { parts.iter().map(|x| x * x).sum::<f64>().sqrt() } else { parts.iter().sum() };
            for units in -3..=3_i64 {
                let total = f64::from_bits(about.to_bits().wrapping_add_signed(units));
                let (said, exact) = if gaussian {
                    let all: Vec<Mu> = parts.iter().map(|x| Mu::new(*x).unwrap()).collect();
                    (Mu::new(total).unwrap().covers(&all), sum_of_squares(&parts) <= whole(total).pow(2))
                } else {
                    let all: Vec<Epsilon> = parts.iter().map(|x| Epsilon::new(*x).unwrap()).collect();
                    (Epsilon::new(total).unwrap().covers(&all), sum(&parts) <= whole(total))
                };
                assert_eq!(said, exact, "{parts:?} {total:e} {gaussian}");
                if exact { covered += 1 } else { not += 1 }
            }
        }
    }
    assert!(covered > 10_000 && not > 10_000, "{covered} {not}");
}

/// Never below the exact sum, and at most a few units above.
#[test]
fn composition_is_from_above_and_close() {
    let mut numbers = Numbers(ReplayRng::new(2));
    for _ in 0..3000 {
        let parts: Vec<f64> = (0..=numbers.0.next_u64() % 5).map(|_| numbers.wide()).collect();
        let pure: Vec<Epsilon> = parts.iter().map(|x| Epsilon::new(*x).unwrap()).collect();
        let total = Epsilon::compose(&pure).unwrap().get();
        assert!(whole(total) >= sum(&parts) && whole(total * (1.0 - 3e-15)) <= sum(&parts), "{parts:?}");
        let gaussian: Vec<Mu> = parts.iter().map(|x| Mu::new(*x).unwrap()).collect();
        let total = Mu::compose(&gaussian).unwrap().get();
        let squares = sum_of_squares(&parts);
        assert!(
            whole(total).pow(2) >= squares && whole(total * (1.0 - 3e-15)).pow(2) <= squares,
            "{parts:?}"
        );
        // Two at a time, as a ledger file adds them up.
        let two = Guarantee::Gaussian(gaussian[0]).compose(Guarantee::Gaussian(gaussian[0])).unwrap();
        assert!(whole(two.parameter()).pow(2) >= whole(parts[0]).pow(2) * 2_u8);
    }
}

/// Shares spend at most the total, exactly, and each is its part of it to the last few units.
#[test]
fn shares_are_parts_of_the_total() {
    let mut numbers = Numbers(ReplayRng::new(3));
    for _ in 0..3000 {
        let total = numbers.wide();
        let parts = [(); 3].map(|()| 1 + (numbers.0.next_u64() % 1000) as u32);
        let named = [("a", parts[0]), ("b", parts[1]), ("c", parts[2])];
        let all: u32 = parts.iter().sum();
        for gaussian in [false, true] {
            let budget = if gaussian {
                Guarantee::Gaussian(Mu::new(total).unwrap())
            } else {
                Guarantee::Pure(Epsilon::new(total).unwrap())
            };
            let (ledger, shares) = Ledger::split(budget, named).unwrap();
            let spent = shares.map(Guarantee::parameter);
            assert_eq!(ledger.shares().len(), 3);
            for ((share, part), entry) in spent.iter().zip(parts).zip(ledger.shares()) {
                assert_eq!(entry.guarantee.parameter().to_bits(), share.to_bits());
                // share·all ≤ part·total, or the same of squares: from below, by less than 10⁻¹⁴.
                let scaled = |share: f64| {
                    let power = if gaussian { 2 } else { 1 };
                    (whole(share).pow(power) * all, whole(total).pow(power) * part)
                };
                let (low, exact) = scaled(*share);
                assert!(low <= exact, "{total:e} {parts:?}");
                let (high, exact) = scaled(share * (1.0 + 1e-14));
                assert!(high >= exact, "{total:e} {parts:?}");
            }
            let within = if gaussian {
                sum_of_squares(&spent) <= whole(total).pow(2)
            } else {
                sum(&spent) <= whole(total)
            };
            assert!(within, "{total:e} {parts:?}");
        }
        // Shares that were chosen by somebody else: taken exactly if they fit.
        let about = total / 3.0;
        let chosen = [about, about.next_up(), total - 2.0 * about].map(|x| Epsilon::new(x).unwrap());
        let given = [("a", chosen[0]), ("b", chosen[1]), ("c", chosen[2])];
        let taken = Ledger::pure(Guarantee::Pure(Epsilon::new(total).unwrap()), given).is_ok();
        assert_eq!(taken, sum(&chosen.map(Epsilon::get)) <= whole(total), "{total:e}");
    }
}
