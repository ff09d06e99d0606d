//! The posterior mechanism after its first stage: the ball, the temperature, the noise for the sampler's error.

use super::output::Perturbed;
use crate::contract::{Broken, Charge, ChargePart, Delta, GaussianTemperature, PureTemperature, Radius};
use crate::schema::{Asap, Certificate, Guarantee, Numerics, Posterior, Reference};
use crate::verdict::Clauses;

/// The charge for rounding is at most a quarter of the error.
const PARTS: u64 = 4;

pub(super) fn check(
    certificate: &Certificate,
    posterior: &Posterior,
    clauses: &mut Clauses,
) -> Result<(), Broken> {
    let rows = (1..=certificate.problem.max_rows).contains(&posterior.expected_rows);
    clauses.need("own:certificate", "expected rows are between 1 and the most", rows)?;
    let first = Perturbed {
        minimiser: &posterior.minimiser,
        noise: &posterior.localisation.noise,
        share: certificate.ledger.spent_or_nothing("localise"),
        point: &posterior.localisation.theta_0,
    };
    first.check(certificate, clauses)?;
    reference(certificate, posterior, clauses)?;
    let Posterior { reference, sampler, .. } = posterior;
    let Asap { norm, charge, .. } = posterior.asap;
    let charge = Charge { problem: &certificate.problem, reference, sampler: *sampler, norm, charge };
    Last { stage: &posterior.asap, parts: PARTS }.check(certificate, clauses, |clauses| charge.note(clauses))
}

/// The density ∝ e^(−γJ) on the ball is as private as its share says.
fn reference(certificate: &Certificate, posterior: &Posterior, clauses: &mut Clauses) -> Result<(), Broken> {
    let Reference { centre_norm, radius, lipschitz, gamma } = posterior.reference;
    Radius {
        problem: &certificate.problem,
        neighbours: certificate.neighbours,
        centre: &posterior.localisation.theta_0,
        centre_norm,
        radius,
        lipschitz,
        noise: posterior.asap.noise,
    }
    .note(clauses)?;
    let share = certificate.ledger.spent_or_nothing("posterior");
    match certificate.ledger.spends() {
        Guarantee::Pure(_) => PureTemperature { gamma, lipschitz, radius, epsilon: share }.note(clauses)?,
        Guarantee::Gaussian(_) => {
            let regulariser = certificate.problem.regulariser;
            GaussianTemperature { gamma, lipschitz, regulariser, mu: share }.note(clauses)?;
        }
    }
    Ok(())
}

/// The last stage of a mechanism: noise for the distance between what was drawn and what should have been.
pub(super) struct Last<'a> {
    pub(super) stage: &'a Asap,
    /// Rounding is at most one of so many parts of the error.
    pub(super) parts: u64,
}

impl Last<'_> {
    /// The noise of θ̂ pays for the error on both sides of a pair of neighbours; and, where the guarantee is one about
    /// the program, the charge is what `charged` says.
    pub(super) fn check(
        &self,
        certificate: &Certificate,
        clauses: &mut Clauses,
        charged: impl FnOnce(&mut Clauses) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        let Asap { norm, error, charge, noise } = *self.stage;
        let rigorous = certificate.numerics == Numerics::Rigorous;
        let parts = rigorous.then_some(self.parts);
        ChargePart { error, charge, parts }.note(clauses)?;
        if rigorous {
            charged(clauses)?;
        }
        let (ledger, dimension) = (&certificate.ledger, certificate.problem.dimension);
        let (guarantee, share) = (ledger.spends(), ledger.spent_or_nothing("asap"));
        Delta { error, norm, noise, guarantee, dimension, share }.note(clauses)?;
        clauses.need("own:lattice", "θ̂ is on its lattice", noise.reaches(&certificate.theta))
    }
}
