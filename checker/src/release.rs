//! The file: a certificate, the names of its columns, a digest and perhaps a signature.

use crate::schema::{Certificate, SCHEMA};
use crate::sha256::hex_digest;
use crate::verdict::CheckFailed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A released model with everything that it says of itself. spec: `own:certificate`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The names of the columns, where they are known. They come from a header and are public.
    pub columns: Option<Columns>,
    /// The certificate, θ̂ included.
    pub certificate: Certificate,
    /// `sha256:` and the hexadecimal digest of columns and certificate.
    pub digest: String,
    /// The signature of the digest, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

/// The names of the columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Columns {
    /// One name for each feature, the intercept excepted.
    pub features: Vec<String>,
    /// The name of the target.
    pub target: String,
    /// What stands for a cell of a column that is no finite number; a column that is not named has no such cell.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, f64>,
}

/// An Ed25519 signature of the text of the digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// The key that verifies it, 64 hexadecimal digits.
    pub public_key: String,
    /// The signature, 128 hexadecimal digits.
    pub signature: String,
}

/// What the digest is about.
#[derive(Serialize)]
struct Sealed<'a> {
    columns: &'a Option<Columns>,
    certificate: &'a Certificate,
}

/// As much of a file as tells its version, in a release or in a certificate that stands alone.
#[derive(Deserialize)]
struct Versioned {
    schema: Option<serde_json::Number>,
    certificate: Option<Schema>,
}

#[derive(Deserialize)]
struct Schema {
    schema: Option<serde_json::Number>,
}

impl Release {
    /// A release without names, sealed.
    pub fn new(certificate: Certificate) -> Self {
        Self { columns: None, certificate, digest: String::new(), signature: None }.seal()
    }

    /// The same release with names, sealed again. Refuses names that do not fit the parameters.
    pub fn with_columns(self, columns: Columns) -> Result<Self, CheckFailed> {
        let named = Self { columns: Some(columns), ..self };
        let clause = "columns name every parameter";
        let refused = CheckFailed::Clause { spec: "own:certificate", clause };
        if named.names_fit() { Ok(named.seal()) } else { Err(refused) }
    }

    /// With the digest of what it says now, and without a signature.
    pub fn seal(self) -> Self {
        Self { digest: self.computed_digest(), signature: None, ..self }
    }

    /// From JSON text. The result is well-formed, not yet [checked](Release::check).
    ///
    /// The version is read before anything else, so that a file of another version is told from a broken one.
    pub fn from_json(text: &str) -> Result<Self, CheckFailed> {
        let Versioned { schema, certificate } = serde_json::from_str(text)?;
        match certificate.and_then(|certificate| certificate.schema).or(schema) {
            Some(found) if found.as_u64() != Some(SCHEMA.into()) => {
                Err(CheckFailed::Schema { found: found.to_string(), known: SCHEMA })
            }
            _ => Ok(serde_json::from_str(text)?),
        }
    }

    /// As JSON text; every number keeps every bit.
    pub fn to_json(&self) -> String {
        // Strings, numbers and sequences always serialise.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The digest of the canonical JSON: `{"columns":…,"certificate":…}` with the fields in the order of the
    /// schema, no white space, and each number as the shortest text that reads back as the same `f64`.
    pub(crate) fn computed_digest(&self) -> String {
        let sealed = Sealed { columns: &self.columns, certificate: &self.certificate };
        format!("sha256:{}", hex_digest(&serde_json::to_string(&sealed).unwrap_or_default()))
    }

    /// Whether the columns, if named, are as many as the parameters, and values for missing cells are for them.
    pub(crate) fn names_fit(&self) -> bool {
        let intercept = usize::from(self.certificate.problem.intercept);
        let fits = |columns: &Columns| {
            let known = |name: &String| columns.features.contains(name) || columns.target == *name;
            columns.features.len() + intercept == self.certificate.theta.len()
                && columns.missing.iter().all(|(name, value)| known(name) && value.is_finite())
        };
        self.columns.as_ref().is_none_or(fits)
    }
}
