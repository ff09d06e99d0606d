//! The independent checker: own formulas, exact rationals, no call to the calibration. spec: `own:certificate`

use super::{Certificate, NUMERIC_MODEL, NoiseRecord, SCHEMA, claims, norm_of};
use crate::exact::Dyadic;
use crate::privacy::Guarantee;

/// A clause that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Checked {
    /// Id of the page in `spec/`.
    pub spec: &'static str,
    /// What was checked.
    pub clause: &'static str,
}

/// The first clause that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("certificate: {clause} does not hold [{spec}]")]
pub struct CheckFailed {
    /// Id of the page in `spec/`.
    pub spec: &'static str,
    /// What was checked.
    pub clause: &'static str,
}

/// Collects clauses and stops at the first that fails.
struct Ledger(Vec<Checked>);

impl Ledger {
    fn need(&mut self, spec: &'static str, clause: &'static str, holds: bool) -> Result<(), CheckFailed> {
        if holds {
            self.0.push(Checked { spec, clause });
            Ok(())
        } else {
            Err(CheckFailed { spec, clause })
        }
    }
}

/// An exact non-negative number, or nothing if the certificate holds something else. Every comparison with
/// nothing is false.
#[derive(Clone)]
struct Exact(Option<Dyadic>);

impl Exact {
    fn of(x: f64) -> Self {
        Self(Dyadic::new(x))
    }

    fn whole(x: u64) -> Self {
        Self(Some(Dyadic::from_parts(x, 0)))
    }

    /// 2^exponent.
    fn power(exponent: i32) -> Self {
        Self(Some(Dyadic::from_parts(1, exponent)))
    }

    fn plus(&self, other: &Self) -> Self {
        Self(self.0.as_ref().zip(other.0.as_ref()).map(|(a, b)| a.plus(b)))
    }

    fn times(&self, other: &Self) -> Self {
        Self(self.0.as_ref().zip(other.0.as_ref()).map(|(a, b)| a.times(b)))
    }

    fn squared(&self) -> Self {
        self.times(self)
    }

    fn at_most(&self, other: &Self) -> bool {
        self.0.as_ref().zip(other.0.as_ref()).is_some_and(|(a, b)| a <= b)
    }

    fn positive(&self) -> bool {
        self.0.as_ref().is_some_and(|a| *a > Dyadic::from_parts(0, 0))
    }

    /// Decides `a + √(self) ≤ b`: `a ≤ b` and `self + 2ab ≤ a² + b²`.
    fn root_fits(&self, a: &Self, b: &Self) -> bool {
        let cross = Self::whole(2).times(a).times(b);
        a.at_most(b) && self.plus(&cross).at_most(&a.squared().plus(&b.squared()))
    }
}

impl NoiseRecord {
    fn step(&self) -> Exact {
        Exact::power(self.lattice_exponent)
    }

    /// Whether the parameter (ε or μ) times the noise's scale is at least `rest + factor·√radicand`, where a pure
    /// share has `factor = 0` unless the sensitivity was a 2-norm. All terms are multiplied by the denominator.
    fn covers(&self, parameter: f64, plain: &Exact, radicand: &Exact) -> bool {
        let denominator = Exact::whole(self.denominator);
        let bought = Exact::of(parameter).times(&Exact::whole(self.numerator)).times(&self.step());
        radicand.times(&denominator.squared()).root_fits(&plain.times(&denominator), &bought)
    }

    #[allow(clippy::float_cmp, reason = "quotients and products with a power of two are exact")]
    /// Whether every coordinate is an integer number of at most 2^53 steps.
    fn holds_points(&self, points: &[f64]) -> bool {
        let step = f64::from_bits(u64::from((self.lattice_exponent + 1023).cast_unsigned()) << 52);
        points.iter().all(|x| {
            let steps = x / step;
            // The product is exact, so it tells a number from one that lost its bits in the quotient.
            steps.abs() <= 9_007_199_254_740_992.0 && steps.fract() == 0.0 && steps * step == *x
        })
    }

    /// Every point of such a lattice is a normal f64. Nothing else of the record is used before this holds.
    fn lattice_fits(&self) -> bool {
        (-1022..=970).contains(&self.lattice_exponent)
    }

    fn law_fits(&self, guarantee: Guarantee) -> bool {
        let ranges = self.numerator >= 1 && self.denominator >= 1;
        ranges
            && match guarantee {
                Guarantee::Pure(_) => self.law == "discrete-laplace",
                Guarantee::Gaussian(_) => self.law == "rounded-normal" && self.denominator == 1,
            }
    }
}

/// ε or μ, and whether it is pure.
fn parameter(guarantee: Guarantee) -> (f64, bool) {
    match guarantee {
        Guarantee::Pure(epsilon) => (epsilon.get(), true),
        Guarantee::Gaussian(mu) => (mu.get(), false),
    }
}

impl Certificate {
    /// Recomputes every inequality of the certificate from its public numbers and names the first that fails.
    ///
    /// The numbers are compared as exact rationals; square roots are squared away. For a loss that this crate does
    /// not know the two Lipschitz constants are the caller's claim and are not recomputed.
    pub fn check(&self) -> Result<Vec<Checked>, CheckFailed> {
        let mut ledger = Ledger(Vec::new());
        self.check_form(&mut ledger)?;
        self.check_budget(&mut ledger)?;
        self.check_problem(&mut ledger)?;
        self.check_localisation(&mut ledger)?;
        self.check_reference(&mut ledger)?;
        self.check_asap(&mut ledger)?;
        ledger.need(
            "own:certificate",
            "nothing was edited (digest)",
            self.digest == self.computed_digest(),
        )?;
        Ok(ledger.0)
    }

    fn check_form(&self, ledger: &mut Ledger) -> Result<(), CheckFailed> {
        let spec = "own:certificate";
        ledger.need(spec, "schema version is known", self.schema == SCHEMA)?;
        ledger.need(spec, "mechanism is known", self.mechanism == "alg:twostage_dp_learner")?;
        ledger.need(spec, "numeric model is stated", self.numeric_model == NUMERIC_MODEL)?;
        let d = usize::try_from(self.problem.dimension).ok();
        let fits = d.is_some_and(|d| d >= 1 && self.theta.len() == d && self.localisation.theta_0.len() == d);
        ledger.need(spec, "points have the dimension of the problem", fits)?;
        let lattices = self.localisation.noise.lattice_fits() && self.asap.noise.lattice_fits();
        ledger.need("own:lattice", "lattice steps are normal numbers", lattices)?;
        let asymptotic =
            self.method.calibration == "paper" && self.method.sampler == crate::plan::SamplerKind::Mala;
        let known = self.method.calibration == "tight" || self.method.calibration == "paper";
        ledger.need(spec, "calibration is known", known && self.method.expected_rows >= 1)?;
        ledger.need(
            spec,
            "certified says whether constants are asymptotic",
            self.method.certified != asymptotic,
        )?;
        let expected = claims(self.shares.total, self.method.sampler, self.method.certified);
        ledger.need(spec, "claims are those of the mechanism", self.claims == expected)
    }

    fn check_budget(&self, ledger: &mut Ledger) -> Result<(), CheckFailed> {
        let (total, pure) = parameter(self.shares.total);
        let parts = [self.shares.localise, self.shares.posterior, self.shares.asap].map(parameter);
        let spec = "own:budget-split";
        ledger.need(spec, "shares are of the kind of the total", parts.iter().all(|part| part.1 == pure))?;
        let spent = |value: f64| if pure { Exact::of(value) } else { Exact::of(value).squared() };
        let sum = parts.iter().fold(Exact::whole(0), |sum, part| sum.plus(&spent(part.0)));
        ledger.need("lem:adaptive_composition", "shares spend at most the total", sum.at_most(&spent(total)))
    }

    fn check_problem(&self, ledger: &mut Ledger) -> Result<(), CheckFailed> {
        let problem = &self.problem;
        let spec = "own:losses";
        let known = match problem.loss.as_str() {
            "logistic" | "squared" => problem.huber_delta.is_none(),
            "huber" => problem.huber_delta.is_some_and(|delta| Exact::of(delta).positive()),
            _ => true,
        };
        ledger.need(spec, "loss has its parameters", known)?;
        ledger.need(spec, "regulariser is positive", Exact::of(problem.regulariser).positive())?;
        let slack = Exact::whole(1).plus(&Exact::power(-30));
        let features = Exact::of(problem.bounds.feature_norm()).times(&slack).squared();
        let intercept = Exact::whole(u64::from(problem.bounds.intercept()));
        let row = Exact::of(problem.row_norm);
        ledger.need(
            spec,
            "row norm covers features and intercept",
            features.plus(&intercept).at_most(&row.squared()),
        )
    }

    /// Whether `claimed` is a Lipschitz constant of `J_D − J_D'` within `reach` of the origin.
    fn lipschitz_covers(&self, claimed: f64, reach: &Exact) -> bool {
        let changed = Exact::whole(match self.neighbours {
            crate::privacy::Neighbours::AddRemove => 1,
            crate::privacy::Neighbours::ReplaceOne => 2,
        });
        let row = Exact::of(self.problem.row_norm);
        let claimed = Exact::of(claimed);
        let covers = |slope: &Exact| changed.times(&row).times(slope).at_most(&claimed);
        let residual = || row.times(reach).plus(&Exact::of(self.problem.bounds.target()));
        match self.problem.loss.as_str() {
            "logistic" => covers(&Exact::whole(1)),
            "squared" => covers(&residual()),
            "huber" => {
                covers(&Exact::of(self.problem.huber_delta.unwrap_or(f64::NAN))) || covers(&residual())
            }
            _ => claimed.positive(),
        }
    }

    fn check_localisation(&self, ledger: &mut Ledger) -> Result<(), CheckFailed> {
        let Self { problem, localisation, .. } = self;
        let (regulariser, d) = (Exact::of(problem.regulariser), Exact::whole(problem.dimension));
        let bound = Exact::of(localisation.minimiser_bound);
        let largest_loss = match problem.loss.as_str() {
            // ln 2 from above.
            "logistic" => Exact::of(0.693_147_180_559_945_4),
            "squared" | "huber" => Exact::of(problem.bounds.target()).squared().times(&Exact::power(-1)),
            _ => Exact::whole(0),
        };
        // Huber's loss is also at most δ|r|.
        let linear =
            Exact::of(problem.huber_delta.unwrap_or(f64::NAN)).times(&Exact::of(problem.bounds.target()));
        let holds = |loss: &Exact| {
            let mass = Exact::whole(2).times(&Exact::whole(problem.bounds.max_rows())).times(loss);
            mass.at_most(&regulariser.times(&bound.squared()))
        };
        let inside = problem.parameter_bound.is_some_and(|radius| Exact::of(radius).at_most(&bound))
            || holds(&largest_loss)
            || holds(&linear);
        ledger.need("lem:sensitivity_minimizer", "minimiser bound holds every minimiser", inside)?;
        let covers = self.lipschitz_covers(localisation.lipschitz, &bound);
        ledger.need("own:losses", "Lipschitz constant of the localisation", covers)?;
        let (tau, moved) = (Exact::of(localisation.tolerance), Exact::of(localisation.sensitivity));
        let twice = Exact::whole(2);
        let reached = tau.positive() && twice.times(&Exact::of(localisation.rounding)).at_most(&tau);
        ledger.need("own:certified-minimiser", "tolerance is above twice the rounding", reached)?;
        let apart = Exact::of(localisation.lipschitz).plus(&twice.times(&tau).times(&regulariser));
        let clause = "sensitivity covers G/Λ + 2τ";
        ledger.need("lem:sensitivity_minimizer", clause, apart.at_most(&moved.times(&regulariser)))?;
        let (noise, share) = (&localisation.noise, self.shares.localise);
        ledger.need("lem:OutPert_DP", "noise of θ_0 is of the right kind", noise.law_fits(share))?;
        let (parameter, pure) = parameter(share);
        let step = noise.step();
        let covered = if pure {
            noise.covers(parameter, &d.times(&step), &d.times(&moved.squared()))
        } else {
            noise.covers(parameter, &moved, &d.times(&step.squared()))
        };
        ledger.need("lem:OutPert_DP", "scale of θ_0's noise covers its sensitivity", covered)?;
        ledger.need("own:lattice", "θ_0 is on its lattice", noise.holds_points(&localisation.theta_0))
    }

    fn check_reference(&self, ledger: &mut Ledger) -> Result<(), CheckFailed> {
        let reference = &self.reference;
        let norm = Exact::of(reference.centre_norm);
        let square = |sum: Exact, x: &f64| sum.plus(&Exact::of(x.abs()).squared());
        let exact = self.localisation.theta_0.iter().fold(Exact::whole(0), square);
        ledger.need("own:ball", "centre norm covers θ_0", exact.at_most(&norm.squared()))?;
        let (radius, lipschitz) = (Exact::of(reference.radius), Exact::of(reference.lipschitz));
        ledger.need("own:ball", "radius is positive", radius.positive())?;
        let covers = self.lipschitz_covers(reference.lipschitz, &norm.plus(&radius));
        ledger.need("own:losses", "Lipschitz constant on the ball", covers)?;
        let gamma = Exact::of(reference.gamma);
        ledger.need("own:certificate", "gamma is positive", gamma.positive())?;
        let (share, pure) = parameter(self.shares.posterior);
        let share = Exact::of(share);
        if pure {
            let spent = Exact::whole(2).times(&gamma).times(&lipschitz).times(&radius);
            ledger.need("lem:pure_DP_Post_Sam", "2γGB is at most ε", spent.at_most(&share))
        } else {
            let allowed = share.squared().times(&Exact::of(self.problem.regulariser));
            let spent = gamma.times(&lipschitz.squared());
            ledger.need("lem:GDP_Post_Sam", "γG² is at most μ²Λ", spent.at_most(&allowed))
        }
    }

    fn check_asap(&self, ledger: &mut Ledger) -> Result<(), CheckFailed> {
        let spec = "thm:asap_privacy";
        let (error, d) = (Exact::of(self.asap.error), Exact::whole(self.problem.dimension));
        ledger.need(
            spec,
            "norm of the error is that of the guarantee",
            self.asap.norm == norm_of(self.shares.total),
        )?;
        ledger.need(spec, "error is positive", error.positive())?;
        let noise = &self.asap.noise;
        ledger.need(spec, "noise of θ̂ is of the right kind", noise.law_fits(self.shares.asap))?;
        let (parameter, pure) = parameter(self.shares.asap);
        let (twice, step) = (Exact::whole(2).times(&error), noise.step());
        let covered = if pure {
            noise.covers(parameter, &twice.plus(&d.times(&step)), &Exact::whole(0))
        } else {
            noise.covers(parameter, &twice, &d.times(&step.squared()))
        };
        ledger.need(spec, "scale of θ̂'s noise covers twice the error and the rounding", covered)?;
        ledger.need("own:lattice", "θ̂ is on its lattice", noise.holds_points(&self.theta))
    }
}
