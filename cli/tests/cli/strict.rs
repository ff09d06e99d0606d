//! `check --strict` takes no number on trust, and no number that a fit cannot have stated.

use crate::{CHAINED, Folder, LOGISTIC, fails, json, succeeds};
use std::fs;

/// Δ of constrained MALA is decided by nothing in the file: as it is, and made next to nothing together with its noise.
/// Red if `--strict` looks at privacy and certification only.
#[test]
#[allow(clippy::cast_possible_truncation, reason = "small whole numbers")]
fn an_error_that_nothing_decides_is_not_taken() {
    let folder = Folder::new();
    fs::write(folder.path("release.json"), &CHAINED.release).unwrap();
    succeeds(&folder, "check release.json");
    let said = fails(&folder, 1, "check release.json --strict");
    assert!(said.contains("--strict: cannot be checked from the file, assumed: the error Δ"), "{said}");
    let mut whole = asap_contracts::Release::from_json(&CHAINED.release).unwrap();
    let asap_contracts::Mechanism::Posterior(posterior) = &mut whole.certificate.mechanism else {
        panic!("a posterior sample")
    };
    let asap_contracts::Noise::RoundedNormal { exponent, .. } = &mut posterior.asap.noise else {
        panic!("normal noise")
    };
    // As many steps of a lattice so much finer.
    let finer = (posterior.asap.error / 1e-12).log2().floor();
    *exponent -= finer as i32;
    posterior.asap.error *= (-finer).exp2();
    posterior.asap.charge = 0.0;
    fs::write(folder.path("quiet.json"), whole.seal().to_json()).unwrap();
    let verdict = succeeds(&folder, "check quiet.json");
    assert!(verdict.contains("One number cannot be checked from the file"), "{verdict}");
    fails(&folder, 1, "check quiet.json --strict");
}

/// A release is cut 1024 scales beyond the farthest minimiser: the end of the lattice is no release. Red if the clause
/// `cut` is left out of either stage.
#[test]
#[allow(clippy::cast_possible_truncation, reason = "small whole numbers")]
fn a_point_that_no_fit_releases_is_refused() {
    let folder = Folder::new();
    folder.data();
    for (mechanism, point, noise) in [
        ("output", "/certificate/theta", "/certificate/mechanism/output/noise/euclidean-laplace"),
        (
            "posterior",
            "/certificate/mechanism/posterior/localisation/theta_0",
            "/certificate/mechanism/posterior/localisation/noise/euclidean-laplace",
        ),
    ] {
        let flags = format!("{LOGISTIC} --mechanism {mechanism}");
        succeeds(&folder, &format!("fit data.csv --force --target ill --features age,dose {flags}"));
        let text = fs::read_to_string(folder.path("release.json")).unwrap();
        let mut whole = json(&text);
        let law = whole.pointer(noise).unwrap();
        let step = 2_f64.powi(law["exponent"].as_i64().unwrap() as i32);
        *whole.pointer_mut(point).unwrap() = vec![2_f64.powi(53) * step, -(2_f64.powi(53)) * step].into();
        if mechanism == "posterior" {
            *whole.pointer_mut("/certificate/mechanism/posterior/reference/centre_norm").unwrap() =
                (2_f64.powi(54) * step).into();
        }
        let sealed = asap_contracts::Release::from_json(&whole.to_string()).unwrap().seal();
        fs::write(folder.path("far.json"), sealed.to_json()).unwrap();
        for flag in ["", " --strict"] {
            let said = fails(&folder, 1, &format!("check far.json{flag}"));
            assert!(said.contains("within 1024 scales of where minimisers are"), "{said}");
        }
    }
}
