//! One run of a sweep: started, resumed, or read from its result.
//!
//! Not here: comparing cells (see `report`).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use deepcfr_board::Catalogue;
use deepcfr_core::{LearnError, ModelError};
use deepcfr_levers::comparison::SeedResult;
use serde::{Deserialize, Serialize};

use crate::error::{BenchError, SweepFailure};
use crate::profile::Progress;
use deepcfr_config::RunConfig;
use deepcfr_runs::atomic_file;
use deepcfr_runs::machine::{peak_bytes, restart_peak};
use deepcfr_runs::metrics::{IterationMetrics, PhaseSeconds, Quality, read_metrics};
use deepcfr_runs::run_folder::{RunFolder, RunReference};
use deepcfr_train::{Observer, RunEnd, TrainError, resume, train};

const RESULT: &str = "result.json";
/// How often batches are halved before memory is given up on.
const HALVINGS: u32 = 4;

/// One value with one seed.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) value: String,
    pub(super) seed: u64,
    pub(super) config: RunConfig,
}

/// What a finished cell found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellResult {
    /// The value.
    pub value: String,
    /// Its time and learning.
    pub run: SeedResult,
    /// Mean seconds of an iteration in each phase, the first iteration left out.
    pub phases: PhaseSeconds,
    /// Iterations that the means are of.
    pub iterations: usize,
    /// Whether less of the learning metric is better.
    pub lower_is_better: bool,
    /// What the learning metric is.
    pub unit: String,
}

impl Cell {
    pub(super) fn slug(&self) -> String {
        let word = |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '+' { c } else { '-' };
        format!("{}-seed{}", self.value.chars().map(word).collect::<String>(), self.seed)
    }

    /// The cell's result; `None` if `stop` ended its run.
    pub(super) fn run(
        &self,
        catalogue: &Catalogue,
        folder: &Path,
        name: &str,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Option<CellResult>, BenchError> {
        let path = folder.join(RESULT);
        if path.is_file() {
            progress.say(&format!("{name}: finished before"));
            return Ok(Some(read(&path)?));
        }
        fs::create_dir_all(folder).map_err(SweepFailure::io(folder))?;
        restart_peak();
        let (outcome, halvings) = with_smaller_batches(&self.config, |config| {
            self.go_on((catalogue, config), folder, name, progress, stop)
        })?;
        if !outcome.complete {
            return Ok(None);
        }
        let result = self.result(&read_metrics(outcome.folder.path())?, halvings);
        let text = serde_json::to_string_pretty(&result).expect("plain fields become JSON") + "\n";
        atomic_file::write(&path, text.as_bytes()).map_err(SweepFailure::io(&path))?;
        // Nobody resumes a finished cell, and samples are large.
        let checkpoints = outcome.folder.checkpoints();
        fs::remove_dir_all(&checkpoints).map_err(SweepFailure::io(&checkpoints))?;
        progress.say(&format!("{name}: {:.3} s an iteration", result.run.iteration_seconds));
        Ok(Some(result))
    }

    /// Trains from the cell's last checkpoint, or from the start.
    fn go_on(
        &self,
        (catalogue, config): (&Catalogue, &RunConfig),
        folder: &Path,
        name: &str,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<RunEnd, BenchError> {
        let config = RunConfig {
            run: deepcfr_config::RunSection { folder: folder.to_owned(), ..config.run.clone() },
            ..config.clone()
        };
        match begun(folder)? {
            Some(run) => {
                progress.say(&format!("{name}: going on from its last checkpoint"));
                Ok(resume(catalogue, &config, &run, &mut Quiet, stop)?)
            }
            None => {
                progress.say(&format!("{name}: {} iterations", config.run.iterations));
                Ok(train(catalogue, &config, &mut Quiet, stop)?)
            }
        }
    }

    fn result(&self, lines: &[IterationMetrics], batch_halvings: u32) -> CellResult {
        // The first iteration has no networks to ask.
        let counted = if lines.len() > 1 { &lines[1..] } else { lines };
        let count = counted.len().max(1) as f64;
        let mean = |of: fn(&IterationMetrics) -> f64| counted.iter().map(of).sum::<f64>() / count;
        let measured: Vec<(u32, Quality)> = lines
            .iter()
            .filter_map(|line| Some((line.iteration, line.evaluation.as_ref()?.quality()?)))
            .collect();
        let last = measured.last().map(|(_, quality)| *quality);
        CellResult {
            value: self.value.clone(),
            run: SeedResult {
                seed: self.seed,
                curve: measured.iter().map(|(iteration, quality)| (*iteration, quality.value)).collect(),
                iteration_seconds: mean(|line| line.phases.sum() - line.phases.evaluation),
                network_seconds: mean(|line| line.batches.forward_seconds),
                peak_bytes: peak_bytes(),
                batch_halvings,
            },
            phases: mean_phases(counted),
            iterations: counted.len(),
            lower_is_better: last.is_none_or(|quality| quality.lower_is_better),
            unit: last.map_or("points", |quality| quality.unit()).to_owned(),
        }
    }
}

fn mean_phases(lines: &[IterationMetrics]) -> PhaseSeconds {
    let mut sum = PhaseSeconds::default();
    lines.iter().for_each(|line| sum.add(&line.phases));
    sum.scaled(1.0 / lines.len().max(1) as f64)
}

fn read(path: &Path) -> Result<CellResult, BenchError> {
    let text = fs::read_to_string(path).map_err(SweepFailure::io(path))?;
    let parsed = serde_json::from_str(&text);
    Ok(parsed.map_err(|source| SweepFailure::Plan { path: path.to_owned(), source })?)
}

/// The run that was begun in `folder` and has a checkpoint; one without is removed.
fn begun(folder: &Path) -> Result<Option<RunReference>, BenchError> {
    let entries = fs::read_dir(folder).map_err(SweepFailure::io(folder))?.flatten();
    for path in entries.map(|entry| entry.path()).filter(|path| path.is_dir()) {
        if has_checkpoint(&path) {
            return Ok(Some(RunReference { folder: RunFolder::open(&path)?, checkpoint: None }));
        }
        fs::remove_dir_all(&path).map_err(SweepFailure::io(&path))?;
    }
    Ok(None)
}

fn has_checkpoint(run: &Path) -> bool {
    let files = fs::read_dir(run.join("checkpoints")).into_iter().flatten().flatten();
    let mut paths = files.map(|file| file.path());
    paths.any(|path: PathBuf| path.extension().is_some_and(|extension| extension == "ckpt"))
}

/// Runs `work`; where a device runs out of memory, again with batches of half the size.
fn with_smaller_batches<R>(
    config: &RunConfig,
    mut work: impl FnMut(&RunConfig) -> Result<R, BenchError>,
) -> Result<(R, u32), BenchError> {
    let mut config = config.clone();
    for halvings in 0.. {
        match work(&config) {
            Err(error) if halvings < HALVINGS && is_out_of_memory(&error) => {
                config.training.batch_size = (config.training.batch_size / 2).max(1);
                config.traversal.max_batch = (config.traversal.max_batch / 2).max(1);
            }
            outcome => return Ok((outcome?, halvings)),
        }
    }
    unreachable!("the halvings end");
}

fn is_out_of_memory(error: &BenchError) -> bool {
    let BenchError::Train(error) = error else { return false };
    let reason = match error {
        TrainError::Learn(LearnError::Device { reason, .. })
        | TrainError::Model(ModelError::Device { reason, .. }) => reason.to_lowercase(),
        _ => return false,
    };
    ["out of memory", "oom", "memory allocation", "alloc failed"].iter().any(|words| reason.contains(words))
}

/// Hears a run and says nothing.
struct Quiet;

impl Observer for Quiet {}

#[cfg(test)]
mod tests {
    use super::*;
    use deepcfr_config::Base;

    fn out_of_memory() -> BenchError {
        LearnError::Device { device: "test", reason: "CUDA out of memory".to_owned() }.into()
    }

    #[test]
    fn a_device_out_of_memory_gets_smaller_batches_and_it_is_counted() {
        let config = deepcfr_builtin::catalogue().schema().resolve(&Base::Default, &[], None).unwrap();
        let mut tried = Vec::new();
        let (fitted, halvings) = with_smaller_batches(&config, |config| {
            tried.push((config.training.batch_size, config.traversal.max_batch));
            if config.training.batch_size > 256 { Err(out_of_memory()) } else { Ok("fits") }
        })
        .unwrap();
        assert_eq!((fitted, halvings), ("fits", 2));
        assert_eq!(tried, [(1024, 256), (512, 128), (256, 64)]);
        let hopeless = with_smaller_batches(&config, |_| Err::<(), _>(out_of_memory()));
        assert!(hopeless.is_err());
        let other = || LearnError::NoSamples.into();
        let mut calls = 0;
        let failed = with_smaller_batches(&config, |_| {
            calls += 1;
            Err::<(), _>(other())
        });
        assert!(failed.is_err() && calls == 1);
    }
}
