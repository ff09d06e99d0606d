//! The way in: a private learner, by mechanism and budget.

use crate::bounds::Bounds;
use crate::error::Error;
use crate::input::InvalidInput;
use crate::localise::PureNoise;
use crate::loss::Loss;
use crate::mechanism::{
    Calibration, Cost, Mechanism, NoisyGradient, NoisyGradientSettings, Output, OutputSettings, Posterior,
    PosteriorSettings, SamplerKind,
};
use crate::noise::RandomBits;
use crate::objective::Sums;
use crate::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use crate::private::Private;
use crate::problem::Problem;
use crate::release::Release;

/// Which mechanism learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MechanismKind {
    /// The posterior sample of the paper ([`Posterior`]).
    #[default]
    Posterior,
    /// Output perturbation alone ([`Output`]).
    Output,
    /// Noisy gradient descent ([`NoisyGradient`]).
    NoisyGradient,
}

/// A private learner: give it a regulariser and a budget, then records. spec: `alg:twostage_dp_learner`, `thm:end2end_pure`
///
/// ```
/// use asap_dp::{data::*, learner::Learner, loss::Logistic, noise::SecureRng};
/// # let (features, targets) = (vec![0.3, -0.2, 0.1, 0.7, -0.5, 0.2], vec![1.0, 0.0, 1.0]);
/// let records = Records::new(Logistic, Bounds::new(1.0)?, OutOfBounds::Clip, features, targets)?;
/// let release = Learner::new(5.0).epsilon(1.0)?.fit(&records, &mut SecureRng::new()?)?;
/// println!("{:?}", release.theta());
/// release.check()?;
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Learner {
    regulariser: f64,
    guarantee: Option<Guarantee>,
    neighbours: Neighbours,
    parameter_bound: Option<f64>,
    mechanism: MechanismKind,
    settings: PosteriorSettings,
    steps: Option<u32>,
    curvature: Option<f64>,
}

impl Learner {
    /// A learner for the total regulariser Λ, fixed before the records are seen.
    #[must_use]
    pub fn new(regulariser: f64) -> Self {
        Self {
            regulariser,
            guarantee: None,
            neighbours: Neighbours::default(),
            parameter_bound: None,
            mechanism: MechanismKind::default(),
            settings: PosteriorSettings::default(),
            steps: None,
            curvature: None,
        }
    }

    /// Asks for pure ε-DP.
    pub fn epsilon(self, epsilon: f64) -> Result<Self, InvalidInput> {
        Ok(self.guarantee(Guarantee::Pure(Epsilon::new(epsilon)?)))
    }

    /// Asks for μ-GDP.
    pub fn mu(self, mu: f64) -> Result<Self, InvalidInput> {
        Ok(self.guarantee(Guarantee::Gaussian(Mu::new(mu)?)))
    }

    /// Asks for a guarantee of either kind.
    #[must_use]
    pub fn guarantee(self, guarantee: Guarantee) -> Self {
        Self { guarantee: Some(guarantee), ..self }
    }

    /// Sets the neighbour relation; one record more or less unless set.
    #[must_use]
    pub fn neighbours(self, neighbours: Neighbours) -> Self {
        Self { neighbours, ..self }
    }

    /// Searches the minimiser in the ball of this radius around 0 only. For the squared loss a small one is worth
    /// a lot: its Lipschitz constant grows with it.
    #[must_use]
    pub fn parameter_bound(self, radius: f64) -> Self {
        Self { parameter_bound: Some(radius), ..self }
    }

    /// Chooses the mechanism; the posterior sample unless set.
    #[must_use]
    pub fn mechanism(self, mechanism: MechanismKind) -> Self {
        Self { mechanism, ..self }
    }

    /// Chooses the calibration of the posterior mechanism; `Tight` unless set.
    #[must_use]
    pub fn calibration(mut self, calibration: Calibration) -> Self {
        self.settings.calibration = calibration;
        self
    }

    /// Chooses the sampler of the posterior mechanism; the exact draw unless set.
    #[must_use]
    pub fn sampler(mut self, sampler: SamplerKind) -> Self {
        self.settings.sampler = sampler;
        self
    }

    /// Chooses the noise that is added to a minimiser under pure DP; Euclidean unless set.
    #[must_use]
    pub fn noise(mut self, noise: PureNoise) -> Self {
        self.settings.noise = noise;
        self
    }

    /// A public guess of the number of records. A wrong guess costs utility or time, never privacy.
    #[must_use]
    pub fn expected_rows(mut self, rows: u64) -> Self {
        self.settings.expected_rows = Some(rows);
        self
    }

    /// The accuracy τ of the minimiser; chosen from the other public numbers unless set.
    #[must_use]
    pub fn tolerance(mut self, tau: f64) -> Self {
        self.settings.tolerance = Some(tau);
        self
    }

    /// The longest chain of constrained MALA that is run at all; 2·10⁷ steps unless set.
    #[must_use]
    pub fn largest_chain(mut self, steps: u64) -> Self {
        self.settings.largest_chain = steps;
        self
    }

    /// The number of steps of noisy gradient descent; what is predicted to be best unless set.
    #[must_use]
    pub fn gradient_steps(self, steps: u32) -> Self {
        Self { steps: Some(steps), ..self }
    }

    /// A public guess of the curvature of J in a typical direction, for noisy gradient descent. A wrong guess costs utility or
    /// time, never privacy.
    #[must_use]
    pub fn curvature(self, guess: f64) -> Self {
        Self { curvature: Some(guess), ..self }
    }

    /// The public problem, for records with this loss, these bounds and this number of parameters.
    pub fn problem<L: Loss>(
        &self,
        loss: L,
        bounds: Bounds,
        dimension: usize,
    ) -> Result<Problem<L>, InvalidInput> {
        let problem =
            Problem::new(loss, bounds, dimension, self.regulariser)?.with_neighbours(self.neighbours)?;
        match self.parameter_bound {
            Some(radius) => problem.with_parameter_bound(radius),
            None => Ok(problem),
        }
    }

    /// What is asked for.
    fn total(&self) -> Result<Guarantee, InvalidInput> {
        let allowed = "epsilon or mu, one of them is needed";
        self.guarantee.ok_or(InvalidInput { field: "guarantee", allowed })
    }

    /// The plan of the posterior mechanism: everything that is fixed before the records are seen.
    pub fn posterior<L: Loss>(&self, problem: &Problem<L>) -> Result<Posterior<L>, Error> {
        Posterior::plan(problem, self.total()?, self.settings)
    }

    /// The plan of output perturbation.
    pub fn output<L: Loss>(&self, problem: &Problem<L>) -> Result<Output<L>, Error> {
        let PosteriorSettings { noise, tolerance, .. } = self.settings;
        Output::plan(problem, self.total()?, OutputSettings { noise, tolerance })
    }

    /// The plan of noisy gradient descent.
    pub fn noisy_gradient<L: Loss>(&self, problem: &Problem<L>) -> Result<NoisyGradient<L>, Error> {
        let PosteriorSettings { expected_rows, .. } = self.settings;
        let settings = NoisyGradientSettings { expected_rows, steps: self.steps, curvature: self.curvature };
        NoisyGradient::plan(problem, self.total()?, settings)
    }

    /// Learns a model that may be released.
    pub fn fit<S: Sums, R: RandomBits>(&self, records: &S, rng: &mut R) -> Result<Release, Error> {
        self.fit_measured(records, rng).map(|(release, _)| release)
    }

    /// Like [`Learner::fit`], with what it cost. The cost depends on the records and is private.
    pub fn fit_measured<S: Sums, R: RandomBits>(
        &self,
        records: &S,
        rng: &mut R,
    ) -> Result<(Release, Private<Cost>), Error> {
        let problem = self.problem(*records.loss(), *records.bounds(), records.dimension())?;
        match self.mechanism {
            MechanismKind::Posterior => self.posterior(&problem)?.release(records, rng),
            MechanismKind::Output => self.output(&problem)?.release(records, rng),
            MechanismKind::NoisyGradient => self.noisy_gradient(&problem)?.release(records, rng),
        }
    }
}
