//! The contracts decide what they state: on small whole numbers a yes is the inequality, and nothing but it. For Kani a
//! whole number is the bits of an `f64`, and is taken apart as such; that a true `f64` is taken apart exactly is
//! `verify_decompose__exact`.

use crate::proofs::whole::number;
use crate::proofs::{cover, harness};
use asap_contracts::contract::{
    ChainError, ChargePart, Delta, GaussianTemperature, GradientSensitivity, MinimiserSensitivity,
    NoiseScale, Oscillation, Persons, PureTemperature, Radius, Shares, StepShares, Taken, TiltScales,
};
use asap_contracts::{Guarantee, Loss, Neighbours, Noise, Problem, Share, Tilt};

harness! {
    /// spec: `lem:pure_DP_Post_Sam`
    /// covers: asap_contracts::contract::PureTemperature::holds — within a bound
    ///
    /// Accepted if and only if γ, G, B and ε are positive and 2γGB ≤ ε.
    ///
    /// assumes: nothing. bound: 2-bit γ, G and B, 6-bit ε; the clause is an inequality of polynomials, and its only
    /// dependence on size is the length of the numbers. solver: cadical.
    /// mutation: `the temperature counts one side of the ball`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_pure_temperature__decides(gamma: u8, lipschitz: u8, radius: u8, epsilon: u8) {
        let [gamma, lipschitz, radius, epsilon] = [gamma % 4, lipschitz % 4, radius % 4, epsilon % 64];
        let [g, l, b, e] = [gamma, lipschitz, radius, epsilon].map(number);
        let accepted = PureTemperature { gamma: g, lipschitz: l, radius: b, epsilon: e }.holds().is_ok();
        let positive = gamma > 0 && lipschitz > 0 && radius > 0 && epsilon > 0;
        cover!(accepted && 2 * gamma * lipschitz * radius == epsilon);
        cover!(!accepted && positive);
        assert!(accepted == (positive && 2 * gamma * lipschitz * radius <= epsilon));
    }
}

harness! {
    /// spec: `lem:GDP_Post_Sam`
    /// covers: asap_contracts::contract::GaussianTemperature::holds — within a bound
    ///
    /// Accepted if and only if γ, G, Λ and μ are positive and γG² ≤ μ²Λ.
    ///
    /// assumes: nothing. bound: 2-bit numbers. solver: cadical.
    /// mutation: `the Lipschitz constant is not squared`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_gaussian_temperature__decides(gamma: u8, lipschitz: u8, regulariser: u8, mu: u8) {
        let [gamma, lipschitz, regulariser, mu] = [gamma, lipschitz, regulariser, mu].map(|x| x % 4);
        let [g, l, r, m] = [gamma, lipschitz, regulariser, mu].map(number);
        let accepted = GaussianTemperature { gamma: g, lipschitz: l, regulariser: r, mu: m }.holds().is_ok();
        let positive = gamma > 0 && lipschitz > 0 && regulariser > 0 && mu > 0;
        cover!(accepted && gamma > 1);
        cover!(!accepted && positive);
        assert!(accepted == (positive && gamma * lipschitz * lipschitz <= mu * mu * regulariser));
    }
}

harness! {
    /// spec: `lem:sensitivity_minimizer`
    /// covers: asap_contracts::contract::MinimiserSensitivity::holds — within a bound
    ///
    /// Accepted if and only if G, Λ and τ are positive and G + 2τΛ ≤ Δ̃Λ.
    ///
    /// assumes: nothing. bound: 3-bit numbers. solver: cadical.
    /// mutation: `the tolerance counts once`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_minimiser_sensitivity__decides(sensitivity: u8, lipschitz: u8, regulariser: u8, tolerance: u8) {
        let [sensitivity, lipschitz, regulariser, tolerance] =
            [sensitivity, lipschitz, regulariser, tolerance].map(|x| x % 8);
        let [s, l, r, t] = [sensitivity, lipschitz, regulariser, tolerance].map(number);
        let it = MinimiserSensitivity { sensitivity: s, lipschitz: l, regulariser: r, tolerance: t };
        let accepted = it.holds().is_ok();
        let positive = lipschitz > 0 && regulariser > 0 && tolerance > 0;
        cover!(accepted && sensitivity == 7);
        cover!(!accepted && positive);
        let covered = lipschitz + 2 * tolerance * regulariser <= sensitivity * regulariser;
        assert!(accepted == (positive && covered));
    }
}

harness! {
    /// spec: `own:noisy-gradient`
    /// covers: asap_contracts::contract::GradientSensitivity::holds — within a bound
    ///
    /// Accepted if and only if G is positive and G and twice the rounding are at most the sensitivity.
    ///
    /// assumes: nothing. bound: 4-bit numbers. solver: cadical.
    /// mutation: `one of two sums is rounded`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_gradient_sensitivity__decides(sensitivity: u8, lipschitz: u8, rounding: u8) {
        let [sensitivity, lipschitz, rounding] = [sensitivity, lipschitz, rounding].map(|x| x % 16);
        let [s, l, r] = [sensitivity, lipschitz, rounding].map(number);
        let accepted = GradientSensitivity { sensitivity: s, lipschitz: l, rounding: r }.holds().is_ok();
        cover!(accepted && rounding > 0);
        cover!(!accepted && lipschitz > 0);
        assert!(accepted == (lipschitz > 0 && lipschitz + 2 * rounding <= sensitivity));
    }
}

harness! {
    /// spec: `lem:adaptive_composition`, `own:noisy-gradient`
    /// covers: asap_contracts::contract::StepShares::holds — within a bound
    ///
    /// Accepted if and only if the share is positive and T of them are at most ε, or T of their squares at most μ².
    ///
    /// assumes: nothing. bound: 3-bit T and shares, 6-bit totals. solver: cadical.
    /// mutation: `steps of a Gaussian share add up like those of a pure one`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_step_shares__decides(steps: u8, share: u8, total: u8, pure: bool) {
        let [steps, share, total] = [steps % 8, share % 8, total % 32];
        let given = number(total);
        let guarantee = if pure { Guarantee::Pure(given) } else { Guarantee::Gaussian(given) };
        let it = StepShares { steps: steps.into(), share: number(share), total: guarantee };
        let accepted = it.holds().is_ok();
        let [t, s, g] = [steps, share, total].map(u32::from);
        let within = if pure { t * s <= g } else { t * s * s <= g * g };
        cover!(accepted && !pure && steps > 1);
        cover!(!accepted && share > 0);
        assert!(accepted == (share > 0 && within));
    }
}

harness! {
    /// spec: `own:persons`
    /// covers: asap_contracts::contract::Persons::holds — within a bound
    ///
    /// Accepted if and only if there is a row, both guarantees are positive and of one kind, and k times the row's
    /// is at most the person's.
    ///
    /// assumes: nothing. bound: 3-bit k and 3-bit row, 5-bit total. solver: cadical.
    /// mutation: `a person spends what a row spends`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_persons__decides(rows: u8, row: u8, total: u8, row_pure: bool, pure: bool) {
        let [rows, row, total] = [rows % 8, row % 8, total % 32];
        let guarantee = |x: u8, pure: bool| if pure { Guarantee::Pure(number(x)) } else { Guarantee::Gaussian(number(x)) };
        let it = Persons { rows: rows.into(), row: guarantee(row, row_pure), total: guarantee(total, pure) };
        let accepted = it.holds().is_ok();
        let within = rows > 0 && row > 0 && total > 0 && rows * row <= total;
        cover!(accepted && rows > 1 && rows * row == total);
        cover!(!accepted && within);
        assert!(accepted == (within && row_pure == pure));
    }
}

harness! {
    /// spec: `lem:OutPert_DP`, `thm:asap_privacy`, `own:lattice`
    /// covers: asap_contracts::contract::NoiseScale::holds — within a bound
    ///
    /// On a lattice of step 1, noise of a scale of s steps is accepted at the price p for a displacement of 2-norm m if
    /// and only if p·s ≥ m and (p·s − m)² ≥ d.
    ///
    /// assumes: nothing. bound: 3-bit numbers, 4-bit d. solver: cadical.
    /// mutation: `rounding is forgotten`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_noise_scale__decides(steps: u8, moved: u8, share: u8, dimension: u8, pure: bool) {
        let [steps, moved, share, dimension] = [steps % 8, moved % 8, share % 8, dimension % 16];
        let steps_64 = u64::from(steps);
        let noise = if pure {
            Noise::EuclideanLaplace { exponent: 0, steps: steps_64 }
        } else {
            Noise::RoundedNormal { exponent: 0, steps: steps_64 }
        };
        let guarantee = if pure { Guarantee::Pure(1.0) } else { Guarantee::Gaussian(1.0) };
        let (moved_by, price) = (number(moved), number(share));
        let it = NoiseScale { noise, guarantee, moved: moved_by, norm: 2, dimension: dimension.into(), share: price };
        let accepted = it.holds().is_ok();
        let [steps, moved, share, dimension] = [steps, moved, share, dimension].map(u32::from);
        let bought = share * steps;
        cover!(accepted && moved > 0 && dimension > 1);
        cover!(!accepted && bought > moved);
        let covered = bought >= moved && (bought - moved) * (bought - moved) >= dimension;
        assert!(accepted == (steps > 0 && covered));
    }
}

harness! {
    /// spec: `thm:asap_privacy`
    /// covers: asap_contracts::contract::ChainError::holds — within a bound
    ///
    /// Accepted if and only if the part of the sampler is positive and, with √d for the 1-norm, together
    /// with the charge at most Δ.
    ///
    /// assumes: nothing. bound: 3-bit numbers. solver: cadical.
    /// mutation: `the 1-norm costs nothing`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_chain_error__decides(chain: u8, charge: u8, error: u8, dimension: u8, one: bool) {
        let [chain, charge, error, dimension] = [chain, charge, error, dimension].map(|x| x % 8);
        let [part, set_aside, delta] = [chain, charge, error].map(number);
        let norm = if one { 1 } else { 2 };
        let it = ChainError { chain: part, charge: set_aside, error: delta, norm, dimension: dimension.into() };
        let accepted = it.holds().is_ok();
        let factor = if one { u32::from(dimension) } else { 1 };
        let [c, h, e] = [chain, charge, error].map(u32::from);
        cover!(accepted && one && dimension > 1);
        cover!(!accepted && chain > 0 && error > charge);
        assert!(accepted == (chain > 0 && e >= h && factor * c * c <= (e - h) * (e - h)));
    }
}

harness! {
    /// spec: `own:rounding`
    /// covers: asap_contracts::contract::ChargePart::holds — within a bound
    ///
    /// Accepted if and only if Δ is positive and the charge is at most its half or quarter.
    ///
    /// assumes: nothing. bound: 5-bit numbers. solver: cadical.
    /// mutation: `rounding may take all of the error`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_charge_part__decides(error: u8, charge: u8, half: bool) {
        let [error, charge] = [error, charge].map(|x| x % 32);
        let parts = if half { 2 } else { 4 };
        let it = ChargePart { error: number(error), charge: number(charge), parts: Some(parts) };
        let accepted = it.holds().is_ok();
        cover!(accepted && charge > 0);
        cover!(!accepted && charge < error);
        assert!(accepted == (error > 0 && u64::from(charge) * parts <= u64::from(error)));
    }
}

harness! {
    /// spec: `lem:min_density_gibbs`
    /// covers: asap_contracts::contract::Oscillation::holds — within a bound
    ///
    /// Accepted if and only if the point is in the ball and 2B‖∇f‖ + (L/2)(B + a)² is covered.
    ///
    /// assumes: nothing. bound: 2-bit numbers, 7-bit oscillations. solver: cadical.
    /// mutation: `the oscillation of half of the ball`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_oscillation__decides(oscillation: u8, slope: u8, smoothness: u8, radius: u8, distance: u8) {
        let [oscillation, slope, smoothness, radius, distance] =
            [oscillation % 128, slope % 4, smoothness % 4, radius % 4, distance % 4];
        let [o, g, l, b, a] = [oscillation, slope, smoothness, radius, distance].map(number);
        let it = Oscillation { oscillation: o, gradient_norm: g, smoothness: l, radius: b, distance: a };
        let accepted = it.holds().is_ok();
        let [o, g, l, b, a] = [oscillation, slope, smoothness, radius, distance].map(u32::from);
        cover!(accepted && distance > 0 && smoothness > 0);
        cover!(!accepted && distance <= radius);
        assert!(accepted == (a <= b && 4 * b * g + l * (b + a) * (b + a) <= 2 * o));
    }
}

harness! {
    /// spec: `lem:OutPert_DP`, `own:lattice`
    /// covers: asap_contracts::contract::NoiseScale::holds — within a bound
    ///
    /// On a lattice of step 1, discrete Laplace noise of scale n/q is accepted at the price p for a displacement m if
    /// and only if, in the 1-norm, q·m + q·d ≤ p·n; in the 2-norm, which costs √d, q·d ≤ p·n and
    /// d·(q·m)² ≤ (p·n − q·d)².
    ///
    /// assumes: nothing. bound: 2-bit numbers, 4-bit n. solver: cadical.
    /// mutation: `rounding costs less than a step`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_noise_scale__laplace(scale: u8, unit: u8, moved: u8, share: u8, dimension: u8, one: bool) {
        let [scale, unit, moved, share, dimension] = [scale % 16, unit % 4, moved % 4, share % 4, dimension % 4];
        let (numerator, denominator) = (u64::from(scale), u64::from(unit));
        let it = NoiseScale {
            noise: Noise::DiscreteLaplace { exponent: 0, numerator, denominator },
            guarantee: Guarantee::Pure(1.0),
            moved: number(moved),
            norm: if one { 1 } else { 2 },
            dimension: dimension.into(),
            share: number(share),
        };
        let accepted = it.holds().is_ok();
        let [n, q, m, p, d] = [scale, unit, moved, share, dimension].map(u32::from);
        let (bought, rounding) = (p * n, q * d);
        let covered = if one {
            q * m + rounding <= bought
        } else {
            rounding <= bought && d * q * m * q * m <= (bought - rounding) * (bought - rounding)
        };
        cover!(accepted && !one && moved > 0 && dimension > 1 && unit > 1);
        cover!(!accepted && one && scale > 0 && unit > 0);
        assert!(accepted == (scale > 0 && unit > 0 && covered));
    }
}

harness! {
    /// spec: `thm:asap_privacy`
    /// covers: asap_contracts::contract::Delta::holds — within a bound
    ///
    /// On a lattice of step 1, an error Δ in the 2-norm is accepted at the price p with noise of s steps if and only if
    /// it is positive and p·s ≥ 2Δ and (p·s − 2Δ)² ≥ d: it counts on both sides of a pair of neighbours.
    ///
    /// assumes: noise of the kind of the guarantee. bound: 3-bit numbers. solver: cadical.
    /// mutation: `the error counts on one side`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_delta__decides(steps: u8, error: u8, share: u8, dimension: u8, norm: u8) {
        let [steps, error, share, dimension, norm] = [steps % 8, error % 8, share % 8, dimension % 8, norm % 4];
        let it = Delta {
            error: number(error),
            norm,
            noise: Noise::RoundedNormal { exponent: 0, steps: steps.into() },
            guarantee: Guarantee::Gaussian(1.0),
            dimension: dimension.into(),
            share: number(share),
        };
        let accepted = it.holds().is_ok();
        let [s, e, p, d] = [steps, error, share, dimension].map(u32::from);
        cover!(accepted && dimension > 1);
        cover!(!accepted && error > 0 && norm == 2 && p * s > 2 * e);
        let covered = p * s >= 2 * e && (p * s - 2 * e) * (p * s - 2 * e) >= d;
        assert!(accepted == (steps > 0 && error > 0 && norm == 2 && covered));
    }
}

harness! {
    /// spec: `own:budget-split`
    /// covers: asap_contracts::contract::Shares::holds — within a bound
    ///
    /// Accepted if and only if both shares are positive and together, or their squares together, at most
    /// the total, or its square.
    ///
    /// assumes: nothing. bound: two shares of 4 bits, 5-bit totals; one more share is one more step of the
    /// same fold. solver: cadical.
    /// mutation: `shares of a Gaussian budget are not squared`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_shares__decides(shares: [u8; 2], total: u8, pure: bool) {
        let (shares, total) = (shares.map(|share| share % 16), total % 32);
        let given = number(total);
        let guarantee = if pure { Guarantee::Pure(given) } else { Guarantee::Gaussian(given) };
        let parts = shares.map(|share| Share { name: String::new(), spent: number(share) });
        let accepted = Shares { shares: &parts, total: guarantee }.holds().is_ok();
        let ([a, b], t) = (shares.map(u32::from), u32::from(total));
        cover!(accepted && !pure && a + b > t);
        cover!(!accepted && a > 0 && b > 0);
        let within = if pure { a + b <= t } else { a * a + b * b <= t * t };
        assert!(accepted == (a > 0 && b > 0 && within));
    }
}

harness! {
    /// spec: `own:objective-perturbation`, `own:gaussian-tilt`
    /// covers: asap_contracts::contract::TiltScales::holds — within a bound
    ///
    /// A tilt of one law, of a scale of s steps of 1, is accepted for the share p if and only if it is of the kind of
    /// the guarantee and G + t·s ≤ p·s, t = (321/256)·k·J what the Jacobian takes of a normal one.
    ///
    /// assumes: nothing. bound: 3-bit numbers; laws for blocks have quotients, which are out of reach. solver: cadical.
    /// mutation: `the Jacobian takes nothing`
    [kani::proof, kani::unwind(6), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_tilt_scales__one_law(steps: u8, lipschitz: u8, share: u8, jacobian: u8, kinds: u8) {
        let [steps, lipschitz, share, jacobian] = [steps, lipschitz, share, jacobian].map(|x| x % 8);
        let (euclidean, pure, changed) = (kinds & 1 == 1, kinds & 2 == 2, u64::from(kinds >> 2 & 1) + 1);
        let steps_64 = u64::from(steps);
        let noise = if euclidean {
            Noise::EuclideanLaplace { exponent: 0, steps: steps_64 }
        } else {
            Noise::RoundedNormal { exponent: 0, steps: steps_64 }
        };
        let price = number(share);
        let problem = Problem {
            loss: Loss::Logistic,
            class_weights: None,
            feature_norm: 1.0,
            target: 1.0,
            max_rows: 1,
            intercept: false,
            row_norm: 1.0,
            dimension: 1,
            regulariser: 1.0,
            parameter_bound: None,
            shape: None,
        };
        let tilt = Tilt::Whole(noise);
        let it = TiltScales {
            tilt: &tilt,
            problem: &problem,
            lipschitz: number(lipschitz),
            share: if pure { Guarantee::Pure(price) } else { Guarantee::Gaussian(price) },
            taken: Taken { jacobian: number(jacobian), changed },
        };
        let accepted = it.holds().is_ok();
        let [s, g, p, j] = [steps, lipschitz, share, jacobian].map(u64::from);
        let taken = if pure { 0 } else { 321 * changed * j * s };
        cover!(accepted && !pure && j > 0);
        cover!(!accepted && euclidean == pure && steps > 0 && g < p * s);
        assert!(accepted == (euclidean == pure && steps > 0 && 256 * g + taken <= 256 * p * s));
    }
}

harness! {
    /// spec: `own:ball`, `own:losses`, `own:lattice`
    /// covers: asap_contracts::contract::Radius::holds — within a bound
    ///
    /// A ball of radius B around θ_0 is accepted if and only if the norm that is claimed covers θ_0, B is
    /// positive, G covers the slope of the changed losses on the ball, and the lattice, of step 1, holds
    /// ‖θ_0‖ + B and 64 scales of noise.
    ///
    /// assumes: nothing. bound: one coordinate, 1-bit ρ and Y, 2-bit numbers, 4-bit G; the logistic and the squared
    /// loss; the range of the lattice is never reached. solver: cadical.
    /// mutation: `G counts one of two losses`
    [kani::proof, kani::unwind(8), kani::solver(cadical),
     kani::stub(asap_contracts::exact::decompose, crate::proofs::whole::decompose)]
    fn verify_radius__decides(centre: u8, norm: u8, radius: u8, lipschitz: u8, row: u8, target: u8, kinds: u8) {
        let [centre, norm, radius] = [centre, norm, radius].map(|x| x % 4);
        let (row, target, lipschitz) = (row % 2, target % 2, lipschitz % 16);
        let (squared, replace) = (kinds & 1 == 1, kinds & 2 == 2);
        let problem = Problem {
            loss: if squared { Loss::Squared } else { Loss::Logistic },
            class_weights: None,
            feature_norm: 1.0,
            target: number(target),
            max_rows: 1,
            intercept: false,
            row_norm: number(row),
            dimension: 1,
            regulariser: 1.0,
            parameter_bound: None,
            shape: None,
        };
        let it = Radius {
            problem: &problem,
            neighbours: if replace { Neighbours::ReplaceOne } else { Neighbours::AddRemove },
            centre: &[number(centre)],
            centre_norm: number(norm),
            radius: number(radius),
            lipschitz: number(lipschitz),
            noise: Noise::RoundedNormal { exponent: 0, steps: 1 },
        };
        let accepted = it.holds().is_ok();
        let [c, n, b, g, r, y] = [centre, norm, radius, lipschitz, row, target].map(u32::from);
        let slope = if squared { r * (n + b) + y } else { 1 };
        let changed = if replace { 2 } else { 1 };
        cover!(accepted && squared && replace && y > 0 && n > 0);
        cover!(!accepted && c <= n && b > 0);
        assert!(accepted == (c <= n && b > 0 && changed * r * slope <= g));
    }
}
