//! The constants of the built-in losses are recomputed; a user's are believed.

use crate::build::{Kind, certificate, first, kinds, stages};
use crate::clauses::{Edit, expect};
use asap_contracts::*;

/// What is known of a built-in loss is checked; of a user's loss it is believed.
#[test]
fn constants_of_the_loss_are_recomputed() {
    let near: (_, _, Edit) = ("own:losses", "Lipschitz constant where the minimisers are", |c| {
        first(c).0.lipschitz = first(c).0.lipschitz.next_down();
    });
    let far: (_, _, Edit) = ("lem:sensitivity_minimizer", "minimiser bound holds every minimiser", |c| {
        // 0.832² · 8 = 5.537 < 8 ln 2 = 5.545; 1.414² < 2; 1 is an equality.
        first(c).0.bound = match c.problem.loss {
            Loss::Logistic => 0.832,
            Loss::Squared => 1.414,
            _ => 1.0_f64.next_down(),
        };
    });
    let ball: (_, _, Edit) = ("own:losses", "Lipschitz constant on the ball", |c| {
        let reference = &mut stages(c).unwrap().reference;
        reference.lipschitz = reference.lipschitz.next_down();
    });
    let doubled: (_, _, Edit) = ("own:losses", "Lipschitz constant where the minimisers are", |c| {
        c.neighbours = Neighbours::ReplaceOne;
    });
    for kind in kinds() {
        let mut edits = vec![near, far];
        edits.extend(kind.sampler.is_some().then_some(ball));
        edits.extend((kind.neighbours == Neighbours::AddRemove).then_some(doubled));
        for (spec, clause, edit) in edits {
            let mut edited = certificate(&kind);
            edit(&mut edited);
            if kind.is_user() {
                Release::new(edited).check().unwrap();
            } else {
                expect(edited, spec, clause, &kind);
            }
        }
    }
}

/// Far from its kink Huber's loss is the squared one, and has its constants.
#[test]
fn a_wide_huber_loss_is_squared() {
    for kind in kinds().into_iter().filter(|kind| kind.loss == Loss::Squared) {
        let mut wide = certificate(&kind);
        wide.problem.loss = Loss::Huber { delta: 100.0 };
        Release::new(wide.clone()).check().unwrap();
        let mut edited = wide.clone();
        first(&mut edited).0.lipschitz = first(&mut edited).0.lipschitz.next_down();
        expect(edited, "own:losses", "Lipschitz constant where the minimisers are", &kind);
        first(&mut wide).0.bound = 1.414;
        expect(wide, "lem:sensitivity_minimizer", "minimiser bound holds every minimiser", &kind);
    }
}

/// The author's word about a loss has to be a number.
#[test]
fn a_users_constants_are_positive() {
    for kind in kinds().into_iter().filter(Kind::is_user) {
        let mut edited = certificate(&kind);
        first(&mut edited).0.lipschitz = 0.0;
        expect(edited, "own:losses", "Lipschitz constant where the minimisers are", &kind);
        let mut edited = certificate(&kind);
        if let Some(posterior) = stages(&mut edited) {
            posterior.reference.lipschitz = 0.0;
            expect(edited, "own:losses", "Lipschitz constant on the ball", &kind);
        }
    }
}
