//! The noise as the learner uses it: scales of the localisation, and rounding to the lattice.

use crate::independent::Independent;
use crate::reference::{kolmogorov_smirnov, relative_entropy};
use asap_dp::Error;
use asap_dp::asap::{ApproximateSample, Asap, Claim};
use asap_dp::calibrate::Norm;
use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::learner::{Learner, MechanismKind};
use asap_dp::localise::{Localisation, PureNoise};
use asap_dp::loss::Logistic;
use asap_dp::mechanism::Mechanism;
use asap_dp::noise::{
    LaplaceScale, Lattice, NormalScale, RandomBits, ReplayRng, discrete_laplace, rounded_normal,
};
use asap_dp::optimise::Minimiser;
use asap_dp::privacy::{Epsilon, Guarantee, Mu};
use asap_dp::private::Private;
use asap_dp::problem::Problem;

const N: usize = 20_000;
const REGULARISER: f64 = 4.0;

/// θ_0 of an empty data set, whose minimiser is 0: nothing but noise.
fn released(share: Guarantee, seed: u64) -> (Localisation<Logistic>, Vec<f64>) {
    let bounds = Bounds::new(1.0).unwrap().with_max_rows(100).unwrap();
    let problem = Problem::new(Logistic, bounds.clone(), 1, REGULARISER).unwrap();
    let records = Records::with_dimension(Logistic, bounds, OutOfBounds::Clip, 1, vec![], vec![]).unwrap();
    let objective = problem.bind(&records).unwrap();
    let localisation =
        Localisation::new(Minimiser::new(&problem).unwrap(), PureNoise::Laplace, share).unwrap();
    let mut rng = ReplayRng::new(seed);
    let draws = (0..N).map(|_| localisation.run(&objective, &mut rng).unwrap().theta_0()[0]).collect();
    (localisation, draws)
}

/// H0: θ_0 of an empty data set is Laplace with scale G/(Λε) = 1/(4·0.8). n = 20000, false alarm ≤ 10⁻⁹. (The
/// lattice and τ change the law by 10⁻³ at most, a twentieth of what the test can see.) Half of the scale is
/// rejected, and so is no noise.
#[test]
fn localisation_noise_has_the_scale_of_the_paper() {
    let epsilon = 0.8;
    let scale = 1.0 / (REGULARISER * epsilon);
    let cdf = |x: f64| laplace_cdf(x, scale);
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

/// H0: θ_0 of an empty data set is normal with deviation G/(Λμ) = 1/(4·0.5) = ½. n = 20000, false alarm ≤ 10⁻⁹. The
/// variance in place of the deviation, ¼, is rejected.
#[test]
fn localisation_noise_has_the_deviation_and_not_the_variance() {
    let deviation = 1.0 / (REGULARISER * 0.5);
    let cdf = |x: f64| normal_cdf(x, deviation);
    let (localisation, draws) = released(Guarantee::Gaussian(Mu::new(0.5).unwrap()), 903);
    let outcome = kolmogorov_smirnov(&draws, cdf);
    assert!(outcome.accepted(), "{outcome:?}");
    let step = localisation.noise().lattice().step();
    let variance = NormalScale::at_least(deviation * deviation / step).unwrap();
    let mut rng = ReplayRng::new(904);
    let wrong: Vec<f64> = (0..N).map(|_| step * rounded_normal(variance, &mut rng) as f64).collect();
    assert!(!kolmogorov_smirnov(&wrong, cdf).accepted(), "variance instead of deviation");
}

/// A reference that always says 0, drawn without an error: what is released is nothing but the noise that covers Δ.
struct Nothing(Claim);

impl ApproximateSample for Nothing {
    fn claim(&self) -> Claim {
        self.0
    }

    fn draw<R: RandomBits>(&self, _: &mut R) -> Result<Private<Vec<f64>>, Error> {
        Ok(Private::new(vec![0.0; self.0.dimension]))
    }
}

fn laplace_cdf(x: f64, scale: f64) -> f64 {
    let tail = 0.5 * (-x.abs() / scale).exp();
    if x < 0.0 { tail } else { 1.0 - tail }
}

fn normal_cdf(x: f64, deviation: f64) -> f64 {
    0.5 * statrs::function::erf::erfc(-x / deviation / 2.0_f64.sqrt())
}

/// Every coordinate follows the law, and one without noise, or with half of it, would not.
fn every_coordinate(draws: &[Vec<f64>], cdf: impl Fn(f64) -> f64 + Copy) {
    for j in 0..draws[0].len() {
        let coordinate: Vec<f64> = draws.iter().map(|draw| draw[j]).collect();
        let outcome = kolmogorov_smirnov(&coordinate, cdf);
        assert!(outcome.accepted(), "coordinate {j}: {outcome:?}");
        let halved: Vec<f64> = coordinate.iter().map(|x| 0.5 * x).collect();
        assert!(
            !kolmogorov_smirnov(&halved, cdf).accepted()
                && !kolmogorov_smirnov(&vec![0.0; N], cdf).accepted()
        );
    }
}

/// H0: in each of three coordinates a release of `Asap` for a sample that is 0 is Laplace of scale 2Δ/ε, or
/// normal of deviation 2Δ/μ (the lattice adds a part in 64 at most, half of what the test can see). n = 20000,
/// false alarm ≤ 10⁻⁹ for each.
#[test]
fn asap_noise_is_in_every_coordinate() {
    let (pure, gaussian) =
        (Guarantee::Pure(Epsilon::new(0.25).unwrap()), Guarantee::Gaussian(Mu::new(0.25).unwrap()));
    let draws = |share, norm, seed| {
        let claim = Claim { reference: share, norm, error: 0.5, dimension: 3 };
        let (asap, mut rng) = (Asap::new(claim, share).unwrap(), ReplayRng::new(seed));
        (0..N).map(|_| asap.release(&Nothing(claim), &mut rng).unwrap()).collect::<Vec<_>>()
    };
    every_coordinate(&draws(pure, Norm::One, 911), |x| laplace_cdf(x, 4.03));
    every_coordinate(&draws(gaussian, Norm::Two, 912), |x| normal_cdf(x, 4.03));
}

/// H0: in each of three coordinates the output mechanism on no records releases Laplace noise of scale √3·G/(Λε), or
/// normal noise of deviation G/(Λμ); with Euclidean noise its norm is Gamma of shape 3 and scale G/(Λε). n = 20000,
/// false alarm ≤ 10⁻⁹ for each.
#[test]
fn output_noise_is_in_every_coordinate() {
    let bounds = Bounds::new(1.0).unwrap().with_max_rows(100).unwrap();
    let learner = Learner::new(REGULARISER).mechanism(MechanismKind::Output);
    let records =
        Records::with_dimension(Logistic, bounds.clone(), OutOfBounds::Clip, 3, vec![], vec![]).unwrap();
    let draws = |learner: Learner, seed| {
        let output = learner.output(&learner.problem(Logistic, bounds, 3).unwrap()).unwrap();
        let mut rng = ReplayRng::new(seed);
        (0..N).map(|_| output.run(&records, &mut rng).unwrap().theta).collect::<Vec<_>>()
    };
    let pure = learner.epsilon(0.5).unwrap();
    let scale = 1.0 / (REGULARISER * 0.5);
    every_coordinate(&draws.clone()(pure.noise(PureNoise::Laplace), 913), |x| {
        laplace_cdf(x, 3.0_f64.sqrt() * scale)
    });
    every_coordinate(&draws.clone()(learner.mu(0.5).unwrap(), 914), |x| normal_cdf(x, scale));
    let norm = |draw: &Vec<f64>| draw.iter().map(|x| x * x).sum::<f64>().sqrt();
    let gamma = |x: f64| statrs::function::gamma::gamma_lr(3.0, x / scale);
    let euclidean = draws(pure.noise(PureNoise::Euclidean), 915);
    let outcome = kolmogorov_smirnov(&euclidean.iter().map(norm).collect::<Vec<_>>(), gamma);
    assert!(outcome.accepted(), "{outcome:?}");
    // Without the noise of the last coordinate.
    let cut: Vec<f64> = euclidean.iter().map(|draw| norm(&draw[..2].to_vec())).collect();
    assert!(!kolmogorov_smirnov(&cut, gamma).accepted());
}

/// H0: what is uniform on [−1, 1] lattice steps is rounded to −1, 0, 1 with probabilities ¼, ½, ¼ (relative entropy).
/// n = 100000, false alarm ≤ 10⁻⁹. Rounding towards zero, down or up is rejected.
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
