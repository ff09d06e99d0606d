//! Objective perturbation: its exact law, its refusals and its audit. What it is worth: `objective_risk.rs`.
//!
//! Reference laws are quadrature of the density `ν(−J′(θ))·J″(θ)` on which the proof of privacy rests, or closed forms
//! of the law of b; J′ and J″ are computed here, record by record. The deep audit takes minutes:
//! `cargo test --release --test suite objective_perturbation:: -- --ignored`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_cmp,
    missing_docs,
    reason = "a test may stop"
)]

use crate::reference::{Outcome, gauss, kolmogorov_smirnov};
use asap_audit::{AuditSettings, Finding, Pair, Samples, TiltedCase, TiltedLoss, run, run_seed};
use asap_dp::loss::{Huber, Logistic, Loss, Squared};
use asap_dp::mechanism::{Mechanism, ObjectivePerturbation};
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::{Bounds, Learner, MechanismKind, OutOfBounds, Records, ReplayRng};

/// Smaller than the default of an audit, as in `audit.rs`.
const ALPHA: f64 = 1e-8;

fn learner(regulariser: f64) -> Learner {
    Learner::new(regulariser).mechanism(MechanismKind::Objective)
}

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::Pure(Epsilon::new(epsilon).unwrap())
}

/// A few records on a line, with public bounds 1.
#[derive(Clone)]
struct Line<L> {
    loss: L,
    regulariser: f64,
    records: Vec<[f64; 2]>,
}

impl<L: Loss> Line<L> {
    fn records(&self) -> Records<L> {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(100).unwrap();
        let (features, targets) = self.records.iter().map(|[x, y]| (*x, *y)).unzip();
        Records::with_dimension(self.loss, bounds, OutOfBounds::Refuse, 1, features, targets).unwrap()
    }

    /// J′ and J″.
    fn slope_and_bend(&self, theta: f64) -> [f64; 2] {
        let mut sums = [self.regulariser * theta, self.regulariser];
        for [x, y] in &self.records {
            sums[0] += x * self.loss.slope(x * theta, *y);
            sums[1] += x * x * self.loss.curvature(x * theta, *y);
        }
        sums
    }

    /// The distribution function of the density e^(−|J′(θ)|/s)·J″(θ) between two ends, by
    /// quadrature: kinks may be anywhere.
    fn law(&self, scale: f64, [from, to]: [f64; 2], with_jacobian: bool) -> impl Fn(f64) -> f64 {
        const CELLS: usize = 40_000;
        let density = |theta: f64| {
            let [slope, bend] = self.slope_and_bend(theta);
            (-slope.abs() / scale).exp() * if with_jacobian { bend } else { 1.0 }
        };
        let nodes: Vec<f64> = (0..=CELLS).map(|k| from + (to - from) * k as f64 / CELLS as f64).collect();
        let mut table = vec![0.0];
        for k in 0..CELLS {
            table.push(table[k] + gauss(nodes[k], nodes[k + 1], density));
        }
        let total = table[CELLS];
        move |theta: f64| {
            let right = nodes.partition_point(|node| *node <= theta).clamp(1, CELLS);
            let part = (theta.clamp(from, to) - nodes[right - 1]) / (nodes[right] - nodes[right - 1]);
            (table[right - 1] + part * (table[right] - table[right - 1])) / total
        }
    }

    /// Public fits, one for each seed.
    fn fits(&self, learner: &Learner, draws: u64) -> Vec<f64> {
        let records = self.records();
        let plan =
            learner.objective(&learner.problem(self.loss, records.bounds().clone(), 1).unwrap()).unwrap();
        let fit = |seed| plan.release(&records, &mut ReplayRng::new(seed)).unwrap().0.theta()[0];
        (0..draws).map(fit).collect()
    }

    fn scale(&self, learner: &Learner) -> f64 {
        let records = self.records();
        let problem = learner.problem(self.loss, records.bounds().clone(), 1).unwrap();
        learner.objective(&problem).unwrap().tilt().whole().unwrap().scale()
    }
}

fn logistic_line() -> Line<Logistic> {
    let records = vec![[0.9, 1.0], [0.5, -1.0], [1.0, 1.0], [-0.8, 1.0], [1.0, 1.0], [0.7, 1.0]];
    Line { loss: Logistic, regulariser: 0.3, records }
}

/// Releases have the density of the proof, under both neighbour relations; the same releases
/// refute a tilt of half the scale, a density without the Jacobian, and the other neighbour relation's tilt.
#[test]
fn one_dimension_has_the_density_of_the_proof() {
    let line = logistic_line();
    let ends = [-60.0, 60.0];
    for (learner, factor) in [
        (learner(0.3).epsilon(2.0).unwrap(), 1.0),
        (learner(0.3).epsilon(2.0).unwrap().neighbours(Neighbours::ReplaceOne), 2.0),
    ] {
        let (sample, scale) = (line.fits(&learner, 20_000), line.scale(&learner));
        // The largest ε_b with max_p p·ε_b/k + ln(1 + p(1 − p)/0.3) + (k − 1)·ε_b/k ≤ 0.99·ε,
        // on a grid, and G = 1 or 2.
        let price = |tilt: f64| {
            let one = tilt / factor;
            let at = |k: u32| (f64::from(k) / 2e4, f64::from(20_000 - k) / 2e4);
            let most = (0..=20_000).map(at).map(|(p, q)| p * one + (p * q / 0.3).ln_1p()).fold(0.0, f64::max);
            most + (factor - 1.0) * one
        };
        let (mut low, mut high) = (0.0, 2.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if price(middle) <= 0.99 * 2.0 { low = middle } else { high = middle }
        }
        let expected = factor / low;
        assert!((scale / expected - 1.0).abs() < 1e-7, "{scale} {expected}");
        let test = |scale: f64, with_jacobian| -> Outcome {
            kolmogorov_smirnov(&sample, line.law(scale, ends, with_jacobian))
        };
        let right = test(expected, true);
        assert!(right.accepted(), "{right:?}");
        assert!(!test(0.5 * expected, true).accepted(), "half the scale");
        assert!(!test(2.0 * expected, true).accepted(), "the other neighbour relation");
        assert!(!test(expected, false).accepted(), "no Jacobian");
    }
}

/// Kinks in the bulk: the change of variables is the area formula's.
#[test]
fn the_huber_loss_has_its_law() {
    let records = vec![[1.0, 0.6], [0.9, 0.5], [1.0, -0.8], [0.6, 0.2]];
    let line = Line { loss: Huber::new(0.25).unwrap(), regulariser: 1.2, records };
    let learner = learner(1.2).epsilon(2.0).unwrap();
    let (sample, scale) = (line.fits(&learner, 20_000), line.scale(&learner));
    let test = |scale, jacobian| kolmogorov_smirnov(&sample, line.law(scale, [-8.0, 8.0], jacobian));
    let right = test(scale, true);
    assert!(right.accepted(), "{right:?}");
    assert!(!test(0.5 * scale, true).accepted() && !test(scale, false).accepted());
}

/// On a small ball the law has atoms at both ends: their weights and the law between them.
#[test]
fn the_squared_loss_on_a_ball_has_its_law_and_its_atoms() {
    let radius = 0.5;
    let line = Line { loss: Squared, regulariser: 1.5, records: vec![[1.0, 0.7], [-0.5, 0.4], [0.8, 1.0]] };
    // So small a tolerance that the last noise does not blur the atoms.
    let learner = learner(1.5).epsilon(1.5).unwrap().parameter_bound(radius).tolerance(1e-9);
    let (sample, scale) = (line.fits(&learner, 20_000), line.scale(&learner));
    // G = ρ(ρR + Y), ε_b = 0.99·1.5 − ln(1 + 1/1.5).
    let expected = 1.5 / (1.485 - (5.0_f64 / 3.0).ln());
    assert!((scale / expected - 1.0).abs() < 1e-7, "{scale} {expected}");
    // θ ≤ t if and only if b ≥ −J′(t).
    let laplace = |x: f64| {
        let half = 0.5 * (-x.abs() / expected).exp();
        if x < 0.0 { half } else { 1.0 - half }
    };
    let cdf = |theta: f64| laplace(line.slope_and_bend(theta)[0]);
    let edge = radius - 1e-3;
    let (below, inside): (Vec<f64>, Vec<f64>) = sample.iter().partition(|theta| theta.abs() > edge);
    let at_the_left = below.iter().filter(|theta| **theta < 0.0).count() as f64;
    let (n, deviation) = (20_000.0, (20_000.0_f64 * (2.0 / crate::reference::LEVEL).ln() / 2.0).sqrt());
    // Hoeffding.
    assert!((at_the_left - n * cdf(-edge)).abs() <= deviation, "{at_the_left} {}", n * cdf(-edge));
    let at_the_right = below.len() as f64 - at_the_left;
    assert!((at_the_right - n * (1.0 - cdf(edge))).abs() <= deviation, "{at_the_right}");
    assert!(at_the_left > 1000.0 && at_the_right > 1000.0 && inside.len() > 1000, "all three are seen");
    let conditional = |theta: f64| (cdf(theta) - cdf(-edge)) / (cdf(edge) - cdf(-edge));
    let right = kolmogorov_smirnov(&inside, conditional);
    assert!(right.accepted(), "{right:?}");
    // The tilt of half the scale has other atoms.
    let wrong = 0.5 * (-(-line.slope_and_bend(-edge)[0]).abs() / (0.5 * expected)).exp();
    assert!((at_the_left - n * wrong).abs() > deviation);
}

/// Three dimensions, all records along one axis: each coordinate of ∇J at the release has the marginal law of b, whose
/// distribution function is 1 − (x + 2s)·e^(−x/s)/(4s) for x ≥ 0, and its norm the gamma law of shape 3.
#[test]
fn three_dimensions_have_the_law_of_the_tilt() {
    let line = logistic_line();
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(100).unwrap();
    let features = line.records.iter().flat_map(|[x, _]| [*x, 0.0, 0.0]).collect();
    let targets = line.records.iter().map(|[_, y]| *y).collect();
    let records = Records::new(Logistic, bounds.clone(), OutOfBounds::Refuse, features, targets).unwrap();
    let learner = learner(0.3).epsilon(2.0).unwrap();
    let plan = learner.objective(&learner.problem(Logistic, bounds, 3).unwrap()).unwrap();
    let scale = plan.tilt().whole().unwrap().scale();
    let marginal = |x: f64| {
        let tail = (x.abs() + 2.0 * scale) * (-x.abs() / scale).exp() / (4.0 * scale);
        if x < 0.0 { tail } else { 1.0 - tail }
    };
    let gamma = |r: f64| 1.0 - (-r / scale).exp() * (1.0 + r / scale + 0.5 * (r / scale).powi(2));
    let slopes: Vec<[f64; 3]> = (0..20_000)
        .map(|seed| {
            let (release, _) = plan.release(&records, &mut ReplayRng::new(seed)).unwrap();
            let theta = release.theta();
            [line.slope_and_bend(theta[0])[0], 0.3 * theta[1], 0.3 * theta[2]]
        })
        .collect();
    for j in 0..3 {
        let sample: Vec<f64> = slopes.iter().map(|slope| -slope[j]).collect();
        let outcome = kolmogorov_smirnov(&sample, marginal);
        assert!(outcome.accepted(), "{j}: {outcome:?}");
        assert!(!kolmogorov_smirnov(&sample, |x| marginal(1.3 * x)).accepted(), "another scale");
    }
    let norms: Vec<f64> =
        slopes.iter().map(|slope| slope.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
    assert!(kolmogorov_smirnov(&norms, gamma).accepted());
    assert!(!kolmogorov_smirnov(&norms, |r| gamma(1.2 * r)).accepted());
}

fn two_records<L: Loss>(loss: L) -> Records<L> {
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(1000).unwrap();
    Records::new(loss, bounds, OutOfBounds::Clip, vec![0.5, 0.1, -0.7, 0.2], vec![1.0, -1.0]).unwrap()
}

/// Every kind of certificate holds; the checker knows the shares, the conversion and the
/// Jacobian by its own arithmetic.
#[test]
fn certificates_hold_for_every_loss_relation_and_guarantee() {
    fn holds<L: Loss>(loss: L) {
        let records = two_records(loss);
        for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
            for guarantee in [pure(1.0), Guarantee::Gaussian(Mu::new(1.0).unwrap()), pure(0.01), pure(30.0)] {
                let learner = learner(150.0).guarantee(guarantee).neighbours(neighbours).parameter_bound(2.0);
                let release = learner.fit(&records, &mut ReplayRng::new(5)).unwrap();
                let certificate = release.certificate();
                release.check().unwrap();
                assert!(certificate.certified && certificate.numerics == asap_contracts::Numerics::Rigorous);
                let names: Vec<&str> =
                    certificate.ledger.shares.iter().map(|share| share.name.as_str()).collect();
                if matches!(guarantee, Guarantee::Gaussian(_)) && loss.slope_keeps_sign() {
                    // tests/gaussian_tilt.rs
                    assert_eq!((names, certificate.ledger.converted), (vec!["tilt", "asap"], None));
                    continue;
                }
                // κ = 1/150 beside 0.99·ε, or half of it: only the smallest ε of two changed
                // losses pays for its Jacobian.
                let small = guarantee == pure(0.01) && neighbours == Neighbours::ReplaceOne;
                let logistic = matches!(certificate.problem.loss, asap_contracts::Loss::Logistic);
                let paid: &[&str] =
                    if logistic && !small { &["tilt", "asap"] } else { &["tilt", "jacobian", "asap"] };
                assert_eq!(names, paid);
                match certificate.ledger.converted {
                    Some(epsilon) => assert!((0.80696..0.80697).contains(&epsilon), "{epsilon}"),
                    None => assert!(matches!(guarantee, Guarantee::Pure(_))),
                }
            }
        }
    }
    holds(Logistic);
    holds(Squared);
    holds(Huber::new(0.5).unwrap());
}

/// One number at a time, sealed again: the clause that looks at it says so.
#[test]
fn forged_certificates_are_refused() {
    use asap_contracts::{Certificate, Mechanism as Body, Noise, ObjectivePerturbation as Objective, Tilt};
    fn body(certificate: &mut Certificate) -> &mut Objective {
        let Body::Objective(objective) = &mut certificate.mechanism else { panic!("objective") };
        objective
    }
    type Edit = fn(&mut Certificate);
    let learner = learner(5.0).mu(1.0).unwrap().neighbours(Neighbours::ReplaceOne).parameter_bound(2.0);
    let genuine = learner.fit(&two_records(Huber::new(0.5).unwrap()), &mut ReplayRng::new(5)).unwrap();
    let edits: [(&str, Edit); 14] = [
        ("converted ε", |it| it.ledger.converted = it.ledger.converted.map(|e| e * (1.0 + 1e-9))),
        ("converted ε", |it| it.ledger.total = asap_contracts::Guarantee::Pure(1.0)),
        ("shares spend at most", |it| it.ledger.shares[2].spent *= 1.0 + 1e-9),
        ("share of the Jacobian", |it| {
            it.ledger.shares[1].spent *= 1.0 - 1e-9;
        }),
        ("tilt covers", |it| it.ledger.shares[0].spent *= 1.0 - 1e-9),
        ("tilt covers", |it| {
            let Tilt::Whole(Noise::EuclideanLaplace { steps, .. }) = &mut body(it).tilt else {
                panic!("Euclidean")
            };
            *steps -= 1 + *steps / (1 << 30);
        }),
        ("tilt has a law of the kind", |it| {
            body(it).tilt = Noise::DiscreteLaplace { exponent: 0, numerator: 1000, denominator: 1 }.into();
        }),
        ("Lipschitz constant on the ball", |it| body(it).lipschitz *= 0.5),
        ("smoothness of the loss", |it| body(it).smoothness *= 1.0 - 1e-9),
        ("radius is positive", |it| body(it).radius = 0.0),
        ("search is in the ball", |it| body(it).radius = 1.0),
        ("charge for rounding", |it| body(it).asap.charge = body(it).asap.error),
        ("noise of the sample covers", |it| body(it).asap.error *= 1.01),
        ("expected rows", |it| body(it).expected_rows = 0),
    ];
    for (clause, edit) in edits {
        let mut certificate = genuine.certificate().clone();
        edit(&mut certificate);
        // The claims of a law that was exchanged go with it.
        let failed = asap_contracts::Release::new(certificate).check().unwrap_err().to_string();
        let expected =
            failed.contains(clause) || (clause.contains("law of the kind") && failed.contains("claims"));
        assert!(expected, "{clause}: {failed}");
    }
    let replaced = genuine.certificate().clone();
    let mut added = replaced;
    // A tilt for one changed loss where two change.
    added.neighbours = asap_contracts::Neighbours::AddRemove;
    asap_contracts::Release::new(added.clone()).check().unwrap();
    let Body::Objective(objective) = &mut added.mechanism else { panic!("objective") };
    objective.lipschitz *= 0.5;
    asap_contracts::Release::new(added.clone()).check().unwrap();
    added.neighbours = asap_contracts::Neighbours::ReplaceOne;
    assert!(asap_contracts::Release::new(added).check().is_err());
    assert_eq!(genuine.columns(), None);
}

#[test]
fn what_cannot_be_planned_is_refused_and_says_what_is_needed() {
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
    let plan = |learner: Learner| -> Result<ObjectivePerturbation<Squared>, _> {
        learner.objective(&learner.problem(Squared, bounds.clone(), 2)?)
    };
    let text = plan(learner(50.0).epsilon(1.0).unwrap()).unwrap_err().to_string();
    assert!(text.starts_with("parameter bound must be ") && text.contains("grows without a bound"), "{text}");
    // β = 1: the smallest Λ is 1/(e^0.98 − 1) = 0.6008, and it works.
    let small = learner(0.5).epsilon(1.0).unwrap().parameter_bound(1.0);
    let text = plan(small).unwrap_err().to_string();
    let (_, named) = text.split_once("smallest_that_works = ").unwrap();
    let smallest: f64 = named.parse().unwrap();
    assert!((smallest - 0.600_796_8).abs() < 1e-6 && text.contains("regulariser = 5e-1"), "{text}");
    plan(learner(smallest).epsilon(1.0).unwrap().parameter_bound(1.0)).unwrap();
    assert!(plan(learner(smallest.next_down()).epsilon(1.0).unwrap().parameter_bound(1.0)).is_err());
    for bad in [1e-200, 1e200] {
        assert!(plan(learner(50.0).epsilon(1.0).unwrap().parameter_bound(bad)).is_err(), "{bad}");
    }
    let tight = learner(50.0).epsilon(1.0).unwrap().parameter_bound(1.0).tolerance(1e-17);
    assert!(plan(tight).unwrap_err().to_string().contains("own:certified-minimiser"));
    assert!(plan(learner(50.0).epsilon(1.0).unwrap().parameter_bound(1.0).expected_rows(0)).is_err());
}

fn settings(guarantee: Guarantee, regulariser: f64) -> AuditSettings {
    AuditSettings {
        alpha: ALPHA,
        seed: Some(7),
        mechanism: MechanismKind::Objective,
        regulariser,
        ..AuditSettings::new(guarantee)
    }
}

/// One audit of a plan against a claim.
fn audited(case: &TiltedCase, claim: Guarantee, runs: u64) -> Finding {
    let on = |side: u64| {
        move |run| {
            let seen = case.outcome(usize::from(side == 1), Some(run_seed(3, side, run)));
            seen.map(|observed| observed.score)
        }
    };
    let samples = Samples::draw(runs, on(0), on(1)).unwrap();
    Finding::new("objective", "pair", claim, &samples, ALPHA)
}

/// Λ = 2 and β = 1: the Jacobian takes 0.405 of ε = 1.
#[test]
fn a_short_audit_does_not_contradict_and_sees_what_is_wrong() {
    let (claim, runs) = (pure(1.0), 40_000);
    let settings = settings(claim, 2.0);
    let mut best: f64 = 0.0;
    for pair in [Pair::AddedToNothing, Pair::AddedToOne, Pair::Replaced] {
        let row = audited(&TiltedCase::new(&settings, pair).unwrap(), claim, runs);
        assert!(!row.contradicted, "{pair}: {:?}", row.bound);
        best = best.max(row.bound.lower);
    }
    assert!(best > 0.6, "the audit has power: {best}");
    let jacobian = 1.5_f64.ln();
    let wrong = |total: f64, pair, planned| {
        let settings = AuditSettings { guarantee: pure(total), ..settings.clone() };
        audited(&TiltedCase::with_plan_for(&settings, pair, planned).unwrap(), claim, runs)
    };
    // ε_b of a plan is 0.99·ε minus the Jacobian's share.
    let left_out = wrong(1.0 + jacobian / 0.99, Pair::Replaced, Pair::Replaced);
    assert!(left_out.contradicted, "the Jacobian's share left out: {:?}", left_out.bound);
    let half = wrong(2.0 - jacobian / 0.99, Pair::Replaced, Pair::Replaced);
    assert!(half.contradicted, "a tilt of half the scale: {:?}", half.bound);
    let other = wrong(1.0, Pair::Replaced, Pair::AddedToNothing);
    assert!(other.contradicted, "replace-one treated as add/remove: {:?}", other.bound);
}

/// 10⁵ runs on every pair: pure, converted and with a normal tilt.
#[test]
#[ignore = "minutes"]
fn the_deep_audit_does_not_contradict() {
    for guarantee in [pure(1.0), Guarantee::Gaussian(Mu::new(1.0).unwrap())] {
        for (regulariser, dimension) in [(2.0, 1), (10.0, 1), (2.0, 3)] {
            for loss in [TiltedLoss::Huber, TiltedLoss::Logistic] {
                let settings = AuditSettings { dimension, loss, ..settings(guarantee, regulariser) };
                let report = run(&settings).unwrap();
                println!("{}", report.to_text());
                assert!(!report.contradicted());
            }
        }
    }
}
