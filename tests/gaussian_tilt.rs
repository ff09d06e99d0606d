//! Objective perturbation with a Gaussian tilt: its law, its privacy curve by quadrature, its audit and its refusals.
//!
//! J′ and J″ are computed here, record by record; the law of a release is quadrature of `ν(−J′(θ))·J″(θ)`, ν normal.
//! The privacy curves are hockey-stick divergences of two such laws: the theorem of own:gaussian-tilt, tried on the
//! records that come closest to it. Every statistical test rejects a fault and is listed in `statistics/suite.rs`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp, missing_docs, reason = "a test may stop")]

use crate::reference::{LineLaw, gauss, kolmogorov_smirnov};
use asap_audit::{AuditSettings, Finding, Pair, Samples, TiltedCase, run, run_seed};
use asap_dp::calibrate::JACOBIAN_PRICE;
use asap_dp::loss::{Logistic, Loss};
use asap_dp::mechanism::{Mechanism, ObjectivePerturbation, ObjectiveSettings};
use asap_dp::noise::Law;
use asap_dp::prediction::Guess;
use asap_dp::privacy::{Guarantee, Mu, Neighbours, gaussian_hockey_stick};
use asap_dp::{Bounds, Learner, MechanismKind, OutOfBounds, Records, ReplayRng};

/// The loss of the worst case: slope −1 up to 0, then rising to 0 at 1. It bends as much as it may where it still
/// pulls with all of its slope.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ramp;

impl Loss for Ramp {
    fn name(&self) -> &'static str {
        "ramp"
    }
    fn value(&self, z: f64, _: f64) -> f64 {
        if z <= 0.0 { 0.5 - z } else { 0.5 * (1.0 - z.min(1.0)).powi(2) }
    }
    fn slope(&self, z: f64, _: f64) -> f64 {
        (z - 1.0).clamp(-1.0, 0.0)
    }
    fn curvature(&self, z: f64, _: f64) -> f64 {
        if (0.0..1.0).contains(&z) { 1.0 } else { 0.0 }
    }
    fn slope_bound(&self, _: f64, _: &Bounds) -> f64 {
        1.0
    }
    fn curvature_bound(&self) -> f64 {
        1.0
    }
    fn curvature_floor(&self, _: f64, _: f64, _: f64) -> f64 {
        0.0
    }
    fn value_at_zero(&self, _: &Bounds) -> f64 {
        0.5
    }
    fn slope_rounding(&self, _: f64, _: &Bounds) -> f64 {
        1e-15
    }
    fn slope_keeps_sign(&self) -> bool {
        true
    }
    fn admit(&self, target: f64, _: &Bounds) -> Option<f64> {
        Some(target)
    }
    fn clip(&self, target: f64, _: &Bounds) -> Option<f64> {
        Some(target)
    }
}

fn bounds() -> Bounds {
    Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(100).unwrap()
}

fn learner(regulariser: f64, mu: f64) -> Learner {
    Learner::new(regulariser).mu(mu).unwrap().mechanism(MechanismKind::Objective).expected_rows(10)
}

fn planned<L: Loss>(loss: L, d: usize, learner: &Learner) -> ObjectivePerturbation<L> {
    learner.objective(&learner.problem(loss, bounds(), d).unwrap()).unwrap()
}

/// Records on a line, (x, y), with Λ.
struct Line<L> {
    loss: L,
    regulariser: f64,
    records: Vec<[f64; 2]>,
}

impl<L: Loss> Line<L> {
    fn new(loss: L, regulariser: f64, records: &[[f64; 2]]) -> Self {
        Self { loss, regulariser, records: records.to_vec() }
    }

    fn records(&self) -> Records<L> {
        let (features, targets) = self.records.iter().map(|[x, y]| (*x, *y)).unzip();
        Records::with_dimension(self.loss, bounds(), OutOfBounds::Refuse, 1, features, targets).unwrap()
    }

    /// The density of the minimiser with a normal tilt of this deviation.
    fn density(&self, theta: f64, deviation: f64, with_jacobian: bool) -> f64 {
        let (mut slope, mut bend) = (self.regulariser * theta, self.regulariser);
        for [x, y] in &self.records {
            slope += x * self.loss.slope(x * theta, *y);
            bend += x * x * self.loss.curvature(x * theta, *y);
        }
        let normal =
            (-0.5 * (slope / deviation).powi(2)).exp() / (deviation * (2.0 * core::f64::consts::PI).sqrt());
        normal * if with_jacobian { bend } else { 1.0 }
    }

    fn law(&self, deviation: f64, with_jacobian: bool) -> LineLaw {
        LineLaw::new(-40.0, 40.0, |theta| self.density(theta, deviation, with_jacobian).ln())
    }

    fn fits(&self, learner: &Learner, draws: u64) -> Vec<f64> {
        let (plan, records) = (planned(self.loss, 1, learner), self.records());
        (0..draws)
            .map(|seed| plan.release(&records, &mut ReplayRng::new(seed)).unwrap().0.theta()[0])
            .collect()
    }
}

/// H0: a release of a fit on a line has the law of the proof with σ = 1/m, m + 1.2539·J = √0.99·μ/k for k changed
/// losses and J = max_q ln(1 + q/Λ) − m²q/2, which is 0 for one loss. Rejected: half of σ, the other neighbour
/// relation's, no price for the Jacobian where it is not free, no Jacobian.
#[test]
fn one_dimension_has_the_law_of_the_proof() {
    let records = [[0.9, 1.0], [0.5, -1.0], [1.0, 1.0], [-0.8, 1.0], [1.0, 1.0], [0.7, 1.0]];
    let line = Line::new(Logistic, 0.3, &records);
    // √0.99·4.
    let share = 3.979_949_748_426_482;
    let jacobian = |m: f64| {
        let at = |k: u32| f64::from(k) / 1e5;
        (0..=25_000).map(at).map(|q| (q / 0.3).ln_1p() - m * m * q / 2.0).fold(0.0, f64::max)
    };
    for (neighbours, changed) in [(Neighbours::AddRemove, 1.0), (Neighbours::ReplaceOne, 2.0)] {
        let learner = learner(0.3, 4.0).neighbours(neighbours);
        let sample = line.fits(&learner, 20_000);
        let (mut low, mut high) = (0.0, share / changed);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if middle + 1.253_906_25 * jacobian(middle) <= share / changed {
                low = middle;
            } else {
                high = middle;
            }
        }
        let sigma = low.recip();
        assert_eq!(jacobian(low) == 0.0, changed < 2.0, "free for one loss");
        let plan = planned(Logistic, 1, &learner);
        assert!(
            (plan.tilt().whole().unwrap().scale() / sigma - 1.0).abs() < 1e-6,
            "{} {sigma}",
            plan.tilt().whole().unwrap().scale()
        );
        let test = |sigma, jacobian| line.law(sigma, jacobian).test(&sample);
        assert!(test(sigma, true).accepted(), "{:?}", test(sigma, true));
        for wrong in [0.5 * sigma, 2.0 * sigma] {
            assert!(!test(wrong, true).accepted(), "{wrong}");
        }
        assert!(changed < 2.0 || !test(changed / share, true).accepted(), "no price");
        assert!(!test(sigma, false).accepted(), "no Jacobian");
    }
}

/// H0: without records a release is −b/Λ, so that each coordinate is normal with deviation σ/Λ, and they are
/// independent. Rejected: a coordinate without a tilt, half of the deviation; the same tilt twice.
#[test]
fn every_coordinate_is_tilted_by_itself() {
    let learner = learner(5.0, 1.0);
    let plan = planned(Logistic, 3, &learner);
    let empty = Records::with_dimension(Logistic, bounds(), OutOfBounds::Refuse, 3, vec![], vec![]).unwrap();
    let fit = |seed| plan.release(&empty, &mut ReplayRng::new(seed)).unwrap().0.theta().to_vec();
    let sample: Vec<Vec<f64>> = (0..10_000).map(fit).collect();
    let deviation = 1.0 / (5.0 * 0.994_987_437_106_62);
    let cdf = |x: f64| 0.5 * statrs::function::erf::erfc(-x / core::f64::consts::SQRT_2);
    let column = |j: usize| sample.iter().map(|row| row[j] / deviation).collect::<Vec<f64>>();
    for j in 0..3 {
        assert!(kolmogorov_smirnov(&column(j), cdf).accepted(), "coordinate {j}");
        assert!(!kolmogorov_smirnov(&column(j), |x| cdf(2.0 * x)).accepted(), "power");
        let (a, b) = (column(j), column((j + 1) % 3));
        let sums: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (a + b) / core::f64::consts::SQRT_2).collect();
        assert!(kolmogorov_smirnov(&sums, cdf).accepted(), "coordinates {j} and the next");
        let twice: Vec<f64> = a.iter().map(|a| a * core::f64::consts::SQRT_2).collect();
        assert!(!kolmogorov_smirnov(&twice, cdf).accepted(), "power");
    }
}

/// The largest quotient, over ε and both directions, of the hockey-stick divergence of the exact laws of
/// neighbours and that of μ-GDP.
fn largest_quotient<L: Loss>(pair: [&Line<L>; 2], deviation: f64, mu: f64) -> f64 {
    let target = Mu::new(mu).unwrap();
    let stick = |p: &Line<L>, q: &Line<L>, epsilon: f64| {
        // Cells end where a loss has a kink.
        let cells = 4000;
        (0..cells).fold(0.0, |sum, k| {
            let (from, to) = (-20.0 + 0.01 * f64::from(k), -20.0 + 0.01 * f64::from(k + 1));
            let excess = |theta: f64| {
                (p.density(theta, deviation, true) - epsilon.exp() * q.density(theta, deviation, true))
                    .max(0.0)
            };
            sum + gauss(from, to, excess)
        })
    };
    let mut largest: f64 = 0.0;
    for k in 0..=12 {
        let epsilon = 0.25 * f64::from(k);
        let allowed = gaussian_hockey_stick(target, epsilon);
        for [p, q] in [pair, [pair[1], pair[0]]] {
            largest = largest.max((stick(p, q, epsilon) - 1e-9) / allowed);
        }
    }
    largest
}

/// The theorem, by quadrature: neighbours are μ-GDP with the deviation of the plan, for the worst records and for
/// logistic ones, one added or one replaced. Without the price of the Jacobian they are not, nor with the
/// deviation for the other relation.
#[test]
fn exact_laws_of_neighbours_are_as_private_as_planned() {
    let mu = 1.0;
    for (records, added) in
        [(vec![], [1.0, 1.0]), (vec![[-1.0, 1.0]], [1.0, 1.0]), (vec![[1.0, 1.0]], [-1.0, 1.0])]
    {
        for regulariser in [2.0, 5.0, 50.0] {
            let with: Vec<[f64; 2]> = records.iter().copied().chain([added]).collect();
            let ramp = [Line::new(Ramp, regulariser, &records), Line::new(Ramp, regulariser, &with)];
            let logistic =
                [Line::new(Logistic, regulariser, &records), Line::new(Logistic, regulariser, &with)];
            let one = learner(regulariser, mu);
            let [deviation, smooth] = [
                planned(Ramp, 1, &one).tilt().whole().unwrap().scale(),
                planned(Logistic, 1, &one).tilt().whole().unwrap().scale(),
            ];
            assert!(largest_quotient([&ramp[0], &ramp[1]], deviation, mu) <= 1.0);
            assert!(largest_quotient([&logistic[0], &logistic[1]], smooth, mu) <= 1.0);
            // Replaced: the record at x = 1 by one at −1.
            let two = one.neighbours(Neighbours::ReplaceOne);
            let opposite: Vec<[f64; 2]> = records.iter().copied().chain([[-added[0], added[1]]]).collect();
            let other = Line::new(Ramp, regulariser, &opposite);
            let quotient = |deviation| largest_quotient([&ramp[1], &other], deviation, mu);
            if let Ok(plan) = two.objective(&two.problem(Ramp, bounds(), 1).unwrap()) {
                assert!(quotient(plan.tilt().whole().unwrap().scale()) <= 1.0);
            }
            // Where the Jacobian costs little there is little to hide behind.
            assert!(regulariser < 50.0 || quotient(deviation) > 1.0, "one loss where two change");
        }
    }
    let pair = [Line::new(Ramp, 2.0, &[[-1.0, 1.0]]), Line::new(Ramp, 2.0, &[[-1.0, 1.0], [1.0, 1.0]])];
    let share = planned(Ramp, 1, &learner(2.0, mu)).tilt().whole().unwrap().scale().recip();
    assert!(largest_quotient([&pair[0], &pair[1]], share.recip(), share) > 1.1, "the price is needed");
    // ln 1.5 at its price, and nothing more.
    assert!((0.994_987_437_106_62 - share - JACOBIAN_PRICE * 1.5_f64.ln()).abs() < 1e-8);
}

/// One audit of whole releases, by the log-likelihood ratio of the exact laws.
fn audited(plan: &ObjectivePerturbation<Ramp>, claim: Guarantee, runs: u64) -> Finding {
    let regulariser = plan.problem().regulariser();
    let line = |records: &[[f64; 2]]| Line::new(Ramp, regulariser, records);
    let pair = [line(&[[-1.0, 1.0]]), line(&[[-1.0, 1.0], [1.0, 1.0]])];
    let records = [pair[0].records(), pair[1].records()];
    let (pair, records) = (&pair, &records);
    let on = |side: usize| {
        move |run| {
            let mut rng = ReplayRng::new(run_seed(5, side as u64, run));
            let theta = plan.release(&records[side], &mut rng)?.0.theta()[0];
            let ln = |side: usize| {
                pair[side].density(theta, plan.tilt().whole().unwrap().scale(), true).max(1e-300).ln()
            };
            Ok(ln(1) - ln(0))
        }
    };
    Finding::new("Gaussian tilt", "added", claim, &Samples::draw(runs, on(0), on(1)).unwrap(), 1e-8)
}

/// The shipping code on the worst records: not contradicted, and half of the deviation is caught.
#[test]
fn a_short_audit_does_not_contradict_and_sees_half_a_tilt() {
    let claim = Guarantee::Gaussian(Mu::new(1.0).unwrap());
    let row = audited(&planned(Ramp, 1, &learner(2.0, 1.0)), claim, 40_000);
    assert!(!row.contradicted && row.bound.lower > 0.4, "{:?}", row.bound);
    // The tilt's share of 0.4867 doubled: √0.99·μ = 0.9734 + 0.5084.
    let row = audited(&planned(Ramp, 1, &learner(2.0, 1.489_3)), claim, 40_000);
    assert!(row.contradicted || row.bound.lower > 0.85, "{:?}", row.bound);
    let row = audited(&planned(Ramp, 1, &learner(2.0, 2.2)), claim, 40_000);
    assert!(row.contradicted, "a third of the deviation: {:?}", row.bound);
}

/// What `asap audit --mechanism objective --mu` audits: the normal tilt of a logistic fit, by the log-likelihood ratio
/// of the exact laws, on records that come close to the claim. Half of the deviation is caught.
#[test]
fn the_audit_under_mu_is_of_the_normal_tilt() {
    let claim = Guarantee::Gaussian(Mu::new(1.0).unwrap());
    let settings = |mu: f64| AuditSettings {
        alpha: 1e-8,
        seed: Some(7),
        runs: 4000,
        mechanism: MechanismKind::Objective,
        ..AuditSettings::new(Guarantee::Gaussian(Mu::new(mu).unwrap()))
    };
    let report = run(&settings(1.0)).unwrap();
    assert!(report.setting.contains("logistic") && !report.contradicted(), "{}", report.to_text());
    let best = report.rows.iter().map(|row| row.bound.lower).fold(0.0, f64::max);
    assert!(best > 0.5, "the audit has power: {best}");
    let halved = run(&settings(2.0)).unwrap();
    let best = halved.rows.iter().map(|row| row.bound.lower).fold(0.0, f64::max);
    assert!(best > claim.parameter(), "half of the deviation: {best}");

    let case = TiltedCase::logistic(&settings(1.0), Pair::AddedToOne).unwrap();
    assert!(
        matches!(case.plan().tilt().whole().unwrap().law(), Law::Normal(_))
            && case.plan().ledger().converted().is_none()
    );
    let without = Line::new(Logistic, 10.0, &[[1.0, -1.0]; 256]);
    let with: Vec<[f64; 2]> = without.records.iter().copied().chain([[1.0, 1.0]]).collect();
    let with = Line::new(Logistic, 10.0, &with);
    let ratio = |theta: f64| {
        let ln = |line: &Line<Logistic>| {
            line.density(theta, case.plan().tilt().whole().unwrap().scale(), true).ln()
        };
        ln(&with) - ln(&without)
    };
    for theta in [-2.5, -2.2, -2.0, -1.7] {
        let [mine, exact] = [case.score(&[theta]) - case.score(&[-2.3]), ratio(theta) - ratio(-2.3)];
        assert!((mine - exact).abs() < 1e-9, "{theta}: {mine} {exact}");
    }
}

/// 4·10⁵ runs on each side: `cargo test --release --test suite gaussian_tilt:: -- --ignored --nocapture`.
#[test]
#[ignore = "a minute"]
fn the_deep_audit_does_not_contradict() {
    let claim = Guarantee::Gaussian(Mu::new(1.0).unwrap());
    for (regulariser, shown) in [(2.0, 0.45), (10.0, 0.8), (100.0, 0.9)] {
        let row = audited(&planned(Ramp, 1, &learner(regulariser, 1.0)), claim, 400_000);
        println!("Λ = {regulariser}: μ ≥ {}", row.bound.lower);
        assert!(!row.contradicted && row.bound.lower > shown, "{regulariser}: {:?}", row.bound);
    }
}

/// The certificate names what is spent; a loss whose slope changes its sign keeps its pure tilt; a
/// user's word is said to be one.
#[test]
fn certificates_say_which_tilt_it_was() {
    fn fitted<L: Loss>(loss: L) -> asap_dp::Release {
        let learner = learner(20.0, 1.0).parameter_bound(2.0);
        let bounds = bounds().with_target(1.0).unwrap();
        let records =
            Records::new(loss, bounds, OutOfBounds::Clip, vec![0.5, -0.7], vec![1.0, -1.0]).unwrap();
        let release = learner.fit(&records, &mut ReplayRng::new(5)).unwrap();
        release.check().unwrap();
        release
    }
    let names = |release: &asap_dp::Release| -> Vec<String> {
        release.certificate().ledger.shares.iter().map(|share| share.name.clone()).collect()
    };
    let logistic = fitted(Logistic);
    assert_eq!(names(&logistic), ["tilt", "asap"]);
    assert!(logistic.certificate().certified && logistic.certificate().ledger.converted.is_none());
    let user = fitted(Ramp);
    assert_eq!(names(&user), ["tilt", "asap"]);
    let verdict = user.check().unwrap();
    assert!(
        !user.certificate().certified
            && verdict.assumed.iter().any(|it| it.why.contains("never changes its sign"))
    );
    assert!(logistic.check().unwrap().assumed.iter().all(|it| !it.why.contains("sign")));
    let squared = fitted(asap_dp::Squared);
    assert_eq!(names(&squared), ["tilt", "jacobian", "asap"]);
    assert!(squared.certificate().ledger.converted.is_some());
    // Its ledger moved under a Gaussian tilt is not believed.
    let mut forged = logistic.as_checked().clone();
    forged.certificate.problem.loss = asap_contracts::Loss::Squared;
    forged.certificate.problem.target = 1e-3;
    assert_eq!(forged.seal().check().unwrap_err().clause(), "Lipschitz constant on the ball");
}

/// What the last noise covers is the distance at which the search may stop, and the ball holds what a tilt of usual
/// length moves the minimiser to. By hand: μ of the last noise is a tenth, so that its deviation is 2τ/0.1; 100
/// rows, of ln 2 each at 0.
#[test]
fn the_last_noise_covers_the_tolerance_and_the_ball_holds_the_minimiser() {
    let learner = learner(5.0, 1.0);
    let problem = learner.problem(Logistic, bounds(), 3).unwrap();
    let total = Guarantee::Gaussian(Mu::new(1.0).unwrap());
    for tolerance in [1e-4, 1e-2] {
        let settings = ObjectiveSettings { expected_rows: Some(10), tolerance: Some(tolerance) };
        let plan = ObjectivePerturbation::plan(&problem, total, settings).unwrap();
        assert_eq!(plan.asap().claim().error, tolerance);
        let covered = plan.asap().noise().scale() / (20.0 * tolerance);
        assert!((1.0..1.01).contains(&covered), "{covered}");
        let (far, moved) =
            ((2.0 * 100.0 * 2.0_f64.ln() / 5.0).sqrt(), plan.tilt().whole().unwrap().scale() / 5.0);
        let radius = far + (3.0_f64.sqrt() + 10.0) * moved;
        assert!((plan.radius() / radius - 1.0).abs() < 1e-6, "{} {radius}", plan.radius());
    }
}

/// Predicted is what the normal law says, a tenth of what a converted budget costs in eleven dimensions; a regulariser
/// that is too small is refused with the smallest that works.
#[test]
fn predictions_and_refusals() {
    let bounds = || bounds().with_max_rows(1000).unwrap();
    let learner = learner(5.0, 1.0).expected_rows(400);
    let plan = learner.objective(&learner.problem(Logistic, bounds(), 11).unwrap()).unwrap();
    assert!(matches!(plan.tilt().whole().unwrap().law(), Law::Normal(_)));
    let guess = Guess::new(400).unwrap().with_curvature(95.0).unwrap();
    let predicted = plan.predict(&guess).unwrap().likely;
    // ½·11·σ²/100, σ = 1/0.99499, and a little for the last noise.
    let tilt = 0.5 * 11.0 / 100.0 / 0.994_987_4_f64.powi(2);
    assert!(predicted >= tilt && predicted < 1.05 * tilt, "{predicted} {tilt}");
    let smallest = |regulariser: f64| {
        let learner = self::learner(regulariser, 1.0);
        learner.objective(&learner.problem(Logistic, bounds(), 2).unwrap()).map(|_| ())
    };
    let text = smallest(0.1).unwrap_err().to_string();
    let (_, named) = text.split_once("smallest_that_works = ").unwrap();
    let least: f64 = named.parse().unwrap();
    // ¼/(e^(0.98·0.99499/1.25391) − 1).
    assert!((least - 0.212_5).abs() < 1e-3, "{least}");
    smallest(least).unwrap();
    assert!(smallest(least.next_down()).is_err());
}
