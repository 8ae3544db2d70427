//! Configurations that are compiled in, by name.
//!
//! Not here: which ones there are; they are added to a [`Schema`](crate::Schema).

/// A named configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its file: the keys that differ from the defaults.
    pub text: &'static str,
}

impl Preset {
    /// What it is for, in one line: the first line of its file.
    pub fn summary(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }
}
