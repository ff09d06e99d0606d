//! The joints of the library: seven ways in which parts that belong together could once be torn apart, each closed by a
//! type (then the test is a `compile_fail` example in the documentation of the type) or refused; and
//! the order of the modules.
//!
//! | hole | closed by |
//! |---|---|
//! | an objective with another Λ than the noise was calibrated for | `Problem::bind` (doc of `Objective`), and below |
//! | a minimiser of another problem than the noise | `Minimiser` carries its problem (doc of `Localisation`) |
//! | a private value handed to a closure | `Private` has no `map` (doc of `Private`) |
//! | a user's loss certified as a built-in one | below |
//! | fields that hold θ_opt, curvature that prints, raw numbers that are "public" | docs of `Mala`, `OnBall`, `PublicValue` |
//! | curvature on the ball in place of curvature everywhere | two types (doc of `OnBall`) |
//! | an audit of a copy of the posterior stage | below |
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may stop")]

use asap_audit::{AuditSettings, Audited, Pair, WorstCase};
use asap_dp::data::{OutOfBounds, Records};
use asap_dp::localise::{Localisation, PureNoise};
use asap_dp::loss::{Huber, Logistic, Loss};
use asap_dp::mechanism::{Mechanism, Output, OutputSettings};
use asap_dp::noise::ReplayRng;
use asap_dp::optimise::Minimiser;
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use asap_dp::{Bounds, Error, Learner, MechanismKind, Problem};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn records(bounds: Bounds) -> Records<Logistic> {
    Records::new(Logistic, bounds, OutOfBounds::Clip, vec![0.9], vec![1.0]).unwrap()
}

/// Hole 1: Λ = 100 planned, an objective of Λ = 0.01: θ_0 moved nine times as far as its sensitivity said.
#[test]
fn an_objective_of_another_problem_is_refused() {
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
    let [planned, other] =
        [100.0, 0.01].map(|regulariser| Problem::new(Logistic, bounds.clone(), 1, regulariser).unwrap());
    let share = Guarantee::Pure(Epsilon::new(1.0).unwrap());
    let minimiser = Minimiser::new(&planned).unwrap();
    let localisation = Localisation::new(minimiser.clone(), PureNoise::Laplace, share).unwrap();
    let records = records(bounds);
    let (right, wrong) = (planned.bind(&records).unwrap(), other.bind(&records).unwrap());
    assert!(localisation.run(&right, &mut ReplayRng::new(1)).is_ok());
    let refused = localisation.run(&wrong, &mut ReplayRng::new(1)).err().unwrap();
    assert!(matches!(refused, Error::Input(input) if input.field == "objective"));
    assert!(matches!(minimiser.run(&wrong).err().unwrap(), Error::Input(_)));
    // Nor does a mechanism run on records that were held to other bounds.
    let wide = self::records(Bounds::new(2.0).unwrap().with_target(1.0).unwrap());
    let output = Output::plan(&planned, share, OutputSettings::default()).unwrap();
    let refused = output.run(&wide, &mut ReplayRng::new(1)).err().unwrap();
    assert!(matches!(refused, Error::Input(input) if input.field == "records"));
}

/// Records are bound to problems of their own loss, bounds and number of columns only.
#[test]
fn records_of_another_problem_are_refused() {
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
    let huber = |delta| Huber::new(delta).unwrap();
    let records =
        Records::new(huber(0.5), bounds.clone(), OutOfBounds::Clip, vec![0.9, 0.1], vec![1.0]).unwrap();
    let problem = |delta, bounds, d| Problem::new(huber(delta), bounds, d, 1.0).unwrap();
    assert!(problem(0.5, bounds.clone(), 2).bind(&records).is_ok());
    for other in [
        problem(0.6, bounds.clone(), 2),
        problem(0.5, bounds.clone(), 3),
        problem(0.5, bounds.clone().with_target(2.0).unwrap(), 2),
        problem(0.5, bounds.with_max_rows(7).unwrap(), 2),
    ] {
        assert_eq!(other.bind(&records).err().unwrap().field, "records");
    }
}

/// A loss of somebody else who calls it "logistic", with a slope that is wrong by a factor 5.
#[derive(Clone, Copy, PartialEq)]
struct Pretender;

impl Loss for Pretender {
    fn name(&self) -> &'static str {
        "logistic"
    }
    fn value(&self, z: f64, y: f64) -> f64 {
        Logistic.value(z, y)
    }
    fn slope(&self, z: f64, y: f64) -> f64 {
        5.0 * Logistic.slope(z, y)
    }
    fn curvature(&self, z: f64, y: f64) -> f64 {
        Logistic.curvature(z, y)
    }
    fn slope_bound(&self, reach: f64, bounds: &Bounds) -> f64 {
        Logistic.slope_bound(reach, bounds)
    }
    fn curvature_bound(&self) -> f64 {
        0.25
    }
    fn curvature_floor(&self, _: f64, _: f64, _: f64) -> f64 {
        0.0
    }
    fn value_at_zero(&self, bounds: &Bounds) -> f64 {
        Logistic.value_at_zero(bounds)
    }
    fn slope_rounding(&self, reach: f64, bounds: &Bounds) -> f64 {
        Logistic.slope_rounding(reach, bounds)
    }
    fn admit(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        Logistic.admit(target, bounds)
    }
    fn targets(&self) -> asap_dp::loss::Targets {
        Logistic.targets()
    }
    fn clip(&self, target: f64, bounds: &Bounds) -> Option<f64> {
        Logistic.clip(target, bounds)
    }
}

/// Hole 4: whatever a loss says of itself, a loss of a user is recorded as one, nothing about it is claimed, and the
/// release is not certified.
#[test]
fn a_users_loss_is_never_certified() {
    // With more rows the errors that a user's loss claims by default do not fit, and the plan is refused.
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(1000).unwrap();
    let records =
        Records::new(Pretender, bounds, OutOfBounds::Clip, vec![0.9, 0.1], vec![1.0, -1.0]).unwrap();
    for kind in MechanismKind::ALL {
        let learner = Learner::new(5.0).mu(1.0).unwrap().mechanism(kind);
        let release = learner.fit(&records, &mut ReplayRng::new(1)).unwrap();
        let certificate = release.certificate();
        assert!(!certificate.certified);
        assert!(
            matches!(&certificate.problem.loss, asap_contracts::Loss::User { name, .. } if name == "logistic")
        );
        for page in ["own:losses", "own:objective"] {
            let claim = certificate.claims.iter().find(|claim| claim.spec == page).unwrap();
            assert_eq!(claim.status, asap_contracts::Status::Assumed);
        }
        let verdict = release.check().unwrap();
        assert!(verdict.assumed.iter().any(|assumed| assumed.spec == "own:losses"));
        // Renaming the loss in the record does not help: the digest shows it, and so do the claims.
        let mut forged = release.as_checked().clone();
        forged.certificate.problem.loss = asap_contracts::Loss::Logistic;
        assert!(forged.check().is_err() && forged.seal().check().is_err());
    }
}

/// Hole 7: the posterior stage of an audit is the mechanism's own. On the same bits, around the θ_0 of a fit, it
/// releases what the fit releases.
#[test]
fn the_audit_runs_the_code_that_ships() {
    let settings = AuditSettings::new(Guarantee::Gaussian(Mu::new(1.0).unwrap()));
    let case = WorstCase::new(&settings, Pair::AddedToOne).unwrap();
    for seed in 0..20 {
        let rng = &mut ReplayRng::new(seed);
        let objective = case.objective(1).unwrap();
        let localised = case.plan().localisation().run(&objective, rng).unwrap();
        let reference = case.plan().reference(localised.theta_0()).unwrap();
        let theta = case.released(&reference, 1, rng).unwrap();
        let shipped = case.plan().run(case.records(1), &mut ReplayRng::new(seed)).unwrap();
        assert_eq!(theta, shipped.theta);
    }
    assert_eq!(case.claim(Audited::Release).unwrap(), settings.guarantee);
}

// ---------------------------------------------------------------- the order of the modules

/// The modules that each module of `src/` uses, from the text of its files without their tests.
fn uses(folder: &Path, module: Option<&str>, found: &mut BTreeMap<String, BTreeSet<String>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let module = module.map_or(stem, str::to_owned);
        if path.is_dir() {
            uses(&path, Some(&module), found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && module != "lib" {
            let text = std::fs::read_to_string(&path).unwrap();
            // Documentation may refer to anything; tests come last in a file and may use anything.
            let code = text
                .lines()
                .take_while(|line| *line != "#[cfg(test)]")
                .filter(|line| !line.trim_start().starts_with("//"));
            let code: String = code.collect::<Vec<_>>().join("\n");
            let set = found.entry(module.clone()).or_default();
            if !path.ends_with("tests.rs") {
                set.extend(used(&code).filter(|name| *name != module).map(str::to_owned));
            }
        }
    }
}

/// What stands after `crate::`, also inside of braces.
fn used(code: &str) -> impl Iterator<Item = &str> {
    code.split("crate::").skip(1).filter_map(|rest| {
        let rest = rest.trim_start_matches('{');
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        // Macros and the harnesses' support are not modules of the library.
        Some(&rest[..end])
            .filter(|name| !name.is_empty() && name.starts_with(char::is_lowercase) && *name != "proofs")
    })
}

/// A cycle of the graph, if there is one.
fn cycle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn visit(
        at: &str,
        graph: &BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(first) = path.iter().position(|name| name == at) {
            return Some(path[first..].to_vec());
        }
        if done.contains(at) {
            return None;
        }
        path.push(at.to_owned());
        let found = graph.get(at).into_iter().flatten().find_map(|next| visit(next, graph, path, done));
        path.pop();
        done.insert(at.to_owned());
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|start| visit(start, graph, &mut Vec::new(), &mut done))
}

#[test]
fn the_modules_have_an_order() {
    let mut graph = BTreeMap::new();
    uses(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), None, &mut graph);
    assert!(graph.len() > 20 && graph["learner"].contains("mechanism"), "{graph:?}");
    assert_eq!(cycle(&graph), None, "modules that use each other in a circle");
    // The test sees a circle where there is one.
    graph.get_mut("exact").unwrap().insert("learner".to_owned());
    assert!(cycle(&graph).is_some());
}
