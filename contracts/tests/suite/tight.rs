//! What has to pass does pass: the clauses are as sharp as the theorems, not sharper.

use crate::build::{certificate, first, kinds, release, scale, stages};
use asap_contracts::*;

#[test]
fn every_kind_passes_and_counts_its_clauses() {
    for kind in kinds() {
        let verdict = release(&kind).check().unwrap_or_else(|failed| panic!("{kind:?}: {failed}"));
        let rigorous = certificate(&kind).numerics == Numerics::Rigorous;
        // Of a user's loss the rounding is not derived again.
        let derived = usize::from(!kind.is_user());
        let expected = match kind.sampler {
            None => 25 + derived,
            Some(_) => 38 + derived + usize::from(rigorous) * (1 + derived),
        };
        assert_eq!(verdict.checked.len(), expected, "{kind:?}");
    }
}

/// More noise, smaller shares of a stage that has room, a smaller γ: all harmless.
#[test]
fn more_privacy_than_needed_is_allowed() {
    let edits: [fn(&mut Certificate); 5] = [
        |c| *scale(first(c).1) += 1,
        |c| first(c).0.rounding *= 0.5,
        |c| c.problem.parameter_bound = Some(7.0),
        |c| {
            c.ledger.total = match c.ledger.total {
                Guarantee::Pure(total) => Guarantee::Pure(total.next_up()),
                Guarantee::Gaussian(total) => Guarantee::Gaussian(total.next_up()),
            }
        },
        |c| {
            if let Some(posterior) = stages(c) {
                posterior.reference.gamma *= 0.5;
                posterior.asap.charge *= 0.5;
                *scale(&mut posterior.asap.noise) *= 2;
                posterior.expected_rows = 4;
            }
        },
    ];
    for kind in kinds() {
        for edit in edits {
            let mut edited = certificate(&kind);
            edit(&mut edited);
            Release::new(edited).check().unwrap_or_else(|failed| panic!("{kind:?}: {failed}"));
        }
    }
}

/// The search within a ball bounds the minimisers whatever the number of rows.
#[test]
fn a_parameter_bound_holds_the_minimisers() {
    for kind in kinds() {
        let mut edited = certificate(&kind);
        // As many as may be, and still with sums that are exact enough for τ.
        edited.problem.max_rows = 1 << 12;
        let refused = Release::new(edited.clone()).check();
        assert_eq!(refused.is_ok(), kind.is_user());
        edited.problem.parameter_bound = Some(first(&mut edited).0.bound);
        Release::new(edited.clone()).check().unwrap();
        edited.problem.parameter_bound = Some(first(&mut edited).0.bound.next_up());
        assert_eq!(Release::new(edited).check().is_ok(), kind.is_user());
    }
}

/// The noise of the first stage and of the last need not have the same law.
#[test]
fn laws_may_be_mixed() {
    for kind in kinds().into_iter().filter(|kind| kind.euclidean && kind.sampler.is_some()) {
        let mut mixed = certificate(&kind);
        let asap = &mut stages(&mut mixed).unwrap().asap;
        (asap.norm, asap.noise) =
            (1, Noise::DiscreteLaplace { exponent: -12, numerator: 288, denominator: 2 });
        let clause = Release::new(mixed.clone()).check().unwrap_err();
        assert_eq!(clause.clause(), "claims are those of the mechanism");
        mixed.claims.push(Claim { spec: "own:discrete-laplace".into(), status: Status::Proved });
        Release::new(mixed.clone()).check().unwrap();
        // Seven times the denominator is a seventh of the noise.
        stages(&mut mixed).unwrap().asap.noise =
            Noise::DiscreteLaplace { exponent: -12, numerator: 288, denominator: 14 };
        assert_eq!(Release::new(mixed).check().unwrap_err().spec(), "thm:asap_privacy");
    }
}

/// √2 is between two f64: the last that holds and the first that does not are worked out from squares.
#[test]
fn irrational_roots_are_decided_exactly() {
    let kind = kinds().into_iter().find(|kind| kind.pure && kind.sampler.is_none()).unwrap();
    for (noise, law, last) in [
        // d = 2, g = 1, ε = 1: Δ̃ + √2 ≤ 3, that is 2 ≤ (3 − Δ̃)²: up to 1.585786437626904951…
        (Noise::EuclideanLaplace { exponent: 0, steps: 3 }, "own:euclidean-laplace", 1.585_786_437_626_904_9),
        // √2·Δ̃ + 2 ≤ 5, that is 2Δ̃² ≤ 9: up to 2.121320343559642573…
        (
            Noise::DiscreteLaplace { exponent: 0, numerator: 10, denominator: 2 },
            "own:discrete-laplace",
            2.121_320_343_559_642_4,
        ),
    ] {
        let mut two = certificate(&kind);
        (two.problem.dimension, two.theta) = (2, vec![1.0, -2.0]);
        two.ledger.total = Guarantee::Pure(1.0);
        two.ledger.shares[0].spent = 1.0;
        let claim = two.claims.iter_mut().find(|claim| claim.spec == "own:discrete-laplace").unwrap();
        claim.spec = law.into();
        *first(&mut two).1 = noise;
        for (sensitivity, holds) in [(last, true), (f64::next_up(last), false)] {
            first(&mut two).0.sensitivity = sensitivity;
            assert_eq!(Release::new(two.clone()).check().is_ok(), holds, "{sensitivity}");
        }
    }
}
