//! Rounding to the lattice and adding noise: the only way from a private point to a released one.

use super::{LaplaceScale, Lattice, NormalScale, RandomBits, discrete_laplace, rounded_normal};
use crate::input::InvalidInput;

/// Noise on a lattice, one independent draw per coordinate.
///
/// spec: `own:lattice`, used by `alg:asap` and `alg:outpert`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatticeNoise {
    lattice: Lattice,
    law: Law,
}

/// The law of the noise, in lattice steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Discrete Laplace, for pure differential privacy.
    Laplace(LaplaceScale),
    /// Rounded normal, for Gaussian differential privacy.
    Normal(NormalScale),
}

impl LatticeNoise {
    /// Discrete Laplace noise whose scale is at least `scale`.
    pub fn laplace(lattice: Lattice, scale: f64) -> Result<Self, InvalidInput> {
        let steps = Self::steps(lattice, scale)?;
        Ok(Self { lattice, law: Law::Laplace(LaplaceScale::at_least(steps)?) })
    }

    /// Rounded normal noise whose standard deviation is at least `deviation`.
    pub fn normal(lattice: Lattice, deviation: f64) -> Result<Self, InvalidInput> {
        let steps = Self::steps(lattice, deviation)?;
        Ok(Self { lattice, law: Law::Normal(NormalScale::at_least(steps)?) })
    }

    /// `scale/g`. Exact: g is a power of two and the quotient is at least 1, so it is a normal number.
    fn steps(lattice: Lattice, scale: f64) -> Result<f64, InvalidInput> {
        if scale >= lattice.step() {
            Ok(scale / lattice.step())
        } else {
            Err(InvalidInput { field: "noise scale", allowed: "a number not below the lattice step" })
        }
    }

    /// The lattice.
    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// The law of one coordinate.
    pub fn law(&self) -> Law {
        self.law
    }

    /// Rounds a private point to the lattice and adds the noise; the result may be released.
    /// It never fails: what lies outside of the lattice's range is clamped, before and after.
    pub(crate) fn perturb<R: RandomBits>(&self, point: &[f64], rng: &mut R) -> Vec<f64> {
        point
            .iter()
            .map(|&coordinate| {
                let noise = match self.law {
                    Law::Laplace(scale) => discrete_laplace(scale, rng),
                    Law::Normal(scale) => rounded_normal(scale, rng),
                };
                self.lattice.point(Lattice::add(self.lattice.round_clamped(coordinate), noise))
            })
            .collect()
    }
}
