//! What a tilt hides, with one law or with a law for each block. The page `own:shaped-tilt` has the proof.

use super::slack;
use crate::exact::Exact;
use crate::schema::{Block, BlockLaw, BlockNoise, Guarantee, Problem, Tilt};

/// One part of a tilt: the length of one row in the norm of its law, at most, and its scale.
struct TiltPart {
    length: Exact,
    scale: Exact,
}

/// Columns that have a law together, the largest length of their part of a row, and the law under ε.
struct ColumnGroup {
    count: u64,
    length: Exact,
    law: BlockLaw,
}

/// The cubes and the intercept together, if there are any; then each other block.
fn grouped(problem: &Problem) -> Option<Vec<ColumnGroup>> {
    let blocks = problem.shape.as_ref()?;
    let cube = |block: &Block| if let Block::Cube { columns } = *block { columns } else { 0 };
    let numbers = blocks.iter().map(cube).try_fold(u64::from(problem.intercept), u64::checked_add)?;
    let first = ColumnGroup { count: numbers, length: Exact::whole(1), law: BlockLaw::CubeLaplace };
    let others = blocks.iter().filter_map(|block| match *block {
        Block::Cube { .. } => None,
        Block::OneNorm { columns, bound } => Some((columns, bound, BlockLaw::Laplace)),
        Block::Ball { columns, bound } => Some((columns, bound, BlockLaw::EuclideanLaplace)),
    });
    // A sum or a norm is as computed; a number is compared with 1 as it is.
    let others = others.map(|(columns, bound, law)| ColumnGroup {
        count: columns,
        length: Exact::of(bound) * slack(),
        law,
    });
    Some((numbers > 0).then_some(first).into_iter().chain(others).collect())
}

impl Tilt {
    /// Every lattice step is a normal number.
    pub(super) fn lattice_fits(&self) -> bool {
        match self {
            Self::Whole(noise) => noise.lattice_fits(),
            Self::Blocks(parts) => parts.iter().all(|part| (-1022..=970).contains(&part.exponent)),
        }
    }

    /// Each law is one of the kind of the guarantee, in the 2-norm or in that of its block, and no scale is 0.
    pub(crate) fn buys(&self, problem: &Problem, guarantee: Guarantee) -> bool {
        match self {
            Self::Whole(noise) => noise.buys(guarantee) && noise.norm() == 2,
            Self::Blocks(parts) => {
                let law = |columns: &ColumnGroup| match guarantee {
                    Guarantee::Pure(_) => columns.law,
                    Guarantee::Gaussian(_) => BlockLaw::Normal,
                };
                let fits = |(part, columns): (&BlockNoise, &ColumnGroup)| {
                    part.columns == columns.count && part.law == law(columns) && part.steps >= 1
                };
                grouped(problem).is_some_and(|columns| {
                    columns.len() == parts.len() && parts.iter().zip(&columns).all(fits)
                })
            }
        }
    }

    /// Lengths in the norms of the laws, and scales, of a tilt that [buys](Tilt::buys) something.
    fn parts(&self, problem: &Problem, guarantee: Guarantee) -> Vec<TiltPart> {
        let Self::Blocks(parts) = self else { return Vec::new() };
        // The 2-norm of k numbers up to 1 is √k; other lengths are not below the 2-norm.
        let length = |columns: ColumnGroup| match (columns.law, guarantee) {
            (BlockLaw::CubeLaplace, Guarantee::Gaussian(_)) => Exact::whole(columns.count).root(),
            _ => columns.length,
        };
        let lengths = grouped(problem).unwrap_or_default().into_iter().map(length);
        let scale = |part: &BlockNoise| Exact::whole(part.steps) * Exact::power(part.exponent);
        parts.iter().zip(lengths).map(|(part, length)| TiltPart { length, scale: scale(part) }).collect()
    }

    /// Whether a real vector of these laws hides at the price ε that it was moved by a gradient: `Σ r/s·G/ρ ≤ ε`, r the
    /// length of a block, s its scale, and G/ρ not below the slope of the losses in which neighbours differ.
    pub(crate) fn hides_pure(&self, problem: &Problem, lipschitz: &Exact, share: &Exact) -> bool {
        if let Self::Whole(noise) = self {
            return noise.hides_exactly(lipschitz, &Exact::whole(0), share);
        }
        let parts = self.parts(problem, Guarantee::Pure(0.0));
        let moved = parts.iter().fold(Exact::whole(0), |sum, part| sum + part.length.over(&part.scale));
        !parts.is_empty() && moved * lipschitz <= share * Exact::of(problem.row_norm)
    }

    /// Whether a normal vector hides at the price μ, with `taken` already spent of it, that it was moved by a gradient:
    /// `Σ r²/σ²·(G/ρ)² ≤ (μ − taken)²`.
    pub(crate) fn hides_gaussian(
        &self,
        problem: &Problem,
        lipschitz: &Exact,
        taken: &Exact,
        share: &Exact,
    ) -> bool {
        if let Self::Whole(noise) = self {
            return noise.hides_exactly(lipschitz, taken, share);
        }
        let parts = self.parts(problem, Guarantee::Gaussian(0.0));
        let moved = parts
            .iter()
            .fold(Exact::whole(0), |sum, part| sum + part.length.squared().over(part.scale.squared()));
        let left = (share - taken) * Exact::of(problem.row_norm);
        !parts.is_empty() && moved * lipschitz.squared() <= left.squared()
    }

    /// Not below `√(Σ r²σ²)`: no row x is longer than this times its length in units of the deviations.
    pub(crate) fn stretch(&self, problem: &Problem) -> Exact {
        match self {
            Self::Whole(noise) => Exact::of(problem.row_norm) * noise.scale(),
            Self::Blocks(_) => self
                .parts(problem, Guarantee::Gaussian(0.0))
                .iter()
                .fold(Exact::whole(0), |sum, part| sum + (&part.length * &part.scale).squared())
                .root(),
        }
    }

    /// The square of how far rounding to the lattices moves a vector of d coordinates: each by half a step.
    pub(super) fn rounding(&self, dimension: &Exact) -> Exact {
        let half = |exponent: i32| Exact::power(exponent - 1).squared();
        match self {
            Self::Whole(noise) => half(noise.exponent()) * dimension,
            Self::Blocks(parts) => parts
                .iter()
                .fold(Exact::whole(0), |sum, part| sum + half(part.exponent) * Exact::whole(part.columns)),
        }
    }
}
