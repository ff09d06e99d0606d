//! Searches for violations of what the losses claim of their values, divergences and chords.
//!
//! Null hypothesis: the claim holds for every prediction, move and admissible target. The searches are
//! deterministic, and losses with one fault must be caught by them.

#![allow(clippy::float_cmp, reason = "exact results are the point")]

use crate::double_double::Wide;
use crate::reference::{Fault, Faulty, Reference, admissible};
use crate::{Numbers, bounds};
use asap_dp::loss::{Huber, Logistic, Loss, Squared};

/// Predictions and moves: a grid on both sides of every place where a formula changes, then random ones of all
/// sizes.
fn pairs() -> Vec<(f64, f64)> {
    let mut pairs = Vec::new();
    let sizes = [
        0.0, 1e-9, 1e-3, 0.1, 0.24, 0.2876, 0.3466, 0.35, 0.5, 0.74, 0.76, 1.0, 3.0, 30.0, 63.9, 64.1, 90.0,
        700.0,
    ];
    for z in sizes.into_iter().flat_map(|z| [z, -z]) {
        for t in sizes.into_iter().chain([1e-200, 1e-14]).flat_map(|t| [t, -t]) {
            pairs.push((z, t));
        }
    }
    let mut numbers = Numbers(97);
    for k in 0..10_000 {
        let (z, t) = (numbers.next(), numbers.next());
        let octaves = 20.0 * numbers.next().abs();
        pairs.push(match k % 4 {
            0 => (4.0 * z, 4.0 * t),
            1 => (8.0 * z, t * (-octaves).exp2()),
            2 => (70.0 * z, 0.5 * t),
            _ => (60.0 * z, 100.0 * t),
        });
    }
    pairs
}

/// The largest error of a computed divergence, as a part of its claim, over strips of one and of nine records.
fn worst_divergence<L: Reference>(loss: L) -> f64 {
    let mut worst = 0.0_f64;
    for (z, t) in pairs() {
        for y in [1.0, -0.3].map(|y| admissible(&loss, y, &bounds())) {
            let reach = z.abs().max((z + t).abs());
            let claim = loss.divergence_rounding(reach, &bounds()).at(t.abs());
            let exact = loss.exact_divergence(Wide::from(z), Wide::from(t), y);
            let error = |computed: f64| (Wide::from(computed) + -exact).to_f64().abs() / claim;
            let one = loss.divergence(z, t, y);
            assert!(one >= 0.0, "{} at {z}, {t}", loss.name());
            assert!(loss.divergences(&[z], &[t], &[y]) == one, "{z}, {t}");
            let nine = loss.divergences(&[z; 9], &[t; 9], &[y; 9]) / 9.0;
            assert!((nine - one).abs() <= 4.0 * f64::EPSILON * one, "lanes differ at {z}, {t}");
            worst = worst.max(error(one));
        }
    }
    println!("{}: divergences reach {worst:.3} of their claim", loss.name());
    worst
}

#[test]
fn computed_divergences_are_as_close_as_claimed() {
    let huber = Huber::new(0.75).unwrap();
    for worst in [worst_divergence(Logistic), worst_divergence(Squared), worst_divergence(huber)] {
        assert!((0.1..=1.0).contains(&worst), "{worst}");
    }
    for fault in [Fault::Difference, Fault::SinglePrecision, Fault::Scaled] {
        assert!(worst_divergence(Faulty { loss: Logistic, fault }) > 10.0, "{fault:?}");
        assert!(worst_divergence(Faulty { loss: huber, fault }) > 10.0, "{fault:?}");
        assert!(worst_divergence(Faulty { loss: Squared, fault }) > 10.0, "{fault:?}");
    }
}

fn worst_value<L: Reference>(loss: L) -> f64 {
    let mut worst = 0.0_f64;
    for (z, _) in pairs() {
        for y in [1.0, -0.3].map(|y| admissible(&loss, y, &bounds())) {
            let exact = loss.exact_value(Wide::from(z), y);
            let claim = loss.value_rounding(z.abs(), &bounds());
            for computed in [loss.value(z, y), loss.values_and_slopes(&mut [z], &[y])] {
                worst = worst.max((Wide::from(computed) + -exact).to_f64().abs() / claim);
            }
        }
    }
    println!("{}: values reach {worst:.3} of their claim", loss.name());
    worst
}

#[test]
fn computed_values_are_as_close_as_claimed() {
    let huber = Huber::new(0.75).unwrap();
    for worst in [worst_value(Logistic), worst_value(Squared), worst_value(huber)] {
        assert!((1.0 / 30.0..=1.0).contains(&worst), "{worst}");
    }
    let fault = Fault::RoughValues;
    assert!(worst_value(Faulty { loss: Logistic, fault }) > 10.0);
    assert!(worst_value(Faulty { loss: Squared, fault }) > 10.0);
    assert!(worst_value(Faulty { loss: huber, fault }) > 10.0);
}

/// A chord that begins up to `slip` beside z is covered, too: the true quotient at z ± slip is not below the floor.
/// Without the slip it is, somewhere.
#[test]
fn chord_floors_cover_a_slipped_beginning() {
    fn broken<L: Reference>(loss: L, allowed: f64) -> bool {
        let mut numbers = Numbers(103);
        (0..4000).any(|_| {
            let (z, t, slip) = (3.0 * numbers.next(), 0.1 + numbers.next().abs(), 0.2 * numbers.next().abs());
            let y = admissible(&loss, numbers.next(), &bounds());
            let floor = loss.chord_floor(z, allowed * slip, t, y);
            [z - slip, z + slip].into_iter().flat_map(|z| [(z, t), (z, -t)]).any(|(z, s)| {
                let exact = loss.exact_divergence(Wide::from(z), Wide::from(s), y).to_f64();
                2.0 * exact / (s * s) < floor * (1.0 - 1e-12)
            })
        })
    }
    let huber = Huber::new(0.8).unwrap();
    assert!(!broken(Logistic, 1.0) && !broken(Squared, 1.0) && !broken(huber, 1.0));
    assert!(broken(Logistic, 0.0) && broken(huber, 0.0));
}

/// The smallest and the largest of `(quotient − floor)/quotient`, where the quotient is the least of `2b(z, s)/s²` over
/// some s up to t on both sides. The first is negative where the claim is broken.
fn chords<L: Reference>(loss: L) -> (f64, f64) {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut numbers = Numbers(101);
    for (z, t) in pairs().into_iter().filter(|(z, t)| z.abs() <= 40.0 && (1e-6..=40.0).contains(t)) {
        let y = admissible(&loss, numbers.next(), &bounds());
        let floor = loss.chord_floor(z, 0.0, t, y);
        let inner = numbers.next().abs();
        let quotient = [1.0, -1.0, 0.5, -0.5, inner, -inner].map(|part| {
            let s = part * t;
            2.0 * loss.exact_divergence(Wide::from(z), Wide::from(s), y).to_f64() / (s * s)
        });
        let quotient = quotient.into_iter().fold(f64::INFINITY, f64::min);
        // Where the quotient is 0 but for rounding, the floor has to be 0.
        let slack = match (quotient > 1e-25, floor > 0.0) {
            (true, _) => (quotient - floor) / quotient,
            (false, zero) => {
                if zero {
                    -1.0
                } else {
                    0.0
                }
            }
        };
        (least, most) = (least.min(slack), most.max(slack));
    }
    println!("{}: chord floors are {least:.1e} to {most:.1e} below", loss.name());
    (least, most)
}

#[test]
fn chord_floors_are_below_every_chord_and_close() {
    let huber = Huber::new(0.75).unwrap();
    let ends = [(chords(Logistic), 1e-6), (chords(Squared), 0.0), (chords(huber), 1e-9)];
    for ((least, most), near) in ends {
        assert!(least >= 0.0 && most <= near, "{least:e} {most:e}");
    }
    for fault in [Fault::LargeFloor, Fault::WrongEnd] {
        assert!(chords(Faulty { loss: Logistic, fault }).0 < -1e-3, "{fault:?}");
        assert!(chords(Faulty { loss: huber, fault }).0 < -1e-3, "{fault:?}");
    }
    assert!(chords(Faulty { loss: Squared, fault: Fault::LargeFloor }).0 < -1e-3);
    // No move at all, and one without end.
    for loss in [0.0, 2.0].map(|z| (Logistic.chord_floor(z, 0.0, 0.0, 1.0), Logistic.curvature(z, 1.0))) {
        assert!(loss.0 <= loss.1 && loss.0 >= 0.999 * loss.1);
    }
    assert!([1e200, f64::INFINITY].iter().all(|&t| Logistic.chord_floor(1.0, 0.0, t, 1.0) == 0.0));
    assert!(huber.chord_floor(0.0, 0.0, 0.0, 0.0) == 1.0 && huber.chord_floor(2.0, 0.0, 0.0, 0.0) == 0.0);
}

/// The default that a user's own loss gets keeps its own claim, which is not relative to the move.
#[test]
fn defaults_of_a_loss_keep_their_claim() {
    #[derive(Clone, Copy, PartialEq)]
    struct Plain(Logistic);
    impl Loss for Plain {
        fn name(&self) -> &'static str {
            "plain"
        }
        fn value(&self, z: f64, y: f64) -> f64 {
            self.0.value(z, y)
        }
        fn slope(&self, z: f64, y: f64) -> f64 {
            self.0.slope(z, y)
        }
        fn curvature(&self, z: f64, y: f64) -> f64 {
            self.0.curvature(z, y)
        }
        fn slope_bound(&self, reach: f64, bounds: &asap_dp::data::Bounds) -> f64 {
            self.0.slope_bound(reach, bounds)
        }
        fn curvature_bound(&self) -> f64 {
            self.0.curvature_bound()
        }
        fn curvature_floor(&self, z: f64, reach: f64, y: f64) -> f64 {
            self.0.curvature_floor(z, reach, y)
        }
        fn value_at_zero(&self, bounds: &asap_dp::data::Bounds) -> f64 {
            self.0.value_at_zero(bounds)
        }
        fn slope_rounding(&self, reach: f64, bounds: &asap_dp::data::Bounds) -> f64 {
            self.0.slope_rounding(reach, bounds)
        }
        fn admit(&self, target: f64, bounds: &asap_dp::data::Bounds) -> Option<f64> {
            self.0.admit(target, bounds)
        }
        fn targets(&self) -> asap_dp::loss::Targets {
            self.0.targets()
        }
        fn clip(&self, target: f64, bounds: &asap_dp::data::Bounds) -> Option<f64> {
            self.0.clip(target, bounds)
        }
    }
    impl Reference for Plain {
        fn exact_value(&self, z: Wide, y: f64) -> Wide {
            self.0.exact_value(z, y)
        }
        fn exact_divergence(&self, z: Wide, t: Wide, y: f64) -> Wide {
            self.0.exact_divergence(z, t, y)
        }
    }
    assert!(worst_divergence(Plain(Logistic)) <= 1.0);
    assert!(worst_value(Plain(Logistic)) <= 1.0);
    let (least, most) = chords(Plain(Logistic));
    assert!(least >= 0.0 && most <= 1.0);
}

#[test]
fn extremes_neither_overflow_nor_lose_a_nan() {
    let huber = Huber::new(0.75).unwrap();
    let sizes = [0.0, 5e-324, 1e-310, 1e-17, 0.3, 64.0, 64.0_f64.next_up(), 745.0, 1e10, 1e300, 8e307];
    for z in sizes.into_iter().flat_map(|z| [z, -z]) {
        for t in sizes.into_iter().flat_map(|t| [t, -t]) {
            // Between the tangents at z and at z + t, which is at most |t| for a slope between 0 and 1.
            let b = Logistic.divergence(z, t, 1.0);
            assert!(b >= 0.0 && b <= t.abs(), "{z}, {t}: {b}");
            assert_eq!(b.to_bits(), Logistic.divergence(-z, -t, -1.0).to_bits());
            // Far away the loss is as good as its two asymptotes.
            let limit = (-z.signum() * t - z.abs()).max(0.0);
            if z.abs() >= 64.0 && t.abs() >= 64.0 {
                assert!((b - limit).abs() <= 0.7 + 1e-14 * t.abs(), "{z}, {t}: {b} is not {limit}");
            }
            assert!(huber.divergence(z, t, 0.3) >= 0.0 && huber.divergence(z, t, 0.3) <= 1.5 * t.abs());
        }
    }
    for position in 0..9 {
        let mut holed = [0.25; 9];
        holed[position] = f64::NAN;
        let whole = [0.5; 9];
        let sums = |z: &[f64], t: &[f64]| {
            [Logistic.divergences(z, t, &whole), huber.divergences(z, t, &whole)].map(f64::is_nan)
        };
        assert_eq!(sums(&holed, &whole), [true; 2]);
        assert_eq!(sums(&whole, &holed), [true; 2]);
        assert_eq!(sums(&whole, &whole), [false; 2]);
        assert!(Squared.divergences(&whole, &holed, &whole).is_nan());
    }
}
