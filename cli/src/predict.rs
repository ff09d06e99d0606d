//! `asap predict`: apply the model of a release.

use crate::arguments::Predict;
use crate::check::{self, NOT_PRIVATE};
use crate::failure::Failure;
use crate::fit::open;
use crate::output::{Destination, Existing};
use crate::terminal::warn;
use asap_contracts::OneAgainstRest;
use asap_dp::Release;
use asap_dp::data::{Schema, read_features};
use asap_dp::one_against_rest::{AnyRelease, most_probable, probabilities, scores};
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

/// What is said if the units of a release are not known.
const AS_THEY_ARE: &str =
    "the release has no schema: its columns are numbers in the units of the fit, and are used as they are";

pub(crate) fn run(arguments: &Predict) -> Result<(), Failure> {
    let inputs: [&Path; 2] = [&arguments.release, &arguments.data];
    let target = Destination::probe(&arguments.out, Existing::of(arguments.overwrite.force), &inputs)?;
    let failed = |error| Failure::Check { path: arguments.release.clone(), error };
    let release = AnyRelease::from_json(&check::read(&arguments.release)?).map_err(failed)?;
    // An edited model is not applied.
    release.check().map_err(failed)?;
    let columns = release.columns().ok_or_else(|| Failure::Input {
        path: arguments.release.clone(),
        reason: "the release does not name its columns: it was not made from a CSV file".to_owned(),
    })?;
    let unusable = |error| Failure::NewData { path: arguments.data.clone(), error };
    let features = read_features(open(&arguments.data)?, columns, arguments.separator).map_err(unusable)?;
    if !release.is_private() {
        warn(NOT_PRIVATE);
    }
    if columns.has_plain() {
        warn(AS_THEY_ARE);
    }
    let text = match &release {
        AnyRelease::Single(release) => single(arguments, columns, release, &features)?,
        AnyRelease::Classes(model) => several(arguments, columns, model, &features)?,
    };
    target.write(&text)
}

fn single(
    arguments: &Predict,
    columns: &Schema,
    release: &Release,
    features: &[f64],
) -> Result<String, Failure> {
    let predictions = release.predict(features)?;
    Ok(if let Some(names) = release.classes() {
        classes(arguments, columns, &names, &predictions)
    } else if arguments.json {
        format!(
            "{:#}\n",
            json!({ "target": columns.target.name, "kind": "prediction", "values": predictions })
        )
    } else {
        lines("prediction", predictions.iter().map(f64::to_string))
    })
}

/// The most probable class of each row, and the probability of each class.
fn several(
    arguments: &Predict,
    columns: &Schema,
    model: &OneAgainstRest,
    features: &[f64],
) -> Result<String, Failure> {
    if arguments.threshold.is_some() {
        return Err(Failure::Usage(
            "--threshold: for two classes only; with more, the most probable class is predicted".to_owned(),
        ));
    }
    let names: Vec<&String> = model.one_against_rest.classes().collect();
    let scores = scores(model, features)?;
    let rows: Vec<(&String, Vec<f64>)> = scores
        .chunks_exact(names.len().max(1))
        .map(|row| (names[most_probable(row)], probabilities(row)))
        .collect();
    if arguments.json {
        let said = json!({
            "target": columns.target.name,
            "kind": "probabilities",
            "of": names,
            "classes": rows.iter().map(|(class, _)| class).collect::<Vec<_>>(),
            "values": rows.iter().map(|(_, values)| values).collect::<Vec<_>>(),
        });
        return Ok(format!("{said:#}\n"));
    }
    let header: Vec<String> = names.iter().map(|name| cell(&format!("probability of {name}"))).collect();
    Ok(lines(
        &format!("class,{}", header.join(",")),
        rows.iter().map(|(class, values)| {
            let values: Vec<String> = values.iter().map(f64::to_string).collect();
            format!("{},{}", cell(class), values.join(","))
        }),
    ))
}

/// The class of each row (the positive one from the threshold on, by default where it is not the less probable one),
/// and the probability of the positive one.
fn classes(arguments: &Predict, columns: &Schema, names: &[String; 2], probabilities: &[f64]) -> String {
    let [other, positive] = names;
    let threshold = arguments.threshold.unwrap_or(0.5);
    let class = |p: &f64| if *p >= threshold { positive } else { other };
    if arguments.json {
        let classes: Vec<&String> = probabilities.iter().map(class).collect();
        let said = json!({
            "target": columns.target.name,
            "kind": "probability",
            "positive": positive,
            "threshold": threshold,
            "classes": classes,
            "values": probabilities,
        });
        return format!("{said:#}\n");
    }
    lines("class,probability", probabilities.iter().map(|p| format!("{},{p}", cell(class(p)))))
}

fn lines(header: &str, rows: impl Iterator<Item = String>) -> String {
    let mut text = format!("{header}\n");
    for row in rows {
        // A String can always be written to.
        let _ = writeln!(text, "{row}");
    }
    text
}

/// A text as a field of CSV.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
