//! Any text as a schema: one that the checker finds nothing wrong with, or an error with a line of
//! the text; never a panic.
#![no_main]

mod bytes;

use asap_dp::data::{Bounds, Encoder, read_schema};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    bytes::count(data);
    let Ok(text) = core::str::from_utf8(data) else { return };
    match read_schema(text) {
        Ok(schema) => {
            assert_eq!(schema.fault(), None);
            let encoder = Encoder::new(&schema).expect("a schema has an encoder");
            let bounds = Bounds::of_schema(&schema).expect("a schema has bounds");
            let mut row = vec![0.0; encoder.parameters()];
            // The text itself as every cell: the row stays within its shape.
            for k in 0..schema.features.len() {
                let _ = encoder.text(k, data, &mut row);
            }
            assert!(bounds.shape().is_some_and(|shape| shape.contains(&row)));
        }
        Err(error) => assert!((1..=text.matches('\n').count() + 1).contains(&error.line) && !error.reason.is_empty()),
    }
});
