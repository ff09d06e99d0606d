//! `asap check`: decide every inequality of a release again. The contracts of `asap-contracts` decide everything; the
//! library asks the same ones before it draws and before a release leaves.

pub(crate) mod classes;

use crate::arguments::Check;
use crate::failure::Failure;
use crate::fit::printable;
use crate::key;
use crate::terminal::{bold, number, print, print_json, table, warn, wrapped};
use asap_contracts::{
    Answer, Certificate, CheckFailed, Checked, Findings, Guarantee, Kind, Loss, Mechanism, Neighbours,
    Numerics, OneAgainstRest, Randomness, Release, Sampler, Scale, Schema, Status, TargetKind,
};
use asap_dp::one_against_rest::AnyRelease;
use asap_dp::proved::Proved;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What `--replay-seed` and a check of its release say.
pub(crate) const NOT_PRIVATE: &str = "NOT PRIVATE: the noise comes from a known seed (--replay-seed), and anybody who knows it can subtract it";

pub(crate) fn run(arguments: &Check) -> Result<(), Failure> {
    let path = &arguments.release;
    let key = arguments.key.as_deref().map(key::public).transpose()?;
    let text = fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))?;
    let key = key.as_deref();
    if Answer::is_meant(&text) {
        checked::<Answer>(arguments, &text, key)
    } else if OneAgainstRest::is_meant(&text) {
        checked::<OneAgainstRest>(arguments, &text, key)
    } else {
        checked::<Release>(arguments, &text, key)
    }
}

/// What is checked: the file of a release, of one with more than two classes, or of an answer.
pub(crate) trait Checkable: Sized {
    /// From its text; or what stops the check, and why.
    fn read(path: &Path, text: &str) -> Result<Self, (Failure, CheckFailed)>;
    /// Every clause, and the signature if a key is given.
    fn judge(&self, key: Option<&str>) -> Result<Findings, CheckFailed>;
    fn is_private(&self) -> bool;
    /// Why a strict check refuses it although every clause holds.
    fn weakness(&self) -> Option<&'static str>;
    fn summary(&self) -> Value;
    fn report(&self, findings: &Findings) -> String;
}

fn checked<F: Checkable>(arguments: &Check, text: &str, key: Option<&str>) -> Result<(), Failure> {
    let path = &arguments.release;
    let judged = F::read(path, text).and_then(|file| match file.judge(key) {
        Ok(findings) => Ok((findings, file)),
        Err(error) => Err((Failure::Check { path: path.clone(), error: error.clone() }, error)),
    });
    let (findings, file) = match judged {
        Ok(found) => found,
        Err((failure, error)) => {
            if arguments.json {
                let failed = json!({ "spec": error.spec(), "clause": error.clause() });
                let said = json!({ "ok": false, "failed": failed, "message": failure.to_string() });
                ignore_closed(print_json(&said))?;
            }
            return Err(failure);
        }
    };
    ignore_closed(if arguments.json {
        let mut said = file.summary();
        said["ok"] = true.into();
        said["signed"] = key.is_some().into();
        said["checked"] = json!(findings.checked);
        said["assumed"] = json!(findings.assumed);
        print_json(&said)
    } else {
        print(&file.report(&findings))
    })?;
    if !file.is_private() {
        warn(NOT_PRIVATE);
    }
    let given = findings.assumed.iter().find(|it| it.is_given()).map(|it| it.why);
    match file.weakness().or(given).filter(|_| arguments.strict) {
        Some(reason) => Err(Failure::Strict { path: path.clone(), reason }),
        None => Ok(()),
    }
}

/// How a file that can be signed is judged.
pub(crate) struct Inspection<F> {
    pub(crate) check: fn(&F) -> Result<Findings, CheckFailed>,
    pub(crate) verify: fn(&F, &str) -> Result<(), CheckFailed>,
    /// The same file without its signature.
    pub(crate) bare: fn(&F) -> F,
}

impl<F> Inspection<F> {
    pub(crate) fn of(&self, file: &F, key: Option<&str>) -> Result<Findings, CheckFailed> {
        let Some(key) = key else { return (self.check)(file) };
        let findings = (self.check)(&(self.bare)(file))?;
        (self.verify)(file, key).map(|()| signed(findings))
    }
}

impl Checkable for Release {
    fn read(path: &Path, text: &str) -> Result<Self, (Failure, CheckFailed)> {
        Self::from_json(text).map_err(|error| (unreadable(path, text, &error), error))
    }

    fn judge(&self, key: Option<&str>) -> Result<Findings, CheckFailed> {
        let bare = |file: &Self| Self { signature: None, ..file.clone() };
        Inspection { check: Self::check, verify: Self::verify, bare }.of(self, key)
    }

    fn is_private(&self) -> bool {
        self.certificate.randomness == Randomness::Secure
    }

    fn weakness(&self) -> Option<&'static str> {
        match (self.is_private(), self.certificate.certified) {
            (false, _) => Some("the release is not private"),
            (_, false) => Some(certified(self)),
            _ => None,
        }
    }

    fn summary(&self) -> Value {
        let mut said = facts(self);
        said["target_bound"] = self.certificate.problem.target.into();
        said["digest"] = json!(self.digest);
        said["claims"] = json!(self.certificate.claims);
        said["proved"] = json!(Proved::of(&self.certificate));
        said
    }

    fn report(&self, findings: &Findings) -> String {
        report(self, findings)
    }
}

/// What a fit and a check both say of a release.
pub(crate) fn facts(release: &Release) -> Value {
    let certificate = &release.certificate;
    json!({
        "private": release.is_private(),
        "certified": certificate.certified,
        "numerics": certificate.numerics,
        "guarantee": certificate.guarantee(),
        "converted_epsilon": certificate.ledger.converted,
        "neighbours": certificate.neighbours,
        "rows_per_person": certificate.person.map(|person| person.rows),
        "mechanism": mechanism(&certificate.mechanism),
        "loss": certificate.problem.loss,
        "class_weights": certificate.problem.class_weights,
        "feature_bound": certificate.problem.feature_norm,
        "columns": release.columns,
    })
}

/// What was checked without a signature, which is not left to believe: it was verified.
fn signed(mut findings: Findings) -> Findings {
    let clause = "signature is of this release and of the given key";
    findings.checked.push(Checked { spec: "own:certificate", clause });
    findings
}

/// The verdict is in the exit code, also if the reader closed the pipe.
fn ignore_closed(printed: Result<(), Failure>) -> Result<(), Failure> {
    match printed {
        Err(Failure::Closed) => Ok(()),
        other => other,
    }
}

/// The text of a file that can be read as a release.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))?;
    match AnyRelease::from_json(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(unreadable(path, &text, &error)),
    }
}

/// What a file is that is no release, and where that shows. Nothing of its content is told: it
/// may be something private.
fn unreadable(path: &Path, text: &str, error: &CheckFailed) -> Failure {
    let found = match (error, serde_json::from_str::<Value>(text)) {
        (CheckFailed::Malformed { .. }, _) if text.trim().is_empty() => "the file is empty".to_owned(),
        (CheckFailed::Malformed { .. }, Err(error)) => {
            format!("not valid JSON at line {}, column {}", error.line(), error.column())
        }
        (CheckFailed::Malformed { line, column }, Ok(value)) => match value {
            Value::Object(fields) if fields.contains_key("asap_ledger") => {
                "this is a ledger; asap ledger lists it".to_owned()
            }
            Value::Object(fields) => {
                let content =
                    if fields.contains_key("one_against_rest") { "one_against_rest" } else { "certificate" };
                match [content, "digest"].iter().find(|name| !fields.contains_key(**name)) {
                    Some(name) => format!("JSON, but its object has no field `{name}`"),
                    None => format!(
                        "a field is missing, unknown or of the wrong kind at line {line}, column {column}"
                    ),
                }
            }
            Value::Array(_) => "JSON, but a list instead of an object".to_owned(),
            _ => "JSON, but a single value instead of an object".to_owned(),
        },
        (other, _) => other.to_string(),
    };
    Failure::Input { path: path.to_owned(), reason: format!("not a readable release: {found}") }
}

/// The clauses that hold, and what is assumed.
pub(crate) fn listed(findings: &Findings) -> [String; 2] {
    let holds = findings.checked.iter().map(|it| ["ok", it.clause, it.spec].map(str::to_owned));
    let assumed = findings.assumed.iter().map(|it| [it.spec, it.why].map(str::to_owned));
    [table(&holds.collect::<Vec<_>>()), table(&assumed.collect::<Vec<_>>())]
}

/// Whether anyone can know the noise.
fn privacy(is_private: bool) -> &'static str {
    if is_private { "Private" } else { "NOT PRIVATE (noise from a known seed)" }
}

fn report(release: &Release, verdict: &Findings) -> String {
    let certificate = &release.certificate;
    let [holds, assumed] = listed(verdict);
    let pages = |status: Status| {
        let claims = certificate.claims.iter().filter(|claim| claim.status == status);
        claims.map(|claim| claim.spec.as_str()).collect::<Vec<_>>().join(", ")
    };
    let rests_on = [("proved", Status::Proved), ("tested", Status::Tested)]
        .map(|(word, status)| [word.to_owned(), pages(status)]);
    let user = match &certificate.problem.loss {
        Loss::User { .. } => "The loss is a user's own: nothing about it was checked, see what is assumed.\n",
        _ => "",
    };
    let given = match verdict.assumed.iter().filter(|it| it.is_given()).count() {
        0 if matches!(certificate.mechanism, Mechanism::Posterior(_)) => {
            "Every constant was derived again. The file cannot show that the sampler ran as long as Δ requires."
                .to_owned()
        }
        0 => "Every constant was derived again.".to_owned(),
        1 => "One number cannot be checked from the file and is assumed: see above.".to_owned(),
        more => format!("{more} numbers cannot be checked from the file and are assumed: see above."),
    };
    let prepared = prepared(release.columns.as_ref(), certificate);
    let proved = Proved::of(certificate).map(|row| wrapped(&row.line())).unwrap_or_default();
    format!(
        "{}\n{}\n{}\n{}\n{}\n{}\n{prepared}{}\n{proved}{user}{given}\n{}; {}; numerics: {}.\n",
        bold("Derived again from the release's own numbers, in exact arithmetic"),
        holds,
        bold("Rests on (pages of spec/)"),
        table(&rests_on),
        bold("Assumed: what no check of this file can show"),
        assumed,
        bold(&format!(
            "All {} clauses hold: {}, δ = 0, neighbours: {}; mechanism: {}.",
            verdict.checked.len(),
            promised(certificate),
            relation(certificate.neighbours, certificate.person.map(|person| person.rows)),
            mechanism(&certificate.mechanism),
        )),
        privacy(release.is_private()),
        certified(release),
        numerics(certificate.numerics),
    )
}

/// What was done to every record before anything else: public, and recorded in the release.
fn prepared(columns: Option<&Schema>, certificate: &Certificate) -> String {
    let Some(columns) = columns else { return String::new() };
    if columns.says_names_only() {
        return String::new();
    }
    let mut rows: Vec<[String; 2]> =
        columns.features.iter().map(|it| [printable(&it.name), feature(&it.kind)]).collect();
    rows.push([format!("{} (target)", printable(&columns.target.name)), target(&columns.target.kind)]);
    rows.extend(columns.person.iter().map(|it| {
        [format!("{} (person)", printable(&it.name)), format!("the first {} rows of each count", it.rows)]
    }));
    rows.extend(columns.ignored.iter().map(|name| [printable(name), "not looked at".to_owned()]));
    let marks: Vec<String> = columns.marks.iter().map(|mark| format!("\"{}\"", printable(mark))).collect();
    rows.push(["(missing cells)".to_owned(), marks.join(", ")]);
    rows.push(["(every row)".to_owned(), format!("norm {}", number(certificate.problem.feature_norm))]);
    format!(
        "{}\n{}\n",
        bold("The public schema: how every record was turned into numbers, and how every new row will be"),
        table(&rows)
    )
}

/// What a column is, in words.
fn feature(kind: &Kind) -> String {
    match kind {
        Kind::Plain(it) => format!("a number, taken as it is{}", instead(it.missing.as_ref())),
        Kind::Number(it) => {
            let [low, high] = it.range;
            let scale = if it.scale == Scale::Unit { ", scaled to [0,1]" } else { "" };
            let log = if it.log { ", its logarithm" } else { "" };
            format!("{low} to {high}{log}{scale}{}", instead(it.missing.as_ref()))
        }
        Kind::Levels(it) => {
            let levels: Vec<String> = it.levels.iter().map(|level| printable(level)).collect();
            let other = it.other.as_ref().map(|other| format!("; any other text: {}", printable(other)));
            let missing = it.missing.as_ref().map(|level| printable(level));
            format!("{}{}{}", levels.join(" | "), other.unwrap_or_default(), instead(missing.as_ref()))
        }
    }
}

/// What the target is, in words.
fn target(kind: &TargetKind) -> String {
    match kind {
        TargetKind::Plain(it) => format!("taken as it is{}", instead(it.missing.as_ref())),
        TargetKind::Range(it) => {
            format!("{} to {}{}", it.range[0], it.range[1], instead(it.missing.as_ref()))
        }
        TargetKind::Threshold(it) => {
            format!("positive class: >={}{}", it.at_least, instead(it.missing.as_ref()))
        }
        TargetKind::Classes(it) => {
            let classes: Vec<String> = it.classes.iter().map(|class| printable(class)).collect();
            let missing = it.missing.as_ref().map(|class| printable(class));
            let positive = match &classes[..] {
                [_, positive] => format!("; positive class: {positive}"),
                _ => "; each against the rest".to_owned(),
            };
            format!("{}{positive}{}", classes.join(" | "), instead(missing.as_ref()))
        }
    }
}

fn instead<T: std::fmt::Display>(missing: Option<&T>) -> String {
    missing.map(|value| format!("; missing: {value}")).unwrap_or_default()
}

/// `1-DP` or `1-GDP`.
pub(crate) fn shown(guarantee: Guarantee) -> String {
    match guarantee {
        Guarantee::Pure(epsilon) => format!("{epsilon}-DP"),
        Guarantee::Gaussian(mu) => format!("{mu}-GDP"),
    }
}

/// The guarantee, and the pure one underneath where it was converted.
pub(crate) fn promised(certificate: &Certificate) -> String {
    let total = shown(certificate.guarantee());
    let row = certificate.person.map(|_| format!(" ({} for a row)", shown(certificate.ledger.total)));
    let total = total + &row.unwrap_or_default();
    let converted = certificate.ledger.converted;
    converted.map_or(total.clone(), |epsilon| format!("{total} (as {epsilon:.6}-DP underneath)"))
}

/// The neighbour relation in words.
pub(crate) fn relation(neighbours: Neighbours, rows_per_person: Option<u64>) -> String {
    let relation = match neighbours {
        Neighbours::AddRemove => "more or less",
        Neighbours::ReplaceOne => "replaced by another",
    };
    match rows_per_person {
        None => format!("one record {relation}"),
        Some(rows) => format!("one person {relation}, with all rows (the first {rows} count)"),
    }
}

/// The mechanism in words.
pub(crate) fn mechanism(mechanism: &Mechanism) -> &'static str {
    match mechanism {
        Mechanism::Output(_) => "output perturbation",
        Mechanism::Objective(_) => "objective perturbation",
        Mechanism::NoisyGradient(_) => "noisy gradient descent",
        Mechanism::Posterior(posterior) => match posterior.sampler {
            Sampler::Exact => "posterior sample, exact draw",
            Sampler::Proximal => "posterior sample, proximal sampler",
            Sampler::Mala => "posterior sample, constrained MALA",
        },
    }
}

/// Whether a release is certified, and if not why.
pub(crate) fn certified(release: &Release) -> &'static str {
    match (release.certificate.certified, &release.certificate.problem.loss) {
        (true, _) => "certified: no constant is asymptotic or rests on a user's word",
        (false, Loss::User { .. }) => {
            "not certified: the constants of a user's loss rest on its author's word"
        }
        (false, _) => "not certified: asymptotic constants",
    }
}

/// In which arithmetic the guarantee is proved.
pub(crate) fn numerics(numerics: Numerics) -> &'static str {
    match numerics {
        Numerics::Rigorous => "rigorous, every rounding error is bounded and charged",
        Numerics::RealArithmeticOnly => "real arithmetic only, the sampler's rounding is not charged",
        Numerics::AsymptoticConstants => {
            "asymptotic constants, set by hand, and real arithmetic for the sampler"
        }
    }
}
