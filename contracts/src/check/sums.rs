//! How far floating point moves sums over the records, for every admissible data set: the page `own:objective`, worked
//! out again. The page allows a hundredth for terms of higher order; this check asks for a thousandth, which is enough.

use super::loss::Facts;
use crate::exact::Exact;
use crate::schema::Problem;

/// u = 2^−53: the largest relative error of one rounding.
pub(super) fn unit() -> Exact {
    Exact::power(-53)
}

/// Covers what is of higher order: with d and n as large as they may be, each of it is below
/// 2^−20 of what it stands by.
pub(super) fn margin() -> Exact {
    Exact::whole(1) + Exact::power(-10)
}

/// Sums over the largest admissible data set of a problem.
pub(super) struct LargestSums<'a> {
    problem: &'a Problem,
    /// n.
    rows: Exact,
    /// ρ.
    pub(super) row: Exact,
    /// Λ.
    pub(super) regulariser: Exact,
    /// d.
    pub(super) dimension: Exact,
    /// p·u: the relative error of an inner product, p = ⌊d/4⌋ + 6.
    product: Exact,
    /// What compensated sums lose: ((n/64 + 129)·u)².
    carries: Exact,
}

/// A bound `constant + linear·v + quadratic·v²` on an error, v the size of a move.
pub(super) struct Growing {
    pub(super) constant: Exact,
    pub(super) linear: Exact,
    pub(super) quadratic: Exact,
}

impl<'a> LargestSums<'a> {
    pub(super) fn of(problem: &'a Problem) -> Self {
        let rows = Exact::whole(problem.max_rows);
        let blocks = &rows * Exact::power(-6) + Exact::whole(129);
        Self {
            problem,
            row: Exact::of(problem.row_norm),
            regulariser: Exact::of(problem.regulariser),
            dimension: Exact::whole(problem.dimension),
            product: Exact::whole(problem.dimension / 4 + 6) * unit(),
            carries: (blocks * unit()).squared(),
            rows,
        }
    }

    /// d, as a whole number.
    pub(super) fn whole_dimension(&self) -> u64 {
        self.problem.dimension
    }

    /// The loss for predictions of points up to `reach` from 0; `None` for a user's.
    fn facts(&self, reach: &Exact) -> Option<Facts> {
        Facts::of(self.problem, &(&self.row * reach))
    }

    /// The same for predictions as they are computed.
    fn computed_facts(&self, reach: &Exact) -> Option<Facts> {
        Facts::of(self.problem, &(&self.row * reach * (Exact::whole(1) + Exact::power(-30))))
    }

    /// L: no Hessian of the objective is larger.
    pub(super) fn smoothness(&self) -> Option<Exact> {
        let curvature = self.facts(&Exact::whole(0))?.curvature;
        Some(&self.regulariser + &self.rows * curvature * self.row.squared())
    }

    /// No gradient of the objective up to `reach` from 0 is longer.
    pub(super) fn slope(&self, reach: &Exact) -> Option<Exact> {
        Some(&self.rows * &self.row * self.facts(reach)?.slope + &self.regulariser * reach)
    }

    /// No gradient of one record's loss up to `reach` from 0 is longer.
    pub(super) fn one_slope(&self, reach: &Exact) -> Option<Exact> {
        Some(&self.row * self.facts(reach)?.slope)
    }

    /// The same over the largest Hessian of one record's loss, whatever smoothness a certificate states: no step of a
    /// search that is as long as L allows is longer, or than `reach`.
    pub(super) fn one_pull(&self, reach: &Exact) -> Option<Exact> {
        let curvature = self.facts(&Exact::whole(0))?.curvature;
        Some(self.one_slope(reach)?.over(curvature * self.row.squared()))
    }

    /// How far a computed gradient up to `reach` from 0 is from the true one.
    pub(super) fn gradient_error(&self, reach: &Exact) -> Option<Exact> {
        let Facts { slope, slope_error, curvature, prediction, .. } = self.computed_facts(reach)?;
        let each = (Exact::whole(15) * unit() + &self.carries) * (slope + &slope_error)
            + slope_error
            + &self.product * &curvature * prediction;
        let regular = Exact::whole(2) * unit() * &self.regulariser * reach;
        let factors = Exact::whole(1) + curvature * &self.row + reach;
        Some((&self.rows * &self.row * each + regular) * margin() + self.underflow() * factors)
    }

    /// How far a computed divergence is from the true one, for moves up to `moved` from points up to `reach` from 0:
    /// two bounds, by curvature and by slope. Either is true.
    pub(super) fn divergence_errors(&self, reach: &Exact, moved: &Exact) -> Option<[Growing; 2]> {
        let facts = self.computed_facts(&(reach + moved))?;
        let Facts { slope, curvature, linear, quadratic, .. } = facts;
        let sums = Exact::whole(22) * unit() + &self.carries;
        let linear = linear + &self.product * &curvature * &self.row * reach;
        let factors = (Exact::whole(1) + &self.row)
            * (Exact::whole(1) + reach + moved)
            * (Exact::whole(1) + &curvature);
        let constant = &self.rows * Exact::power(-1022) * margin() + self.underflow() * factors.squared();
        let regular =
            (&self.product * Exact::power(-1) + Exact::whole(2) * unit()) * &self.regulariser * margin();
        let bent = (&self.product + &sums * Exact::power(-1)) * curvature;
        let steep = Exact::whole(2) * (&self.product + sums) * slope;
        let scale = &self.rows * &self.row * margin();
        let growing = |linear: Exact, quadratic: Exact| Growing {
            constant: constant.clone(),
            linear: &scale * linear,
            quadratic: &scale * &self.row * quadratic + &regular,
        };
        Some([growing(linear.clone(), &quadratic + bent), growing(linear + steep, quadratic)])
    }

    /// For products that underflow, to be multiplied by the size of what they are multiplied by.
    fn underflow(&self) -> Exact {
        (&self.rows + Exact::whole(1)) * &self.dimension * Exact::power(-1022)
    }
}

impl Growing {
    /// The bound for a move of this size.
    pub(super) fn at(&self, size: &Exact) -> Exact {
        &self.constant + (&self.linear + &self.quadratic * size) * size
    }

    /// γ times the bound, where the divergence itself is at most `smoothness`/2 times v²: the product is rounded, too.
    pub(super) fn scaled(&self, gamma: &Exact, smoothness: &Exact) -> Self {
        Self {
            constant: &self.constant * gamma,
            linear: &self.linear * gamma,
            quadratic: (&self.quadratic + unit() * smoothness) * gamma,
        }
    }
}
