//! Every clause at its edge: the largest number that is admissible passes, the next `f64` or the
//! next whole number fails.
//!
//! The edge is worked out here, with whole numbers of this file's own: nothing of the checker is asked
//! for it. So a term that the checker forgets, however small, moves the edge by more than one unit, and a
//! row of the table turns red.

use crate::build::{Kind, certificate, first, kinds, stages};
use asap_contracts::*;
use num_bigint::BigInt;

/// An exact number: `whole · 2^exponent`, of either sign.
#[derive(Clone, Debug)]
struct Number(BigInt, i64);

fn number(x: f64) -> Number {
    assert!(x.is_finite());
    let bits = x.to_bits();
    let (fraction, biased) = (bits & ((1 << 52) - 1), i64::try_from(bits >> 52 & 0x7ff).unwrap());
    let mantissa = if biased == 0 { fraction } else { fraction | 1 << 52 };
    let sign = if x < 0.0 { -1 } else { 1 };
    Number(BigInt::from(mantissa) * sign, biased.max(1) - 1075)
}

fn whole(x: u64) -> Number {
    Number(x.into(), 0)
}

fn power(exponent: i64) -> Number {
    Number(1.into(), exponent)
}

impl Number {
    fn aligned(&self, other: &Self) -> (BigInt, BigInt, i64) {
        let exponent = self.1.min(other.1);
        (&self.0 << (self.1 - exponent), &other.0 << (other.1 - exponent), exponent)
    }
    fn plus(&self, other: &Self) -> Self {
        let (a, b, exponent) = self.aligned(other);
        Self(a + b, exponent)
    }
    fn minus(&self, other: &Self) -> Self {
        let (a, b, exponent) = self.aligned(other);
        Self(a - b, exponent)
    }
    fn times(&self, other: &Self) -> Self {
        Self(&self.0 * &other.0, self.1 + other.1)
    }
    fn square(&self) -> Self {
        self.times(self)
    }
    fn at_most(&self, other: &Self) -> bool {
        let (a, b, _) = self.aligned(other);
        a <= b
    }
    fn is_negative(&self) -> bool {
        self.0 < BigInt::from(0)
    }
}

/// Whether `plain + √radicand ≤ bound`.
fn root_fits(plain: &Number, radicand: &Number, bound: &Number) -> bool {
    let rest = bound.minus(plain);
    !rest.is_negative() && radicand.at_most(&rest.square())
}

/// One number of a certificate, and what it may be by this file's own arithmetic. The number is admissible on one side
/// of an edge, which is found by bisection.
struct Row {
    clause: &'static str,
    applies: fn(&Kind) -> bool,
    set: fn(&mut Certificate, f64),
    admissible: fn(&mut Certificate, f64) -> bool,
    /// Between an admissible and an inadmissible value.
    between: (f64, f64),
}

fn posterior(kind: &Kind) -> bool {
    kind.sampler.is_some()
}

fn built_in(kind: &Kind) -> bool {
    !kind.is_user()
}

fn changed(c: &Certificate) -> Number {
    whole(if c.neighbours == Neighbours::ReplaceOne { 2 } else { 1 })
}

/// The slope bound S at a distance `reach` from 0.
fn slope(c: &Certificate, reach: &Number) -> Number {
    let residual = number(c.problem.row_norm).times(reach).plus(&number(c.problem.target));
    match c.problem.loss {
        Loss::Logistic => whole(1),
        Loss::Squared => residual,
        Loss::Huber { delta } => {
            let delta = number(delta);
            if delta.at_most(&residual) { delta } else { residual }
        }
        Loss::User { .. } => panic!("unknown"),
    }
}

/// What noise hides: moved (in its norm) plus the rounding is at most the share times the scale.
fn hidden(noise: &Noise, moved: &Number, norm: u8, d: u64, share: &Number) -> bool {
    let d = whole(d);
    match *noise {
        Noise::DiscreteLaplace { exponent, numerator, denominator } => {
            let (step, parts) = (power(exponent.into()), whole(denominator));
            let bought = share.times(&whole(numerator)).times(&step);
            let rounding = d.times(&step).times(&parts);
            let moved = moved.times(&parts);
            // √d·Δ + d·g for a distance in the 2-norm, Δ + d·g for one in the 1-norm.
            let square = if norm == 1 { moved.square() } else { d.times(&moved.square()) };
            root_fits(&rounding, &square, &bought)
        }
        Noise::RoundedNormal { exponent, steps } | Noise::EuclideanLaplace { exponent, steps } => {
            let step = power(exponent.into());
            let bought = share.times(&whole(steps)).times(&step);
            root_fits(moved, &d.times(&step.square()), &bought)
        }
    }
}

fn share(c: &Certificate, name: &str) -> Number {
    number(c.ledger.shares.iter().find(|share| share.name == name).unwrap().spent)
}

fn first_share(c: &Certificate) -> Number {
    number(c.ledger.shares[0].spent)
}

const TABLE: &[Row] = &[
    // Σ ε_i ≤ ε, Σ μ_i² ≤ μ².
    Row {
        clause: "shares spend at most the total",
        applies: |_| true,
        set: |c, x| {
            c.ledger.total = match c.ledger.total {
                Guarantee::Pure(_) => Guarantee::Pure(x),
                Guarantee::Gaussian(_) => Guarantee::Gaussian(x),
            }
        },
        admissible: |c, x| {
            let parts = c.ledger.shares.iter().map(|share| number(share.spent));
            match c.ledger.total {
                Guarantee::Pure(_) => parts.fold(whole(0), |a, b| a.plus(&b)).at_most(&number(x)),
                Guarantee::Gaussian(_) => {
                    parts.fold(whole(0), |a, b| a.plus(&b.square())).at_most(&number(x).square())
                }
            }
        },
        between: (2.0, 0.25),
    },
    // R²(1 + 2⁻³⁰)² + 1 ≤ ρ²: the slack for computed norms.
    Row {
        clause: "row norm covers features and intercept",
        applies: |_| true,
        set: |c, x| c.problem.feature_norm = x,
        admissible: |c, x| {
            let features = number(x).times(&whole(1).plus(&power(-30)));
            features.square().plus(&whole(1)).at_most(&number(c.problem.row_norm).square())
        },
        between: (0.5, 1.5),
    },
    Row {
        clause: "row norm covers features and intercept",
        applies: |_| true,
        set: |c, x| {
            c.problem.intercept = false;
            c.problem.feature_norm = x;
        },
        admissible: |c, x| number(x).times(&whole(1).plus(&power(-30))).at_most(&number(c.problem.row_norm)),
        between: (0.5, 1.6),
    },
    // 2·n_max·φ(0) ≤ Λr².
    Row {
        clause: "minimiser bound holds every minimiser",
        applies: |kind| matches!(kind.loss, Loss::Squared | Loss::Huber { .. }),
        set: |c, x| first(c).0.bound = x,
        admissible: |c, x| {
            let (target, rows) = (number(c.problem.target), whole(2 * c.problem.max_rows));
            let half_square = target.square().times(&power(-1));
            let value = match c.problem.loss {
                Loss::Huber { delta } => {
                    let line = number(delta).times(&target);
                    if line.at_most(&half_square) { line } else { half_square }
                }
                _ => half_square,
            };
            rows.times(&value).at_most(&number(c.problem.regulariser).times(&number(x).square()))
        },
        between: (1.5, 0.5),
    },
    // c·ρ·S ≤ G, where the minimisers are and on the ball.
    Row {
        clause: "Lipschitz constant where the minimisers are",
        applies: built_in,
        set: |c, x| first(c).0.lipschitz = x,
        admissible: |c, x| {
            let bound = number(first(c).0.bound);
            changed(c).times(&number(c.problem.row_norm)).times(&slope(c, &bound)).at_most(&number(x))
        },
        between: (20.0, 0.1),
    },
    Row {
        clause: "Lipschitz constant on the ball",
        applies: |kind| posterior(kind) && built_in(kind),
        set: |c, x| stages(c).unwrap().reference.lipschitz = x,
        admissible: |c, x| {
            let reference = stages(c).unwrap().reference.clone();
            let reach = number(reference.centre_norm).plus(&number(reference.radius));
            changed(c).times(&number(c.problem.row_norm)).times(&slope(c, &reach)).at_most(&number(x))
        },
        between: (20.0, 0.1),
    },
    // 2·rounding ≤ τ.
    Row {
        clause: "tolerance is above twice the rounding",
        applies: |_| true,
        set: |c, x| first(c).0.rounding = x,
        admissible: |c, x| whole(2).times(&number(x)).at_most(&number(first(c).0.tolerance)),
        between: (1e-4, 1.0),
    },
    // G + 2τΛ ≤ Δ̃Λ.
    Row {
        clause: "sensitivity covers G/Λ + 2τ",
        applies: |_| true,
        set: |c, x| first(c).0.sensitivity = x,
        admissible: |c, x| {
            let (regulariser, minimiser) = (number(c.problem.regulariser), first(c).0.clone());
            let twice = whole(2).times(&number(minimiser.tolerance)).times(&regulariser);
            number(minimiser.lipschitz).plus(&twice).at_most(&number(x).times(&regulariser))
        },
        // The noise is just enough for the edge itself, and more than enough below.
        between: (f64::NAN, 0.01),
    },
    // √d·Δ̃ + d·g or Δ̃ + √d·g ≤ the share times the scale.
    Row {
        clause: "noise of the minimiser covers its sensitivity and the rounding",
        applies: |_| true,
        set: |c, x| first(c).0.sensitivity = x,
        admissible: |c, x| {
            let (noise, share) = (*first(c).1, first_share(c));
            hidden(&noise, &number(x), 2, c.problem.dimension, &share)
        },
        between: (f64::NAN, 100.0),
    },
    // ‖θ_0‖ ≤ the centre norm, an irrational root.
    Row {
        clause: "centre norm covers θ_0",
        applies: posterior,
        set: |c, x| stages(c).unwrap().reference.centre_norm = x,
        admissible: |c, x| {
            let theta_0 = stages(c).unwrap().localisation.theta_0.clone();
            theta_0
                .iter()
                .fold(whole(0), |sum, x| sum.plus(&number(*x).square()))
                .at_most(&number(x).square())
        },
        between: (0.5625, 0.25),
    },
    // 2γGB ≤ ε, γG² ≤ μ²Λ.
    Row {
        clause: "2γGB is at most ε",
        applies: |kind| posterior(kind) && kind.pure,
        set: |c, x| stages(c).unwrap().reference.gamma = x,
        admissible: |c, x| {
            let Reference { lipschitz, radius, .. } = stages(c).unwrap().reference.clone();
            let spent = whole(2).times(&number(x)).times(&number(lipschitz)).times(&number(radius));
            spent.at_most(&share(c, "posterior"))
        },
        between: (1e-3, 1e3),
    },
    Row {
        clause: "γG² is at most μ²Λ",
        applies: |kind| posterior(kind) && !kind.pure,
        set: |c, x| stages(c).unwrap().reference.gamma = x,
        admissible: |c, x| {
            let spent = number(x).times(&number(stages(c).unwrap().reference.lipschitz).square());
            spent.at_most(&share(c, "posterior").square().times(&number(c.problem.regulariser)))
        },
        between: (1e-3, 1e3),
    },
    // 4·charge ≤ Δ.
    Row {
        clause: "charge for rounding is at most a quarter of the error",
        applies: |kind| posterior(kind) && !matches!(kind.sampler, Some((Sampler::Mala, _))),
        set: |c, x| stages(c).unwrap().asap.charge = x,
        admissible: |c, x| whole(4).times(&number(x)).at_most(&number(stages(c).unwrap().asap.error)),
        between: (1e-4, 1.0),
    },
    // 2Δ + d·g or 2Δ + √d·g ≤ the share times the scale.
    Row {
        clause: "noise of the sample covers twice the error and the rounding",
        applies: posterior,
        set: |c, x| stages(c).unwrap().asap.error = x,
        admissible: |c, x| {
            let (asap, share) = (stages(c).unwrap().asap.clone(), share(c, "asap"));
            hidden(&asap.noise, &whole(2).times(&number(x)), asap.norm, c.problem.dimension, &share)
        },
        between: (1.0 / 256.0, 1.0),
    },
];

/// The last admissible number next to an inadmissible one, by bisection over the bits.
fn edge(good: f64, bad: f64, admissible: impl Fn(f64) -> bool) -> (f64, f64) {
    assert!(admissible(good) && !admissible(bad), "{good} {bad}");
    let (mut good, mut bad) = (good.to_bits(), bad.to_bits());
    while good.abs_diff(bad) > 1 {
        let middle = good.midpoint(bad);
        if admissible(f64::from_bits(middle)) { good = middle } else { bad = middle }
    }
    (f64::from_bits(good), f64::from_bits(bad))
}

/// Rows × kinds: at the edge the clause holds (whatever others say), one `f64` beyond it is the one that fails.
#[test]
fn one_unit_beyond_every_term_fails() {
    let mut edges = 0;
    for row in TABLE {
        for kind in kinds().into_iter().filter(row.applies) {
            for dimension in [4_u64, 3] {
                let base = || {
                    let mut c = certificate(&kind);
                    // Three is no square: then √d is irrational.
                    if dimension == 3 {
                        c.problem.dimension = 3;
                        c.theta.truncate(3);
                        if let Some(stages) = stages(&mut c) {
                            stages.localisation.theta_0.truncate(3);
                        }
                    }
                    c
                };
                let admissible = |x: f64| (row.admissible)(&mut base(), x);
                let sensitivity = first(&mut base()).0.sensitivity;
                let start = if row.between.0.is_nan() { sensitivity } else { row.between.0 };
                let (good, bad) = edge(start, row.between.1, admissible);
                let verdict = |x: f64| {
                    let mut edited = base();
                    (row.set)(&mut edited, x);
                    Release::new(edited).check().err().map(|failed| failed.clause())
                };
                assert_ne!(verdict(good), Some(row.clause), "{kind:?}: {good:e} is admissible");
                assert_eq!(verdict(bad), Some(row.clause), "{kind:?}: {bad:e} is one unit beyond");
                edges += 1;
            }
        }
    }
    assert!(edges > 2000, "{edges}");
}

/// The same for whole numbers: the smallest scale that hides, by this file's arithmetic, and one step less.
#[test]
fn one_step_less_of_noise_fails() {
    for kind in kinds() {
        let stages_of = |c: &mut Certificate| stages(c).map(|stages| stages.asap.clone());
        let whole_certificate = certificate(&kind);
        let smallest = |noise: Noise, hidden: &dyn Fn(&Noise) -> bool| {
            let mut noise = noise;
            *crate::build::scale(&mut noise) = 1;
            while !hidden(&noise) {
                *crate::build::scale(&mut noise) += 1;
            }
            noise
        };
        let mut c = whole_certificate.clone();
        let (moved, share_one) = (number(first(&mut c).0.sensitivity), first_share(&c));
        let least = smallest(*first(&mut c).1, &|noise| hidden(noise, &moved, 2, 4, &share_one));
        for (less, clause) in
            [(0, None), (1, Some("noise of the minimiser covers its sensitivity and the rounding"))]
        {
            let mut edited = whole_certificate.clone();
            *first(&mut edited).1 = least;
            *crate::build::scale(first(&mut edited).1) -= less;
            assert_eq!(Release::new(edited).check().err().map(|it| it.clause()), clause, "{kind:?}");
        }
        let Some(asap) = stages_of(&mut c) else { continue };
        let (moved, share_last) = (whole(2).times(&number(asap.error)), share(&c, "asap"));
        let least = smallest(asap.noise, &|noise| hidden(noise, &moved, asap.norm, 4, &share_last));
        for (less, clause) in
            [(0, None), (1, Some("noise of the sample covers twice the error and the rounding"))]
        {
            let mut edited = whole_certificate.clone();
            let noise = &mut stages(&mut edited).unwrap().asap.noise;
            *noise = least;
            *crate::build::scale(noise) -= less;
            assert_eq!(Release::new(edited).check().err().map(|it| it.clause()), clause, "{kind:?}");
        }
    }
}

/// Equalities that no bisection meets by chance: an equality holds, the number next to it does not.
#[test]
fn equalities_hold() {
    let clause = |c: &Certificate| Release::new(c.clone()).check().err().map(|failed| failed.clause());
    for kind in kinds() {
        // R(1 + 2⁻³⁰) = ρ without an intercept.
        let mut c = certificate(&kind);
        (c.problem.intercept, c.problem.row_norm) = (false, 1.0 + 1.0 / f64::from(1 << 30));
        c.problem.feature_norm = 1.0;
        assert_ne!(clause(&c), Some("row norm covers features and intercept"), "{kind:?}");
        c.problem.feature_norm = 1.0_f64.next_up();
        assert_eq!(clause(&c), Some("row norm covers features and intercept"), "{kind:?}");
        // δ = 0 and r = 0 are no numbers to rely on.
        let mut c = certificate(&kind);
        if let Loss::Huber { delta } = &mut c.problem.loss {
            *delta = 0.0;
            assert_eq!(clause(&c), Some("loss has its parameters"));
        }
        let mut c = certificate(&kind);
        first(&mut c).0.bound = 0.0;
        assert_eq!(clause(&c), Some("minimiser bound holds every minimiser"), "{kind:?}");
        // 2γGB = ε and γG² = μ²Λ with G = 4, which every loss may claim; nothing is charged where nothing is rigorous.
        let mut c = certificate(&kind);
        let Some(posterior) = stages(&mut c) else { continue };
        let gamma = if kind.pure { 0.25 / 4.0 } else { 2.0 / 16.0 };
        (posterior.reference.lipschitz, posterior.reference.gamma) =
            (16.0, gamma / if kind.pure { 4.0 } else { 16.0 });
        let spent = if kind.pure { "2γGB is at most ε" } else { "γG² is at most μ²Λ" };
        assert_ne!(clause(&c), Some(spent), "{kind:?}");
        let mut more = c.clone();
        let reference = &mut stages(&mut more).unwrap().reference;
        reference.gamma = reference.gamma.next_up();
        assert_eq!(clause(&more), Some(spent), "{kind:?}");
        stages(&mut c).unwrap().asap.charge = 0.0;
        assert_ne!(clause(&c), Some("charge is not negative"), "{kind:?}");
    }
}
