//! The bridge from the Coq theorems to the code: the checker sees every way in which it may be broken.

use super::copy::Copy;
use super::{ORIGINAL, TABLE};
use asap_xtask::trace::{Kind, TraceError};

const CONTRACTS: &str = "proofs/contracts.toml";
const SAMPLE: &str = "proofs/coq/Sample.v";

const THEORY: &str = "\
(* Lemma commented : True. *)
Section sample.
Variables (R : realType) (scale error : R).
Hypothesis scale_positive : 0 < scale.

Record sample_contracts : Prop := SampleContracts {
  sample_noise : error <= scale; (* a hidden_field : R; *)
  sample_rounding : forall x, x <= error }.

Lemma sample_leaf : scale <> 0.
Proof. by []. Qed.

Theorem sample_top (contracts : sample_contracts) :
  0 <= error -> error <= scale.
Proof. by []. Qed.
End sample.

Notation \"'Theorem' x\" := (x) (at level 0).
Lemma given_up : True. Proof. Abort.
Lemma given_up : True. Proof. by []. Qed.
";

const MAP: &str = r#"
[[file]]
name = "Sample"
data = ["R", "scale", "error"]
[file.hypotheses]
scale_positive = { says = "refused otherwise", check = ["calibrate::laplace_scale"] }

[[theorem]]
name = "Sample.sample_leaf"
models = ["noise::LaplaceScale::at_least"]

[[theorem]]
name = "Sample.sample_top"
[theorem.hypotheses]
contracts = { says = "one by one", record = ["Sample.sample_contracts"] }
"0 <= error" = { says = "it is a norm", coq = ["Sample.sample_leaf"], page = ["lem:W_infty_TV"] }

[[record]]
name = "Sample.sample_contracts"
[record.fields]
sample_noise = { says = "a harness", harness = ["verify_at_most__scale"] }
sample_rounding = { says = "a test", test = ["tests/noise.rs::uniform_integers_are_uniform"], assumption = ["Randomness"] }
"#;

const ENTRY: &str = r#"
[[item]]
id = "own:sample"
status = "mechanised"
proof = ["coq"]
coq = ["Sample.sample_top"]
"#;

/// A copy with one small theory more, all of whose hypotheses are mapped, and an id that rests on it.
fn sample(name: &str) -> Copy {
    let copy = Copy::new(&format!("bridge-{name}"));
    copy.append(SAMPLE, THEORY);
    copy.append("spec/own-sample.md", "# own:sample — a sample\n\nstatus: mechanised\n");
    copy.append(TABLE, ENTRY);
    // In front, so that the edits below meet the sample first.
    let contracts = copy.read(CONTRACTS);
    copy.write(CONTRACTS, &format!("{MAP}{contracts}"));
    copy
}

/// What the copy has and the original has not.
fn kinds(copy: &Copy) -> Vec<Kind> {
    let trace = copy.load().unwrap();
    let new = trace.problems().iter().filter(|problem| !ORIGINAL.problems().contains(problem));
    new.map(|problem| problem.kind).collect()
}

#[test]
fn a_bridge_that_holds_is_no_problem() {
    sample("sound").is_like_the_original();
}

#[test]
fn a_hypothesis_that_nothing_discharges_is_named() {
    let copy = sample("premise");
    copy.edit(SAMPLE, "  0 <= error -> error", "  0 <= error -> error <= 1 -> error");
    copy.has(Kind::UnmappedHypothesis, "`error <= 1` of Sample.sample_top");
    let copy = sample("binder");
    copy.edit(SAMPLE, "(contracts : sample_contracts)", "(contracts : sample_contracts) {more : scale < 1}");
    copy.has(Kind::UnmappedHypothesis, "`more` of Sample.sample_top");
    // What a section assumes is assumed by the theorems in it, before any edit of their own text.
    let copy = sample("section");
    copy.edit(SAMPLE, "Theorem sample_top", "Hypothesis further : error < 1.\nTheorem sample_top");
    copy.has(Kind::UnmappedHypothesis, "`further` of Sample.sample_top");
    let copy = sample("parameter");
    copy.edit(SAMPLE, "Record sample_contracts :", "Record sample_contracts (h : scale < 1) :");
    copy.has(Kind::UnmappedHypothesis, "`h` of Sample.sample_contracts");
}

#[test]
fn a_premise_whose_text_changes_is_another_premise() {
    let copy = sample("changed");
    copy.edit(SAMPLE, "  0 <= error -> error", "  0 <= (* stronger *) error -> error");
    copy.is_like_the_original();
    copy.edit(CONTRACTS, "\"0 <= error\"", "\"0 <  error\"");
    assert_eq!(kinds(&copy), [Kind::UnmappedHypothesis, Kind::StaleHypothesis]);
}

#[test]
fn a_field_that_nothing_discharges_is_named() {
    let copy = sample("field");
    copy.edit(SAMPLE, "  sample_rounding :", "  sample_more : error <= 2;\n  sample_rounding :");
    copy.has(Kind::UnmappedField, "`sample_more` of Sample.sample_contracts");
}

#[test]
fn what_is_mapped_and_no_longer_there_is_named() {
    let copy = sample("stale-premise");
    copy.edit(SAMPLE, "  0 <= error -> error", "  error");
    copy.has(Kind::StaleHypothesis, "`0 <= error` of Sample.sample_top");
    let copy = sample("stale-field");
    copy.edit(SAMPLE, "error <= scale; (* a hidden_field : R; *)", "error <= scale }.");
    copy.edit(SAMPLE, "  sample_rounding : forall x, x <= error }.", "");
    copy.has(Kind::StaleField, "`sample_rounding` of Sample.sample_contracts");
    let copy = sample("stale-data");
    copy.edit(CONTRACTS, "\"scale\", \"error\"]", "\"scale\", \"error\", \"gone\"]");
    copy.has(Kind::StaleHypothesis, "`gone`");
    let copy = sample("hidden-field");
    copy.edit(
        CONTRACTS,
        "sample_noise =",
        "hidden_field = { says = \"x\", test = [] , assumption = [\"Randomness\"] }\nsample_noise =",
    );
    copy.has(Kind::StaleField, "`hidden_field`");
}

#[test]
fn a_theorem_that_does_not_exist_is_named() {
    for (name, theorem) in [
        ("imagined", "sample_imagined"),
        ("commented", "commented"),
        ("notation", "x"),
        ("definition", "sample_contracts"),
        ("field-name", "sample_noise"),
        ("variable", "scale_positive"),
    ] {
        let copy = sample(&format!("missing-{name}"));
        copy.append(CONTRACTS, &format!("\n[[theorem]]\nname = \"Sample.{theorem}\"\n"));
        copy.has(Kind::MissingCoq, &format!("Sample.{theorem}"));
    }
    let copy = sample("no-record");
    copy.append(CONTRACTS, "\n[[record]]\nname = \"Sample.sample_top\"\n");
    copy.has(Kind::MissingCoq, "record Sample.sample_top");
    let copy = sample("table");
    copy.edit(TABLE, "\"Sample.sample_top\"", "\"Sample.gone\"");
    copy.has(Kind::MissingCoq, "own:sample: there is no theorem with a proof Sample.gone");
    // A proof that was given up and then finished counts.
    copy.edit(TABLE, "Sample.gone", "Sample.given_up");
    copy.has(Kind::UnmappedTheorem, "own:sample: Sample.given_up");
    copy.append(CONTRACTS, "\n[[theorem]]\nname = \"Sample.given_up\"\n");
    copy.is_like_the_original();
}

#[test]
fn what_is_not_proved_is_named() {
    let copy = sample("axiom");
    copy.append(SAMPLE, "Axiom sample_axiom : False.\n");
    copy.has(Kind::UnprovedCoq, "sample_axiom is taken as given");
    let copy = sample("variable-outside");
    copy.append(SAMPLE, "Variable sample_variable : False.\n");
    copy.has(Kind::UnprovedCoq, "sample_variable is taken as given");
    let copy = sample("admitted");
    copy.append(SAMPLE, "Lemma sample_admitted : False. Proof. (* Qed. *) Admitted.\n");
    copy.has(Kind::UnprovedCoq, "sample_admitted has no finished proof");
}

#[test]
fn a_proposition_is_not_data() {
    let copy = sample("data");
    copy.edit(SAMPLE, "  0 <= error -> error", "  forall sure : error = 1, 0 <= error -> error");
    copy.has(Kind::UnmappedHypothesis, "`sure`");
    copy.edit(CONTRACTS, "\"scale\", \"error\"]", "\"scale\", \"error\", \"sure\"]");
    copy.has(Kind::HypothesisAsData, "`sure`");
    // A premise before an arrow is one, whatever its words mean.
    let copy = sample("data-premise");
    copy.edit(SAMPLE, "  0 <= error -> error", "  unknown error -> 0 <= error -> error");
    copy.edit(CONTRACTS, "\"scale\", \"error\"]", "\"scale\", \"error\", \"unknown error\"]");
    copy.has(Kind::HypothesisAsData, "`unknown error`");
    // A relation that the statement speaks of makes propositions, too.
    let copy = sample("data-relation");
    copy.edit(
        SAMPLE,
        "(scale error : R).",
        "(scale error : R) (near : R -> R -> Prop) (close : forall x, near x x).",
    );
    copy.edit(CONTRACTS, "\"scale\", \"error\"]", "\"scale\", \"error\", \"near\", \"close\"]");
    assert_eq!(kinds(&copy), [Kind::HypothesisAsData; 3]);
    let copy = sample("data-record");
    copy.edit(
        CONTRACTS,
        "name = \"Sample.sample_contracts\"\n",
        "name = \"Sample.sample_contracts\"\ndata = [\"sample_noise\"]\n",
    );
    copy.edit(CONTRACTS, "sample_noise = {", "#");
    copy.has(Kind::HypothesisAsData, "`sample_noise`");
    // A record of propositions is one.
    let copy = sample("data-contracts");
    copy.edit(
        CONTRACTS,
        "name = \"Sample.sample_top\"\n",
        "name = \"Sample.sample_top\"\ndata = [\"contracts\"]\n",
    );
    copy.edit(CONTRACTS, "contracts = {", "#");
    copy.has(Kind::HypothesisAsData, "`contracts`");
}

#[test]
fn every_name_of_a_discharge_has_to_exist() {
    for (old, new, kind) in [
        ("check = [\"calibrate::laplace_scale\"", "check = [\"calibrate::imagined\"", Kind::MissingCode),
        (
            "models = [\"noise::LaplaceScale::at_least\"",
            "models = [\"noise::LaplaceScale::imagined\"",
            Kind::MissingCode,
        ),
        ("verify_at_most__scale", "verify_imagined", Kind::MissingHarness),
        ("tests/noise.rs::uniform_integers_are_uniform", "tests/noise.rs::imagined", Kind::MissingTest),
        ("assumption = [\"Randomness\"]", "assumption = [\"imagined\"]", Kind::MissingAssumption),
        ("page = [\"lem:W_infty_TV\"]", "page = [\"own:imagined\"]", Kind::MissingPage),
        // It has a page, but no written proof.
        ("page = [\"lem:W_infty_TV\"]", "page = [\"own:audit\"]", Kind::MissingPage),
        ("coq = [\"Sample.sample_leaf\"]", "coq = [\"Sample.imagined\"]", Kind::UnmappedTheorem),
        // It is proved, but nobody says what its own hypotheses rest on.
        ("coq = [\"Sample.sample_leaf\"]", "coq = [\"Sample.given_up\"]", Kind::UnmappedTheorem),
        ("record = [\"Sample.sample_contracts\"]", "record = [\"Sample.imagined\"]", Kind::UnmappedTheorem),
    ] {
        let copy = sample("names");
        copy.edit(CONTRACTS, old, new);
        let culprit = new.split('"').nth(1).unwrap_or(new);
        copy.has(kind, culprit);
    }
}

#[test]
fn a_discharge_by_nothing_is_named() {
    let copy = sample("hollow");
    copy.edit(CONTRACTS, "harness = [\"verify_at_most__scale\"]", "harness = []");
    copy.has(Kind::HollowDischarge, "`sample_noise` of Sample.sample_contracts");
    let copy = sample("wordless");
    copy.edit(CONTRACTS, "says = \"a harness\"", "says = \" \"");
    copy.has(Kind::HollowDischarge, "`sample_noise` of Sample.sample_contracts");
}

#[test]
fn theorems_do_not_discharge_each_other() {
    let copy = sample("circle");
    let circle = "scale_positive = { says = \"x\", coq = [\"Sample.sample_leaf\"] }\n#";
    copy.edit(CONTRACTS, "scale_positive =", circle);
    copy.has(Kind::CircularDischarge, "Sample.sample_leaf rests on itself");
    // Through the fields of a record as well.
    let copy = sample("circle-record");
    copy.edit(CONTRACTS, "harness = [\"verify_at_most__scale\"]", "coq = [\"Sample.sample_top\"]");
    copy.has(Kind::CircularDischarge, "Sample.sample_top rests on itself");
}

#[test]
fn an_entry_claims_no_theorem_that_it_does_not_name() {
    let theorems = "coq = [\"Sample.sample_top\"]\n";
    for (name, old, new, lacks) in [
        ("mechanised", theorems, "", "mechanised, but by no theorem"),
        (
            "kind",
            "proof = [\"coq\"]\ncoq = [\"Sample",
            "proof = []\ncoq = [\"Sample",
            "has theorems, but no proof in Coq",
        ),
    ] {
        let copy = sample(&format!("entry-{name}"));
        copy.edit(TABLE, old, new);
        copy.has(Kind::HollowEntry, lacks);
    }
    let copy = sample("entry-coq");
    copy.edit(
        TABLE,
        "status = \"mechanised\"\nproof = [\"coq\"]\ncoq = [\"Sample.sample_top\"]\n",
        "status = \"proved\"\nproof = [\"coq\"]\n",
    );
    copy.edit("spec/own-sample.md", "mechanised", "proved");
    copy.has(Kind::HollowEntry, "proved in Coq, but by no theorem");
}

#[test]
fn reports_show_theorems_and_what_they_rest_on() {
    let copy = sample("reports");
    let trace = copy.load().unwrap();
    let details = trace.details("own:sample").unwrap();
    for shown in [
        "mechanised (Coq)",
        "coq      Sample.sample_top (proofs/coq/Sample.v:13)",
        "scale_positive — refused otherwise [check calibrate::laplace_scale]",
        "contracts — one by one [record Sample.sample_contracts]",
        "sample_noise — a harness [harness verify_at_most__scale]",
        "0 <= error — it is a norm [coq Sample.sample_leaf; page lem:W_infty_TV]",
    ] {
        assert!(details.contains(shown), "{shown} is not in\n{details}");
    }
    let json: serde_json::Value = serde_json::from_str(&trace.to_json().unwrap()).unwrap();
    let item = json["items"].as_array().unwrap().last().unwrap();
    assert_eq!(item["coq"][0]["name"], "Sample.sample_top");
    assert_eq!(item["status"], "mechanised");
    assert!(
        json["contracts"]["theorem"].as_array().unwrap().iter().any(|t| t["name"] == "Sample.sample_top")
    );
    assert!(trace.to_html("").contains("href=\"proofs/coq/Sample.v#L13\""));
    assert!(trace.missing().contains("own:sample: no code, no test\n"));
    assert!(trace.functions_markdown().contains("| `noise::LaplaceScale::at_least` |"));
    let of = |path: &str| trace.functions().into_iter().find(|function| function.path == path).unwrap();
    assert_eq!(of("noise::LaplaceScale::at_least").evidence.coq[0], "Sample.sample_leaf");
}

#[test]
fn a_file_that_does_not_parse_is_named() {
    let copy = sample("syntax");
    copy.append(SAMPLE, "(* no end");
    let Err(TraceError::Malformed { path, .. }) = copy.load() else { panic!("it parsed") };
    assert!(path.starts_with(&format!("{SAMPLE}:")), "{path}");
    let copy = sample("map-syntax");
    copy.append(CONTRACTS, "\n[[theorem]]\nnames = \"x\"\n");
    let Err(TraceError::Malformed { path, .. }) = copy.load() else { panic!("it parsed") };
    assert_eq!(path, CONTRACTS);
    let copy = sample("no-map");
    copy.remove(CONTRACTS);
    let Err(TraceError::Unreadable { path, .. }) = copy.load() else { panic!("it was read") };
    assert_eq!(path, CONTRACTS);
}

#[test]
fn prose_about_theorems_is_checked() {
    let copy = sample("prose");
    copy.append("spec/errata.md", "\nSee `Sample.sample_top`, `Sample.v`, `Cargo.toml`.\n");
    copy.is_like_the_original();
    copy.append("spec/errata.md", "\nSee `Sample.commented`.\n");
    copy.has(Kind::StaleProse, "`Sample.commented`");
    copy.edit("spec/errata.md", "Sample.commented", "Gone.v");
    copy.has(Kind::StaleProse, "`Gone.v`");
}

#[test]
fn harnesses_cover_functions_that_exist() {
    let with = |name: &str, covers: &str| {
        let copy = sample(name);
        let harness = format!("/// spec: `own:lattice`\n///\n/// {covers}\nfn verify_extra__x() {{}}\n");
        copy.append("proofs/extra.rs", &harness);
        copy.edit(
            TABLE,
            "\"verify_round__within_half_a_step\"",
            "\"verify_extra__x\", \"verify_round__within_half_a_step\"",
        );
        copy
    };
    let copy = with("covers", "covers: noise::Lattice::step, noise::Lattice::exponent — within a bound");
    copy.is_like_the_original();
    let trace = copy.load().unwrap();
    let of =
        |path: &str| trace.functions().into_iter().find(|function| function.path == path).unwrap().evidence;
    assert!(of("noise::Lattice::step").within_a_bound.contains(&"verify_extra__x".to_owned()));
    assert!(!of("noise::Lattice::step").all_inputs.contains(&"verify_extra__x".to_owned()));
    assert!(trace.functions_text().contains("noise::Lattice::exponent "));
    with("covers-gone", "covers: noise::Lattice::imagined — all inputs")
        .has(Kind::MissingCovered, "noise::Lattice::imagined");
    with("covers-nothing", "It is covered.").has(Kind::HarnessWithoutCover, "verify_extra__x");
    with("covers-how", "covers: noise::Lattice::step — mostly")
        .has(Kind::HarnessWithoutCover, "verify_extra__x");
}

/// Public functions are listed by the shortest path that others can write, with zeros; private ones only if
/// there is something to say.
#[test]
fn the_functions_are_those_that_others_can_call() {
    let functions = ORIGINAL.functions();
    let of = |path: &str| functions.iter().find(|function| function.path == path);
    for (path, contract) in [
        ("noise::discrete_laplace", false),
        ("noise::bernoulli", false),
        ("noise::LaplaceScale::at_least", false),
        ("calibrate::laplace_scale", false),
        ("optimise::admissible_tolerance", true),
        ("mechanism::Mechanism::run", false),
        ("asap_contracts::Release::check", false),
    ] {
        let function = of(path).unwrap_or_else(|| panic!("{path} is not listed"));
        assert!(function.public, "{path}");
        assert_eq!(function.contract, contract, "{path}");
    }
    for path in [
        "noise::laplace::discrete_laplace",
        "noise::laplace::signed",
        "noise::bernoulli::fair_coin",
        "learner::Learner::fit",
    ] {
        assert!(of(path).is_none_or(|function| !function.public), "{path}");
    }
    let page = ORIGINAL.functions_markdown();
    assert!(functions.iter().all(|function| page.contains(&format!("| `{}`", function.path))));
    assert!(!of("noise::discrete_laplace").unwrap().evidence.tests.is_empty());
}
