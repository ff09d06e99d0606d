//! `alg:asap`: approximate sample perturbation, over any reference mechanism and any black-box sampler.

use crate::calibrate::{Norm, asap_l1, laplace_scale, normal_scale, rounded_l2};
use crate::error::Error;
use crate::input::InvalidInput;
use crate::noise::{Lattice, LatticeNoise, RandomBits};
use crate::privacy::Guarantee;
use crate::private::Private;

/// The hypothesis of `thm:asap_privacy`, as numbers: for **every** data set the law of a sample is within
/// `error` of the law of a reference mechanism in the Wasserstein-∞ distance of `norm`, and the reference
/// mechanism satisfies `reference`.
/// spec: `thm:asap_privacy`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// What one exact draw from the reference mechanism satisfies.
    pub reference: Guarantee,
    /// The norm of the distance.
    pub norm: Norm,
    /// Δ: how far the two laws are apart at most.
    pub error: f64,
    /// d: the number of parameters.
    pub dimension: usize,
}

/// A draw within Δ of a private reference: the hypothesis of `thm:asap_privacy` as a type. spec: `thm:asap_privacy`
///
/// What the claim says is the implementation's to prove, for every data set; a draw does not fail for a reason that
/// depends on the records.
pub trait ApproximateSample {
    /// What is claimed.
    fn claim(&self) -> Claim;

    /// One draw.
    fn draw<R: RandomBits>(&self, rng: &mut R) -> Result<Private<Vec<f64>>, Error>;
}

/// Noise that turns a sample within Wasserstein-∞ distance Δ of a private reference sample into a private release.
/// spec: `alg:asap`, `thm:asap_privacy`
///
/// If the claim holds, the release satisfies [`Asap::guarantee`]: the composition of the reference's
/// guarantee with the share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asap {
    claim: Claim,
    share: Guarantee,
    noise: LatticeNoise,
}

impl Asap {
    /// Rounding to the lattice adds at most one part in this many to the error.
    const FINENESS: f64 = 128.0;

    /// So many scales of noise beyond its samples the lattice holds.
    const SCALES: f64 = 128.0;

    /// Calibrates the noise for a claim and a share of the budget. Under pure DP an error in the 1-norm gets
    /// independent Laplace noise and one in the 2-norm Euclidean Laplace noise; GDP needs an error in the 2-norm.
    pub fn new(claim: Claim, share: Guarantee) -> Result<Self, Error> {
        Self::reaching(claim, share, 0.0)
    }

    /// The same for samples up to `reach` from 0: the lattice is coarse enough to hold them and their noise.
    pub fn reaching(claim: Claim, share: Guarantee, reach: f64) -> Result<Self, Error> {
        let Claim { error, dimension, .. } = claim;
        InvalidInput::positive("wasserstein error", error)?;
        let d = dimension as u64;
        let finest = |root: f64| Lattice::with_step_at_most(2.0 * error / (Self::FINENESS * root));
        let noise = match (share, claim.norm) {
            (Guarantee::Pure(epsilon), Norm::One) => {
                LatticeNoise::reaching(finest(dimension as f64)?, reach, Self::SCALES, |lattice| {
                    let scale = laplace_scale(epsilon, asap_l1(error, d, lattice.step())?)?;
                    Ok::<_, Error>(LatticeNoise::laplace(lattice, scale)?)
                })
            }
            (share, Norm::Two) => {
                LatticeNoise::reaching(finest((dimension as f64).sqrt())?, reach, Self::SCALES, |lattice| {
                    let moved = rounded_l2(2.0 * error, d, lattice.step())?;
                    Ok::<_, Error>(match share {
                        Guarantee::Pure(epsilon) => {
                            LatticeNoise::euclidean_laplace(lattice, laplace_scale(epsilon, moved)?)
                        }
                        Guarantee::Gaussian(mu) => LatticeNoise::normal(lattice, normal_scale(mu, moved)?),
                    }?)
                })
            }
            (Guarantee::Gaussian(_), Norm::One) => {
                let allowed = "the 1-norm or the 2-norm for pure DP, the 2-norm for GDP";
                Err(InvalidInput { field: "norm of the wasserstein error", allowed }.into())
            }
        }?;
        Ok(Self { claim, share, noise })
    }

    /// What is claimed of the samples.
    pub fn claim(&self) -> Claim {
        self.claim
    }

    /// What a release satisfies. spec: `thm:asap_privacy`
    pub fn guarantee(&self) -> Result<Guarantee, InvalidInput> {
        self.claim.reference.compose(self.share)
    }

    /// The noise that is added.
    pub fn noise(&self) -> &LatticeNoise {
        &self.noise
    }

    /// Draws a sample and perturbs it; the result may be released. The noise must be calibrated
    /// for the sample's own claim.
    pub fn release<A: ApproximateSample, R: RandomBits>(
        &self,
        sample: &A,
        rng: &mut R,
    ) -> Result<Vec<f64>, Error> {
        if sample.claim() != self.claim {
            let allowed = "one whose claim the noise was calibrated for";
            return Err(InvalidInput { field: "sample", allowed }.into());
        }
        let drawn = sample.draw(rng)?;
        if drawn.reveal_to_mechanism().len() == self.claim.dimension {
            Ok(self.noise.perturb(&drawn, rng))
        } else {
            Err(Error::Aborted)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::ReplayRng;
    use crate::privacy::{Epsilon, Mu};

    /// A reference that always says 0, and a sampler that is off by Δ.
    struct Off(Claim);

    impl ApproximateSample for Off {
        fn claim(&self) -> Claim {
            self.0
        }

        fn draw<R: RandomBits>(&self, _: &mut R) -> Result<Private<Vec<f64>>, Error> {
            Ok(Private::new(vec![self.0.error; self.0.dimension]))
        }
    }

    #[test]
    fn the_noise_belongs_to_the_claim() {
        let pure = Guarantee::Pure(Epsilon::new(1.0).unwrap());
        let gaussian = Guarantee::Gaussian(Mu::new(0.75).unwrap());
        let claim = Claim { reference: pure, norm: Norm::One, error: 0.5, dimension: 2 };
        let asap = Asap::new(claim, pure).unwrap();
        assert_eq!(asap.guarantee().unwrap(), Guarantee::Pure(Epsilon::new(2.0).unwrap()));
        assert_eq!(asap.release(&Off(claim), &mut ReplayRng::new(1)).unwrap().len(), 2);
        let larger = Claim { error: 0.500001, ..claim };
        assert!(asap.release(&Off(larger), &mut ReplayRng::new(1)).is_err());
        assert!(Asap::new(claim, gaussian).is_err());
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Asap::new(Claim { error: bad, ..claim }, pure).is_err());
        }
        // 1² = 0.8² + 0.6²; a reference of the other kind has no composition.
        let mixed = Claim { reference: gaussian, ..claim };
        assert!(Asap::new(mixed, pure).unwrap().guarantee().is_err());
    }

    /// Far samples and tiny budgets: the lattice is the finest that holds them, and what it costs is in the scale.
    #[test]
    fn the_lattice_holds_samples_and_noise() {
        let (pure, gaussian) =
            (|x| Guarantee::Pure(Epsilon::new(x).unwrap()), |x| Guarantee::Gaussian(Mu::new(x).unwrap()));
        for (share, norm) in [
            (pure(1.0), Norm::One),
            (pure(1e-11), Norm::One),
            (gaussian(1.0), Norm::Two),
            (gaussian(1e-11), Norm::Two),
        ] {
            let claim = Claim { reference: share, norm, error: 1e-6, dimension: 100 };
            let range = |asap: &Asap| asap.noise.lattice().step() * 2.0_f64.powi(53);
            let fine = Asap::new(claim, share).unwrap();
            for reach in [0.0, 0.5 * range(&fine), 2.0 * range(&fine), 1e20] {
                let asap = Asap::reaching(claim, share, reach).unwrap();
                let needed = reach + Asap::SCALES * asap.noise.scale();
                assert!(needed <= range(&asap), "{share:?} {reach}");
                // A coarser lattice than needed would cost accuracy.
                assert!(
                    asap.noise.lattice() == fine.noise.lattice() || 4.1 * needed > range(&asap),
                    "{share:?} {reach}"
                );
            }
        }
        let claim = Claim { reference: pure(1e-14), norm: Norm::One, error: 1e-6, dimension: 100 };
        assert!(Asap::new(claim, pure(1e-14)).is_err(), "no lattice holds this noise");
    }

    /// The privacy loss of the noise between two samples 2Δ apart, in exact steps: at most the
    /// share, and not half of it.
    #[test]
    fn the_scale_covers_twice_the_error() {
        let pure = Guarantee::Pure(Epsilon::new(0.1).unwrap());
        for dimension in [1, 7, 100] {
            let claim = Claim { reference: pure, norm: Norm::One, error: 0.01, dimension };
            let noise = *Asap::new(claim, pure).unwrap().noise();
            let crate::noise::Law::Laplace(scale) = noise.law() else { panic!("pure noise is Laplace") };
            let steps = 0.02 / noise.lattice().step() + dimension as f64;
            let loss = steps * scale.denominator().get() as f64 / scale.numerator().get() as f64;
            assert!(loss <= 0.1 && loss > 0.0999, "{dimension}: {loss}");

            let claim = Claim { norm: Norm::Two, ..claim };
            let noise = *Asap::new(claim, pure).unwrap().noise();
            let crate::noise::Law::Euclidean(scale) = noise.law() else { panic!("in the 2-norm") };
            let steps = 0.02 / noise.lattice().step() + (dimension as f64).sqrt();
            let loss = steps / scale.steps() as f64;
            assert!(loss <= 0.1 && loss > 0.0999, "{dimension}: {loss}");
        }
    }

    /// 2Δ/(128·d) = 2⁻⁹ in the 1-norm and 2Δ/(128·√d) = 2⁻⁸ in the 2-norm, for Δ = ½ and d = 4: powers of two.
    #[test]
    fn the_lattice_is_as_fine_as_the_error_asks_for() {
        let pure = Guarantee::Pure(Epsilon::new(1.0).unwrap());
        for (norm, exponent) in [(Norm::One, -9), (Norm::Two, -8)] {
            let claim = Claim { reference: pure, norm, error: 0.5, dimension: 4 };
            assert_eq!(Asap::new(claim, pure).unwrap().noise().lattice().exponent(), exponent);
        }
    }
}
