//! The public geometry of a row: which columns are numbers, which are the levels of one category.
//! spec: `own:shaped-tilt`
//!
//! A Euclidean ball around a table of numbers and one-hot levels is far larger than the table, so noise that knows the
//! blocks is smaller. As in [`Ball`], membership is *as computed*, and clipping is certified against the same test.

use crate::ball::{Ball, first_accepted};
use crate::exact::{add_up, integer_up, mul_up, sqrt_up};
use crate::input::InvalidInput;
pub use asap_contracts::Block;
use std::sync::Arc;

/// The blocks of a row in the order of its columns, without the intercept. A clone is cheap. spec: `own:shaped-tilt`
///
/// ```
/// use asap_dp::shape::{Block, Shape};
/// // Two numbers scaled to [−1, 1], then a category of three levels, one-hot.
/// let shape = Shape::new([Block::Cube { columns: 2 }, Block::OneNorm { columns: 3, bound: 1.0 }])?;
/// assert!(shape.contains(&[0.5, -1.0, 0.0, 1.0, 0.0]) && !shape.contains(&[0.5, -1.0, 0.0, 1.0, 0.5]));
/// // √(1 + 1 + 1²), rounded up.
/// assert!((shape.norm() - 3.0_f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), asap_dp::InvalidInput>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    blocks: Arc<[Block]>,
    norm: f64,
}

/// The largest number of columns of a row.
pub(crate) const MAX_COLUMNS: usize = 1_000_000;

const BLOCKS: InvalidInput = InvalidInput {
    field: "blocks of columns",
    allowed: "1 to 1000000 columns in blocks of one column or more, each with a bound that is a finite number greater than 0 \
              and whose square is a normal floating-point number",
};

impl Shape {
    /// The shape with these blocks, which cover all columns.
    pub fn new(blocks: impl Into<Arc<[Block]>>) -> Result<Self, InvalidInput> {
        let blocks = blocks.into();
        let columns = blocks.iter().try_fold(0_u64, |sum, block| sum.checked_add(block.columns()));
        let allowed = columns.is_some_and(|columns| (1..=MAX_COLUMNS as u64).contains(&columns));
        let norm = norm(&blocks).filter(|_| allowed && blocks.iter().all(|block| block.columns() > 0));
        Ok(Self { norm: norm.ok_or(BLOCKS)?, blocks })
    }

    /// The blocks, in the order of the columns.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The number of columns, without the intercept.
    pub fn columns(&self) -> usize {
        self.blocks.iter().map(columns).sum()
    }

    /// No admissible row has a Euclidean norm above this, but for the rounding of computed norms.
    pub fn norm(&self) -> f64 {
        self.norm
    }

    /// Whether every block of the row is within its bound, as computed.
    pub fn contains(&self, row: &[f64]) -> bool {
        let mut rest = row;
        let inside = self.blocks.iter().all(|block| {
            let Some((part, after)) = rest.split_at_checked(columns(block)) else { return false };
            rest = after;
            holds(block, part)
        });
        inside && rest.is_empty()
    }

    /// Moves each block of the row to where it is within its bound: numbers to the ends of [−1, 1], the others
    /// towards 0. The result **always** passes [`Shape::contains`] if the row has as many columns, and a row that
    /// passes it stays. A block with a component that is no number becomes 0.
    pub fn clip(&self, row: &mut [f64]) {
        let mut rest = row;
        for block in &*self.blocks {
            let Some((part, after)) = rest.split_at_mut_checked(columns(block)) else { return };
            if !holds(block, part) {
                clip(block, part);
            }
            rest = after;
        }
    }
}

/// `√(Σ r²)` over the blocks, a number counting 1, rounded up.
fn norm(blocks: &[Block]) -> Option<f64> {
    let square = |block: &Block| match *block {
        Block::Cube { columns } => integer_up(columns),
        Block::OneNorm { bound, .. } | Block::Ball { bound, .. } => {
            let bound = InvalidInput::positive(BLOCKS.field, bound).ok()?;
            mul_up(bound, bound).filter(|square| square.is_normal())
        }
    };
    blocks.iter().try_fold(0.0, |sum, block| add_up(sum, square(block)?)).and_then(sqrt_up)
}

/// The columns of a block: at most [`MAX_COLUMNS`].
pub(crate) fn columns(block: &Block) -> usize {
    usize::try_from(block.columns()).unwrap_or(usize::MAX)
}

/// Whether the numbers of one block are within its bound, as computed.
#[inline]
fn holds(block: &Block, part: &[f64]) -> bool {
    match *block {
        // All of them, so that several are tested at once.
        Block::Cube { .. } => part.iter().fold(true, |all, x| all & (x.abs() <= 1.0)),
        Block::OneNorm { bound, .. } => one_norm(part) <= bound,
        Block::Ball { bound, .. } => crate::ball::norm(part) <= bound,
    }
}

/// Moves what is not within the bound.
fn clip(block: &Block, part: &mut [f64]) {
    if part.iter().any(|x| x.is_nan()) {
        part.fill(0.0);
        return;
    }
    match *block {
        Block::Cube { .. } => part.iter_mut().for_each(|x| *x = x.clamp(-1.0, 1.0)),
        Block::OneNorm { bound, .. } => {
            // At most 1 in absolute value, so that no sum is infinite; far away only the largest count.
            let largest = part.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
            let near: Vec<f64> = if largest.is_finite() {
                part.iter().map(|x| x / largest).collect()
            } else {
                part.iter().map(|x| if x.is_finite() { 0.0 } else { x.signum() }).collect()
            };
            let length = one_norm(&near);
            let candidate = |attempt| -> Vec<f64> {
                let reach = bound * crate::ball::shrinkage(attempt);
                near.iter().map(|x| x / length * reach).collect()
            };
            let inside = |point: &Vec<f64>| holds(block, point);
            let zero = vec![0.0; part.len()];
            part.copy_from_slice(&first_accepted(crate::ball::ATTEMPTS, candidate, inside, zero));
        }
        Block::Ball { bound, .. } => match Ball::new(vec![0.0; part.len()], bound) {
            Ok(ball) => ball.project_in_place(part),
            // Not reached: a block has a column, and its bound is a positive number.
            Err(_) => part.fill(0.0),
        },
    }
}

/// `Σ|x|` as computed: off by at most (k + 1)·2^−53 of itself, in whatever order. Four sums at once do
/// not wait for each other.
fn one_norm(part: &[f64]) -> f64 {
    let (fours, rest) = part.as_chunks::<4>();
    let sums = fours.iter().fold([0.0; 4], |[a, b, c, d], four| {
        let [x, y, z, w] = four.map(f64::abs);
        [a + x, b + y, c + z, d + w]
    });
    rest.iter().fold(sums.iter().sum(), |sum, x| sum + x.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::quickcheck;

    fn shape() -> Shape {
        let blocks = [
            Block::Cube { columns: 2 },
            Block::OneNorm { columns: 3, bound: 1.0 },
            Block::Ball { columns: 2, bound: 5.0 },
            Block::Cube { columns: 1 },
        ];
        Shape::new(blocks).unwrap()
    }

    #[test]
    fn constructors_refuse_what_is_no_shape() {
        let refused = |blocks: Vec<Block>| assert_eq!(Shape::new(blocks).unwrap_err(), BLOCKS);
        refused(vec![]);
        refused(vec![Block::Cube { columns: 0 }]);
        refused(vec![Block::Cube { columns: 1_000_001 }]);
        refused(vec![Block::Cube { columns: u64::MAX }, Block::Cube { columns: 2 }]);
        for bound in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e200, 1e-200] {
            refused(vec![Block::OneNorm { columns: 2, bound }]);
            refused(vec![Block::Ball { columns: 2, bound }]);
        }
    }

    #[test]
    fn a_row_is_clipped_block_by_block() {
        let shape = shape();
        assert_eq!(
            (shape.columns(), shape.norm()),
            (8, 29.0_f64.sqrt().next_up()),
            "2 + 1 + 25 + 1, rounded up"
        );
        let mut row = [0.5, -3.0, 1.0, -1.0, 2.0, 6.0, 8.0, 7.0];
        assert!(!shape.contains(&row));
        shape.clip(&mut row);
        assert_eq!(row, [0.5, -1.0, 0.25, -0.25, 0.5, 3.0, 4.0, 1.0]);
        assert!(shape.contains(&row) && !shape.contains(&row[..7]) && !shape.contains(&[0.0; 9]));
        let mut row = [f64::INFINITY, f64::NAN, f64::INFINITY, 1.0, f64::NEG_INFINITY, 1.0, 1.0, 0.25];
        shape.clip(&mut row);
        assert_eq!(row, [0.0, 0.0, 0.5, 0.0, -0.5, 1.0, 1.0, 0.25]);
    }

    /// Each block has a bound of its own: a row that a single Euclidean ball of the same norm admits is refused.
    #[test]
    fn each_bound_is_held_by_its_own_block() {
        let shape = shape();
        for (column, inside, outside) in
            [(0, 1.0, 1.0_f64.next_up()), (2, -1.0, -1.1), (5, 5.0, 5.1), (7, -1.0, -1.5)]
        {
            let mut row = [0.0; 8];
            row[column] = inside;
            assert!(shape.contains(&row), "{column}");
            row[column] = outside;
            assert!(!shape.contains(&row), "{column}");
        }
        assert!(!shape.contains(&[0.0, 0.0, 0.5, 0.5, -0.5, 0.0, 0.0, 0.0]), "the 1-norm, not the largest");
    }

    quickcheck! {
        fn what_is_clipped_is_inside(numbers: Vec<f64>, bound: f64, kind: u8) -> bool {
            let (columns, bound) = (numbers.len() as u64, bound.abs());
            let block = match kind % 3 {
                0 => Block::Cube { columns },
                1 => Block::OneNorm { columns, bound },
                _ => Block::Ball { columns, bound },
            };
            let Ok(shape) = Shape::new([block]) else { return true };
            let mut row = numbers.clone();
            shape.clip(&mut row);
            let same = row.iter().zip(&numbers).all(|(x, y)| x.to_bits() == y.to_bits());
            shape.contains(&row) && (same || !shape.contains(&numbers))
        }
    }
}
