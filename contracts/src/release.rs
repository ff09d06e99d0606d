//! The file: a certificate, the names of its columns, a digest and perhaps a signature.

use crate::schema::{Certificate, Loss, SCHEMA};
use crate::table::{Schema, TargetKind, relative_weights};
use crate::verdict::CheckFailed;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A released model with everything that it says of itself. spec: `own:certificate`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The schema of the table, or the names of its columns, where they are known. All of it is public.
    pub columns: Option<Schema>,
    /// The certificate, θ̂ included.
    pub certificate: Certificate,
    /// `sha256:` and the hexadecimal digest of columns and certificate.
    pub digest: String,
    /// The signature of the digest, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
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
struct UnderDigest<'a> {
    columns: &'a Option<Schema>,
    certificate: &'a Certificate,
}

/// As much of a file as tells its version, in a release or in a certificate that stands alone.
#[derive(Deserialize)]
struct Versioned {
    schema: Option<serde_json::Number>,
    certificate: Option<Version>,
}

#[derive(Deserialize)]
struct Version {
    schema: Option<serde_json::Number>,
}

/// What is said of the names of the columns.
pub(crate) const NAMES_FIT: &str = "columns name every parameter";
/// What is said of the schema.
pub(crate) const IS_SCHEMA: &str = "the schema is valid and fits the loss";

/// What is said of the column that tells persons apart.
pub(crate) const PERSONS_FIT: &str = "the columns have persons exactly where the guarantee is about them";

impl Release {
    /// A release without names, sealed.
    pub fn new(certificate: Certificate) -> Self {
        Self { columns: None, certificate, digest: String::new(), signature: None }.seal()
    }

    /// The same release with names, sealed again. Refuses names that do not fit the parameters.
    pub fn with_columns(self, columns: Schema) -> Result<Self, CheckFailed> {
        let named = Self { columns: Some(columns), ..self };
        let refused = |spec, clause| CheckFailed::Clause { spec, clause };
        if !named.names_fit() {
            return Err(refused("own:certificate", NAMES_FIT));
        }
        if !named.persons_fit() {
            return Err(refused("own:persons", PERSONS_FIT));
        }
        match named.schema_fits() {
            Some(false) => Err(refused("own:schema", IS_SCHEMA)),
            _ => Ok(named.seal()),
        }
    }

    /// With the digest of what it says now, and without a signature.
    pub fn seal(self) -> Self {
        Self { digest: self.computed_digest(), signature: None, ..self }
    }

    /// From JSON text. The result is well-formed, not yet [checked](Release::check).
    ///
    /// The version is read before anything else, so a file of another version is told from a broken one.
    pub fn from_json(text: &str) -> Result<Self, CheckFailed> {
        let Versioned { schema, certificate } = serde_json::from_str(text).map_err(CheckFailed::malformed)?;
        match certificate.and_then(|certificate| certificate.schema).or(schema) {
            Some(found) if found.as_u64() != Some(SCHEMA.into()) => {
                Err(CheckFailed::Schema { found: found.to_string(), known: SCHEMA })
            }
            _ => serde_json::from_str(text).map_err(CheckFailed::malformed),
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
        let sealed = UnderDigest { columns: &self.columns, certificate: &self.certificate };
        format!("sha256:{}", hex_digest(&serde_json::to_string(&sealed).unwrap_or_default()))
    }

    /// Whether the columns, if named, are as many as the parameters.
    pub(crate) fn names_fit(&self) -> bool {
        self.columns.as_ref().is_none_or(|schema| schema.names(&self.certificate))
    }

    /// Whether the columns, if named, have a person with so many rows if and only if the certificate has.
    pub(crate) fn persons_fit(&self) -> bool {
        self.columns.as_ref().is_none_or(|schema| schema.has_persons_of(&self.certificate))
    }

    /// Whether the schema is one, and its target is of the kind that the loss has. `None` where
    /// there are names at most.
    pub(crate) fn schema_fits(&self) -> Option<bool> {
        let schema = self.columns.as_ref().filter(|schema| !schema.says_names_only())?;
        let loss = &self.certificate.problem.loss;
        let fits = match schema.target.kind {
            TargetKind::Plain(_) => true,
            TargetKind::Range(_) => !matches!(loss, Loss::Logistic),
            TargetKind::Threshold(_) | TargetKind::Classes(_) => {
                schema.target.class_count() == Some(2) && !matches!(loss, Loss::Squared | Loss::Huber { .. })
            }
        };
        // Weights of the schema are those of the loss; the loss may have some that the schema does not have.
        let weights = schema.target.weights.as_deref().is_none_or(|weights| {
            let relative = <[f64; 2]>::try_from(weights).ok().and_then(relative_weights);
            relative == self.certificate.problem.class_weights.or(Some([1.0; 2]))
        });
        Some(fits && weights && schema.fault().is_none())
    }
}

impl Schema {
    /// Whether the columns are as many as the parameters.
    pub(crate) fn names(&self, certificate: &Certificate) -> bool {
        self.parameters() + usize::from(certificate.problem.intercept) == certificate.theta.len()
    }

    /// Whether the columns have a person with so many rows if and only if the certificate has.
    pub(crate) fn has_persons_of(&self, certificate: &Certificate) -> bool {
        self.person.as_ref().map(|it| it.rows) == certificate.person.map(|person| person.rows)
    }
}

/// SHA-256 of a text as 64 hexadecimal digits.
pub(crate) fn hex_digest(text: &str) -> String {
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
