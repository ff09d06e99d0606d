//! The file of a model of more than two classes: a certificate for each class, which tells it from all others. These
//! types hold data and judge nothing; `check/one_against_rest.rs` judges. spec: `own:one-against-rest`

use crate::release::{Signature, hex_digest};
use crate::schema::{Certificate, Guarantee, Randomness};
use crate::table::Schema;
use crate::verdict::CheckFailed;
use serde::{Deserialize, Serialize};

/// The version of the form of such a file that this crate reads.
pub const ONE_AGAINST_REST_SCHEMA: u32 = 1;

/// A released model of more than two classes with everything that it says of itself. spec: `own:one-against-rest`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneAgainstRest {
    /// The schema of the table, or the names of its columns, where they are known. All of it is public.
    pub columns: Option<Schema>,
    /// The guarantee of the whole, and the parts.
    pub one_against_rest: ClassParts,
    /// `sha256:` and the hexadecimal digest of columns and parts.
    pub digest: String,
    /// The signature of the digest, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

/// One model for each class, and what all of them together satisfy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassParts {
    /// The version of the form: [`ONE_AGAINST_REST_SCHEMA`].
    pub schema: u32,
    /// What the whole satisfies: for a person where the parts are about persons, or else for a record.
    pub total: Guarantee,
    /// The parts, in the order of the classes.
    pub parts: Vec<ClassPart>,
}

/// One class against all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassPart {
    /// The class that is the positive one here.
    pub class: String,
    /// The certificate of this part, θ̂ included; what it satisfies is its share of the total.
    pub certificate: Certificate,
}

impl ClassParts {
    /// Whether the noise of every part came from a secure generator. If not, the whole is **not** private.
    pub fn is_private(&self) -> bool {
        self.parts.iter().all(|part| part.certificate.randomness == Randomness::Secure)
    }

    /// Whether no constant of any part is a user's claim or asymptotic.
    pub fn is_certified(&self) -> bool {
        self.parts.iter().all(|part| part.certificate.certified)
    }

    /// The classes, in order.
    pub fn classes(&self) -> impl Iterator<Item = &String> {
        self.parts.iter().map(|part| &part.class)
    }
}

impl OneAgainstRest {
    /// Sealed.
    pub fn new(columns: Option<Schema>, parts: ClassParts) -> Self {
        Self { columns, one_against_rest: parts, digest: String::new(), signature: None }.seal()
    }

    /// With the digest of what it says now, and without a signature.
    pub fn seal(self) -> Self {
        Self { digest: self.computed_digest(), signature: None, ..self }
    }

    /// Whether a text looks like such a file rather than like another: its object has a field `one_against_rest`.
    pub fn is_meant(text: &str) -> bool {
        #[derive(Deserialize)]
        struct Meant {
            one_against_rest: Option<serde::de::IgnoredAny>,
        }
        serde_json::from_str(text).is_ok_and(|Meant { one_against_rest }| one_against_rest.is_some())
    }

    /// From JSON text. The result is well-formed, not yet [checked](OneAgainstRest::check).
    pub fn from_json(text: &str) -> Result<Self, CheckFailed> {
        #[derive(Deserialize)]
        struct Versioned {
            one_against_rest: Option<Version>,
        }
        #[derive(Deserialize)]
        struct Version {
            schema: Option<serde_json::Number>,
        }
        let Versioned { one_against_rest } = serde_json::from_str(text).map_err(CheckFailed::malformed)?;
        match one_against_rest.and_then(|parts| parts.schema) {
            Some(found) if found.as_u64() != Some(ONE_AGAINST_REST_SCHEMA.into()) => {
                Err(CheckFailed::Schema { found: found.to_string(), known: ONE_AGAINST_REST_SCHEMA })
            }
            _ => serde_json::from_str(text).map_err(CheckFailed::malformed),
        }
    }

    /// As JSON text; every number keeps every bit.
    pub fn to_json(&self) -> String {
        // Strings, numbers and sequences always serialise.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The digest of the canonical JSON `{"columns":…,"one_against_rest":…}`, written as that of a release is.
    pub(crate) fn computed_digest(&self) -> String {
        #[derive(Serialize)]
        struct Sealed<'a> {
            columns: &'a Option<Schema>,
            one_against_rest: &'a ClassParts,
        }
        let sealed = Sealed { columns: &self.columns, one_against_rest: &self.one_against_rest };
        format!("sha256:{}", hex_digest(&serde_json::to_string(&sealed).unwrap_or_default()))
    }
}
