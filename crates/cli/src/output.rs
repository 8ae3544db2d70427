//! Results on standard output.
//!
//! Not here: progress and errors, which go to standard error.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::OnceLock;

/// The program's name, once it runs.
static PROGRAM: OnceLock<&'static str> = OnceLock::new();

/// Has texts that quote commands name the program `name`; the first call counts.
pub(crate) fn name_program(name: &'static str) {
    PROGRAM.get_or_init(|| name);
}

/// `text` with the commands that it quotes called as this program is. The libraries below do not know which
/// program they are part of, and write `deepcfr games`.
pub(crate) fn in_own_words(text: &str) -> Cow<'_, str> {
    quoting(text, PROGRAM.get().copied().unwrap_or(OURS))
}

/// What the libraries' texts call the program.
const OURS: &str = "deepcfr";

fn quoting<'a>(text: &'a str, program: &str) -> Cow<'a, str> {
    let quoted = format!("`{OURS} ");
    if program == OURS || !text.contains(&quoted) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(&quoted, &format!("`{program} ")))
}

/// Prints `text`. A reader that has seen enough (`deepcfr config | head`) is no error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let text = in_own_words(text);
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_commands_have_the_programs_name() {
        let text = "no such bot (`deepcfr games` lists them); deepcfr 0.1.0 made it";
        assert_eq!(
            quoting(text, "own-game"),
            "no such bot (`own-game games` lists them); deepcfr 0.1.0 made it"
        );
        assert!(matches!(quoting(text, "deepcfr"), Cow::Borrowed(_)));
    }
}
