//! What is predicted and what is measured, for every mechanism on public synthetic problems:
//! `cargo run --release -p asap-benches --example mechanisms [-- FITS]`.
//!
//! For each problem and budget: the predicted excess risk of each mechanism, the mean of FITS measured ones (31 unless
//! said), which of them is chosen, and how much worse it is than the best in hindsight. The summary at the end is what
//! `spec/own-auto.md` states.

use asap_dp::noise::RandomBits;
use asap_dp::objective::{Objective, Workspace};
use asap_dp::optimise::Minimiser;
use asap_dp::{
    Bounds, Huber, Learner, Logistic, Loss, MechanismKind, OutOfBounds, Problem, Records, ReplayRng, Squared,
};
use std::error::Error;

/// A synthetic problem.
struct Case {
    name: &'static str,
    rows: usize,
    dimension: usize,
    regulariser: f64,
    /// The k-th feature is shrunk by this power of k + 1: 0 spreads the rows evenly over all directions.
    decay: f64,
    /// Rows are shorter than the bound by a factor between this and 1.
    shortest: f64,
}

const fn case(name: &'static str, rows: usize, dimension: usize, regulariser: f64) -> Case {
    Case { name, rows, dimension, regulariser, decay: 0.0, shortest: 1.0 }
}

const CASES: [Case; 10] = [
    case("sphere", 5000, 11, 5.0),
    case("sphere", 50_000, 11, 5.0),
    case("sphere", 1599, 11, 100.0),
    case("sphere", 20_000, 30, 20.0),
    case("sphere", 1000, 5, 10.0),
    case("sphere", 5000, 2, 50.0),
    Case { decay: 0.5, ..case("uneven", 5000, 11, 5.0) },
    Case { decay: 1.0, ..case("very uneven", 20_000, 11, 20.0) },
    Case { shortest: 0.1, ..case("short rows", 5000, 11, 20.0) },
    Case { shortest: 0.1, decay: 0.5, ..case("short, uneven", 20_000, 20, 50.0) },
];

fn main() -> Result<(), Box<dyn Error>> {
    let fits = std::env::args().nth(1).map_or(Ok(31), |fits| fits.parse())?;
    let mut study = Study { fits, ratios: Vec::new(), hindsight: Vec::new() };
    for case in &CASES {
        study.run(case, Logistic, None)?;
    }
    study.run(&case("sphere", 5000, 5, 20.0), Huber::new(0.5)?, None)?;
    study.run(&case("sphere", 5000, 5, 50.0), Squared, Some(2.0))?;
    study.run(&case("sphere", 1599, 11, 200.0), Squared, Some(2.0))?;
    study.summary();
    Ok(())
}

/// What was found so far.
struct Study {
    fits: u64,
    /// Predicted over measured.
    ratios: Vec<(MechanismKind, f64)>,
    /// The chosen mechanism's measured excess over the least measured one.
    hindsight: Vec<f64>,
}

impl Study {
    fn run<L: Loss>(&mut self, case: &Case, loss: L, bound: Option<f64>) -> Result<(), Box<dyn Error>> {
        let records = case.records(loss)?;
        for (budget, parameter) in [("ε", 1.0), ("μ", 1.0)] {
            let learner = Learner::new(case.regulariser).expected_rows(case.rows as u64);
            let learner = bound.map_or(learner, |radius| learner.parameter_bound(radius));
            let learner = if budget == "ε" { learner.epsilon(parameter)? } else { learner.mu(parameter)? };
            let problem = learner.problem(loss, records.bounds().clone(), case.dimension)?;
            let objective = problem.bind(&records)?;
            let mut judge = Judge::new(&problem, &objective)?;
            let comparison = learner.compare(&problem)?;
            let chosen = comparison.best().map(|best| best.kind);
            println!(
                "{} {}, n = {}, d = {}, Λ = {}, {budget} = {parameter}; θ = 0 loses {:.3e}",
                case.name,
                loss.name(),
                case.rows,
                case.dimension,
                case.regulariser,
                judge.excess(&vec![0.0; case.dimension])?
            );
            let mut measured = Vec::new();
            for candidate in comparison.candidates() {
                let Some(prediction) = candidate.prediction() else {
                    println!("    {:15} refused", candidate.kind.name());
                    continue;
                };
                let learner = learner.mechanism(candidate.kind);
                let excess = (0..self.fits)
                    .map(|seed| judge.excess(learner.fit(&records, &mut ReplayRng::new(seed))?.theta()));
                let excess = excess.collect::<Result<Vec<f64>, _>>()?;
                let mean = excess.iter().sum::<f64>() / excess.len() as f64;
                let mark = if chosen == Some(candidate.kind) { "  ← chosen" } else { "" };
                println!(
                    "    {:15} predicted {:.3e}, measured {mean:.3e}, ratio {:.2}{mark}",
                    candidate.kind.name(),
                    prediction.likely,
                    prediction.likely / mean
                );
                self.ratios.push((candidate.kind, prediction.likely / mean));
                measured.push((candidate.kind, mean));
            }
            let least = measured.iter().map(|(_, mean)| *mean).fold(f64::INFINITY, f64::min);
            let own = measured.iter().find(|(kind, _)| chosen == Some(*kind));
            self.hindsight.push(own.map_or(f64::INFINITY, |(_, mean)| mean / least));
        }
        Ok(())
    }

    fn summary(&mut self) {
        for kind in MechanismKind::ALL {
            let mut ratios: Vec<f64> =
                self.ratios.iter().filter(|(of, _)| *of == kind).map(|(_, ratio)| *ratio).collect();
            ratios.sort_by(f64::total_cmp);
            if let (Some(first), Some(last)) = (ratios.first(), ratios.last()) {
                let median = ratios[ratios.len() / 2];
                println!(
                    "{}: predicted over measured {median:.2} in the median, {first:.2} to {last:.2}",
                    kind.name()
                );
            }
        }
        let close = self.hindsight.iter().filter(|ratio| **ratio <= 1.1).count();
        let worst = self.hindsight.iter().copied().fold(0.0, f64::max);
        println!(
            "auto: within 1.1 of the best in hindsight on {close} of {} problems, at worst {worst:.2}",
            self.hindsight.len()
        );
    }
}

/// Knows the minimum. Allowed: these records are public.
struct Judge<'a, L: Loss> {
    objective: &'a Objective<'a, Records<L>>,
    workspace: Workspace,
    least: f64,
}

impl<'a, L: Loss> Judge<'a, L> {
    fn new(problem: &Problem<L>, objective: &'a Objective<'a, Records<L>>) -> Result<Self, Box<dyn Error>> {
        let minimiser = Minimiser::new(problem)?.run(objective)?;
        let mut judge = Self { objective, workspace: objective.workspace(), least: 0.0 };
        judge.least = judge.excess(&minimiser.reveal_breaking_privacy())?;
        Ok(judge)
    }

    fn excess(&mut self, theta: &[f64]) -> Result<f64, Box<dyn Error>> {
        let value = self.objective.evaluate(theta, &mut self.workspace)?;
        Ok(value.reveal_breaking_privacy() - self.least)
    }
}

impl Case {
    /// Rows of length at most 1, classes from a logistic model with a parameter of norm 6; the
    /// same numbers for every loss.
    fn records<L: Loss>(&self, loss: L) -> Result<Records<L>, Box<dyn Error>> {
        let mut rng = ReplayRng::new(17);
        let mut uniform = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let (mut features, mut targets) = (Vec::new(), Vec::new());
        for _ in 0..self.rows {
            let row: Vec<f64> = (0..self.dimension)
                .map(|k| ((0..12).map(|_| uniform()).sum::<f64>() - 6.0) / (k as f64 + 1.0).powf(self.decay))
                .collect();
            let norm = row.iter().map(|a| a * a).sum::<f64>().sqrt();
            let length = self.shortest + (1.0 - self.shortest) * uniform();
            let row: Vec<f64> = row.iter().map(|a| a / norm * length).collect();
            let chance = 1.0 / (1.0 + (-6.0 * row[0]).exp());
            targets.push(if uniform() < chance { 1.0 } else { -1.0 });
            features.extend(row);
        }
        let bounds = Bounds::new(1.0)?.with_target(1.0)?.with_max_rows(100_000)?;
        Ok(Records::new(loss, bounds, OutOfBounds::Clip, features, targets)?)
    }
}
