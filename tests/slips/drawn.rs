//! The exact draw as a fit wires it: whole fits whose records are predicted as about ±4, where the
//! curvature of the loss is a fourteenth of that at 0 (logistic) or none (Huber), against quadrature of
//! e^(−γJ) on the ball of each release.
//!
//! H0: given θ_0 the coordinates of θ̂, as numbers of their conditional distribution functions, are uniform and
//! independent. The last noise and Δ are below a hundredth of the posterior's deviation (asserted), a tenth of what the
//! tests see. n = 2000 and 800; Kolmogorov–Smirnov of each number and of its distance from ½, 16 cells for a pair,
//! false alarm ≤ 10⁻⁹ each.
//!
//! Sabotages that turn these red: the divergence of `Seen` times 1.3; the weights of chords at θ = 0 in place of the
//! anchor; the map of the envelope half as long. (A fraction of the reach is seen by `objective::curvature::chords`.)

use crate::reference::{LineLaw, Outcome, kolmogorov_smirnov, relative_entropy};
use asap_contracts::Mechanism as Record;
use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::loss::{Huber, Logistic, Loss};
use asap_dp::mechanism::Mechanism;
use asap_dp::noise::ReplayRng;
use asap_dp::{Learner, MechanismKind};
use rayon::prelude::*;

/// A loss as a function of prediction and target, written down again.
type Phi = fn(f64, f64) -> f64;

fn logistic(z: f64, y: f64) -> f64 {
    let m = -y * z;
    m.max(0.0) + (-m.abs()).exp().ln_1p()
}

const DELTA: f64 = 3.0;

fn huber(z: f64, y: f64) -> f64 {
    let r = (z - y).abs();
    if r <= DELTA { 0.5 * r * r } else { DELTA * (r - 0.5 * DELTA) }
}

/// Cells of the quadrature along an axis.
const CELLS: usize = 160;

/// Records by their kinds: features, target, how many.
struct Case<L> {
    loss: L,
    phi: Phi,
    rows: Vec<(Vec<f64>, f64, usize)>,
    target: f64,
    regulariser: f64,
    mu: f64,
}

impl<L: Loss> Case<L> {
    fn objective(&self, theta: &[f64]) -> f64 {
        let of = |(x, y, count): &(Vec<f64>, f64, usize)| {
            let z: f64 = x.iter().zip(theta).map(|(a, b)| a * b).sum();
            *count as f64 * (self.phi)(z, *y)
        };
        let square: f64 = theta.iter().map(|x| x * x).sum();
        self.rows.iter().map(of).sum::<f64>() + 0.5 * self.regulariser * square
    }

    fn records(&self) -> Records<L> {
        let bounds = Bounds::new(1.0).unwrap().with_target(self.target).unwrap().with_max_rows(1000).unwrap();
        let all = self.rows.iter().flat_map(|(x, y, count)| (0..*count).map(move |_| (x, *y)));
        let (features, targets): (Vec<&Vec<f64>>, Vec<f64>) = all.unzip();
        let features = features.into_iter().flatten().copied().collect();
        Records::with_dimension(
            self.loss,
            bounds,
            OutOfBounds::Refuse,
            self.rows[0].0.len(),
            features,
            targets,
        )
        .unwrap()
    }

    /// The coordinates of θ̂ of n fits as uniform numbers. Most are of exact draws.
    fn uniforms(&self, n: u64, seed: u64) -> Vec<Vec<f64>> {
        let records = self.records();
        let d = records.dimension();
        let rows = self.rows.iter().map(|row| row.2 as u64).sum();
        let learner = Learner::new(self.regulariser).mu(self.mu).unwrap().expected_rows(rows);
        let learner = learner.mechanism(MechanismKind::Posterior);
        let problem = learner.problem(self.loss, records.bounds().clone(), d).unwrap();
        let plan = learner.posterior(&problem).unwrap();
        let one = |run: u64| {
            let (release, cost) = plan.release(&records, &mut ReplayRng::new(seed + run)).unwrap();
            let Record::Posterior(record) = &release.certificate().mechanism else { panic!("a posterior") };
            let gamma = record.reference.gamma;
            // No less than the deviation with all curvature there is.
            let narrowest = (gamma * (self.regulariser + rows as f64)).sqrt().recip();
            assert!(record.asap.error < 0.01 * narrowest, "{} {narrowest}", record.asap.error);
            let (centre, radius) = (&record.localisation.theta_0, record.reference.radius);
            let uniforms = self.transformed(&release.certificate().theta, centre, radius, gamma);
            (uniforms, cost.reveal_breaking_privacy().fell_back)
        };
        let (uniforms, fell_back): (Vec<Vec<f64>>, Vec<bool>) = (0..n).into_par_iter().map(one).unzip();
        let exact = fell_back.iter().filter(|fell_back| !**fell_back).count();
        println!("{exact} exact draws of {n}");
        assert!(exact as u64 > n * 2 / 3, "{exact}");
        uniforms
    }

    /// F(θ̂_1), and F(θ̂_2 | θ̂_1) by quadrature along the chord.
    fn transformed(&self, theta: &[f64], centre: &[f64], radius: f64, gamma: f64) -> Vec<f64> {
        if let ([x], [c]) = (theta, centre) {
            let law = LineLaw::new(c - radius, c + radius, |x| -gamma * self.objective(&[x]));
            return vec![law.cdf(*x)];
        }
        let half = |x: f64| (radius * radius - (x - centre[0]).powi(2)).max(0.0).sqrt();
        // The mass of a chord in logarithms, and the share of it below a point; midpoints, where the density counts.
        let chord = |x: f64, below: f64| {
            let (from, to) = (centre[1] - half(x), centre[1] + half(x));
            let f = |y: f64| -gamma * self.objective(&[x, y]);
            let (from, to) = visible(from, to, &f);
            let step = (to - from) / CELLS as f64;
            let values: Vec<f64> = (0..CELLS).map(|k| f(from + (k as f64 + 0.5) * step)).collect();
            let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mass: Vec<f64> = values.iter().map(|v| (v - top).exp()).collect();
            let whole: f64 = mass.iter().sum();
            let place = ((below - from) / step).clamp(0.0, CELLS as f64);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in 0..=CELLS")]
            let cells = (place as usize).min(CELLS - 1);
            let part = mass[..cells].iter().sum::<f64>() + (place - cells as f64) * mass[cells];
            (top + (whole * step).ln(), part / whole)
        };
        let marginal = |x: f64| chord(x, centre[1]).0;
        let (from, to) = visible(centre[0] - radius, centre[0] + radius, &marginal);
        let step = (to - from) / CELLS as f64;
        let values: Vec<f64> = (0..CELLS).map(|k| marginal(from + (k as f64 + 0.5) * step)).collect();
        let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mass: Vec<f64> = values.iter().map(|v| (v - top).exp()).collect();
        let place = ((theta[0] - from) / step).clamp(0.0, CELLS as f64);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in 0..=CELLS")]
        let cells = (place as usize).min(CELLS - 1);
        let part = mass[..cells].iter().sum::<f64>() + (place - cells as f64) * mass[cells];
        vec![part / mass.iter().sum::<f64>(), chord(theta[0], theta[1]).1]
    }
}

/// Where a log-concave density is above e^(−30) of its largest value, widened by one part in fifty.
fn visible(from: f64, to: f64, f: &impl Fn(f64) -> f64) -> (f64, f64) {
    let (mut low, mut high) = (from, to);
    for _ in 0..60 {
        let (left, right) = (low + 0.38 * (high - low), high - 0.38 * (high - low));
        if f(left) < f(right) { low = left } else { high = right }
    }
    let mode = 0.5 * (low + high);
    let edge = |mut inside: f64, mut outside: f64| {
        if f(outside) > f(mode) - 30.0 {
            return outside;
        }
        for _ in 0..20 {
            let middle = 0.5 * (inside + outside);
            if f(middle) > f(mode) - 30.0 { inside = middle } else { outside = middle }
        }
        outside
    };
    (edge(mode, from), edge(mode, to))
}

/// Uniform, as far from ½ as uniform numbers are, and pairs independent.
fn rejected(runs: &[Vec<f64>]) -> Option<String> {
    let column = |j: usize| runs.iter().map(|run| run[j]).collect::<Vec<f64>>();
    let told = |what: String, outcome: Outcome| (!outcome.accepted()).then(|| format!("{what}: {outcome:?}"));
    for j in 0..runs[0].len() {
        let numbers = column(j);
        let folded: Vec<f64> = numbers.iter().map(|u| (2.0 * u - 1.0).abs()).collect();
        let cells = |numbers: &[f64], k: usize| {
            let mut counts = vec![0_u64; k];
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "of a number in [0, 1]"
            )]
            for u in numbers {
                counts[((u * k as f64) as usize).min(k - 1)] += 1;
            }
            relative_entropy(&counts, &vec![1.0 / k as f64; k])
        };
        let found = told(format!("number {j}"), kolmogorov_smirnov(&numbers, |u| u))
            .or_else(|| told(format!("folded {j}"), kolmogorov_smirnov(&folded, |u| u)))
            .or_else(|| told(format!("cells of {j}"), cells(&folded, 5)));
        if found.is_some() {
            return found;
        }
    }
    if runs[0].len() == 2 {
        let mut counts = vec![0_u64; 16];
        for run in runs {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "of a number in [0, 1]"
            )]
            let cell = |u: f64| ((u * 4.0) as usize).min(3);
            counts[4 * cell(run[0]) + cell(run[1])] += 1;
        }
        return told("pair".to_owned(), relative_entropy(&counts, &[1.0 / 16.0; 16]));
    }
    None
}

/// n·σ(−4) = 4Λ: the minimiser is 4, and its deviation about 1.4. In two dimensions along both axes.
#[test]
fn logistic_fits_on_a_line_draw_the_posterior() {
    let rows = vec![(vec![1.0], 1.0, 34), (vec![-1.0], -1.0, 35)];
    let case = Case { loss: Logistic, phi: logistic, rows, target: 1.0, regulariser: 0.31, mu: 1.0 };
    assert_eq!(rejected(&case.uniforms(2500, 11_000_000)), None);
}

#[test]
fn logistic_fits_in_the_plane_draw_the_posterior() {
    let rows = vec![
        (vec![1.0, 0.0], 1.0, 40),
        (vec![-0.8, 0.6], -1.0, 30),
        (vec![0.0, 1.0], 1.0, 60),
        (vec![0.0, -1.0], -1.0, 30),
    ];
    let case = Case { loss: Logistic, phi: logistic, rows, target: 1.0, regulariser: 0.31, mu: 1.0 };
    assert_eq!(rejected(&case.uniforms(800, 12_000_000)), None);
}

/// Targets 0 and 8 around 4 are in the linear part there, and bend at 0: the weights at 0 are above the chords.
#[test]
fn huber_fits_on_a_line_draw_the_posterior() {
    let rows = vec![(vec![1.0], 0.0, 20), (vec![1.0], 8.0, 22), (vec![1.0], 4.0, 2)];
    let case =
        Case { loss: Huber::new(DELTA).unwrap(), phi: huber, rows, target: 8.0, regulariser: 1.0, mu: 0.6 };
    assert_eq!(rejected(&case.uniforms(2500, 13_000_000)), None);
}

#[test]
fn huber_fits_in_the_plane_draw_the_posterior() {
    let rows = vec![
        (vec![1.0, 0.0], 0.0, 20),
        (vec![1.0, 0.0], 8.0, 22),
        (vec![0.0, 1.0], 0.0, 20),
        (vec![-0.6, -0.8], -8.0, 22),
        (vec![0.6, 0.8], 4.0, 2),
    ];
    let case =
        Case { loss: Huber::new(DELTA).unwrap(), phi: huber, rows, target: 8.0, regulariser: 1.0, mu: 0.6 };
    assert_eq!(rejected(&case.uniforms(800, 14_000_000)), None);
}
