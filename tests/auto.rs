//! The choice of the mechanism and of the regulariser: by public numbers, in the certificate, and as good as it says.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp, reason = "a test may stop")]

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::learner::{Learner, MechanismKind};
use asap_dp::loss::{Logistic, Squared};
use asap_dp::mechanism::Mechanism;
use asap_dp::noise::{RandomBits, ReplayRng};
use asap_dp::optimise::Minimiser;
use asap_dp::prediction::{Guess, Prediction};

fn bounds() -> Bounds {
    Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(100_000).unwrap()
}

/// Rows on the unit sphere, classes from a logistic model.
fn sphere(n: usize, d: usize) -> Records<Logistic> {
    let mut rng = ReplayRng::new(23);
    let mut uniform = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let (mut features, mut targets) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let row: Vec<f64> = (0..d).map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0).collect();
        let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        targets.push(if uniform() < 1.0 / (1.0 + (-4.0 * row[0] / norm).exp()) { 1.0 } else { -1.0 });
        features.extend(row.iter().map(|x| x / norm));
    }
    Records::new(Logistic, bounds(), OutOfBounds::Clip, features, targets).unwrap()
}

/// For many public numbers the plan is that of the mechanism with the least number in its own comparison, and all
/// mechanisms are among the best somewhere but output perturbation, which few records favour.
#[test]
fn the_least_prediction_is_planned() {
    let mut chosen = std::collections::HashSet::new();
    for regulariser in [0.5, 5.0, 100.0, 10_000.0] {
        for rows in [10, 1000, 100_000] {
            for curvature in [None, Some(0.0), Some(1e4)] {
                for learner in [
                    Learner::new(regulariser).epsilon(1.0).unwrap(),
                    Learner::new(regulariser).mu(1.0).unwrap(),
                ] {
                    let learner = learner.expected_rows(rows);
                    let learner = curvature.map_or(learner, |guess| learner.curvature(guess));
                    let problem = learner.problem(Logistic, bounds(), 5).unwrap();
                    let comparison = learner.compare(&problem).unwrap();
                    assert_eq!(comparison.candidates().len(), MechanismKind::ALL.len());
                    let least = comparison
                        .candidates()
                        .iter()
                        .filter_map(|candidate| candidate.prediction())
                        .map(Prediction::price)
                        .fold(f64::INFINITY, f64::min);
                    let plan = learner.plan(&problem).unwrap();
                    let own = plan.predict(&learner.guess(&problem).unwrap()).unwrap();
                    assert_eq!(own.price(), least);
                    assert!(own.likely > 0.0 && own.passes >= 1.0);
                    chosen.insert(plan.kind());
                }
            }
        }
    }
    assert!(chosen.len() >= 3, "{chosen:?}");
}

/// What is in the certificate is the comparison; an edit that makes another mechanism look better is found out.
#[test]
fn the_choice_is_in_the_certificate() {
    let records = sphere(300, 3);
    for learner in [Learner::new(5.0).epsilon(1.0).unwrap(), Learner::new(5.0).mu(1.0).unwrap()] {
        let release = learner.expected_rows(300).fit(&records, &mut ReplayRng::new(1)).unwrap();
        let certificate = release.certificate();
        let choice = certificate.choice.clone().unwrap();
        assert_eq!((choice.rows, choice.curvature, choice.compared.len()), (300, None, 4));
        let own = certificate.mechanism.name();
        assert!(choice.compared.iter().any(|it| it.mechanism == own && it.predicted.is_some()));
        for k in 0..choice.compared.len() {
            let mut edited = release.as_checked().clone();
            let compared = &mut edited.certificate.choice.as_mut().unwrap().compared;
            let other = compared[k].mechanism != own;
            compared[k].predicted = Some(if other { 0.0 } else { 1e9 });
            compared[k].passes = Some(0.0);
            let failed = edited.seal().check().unwrap_err();
            assert_eq!(failed.clause(), "mechanism is the one with the least predicted price");
        }
        // A mechanism that was asked for by name has nothing to compare.
        let named = learner.mechanism(MechanismKind::Output).fit(&records, &mut ReplayRng::new(1)).unwrap();
        assert!(named.certificate().choice.is_none());
    }
}

/// A regulariser that was chosen is in the certificate with what half and twice of it would miss, for a mechanism
/// by name as well. An edit that makes another one look better, or that is no prediction at all, is found out.
#[test]
fn the_chosen_regulariser_is_in_the_certificate() {
    let records = sphere(300, 3);
    for learner in [Learner::auto().epsilon(1.0).unwrap(), Learner::auto().mu(1.0).unwrap()] {
        for learner in [learner, learner.mechanism(MechanismKind::Output)] {
            let release = learner.expected_rows(300).fit(&records, &mut ReplayRng::new(1)).unwrap();
            let chosen = release.certificate().choice.clone().unwrap().regulariser.unwrap();
            assert!(chosen.missed < 1.0 && chosen.with_twice.unwrap() >= chosen.missed, "{chosen:?}");
            let refused = |edit: &dyn Fn(&mut asap_contracts::Choice)| {
                let mut edited = release.as_checked().clone();
                edit(edited.certificate.choice.as_mut().unwrap());
                edited.seal().check().unwrap_err().clause().to_owned()
            };
            let neighbours = "half and twice the regulariser are predicted to miss as much or more";
            assert_eq!(refused(&|it| it.regulariser.as_mut().unwrap().with_half = Some(0.0)), neighbours);
            assert_eq!(refused(&|it| it.regulariser.as_mut().unwrap().with_twice = Some(0.0)), neighbours);
            assert_eq!(refused(&|it| it.regulariser.as_mut().unwrap().missed = -1.0), neighbours);
            let predictions = "compared mechanisms have predictions or none";
            assert_eq!(refused(&|it| it.pass_price = -1.0), predictions);
            // Of one that was not refused.
            let all = release.certificate().choice.clone().unwrap().compared;
            let planned = all.iter().position(|it| it.predicted.is_some()).unwrap();
            assert_eq!(refused(&|it| it.compared[planned].passes = None), predictions);
            assert_eq!(refused(&|it| it.compared[planned].predicted = Some(-1.0)), predictions);
        }
    }
    // One that was given is not chosen.
    let given = Learner::new(5.0).epsilon(1.0).unwrap().fit(&records, &mut ReplayRng::new(1)).unwrap();
    assert!(given.certificate().choice.clone().unwrap().regulariser.is_none());
}

/// Without a name and without a regulariser no mechanism with its own default one has a lower price, and for many
/// columns under μ that is a descent. It is as long as its price allows. Red where only objective perturbation leads
/// the search for Λ, and where a descent is not shortened.
#[test]
fn every_mechanism_is_compared_with_its_own_regulariser() {
    let mut chosen = Vec::new();
    for (rows, d, mu) in [(400, 31, 0.3), (1200, 12, 1.0), (3450, 58, 0.3), (3450, 58, 1.0), (20_000, 5, 1.0)]
    {
        let learner = Learner::auto().mu(mu).unwrap().expected_rows(rows);
        let priced = |learner: Learner| {
            let problem = learner.problem(Logistic, bounds_of(d), d).unwrap();
            let plan = learner.plan(&problem).unwrap();
            (plan.predict(&learner.guess(&problem).unwrap()).unwrap().price(), plan.kind())
        };
        let (price, kind) = priced(learner);
        let named = [MechanismKind::Objective, MechanismKind::NoisyGradient];
        for (other, _) in named.map(|kind| priced(learner.mechanism(kind))) {
            assert!(price <= other + 1e-12, "{rows} {d} {mu}: {price} {other}");
        }
        chosen.push(kind);
        let problem = learner.problem(Logistic, bounds_of(d), d).unwrap();
        let descent = learner.noisy_gradient(&problem).unwrap();
        let half = learner.gradient_steps(descent.schedule().steps / 2).noisy_gradient(&problem).unwrap();
        let guess = learner.guess(&problem).unwrap();
        let [own, half] = [descent, half].map(|plan| plan.predict(&guess).unwrap().price());
        assert!(own <= half, "{rows} {d} {mu}: {own} {half}");
    }
    assert!(chosen.contains(&MechanismKind::NoisyGradient), "{chosen:?}");
}

/// A descent of an assumed number of rows is not shortened: on far fewer records, with a budget that leaves no noise,
/// the release is the minimiser, by default and by name. Red where steps are left out for rows that nobody stated.
#[test]
fn an_assumed_number_of_rows_leaves_out_no_steps() {
    let records = sphere(300, 3);
    for learner in [Learner::new(2.0).epsilon(1e5).unwrap(), Learner::new(2.0).mu(1e3).unwrap()] {
        let problem = learner.problem(Logistic, bounds(), 3).unwrap();
        let objective = problem.bind(&records).unwrap();
        let best = Minimiser::new(&problem).unwrap().run(&objective).unwrap().reveal_breaking_privacy();
        for learner in [learner, learner.mechanism(MechanismKind::NoisyGradient)] {
            let release = learner.fit(&records, &mut ReplayRng::new(1)).unwrap();
            let apart = release.theta().iter().zip(&best).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 0.02, "{} {apart}", release.certificate().mechanism.name());
        }
        // For a number that was stated steps that gain nothing are left out.
        let steps = |learner: Learner| learner.noisy_gradient(&problem).unwrap().schedule().steps;
        assert!(steps(learner.expected_rows(10_000)) < steps(learner));
    }
}

/// n = 2000, d = 5, Λ = 5, both kinds of budget: over 101 fits the chosen mechanism is within a factor 1.3 of the
/// best in hindsight. (`cargo run --release -p asap-benches --example mechanisms` is the whole study.) Fixed seeds; a
/// choice by the worst case takes the posterior at μ = 1, which is five times as bad, and fails.
#[test]
fn the_choice_is_good_in_hindsight() {
    let records = sphere(2000, 5);
    for learner in [Learner::new(5.0).epsilon(1.0).unwrap(), Learner::new(5.0).mu(1.0).unwrap()] {
        let learner = learner.expected_rows(2000);
        let problem = learner.problem(Logistic, bounds(), 5).unwrap();
        let objective = problem.bind(&records).unwrap();
        let mut workspace = objective.workspace();
        let mut value =
            |theta: &[f64]| objective.evaluate(theta, &mut workspace).unwrap().reveal_breaking_privacy();
        let best = Minimiser::new(&problem).unwrap().run(&objective).unwrap().reveal_breaking_privacy();
        let least = value(&best);
        let mut mean = |learner: Learner| {
            let fit = |seed| learner.fit(&records, &mut ReplayRng::new(seed)).unwrap();
            (0..101).map(|seed| value(fit(seed).theta()) - least).sum::<f64>() / 101.0
        };
        let all = MechanismKind::ALL.map(|kind| mean(learner.mechanism(kind)));
        let chosen = mean(learner);
        let best = all.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(chosen <= 1.3 * best, "{chosen} of {all:?}");
    }
}

/// Where every mechanism is refused the first refusal is said; without a budget nothing is compared.
/// The best model is taken to be outside of the ball: what ends at the minimiser there is worth more than a descent that ends
/// before. Red where the ball shrinks all directions alike: then the descent that learnt least was worth most, and was chosen.
#[test]
fn a_ball_that_cuts_the_model_favours_no_descent_that_ends_early() {
    for learner in [0.25, 1.0, 4.0]
        .map(|budget| Learner::new(20.0).parameter_bound(1.0).expected_rows(50_000).epsilon(budget))
    {
        let learner = learner.unwrap();
        let problem = learner.problem(Squared, bounds(), 5).unwrap();
        let comparison = learner.compare(&problem).unwrap();
        assert_eq!(comparison.best().unwrap().kind, MechanismKind::Objective);
        let worth = |kind: MechanismKind| {
            let mut candidates = comparison.candidates().iter();
            candidates.find(|it| it.kind == kind).and_then(|it| it.prediction()).unwrap().worth
        };
        assert!(worth(MechanismKind::NoisyGradient) < worth(MechanismKind::Objective));
    }
}

#[test]
fn refusals_are_told() {
    let learner = Learner::new(5.0);
    let problem = learner.problem(Squared, bounds(), 3).unwrap();
    assert!(learner.plan(&problem).unwrap_err().to_string().contains("guarantee"));
    for bad in [-1.0, f64::NAN] {
        let learner = learner.epsilon(1.0).unwrap().curvature(bad);
        assert!(learner.plan(&problem).unwrap_err().to_string().contains("curvature"));
    }
    let tiny = learner.epsilon(1e-300).unwrap();
    assert!(tiny.compare(&problem).unwrap().best().is_none());
    assert!(tiny.plan(&problem).is_err());
}

/// A plan that was made with the true number of rows is predicted to be worth at least as much as one that was made
/// with any other, for that number: for every budget, dimension and number of rows here. (The grid of regularisers
/// has steps of a factor √2, and a pass has a price. Below 0 nothing is ranked: such a fit stops before it spends.)
#[test]
fn the_true_number_of_rows_is_never_worse_than_a_guess() {
    for (loss_is_logistic, d) in [(true, 4), (true, 60), (false, 12)] {
        for epsilon in [0.1, 1.0, 3.0] {
            for rows in [300_u64, 3_000, 30_000] {
                let worth = |expected: u64| {
                    let learner = Learner::auto().epsilon(epsilon).unwrap().expected_rows(expected);
                    let guess = Guess::new(rows).unwrap();
                    let natural = bounds_of(d);
                    if loss_is_logistic {
                        let problem = learner.problem(Logistic, natural, d).unwrap();
                        learner.plan(&problem).unwrap().predict(&guess).unwrap().worth
                    } else {
                        let problem = learner.problem(Squared, natural, d).unwrap();
                        learner.plan(&problem).unwrap().predict(&guess).unwrap().worth
                    }
                };
                let worth = |expected| worth(expected).max(0.0);
                let (own, others) = (worth(rows), [rows / 10, rows / 3, 3 * rows, 10_000].map(worth));
                assert!(
                    others.iter().all(|other| *other <= own + 0.01),
                    "{d} {epsilon} {rows}: {own} {others:?}"
                );
            }
        }
    }
}

fn bounds_of(d: usize) -> Bounds {
    let unit = Bounds::of_unit_features(d).unwrap();
    unit.with_target(1.0).unwrap().with_max_rows(1_000_000).unwrap()
}

/// White wine, quality 6 and better, by the ranges of its chemistry. Rows with their intercept, and classes; `None`
/// without the file.
fn wine() -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/winequality-white.csv");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("no wine beside the checkout: nothing is measured");
        return None;
    };
    let low = [3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.985, 2.7, 0.2, 8.0];
    let high = [12.0, 1.2, 1.2, 45.0, 0.2, 120.0, 350.0, 1.01, 3.9, 1.1, 14.5];
    let row = |line: &str| {
        let numbers: Vec<f64> = line.split(';').map(|cell| cell.parse().unwrap()).collect();
        let ends = low.iter().zip(high);
        let scaled = numbers.iter().zip(ends).map(|(x, (low, high))| 2.0 * (x - low) / (high - low) - 1.0);
        let row: Vec<f64> = scaled.map(|x| x.clamp(-1.0, 1.0)).chain([1.0]).collect();
        (row, if numbers[11] >= 6.0 { 1.0 } else { -1.0 })
    };
    Some(text.lines().skip(1).map(row).unzip())
}

/// On a real table: default settings are better than the majority class at ε = 0.3, within 0.01 of every other
/// regulariser and every other mechanism in accuracy, not worse with the true number of rows than with a wrong one,
/// and the excess is predicted within a factor 3.
#[test]
fn defaults_are_good_on_wine() {
    let Some((rows, classes)) = wine() else { return };
    let bounds = Bounds::of_unit_features(11).unwrap().with_intercept(true).unwrap();
    let features: Vec<f64> = rows.iter().flat_map(|row| row[..11].to_vec()).collect();
    let records =
        Records::new(Logistic, bounds.clone(), OutOfBounds::Refuse, features, classes.clone()).unwrap();
    let right = |theta: &[f64]| {
        let of = |(row, class): (&Vec<f64>, &f64)| {
            class * row.iter().zip(theta).map(|(x, t)| x * t).sum::<f64>() > 0.0
        };
        rows.iter().zip(&classes).filter(|it| of(*it)).count() as f64 / 4898.0
    };
    let mean = |learner: &Learner| {
        (0..9)
            .map(|seed| right(learner.fit(&records, &mut ReplayRng::new(seed)).unwrap().theta()))
            .sum::<f64>()
            / 9.0
    };
    let auto = Learner::auto().epsilon(0.3).unwrap().expected_rows(4898);
    let problem = auto.problem(Logistic, bounds.clone(), 12).unwrap();
    let chosen = mean(&auto);
    assert!(chosen > 0.665 + 0.03, "{chosen}");
    for factor in [0.1, 0.3, 3.0, 10.0] {
        let other = Learner::new(factor * problem.regulariser()).epsilon(0.3).unwrap().expected_rows(4898);
        assert!(mean(&other) <= chosen + 0.01, "{factor}: {} {chosen}", mean(&other));
    }
    for kind in MechanismKind::ALL {
        assert!(mean(&auto.mechanism(kind)) <= chosen + 0.01, "{kind:?}");
    }
    for wrong in [500, 50_000] {
        assert!(mean(&auto.expected_rows(wrong)) <= chosen + 0.01, "{wrong}");
    }
    let objective = problem.bind(&records).unwrap();
    let mut workspace = objective.workspace();
    let mut value =
        |theta: &[f64]| objective.evaluate(theta, &mut workspace).unwrap().reveal_breaking_privacy();
    let best = Minimiser::new(&problem).unwrap().run(&objective).unwrap().reveal_breaking_privacy();
    let least = value(&best);
    let fits = (0..9).map(|seed| auto.fit(&records, &mut ReplayRng::new(seed)).unwrap());
    let excess = fits.map(|release| value(release.theta()) - least).sum::<f64>() / 9.0;
    let predicted = auto.plan(&problem).unwrap().predict(&Guess::new(4898).unwrap()).unwrap().likely;
    assert!((1.0 / 3.0..3.0).contains(&(excess / predicted)), "{excess} {predicted}");
}
