//! The Python package `asap_dp`: what crosses the border between Python and the library, and nothing else.
//!
//! Public numbers come in as a dictionary ([`settings`]), records as arrays ([`matrix`]) or as the columns of a table
//! ([`schema`]), a release goes out as JSON text ([`fit`]), and so do answers ([`answer`]). Everything that a user sees
//! is made of these in `asap_dp/*.py`. spec: `own:python`
#![forbid(unsafe_code)]
#![allow(clippy::needless_pass_by_value, reason = "what Python hands over is owned")]

mod answer;
mod fit;
mod interrupt;
mod ledger;
mod matrix;
mod plan;
mod refusal;
mod release;
mod schema;
mod settings;
mod shards;

use pyo3::prelude::*;

/// The functions that the Python half calls.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::answer::{
        check_answer, count, first_rows, found, quantile, read_answer, score, score_outlook, split,
    };
    #[pymodule_export]
    use super::fit::fit;
    #[pymodule_export]
    use super::ledger::read_ledger;
    #[pymodule_export]
    use super::plan::{plan, verdict};
    #[pymodule_export]
    use super::release::{check, predict, read, release_parameter_names};
    #[pymodule_export]
    use super::schema::{encode, parameter_names, schema_classes, schema_from_toml};
    #[pymodule_export]
    use super::shards::{AnyShard, fit_shards, shard_starts};
}
