//! `asap check`: derive every inequality of a release again.

use crate::arguments::Check;
use crate::failure::Failure;
use crate::problem::{relation, shown};
use crate::terminal::{bold, print, print_json, table, warn};
use asap_dp::certificate::Checked;
use asap_dp::learner::Release;
use asap_dp::noise::Provenance;
use serde_json::json;
use std::fs;
use std::path::Path;

/// What `--replay-seed` and a check of its release say.
pub(crate) const NOT_PRIVATE: &str =
    "NOT PRIVATE: the noise comes from a known seed (--replay-seed), whoever knows it can subtract it";

pub(crate) fn run(arguments: &Check) -> Result<(), Failure> {
    let path = &arguments.release;
    let text = read(path)?;
    let verdict = Release::from_json(&text).and_then(|release| Ok((release.check()?, release)));
    let (checked, release) = match verdict {
        Ok(found) => found,
        Err(error) => {
            if arguments.json {
                let failed = json!({ "spec": error.spec, "clause": error.clause });
                ignore_closed(print_json(&json!({ "ok": false, "failed": failed })))?;
            }
            return Err(Failure::Check { path: path.clone(), error });
        }
    };
    let private = is_private(&release);
    let certified = release.certificate().certified();
    ignore_closed(if arguments.json {
        print_json(&json!({
            "ok": true,
            "private": private,
            "certified": certified,
            "guarantee": release.certificate().guarantee(),
            "neighbours": release.certificate().neighbours(),
            "checked": checked,
            "claims": release.certificate().claims(),
        }))
    } else {
        print(&report(&release, &checked))
    })?;
    if !private {
        warn(NOT_PRIVATE);
    }
    match (arguments.strict, private, certified) {
        (true, false, _) => Err(Failure::Strict { path: path.clone(), reason: "the release is not private" }),
        (true, _, false) => {
            Err(Failure::Strict { path: path.clone(), reason: "asymptotic constants: not certified" })
        }
        _ => Ok(()),
    }
}

/// The verdict is in the exit code, also for whoever closed the pipe.
fn ignore_closed(printed: Result<(), Failure>) -> Result<(), Failure> {
    match printed {
        Err(Failure::Closed) => Ok(()),
        other => other,
    }
}

/// The text of a release.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))
}

pub(crate) fn is_private(release: &Release) -> bool {
    release.certificate().randomness() == Provenance::Secure
}

fn report(release: &Release, checked: &[Checked]) -> String {
    let certificate = release.certificate();
    let mut rows: Vec<[String; 3]> = checked
        .iter()
        .map(|clause| ["ok".to_owned(), clause.clause.to_owned(), clause.spec.to_owned()])
        .collect();
    let checks = table(&rows);
    rows = certificate
        .claims()
        .iter()
        .map(|claim| [claim.status.clone(), claim.spec.clone(), String::new()])
        .collect();
    let rests_on = table(&rows);
    let status = match (is_private(release), certificate.certified()) {
        (false, _) => "NOT PRIVATE (noise from a known seed)",
        (true, false) => "asymptotic constants: not certified",
        (true, true) => "private, every constant certified",
    };
    format!(
        "{}\n{checks}\n{}\n{rests_on}\n{}\n",
        bold("Derived again from the release's own numbers, in exact arithmetic"),
        bold("What the guarantee rests on (pages of spec/)"),
        bold(&format!(
            "All {} clauses hold: {}, δ = 0, neighbours: {}; {status}.",
            checked.len(),
            shown(certificate.guarantee()),
            relation(certificate.neighbours())
        ))
    )
}
