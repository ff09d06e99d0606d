//! What the harnesses share. One text, two runs: Kani feeds a property all inputs within its bound, `cargo test`
//! feeds it random ones.

use crate::noise::{RandomBits, Randomness, sealed::Sealed};

pub(crate) mod whole;

/// Defines `verify_<item>__<property>`. The body is a plain function over its arguments. `on whole numbers`: for Kani
/// the operations of `exact` are those of [`whole`].
macro_rules! harness {
    ($(#[$attribute:meta])* [$($how:tt)+] on whole numbers
     fn $name:ident($($argument:ident: $type:ty),+ $(,)?) $body:block) => {
        $crate::proofs::harness!(
            $(#[$attribute])*
            [
                $($how)+,
                kani::stub(crate::exact::at_most, crate::proofs::whole::at_most),
                kani::stub(crate::exact::add_up, crate::proofs::whole::add_up),
                kani::stub(crate::exact::mul_up, crate::proofs::whole::mul_up),
                kani::stub(crate::exact::div_up, crate::proofs::whole::div_up),
                kani::stub(crate::exact::sqrt_up, crate::proofs::whole::sqrt_up),
                kani::stub(crate::exact::add_down, crate::proofs::whole::add_down),
                kani::stub(crate::exact::mul_down, crate::proofs::whole::mul_down),
                kani::stub(crate::exact::div_down, crate::proofs::whole::div_down),
                kani::stub(crate::exact::sqrt_down, crate::proofs::whole::sqrt_down),
                kani::stub(crate::exact::integer_up, crate::proofs::whole::integer_up)
            ]
            fn $name($($argument: $type),+) $body
        );
    };
    ($(#[$attribute:meta])* [$($how:tt)+]
     fn $name:ident($($argument:ident: $type:ty),+ $(,)?) $body:block) => {
        $(#[$attribute])*
        #[cfg_attr(not(kani), test)]
        #[cfg_attr(kani, $($how)+)]
        #[allow(non_snake_case)]
        fn $name() {
            fn property($($argument: $type),+) $body
            #[cfg(kani)]
            property($(kani::any::<$type>()),+);
            #[cfg(not(kani))]
            $crate::proofs::sampled(|random| property($(<$type as quickcheck::Arbitrary>::arbitrary(random)),+));
        }
    };
}

/// Kani has to find an input for which this holds: a harness with an unsatisfied cover shows nothing.
macro_rules! cover {
    ($condition:expr) => {
        #[cfg(kani)]
        kani::cover!($crate::proofs::observed($condition));
        #[cfg(not(kani))]
        let _ = $condition;
    };
}

/// Leaves the property for inputs that it does not speak of; some input has to be left.
macro_rules! assume {
    ($condition:expr) => {
        #[allow(clippy::neg_cmp_op_on_partial_ord)]
        if !$condition {
            return;
        }
        crate::proofs::cover!(true);
    };
}

pub(crate) use {assume, cover, harness};

/// Whether a function with a contract broke its own promise.
pub(crate) fn is_bug<T>(outcome: &Result<T, crate::contract::BrokenContract>) -> bool {
    matches!(outcome, Err(broken) if broken.kind == crate::contract::Clause::Ensures)
}

/// Keeps the optimiser from turning one cover with a condition into several without: each would have to be met.
#[cfg(kani)]
#[inline(never)]
pub(crate) fn observed(condition: bool) -> bool {
    condition
}

/// Calls the property with many random inputs, the same ones every time.
#[cfg(not(kani))]
pub(crate) fn sampled(mut property: impl FnMut(&mut quickcheck::Gen)) {
    let mut random = quickcheck::Gen::from_size_and_seed(16, 1);
    for _ in 0..50_000 {
        property(&mut random);
    }
}

/// Random bits that are given in advance. Kani looks only at runs that need no more; a test reads on in a
/// replayed stream.
pub(crate) struct Words<const N: usize> {
    given: [u64; N],
    /// How many words were read.
    pub(crate) read: usize,
    #[cfg(not(kani))]
    beyond: crate::noise::ReplayRng,
}

impl<const N: usize> Words<N> {
    pub(crate) fn new(given: [u64; N]) -> Self {
        Self {
            given,
            read: 0,
            #[cfg(not(kani))]
            beyond: crate::noise::ReplayRng::new(0),
        }
    }

    #[cfg(kani)]
    fn beyond(&mut self) -> u64 {
        kani::assume(false);
        0
    }

    #[cfg(not(kani))]
    fn beyond(&mut self) -> u64 {
        self.beyond.next_u64()
    }
}

impl<const N: usize> Sealed for Words<N> {}

impl<const N: usize> RandomBits for Words<N> {
    const PROVENANCE: Randomness = Randomness::Replay;
    fn next_u64(&mut self) -> u64 {
        let given = self.given.get(self.read).copied();
        self.read += 1;
        match given {
            Some(word) => word,
            None => self.beyond(),
        }
    }
}
