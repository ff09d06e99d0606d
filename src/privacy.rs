//! Privacy parameters: budgets, how they are split and how they add up.

use crate::contract::{PublicValue, prusti};
use crate::exact::{add_up, at_most, div_down, integer_up, mul_down, mul_up, sqrt_down, sqrt_up};
use crate::input::InvalidInput;
use crate::special::{ln_normal_tail, normal_cdf, normal_quantile_of_logit};
pub use asap_contracts::Neighbours;

/// ε of pure differential privacy: finite and greater than 0. spec: `defn:dp`
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Epsilon(f64);

/// μ of Gaussian differential privacy: finite and greater than 0. spec: `def:gdp`
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Mu(f64);

impl Epsilon {
    /// Refuses NaN, infinity, 0 and negative numbers.
    pub fn new(value: f64) -> Result<Self, InvalidInput> {
        InvalidInput::positive("epsilon", value).map(Self)
    }

    /// The number.
    #[prusti::pure]
    pub fn get(self) -> f64 {
        self.0
    }

    /// The largest ε such that every ε-DP mechanism is μ-GDP, `ln(Φ(μ/2)/Φ(−μ/2))`, rounded down.
    /// spec: `lem:convert_pure_G_DP`
    ///
    /// The result is within a factor 1 − 2·10⁻¹⁰ of the exact value for μ ≤ 20. Beyond, it is that of 20, about 53,
    /// and no one asks for more.
    ///
    /// ```
    /// use asap_dp::privacy::{Epsilon, Mu};
    /// let epsilon = Epsilon::from_mu(Mu::new(1.0)?)?;
    /// assert!((epsilon.get() - 0.8069653).abs() < 1e-6);
    /// # Ok::<(), asap_dp::Error>(())
    /// ```
    pub fn from_mu(mu: Mu) -> Result<Self, InvalidInput> {
        const MARGIN: f64 = 1.0 - 1e-10;
        let half = 0.5 * mu.0.min(20.0);
        let exact = if half < 0.5 {
            // Where the two tails are too close to tell apart: 2Φ(t) − 1 = tanh(ε/2).
            2.0 * libm::atanh(libm::erf(half * core::f64::consts::FRAC_1_SQRT_2))
        } else {
            ln_normal_tail(-half) - ln_normal_tail(half)
        };
        Self::new(exact * MARGIN)
    }
}

impl Mu {
    /// Refuses NaN, infinity, 0 and negative numbers.
    pub fn new(value: f64) -> Result<Self, InvalidInput> {
        InvalidInput::positive("mu", value).map(Self)
    }

    /// The number.
    #[prusti::pure]
    pub fn get(self) -> f64 {
        self.0
    }

    /// The μ-GDP that every ε-DP mechanism satisfies, `2Φ⁻¹(e^ε/(1 + e^ε))`, rounded up.
    /// spec: `lem:convert_pure_G_DP`
    ///
    /// The result is within a factor 1 + 2·10⁻¹⁰ of the exact value for ε ≤ 700. Beyond, where e^(−ε)
    /// underflows, the tail bound Φ(−t) ≤ e^(−t²/2)/2 at t = 1.5·√ε gives the slightly larger `3√ε`.
    pub fn from_epsilon(epsilon: Epsilon) -> Result<Self, InvalidInput> {
        const MARGIN: f64 = 1.0 + 1e-10;
        let e = epsilon.0;
        let t = if e <= 700.0 {
            normal_quantile_of_logit(e) * MARGIN
        } else {
            sqrt_up(e).unwrap_or(f64::MAX) * 1.5
        };
        Self::new((2.0 * t).max(f64::MIN_POSITIVE))
    }
}

impl TryFrom<f64> for Epsilon {
    type Error = InvalidInput;
    fn try_from(value: f64) -> Result<Self, InvalidInput> {
        Self::new(value)
    }
}

impl TryFrom<f64> for Mu {
    type Error = InvalidInput;
    fn try_from(value: f64) -> Result<Self, InvalidInput> {
        Self::new(value)
    }
}

impl From<Epsilon> for f64 {
    fn from(value: Epsilon) -> Self {
        value.0
    }
}

impl From<Mu> for f64 {
    fn from(value: Mu) -> Self {
        value.0
    }
}

impl PublicValue for Epsilon {
    fn shown(self) -> f64 {
        self.0
    }
}

impl PublicValue for Mu {
    fn shown(self) -> f64 {
        self.0
    }
}

/// A privacy parameter that composes: ε adds up, μ adds up in squares. spec: `lem:adaptive_composition`
pub trait Parameter: Copy + TryFrom<f64, Error = InvalidInput> {
    /// `parts/whole` of the budget, rounded down.
    fn share(self, parts: u32, whole: u32) -> Option<f64>;

    /// Whether the parts together spend at most `self`, decided in exact arithmetic.
    fn covers(self, parts: &[Self]) -> bool;

    /// What the adaptive composition of mechanisms with these parameters satisfies, rounded up.
    fn compose(parts: &[Self]) -> Result<Self, InvalidInput>;
}

impl Parameter for Epsilon {
    fn share(self, parts: u32, whole: u32) -> Option<f64> {
        div_down(mul_down(self.0, parts.into())?, whole.into())
    }

    fn covers(self, parts: &[Self]) -> bool {
        let parts: Vec<[f64; 1]> = parts.iter().map(|part| [part.0]).collect();
        let parts: Vec<&[f64]> = parts.iter().map(<[f64; 1]>::as_slice).collect();
        at_most(&parts, &[&[self.0]])
    }

    fn compose(parts: &[Self]) -> Result<Self, InvalidInput> {
        let sum = parts.iter().try_fold(0.0, |sum, part| add_up(sum, part.0));
        Self::new(sum.unwrap_or(f64::INFINITY))
    }
}

impl Parameter for Mu {
    fn share(self, parts: u32, whole: u32) -> Option<f64> {
        mul_down(self.0, sqrt_down(div_down(parts.into(), whole.into())?)?)
    }

    fn covers(self, parts: &[Self]) -> bool {
        let parts: Vec<[f64; 2]> = parts.iter().map(|part| [part.0; 2]).collect();
        let parts: Vec<&[f64]> = parts.iter().map(<[f64; 2]>::as_slice).collect();
        at_most(&parts, &[&[self.0, self.0]])
    }

    fn compose(parts: &[Self]) -> Result<Self, InvalidInput> {
        // Scaled by the largest part, so that no square under- or overflows.
        let largest = parts.iter().fold(0.0, |largest: f64, part| largest.max(part.0));
        let sum = parts.iter().try_fold(0.0, |sum, part| {
            let ratio = crate::exact::div_up(part.0, largest)?;
            add_up(sum, mul_up(ratio, ratio)?)
        });
        Self::new(sum.and_then(sqrt_up).and_then(|root| mul_up(root, largest)).unwrap_or(f64::INFINITY))
    }
}

/// A privacy guarantee, or one share of it. spec: `defn:dp`, `def:gdp`
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// ε-differential privacy, δ = 0.
    Pure(Epsilon),
    /// μ-Gaussian differential privacy, δ = 0.
    Gaussian(Mu),
}

impl Guarantee {
    /// ε or μ.
    pub fn parameter(self) -> f64 {
        match self {
            Self::Pure(epsilon) => epsilon.get(),
            Self::Gaussian(mu) => mu.get(),
        }
    }

    /// The ε that a purely private mechanism may spend under this guarantee. spec: `lem:convert_pure_G_DP`
    pub fn as_pure(self) -> Result<Epsilon, InvalidInput> {
        match self {
            Self::Pure(epsilon) => Ok(epsilon),
            Self::Gaussian(mu) => Epsilon::from_mu(mu),
        }
    }

    /// What each of so many rows of a person may spend of this guarantee, rounded down: rows·ε ≤ ε_person,
    /// rows·μ ≤ μ_person. The contracts decide it exactly. spec: `own:persons`
    pub fn divided_by(self, rows: u64) -> Result<Self, InvalidInput> {
        if rows == 1 {
            return Ok(self);
        }
        let refused =
            InvalidInput { field: "rows per person", allowed: "a number that leaves something for each row" };
        let part = integer_up(rows).and_then(|rows| div_down(self.parameter(), rows)).ok_or(refused)?;
        match self {
            Self::Pure(_) => Epsilon::new(part).map(Self::Pure),
            Self::Gaussian(_) => Mu::new(part).map(Self::Gaussian),
        }
        .map_err(|_| refused)
    }

    /// What each of so many mechanisms may spend of this guarantee, all of them the same, rounded down: n·ε ≤ ε_total,
    /// n·μ² ≤ μ_total². The contracts decide it exactly. spec: `own:one-against-rest`
    pub fn shared_by(self, mechanisms: u32) -> Result<Self, InvalidInput> {
        let refused = InvalidInput { field: "budget", allowed: "one that leaves something for each class" };
        match self {
            Self::Pure(all) => Epsilon::new(all.share(1, mechanisms).ok_or(refused)?).map(Self::Pure),
            Self::Gaussian(all) => Mu::new(all.share(1, mechanisms).ok_or(refused)?).map(Self::Gaussian),
        }
        .map_err(|_| refused)
    }

    /// What the adaptive composition of two mechanisms satisfies. spec: `lem:adaptive_composition`
    ///
    /// Two guarantees of different kinds have no composition here.
    pub fn compose(self, other: Self) -> Result<Self, InvalidInput> {
        match (self, other) {
            (Self::Pure(a), Self::Pure(b)) => Epsilon::compose(&[a, b]).map(Self::Pure),
            (Self::Gaussian(a), Self::Gaussian(b)) => Mu::compose(&[a, b]).map(Self::Gaussian),
            _ => Err(InvalidInput { field: "guarantees", allowed: "two of the same kind" }),
        }
    }
}

/// Hockey-stick divergence of the pair that defines GDP, `H_{e^ε}(N(0,1) ‖ N(μ,1))`, for any real ε:
/// `Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)`. spec: `def:hockey_stick`
///
/// It is the smallest δ(ε) of a μ-GDP mechanism. Accurate to about 10⁻¹³ absolutely.
#[must_use]
pub fn gaussian_hockey_stick(mu: Mu, epsilon: f64) -> f64 {
    let (half, ratio) = (0.5 * mu.0, epsilon / mu.0);
    let second = (epsilon + ln_normal_tail(half + ratio)).exp();
    (normal_cdf(half - ratio) - second).clamp(0.0, 1.0)
}

#[cfg(any(kani, test))]
#[path = "../proofs/privacy.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::quickcheck;

    fn epsilon(value: f64) -> Epsilon {
        Epsilon::new(value).unwrap()
    }

    fn mu(value: f64) -> Mu {
        Mu::new(value).unwrap()
    }

    #[test]
    fn parameters_refuse_what_is_not_a_budget() {
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Epsilon::new(bad).unwrap_err().field, "epsilon");
            assert_eq!(Mu::new(bad).unwrap_err().field, "mu");
        }
    }

    // Reference values: mpmath with 50 digits.
    #[test]
    fn conversion_is_above_the_exact_value_and_close() {
        let reference = [
            (1e-9, 1.25331413731550025e-9),
            (0.01, 0.0125331189596498386),
            (0.5, 0.623892592098508192),
            (1.0, 1.23203538534490097),
            (2.0, 2.35796148564724971),
            (10.0, 7.82791439362186654),
            (50.0, 19.349650567224713),
            (699.0, 74.5365521241499172),
            (700.0, 74.590159265294833914),
        ];
        for (e, exact) in reference {
            let computed = Mu::from_epsilon(epsilon(e)).unwrap().get();
            assert!(computed >= exact && computed <= exact * (1.0 + 3e-10), "{e}: {computed} for {exact}");
        }
        // Beyond 700 the bound is looser, but above: 2Φ⁻¹ at ε = 1000 is 89.2315…
        let beyond = Mu::from_epsilon(epsilon(1000.0)).unwrap().get();
        assert!(beyond > 89.23149546 && beyond < 96.0, "{beyond}");
    }

    /// The other direction, from the same reference values: never above, and close; and there and back again.
    #[test]
    fn the_pure_budget_of_a_gaussian_one_is_below_the_exact_value_and_close() {
        let reference = [
            (1.25331413731550025e-9, 1e-9),
            (0.0125331189596498386, 0.01),
            (0.623892592098508192, 0.5),
            (1.23203538534490097, 1.0),
            (2.35796148564724971, 2.0),
            (7.82791439362186654, 10.0),
            (19.349650567224713, 50.0),
        ];
        for (m, exact) in reference {
            let computed = Epsilon::from_mu(mu(m)).unwrap();
            assert!(computed.get() <= exact && computed.get() >= exact * (1.0 - 3e-10), "{m}: {computed:?}");
            let back = Mu::from_epsilon(computed).unwrap().get();
            assert!(back >= m * (1.0 - 3e-10) && back <= m * (1.0 + 3e-10), "{m}: {back}");
        }
        let most = Epsilon::from_mu(mu(20.0)).unwrap();
        assert!((53.0..53.5).contains(&most.get()), "{most:?}");
        assert_eq!(Epsilon::from_mu(mu(1e300)).unwrap(), most);
    }

    /// Powers of two, so that nothing is rounded.
    #[test]
    fn guarantees_are_divided_shared_and_composed() {
        let (pure, gaussian) = (|x| Guarantee::Pure(epsilon(x)), |x| Guarantee::Gaussian(mu(x)));
        for (whole, by_rows, by_mechanisms) in
            [(pure(1.0), pure(0.25), pure(0.25)), (gaussian(1.0), gaussian(0.25), gaussian(0.5))]
        {
            assert_eq!((whole.divided_by(1), whole.divided_by(4)), (Ok(whole), Ok(by_rows)));
            assert_eq!((whole.shared_by(1), whole.shared_by(4)), (Ok(whole), Ok(by_mechanisms)));
            assert_eq!(whole.divided_by(0).unwrap_err().field, "rows per person");
            assert_eq!(whole.shared_by(0).unwrap_err().field, "budget");
        }
        let least = pure(f64::from_bits(1));
        assert!(least.divided_by(2).is_err() && least.shared_by(2).is_err());
        assert_eq!(pure(1.0).compose(pure(2.0)), Ok(pure(3.0)));
        assert_eq!(gaussian(3.0).compose(gaussian(4.0)), Ok(gaussian(5.0)));
        assert!(pure(1.0).compose(gaussian(1.0)).is_err() && gaussian(1.0).compose(pure(1.0)).is_err());
        assert_eq!((pure(0.75).parameter(), gaussian(0.75).parameter()), (0.75, 0.75));
        assert_eq!(pure(0.75).as_pure(), Ok(epsilon(0.75)));
        assert_eq!(gaussian(0.75).as_pure(), Epsilon::from_mu(mu(0.75)));
        let changed = [Neighbours::AddRemove, Neighbours::ReplaceOne].map(Neighbours::changed_losses);
        assert_eq!(changed, [1, 2]);
    }

    #[test]
    fn a_parameter_is_its_number() {
        assert_eq!((epsilon(0.75).shown(), mu(0.75).shown()), (0.75, 0.75));
        assert_eq!((f64::from(epsilon(0.75)), f64::from(mu(0.75))), (0.75, 0.75));
        assert_eq!((Epsilon::try_from(0.75), Mu::try_from(0.75)), (Ok(epsilon(0.75)), Ok(mu(0.75))));
        assert!(Epsilon::try_from(0.0).is_err() && Mu::try_from(0.0).is_err());
    }

    #[test]
    fn hockey_stick_against_fifty_digits() {
        let reference = [
            (1.0, 0.0, 0.382924922548026207),
            (1.0, 1.0, 0.126936737506643946),
            (1.0, -2.0, 0.86749642294357747),
            (0.5, 3.0, 3.40091173567352882e-10),
            (2.0, 0.5, 0.599185618533933263),
            (5.0, 20.0, 0.0473229641885196586),
            (50.0, 1200.0, 0.836408622169864701),
            (60.0, 1900.0, 0.0461776333485413865),
            (0.01, 0.005, 0.00198290403372611784),
        ];
        for (m, e, exact) in reference {
            let computed = gaussian_hockey_stick(mu(m), e);
            assert!((computed - exact).abs() <= 1e-13, "{m} {e}: {computed:e} for {exact:e}");
        }
    }

    /// The converted μ dominates: randomised response with parameter ε has δ(ε') = (e^ε − e^ε')₊/(1 + e^ε), and
    /// that must lie below the GDP curve everywhere.
    #[test]
    fn conversion_dominates_randomised_response() {
        for e in [0.1, 1.0, 3.0] {
            let m = Mu::from_epsilon(epsilon(e)).unwrap();
            let halved = mu(m.get() * 0.98);
            let exceeds = |m: Mu, x: f64| {
                ((e.exp() - x.exp()) / (1.0 + e.exp())).max(1.0 - x.exp()).max(0.0)
                    > gaussian_hockey_stick(m, x) + 1e-12
            };
            let grid = || (-400..=400).map(|k| f64::from(k) * 0.01);
            assert!(!grid().any(|x| exceeds(m, x)), "{e}");
            assert!(grid().any(|x| exceeds(halved, x)), "a smaller μ must be refuted at {e}");
        }
    }

    #[test]
    fn composition_of_hand_picked_values() {
        assert_eq!(Epsilon::compose(&[epsilon(1.0), epsilon(2.0)]).unwrap().get(), 3.0);
        assert_eq!(Mu::compose(&[mu(3.0), mu(4.0)]).unwrap().get(), 5.0);
        // 0.1 + 0.2 is 0.3000000000000000166…, the f64 sum is above it, the f64 0.3 below.
        assert!(Epsilon::compose(&[epsilon(0.1), epsilon(0.2)]).unwrap().get() > 0.3);
        assert!(!epsilon(0.3).covers(&[epsilon(0.1), epsilon(0.2)]));
        assert!(Epsilon::compose(&[]).is_err());
        assert!(Epsilon::compose(&[epsilon(f64::MAX), epsilon(f64::MAX)]).is_err());
        assert!(Mu::compose(&[mu(1e-200), mu(1e-200)]).unwrap().get() >= 1.414e-200);
    }

    quickcheck! {
        fn composition_covers_its_parts(a: f64, b: f64, c: f64) -> bool {
            let parts = [a, b, c].map(f64::abs);
            let pure = parts.map(Epsilon::new).into_iter().collect::<Result<Vec<_>, _>>();
            let gaussian = parts.map(Mu::new).into_iter().collect::<Result<Vec<_>, _>>();
            pure.map_or(true, |p| Epsilon::compose(&p).map_or(true, |total| total.covers(&p)))
                && gaussian.map_or(true, |p| Mu::compose(&p).map_or(true, |total| total.covers(&p)))
        }
    }
}
