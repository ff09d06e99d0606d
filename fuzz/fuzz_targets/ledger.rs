//! Any text as a ledger file: a listing whose numbers are on the side that they say, or an error that
//! quotes nothing; never a panic.
#![no_main]

mod bytes;

use asap_dp::account::Listing;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    bytes::count(data);
    let Ok(text) = core::str::from_utf8(data) else { return };
    match Listing::from_json(text) {
        Ok(listing) => {
            assert_eq!(listing.fits, listing.entries.len() as u64);
            assert_eq!(listing.fits, listing.released + listing.not_released);
            // Never less than the largest entry, never more left than there was.
            assert!(listing.entries.iter().all(|entry| entry.counts <= listing.spent));
            assert!(listing.left >= 0.0 && listing.left <= listing.total.parameter());
        }
        Err(reason) => assert!(!reason.is_empty() && reason.len() < 200),
    }
});
