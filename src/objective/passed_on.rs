//! The sums of another source, passed on: until the caller stops it, or with another loss. spec: `own:objective`

use super::partition::Partition;
use super::source::rows::{Summed, SummedRows, Task};
use super::source::{Here, SumClaim, Sums};
use super::sums::Compensated;
use crate::bounds::Bounds;
use crate::data::Unavailable;
use crate::loss::{AgainstRest, Loss};
use crate::private::Private;
use core::sync::atomic::{AtomicBool, Ordering};

/// The sums of another source. Nothing is copied.
pub struct PassedOn<'a, S: Sums> {
    source: &'a S,
    loss: S::Loss,
    stop: Option<&'a AtomicBool>,
}

impl<'a, S: Sums> PassedOn<'a, S> {
    /// The sums of `source` until `stop` is set, from then on [`Unavailable`]: for a fit that a user may interrupt.
    /// spec: `own:python`
    ///
    /// An interrupted fit releases nothing. The user who interrupts it knows how long it ran, and random bits may have
    /// been drawn: its budget counts as spent. As long as the flag is not set, the sums are those of the source, bit
    /// for bit. Once set, it must stay so until the fit has ended.
    ///
    /// ```
    /// use asap_dp::{Bounds, Error, Learner, Logistic, OutOfBounds, Records, SecureRng, objective::PassedOn};
    /// use std::sync::atomic::AtomicBool;
    /// let records = Records::new(Logistic, Bounds::new(1.0)?, OutOfBounds::Clip, vec![0.5], vec![1.0])?;
    /// let stop = AtomicBool::new(true);
    /// let fit = Learner::new(5.0).epsilon(1.0)?.fit(&PassedOn::until(&records, &stop), &mut SecureRng::new()?);
    /// assert!(matches!(fit, Err(Error::Unavailable(_))));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn until(source: &'a S, stop: &'a AtomicBool) -> Self {
        Self { source, loss: *source.loss(), stop: Some(stop) }
    }
}

impl<'a, S: Here + SummedRows<Loss = AgainstRest>> PassedOn<'a, S> {
    /// The same rows with another class against the rest. The labels were admitted for as many classes: what is asked
    /// is which of them is the positive one. spec: `own:one-against-rest`
    pub(crate) fn with_loss(source: &'a S, loss: AgainstRest) -> Option<Self> {
        (source.loss().class_count() == loss.class_count()).then_some(Self { source, loss, stop: None })
    }
}

impl<S: Sums> SummedRows for PassedOn<'_, S> {
    type Loss = S::Loss;

    fn rows(&self) -> usize {
        self.source.rows()
    }

    fn sum<T: Task>(&self, partition: &Partition, question: T::Question<'_>, tasks: &mut [T]) -> Summed {
        let mut tasks: Vec<_> = tasks.iter_mut().map(|task| Asked { task, way: self }).collect();
        if !self.is_stopped() {
            self.source.sum(partition, question, &mut tasks)?;
        }
        if self.is_stopped() { Err(Unavailable) } else { Ok(()) }
    }
}

impl<S: Sums> PassedOn<'_, S> {
    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// A task of another source. A pass that is stopped half way runs through the rows without looking at them,
/// and its sums are not used.
struct Asked<'a, T, S: Sums> {
    task: &'a mut T,
    way: &'a PassedOn<'a, S>,
}

impl<T: Task, S: Sums> Task for Asked<'_, T, S> {
    type Question<'q> = T::Question<'q>;

    fn chunk(&self) -> usize {
        self.task.chunk()
    }

    fn add<L: Loss>(
        &mut self,
        question: Self::Question<'_>,
        _: &L,
        partition: &Partition,
        features: &[f64],
        targets: &[f64],
    ) {
        if !self.way.is_stopped() {
            self.task.add(question, &self.way.loss, partition, features, targets);
        }
    }

    // Where another party sums, it has the loss of the source: it is not asked with another one,
    // because the rows are not here.
    fn take(&mut self, chunk: &Compensated) {
        self.task.take(chunk);
    }
}

impl<S: Here> Here for PassedOn<'_, S> {}

impl<S: Sums> Sums for PassedOn<'_, S> {
    fn dimension(&self) -> usize {
        self.source.dimension()
    }

    fn bounds(&self) -> &Bounds {
        self.source.bounds()
    }

    fn loss(&self) -> &S::Loss {
        &self.loss
    }

    fn count(&self) -> Private<u64> {
        self.source.count()
    }

    fn claim(&self) -> SumClaim {
        self.source.claim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{OutOfBounds, Records};
    use crate::error::Error;
    use crate::learner::{Learner, MechanismKind};
    use crate::loss::{Logistic, Squared};
    use crate::noise::ReplayRng;
    use crate::objective::question::Query;

    fn fits<L: Loss>(loss: L) {
        let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(1000).unwrap();
        let features = (0..600).map(|k| f64::from(k % 7) / 9.0 - 0.4).collect();
        let targets = (0..300).map(|k| f64::from(k % 2)).collect();
        let records = Records::new(loss, bounds, OutOfBounds::Clip, features, targets).unwrap();
        for kind in MechanismKind::ALL {
            let learner = Learner::new(50.0).mu(1.0).unwrap().parameter_bound(1.0).mechanism(kind);
            let stopped_or_not = |stop| {
                let stop = AtomicBool::new(stop);
                learner.fit(&PassedOn::until(&records, &stop), &mut ReplayRng::new(1))
            };
            let plain = learner.fit(&records, &mut ReplayRng::new(1)).unwrap();
            assert_eq!(stopped_or_not(false).unwrap(), plain, "{kind:?}");
            assert!(matches!(stopped_or_not(true), Err(Error::Unavailable(_))), "{kind:?}");
        }
    }

    #[test]
    fn a_fit_that_is_not_stopped_is_the_same_and_one_that_is_releases_nothing() {
        fits(Logistic);
        fits(Squared);
    }

    /// The flag is set in the middle of a pass, by the pass itself.
    #[test]
    fn a_pass_that_is_stopped_half_way_is_not_used() {
        struct One<'a>(&'a AtomicBool);
        impl Task for One<'_> {
            type Question<'q> = Query<'q>;

            fn chunk(&self) -> usize {
                0
            }

            fn add<L: Loss>(&mut self, _: Query<'_>, _: &L, _: &Partition, _: &[f64], _: &[f64]) {
                assert!(!self.0.swap(true, Ordering::Relaxed), "a block after the one that stopped it");
            }

            fn take(&mut self, _: &Compensated) {}
        }
        let bounds = Bounds::new(1.0).unwrap();
        let records =
            Records::new(Logistic, bounds, OutOfBounds::Clip, vec![0.5; 200], vec![1.0; 200]).unwrap();
        let stop = AtomicBool::new(false);
        let partition = Partition::for_vectors(200, 1);
        let stopped = PassedOn::until(&records, &stop);
        let outcome = stopped.sum(&partition, Query::Value(&[0.0]), &mut [One(&stop)]);
        assert_eq!(outcome, Err(Unavailable));
    }
}
