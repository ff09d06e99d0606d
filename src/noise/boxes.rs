//! The normal distribution from boxes: one random word for most numbers. spec: `own:fast-normal`
//!
//! The curve is S·e^(−x²/2) over x ≥ 0, for S = 809. A point that is uniform in the area below it has an x of density
//! ∝ e^(−x²/2), that of |N|. Such a point comes from a uniform one in a larger area that is kept if it is below the curve. The
//! larger area consists of boxes of width 1/64:
//!
//! * 255 bins, from i/64 to (i + 1)/64, with a column of F_i + 1 boxes of height 1 each, where F_i ≤ S·e^(−(i/64)²/2) ≤ F_i + 1:
//!   the curve falls, so it is nowhere in the bin above the column, and nowhere below the first F_(i+1) boxes. Those are
//!   *inside*, the other ones are *crossed*.
//! * the *tail* from T = 255/64 on: block j from T + j to T + j + 1 has height 2^(−1−j). The curve is at most ½ at T, and over a
//!   distance of 1 it falls by more than half. The area is 64·(½ + ¼ + …) = that of 64 boxes.
//!
//! There are 2^16 codes of equal probability, one for each box, 64 for the tail, and some for nothing. 16 bits of a word
//! choose a code: a column of an alias table (8 bits) and one of its two sides (8 bits). Of a box inside only x matters,
//! and all of its points are kept: the rest of the word is a sign and digits of x. Of all other codes, 1186 of 65536, the height of the
//! point is drawn as well and compared with the curve, exactly ([`super::decay`]); who is above, or chose nothing, starts again.
//!
//! The table is computed by the compiler from an enclosure of the curve, and what is used of it above is asserted there.

use super::bernoulli::fair_coin;
use super::bits::RandomBits;
use super::decay::{BEYOND_32, HALVINGS, Multiple, decided, enclosure, is_below};
use super::fraction::{LazyFraction, LazyNumber};
use super::uniform::uniform_up_to;
use super::variate::{rounded, rounded_on};

/// S.
const SCALE: u64 = 809;
/// Bins of width 1/64; also the code of what is not inside.
const BINS: usize = 255;
/// −log₂ of the width of a bin.
const BIN_PLACES: u32 = 6;
/// Codes.
const CODES: u64 = 1 << 16;
/// Codes of the tail: as many as its first block has bins, since its area is theirs.
const TAIL: u64 = 1 << BIN_PLACES;

/// F_i for i from 0 to 255.
const CURVE: [u16; BINS + 1] = curve();

/// Σ F_(i+1): the boxes inside.
const INSIDE: u64 = inside();

/// The boxes that are crossed: Σ (F_i + 1 − F_(i+1)).
const CROSSED: u64 = CURVE[0] as u64 + BINS as u64 - CURVE[BINS] as u64;

/// Codes that are not those of a box inside.
const OTHER: u64 = CODES - INSIDE;

// There are enough codes. The curve is at most ½ at T: from there on it is below the first block, and as
// e^(−(T + ½)) < ½ it falls by more than half from block to block.
const _: () = assert!(CROSSED + TAIL <= OTHER && at_bin(BINS)[1] * 2 <= 1 << 63 && BINS > 1 << BIN_PLACES);

/// Integers that enclose 2^63·S·e^(−(i/64)²/2).
#[allow(clippy::cast_possible_truncation)]
const fn at_bin(bin: usize) -> [u128; 2] {
    // (i/64)²/2/2^6 in units of 2^−63: exact.
    let z = ((bin * bin) as u64) << (63 - HALVINGS - 1 - 2 * BIN_PLACES);
    let [low, high] = enclosure([z, z]);
    [low as u128 * SCALE as u128, high as u128 * SCALE as u128]
}

#[allow(clippy::cast_possible_truncation)]
const fn curve() -> [u16; BINS + 1] {
    // S·e^0 = S: the top of the first column is S itself.
    let mut table = [0; BINS + 1];
    table[0] = SCALE as u16 - 1;
    let mut bin = 1;
    while bin <= BINS {
        let [low, high] = at_bin(bin);
        table[bin] = (low >> 63) as u16;
        assert!(high <= (table[bin] as u128 + 1) << 63 && table[bin] <= table[bin - 1]);
        bin += 1;
    }
    table
}

const fn inside() -> u64 {
    let (mut sum, mut bin) = (0, 1);
    while bin <= BINS {
        sum += CURVE[bin] as u64;
        bin += 1;
    }
    sum
}

/// For each value of 8 bits: below which other 8 bits it stands for itself, and for what else; 8 bits each.
static ALIASES: [u16; BINS + 1] = aliases();

/// Walker's table: each of 256 columns has room for 256 codes and holds those of at most two outcomes. An outcome that does not fill
/// its column is filled up with codes of one that has too many.
#[allow(clippy::cast_possible_truncation)]
const fn aliases() -> [u16; BINS + 1] {
    const ROOM: u64 = CODES / (BINS as u64 + 1);
    let (mut left, mut table, mut done) = ([0; BINS + 1], [0; BINS + 1], [false; BINS + 1]);
    let mut k = 0;
    while k <= BINS {
        left[k] = if k < BINS { CURVE[k + 1] as u64 } else { OTHER };
        // A full column is its own alias.
        table[k] = k as u16;
        k += 1;
    }
    let mut round = 0;
    while round <= BINS {
        let (mut few, mut many) = (0, 0);
        while few <= BINS && (done[few] || left[few] >= ROOM) {
            few += 1;
        }
        while many <= BINS && (done[many] || left[many] <= ROOM) {
            many += 1;
        }
        // The codes fill the columns: as long as one is not full, another has too many.
        if few <= BINS {
            table[few] = (left[few] as u16) << 8 | many as u16;
            left[many] -= ROOM - left[few];
            done[few] = true;
        }
        round += 1;
    }
    table
}

/// The bin of the box inside that the 16 low bits of a word choose, or 255 for everything else.
#[inline]
fn bin_of(word: u64) -> u64 {
    bin_in(&ALIASES, word)
}

/// The same, by another table.
#[inline]
fn bin_in(table: &[u16; BINS + 1], word: u64) -> u64 {
    let [column, side, ..] = word.to_le_bytes();
    let entry = table[usize::from(column)];
    (if u16::from(side) < entry >> 8 { column.into() } else { entry & 0xff }).into()
}

/// More digits of x than a word has room for, so that 54 of them are mostly significant.
const MORE_DIGITS: u32 = 5;
/// How many numbers a word has more digits for.
const TOGETHER: usize = (u64::BITS / MORE_DIGITS) as usize;
/// Digits of x after those of the bin: 64 bits, less the code and the sign, and five more.
const DIGITS: u32 = u64::BITS - 17 + MORE_DIGITS;
/// Binary places of x that are known then: 58.
const PLACES: u32 = DIGITS + BIN_PLACES;
/// Half of a unit of the last of them.
const UNIT: f64 = 1.0 / (1_u64 << (PLACES + 1)) as f64;

/// Fills a slice with independent standard normal numbers, each rounded once to the nearest `f64`. spec: `own:fast-normal`
pub(super) fn fill_from_boxes<R: RandomBits>(out: &mut [f64], rng: &mut R) {
    for numbers in out.chunks_mut(TOGETHER) {
        let mut more = rng.next_u64();
        for number in numbers {
            let (word, digits) = (rng.next_u64(), more & ((1 << MORE_DIGITS) - 1));
            *number = common(word, digits).unwrap_or_else(|| rare(word, digits, rng));
            more >>= MORE_DIGITS;
        }
    }
}

/// The number of a box inside, from a word and the five more digits, if they are enough: most of them.
#[inline]
fn common(word: u64, more: u64) -> Option<f64> {
    let bin = bin_of(word);
    let digits = digits_of(bin, word, more);
    // At least 54 digits, and a one in the middle of what is still to come: never half-way between two f64. Converting
    // rounds to the nearest; dividing by a power of two is exact.
    let magnitude = (digits << 1 | 1).cast_signed() as f64 * UNIT;
    // Both conditions at once: a bin of 255 and digits that are too few.
    (bin < BINS as u64 && digits >> f64::MANTISSA_DIGITS != 0).then(|| with_sign(magnitude, word))
}

/// Bit 16 of the word is the sign.
#[inline]
fn with_sign(magnitude: f64, word: u64) -> f64 {
    f64::from_bits(magnitude.to_bits() | (word << 47) & (1 << 63))
}

/// The digits of x in a box inside, in units of 2^−58: the bin, the word but for its 17 low bits, five more.
#[inline]
fn digits_of(bin: u64, word: u64, more: u64) -> u64 {
    bin << DIGITS | (word >> 17) << MORE_DIGITS | more
}

/// The number of a word with which more words are needed: its x is in a box inside but small, or it is in another place.
#[cold]
#[inline(never)]
fn rare<R: RandomBits>(word: u64, more: u64, rng: &mut R) -> f64 {
    let mut word = word;
    loop {
        let bin = bin_of(word);
        let magnitude = if bin < BINS as u64 {
            Some(rounded_on(digits_of(bin, word, more).into(), PLACES, || rng.next_u64()))
        } else {
            outside(rng)
        };
        if let Some(magnitude) = magnitude {
            return with_sign(magnitude, word);
        }
        word = rng.next_u64();
    }
}

/// What a code stands for that is not a box inside.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A box with this bin and lower edge.
    Crossed {
        bin: u64,
        level: u64,
    },
    /// A bin of each block of the tail.
    Tail {
        bin: u64,
    },
    Nothing,
}

impl Place {
    /// The place of one of `OTHER` codes.
    fn of(code: u64) -> Self {
        if code >= CROSSED {
            let bin = code - CROSSED;
            return if bin < TAIL { Self::Tail { bin } } else { Self::Nothing };
        }
        // The boxes of the bins before bin i are F_0 + i − F_i.
        let before = |bin: usize| u64::from(CURVE[0]) + bin as u64 - u64::from(CURVE[bin]);
        let (mut bin, mut end) = (0, BINS);
        while end - bin > 1 {
            let middle = usize::midpoint(bin, end);
            if before(middle) <= code { bin = middle } else { end = middle }
        }
        Self::Crossed { bin: bin as u64, level: u64::from(CURVE[bin + 1]) + code - before(bin) }
    }
}

/// A point that is not in a box inside: the nearest `f64` to its x, or none if it is not below the curve.
fn outside<R: RandomBits>(rng: &mut R) -> Option<f64> {
    let (bin, level, shift) = match Place::of(uniform_up_to(OTHER - 1, rng)) {
        Place::Crossed { bin, level } => (bin, level, 0),
        Place::Tail { bin } => {
            let mut block: u64 = 0;
            while fair_coin(rng) {
                block = block.saturating_add(1);
            }
            (block.saturating_mul(TAIL).saturating_add(bin + BINS as u64), 0, block.saturating_add(1))
        }
        Place::Nothing => return None,
    };
    let mut x = LazyNumber { whole: bin, fraction: LazyFraction::default() };
    let height = LazyNumber { whole: level, fraction: LazyFraction::default() };
    is_below_curve(&mut x, height, shift, rng).then(|| rounded(x, BIN_PLACES, rng))
}

/// Whether height/2^shift < S·e^(−x²/2), for x in units of 1/64.
fn is_below_curve<R: RandomBits>(
    x: &mut LazyNumber,
    mut height: LazyNumber,
    shift: u64,
    rng: &mut R,
) -> bool {
    let multiple = Multiple { factor: SCALE, shift };
    let curve = enclosure_at(x.whole, x.fraction.word(0, rng));
    decided(height.whole, height.fraction.word(0, rng), multiple, curve).unwrap_or_else(|| {
        let half_square = |words: usize, rng: &mut R| {
            let low = x.floor(words, rng);
            let high = &low + 1_u8;
            let places = 2 * (u64::from(u64::BITS) * words as u64 + u64::from(BIN_PLACES)) + 1;
            ([&low * &low, &high * &high], places)
        };
        is_below(&mut height, multiple, half_square, rng)
    })
}

/// Integers that enclose 2^63·e^(−x²/2), for x in units of 1/64 that begins with this word after the point.
fn enclosure_at(whole: u64, first: u64) -> [u64; 2] {
    // x from 8 on: x²/2 is at least 32.
    if whole >= 1 << 9 {
        return BEYOND_32;
    }
    // 63 bits: x in units of 2^−60 is from `digits` to `digits + 1`, and x²/2/2^6 in units of 2^−127 their squares.
    let digits = whole << 54 | first >> 10;
    let square = |x: u64| (u128::from(x) * u128::from(x)) >> 64;
    #[allow(clippy::cast_possible_truncation)]
    let z = [square(digits) as u64, square(digits + 1) as u64 + 1];
    enclosure(z)
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/boxes.rs"]
mod proofs;

#[cfg(test)]
#[path = "boxes/tests.rs"]
mod tests;
