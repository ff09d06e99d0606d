//! What is wrong in the paper, shown by numbers. `spec/errata.md` has the arguments.
#![allow(clippy::unwrap_used)]

use asap_dp::calibrate::{
    Paper, PublicProblem, asap_l1, gaussian_temperature, laplace_scale, minimiser_sensitivity,
};
use asap_dp::data::Bounds;
use asap_dp::loss::{Logistic, Loss, Squared};
use asap_dp::privacy::{Epsilon, Mu, Parameter};

fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / 2f64.sqrt())
}

/// T steps with noise of deviation σ and sensitivity G = 1 are T mechanisms, each 1/σ-GDP. All numbers are exact.
#[test]
fn noisy_gradient_descent_needs_twice_the_variance() {
    let total = Mu::new(1.0).unwrap();
    let steps = |deviation: f64, count: usize| vec![Mu::new(1.0 / deviation).unwrap(); count];
    // σ² = T/2 as printed, T = 8: σ = 2.
    let printed = steps(2.0, 8);
    assert!(!total.covers(&printed));
    let spent = Mu::compose(&printed).unwrap().get();
    assert!((spent - 2f64.sqrt()).abs() < 1e-12, "{spent}");
    // σ² = T, T = 16: σ = 4. The total is used up exactly.
    assert!(total.covers(&steps(4.0, 16)));
}

/// The accuracy proof has scale Δ/ε. Neighbours' samples can be 2Δ apart, which that noise does not cover.
#[test]
fn the_noise_of_asap_is_twice_that_of_the_accuracy_proof() {
    let (error, epsilon) = (0.25, Epsilon::new(0.5).unwrap());
    let sensitivity = asap_l1(error, 3, 2f64.powi(-60)).unwrap();
    let scale = laplace_scale(epsilon, sensitivity).unwrap();
    let printed = error / epsilon.get();
    assert!(scale >= 2.0 * printed && scale <= 2.000_001 * printed);
    assert!(2.0 * error / printed > 1.9 * epsilon.get());
}

/// On the line with |x| ≤ 1 the squared loss is 1-strongly convex, and its slope exceeds every constant. A loss that is
/// Lipschitz everywhere is not strongly convex: its curvature vanishes far out.
#[test]
fn a_strongly_convex_loss_has_no_lipschitz_constant() {
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
    for radius in [1.0, 1e3, 1e9] {
        let slope = Squared.slope(radius, 0.0);
        assert!(slope >= radius && Squared.lipschitz(&bounds, 0.0, radius).unwrap() >= slope);
        assert!(Logistic.lipschitz(&bounds, 0.0, radius).unwrap() < 1.001);
    }
    assert!(Logistic.curvature(50.0, 1.0) < 1e-20);
}

/// A standard normal law in a narrow cone: mode 0, mean at least cos(angle)·E(radius) away; the radius has
/// density ∝ r^(d−1)e^(−r²/2).
#[test]
fn mean_and_mode_can_be_farther_apart_than_the_paper_says() {
    let moment = |power: i32| -> f64 {
        let step = 1e-3;
        (1..20_000).map(|k| f64::from(k) * step).map(|r| r.powi(power) * (-0.5 * r * r).exp() * step).sum()
    };
    let cosine = 0.99;
    for dimension in [4, 11, 100] {
        let radius = moment(dimension) / moment(dimension - 1);
        assert!(cosine * radius > 3f64.sqrt(), "d = {dimension}: {radius}");
        // The corrected bound √(d/m) holds and is nearly reached.
        let bound = f64::from(dimension).sqrt();
        assert!(radius <= bound && radius >= 0.93 * bound);
    }
}

/// In units of the noise's scale ‖Z‖_1 is a Γ(d, 1) variable: mean d, variance d. The event is that
/// it is at most √d·ln(d/ρ).
#[test]
fn the_localisation_event_in_the_one_norm_nearly_never_happens() {
    let (dimension, condition): (f64, f64) = (1000.0, 10.0);
    let rho = 1.0 / (dimension * condition);
    let bound = dimension.sqrt() * (dimension / rho).ln();
    // Chebyshev.
    let chance = dimension / (dimension - bound).powi(2);
    assert!(bound < dimension && chance < 0.005, "{chance}");
    assert!(1.0 - rho > 0.999);
}

/// E(X | X > 1) for shapes ½ and 1, scale 1, from Γ(½, 1) = √π·erfc(1) and Γ(k+1, t) = kΓ(k, t) + t^k·e^(−t).
#[test]
fn the_gamma_bound_fails_below_shape_one() {
    let incomplete = core::f64::consts::PI.sqrt() * libm::erfc(1.0);
    let half = (0.5 * incomplete + (-1f64).exp()) / incomplete;
    assert!(half > 0.5 + 1.0 + 0.3, "{half}");
    let one = ((-1f64).exp() + (-1f64).exp()) / (-1f64).exp();
    assert!(one <= 1.0 + 1.0 + 1e-15);
}

/// B − 8√(2dGB/(εαn)) ≥ 2d(G+τα)ln(d/ρ)/(nαε) + τ/n for the printed B and for the smaller a² + 2c; not for c alone.
#[test]
fn the_radius_satisfies_the_inequality_it_comes_from() {
    let values = [0.01, 1.0, 100.0];
    for (d, rho) in [(1.0, 0.5), (11.0, 0.01), (1000.0, 1e-9)] {
        for g in values {
            for epsilon in values {
                for (alpha, n, tau) in [(0.1, 100.0, 0.0), (10.0, 1e6, 0.3), (1.0, 10.0, 50.0)] {
                    let log = f64::ln(d / rho);
                    let lambda = alpha * n;
                    let a = 8.0 * f64::sqrt(2.0 * d * g / (epsilon * lambda));
                    let c = 2.0 * d * (g + tau * alpha) * log / (lambda * epsilon) + tau / n;
                    let printed = 8.0 * (32.0 * d * g + (alpha * tau + g) * d * log + tau * epsilon * alpha)
                        / (lambda * epsilon);
                    let holds = |b: f64| b - a * b.sqrt() >= c * (1.0 - 1e-12);
                    assert!(holds(printed) && holds(a * a + 2.0 * c) && !holds(c));
                    assert!(a * a + 2.0 * c <= printed);
                }
            }
        }
    }
}

/// d = κ = 1, so ρ = 1 and ln(d/ρ) = 0: a ball of radius 0. We refuse.
#[test]
fn the_printed_radius_can_be_zero() {
    let epsilon = Epsilon::new(1.0).unwrap();
    let mut problem =
        PublicProblem { dimension: 1, rows: 100, condition: 1.0, regulariser: 1.0, lipschitz: 1.0 };
    assert!(Paper::default().pure_localisation(&problem, epsilon).is_err());
    problem.condition = 2.0;
    assert!(Paper::default().pure_localisation(&problem, epsilon).is_ok());
}

/// The curve (Φ(−t), Φ(t−μ)): chords grow steeper in one direction only, and the curve lies below
/// the two lines of pure DP.
#[test]
fn trade_off_functions_are_convex() {
    for epsilon in [0.1, 1.0, 3.0] {
        let mu = Mu::from_epsilon(Epsilon::new(epsilon).unwrap()).unwrap().get();
        // By increasing type I error.
        let curve: Vec<_> = (-300..=300)
            .map(|k| f64::from(-k) * 0.02)
            .map(|t| (normal_cdf(-t), normal_cdf(t - mu)))
            .collect();
        let slopes: Vec<_> = curve.windows(2).map(|w| (w[1].1 - w[0].1) / (w[1].0 - w[0].0)).collect();
        assert!(slopes[1..].iter().zip(&slopes).filter(|(later, earlier)| later > earlier).count() > 500);
        let middle = &slopes[150..450];
        assert!(middle.windows(2).all(|w| w[1] > w[0]), "convex, not concave");
        for (x, y) in curve {
            let pure = (1.0 - epsilon.exp() * x).max((-epsilon).exp() * (1.0 - x)).max(0.0);
            assert!(y <= pure + 1e-12);
        }
    }
}

/// s = (μ₁w + μ₂z)/|μ|, t = (μ₁w − μ₂z)/|μ| as printed, and the rotation that is meant.
#[test]
fn the_printed_change_of_variables_is_no_rotation() {
    let (mu_1, mu_2) = (0.6, 0.8);
    let printed = [[mu_1, mu_2], [mu_1, -mu_2]];
    let meant = [[mu_1, mu_2], [-mu_2, mu_1]];
    let determinant = |m: [[f64; 2]; 2]| (m[0][0] * m[1][1] - m[0][1] * m[1][0]).abs();
    let product = |m: [[f64; 2]; 2]| m[0][0] * m[1][0] + m[0][1] * m[1][1];
    assert!((determinant(meant) - 1.0).abs() < 1e-15 && product(meant).abs() < 1e-15);
    assert!((determinant(printed) - 2.0 * mu_1 * mu_2).abs() < 1e-15);
    assert!(product(printed).abs() > 0.2);
}

/// All pairs of laws with weights k/8 on three points; Θ is the first two.
#[test]
fn conditioning_costs_the_inverse_mass_and_not_four_times() {
    let mut laws = Vec::new();
    for i in 0..=8_i32 {
        for j in 0..=8 - i {
            laws.push([i, j, 8 - i - j].map(|k| f64::from(k) / 8.0));
        }
    }
    let distance = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(x, y)| (x - y).abs()).sum::<f64>() / 2.0;
    let mut tightest: f64 = 0.0;
    for p in &laws {
        for q in &laws {
            let (a, b) = (p[0] + p[1], q[0] + q[1]);
            if a > 0.0 && b > 0.0 && distance(p, q) > 0.0 {
                let conditional = distance(&[p[0] / a, p[1] / a], &[q[0] / b, q[1] / b]);
                let bound = distance(p, q) / a.max(b);
                assert!(conditional <= bound + 1e-12);
                // The paper's 4·TV, where it applies, is never smaller.
                assert!(b < 0.5 || bound <= 2.0 * distance(p, q));
                tightest = tightest.max(conditional / bound);
            }
        }
    }
    assert!(tightest > 1.0 - 1e-12, "{tightest}");
}

/// (Λ/2)θ² with and without Gθ: two normal laws of variance 1/(γΛ), G/Λ apart. So γ = μ²Λ/G² is exactly what μ allows,
/// for a regulariser with ½; the difference of their means is that of the minimisers.
#[test]
fn the_posterior_of_a_quadratic_reaches_the_gaussian_bound() {
    for (mu, g, lambda) in [(1.0, 2.0, 5.0), (0.1, 300.0, 1e-3)] {
        let gamma = gaussian_temperature(Mu::new(mu).unwrap(), g, lambda).unwrap();
        let shift = minimiser_sensitivity(g, lambda, 1e-300).unwrap();
        let distance = shift * (gamma * lambda).sqrt();
        assert!((distance / mu - 1.0).abs() < 1e-12, "{distance}");
    }
}

/// A grid in the plane: Θ = B(c, 1), ±a in Θ.
#[test]
fn half_of_a_ball_between_two_points_of_a_ball_is_inside() {
    let steps = 200_i32;
    for (c, length, angle) in [(0.0, 1.0, 0.0), (0.6, 0.8, 90.0), (0.5, 0.5, 0.0), (0.3, 0.4, 40.0_f64)] {
        let (sine, cosine) = angle.to_radians().sin_cos();
        let inside = |x: f64, y: f64| (x - c).hypot(y) <= 1.0 + 1e-12;
        assert!(inside(length * cosine, length * sine) && inside(-length * cosine, -length * sine));
        let (mut all, mut kept) = (0, 0);
        for i in -steps..=steps {
            for j in -steps..=steps {
                let (x, y) =
                    (length * f64::from(i) / f64::from(steps), length * f64::from(j) / f64::from(steps));
                if x.hypot(y) <= length {
                    all += 1;
                    kept += i32::from(inside(x, y));
                }
            }
        }
        assert!(2 * kept >= all, "{kept} of {all}");
    }
}
