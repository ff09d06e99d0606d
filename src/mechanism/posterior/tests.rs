//! What follows from a θ_0, and what it is predicted to be worth, where a ball is small or large: from the pages once
//! more.

use super::*;
use crate::bounds::Bounds;
use crate::calibrate::planned_proximal_steps;
use crate::learner::Learner;
use crate::loss::Logistic;
use crate::privacy::Neighbours;
use asap_contracts::Status;

fn near(computed: f64, expected: f64) {
    assert!((computed / expected - 1.0).abs() < 1e-7, "{computed} instead of {expected}");
}

/// Λ = 5, and a ball whose radius is this many times that of the paper's table.
fn tried(
    times: f64,
    sampler: SamplerKind,
    learner: &Learner,
    row: f64,
) -> Result<Posterior<Logistic>, Error> {
    let paper = Paper { c1: times, c2: times, ..Paper::default() };
    let learner = learner.expected_rows(1000).calibration(Calibration::Paper(paper)).sampler(sampler);
    learner.posterior(&learner.problem(Logistic, Bounds::new(row).unwrap(), 3).unwrap())
}

fn planned(times: f64, sampler: SamplerKind, learner: &Learner) -> Posterior<Logistic> {
    tried(times, sampler, learner, 1.0).unwrap()
}

/// As in `predictions_by_hand`: J bends by 25 in three directions, by 255 at most, with a trace of 265 at most; or by Λ
/// = 5 alone, and there is nothing to learn. Here the ball is smaller than the spread of the posterior, or the noise of
/// the localisation leaves it.
#[test]
fn predictions_in_a_small_ball_by_hand() {
    let best = (2.1 * 2.0 * 200.0 * core::f64::consts::LN_2 / 40.0_f64).sqrt();
    let mut seen = [0; 2];
    for (curvature, minimiser) in [(20.0, 0.8 * best), (0.0, 0.0)] {
        let guess = Guess::new(1000).unwrap().with_curvature(curvature).unwrap();
        for (times, pure) in [(0.1, false), (0.5, false), (0.1, true), (0.2, true), (0.5, true)] {
            let total = if pure { Learner::new(5.0).epsilon(1.0) } else { Learner::new(5.0).mu(1.0) };
            let plan = planned(times, SamplerKind::Proximal, &total.unwrap());
            let centre = plan.norms().quantile(0.5).hypot(minimiser);
            let reference = plan.reference(&[centre, 0.0, 0.0]).unwrap();
            let (gamma, radius) = (reference.gamma(), reference.ball().radius());
            let (square, excess) = (plan.norms().square(), plan.norms().excess(radius));
            let noise = reference.asap().noise().variance(3);
            let predicted = plan.prediction(&guess).unwrap();
            let bend = 5.0 + curvature;
            let (spread, ball) = (1.0 / (gamma * bend), radius * radius / 5.0 + square / 3.0);
            near(predicted.likely, 1.5 * bend * (spread.min(ball) + excess / 3.0 + noise));
            let worst = (1.5 / gamma).min(127.5 * (0.6 * radius * radius + square));
            near(predicted.worst, worst + 127.5 * excess + 132.5 * noise);
            let (m, l, error) = (5.0 * gamma, 255.0 * gamma, reference.chain_error());
            let steps = planned_proximal_steps(m, l, l * radius, radius, 3, error).unwrap();
            near(predicted.passes, 13.0 + 2.9 * steps as f64);
            seen[0] += u32::from(ball < 0.99 * spread);
            seen[1] += u32::from(excess > 0.01 * spread.min(ball));
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "every part was to count: {seen:?}");
}

/// In a large ball the slope bounds the oscillation: 2n for n rows of norm 2, and Λ times the farthest point. Two
/// losses change where a record is replaced: G = 4.
#[test]
fn slopes_in_a_large_ball_by_hand() {
    let learner = Learner::new(5.0).mu(1.0).unwrap().neighbours(Neighbours::ReplaceOne);
    let plan = tried(50.0, SamplerKind::Proximal, &learner, 2.0).unwrap();
    let reference = plan.reference(&[3.0, 4.0, 0.0]).unwrap();
    near(reference.lipschitz(), 4.0);
    let (gamma, radius, norm) = (reference.gamma(), reference.ball().radius(), reference.centre_norm());
    for rows in [1_u32, 1000] {
        let steep = 2.0 * f64::from(rows) + 5.0 * (norm + radius);
        near(reference.oscillation(plan.problem(), rows.into()).unwrap(), 2.0 * gamma * steep * radius);
    }
    // The rounding of a draw from a ball that is far larger is more than half of the error that the paper wants:
    // refused.
    assert!(tried(1000.0, SamplerKind::Proximal, &learner, 1.0).is_err());
}

/// The paper's tables are functions of d, n, κ = (Λ + n/4)/Λ, Λ and G = 1.
#[test]
fn the_chain_of_the_paper_by_hand() {
    let paper = Paper { c1: 20.0, c2: 20.0, ..Paper::default() };
    let plan = planned(20.0, SamplerKind::Mala, &Learner::new(5.0).mu(1.0).unwrap());
    let public =
        PublicProblem { dimension: 3, rows: 1000, condition: 51.0, regulariser: 5.0, lipschitz: 1.0 };
    let Guarantee::Gaussian(mu) = plan.sample_share else { panic!("{plan:?}") };
    near(mu.get(), (1.0 / 3.0_f64).sqrt());
    let (chain, expected) =
        (plan.paper_chain().unwrap().unwrap(), paper.gaussian_schedule(&public, mu).unwrap());
    near(chain.step, expected.step);
    assert_eq!(
        (chain.steps, chain.restarts, plan.expected_rows()),
        (expected.steps, expected.restarts, 1000)
    );
    let tight = Learner::new(5.0).mu(1.0).unwrap().posterior(plan.problem()).unwrap();
    assert_eq!(tight.paper_chain().unwrap(), None);
    // The paper's lengths are asymptotic: nothing is certified.
    let certified = |plan| record::at_zero(plan).unwrap().certified;
    assert!(certified(&tight) && !certified(&plan));
}

/// Constrained MALA wants room around the minimiser, the others do not.
#[test]
fn one_sampler_wants_room() {
    for sampler in [SamplerKind::Exact, SamplerKind::Proximal, SamplerKind::Mala] {
        let learner = Learner::new(5.0).mu(1.0).unwrap().sampler(sampler).largest_chain(u64::MAX);
        let plan =
            learner.posterior(&learner.problem(Logistic, Bounds::new(1.0).unwrap(), 3).unwrap()).unwrap();
        let reference = plan.reference(&[0.5, 0.0, 0.0]).unwrap();
        let radius = |wants_room| {
            let choices = Choices {
                problem: plan.problem(),
                posterior: plan.sample_share,
                centre_norm: reference.centre_norm(),
                expected_rows: plan.expected_rows,
                wants_room,
            };
            choices.radius(plan.norms(), plan.localisation.minimiser().tolerance())
        };
        assert!(radius(true) > radius(false));
        near(reference.ball().radius(), radius(sampler == SamplerKind::Mala));
    }
}

/// The exact draw may be the one whose rounding counts: for one parameter in a large ball it is.
#[test]
fn the_charge_is_the_larger_one_of_those_that_may_draw() {
    let charge = |sampler| {
        let learner = Learner::new(5.0).mu(1.0).unwrap().sampler(sampler).expected_rows(1);
        let bounds = Bounds::new(1.0).unwrap().with_max_rows(1).unwrap();
        let plan = learner.posterior(&learner.problem(Logistic, bounds, 1).unwrap()).unwrap();
        plan.charge(1.0, 1000.0, 0.0).unwrap()
    };
    assert!(charge(SamplerKind::Exact) > 2.0 * charge(SamplerKind::Proximal));
    near(charge(SamplerKind::Mala), charge(SamplerKind::Proximal));
}

/// What the certificate of a plan claims, in the order of the alphabet.
fn claimed(plan: &Posterior<Logistic>) -> Vec<(String, Status)> {
    let claims = record::at_zero(plan).unwrap().claims;
    in_order(&claims.iter().map(|claim| (claim.spec.as_str(), claim.status)).collect::<Vec<_>>())
}

fn in_order(claims: &[(&str, Status)]) -> Vec<(String, Status)> {
    let mut claims: Vec<_> = claims.iter().map(|(page, status)| ((*page).to_owned(), *status)).collect();
    claims.sort_by(|a, b| a.0.cmp(&b.0));
    claims
}

/// The pages that a release rests on under μ: those of every sampler, those of the sampler, and what is assumed of
/// constrained MALA.
#[test]
fn claims_by_hand() {
    let learner = Learner::new(5.0).mu(1.0).unwrap().largest_chain(u64::MAX);
    let problem = learner.problem(Logistic, Bounds::new(1.0).unwrap(), 3).unwrap();
    let claims = |sampler| claimed(&learner.sampler(sampler).posterior(&problem).unwrap());
    let proved =
        |pages: &[&'static str]| -> Vec<_> { pages.iter().map(|page| (*page, Status::Proved)).collect() };
    let mut every = proved(&[
        "own:budget-split",
        "own:lattice",
        "own:certified-minimiser",
        "lem:sensitivity_minimizer",
        "lem:OutPert_DP",
        "lem:adaptive_composition",
        "thm:asap_privacy",
        "lem:GDP_Post_Sam",
        "own:rounded-normal",
        "own:proximal",
        "own:truncated",
    ]);
    every.extend(["own:losses", "own:objective"].map(|page| (page, Status::Tested)));
    every.push(("assumptions:randomness", Status::Assumed));
    let with = |more: &[(&'static str, Status)]| in_order(&[every.clone(), more.to_vec()].concat());
    assert_eq!(claims(SamplerKind::Exact), with(&proved(&["own:rounding", "own:exact"])));
    assert_eq!(claims(SamplerKind::Proximal), with(&proved(&["own:rounding"])));
    let ideal = [("lem:equiv_W_infty", Status::Assumed), ("assumptions:idealized-numerics", Status::Assumed)];
    let mala =
        |length| [&[("lem:W_infty_TV", Status::Proved), ("own:conductance", length)], &ideal[..]].concat();
    assert_eq!(claims(SamplerKind::Mala), with(&mala(Status::Proved)));
    assert_eq!(claimed(&planned(20.0, SamplerKind::Mala, &learner)), with(&mala(Status::Assumed)));
    // Under ε the last noise has another law than the localisation, unless that is chosen.
    let pure = Learner::new(5.0).epsilon(1.0).unwrap();
    for noise in [PureNoise::Laplace, PureNoise::Euclidean] {
        let pages = claimed(&pure.noise(noise).posterior(&problem).unwrap());
        let laws = ["own:discrete-laplace", "own:euclidean-laplace", "own:rounded-normal"];
        let named = laws.map(|law| pages.iter().filter(|(page, _)| page == law).count());
        assert_eq!(named, [1, usize::from(noise == PureNoise::Euclidean), 0]);
    }
}
