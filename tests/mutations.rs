//! Every harness in `proofs/` can fail: for each a mutation of the source that turns it red.
//!
//! The quick test keeps the table below, the harnesses and their doc comments in agreement. The slow one applies
//! each mutation to a copy of the crate and runs the property-test version of its harness there:
//! `cargo test --test mutations -- --ignored`, or only some of them with `HARNESS=verify_at_most` before it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

struct Mutation {
    harness: &'static str,
    name: &'static str,
    file: &'static str,
    before: &'static str,
    after: &'static str,
}

const fn mutation(
    harness: &'static str,
    name: &'static str,
    file: &'static str,
    [before, after]: [&'static str; 2],
) -> Mutation {
    Mutation { harness, name, file, before, after }
}

const MUTATIONS: &[Mutation] = &[
    mutation(
        "verify_of_key__exactly",
        "a run goes on over a different byte",
        "src/noise/health.rs",
        [
            "if key[k] == key[k - 1] { run + 1 } else { 1 }",
            "if key[k] == key[k - 1] { run + 1 } else { run }",
        ],
    ),
    mutation(
        "verify_attempt__equal_pre_images",
        "remainder instead of rejection",
        "src/noise/uniform.rs",
        [
            "let candidate = random as Self & mask;",
            "let candidate = (random as Self).checked_rem(last.wrapping_add(1)).unwrap_or(mask);",
        ],
    ),
    mutation(
        "verify_bernoulli_exp_of__rounds",
        "a round draws from one number too many",
        "src/noise/bernoulli.rs",
        ["uniform_up_to(rounds_gone_on, rng) == 0", "uniform_up_to(rounds_gone_on + 1, rng) == 0"],
    ),
    mutation(
        "verify_bernoulli__certain_and_impossible",
        "a coin that says yes at its bound",
        "src/noise/bernoulli.rs",
        ["uniform_below(q, rng) < p", "uniform_below(q, rng) <= p"],
    ),
    mutation(
        "verify_split__exact",
        "the fraction keeps a bit of the integer",
        "src/noise/bernoulli.rs",
        ["mantissa - whole.checked_shl(places)", "mantissa - (whole & !1).checked_shl(places)"],
    ),
    mutation(
        "verify_signed__minus_zero_starts_again",
        "minus zero counts as zero",
        "src/noise/laplace.rs",
        ["if negative && magnitude == 0 {", "if false {"],
    ),
    mutation(
        "verify_with_periods__sum_or_cut",
        "the geometric sum wraps",
        "src/noise/laplace.rs",
        ["x = x.saturating_add(u128::from(t.get()));", "x = x.wrapping_add(u128::from(t.get()));"],
    ),
    mutation(
        "verify_rounded_up__not_below",
        "division rounds to nearest",
        "src/noise/laplace.rs",
        [
            "NonZeroU64::new(divide_up(mantissa, places - kept))?",
            "NonZeroU64::new(super::shift::divide_nearest(mantissa, places - kept).max(1))?",
        ],
    ),
    mutation(
        "verify_whole_at_least__not_below",
        "whole steps are rounded to nearest",
        "src/noise/steps.rs",
        ["whole(divide_up(", "whole(super::shift::divide_nearest("],
    ),
    mutation(
        "verify_nearest_if_certain__both_ends",
        "a rounding looks at one end only",
        "src/noise/euclidean.rs",
        ["(high / 2 <= nearest)", "(low / 2 <= nearest)"],
    ),
    mutation(
        "verify_nearest__half_a_unit",
        "a variate is rounded down",
        "src/noise/variate.rs",
        ["((digits >> (dropped - 1)) + 1) >> 1", "digits >> dropped"],
    ),
    mutation(
        "verify_times_rounded__nearest",
        "rounding forgets the carry of the second word",
        "src/noise/normal.rs",
        ["None => return true,", "None => return false,"],
    ),
    mutation(
        "verify_put_together__odd_in_sign",
        "the sign moves the magnitude",
        "src/noise/normal.rs",
        ["if negative { -magnitude }", "if negative { !magnitude }"],
    ),
    mutation(
        "verify_round__within_half_a_step",
        "rounding towards zero",
        "src/noise/lattice.rs",
        [
            "divide_nearest(mantissa, shift.unsigned_abs())",
            "mantissa.checked_shr(shift.unsigned_abs()).unwrap_or(0)",
        ],
    ),
    mutation(
        "verify_round_clamped__monotone",
        "infinities go to the wrong end",
        "src/noise/lattice.rs",
        ["None if x.is_sign_negative() => -Self::RANGE,", "None if x.is_sign_negative() => Self::RANGE,"],
    ),
    mutation(
        "verify_point__exact",
        "the sum is cut before it is clamped",
        "src/noise/lattice.rs",
        ["i128::from(k).saturating_add(noise);", "i128::from(k.saturating_add(noise as i64));"],
    ),
    mutation(
        "verify_decompose__exact",
        "subnormal numbers get the exponent of normal ones",
        "src/exact.rs",
        ["Some((fraction, -1074))", "Some((fraction, biased - 1075))"],
    ),
    mutation(
        "verify_at_most__product",
        "a comparison that ignores exponents",
        "src/exact.rs",
        ["        a.cmp(&b)\n", "        let _ = (a, b);\n        self.mantissa.cmp(&other.mantissa)\n"],
    ),
    mutation(
        "verify_at_most__scale",
        "equal numbers count as too small",
        "src/exact.rs",
        ["(Some(left), Some(right)) => left <= right,", "(Some(left), Some(right)) => left < right,"],
    ),
    mutation(
        "verify_at_most__shares",
        "a comparison that forgets a term",
        "src/exact.rs",
        ["sum = sum.plus(&product);", "sum = product;"],
    ),
    mutation(
        "verify_at_most__refuses_what_is_no_number",
        "what is not a number counts as small",
        "src/exact.rs",
        ["_ => false,", "_ => true,"],
    ),
    mutation(
        "verify_step_until__first_that_holds",
        "the last value is returned unchecked",
        "src/exact.rs",
        ["holds(value).then_some(value)", "Some(value)"],
    ),
    mutation(
        "verify_split__within_the_total",
        "shares are handed out unchecked",
        "src/ledger.rs",
        ["if total.covers(&shares) {", "if true {"],
    ),
    mutation(
        "verify_first_accepted__accepted_or_fallback",
        "the last candidate instead of the fallback",
        "src/ball.rs",
        [
            "(0..tries).map(candidate).find(accepts).unwrap_or(fallback)",
            "(0..tries).map(candidate).reduce(|a, b| if accepts(&a) { a } else { b }).unwrap_or(fallback)",
        ],
    ),
    mutation(
        "verify_smallest_count__suffices",
        "the estimate is returned unchecked",
        "src/calibrate/mala.rs",
        ["|x| x + 1.0, suffices, 16)?;", "|x| x + 1.0, suffices, 16).unwrap_or(start);"],
    ),
    mutation(
        "verify_smallest_whole__enough_and_smallest",
        "too many steps are kept",
        "src/calibrate/proximal.rs",
        ["steps <= 1.0 || !enough(steps - 1.0);", "steps >= 1.0 || !enough(steps - 1.0);"],
    ),
    mutation(
        "verify_admissible_tolerance__contract",
        "a tolerance that is doubled",
        "src/optimise.rs",
        ["        Some(tau.get())\n", "        Some(2.0 * tau.get())\n"],
    ),
    mutation(
        "verify_restart_until_inside__bounded",
        "a chain too many",
        "src/sampler/mala.rs",
        ["for _ in 0..tau_max {", "for _ in 0..=tau_max {"],
    ),
    mutation(
        "verify_walk__states_and_steps",
        "a step too many",
        "src/sampler/mala.rs",
        ["for _ in 0..steps {", "for _ in 0..=steps {"],
    ),
    mutation(
        "verify_takes__decision",
        "infinite energies are taken",
        "src/sampler/mala.rs",
        ["energy.is_finite() && accepts(log_ratio, coin)", "!energy.is_nan() && accepts(log_ratio, coin)"],
    ),
    mutation(
        "verify_fair_coins__ones_among_count",
        "bits beyond the count are counted",
        "src/sampler/mala.rs",
        ["let mask = (1_u64 << (count % 64)) - 1;", "let mask = u64::MAX;"],
    ),
    mutation(
        "verify_first__accepted",
        "a proposal is thrown away",
        "src/sampler/truncated.rs",
        [
            "        if let Some(accepted) = propose() {",
            "        propose();\n        if let Some(accepted) = propose() {",
        ],
    ),
    mutation(
        "verify_first_inside__never_outside",
        "a proposal outside is returned",
        "src/sampler/truncated.rs",
        ["if inside(&proposal) {", "if true {"],
    ),
    mutation(
        "verify_rounding_fits__contract",
        "half of the error may be spent on rounding",
        "src/calibrate/reference.rs",
        ["requires 4.0 * charge.get() <= error.get();", "requires 2.0 * charge.get() <= error.get();"],
    ),
    mutation(
        "verify_within_caps__first_accepted_or_none",
        "the cap on passes is forgotten",
        "src/sampler/exact.rs",
        [
            "while made.evaluated < caps.evaluated && made.drawn < caps.drawn {",
            "while made.drawn < caps.drawn {",
        ],
    ),
    mutation(
        "verify_least_and_gap__below_both",
        "the larger of parabola and line",
        "src/sampler/exact.rs",
        ["if a <= b { (a, b - a) }", "if a > b { (a, b - a) }"],
    ),
    mutation(
        "verify_counted__no_number_is_never_accepted",
        "an energy that is no number counts as 0",
        "src/sampler/exact.rs",
        ["if energy.is_finite() { Some(energy.max(0.0)) } else { None }", "Some(energy.max(0.0))"],
    ),
    mutation(
        "verify_energy__bad_values_break_the_promise",
        "the energy is clamped",
        "src/sampler/proximal.rs",
        ["let value = divergence - quadratic;", "let value = (divergence - quadratic).max(0.0);"],
    ),
    mutation(
        "verify_step__any_text",
        "a quoted line end ends the record",
        "src/data/fields.rs",
        [
            "        (State::Quoted, _) | ",
            "        (State::Quoted, b'\\n') => (State::Record, Action::EndRecord),\n        (State::Quoted, _) | ",
        ],
    ),
    mutation(
        "verify_sniff_separator__occurs",
        "sniffing guesses a comma",
        "src/data/fields.rs",
        ["(count > 0).then_some(separator)", "Some(separator)"],
    ),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a directory that end in `.rs`.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let nested = entries.map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    nested.flatten().filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// Name, and the mutation that the doc comment states, of each harness in `proofs/`.
fn documented() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for file in sources(&root().join("proofs")) {
        let text = fs::read_to_string(&file).unwrap();
        for block in text.split("harness! {\n").skip(1) {
            let between = |start: &str, end: &str| {
                let rest = block.split_once(start).map(|(_, rest)| rest);
                let inner = rest.and_then(|rest| rest.split_once(end)).map(|(inner, _)| inner.to_owned());
                inner.unwrap_or_else(|| panic!("a harness in {} has no `{start}`", file.display()))
            };
            let comment = between("    /// spec: `", "\n    [kani::proof");
            for part in ["assumes: ", "bound: ", "solver: "] {
                assert!(comment.contains(part), "{}: a harness does not say `{part}`", file.display());
            }
            // Straight-line code has no loop to bound.
            let bounded = block.contains("kani::unwind(") || comment.contains("bound: none, all f64");
            assert!(bounded && block.contains("kani::solver("), "{}", file.display());
            assert!(block.contains("cover!("), "{}: a harness may be vacuous", file.display());
            found.push((format!("verify_{}", between("fn verify_", "(")), between("mutation: `", "`")));
        }
    }
    found.sort();
    found
}

#[test]
fn every_harness_has_its_mutation_and_the_source_has_the_place() {
    let mut listed: Vec<_> = MUTATIONS.iter().map(|m| (m.harness.to_owned(), m.name.to_owned())).collect();
    listed.sort();
    assert_eq!(documented(), listed);
    for Mutation { name, file, before, after, .. } in MUTATIONS {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert_eq!(text.matches(before).count(), 1, "{file}: `{before}` of the mutation `{name}`");
        assert_ne!(before, after);
    }
}

/// Copies what cargo needs, and leaves out what it made.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_dir() {
            if name != "target" && name != ".git" {
                copy(&path, &to.join(name));
            }
        } else {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// The output of the harnesses whose name contains `filter`, in the copy.
fn run_harnesses(directory: &Path, filter: &str) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["test", "--package", "asap-dp", "--lib", filter])
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", directory.join("target"))
        // The crate is built once for each mutation: what counts is the time to build it.
        .env("CARGO_PROFILE_TEST_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
#[ignore = "builds the crate once for each mutation: some minutes"]
fn every_mutation_turns_its_harness_red() {
    let directory = env::temp_dir().join(format!("asap-dp-mutations-{}", std::process::id()));
    copy(root(), &directory);
    let unchanged = run_harnesses(&directory, "proofs::verify_");
    let passed = format!("{} passed; 0 failed", MUTATIONS.len());
    assert!(unchanged.contains(&passed), "without any mutation:\n{unchanged}");
    let mut survived = Vec::new();
    let wanted = env::var("HARNESS").unwrap_or_default();
    for Mutation { harness, name, file, before, after } in
        MUTATIONS.iter().filter(|m| wanted.split(',').any(|part| m.harness.contains(part)))
    {
        let path = directory.join(file);
        let original = fs::read_to_string(&path).unwrap();
        fs::write(&path, original.replacen(before, after, 1)).unwrap();
        let output = run_harnesses(&directory, &format!("proofs::{harness}"));
        fs::write(&path, original).unwrap();
        // A mutation that does not compile shows nothing either.
        if output.contains(&format!("{harness} ... FAILED")) {
            println!("{harness}: red after `{name}`");
        } else {
            println!("{harness}: SURVIVED `{name}`\n{output}");
            survived.push(name);
        }
    }
    fs::remove_dir_all(&directory).unwrap();
    assert!(survived.is_empty(), "{survived:?}");
}
