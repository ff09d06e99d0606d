//! What floating point costs the proximal sampler, in Wasserstein-∞ distance. spec: `own:proximal` (errors of one step)

use super::largest_step;
use crate::calibrate::{GrowingError, density_charge, growing_density_charge, non_negative, proposed};
use crate::contract::BrokenContract;
use crate::exact::{add_down, add_up, div_down, div_up, mul_down, mul_up, sqrt_down, sqrt_up};
use crate::loss::Rounding;
use asap_contracts::contract::PotentialClass;

/// What floating point does to the proximal sampler, for every data set that is no worse than these public numbers.
/// spec: `own:proximal`
#[derive(Clone, Copy)]
pub struct ProximalRounding {
    /// The worst data set.
    pub worst: PotentialClass,
    /// Not below ‖θ_0‖.
    pub centre_norm: f64,
    /// An energy is computed within absolute + linear·‖v‖ + quadratic·‖v‖² for a move v from the anchor,
    pub energy: Rounding,
    /// and a gradient within this (2-norm).
    pub gradient: f64,
}

/// How far the law of a whole draw of the program may be from that of the chain in real numbers; on top of the error
/// that the number of steps was chosen for. A proposal: `Charge` of `asap_contracts::contract` decides.
/// spec: `own:proximal`
pub fn planned_proximal_charge(numbers: &ProximalRounding) -> Result<f64, BrokenContract> {
    let ProximalRounding { worst, centre_norm, energy, gradient } = *numbers;
    let PotentialClass { strong_convexity, smoothness, radius, dimension, .. } = worst;
    proposed("own:proximal", "planned_proximal_charge", || {
        // Far from where anything underflows.
        let ordinary =
            [strong_convexity, smoothness, radius, centre_norm + radius].into_iter().all(is_ordinary);
        let errors = [worst.slope, centre_norm, energy.absolute, energy.linear, energy.quadratic, gradient];
        let in_range = smoothness >= strong_convexity && (1..=1 << 20).contains(&dimension);
        (ordinary && in_range && errors.into_iter().all(non_negative)).then_some(())?;
        let step = largest_step(&worst)?;
        let bound = ChargeBound { worst, centre_norm, dimension: dimension as f64 };
        let chain = mul_up(bound.accumulation(step)?, bound.one_step(step)?)?;
        let energies = bound.energies(step, &energy)?;
        sum_up(&[chain, energies, div_up(gradient, strong_convexity)?, bound.edge()?])
    })
}

/// Between 2⁻²⁰⁰ and 2²⁰⁰.
fn is_ordinary(x: f64) -> bool {
    const LARGEST: f64 = f64::from_bits((1023 + 200) << 52);
    (LARGEST.recip()..=LARGEST).contains(&x)
}

/// u = 2⁻⁵³, the largest relative error of one rounding, and a hundredth of it for products of such errors.
const UNIT: f64 = 0.505 * f64::EPSILON;

fn sum_up(terms: &[f64]) -> Option<f64> {
    terms.iter().try_fold(0.0, |sum, term| add_up(sum, *term))
}

fn product_up(factors: &[f64]) -> Option<f64> {
    factors.iter().try_fold(1.0, |product, factor| mul_up(product, *factor))
}

/// What bounds every data set.
struct ChargeBound {
    worst: PotentialClass,
    centre_norm: f64,
    dimension: f64,
}

impl ChargeBound {
    /// ‖θ_0‖ + B: no point of the ball is longer.
    fn reach(&self) -> Option<f64> {
        add_up(self.centre_norm, self.worst.radius)
    }

    /// Not below 1 + 1/(mη) for any data set; the search for η loses less than a twentieth. `ProximalStep` of
    /// `asap_contracts::contract` decides that for the η of a fit.
    fn accumulation(&self, step: f64) -> Option<f64> {
        add_up(1.0, div_up(1.05, mul_down(self.worst.strong_convexity, step)?)?)
    }

    /// Not above λ = m + 1/η of the plan.
    fn planned_precision(&self, step: f64) -> Option<f64> {
        add_down(self.worst.strong_convexity, div_down(1.0, step)?)
    }

    /// Not below λ = m + 1/η for any data set, whose m may be as large as L.
    fn precision(&self, step: f64) -> Option<f64> {
        let planned = add_up(self.worst.strong_convexity, div_up(1.0, step)?)?;
        mul_up(1.1, planned.max(self.worst.smoothness))
    }

    /// (4√d + 2)/√λ: the mean distance of a draw from the anchor of its step.
    fn mean_distance(&self, precision: f64) -> Option<f64> {
        div_up(add_up(mul_up(4.0, sqrt_up(self.dimension)?)?, 2.0)?, sqrt_down(precision)?)
    }

    /// How far a returned point is from the one that was accepted: u((4d + 34)B + S).
    fn displacement(&self) -> Option<f64> {
        let own = mul_up(4.0 * self.dimension + 34.0, self.worst.radius)?;
        mul_up(UNIT, add_up(own, self.reach()?)?)
    }

    /// Everything in one step that is no error of an energy or of a gradient: displacement, mean, edge of the inner
    /// ball, coins of the depth.
    fn one_step(&self, step: f64) -> Option<f64> {
        let (d, radius) = (self.dimension, self.worst.radius);
        let inverse_root = div_up(1.0, sqrt_down(d)?)?;
        let bounded = add_up(mul_up(18.0 * d + 294.0, radius)?, mul_up(2.0, self.reach()?)?)?;
        let mean = product_up(&[1.5, add_up(1.0, inverse_root)?, UNIT, bounded])?;
        let precision_error = product_up(&[4.0, UNIT, radius])?;
        let edge = product_up(&[add_up(14.0, mul_up(15.0, inverse_root)?)?, 0.5 * d + 16.0, UNIT, radius])?;
        // A draw costs (λ/m)·O(1/√λ): largest for the largest λ/m and the least m, that is for the planned λ.
        let precision = self.planned_precision(step)?;
        let coins = GrowingError {
            constant: 0.0,
            slope: product_up(&[4.0, UNIT, sqrt_up(precision)?])?,
            curvature: product_up(&[4.0, UNIT, precision])?,
            mean_distance: self.mean_distance(precision)?,
            reach: 2.0 * radius,
            strong_convexity: precision,
        };
        let coins = growing_density_charge(&coins).ok()?;
        sum_up(&[self.displacement()?, mean, precision_error, edge, coins])
    }

    /// The errors of the energies of all steps. With λ between m and its largest value, the part that grows with the
    /// distance costs most where λ = m, and the constant part where λ is largest.
    fn energies(&self, step: f64, energy: &Rounding) -> Option<f64> {
        let (m, l) = (self.worst.strong_convexity, self.worst.smoothness);
        let ratio = sqrt_up(div_up(self.precision(step)?, m)?)?;
        let errors = GrowingError {
            constant: mul_up(energy.absolute, ratio)?,
            slope: add_up(energy.linear, mul_up(l, self.displacement()?)?)?,
            curvature: add_up(energy.quadratic, product_up(&[0.5 * (self.dimension + 9.0), UNIT, l])?)?,
            mean_distance: self.mean_distance(m)?,
            reach: 2.0 * self.worst.radius,
            strong_convexity: m,
        };
        growing_density_charge(&errors).ok()
    }

    /// p* on the inner ball against p* on the ball, once: 8(d + 8)uS, and what it takes from the mass of each ray.
    fn edge(&self) -> Option<f64> {
        let slack = product_up(&[8.0 * (self.dimension + 8.0), UNIT, self.reach()?])?;
        let share = div_up(slack, self.worst.radius - 2.0 * slack).filter(|share| *share > 0.0)?;
        let exponent = mul_up(share, add_up(self.dimension, mul_up(self.worst.radius, self.worst.slope)?)?)?;
        add_up(slack, density_charge(exponent, self.worst.strong_convexity).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::quickcheck;

    /// μ = 1, logistic loss, Λ = 5, R = 1, eleven parameters, n records at most.
    fn logistic(rows: f64, change: impl Fn(&mut [f64; 4])) -> Result<f64, BrokenContract> {
        let (gamma, unit) = (4.7, 0.5 * f64::EPSILON);
        let mut errors = [0.0, 20.0 * unit * rows * gamma, 10.0 * unit * rows * gamma, 6e-15 * rows * gamma];
        change(&mut errors);
        let [absolute, linear, quadratic, gradient] = errors;
        let slope = gamma * (rows + 5.0 * 5.0);
        let (m, l) = (gamma * 5.0, gamma * (5.0 + 0.25 * rows));
        charge([m, l, slope], 4.5, 5.0, 11, [absolute, linear, quadratic, gradient])
    }

    fn charge(
        [m, l, slope]: [f64; 3],
        radius: f64,
        centre_norm: f64,
        dimension: u64,
        errors: [f64; 4],
    ) -> Result<f64, BrokenContract> {
        let [absolute, linear, quadratic, gradient] = errors;
        planned_proximal_charge(&ProximalRounding {
            worst: PotentialClass { strong_convexity: m, smoothness: l, slope, radius, dimension },
            centre_norm,
            energy: Rounding { absolute, linear, quadratic },
            gradient,
        })
    }

    #[test]
    fn ten_million_records_cost_less_than_a_hundred_thousandth() {
        let charge = logistic(1e7, |_| ()).unwrap();
        // 7.58·10⁻⁶; a tenth for a tenth of them.
        assert!(charge < 7.6e-6 && charge > 7.5e-6, "{charge:e}");
        assert!(logistic(1e6, |_| ()).unwrap() < 7.7e-7);
        // It does not fall where an error grows, and every kind of error is in it.
        for kind in 0..4 {
            assert!(logistic(1e7, |errors| errors[kind] += 1e-5).unwrap() > 1.01 * charge, "{kind}");
        }
    }

    #[test]
    fn what_could_underflow_is_refused() {
        let with = |m: f64, radius: f64| charge([m, m, 0.0], radius, 0.0, 2, [0.0; 4]);
        assert!(with(1.0, 1.0).is_ok());
        for (m, radius) in [(1e-70, 1.0), (1e70, 1.0), (1.0, 1e-70), (1.0, 1e70)] {
            assert!(with(m, radius).is_err());
        }
    }

    /// The same number by the formula of the spec page, written down once more without directed rounding.
    #[test]
    fn the_formula_of_the_page() {
        let (n, gamma, b, s, d, u) = (1e7, 4.7, 4.5, 9.5, 11.0_f64, 0.5 * f64::EPSILON);
        let (m, l, g) = (gamma * 5.0, gamma * (5.0 + 0.25 * n), gamma * (n + 25.0));
        let lambda = (d * (l - m)).max(d * (g - m * b) / (2.0 * b)).max(d * d / (b * b));
        let chain = (lambda / m) * 1.05;
        let displacement = u * ((4.0 * d + 34.0) * b + s);
        let step = displacement
            + (1.5 + 1.5 / d.sqrt()) * u * ((18.0 * d + 294.0) * b + 2.0 * s)
            + 4.0 * u * b
            + (14.0 + 15.0 / d.sqrt()) * (0.5 * d + 16.0) * u * b
            + 16.0 * u * b;
        let (linear, quadratic) =
            (20.0 * u * n * gamma + l * displacement, 10.0 * u * n * gamma + 0.5 * (d + 9.0) * u * l);
        let far = (4.0 * d.sqrt() + 2.0) / m.sqrt();
        let exponent = 2.0
            * (far * (linear + quadratic * far)
                + (linear + 2.0 * quadratic * far) / m.sqrt()
                + 2.0 * quadratic / m);
        let energies = 1.2534 * exponent / m.sqrt();
        let slack = 8.0 * (d + 8.0) * u * s;
        let edge = slack + 1.2534 * (slack / b) * (d + b * g) / m.sqrt();
        let expected = chain * step + energies + 6e-15 * n * gamma / m + edge;
        let computed = logistic(n, |_| ()).unwrap();
        assert!((computed / expected - 1.01).abs() < 0.01, "{computed:e} {expected:e}");
    }

    /// m = L = B = d = 1, θ_0 = 0, exact energies: every term of the page in units of u, by hand. The
    /// coins of the depth are charged at λ = m + 1/η; at the largest λ of any data set they would cost a
    /// part in 150 of the whole less.
    #[test]
    fn the_smallest_ball_by_hand() {
        let (unit, charge_of) = (0.505 * f64::EPSILON, |exponent: f64| 1.253_314_137_315_500_3 * exponent);
        // ϱ = 4√d + 2 = 6: the mean distance of a draw.
        let growing = |b: f64, c: f64| {
            charge_of(2.0 * (6.0 * b + 36.0 * c) + 2.0 * c + 0.797_884_560_802_865_4 * (b + 12.0 * c))
        };
        let displacement = 38.0 + 1.0;
        let step = displacement + 3.0 * (312.0 + 2.0) + 4.0 + 29.0 * 16.5 + growing(4.0, 4.0);
        let edge = 72.0 + charge_of(72.0);
        let expected = unit * (step + growing(displacement, 5.0) + edge);
        let computed = charge([1.0, 1.0, 0.0], 1.0, 0.0, 1, [0.0; 4]).unwrap();
        assert!((computed / expected - 1.0).abs() < 1e-5, "{computed:e} {expected:e}");
    }

    quickcheck! {
        /// Where there is a charge, better numbers have one that is not larger.
        fn better_numbers_cost_no_more(m: u32, ratio: u16, slope: u16, centre: u8, d: u8, share: u8) -> bool {
            let (m, d) = (f64::from(m) / 1e6 + 1e-3, u64::from(d) + 1);
            let (l, slope, centre) = (m * (1.0 + f64::from(ratio)), f64::from(slope), f64::from(centre));
            let charge = |m: f64, l: f64, slope: f64, centre: f64, error: f64| {
                charge([m, l, slope], 2.0, centre, d, [error; 4])
            };
            let share = f64::from(share) / 256.0;
            match charge(m, l, slope, centre, 1e-9) {
                Err(_) => true,
                Ok(worst) => [
                    charge(m + share * (l - m), l, slope, centre, 1e-9),
                    charge(m, l - share * (l - m), slope, centre, 1e-9),
                    charge(m, l, share * slope, centre, 1e-9),
                    charge(m, l, slope, share * centre, share * 1e-9),
                ]
                .into_iter()
                .all(|better| better.is_ok_and(|better| better <= worst * (1.0 + 1e-9))),
            }
        }
    }
}
