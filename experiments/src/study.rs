//! The cells of a study: which system in which setting with which budget; and running what is not finished yet.

use crate::baselines::random::{normals, uniform};
use crate::data::{FeatureScaling, ScaledData, TWO_COLUMNS, Wine, WineTable};
use crate::error::ExperimentError;
use crate::setting::{LossKind, Setting};
use crate::store::{CellOutcome, EMPTY, Store, fold};
use crate::system::{RunSettings, System};
use asap_dp::ReplayRng;
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use rayon::prelude::*;
use std::path::PathBuf;

/// Changes whenever the meaning of a stored cell does.
const SCHEMA: u32 = 1;

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The folder of UCI's two files; synthetic stand-ins of the same shape without it.
    pub data: Option<PathBuf>,
    /// Few budgets, few settings.
    pub quick: bool,
    /// Runs in each cell.
    pub repetitions: u32,
    /// Threads; as many as there are processors without it.
    pub threads: Option<usize>,
}

impl Options {
    /// Runs in each cell unless asked for otherwise: odd, so that the median is one of them.
    pub fn default_repetitions(quick: bool) -> u32 {
        if quick { 5 } else { 21 }
    }
}

/// To which of the figures a cell belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Excess risk against the budget, eleven columns.
    Wine,
    /// The same with two columns, where the exponential mechanism can be drawn.
    TwoColumns,
    /// Excess risk against the curvature ratio.
    Sweep,
}

impl Part {
    /// A short name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Wine => "wine",
            Self::TwoColumns => "two-columns",
            Self::Sweep => "sweep",
        }
    }
}

/// One system in one setting with one budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudyCell {
    /// Its figure.
    pub part: Part,
    /// The place of its setting in the study.
    pub setting: usize,
    /// The total budget.
    pub total: Guarantee,
    /// Who runs.
    pub system: System,
}

/// Settings and cells, not yet run. spec: `own:experiments`
pub struct Study {
    options: Options,
    settings: Vec<Setting>,
    cells: Vec<StudyCell>,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// A group of cells begins: its name, and how many cells it has.
    Stage(&'a str, usize),
    /// One more cell is finished.
    Finished,
}

impl Study {
    /// Reads or makes the records, and lists the cells.
    pub fn new(options: Options) -> Result<Self, ExperimentError> {
        if options.repetitions == 0 {
            return Err(ExperimentError::Range {
                field: "repetitions",
                allowed: "a whole number not less than 1",
            });
        }
        let mut study = Self { options, settings: Vec::new(), cells: Vec::new() };
        study.add_wine()?;
        study.add_sweep()?;
        Ok(study)
    }

    /// What was asked for.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The settings.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// The cells.
    pub fn cells(&self) -> &[StudyCell] {
        &self.cells
    }

    /// ε and μ that are tried.
    pub fn budgets(&self) -> &'static [f64] {
        if self.options.quick { &[0.1, 1.0, 10.0] } else { &[0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0] }
    }

    fn add_wine(&mut self) -> Result<(), ExperimentError> {
        for wine in Wine::ALL {
            let table = match &self.options.data {
                Some(folder) => WineTable::read(wine, folder)?,
                None => WineTable::synthetic(wine),
            };
            let name = if self.options.data.is_some() {
                wine.id().to_owned()
            } else {
                format!("synthetic-{}", wine.id())
            };
            let regulariser = wine.alpha() * table.rows() as f64;
            for scaling in FeatureScaling::ALL {
                for (part, columns) in
                    [(Part::Wine, (0..11).collect::<Vec<_>>()), (Part::TwoColumns, TWO_COLUMNS.to_vec())]
                {
                    let data = table.scaled(scaling, &columns);
                    let label = (name.as_str(), scaling.id());
                    let setting = Setting::new(label, LossKind::Squared, data, regulariser, wine.max_rows())?;
                    self.settings.push(setting);
                    for &budget in self.budgets() {
                        self.add_cells(part, budget, &System::ALL)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Cells of the last setting, under ε and under μ.
    fn add_cells(&mut self, part: Part, budget: f64, systems: &[System]) -> Result<(), ExperimentError> {
        let Some(setting) = self.settings.last() else { return Ok(()) };
        let place = self.settings.len() - 1;
        for total in [Guarantee::Pure(Epsilon::new(budget)?), Guarantee::Gaussian(Mu::new(budget)?)] {
            let pure = matches!(total, Guarantee::Pure(_));
            let applicable = systems.iter().copied().filter(|system| system.applies(setting, pure));
            self.cells.extend(applicable.map(|system| StudyCell { part, setting: place, total, system }));
        }
        Ok(())
    }

    /// Synthetic records whose regulariser makes the curvature ratio about 1 + r.
    fn add_sweep(&mut self) -> Result<(), ExperimentError> {
        const ROWS: usize = 5000;
        const DIMENSION: usize = 5;
        let ratios: &[f64] = if self.options.quick {
            &[0.01, 1.0, 100.0]
        } else {
            &[0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0]
        };
        for loss in [LossKind::Squared, LossKind::Logistic] {
            for ratio in ratios {
                let curvature = match loss {
                    LossKind::Squared => 1.0,
                    LossKind::Logistic => 0.25,
                };
                let regulariser = ROWS as f64 * curvature / (DIMENSION as f64 * ratio);
                let data = sphere(loss, ROWS, DIMENSION);
                let label = ("synthetic-sphere", loss.id());
                self.settings.push(Setting::new(label, loss, data, regulariser, 2 * ROWS as u64)?);
                self.add_cells(Part::Sweep, 1.0, &System::OF_THE_SWEEP)?;
            }
        }
        Ok(())
    }

    /// What a cell is stored under: every number that it depends on.
    fn key(&self, cell: &StudyCell) -> String {
        format!(
            "{}; repetitions {}; chain {}",
            self.identity(cell),
            self.options.repetitions,
            self.largest_chain()
        )
    }

    /// Steps of a certified chain: five million are two seconds for one fit.
    fn largest_chain(&self) -> u64 {
        if self.options.quick { 500_000 } else { 5_000_000 }
    }

    /// The cell, however often it is repeated.
    fn identity(&self, cell: &StudyCell) -> String {
        let setting = &self.settings[cell.setting];
        let kind = if matches!(cell.total, Guarantee::Pure(_)) { "epsilon" } else { "mu" };
        format!(
            "schema {SCHEMA}; version {}; {} {} {} {}; records {:016x}; {kind} {:e}; {}",
            env!("CARGO_PKG_VERSION"),
            cell.part.id(),
            setting.name,
            setting.variant,
            setting.loss().id(),
            setting.fingerprint(),
            cell.total.parameter(),
            cell.system.id()
        )
    }

    /// Runs the cells that are not stored yet, stage by stage, and returns what became of each cell, in their order.
    pub fn run(
        &self,
        store: &Store,
        progress: &(dyn Fn(Progress<'_>) + Sync),
    ) -> Result<Vec<CellOutcome>, ExperimentError> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(self.options.threads.unwrap_or(0)).build();
        let threads = threads.map_err(|_| ExperimentError::Infeasible("the threads cannot be started"))?;
        let mut outcomes = Vec::with_capacity(self.cells.len());
        for stage in self.cells.chunk_by(|a, b| (a.setting, a.part) == (b.setting, b.part)) {
            let setting = stage.first().map(|cell| &self.settings[cell.setting]);
            let title = setting.map_or(String::new(), |it| {
                format!(
                    "{}, {}, d = {}, τ = {:.3}",
                    it.name,
                    it.variant,
                    it.dimension(),
                    it.curvature_ratio()
                )
            });
            progress(Progress::Stage(&title, stage.len()));
            let one = |cell: &StudyCell| {
                let key = self.key(cell);
                let outcome = match store.load(&key) {
                    Some(outcome) => outcome,
                    None => self.measured(cell, store, &key)?,
                };
                progress(Progress::Finished);
                Ok(outcome)
            };
            let finished: Result<Vec<CellOutcome>, ExperimentError> =
                threads.install(|| stage.par_iter().map(one).collect());
            outcomes.extend(finished?);
        }
        Ok(outcomes)
    }

    fn measured(&self, cell: &StudyCell, store: &Store, key: &str) -> Result<CellOutcome, ExperimentError> {
        let seed = fold(EMPTY, self.identity(cell).as_bytes());
        let setting = &self.settings[cell.setting];
        let (total, repetitions, largest_chain) =
            (cell.total, self.options.repetitions, self.largest_chain());
        let outcome =
            match cell.system.measure(setting, &RunSettings { total, repetitions, seed, largest_chain }) {
                Ok(measured) => CellOutcome::Measured(measured),
                Err(ExperimentError::Library(error)) => CellOutcome::Refused(error.to_string()),
                Err(ExperimentError::Infeasible(reason)) => CellOutcome::Refused(reason.to_owned()),
                Err(error) => return Err(error),
            };
        store.save(key, &outcome)?;
        Ok(outcome)
    }
}

/// Rows on the unit sphere; targets that are linear up to noise, or classes with logistic chances.
fn sphere(loss: LossKind, rows: usize, dimension: usize) -> ScaledData {
    let mut rng = ReplayRng::new(29);
    let (mut features, mut targets) = (Vec::with_capacity(rows * dimension), Vec::with_capacity(rows));
    for _ in 0..rows {
        let row = normals(dimension, 1.0, &mut rng);
        let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let linear = (0.6 * row[0] - 0.4 * row[1]) / norm;
        targets.push(match loss {
            LossKind::Squared => (linear + 0.2 * normals(1, 1.0, &mut rng)[0]).clamp(-1.0, 1.0),
            LossKind::Logistic if uniform(&mut rng) < (1.0 + (-6.0 * linear).exp()).recip() => 1.0,
            LossKind::Logistic => -1.0,
        });
        features.extend(row.iter().map(|x| x / norm));
    }
    ScaledData { features, targets, feature_bound: 1.0, target_bound: 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn study(repetitions: u32) -> Study {
        Study::new(Options { data: None, quick: true, repetitions, threads: None }).unwrap()
    }

    /// Another system, setting, budget or number of runs is another cell; more runs begin with the same ones.
    #[test]
    fn no_two_cells_are_stored_under_one_name() {
        let (few, more) = (study(2), study(3));
        let keys: BTreeSet<String> = few.cells().iter().map(|cell| few.key(cell)).collect();
        assert_eq!(keys.len(), few.cells().len());
        assert!(more.cells().iter().all(|cell| !keys.contains(&more.key(cell))));
        assert!(few.cells().iter().zip(more.cells()).all(|(a, b)| few.identity(a) == more.identity(b)));
        assert!(Study::new(Options { repetitions: 0, ..few.options().clone() }).is_err());
    }

    /// Every system has a cell, each with the same total as the others of its panel.
    #[test]
    fn every_system_has_its_cells() {
        let study = study(1);
        for system in System::ALL {
            assert!(study.cells().iter().any(|cell| cell.system == system), "{}", system.id());
        }
        let budgets: BTreeSet<u64> = study
            .cells()
            .iter()
            .filter(|cell| cell.part == Part::Wine)
            .map(|cell| cell.total.parameter().to_bits())
            .collect();
        assert_eq!(budgets.len(), study.budgets().len());
    }
}
