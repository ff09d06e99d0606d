//! The budget split over any arithmetic.

use super::*;
use crate::proofs::{cover, harness};

/// A budget of whole units. Its shares are *any* numbers, right or wrong; only `covers` is honest.
#[derive(Clone, Copy)]
struct Units {
    count: u16,
    shares: [Option<u16>; 4],
}

/// Units travel through the trait's `f64` as its bits, so that no floating-point arithmetic takes part.
fn carried(count: u16) -> f64 {
    f64::from_bits(count.into())
}

impl TryFrom<f64> for Units {
    type Error = InvalidInput;
    fn try_from(value: f64) -> Result<Self, InvalidInput> {
        match u16::try_from(value.to_bits()) {
            Ok(count) if count > 0 => Ok(Self { count, shares: [None; 4] }),
            _ => Err(InvalidInput { field: "units", allowed: "more than 0" }),
        }
    }
}

impl Parameter for Units {
    fn share(self, parts: u32, _whole: u32) -> Option<f64> {
        self.shares[parts as usize % 4].map(carried)
    }

    fn covers(self, parts: &[Self]) -> bool {
        parts.iter().map(|part| u32::from(part.count)).sum::<u32>() <= u32::from(self.count)
    }

    fn compose(_parts: &[Self]) -> Result<Self, InvalidInput> {
        Self::try_from(0.0)
    }
}

harness! {
    /// spec: `own:budget-split`
    /// covers: ledger::split — within a bound
    ///
    /// Whatever the shares are computed to be, a split that is handed out has three positive shares that together
    /// spend at most the total; parts that are 0 or more than a million are refused. The sum of the parts does not
    /// overflow.
    ///
    /// assumes: nothing. bound: 16-bit units and parts below 2^21; the exact comparison of `f64` shares is
    /// `verify_at_most__shares`. solver: cadical.
    /// mutation: `shares are handed out unchecked`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_split__within_the_total(total: u16, shares: [Option<u16>; 4], parts: [u32; 3]) {
        let parts = parts.map(|part| part >> 11);
        let total = Units { count: total, shares };
        let shares = split(total, parts);
        cover!(shares.is_err());
        if let Ok(shares) = shares {
            let counts = shares.map(|share| share.count);
            cover!(counts.iter().map(|count| u32::from(*count)).sum::<u32>() == u32::from(total.count));
            assert!(counts.iter().all(|count| *count > 0));
            assert!(counts.iter().map(|count| u32::from(*count)).sum::<u32>() <= u32::from(total.count));
            assert!(parts.iter().all(|part| (1..=1_000_000).contains(part)));
        }
    }
}

harness! {
    /// spec: `own:budget-split`
    /// covers: ledger::Ledger::pure, ledger::Ledger::whole, ledger::Ledger::total, ledger::Ledger::shares,
    /// ledger::Ledger::converted, ledger::Ledger::promised — within a bound
    ///
    /// A ledger of pure shares exists exactly if the total covers them, and says total and shares as they were given;
    /// one share of all is the total. What is promised is the total, unless it is said what a person is promised.
    ///
    /// assumes: the comparison, which has harnesses of its own. bound: two shares, 4-bit whole numbers, a pure total
    /// (another is converted, with a logarithm). solver: cadical.
    /// mutation: `shares that are not compared with the total`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_ledger_pure__covered_or_refused(shares: (u8, u8), total: u8) {
        use crate::proofs::whole::number;
        let [a, b, t] = [shares.0 % 15 + 1, shares.1 % 15 + 1, total % 31 + 1];
        let (Ok(first), Ok(second)) = (Epsilon::new(number(a)), Epsilon::new(number(b))) else { return };
        let Ok(all) = Epsilon::new(number(t)) else { return };
        let total = Guarantee::Pure(all);
        let made = Ledger::pure(total, [("one", first), ("two", second)]);
        cover!(made.is_ok() && a + b == t);
        cover!(made.is_err());
        assert!(made.is_ok() == (a + b <= t));
        if let Ok(ledger) = made {
            assert!(ledger.total() == total && ledger.converted().is_none() && ledger.shares().len() == 2);
            assert!(ledger.promised() == total && ledger.shares()[0].guarantee == Guarantee::Pure(first));
            assert!(ledger.shares()[1].guarantee == Guarantee::Pure(second));
        }
        let whole = Ledger::whole(total, "all");
        assert!(whole.total() == total && whole.shares().len() == 1 && whole.shares()[0].guarantee == total);
        assert!(whole.promised() == total);
        let of_a_person = whole.of_a_person(Guarantee::Pure(first));
        assert!(of_a_person.total() == total && of_a_person.promised() == Guarantee::Pure(first));
    }
}
