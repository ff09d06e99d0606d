//! The schema of a table, and the cells of a table's columns as the numbers that they become. spec: `own:schema`

use crate::refusal::python_error;
use asap_contracts::{Kind, Plain, TargetKind};
use asap_dp::data::{DataError, Encoder, Place, Refusal, Schema, read_schema};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The schema of a JSON text that [`schema_from_toml`] made.
pub(crate) fn parsed(text: &str) -> PyResult<Schema> {
    let refused = |_| PyValueError::new_err("schema must be what Schema.from_toml makes");
    let schema: Schema = serde_json::from_str(text).map_err(refused)?;
    match schema.fault() {
        None => Ok(schema),
        Some(fault) => Err(PyValueError::new_err(format!("schema: must be {}", fault.allowed))),
    }
}

/// The schema of a TOML text, as JSON text; raises `ValueError` with the line of what is wrong.
#[pyfunction]
pub(crate) fn schema_from_toml(text: &str) -> PyResult<String> {
    let schema = read_schema(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    serde_json::to_string(&schema).map_err(|_| PyValueError::new_err("schema: it cannot be written"))
}

/// Names for the numbers that a row becomes.
#[pyfunction]
pub(crate) fn parameter_names(schema: &str) -> PyResult<Vec<String>> {
    Ok(parsed(schema)?.parameter_names())
}

/// Columns that are numbers and taken as they are, with what stands for a missing one.
pub(crate) fn plain(names: Vec<String>, target: String, missing: Option<f64>) -> Schema {
    let mut schema = Schema::plain(names, target);
    for feature in &mut schema.features {
        feature.kind = Kind::Plain(Plain { missing });
    }
    schema
}

/// The cells of one column: numbers (what is not a number is missing), or texts, of which each cell names one by its
/// place in a list (-1 is missing).
#[derive(FromPyObject)]
pub(crate) enum Column<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(PyReadonlyArray1<'py, i64>, Vec<String>),
}

impl Column<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Numbers(cells) => cells.as_array().len(),
            Self::Texts(cells, _) => cells.as_array().len(),
        }
    }

    /// A cell as a file would have it: whole numbers without a point, nothing where it is missing, no blanks around it.
    pub(crate) fn text(&self, k: usize) -> String {
        let text = match self {
            Self::Numbers(cells) => {
                cells.as_array().get(k).filter(|cell| !cell.is_nan()).map(ToString::to_string)
            }
            Self::Texts(cells, texts) => {
                let code = cells.as_array().get(k).copied();
                code.and_then(place).and_then(|place| texts.get(place)).map(|text| text.trim().to_owned())
            }
        };
        text.unwrap_or_default()
    }
}

/// Whom record k is about. Every record needs its person, and a mark of missing cells is not a person.
pub(crate) fn whom(persons: &Column<'_>, k: usize, marks: &[String]) -> PyResult<String> {
    let text = persons.text(k);
    let nobody = text.is_empty() || marks.contains(&text);
    if nobody { Err(refused(k, "person", Refusal::Nobody)) } else { Ok(text) }
}

/// The numbers that are written as a mark of missing cells: a cell that is one of them is missing, as it is in a file.
struct MarkedNumbers(Vec<f64>);

impl MarkedNumbers {
    fn of(schema: &Schema) -> Self {
        let number = |mark: &String| mark.parse().ok().filter(|number: &f64| number.to_string() == *mark);
        Self(schema.marks.iter().filter_map(number).collect())
    }

    /// The number of a cell, or nothing where it is missing.
    fn number(&self, cell: f64) -> Option<f64> {
        Some(cell).filter(|cell| !cell.is_nan() && !self.0.contains(cell))
    }
}

fn refused(k: usize, column: &str, why: Refusal) -> PyErr {
    let column = column.chars().flat_map(char::escape_debug).take(60).collect();
    python_error(DataError::Cell { at: Place::Record(k + 1), column, why })
}

/// The place in a list of texts, if a cell has one.
fn place(code: i64) -> Option<usize> {
    usize::try_from(code).ok()
}

type EncodedArrays<'py> = (Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray1<f64>>>);

/// What the columns of a table become, row by row: the numbers of the features, in the order of the schema, and the
/// targets. An error counts records from `first` on.
#[pyfunction]
#[pyo3(signature = (schema, columns, target=None, first=0))]
pub(crate) fn encode<'py>(
    py: Python<'py>,
    schema: &str,
    columns: Vec<Column<'py>>,
    target: Option<Column<'py>>,
    first: usize,
) -> PyResult<EncodedArrays<'py>> {
    let schema = parsed(schema)?;
    let encoder = Encoder::new(&schema).map_err(python_error)?;
    let marked = MarkedNumbers::of(&schema);
    let rows = columns.first().map_or(0, Column::len);
    let fits = columns.iter().chain(&target).all(|column| column.len() == rows);
    if columns.len() != schema.features.len() || !fits {
        return Err(PyValueError::new_err(
            "the table must have one cell of each column and of the target for each row",
        ));
    }
    let refused = |k: usize, column: &str, why| refused(first.saturating_add(k), column, why);
    let width = encoder.parameters();
    let mut matrix = vec![0.0; rows * width];
    for (j, column) in columns.iter().enumerate() {
        let name = &schema.features[j].name;
        match column {
            Column::Numbers(cells) if encoder.has_levels(j) => {
                // A number is a text as well: whole ones without a point, as they are written.
                for (cell, row) in cells.as_array().iter().zip(matrix.chunks_exact_mut(width)) {
                    let text = (!cell.is_nan()).then(|| cell.to_string());
                    encoder.set_level(j, encoder.level(j, text.as_deref().map(str::as_bytes)), row);
                }
            }
            Column::Numbers(cells) => {
                for (k, (cell, row)) in
                    cells.as_array().iter().zip(matrix.chunks_exact_mut(width)).enumerate()
                {
                    encoder.number(j, marked.number(*cell), row).map_err(|why| refused(k, name, why))?;
                }
            }
            Column::Texts(cells, texts) if encoder.has_levels(j) => {
                let level = |text: &String| encoder.level(j, Some(text.as_bytes()));
                let levels: Vec<Option<usize>> = texts.iter().map(level).collect();
                let missing = encoder.level(j, None);
                for (code, row) in cells.as_array().iter().zip(matrix.chunks_exact_mut(width)) {
                    let level = place(*code).map_or(missing, |k| levels.get(k).copied().flatten());
                    encoder.set_level(j, level, row);
                }
            }
            Column::Texts(cells, texts) => {
                for (k, (code, row)) in
                    cells.as_array().iter().zip(matrix.chunks_exact_mut(width)).enumerate()
                {
                    let read = match place(*code).and_then(|k| texts.get(k)) {
                        Some(text) => encoder.text(j, text.as_bytes(), row),
                        None => encoder.number(j, None, row),
                    };
                    read.map_err(|why| refused(k, name, why))?;
                }
            }
        }
    }
    let refused_target = |(k, why)| refused(k, &schema.target.name, why);
    let targets =
        target.map(|column| targets(&encoder, &marked, &column)).transpose().map_err(refused_target)?;
    let matrix = Array2::from_shape_vec((rows, width), matrix)
        .map_err(|_| PyValueError::new_err("the table must have rows of one length"))?;
    Ok((matrix.into_pyarray(py), targets.map(|targets| PyArray1::from_vec(py, targets))))
}

/// The targets; or the first cell that is not a target, and why.
fn targets(
    encoder: &Encoder,
    marked: &MarkedNumbers,
    column: &Column<'_>,
) -> Result<Vec<f64>, (usize, Refusal)> {
    let read = |k: usize, target: Result<f64, Refusal>| target.map_err(|why| (k, why));
    match column {
        Column::Numbers(cells) => cells
            .as_array()
            .iter()
            .enumerate()
            .map(|(k, cell)| {
                let number = marked.number(*cell);
                // Classes by their texts: a number is the text by which it is written.
                let text = number.map(|number| number.to_string());
                read(
                    k,
                    match (encoder.target_number(number), text) {
                        (Err(Refusal::NotOfTheClasses), Some(text)) => encoder.target_text(text.as_bytes()),
                        (target, _) => target,
                    },
                )
            })
            .collect(),
        Column::Texts(cells, texts) => cells
            .as_array()
            .iter()
            .enumerate()
            .map(|(k, code)| {
                read(
                    k,
                    match place(*code).and_then(|k| texts.get(k)) {
                        Some(text) => encoder.target_text(text.as_bytes()),
                        None => encoder.target_number(None),
                    },
                )
            })
            .collect(),
    }
}

/// The classes of a schema's target, the positive one last; none where a number is predicted.
#[pyfunction]
pub(crate) fn schema_classes(schema: &str) -> PyResult<Option<Vec<String>>> {
    Ok(match parsed(schema)?.target.kind {
        TargetKind::Classes(classes) => Some(classes.classes),
        TargetKind::Threshold(it) => Some(vec![format!("<{}", it.at_least), format!(">={}", it.at_least)]),
        TargetKind::Range(_) | TargetKind::Plain(_) => None,
    })
}
