//! Noise that is never released: the tilt of objective perturbation, with one law or with a law
//! for each block of columns.

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
    scale: LawScale,
}

/// A law with its scale, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LawScale {
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
            BlockLaw::CubeLaplace => LawScale::Cube(BlockScale::at_least(steps)?),
            BlockLaw::Laplace => LawScale::Laplace(BlockScale::at_least(steps)?),
            BlockLaw::EuclideanLaplace => LawScale::Euclidean(EuclideanScale::at_least(steps)?),
            BlockLaw::Normal => LawScale::Normal(NormalScale::at_least(steps)?),
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
            LawScale::Cube(_) => BlockLaw::CubeLaplace,
            LawScale::Laplace(_) => BlockLaw::Laplace,
            LawScale::Euclidean(_) => BlockLaw::EuclideanLaplace,
            LawScale::Normal(_) => BlockLaw::Normal,
        }
    }

    /// The lattice that it is rounded to.
    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// The scale of the law, in steps.
    pub fn steps(&self) -> u64 {
        match self.scale {
            LawScale::Cube(scale) | LawScale::Laplace(scale) => scale.steps(),
            LawScale::Euclidean(scale) => scale.steps(),
            LawScale::Normal(scale) => scale.steps(),
        }
    }

    /// The scale of the law, not in steps.
    pub fn scale(&self) -> f64 {
        self.steps() as f64 * self.lattice.step()
    }

    /// The variance of one coordinate.
    fn variance(&self) -> f64 {
        variance(self.law(), self.places.len()) * self.scale().powi(2)
    }

    /// The Euclidean norm is larger with a probability below e^(−36): (2k + 50)·s for the norm of each Laplace law,
    /// (√k + 10)·s for the normal one.
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
            LawScale::Cube(scale) => cube_laplace(scale, k, rng),
            LawScale::Laplace(scale) => (0..k).map(|_| rounded_laplace(scale, rng)).collect(),
            LawScale::Euclidean(scale) => euclidean_laplace(scale, k, rng),
            LawScale::Normal(scale) => (0..k).map(|_| rounded_normal(scale, rng)).collect(),
        }
    }
}

/// The law of the tilt b of objective perturbation. It is added to a gradient and never released.
/// spec: `own:shaped-tilt`
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

    /// Whether the law of each block is that of the columns of its group.
    pub(crate) fn is_laid_out(&self, shape: Option<&Shape>, intercept: bool) -> bool {
        let Self::Blocks(blocks) = self else { return true };
        let groups = shape.map(|shape| Group::all(shape, intercept)).unwrap_or_default();
        blocks.iter().map(|block| &block.places).eq(groups.iter().map(|group| &group.places))
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

    /// One b for d parameters: each coordinate is the nearest `f64` to a lattice point within
    /// half a step of the real one.
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
    pub(crate) fn recorded(&self, whole: fn(&LatticeNoise) -> asap_contracts::Noise) -> asap_contracts::Tilt {
        match self {
            Self::Whole(noise) => asap_contracts::Tilt::Whole(whole(noise)),
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
    use crate::noise::ReplayRng;

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

    const LAWS: [BlockLaw; 4] =
        [BlockLaw::CubeLaplace, BlockLaw::Laplace, BlockLaw::EuclideanLaplace, BlockLaw::Normal];

    /// Four columns and a scale of 3, by hand from the page: nothing is rounded.
    #[test]
    fn every_law_has_its_variance_and_its_reach() {
        for ((law, variance), far) in
            LAWS.into_iter().zip([10.0, 2.0, 5.0, 1.0]).zip([348.0, 174.0, 174.0, 36.0])
        {
            let block = BlockNoise::new(vec![6, 0, 3, 1], law, 3.0, 2.0_f64.powi(-10)).unwrap();
            // 3·2⁻¹⁰ is above 2⁻⁹, and 3 is 1536 of these.
            assert_eq!((block.law(), block.lattice().exponent(), block.steps()), (law, -9, 1536));
            assert_eq!((block.scale(), block.variance(), block.far()), (3.0, 9.0 * variance, far), "{law:?}");
            let group = Group { places: block.places.clone(), law, block: None };
            assert_eq!((group.variance(3.0, false), group.variance(3.0, true)), (36.0 * variance, 36.0));
        }
    }

    #[test]
    fn a_tilt_is_what_its_blocks_are() {
        let finer = 2.0_f64.powi(-10);
        let block = |places, law, scale| BlockNoise::new(places, law, scale, finer).unwrap();
        let tilt = Tilt::Blocks(
            [block(vec![4, 0, 2, 1], BlockLaw::Laplace, 3.0), block(vec![3], BlockLaw::Normal, 5.0)].into(),
        );
        assert_eq!(tilt.variances(5), [18.0, 18.0, 18.0, 25.0, 18.0]);
        assert_eq!((tilt.variance(5), tilt.far(5), tilt.scales()), (97.0, 174.0 + 55.0, [3.0, 5.0]));
        assert_eq!((tilt.blocks().len(), tilt.whole()), (2, None));
        // Steps of 2⁻⁹ and 2⁻⁸: 4·4⁻⁹ + 4⁻⁸ = 2·4⁻⁸.
        assert!((tilt.floor(5) / (2.0_f64.sqrt() * 2.0_f64.powi(-8)) - 1.000_001).abs() < 1e-12);
        let lattice = Lattice::new(-1).unwrap();
        for (noise, variance, far) in [
            (LatticeNoise::normal(lattice, 3.0).unwrap(), 9.0, 36.0),
            (LatticeNoise::euclidean_laplace(lattice, 3.0).unwrap(), 45.0, 174.0),
        ] {
            let tilt = Tilt::Whole(noise);
            assert_eq!((tilt.variances(4), tilt.variance(4)), (vec![variance; 4], 4.0 * variance));
            assert_eq!((tilt.far(4), tilt.floor(4), tilt.scales()), (far, 1.0, [3.0; 2]));
            assert_eq!((tilt.blocks().len(), tilt.whole()), (0, Some(&noise)));
        }
    }

    /// One law after the other, each from the words that follow, at the places of its columns and in its steps.
    #[test]
    fn a_tilt_draws_its_blocks_in_order() {
        let blocks: Vec<BlockNoise> = LAWS
            .into_iter()
            .zip([vec![1, 6], vec![0, 3], vec![7, 2], vec![5, 4]])
            .map(|(law, places)| BlockNoise::new(places, law, 3.0, 2.0_f64.powi(-10)).unwrap())
            .collect();
        let drawn = Tilt::Blocks(blocks.into()).draw(8, &mut ReplayRng::new(5));
        let mut rng = ReplayRng::new(5);
        let scale = BlockScale::new(1536).unwrap();
        let cube = cube_laplace(scale, 2, &mut rng);
        let plain = [(); 2].map(|()| rounded_laplace(scale, &mut rng));
        let ball = euclidean_laplace(EuclideanScale::new(1536).unwrap(), 2, &mut rng);
        let normal = [(); 2].map(|()| rounded_normal(NormalScale::new(1536).unwrap(), &mut rng));
        let steps = [plain[0], cube[0], ball[1], plain[1], normal[1], normal[0], cube[1], ball[0]];
        assert_eq!(drawn, steps.map(|steps| steps as f64 / 512.0));
    }

    /// A column without noise of its own, or with that of another block, is seen before anything is drawn.
    #[test]
    fn laws_of_other_columns_are_seen() {
        let columns = [Block::Cube { columns: 2 }, Block::OneNorm { columns: 2, bound: 1.0 }];
        let shape = Shape::new(columns).unwrap();
        let tilt = |places: [Vec<usize>; 2]| {
            let laws = [BlockLaw::CubeLaplace, BlockLaw::Laplace];
            let block = |(places, law)| BlockNoise::new(places, law, 1.0, 0.5).unwrap();
            Tilt::Blocks(places.into_iter().zip(laws).map(block).collect())
        };
        let right = tilt([vec![0, 1], vec![2, 3]]);
        assert!(right.is_laid_out(Some(&shape), false));
        assert!(!right.is_laid_out(None, false) && !right.is_laid_out(Some(&shape), true));
        for wrong in [[vec![0, 1], vec![2, 2]], [vec![0, 2], vec![1, 3]], [vec![2, 3], vec![0, 1]]] {
            assert!(!tilt(wrong.clone()).is_laid_out(Some(&shape), false), "{wrong:?}");
        }
    }
}
