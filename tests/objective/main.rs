//! The objective from outside: derivatives, reproducibility, rounding.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod claims;
mod derivatives;
mod divergence;
mod double_double;
mod reference;
mod reproducibility;
mod rounding;

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::loss::Loss;
use asap_dp::objective::{Objective, SumOf, Sums};
use asap_dp::problem::Problem;
use std::sync::LazyLock;

/// Numbers from a fixed seed (splitmix64): data for tests, not for noise.
struct Numbers(u64);

impl Numbers {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Uniform on [−1, 1).
    fn next(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, len: usize) -> Vec<f64> {
        (0..len).map(|_| self.next()).collect()
    }
}

/// Records as plain numbers. Rows have norm at most 1; the targets are in [−1, 1], or ±1 where `signs`.
struct Data {
    dimension: usize,
    features: Vec<f64>,
    targets: Vec<f64>,
}

impl Data {
    fn new(dimension: usize, mut features: Vec<f64>, targets: Vec<f64>) -> Self {
        for row in features.chunks_exact_mut(dimension) {
            let scale = norm(row).max(1.0) * (1.0 + 1e-12);
            for x in row {
                *x /= scale;
            }
        }
        Self { dimension, features, targets }
    }

    fn random(rows: usize, dimension: usize, seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let features = numbers.vector(rows * dimension);
        Self::new(dimension, features, numbers.vector(rows))
    }

    fn rows(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.features.chunks_exact(self.dimension).zip(self.targets.iter().copied())
    }

    /// Targets that every loss admits.
    fn with_signs(mut self) -> Self {
        for y in &mut self.targets {
            *y = if *y > 0.0 { 1.0 } else { -1.0 };
        }
        self
    }

    fn records<L: Loss>(&self, loss: L) -> Records<L> {
        let (features, targets) = (self.features.clone(), self.targets.clone());
        Records::new(loss, bounds(), OutOfBounds::Refuse, features, targets).unwrap()
    }
}

fn bounds() -> Bounds {
    Bounds::new(1.0).unwrap().with_target(1.0).unwrap()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// Sums over so many records that the tests' bounds admit.
fn sums<L: Loss>(rows: u64, dimension: usize, loss: &L, regulariser: f64) -> SumOf<'_, L> {
    static BOUNDS: LazyLock<Bounds> = LazyLock::new(bounds);
    SumOf { rows, dimension, loss, bounds: &BOUNDS, regulariser }
}

/// J of these records.
fn objective<L: Loss>(records: &Records<L>, regulariser: f64) -> Objective<'_, Records<L>> {
    let problem = Problem::new(*records.loss(), records.bounds().clone(), records.dimension(), regulariser);
    problem.unwrap().bind(records).unwrap()
}

/// J(θ) and ∇J(θ).
fn evaluate<S: Sums>(objective: &Objective<'_, S>, theta: &[f64]) -> (f64, Vec<f64>) {
    let mut workspace = objective.workspace();
    let value = objective.evaluate(theta, &mut workspace).unwrap().reveal_breaking_privacy();
    (value, workspace.private_gradient().reveal_breaking_privacy())
}
