//! The configurations that are compiled in.
//!
//! Not here: their values, which are files in `configs/presets`.

use super::problem::Problem;
use super::suggest;

/// A named configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its file: the keys that differ from the defaults.
    pub text: &'static str,
}

/// Every preset, smallest game first.
pub const PRESETS: &[Preset] = &[
    Preset { name: "kuhn", text: include_str!("../../../../configs/presets/kuhn.toml") },
    Preset { name: "leduc", text: include_str!("../../../../configs/presets/leduc.toml") },
    Preset { name: "leduc-paper", text: include_str!("../../../../configs/presets/leduc-paper.toml") },
    Preset { name: "leduc-13", text: include_str!("../../../../configs/presets/leduc-13.toml") },
    Preset {
        name: "lost-cities-quick",
        text: include_str!("../../../../configs/presets/lost-cities-quick.toml"),
    },
    Preset { name: "lost-cities", text: include_str!("../../../../configs/presets/lost-cities.toml") },
    Preset {
        name: "lost-cities-seed",
        text: include_str!("../../../../configs/presets/lost-cities-seed.toml"),
    },
];

impl Preset {
    /// What it is for, in one line: the first line of its file.
    pub fn summary(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }

    /// The preset called `name`.
    ///
    /// # Errors
    /// Names the nearest one, or all of them.
    pub fn find(name: &str) -> Result<&'static Self, Problem> {
        PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
            let names = || PRESETS.iter().map(|preset| preset.name);
            let remedy = match suggest::nearest(name, names()) {
                Some(nearest) => format!("no such preset; did you mean {nearest}?"),
                None => format!("no such preset; there are {}", names().collect::<Vec<_>>().join(", ")),
            };
            Problem::new("--preset", name, remedy)
        })
    }
}
