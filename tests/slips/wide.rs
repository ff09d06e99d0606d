//! The noise of every coordinate, far beyond the first few: whole fits with 48 and 200 parameters,
//! every law, every mechanism.
//!
//! H0 as in `releases`. Of n = 100 fits each coordinate, each block of ten coordinates and each pair are looked at:
//! - independent laws: Kolmogorov–Smirnov of a coordinate (n) and of a block (10n); pairs of signs.
//! - Euclidean Laplace: the norm is gamma of shape d; the share of a coordinate of the squared norm is Beta(½,
//!   (d−1)/2), of a block Beta(5, (d−10)/2), whatever the norm; signs are fair and independent.
//!
//! False alarm ≤ 10⁻⁹ for each statistic; of signs below 10⁻²⁰ (at most 96 of 100 alike). Sabotages of `Law::draw`
//! that turn these red: no noise from the 13th coordinate on; half the noise for d ≥ 40; one noise for all
//! coordinates beyond the 16th.

use super::law::{Family, uniforms};
use super::problem::{Known, with, with_regulariser};
use super::releases::{Point, learners, planned, runs};
use crate::reference::kolmogorov_smirnov;
use asap_dp::learner::MechanismKind;
use asap_dp::noise::ReplayRng;
use statrs::function::{beta::beta_reg, gamma::gamma_lr};

const N: u64 = 100;

/// So many of 100 signs may be alike.
const ALIKE: usize = 96;

const BLOCK: usize = 10;

/// Λ, so large that all minimisers and noisy gradients stay inside of the search.
fn regulariser(d: usize) -> f64 {
    10.0 * d as f64
}

/// The first coordinate, block or pair whose law is not the stated one.
fn rejected(points: &[Point]) -> Option<String> {
    let d = points[0].centre.len();
    let blocks = || (0..d / BLOCK).map(|k| (k * BLOCK, (k + 1) * BLOCK));
    let family = points[0].family;
    // What is positive in a coordinate: above the median.
    let (numbers, sides): (Vec<Vec<f64>>, Vec<Vec<bool>>) = points
        .iter()
        .map(|point| {
            let Point { released, centre, scale, deviations, .. } = point;
            let sides = released.iter().zip(centre).map(|(x, c)| x > c).collect();
            if family == Family::Euclidean {
                (released.iter().zip(centre).map(|(x, c)| (x - c) / scale).collect(), sides)
            } else {
                (uniforms(family, *scale, released, centre, deviations).numbers, sides)
            }
        })
        .unzip();
    let looks = |what: String, sample: Vec<f64>| {
        let outcome = kolmogorov_smirnov(&sample, |u| u.clamp(0.0, 1.0));
        (!outcome.accepted()).then(|| format!("{what}: {outcome:?}"))
    };
    if family == Family::Euclidean {
        let square = |z: &[f64]| z.iter().map(|x| x * x).sum::<f64>();
        let norms = numbers.iter().map(|z| gamma_lr(d as f64, square(z).sqrt().max(1e-300))).collect();
        let share = |from: usize, to: usize| {
            let (a, b) = (0.5 * (to - from) as f64, 0.5 * (d - (to - from)) as f64);
            let part = |z: &Vec<f64>| (square(&z[from..to]) / square(z)).clamp(1e-300, 1.0);
            let uniform = numbers.iter().map(|z| beta_reg(a, b, part(z))).collect::<Vec<f64>>();
            looks(format!("share of {from}..{to}"), uniform)
        };
        looks("norm".to_owned(), norms)
            .or_else(|| (0..d).find_map(|j| share(j, j + 1)))
            .or_else(|| blocks().find_map(|(from, to)| share(from, to)))
    } else {
        let column = |from: usize, to: usize| {
            let sample: Vec<f64> = numbers.iter().flat_map(|u| u[from..to].iter().copied()).collect();
            looks(format!("coordinates {from}..{to}"), sample)
        };
        let single = (0..d).find_map(|j| column(j, j + 1));
        single.or_else(|| blocks().find_map(|(from, to)| column(from, to)))
    }
    .or_else(|| {
        let alike = |i: usize, j: usize| sides.iter().filter(|side| side[i] == side[j]).count();
        let pair = (0..d).flat_map(|i| (0..i).map(move |j| (j, i)));
        let most = ALIKE * points.len() / 100;
        let far = |count: usize| count > most || points.len() - count > most;
        let fair = |j: usize| sides.iter().filter(|side| side[j]).count();
        (0..d).find(|&j| far(fair(j))).map(|j| format!("signs of {j}: {}", fair(j))).or_else(|| {
            pair.clone().find(|&(i, j)| far(alike(i, j))).map(|pair| format!("signs of {pair:?}"))
        })
    })
}

type Fault = fn(&mut Point);

/// The three faults, as they look from outside.
const FAULTS: [(&str, Fault); 3] = [
    ("no noise from the 13th coordinate on", |point| {
        point.released[12..].copy_from_slice(&point.centre[12..]);
    }),
    ("half the noise", |point| {
        for (x, c) in point.released.iter_mut().zip(&point.centre) {
            *x = 0.5 * (*x + c);
        }
    }),
    ("one noise beyond the 16th coordinate", |point| {
        let noise = point.released[16] - point.centre[16];
        for (x, c) in point.released.iter_mut().zip(&point.centre).skip(16) {
            *x = c + noise;
        }
    }),
];

fn wide(d: usize) -> Known {
    with(regulariser(d), 20_000, &vec![1; d])
}

fn every_coordinate_has_its_noise(d: usize, seed: u64, wanted: impl Fn(MechanismKind) -> bool) {
    let known = wide(d);
    for (k, (case, kind, learner)) in
        learners(with_regulariser(regulariser(d)), 20_000).into_iter().enumerate()
    {
        if !wanted(kind) {
            continue;
        }
        let fit = planned(kind, learner, &known);
        let seed = seed + ((k as u64) << 32);
        let found = runs(&*fit, &known, N, |run| ReplayRng::new(seed + run));
        for (name, points) in &found {
            println!("{case}, {name}, d = {d}: {} fits", points.len());
            assert!(points.len() as u64 >= N / 2, "{case}: {} runs of {name}", points.len());
            assert_eq!(rejected(points), None, "{case}, {name}");
            for (fault, apply) in FAULTS {
                let mut faulty = points.clone();
                faulty.iter_mut().for_each(apply);
                assert!(rejected(&faulty).is_some(), "{case}, {name}: {fault}");
            }
        }
        assert_eq!(found.len(), if kind == MechanismKind::Posterior { 2 } else { 1 }, "{case}");
    }
}

#[test]
fn forty_eight_coordinates_have_their_noise() {
    every_coordinate_has_its_noise(48, 480_000_000, |_| true);
}

#[test]
fn two_hundred_coordinates_have_their_noise() {
    every_coordinate_has_its_noise(200, 2_000_000_000, |kind| kind != MechanismKind::Posterior);
}

/// The posterior factors matrices: minutes.
#[test]
#[ignore = "minutes: cargo test --release --test suite -- --ignored two_hundred"]
fn two_hundred_coordinates_of_a_posterior_have_their_noise() {
    every_coordinate_has_its_noise(200, 2_100_000_000, |kind| kind == MechanismKind::Posterior);
}
