//! JSON whose fields keep their order, so that whole parts of it can be added, moved and removed.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// A word of JSON as it is written: a number, a text in quotes, `true`, `null`.
    Leaf(String),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// Where something stands: indices from the root on.
pub type Place = Vec<usize>;

impl Tree {
    pub fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap()
    }

    pub fn number(x: f64) -> Self {
        Self::Leaf(serde_json::to_string(&x).unwrap())
    }

    pub fn word(word: &str) -> Self {
        Self::Leaf(serde_json::to_string(word).unwrap())
    }

    /// An object with one field.
    pub fn tagged(tag: &str, body: Self) -> Self {
        Self::Object(vec![(tag.to_owned(), body)])
    }

    fn child(&mut self, k: usize) -> &mut Self {
        match self {
            Self::Leaf(word) => panic!("no child of {word}"),
            Self::List(items) => &mut items[k],
            Self::Object(fields) => &mut fields[k].1,
        }
    }

    pub fn at(&mut self, place: &[usize]) -> &mut Self {
        place.iter().fold(self, |tree, &k| tree.child(k))
    }

    /// The value of a field, by its path.
    pub fn get(&mut self, path: &str) -> Option<&mut Self> {
        path.split('/').try_fold(self, |tree, name| match tree {
            Self::Object(fields) => fields.iter_mut().find(|(field, _)| field == name).map(|(_, it)| it),
            _ => None,
        })
    }

    /// Sets a field of an object, behind all others if it is new.
    pub fn set(&mut self, name: &str, value: Self) {
        let Self::Object(fields) = self else { return };
        match fields.iter_mut().find(|(field, _)| field == name) {
            Some((_, old)) => *old = value,
            None => fields.push((name.to_owned(), value)),
        }
    }

    /// All places below, this one excepted.
    pub fn places(&self, here: &Place, found: &mut Vec<Place>) {
        let below = |k: usize, tree: &Self, found: &mut Vec<Place>| {
            let place: Place = here.iter().copied().chain([k]).collect();
            tree.places(&place, found);
            found.push(place);
        };
        match self {
            Self::Leaf(_) => {}
            Self::List(items) => items.iter().enumerate().for_each(|(k, it)| below(k, it, found)),
            Self::Object(fields) => fields.iter().enumerate().for_each(|(k, (_, it))| below(k, it, found)),
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |parts: Vec<String>| parts.join(",");
        match self {
            Self::Leaf(word) => f.write_str(word),
            Self::List(items) => write!(f, "[{}]", joined(items.iter().map(Self::to_string).collect())),
            Self::Object(fields) => {
                let field = |(name, it): &(String, Self)| format!("{}:{it}", Self::word(name));
                write!(f, "{{{}}}", joined(fields.iter().map(field).collect()))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reads;

        macro_rules! leaves {
            ($($visit:ident $kind:ty),*) => {$(
                fn $visit<E>(self, it: $kind) -> Result<Tree, E> {
                    Ok(Tree::Leaf(serde_json::to_string(&it).unwrap()))
                }
            )*};
        }

        impl<'de> Visitor<'de> for Reads {
            type Value = Tree;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("JSON")
            }

            leaves!(visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);

            fn visit_unit<E>(self) -> Result<Tree, E> {
                Ok(Tree::Leaf("null".to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(Tree::List(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Tree::Object(fields))
            }
        }

        deserializer.deserialize_any(Reads)
    }
}
