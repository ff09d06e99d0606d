//! Weights of classes, blocks of columns and the number of parameters: each clause at its edge and beyond it.
//! Found by mutants: without these tests nobody noticed when one of the comparisons was turned round, or a sum of
//! squares became a product.

use crate::build::{Kind, certificate};
use asap_contracts::*;

const COLUMNS: &str = "blocks have all columns";
const LENGTH: &str = "feature norm covers the blocks";
const WEIGHTS: &str = "classes weigh at most 1, of a loss that has classes";

fn output(loss: Loss) -> Certificate {
    let neighbours = Neighbours::AddRemove;
    certificate(&Kind { loss, neighbours, pure: true, sampler: None, euclidean: true })
}

/// The first clause that fails, if any.
fn clause(certificate: Certificate) -> &'static str {
    Release::new(certificate).check().err().map_or("", |failed| failed.clause())
}

/// Three columns and the intercept.
fn shaped(feature_norm: f64, blocks: &[Block]) -> &'static str {
    let mut certificate = output(Loss::Logistic);
    certificate.problem.feature_norm = feature_norm;
    certificate.problem.shape = Some(blocks.to_vec());
    clause(certificate)
}

#[test]
fn blocks_have_the_columns_of_a_row() {
    let small = |columns| Block::Ball { columns, bound: 0.25 };
    assert_eq!(shaped(1.0, &[small(3)]), "");
    assert_eq!(shaped(1.0, &[small(1), small(2)]), "");
    for wrong in [&[small(2)][..], &[small(4)], &[small(2), small(2)], &[small(3), small(0)], &[]] {
        assert_eq!(shaped(1.0, wrong), COLUMNS, "{wrong:?}");
    }
    assert_eq!(shaped(1.0, &[small(u64::MAX), small(4)]), COLUMNS);
    // The intercept alone is no block.
    let mut certificate = output(Loss::Logistic);
    certificate.problem.dimension = 1;
    certificate.theta.truncate(1);
    certificate.problem.shape = Some(Vec::new());
    assert_eq!(clause(certificate), COLUMNS);
}

/// (3/4)² + 1² = (5/4)², and (1/2)² + (1/2)² + (1/2)² + (1/2)² = 1.
#[test]
fn the_feature_norm_covers_the_blocks() {
    let one_norm = |columns, bound| Block::OneNorm { columns, bound };
    let ball = |columns, bound| Block::Ball { columns, bound };
    for last in [Block::Cube { columns: 1 }, ball(1, 1.0), one_norm(1, 1.0)] {
        let blocks = [one_norm(2, 0.75), last];
        // Then the row norm is too small, which is looked at next.
        assert_eq!(shaped(1.25, &blocks), "row norm covers features and intercept", "{last:?}");
        assert_eq!(shaped(1.25_f64.next_down(), &blocks), LENGTH, "{last:?}");
        assert_eq!(shaped(1.0, &blocks), LENGTH, "{last:?}");
    }
    assert_eq!(shaped(1.0, &[ball(3, 1.0)]), "");
    assert_eq!(shaped(1.0, &[ball(3, 1.0_f64.next_up())]), LENGTH);
    assert_eq!(shaped(1.0, &[Block::Cube { columns: 3 }]), LENGTH);
    for bad in [0.0, -0.25, f64::NAN, f64::INFINITY] {
        assert_eq!(shaped(1.0, &[ball(3, bad)]), LENGTH, "{bad}");
        assert_eq!(shaped(1.0, &[ball(1, 0.25), one_norm(2, bad)]), LENGTH, "{bad}");
    }
}

#[test]
fn classes_weigh_at_most_one() {
    let weighed = |loss, weights| {
        let mut certificate = output(loss);
        certificate.problem.class_weights = Some(weights);
        certificate.claims.push(Claim { spec: "own:class-weights".into(), status: Status::Proved });
        clause(certificate)
    };
    for weights in [[1.0, 1.0], [0.5, 1.0], [1.0, f64::MIN_POSITIVE]] {
        assert_eq!(weighed(Loss::Logistic, weights), "", "{weights:?}");
        assert_eq!(weighed(Loss::Squared, weights), WEIGHTS);
    }
    for bad in [1.0_f64.next_up(), 2.0, 0.0, -0.5, f64::NAN, f64::INFINITY] {
        assert_eq!(weighed(Loss::Logistic, [bad, 1.0]), WEIGHTS, "{bad}");
        assert_eq!(weighed(Loss::Logistic, [1.0, bad]), WEIGHTS, "{bad}");
    }
}

/// (d + 3)·2⁻⁵³ ≤ 2⁻³⁰.
#[test]
fn computed_norms_have_so_many_parameters() {
    let clause_of = |dimension: u32| {
        let mut certificate = output(Loss::Logistic);
        certificate.problem.dimension = dimension.into();
        certificate.theta = vec![0.0; dimension as usize];
        clause(certificate)
    };
    assert_ne!(clause_of((1 << 23) - 3), "dimension is small enough for computed norms");
    assert_eq!(clause_of((1 << 23) - 2), "dimension is small enough for computed norms");
}
