//! The exact draw: one sample of p* in a handful of passes. spec: `own:exact`
//!
//! With an anchor x₀, θ = x₀ + Mw and s = ‖w‖, the potential is bounded from below by the smaller of a parabola and a
//! line in s, for every w: f(θ) − f(x₀) ≥ min(c₁s²/2 − k, c₂s). So e^(−f) is at most the **sum** of e^(k − c₁s²/2) and
//! e^(−c₂s), whatever zone w is in: a mixture of a normal law and of one with a gamma norm. Draw w from it. If θ is
//! outside the ball, draw again, without a pass. Inside, accept with probability e^(−E), E = f(θ) − f(x₀) + ln(e^(k −
//! c₁s²/2) + e^(−c₂s)) ≥ 0. An accepted θ has the law p*, whatever its number. After a fixed number of proposals
//! another sampler draws, with fresh bits.
//!
//! Everything here may depend on the records: nothing can be printed, and which way was taken is returned as private.

use super::envelope::{Envelope, SHORTFALL, dot, norm};
use super::{Draw, Effort};
use crate::ball::{Ball, distance};
use crate::exact::{at_most, step_until};
use crate::exact_draw::{ANCHOR_RADII, LARGEST_OFFSET, edge};
use crate::noise::{RandomBits, bernoulli_exp_f64, exact_exponential_f64, fill_normal};
use crate::private::Private;

#[cfg(any(kani, test))]
#[path = "../../proofs/sampler/exact.rs"]
mod proofs;

/// The potential as it is seen from the anchor.
pub trait Divergence {
    /// D(v) = f(x₀ + v) − f(x₀) − ⟨∇f(x₀), v⟩ ≥ 0: one pass over the records.
    fn divergence(&mut self, moved: &[f64]) -> f64;
}

/// min(c₁s²/2 − k, c₂s) and its smooth neighbour. spec: `own:exact`
struct Minorant {
    /// c₁.
    curvature: f64,
    /// k.
    offset: f64,
    /// c₂.
    slope: f64,
}

impl Minorant {
    /// The minorant of a divergence that is at least c·s²/2 up to the reach ρ, where ‖Mᵀ∇f(x₀)‖ ≤ g.
    ///
    /// Two inequalities make it one, and both are decided exactly: g² ≤ 2k(c − c₁) and c₂ + g ≤ cρ/2.
    /// `None` where the gradient is too large for a draw to have a chance.
    fn new(floor: f64, reach: f64, gradient: f64, dimension: usize) -> Option<Self> {
        // k + (d/2)·share is smallest about here.
        let share = (gradient / (dimension as f64).sqrt()).clamp(LEAST_SHARE, 0.5);
        let curvature = floor * (1.0 - share);
        let is_parabola = |offset: f64| {
            let product = [2.0, offset, curvature];
            at_most(&[&[gradient, gradient], &product], &[&[2.0, offset, floor]])
        };
        let is_line = |slope: f64| at_most(&[&[2.0, slope], &[2.0, gradient]], &[&[floor, reach]]);
        // The differences lose some places: a few steps of 2⁻²⁰ are enough, and cost nothing.
        let offset = gradient * gradient / (2.0 * (floor - curvature));
        let offset = step_until(offset, |offset| offset * (1.0 + LEAST_SHARE), is_parabola, ROUNDINGS)?;
        let slope = 0.5 * floor * reach - gradient;
        let slope = step_until(slope, |slope| slope * (1.0 - LEAST_SHARE), is_line, ROUNDINGS)?;
        let has_a_chance = offset <= LARGEST_OFFSET && slope >= 0.25 * floor * reach;
        has_a_chance.then_some(Self { curvature, offset, slope })
    }

    /// −ln(e^(k − c₁s²/2) + e^(−c₂s)): below both, by at most ln 2.
    fn smooth(&self, s: f64) -> f64 {
        let (least, gap) = least_and_gap(0.5 * self.curvature * s * s - self.offset, self.slope * s);
        least - (-gap).exp().ln_1p()
    }

    /// ln(W₂/W₁), the masses of the line's and of the parabola's part: E|N(0,1)|^d·(√c₁/c₂)^d·e^(−k).
    fn ln_odds(&self, dimension: usize) -> f64 {
        let d = dimension as f64;
        ln_absolute_moment(dimension) + d * (0.5 * self.curvature.ln() - self.slope.ln()) - self.offset
    }
}

/// The least part of the curvature that is traded for the gradient: about what is lost to the other margins.
const LEAST_SHARE: f64 = f64::from_bits((1023 - 20) << 52);

/// A computed value is within a few roundings of its bound.
const ROUNDINGS: u32 = 16;

/// ln E|N(0,1)|^d = ln((d − 1)!!), and ½ln(2/π) for odd d.
fn ln_absolute_moment(dimension: usize) -> f64 {
    let factors = (1..dimension).rev().step_by(2).map(|j| (j as f64).ln());
    let odd = if dimension % 2 == 1 { 0.5 * core::f64::consts::FRAC_2_PI.ln() } else { 0.0 };
    factors.sum::<f64>() + odd
}

/// The smaller of two numbers, and how far the other is above. NaN in, NaN out.
fn least_and_gap(a: f64, b: f64) -> (f64, f64) {
    if a <= b { (a, b - a) } else { (b, a - b) }
}

/// The energy that counts: a negative one is rounding; one that is no finite number is never accepted.
fn counted(energy: f64) -> Option<f64> {
    if energy.is_finite() { Some(energy.max(0.0)) } else { None }
}

/// How many proposals a draw may make before it leaves the field to another sampler.
#[derive(Clone, Copy)]
pub struct Caps {
    /// N: proposals inside the ball; each costs a pass.
    pub evaluated: u32,
    /// N′: proposals at all.
    pub drawn: u32,
}

impl Default for Caps {
    /// Far below the passes of the proximal sampler; far beyond what an acceptance of one in twenty needs.
    fn default() -> Self {
        Self { evaluated: 256, drawn: 1 << 16 }
    }
}

/// What became of a proposal.
enum Trial<T> {
    /// Not in the ball: no pass.
    Outside,
    /// Evaluated and refused.
    Rejected,
    /// Evaluated and taken.
    Accepted(T),
}

/// The first accepted trial within the caps, and how many were drawn and evaluated.
fn within_caps<T>(caps: Caps, mut attempt: impl FnMut() -> Trial<T>) -> (Option<T>, Caps) {
    let mut made = Caps { evaluated: 0, drawn: 0 };
    while made.evaluated < caps.evaluated && made.drawn < caps.drawn {
        made.drawn += 1;
        match attempt() {
            Trial::Outside => {}
            Trial::Rejected => made.evaluated += 1,
            Trial::Accepted(point) => {
                made.evaluated += 1;
                return (Some(point), made);
            }
        }
    }
    (None, made)
}

/// The exact draw, ready for one data set and one ball. spec: `own:exact`
pub struct ExactDraw<'a> {
    anchor: &'a [f64],
    gradient: &'a [f64],
    envelope: &'a Envelope,
    minorant: Minorant,
    /// ln(W₂/W₁).
    ln_odds: f64,
    /// The ball, smaller by more than the rounding of a point.
    inner: Ball,
}

impl<'a> ExactDraw<'a> {
    /// Prepares a draw around an anchor whose computed gradient is within `gradient_error` (2-norm) of ∇f there.
    /// *Caller-verified*: that, and that the envelope was made for this potential and this anchor.
    ///
    /// `None`, and the other sampler should draw, where the anchor is too far from the ball, or the gradient too large.
    pub fn new(
        anchor: &'a [f64],
        gradient: &'a [f64],
        gradient_error: f64,
        envelope: &'a Envelope,
        domain: &Ball,
    ) -> Option<Self> {
        let d = envelope.dimension;
        if [anchor.len(), gradient.len(), domain.dimension()] != [d; 3] {
            return None;
        }
        let (radius, origin) = (domain.radius(), vec![0.0; d]);
        let edge = edge(d as f64, radius, distance(domain.centre(), &origin))?;
        // NaN is not near.
        let is_near = distance(anchor, domain.centre()) <= ANCHOR_RADII * radius && gradient_error >= 0.0;
        let minorant =
            Minorant::new(1.0 - SHORTFALL, envelope.reach, envelope.slope(gradient, gradient_error), d)
                .filter(|_| is_near)?;
        let ln_odds = Some(minorant.ln_odds(d)).filter(|odds| odds.is_finite())?;
        let inner = Ball::new(domain.centre().to_vec(), radius - edge.margin).ok()?;
        Some(Self { anchor, gradient, envelope, minorant, ln_odds, inner })
    }

    /// A draw from p*; `None` after as many proposals as the caps allow: another sampler draws then, with the bits that
    /// come next.
    ///
    /// Every accepted proposal has the law p*, so the whole has a law as close to p* as the other sampler's.
    pub fn draw<D: Divergence, R: RandomBits>(
        &self,
        potential: &mut D,
        caps: Caps,
        rng: &mut R,
    ) -> Option<Draw> {
        let (theta, made) = within_caps(caps, || self.attempt(potential, rng));
        let effort =
            Effort { divergences: made.evaluated.into(), proposals: made.drawn.into(), ..Effort::default() };
        theta.map(|theta| Draw { theta: Private::new(theta), effort: Private::new(effort) })
    }

    /// One proposal.
    fn attempt<D: Divergence, R: RandomBits>(&self, potential: &mut D, rng: &mut R) -> Trial<Vec<f64>> {
        let w = self.propose(rng);
        let moved = self.envelope.image(&w);
        let theta: Vec<f64> = self.anchor.iter().zip(&moved).map(|(x, v)| x + v).collect();
        if !self.inner.contains(&theta) {
            return Trial::Outside;
        }
        let rise = potential.divergence(&moved) + dot(self.gradient, &moved);
        let accepted = counted(rise - self.minorant.smooth(norm(&w)))
            .is_some_and(|energy| bernoulli_exp_f64(energy, rng) == Some(true));
        if accepted { Trial::Accepted(theta) } else { Trial::Rejected }
    }

    /// w with density ∝ e^(k − c₁s²/2) + e^(−c₂s).
    fn propose<R: RandomBits>(&self, rng: &mut R) -> Vec<f64> {
        let is_far = has_odds(self.ln_odds, rng);
        let mut w = vec![0.0; self.anchor.len()];
        fill_normal(&mut w, rng);
        let factor = if is_far {
            // The norm is a gamma variable: a sum of d exponential ones.
            let times: Vec<f64> = w.iter().map(|_| exact_exponential_f64(rng)).collect();
            dot(&times, &vec![1.0; times.len()]) / self.minorant.slope / norm(&w)
        } else {
            self.minorant.curvature.sqrt().recip()
        };
        for w in &mut w {
            *w *= factor;
        }
        w
    }
}

/// True with the odds e^x : 1, exactly, for a finite x.
fn has_odds<R: RandomBits>(x: f64, rng: &mut R) -> bool {
    has_odds_by(
        x,
        rng,
        |rng| rng.next_u64() & 1 == 1,
        |energy, rng| bernoulli_exp_f64(energy, rng) == Some(true),
    )
}

/// [`has_odds`] for any fair coin and any coin of probability e^(−energy).
fn has_odds_by<R>(
    x: f64,
    rng: &mut R,
    mut fair: impl FnMut(&mut R) -> bool,
    mut believed: impl FnMut(f64, &mut R) -> bool,
) -> bool {
    loop {
        let answer = fair(rng);
        // The less likely answer is believed with probability e^(−|x|), the other always.
        let energy = if answer { -x } else { x };
        if believed(energy.max(0.0), rng) {
            return answer;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proofs::Words;
    use nalgebra::DMatrix;
    use quickcheck::quickcheck;

    /// ∫₀^∞ s^(d−1)·e^(−g(s)) ds by the midpoint rule, for a g that has grown by 60 at s = 60.
    fn mass(dimension: usize, g: impl Fn(f64) -> f64) -> f64 {
        let at = |s: f64| ((dimension - 1) as f64 * s.ln() - g(s)).exp();
        (0..600_000).map(|k| 1e-4 * at(1e-4 * (f64::from(k) + 0.5))).sum()
    }

    #[test]
    fn the_odds_are_the_ratio_of_the_masses() {
        // E|N|, E N², E|N|³, E N⁴.
        for (d, moment) in [(1, 0.797_884_560_802_865_4), (2, 1.0), (3, 1.595_769_121_605_730_7), (4, 3.0)] {
            assert!((ln_absolute_moment(d).exp() / moment - 1.0).abs() < 1e-15, "{d}");
        }
        for d in [1, 2, 3, 4, 11] {
            let minorant = Minorant { curvature: 0.8, offset: 0.3, slope: 1.7 };
            let far = mass(d, |s| 1.7 * s);
            let near = mass(d, |s| 0.4 * s * s - 0.3);
            let odds = minorant.ln_odds(d).exp();
            assert!((odds / (far / near) - 1.0).abs() < 1e-6, "{d}: {odds} {}", far / near);
        }
        // d = 11, ρ = √d + 2: the line has 6 % of the mass.
        let minorant = Minorant { curvature: 1.0, offset: 0.0, slope: 0.5 * (11.0_f64.sqrt() + 2.0) };
        assert!((minorant.ln_odds(11).exp() - 0.0654).abs() < 1e-4);
    }

    /// What is known of f: c·s²/2 up to ρ, cρs/2 beyond, and a slope of −g at worst.
    fn worst_rise(floor: f64, reach: f64, gradient: f64, s: f64) -> f64 {
        0.5 * floor * s * s.min(reach) - gradient * s
    }

    quickcheck! {
        /// The minorant is below in both zones without a look at the zone, and the smooth one below it by ln 2 at most.
        fn minorants_are_below_what_is_known(reach: u8, gradient: u16, d: u8) -> bool {
            let (floor, reach) = (1.0 - SHORTFALL, 1.0 + f64::from(reach) / 32.0);
            let gradient = f64::from(gradient) / 65536.0 * 0.26 * reach;
            let Some(minorant) = Minorant::new(floor, reach, gradient, usize::from(d) + 1) else {
                // Refused only where the gradient is large.
                let pull = gradient * gradient.max((f64::from(d) + 1.0).sqrt());
                return gradient > 0.24 * reach || pull > 1.9;
            };
            (0..4000).map(|k| f64::from(k) * 0.005).all(|s| {
                let least = (0.5 * minorant.curvature * s * s - minorant.offset).min(minorant.slope * s);
                let smooth = minorant.smooth(s);
                least <= worst_rise(floor, reach, gradient, s) + 1e-12
                    && smooth <= least && smooth >= least - core::f64::consts::LN_2 - 1e-12
            })
        }

        fn gradients_that_are_no_number_have_no_minorant(bits: u64) -> bool {
            let gradient = f64::from_bits(bits | 0x7ff0_0000_0000_0000);
            Minorant::new(0.9, 3.0, gradient, 2).is_none() && Minorant::new(0.9, 3.0, -1.0, 2).is_none()
        }
    }

    #[test]
    fn without_a_gradient_nearly_nothing_is_lost() {
        let minorant = Minorant::new(1.0, 4.0, 0.0, 3).unwrap();
        assert_eq!((minorant.offset, minorant.slope), (0.0, 2.0));
        assert!(minorant.curvature > 0.999_999);
        assert!(Minorant::new(1.0, 4.0, 1.01, 3).is_none());
    }

    struct Never;
    impl Divergence for Never {
        fn divergence(&mut self, _: &[f64]) -> f64 {
            f64::INFINITY
        }
    }

    /// The fallback reads the words of the stream that come next, and not one of those that the proposals read.
    #[test]
    fn the_fallback_reads_on() {
        let envelope =
            Envelope::new(&DMatrix::identity(2, 2), 2.0, 0.0, |_, _| DMatrix::identity(2, 2)).unwrap();
        let domain = Ball::new(vec![0.0; 2], 1.0).unwrap();
        let exact = ExactDraw::new(&[0.0; 2], &[0.0; 2], 0.0, &envelope, &domain).unwrap();
        let mut rng = Words::new([0; 0]);
        let caps = Caps { evaluated: 3, drawn: 100 };
        assert!(exact.draw(&mut Never, caps, &mut rng).is_none());
        // `Words` without given ones reads the stream of seed 0.
        let (read, word) = (rng.read, rng.next_u64());
        let mut stream = crate::noise::ReplayRng::new(0);
        assert!(read > 8 && (0..=read).map(|_| stream.next_u64()).last() == Some(word));
    }

    #[test]
    fn the_ball_is_smaller_by_the_margin() {
        let envelope =
            Envelope::new(&DMatrix::identity(1, 1), 2.0, 0.0, |_, _| DMatrix::identity(1, 1)).unwrap();
        let domain = Ball::new(vec![7.0], 2.0).unwrap();
        let exact = ExactDraw::new(&[6.0], &[0.0], 0.0, &envelope, &domain).unwrap();
        let margin = edge(1.0, 2.0, 7.0).unwrap().margin;
        assert!(
            margin > 1e-14
                && exact.inner.radius() <= 2.0 - margin
                && exact.inner.radius() > 2.0 - 2.0 * margin
        );
    }

    #[test]
    fn odds_are_kept() {
        let mut rng = crate::noise::ReplayRng::new(31);
        // n = 10⁵; six standard errors: false alarm below 2·10⁻⁹ each.
        for odds in [1e-3_f64, 0.3, 1.0, 5.0, 1e3] {
            let p = odds / (1.0 + odds);
            let yes = (0..100_000).filter(|_| has_odds(odds.ln(), &mut rng)).count() as f64;
            assert!((yes - 1e5 * p).abs() <= 6.0 * (1e5 * p * (1.0 - p)).sqrt(), "{odds}: {yes}");
        }
    }

    /// Where nothing is rounded: (floor, ρ, g, d) and c₁, k, c₂ of g² = 2k(c − c₁) and c₂ + g = cρ/2.
    #[test]
    fn minorants_by_hand() {
        for (floor, reach, gradient, d, expected) in [
            // A share of ½/√4; 2·0.5·0.25 = 0.5².
            (1.0, 4.0, 0.5, 4, Some((0.75, 0.5, 1.5))),
            // A share of ½ at most, and the least slope, a quarter of cρ.
            (1.0, 4.0, 1.0, 1, Some((0.5, 1.0, 1.0))),
            (1.0, 4.0, 1.001, 1, None),
            // The largest k.
            (0.5, 16.0, 1.0, 1, Some((0.25, 2.0, 3.0))),
            (0.5, 16.0, 1.001, 1, None),
        ] {
            let found =
                Minorant::new(floor, reach, gradient, d).map(|it| (it.curvature, it.offset, it.slope));
            assert_eq!(found, expected, "{gradient}");
        }
    }

    #[test]
    fn the_smooth_minorant_is_the_logarithm_of_a_sum() {
        let minorant = Minorant { curvature: 0.75, offset: 0.5, slope: 1.5 };
        // s, c₁s²/2 − k and c₂s: the parabola is below, the line is, and at 0.
        for (s, parabola, line) in [(2.0, 1.0, 3.0), (8.0, 23.5, 12.0), (0.0, -0.5, 0.0)] {
            let (a, b): (f64, f64) = (-parabola, -line);
            let expected = -(a.exp() + b.exp()).ln();
            assert!((minorant.smooth(s) - expected).abs() < 1e-13, "{s}");
        }
        assert_eq!((least_and_gap(1.0, 3.5), least_and_gap(3.5, 1.0)), ((1.0, 2.5), (1.0, 2.5)));
        assert_eq!(
            (counted(-1.0), counted(3.0), counted(f64::NAN), counted(f64::INFINITY)),
            (Some(0.0), Some(3.0), None, None)
        );
    }

    #[test]
    fn an_anchor_is_at_most_five_quarters_of_the_radius_away() {
        let envelope =
            Envelope::new(&DMatrix::identity(1, 1), 2.0, 0.0, |_, _| DMatrix::identity(1, 1)).unwrap();
        let domain = Ball::new(vec![0.0], 2.0).unwrap();
        let at = |x: f64| ExactDraw::new(&[x], &[0.0], 0.0, &envelope, &domain).is_some();
        assert!(at(2.5) && at(-2.5) && !at(2.5_f64.next_up()));
    }

    /// A parabola of curvature 1 around 0, which counts how often it is asked.
    struct Parabola(u64);
    impl Divergence for Parabola {
        fn divergence(&mut self, moved: &[f64]) -> f64 {
            self.0 += 1;
            0.5 * dot(moved, moved)
        }
    }

    /// H0: the draw from the anchor ½, where the gradient is ½, has the law N(0, 1) on [−2, 2], whose mean is 0 and
    /// whose variance is 1 − 4φ(2)/(2Φ(2) − 1) = 0.773741. n = 4000; six standard errors of the mean and of the mean
    /// square (fourth moment below 3).
    #[test]
    fn draws_from_an_anchor_beside_the_minimiser_have_the_law() {
        let envelope =
            Envelope::new(&DMatrix::identity(1, 1), 3.0, 0.0, |_, _| DMatrix::identity(1, 1)).unwrap();
        let domain = Ball::new(vec![0.0], 2.0).unwrap();
        let (anchor, gradient) = ([0.5], [0.5]);
        let exact = ExactDraw::new(&anchor, &gradient, 0.0, &envelope, &domain).unwrap();
        let (mut f, mut rng) = (Parabola(0), crate::noise::ReplayRng::new(32));
        let (mut sum, mut squares, mut evaluated) = (0.0, 0.0, 0);
        for _ in 0..4000 {
            let draw = exact.draw(&mut f, Caps::default(), &mut rng).unwrap();
            let x = draw.theta.reveal_breaking_privacy()[0];
            let effort = draw.effort.reveal_breaking_privacy();
            assert!(x.abs() <= 2.0 && effort.proposals >= effort.divergences && effort.divergences >= 1);
            assert_eq!((effort.passes, effort.steps, effort.restarts), (0, 0, 0));
            sum += x;
            squares += x * x;
            evaluated += effort.divergences;
        }
        assert!(evaluated == f.0 && evaluated < 3 * 4000, "{evaluated}");
        assert!((sum / 4000.0).abs() <= 6.0 * (0.7737_f64 / 4000.0).sqrt(), "{sum}");
        assert!((squares / 4000.0 - 0.773741).abs() <= 6.0 * (1.0_f64 / 4000.0).sqrt(), "{squares}");
    }

    /// H0: a proposal of the line's part has a norm that is a sum of three exponential numbers of mean 1/c₂ = ¼, and
    /// with it the mean ¾ and the variance 3/16. n = 2000; six standard errors.
    #[test]
    fn proposals_of_the_line_have_a_gamma_norm() {
        let envelope =
            Envelope::new(&DMatrix::identity(3, 3), 2.0, 0.0, |_, _| DMatrix::identity(3, 3)).unwrap();
        let domain = Ball::new(vec![0.0; 3], 2.0).unwrap();
        let mut exact = ExactDraw::new(&[0.0; 3], &[0.0; 3], 0.0, &envelope, &domain).unwrap();
        // Odds of e¹⁰⁰: no draw of the parabola's part will be seen.
        (exact.minorant.slope, exact.ln_odds) = (4.0, 100.0);
        let mut rng = crate::noise::ReplayRng::new(33);
        let sum: f64 = (0..2000).map(|_| norm(&exact.propose(&mut rng))).sum();
        assert!((sum / 2000.0 - 0.75).abs() <= 6.0 * (0.1875_f64 / 2000.0).sqrt(), "{sum}");
    }

    #[test]
    fn caps_and_the_floor_of_an_envelope_are_those_of_the_page() {
        assert_eq!((Caps::default().evaluated, Caps::default().drawn), (256, 65536));
        let envelope =
            Envelope::new(&DMatrix::identity(1, 1), 2.0, 0.0, |_, _| DMatrix::identity(1, 1)).unwrap();
        let domain = Ball::new(vec![0.0], 2.0).unwrap();
        // Without a gradient c₂ is half of cρ, and c is 1 − 2⁻¹⁰.
        let exact = ExactDraw::new(&[0.0], &[0.0], 0.0, &envelope, &domain).unwrap();
        assert_eq!(exact.minorant.slope, 1.0 - 1.0 / 1024.0);
    }
}
