//! The file: a certificate, the names of its columns, a digest and perhaps a signature.

use crate::schema::{Certificate, Loss, SCHEMA};
use crate::verdict::CheckFailed;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
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
    /// The public ranges `[low, high]` of columns: what lies in one is scaled to [−1, 1], what lies outside is moved to its
    /// end first; a column that is not named is taken as it is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ranges: BTreeMap<String, [f64; 2]>,
    /// Which targets are the positive class, where the loss has classes and they are not −1, 0 and 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positive: Option<Positive>,
}

/// The rule of the positive class; every other target is of the other class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Positive {
    /// A number that is not less.
    AtLeast(f64),
    /// A greater number.
    Above(f64),
    /// A number that is not greater.
    AtMost(f64),
    /// A smaller number.
    Below(f64),
    /// This number.
    Equals(f64),
    /// This text.
    Text(String),
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

/// What is said of the names of the columns.
pub(crate) const NAMES_FIT: &str = "columns name every parameter";
/// What is said of ranges and rules.
pub(crate) const PREPARATION: &str =
    "ranges and the rule of the positive class are such, of columns that there are";

impl Release {
    /// A release without names, sealed.
    pub fn new(certificate: Certificate) -> Self {
        Self { columns: None, certificate, digest: String::new(), signature: None }.seal()
    }

    /// The same release with names, sealed again. Refuses names that do not fit the parameters.
    pub fn with_columns(self, columns: Columns) -> Result<Self, CheckFailed> {
        let named = Self { columns: Some(columns), ..self };
        let refused = |spec, clause| CheckFailed::Clause { spec, clause };
        if !named.names_fit() {
            return Err(refused("own:certificate", NAMES_FIT));
        }
        match named.preparation_is_one() {
            Some(false) => Err(refused("own:ranges", PREPARATION)),
            _ => Ok(named.seal()),
        }
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

    /// Whether ranges are ranges of columns, and the rule of the positive class is one, for a loss that has classes.
    /// `None` where there are none.
    pub(crate) fn preparation_is_one(&self) -> Option<bool> {
        let Columns { features, target, ranges, positive, .. } = self.columns.as_ref()?;
        let numbers = match self.certificate.problem.loss {
            Loss::Logistic => false,
            Loss::Squared | Loss::Huber { .. } | Loss::User { .. } => true,
        };
        let ranged = |name: &String| features.contains(name) || (numbers && target == name);
        // A difference of two numbers that is not finite rounds to infinity.
        let is_range = |&[low, high]: &[f64; 2]| low < high && (high - low).is_finite();
        let is_rule = |rule: &Positive| match rule {
            Positive::AtLeast(x)
            | Positive::Above(x)
            | Positive::AtMost(x)
            | Positive::Below(x)
            | Positive::Equals(x) => x.is_finite(),
            Positive::Text(text) => !text.is_empty(),
        };
        let has_classes = !matches!(self.certificate.problem.loss, Loss::Squared | Loss::Huber { .. });
        let holds = ranges.iter().all(|(name, range)| ranged(name) && is_range(range))
            && positive.as_ref().is_none_or(|rule| has_classes && is_rule(rule));
        (!ranges.is_empty() || positive.is_some()).then_some(holds)
    }
}

/// SHA-256 of a text as 64 hexadecimal digits.
fn hex_digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::hex_digest;

    /// The examples that are published with the standard (FIPS 180-4).
    #[test]
    fn published_vectors() {
        let two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        let long = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn\
                    hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
        let million = "a".repeat(1_000_000);
        for (text, digest) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (two_blocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
            (long, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
            (&million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ] {
            assert_eq!(hex_digest(text), digest);
        }
    }
}
