//! The checker and a re-implementation in another language come to the same verdict on edited, resealed releases.
//! `contracts/tests/independent_checker.py` is run where python3 is installed; elsewhere a line says that it was not.
#![allow(clippy::unwrap_used, clippy::panic)]

use asap_contracts::{
    Classes, Feature, Kind, Number, Plain, Scale, Schema, Target, TargetKind, TargetRange, Threshold,
};
use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::localise::PureNoise;
use asap_dp::loss::{Huber, Logistic, Loss, Squared};
use asap_dp::privacy::Neighbours;
use asap_dp::{Learner, MechanismKind, Release, ReplayRng, SamplerKind};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

const IS_SCHEMA: &str = "the schema is valid and fits the loss";

/// Edits of each kind of release.
const EDITS: usize = 1200;

/// A small generator: the same edits on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

fn fitted<L: Loss>(loss: L, learner: &Learner) -> Release {
    let bounds = Bounds::new(1.0).unwrap().with_max_rows(500).unwrap().with_target(2.0).unwrap();
    let features = vec![0.5, 0.1, -0.7, 0.3, 0.2, 0.9, -0.4, -0.1];
    let records = Records::new(loss, bounds, OutOfBounds::Clip, features, vec![1.0, 0.0, 1.0, 0.0]).unwrap();
    learner.fit(&records, &mut ReplayRng::new(7)).unwrap()
}

fn number(name: &str, range: [f64; 2], missing: Option<f64>) -> Feature {
    let kind = Kind::Number(Number { range, scale: Scale::Symmetric, log: false, missing });
    Feature { name: name.to_owned(), kind }
}

fn at_least_six() -> TargetKind {
    TargetKind::Threshold(Threshold { at_least: 6.0, missing: None })
}

fn quality() -> TargetKind {
    TargetKind::Range(TargetRange { range: [0.0, 10.0], missing: None })
}

fn yes_or_no() -> TargetKind {
    let classes = ["no", "yes"].map(str::to_owned).into();
    TargetKind::Classes(Classes { classes, missing: Some("no".to_owned()) })
}

/// The same release with a schema: ranges, a value for missing cells, and this target.
fn prepared(release: Release, target: TargetKind) -> Release {
    let schema = Schema {
        marks: ["", "?"].map(str::to_owned).into(),
        features: vec![number("a", [8.0, 14.5], Some(11.0)), number("b", [-2.5, 0.0], None)],
        target: Target { name: "y".to_owned(), kind: target, weights: None },
        ignored: vec!["c".to_owned()],
        person: None,
    };
    release.with_columns(schema).unwrap()
}

/// Releases of one mechanism. A new mechanism has its line here, and its function in the script.
fn releases(mechanism: MechanismKind) -> Vec<Release> {
    let pure = Learner::new(5.0).epsilon(1.0).unwrap().mechanism(mechanism).expected_rows(100);
    let gaussian = Learner::new(5.0).mu(1.0).unwrap().mechanism(mechanism).expected_rows(100);
    let replaced = pure.neighbours(Neighbours::ReplaceOne).parameter_bound(3.0);
    let mut all = vec![
        fitted(Logistic, &pure),
        fitted(Squared, &gaussian.parameter_bound(1.0)),
        fitted(Huber::new(0.5).unwrap(), &replaced.noise(PureNoise::Laplace)),
    ];
    match mechanism {
        MechanismKind::Posterior => all.push(fitted(Logistic, &gaussian.sampler(SamplerKind::Proximal))),
        MechanismKind::Output => {
            let squared = fitted(Squared, &gaussian.parameter_bound(1.0));
            all.push(prepared(squared, quality()));
            let classes = |target| prepared(fitted(Logistic, &pure), target);
            all.extend([classes(at_least_six()), classes(yes_or_no())]);
        }
        // What was chosen, with the comparison.
        MechanismKind::Objective => {
            all.push(fitted(Logistic, &Learner::new(5.0).epsilon(1.0).unwrap()));
            all.push(fitted(Logistic, &gaussian));
            all.push(fitted(Logistic, &gaussian.neighbours(Neighbours::ReplaceOne)));
        }
        MechanismKind::NoisyGradient => {
            all.push(fitted(Squared, &Learner::new(5.0).mu(1.0).unwrap().parameter_bound(1.0)));
        }
    }
    all
}

/// Every number and every word of a value, as JSON pointers.
fn leaves(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(k, item)| leaves(item, &format!("{pointer}/{k}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, item)| leaves(item, &format!("{pointer}/{name}"), found));
        }
        Value::Null => {}
        _ => found.push(pointer.to_owned()),
    }
}

/// Something near, or far, in place of what is there.
fn edited(old: &Value, numbers: &mut Numbers) -> Value {
    if let Some(whole) = old.as_i64() {
        let step = [1, -1, 2, -7, whole / 3, whole, 1 << 20][numbers.below(7)];
        return whole.saturating_add(step).into();
    }
    if let Some(x) = old.as_f64() {
        let k = i32::try_from(numbers.below(52)).unwrap();
        let small = 2_f64.powi(-k - 1);
        return [x.next_up(), x.next_down(), x * (1.0 + small), x * (1.0 - small), x * 2.0, x * 0.5, -x, 0.0]
            [numbers.below(8)]
        .into();
    }
    match old {
        Value::Bool(it) => (!it).into(),
        Value::String(word) => {
            let words = ["add-remove", "replace-one", "secure", "replay", "rigorous", "real-arithmetic-only"];
            let more =
                ["proved", "tested", "assumed", "exact", "proximal", "mala", "tight", "paper", "squared"];
            let all: Vec<&str> = words.into_iter().chain(more).filter(|it| it != word).collect();
            all[numbers.below(all.len())].into()
        }
        other => other.clone(),
    }
}

/// One edit, or two numbers exchanged; now and then two edits.
fn edit(release: &Release, numbers: &mut Numbers) -> Option<asap_contracts::Release> {
    let text = edited_text(&release.to_json(), "certificate", numbers);
    asap_contracts::Release::from_json(&text).ok().map(asap_contracts::Release::seal)
}

/// The same of a text, in one of its fields.
fn edited_text(text: &str, field: &str, numbers: &mut Numbers) -> String {
    let mut whole: Value = serde_json::from_str(text).unwrap();
    let mut found = Vec::new();
    leaves(&whole[field], &format!("/{field}"), &mut found);
    // Words are many and easily told: three quarters of the edits are of numbers.
    let is_number = |pointer: &String| whole.pointer(pointer).unwrap().is_number();
    let (figures, words): (Vec<String>, Vec<String>) = found.into_iter().partition(is_number);
    for _ in 0..=usize::from(numbers.below(8) == 0) {
        let from = if numbers.below(8) == 0 { &words } else { &figures };
        let pointer = &from[numbers.below(from.len())];
        let old = whole.pointer(pointer).unwrap().clone();
        let other = &figures[numbers.below(figures.len())];
        let swapped = whole.pointer(other).unwrap().clone();
        if from == &figures && numbers.below(10) == 0 {
            *whole.pointer_mut(other).unwrap() = old;
            *whole.pointer_mut(pointer).unwrap() = swapped;
        } else {
            *whole.pointer_mut(pointer).unwrap() = edited(&old, numbers);
        }
    }
    whole.to_string()
}

/// The script's verdict on each line; `None` where there is no python3.
fn second_opinion(lines: &str) -> Option<Vec<String>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/contracts/tests/independent_checker.py");
    let mut child =
        Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut input = child.stdin.take().unwrap();
    let text = lines.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let said = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(said.status.success());
    Some(String::from_utf8(said.stdout).unwrap().lines().map(str::to_owned).collect())
}

/// One line each: the same text without the line ends of the pretty one.
fn line(it: &asap_contracts::Release) -> String {
    it.to_json().lines().map(str::trim_start).collect::<String>() + "\n"
}

fn agrees(mechanism: MechanismKind) {
    let releases = releases(mechanism);
    let mut numbers = Numbers(11);
    let mut edits: Vec<asap_contracts::Release> = releases.iter().map(|it| it.as_checked().clone()).collect();
    while edits.len() < EDITS {
        let release = &releases[numbers.below(releases.len())];
        edits.extend(edit(release, &mut numbers));
    }
    let Some(said) = second_opinion(&edits.iter().map(line).collect::<String>()) else {
        println!("SKIPPED: python3 is not installed, the second opinion was not asked");
        return;
    };
    assert_eq!(said.len(), edits.len());
    let mut holds = 0;
    for (edit, said) in edits.iter().zip(&said) {
        let verdict = edit.check();
        let mine = verdict.as_ref().err().map_or("ok".to_owned(), ToString::to_string);
        assert_eq!(verdict.is_ok(), said == "ok", "here: {mine}; there: {said}; of {}", edit.to_json());
        holds += usize::from(verdict.is_ok());
    }
    println!("{mechanism:?}: {} edits, {holds} hold", edits.len());
    assert!(releases.iter().all(|it| it.certificate().mechanism.name() == mechanism.name()));
    // Not all on one side.
    assert!(holds > EDITS / 10 && holds < EDITS * 9 / 10, "{holds}");
}

/// An edit that chance does not make, and the one clause that it breaks.
type ByHand = (&'static str, asap_contracts::Release);

fn with_tilt(
    release: &Release,
    edit: impl Fn(&mut asap_contracts::Certificate, &mut asap_contracts::ObjectivePerturbation),
) -> asap_contracts::Release {
    let mut whole = release.as_checked().clone();
    let asap_contracts::Mechanism::Objective(mut tilt) = whole.certificate.mechanism.clone() else {
        panic!("objective perturbation")
    };
    edit(&mut whole.certificate, &mut tilt);
    whole.certificate.mechanism = asap_contracts::Mechanism::Objective(tilt);
    whole.seal()
}

/// Tilts in which everything holds but one clause of own:gaussian-tilt.
fn tilts_by_hand() -> Vec<ByHand> {
    let learner = |budget: Learner| budget.mechanism(MechanismKind::Objective).expected_rows(100);
    let pure = fitted(Logistic, &learner(Learner::new(5.0).epsilon(1.0).unwrap()));
    let gaussian = fitted(Logistic, &learner(Learner::new(5.0).mu(1.0).unwrap()));
    let twice = with_tilt(&gaussian, |certificate, tilt| {
        certificate.neighbours = asap_contracts::Neighbours::ReplaceOne;
        tilt.lipschitz *= 2.0;
        if let asap_contracts::Tilt::Whole(asap_contracts::Noise::RoundedNormal { steps, .. }) =
            &mut tilt.tilt
        {
            *steps *= 2;
        }
    });
    // A small slope of both signs: its G leaves room for its Jacobian, ln(1 + 1/5).
    // What was free is paid for apart.
    let apart = |certificate: &mut asap_contracts::Certificate,
                 tilt: &mut asap_contracts::ObjectivePerturbation| {
        tilt.price = asap_contracts::Price::Apart;
        certificate.claims.retain(|claim| claim.spec != "own:joint-price");
    };
    let both_signs = with_tilt(&gaussian, |certificate, tilt| {
        apart(certificate, tilt);
        certificate.problem.loss = asap_contracts::Loss::Huber { delta: 0.25 };
        (tilt.lipschitz, tilt.smoothness, tilt.jacobian) = (0.26, 1.001, Some(0.1833));
        // Its gradients are rounded more: all of the last stage is eight times as large.
        (tilt.asap.error, tilt.asap.charge) = (8.0 * tilt.asap.error, 8.0 * tilt.asap.charge);
        if let asap_contracts::Noise::RoundedNormal { steps, .. } = &mut tilt.asap.noise {
            *steps *= 8;
        }
    });
    let stated_twice = with_tilt(&pure, |_, tilt| tilt.jacobian = Some(0.25));
    let cheap = with_tilt(&gaussian, |certificate, tilt| {
        apart(certificate, tilt);
        tilt.jacobian = Some(0.0487);
        if let asap_contracts::Tilt::Whole(asap_contracts::Noise::RoundedNormal { steps, .. }) =
            &mut tilt.tilt
        {
            *steps += *steps / 10;
        }
    });
    vec![
        ("Jacobian is free: the tilt of one loss hides its curvature", twice),
        ("slope of the loss keeps its sign", both_signs),
        ("Jacobian is stated once", stated_twice),
        ("share of the Jacobian is at least ln(1 + β/Λ)", cheap),
    ]
}

/// Schemas of which one part is none.
fn preparations_by_hand() -> Vec<ByHand> {
    type Edit = fn(&mut Schema);
    let output = |learner: Learner| learner.mechanism(MechanismKind::Output);
    let classes =
        prepared(fitted(Logistic, &output(Learner::new(5.0).epsilon(1.0).unwrap())), at_least_six());
    let bounded = output(Learner::new(5.0).mu(1.0).unwrap()).parameter_bound(1.0);
    let numbers = prepared(fitted(Squared, &bounded), quality());
    let edited = |release: &Release, edit: Edit| {
        let mut whole = release.as_checked().clone();
        edit(whole.columns.as_mut().unwrap());
        whole.seal()
    };
    assert!(edited(&classes, |_| {}).check().is_ok() && edited(&numbers, |_| {}).check().is_ok());
    let widest = edited(&numbers, |it| it.features[0] = number("a", [-1e308, 7e307], None));
    assert!(widest.check().is_ok());
    let of_classes: [Edit; 9] = [
        |it| it.features[0] = number("a", [2.0, 1.0], None),
        |it| it.features[0] = number("a", [2.0, 2.0], None),
        |it| it.features[0] = number("a", [-1e308, 1e308], None),
        |it| it.features[0].name = it.features[1].name.clone(),
        |it| it.features[0].name = String::new(),
        |it| it.ignored.push("y".to_owned()),
        |it| it.marks.push("?".to_owned()),
        // A class has no range.
        |it| it.target.kind = quality(),
        |it| {
            let classes = ["yes", "yes"].map(str::to_owned).into();
            it.target.kind = TargetKind::Classes(Classes { classes, missing: None });
        },
    ];
    let mut all: Vec<ByHand> =
        of_classes.into_iter().map(|edit| (IS_SCHEMA, edited(&classes, edit))).collect();
    all.push((IS_SCHEMA, edited(&numbers, |it| it.target.kind = at_least_six())));
    all.push(("columns name every parameter", edited(&numbers, |it| drop(it.features.pop()))));
    let plain: Edit =
        |it| it.features.push(Feature { name: "d".to_owned(), kind: Kind::Plain(Plain::default()) });
    all.push(("columns name every parameter", edited(&numbers, plain)));
    all
}

/// Without any of these clauses on either side the two would not agree.
#[test]
fn edits_by_hand_are_refused_by_both() {
    let all: Vec<ByHand> = tilts_by_hand().into_iter().chain(preparations_by_hand()).collect();
    for (clause, edit) in &all {
        assert_eq!(edit.check().unwrap_err().clause(), *clause);
    }
    let Some(said) = second_opinion(&all.iter().map(|(_, it)| line(it)).collect::<String>()) else {
        println!("SKIPPED: python3 is not installed, the second opinion was not asked");
        return;
    };
    assert_eq!(said.len(), all.len());
    for ((clause, _), said) in all.iter().zip(&said) {
        assert_ne!(said, "ok", "{clause}");
    }
}

#[test]
fn output_perturbation() {
    agrees(MechanismKind::Output);
}

#[test]
fn posterior_sampling() {
    agrees(MechanismKind::Posterior);
}

#[test]
fn objective_perturbation() {
    agrees(MechanismKind::Objective);
}

#[test]
fn noisy_gradient_descent() {
    agrees(MechanismKind::NoisyGradient);
}

/// Models of three classes: pure and Gaussian, with persons, weights and a schema.
fn several_classes() -> Vec<asap_contracts::OneAgainstRest> {
    use asap_dp::loss::AgainstRest;
    use asap_dp::one_against_rest::{ClassPlans, with_columns};
    let names = ["a", "b", "c"].map(str::to_owned);
    let fitted = |learner: &Learner, weights: Option<&[f64]>, rows: Option<u64>| {
        let bounds = Bounds::new(1.0).unwrap().with_max_rows(500).unwrap();
        let bounds = rows.map_or(bounds.clone(), |rows| bounds.with_rows_per_person(rows).unwrap());
        let (loss, clip) = (AgainstRest::new(0, 3).unwrap(), OutOfBounds::Clip);
        let fill = |k: usize, row: &mut [f64]| {
            row.copy_from_slice(&[0.3, -0.2 * k as f64]);
            k as f64
        };
        let records = match rows {
            None => Records::from_rows(loss, bounds.clone(), clip, 2, 3, fill),
            Some(_) => Records::from_rows_of_persons(loss, bounds.clone(), clip, 2, 3, |_| "anna", fill),
        };
        let plans = ClassPlans::new(learner, &names, weights, &bounds, 2).unwrap();
        let rng = &mut ReplayRng::new(7);
        let fit = plans.release_entered(&records.unwrap(), rng, || Ok(()), |error: asap_dp::Error| error);
        fit.unwrap().0
    };
    let pure = Learner::new(5.0).epsilon(1.0).unwrap().mechanism(MechanismKind::Output);
    let gaussian = Learner::new(5.0).mu(1.0).unwrap().mechanism(MechanismKind::Output);
    let objective = Learner::new(5.0).epsilon(1.0).unwrap().mechanism(MechanismKind::Objective);
    let schema = |weights: Option<Vec<f64>>| Schema {
        marks: vec!["?".to_owned()],
        features: vec![number("x", [8.0, 14.5], Some(11.0)), number("z", [-2.5, 0.0], None)],
        target: Target {
            name: "y".to_owned(),
            kind: TargetKind::Classes(Classes { classes: names.to_vec(), missing: None }),
            weights,
        },
        ignored: vec![],
        person: None,
    };
    let weights = vec![1.0, 4.0, 2.0];
    vec![
        fitted(&pure, None, None),
        fitted(&gaussian, None, Some(2)),
        with_columns(fitted(&objective, None, None), schema(None)).unwrap(),
        with_columns(fitted(&pure, Some(&weights), None), schema(Some(weights.clone()))).unwrap(),
    ]
}

/// Files of more than two classes, edited and sealed again: numbers of parts, totals and columns, and whole parts.
#[test]
fn both_agree_on_several_classes() {
    let models = several_classes();
    let mut numbers = Numbers(23);
    let mut edits = models.clone();
    while edits.len() < EDITS {
        let model = &models[numbers.below(models.len())];
        let field =
            if model.columns.is_some() && numbers.below(4) == 0 { "columns" } else { "one_against_rest" };
        let text = edited_text(&model.to_json(), field, &mut numbers);
        let mut edit = match asap_contracts::OneAgainstRest::from_json(&text) {
            Ok(edit) if numbers.below(4) > 0 => edit,
            _ => model.clone(),
        };
        let other = &models[numbers.below(models.len())].one_against_rest;
        let parts = &mut edit.one_against_rest.parts;
        match numbers.below(12) {
            0 => parts.swap(0, 1),
            1 => drop(parts.pop()),
            2 => parts.push(parts[0].clone()),
            3 => parts[1].certificate = other.parts[1].certificate.clone(),
            4 => (parts[0].class, parts[2].class) = (parts[2].class.clone(), parts[0].class.clone()),
            5 => parts[2].class.push('d'),
            6 => edit.one_against_rest.total = other.total,
            _ => {}
        }
        edits.push(edit.seal());
    }
    let line = |it: &asap_contracts::OneAgainstRest| {
        it.to_json().lines().map(str::trim_start).collect::<String>() + "\n"
    };
    let Some(said) = second_opinion(&edits.iter().map(line).collect::<String>()) else {
        println!("SKIPPED: python3 is not installed, the second opinion was not asked");
        return;
    };
    assert_eq!(said.len(), edits.len());
    let mut holds = 0;
    for (edit, said) in edits.iter().zip(&said) {
        let verdict = edit.check();
        let mine = verdict.as_ref().err().map_or("ok".to_owned(), ToString::to_string);
        assert_eq!(verdict.is_ok(), said == "ok", "here: {mine}; there: {said}; of {}", edit.to_json());
        holds += usize::from(verdict.is_ok());
    }
    println!("several classes: {} edits, {holds} hold", edits.len());
    assert!(holds > EDITS / 20 && holds < EDITS * 9 / 10, "{holds}");
}
