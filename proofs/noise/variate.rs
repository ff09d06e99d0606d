//! Variates as `f64`: rounded once, to nearest.

use super::*;
use crate::exact::decompose;
use crate::proofs::{Words, assume, cover, harness};

harness! {
    /// spec: `own:variates`
    /// covers: noise::variate::nearest — all inputs
    ///
    /// The `f64` is within half a unit in the last place of `digits / 2^places` *and* of the next multiple of
    /// 2^−places: no digit that was not drawn can bring the error above half a unit.
    ///
    /// assumes: enough digits. bound: at most 117 digits and any number of places from 0 to 1151, all that `rounded`
    /// can meet: it ends with at most 64 places more than 1087. solver: cadical.
    /// mutation: `a variate is rounded down`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_nearest__half_a_unit(digits: u128, shift: u8, places: u16) {
        let digits = (digits >> 11).checked_shr(shift.into()).unwrap_or(0);
        let places = u32::from(places % 1152);
        assume!(is_enough(digits, places));
        let rounded = nearest(digits, places);
        let Some((mantissa, exponent)) = decompose(rounded) else { panic!("finite and not negative") };
        // The unit in the last place, as a number of units of 2^−places: at least 2, so that its half is whole.
        let unit = exponent + places.cast_signed();
        cover!(mantissa == 0);
        cover!(exponent == -1074 && mantissa == 1);
        cover!(mantissa == 1 << 52 && unit == 65);
        assert!((1..=77).contains(&unit));
        let (value, half) = (u128::from(mantissa) << unit, 1_u128 << (unit - 1));
        assert!(value <= digits + half && digits < value + half);
    }
}

harness! {
    /// spec: `own:variates`
    /// covers: noise::variate::fill_normal — within a bound
    ///
    /// Every entry is a draw of its own, in order: none is kept, skipped or drawn for two.
    ///
    /// assumes: for Kani a draw is any number of 64 bits. bound: three entries; more are the
    /// same loop. solver: cadical.
    /// mutation: `one draw for all entries`
    [kani::proof, kani::unwind(5), kani::solver(cadical),
     kani::stub(crate::noise::variate::exact_normal_f64, next_number)]
    fn verify_fill_normal__each_its_own(words: [u64; 3]) {
        let (mut out, mut bits, mut again) = ([f64::NAN; 3], Words::new(words), Words::new(words));
        fill_normal(&mut out, &mut bits);
        let mut k = 0;
        while k < 3 {
            assert!(out[k].to_bits() == exact_normal_f64(&mut again).to_bits());
            k += 1;
        }
        cover!(out[0] < out[1]);
        assert!(bits.read == again.read);
    }
}

#[cfg(kani)]
fn next_number<R: RandomBits>(rng: &mut R) -> f64 {
    f64::from_bits(rng.next_u64())
}
