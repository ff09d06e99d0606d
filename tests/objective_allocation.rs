//! An evaluation allocates nothing. In a file of its own because it counts for the whole process.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

use asap_dp::data::{Bounds, OutOfBounds, Records};
use asap_dp::loss::{Logistic, Loss, Squared};
use asap_dp::problem::Problem;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, with a count.
struct Counting;

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::SeqCst);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations in some evaluations of each kind.
fn allocations<L: Loss>(loss: L, rows: usize, columns: usize) -> usize {
    let features = (0..rows * columns).map(|k| (k % 7) as f64 / 7.0 / columns as f64).collect();
    let targets = (0..rows).map(|k| if k % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap();
    let records = Records::new(loss, bounds.clone(), OutOfBounds::Refuse, features, targets).unwrap();
    let problem = Problem::new(loss, bounds, columns, 1.0).unwrap();
    let objective = problem.bind(&records).unwrap();
    let (theta, mut workspace) = (vec![0.5; columns], objective.workspace());
    let before = ALLOCATIONS.load(Ordering::SeqCst);
    for _ in 0..5 {
        let _ = objective.evaluate(&theta, &mut workspace).unwrap();
        let _ = objective.evaluate_value(&theta, &mut workspace).unwrap();
        let _ = objective.evaluate_divergence(&theta, &theta, &mut workspace).unwrap();
    }
    ALLOCATIONS.load(Ordering::SeqCst) - before
}

#[test]
fn evaluations_allocate_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let before = ALLOCATIONS.load(Ordering::SeqCst);
        drop(std::hint::black_box(vec![0.0; 10]));
        assert!(ALLOCATIONS.load(Ordering::SeqCst) > before, "the count does not count");

        for (rows, columns) in [(10, 1), (1_000, 11), (30_000, 20)] {
            assert_eq!(allocations(Logistic, rows, columns), 0);
            assert_eq!(allocations(Squared, rows, columns), 0);
        }
    });
}
