//! Runs every batch class of a network shape once on an accelerator, so that kernels are compiled and
//! tuned before anybody waits for them.
//!
//! What is compiled is kept by the runtime for the whole process, so each shape is run once in it,
//! whichever model asks first. Not here: how long a call takes afterwards (see `measure`).

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use burn::tensor::Device;
use deepcfr_core::{Activation, Dense, ModelSpec};

use super::classes::BatchClasses;
use super::{Hidden, padded_forward};
use crate::device::{DeviceError, DeviceName, Precision, guarded};
use crate::network::Network;

/// What warming up has taken in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarmUp {
    /// Batch classes of network shapes that were run.
    pub classes: usize,
    /// Time that they took, compilation and tuning included.
    pub time: Duration,
}

/// One batch class of one network shape on one device.
type Warmed = (DeviceName, &'static str, [usize; 2], Hidden, usize);

static WARMED: Mutex<(BTreeSet<Warmed>, WarmUp)> =
    Mutex::new((BTreeSet::new(), WarmUp { classes: 0, time: Duration::ZERO }));

/// What warming up has taken so far, for reports to tell apart from the work itself.
pub fn warm_up_so_far() -> WarmUp {
    WARMED.lock().unwrap_or_else(PoisonError::into_inner).1
}

/// Runs the classes that this process has not run yet.
pub(super) fn run(
    name: DeviceName,
    precision: Precision,
    spec: ModelSpec,
    hidden: Hidden,
    classes: &BatchClasses,
    device: &Device,
) -> Result<(), DeviceError> {
    let ends = [spec.num_features, spec.num_outputs];
    // Held meanwhile: a second model waits for the first one's kernels in place of compiling them too.
    let mut warmed = WARMED.lock().unwrap_or_else(PoisonError::into_inner);
    let key = |class| (name, precision.word(), ends, hidden, class);
    let open: Vec<usize> =
        classes.sizes().iter().copied().filter(|&class| !warmed.0.contains(&key(class))).collect();
    if open.is_empty() {
        return Ok(());
    }
    let begin = Instant::now();
    let activation = if hidden.gelu { Activation::Gelu } else { Activation::Relu };
    let layers = layers(ends, hidden);
    let network = guarded(name, || Network::new(&layers, activation, precision, device))?;
    for class in open {
        padded_forward(name, &network, &[], [class, ends[0]], device)?;
        warmed.0.insert(key(class));
        warmed.1.classes += 1;
    }
    warmed.1.time += begin.elapsed();
    Ok(())
}

/// Small weights of the shape; what they compute is thrown away.
fn layers(ends: [usize; 2], hidden: Hidden) -> Vec<Dense> {
    let mut widths = vec![hidden.size; hidden.layers + 2];
    (widths[0], widths[hidden.layers + 1]) = (ends[0], ends[1]);
    let layers = widths.windows(2).map(|width| Dense {
        inputs: width[0],
        outputs: width[1],
        weight: vec![0.01; width[0] * width[1]],
        bias: vec![0.01; width[1]],
    });
    layers.collect()
}
