//! What a verdict says is left to believe.

use crate::build::{Kind, certificate, kinds, release};
use asap_contracts::*;

fn assumed(kind: &Kind) -> Vec<Assumed> {
    release(kind).check().unwrap().assumed
}

fn of(assumed: &[Assumed], spec: &str) -> usize {
    assumed.iter().filter(|it| it.spec == spec).count()
}

#[test]
fn every_assumption_is_told() {
    for kind in kinds() {
        let assumed = assumed(&kind);
        let mala = matches!(kind.sampler, Some((Sampler::Mala, _)));
        let asymptotic = kind.sampler == Some((Sampler::Mala, Calibration::Paper));
        let told = |spec| of(&assumed, spec);
        assert_eq!(told("own:certificate"), 1);
        assert_eq!(told("assumptions:randomness"), 1);
        // Derived again for the built-in losses; for a user's loss made of what it claims.
        assert_eq!(told("own:certified-minimiser"), usize::from(kind.is_user()));
        let charged = kind.sampler.is_some() && !mala;
        assert_eq!(told("own:rounding"), usize::from(charged && kind.is_user()));
        assert_eq!(told("thm:asap_privacy"), usize::from(kind.sampler.is_some()));
        for it in &assumed {
            // Δ of a chain whose rounding is not charged: nothing in the file decides it.
            let given = ["own:certified-minimiser", "own:rounding"].contains(&it.spec)
                || (mala && it.spec == "thm:asap_privacy");
            assert_eq!(it.why.starts_with("cannot be checked from the file, assumed: "), given, "{}", it.why);
            assert_eq!(it.is_given(), given, "{}", it.why);
        }
        assert_eq!(told("assumptions:idealized-numerics"), usize::from(mala));
        assert_eq!(told("lem:equiv_W_infty"), usize::from(mala));
        assert_eq!(told("own:conductance"), usize::from(asymptotic));
        let user = match (kind.is_user(), kind.sampler) {
            (false, _) => 0,
            (true, None) => 4,
            (true, Some(_)) => 5,
        };
        assert_eq!(told("own:losses"), user);
        assert_eq!(told("own:objective"), usize::from(kind.is_user()));
        // Every claim that the certificate calls assumed is among them, and nothing is told without a reason.
        for claim in certificate(&kind).claims.iter().filter(|claim| claim.status == Status::Assumed) {
            assert!(told(&claim.spec) > 0, "{}", claim.spec);
        }
        assert!(assumed.iter().all(|it| it.why.len() > 20 && !it.why.contains("not looked into")));
    }
}

#[test]
fn a_users_loss_is_not_certified() {
    for kind in kinds().into_iter().filter(Kind::is_user) {
        assert!(!certificate(&kind).certified);
        let text = assumed(&kind).iter().map(|it| it.why).collect::<Vec<_>>().join("\n");
        for word in ["convex", "smooth", "value", "Lipschitz", "rounding"] {
            assert!(text.contains(word), "{word}");
        }
    }
}

#[test]
fn a_replayed_release_is_said_not_to_be_private() {
    let mut replayed = certificate(&kinds()[0]);
    replayed.randomness = Randomness::Replay;
    let verdict = Release::new(replayed).check().unwrap();
    assert!(verdict.assumed.iter().any(|it| it.why.contains("NOT private")));
    assert!(!assumed(&kinds()[0]).iter().any(|it| it.why.contains("NOT private")));
}

/// Neither a kinder status nor a missing claim gets through, for any claim of any kind.
#[test]
fn no_claim_can_be_changed() {
    for kind in kinds() {
        let whole = certificate(&kind);
        for k in 0..whole.claims.len() {
            for status in [Status::Proved, Status::Tested, Status::Assumed] {
                let mut edited = whole.clone();
                edited.claims[k].status = status;
                assert_eq!(Release::new(edited).check().is_ok(), status == whole.claims[k].status);
            }
            let mut without = whole.clone();
            without.claims.remove(k);
            assert!(Release::new(without).check().is_err());
        }
        let mut turned = whole;
        turned.claims.reverse();
        Release::new(turned).check().unwrap();
    }
}
