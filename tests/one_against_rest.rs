//! More than two classes, through the library. spec: `own:one-against-rest`
//!
//! Aimed at: `AgainstRest::sign` with another class, or with `!=`; `Guarantee::shared_by` that returns the whole (then
//! no plan exists: the contracts refuse the sum); a sum that nobody decides; `ClassPlans::release_entered` that enters
//! after the first draw, enters for each class, or draws one class for all (each seen red); `PassedOn` with the loss of
//! the records; `Gate::of_table` without its comparison of classes.
//!
//! Seen green before, and red now: from the fourth class on the bits of an earlier one again, or the labels of the
//! third; a slope of the weighted loss that is not that of two classes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp)]

use asap_contracts::{ClassParts, Guarantee as Stated, OneAgainstRest};
use asap_dp::data::{Bounds, CsvOptions, DataError, OutOfBounds, Records, Stream, read_csv, read_schema};
use asap_dp::loss::{AgainstRest, Logistic, Loss, WeightedLogistic};
use asap_dp::noise::RandomBits;
use asap_dp::one_against_rest::{AnyRelease, ClassPlans, most_probable, probabilities, scores, with_columns};
use asap_dp::privacy::{Epsilon, Guarantee, Mu, Neighbours};
use asap_dp::{Error, Learner, MechanismKind, Release, ReplayRng};

const CLASSES: [&str; 3] = ["red", "green", "blue"];

fn names() -> Vec<String> {
    CLASSES.map(str::to_owned).into()
}

fn bounds() -> Bounds {
    Bounds::new(1.0).unwrap().with_intercept(true).unwrap().with_max_rows(1000).unwrap()
}

/// 300 rows of two features; a class is where the features point to.
fn rows() -> (Vec<f64>, Vec<f64>) {
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for k in 0..300_u32 {
        let angle = 2.0 * core::f64::consts::PI * (f64::from(k) * 0.618_033_988_749_895).fract();
        let length = 0.3 + 0.7 * (f64::from(k) * 0.414_213_562_373_095).fract();
        features.extend([length * angle.cos(), length * angle.sin()]);
        labels.push((angle / (2.0 * core::f64::consts::PI) * 3.0).floor().min(2.0));
    }
    (features, labels)
}

fn labelled(bounds: Bounds) -> Records<AgainstRest> {
    let (features, labels) = rows();
    Records::new(AgainstRest::new(0, 3).unwrap(), bounds, OutOfBounds::Clip, features, labels).unwrap()
}

fn plans(learner: &Learner, weights: Option<&[f64]>) -> ClassPlans {
    ClassPlans::new(learner, &names(), weights, &bounds(), 3).unwrap()
}

fn fitted(plans: &ClassPlans, records: &Records<AgainstRest>, rng: &mut ReplayRng) -> OneAgainstRest {
    plans.release_entered(records, rng, || Ok(()), |error: Error| error).unwrap().0
}

fn learners() -> Vec<Learner> {
    let budgets = [Learner::new(20.0).epsilon(3.0).unwrap(), Learner::new(20.0).mu(2.0).unwrap()];
    let with = |mechanism: MechanismKind| budgets.map(|it| it.mechanism(mechanism).expected_rows(300));
    let mut all: Vec<Learner> = MechanismKind::ALL.into_iter().flat_map(with).collect();
    all.push(Learner::auto().epsilon(3.0).unwrap().expected_rows(300));
    all.push(budgets[0].neighbours(Neighbours::ReplaceOne));
    all
}

fn of_two<L: Loss>(loss: L, class: usize, learner: &Learner, rng: &mut ReplayRng) -> Release {
    two_of(rows(), loss, class, learner, rng)
}

fn two_of<L: Loss>(
    (features, labels): (Vec<f64>, Vec<f64>),
    loss: L,
    class: usize,
    learner: &Learner,
    rng: &mut ReplayRng,
) -> Release {
    let signs = labels.iter().map(|label| if *label == class as f64 { 1.0 } else { -1.0 }).collect();
    let records = Records::new(loss, bounds(), OutOfBounds::Clip, features, signs).unwrap();
    learner.fit(&records, rng).unwrap()
}

/// Each part is the fit of two classes whose labels somebody else made, with the next bits of the same stream and the
/// share of the budget: certificate and parameters, bit for bit. Red: another class, or the others, as +1; the loss of
/// the records in `PassedOn`.
#[test]
fn each_part_is_a_fit_of_two_classes() {
    for learner in learners() {
        let plans = plans(&learner, None);
        let model = fitted(&plans, &labelled(bounds()), &mut ReplayRng::new(7));
        model.check().unwrap();
        let mut rng = ReplayRng::new(7);
        for (class, part) in model.one_against_rest.parts.iter().enumerate() {
            let two = of_two(Logistic, class, &learner.guarantee(plans.share()), &mut rng);
            assert_eq!(part.class, CLASSES[class]);
            assert_eq!(part.certificate, *two.certificate(), "{class}, {learner:?}");
        }
    }
}

/// The same with five classes: the fourth and the fifth have labels and bits of their own, as the first three have.
#[test]
fn each_of_five_parts_is_a_fit_of_two_classes() {
    const SEED: u64 = 11;
    let (features, _) = rows();
    let labels: Vec<f64> = (0..300_u32).map(|k| f64::from(k % 5)).collect();
    let loss = AgainstRest::new(0, 5).unwrap();
    let records = Records::new(loss, bounds(), OutOfBounds::Clip, features.clone(), labels.clone()).unwrap();
    let names: Vec<String> = (0..5).map(|k| format!("class {k}")).collect();
    for mechanism in [MechanismKind::Objective, MechanismKind::Output] {
        let learner = Learner::new(20.0).epsilon(5.0).unwrap().mechanism(mechanism).expected_rows(300);
        let plans = ClassPlans::new(&learner, &names, None, &bounds(), 3).unwrap();
        let model = fitted(&plans, &records, &mut ReplayRng::new(SEED));
        let (mut rng, learner) = (ReplayRng::new(SEED), learner.guarantee(plans.share()));
        assert_eq!(model.one_against_rest.parts.len(), 5);
        for (class, part) in model.one_against_rest.parts.iter().enumerate() {
            let two = two_of((features.clone(), labels.clone()), Logistic, class, &learner, &mut rng);
            assert_eq!(part.certificate, *two.certificate(), "{class}, {mechanism:?}");
        }
    }
}

/// Every number of the loss of one class is, bit for bit, that of the loss of two with the label
/// that somebody else made.
#[test]
fn every_number_of_the_loss_is_that_of_two_classes() {
    fn same<L: Loss>(loss: AgainstRest, class: usize, two: L) {
        for label in 0..5_u32 {
            let (y, sign) = (f64::from(label), if label as usize == class { 1.0 } else { -1.0 });
            for k in -20..=20 {
                let z = 0.37 * f64::from(k);
                assert_eq!(loss.value(z, y), two.value(z, sign));
                assert_eq!(loss.slope(z, y), two.slope(z, sign));
                assert_eq!(loss.curvature(z, y), two.curvature(z, sign));
                assert_eq!(loss.divergence(z, 0.3, y), two.divergence(z, 0.3, sign));
                assert_eq!(loss.curvature_floor(z, 0.3, y), two.curvature_floor(z, 0.3, sign));
                assert_eq!(loss.chord_floor(z, 0.01, 0.3, y), two.chord_floor(z, 0.01, 0.3, sign));
            }
        }
        assert_eq!(loss.slope_bound(2.0, &bounds()), two.slope_bound(2.0, &bounds()));
        assert_eq!(loss.curvature_bound(), two.curvature_bound());
        assert_eq!(loss.value_at_zero(&bounds()), two.value_at_zero(&bounds()));
    }
    for class in 0..5 {
        let plain = AgainstRest::new(class, 5).unwrap();
        same(plain, class, Logistic);
        let weights = [1.0, 6.0];
        same(plain.with_weights(weights).unwrap(), class, WeightedLogistic::new(weights).unwrap());
    }
}

/// Where the regulariser is chosen, it is the same for classes that count differently: parts of one problem,
/// or there would be no plan.
#[test]
fn a_chosen_regulariser_is_that_of_all_classes() {
    for learner in [Learner::auto().epsilon(3.0).unwrap(), Learner::auto().mu(2.0).unwrap()] {
        let plans = plans(&learner.expected_rows(300), Some(&[50.0, 1.0, 3.0]));
        let chosen: Vec<f64> = plans.plans().map(|(_, plan)| plan.problem().regulariser()).collect();
        assert!(chosen.iter().all(|it| *it == chosen[0]), "{chosen:?}");
    }
}

/// The same with weights: of each class its own, of the rest the least.
#[test]
fn each_part_has_its_weights() {
    let learner = Learner::new(20.0).epsilon(3.0).unwrap().mechanism(MechanismKind::Objective);
    let plans = plans(&learner, Some(&[2.0, 8.0, 2.0]));
    let model = fitted(&plans, &labelled(bounds()), &mut ReplayRng::new(8));
    model.check().unwrap();
    let mut rng = ReplayRng::new(8);
    for (class, part) in model.one_against_rest.parts.iter().enumerate() {
        let weighted = WeightedLogistic::new([2.0, [2.0, 8.0, 2.0][class]]).unwrap();
        let two = of_two(weighted, class, &learner.guarantee(plans.share()), &mut rng);
        assert_eq!(part.certificate, *two.certificate(), "{class}");
        assert_eq!(part.certificate.problem.class_weights, (class == 1).then_some([0.25, 1.0]));
    }
    for bad in [&[1.0, 2.0][..], &[1.0, f64::NAN, 1.0], &[1.0, 2e6, 1.0], &[1.0; 4]] {
        assert!(ClassPlans::new(&learner, &names(), Some(bad), &bounds(), 3).is_err(), "{bad:?}");
    }
}

/// The largest part that fits, for many totals and numbers of classes. Red: rounded to the nearest.
#[test]
fn shares_are_the_largest_that_add_up() {
    for k in 1..200_u32 {
        let x = 0.01 * f64::from(k);
        for count in [3, 7, 10, 99] {
            for total in [Guarantee::Pure(Epsilon::new(x).unwrap()), Guarantee::Gaussian(Mu::new(x).unwrap())]
            {
                let share = total.shared_by(count).unwrap().parameter();
                let close = match total {
                    Guarantee::Pure(_) => x / f64::from(count),
                    Guarantee::Gaussian(_) => x / f64::from(count).sqrt(),
                };
                assert!(share <= close * (1.0 + 1e-15) && share >= close * (1.0 - 1e-13), "{x} {count}");
                // Exactly: shares of 53 bits, as whole numbers of 2⁻¹⁰⁷⁴ they would be long; the contracts add them.
                let one = asap_contracts::Share { name: "one".into(), spent: share };
                let shares = vec![one; usize::try_from(count).unwrap()];
                let stated = match total {
                    Guarantee::Pure(it) => Stated::Pure(it.get()),
                    Guarantee::Gaussian(it) => Stated::Gaussian(it.get()),
                };
                asap_contracts::contract::Shares { shares: &shares, total: stated }.holds().unwrap();
            }
        }
    }
}

/// Without records every part is nothing but noise, and no two of them are the same. Red: one certificate for all
/// classes; the same seed for each.
#[test]
fn noise_is_not_shared() {
    for mechanism in MechanismKind::ALL {
        let learner = Learner::new(20.0).epsilon(3.0).unwrap().mechanism(mechanism).expected_rows(100);
        let loss = AgainstRest::new(0, 3).unwrap();
        let nobody = Records::with_dimension(loss, bounds(), OutOfBounds::Clip, 2, vec![], vec![]).unwrap();
        let model = fitted(&plans(&learner, None), &nobody, &mut ReplayRng::new(3));
        let thetas: Vec<&Vec<f64>> =
            model.one_against_rest.parts.iter().map(|part| &part.certificate.theta).collect();
        for k in 0..3 {
            assert!(thetas[k].iter().any(|x| *x != 0.0));
            for j in 0..k {
                assert!(thetas[k].iter().zip(thetas[j]).all(|(a, b)| a != b), "{mechanism:?}: {j} and {k}");
            }
        }
    }
}

/// A model of sixteen classes on one feature: with nobody, and with one record, whose label moves one minimiser to one
/// side and fifteen to the other. Their signed sum is a test of which of the two it was.
fn measured_loss(epsilon: f64) -> f64 {
    const RUNS: u64 = 1500;
    let bounds = Bounds::new(1.0).unwrap().with_max_rows(10).unwrap();
    let learner = Learner::new(50.0).epsilon(epsilon).unwrap().mechanism(MechanismKind::Output);
    let names: Vec<String> = (0..16).map(|k| format!("class {k}")).collect();
    let plans = ClassPlans::new(&learner, &names, None, &bounds, 1).unwrap();
    let records = |features: Vec<f64>, labels: Vec<f64>| {
        let loss = AgainstRest::new(0, 16).unwrap();
        Records::with_dimension(loss, bounds.clone(), OutOfBounds::Clip, 1, features, labels).unwrap()
    };
    let (nobody, somebody) = (records(vec![], vec![]), records(vec![1.0], vec![3.0]));
    let statistic = |records: &Records<AgainstRest>, seed: u64| {
        let model = fitted(&plans, records, &mut ReplayRng::new(seed));
        let signed = |(k, part): (usize, &asap_contracts::ClassPart)| {
            if k == 3 { part.certificate.theta[0] } else { -part.certificate.theta[0] }
        };
        model.one_against_rest.parts.iter().enumerate().map(signed).sum::<f64>()
    };
    let mut without: Vec<f64> = (0..RUNS).map(|run| statistic(&nobody, run)).collect();
    let mut with: Vec<f64> = (0..RUNS).map(|run| statistic(&somebody, RUNS + run)).collect();
    without.sort_by(f64::total_cmp);
    with.sort_by(f64::total_cmp);
    // P(T > t) with and without, each moved by four standard errors against the claim.
    let share =
        |sorted: &[f64], t: f64| (sorted.len() - sorted.partition_point(|x| *x <= t)) as f64 / RUNS as f64;
    let error = |p: f64| 4.0 * (p.max(1.0 / RUNS as f64) / RUNS as f64).sqrt();
    (1..20)
        .map(|k| {
            let t = without[without.len() * k / 20];
            let (p, q) = (share(&with, t), share(&without, t));
            ((p - error(p)).max(1e-9) / (q + error(q))).ln()
        })
        .fold(f64::NEG_INFINITY, f64::max)
}

/// The loss of privacy, measured: within ε = 1 as it is divided, and beyond it where every class has all of ε, which is
/// what a total of 16 gives. Red: `shared_by` without its division and a sum that nobody decides.
#[test]
fn the_loss_of_privacy_is_within_the_total_and_needs_the_division() {
    let divided = measured_loss(1.0);
    assert!(divided <= 1.0, "{divided}");
    let whole = measured_loss(16.0);
    assert!(whole > 1.1, "as if nothing had been divided: {whole}");
}

/// Entered once, with nothing drawn before; what refuses to be entered draws nothing.
#[test]
fn a_fit_is_entered_once_and_first() {
    let learner = Learner::new(20.0).epsilon(3.0).unwrap().mechanism(MechanismKind::Output);
    let (plans, records) = (plans(&learner, None), labelled(bounds()));
    let mut rng = ReplayRng::new(5);
    let refused = plans.release_entered(
        &records,
        &mut rng,
        || Err::<(), _>("the ledger is full"),
        |_| "another reason",
    );
    assert_eq!(refused.unwrap_err(), "the ledger is full");
    assert_eq!(rng.next_u64(), ReplayRng::new(5).next_u64(), "nothing was drawn");
    let mut entered = 0;
    let enter = || {
        entered += 1;
        Ok::<_, Error>("number one")
    };
    let (model, number) =
        plans.release_entered(&records, &mut ReplayRng::new(5), enter, |error| error).unwrap();
    assert_eq!((entered, number), (1, "number one"));
    assert_eq!(model.one_against_rest.total, Stated::Pure(3.0));
    // Records of another problem are refused before anything is entered.
    let other =
        labelled(Bounds::new(2.0).unwrap().with_intercept(true).unwrap().with_max_rows(1000).unwrap());
    let failed =
        plans.release_entered(&other, &mut rng, || -> Result<(), Error> { panic!("entered") }, |error| error);
    assert!(matches!(failed, Err(Error::Input(_))));
    let loss = AgainstRest::new(0, 4).unwrap();
    let four = Records::new(loss, bounds(), OutOfBounds::Clip, vec![0.1, 0.2], vec![3.0]).unwrap();
    let failed =
        plans.release_entered(&four, &mut rng, || -> Result<(), Error> { panic!("entered") }, |error| error);
    assert!(matches!(failed, Err(Error::Input(_))));
}

#[test]
fn what_is_no_class_is_refused() {
    for (class, of) in [(0, 0), (0, 2), (3, 3), (0, 101)] {
        assert!(AgainstRest::new(class, of).is_err(), "{class} {of}");
    }
    let loss = AgainstRest::new(0, 3).unwrap();
    for label in [-1.0, 3.0, 0.5, 1e300] {
        let refused =
            Records::new(loss, bounds(), OutOfBounds::Clip, vec![0.1, 0.2], vec![label]).unwrap_err();
        assert!(matches!(refused, DataError::NotAClass { .. }), "{label}");
    }
    let learner = Learner::new(20.0).epsilon(3.0).unwrap();
    for names in [vec!["a", "b"], vec!["a", "b", "a"], vec!["a", "b", ""]] {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        assert!(ClassPlans::new(&learner, &names, None, &bounds(), 3).is_err(), "{names:?}");
    }
}

const SCHEMA: &str = "person = 'patient'\nrows_per_person = 2\n[target]\nname = 'goes'\nclasses = ['home', 'ward', 'hospice']\n\
                      missing = 'ward'\n[columns]\nage = [0, 100]";

fn table() -> String {
    let goes = ["home", "ward", "hospice", " ward ", "?"];
    let row = |k: usize| format!("{},p{},{}\n", k % 97, k / 3, goes[k % 5]);
    "age,patient,goes\n".to_owned() + &(0..300).map(row).collect::<String>()
}

/// From a file, in memory or again and again, with persons: the same bits, and what is promised
/// is promised to a person.
#[test]
fn a_file_with_persons_is_read_once_or_again() {
    let schema = read_schema(SCHEMA).unwrap();
    let bounds = Bounds::of_schema(&schema).unwrap().with_max_rows(1000).unwrap();
    let (options, loss) = (CsvOptions::of_schema(schema.clone()), AgainstRest::new(0, 3).unwrap());
    let text = table();
    let (records, columns) =
        read_csv(text.as_bytes(), &options, loss, bounds.clone(), OutOfBounds::Clip).unwrap();
    let path = std::env::temp_dir().join(format!("asap-classes-{}.csv", std::process::id()));
    std::fs::write(&path, &text).unwrap();
    let stream = Stream::open(&path, &options, loss, bounds.clone(), OutOfBounds::Clip).unwrap();
    let classes = ["home", "ward", "hospice"].map(str::to_owned);
    let learner = Learner::auto().epsilon(3.0).unwrap().expected_rows(200);
    let plans = ClassPlans::new(&learner, &classes, None, &bounds, 1).unwrap();
    let (enter, failed) = (|| Ok(()), |error: Error| error);
    let (here, ()) = plans.release_entered(&records, &mut ReplayRng::new(2), enter, failed).unwrap();
    let (again, ()) = plans.release_entered(&stream, &mut ReplayRng::new(2), enter, failed).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(here, again);
    let model = with_columns(here, columns).unwrap();
    for part in &model.one_against_rest.parts {
        let person = part.certificate.person.unwrap();
        assert_eq!((person.rows, person.total), (2, Stated::Pure(1.0)));
        assert_eq!(part.certificate.ledger.total, Stated::Pure(0.5));
    }
    // A model of two classes has no use for three.
    for refused in [
        read_csv(text.as_bytes(), &options, Logistic, bounds.clone(), OutOfBounds::Clip).map(drop),
        Stream::open("/dev/null", &options, Logistic, bounds, OutOfBounds::Clip).map(drop),
    ] {
        assert!(refused.is_err());
    }
    let two = schema_of_two();
    let bounds = Bounds::of_schema(&two).unwrap();
    let refused = read_csv(text.as_bytes(), &CsvOptions::of_schema(two), loss, bounds, OutOfBounds::Clip);
    assert_eq!(refused.unwrap_err(), DataError::ClassCount);
    let edited = asap_contracts::Schema { person: None, ..schema };
    assert!(with_columns(model, edited).is_err());
}

fn schema_of_two() -> asap_contracts::Schema {
    read_schema("[target]\nname = 'goes'\nclasses = ['home', 'ward']\n[columns]\nage = [0, 100]\npatient = { ignore = true }").unwrap()
}

/// A three-class file for the logistic loss of two: refused by the number of classes, although its first
/// two would pass for classes.
#[test]
fn a_loss_of_two_classes_takes_no_third() {
    let schema = read_schema(&SCHEMA.replace("person = 'patient'\nrows_per_person = 2\n", "")).unwrap();
    let bounds = Bounds::of_schema(&schema).unwrap();
    let text = "age,goes\n1,home\n2,ward\n";
    let refused =
        read_csv(text.as_bytes(), &CsvOptions::of_schema(schema), Logistic, bounds, OutOfBounds::Clip);
    assert_eq!(refused.unwrap_err(), DataError::ClassCount);
}

/// Scores, probabilities and the class by hand.
#[test]
fn predictions_by_hand() {
    let learner = Learner::new(20.0).epsilon(300.0).unwrap().mechanism(MechanismKind::Output);
    let model = fitted(&plans(&learner, None), &labelled(bounds()), &mut ReplayRng::new(1));
    let x = [0.3, -0.4];
    let found = scores(&model, &[x[0], x[1], 0.0, 0.0]).unwrap();
    assert_eq!(found.len(), 6);
    for (k, part) in model.one_against_rest.parts.iter().enumerate() {
        let &[a, b, constant] = &part.certificate.theta[..] else { panic!("three parameters") };
        assert!((found[k] - (constant + a * x[0] + b * x[1])).abs() < 1e-12);
        assert_eq!(found[3 + k], constant);
    }
    // It has learnt something: nine of ten rows at least, by the largest score.
    let (features, labels) = rows();
    let all = scores(&model, &features).unwrap();
    let right =
        all.chunks(3).zip(&labels).filter(|(row, label)| most_probable(row) as f64 == **label).count();
    assert!(right > 270, "{right}");
    let sigmoid = |z: f64| 1.0 / (1.0 + (-z).exp());
    let row = [0.5, -1.0, 2.0];
    let sum: f64 = row.iter().map(|z| sigmoid(*z)).sum();
    for (p, z) in probabilities(&row).into_iter().zip(row) {
        assert!((p - sigmoid(z) / sum).abs() < 1e-15);
    }
    // Far below: every σ is 0 as an f64, and the probabilities still add up.
    let far = probabilities(&[-2000.0, -2000.0 + 2.0_f64.ln(), -3000.0]);
    assert!((far[0] - 1.0 / 3.0).abs() < 1e-9 && (far[1] - 2.0 / 3.0).abs() < 1e-9 && far[2] == 0.0);
    assert_eq!((most_probable(&[1.0, 3.0, 3.0]), most_probable(&[2.0, 1.0])), (1, 0));
}

/// Either kind of file, and neither for the other.
#[test]
fn both_kinds_of_release_are_read() {
    let learner = Learner::new(20.0).epsilon(3.0).unwrap().mechanism(MechanismKind::Output);
    let model = fitted(&plans(&learner, None), &labelled(bounds()), &mut ReplayRng::new(1));
    let two = of_two(Logistic, 0, &learner, &mut ReplayRng::new(1));
    let texts = [model.to_json(), two.to_json()];
    let [several, single] = texts.clone().map(|text| AnyRelease::from_json(&text).unwrap());
    assert!(matches!(several, AnyRelease::Classes(_)) && matches!(single, AnyRelease::Single(_)));
    assert_eq!([several.to_json(), single.to_json()], texts);
    assert!(several.check().is_ok() && !several.is_private() && several.digest() == model.digest);
    assert!(Release::from_json(&texts[0]).is_err() && OneAgainstRest::from_json(&texts[1]).is_err());
    let ClassParts { parts, .. } = &model.one_against_rest;
    assert_eq!(parts.len(), 3);
}
