//! Certificates of noisy gradient descent, every number worked out here, and each of their
//! inequalities broken by itself.
//!
//! As in `build`: d = 4, so √d = 2; ρ = 1.5, |y| ≤ 2. Within r = 1 of the origin one loss has the Lipschitz
//! constant 1.5 (logistic), 1.5·(1.5 + 2) = 5.25 (squared), 1.5·½ = 0.75 (Huber), 3 (a user's word). Rounding 2⁻⁶,
//! so the sensitivity is cG + 2⁻⁵: on the lattice 2⁻¹⁰ it is 1024cG + 32 steps, and 2 more for rounding to the
//! lattice. Four steps share ε = ½ as ⅛ each, or μ = ½ as ¼ each (4/16 = ¼): 8 or 4 times as many steps of noise.
//! All of these are equalities.

use crate::build::{self, exponent, losses, scale};
use asap_contracts::*;

fn kinds() -> Vec<build::Kind> {
    let mut kinds = Vec::new();
    for loss in losses() {
        for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
            for pure in [true, false] {
                kinds.push(build::Kind {
                    loss: loss.clone(),
                    neighbours,
                    pure,
                    sampler: None,
                    euclidean: pure,
                });
            }
        }
    }
    kinds
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small whole numbers")]
fn certificate(kind: &build::Kind) -> Certificate {
    let one = match kind.loss {
        Loss::Logistic => 1.5,
        Loss::Squared => 5.25,
        Loss::Huber { .. } => 0.75,
        Loss::User { .. } => 3.0,
    };
    let lipschitz = if kind.neighbours == Neighbours::ReplaceOne { 2.0 * one } else { one };
    let steps = (1024.0 * lipschitz) as u64 + 34;
    let (share, noise, law) = if kind.pure {
        (0.125, Noise::EuclideanLaplace { exponent: -10, steps: 8 * steps }, "own:euclidean-laplace")
    } else {
        (0.25, Noise::RoundedNormal { exponent: -10, steps: 4 * steps }, "own:rounded-normal")
    };
    let searched = if kind.is_user() { Status::Assumed } else { Status::Tested };
    let claims = [
        ("own:budget-split", Status::Proved),
        ("own:lattice", Status::Proved),
        ("own:noisy-gradient", Status::Proved),
        ("lem:adaptive_composition", Status::Proved),
        (law, Status::Proved),
        ("own:losses", searched),
        ("own:objective", searched),
        ("assumptions:randomness", Status::Assumed),
    ];
    let mut certificate = build::certificate(kind);
    certificate.ledger.shares = vec![Share { name: "gradients".into(), spent: 0.5 }];
    certificate.mechanism = Mechanism::NoisyGradient(NoisyGradient {
        expected_rows: 3,
        steps: 4,
        skipped: 1,
        step: 0.1,
        momentum: 0.9,
        radius: 1.0,
        lipschitz,
        rounding: 1.0 / 64.0,
        sensitivity: lipschitz + 1.0 / 32.0,
        share,
        noise,
    });
    // Half of the square root of 4: on the sphere.
    certificate.theta = vec![0.5, -0.5, 0.5, -0.5];
    certificate.claims =
        claims.map(|(spec, status)| Claim { spec: spec.into(), status }).into_iter().collect();
    certificate
}

fn descent(certificate: &mut Certificate) -> &mut NoisyGradient {
    match &mut certificate.mechanism {
        Mechanism::NoisyGradient(descent) => descent,
        _ => panic!("another mechanism"),
    }
}

type Edit = fn(&mut Certificate);

const EDITS: &[(&str, &str, Edit)] = &[
    ("own:certificate", "points have the dimension of the problem", |c| c.theta.push(0.0)),
    ("own:lattice", "lattice steps are normal numbers", |c| *exponent(&mut descent(c).noise) = 971),
    ("own:certificate", "numerics are those of the mechanism", |c| {
        c.numerics = Numerics::RealArithmeticOnly;
    }),
    ("own:certificate", "claims are those of the mechanism", |c| drop(c.claims.remove(2))),
    ("own:certificate", "claims are those of the mechanism", |c| {
        c.claims.push(Claim { spec: "lem:OutPert_DP".into(), status: Status::Proved });
    }),
    ("own:budget-split", "shares are those of the mechanism", |c| {
        c.ledger.shares[0].name = "output".into();
    }),
    ("own:budget-split", "shares spend at most the total", |c| {
        c.ledger.shares[0].spent = 0.5_f64.next_up();
    }),
    ("own:certificate", "expected rows are between 1 and the most", |c| descent(c).expected_rows = 5),
    ("own:certificate", "expected rows are between 1 and the most", |c| descent(c).expected_rows = 0),
    ("own:noisy-gradient", "schedule is one of a descent", |c| descent(c).skipped = 4),
    ("own:noisy-gradient", "schedule is one of a descent", |c| {
        (descent(c).steps, descent(c).skipped) = (0, 0);
    }),
    ("own:noisy-gradient", "schedule is one of a descent", |c| descent(c).step = 0.0),
    ("own:noisy-gradient", "schedule is one of a descent", |c| descent(c).momentum = 1.0),
    ("own:noisy-gradient", "schedule is one of a descent", |c| descent(c).momentum = -0.1),
    ("own:ball", "ball is positive and within the search", |c| descent(c).radius = 0.0),
    ("own:ball", "ball is positive and within the search", |c| {
        c.problem.parameter_bound = Some(1.0_f64.next_down());
    }),
    ("own:ball", "θ̂ is in the ball", |c| c.theta[3] = -0.5_f64.next_up()),
    ("own:ball", "θ̂ is in the ball", |c| c.theta[0] = f64::NAN),
    ("own:noisy-gradient", "sensitivity covers G and twice the rounding", |c| {
        descent(c).sensitivity = descent(c).sensitivity.next_down();
    }),
    ("own:noisy-gradient", "sensitivity covers G and twice the rounding", |c| {
        descent(c).rounding = descent(c).rounding.next_up();
    }),
    ("own:noisy-gradient", "sensitivity covers G and twice the rounding", |c| {
        descent(c).rounding = -1.0;
    }),
    ("lem:adaptive_composition", "all steps together spend at most their share", |c| descent(c).steps = 5),
    ("lem:adaptive_composition", "all steps together spend at most their share", |c| {
        descent(c).share = descent(c).share.next_up();
    }),
    ("lem:adaptive_composition", "all steps together spend at most their share", |c| descent(c).share = 0.0),
    ("own:noisy-gradient", "noise of a gradient covers its sensitivity and the rounding", |c| {
        *scale(&mut descent(c).noise) -= 1;
    }),
    ("own:noisy-gradient", "noise of a gradient covers its sensitivity and the rounding", |c| {
        // Less noise where less is spent than may be.
        descent(c).share = descent(c).share.next_down();
    }),
    ("own:noisy-gradient", "noise of a gradient covers its sensitivity and the rounding", |c| {
        *exponent(&mut descent(c).noise) = -11;
    }),
];

#[test]
fn every_clause_of_a_descent_holds_and_breaks_by_itself() {
    for kind in kinds() {
        let whole = certificate(&kind);
        Release::new(whole.clone()).check().unwrap_or_else(|failed| panic!("{kind:?}: {failed}"));
        for (spec, clause, edit) in EDITS {
            let mut edited = whole.clone();
            edit(&mut edited);
            let failed = Release::new(edited).check().unwrap_err();
            assert_eq!((failed.spec(), failed.clause()), (*spec, *clause), "{kind:?}");
        }
        // The rounding of a user's loss is the user's word; the others' is derived again.
        for (rounding, enough) in [(1e-3, true), (1e-16, false), (0.0, false)] {
            let mut edited = whole.clone();
            descent(&mut edited).rounding = rounding;
            let failed = Release::new(edited).check().err().map(|failed| failed.clause());
            let clause = "rounding covers a gradient of the largest data set";
            assert_eq!(failed, (!enough && !kind.is_user()).then_some(clause), "{kind:?}");
        }
        // The Lipschitz constant of a user's loss is the user's word; the others have to be what they are.
        let mut edited = whole.clone();
        descent(&mut edited).lipschitz = descent(&mut edited).lipschitz.next_down();
        assert_eq!(Release::new(edited).check().is_ok(), kind.is_user());
        let mut edited = whole.clone();
        edited.neighbours = Neighbours::ReplaceOne;
        let clause = "Lipschitz constant where gradients are asked for";
        if kind.neighbours == Neighbours::AddRemove && !kind.is_user() {
            assert_eq!(Release::new(edited).check().unwrap_err().clause(), clause);
        }
        // In a larger ball the squared loss is steeper.
        let mut edited = whole;
        descent(&mut edited).radius = 1.0_f64.next_up();
        let steeper = kind.loss == Loss::Squared;
        assert_eq!(Release::new(edited).check().is_err_and(|failed| failed.clause() == clause), steeper);
    }
}

/// T steps are not one: what a single gradient would need does not do, nor what the paper
/// prints (half of the variance).
#[test]
fn the_noise_is_that_of_all_steps() {
    for kind in kinds() {
        for (numerator, denominator) in [(1, 4), (1, 2), (5, 7)] {
            let mut edited = certificate(&kind);
            let steps = scale(&mut descent(&mut edited).noise);
            *steps = *steps * numerator / denominator;
            assert!(Release::new(edited.clone()).check().is_err());
            // Nor does it help to say that each step spends more: it then spends too much together.
            let share = descent(&mut edited).share;
            descent(&mut edited).share = share * denominator as f64 / numerator as f64;
            let failed = Release::new(edited).check().unwrap_err();
            assert_eq!(failed.spec(), "lem:adaptive_composition");
        }
    }
}

/// Noise of another kind buys nothing.
#[test]
fn the_noise_of_a_descent_is_of_the_kind_of_the_guarantee() {
    for kind in kinds() {
        let mut edited = certificate(&kind);
        let (other, page) = if kind.pure {
            (Noise::RoundedNormal { exponent: -10, steps: 1 << 50 }, "own:rounded-normal")
        } else {
            (Noise::EuclideanLaplace { exponent: -10, steps: 1 << 50 }, "own:euclidean-laplace")
        };
        descent(&mut edited).noise = other;
        edited.claims[4].spec = page.into();
        let failed = Release::new(edited).check().unwrap_err();
        assert_eq!(failed.clause(), "noise of the gradients is of the kind of the guarantee");
    }
}

#[test]
fn no_number_of_a_descent_may_be_negative_or_not_finite() {
    let numbers: [fn(&mut NoisyGradient) -> &mut f64; 7] = [
        |d| &mut d.step,
        |d| &mut d.momentum,
        |d| &mut d.radius,
        |d| &mut d.lipschitz,
        |d| &mut d.rounding,
        |d| &mut d.sensitivity,
        |d| &mut d.share,
    ];
    for kind in kinds() {
        for number in numbers {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -f64::from_bits(1)] {
                let mut edited = certificate(&kind);
                *number(descent(&mut edited)) = bad;
                let failed = Release::new(edited).check().unwrap_err();
                assert!(!failed.clause().contains("digest"), "{kind:?}, {bad}: {failed}");
            }
            for wild in [0.0, f64::MAX, f64::from_bits(1)] {
                let mut edited = certificate(&kind);
                *number(descent(&mut edited)) = wild;
                let _ = Release::new(edited).check();
            }
        }
    }
}

/// What a verdict says is left to believe: of a user's loss its slope and its rounding.
#[test]
fn what_a_descent_rests_on_is_told() {
    for kind in kinds() {
        let assumed = Release::new(certificate(&kind)).check().unwrap().assumed;
        let told = |spec: &str| assumed.iter().filter(|it| it.spec == spec).count();
        assert_eq!((told("own:certificate"), told("assumptions:randomness")), (1, 1));
        let user = usize::from(kind.is_user());
        assert_eq!((told("own:noisy-gradient"), told("own:certified-minimiser")), (user, 0));
        assert_eq!((told("own:losses"), told("own:objective")), (user, user));
        assert_eq!(assumed.len(), 2 + 3 * user);
    }
}

/// A certificate reads back bit for bit, and has these fields and no others.
#[test]
fn a_descent_has_these_fields_and_no_others() {
    let release = Release::new(certificate(&kinds()[0]));
    assert_eq!(Release::from_json(&release.to_json()).unwrap(), release);
    let whole: serde_json::Value = serde_json::from_str(&release.to_json()).unwrap();
    let descent = whole.pointer("/certificate/mechanism/noisy-gradient").unwrap().as_object().unwrap();
    let names = descent.keys().cloned().collect::<Vec<_>>().join(" ");
    let expected =
        "expected_rows lipschitz momentum noise radius rounding sensitivity share skipped step steps";
    assert_eq!(names, expected);
}

/// For mutants that survived: no momentum at all, and a ball that is the whole search.
#[test]
fn a_plain_descent_in_the_whole_search_is_one() {
    for kind in kinds() {
        let mut certificate = certificate(&kind);
        descent(&mut certificate).momentum = 0.0;
        certificate.problem.parameter_bound = Some(1.0);
        Release::new(certificate).check().unwrap_or_else(|failed| panic!("{kind:?}: {failed}"));
    }
}
