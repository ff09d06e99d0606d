//! Schemas that are none, each refused with its line.

use crate::{Folder, fails};
use std::fs;

/// A schema in which the line 6, `age`, is replaced.
fn with(age: &str) -> String {
    format!("[target]\nname = \"y\"\nclasses = [\"no\", \"yes\"]\n\n[columns]\n{age}\nsex = [\"m\", \"f\"]\n")
}

/// A schema in which the line 3, the classes, is replaced.
fn with_target(classes: &str) -> String {
    format!("[target]\nname = \"y\"\n{classes}\n\n[columns]\nage = [0, 1]\n")
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn forty_hostile_schemas_are_refused_with_the_line() {
    let folder = Folder::new();
    fs::write(folder.path("data.csv"), "age,sex,y\n0.5,m,no\n").unwrap();
    let many: Vec<String> = (0..100_000).map(|k| format!("\"{k}\"")).collect();
    let many = format!("age = [{}]", many.join(", "));
    let spread: Vec<String> = (0..5).map(|k| format!("  \"{k}\",")).collect();
    let spread = format!("age = [\n{}\n  \"3\",\n]", spread.join("\n"));
    let columns: &[(usize, &str, &str)] = &[
        (6, "age = [1, 0]", "LOW < HIGH"),
        (6, "age = [1, 1]", "LOW < HIGH"),
        (6, "age = [nan, 1]", "finite number"),
        (6, "age = [0, inf]", "finite number"),
        (6, "age = [0, 1e999]", ""),
        (6, "age = [-1e308, 1e308]", "finite difference"),
        (6, "age = [0]", "two finite numbers"),
        (6, "age = [0, 1, 2]", "two finite numbers"),
        (6, "age = []", "two finite numbers"),
        (6, "age = [0, \"1\"]", "text"),
        (6, "age = 7", "[LOW, HIGH]"),
        (6, "age = \"[0, 1]\"", "[LOW, HIGH]"),
        (6, "age = true", "[LOW, HIGH]"),
        (6, "age = 1979-05-27", "[LOW, HIGH]"),
        (7, "age = [0, 1", "not TOML"),
        (7, "age = [0, 1]\nage = [0, 1]", "duplicate"),
        (7, "age = [0, 1]\n\"age\" = [0, 2]", "duplicate"),
        (7, "age = [0, 1]\n\"age \" = [0, 2]", "once"),
        (7, "age = [0, 1]\n\"\u{430}ge\" = [0, 2]", "alphabet"),
        (6, "\"age\u{200b}\" = [0, 1]", "visible"),
        (6, "\"\" = [0, 1]", "not empty"),
        (6, "y = [0, 1]", "once"),
        (6, "a.b = [0, 1]", "quotes"),
        (6, "age = { range = [0, 1], unit = \"years\" }", "`unit` means nothing"),
        (6, "age = { range = [0, 1], levels = [\"a\"] }", "one of range, levels and ignore"),
        (6, "age = { ignore = false }", "ignore = true"),
        (6, "age = { range = [0, 1], scale = \"[0, 2]\" }", "scale"),
        (6, "age = { range = [0, 1], log = 1 }", "true or false"),
        (6, "age = { range = [0, 1], missing = 2 }", "within the range"),
        (6, "age = { range = [0, 1], missing = nan }", "finite number"),
        (6, "age = { range = [0, 1], missing = \"x\" }", "finite number"),
        (6, "age = [\"a\", \"a\"]", "once"),
        (6, "age = [\"a\", \" a \"]", "once"),
        (6, "age = [\"a\", \"\"]", "no mark"),
        (6, "age = [\"a\", \"?\"]", "no mark"),
        (6, "age = [\"a\", \" NA\"]", "no mark"),
        (6, "age = [\"Male\", \"M\u{430}le\"]", "alphabet"),
        (6, "age = [\"\u{410}\", \"A\"]", "look like"),
        (6, "age = [\"e\u{301}\"]", "visible"),
        (6, "age = [\"a\u{a0}b\"]", "visible"),
        (6, "age = [\"a\\u202Eb\"]", "visible"),
        (6, "age = { levels = [\"a\"], other = \"b\" }", "one of the levels"),
        (6, "age = { levels = [\"a\", \"b\"], other = [\"a\", \"b\"] }", "text in quotes"),
        (6, "age = { levels = [\"a\"], missing = \"?\" }", "one of the levels"),
        (6, "age = { levels = [] }", "1 to 10000 levels"),
        (6, "age = { levels = [\"a\", 1] }", "text in quotes"),
        (6, &many, "1 to 10000 levels"),
        (12, &spread, "once"),
    ];
    let targets: &[(usize, &str, &str)] = &[
        (3, "classes = [\"a\"]", "2 to 100 classes"),
        (3, "classes = [\"a\", \"b\", \"a\"]", "once"),
        (3, "classes = [\"a\", \" a\"]", "once"),
        (3, "classes = [\"a\", \"?\"]", "no mark"),
        (3, "classes = [0, 1]", "text in quotes"),
        (4, "classes = [\"a\", \"b\"]\npositive = \"c\"", "one of the classes"),
        (4, "at_least = 3\npositive = \"c\"", "only with classes"),
        (1, "", "one of classes, at_least and range"),
        (1, "range = [0, 1]\nat_least = 3", "one of classes, at_least and range"),
        (3, "range = [1, 0]", "LOW < HIGH"),
        (3, "at_least = inf", "finite number"),
        (3, "classes = [\"a\", \"b\"]\nmissing = \"c\"", "one of the classes"),
        (4, "classes = [\"a\", \"b\"]\nlevels = []", "`levels` means nothing"),
    ];
    let whole: &[(usize, &str, &str)] = &[
        (1, "", "[target] is needed"),
        (1, "[columns]\nage = [0, 1]", "[target] is needed"),
        (1, "[target]\nname = \"y\"\nat_least = 1", "[columns] is needed"),
        (1, "[target]\nname = \"y\"\nat_least = 1\n[columns]\n", "at least one column"),
        (1, "target = 7\n[columns]\nage = [0, 1]", "[target]"),
        (1, "[target]\nat_least = 1\n[columns]\nage = [0, 1]", "name"),
        (
            1,
            "missing_marks = [\"a\", \"a\"]\n[target]\nname = \"y\"\nat_least = 1\n[columns]\nage = [0, 1]",
            "different texts",
        ),
        (
            1,
            "missing_marks = \"a\"\n[target]\nname = \"y\"\nat_least = 1\n[columns]\nage = [0, 1]",
            "list of texts",
        ),
        (
            1,
            "persons = 3\n[target]\nname = \"y\"\nat_least = 1\n[columns]\nage = [0, 1]",
            "`persons` means nothing",
        ),
        (4, "[target]\nname = \"y\"\nat_least = 1\n[[columns]]\nage = [0, 1]", "[columns]"),
        (2, "[target]\n\u{0}", "not TOML"),
    ];
    let columns = columns.iter().map(|(line, text, word)| (*line, with(text), *word));
    let targets = targets.iter().map(|(line, text, word)| (*line, with_target(text), *word));
    let whole = whole.iter().map(|(line, text, word)| (*line, (*text).to_owned(), *word));
    let mut count = 0;
    for (line, text, word) in columns.chain(targets).chain(whole) {
        fs::write(folder.path("bad.toml"), &text).unwrap();
        let said = fails(
            &folder,
            3,
            "fit data.csv --schema bad.toml --loss logistic --epsilon 1 --regulariser 5 --yes",
        );
        let shown = text.get(..300).unwrap_or(&text);
        assert!(said.starts_with(&format!("error: bad.toml: schema, line {line}: ")), "{shown}\n{said}");
        assert!(said.contains(word) && said.len() < 500, "{shown}\n{said}");
        count += 1;
    }
    assert!(count >= 40);
    assert_eq!(folder.names(), ["bad.toml", "data.csv"]);
}
