//! The table of all statistical tests.

use crate::reference::LEVEL;
use std::fmt::Write;

/// One test.
pub(crate) struct Entry {
    pub(crate) file: &'static str,
    pub(crate) test: &'static str,
    /// The null hypothesis.
    pub(crate) hypothesis: &'static str,
    /// Draws (runs, chains) per statistic.
    pub(crate) n: &'static str,
    /// Statistics that must accept.
    pub(crate) statistics: u32,
    /// False-alarm probability of one of them.
    pub(crate) level: f64,
    /// Faults that the same test is shown to reject.
    pub(crate) rejects: &'static [&'static str],
    /// On two cores, release.
    pub(crate) seconds: f64,
}

/// The χ² tests of the noise have the level of the others.
const NOISE: f64 = LEVEL;
/// One audit.
const AUDIT: f64 = 1e-8;

/// The faults that the suite has to see.
pub(crate) const SABOTAGES: &[&str] = &[
    "accept ratio exchanged",
    "no Metropolis test",
    "wrong drift sign",
    "step size ignored in the reverse density",
    "no ball",
    "ball centred at 0",
    "Laplace scale halved",
    "Gaussian variance instead of deviation",
    "lattice rounding towards zero",
    "budget share ignored",
    "localisation noise missing",
    "γ doubled",
    "minorant above f",
    "odds doubled",
    "no tilt",
    "H above the Hessian",
    "reused bits",
    "one exponential too few",
    "independent coordinates",
    "tilt of half the scale",
    "no Jacobian",
    "replace-one treated as add/remove",
    "gradient noise without √T",
    "half of the gradient variance",
    "noise in the first step only",
    "replace-one noise for add/remove",
    "no noise",
    "no noise on the last coordinate",
    "the same noise twice",
    "error 64 times as large",
    "error of the other norm",
    "lowest bit stuck",
];

const GRADIENT: &[&str] =
    &["gradient noise without √T", "half of the gradient variance", "noise in the first step only"];
const CHAIN: &[&str] = &[
    "accept ratio exchanged",
    "no Metropolis test",
    "wrong drift sign",
    "step size ignored in the reverse density",
    "no ball",
    "ball centred at 0",
];
const MALA: &[&str] = &["accept ratio exchanged", "no drift", "no Metropolis test", "no ball"];
const PROXIMAL: &[&str] = &["no ball", "no rejection", "no drift", "two step sizes"];
const EXACT: &[&str] = &["minorant above f", "odds doubled", "no tilt", "H above the Hessian", "no ball"];

const RELEASE: &[&str] = &[
    "no noise",
    "no noise on the last coordinate",
    "the same noise twice",
    "half of the noise",
    "noise of one sign",
];

macro_rules! suite {
    ($($file:literal { $($test:ident: $hypothesis:literal, $n:literal, $statistics:literal x $level:expr, $rejects:expr, $seconds:literal;)+ })+) => {
        &[$($(Entry {
            file: $file, test: stringify!($test), hypothesis: $hypothesis, n: $n, statistics: $statistics,
            level: $level, rejects: $rejects, seconds: $seconds,
        }),+),+]
    };
}

#[rustfmt::skip]
pub(crate) const SUITE: &[Entry] = suite! {
    "tests/noise.rs" {
        uniform_integers_are_uniform: "uniform below a bound", "4·10⁶", 4 x NOISE, &["cut instead of drawn again", "remainder"], 1.0;
        uniform_integers_of_full_width_are_uniform: "uniform below a large bound", "4·10⁶", 3 x NOISE, &["cut", "remainder"], 1.0;
        coins_have_their_probability: "Bernoulli(p/q)", "4·10⁶", 3 x NOISE, &["not above instead of below"], 0.5;
        exponential_coins_have_their_probability: "Bernoulli(e^−x)", "4·10⁶", 14 x NOISE, &["rounds from 2", "no integer part", "no fractional part"], 5.0;
        exponential_coins_of_tiny_arguments_have_their_probability: "Bernoulli(e^−10⁻⁶)", "4·10⁷", 2 x NOISE, &["coin of 16 bits"], 4.0;
        exponential_coins_of_large_arguments_are_nearly_never_true: "Bernoulli(e^−20)", "5·10⁶", 2 x 2e-7, &["half of the integer part"], 1.0;
        discrete_laplace_follows_its_law: "discrete Laplace", "10⁶", 12 x NOISE, &["Laplace scale halved", "zero twice", "flat periods", "rounded up"], 5.0;
        discrete_laplace_of_an_f64_scale_follows_its_law: "discrete Laplace", "10⁶", 3 x NOISE, &["scale 5 % too small"], 1.0;
        rounded_normal_follows_its_law: "rounded normal", "10⁶", 8 x NOISE, &["no square", "no product", "no sign", "rounded down", "2 % too small"], 5.0;
        normal_variates_follow_their_law: "standard normal", "10⁶", 3 x NOISE, &["2 % too small", "tail cut at 3", "no square", "same number twice"], 2.0;
        exponential_variates_follow_their_law: "exponential", "10⁶", 1 x NOISE, &["2 % too small", "failed attempts not counted", "tail cut at 9"], 1.0;
        euclidean_laplace_has_a_gamma_norm: "norm gamma of shape d", "10⁵", 7 x NOISE, &["one exponential too few", "direction not normalised", "independent coordinates", "2 % too small"], 5.0;
        euclidean_laplace_has_a_uniform_direction: "uniform direction", "10⁵", 9 x NOISE, &["independent coordinates", "no sign"], 3.0;
        euclidean_laplace_in_one_dimension_is_rounded_laplace: "rounded Laplace", "6·10⁵", 6 x NOISE, &["rounded down", "2 % too small"], 5.0;
        euclidean_laplace_in_two_dimensions_agrees_with_quadrature: "Euclidean Laplace, d = 2", "4·10⁵", 2 x NOISE, &["one exponential too few", "direction not normalised", "independent coordinates", "rounded down", "another scale"], 5.0;
    }
    "src/noise/normal.rs" {
        the_tail_has_its_shape: "|N| − k given its whole part k", "2·10⁵", 4 x NOISE, &["one too far", "no square"], 1.0;
    }
    "tests/truncated.rs" {
        one_dimension_agrees_with_quadrature: "normal in a ball, d = 1", "20000", 24 x LEVEL, &[], 1.0;
        two_dimensions_agree_with_quadrature: "normal in a ball, d = 2", "20000", 96 x LEVEL, &[], 2.0;
        five_dimensions_agree_with_quadrature: "normal in a ball, d = 5", "20000", 96 x LEVEL, &[], 3.0;
        the_mean_at_the_centre_and_deep_inside: "normal in a ball, mean inside", "20000", 45 x LEVEL, &[], 2.0;
        a_hundred_dimensions_agree: "normal in a ball, d = 100", "2000", 10 x LEVEL, &[], 1.0;
        the_tests_accept_another_right_algorithm_and_reject_wrong_ones: "two other right algorithms", "20000", 24 x LEVEL, &["projected", "no ball", "half-space for ball", "edge of another curvature", "precision 10 % off"], 3.0;
    }
    "tests/contraction.rs" {
        the_sampler_has_the_law_of_the_grid_out_of_equilibrium: "law of the grid after 1 and 2 steps", "40000", 10 x LEVEL, &["one step more"], 1.0;
    }
    "tests/proximal.rs" {
        one_dimension_quadratic: "p*, quadratic, d = 1", "10000", 5 x LEVEL, PROXIMAL, 1.0;
        one_dimension_with_a_huge_step: "p*, mη = 2²⁰", "10000", 4 x LEVEL, &[], 0.5;
        one_dimension_logistic: "p*, logistic, d = 1", "10000", 5 x LEVEL, &[], 2.0;
        two_dimensions_quadratic: "p*, quadratic, d = 2", "10000", 4 x LEVEL, PROXIMAL, 1.0;
        two_dimensions_logistic: "p*, logistic, d = 2", "10000", 3 x LEVEL, &[], 2.0;
        the_tests_accept_the_second_implementation_and_reject_its_sabotages: "p*, second implementation", "4000, 12000", 2 x LEVEL, PROXIMAL, 3.0;
        eleven_dimensions_have_the_moments_of_the_normal_law: "moments of the normal law, d = 11", "4000", 1 x 1.1e-6, &["two step sizes"], 2.0;
    }
    "tests/exact.rs" {
        one_dimension_agrees_with_quadrature: "p*, exact draw, d = 1", "20000", 24 x LEVEL, &[], 4.0;
        two_dimensions_agree_with_quadrature: "p*, exact draw, d = 2", "20000", 15 x LEVEL, &[], 8.0;
        any_anchor_gives_the_same_law: "p*, other anchors", "20000", 6 x LEVEL, &[], 1.0;
        the_tests_accept_the_second_implementation_and_reject_its_sabotages: "p*, second implementation", "60000", 2 x LEVEL, EXACT, 9.0;
        eleven_dimensions_have_the_normal_law: "normal law, d = 11", "20000", 46 x LEVEL, &["minorant above f", "no tilt", "H above the Hessian"], 2.0;
        the_fallback_draws_with_fresh_bits: "p*, fallback with fresh bits", "250000", 3 x LEVEL, &["reused bits"], 20.0;
        the_release_has_the_law_of_the_proximal_sampler: "same release with the proximal sampler", "6000 + 6000", 1 x LEVEL, &["nine times as cold"], 25.0;
    }
    "src/sampler/exact.rs" {
        odds_are_kept: "odds e^x : 1", "10⁵", 5 x 2e-9, &[], 0.1;
    }
    "tests/mala.rs" {
        draws_on_a_line_have_the_right_law: "p*, d = 1", "20000", 8 x LEVEL, MALA, 4.0;
        draws_on_a_disk_have_the_right_law: "p*, d = 2", "15000", 8 x LEVEL, MALA, 5.0;
        the_chain_starts_from_the_corrected_initial_law: "N(θ_opt, I/2L)", "20000", 1 x LEVEL, &["variance of the paper"], 0.1;
        a_certified_chain_runs_its_full_length: "steps are Binomial(K, ½)", "1", 20 x 3.1e-8, &[], 2.0;
    }
    "src/sampler/proximal/tests.rs" {
        one_step_from_the_boundary_has_the_law_of_theory: "one step is normal", "4000", 3 x 1.2e-6, &[], 0.1;
    }
    "src/sampler/mala.rs" {
        lazy_steps_are_binomial: "Binomial(K, ½)", "20000", 10 x 3.1e-8, &[], 0.1;
    }
    "tests/statistics/chains.rs" {
        every_fault_of_a_chain_shows_on_a_line: "p*, constrained MALA, d = 1", "20000", 2 x LEVEL, CHAIN, 5.0;
    }
    "tests/statistics/multivariate.rs" {
        the_proximal_sampler_agrees_with_exact_draws: "law of exact draws, d = 3, 5", "5000", 4 x LEVEL, &["ball centred at 0", "γ doubled"], 5.0;
        constrained_mala_agrees_with_exact_draws: "law of exact draws, d = 3, 5", "5000", 6 x LEVEL, CHAIN, 12.0;
    }
    "tests/statistics/wasserstein.rs" {
        the_coupling_distance_is_within_the_declared_error: "W∞(sampler, p*) ≤ Δ", "20000", 9 x LEVEL, &["chain too short"], 2.0;
    }
    "tests/statistics/noise.rs" {
        localisation_noise_has_the_scale_of_the_paper: "Laplace of scale G/(Λε)", "20000", 1 x LEVEL, &["Laplace scale halved", "localisation noise missing"], 0.1;
        localisation_noise_has_the_deviation_and_not_the_variance: "normal of deviation G/(Λμ)", "20000", 1 x LEVEL, &["Gaussian variance instead of deviation"], 0.1;
        asap_noise_is_in_every_coordinate: "Laplace of scale 2Δ/ε, normal of deviation 2Δ/μ", "20000", 6 x LEVEL, &["noise of one coordinate missing", "noise halved"], 1.0;
        output_noise_is_in_every_coordinate: "Laplace, normal and Euclidean Laplace of the output mechanism", "20000", 7 x LEVEL, &["noise of one coordinate missing", "noise halved"], 2.0;
        rounding_to_the_lattice_is_to_the_nearest: "nearest lattice point", "100000", 2 x LEVEL, &["lattice rounding towards zero", "rounding down", "rounding up"], 0.1;
    }
    "tests/noisy_gradient.rs" {
        gradient_noise_is_normal_and_independent_in_every_coordinate: "normal of deviation G/μ, pairs independent, d = 3, 5", "20000", 21 x LEVEL, &["noise of one coordinate missing", "noise halved", "the same noise twice"], 6.0;
        gradient_noise_under_pure_privacy_has_a_gamma_norm_and_no_direction: "norm gamma of shape d, signs equal, d = 3, 5", "20000", 7 x LEVEL, &["noise of one coordinate missing", "noise halved"], 8.0;
        two_steps_on_a_line_have_the_law_of_quadrature: "law of two steps by quadrature", "20000", 2 x LEVEL, GRADIENT, 3.0;
        the_noise_of_every_step_is_fresh: "normal of deviation √T·G/μ in every step, pairs independent", "20000", 36 x LEVEL, GRADIENT, 3.0;
        a_descent_is_not_contradicted_quickly: "claims at ε = 1 and μ = 1", "5000", 2 x AUDIT, &[], 5.0;
        a_descent_is_not_contradicted: "claims at ε = 1 and μ = 1 (deep)", "10⁵", 3 x AUDIT, &[], 300.0;
        faults_of_a_descent_are_caught: "claims at ε = 1 and μ = 1", "2·10⁴", 6 x AUDIT, &["gradient noise without √T", "half of the gradient variance", "noise in the first step only", "noise of one coordinate missing", "replace-one noise for add/remove"], 10.0;
    }
    "tests/slips/releases.rs" {
        every_release_has_its_law_in_three_dimensions: "every coordinate and pair of every release of a fit, d = 3", "1000", 78 x LEVEL, RELEASE, 10.0;
        every_release_has_its_law_in_five_dimensions: "the same, d = 5", "1000", 198 x LEVEL, &[], 12.0;
        releases_with_secure_bits_have_the_same_law: "the same with fresh bits, d = 3", "1000", 18 x LEVEL, &[], 3.0;
    }
    "tests/slips/effort.rs" {
        the_chain_of_constrained_mala_reaches_its_error: "steps are Binomial(K, ½), K that of Δ", "1", 4 x 1e-7, &["error 64 times as large", "error of the other norm"], 5.0;
    }
    "tests/slips/secure.rs" {
        secure_bits_are_fair_and_independent: "fair, independent bits of SecureRng", "10⁶ words", 8 x LEVEL, &["lowest bit stuck"], 1.0;
        faulty_bits_are_rejected: "the same of ReplayRng", "10⁶ words", 4 x LEVEL, &["lowest bit stuck", "one part in a hundred", "word twice", "byte missing", "bit of the word before"], 5.0;
    }
    "audit/tests/audit.rs" {
        noise_that_is_missing_in_one_coordinate_is_caught: "claims at ε = 1 and μ = 1, d = 3", "5000", 2 x AUDIT, &["no noise on the last coordinate"], 1.0;
        the_default_learner_is_not_contradicted_along_any_axis: "claims at ε = 1 and μ = 1, d = 3, 5", "1000", 4 x AUDIT, &[], 20.0;
        randomised_response_is_measured: "ε = 0.5, 1, 3", "2·10⁵", 3 x AUDIT, &[], 1.0;
        laplace_is_measured: "ε = 0.5, 1, 2", "2·10⁵", 3 x AUDIT, &[], 2.0;
        gaussian_is_measured: "μ = 0.3, 1, 3", "2·10⁵", 3 x AUDIT, &[], 2.0;
        ten_per_cent_too_much_at_small_epsilon_is_caught: "ε = 0.1", "10⁷", 1 x AUDIT, &["ε = 0.11"], 10.0;
        ten_per_cent_too_much_of_a_normal_mechanism_is_caught: "μ = 0.5", "4·10⁵", 1 x AUDIT, &["μ = 0.55"], 3.0;
        the_level_is_kept: "at most 20 % wrong at α = 0.2", "1000", 1 x 1e-7, &["ε = 1.5 for 1"], 5.0;
        settings_are_checked: "claims at μ = 1, fresh randomness", "200", 1 x AUDIT, &[], 1.0;
        the_default_learner_is_not_contradicted_quickly: "claims at ε = 1 and μ = 1", "5000", 2 x AUDIT, &[], 30.0;
        the_default_learner_is_not_contradicted: "claims at ε = 1 and μ = 1 (deep)", "10⁵", 2 x AUDIT, &[], 300.0;
        the_default_learner_is_not_contradicted_in_two_dimensions: "the same, d = 2 (deep)", "10⁵", 2 x AUDIT, &[], 300.0;
        a_doubled_temperature_is_caught_under_gdp: "claims at μ = 1", "2·10⁴", 2 x AUDIT, &["γ doubled"], 15.0;
        a_doubled_temperature_is_caught_under_pure_dp: "claims at ε = 8", "10⁵", 1 x AUDIT, &["γ doubled"], 12.0;
        an_ignored_budget_share_is_caught: "claims at ε = 1 and μ = 1", "2·10⁴", 4 x AUDIT, &["budget share ignored"], 2.0;
        missing_localisation_noise_is_caught: "claims at ε = 1 and μ = 1", "1000", 2 x AUDIT, &["localisation noise missing"], 0.1;
    }
    "audit/tests/release_audit.rs" {
        the_settings_of_releases_are_not_contradicted: "claims of releases of every mechanism, their own settings", "150", 64 x AUDIT, &[], 10.0;
        a_shaped_tilt_is_not_contradicted_and_half_of_it_is: "claims of shaped tilts at ε = 1 and μ = 1, three shapes", "4000", 6 x AUDIT, &["half the noise"], 20.0;
        the_deep_audit_of_a_shaped_tilt_does_not_contradict: "claims of shaped tilts at ε = 1 and μ = 1, three shapes (deep)", "10⁵", 6 x AUDIT, &[], 200.0;
        half_of_a_releases_noise_is_caught: "claims of releases at ε = 1 and μ = 1", "2000 to 8000", 6 x AUDIT, &["half the noise"], 20.0;
    }
    "tests/gaussian_tilt.rs" {
        one_dimension_has_the_law_of_the_proof: "ν(−J′)·J″, ν normal, logistic, d = 1", "20000", 2 x LEVEL, &["tilt of half the scale", "no Jacobian", "no price for the Jacobian"], 2.0;
        every_coordinate_is_tilted_by_itself: "coordinates of a normal tilt, alone and in pairs, d = 3", "10000", 6 x LEVEL, &["another scale", "one tilt for two coordinates"], 1.0;
        a_short_audit_does_not_contradict_and_sees_half_a_tilt: "claim at μ = 1, worst loss, Λ = 2", "4·10⁴", 1 x AUDIT, &["tilt of a third of the scale"], 3.0;
        the_audit_under_mu_is_of_the_normal_tilt: "claims at μ = 1, logistic loss, Λ = 10", "4000", 1 x AUDIT, &["half the noise"], 5.0;
        the_deep_audit_does_not_contradict: "claim at μ = 1, worst loss, Λ = 2, 10, 100 (deep)", "4·10⁵", 3 x AUDIT, &[], 60.0;
    }
    "tests/quantile.rs" {
        quantiles_follow_their_law: "candidates ∝ e^(−ε·cost/2Δ)", "10⁵", 6 x LEVEL, &["no rejection", "twice the slope", "one value miscounted"], 2.0;
    }
    "tests/objective_perturbation.rs" {
        one_dimension_has_the_density_of_the_proof: "ν(−J′)·J″, logistic, d = 1", "20000", 2 x LEVEL, &["tilt of half the scale", "no Jacobian", "replace-one treated as add/remove"], 4.0;
        the_huber_loss_has_its_law: "ν(−J′)·J″, Huber, d = 1", "20000", 1 x LEVEL, &["tilt of half the scale", "no Jacobian"], 1.0;
        the_squared_loss_on_a_ball_has_its_law_and_its_atoms: "squared loss on a ball: atoms and law", "20000", 3 x LEVEL, &["tilt of half the scale"], 1.0;
        three_dimensions_have_the_law_of_the_tilt: "coordinates and norm of b, d = 3", "20000", 4 x LEVEL, &["another scale"], 2.0;
        a_short_audit_does_not_contradict_and_sees_what_is_wrong: "claims at ε = 1, Λ = 2", "4·10⁴", 3 x AUDIT, &["tilt of half the scale", "no Jacobian", "replace-one treated as add/remove"], 15.0;
        the_deep_audit_does_not_contradict: "claims at ε = 1 and μ = 1, both losses (deep)", "10⁵", 12 x AUDIT, &[], 200.0;
    }
};

/// Tests of the same files that draw nothing, or whose verdict does not depend on what is drawn.
#[rustfmt::skip]
pub(crate) const NOT_STATISTICAL: &[(&str, &str)] = &[
    ("audit/tests/audit.rs", "an_audit_does_not_depend_on_the_number_of_threads"),
    ("audit/tests/audit.rs", "disjoint_supports_are_infinite"),
    ("tests/contraction.rs", "every_step_contracts_from_the_centre_and_from_both_edges"),
    ("tests/contraction.rs", "the_target_is_invariant"),
    ("tests/contraction.rs", "wrong_kernels_do_not_contract_to_the_target"),
    ("tests/exact.rs", "a_draw_costs_a_few_passes"),
    ("tests/exact.rs", "hostile_divergences_end_in_the_fallback"),
    ("tests/exact.rs", "where_nothing_is_proved_nothing_is_drawn"),
    ("tests/noisy_gradient.rs", "a_large_budget_finds_the_minimiser"),
    ("tests/noisy_gradient.rs", "a_second_implementation_agrees"),
    ("tests/noisy_gradient.rs", "a_wrong_guess_costs_utility_and_nothing_else"),
    ("tests/noisy_gradient.rs", "bad_settings_are_named"),
    ("tests/noisy_gradient.rs", "every_loss_releases_and_certifies"),
    ("tests/noisy_gradient.rs", "gradients_of_neighbours_reach_the_sensitivity_and_do_not_exceed_it"),
    ("tests/noisy_gradient.rs", "the_noise_grows_with_the_number_of_steps_and_with_the_neighbours"),
    ("tests/mala.rs", "plans_over_huge_ranges_are_finite_or_refused"),
    ("tests/mala.rs", "the_conductance_bound_holds_on_a_grid"),
    ("tests/mala.rs", "there_is_no_chain_where_the_domain_assumption_fails"),
    ("tests/mala.rs", "the_initial_law_is_as_warm_as_promised"),
    ("tests/gaussian_tilt.rs", "certificates_say_which_tilt_it_was"),
    ("tests/gaussian_tilt.rs", "exact_laws_of_neighbours_are_as_private_as_planned"),
    ("tests/gaussian_tilt.rs", "predictions_and_refusals"),
    ("tests/gaussian_tilt.rs", "the_last_noise_covers_the_tolerance_and_the_ball_holds_the_minimiser"),
    ("tests/mala.rs", "the_kernel_is_reversible_and_the_papers_is_not"),
    ("tests/mala.rs", "the_papers_initial_law_is_not_warm"),
    ("audit/tests/release_audit.rs", "a_normal_tilt_is_scored_by_its_own_law"),
    ("audit/tests/release_audit.rs", "what_is_not_in_a_release_is_not_audited"),
    ("tests/objective_risk.rs", "as_good_as_the_textbook_on_the_sphere"),
    ("tests/objective_risk.rs", "as_good_as_the_textbook_on_wine"),
    ("tests/objective_perturbation.rs", "certificates_hold_for_every_loss_relation_and_guarantee"),
    ("tests/objective_perturbation.rs", "forged_certificates_are_refused"),
    ("tests/objective_risk.rs", "predicted_and_measured_excess_agree"),
    ("tests/objective_perturbation.rs", "what_cannot_be_planned_is_refused_and_says_what_is_needed"),
    ("tests/proximal.rs", "a_pull_out_of_the_ball_shortens_the_step"),
    ("tests/proximal.rs", "a_step_costs_a_few_passes"),
    ("tests/proximal.rs", "calibration_refuses_what_is_no_problem"),
    ("tests/quantile.rs", "the_law_is_private_and_not_more_than_it_has_to_be"),
    ("tests/slips/effort.rs", "the_steps_of_a_fit_reach_its_error"),
    ("tests/slips/releases.rs", "faulty_releases_are_rejected"),
    ("tests/truncated.rs", "extremes_stay_in_the_ball"),
    ("tests/truncated.rs", "the_references_agree_with_closed_forms"),
];

/// The suite as a table.
pub(crate) fn table() -> String {
    let mut text =
        "| test | hypothesis | n | statistics × α | rejects | s |\n|---|---|---|---|---|---|\n".to_owned();
    for Entry { file, test, hypothesis, n, statistics, level, rejects, seconds } in SUITE {
        let rejects = rejects.join(", ");
        let _ = writeln!(
            text,
            "| `{file}` `{test}` | {hypothesis} | {n} | {statistics} × {level:.0e} | {rejects} | {seconds} |"
        );
    }
    text
}

/// Each sabotage with the tests that reject it.
pub(crate) fn power() -> String {
    let mut text = "| sabotage | rejected by |\n|---|---|\n".to_owned();
    for sabotage in SABOTAGES {
        let by: Vec<String> = SUITE
            .iter()
            .filter(|entry| entry.rejects.contains(sabotage))
            .map(|entry| format!("`{}`", entry.test))
            .collect();
        let _ = writeln!(text, "| {sabotage} | {} |", by.join(", "));
    }
    text
}
