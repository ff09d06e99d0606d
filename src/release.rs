//! A release: the model that may leave, its certificate, and the names of its columns.

use crate::certificate::{Certificate, CheckFailed, Checked, checksum};
use crate::data::Columns;
use crate::error::InvalidInput;
use serde::{Deserialize, Serialize};

/// A released model and its certificate, with the names of its columns where they are known.
///
/// As JSON it is `{"columns": …, "digest": …, "certificate": …}` and keeps every bit of every number. Column names
/// come from a file's header and are public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    columns: Option<Columns>,
    digest: String,
    certificate: Certificate,
}

impl Release {
    pub(crate) fn new(certificate: Certificate) -> Self {
        Self { columns: None, digest: String::new(), certificate }.sealed()
    }

    /// The same release with names for its features and its target.
    ///
    /// ```
    /// use asap_dp::{data::*, learner::{Learner, Release}, loss::Logistic, noise::SecureRng};
    /// let text = "age,ill\n0.4,1\n0.7,0\n".as_bytes();
    /// let (options, bounds) = (CsvOptions::new("ill"), Bounds::new(1.0)?);
    /// let (records, columns) = read_csv(text, &options, Logistic, bounds, OutOfBounds::Clip)?;
    /// let release = Learner::new(5.0).epsilon(1.0)?.fit(&records, &mut SecureRng::new()?)?.with_columns(columns)?;
    /// assert_eq!(Release::from_json(&release.to_json())?, release);
    /// release.check()?;
    /// # Ok::<(), asap_dp::Error>(())
    /// ```
    pub fn with_columns(self, columns: Columns) -> Result<Self, InvalidInput> {
        let named = Self { columns: Some(columns), ..self };
        if named.names_every_parameter() {
            Ok(named.sealed())
        } else {
            Err(InvalidInput { field: "columns", allowed: "one name for each feature" })
        }
    }

    /// θ̂: one number for each feature, and last the intercept if there is one.
    pub fn theta(&self) -> &[f64] {
        self.certificate.theta()
    }

    /// What the release says of itself.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The names of the features and of the target.
    pub fn columns(&self) -> Option<&Columns> {
        self.columns.as_ref()
    }

    /// As JSON text.
    pub fn to_json(&self) -> String {
        // Strings, finite numbers and sequences always serialise.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// From JSON text. The result is well-formed, not yet [checked](Release::check).
    pub fn from_json(text: &str) -> Result<Self, CheckFailed> {
        serde_json::from_str(text).map_err(|_| CheckFailed { spec: "own:certificate", clause: "well-formed" })
    }

    /// [Checks the certificate](Certificate::check), then that the names belong to it.
    pub fn check(&self) -> Result<Vec<Checked>, CheckFailed> {
        let mut checked = self.certificate.check()?;
        let spec = "own:certificate";
        let clauses = [
            ("columns name every parameter", self.columns.is_none() || self.names_every_parameter()),
            ("no column was edited (digest)", self.digest == self.clone().sealed().digest),
        ];
        for (clause, holds) in clauses {
            if !holds {
                return Err(CheckFailed { spec, clause });
            }
            checked.push(Checked { spec, clause });
        }
        Ok(checked)
    }

    /// The linear prediction ⟨x, θ̂⟩ (plus intercept) for each row of a row-major matrix of features; for the
    /// logistic loss the probability of the class +1 that belongs to it.
    ///
    /// Rows are taken as they are, also beyond the bound that the records of the fit were held to.
    pub fn predict(&self, features: &[f64]) -> Result<Vec<f64>, InvalidInput> {
        let intercept = self.certificate.bounds().intercept();
        let allowed = "rows × columns numbers, one column for each feature";
        let refused = InvalidInput { field: "features", allowed };
        let (weights, constant) = match self.theta().split_last() {
            Some((last, weights)) if intercept => (weights, *last),
            _ => (self.theta(), 0.0),
        };
        if weights.is_empty() || !features.len().is_multiple_of(weights.len()) {
            return Err(refused);
        }
        let linear = |row: &[f64]| constant + row.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
        let logistic = self.certificate.loss() == "logistic";
        Ok(features
            .chunks_exact(weights.len())
            .map(|row| if logistic { (1.0 + (-linear(row)).exp()).recip() } else { linear(row) })
            .collect())
    }

    fn names_every_parameter(&self) -> bool {
        let intercept = usize::from(self.certificate.bounds().intercept());
        self.columns.as_ref().is_some_and(|columns| columns.features.len() + intercept == self.theta().len())
    }

    /// With the checksum of everything else.
    fn sealed(self) -> Self {
        let unsealed = Self { digest: String::new(), ..self };
        let digest = checksum(&unsealed.to_json());
        Self { digest, ..unsealed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bounds, OutOfBounds, Records};
    use crate::learner::Learner;
    use crate::loss::{Logistic, Loss, Squared};
    use crate::noise::ReplayRng;

    fn release<L: Loss + Copy>(loss: L) -> Release {
        let bounds = Bounds::new(1.0).unwrap().with_intercept(true).unwrap();
        let (features, targets) = (vec![0.3, -0.2, 0.1, 0.7], vec![1.0, -1.0]);
        let records = Records::new(loss, bounds, OutOfBounds::Clip, features, targets).unwrap();
        let learner = Learner::new(50.0).mu(1.0).unwrap().parameter_bound(1.0);
        learner.fit(&records, &mut ReplayRng::new(3)).unwrap()
    }

    fn names(features: &[&str]) -> Columns {
        Columns { features: features.iter().map(|&name| name.to_owned()).collect(), target: "y".to_owned() }
    }

    #[test]
    fn names_have_to_fit_and_an_edit_of_them_is_seen() {
        let plain = release(Logistic);
        plain.check().unwrap();
        assert_eq!(plain.clone().with_columns(names(&["a"])).unwrap_err().field, "columns");
        let named = plain.with_columns(names(&["a", "b"])).unwrap();
        assert!(named.check().unwrap().len() > 30);
        let text = named.to_json();
        assert_eq!(Release::from_json(&text).unwrap(), named);
        for (old, new) in [("\"a\"", "\"c\""), ("\"y\"", "\"z\""), ("      \"a\",\n", "")] {
            let edited = text.replacen(old, new, 1);
            assert_ne!(edited, text);
            assert_eq!(Release::from_json(&edited).unwrap().check().unwrap_err().spec, "own:certificate");
        }
        assert_eq!(Release::from_json("{}").unwrap_err().clause, "well-formed");
    }

    #[test]
    fn predictions_are_linear_or_probabilities() {
        let squared = release(Squared);
        let &[a, b, constant] = squared.theta() else { panic!("three parameters") };
        let predicted = squared.predict(&[0.0, 0.0, 1.0, 2.0]).unwrap();
        assert_eq!(predicted[0], constant);
        assert!((predicted[1] - (constant + a + 2.0 * b)).abs() < 1e-15);
        assert!(squared.predict(&[1.0; 3]).is_err());
        assert!(squared.predict(&[]).unwrap().is_empty());
        let logistic = release(Logistic);
        let z = logistic.theta()[2];
        assert!((logistic.predict(&[0.0, 0.0]).unwrap()[0] - 1.0 / (1.0 + (-z).exp())).abs() < 1e-15);
        assert_eq!(logistic.predict(&[1e308, -1e308]).unwrap().len(), 1);
    }
}
