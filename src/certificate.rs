//! What a release says of itself: every public number between the budget and the released bits.
//!
//! A certificate is JSON with a schema version. Nothing in it depends on the records except θ_0 and θ̂.
//! [`Certificate::check`] recomputes every inequality from the certificate's own numbers, in exact rationals and
//! without a call to the calibration.

mod check;
#[cfg(test)]
mod tests;

pub use check::{CheckFailed, Checked};

use crate::data::Bounds;
use crate::error::Error;
use crate::loss::Loss;
use crate::model::Domain;
use crate::noise::{LatticeNoise, Law, Provenance};
use crate::plan::{Calibration, Plan, Reference, SamplerKind};
use crate::privacy::{Guarantee, Neighbours, Shares};
use serde::{Deserialize, Serialize};

/// The version of the certificate's form.
pub const SCHEMA: u32 = 1;

/// What is exact and what is not, in every certificate.
pub const NUMERIC_MODEL: &str = "noise, lattice and release are bit-exact; the sampler evaluates in binary64 and is \
                                 analysed in real arithmetic (idealized numerics)";

/// A release's account of itself. spec: `own:certificate`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    pub(crate) schema: u32,
    pub(crate) crate_version: String,
    pub(crate) mechanism: String,
    pub(crate) neighbours: Neighbours,
    pub(crate) shares: Shares,
    pub(crate) problem: Problem,
    pub(crate) method: Method,
    pub(crate) localisation: LocalisationRecord,
    pub(crate) reference: ReferenceRecord,
    pub(crate) asap: AsapRecord,
    pub(crate) theta: Vec<f64>,
    pub(crate) randomness: Provenance,
    pub(crate) numeric_model: String,
    pub(crate) claims: Vec<Claim>,
    pub(crate) digest: String,
}

/// The public problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Problem {
    pub(crate) loss: String,
    pub(crate) huber_delta: Option<f64>,
    pub(crate) bounds: Bounds,
    pub(crate) row_norm: f64,
    pub(crate) dimension: u64,
    pub(crate) regulariser: f64,
    pub(crate) parameter_bound: Option<f64>,
}

/// How the constants and the sample were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Method {
    pub(crate) calibration: String,
    pub(crate) sampler: SamplerKind,
    pub(crate) expected_rows: u64,
    /// `false` where a chain length is asymptotic.
    pub(crate) certified: bool,
}

/// `alg:outpert`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LocalisationRecord {
    pub(crate) minimiser_bound: f64,
    pub(crate) lipschitz: f64,
    pub(crate) rounding: f64,
    pub(crate) tolerance: f64,
    pub(crate) sensitivity: f64,
    pub(crate) noise: NoiseRecord,
    pub(crate) theta_0: Vec<f64>,
}

/// The reference posterior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReferenceRecord {
    pub(crate) centre_norm: f64,
    pub(crate) radius: f64,
    pub(crate) lipschitz: f64,
    pub(crate) gamma: f64,
}

/// `alg:asap`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AsapRecord {
    pub(crate) norm: u8,
    pub(crate) error: f64,
    pub(crate) noise: NoiseRecord,
}

/// Noise of scale `numerator/denominator` steps on the lattice of step `2^lattice_exponent`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoiseRecord {
    pub(crate) law: String,
    pub(crate) lattice_exponent: i32,
    pub(crate) numerator: u64,
    pub(crate) denominator: u64,
}

/// One result that the guarantee rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Id of the page in `spec/`.
    pub spec: String,
    /// `proved` (a written proof), `tested` or `assumed`.
    pub status: String,
}

impl NoiseRecord {
    fn new(noise: &LatticeNoise) -> Self {
        let lattice_exponent = noise.lattice().exponent();
        let (law, numerator, denominator) = match noise.law() {
            Law::Laplace(scale) => ("discrete-laplace", scale.numerator().get(), scale.denominator().get()),
            Law::Normal(scale) => ("rounded-normal", scale.steps(), 1),
        };
        Self { law: law.to_owned(), lattice_exponent, numerator, denominator }
    }
}

impl Certificate {
    /// The certificate of a release.
    pub(crate) fn new<L: Loss + Copy>(
        plan: &Plan<L>,
        reference: &Reference,
        theta: &[f64],
        randomness: Provenance,
    ) -> Result<Self, Error> {
        let (model, localisation, settings) = (plan.model(), plan.localisation(), plan.settings());
        let shares = *plan.shares();
        let mut certificate = Self {
            schema: SCHEMA,
            crate_version: env!("CARGO_PKG_VERSION").to_owned(),
            mechanism: "alg:twostage_dp_learner".to_owned(),
            neighbours: model.neighbours(),
            shares,
            problem: Problem {
                loss: model.loss().name().to_owned(),
                huber_delta: model.loss().shape(),
                bounds: *model.bounds(),
                row_norm: model.bounds().row_norm(),
                dimension: model.dimension() as u64,
                regulariser: model.regulariser(),
                parameter_bound: match model.domain() {
                    Domain::Everywhere => None,
                    Domain::Ball(radius) => Some(radius),
                },
            },
            method: Method {
                calibration: match settings.calibration {
                    Calibration::Tight => "tight",
                    Calibration::Paper(_) => "paper",
                }
                .to_owned(),
                sampler: settings.sampler,
                expected_rows: settings.expected_rows,
                certified: plan.certified(),
            },
            localisation: LocalisationRecord {
                minimiser_bound: model.largest_minimiser().ok_or(Error::Aborted)?,
                lipschitz: model.minimiser_lipschitz().ok_or(Error::Aborted)?,
                rounding: localisation.minimiser().rounding(),
                tolerance: localisation.minimiser().tolerance(),
                sensitivity: localisation.sensitivity(),
                noise: NoiseRecord::new(localisation.noise()),
                theta_0: reference.ball().centre().to_vec(),
            },
            reference: ReferenceRecord {
                centre_norm: reference.centre_norm(),
                radius: reference.ball().radius(),
                lipschitz: reference.lipschitz(),
                gamma: reference.gamma(),
            },
            asap: AsapRecord {
                norm: norm_of(shares.total),
                error: reference.asap().error(),
                noise: NoiseRecord::new(reference.asap().noise()),
            },
            theta: theta.to_vec(),
            randomness,
            numeric_model: NUMERIC_MODEL.to_owned(),
            claims: claims(shares.total, settings.sampler, plan.certified()),
            digest: String::new(),
        };
        certificate.digest = certificate.computed_digest();
        Ok(certificate)
    }

    /// θ̂.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// What the release satisfies.
    pub fn guarantee(&self) -> Guarantee {
        self.shares.total
    }

    /// Whether the noise came from a secure generator. If not, the release is **not** private.
    pub fn randomness(&self) -> Provenance {
        self.randomness
    }

    /// Whether every constant is certified; `false` where a chain length is asymptotic.
    pub fn certified(&self) -> bool {
        self.method.certified
    }

    /// The name of the loss.
    pub fn loss(&self) -> &str {
        &self.problem.loss
    }

    /// The public bounds of the records.
    pub fn bounds(&self) -> &Bounds {
        &self.problem.bounds
    }

    /// Which data sets count as neighbours.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }

    /// The results that the guarantee rests on.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// As JSON text.
    pub fn to_json(&self) -> String {
        // Strings, finite numbers and sequences always serialise.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// From JSON text. The result is well-formed, not yet [checked](Certificate::check).
    pub fn from_json(text: &str) -> Result<Self, CheckFailed> {
        serde_json::from_str(text).map_err(|_| CheckFailed { spec: "own:certificate", clause: "well-formed" })
    }

    /// A checksum (FNV-1a) of everything else. It shows that a certificate was edited; it does not authenticate it.
    fn computed_digest(&self) -> String {
        let canonical = Self { digest: String::new(), ..self.clone() }.to_json();
        checksum(&canonical)
    }
}

/// FNV-1a of a text: against slips, not against an adversary.
pub(crate) fn checksum(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("fnv1a64:{hash:016x}")
}

/// 1 for pure DP, 2 for GDP: the norm of Δ.
fn norm_of(guarantee: Guarantee) -> u8 {
    match guarantee {
        Guarantee::Pure(_) => 1,
        Guarantee::Gaussian(_) => 2,
    }
}

/// What a release of this kind rests on, with the status of each claim in `spec/`.
fn claims(guarantee: Guarantee, sampler: SamplerKind, certified: bool) -> Vec<Claim> {
    let posterior = match guarantee {
        Guarantee::Pure(_) => ("lem:pure_DP_Post_Sam", "proved"),
        Guarantee::Gaussian(_) => ("lem:GDP_Post_Sam", "assumed"),
    };
    let noise = match guarantee {
        Guarantee::Pure(_) => ("own:discrete-laplace", "proved"),
        Guarantee::Gaussian(_) => ("own:rounded-normal", "proved"),
    };
    let mut claims = vec![
        ("lem:adaptive_composition", "proved"),
        ("own:budget-split", "proved"),
        ("lem:sensitivity_minimizer", "proved"),
        ("own:certified-minimiser", "proved"),
        ("lem:OutPert_DP", "proved"),
        posterior,
        ("own:proximal", "proved"),
        ("own:truncated", "proved"),
        ("thm:asap_privacy", "proved"),
        noise,
        ("own:lattice", "proved"),
        ("own:losses", "tested"),
        ("own:objective", "tested"),
        ("assumptions:idealized-numerics", "assumed"),
        ("assumptions:randomness", "assumed"),
    ];
    if sampler == SamplerKind::Mala {
        claims.push(("own:conductance", if certified { "proved" } else { "assumed" }));
        claims.push(("lem:W_infty_TV", "proved"));
        claims.push(("lem:equiv_W_infty", "assumed"));
    }
    let claim = |(spec, status): (&str, &str)| Claim { spec: spec.to_owned(), status: status.to_owned() };
    claims.into_iter().map(claim).collect()
}
