//! Rounding to the lattice and adding noise: the only way from a private point to a released one.

use super::{
    EuclideanScale, LaplaceScale, Lattice, NormalScale, RandomBits, discrete_laplace, euclidean_laplace,
    rounded_normal,
};
use crate::input::InvalidInput;
use crate::private::Private;

/// Noise on a lattice: a law, and the steps it is counted in.
///
/// spec: `own:lattice`, used by `alg:asap` and `alg:outpert`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatticeNoise {
    lattice: Lattice,
    law: Law,
}

/// The law of the noise, in lattice steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Discrete Laplace in each coordinate, for pure differential privacy and a sensitivity in the 1-norm.
    Laplace(LaplaceScale),
    /// Rounded normal in each coordinate, for Gaussian differential privacy and a sensitivity in the 2-norm.
    Normal(NormalScale),
    /// Rounded Euclidean Laplace, one joint draw for all coordinates, for pure differential privacy and a
    /// sensitivity in the 2-norm.
    Euclidean(EuclideanScale),
}

impl LatticeNoise {
    /// The variance of one of d coordinates: 2s² for Laplace noise of scale s, σ² for normal noise; for Euclidean
    /// Laplace noise, whose squared norm has mean d(d + 1)s², a d-th of that.
    pub(crate) fn variance(&self, dimension: usize) -> f64 {
        let square = self.scale().powi(2);
        match self.law() {
            Law::Laplace(_) => 2.0 * square,
            Law::Normal(_) => square,
            Law::Euclidean(_) => (dimension as f64 + 1.0) * square,
        }
    }

    /// Discrete Laplace noise whose scale is at least `scale`.
    pub fn laplace(lattice: Lattice, scale: f64) -> Result<Self, InvalidInput> {
        let steps = Self::steps(lattice, scale)?;
        Ok(Self { lattice, law: Law::Laplace(LaplaceScale::at_least(steps)?) })
    }

    /// Rounded normal noise whose standard deviation is at least `deviation`.
    pub fn normal(lattice: Lattice, deviation: f64) -> Result<Self, InvalidInput> {
        let steps = Self::steps(lattice, deviation)?;
        Ok(Self { lattice, law: Law::Normal(NormalScale::at_least(steps)?) })
    }

    /// Rounded noise of density ∝ e^(−‖z‖₂/s) with s at least `scale`.
    ///
    /// spec: `own:euclidean-laplace`
    pub fn euclidean_laplace(lattice: Lattice, scale: f64) -> Result<Self, InvalidInput> {
        let steps = Self::steps(lattice, scale)?;
        Ok(Self { lattice, law: Law::Euclidean(EuclideanScale::at_least(steps)?) })
    }

    /// The noise that `calibrated` makes for the finest lattice, from the given one on, whose 2^53 steps hold a point
    /// up to `reach` from 0 and `scales` scales of the noise on top. A coarser lattice adds to the sensitivity, and so
    /// to the scale: where the budget is too small for any lattice, the last error or a refusal comes back.
    ///
    /// spec: `own:lattice`
    pub fn reaching<E: From<InvalidInput>>(
        finest: Lattice,
        reach: f64,
        scales: f64,
        calibrated: impl Fn(Lattice) -> Result<Self, E>,
    ) -> Result<Self, E> {
        let allowed = "a budget and bounds for which 2^53 lattice steps hold the parameters and their noise";
        let mut refused = E::from(InvalidInput { field: "lattice", allowed });
        for exponent in finest.exponent()..=finest.exponent() + Self::DOUBLINGS {
            match Lattice::new(exponent).map_err(E::from).and_then(&calibrated) {
                Ok(noise) if reach + scales * noise.scale() <= noise.lattice.point(Lattice::RANGE) => {
                    return Ok(noise);
                }
                Ok(_) => {}
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// How often a step is doubled at most: more than a mechanism asks for, whose noise is never
    /// below 2^-53 of its reach.
    const DOUBLINGS: i32 = 64;

    /// `scale/g`. Exact: g is a power of two and the quotient is at least 1, so it is a normal number.
    fn steps(lattice: Lattice, scale: f64) -> Result<f64, InvalidInput> {
        if scale >= lattice.step() {
            Ok(scale / lattice.step())
        } else {
            Err(InvalidInput { field: "noise scale", allowed: "a number not below the lattice step" })
        }
    }

    /// The lattice.
    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// The law of the noise, in steps.
    pub fn law(&self) -> Law {
        self.law
    }

    /// The scale of the law, not in steps: s of the Laplace laws, the standard deviation of the normal one.
    pub fn scale(&self) -> f64 {
        let steps = match self.law {
            Law::Laplace(scale) => scale.numerator().get() as f64 / scale.denominator().get() as f64,
            Law::Normal(scale) => scale.steps() as f64,
            Law::Euclidean(scale) => scale.steps() as f64,
        };
        steps * self.lattice.step()
    }

    /// The noise alone: each coordinate is the nearest `f64` to a lattice point within half a step of the real one.
    /// It is for numbers that are never released.
    pub(crate) fn draw<R: RandomBits>(&self, dimension: usize, rng: &mut R) -> Vec<f64> {
        // One rounding, of the integer; the product with a power of two is exact.
        self.law.draw(dimension, rng).into_iter().map(|steps| steps as f64 * self.lattice.step()).collect()
    }

    /// Rounds a private point to the lattice and adds the noise; the result may be released.
    /// It never fails: what lies outside of the lattice's range is clamped, before and after.
    pub(crate) fn perturb<R: RandomBits>(&self, point: &Private<Vec<f64>>, rng: &mut R) -> Vec<f64> {
        let point = point.reveal_to_mechanism();
        let noise = self.law.draw(point.len(), rng);
        let moved = |(&coordinate, noise): (&f64, i128)| {
            self.lattice.point(Lattice::add(self.lattice.round_clamped(coordinate), noise))
        };
        point.iter().zip(noise).map(moved).collect()
    }
}

impl Law {
    /// One vector of noise, in steps.
    fn draw<R: RandomBits>(self, dimension: usize, rng: &mut R) -> Vec<i128> {
        match self {
            Self::Laplace(scale) => (0..dimension).map(|_| discrete_laplace(scale, rng)).collect(),
            Self::Normal(scale) => (0..dimension).map(|_| rounded_normal(scale, rng)).collect(),
            Self::Euclidean(scale) => euclidean_laplace(scale, dimension, rng),
        }
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/noise/perturb.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::ReplayRng;

    fn lattice() -> Lattice {
        Lattice::new(-10).unwrap()
    }

    #[test]
    fn scales_are_counted_in_steps_and_rounded_up() {
        let noise = LatticeNoise::euclidean_laplace(lattice(), 2.0_f64.next_up()).unwrap();
        assert_eq!(
            (noise.lattice(), noise.law()),
            (lattice(), Law::Euclidean(EuclideanScale::new(2049).unwrap()))
        );
        for bad in [lattice().step().next_down(), 0.0, -1.0, f64::NAN, f64::INFINITY, 2.0_f64.powi(44)] {
            assert!(LatticeNoise::euclidean_laplace(lattice(), bad).is_err(), "{bad}");
        }
        let least = LatticeNoise::euclidean_laplace(lattice(), lattice().step()).unwrap();
        assert_eq!(least.law(), Law::Euclidean(EuclideanScale::new(1).unwrap()));
    }

    /// Scale 2.5 and four coordinates: nothing is rounded.
    #[test]
    fn every_law_has_its_scale_and_its_variance() {
        for (noise, variance) in [
            (LatticeNoise::laplace(lattice(), 2.5), 12.5),
            (LatticeNoise::normal(lattice(), 2.5), 6.25),
            (LatticeNoise::euclidean_laplace(lattice(), 2.5), 31.25),
        ] {
            let noise = noise.unwrap();
            assert_eq!((noise.scale(), noise.variance(4)), (2.5, variance));
        }
        // Not a whole number of steps: 3¼ of them.
        let fine = LatticeNoise::laplace(Lattice::new(0).unwrap(), 3.25).unwrap();
        assert_eq!(fine.scale(), 3.25);
    }

    /// With a scale of 1 the lattice must hold 4·1 + reach: 2^53 steps of 2^−50 are 8.
    #[test]
    fn the_lattice_is_the_finest_that_reaches() {
        let finest = Lattice::new(-60).unwrap();
        let exponent = |reach: f64, scales: f64, scale: f64| {
            let calibrated = |lattice: Lattice| LatticeNoise::normal(lattice, scale);
            LatticeNoise::reaching(finest, reach, scales, calibrated).map(|noise| noise.lattice().exponent())
        };
        assert_eq!(exponent(4.0, 4.0, 1.0), Ok(-50), "exactly");
        assert_eq!(exponent(4.1, 4.0, 1.0), Ok(-49));
        assert_eq!(exponent(4.0, 2.0, 2.0), Ok(-50));
        assert_eq!(exponent(4.0, 2.0, 2.5), Ok(-49));
        assert_eq!(exponent(0.0, 0.0, 2.0_f64.powi(-30)), Ok(-60), "the finest itself");
        assert!(exponent(2.0_f64.powi(60), 4.0, 1.0).is_err());
    }

    /// The noise alone: the integers of the law, in steps.
    #[test]
    fn noise_that_is_not_released_has_the_same_law() {
        let drawn = LatticeNoise::euclidean_laplace(lattice(), 2.0).unwrap().draw(3, &mut ReplayRng::new(5));
        let steps = euclidean_laplace(EuclideanScale::new(2048).unwrap(), 3, &mut ReplayRng::new(5));
        assert_eq!(drawn, steps.iter().map(|steps| *steps as f64 / 1024.0).collect::<Vec<f64>>());
    }

    #[test]
    fn the_vector_is_drawn_jointly_and_added_to_the_rounded_point() {
        let point = Private::new(vec![0.3, -1.7, 1e300, 0.0]);
        let noise = LatticeNoise::euclidean_laplace(lattice(), 2.0).unwrap();
        let released = noise.perturb(&point, &mut ReplayRng::new(5));
        let steps = euclidean_laplace(EuclideanScale::new(2048).unwrap(), 4, &mut ReplayRng::new(5));
        let expected = [307, -1741, Lattice::RANGE, 0].into_iter().zip(steps);
        let expected: Vec<f64> = expected.map(|(k, z)| lattice().point(Lattice::add(k, z))).collect();
        assert_eq!(released, expected);
    }

    #[test]
    fn other_laws_draw_one_coordinate_after_the_other() {
        let point = [0.25, -0.5, 3.0];
        let (mut first, mut second) = (ReplayRng::new(6), ReplayRng::new(6));
        for noise in [LatticeNoise::laplace(lattice(), 2.0), LatticeNoise::normal(lattice(), 2.0)] {
            let noise = noise.unwrap();
            let one = |coordinate: &f64| noise.perturb(&Private::new(vec![*coordinate]), &mut second);
            let one_by_one: Vec<f64> = point.iter().flat_map(one).collect();
            assert_eq!(noise.perturb(&Private::new(point.to_vec()), &mut first), one_by_one);
        }
    }
}
