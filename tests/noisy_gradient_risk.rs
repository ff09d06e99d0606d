//! Predicted and measured excess risk of noisy gradient descent, on synthetic logistic problems with fixed seeds.
//!
//! Regression tests: the limits are wide. The whole table, beside the posterior sample and output perturbation:
//! `cargo test --release --test suite noisy_gradient_risk:: -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test may stop")]

use asap_dp::bounds::Bounds;
use asap_dp::data::{OutOfBounds, Records};
use asap_dp::loss::Logistic;
use asap_dp::mechanism::{Mechanism, NoisyGradient, NoisyGradientSettings};
use asap_dp::noise::{RandomBits, ReplayRng};
use asap_dp::optimise::Minimiser;
use asap_dp::prediction::{Guess, Prediction};
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use asap_dp::problem::Problem;
use asap_dp::{Learner, MechanismKind};

/// Rows on the unit sphere, column j before that `decay^j` as wide; labels from a logistic model.
#[derive(Clone, Copy, Debug)]
struct Synthetic {
    rows: usize,
    dimension: usize,
    regulariser: f64,
    decay: f64,
}

const fn synthetic(rows: usize, dimension: usize, regulariser: f64, decay: f64) -> Synthetic {
    Synthetic { rows, dimension, regulariser, decay }
}

const PROBLEMS: [Synthetic; 8] = [
    synthetic(1599, 11, 100.0, 1.0),
    synthetic(1599, 11, 5.0, 1.0),
    synthetic(5000, 5, 1.0, 1.0),
    synthetic(5000, 11, 5.0, 1.0),
    synthetic(20_000, 30, 20.0, 1.0),
    synthetic(50_000, 11, 5.0, 1.0),
    synthetic(5000, 11, 5.0, 0.7),
    synthetic(20_000, 30, 20.0, 0.85),
];

impl Synthetic {
    fn records(&self) -> Records<Logistic> {
        let mut rng = ReplayRng::new(17);
        let mut uniform = move || ((rng.next_u64() >> 12) as f64 + 0.5) * f64::EPSILON;
        let (mut features, mut targets) = (Vec::new(), Vec::new());
        for _ in 0..self.rows {
            let mut normal = || (-2.0 * uniform().ln()).sqrt() * (core::f64::consts::TAU * uniform()).cos();
            let mut width = 1.0 / self.decay;
            let row: Vec<f64> = (0..self.dimension)
                .map(|_| {
                    width *= self.decay;
                    width * normal()
                })
                .collect();
            let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            let margin = 2.0 * row.iter().sum::<f64>() / norm;
            targets.push(if uniform() < 1.0 / (1.0 + (-margin).exp()) { 1.0 } else { -1.0 });
            features.extend(row.iter().map(|x| x / norm));
        }
        let bounds = Bounds::new(1.0).unwrap().with_max_rows(100_000).unwrap();
        Records::new(Logistic, bounds, OutOfBounds::Clip, features, targets).unwrap()
    }
}

/// Fits of one problem under one guarantee.
struct Study {
    rows: u64,
    records: Records<Logistic>,
    learner: Learner,
    problem: Problem<Logistic>,
    star: Vec<f64>,
    /// d/tr(H⁻¹) − Λ: the curvature of the records whose noise costs as much as that of all directions.
    curvature: f64,
    /// What θ = 0 loses.
    zero: f64,
}

impl Study {
    fn new(synthetic: &Synthetic, guarantee: Guarantee) -> Self {
        let records = synthetic.records();
        let learner = Learner::new(synthetic.regulariser)
            .guarantee(guarantee)
            .mechanism(MechanismKind::NoisyGradient)
            .expected_rows(synthetic.rows as u64);
        let problem = learner.problem(Logistic, records.bounds().clone(), synthetic.dimension).unwrap();
        let objective = problem.bind(&records).unwrap();
        let star = Minimiser::new(&problem).unwrap().run(&objective).unwrap().reveal_breaking_privacy();
        let hessian = objective.evaluate_hessian(&star).unwrap().reveal_breaking_privacy();
        let curvature =
            synthetic.dimension as f64 / hessian.try_inverse().unwrap().trace() - synthetic.regulariser;
        let mut study =
            Self { rows: synthetic.rows as u64, records, learner, problem, star, curvature, zero: 0.0 };
        study.zero = study.excess(&vec![0.0; synthetic.dimension]);
        study
    }

    /// J(θ) − J(θ*), without a difference of large numbers.
    fn excess(&self, theta: &[f64]) -> f64 {
        let objective = self.problem.bind(&self.records).unwrap();
        let moved: Vec<f64> = theta.iter().zip(&self.star).map(|(a, b)| a - b).collect();
        let divergence = objective.evaluate_divergence(&self.star, &moved, &mut objective.workspace());
        divergence.unwrap().reveal_breaking_privacy()
    }

    /// The median excess of some fits.
    fn median(&self, learner: Learner, runs: u64) -> f64 {
        let fit = |seed| learner.fit(&self.records, &mut ReplayRng::new(seed)).unwrap();
        let mut all: Vec<f64> = (0..runs).map(|seed| self.excess(fit(seed).theta())).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    }

    /// T, predicted at the real curvature, predicted at the worst, and measured.
    fn compared(&self, learner: Learner, runs: u64) -> (u32, f64, f64, f64) {
        let plan = learner.noisy_gradient(&self.problem).unwrap();
        let guess = Guess::new(self.rows).unwrap().with_curvature(self.curvature).unwrap();
        let Prediction { likely, worst, .. } = plan.predict(&guess).unwrap();
        (plan.schedule().steps, likely, worst, self.median(learner, runs))
    }
}

fn gaussian() -> Guarantee {
    Guarantee::Gaussian(Mu::new(1.0).unwrap())
}

/// With next to no regulariser the search is in so large a ball that the noise is for rounding: it is
/// predicted as it is planned.
#[test]
fn noise_for_rounding_is_predicted() {
    let bounds = Bounds::new(1.0).unwrap();
    let of = |regulariser: f64| {
        let problem = Problem::new(Logistic, bounds.clone(), 2, regulariser).unwrap();
        // The same number of steps: with so much noise fewer are chosen.
        let settings = NoisyGradientSettings { steps: Some(64), ..NoisyGradientSettings::default() };
        let plan = NoisyGradient::plan(&problem, gaussian(), settings).unwrap();
        let guess = Guess::expected(None, &bounds).unwrap();
        (plan.noise().scale(), plan.predict(&guess).unwrap().likely)
    };
    let ((noise, risk), (much_noise, much_risk)) = (of(1.0), of(1e-300));
    assert!(noise < 1e3 && risk < 1e3 && much_noise > 1e100, "{noise} {risk} {much_noise}");
    // The risk grows with the square of the noise.
    assert!(much_risk > (much_noise / noise).powi(2) * risk * 0.01, "{much_risk:e}");
}

/// Without and with a guess of the curvature a descent at μ = 1 costs what was predicted, within a factor 2, and less
/// than the worst case; both are far below output perturbation and below the bound d/(2γ) of the posterior.
#[test]
fn the_predicted_risk_is_measured() {
    let study = Study::new(&synthetic(2000, 5, 5.0, 1.0), gaussian());
    for learner in [study.learner, study.learner.curvature(study.curvature)] {
        let (steps, typical, worst, measured) = study.compared(learner, 15);
        let told = format!("T = {steps}: predicted {typical}, at worst {worst}, measured {measured}");
        assert!((0.5..2.0).contains(&(measured / typical)), "{told}");
        assert!(typical < worst && measured < worst, "{told}");
        assert!(measured < 0.1 * study.median(study.learner.mechanism(MechanismKind::Output), 5), "{told}");
        // γ = 0.94·μ²Λ/G²: d/(2γ) = 5/(2·0.94·5).
        assert!(measured < 0.5 * 5.0 / (2.0 * 0.94 * 5.0), "{told}");
    }
}

/// The whole table.
#[test]
#[ignore = "minutes"]
fn predicted_against_measured() {
    println!(
        "| n | d | Λ | decay | budget | guess | T | predicted | measured | ratio | at worst | posterior | output | θ = 0 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for guarantee in [gaussian(), Guarantee::Pure(Epsilon::new(1.0).unwrap())] {
        let mut ratios = Vec::new();
        for synthetic in PROBLEMS {
            let study = Study::new(&synthetic, guarantee);
            let [posterior, output] = [(MechanismKind::Posterior, 11), (MechanismKind::Output, 21)]
                .map(|(kind, runs)| study.median(study.learner.mechanism(kind), runs));
            for (name, learner) in [("no", study.learner), ("yes", study.learner.curvature(study.curvature))]
            {
                let (steps, typical, worst, measured) = study.compared(learner, 21);
                ratios.push(measured / typical);
                // Rows on a sphere bend J more than a usual table: without a guess their excess is predicted too large (own:auto).
                let least = if name == "yes" { 0.5 } else { 0.1 };
                let pure = matches!(guarantee, Guarantee::Pure(_));
                assert!(pure || (least..2.0).contains(&(measured / typical)), "{synthetic:?} {name}");
                let Synthetic { rows, dimension, regulariser, decay } = synthetic;
                let budget = if matches!(guarantee, Guarantee::Pure(_)) { "ε = 1" } else { "μ = 1" };
                println!(
                    "| {rows} | {dimension} | {regulariser} | {decay} | {budget} | {name} | {steps} | {typical:.3} | \
                     {measured:.3} | {:.2} | {worst:.2} | {posterior:.3} | {output:.3} | {:.0} |",
                    measured / typical,
                    study.zero
                );
            }
        }
        ratios.sort_by(f64::total_cmp);
        let off: Vec<f64> = ratios.iter().map(|ratio| ratio.max(1.0 / ratio)).collect();
        let median = {
            let mut off = off.clone();
            off.sort_by(f64::total_cmp);
            off[off.len() / 2]
        };
        println!("median factor between predicted and measured: {median:.2}");
        assert!(median < 2.0);
    }
}
