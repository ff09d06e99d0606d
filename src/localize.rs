//! `alg:outpert`: approximate output perturbation on a lattice. It finds a private rough answer θ_0.

use crate::calibrate::{laplace_scale, minimiser_sensitivity, normal_scale, rounded_l1, rounded_l2};
use crate::error::Error;
use crate::loss::Loss;
use crate::model::Model;
use crate::noise::{Lattice, LatticeNoise, Provenance, RandomBits};
use crate::objective::Objective;
use crate::optimize::Minimiser;
use crate::privacy::Guarantee;
use crate::private::Private;

/// Everything about the localisation that is fixed before the records are seen: public.
/// spec: `alg:outpert`, `lem:OutPert_DP`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Localisation<L> {
    model: Model<L>,
    minimiser: Minimiser,
    share: Guarantee,
    sensitivity: f64,
    noise: LatticeNoise,
}

/// A released point, and the private one that it came from.
pub struct Localised {
    theta_0: Vec<f64>,
    theta_opt: Private<Vec<f64>>,
    provenance: Provenance,
}

impl<L: Loss + Copy> Localisation<L> {
    /// The lattice is finer than the sensitivity by this factor (and √d): rounding adds one part in 4096.
    const FINENESS: f64 = 4096.0;

    /// Calibrates noise for a share of the budget.
    pub fn new(model: &Model<L>, minimiser: Minimiser, share: Guarantee) -> Result<Self, Error> {
        let lipschitz = model.minimiser_lipschitz().ok_or(Error::Aborted)?;
        let sensitivity = minimiser_sensitivity(lipschitz, model.regulariser(), minimiser.tolerance())?;
        let lattice =
            Lattice::with_step_at_most(sensitivity / (Self::FINENESS * (model.dimension() as f64).sqrt()))?;
        let (dimension, step) = (model.dimension() as u64, lattice.step());
        let noise = match share {
            Guarantee::Pure(epsilon) => LatticeNoise::laplace(
                lattice,
                laplace_scale(epsilon, rounded_l1(sensitivity, dimension, step)?)?,
            ),
            Guarantee::Gaussian(mu) => {
                LatticeNoise::normal(lattice, normal_scale(mu, rounded_l2(sensitivity, dimension, step)?)?)
            }
        }?;
        Ok(Self { model: *model, minimiser, share, sensitivity, noise })
    }

    /// Δ̃: how far θ_opt can move between neighbours (2-norm).
    pub fn sensitivity(&self) -> f64 {
        self.sensitivity
    }

    /// How θ_opt is found.
    pub fn minimiser(&self) -> &Minimiser {
        &self.minimiser
    }

    /// The share of the budget that the release spends.
    pub fn share(&self) -> Guarantee {
        self.share
    }

    /// The noise that is added.
    pub fn noise(&self) -> &LatticeNoise {
        &self.noise
    }

    /// Finds the minimiser, adds the noise and releases θ_0.
    pub fn run<R: RandomBits>(&self, objective: &Objective<L>, rng: &mut R) -> Result<Localised, Error> {
        let theta_opt = self.minimiser.run(objective, &self.model)?;
        let theta_0 = self.noise.perturb(theta_opt.inner(), rng);
        Ok(Localised { theta_0, theta_opt, provenance: R::PROVENANCE })
    }
}

impl Localised {
    /// θ_0: released.
    pub fn theta_0(&self) -> &[f64] {
        &self.theta_0
    }

    /// Whether the noise came from a secure generator. If not, θ_0 is **not** private.
    pub fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// The released point and the private minimiser.
    pub fn into_parts(self) -> (Vec<f64>, Private<Vec<f64>>) {
        (self.theta_0, self.theta_opt)
    }
}
