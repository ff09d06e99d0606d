//! `asap split`: rows to learn from and rows to score with.

use crate::arguments::Split as Arguments;
use crate::failure::Failure;
use crate::fit::open;
use crate::output::{Destination, Existing};
use crate::terminal::{print, print_json, table};
use asap_dp::SecureRng;
use asap_dp::noise::RandomBits;
use asap_dp::split::Split;
use serde_json::json;
use std::fs;
use std::path::Path;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let [train, test] = &arguments.out[..] else { return Err(Failure::Internal) };
    let inputs: [&Path; 1] = [&arguments.data];
    let existing = Existing::of(arguments.overwrite.force);
    let mut places: Vec<&Path> = vec![train, test];
    places.extend(arguments.key_out.as_deref());
    if (1..places.len()).any(|k| places[..k].contains(&places[k])) {
        return Err(Failure::Usage("--out, --key-out: must be different files".to_owned()));
    }
    let targets = places
        .iter()
        .map(|path| Destination::probe(path, existing, &inputs))
        .collect::<Result<Vec<_>, _>>()?;
    let key = match &arguments.key {
        Some(key) => key.clone(),
        None => fresh_key()?,
    };
    let split = Split::new(arguments.test, key.as_bytes())?;
    let unusable = |error| Failure::AskedData { path: arguments.data.clone(), error };
    let divided = split
        .divide(open(&arguments.data)?, arguments.separator, arguments.person.as_deref())
        .map_err(unusable)?;
    let contents = [divided.train, divided.test, key + "\n"];
    for (k, (target, content)) in targets.iter().zip(&contents).enumerate() {
        if let Err(failure) = target.write(content) {
            // Half a split is no split. What was there before is gone if that was asked for.
            places.iter().take(k).filter(|_| existing == Existing::Keep).for_each(|path| {
                let _ = fs::remove_file(path);
            });
            return Err(failure);
        }
    }
    if arguments.json {
        return print_json(
            &json!({ "train": train, "test": test, "by": arguments.person, "part": arguments.test }),
        );
    }
    let by = arguments.person.as_ref().map_or("row".to_owned(), |name| format!("person, column {name}"));
    let key = match (&arguments.key, &arguments.key_out) {
        (Some(_), _) => "public, as given: the same key divides the same rows alike".to_owned(),
        (None, Some(path)) => format!("fresh, kept in {}", path.display()),
        (None, None) => {
            "fresh, and not kept: this split cannot be repeated (--key-out keeps the key)".to_owned()
        }
    };
    print(&table(&[
        ["to learn from".to_owned(), train.display().to_string()],
        ["to score with".to_owned(), format!("{}, about {} of all rows", test.display(), arguments.test)],
        ["divided by".to_owned(), format!("a keyed hash of the {by}")],
        ["key".to_owned(), key],
    ]))
}

/// 64 hexadecimal digits that no one has seen.
fn fresh_key() -> Result<String, Failure> {
    let mut rng = SecureRng::new().map_err(Failure::NoRandomness)?;
    Ok((0..4).map(|_| format!("{:016x}", rng.next_u64())).collect())
}
