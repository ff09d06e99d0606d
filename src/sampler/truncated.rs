//! An isotropic normal law restricted to a ball, drawn exactly. spec: `own:truncated`
//!
//! Seen from the point of the sphere nearest to the mean, a point of the ball has a depth t below the tangent plane
//! there and coordinates w within that plane. It is in the ball iff t(2B − t) ≥ ‖w‖². The normal law has independent t
//! and w: w is normal, and t is normal around the depth of the mean, or, for a mean outside, has the density e^(−at −
//! λt²/2) on t ≥ 0. So both are drawn until they are in the ball. If the ball is flat on the scale of the law, λB² ≥
//! d², few proposals are needed (the spec page has the bound); none of them costs a pass over the records.
//!
//! Membership is decided by t and w, each of which is known to a few units in its own last place, and not by the
//! coordinates of the point. So it is a statement about the law, whatever the size of the ball, of the centre and of
//! the distance of the mean.

use crate::ball::{Ball, distance, norm};
use crate::input::InvalidInput;
use crate::noise::{RandomBits, bernoulli_exp_f64, exact_exponential_f64, exact_normal_f64, fill_normal};

/// A point with density ∝ e^(−precision·‖x − mean‖²/2) on the ball of radius [`inner_radius`]. spec: `own:truncated`
///
/// The point always passes [`Ball::contains`]. The ball must be flat on the scale of the law, precision·B² ≥ d², and
/// the mean not so far outside that proposals would miss the ball.
///
/// ```
/// use asap_dp::{ball::Ball, noise::ReplayRng, sampler::normal_in_ball};
/// let ball = Ball::new(vec![0.0; 3], 1.0)?;
/// // The mean is 99 standard deviations outside: the draw is next to the surface.
/// let x = normal_in_ball(&[10.9, 0.0, 0.0], 100.0, &ball, &mut ReplayRng::new(1))?;
/// assert!(ball.contains(&x) && x[0] > 0.9);
/// # Ok::<(), asap_dp::Error>(())
/// ```
pub fn normal_in_ball<R: RandomBits>(
    mean: &[f64],
    precision: f64,
    ball: &Ball,
    rng: &mut R,
) -> Result<Vec<f64>, InvalidInput> {
    let precision = InvalidInput::positive("precision", precision)?;
    let d = ball.dimension() as f64;
    if ball.radius() == 0.0 {
        return Ok(ball.centre().to_vec());
    }
    let law = NormalInBall::new(mean, precision, ball)
        .ok_or(InvalidInput { field: "mean", allowed: "one finite number per dimension of the ball" })?;
    // (1 + a/(λB))^((d − 1)/2) proposals, about. NaN is not below it.
    let hits = (law.slope / (precision * law.radius)).ln_1p() * (d - 1.0) <= 28.0;
    if !hits {
        return Err(InvalidInput { field: "mean", allowed: "a point so near that proposals hit the ball" });
    }
    if precision.sqrt() * law.radius < d * (1.0 - 1e-9) {
        return Err(InvalidInput { field: "precision", allowed: "precision·B² ≥ d²" });
    }
    Ok(law.draw(rng))
}

/// The radius that a point is drawn within, so that the point as it is returned, rounding included, lies in the ball:
/// B − 8(d + 8)·2⁻⁵³·(B + ‖θ_0‖), and not below 0. spec: `own:truncated`
pub fn inner_radius(ball: &Ball) -> f64 {
    inner_radius_of(ball.radius(), norm(ball.centre()), ball.dimension() as f64)
}

/// The same, for a ball of this radius around a point of this norm.
fn inner_radius_of(radius: f64, centre_norm: f64, dimension: f64) -> f64 {
    let slack = 8.0 * (dimension + 8.0) * (0.5 * f64::EPSILON);
    (radius - slack * (radius + centre_norm)).max(0.0)
}

/// The law N(c, I/λ) restricted to the inner ball, in the frame of the tangent plane nearest to its mean.
pub(super) struct NormalInBall<'a> {
    centre: &'a [f64],
    /// The radius of the inner ball.
    radius: f64,
    precision: f64,
    /// How far inside of the inner ball the mean is; negative outside.
    depth: f64,
    /// a = λ·(distance of the mean from the inner ball); 0 inside.
    slope: f64,
    /// h: the reflection I − 2hhᵀ/‖h‖² takes the first axis to −`sign` times the outward normal.
    reflection: Vec<f64>,
    sign: f64,
}

impl<'a> NormalInBall<'a> {
    /// `None` if the mean is not a finite point of the space of the ball.
    pub(super) fn new(mean: &[f64], precision: f64, ball: &'a Ball) -> Option<Self> {
        let offset = distance(mean, ball.centre());
        if mean.len() != ball.dimension() || !offset.is_finite() {
            return None;
        }
        let mut reflection: Vec<f64> = mean.iter().zip(ball.centre()).map(|(c, x)| c - x).collect();
        // Of the same sign, so that nothing cancels; any direction will do for a mean at the centre.
        let sign = 1.0_f64.copysign(reflection[0]);
        for h in &mut reflection {
            *h /= if offset > 0.0 { offset } else { 1.0 };
        }
        reflection[0] += sign;
        let radius = inner_radius(ball);
        let depth = radius - offset;
        let slope = precision * (-depth).max(0.0);
        Some(Self { centre: ball.centre(), radius, precision, depth, slope, reflection, sign })
    }

    /// a: how steeply the density falls from the tangent plane.
    pub(super) fn slope(&self) -> f64 {
        self.slope
    }

    /// One draw. Every proposal has the same positive chance, so it ends with probability 1.
    pub(super) fn draw<R: RandomBits>(&self, rng: &mut R) -> Vec<f64> {
        let inside = |place: &Cylindrical| is_inside(self.radius, place);
        self.point(first_inside(|| self.propose(rng), inside))
    }

    fn propose<R: RandomBits>(&self, rng: &mut R) -> Cylindrical {
        let root = self.precision.sqrt();
        let depth = if self.depth >= 0.0 {
            self.depth + exact_normal_f64(rng) / root
        } else {
            first(|| propose_depth(self.slope, self.precision, rng))
        };
        let mut across = vec![0.0; self.centre.len() - 1];
        fill_normal(&mut across, rng);
        for w in &mut across {
            *w /= root;
        }
        Cylindrical { depth, across }
    }

    /// θ_0 + (B − t)·n + w.
    fn point(&self, place: Cylindrical) -> Vec<f64> {
        let mut x = place.across;
        x.insert(0, self.sign * (place.depth - self.radius));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let factor = 2.0 * dot(&self.reflection, &x) / dot(&self.reflection, &self.reflection);
        for ((x, h), centre) in x.iter_mut().zip(&self.reflection).zip(self.centre) {
            *x = centre + (*x - factor * h);
        }
        x
    }
}

/// Where a point is, seen from the tangent plane.
struct Cylindrical {
    /// t.
    depth: f64,
    /// w, in an orthonormal frame of the plane.
    across: Vec<f64>,
}

/// Whether t(2B − t) ≥ ‖w‖². On a line only the two ends count.
fn is_inside(radius: f64, place: &Cylindrical) -> bool {
    let square: f64 = place.across.iter().map(|w| w * w).sum();
    place.depth >= 0.0 && place.depth * (2.0 * radius - place.depth) >= square
}

/// The first proposal that is inside: whatever the proposals and whatever inside means, one that is outside is never
/// returned.
fn first_inside<T>(mut propose: impl FnMut() -> T, inside: impl Fn(&T) -> bool) -> T {
    loop {
        let proposal = propose();
        if inside(&proposal) {
            return proposal;
        }
    }
}

/// The first proposal that is accepted.
fn first<T>(mut propose: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(accepted) = propose() {
            return accepted;
        }
    }
}

/// True with probability e^(−x); rounding may have put it just below 0. Never true for a NaN or infinite x.
pub(super) fn survives<R: RandomBits>(x: f64, rng: &mut R) -> bool {
    // Not `max`, which would turn NaN into 0.
    bernoulli_exp_f64(if x < 0.0 { 0.0 } else { x }, rng).unwrap_or(false)
}

/// t ≥ 0 with density ∝ e^(−slope·t − precision·t²/2).
fn propose_depth<R: RandomBits>(slope: f64, precision: f64, rng: &mut R) -> Option<f64> {
    let (t, energy) = if slope * slope >= precision {
        let t = exact_exponential_f64(rng) / slope;
        (t, 0.5 * precision * t * t)
    } else {
        let t = exact_normal_f64(rng).abs() / precision.sqrt();
        (t, slope * t)
    };
    survives(energy, rng).then_some(t)
}

#[cfg(any(kani, test))]
#[path = "../../proofs/sampler/truncated.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::ReplayRng;

    /// Proposals per draw, estimated from `n` proposals.
    fn proposals(n: u32, mut propose: impl FnMut() -> bool) -> f64 {
        f64::from(n) / (0..n).filter(|_| propose()).count() as f64
    }

    #[test]
    fn an_energy_that_is_no_number_is_never_survived() {
        let mut rng = ReplayRng::new(20);
        for _ in 0..100 {
            assert!(!survives(f64::NAN, &mut rng) && !survives(-f64::NAN, &mut rng));
            assert!(!survives(f64::INFINITY, &mut rng) && survives(-1e-20, &mut rng));
        }
    }

    /// The bounds of the spec page, with λ = 1: 1.92 proposals of the depth; 7 of the whole for a mean inside of a ball
    /// of d deviations; and for one outside by α deviations 3.9·e^(1.08·dα/(2b)).
    #[test]
    fn every_proposal_has_the_chance_that_was_proved() {
        let mut rng = ReplayRng::new(21);
        let mut worst = [0.0_f64; 2];
        for slope in (-8..=8).map(|k| 2.0_f64.powi(k)).chain([0.0, 1e9]) {
            worst[0] = worst[0].max(proposals(4000, || propose_depth(slope, 1.0, &mut rng).is_some()));
        }
        // One standard error of 4000 proposals is 1.5 % of the worst.
        assert!(worst[0] < 2.05, "{worst:?}");
        for dimension in [1, 2, 3, 5, 11, 100, 400] {
            let (b, d) = (dimension as f64, dimension as f64);
            let mut centre = vec![0.0; dimension];
            centre[0] = -7.0;
            let ball = Ball::new(centre, b).unwrap();
            for outside in [-0.5 * b, -1.0, 0.0, 0.25, 1.0, 2.0, 4.0] {
                let mut mean = vec![0.0; dimension];
                mean[0] = -7.0 - (b + outside);
                let law = NormalInBall::new(&mean, 1.0, &ball).unwrap();
                let needed = proposals(2000, || is_inside(law.radius, &law.propose(&mut rng)));
                let alpha = outside.max(0.0);
                let proved = if outside > 0.0 { 3.9 * (1.08 * d * alpha / (2.0 * b)).exp() } else { 7.0 };
                assert!(needed <= proved, "d = {d}, outside by {outside}: {needed}, proved {proved}");
                worst[1] = worst[1].max(needed / proved);
            }
        }
        // The bound is not idle.
        assert!(worst[1] > 0.2, "{worst:?}");
    }

    #[test]
    fn points_are_where_their_places_say() {
        let ball = Ball::new(vec![3.0, -1.0, 0.5], 2.0).unwrap();
        for mean in [[9.0, -1.0, 0.5], [-9.0, 5.0, 1.0], [3.0, -1.0, 0.5], [3.1, -1.0, 7.0]] {
            let law = NormalInBall::new(&mean, 10.0, &ball).unwrap();
            for (t, across) in [(0.0, [0.0, 0.0]), (0.3, [0.5, -0.1]), (2.0, [0.0, 1.5])] {
                let x = law.point(Cylindrical { depth: t, across: across.to_vec() });
                let offset = distance(&mean, ball.centre());
                let along: f64 =
                    (0..3).map(|j| (x[j] - ball.centre()[j]) * (mean[j] - ball.centre()[j])).sum();
                if offset > 0.0 {
                    assert!((along / offset - (2.0 - t)).abs() < 1e-12, "{x:?}");
                }
                let square = (2.0 - t) * (2.0 - t) + across[0] * across[0] + across[1] * across[1];
                assert!((distance(&x, ball.centre()).powi(2) - square).abs() < 1e-12);
            }
        }
        assert!(NormalInBall::new(&[f64::NAN, 0.0, 0.0], 1.0, &ball).is_none());
        assert!(NormalInBall::new(&[0.0], 1.0, &ball).is_none());
    }

    #[test]
    fn the_inner_radius_leaves_room_for_rounding() {
        let ball = Ball::new(vec![3.0, -4.0], 10.0).unwrap();
        let room = 1.0 - inner_radius(&ball) / 10.0;
        // 80·2⁻⁵³·1.5, to the last place of 1.
        assert!((room - 120.0 * 0.5 * f64::EPSILON).abs() <= f64::EPSILON, "{room}");
        // A ball that is smaller than the last place of its centre has no inside.
        assert!(inner_radius(&Ball::new(vec![1e9], 1e-8).unwrap()) <= 0.0);
    }

    /// λ = 0.01 and B = 100, so that λB = 1 and √λ·B = 10. Outside by D the slope is D/100, and the
    /// limit ln(1 + D/100)·2 ≤ 28.
    #[test]
    fn means_that_proposals_would_miss_are_refused() {
        let ball = Ball::new(vec![0.0; 3], 100.0).unwrap();
        let at = |outside: f64| {
            let mean = [100.0 + outside, 0.0, 0.0];
            normal_in_ball(&mean, 0.01, &ball, &mut ReplayRng::new(22)).map_err(|error| error.field)
        };
        let near = at(1.2e6).unwrap();
        assert!(ball.contains(&near) && near[0] > 99.0, "{near:?}");
        assert_eq!(at(1.3e8), Err("mean"));
        // λ = 1, so that λB = 100: the slope is D, and it is D/100 that counts again.
        let steep = normal_in_ball(&[1e6, 0.0, 0.0], 1.0, &ball, &mut ReplayRng::new(22)).unwrap();
        assert!(ball.contains(&steep) && steep[0] > 99.0, "{steep:?}");
        let infinite = normal_in_ball(&[f64::INFINITY, 0.0, 0.0], 0.01, &ball, &mut ReplayRng::new(22));
        assert_eq!(infinite.map_err(|error| error.field), Err("mean"));
    }

    /// √λ·B ≥ d: 0.3·10 = 3.
    #[test]
    fn a_ball_has_to_be_flat_on_the_scale_of_the_law() {
        let ball = Ball::new(vec![0.0; 3], 10.0).unwrap();
        let with = |precision: f64| {
            normal_in_ball(&[0.0; 3], precision, &ball, &mut ReplayRng::new(23)).map_err(|error| error.field)
        };
        assert!(with(0.09).is_ok_and(|x| ball.contains(&x)));
        assert_eq!(with(0.0899), Err("precision"));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(with(bad), Err("precision"));
        }
        let point = Ball::new(vec![1.0, 2.0], 0.0).unwrap();
        assert_eq!(normal_in_ball(&[9.0, 9.0], 1.0, &point, &mut ReplayRng::new(23)), Ok(vec![1.0, 2.0]));
    }

    /// A mean 3 outside of a ball of radius 2, with λ = 10: the density falls by e^(−30t).
    /// Inside by ½ it does not fall.
    #[test]
    fn depth_and_slope_by_hand() {
        let ball = Ball::new(vec![1.0, 1.0], 2.0).unwrap();
        for (mean, depth, slope) in
            [([4.0, 5.0], -3.0, 30.0), ([1.0, -0.5], 0.5, 0.0), ([1.0, 1.0], 2.0, 0.0)]
        {
            let law = NormalInBall::new(&mean, 10.0, &ball).unwrap();
            assert!((law.depth - depth).abs() < 1e-12 && (law.slope() - slope).abs() < 1e-12);
        }
    }

    /// Depths from 0 to 2B, and ‖w‖² up to t(2B − t): 1·3 for t = 1 and B = 2.
    #[test]
    fn the_edge_of_the_ball_is_inside() {
        let inside =
            |depth: f64, across: &[f64]| is_inside(2.0, &Cylindrical { depth, across: across.to_vec() });
        assert!(inside(0.0, &[]) && inside(4.0, &[]) && inside(0.0, &[0.0]));
        assert!(!inside(-1e-300, &[]) && !inside(4.0_f64.next_up(), &[]));
        assert!(inside(1.0, &[1.0, 1.0, -1.0]) && !inside(1.0, &[1.0, 1.0, -1.0_f64.next_up()]));
        assert!(!inside(f64::NAN, &[]) && !inside(1.0, &[f64::NAN]));
    }

    /// H0: depths have the density ∝ e^(−at − λt²/2) on t ≥ 0, whose mean is −a/λ + φ(α)/((1 − Φ(α))√λ), α = a/√λ. Both
    /// ways to draw one, n = 10⁴ each; six standard errors are below 0.016. The other coordinates are N(0, 1/λ): their
    /// mean square over n = 10⁴ is within six standard errors √2/λ/100.
    #[test]
    fn depths_and_coordinates_across_have_their_means() {
        let mut rng = ReplayRng::new(24);
        for (slope, mean) in [(1.0, 0.320539), (4.0, 0.186608), (2.0, 0.262568), (0.25, 0.377064)] {
            let sum: f64 = (0..10_000).map(|_| first(|| propose_depth(slope, 4.0, &mut rng))).sum();
            assert!((sum / 1e4 - mean).abs() < 0.016, "{slope}: {}", sum / 1e4);
        }
        let ball = Ball::new(vec![0.0; 3], 10.0).unwrap();
        let law = NormalInBall::new(&[0.0, 11.0, 0.0], 4.0, &ball).unwrap();
        let square = |place: Cylindrical| place.across.iter().map(|w| w * w).sum::<f64>();
        let squares: f64 = (0..5000).map(|_| square(law.propose(&mut rng))).sum();
        assert!((squares / 1e4 - 0.25).abs() < 0.06 * 2.0_f64.sqrt() / 4.0, "{squares}");
    }
}
