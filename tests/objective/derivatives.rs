//! Value, gradient and Hessian against the definition and against finite differences.

use crate::{Data, Numbers, dot, evaluate, norm};
use asap_dp::loss::{Huber, Logistic, Loss, Squared};
use asap_dp::problem::Problem;

const REGULARISER: f64 = 0.7;

/// Shapes around every size at which the code changes its ways: group 8, strip, block 64, chunk 256, stripe 64.
const SHAPES: [(usize, usize); 18] = [
    (1, 1),
    (1, 9),
    (2, 3),
    (7, 2),
    (8, 4),
    (9, 5),
    (63, 1),
    (64, 11),
    (65, 50),
    (255, 3),
    (256, 8),
    (257, 7),
    (1_000, 64),
    (1_003, 65),
    (500, 130),
    (16_641, 3),
    (20_011, 13),
    (3, 3_000),
];

#[test]
fn value_and_gradient_are_the_sums_of_the_definition() {
    let mut numbers = Numbers(5);
    for (rows, dimension) in SHAPES {
        let data = Data::random(rows, dimension, 7).with_signs();
        let theta = numbers.vector(dimension);
        definition(&data, Logistic, &theta);
        definition(&data, Squared, &theta);
        definition(&data, Huber::new(0.4).unwrap(), &theta);
    }
}

fn definition<L: Loss>(data: &Data, loss: L, theta: &[f64]) {
    let shape = (data.targets.len(), data.dimension, loss.name());
    let mut value = 0.5 * REGULARISER * dot(theta, theta);
    let mut gradient: Vec<f64> = theta.iter().map(|t| REGULARISER * t).collect();
    for (x, y) in data.rows() {
        let z = dot(x, theta);
        value += loss.value(z, y);
        for (g, x) in gradient.iter_mut().zip(x) {
            *g += loss.slope(z, y) * x;
        }
    }
    let records = data.records(loss);
    let objective = crate::objective(&records, REGULARISER);
    let (computed, computed_gradient) = evaluate(&objective, theta);
    assert!((computed - value).abs() <= 1e-12 * value, "{shape:?}: {computed} is not {value}");
    let scale = data.targets.len() as f64 + norm(theta);
    for (a, b) in computed_gradient.iter().zip(&gradient) {
        assert!((a - b).abs() <= 1e-13 * scale, "{shape:?}: {a} is not {b}");
    }
    let mut workspace = objective.workspace();
    let alone = objective.evaluate_value(theta, &mut workspace).unwrap().reveal_breaking_privacy();
    assert_eq!(alone.to_bits(), computed.to_bits(), "{shape:?}");
}

/// `(J(θ + hv) − J(θ − hv))/2h = ⟨∇J(θ), v⟩ + O(h²)`; the third derivative of a loss is at most 1 here.
fn directional<L: Loss>(data: &Data, loss: L, numbers: &mut Numbers) {
    const STEP: f64 = 1e-4;
    let records = data.records(loss);
    let objective = crate::objective(&records, REGULARISER);
    for _ in 0..5 {
        let (theta, v) = (numbers.vector(data.dimension), numbers.vector(data.dimension));
        let moved = |h: f64| theta.iter().zip(&v).map(|(t, v)| t + h * v).collect::<Vec<_>>();
        let difference = evaluate(&objective, &moved(STEP)).0 - evaluate(&objective, &moved(-STEP)).0;
        let (difference, exact) = (difference / (2.0 * STEP), dot(&evaluate(&objective, &theta).1, &v));
        let scale = data.targets.len() as f64 * norm(&v).powi(2) + 1.0;
        assert!((difference - exact).abs() <= 1e-7 * scale, "{difference} is not {exact}");
    }
}

#[test]
fn gradient_is_the_derivative_of_the_value() {
    let mut numbers = Numbers(11);
    for (rows, dimension) in [(1, 1), (40, 3), (300, 12), (2_000, 70)] {
        let data = Data::random(rows, dimension, 13).with_signs();
        directional(&data, Logistic, &mut numbers);
        directional(&data, Squared, &mut numbers);
        directional(&data, Huber::new(0.4).unwrap(), &mut numbers);
    }
}

/// `(∇J(θ + hv) − ∇J(θ − hv))/2h = ∇²J(θ)v + O(h²)`, where no residual crosses a kink within h.
fn second<L: Loss>(data: &Data, loss: L, numbers: &mut Numbers) {
    const STEP: f64 = 1e-5;
    let records = data.records(loss);
    let objective = crate::objective(&records, REGULARISER);
    let (theta, v) = (numbers.vector(data.dimension), numbers.vector(data.dimension));
    let moved = |h: f64| theta.iter().zip(&v).map(|(t, v)| t + h * v).collect::<Vec<_>>();
    let (after, before) = (evaluate(&objective, &moved(STEP)).1, evaluate(&objective, &moved(-STEP)).1);
    let hessian = objective.evaluate_hessian(&theta).unwrap().reveal_breaking_privacy();
    assert_eq!(hessian, hessian.transpose());
    let scale = data.targets.len() as f64 + 1.0;
    for j in 0..data.dimension {
        let difference = (after[j] - before[j]) / (2.0 * STEP);
        let exact: f64 = hessian.row(j).iter().zip(&v).map(|(h, v)| h * v).sum();
        assert!((difference - exact).abs() <= 1e-8 * scale, "row {j}: {difference} is not {exact}");
    }
}

#[test]
fn hessian_is_the_derivative_of_the_gradient() {
    let mut numbers = Numbers(17);
    for (rows, dimension) in [(1, 1), (9, 2), (100, 5), (700, 64), (300, 65), (1_000, 150)] {
        let data = Data::random(rows, dimension, 19).with_signs();
        second(&data, Logistic, &mut numbers);
        second(&data, Squared, &mut numbers);
        second(&data, Huber::new(0.9).unwrap(), &mut numbers);
    }
}

#[test]
fn arguments_are_checked() {
    let data = Data::random(10, 3, 1);
    let records = data.records(Squared);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Problem::new(Squared, crate::bounds(), 3, bad).unwrap_err().field, "regulariser");
    }
    let objective = crate::objective(&records, 1.0);
    let mut workspace = objective.workspace();
    for theta in [&[][..], &[1.0; 2], &[1.0; 4]] {
        assert_eq!(
            objective.evaluate(theta, &mut workspace).err().unwrap().to_string().split(' ').next(),
            Some("theta")
        );
        assert_eq!(
            objective.evaluate_value(theta, &mut workspace).err().unwrap().to_string().split(' ').next(),
            Some("theta")
        );
        assert_eq!(
            objective.evaluate_hessian(theta).err().unwrap().to_string().split(' ').next(),
            Some("theta")
        );
    }
}

fn not_a_number<L: Loss>(data: &Data, loss: L) {
    let records = data.records(loss);
    let objective = crate::objective(&records, 1.0);
    let (value, gradient) = evaluate(&objective, &[0.1, f64::NAN, 0.1]);
    assert!(value.is_nan() && gradient.iter().all(|g| g.is_nan()));
}

#[test]
fn a_point_that_is_not_a_number_has_no_value() {
    let data = Data::random(100, 3, 1).with_signs();
    not_a_number(&data, Logistic);
    not_a_number(&data, Squared);
    not_a_number(&data, Huber::new(1.0).unwrap());
}
