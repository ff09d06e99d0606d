//! A release: the parameters that may be published, with their certificate and the names of their columns.

use crate::bounds::Bounds;
use crate::data::{Admissible, Schema, range_of_target};
use crate::input::InvalidInput;
use asap_contracts::{Certificate, CheckFailed, Findings, Guarantee, Loss, Randomness, TargetKind};

/// A released model and its certificate, with the names of its columns where they are known.
///
/// As JSON it keeps every bit of every number, and its SHA-256 digest with it. Column names come from a file's header
/// and are public. Everything about its form and its checks is in `asap-contracts`.
#[derive(Clone, Debug, PartialEq)]
pub struct Release(asap_contracts::Release);

impl Release {
    pub(crate) fn new(certificate: Certificate) -> Self {
        Self(asap_contracts::Release::new(certificate))
    }

    /// The same release with the schema of its table, or names for its features and its target.
    ///
    /// ```
    /// use asap_dp::{data::*, learner::Learner, loss::Logistic, noise::SecureRng, release::Release};
    /// let text = "age,ill\n0.4,1\n0.7,0\n".as_bytes();
    /// let (options, bounds) = (CsvOptions::new("ill"), Bounds::new(1.0)?);
    /// let (records, columns) = read_csv(text, &options, Logistic, bounds, OutOfBounds::Clip)?;
    /// let release = Learner::new(5.0).epsilon(1.0)?.fit(&records, &mut SecureRng::new()?)?.with_columns(columns)?;
    /// assert_eq!(Release::from_json(&release.to_json())?, release);
    /// release.check()?;
    /// # Ok::<(), asap_dp::Error>(())
    /// ```
    pub fn with_columns(self, columns: Schema) -> Result<Self, InvalidInput> {
        let refused =
            InvalidInput { field: "columns", allowed: "a schema with one parameter for each feature" };
        self.0.with_columns(columns).map(Self).map_err(|_| refused)
    }

    /// θ̂: one number for each feature, and last the intercept if there is one.
    pub fn theta(&self) -> &[f64] {
        &self.0.certificate.theta
    }

    /// What the release says of itself.
    pub fn certificate(&self) -> &Certificate {
        &self.0.certificate
    }

    /// What the release satisfies: for a person, or else for a record.
    pub fn guarantee(&self) -> Guarantee {
        self.0.certificate.guarantee()
    }

    /// Whether the noise came from a secure generator. If not, the release is **not** private.
    pub fn is_private(&self) -> bool {
        self.0.certificate.randomness == Randomness::Secure
    }

    /// The schema of the table, or the names of the features and of the target.
    pub fn columns(&self) -> Option<&Schema> {
        self.0.columns.as_ref()
    }

    /// The release as the checker sees it.
    pub fn as_checked(&self) -> &asap_contracts::Release {
        &self.0
    }

    /// As JSON text.
    pub fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// From JSON text. The result is well-formed, not yet [checked](Release::check).
    pub fn from_json(text: &str) -> Result<Self, CheckFailed> {
        asap_contracts::Release::from_json(text).map(Self)
    }

    /// Checks every inequality of the certificate again, in exact rationals; says what holds and what is assumed.
    pub fn check(&self) -> Result<Findings, CheckFailed> {
        self.0.check()
    }

    /// The names of the classes, the positive one last; `None` where numbers are predicted.
    pub fn classes(&self) -> Option<[String; 2]> {
        if self.0.certificate.problem.loss != Loss::Logistic {
            return None;
        }
        match self.columns().map(|schema| &schema.target.kind) {
            Some(TargetKind::Classes(it)) => it.classes.clone().try_into().ok(),
            Some(TargetKind::Threshold(it)) => {
                Some([format!("<{}", it.at_least), format!(">={}", it.at_least)])
            }
            _ => Some(["0".to_owned(), "1".to_owned()]),
        }
    }

    /// The linear prediction ⟨x, θ̂⟩ (plus intercept) for each row of a row-major matrix; for the logistic loss the
    /// probability of the positive class that belongs to it. spec: `own:schema`
    ///
    /// Rows are those of a fit: the numbers that the schema makes of a record, if there is one
    /// ([`read_features`](crate::data::read_features), [`Encoder`](crate::data::Encoder)). They are moved into the
    /// feature bound: no prediction is made for a row outside of it. Predictions of the squared and the Huber loss
    /// are moved into the target
    /// bound and come in the units of the target.
    pub fn predict(&self, features: &[f64]) -> Result<Vec<f64>, InvalidInput> {
        let problem = &self.0.certificate.problem;
        let linear = linear(&self.0.certificate, features)?;
        InvalidInput::positive("target bound", problem.target)?;
        let target = self.columns().map_or(Ok(None), range_of_target)?;
        let predicted = |z: f64| match problem.loss {
            Loss::Logistic => (1.0 + (-z).exp()).recip(),
            Loss::Squared | Loss::Huber { .. } => z.clamp(-problem.target, problem.target),
            Loss::User { .. } => z,
        };
        let in_units = |y: f64| target.map_or(y, |range| range.unscaled(y));
        Ok(linear.into_iter().map(|z| in_units(predicted(z))).collect())
    }
}

/// ⟨x, θ̂⟩ (plus intercept) for each row of a row-major matrix, moved into the feature bound.
pub(crate) fn linear(certificate: &Certificate, features: &[f64]) -> Result<Vec<f64>, InvalidInput> {
    let (problem, theta) = (&certificate.problem, &certificate.theta);
    let (weights, constant) = match theta.split_last() {
        Some((last, weights)) if problem.intercept => (weights, *last),
        _ => (&theta[..], 0.0),
    };
    if weights.is_empty() || !features.len().is_multiple_of(weights.len()) {
        let allowed = "rows × columns numbers, one column for each feature";
        return Err(InvalidInput { field: "features", allowed });
    }
    if !features.iter().all(|x| x.is_finite()) {
        return Err(InvalidInput { field: "features", allowed: "finite numbers" });
    }
    let admissible = Admissible::new(&Bounds::recorded(problem)?, weights.len()).map_err(|_| {
        InvalidInput { field: "release", allowed: "one whose blocks have as many columns as it has weights" }
    })?;
    let linear = |row: &[f64]| {
        let mut row = row.to_vec();
        admissible.clip(&mut row);
        constant + row.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>()
    };
    Ok(features.chunks_exact(weights.len()).map(linear).collect())
}

impl From<asap_contracts::Release> for Release {
    fn from(release: asap_contracts::Release) -> Self {
        Self(release)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bounds, OutOfBounds, Records};
    use crate::learner::Learner;
    use crate::loss::{Logistic, Squared};
    use crate::noise::ReplayRng;

    fn release<L: crate::loss::Loss>(loss: L) -> Release {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_intercept(true).unwrap();
        let (features, targets) = (vec![0.3, -0.2, 0.1, 0.7], vec![1.0, -1.0]);
        let records = Records::new(loss, bounds, OutOfBounds::Clip, features, targets).unwrap();
        let learner = Learner::new(50.0).mu(1.0).unwrap().parameter_bound(1.0);
        learner.fit(&records, &mut ReplayRng::new(3)).unwrap()
    }

    fn names(features: &[&str]) -> Schema {
        Schema::plain(features.iter().map(|&name| name.to_owned()), "y")
    }

    #[test]
    fn names_have_to_fit_and_an_edit_of_them_is_seen() {
        let plain = release(Logistic);
        plain.check().unwrap();
        assert_eq!(plain.clone().with_columns(names(&["a"])).unwrap_err().field, "columns");
        let named = plain.with_columns(names(&["a", "b"])).unwrap();
        assert!(named.check().unwrap().checked.len() > 20);
        let text = named.to_json();
        assert_eq!(Release::from_json(&text).unwrap(), named);
        for (old, new) in [("\"a\"", "\"c\""), ("\"y\"", "\"z\""), ("\"marks\": []", "\"marks\": [\"?\"]")] {
            let edited = text.replacen(old, new, 1);
            assert_ne!(edited, text);
            assert!(Release::from_json(&edited).unwrap().check().is_err());
        }
        assert!(Release::from_json("{}").is_err());
    }

    #[test]
    fn predictions_are_linear_or_probabilities() {
        let squared = release(Squared);
        let &[a, b, constant] = squared.theta() else { panic!("three parameters") };
        let predicted = squared.predict(&[0.0, 0.0, 1.0, 2.0]).unwrap();
        assert_eq!(predicted[0], constant);
        // The row (1, 2) is longer than the bound 1: it is seen as the fit would have seen it, at (1, 2)/√5.
        let seen = constant + (a + 2.0 * b) / 5.0_f64.sqrt();
        assert!((predicted[1] - seen).abs() < 1e-15 && (seen - (constant + a + 2.0 * b)).abs() > 1e-3);
        assert_eq!(squared.predict(&[f64::NAN, 0.0]).unwrap_err().field, "features");
        assert!(squared.predict(&[1.0; 3]).is_err());
        assert!(squared.predict(&[]).unwrap().is_empty());
        let logistic = release(Logistic);
        let z = logistic.theta()[2];
        assert!((logistic.predict(&[0.0, 0.0]).unwrap()[0] - 1.0 / (1.0 + (-z).exp())).abs() < 1e-15);
        assert_eq!(logistic.predict(&[1e308, -1e308]).unwrap().len(), 1);
    }
}
