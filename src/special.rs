//! The transcendental functions of the calibration, in one place.
//!
//! A model checker does not model `exp` and `ln` soundly, so its proofs may reach them only through this module, where
//! their declared range can replace them. None of them decides a random outcome: the noise is made in integers.
//!
//! Accuracy is tested against values computed with 50 digits; callers that need a bound add their own margin. The error
//! function is that of libm (that of statrs 0.19 showed relative errors of about 10⁻¹¹ here).

use core::f64::consts::{FRAC_1_SQRT_2, PI};

/// Natural logarithm.
pub(crate) fn ln(x: f64) -> f64 {
    x.ln()
}

/// Standard normal distribution function.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// `ln Φ(−x)`, also where Φ(−x) underflows.
pub(crate) fn ln_normal_tail(x: f64) -> f64 {
    if x < 20.0 {
        return normal_cdf(-x).ln();
    }
    // Asymptotic series of Mills' ratio; its first omitted term is below 1e-12 for x ≥ 20.
    let y = 1.0 / (x * x);
    let series = -y * (1.0 - y * (3.0 - y * (15.0 - y * (105.0 - y * 945.0))));
    -0.5 * x * x - (x * (2.0 * PI).sqrt()).ln() + series.ln_1p()
}

/// The `t ≥ 0` with `2Φ(t) − 1 = tanh(a/2)`, that is `Φ(−t) = 1/(1 + e^a)`, for `0 < a ≤ 700`.
pub(crate) fn normal_quantile_of_logit(a: f64) -> f64 {
    let mut t = if a < 20.0 { (PI / 8.0).sqrt() * a } else { (2.0 * a).sqrt() };
    t = t.min((2.0 * a).sqrt());
    // Newton's method on the logarithm of the tail (concave and smooth, so it converges from both sides), or,
    // where tail and ½ are too close to tell apart, on the centre.
    for _ in 0..60 {
        let density = (-0.5 * t * t).exp() / (2.0 * PI).sqrt();
        let step = if a < 1.0 {
            (0.5 * libm::erf(t * FRAC_1_SQRT_2) - 0.5 * (0.5 * a).tanh()) / density
        } else {
            // d/dt ln Φ(−t) = −density/Φ(−t)
            let tail = ln_normal_tail(t);
            -(tail + softplus(a)) * (tail - (-0.5 * t * t)).exp() * (2.0 * PI).sqrt()
        };
        t -= step;
        if step.abs() <= 1e-15 * t {
            break;
        }
    }
    t
}

/// `ln(1 + e^a)` without overflow.
pub(crate) fn softplus(a: f64) -> f64 {
    a.max(0.0) + (-a.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(computed: f64, exact: f64, relative: f64) {
        assert!(((computed - exact) / exact).abs() <= relative, "{computed:e} for {exact:e}");
    }

    // Reference values: mpmath with 50 digits.
    #[test]
    fn normal_tail_against_fifty_digits() {
        close(ln_normal_tail(0.0), -core::f64::consts::LN_2, 1e-13);
        close(ln_normal_tail(0.5), -1.1759117615936186089, 1e-13);
        close(ln_normal_tail(-3.0), -0.0013508099647481937988, 1e-13);
        close(ln_normal_tail(3.0), -6.6077262215103495433, 1e-13);
        close(ln_normal_tail(8.0), -35.013437159914549896, 1e-13);
        close(ln_normal_tail(19.9), -201.91716770733262593, 1e-13);
        close(ln_normal_tail(20.0), -203.91715537109726394, 1e-13);
        close(ln_normal_tail(37.0), -689.0305855768905936, 1e-13);
        close(ln_normal_tail(100.0), -5005.5242086942050886, 1e-13);
        close(ln_normal_tail(1e4), -50000010.129278915181, 1e-13);
    }

    #[test]
    fn quantile_against_fifty_digits() {
        close(normal_quantile_of_logit(1e-12), 6.266570686577501256e-13, 1e-12);
        close(normal_quantile_of_logit(1e-6), 6.2665706865773891879e-7, 1e-12);
        close(normal_quantile_of_logit(0.001), 0.00062665705745093757684, 1e-12);
        close(normal_quantile_of_logit(0.5), 0.31194629604925409602, 1e-12);
        close(normal_quantile_of_logit(0.99), 0.61005684065298886993, 1e-12);
        close(normal_quantile_of_logit(1.0), 0.61601769267245048643, 1e-12);
        close(normal_quantile_of_logit(3.0), 1.6703418561203003541, 1e-12);
        close(normal_quantile_of_logit(10.0), 3.9139571968109332717, 1e-12);
        close(normal_quantile_of_logit(50.0), 9.6748252836123565088, 1e-12);
        close(normal_quantile_of_logit(300.0), 24.326438906565587379, 1e-12);
        close(normal_quantile_of_logit(700.0), 37.295079632647416957, 1e-12);
    }
}
