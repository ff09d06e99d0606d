//! What noise on a lattice buys. The page `own:lattice` has the proof.

use crate::exact::{Exact, decompose};
use crate::schema::{Guarantee, Noise};

impl Noise {
    pub(crate) fn exponent(&self) -> i32 {
        match *self {
            Self::DiscreteLaplace { exponent, .. }
            | Self::RoundedNormal { exponent, .. }
            | Self::EuclideanLaplace { exponent, .. } => exponent,
        }
    }

    /// The scale of the law in steps, as a fraction.
    fn fraction(&self) -> (u64, u64) {
        match *self {
            Self::DiscreteLaplace { numerator, denominator, .. } => (numerator, denominator),
            Self::RoundedNormal { steps, .. } | Self::EuclideanLaplace { steps, .. } => (steps, 1),
        }
    }

    /// Every point of such a lattice, up to 2^53 steps, is a normal `f64`.
    pub(crate) fn lattice_fits(&self) -> bool {
        (-1022..=970).contains(&self.exponent())
    }

    /// Laplace noise buys pure privacy, normal noise Gaussian privacy, and a scale of 0 nothing.
    pub(crate) fn buys(&self, guarantee: Guarantee) -> bool {
        match (*self, guarantee) {
            (Self::DiscreteLaplace { numerator, denominator, .. }, Guarantee::Pure(_)) => {
                numerator >= 1 && denominator >= 1
            }
            (Self::EuclideanLaplace { steps, .. }, Guarantee::Pure(_))
            | (Self::RoundedNormal { steps, .. }, Guarantee::Gaussian(_)) => steps >= 1,
            _ => false,
        }
    }

    /// The norm in which the law hides a displacement.
    pub(crate) fn norm(&self) -> u8 {
        match self {
            Self::DiscreteLaplace { .. } => 1,
            Self::RoundedNormal { .. } | Self::EuclideanLaplace { .. } => 2,
        }
    }

    /// Whether the noise hides, at the price `share` (ε or μ), that a point of d coordinates was somewhere else,
    /// at most `moved` away in the given norm, before it was rounded to the lattice of step g.
    ///
    /// Rounding adds d·g in the 1-norm and √d·g in the 2-norm; a 2-norm costs √d as a 1-norm, a 1-norm is at least
    /// the 2-norm. The price of a displacement is its length in the law's norm divided by the scale.
    pub(crate) fn hides(&self, moved: &Exact, norm: u8, dimension: u64, share: &Exact) -> bool {
        let (step, d) = (Exact::power(self.exponent()), Exact::whole(dimension));
        match *self {
            Self::DiscreteLaplace { numerator, denominator, .. } => {
                let bought = share * Exact::whole(numerator) * &step;
                let (moved, rounding) =
                    (moved * Exact::whole(denominator), d.clone() * &step * Exact::whole(denominator));
                if norm == 1 {
                    moved + rounding <= bought
                } else {
                    bought.covers(&rounding, &(d * moved.squared()))
                }
            }
            Self::RoundedNormal { steps, .. } | Self::EuclideanLaplace { steps, .. } => {
                let bought = share * Exact::whole(steps) * &step;
                bought.covers(moved, &(d * step.squared()))
            }
        }
    }

    /// Whether the noise hides, at the price `share`, that a point of the lattice was another point of it, away by the
    /// root of `moved_squared` in the law's norm. Nothing is rounded.
    pub(super) fn hides_whole(&self, moved_squared: &Exact, share: &Exact) -> bool {
        let (scale, unit) = self.fraction();
        let bought = share * Exact::whole(scale) * Exact::power(self.exponent());
        moved_squared * Exact::whole(unit).squared() <= bought.squared()
    }

    /// Whether a real vector of this law, before any rounding, hides at the price `share`, with `taken` already spent
    /// of it, that it was moved by `moved` in the law's norm.
    pub(crate) fn hides_exactly(&self, moved: &Exact, taken: &Exact, share: &Exact) -> bool {
        let (scale, unit) = self.fraction();
        let scale = Exact::whole(scale) * Exact::power(self.exponent());
        moved * Exact::whole(unit) + taken * &scale <= share * &scale
    }

    /// The scale of a law in the 2-norm.
    pub(super) fn scale(&self) -> Exact {
        match *self {
            Self::DiscreteLaplace { .. } => Exact::none(),
            Self::RoundedNormal { exponent, steps } | Self::EuclideanLaplace { exponent, steps } => {
                Exact::whole(steps) * Exact::power(exponent)
            }
        }
    }

    /// Whether 2^53 steps hold a point up to `reach` from 0 and 64 scales of noise on top: what is cut off is rare.
    pub(crate) fn holds(&self, reach: &Exact) -> bool {
        let step = Exact::power(self.exponent());
        let (scale, parts) = self.fraction();
        let noise = Exact::whole(64) * Exact::whole(scale) * &step;
        reach * Exact::whole(parts) + noise <= Exact::whole(1 << 53) * step * Exact::whole(parts)
    }

    /// Whether every coordinate is a whole number of at most 2^53 steps.
    pub(crate) fn reaches(&self, point: &[f64]) -> bool {
        point.iter().all(|x| self.reaches_coordinate(x.abs()))
    }

    /// Whether no coordinate is farther from 0 than `reach` and 1024 scales of noise. A release is cut there; three
    /// steps are for how the cut is computed.
    pub(super) fn stays_within(&self, reach: &Exact, point: &[f64]) -> bool {
        let step = Exact::power(self.exponent());
        let (scale, parts) = self.fraction();
        let parts = Exact::whole(parts);
        let noise = Exact::whole(1024) * Exact::whole(scale) * &step;
        let farthest = (reach + Exact::whole(3) * step) * &parts + noise;
        point.iter().all(|x| Exact::of(x.abs()) * &parts <= farthest)
    }

    fn reaches_coordinate(&self, x: f64) -> bool {
        let Some((mantissa, exponent)) = decompose(x) else { return false };
        // x is an odd number times 2^power, or 0.
        let power = i64::from(exponent) + i64::from(mantissa.trailing_zeros());
        let whole = mantissa == 0 || power >= self.exponent().into();
        whole && Exact::of(x) <= Exact::whole(1 << 53) * Exact::power(self.exponent())
    }
}
