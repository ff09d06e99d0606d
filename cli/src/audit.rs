//! `asap audit`: try to refute the guarantee.

use crate::arguments::Audit as Arguments;
use crate::failure::Failure;
use crate::output::Target;
use crate::terminal::{self, Spinner};
use asap_dp::MechanismKind;
use asap_dp::audit::{Settings, run as audit};
use std::path::Path;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let picture = arguments.svg.as_deref().map(Target::probe).transpose()?;
    let choice = &arguments.choice;
    choice.only_what_is_used()?;
    let settings = Settings {
        runs: arguments.runs,
        seed: arguments.replay_seed,
        dimension: arguments.dim.into(),
        mechanism: choice.mechanism().unwrap_or(MechanismKind::Posterior),
        sampler: choice.sampler(),
        noise: choice.noise(),
        ..Settings::new(choice.guarantee(arguments.epsilon, arguments.mu)?)
    };
    let spinner = Spinner::start("auditing");
    let report = audit(&settings).map_err(|error| Failure::of(error, Path::new("audit")))?;
    drop(spinner);
    if let Some(target) = picture {
        target.write(&report.to_svg())?;
    }
    if arguments.json {
        terminal::print_json(&serde_json::to_value(&report).map_err(|_| Failure::Internal)?)?;
    } else {
        terminal::print(&report.to_text())?;
    }
    if report.contradicted() { Err(Failure::Contradicted) } else { Ok(()) }
}
