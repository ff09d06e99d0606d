//! Faults that once went unnoticed: each of these tests is red on one of them, through the public way in.
//!
//! | fault | red |
//! |---|---|
//! | `Asap::release` adds no noise | `releases` |
//! | no noise on the last coordinate, the same noise on two | `releases` |
//! | a sampler's error 64 times as large, or not divided by √d | `effort` |
//! | a generator whose lowest bit is stuck | `secure` |
//! | a certificate that says more of its arithmetic than its sampler keeps | `numerics` |
//! | no noise from the 13th coordinate on, half of it for d ≥ 40, one for all beyond the 16th | `wide` |
//! | the last noise replays the words that the sample drew | `words` |
//! | the exact draw wired to another divergence, other chords, another shape | `drawn` |
//! | a limit of the exact draw or of the proximal sampler that decides nothing | `rounding` |
//! | the exact draw believes its gradient | `gradient` |
//! | a far ball of which the centre is drawn again and again; a search without end | `far`, `endless` |
//! | rows from the 65,537th on are not clipped | `rows` |
//! | a block without its tilt, with that of another, or with a share that is counted once for two | `blocks` |
//! | budgets that are compared or rounded to the wrong side | `budgets` |
//!
//! Rare branches of the noise are forced by tapes, which only the crate itself can make: `noise::normal` and
//! `noise::bernoulli` have those tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    unreachable_pub,
    reason = "a test may stop"
)]

mod blocks;
mod budgets;
mod drawn;
mod effort;
mod endless;
mod far;
mod gradient;
mod law;
mod numerics;
mod problem;
mod releases;
mod rounding;
mod rows;
mod secure;
mod wide;
mod words;
