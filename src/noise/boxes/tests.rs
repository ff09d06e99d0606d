#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::float_cmp
)]

use super::*;
use crate::noise::ReplayRng;
use crate::noise::tape::Tape;
use num_bigint::{BigInt, BigUint};
use quickcheck::quickcheck;

/// Integers that enclose 2^256·e^(−n/d): one divided by the series of e^(+n/d), with nothing of `decay`.
fn independent(n: u64, d: u64) -> [BigInt; 2] {
    let one = BigInt::from(1_u8) << 400_u32;
    let (mut sums, mut terms) = ([one.clone(), one.clone()], [one.clone(), one]);
    let mut k = 0_u64;
    // From k = 2n/d on each term is at most half of the one before: the rest is at most the last term.
    while k < 2 * (n / d) + 2 || terms[1] > BigInt::from(k + 2) {
        k += 1;
        let [low, high] = terms.map(|term| term * n / (BigInt::from(d) * k));
        terms = [low, high + 1_u8];
        sums = [&sums[0] + &terms[0], &sums[1] + &terms[1]];
    }
    let [low, high] = sums;
    let numerator = BigInt::from(1_u8) << 656_u32;
    [&numerator / (high + &terms[1]), numerator / low + 1_u8]
}

quickcheck! {
    /// A number of the common case is what the rounding of all variates says of its digits, with the sign of its bit; and it is none
    /// exactly if there is no box inside, or less than 54 digits. Half of the digits are half-way between two f64, as far as they are known.
    fn common_numbers_are_the_nearest(word: u64, more: u8, half: bool) -> bool {
        let (word, more) = if half { (word & !(1 << 17), 0) } else { (word, u64::from(more) % 32) };
        let bin = bin_of(word);
        let digits = digits_of(bin, word, more);
        match common(word, more) {
            None => bin == 255 || digits < 1 << 53,
            Some(number) => {
                let magnitude = crate::noise::variate::nearest(digits.into(), PLACES);
                bin < 255 && digits >= 1 << 53 && number.to_bits() == magnitude.to_bits() | (word >> 16 & 1) << 63
            }
        }
    }
}

#[test]
fn the_independent_values_are_those_of_the_books() {
    // e^(−1) = 0.367879441171442321595523770161460867445811131031767834507836801…
    let digits = "367879441171442321595523770161460867445811131031767834507836801";
    let ten = BigInt::from(10_u8).pow(u32::try_from(digits.len()).unwrap());
    for end in independent(64, 64) {
        assert_eq!((end * &ten) >> 256_u32, digits.parse().unwrap());
    }
}

/// F_i ≤ S·e^(−(i/64)²/2) ≤ F_i + 1, for a table; its first column ends at S.
fn is_curve(table: &[u16; BINS + 1]) -> bool {
    let columns = (1..).zip(&table[1..]).all(|(i, f): (u64, _)| {
        let [low, high] = independent(i * i, 8192).map(|e| e * SCALE);
        let level = |f: u32| BigInt::from(f) << 256_u32;
        level((*f).into()) <= low && high <= level(u32::from(*f) + 1)
    });
    columns && u64::from(table[0]) + 1 == SCALE
}

/// The table of the compiler against a series of its own. One more or less, in any place, is refused.
#[test]
fn the_columns_are_those_of_the_curve() {
    assert!(is_curve(&CURVE));
    for place in [0, 1, 2, 63, 64, 128, 200, 254, 255] {
        for change in [1, u16::MAX] {
            let mut sabotaged = CURVE;
            sabotaged[place] = sabotaged[place].wrapping_add(change);
            assert!(!is_curve(&sabotaged), "{place}");
        }
    }
    // The first block of the tail: S·e^(−T²/2) ≤ ½.
    let [_, high] = independent(255 * 255, 8192);
    assert!(high * SCALE * 2 <= BigInt::from(1_u8) << 256_u32);
}

/// How many of the 2^16 codes stand for each bin, and for everything else.
fn codes(table: &[u16; BINS + 1]) -> Vec<u64> {
    let mut counts = vec![0; BINS + 1];
    for word in 0..CODES {
        counts[bin_in(table, word) as usize] += 1;
    }
    counts
}

/// All codes, one after the other.
#[test]
fn every_box_inside_has_one_code() {
    let expected: Vec<u64> = CURVE[1..].iter().map(|f| u64::from(*f)).chain([OTHER]).collect();
    assert_eq!(codes(&ALIASES), expected);
    assert_eq!(expected.iter().sum::<u64>(), CODES);
    // Another threshold, or another alias, in one entry.
    for change in [1 << 8, 1] {
        let mut sabotaged = ALIASES;
        sabotaged[250] = sabotaged[250].wrapping_add(change);
        assert_ne!(codes(&sabotaged), expected);
    }
    assert!((0..CODES).all(|word| bin_of(word) == bin_of(word | 0xdead_beef << 16)), "16 bits and no more");
}

/// All other codes: the boxes of each column from F_(i+1) to F_i, each once, and the bins of the tail.
#[test]
fn every_other_place_has_one_code() {
    let mut places = (0..OTHER).map(Place::of);
    for bin in 0..BINS {
        for level in CURVE[bin + 1]..=CURVE[bin] {
            assert_eq!(places.next(), Some(Place::Crossed { bin: bin as u64, level: level.into() }));
        }
    }
    for bin in 0..TAIL {
        assert_eq!(places.next(), Some(Place::Tail { bin }));
    }
    assert!(places.all(|place| place == Place::Nothing));
}

/// A word that chooses this bin, with this sign and 47 digits.
fn word(bin: u64, negative: bool, digits: u64) -> u64 {
    let code = (0..CODES).find(|code| bin_of(*code) == bin).unwrap();
    digits << 17 | u64::from(negative) << 16 | code
}

/// The number that these words, and no more of them, give.
fn drawn(words: &[&[u64]]) -> f64 {
    let mut tape = Tape::new(words.concat());
    let mut out = [0.0];
    fill_from_boxes(&mut out, &mut tape);
    assert_eq!((tape.unread(), tape.overrun), (0, false), "{out:?}");
    out[0]
}

/// v·2^64, for v below 1.
fn scaled(v: f64) -> u64 {
    (v * 2.0_f64.powi(64)) as u64
}

#[test]
fn draws_by_hand() {
    let half = 1_u64 << 46;
    let again: &[u64] = &[word(100, false, half)];
    assert_eq!(drawn(&[&[0], again]), 100.5 / 64.0);
    assert_eq!(drawn(&[&[0, word(100, true, half)]]), -100.5 / 64.0);
    // Five more digits from the first word. 2^−53 beyond 1 is half-way, and what is to come is above.
    assert_eq!(drawn(&[&[31, word(64, false, 0)]]), 1.0);
    assert_eq!(drawn(&[&[0, word(64, false, 1)]]), 1.0_f64.next_up());
    assert_eq!(drawn(&[&[0, word(32, false, 1)]]), 0.5 + 2.0_f64.powi(-53));
    // Too few digits: another word.
    assert_eq!(drawn(&[&[0, word(0, false, 0), 1 << 63]]), 2.0_f64.powi(-59));
    assert_eq!(drawn(&[&[1, word(0, true, 0), 1 << 63]]), -1.5 * 2.0_f64.powi(-58));
    // Another place: the crossed box of bin 0 from 808 on, in its middle, where 809·e^(−(1/128)²/2) = 808.975312…
    let other = word(255, true, 0);
    let point = |height: f64| [0, other, 0, 1 << 63, scaled(height)];
    assert_eq!(drawn(&[&point(0.97531)]), -1.0 / 128.0);
    assert_eq!(drawn(&[&point(0.97532), again]), 100.5 / 64.0);
    assert_eq!(drawn(&[&[0, other, OTHER - 1], again]), 100.5 / 64.0, "a code of nothing");
}

/// Every crossed box has the height of its level: a point in the middle of its bin is kept up to the curve and not beyond.
/// Sabotage: a level off by one, of all boxes or of those of one bin.
#[test]
fn every_crossed_box_is_as_high_as_its_level() {
    let again: &[u64] = &[word(100, false, 1 << 46)];
    let other = word(255, true, 0);
    let levels = (0..BINS).flat_map(|bin| (CURVE[bin + 1]..=CURVE[bin]).map(move |level| (bin, level)));
    let mut decided = 0;
    for (code, (bin, level)) in levels.enumerate() {
        let x = (bin as f64 + 0.5) / 64.0;
        let share = SCALE as f64 * (-x * x / 2.0).exp() - f64::from(level);
        for v in [share - 1e-6, share + 1e-6, 1e-6, 1.0 - 1e-6] {
            if v <= 0.0 || v >= 1.0 || (v - share).abs() < 1e-7 {
                continue;
            }
            decided += usize::from((v - share).abs() < 1e-5);
            let point: &[u64] = &[0, other, code as u64, 1 << 63, scaled(v)];
            let found = if v < share { drawn(&[point]) } else { drawn(&[point, again]) };
            assert_eq!(found, if v < share { -x } else { 100.5 / 64.0 }, "{bin} {level} {v}");
        }
    }
    assert!(decided > 400, "{decided}");
}

/// Numbers of the tail are taken up to the curve and not beyond, in every block, and are given as the numbers they are.
#[test]
fn the_tail_by_hand() {
    let other = word(255, true, 0);
    for block in [0_usize, 1, 2, 3, 4, 7, 8] {
        for bin in [0_u64, 17, 63] {
            let x = (255.5 + (64 * block) as f64 + bin as f64) / 64.0;
            // V·2^(−1−block) is below the curve.
            let share = SCALE as f64 * (-x * x / 2.0).exp() * 2.0_f64.powi(block as i32 + 1);
            assert!(share < 1.0);
            let run = |v: f64| {
                let start =
                    [vec![0, other, CROSSED + bin], vec![1; block], vec![0, 1 << 63, scaled(v)]].concat();
                // The second word of V, and one of x, are read where the first of V does not decide.
                let low = scaled((v * 2.0_f64.powi(64)).fract());
                let mut out = [0.0];
                fill_from_boxes(&mut out, &mut Tape::new([start, vec![low, 0]].concat()));
                out[0]
            };
            assert_eq!(run(0.999 * share), -x, "{block}, {bin}");
            assert_ne!(run(1.001 * share), -x, "{block}, {bin}");
        }
    }
    // Far out, at 39.98 and 103.98: zeros are below any curve, and as many are looked at as it takes to know.
    for block in [36_usize, 100] {
        let mut tape = Tape::new([vec![0, other, CROSSED], vec![1; block], vec![0; 2000]].concat());
        let mut out = [0.0];
        fill_from_boxes(&mut out, &mut tape);
        assert_eq!((out[0], tape.overrun), (-3.984375 - block as f64, false));
        assert!(tape.unread() < 2000 - block * block / 64, "{}", tape.unread());
    }
}

/// χ² of n numbers |x| in 1024 cells of equal probability under the law of |N|: 1023 degrees of freedom. A right draw is
/// above 1294 with probability below 10^−7 (5.5 deviations by Wilson and Hilferty).
fn chi_square(mut draw: impl FnMut(&mut ReplayRng) -> f64) -> f64 {
    let n = 8_000_000;
    let (mut counts, mut rng) = (vec![0_u32; 1024], ReplayRng::new(16));
    for _ in 0..n {
        let p = libm::erf(draw(&mut rng).abs() / core::f64::consts::SQRT_2);
        counts[((p * 1024.0) as usize).min(1023)] += 1;
    }
    let expected = f64::from(n) / 1024.0;
    counts.iter().map(|c| (f64::from(*c) - expected).powi(2) / expected).sum()
}

/// A draw with another choice of the bin and another decision on the points of crossed boxes.
fn twin(bin: fn(u64) -> u64, keeps: fn(f64, f64) -> bool) -> impl FnMut(&mut ReplayRng) -> f64 {
    let part = |word: u64| word as f64 / 2.0_f64.powi(64);
    move |rng| loop {
        let word = rng.next_u64();
        let bin = bin(word);
        if bin < BINS as u64 {
            return (bin as f64 + part(word & !0x1ffff)) / 64.0;
        }
        let place = Place::of(uniform_up_to(OTHER - 1, rng));
        let (x, v) = (part(rng.next_u64()), part(rng.next_u64()));
        if let Place::Crossed { bin, level } = place {
            let x = (bin as f64 + x) / 64.0;
            if keeps(x, level as f64 + v) {
                return x;
            }
        }
    }
}

/// Null: the numbers have the law of |N|. n = 8·10^6, level 10^−7. The twin has no tail and passes, which is why the tail has a test of
/// its own. Faults: a quarter of one bin's codes is given to the next; crossed boxes are all kept, or none.
#[test]
fn the_numbers_have_their_law_and_sabotaged_tables_do_not() {
    let (mut numbers, mut left) = ([0.0; 11], 0);
    let fits = |statistic: f64| statistic < 1294.0;
    assert!(fits(chi_square(|rng| {
        if left == 0 {
            fill_from_boxes(&mut numbers, rng);
            left = 11;
        }
        left -= 1;
        numbers[left]
    })));
    let curve = |x: f64, y: f64| y < SCALE as f64 * (-x * x / 2.0).exp();
    let moved = |word: u64| bin_of(word) + u64::from(bin_of(word) == 59 && word >> 62 == 0);
    assert!(fits(chi_square(twin(bin_of, curve))));
    for fault in [twin(moved, curve), twin(bin_of, |_, _| true), twin(bin_of, |_, _| false)] {
        assert!(!fits(chi_square(fault)));
    }
}

/// Null: beyond T the numbers have their probability and the mean of their squares. n = 2·10^7; the count is within 6 deviations, and so
/// is the mean (10^−8 each). A tail that is cut, missing in part, or drawn twice is refused.
#[test]
fn the_tail_has_its_law() {
    // P(|N| > T) = erfc(T/√2) and E(N² | |N| > T) = 1 + T·φ(T)/(1 − Φ(T)).
    let (t, n) = (255.0 / 64.0_f64, 20_000_000);
    let p = libm::erfc(t / core::f64::consts::SQRT_2);
    let hazard = (-t * t / 2.0).exp() * (2.0 / core::f64::consts::PI).sqrt() / p;
    let (mut rng, mut numbers, mut beyond) = (ReplayRng::new(17), vec![0.0; 10_000], Vec::new());
    for _ in 0..n / numbers.len() {
        fill_from_boxes(&mut numbers, &mut rng);
        beyond.extend(numbers.iter().map(|x| x.abs()).filter(|x| *x > t));
    }
    let fits = |sample: &[f64]| {
        let (count, expected) = (sample.len() as f64, p * n as f64);
        // (N² − T²)/2 is smaller than an exponential number: the deviation of N² is at most 2.
        let mean = sample.iter().map(|x| x * x).sum::<f64>() / count;
        (count - expected).abs() < 6.0 * expected.sqrt()
            && (mean - 1.0 - t * hazard).abs() < 12.0 / count.sqrt()
    };
    assert!(fits(&beyond), "{}", beyond.len());
    assert!(!fits(&beyond.iter().map(|x| x.min(t + 0.25)).collect::<Vec<_>>()));
    assert!(!fits(&beyond.iter().copied().filter(|x| *x < t + 0.5).collect::<Vec<_>>()));
    assert!(!fits(&[beyond.clone(), beyond].concat()));
}

quickcheck! {
    // A number that agrees with F·e^(−y) in 192 places is below it, and one unit of the last of them more is not. One and two words do not
    // decide that: the comparison goes on with the words that it has and the ones that follow.
    fn more_digits_decide_what_few_do_not(n: u32, factor: u16, above: bool) -> bool {
        let (n, factor) = (u64::from(n >> 2 | 1), u64::from(factor % 1024) + 1);
        let [low, high] = independent(n, 1 << 24).map(|e| (e * factor) >> 64_u32);
        let level = if above { high + 1_u8 } else { low };
        let digits = |place: u32| ((&level >> (64 * place)) & BigInt::from(u64::MAX)).try_into().unwrap();
        let mut drawn = LazyNumber { whole: digits(3), fraction: LazyFraction::default() };
        let mut tape = Tape::new([digits(2), digits(1), digits(0), 0]);
        let exponent = |_: usize, _: &mut Tape| ([BigUint::from(n), BigUint::from(n)], 24);
        let below = is_below(&mut drawn, Multiple { factor, shift: 0 }, exponent, &mut tape);
        below != above && tape.unread() == 0 && !tape.overrun
    }

    // The enclosure in machine words overlaps with an independent one that is narrower, and is narrow itself.
    fn the_curve_is_enclosed(bin: u16, first: u64) -> bool {
        let bin = u64::from(bin % 640);
        let [low, high] = enclosure_at(bin, first);
        // x in units of 2^−30, both ways; then y = x²/2 in units of 2^−32.
        let x = (u128::from(bin) << 64 | u128::from(first)) >> 40;
        let half_square = |x: u128| (x * x) >> 29;
        let [least, most] = [half_square(x), half_square(x + 1) + 1].map(|y| independent(u64::try_from(y).unwrap(), 1 << 32));
        let place = |e: u64| BigInt::from(e) << 193_u32;
        let narrow = high - low < 1 << 34;
        place(low) <= least[1] && most[0] <= place(high) && narrow
    }
}
