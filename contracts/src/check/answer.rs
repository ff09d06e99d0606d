//! Answers: the noise hides how far one person moves the cells. The pages `own:score` and `own:quantile` have the
//! proofs.

use super::logarithm;
use crate::answer::{ANSWER_SCHEMA, Answer, Answering, Question, Scored, Statement, Unseen};
use crate::contract::Broken;
use crate::exact::Exact;
use crate::schema::{Guarantee, Neighbours, Noise, Randomness, Status};
use crate::table::{Schema, are_told_apart, is_range};
use crate::verdict::{Assumed, CheckFailed, Clauses, Findings};

/// Quantiles are fractions of so many parts.
const PARTS: u64 = 1_000_000;
/// No one can read more bins.
const MOST_BINS: u64 = 1000;

impl Answer {
    /// Decides every clause from the numbers as written and names the first that fails.
    pub fn check(&self) -> Result<Findings, CheckFailed> {
        let statement = &self.statement;
        let mut clauses = Clauses::default();
        statement.form(&mut clauses)?;
        statement.question(&mut clauses)?;
        match &statement.mechanism {
            Answering::Cells { noise, counts } => statement.cells(noise, counts, &mut clauses)?,
            Answering::Exponential { units, per, value } => {
                statement.exponential(*units, *per, *value, &mut clauses)?;
            }
        }
        let same = self.digest == self.computed_digest();
        clauses.end(same, statement.assumed(), None, self.signature.as_ref())
    }
}

impl Statement {
    /// What the mechanism spends: the guarantee, or the ε that was made of it.
    fn spends(&self) -> Guarantee {
        self.converted.map_or(self.guarantee, Guarantee::Pure)
    }

    fn form(&self, clauses: &mut Clauses) -> Result<(), Broken> {
        let spec = "own:certificate";
        clauses.need(spec, "schema version is known", self.schema == ANSWER_SCHEMA)?;
        let expected = self.expected();
        let made = |(spec, status)| self.claims.iter().any(|c| c.spec == spec && c.status == status);
        let same = self.claims.len() == expected.len() && expected.into_iter().all(made);
        clauses.need(spec, "claims are those of the mechanism", same)?;
        let (Guarantee::Pure(promised) | Guarantee::Gaussian(promised)) = self.guarantee;
        clauses.need("own:budget-split", "guarantee is positive", Exact::of(promised).is_positive())?;
        if let Some(epsilon) = self.converted {
            let enough = matches!(self.guarantee, Guarantee::Gaussian(mu) if logarithm::converts(mu, epsilon))
                && Exact::of(epsilon).is_positive();
            clauses.need("lem:convert_pure_G_DP", "converted ε is at most ln(Φ(μ/2)/Φ(−μ/2))", enough)?;
        }
        clauses.need("own:score", "a person has at least one row", self.rows_per_person >= 1)
    }

    fn question(&self, clauses: &mut Clauses) -> Result<(), Broken> {
        if let Some(model) = self.question.model() {
            clauses.need("own:score", "the scored release is named by its digest", model.is_named())?;
        }
        match &self.question {
            Question::Rows => Ok(()),
            Question::Classes { bins, .. } => {
                let even = (2..=MOST_BINS).contains(bins) && bins.is_multiple_of(2);
                clauses.need("own:score", "bins are an even number from 2 to 1000", even)
            }
            Question::Labels { classes, .. } => {
                let several = (3..=Schema::MOST_CLASSES).contains(&classes.len());
                let told = several && are_told_apart(classes.iter());
                clauses.need("own:score", "three classes or more that are told apart", told)
            }
            Question::Errors { low, high, clip, .. } => {
                let ranged = is_range([*low, *high]);
                clauses.need("own:score", "targets have a range", ranged)?;
                let positive = Exact::of(*clip).is_positive();
                clauses.need("own:score", "the largest error is positive", positive)
            }
            Question::Quantile { millionths, candidates } => {
                let inside = (1..PARTS).contains(millionths);
                clauses.need("own:quantile", "level is between 0 and 1", inside)?;
                let ascending = candidates.windows(2).all(|pair| pair[0] < pair[1]);
                let finite = !candidates.is_empty() && candidates.iter().all(|x| x.is_finite());
                clauses.need("own:quantile", "candidates are numbers in ascending order", ascending && finite)
            }
        }
    }

    /// The square of how far a person moves the cells, in rows: in the 1-norm for Laplace noise, in the Euclidean one
    /// for normal noise. A row is non-negative numbers that add up to 1.
    fn moved_squared(&self, norm: u8) -> Exact {
        let changed = match (self.neighbours, norm) {
            (Neighbours::AddRemove, _) => 1,
            (Neighbours::ReplaceOne, 1) => 4,
            (Neighbours::ReplaceOne, _) => 2,
        };
        Exact::whole(self.rows_per_person).squared() * Exact::whole(changed)
    }

    fn cells(&self, noise: &Noise, counts: &[i64], clauses: &mut Clauses) -> Result<(), Broken> {
        let spec = "own:score";
        let fits = self.question.cells() == u64::try_from(counts.len()).ok();
        clauses.need(spec, "every cell of the question has a number", fits)?;
        clauses.need("own:lattice", "lattice steps are normal numbers", noise.lattice_fits())?;
        // A row is a whole number of steps: nothing is rounded when noise is added.
        let whole = match self.question {
            Question::Errors { .. } => (-40..=-20).contains(&noise.exponent()),
            _ => (-40..=0).contains(&noise.exponent()),
        };
        clauses.need(spec, "a row is a whole number of lattice steps", whole)?;
        let independent = !matches!(noise, Noise::EuclideanLaplace { .. });
        let right = noise.buys(self.spends()) && independent;
        clauses.need(spec, "noise of the cells is of the kind of the guarantee", right)?;
        let (Guarantee::Pure(share) | Guarantee::Gaussian(share)) = self.spends();
        let hidden = noise.hides_whole(&self.moved_squared(noise.norm()), &Exact::of(share));
        clauses.need(spec, "noise of the cells covers what a person moves", hidden)?;
        let reached = counts.iter().all(|count| count.unsigned_abs() <= 1 << 53);
        clauses.need("own:lattice", "noisy cells are on their lattice", reached)
    }

    fn exponential(&self, units: u64, per: u64, value: f64, clauses: &mut Clauses) -> Result<(), Broken> {
        let spec = "own:quantile";
        let Question::Quantile { millionths, candidates } = &self.question else {
            return clauses.need(spec, "the question is one of a quantile", false);
        };
        clauses.need(spec, "the question is one of a quantile", true)?;
        let most = match self.neighbours {
            Neighbours::AddRemove => (*millionths).max(PARTS - millionths),
            Neighbours::ReplaceOne => PARTS,
        };
        let moved = Exact::whole(most) * Exact::whole(self.rows_per_person);
        // 2Δβ ≤ ε.
        let hidden = match self.spends() {
            Guarantee::Pure(epsilon) => {
                per >= 1
                    && Exact::whole(2) * moved * Exact::whole(units) <= Exact::of(epsilon) * Exact::whole(per)
            }
            Guarantee::Gaussian(_) => false,
        };
        clauses.need(spec, "slope is at most ε over twice what a person moves", hidden)?;
        clauses.need(spec, "the answer is one of the candidates", candidates.contains(&value))
    }

    /// The claims that an answer must make, each once.
    fn expected(&self) -> Vec<(&'static str, Status)> {
        let mut claims = vec![("assumptions:randomness", Status::Assumed)];
        let mut proved = |spec| claims.push((spec, Status::Proved));
        match self.mechanism {
            Answering::Cells { noise, .. } => {
                proved("own:score");
                proved(match noise {
                    Noise::DiscreteLaplace { .. } => "own:discrete-laplace",
                    Noise::RoundedNormal { .. } => "own:rounded-normal",
                    Noise::EuclideanLaplace { .. } => "own:euclidean-laplace",
                });
            }
            Answering::Exponential { .. } => proved("own:quantile"),
        }
        if self.converted.is_some() {
            proved("lem:convert_pure_G_DP");
        }
        claims
    }

    fn assumed(&self) -> Vec<Assumed> {
        let why = "the program that ran is the one described; the question was chosen without looking at the records";
        let mut assumed = vec![Assumed { spec: "own:certificate", why }];
        let randomness = match self.randomness {
            Randomness::Secure => "the random bits are independent, fair and secret",
            Randomness::Replay => "the random bits come from a known seed: this answer is NOT private",
        };
        assumed.push(Assumed { spec: "assumptions:randomness", why: randomness });
        match self.question.model().map(|model| model.rows) {
            Some(Unseen::Unseen) => assumed.push(Assumed {
                spec: "own:score",
                why: "declared: the model was fitted to none of these rows; else its budget and this one add up, and the score flatters it",
            }),
            Some(Unseen::Seen) => assumed.push(Assumed {
                spec: "own:score",
                why: "the model may have been fitted to these rows: its budget and this one add up, and the score flatters it",
            }),
            None => {}
        }
        if self.rows_per_person > 1 {
            let why = "declared: no person has more rows than the statement says";
            assumed.push(Assumed { spec: "own:score", why });
        }
        assumed
    }
}

impl Scored {
    /// Whether the release is named as releases are.
    fn is_named(&self) -> bool {
        let digits = self.release.strip_prefix("sha256:").unwrap_or_default();
        digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    }
}
