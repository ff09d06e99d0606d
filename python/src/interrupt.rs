//! Work beside the interpreter, which stays able to notice Ctrl-C.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How long a signal may wait until it is noticed.
const PATIENCE: Duration = Duration::from_millis(20);

/// Does the work in another thread, without the interpreter's lock. When a signal raises an exception here (Ctrl-C
/// does), the flag is set, the work is waited for, whatever it came to is dropped, and the exception is what is left.
pub(crate) fn beside<T: Send>(py: Python<'_>, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let stop = &AtomicBool::new(false);
    thread::scope(|scope| {
        let (done, mut waiting) = channel();
        let worker = scope.spawn(move || {
            // The receiver is gone only if the outcome is not wanted.
            let _ = done.send(work(stop));
        });
        loop {
            let outcome;
            (waiting, outcome) = py.detach(move || {
                let outcome = waiting.recv_timeout(PATIENCE);
                (waiting, outcome)
            });
            // Also when the work is done: who has interrupted a fit gets no release.
            if let Err(signal) = py.check_signals() {
                stop.store(true, Ordering::Relaxed);
                drop(outcome);
                let _ = py.detach(move || worker.join().map_err(drop));
                return Err(signal);
            }
            match outcome {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    // Joined here, so that the scope does not panic as well.
                    let _ = worker.join();
                    let text = "internal check failed; nothing is released, and the budget counts as spent";
                    return Err(PyRuntimeError::new_err(text));
                }
            }
        }
    })
}
