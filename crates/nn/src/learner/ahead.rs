//! Batches put together on a thread of their own, ahead of the optimiser.
//!
//! A few batches go round: one that the optimiser works on, and others that are filled meanwhile. Which
//! thread fills a batch changes nothing in it.
//!
//! How it ends: (1) the filling thread has put its last batch and leaves; or (2) the optimiser leaves
//! early and drops its ends of both channels, which the filling thread finds closed at its next batch.
//! Either way the scope joins the thread.
//!
//! Not here: what is in a batch.

use std::sync::mpsc::channel;

use super::batch::{Batch, Batches};

/// Batches in circulation. Two would do if the filling thread always ran at once; on a machine whose
/// cores are all busy it runs seldom and for longer, and fills several.
const BATCHES: usize = 4;

/// Runs `train` while the batches of steps `0..steps` are put together ahead of it. `train` is handed an
/// exchange, to be called once a step: it takes a batch whose buffers are free and waits for the step's.
///
/// # Panics
/// If more batches are asked for than there are steps, or the filling thread panics.
pub(super) fn ahead<T>(
    batches: &mut Batches<'_>,
    steps: usize,
    train: impl FnOnce(&mut dyn FnMut(Batch) -> Batch) -> T,
) -> T {
    let (to_train, filled) = channel();
    let (to_fill, empty) = channel::<Batch>();
    // The last one is the caller's first.
    (1..BATCHES).for_each(|_| to_fill.send(Batch::default()).expect("the other end is here"));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for step in 0..steps {
                let Ok(mut batch) = empty.recv() else { return };
                batches.put(step, &mut batch);
                if to_train.send(batch).is_err() {
                    return;
                }
            }
        });
        train(&mut move |used| {
            // After the last batch nobody waits for buffers.
            let _ = to_fill.send(used);
            filled.recv().expect("a batch is filled for every step")
        })
    })
}
