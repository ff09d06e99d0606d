//! The loop over the methods of a search.

use super::*;
use crate::proofs::{cover, harness};

harness! {
    /// spec: `own:certified-minimiser`
    ///
    /// Whatever the methods do, what comes out is the certificate of the first that makes one; each method
    /// before it was called once, in order, with what the one before it left, and none after it. Without a
    /// certificate nothing comes out.
    ///
    /// assumes: at most 3 methods. bound: any outcomes of theirs; more are the same loop. solver: cadical.
    /// covers: optimise::search::first_certified — within a bound
    /// mutation: `the search ends with its second method`
    [kani::proof, kani::unwind(5), kani::solver(cadical)]
    fn verify_first_certified__in_order(certified: [bool; 3], left: [u8; 3], start: u8, methods: u8) {
        let methods = usize::from(methods % 4);
        let mut calls = 0;
        let outcome = first_certified(start, methods, |k, point: u8| {
            assert!(k == calls && point == if k == 0 { start } else { left[k - 1] });
            calls += 1;
            Ok::<_, ()>(if certified[k] { Outcome::Certified(k) } else { Outcome::Open(left[k]) })
        });
        cover!(outcome == Ok(Some(2)));
        cover!(methods == 3 && outcome == Ok(None));
        let mut first = None;
        let mut k = methods;
        while k > 0 {
            k -= 1;
            if certified[k] {
                first = Some(k);
            }
        }
        assert!(outcome == Ok(first));
        assert!(calls == first.map_or(methods, |k| k + 1));
    }
}
