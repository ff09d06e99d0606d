//! An isotropic normal law restricted to a ball, drawn exactly wherever its mean is. spec: `own:truncated`
//!
//! Far inside, plain rejection. Elsewhere the ball is scaled to the unit ball, with the first axis towards the
//! mean: the density is then ∝ e^(κs − β‖z‖²/2), s = z₁, for a *tilt* κ ≥ 0 and a *precision* β ≥ 0. Only s and the
//! distance ρ from the axis matter, so everything happens on a half disk, in any dimension:
//!
//! 1. ρ^(d−2) is replaced by the exponential function that touches it at the mode: a normal law on a disk;
//! 2. on the disk, the chord along the axis is measured from its upper end, and the two coordinates are drawn
//!    from one-dimensional laws;
//! 3. both replacements are undone by a Bernoulli(e^(−E)) variable with an explicit E ≥ 0.
//!
//! There is no special function, no mass of a tail, nothing that underflows. Every proposal is accepted with a
//! positive probability that does not depend on earlier ones, so the loops end with probability 1; how few rounds
//! they take for all d, κ, β is argued on the spec page and measured in a test below.

use super::gaussian::{exponential, fill_normal, normal, uniform};
use crate::ball::{Ball, distance, norm};
use crate::input::InvalidInput;
use crate::noise::{RandomBits, bernoulli_exp_f64};

/// A point of the ball with density ∝ e^(−precision·‖x − mean‖²/2). spec: `own:truncated`
///
/// The mean may lie anywhere. The point always passes [`Ball::contains`].
///
/// ```
/// use asap_dp::{ball::Ball, noise::ReplayRng, sampler::normal_in_ball};
/// let ball = Ball::new(vec![0.0; 3], 1.0)?;
/// // The mean is 999 standard deviations outside: the draw is next to the surface.
/// let x = normal_in_ball(&[1000.0, 0.0, 0.0], 1.0, &ball, &mut ReplayRng::new(1))?;
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
    if mean.len() == ball.dimension() && mean.iter().all(|x| x.is_finite()) {
        Ok(draw_in_ball(mean, precision, ball, rng))
    } else {
        Err(InvalidInput { field: "mean", allowed: "one finite number per dimension of the ball" })
    }
}

/// [`normal_in_ball`] for arguments that are known to be good. A mean that is not finite has no law: the result
/// is then its projection.
pub(super) fn draw_in_ball<R: RandomBits>(
    mean: &[f64],
    precision: f64,
    ball: &Ball,
    rng: &mut R,
) -> Vec<f64> {
    let (d, radius, deviation) = (ball.dimension() as f64, ball.radius(), precision.sqrt().recip());
    let offset = distance(mean, ball.centre());
    if radius == 0.0 {
        return ball.centre().to_vec();
    }
    // P(‖N(0, I)‖ > √d + 2) ≤ e^(−2): at most 1.16 proposals are expected.
    if offset + (d.sqrt() + 2.0) * deviation <= radius {
        return first(|| propose_anywhere(mean, deviation, ball, rng));
    }
    let law = Tilted { tilt: precision * radius * offset, precision: precision * radius * radius };
    if law.precision < INVISIBLE && law.tilt < INVISIBLE * d {
        let mut x = law.draw(&axis(mean, ball, offset), rng);
        for (x, c) in x.iter_mut().zip(ball.centre()) {
            *x = c + radius * *x;
        }
        // For rounding only.
        ball.project_in_place(&mut x);
        x
    } else {
        ball.project(mean)
    }
}

/// 2¹²⁰. With a precision or a tilt per dimension beyond it, and a mean near the boundary or outside, the whole
/// law lies within some 2⁻⁶⁰ radii of the projected mean: less than the rounding of the radius.
const INVISIBLE: f64 = f64::from_bits((1023 + 120) << 52);

/// The first proposal that is accepted.
fn first<T>(mut propose: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(accepted) = propose() {
            return accepted;
        }
    }
}

/// True with probability e^(−x), for a finite x; rounding may have put it just below 0.
fn survives<R: RandomBits>(x: f64, rng: &mut R) -> bool {
    bernoulli_exp_f64(x.max(0.0), rng).unwrap_or(false)
}

/// Plain rejection.
fn propose_anywhere<R: RandomBits>(
    mean: &[f64],
    deviation: f64,
    ball: &Ball,
    rng: &mut R,
) -> Option<Vec<f64>> {
    let mut x = vec![0.0; mean.len()];
    fill_normal(&mut x, rng);
    for (x, mean) in x.iter_mut().zip(mean) {
        *x = mean + deviation * *x;
    }
    ball.contains(&x).then_some(x)
}

/// The unit vector from the centre towards the mean; any unit vector if they are the same.
fn axis(mean: &[f64], ball: &Ball, offset: f64) -> Vec<f64> {
    let mut axis = vec![0.0; mean.len()];
    if offset > 0.0 {
        for (axis, (mean, centre)) in axis.iter_mut().zip(mean.iter().zip(ball.centre())) {
            *axis = (mean - centre) / offset;
        }
        // An offset of a few units in the last place of 0 is itself badly rounded.
        let length = norm(&axis);
        for axis in &mut axis {
            *axis /= length;
        }
    } else {
        axis[0] = 1.0;
    }
    axis
}

/// A uniform direction among those perpendicular to the axis. Needs two dimensions.
fn perpendicular<R: RandomBits>(axis: &[f64], rng: &mut R) -> Vec<f64> {
    first(|| {
        let mut direction = vec![0.0; axis.len()];
        fill_normal(&mut direction, rng);
        let along: f64 = direction.iter().zip(axis).map(|(x, e)| x * e).sum();
        for (x, e) in direction.iter_mut().zip(axis) {
            *x -= along * e;
        }
        let length = norm(&direction);
        for x in &mut direction {
            *x /= length;
        }
        (length > 0.0).then_some(direction)
    })
}

/// The law on the unit ball with density ∝ e^(κs − β‖z‖²/2), s the coordinate along the axis.
#[derive(Clone, Copy)]
struct Tilted {
    /// κ = λaB.
    tilt: f64,
    /// β = λB².
    precision: f64,
}

impl Tilted {
    /// A point of the unit ball.
    fn draw<R: RandomBits>(self, axis: &[f64], rng: &mut R) -> Vec<f64> {
        let along = |s: f64| -> Vec<f64> { axis.iter().map(|e| s * e).collect() };
        if axis.len() == 1 {
            return along(first(|| self.propose_on_line(rng)));
        }
        let power = (axis.len() - 2) as f64;
        let [s, rho] = if power > 0.0 {
            first(|| self.propose_on_half_disk(power, rng))
        } else {
            first(|| self.propose_on_disk(rng))
        };
        let mut z = along(s);
        for (z, direction) in z.iter_mut().zip(perpendicular(axis, rng)) {
            *z += rho * direction;
        }
        z
    }

    /// Whether the mean lies in the open ball: κ < β.
    fn is_inside(self) -> bool {
        self.tilt < self.precision
    }

    /// How steeply the density falls at the upper end of the axis: κ − β, for a mean outside.
    fn slope(self) -> f64 {
        self.tilt - self.precision
    }

    /// One dimension.
    fn propose_on_line<R: RandomBits>(self, rng: &mut R) -> Option<f64> {
        if self.is_inside() {
            propose_near(self.tilt / self.precision, self.precision, rng)
        } else {
            propose_depth(self.slope(), self.precision, rng).map(|t| 1.0 - t)
        }
    }

    /// Two dimensions: the coordinates (s, w).
    fn propose_on_disk<R: RandomBits>(self, rng: &mut R) -> Option<[f64; 2]> {
        if self.is_inside() {
            let s = first(|| propose_near(self.tilt / self.precision, self.precision, rng));
            let w = first(|| propose_near(0.0, self.precision, rng));
            return (s * s + w * w <= 1.0).then_some([s, w]);
        }
        // The chord at w ends at √(1 − w²) = 1 − v, and t is the depth below that end. Density of (w, t) over
        // that of the proposal: exactly e^(−κv²/2 − βvt).
        let w = first(|| propose_near(0.0, self.tilt, rng));
        let t = first(|| propose_depth(self.slope(), self.precision, rng));
        let v = w * w / (1.0 + (1.0 - w * w).sqrt());
        let energy = v * (0.5 * self.tilt * v + self.precision * t);
        (t <= 2.0 - 2.0 * v && survives(energy, rng)).then_some([1.0 - v - t, w])
    }

    /// Density ∝ ρ^k·e^(κs − β(s² + ρ²)/2) at (s, ρ), on the half disk ρ > 0; k = d − 2 ≥ 1.
    fn propose_on_half_disk<R: RandomBits>(self, power: f64, rng: &mut R) -> Option<[f64; 2]> {
        let touch = self.modal_distance(power);
        // ln ρ ≤ ln ρ₀ + ρ/ρ₀ − 1: the bound is a second tilt, along ρ.
        let second = power / touch;
        let tilt = self.tilt.hypot(second);
        let (cos, sin) = (self.tilt / tilt, second / tilt);
        let [s, w] = first(|| Tilted { tilt, ..self }.propose_on_disk(rng));
        let rho = sin * s + cos * w;
        let ratio = rho / touch;
        let excess = (ratio - 1.0) - ratio.ln();
        (rho > 0.0 && survives(power * excess, rng)).then_some([cos * s - sin * w, rho])
    }

    /// ρ₀ where that density is largest; any other positive number would be as exact, and slower.
    fn modal_distance(self, power: f64) -> f64 {
        let (kappa, beta) = (self.tilt, self.precision);
        // Strictly: where both sides underflow to 0 the mode is on the circle.
        if kappa * kappa + power * beta < beta * beta {
            (power / beta).sqrt()
        } else {
            // On the circle s = cos φ, ρ = sin φ: κ sin²φ = k cos φ.
            (2.0 * power / (power + power.hypot(2.0 * kappa))).sqrt()
        }
    }
}

/// s ∈ [−1, 1] with density ∝ e^(−precision·(s − mean)²/2), for 0 ≤ mean ≤ 1.
fn propose_near<R: RandomBits>(mean: f64, precision: f64, rng: &mut R) -> Option<f64> {
    if precision < 1.0 {
        let s = 2.0 * uniform(rng) - 1.0;
        survives(0.5 * precision * (s - mean) * (s - mean), rng).then_some(s)
    } else {
        let s = mean + normal(rng) / precision.sqrt();
        (s.abs() <= 1.0).then_some(s)
    }
}

/// t ∈ [0, 2] with density ∝ e^(−slope·t − precision·t²/2).
fn propose_depth<R: RandomBits>(slope: f64, precision: f64, rng: &mut R) -> Option<f64> {
    let (t, energy) = if slope + precision <= 1.0 {
        let t = 2.0 * uniform(rng);
        (t, t * (slope + 0.5 * precision * t))
    } else if slope * slope >= precision {
        let t = exponential(rng) / slope;
        (t, 0.5 * precision * t * t)
    } else {
        let t = normal(rng).abs() / precision.sqrt();
        (t, slope * t)
    };
    (t <= 2.0 && survives(energy, rng)).then_some(t)
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

    /// 0 and the powers of 4 from 4⁻⁶ to 4¹², and the largest that are not invisible.
    fn parameters() -> impl Iterator<Item = f64> + Clone {
        (-6..=12).map(|k| 4.0_f64.powi(k)).chain([0.0, 1e20, INVISIBLE])
    }

    #[test]
    fn every_proposal_has_a_fair_chance() {
        let mut rng = ReplayRng::new(21);
        let mut worst = [0.0_f64; 4];
        for (tilt, precision) in parameters().flat_map(|t| parameters().map(move |p| (t, p))) {
            let law = Tilted { tilt, precision };
            worst[0] = worst[0].max(proposals(1000, || law.propose_on_line(&mut rng).is_some()));
            worst[1] = worst[1].max(proposals(1000, || propose_near(0.0, tilt, &mut rng).is_some()));
            worst[2] = worst[2].max(proposals(1000, || law.propose_on_disk(&mut rng).is_some()));
            for power in [1.0, 3.0, 9.0, 98.0, 1e4, 1e6] {
                let propose = || law.propose_on_half_disk(power, &mut rng).is_some();
                worst[3] = worst[3].max(proposals(1000, propose));
            }
        }
        // Measured: 2.4, 1.6, 1.4, 2.2; one standard error of 1000 proposals is below 4 % of these.
        assert!(worst[0] < 2.8 && worst[1] < 1.9 && worst[2] < 1.7 && worst[3] < 2.6, "{worst:?}");
    }
}
