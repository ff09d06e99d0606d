//! The samplers of `proofs/coq/Tapes.v` and those of this crate, on the same bits. spec: `own:tapes`
//!
//! `list-12.txt` was written by the program that Coq extracts (`proofs/run tapes`): the tree of tosses of each
//! sampler, cut after 12 bits. Each path to an outcome is a tape; on it the crate's sampler has to give that outcome,
//! read every bit and ask for no other. On a path that is cut it has to ask for more.

use super::bits::{RandomBits, Randomness, ReplayRng, sealed::Sealed};
use super::exponential::exponential;
use super::fraction::LazyNumber;
use super::{
    BlockScale, LaplaceScale, NormalScale, bernoulli, bernoulli_exp, cube_laplace, discrete_laplace,
    rounded_laplace, rounded_normal, uniform_up_to,
};
use core::num::NonZeroU64;
use std::str::SplitWhitespace;

/// A tape of bits: a word of `count` bits takes `count` of them, the lowest first. Where digits are drawn in words, a
/// word is `narrow` bits of the tape, at the top of 64.
struct Bits<'a> {
    unread: core::slice::Iter<'a, bool>,
    narrow: u32,
    beyond: ReplayRng,
    overrun: bool,
}

impl<'a> Bits<'a> {
    fn new(tape: &'a [bool], narrow: u32) -> Self {
        Self { unread: tape.iter(), narrow, beyond: ReplayRng::new(0), overrun: false }
    }
}

impl Sealed for Bits<'_> {}

impl RandomBits for Bits<'_> {
    const PROVENANCE: Randomness = Randomness::Replay;

    fn next_u64(&mut self) -> u64 {
        self.low_bits(self.narrow) << (u64::BITS - self.narrow)
    }

    fn low_bits(&mut self, count: u32) -> u64 {
        (0..count).fold(0, |word, place| {
            let bit = self.unread.next().copied().unwrap_or_else(|| {
                self.overrun = true;
                self.beyond.next_u64() & 1 == 1
            });
            word | u64::from(bit) << place
        })
    }
}

fn joined<T: ToString>(numbers: impl IntoIterator<Item = T>) -> String {
    numbers.into_iter().map(|number| number.to_string()).collect::<Vec<_>>().join(",")
}

/// A number with all of its words that are known: those that can be had from a source without bits.
fn known(mut number: LazyNumber, narrow: u32) -> String {
    let mut words = Vec::new();
    loop {
        let mut nothing = Bits::new(&[], narrow);
        let word = number.fraction.word(words.len(), &mut nothing);
        if nothing.overrun {
            return format!("{}.{}", number.whole, joined(words));
        }
        words.push(word >> (u64::BITS - narrow));
    }
}

/// What the crate draws, in the words of the list. The last argument of a number with digits is the width of its words.
fn drawn(sampler: &str, arguments: SplitWhitespace<'_>, bits: &mut Bits<'_>) -> String {
    let arguments: Vec<u64> = arguments.map(|argument| argument.parse().unwrap()).collect();
    let steps = || BlockScale::new(arguments[0]).unwrap();
    if matches!(sampler, "exponential" | "normal" | "sized" | "cube") {
        bits.narrow = u32::try_from(*arguments.last().unwrap()).unwrap();
    }
    let positive = |place: usize| NonZeroU64::new(arguments[place]).unwrap();
    let truth = |yes| if yes { "y" } else { "n" }.to_string();
    match sampler {
        "uniform" => uniform_up_to(arguments[0], bits).to_string(),
        "bernoulli" => truth(bernoulli(arguments[0], positive(1), bits)),
        "exp" => truth(bernoulli_exp(arguments[0], positive(1), bits)),
        "laplace" => discrete_laplace(LaplaceScale::new(positive(0), positive(1)), bits).to_string(),
        "exponential" => known(exponential(bits), bits.narrow),
        "normal" => rounded_normal(NormalScale::new(arguments[0]).unwrap(), bits).to_string(),
        "sized" => rounded_laplace(steps(), bits).to_string(),
        "cube" => joined(cube_laplace(steps(), usize::try_from(arguments[1]).unwrap(), bits)),
        other => panic!("no such sampler: {other}"),
    }
}

/// The outcome at the beginning of a tree, and what follows it.
fn outcome(tree: &str) -> (&str, &str) {
    match tree.as_bytes()[0] {
        b'.' | b'y' | b'n' => tree.split_at(1),
        _ => tree.split_once(' ').unwrap(),
    }
}

/// Walks through a tree of the list; returns how many tapes decide, and how many do not.
fn replay(head: &str, mut tree: &str) -> (usize, usize) {
    let (sampler, arguments) = head.split_once(' ').unwrap();
    let (mut decided, mut open) = (0, 0);
    let mut tape = Vec::new();
    loop {
        while let Some(rest) = tree.strip_prefix('*') {
            tape.push(false);
            tree = rest;
        }
        let (expected, rest) = outcome(tree);
        tree = rest;
        let mut bits = Bits::new(&tape, u64::BITS);
        let found = drawn(sampler, arguments.split_whitespace(), &mut bits);
        if expected == "." {
            open += 1;
            assert!(bits.overrun, "{head} is decided by {tape:?}, and should not be");
        } else {
            decided += 1;
            assert_eq!((found.as_str(), bits.overrun), (expected, false), "{head} on {tape:?}");
            assert_eq!(bits.unread.len(), 0, "{head} leaves bits of {tape:?} unread");
        }
        // The next tape: the last 0 becomes a 1.
        while tape.pop_if(|bit| *bit).is_some() {}
        let Some(last) = tape.last_mut() else { break };
        *last = true;
    }
    assert_eq!(tree, "", "{head}: the tree has an end");
    (decided, open)
}

fn replay_all(list: &str) -> (usize, usize) {
    list.lines().fold((0, 0), |(decided, open), line| {
        let (head, tree) = line.split_once(": ").unwrap();
        let (more, cut) = replay(head, tree);
        (decided + more, open + cut)
    })
}

/// Tapes of the committed list that decide, and that are cut.
const DECIDED: usize = 7_992;
const OPEN: usize = 43_070;

/// Seen to fail for each of these, one at a time: `is_multiple_of(2)` negated; minus zero kept; `p % q` left out;
/// periods of `t + 1`; `<= p` for `< p`; a fresh number that counts if it is *above*; the fraction of a failed
/// attempt kept for the next; `k + 1` for `k − 1` in the normal law; one of its two comparisons with x left out; no
/// half before the floor; k exponential numbers for a cube of k columns. And for these, which leave the law as it is
/// and take other bits or the same ones differently: a fair coin that is heads on 0; a round drawn before its coin; a
/// number's own word drawn before the fresh one; the sign drawn before the size, or before the digits that round it.
/// A candidate accepted if it is `< last` does not end for `last = 0`.
#[test]
fn every_tape_of_twelve_bits_has_the_outcome_that_coq_computes() {
    assert_eq!(replay_all(include_str!("list-12.txt")), (DECIDED, OPEN));
}

/// `proofs/run tapes`: the same for a longer list, made on the spot.
#[test]
#[ignore = "needs a list that Coq and OCaml make: proofs/run tapes"]
fn every_tape_of_a_longer_list() {
    let list = std::env::var_os("ASAP_TAPES").expect("ASAP_TAPES names a list");
    let (decided, open) = replay_all(&std::fs::read_to_string(list).unwrap());
    println!("tapes with an outcome: {decided}, cut: {open}");
    assert!(decided > DECIDED);
}
