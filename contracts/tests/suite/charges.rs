//! The two bounds on floating point that are derived again, by the formulas of the page `own:certificate` in plain
//! `f64`: one part in 10¹¹ more than them is admissible, one part less is not. What is left out of either side shows.

use crate::build::{Kind, certificate, first, kinds, scale, stages};
use asap_contracts::*;

const U: f64 = f64::EPSILON / 2.0;
const H: f64 = 1.0 + 1.0 / 1024.0;
const PART: f64 = 1e-11;

/// S, s, C, l, q for predictions up to z.
fn facts(problem: &Problem, z: f64) -> (f64, f64, f64, f64, f64) {
    let w = z + problem.target;
    let tiny = 2_f64.powi(-48);
    match problem.loss {
        Loss::Logistic => (1.0, tiny, 0.25, tiny, 0.0),
        Loss::Squared => (w, 2.0 * U * w, 1.0, 0.0, U),
        Loss::Huber { delta } => (w.min(delta), 2.0 * U * w, 1.0, 5.0 * U * w, 2.0 * U),
        Loss::User { .. } => panic!("unknown"),
    }
}

/// n, ρ, Λ, d, p·u and ((n/64 + 129)u)².
fn sums(p: &Problem) -> (f64, f64, f64, f64, f64, f64) {
    let (n, d) = (p.max_rows as f64, p.dimension as f64);
    let carries = (n / 64.0 + 129.0) * U;
    (n, p.row_norm, p.regulariser, d, ((d / 4.0).floor() + 6.0) * U, carries * carries)
}

pub(crate) fn smoothness(p: &Problem) -> f64 {
    p.regulariser + p.max_rows as f64 * facts(p, 0.0).2 * p.row_norm * p.row_norm
}

fn slope(p: &Problem, t: f64) -> f64 {
    p.max_rows as f64 * p.row_norm * facts(p, p.row_norm * t).0 + p.regulariser * t
}

pub(crate) fn gradient(p: &Problem, t: f64) -> f64 {
    let (n, rho, lambda, _, product, carries) = sums(p);
    let z = rho * t * (1.0 + 2_f64.powi(-30));
    let (s, rounding, c, _, _) = facts(p, z);
    H * (n * rho * ((15.0 * U + carries) * (s + rounding) + rounding + product * c * z)
        + 2.0 * U * lambda * t)
}

fn divergences(p: &Problem, x: f64, v: f64) -> [(f64, f64); 2] {
    let (n, rho, lambda, _, product, carries) = sums(p);
    let (s, _, c, l, q) = facts(p, rho * (x + v) * (1.0 + 2_f64.powi(-30)));
    let (linear, sums) = (l + product * c * rho * x, 22.0 * U + carries);
    let regular = H * (product / 2.0 + 2.0 * U) * lambda;
    [(linear, q + (product + sums / 2.0) * c), (linear + 2.0 * (product + sums) * s, q)]
        .map(|(linear, quadratic)| (H * n * rho * linear, H * n * rho * rho * quadratic + regular))
}

fn quantile(a: f64, lambda: f64) -> f64 {
    if a > 0.25 {
        return f64::INFINITY;
    }
    let y = std::f64::consts::FRAC_PI_2.sqrt() * (a + a * a / 2.0 + a * a * a / 5.0);
    (y + y * y * y / 5.0) / lambda.sqrt()
}

fn growing(b: f64, c: f64, far: f64, lambda: f64, radius: f64) -> f64 {
    let (kappa, distance) = (c / lambda, far / lambda.sqrt());
    if kappa > 1.0 / 128.0 {
        return f64::INFINITY;
    }
    let beta = (b + 2.0 * c * distance) / lambda.sqrt();
    let alpha = 2.0 * (b * distance + c * distance * distance)
        + kappa * (2.0 + 4.0 * kappa)
        + std::f64::consts::FRAC_2_PI.sqrt() * beta * (1.0 + 2.0 * kappa)
        + beta * beta / 2.0 * (1.0 + 4.0 * kappa);
    quantile(alpha, lambda).max((b + 4.0 * c * radius) / lambda)
}

fn proximal(p: &Problem, reference: &Reference) -> f64 {
    let (d, gamma, b) = (p.dimension as f64, reference.gamma, reference.radius);
    let (u, s) = (H * U, reference.centre_norm + b);
    let (m, l, g) = (gamma * p.regulariser, gamma * smoothness(p), gamma * slope(p, s));
    let wanted = (d * (l - m)).max(d * (g - m * b).max(0.0) / (2.0 * b)).max(d * d / (b * b));
    let inverse = (wanted - m).max(m / f64::from(1 << 20));
    let (lambda, far, root) = (m + inverse, 4.0 * d.sqrt() + 2.0, d.sqrt());
    let point = u * ((4.0 * d + 34.0) * b + s);
    let step = point
        + 1.5 * (1.0 + 1.0 / root) * u * ((18.0 * d + 294.0) * b + 2.0 * s)
        + 4.0 * u * b
        + (14.0 + 15.0 / root) * (d / 2.0 + 16.0) * u * b
        + growing(4.0 * u * lambda.sqrt(), 4.0 * u * lambda, far, lambda, b);
    let sigma = 8.0 * (d + 8.0) * u * s;
    let once = (1.0 + 1.05 * inverse / m) * step
        + (gamma * gradient(p, s) + 2.0 * U * g) / m
        + sigma
        + quantile(sigma / (b - 2.0 * sigma) * (d + b * g), m);
    let energies = divergences(p, s, 2.0 * b).map(|(linear, quadratic)| {
        let quadratic = gamma * (quadratic + U * smoothness(p)) + (0.5 * d + 4.5) * u * l;
        growing(gamma * linear + l * point, quadratic, far, m, b)
    });
    once + energies[0].min(energies[1])
}

fn exact(p: &Problem, reference: &Reference) -> f64 {
    let (d, gamma, b, centre) =
        (p.dimension as f64, reference.gamma, reference.radius, reference.centre_norm);
    let (t, r) = (centre + 1.375 * b, 2.375 * b);
    let (m, l, g) = (gamma * p.regulariser, gamma * smoothness(p), gamma * slope(p, t));
    let moved = 16.0 * U * r;
    let point = moved + U * (centre + 2.0 * b);
    let slack = point + 2.0 * (d + 8.0) * U * b;
    let j = (d + 1.0).log2().floor();
    let y = (d + 1.0) / j.exp2();
    let ln = j * std::f64::consts::LN_2 + (y * y - 1.0) / (2.0 * y);
    let units = 32.0 * H * l.sqrt() * r * (d.sqrt() + 7.0) + 64.0 + 16.0 * (d + 8.0) * (d + 1.0) * (ln + 4.0);
    let totals = divergences(p, t, r).map(|(linear, quadratic)| {
        let e = gamma * (linear * r + (quadratic + U * smoothness(p)) * r * r)
            + (gamma * gradient(p, t) + 2.0 * U * g) * r
            + g * moved
            + 4.0 * U * g * r
            + U * units;
        quantile(2.0 * e + 2.0 * slack * g + 2.0 * slack * d / (b - 2.0 * slack), m) + 2.0 * slack + point
    });
    totals[0].min(totals[1])
}

/// A certificate of another size whose first clauses hold: the noise is ample, the search is bounded.
fn sized(kind: &Kind, rows: u64, dimension: u64, radius: f64, centre: f64, cold: f64) -> Certificate {
    let mut c = certificate(kind);
    (c.problem.max_rows, c.problem.dimension) = (rows, dimension);
    let zeros = vec![0.0; usize::try_from(dimension).unwrap()];
    c.theta.clone_from(&zeros);
    c.problem.parameter_bound = Some(first(&mut c).0.bound);
    *scale(first(&mut c).1) = 1 << 44;
    let changed = if c.neighbours == Neighbours::ReplaceOne { 2.0 } else { 1.0 };
    let bound = c.problem.row_norm * first(&mut c).0.bound;
    first(&mut c).0.lipschitz = changed * c.problem.row_norm * facts(&c.problem, bound).0 * (1.0 + 1e-9);
    let minimiser = first(&mut c).0;
    (minimiser.tolerance, minimiser.rounding, minimiser.sensitivity) = (1000.0, 500.0, 10_000.0);
    let (near, row) = (facts(&c.problem, c.problem.row_norm * (centre + radius)).0, c.problem.row_norm);
    if let Some(stages) = stages(&mut c) {
        stages.localisation.theta_0 = zeros;
        stages.expected_rows = 1;
        let lipschitz = changed * row * near * (1.0 + 1e-9);
        let gamma = if kind.pure { 0.25 / (2.0 * lipschitz * radius) } else { 2.0 / (lipschitz * lipschitz) };
        stages.reference =
            Reference { centre_norm: centre, radius, lipschitz, gamma: gamma * cold * (1.0 - 1e-9) };
    }
    c
}

fn clause(certificate: &Certificate) -> Option<&'static str> {
    Release::new(certificate.clone()).check().err().map(|failed| failed.clause())
}

#[test]
fn the_charge_is_derived_again() {
    const CLAUSE: &str = "charge covers the rounding of every sampler that may draw";
    let rigorous = |kind: &Kind| {
        matches!(kind.sampler, Some((Sampler::Exact | Sampler::Proximal, Calibration::Tight)))
            && !kind.is_user()
    };
    let (mut edges, mut by_exact, mut by_proximal, mut at_the_largest) = (0, 0, 0, 0);
    // A Huber loss that is squared as far as anything reaches has the slope of the squared one.
    let wide = kinds()
        .into_iter()
        .filter(|kind| matches!(kind.loss, Loss::Huber { .. }))
        .map(|kind| Kind { loss: Loss::Huber { delta: 1e6 }, ..kind });
    for kind in kinds().into_iter().chain(wide).filter(rigorous) {
        // So many rows that also the squares of small numbers are seen.
        for rows in [1, 1000, 3_000_000, 20_000_000_000, 300_000_000_000] {
            for (dimension, radius, centre, cold) in [
                (1, 0.5, 0.25, 1.0),
                (1, 0.5, 200.0, 1e-3),
                // So far away that the shell at the edge is seen, and so small that the ball is not flat.
                (1, 0.5, 1e9, 1e-9),
                (11, 1e-4, 0.25, 1e-6),
                (4, 0.01, 0.25, 1.0),
                (4, 40.0, 3.0, 1e-2),
                (11, 2.0, 0.5, 1.0),
                (64, 30.0, 0.0, 1e-4),
                (512, 9.0, 1.0, 1.0),
                (512, 1e4, 0.25, 1.0),
                (513, 9.0, 1.0, 1.0),
            ] {
                let mut c = sized(&kind, rows, dimension, radius, centre, cold);
                let (problem, asked) = (c.problem.clone(), stages(&mut c).unwrap().clone());
                let (first, second) =
                    (proximal(&problem, &asked.reference), exact(&problem, &asked.reference));
                let tried = asked.sampler == Sampler::Exact && dimension <= 512;
                let needed = if tried { first.max(second) } else { first };
                let factor = if asked.asap.norm == 1 { (dimension as f64).sqrt() } else { 1.0 };
                for (part, refused) in [(1.0 + PART, false), (1.0 - PART, true)] {
                    let charge = if needed.is_finite() { needed } else { 1.0 } * factor * part;
                    let asap = &mut stages(&mut c).unwrap().asap;
                    (asap.charge, asap.error) = (charge, 4.0 * charge * (1.0 + 1e-9));
                    // Where nothing is bounded, nothing is enough.
                    let refused = refused || !needed.is_finite();
                    assert_eq!(
                        clause(&c) == Some(CLAUSE),
                        refused,
                        "{kind:?} {rows} {dimension} {radius}: {:?} for {needed:e}",
                        clause(&c)
                    );
                }
                edges += usize::from(needed.is_finite());
                by_exact += usize::from(tried && second > first && needed.is_finite());
                by_proximal += usize::from(tried && first > second && needed.is_finite());
                at_the_largest += usize::from(second > first && needed.is_finite() && dimension == 512);
            }
        }
    }
    assert!(edges > 300 && by_exact > 10 && by_proximal > 10, "{edges} {by_exact} {by_proximal}");
    // The exact draw is tried up to d = 512, and there, too, it is paid for where it costs more.
    assert!(at_the_largest > 0);
}

#[test]
fn the_rounding_of_the_minimiser_is_derived_again() {
    const CLAUSE: &str = "rounding covers the sums of the largest data set and the updates";
    let mut edges = 0;
    for kind in kinds().into_iter().filter(|kind| !kind.is_user() && kind.sampler.is_none()) {
        for (rows, dimension) in [(1, 1), (4, 4), (1000, 11), (3_000_000, 3), (1_000_000_000, 400)] {
            for bounded in [true, false] {
                let mut c = sized(&kind, rows, dimension, 1.0, 1.0, 1.0);
                if !bounded {
                    c.problem.parameter_bound = None;
                    first(&mut c).0.bound = 1e6;
                    first(&mut c).0.lipschitz = 1e8;
                }
                first(&mut c).0.tolerance = 1.0;
                let (problem, minimiser) = (c.problem.clone(), first(&mut c).0.clone());
                let reach = 3.0 * minimiser.bound + minimiser.tolerance;
                let units = if bounded { 8.0 * (dimension as f64 + 16.0) } else { 8.0 };
                let derived = gradient(&problem, reach) + units * 2.0 * U * reach * smoothness(&problem);
                let needed = (1.0 + 2_f64.powi(-20)) * derived / problem.regulariser;
                for (part, refused) in [(1.0 + PART, false), (1.0 - PART, true)] {
                    first(&mut c).0.rounding = needed * part;
                    first(&mut c).0.tolerance = 1.0;
                    if 2.0 * needed < 1.0 {
                        assert_eq!(clause(&c) == Some(CLAUSE), refused, "{kind:?} {rows}: {:?}", clause(&c));
                        edges += 1;
                    }
                }
            }
        }
    }
    assert!(edges > 60, "{edges}");
}

/// The lattice holds the point and 64 scales of the noise: with one more step of noise it does not.
#[test]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
fn the_lattice_holds_the_noise() {
    for kind in kinds() {
        let mut c = certificate(&kind);
        let bound = first(&mut c).0.bound;
        // (2^53 − r/g)/64 steps; r/g is a whole number.
        let room = (1_u64 << 53) - (bound * 1024.0) as u64;
        let parts = if kind.pure && !kind.euclidean { 3 } else { 1 };
        *scale(first(&mut c).1) = room * parts / 64;
        assert_eq!(clause(&c), None, "{kind:?}");
        *scale(first(&mut c).1) += 1;
        assert_eq!(clause(&c), Some("lattice of the minimiser holds it and 64 scales of noise"), "{kind:?}");
        let mut c = certificate(&kind);
        let Some(stages) = stages(&mut c) else { continue };
        // ‖θ_0‖ + B = 1.0625, which is 4352 steps of 2^−12.
        let room = (1_u64 << 53) - 4352;
        *scale(&mut stages.asap.noise) = room * parts / 64;
        assert_eq!(clause(&c), None, "{kind:?}");
        *scale(&mut crate::build::stages(&mut c).unwrap().asap.noise) += 1;
        assert_eq!(clause(&c), Some("lattice of θ̂ holds the ball and 64 scales of noise"), "{kind:?}");
    }
}

/// Beyond what the pages bound there is no charge that is enough.
#[test]
fn where_nothing_is_bounded_nothing_is_enough() {
    let proximal = |kind: &Kind| {
        kind.sampler == Some((Sampler::Proximal, Calibration::Tight)) && kind.loss == Loss::Logistic
    };
    for kind in kinds().into_iter().filter(proximal) {
        let enough = |radius: f64, centre: f64, gamma: Option<f64>| {
            let mut c = sized(&kind, 1, 4, radius, centre, 1e-3);
            let posterior = stages(&mut c).unwrap();
            posterior.reference.gamma = gamma.unwrap_or(posterior.reference.gamma);
            (posterior.asap.charge, posterior.asap.error) = (1e100, 5e100);
            // Far points need a coarse lattice, and that is looked at first.
            match &mut posterior.asap.noise {
                Noise::DiscreteLaplace { exponent, .. }
                | Noise::RoundedNormal { exponent, .. }
                | Noise::EuclideanLaplace { exponent, .. } => *exponent = 20,
            }
            clause(&c) != Some("charge covers the rounding of every sampler that may draw")
        };
        assert!(enough(1.0, 1.0, None), "{kind:?}");
        // m below 2⁻²⁰⁰, and just above it.
        assert!(!enough(1.0, 1.0, Some(2_f64.powi(-204))) && enough(1.0, 1.0, Some(2_f64.powi(-203))));
        // B and S below 2⁻²⁰⁰; a ball that is smaller than its rounding.
        assert!(!enough(2_f64.powi(-201), 1e-70, None) && !enough(1e-3, 1e15, None));
    }
}
