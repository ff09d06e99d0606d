//! Nothing is in a release that the checker does not know: an unknown or a repeated key in any object is refused.

use crate::build::{Kind, kinds, named, some_kinds};
use asap_contracts::Release;
use serde_json::Value;

/// The text of a value, with one more member in the object whose turn it is.
struct Writer {
    turn: usize,
    /// What is put at the end of that object, from its first member.
    more: fn(&str, &str) -> String,
    seen: usize,
}

impl Writer {
    fn text(&mut self, value: &Value) -> String {
        match value {
            Value::Array(items) => {
                format!("[{}]", items.iter().map(|item| self.text(item)).collect::<Vec<_>>().join(","))
            }
            Value::Object(fields) => {
                let mine = self.seen == self.turn;
                self.seen += 1;
                let mut members: Vec<String> =
                    fields.iter().map(|(name, item)| format!("\"{name}\":{}", self.text(item))).collect();
                if let Some((name, item)) = fields.iter().next().filter(|_| mine) {
                    members.push((self.more)(name, &item.to_string()));
                }
                format!("{{{}}}", members.join(","))
            }
            other => other.to_string(),
        }
    }
}

#[test]
fn an_unknown_or_repeated_key_is_refused_in_every_object() {
    let more: [fn(&str, &str) -> String; 4] = [
        |_, _| "\"extra\":1".into(),
        |_, _| "\"note\":{\"harmless\":null}".into(),
        |name, item| format!("\"{name}\":{item}"),
        |name, _| format!("\"{name}\":null"),
    ];
    let signed = |kind: &Kind| {
        let mut release: Value = serde_json::from_str(&named(kind).to_json()).unwrap();
        release["signature"] = serde_json::json!({ "public_key": "00", "signature": "00" });
        release
    };
    // Every sampler and calibration, and with some_kinds() every loss and law.
    let samplers = kinds().into_iter().take(21);
    let (mut objects, mut edits) = (0, 0);
    for kind in samplers.chain(some_kinds()) {
        let whole = signed(&kind);
        let plain = |turn| Writer { turn, more: more[0], seen: 0 };
        let mut count = plain(usize::MAX);
        let text = count.text(&whole);
        assert!(Release::from_json(&text).unwrap().check().is_ok());
        objects = objects.max(count.seen);
        for turn in 0..count.seen {
            for more in more {
                let edited = Writer { turn, more, seen: 0 }.text(&whole);
                assert_ne!(edited, text);
                let failed = Release::from_json(&edited).map(|_| ()).unwrap_err();
                assert_eq!(failed.clause(), "well-formed", "{edited}");
                edits += 1;
            }
        }
    }
    assert!(objects >= 25 && edits > 2000, "{objects} {edits}");
}

/// What would make a guarantee about nothing.
#[test]
fn vacuous_bounds_are_refused() {
    let clause = |edit: fn(&mut asap_contracts::Certificate)| {
        let mut edited = crate::build::certificate(&kinds()[0]);
        edit(&mut edited);
        Release::new(edited).check().unwrap_err().clause()
    };
    let tiny = f64::from_bits(1);
    assert_eq!(clause(|c| c.problem.feature_norm = 0.0), "bounds are positive");
    assert_eq!(clause(|c| c.problem.feature_norm = -0.0), "bounds are positive");
    assert_eq!(clause(|c| c.problem.target = 0.0), "bounds are positive");
    assert_eq!(clause(|c| c.problem.max_rows = 0), "bounds are positive");
    assert_eq!(clause(|c| c.problem.parameter_bound = Some(0.0)), "bounds are positive");
    assert_eq!(clause(|c| c.problem.regulariser = 0.0), "regulariser is positive");
    assert_eq!(clause(|c| c.ledger.shares[0].spent = 0.0), "shares are positive");
    assert_eq!(
        clause(|c| (c.problem.dimension, c.theta) = (0, Vec::new())),
        "dimension is small enough for computed norms"
    );
    // What is positive and next to nothing: a smaller bound is a stronger promise about the
    // records, which the file says.
    let mut edited = crate::build::certificate(&kinds()[0]);
    edited.problem.feature_norm = tiny;
    assert!(Release::new(edited).check().is_ok());
}
