//! What an audit looks at: the log-likelihood ratio, and from three dimensions on each coordinate and some fixed
//! directions of every vector that left.
//!
//! A ratio adds up the coordinates, so noise that is missing in one of them hides behind that of the others. The
//! bounds of all directions share the level: they hold together, and the largest is one of them.

use asap_dp::noise::{ReplayRng, fill_normal};

/// What one run let out: the statistic of the likelihood ratio, and the released vectors themselves.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The log-likelihood ratio, as good as it is known.
    pub score: f64,
    /// Every vector that left.
    pub released: Vec<Vec<f64>>,
}

/// A number that is made of what was released. spec: `own:audit`
#[derive(Clone, Debug, PartialEq)]
pub struct ReleasedDirection {
    name: String,
    /// Which vector, and its weights; none for the likelihood ratio.
    weights: Option<(usize, Vec<f64>)>,
}

impl ReleasedDirection {
    /// Below this number of parameters the likelihood ratio is all that is looked at.
    pub const LEAST_DIMENSION: usize = 3;

    /// Directions of each vector that are no axes.
    const OBLIQUE: usize = 2;

    /// The likelihood ratio, and from three dimensions on the axes and fixed random directions of these vectors.
    pub fn all(vectors: &[&str], dimension: usize) -> Vec<Self> {
        let mut all = vec![Self { name: "likelihood ratio".to_owned(), weights: None }];
        if dimension < Self::LEAST_DIMENSION {
            return all;
        }
        for (k, vector) in vectors.iter().enumerate() {
            for j in 0..dimension {
                let axis = (0..dimension).map(|i| f64::from(u8::from(i == j))).collect();
                all.push(Self { name: format!("{vector}, coordinate {}", j + 1), weights: Some((k, axis)) });
            }
            // Public: the same for every audit.
            let mut rng = ReplayRng::new(k as u64);
            for j in 0..Self::OBLIQUE {
                let mut weights = vec![0.0; dimension];
                fill_normal(&mut weights, &mut rng);
                let name = format!("{vector}, random direction {}", j + 1);
                all.push(Self { name, weights: Some((k, weights)) });
            }
        }
        all
    }

    /// How it is called in a report.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number; NaN, which no event holds, for a vector that is not there.
    pub fn of(&self, observed: &Observed) -> f64 {
        match &self.weights {
            None => observed.score,
            Some((k, weights)) => observed
                .released
                .get(*k)
                .map_or(f64::NAN, |vector| vector.iter().zip(weights).map(|(x, weight)| x * weight).sum()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coordinate_of_every_vector_is_looked_at() {
        assert_eq!(ReleasedDirection::all(&["a", "b"], 2).len(), 1);
        let all = ReleasedDirection::all(&["a", "b"], 3);
        let observed = Observed { score: 7.0, released: vec![vec![1.0, 2.0, 4.0], vec![8.0, 16.0, 32.0]] };
        let seen: Vec<f64> = all.iter().map(|direction| direction.of(&observed)).collect();
        assert_eq!(seen.len(), 1 + 2 * (3 + 2));
        assert_eq!((&seen[..4], &seen[6..9]), (&[7.0, 1.0, 2.0, 4.0][..], &[8.0, 16.0, 32.0][..]));
        assert_eq!((all[0].name(), all[3].name()), ("likelihood ratio", "a, coordinate 3"));
        assert!(all[10].of(&Observed { released: vec![], ..observed }).is_nan());
        assert_eq!(all, ReleasedDirection::all(&["a", "b"], 3));
        assert!(all[4] != all[5] && all[4].weights != all[9].weights);
    }
}
