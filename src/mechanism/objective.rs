//! Objective perturbation: the minimiser of J plus a random linear function, and noise that covers its numerical error.

use super::{Cost, Mechanism, Released, record};
use crate::asap::{ApproximateSample, Asap, Claim};
use crate::calibrate::tilt::{normal_scales, pure_scales, stretch};
use crate::calibrate::{
    JACOBIAN_PRICE, Norm, Priced, gaussian_joint_price, gaussian_tilt_share, jacobian_share, joint_price,
    laplace_scale, normal_scale, smallest_regulariser, tilted_regulariser,
};
use crate::contract::Public;
use crate::error::Error;
use crate::exact::{add_up, div_up, integer_up, mul_up, sqrt_up};
use crate::input::InvalidInput;
use crate::landscape::Direction;
use crate::ledger::Ledger;
use crate::loss::Loss;
use crate::noise::{BlockNoise, Group, Lattice, LatticeNoise, RandomBits, Tilt};
use crate::objective::{Objective, Sums};
use crate::optimise::Tilted;
use crate::prediction::{Effect, Guess, Prediction};
use crate::privacy::{Epsilon, Guarantee, Mu, Parameter};
use crate::private::Private;
use crate::problem::Problem;
use asap_contracts::contract::{GaussianPrice, Taken, TiltScales};
use asap_contracts::{BlockLaw, Price};

/// Objective perturbation: `argmin J(θ) + ⟨b, θ⟩` on a ball, b with density `∝ e^(−‖b‖₂·ε_b/G)`, or normal with
/// deviation `G/μ_b`, computed within a certified distance and covered by `alg:asap`.
/// spec: `own:objective-perturbation`, `own:gaussian-tilt`, `own:joint-price`, `own:shaped-tilt`
///
/// Where the rows have a shape, b has a law for each of its blocks (`own:shaped-tilt`). For the logistic loss slope and
/// curvature of a record are priced together (`own:joint-price`): the Jacobian is mostly free.
///
/// The normal law is for μ-GDP and losses whose slope keeps its sign, as the logistic one's does. For others the
/// mechanism is purely private, and under μ-GDP spends the ε that every μ allows.
///
/// ```
/// use asap_dp::{bounds::Bounds, data::*, loss::Logistic, noise::SecureRng, privacy::*, problem::Problem};
/// use asap_dp::mechanism::{Mechanism, ObjectivePerturbation, ObjectiveSettings};
/// let problem = Problem::new(Logistic, Bounds::new(1.0)?, 1, 5.0)?;
/// let total = Guarantee::Gaussian(Mu::new(1.0)?);
/// let plan = ObjectivePerturbation::plan(&problem, total, ObjectiveSettings::default())?;
/// assert!(plan.ledger().converted().is_none() && plan.tilt().whole().is_some_and(|noise| noise.scale() < 1.1));
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
    price: Price,
    minimiser: Tilted<L>,
    lipschitz: f64,
    smoothness: f64,
    tilt: Tilt,
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

/// The lattice of the tilt is finer than its scale by this power of two. The whole part of an exponential
/// number is a word of 64 bits, and there are at most 2²⁰ of them: no coordinate is beyond 2^(40 + 64 + 20)
/// steps, which 128 bits hold.
const TILT_PLACES: i32 = 40;

/// The search without a parameter bound is in a ball that holds the minimisers of so many times the expected rows.
const MORE_ROWS: u64 = 16;

/// By default the noise of `alg:asap` costs about the square of this part of what the tilt costs, if all rows bend the
/// objective in every direction; less if they do not.
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

    /// How the Jacobian is paid for.
    pub fn price(&self) -> Price {
        self.price
    }

    /// The law of b, on lattices that are far finer than its scales.
    pub fn tilt(&self) -> &Tilt {
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

/// The law of b for a slope of 1 and a budget of 1: which columns have a law together, and its scale. Without columns
/// there is one law for all parameters. spec: `own:shaped-tilt`
struct Design {
    groups: Vec<Group>,
    scales: Vec<f64>,
    /// Of a normal tilt: κ, what the curvature of a record is tied to.
    kappa: f64,
}

impl Design {
    /// The design with the least sum of variances: the blocks of the rows' shape, or the ball around all of them.
    fn new<L: Loss>(problem: &Problem<L>, gaussian: bool, smoothness: f64) -> Self {
        let (row, d) = (problem.bounds().row_norm(), problem.dimension() as f64);
        let whole =
            Self { groups: Vec::new(), scales: Vec::new(), kappa: 4.0 * smoothness / problem.regulariser() };
        let Some(shape) = problem.bounds().shape() else { return whole };
        let groups = Group::all(shape, problem.bounds().intercept());
        let (scales, spread) = if gaussian {
            (normal_scales(shape, &groups), d * row * row)
        } else {
            (pure_scales(shape, &groups), d * (d + 1.0) * row * row)
        };
        let blocks: f64 =
            groups.iter().zip(&scales).map(|(group, scale)| group.variance(*scale, gaussian)).sum();
        if blocks >= spread {
            return whole;
        }
        let kappa = stretch(shape, &groups, &scales) / problem.regulariser();
        Self { groups, scales, kappa }
    }

    /// The tilt that spends the budget where the changed losses have this Lipschitz constant.
    fn tilt<L: Loss>(&self, problem: &Problem<L>, budget: Guarantee, lipschitz: f64) -> Result<Tilt, Error> {
        let finer = 2.0_f64.powi(-TILT_PLACES);
        if self.groups.is_empty() {
            let scale = match budget {
                Guarantee::Pure(epsilon) => laplace_scale(epsilon, lipschitz)?,
                Guarantee::Gaussian(mu) => normal_scale(mu, lipschitz)?,
            };
            if !RANGE.contains(&scale) {
                return Err(OUT_OF_RANGE.into());
            }
            let lattice = Lattice::with_step_at_most(scale * finer)?;
            return Ok(Tilt::Whole(match budget {
                Guarantee::Pure(_) => LatticeNoise::euclidean_laplace(lattice, scale)?,
                Guarantee::Gaussian(_) => LatticeNoise::normal(lattice, scale)?,
            }));
        }
        let one = lipschitz / problem.bounds().row_norm() / budget.parameter();
        let block = |(group, scale): (&Group, &f64)| {
            let law = if let Guarantee::Gaussian(_) = budget { BlockLaw::Normal } else { group.law };
            let scale = scale * one * (1.0 + 1e-12);
            if !RANGE.contains(&scale) {
                return Err(OUT_OF_RANGE);
            }
            BlockNoise::new(group.places.clone(), law, scale, finer)
        };
        let blocks: Result<Vec<BlockNoise>, InvalidInput> =
            self.groups.iter().zip(&self.scales).map(block).collect();
        let tilt = Tilt::Blocks(blocks?.into());
        // The exact decision; the numbers above are proposals.
        let (law, public) = (tilt.recorded(record::noise), record::problem(problem));
        let (share, taken) = (record::guarantee(budget), Taken::default());
        let scales = TiltScales { tilt: &law, problem: &public, lipschitz, share, taken };
        scales.holds().map_err(|_| OUT_OF_RANGE)?;
        Ok(tilt)
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
    price: Price,
}

impl Division {
    /// A tilt that is purely private (own:objective-perturbation). Under μ it spends the ε that every μ allows.
    fn pure<L: Loss>(problem: &Problem<L>, total: Guarantee, smoothness: f64) -> Result<Self, Error> {
        let epsilon = total.as_pure()?;
        let apart = jacobian(problem, epsilon, smoothness)?;
        let asap = Epsilon::new(epsilon.share(1, ASAP_PARTS).unwrap_or(0.0))?;
        let both = rest(epsilon, [asap.get(), 0.0])?;
        let (neighbours, regulariser) = (problem.neighbours(), problem.regulariser());
        let tied = record::is_logistic(problem.loss())
            .then(|| joint_price(both.get(), neighbours, smoothness, regulariser))
            .flatten();
        let (tilt, jacobian, price) = match tied {
            Some(Priced { tilt, jacobian: None }) => (Epsilon::new(tilt)?, None, Price::Free),
            Some(Priced { tilt, jacobian: Some(jacobian) }) => {
                (Epsilon::new(tilt)?, Some(Epsilon::new(jacobian)?), Price::Tied)
            }
            None => (rest(epsilon, [apart.get(), asap.get()])?, Some(apart), Price::Apart),
        };
        let (ledger, reference) = match jacobian {
            Some(jacobian) => (
                Ledger::pure(total, [("tilt", tilt), ("jacobian", jacobian), ("asap", asap)])?,
                Epsilon::compose(&[tilt, jacobian])?,
            ),
            None => (Ledger::pure(total, [("tilt", tilt), ("asap", asap)])?, tilt),
        };
        Ok(Self {
            ledger,
            tilt: Guarantee::Pure(tilt),
            reference: Guarantee::Pure(reference),
            asap: Guarantee::Pure(asap),
            jacobian: None,
            price,
        })
    }

    /// A Gaussian tilt (own:gaussian-tilt), for a loss whose slope keeps its sign; κ is that of the design.
    fn gaussian<L: Loss>(problem: &Problem<L>, mu: Mu, smoothness: f64, kappa: f64) -> Result<Self, Error> {
        let parts = [("tilt", ASAP_PARTS - 1), ("asap", 1)];
        let (ledger, [reference, asap]) = Ledger::split(Guarantee::Gaussian(mu), parts)?;
        let (share, neighbours) = (Mu::new(reference.parameter())?, problem.neighbours());
        let changed = neighbours.changed_losses() as f64;
        let most = Epsilon::new(share.get() / (changed * JACOBIAN_PRICE))?;
        let apart = jacobian(problem, most, smoothness)?;
        let left = gaussian_tilt_share(share, apart, neighbours)?;
        let tied = record::is_logistic(problem.loss())
            .then(|| gaussian_joint_price(share.get() / changed, kappa))
            .flatten()
            .filter(|priced| priced.tilt * changed >= left);
        let (tilt, jacobian, price) = match tied {
            Some(Priced { tilt, jacobian: None }) => (tilt * changed, None, Price::Free),
            Some(Priced { tilt, jacobian }) => {
                (tilt * changed, jacobian.map(Epsilon::new).transpose()?, Price::Tied)
            }
            None => (left, Some(apart), Price::Apart),
        };
        Ok(Self { ledger, tilt: Guarantee::Gaussian(Mu::new(tilt)?), reference, asap, jacobian, price })
    }
}

/// ε of the Jacobian, which is refused if it takes nearly all of `most`.
fn jacobian<L: Loss>(problem: &Problem<L>, most: Epsilon, smoothness: f64) -> Result<Epsilon, Error> {
    let smallest = smallest_regulariser(most, smoothness);
    let regulariser = tilted_regulariser(most, Public::new(problem.regulariser()), Public::new(smallest))?;
    Ok(Epsilon::new(jacobian_share(smoothness, regulariser)?)?)
}

/// ε minus the other shares, rounded down.
fn rest(epsilon: Epsilon, [first, second]: [f64; 2]) -> Result<Epsilon, InvalidInput> {
    // Two roundings of numbers not above ε; the ledger decides it exactly.
    Epsilon::new((epsilon.get() - first) - second - 2.0 * f64::EPSILON * epsilon.get())
}

/// Where the minimiser is searched, for a tilt that is not longer than `far`.
fn radius<L: Loss>(problem: &Problem<L>, far: f64, rows: u64) -> Result<f64, Error> {
    // No minimiser of that many rows is farther away (own:certified-minimiser), and ‖b‖ is below `far` but for a
    // probability of some e^(−36): a tilt moves the minimiser by ‖b‖/Λ at most.
    let (bounds, regulariser) = (problem.bounds(), problem.regulariser());
    let reach = || {
        let rows = integer_up(rows.saturating_mul(MORE_ROWS).min(bounds.max_rows()))?;
        let losses = mul_up(2.0 * rows, problem.loss().value_at_zero(bounds))?;
        let minimiser = sqrt_up(div_up(losses, regulariser)?)?;
        add_up(minimiser, div_up(far, regulariser)?)
    };
    Ok(reach().ok_or(OUT_OF_RANGE)?)
}

const UNBOUNDED: InvalidInput = InvalidInput {
    field: "parameter bound",
    allowed: "a finite number greater than 0, needed here: the slope of this loss grows without a bound",
};

const OUT_OF_RANGE: InvalidInput = InvalidInput {
    field: "bounds and regulariser",
    allowed: "values for which the tilt and the search are between 1e-90 and 1e90",
};

impl<L: Loss> Mechanism<L> for ObjectivePerturbation<L> {
    type Settings = ObjectiveSettings;

    fn plan(problem: &Problem<L>, total: Guarantee, settings: ObjectiveSettings) -> Result<Self, Error> {
        let (promised, total) = (total, problem.of_a_record(total)?);
        let bounds = problem.bounds();
        let expected_rows = Guess::expected(settings.expected_rows, bounds)?.rows();
        let smoothness = problem.loss().smoothness(bounds).ok_or(OUT_OF_RANGE)?;
        let gaussian = matches!(total, Guarantee::Gaussian(_)) && problem.loss().slope_keeps_sign();
        let design = Design::new(problem, gaussian, smoothness);
        let division = match total {
            Guarantee::Gaussian(mu) if gaussian => Division::gaussian(problem, mu, smoothness, design.kappa),
            total => Division::pure(problem, total, smoothness),
        }?;

        let dimension = problem.dimension();
        let radius = if let Some(radius) = problem.parameter_bound() {
            radius
        } else {
            let lipschitz = problem.lipschitz(0.0, f64::INFINITY).ok_or(UNBOUNDED)?;
            radius(problem, design.tilt(problem, division.tilt, lipschitz)?.far(dimension), expected_rows)?
        };
        let lipschitz = problem.lipschitz(0.0, radius).ok_or(OUT_OF_RANGE)?;
        let tilt = design.tilt(problem, division.tilt, lipschitz)?;
        if gaussian && division.price != Price::Apart {
            let (law, public) = (tilt.recorded(record::noise), record::problem(problem));
            let changed = problem.neighbours().changed_losses();
            let jacobian = division.jacobian.map_or(0.0, Epsilon::get);
            let share = division.reference.parameter();
            let price = GaussianPrice { tilt: &law, problem: &public, share, changed, jacobian };
            price.holds().map_err(|_| OUT_OF_RANGE)?;
        }
        let [_, largest] = tilt.scales();
        if ![radius, largest / problem.regulariser()].iter().all(|x| RANGE.contains(x)) {
            return Err(OUT_OF_RANGE.into());
        }
        // Each coordinate is within half a step.
        let floor = tilt.floor(dimension);
        let minimiser = if let Some(tau) = settings.tolerance {
            Tilted::new(problem, radius, floor, tau)?
        } else {
            let bend = problem.smoothness(expected_rows);
            // The scale of one law for all parameters with the same sum of variances.
            let d = dimension as f64;
            let one = if gaussian { d } else { d * (d + 1.0) };
            let scale = (tilt.variance(dimension) / one).sqrt();
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
        let Division { ledger, jacobian, price, .. } = division;
        let ledger = ledger.of_a_person(promised);
        Ok(Self { expected_rows, ledger, jacobian, price, minimiser, lipschitz, smoothness, tilt, asap })
    }

    fn problem(&self) -> &Problem<L> {
        self.minimiser.problem()
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn predict(&self, guess: &Guess) -> Result<Prediction, Error> {
        let (problem, d) = (self.problem(), self.problem().dimension());
        // ½E[bᵀ(∇²J)⁻¹b], and the noise for the computed minimiser.
        let tilt = self.tilt.variance(d) / d as f64;
        let noise = self.asap.noise().variance(d);
        let landscape = guess.landscape(problem);
        let effect =
            |it: &Direction| Effect { reached: 1.0, variance: tilt / landscape.bend(it).powi(2) + noise };
        let worst = 0.5 * (d as f64 * tilt / problem.regulariser() + noise * guess.largest_trace(problem));
        Ok(Prediction::new(&landscape, effect, worst, Prediction::search(d)))
    }

    fn record(&self) -> Result<asap_contracts::Mechanism, Error> {
        // The record says how many columns a law has; which ones they are is compared here.
        let bounds = self.problem().bounds();
        if !self.tilt.is_laid_out(bounds.shape(), bounds.intercept()) {
            return Err(Error::Aborted);
        }
        Ok(asap_contracts::Mechanism::Objective(asap_contracts::ObjectivePerturbation {
            expected_rows: self.expected_rows,
            radius: self.radius(),
            lipschitz: self.lipschitz,
            smoothness: self.smoothness,
            jacobian: self.jacobian.map(Epsilon::get),
            price: self.price,
            tilt: self.tilt.recorded(record::noise),
            asap: asap_contracts::Asap {
                norm: 2,
                error: self.minimiser.tolerance(),
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
