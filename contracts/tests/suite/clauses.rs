//! Whoever edits a number can also seal again. Then the clause has to fail, with the right id.

use crate::build::{Kind, certificate, exponent, first, kinds, scale, stages};
use asap_contracts::*;

pub(crate) type Edit = fn(&mut Certificate);
type EditStages = fn(&mut Posterior);

/// Edits of what every certificate has, in the order of the clauses.
const COMMON: &[(&str, &str, Edit)] = &[
    ("own:certificate", "schema version is known", |c| c.schema += 1),
    ("own:certificate", "points have the dimension of the problem", |c| c.theta.push(0.0)),
    ("own:certificate", "points have the dimension of the problem", |c| c.problem.dimension = 5),
    ("own:certificate", "points have the dimension of the problem", |c| c.problem.dimension = u64::MAX),
    ("own:lattice", "lattice steps are normal numbers", |c| *exponent(first(c).1) = i32::MIN),
    ("own:lattice", "lattice steps are normal numbers", |c| *exponent(first(c).1) = 971),
    ("own:certificate", "numerics are those of the mechanism", |c| {
        c.numerics = match c.numerics {
            Numerics::Rigorous => Numerics::RealArithmeticOnly,
            _ => Numerics::Rigorous,
        };
    }),
    ("own:certificate", "certified says whether a constant is asymptotic or a user's", |c| {
        c.certified = !c.certified;
    }),
    ("own:certificate", "claims are those of the mechanism", |c| c.claims[0].status = Status::Tested),
    ("own:certificate", "claims are those of the mechanism", |c| c.claims[0].spec.push('!')),
    ("own:certificate", "claims are those of the mechanism", |c| c.claims.push(c.claims[0].clone())),
    ("own:certificate", "claims are those of the mechanism", |c| c.claims[0] = c.claims[1].clone()),
    ("own:certificate", "claims are those of the mechanism", |c| drop(c.claims.pop())),
    ("own:budget-split", "shares are those of the mechanism", |c| c.ledger.shares[0].name.push('!')),
    ("own:budget-split", "shares are those of the mechanism", |c| c.ledger.shares.clear()),
    ("own:budget-split", "shares are those of the mechanism", |c| {
        c.ledger.shares.push(c.ledger.shares[0].clone());
    }),
    ("own:budget-split", "shares are positive", |c| c.ledger.shares[0].spent = 0.0),
    ("own:budget-split", "shares are positive", |c| c.ledger.shares[0].spent = -0.5),
    ("own:budget-split", "shares are positive", |c| c.ledger.shares[0].spent = f64::NAN),
    ("own:budget-split", "shares spend at most the total", |c| {
        c.ledger.shares[0].spent = c.ledger.shares[0].spent.next_up();
    }),
    ("own:budget-split", "shares spend at most the total", |c| {
        c.ledger.total = match c.ledger.total {
            Guarantee::Pure(total) => Guarantee::Pure(total.next_down()),
            Guarantee::Gaussian(total) => Guarantee::Gaussian(total.next_down()),
        };
    }),
    ("own:losses", "regulariser is positive", |c| c.problem.regulariser = -1.0),
    ("own:losses", "regulariser is positive", |c| c.problem.regulariser = 0.0),
    ("own:losses", "bounds are positive", |c| c.problem.feature_norm = 0.0),
    ("own:losses", "bounds are positive", |c| c.problem.target = -2.0),
    ("own:losses", "bounds are positive", |c| c.problem.max_rows = 0),
    ("own:losses", "bounds are positive", |c| c.problem.parameter_bound = Some(0.0)),
    ("own:losses", "bounds are positive", |c| c.problem.parameter_bound = Some(f64::NAN)),
    ("own:losses", "row norm covers features and intercept", |c| c.problem.row_norm = 2.0_f64.sqrt()),
    ("own:losses", "row norm covers features and intercept", |c| c.problem.feature_norm = 1.2),
    ("own:certified-minimiser", "tolerance is above twice the rounding", |c| {
        first(c).0.rounding = first(c).0.rounding.next_up();
    }),
    ("own:certified-minimiser", "tolerance is above twice the rounding", |c| {
        (first(c).0.tolerance, first(c).0.rounding) = (0.0, 0.0);
    }),
    ("own:certified-minimiser", "tolerance is above twice the rounding", |c| first(c).0.rounding = -1.0),
    ("lem:sensitivity_minimizer", "sensitivity covers G/Λ + 2τ", |c| {
        first(c).0.sensitivity = first(c).0.sensitivity.next_down();
    }),
    ("lem:sensitivity_minimizer", "sensitivity covers G/Λ + 2τ", |c| {
        first(c).0.lipschitz = first(c).0.lipschitz.next_up();
    }),
    ("lem:OutPert_DP", "noise of the minimiser is of the kind of the guarantee", |c| {
        *first(c).1 = match c.ledger.total {
            Guarantee::Pure(_) => Noise::RoundedNormal { exponent: -10, steps: 1 << 50 },
            Guarantee::Gaussian(_) => Noise::EuclideanLaplace { exponent: -10, steps: 1 << 50 },
        };
        // The claim has to follow, so that this clause is the first to fail.
        let (old, new): (&[&str], &str) = match c.ledger.total {
            Guarantee::Pure(_) => (&["own:discrete-laplace", "own:euclidean-laplace"], "own:rounded-normal"),
            Guarantee::Gaussian(_) => (&["own:rounded-normal"], "own:euclidean-laplace"),
        };
        let posterior = stages(c).is_some();
        let new = Claim { spec: new.into(), status: Status::Proved };
        match c.claims.iter_mut().find(|claim| old.contains(&claim.spec.as_str())) {
            // The last stage still has the old law.
            Some(_) if posterior => c.claims.push(new),
            Some(claim) => *claim = new,
            None => panic!("no claim about the noise"),
        }
    }),
    ("lem:OutPert_DP", "noise of the minimiser is of the kind of the guarantee", |c| *scale(first(c).1) = 0),
    ("lem:OutPert_DP", "noise of the minimiser covers its sensitivity and the rounding", |c| {
        *scale(first(c).1) -= 1;
    }),
    ("lem:OutPert_DP", "noise of the minimiser covers its sensitivity and the rounding", |c| {
        first(c).0.sensitivity = first(c).0.sensitivity.next_up();
    }),
    ("lem:OutPert_DP", "noise of the minimiser covers its sensitivity and the rounding", |c| {
        c.ledger.shares[0].spent = c.ledger.shares[0].spent.next_down();
    }),
];

/// Edits of what only the posterior mechanism has.
const POSTERIOR: &[(&str, &str, EditStages)] = &[
    ("own:certificate", "points have the dimension of the problem", |p| p.localisation.theta_0.clear()),
    ("own:lattice", "lattice steps are normal numbers", |p| *exponent(&mut p.asap.noise) = -1023),
    ("own:certificate", "expected rows are between 1 and the most", |p| p.expected_rows = 0),
    ("own:certificate", "expected rows are between 1 and the most", |p| p.expected_rows = 5),
    ("own:lattice", "noisy minimiser is on its lattice", |p| p.localisation.theta_0[0] += 1.0 / 2048.0),
    ("own:lattice", "noisy minimiser is on its lattice", |p| {
        p.localisation.theta_0[0] = 0.5_f64.next_up();
    }),
    ("own:lattice", "noisy minimiser is on its lattice", |p| p.localisation.theta_0[0] = f64::NAN),
    ("own:lattice", "noisy minimiser is on its lattice", |p| p.localisation.theta_0[0] = f64::NEG_INFINITY),
    ("own:ball", "centre norm covers θ_0", |p| p.reference.centre_norm = 0.559),
    ("own:ball", "centre norm covers θ_0", |p| p.localisation.theta_0[1] = -1.0),
    ("own:ball", "radius is positive", |p| p.reference.radius = 0.0),
    ("own:ball", "radius is positive", |p| p.reference.radius = f64::INFINITY),
    ("own:certificate", "gamma is positive", |p| p.reference.gamma = 0.0),
    ("own:certificate", "gamma is positive", |p| p.reference.gamma = f64::NAN),
    ("thm:asap_privacy", "error is positive", |p| p.asap.error = 0.0),
    ("thm:asap_privacy", "charge is not negative", |p| p.asap.charge = -f64::MIN_POSITIVE),
    ("thm:asap_privacy", "charge is not negative", |p| p.asap.charge = f64::NAN),
    ("thm:asap_privacy", "noise of the sample is of the kind of the guarantee", |p| {
        *scale(&mut p.asap.noise) = 0;
    }),
    ("thm:asap_privacy", "error is in the norm of its noise", |p| p.asap.norm = 3 - p.asap.norm),
    ("thm:asap_privacy", "error is in the norm of its noise", |p| p.asap.norm = 0),
    ("thm:asap_privacy", "noise of the sample covers twice the error and the rounding", |p| {
        *scale(&mut p.asap.noise) -= 1;
    }),
    ("thm:asap_privacy", "noise of the sample covers twice the error and the rounding", |p| {
        p.asap.error = p.asap.error.next_up();
    }),
];

/// Seals the edited certificate and expects this clause to be the one that fails.
pub(crate) fn expect(edited: Certificate, spec: &'static str, clause: &'static str, kind: &Kind) {
    let failed = Release::new(edited).check().map(|_| ()).unwrap_err();
    assert_eq!((failed.spec(), failed.clause()), (spec, clause), "{kind:?}");
}

#[test]
fn each_clause_fails_by_itself() {
    for kind in kinds() {
        let whole = certificate(&kind);
        Release::new(whole.clone()).check().unwrap_or_else(|failed| panic!("{kind:?}: {failed}"));
        for &(spec, clause, edit) in COMMON {
            let mut edited = whole.clone();
            edit(&mut edited);
            expect(edited, spec, clause, &kind);
        }
        for &(spec, clause, edit) in POSTERIOR {
            let mut edited = whole.clone();
            if let Some(posterior) = stages(&mut edited) {
                edit(posterior);
                expect(edited, spec, clause, &kind);
            }
        }
    }
}

#[test]
fn the_rest_by_kind() {
    for kind in kinds() {
        let whole = certificate(&kind);
        let mut edited = whole.clone();
        match &mut edited.problem.loss {
            Loss::Huber { delta } => *delta = -0.5,
            Loss::User { shape, .. } => *shape = Some(f64::INFINITY),
            Loss::Logistic | Loss::Squared => continue,
        }
        expect(edited, "own:losses", "loss has its parameters", &kind);
    }
    for kind in kinds() {
        let mut edited = certificate(&kind);
        let Some(posterior) = stages(&mut edited) else { continue };
        posterior.reference.gamma *= 1.000_000_000_001;
        if kind.pure {
            expect(edited, "lem:pure_DP_Post_Sam", "2γGB is at most ε", &kind);
        } else {
            expect(edited, "lem:GDP_Post_Sam", "γG² is at most μ²Λ", &kind);
        }
        let mut edited = certificate(&kind);
        let asap = &mut stages(&mut edited).unwrap().asap;
        asap.charge = asap.charge.next_up();
        if edited.numerics == Numerics::Rigorous {
            let clause = "charge for rounding is at most a quarter of the error";
            expect(edited, "own:rounding", clause, &kind);
        } else {
            Release::new(edited).check().unwrap();
        }
    }
}

/// A denominator of 0 would be an infinite scale, and buys nothing.
#[test]
fn a_scale_has_a_denominator() {
    let kind = "of the kind of the guarantee";
    for laplace in kinds().into_iter().filter(|kind| kind.pure && !kind.euclidean) {
        let mut edited = certificate(&laplace);
        let nothing = |noise: &mut Noise| match noise {
            Noise::DiscreteLaplace { denominator, .. } => *denominator = 0,
            _ => panic!("another law"),
        };
        nothing(first(&mut edited).1);
        assert!(Release::new(edited).check().unwrap_err().clause().ends_with(kind));
        let mut edited = certificate(&laplace);
        if let Some(posterior) = stages(&mut edited) {
            // A lattice does not hold what has no scale, and that is looked at first.
            nothing(&mut posterior.asap.noise);
            assert!(Release::new(edited).check().unwrap_err().clause().ends_with("64 scales of noise"));
        }
    }
}

/// θ̂ is on the lattice of the noise that released it.
#[test]
fn the_released_point_is_on_its_lattice() {
    for kind in kinds() {
        let clause = if kind.sampler.is_some() {
            "θ̂ is on its lattice"
        } else {
            "noisy minimiser is on its lattice"
        };
        // 2^53 steps of 2^−12 are 2^41, of 2^−10 they are 2^43.
        for bad in [1.0_f64.next_up(), 1.0 / 8192.0, -1.0 / 8192.0, f64::NAN, f64::INFINITY, 1.5e13, 5e-324] {
            let mut edited = certificate(&kind);
            edited.theta[2] = bad;
            expect(edited, "own:lattice", clause, &kind);
        }
        let end = if kind.sampler.is_some() { 2_199_023_255_552.0 } else { 7.0 };
        for good in [0.0, -0.0, 3.0 / 1024.0, -5.0, end] {
            let mut edited = certificate(&kind);
            edited.theta[2] = good;
            Release::new(edited).check().unwrap();
        }
    }
}

/// In steps of 2^−10: the bound of the minimisers, 1024 scales (of which a discrete Laplace law states three times as
/// many thirds) and three more. That many pass, one more does not.
#[test]
fn a_noisy_minimiser_is_cut() {
    for kind in kinds() {
        let whole = certificate(&kind);
        let (minimiser, noise, theta_0) = match &whole.mechanism {
            Mechanism::Output(output) => (&output.minimiser, output.noise, false),
            Mechanism::Posterior(stages) => (&stages.minimiser, stages.localisation.noise, true),
            _ => panic!("another mechanism"),
        };
        let scale = match noise {
            Noise::DiscreteLaplace { numerator, .. } => numerator / 3,
            Noise::RoundedNormal { steps, .. } | Noise::EuclideanLaplace { steps, .. } => steps,
        };
        let last = minimiser.bound * 1024.0 + 1024.0 * scale as f64 + 3.0;
        for (steps, holds) in [(last, true), (-last, true), (last + 1.0, false), (-last - 1.0, false)] {
            let mut edited = whole.clone();
            if let (true, Mechanism::Posterior(stages)) = (theta_0, &mut edited.mechanism) {
                stages.localisation.theta_0[1] = steps / 1024.0;
            } else {
                edited.theta[1] = steps / 1024.0;
            }
            let clause = Release::new(edited).check().err().map(|failed| failed.clause());
            let cut = clause == Some("noisy minimiser is within 1024 scales of where minimisers are");
            assert_eq!(cut, !holds, "{kind:?}: {clause:?}");
        }
    }
}

#[test]
fn columns_have_to_fit() {
    let kind = kinds().remove(0);
    let columns = |names: &[&str]| Schema::plain(names.iter().map(|&name| name.into()), "y");
    let release = crate::build::release(&kind);
    for names in [&["a", "b"][..], &["a", "b", "c", "d"], &[]] {
        let clause = "columns name every parameter";
        assert_eq!(release.clone().with_columns(columns(names)).unwrap_err().clause(), clause);
        let forced = Release { columns: Some(columns(names)), ..release.clone() }.seal();
        assert_eq!(forced.check().unwrap_err().clause(), clause);
    }
    release.with_columns(columns(&["a", "b", "c"])).unwrap().check().unwrap();
}
