//! One notation for contracts: checked at run time, seen by Kani, readable by Prusti and rustdoc.
//! spec: `own:contracts`
//!
//! A function written inside [`contract!`](crate::contract!) states its clauses once. From that
//! one text the macro makes
//!
//! * a **run-time check**: a broken `requires` returns [`BrokenContract`] before the body runs, a broken `ensures`
//!   returns it instead of the result, so a wrong calibration is never used; a body that ends in `None`
//!   says that the result is not representable ([`Clause::Range`]);
//! * under `cfg(kani)`, a **Kani function contract**: the `requires` are assumed and Kani must show that the
//!   run-time check of the `ensures` never fires (a broken `ensures` is a bug, not an input error);
//! * the **prusti-contracts** attributes with the same clauses; functions that a clause calls are marked `#[pure]`, and
//!   `#[trusted]` if Prusti could not follow them (big integers, logarithms). Prusti itself was not run;
//! * a **Contract** section in the function's documentation, with the spec id.
//!
//! An error text shows an argument only if its type says that it is public ([`PublicValue`]: ε, μ and [`Public`]). A
//! raw `f64` or integer may come from the records and is never shown, so one function with a contract serves the
//! planner and a fit.

use core::fmt;

/// Which half of a contract is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clause {
    /// The caller's part: the arguments.
    Requires,
    /// The function's part: a bug of this library. Nothing is released.
    Ensures,
    /// The result would over- or underflow: these public values cannot be calibrated.
    Range,
}

/// The largest number of arguments of a function with a contract.
pub const MAX_ARGUMENTS: usize = 8;

/// A contract that does not hold: which item of the specification, which clause, for which public values.
///
/// It is `Copy` and owns no heap memory, so checked paths stay within reach of a model checker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrokenContract {
    /// Id of the page in `spec/`.
    pub spec: &'static str,
    /// The function whose contract it is.
    pub function: &'static str,
    /// The half that is broken.
    pub kind: Clause,
    /// The clause as it stands in the source.
    pub clause: &'static str,
    values: [Option<(&'static str, f64)>; MAX_ARGUMENTS],
}

impl BrokenContract {
    /// Records a broken clause with the public arguments of the call.
    #[must_use]
    pub fn new(
        spec: &'static str,
        function: &'static str,
        kind: Clause,
        clause: &'static str,
        values: [Option<(&'static str, f64)>; MAX_ARGUMENTS],
    ) -> Self {
        Self { spec, function, kind, clause, values }
    }

    /// The arguments of the call, by name.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.values.iter().flatten().copied()
    }
}

impl fmt::Display for BrokenContract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = match self.kind {
            Clause::Requires => "requires",
            Clause::Ensures => "failed to ensure",
            Clause::Range => "has no representable",
        };
        write!(f, "{} [{}] {half} `{}`", self.function, self.spec, self.clause)?;
        for (k, (name, value)) in self.values().enumerate() {
            write!(f, "{} {name} = {value:e}", if k == 0 { ", but" } else { "," })?;
        }
        Ok(())
    }
}

impl core::error::Error for BrokenContract {}

/// A value that may appear in an error text. Implemented for types that hold public parameters
/// only: no raw number is one.
///
/// ```compile_fail,E0277
/// fn show(value: impl asap_dp::contract::PublicValue) -> f64 {
///     value.shown()
/// }
/// show(1.0);
/// ```
pub trait PublicValue: Copy {
    /// The value as it is shown.
    fn shown(self) -> f64;
}

/// A number that was declared public: it was fixed without looking at the records.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Public(f64);

impl Public {
    /// Declares a number public. The caller states that it does not depend on the records.
    #[must_use]
    pub const fn new(value: f64) -> Self {
        Self(value)
    }

    /// The number.
    #[must_use]
    #[prusti_contracts::pure]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl PublicValue for Public {
    fn shown(self) -> f64 {
        self.0
    }
}

/// Asks an argument whether it is public. The answer is a matter of its type: the method of the type itself, which
/// exists for public values only, is found before the one of the trait [`NotPublic`].
#[doc(hidden)]
pub struct Argument<T>(pub T);

impl<T: PublicValue> Argument<T> {
    #[doc(hidden)]
    pub fn seen(&self) -> Option<f64> {
        Some(self.0.shown())
    }
}

#[doc(hidden)]
pub trait NotPublic {
    #[doc(hidden)]
    fn seen(&self) -> Option<f64> {
        None
    }
}

impl<T> NotPublic for &Argument<T> {}

/// Collects up to [`MAX_ARGUMENTS`] named values; what is not public, and what does not fit, is left out.
#[must_use]
pub fn named<const N: usize>(
    values: [(&'static str, Option<f64>); N],
) -> [Option<(&'static str, f64)>; MAX_ARGUMENTS] {
    let mut named = [None; MAX_ARGUMENTS];
    // By index: an iterator's pointers are what a model checker spends its time on.
    let mut k = 0;
    while k < N.min(MAX_ARGUMENTS) {
        if let (name, Some(value)) = values[k] {
            named[k] = Some((name, value));
        }
        k += 1;
    }
    named
}

/// Defines a function together with its contract; see the [module](mod@crate::contract).
///
/// ```
/// use asap_dp::contract::{Clause, Public, contract};
///
/// contract! {
///     spec "example";
///     /// Half of a positive number, not below a public least one.
///     pub fn half(x: f64, least: Public) -> f64
///     where
///         requires x > 0.0;
///         ensures(value) least.get() <= value && value < x;
///     { Some(x / 2.0) }
/// }
///
/// let least = Public::new(1.0);
/// assert_eq!(half(3.0, least), Ok(1.5));
/// let broken = half(-4.5, least).unwrap_err();
/// assert_eq!((broken.kind, broken.clause), (Clause::Requires, "x > 0.0"));
/// // x could come from a record: it is not shown.
/// assert_eq!(broken.to_string(), "half [example] requires `x > 0.0`, but least = 1e0");
/// // The function breaks its own promise, and says so.
/// assert_eq!(half(1.5, least).unwrap_err().kind, Clause::Ensures);
/// ```
#[macro_export]
macro_rules! contract {
    (
        spec $spec:literal;
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident( $($argument:ident : $type:ty),+ $(,)? ) -> $output:ty
        where
        $(requires $requires:expr;)+
        $(ensures($value:ident) $ensures:expr;)+
        $body:block
    ) => {
        $(#[$attribute])*
        ///
        /// # Contract
        #[doc = concat!("spec: `", $spec, "`")]
        $(#[doc = concat!("* requires `", stringify!($requires), "`")])+
        $(#[doc = concat!("* ensures, for the result `", stringify!($value), "`: `", stringify!($ensures), "`")])+
        $(#[cfg_attr(kani, kani::requires($requires))])+
        #[cfg_attr(kani, kani::ensures(|outcome: &::core::result::Result<$output, $crate::contract::BrokenContract>| {
            !::core::matches!(outcome, Err(broken) if broken.kind == $crate::contract::Clause::Ensures)
        }))]
        $(#[$crate::contract::prusti::requires($requires)])+
        $(#[$crate::contract::prusti::ensures(match result { Ok($value) => $ensures, Err(_) => true })])+
        $visibility fn $name(
            $($argument: $type),+
        ) -> ::core::result::Result<$output, $crate::contract::BrokenContract> {
            let broken = |kind, clause| {
                $crate::contract::BrokenContract::new(
                    $spec,
                    stringify!($name),
                    kind,
                    clause,
                    {
                        #[allow(unused_imports)]
                        use $crate::contract::NotPublic as _;
                        $crate::contract::named([
                            $((stringify!($argument), (&$crate::contract::Argument($argument)).seen())),+
                        ])
                    },
                )
            };
            $(
                // The clause is negated as written: a NaN makes it false and is refused.
                #[allow(clippy::nonminimal_bool, clippy::neg_cmp_op_on_partial_ord)]
                if !($requires) {
                    return Err(broken($crate::contract::Clause::Requires, stringify!($requires)));
                }
            )+
            let compute = || -> ::core::option::Option<$output> { $body };
            let Some(computed) = compute() else {
                return Err(broken($crate::contract::Clause::Range, "result"));
            };
            $(
                let $value = computed;
                #[allow(clippy::nonminimal_bool, clippy::neg_cmp_op_on_partial_ord)]
                if !($ensures) {
                    return Err(broken($crate::contract::Clause::Ensures, stringify!($ensures)));
                }
            )+
            Ok(computed)
        }
    };
}

pub use crate::contract;
#[doc(hidden)]
pub use prusti_contracts as prusti;

#[cfg(any(kani, test))]
#[path = "../proofs/contract.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    /// The run-time check, Kani's and Prusti's attributes and the documentation are made from the same tokens, so a
    /// clause cannot say one thing to one of them and another to the next.
    #[test]
    fn every_half_of_a_contract_has_the_same_clauses() {
        let (source, _) = include_str!("contract.rs").split_once("#[cfg(test)]").unwrap();
        for half in [
            "if !($requires) {",
            "kani::requires($requires)",
            "prusti::requires($requires)",
            "\"* requires `\", stringify!($requires)",
            "if !($ensures) {",
            "prusti::ensures(match result { Ok($value) => $ensures,",
            "stringify!($value), \"`: `\", stringify!($ensures)",
        ] {
            assert_eq!(source.matches(half).count(), 1, "{half}");
        }
        // Kani's `ensures` is that the run-time check of the same clauses never fires.
        assert!(source.contains("broken.kind == $crate::contract::Clause::Ensures)"));
    }
}
