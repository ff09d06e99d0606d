//! What follows from a released θ_0: ball, inverse temperature, error and final noise. All of it is public.

use super::{Asap, Ball, Calibration, Choices, Error, Guarantee, InvalidInput, Loss, Mechanism, norm};
use super::{Posterior, SamplerKind};
use crate::asap::Claim;
use crate::calibrate::{
    Norm, PaperChain, feasible_chain, gaussian_temperature, ln_inverse_inner_tv, ln_inverse_tv, ln_warmness,
    log_ratio, planned_oscillation, planned_proximal_steps, proposed_restarts, pure_temperature,
    rounding_fits, shortest_chain,
};
use crate::contract::Public;
use crate::exact::{mul_up, sqrt_up};
use crate::problem::Problem;
use asap_contracts::contract::ChainError;

/// The public plan of what follows once θ_0 is released. spec: `alg:twostage_dp_learner`
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    ball: Ball,
    centre_norm: f64,
    lipschitz: f64,
    gamma: f64,
    /// What rounding can do to one draw, in the norm of the guarantee, for every admissible data set.
    charge: f64,
    asap: Asap,
}

/// A radius around a centre of this norm, and what follows from the two.
struct AroundCentre {
    radius: f64,
    lipschitz: f64,
    gamma: f64,
    /// Δ as utility wants it, in the norm of the guarantee.
    wanted: f64,
    /// What rounding can do to one draw, in the 2-norm.
    charge: f64,
}

/// Δ is at least this many times what rounding can do: the chain keeps three quarters of it.
const PARTS: f64 = 4.0;

/// How much larger than utility wants Δ may be made for rounding's sake before a plan is refused.
const LARGEST_RAISE: f64 = 2.0;

impl<L: Loss> Posterior<L> {
    /// Ball, inverse temperature and final noise around a released θ_0. For a plan that exists, and a θ_0 that its
    /// localisation can release, it does not fail.
    ///
    /// Every number depends on θ_0 through a bound on its norm alone. Should the norm itself not do, the largest norm
    /// of all takes its place: that one was tried when the plan was made.
    pub fn reference(&self, theta_0: &[f64]) -> Result<Reference, Error> {
        if theta_0.len() != self.problem().dimension() {
            return Err(InvalidInput { field: "theta_0", allowed: "one number for each parameter" }.into());
        }
        // The factor covers the rounding of the norm.
        let (centre_norm, farthest) = (norm(theta_0) * (1.0 + 1e-9), self.localisation.farthest());
        self.reference_within(theta_0, centre_norm).or_else(|error| {
            if centre_norm <= farthest { self.reference_within(theta_0, farthest) } else { Err(error) }
        })
    }

    /// What follows from a θ_0 that is not longer than `centre_norm`.
    fn reference_within(&self, theta_0: &[f64], centre_norm: f64) -> Result<Reference, Error> {
        let AroundCentre { radius, lipschitz, gamma, wanted, charge } = self.shape(centre_norm)?;
        let (norm, in_norm) = self.in_norm(charge)?;
        let claim = Claim {
            reference: self.sample_share,
            norm,
            // Whatever θ_0 is: a far one makes the noise larger, not the fit fail.
            error: wanted.max(mul_up(PARTS, in_norm).ok_or(Error::Aborted)?),
            dimension: theta_0.len(),
        };
        let asap = Asap::reaching(claim, self.noise_share, centre_norm + radius)?;
        let reference = Reference {
            ball: Ball::new(theta_0.to_vec(), radius)?,
            centre_norm,
            lipschitz,
            gamma,
            charge: in_norm,
            asap,
        };
        reference.contract().holds().map_err(|_| Error::Aborted)?;
        self.check_steps(&reference)?;
        Ok(reference)
    }

    /// The radius and what follows from it.
    fn shape(&self, centre_norm: f64) -> Result<AroundCentre, Error> {
        let problem = self.problem();
        let choices = Choices {
            problem,
            posterior: self.sample_share,
            centre_norm,
            expected_rows: self.expected_rows,
            wants_room: self.settings.sampler == SamplerKind::Mala,
        };
        let (radius, paper_error) = match self.settings.calibration {
            Calibration::Tight => {
                (choices.radius(&self.norms, self.localisation.minimiser().tolerance()), None)
            }
            Calibration::Paper(paper) => {
                let table = match self.sample_share {
                    Guarantee::Pure(epsilon) => paper.pure_localisation(&self.public_problem(), epsilon),
                    Guarantee::Gaussian(mu) => paper.gaussian_localisation(&self.public_problem(), mu),
                }?;
                (table.radius, Some(table.delta))
            }
        };
        let lipschitz = problem.lipschitz(centre_norm, radius).ok_or(InvalidInput {
            field: "bounds",
            allowed: "values for which the loss is Lipschitz on the ball",
        })?;
        let gamma = match self.sample_share {
            Guarantee::Pure(epsilon) => pure_temperature(epsilon, lipschitz, radius)?,
            Guarantee::Gaussian(mu) => gaussian_temperature(mu, lipschitz, problem.regulariser())?,
        };
        let wanted = paper_error.unwrap_or_else(|| choices.error(gamma, self.noise_share));
        let charge = self.charge(gamma, radius, centre_norm)?;
        Ok(AroundCentre { radius, lipschitz, gamma, wanted, charge })
    }

    /// A 2-norm distance in the norm of the guarantee, rounded up.
    fn in_norm(&self, distance: f64) -> Result<(Norm, f64), Error> {
        match self.sample_share {
            Guarantee::Pure(_) => {
                let root = sqrt_up(self.problem().dimension() as f64);
                Ok((Norm::One, root.and_then(|root| mul_up(root, distance)).ok_or(Error::Aborted)?))
            }
            Guarantee::Gaussian(_) => Ok((Norm::Two, distance)),
        }
    }

    /// For the worst data set that the bounds allow, the proximal sampler must have a number of steps. Then every data
    /// set has, and a fit cannot fail for a reason that depends on the records.
    fn check_steps(&self, reference: &Reference) -> Result<(), Error> {
        let (problem, gamma) = (self.problem(), reference.gamma);
        let (m, l) = (gamma * problem.regulariser(), gamma * problem.largest_smoothness());
        let radius = reference.ball.radius();
        let slope = problem.largest_gradient(reference.centre_norm).ok_or(Error::Aborted)? * gamma;
        planned_proximal_steps(m, l, slope, radius, problem.dimension() as u64, reference.chain_error())?;
        Ok(())
    }

    /// The reference whose every number is that of the farthest θ_0 that can come out; around 0.
    pub(super) fn farthest(&self) -> Result<Reference, Error> {
        let origin = vec![0.0; self.problem().dimension()];
        self.reference_within(&origin, self.localisation.farthest())
    }

    /// Before any record is seen: every θ_0 that can come out has a reference (the one for the
    /// largest norm, if no other), rounding costs no utility worth mentioning at
    /// an ordinary one, and a chain of constrained MALA ends.
    pub(super) fn refuse_what_could_fail(&self) -> Result<(), Error> {
        self.farthest()?;
        let shape = self.shape(self.norms.quantile(0.99))?;
        let (_, charge) = self.in_norm(shape.charge)?;
        rounding_fits(
            Public::new(charge),
            Public::new(shape.wanted * LARGEST_RAISE),
            Public::new(self.problem().bounds().max_rows() as f64),
        )?;
        if self.settings.sampler == SamplerKind::Mala {
            let planned = self.planned_chain(self.norms.quantile(0.5))?;
            feasible_chain(Public::new(planned), Public::new(self.settings.largest_chain as f64))?;
        }
        Ok(())
    }
}

impl<L: Loss> Posterior<L> {
    /// The length of a chain of constrained MALA for the guessed number of records and a θ_0 of this norm.
    fn planned_chain(&self, centre_norm: f64) -> Result<f64, Error> {
        let mut theta_0 = vec![0.0; self.problem().dimension()];
        theta_0[0] = centre_norm;
        let reference = self.reference(&theta_0)?;
        Ok(self
            .mala_forecast(&reference, self.expected_rows)?
            .map_or(f64::INFINITY, |chain| chain.steps as f64))
    }

    /// What constrained MALA would take for a number of records of the worst curvature; `None` where its length is not
    /// representable.
    pub(crate) fn mala_forecast(
        &self,
        reference: &Reference,
        rows: u64,
    ) -> Result<Option<PlannedChain>, Error> {
        if let Some(chain) = self.paper_chain()? {
            let PaperChain { step, steps, restarts } = chain;
            return Ok(Some(PlannedChain { step, steps, restarts, separation: None, log_ratio: None }));
        }
        let problem = self.problem();
        let (gamma, d) = (reference.gamma, problem.dimension() as u64);
        let (m, l) = (gamma * problem.regulariser(), gamma * problem.smoothness(rows));
        let oscillation = reference.oscillation(problem, rows)?;
        let claim = reference.asap.claim();
        let ln_inverse_tv = ln_inverse_tv(claim.norm, oscillation, d, reference.ball.radius(), claim.error)?;
        let tau = self.localisation.minimiser().tolerance();
        let ln_miss = (1.0 - PlannedChain::CHANCE).ln();
        let plan = || {
            let inner = ln_inverse_inner_tv(ln_inverse_tv, ln_miss)?;
            let ratio = log_ratio(ln_warmness(d, l / m, l * tau * tau)?, inner)?;
            let chain = shortest_chain(d, l / m, ratio).ok()?;
            Some(PlannedChain {
                step: chain.relative_step / l,
                steps: chain.steps,
                restarts: proposed_restarts(ln_inverse_tv, ln_miss).ok()?,
                separation: Some(chain.separation),
                log_ratio: Some(ratio),
            })
        };
        Ok(plan())
    }
}

/// A chain of constrained MALA for a minimiser that leaves it a chance of ½ to end in Θ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedChain {
    /// h: the step size.
    pub step: f64,
    /// K: the number of steps.
    pub steps: u64,
    /// `τ_max`: how many chains are run at most.
    pub restarts: u64,
    /// t: separation of two points with overlapping proposals; none for the paper's asymptotic length.
    pub separation: Option<f64>,
    /// Q = ln(2β_0/ξ_in); none for the paper's asymptotic length.
    pub log_ratio: Option<f64>,
}

impl PlannedChain {
    /// The chance of a chain to end in Θ that is planned with: the room of `own:tight` gives it.
    pub const CHANCE: f64 = 0.5;

    /// Expected passes over the records. Every other step of a certified, lazy chain does nothing.
    pub fn passes(&self) -> f64 {
        let busy = if self.separation.is_some() { 0.5 } else { 1.0 };
        (busy * self.steps as f64 + 1.0) / Self::CHANCE
    }
}

impl Reference {
    /// The largest oscillation of f on Θ for a number of records of the worst curvature.
    pub(crate) fn oscillation<L: Loss>(&self, problem: &Problem<L>, rows: u64) -> Result<f64, Error> {
        let (norm, radius) = (self.centre_norm, self.ball.radius());
        let one = problem.loss().lipschitz(problem.bounds(), norm, radius).ok_or(Error::Aborted)?;
        let slope = rows as f64 * one + problem.regulariser() * (norm + radius);
        Ok(planned_oscillation(self.gamma, slope, problem.smoothness(rows), radius)?)
    }

    /// Θ = B(θ_0, B).
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// Not below ‖θ_0‖.
    pub fn centre_norm(&self) -> f64 {
        self.centre_norm
    }

    /// G on Θ, for the neighbour relation.
    pub fn lipschitz(&self) -> f64 {
        self.lipschitz
    }

    /// γ: the inverse temperature of the posterior.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// What rounding can do to one draw, in the norm of the guarantee, for every admissible data set.
    /// spec: `own:rounding`
    pub fn charge(&self) -> f64 {
        self.charge
    }

    /// The noise that covers the sampler's error.
    pub fn asap(&self) -> &Asap {
        &self.asap
    }

    /// The error that the sampler may make in real arithmetic, in the 2-norm: Δ (for pure DP, whose Δ is in the 1-norm,
    /// Δ/√d) without the charge for rounding.
    pub fn chain_error(&self) -> f64 {
        let Claim { error, norm, dimension, .. } = self.asap.claim();
        // The charge is at most a quarter of the error; the factor covers the rounding of difference and quotient.
        let left = (error - self.charge) * (1.0 - 1e-12);
        match norm {
            Norm::One => left / (dimension as f64).sqrt(),
            Norm::Two => left,
        }
    }

    /// What the sampler may use of Δ: decided whenever a reference is made.
    fn contract(&self) -> ChainError {
        let Claim { error, norm, dimension, .. } = self.asap.claim();
        let (chain, charge, dimension) = (self.chain_error(), self.charge, dimension as u64);
        ChainError { chain, charge, error, norm: norm.number(), dimension }
    }

    /// The same reference with another γ, and so **without its guarantee**: an audit uses it to see
    /// whether it would notice.
    #[must_use]
    pub fn with_gamma_breaking_privacy(&self, gamma: f64) -> Self {
        Self { gamma, ..self.clone() }
    }
}
