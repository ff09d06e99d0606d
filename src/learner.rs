//! `alg:twostage_dp_learner`: the end-to-end private learner.

use crate::calibrate::PaperChain;
use crate::certificate::Certificate;
use crate::data::{Bounds, Records};
use crate::error::{Error, InvalidInput};
use crate::loss::Loss;
use crate::model::Model;
use crate::noise::RandomBits;
use crate::objective::{Objective, Workspace};
use crate::plan::{Calibration, Plan, Reference, SamplerKind, Settings};
use crate::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use crate::private::Private;
use crate::sampler::{Draw, Effort, Everywhere, Mala, OnBall, Potential, Proximal, Sampler, WithFallback};

pub use crate::release::Release;

/// A private learner: localisation, posterior sample, perturbation. spec: `alg:twostage_dp_learner`, `thm:end2end_pure`
///
/// ```
/// use asap_dp::{data::*, learner::Learner, loss::Logistic, noise::SecureRng};
/// # let (features, targets) = (vec![0.3, -0.2, 0.1, 0.7, -0.5, 0.2], vec![1.0, 0.0, 1.0]);
/// let records = Records::new(Logistic, Bounds::new(1.0)?, OutOfBounds::Clip, features, targets)?;
/// let release = Learner::new(5.0).epsilon(1.0)?.fit(&records, &mut SecureRng::new()?)?;
/// println!("{:?}", release.theta());
/// release.certificate().check()?;
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Learner {
    regulariser: f64,
    guarantee: Option<Guarantee>,
    neighbours: Neighbours,
    parameter_bound: Option<f64>,
    calibration: Calibration,
    sampler: SamplerKind,
    expected_rows: u64,
    tolerance: Option<f64>,
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
            calibration: Calibration::default(),
            sampler: SamplerKind::default(),
            expected_rows: Settings::DEFAULT_EXPECTED_ROWS,
            tolerance: None,
        }
    }

    /// Asks for pure ε-DP.
    pub fn epsilon(self, epsilon: f64) -> Result<Self, InvalidInput> {
        Ok(Self { guarantee: Some(Guarantee::Pure(Epsilon::new(epsilon)?)), ..self })
    }

    /// Asks for μ-GDP.
    pub fn mu(self, mu: f64) -> Result<Self, InvalidInput> {
        Ok(Self { guarantee: Some(Guarantee::Gaussian(Mu::new(mu)?)), ..self })
    }

    /// Sets the neighbour relation; one record more or less unless set.
    #[must_use]
    pub fn neighbours(self, neighbours: Neighbours) -> Self {
        Self { neighbours, ..self }
    }

    /// Searches the rough answer in the ball of this radius around 0 only. For the squared loss a small one is worth
    /// a lot: its Lipschitz constant grows with it.
    #[must_use]
    pub fn parameter_bound(self, radius: f64) -> Self {
        Self { parameter_bound: Some(radius), ..self }
    }

    /// Chooses the calibration; `Tight` unless set.
    #[must_use]
    pub fn calibration(self, calibration: Calibration) -> Self {
        Self { calibration, ..self }
    }

    /// Chooses the sampler; proximal unless set.
    #[must_use]
    pub fn sampler(self, sampler: SamplerKind) -> Self {
        Self { sampler, ..self }
    }

    /// A public guess of the number of records. A wrong guess costs utility or time, never privacy.
    #[must_use]
    pub fn expected_rows(self, rows: u64) -> Self {
        Self { expected_rows: rows, ..self }
    }

    /// The accuracy τ of the minimiser; chosen from the other public numbers unless set.
    #[must_use]
    pub fn tolerance(self, tau: f64) -> Self {
        Self { tolerance: Some(tau), ..self }
    }

    /// Everything that is fixed before the records are seen.
    pub fn plan<L: Loss + Copy>(&self, loss: L, bounds: Bounds, dimension: usize) -> Result<Plan<L>, Error> {
        let guarantee = self
            .guarantee
            .ok_or(InvalidInput { field: "guarantee", allowed: "epsilon or mu, one of them is needed" })?;
        let model = Model::new(loss, bounds, dimension, self.regulariser)?.with_neighbours(self.neighbours);
        let model = match self.parameter_bound {
            Some(radius) => model.with_parameter_bound(radius)?,
            None => model,
        };
        let settings = Settings {
            guarantee,
            calibration: self.calibration,
            sampler: self.sampler,
            expected_rows: self.expected_rows,
            tolerance: self.tolerance,
        };
        Plan::new(&model, settings)
    }

    /// Learns a model that may be released.
    pub fn fit<L: Loss + Copy, R: RandomBits>(
        &self,
        records: &Records<L>,
        rng: &mut R,
    ) -> Result<Release, Error> {
        self.fit_measured(records, rng).map(|(release, _)| release)
    }

    /// Like [`Learner::fit`], with what it cost. The cost depends on the records and is private.
    pub fn fit_measured<L: Loss + Copy, R: RandomBits>(
        &self,
        records: &Records<L>,
        rng: &mut R,
    ) -> Result<(Release, Private<Effort>), Error> {
        let plan = self.plan(*records.loss(), *records.bounds(), records.dimension())?;
        let objective = Objective::new(records, self.regulariser)?;
        let (theta_0, theta_opt) = plan.localisation().run(&objective, rng)?.into_parts();
        let reference = plan.reference(&theta_0)?;
        let draw = posterior(&plan, &reference, &objective, &theta_opt, rng)?;
        let theta = reference.asap().release(&draw.theta, rng)?;
        let certificate = Certificate::new(&plan, &reference, &theta, R::PROVENANCE)?;
        Ok((Release::new(certificate), draw.effort))
    }
}

/// f = γJ.
struct Tempered<'a, L: Loss> {
    objective: &'a Objective<'a, L>,
    gamma: f64,
    workspace: Workspace,
}

impl<L: Loss> Potential for Tempered<'_, L> {
    fn dimension(&self) -> usize {
        self.objective.dimension()
    }

    fn value_and_gradient(&mut self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let value = self.objective.value_and_gradient(theta, &mut self.workspace);
        for (scaled, plain) in gradient.iter_mut().zip(self.workspace.gradient()) {
            *scaled = self.gamma * plain;
        }
        self.gamma * value
    }

    fn divergence(&mut self, anchor: &[f64], moved: &[f64]) -> f64 {
        let anchor_value = self.objective.value_and_gradient(anchor, &mut self.workspace);
        let slope: f64 = moved.iter().zip(self.workspace.gradient()).map(|(v, g)| v * g).sum();
        let theta: Vec<f64> = anchor.iter().zip(moved).map(|(x, v)| x + v).collect();
        let value = self.objective.value_and_gradient(&theta, &mut self.workspace);
        self.gamma * (value - anchor_value - slope)
    }
}

/// One sample of the reference posterior, within the declared error. What it costs and which sampler makes it is private.
fn posterior<L: Loss + Copy, R: RandomBits>(
    plan: &Plan<L>,
    reference: &Reference,
    objective: &Objective<L>,
    theta_opt: &Private<Vec<f64>>,
    rng: &mut R,
) -> Result<Draw, Error> {
    let (gamma, ball, error) = (reference.gamma(), reference.ball(), reference.euclidean_error());
    let mut potential = Tempered { objective, gamma, workspace: objective.workspace() };
    let (floor, ceiling) = objective.curvature_on(ball);
    let on_ball = OnBall::new(gamma * floor, gamma * ceiling).ok_or(Error::Aborted)?;
    let proximal = Proximal::calibrated(&mut potential, &on_ball, ball, error).map_err(|_| Error::Aborted)?;
    if plan.settings().sampler == SamplerKind::Proximal {
        return Ok(proximal.sample(&mut potential, ball, rng)?);
    }
    let start = theta_opt.inner().clone();
    // The chain leaves the ball, so only the curvature of the whole space counts.
    let everywhere =
        Everywhere::new(gamma * objective.regulariser(), gamma * ceiling).ok_or(Error::Aborted)?;
    let mala = match plan.paper_chain()? {
        None => Mala::certified(&mut potential, &everywhere, start, ball, error),
        Some(PaperChain { step, steps, restarts }) => {
            Some(Mala::scheduled(step, steps, restarts, start, &everywhere))
        }
    };
    Ok(WithFallback::new(mala, proximal).sample(&mut potential, ball, rng)?)
}
