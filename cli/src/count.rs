//! `asap count` and `asap quantile`: numbers about a file that may be published.

use crate::answer::{DrawsAnswer, tell};
use crate::arguments::{Count, Quantile as Arguments};
use crate::failure::Failure;
use asap_contracts::Answer;
use asap_dp::Error;
use asap_dp::account::Purpose;
use asap_dp::data::{DataError, Place, Refusal, parse_number};
use asap_dp::noise::RandomBits;
use asap_dp::quantile::Quantile;
use asap_dp::score::{AnswerPlan, Promise, Tally};
use serde_json::json;

/// How many rows.
pub(crate) fn rows(arguments: &Count) -> Result<(), Failure> {
    let Count { data, asking, out } = arguments;
    let ready = asking.ready(out, &[data])?;
    let refused = |_| {
        Failure::Usage("--epsilon or --mu is too small: the noise would be too large for a number".to_owned())
    };
    let plan = AnswerPlan::of_rows(&ready.promise).map_err(refused)?;
    let unusable = |error| Failure::AskedData { path: data.clone(), error };
    let mut file = asking.rows(data)?;
    let mut rows = 0;
    while file.advance().map_err(unusable)?.is_some() {
        rows += 1;
    }
    let tally = Tally::rows(rows).map_err(unusable)?;
    match ready.answer(out, data, &RowCount { plan, tally })? {
        Some((answer, written)) => tell(asking, &written, &answer, &json!({})),
        None => Ok(()),
    }
}

struct RowCount {
    plan: AnswerPlan,
    tally: Tally,
}

impl DrawsAnswer for RowCount {
    fn purpose(&self) -> Purpose {
        Purpose::Count
    }

    fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Answer, Error> {
        self.plan.release(&self.tally, rng)
    }
}

/// Where a quantile lies.
pub(crate) fn quantile(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { data, column, level, candidates, asking, out } = arguments;
    let ready = asking.ready(out, &[data])?;
    let asked = Quantile::new(*level, candidates)?;
    asked.accepts(&ready.promise).map_err(|error| Failure::of(error, data))?;
    let unusable = |error| Failure::AskedData { path: data.clone(), error };
    let mut file = asking.rows(data)?;
    let place = file.names().iter().position(|name| name == column).ok_or_else(|| {
        Failure::Usage(format!("--column: `{column}` is not a column of {}", data.display()))
    })?;
    let mut values = Vec::new();
    while let Some(row) = file.advance().map_err(unusable)? {
        let value = row.get(place).and_then(|cell| parse_number(cell.as_bytes()));
        let refused = || {
            let (at, why) = (Place::Line(file.line()), Refusal::NotANumber);
            unusable(DataError::Cell { at, column: column.clone(), why })
        };
        values.push(value.ok_or_else(refused)?);
    }
    asked.refuse(&values, &ready.promise).map_err(|error| Failure::of(error, data))?;
    let question = CountAsked { quantile: asked, values, promise: ready.promise };
    match ready.answer(out, data, &question)? {
        Some((answer, written)) => tell(asking, &written, &answer, &json!({})),
        None => Ok(()),
    }
}

struct CountAsked {
    quantile: Quantile,
    values: Vec<f64>,
    promise: Promise,
}

impl DrawsAnswer for CountAsked {
    fn purpose(&self) -> Purpose {
        Purpose::Quantile
    }

    fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Answer, Error> {
        self.quantile.answer(&self.values, &self.promise, rng)
    }
}
