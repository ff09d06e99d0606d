//! `asap predict`: apply the model of a release.

use crate::arguments::Predict;
use crate::check::{self, NOT_PRIVATE};
use crate::failure::Failure;
use crate::fit::open;
use crate::output::Target;
use crate::terminal::warn;
use asap_checker::Loss;
use asap_dp::Release;
use asap_dp::data::read_features_of;
use serde_json::json;
use std::fmt::Write;

pub(crate) fn run(arguments: &Predict) -> Result<(), Failure> {
    let failed = |error| Failure::Check { path: arguments.release.clone(), error };
    let release = Release::from_json(&check::read(&arguments.release)?).map_err(failed)?;
    // An edited model is not applied.
    release.check().map_err(failed)?;
    let columns = release.columns().ok_or_else(|| Failure::Input {
        path: arguments.release.clone(),
        reason: "the release does not name its columns: it was not made from a CSV file".to_owned(),
    })?;
    let target = Target::probe(&arguments.out)?;
    let unusable = |error| Failure::Data { path: arguments.data.clone(), error };
    let features =
        read_features_of(open(&arguments.data)?, columns, arguments.separator).map_err(unusable)?;
    let predictions = release.predict(&features)?;
    if !release.is_private() {
        warn(NOT_PRIVATE);
    }
    let logistic = release.certificate().problem.loss == Loss::Logistic;
    let kind = if logistic { "probability" } else { "prediction" };
    let text = if arguments.json {
        format!("{:#}\n", json!({ "target": columns.target, "kind": kind, "values": predictions }))
    } else {
        let mut text = format!("{kind}\n");
        for prediction in predictions {
            // A String can always be written to.
            let _ = writeln!(text, "{prediction}");
        }
        text
    };
    target.write(&text)
}
