//! `asap demo`: the whole way on public synthetic records, without arguments.

use crate::arguments::Demo;
use crate::check::{self, NOT_PRIVATE};
use crate::failure::Failure;
use crate::output::{self, Existing, Target};
use crate::plot;
use crate::problem::shown;
use crate::synthetic::{self, Judge, PARAMETER_BOUND, REGULARISER, ROWS, failed};
use crate::terminal::{Spinner, bold, number, print, print_json, table, warn};
use asap_dp::noise::RandomBits;
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use asap_dp::{Learner, MechanismKind, Records, Release, ReplayRng, SecureRng, Squared};
use serde_json::json;

/// ε and μ that are tried; the table shows 1.
pub(crate) const BUDGETS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Fits for each of them.
const RUNS: usize = 31;

/// Excess risks of one method with one guarantee.
pub(crate) struct Series {
    pub(crate) mechanism: MechanismKind,
    pub(crate) guarantee: Guarantee,
    pub(crate) excess: Vec<f64>,
}

impl Series {
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.excess.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }

    fn method(&self) -> &'static str {
        match self.mechanism {
            MechanismKind::Posterior => "asap",
            MechanismKind::Output => "output perturbation",
            MechanismKind::Objective => "objective perturbation",
            MechanismKind::NoisyGradient => "noisy gradient descent",
        }
    }

    /// The budget that the table shows.
    fn is_tabulated(&self) -> bool {
        (self.guarantee.parameter() - 1.0).abs() < 1e-9
    }
}

pub(crate) fn run(arguments: &Demo) -> Result<(), Failure> {
    let (release_path, plot_path) =
        (arguments.out_dir.join("release.json"), arguments.out_dir.join("excess-risk.svg"));
    let existing = Existing::of(arguments.overwrite.force);
    output::folder(&arguments.out_dir, existing)?;
    let (release_target, plot_target) =
        (Target::probe(&release_path, existing, &[])?, Target::probe(&plot_path, existing, &[])?);
    let records = synthetic::records()?;
    let mut judge = Judge::new(&records)?;
    let (series, release) = {
        let _spinner = Spinner::start("fitting public synthetic records");
        match arguments.replay_seed {
            Some(seed) => {
                warn(NOT_PRIVATE);
                measure(&records, &mut judge, &mut ReplayRng::new(seed))?
            }
            None => measure(&records, &mut judge, &mut SecureRng::new().map_err(Failure::NoRandomness)?)?,
        }
    };
    let release = release.with_columns(synthetic::columns())?;
    let text = release.to_json() + "\n";
    // What is checked is what is written, not what is in memory.
    let checked = Release::from_json(&text)
        .and_then(|release| release.check())
        .map_err(|error| Failure::Check { path: release_path.clone(), error })?
        .checked;
    let picture = plot::draw(&series)?;
    release_target.write(&text)?;
    plot_target.write(&picture)?;
    if arguments.json {
        let tabulated: Vec<_> = series
            .iter()
            .map(|series| {
                json!({
                    "method": series.method(),
                    "guarantee": series.guarantee,
                    "excess_risk": series.excess,
                    "median": series.median(),
                })
            })
            .collect();
        return print_json(&json!({
            "recipe": synthetic::recipe(),
            "minimum": judge.least(),
            "release": release_path,
            "plot": plot_path,
            "checked": checked,
            "series": tabulated,
        }));
    }
    let mut rows =
        vec![["method", "guarantee", "excess risk", &format!("median of {RUNS} runs")].map(str::to_owned)];
    for series in series.iter().filter(|series| series.is_tabulated()) {
        let first = series.excess.first().copied().unwrap_or(f64::NAN);
        rows.push([
            series.method().to_owned(),
            shown(series.guarantee),
            format!("{first:.1}"),
            format!("{:.1}", series.median()),
        ]);
    }
    print(&format!(
        "{}\n{}.\n\n{}\nExcess risk is J(θ) above its minimum {}, J summed over the {ROWS} rows. It depends on the \
         records and may be\nshown only because these are public; `asap fit` never shows it.\n\n\
         {:<18} {} release of the table, {} clauses checked\n{:<18} excess risk against budget\n\n\
         Next: asap check {}\n",
        bold("Public synthetic records"),
        synthetic::recipe(),
        table(&rows),
        number(judge.least()),
        release_path.display(),
        check::shown(release.guarantee()),
        checked.len(),
        plot_path.display(),
        release_path.display(),
    ))
}

/// All runs, and the first pure release of the table.
fn measure<R: RandomBits>(
    records: &Records<Squared>,
    judge: &mut Judge<'_>,
    rng: &mut R,
) -> Result<(Vec<Series>, Release), Failure> {
    let mut all = Vec::new();
    let mut kept = None;
    for budget in BUDGETS {
        for guarantee in [Guarantee::Pure(Epsilon::new(budget)?), Guarantee::Gaussian(Mu::new(budget)?)] {
            for mechanism in [MechanismKind::Posterior, MechanismKind::Output] {
                let learner = Learner::new(REGULARISER)
                    .guarantee(guarantee)
                    .mechanism(mechanism)
                    .parameter_bound(PARAMETER_BOUND)
                    .expected_rows(ROWS as u64);
                let mut series = Series { mechanism, guarantee, excess: Vec::new() };
                for _ in 0..RUNS {
                    let release = learner.fit(records, rng).map_err(failed)?;
                    series.excess.push(judge.excess(release.theta())?);
                    if series.is_tabulated() && kept.is_none() {
                        kept = Some(release);
                    }
                }
                all.push(series);
            }
        }
    }
    Ok((all, kept.ok_or(Failure::Internal)?))
}
