//! The same bits whatever the number of threads, and whatever was in the buffers before.

use crate::{Data, Numbers, evaluate};
use asap_dp::loss::{Logistic, Loss, Squared};

/// Everything that an objective computes, as bits.
fn everything<L: Loss>(data: &Data, loss: L, theta: &[f64]) -> Vec<u64> {
    let records = data.records(loss);
    let objective = crate::objective(&records, 0.3);
    let (value, gradient) = evaluate(&objective, theta);
    let mut workspace = objective.workspace();
    let alone = objective.evaluate_value(theta, &mut workspace).unwrap().reveal_breaking_privacy();
    let hessian = objective.evaluate_hessian(theta).unwrap().reveal_breaking_privacy();
    let numbers = gradient.iter().chain(hessian.iter()).chain([&value, &alone]);
    numbers.map(|x| x.to_bits()).collect()
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn threads_do_not_change_a_bit() {
    // The last three are large enough for several threads, the last one with several stripes of its Hessian.
    for (rows, dimension) in [(1, 1), (5, 2), (63, 1), (700, 11), (40_000, 1), (20_000, 30), (3_000, 150)] {
        let data = Data::random(rows, dimension, 23).with_signs();
        let theta = Numbers(29).vector(dimension);
        let run = || (everything(&data, Logistic, &theta), everything(&data, Squared, &theta));
        let reference = with_threads(1, run);
        for threads in [2, 3, 7] {
            assert!(with_threads(threads, run) == reference, "{rows} × {dimension} on {threads} threads");
        }
    }
}

#[test]
fn nothing_is_left_over_from_the_last_evaluation() {
    let data = [(100, 3), (3_000, 3), (3_000, 5)].map(|(n, d)| Data::random(n, d, 1).with_signs());
    let records = data.map(|data| data.records(Logistic));
    let objectives = records.each_ref().map(|records| crate::objective(records, 1.0));
    let mut shared = objectives[0].workspace();
    for index in [0, 1, 0, 2, 2, 1, 1] {
        let objective = &objectives[index];
        for scale in [1.0, 0.0, -2.0] {
            let theta = vec![scale; objective.dimension()];
            objective.evaluate_value(&theta, &mut shared).unwrap().reveal_breaking_privacy();
            let value = objective.evaluate(&theta, &mut shared).unwrap().reveal_breaking_privacy();
            let gradient = shared.private_gradient().reveal_breaking_privacy();
            assert!((value, gradient) == evaluate(objective, &theta));
        }
    }
}
