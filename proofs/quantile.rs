//! A private quantile: its slope, its costs, their sensitivity.

use super::*;
use crate::exact::decompose;
use crate::proofs::{assume, cover, harness};

harness! {
    /// spec: `own:quantile`
    /// covers: quantile::Slope::new — all inputs
    ///
    /// The slope is units/per with units = ⌊ε·2^32⌋ for an ε below 2^20 and 2^52 from there on, and per = 2^33 times
    /// the sensitivity: never above ε over twice the sensitivity. An ε below one unit, and no other, is refused.
    ///
    /// assumes: a budget. bound: none, all `f64`, all sensitivities that there are. solver: cadical.
    /// mutation: `half of the sensitivity`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_slope_new__rounded_down(bits: u64, sensitivity: u32, near: bool) {
        // Half of the budgets of a test are from 2^−34 to 2^29.
        let bits = if near { (989 + (bits >> 58)) << 52 | bits & ((1 << 52) - 1) } else { bits };
        let epsilon = f64::from_bits(bits);
        let most = u64::from(PARTS) * MOST_ROWS_PER_PERSON;
        let budget = Epsilon::new(epsilon);
        assume!(budget.is_ok());
        let (Ok(budget), Some(parts)) = (budget, NonZeroU64::new(u64::from(sensitivity) % most + 1)) else { return };
        let slope = Slope::new(budget, parts);
        let Some((mantissa, exponent)) = decompose(epsilon) else { panic!("a budget is a number") };
        let places = exponent + 32;
        let units = if epsilon >= 1_048_576.0 {
            1 << 52
        } else {
            // Below 2^20 the exponent is at most −33.
            mantissa.checked_shr(places.unsigned_abs()).unwrap_or(0)
        };
        cover!(slope.is_err());
        cover!(slope.is_ok_and(|slope| slope.units == (1 << 52) - 1));
        assert!(slope.is_ok() == (units > 0));
        let Ok(slope) = slope else { return };
        assert!(slope.units == units && u128::from(slope.per.get()) == u128::from(parts.get()) << 33);
    }
}

harness! {
    /// spec: `own:quantile`
    /// covers: quantile::Quantile::costs — within a bound
    ///
    /// A candidate costs |10⁶·(values not above it) − a·(all values)|, counted one value at a time.
    ///
    /// assumes: candidates in order, values that are numbers. bound: two candidates and two values, all `f64`, all a;
    /// more values are more rounds of the same loop. solver: cadical.
    /// mutation: `a value on a candidate is above it`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_costs__of_its_definition(candidates: (f64, f64), values: (f64, f64), part: u32, equal: bool) {
        let part = part % (PARTS - 1) + 1;
        // A value that is a candidate is frequent in a test.
        let values = [if equal { candidates.1 } else { values.0 }, values.1];
        let candidates = [candidates.0, candidates.1];
        assume!(candidates[0] < candidates[1] && !values.iter().any(|value| value.is_nan()));
        let costs = Quantile { candidates: candidates.to_vec(), part }.costs(&values);
        let mut k = 0;
        while k < 2 {
            let below = u64::from(values[0] <= candidates[k]) + u64::from(values[1] <= candidates[k]);
            let (counted, all) = (below * u64::from(PARTS), 2 * u64::from(part));
            let cost = counted.abs_diff(all);
            cover!(cost == 0);
            assert!(costs[k] == cost);
            k += 1;
        }
        assert!(costs.len() == 2);
    }
}

harness! {
    /// spec: `own:quantile`
    /// covers: quantile::Quantile::sensitivity — within a bound
    ///
    /// A cost is the size of a whole number: PARTS for each value that is not above a candidate, less `part` for each
    /// value. One value more moves it by at most the sensitivity, whatever it was, and so does one value in place of
    /// another under the other relation; some cost is moved by just as much.
    ///
    /// assumes: nothing. bound: numbers of 60 bits, all a; what the source has is shorter. solver: cadical.
    /// mutation: `the smaller of the two sides`
    [kani::proof, kani::unwind(4), kani::solver(cadical)]
    fn verify_sensitivity__covers_one_value(part: u32, before: i64, side: bool) {
        let part = part % (PARTS - 1) + 1;
        let before = before >> 4;
        let quantile = Quantile { candidates: Vec::new(), part };
        let [of_one, of_all] = [PARTS, part].map(i64::from);
        let after = before + if side { of_one - of_all } else { -of_all };
        let added = before.unsigned_abs().abs_diff(after.unsigned_abs());
        let most = quantile.sensitivity(Neighbours::AddRemove).get();
        cover!(added == most);
        assert!(added <= most && (most == u64::from(part) || most == u64::from(PARTS - part)));
        let replaced = before.unsigned_abs().abs_diff((before + of_one).unsigned_abs());
        let most = quantile.sensitivity(Neighbours::ReplaceOne).get();
        cover!(replaced == most);
        assert!(replaced <= most && most == u64::from(PARTS));
    }
}
