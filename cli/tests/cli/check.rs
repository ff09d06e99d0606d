use crate::{Folder, asap, fails, fitted, json, stderr, stdout, succeeds};
use serde_json::Value;
use std::fs;

/// Every number in a JSON value, as a JSON pointer.
fn numbers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(pointer.to_owned()),
        Value::Array(items) => {
            for (k, item) in items.iter().enumerate() {
                numbers(item, &format!("{pointer}/{k}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                numbers(item, &format!("{pointer}/{name}"), found);
            }
        }
        _ => {}
    }
}

/// The smallest edit that JSON can hold: one unit, or one bit.
fn edited(old: &Value) -> Value {
    match (old.as_u64(), old.as_i64(), old.as_f64()) {
        (Some(k), _, _) => (k + 1).into(),
        (_, Some(k), _) => (k + 1).into(),
        (_, _, Some(x)) => x.next_up().into(),
        _ => Value::Null,
    }
}

/// Through the binary, for every number of a pure and of a Gaussian release of each mechanism.
#[test]
fn an_edit_of_any_number_fails_with_a_spec_id() {
    let folder = Folder::new();
    folder.data();
    let mut fields = 0;
    for guarantee in [
        "--epsilon 1",
        "--mu 1 --parameter-bound 2",
        "--epsilon 1 --mechanism output --noise laplace",
        "--mu 1 --mechanism output",
    ] {
        let problem =
            "--loss huber --target-bound 1 --regulariser 20 --feature-bound 1 --intercept --max-rows 1000";
        succeeds(&folder, &format!("fit data.csv --force --yes --target score {problem} {guarantee}"));
        let whole = json(&fs::read_to_string(folder.path("release.json")).unwrap());
        let mut found = Vec::new();
        numbers(&whole, "", &mut found);
        for pointer in &found {
            let mut changed = whole.clone();
            let number = changed.pointer_mut(pointer).unwrap();
            *number = edited(number);
            fs::write(folder.path("edited.json"), changed.to_string()).unwrap();
            let output = asap(&folder, "check edited.json");
            // Another version is not readable at all.
            let code = if pointer.ends_with("/schema") { 3 } else { 1 };
            assert_eq!(output.status.code(), Some(code), "{pointer} was edited");
            let said = stderr(&output);
            let page = ["(page own:", "(page lem:", "(page thm:"].iter().any(|kind| said.contains(kind));
            assert_eq!(page, code == 1, "{pointer}: {said}");
        }
        fields += found.len();
    }
    assert!(fields >= 100, "{fields} numbers");
}

#[test]
fn a_check_lists_its_clauses() {
    let folder = Folder::new();
    fitted(&folder);
    let said = succeeds(&folder, "check release.json");
    for word in ["ok", "lem:pure_DP_Post_Sam", "clauses hold", "exact draw", "certified", "rigorous"] {
        assert!(said.contains(word), "{word} in\n{said}");
    }
    // What is believed has a section of its own, behind the clauses and before the verdict.
    let (checked, rest) = said.split_once("Assumed").unwrap();
    let (assumed, verdict) = rest.split_once("clauses hold").unwrap();
    assert!(checked.contains("digest") && !checked.contains("random bits"), "{checked}");
    for word in
        ["random bits", "the sampler ran until its draw was within Δ", "without looking at the records"]
    {
        assert!(assumed.contains(word), "{word} in\n{assumed}");
    }
    assert!(verdict.contains("1-DP"), "{verdict}");
    // How long the sampler ran is not seen here, and the verdict does not claim otherwise.
    assert!(verdict.contains("cannot show that the sampler ran as long as Δ requires"), "{verdict}");
    assert!(checked.contains("charge covers the rounding") && checked.contains("rounding covers the sums"));
    let verdict = json(&succeeds(&folder, "check release.json --json"));
    assert_eq!(verdict["guarantee"]["pure"], 1.0);
    assert!(verdict["checked"].as_array().unwrap().len() > 30);
    assert!(verdict["checked"][0]["spec"].is_string() && verdict["claims"][0]["status"].is_string());
    assert!(verdict["assumed"][0]["why"].is_string() && verdict["assumed"][0]["spec"].is_string());
    assert_eq!((&verdict["numerics"], &verdict["certified"]), (&"rigorous".into(), &true.into()));
}

/// A paragraph says what is proved by whom, from the row of the release's mechanism and unit.
#[test]
fn a_check_says_what_is_proved_by_whom() {
    let folder = Folder::new();
    folder.data();
    for (flags, theorem) in [
        ("--epsilon 1 --mechanism objective", "EndToEnd.thm_objective_perturbation"),
        ("--epsilon 1 --mechanism output", "EndToEnd.thm_output_perturbation"),
        ("--mu 1 --mechanism output", "EndToEndGauss.thm_output_gaussian"),
    ] {
        succeeds(
            &folder,
            &format!(
                "fit data.csv --force --yes --target ill --loss logistic --regulariser 5 --feature-bound 1 {flags}"
            ),
        );
        let said = succeeds(&folder, "check release.json");
        assert!(said.lines().all(|line| !line.starts_with("Proved by Coq: ") || line.chars().count() <= 140));
        let said = said.replace('\n', " ");
        let (_, line) = said.split_once("Proved by Coq: ").unwrap();
        for word in [theorem, "by Kani", "bit for bit", "written", "assumed: random bits", "spec/proved.md"] {
            assert!(line.contains(word), "{flags}: {word} in\n{line}");
        }
        let verdict = json(&succeeds(&folder, "check release.json --json"));
        assert!(verdict["proved"]["coq"].as_str().unwrap().contains(theorem), "{flags}");
        assert!(verdict["proved"]["assumed"].as_str().unwrap().starts_with("random bits"), "{flags}");
    }
}

#[test]
fn a_failed_check_names_the_clause_also_as_json() {
    let folder = Folder::new();
    fitted(&folder);
    let text = fs::read_to_string(folder.path("release.json")).unwrap();
    let mut release = json(&text);
    let gamma = release.pointer_mut("/certificate/mechanism/posterior/reference/gamma").unwrap();
    *gamma = (2.0 * gamma.as_f64().unwrap()).into();
    fs::write(folder.path("edited.json"), release.to_string()).unwrap();
    assert!(fails(&folder, 1, "check edited.json").contains("lem:pure_DP_Post_Sam"));
    let output = asap(&folder, "check edited.json --json");
    let verdict = json(&stdout(&output));
    assert_eq!((&verdict["ok"], &verdict["failed"]["spec"]), (&false.into(), &"lem:pure_DP_Post_Sam".into()));
    // Nor is an edited model applied.
    assert!(fails(&folder, 1, "predict edited.json data.csv").contains("lem:pure_DP_Post_Sam"));
    // A renamed column is an edit, too.
    fs::write(folder.path("edited.json"), text.replace("\"dose\"", "\"score\"")).unwrap();
    assert!(fails(&folder, 1, "check edited.json").contains("edited (digest)"));
}

/// Exit 3, what was found and where, and nothing of what stands there.
#[test]
fn what_is_no_release_is_said_to_be_what_it_is() {
    let folder = Folder::new();
    fitted(&folder);
    succeeds(&folder, "ledger budget.json --total-epsilon 1");
    let release = fs::read_to_string(folder.path("release.json")).unwrap();
    let (ledger, data) = ("budget.json", "data.csv");
    let file = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    for (text, words) in [
        (String::new(), &["empty"][..]),
        ("{}".to_owned(), &["no field `certificate`"]),
        ("[1, 2".to_owned(), &["not valid JSON", "line 1, column 5"]),
        ("[1, 2]".to_owned(), &["a list"]),
        ("4711".to_owned(), &["a single value"]),
        ("\u{0}".to_owned(), &["not valid JSON", "line 1"]),
        ("{\n\"certificate\": 4711, \"digest\": \"\"}".to_owned(), &["line 2"]),
        (release.replacen("\"theta\"", "\"secret\"", 1), &["wrong kind at line"]),
        (file(ledger), &["this is a ledger"]),
        (file(data), &["not valid JSON at line 1"]),
    ] {
        fs::write(folder.path("other.json"), &text).unwrap();
        for command in ["check other.json", "predict other.json data.csv", "audit --from other.json"] {
            let said = fails(&folder, 3, command);
            assert!(said.contains("other.json: not a readable release"), "{said}");
            assert!(words.iter().all(|word| said.contains(word)), "{words:?} in {said}");
            assert!(!said.contains("4711") && !said.contains("secret"), "{said}");
        }
        let said = asap(&folder, "check other.json --json");
        assert_eq!((said.status.code(), &json(&stdout(&said))["ok"]), (Some(3), &false.into()));
    }
}

/// The form of the first releases: told apart from a broken file, by its version.
#[test]
fn an_old_release_is_named_by_its_version() {
    let folder = Folder::new();
    let old = r#"{ "columns": null, "certificate": { "schema": 1, "crate_version": "0.1.0", "neighbours": "add-remove",
        "guarantee": { "pure": 1.0 }, "theta": [0.5] }, "digest": "0123456789abcdef" }"#;
    fs::write(folder.path("old.json"), old).unwrap();
    for command in
        ["check old.json", "check old.json --json", "check old.json --strict", "predict old.json data.csv"]
    {
        let said = fails(&folder, 3, command);
        assert!(
            said.contains("schema 1") && said.contains("schema 3") && said.contains("old.json"),
            "{said}"
        );
    }
    let verdict = json(&stdout(&asap(&folder, "check old.json --json")));
    assert_eq!((&verdict["ok"], &verdict["failed"]["spec"]), (&false.into(), &"own:certificate".into()));
    assert!(verdict["message"].as_str().unwrap().contains("schema 1"));
}

/// A release of a loss that is not built in, made with the library: it checks, and every promise
/// of its author is assumed.
#[test]
fn a_users_loss_is_said_to_be_one() {
    let folder = Folder::new();
    fs::write(folder.path("user.json"), crate::user::release().to_json()).unwrap();
    let said = succeeds(&folder, "check user.json");
    for word in ["user's own", "not certified", "the user's loss is convex"] {
        assert!(said.contains(word), "{word} in\n{said}");
    }
    let verdict = json(&succeeds(&folder, "check user.json --json"));
    assert_eq!((&verdict["certified"], &verdict["loss"]["user"]["name"]), (&false.into(), &"mine".into()));
    assert!(fails(&folder, 1, "check user.json --strict").contains("rest on its author's word"));
    // Whatever its author says of it: next to no Lipschitz constant, and as little noise.
    let mut claimed = crate::user::release().as_checked().clone();
    if let asap_contracts::Mechanism::Posterior(posterior) = &mut claimed.certificate.mechanism {
        (posterior.minimiser.lipschitz, posterior.reference.lipschitz) = (1e-300, 1e-300);
    }
    fs::write(folder.path("claimed.json"), claimed.seal().to_json()).unwrap();
    let said = succeeds(&folder, "check claimed.json");
    for word in ["Lipschitz constant of the user's loss", "2 numbers cannot be checked", "not certified"] {
        assert!(said.contains(word), "{word} in\n{said}");
    }
    assert!(fails(&folder, 1, "check claimed.json --strict").contains("rest on its author's word"));
}
