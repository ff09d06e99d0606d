//! Plans and predictions of objective perturbation and of noisy gradients, put together once more from their pages.

use super::*;
use crate::bounds::Bounds;
use crate::learner::Learner;
use crate::loss::{AgainstRest, Huber, Logistic, WeightedLogistic};
use crate::privacy::Neighbours;
use crate::shape::Shape;
use asap_contracts::{Block, Price};

fn near(computed: f64, expected: f64) {
    assert!((computed / expected - 1.0).abs() < 1e-6, "{computed} instead of {expected}");
}

/// Rows up to 2, Huber's loss with δ = ½, targets up to 3: the slope of a record is 1 at most (2 for two of them), β =
/// 4 and φ(0) = ½·3 at most (own:losses). The Jacobian takes ln(1 + 4/5) of ε = 2, the noise a hundredth of ε, the tilt
/// the rest.
#[test]
fn a_tilt_without_a_ball_by_hand() {
    let bounds = Bounds::new(2.0).unwrap().with_target(3.0).unwrap().with_max_rows(1000).unwrap();
    for (neighbours, slope) in [(Neighbours::AddRemove, 1.0), (Neighbours::ReplaceOne, 2.0)] {
        // 16 times the expected rows, or all that there can be.
        for (expected, searched) in [(10, 160.0), (100, 1000.0)] {
            let learner = Learner::new(5.0).epsilon(2.0).unwrap().neighbours(neighbours);
            let learner = learner.expected_rows(expected).mechanism(crate::MechanismKind::Objective);
            let problem = learner.problem(Huber::new(0.5).unwrap(), bounds.clone(), 3).unwrap();
            let plan = learner.objective(&problem).unwrap();
            let scale = slope / (1.98 - 1.8_f64.ln());
            let noise = plan.tilt().whole().unwrap();
            near(noise.scale(), scale);
            near(plan.lipschitz(), slope);
            let finer = scale / noise.lattice().step();
            assert!(finer >= 2.0_f64.powi(40) && finer <= 2.0_f64.powi(41), "{finer}");
            near(plan.radius(), (2.0 * searched * 1.5 / 5.0_f64).sqrt() + 56.0 * scale / 5.0);
            let claim = plan.asap().claim();
            near(claim.reference.parameter(), 1.98);
            near(claim.error, 0.025 * 0.02 * scale / (5.0 + 4.0 * expected as f64));
            assert!(plan.price() == Price::Apart && plan.expected_rows() == expected && claim.dimension == 3);
        }
    }
}

/// Λ = 20 beside 2σ² = 2/0.99: the Jacobian is free, and the tilt is σ = 1/(√0.99·μ), or 2 in place of 1 for two
/// changed losses.
#[test]
fn a_normal_tilt_by_hand() {
    let bounds = Bounds::new(1.0).unwrap().with_max_rows(100_000).unwrap();
    for (neighbours, slope) in [(Neighbours::AddRemove, 1.0), (Neighbours::ReplaceOne, 2.0)] {
        let learner = Learner::new(20.0).mu(1.0).unwrap().neighbours(neighbours).expected_rows(100);
        let problem = learner.problem(Logistic, bounds.clone(), 4).unwrap();
        let plan = learner.objective(&problem).unwrap();
        let (noise, sigma) = (plan.tilt().whole().unwrap(), slope / 0.99_f64.sqrt());
        near(noise.scale(), sigma);
        // √d + 10 deviations, and the minimisers of 1600 rows that lose ln 2 each.
        near(plan.radius(), (3200.0 * core::f64::consts::LN_2 / 20.0).sqrt() + 12.0 * sigma / 20.0);
        near(plan.asap().claim().error, 0.025 * 0.1 * sigma / (20.0 + 25.0));
        near(plan.asap().claim().reference.parameter(), 0.99_f64.sqrt());
        assert_eq!(plan.price(), Price::Free);
    }
    // Λ = 1 and μ = 1: the Jacobian is paid for, tied to the slope, and the tilt is what is left.
    let learner = Learner::new(1.0).mu(1.0).unwrap();
    let plan = learner.objective(&learner.problem(Logistic, bounds.clone(), 4).unwrap()).unwrap();
    assert!(plan.price() == Price::Tied && plan.tilt().whole().unwrap().scale() > 1.0 / 0.99_f64.sqrt());
    record::decide(&plan).unwrap();
}

/// 1000 rows, Λ = 5, curvature 20 in each of three directions: J bends by 25, and its trace is 265 at most. A normal
/// tilt has the variance σ² in each direction, the other law 4s² (d + 1 = 4); so does the last noise.
#[test]
fn predictions_of_a_tilt_by_hand() {
    let guess = Guess::new(1000).unwrap().with_curvature(20.0).unwrap();
    for (learner, factor) in
        [(Learner::new(5.0).epsilon(1.0).unwrap(), 4.0), (Learner::new(5.0).mu(1.0).unwrap(), 1.0)]
    {
        let plan =
            learner.objective(&learner.problem(Logistic, Bounds::new(1.0).unwrap(), 3).unwrap()).unwrap();
        let tilt = factor * plan.tilt().whole().unwrap().scale().powi(2);
        let noise = factor * plan.asap().noise().scale().powi(2);
        let predicted = plan.predict(&guess).unwrap();
        near(predicted.likely, 37.5 * (tilt / 625.0 + noise));
        near(predicted.worst, 0.5 * (3.0 * tilt / 5.0 + 265.0 * noise));
    }
}

/// The recursion of own:noisy-gradient, step by step: e_t = (1 + m − ηh)·e_(t−1) − m·e_(t−2) − η·z_t. Its mean from a
/// start at 1 without noise, with the floor m^(t/2), and its variance for noise of variance 1: a push at each step in
/// turn.
fn response(schedule: &crate::calibrate::Schedule, h: f64) -> (f64, f64) {
    let crate::calibrate::Schedule { steps, skipped, step, momentum } = *schedule;
    let averaged = f64::from(steps - skipped);
    let walk = |start: f64, push_at: Option<u32>| -> Vec<f64> {
        let (mut now, mut before, mut all) = (start, start, Vec::new());
        for t in 1..=steps {
            let pushed = if push_at == Some(t) { step } else { 0.0 };
            let next = (1.0 + momentum - step * h) * now - momentum * before - pushed;
            (before, now) = (now, next);
            all.push(next);
        }
        all
    };
    let kept = |walked: Vec<f64>| walked.into_iter().enumerate().skip(skipped as usize);
    let floor = |t: usize| momentum.sqrt().powf(t as f64 + 1.0);
    let bias = kept(walk(1.0, None)).map(|(t, e)| e.abs().max(floor(t))).sum::<f64>() / averaged;
    let effect = |t: u32| kept(walk(0.0, Some(t))).map(|(_, e)| e).sum::<f64>() / averaged;
    (bias, (1..=steps).map(|t| effect(t).powi(2)).sum())
}

/// As above; the best model gains 200·ln 2 in two directions and has a tenth of their squares in the first, where λ =
/// 20.
#[test]
fn predictions_of_a_descent_by_hand() {
    let guess = Guess::new(1000).unwrap().with_curvature(20.0).unwrap();
    let square = 2.0 * 200.0 * core::f64::consts::LN_2 / 40.0;
    for (learner, pure) in
        [(Learner::new(5.0).epsilon(0.5).unwrap(), true), (Learner::new(5.0).mu(0.5).unwrap(), false)]
    {
        let learner = learner.expected_rows(1000);
        let problem = learner.problem(Logistic, Bounds::new(1.0).unwrap(), 3).unwrap();
        let plan = learner.noisy_gradient(&problem).unwrap();
        let (schedule, steps) = (plan.schedule(), f64::from(plan.schedule().steps));
        let of_one_step = (plan.sensitivity() / 0.5).powi(2);
        let noise = of_one_step * if pure { 4.0 * steps * steps } else { steps };
        let (bias, variance) = response(schedule, 25.0);
        let predicted = plan.predict(&guess).unwrap();
        // The minimiser keeps 20/25 of the best model; the bias is what is missed of that.
        near(predicted.likely, 12.5 * (3.0 * noise * variance + (0.8 * bias).powi(2) * 2.1 * square));
        let short = 1.0 - 0.8 * (1.0 - bias);
        near(predicted.lost, 10.0 * (3.0 * noise * variance + short * short * 2.1 * square));
        let risk = |h: f64| {
            let (bias, variance) = response(schedule, h);
            1.5 * h * noise * variance + 1000.0 * core::f64::consts::LN_2 * bias * bias
        };
        let curvatures = (0..5).map(|k| 5.0 * 51.0_f64.powf(f64::from(k) / 4.0));
        near(predicted.worst, curvatures.map(risk).fold(0.0, f64::max));
        near(predicted.passes, steps);
    }
}

/// A stated number of rows halves the longest schedule as long as its price falls; an assumed one does not.
#[test]
fn passes_that_gain_less_than_they_take_are_left_out() {
    let mut shorter = 0;
    for (budget, rows) in [(1.0, 10_000), (0.1, 10_000), (3.0, 300), (0.001, 100), (0.03, 100_000)] {
        let bounds = Bounds::new(1.0).unwrap().with_max_rows(rows).unwrap();
        let learner = Learner::new(5.0).mu(budget).unwrap().expected_rows(rows);
        let problem = learner.problem(Logistic, bounds, 5).unwrap();
        let guess = Guess::new(rows).unwrap();
        let with = |steps| {
            let plan = learner.gradient_steps(steps).noisy_gradient(&problem).unwrap();
            (plan.predict(&guess).unwrap().price(), *plan.schedule())
        };
        let settings = |expected_rows| NoisyGradientSettings { expected_rows, ..Default::default() };
        let total = learner.total().unwrap();
        let plan = |expected| *NoisyGradient::plan(&problem, total, settings(expected)).unwrap().schedule();
        let stated = plan(Some(rows));
        // Steps of at most Δ/(4096·√5), and not of half that.
        let descent = learner.noisy_gradient(&problem).unwrap();
        let (step, finest) =
            (descent.noise().lattice().step(), descent.sensitivity() / 4096.0 / 5.0_f64.sqrt());
        assert!(step <= finest && 2.0 * step > finest);
        assert_eq!(stated, *learner.noisy_gradient(&problem).unwrap().schedule());
        // Without a statement so many rows are assumed.
        if rows <= 10_000 {
            let assumed = plan(None);
            let mut best = with(assumed.steps);
            while best.1.steps > 1 {
                let half = with(best.1.steps / 2);
                if half.0 >= best.0 {
                    break;
                }
                best = half;
            }
            assert_eq!(stated, best.1);
            shorter += u32::from(stated.steps < assumed.steps);
        }
    }
    assert!(shorter > 0, "some schedule was to be shortened");
}

/// As above: half of the variance times the trace, and a normal law.
#[test]
fn predictions_of_an_output_by_hand() {
    let guess = Guess::new(1000).unwrap().with_curvature(20.0).unwrap();
    let learner = Learner::new(5.0).mu(0.5).unwrap();
    let plan = learner.output(&learner.problem(Logistic, Bounds::new(1.0).unwrap(), 3).unwrap()).unwrap();
    let variance = plan.perturbation().noise().scale().powi(2);
    let predicted = plan.predict(&guess).unwrap();
    near(predicted.likely, 37.5 * variance);
    near(predicted.worst, 132.5 * variance);
}

/// Weights are recorded where they differ from 1, of two classes and of one against the rest.
#[test]
fn weights_are_recorded() {
    fn recorded<L: Loss>(loss: L) -> Option<[f64; 2]> {
        record::problem(&Problem::new(loss, Bounds::new(1.0).unwrap(), 2, 5.0).unwrap()).class_weights
    }
    for weights in [[1.0, 0.25], [0.5, 1.0]] {
        assert_eq!(recorded(WeightedLogistic::new(weights).unwrap()), Some(weights));
        let one = AgainstRest::new(1, 3).unwrap().with_weights(weights).unwrap();
        assert_eq!(recorded(one), Some(weights));
    }
    assert_eq!(recorded(WeightedLogistic::new([1.0; 2]).unwrap()), None);
    assert_eq!((recorded(AgainstRest::new(1, 3).unwrap()), recorded(Logistic)), (None, None));
}

/// Rows of at most 10⁻⁶⁰ and a slope that is as small. A tilt that moves the minimiser by less than 10⁻⁹⁰ is refused.
#[test]
fn tilts_that_are_out_of_range_are_refused() {
    let planned = |regulariser: f64| {
        let learner = Learner::new(regulariser).epsilon(1.0).unwrap().parameter_bound(1.0);
        let problem = learner.problem(Logistic, Bounds::new(1e-60).unwrap(), 2).unwrap();
        learner.objective(&problem).map(|_| ())
    };
    assert!(planned(1e20).is_ok());
    assert!(matches!(planned(1e40), Err(Error::Input(refused)) if refused.field == "bounds and regulariser"));
}

/// A number and two levels: (∛2 + ∛4)³ = 23.08 beside 3·4·2 for the ball around them, so they have a law each. A number
/// and one level: (∛2 + ∛2)³ = 16 beside 2·3·2, so they have one together.
#[test]
fn a_law_for_each_block_if_it_has_the_smaller_variance() {
    let learner = Learner::new(50.0).epsilon(1.0).unwrap();
    for (levels, apart) in [(2, true), (1, false)] {
        let blocks = [Block::Cube { columns: 1 }, Block::OneNorm { columns: levels, bound: 1.0 }];
        let bounds = Bounds::of_shape(Shape::new(blocks).unwrap()).unwrap();
        let problem = learner.problem(Logistic, bounds, 1 + usize::try_from(levels).unwrap()).unwrap();
        let plan = learner.objective(&problem).unwrap();
        assert_eq!(plan.tilt().whole().is_none(), apart, "{levels}");
        if apart {
            // The parts of ε are as ∛2 to ∛4.
            let part = 2.0_f64.cbrt() / (2.0_f64.cbrt() + 4.0_f64.cbrt());
            let epsilon = plan.ledger().shares()[0].guarantee.parameter();
            near(plan.tilt().blocks()[0].scale(), 1.0 / (part * epsilon));
            near(plan.tilt().blocks()[1].scale(), 1.0 / ((1.0 - part) * epsilon));
        }
    }
}
