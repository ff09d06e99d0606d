//! Certificates of objective perturbation, every number worked out here, and each clause broken by itself.
//!
//! d = 4, ρ = 1.5, Λ = 8, |y| ≤ 2, R = 2. G for one loss: logistic 1.5; squared 1.5·(1.5·2 + 2) = 7.5; Huber, δ = ½,
//! 0.75; a user's word 3. β: 1.5²/4 = 0.5625 for the logistic loss, 1.5² for the others.
//! ln(1 + 0.5625/8) = 0.0679506619085077494…, ln(1 + 2.25/8) = 0.24783616390458125678…, each rounded up to the next
//! f64. Shares: tilt ½, asap ¼, so that ε = 1 is not exceeded. Tilt: G = ½·s·2⁻¹⁰ is s = 2048·G steps. Last stage:
//! lattice 2⁻¹⁰, Δ = 15·2⁻¹⁰, half of it charged: 4·(2·15 + 2) = 128 steps. All are equalities.
//! μ = 1.2320353853449009… allows ε = 1.

use crate::build;
use asap_contracts::*;

/// μ for ε = 1, by another program with 50 digits.
const MU: f64 = 1.23203538534490097;

fn cases() -> Vec<(Loss, Neighbours, bool)> {
    let relations = [Neighbours::AddRemove, Neighbours::ReplaceOne];
    let kinds =
        |loss: &Loss| relations.map(|relation| [true, false].map(|pure| (loss.clone(), relation, pure)));
    build::losses().iter().flat_map(kinds).flatten().collect()
}

pub(crate) fn certificate((loss, neighbours, pure): &(Loss, Neighbours, bool)) -> Certificate {
    let (one, smoothness, jacobian) = match loss {
        Loss::Logistic => (1.5, 0.5625, 0.06795066190850775),
        Loss::Squared => (7.5, 2.25, 0.24783616390458127),
        Loss::Huber { .. } => (0.75, 2.25, 0.24783616390458127),
        Loss::User { .. } => (3.0, 2.25, 0.24783616390458127),
    };
    let lipschitz = if *neighbours == Neighbours::ReplaceOne { 2.0 * one } else { one };
    let kind = build::Kind {
        loss: loss.clone(),
        neighbours: *neighbours,
        pure: true,
        sampler: None,
        euclidean: true,
    };
    let mut certificate = build::certificate(&kind);
    let share = |name: &str, spent| Share { name: name.into(), spent };
    certificate.ledger = Ledger {
        total: if *pure { Guarantee::Pure(1.0) } else { Guarantee::Gaussian(MU * (1.0 + 1e-12)) },
        converted: (!pure).then_some(1.0),
        shares: vec![share("tilt", 0.5), share("jacobian", jacobian), share("asap", 0.25)],
    };
    certificate.problem.parameter_bound = Some(2.0);
    let steps: [u32; 6] = [1536, 3072, 6144, 12288, 15360, 30720];
    let steps = *steps.iter().find(|steps| f64::from(**steps) == 2048.0 * lipschitz).unwrap();
    certificate.mechanism = Mechanism::Objective(ObjectivePerturbation {
        expected_rows: 3,
        radius: 2.0,
        lipschitz,
        smoothness,
        jacobian: None,
        price: Price::Apart,
        tilt: Noise::EuclideanLaplace { exponent: -10, steps: steps.into() }.into(),
        asap: Asap {
            norm: 2,
            error: 15.0 / 1024.0,
            charge: 7.5 / 1024.0,
            noise: Noise::EuclideanLaplace { exponent: -10, steps: 128 },
        },
    });
    certificate
        .claims
        .retain(|claim| !matches!(&*claim.spec, "lem:sensitivity_minimizer" | "lem:OutPert_DP"));
    let more = ["own:objective-perturbation", "lem:adaptive_composition", "thm:asap_privacy"];
    let converted = (!pure).then_some("lem:convert_pure_G_DP");
    for spec in more.into_iter().chain(converted) {
        certificate.claims.push(Claim { spec: spec.into(), status: Status::Proved });
    }
    certificate
}

/// The law of a tilt that has one only.
fn one_law(objective: &mut ObjectivePerturbation) -> &mut Noise {
    match &mut objective.tilt {
        Tilt::Whole(noise) => noise,
        Tilt::Blocks(_) => panic!("blocks"),
    }
}

pub(crate) fn body(certificate: &mut Certificate) -> &mut ObjectivePerturbation {
    let Mechanism::Objective(objective) = &mut certificate.mechanism else {
        panic!("objective perturbation")
    };
    objective
}

pub(crate) fn failure(certificate: Certificate) -> &'static str {
    Release::new(certificate).check().map(|_| ()).unwrap_err().clause()
}

type Edit = (&'static str, fn(&mut Certificate));

const EDITS: &[Edit] = &[
    ("shares are those of the mechanism", |it| it.ledger.shares[1].name = "posterior".into()),
    ("shares are positive", |it| it.ledger.shares[2].spent = 0.0),
    ("shares spend at most the total", |it| it.ledger.shares[0].spent = 0.75),
    ("numerics are those of the mechanism", |it| it.numerics = Numerics::RealArithmeticOnly),
    ("lattice steps are normal numbers", |it| *build::exponent(one_law(body(it))) = -1023),
    ("expected rows are between 1 and the most", |it| body(it).expected_rows = 0),
    ("expected rows are between 1 and the most", |it| body(it).expected_rows = 5),
    ("radius is positive", |it| body(it).radius = 0.0),
    ("search is in the ball of the parameter bound", |it| it.problem.parameter_bound = Some(2.5)),
    ("tilt has a law of the kind of the guarantee in the 2-norm, or for each block", |it| {
        body(it).tilt = Noise::EuclideanLaplace { exponent: -10, steps: 0 }.into();
    }),
    ("Jacobian is stated once", |it| body(it).jacobian = Some(0.25)),
    ("tilt covers the Lipschitz constant", |it| *build::scale(one_law(body(it))) -= 1),
    ("tilt covers the Lipschitz constant", |it| it.ledger.shares[0].spent = 0.5_f64.next_down()),
    ("tilt covers the Lipschitz constant", |it| body(it).lipschitz = body(it).lipschitz.next_up()),
    ("share of the Jacobian is at least ln(1 + β/Λ)", |it| {
        it.ledger.shares[1].spent = it.ledger.shares[1].spent.next_down();
    }),
    ("error is in the 2-norm", |it| body(it).asap.norm = 1),
    ("error is positive", |it| body(it).asap.error = 0.0),
    ("charge for rounding is at most half of the error", |it| {
        body(it).asap.charge = (7.5_f64 / 1024.0).next_up();
    }),
    ("noise of the sample covers twice the error and the rounding", |it| {
        *build::scale(&mut body(it).asap.noise) -= 1;
    }),
    ("noise of the sample covers twice the error and the rounding", |it| {
        it.ledger.shares[2].spent = 0.25_f64.next_down();
    }),
    ("θ̂ is on its lattice", |it| it.theta[0] = 0.5 / 1024.0),
];

#[test]
fn each_clause_of_a_tilt_fails_by_itself() {
    for case in cases() {
        let whole = certificate(&case);
        Release::new(whole.clone()).check().unwrap_or_else(|failed| panic!("{case:?}: {failed}"));
        for (clause, edit) in EDITS {
            let mut edited = whole.clone();
            edit(&mut edited);
            assert_eq!(failure(edited), *clause, "{case:?}");
        }
        if case.0 != build::losses()[3] {
            let mut edited = whole.clone();
            body(&mut edited).lipschitz = body(&mut edited).lipschitz.next_down();
            assert_eq!(failure(edited), "Lipschitz constant on the ball", "{case:?}");
            let mut edited = whole.clone();
            body(&mut edited).smoothness = body(&mut edited).smoothness.next_down();
            assert_eq!(failure(edited), "smoothness of the loss", "{case:?}");
        }
        // Without a parameter bound any public ball will do.
        let mut anywhere = whole.clone();
        anywhere.problem.parameter_bound = None;
        Release::new(anywhere).check().unwrap();
    }
}

/// A Gaussian tilt: μ = 2, ε of the Jacobian ¼ at the price 321/256 for each changed loss, so that ½ is left of the
/// tilt's share for the same number of steps; ¼ for the last stage.
pub(crate) fn gaussian((loss, neighbours, _): &(Loss, Neighbours, bool)) -> Certificate {
    let mut certificate = certificate(&(loss.clone(), *neighbours, true));
    let changed = if *neighbours == Neighbours::ReplaceOne { 2.0 } else { 1.0 };
    let share = |name: &str, spent| Share { name: name.into(), spent };
    certificate.ledger = Ledger {
        total: Guarantee::Gaussian(2.0),
        converted: None,
        shares: vec![share("tilt", 0.5 + changed * 321.0 / 1024.0), share("asap", 0.25)],
    };
    body(&mut certificate).jacobian = Some(0.25);
    let steps = *build::scale(one_law(body(&mut certificate)));
    body(&mut certificate).tilt = Noise::RoundedNormal { exponent: -10, steps }.into();
    body(&mut certificate).asap.noise = Noise::RoundedNormal { exponent: -10, steps: 128 };
    certificate.claims.retain(|claim| claim.spec != "own:euclidean-laplace");
    for spec in ["own:rounded-normal", "own:gaussian-tilt"] {
        certificate.claims.push(Claim { spec: spec.into(), status: Status::Proved });
    }
    certificate
}

const GAUSSIAN_EDITS: &[Edit] = &[
    ("shares are those of the mechanism", |it| it.ledger.shares[1].name = "jacobian".into()),
    ("shares spend at most the total", |it| it.ledger.total = Guarantee::Gaussian(0.75)),
    ("claims are those of the mechanism", |it| it.claims.retain(|claim| claim.spec != "own:gaussian-tilt")),
    ("tilt has a law of the kind of the guarantee in the 2-norm, or for each block", |it| {
        body(it).tilt = Noise::RoundedNormal { exponent: -10, steps: 0 }.into();
    }),
    ("share of the Jacobian is at least ln(1 + β/Λ)", |it| body(it).jacobian = None),
    ("tilt covers the Lipschitz constant", |it| body(it).jacobian = Some(f64::NAN)),
    ("tilt covers the Lipschitz constant", |it| body(it).jacobian = Some(-0.25)),
    ("tilt covers the Lipschitz constant", |it| body(it).jacobian = Some(0.25_f64.next_up())),
    ("tilt covers the Lipschitz constant", |it| *build::scale(one_law(body(it))) -= 1),
    ("tilt covers the Lipschitz constant", |it| {
        it.ledger.shares[0].spent = it.ledger.shares[0].spent.next_down();
    }),
    ("tilt covers the Lipschitz constant", |it| body(it).lipschitz = body(it).lipschitz.next_up()),
    ("noise of the sample covers twice the error and the rounding", |it| {
        it.ledger.shares[1].spent = 0.25_f64.next_down();
    }),
];

#[test]
fn each_clause_of_a_gaussian_tilt_fails_by_itself() {
    for case in cases().into_iter().filter(|(_, _, pure)| *pure) {
        let whole = gaussian(&case);
        if matches!(case.0, Loss::Squared | Loss::Huber { .. }) {
            assert_eq!(failure(whole), "slope of the loss keeps its sign", "{case:?}");
            continue;
        }
        Release::new(whole.clone()).check().unwrap_or_else(|failed| panic!("{case:?}: {failed}"));
        for (clause, edit) in GAUSSIAN_EDITS {
            let mut edited = whole.clone();
            edit(&mut edited);
            assert_eq!(failure(edited), *clause, "{case:?}");
        }
        // The logarithm is what is compared: the next f64 above it is enough, the one below is not.
        let mut edited = whole.clone();
        let least = if case.0 == Loss::Logistic { 0.06795066190850775 } else { 0.24783616390458127 };
        body(&mut edited).jacobian = Some(least);
        Release::new(edited.clone()).check().unwrap();
        body(&mut edited).jacobian = Some(f64::from_bits(least.to_bits() - 1));
        assert_eq!(failure(edited), "share of the Jacobian is at least ln(1 + β/Λ)", "{case:?}");
        // One changed loss paid for where two change.
        if case.1 == Neighbours::AddRemove {
            let mut edited = whole.clone();
            edited.neighbours = Neighbours::ReplaceOne;
            body(&mut edited).lipschitz *= 2.0;
            *build::scale(one_law(body(&mut edited))) *= 2;
            assert_eq!(failure(edited), "tilt covers the Lipschitz constant");
        }
    }
}

/// The conversion is decided to far better than one part in 10⁹, and it is not there for nothing.
#[test]
fn a_converted_budget_is_decided() {
    let clause = "converted ε is at most ln(Φ(μ/2)/Φ(−μ/2))";
    for case in cases().into_iter().filter(|(_, _, pure)| !pure) {
        let whole = certificate(&case);
        for bad in [1.0 + 1e-11, 2.0, f64::NAN, f64::INFINITY, -1.0] {
            let mut edited = whole.clone();
            edited.ledger.converted = Some(bad);
            assert_eq!(failure(edited), clause, "{bad}");
        }
        for total in
            [Guarantee::Gaussian(MU * (1.0 - 1e-11)), Guarantee::Pure(10.0), Guarantee::Gaussian(f64::NAN)]
        {
            let mut edited = whole.clone();
            edited.ledger.total = total;
            assert_eq!(failure(edited), clause, "{total:?}");
        }
        // The shares are parts of the ε underneath, not of the total.
        let mut edited = whole.clone();
        edited.ledger.converted = Some(0.75);
        assert_eq!(failure(edited), "shares spend at most the total");
        // Without the conversion a Gaussian total buys nothing with Laplace noise, and the claims say something else.
        let mut edited = whole.clone();
        edited.ledger.converted = None;
        assert_eq!(failure(edited.clone()), "claims are those of the mechanism");
        edited.claims.retain(|claim| claim.spec != "lem:convert_pure_G_DP");
        edited.claims.push(Claim { spec: "own:gaussian-tilt".into(), status: Status::Proved });
        assert_eq!(failure(edited.clone()), "shares are those of the mechanism");
        edited.ledger.shares.remove(1);
        let normal_wanted = "tilt has a law of the kind of the guarantee in the 2-norm, or for each block";
        assert_eq!(failure(edited), normal_wanted);
    }
}

/// Any pure mechanism may serve a Gaussian total.
#[test]
fn a_pure_release_may_be_converted() {
    for kind in build::kinds().into_iter().filter(|kind| kind.pure) {
        let mut converted = build::certificate(&kind);
        converted.ledger.total = Guarantee::Gaussian(MU * (1.0 + 1e-12));
        converted.ledger.converted = Some(1.0);
        let claim = Claim { spec: "lem:convert_pure_G_DP".into(), status: Status::Proved };
        converted.claims.push(claim);
        let Guarantee::Pure(epsilon) = build::certificate(&kind).ledger.total else { panic!("pure") };
        assert!(epsilon <= 1.0, "as much as is converted");
        Release::new(converted.clone()).check().unwrap_or_else(|failed| panic!("{kind:?}: {failed}"));
        converted.ledger.converted = Some(1.0 + 1e-11);
        assert!(Release::new(converted).check().is_err());
    }
}

#[test]
fn no_number_of_a_tilt_may_be_negative_or_not_finite() {
    fn numbers(it: &mut Certificate) -> Vec<&mut f64> {
        let Mechanism::Objective(ObjectivePerturbation { radius, lipschitz, smoothness, asap, .. }) =
            &mut it.mechanism
        else {
            panic!("objective perturbation")
        };
        let mut all = vec![radius, lipschitz, smoothness, &mut asap.error, &mut asap.charge];
        all.extend(it.ledger.shares.iter_mut().map(|share| &mut share.spent));
        all.extend(it.ledger.converted.as_mut());
        all
    }
    for case in cases() {
        let mut whole = certificate(&case);
        for k in 0..numbers(&mut whole).len() {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -f64::from_bits(1)] {
                let mut edited = whole.clone();
                *numbers(&mut edited)[k] = bad;
                assert!(!failure(edited).contains("digest"), "{case:?}, number {k}, {bad}");
            }
            // Absurd sizes are judged quickly.
            for extreme in [f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1)] {
                let mut edited = whole.clone();
                *numbers(&mut edited)[k] = extreme;
                let _ = Release::new(edited).check();
            }
        }
    }
}

/// The charge of objective perturbation, derived again by the formula of the page: Λ·charge is at least δ + √d·g/2 +
/// u·L·((12 + ⌈log₂ d⌉)·R + 2A). The lattice of the tilt is so fine that every term counts, and each of the first
/// two is a tenth of the rest at least in one of the cases. For a mutant that survived: the product of δ and the
/// rest in place of their sum.
#[test]
fn the_charge_of_a_tilt_is_derived_again() {
    const CLAUSE: &str =
        "charge covers the gradients of the largest data set, the tilt's lattice and the updates";
    let pure = |case: &(Loss, Neighbours, bool)| case.2 && !matches!(case.0, Loss::User { .. });
    for case in cases().into_iter().filter(pure) {
        for (rows, dimension, fine) in [
            (4, 4, 40),
            (1, 1, 40),
            (1000, 5, 30),
            (1_000_000, 4, 30),
            (50_000, 1025, 38),
            (10_u64.pow(11), 3, 30),
        ] {
            let mut c = certificate(&case);
            (c.problem.max_rows, c.problem.dimension) = (rows, dimension);
            c.theta = vec![0.0; usize::try_from(dimension).unwrap()];
            body(&mut c).expected_rows = 1;
            let radius = body(&mut c).radius;
            let Noise::EuclideanLaplace { exponent, steps } = one_law(body(&mut c)) else {
                panic!("one law")
            };
            (*exponent, *steps) = (-10 - fine, *steps << fine);
            let (step, problem) = (2_f64.powi(*exponent), c.problem.clone());
            let row = problem.row_norm;
            let [slope, curvature] = match problem.loss {
                Loss::Logistic => [1.0, 0.25],
                Loss::Squared => [row * radius + problem.target, 1.0],
                Loss::Huber { delta } => [delta, 1.0],
                Loss::User { .. } => panic!("unknown"),
            };
            let pull = (slope / (curvature * row)).max(radius);
            let halvings = (dimension as f64).log2().ceil();
            let unit = f64::EPSILON / 2.0;
            let updates =
                unit * crate::charges::smoothness(&problem) * ((12.0 + halvings) * radius + 2.0 * pull);
            let lattice = (dimension as f64).sqrt() * step / 2.0;
            let needed =
                (crate::charges::gradient(&problem, radius) + updates + lattice) / problem.regulariser;
            for (part, refused) in [(1.0 + 1e-11, false), (1.0 - 1e-11, true)] {
                let asap = &mut body(&mut c).asap;
                asap.charge = needed * part;
                (asap.error, asap.noise) = (1.0, Noise::EuclideanLaplace { exponent: -10, steps: 1 << 30 });
                let found = Release::new(c.clone()).check().err().map(|failed| failed.clause());
                assert_eq!(found == Some(CLAUSE), refused, "{case:?} {rows} {dimension}: {found:?}");
            }
        }
    }
}

/// For a mutant that survived: how the Jacobian is paid for is written unless it is paid apart.
#[test]
fn the_price_is_in_the_file() {
    let mut it = certificate(&(Loss::Logistic, Neighbours::AddRemove, true));
    assert!(!Release::new(it.clone()).to_json().contains("\"price\""));
    for price in [Price::Tied, Price::Free] {
        body(&mut it).price = price;
        let text = Release::new(it.clone()).to_json();
        assert!(text.contains("\"price\""));
        assert_eq!(Release::from_json(&text).map(|read| read.certificate), Ok(it.clone()));
    }
}
