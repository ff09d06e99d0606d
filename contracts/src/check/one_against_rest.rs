//! A model of more than two classes: every part holds by itself, all are about the same records, and together they
//! spend at most the total. spec: `own:one-against-rest`

use crate::claims;
use crate::contract::Shares;
use crate::one_against_rest::{ClassPart, ClassParts, ONE_AGAINST_REST_SCHEMA, OneAgainstRest};
use crate::release::{IS_SCHEMA, NAMES_FIT, PERSONS_FIT};
use crate::schema::{Certificate, Guarantee, Loss, Problem, Share};
use crate::table::{Schema, TargetKind, are_told_apart, weights_against_rest};
use crate::verdict::{CheckFailed, Checked, Clauses, Findings};

const SPEC: &str = "own:one-against-rest";

impl OneAgainstRest {
    /// Decides every clause of every part and of the whole from the numbers as written, and names the first that fails.
    /// A clause that each part has is listed once.
    pub fn check(&self) -> Result<Findings, CheckFailed> {
        let Self { columns, one_against_rest: whole, .. } = self;
        let mut clauses = Clauses(whole.decide()?);
        let of_parts = |fits: fn(&Schema, &Certificate) -> bool| {
            let all = |schema: &Schema| whole.parts.iter().all(|part| fits(schema, &part.certificate));
            columns.as_ref().is_none_or(all)
        };
        clauses.need("own:certificate", NAMES_FIT, of_parts(Schema::names))?;
        clauses.need("own:persons", PERSONS_FIT, of_parts(Schema::has_persons_of))?;
        let schema = columns.as_ref().filter(|schema| !schema.says_names_only());
        if let Some(schema) = schema {
            clauses.need("own:schema", IS_SCHEMA, schema.fault().is_none() && whole.are_of(schema))?;
        }
        let mut assumed = Vec::new();
        whole.parts.iter().for_each(|part| add_new(&mut assumed, claims::assumed(&part.certificate)));
        clauses.end(self.digest == self.computed_digest(), assumed, schema, self.signature.as_ref())
    }
}

impl ClassParts {
    /// Decides every clause about the numbers of the parts and their sum; what holds, or the first that does not. A
    /// plan is decided by it too, as parts at 0.
    pub fn decide(&self) -> Result<Vec<Checked>, CheckFailed> {
        let mut clauses = Clauses::default();
        let known = self.schema == ONE_AGAINST_REST_SCHEMA;
        clauses.need("own:certificate", "schema version is known", known)?;
        let several =
            (3..=Schema::MOST_CLASSES).contains(&self.parts.len()) && are_told_apart(self.classes());
        clauses.need(SPEC, "three classes or more that are told apart, each with one part", several)?;
        for part in &self.parts {
            add_new(&mut clauses.0, part.certificate.decide()?);
        }
        let logistic = |part: &ClassPart| part.certificate.problem.loss == Loss::Logistic;
        clauses.need(SPEC, "every part is a logistic regression", self.parts.iter().all(logistic))?;
        let same = self.parts.windows(2).all(|pair| pair[0].is_beside(&pair[1]));
        clauses.need(SPEC, "parts are about the same records, neighbours and problem", same)?;
        let shares: Vec<Share> = self.parts.iter().map(|part| part.share_of(self.total)).collect();
        let within = Shares { shares: &shares, total: self.total }.holds().is_ok();
        clauses.need(SPEC, "all parts together spend at most the total", within)?;
        Ok(clauses.0)
    }

    /// Whether the classes, and what they count, are those of a schema. Its target may be taken as it is.
    fn are_of(&self, schema: &Schema) -> bool {
        let classes = match &schema.target.kind {
            TargetKind::Plain(_) => true,
            TargetKind::Classes(it) => self.classes().eq(&it.classes),
            TargetKind::Range(_) | TargetKind::Threshold(_) => false,
        };
        let counts = |weights: &[f64]| {
            self.parts.iter().enumerate().all(|(class, part)| {
                let counted = part.certificate.problem.class_weights.or(Some([1.0; 2]));
                counted == weights_against_rest(weights, class)
            })
        };
        classes && schema.target.weights.as_deref().is_none_or(counts)
    }
}

impl ClassPart {
    /// Whether two parts say the same of records, neighbours, persons and bits, and solve the same problem: only what
    /// the classes count, the mechanism and what came out may differ.
    fn is_beside(&self, other: &Self) -> bool {
        let (a, b) = (&self.certificate, &other.certificate);
        let unweighted = |it: &Certificate| Problem { class_weights: None, ..it.problem.clone() };
        let rows = |it: &Certificate| it.person.map(|person| person.rows);
        (a.neighbours, rows(a), a.randomness, &a.crate_version)
            == (b.neighbours, rows(b), b.randomness, &b.crate_version)
            && unweighted(a) == unweighted(b)
    }

    /// What it spends of a total; no number where it is of the other kind.
    fn share_of(&self, total: Guarantee) -> Share {
        let spent = match (self.certificate.guarantee(), total) {
            (Guarantee::Pure(spent), Guarantee::Pure(_))
            | (Guarantee::Gaussian(spent), Guarantee::Gaussian(_)) => spent,
            (Guarantee::Pure(_), Guarantee::Gaussian(_)) | (Guarantee::Gaussian(_), Guarantee::Pure(_)) => {
                f64::NAN
            }
        };
        Share { name: self.class.clone(), spent }
    }
}

/// Adds what is not there yet.
fn add_new<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}
