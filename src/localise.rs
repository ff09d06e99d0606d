//! `alg:outpert`: approximate output perturbation on a lattice. It finds a private rough answer
//! θ_0, or the whole release.

use crate::calibrate::{laplace_scale, minimiser_sensitivity, normal_scale, rounded_l1, rounded_l2};
use crate::error::Error;
use crate::loss::Loss;
use crate::noise::{Lattice, LatticeNoise, RandomBits, Randomness};
use crate::objective::{Objective, Sums};
use crate::optimise::{Found, Minimiser};
use crate::privacy::Guarantee;
use crate::private::Private;

/// The noise of pure differential privacy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PureNoise {
    /// Density ∝ e^(−‖z‖₂/s): its norm is about √2 smaller than that of the other. spec: `own:euclidean-laplace`
    #[default]
    Euclidean,
    /// Independent Laplace noise in each coordinate, as in the paper. spec: `own:discrete-laplace`
    Laplace,
}

/// Everything about output perturbation that is fixed before the records are seen: public.
/// spec: `alg:outpert`, `lem:OutPert_DP`
///
/// Problem and accuracy come with the minimiser: there is no place for a second problem.
///
/// ```compile_fail,E0308
/// # use asap_dp::{bounds::Bounds, loss::Logistic, localise::*, optimise::Minimiser, privacy::*, problem::Problem};
/// # let narrow = Problem::new(Logistic, Bounds::new(1.0)?, 1, 100.0)?;
/// # let wide = Problem::new(Logistic, Bounds::new(1.0)?, 1, 0.01)?;
/// let share = Guarantee::Pure(Epsilon::new(1.0)?);
/// let localisation = Localisation::new(&narrow, Minimiser::new(&wide)?, share)?;
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Localisation<L> {
    minimiser: Minimiser<L>,
    share: Guarantee,
    sensitivity: f64,
    noise: LatticeNoise,
}

/// A released point, and the private one that it came from.
pub struct Localised {
    theta_0: Vec<f64>,
    found: Found,
    provenance: Randomness,
}

impl<L: Loss> Localisation<L> {
    /// The lattice is finer than the sensitivity by this factor (and √d): rounding adds one part in 4096.
    const FINENESS: f64 = 4096.0;

    /// So many scales of noise beyond the farthest minimiser a release may be.
    const SCALES: f64 = 1024.0;

    /// Calibrates noise for a share of the budget.
    pub fn new(minimiser: Minimiser<L>, pure: PureNoise, share: Guarantee) -> Result<Self, Error> {
        let problem = minimiser.problem();
        let sensitivity = minimiser_sensitivity(
            problem.minimiser_lipschitz(),
            problem.regulariser(),
            minimiser.tolerance(),
        )?;
        let dimension = problem.dimension() as u64;
        let finest = Lattice::with_step_at_most(sensitivity / (Self::FINENESS * (dimension as f64).sqrt()))?;
        let calibrated = |lattice: Lattice| {
            let two = || rounded_l2(sensitivity, dimension, lattice.step());
            Ok::<_, Error>(match (share, pure) {
                (Guarantee::Pure(epsilon), PureNoise::Laplace) => {
                    let one = rounded_l1(sensitivity, dimension, lattice.step())?;
                    LatticeNoise::laplace(lattice, laplace_scale(epsilon, one)?)
                }
                (Guarantee::Pure(epsilon), PureNoise::Euclidean) => {
                    LatticeNoise::euclidean_laplace(lattice, laplace_scale(epsilon, two()?)?)
                }
                (Guarantee::Gaussian(mu), _) => LatticeNoise::normal(lattice, normal_scale(mu, two()?)?),
            }?)
        };
        let noise = LatticeNoise::reaching(finest, problem.largest_minimiser(), Self::SCALES, calibrated)?;
        Ok(Self { minimiser, share, sensitivity, noise })
    }

    /// Δ̃: how far θ_opt can move between neighbours (2-norm).
    pub fn sensitivity(&self) -> f64 {
        self.sensitivity
    }

    /// How θ_opt is found.
    pub fn minimiser(&self) -> &Minimiser<L> {
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

    /// The largest coordinate of a release, a lattice point: beyond 1024 scales of the noise, where next to none gets.
    fn limit(&self) -> f64 {
        let far = self.minimiser.problem().largest_minimiser() + Self::SCALES * self.noise.scale();
        let lattice = self.noise.lattice();
        lattice.point(lattice.round_clamped(far))
    }

    /// Not below the norm of any release.
    pub fn farthest(&self) -> f64 {
        (self.minimiser.problem().dimension() as f64).sqrt() * self.limit() * (1.0 + 1e-9)
    }

    /// Finds the minimiser, adds the noise and releases θ_0. The objective must belong to the minimiser's problem.
    pub fn run<S: Sums<Loss = L>, R: RandomBits>(
        &self,
        objective: &Objective<'_, S>,
        rng: &mut R,
    ) -> Result<Localised, Error> {
        let found = self.minimiser.find(objective)?;
        let mut theta_0 = self.noise.perturb(&Private::new(found.theta.clone()), rng);
        // Post-processing, and next to never: a plan must hold for every θ_0 that can come out.
        let limit = self.limit();
        for x in &mut theta_0 {
            *x = x.clamp(-limit, limit);
        }
        Ok(Localised { theta_0, found, provenance: R::PROVENANCE })
    }
}

impl Localised {
    /// θ_0: released.
    pub fn theta_0(&self) -> &[f64] {
        &self.theta_0
    }

    /// Whether the noise came from a secure generator. If not, θ_0 is **not** private.
    pub fn provenance(&self) -> Randomness {
        self.provenance
    }

    /// The private minimiser that θ_0 was made from.
    pub fn minimiser(&self) -> Private<Vec<f64>> {
        Private::new(self.found.theta.clone())
    }

    /// The released point, and what the search knows.
    pub(crate) fn into_parts(self) -> (Vec<f64>, Found) {
        (self.theta_0, self.found)
    }
}
