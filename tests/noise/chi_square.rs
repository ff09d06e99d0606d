//! Pearson's χ² test of goodness of fit: one function decides every statistical test of the samplers.

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The probability with which a correct sampler fails a test. (Seeds are fixed: it passes always or never.)
pub(crate) const FALSE_ALARM: f64 = 1e-9;

/// Neighbouring cells are pooled until each is expected this often; below, χ² is not the law of the statistic.
const LEAST_EXPECTED: f64 = 10.0;

/// The probabilities of the cells `(−∞, e_0), [e_0, e_1), …, [e_last, ∞)` of the integers.
pub(crate) struct Law {
    edges: Vec<i128>,
    probabilities: Vec<f64>,
}

impl Law {
    /// From the edges in ascending order and the exact `below(k) = P(X < k)`.
    pub(crate) fn new(edges: impl IntoIterator<Item = i128>, below: impl Fn(i128) -> f64) -> Self {
        let edges: Vec<i128> = edges.into_iter().collect();
        assert!(edges.is_sorted_by(|a, b| a < b));
        let bounds: Vec<f64> =
            [0.0].into_iter().chain(edges.iter().map(|edge| below(*edge))).chain([1.0]).collect();
        let probabilities = bounds.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Self { edges, probabilities }
    }

    /// Uniform on `0..bound`.
    pub(crate) fn uniform(edges: impl IntoIterator<Item = i128>, bound: u64) -> Self {
        Self::new(edges, |k| k as f64 / bound as f64)
    }

    /// True (1) with the given probability, else false (0).
    pub(crate) fn coin(probability: f64) -> Self {
        Self::new([1], |_| 1.0 - probability)
    }

    /// The probability, under this law, of counts at least as far from the expected ones as `n` draws show.
    pub(crate) fn p_value(&self, n: u32, mut draw: impl FnMut() -> i128) -> f64 {
        let mut counts = vec![0_u32; self.probabilities.len()];
        for _ in 0..n {
            let drawn = draw();
            counts[self.edges.partition_point(|edge| *edge <= drawn)] += 1;
        }
        let cells =
            pooled(counts.iter().zip(&self.probabilities).map(|(c, p)| (f64::from(*c), p * f64::from(n))));
        assert!(cells.len() > 1, "one cell shows nothing");
        let statistic: f64 =
            cells.iter().map(|(count, expected)| (count - expected).powi(2) / expected).sum();
        ChiSquared::new((cells.len() - 1) as f64).unwrap().sf(statistic)
    }

    /// The test: does the sampler follow this law?
    pub(crate) fn fits(&self, n: u32, draw: impl FnMut() -> i128) -> bool {
        self.p_value(n, draw) > FALSE_ALARM
    }
}

/// Pools neighbours, given as (count, expected), until enough is expected; what is left goes to the last cell.
fn pooled(cells: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut pools: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for (count, expected) in cells {
        open = (open.0 + count, open.1 + expected);
        if open.1 >= LEAST_EXPECTED {
            pools.push(open);
            open = (0.0, 0.0);
        }
    }
    if let Some(last) = pools.last_mut() {
        *last = (last.0 + open.0, last.1 + open.1);
    }
    pools
}
