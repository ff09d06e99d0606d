//! Ed25519 signatures of the digest: they say who issued a release, and the clauses say what it is worth.

use crate::answer::Answer;
use crate::one_against_rest::OneAgainstRest;
use crate::release::{Release, Signature};
use crate::verdict::CheckFailed;
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};

impl Release {
    /// Seals the release and signs its digest with a secret key of 64 hexadecimal digits.
    pub fn sign(self, secret_key: &str) -> Result<Self, CheckFailed> {
        let sealed = self.seal();
        Ok(Self { signature: Some(signed(&sealed.digest, secret_key)?), ..sealed })
    }

    /// Whether this very release was signed with the secret key that belongs to a public key of 64 hexadecimal
    /// digits. The digest is computed again, so a signature of something else is refused. It does not
    /// [check](Release::check) the release.
    pub fn verify(&self, public_key: &str) -> Result<(), CheckFailed> {
        verified(self.signature.as_ref(), &self.digest, &self.computed_digest(), public_key)
    }
}

impl OneAgainstRest {
    /// Seals the file and signs its digest with a secret key of 64 hexadecimal digits.
    pub fn sign(self, secret_key: &str) -> Result<Self, CheckFailed> {
        let sealed = self.seal();
        Ok(Self { signature: Some(signed(&sealed.digest, secret_key)?), ..sealed })
    }

    /// Whether this very file was signed with the secret key that belongs to a public key of 64 hexadecimal digits.
    pub fn verify(&self, public_key: &str) -> Result<(), CheckFailed> {
        verified(self.signature.as_ref(), &self.digest, &self.computed_digest(), public_key)
    }
}

impl Answer {
    /// Seals the answer and signs its digest with a secret key of 64 hexadecimal digits.
    pub fn sign(self, secret_key: &str) -> Result<Self, CheckFailed> {
        let sealed = self.seal();
        Ok(Self { signature: Some(signed(&sealed.digest, secret_key)?), ..sealed })
    }

    /// Whether this very answer was signed with the secret key that belongs to a public key of 64 hexadecimal digits.
    pub fn verify(&self, public_key: &str) -> Result<(), CheckFailed> {
        verified(self.signature.as_ref(), &self.digest, &self.computed_digest(), public_key)
    }
}

/// The signature of a digest.
fn signed(digest: &str, secret_key: &str) -> Result<Signature, CheckFailed> {
    let key = SigningKey::from_bytes(&from_hex(secret_key).ok_or(refused(KEY))?);
    Ok(Signature {
        public_key: to_hex(&key.verifying_key().to_bytes()),
        signature: to_hex(&key.sign(digest.as_bytes()).to_bytes()),
    })
}

/// Whether a digest is stated as computed, and signed.
fn verified(
    signature: Option<&Signature>,
    stated: &str,
    digest: &str,
    public_key: &str,
) -> Result<(), CheckFailed> {
    let key: [u8; 32] = from_hex(public_key).ok_or(refused(KEY))?;
    let verified = signature.is_some_and(|by| {
        let same = from_hex(&by.public_key) == Some(key) && stated == digest;
        let signature = from_hex(&by.signature).map(|bytes| ed25519_dalek::Signature::from_bytes(&bytes));
        let checked = VerifyingKey::from_bytes(&key).ok().zip(signature);
        same && checked.is_some_and(|(key, it)| key.verify_strict(digest.as_bytes(), &it).is_ok())
    });
    if verified { Ok(()) } else { Err(refused("signature is of this release and of the given key")) }
}

const KEY: &str = "key is 64 hexadecimal digits";

fn refused(clause: &'static str) -> CheckFailed {
    CheckFailed::Clause { spec: "own:certificate", clause }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// N bytes from 2N hexadecimal digits, white space around them ignored.
fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |c: char| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let digits: Vec<u8> = text.trim().chars().map(digit).collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    (digits.len() == 2 * N).then(|| bytes.try_into().ok())?
}
