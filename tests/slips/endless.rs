//! A search that would never end is refused by public numbers, before a record is read.
//!
//! Seen red: `refuse_endless` left out of either search. Not seen here: the momentum kept uphill, which costs time
//! only, and which a small problem does not need.

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::loss::{Huber, Loss, Squared};
use asap_dp::noise::RandomBits;
use asap_dp::{Error, Learner, MechanismKind, ReplayRng};

const D: usize = 6;

fn records<L: Loss>(loss: L, rows: usize) -> Records<L> {
    let mut rng = ReplayRng::new(3);
    let mut number = || (rng.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(1000).unwrap();
    let features = (0..rows * D).map(|_| 0.4 * number()).collect();
    let targets = (0..rows).map(|_| number()).collect();
    Records::new(loss, bounds, OutOfBounds::Clip, features, targets).unwrap()
}

fn learner(kind: MechanismKind, regulariser: f64) -> Learner {
    Learner::new(regulariser).parameter_bound(10.0).epsilon(1.0).unwrap().mechanism(kind)
}

/// Huber, δ = 4.8·10²³, Λ = 2.8·10⁻⁵²: the momentum is 1, and 20(√cond + 1) steps are 10²⁹. Also the edge of the limit.
#[test]
fn a_search_without_end_is_not_planned() {
    let records = records(Huber::new(4.8e23).unwrap(), 20);
    // (Λ + 1000·β)/Λ, β = (1 + 2⁻³⁰)², is 2⁴³ at about this Λ.
    let edge = 1000.0 / (2_f64.powi(43) - 1.0);
    for kind in [MechanismKind::Output, MechanismKind::Posterior] {
        for regulariser in [2.8e-52, 1e-20, edge * (1.0 - 1e-8)] {
            let Err(refused) = learner(kind, regulariser).plan_for(&records) else {
                panic!("{kind:?} {regulariser:e} is planned")
            };
            let field = match refused {
                Error::Input(input) => input.field,
                other => panic!("{other}"),
            };
            assert_eq!(field, "regulariser", "{kind:?} {regulariser:e}");
        }
    }
    assert!(learner(MechanismKind::Output, edge * (1.0 + 1e-8)).plan_for(&records).is_ok());
    // A tilt with a budget for its Jacobian.
    let tilted = |regulariser| learner(MechanismKind::Objective, regulariser).epsilon(60.0).unwrap();
    assert!(tilted(edge * (1.0 + 1e-8)).plan_for(&records).is_ok());
    let refused = tilted(edge * (1.0 - 1e-8)).plan_for(&records).err().unwrap();
    assert!(matches!(refused, Error::Input(input) if input.field == "regulariser"), "{refused}");
}

/// What is planned ends: at the edge, where momentum alone would swing for 10⁸ steps.
#[test]
fn a_planned_search_ends() {
    fn run<L: Loss>(loss: L) {
        let records = records(loss, 20);
        for regulariser in [1.2e-10, 1e-6, 1e-3] {
            let learner = learner(MechanismKind::Output, regulariser);
            let release = learner.fit(&records, &mut ReplayRng::new(1)).unwrap();
            release.check().unwrap();
        }
    }
    run(Squared);
    run(Huber::new(4.8e23).unwrap());
    run(Huber::new(0.1).unwrap());
}
