//! Draws that owe nothing to the library: their own generator, their own normal numbers, plain rejection.

use crate::reference::Quadratic;
use asap_dp::ball::Ball;

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Independent(u64);

impl Independent {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform on (0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.next() >> 12) as f64 + 0.5) * f64::EPSILON
    }

    /// Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (2.0 * core::f64::consts::PI * self.uniform()).cos()
    }

    /// The normal law of a quadratic potential, conditioned on a ball by rejection.
    ///
    /// With v of length 1 and precision a·I + b·vvᵀ: z/√a, shortened along v by √(a/(a + b)).
    pub(crate) fn in_ball(&mut self, f: &Quadratic, ball: &Ball) -> Vec<f64> {
        let squares: f64 = f.direction.iter().map(|v| v * v).sum();
        let shorter = 1.0 - (f.base / (f.base + f.spike * squares)).sqrt();
        loop {
            let z: Vec<f64> = f.direction.iter().map(|_| self.normal()).collect();
            let along: f64 = z.iter().zip(&f.direction).map(|(z, v)| z * v).sum::<f64>() / squares;
            let offset = z.iter().zip(&f.direction).map(|(z, v)| (z - shorter * along * v) / f.base.sqrt());
            let point: Vec<f64> = offset.zip(&f.centre).map(|(x, c)| x + c).collect();
            if ball.contains(&point) {
                return point;
            }
        }
    }
}
