//! `asap audit`.

use crate::arguments::Audit as Arguments;
use crate::failure::Failure;
use crate::output::Target;
use crate::terminal::{self, Spinner};
use asap_dp::audit::{Settings, run as audit};
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use std::path::Path;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let picture = arguments.svg.as_deref().map(Target::probe).transpose()?;
    let guarantee = match (arguments.epsilon, arguments.mu) {
        (Some(epsilon), _) => Guarantee::Pure(Epsilon::new(epsilon)?),
        (None, Some(mu)) => Guarantee::Gaussian(Mu::new(mu)?),
        (None, None) => return Err(Failure::Usage("--epsilon or --mu: one of them is needed".to_owned())),
    };
    let settings = Settings { runs: arguments.runs, seed: arguments.replay_seed, ..Settings::new(guarantee) };
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
