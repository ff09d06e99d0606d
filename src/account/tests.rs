//! The ledger file under everything that can happen to it. A process ends between any two operations on the file
//! system: the test starts itself again, and the child aborts at the k-th place, which leaves what kill −9 leaves.

use super::*;
use crate::privacy::Epsilon;
use std::cell::Cell;
use std::fs::{self, File};
use std::process::{Command, abort, id};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, thread};

thread_local! {
    static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Ends the process if the time has come.
pub(super) fn between() {
    LEFT.with(|left| match left.get() {
        Some(0) => abort(),
        Some(more) => left.set(Some(more - 1)),
        None => {}
    });
}

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("asap-account-{}-{}", id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn declared(&self, total: f64) -> Account {
        Account::declare(&self.path("ledger.json"), &declaration(total)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::Pure(Epsilon::new(epsilon).unwrap())
}

fn gaussian(mu: f64) -> Guarantee {
    Guarantee::Gaussian(Mu::new(mu).unwrap())
}

fn declaration(total: f64) -> Declaration<'static> {
    let neighbours = Neighbours::AddRemove;
    Declaration { total: pure(total), neighbours, unit: Protected::Record, dataset: None }
}

fn fit(epsilon: f64) -> Spending<'static> {
    Spending {
        purpose: Purpose::Fit,
        guarantee: pure(epsilon),
        neighbours: Neighbours::AddRemove,
        rows_per_person: None,
        mechanism: "output",
        dataset: None,
    }
}

fn said<T>(outcome: Result<T, AccountError>) -> String {
    outcome.map(drop).unwrap_err().to_string()
}

/// Three fits of a total for two, each with its marks: `drawn` for the noise, `release` for what leaves.
#[test]
#[ignore = "what a_process_that_ends_anywhere_has_spent_what_it_drew runs, and ends"]
fn child() {
    let folder = PathBuf::from(env::var_os("ASAP_TEST_FOLDER").unwrap());
    LEFT.set(Some(env::var("ASAP_TEST_STEPS").unwrap().parse().unwrap()));
    let account = Account::open(&folder.join("ledger.json")).unwrap();
    let entered = account.enter(&fit(0.5)).unwrap();
    between();
    File::create(folder.join("drawn")).unwrap();
    between();
    File::create(folder.join("release")).unwrap();
    between();
    entered.released("sha256:1").unwrap();
}

/// Seen red: a ledger that is written in its own place instead of beside it.
#[test]
fn a_process_that_ends_anywhere_has_spent_what_it_drew() {
    let (mut ended, mut beside) = (0, false);
    for steps in 0.. {
        let folder = Folder::new();
        folder.declared(1.0);
        let outcome = Command::new(env::current_exe().unwrap())
            .args(["--exact", "account::tests::child", "--ignored"])
            .env("ASAP_TEST_FOLDER", &folder.0)
            .env("ASAP_TEST_STEPS", steps.to_string())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&outcome.stdout);
        assert!(text.contains("running 1 test"), "{text}");
        beside |= folder.path(".ledger.json.tmp").exists();
        let account = Account::open(&folder.path("ledger.json")).unwrap();
        let now = account.list().unwrap();
        // Never less than was drawn, never a release that did not leave.
        assert!(!folder.path("drawn").exists() || now.spent == 0.5, "{steps}");
        assert!(now.released == 0 || folder.path("release").exists(), "{steps}");
        assert!(now.spent == 0.0 || now.spent == 0.5, "{steps}");
        // And it goes on, with what is left and no more.
        account.enter(&fit(1.0 - now.spent)).unwrap().released("sha256:2").unwrap();
        assert!(account.enter(&fit(1e-300)).is_err());
        assert!(!folder.path(".ledger.json.tmp").exists());
        if outcome.status.success() {
            assert_eq!((now.fits, now.released), (1, 1));
            break;
        }
        ended += 1;
        assert!(steps < 100);
    }
    // Two of each lock, six of each replacement, three of the child.
    assert_eq!(ended, 19);
    // In the same folder, where a file can take the place of another one.
    assert!(beside);
}

/// What a stopped process leaves under the temporary name, from nothing to everything, and of whatever kind it is.
#[test]
fn what_somebody_left_behind_is_in_nobodys_way() {
    let folder = Folder::new();
    let account = folder.declared(1.0);
    let text = fs::read_to_string(folder.path("ledger.json")).unwrap();
    for length in (0..text.len()).step_by(40) {
        fs::write(folder.path(".ledger.json.tmp"), &text[..length]).unwrap();
        account.enter(&fit(0.001)).unwrap();
    }
    fs::write(folder.path(&format!(".ledger.json.{}.tmp", id())), "of version 1").unwrap();
    account.enter(&fit(0.001)).unwrap().released("sha256:1").unwrap();
}

/// Seen red: `one_name` that looks at nothing; `note` that does not ask it.
#[cfg(unix)]
#[test]
fn a_ledger_with_two_names_is_refused_before_anything_is_spent() {
    let folder = Folder::new();
    let account = folder.declared(1.0);
    let entered = account.enter(&fit(0.25)).unwrap();
    fs::hard_link(folder.path("ledger.json"), folder.path("other.json")).unwrap();
    for name in ["ledger.json", "other.json"] {
        assert!(said(Account::open(&folder.path(name))).contains("hard link"));
        // One may look.
        assert_eq!(Account::read(&folder.path(name)).unwrap().spent, 0.25);
    }
    assert!(said(account.enter(&fit(0.25))).contains("hard link"));
    let noted = said(entered.released("sha256:1"));
    assert!(noted.contains("budget is spent") && noted.contains("hard link"), "{noted}");
    fs::remove_file(folder.path("other.json")).unwrap();
    entered.released("sha256:1").unwrap();
    assert_eq!(account.list().unwrap().released, 1);
}

#[cfg(unix)]
#[test]
fn symbolic_links_lead_to_one_ledger() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    let account = folder.declared(1.0);
    fs::create_dir(folder.path("sub")).unwrap();
    symlink("../ledger.json", folder.path("sub/link.json")).unwrap();
    symlink("link.json", folder.path("sub/again.json")).unwrap();
    let linked = Account::open(&folder.path("sub/again.json")).unwrap();
    linked.enter(&fit(0.75)).unwrap();
    assert!(account.enter(&fit(0.5)).is_err());
    assert!(folder.path("sub/again.json").is_symlink() && folder.path("sub/link.json").is_symlink());
    assert_eq!(account.list().unwrap(), linked.list().unwrap());
    // A link to nowhere is no place for a new one.
    symlink("nowhere.json", folder.path("broken.json")).unwrap();
    assert!(said(Account::declare(&folder.path("broken.json"), &declaration(1.0))).contains("exists"));
}

/// Seen red: `lock` that does not lock.
#[test]
fn entries_at_the_same_time_are_all_there() {
    let folder = Folder::new();
    folder.declared(1.0);
    let path = folder.path("ledger.json");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let account = Account::open(&path).unwrap();
                for _ in 0..50 {
                    account.enter(&fit(0.001)).unwrap();
                }
            });
        }
    });
    assert_eq!(Account::read(&path).unwrap().fits, 400);
}

/// Seen red: `same_dataset` that compares nothing; that takes no name for the right one; a name that an entry gives and
/// the next one does not see.
#[test]
fn another_data_set_is_refused() {
    for declared in [Some("patients"), None] {
        let folder = Folder::new();
        let declaration = Declaration { dataset: declared, ..declaration(1.0) };
        let account = Account::declare(&folder.path("ledger.json"), &declaration).unwrap();
        let of = |dataset| Spending { dataset, ..fit(0.25) };
        assert_eq!(account.enter(&of(None)).is_ok(), declared.is_none());
        account.enter(&of(Some("patients"))).unwrap();
        let refused = said(account.enter(&of(Some("patients 2"))));
        assert!(refused.contains("\"patients\"") && refused.contains("\"patients 2\""), "{refused}");
        assert!(said(account.enter(&of(None))).contains("--dataset"));
        let now = account.list().unwrap();
        assert_eq!(now.dataset.as_deref(), Some("patients"));
        assert_eq!(now.spent, if declared.is_some() { 0.25 } else { 0.5 });
        for bad in ["", "  ", "a\nb", &"x".repeat(201)] {
            assert!(said(account.enter(&of(Some(bad)))).contains("--dataset must be"));
        }
        let nameless = Spending { dataset: Some("patients"), mechanism: " ", ..fit(0.25) };
        assert!(said(account.enter(&nameless)).contains("no name"));
        let longest = "x".repeat(200);
        let named = Declaration { dataset: Some(&longest), ..declaration };
        let account = Account::declare(&folder.path("long.json"), &named).unwrap();
        account.enter(&Spending { dataset: Some(&longest), ..fit(0.25) }).unwrap();
    }
}

/// Each fault alone, in a file that has no other. The last ones have none.
#[test]
fn a_file_that_is_no_ledger_is_not_read() {
    let folder = Folder::new();
    let started = |number: u64, more: &str| {
        format!(r#"{{ "started": {{ "fit": {number}, "spent": {{ "pure": 0.5 }}, "at": 1{more} }} }}"#)
    };
    let released = |number: u64| format!(r#"{{ "released": {{ "fit": {number}, "digest": "ab" }} }}"#);
    let ledger = |version: u64, total: f64, events: &[String]| {
        let events = events.join(", ");
        format!(
            r#"{{ "asap_ledger": {version}, "total": {{ "pure": {total:?} }}, "neighbours": "add-remove", "events": [{events}] }}"#
        )
    };
    let of = |events: &[String]| ledger(2, 1.0, events);
    let (first, second) = (started(1, ""), started(2, ""));
    let named = |name: &str| format!(r#", "dataset": "{name}""#);
    for (text, fault) in [
        (String::new(), "not JSON at line 1, column 0"),
        ("[]".to_owned(), "of the wrong kind at line 1"),
        (ledger(0, 1.0, &[]), "its version is not one from 1 to 2"),
        (ledger(3, 1.0, &[]), "its version is not one from 1 to 2"),
        (ledger(2, 0.0, &[]), "its total is not a valid budget"),
        (of(std::slice::from_ref(&first)).replace("0.5", "-0.5"), "one of its budgets is not valid"),
        (of(std::slice::from_ref(&second)), "not numbered 1, 2, 3"),
        (of(&[first.clone(), first.clone()]), "not numbered 1, 2, 3"),
        (of(&[released(1), first.clone()]), "released before it began"),
        (of(&[first.clone(), released(1), released(1)]), "released before it began"),
        (of(&[started(1, r#", "rows_per_person": 3"#)]), "not for whom"),
        (of(&[started(1, r#", "mechanism": " ""#)]), "one of its names is empty or too long"),
        (of(&[started(1, &named("a")), started(2, &named("b"))]), "several data sets"),
        (of(&[first.clone(), second.clone(), released(2), released(1)]), ""),
        (of(&[started(1, &named("a")), second, started(3, &named("a"))]), ""),
    ] {
        fs::write(folder.path("ledger.json"), &text).unwrap();
        let outcome = Account::open(&folder.path("ledger.json"));
        if fault.is_empty() {
            outcome.unwrap();
        } else {
            let said = said(outcome);
            assert!(said.contains("not a ledger of fits") && said.contains(fault), "{text}: {said}");
        }
    }
}

#[test]
fn purposes_have_names_and_answers_mechanisms() {
    use Purpose::{Count, Fit, Quantile, Score};
    assert_eq!([Fit, Quantile, Score, Count].map(Purpose::name), ["fit", "quantile", "score", "count"]);
    for purpose in [Score, Count] {
        assert_eq!(purpose.answering(pure(1.0)), "discrete-laplace");
        assert_eq!(purpose.answering(gaussian(1.0)), "rounded-normal");
    }
    assert_eq!([pure(1.0), gaussian(1.0)].map(|it| Quantile.answering(it)), ["exponential"; 2]);
}

/// Seen red: either arm of the comparison of units left out.
#[test]
fn budgets_of_persons_and_of_records_do_not_add_up() {
    let rows = |k| Spending { rows_per_person: NonZeroU64::new(k), ..fit(0.25) };
    let folder = Folder::new();
    let account = folder.declared(1.0);
    assert!(said(account.enter(&rows(3))).contains("declared for records"));
    let persons = Declaration { unit: Protected::Person, ..declaration(1.0) };
    let account = Account::declare(&folder.path("persons.json"), &persons).unwrap();
    assert!(said(account.enter(&fit(0.25))).contains("declared for persons"));
    account.enter(&rows(3)).unwrap();
    account.enter(&rows(5)).unwrap();
    let entries = account.list().unwrap().entries;
    assert_eq!(entries.iter().map(|it| it.rows_per_person.unwrap().get()).collect::<Vec<_>>(), [3, 5]);
    let text = fs::read_to_string(folder.path("persons.json")).unwrap();
    fs::write(folder.path("persons.json"), text.replace("\"person\"", "\"record\"")).unwrap();
    assert!(said(account.enter(&rows(3))).contains("not for whom"));
    // A relation that the ledger was not declared for, as well.
    let other = Spending { neighbours: Neighbours::ReplaceOne, ..fit(0.25) };
    assert!(said(folder_account(&folder).enter(&other)).contains("--neighbours"));
}

fn folder_account(folder: &Folder) -> Account {
    Account::open(&folder.path("ledger.json")).unwrap()
}

/// By hand: 0.1 and 0.2 as f64 are 3602879701896397·2^−55 and 3602879701896397·2^−54, together 10808639105689191·2^−55.
/// Seen red: sums of f64.
#[test]
fn the_sum_is_exact_and_shown_with_all_digits() {
    let folder = Folder::new();
    let account = folder.declared(0.3);
    account.enter(&fit(0.1)).unwrap();
    // The f64 0.3 is below 0.1 + 0.2.
    assert!(said(account.enter(&fit(0.2))).contains("nothing was drawn"));
    let account = Account::declare(&folder.path("more.json"), &declaration(0.5)).unwrap();
    account.enter(&fit(0.1)).unwrap();
    account.enter(&fit(0.2)).unwrap();
    let now = account.list().unwrap();
    assert_eq!(now.exactly.spent, "0.3000000000000000166533453693773481063544750213623046875");
    assert_eq!((now.exactly.of, now.exactly.total.as_str()), ("epsilon", "0.5"));
    assert_eq!(now.spent, 0.300_000_000_000_000_04);
    // ½ less that is 14411518807585586·2^−56, a number of 53 binary digits.
    assert_eq!(now.left, 14_411_518_807_585_586.0 / 2.0_f64.powi(56));
    account.enter(&fit(now.left)).unwrap();
    assert!(account.enter(&fit(f64::from_bits(1))).is_err());
    let after = account.list().unwrap();
    assert_eq!((after.spent, after.left, after.exactly.spent.as_str()), (0.5, 0.0, "0.5"));
}

#[test]
fn squares_add_up_under_a_total_mu() {
    let folder = Folder::new();
    let total = Declaration { total: gaussian(13.0), ..declaration(1.0) };
    let account = Account::declare(&folder.path("ledger.json"), &total).unwrap();
    for mu in [3.0, 4.0] {
        account.enter(&Spending { guarantee: gaussian(mu), ..fit(1.0) }).unwrap();
    }
    let now = account.list().unwrap();
    assert_eq!((now.spent, now.left), (5.0, 12.0));
    let exactly = Exactly { of: "mu squared", spent: "25".to_owned(), total: "169".to_owned() };
    assert_eq!(now.exactly, exactly);
    // ε = 1 is μ = 1.2320353853449009…
    account.enter(&fit(1.0)).unwrap();
    let entry = account.list().unwrap().entries.pop().unwrap();
    assert!(entry.guarantee == pure(1.0) && (entry.counts - 1.232_035_385_344_9).abs() < 1e-9);
    assert!(account.enter(&Spending { guarantee: gaussian(12.0), ..fit(1.0) }).is_err());
    assert!(said(account.enter(&fit(80.0))).contains("not converted"));
    let pure_total = folder.path("pure.json");
    let account = Account::declare(&pure_total, &declaration(1e300)).unwrap();
    let refused = said(account.enter(&Spending { guarantee: gaussian(1e-9), ..fit(1.0) }));
    assert!(refused.contains("declare a total μ"), "{refused}");
}

/// A file of version 1, as it was written; the next entry keeps all that it says.
#[test]
fn files_of_version_1_are_read_and_go_on() {
    let folder = Folder::new();
    let old = r#"{
  "asap_ledger": 1,
  "total": { "pure": 2.0 },
  "neighbours": "add-remove",
  "events": [
    { "started": { "fit": 1, "spent": { "pure": 0.5 }, "at": 1763420724 } },
    { "released": { "fit": 1, "digest": "sha256:ab" } },
    { "started": { "fit": 2, "spent": { "pure": 0.25 }, "at": 1763420725 } }
  ]
}
"#;
    fs::write(folder.path("ledger.json"), old).unwrap();
    let account = folder_account(&folder);
    let before = account.list().unwrap();
    assert_eq!((before.spent, before.left, before.fits, before.released), (0.75, 1.25, 2, 1));
    assert_eq!(
        (before.not_released, Account::read(&folder.path("ledger.json")).unwrap()),
        (1, before.clone())
    );
    let [first, second] = before.entries.as_slice() else { panic!("{before:?}") };
    assert_eq!((first.time.as_str(), first.purpose), ("2025-11-17T23:05:24Z", None));
    assert_eq!((first.digest.as_deref(), first.status), (Some("sha256:ab"), "released"));
    assert_eq!((second.digest.as_deref(), second.status), (None, "spent, nothing released"));
    account.enter(&Spending { purpose: Purpose::Count, ..fit(0.25) }).unwrap();
    let after = account.list().unwrap();
    assert_eq!(after.entries[..2], before.entries);
    assert_eq!(after.entries[2].purpose, Some(Purpose::Count));
    assert!(fs::read_to_string(folder.path("ledger.json")).unwrap().contains("\"asap_ledger\": 2"));
    assert!(account.has_released("sha256:ab").unwrap() && !account.has_released("sha256:a").unwrap());
}

/// 1 − 2^−60 is no f64: the nearest is 1, and what is left is the one below it.
#[test]
fn what_is_left_is_rounded_down() {
    let folder = Folder::new();
    let account = folder.declared(1.0);
    account.enter(&fit(2.0_f64.powi(-60))).unwrap();
    assert_eq!(account.list().unwrap().left, 1.0 - 2.0_f64.powi(-53));
    account.enter(&fit(1.0 - 2.0_f64.powi(-53))).unwrap();
    assert!(account.enter(&fit(2.0_f64.powi(-53))).is_err());
}
