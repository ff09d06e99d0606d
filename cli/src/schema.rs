//! Public schemas: reading one from a file, and `asap schema`, which writes one to fill in.

use crate::arguments::{ProblemFlags, Schema as Arguments};
use crate::failure::Failure;
use crate::fit::open;
use crate::output::{Destination, Existing};
use asap_dp::data::{Schema, read_header, read_schema, schema_to_fill_in};
use std::fs;

impl ProblemFlags {
    /// The schema of `--schema`.
    pub(crate) fn table(&self) -> Result<Option<Schema>, Failure> {
        let Some(path) = &self.schema else { return Ok(None) };
        let text = fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))?;
        let refused = |error: asap_dp::data::SchemaError| Failure::Input {
            path: path.clone(),
            reason: error.to_string(),
        };
        read_schema(&text).map(Some).map_err(refused)
    }
}

/// `asap schema`: the columns of a file as a schema to fill in. Reads the header, and not a byte more.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { data, target, separator, out, overwrite } = arguments;
    let place = Destination::probe(out, Existing::of(overwrite.force), &[data])?;
    let names =
        read_header(open(data)?, *separator).map_err(|error| Failure::Data { path: data.clone(), error })?;
    if let Some(target) = target.as_ref().filter(|target| !names.contains(target)) {
        return Err(Failure::Usage(format!("--target: `{target}` is not a column of {}", data.display())));
    }
    place.write(&schema_to_fill_in(&names, target.as_deref()))
}
