//! The same for answers: scores, counts and quantiles. What is accepted besides spends at least what the noise costs by
//! the formulas of the text books, in plain `f64`: k·c/s for Laplace noise of scale s on cells of which one person with
//! k rows changes c, k·√c/σ for normal noise, 2kΔβ for the exponential mechanism.
//!
//! Seen red: `factor` without `rows_per_person` in `cells` of the script; a sum for the product in
//! `moved_squared` of the checker.

use super::tree::Tree;
use super::{Numbers, converted, edit, exchange_laws, second_opinion, toggle_claim};
use asap_contracts::{
    ANSWER_SCHEMA, Answer, Answering, Claim, Guarantee, Neighbours, Noise, Question, Randomness, Scored,
    Statement, Status, Unseen,
};

/// Edited files.
const FILES: usize = 1500;

/// Every question with every guarantee that it can be answered under, with noise that is exactly enough.
fn answers() -> Vec<Statement> {
    let model = || Scored { release: format!("sha256:{}", "0f".repeat(32)), rows: Unseen::Unseen };
    let questions = [
        (Question::Rows, 1, 0),
        (Question::Classes { model: model(), bins: 4 }, 8, 0),
        (Question::Errors { model: model(), low: -1.0, high: 3.0, clip: 4.0 }, 8, -20),
    ];
    let claim = |spec: &str, status| Claim { spec: spec.to_owned(), status };
    let statement = |guarantee, neighbours, rows_per_person, question, mechanism, pages: &[&str]| Statement {
        schema: ANSWER_SCHEMA,
        crate_version: "0".to_owned(),
        neighbours,
        rows_per_person,
        guarantee,
        converted: None,
        question,
        mechanism,
        randomness: Randomness::Secure,
        claims: [claim("assumptions:randomness", Status::Assumed)]
            .into_iter()
            .chain(pages.iter().map(|page| claim(page, Status::Proved)))
            .collect(),
    };
    let mut all = Vec::new();
    for (neighbours, rows) in [
        (Neighbours::AddRemove, 1),
        (Neighbours::ReplaceOne, 1),
        (Neighbours::AddRemove, 3),
        (Neighbours::ReplaceOne, 3),
    ] {
        let replaced = neighbours == Neighbours::ReplaceOne;
        for (question, cells, exponent) in &questions {
            let (one, counts) = (1_u64 << -exponent, vec![2; *cells]);
            let scale = rows * if replaced { 4 } else { 2 } * one;
            let noise = Noise::DiscreteLaplace { exponent: *exponent, numerator: scale, denominator: 1 };
            let cells = Answering::Cells { noise, counts: counts.clone() };
            let pages = ["own:score", "own:discrete-laplace"];
            all.push(statement(Guarantee::Pure(0.5), neighbours, rows, question.clone(), cells, &pages));
            // √2 is below 99/70.
            let scale = rows * one * if replaced { 198 } else { 140 };
            let noise = Noise::RoundedNormal { exponent: *exponent, steps: scale.div_ceil(70) };
            let cells = Answering::Cells { noise, counts };
            let pages = ["own:score", "own:rounded-normal"];
            all.push(statement(Guarantee::Gaussian(0.5), neighbours, rows, question.clone(), cells, &pages));
        }
        let question = Question::Quantile { millionths: 900_000, candidates: vec![-1.0, 2.5, 3.0] };
        let per = rows * if replaced { 4_000_000 } else { 3_600_000 };
        let drawn = Answering::Exponential { units: 1, per, value: 2.5 };
        all.push(statement(
            Guarantee::Pure(0.5),
            neighbours,
            rows,
            question.clone(),
            drawn.clone(),
            &["own:quantile"],
        ));
        let pages = ["own:quantile", "lem:convert_pure_G_DP"];
        // μ = 0.624 allows ε = 0.50008.
        let through = statement(Guarantee::Gaussian(0.624), neighbours, rows, question, drawn, &pages);
        all.push(Statement { converted: Some(0.5), ..through });
    }
    all
}

/// What the noise costs, ε and whether it is one: else μ.
fn price(it: &Statement) -> Option<(f64, bool)> {
    let (rows, replaced) = (it.rows_per_person as f64, it.neighbours == Neighbours::ReplaceOne);
    let cells = if replaced { 2.0_f64 } else { 1.0 };
    match (&it.mechanism, &it.question) {
        (Answering::Cells { noise, .. }, _) => match *noise {
            Noise::DiscreteLaplace { exponent, numerator, denominator } => {
                let scale = numerator as f64 / denominator as f64 * 2_f64.powi(exponent);
                Some((rows * cells / scale, true))
            }
            Noise::RoundedNormal { exponent, steps } => {
                Some((rows * cells.sqrt() / (steps as f64 * 2_f64.powi(exponent)), false))
            }
            Noise::EuclideanLaplace { .. } => None,
        },
        (Answering::Exponential { units, per, .. }, Question::Quantile { millionths, .. }) => {
            let level = *millionths as f64;
            let moved = if replaced { 1e6 } else { level.max(1e6 - level) };
            Some((2.0 * rows * moved * *units as f64 / *per as f64, true))
        }
        _ => None,
    }
}

/// Whether a statement promises no more than the noise buys.
fn is_paid(it: &Statement) -> bool {
    let Some((price, pure)) = price(it) else { return false };
    let least = price * (1.0 - 1e-9);
    match it.guarantee {
        Guarantee::Pure(epsilon) => pure && epsilon >= least && it.converted.is_none(),
        Guarantee::Gaussian(mu) if pure => converted(mu) * (1.0 + 1e-6) >= least,
        Guarantee::Gaussian(mu) => mu >= least,
    }
}

/// The numbers of a promise, as an issuer who wants to promise more might write them.
fn rewrite(statement: &mut Tree, numbers: &mut Numbers) {
    match numbers.below(6) {
        0 => {
            let size = numbers.of(&[0.1, 0.25, 0.3, 0.5, 0.7, 1.0, 2.0]);
            statement.set("guarantee", Tree::tagged(numbers.of(&["pure", "gaussian"]), Tree::number(size)));
        }
        1 => {
            let converted = numbers.of(&[0.1, 0.25, 0.4, 0.5, 0.8, 1.0]);
            let mu = numbers.of(&[0.2, 0.5, 0.624, 1.0, 1.5]);
            statement.set("guarantee", Tree::tagged("gaussian", Tree::number(mu)));
            if let Tree::Object(fields) = statement {
                fields.retain(|(name, _)| name != "converted");
                let after = fields.iter().position(|(name, _)| name == "guarantee").map_or(0, |k| k + 1);
                fields.insert(after, ("converted".to_owned(), Tree::number(converted)));
            }
            if !statement.to_string().contains("lem:convert_pure_G_DP") {
                toggle_claim(statement, "lem:convert_pure_G_DP", "proved");
            }
        }
        2 => statement.set("neighbours", Tree::word(numbers.of(&["add-remove", "replace-one"]))),
        3 => statement.set("rows_per_person", Tree::Leaf(numbers.of(&["0", "1", "2", "3", "4"]).to_owned())),
        4 => exchange_laws(statement),
        _ => {
            let claims = ["lem:convert_pure_G_DP", "own:score", "own:quantile", "own:rounded-normal"];
            toggle_claim(statement, numbers.of(&claims), numbers.of(&["proved", "tested", "assumed"]));
        }
    }
}

#[test]
fn scores_counts_and_quantiles() {
    let mut numbers = Numbers(11);
    let text = |answer: &Answer| Tree::read(&answer.to_json()).to_string();
    let trees: Vec<Tree> = answers().into_iter().map(|it| Tree::read(&text(&Answer::new(it)))).collect();
    let whole = trees.len();
    let mut files = trees.clone();
    while files.len() < FILES {
        let mut file = numbers.of(&trees);
        for _ in 0..=numbers.below(3) {
            let donor = numbers.of(&trees);
            match (numbers.below(2), file.get("statement")) {
                (0, Some(statement)) => rewrite(statement, &mut numbers),
                _ => edit(&mut file, &donor, &mut numbers),
            }
        }
        files.push(file);
    }
    // What can be read is sealed again by its meaning, what cannot is judged as written.
    let sealed = |file: &Tree| {
        let written = file.to_string();
        Answer::from_json(&written).map_or(written, |it| text(&it.seal()))
    };
    let judged: Vec<String> = files.iter().map(sealed).collect();
    let said = second_opinion(&judged);
    let (mut holds, mut readable) = (0, 0);
    for (k, file) in judged.iter().enumerate() {
        let read = Answer::from_json(file);
        readable += usize::from(read.is_ok());
        let verdict = read.clone().and_then(|it| it.check());
        let mine = verdict.as_ref().err().map_or("ok".to_owned(), ToString::to_string);
        assert!(k >= whole || verdict.is_ok(), "{mine}: {file}");
        if let Some(said) = &said {
            assert_eq!(verdict.is_ok(), said[k] == "ok", "here: {mine}; there: {}; of {file}", said[k]);
        }
        if verdict.is_ok() {
            holds += 1;
            assert!(is_paid(&read.unwrap().statement), "{file}");
        }
    }
    println!("answers: {FILES} files, {readable} can be read, {holds} hold");
    // Not all on one side.
    assert!(readable > FILES / 5 && holds > FILES / 25 && holds < FILES / 2, "{readable} {holds}");
}
