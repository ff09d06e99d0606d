//! Privacy parameters: what they may be, and how they add up.

use super::*;
use crate::proofs::whole::number;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `defn:dp`, `def:gdp`
    /// covers: privacy::Epsilon::new, privacy::Mu::new, privacy::Epsilon::get, privacy::Mu::get,
    /// input::InvalidInput::positive — all inputs
    ///
    /// A budget is a finite number greater than 0 and keeps its value; everything else is refused, NaN included.
    ///
    /// assumes: nothing. bound: none, all f64. solver: cadical.
    /// mutation: `an infinite budget`
    [kani::proof, kani::unwind(4), kani::solver(cadical)]
    fn verify_new__finite_and_positive(value: f64) {
        let [epsilon, mu] = [Epsilon::new(value).map(Epsilon::get), Mu::new(value).map(Mu::get)];
        cover!(epsilon.is_ok());
        cover!(epsilon.is_err() && value > 0.0);
        let expected = value > 0.0 && value <= f64::MAX;
        for outcome in [epsilon, mu] {
            assert!(outcome.is_ok() == expected);
            assert!(outcome.is_err() || outcome.is_ok_and(|kept| kept.to_bits() == value.to_bits()));
        }
    }
}

harness! {
    /// spec: `lem:adaptive_composition`
    /// covers: privacy::Epsilon::compose, privacy::Parameter::compose — within a bound
    ///
    /// The composition of three ε is not below their sum, whatever sums are returned on the upper side.
    ///
    /// assumes: the promise of `add_up`. bound: 3-bit whole numbers, 6-bit sums; one more part is one more step of the
    /// same fold. solver: cadical.
    /// mutation: `the largest part instead of the sum`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_compose__pure(parts: (u8, u8, u8)) {
        let [a, b, c] = [parts.0, parts.1, parts.2].map(|x| number(x % 7 + 1));
        let total = <Epsilon as Parameter>::compose(&[Epsilon(a), Epsilon(b), Epsilon(c)]);
        cover!(total.is_ok());
        cover!(total.is_err());
        assert!(total.is_err() || total.is_ok_and(|total| at_most(&[&[a], &[b], &[c]], &[&[total.0]])));
    }
}

harness! {
    /// spec: `lem:adaptive_composition`
    /// covers: privacy::Mu::compose — within a bound
    ///
    /// The square of the composition of two μ is not below the sum of their squares, whatever numbers the directed
    /// operations return on the upper side.
    ///
    /// assumes: the promises of the directed operations. bound: 2-bit whole numbers, 6-bit intermediate ones; one more
    /// part is one more step of the same fold. solver: cadical.
    /// mutation: `a root that was not taken of the whole sum`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_compose__gaussian(parts: (u8, u8)) {
        let [a, b] = [parts.0, parts.1].map(|x| number(x % 3 + 1));
        let total = <Mu as Parameter>::compose(&[Mu(a), Mu(b)]);
        cover!(total.is_ok());
        assert!(total.is_err() || total.is_ok_and(|total| at_most(&[&[a, a], &[b, b]], &[&[total.0; 2]])));
    }
}

harness! {
    /// spec: `own:budget-split`
    /// covers: privacy::Epsilon::share, privacy::Parameter::share — within a bound
    ///
    /// A share of ε is at most its part: share·whole ≤ ε·parts. Shares whose parts add up to the whole therefore
    /// spend at most the total.
    ///
    /// assumes: the promises of the directed operations. bound: 2-bit parts, 4-bit ε, 6-bit intermediate whole numbers.
    /// solver: cadical.
    /// mutation: `a share that is rounded up`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_share__at_most_its_part(epsilon: u8, parts: u8, others: u8) {
        let (parts, others) = (u32::from(parts % 3 + 1), u32::from(others % 4));
        let (epsilon, whole) = (number(epsilon % 16), parts + others);
        let share = Epsilon(epsilon).share(parts, whole);
        cover!(share.is_some() && others > 0);
        if let Some(share) = share {
            assert!(at_most(&[&[share, whole.into()]], &[&[epsilon, parts.into()]]));
        }
    }
}

harness! {
    /// spec: `lem:adaptive_composition`, `own:budget-split`
    /// covers: privacy::Parameter::covers, privacy::Epsilon::covers, privacy::Mu::covers — within a bound
    ///
    /// A budget covers parts exactly if they, or for μ their squares, add up to at most the budget, or its square.
    ///
    /// assumes: the comparison, which has harnesses of its own. bound: two parts, 4-bit whole numbers. solver: cadical.
    /// mutation: `parts of a μ add up like those of an ε`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_covers__exactly(parts: (u8, u8), total: u8) {
        let [a, b, t] = [parts.0, parts.1, total].map(|x| x % 16);
        let [x, y, z] = [a, b, t].map(number);
        let epsilon = Epsilon(z).covers(&[Epsilon(x), Epsilon(y)]);
        let mu = Mu(z).covers(&[Mu(x), Mu(y)]);
        let [a, b, t] = [a, b, t].map(u32::from);
        cover!(epsilon && a + b == t && t > 1);
        cover!(mu && !epsilon);
        assert!(epsilon == (a + b <= t) && mu == (a * a + b * b <= t * t));
    }
}

harness! {
    /// spec: `defn:dp`, `def:gdp`
    /// covers: privacy::Guarantee::parameter, privacy::Guarantee::as_pure,
    /// asap_contracts::schema::Neighbours::changed_losses — within a bound
    ///
    /// A guarantee says its number, a pure one is itself, and neighbours differ in one loss or in two.
    ///
    /// assumes: a budget. bound: as a pure guarantee one that is pure (another is converted, with a logarithm);
    /// all f64. solver: cadical.
    /// mutation: `a replaced record counts once`
    [kani::proof, kani::unwind(4), kani::solver(cadical)]
    fn verify_guarantee__its_number(value: f64) {
        let (epsilon, mu) = (Epsilon::try_from(value), Mu::try_from(value));
        crate::proofs::assume!(epsilon.is_ok() && mu.is_ok());
        let (Ok(epsilon), Ok(mu)) = (epsilon, mu) else { return };
        let bits = value.to_bits();
        cover!(value < 1.0);
        assert!(f64::from(epsilon).to_bits() == bits && f64::from(mu).to_bits() == bits);
        let (pure, gaussian) = (Guarantee::Pure(epsilon), Guarantee::Gaussian(mu));
        assert!(pure.parameter().to_bits() == bits && gaussian.parameter().to_bits() == bits);
        assert!(pure.as_pure().is_ok_and(|same| same.get().to_bits() == bits));
        assert!(Neighbours::AddRemove.changed_losses() == 1 && Neighbours::ReplaceOne.changed_losses() == 2);
    }
}

harness! {
    /// spec: `own:persons`
    /// covers: privacy::Guarantee::divided_by — within a bound
    ///
    /// What one of k rows may spend is of the kind of what a person is promised, and k times it is at most
    /// that; one row has all of it.
    ///
    /// assumes: the promises of the directed operations. bound: 2-bit k, 4-bit guarantees, 6-bit intermediate whole
    /// numbers. solver: cadical.
    /// mutation: `a person has a row less`
    [kani::proof, kani::unwind(9), kani::solver(cadical)] on whole numbers
    fn verify_divided_by__rows_together(promised: u8, rows: u8, pure: bool) {
        let (promised, rows) = (number(promised % 15 + 1), rows % 4);
        let whole = if pure { Guarantee::Pure(Epsilon(promised)) } else { Guarantee::Gaussian(Mu(promised)) };
        let row = whole.divided_by(rows.into());
        cover!(row.is_ok() && rows > 1);
        cover!(row.is_err() && rows > 0);
        if let Ok(row) = row {
            assert!(matches!(row, Guarantee::Pure(_)) == pure && row.parameter() > 0.0);
            assert!(at_most(&[&[row.parameter(), rows.into()]], &[&[promised]]));
            assert!(rows != 1 || row == whole);
        }
    }
}
