//! The noise as the learner uses it: scales of the localisation, and rounding to the lattice.

use crate::independent::Independent;
use crate::reference::{kolmogorov_smirnov, relative_entropy};
use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::localise::{Localisation, PureNoise};
use asap_dp::loss::Logistic;
use asap_dp::noise::{LaplaceScale, Lattice, NormalScale, ReplayRng, discrete_laplace, rounded_normal};
use asap_dp::optimise::Minimiser;
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use asap_dp::problem::Problem;

const N: usize = 20_000;
const REGULARISER: f64 = 4.0;

/// θ_0 of an empty data set, whose minimiser is 0: nothing but noise.
fn released(share: Guarantee, seed: u64) -> (Localisation<Logistic>, Vec<f64>) {
    let bounds = Bounds::new(1.0).unwrap().with_max_rows(100).unwrap();
    let problem = Problem::new(Logistic, bounds, 1, REGULARISER).unwrap();
    let records = Records::with_dimension(Logistic, bounds, OutOfBounds::Clip, 1, vec![], vec![]).unwrap();
    let objective = problem.bind(&records).unwrap();
    let localisation =
        Localisation::new(Minimiser::new(&problem).unwrap(), PureNoise::Laplace, share).unwrap();
    let mut rng = ReplayRng::new(seed);
    let draws = (0..N).map(|_| localisation.run(&objective, &mut rng).unwrap().theta_0()[0]).collect();
    (localisation, draws)
}

/// H0: θ_0 of an empty data set is Laplace with scale G/(Λε) = 1/(4·0.8). n = 20000, false alarm ≤ 10⁻⁹. (The lattice and τ change
/// the law by 10⁻³ at most, a twentieth of what the test can see.) Half of the scale is rejected, and so is no noise.
#[test]
fn localisation_noise_has_the_scale_of_the_paper() {
    let epsilon = 0.8;
    let scale = 1.0 / (REGULARISER * epsilon);
    let cdf = |x: f64| {
        let tail = 0.5 * (-x.abs() / scale).exp();
        if x < 0.0 { tail } else { 1.0 - tail }
    };
    let (localisation, draws) = released(Guarantee::Pure(Epsilon::new(epsilon).unwrap()), 901);
    let outcome = kolmogorov_smirnov(&draws, cdf);
    assert!(outcome.accepted(), "{outcome:?}");
    let step = localisation.noise().lattice().step();
    let half = LaplaceScale::at_least(0.5 * scale / step).unwrap();
    let mut rng = ReplayRng::new(902);
    let halved: Vec<f64> = (0..N).map(|_| step * discrete_laplace(half, &mut rng) as f64).collect();
    assert!(!kolmogorov_smirnov(&halved, cdf).accepted(), "scale halved");
    assert!(!kolmogorov_smirnov(&vec![0.0; N], cdf).accepted(), "noise missing");
}

/// H0: θ_0 of an empty data set is normal with deviation G/(Λμ) = 1/(4·0.5) = ½. n = 20000, false alarm ≤ 10⁻⁹. The variance in
/// place of the deviation, ¼, is rejected.
#[test]
fn localisation_noise_has_the_deviation_and_not_the_variance() {
    let deviation = 1.0 / (REGULARISER * 0.5);
    let cdf = |x: f64| 0.5 * statrs::function::erf::erfc(-x / deviation / 2.0_f64.sqrt());
    let (localisation, draws) = released(Guarantee::Gaussian(Mu::new(0.5).unwrap()), 903);
    let outcome = kolmogorov_smirnov(&draws, cdf);
    assert!(outcome.accepted(), "{outcome:?}");
    let step = localisation.noise().lattice().step();
    let variance = NormalScale::at_least(deviation * deviation / step).unwrap();
    let mut rng = ReplayRng::new(904);
    let wrong: Vec<f64> = (0..N).map(|_| step * rounded_normal(variance, &mut rng) as f64).collect();
    assert!(!kolmogorov_smirnov(&wrong, cdf).accepted(), "variance instead of deviation");
}

/// H0: what is uniform on [−1, 1] lattice steps is rounded to −1, 0, 1 with probabilities ¼, ½, ¼ (relative entropy). n = 100000, false
/// alarm ≤ 10⁻⁹. Rounding towards zero, down or up is rejected.
#[test]
fn rounding_to_the_lattice_is_to_the_nearest() {
    let lattice = Lattice::new(-20).unwrap();
    let mut rng = Independent::new(905);
    let points: Vec<f64> = (0..100_000).map(|_| lattice.step() * (2.0 * rng.uniform() - 1.0)).collect();
    let accepted = |round: &dyn Fn(f64) -> i64| {
        let mut counts = [0_u64; 3];
        for x in &points {
            counts[usize::try_from(round(*x) + 1).unwrap()] += 1;
        }
        relative_entropy(&counts, &[0.25, 0.5, 0.25]).accepted()
    };
    assert!(accepted(&|x| lattice.round(x).unwrap()) && accepted(&|x| lattice.round_clamped(x)));
    #[allow(clippy::cast_possible_truncation, reason = "within two")]
    let with = |round: fn(f64) -> f64| move |x: f64| round(x / lattice.step()) as i64;
    for (name, wrong) in
        [("towards zero", f64::trunc as fn(f64) -> f64), ("down", f64::floor), ("up", f64::ceil)]
    {
        assert!(!accepted(&with(wrong)), "{name}");
    }
}
