//! Levels as numbers: one of them is 1, or none.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:schema`
    /// covers: data::encode::mark — within a bound
    ///
    /// Of the numbers of a column of levels exactly the one of its level is 1 and all others are 0, whatever stood
    /// there; a cell that is none of them has none. Numbers of other columns are as they were, and a column that is not
    /// in the row changes nothing.
    ///
    /// assumes: nothing. bound: rows of 5 numbers, columns of up to 7 levels anywhere; the source does
    /// the same in a longer row.
    /// solver: cadical.
    /// mutation: `a level of the record before stays`
    [kani::proof, kani::unwind(8), kani::solver(cadical)]
    fn verify_mark__one_or_none(bits: [u16; 5], first: u8, count: u8, place: Option<u8>) {
        let before = bits.map(|bits| f64::from_bits(bits.into()));
        let (first, count) = (usize::from(first % 8), usize::from(count % 8));
        let place = place.map(usize::from);
        let mut row = before;
        mark(&mut row, first, count, place);
        let fits = first + count <= 5;
        let mut ones = 0_u8;
        let mut k = 0;
        while k < 5 {
            if fits && (first..first + count).contains(&k) {
                let is_level = place.is_some_and(|place| first + place == k);
                assert!(row[k].to_bits() == if is_level { 1.0_f64.to_bits() } else { 0 });
                ones += u8::from(is_level);
            } else {
                assert!(row[k].to_bits() == before[k].to_bits());
            }
            k += 1;
        }
        cover!(ones == 1 && count == 4);
        cover!(!fits && count > 0);
        assert!(ones == u8::from(fits && place.is_some_and(|place| place < count)));
    }
}

harness! {
    /// spec: `own:schema`
    /// covers: data::encode::Meaning::of — all inputs
    ///
    /// A number of a column without a range is itself, a missing one is what stands for it; what is missing without
    /// that, or not finite, is refused.
    ///
    /// assumes: no range (a scaled number is tested). bound: none, all `f64`. solver: cadical.
    /// mutation: `infinite cells are numbers`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_meaning__itself_or_refused(cell: Option<f64>, missing: Option<f64>, refuse: bool, odd: u8) {
        // Infinities are frequent in a test.
        let cell = if odd.is_multiple_of(4) { Some(f64::INFINITY) } else { cell };
        let outcome = Meaning { missing, scaling: None }.of(cell, refuse);
        let number = match (cell, missing) {
            (Some(number), _) | (None, Some(number)) => Some(number),
            (None, None) => None,
        };
        cover!(outcome.is_ok() && cell.is_none());
        cover!(outcome == Err(Refusal::NotANumber));
        match number {
            None => assert!(outcome == Err(Refusal::Missing)),
            Some(number) if number.is_nan() || number.is_infinite() => assert!(outcome == Err(Refusal::NotANumber)),
            Some(number) => assert!(outcome.is_ok_and(|kept| kept.to_bits() == number.to_bits())),
        }
    }
}
