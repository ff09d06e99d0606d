//! The table of results agrees with the sources, and the checker sees every way in which it may not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "traceability/bridge.rs"]
mod bridge;
#[path = "traceability/copy.rs"]
mod copy;
#[path = "traceability/reach.rs"]
mod reach;
#[path = "../../cli/tests/cli/user.rs"]
mod user;

use asap_contracts::{Certificate, Numerics};
use asap_dp::calibrate::Paper;
use asap_dp::mechanism::Calibration;
use asap_dp::{
    Bounds, Learner, Logistic, MechanismKind, OutOfBounds, Records, Release, ReplayRng, SamplerKind,
};
use asap_xtask::trace::{Kind, Status, Trace, TraceError, labels_of_latex};
use copy::Copy;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;

/// The root of the repository: this package lies right below it.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Parsed once for all tests.
static ORIGINAL: LazyLock<Trace> = LazyLock::new(|| load(root()).unwrap());

/// What a thread that loads is asked: where, and where the answer goes.
type Question = (PathBuf, Sender<Result<Trace, TraceError>>);

/// [`Trace::load`] on threads that outlive the tests: each remembers what it has parsed, and a copy differs from the
/// original in a file or two.
fn load(root: &Path) -> Result<Trace, TraceError> {
    static LOADERS: LazyLock<Sender<Question>> = LazyLock::new(|| {
        let (ask, asked) = channel::<Question>();
        let asked = Arc::new(Mutex::new(asked));
        for asked in [Arc::clone(&asked), asked] {
            thread::spawn(move || {
                loop {
                    let (root, to) = asked.lock().unwrap().recv().unwrap();
                    drop(to.send(Trace::load(&root)));
                }
            });
        }
        ask
    });
    let (to, answer) = channel();
    LOADERS.send((root.to_owned(), to)).unwrap();
    answer.recv().unwrap()
}

#[test]
fn the_table_agrees_with_the_sources() {
    let problems: Vec<_> = ORIGINAL.problems().iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// `cargo xtask pages` writes them.
#[test]
fn the_generated_pages_are_fresh() {
    for page in asap_xtask::pages::fresh(root()).unwrap() {
        let there = fs::read_to_string(root().join(&page.path)).unwrap();
        assert!(there == page.text, "{} is stale: run cargo xtask pages", page.path);
    }
}

/// The paper's text is not part of the repository: give its path in `ASAP_PAPER`, and the list is compared with it.
#[test]
fn the_labels_are_those_of_the_paper() {
    let Some(paper) = std::env::var_os("ASAP_PAPER") else { return };
    let latex = fs::read_to_string(paper).unwrap();
    let list = fs::read_to_string(root().join("spec/labels.txt")).unwrap();
    let listed = list.lines().filter(|line| !line.starts_with('#') && !line.ends_with("(ours)"));
    assert_eq!(labels_of_latex(&latex), listed.collect::<Vec<_>>());
}

/// A certificate must not claim more than the table.
#[test]
fn certificates_claim_what_the_table_says() {
    let trace = &*ORIGINAL;
    let assumptions = fs::read_to_string(root().join("spec/assumptions.md")).unwrap();
    let features = vec![0.3, -0.2, 0.1, 0.7, -0.5, 0.2];
    let records =
        Records::new(Logistic, Bounds::new(1.0).unwrap(), OutOfBounds::Clip, features, vec![1.0, 0.0, 1.0]);
    let records = records.unwrap();
    let learner = Learner::new(5.0).mechanism(MechanismKind::Posterior).expected_rows(10);
    let mala = learner.sampler(SamplerKind::Mala).calibration(Calibration::Paper(Paper::default()));
    let mut releases: Vec<Release> = [
        learner.epsilon(1.0).unwrap(),
        learner.mu(1.0).unwrap(),
        learner.sampler(SamplerKind::Proximal).mu(1.0).unwrap(),
        learner.mechanism(MechanismKind::Output).epsilon(1.0).unwrap(),
        learner.mechanism(MechanismKind::Output).mu(1.0).unwrap(),
        learner.mechanism(MechanismKind::Objective).epsilon(1.0).unwrap(),
        learner.mechanism(MechanismKind::Objective).mu(1.0).unwrap(),
        learner.mechanism(MechanismKind::NoisyGradient).epsilon(1.0).unwrap(),
        learner.mechanism(MechanismKind::NoisyGradient).mu(1.0).unwrap(),
        mala.mu(1.0).unwrap(),
        mala.epsilon(1.0).unwrap(),
    ]
    .map(|learner| learner.fit(&records, &mut ReplayRng::new(1)).unwrap())
    .into();
    // A certified chain of constrained MALA, short enough, and a loss that is not built in.
    let bounds = Bounds::new(0.1).unwrap().with_max_rows(100).unwrap();
    let few = Records::new(Logistic, bounds, OutOfBounds::Clip, vec![0.1], vec![1.0]).unwrap();
    for certified in [Learner::new(500.0).mu(1.0).unwrap(), Learner::new(500.0).epsilon(2.0).unwrap()] {
        let certified =
            certified.mechanism(MechanismKind::Posterior).sampler(SamplerKind::Mala).expected_rows(10);
        releases.push(certified.fit(&few, &mut ReplayRng::new(1)).unwrap());
    }
    releases.push(user::release());
    for release in &releases {
        claims_agree(release.certificate(), trace, &assumptions);
    }
    // Of a user's loss, and of nothing else, less is claimed than the table has.
    let (user, others) = releases.split_last().unwrap();
    let about_the_loss = |release: &Release| {
        let claims = release.certificate().claims.iter();
        claims
            .filter(|it| {
                it.status == asap_contracts::Status::Assumed && OF_THE_LOSS.contains(&it.spec.as_str())
            })
            .count()
    };
    assert_eq!(about_the_loss(user), OF_THE_LOSS.len());
    assert!(others.iter().all(|release| about_the_loss(release) == 0));
}

/// The claims that are the author's word for a loss that is not built in.
const OF_THE_LOSS: [&str; 2] = ["own:losses", "own:objective"];

fn claims_agree(certificate: &Certificate, trace: &Trace, assumptions: &str) {
    let user = matches!(certificate.problem.loss, asap_contracts::Loss::User { .. });
    for claim in &certificate.claims {
        if claim.spec.starts_with("assumptions:") {
            assert!(assumptions.contains(&format!("`{}`", claim.spec)), "{}", claim.spec);
            assert_eq!(claim.status, asap_contracts::Status::Assumed, "{}", claim.spec);
            continue;
        }
        let entry = trace.entries().iter().find(|entry| entry.id == claim.spec);
        let status = entry.unwrap_or_else(|| panic!("{} is not in the table", claim.spec)).status;
        let assumed = claim.status == asap_contracts::Status::Assumed;
        // The paper's lengths are assumed where the table proves other lengths.
        let asymptotic = certificate.numerics == Numerics::AsymptoticConstants;
        let less = assumed
            && (asymptotic && claim.spec == "own:conductance"
                || user && OF_THE_LOSS.contains(&claim.spec.as_str()));
        let claimed = serde_json::to_value(claim.status).unwrap();
        // A certificate calls proved what the table calls proved by whatever means.
        let said = if status == Status::Mechanised { Status::Proved } else { status };
        assert!(less || claimed == said.to_string().as_str(), "{}: {claimed}", claim.spec);
    }
}

#[test]
fn reports_name_everything() {
    let trace = &*ORIGINAL;
    let (text, html) = (trace.to_text(), trace.to_html("../"));
    let json: serde_json::Value = serde_json::from_str(&trace.to_json().unwrap()).unwrap();
    for (k, entry) in trace.entries().iter().enumerate() {
        assert!(text.contains(&entry.id));
        assert_eq!(json["items"][k]["id"], entry.id.as_str());
        assert!(html.contains(&format!("<tr id=\"{}\"", entry.id)));
        let details = trace.details(&entry.id).unwrap();
        for test in &entry.tests {
            assert!(details.contains(test));
        }
    }
    assert!(trace.missing().contains("lem:equiv_W_infty: no code"));
    assert!(!trace.missing().contains("def:tightness"));
    assert!(trace.details("no:such").is_none());
    assert!(html.contains("href=\"../src/privacy.rs#L"));
    assert!(!html.contains("http://") && !html.contains("https://"), "self-contained");
    // For a look at it in a browser.
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("trace.html"), html).unwrap();
}

const TABLE: &str = "spec/trace.toml";

#[test]
fn an_unbroken_copy_has_the_problems_of_the_original() {
    Copy::new("unbroken").is_like_the_original();
}

#[test]
fn a_code_path_that_does_not_exist_is_named() {
    let copy = Copy::new("code");
    copy.edit(TABLE, "\"asap::Asap\"", "\"asap::Asapp\", \"asap::Asap\"");
    copy.has(Kind::MissingCode, "asap::Asapp");
}

#[test]
fn a_method_that_does_not_exist_is_named() {
    let copy = Copy::new("method");
    copy.edit(TABLE, "\"asap::Asap\"", "\"asap::Asap\", \"asap::Asap::imagined\"");
    copy.has(Kind::MissingCode, "asap::Asap::imagined");
}

#[test]
fn a_comment_is_no_code() {
    let copy = Copy::new("comment");
    copy.append("src/asap.rs", "\n// pub fn imagined() {}\n");
    copy.edit(TABLE, "\"asap::Asap\"", "\"asap::Asap\", \"asap::imagined\"");
    copy.has(Kind::MissingCode, "asap::imagined");
}

#[test]
fn an_item_without_its_id_is_named() {
    let copy = Copy::new("unmarked");
    copy.edit(TABLE, "\"asap::Asap\"", "\"asap::Asap\", \"asap::Asap::noise\"");
    copy.has(Kind::UnmarkedCode, "asap::Asap::noise");
}

#[test]
fn an_item_that_the_table_does_not_list_is_named() {
    let copy = Copy::new("unlisted");
    copy.append("src/asap.rs", "\n/// Extra. spec: `own:lattice`\npub fn extra() {}\n");
    copy.has(Kind::UnlistedCode, "asap::extra");
}

#[test]
fn an_id_that_the_table_does_not_have_is_named() {
    let copy = Copy::new("unknown-id");
    copy.append("src/asap.rs", "\n/// Extra. spec: `own:imagined`\npub fn extra() {}\n");
    copy.has(Kind::UnknownId, "own:imagined");
}

#[test]
fn a_test_that_does_not_exist_is_named() {
    let copy = Copy::new("test");
    copy.edit("src/calibrate/tight.rs", "fn error_costs_one_percent", "fn error_costs_two_percent");
    copy.has(Kind::MissingTest, "calibrate::tight::tests::error_costs_one_percent");
}

#[test]
fn a_test_that_does_not_run_is_named() {
    let copy = Copy::new("attribute");
    let (attribute, name) = ("    #[test]\n", "    fn error_costs_one_percent");
    copy.edit("src/calibrate/tight.rs", &format!("{attribute}{name}"), name);
    copy.has(Kind::MissingTest, "calibrate::tight::tests::error_costs_one_percent");
}

/// Items, tests and ids of the members count like those of the root package, under the name of their crate.
#[test]
fn members_of_the_workspace_are_read() {
    let copy = Copy::new("members");
    let in_table = |entry: &str| format!("\"asap::Asap\", {entry}");
    copy.edit(TABLE, "\"asap::Asap\"", &in_table("\"asap_contracts::imagined\""));
    copy.has(Kind::MissingCode, "asap_contracts::imagined");
    copy.edit(TABLE, "asap_contracts::imagined", "asap_contracts::Release");
    copy.has(Kind::UnmarkedCode, "asap_contracts::Release (contracts/src/release.rs:");
    copy.edit(TABLE, "asap_contracts::Release", "asap_xtask::trace::Trace::load");
    copy.has(Kind::UnmarkedCode, "asap_xtask::trace::Trace::load (xtask/src/trace/mod.rs:");
    let copy = Copy::new("members-ids");
    copy.append("contracts/src/release.rs", "\n/// Extra. spec: `own:imagined`\npub fn extra() {}\n");
    copy.has(Kind::UnknownId, "asap_contracts::release::extra (contracts/src/release.rs:");
    let copy = Copy::new("members-binary");
    copy.append("cli/src/terminal.rs", "\n/// Extra. spec: `own:imagined`\nfn extra() {}\n");
    copy.has(Kind::UnknownId, "asap_cli::terminal::extra (cli/src/terminal.rs:");
    let copy = Copy::new("members-tests");
    let test = |name: &str| format!("\ntests = [\"{name}\", ");
    copy.edit(TABLE, "\ntests = [", &test("xtask/tests/traceability.rs::imagined"));
    copy.has(Kind::MissingTest, "xtask/tests/traceability.rs::imagined");
    copy.edit(TABLE, "xtask/tests/traceability.rs::imagined", "cli/tests/cli.rs::demo::imagined");
    copy.has(Kind::MissingTest, "cli/tests/cli.rs::demo::imagined");
    let there = "asap_xtask::trace::pages::tests::title_and_status_of_a_page";
    copy.edit(TABLE, "cli/tests/cli.rs::demo::imagined", there);
    copy.is_like_the_original();
    copy.edit(TABLE, there, "cli/tests/cli.rs::demo::demo_needs_nothing_and_shows_the_whole_way");
    copy.is_like_the_original();
}

/// A re-export from another crate of the workspace is the item of that crate.
#[test]
fn a_path_leads_through_the_crates() {
    let copy = Copy::new("crates");
    copy.append("src/asap.rs", "\npub use asap_contracts::Release as Elsewhere;\n");
    copy.edit(TABLE, "\"asap::Asap\"", "\"asap::Asap\", \"asap::Elsewhere\"");
    copy.has(Kind::UnmarkedCode, "contracts/src/release.rs:");
    let copy = Copy::new("own-crate");
    copy.append("contracts/src/release.rs", "\npub use crate::verdict::Findings as Judged;\n");
    copy.edit(TABLE, "\"asap::Asap\"", "\"asap::Asap\", \"asap_contracts::release::Judged\"");
    copy.has(Kind::UnmarkedCode, "contracts/src/verdict.rs:");
    let copy = Copy::new("no-manifest");
    copy.remove("contracts/Cargo.toml");
    let Err(TraceError::Unreadable { path, .. }) = copy.load() else { panic!("it was read") };
    assert_eq!(path, "contracts/Cargo.toml");
}

#[test]
fn a_harness_that_does_not_exist_is_named() {
    let copy = Copy::new("harness");
    copy.edit(TABLE, "\nharnesses = [", "\nharnesses = [\"verify_imagined\", ");
    copy.has(Kind::MissingHarness, "verify_imagined");
}

#[test]
fn a_harness_that_no_id_claims_is_named() {
    let copy = Copy::new("unclaimed-harness");
    copy.append(
        "proofs/extra.rs",
        "harness! {\n/// spec: `own:lattice`\n/// covers: noise::Lattice — all inputs\n[kani::proof]\nfn verify_extra__x(a: u8) {}\n}\n",
    );
    copy.has(Kind::UnclaimedHarness, "verify_extra__x");
}

#[test]
fn a_harness_without_its_id_is_named() {
    let copy = Copy::new("unmarked-harness");
    copy.append("proofs/extra.rs", "/// covers: noise::Lattice — all inputs\nfn verify_extra__x() {}\n");
    copy.edit(TABLE, "\nharnesses = [", "\nharnesses = [\"verify_extra__x\", ");
    copy.has(Kind::UnmarkedHarness, "verify_extra__x");
}

#[test]
fn a_public_calibration_item_that_no_id_claims_is_named() {
    let copy = Copy::new("calibration");
    copy.append("src/calibrate/scale.rs", "\n/// Extra.\npub fn extra() {}\n");
    copy.append("src/calibrate/mod.rs", "\npub use scale::extra;\n");
    copy.has(Kind::UnclaimedCalibration, "calibrate::extra");
}

#[test]
fn a_page_that_is_missing_is_named() {
    let copy = Copy::new("page");
    copy.remove("spec/own-tight.md");
    copy.has(Kind::MissingPage, "spec/own-tight.md");
}

#[test]
fn a_page_that_belongs_to_nothing_is_named() {
    let copy = Copy::new("stray-page");
    copy.append("spec/own-stray.md", "# own:stray — x\n\nstatus: tested\n");
    copy.has(Kind::UnclaimedPage, "spec/own-stray.md");
}

#[test]
fn a_page_that_speaks_of_nothing_is_named() {
    let copy = Copy::new("prose");
    copy.append("spec/errata.md", "\nTest: `tests/errata.rs::a_test_that_nobody_wrote`.\n");
    copy.has(Kind::StaleProse, "a_test_that_nobody_wrote");
}

#[test]
fn a_page_without_status_is_named() {
    let copy = Copy::new("status");
    copy.edit("spec/own-tight.md", "status:", "state:");
    copy.has(Kind::PageWithoutStatus, "spec/own-tight.md");
}

#[test]
fn a_page_with_another_status_is_named() {
    let copy = Copy::new("other-status");
    copy.edit("spec/own-tight.md", "status: tested", "status: proved");
    copy.has(Kind::StatusDisagrees, "own:tight");
}

#[test]
fn a_page_with_another_title_is_named() {
    let copy = Copy::new("title");
    copy.edit("spec/own-tight.md", "# own:tight", "# own:tigth");
    copy.has(Kind::TitleWithoutId, "own:tight");
}

#[test]
fn a_label_without_an_entry_is_named() {
    let copy = Copy::new("label");
    copy.append("spec/labels.txt", "lem:forgotten\n");
    copy.has(Kind::MissingLabel, "lem:forgotten");
}

#[test]
fn an_entry_without_a_label_is_named() {
    let copy = Copy::new("no-label");
    copy.edit("spec/labels.txt", "def:tightness\n", "");
    copy.has(Kind::UnknownLabel, "def:tightness");
}

#[test]
fn an_entry_that_claims_more_than_it_names_is_named() {
    let copy = Copy::new("hollow");
    copy.edit(
        TABLE,
        "id = \"def:tightness\"\nstatus = \"not-applicable\"\nreason",
        "id = \"def:tightness\"\nstatus = \"not-applicable\"\nproof = []\n#",
    );
    copy.has(Kind::HollowEntry, "def:tightness");
}

#[test]
fn two_entries_of_one_id_are_named() {
    let copy = Copy::new("twice");
    copy.append(TABLE, "\n[[item]]\nid = \"def:tightness\"\nstatus = \"not-applicable\"\nreason = \"x\"\n");
    copy.has(Kind::DuplicateEntry, "def:tightness");
}

#[test]
fn what_does_not_parse_is_named() {
    let copy = Copy::new("syntax");
    copy.append("src/asap.rs", "\nfn (\n");
    let Err(TraceError::Malformed { path, .. }) = copy.load() else { panic!("it parsed") };
    assert!(path.starts_with("src/asap.rs:"));
    let copy = Copy::new("table-syntax");
    copy.append(TABLE, "\n[[item]]\nid = \"x\"\nstatus = \"certain\"\n");
    let Err(TraceError::Malformed { path, reason }) = copy.load() else { panic!("it parsed") };
    assert!(path == TABLE && reason.contains("certain"), "{path}: {reason}");
}
