//! What a function could return instead, by its type.

use syn::{GenericArgument, PathArguments, Type};

/// A few values of a type, as text.
pub(super) fn values(kind: &Type) -> Vec<String> {
    match kind {
        Type::Path(path) => path.path.segments.last().map(of_path).unwrap_or_default(),
        Type::Reference(reference) => match &*reference.elem {
            Type::Path(path) if path.path.is_ident("str") => texts(&["\"\"", "\"xyzzy\""]),
            Type::Slice(_) if reference.mutability.is_none() => texts(&["&[]"]),
            _ => Vec::new(),
        },
        Type::Tuple(tuple) => {
            let parts: Vec<Vec<String>> = tuple.elems.iter().map(values).collect();
            let longest = parts.iter().map(Vec::len).max().unwrap_or(0);
            if parts.iter().any(Vec::is_empty) {
                return if parts.is_empty() { texts(&["()"]) } else { Vec::new() };
            }
            let row = |i: usize| parts.iter().map(|part| part[i % part.len()].clone()).collect::<Vec<_>>();
            (0..longest).map(|i| format!("({})", row(i).join(", "))).collect()
        }
        Type::Array(array) => values(&array.elem).iter().map(|value| format!("[{value}; _]")).collect(),
        Type::Paren(inner) => values(&inner.elem),
        _ => Vec::new(),
    }
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn of_path(segment: &syn::PathSegment) -> Vec<String> {
    let inner = || match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(kind) => Some(values(kind)),
                _ => None,
            })
        }
        _ => None,
    };
    let within = |before: &str, after: &str| {
        inner()
            .unwrap_or_else(|| texts(&["()"]))
            .iter()
            .map(|value| format!("{before}{value}{after}"))
            .collect::<Vec<_>>()
    };
    match segment.ident.to_string().as_str() {
        "bool" => texts(&["true", "false"]),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => texts(&["0", "1"]),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => texts(&["0", "1", "-1"]),
        "f32" | "f64" => texts(&["0.0", "1.0", "-1.0"]),
        "String" => texts(&["String::new()", "\"xyzzy\".into()"]),
        "Option" => [texts(&["None"]), within("Some(", ")")].concat(),
        "Result" => within("Ok(", ")"),
        "Box" => within("Box::new(", ")"),
        "Vec" => [texts(&["vec![]"]), within("vec![", "]")].concat(),
        _ => texts(&["Default::default()"]),
    }
}
