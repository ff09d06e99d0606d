//! One function for each lemma decides, in exact rationals, everything that its numbers must satisfy.
//! spec: `own:contracts`
//!
//! A contract is a struct whose fields are the numbers of one lemma, with a method `holds`. The method is total: it
//! answers for any fields, and refuses those that are negative, infinite or not numbers. Roots are squared away;
//! logarithms, exponentials and normal probabilities are enclosed by rational numbers (`exact/transcendental.rs`), so a
//! yes is a proof.
//!
//! Nothing else in this workspace decides these inequalities. The clauses of [`Release::check`](crate::Release::check)
//! are these functions. A plan of the library exists only after they accepted its public numbers, and numbers of one
//! data set (the length of a chain, its step size, its restarts) pass them privately while a fit runs. The calibration
//! only proposes.
//!
//! | number | contract | lemma |
//! |---|---|---|
//! | γ | [`PureTemperature`], [`GaussianTemperature`] | `lem:pure_DP_Post_Sam`, `lem:GDP_Post_Sam` |
//! | B | [`Radius`] | `own:ball`, `own:losses`, `own:lattice` |
//! | Δ | [`Delta`], [`ChainError`] | `thm:asap_privacy` |
//! | the charge in Δ | [`ChargePart`], [`Charge`] | `own:rounding`, `own:proximal`, `own:exact` |
//! | ξ | [`TotalVariation`], [`Oscillation`] | `lem:W_infty_TV`, `lem:min_density_gibbs` |
//! | p_acc, ξ_in | [`DomainChance`], [`InnerVariation`] | `own:conductance`, `own:conditional-tv` |
//! | τ_max | [`Restarts`] | `own:conductance` |
//! | h, K of constrained MALA | [`WarmStart`], [`MixingTime`] | `own:warm-start`, `own:conductance` |
//! | K, η of the proximal sampler | [`ProximalSteps`], [`ProximalStep`] | `own:proximal` |
//! | scales of noise | [`NoiseScale`] | `lem:OutPert_DP`, `thm:asap_privacy`, `own:noisy-gradient` |
//! | sensitivities | [`MinimiserSensitivity`], [`GradientSensitivity`] | `lem:sensitivity_minimizer`, `own:noisy-gradient` |
//! | scales of a tilt, its Jacobian | [`TiltScales`], [`JointPrice`], [`GaussianPrice`] | `own:shaped-tilt`, `own:joint-price` |
//! | shares | [`Shares`], [`StepShares`], [`Conversion`] | `own:budget-split`, `lem:adaptive_composition`, `lem:convert_pure_G_DP` |
//! | rows of a person | [`Persons`] | `own:persons` |
//!
//! An error names the page and the clause, never a number.

mod chain;
mod delta;
mod price;
mod proximal;
mod radius;
mod sensitivity;
mod shares;
mod temperature;
mod variation;

pub use chain::{DomainChance, InnerVariation, MixingTime, Restarts, WarmStart};
pub use delta::{ChainError, Charge, ChargePart, Delta, NoiseScale};
pub use price::{GaussianPrice, JointPrice, Taken, TiltScales};
pub(crate) use proximal::accumulation;
pub use proximal::{PotentialClass, ProximalStep, ProximalSteps};
pub use radius::Radius;
pub use sensitivity::{GradientSensitivity, MinimiserSensitivity};
pub use shares::{Conversion, Persons, Shares, StepShares};
pub use temperature::{GaussianTemperature, PureTemperature};
pub use variation::{Oscillation, TotalVariation};

use crate::exact::Exact;

/// A clause that does not hold. It shows no number: those of one data set pass the same contracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{clause}: this does not hold (page {spec})")]
pub struct Broken {
    /// Id of the page in `spec/`.
    pub spec: &'static str,
    /// What was decided.
    pub clause: &'static str,
}

/// Whether these are finite numbers greater than 0.
fn positive(numbers: &[f64]) -> bool {
    numbers.iter().all(|x| Exact::of(*x).is_positive())
}

/// Whether these are finite numbers, not below 0.
fn non_negative(numbers: &[f64]) -> bool {
    numbers.iter().all(|x| Exact::of(*x) >= Exact::whole(0))
}

/// Gives a struct of numbers its contract: what the lemma requires of them and what it ensures. From that one text come
/// the method `holds`, the same with a list of what was decided for the clauses of a certificate, the Contract section
/// of the documentation, and prusti-contracts attributes with the same clauses (Prusti itself was not run). What is
/// `given` is required and decided with the clause that follows, under its name: a certificate has a clause of its own
/// for it, or cannot say otherwise. A clause with `when` counts only where that is so.
macro_rules! contract {
    (
        $name:ident $(<$life:lifetime>)? :
        $($kind:ident $spec:literal, $clause:literal $(when $when:expr)? => $holds:expr;)+
    ) => {
        impl $(<$life>)? $name $(<$life>)? {
            /// Decides every clause, in this order; the first that does not hold comes back.
            ///
            /// # Contract
            $(#[doc = concat!("* ", stringify!($kind), " ", $clause, " (`", $spec, "`)")])+
            $(#[prusti_contracts::ensures(match result { Ok(()) => $holds(self), Err(_) => true })])+
            pub fn holds(&self) -> Result<(), $crate::contract::Broken> {
                self.note(&mut $crate::verdict::Clauses::default())
            }

            /// [`Self::holds`], for a certificate: what was decided is noted.
            pub(crate) fn note(
                &self,
                clauses: &mut $crate::verdict::Clauses,
            ) -> Result<(), $crate::contract::Broken> {
                // What was given since the last clause with a name.
                let mut given = true;
                $(
                    let clause: fn(&Self) -> bool = $holds;
                    let counts = true $(&& { let when: fn(&Self) -> bool = $when; when(self) })?;
                    if counts && stringify!($kind) == "given" {
                        given &= clause(self);
                    } else if counts {
                        let holds = core::mem::replace(&mut given, true) && clause(self);
                        clauses.need($spec, $clause, holds)?;
                    }
                )+
                // The last clause has a name.
                let _ = given;
                Ok(())
            }
        }
    };
}

use contract;
