//! The same rows with another class against the rest. spec: `own:one-against-rest`

use super::partition::Partition;
use super::source::rows::{Summed, SummedRows, Task};
use super::source::{Here, SumClaim, Sums};
use super::sums::Compensated;
use crate::bounds::Bounds;
use crate::loss::{AgainstRest, Loss};
use crate::private::Private;

/// The rows of another source, asked with a loss of one class against the rest. Nothing is copied.
pub(crate) struct Relabelled<'a, S> {
    source: &'a S,
    loss: AgainstRest,
}

impl<'a, S: Here + SummedRows<Loss = AgainstRest>> Relabelled<'a, S> {
    /// The labels of the rows were admitted for as many classes: what is asked is which of them is the positive one.
    pub(crate) fn new(source: &'a S, loss: AgainstRest) -> Option<Self> {
        (source.loss().class_count() == loss.class_count()).then_some(Self { source, loss })
    }
}

impl<S: Here + SummedRows<Loss = AgainstRest>> SummedRows for Relabelled<'_, S> {
    type Loss = AgainstRest;

    fn rows(&self) -> usize {
        self.source.rows()
    }

    fn sum<T: Task>(&self, partition: &Partition, question: T::Question<'_>, tasks: &mut [T]) -> Summed {
        let mut tasks: Vec<_> = tasks.iter_mut().map(|task| Asked { task, loss: &self.loss }).collect();
        self.source.sum(partition, question, &mut tasks)
    }
}

/// A task that is asked with another loss.
struct Asked<'a, T> {
    task: &'a mut T,
    loss: &'a AgainstRest,
}

impl<T: Task> Task for Asked<'_, T> {
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
        self.task.add(question, self.loss, partition, features, targets);
    }

    // Never called: the rows are here.
    fn take(&mut self, chunk: &Compensated) {
        self.task.take(chunk);
    }
}

impl<S: Here + SummedRows<Loss = AgainstRest>> Sums for Relabelled<'_, S> {
    fn dimension(&self) -> usize {
        self.source.dimension()
    }

    fn bounds(&self) -> &Bounds {
        self.source.bounds()
    }

    fn loss(&self) -> &AgainstRest {
        &self.loss
    }

    fn count(&self) -> Private<u64> {
        self.source.count()
    }

    fn claim(&self) -> SumClaim {
        self.source.claim()
    }
}
