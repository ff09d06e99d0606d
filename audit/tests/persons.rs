//! Audits of persons with three rows. spec: `own:persons`, `own:audit`
//!
//! Aimed at: `Problem::of_a_record` returning the whole budget *and* the contract `Persons` deciding
//! nothing, so that a plan for rows passes for one for persons. `what_is_calibrated_for_rows_is_caught` runs
//! exactly that noise. `persons_of_three_rows_are_not_contradicted` was seen red with the same in the source
//! of each of the four mechanisms.
#![allow(clippy::unwrap_used)]

use asap_audit::{AuditSettings, Audited, Pair, ReleaseSettings, TiltedLoss, run, run_release};
use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::{Learner, Logistic, MechanismKind, ReplayRng};

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::Pure(Epsilon::new(epsilon).unwrap())
}

fn gaussian(mu: f64) -> Guarantee {
    Guarantee::Gaussian(Mu::new(mu).unwrap())
}

fn settings(guarantee: Guarantee, mechanism: MechanismKind, runs: u64) -> AuditSettings {
    AuditSettings {
        runs,
        seed: Some(11),
        mechanism,
        // Under pure DP the budgets of many steps add up in the worst case only, which no run shows.
        gradient_steps: Some(1),
        rows_per_person: Some(3),
        pairs: vec![Pair::AddedToOne],
        stages: vec![Audited::Release],
        ..AuditSettings::new(guarantee)
    }
}

/// What is audited, and the runs that show that three times as much is more than is claimed.
const AUDITED: [(MechanismKind, bool, u64); 7] = [
    (MechanismKind::Output, true, 800),
    (MechanismKind::Output, false, 500),
    (MechanismKind::Objective, true, 800),
    (MechanismKind::Objective, false, 500),
    (MechanismKind::NoisyGradient, true, 800),
    (MechanismKind::NoisyGradient, false, 500),
    (MechanismKind::Posterior, false, 500),
];

fn budget(is_pure: bool) -> Guarantee {
    if is_pure { pure(1.0) } else { gaussian(1.0) }
}

#[test]
fn persons_of_three_rows_are_not_contradicted() {
    for (mechanism, is_pure, runs) in AUDITED {
        let report = run(&settings(budget(is_pure), mechanism, runs)).unwrap();
        assert!(report.setting.contains("persons of 3 rows"));
        assert!(!report.contradicted(), "{mechanism:?} {is_pure}\n{}", report.to_text());
        assert!(report.rows.iter().all(|row| row.claim == budget(is_pure)), "what a person is promised");
    }
}

/// The same neighbours, which differ by a person of three rows, under a plan that is calibrated for rows: ε for each of
/// them, so that a person has 3ε, and ε is claimed.
#[test]
fn what_is_calibrated_for_rows_is_caught() {
    for (mechanism, is_pure, runs) in AUDITED {
        let thrice = if is_pure { pure(3.0) } else { gaussian(3.0) };
        // A plan of 3ε for a person of three rows has ε for a row: the noise of a learner that
        // does not know of persons.
        let mut settings = settings(thrice, mechanism, runs);
        if mechanism == MechanismKind::Objective && is_pure {
            settings.loss = TiltedLoss::Huber;
        }
        let report = run(&settings).unwrap();
        let claimed = budget(is_pure).parameter();
        let shown = report.rows.iter().map(|row| row.bound.lower).fold(0.0, f64::max);
        assert!(shown > claimed, "{mechanism:?} {is_pure}: {shown}\n{}", report.to_text());
    }
}

/// `asap audit --from`: persons in the release are persons in the audit.
#[test]
fn the_setting_of_a_release_for_persons_is_audited() {
    let bounds = Bounds::new(1.0).unwrap().with_rows_per_person(3).unwrap();
    let fill = |k: usize, row: &mut [f64]| {
        row[0] = 0.3 * k as f64;
        if k.is_multiple_of(2) { 1.0 } else { -1.0 }
    };
    let clip = OutOfBounds::Clip;
    let records =
        Records::from_rows_of_persons(Logistic, bounds, clip, 1, 6, |k| (k / 2).to_le_bytes(), fill).unwrap();
    for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
        let learner =
            Learner::new(4.0).guarantee(pure(1.0)).neighbours(neighbours).mechanism(MechanismKind::Output);
        let release = learner.fit(&records, &mut ReplayRng::new(2)).unwrap();
        let report =
            run_release(&release, &ReleaseSettings { runs: 500, alpha: 1e-6, seed: Some(4) }).unwrap();
        assert!(!report.contradicted(), "{}", report.to_text());
        assert!(report.to_text().contains("3+}"), "{}", report.to_text());
    }
}
