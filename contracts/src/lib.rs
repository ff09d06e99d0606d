//! The certificate of a differentially private release, and the contracts that decide it.
//!
//! A release is a JSON file: the parameters θ̂ of a model, and every public number between the privacy budget and their
//! bits. This crate has one exact function for each lemma between them ([`contract`]). It decides, clause by clause,
//! whether the numbers of a file add up to the guarantee that it states. The program that learns proposes its numbers
//! and asks the same functions before it draws and before a release leaves. The crate says not only what it checked but
//! also what is left to believe.
//!
//! ```
//! # let text = r#"{"certificate": {"schema": 1}}"#;
//! use asap_contracts::Release;
//! match Release::from_json(text).and_then(|release| release.check()) {
//!     Ok(verdict) => {
//!         verdict.checked.iter().for_each(|it| println!("holds    {} [{}]", it.clause, it.spec));
//!         verdict.assumed.iter().for_each(|it| println!("believed {} [{}]", it.why, it.spec));
//!     }
//!     Err(failed) => println!("{failed}"),
//! }
//! ```
//!
//! # How to read it
//!
//! An auditor who reads these files in this order has read everything:
//!
//! 1. `schema.rs`, `schema/mechanism.rs`: what a certificate says. Data only.
//! 2. `exact.rs`, `exact/`: the numbers. What is negative, infinite or not a number fails every comparison.
//! 3. `contract.rs`, `contract/`: one function for each lemma.
//! 4. `check.rs`: the order of the clauses; form, budget and problem.
//! 5. `check/loss.rs`: the two facts about each built-in loss.
//! 6. `check/output.rs`, `check/noise.rs`: the perturbed minimiser, and what noise on a lattice buys.
//! 7. `check/posterior.rs`: ball, temperature, and the noise for the sampler's error.
//! 8. `check/objective.rs`: tilt, Jacobian, and the noise for the distance to the exact minimiser.
//!    `check/tilt.rs`: what the blocks of a tilt hide.
//! 9. `check/noisy_gradient.rs`: the noise of T gradients, and what T steps spend together.
//! 10. `check/logarithm.rs`: the two logarithms that a budget may need, decided in whole numbers.
//! 11. `check/sums.rs`, `check/charge.rs`: what floating point does: to sums over the records, to the search for
//!     the minimiser, to one draw.
//! 12. `check/choice.rs`: a mechanism that was chosen by predicted risk has the least.
//! 13. `claims.rs`: the results that each kind of release rests on, and what is assumed.
//! 14. `table.rs`, `table/spelling.rs`: what a schema of the table says, and when it is one.
//! 15. `release.rs`, `signature.rs`, `verdict.rs`: the file, its digest, who signed it, and what a check returns.
//! 16. `one_against_rest.rs`, `check/one_against_rest.rs`: a model of more than two classes, a certificate for each in
//!     one file.
//! 17. `answer.rs`, `check/answer.rs`: the other kind of file, for a score, a count or a quantile.
//!
//! The ids in brackets are pages of `spec/`; `own:certificate` has the table of all inequalities.
//!
//! # What it is worth
//!
//! The digest shows that something was edited after it was sealed. Anyone who edits can seal again. Then the clauses
//! must catch it, and a signature (feature `signature`) says who sealed it. No checker sees the records, the random
//! bits or the program that ran: [`Findings::assumed`] lists that with everything else that is believed.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![forbid(unsafe_code)]

mod answer;
mod check;
mod claims;
pub mod contract;
pub mod exact;
mod one_against_rest;
mod release;
mod schema;
#[cfg(feature = "signature")]
mod signature;
mod table;
mod verdict;

pub use answer::{ANSWER_SCHEMA, Answer, Answering, Question, Scored, Statement, Unseen};
pub use one_against_rest::{ClassPart, ClassParts, ONE_AGAINST_REST_SCHEMA, OneAgainstRest};
pub use release::{Release, Signature};
pub use schema::{
    Asap, Block, BlockLaw, BlockNoise, Calibration, Certificate, Choice, ChosenRegulariser, Claim, Compared,
    Guarantee, Ledger, Localisation, Loss, Mechanism, Minimiser, Neighbours, Noise, NoisyGradient, Numerics,
    ObjectivePerturbation, Output, Person, Posterior, Price, Problem, Randomness, Reference, SCHEMA, Sampler,
    Share, Status, Tilt,
};
pub use table::{
    Classes, Fault, Feature, Kind, Levels, Number, PersonColumn, Place, Plain, Scale, Schema, Target,
    TargetKind, TargetRange, Threshold, is_range, relative_weights, weights_against_rest,
};
pub use verdict::{Assumed, CheckFailed, Checked, Findings};
