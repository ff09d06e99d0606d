//! `asap audit`: try to refute the guarantee.

use crate::arguments::{Audit as Arguments, TiltedName};
use crate::check;
use crate::failure::Failure;
use crate::output::{Destination, Existing};
use crate::terminal::{self, Stage};
use asap_audit::{
    AuditReport, AuditSettings, ReleaseSettings, TiltedLoss, run as audit, run_answer, run_release,
};
use asap_contracts::{Answer, Mechanism, Noise, OneAgainstRest, Sampler};
use asap_dp::localise::PureNoise;
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use asap_dp::{MechanismKind, Release, SamplerKind};
use std::fs;
use std::path::Path;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let inputs: Vec<&Path> = arguments.from.as_deref().into_iter().collect();
    let existing = Existing::of(arguments.overwrite.force);
    let picture =
        arguments.svg.as_deref().map(|path| Destination::probe(path, existing, &inputs)).transpose()?;
    let reports = match &arguments.from {
        Some(path) => own(arguments, path)?,
        None => vec![worst_case(arguments)?],
    };
    let [first, others @ ..] = &reports[..] else { return Err(Failure::Internal) };
    if let Some(target) = picture {
        // One drawing: the rows say what they are of.
        let rows = reports.iter().flat_map(|report| report.rows.iter().cloned()).collect();
        target.write(&AuditReport { rows, ..first.clone() }.to_svg())?;
    }
    if arguments.json {
        let mut shown = serde_json::to_value(first).map_err(|_| Failure::Internal)?;
        if let (Some(fields), [other, ..]) = (shown.as_object_mut(), others) {
            let other = serde_json::to_value(other).map_err(|_| Failure::Internal)?;
            fields.insert("worst_case".to_owned(), other);
        }
        terminal::print_json(&shown)?;
    } else {
        let texts: Vec<String> = reports.iter().map(AuditReport::to_text).collect();
        terminal::print(&texts.join("\n"))?;
    }
    if reports.iter().any(AuditReport::contradicted) { Err(Failure::Contradicted) } else { Ok(()) }
}

impl TiltedName {
    fn loss(self) -> TiltedLoss {
        match self {
            Self::Logistic => TiltedLoss::Logistic,
            Self::Huber => TiltedLoss::Huber,
        }
    }
}

fn failed(error: asap_dp::Error) -> Failure {
    Failure::of(error, Path::new("audit"))
}

/// The audit's own worst case, with what the flags say.
fn worst_case(arguments: &Arguments) -> Result<AuditReport, Failure> {
    let choice = &arguments.choice;
    choice.only_what_is_used()?;
    let mechanism = choice.mechanism().unwrap_or(MechanismKind::Posterior);
    if arguments.loss.is_some() && mechanism != MechanismKind::Objective {
        let text = "--loss: only for --mechanism objective; the others are audited with the Huber loss, which shows most";
        return Err(Failure::Usage(text.to_owned()));
    }
    let defaults = AuditSettings::new(choice.guarantee(arguments.epsilon, arguments.mu)?);
    let settings = AuditSettings {
        runs: arguments.runs,
        seed: arguments.replay_seed,
        dimension: arguments.dim.into(),
        rows_per_person: arguments.rows_per_person,
        mechanism,
        loss: arguments.loss.map_or(defaults.loss, TiltedName::loss),
        sampler: choice.sampler(),
        noise: choice.noise(),
        ..defaults
    };
    let _auditing = Stage::begin("auditing");
    audit(&settings).map_err(failed)
}

/// The setting of a release, and the worst case with its budget and its mechanism.
fn own(arguments: &Arguments, path: &Path) -> Result<Vec<AuditReport>, Failure> {
    let broken = |error| Failure::Check { path: path.to_owned(), error };
    let text = fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))?;
    let settings = ReleaseSettings { runs: arguments.runs, alpha: 1e-6, seed: arguments.replay_seed };
    if Answer::is_meant(&text) {
        let answer = Answer::from_json(&text).map_err(broken)?;
        answer.check().map_err(broken)?;
        let _auditing = Stage::begin("auditing the noise of the answer");
        return Ok(vec![run_answer(&answer, &settings).map_err(failed)?]);
    }
    if OneAgainstRest::is_meant(&text) {
        let reason = "a release of more than two classes: --from takes those of two classes and of numbers only; asap check decides \
                      its parts and their sum";
        return Err(Failure::Input { path: path.to_owned(), reason: reason.to_owned() });
    }
    let release = Release::from_json(&check::read(path)?).map_err(broken)?;
    release.check().map_err(broken)?;
    let certificate = release.certificate();
    let auditing = Stage::begin("auditing the setting of the release");
    let own = run_release(&release, &settings).map_err(failed)?;
    drop(auditing);
    let guarantee = match certificate.guarantee() {
        asap_contracts::Guarantee::Pure(epsilon) => Guarantee::Pure(Epsilon::new(epsilon)?),
        asap_contracts::Guarantee::Gaussian(mu) => Guarantee::Gaussian(Mu::new(mu)?),
    };
    let pure_noise = |noise| match noise {
        Noise::DiscreteLaplace { .. } => PureNoise::Laplace,
        Noise::RoundedNormal { .. } | Noise::EuclideanLaplace { .. } => PureNoise::Euclidean,
    };
    let settings = AuditSettings {
        runs: arguments.runs,
        seed: arguments.replay_seed,
        rows_per_person: certificate.person.map(|person| person.rows),
        ..AuditSettings::new(guarantee)
    };
    // A converted budget is spent as ε.
    let spends = if certificate.ledger.converted.is_some() {
        Guarantee::Pure(guarantee.as_pure()?)
    } else {
        guarantee
    };
    let settings = match &certificate.mechanism {
        Mechanism::Output(output) => {
            AuditSettings { mechanism: MechanismKind::Output, noise: pure_noise(output.noise), ..settings }
        }
        // The tilt of the release: normal, or purely private.
        Mechanism::Objective(_) => AuditSettings {
            mechanism: MechanismKind::Objective,
            loss: match spends {
                Guarantee::Gaussian(_) => TiltedLoss::Logistic,
                Guarantee::Pure(_) => TiltedLoss::Huber,
            },
            ..settings
        },
        Mechanism::NoisyGradient(_) => AuditSettings { mechanism: MechanismKind::NoisyGradient, ..settings },
        Mechanism::Posterior(posterior) => AuditSettings {
            sampler: match posterior.sampler {
                Sampler::Exact => SamplerKind::Exact,
                Sampler::Proximal => SamplerKind::Proximal,
                Sampler::Mala => SamplerKind::Mala,
            },
            noise: pure_noise(posterior.localisation.noise),
            ..settings
        },
    };
    let _auditing = Stage::begin("auditing the worst case");
    Ok(vec![own, audit(&settings).map_err(failed)?])
}
