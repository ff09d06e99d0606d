//! The tilt of a table with several blocks, as a fit wires it: whole fits with records and 200
//! parameters, and certificates.
//!
//! H0: b = −∇J(θ̂), worked out here from the records, has the law of the page in every block: numbers and intercept
//! with density ∝ e^(−‖b‖_∞/s), levels and counts independent Laplace, columns without a kind ∝ e^(−‖b‖₂/s), blocks
//! independent, with scales by hand; under μ independent normal numbers with a deviation for each block. The last noise
//! adds below 1/60 of a variance, a tenth of what the tests see. Each number by Kolmogorov–Smirnov, pairs in 16 cells,
//! false alarm ≤ 10⁻⁹ each.
//!
//! Sabotages of the source that turn these red, each seen. Law: the radius of the cube has k terms instead of k + 1, a
//! cube of half the side, `Tilt::draw` leaves out the first, second or third block, `Group::all` puts levels among the
//! numbers or numbers among the levels. Shares: `pure_scales` leaves out that of the third block, with and without the
//! same fault in the contract; the contract leaves out the third block (under ε, under μ), takes the largest share in
//! place of the sum, adds in f64, halves a bound, or takes replace-one for one changed loss.

use super::law::{Uniforms, normal, rejected};
use asap_contracts::{Certificate, Mechanism as Body, Price, Tilt};
use asap_dp::loss::Logistic;
use asap_dp::mechanism::Mechanism;
use asap_dp::noise::{BlockNoise, ReplayRng};
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::{Block, Bounds, Learner, MechanismKind, OutOfBounds, Records, Shape};
use num_bigint::BigUint;
use rayon::prelude::*;
use statrs::function::{beta::beta_reg, gamma::gamma_lr, gamma::gamma_ur};

/// The kind of a block in words of this test, with its places, the length of a row in it and its variance for scale 1.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Numbers,
    Levels,
    Ball,
}

struct Part {
    kind: Kind,
    places: Vec<usize>,
    length: f64,
}

/// A table with all kinds of blocks, and with the intercept at the end.
struct Table {
    blocks: Vec<Block>,
    parts: Vec<Part>,
    dimension: usize,
}

impl Table {
    fn new(numbers: usize, [first, second]: [usize; 2], ball: usize) -> Self {
        let count = |columns: usize| columns as u64;
        let blocks = vec![
            Block::Cube { columns: count(numbers) },
            Block::OneNorm { columns: count(first), bound: 1.0 },
            Block::OneNorm { columns: count(second), bound: 2.0 },
            Block::Ball { columns: count(ball), bound: 1.5 },
        ];
        let dimension = numbers + first + second + ball + 1;
        let ends = [numbers, numbers + first, numbers + first + second, dimension - 1];
        let part = |kind, places: Vec<usize>, length| Part { kind, places, length };
        let parts = vec![
            part(Kind::Numbers, (0..numbers).chain([dimension - 1]).collect(), 1.0),
            part(Kind::Levels, (ends[0]..ends[1]).collect(), 1.0),
            part(Kind::Levels, (ends[1]..ends[2]).collect(), 2.0),
            part(Kind::Ball, (ends[2]..ends[3]).collect(), 1.5),
        ];
        Self { blocks, parts, dimension }
    }

    fn bounds(&self) -> Bounds {
        let shape = Shape::new(self.blocks.clone()).unwrap();
        Bounds::of_shape(shape).unwrap().with_intercept(true).unwrap().with_max_rows(1000).unwrap()
    }

    /// Forty rows on the edges of their blocks.
    fn rows(&self) -> (Vec<Vec<f64>>, Vec<f64>) {
        let row = |k: usize| {
            let mut row = vec![0.0; self.dimension - 1];
            for part in &self.parts {
                let places: Vec<usize> =
                    part.places.iter().copied().filter(|place| *place < row.len()).collect();
                if part.kind == Kind::Numbers {
                    for place in places {
                        row[place] = if (k * 7 + place * 3) % 5 < 2 { 1.0 } else { -1.0 };
                    }
                } else {
                    let sign = if k.is_multiple_of(3) { -1.0 } else { 1.0 };
                    row[places[k % places.len()]] = sign * part.length;
                }
            }
            row
        };
        ((0..40).map(row).collect(), (0..40).map(|k| if k % 3 == 1 { 1.0 } else { -1.0 }).collect())
    }

    fn records(&self) -> Records<Logistic> {
        let (rows, classes) = self.rows();
        Records::new(Logistic, self.bounds(), OutOfBounds::Refuse, rows.concat(), classes).unwrap()
    }

    /// −∇J(θ), which is b where θ minimises J + ⟨b, θ⟩.
    fn tilt(&self, theta: &[f64], regulariser: f64) -> Vec<f64> {
        let (rows, classes) = self.rows();
        let mut tilt: Vec<f64> = theta.iter().map(|x| -regulariser * x).collect();
        for (row, y) in rows.iter().zip(classes) {
            let with_one = || row.iter().chain([&1.0]);
            let z: f64 = with_one().zip(theta).map(|(x, t)| x * t).sum();
            let slope = -y / (1.0 + (y * z).exp());
            with_one().zip(&mut tilt).for_each(|(x, b)| *b -= slope * x);
        }
        tilt
    }

    /// Scales for ε = 1 by the rule of the cube root.
    fn scales(&self) -> Vec<f64> {
        let variance = |part: &Part| {
            let k = part.places.len() as f64;
            let one = match part.kind {
                Kind::Numbers => k * (k + 1.0) * (k + 2.0) / 3.0,
                Kind::Levels => 2.0 * k,
                Kind::Ball => k * (k + 1.0),
            };
            (one * part.length * part.length).cbrt()
        };
        let all: f64 = self.parts.iter().map(variance).sum();
        self.parts.iter().map(|part| part.length * all / variance(part)).collect()
    }

    /// Deviations for m = 1: σ² = r/√k·Σ r√k, r in the Euclidean norm.
    fn deviations(&self) -> Vec<f64> {
        let of = |part: &Part| {
            let root = (part.places.len() as f64).sqrt();
            (if part.kind == Kind::Numbers { root } else { part.length }, root)
        };
        let all: f64 = self.parts.iter().map(of).map(|(r, root)| r * root).sum();
        self.parts.iter().map(of).map(|(r, root)| (r / root * all).sqrt()).collect()
    }
}

fn learner(regulariser: f64, guarantee: Guarantee) -> Learner {
    Learner::new(regulariser).guarantee(guarantee).mechanism(MechanismKind::Objective).expected_rows(40)
}

fn pure() -> Guarantee {
    Guarantee::Pure(Epsilon::new(1.0).unwrap())
}

fn gaussian() -> Guarantee {
    Guarantee::Gaussian(Mu::new(1.0).unwrap())
}

/// b of n fits.
fn tilts(table: &Table, learner: Learner, regulariser: f64, n: u64) -> Vec<Vec<f64>> {
    let (records, bounds) = (table.records(), table.bounds());
    let problem = learner.problem(Logistic, bounds, table.dimension).unwrap();
    let plan = learner.objective(&problem).unwrap();
    assert_eq!((plan.tilt().blocks().len(), plan.price()), (4, Price::Free));
    let one = |seed: u64| {
        let release = plan.release(&records, &mut ReplayRng::new(seed)).unwrap().0;
        table.tilt(release.theta(), regulariser)
    };
    (0..n).into_par_iter().map(one).collect()
}

/// Half of the distribution function of |z|, on the side of z.
fn signed(z: f64, folded: f64) -> f64 {
    0.5 + 0.5 * folded.copysign(z)
}

/// b as numbers that are uniform if the law is right, and the pairs of them that are independent.
fn uniforms(table: &Table, scales: &[f64], b: &[f64]) -> Uniforms {
    let mut numbers = vec![f64::NAN; table.dimension];
    let (mut norms, mut pairs, mut free) = (Vec::new(), Vec::new(), Vec::new());
    for (part, scale) in table.parts.iter().zip(scales) {
        let z: Vec<f64> = part.places.iter().map(|place| b[*place] / scale).collect();
        let k = z.len() as f64;
        let sizes = || z.iter().map(|x| x.abs());
        let (norm, shape) = match part.kind {
            Kind::Numbers => (sizes().fold(0.0, f64::max), k),
            Kind::Levels => (sizes().sum(), k),
            Kind::Ball => (sizes().map(|x| x * x).sum::<f64>().sqrt(), k),
        };
        for (place, x) in part.places.iter().zip(&z) {
            let size = x.abs().max(1e-300);
            let folded = match part.kind {
                // r·U with r gamma of shape k + 1.
                Kind::Numbers => 1.0 - (gamma_ur(k + 1.0, size) - size * gamma_ur(k, size) / k),
                Kind::Levels => -(-size).exp_m1(),
                // The share of the squared norm, whatever the norm.
                Kind::Ball => beta_reg(0.5, 0.5 * (k - 1.0), (size / norm).powi(2).clamp(1e-300, 1.0)),
            };
            numbers[*place] = signed(*x, folded);
        }
        match part.kind {
            Kind::Levels => free.extend(part.places.iter().copied()),
            // Two coordinates are as likely to be the larger one, and their ratio knows nothing of the radius.
            Kind::Numbers => numbers.extend(z.windows(2).map(|pair| {
                let ratio = (pair[0] / pair[1]).abs();
                signed(pair[0] / pair[1], if ratio <= 1.0 { 0.5 * ratio } else { 1.0 - 0.5 / ratio })
            })),
            Kind::Ball => {}
        }
        norms.push(gamma_lr(shape, norm.max(1e-300)));
    }
    // One number of each of the other blocks is independent of every level, and so are norms of different blocks.
    let [numbers_place, ball_place] = [0, 3].map(|part: usize| table.parts[part].places[0]);
    free.extend([numbers_place, ball_place]);
    pairs.extend(free.iter().enumerate().flat_map(|(k, i)| free[..k].iter().map(move |j| (*j, *i))));
    let first = numbers.len();
    numbers.extend(norms);
    pairs.extend((0..4).flat_map(|i| (0..i).map(move |j| (first + j, first + i))));
    Uniforms { numbers, pairs }
}

fn look(table: &Table, scales: &[f64], tilts: &[Vec<f64>]) -> Option<String> {
    rejected(&tilts.iter().map(|b| uniforms(table, scales, b)).collect::<Vec<_>>())
}

type Fault = fn(&Table, &mut Vec<f64>);

/// n = 300 fits with 200 parameters, and 4000 with 12, where one term of the radius more or less is seen.
#[test]
fn every_coordinate_of_every_block_is_tilted() {
    for (table, n) in [(Table::new(60, [90, 29], 20), 300), (Table::new(2, [3, 2], 4), 4000)] {
        let regulariser = 100.0;
        let found = tilts(&table, learner(regulariser, pure()), regulariser, n);
        let scales: Vec<f64> = table.scales().iter().map(|scale| scale / 0.99).collect();
        assert_eq!(look(&table, &scales, &found), None, "{n}");
        // The same eyes see these faults.
        let faults: [(&str, Fault); 6] = [
            ("a block of levels without noise", |it, b| it.parts[2].places.iter().for_each(|j| b[*j] = 0.0)),
            ("no noise on the intercept", |it, b| b[it.dimension - 1] = 0.0),
            ("one noise for two levels", |it, b| b[it.parts[1].places[1]] = b[it.parts[1].places[0]]),
            ("one noise for two numbers", |_, b| b[1] = b[0]),
            ("a cube of half the side", |it, b| it.parts[0].places.iter().for_each(|j| b[*j] *= 0.5)),
            ("levels of two thirds the scale", |it, b| it.parts[1].places.iter().for_each(|j| b[*j] /= 1.5)),
        ];
        for (fault, apply) in faults {
            let mut faulty = found.clone();
            for b in &mut faulty {
                apply(&table, b);
            }
            assert!(look(&table, &scales, &faulty).is_some(), "{n}: {fault}");
        }
    }
}

/// The same for the normal law: all coordinates are independent.
#[test]
fn every_coordinate_of_a_normal_tilt_has_the_deviation_of_its_block() {
    let (table, regulariser) = (Table::new(60, [90, 29], 20), 20_000.0);
    let found = tilts(&table, learner(regulariser, gaussian()), regulariser, 300);
    let m = 0.99_f64.sqrt();
    let mut deviations = vec![0.0; table.dimension];
    for (part, deviation) in table.parts.iter().zip(table.deviations()) {
        part.places.iter().for_each(|place| deviations[*place] = deviation / m);
    }
    let look = |tilts: &[Vec<f64>]| {
        let pairs: Vec<(usize, usize)> =
            (0..table.dimension).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
        let one = |b: &Vec<f64>| Uniforms {
            numbers: b.iter().zip(&deviations).map(|(x, deviation)| normal(x / deviation)).collect(),
            pairs: pairs.clone(),
        };
        rejected(&tilts.iter().map(one).collect::<Vec<_>>())
    };
    assert_eq!(look(&found), None);
    for part in &table.parts {
        let mut faulty = found.clone();
        for b in &mut faulty {
            part.places.iter().for_each(|place| b[*place] *= 0.5);
        }
        assert!(look(&faulty).is_some(), "half the deviation");
    }
}

fn blocks(certificate: &mut Certificate) -> &mut Vec<asap_contracts::BlockNoise> {
    let Body::Objective(objective) = &mut certificate.mechanism else { panic!("objective") };
    let Tilt::Blocks(blocks) = &mut objective.tilt else { panic!("blocks") };
    blocks
}

fn share(certificate: &mut Certificate) -> &mut f64 {
    &mut certificate.ledger.shares.iter_mut().find(|share| share.name == "tilt").expect("a share").spent
}

fn certificate(table: &Table, learner: Learner) -> Certificate {
    let release = learner.fit(&table.records(), &mut ReplayRng::new(5)).unwrap();
    release.check().unwrap();
    release.certificate().clone()
}

fn refused(certificate: Certificate) -> Option<String> {
    asap_contracts::Release::new(certificate).check().err().map(|failed| failed.to_string())
}

/// Each of four blocks counts, with its own scale, law and number of columns, for both guarantees and relations.
#[test]
fn the_share_of_every_block_counts() {
    let table = Table::new(3, [4, 4], 2);
    for guarantee in [pure(), gaussian()] {
        for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
            let genuine = certificate(&table, learner(400.0, guarantee).neighbours(neighbours));
            let edited = |edit: &dyn Fn(&mut Vec<asap_contracts::BlockNoise>)| {
                let mut certificate = genuine.clone();
                edit(blocks(&mut certificate));
                refused(certificate).expect("refused")
            };
            for k in 0..4 {
                let less = edited(&|blocks| blocks[k].steps -= 1 + blocks[k].steps / (1 << 30));
                assert!(less.contains("tilt covers"), "{less}");
                assert!(edited(&|blocks| blocks[k].steps = 0).contains("for each block"));
                let without = |blocks: &mut Vec<asap_contracts::BlockNoise>| {
                    blocks.remove(k);
                };
                assert!(edited(&without).contains("for each block"));
                assert!(edited(&|blocks| blocks[k].columns += 1).contains("for each block"));
            }
            // Two blocks of four columns: the scales of one are not those of the other, whose rows are twice as long.
            assert!(edited(&|blocks| blocks[2] = blocks[1]).contains("tilt covers"));
            if neighbours == Neighbours::AddRemove {
                // The noise that hides one loss more does not hide one in place of another.
                let mut other = genuine.clone();
                other.neighbours = asap_contracts::Neighbours::ReplaceOne;
                let failed = refused(other).expect("refused");
                assert!(failed.contains("Lipschitz"), "{failed}");
                let mut other = genuine.clone();
                other.neighbours = asap_contracts::Neighbours::ReplaceOne;
                let Body::Objective(objective) = &mut other.mechanism else { panic!("objective") };
                objective.lipschitz *= 2.0;
                let failed = refused(other).expect("refused");
                assert!(failed.contains("tilt covers"), "{failed}");
            }
        }
    }
}

/// An f64 as a whole number of 2^−200.
fn units(x: f64) -> BigUint {
    let bits = x.to_bits();
    let (mantissa, exponent) =
        ((bits & ((1 << 52) - 1)) | (1 << 52), i64::try_from(bits >> 52).unwrap() - 1075);
    BigUint::from(mantissa) << usize::try_from(exponent + 200).unwrap()
}

/// Σ r/s·G ≤ ε_b·ρ is decided on the last bit: the smallest share that whole numbers allow is accepted, the f64 below
/// it is not. A sum of quotients in f64 is wrong about some of them.
#[test]
fn shares_of_blocks_are_added_exactly() {
    let mut wrong = 0;
    for (columns, slip) in (1..=8).flat_map(|columns| [(columns, 0), (columns, 1), (columns, 2)]) {
        let table = Table::new(columns, [columns + 1, 3], 2);
        let mut certificate = certificate(&table, learner(400.0, pure()));
        for block in blocks(&mut certificate) {
            block.steps += slip;
        }
        let Body::Objective(objective) = &certificate.mechanism else { panic!("objective") };
        let (lipschitz, row) = (objective.lipschitz, certificate.problem.row_norm);
        // r·(1 + 2^−30) for what is computed; a number is compared with 1 as it is.
        let slack = 1.0 + 2.0_f64.powi(-30);
        let lengths = [1.0, slack, 2.0 * slack, 1.5 * slack];
        let scales: Vec<f64> = blocks(&mut certificate)
            .iter()
            .map(|block| block.steps as f64 * 2.0_f64.powi(block.exponent))
            .collect();
        let product =
            |but: usize| -> BigUint { (0..4).filter(|k| *k != but).map(|k| units(scales[k])).product() };
        let moved: BigUint =
            (0..4).map(|k| units(lengths[k]) * product(k)).sum::<BigUint>() * units(lipschitz);
        // One number of 2^−200 less than on the other side.
        let (moved, room) = (moved << 200_usize, units(row) * product(4));
        let fits = |share: f64| moved <= units(share) * &room;
        let rounded = lengths.iter().zip(&scales).map(|(r, s)| r / s).sum::<f64>() * lipschitz / row;
        let mut least = rounded;
        while fits(least) {
            least = least.next_down();
        }
        while !fits(least) {
            least = least.next_up();
        }
        assert!((least / rounded - 1.0).abs() < 1e-14);
        wrong += usize::from((rounded <= least.next_down()) || (rounded > least));
        *share(&mut certificate) = least;
        assert_eq!(refused(certificate.clone()), None, "{columns} {slip}");
        *share(&mut certificate) = least.next_down();
        let failed = refused(certificate).expect("refused");
        assert!(failed.contains("tilt covers"), "{columns} {slip}: {failed}");
    }
    assert!(wrong >= 3, "f64 is wrong about {wrong} of 24");
}

/// Scales as planned are those by hand.
#[test]
fn planned_scales_are_those_of_the_page() {
    let table = Table::new(5, [7, 3], 4);
    for (guarantee, regulariser, expected, part) in
        [(pure(), 100.0, table.scales(), 0.99), (gaussian(), 20_000.0, table.deviations(), 0.99_f64.sqrt())]
    {
        let learner = learner(regulariser, guarantee);
        let problem = learner.problem(Logistic, table.bounds(), table.dimension).unwrap();
        let plan = learner.objective(&problem).unwrap();
        let scales: Vec<f64> = plan.tilt().blocks().iter().map(BlockNoise::scale).collect();
        assert_eq!(scales.len(), 4);
        assert!(
            scales.iter().zip(&expected).all(|(a, b)| (a * part / b - 1.0).abs() < 1e-7),
            "{scales:?} {expected:?}"
        );
    }
}
