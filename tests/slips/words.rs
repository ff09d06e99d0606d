//! No word of the random source serves twice: a sample that draws k words is followed by noise from word k + 1 on.
//!
//! Sabotages that turn these red: `Asap::release` draws its noise from a copy of the generator made before the sample
//! (by itself, and in a whole fit); a fit whose posterior sample and last noise begin at the same word.

use super::problem::{REGULARISER, learner, with};
use super::releases::learners;
use asap_contracts::Mechanism as Record;
use asap_dp::Error;
use asap_dp::asap::{ApproximateSample, Asap, Claim};
use asap_dp::calibrate::Norm;
use asap_dp::learner::MechanismKind;
use asap_dp::mechanism::Mechanism;
use asap_dp::noise::{RandomBits, ReplayRng};
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use asap_dp::private::Private;

/// Says a fixed point after so many words.
struct After {
    words: u64,
    claim: Claim,
    point: Vec<f64>,
}

impl ApproximateSample for After {
    fn claim(&self) -> Claim {
        self.claim
    }

    fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Private<Vec<f64>>, Error> {
        (0..self.words).for_each(|_| {
            let _ = rng.next_u64();
        });
        Ok(Private::new(self.point.clone()))
    }
}

/// The stream of a seed, from a word on.
fn stream(seed: u64, from: u64) -> ReplayRng {
    let mut rng = ReplayRng::new(seed);
    (0..from).for_each(|_| {
        let _ = rng.next_u64();
    });
    rng
}

#[test]
fn noise_begins_where_the_sample_ends() {
    let (pure, gaussian) =
        (Guarantee::Pure(Epsilon::new(1.0).unwrap()), Guarantee::Gaussian(Mu::new(1.0).unwrap()));
    for (share, norm) in [(pure, Norm::One), (pure, Norm::Two), (gaussian, Norm::Two)] {
        for dimension in [1, 3, 40] {
            let claim = Claim { reference: share, norm, error: 0.5, dimension };
            let asap = Asap::new(claim, share).unwrap();
            let release = |words: u64, from: u64| {
                let sample = After { words, claim, point: vec![0.25; dimension] };
                asap.release(&sample, &mut stream(9, from)).unwrap()
            };
            // A word that a rejection throws away may be missed; a thousand are not.
            assert_ne!(release(1000, 0), release(0, 0), "the noise is that of other words");
            for words in [1, 2, 7, 64, 1000] {
                assert_eq!(release(words, 0), release(0, words), "{share:?} {norm:?} {dimension} {words}");
            }
        }
    }
}

/// A whole fit reads its words in one row: θ_0, the sample, the noise. From one of them on the noise of the last
/// stage, taken by itself, ends with the last word that the fit read; without it θ̂ is a point of the posterior,
/// whose deviation is below a twentieth of the noise. Noise from other words leaves θ̂ far from the posterior but
/// for one part in a hundred.
#[test]
fn the_last_noise_of_a_fit_is_drawn_last() {
    let known = with(REGULARISER, 200_000, &[40_000; 3]);
    for (case, kind, learner) in learners(learner(), 1200) {
        if kind != MechanismKind::Posterior {
            continue;
        }
        let problem = learner.problem(*known.records.loss(), known.records.bounds().clone(), 3).unwrap();
        let plan = learner.mechanism(kind).posterior(&problem).unwrap();
        let mut checked = 0;
        for seed in 0..12 {
            let mut rng = ReplayRng::new(seed);
            let (release, _) = plan.release(&known.records, &mut rng).unwrap();
            let next = rng.next_u64();
            let mut words = stream(seed, 0);
            let read = (0..1 << 30).find(|_| words.next_u64() == next).unwrap();
            let Record::Posterior(record) = &release.certificate().mechanism else { panic!("a posterior") };
            let reference = plan.reference(&record.localisation.theta_0).unwrap();
            let asap = reference.asap();
            let deviation = (record.reference.gamma * known.curvature[0]).sqrt().recip();
            // Where the edge of the ball is far the posterior is normal.
            let away =
                |x: &[f64]| x.iter().zip(&known.minimiser).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            let theta_0 = &record.localisation.theta_0;
            let noise_scale = asap.noise().scale();
            if away(theta_0) + 8.0 * deviation > record.reference.radius || noise_scale < 20.0 * deviation {
                continue;
            }
            let zero = After { words: 0, claim: asap.claim(), point: vec![0.0; 3] };
            let ends = |from: u64| {
                let mut rng = stream(seed, from);
                let noise = asap.release(&zero, &mut rng).unwrap();
                (rng.next_u64() == next).then_some(noise)
            };
            let near = (0..read).filter_map(ends).filter(|noise| {
                let drawn: Vec<f64> =
                    release.certificate().theta.iter().zip(noise).map(|(x, z)| x - z).collect();
                away(&drawn) <= 7.0 * deviation
            });
            assert!(near.count() >= 1, "{case}, seed {seed}");
            checked += 1;
        }
        println!("{case}: {checked} fits");
        assert!(checked >= 5, "{case}: {checked}");
    }
}
