//! Scores of models of more than two classes. spec: `own:score`, `own:one-against-rest`

use super::{AnswerPlan, Asked, Promise, Tally, bounds_of, options};
use crate::bounds::Bounds;
use crate::data::{OutOfBounds, Records, read_csv};
use crate::error::Error;
use crate::input::InvalidInput;
use crate::loss::AgainstRest;
use crate::one_against_rest::{most_probable, scores};
use asap_contracts::{OneAgainstRest, Question, Scored};
use std::io::Read;

impl AnswerPlan {
    /// How good a model of more than two classes is: accuracy, and for each class the share that is predicted right. An
    /// edited model is not scored. There are no bins: a curve is one of two classes.
    pub fn of_labels(model: &OneAgainstRest, asked: &Asked, promise: &Promise) -> Result<Self, Error> {
        model.check()?;
        let refused = |field, allowed| Err(InvalidInput { field, allowed }.into());
        if asked.largest_error.is_some() {
            return refused("largest error", "left out: this model predicts classes");
        }
        if asked.bins.is_some() {
            return refused(
                "bins",
                "left out: a curve and its area are for two classes, and this model has more",
            );
        }
        let scored = Scored { release: model.digest.clone(), rows: asked.rows };
        let classes = model.one_against_rest.classes().cloned().collect();
        Self::new(Question::Labels { model: scored, classes }, promise)
    }

    /// Counts the rows of a CSV file that has the columns of the model, as [`AnswerPlan::tally_csv`] does.
    pub fn tally_labels_csv(
        &self,
        model: &OneAgainstRest,
        reader: impl Read,
        separator: Option<u8>,
        person: Option<&str>,
    ) -> Result<Tally, Error> {
        self.first_rows_of(reader, separator, person, model.columns.as_ref(), |reader, separator| {
            let named = model.columns.as_ref().filter(|schema| schema.target.class_count().is_some());
            let allowed = "one whose schema lists the classes";
            let columns = named.ok_or(InvalidInput { field: "release", allowed })?;
            let options = options(Some(columns), separator, person)?;
            let (loss, bounds) = self.labelled(model)?;
            let (records, _) = read_csv(reader, &options, loss, bounds, OutOfBounds::Clip)?;
            self.tally_labelled(model, &records)
        })
    }

    /// Counts rows of numbers as a fit takes them; a target is the number of a class.
    pub fn tally_labels_rows(
        &self,
        model: &OneAgainstRest,
        dimension: usize,
        features: Vec<f64>,
        labels: Vec<f64>,
    ) -> Result<Tally, Error> {
        let (loss, bounds) = self.labelled(model)?;
        let clip = OutOfBounds::Clip;
        let records = Records::with_dimension(loss, bounds, clip, dimension, features, labels)?;
        self.tally_labelled(model, &records)
    }

    /// What admits the labels, and the bounds of the fit; an intercept is for the prediction to add.
    fn labelled(&self, model: &OneAgainstRest) -> Result<(AgainstRest, Bounds), Error> {
        let planned = self.question().model().map(|scored| &scored.release);
        let part = model.one_against_rest.parts.first().filter(|_| planned == Some(&model.digest));
        let other = InvalidInput { field: "release", allowed: "the one that the plan is for" };
        let bounds = bounds_of(&part.ok_or(other)?.certificate.problem)?;
        Ok((AgainstRest::new(0, model.one_against_rest.parts.len())?, bounds))
    }

    fn tally_labelled(&self, model: &OneAgainstRest, records: &Records<AgainstRest>) -> Result<Tally, Error> {
        let scores = scores(model, records.features())?;
        let predicted =
            scores.chunks(model.one_against_rest.parts.len()).map(|row| most_probable(row) as f64);
        let rows: Vec<(f64, f64)> = predicted.zip(records.targets().iter().copied()).collect();
        Ok(Tally::of_predictions(self.question(), &rows)?)
    }
}
