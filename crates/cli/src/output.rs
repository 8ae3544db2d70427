//! Results on standard output.
//!
//! Not here: progress and errors, which go to standard error.

use std::io::{self, Write};

/// Prints `text`. A reader that has seen enough (`deepcfr config | head`) is no error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
