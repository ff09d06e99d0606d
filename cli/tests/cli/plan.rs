use crate::{Folder, LOGISTIC, fails, json, succeeds};

#[test]
fn a_plan_has_every_key() {
    let folder = Folder::new();
    let gaussian =
        "--loss squared --target-bound 1 --parameter-bound 1 --mu 1 --regulariser 20 --feature-bound 1";
    for (problem, norm) in [(LOGISTIC, 1), (gaussian, 2)] {
        let plan = json(&succeeds(&folder, &format!("plan {problem} --rows 500 --dim 3 --json")));
        let positive = [
            "/posterior/gamma",
            "/posterior/radius",
            "/posterior/delta",
            "/posterior/ln_inv_xi",
            "/posterior/osc",
            "/posterior/mala/h",
            "/posterior/mala/t",
            "/posterior/mala/k",
            "/posterior/mala/tau_max",
            "/posterior/mala/q",
            "/posterior/proximal/eta",
            "/posterior/proximal/k",
            "/posterior/scales/localise",
            "/posterior/scales/asap",
            "/posterior/lattice/step",
            "/posterior/budget/localise",
            "/posterior/budget/posterior",
            "/posterior/budget/asap",
            "/posterior/strong_convexity",
            "/posterior/smoothness",
            "/posterior/mala/expected_passes",
            "/posterior/proximal/expected_passes",
            "/posterior/excess_risk/release",
            "/posterior/rounding_charge",
            "/output/scale",
            "/output/lattice_step",
            "/objective/tilt_scale",
            "/noisy_gradient/steps",
        ];
        for key in positive {
            assert!(plan.pointer(key).unwrap().as_f64().unwrap() > 0.0, "{key}");
        }
        let number = |key: &str| plan.pointer(key).unwrap().as_f64().unwrap();
        assert_eq!(
            (&plan["posterior"]["norm"], &plan["posterior"]["certified"]),
            (&norm.into(), &true.into())
        );
        // m = γΛ, L = γ(Λ + Nβ), β = ¼ or 1.
        let beta = if norm == 1 { 0.25 } else { 1.0 };
        let gamma = number("/posterior/gamma");
        assert!((number("/posterior/strong_convexity") / (gamma * 20.0) - 1.0).abs() < 1e-6);
        assert!((number("/posterior/smoothness") / (gamma * (20.0 + 500.0 * beta)) - 1.0).abs() < 1e-6);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_plan_for_people_names_everything() {
    let folder = Folder::new();
    let said = succeeds(&folder, &format!("plan {LOGISTIC} --rows 5000 --dim 3"));
    for word in [
        "γ",
        "B ",
        "Δ",
        "rounding",
        "ln 1/ξ",
        "τ_max",
        "η",
        "exact draw: a few passes; fallback:",
        "proximal",
        "MALA",
        "passes",
        "no data was read",
        "--mechanism posterior",
        "--mechanism output",
        "(chosen)",
        "worth",
        "excess per row",
        "seconds",
        "Seconds are an estimate",
        "Verdict",
        "Useful from about ",
        "public tables that this was calibrated on",
        "Regulariser Λ = 20, as given",
    ] {
        assert!(said.contains(word), "{word} in\n{said}");
    }
}

/// The mechanisms in the order of the comparison, with what is said of each.
fn compared(plan: &serde_json::Value) -> Vec<(String, Option<f64>, bool, String)> {
    let row = |row: &serde_json::Value| {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        let missed = row["worth"].as_f64().map(|worth| (1.0 - worth).max(0.0));
        assert!(row["numerics"].is_string() == row["predicted_excess"].is_f64());
        assert!(row["passes"].is_f64() == row["predicted_excess"].is_f64());
        (text("name"), missed, row["chosen"].as_bool().unwrap(), text("why"))
    };
    plan["mechanisms"].as_array().unwrap().iter().map(row).collect()
}

/// What misses least is chosen, passes weighed, whichever mechanism it is, and a fit with the same
/// public numbers runs that one.
#[test]
fn a_plan_chooses_what_a_fit_runs() {
    let folder = Folder::new();
    folder.data();
    let mut seen = std::collections::BTreeSet::new();
    for flags in [
        "--epsilon 1",
        "--mu 1",
        "--epsilon 1 --curvature 0",
        "--mu 1 --curvature 0",
        "--mu 0.1 --curvature 1e6",
    ] {
        let flags = format!("{} --expected-rows 60", LOGISTIC.replace("--epsilon 1", flags));
        let plan = json(&succeeds(&folder, &format!("plan {flags} --rows 60 --dim 2 --json")));
        let all = compared(&plan);
        let prices =
            plan["mechanisms"].as_array().unwrap().iter().zip(&all).filter_map(|(row, (_, missed, ..))| {
                Some(((*missed)? + 1e-4 * row["passes"].as_f64()?, row["name"].as_str()?.to_owned()))
            });
        let least = prices.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let chosen: Vec<_> = all.iter().filter(|row| row.2).collect();
        assert_eq!((chosen.len(), &chosen[0].0), (1, &least.1), "{all:?}");
        assert_eq!(chosen[0].3, "best, counting its passes");
        succeeds(&folder, &format!("fit data.csv --force --yes --target ill --features age,dose {flags}"));
        let release = json(&std::fs::read_to_string(folder.path("release.json")).unwrap());
        let mechanism =
            release["certificate"]["mechanism"].as_object().unwrap().keys().next().unwrap().clone();
        assert_eq!(mechanism, chosen[0].0, "{flags}");
        let choice = &release["certificate"]["choice"];
        assert_eq!(choice["rows"], 60);
        for (name, predicted, ..) in &all {
            let recorded =
                choice["compared"].as_array().unwrap().iter().find(|row| row["mechanism"] == **name);
            assert_eq!(recorded.unwrap()["predicted"].as_f64(), *predicted, "{name}");
        }
        seen.insert(mechanism);
    }
    assert!(seen.len() > 1, "the public numbers decide: {seen:?}");
}

/// A mechanism that was asked for by name is chosen, whatever is predicted.
#[test]
fn a_plan_says_what_the_mechanism_asked_for_costs() {
    let folder = Folder::new();
    for name in ["objective", "noisy-gradient", "posterior", "output"] {
        let plan = format!("plan {LOGISTIC} --rows 5000 --dim 5 --mechanism {name}");
        let all = compared(&json(&succeeds(&folder, &format!("{plan} --json"))));
        assert!(all.iter().all(|row| row.2 == (row.0 == name)), "{all:?}");
        assert!(succeeds(&folder, &plan).contains(&format!("{name} (chosen)")));
    }
}

/// What is predicted to be worth nothing is announced, with what would help.
#[test]
fn what_is_worse_than_nothing_is_announced() {
    let folder = Folder::new();
    let plan = |budget| {
        let flags = LOGISTIC.replace("--epsilon 1", budget).replace("--regulariser 20 ", "");
        format!("plan {flags} --expected-rows 60 --rows 60 --dim 2")
    };
    let (poor, rich) = (plan("--epsilon 0.01"), plan("--epsilon 5"));
    let said = succeeds(&folder, &poor).replace('\n', " ");
    assert!(said.contains("Worse than nothing") && said.contains("would make it useful"), "{said}");
    assert!(!succeeds(&folder, &rich).contains("Worse than nothing"));
    let shown = json(&succeeds(&folder, &(poor + " --json")));
    assert_eq!((&shown["worse_than_nothing"], &shown["useful"]), (&true.into(), &false.into()));
    // With that budget, or with that many rows, it is useful.
    let budget = shown["useful_from_budget"].as_f64().unwrap();
    assert_eq!(json(&succeeds(&folder, &(plan(&format!("--epsilon {budget}")) + " --json")))["useful"], true);
}

/// Per row and in all, seconds in proportion to the passes, and the verdict, from the same numbers.
#[test]
fn a_plan_can_be_decided_by() {
    let folder = Folder::new();
    let flags = "--loss squared --target-bound 1 --parameter-bound 2 --epsilon 1 --regulariser 6 --feature-bound 1 --max-rows 1e8";
    let plan =
        |more: &str| json(&succeeds(&folder, &format!("plan {flags} --json --rows 5e3 --dim 4 {more}")));
    let number = |plan: &serde_json::Value, key: &str| plan.pointer(key).unwrap().as_f64().unwrap();
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
    let shown = plan("");
    // φ(0) = Y²/2, of which the best model is taken to gain 5 %.
    close(number(&shown, "/trivial_model_loses_per_row"), 0.025);
    let rows = shown["mechanisms"].as_array().unwrap();
    for row in rows.iter().filter(|row| row["predicted_excess"].is_f64()) {
        close(number(row, "/predicted_excess_per_row") * 5000.0, number(row, "/predicted_excess"));
        let seconds = number(row, "/passes") * number(&shown, "/seconds_of_one_pass");
        close(number(row, "/estimated_seconds"), seconds);
        assert!(seconds > 0.0);
    }
    // Reading the file again takes longer than what is done with its rows.
    let [pass, streamed] =
        ["/seconds_of_one_pass", "/seconds_of_one_streamed_pass"].map(|key| number(&shown, key));
    assert!(streamed > 2.0 * pass, "{pass} {streamed}");
    // From there on useful, a little below not.
    let from = shown["useful_from_rows"].as_u64().unwrap();
    let at = |rows: u64| {
        let plan = plan(&format!("--expected-rows {rows} --mechanism objective"));
        assert_eq!(plan["expected_rows"], rows);
        assert_eq!(plan["useful"], plan["worth"].as_f64().unwrap() >= 0.5);
        plan["useful"].as_bool().unwrap()
    };
    assert!(at(from) && at(2 * from) && !at(from * 8 / 10), "{from}");
    assert!(shown["verdict"].as_str().unwrap().contains(&format!("about {from} rows")));
}

/// Without --regulariser one is chosen, which a plan shows, a fit takes and certifies, and a sweep marks; a
/// fit by name has it, too.
#[test]
fn the_chosen_regulariser_is_shown_taken_and_marked() {
    let folder = Folder::new();
    folder.data();
    let without = LOGISTIC.replace("--regulariser 20 ", "");
    let plan = format!("plan {without} --rows 5000 --dim 2");
    let shown = json(&succeeds(&folder, &format!("{plan} --json")));
    let chosen = shown["regulariser"].as_f64().unwrap();
    assert_eq!(shown["regulariser_chosen"], true);
    assert!(succeeds(&folder, &plan).contains("chosen: with half or twice as much"));
    // No other one is predicted to be worth more, from public numbers alone.
    for other in [chosen / 1.3, chosen * 1.5, chosen * 4.0] {
        let with =
            json(&succeeds(&folder, &format!("{plan} --json --regulariser {other} --mechanism objective")));
        assert!(with["worth"].as_f64().unwrap() <= shown["worth"].as_f64().unwrap() + 0.005, "{other}");
    }
    for mechanism in ["auto", "output"] {
        let fit = format!(
            "fit data.csv --force --yes --target ill --features age,dose {without} --expected-rows 5000"
        );
        succeeds(&folder, &format!("{fit} --mechanism {mechanism}"));
        let release = json(&std::fs::read_to_string(folder.path("release.json")).unwrap());
        let recorded = &release["certificate"]["choice"]["regulariser"];
        // Half of it may be refused.
        let missed = |key: &str| recorded[key].as_f64().unwrap_or(1.0);
        assert!(missed("missed") <= missed("with_half").min(missed("with_twice")), "{recorded}");
        assert!(recorded["with_twice"].is_f64() && missed("missed") < 1.0, "{recorded}");
        if mechanism == "auto" {
            assert_eq!(release["certificate"]["problem"]["regulariser"], chosen);
        }
        succeeds(&folder, "check release.json");
    }
    let sweep = format!("{plan} --sweep regulariser=0.01:10000");
    let swept = json(&succeeds(&folder, &format!("{sweep} --json")));
    assert_eq!(swept["chosen_regulariser"], chosen);
    assert!(swept["points"].as_array().unwrap().iter().any(|point| point["value"] == chosen));
    let said = succeeds(&folder, &format!("{sweep} --svg sweep.svg"));
    assert_eq!(said.lines().filter(|line| line.contains("(auto) ")).count(), 1, "{said}");
    let picture = std::fs::read_to_string(folder.path("sweep.svg")).unwrap();
    for name in ["objective", "noisy-gradient", "posterior", "output", "trivial model", "missed"] {
        assert!(picture.contains(name), "{name}");
    }
    assert!(
        json(&succeeds(&folder, &format!("{plan} --json --sweep epsilon=1:2")))["chosen_regulariser"]
            .is_null()
    );
}

#[test]
fn a_sweep_is_a_table_and_a_picture() {
    let folder = Folder::new();
    let plan = format!("plan {LOGISTIC} --rows 5000 --dim 5");
    for (name, unit) in [("epsilon", "0.1:10"), ("mu", "0.1:10:4"), ("regulariser", "1:1000:4")] {
        let flags = format!("{plan} --sweep {name}={unit} --svg sweep.svg --force");
        let said = succeeds(&folder, &flags);
        assert!(said.contains(name) && said.contains("chosen") && said.contains("posterior"), "{said}");
        let picture = std::fs::read_to_string(folder.path("sweep.svg")).unwrap();
        assert!(picture.starts_with("<svg") && picture.contains("output") && picture.contains(name));
        let shown = json(&succeeds(&folder, &(flags + " --json")));
        let points = shown["points"].as_array().unwrap();
        let expected = match name {
            "epsilon" => 13,
            "mu" => 4,
            // The chosen one besides, where it is inside.
            _ => 4 + usize::from(shown["chosen_regulariser"].is_f64()),
        };
        assert_eq!(points.len(), expected);
        if name != "regulariser" {
            let missed: Vec<f64> = points.iter().filter_map(|point| compared(point)[0].1).collect();
            assert!(missed.windows(2).all(|pair| pair[1] < pair[0]), "{name}: {missed:?}");
        }
    }
    // What is swept need not be given besides.
    let plan_without = plan.replace("--epsilon 1 ", "");
    for (name, other) in [("epsilon", ""), ("mu", ""), ("regulariser", "--mu 1")] {
        succeeds(&folder, &format!("{plan_without} {other} --sweep {name}=1:2:2"));
    }
    let said = fails(&folder, 2, &format!("{plan_without} --sweep regulariser=1:2"));
    assert!(said.contains("--epsilon or --mu"), "{said}");
    assert!(fails(&folder, 2, &plan_without).contains("--epsilon"));
    for bad in ["delta=1:2", "epsilon=1", "epsilon=2:1", "mu=0:1", "mu=1:2:1", "mu=1:2:3:4", "mu=a:b"] {
        assert!(fails(&folder, 2, &format!("{plan} --sweep {bad}")).contains("--sweep"), "{bad}");
    }
    assert!(fails(&folder, 2, &format!("{plan} --svg x.svg")).contains("--sweep"));
}

/// Pure DP: the shorter noise makes the ball smaller and the posterior colder. Both are shown; GDP has no choice.
#[test]
fn a_plan_shows_both_noises() {
    let folder = Folder::new();
    let plan = |flags: &str| succeeds(&folder, &format!("plan --dim 11 --rows 5000 {flags}"));
    let pure = "--loss logistic --epsilon 1 --regulariser 5 --feature-bound 1";
    for (flags, other) in [("", "laplace"), ("--noise laplace", "euclidean")] {
        let said = plan(&format!("{pure} {flags}"));
        assert!(said.contains("euclidean") && said.contains("laplace"), "{said}");
        assert!(said.contains("% smaller and γ") && said.contains("% larger than"), "{said}");
        assert!(!said.contains(&format!("{other} (chosen)")) && said.contains("(chosen)"), "{said}");
    }
    let shown = json(&plan(&format!("{pure} --json")));
    let number = |key: &str| shown.pointer(key).unwrap().as_f64().unwrap();
    let ratio =
        |key: &str| number(&format!("/noises/euclidean/{key}")) / number(&format!("/noises/laplace/{key}"));
    assert!(ratio("radius") < 0.85, "B: {}", ratio("radius"));
    assert!(ratio("gamma") > 1.15, "γ: {}", ratio("gamma"));
    assert_eq!(number("/noises/euclidean/gamma").to_bits(), number("/posterior/gamma").to_bits());
    let gaussian = "--loss logistic --mu 1 --regulariser 5 --feature-bound 1";
    assert_eq!(json(&plan(&format!("{gaussian} --json")))["noises"], serde_json::json!({}));
    assert!(
        fails(&folder, 2, &format!("plan --dim 1 --rows 9 {gaussian} --noise laplace")).contains("--noise")
    );
}

/// What is not asked for may be impossible: then the plan says why, and shows the other mechanism.
#[test]
fn a_plan_of_output_perturbation_survives_a_refused_posterior() {
    let folder = Folder::new();
    let flags =
        "plan --loss logistic --mu 1 --regulariser 1 --feature-bound 1 --rows 200 --dim 3 --sampler mala";
    let refused = fails(&folder, 2, flags);
    assert!(refused.contains("--largest-chain"), "{refused}");
    let said = succeeds(&folder, &format!("{flags} --mechanism output"));
    assert!(said.contains("refused:") && said.contains("--largest-chain"), "{said}");
    assert!(said.contains("standard deviation of the release"), "{said}");
    let shown = json(&succeeds(&folder, &format!("{flags} --mechanism output --json")));
    assert!(shown["posterior"]["refused"].is_string() && shown["output"]["scale"].is_f64());
    let refused: Vec<_> = compared(&shown).into_iter().filter(|row| row.1.is_none()).collect();
    assert!(refused.len() == 1 && refused[0].0 == "posterior" && refused[0].3.contains("refused"));
}

/// What a plan says is what a fit certifies, for the same public numbers and the same norm of θ_0.
#[test]
fn a_plan_is_what_a_fit_does() {
    let folder = Folder::new();
    folder.data();
    let fit = "fit data.csv --force --yes --target ill --features age,dose --expected-rows 60 --mechanism posterior";
    succeeds(&folder, &format!("{fit} {LOGISTIC}"));
    let release = json(&std::fs::read_to_string(folder.path("release.json")).unwrap());
    // The logistic loss has one Lipschitz constant, wherever θ_0 lies.
    let plan = json(&succeeds(&folder, &format!("plan {LOGISTIC} --rows 60 --dim 2 --json")));
    for (planned, certified) in [
        ("/posterior/gamma", "/certificate/mechanism/posterior/reference/gamma"),
        ("/posterior/radius", "/certificate/mechanism/posterior/reference/radius"),
        ("/posterior/delta", "/certificate/mechanism/posterior/asap/error"),
        ("/posterior/expected_rows", "/certificate/mechanism/posterior/expected_rows"),
        ("/posterior/budget/localise", "/certificate/ledger/shares/0/spent"),
        ("/posterior/budget/asap", "/certificate/ledger/shares/2/spent"),
    ] {
        assert_eq!(plan.pointer(planned).unwrap(), release.pointer(certified).unwrap(), "{planned}");
    }
}

#[test]
fn asymptotic_constants_are_not_certified() {
    let folder = Folder::new();
    let flags = "--rows 500 --dim 3 --calibration paper --sampler mala";
    let plan = json(&succeeds(&folder, &format!("plan {LOGISTIC} {flags} --json")));
    assert_eq!(plan["posterior"]["certified"], false);
    assert!(plan["posterior"]["mala"]["t"].is_null() && plan["posterior"]["mala"]["k"].is_u64());
    assert!(succeeds(&folder, &format!("plan {LOGISTIC} {flags}")).contains("not certified"));
    assert!(fails(&folder, 2, &format!("plan {LOGISTIC} --rows 500 --dim 0")).contains("--dim"));
    let said = fails(&folder, 2, &format!("plan {LOGISTIC} --rows 500 --dim 3 --max-rows 100"));
    assert!(said.contains("--rows") && said.contains("--max-rows"), "{said}");
}

/// A table with numbers, two categories and an intercept: each block of the tilt is named, in words and in JSON.
#[test]
fn a_plan_names_the_noise_of_each_block() {
    let folder = Folder::new();
    let schema = "[target]\nname = \"y\"\nclasses = [\"no\", \"yes\"]\n[columns]\nage = [18, 80]\nhours = [0, 99]\n\
                  job = [\"a\", \"b\", \"c\"]\nsex = [\"f\", \"m\"]\n";
    std::fs::write(folder.path("table.toml"), schema).unwrap();
    let plan = "plan --loss logistic --rows 5000 --schema table.toml --regulariser 50 --mechanism objective";
    let said = succeeds(&folder, &format!("{plan} --epsilon 1 --intercept"));
    for words in [
        "scale of the tilt of 2 numbers and the intercept, in the largest-coordinate norm",
        "Laplace scale of the tilt of each of 3 levels of job",
        "Laplace scale of the tilt of each of 2 levels of sex",
        "the Jacobian is free",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let said = succeeds(&folder, &format!("{plan} --mu 1"));
    for words in ["of each of 2 numbers\n", "of each of 3 levels of job", "of each of 2 levels of sex"] {
        assert!(said.contains(&format!("standard deviation of the tilt {words}")), "{words}: {said}");
    }
    let blocks = json(&succeeds(&folder, &format!("{plan} --epsilon 1 --intercept --json")));
    let blocks = blocks.pointer("/objective/tilt_blocks").unwrap();
    let of: Vec<&str> =
        blocks.as_array().unwrap().iter().map(|block| block["of"].as_str().unwrap()).collect();
    assert_eq!(of, ["2 numbers and the intercept", "3 levels of job", "2 levels of sex"]);
}
