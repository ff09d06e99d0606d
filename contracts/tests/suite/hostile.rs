//! Texts that are no release, or one made to harm: always an error, never a panic.

use crate::build::{certificate, exponent, first, kinds, named, release, some_kinds, stages};
use asap_contracts::*;
use serde_json::{Value, json};

fn verdict(text: &str) -> Result<Findings, CheckFailed> {
    Release::from_json(text)?.check()
}

#[test]
fn another_schema_is_named() {
    let old =
        json!({ "columns": null, "digest": "fnv1a64:0", "certificate": { "schema": 1, "mechanism": "x" } });
    let failed = verdict(&old.to_string()).unwrap_err();
    assert_eq!(failed, CheckFailed::Schema { found: "1".into(), known: 3 });
    let text = failed.to_string();
    assert!(text.contains("schema 1") && text.contains("schema 3"), "{text}");
    assert_eq!((failed.spec(), failed.clause()), ("own:certificate", "schema version is known"));
    // Of this form or not, a certificate by itself or in a release.
    let mut whole: Value = serde_json::from_str(&named(&kinds()[0]).to_json()).unwrap();
    for (schema, found) in [(json!(2), "2"), (json!(0), "0"), (json!(-2), "-2"), (json!(2.5), "2.5")] {
        whole["certificate"]["schema"] = schema;
        for text in [whole.to_string(), whole["certificate"].to_string()] {
            assert_eq!(verdict(&text).unwrap_err(), CheckFailed::Schema { found: found.into(), known: 3 });
        }
    }
}

#[test]
fn what_is_no_release_is_refused() {
    let good = named(&kinds()[0]).to_json();
    assert!(verdict(&good).is_ok());
    let (half, deep) = (&good[..good.len() / 2], "[".repeat(200_000));
    let deep_field = good.replacen("\"age\"", &format!("{}1{}", "[".repeat(5000), "]".repeat(5000)), 1);
    let twice = good.replacen("\"target\": 2.0", "\"target\": 2.0, \"target\": 2.0", 1);
    let two_mechanisms = good.replacen("\"mechanism\": {", "\"mechanism\": {\"posterior\": {}, ", 1);
    let texts = ["", " ", "{}", "null", "[1, 2]", "\"x\"", "1e9", "\u{feff}{}", "{\"certificate\": 1}"];
    let made = [half, &deep, &deep_field, &twice, &two_mechanisms];
    for text in texts.into_iter().chain(made) {
        assert_ne!(text, good);
        assert_eq!(verdict(text).unwrap_err().clause(), "well-formed");
    }
    for (old, new) in [
        ("\"regulariser\": 8.0", "\"regulariser\": null"),
        ("\"regulariser\": 8.0", "\"regulariser\": NaN"),
        ("\"regulariser\": 8.0", "\"regulariser\": 1e999"),
        ("\"regulariser\": 8.0", "\"regulariser\": \"8.0\""),
        ("\"regulariser\": 8.0", "\"regulariser\": [8.0]"),
        ("\"max_rows\": 4", "\"max_rows\": 4.0"),
        ("\"max_rows\": 4", "\"max_rows\": -4"),
        ("\"max_rows\": 4", "\"max_rows\": 99999999999999999999"),
        ("\"exponent\": -10", "\"exponent\": -9999999999"),
        ("\"logistic\"", "\"hinge\""),
        ("\"logistic\"", "{\"logistic\": null, \"squared\": null}"),
        ("\"crate_version\"", "\"crate_versions\""),
        ("\"pure\"", "\"approximate\""),
        ("\"proved\"", "\"Proved\""),
    ] {
        let text = good.replacen(old, new, 1);
        assert_ne!(text, good, "{old}");
        assert_eq!(verdict(&text).unwrap_err().clause(), "well-formed", "{new}");
    }
    let spaced = good.replace('\n', "\n\n");
    assert!(verdict(&spaced).is_ok(), "white space says nothing");
    assert!(verdict(&good.replacen("8.0", "8.00e0", 1)).is_ok(), "the number counts, not its spelling");
}

/// The file may be something else, and private: nothing of it is repeated.
#[test]
fn an_error_does_not_repeat_the_file() {
    for text in ["{\"secret\": 1}", "{\"certificate\": {\"schema\": \"secret\"}}", "secret,1\n"] {
        assert!(!verdict(text).unwrap_err().to_string().contains("secret"));
    }
}

/// All numbers that may be a fraction, the points excepted.
fn numbers(certificate: &mut Certificate) -> Vec<&mut f64> {
    let Certificate { ledger, problem, mechanism, .. } = certificate;
    let (Guarantee::Pure(total) | Guarantee::Gaussian(total)) = &mut ledger.total;
    let mut all = vec![total, &mut problem.feature_norm, &mut problem.target, &mut problem.row_norm];
    all.push(&mut problem.regulariser);
    all.extend(ledger.shares.iter_mut().map(|share| &mut share.spent));
    if let Loss::Huber { delta } = &mut problem.loss {
        all.push(delta);
    }
    let minimiser = match mechanism {
        Mechanism::Objective(_) => panic!("these certificates are in objective.rs"),
        Mechanism::Output(output) => &mut output.minimiser,
        Mechanism::NoisyGradient(_) => panic!("gradients have no minimiser"),
        Mechanism::Posterior(posterior) => {
            let (reference, asap) = (&mut posterior.reference, &mut posterior.asap);
            all.extend([&mut reference.centre_norm, &mut reference.radius]);
            all.extend([&mut reference.lipschitz, &mut reference.gamma, &mut asap.error, &mut asap.charge]);
            &mut posterior.minimiser
        }
    };
    let Minimiser { bound, lipschitz, rounding, tolerance, sensitivity } = minimiser;
    all.extend([bound, lipschitz, rounding, tolerance, sensitivity]);
    all
}

#[test]
fn no_number_may_be_negative_or_not_finite() {
    for kind in some_kinds() {
        let mut whole = certificate(&kind);
        for k in 0..numbers(&mut whole).len() {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -f64::from_bits(1)] {
                let mut edited = whole.clone();
                *numbers(&mut edited)[k] = bad;
                let failed = Release::new(edited).check().unwrap_err();
                assert!(!failed.clause().contains("digest"), "{kind:?}, number {k}, {bad}: {failed}");
            }
            // Whatever the verdict, there is one.
            for wild in [0.0, f64::MAX, f64::from_bits(1), f64::MIN_POSITIVE] {
                let mut edited = whole.clone();
                *numbers(&mut edited)[k] = wild;
                let _ = Release::new(edited).check();
            }
        }
    }
}

#[test]
fn extreme_whole_numbers_are_judged_quickly() {
    for kind in some_kinds() {
        for extreme in [i32::MIN, -1075, -1023, 971, 1024, i32::MAX] {
            let mut edited = certificate(&kind);
            *exponent(first(&mut edited).1) = extreme;
            let failed = Release::new(edited).check().unwrap_err();
            assert_eq!(failed.clause(), "lattice steps are normal numbers");
        }
        for extreme in [-1022, 970] {
            let mut edited = certificate(&kind);
            *exponent(first(&mut edited).1) = extreme;
            assert!(Release::new(edited).check().is_err());
        }
        let mut edited = certificate(&kind);
        (edited.problem.max_rows, edited.problem.dimension) = (u64::MAX, u64::MAX);
        assert!(Release::new(edited).check().is_err());
    }
    // More columns than the slack of the computed norms allows.
    let mut wide = certificate(&kinds()[0]);
    wide.problem.dimension = (1 << 23) - 2;
    wide.theta = vec![0.0; (1 << 23) - 2];
    assert_eq!(release_failure(wide), "dimension is small enough for computed norms");
    let mut empty = certificate(&kinds()[0]);
    (empty.problem.dimension, empty.theta) = (0, Vec::new());
    assert_eq!(release_failure(empty), "dimension is small enough for computed norms");
}

fn release_failure(certificate: Certificate) -> &'static str {
    Release::new(certificate).check().unwrap_err().clause()
}

/// Texts with a byte or two changed: as they are, and sealed again where they are still well-formed.
#[test]
fn changed_bytes_never_cause_a_panic() {
    let mut state = 7_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let alphabet = b"0123456789-+.eE\"{}[],:nultrfas \x00\xff";
    let (mut parsed, mut passed) = (0, 0);
    for kind in some_kinds() {
        let text = release(&kind).to_json();
        for _ in 0..250 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=random(2) {
                let at = random(bytes.len());
                bytes[at] = alphabet[random(alphabet.len())];
            }
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            if let Ok(read) = Release::from_json(&changed) {
                parsed += 1;
                assert!(read.check().is_err() || read == release(&kind));
                passed += usize::from(read.seal().check().is_ok());
            }
        }
    }
    assert!(parsed > 50 && passed > 5, "{parsed} {passed}");
}

#[test]
fn wrong_lengths_are_seen() {
    for kind in kinds() {
        for length in [0, 1, 3, 5, 100] {
            let mut edited = certificate(&kind);
            edited.theta = vec![0.0; length];
            assert_eq!(release_failure(edited), "points have the dimension of the problem");
            let mut edited = certificate(&kind);
            if let Some(posterior) = stages(&mut edited) {
                posterior.localisation.theta_0 = vec![0.0; length];
                assert_eq!(release_failure(edited), "points have the dimension of the problem");
            }
        }
    }
}
