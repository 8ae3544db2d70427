//! The stages of training on this CPU, each against what limits it.
//!
//! Stages take turns of short stretches, so that a disturbance of the machine falls on all alike; a
//! stage's speed is the median of its stretches. Its fastest stretch is held against the limits, which are
//! measured before and after. Not here: whole iterations (see `profile`), schedulers against each other (see
//! `scheduler_bench`), and text.

mod fingerprint;
mod games;
mod limits;
mod networks;
mod sizes;
mod stage;
mod traversal;

use std::path::Path;

use serde::Serialize;

use deepcfr_config::{Base, RunConfig};
use deepcfr_train::Trainer;

use crate::error::BenchError;
use deepcfr_runs::machine::MachineInfo;

pub use fingerprint::Fingerprint;
pub use limits::CpuLimits;
pub use sizes::{SizeCost, SizeModel};
pub use stage::{Limit, StageSpeed};

/// The preset whose rows, networks and traversals are measured: 365 features, 3 layers of 512.
const PRESET: &str = "lost-cities-seed";

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct CpuReport {
    /// The machine and the build.
    pub machine: MachineInfo,
    /// What the machine can do at most.
    pub limits: CpuLimits,
    /// The stages.
    pub stages: Vec<StageSpeed>,
    /// Forward passes of networks of other sizes.
    pub sizes: Vec<SizeCost>,
}

impl CpuReport {
    /// Draws costs against sizes into `sizes.svg` of `folder`.
    ///
    /// # Errors
    /// If the plot cannot be drawn or written.
    pub fn plot(&self, folder: &Path) -> Result<(), BenchError> {
        sizes::plot(folder, &self.sizes)
    }

    /// The report as JSON.
    ///
    /// # Panics
    /// Never: the figures have a JSON form.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("figures have a JSON form") + "\n"
    }
}

/// Measures every stage in `turns` turns; `say` is told what comes next.
///
/// # Errors
/// See [`BenchError`].
pub fn bench_cpu(turns: usize, say: &mut dyn FnMut(&str)) -> Result<CpuReport, BenchError> {
    let config = preset();
    say("what the machine can do at most");
    let before = CpuLimits::measure();
    say("games");
    let mut stages = stage::take_turns(games::stages(), turns)?;
    let bench = traversal::Bench { config: &config, threads: before.threads, turns, say: &mut *say };
    let (more, sizes) = bench.run()?;
    stages.extend(more);
    say("what the machine can do at most, once more");
    let limits = before.best(&CpuLimits::measure());
    let stages = stages.into_iter().map(|stage| stage.against(&limits)).collect();
    Ok(CpuReport { machine: MachineInfo::detect(), limits, stages, sizes })
}

/// What seeded work gives; a change of speed must not change it.
///
/// # Errors
/// See [`BenchError`].
pub fn fingerprint() -> Result<Fingerprint, BenchError> {
    Fingerprint::compute(&preset())
}

/// A trainer of a built-in game.
fn trainer(config: RunConfig) -> Result<Trainer, BenchError> {
    let board = deepcfr_builtin::catalogue().board(&config.game)?;
    Ok(Trainer::new(config, board)?)
}

fn preset() -> RunConfig {
    let preset = Base::Preset(PRESET.to_owned());
    let resolved = deepcfr_builtin::catalogue().schema().resolve(&preset, &[], None);
    resolved.expect("the presets that come with the program are valid")
}
