//! tmp
use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::forecast::{noisy_gradient_risk, output_risk};
use asap_dp::loss::Logistic;
use asap_dp::mechanism::Mechanism;
use asap_dp::noise::ReplayRng;
use asap_dp::optimise::Minimiser;
use asap_dp::{Learner, MechanismKind};
fn uni(s: &mut u64) -> f64 {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    (*s >> 11) as f64 / (1u64 << 53) as f64
}
fn gauss(s: &mut u64) -> f64 {
    (-2.0 * uni(s).max(1e-300).ln()).sqrt() * (std::f64::consts::TAU * uni(s)).cos()
}
fn data(n: usize, d: usize, decay: f64, seed: u64) -> Records<Logistic> {
    let mut s = 88172645463325252 ^ (seed << 20);
    let (mut xs, mut ys) = (vec![], vec![]);
    for _ in 0..n {
        let x: Vec<f64> = (0..d).map(|j| gauss(&mut s) * decay.powi(j as i32)).collect();
        let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        let z: f64 = x.iter().map(|v| v / norm).sum::<f64>() * 2.0;
        ys.push(if uni(&mut s) < 1.0 / (1.0 + (-z).exp()) { 1.0 } else { 0.0 });
        xs.extend(x.iter().map(|v| v / norm));
    }
    Records::new(Logistic, Bounds::new(1.0).unwrap(), OutOfBounds::Clip, xs, ys).unwrap()
}
#[test]
fn study() {
    for (n, d, lam, decay) in [
        (1599usize, 11usize, 100.0, 1.0),
        (1599, 11, 5.0, 1.0),
        (5000, 11, 5.0, 1.0),
        (50_000, 11, 5.0, 1.0),
        (5000, 5, 1.0, 1.0),
        (20_000, 30, 20.0, 1.0),
        (5000, 11, 5.0, 0.7),
        (20_000, 30, 20.0, 0.85),
    ] {
        let records = data(n, d, decay, 1);
        for (kind, learner) in
            [("mu", Learner::new(lam).mu(1.0).unwrap()), ("eps", Learner::new(lam).epsilon(1.0).unwrap())]
        {
            let learner = learner.expected_rows(n as u64);
            let problem = learner.problem(Logistic, *records.bounds(), d).unwrap();
            let objective = problem.bind(&records).unwrap();
            let mut w = objective.workspace();
            let star = Minimiser::new(&problem).unwrap().run(&objective).unwrap().reveal_breaking_privacy();
            let low = objective.evaluate_value(&star, &mut w).unwrap().reveal_breaking_privacy();
            let zero =
                objective.evaluate_value(&vec![0.0; d], &mut w).unwrap().reveal_breaking_privacy() - low;
            let inverse =
                objective.evaluate_hessian(&star).unwrap().reveal_breaking_privacy().try_inverse().unwrap();
            let curvature = d as f64 / inverse.trace();
            let excess = |learner: Learner, runs: u64| {
                let mut all: Vec<f64> = (0..runs)
                    .map(|seed| {
                        let release = learner.fit(&records, &mut ReplayRng::new(seed)).unwrap();
                        objective.divergence_of(&star, release.theta())
                    })
                    .collect();
                all.sort_by(f64::total_cmp);
                (all.iter().sum::<f64>() / runs as f64, all[runs as usize / 2])
            };
            for (name, l) in [("blind", learner), ("guess", learner.curvature(curvature))] {
                let plan = l.noisy_gradient(&problem).unwrap();
                let s = plan.schedule();
                let predicted = noisy_gradient_risk(&plan, n as u64, Some(curvature));
                let worst = noisy_gradient_risk(&plan, n as u64, None);
                let (mean, median) = excess(l.mechanism(MechanismKind::NoisyGradient), 21);
                println!(
                    "{n} {d} {lam} {decay} {kind} {name} T={} b={} m={} c={:.2} h={curvature:.1} predicted {predicted:.4} worst {worst:.3} measured mean {mean:.4} median {median:.4} ratio {:.2} zero {zero:.1}",
                    s.steps,
                    s.skipped,
                    s.momentum,
                    s.step * problem.smoothness(n as u64),
                    mean / predicted
                );
            }
            let output = excess(learner.mechanism(MechanismKind::Output), 21);
            let posterior =
                if n < 10 { excess(learner.mechanism(MechanismKind::Posterior), 7) } else { (0., 0.) };
            println!(
                "   {kind} output {output:?} predicted {:.3} posterior {posterior:?}",
                output_risk(&learner.output(&problem).unwrap(), n as u64)
            );
            let _ = Mechanism::ledger(&learner.output(&problem).unwrap());
        }
    }
}
trait D {
    fn divergence_of(&self, a: &[f64], b: &[f64]) -> f64;
}
impl<S: asap_dp::objective::Sums> D for asap_dp::objective::Objective<'_, S> {
    fn divergence_of(&self, a: &[f64], b: &[f64]) -> f64 {
        let mut w = self.workspace();
        let v: Vec<f64> = b.iter().zip(a).map(|(b, a)| b - a).collect();
        self.evaluate_divergence(a, &v, &mut w).unwrap().reveal_breaking_privacy()
    }
}
