//! The minimiser is within τ of the exact one, on friendly and on hostile data.
//!
//! The certificate ‖∇J(θ)‖ ≤ Λτ is checked with a gradient that this file computes itself, row by row with
//! compensated sums, not with the library's pass.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test may stop"
)]

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::loss::{Huber, Logistic, Loss, Squared};
use asap_dp::noise::{RandomBits, ReplayRng};
use asap_dp::optimise::Minimiser;
use asap_dp::problem::Problem;

/// Uniform on [−1, 1].
fn symmetric(rng: &mut ReplayRng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|a| a * a).sum::<f64>().sqrt()
}

/// One problem: rows, targets and what is public about them.
struct Instance<L> {
    features: Vec<f64>,
    targets: Vec<f64>,
    public: Problem<L>,
}

impl<L: Loss> Instance<L> {
    fn new(loss: L, rows: &[Vec<f64>], targets: &[f64], d: usize, regulariser: f64) -> Self {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(100_000).unwrap();
        let public = Problem::new(loss, bounds, d, regulariser).unwrap();
        Self { features: rows.concat(), targets: targets.to_vec(), public }
    }

    #[allow(clippy::needless_pass_by_value, reason = "made where it is used")]
    fn solve(&self, minimiser: Minimiser<L>) -> Vec<f64> {
        let (d, policy) = (self.public.dimension(), OutOfBounds::Refuse);
        let (loss, bounds) = (*self.public.loss(), self.public.bounds().clone());
        let records =
            Records::with_dimension(loss, bounds, policy, d, self.features.clone(), self.targets.clone())
                .unwrap();
        let objective = self.public.bind(&records).unwrap();
        minimiser.run(&objective).unwrap().reveal_breaking_privacy()
    }

    /// ∇J(θ), independently.
    fn gradient(&self, theta: &[f64]) -> Vec<f64> {
        let d = theta.len();
        let mut sums = vec![(0.0_f64, 0.0_f64); d];
        let mut add = |j: usize, term: f64| {
            let (sum, correction): (f64, f64) = sums[j];
            let total = sum + term;
            let lost = if sum.abs() >= term.abs() { (sum - total) + term } else { (term - total) + sum };
            sums[j] = (total, correction + lost);
        };
        for (x, &raw) in self.features.chunks(d).zip(&self.targets) {
            let z: f64 = x.iter().zip(theta).map(|(a, b)| a * b).sum();
            let y = self.public.loss().clip(raw, self.public.bounds()).unwrap();
            let slope = self.public.loss().slope(z, y);
            x.iter().enumerate().for_each(|(j, a)| add(j, slope * a));
        }
        theta.iter().enumerate().for_each(|(j, t)| add(j, self.public.regulariser() * t));
        sums.into_iter().map(|(sum, correction)| sum + correction).collect()
    }

    /// Solves with the default tolerance and checks the certificate.
    fn check(&self) -> Vec<f64> {
        let minimiser = Minimiser::new(&self.public).unwrap();
        let theta = self.solve(minimiser.clone());
        let allowed = self.public.regulariser() * minimiser.tolerance();
        let residual = norm(&self.gradient(&theta));
        assert!(residual <= allowed, "residual {residual:e}, allowed {allowed:e}");
        theta
    }
}

/// `n` rows of norm at most 1 with labels from a noisy direction.
fn cloud(n: usize, d: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut rng = ReplayRng::new(seed);
    let scale = 1.0 / (d as f64).sqrt();
    let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| scale * symmetric(&mut rng)).collect()).collect();
    let labels =
        rows.iter().map(|x| if x[0] + 0.3 * symmetric(&mut rng) > 0.0 { 1.0 } else { -1.0 }).collect();
    (rows, labels)
}

fn check_all_losses(rows: &[Vec<f64>], labels: &[f64], d: usize, regulariser: f64) {
    Instance::new(Logistic, rows, labels, d, regulariser).check();
    Instance::new(Squared, rows, labels, d, regulariser).check();
    Instance::new(Huber::new(0.3).unwrap(), rows, labels, d, regulariser).check();
}

/// Some blocks of rows are taken first for a good start. Here those say the opposite of the others: no harm done.
#[test]
fn a_sample_that_misleads_does_no_harm() {
    let mut rng = ReplayRng::new(12);
    for every in [64, 8] {
        let mut row = || vec![0.7 * symmetric(&mut rng), 0.7 * symmetric(&mut rng)];
        let rows: Vec<Vec<f64>> = (0..4096).map(|_| row()).collect();
        let sign = |k: usize| if (k / 64).is_multiple_of(every) { -1.0 } else { 1.0 };
        let targets: Vec<f64> =
            rows.iter().enumerate().map(|(k, row)| sign(k) * (row[0] + 0.1).signum()).collect();
        let theta = Instance::new(Logistic, &rows, &targets, 2, 1.0).check();
        assert!(theta[0] > 1.0, "{theta:?}");
    }
}

#[test]
fn certificate_holds_on_ordinary_data() {
    for (n, d) in [(1, 1), (300, 1), (500, 11), (2000, 3)] {
        let (rows, labels) = cloud(n, d, 1);
        check_all_losses(&rows, &labels, d, 2.0);
    }
}

#[test]
fn certificate_holds_on_hostile_data() {
    let (rows, labels) = cloud(400, 4, 2);
    // All rows equal.
    check_all_losses(&vec![rows[0].clone(); 400], &labels, 4, 1.0);
    check_all_losses(&vec![rows[0].clone(); 400], &[1.0; 400], 4, 1.0);
    // Separable labels, almost no regulariser: the minimiser is far away.
    let separable: Vec<f64> = rows.iter().map(|x| if x[0] > 0.0 { 1.0 } else { -1.0 }).collect();
    check_all_losses(&rows, &separable, 4, 1e-3);
    // One huge row among tiny ones.
    let mut uneven: Vec<Vec<f64>> = rows.iter().map(|x| x.iter().map(|a| a * 1e-9).collect()).collect();
    uneven[7] = vec![0.5, -0.5, 0.5, 0.5];
    check_all_losses(&uneven, &labels, 4, 0.5);
    // More columns than rows.
    let (wide, few) = cloud(5, 60, 3);
    check_all_losses(&wide, &few, 60, 0.1);
    // A tiny regulariser on ordinary labels, and a huge one.
    check_all_losses(&rows, &labels, 4, 1e-5);
    check_all_losses(&rows, &labels, 4, 1e6);
    // No row at all: the minimiser is 0.
    assert_eq!(Instance::new(Logistic, &[], &[], 4, 1.0).check(), [0.0; 4]);
    // Rows of zeros, and opposite labels on the same row.
    check_all_losses(&vec![vec![0.0; 4]; 10], &[1.0; 10], 4, 1.0);
    check_all_losses(&vec![rows[1].clone(); 2], &[1.0, -1.0], 4, 1e-4);
}

/// Beyond 1024 columns the accelerated gradient method is used instead of Newton's.
#[test]
fn certificate_holds_in_high_dimension() {
    let (rows, labels) = cloud(60, 1500, 4);
    check_all_losses(&rows, &labels, 1500, 1.0);
}

#[test]
fn squared_loss_agrees_with_the_normal_equations() {
    let (rows, labels) = cloud(200, 3, 5);
    let problem = Instance::new(Squared, &rows, &labels, 3, 0.7);
    let theta = problem.check();
    let x = nalgebra::DMatrix::from_row_slice(200, 3, &problem.features);
    let y = nalgebra::DVector::from_column_slice(&labels);
    let exact = (x.transpose() * &x + nalgebra::DMatrix::identity(3, 3) * 0.7)
        .lu()
        .solve(&(x.transpose() * y))
        .unwrap();
    let distance = norm(&(0..3).map(|j| theta[j] - exact[j]).collect::<Vec<_>>());
    assert!(distance <= Minimiser::new(&problem.public).unwrap().tolerance(), "{distance:e}");
}

/// One record in Huber's linear part: θ* = δx/Λ, by hand.
#[test]
fn huber_agrees_with_the_closed_form() {
    let problem = Instance::new(Huber::new(0.25).unwrap(), &[vec![0.6, -0.8]], &[1.0], 2, 2.0);
    let theta = problem.check();
    let tau = Minimiser::new(&problem.public).unwrap().tolerance();
    assert!(norm(&[theta[0] - 0.075, theta[1] + 0.1]) <= tau, "{theta:?}");
}

/// A domain whose boundary is active: θ* is the point of the sphere where ∇J points inwards along the radius.
#[test]
fn the_domain_is_respected_and_the_boundary_found() {
    let (rows, labels) = cloud(500, 3, 6);
    for radius in [0.1, 1.0] {
        for regulariser in [0.01, 1.0] {
            let mut problem = Instance::new(Squared, &rows, &labels, 3, regulariser);
            let free = problem.check();
            problem.public = problem.public.with_parameter_bound(radius).unwrap();
            let minimiser = Minimiser::new(&problem.public).unwrap();
            let theta = problem.solve(minimiser.clone());
            assert!(norm(&free) > radius, "the boundary is meant to be active");
            // Independent solution: the unconstrained minimiser for a larger regulariser, found by bisection.
            let x = nalgebra::DMatrix::from_row_slice(500, 3, &problem.features);
            let gram = x.transpose() * &x;
            let right = x.transpose() * nalgebra::DVector::from_column_slice(&labels);
            let at = |extra: f64| {
                (&gram + nalgebra::DMatrix::identity(3, 3) * (regulariser + extra))
                    .lu()
                    .solve(&right)
                    .unwrap()
            };
            let (mut low, mut high) = (0.0, 1e9);
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if at(middle).norm() > radius { low = middle } else { high = middle }
            }
            let exact = at(high);
            let distance = norm(&(0..3).map(|j| theta[j] - exact[j]).collect::<Vec<_>>());
            assert!(distance <= minimiser.tolerance(), "{distance:e} {:e}", minimiser.tolerance());
        }
    }
}

/// A tolerance below what rounding allows is refused with public values only, before any record is seen.
#[test]
fn an_impossible_tolerance_is_refused() {
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
    let public = Problem::new(Logistic, bounds.clone(), 10, 1.0).unwrap();
    let error = Minimiser::with_tolerance(&public, 1e-14).unwrap_err().to_string();
    assert!(error.contains("own:certified-minimiser") && error.contains("tau = 1e-14"), "{error}");
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Minimiser::with_tolerance(&public, bad).is_err());
    }
    // The default tolerance rises with the rounding, as long as that helps …
    let small = Problem::new(Logistic, bounds.clone(), 10, 1e-4).unwrap();
    assert!(Minimiser::new(&small).unwrap().tolerance() > 1e4 / 16384.0);
    // … and a Λ so small that no double-precision iterate is near its minimiser is refused, as is one
    // with which no search ends.
    let hopeless = Problem::new(Logistic, bounds.clone(), 10, 1e-6).unwrap();
    assert!(
        Minimiser::with_tolerance(&hopeless, 1.0)
            .unwrap_err()
            .to_string()
            .contains("own:certified-minimiser")
    );
    let endless = Problem::new(Logistic, bounds, 10, 1e-9).unwrap();
    assert!(Minimiser::new(&endless).unwrap_err().to_string().contains("regulariser"));
}

/// The check above can fail: a point half a tolerance budget too far is seen.
#[test]
fn sabotage_a_loose_point_is_rejected_by_the_certificate() {
    let (rows, labels) = cloud(500, 3, 7);
    let problem = Instance::new(Logistic, &rows, &labels, 3, 2.0);
    let minimiser = Minimiser::new(&problem.public).unwrap();
    let mut theta = problem.solve(minimiser.clone());
    theta[0] += 1.1 * minimiser.tolerance();
    assert!(norm(&problem.gradient(&theta)) > problem.public.regulariser() * minimiser.tolerance());
}
