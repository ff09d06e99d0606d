//! Tilts with a law for each block, every number worked out here, and each part of the sums broken by itself. Found by
//! mutants: in this crate no test had a tilt of blocks, and `hides_pure` could be true whatever the scales were.
//!
//! d = 4: two levels with 1-norm ½, one column with 2-norm ½, the intercept. As in `objective`: ρ = 1.5, G = 1.5 for
//! the logistic loss, so that G/ρ = 1. The lengths are 1 for the intercept, which has the law of the cube, and
//! ½·(1 + 2⁻³⁰) for the others: a scale of 2⁻²⁸·(2³⁰ + 1) = 4·(1 + 2⁻³⁰) makes r/s one eighth.
//!
//! Under ε = ½: 1/8 + 1/8 + 1/4 = ½. Under μ: (1/4)² + (1/4)² + (1/8)²·8 …: 1/16 + 1/16 + 1/8 = ¼ = (½)².

use crate::objective::{body, certificate, failure, gaussian};
use asap_contracts::*;

const KIND: &str = "tilt has a law of the kind of the guarantee in the 2-norm, or for each block";
const COVERS: &str = "tilt covers the Lipschitz constant";

/// 2³⁰ + 1: with the exponent −30 it is 1 + 2⁻³⁰.
const ROUNDED: u64 = (1 << 30) + 1;

fn blocks() -> Vec<Block> {
    vec![Block::OneNorm { columns: 2, bound: 0.5 }, Block::Ball { columns: 1, bound: 0.5 }]
}

fn part(columns: u64, law: BlockLaw, exponent: i32, steps: u64) -> BlockNoise {
    BlockNoise { columns, law, exponent, steps }
}

fn pure() -> Certificate {
    let mut certificate = certificate(&(Loss::Logistic, Neighbours::AddRemove, true));
    certificate.problem.shape = Some(blocks());
    body(&mut certificate).tilt = Tilt::Blocks(vec![
        part(1, BlockLaw::CubeLaplace, -10, 8 << 10),
        part(2, BlockLaw::Laplace, -28, ROUNDED),
        part(1, BlockLaw::EuclideanLaplace, -29, ROUNDED),
    ]);
    certificate.claims.push(Claim { spec: "own:shaped-tilt".into(), status: Status::Proved });
    certificate
}

/// What is left of the share of the tilt is ½, as in `objective`.
fn normal() -> Certificate {
    let mut certificate = gaussian(&(Loss::Logistic, Neighbours::AddRemove, true));
    certificate.problem.shape = Some(blocks());
    body(&mut certificate).tilt = Tilt::Blocks(vec![
        part(1, BlockLaw::Normal, -10, 4 << 10),
        part(2, BlockLaw::Normal, -29, ROUNDED),
        // (½/σ)² = 1/8: σ² = 2, and 1.41421357 is above √2.
        part(1, BlockLaw::Normal, -30, (ROUNDED * 141_421_357).div_ceil(100_000_000)),
    ]);
    certificate.claims.push(Claim { spec: "own:shaped-tilt".into(), status: Status::Proved });
    certificate
}

fn parts(certificate: &mut Certificate) -> &mut Vec<BlockNoise> {
    match &mut body(certificate).tilt {
        Tilt::Blocks(parts) => parts,
        Tilt::Whole(_) => panic!("one law"),
    }
}

#[test]
fn the_scales_of_all_blocks_count() {
    for (whole, exact) in [(pure(), true), (normal(), false)] {
        Release::new(whole.clone()).check().unwrap_or_else(|failed| panic!("{failed}"));
        for k in 0..3 {
            // One step less where it is an equality, a thousandth where a root was rounded up.
            let mut edited = whole.clone();
            let steps = &mut parts(&mut edited)[k].steps;
            *steps -= if exact { 1 } else { *steps / 1000 };
            assert_eq!(failure(edited), COVERS, "part {k}");
            // A part that is next to nothing costs all there is.
            let mut edited = whole.clone();
            parts(&mut edited)[k].steps = 1;
            assert_eq!(failure(edited), COVERS, "part {k}");
        }
        let mut edited = whole.clone();
        body(&mut edited).lipschitz *= 1.001;
        assert_eq!(failure(edited), COVERS);
        let mut edited = whole.clone();
        edited.ledger.shares[0].spent *= 0.999;
        assert_eq!(failure(edited), COVERS);
        let mut edited = whole;
        edited.neighbours = Neighbours::ReplaceOne;
        body(&mut edited).lipschitz *= 2.0;
        assert_eq!(failure(edited), COVERS);
    }
}

#[test]
fn each_block_has_its_law_and_its_columns() {
    for whole in [pure(), normal()] {
        let laws = [BlockLaw::CubeLaplace, BlockLaw::Laplace, BlockLaw::EuclideanLaplace, BlockLaw::Normal];
        for k in 0..3 {
            for law in laws {
                let mut edited = whole.clone();
                let part = &mut parts(&mut edited)[k];
                if part.law != law {
                    part.law = law;
                    assert_eq!(failure(edited), KIND, "part {k}: {law:?}");
                }
            }
            let mut edited = whole.clone();
            parts(&mut edited)[k].columns += 1;
            assert_eq!(failure(edited), KIND);
            let mut edited = whole.clone();
            parts(&mut edited)[k].steps = 0;
            assert_eq!(failure(edited), KIND);
            let mut edited = whole.clone();
            parts(&mut edited).remove(k);
            assert_eq!(failure(edited), KIND);
            for exponent in [-1023, 971] {
                let mut edited = whole.clone();
                parts(&mut edited)[k].exponent = exponent;
                assert_eq!(failure(edited), "lattice steps are normal numbers");
            }
        }
        let mut edited = whole.clone();
        let last = parts(&mut edited)[2];
        parts(&mut edited).push(last);
        assert_eq!(failure(edited), KIND);
        let mut edited = whole.clone();
        edited.problem.shape = None;
        assert_eq!(failure(edited), KIND);
        let mut edited = whole;
        parts(&mut edited).clear();
        assert_eq!(failure(edited), KIND);
    }
}

/// Without an intercept and without a cube there is no first part; cubes and the intercept have one together.
#[test]
fn cubes_and_the_intercept_are_one_part() {
    let mut certificate = pure();
    certificate.problem.intercept = false;
    certificate.problem.dimension = 3;
    certificate.theta.truncate(3);
    parts(&mut certificate).remove(0);
    Release::new(certificate).check().unwrap_or_else(|failed| panic!("{failed}"));

    // A cube of one column and one column with 2-norm ½: R² is 2.25 ≥ 1 + ¼, and ρ = 2 is 1.5² + 1 rounded up.
    let mut certificate = pure();
    certificate.problem.dimension = 3;
    certificate.theta.truncate(3);
    certificate.problem.shape =
        Some(vec![Block::Ball { columns: 1, bound: 0.5 }, Block::Cube { columns: 1 }]);
    (certificate.problem.feature_norm, certificate.problem.row_norm) = (1.5, 2.0);
    (body(&mut certificate).lipschitz, body(&mut certificate).smoothness) = (2.0, 1.0);
    certificate.ledger.shares[1].spent = 0.125_f64.ln_1p() * (1.0 + 1e-12);
    let of = |cubes: u64, steps: u64| {
        let mut edited = certificate.clone();
        body(&mut edited).tilt = Tilt::Blocks(vec![
            part(cubes, BlockLaw::CubeLaplace, -12, steps),
            part(1, BlockLaw::EuclideanLaplace, -29, ROUNDED),
        ]);
        edited
    };
    Release::new(of(2, 4 << 12)).check().unwrap_or_else(|failed| panic!("{failed}"));
    assert_eq!(failure(of(2, (4 << 12) - 1)), COVERS);
    assert_eq!(failure(of(1, 4 << 12)), KIND);
}

/// Under μ the length of k numbers up to 1 is √k: three and the intercept are 2 long, so that σ = 4 makes r/σ one half.
/// R = 2, ρ = 2.25, and G/ρ = 1.
#[test]
fn numbers_are_as_long_as_their_root_under_a_normal_tilt() {
    let mut certificate = normal();
    certificate.problem.shape = Some(vec![Block::Cube { columns: 3 }]);
    (certificate.problem.feature_norm, certificate.problem.row_norm) = (2.0, 2.25);
    (body(&mut certificate).lipschitz, body(&mut certificate).smoothness) = (2.25, 1.265_625);
    let covers = |steps: u64| {
        let mut edited = certificate.clone();
        body(&mut edited).tilt = Tilt::Blocks(vec![part(4, BlockLaw::Normal, -10, steps)]);
        failure_or_nothing(edited)
    };
    assert_eq!(covers(4 << 10), "");
    assert_eq!(covers((4 << 10) - 1), COVERS);
}

/// A user's loss under a normal tilt has to keep the sign of its slope, which is told; under a pure one it need not.
#[test]
fn what_a_tilt_needs_of_a_users_loss_is_told() {
    let case = (crate::build::losses()[3].clone(), Neighbours::AddRemove, true);
    for (certificate, told) in [(certificate(&case), 3), (gaussian(&case), 4)] {
        let verdict = Release::new(certificate).check().unwrap();
        let about = verdict.assumed.iter().filter(|it| it.spec == "own:losses").count();
        assert_eq!(about, told);
    }
}

fn failure_or_nothing(certificate: Certificate) -> &'static str {
    Release::new(certificate).check().err().map_or("", |failed| failed.clause())
}

/// √(Σ half a step squared): lattices of 2⁻¹⁰ and 2⁻¹¹ for one column each and 2⁻¹² for two. Charges from
/// there on, and not below.
#[test]
fn the_lattice_of_every_block_is_paid_for() {
    const CLAUSE: &str =
        "charge covers the gradients of the largest data set, the tilt's lattice and the updates";
    let mut whole = pure();
    for (part, exponent) in parts(&mut whole).iter_mut().zip([-10, -12, -11]) {
        *part = BlockNoise { exponent, steps: 1 << 30, ..*part };
    }
    let lattice = [(1.0, -10), (2.0, -12), (1.0, -11)].map(|(columns, exponent)| {
        let half = 2_f64.powi(exponent - 1);
        columns * half * half
    });
    let needed = lattice.iter().sum::<f64>().sqrt() / whole.problem.regulariser;
    for (factor, refused) in [(1.0 + 1e-9, false), (1.0 - 1e-9, true)] {
        let mut edited = whole.clone();
        body(&mut edited).asap.charge = needed * factor;
        let found = Release::new(edited).check().err().map(|failed| failed.clause());
        assert_eq!(found, refused.then_some(CLAUSE));
    }
}
