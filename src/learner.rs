//! The way in: a private learner, by budget.

use crate::bounds::Bounds;
use crate::comparison::Comparison;
use crate::error::Error;
use crate::input::InvalidInput;
use crate::localise::PureNoise;
use crate::loss::Loss;
use crate::mechanism::{
    Calibration, Cost, Mechanism, NoisyGradient, NoisyGradientSettings, ObjectivePerturbation,
    ObjectiveSettings, Output, OutputSettings, Posterior, PosteriorSettings, SamplerKind,
};
use crate::noise::RandomBits;
use crate::objective::Sums;
use crate::plan::Planned;
use crate::prediction::{Guess, Prediction};
use crate::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use crate::private::Private;
use crate::problem::Problem;
use crate::regulariser;
use crate::release::Release;
use asap_contracts::ChosenRegulariser;

pub use crate::plan::{MechanismKind, Plan};

/// A private learner: give it a budget, then records. spec: `alg:twostage_dp_learner`, `thm:end2end_pure`
///
/// ```
/// use asap_dp::{data::*, learner::Learner, loss::Logistic, noise::SecureRng};
/// # let (features, targets) = (vec![0.3, -0.2, 0.1, 0.7, -0.5, 0.2], vec![1.0, 0.0, 1.0]);
/// let records = Records::new(Logistic, Bounds::new(1.0)?, OutOfBounds::Clip, features, targets)?;
/// let release = Learner::auto().epsilon(1.0)?.fit(&records, &mut SecureRng::new()?)?;
/// println!("{:?}", release.theta());
/// release.check()?;
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Learner {
    regulariser: Option<f64>,
    guarantee: Option<Guarantee>,
    neighbours: Neighbours,
    parameter_bound: Option<f64>,
    mechanism: Option<MechanismKind>,
    curvature: Option<f64>,
    settings: PosteriorSettings,
    steps: Option<u32>,
}

impl Learner {
    /// A learner for the total regulariser Λ, fixed before the records are seen.
    #[must_use]
    pub fn new(regulariser: f64) -> Self {
        Self { regulariser: Some(regulariser), ..Self::auto() }
    }

    /// A learner whose regulariser is chosen from the other public numbers; so is the parameter bound where the
    /// loss needs one. spec: `own:auto-regulariser`
    #[must_use]
    pub fn auto() -> Self {
        Self::default()
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

    /// Chooses the mechanism; unless set, the one that is predicted to miss least learns. spec: `own:auto`
    #[must_use]
    pub fn mechanism(self, mechanism: MechanismKind) -> Self {
        Self { mechanism: Some(mechanism), ..self }
    }

    /// A public guess of the curvature of the records' losses together (see [`Guess::with_curvature`]), for the
    /// choice of the mechanism and for noisy gradient descent. A wrong guess costs utility, never privacy.
    #[must_use]
    pub fn curvature(self, curvature: f64) -> Self {
        Self { curvature: Some(curvature), ..self }
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

    /// The public problem, for records with this loss, these bounds and this number of parameters. Its regulariser
    /// is chosen here if none was given, which takes a budget.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "a problem keeps its bounds, here once for each regulariser tried"
    )]
    pub fn problem<L: Loss>(
        &self,
        loss: L,
        bounds: Bounds,
        dimension: usize,
    ) -> Result<Problem<L>, InvalidInput> {
        let with = |regulariser: f64| {
            let problem = Problem::new(loss, bounds.clone(), dimension, regulariser)?
                .with_neighbours(self.neighbours)?;
            match self.parameter_bound.or_else(|| self.needed_bound(&problem)) {
                Some(radius) => problem.with_parameter_bound(radius),
                None => Ok(problem),
            }
        };
        match self.regulariser {
            Some(regulariser) => with(regulariser),
            None => with(self.best_regulariser(&loss, &bounds, with)?),
        }
    }

    /// The regulariser with which a release is predicted to be worth most, for problems that are alike but for it. What
    /// is refused everywhere is refused later as well, and the plan says why.
    fn best_regulariser<L: Loss>(
        &self,
        loss: &L,
        bounds: &Bounds,
        with: impl Fn(f64) -> Result<Problem<L>, InvalidInput>,
    ) -> Result<f64, InvalidInput> {
        // Where objective perturbation of the logistic loss has all of its budget for the tilt (own:joint-price).
        let curvature = loss.smoothness(bounds).unwrap_or(f64::INFINITY);
        let start = (4.0 * curvature
            / self.total()?.divided_by(bounds.rows_per_person().unwrap_or(1))?.parameter())
        .clamp(f64::MIN_POSITIVE, f64::MAX);
        // The value with the largest worth for a mechanism, and the price of that. A descent
        // needs less than the others.
        let priced = |kind: MechanismKind| {
            let start = if kind == MechanismKind::NoisyGradient { start / 16.0 } else { start };
            let predicted = |value: f64| self.predicted(kind, &with(value).ok()?);
            let value = regulariser::best(start, |value| Some(predicted(value)?.worth))?;
            Some((predicted(value)?.price(), value))
        };
        let least = |kinds: &[MechanismKind]| {
            kinds.iter().filter_map(|kind| priced(*kind)).min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let found = match self.mechanism {
            Some(kind) => least(&[kind]),
            None => least(self.leading()?).or_else(|| least(&[MechanismKind::Output])),
        };
        Ok(found.map_or(start, |(_, value)| value))
    }

    /// The parameter bound that is chosen with the regulariser for a loss whose slope grows without one:
    /// `½√(2φ(0)d/β)`, half of what no model needs to exceed that loses nothing where the curvature is spread evenly:
    /// a slope that is bounded more closely needs less noise.
    fn needed_bound<L: Loss>(&self, problem: &Problem<L>) -> Option<f64> {
        let needed = self.regulariser.is_none() && problem.lipschitz(0.0, f64::INFINITY).is_none();
        let (loss, bounds) = (problem.loss(), problem.bounds());
        let square =
            2.0 * loss.value_at_zero(bounds) * problem.dimension() as f64 / loss.smoothness(bounds)?;
        needed.then(|| (0.5 * square.sqrt()).clamp(f64::MIN_POSITIVE, f64::MAX))
    }

    /// What a mechanism will be worth for a problem; `None` where it is refused.
    pub(crate) fn predicted<L: Loss>(&self, kind: MechanismKind, problem: &Problem<L>) -> Option<Prediction> {
        self.plan_of(kind, problem).ok()?.predict(&self.guess(problem).ok()?).ok()
    }

    /// The mechanisms whose best regularisers are looked for where none was asked for by name. Under ε a descent pays
    /// for each of its steps in full, and is not among them.
    fn leading(&self) -> Result<&'static [MechanismKind], InvalidInput> {
        Ok(match self.total()? {
            Guarantee::Pure(_) => &[MechanismKind::Objective],
            Guarantee::Gaussian(_) => &[MechanismKind::Objective, MechanismKind::NoisyGradient],
        })
    }

    /// How the regulariser of a plan was chosen, if it was: for the mechanism that is planned,
    /// or for one that led to it.
    fn chosen_regulariser<L: Loss>(
        &self,
        problem: &Problem<L>,
        planned: Option<MechanismKind>,
    ) -> Result<Option<ChosenRegulariser>, Error> {
        if self.regulariser.is_some() {
            return Ok(None);
        }
        let recorded = |kind: MechanismKind| {
            regulariser::recorded(problem.regulariser(), |value| {
                Some(self.predicted(kind, &problem.clone().with_regulariser(value).ok()?)?.missed())
            })
        };
        let others = if self.mechanism.is_some() { &[][..] } else { self.leading()? };
        Ok(planned.into_iter().chain(others.iter().copied()).find_map(recorded))
    }

    /// What is asked for.
    pub(crate) fn total(&self) -> Result<Guarantee, InvalidInput> {
        let allowed = "epsilon or mu, one of them is needed";
        self.guarantee.ok_or(InvalidInput { field: "guarantee", allowed })
    }

    /// The mechanism that was asked for by name.
    pub(crate) fn planned_mechanism(&self) -> Option<MechanismKind> {
        self.mechanism
    }

    /// The guess of the curvature, if there is one.
    pub(crate) fn guessed_curvature(&self) -> Option<f64> {
        self.curvature
    }

    /// Whether the number of records is taken to be the default.
    pub(crate) fn rows_are_assumed(&self) -> bool {
        self.settings.expected_rows.is_none()
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
        // What was guessed of the records, and Λ on top.
        let curvature = self.curvature.map(|guess| problem.regulariser() + guess);
        let settings = NoisyGradientSettings { expected_rows, steps: self.steps, curvature };
        NoisyGradient::plan(problem, self.total()?, settings)
    }

    /// The plan of objective perturbation.
    pub fn objective<L: Loss>(&self, problem: &Problem<L>) -> Result<ObjectivePerturbation<L>, Error> {
        let PosteriorSettings { expected_rows, tolerance, .. } = self.settings;
        ObjectivePerturbation::plan(problem, self.total()?, ObjectiveSettings { expected_rows, tolerance })
    }

    /// The plan of the mechanism that learns: everything that is fixed before the records are seen. Whatever can be
    /// refused is refused here.
    pub fn plan<L: Loss>(&self, problem: &Problem<L>) -> Result<Plan<L>, Error> {
        let plan = if let Some(mechanism) = self.mechanism {
            match self.chosen_regulariser(problem, self.mechanism)? {
                None => self.plan_of(mechanism, problem),
                chosen => self.compared(&[mechanism], problem)?.into_best(chosen),
            }
        } else {
            let compared = self.compare(problem)?;
            let chosen = self.chosen_regulariser(problem, compared.best().map(|best| best.kind))?;
            compared.into_best(chosen)
        };
        plan?.accepted(problem, self.total()?)
    }

    fn plan_of<L: Loss>(&self, mechanism: MechanismKind, problem: &Problem<L>) -> Result<Plan<L>, Error> {
        let planned = match mechanism {
            MechanismKind::Posterior => Planned::Posterior(self.posterior(problem)?),
            MechanismKind::Output => Planned::Output(self.output(problem)?),
            MechanismKind::Objective => Planned::Objective(self.objective(problem)?),
            MechanismKind::NoisyGradient => Planned::NoisyGradient(self.noisy_gradient(problem)?),
        };
        Ok(Plan::of(planned))
    }

    /// All mechanisms side by side, by public numbers: the expected rows, and the guess of the curvature if there
    /// is one.
    pub fn compare<L: Loss>(&self, problem: &Problem<L>) -> Result<Comparison<L>, Error> {
        self.compared(&MechanismKind::ALL, problem)
    }

    fn compared<L: Loss>(
        &self,
        mechanisms: &[MechanismKind],
        problem: &Problem<L>,
    ) -> Result<Comparison<L>, Error> {
        // Without a budget there is nothing to compare.
        self.total()?;
        Ok(Comparison::new(mechanisms, self.guess(problem)?, |it| self.plan_of(it, problem)))
    }

    /// What the records are taken to be like: the expected rows, and the guess of the curvature if there is one.
    pub fn guess<L: Loss>(&self, problem: &Problem<L>) -> Result<Guess, InvalidInput> {
        let guess = Guess::expected(self.settings.expected_rows, problem.bounds())?;
        self.curvature.map_or(Ok(guess), |curvature| guess.with_curvature(curvature))
    }

    /// The plan for these records, of which it sees public numbers only.
    pub fn plan_for<S: Sums>(&self, records: &S) -> Result<Plan<S::Loss>, Error> {
        self.plan(&self.problem(*records.loss(), records.bounds().clone(), records.dimension())?)
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
        self.plan_for(records)?.release(records, rng)
    }
}
