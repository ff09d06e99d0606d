//! The clauses, in the order in which a reader meets them: form, budget, problem, mechanism, digest.

mod answer;
pub(crate) mod charge;
mod choice;
pub(crate) mod logarithm;
pub(crate) mod loss;
mod noise;
mod noisy_gradient;
mod objective;
mod one_against_rest;
mod output;
mod posterior;
mod sums;
mod tilt;

use crate::claims;
use crate::contract::{Broken, Conversion, Persons, Shares};
use crate::exact::Exact;
use crate::release::{IS_SCHEMA, NAMES_FIT, PERSONS_FIT, Release, Signature};
use crate::schema::{
    Block, Certificate, Claim, Guarantee, Ledger, Loss, Mechanism, Numerics, Person, Price, Problem, SCHEMA,
};
use crate::table::Schema;
use crate::verdict::{Assumed, CheckFailed, Checked, Clauses, Findings};
use output::Perturbed;

impl Release {
    /// Decides every clause from the numbers as written and names the first that fails.
    ///
    /// The numbers are exact rationals here, and roots are squared away. A signature is not looked at (who may sign is
    /// the reader's to say), and the verdict says so.
    pub fn check(&self) -> Result<Findings, CheckFailed> {
        let certificate = &self.certificate;
        let mut clauses = Clauses(certificate.decide()?);
        clauses.need("own:certificate", NAMES_FIT, self.names_fit())?;
        if let Some(holds) = self.schema_fits() {
            clauses.need("own:schema", IS_SCHEMA, holds)?;
        }
        if certificate.person.is_some() || !self.persons_fit() {
            clauses.need("own:persons", PERSONS_FIT, self.persons_fit())?;
        }
        let (signature, schema) = (self.signature.as_ref(), self.columns.as_ref());
        let schema = schema.filter(|_| self.schema_fits().is_some());
        let assumed = claims::assumed(certificate);
        clauses.end(self.digest == self.computed_digest(), assumed, schema, signature)
    }
}

impl Clauses {
    /// The end of every check: nothing was edited, and what else is assumed of a schema and of a signature.
    fn end(
        mut self,
        same_digest: bool,
        mut assumed: Vec<Assumed>,
        schema: Option<&Schema>,
        signature: Option<&Signature>,
    ) -> Result<Findings, CheckFailed> {
        self.need("own:certificate", "nothing was edited (digest)", same_digest)?;
        if schema.is_some() {
            let why = "the schema (ranges, levels, classes, values for missing cells) was chosen without looking at the records";
            assumed.push(Assumed { spec: "own:schema", why });
        }
        if signature.is_some() {
            let why = "the signature was not looked at: verify it with a key that you know";
            assumed.push(Assumed { spec: "own:certificate", why });
        }
        Ok(Findings { checked: self.0, assumed })
    }
}

impl Certificate {
    /// With what it must say of itself: in which arithmetic its guarantee is proved, whether it is certified, and the
    /// results that it rests on.
    #[must_use]
    pub fn stated(self) -> Self {
        let claim = |(spec, status): (&str, _)| Claim { spec: spec.to_owned(), status };
        let claims = claims::expected(&self).into_iter().map(claim).collect();
        let (numerics, certified) = (claims::numerics(&self.mechanism), is_certified(&self));
        Self { numerics, certified, claims, ..self }
    }

    /// Decides every clause about its numbers; what holds, or the first that does not. A plan is decided by it too, as
    /// the certificate of a release at 0.
    pub fn decide(&self) -> Result<Vec<Checked>, CheckFailed> {
        let mut clauses = Clauses::default();
        form(self, &mut clauses)?;
        budget(self, &mut clauses)?;
        problem(&self.problem, &mut clauses)?;
        match &self.mechanism {
            Mechanism::Output(output) => Perturbed {
                minimiser: &output.minimiser,
                noise: &output.noise,
                share: self.ledger.spent_or_nothing("output"),
                point: &self.theta,
            }
            .check(self, &mut clauses)?,
            Mechanism::Posterior(stages) => posterior::check(self, stages, &mut clauses)?,
            Mechanism::Objective(parts) => objective::check(self, parts, &mut clauses)?,
            Mechanism::NoisyGradient(descent) => noisy_gradient::check(self, descent, &mut clauses)?,
        }
        if let Some(made) = &self.choice {
            choice::check(self, made, &mut clauses)?;
        }
        Ok(clauses.0)
    }
}

/// Whether no constant is asymptotic or a user's.
fn is_certified(certificate: &Certificate) -> bool {
    let asymptotic = claims::numerics(&certificate.mechanism) == Numerics::AsymptoticConstants;
    !asymptotic && !claims::is_user(&certificate.problem.loss)
}

/// The certificate says what a certificate of its kind must say.
fn form(certificate: &Certificate, clauses: &mut Clauses) -> Result<(), Broken> {
    let spec = "own:certificate";
    clauses.need(spec, "schema version is known", certificate.schema == SCHEMA)?;
    let has_dimension = |point: &[f64]| u64::try_from(point.len()) == Ok(certificate.problem.dimension);
    let (points_fit, lattices_fit) = match &certificate.mechanism {
        Mechanism::Output(output) => (true, output.noise.lattice_fits()),
        Mechanism::Objective(parts) => (true, parts.tilt.lattice_fits() && parts.asap.noise.lattice_fits()),
        Mechanism::NoisyGradient(descent) => (true, descent.noise.lattice_fits()),
        Mechanism::Posterior(posterior) => (
            has_dimension(&posterior.localisation.theta_0),
            posterior.localisation.noise.lattice_fits() && posterior.asap.noise.lattice_fits(),
        ),
    };
    let fits = points_fit && has_dimension(&certificate.theta);
    clauses.need(spec, "points have the dimension of the problem", fits)?;
    clauses.need("own:lattice", "lattice steps are normal numbers", lattices_fit)?;
    let numerics = certificate.numerics;
    let clause = "numerics are those of the mechanism";
    clauses.need(spec, clause, numerics == claims::numerics(&certificate.mechanism))?;
    let clause = "certified says whether a constant is asymptotic or a user's";
    clauses.need(spec, clause, certificate.certified == is_certified(certificate))?;
    let expected = claims::expected(certificate);
    let made = |(spec, status)| certificate.claims.iter().any(|c| c.spec == spec && c.status == status);
    let same = certificate.claims.len() == expected.len() && expected.into_iter().all(made);
    clauses.need(spec, "claims are those of the mechanism", same)
}

/// The shares have their names and do not add up to more than the total.
fn budget(certificate: &Certificate, clauses: &mut Clauses) -> Result<(), Broken> {
    let (spec, ledger) = ("own:budget-split", &certificate.ledger);
    let names: &[&str] = match certificate.mechanism {
        Mechanism::Output(_) => &["output"],
        Mechanism::NoisyGradient(_) => &["gradients"],
        Mechanism::Posterior(_) => &["localise", "posterior", "asap"],
        Mechanism::Objective(ref objective) => match (ledger.spends(), objective.price) {
            (Guarantee::Pure(_), Price::Apart | Price::Tied) => &["tilt", "jacobian", "asap"],
            (Guarantee::Pure(_), Price::Free) | (Guarantee::Gaussian(_), _) => &["tilt", "asap"],
        },
    };
    let named = ledger.shares.iter().map(|share| share.name.as_str()).eq(names.iter().copied());
    clauses.need(spec, "shares are those of the mechanism", named)?;
    if let Some(epsilon) = ledger.converted {
        // Only a Gaussian total is converted.
        let mu = if let Guarantee::Gaussian(mu) = ledger.total { mu } else { f64::NAN };
        Conversion { mu, epsilon }.note(clauses)?;
    }
    Shares { shares: &ledger.shares, total: ledger.spends() }.note(clauses)?;
    let person = certificate.person.map(|Person { rows, total }| Persons { rows, row: ledger.total, total });
    person.map_or(Ok(()), |person| person.note(clauses))
}

impl Ledger {
    /// What the shares are parts of: the total, or the ε that was made of it.
    pub(crate) fn spends(&self) -> Guarantee {
        self.converted.map_or(self.total, Guarantee::Pure)
    }

    /// What the share of this name may spend; no number if there is none.
    fn spent_or_nothing(&self, name: &str) -> f64 {
        self.spent_on(name).unwrap_or(f64::NAN)
    }

    /// The same number as it is written, if there is one.
    fn spent_on(&self, name: &str) -> Option<f64> {
        self.shares.iter().find(|share| share.name == name).map(|share| share.spent)
    }
}

/// What is computed of d numbers, a norm or a sum, is off by at most this factor: the true one may be larger.
fn slack() -> Exact {
    Exact::whole(1) + Exact::power(-30)
}

/// The blocks are those of a row, and no row that fits them is longer than R.
fn shape(problem: &Problem, blocks: &[Block], clauses: &mut Clauses) -> Result<(), Broken> {
    let spec = "own:shaped-tilt";
    let columns = blocks.iter().try_fold(u64::from(problem.intercept), |sum, block| {
        sum.checked_add(block.columns()).filter(|_| block.columns() >= 1)
    });
    let all = columns == Some(problem.dimension) && !blocks.is_empty();
    clauses.need(spec, "blocks have all columns", all)?;
    let square = |block: &Block| match *block {
        Block::Cube { columns } => Exact::whole(columns),
        Block::OneNorm { bound, .. } | Block::Ball { bound, .. } => {
            Exact::of(bound).squared().only_if(Exact::of(bound).is_positive())
        }
    };
    let squares = blocks.iter().fold(Exact::whole(0), |sum, block| sum + square(block));
    let covered = squares <= Exact::of(problem.feature_norm).squared();
    clauses.need(spec, "feature norm covers the blocks", covered)
}

/// The public promises make sense.
fn problem(problem: &Problem, clauses: &mut Clauses) -> Result<(), Broken> {
    let spec = "own:losses";
    let known = match &problem.loss {
        Loss::Logistic | Loss::Squared => true,
        Loss::Huber { delta } => Exact::of(*delta).is_positive(),
        Loss::User { shape, .. } => shape.is_none_or(f64::is_finite),
    };
    clauses.need(spec, "loss has its parameters", known)?;
    if let Some(weights) = problem.class_weights {
        // Then every bound of the loss without weights is one with them.
        let small = weights.iter().all(|weight| {
            let weight = Exact::of(*weight);
            weight.is_positive() && weight <= Exact::whole(1)
        });
        let fits = small && matches!(problem.loss, Loss::Logistic);
        clauses.need("own:class-weights", "classes weigh at most 1, of a loss that has classes", fits)?;
    }
    clauses.need(spec, "regulariser is positive", Exact::of(problem.regulariser).is_positive())?;
    let mut bounds = [problem.feature_norm, problem.target].into_iter().chain(problem.parameter_bound);
    let bounded = problem.max_rows >= 1 && bounds.all(|bound| Exact::of(bound).is_positive());
    clauses.need(spec, "bounds are positive", bounded)?;
    // A norm computed from d numbers is off by at most (d + 3)·2^−53 of itself, here at most 2^−30.
    let narrow = (1..=(1 << 23) - 3).contains(&problem.dimension);
    clauses.need(spec, "dimension is small enough for computed norms", narrow)?;
    if let Some(blocks) = &problem.shape {
        shape(problem, blocks, clauses)?;
    }
    let features = Exact::of(problem.feature_norm) * slack();
    let longest = features.squared() + Exact::whole(problem.intercept.into());
    let covered = longest <= Exact::of(problem.row_norm).squared();
    clauses.need(spec, "row norm covers features and intercept", covered)
}
