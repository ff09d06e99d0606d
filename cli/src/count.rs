//! `asap count` and `asap quantile`: numbers about a file that may be published.

use crate::answer::{Draw, tell};
use crate::arguments::{Count, Persons, Quantile as Arguments};
use crate::failure::Failure;
use crate::fit::open;
use asap_contracts::Answer;
use asap_dp::Error;
use asap_dp::data::{DataError, FirstRows, Place, Refusal, Schema, WholeRows, parse_number};
use asap_dp::noise::RandomBits;
use asap_dp::privacy::{Guarantee, Neighbours};
use asap_dp::quantile::Quantile;
use asap_dp::score::{Plan, Tally};
use serde_json::json;
use std::io::Read;
use std::path::Path;

/// How many rows.
pub(crate) fn rows(arguments: &Count) -> Result<(), Failure> {
    let Count { data, asking, persons, out } = arguments;
    let ready = asking.ready(out, &[data])?;
    let refused = |_| Failure::Usage("--epsilon or --mu: no number holds the noise".to_owned());
    let plan = Plan::of_rows(ready.guarantee, asking.neighbours.relation())
        .and_then(|plan| {
            persons.rows_per_person.map_or(Ok(plan.clone()), |rows| plan.with_rows_per_person(rows))
        })
        .map_err(refused)?;
    let unusable = |error| Failure::NewData { path: data.clone(), error };
    let mut file = WholeRows::open(open(data)?, asking.separator).map_err(unusable)?;
    let mut whose = persons.whose(&file, data)?;
    let mut rows = 0;
    while let Some(row) = file.advance().map_err(unusable)? {
        rows += usize::from(whose.takes(&row, file.line()).map_err(unusable)?);
    }
    let tally = Tally::rows(rows).map_err(unusable)?;
    match ready.answer(out, data, &Rows { plan, tally })? {
        Some((answer, written)) => tell(asking, &written, &answer, &json!({})),
        None => Ok(()),
    }
}

struct Rows {
    plan: Plan,
    tally: Tally,
}

impl Draw for Rows {
    fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Answer, Error> {
        self.plan.release(&self.tally, rng)
    }
}

/// Which rows of a person are taken: all, where every row counts by itself.
struct Whose(Option<(String, usize, FirstRows)>);

impl Persons {
    fn whose(&self, file: &WholeRows<impl Read>, data: &Path) -> Result<Whose, Failure> {
        let Some((name, rows)) = self.person.as_ref().zip(self.rows_per_person) else {
            return Ok(Whose(None));
        };
        let place = file.names().iter().position(|it| it == name).ok_or_else(|| {
            Failure::Usage(format!("--person: `{name}` is not a column of {}", data.display()))
        })?;
        Ok(Whose(Some((name.clone(), place, FirstRows::new(rows)))))
    }
}

impl Whose {
    /// Whether a row is taken. Every row needs its person.
    fn takes(&mut self, row: &[String], line: u64) -> Result<bool, DataError> {
        let Some((column, place, first)) = &mut self.0 else { return Ok(true) };
        match row.get(*place).filter(|cell| !Schema::USUAL_MARKS.contains(&cell.as_str())) {
            Some(person) => Ok(first.takes(person.as_bytes())),
            None => {
                let (at, why) = (Place::Line(line), Refusal::Nobody);
                Err(DataError::Cell { at, column: column.clone(), why })
            }
        }
    }
}

/// Where a quantile lies.
pub(crate) fn quantile(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { data, column, level, candidates, asking, persons, out } = arguments;
    let ready = asking.ready(out, &[data])?;
    let asked =
        Quantile::new(*level, candidates)?.with_rows_per_person(persons.rows_per_person.unwrap_or(1))?;
    let unusable = |error| Failure::NewData { path: data.clone(), error };
    let mut file = WholeRows::open(open(data)?, asking.separator).map_err(unusable)?;
    let place = file.names().iter().position(|name| name == column).ok_or_else(|| {
        Failure::Usage(format!("--column: `{column}` is not a column of {}", data.display()))
    })?;
    let mut whose = persons.whose(&file, data)?;
    let mut values = Vec::new();
    while let Some(row) = file.advance().map_err(unusable)? {
        if !whose.takes(&row, file.line()).map_err(unusable)? {
            continue;
        }
        let value = row.get(place).and_then(|cell| parse_number(cell.as_bytes()));
        let refused = || {
            let (at, why) = (Place::Line(file.line()), Refusal::NotANumber);
            unusable(DataError::Cell { at, column: column.clone(), why })
        };
        values.push(value.ok_or_else(refused)?);
    }
    let question = Asked {
        quantile: asked,
        values,
        guarantee: ready.guarantee,
        neighbours: asking.neighbours.relation(),
    };
    match ready.answer(out, data, &question)? {
        Some((answer, written)) => tell(asking, &written, &answer, &json!({})),
        None => Ok(()),
    }
}

#[allow(clippy::struct_field_names, reason = "values are what a column has")]
struct Asked {
    quantile: Quantile,
    values: Vec<f64>,
    guarantee: Guarantee,
    neighbours: Neighbours,
}

impl Draw for Asked {
    fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Answer, Error> {
        self.quantile.answer(&self.values, self.guarantee, self.neighbours, rng)
    }
}
