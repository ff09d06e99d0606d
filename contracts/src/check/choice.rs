//! A mechanism that was chosen by predicted risk: it is the one with the least. No guarantee rests on it.

use crate::exact::Exact;
use crate::schema::{Certificate, Choice};
use crate::verdict::{CheckFailed, Clauses};

pub(super) fn check(
    certificate: &Certificate,
    choice: &Choice,
    clauses: &mut Clauses,
) -> Result<(), CheckFailed> {
    let spec = "own:auto";
    let all = &choice.compared;
    let once = |name: &str| all.iter().filter(|other| other.mechanism == name).count() == 1;
    let numbers = all.iter().filter_map(|compared| compared.predicted);
    let sound = all.iter().all(|compared| once(&compared.mechanism))
        && (1..=certificate.problem.max_rows).contains(&choice.rows)
        && choice.curvature.is_none_or(|curvature| curvature.is_finite() && curvature >= 0.0)
        && numbers.clone().all(|predicted| Exact::of(predicted).is_positive());
    clauses.need(spec, "compared mechanisms have predictions or none", sound)?;
    let name = certificate.mechanism.name();
    let own = all.iter().find(|compared| compared.mechanism == name).and_then(|compared| compared.predicted);
    let least = own.is_some_and(|own| numbers.clone().all(|other| own <= other));
    clauses.need(spec, "mechanism is the one with the least predicted risk", least)
}
