//! Valid certificates, every number worked out here.
//!
//! d = 4, so √d = 2. ρ = 1.5 (1.5² = 2.25 ≥ (1 + 2⁻³⁰)² + 1). Λ = 8, four rows at most, |y| ≤ 2, τ = 2⁻¹⁰.
//!
//! | loss | value at 0 | r, with 8·value ≤ 8r² | G within r, one loss | G on the ball of reach 1.0625 |
//! |---|---|---|---|---|
//! | logistic | ln 2 | 0.875 (0.766) | 1.5 | 1.5 |
//! | squared | 2 | 1.5 (2.25) | 1.5·(1.5·1.5 + 2) = 6.375 | 1.5·(1.5·1.0625 + 2) = 5.390625 |
//! | Huber, δ = ½ | min(2, ½·2) = 1 | 1 | 1.5·½ = 0.75 | 0.75 |
//! | user | (its word) | 1 | 3 | 3 |
//!
//! Δ̃ = (cG + 2·2⁻¹⁰·8)/8, a multiple of 2⁻⁹. First lattice 2⁻¹⁰, first share ½. In steps:
//! discrete Laplace 2·(2·1024Δ̃ + 4), the others 2·(1024Δ̃ + 2). Both are equalities.
//!
//! Ball: ‖θ_0‖² = 0.25 + 0.0625 + (3/1024)² = 0.31250858 ≤ 0.5625² = 0.31640625; B = ½, reach 1.0625.
//! Shares: ε = ½ + ¼ + ¼ = 1; μ² = ¼ + ¼ + 1/16 = 0.75². γ = ¼/G, or 2/G² (½²·8 = 2), rounded down.
//! Last stage: Δ = 2⁻⁸, a quarter of it charged; lattice 2⁻¹², share ¼. In steps: discrete Laplace
//! 4·(2·16 + 4) = 144, the others 4·(2·16 + 2) = 136. Both are equalities.

use asap_contracts::*;

/// What there is to choose.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) loss: Loss,
    pub(crate) neighbours: Neighbours,
    pub(crate) pure: bool,
    /// `None` for output perturbation.
    pub(crate) sampler: Option<(Sampler, Calibration)>,
    /// Of a pure share, in place of the discrete Laplace law.
    pub(crate) euclidean: bool,
}

pub(crate) fn losses() -> [Loss; 4] {
    let user = Loss::User { name: "quantile".into(), shape: Some(0.9) };
    [Loss::Logistic, Loss::Squared, Loss::Huber { delta: 0.5 }, user]
}

/// Every kind of certificate.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut kinds = Vec::new();
    let mut samplers = vec![None];
    for sampler in [Sampler::Exact, Sampler::Proximal, Sampler::Mala] {
        samplers
            .extend([Calibration::Tight, Calibration::Paper].map(|calibration| Some((sampler, calibration))));
    }
    for loss in losses() {
        for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
            for &sampler in &samplers {
                for (pure, euclidean) in [(true, false), (true, true), (false, false)] {
                    kinds.push(Kind { loss: loss.clone(), neighbours, pure, sampler, euclidean });
                }
            }
        }
    }
    kinds
}

/// Every loss, law, sampler and calibration is among these, where all kinds would take too long.
pub(crate) fn some_kinds() -> Vec<Kind> {
    kinds().into_iter().step_by(13).collect()
}

fn noise(kind: &Kind, exponent: i32, laplace: u64, others: u64) -> Noise {
    match (kind.pure, kind.euclidean) {
        // A third of three times as many.
        (true, false) => Noise::DiscreteLaplace { exponent, numerator: 3 * laplace, denominator: 3 },
        (true, true) => Noise::EuclideanLaplace { exponent, steps: others },
        (false, _) => Noise::RoundedNormal { exponent, steps: others },
    }
}

fn claims(kind: &Kind) -> Vec<Claim> {
    let user = matches!(kind.loss, Loss::User { .. });
    let searched = if user { Status::Assumed } else { Status::Tested };
    let noise = match (kind.pure, kind.euclidean) {
        (true, false) => "own:discrete-laplace",
        (true, true) => "own:euclidean-laplace",
        (false, _) => "own:rounded-normal",
    };
    let mut claims = vec![
        ("own:budget-split", Status::Proved),
        ("lem:sensitivity_minimizer", Status::Proved),
        ("own:certified-minimiser", Status::Proved),
        ("lem:OutPert_DP", Status::Proved),
        (noise, Status::Proved),
        ("own:lattice", Status::Proved),
        ("own:losses", searched),
        ("own:objective", searched),
        ("assumptions:randomness", Status::Assumed),
    ];
    if let Some((sampler, calibration)) = kind.sampler {
        claims.extend(
            [
                "lem:adaptive_composition",
                if kind.pure { "lem:pure_DP_Post_Sam" } else { "lem:GDP_Post_Sam" },
                "own:proximal",
                "own:truncated",
                "thm:asap_privacy",
            ]
            .map(|spec| (spec, Status::Proved)),
        );
        match sampler {
            Sampler::Exact => {
                claims.extend([("own:exact", Status::Proved), ("own:rounding", Status::Proved)]);
            }
            Sampler::Proximal => claims.push(("own:rounding", Status::Proved)),
            Sampler::Mala => claims.extend([
                ("lem:W_infty_TV", Status::Proved),
                ("lem:equiv_W_infty", Status::Assumed),
                ("assumptions:idealized-numerics", Status::Assumed),
                (
                    "own:conductance",
                    if calibration == Calibration::Paper { Status::Assumed } else { Status::Proved },
                ),
            ]),
        }
    }
    claims.into_iter().map(|(spec, status)| Claim { spec: spec.into(), status }).collect()
}

/// The certificate that is worked out above.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small whole numbers")]
pub(crate) fn certificate(kind: &Kind) -> Certificate {
    let (bound, near, ball) = match kind.loss {
        Loss::Logistic => (0.875, 1.5, 1.5),
        Loss::Squared => (1.5, 6.375, 5.390_625),
        Loss::Huber { .. } => (1.0, 0.75, 0.75),
        Loss::User { .. } => (1.0, 3.0, 3.0),
    };
    let changed = if kind.neighbours == Neighbours::ReplaceOne { 2.0 } else { 1.0 };
    let (lipschitz, on_ball) = (changed * near, changed * ball);
    let tolerance = 1.0 / 1024.0;
    let sensitivity = (lipschitz + 2.0 * tolerance * 8.0) / 8.0;
    let minimiser = Minimiser { bound, lipschitz, rounding: tolerance / 2.0, tolerance, sensitivity };
    let moved = (1024.0 * sensitivity) as u64;
    let first = noise(kind, -10, 2 * (2 * moved + 4), 2 * (moved + 2));
    let shares = match kind.sampler {
        None => vec![("output", 0.5)],
        Some(_) => vec![("localise", 0.5), ("posterior", if kind.pure { 0.25 } else { 0.5 }), ("asap", 0.25)],
    };
    let total = match (kind.sampler.is_some(), kind.pure) {
        (false, _) => 0.5,
        (true, true) => 1.0,
        (true, false) => 0.75,
    };
    let mechanism = match kind.sampler {
        None => Mechanism::Output(Output { minimiser, noise: first }),
        Some((sampler, calibration)) => Mechanism::Posterior(Posterior {
            calibration,
            sampler,
            expected_rows: 3,
            minimiser,
            localisation: Localisation { noise: first, theta_0: vec![0.5, -0.25, 0.0, 3.0 / 1024.0] },
            reference: Reference {
                centre_norm: 0.5625,
                radius: 0.5,
                lipschitz: on_ball,
                gamma: if kind.pure { 0.25 / on_ball } else { 2.0 / (on_ball * on_ball) }
                    .next_down()
                    .next_down(),
            },
            asap: Asap {
                norm: if kind.pure && !kind.euclidean { 1 } else { 2 },
                error: 1.0 / 256.0,
                charge: 1.0 / 1024.0,
                noise: noise(kind, -12, 144, 136),
            },
        }),
    };
    let numerics = match kind.sampler {
        Some((Sampler::Mala, Calibration::Tight)) => Numerics::RealArithmeticOnly,
        Some((Sampler::Mala, Calibration::Paper)) => Numerics::AsymptoticConstants,
        _ => Numerics::Rigorous,
    };
    Certificate {
        schema: SCHEMA,
        crate_version: "0.2.0".into(),
        neighbours: kind.neighbours,
        ledger: Ledger {
            total: if kind.pure { Guarantee::Pure(total) } else { Guarantee::Gaussian(total) },
            converted: None,
            shares: shares.into_iter().map(|(name, spent)| Share { name: name.into(), spent }).collect(),
        },
        person: None,
        problem: Problem {
            loss: kind.loss.clone(),
            class_weights: None,
            feature_norm: 1.0,
            target: 2.0,
            max_rows: 4,
            intercept: true,
            row_norm: 1.5,
            dimension: 4,
            regulariser: 8.0,
            parameter_bound: None,
            shape: None,
        },
        mechanism,
        choice: None,
        theta: vec![0.25, -1.0 / 1024.0, 1.0, 0.0],
        randomness: Randomness::Secure,
        numerics,
        certified: !matches!(kind.loss, Loss::User { .. }) && numerics != Numerics::AsymptoticConstants,
        claims: claims(kind),
    }
}

pub(crate) fn release(kind: &Kind) -> Release {
    Release::new(certificate(kind))
}

pub(crate) fn named(kind: &Kind) -> Release {
    release(kind).with_columns(schema(&kind.loss)).unwrap()
}

/// Three parameters: a number and two levels; the target is of the kind of the loss.
pub(crate) fn schema(loss: &Loss) -> Schema {
    let levels = ["Male", "Female"].map(String::from);
    let [missing, other] = levels.clone().map(Some);
    let age = Number { range: [17.0, 90.0], scale: Scale::Unit, log: true, missing: Some(40.0) };
    let target = match loss {
        Loss::Logistic => TargetKind::Classes(Classes {
            classes: ["<=50K", ">50K"].map(String::from).to_vec(),
            missing: Some("<=50K".into()),
        }),
        Loss::Squared => TargetKind::Range(TargetRange { range: [0.0, 10.0], missing: Some(5.0) }),
        Loss::Huber { .. } => TargetKind::Plain(Plain { missing: Some(1.0) }),
        Loss::User { .. } => TargetKind::Threshold(Threshold { at_least: 6.0, missing: Some(0.0) }),
    };
    Schema {
        marks: ["", "?"].map(String::from).to_vec(),
        features: vec![
            Feature { name: "age".into(), kind: asap_contracts::Kind::Number(age) },
            Feature {
                name: "sex".into(),
                kind: asap_contracts::Kind::Levels(Levels { levels: levels.to_vec(), other, missing }),
            },
        ],
        target: Target { name: "income".into(), kind: target, weights: None },
        ignored: vec!["id".into()],
        person: None,
    }
}

impl Kind {
    pub(crate) fn is_user(&self) -> bool {
        matches!(self.loss, Loss::User { .. })
    }
}

/// The minimiser of either mechanism and its noise.
pub(crate) fn first(certificate: &mut Certificate) -> (&mut Minimiser, &mut Noise) {
    match &mut certificate.mechanism {
        Mechanism::Output(output) => (&mut output.minimiser, &mut output.noise),
        Mechanism::Posterior(posterior) => (&mut posterior.minimiser, &mut posterior.localisation.noise),
        Mechanism::Objective(_) => panic!("these certificates are in objective.rs"),
        Mechanism::NoisyGradient(_) => panic!("gradients have no minimiser"),
    }
}

/// The stages of the posterior mechanism.
pub(crate) fn stages(certificate: &mut Certificate) -> Option<&mut Posterior> {
    match &mut certificate.mechanism {
        Mechanism::Output(_) | Mechanism::Objective(_) | Mechanism::NoisyGradient(_) => None,
        Mechanism::Posterior(posterior) => Some(posterior),
    }
}

/// The scale's numerator.
pub(crate) fn scale(noise: &mut Noise) -> &mut u64 {
    match noise {
        Noise::DiscreteLaplace { numerator, .. } => numerator,
        Noise::RoundedNormal { steps, .. } | Noise::EuclideanLaplace { steps, .. } => steps,
    }
}

/// The exponent of the lattice step.
pub(crate) fn exponent(noise: &mut Noise) -> &mut i32 {
    match noise {
        Noise::DiscreteLaplace { exponent, .. }
        | Noise::RoundedNormal { exponent, .. }
        | Noise::EuclideanLaplace { exponent, .. } => exponent,
    }
}
