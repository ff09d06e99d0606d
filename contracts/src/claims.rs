//! The table of results that a release of each kind rests on, and what is left to believe.
//!
//! A certificate is given its claims by this table and is checked against it. The second opinion is the checker in
//! Python, which has a table of its own.

use crate::schema::{
    Calibration, Certificate, Guarantee, Loss, Mechanism, Noise, Numerics, Posterior, Price, Randomness,
    Sampler, Status, Tilt,
};
use crate::verdict::Assumed;

/// The claims that a certificate must make, each once.
pub(crate) fn expected(certificate: &Certificate) -> Vec<(&'static str, Status)> {
    // Theorems whose hypotheses are the clauses of this crate and the next two claims.
    let mut proved = vec!["own:budget-split", "own:lattice"];
    proved.extend(certificate.ledger.converted.map(|_| "lem:convert_pure_G_DP"));
    proved.extend(certificate.person.map(|_| "own:persons"));
    proved.extend(certificate.problem.class_weights.map(|_| "own:class-weights"));
    // A minimiser is searched, and where the objective is not tilted it is released through noise.
    proved.extend(match &certificate.mechanism {
        Mechanism::Output(_) | Mechanism::Posterior(_) => {
            vec!["own:certified-minimiser", "lem:sensitivity_minimizer", "lem:OutPert_DP"]
        }
        Mechanism::Objective(_) => vec!["own:certified-minimiser"],
        Mechanism::NoisyGradient(_) => vec![],
    });
    // Built-in losses were searched for violations; a user's loss is its author's word.
    let about_the_loss = if is_user(&certificate.problem.loss) { Status::Assumed } else { Status::Tested };
    let mut others = vec![
        ("own:losses", about_the_loss),
        ("own:objective", about_the_loss),
        ("assumptions:randomness", Status::Assumed),
    ];
    match &certificate.mechanism {
        Mechanism::Output(output) => proved.push(law(&output.noise)),
        Mechanism::NoisyGradient(descent) => {
            proved.extend(["own:noisy-gradient", "lem:adaptive_composition", law(&descent.noise)]);
        }
        Mechanism::Posterior(posterior) => {
            proved.extend(["lem:adaptive_composition", "thm:asap_privacy"]);
            proved.push(match certificate.ledger.spends() {
                Guarantee::Pure(_) => "lem:pure_DP_Post_Sam",
                Guarantee::Gaussian(_) => "lem:GDP_Post_Sam",
            });
            let (first, last) = (law(&posterior.localisation.noise), law(&posterior.asap.noise));
            proved.push(first);
            proved.extend((last != first).then_some(last));
            sampler(posterior, &mut proved, &mut others);
        }
        Mechanism::Objective(objective) => {
            proved.extend(["own:objective-perturbation", "lem:adaptive_composition", "thm:asap_privacy"]);
            let first = match &objective.tilt {
                Tilt::Whole(noise) => law(noise),
                Tilt::Blocks(_) => "own:shaped-tilt",
            };
            let last = law(&objective.asap.noise);
            proved.push(first);
            proved.extend((last != first).then_some(last));
            proved.extend((objective.price != Price::Apart).then_some("own:joint-price"));
            proved.extend(is_gaussian(certificate).then_some("own:gaussian-tilt"));
        }
    }
    others.extend(proved.into_iter().map(|spec| (spec, Status::Proved)));
    others
}

/// Whether the shares are of μ.
fn is_gaussian(certificate: &Certificate) -> bool {
    matches!(certificate.ledger.spends(), Guarantee::Gaussian(_))
}

/// What the sampler rests on.
fn sampler(posterior: &Posterior, proved: &mut Vec<&'static str>, others: &mut Vec<(&'static str, Status)>) {
    // Every sampler may fall back on the proximal one.
    proved.extend(["own:proximal", "own:truncated"]);
    match posterior.sampler {
        Sampler::Exact => proved.extend(["own:exact", "own:rounding"]),
        Sampler::Proximal => proved.push("own:rounding"),
        Sampler::Mala => {
            proved.push("lem:W_infty_TV");
            let length = match posterior.calibration {
                Calibration::Tight => Status::Proved,
                Calibration::Paper => Status::Assumed,
            };
            others.extend([
                ("own:conductance", length),
                ("lem:equiv_W_infty", Status::Assumed),
                ("assumptions:idealized-numerics", Status::Assumed),
            ]);
        }
    }
}

/// The page about the law of the noise.
fn law(noise: &Noise) -> &'static str {
    match noise {
        Noise::DiscreteLaplace { .. } => "own:discrete-laplace",
        Noise::RoundedNormal { .. } => "own:rounded-normal",
        Noise::EuclideanLaplace { .. } => "own:euclidean-laplace",
    }
}

/// The arithmetic in which a release of this kind is proved.
pub(crate) fn numerics(mechanism: &Mechanism) -> Numerics {
    match mechanism {
        Mechanism::Output(_) | Mechanism::Objective(_) | Mechanism::NoisyGradient(_) => Numerics::Rigorous,
        Mechanism::Posterior(posterior) => match (posterior.sampler, posterior.calibration) {
            (Sampler::Exact | Sampler::Proximal, _) => Numerics::Rigorous,
            (Sampler::Mala, Calibration::Tight) => Numerics::RealArithmeticOnly,
            (Sampler::Mala, Calibration::Paper) => Numerics::AsymptoticConstants,
        },
    }
}

/// Whether the constants of the loss are its author's word.
pub(crate) fn is_user(loss: &Loss) -> bool {
    matches!(loss, Loss::User { .. })
}

/// What must be believed in addition to the clauses: the assumed claims, and the numbers that are compared but not
/// derived here.
pub(crate) fn assumed(certificate: &Certificate) -> Vec<Assumed> {
    let mut assumed = vec![Assumed {
        spec: "own:certificate",
        why: "the program that ran is the one described, on records within the bounds; the public numbers were \
              chosen without looking at the records",
    }];
    if certificate.person.is_some() {
        let why = "rows with the same entry in the column of persons are those of one person, and no person has two entries";
        assumed.push(Assumed { spec: "own:persons", why });
    }
    if posterior(certificate) {
        let why = if certificate.numerics == Numerics::Rigorous {
            "the sampler ran until its draw was within Δ of the reference; how long that is depends on the records and is \
             private"
        } else {
            "cannot be checked from the file, assumed: the error Δ, that is that the draw is within Δ of the reference; how \
             long the chain is depends on the records and is private, and its rounding is not charged"
        };
        assumed.push(Assumed { spec: "thm:asap_privacy", why });
    }
    if is_user(&certificate.problem.loss) {
        let (spec, why) = if matches!(certificate.mechanism, Mechanism::NoisyGradient(_)) {
            let why = "cannot be checked from the file, assumed: the gradient's rounding bound, made of what the user's \
                       loss claims";
            ("own:noisy-gradient", why)
        } else {
            let why = "cannot be checked from the file, assumed: the minimiser's rounding bound, made of what the user's \
                       loss claims";
            ("own:certified-minimiser", why)
        };
        assumed.push(Assumed { spec, why });
        if certificate.numerics == Numerics::Rigorous && posterior(certificate) {
            let why = "cannot be checked from the file, assumed: the charge for rounding, made of what the user's loss claims";
            assumed.push(Assumed { spec: "own:rounding", why });
        }
    }
    for (spec, status) in expected(certificate) {
        if status == Status::Assumed {
            assumed.extend(reasons(spec, certificate).iter().map(|why| Assumed { spec, why }));
        }
    }
    assumed
}

fn posterior(certificate: &Certificate) -> bool {
    matches!(certificate.mechanism, Mechanism::Posterior(_))
}

/// What an assumed claim asks a reader to believe.
fn reasons(spec: &str, certificate: &Certificate) -> &'static [&'static str] {
    match spec {
        "assumptions:randomness" => match certificate.randomness {
            Randomness::Secure => &["the random bits are independent, fair and secret"],
            Randomness::Replay => &["the random bits come from a known seed: this release is NOT private"],
        },
        "own:losses" => match certificate.mechanism {
            Mechanism::Output(_) => &USER_LOSS[..4],
            Mechanism::Posterior(_) => &USER_LOSS,
            // No minimiser has to be bounded; the smoothness is what the Jacobian rests on.
            Mechanism::Objective(_) if is_gaussian(certificate) => &TILTED_USER_LOSS,
            Mechanism::Objective(_) => &TILTED_USER_LOSS[..3],
            Mechanism::NoisyGradient(_) => &USER_GRADIENT,
        },
        "own:objective" => {
            &["the user's loss and its derivatives are computed within the rounding it claims"]
        }
        "own:conductance" => {
            &["the chain is as long as the paper's formula says with its constants set by hand"]
        }
        "lem:equiv_W_infty" => &["two forms of the distance W∞ agree: cited, not proved again"],
        "assumptions:idealized-numerics" => &["the chain is analysed in real arithmetic and runs in f64"],
        _ => &["stated by the certificate, not looked into here"],
    }
}

/// All that the privacy of a descent needs of a user's loss: what its gradients are worth is another matter.
const USER_GRADIENT: [&str; 1] =
    ["the Lipschitz constant of the user's loss where its gradients are asked for"];

/// The claims about a user's loss, the last for the posterior mechanism only.
const USER_LOSS: [&str; 5] = [
    "the user's loss is convex and its derivative is right",
    "the user's loss is as smooth as it claims",
    "the value of the user's loss at 0, and so the bound on the minimiser",
    "the Lipschitz constant of the user's loss where the minimisers are",
    "the Lipschitz constant of the user's loss on the ball",
];

/// The claims about a user's loss that objective perturbation rests on, the last for a Gaussian tilt only.
const TILTED_USER_LOSS: [&str; 4] = [
    USER_LOSS[0],
    "the derivative of the user's loss is Lipschitz, with the constant it claims",
    USER_LOSS[4],
    "the derivative of the user's loss never changes its sign",
];
