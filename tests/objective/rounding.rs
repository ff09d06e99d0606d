//! The rounding error of the gradient against its bound, on data made to be wrong.

use crate::double_double::Wide;
use crate::{Data, Numbers, evaluate, norm, sums};
use asap_dp::data::Bounds;
use asap_dp::loss::{Huber, Logistic, Loss, Squared};
use asap_dp::objective::{SumOf, gradient_rounding_bound};

const REGULARISER: f64 = 3.3;

/// φ′ with 30 digits.
type Slope = fn(Wide, f64) -> Wide;

fn logistic(z: Wide, y: f64) -> Wide {
    let y = Wide::from(y);
    -(y * (-(y * z)).sigmoid())
}

fn squared(z: Wide, y: f64) -> Wide {
    z + Wide::from(-y)
}

const HUBER_DELTA: f64 = 0.75;

fn huber(z: Wide, y: f64) -> Wide {
    let residual = squared(z, y);
    let delta = Wide::from(HUBER_DELTA);
    if (residual + -delta).is_positive() {
        delta
    } else if (-residual + -delta).is_positive() {
        -delta
    } else {
        residual
    }
}

/// ∇J(θ) with 30 digits.
fn exact_gradient(data: &Data, slope: Slope, theta: &[f64]) -> Vec<Wide> {
    let mut gradient: Vec<Wide> = theta.iter().map(|&t| Wide::from(REGULARISER) * Wide::from(t)).collect();
    for (x, y) in data.rows() {
        let z = x.iter().zip(theta).fold(Wide::from(0.0), |z, (&x, &t)| z + Wide::from(x) * Wide::from(t));
        let s = slope(z, y);
        for (g, &x) in gradient.iter_mut().zip(x) {
            *g = *g + s * Wide::from(x);
        }
    }
    gradient
}

/// `‖ĝ − ∇J(θ)‖` divided by its bound.
fn ratio<L: Loss>(data: &Data, loss: L, slope: Slope, theta: &[f64]) -> f64 {
    let records = data.records(loss);
    let objective = crate::objective(&records, REGULARISER);
    let (_, computed) = evaluate(&objective, theta);
    let exact = exact_gradient(data, slope, theta);
    let error: Vec<f64> = computed.iter().zip(exact).map(|(&a, b)| (Wide::from(a) + -b).to_f64()).collect();
    let length = norm(theta) * (1.0 + 1e-12);
    let n = data.targets.len() as u64;
    norm(&error) / gradient_rounding_bound(&sums(n, data.dimension, &loss, REGULARISER), length)
}

/// Equal errors that add up, sums that cancel, terms of very different size.
pub(crate) fn hostile(rows: usize, dimension: usize, seed: u64) -> Vec<(&'static str, Data)> {
    let mut numbers = Numbers(seed);
    let base = numbers.vector(dimension);
    let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let make = |x: &dyn Fn(usize, usize) -> f64, y: &dyn Fn(usize) -> f64| {
        let features = (0..rows * dimension).map(|k| x(k / dimension, k % dimension)).collect();
        Data::new(dimension, features, (0..rows).map(y).collect())
    };
    vec![
        ("all equal", make(&|_, j| base[j], &|_| 1.0)),
        ("alternating rows", make(&|i, j| sign(i) * base[j], &|_| 1.0)),
        ("alternating targets", make(&|_, j| base[j], &|i| sign(i))),
        ("all cancel in the end", make(&|i, j| sign(usize::from(i < rows / 2)) * base[j], &|_| -1.0)),
        (
            "sixty octaves",
            make(&|i, j| sign(i / 7) * base[j] * (-((i % 60) as f64)).exp2(), &|i| sign(i / 3)),
        ),
        ("one large, many tiny", make(&|i, j| base[j] * if i == 0 { 1.0 } else { 1e-15 }, &|_| 1.0)),
        ("random", Data::random(rows, dimension, seed).with_signs()),
    ]
}

/// The worst ratio over the points 0, along the rows, far along them, and a random one.
fn worst<L: Loss>(rows: usize, dimension: usize, loss: L, slope: Slope) -> f64 {
    let mut worst = 0.0_f64;
    for (name, data) in hostile(rows, dimension, 31) {
        let along = &data.features[..dimension];
        let random = Numbers(37).vector(dimension);
        for scale in [0.0, 0.9, 40.0] {
            for direction in [along, &random] {
                let theta: Vec<f64> = direction.iter().map(|x| scale * x).collect();
                let ratio = ratio(&data, loss, slope, &theta);
                assert!(ratio <= 1.0, "{} on {name}, {scale}: {ratio} times the bound", loss.name());
                worst = worst.max(ratio);
            }
        }
    }
    println!("{} {rows} × {dimension}: the error reaches {worst:.4} of its bound", loss.name());
    worst
}

/// Too loose a bound would pass as well, so it has to be within a factor of what happens.
#[test]
fn error_stays_below_its_bound_and_comes_near() {
    for (rows, dimension) in [(1, 1), (70, 3), (3_000, 5), (500, 90), (60, 90)] {
        worst(rows, dimension, Logistic, logistic);
        worst(rows, dimension, Squared, squared);
        worst(rows, dimension, Huber::new(HUBER_DELTA).unwrap(), huber);
    }
    assert!(worst(20_000, 3, Logistic, logistic) >= 1.0 / 300.0);
    assert!(worst(20_000, 3, Squared, squared) >= 1.0 / 30.0);
}

#[test]
fn error_stays_below_its_bound_on_many_rows() {
    let data = |name: &str| hostile(200_000, 2, 41).into_iter().find(|(n, _)| *n == name).unwrap().1;
    for name in ["all equal", "alternating rows", "one large, many tiny"] {
        let data = data(name);
        let theta = [0.37, -1.21];
        let ratios = [ratio(&data, Logistic, logistic, &theta), ratio(&data, Squared, squared, &theta)];
        println!("200000 rows, {name}: {ratios:.4?} of the bound");
        assert!(ratios.iter().all(|r| *r <= 1.0));
    }
}

#[test]
fn bound_is_monotone_and_says_when_it_does_not_know() {
    let of = |n, d, length, regulariser| gradient_rounding_bound(&sums(n, d, &Squared, regulariser), length);
    let base = of(1_000, 10, 1.0, 1.0);
    assert!(base > 0.0 && base < 1e-11, "{base:e}");
    for larger in [of(1_001, 10, 1.0, 1.0), of(1_000, 14, 1.0, 1.0), of(1_000, 10, 1.1, 1.0)] {
        assert!(larger > base);
    }
    assert!(of(1_000, 10, 1.0, 1e9) > base);
    assert!(of(0, 1, 0.0, 1.0) < 1e-300);
    assert!(of(1 << 40, 1_000_000, 1e6, 1e6).is_finite());
    assert!(of(10, 10, 1e308, 1.0).is_infinite());
    assert!(of(10, 10, f64::INFINITY, 1.0).is_infinite());
    assert!(of(10, 10, f64::NAN, 1.0).is_infinite());
    let huge = Bounds::new(1e150).unwrap().with_target(1.0).unwrap();
    assert!(
        gradient_rounding_bound(&SumOf { bounds: &huge, ..sums(1 << 40, 1, &Squared, 1.0) }, 1.0)
            .is_infinite()
    );
}
