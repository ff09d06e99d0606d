use crate::{Folder, fails, json, succeeds};
use std::fs;

#[test]
fn audit_reports_a_table_json_and_a_drawing() {
    let folder = Folder::new();
    let table = succeeds(&folder, "audit --mu 1 --runs 300 --replay-seed 1 --svg audit.svg");
    assert!(table.contains("whole release") && table.contains("not refuted"), "{table}");
    assert!(fs::read_to_string(folder.path("audit.svg")).unwrap().starts_with("<svg"));
    let report = json(&succeeds(&folder, "audit --epsilon 1 --runs 300 --replay-seed 1 --json"));
    assert_eq!(report["rows"].as_array().unwrap().len(), 9);
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["contradicted"] == false));
    assert!(fails(&folder, 2, "audit").contains("--epsilon or --mu"));
    assert!(fails(&folder, 2, "audit --epsilon 0").contains("epsilon"));
    fails(&folder, 2, "audit --epsilon 1 --mu 1");
    fails(&folder, 2, "audit --mu 1 --runs 3");
    fails(&folder, 2, "audit --mu 1 --dim 0");
    // The direction that attained the bound is named.
    let output = "audit --mu 1 --mechanism output --runs 300 --replay-seed 1 --json";
    for (dimension, others) in [(1, false), (3, true)] {
        let report = json(&succeeds(&folder, &format!("{output} --dim {dimension}")));
        let rows = report["rows"].as_array().unwrap();
        let directions: Vec<&str> = rows.iter().map(|row| row["direction"].as_str().unwrap()).collect();
        assert!(others || directions.iter().all(|name| *name == "likelihood ratio"), "{directions:?}");
        assert_eq!(report["dimension"], dimension);
    }
}

/// Every mechanism, sampler and noise can be audited; output perturbation has one stage, the whole release.
#[test]
fn audit_knows_the_mechanisms() {
    let folder = Folder::new();
    let rows = |flags: &str| {
        let report = json(&succeeds(&folder, &format!("audit --runs 200 --replay-seed 1 --json {flags}")));
        let rows = report["rows"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["contradicted"] == false), "{flags}: {rows:?}");
        rows.len()
    };
    for flags in ["--mu 1 --mechanism output", "--epsilon 1 --mechanism output --noise laplace"] {
        assert_eq!(rows(flags), 3, "{flags}");
    }
    for flags in ["--mu 1 --sampler proximal", "--epsilon 1 --noise laplace", "--epsilon 1 --sampler exact"] {
        assert_eq!(rows(flags), 9, "{flags}");
    }
    assert!(fails(&folder, 2, "audit --mu 1 --noise laplace").contains("--noise"));
    // Objective perturbation under μ has the tilt of a logistic fit, unless another loss is asked for.
    for (flags, loss) in [
        ("--mu 1", "logistic"),
        ("--mu 1 --loss huber", "Huber"),
        ("--epsilon 1", "Huber"),
        ("--epsilon 1 --loss logistic", "logistic"),
    ] {
        let flags = format!("--mechanism objective --runs 200 --replay-seed 1 {flags}");
        let said = succeeds(&folder, &format!("audit {flags}"));
        assert!(said.contains(&format!("{loss} loss, R = 1")) && said.contains("not refuted"), "{said}");
    }
    assert!(
        fails(&folder, 2, "audit --mu 1 --loss huber").contains("--loss: only for --mechanism objective")
    );
    assert!(fails(&folder, 2, "audit --mu 1 --mechanism output --sampler exact").contains("--sampler"));
}

/// The setting of a release is audited, on records that are made for it, with the worst case beside it.
#[test]
fn audit_takes_its_setting_from_a_release() {
    let folder = Folder::new();
    folder.data();
    let fit = format!("fit data.csv --target ill --features age,dose {}", crate::LOGISTIC);
    for mechanism in ["objective", "noisy-gradient", "posterior", "output"] {
        let (out, audit) = (format!("{mechanism}.json"), format!("{mechanism}.svg"));
        succeeds(&folder, &format!("{fit} --mechanism {mechanism} --intercept --out {out}"));
        let flags = format!("audit --from {out} --runs 100 --replay-seed 1");
        let report = json(&succeeds(&folder, &format!("{flags} --json")));
        assert_eq!((&report["dimension"], &report["regulariser"]), (&3.into(), &20.0.into()));
        assert!(report["setting"].as_str().unwrap().contains("logistic loss, R = 1 and an intercept"));
        let rows = report["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 3);
        for row in rows {
            assert_eq!((&row["mechanism"], &row["claim"]["pure"]), (&mechanism.into(), &1.0.into()));
            assert!(row["direction"].is_string() && row["contradicted"] == false);
        }
        assert!(report["worst_case"]["rows"].as_array().unwrap().len() >= 3);
        let gaussian = format!("{fit} --mechanism {mechanism} --out gaussian.json --force");
        succeeds(&folder, &gaussian.replace("--epsilon 1", "--mu 1"));
        let report = succeeds(&folder, "audit --from gaussian.json --runs 100 --replay-seed 1 --json");
        let beside = if mechanism == "objective" { "logistic loss" } else { "Huber loss" };
        assert!(json(&report)["worst_case"]["setting"].as_str().unwrap().contains(beside), "{report}");
        let said = succeeds(&folder, &format!("{flags} --svg {audit}"));
        assert!(said.contains("the setting of the release") && said.contains("own worst case"), "{said}");
        // The axes have numbers.
        let picture = fs::read_to_string(folder.path(&audit)).unwrap();
        assert!([">0<", ">0.25<", ">0.5<", ">0.75<", ">1<"].iter().all(|number| picture.contains(number)));
    }
    // Checked first; and not what cannot be audited.
    let text = fs::read_to_string(folder.path("output.json")).unwrap();
    fs::write(folder.path("edited.json"), text.replacen("\"pure\": 1.0", "\"pure\": 2.0", 1)).unwrap();
    fails(&folder, 1, "audit --from edited.json");
    assert!(fails(&folder, 2, "audit --from output.json --epsilon 1").contains("--from"));
    fs::write(folder.path("user.json"), crate::user::release().to_json()).unwrap();
    let said = fails(&folder, 2, "audit --from user.json");
    assert!(said.contains("--from") && said.contains("built-in loss"), "{said}");
    let rows: String = (0..20).map(|k| format!("0.1,0.2,0.{k},0.3,0.1,0.2,{}\n", k % 2)).collect();
    fs::write(folder.path("wide.csv"), format!("a,b,c,d,e,f,ill\n{rows}")).unwrap();
    succeeds(&folder, &format!("fit wide.csv --target ill {} --out wide.json", crate::LOGISTIC));
    let said = fails(&folder, 2, "audit --from wide.json");
    assert!(said.contains("--from") && said.contains("at most 5 parameters"), "{said}");
}
