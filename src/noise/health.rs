//! Start-up tests of the generator: nothing is drawn from one that is visibly broken.
//!
//! After NIST SP 800-90B, section 4.4, at full entropy: a repetition count and an adaptive proportion of the key's 32
//! bytes; and no bit of the first 64 words may be the same in all of them. They see a source that is dead or stuck.
//! They do not see a source that is predictable: no test of its output does.

/// What a start-up test saw. spec: `own:generator`
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Symptom {
    /// Six equal bytes in a row in the key: 27·2⁻⁴⁰ for a fair source.
    #[error("repetition count")]
    Repeated,
    /// Eight bytes of the key equal its first one, itself included: less than
    /// 31!/(7!·24!)·2⁻⁵⁶ < 3.7·10⁻¹¹ for a fair source.
    #[error("adaptive proportion")]
    Frequent,
    /// A bit is the same in all of the first 64 words: at most 64·2·2⁻⁶⁴ = 2⁻⁵⁷ for a fair source.
    #[error("a bit that never changes")]
    Stuck,
}

/// This many equal bytes in a row are too many.
const REPETITIONS: u8 = 6;

/// So many bytes of a key that equal its first one are too many.
const OCCURRENCES: u8 = 8;

/// The words that are looked at before the first that is handed out.
pub(super) const WORDS: usize = 64;

/// What is wrong with a key, if anything.
pub(super) fn of_key(key: &[u8; 32]) -> Option<Symptom> {
    let (mut run, mut like_the_first) = (1_u8, 1_u8);
    for k in 1..key.len() {
        run = if key[k] == key[k - 1] { run + 1 } else { 1 };
        if run == REPETITIONS {
            return Some(Symptom::Repeated);
        }
        like_the_first += u8::from(key[k] == key[0]);
    }
    (like_the_first >= OCCURRENCES).then_some(Symptom::Frequent)
}

/// What is wrong with the first words, if anything.
pub(super) fn of_words(words: &[u64; WORDS]) -> Option<Symptom> {
    let ones = words.iter().fold(u64::MAX, |all, word| all & word);
    let zeros = words.iter().fold(u64::MAX, |all, word| all & !word);
    (ones | zeros != 0).then_some(Symptom::Stuck)
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/health.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;

    fn different() -> [u8; 32] {
        core::array::from_fn(|k| u8::try_from(k).unwrap())
    }

    #[test]
    fn five_in_a_row_are_chance_and_six_are_not() {
        for start in 0..=27 {
            let mut key = different();
            key[start..start + 5].fill(200);
            assert_eq!(of_key(&key), None, "five from {start}");
            key[start.min(26)..start.min(26) + 6].fill(200);
            assert_eq!(of_key(&key), Some(Symptom::Repeated), "six from {start}");
        }
    }

    #[test]
    fn seven_of_the_first_byte_are_chance_and_eight_are_not() {
        let mut key = different();
        for k in 1..7 {
            key[4 * k] = 0;
        }
        assert_eq!(of_key(&key), None);
        key[31] = 0;
        assert_eq!(of_key(&key), Some(Symptom::Frequent));
        // Of another byte there may be more: the window is that of its first.
        key[0] = 255;
        assert_eq!(of_key(&key), None);
    }

    #[test]
    fn every_stuck_bit_is_seen() {
        let words: [u64; WORDS] = core::array::from_fn(|k| if k % 2 == 0 { 0 } else { u64::MAX });
        assert_eq!(of_words(&words), None);
        for bit in 0..64 {
            assert_eq!(of_words(&words.map(|word| word | 1 << bit)), Some(Symptom::Stuck), "{bit} at 1");
            assert_eq!(of_words(&words.map(|word| word & !(1 << bit))), Some(Symptom::Stuck), "{bit} at 0");
            let mut once = words.map(|word| word | 1 << bit);
            once[40] ^= 1 << bit;
            assert_eq!(of_words(&once), None, "{bit} changes once");
        }
    }
}
