//! One notation for contracts: checked at run time, seen by Kani, readable by Prusti and rustdoc.
//! spec: `own:contracts`
//!
//! A function written inside [`contract!`](crate::contract!) states its clauses once. From that one text the macro makes
//!
//! * a **run-time check**: a broken `requires` returns [`Broken`] before the body runs, a broken `ensures`
//!   returns it instead of the result, so a wrong calibration is never used; a body that ends in `None`
//!   says that the result is not representable ([`Clause::Range`]);
//! * under `cfg(kani)`, a **Kani function contract**: the `requires` are assumed and Kani has to show that the
//!   run-time check of the `ensures` never fires (a broken `ensures` is a bug, not an input error);
//! * the **prusti-contracts** attributes with the same clauses;
//! * a **Contract** section in the function's documentation, with the spec id.
//!
//! Every argument has to be a [`PublicValue`]: a [`Private`](crate::private::Private) value can therefore
//! not reach an error text.

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
/// It is `Copy` and owns no heap memory, so that checked paths stay within reach of a model checker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Broken {
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

impl Broken {
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

impl fmt::Display for Broken {
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

impl core::error::Error for Broken {}

/// A value that may appear in an error text. Implemented for public parameters only.
pub trait PublicValue: Copy {
    /// The value as it is shown.
    fn shown(self) -> f64;
}

impl PublicValue for f64 {
    fn shown(self) -> f64 {
        self
    }
}

impl PublicValue for u32 {
    fn shown(self) -> f64 {
        f64::from(self)
    }
}

impl PublicValue for u64 {
    fn shown(self) -> f64 {
        self as f64
    }
}

impl PublicValue for usize {
    fn shown(self) -> f64 {
        self as f64
    }
}

impl PublicValue for i32 {
    fn shown(self) -> f64 {
        f64::from(self)
    }
}

/// Collects up to [`MAX_ARGUMENTS`] named values; more would not fit and are left out.
#[must_use]
pub fn named<const N: usize>(
    values: [(&'static str, f64); N],
) -> [Option<(&'static str, f64)>; MAX_ARGUMENTS] {
    let mut named = [None; MAX_ARGUMENTS];
    // By index: an iterator's pointers are what a model checker spends its time on.
    let mut k = 0;
    while k < N.min(MAX_ARGUMENTS) {
        named[k] = Some(values[k]);
        k += 1;
    }
    named
}

/// Defines a function together with its contract; see the [module](mod@crate::contract).
///
/// ```
/// use asap_dp::contract::{Broken, Clause, contract};
///
/// contract! {
///     spec "example";
///     /// Half of a positive number.
///     pub fn half(x: f64) -> f64
///     where
///         requires x > 0.0;
///         ensures(value) 0.0 < value && value < x;
///     { Some(x / 2.0) }
/// }
///
/// assert_eq!(half(3.0), Ok(1.5));
/// let broken = half(-1.0).unwrap_err();
/// assert_eq!((broken.kind, broken.clause), (Clause::Requires, "x > 0.0"));
/// assert_eq!(broken.to_string(), "half [example] requires `x > 0.0`, but x = -1e0");
/// // Half of the smallest positive number rounds to 0: the function breaks its own promise, and says so.
/// assert_eq!(half(f64::from_bits(1)).unwrap_err().kind, Clause::Ensures);
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
        #[cfg_attr(kani, kani::ensures(|outcome: &::core::result::Result<$output, $crate::contract::Broken>| {
            !::core::matches!(outcome, Err(broken) if broken.kind == $crate::contract::Clause::Ensures)
        }))]
        $(#[$crate::contract::prusti::requires($requires)])+
        $(#[$crate::contract::prusti::ensures(match result { Ok($value) => $ensures, Err(_) => true })])+
        $visibility fn $name(
            $($argument: $type),+
        ) -> ::core::result::Result<$output, $crate::contract::Broken> {
            let broken = |kind, clause| {
                $crate::contract::Broken::new(
                    $spec,
                    stringify!($name),
                    kind,
                    clause,
                    $crate::contract::named([
                        $((stringify!($argument), $crate::contract::PublicValue::shown($argument))),+
                    ]),
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
