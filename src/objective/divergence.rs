//! The sum over the records of the Bregman divergences of their losses: how far J without its regulariser is above
//! its tangent. spec: `own:objective`
//!
//! `Σ_i φ(⟨x_i, x_0 + v⟩) − φ(⟨x_i, x_0⟩) − φ′(⟨x_i, x_0⟩)·⟨x_i, v⟩` as a difference of two values of J would be off by some
//! units of the last place of J; as a sum of what each record contributes it is off by some units of the last
//! place of `n·R‖v‖` ([`divergence_rounding_bound`](super::divergence_rounding_bound)).

use super::Objective;
use super::kernels::{inner_product, predict, predict_pair};
use super::partition::BLOCK_ROWS;
use super::workspace::{Partial, Workspace};
use crate::error::InvalidInput;
use crate::loss::Loss;
use crate::private::Private;
use rayon::prelude::*;

/// The divergences of the records of one strip: `x` holds their rows, one after the other.
fn strip<L: Loss>(loss: &L, x: &[f64], targets: &[f64], anchor: &[f64], v: &[f64]) -> f64 {
    let (mut predictions, mut moves) = ([0.0; BLOCK_ROWS], [0.0; BLOCK_ROWS]);
    let (z, t) = (&mut predictions[..targets.len()], &mut moves[..targets.len()]);
    predict_pair(x, [anchor, v], z, t);
    loss.divergences(z, t, targets)
}

impl<L: Loss> Objective<'_, L> {
    /// How far the sum of the losses at `anchor + v` is above its tangent at `anchor`. The gradient in the
    /// workspace is then that of no point.
    pub fn evaluate_divergence(
        &self,
        anchor: &[f64],
        v: &[f64],
        workspace: &mut Workspace,
    ) -> Result<Private<f64>, InvalidInput> {
        self.check(anchor)?;
        self.check(v)?;
        Ok(Private::new(self.divergence(anchor, v, workspace)))
    }

    pub(crate) fn divergence(&self, anchor: &[f64], v: &[f64], workspace: &mut Workspace) -> f64 {
        workspace.fit(self.partition.chunks(), self.dimension());
        if let Some(quadratic) = &self.quadratic {
            let product = &mut workspace.result[1..];
            predict(quadratic.matrix().as_slice(), v, product);
            let sum = 0.5 * inner_product(product, v);
            // The true sum is not negative. Not `max`: a NaN has to stay a NaN.
            return if sum < 0.0 { 0.0 } else { sum };
        }
        let work = |(index, partial): (usize, &mut Partial)| self.divergences(index, anchor, v, partial);
        if self.partition.is_parallel() {
            workspace.partials.par_iter_mut().enumerate().for_each(work);
        } else {
            workspace.partials.iter_mut().enumerate().for_each(work);
        }
        workspace.join();
        workspace.result[0]
    }

    fn divergences(&self, index: usize, anchor: &[f64], v: &[f64], partial: &mut Partial) {
        let d = self.dimension();
        partial.total.clear();
        for block in self.partition.blocks(index) {
            let mut sum = 0.0;
            for rows in self.partition.strips(block) {
                let x = &self.records.features()[rows.start * d..rows.end * d];
                sum += strip(self.records.loss(), x, &self.records.targets()[rows], anchor, v);
            }
            partial.total.add(0, &[sum]);
        }
    }
}
