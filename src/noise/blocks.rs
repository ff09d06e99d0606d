//! Noise that is never released: the tilt of objective perturbation, with one law or with a law for each block of columns.

use super::cube::{BlockScale, cube_laplace, rounded_laplace};
use super::{
    EuclideanScale, Lattice, LatticeNoise, Law, NormalScale, RandomBits, euclidean_laplace, rounded_normal,
};
use crate::input::InvalidInput;
use crate::shape::{Block, Shape, columns};
use asap_contracts::BlockLaw;
use std::sync::Arc;

/// Columns that have a law together. spec: `own:shaped-tilt`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Their places among the parameters.
    pub(crate) places: Vec<usize>,
    /// The law under ε.
    pub(crate) law: BlockLaw,
    /// Which block of the shape it is; none for the cubes and the intercept.
    pub(crate) block: Option<usize>,
}

impl Group {
    /// The cubes and the intercept together, if there are any; then each other block.
    pub(crate) fn all(shape: &Shape, intercept: bool) -> Vec<Self> {
        let (mut numbers, mut others, mut next) = (Vec::new(), Vec::new(), 0);
        for (index, block) in shape.blocks().iter().enumerate() {
            let places = next..next + columns(block);
            next = places.end;
            let law = match block {
                Block::Cube { .. } => {
                    numbers.extend(places);
                    continue;
                }
                Block::OneNorm { .. } => BlockLaw::Laplace,
                Block::Ball { .. } => BlockLaw::EuclideanLaplace,
            };
            others.push(Self { places: places.collect(), law, block: Some(index) });
        }
        numbers.extend(intercept.then_some(next));
        let cube = Self { places: numbers, law: BlockLaw::CubeLaplace, block: None };
        Some(cube).filter(|cube| !cube.places.is_empty()).into_iter().chain(others).collect()
    }
}

impl Group {
    /// The sum of the variances with this scale, under ε or normal.
    pub(crate) fn variance(&self, scale: f64, normal: bool) -> f64 {
        let law = if normal { BlockLaw::Normal } else { self.law };
        let k = self.places.len();
        k as f64 * variance(law, k) * scale * scale
    }
}

/// The variance of one of k coordinates with scale 1.
fn variance(law: BlockLaw, k: usize) -> f64 {
    let k = k as f64;
    match law {
        BlockLaw::CubeLaplace => (k + 1.0) * (k + 2.0) / 3.0,
        BlockLaw::Laplace => 2.0,
        BlockLaw::EuclideanLaplace => k + 1.0,
        BlockLaw::Normal => 1.0,
    }
}

/// The noise of one block, on a lattice. spec: `own:shaped-tilt`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockNoise {
    places: Vec<usize>,
    lattice: Lattice,
    scale: Scale,
}

/// A law with its scale, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Cube(BlockScale),
    Laplace(BlockScale),
    Euclidean(EuclideanScale),
    Normal(NormalScale),
}

impl BlockNoise {
    /// Noise of this law for these places whose scale is at least `scale`, on a lattice that is finer by `finer`.
    pub(crate) fn new(
        places: Vec<usize>,
        law: BlockLaw,
        scale: f64,
        finer: f64,
    ) -> Result<Self, InvalidInput> {
        let lattice = Lattice::with_step_at_most(scale * finer)?;
        // Exact: the step is a power of two.
        let steps = scale / lattice.step();
        let scale = match law {
            BlockLaw::CubeLaplace => Scale::Cube(BlockScale::at_least(steps)?),
            BlockLaw::Laplace => Scale::Laplace(BlockScale::at_least(steps)?),
            BlockLaw::EuclideanLaplace => Scale::Euclidean(EuclideanScale::at_least(steps)?),
            BlockLaw::Normal => Scale::Normal(NormalScale::at_least(steps)?),
        };
        Ok(Self { places, lattice, scale })
    }

    /// The places of its coordinates among the parameters.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// Its law.
    pub fn law(&self) -> BlockLaw {
        match self.scale {
            Scale::Cube(_) => BlockLaw::CubeLaplace,
            Scale::Laplace(_) => BlockLaw::Laplace,
            Scale::Euclidean(_) => BlockLaw::EuclideanLaplace,
            Scale::Normal(_) => BlockLaw::Normal,
        }
    }

    /// The lattice that it is rounded to.
    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// The scale of the law, in steps.
    pub fn steps(&self) -> u64 {
        match self.scale {
            Scale::Cube(scale) | Scale::Laplace(scale) => scale.steps(),
            Scale::Euclidean(scale) => scale.steps(),
            Scale::Normal(scale) => scale.steps(),
        }
    }

    /// The scale of the law, not in steps.
    pub fn scale(&self) -> f64 {
        self.steps() as f64 * self.lattice.step()
    }

    /// The variance of one coordinate.
    pub fn variance(&self) -> f64 {
        variance(self.law(), self.places.len()) * self.scale().powi(2)
    }

    /// The Euclidean norm is larger with a probability below e^(−36): (2k + 50)·s for the norm of each Laplace law, (√k + 10)·s for
    /// the normal one.
    fn far(&self) -> f64 {
        let k = self.places.len() as f64;
        let scales = match self.law() {
            BlockLaw::CubeLaplace => k.sqrt() * (2.0 * k + 50.0),
            BlockLaw::Laplace | BlockLaw::EuclideanLaplace => 2.0 * k + 50.0,
            BlockLaw::Normal => k.sqrt() + 10.0,
        };
        scales * self.scale()
    }

    /// One vector of noise, in steps.
    fn draw<R: RandomBits>(&self, rng: &mut R) -> Vec<i128> {
        let k = self.places.len();
        match self.scale {
            Scale::Cube(scale) => cube_laplace(scale, k, rng),
            Scale::Laplace(scale) => (0..k).map(|_| rounded_laplace(scale, rng)).collect(),
            Scale::Euclidean(scale) => euclidean_laplace(scale, k, rng),
            Scale::Normal(scale) => (0..k).map(|_| rounded_normal(scale, rng)).collect(),
        }
    }
}

/// The law of the tilt b of objective perturbation. It is added to a gradient and never released. spec: `own:shaped-tilt`
#[derive(Clone, Debug, PartialEq)]
pub enum Tilt {
    /// One law for all parameters.
    Whole(LatticeNoise),
    /// Independent laws for the blocks of the rows' shape. spec: `own:shaped-tilt`
    Blocks(Arc<[BlockNoise]>),
}

impl Tilt {
    /// The one law, if there is one only.
    pub fn whole(&self) -> Option<&LatticeNoise> {
        match self {
            Self::Whole(noise) => Some(noise),
            Self::Blocks(_) => None,
        }
    }

    /// The laws of the blocks, where there are several.
    pub fn blocks(&self) -> &[BlockNoise] {
        match self {
            Self::Whole(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }

    /// The variance of each of d coordinates.
    pub fn variances(&self, dimension: usize) -> Vec<f64> {
        match self {
            Self::Whole(noise) => vec![noise.variance(dimension); dimension],
            Self::Blocks(blocks) => {
                let mut variances = vec![0.0; dimension];
                for block in &**blocks {
                    block.places.iter().for_each(|place| variances[*place] = block.variance());
                }
                variances
            }
        }
    }

    /// The sum of the variances.
    pub(crate) fn variance(&self, dimension: usize) -> f64 {
        self.variances(dimension).iter().sum()
    }

    /// ‖b‖₂ is larger with a probability of some e^(−36) for each block.
    pub(crate) fn far(&self, dimension: usize) -> f64 {
        let d = dimension as f64;
        match self {
            Self::Whole(noise) => {
                let scales = if let Law::Normal(_) = noise.law() { d.sqrt() + 10.0 } else { 2.0 * d + 50.0 };
                scales * noise.scale()
            }
            Self::Blocks(blocks) => blocks.iter().map(BlockNoise::far).sum(),
        }
    }

    /// The smallest and the largest scale.
    pub(crate) fn scales(&self) -> [f64; 2] {
        match self {
            Self::Whole(noise) => [noise.scale(); 2],
            Self::Blocks(blocks) => {
                let scales = || blocks.iter().map(BlockNoise::scale);
                [scales().fold(f64::INFINITY, f64::min), scales().fold(0.0, f64::max)]
            }
        }
    }

    /// Twice how far rounding to the lattices moves b at most, in the 2-norm.
    pub(crate) fn floor(&self, dimension: usize) -> f64 {
        match self {
            Self::Whole(noise) => (dimension as f64).sqrt() * noise.lattice().step(),
            Self::Blocks(blocks) => {
                let square = |block: &BlockNoise| block.places.len() as f64 * block.lattice.step().powi(2);
                // A few roundings of sums of squares.
                blocks.iter().map(square).sum::<f64>().sqrt() * 1.000_001
            }
        }
    }

    /// One b for d parameters: each coordinate is the nearest `f64` to a lattice point within half a step of the real one.
    pub(crate) fn draw<R: RandomBits>(&self, dimension: usize, rng: &mut R) -> Vec<f64> {
        match self {
            Self::Whole(noise) => noise.draw(dimension, rng),
            Self::Blocks(blocks) => {
                let mut tilt = vec![0.0; dimension];
                for block in &**blocks {
                    for (place, steps) in block.places.iter().zip(block.draw(rng)) {
                        // One rounding, of the integer; the product with a power of two is exact.
                        tilt[*place] = steps as f64 * block.lattice.step();
                    }
                }
                tilt
            }
        }
    }

    /// What a certificate says of it.
    pub(crate) fn recorded(
        &self,
        whole: impl FnOnce(&LatticeNoise) -> asap_contracts::Noise,
    ) -> asap_contracts::Tilt {
        match self {
            Self::Whole(noise) => whole(noise).into(),
            Self::Blocks(blocks) => {
                let recorded = |block: &BlockNoise| asap_contracts::BlockNoise {
                    columns: block.places.len() as u64,
                    law: block.law(),
                    exponent: block.lattice.exponent(),
                    steps: block.steps(),
                };
                asap_contracts::Tilt::Blocks(blocks.iter().map(recorded).collect())
            }
        }
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/blocks.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;

    /// Every column is in one group, in the order of the columns, and the intercept is with the numbers.
    #[test]
    fn groups_have_every_column_once() {
        let blocks = [
            Block::Cube { columns: 1 },
            Block::OneNorm { columns: 2, bound: 1.0 },
            Block::Cube { columns: 2 },
            Block::Ball { columns: 1, bound: 3.0 },
        ];
        let shape = Shape::new(blocks).unwrap();
        let places = |intercept| -> Vec<Vec<usize>> {
            Group::all(&shape, intercept).into_iter().map(|group| group.places).collect()
        };
        assert_eq!(places(true), [vec![0, 3, 4, 6], vec![1, 2], vec![5]]);
        assert_eq!(places(false), [vec![0, 3, 4], vec![1, 2], vec![5]]);
        let levels = Shape::new([Block::OneNorm { columns: 2, bound: 1.0 }]).unwrap();
        assert_eq!(Group::all(&levels, false).len(), 1);
        assert_eq!(Group::all(&levels, true)[0].places, [2], "the intercept alone");
    }
}
