//! The budget of a mechanism: named shares of ε (their sum) or μ (root of the sum of squares) that never spend more
//! than the total. spec: `own:budget-split`

use crate::input::InvalidInput;
use crate::privacy::{Epsilon, Guarantee, Parameter};

/// One named share of a budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// What it is spent on.
    pub name: &'static str,
    /// What it may spend.
    pub guarantee: Guarantee,
}

/// The budget of a record and its shares. The sum (of squares, for μ) was compared with the total in exact arithmetic.
/// spec: `own:budget-split`
///
/// ```
/// use asap_dp::ledger::Ledger;
/// use asap_dp::privacy::{Epsilon, Guarantee};
/// let total = Guarantee::Pure(Epsilon::new(1.0)?);
/// let (ledger, [first, second]) = Ledger::split(total, [("first", 1), ("second", 3)])?;
/// assert!(first.parameter() <= 0.25 && second.parameter() <= 0.75);
/// assert_eq!(ledger.shares()[1].name, "second");
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    total: Guarantee,
    /// The ε that the shares are shares of, where the total is a μ that was converted.
    pure: Option<Epsilon>,
    shares: Vec<Share>,
    /// What is promised: to a person, where several rows may be about one.
    promised: Guarantee,
}

impl Ledger {
    /// The whole budget in one share.
    #[must_use]
    pub fn whole(total: Guarantee, name: &'static str) -> Self {
        Self { total, pure: None, shares: vec![Share { name, guarantee: total }], promised: total }
    }

    /// Splits a budget in proportion to whole numbers: of ε, or of μ². The shares come back in the order of the parts.
    pub fn split<const N: usize>(
        total: Guarantee,
        parts: [(&'static str, u32); N],
    ) -> Result<(Self, [Guarantee; N]), InvalidInput> {
        let weights = parts.map(|(_, weight)| weight);
        let guarantees = match total {
            Guarantee::Pure(epsilon) => split(epsilon, weights)?.map(Guarantee::Pure),
            Guarantee::Gaussian(mu) => split(mu, weights)?.map(Guarantee::Gaussian),
        };
        let named = parts.iter().zip(guarantees);
        let shares = named.map(|(&(name, _), guarantee)| Share { name, guarantee }).collect();
        Ok((Self { total, pure: None, shares, promised: total }, guarantees))
    }

    /// Shares of ε for a purely private mechanism, under a total of either kind: a μ is converted first, and the ledger
    /// says so. Refused if the shares spend more, decided exactly. spec: `own:budget-split`, `lem:convert_pure_G_DP`
    ///
    /// ```
    /// use asap_dp::ledger::Ledger;
    /// use asap_dp::privacy::{Epsilon, Guarantee, Mu};
    /// let total = Guarantee::Gaussian(Mu::new(1.0)?);
    /// let ledger = Ledger::pure(total, [("all", Epsilon::new(0.8)?)])?;
    /// assert!(ledger.converted().is_some_and(|epsilon| epsilon.get() > 0.8069));
    /// assert!(Ledger::pure(total, [("all", Epsilon::new(0.9)?)]).is_err());
    /// # Ok::<(), asap_dp::Error>(())
    /// ```
    pub fn pure<const N: usize>(
        total: Guarantee,
        shares: [(&'static str, Epsilon); N],
    ) -> Result<Self, InvalidInput> {
        let epsilon = total.as_pure()?;
        if !epsilon.covers(&shares.map(|(_, share)| share)) {
            let allowed = "parts that together spend at most the total";
            return Err(InvalidInput { field: "budget shares", allowed });
        }
        let pure = matches!(total, Guarantee::Gaussian(_)).then_some(epsilon);
        let named = shares.into_iter();
        let shares = named.map(|(name, share)| Share { name, guarantee: Guarantee::Pure(share) }).collect();
        Ok(Self { total, pure, shares, promised: total })
    }

    /// The ε that the shares are shares of, where the total is a μ that was converted. spec: `lem:convert_pure_G_DP`
    pub fn converted(&self) -> Option<Epsilon> {
        self.pure
    }

    /// The same, if it is the part of one row in what a person is promised. spec: `own:persons`
    pub(crate) fn of_a_person(self, promised: Guarantee) -> Self {
        Self { promised, ..self }
    }

    /// What one record may spend in total.
    pub fn total(&self) -> Guarantee {
        self.total
    }

    /// What is promised: to a person, or else to a record.
    pub fn promised(&self) -> Guarantee {
        self.promised
    }

    /// The shares, in the order in which they were asked for.
    pub fn shares(&self) -> &[Share] {
        &self.shares
    }
}

/// Splits `total` in proportion to the parts; hands out only what the total covers.
fn split<P: Parameter, const N: usize>(total: P, parts: [u32; N]) -> Result<[P; N], InvalidInput> {
    let refused = InvalidInput {
        field: "budget shares",
        allowed: "whole numbers from 1 to 1000000, at most 1000 of them, and a total that is large enough to split",
    };
    if N > 1000 || parts.iter().any(|part| !(1..=1_000_000).contains(part)) {
        return Err(refused);
    }
    let whole = parts.iter().sum();
    let mut shares = [total; N];
    for (share, part) in shares.iter_mut().zip(parts) {
        *share = P::try_from(total.share(part, whole).ok_or(refused)?)?;
    }
    // Each share is rounded down, so this holds; it is checked all the same, exactly.
    if total.covers(&shares) { Ok(shares) } else { Err(refused) }
}

#[cfg(any(kani, test))]
#[path = "../proofs/ledger.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Epsilon, Mu};
    use quickcheck::quickcheck;

    fn epsilon(value: f64) -> Epsilon {
        Epsilon::new(value).unwrap()
    }

    fn mu(value: f64) -> Mu {
        Mu::new(value).unwrap()
    }

    #[test]
    fn splits_of_hand_picked_budgets() {
        let [localise, _, asap] = split(epsilon(1.0), [49, 49, 2]).unwrap();
        assert!((asap.get() - 0.02).abs() < 1e-16 && (localise.get() - 0.49).abs() < 1e-15);
        let [localise, posterior, asap] = split(mu(1.0), [5, 94, 1]).unwrap();
        // √0.05, √0.94, √0.01
        assert!((localise.get() - 0.223_606_797_749_979).abs() < 1e-14);
        assert!((posterior.get() - 0.969_535_971_483_266).abs() < 1e-14);
        assert!((asap.get() - 0.1).abs() < 1e-15);
        assert!(split(epsilon(1.0), [1, 0, 1]).is_err());
        assert!(split(epsilon(f64::from_bits(2)), [1, 1, 1]).is_err(), "no share may vanish");
        assert!(split(epsilon(1.0), [1; 1001]).is_err());
        // The limits themselves are allowed.
        assert!(split(epsilon(1.0), [1; 1000]).is_ok() && split(epsilon(1.0), [1, 1_000_000]).is_ok());
        assert!(split(epsilon(1.0), [1, 1_000_001]).is_err());
    }

    /// μ = 1 is ε = ln(Φ(½)/Φ(−½)) = 0.80696…
    #[test]
    fn a_pure_ledger_says_what_it_converted() {
        let total = Guarantee::Gaussian(mu(1.0));
        let shares = |last| [("a", epsilon(0.5)), ("b", epsilon(last))];
        let ledger = Ledger::pure(total, shares(0.3069)).unwrap();
        assert!((ledger.converted().unwrap().get() - 0.806_965_3).abs() < 1e-7);
        assert!(Ledger::pure(total, shares(0.307)).is_err());
        let names: Vec<&str> = ledger.shares().iter().map(|share| share.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(ledger.promised(), total);
        let ledger = Ledger::pure(Guarantee::Pure(epsilon(1.0)), shares(0.5)).unwrap();
        assert_eq!(ledger.converted(), None);
        let of_a_person = ledger.of_a_person(Guarantee::Pure(epsilon(3.0)));
        assert_eq!((of_a_person.promised().parameter(), of_a_person.total().parameter()), (3.0, 1.0));
    }

    #[test]
    fn shares_keep_their_names_and_their_order() {
        let total = Guarantee::Gaussian(mu(2.0));
        let (ledger, [a, b]) = Ledger::split(total, [("a", 1), ("b", 3)]).unwrap();
        assert_eq!(ledger.total(), total);
        let shares = [Share { name: "a", guarantee: a }, Share { name: "b", guarantee: b }];
        assert_eq!(ledger.shares(), shares);
        // √(4/4) and √(4·3/4).
        assert!((a.parameter() - 1.0).abs() < 1e-15 && (b.parameter() - 3.0_f64.sqrt()).abs() < 1e-15);
        assert_eq!(Ledger::whole(total, "all").shares(), [Share { name: "all", guarantee: total }]);
    }

    quickcheck! {
        fn splits_never_exceed_the_total(bits: u64, a: u32, b: u32, c: u32) -> bool {
            let total = f64::from_bits(bits).abs();
            let parts = [a, b, c].map(|part| part % 1000 + 1);
            fn exceeds<P: Parameter>(total: Result<P, InvalidInput>, parts: [u32; 3]) -> bool {
                total.is_ok_and(|total| split(total, parts).is_ok_and(|shares| !total.covers(&shares)))
            }
            !exceeds(Epsilon::new(total), parts) && !exceeds(Mu::new(total), parts)
        }
    }
}
