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
    let clauses = |verdict: Verdict| verdict.checked.iter().filter(|it| it.spec == "own:schema").count();
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
            let classes = vec!["a".into(), "b".into(), "c".into()];
            it.target.kind = TargetKind::Classes(Classes { classes, missing: None });
        }),
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
