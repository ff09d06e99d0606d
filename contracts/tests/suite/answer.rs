//! Answers: each clause at its edge, and what is beyond it. Every edit is sealed again, so that the clause
//! and not the digest decides.

use asap_contracts::{
    ANSWER_SCHEMA, Answer, Answering, CheckFailed, Claim, Guarantee, Neighbours, Noise, Question, Randomness,
    Scored, Signature, Statement, Status, Unseen,
};

const LAPLACE: &str = "own:discrete-laplace";
const NORMAL: &str = "own:rounded-normal";

fn claims(pages: &[&str]) -> Vec<Claim> {
    let claim = |spec: &str, status| Claim { spec: spec.to_owned(), status };
    let proved = pages.iter().map(|page| claim(page, Status::Proved));
    [claim("assumptions:randomness", Status::Assumed)].into_iter().chain(proved).collect()
}

fn model() -> Scored {
    Scored { release: format!("sha256:{}", "0f".repeat(32)), rows: Unseen::Unseen }
}

/// ε = ½ and a scale of 2: exactly enough for a row more or less.
fn classes() -> Statement {
    Statement {
        schema: ANSWER_SCHEMA,
        crate_version: "0".to_owned(),
        neighbours: Neighbours::AddRemove,
        rows_per_person: 1,
        guarantee: Guarantee::Pure(0.5),
        converted: None,
        question: Question::Classes { model: model(), bins: 2 },
        mechanism: Answering::Cells { noise: laplace(2, 1), counts: vec![5, -3, 0, 1 << 53] },
        randomness: Randomness::Secure,
        claims: claims(&["own:score", LAPLACE]),
    }
}

fn laplace(numerator: u64, denominator: u64) -> Noise {
    Noise::DiscreteLaplace { exponent: 0, numerator, denominator }
}

fn cells(noise: Noise, count: usize) -> Answering {
    Answering::Cells { noise, counts: vec![0; count] }
}

fn normal(steps: u64) -> Statement {
    Statement {
        guarantee: Guarantee::Gaussian(0.5),
        mechanism: cells(Noise::RoundedNormal { exponent: -20, steps }, 4),
        claims: claims(&["own:score", NORMAL]),
        ..classes()
    }
}

fn errors() -> Statement {
    Statement {
        question: Question::Errors { model: model(), low: -1.0, high: 3.0, clip: 4.0 },
        mechanism: cells(Noise::DiscreteLaplace { exponent: -20, numerator: 2 << 20, denominator: 1 }, 8),
        ..classes()
    }
}

/// The median, ε = ½: the cost changes by half of the parts, 2Δβ = ε for β = 1/(2·10⁶).
fn quantile() -> Statement {
    Statement {
        question: Question::Quantile { millionths: 500_000, candidates: vec![-1.0, 2.5] },
        mechanism: Answering::Exponential { units: 1, per: 2_000_000, value: 2.5 },
        claims: claims(&["own:quantile"]),
        ..classes()
    }
}

fn check(statement: Statement) -> Result<usize, CheckFailed> {
    Answer::new(statement).check().map(|verdict| verdict.checked.len())
}

#[allow(clippy::needless_pass_by_value, reason = "a statement is made for the call")]
fn fails(statement: Statement, clause: &str) {
    match check(statement.clone()) {
        Err(failed) => assert_eq!(failed.clause(), clause, "{statement:?}"),
        Ok(_) => panic!("`{clause}` holds for {statement:?}"),
    }
}

const HIDDEN: &str = "noise of the cells covers what a person moves";

#[test]
fn what_is_exactly_enough_holds() {
    for statement in [classes(), normal(2 << 20), errors(), quantile()] {
        check(statement).unwrap();
    }
    let rows = Statement { question: Question::Rows, mechanism: cells(laplace(2, 1), 1), ..classes() };
    check(rows).unwrap();
}

/// The scale 2/ε for replaced rows, √2/μ for normal noise, and k times as much for persons of k rows;
/// one step less is refused.
#[test]
fn noise_at_the_edge() {
    let replaced = |statement| Statement { neighbours: Neighbours::ReplaceOne, ..statement };
    let noisy = |numerator, denominator| Statement {
        mechanism: cells(laplace(numerator, denominator), 4),
        ..classes()
    };
    fails(noisy((1 << 53) - 1, 1 << 52), HIDDEN);
    fails(replaced(classes()), HIDDEN);
    fails(replaced(noisy((1 << 53) - 1, 1 << 51)), HIDDEN);
    check(replaced(noisy(4, 1))).unwrap();
    fails(normal((2 << 20) - 1), HIDDEN);
    // √2·2²¹ = 2965820.8…
    fails(replaced(normal(2_965_820)), HIDDEN);
    check(replaced(normal(2_965_821))).unwrap();
    for rows in [2, 1000] {
        let person = |statement| Statement { rows_per_person: rows, ..statement };
        fails(person(noisy(2 * rows - 1, 1)), HIDDEN);
        check(person(noisy(2 * rows, 1))).unwrap();
        fails(person(replaced(noisy(4 * rows - 1, 1))), HIDDEN);
        check(person(replaced(noisy(4 * rows, 1)))).unwrap();
        fails(person(normal(rows * (2 << 20) - 1)), HIDDEN);
        check(person(normal(rows * (2 << 20)))).unwrap();
    }
    let coarse = Noise::DiscreteLaplace { exponent: -20, numerator: (2 << 20) - 1, denominator: 1 };
    fails(Statement { mechanism: cells(coarse, 8), ..errors() }, HIDDEN);
}

#[test]
fn form_and_questions() {
    let with = |question, count| Statement { question, mechanism: cells(laplace(2, 1), count), ..classes() };
    for bins in [0, 1, 3, 1002] {
        let question = Question::Classes { model: model(), bins };
        fails(with(question, 4), "bins are an even number from 2 to 1000");
    }
    let labels = |names: &[&str]| Question::Labels {
        model: model(),
        classes: names.iter().map(|&name| name.into()).collect(),
    };
    check(with(labels(&["a", "b", "c"]), 6)).unwrap();
    fails(with(labels(&["a", "b", "c"]), 3), "every cell of the question has a number");
    for names in [&["a", "b"][..], &["a", "b", "a"], &["a", "b", ""], &["a", "b", "\u{430}"]] {
        fails(with(labels(names), 2 * names.len()), "three classes or more that are told apart");
    }
    fails(with(Question::Rows, 2), "every cell of the question has a number");
    fails(with(Question::Classes { model: model(), bins: 4 }, 4), "every cell of the question has a number");
    for release in ["", "sha256:", "sha512:00", &"0".repeat(71), &format!("sha256:{}", "0F".repeat(32))] {
        let model = Scored { release: release.to_owned(), ..model() };
        fails(with(Question::Classes { model, bins: 2 }, 4), "the scored release is named by its digest");
    }
    fails(Statement { schema: 2, ..classes() }, "schema version is known");
    fails(Statement { rows_per_person: 0, ..classes() }, "a person has at least one row");
    fails(
        Statement { claims: claims(&["own:score", NORMAL]), ..classes() },
        "claims are those of the mechanism",
    );
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        fails(Statement { guarantee: Guarantee::Pure(bad), ..classes() }, "guarantee is positive");
    }
    let kind = "noise of the cells is of the kind of the guarantee";
    fails(Statement { guarantee: Guarantee::Gaussian(0.5), ..classes() }, kind);
    fails(Statement { guarantee: Guarantee::Pure(0.5), ..normal(1 << 30) }, kind);
    let joint = Noise::EuclideanLaplace { exponent: 0, steps: 1 << 30 };
    let claims = claims(&["own:score", "own:euclidean-laplace"]);
    fails(Statement { mechanism: cells(joint, 4), claims, ..classes() }, kind);
    let whole = "a row is a whole number of lattice steps";
    let lattice = |exponent| Noise::DiscreteLaplace { exponent, numerator: 1 << 53, denominator: 1 };
    fails(Statement { mechanism: cells(lattice(1), 4), ..classes() }, whole);
    fails(Statement { mechanism: cells(lattice(-19), 8), ..errors() }, whole);
    let far = Answering::Cells { noise: laplace(2, 1), counts: vec![0, 0, 0, (1 << 53) + 1] };
    fails(Statement { mechanism: far, ..classes() }, "noisy cells are on their lattice");
    for (low, high, clip, clause) in [
        (3.0, 3.0, 1.0, "targets have a range"),
        (0.0, f64::INFINITY, 1.0, "targets have a range"),
        (0.0, 1.0, 0.0, "the largest error is positive"),
    ] {
        fails(
            Statement { question: Question::Errors { model: model(), low, high, clip }, ..errors() },
            clause,
        );
    }
}

#[test]
fn quantiles() {
    let slope = "slope is at most ε over twice what a person moves";
    let with = |units, per| Answering::Exponential { units, per, value: 2.5 };
    fails(Statement { mechanism: with(1, 1_999_999), ..quantile() }, slope);
    fails(Statement { mechanism: with(1, 0), ..quantile() }, slope);
    fails(Statement { neighbours: Neighbours::ReplaceOne, ..quantile() }, slope);
    let replaced =
        Statement { neighbours: Neighbours::ReplaceOne, mechanism: with(1, 4_000_000), ..quantile() };
    check(replaced).unwrap();
    fails(Statement { rows_per_person: 2, ..quantile() }, slope);
    // The quantile 0.9 moves by 0.9 of the parts.
    let outer = |per| Statement {
        question: Question::Quantile { millionths: 900_000, candidates: vec![2.5] },
        mechanism: with(1, per),
        ..quantile()
    };
    fails(outer(3_599_999), slope);
    check(outer(3_600_000)).unwrap();
    // And so does the quantile 0.1: a mutant divided where it should subtract.
    let inner = |per| Statement {
        question: Question::Quantile { millionths: 100_000, candidates: vec![2.5] },
        ..outer(per)
    };
    fails(inner(3_599_999), slope);
    check(inner(3_600_000)).unwrap();
    // A whole slope, and an ε to match.
    let steep = Statement { guarantee: Guarantee::Pure(1e6), mechanism: with(1, 1), ..quantile() };
    check(steep).unwrap();
    // μ = 1 is ε = 0.8069653…
    let converted = |epsilon| Statement {
        guarantee: Guarantee::Gaussian(1.0),
        converted: Some(epsilon),
        claims: claims(&["own:quantile", "lem:convert_pure_G_DP"]),
        ..quantile()
    };
    check(converted(0.8069)).unwrap();
    fails(converted(0.807), "converted ε is at most ln(Φ(μ/2)/Φ(−μ/2))");
    fails(Statement { guarantee: Guarantee::Gaussian(1.0), ..quantile() }, slope);
    let other = Answering::Exponential { units: 1, per: 2_000_000, value: 2.0 };
    fails(Statement { mechanism: other, ..quantile() }, "the answer is one of the candidates");
    let ask = |millionths, candidates: &[f64]| Statement {
        question: Question::Quantile { millionths, candidates: candidates.to_vec() },
        ..quantile()
    };
    for level in [0, 1_000_000] {
        fails(ask(level, &[2.5]), "level is between 0 and 1");
    }
    for candidates in [&[][..], &[2.5, 2.5], &[2.5, f64::INFINITY], &[3.0, 2.5]] {
        fails(ask(500_000, candidates), "candidates are numbers in ascending order");
    }
    // The two mechanisms are not taken for each other.
    fails(Statement { question: Question::Rows, ..quantile() }, "the question is one of a quantile");
    let counted = Statement { question: ask(500_000, &[2.5]).question, ..classes() };
    fails(counted, "every cell of the question has a number");
}

#[test]
fn files_are_read_as_they_are_written_and_edits_are_seen() {
    for statement in [classes(), normal(2 << 20), errors(), quantile()] {
        let answer = Answer::new(statement);
        let text = answer.to_json();
        assert!(Answer::is_meant(&text));
        assert_eq!(Answer::from_json(&text), Ok(answer.clone()));
        let edited = text.replacen("\"crate_version\": \"0\"", "\"crate_version\": \"1\"", 1);
        let failed = Answer::from_json(&edited).unwrap().check().unwrap_err();
        assert_eq!(failed.clause(), "nothing was edited (digest)");
        assert!(Answer::from_json(&text.replacen('{', "{\"more\": 1,", 1)).is_err());
    }
    assert!(!Answer::is_meant("{\"certificate\": {}}") && !Answer::is_meant("4711"));
    assert!(Answer::from_json("{}").is_err());
}

/// For a mutant that survived: a seal that keeps the signature of what was said before.
#[test]
fn a_seal_takes_the_signature_away() {
    let by = Signature { public_key: "0f".repeat(32), signature: "0f".repeat(64) };
    let signed = Answer { signature: Some(by), ..Answer::new(classes()) };
    assert_eq!(signed.seal(), Answer::new(classes()));
}

/// For mutants that survived: an empty list, and one for persons of any number of rows.
#[test]
fn what_is_believed_of_an_answer_is_told() {
    let told = |statement: Statement| {
        Answer::new(statement).check().unwrap().assumed.iter().map(|it| (it.spec, it.why)).collect::<Vec<_>>()
    };
    let specs = |statement| told(statement).iter().map(|(spec, _)| *spec).collect::<Vec<_>>();
    let ran = ["own:certificate", "assumptions:randomness"];
    assert_eq!(specs(quantile()), ran);
    assert_eq!(specs(classes()), [&ran[..], &["own:score"]].concat());
    let persons = Statement { rows_per_person: 2, mechanism: cells(laplace(4, 1), 4), ..classes() };
    assert_eq!(specs(persons), [&ran[..], &["own:score", "own:score"]].concat());
    let replayed = told(Statement { randomness: Randomness::Replay, ..quantile() });
    assert!(replayed[1].1.contains("NOT private"), "{replayed:?}");
    let seen = Scored { rows: Unseen::Seen, ..model() };
    let seen = told(Statement { question: Question::Classes { model: seen, bins: 2 }, ..classes() });
    assert!(seen[2].1.contains("its budget and this one add up"), "{seen:?}");
    assert!(told(classes())[2].1.starts_with("declared"));
}

/// For a mutant that survived: another version is refused by its number, before anything else is read.
#[test]
fn an_answer_of_another_version_is_refused_by_its_number() {
    let text = Answer::new(classes()).to_json();
    let later = text.replacen("\"schema\": 1", "\"schema\": 7", 1);
    let failed = Answer::from_json(&later).unwrap_err();
    assert_eq!(failed, CheckFailed::Schema { found: "7".to_owned(), known: ANSWER_SCHEMA });
}

/// For mutants that survived: a scale of one step is a scale.
#[test]
fn one_step_of_noise_is_noise() {
    let pure = Statement { guarantee: Guarantee::Pure(1.0), mechanism: cells(laplace(1, 1), 4), ..classes() };
    check(pure).unwrap();
    let normal_noise = cells(Noise::RoundedNormal { exponent: 0, steps: 1 }, 4);
    check(Statement { guarantee: Guarantee::Gaussian(1.0), mechanism: normal_noise, ..normal(1) }).unwrap();
}
