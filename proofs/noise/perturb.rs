//! What leaves is the rounded point and its noise.

use super::*;
use crate::proofs::{Words, cover, harness};

harness! {
    /// spec: `own:lattice`, `alg:asap`
    /// covers: noise::perturb::LatticeNoise::perturb, noise::perturb::Law::draw — within a bound
    ///
    /// Every coordinate that leaves is the lattice point nearest to the private one, moved by a draw of noise of its
    /// own: none without, none with that of another, and as many as there were.
    ///
    /// assumes: for Kani a draw of noise is any number of 64 bits. bound: two coordinates of any
    /// `f64`; more are the same map.
    /// solver: cadical.
    /// mutation: `a coordinate that leaves as it is`
    [kani::proof, kani::unwind(4), kani::solver(cadical),
     kani::stub(crate::noise::laplace::discrete_laplace, next_word)]
    fn verify_perturb__each_with_its_noise(point: (f64, f64), words: [u64; 2]) {
        let (Ok(lattice), Ok(steps)) = (Lattice::new(-10), LaplaceScale::at_least(3.0)) else { return };
        let noise = LatticeNoise { lattice, law: Law::Laplace(steps) };
        let point = [point.0, point.1];
        let mut bits = Words::new(words);
        let released = noise.perturb(&Private::new(point.to_vec()), &mut bits);
        let drawn = draws(steps, words);
        cover!(drawn[0] < 0 && drawn[1] > 0);
        assert!(released.len() == 2 && (!cfg!(kani) || bits.read == 2));
        let mut k = 0;
        while k < 2 {
            let moved = Lattice::add(lattice.round_clamped(point[k]), drawn[k]);
            assert!(released[k].to_bits() == lattice.point(moved).to_bits());
            k += 1;
        }
    }
}

/// The two draws from these words.
#[cfg(kani)]
fn draws(_: LaplaceScale, words: [u64; 2]) -> [i128; 2] {
    words.map(|word| word.cast_signed().into())
}

#[cfg(not(kani))]
fn draws(scale: LaplaceScale, words: [u64; 2]) -> [i128; 2] {
    let mut bits = Words::new(words);
    [(); 2].map(|()| discrete_laplace(scale, &mut bits))
}

#[cfg(kani)]
fn next_word<R: RandomBits>(_: LaplaceScale, rng: &mut R) -> i128 {
    rng.next_u64().cast_signed().into()
}

harness! {
    /// spec: `own:lattice`
    /// covers: noise::perturb::LatticeNoise::laplace, noise::perturb::LatticeNoise::normal,
    /// noise::perturb::LatticeNoise::euclidean_laplace, noise::perturb::LatticeNoise::scale,
    /// noise::perturb::LatticeNoise::lattice, noise::perturb::LatticeNoise::law — within a bound
    ///
    /// Noise is of the law and on the lattice that were asked for, and its scale is not below the one asked for and
    /// less than one step above (a discrete Laplace scale is as `verify_laplace_scale__as_made` has it); a scale below
    /// one step, and what is no number, is refused.
    ///
    /// assumes: nothing. bound: the lattice of step 1, on which a quotient is the number itself;
    /// all `f64`. solver: cadical.
    /// mutation: `a scale that is rounded down`
    [kani::proof, kani::unwind(4), kani::solver(cadical)]
    fn verify_lattice_noise__not_below(bits: u64, near: bool) {
        // Half of the numbers of a test are from 2^−10 to 2^54.
        let bits = if near { (1013 + (bits >> 58)) << 52 | bits & ((1 << 52) - 1) } else { bits };
        let asked = f64::from_bits(bits);
        let Ok(lattice) = Lattice::new(0) else { return };
        let made = [LatticeNoise::normal(lattice, asked), LatticeNoise::euclidean_laplace(lattice, asked)];
        cover!(made[0].is_ok());
        cover!(made[0].is_err() && asked > 0.0);
        let discrete = LatticeNoise::laplace(lattice, asked).map(|noise| (noise.lattice(), noise.law()));
        let expected = LaplaceScale::at_least(asked).ok().filter(|_| asked >= 1.0);
        assert!(discrete.ok() == expected.map(|scale| (lattice, Law::Laplace(scale))));
        let mut k = 0;
        while k < 2 {
            assert!(made[k].is_ok() == (1.0..=9_007_199_254_740_992.0).contains(&asked));
            if let Ok(noise) = &made[k] {
                assert!(noise.lattice() == lattice && matches!(noise.law(), Law::Normal(_)) == (k == 0));
                assert!(noise.scale() >= asked && noise.scale() - 1.0 < asked);
            }
            k += 1;
        }
    }
}
