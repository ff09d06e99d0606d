//! Scores through the public path: the noise of every cell, what one row moves, and whether
//! intervals hold what they promise.
//! spec: `own:score`
//!
//! Seeds are fixed. Broken in `src/score`, seen red, undone: noise on all cells but one (`every_cell_has_its_noise`,
//! `normal_noise_has_its_deviation`); half of the noise (the same); the scale of add/remove where rows are replaced,
//! and that of one row for persons (`persons_and_replaced_rows_get_more_noise`: the contracts refuse the plan); a row
//! counted in two cells (`one_row_moves_the_cells_by_one`); all rows of a person
//! (`a_person_moves_the_cells_by_the_promised_rows_only`). The audit sees the first three as well
//! (`audit/tests/answer_audit.rs`).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::float_cmp
)]

use crate::chi_square::Law;
use asap_contracts::{Answer, Answering, Noise, Schema, Unseen};
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::score::{AnswerPlan, Asked, ClassMeasures, Errors, Estimate, Promise, Report, Tally};
use asap_dp::{Bounds, Learner, Logistic, OutOfBounds, Records, Release, ReplayRng, Squared};

const BOTH: [Neighbours; 2] = [Neighbours::AddRemove, Neighbours::ReplaceOne];

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::Pure(Epsilon::new(epsilon).unwrap())
}

fn gaussian(mu: f64) -> Guarantee {
    Guarantee::Gaussian(Mu::new(mu).unwrap())
}

fn planned(release: &Release, asked: &Asked, guarantee: Guarantee, neighbours: Neighbours) -> AnswerPlan {
    AnswerPlan::of_score(release, asked, &Promise::of_rows(guarantee, neighbours)).unwrap()
}

fn asked(bins: Option<u64>) -> Asked {
    Asked { rows: Unseen::Unseen, bins, largest_error: None, expected_rows: None }
}

/// The features of the population: evenly from −1 to 1.
fn places() -> Vec<f64> {
    (0..21).map(|k| f64::from(k) / 10.0 - 1.0).collect()
}

/// The probability of the positive class there, steeper than the model's and shifted.
fn truth(x: f64) -> f64 {
    1.0 / (1.0 + (-(2.5 * x - 0.8)).exp())
}

fn classifier() -> Release {
    let mut random = Random(5);
    let (mut features, mut targets) = (Vec::new(), Vec::new());
    for _ in 0..4000 {
        let x = places()[random.below(21)];
        features.push(x);
        targets.push(if random.uniform() < truth(x) { 1.0 } else { 0.0 });
    }
    let bounds = Bounds::new(1.0).unwrap().with_intercept(true).unwrap();
    let records = Records::new(Logistic, bounds, OutOfBounds::Clip, features, targets).unwrap();
    Learner::new(20.0).epsilon(3.0).unwrap().fit(&records, &mut ReplayRng::new(3)).unwrap()
}

fn regressor() -> Release {
    let (features, targets): (Vec<f64>, Vec<f64>) =
        (0..2000).map(|k| places()[k % 21]).map(|x| (x, 0.7 * x)).unzip();
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
    let records = Records::new(Squared, bounds, OutOfBounds::Clip, features, targets).unwrap();
    Learner::new(50.0)
        .epsilon(3.0)
        .unwrap()
        .parameter_bound(2.0)
        .fit(&records, &mut ReplayRng::new(4))
        .unwrap()
}

/// SplitMix64: nothing of the library draws the rows.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        b ^ (b >> 31)
    }

    fn uniform(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }
}

fn counts(answer: &Answer) -> Vec<i64> {
    match &answer.statement.mechanism {
        Answering::Cells { counts, .. } => counts.clone(),
        Answering::Exponential { .. } => panic!("cells"),
    }
}

/// P(X < k) of the discrete Laplace law.
fn below(scale: f64) -> impl Fn(i128) -> f64 {
    move |k| {
        let power = |m: i128| (-(m as f64) / scale).exp() / (1.0 + (-1.0 / scale).exp());
        if k <= 0 { power(1 - k) } else { 1.0 - power(k) }
    }
}

/// Noise alone, cell by cell: H0 is the discrete Laplace law of scale 1/ε, or 2/ε where a row is replaced.
#[test]
fn every_cell_has_its_noise() {
    const DRAWS: u32 = 20_000;
    let release = classifier();
    let (features, targets) = (vec![0.9, 0.9, -0.9, 0.1], vec![1.0, 0.0, 0.0, 1.0]);
    let mut rng = ReplayRng::new(11);
    for (neighbours, scale) in [(BOTH[0], 2.0), (BOTH[1], 4.0)] {
        let plan = planned(&release, &asked(Some(4)), pure(0.5), neighbours);
        let tally = plan.tally_rows(&release, 1, features.clone(), targets.clone()).unwrap();
        // With a budget beyond all doubt there is no noise.
        let clear = planned(&release, &asked(Some(4)), pure(1e6), neighbours);
        let exact = counts(&clear.release(&tally, &mut rng).unwrap());
        assert_eq!(exact.iter().sum::<i64>(), 4);
        let drawn: Vec<Vec<i64>> =
            (0..DRAWS).map(|_| counts(&plan.release(&tally, &mut rng).unwrap())).collect();
        for cell in 0..8 {
            let fits = |scale: f64| {
                let mut noise = drawn.iter().map(|counts| i128::from(counts[cell] - exact[cell]));
                Law::new(-12..13, below(scale)).fits(DRAWS, || noise.next().unwrap())
            };
            assert!(fits(scale), "cell {cell} {neighbours:?}");
            assert!(!fits(0.5 * scale) && !fits(2.0 * scale), "cell {cell}: the test has no power");
        }
    }
}

/// Normal noise: standard deviation 1/μ, √2/μ where a row is replaced, to 3 % (20,000 draws: 0.5 %).
#[test]
fn normal_noise_has_its_deviation() {
    let release = classifier();
    let mut rng = ReplayRng::new(12);
    for (neighbours, deviation) in [(BOTH[0], 2.0), (BOTH[1], 2.0 * 2.0_f64.sqrt())] {
        let plan = planned(&release, &asked(Some(2)), gaussian(0.5), neighbours);
        let tally = plan.tally_rows(&release, 1, vec![0.9], vec![1.0]).unwrap();
        let step = 2.0_f64.powi(-20);
        for cell in 0..4 {
            let expected = if cell == 3 { 1.0 } else { 0.0 };
            let squares: f64 = (0..5000)
                .map(|_| {
                    (counts(&plan.release(&tally, &mut rng).unwrap())[cell] as f64 * step - expected).powi(2)
                })
                .sum();
            let found = (squares / 5000.0).sqrt();
            assert!((found / deviation - 1.0).abs() < 0.05, "{found} {deviation}");
        }
    }
}

/// Without noise to speak of: a row more adds one to one cell; in scores of numbers its parts add up to one row.
#[test]
fn one_row_moves_the_cells_by_one() {
    let mut rng = ReplayRng::new(13);
    let mut moved = |release: &Release, bins, x: f64, y: f64| {
        let plan = planned(release, &asked(bins), pure(1e12), BOTH[0]);
        let mut of = |features: Vec<f64>, targets: Vec<f64>| {
            let tally = plan.tally_rows(release, 1, features, targets).unwrap();
            counts(&plan.release(&tally, &mut rng).unwrap())
        };
        let before = of(vec![0.2, -0.5], vec![1.0, 0.0]);
        let after = of(vec![0.2, -0.5, x], vec![1.0, 0.0, y]);
        let differences: Vec<i64> = before.iter().zip(after).map(|(before, after)| after - before).collect();
        (
            differences.iter().map(|it| it.abs()).sum::<i64>(),
            differences.iter().filter(|it| **it != 0).count(),
        )
    };
    let (classes, numbers) = (classifier(), regressor());
    for x in [-1.0, -0.3, 0.0, 0.31, 1.0, 7.0] {
        for y in [0.0, 1.0] {
            for bins in [2, 10] {
                assert_eq!(moved(&classes, Some(bins), x, y), (1, 1), "{x} {y}");
            }
            assert_eq!(moved(&numbers, None, x, y).0, 1 << 20, "{x} {y}");
        }
    }
}

/// A score on neighbours, one cell apart: the probabilities of its noise differ by e^ε and no more, by the
/// law that was tested above.
#[test]
fn persons_and_replaced_rows_get_more_noise() {
    let release = classifier();
    let scale = |promise: Promise| {
        let noise = AnswerPlan::of_score(&release, &asked(None), &promise).unwrap().noise();
        assert_eq!(AnswerPlan::of_rows(&promise).unwrap().noise(), noise);
        match noise {
            Noise::DiscreteLaplace { numerator, denominator, .. } => numerator as f64 / denominator as f64,
            Noise::RoundedNormal { steps, .. } => steps as f64 / f64::from(1 << 20),
            Noise::EuclideanLaplace { .. } => panic!("no joint noise"),
        }
    };
    for rows_per_person in [1, 3, 1000] {
        let person = |neighbours, guarantee| scale(Promise { guarantee, neighbours, rows_per_person });
        let rows = rows_per_person as f64;
        assert_eq!(person(BOTH[0], pure(0.5)), 2.0 * rows);
        assert_eq!(person(BOTH[1], pure(0.5)), 4.0 * rows);
        assert_eq!(person(BOTH[0], gaussian(0.5)), 2.0 * rows);
        let root = person(BOTH[1], gaussian(0.5)) / (2.0 * rows);
        assert!(root >= 2.0_f64.sqrt() && root < 2.0_f64.sqrt() + 1e-6);
    }
    let nobody = Promise { rows_per_person: 0, ..Promise::of_rows(pure(0.5), BOTH[0]) };
    assert!(AnswerPlan::of_rows(&nobody).unwrap_err().to_string().starts_with("rows per person"));
}

/// With a column of persons at most so many rows of each are counted: whoever has fifty moves the cells by three.
///
/// Sabotage: all rows of a person counted. Then the last one makes a difference of 50.
#[test]
fn a_person_moves_the_cells_by_the_promised_rows_only() {
    let release = classifier().with_columns(Schema::plain(["x".to_owned()], "y")).unwrap();
    let promise = Promise { rows_per_person: 3, ..Promise::of_rows(pure(1e12), BOTH[0]) };
    let plan = AnswerPlan::of_score(&release, &asked(Some(2)), &promise).unwrap();
    let counted = |text: &str| {
        let tally = plan.tally_csv(&release, text.as_bytes(), None, Some("who")).unwrap();
        counts(&plan.release(&tally, &mut ReplayRng::new(14)).unwrap())
    };
    let others = "who,x,y\na,0.9,1\nb,0.9,1\nb,-0.9,0\n".to_owned();
    let (before, after) = (counted(&others), counted(&(others.clone() + &"z,0.9,1\n".repeat(50))));
    let moved: Vec<i64> = before.iter().zip(&after).map(|(before, after)| after - before).collect();
    assert_eq!((before, moved), (vec![1, 0, 0, 2], vec![0, 0, 0, 3]));
}

/// The population's own numbers, from the definitions: places are equally likely.
struct Population {
    accuracy: f64,
    precision: f64,
    recall: f64,
    f1: f64,
    balanced: f64,
    majority: f64,
    auc: f64,
}

fn population(release: &Release, bins: usize) -> Population {
    let predicted = release.predict(&places()).unwrap();
    let mut cells = vec![[0.0; 2]; bins];
    for (p, x) in predicted.iter().zip(places()) {
        let bin = ((p * bins as f64) as usize).min(bins - 1);
        cells[bin][1] += truth(x) / 21.0;
        cells[bin][0] += (1.0 - truth(x)) / 21.0;
    }
    let half = bins / 2;
    let sum = |range: std::ops::Range<usize>, class: usize| {
        cells[range].iter().map(|cell| cell[class]).sum::<f64>()
    };
    let [tn, fnn, fp, tp] = [sum(0..half, 0), sum(0..half, 1), sum(half..bins, 0), sum(half..bins, 1)];
    let (recall, specificity) = (tp / (tp + fnn), tn / (tn + fp));
    let pairs: f64 = (0..bins).map(|b| cells[b][1] * (sum(0..b, 0) + 0.5 * cells[b][0])).sum();
    Population {
        accuracy: tp + tn,
        precision: tp / (tp + fp),
        recall,
        f1: 2.0 * tp / (2.0 * tp + fp + fnn),
        balanced: 0.5 * (recall + specificity),
        majority: (tp + fnn).max(tn + fp),
        auc: pairs / ((tp + fnn) * (tn + fp)),
    }
}

fn sample(random: &mut Random, n: usize) -> (Vec<f64>, Vec<f64>) {
    let places = places();
    (0..n)
        .map(|_| {
            let x = places[random.below(21)];
            (x, if random.uniform() < truth(x) { 1.0 } else { 0.0 })
        })
        .unzip()
}

fn classes(answer: &Answer) -> ClassMeasures {
    match Report::new(&answer.statement) {
        Some(Report::Classes(report)) => *report,
        other => panic!("{other:?}"),
    }
}

fn holds(estimate: Estimate, value: f64) -> bool {
    estimate.low <= value && value <= estimate.high
}

/// How often the 95 % intervals of accuracy, balanced accuracy, precision, recall, F1, majority
/// and area hold the truth.
fn coverage(n: usize, guarantee: Guarantee, bins: u64, runs: u32, seed: u64) -> [f64; 7] {
    let release = classifier();
    let truth = population(&release, bins as usize);
    let plan = planned(&release, &asked(Some(bins)), guarantee, BOTH[0]);
    let (mut random, mut rng) = (Random(seed), ReplayRng::new(seed));
    let mut held = [0_u32; 7];
    for _ in 0..runs {
        let (features, targets) = sample(&mut random, n);
        let tally = plan.tally_rows(&release, 1, features, targets).unwrap();
        let found = classes(&plan.release(&tally, &mut rng).unwrap());
        let auc = found.auc.unwrap_or(Estimate { value: None, low: 0.0, high: 1.0 });
        let all = [
            holds(found.accuracy, truth.accuracy),
            holds(found.balanced_accuracy, truth.balanced),
            holds(found.precision, truth.precision),
            holds(found.recall, truth.recall),
            holds(found.f1, truth.f1),
            holds(found.majority, truth.majority),
            holds(auc, truth.auc),
        ];
        held.iter_mut().zip(all).for_each(|(count, held)| *count += u32::from(held));
    }
    held.map(|count| f64::from(count) / f64::from(runs))
}

/// The interval of a count holds noise alone. Its coverage, by the exact law of the noise and in 2,000
/// draws: a whole number of steps reaches a little more than 95 %. Seen red: a reach that is no whole number
/// of steps (0.927 at ε = 1).
#[test]
fn intervals_of_counts_hold_what_they_promise() {
    let mut rng = ReplayRng::new(41);
    for (epsilon, neighbours, rows) in
        [(0.1, BOTH[0], 200), (0.3, BOTH[0], 1400), (1.0, BOTH[0], 6500), (0.3, BOTH[1], 200)]
    {
        let plan = AnswerPlan::of_rows(&Promise::of_rows(pure(epsilon), neighbours)).unwrap();
        let tally = Tally::rows(rows).unwrap();
        let mut reach = 0;
        let held = (0..2000).filter(|_| {
            let answer = plan.release(&tally, &mut rng).unwrap();
            let Some(Report::Rows(found)) = Report::new(&answer.statement) else { panic!("rows") };
            reach = found.half_width().floor() as i128;
            holds(found, rows as f64)
        });
        let held = held.count() as f64 / 2000.0;
        let scale = if neighbours == BOTH[0] { 1.0 } else { 2.0 } / epsilon;
        let law = below(scale)(reach + 1) - below(scale)(-reach);
        println!("{rows} rows, ε = {epsilon}: {held} held, {law:.4} by the law");
        assert!((0.95..0.975).contains(&law) && (held - law).abs() < 0.02, "{epsilon} {held} {law}");
    }
}

/// A few hundred scores: a tenth of the promised coverage missing would be seen, and so would an
/// interval that always holds.
#[test]
fn intervals_hold_what_they_promise() {
    for (n, epsilon, seed) in [(200, 0.3, 21), (1400, 0.1, 22)] {
        let [accuracy, balanced, precision, recall, f1, majority, _] =
            coverage(n, pure(epsilon), 2, 400, seed);
        for held in [accuracy, balanced, precision, recall, f1] {
            assert!((0.92..0.985).contains(&held), "{n} {epsilon}: {held}");
        }
        assert!(majority > 0.92, "{n} {epsilon}: {majority}");
    }
}

/// The whole table: `cargo test --release --test suite score:: -- --ignored --nocapture`. Two minutes.
#[test]
#[ignore = "two minutes"]
fn coverage_of_2000_scores() {
    println!("n      budget      bins  accuracy balanced precision recall f1     majority auc");
    let line = |n, guarantee, name, bins| {
        let held = coverage(n, guarantee, bins, 2000, 7);
        println!("{n:<6} {name:<11} {bins:<5} {held:.3?}");
        assert!((0.94..=0.97).contains(&held[0]), "accuracy");
    };
    for bins in [2, 10] {
        for n in [200, 1400, 6500] {
            for epsilon in [0.1, 0.3, 1.0] {
                line(n, pure(epsilon), format!("ε = {epsilon}"), bins);
            }
        }
    }
    for n in [200, 1400, 6500] {
        line(n, gaussian(0.3), "μ = 0.3".to_owned(), 2);
    }
}

/// Mean errors: rows whose errors are spread, and the truth from the definition.
#[test]
fn intervals_of_errors_hold_what_they_promise() {
    let release = regressor();
    let predicted = release.predict(&places()).unwrap();
    // The target is one of five values around 0.7 x, moved into the range.
    let target = |x: f64, k: usize| (0.7 * x + 0.3 * (k as f64 - 2.0)).clamp(-1.0, 1.0);
    let mean = |f: &dyn Fn(f64, f64) -> f64| {
        let all = places();
        let values = all.iter().zip(&predicted).flat_map(|(x, p)| (0..5).map(move |k| f(*p, target(*x, k))));
        values.sum::<f64>() / 105.0
    };
    let absolute = mean(&|p, y| (p - y).abs());
    let squared = mean(&|p, y| (p - y).powi(2));
    let explained = 1.0 - squared / mean(&|_, y| y * y);
    let (mut random, mut rng) = (Random(9), ReplayRng::new(9));
    for (n, epsilon) in [(200, 1.0), (1400, 0.1), (1400, 1.0)] {
        let plan = planned(&release, &asked(None), pure(epsilon), BOTH[0]);
        let mut held = [0; 3];
        for _ in 0..400 {
            let (features, targets): (Vec<f64>, Vec<f64>) = (0..n)
                .map(|_| {
                    let x = places()[random.below(21)];
                    (x, target(x, random.below(5)))
                })
                .unzip();
            let tally = plan.tally_rows(&release, 1, features, targets).unwrap();
            let answer = plan.release(&tally, &mut rng).unwrap();
            let Some(Report::Errors(Errors { mean_absolute, mean_squared, r_squared, .. })) =
                Report::new(&answer.statement)
            else {
                panic!("numbers")
            };
            held[0] += i32::from(holds(mean_absolute, absolute));
            held[1] += i32::from(holds(mean_squared, squared));
            held[2] += i32::from(holds(r_squared, explained));
        }
        let held = held.map(|count| f64::from(count) / 400.0);
        println!("{n} {epsilon} {held:?}");
        assert!((0.92..0.99).contains(&held[0]) && (0.92..0.99).contains(&held[1]), "{n} {epsilon} {held:?}");
        assert!(held[2] > 0.92, "{n} {epsilon} {held:?}");
    }
}

/// What a plan says without any row is what the intervals are, at worst.
#[test]
fn the_plan_says_how_wide_intervals_will_be() {
    let release = classifier();
    for (n, epsilon) in [(400, 0.3), (6500, 0.1)] {
        let plan = planned(&release, &asked(Some(2)), pure(epsilon), BOTH[0]);
        let (features, targets) = sample(&mut Random(31), n);
        let tally = plan.tally_rows(&release, 1, features, targets).unwrap();
        let found = classes(&plan.release(&tally, &mut ReplayRng::new(31)).unwrap());
        let (told, outlook) = (found.accuracy.half_width(), plan.outlook(n as u64));
        assert!(told <= outlook.within * 1.15 && told >= outlook.within * 0.6, "{told} {outlook:?}");
    }
    // With a public guess of the number of rows the bins follow: a curve only where its noise is small.
    let bins = |rows, epsilon| {
        let asked = Asked { expected_rows: Some(rows), ..asked(None) };
        planned(&release, &asked, pure(epsilon), BOTH[0]).question().cells().unwrap() / 2
    };
    assert_eq!([bins(1000, 0.3), bins(2000, 0.3), bins(6500, 0.1), bins(200, 1.0)], [2, 10, 2, 10]);
}

#[test]
fn what_cannot_be_scored_is_refused_before_a_bit_is_drawn() {
    let (classes, numbers) = (classifier(), regressor());
    let refused = |release: &Release, asked: &Asked, guarantee| {
        AnswerPlan::of_score(release, asked, &Promise::of_rows(guarantee, BOTH[0])).unwrap_err().to_string()
    };
    for bins in [0, 1, 3, 1002] {
        assert!(refused(&classes, &asked(Some(bins)), pure(1.0)).starts_with("bins"));
    }
    assert!(refused(&numbers, &asked(Some(2)), pure(1.0)).starts_with("bins"));
    let clipped = Asked { largest_error: Some(1.0), ..asked(None) };
    assert!(refused(&classes, &clipped, pure(1.0)).starts_with("largest error"));
    let nothing = Asked { largest_error: Some(0.0), ..asked(None) };
    assert!(refused(&numbers, &nothing, pure(1.0)).starts_with("largest error"));
    assert!(refused(&classes, &asked(None), pure(1e-300)).contains("2^53"));
    let plan = planned(&classes, &asked(None), pure(1.0), BOTH[0]);
    assert!(plan.tally_rows(&numbers, 1, vec![0.0], vec![0.0]).is_err(), "another release");
    assert!(plan.release(&Tally::rows(3).unwrap(), &mut ReplayRng::new(1)).is_err(), "another question");
    assert!(plan.tally_rows(&classes, 1, vec![0.0], vec![0.3]).is_err(), "no class");
    // No rows at all are a data set like any other.
    let empty = plan.tally_rows(&classes, 1, vec![], vec![]).unwrap();
    plan.release(&empty, &mut ReplayRng::new(1)).unwrap().check().unwrap();
}
