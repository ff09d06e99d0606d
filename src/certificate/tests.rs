use super::*;
use crate::data::{Bounds, OutOfBounds, Records};
use crate::learner::Learner;
use crate::loss::{Huber, Logistic, Squared};
use crate::model::Model;
use crate::noise::ReplayRng;
use crate::plan::Settings;
use crate::privacy::{Epsilon, Mu};
use quickcheck::{Arbitrary, Gen};
use serde_json::Value;

fn records<L: Loss>(loss: L, intercept: bool) -> Records<L> {
    let bounds = Bounds::new(1.0).unwrap().with_intercept(intercept).unwrap().with_max_rows(1000).unwrap();
    let features: Vec<f64> = (0..80).map(|i| f64::from(i % 9) / 12.0 - 0.3).collect();
    let targets: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
    Records::new(loss, bounds, OutOfBounds::Clip, features, targets).unwrap()
}

fn fit<L: Loss + Copy>(loss: L, learner: Learner) -> Certificate {
    learner.fit(&records(loss, true), &mut ReplayRng::new(1)).unwrap().certificate().clone()
}

/// One certificate of each kind.
fn certificates() -> Vec<Certificate> {
    let learner = Learner::new(20.0);
    let (pure, gaussian) = (learner.epsilon(1.0).unwrap(), learner.mu(0.7).unwrap());
    vec![
        fit(Logistic, pure),
        fit(Logistic, gaussian),
        fit(Squared, pure.parameter_bound(1.0).neighbours(Neighbours::ReplaceOne)),
        fit(Squared, gaussian),
        fit(Huber::new(0.4).unwrap(), gaussian.parameter_bound(1.0)),
    ]
}

/// Every number in a JSON value, by its path.
fn numbers(value: &Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    match value {
        Value::Number(_) => found.push(path.clone()),
        Value::Array(items) => {
            for (k, item) in items.iter().enumerate() {
                path.push(k.to_string());
                numbers(item, path, found);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                path.push(name.clone());
                numbers(item, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

#[test]
fn an_edit_of_any_number_is_seen() {
    for certificate in certificates() {
        certificate.check().unwrap();
        let whole: Value = serde_json::from_str(&certificate.to_json()).unwrap();
        let mut found = Vec::new();
        numbers(&whole, &mut Vec::new(), &mut found);
        assert!(found.len() > 25);
        for path in found {
            let pointer = format!("/{}", path.join("/"));
            let old = whole.pointer(&pointer).unwrap().clone();
            let edits = match (old.as_u64(), old.as_f64()) {
                (Some(k), _) => vec![Value::from(k + 1), Value::from(0), Value::from(u64::MAX)],
                (_, Some(x)) => vec![Value::from(x * 1.5 + 0.1), Value::from(x.next_up()), Value::from(-x)],
                _ => vec![Value::from(3)],
            };
            for edit in edits.into_iter().filter(|edit| *edit != old) {
                let mut edited = whole.clone();
                *edited.pointer_mut(&pointer).unwrap() = edit;
                let seen = Certificate::from_json(&edited.to_string()).and_then(|edited| edited.check());
                assert!(seen.is_err(), "{pointer}");
            }
        }
    }
}

/// Whoever edits a number can also recompute the digest. Then the inequality has to fail, with the right id.
#[test]
fn each_inequality_fails_by_itself() {
    type Edit = fn(&mut Certificate);
    let edits: [(&str, &str, Edit); 19] = [
        ("own:certificate", "schema version is known", |c| c.schema += 1),
        ("own:certificate", "mechanism is known", |c| c.mechanism.push('!')),
        ("own:certificate", "numeric model is stated", |c| c.numeric_model.clear()),
        ("own:certificate", "points have the dimension of the problem", |c| c.theta.push(0.0)),
        ("own:certificate", "calibration is known", |c| c.method.calibration.push('!')),
        ("own:certificate", "certified says whether constants are asymptotic", |c| {
            c.method.certified = false;
        }),
        ("own:certificate", "claims are those of the mechanism", |c| {
            c.claims[0].status = "proved twice".into();
        }),
        ("own:losses", "regulariser is positive", |c| c.problem.regulariser = -1.0),
        ("own:losses", "row norm covers features and intercept", |c| c.problem.row_norm *= 0.999_999),
        ("lem:sensitivity_minimizer", "minimiser bound holds every minimiser", |c| {
            c.localisation.minimiser_bound *= 0.99;
        }),
        ("own:losses", "Lipschitz constant of the localisation", |c| c.localisation.lipschitz *= 0.99),
        ("own:certified-minimiser", "tolerance is above twice the rounding", |c| {
            c.localisation.rounding = c.localisation.tolerance;
        }),
        ("lem:sensitivity_minimizer", "sensitivity covers G/Λ + 2τ", |c| {
            c.localisation.sensitivity *= 0.999;
        }),
        ("lem:OutPert_DP", "scale of θ_0's noise covers its sensitivity", |c| {
            c.localisation.noise.numerator -= c.localisation.noise.numerator / 500;
        }),
        ("own:lattice", "θ_0 is on its lattice", |c| {
            c.localisation.theta_0[0] = c.localisation.theta_0[0].next_up();
        }),
        ("own:ball", "centre norm covers θ_0", |c| c.reference.centre_norm *= 0.999),
        ("own:losses", "Lipschitz constant on the ball", |c| c.reference.lipschitz *= 0.999),
        ("thm:asap_privacy", "scale of θ̂'s noise covers twice the error and the rounding", |c| {
            c.asap.noise.numerator -= c.asap.noise.numerator / 50;
        }),
        ("own:lattice", "θ̂ is on its lattice", |c| c.theta[0] = c.theta[0].next_up()),
    ];
    let mut shares: Vec<(&str, &str, Edit)> = vec![
        ("thm:asap_privacy", "norm of the error is that of the guarantee", |c| c.asap.norm = 3 - c.asap.norm),
        ("thm:asap_privacy", "error is positive", |c| c.asap.error = 0.0),
        ("thm:asap_privacy", "noise of θ̂ is of the right kind", |c| c.asap.noise.law.push('!')),
        ("lem:OutPert_DP", "noise of θ_0 is of the right kind", |c| c.localisation.noise.numerator = 0),
        ("own:lattice", "lattice steps are normal numbers", |c| c.asap.noise.lattice_exponent = i32::MIN),
        ("own:lattice", "lattice steps are normal numbers", |c| {
            c.localisation.noise.lattice_exponent = i32::MAX;
        }),
        ("own:ball", "radius is positive", |c| c.reference.radius = 0.0),
        ("own:certificate", "gamma is positive", |c| c.reference.gamma = f64::NAN),
        ("lem:adaptive_composition", "shares spend at most the total", |c| c.shares.asap = c.shares.total),
        ("own:budget-split", "shares are of the kind of the total", |c| {
            c.shares.asap = match c.shares.asap {
                Guarantee::Pure(_) => Guarantee::Gaussian(Mu::new(0.01).unwrap()),
                Guarantee::Gaussian(_) => Guarantee::Pure(Epsilon::new(0.01).unwrap()),
            };
        }),
    ];
    shares.extend(edits);
    for certificate in certificates() {
        let temperature: (&str, &str, Edit) = match certificate.shares.total {
            Guarantee::Pure(_) => {
                ("lem:pure_DP_Post_Sam", "2γGB is at most ε", |c| c.reference.gamma *= 1.001)
            }
            Guarantee::Gaussian(_) => {
                ("lem:GDP_Post_Sam", "γG² is at most μ²Λ", |c| c.reference.gamma *= 1.001)
            }
        };
        for (spec, clause, edit) in shares.iter().copied().chain([temperature]) {
            let mut edited = certificate.clone();
            edit(&mut edited);
            edited.digest = edited.computed_digest();
            assert_eq!(edited.check().unwrap_err(), CheckFailed { spec, clause });
        }
    }
}

#[test]
fn text_that_is_no_certificate_is_refused() {
    let good = certificates()[0].to_json();
    for bad in
        ["", "{}", "null", "[1, 2]", &good[..good.len() / 2], &good.replace("\"schema\"", "\"scheme\"")]
    {
        assert_eq!(Certificate::from_json(bad).unwrap_err().clause, "well-formed");
    }
    assert!(Certificate::from_json(&good.replacen('{', "{\"extra\": 1,", 1)).is_err(), "unknown fields");
}

/// Only whitelisted fields are serialised: this is the whole vocabulary of a certificate.
#[test]
fn a_certificate_has_these_fields_and_no_others() {
    let whole: Value = serde_json::from_str(&certificates()[0].to_json()).unwrap();
    let mut names: Vec<&str> = whole.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "asap",
            "claims",
            "crate_version",
            "digest",
            "localisation",
            "mechanism",
            "method",
            "neighbours",
            "numeric_model",
            "problem",
            "randomness",
            "reference",
            "schema",
            "shares",
            "theta"
        ]
    );
}

/// Public parameters over a wide range: n from 1 to 10⁹, d from 1 to 10⁴, ε from 10⁻⁶ to 50, κ up to 10⁶.
#[derive(Clone, Debug)]
struct PublicParameters {
    rows: u64,
    dimension: usize,
    budget: f64,
    condition: f64,
    centre: f64,
}

impl Arbitrary for PublicParameters {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn arbitrary(g: &mut Gen) -> Self {
        let mut log = |low: f64, high: f64| {
            let t = f64::from(u32::arbitrary(g)) / f64::from(u32::MAX);
            (low.ln() + t * (high / low).ln()).exp()
        };
        Self {
            rows: log(1.0, 1e9) as u64,
            dimension: log(1.0, 1e4) as usize,
            budget: log(1e-6, 50.0),
            condition: log(1.000_001, 1e6),
            centre: log(1e-6, 1e3),
        }
    }
}

/// Plans a release and checks what its certificate would say; `None` where the combination is refused.
fn planned<L: Loss + Copy>(loss: L, p: &PublicParameters, settings: Settings) -> Option<Certificate> {
    let bounds = Bounds::new(1.0).unwrap().with_max_rows(p.rows).unwrap();
    let regulariser = p.rows as f64 * loss.smoothness(&bounds).unwrap() / (p.condition - 1.0);
    let model = Model::new(loss, bounds, p.dimension, regulariser).ok()?;
    let plan = Plan::new(&model, Settings { expected_rows: p.rows, ..settings }).ok()?;
    let lattice = plan.localisation().noise().lattice();
    let theta_0 = vec![lattice.point(lattice.round_clamped(p.centre)); p.dimension];
    let reference = plan.reference(&theta_0).ok()?;
    Some(Certificate::new(&plan, &reference, &vec![0.0; p.dimension], Provenance::Replay).unwrap())
}

#[test]
fn every_plan_over_a_wide_range_satisfies_its_certificate() {
    let mut refused = 0;
    let mut run = |p: &PublicParameters| {
        for guarantee in [
            Guarantee::Pure(Epsilon::new(p.budget).unwrap()),
            Guarantee::Gaussian(Mu::new(p.budget).unwrap()),
        ] {
            for calibration in [Calibration::Tight, Calibration::Paper(crate::calibrate::Paper::default())] {
                let settings = Settings { calibration, ..Settings::new(guarantee) };
                for certificate in [planned(Logistic, p, settings), planned(Squared, p, settings)] {
                    match certificate {
                        Some(certificate) => assert!(certificate.check().is_ok(), "{p:?}"),
                        None => refused += 1,
                    }
                }
            }
        }
    };
    let mut g = Gen::new(10);
    let runs = 60;
    (0..runs).for_each(|_| run(&PublicParameters::arbitrary(&mut g)));
    assert!(refused < runs * 8 / 2, "{refused} of {} refused", runs * 8);
}
