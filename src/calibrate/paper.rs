//! The paper's own choices, with its hidden constants as parameters. **Asymptotic constants: not certified.**
//!
//! The paper states step size, chain length and restarts up to constant factors, and leaves `C_1` and `C_2` open.
//! With any numbers put in, these formulas prove nothing; they are here to compare with. What has a proof is in
//! [`proposed_plan`](super::proposed_plan).
//!
//! Notation: the paper's αn is Λ, its βn is κΛ; ε and μ are the parameter of **one** of the three stages.

use crate::input::InvalidInput;
use crate::privacy::{Epsilon, Mu};

/// The constants that the paper leaves open. All are 1 unless said otherwise.
/// spec: `tab:localization`, `tab:K_stepsizes`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paper {
    /// `C_1`: radius of the domain, pure differential privacy.
    pub c1: f64,
    /// `C_2`: radius of the domain, Gaussian differential privacy.
    pub c2: f64,
    /// Step size.
    pub c_h: f64,
    /// Chain length.
    pub c_k: f64,
    /// Restarts.
    pub c_tau: f64,
}

impl Default for Paper {
    fn default() -> Self {
        Self { c1: 1.0, c2: 1.0, c_h: 1.0, c_k: 1.0, c_tau: 1.0 }
    }
}

/// What is public about the problem. spec: `tab:localization`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublicProblem {
    /// d: the number of parameters.
    pub dimension: u64,
    /// n: the number of records.
    pub rows: u64,
    /// κ = (Λ + nβ)/Λ.
    pub condition: f64,
    /// Λ: the total regulariser.
    pub regulariser: f64,
    /// G: the Lipschitz constant of one record.
    pub lipschitz: f64,
}

/// A row of the table. spec: `tab:localization`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperDomain {
    /// ρ: how often θ* may lie outside of the domain.
    pub rho: f64,
    /// B: the radius of the ball.
    pub radius: f64,
    /// γ, in `f64` arithmetic: the γ of a release is rounded down elsewhere.
    pub gamma: f64,
    /// Δ: the error of the sampler that the noise covers.
    pub delta: f64,
}

/// Step size, chain length and restarts of constrained MALA. spec: `tab:K_stepsizes`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperChain {
    /// h: the step size.
    pub step: f64,
    /// K: steps of the chain, which the paper does not call lazy.
    pub steps: u64,
    /// `τ_max`: how many chains are run at most.
    pub restarts: u64,
}

impl Paper {
    /// What a certificate says of anything computed here.
    pub const STATUS: &'static str = "asymptotic constants: not certified";

    /// γ, B, Δ, ρ for ε-differential privacy. spec: `tab:localization`
    pub fn pure_localisation(
        &self,
        problem: &PublicProblem,
        epsilon: Epsilon,
    ) -> Result<PaperDomain, InvalidInput> {
        let Numbers { d, n, kappa, lambda, g } = problem.numbers()?;
        let e = epsilon.get();
        // ln(d/ρ) with ρ = 1/(dκ).
        let spread = d * (2.0 * d.ln() + kappa.ln()) * g / (lambda * e);
        let radius = self.c1 * spread;
        PaperDomain {
            rho: 1.0 / (d * kappa),
            radius,
            gamma: e / (2.0 * g * radius),
            delta: spread / (2.0 * n),
        }
        .checked()
    }

    /// γ, B, Δ, ρ for μ-Gaussian differential privacy. spec: `tab:localization`
    pub fn gaussian_localisation(
        &self,
        problem: &PublicProblem,
        mu: Mu,
    ) -> Result<PaperDomain, InvalidInput> {
        let Numbers { d, n, kappa, lambda, g } = problem.numbers()?;
        let sensitivity = g / (lambda * mu.get());
        PaperDomain {
            rho: 1.0 / (d * kappa),
            radius: self.c2 * sensitivity * (d.sqrt() + (d.ln() + kappa.ln()).sqrt()),
            gamma: mu.get() * mu.get() * lambda / (g * g),
            delta: d.sqrt() * sensitivity / (2.0_f64.sqrt() * n),
        }
        .checked()
    }

    /// h, K, `τ_max` for ε-differential privacy. spec: `tab:K_stepsizes`
    pub fn pure_schedule(
        &self,
        problem: &PublicProblem,
        epsilon: Epsilon,
    ) -> Result<PaperChain, InvalidInput> {
        let Numbers { d, n, kappa, lambda, g } = problem.numbers()?;
        let logs = kappa * (d.ln() + kappa.ln()) + n.ln();
        let ratio = g / (lambda * epsilon.get());
        let scale = ratio * ratio / kappa * (2.0 * d.ln() + kappa.ln());
        self.schedule(scale * (d / (kappa * logs)).sqrt().min(1.0), d * logs, d, kappa)
    }

    /// h, K, `τ_max` for μ-Gaussian differential privacy. spec: `tab:K_stepsizes`
    pub fn gaussian_schedule(&self, problem: &PublicProblem, mu: Mu) -> Result<PaperChain, InvalidInput> {
        let Numbers { d, n, kappa, lambda, g } = problem.numbers()?;
        let logs = d * kappa + d * n.ln() + kappa * kappa.ln();
        let ratio = g / (lambda * mu.get());
        self.schedule(ratio * ratio / kappa * shorter(kappa, logs, d), logs, d, kappa)
    }

    /// `K = c_k·E·max(κ^(3/2)·√E, dκ)` and `τ_max = c_τ·E` for a bound E on the logarithms.
    fn schedule(&self, step: f64, logs: f64, d: f64, kappa: f64) -> Result<PaperChain, InvalidInput> {
        let longest = (kappa * kappa.sqrt() * logs.sqrt()).max(d * kappa);
        Ok(PaperChain {
            step: InvalidInput::positive("step size of the paper", self.c_h * step)?,
            steps: whole(self.c_k * logs * longest)?,
            restarts: whole(self.c_tau * logs)?,
        })
    }
}

/// min((κE)^(−1/2), 1/d).
fn shorter(kappa: f64, logs: f64, d: f64) -> f64 {
    (kappa * logs).sqrt().recip().min(d.recip())
}

/// The least whole number of steps that is not below x, and at least 1.
fn whole(x: f64) -> Result<u64, InvalidInput> {
    let refused =
        InvalidInput { field: "steps of the paper", allowed: "a problem that needs fewer than 2^53" };
    let count = Some(x.ceil().max(1.0)).filter(|x| *x <= 9_007_199_254_740_992.0).ok_or(refused)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Ok(count as u64)
}

fn dimension_of(dimension: u64) -> Result<f64, InvalidInput> {
    let refused = InvalidInput { field: "dimension", allowed: "a whole number not less than 1" };
    (dimension >= 1).then_some(dimension as f64).ok_or(refused)
}

fn condition_of(condition: f64) -> Result<f64, InvalidInput> {
    let refused = InvalidInput { field: "condition number", allowed: "a finite number not less than 1" };
    (condition >= 1.0 && condition.is_finite()).then_some(condition).ok_or(refused)
}

/// A [`PublicProblem`] whose numbers are in range.
struct Numbers {
    d: f64,
    n: f64,
    kappa: f64,
    lambda: f64,
    g: f64,
}

impl PublicProblem {
    fn numbers(&self) -> Result<Numbers, InvalidInput> {
        Ok(Numbers {
            d: dimension_of(self.dimension)?,
            n: InvalidInput::positive("rows", self.rows as f64)?,
            kappa: condition_of(self.condition)?,
            lambda: InvalidInput::positive("regulariser", self.regulariser)?,
            g: InvalidInput::positive("Lipschitz constant", self.lipschitz)?,
        })
    }
}

impl PaperDomain {
    /// For d = κ = 1 the paper's B is 0; and extreme numbers over- or underflow.
    fn checked(self) -> Result<Self, InvalidInput> {
        InvalidInput::positive("B of the paper", self.radius)?;
        InvalidInput::positive("γ of the paper", self.gamma)?;
        InvalidInput::positive("Δ of the paper", self.delta)?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(computed: f64, exact: f64) {
        assert!((computed / exact - 1.0).abs() < 1e-13, "{computed} for {exact}");
    }

    /// α = 0.001, β = ¼, n = 5000 in the paper's notation.
    const PROBLEM: PublicProblem =
        PublicProblem { dimension: 11, rows: 5000, condition: 250.0, regulariser: 5.0, lipschitz: 1.0 };

    /// mpmath, from the tables with their α, β and n.
    #[test]
    fn tables_at_one_problem() {
        let (paper, epsilon) = (Paper::default(), Epsilon::new(0.5).unwrap());
        let PaperDomain { rho, radius, gamma, delta } = paper.pure_localisation(&PROBLEM, epsilon).unwrap();
        close(rho, 0.000_363_636_363_636_363_6);
        close(radius, 45.395_906_439_219_544);
        close(gamma, 0.005_507_104_486_055_903);
        close(delta, 0.004_539_590_643_921_954);
        let PaperChain { step, steps, restarts } = paper.pure_schedule(&PROBLEM, epsilon).unwrap();
        close(step, 3.106_155_758_125_704e-5);
        assert_eq!((steps, restarts), (12_786_165_924, 21_872));

        let mu = Mu::new(0.5).unwrap();
        let PaperDomain { rho, radius, gamma, delta } = paper.gaussian_localisation(&PROBLEM, mu).unwrap();
        close(rho, 0.000_363_636_363_636_363_6);
        close(radius, 2.452_303_944_032_479);
        close(gamma, 1.25);
        close(delta, 0.000_187_616_630_392_937_2);
        let PaperChain { step, steps, restarts } = paper.gaussian_schedule(&PROBLEM, mu).unwrap();
        close(step, 6.227_951_482_678_676e-7);
        assert_eq!((steps, restarts), (1_085_186_195, 4225));
    }

    #[test]
    fn constants_multiply_what_they_stand_for() {
        let paper = Paper { c1: 2.0, c2: 3.0, c_h: 0.5, c_k: 10.0, c_tau: 4.0 };
        let (epsilon, mu) = (Epsilon::new(1.0).unwrap(), Mu::new(1.0).unwrap());
        let pure = |paper: Paper| paper.pure_localisation(&PROBLEM, epsilon).unwrap();
        close(pure(paper).radius, 2.0 * pure(Paper::default()).radius);
        close(pure(paper).gamma, 0.5 * pure(Paper::default()).gamma);
        close(pure(paper).delta, pure(Paper::default()).delta);
        let gaussian = |paper: Paper| paper.gaussian_localisation(&PROBLEM, mu).unwrap();
        close(gaussian(paper).radius, 3.0 * gaussian(Paper::default()).radius);
        let schedule = |paper: Paper| paper.gaussian_schedule(&PROBLEM, mu).unwrap();
        let (unit, other) = (schedule(Paper::default()), schedule(paper));
        assert!(
            other.steps.abs_diff(10 * unit.steps) <= 10 && other.restarts.abs_diff(4 * unit.restarts) <= 4
        );
        close(other.step, 0.5 * unit.step);
    }

    #[test]
    fn impossible_problems_are_named() {
        let (paper, epsilon) = (Paper::default(), Epsilon::new(1.0).unwrap());
        let field = |problem: PublicProblem| paper.pure_localisation(&problem, epsilon).unwrap_err().field;
        assert_eq!(field(PublicProblem { dimension: 0, ..PROBLEM }), "dimension");
        assert_eq!(field(PublicProblem { rows: 0, ..PROBLEM }), "rows");
        assert_eq!(field(PublicProblem { condition: 0.5, ..PROBLEM }), "condition number");
        assert_eq!(field(PublicProblem { regulariser: f64::NAN, ..PROBLEM }), "regulariser");
        assert_eq!(field(PublicProblem { lipschitz: -1.0, ..PROBLEM }), "Lipschitz constant");
        // ln(d/ρ) = 0.
        assert_eq!(field(PublicProblem { dimension: 1, condition: 1.0, ..PROBLEM }), "B of the paper");
        let long = PublicProblem { condition: 1e6, dimension: 10_000, ..PROBLEM };
        assert_eq!(paper.pure_schedule(&long, epsilon).unwrap_err().field, "steps of the paper");
    }
}
