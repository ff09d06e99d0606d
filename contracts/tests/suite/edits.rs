//! An edit of anything in the file is seen.

use crate::build::{named, some_kinds};
use asap_contracts::Release;
use serde_json::{Map, Value, json};

/// The pointers of all values below a value, itself included.
pub(crate) fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(k, item)| pointers(item, &format!("{at}/{k}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, item)| pointers(item, &format!("{at}/{name}"), found));
        }
        _ => {}
    }
}

/// Other values for one.
pub(crate) fn perturbed(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!(1.5), json!("x"), json!({}), json!(false)],
        Value::Bool(it) => vec![json!(!it), json!(1), Value::Null],
        Value::String(text) => {
            let mut all = vec![json!(format!("{text}x")), json!(""), json!(3), Value::Null];
            all.extend(
                ["replay", "squared", "proximal", "paper", "tested", "asap"].map(|other| json!(other)),
            );
            all
        }
        Value::Number(number) => {
            let x = number.as_f64().unwrap();
            let mut all = vec![json!(x * 1.5 + 0.1), json!(x.next_up()), json!(-x), json!(-1), Value::Null];
            all.extend([json!(0), json!(u64::MAX), json!(i64::MIN), json!(1e300), json!("1")]);
            all.extend(number.as_i64().map(|k| json!(k + 1)));
            all.extend(number.as_i64().map(|k| json!(k - 1)));
            all
        }
        Value::Array(items) => {
            let mut more = items.clone();
            more.extend(items.last().cloned());
            let mut turned = items.clone();
            turned.reverse();
            vec![json!(more), json!(items[1..]), json!(turned), json!([]), Value::Null]
        }
        Value::Object(fields) => {
            // To leave out what is null is to say that it is null.
            let said = fields.iter().filter(|(_, item)| !item.is_null());
            let without = |(name, _): (&String, &Value)| {
                let mut rest = fields.clone();
                rest.remove(name);
                rest
            };
            let mut all: Vec<Map<String, Value>> = said.map(without).collect();
            let mut more = fields.clone();
            more.insert("extra".into(), json!(1));
            all.push(more);
            all.into_iter().map(Value::Object).collect()
        }
    }
}

#[test]
fn an_edit_of_anything_is_seen() {
    let mut edits = 0;
    for kind in some_kinds() {
        let release = named(&kind);
        release.check().unwrap_or_else(|failed| panic!("{kind:?}: {failed}"));
        let whole: Value = serde_json::from_str(&release.to_json()).unwrap();
        let mut found = Vec::new();
        pointers(&whole, "", &mut found);
        assert!(found.len() > 60);
        for pointer in found {
            let old = whole.pointer(&pointer).unwrap();
            for new in perturbed(old) {
                let same = new == *old || old.as_f64().is_some_and(|x| new.as_f64() == Some(x) && x != 0.0);
                if same || (old.as_f64() == Some(0.0) && new == json!(0)) {
                    continue;
                }
                let mut edited = whole.clone();
                *edited.pointer_mut(&pointer).unwrap() = new.clone();
                let seen = Release::from_json(&edited.to_string()).and_then(|release| release.check());
                assert!(seen.is_err(), "{pointer}: {old} → {new}");
                edits += 1;
            }
        }
    }
    assert!(edits > 5_000, "{edits}");
}

#[test]
fn a_file_reads_back_bit_for_bit() {
    for kind in some_kinds() {
        let release = named(&kind);
        let read = Release::from_json(&release.to_json()).unwrap();
        assert_eq!(read, release);
        assert_eq!(read.check().unwrap(), release.check().unwrap());
        assert!(!release.to_json().contains("signature"), "left out where there is none");
    }
}

/// The whole vocabulary of a release, so that nothing enters it unnoticed.
#[test]
fn a_release_has_these_fields_and_no_others() {
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let posterior = crate::build::kinds().into_iter().find(|kind| kind.sampler.is_some()).unwrap();
    let whole: Value = serde_json::from_str(&named(&posterior).to_json()).unwrap();
    assert_eq!(names(&whole), "certificate columns digest");
    for (pointer, expected) in [
        (
            "",
            "certified claims crate_version ledger mechanism neighbours numerics problem randomness schema theta",
        ),
        ("/ledger", "shares total"),
        (
            "/problem",
            "dimension feature_norm intercept loss max_rows parameter_bound regulariser row_norm target",
        ),
        ("/mechanism", "posterior"),
        ("/mechanism/posterior", "asap calibration expected_rows localisation minimiser reference sampler"),
        ("/mechanism/posterior/minimiser", "bound lipschitz rounding sensitivity tolerance"),
        ("/mechanism/posterior/localisation", "noise theta_0"),
        ("/mechanism/posterior/localisation/noise/discrete-laplace", "denominator exponent numerator"),
        ("/mechanism/posterior/reference", "centre_norm gamma lipschitz radius"),
        ("/mechanism/posterior/asap", "charge error noise norm"),
    ] {
        assert_eq!(names(whole["certificate"].pointer(pointer).unwrap()), expected);
    }
}

/// The digest is that of a text which any program can write: this one is `sha256sum` of it.
#[test]
fn the_digest_is_of_the_canonical_text() {
    let release = named(&crate::build::kinds()[0]);
    // The same value made from the pretty text: one line, no spaces, without digest and signature.
    let line = release.to_json().lines().map(str::trim_start).collect::<String>().replace("\": ", "\":");
    let (canonical, _) = line.split_once(",\"digest\"").unwrap();
    assert!(canonical.starts_with(
        "{\"columns\":{\"marks\":[\"\",\"?\"],\"features\":[{\"name\":\"age\",\"kind\":{\"number\":{\
         \"range\":[17.0,90.0],\"scale\":\"[0,1]\",\"log\":true,\"missing\":40.0}}},{\"name\":\"sex\",\"kind\":{\
         \"levels\":{\"levels\":[\"Male\",\"Female\"],\"other\":\"Female\",\"missing\":\"Male\"}}}],\
         \"target\":{\"name\":\"income\",\"kind\":{\"classes\":{\"classes\":[\"<=50K\",\">50K\"],\
         \"missing\":\"<=50K\"}}},\"ignored\":[\"id\"]},\
         \"certificate\":{\"schema\":3,\"crate_version\":\"0.2.0\",\"neighbours\":\"add-remove\",\
         \"ledger\":{\"total\":{\"pure\":0.5},\"shares\":[{\"name\":\"output\",\"spent\":0.5}]},"
    ));
    assert_eq!(format!("{canonical}}}").len(), 1416);
    assert_eq!(release.digest, "sha256:48861ffb832210d009dbd164d8d07512ea970fa112dd746c928cedf2a744563b");
}
