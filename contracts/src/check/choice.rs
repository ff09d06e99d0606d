//! A mechanism and a regulariser chosen by prediction: no listed one is predicted to be better. No guarantee rests on
//! it.

use crate::contract::Broken;
use crate::exact::Exact;
use crate::schema::{Certificate, Choice, ChosenRegulariser, Compared};
use crate::verdict::Clauses;

pub(super) fn check(certificate: &Certificate, choice: &Choice, clauses: &mut Clauses) -> Result<(), Broken> {
    let spec = "own:auto";
    let all = &choice.compared;
    let once = |name: &str| all.iter().filter(|other| other.mechanism == name).count() == 1;
    let number = |value: f64| value.is_finite() && value >= 0.0;
    let optional = |value: Option<f64>| value.is_none_or(number);
    let sound = all.iter().all(|it| {
        once(&it.mechanism)
            && it.predicted.is_some() == it.passes.is_some()
            && optional(it.predicted)
            && optional(it.passes)
    }) && (1..=certificate.problem.max_rows).contains(&choice.rows)
        && optional(choice.curvature)
        && number(choice.pass_price);
    clauses.need(spec, "compared mechanisms have predictions or none", sound)?;
    // What is missed, and the price of the passes.
    let price =
        |it: &Compared| Some(Exact::of(it.predicted?) + Exact::of(choice.pass_price) * Exact::of(it.passes?));
    let name = certificate.mechanism.name();
    let own = all.iter().find(|it| it.mechanism == name).and_then(price);
    let least = own.is_some_and(|own| all.iter().filter_map(price).all(|other| own <= other));
    clauses.need(spec, "mechanism is the one with the least predicted price", least)?;
    let Some(ChosenRegulariser { missed, with_half, with_twice }) = choice.regulariser else { return Ok(()) };
    let spec = "own:auto-regulariser";
    let sound = number(missed) && optional(with_half) && optional(with_twice);
    let best = [with_half, with_twice].into_iter().flatten().all(|other| missed <= other);
    clauses.need(spec, "half and twice the regulariser are predicted to miss as much or more", sound && best)
}
