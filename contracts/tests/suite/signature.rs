//! Who issued a release.

use crate::build::{kinds, named};
use asap_contracts::{Release, Signature};

/// The first test vector of RFC 8032: secret key, public key.
const SECRET: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const PUBLIC: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

#[test]
fn a_signed_release_is_verified() {
    let signed = named(&kinds()[0]).sign(SECRET).unwrap();
    let stated = signed.signature.clone().unwrap();
    assert_eq!(stated.public_key, PUBLIC);
    assert_eq!(stated.signature.len(), 128);
    let read = Release::from_json(&signed.to_json()).unwrap();
    assert_eq!(read, signed);
    read.verify(PUBLIC).unwrap();
    read.verify(&PUBLIC.to_uppercase()).unwrap();
    let told =
        |release: &Release| release.check().unwrap().assumed.iter().any(|it| it.why.contains("signature"));
    assert!(told(&read) && !told(&read.seal()));
}

#[test]
fn nothing_else_is_verified() {
    let signed = named(&kinds()[0]).sign(SECRET).unwrap();
    let clause = "signature is of this release and of the given key";
    let refused = |release: &Release| assert_eq!(release.verify(PUBLIC).unwrap_err().clause(), clause);
    refused(&named(&kinds()[0]));
    // An edit without a new digest, with one, and with the old signature put back.
    let mut edited = signed.clone();
    edited.certificate.theta[0] = 0.5;
    refused(&edited);
    refused(&edited.clone().seal());
    refused(&Release { signature: signed.signature.clone(), ..edited.clone().seal() });
    // A digest of something else over an untouched certificate.
    refused(&Release { digest: edited.clone().seal().digest, ..signed.clone() });
    // Another key, and its owner's claim to be the first.
    let other = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
    let forged = edited.sign(other).unwrap();
    refused(&forged);
    let stated = forged.signature.clone().unwrap();
    refused(&Release { signature: Some(Signature { public_key: PUBLIC.into(), ..stated }), ..forged });
    // Every digit of both fields counts.
    let stated = signed.signature.clone().unwrap();
    let changed = |text: &str, at: usize| {
        let digit = if text.as_bytes()[at] == b'0' { "1" } else { "0" };
        format!("{}{digit}{}", &text[..at], &text[at + 1..])
    };
    for at in 0..64 {
        let public_key = changed(&stated.public_key, at);
        refused(&Release { signature: Some(Signature { public_key, ..stated.clone() }), ..signed.clone() });
    }
    for at in 0..128 {
        let signature = changed(&stated.signature, at);
        refused(&Release { signature: Some(Signature { signature, ..stated.clone() }), ..signed.clone() });
    }
}

#[test]
fn keys_have_64_digits() {
    let signed = named(&kinds()[0]).sign(SECRET).unwrap();
    let clause = "key is 64 hexadecimal digits";
    for key in ["", "ab", &SECRET[1..], &format!("{SECRET}0"), &format!("+{}", &SECRET[1..]), &"é".repeat(32)]
    {
        assert_eq!(signed.clone().sign(key).unwrap_err().clause(), clause);
        assert_eq!(signed.verify(key).unwrap_err().clause(), clause);
    }
    signed.clone().sign(&format!("{SECRET}\n")).unwrap().verify(PUBLIC).unwrap();
}
