//! Ctrl-C (and a polite kill): the first asks the run to end cleanly, the second ends it at once.
//!
//! Not here: what a clean end is; the run looks at the flag between iterations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell reports for a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Watches from now on; the flag turns true at the first signal.
///
/// `message` says then what comes next.
pub(crate) fn watch(message: &'static str) -> Result<Arc<AtomicBool>, ctrlc::Error> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        eprintln!("\n{message}");
    })?;
    Ok(stop)
}
