//! What a certificate says of its arithmetic is what its mechanism keeps: pinned for each, word by word.

use super::problem::{with, with_regulariser};
use asap_contracts::{Numerics, Status};
use asap_dp::calibrate::Paper;
use asap_dp::learner::MechanismKind;
use asap_dp::mechanism::{Calibration, SamplerKind};
use asap_dp::noise::ReplayRng;

/// The sentence of an assumption that a reader of the certificate gets to see.
const IDEALISED: &str = "the chain is analysed in real arithmetic and runs in f64";

/// Rounding is charged with output perturbation and with the exact and the proximal sampler; constrained MALA
/// is analysed in real numbers, and with the paper's lengths not even its constants are certified. A new
/// mechanism is one more line.
#[test]
fn the_arithmetic_is_that_of_the_mechanism() {
    use MechanismKind::{NoisyGradient, Objective, Output, Posterior};
    use SamplerKind::{Exact, Mala, Proximal};
    let known = with(50.0, 100, &[1]);
    let learner = with_regulariser(50.0).expected_rows(10);
    let tight = Calibration::Tight;
    let paper = Calibration::Paper(Paper { c1: 20.0, c2: 20.0, ..Paper::default() });
    for (kind, sampler, calibration, numerics) in [
        (Output, Exact, tight, Numerics::Rigorous),
        (Objective, Exact, tight, Numerics::Rigorous),
        (NoisyGradient, Exact, tight, Numerics::Rigorous),
        (Posterior, Exact, tight, Numerics::Rigorous),
        (Posterior, Exact, paper, Numerics::Rigorous),
        (Posterior, Proximal, tight, Numerics::Rigorous),
        (Posterior, Proximal, paper, Numerics::Rigorous),
        (Posterior, Mala, tight, Numerics::RealArithmeticOnly),
        (Posterior, Mala, paper, Numerics::AsymptoticConstants),
    ] {
        for learner in [learner.epsilon(2.0).unwrap(), learner.mu(1.0).unwrap()] {
            let learner = learner.mechanism(kind).sampler(sampler).calibration(calibration);
            let release = learner.fit(&known.records, &mut ReplayRng::new(1)).unwrap();
            let (certificate, verdict) = (release.certificate(), release.check().unwrap());
            assert_eq!(certificate.numerics, numerics, "{kind:?}, {sampler:?}, {calibration:?}");
            assert_eq!(certificate.certified, numerics != Numerics::AsymptoticConstants);
            // Whoever is not rigorous says so among what is assumed, and nobody else does.
            let idealised = numerics != Numerics::Rigorous;
            let claimed = certificate.claims.iter().filter(|it| it.spec == "assumptions:idealized-numerics");
            assert!(claimed.clone().all(|claim| claim.status == Status::Assumed));
            assert_eq!(claimed.count(), usize::from(idealised));
            assert_eq!(
                verdict.assumed.iter().filter(|it| it.why == IDEALISED).count(),
                usize::from(idealised)
            );
            // Rounding is said to be charged only where it is.
            let charged = certificate.claims.iter().any(|claim| claim.spec == "own:rounding");
            assert_eq!(charged, kind == Posterior && !idealised);
            // Whoever edits the word is found out, with the digest of the edited text, too.
            for other in [Numerics::Rigorous, Numerics::RealArithmeticOnly, Numerics::AsymptoticConstants] {
                let mut edited = release.as_checked().clone();
                edited.certificate.numerics = other;
                assert_eq!(edited.seal().check().is_ok(), other == numerics);
            }
        }
    }
}
