//! Classes that count differently. spec: `own:class-weights`
//!
//! Aimed at: `WeightedLogistic::slope` without the weight; `of` with the classes exchanged; `relative_weights`
//! without the division; the clause without `≤ 1`.
#![allow(clippy::unwrap_used, clippy::float_cmp)]

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::loss::{Logistic, Loss, WeightedLogistic};
use asap_dp::{Learner, MechanismKind, ReplayRng};

fn bounds() -> Bounds {
    Bounds::new(1.0).unwrap().with_max_rows(100).unwrap()
}

#[test]
fn weights_are_relative_and_refused_where_they_are_none() {
    let weights = |pair| WeightedLogistic::new(pair).map(|loss| loss.weights());
    assert_eq!(weights([1.0, 4.0]).unwrap(), [0.25, 1.0]);
    assert_eq!(weights([3.0, 1.5]).unwrap(), [1.0, 0.5]);
    assert_eq!(weights([7.0, 7.0]).unwrap(), [1.0, 1.0]);
    for bad in [[0.0, 1.0], [1.0, -1.0], [f64::NAN, 1.0], [1.0, f64::INFINITY], [1e-7, 1.0], [f64::NAN; 2]] {
        assert_eq!(weights(bad).unwrap_err().field, "class weights", "{bad:?}");
    }
}

/// The claims of the loss on a grid: slopes by differences of values, bounds, floors; and every one
/// within those without weights.
#[test]
fn the_claims_of_the_loss_without_weights_hold() {
    let loss = WeightedLogistic::new([1.0, 5.0]).unwrap();
    let bounds = bounds();
    for (y, weight) in [(-1.0, 0.2), (1.0, 1.0)] {
        for k in -400..=400 {
            let z = f64::from(k) * 0.05;
            assert_eq!(loss.value(z, y), weight * Logistic.value(z, y));
            let h = 1e-6;
            let difference = (loss.value(z + h, y) - loss.value(z - h, y)) / (2.0 * h);
            assert!((loss.slope(z, y) - difference).abs() < 1e-8, "{z} {y}");
            let bend = (loss.slope(z + h, y) - loss.slope(z - h, y)) / (2.0 * h);
            assert!((loss.curvature(z, y) - bend).abs() < 1e-8, "{z} {y}");
            assert!(loss.slope(z, y).abs() <= Logistic.slope_bound(20.0, &bounds));
            assert!(loss.curvature(z, y) <= Logistic.curvature_bound());
            for reach in [0.0, 0.3, 2.0] {
                let floor = loss.curvature_floor(z, reach, y);
                assert!(floor <= loss.curvature(z + reach, y) && floor <= loss.curvature(z - reach, y));
                let t = reach + 0.1;
                let chord = 2.0 * loss.divergence(z, t, y) / (t * t);
                assert!(loss.chord_floor(z, 0.0, t, y) <= chord * (1.0 + 1e-12), "{z} {t} {y}");
            }
        }
        assert!(loss.value(0.0, y) <= loss.value_at_zero(&bounds));
    }
}

/// The minimiser of J, before its noise.
fn minimiser<L: Loss>(loss: L, regulariser: f64, rows: &[(f64, f64)]) -> f64 {
    let (features, targets) = rows.iter().copied().unzip();
    let records = Records::new(loss, bounds(), OutOfBounds::Clip, features, targets).unwrap();
    let learner = Learner::new(regulariser).epsilon(1.0).unwrap().tolerance(1e-8);
    let problem = learner.problem(loss, bounds(), 1).unwrap();
    let output = learner.output(&problem).unwrap();
    let found = output.perturbation().run(&problem.bind(&records).unwrap(), &mut ReplayRng::new(1)).unwrap();
    found.minimiser().reveal_breaking_privacy()[0]
}

/// A record of weight ¼ beside records of weight 1 is one record beside four times as many: the minimisers of
/// `Σ w_i φ_i + (Λ/2)‖θ‖²` and of four times that, in which records are repeated, agree.
#[test]
fn weights_are_repeated_records() {
    let rows = [(0.9, 1.0), (0.2, 0.0), (-0.5, 0.0), (0.4, 1.0), (0.1, 0.0), (-0.9, 0.0), (0.6, 0.0)];
    let repeated: Vec<(f64, f64)> =
        rows.iter().flat_map(|row| vec![*row; if row.1 == 1.0 { 4 } else { 1 }]).collect();
    let weighted = minimiser(WeightedLogistic::new([1.0, 4.0]).unwrap(), 0.5, &rows);
    let plain = minimiser(Logistic, 2.0, &repeated);
    assert!((weighted - plain).abs() < 1e-7, "{weighted} {plain}");
    let without = minimiser(Logistic, 0.5, &rows);
    assert!((weighted - without).abs() > 0.01, "{weighted} {without}");
}

/// All mechanisms release with weights, with the noise of the loss without them; an edited weight is refused.
#[test]
fn releases_with_weights_are_checked() {
    let loss = WeightedLogistic::new([1.0, 10.0]).unwrap();
    let records =
        Records::new(loss, bounds(), OutOfBounds::Clip, vec![0.5, -0.2, 0.9], vec![1.0, 0.0, 1.0]).unwrap();
    let plain =
        Records::new(Logistic, bounds(), OutOfBounds::Clip, vec![0.5, -0.2, 0.9], vec![1.0, 0.0, 1.0])
            .unwrap();
    for kind in MechanismKind::ALL {
        for learner in [Learner::new(6.0).epsilon(1.0).unwrap(), Learner::new(6.0).mu(1.0).unwrap()] {
            let learner = learner.mechanism(kind);
            let release = learner.fit(&records, &mut ReplayRng::new(3)).unwrap();
            let verdict = release.check().unwrap();
            assert!(verdict.checked.iter().any(|it| it.spec == "own:class-weights"));
            let without = learner.fit(&plain, &mut ReplayRng::new(3)).unwrap();
            assert_eq!(release.certificate().ledger, without.certificate().ledger);
            for (weights, loss) in [
                (Some([0.1, 1.0_f64.next_up()]), None),
                (Some([0.0, 1.0]), None),
                (Some([f64::NAN, 1.0]), None),
                (Some([0.1, 1.0]), Some(asap_contracts::Loss::Squared)),
            ] {
                let mut edited = release.as_checked().clone();
                edited.certificate.problem.class_weights = weights;
                if let Some(loss) = loss {
                    edited.certificate.problem.loss = loss;
                }
                assert!(edited.check().is_err() && edited.seal().check().is_err(), "{kind:?} {weights:?}");
            }
        }
    }
}
