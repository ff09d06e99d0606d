//! Division by powers of two, with the direction of rounding in the name.

/// ⌈value / 2^places⌉, for any number of places.
pub(super) fn divide_up(value: u64, places: u32) -> u64 {
    // From 2^64 on every positive value is less than one part of the divisor.
    let floor = value.checked_shr(places).unwrap_or(0);
    let is_exact = floor.checked_shl(places).unwrap_or(0) == value;
    floor + u64::from(!is_exact)
}

/// value / 2^places to the nearest integer, halves up, for a value below 2^63 and any number of places.
pub(super) fn divide_nearest(value: u64, places: u32) -> u64 {
    match places {
        0 => value,
        // Both terms are at most 2^63.
        1..=63 => value.saturating_add(1 << (places - 1)) >> places,
        // value / 2^64 < ½.
        _ => 0,
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/shift.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::quickcheck;

    #[test]
    fn the_largest_shifts() {
        assert_eq!([divide_up(0, 64), divide_up(1, 64), divide_up(u64::MAX, 2000)], [0, 1, 1]);
        assert_eq!([divide_up(1 << 63, 63), divide_up((1 << 63) + 1, 63)], [1, 2]);
        assert_eq!([divide_nearest(1 << 62, 63), divide_nearest((1 << 62) - 1, 63)], [1, 0]);
        assert_eq!([divide_nearest((1 << 63) - 1, 64), divide_nearest((1 << 63) - 1, 0)], [0, (1 << 63) - 1]);
    }

    quickcheck! {
        fn rounding_up_is_the_smallest_integer_above(value: u64, places: u8) -> bool {
            let places = u32::from(places % 64);
            let quotient = u128::from(divide_up(value, places));
            let value = u128::from(value);
            quotient << places >= value && (quotient == 0 || (quotient - 1) << places < value)
        }

        fn rounding_to_nearest_is_within_a_half(value: u64, places: u8) -> bool {
            let (value, places) = (value >> 1, u32::from(places % 70));
            let (doubled, divisor) = (i128::from(value) * 2, 1_i128 << places);
            let error = doubled - 2 * i128::from(divide_nearest(value, places)) * divisor;
            // A half goes up: the remainder is at least −½ and less than ½.
            -divisor <= error && error < divisor
        }
    }
}
