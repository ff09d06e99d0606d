//! What no command reaches is named: code, harnesses, checks of the bridge; and what one release asks one to read.

use super::copy::Copy;
use super::{ORIGINAL, TABLE};
use asap_xtask::trace::{Kind, Trace};

const REACH: &str = "spec/reach.toml";
const CONTRACTS: &str = "proofs/contracts.toml";

/// A function that somebody wrote, documented and exported, and nobody calls; also through others like it.
#[test]
fn a_function_that_nobody_calls_is_named() {
    let copy = Copy::new("uncalled");
    copy.append("src/asap.rs", "\n/// Extra.\npub fn extra() {}\n");
    copy.has(Kind::UnreachedCode, "asap::extra (src/asap.rs:");
    let copy = Copy::new("uncalled-method");
    copy.edit("src/asap.rs", "impl Asap {", "impl Asap {\n    fn extra(&self) {}\n");
    copy.has(Kind::UnreachedCode, "asap::Asap::extra (src/asap.rs:");
    let copy = Copy::new("uncalled-contract");
    copy.append("contracts/src/release.rs", "\nconst EXTRA: f64 = 1.0;\n");
    copy.has(Kind::UnreachedCode, "asap_contracts::release::EXTRA (contracts/src/release.rs:");
    // Two that call each other are no more alive than one.
    let copy = Copy::new("uncalled-circle");
    copy.append("src/asap.rs", "\nfn ping() { pong() }\nfn pong() { ping() }\n");
    let new = copy.new_problems();
    assert!(new.len() == 2 && new.iter().all(|problem| problem.kind == Kind::UnreachedCode), "{new:?}");
}

/// Called from a test only, it is still not called; called from a path that a fit takes, it is.
#[test]
fn a_call_makes_the_difference() {
    let extra = "\nfn extra() -> u8 { 1 }\n#[cfg(test)]\nmod more_tests {\n    fn calls() -> u8 { super::extra() }\n}\n";
    let copy = Copy::new("called-by-tests");
    copy.append("src/asap.rs", extra);
    copy.has(Kind::UnreachedCode, "asap::extra");
    let release = "pub fn release<";
    let text = copy.read("src/asap.rs");
    let at = text.find(release).unwrap();
    let body = at + text[at..].find("{\n").unwrap() + 2;
    let called = format!("{}        let _ = extra();\n{}", &text[..body], &text[body..]);
    copy.write("src/asap.rs", &called);
    copy.is_like_the_original();
}

/// The methods of a contract are one text: a release that decides it by one of them has all of it to read. Red: without
/// the edge between the two, most contracts were left out.
#[test]
fn a_contract_that_a_release_decides_is_among_the_lines() {
    for (mechanism, contract) in [
        ("output", "Shares"),
        ("output", "MinimiserSensitivity"),
        ("noisy-gradient", "StepShares"),
        ("posterior", "Delta"),
        ("objective", "TiltScales"),
    ] {
        let text = ORIGINAL.trusted_source(mechanism).unwrap().unwrap();
        let stated = [format!(" {contract}:"), format!(" {contract}<'a>:")];
        assert!(stated.iter().any(|stated| text.contains(stated)), "{mechanism} {contract}");
    }
}

/// A method of one type that is called on an argument of another one is not called. Red: types of
/// arguments that are forgotten.
#[test]
fn the_type_of_an_argument_says_which_method_is_meant() {
    let copy = Copy::new("typed-argument");
    copy.edit("src/asap.rs", "impl Asap {", "impl Asap {\n    fn sensible(&self) {}\n");
    let other = "struct Sense;\nimpl Sense {\n    fn sensible(&self) {}\n}\nfn asks(sense: &Sense) { sense.sensible() }\n";
    copy.append("src/asap.rs", other);
    let text = copy.read("src/asap.rs");
    let body = text.find("pub fn release<").map(|at| at + text[at..].find("{\n").unwrap() + 2).unwrap();
    let called = format!("{}        asks(&Sense);\n{}", &text[..body], &text[body..]);
    copy.write("src/asap.rs", &called);
    let new = copy.new_problems();
    assert!(new.len() == 1 && new[0].to_string().contains("asap::Asap::sensible"), "{new:?}");
}

#[test]
fn a_harness_of_what_nobody_calls_is_named() {
    let copy = Copy::new("unreached-harness");
    copy.append("src/noise/lattice.rs", "\n/// Extra.\npub fn extra() {}\n");
    let harness = "/// spec: `own:lattice`\n///\n/// covers: noise::lattice::extra — all inputs\nfn verify_extra__x() {}\n";
    copy.append("proofs/extra.rs", harness);
    let listed = "\"verify_round__within_half_a_step\"";
    copy.edit(TABLE, listed, &format!("\"verify_extra__x\", {listed}"));
    copy.has(Kind::UnreachedHarness, "verify_extra__x (proofs/extra.rs:");
}

/// The check exists and runs, but on another mechanism than the one whose guarantee rests on it.
#[test]
fn a_check_on_another_mechanism_is_named() {
    let copy = Copy::new("wrong-mechanism");
    copy.edit(CONTRACTS, "check = [\"mechanism::TiltedSample\"]", "check = [\"sampler::ExactDraw\"]");
    let new = copy.new_problems();
    let named = |problem: &&asap_xtask::trace::Problem| {
        problem.kind == Kind::UnreachedCheck
            && problem.message.contains("guarantee of objective")
            && problem.message.contains("(sampler::ExactDraw)")
    };
    assert!(!new.is_empty() && new.iter().all(|problem| named(&problem)), "{new:?}");
    // One that runs nowhere.
    let copy = Copy::new("no-mechanism");
    copy.edit(
        CONTRACTS,
        "check = [\"noise::LaplaceScale::at_least\"]",
        "check = [\"objective::Objective::evaluate_value\"]",
    );
    let new = copy.new_problems();
    assert!(new.iter().any(|problem| problem.kind == Kind::UnreachedCheck
        && problem.message.contains("no command reaches objective::Objective::evaluate_value")));
    let copy = Copy::new("unknown-mechanism");
    copy.edit(CONTRACTS, "mechanisms = [\"objective\"]", "mechanisms = [\"imagined\"]");
    let new = copy.new_problems();
    let named = |kind: Kind, text: &str| new.iter().any(|it| it.kind == kind && it.message.contains(text));
    assert!(named(Kind::MissingCode, "there is no mechanism imagined"), "{new:?}");
    assert!(named(Kind::WrongStanding, "is about objective"), "{new:?}");
}

/// The table that `asap check` prints from: no mechanism is forgotten, no theorem is claimed for another one.
#[test]
fn what_check_prints_is_about_the_mechanism() {
    const PROVED: &str = "spec/proved.md";
    let copy = Copy::new("standing-theorem");
    copy.edit(PROVED, "`EndToEnd.thm_output_perturbation`", "`EndToEnd.thm_end2end_pure`");
    copy.has(Kind::WrongStanding, "EndToEnd.thm_end2end_pure is about output");
    let copy = Copy::new("standing-row");
    copy.edit(PROVED, "| noisy-gradient, μ |", "| gradient, μ |");
    let new = copy.new_problems();
    assert!(new.iter().all(|problem| problem.kind == Kind::WrongStanding), "{new:?}");
    assert!(new.iter().any(|problem| problem.message.contains("no row for noisy-gradient")), "{new:?}");
}

#[test]
fn an_excuse_needs_something_to_excuse() {
    let copy = Copy::new("excuse");
    copy.append("src/asap.rs", "\n/// Extra.\npub fn extra() {}\n");
    copy.append(REACH, "\n[[unreached]]\npath = \"asap::extra\"\nreason = \"for a test\"\n");
    copy.is_like_the_original();
    copy.edit(REACH, "\"asap::extra\"", "\"asap::Asap\"");
    copy.edit("src/asap.rs", "\n/// Extra.\npub fn extra() {}\n", "");
    // It names a type of which something is not called, and is of use; one of which all is called is not.
    copy.edit(REACH, "path = \"asap::Asap\"", "path = \"learner::Learner::fit\"");
    copy.has(Kind::StaleExcuse, "learner::Learner::fit");
    copy.edit(REACH, "path = \"learner::Learner::fit\"", "path = \"learner::imagined\"");
    let new = copy.new_problems();
    assert!(new.iter().any(|problem| problem.kind == Kind::MissingCode
        && problem.message.contains("learner::imagined")));
}

/// The numbers of `spec/trusted.md` do not grow past what `spec/reach.toml` allows; whoever needs more says so there.
#[test]
fn no_release_asks_for_more_reading_than_is_allowed() {
    let names: Vec<&str> = ORIGINAL.mechanisms().collect();
    let ordinary: Vec<&str> = names.iter().copied().filter(|name| !name.contains("-whole")).collect();
    assert_eq!(ordinary, ["objective", "noisy-gradient", "posterior", "posterior-proximal", "output"]);
    for name in names {
        let trusted = ORIGINAL.trusted(name).unwrap().unwrap();
        let (lines, most) = (trusted.lines(), trusted.most);
        assert!(lines <= most, "{name}: {lines} lines to read, {most} are allowed by {REACH}");
        assert!(2 * lines > most, "{name}: {most} lines are allowed by {REACH}, and {lines} would do");
        let (code, most) = (trusted.code(), trusted.most_code);
        assert!(code <= most, "{name}: {code} lines of code to read, {most} are allowed by {REACH}");
        assert!(2 * code > most, "{name}: {most} lines of code are allowed by {REACH}, and {code} would do");
    }
    assert!(ORIGINAL.trusted("imagined").unwrap().is_none());
}

/// One word, one thing: a second type of a name is seen, unless a certificate records the first one under it. Those
/// that are left have a reason, and no reason is left over.
#[test]
fn a_name_is_given_once() {
    let (shared, excused) = (ORIGINAL.shared_names(), ORIGINAL.excused_names());
    let names: Vec<&str> = shared.keys().copied().collect();
    assert_eq!(names, excused, "names with a reason in {REACH}, sorted:\n{}", ORIGINAL.shared_names_text());
    let count = shared.len();
    let copy = Copy::new("names");
    copy.append("src/asap.rs", "\nstruct Learner;\n");
    copy.append("contracts/src/schema.rs", "\nstruct Lattice;\n");
    let trace = copy.load().unwrap();
    assert!(trace.shared_names()["Learner"].iter().any(|place| place.starts_with("src/asap.rs:")));
    assert!(trace.shared_names().len() == count + 1 && !trace.shared_names().contains_key("Lattice"));
}

/// A release reads what it runs through: its own mechanism, its noise, its contract, and not those of others.
#[test]
fn what_is_read_is_what_runs() {
    let files = |name: &str| {
        let trusted = ORIGINAL.trusted(name).unwrap().unwrap();
        trusted.files.into_iter().map(|read| read.file).collect::<Vec<_>>()
    };
    for (name, own, other) in [
        ("objective", "src/mechanism/objective.rs", "src/sampler/proximal.rs"),
        ("noisy-gradient", "src/mechanism/noisy_gradient.rs", "src/optimise/tilted.rs"),
        ("posterior", "src/sampler/exact.rs", "src/mechanism/objective.rs"),
        ("output", "src/localise.rs", "src/sampler/proximal.rs"),
    ] {
        let files = files(name);
        let always =
            ["src/private.rs", "src/noise/bits.rs", "src/noise/lattice.rs", "contracts/src/check.rs"];
        for file in always.iter().chain([&own]) {
            assert!(files.iter().any(|read| read == file), "{name}: {file}");
        }
        assert!(!files.iter().any(|read| read == other), "{name}: {other}");
        assert!(
            files.iter().all(|read| read.starts_with("src/") || read.starts_with("contracts/")),
            "{files:?}"
        );
    }
    // A line that a release runs through is one more line to read; one that it does not is not.
    let lines = |trace: &Trace| trace.trusted("output").unwrap().unwrap().lines();
    let copy = Copy::new("longer");
    copy.edit("src/localise.rs", "    ) -> Result<", "    ) // one line more\n    -> Result<");
    assert_eq!(lines(&copy.load().unwrap()), lines(&ORIGINAL) + 1);
    let copy = Copy::new("not-longer");
    copy.append("src/localise.rs", "fn extra() {\n    let _ = 1;\n}\n");
    assert_eq!(lines(&copy.load().unwrap()), lines(&ORIGINAL));
}

/// A call `.name(…)` on something unknown means methods with as many arguments, and no function without `self`.
#[test]
fn a_call_has_as_many_arguments_as_its_method() {
    let extra =
        "\nstruct Extra;\nimpl Extra {\n    fn curious(&self, _: u8) {}\n    fn strange(_: u8) {}\n}\n";
    let unknown = "pub fn release<";
    let call = |name: &str, text: &str| {
        let copy = Copy::new(name);
        copy.append("src/asap.rs", extra);
        let source = copy.read("src/asap.rs");
        let at = source.find(unknown).unwrap();
        let body = at + source[at..].find("{\n").unwrap() + 2;
        let call = format!("        let it = [Extra].into_iter().next().unwrap();\n        {text}\n");
        copy.write("src/asap.rs", &(source[..body].to_owned() + &call + &source[body..]));
        let new = copy.new_problems().into_iter().map(|problem| problem.message);
        new.filter_map(|text| text.split(" (").next().map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(call("arity-none", "it.curious();"), ["asap::Extra::curious", "asap::Extra::strange"]);
    assert_eq!(call("arity-one", "it.curious(1); it.strange(1);"), ["asap::Extra::strange"]);
    assert!(call("arity-path", "it.curious(1); Extra::strange(1);").is_empty());
    // Inside of a macro nobody counts.
    assert_eq!(call("arity-macro", "check!(it => it.curious());"), ["asap::Extra::strange"]);
}

/// A variant is read where somebody writes its name, or where something else can make it; an example in
/// documentation is a test.
#[test]
fn a_variant_is_read_if_it_can_be_there() {
    let lines = |trace: &Trace| trace.trusted("output").unwrap().unwrap().lines();
    let more = |copy: &Copy| lines(&copy.load().unwrap()) - lines(&ORIGINAL);
    let (errors, of_errors) = ("src/data/error.rs", "pub enum DataError {\n");
    let variant = "    /// Extra.\n    #[error(\"extra\")]\n    Extra,\n";
    let copy = Copy::new("variant");
    copy.edit(errors, of_errors, &(of_errors.to_owned() + variant));
    assert_eq!(more(&copy), 0);
    copy.edit(
        "src/localise.rs",
        "        let limit = self.limit();\n",
        "        let limit = self.limit();\n        let _ = crate::data::DataError::Extra;\n",
    );
    assert_eq!(more(&copy), 4);
    // By its name without its type.
    let copy = Copy::new("variant-imported");
    copy.edit(errors, of_errors, &(of_errors.to_owned() + variant));
    copy.append("src/release.rs", "\nuse crate::data::DataError::Extra;\n");
    assert!(more(&copy) > 3);
    // By an error that `?` wraps.
    let copy = Copy::new("variant-from");
    let wrapped = "    /// Extra.\n    #[error(\"extra\")]\n    Extra(#[from] std::fmt::Error),\n";
    copy.edit(errors, of_errors, &(of_errors.to_owned() + wrapped));
    assert_eq!(more(&copy), 3);
    // By a reader of files.
    let copy = Copy::new("variant-read");
    copy.edit(
        "contracts/src/schema.rs",
        "pub enum Randomness {\n",
        "pub enum Randomness {\n    /// Extra.\n    Extra,\n",
    );
    assert_eq!(more(&copy), 2);
    let copy = Copy::new("example");
    let documented = "    /// Finds the minimiser, adds";
    copy.edit(
        "src/localise.rs",
        documented,
        &format!("    /// ```\n    /// let _ = 1;\n    /// ```\n{documented}"),
    );
    assert_eq!(more(&copy), 0);
}
