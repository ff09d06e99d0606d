//! Objective perturbation: the minimiser of J plus a random linear function, and noise for what arithmetic does to it.

use super::{Cost, Mechanism, Released, record};
use crate::asap::{ApproximateSample, Asap, Claim};
use crate::calibrate::{
    JACOBIAN_PRICE, Norm, gaussian_tilt_share, jacobian_share, laplace_scale, normal_scale,
    smallest_regulariser, tilted_regulariser,
};
use crate::contract::Public;
use crate::error::Error;
use crate::exact::{add_up, div_up, integer_up, mul_up, sqrt_up};
use crate::input::InvalidInput;
use crate::ledger::Ledger;
use crate::loss::Loss;
use crate::noise::{Lattice, LatticeNoise, RandomBits};
use crate::objective::{Objective, Sums};
use crate::optimise::Tilted;
use crate::prediction::{Guess, Prediction, variance};
use crate::privacy::{Epsilon, Guarantee, Mu, Parameter};
use crate::private::Private;
use crate::problem::{Domain, Problem};
use asap_contracts::{Numerics, Status};

/// Objective perturbation: `argmin J(θ) + ⟨b, θ⟩` on a ball, b with density `∝ e^(−‖b‖₂·ε_b/G)`, or normal with deviation `G/μ_b`, computed
/// within a certified distance and covered by `alg:asap`. spec: `own:objective-perturbation`, `own:gaussian-tilt`
///
/// The normal law is for μ-GDP and losses whose slope keeps its sign, as the logistic one's does. For others the mechanism is purely
/// private, and under μ-GDP spends the ε that every μ allows.
///
/// ```
/// use asap_dp::{bounds::Bounds, data::*, loss::Logistic, noise::SecureRng, privacy::*, problem::Problem};
/// use asap_dp::mechanism::{Mechanism, ObjectivePerturbation, ObjectiveSettings};
/// let problem = Problem::new(Logistic, Bounds::new(1.0)?, 1, 5.0)?;
/// let total = Guarantee::Gaussian(Mu::new(1.0)?);
/// let plan = ObjectivePerturbation::plan(&problem, total, ObjectiveSettings::default())?;
/// assert!(plan.ledger().converted().is_none() && plan.tilt().scale() < 1.1);
/// let records = Records::new(Logistic, Bounds::new(1.0)?, OutOfBounds::Clip, vec![0.5, 0.7], vec![1.0, 0.0])?;
/// let (release, _) = plan.release(&records, &mut SecureRng::new()?)?;
/// release.check()?;
/// # Ok::<(), asap_dp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectivePerturbation<L> {
    expected_rows: u64,
    ledger: Ledger,
    /// ε of the Jacobian under a Gaussian tilt.
    jacobian: Option<Epsilon>,
    minimiser: Tilted<L>,
    lipschitz: f64,
    smoothness: f64,
    tilt: LatticeNoise,
    asap: Asap,
}

/// The public choices of objective perturbation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ObjectiveSettings {
    /// A public guess of the number of records; a wrong guess costs utility, never privacy. `None` for 10000, or the
    /// largest admissible number if that is less.
    pub expected_rows: Option<u64>,
    /// τ of the minimiser; `None` for the default.
    pub tolerance: Option<f64>,
}

/// `alg:asap` gets one part in so many of ε, or of μ².
const ASAP_PARTS: u32 = 100;

/// The lattice of the tilt is finer than its scale by this power of two. The whole part of an exponential number is a word of 64
/// bits, and there are at most 2²⁰ of them: no coordinate is beyond 2^(40 + 64 + 20) steps, which 128 bits hold.
const TILT_PLACES: i32 = 40;

/// The search without a parameter bound is in a ball that holds the minimisers of so many times the expected rows.
const MORE_ROWS: u64 = 16;

/// By default the noise of `alg:asap` costs about the square of this part of what the tilt costs, if all rows bend the objective in
/// every direction; less if they do not.
const NOISE_PART: f64 = 0.05;

/// Scales and radii in this range keep every product of the search in range.
const RANGE: core::ops::RangeInclusive<f64> = 1e-90..=1e90;

impl<L: Loss> ObjectivePerturbation<L> {
    /// The guess of the number of records.
    pub fn expected_rows(&self) -> u64 {
        self.expected_rows
    }

    /// R: the search is in the ball of this radius around 0.
    pub fn radius(&self) -> f64 {
        self.minimiser.radius()
    }

    /// G: Lipschitz constant of the difference of two neighbours' objectives on that ball.
    pub fn lipschitz(&self) -> f64 {
        self.lipschitz
    }

    /// The law of b, on a lattice that is far finer than its scale.
    pub fn tilt(&self) -> &LatticeNoise {
        &self.tilt
    }

    /// The noise for the distance between what is computed and the exact minimiser, and that distance.
    pub fn asap(&self) -> &Asap {
        &self.asap
    }

    /// The computed minimiser, before its noise, for given records.
    pub fn sample<'a, S: Sums<Loss = L>>(&'a self, objective: &'a Objective<'a, S>) -> TiltedSample<'a, S> {
        TiltedSample { plan: self, objective }
    }
}

/// How the budget is divided.
struct Division {
    ledger: Ledger,
    /// What the law of b may spend.
    tilt: Guarantee,
    /// What the exact minimiser satisfies: the tilt and the Jacobian.
    reference: Guarantee,
    asap: Guarantee,
    /// ε of the Jacobian where it has no share of its own.
    jacobian: Option<Epsilon>,
}

impl Division {
    /// A tilt that is purely private (own:objective-perturbation). Under μ it spends the ε that every μ allows.
    fn pure<L: Loss>(problem: &Problem<L>, total: Guarantee, smoothness: f64) -> Result<Self, Error> {
        let epsilon = total.as_pure()?;
        let jacobian = jacobian(problem, epsilon, smoothness)?;
        let asap = Epsilon::new(epsilon.share(1, ASAP_PARTS).unwrap_or(0.0))?;
        let tilt = rest(epsilon, [jacobian, asap])?;
        let ledger = Ledger::pure(total, [("tilt", tilt), ("jacobian", jacobian), ("asap", asap)])?;
        Ok(Self {
            ledger,
            tilt: Guarantee::Pure(tilt),
            reference: Guarantee::Pure(Epsilon::compose(&[tilt, jacobian])?),
            asap: Guarantee::Pure(asap),
            jacobian: None,
        })
    }

    /// A Gaussian tilt (own:gaussian-tilt), for a loss whose slope keeps its sign.
    fn gaussian<L: Loss>(problem: &Problem<L>, mu: Mu, smoothness: f64) -> Result<Self, Error> {
        let parts = [("tilt", ASAP_PARTS - 1), ("asap", 1)];
        let (ledger, [reference, asap]) = Ledger::split(Guarantee::Gaussian(mu), parts)?;
        let (share, neighbours) = (Mu::new(reference.parameter())?, problem.neighbours());
        let most = Epsilon::new(share.get() / (neighbours.changed_losses() * JACOBIAN_PRICE))?;
        let jacobian = jacobian(problem, most, smoothness)?;
        let tilt = Mu::new(gaussian_tilt_share(share, jacobian, neighbours)?)?;
        Ok(Self { ledger, tilt: Guarantee::Gaussian(tilt), reference, asap, jacobian: Some(jacobian) })
    }
}

/// ε of the Jacobian, which is refused if it takes nearly all of `most`.
fn jacobian<L: Loss>(problem: &Problem<L>, most: Epsilon, smoothness: f64) -> Result<Epsilon, Error> {
    let smallest = smallest_regulariser(most, smoothness);
    let regulariser = tilted_regulariser(most, Public::new(problem.regulariser()), Public::new(smallest))?;
    Ok(Epsilon::new(jacobian_share(smoothness, regulariser)?)?)
}

/// ε minus the other shares, rounded down.
fn rest(epsilon: Epsilon, shares: [Epsilon; 2]) -> Result<Epsilon, InvalidInput> {
    let [first, second] = shares.map(Epsilon::get);
    // Two roundings of numbers not above ε; the ledger decides it exactly.
    Epsilon::new((epsilon.get() - first) - second - 2.0 * f64::EPSILON * epsilon.get())
}

/// Where the minimiser is searched.
fn radius<L: Loss>(problem: &Problem<L>, tilt: Guarantee, rows: u64) -> Result<f64, Error> {
    if let Domain::Ball(radius) = problem.domain() {
        return Ok(radius);
    }
    let Some(lipschitz) = problem.lipschitz(0.0, f64::INFINITY) else {
        let allowed =
            "a finite number greater than 0, needed here: the slope of this loss grows without a bound";
        return Err(InvalidInput { field: "parameter bound", allowed }.into());
    };
    // No minimiser of that many rows is farther away (own:certified-minimiser), and ‖b‖ is below 2d + 50 of its scales, or
    // √d + 10 for normal noise, but for a probability of some e^(−36): a tilt moves the minimiser by ‖b‖/Λ at most.
    let (bounds, regulariser) = (problem.bounds(), problem.regulariser());
    let d = problem.dimension() as f64;
    let scales = match tilt {
        Guarantee::Pure(_) => 2.0 * d + 50.0,
        Guarantee::Gaussian(_) => d.sqrt() + 10.0,
    };
    let far = || {
        let rows = integer_up(rows.saturating_mul(MORE_ROWS).min(bounds.max_rows()))?;
        let losses = mul_up(2.0 * rows, problem.loss().value_at_zero(bounds))?;
        let minimiser = sqrt_up(div_up(losses, regulariser)?)?;
        add_up(minimiser, div_up(mul_up(scales, lipschitz)?, mul_up(tilt.parameter(), regulariser)?)?)
    };
    Ok(far().ok_or(OUT_OF_RANGE)?)
}

const OUT_OF_RANGE: InvalidInput = InvalidInput {
    field: "bounds and regulariser",
    allowed: "values for which the tilt and the search are between 1e-90 and 1e90",
};

impl<L: Loss> Mechanism<L> for ObjectivePerturbation<L> {
    type Settings = ObjectiveSettings;

    fn plan(problem: &Problem<L>, total: Guarantee, settings: ObjectiveSettings) -> Result<Self, Error> {
        let bounds = problem.bounds();
        let expected_rows = Guess::expected(settings.expected_rows, bounds)?.rows();
        let smoothness = problem.loss().smoothness(bounds).ok_or(OUT_OF_RANGE)?;
        let division = match total {
            Guarantee::Gaussian(mu) if problem.loss().slope_keeps_sign() => {
                Division::gaussian(problem, mu, smoothness)
            }
            total => Division::pure(problem, total, smoothness),
        }?;

        let radius = radius(problem, division.tilt, expected_rows)?;
        let lipschitz = problem.lipschitz(0.0, radius).ok_or(OUT_OF_RANGE)?;
        let scale = match division.tilt {
            Guarantee::Pure(epsilon) => laplace_scale(epsilon, lipschitz)?,
            Guarantee::Gaussian(mu) => normal_scale(mu, lipschitz)?,
        };
        if ![scale, radius, scale / problem.regulariser()].iter().all(|x| RANGE.contains(x)) {
            return Err(OUT_OF_RANGE.into());
        }
        let lattice = Lattice::with_step_at_most(scale * 2.0_f64.powi(-TILT_PLACES))?;
        let tilt = match division.tilt {
            Guarantee::Pure(_) => LatticeNoise::euclidean_laplace(lattice, scale)?,
            Guarantee::Gaussian(_) => LatticeNoise::normal(lattice, scale)?,
        };
        // Each coordinate is within half a step.
        let floor = (problem.dimension() as f64).sqrt() * lattice.step();
        let minimiser = if let Some(tau) = settings.tolerance {
            Tilted::new(problem, radius, floor, tau)?
        } else {
            let bend = problem.smoothness(expected_rows);
            let tau = 0.5 * NOISE_PART * division.asap.parameter() * scale / bend;
            Tilted::about(problem, radius, floor, tau)?
        };
        let claim = Claim {
            reference: division.reference,
            norm: Norm::Two,
            error: minimiser.tolerance(),
            dimension: problem.dimension(),
        };
        let asap = Asap::reaching(claim, division.asap, radius)?;
        let Division { ledger, jacobian, .. } = division;
        Ok(Self { expected_rows, ledger, jacobian, minimiser, lipschitz, smoothness, tilt, asap })
    }

    fn problem(&self) -> &Problem<L> {
        self.minimiser.problem()
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn numerics(&self) -> Numerics {
        Numerics::Rigorous
    }

    fn claims(&self) -> Vec<(&'static str, Status)> {
        let pages = [
            "own:objective-perturbation",
            "lem:adaptive_composition",
            "thm:asap_privacy",
            record::law_page(&self.tilt),
        ];
        let gaussian = self.jacobian.map(|_| "own:gaussian-tilt");
        pages.into_iter().chain(gaussian).map(|page| (page, Status::Proved)).collect()
    }

    fn predict(&self, guess: &Guess) -> Result<Prediction, Error> {
        let (problem, d) = (self.problem(), self.problem().dimension() as f64);
        // ½E[bᵀ(∇²J)⁻¹b], and the noise for the computed minimiser.
        let tilt = 0.5 * d * variance(&self.tilt, problem.dimension());
        let noise = 0.5 * variance(self.asap.noise(), problem.dimension());
        let bend = guess.bend(problem);
        Ok(Prediction {
            likely: tilt / bend + noise * d * bend,
            worst: tilt / problem.regulariser() + noise * guess.largest_trace(problem),
            passes: Prediction::search(problem.dimension()),
        })
    }

    fn record(&self) -> Result<asap_contracts::Mechanism, Error> {
        Ok(asap_contracts::Mechanism::Objective(asap_contracts::ObjectivePerturbation {
            expected_rows: self.expected_rows,
            radius: self.radius(),
            lipschitz: self.lipschitz,
            smoothness: self.smoothness,
            jacobian: self.jacobian.map(Epsilon::get),
            tilt: record::noise(&self.tilt),
            asap: asap_contracts::Asap {
                norm: 2,
                error: self.asap.claim().error,
                charge: self.minimiser.rounding(),
                noise: record::noise(self.asap.noise()),
            },
        }))
    }

    fn run<S: Sums<Loss = L>, R: RandomBits>(&self, sums: &S, rng: &mut R) -> Result<Released, Error> {
        let objective = self.problem().bind(sums)?;
        let theta = self.asap.release(&self.sample(&objective), rng)?;
        let record = self.record()?;
        let (passes, matrices) = objective.tally();
        let cost = Private::new(Cost { passes, matrices, ..Cost::default() });
        Ok(Released { theta, record, cost })
    }
}

/// The minimiser of a randomly tilted objective, computed: surely within τ of the exact one for the same b.
/// spec: `thm:asap_privacy`, `own:objective-perturbation`
pub struct TiltedSample<'a, S: Sums> {
    plan: &'a ObjectivePerturbation<S::Loss>,
    objective: &'a Objective<'a, S>,
}

impl<S: Sums> ApproximateSample for TiltedSample<'_, S> {
    fn claim(&self) -> Claim {
        self.plan.asap.claim()
    }

    fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Private<Vec<f64>>, Error> {
        let tilt = self.plan.tilt.draw(self.objective.dimension(), rng);
        Ok(Private::new(self.plan.minimiser.find(self.objective, tilt)?))
    }
}
