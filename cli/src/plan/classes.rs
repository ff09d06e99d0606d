//! `asap plan` for more than two classes: how the budget is divided, the predicted worth of each class, and the plan of
//! one of them.

use super::{Arguments, PlanFit};
use crate::arguments::ProblemFlags;
use crate::failure::Failure;
use crate::fit::printable;
use crate::problem::{ForLoss, shown};
use crate::terminal::{bold, print, print_json, table};
use asap_contracts::{Schema, TargetKind};
use asap_dp::loss::AgainstRest;
use asap_dp::one_against_rest::ClassPlans;
use asap_dp::privacy::Guarantee;
use serde_json::json;

pub(super) fn run(arguments: &Arguments, schema: &Schema) -> Result<(), Failure> {
    if arguments.sweep.is_some() {
        return Err(Failure::Usage(
            "--sweep: for two classes or numbers only; with more classes each has its own plan".to_owned(),
        ));
    }
    let TargetKind::Classes(target) = &schema.target.kind else { return Err(Failure::Internal) };
    let problem = &arguments.problem;
    let learner = problem.learner(Some(arguments.rows))?;
    let bounds = problem.bounds(Some(schema))?;
    let dimension = schema.parameters() + usize::from(problem.intercept);
    let weights = schema.target.weights.as_deref();
    let plans = ClassPlans::new(&learner, &target.classes, weights, &bounds, dimension);
    let plans = plans.map_err(|error| Failure::of_plan(&error))?;
    let mut found = Vec::new();
    for (class, plan) in plans.plans() {
        let guess = plans.learner().guess(plan.problem())?;
        let worth = plan.predict(&guess).map_err(|error| Failure::of_plan(&error))?.worth;
        found.push((class, plan.kind().name(), worth));
    }
    // The plan of the first class, with its share as the budget.
    let (epsilon, mu) = match plans.share() {
        Guarantee::Pure(share) => (Some(share.get()), None),
        Guarantee::Gaussian(share) => (None, Some(share.get())),
    };
    let one = Arguments { problem: ProblemFlags { epsilon, mu, ..problem.clone() }, ..arguments.clone() };
    let planned = PlanFit { arguments: &one }.run(AgainstRest::new(0, target.classes.len())?)?;
    if arguments.json {
        let classes: Vec<_> = found
            .iter()
            .map(
                |(class, mechanism, worth)| json!({ "class": class, "mechanism": mechanism, "worth": worth }),
            )
            .collect();
        return print_json(&json!({
            "guarantee": plans.total(),
            "guarantee_of_each": plans.share(),
            "classes": classes,
            "each": planned.to_json(),
        }));
    }
    let mut rows = vec![["class", "spends", "mechanism", "worth, of what can be learnt"].map(str::to_owned)];
    rows.extend(found.iter().map(|(class, mechanism, worth)| {
        let share = shown(plans.share());
        [printable(class), share, (*mechanism).to_owned(), format!("{:.1} %", 100.0 * worth)]
    }));
    print(&format!(
        "{}\n{}\nEach class is learnt against the rest, and all of them add up to {}. What follows is the plan of one class.\n\n{}",
        bold(&format!("{} classes share {}", target.classes.len(), shown(plans.total()))),
        table(&rows),
        shown(plans.total()),
        planned.report()
    ))
}
