//! Constrained MALA as loops over an abstract kernel.

use super::*;
use crate::proofs::{Words, cover, harness};

harness! {
    /// spec: `alg:MALA`
    /// covers: sampler::mala::restart_until_inside — within a bound
    ///
    /// At most τ_max chains are run; the result is the end of the first one that ends inside, or else the fallback.
    /// So it is inside whenever the fallback is.
    ///
    /// assumes: τ_max ≤ 5. bound: any chains and any membership; τ_max enters only as the number of rounds of the
    /// same loop. solver: cadical.
    /// mutation: `a chain too many`
    [kani::proof, kani::unwind(7), kani::solver(cadical)]
    fn verify_restart_until_inside__bounded(ends: [u8; 6], members: u8, fallback: u8, tau_max: u8) {
        let tau_max = usize::from(tau_max % 6);
        let inside = |x: &u8| members >> (x % 8) & 1 == 1;
        let mut runs = 0;
        let run = || {
            runs += 1;
            ends[runs - 1]
        };
        let result = restart_until_inside(tau_max as u64, run, inside, fallback);
        cover!(runs == 5 && !inside(&result));
        cover!(runs == 5 && inside(&result));
        assert!(runs <= tau_max);
        assert!(!inside(&fallback) || inside(&result));
        match ends.iter().take(tau_max).position(inside) {
            Some(first) => assert!(runs == first + 1 && result == ends[first]),
            None => assert!(runs == tau_max && result == fallback),
        }
    }
}

harness! {
    /// spec: `alg:MALA`
    /// covers: sampler::mala::walk — within a bound
    ///
    /// A chain makes exactly as many steps as were drawn, and after each the state is the old one or the proposal.
    ///
    /// assumes: at most 4 steps. bound: any proposals and any decisions. solver: cadical.
    /// mutation: `a step too many`
    [kani::proof, kani::unwind(6), kani::solver(cadical)]
    fn verify_walk__states_and_steps(start: u8, proposals: [u8; 5], taken: [bool; 5], steps: u8) {
        let steps = usize::from(steps % 5);
        let (mut made, mut current) = (0, start);
        let end = walk(steps as u64, start, |state, proposal| {
            assert!(*state == current);
            *proposal = proposals[made];
            if taken[made] {
                current = proposals[made];
            }
            made += 1;
            taken[made - 1]
        });
        cover!(steps == 4 && end == start && taken[0]);
        cover!(steps == 4 && end == proposals[3]);
        assert!(made == steps && end == current);
    }
}

harness! {
    /// spec: `alg:MALA`
    /// covers: sampler::mala::takes — all inputs
    ///
    /// A log-ratio from 0 on is always taken and no coin is tossed; below 0 the coin for e^(log-ratio) decides;
    /// NaN, and an energy that is NaN or infinite, are never taken.
    ///
    /// assumes: nothing. bound: none, all `f64` and all coins, also one that refuses. solver: cadical.
    /// mutation: `infinite energies are taken`
    [kani::proof, kani::unwind(2), kani::solver(cadical)]
    fn verify_takes__decision(energy: f64, log_ratio: f64, coin: Option<bool>) {
        let mut tossed = None;
        let taken = takes(energy, log_ratio, |x| {
            tossed = Some(x);
            coin
        });
        cover!(taken && log_ratio < 0.0);
        cover!(!taken && log_ratio < 0.0 && energy.is_finite());
        cover!(!energy.is_finite() && log_ratio >= 0.0);
        cover!(log_ratio.is_nan() && energy.is_finite());
        let expected =
            energy.is_finite() && (log_ratio >= 0.0 || (log_ratio < 0.0 && coin == Some(true)));
        assert!(taken == expected);
        assert!(tossed.is_some() == (energy.is_finite() && log_ratio < 0.0));
        assert!(tossed.is_none_or(|x| x > 0.0 && x.to_bits() == (-log_ratio).to_bits()));
    }
}

harness! {
    /// spec: `alg:MALA`
    /// covers: sampler::mala::fair_coins — within a bound
    ///
    /// The lazy steps are the ones among exactly `count` random bits, in order: each bit is one
    /// fair coin, and counts once.
    ///
    /// assumes: nothing. bound: counts below 192, that is 3 words and every remainder; further words are the same
    /// loop. solver: cadical.
    /// mutation: `bits beyond the count are counted`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_fair_coins__ones_among_count(count: u8, words: [u64; 3]) {
        let count = u64::from(count % 192);
        let mut bits = Words::new(words);
        let ones = fair_coins(count, &mut bits);
        cover!(ones == 191);
        cover!(ones == 0 && count == 191);
        let mut expected = 0;
        for (k, word) in words.into_iter().enumerate() {
            // How many of the coins are in this word.
            let coins = count.saturating_sub(64 * k as u64).min(64);
            let kept = word & u64::MAX.checked_shr(64 - coins as u32).unwrap_or(0);
            expected += u64::from(kept.count_ones());
        }
        assert!(ones == expected && ones <= count);
        assert!(bits.read as u64 == count / 64 + 1);
    }
}
