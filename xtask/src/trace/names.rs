//! One word, one thing: names of types that are defined more than once.

use core::fmt::Write as _;
use std::collections::BTreeMap;

use super::Trace;
use super::graph::Sort;

/// A certificate records a number under the name of the type that it comes from: that is one thing.
const RECORDS: &str = "contracts/src/schema";

impl Trace {
    /// Names of types that are defined more than once, with the places, tests and tools aside.
    pub fn shared_names(&self) -> BTreeMap<&str, Vec<String>> {
        let mut places = BTreeMap::<&str, Vec<String>>::new();
        for node in &self.graph.nodes {
            let counts = node.sort == Sort::Type && !node.file.starts_with("xtask/");
            if counts && !node.file.starts_with(RECORDS) {
                places.entry(&node.name).or_default().push(format!("{}:{}", node.file, node.lines.0));
            }
        }
        places.retain(|_, places| places.len() > 1);
        places
    }

    /// Those that `spec/reach.toml` gives a reason for.
    pub fn excused_names(&self) -> Vec<&str> {
        self.questions.shared.iter().map(|shared| shared.name.as_str()).collect()
    }

    /// The same as text: one line for each.
    pub fn shared_names_text(&self) -> String {
        let names = self.shared_names();
        let mut text = String::new();
        for (name, places) in &names {
            let _ = writeln!(text, "{name}: {}", places.join(", "));
        }
        let _ = writeln!(text, "{} names of types stand for more than one", names.len());
        text
    }
}
