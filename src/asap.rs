//! `alg:asap`: approximate sample perturbation, over any reference mechanism and any black-box sampler.

use crate::calibrate::{asap_l1, asap_l2, laplace_scale, normal_scale};
use crate::error::{Error, InvalidInput};
use crate::noise::{Lattice, LatticeNoise, RandomBits};
use crate::privacy::Guarantee;
use crate::private::Private;

/// Noise that turns a sample within Wasserstein-∞ distance Δ of a private reference sample into a private release.
/// spec: `alg:asap`, `thm:asap_privacy`
///
/// Claim of the caller: for **every** data set the law of the black-box sample is within `error` of the law of a
/// reference mechanism, in the 1-norm for pure DP and in the 2-norm for GDP. If the reference mechanism satisfies
/// some guarantee, the release satisfies its composition with `share`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asap {
    error: f64,
    dimension: usize,
    share: Guarantee,
    noise: LatticeNoise,
}

impl Asap {
    /// Rounding to the lattice adds at most one part in this many to the error.
    const FINENESS: f64 = 128.0;

    /// Calibrates the noise for a declared error Δ and a share of the budget.
    pub fn new(error: f64, dimension: usize, share: Guarantee) -> Result<Self, Error> {
        InvalidInput::positive("wasserstein error", error)?;
        let d = dimension as u64;
        let root = match share {
            Guarantee::Pure(_) => dimension as f64,
            Guarantee::Gaussian(_) => (dimension as f64).sqrt(),
        };
        let lattice = Lattice::with_step_at_most(2.0 * error / (Self::FINENESS * root))?;
        let noise = match share {
            Guarantee::Pure(epsilon) => {
                LatticeNoise::laplace(lattice, laplace_scale(epsilon, asap_l1(error, d, lattice.step())?)?)
            }
            Guarantee::Gaussian(mu) => {
                LatticeNoise::normal(lattice, normal_scale(mu, asap_l2(error, d, lattice.step())?)?)
            }
        }?;
        Ok(Self { error, dimension, share, noise })
    }

    /// Δ, without the rounding to the lattice.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The share of the budget that the noise spends.
    pub fn share(&self) -> Guarantee {
        self.share
    }

    /// The noise that is added.
    pub fn noise(&self) -> &LatticeNoise {
        &self.noise
    }

    /// Perturbs a sample; the result may be released.
    pub fn release<R: RandomBits>(&self, sample: &Private<Vec<f64>>, rng: &mut R) -> Result<Vec<f64>, Error> {
        if sample.inner().len() == self.dimension {
            Ok(self.noise.perturb(sample.inner(), rng))
        } else {
            Err(Error::Aborted)
        }
    }
}
