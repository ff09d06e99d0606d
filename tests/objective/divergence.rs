//! The rounding errors of the sums of divergences and of the value against their bounds.

use crate::double_double::Wide;
use crate::reference::{Fault, Faulty, Reference};
use crate::rounding::hostile;
use crate::{Data, Numbers, evaluate, norm, sums};
use asap_dp::loss::{Huber, Logistic, Squared};
use asap_dp::objective::{divergence_rounding_bound, value_rounding_bound};

const REGULARISER: f64 = 3.3;

fn exact_dot(x: &[f64], theta: &[f64]) -> Wide {
    x.iter().zip(theta).fold(Wide::from(0.0), |sum, (&x, &t)| sum + Wide::from(x) * Wide::from(t))
}

fn length(x: &[f64]) -> f64 {
    norm(x) * (1.0 + 1e-12)
}

/// The error of the sum of the divergences divided by its bound.
fn divergence_ratio<L: Reference>(data: &Data, loss: L, anchor: &[f64], v: &[f64]) -> f64 {
    let records = data.records(loss);
    let objective = crate::objective(&records, REGULARISER);
    let mut workspace = objective.workspace();
    let computed =
        objective.evaluate_divergence(anchor, v, &mut workspace).unwrap().reveal_breaking_privacy();
    let regular = Wide::from(0.5) * Wide::from(REGULARISER) * exact_dot(v, v);
    let exact = data
        .rows()
        .fold(regular, |sum, (x, y)| sum + loss.exact_divergence(exact_dot(x, anchor), exact_dot(x, v), y));
    let (n, d, step) = (data.targets.len() as u64, data.dimension, length(v));
    let bound = divergence_rounding_bound(&sums(n, d, &loss, REGULARISER), length(anchor), step).at(step);
    (Wide::from(computed) + -exact).to_f64().abs() / bound
}

/// The error of the value divided by its bound.
fn value_ratio<L: Reference>(data: &Data, loss: L, theta: &[f64]) -> f64 {
    let records = data.records(loss);
    let objective = crate::objective(&records, REGULARISER);
    let (computed, _) = evaluate(&objective, theta);
    let regular = Wide::from(0.5) * Wide::from(REGULARISER) * exact_dot(theta, theta);
    let exact = data.rows().fold(regular, |sum, (x, y)| sum + loss.exact_value(exact_dot(x, theta), y));
    let (n, d) = (data.targets.len() as u64, data.dimension);
    let bound = value_rounding_bound(&sums(n, d, &loss, REGULARISER), length(theta));
    (Wide::from(computed) + -exact).to_f64().abs() / bound
}

/// The worst ratios, of divergences and values, over anchors near and far and moves of every size.
fn worst<L: Reference>(rows: usize, dimension: usize, loss: L) -> (f64, f64) {
    let (mut divergence, mut value) = (0.0_f64, 0.0_f64);
    for (_, data) in hostile(rows, dimension, 31) {
        let along = &data.features[..dimension];
        let random = Numbers(37).vector(dimension);
        let scaled = |x: &[f64], scale: f64| x.iter().map(|x| scale * x).collect::<Vec<f64>>();
        for anchor in [scaled(along, 0.0), scaled(along, 0.9), scaled(&random, 1.0), scaled(along, 40.0)] {
            value = value.max(value_ratio(&data, loss, &anchor));
            for v in [scaled(along, 1.0), scaled(along, -0.37), scaled(&random, 1e-6), scaled(&random, 30.0)]
            {
                divergence = divergence.max(divergence_ratio(&data, loss, &anchor, &v));
            }
        }
    }
    println!("{} {rows} × {dimension}: {divergence:.4} and {value:.4} of the bounds", loss.name());
    (divergence, value)
}

#[test]
fn errors_stay_below_their_bounds_and_come_near() {
    let huber = Huber::new(0.75).unwrap();
    let mut nearest = [(0.0_f64, 0.0_f64); 3];
    for (rows, dimension) in [(1, 1), (70, 3), (3_000, 5), (300, 90), (60, 90)] {
        let ratios = [
            worst(rows, dimension, Logistic),
            worst(rows, dimension, Squared),
            worst(rows, dimension, huber),
        ];
        for (near, (divergence, value)) in nearest.iter_mut().zip(ratios) {
            assert!(divergence <= 1.0 && value <= 1.0);
            *near = (near.0.max(divergence), near.1.max(value));
        }
    }
    // Within a factor of 24, 18, 44 and of 10, 34, 9 for logistic, squared, Huber.
    for (divergence, value) in nearest {
        assert!(divergence >= 1.0 / 45.0 && value >= 1.0 / 35.0, "{divergence} {value}");
    }
}

#[test]
fn a_careless_loss_breaks_the_bounds() {
    let huber = Huber::new(0.75).unwrap();
    for fault in [Fault::Difference, Fault::SinglePrecision, Fault::Scaled] {
        assert!(worst(70, 3, Faulty { loss: Logistic, fault }).0 > 1.0, "{fault:?}");
        assert!(worst(70, 3, Faulty { loss: huber, fault }).0 > 1.0, "{fault:?}");
    }
    assert!(worst(70, 3, Faulty { loss: Logistic, fault: Fault::RoughValues }).1 > 1.0);
    // The same wrapper without a fault, through the loops of the defaults.
    let (divergence, value) = worst(70, 3, Faulty { loss: Logistic, fault: Fault::None });
    assert!(divergence <= 1.0 && value <= 1.0);
}

#[test]
fn errors_stay_below_their_bounds_on_many_rows() {
    let hostile = hostile(50_000, 2, 41);
    for (name, data) in hostile.iter().filter(|(name, _)| ["all equal", "random"].contains(name)) {
        let (anchor, v) = ([0.37, -1.21], [0.5, 0.25]);
        let divergences =
            [divergence_ratio(data, Logistic, &anchor, &v), divergence_ratio(data, Squared, &anchor, &v)];
        let values = [value_ratio(data, Logistic, &anchor), value_ratio(data, Squared, &anchor)];
        println!("50000 rows, {name}: {divergences:.4?} and {values:.4?} of the bounds");
        assert!(divergences.iter().chain(&values).all(|r| *r <= 1.0));
    }
}

/// The pass gives what the definition says, for every shape at which the code changes its ways.
#[test]
fn divergence_is_the_sum_of_the_definition() {
    let mut numbers = Numbers(5);
    for (rows, dimension) in [(1, 1), (7, 2), (9, 5), (64, 11), (65, 50), (257, 7), (1_003, 65), (20_011, 13)]
    {
        let data = Data::random(rows, dimension, 7).with_signs();
        let (anchor, v) = (numbers.vector(dimension), numbers.vector(dimension));
        for ratio in
            [divergence_ratio(&data, Logistic, &anchor, &v), divergence_ratio(&data, Squared, &anchor, &v)]
        {
            assert!(ratio <= 1.0, "{rows} × {dimension}: {ratio}");
        }
        let still = vec![0.0; dimension];
        let records = data.records(Logistic);
        let objective = crate::objective(&records, REGULARISER);
        let mut workspace = objective.workspace();
        let none = objective.evaluate_divergence(&anchor, &still, &mut workspace).unwrap();
        assert!(none.reveal_breaking_privacy() == 0.0);
        assert!(objective.evaluate_divergence(&anchor[1..], &v, &mut workspace).is_err());
        assert!(objective.evaluate_divergence(&anchor, &v[1..], &mut workspace).is_err());
    }
}

#[test]
fn bounds_are_monotone_and_say_when_they_do_not_know() {
    let divergence =
        |n, d, anchor, reach| divergence_rounding_bound(&sums(n, d, &Logistic, 0.0), anchor, reach).at(reach);
    let base = divergence(1_000, 10, 1.0, 1.0);
    assert!(base > 0.0 && base < 1e-11, "{base:e}");
    for larger in
        [divergence(1_001, 10, 1.0, 1.0), divergence(1_000, 14, 1.0, 1.0), divergence(1_000, 10, 1.1, 1.0)]
    {
        assert!(larger > base);
    }
    // Linear in the move: a small move has a small error, which a difference of two sums has not.
    assert!(divergence(10_000_000, 10, 1.0, 1e-6) < 1e-13 * 10_000_000.0 * 1e-6);
    assert!(divergence(0, 1, 0.0, 0.0) < 1e-300);
    assert!(divergence(1 << 40, 1_000_000, 1e6, 1e6).is_finite());
    // Far away the divergence grows linearly, and so does its error.
    assert!(divergence(1_000, 10, 1.0, 1e6) < 3e6 * base);
    for unknown in [1e308, f64::INFINITY, f64::NAN] {
        assert!(divergence(10, 10, unknown, 1.0).is_infinite());
        assert!(divergence(10, 10, 1.0, unknown).is_infinite() || unknown.is_nan());
        assert!(divergence_rounding_bound(&sums(10, 10, &Squared, 1.0), 1.0, unknown).linear.is_infinite());
        assert!(value_rounding_bound(&sums(10, 10, &Squared, 1.0), unknown).is_infinite());
    }
    let value = |n, length| value_rounding_bound(&sums(n, 10, &Squared, 1.0), length);
    assert!(
        value(1_000, 1.0) < 1e-10
            && value(1_001, 1.0) > value(1_000, 1.0)
            && value(1_000, 1.1) > value(1_000, 1.0)
    );
    assert!(value(0, 0.0) < 1e-300);
}
