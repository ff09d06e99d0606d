//! The noise of a block says what it is.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:shaped-tilt`
    /// covers: noise::blocks::BlockNoise::places, noise::blocks::BlockNoise::law, noise::blocks::BlockNoise::lattice,
    /// noise::blocks::BlockNoise::steps, noise::blocks::BlockNoise::scale, noise::blocks::Tilt::whole,
    /// noise::blocks::Tilt::blocks, noise::lattice::Lattice::exponent — within a bound
    ///
    /// What a certificate is told about the noise of a block is what it is drawn with: its places, its law, its
    /// lattice, its scale in steps and their product with the step. A tilt of one law has no blocks.
    ///
    /// assumes: nothing. bound: one place; all scales in steps, steps of 2^−500 to 2^500. solver: cadical.
    /// mutation: `a law under the name of another`
    [kani::proof, kani::unwind(10), kani::solver(cadical)]
    fn verify_block_noise__as_drawn(kind: u8, steps: u64, exponent: i16, place: u8) {
        let (steps, exponent) = (steps % (1 << 53) + 1, i32::from(exponent) % 501);
        let (Ok(lattice), Ok(block)) = (Lattice::new(exponent), BlockScale::new(steps)) else { return };
        let (Ok(euclidean), Ok(normal)) = (EuclideanScale::new(steps), NormalScale::new(steps)) else { return };
        let (scale, law) = match kind % 4 {
            0 => (LawScale::Cube(block), BlockLaw::CubeLaplace),
            1 => (LawScale::Laplace(block), BlockLaw::Laplace),
            2 => (LawScale::Euclidean(euclidean), BlockLaw::EuclideanLaplace),
            _ => (LawScale::Normal(normal), BlockLaw::Normal),
        };
        let noise = BlockNoise { places: vec![place.into()], lattice, scale };
        cover!(law == BlockLaw::Normal && steps == 1 << 53);
        assert!(noise.places() == [usize::from(place)] && noise.law() == law && noise.steps() == steps);
        assert!(noise.lattice() == lattice && noise.lattice().exponent() == exponent);
        // Whole numbers up to 2^53 are `f64`, and so is their product with a power of two.
        let parts = crate::exact::decompose(noise.scale());
        assert!(parts.is_some_and(|(mantissa, places)| {
            let shift = places - exponent;
            shift <= 1 && if shift > 0 { mantissa << 1 == steps } else { mantissa == steps << shift.unsigned_abs() }
        }));
        let Ok(one) = LatticeNoise::normal(lattice, lattice.step()) else { return };
        let whole = Tilt::Whole(one);
        assert!(whole.whole() == Some(&one) && whole.blocks().is_empty());
    }
}
