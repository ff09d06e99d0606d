//! The schema in a release: its form, its seal, and that no key of it is there twice.

use crate::build::{kinds, release};
use asap_contracts::*;

fn schema() -> Schema {
    crate::build::schema(&Loss::Logistic)
}

fn of_loss(loss: &Loss) -> Release {
    let kind = kinds().into_iter().find(|kind| kind.loss == *loss).unwrap();
    release(&kind)
}

fn number(schema: &mut Schema) -> &mut Number {
    let Kind::Number(number) = &mut schema.features[0].kind else { panic!("a number") };
    number
}

fn levels(schema: &mut Schema) -> &mut Levels {
    let Kind::Levels(levels) = &mut schema.features[1].kind else { panic!("levels") };
    levels
}

type Edit = fn(&mut Schema);

/// Sealed again after the edit, so that only the form can be wrong. Every line of `Schema::fault` has its case here.
#[test]
fn a_schema_has_a_form() {
    let plain = of_loss(&Loss::Logistic);
    let clauses = |verdict: Findings| verdict.checked.iter().filter(|it| it.spec == "own:schema").count();
    let check = |schema| Release { columns: Some(schema), ..plain.clone() }.seal().check();
    assert_eq!((schema().fault(), check(schema()).map(clauses)), (None, Ok(1)));
    let edits: &[(Place, Edit)] = &[
        (Place::Mark(1), |it| it.marks[1].clear()),
        (Place::Mark(1), |it| it.marks[1] = " ?".into()),
        (Place::Feature(0), |it| it.features[0].name.clear()),
        (Place::Feature(1), |it| it.features[1].name = "age".into()),
        (Place::Feature(1), |it| it.target.name = "sex".into()),
        (Place::Ignored(0), |it| it.ignored[0] = "income".into()),
        (Place::Feature(0), |it| it.features[0].name = "\u{430}ge".into()),
        (Place::Feature(0), |it| it.features.swap(0, 1)),
        (Place::Feature(0), |it| number(it).range = [90.0, 17.0]),
        (Place::Feature(0), |it| number(it).range = [17.0, 17.0]),
        (Place::Feature(0), |it| number(it).range = [f64::NAN, 17.0]),
        (Place::Feature(0), |it| number(it).range = [-f64::MAX, f64::MAX]),
        (Place::Feature(0), |it| number(it).missing = Some(91.0)),
        (Place::Feature(0), |it| number(it).missing = Some(f64::NAN)),
        (Place::Feature(1), |it| levels(it).other = Some("male".into())),
        (Place::Feature(1), |it| levels(it).missing = Some("?".into())),
        (Place::Level(1, 1), |it| levels(it).levels[1] = "Male".into()),
        (Place::Level(1, 1), |it| levels(it).levels[1] = "?".into()),
        (Place::Level(1, 1), |it| levels(it).levels[1] = "M\u{430}le".into()),
        (Place::Level(1, 0), |it| levels(it).levels[0] = "Male ".into()),
        (Place::Target, |it| {
            it.target.kind = TargetKind::Threshold(Threshold { at_least: f64::NAN, missing: None });
        }),
        (Place::Target, |it| {
            it.target.kind = TargetKind::Classes(Classes { classes: vec!["a".into()], missing: None });
        }),
        (Place::Target, |it| {
            let classes = (0..101).map(|k| k.to_string()).collect();
            it.target.kind = TargetKind::Classes(Classes { classes, missing: None });
        }),
        (Place::Target, |it| it.target.weights = Some(vec![1.0])),
        (Place::Target, |it| it.target.weights = Some(vec![1.0, 2.0, 3.0])),
        (Place::Target, |it| it.target.weights = Some(vec![1.0, 1.1e6])),
        (Place::Class(1), |it| {
            it.target.kind =
                TargetKind::Classes(Classes { classes: vec!["a".into(), "?".into()], missing: None });
        }),
        (Place::Target, |it| {
            let classes = vec!["a".into(), "b".into()];
            it.target.kind = TargetKind::Classes(Classes { classes, missing: Some("c".into()) });
        }),
    ];
    for (k, (place, edit)) in edits.iter().enumerate() {
        let mut edited = schema();
        edit(&mut edited);
        assert_eq!(edited.fault().map(|fault| fault.place), Some(*place), "{k}");
        assert_eq!(check(edited.clone()).unwrap_err().spec(), "own:schema", "{k}");
        assert_eq!(plain.clone().with_columns(edited).unwrap_err().spec(), "own:schema", "{k}");
    }
    let nothing: [Edit; 2] = [|it| it.features.clear(), |it| levels(it).levels.clear()];
    for edit in nothing {
        let mut edited = schema();
        edit(&mut edited);
        assert!(edited.fault().is_some() && check(edited).is_err());
    }
    let mut many = schema();
    levels(&mut many).levels = (0..=Schema::MOST_LEVELS).map(|k| k.to_string()).collect();
    levels(&mut many).other = None;
    levels(&mut many).missing = None;
    assert_eq!(many.fault().map(|fault| fault.place), Some(Place::Feature(1)));
    levels(&mut many).levels.pop();
    assert_eq!(many.fault(), None);
}

/// Three classes are a schema, and not that of a model of two.
#[test]
fn a_release_has_two_classes() {
    let classes = vec!["a".into(), "b".into(), "c".into()];
    let kind = TargetKind::Classes(Classes { classes, missing: None });
    let three = Schema { target: Target { kind, ..schema().target }, ..schema() };
    assert_eq!((three.fault(), three.target.class_count()), (None, Some(3)));
    let named = of_loss(&Loss::Logistic).with_columns(three.clone());
    assert_eq!(named.unwrap_err().spec(), "own:schema");
    let weighted = Target { weights: Some(vec![1.0, 2.0]), ..three.target.clone() };
    assert!(Schema { target: weighted, ..three }.fault().is_some(), "a weight for each class");
}

/// Classes are for a loss that has classes, a range is for one that has numbers.
#[test]
fn the_target_is_of_the_kind_of_the_loss() {
    let range = TargetKind::Range(TargetRange { range: [0.0, 10.0], missing: None });
    let at_least = TargetKind::Threshold(Threshold { at_least: 6.0, missing: None });
    for (loss, number) in [(Loss::Logistic, false), (Loss::Squared, true), (Loss::Huber { delta: 0.5 }, true)]
    {
        for (kind, is_number) in
            [(range.clone(), true), (at_least.clone(), false), (schema().target.kind, false)]
        {
            let target = Target { kind, ..schema().target };
            let named = of_loss(&loss).with_columns(Schema { target, ..schema() });
            assert_eq!(named.is_ok(), number == is_number, "{loss:?}");
        }
    }
}

/// What becomes of a record cannot be edited unseen, and that it was chosen in public is said to be believed.
#[test]
fn a_schema_is_sealed_and_assumed_public() {
    let plain = of_loss(&Loss::Logistic);
    let release = plain.clone().with_columns(schema()).unwrap();
    let assumed = |release: &Release| {
        release.check().unwrap().assumed.iter().filter(|it| it.spec == "own:schema").count()
    };
    let names = Schema::plain(["a", "b", "c"].map(String::from), "y");
    assert_eq!(assumed(&release), 1);
    assert_eq!((assumed(&plain), assumed(&plain.clone().with_columns(names).unwrap())), (0, 0));
    let edits: [Edit; 11] = [
        |it| number(it).range[1] = 91.0,
        |it| number(it).scale = Scale::Symmetric,
        |it| number(it).log = false,
        |it| number(it).missing = None,
        |it| levels(it).levels.swap(0, 1),
        |it| levels(it).other = None,
        |it| levels(it).missing = None,
        |it| it.marks.push("NA".into()),
        |it| it.ignored.clear(),
        |it| it.target.name.push('s'),
        |it| {
            let classes = vec![">50K".into(), "<=50K".into()];
            it.target.kind = TargetKind::Classes(Classes { classes, missing: None });
        },
    ];
    for (k, edit) in edits.into_iter().enumerate() {
        let mut edited = release.clone();
        edit(edited.columns.as_mut().unwrap());
        assert_eq!(edited.check().unwrap_err().clause(), "nothing was edited (digest)", "{k}");
        edited.seal().check().unwrap();
    }
}

/// For a mutant that survived: `==` for `>` in the limit of parameters. One more than it is too many.
#[test]
fn a_schema_has_a_million_parameters_at_most() {
    let mut wide = schema();
    levels(&mut wide).levels = (0..1_000_001).map(|k| format!("l{k}")).collect();
    assert_eq!(wide.fault().map(|fault| fault.place), Some(Place::Whole));
}

/// Parts of the larger weight, exactly; and what no weights are. For mutants that survived, as the next two.
#[test]
fn weights_are_parts_of_the_larger_one() {
    assert_eq!(relative_weights([1.0, 4.0]), Some([0.25, 1.0]));
    assert_eq!(relative_weights([6.0, 3.0]), Some([1.0, 0.5]));
    assert_eq!(relative_weights([2.0, 2.0]), Some([1.0, 1.0]));
    assert_eq!(relative_weights([1e-6, 1.0]), Some([1e-6, 1.0]));
    assert_eq!(relative_weights([3.0, 3e6]), Some([1e-6, 1.0]));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-6_f64.next_down()] {
        assert_eq!((relative_weights([bad, 1.0]), relative_weights([1.0, bad])), (None, None), "{bad}");
    }
    assert_eq!((relative_weights([f64::NAN, f64::NAN]), relative_weights([0.0, 0.0])), (None, None));
    assert_eq!((relative_weights([1.0, 2e6]), relative_weights([2e6, 1.0])), (None, None));
}

/// Only classes are weighed, and the weights of a schema are those of the loss.
#[test]
fn weights_of_a_schema_are_those_of_the_loss() {
    let weighed = |kind: TargetKind, weights: [f64; 2]| {
        let target = Target { kind, weights: Some(weights.to_vec()), ..schema().target };
        Schema { target, ..schema() }
    };
    let at_least = TargetKind::Threshold(Threshold { at_least: 6.0, missing: None });
    let range = TargetKind::Range(TargetRange { range: [0.0, 10.0], missing: None });
    for classes in [schema().target.kind, at_least] {
        assert_eq!(weighed(classes.clone(), [1.0, 4.0]).fault(), None);
        let place = weighed(classes, [1.0, 0.0]).fault().map(|fault| fault.place);
        assert_eq!(place, Some(Place::Target));
    }
    let place = weighed(range, [1.0, 4.0]).fault().map(|fault| fault.place);
    assert_eq!(place, Some(Place::Target));

    let mut release = of_loss(&Loss::Logistic);
    release.certificate.problem.class_weights = Some([0.25, 1.0]);
    let claim = Claim { spec: "own:class-weights".into(), status: Status::Proved };
    release.certificate.claims.push(claim);
    let release = release.seal();
    let kind = schema().target.kind;
    assert!(release.clone().with_columns(weighed(kind.clone(), [1.0, 4.0])).is_ok());
    assert!(release.with_columns(weighed(kind.clone(), [1.0, 3.0])).is_err());
    // Equal weights are none.
    assert!(of_loss(&Loss::Logistic).with_columns(weighed(kind.clone(), [3.0, 3.0])).is_ok());
    assert!(of_loss(&Loss::Logistic).with_columns(weighed(kind, [3.0, 1.0])).is_err());
}

#[test]
fn the_ends_of_a_range_are_in_it_and_names_are_names() {
    for end in [17.0, 90.0] {
        let mut edge = schema();
        number(&mut edge).missing = Some(end);
        assert_eq!(edge.fault(), None);
    }
    // Names only, and a rule for the target alone or for a column alone.
    let names = Schema::plain(["a".to_owned()], "y");
    let target = Target { kind: schema().target.kind, ..names.target.clone() };
    assert!(names.says_names_only() && !Schema { target, ..names.clone() }.says_names_only());
    let features = schema().features;
    assert!(!Schema { features, ..names }.says_names_only());
}

/// Names of parameters, marks up to the hundredth, and the reason why a text is refused: for mutants that survived.
#[test]
fn parameters_have_names_and_faults_have_reasons() {
    assert_eq!(schema().parameter_names(), ["age", "sex=Male", "sex=Female"]);
    assert!(!schema().has_plain() && Schema::plain(["a".to_owned()], "y").has_plain());
    let marked = |count: usize| Schema { marks: (0..count).map(|k| format!("?{k}")).collect(), ..schema() };
    assert_eq!(marked(100).fault(), None);
    assert_eq!(marked(101).fault().map(|fault| fault.place), Some(Place::Mark(100)));
    let allowed = |name: &str| {
        let mut edited = schema();
        levels(&mut edited).levels = vec!["a-b".into(), name.into()];
        (levels(&mut edited).other, levels(&mut edited).missing) = (None, None);
        edited.fault().map(|fault| fault.allowed)
    };
    assert_eq!(allowed("a-c"), None);
    assert_eq!(allowed("a-b"), Some("each name, level or class once"));
    assert_eq!(allowed("a\u{2010}b"), Some("names, levels and classes that do not look like each other"));
    let names = kinds().iter().map(|kind| release(kind).certificate.mechanism.name()).collect::<Vec<_>>();
    assert!(names.contains(&"posterior") && names.contains(&"output"));
    assert!(names.iter().all(|name| ["posterior", "output"].contains(name)));
}
