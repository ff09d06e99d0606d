use crate::{Folder, LOGISTIC, fails, json, succeeds};

#[test]
fn a_plan_has_every_key() {
    let folder = Folder::new();
    let gaussian =
        "--loss squared --target-bound 1 --parameter-bound 1 --mu 1 --regulariser 20 --feature-bound 1";
    for (problem, norm) in [(LOGISTIC, 1), (gaussian, 2)] {
        let plan = json(&succeeds(&folder, &format!("plan {problem} --rows 500 --dim 3 --json")));
        let positive = [
            "/gamma",
            "/radius",
            "/delta",
            "/ln_inv_xi",
            "/osc",
            "/mala/h",
            "/mala/t",
            "/mala/k",
            "/mala/tau_max",
            "/mala/q",
            "/proximal/eta",
            "/proximal/k",
            "/scales/localise",
            "/scales/asap",
            "/lattice/step",
            "/budget/localise",
            "/budget/posterior",
            "/budget/asap",
            "/strong_convexity",
            "/smoothness",
            "/mala/expected_passes",
            "/proximal/expected_passes",
            "/excess_risk/release",
            "/excess_risk/output_perturbation",
        ];
        for key in positive {
            assert!(plan.pointer(key).unwrap().as_f64().unwrap() > 0.0, "{key}");
        }
        let number = |key: &str| plan.pointer(key).unwrap().as_f64().unwrap();
        assert_eq!((&plan["norm"], &plan["certified"]), (&norm.into(), &true.into()));
        // m = γΛ, L = γ(Λ + Nβ), β = ¼ or 1.
        let beta = if norm == 1 { 0.25 } else { 1.0 };
        let gamma = number("/gamma");
        assert!((number("/strong_convexity") / (gamma * 20.0) - 1.0).abs() < 1e-6);
        assert!((number("/smoothness") / (gamma * (20.0 + 500.0 * beta)) - 1.0).abs() < 1e-6);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_plan_for_people_names_everything() {
    let folder = Folder::new();
    let said = succeeds(&folder, &format!("plan {LOGISTIC} --rows 5000 --dim 3"));
    for word in ["γ", "B ", "Δ", "ln 1/ξ", "τ_max", "η", "proximal", "MALA", "passes", "no data was read"]
    {
        assert!(said.contains(word), "{word} in\n{said}");
    }
}

#[test]
fn a_plan_says_when_output_perturbation_is_better() {
    let folder = Folder::new();
    let plan =
        |rows: u32, flags: &str| succeeds(&folder, &format!("plan {LOGISTIC} --dim 5 --rows {rows} {flags}"));
    assert!(plan(20, "").contains("predicted to be BETTER"));
    assert_eq!(json(&plan(20, "--json"))["output_perturbation_better"], true);
    assert!(plan(1_000_000, "").contains("better than output perturbation"));
    assert_eq!(json(&plan(1_000_000, "--json"))["output_perturbation_better"], false);
}

/// What a plan says is what a fit certifies, for the same public numbers and the same norm of θ_0.
#[test]
fn a_plan_is_what_a_fit_does() {
    let folder = Folder::new();
    folder.data();
    let fit = format!("fit data.csv --target ill --features age,dose --expected-rows 60 {LOGISTIC}");
    succeeds(&folder, &fit);
    let release = json(&std::fs::read_to_string(folder.path("release.json")).unwrap());
    // The logistic loss has one Lipschitz constant, wherever θ_0 lies.
    let plan = json(&succeeds(&folder, &format!("plan {LOGISTIC} --rows 60 --dim 2 --json")));
    for (planned, certified) in [
        ("/gamma", "/certificate/reference/gamma"),
        ("/radius", "/certificate/reference/radius"),
        ("/delta", "/certificate/asap/error"),
        ("/budget/localise", "/certificate/shares/localise/pure"),
        ("/budget/asap", "/certificate/shares/asap/pure"),
    ] {
        assert_eq!(plan.pointer(planned).unwrap(), release.pointer(certified).unwrap(), "{planned}");
    }
}

#[test]
fn asymptotic_constants_are_not_certified() {
    let folder = Folder::new();
    let flags = "--rows 500 --dim 3 --calibration paper --sampler mala";
    let plan = json(&succeeds(&folder, &format!("plan {LOGISTIC} {flags} --json")));
    assert_eq!(plan["certified"], false);
    assert!(plan["mala"]["t"].is_null() && plan["mala"]["k"].is_u64());
    assert!(succeeds(&folder, &format!("plan {LOGISTIC} {flags}")).contains("not certified"));
    assert!(fails(&folder, 2, &format!("plan {LOGISTIC} --rows 500 --dim 0")).contains("--dim"));
    let said = fails(&folder, 2, &format!("plan {LOGISTIC} --rows 500 --dim 3 --max-rows 100"));
    assert!(said.contains("--rows") && said.contains("--max-rows"), "{said}");
}
