//! Whole parts of a release added, moved and removed: fields, claims, shares, variants, stages of other releases. The
//! checker and `contracts/tests/independent_checker.py` come to the same verdict on each such file, and neither takes
//! one that promises more than the release that it was made of. (`second_opinion` edits single values.)
//!
//! Sabotage: `noisy_gradient.rs` judged the noise by `ledger.total` and `budget` the shares by `ledger.spends()`; a
//! release of μ = 53 with `"converted": 53` and `"total": {"gaussian": 20}` then passed as 20-GDP.
//! `a_conversion_that_was_not_made` and `noisy_gradient_descent` are red on that, and on each of `output.rs`,
//! `objective.rs` and `posterior.rs` with `total` for `spends()`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    unreachable_pub,
    reason = "a test may stop"
)]

mod answers;
mod tree;

use asap_contracts::{
    Certificate, Feature, Guarantee, Kind, Mechanism, Neighbours as Relation, Number, Plain, Scale, Schema,
    Target, TargetKind, Threshold, Tilt,
};
use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::localise::PureNoise;
use asap_dp::loss::{Huber, Logistic, Loss, Squared};
use asap_dp::privacy::Neighbours;
use asap_dp::{Learner, MechanismKind, Release, ReplayRng, SamplerKind};
use std::io::Write;
use std::process::{Command, Stdio};
use tree::{Place, Tree};

/// Edited files of each mechanism.
const FILES: usize = 500;

/// A small generator: the same edits on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}

fn fitted<L: Loss>(loss: L, learner: &Learner) -> Release {
    let bounds = Bounds::new(1.0).unwrap().with_max_rows(500).unwrap().with_target(2.0).unwrap();
    let features = vec![0.5, 0.1, -0.7, 0.3, 0.2, 0.9, -0.4, -0.1];
    let records = Records::new(loss, bounds, OutOfBounds::Clip, features, vec![1.0, 0.0, 1.0, 0.0]).unwrap();
    learner.fit(&records, &mut ReplayRng::new(7)).unwrap()
}

/// Releases of one mechanism: each kind of guarantee, a conversion where there is one, both
/// relations, names and a rule.
fn releases(mechanism: MechanismKind) -> Vec<Release> {
    let base = Learner::new(5.0).mechanism(mechanism).expected_rows(100);
    let (pure, gaussian) = (base.epsilon(1.0).unwrap(), base.mu(1.0).unwrap());
    let number = Number { range: [8.0, 14.5], scale: Scale::Symmetric, log: false, missing: Some(11.0) };
    let columns = Schema {
        marks: vec![String::new()],
        features: vec![
            Feature { name: "a".to_owned(), kind: Kind::Number(number) },
            Feature { name: "b".to_owned(), kind: Kind::Plain(Plain::default()) },
        ],
        target: Target {
            name: "y".to_owned(),
            kind: TargetKind::Threshold(Threshold { at_least: 6.0, missing: None }),
            weights: None,
        },
        ignored: Vec::new(),
        person: None,
    };
    let mut all = vec![
        fitted(Logistic, &pure).with_columns(columns).unwrap(),
        fitted(Logistic, &gaussian),
        // A converted one for the objective mechanism.
        fitted(Huber::new(0.5).unwrap(), &gaussian),
        fitted(Squared, &pure.parameter_bound(1.0).neighbours(Neighbours::ReplaceOne)),
    ];
    match mechanism {
        MechanismKind::Posterior => {
            all.push(fitted(Logistic, &pure.sampler(SamplerKind::Proximal).noise(PureNoise::Laplace)));
        }
        MechanismKind::Output => all.push(fitted(Logistic, &pure.noise(PureNoise::Laplace))),
        // With the comparison that it was chosen by.
        MechanismKind::Objective => all.push(fitted(Logistic, &Learner::new(5.0).epsilon(1.0).unwrap())),
        MechanismKind::NoisyGradient => all.push(fitted(Logistic, &base.mu(53.0).unwrap())),
    }
    all
}

/// On one line, without a blank that means nothing.
fn text(release: &asap_contracts::Release) -> String {
    Tree::read(&release.to_json()).to_string()
}

/// One claim more, or one less.
fn toggle_claim(certificate: &mut Tree, spec: &str, status: &str) {
    let Some(Tree::List(claims)) = certificate.get("claims") else { return };
    let before = claims.len();
    claims.retain(|claim| !claim.to_string().contains(spec));
    if claims.len() == before {
        let fields = [("spec", spec), ("status", status)];
        claims.push(Tree::Object(fields.map(|(name, word)| (name.to_owned(), Tree::word(word))).into()));
    }
}

/// A total, a conversion and shares, as an issuer who wants to promise more might write them:
/// consistent among themselves.
fn rewrite_ledger(certificate: &mut Tree, numbers: &mut Numbers) {
    let size = numbers.of(&[0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 20.0, 53.0, 100.0]);
    let converted = numbers.of(&[0.05, 0.2, 0.4, 0.8, 1.0, 2.0, 53.0, 60.0]);
    let kind = numbers.of(&["pure", "gaussian"]);
    let converts = numbers.below(2) == 0;
    let whole = if converts { converted } else { size };
    let keeps_shares = numbers.below(2) == 0;
    if let Some(ledger) = certificate.get("ledger") {
        ledger.set("total", Tree::tagged(kind, Tree::number(size)));
        if let Tree::Object(fields) = ledger {
            fields.retain(|(name, _)| name != "converted");
            if converts {
                fields.insert(1, ("converted".to_owned(), Tree::number(converted)));
            }
        }
        if let (false, Some(Tree::List(shares))) = (keeps_shares, ledger.get("shares")) {
            let part = whole / shares.len() as f64;
            for share in shares {
                share.set("spent", Tree::number(part));
            }
        }
    }
    if converts != certificate.to_string().contains("lem:convert_pure_G_DP") {
        toggle_claim(certificate, "lem:convert_pure_G_DP", "proved");
    }
    if numbers.below(2) == 0 {
        // The claims that go with the other kind.
        for spec in ["lem:pure_DP_Post_Sam", "lem:GDP_Post_Sam", "own:gaussian-tilt"] {
            toggle_claim(certificate, spec, "proved");
        }
    }
}

/// The laws of all noise exchanged, with the claims about them.
fn exchange_laws(certificate: &mut Tree) {
    let mut text = certificate.to_string();
    for (law, other) in
        [("euclidean-laplace", "-x-"), ("rounded-normal", "euclidean-laplace"), ("-x-", "rounded-normal")]
    {
        text = text.replace(law, other);
    }
    *certificate = Tree::read(&text);
}

/// One structural edit anywhere in a file; `donor` is where parts come from.
fn edit(file: &mut Tree, donor: &Tree, numbers: &mut Numbers) {
    let mut places = Vec::new();
    file.places(&Place::new(), &mut places);
    if places.is_empty() {
        return;
    }
    let place = numbers.of(&places);
    let (parent, k) = (&place[..place.len() - 1], *place.last().unwrap());
    let mut donors = Vec::new();
    donor.places(&Place::new(), &mut donors);
    let same_depth: Vec<Place> = donors.iter().filter(|it| it.len() == place.len()).cloned().collect();
    let given = if same_depth.is_empty() {
        donor.clone()
    } else {
        donor.clone().at(&numbers.of(&same_depth)).clone()
    };
    let kind = numbers.below(16);
    match kind {
        // Removed, doubled, exchanged with another, moved to the front.
        0..4 => match file.at(parent) {
            Tree::List(items) => rearrange(items, k, kind),
            Tree::Object(fields) => rearrange(fields, k, kind),
            Tree::Leaf(_) => {}
        },
        // Moved into the object around.
        4 if !parent.is_empty() => {
            if let Tree::Object(fields) = file.at(parent) {
                let moved = fields.remove(k);
                if let Tree::Object(fields) = file.at(&parent[..parent.len() - 1]) {
                    fields.push(moved);
                }
            }
        }
        // The same part of another release, or any part.
        5 | 6 => {
            let mut donor = donor.clone();
            let fits = donors.contains(&place) && kind == 5;
            *file.at(&place) = if fits { donor.at(&place).clone() } else { given };
        }
        7 => {
            let nothing = ["null", "{}", "[]", "true", "1", "\"\""].map(Tree::read);
            *file.at(&place) = numbers.of(&nothing);
        }
        // Wrapped.
        8 => {
            let whole = file.at(&place).clone();
            *file.at(&place) = match numbers.below(2) {
                0 => Tree::List(vec![whole]),
                _ => Tree::tagged(numbers.of(&["pure", "gaussian", "huber", "output"]), whole),
            };
        }
        _ => {
            let Some(certificate) = file.get("certificate") else { return };
            match kind {
                9 => {
                    let claims = [
                        "lem:convert_pure_G_DP",
                        "own:gaussian-tilt",
                        "own:exact",
                        "own:rounding",
                        "lem:OutPert_DP",
                    ];
                    toggle_claim(
                        certificate,
                        numbers.of(&claims),
                        numbers.of(&["proved", "tested", "assumed"]),
                    );
                }
                10 => exchange_laws(certificate),
                11 => {
                    let name = numbers.of(&["choice", "extra", "parameter_bound"]);
                    certificate.set(name, given);
                }
                12 => {
                    if let Some(parts) = certificate.get("mechanism/objective") {
                        parts.set("jacobian", Tree::number(numbers.of(&[0.01, 0.05, 0.1, 0.25])));
                    }
                    if let Some(Tree::List(shares)) = certificate.get("ledger/shares") {
                        shares.retain(|share| !share.to_string().contains("jacobian"));
                    }
                }
                _ => rewrite_ledger(certificate, numbers),
            }
        }
    }
}

fn rearrange<T: Clone>(items: &mut Vec<T>, k: usize, kind: usize) {
    match kind {
        0 => drop(items.remove(k)),
        1 => items.push(items[k].clone()),
        2 => items.swap(0, k),
        _ => {
            let it = items.remove(k);
            items.push(it);
        }
    }
}

/// Runs a script on lines; `None` where there is no python3.
fn python(arguments: &[&str], lines: &str) -> Option<Vec<String>> {
    let mut child =
        Command::new("python3").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut input = child.stdin.take().unwrap();
    let text = lines.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let said = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    Some(String::from_utf8(said.stdout).unwrap().lines().map(str::to_owned).collect())
}

/// The script's verdict on each line.
fn second_opinion(files: &[String]) -> Option<Vec<String>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/contracts/tests/independent_checker.py");
    let said = python(&[script], &files.iter().map(|file| format!("{file}\n")).collect::<String>());
    match &said {
        Some(said) => assert_eq!(said.len(), files.len()),
        None => println!("SKIPPED: python3 is not installed, the second opinion was not asked"),
    }
    said
}

/// Files sealed as they stand: what is refused is not refused for its digest, unless its fields are out of order.
fn sealed(files: &[Tree]) -> Option<Vec<String>> {
    let script = "import hashlib, sys\n\
                  for line in sys.stdin.buffer: print(hashlib.sha256(line.rstrip(b'\\n')).hexdigest())";
    let part =
        |file: &Tree, name: &str| file.clone().get(name).map_or("null".to_owned(), |it| it.to_string());
    let said = |file: &Tree| {
        format!("{{\"columns\":{},\"certificate\":{}}}\n", part(file, "columns"), part(file, "certificate"))
    };
    let digests = python(&["-c", script], &files.iter().map(said).collect::<String>())?;
    let seal = |(file, digest): (&Tree, &String)| {
        let mut file = file.clone();
        if file.get("digest").is_some() {
            file.set("digest", Tree::word(&format!("sha256:{digest}")));
        }
        file.to_string()
    };
    Some(files.iter().zip(&digests).map(seal).collect())
}

/// Φ(μ/2)/Φ(−μ/2), the largest e^ε that every μ-GDP pays for, by erfc.
fn converted(mu: f64) -> f64 {
    use statrs::function::erf::erfc;
    let x = mu / 8_f64.sqrt();
    (erfc(-x) / erfc(x)).ln()
}

/// Whether `edited` promises more than `whole` although the noise is the same: less ε or μ than the shares of `whole`
/// come to, a wider relation, better numerics.
fn promises_more(whole: &Certificate, edited: &Certificate) -> bool {
    let shares = whole.ledger.shares.iter().map(|share| share.spent);
    let pure = matches!(whole.ledger.total, Guarantee::Pure(_)) || whole.ledger.converted.is_some();
    let spent = if pure { shares.sum() } else { shares.map(|share| share * share).sum::<f64>().sqrt() };
    let least = spent * (1.0 - 1e-6);
    let less = match edited.ledger.total {
        Guarantee::Pure(epsilon) => !pure || epsilon < least,
        Guarantee::Gaussian(mu) if pure => converted(mu) < least,
        Guarantee::Gaussian(mu) => mu < least,
    };
    let wider = (whole.neighbours, edited.neighbours) == (Relation::AddRemove, Relation::ReplaceOne);
    less || wider || whole.numerics != edited.numerics || (!whole.certified && edited.certified)
}

/// What was added to what, where only the ledger and the words around it may differ.
fn noises(certificate: &Certificate) -> Vec<Tilt> {
    match &certificate.mechanism {
        Mechanism::Output(it) => vec![it.noise.into()],
        Mechanism::Posterior(it) => vec![it.localisation.noise.into(), it.asap.noise.into()],
        Mechanism::Objective(it) => vec![it.tilt.clone(), it.asap.noise.into()],
        Mechanism::NoisyGradient(it) => vec![it.noise.into()],
    }
}

fn agrees(mechanism: MechanismKind) {
    let mut numbers = Numbers(5);
    let releases = releases(mechanism);
    assert!(releases.iter().all(|it| it.certificate().mechanism.name() == mechanism.name()));
    let others =
        [MechanismKind::Output, MechanismKind::Objective, MechanismKind::NoisyGradient].map(releases_of);
    let trees: Vec<Tree> = releases.iter().map(|it| Tree::read(&text(it.as_checked()))).collect();
    let mut edits: Vec<(usize, Tree)> = trees.iter().cloned().enumerate().collect();
    while edits.len() < FILES {
        let k = numbers.below(trees.len());
        let mut file = trees[k].clone();
        for _ in 0..=numbers.below(3) {
            let donor = match numbers.below(3) {
                0 => numbers.of(&others),
                _ => numbers.of(&trees),
            };
            edit(&mut file, &donor, &mut numbers);
        }
        edits.push((k, file));
    }
    let (origins, files): (Vec<usize>, Vec<Tree>) = edits.into_iter().unzip();
    let Some(as_written) = sealed(&files) else {
        println!("SKIPPED: python3 is not installed, the second opinion was not asked");
        return;
    };
    // What can be read is sealed again by its meaning, what cannot is judged as written.
    let judged: Vec<String> = as_written
        .iter()
        .map(|file| asap_contracts::Release::from_json(file).map_or(file.clone(), |it| text(&it.seal())))
        .collect();
    let said = second_opinion(&judged).unwrap();
    let also = second_opinion(&as_written).unwrap();
    let (mut holds, mut readable) = (0, 0);
    for (k, file) in judged.iter().enumerate() {
        let read = asap_contracts::Release::from_json(file);
        readable += usize::from(read.is_ok());
        let verdict = read.clone().and_then(|it| it.check());
        let mine = verdict.as_ref().err().map_or("ok".to_owned(), ToString::to_string);
        assert_eq!(verdict.is_ok(), said[k] == "ok", "here: {mine}; there: {}; of {file}", said[k]);
        let written = asap_contracts::Release::from_json(&as_written[k]).and_then(|it| it.check());
        assert!(written.is_ok() || also[k] != "ok", "{written:?}, but there {}: {}", also[k], as_written[k]);
        if verdict.is_ok() {
            holds += 1;
            let (whole, edited) = (releases[origins[k]].certificate(), &read.unwrap().certificate);
            if noises(whole) == noises(edited) {
                assert!(!promises_more(whole, edited), "{file}");
            }
        }
    }
    println!("{mechanism:?}: {FILES} files, {readable} can be read, {holds} hold");
    // Not all on one side.
    assert!(readable > FILES / 5 && holds > FILES / 25 && holds < FILES / 2, "{readable} {holds}");
}

/// One release of a mechanism, to take parts of.
fn releases_of(mechanism: MechanismKind) -> Tree {
    let learner = Learner::new(5.0).mechanism(mechanism).expected_rows(100).mu(1.0).unwrap();
    Tree::read(&text(fitted(Logistic, &learner).as_checked()))
}

/// A Gaussian release that says it spent an ε which its total would pay for.
#[test]
fn a_conversion_that_was_not_made() {
    let mut files = Vec::new();
    for mechanism in [
        MechanismKind::Output,
        MechanismKind::Posterior,
        MechanismKind::Objective,
        MechanismKind::NoisyGradient,
    ] {
        let learner = Learner::new(5.0).mechanism(mechanism).expected_rows(100).mu(53.0).unwrap();
        let whole = fitted(Logistic, &learner);
        for total in [20.0, 53.0, 60.0] {
            let mut file = Tree::read(&text(whole.as_checked()));
            let certificate = file.get("certificate").unwrap();
            let ledger = certificate.get("ledger").unwrap();
            ledger.set("total", Tree::tagged("gaussian", Tree::number(total)));
            ledger.set("converted", Tree::number(53.0));
            toggle_claim(certificate, "lem:convert_pure_G_DP", "proved");
            let release = asap_contracts::Release::from_json(&file.to_string()).unwrap().seal();
            let failed = release.check().unwrap_err();
            assert!(!failed.clause().contains("digest"), "{mechanism:?}: {failed}");
            files.push(text(&release));
        }
    }
    for said in second_opinion(&files).into_iter().flatten() {
        assert_ne!(said, "ok");
    }
}

/// What is no release at all is refused by both, line by line: deep nesting, bytes that are no text, a
/// number for a truth value.
#[test]
fn lines_that_are_no_release() {
    let whole = text(fitted(Logistic, &Learner::new(5.0).epsilon(1.0).unwrap()).as_checked());
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let mut number = Tree::read(&whole);
    *number.get("certificate/problem/intercept").unwrap() = Tree::Leaf("0".to_owned());
    let number = sealed(&[number]).map_or_else(String::new, |mut it| it.remove(0));
    let nested =
        |depth: usize| whole.replacen("\"columns\":null", &format!("\"columns\":{}", deep(depth)), 1);
    let files = [
        whole.clone(),
        deep(100_000),
        nested(200),
        nested(5_000),
        nested(100_000),
        "{\"a\":".repeat(50_000),
        number,
        whole.replacen("\"schema\":2", "\"schema\":1e999999999", 1),
        whole.replacen("\"schema\":2", &format!("\"schema\":{}", "9".repeat(10_000)), 1),
        String::new(),
        "\u{feff}".to_owned() + &whole,
        whole.clone(),
    ];
    assert_ne!(nested(1), whole);
    for (k, file) in files.iter().enumerate() {
        let taken = asap_contracts::Release::from_json(file).is_ok_and(|it| it.check().is_ok());
        assert_eq!(taken, *file == whole, "{k}");
    }
    for (k, said) in second_opinion(&files).into_iter().flatten().enumerate() {
        assert_eq!(said == "ok", files[k] == whole, "{k}: {said}");
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
