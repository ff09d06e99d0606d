//! Any text as a release: an error or a verdict, never a panic; what is read is written and read again the same.
#![no_main]

mod bytes;

use asap_contracts::Release;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    bytes::count(data);
    let Ok(text) = core::str::from_utf8(data) else { return };
    match Release::from_json(text) {
        Ok(release) => {
            let verdict = release.check();
            assert_eq!(Release::from_json(&release.to_json()).as_ref(), Ok(&release));
            let sealed = release.clone().seal();
            // A seal does not make a release worse, and nothing but the seal is better.
            assert!(verdict.is_err() || sealed.check().is_ok());
            let _ = sealed.check().map_err(|failed| failed.to_string());
        }
        Err(failed) => assert!(!failed.to_string().is_empty()),
    }
});
