//! The directed operations of `exact`, on whole numbers: what stands for big integers where a contract is proved.
//!
//! A contract needs of `add_up`, `div_down`, … only what they promise: a number on the right side of the exact result,
//! or none. Here each returns *any* such number (Kani looks at all of them), or none. That the operations of `exact`
//! keep the promise is shown by harnesses of their own (`verify_directed__…`), for any estimate and any comparison.

/// A number of a property. For Kani the whole number is the bits of an `f64`, so that no conversion takes part: as
/// an `f64` it is that many times the smallest one, and sums, differences, doubling, order, `next_up` and `next_down`
/// are those of whole numbers. A test gets the number itself.
pub(crate) fn number(whole: u8) -> f64 {
    if cfg!(kani) { f64::from_bits(whole.into()) } else { whole.into() }
}

/// `mantissa · 2^(exponent − 2)`, the exponent modulo 4. For Kani mantissa and exponent are the bits of an `f64`, from
/// which [`decompose_scaled`] takes them; a test gets the number itself.
pub(crate) fn scaled(mantissa: u16, exponent: u8) -> f64 {
    let exponent = exponent % 4;
    if cfg!(kani) {
        f64::from_bits(u64::from(exponent) << 16 | u64::from(mantissa))
    } else {
        f64::from(mantissa) * f64::from(1_u8 << exponent) / 4.0
    }
}

#[cfg(kani)]
pub(crate) use stubs::*;

#[cfg(kani)]
mod stubs {
    use core::f64::consts::LN_2;

    /// Products are counted in units of 2^−PLACES.
    const PLACES: u32 = 2;

    /// The number that an `f64` stands for, in halves if it is ½. The constants of the sources are themselves; ln 2
    /// rounded down and up is 1 and 2, of which only the order matters.
    fn value(x: f64) -> Option<(u64, u32)> {
        let bits = x.to_bits();
        if bits < 1 << 16 {
            return Some((bits, 0));
        }
        if bits == LN_2.to_bits() {
            return Some((1, 0));
        }
        if bits == LN_2.next_up().to_bits() {
            return Some((2, 0));
        }
        if bits == 0.5_f64.to_bits() {
            return Some((1, 1));
        }
        // A whole number below 2^48 as an `f64`: a dimension, or a constant.
        let above = (bits >> 52).wrapping_sub(1023);
        if above >= 48 {
            return None;
        }
        let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
        let whole = mantissa >> (52 - above);
        (whole << (52 - above) == mantissa).then_some((whole, 0))
    }

    /// The product of some numbers in units.
    fn product(factors: &[f64]) -> Option<u64> {
        let (mut product, mut halves, mut k) = (1_u64, 0, 0);
        while k < factors.len() {
            let (whole, half) = value(factors[k])?;
            // At most 7 factors of 8 bits, or one of 48 and one of 8: no overflow.
            product = product.wrapping_mul(whole);
            halves += half;
            k += 1;
        }
        Some(product << (PLACES - halves))
    }

    fn sum(terms: &[&[f64]]) -> Option<u64> {
        let (mut sum, mut k) = (0_u64, 0);
        while k < terms.len() {
            sum = sum.wrapping_add(product(terms[k])?);
            k += 1;
        }
        Some(sum)
    }

    /// `exact::at_most`, decided in machine words.
    pub(crate) fn at_most(left: &[&[f64]], right: &[&[f64]]) -> bool {
        match (sum(left), sum(right)) {
            (Some(left), Some(right)) => left <= right,
            _ => false,
        }
    }

    /// Any number for which a condition holds, or none.
    fn any(holds: impl Fn(f64) -> bool) -> Option<f64> {
        // Six bits: the properties say how large their inputs are, and that some results fit.
        let x = super::number(kani::any::<u8>() % 64);
        holds(x).then_some(x)
    }

    pub(crate) fn add_up(a: f64, b: f64) -> Option<f64> {
        any(|x| at_most(&[&[a], &[b]], &[&[x]]))
    }

    pub(crate) fn mul_up(a: f64, b: f64) -> Option<f64> {
        any(|x| at_most(&[&[a, b]], &[&[x]]))
    }

    pub(crate) fn div_up(a: f64, b: f64) -> Option<f64> {
        any(|x| b > 0.0 && at_most(&[&[a]], &[&[x, b]]))
    }

    pub(crate) fn sqrt_up(a: f64) -> Option<f64> {
        any(|x| at_most(&[&[a]], &[&[x, x]]))
    }

    pub(crate) fn add_down(a: f64, b: f64) -> Option<f64> {
        any(|x| x > 0.0 && at_most(&[&[x]], &[&[a], &[b]]))
    }

    pub(crate) fn mul_down(a: f64, b: f64) -> Option<f64> {
        any(|x| x > 0.0 && at_most(&[&[x]], &[&[a, b]]))
    }

    pub(crate) fn div_down(a: f64, b: f64) -> Option<f64> {
        any(|x| x > 0.0 && b > 0.0 && at_most(&[&[x, b]], &[&[a]]))
    }

    pub(crate) fn sqrt_down(a: f64) -> Option<f64> {
        any(|x| x > 0.0 && at_most(&[&[x, x]], &[&[a]]))
    }

    /// `exact::decompose`, of a whole number.
    pub(crate) fn decompose(x: f64) -> Option<(u64, i32)> {
        let bits = x.to_bits();
        if bits < 1 << 16 { Some((bits, 0)) } else { None }
    }

    /// `exact::decompose`, of what [`super::scaled`] makes.
    pub(crate) fn decompose_scaled(x: f64) -> Option<(u64, i32)> {
        let bits = x.to_bits();
        if bits < 1 << 18 { Some((bits & 0xffff, (bits >> 16) as i32 - 2)) } else { None }
    }

    pub(crate) fn integer_up(value: u64) -> Option<f64> {
        any(|x| value <= x.to_bits())
    }
}
