//! Stand-ins for quotients, logarithms and exponentials when a model checker reads a contract. Quotients are rounded to
//! quarters, to the side that is asked for. The logarithms are two jumping functions of quarters, one for each side,
//! and are no logarithms: a term, an argument or a side that is not the lemma's gives another number. e^(−x) is 2^(−x),
//! cut off where it is below a quarter.

use super::{Dyadic, Exact, Toward, Whole};

/// Below this many quarters the logarithms have a value.
pub const QUARTERS: u64 = 21;

/// What stands for the logarithm of so many quarters from below.
pub fn low(quarters: u64) -> u64 {
    (3 * quarters + 2) % 8
}

/// What stands for it from above.
pub fn high(quarters: u64) -> u64 {
    (5 * quarters + 3) % 8
}

/// What stands for e^(−x), in quarters.
pub fn power(x: u64) -> u64 {
    if x < 3 { 4 >> x } else { 0 }
}

/// A number below 16 bits in quarters, if it is a multiple of one.
fn quarters(x: &Exact) -> Option<u64> {
    let number = x.0.as_ref()?;
    let mantissa = u16::try_from(number.mantissa.as_word()).ok()?;
    match number.exponent {
        0 => Some(u64::from(mantissa) << 2),
        -1 => Some(u64::from(mantissa) << 1),
        -2 => Some(u64::from(mantissa)),
        _ => None,
    }
}

/// A number of so many quarters.
fn of_quarters(quarters: u64) -> Exact {
    Exact(Some(Dyadic::from_parts(quarters, -2)))
}

pub fn ln_below(x: &Exact) -> Exact {
    quarters(x).filter(|at| *at < QUARTERS).map_or(Exact::none(), |at| Exact::whole(low(at)))
}

pub fn ln_above(x: &Exact) -> Exact {
    quarters(x).filter(|at| *at < QUARTERS).map_or(Exact::none(), |at| Exact::whole(high(at)))
}

pub fn exp_minus_above(x: &Exact) -> Exact {
    quarters(x).map_or(Exact::none(), |at| of_quarters(power(at / 4)))
}

/// ln 2, in quarters.
pub fn ln_2_above() -> Exact {
    of_quarters(3)
}

/// A quotient in quarters, rounded to a side; no value for a divisor of 0.
#[allow(private_interfaces, reason = "it stands for a method that is private, too")]
pub fn quotient(a: &Exact, b: &Exact, side: Toward) -> Exact {
    let (Some(a), Some(b)) = (quarters(a), quarters(b)) else { return Exact::none() };
    let (Ok(a), Ok(b)) = (u16::try_from(a << 2), u16::try_from(b)) else { return Exact::none() };
    if b == 0 {
        return Exact::none();
    }
    let rounded = if side == Toward::Above { a.div_ceil(b) } else { a / b };
    Exact(Some(Dyadic { mantissa: Whole::word(rounded.into()), exponent: -2 }))
}
