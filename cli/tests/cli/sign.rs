//! Signatures: who issued a release.

use crate::{Folder, LOGISTIC, asap, fails, json, stderr, stdout, succeeds};
use std::fs;

const SECRET: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
/// The public key of the first test vector of RFC 8032, whose secret key is the one above.
const PUBLIC: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const OTHER: &str = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";

fn signed(folder: &Folder) -> String {
    folder.data();
    fs::write(folder.path("secret.hex"), format!("{SECRET}\n")).unwrap();
    fs::write(folder.path("public.hex"), format!("{PUBLIC}\n")).unwrap();
    succeeds(folder, &format!("fit data.csv --force --target ill {LOGISTIC} --sign secret.hex"))
}

#[test]
fn a_signed_release_is_verified_with_the_public_key() {
    let folder = Folder::new();
    let said = signed(&folder);
    assert!(said.contains(PUBLIC), "{said}");
    for key in ["public.hex", PUBLIC] {
        let said = succeeds(&folder, &format!("check release.json --strict --key {key}"));
        assert!(said.contains("signature is of this release") && !said.contains("not looked at"), "{said}");
    }
    let verdict = json(&succeeds(&folder, &format!("check release.json --json --key {PUBLIC}")));
    assert_eq!(verdict["signed"], true);
    // Without a key the rest is checked, and that nobody looked at the signature is said.
    assert!(succeeds(&folder, "check release.json").contains("not looked at"));
    assert_eq!(json(&succeeds(&folder, "check release.json --json"))["signed"], false);
    succeeds(&folder, "predict release.json data.csv");
    let fit = format!("fit data.csv --force --target ill {LOGISTIC} --sign secret.hex --json");
    assert_eq!(json(&succeeds(&folder, &fit))["public_key"], PUBLIC);
}

#[test]
fn another_key_and_every_change_fail() {
    let folder = Folder::new();
    signed(&folder);
    let verdict = |name: &str, key: &str| fails(&folder, 1, &format!("check {name} --key {key}"));
    assert!(verdict("release.json", OTHER).contains("signature"));
    let failed = json(&stdout(&asap(&folder, &format!("check release.json --json --key {OTHER}"))));
    assert_eq!((&failed["ok"], &failed["failed"]["spec"]), (&false.into(), &"own:certificate".into()));
    let whole = json(&fs::read_to_string(folder.path("release.json")).unwrap());
    let edit = |pointer: &str, value: serde_json::Value| {
        let mut changed = whole.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        fs::write(folder.path("edited.json"), changed.to_string()).unwrap();
    };
    // A change of the parameters, of a name, of the signature and of the key in the file.
    let theta = whole.pointer("/certificate/theta/0").unwrap().as_f64().unwrap();
    edit("/certificate/theta/0", (theta + 1.0).into());
    verdict("edited.json", PUBLIC);
    edit("/columns/target/name", "well".into());
    verdict("edited.json", PUBLIC);
    let signature = whole.pointer("/signature/signature").unwrap().as_str().unwrap();
    let flipped = if signature.starts_with('0') { "1" } else { "0" }.to_owned() + &signature[1..];
    edit("/signature/signature", flipped.into());
    assert!(verdict("edited.json", PUBLIC).contains("signature"));
    edit("/signature/public_key", OTHER.into());
    verdict("edited.json", PUBLIC);
    verdict("edited.json", OTHER);
    edit("/signature", serde_json::Value::Null);
    assert!(verdict("edited.json", PUBLIC).contains("signature"));
    // Somebody else's release, sealed again but not signed.
    succeeds(&folder, &format!("fit data.csv --force --target ill {LOGISTIC} --out unsigned.json"));
    assert!(verdict("unsigned.json", PUBLIC).contains("signature"));
}

/// No secret digit is ever shown, and a key that is none is refused before the records are read.
#[test]
fn keys_are_checked_first_and_never_shown() {
    let folder = Folder::new();
    signed(&folder);
    let text = fs::read_to_string(folder.path("release.json")).unwrap();
    let output =
        asap(&folder, &format!("fit data.csv --force --target ill {LOGISTIC} --sign secret.hex --json"));
    for shown in [text, stdout(&output), stderr(&output)] {
        assert!(!shown.contains(&SECRET[..16]), "{shown}");
    }
    fs::remove_file(folder.path("release.json")).unwrap();
    let odd = SECRET.replace('9', "g");
    for bad in ["", "12ab", &odd, &format!("{SECRET}00")] {
        fs::write(folder.path("bad.hex"), bad).unwrap();
        let said = fails(&folder, 3, &format!("fit missing.csv --target ill {LOGISTIC} --sign bad.hex"));
        assert!(said.contains("bad.hex") && said.contains("64 hexadecimal digits"), "{said}");
        assert!(!said.contains("12ab") && !said.contains(&odd[..16]), "{said}");
    }
    let said = fails(&folder, 3, &format!("fit data.csv --force --target ill {LOGISTIC} --sign nowhere.hex"));
    assert!(said.contains("nowhere.hex"), "{said}");
    assert!(fails(&folder, 3, "check release.json --key nowhere.hex").contains("nowhere.hex"));
    assert!(!folder.path("release.json").exists());
}
