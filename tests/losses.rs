//! Tries to *violate* the constants that the built-in losses declare.
//!
//! Null hypothesis of each search: the claim holds for every admissible record and parameter. The searches are
//! deterministic. That they can fail is shown by `Understated`, a loss that declares 0.97 of each constant and
//! must be caught by every search.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test may stop"
)]

use asap_dp::data::Bounds;
use asap_dp::loss::{Huber, Logistic, Loss, Squared, Targets};
use asap_dp::noise::{RandomBits, ReplayRng};

const DIMENSION: usize = 3;
type Vector = [f64; DIMENSION];

/// Uniform on [−1, 1].
fn symmetric(rng: &mut ReplayRng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &Vector) -> f64 {
    dot(a, a).sqrt()
}

/// A random direction scaled to `length`; half of the time the first axis, so that extremes are met exactly.
fn vector(rng: &mut ReplayRng, length: f64) -> Vector {
    if rng.next_u64() & 1 == 0 {
        return [if rng.next_u64() & 1 == 0 { length } else { -length }, 0.0, 0.0];
    }
    loop {
        let v = [symmetric(rng), symmetric(rng), symmetric(rng)];
        if (0.1..1.0).contains(&norm(&v)) {
            return v.map(|component| component * (length / norm(&v)));
        }
    }
}

/// An admissible target: an extreme or a random one.
fn target<L: Loss>(rng: &mut ReplayRng, loss: &L, bounds: &Bounds) -> f64 {
    let largest = loss.targets().bound(bounds).unwrap();
    let raw = match rng.next_u64() & 3 {
        0 => largest,
        1 => -largest,
        _ => symmetric(rng) * largest,
    };
    match loss.targets() {
        Targets::Numbers => loss.clip(raw, bounds).unwrap(),
        Targets::Classes => 1.0_f64.copysign(raw),
    }
}

#[derive(Debug, PartialEq)]
enum Violated {
    Lipschitz,
    Smoothness,
    Convexity,
    CurvatureFloor,
    ValueAtZero,
    Derivative,
}

/// Searches records of norm R and parameters in the ball of `radius` around a centre of norm `centre_norm`.
fn search<L: Loss>(loss: &L, bounds: &Bounds, centre_norm: f64, radius: f64) -> Option<Violated> {
    let mut rng = ReplayRng::new(1);
    let lipschitz = loss.lipschitz(bounds, centre_norm, radius).expect("finite on a ball");
    let smoothness = loss.smoothness(bounds).unwrap();
    for _ in 0..40_000 {
        let x = vector(&mut rng, bounds.feature_norm());
        let y = target(&mut rng, loss, bounds);
        let centre = vector(&mut rng, centre_norm);
        let length = radius * symmetric(&mut rng).abs().sqrt();
        let offset = vector(&mut rng, length);
        // The second point is close, so that a quotient of differences is nearly a derivative.
        let step = vector(&mut rng, radius * 1e-4);
        let first: Vector = std::array::from_fn(|i| centre[i] + offset[i]);
        let second: Vector = std::array::from_fn(|i| first[i] - step[i]);
        let (z1, z2) = (dot(&x, &first), dot(&x, &second));
        let (value1, value2) = (loss.value(z1, y), loss.value(z2, y));
        let (slope1, slope2) = (loss.slope(z1, y), loss.slope(z2, y));
        // Rounding of the evaluated values.
        let slack = 1e-15 * (1.0 + value1.abs() + slope1.abs() * (1.0 + z1.abs()));
        let inside = |theta: &Vector| norm(&std::array::from_fn(|i| theta[i] - centre[i])) <= radius;
        if inside(&first)
            && inside(&second)
            && (value1 - value2).abs() > lipschitz * norm(&step) + 10.0 * slack
        {
            return Some(Violated::Lipschitz);
        }
        if (slope1 - slope2).abs() * norm(&x) > smoothness * norm(&step) * (1.0 + 1e-9) + 10.0 * slack {
            return Some(Violated::Smoothness);
        }
        if (slope1 - slope2) * (z1 - z2) < -slack {
            return Some(Violated::Convexity);
        }
        let reach = (z1 - z2).abs() * (1.0 + 3.0 * symmetric(&mut rng).abs());
        if (slope1 - slope2).abs() < loss.curvature_floor(z1, reach, y) * (z1 - z2).abs() - slack {
            return Some(Violated::CurvatureFloor);
        }
        if loss.value(0.0, y) > loss.value_at_zero(bounds) || value1 < 0.0 {
            return Some(Violated::ValueAtZero);
        }
        let predicted = 0.5 * (slope1 + slope2) * (z1 - z2);
        if (value1 - value2 - predicted).abs() > loss.curvature_bound() * (z1 - z2).powi(2) + 10.0 * slack {
            return Some(Violated::Derivative);
        }
    }
    None
}

/// A loss that declares less than the truth (or, for the floor, more).
#[derive(Clone, Copy, PartialEq)]
struct Understated<L> {
    loss: L,
    slope: f64,
    curvature: f64,
    floor: f64,
    zero: f64,
}

impl<L: Loss> Loss for Understated<L> {
    fn name(&self) -> &'static str {
        "understated"
    }
    fn value(&self, z: f64, y: f64) -> f64 {
        self.loss.value(z, y)
    }
    fn slope(&self, z: f64, y: f64) -> f64 {
        self.loss.slope(z, y)
    }
    fn curvature(&self, z: f64, y: f64) -> f64 {
        self.loss.curvature(z, y)
    }
    fn slope_bound(&self, reach: f64, bounds: &Bounds) -> f64 {
        self.slope * self.loss.slope_bound(reach, bounds)
    }
    fn curvature_bound(&self) -> f64 {
        self.curvature * self.loss.curvature_bound()
    }
    fn curvature_floor(&self, z: f64, reach: f64, y: f64) -> f64 {
        self.floor * self.loss.curvature_floor(z, reach, y)
    }
    fn value_at_zero(&self, bounds: &Bounds) -> f64 {
        self.zero * self.loss.value_at_zero(bounds)
    }
    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        self.loss.slope_rounding(reach, bounds)
    }
    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        self.loss.admit(target, bounds)
    }
    fn targets(&self) -> Targets {
        self.loss.targets()
    }
    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        self.loss.clip(target, bounds)
    }
}

/// Centres and radii: at the origin, off it, the origin outside of the ball.
const BALLS: [(f64, f64); 3] = [(0.0, 2.0), (1.0, 2.0), (3.0, 0.5)];

fn check<L: Loss>(loss: L, bounds: &Bounds) {
    let honest = Understated { loss, slope: 1.0, curvature: 1.0, floor: 1.0, zero: 1.0 };
    let caught = |understated: Understated<L>| {
        BALLS.iter().find_map(|&(centre, radius)| search(&understated, bounds, centre, radius))
    };
    assert_eq!(caught(honest), None, "{}", loss.name());
    assert_eq!(caught(Understated { slope: 0.97, ..honest }), Some(Violated::Lipschitz));
    assert_eq!(caught(Understated { curvature: 0.97, ..honest }), Some(Violated::Smoothness));
    assert_eq!(caught(Understated { floor: 1.03, ..honest }), Some(Violated::CurvatureFloor));
    assert_eq!(caught(Understated { zero: 0.97, ..honest }), Some(Violated::ValueAtZero));
}

#[test]
fn logistic_claims_survive_the_search() {
    // Slopes come near their bound 1 only for large negative margins: here up to R·(‖c‖ + r) = 7.
    check(Logistic, &Bounds::new(2.0).unwrap());
}

#[test]
fn squared_claims_survive_the_search() {
    check(Squared, &Bounds::new(1.5).unwrap().with_target(0.7).unwrap());
}

#[test]
fn huber_claims_survive_the_search() {
    let bounds = Bounds::new(1.5).unwrap().with_target(0.7).unwrap();
    check(Huber::new(0.8).unwrap(), &bounds);
    // δ beyond every residual: Huber is the squared loss, and its constant on the ball is the smaller one.
    let wide = Huber::new(1e6).unwrap();
    check(wide, &bounds);
    assert_eq!(wide.lipschitz(&bounds, 1.0, 2.0), Squared.lipschitz(&bounds, 1.0, 2.0));
}

#[test]
fn constants_of_hand_picked_bounds() {
    let close = |computed: Option<f64>, exact: f64| {
        let computed = computed.unwrap();
        assert!(computed >= exact && computed <= exact * (1.0 + 1e-8), "{computed} for {exact}");
    };
    let bounds = Bounds::new(2.0).unwrap().with_target(3.0).unwrap();
    let huber = Huber::new(0.5).unwrap();
    // G = R, β = R²/4; G = R(R(‖c‖ + r) + Y), β = R²; G = Rδ, β = R².
    close(Logistic.lipschitz(&bounds, 1.0, 4.0), 2.0);
    close(Logistic.smoothness(&bounds), 1.0);
    close(Squared.lipschitz(&bounds, 1.0, 4.0), 26.0);
    close(Squared.smoothness(&bounds), 4.0);
    close(huber.lipschitz(&bounds, 1.0, 4.0), 1.0);
    close(huber.smoothness(&bounds), 4.0);
    // The squared loss is not Lipschitz on the whole space, the others are.
    assert_eq!(Squared.lipschitz(&bounds, 0.0, f64::INFINITY), None);
    close(Logistic.lipschitz(&bounds, 0.0, f64::INFINITY), 2.0);
    close(huber.lipschitz(&bounds, 0.0, f64::INFINITY), 1.0);
}

/// σ(z) with 20 digits, computed with mpmath at 50 digits.
#[allow(clippy::excessive_precision, clippy::unreadable_literal)]
const SIGMOID: [(f64, f64); 15] = [
    (-745.0, 2.8223507304719370764e-324),
    (-40.0, 4.2483542552915889773e-18),
    (-20.5, 1.2501528648238604416e-9),
    (-3.25, 0.037326887344129460198),
    (-1.0, 0.26894142136999512075),
    (-0.001, 0.49975000002083333125),
    (0.0, 0.5),
    (1e-9, 0.50000000025),
    (0.4375, 0.60766316983289162454),
    (1.0, 0.73105857863000487925),
    (2.75, 0.93991334982599237798),
    (17.0, 0.99999995860062452606),
    (36.5, 0.99999999999999985931),
    (50.0, 1.0),
    (700.0, 1.0),
];

#[test]
fn computed_slopes_are_as_close_as_claimed() {
    let bounds = Bounds::new(1.0).unwrap();
    for (z, exact) in SIGMOID {
        let claim = Logistic.slope_rounding(z.abs(), &bounds);
        let mut block = [z; 9];
        Logistic.values_and_slopes(&mut block, &[-1.0; 9]);
        assert!(block.iter().all(|slope| (slope - exact).abs() <= claim), "{z}");
        assert!((Logistic.slope(z, -1.0) - exact).abs() <= claim, "{z}");
        assert!((Logistic.slope(-z, 1.0) + exact).abs() <= claim, "{z}");
    }
}

#[test]
fn admissible_targets() {
    let bounds = Bounds::new(1.0).unwrap().with_target(2.0).unwrap();
    let labels = [-1.0, 0.0, -0.0, 1.0].map(|y| Logistic.admit(y, &bounds));
    assert_eq!(labels, [Some(-1.0), Some(-1.0), Some(-1.0), Some(1.0)]);
    assert_eq!([0.5, -2.0, f64::NAN].map(|y| Logistic.admit(y, &bounds)), [None; 3]);
    // What is no class is not nearly one: nothing is clipped to a class.
    assert_eq!([0.5, 2.0, -2.0, 3.0].map(|y| Logistic.clip(y, &bounds)), [None; 4]);
    assert_eq!([1.0, 0.0, -1.0].map(|y| Logistic.clip(y, &bounds)), [Some(1.0), Some(-1.0), Some(-1.0)]);
    assert_eq!([2.0, -2.0].map(|y| Squared.admit(y, &bounds)), [Some(2.0), Some(-2.0)]);
    assert_eq!([2.0_f64.next_up(), f64::NAN].map(|y| Squared.admit(y, &bounds)), [None; 2]);
    assert_eq!([5.0, -5.0, 1.5].map(|y| Squared.clip(y, &bounds)), [Some(2.0), Some(-2.0), Some(1.5)]);
    // Without a promise about targets no number is admissible.
    let silent = Bounds::new(1.0).unwrap();
    assert_eq!((Squared.admit(0.5, &silent), Squared.clip(0.5, &silent)), (None, None));
    assert!(Huber::new(0.0).is_err() && Huber::new(f64::NAN).is_err());
}

/// Whether no slope of a target has the sign of another one's of the same target.
fn keeps_sign<L: Loss>(loss: L, bounds: &Bounds) -> bool {
    let mut rng = ReplayRng::new(31);
    (0..500).all(|_| {
        let y = target(&mut rng, &loss, bounds);
        let slopes: Vec<f64> = (-400..=400).map(|k| loss.slope(0.25 * f64::from(k), y)).collect();
        slopes.iter().all(|slope| *slope <= 0.0) || slopes.iter().all(|slope| *slope >= 0.0)
    })
}

#[test]
fn a_slope_that_is_said_to_keep_its_sign_does() {
    let bounds = Bounds::new(1.0).unwrap().with_target(2.0).unwrap();
    assert!(Logistic.slope_keeps_sign() && keeps_sign(Logistic, &bounds));
    // Those that must not say so, and do not.
    assert!(!Squared.slope_keeps_sign() && !keeps_sign(Squared, &bounds));
    let huber = Huber::new(0.5).unwrap();
    assert!(!huber.slope_keeps_sign() && !keeps_sign(huber, &bounds));
}
