//! Mechanisms, samplers, noises: each flag does what it says, and what would never end or does not fit is refused.

use crate::{CHAINED, Folder, LOGISTIC, MALA, asap, fails, json, refused, succeeds};
use serde_json::Value;
use std::fs;

fn release(folder: &Folder) -> Value {
    json(&fs::read_to_string(folder.path("release.json")).unwrap())
}

#[test]
fn every_mechanism_sampler_and_noise_is_in_the_certificate() {
    let folder = Folder::new();
    folder.data();
    let gaussian = "--loss logistic --mu 1 --regulariser 20 --feature-bound 1";
    let (sampler, first) =
        ("/certificate/mechanism/posterior/sampler", "/certificate/mechanism/posterior/localisation/noise");
    let only = "/certificate/mechanism/output/noise";
    let each = "/certificate/mechanism/noisy-gradient/noise";
    for (flags, pointer, word) in [
        (format!("{LOGISTIC} --mechanism posterior"), sampler, "exact"),
        (format!("{LOGISTIC} --mechanism posterior"), first, "euclidean-laplace"),
        (format!("{LOGISTIC} --mechanism posterior --sampler exact"), sampler, "exact"),
        (format!("{LOGISTIC} --sampler proximal"), sampler, "proximal"),
        (format!("{LOGISTIC} --mechanism posterior --noise laplace"), first, "discrete-laplace"),
        (format!("{LOGISTIC} --mechanism posterior --noise euclidean"), first, "euclidean-laplace"),
        (format!("{gaussian} --mechanism posterior"), first, "rounded-normal"),
        (format!("{LOGISTIC} --mechanism output"), only, "euclidean-laplace"),
        (format!("{LOGISTIC} --mechanism output --noise laplace"), only, "discrete-laplace"),
        (format!("{gaussian} --mechanism output"), only, "rounded-normal"),
        (format!("{gaussian} --mechanism noisy-gradient"), each, "rounded-normal"),
        (format!("{LOGISTIC} --mechanism noisy-gradient --gradient-steps 3"), each, "euclidean-laplace"),
    ] {
        succeeds(&folder, &format!("fit data.csv --force --yes --target ill --features age,dose {flags}"));
        let release = release(&folder);
        let found = release.pointer(pointer).unwrap_or_else(|| panic!("{flags}: {pointer}"));
        assert!(found == word || found.get(word).is_some(), "{flags}: {found}");
        let verdict = json(&succeeds(&folder, "check release.json --strict --json"));
        assert_eq!(verdict["numerics"], "rigorous", "{flags}");
        let shown = verdict["mechanism"].as_str().unwrap();
        assert_eq!(shown == "output perturbation", flags.contains("output"), "{shown}");
        assert_eq!(shown == "noisy gradient descent", flags.contains("noisy-gradient"), "{shown}");
        succeeds(&folder, "predict release.json data.csv");
    }
}

/// The sentence about the arithmetic, as `fit` and `check` print it, word by word: it must not say more
/// than the mechanism keeps.
#[test]
fn the_sentence_about_the_arithmetic_is_that_of_the_mechanism() {
    let folder = Folder::new();
    folder.data();
    let rigorous = "rigorous, every rounding error is bounded and charged";
    let real = "real arithmetic only, the sampler's rounding is not charged";
    let asymptotic = "asymptotic constants, set by hand, and real arithmetic for the sampler";
    let idealised = "the chain is analysed in real arithmetic and runs in f64";
    let fit = |flags: &str| {
        let small =
            "--target ill --loss logistic --mu 1 --regulariser 500 --feature-bound 0.1 --features age";
        let said = succeeds(&folder, &format!("fit data.csv --force --yes {small} {flags}"));
        (said, fs::read_to_string(folder.path("release.json")).unwrap())
    };
    for (flags, sentence) in [
        ("--mechanism output", rigorous),
        ("--mechanism posterior", rigorous),
        ("--sampler exact", rigorous),
        ("--sampler proximal", rigorous),
        ("--sampler proximal --calibration paper", rigorous),
        (MALA, real),
        ("--sampler mala --expected-rows 60 --calibration paper", asymptotic),
    ] {
        let (fitted, release) =
            if flags == MALA { (CHAINED.said.clone(), CHAINED.release.clone()) } else { fit(flags) };
        fs::write(folder.path("release.json"), release).unwrap();
        let checked = succeeds(&folder, "check release.json");
        for said in [&fitted, &checked] {
            for other in [rigorous, real, asymptotic] {
                assert_eq!(said.contains(other), other == sentence, "{flags}: {said}");
            }
        }
        assert_eq!(checked.contains(idealised), sentence != rigorous, "{flags}: {checked}");
    }
}

#[test]
fn flags_that_nothing_uses_are_refused() {
    let folder = Folder::new();
    folder.data();
    let fit = format!("fit data.csv --force --yes --target ill {LOGISTIC}");
    for (flags, word) in [
        ("--mechanism output --sampler exact", "--sampler"),
        ("--mechanism output --calibration tight", "--calibration"),
        ("--mechanism noisy-gradient --sampler exact", "--sampler"),
        ("--mechanism noisy-gradient --noise laplace", "--noise"),
        ("--mechanism noisy-gradient --calibration tight", "--calibration"),
        ("--mechanism noisy-gradient --gradient-steps 0", "--gradient-steps"),
        ("--mechanism output --gradient-steps 5", "--gradient-steps"),
        ("--largest-chain 5", "--largest-chain"),
        ("--sampler proximal --largest-chain 5", "--largest-chain"),
        ("--sampler mala --largest-chain 0", "--largest-chain"),
        ("--mechanism input", "posterior"),
        ("--sampler gibbs", "exact"),
        ("--noise gauss", "euclidean"),
    ] {
        assert!(fails(&folder, 2, &format!("{fit} {flags}")).contains(word), "{flags}");
    }
    let gaussian =
        "fit data.csv --force --yes --target ill --loss logistic --mu 1 --regulariser 20 --feature-bound 1";
    assert!(fails(&folder, 2, &format!("{gaussian} --noise laplace")).contains("--epsilon"));
    assert_eq!(folder.names(), ["data.csv"]);
}

/// A guess above the largest admissible number is no guess. The default never is above it.
#[test]
fn more_rows_than_there_may_be_are_not_expected() {
    let folder = Folder::new();
    folder.data();
    let fit = format!("fit data.csv --force --yes --target ill {LOGISTIC}");
    for flags in ["--expected-rows 18446744073709551615", "--expected-rows 61 --max-rows 60"] {
        let said = fails(&folder, 2, &format!("{fit} {flags}"));
        assert!(said.contains("--expected-rows") && said.contains("--max-rows"), "{said}");
        let said = fails(&folder, 2, &format!("plan {LOGISTIC} --rows 9 --dim 2 {flags}"));
        assert!(said.contains("--expected-rows") && said.contains("--max-rows"), "{said}");
    }
    for (flags, rows) in [("--max-rows 60", 60), ("--max-rows 60 --expected-rows 60", 60), ("", 10_000)] {
        succeeds(&folder, &format!("{fit} --mechanism posterior {flags}"));
        let expected = "/certificate/mechanism/posterior/expected_rows";
        assert_eq!(release(&folder).pointer(expected).unwrap(), rows, "{flags}");
    }
}

/// 200 rows, 3 features: the certified chain of constrained MALA has billions of steps. That is decided before anything
/// is computed, from public numbers: the words are the same for other records.
#[test]
fn a_chain_without_end_is_refused_at_once() {
    let folder = Folder::new();
    let said: Vec<String> = [0, 3]
        .map(|shift| {
            let row = |k: u32| {
                let [a, b, c] = [7, 5, 3].map(|m| f64::from((k + shift) % m) / 10.0);
                format!("{a},{b},{c},{}\n", (k + shift) % 2)
            };
            let text: String = std::iter::once("a,b,c,y\n".to_owned()).chain((0..200).map(row)).collect();
            fs::write(folder.path("data.csv"), text).unwrap();
            let flags = "--loss logistic --mu 1 --regulariser 1 --feature-bound 1 --sampler mala";
            fails(&folder, 2, &format!("fit data.csv --force --yes --target y --expected-rows 200 {flags}"))
        })
        .to_vec();
    assert_eq!(said[0], said[1]);
    for word in ["--sampler exact", "--sampler proximal", "--regulariser", "--largest-chain", "steps"] {
        assert!(said[0].contains(word), "{word} in {}", said[0]);
    }
    assert_eq!(folder.names(), ["data.csv"]);
}

/// The option moves the limit: down, and up (where it allows fits that are interrupted elsewhere).
#[test]
fn a_longer_chain_may_be_allowed() {
    let folder = Folder::new();
    folder.data();
    let fit = format!("fit data.csv --yes {MALA} --largest-chain 1");
    assert!(fails(&folder, 2, &fit).contains("more than --largest-chain, 1,"));
    fs::write(folder.path("release.json"), &CHAINED.release).unwrap();
    let verdict = json(&succeeds(&folder, "check release.json --json"));
    assert_eq!(verdict["numerics"], "real-arithmetic-only");
    assert!(succeeds(&folder, "check release.json").contains("real arithmetic only"));
    let plan =
        "plan --loss logistic --mu 1 --regulariser 1 --feature-bound 1 --rows 200 --dim 3 --sampler mala";
    fails(&folder, 2, plan);
    succeeds(&folder, &format!("{plan} --largest-chain 9007199254740992"));
}

/// So many rows that rounding could do more than the error allows: refused, and the flags are named. The number of rows
/// that the refusal proposes is possible.
#[test]
fn rounding_that_does_not_fit_is_refused() {
    let folder = Folder::new();
    let plan = |rows: u64| {
        format!(
            "plan --loss logistic --mu 1 --regulariser 1 --feature-bound 1 --rows 1000 --dim 3 --max-rows {rows} \
             --mechanism posterior"
        )
    };
    let refusals = (6..13).map(|digits| 10_u64.pow(digits)).filter_map(|rows| {
        let output = asap(&folder, &plan(rows));
        (!output.status.success()).then(|| refused(&output, 2, &plan(rows)))
    });
    let refusals: Vec<String> = refusals.collect();
    for said in &refusals {
        assert!(said.contains("rounding") && said.contains("--max-rows"), "{said}");
    }
    let said = refusals.iter().find(|said| said.contains("to about ")).unwrap();
    assert!(said.contains("--expected-rows") && said.contains("too large for this precision"), "{said}");
    // What is estimated, and what was tried.
    for words in ["to about ", "--max-rows "] {
        let (_, rest) = said.rsplit_once(words).unwrap();
        let proposed = rest.split(' ').next().unwrap().parse().unwrap();
        succeeds(&folder, &plan(proposed));
    }
}

/// The plan shows the descent that a fit with the same flags makes, and the number of steps may be given.
#[test]
fn a_descent_is_planned_and_made() {
    let folder = Folder::new();
    folder.data();
    let gaussian = "--loss logistic --mu 1 --regulariser 20 --feature-bound 1 --mechanism noisy-gradient";
    for (flags, steps) in [("--expected-rows 60", None), ("--expected-rows 60 --gradient-steps 7", Some(7))] {
        let plan = format!("plan {gaussian} {flags} --rows 60 --dim 2");
        let planned = json(&succeeds(&folder, &format!("{plan} --json")));
        let planned = &planned["noisy_gradient"];
        assert!(steps.is_none_or(|steps| planned["steps"] == steps), "{planned}");
        assert!(succeeds(&folder, &plan).contains("Noisy gradient descent"));
        succeeds(
            &folder,
            &format!("fit data.csv --force --yes --target ill --features age,dose {gaussian} {flags}"),
        );
        let release = release(&folder);
        let made = release.pointer("/certificate/mechanism/noisy-gradient").unwrap();
        for field in ["steps", "skipped", "step", "momentum"] {
            assert_eq!(made[field], planned[field], "{field}");
        }
    }
    let said = succeeds(&folder, "audit --mu 1 --mechanism noisy-gradient --runs 200 --replay-seed 1");
    assert!(said.contains("whole release") && !said.contains("localisation"), "{said}");
}

/// Objective perturbation from the file to the check, pure, Gaussian and converted, with the refusals
/// that name what is missing.
#[test]
fn objective_perturbation_fits_plans_and_refuses() {
    let folder = Folder::new();
    folder.data();
    let logistic = "--loss logistic --regulariser 5 --feature-bound 1 --mechanism objective";
    let fit = |budget: &str| {
        format!("fit data.csv --force --yes --target ill --features age,dose {logistic} {budget}")
    };
    let said = succeeds(&folder, &fit("--epsilon 1"));
    assert!(said.contains("objective perturbation") && said.contains("1-DP"), "{said}");
    succeeds(&folder, "check release.json --strict");
    succeeds(&folder, &fit("--mu 1"));
    let verdict = succeeds(&folder, "check release.json --strict --json");
    assert!(verdict.contains("own:gaussian-tilt") && json(&verdict)["converted_epsilon"].is_null());
    // The slope of the Huber loss has both signs.
    let huber =
        "--loss huber --target-bound 1 --regulariser 20 --feature-bound 1 --mechanism objective --mu 1";
    let said =
        succeeds(&folder, &format!("fit data.csv --force --yes --target score --features age,dose {huber}"));
    assert!(said.contains("1-GDP (as 0.806965-DP underneath)"), "{said}");
    let verdict = json(&succeeds(&folder, "check release.json --strict --json"));
    assert!((verdict["converted_epsilon"].as_f64().unwrap() - 0.806_965_346).abs() < 1e-8);
    assert!(verdict.to_string().contains("lem:convert_pure_G_DP"));

    let converted = ["/budget/tilt", "/budget/jacobian", "/budget/converted", "/tilt_scale", "/radius"];
    let gaussian = ["/budget/tilt", "/budget/asap", "/tilt_scale", "/radius"];
    let logistic_mu = format!("{logistic} --mu 1");
    for (flags, keys) in [(huber, &converted[..]), (&logistic_mu, &gaussian[..])] {
        let plan = json(&succeeds(&folder, &format!("plan {flags} --rows 500 --dim 3 --json")));
        for key in keys {
            let shown = plan.pointer(&format!("/objective{key}")).unwrap();
            assert!(shown.as_f64().unwrap() > 0.0, "{key}");
        }
    }
    let text = succeeds(&folder, &format!("plan {logistic} --epsilon 1 --rows 500 --dim 3"));
    assert!(text.contains("Objective perturbation (--mechanism objective)"), "{text}");

    let squared = "--loss squared --target-bound 1 --feature-bound 1 --mechanism objective --epsilon 1";
    let refused = |flags: &str| {
        fails(&folder, 2, &format!("fit data.csv --force --yes --target score --features age,dose {flags}"))
    };
    assert!(refused(&format!("{squared} --regulariser 20")).contains("grows without a bound"));
    let small = refused(&format!("{squared} --regulariser 0.5 --parameter-bound 1"));
    assert!(small.contains("raise it to 0.601 at least"), "{small}");
    for flag in ["--sampler exact", "--noise laplace", "--calibration tight"] {
        let said = refused(&format!("{squared} --regulariser 20 --parameter-bound 1 {flag}"));
        assert!(said.contains(flag.split(' ').next().unwrap()), "{said}");
    }
    succeeds(&folder, "audit --epsilon 1 --mechanism objective --runs 500 --replay-seed 1");
}
