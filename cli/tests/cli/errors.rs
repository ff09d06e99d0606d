use crate::{Folder, LOGISTIC, fails, fitted, stdout, succeeds};
use std::fs;

#[test]
fn flags_out_of_range_are_named_with_their_range() {
    let folder = Folder::new();
    folder.data();
    let problem = "--loss huber --epsilon 1 --regulariser 1 --feature-bound 1 --target-bound 1";
    let plain = ["0", "-1", "nan", "inf", "one"];
    for flag in [
        "--epsilon",
        "--regulariser",
        "--feature-bound",
        "--target-bound",
        "--parameter-bound",
        "--huber-delta",
    ] {
        for bad in plain {
            // A flag that is there already is replaced.
            let before: Vec<&str> = problem.split_whitespace().collect();
            let kept: Vec<&str> =
                before.chunks(2).filter(|pair| pair[0] != flag).flatten().copied().collect();
            let said =
                fails(&folder, 2, &format!("fit data.csv --target score {} {flag}={bad}", kept.join(" ")));
            assert!(said.contains(flag) && said.contains("finite number greater than 0"), "{said}");
        }
    }
    for flag in ["--max-rows", "--expected-rows"] {
        for bad in ["0", "-1", "1.5"] {
            let said = fails(&folder, 2, &format!("fit data.csv --target score {problem} {flag}={bad}"));
            assert!(said.contains(flag), "{said}");
        }
    }
    let extreme = "--loss logistic --epsilon 1 --regulariser 1 --feature-bound 1e200";
    assert!(fails(&folder, 2, &format!("fit data.csv --target ill {extreme}")).contains("--feature-bound"));
    let extreme = "--loss logistic --epsilon 1 --regulariser 1e-300 --feature-bound 1 --mechanism posterior";
    assert!(fails(&folder, 2, &format!("fit data.csv --target ill {extreme}")).contains("--regulariser"));
    for budget in ["--epsilon 1e-12", "--epsilon 1e9", "--mu 1e9"] {
        let extreme =
            format!("--loss logistic {budget} --regulariser 1 --feature-bound 1 --mechanism posterior");
        let said = fails(&folder, 2, &format!("fit data.csv --target ill {extreme}"));
        assert!(said.contains("--epsilon") && said.contains("--mu"), "{said}");
    }
    assert!(!folder.path("release.json").exists());
}

/// A grid of extreme public numbers: every refusal names a flag and a direction, and no function or page of the
/// library. What is said to be enough is enough.
#[test]
fn every_refused_plan_names_a_flag_and_a_direction() {
    let folder = Folder::new();
    let (mut refusals, mut remedies) = (0, 0);
    let judge = |said: &str, flags: &str| {
        let directions =
            ["raise", "lower", "larger", "smaller", "fewer", "closer to 1", "greater than", "choose"];
        assert!(said.contains("--") && directions.iter().any(|word| said.contains(word)), "{flags}\n{said}");
        for raw in [
            "[own:",
            "[lem:",
            "[alg:",
            "[thm:",
            "requires `",
            "representable",
            "internal check",
            "get()",
            "_scale",
        ] {
            assert!(!said.contains(raw), "{flags}\n{said}");
        }
    };
    for loss in ["logistic", "squared --target-bound 1"] {
        for budget in ["--epsilon 1e-12", "--epsilon 1e9", "--mu 1e-9", "--epsilon 1"] {
            for regulariser in ["1e-300", "1e-6"] {
                for (bound, rest) in [
                    ("1", ""),
                    ("1e150", " --max-rows 1e12"),
                    ("1e-150", " --parameter-bound 1e-200 --max-rows 200"),
                    ("1", " --mechanism posterior"),
                    ("1e6", " --mechanism objective"),
                    ("1", " --mechanism output"),
                    ("1e6", " --mechanism noisy-gradient"),
                    ("1", " --sampler mala"),
                    ("1", " --sampler mala --calibration paper"),
                ] {
                    let flags = format!(
                        "plan --loss {loss} {budget} --regulariser {regulariser} --feature-bound {bound} --rows 100 --dim 3{rest}"
                    );
                    let output = crate::asap(&folder, &flags);
                    if output.status.success() {
                        let said = stdout(&output);
                        let refused = said.lines().filter_map(|line| line.split_once("refused: "));
                        refused.for_each(|(_, reason)| judge(reason, &flags));
                        continue;
                    }
                    let said = crate::refused(&output, 2, &flags);
                    judge(&said, &flags);
                    refusals += 1;
                    // "--flag value (larger)": what is there already is replaced.
                    let Some((_, enough)) = said.split_once("Any one of these would be enough: ") else {
                        continue;
                    };
                    let remedy: Vec<&str> = enough.split_whitespace().take(2).collect();
                    let words: Vec<&str> = flags.split_whitespace().collect();
                    let place = words.iter().position(|word| *word == remedy[0]);
                    let kept: Vec<&str> = match place {
                        Some(place) => [&words[..place], &words[place + 2..]].concat(),
                        None => words,
                    };
                    succeeds(&folder, &format!("{} {} {}", kept.join(" "), remedy[0], remedy[1]));
                    remedies += 1;
                }
            }
        }
    }
    assert!(refusals > 40 && remedies > 20, "{refusals} {remedies}");
}

/// One wording for a file that is not there, in every command.
#[test]
fn missing_files_are_called_missing() {
    let folder = Folder::new();
    fitted(&folder);
    for arguments in [
        format!("fit none --target ill {LOGISTIC} --out x.json"),
        format!("fit none --target ill {LOGISTIC} --stream --out x.json"),
        format!("fit data.csv --target ill {LOGISTIC} --sign none --out x.json"),
        format!("fit data.csv --target ill {LOGISTIC} --ledger none --out x.json"),
        "check none".to_owned(),
        "check release.json --key none".to_owned(),
        "predict none data.csv".to_owned(),
        "predict release.json none".to_owned(),
        "ledger none".to_owned(),
        "audit --from none".to_owned(),
        "schema none".to_owned(),
        format!("fit data.csv {LOGISTIC} --schema none --out x.json"),
        format!("plan {LOGISTIC} --rows 100 --schema none"),
    ] {
        let said = fails(&folder, 3, &arguments);
        assert!(said.starts_with("error: none: no such file"), "{arguments}: {said}");
    }
}

#[test]
fn counts_may_be_written_with_an_exponent() {
    let folder = Folder::new();
    let plan =
        |rows: &str, most: &str| format!("plan {LOGISTIC} --dim 3 --rows {rows} --max-rows {most} --json");
    assert_eq!(
        succeeds_untimed(&folder, &plan("5e3", "2e6")),
        succeeds_untimed(&folder, &plan("5000", "2000000"))
    );
    for (rows, most) in [("1.5", "10"), ("1e-3", "10"), ("-5", "10"), ("10", "1.00005e4"), ("1e30", "10")] {
        let said = fails(
            &folder,
            2,
            &plan(rows, most).replace("--rows ", "--rows=").replace("-rows 1.0", "-rows=1.0"),
        );
        assert!(said.contains("whole number") && said.contains("rows"), "{said}");
    }
    let said = fails(&folder, 2, &format!("plan {LOGISTIC} --dim 3 --rows -5"));
    assert!(said.contains("--rows") && said.contains("whole number"), "{said}");
    let said = fails(
        &folder,
        2,
        &format!("plan {} --dim 3 --rows 5", LOGISTIC.replace("--epsilon 1", "--epsilon -1")),
    );
    assert!(said.contains("--epsilon") && said.contains("greater than 0"), "{said}");
}

/// What a command prints, without what is timed.
fn succeeds_untimed(folder: &Folder, arguments: &str) -> String {
    succeeds(folder, arguments).lines().filter(|line| !line.contains("seconds")).collect()
}

#[test]
fn usage_errors_are_explained() {
    let folder = Folder::new();
    folder.data();
    let rest = "--regulariser 1 --feature-bound 1";
    for (arguments, word) in [
        (String::new(), "Usage"),
        ("nonsense".to_owned(), "nonsense"),
        (format!("fit data.csv --target ill --loss logistic {rest}"), "--epsilon"),
        (format!("fit data.csv --target ill --loss logistic --epsilon 1 --mu 1 {rest}"), "--mu"),
        (format!("fit data.csv --target ill --loss cubic --epsilon 1 {rest}"), "logistic"),
        (format!("fit data.csv {LOGISTIC}"), "--target"),
        (format!("fit data.csv --target ill {LOGISTIC} --clip --refuse"), "--refuse"),
        (format!("fit data.csv --target ill {LOGISTIC} --target-bound 1"), "--target-bound"),
        (format!("fit data.csv --target ill {LOGISTIC} --huber-delta 1"), "--huber-delta"),
        (format!("fit data.csv --target score --loss squared --mu 1 {rest}"), "--target-bound"),
        (format!("fit data.csv --target ill {LOGISTIC} --separator ab"), "--separator"),
        (format!("fit data.csv --target ill {LOGISTIC} --replay-seed x"), "--replay-seed"),
        (format!("fit data.csv --target ill {LOGISTIC} --neighbours some"), "add-remove"),
        ("completions dos".to_owned(), "bash"),
    ] {
        assert!(fails(&folder, 2, &arguments).contains(word), "{arguments}");
    }
    assert_eq!(folder.names(), ["data.csv"]);
}

#[test]
fn unusable_data_are_named_by_line_and_column_never_by_value() {
    let folder = Folder::new();
    for (text, words) in [
        ("", &["empty"][..]),
        ("1,2\n3,4\n", &["first line"]),
        ("a,ill\n0.5,1\n0.25,4711x\n", &["line 3", "`ill`", "--schema"]),
        ("a,ill\n0.5,1,2\n", &["line 2", "--separator"]),
        ("a,b\n0.5,1\n", &["--target", "`a`, `b`"]),
        ("a,ill\n\"0.5,1\n", &["quote"]),
    ] {
        fs::write(folder.path("bad.csv"), text).unwrap();
        let said = fails(&folder, 3, &format!("fit bad.csv --target ill {LOGISTIC}"));
        assert!(words.iter().all(|word| said.contains(word)) && !said.contains("4711"), "{said}");
    }
    folder.data();
    let fit = format!("fit data.csv --target ill {LOGISTIC}");
    assert!(fails(&folder, 3, &format!("{fit} --features age,wight")).contains("`wight`"));
    assert!(fails(&folder, 3, &format!("{fit} --features age,ill")).contains("--features"));
    assert!(fails(&folder, 3, &format!("{fit} --max-rows 5")).contains("--max-rows"));
    assert!(fails(&folder, 3, &format!("{fit} --separator a")).contains("--separator"));
    let tight = fit.replace("--feature-bound 1", "--feature-bound 0.1");
    let said = fails(&folder, 3, &format!("{tight} --refuse"));
    assert!(said.contains("line") && said.contains("--feature-bound"), "{said}");
    assert!(fails(&folder, 3, &format!("fit missing.csv --target ill {LOGISTIC}")).contains("missing.csv"));
    fs::create_dir(folder.path("folder")).unwrap();
    fails(&folder, 3, &format!("fit folder --target ill {LOGISTIC}"));
    assert!(!folder.path("release.json").exists(), "a refused fit writes nothing");
}

#[test]
fn predictions_need_their_columns() {
    let folder = Folder::new();
    fitted(&folder);
    fs::write(folder.path("other.csv"), "age\n1\n").unwrap();
    let said = fails(&folder, 3, "predict release.json other.csv");
    assert!(said.contains("`dose`") && !said.contains("--features"), "a flag that predict has not: {said}");
    fs::write(folder.path("other.csv"), "dose,age\n1,x\n").unwrap();
    let said = fails(&folder, 3, "predict release.json other.csv");
    assert!(said.contains("`age`") && !said.contains("--schema"), "a flag that predict has not: {said}");
    assert!(fails(&folder, 3, "predict missing.json data.csv").contains("missing.json"));
    assert!(fails(&folder, 3, "check missing.json").contains("missing.json"));
}

#[test]
fn help_shows_examples_and_exit_codes_and_shells_complete() {
    let folder = Folder::new();
    let help = succeeds(&folder, "--help");
    for word in ["Examples:", "Exit codes:", "130", "asap demo"] {
        assert!(help.contains(word), "{word} in\n{help}");
    }
    for name in ["demo", "fit", "plan", "check", "predict"] {
        let help = succeeds(&folder, &format!("{name} --help"));
        assert!(help.contains("Exit codes") && help.contains("--json"), "{help}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(succeeds(&folder, &format!("completions {shell}")).contains("replay-seed"), "{shell}");
    }
    let version = crate::asap(&folder, "--version");
    assert!(stdout(&version).starts_with(concat!("asap ", env!("CARGO_PKG_VERSION"))));
}
