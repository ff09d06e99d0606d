//! The decisions of the exact draw: caps, minorant, energies.

use super::*;
use crate::proofs::{assume, cover, harness};

/// The most trials that a harness looks at.
const TRIALS: u32 = 8;

harness! {
    /// spec: `own:exact`
    /// covers: sampler::exact::within_caps — within a bound
    ///
    /// The loop returns the first accepted trial that the caps allow, or none, and never makes a trial too many. The
    /// trials are arbitrary; the reference looks at their list.
    ///
    /// assumes: both caps ≤ 8. bound: at most 8 trials; the loop has no other state than the two counters, which grow
    /// by at most 1 in each round. solver: cadical.
    /// mutation: `the cap on passes is forgotten`
    [kani::proof, kani::unwind(10), kani::solver(cadical)]
    fn verify_within_caps__first_accepted_or_none(outcomes: u32, evaluated: u32, drawn: u32) {
        // Small numbers for a test, the same numbers for Kani.
        let (evaluated, drawn) = (evaluated % 16, drawn % 16);
        assume!(evaluated <= TRIALS && drawn <= TRIALS);
        // Two bits for each trial: 0 and 1 are outside, 2 is rejected, 3 is accepted.
        let outcome = |k: u32| outcomes >> (2 * k) & 3;
        let mut calls = 0;
        let (found, made) = within_caps(Caps { evaluated, drawn }, || {
            let k = calls;
            calls += 1;
            match outcome(k) {
                3 => Trial::Accepted(k),
                2 => Trial::Rejected,
                _ => Trial::Outside,
            }
        });
        // The reference: the first accepted trial of the list, if the trials before it leave room for it.
        let (mut expected, mut passes, mut k) = (None, 0, 0);
        while k < drawn && passes < evaluated && expected.is_none() {
            if outcome(k) >= 2 {
                passes += 1;
            }
            if outcome(k) == 3 {
                expected = Some(k);
            }
            k += 1;
        }
        cover!(found.is_some() && made.evaluated > 1);
        cover!(found.is_none() && made.drawn < drawn);
        assert!(found == expected);
        assert!(made.drawn == calls && made.drawn <= drawn && made.evaluated <= evaluated);
        assert!(made.drawn == k && made.evaluated == passes);
        assert!(found.is_some() || made.drawn == drawn || made.evaluated == evaluated);
    }
}

harness! {
    /// spec: `own:exact`
    /// covers: sampler::exact::least_and_gap — all inputs
    ///
    /// The envelope takes the smaller of parabola and line, whichever zone a point is in, and how far the other is
    /// above is not negative; what is no number stays none, so that such a proposal is never accepted.
    ///
    /// assumes: not the same infinity twice, whose difference is no number. bound: none, all
    /// other f64. solver: cadical.
    /// mutation: `the larger of parabola and line`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_least_and_gap__below_both(a: f64, b: f64) {
        assume!(!(a.is_infinite() && a == b));
        let (least, gap) = least_and_gap(a, b);
        cover!(a < b && gap > 0.0);
        cover!(a > b && gap > 0.0);
        if a.is_nan() || b.is_nan() {
            assert!(gap.is_nan());
        } else {
            assert!(least <= a && least <= b && (least == a || least == b));
            assert!(gap >= 0.0);
        }
    }
}

harness! {
    /// spec: `own:exact`
    /// covers: sampler::exact::counted — all inputs
    ///
    /// An energy that is no finite number is never accepted; one that rounding put below 0 counts as 0; every
    /// other counts as what it is.
    ///
    /// assumes: nothing. bound: none, all f64. solver: cadical.
    /// mutation: `an energy that is no number counts as 0`
    [kani::proof, kani::solver(cadical)]
    fn verify_counted__no_number_is_never_accepted(energy: f64) {
        let counts = counted(energy);
        cover!(energy.is_nan());
        cover!(energy < 0.0 && counts.is_some());
        match counts {
            None => assert!(!energy.is_finite()),
            Some(x) => assert!(energy.is_finite() && x >= 0.0 && if energy >= 0.0 { x == energy } else { x == 0.0 }),
        }
    }
}

harness! {
    /// spec: `own:exact`
    /// covers: sampler::exact::within_caps — within a bound
    ///
    /// For any two caps: what a list of trials gives is its first accepted one, if both caps leave room for it, and
    /// otherwise nothing; the other sampler then takes over after exactly as many trials as the caps allow.
    ///
    /// assumes: the fifth trial is accepted at the latest. bound: any caps of 32 bits, each of 4 trials of any kind.
    /// solver: cadical.
    /// mutation: `the cap on proposals is forgotten`
    [kani::proof, kani::unwind(7), kani::solver(cadical)]
    fn verify_within_caps__any_caps(outcomes: u8, evaluated: u32, drawn: u32, near: bool) {
        // Half of the caps of a test matter.
        let (evaluated, drawn) = if near { (evaluated % 8, drawn % 8) } else { (evaluated, drawn) };
        // Two bits for each trial: 0 and 1 are outside, 2 is rejected, 3 is accepted.
        let outcome = |k: u32| if k < 4 { outcomes >> (2 * k) & 3 } else { 3 };
        let mut calls = 0;
        let (found, made) = within_caps(Caps { evaluated, drawn }, || {
            calls += 1;
            match outcome(calls - 1) {
                3 => Trial::Accepted(calls - 1),
                2 => Trial::Rejected,
                _ => Trial::Outside,
            }
        });
        cover!(found == Some(4) && evaluated > 1 << 31);
        cover!(found.is_none() && made.drawn == 4);
        let first = (0..4).find(|k| outcome(*k) == 3).unwrap_or(4);
        let passes = 1 + (0..4).filter(|k| *k < first && outcome(*k) == 2).count();
        let fits = first < drawn && passes <= evaluated as usize;
        assert!(found == fits.then_some(first));
        assert!(made.drawn == calls && made.drawn <= drawn && made.evaluated <= evaluated);
        assert!(fits || made.drawn == drawn || made.evaluated == evaluated);
    }
}

harness! {
    /// spec: `own:exact`
    /// covers: sampler::exact::has_odds_by — within a bound
    ///
    /// The answer is the first that is believed. The likelier one is asked for energy 0, which is always
    /// believed, the other for |x|: so the odds of an answer are those of the coin for |x|, and the loop ends
    /// with the first likelier answer.
    ///
    /// assumes: a finite x, and that the likelier answer comes among the first 4. bound: 4 rounds of the same loop, all
    /// x, all coins. solver: cadical.
    /// mutation: `the likelier answer is doubted`
    [kani::proof, kani::unwind(6), kani::solver(cadical)]
    fn verify_has_odds__likelier_is_believed(x: f64, answers: [bool; 4], coins: [bool; 4]) {
        assume!(x.is_finite());
        let likelier = |answer: bool| if answer { x >= 0.0 } else { x <= 0.0 };
        assume!(answers.iter().any(|answer| likelier(*answer)));
        // How often the fair coin and the other one were tossed.
        let mut tossed = (0, 0);
        let fair = |tossed: &mut (usize, usize)| {
            tossed.0 += 1;
            answers[tossed.0 - 1]
        };
        let result = has_odds_by(x, &mut tossed, fair, |energy, tossed| {
            tossed.1 += 1;
            let answer = answers[tossed.0 - 1];
            assert!(energy.to_bits() << 1 == if likelier(answer) { 0 } else { x.to_bits() << 1 });
            energy == 0.0 || coins[tossed.0 - 1]
        });
        cover!(tossed.0 == 4);
        cover!(result && x < 0.0);
        let round = tossed.0 - 1;
        assert!(tossed.0 == tossed.1 && result == answers[round]);
        assert!(likelier(result) || coins[round]);
        assert!(!answers.iter().zip(coins).take(round).any(|(answer, coin)| coin || likelier(*answer)));
    }
}
