//! A fit of more than two classes: one against the rest, class by class. spec: `own:one-against-rest`

use super::{FitFile, WithRecords, printable, stages};
use crate::check::classes::{facts, weakest};
use crate::check::{mechanism, numerics, relation};
use crate::cost::{Kept, Outlook};
use crate::failure::Failure;
use crate::problem::shown;
use crate::terminal::{Stage, number, table};
use asap_contracts::{OneAgainstRest, Schema, TargetKind};
use asap_dp::account::Entered;
use asap_dp::loss::AgainstRest;
use asap_dp::objective::{Here, Sums};
use asap_dp::one_against_rest::{AnyRelease, ClassPlans, with_columns};
use asap_dp::{Learner, ReplayRng, SecureRng};
use serde_json::{Value, json};
use std::path::Path;

struct FitClasses<'a, 's> {
    file: FitFile<'a>,
    classes: &'s [String],
    weights: Option<&'s [f64]>,
}

/// Fits a model of the classes of a schema.
pub(super) fn fit<'a>(
    file: FitFile<'a>,
    schema: &Schema,
) -> Result<(AnyRelease, Option<Entered<'a>>), Failure> {
    let TargetKind::Classes(target) = &schema.target.kind else { return Err(Failure::Internal) };
    let (arguments, weights) = (file.arguments, schema.target.weights.as_deref());
    let task = FitClasses { file, classes: &target.classes, weights };
    let loss = AgainstRest::new(0, target.classes.len())?;
    let ((model, entered), columns) = arguments.with_records(loss, &task)?;
    // Noise was drawn: what goes wrong from here on is no refusal.
    let model = with_columns(model, columns).map_err(|_| Failure::Internal)?;
    Ok((AnyRelease::Classes(model), entered))
}

impl<'a> WithRecords<AgainstRest> for FitClasses<'a, '_> {
    type Output = (OneAgainstRest, Option<Entered<'a>>);

    /// Plans every class, enters the fit into the ledger once, and only then draws noise.
    fn with<S: Here + Sums<Loss = AgainstRest>>(
        &self,
        learner: &Learner,
        records: &S,
    ) -> Result<Self::Output, Failure> {
        let arguments = self.file.arguments;
        let failed = |error| Failure::of(error, &arguments.data);
        let planning = Stage::begin("planning, from public numbers");
        let (bounds, count) = (records.bounds(), self.classes.len());
        let plans = ClassPlans::new(learner, self.classes, self.weights, bounds, records.dimension());
        let plans = plans.map_err(|error| Failure::of_plan(&error))?;
        let kept = if arguments.stream { Kept::InTheFile } else { Kept::InMemory };
        let (outlook, kind) = Outlook::of_classes(&plans, kept)?;
        drop(planning);
        self.file.heed(outlook.objection(arguments.cost_limit).map(|reason| {
            format!(
                "{count} classes, each against the rest with {} of the budget. {reason}",
                shown(plans.share())
            )
        }))?;
        let text = format!("fitting {count} classes, one after the other: {}", stages(kind));
        let _fitting = Stage::begin(&format!("{text}; {}", outlook.estimate()));
        if let Some(seed) = arguments.replay_seed {
            plans.release_entered(records, &mut ReplayRng::new(seed), || Ok(None), failed)
        } else {
            let mut rng = SecureRng::new().map_err(Failure::NoRandomness)?;
            let name = format!("{}, {count} classes", kind.name());
            plans.release_entered(records, &mut rng, || self.file.enter(&name, bounds), failed)
        }
    }
}

pub(super) fn summary(written: &Path, model: &OneAgainstRest) -> Value {
    let names = names(model);
    let mut said = facts(model, |certificate| {
        let named = names.iter().zip(&certificate.theta);
        let named = named.map(|(name, value)| json!({ "column": name, "value": value }));
        ("coefficients", named.collect::<Vec<_>>().into())
    });
    said["out"] = json!(written);
    said["target"] = json!(model.columns.as_ref().map(|columns| &columns.target.name));
    said["public_key"] = json!(model.signature.as_ref().map(|signature| &signature.public_key));
    said
}

/// Names of the parameters; the last may be the intercept's.
fn names(model: &OneAgainstRest) -> Vec<String> {
    let names = model.columns.as_ref().map(Schema::parameter_names).unwrap_or_default();
    names.into_iter().chain(["(intercept)".to_owned()]).collect()
}

pub(super) fn report(written: &Path, model: &OneAgainstRest) -> Result<String, Failure> {
    let clauses = model.check().map_err(|_| Failure::Internal)?.checked.len();
    let whole = &model.one_against_rest;
    let first = &whole.parts.first().ok_or(Failure::Internal)?.certificate;
    let share = crate::check::shown(first.guarantee());
    let mut mechanisms: Vec<&str> =
        whole.parts.iter().map(|part| mechanism(&part.certificate.mechanism)).collect();
    mechanisms.dedup();
    let mut facts = vec![
        ["written", &written.display().to_string()],
        ["guarantee", &format!("{}, δ = 0", crate::check::shown(whole.total))],
        ["each class", &format!("{share} of it, against the rest: {} classes", whole.parts.len())],
        ["neighbours", &relation(first.neighbours, first.person.map(|it| it.rows))],
        ["mechanism", &mechanisms.join(", ")],
        ["private", if whole.is_private() { "yes" } else { "NO: noise from a known seed" }],
        ["numerics", numerics(weakest(whole))],
        ["checked", &format!("{clauses} clauses hold, those of a class in every class")],
    ]
    .into_iter()
    .map(|row| row.map(str::to_owned))
    .collect::<Vec<_>>();
    if let Some(signature) = &model.signature {
        facts.push(["public key".to_owned(), signature.public_key.clone()]);
    }
    let mut rows =
        vec![["column".to_owned()].into_iter().chain(whole.classes().map(|it| printable(it))).collect()];
    rows.extend(names(model).iter().enumerate().take(first.theta.len()).map(|(k, name)| {
        let values = whole
            .parts
            .iter()
            .map(|part| part.certificate.theta.get(k).copied().map_or_else(String::new, number));
        [printable(name)].into_iter().chain(values).collect::<Vec<String>>()
    }));
    Ok(format!("{}\n{}", table(&facts), table(&rows)))
}
