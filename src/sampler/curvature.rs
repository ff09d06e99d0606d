//! How strongly a potential is curved: on a ball, or everywhere. These are two types, because a bound that holds only
//! on the ball would break the promise of a chain that leaves it.

/// m ≤ curvature ≤ L **on a ball Θ**, for the data set at hand: what the proximal sampler needs, which never leaves it.
///
/// Computed from records, so it cannot be printed or read:
///
/// ```compile_fail,E0277
/// println!("{:?}", asap_dp::sampler::OnBall::new(1.0, 2.0));
/// ```
///
/// ```compile_fail,E0616
/// let bounds = asap_dp::sampler::OnBall::new(1.0, 2.0).unwrap().0;
/// ```
///
/// ```compile_fail,E0624
/// let m = asap_dp::sampler::OnBall::new(1.0, 2.0).unwrap().bounds();
/// ```
///
/// and it does not serve where the curvature of the whole space is asked for:
///
/// ```
/// use asap_dp::sampler::{Everywhere, Mala};
/// let everywhere = Everywhere::new(1.0, 2.0).unwrap();
/// let mala = Mala::scheduled(0.1, 10, 1, vec![0.0], &everywhere);
/// ```
///
/// ```compile_fail,E0308
/// use asap_dp::sampler::{Mala, OnBall};
/// let on_ball = OnBall::new(1.0, 2.0).unwrap();
/// let mala = Mala::scheduled(0.1, 10, 1, vec![0.0], &on_ball);
/// ```
pub struct OnBall(LeastAndMost);

/// m ≤ curvature ≤ L **on all of ℝ^d**, for the data set at hand: what MALA needs, whose chain leaves the ball.
///
/// Computed from records, so it cannot be printed or read:
///
/// ```compile_fail,E0277
/// println!("{:?}", asap_dp::sampler::Everywhere::new(1.0, 2.0));
/// ```
///
/// ```compile_fail,E0616
/// let bounds = asap_dp::sampler::Everywhere::new(1.0, 2.0).unwrap().0;
/// ```
pub struct Everywhere(LeastAndMost);

/// m and L.
type LeastAndMost = (f64, f64);

/// 0 < m ≤ L, finite. NaN is neither.
fn bounds(strong_convexity: f64, smoothness: f64) -> Option<LeastAndMost> {
    (strong_convexity > 0.0 && smoothness >= strong_convexity && smoothness.is_finite())
        .then_some((strong_convexity, smoothness))
}

impl OnBall {
    /// `None` unless 0 < m ≤ L, finite. *Caller-verified*: they hold on the ball.
    pub fn new(strong_convexity: f64, smoothness: f64) -> Option<Self> {
        bounds(strong_convexity, smoothness).map(Self)
    }

    /// m and L.
    pub(super) fn bounds(&self) -> LeastAndMost {
        self.0
    }
}

impl Everywhere {
    /// `None` unless 0 < m ≤ L, finite. *Caller-verified*: they hold on the whole space.
    pub fn new(strong_convexity: f64, smoothness: f64) -> Option<Self> {
        bounds(strong_convexity, smoothness).map(Self)
    }

    /// m and L.
    pub(super) fn bounds(&self) -> LeastAndMost {
        self.0
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/sampler/curvature.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_curvatures_are_curvatures() {
        for (m, l, right) in [(1.0, 1.0, true), (1e-300, 1e300, true), (2.0, 1.0, false), (0.0, 1.0, false)] {
            assert_eq!(OnBall::new(m, l).map(|curvature| curvature.bounds()), right.then_some((m, l)));
            assert_eq!(Everywhere::new(m, l).map(|curvature| curvature.bounds()), right.then_some((m, l)));
        }
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(OnBall::new(bad, 1.0).is_none() && OnBall::new(1.0, bad).is_none());
            assert!(Everywhere::new(bad, 1.0).is_none() && Everywhere::new(1.0, bad).is_none());
        }
    }
}
