//! A training run on disk: starts or resumes it, writes metrics, checkpoints and the report.
//!
//! Not here: what an iteration does (see `trainer`) and how progress is shown (see the command line).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use deepcfr_board::Catalogue;
use deepcfr_config::RunConfig;
use deepcfr_runs::checkpoint::{CheckpointError, CheckpointStore, Keep};
use deepcfr_runs::machine::MachineInfo;
use deepcfr_runs::metrics::{EvaluationMetrics, IterationMetrics, MetricsWriter, Phase};
use deepcfr_runs::report::{ReportTitle, write_report};
use deepcfr_runs::run_folder::{RunFolder, RunLock, RunReference};

use crate::devices;
use crate::error::TrainError;
use crate::trainer::Trainer;

/// Sees a run as it goes.
pub trait Observer {
    /// The run is ready to start.
    fn started(&mut self, _start: &Start<'_>) {}

    /// An iteration has ended and its line is on disk.
    fn iteration(&mut self, _metrics: &IterationMetrics) {}

    /// A checkpoint is on disk.
    fn checkpoint(&mut self, _iteration: u32) {}
}

/// What an observer is told first.
#[derive(Debug)]
pub struct Start<'a> {
    /// Where everything is written.
    pub folder: &'a RunFolder,
    /// The configuration in force.
    pub config: &'a RunConfig,
    /// The iteration that the run goes on from; 0 for a new run.
    pub iteration: u32,
    /// What memory goes to when everything is full, in words.
    pub memory: String,
    /// Where networks run, in words, where that is not the processor in 32 bits throughout.
    pub devices: Vec<String>,
    /// Why exploitability will not be measured although the configuration asks for it where it can be, in
    /// words.
    pub unmeasured: Option<&'static str>,
    /// Worker threads of traversals.
    pub workers: usize,
    /// Length of a feature row.
    pub num_features: usize,
    /// Number of actions.
    pub num_actions: usize,
    /// Whether rows are answered bit for bit alike whatever shares their batch, so that workers, lanes and
    /// scheduler change no result.
    pub row_invariant: bool,
}

/// How a run ended.
#[derive(Debug)]
pub struct RunEnd {
    /// Where everything is.
    pub folder: RunFolder,
    /// The last line of the metrics, if an iteration was run.
    pub last: Option<IterationMetrics>,
    /// The last evaluated line.
    pub last_evaluated: Option<IterationMetrics>,
    /// Whether all iterations were run.
    pub complete: bool,
}

/// Trains from the start, in a new folder.
///
/// # Errors
/// See [`TrainError`]. A run that fails keeps its folder up to its last checkpoint.
pub fn train(
    catalogue: &Catalogue,
    config: &RunConfig,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<RunEnd, TrainError> {
    let trainer = Trainer::new(config.clone(), catalogue.board(&config.game)?)?;
    let (folder, files) = Files::create(config)?;
    run(trainer, folder, files, observer, stop)
}

/// Goes on from a run's checkpoint (its latest, or the one that `run` names) under `config`.
///
/// # Errors
/// See [`TrainError`]. Nothing is changed before the checkpoint has been read whole.
pub fn resume(
    catalogue: &Catalogue,
    config: &RunConfig,
    run_reference: &RunReference,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<RunEnd, TrainError> {
    let mut trainer = Trainer::new(config.clone(), catalogue.board(&config.game)?)?;
    let (folder, files) = Files::resume(config, run_reference, &mut trainer)?;
    run(trainer, folder, files, observer, stop)
}

/// Evaluates a run's checkpoint under `config`. Returns the iteration it was taken at.
///
/// # Errors
/// See [`TrainError`].
pub fn evaluate(
    catalogue: &Catalogue,
    config: &RunConfig,
    run: &RunReference,
) -> Result<(u32, EvaluationMetrics), TrainError> {
    let mut trainer = Trainer::new(config.clone(), catalogue.board(&config.game)?)?;
    let checkpoints = store(config, &run.folder)?;
    trainer.restore(&mut run.open_in(&checkpoints)?)?;
    let metrics = trainer.evaluate(config.evaluation.extended_every.is_some())?;
    Ok((trainer.iteration(), metrics))
}

/// Iterates to the end or until `stop` is raised.
fn run(
    mut trainer: Trainer,
    folder: RunFolder,
    mut files: Files,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<RunEnd, TrainError> {
    observer.started(&start(&trainer, &folder));
    let (mut last, mut last_evaluated) = (None, None);
    let mut saved = trainer.iteration();
    while !trainer.is_complete() && !stop.load(Ordering::Relaxed) {
        let metrics = trainer.iterate()?;
        files.metrics.append(&metrics)?;
        observer.iteration(&metrics);
        let iteration = metrics.iteration;
        if iteration.is_multiple_of(trainer.config.checkpoint.every) {
            files.save(&mut trainer)?;
            observer.checkpoint(iteration);
            saved = iteration;
        }
        if metrics.evaluation.is_some() {
            report(&trainer.config, &folder)?;
            last_evaluated = Some(metrics.clone());
        }
        last = Some(metrics);
    }
    if trainer.iteration() > saved {
        files.save(&mut trainer)?;
        observer.checkpoint(trainer.iteration());
    }
    report(&trainer.config, &folder)?;
    Ok(RunEnd { folder, last, last_evaluated, complete: trainer.is_complete() })
}

fn start<'a>(trainer: &'a Trainer, folder: &'a RunFolder) -> Start<'a> {
    let config = &trainer.config;
    Start {
        folder,
        config,
        iteration: trainer.iteration(),
        memory: trainer.memory_plan().to_string(),
        devices: devices::notes(config, deepcfr_nn::warm_up_so_far()),
        unmeasured: trainer.unmeasured(),
        workers: config.traversal.workers.unwrap_or(trainer.threads()),
        num_features: trainer.shape().num_features,
        num_actions: trainer.shape().num_actions,
        row_invariant: trainer.row_invariant(),
    }
}

fn report(config: &RunConfig, folder: &RunFolder) -> Result<(), TrainError> {
    let title = ReportTitle { game: config.game_line(), seed: config.run.seed, config_hash: config.hash() };
    write_report(folder, &title)?;
    Ok(())
}

/// What a run has open on disk.
struct Files {
    metrics: MetricsWriter,
    checkpoints: CheckpointStore,
    _lock: RunLock,
}

impl Files {
    fn create(config: &RunConfig) -> Result<(RunFolder, Self), TrainError> {
        let folder = RunFolder::create(&config.run.folder, &config.run.name, SystemTime::now())?;
        folder.write_config(&config.to_toml())?;
        folder.write_machine(&MachineInfo::detect())?;
        let files = Self {
            _lock: folder.lock()?,
            metrics: MetricsWriter::create(folder.path())?,
            checkpoints: store(config, &folder)?,
        };
        Ok((folder, files))
    }

    fn resume(
        config: &RunConfig,
        run: &RunReference,
        trainer: &mut Trainer,
    ) -> Result<(RunFolder, Self), TrainError> {
        let folder = run.folder.clone();
        let lock = folder.lock()?;
        let checkpoints = store(config, &folder)?;
        trainer.restore(&mut run.open_in(&checkpoints)?)?;
        let iteration = trainer.iteration();
        checkpoints.set_aside_after(iteration)?;
        let metrics = MetricsWriter::resume(folder.path(), iteration)?;
        folder.write_config(&config.to_toml())?;
        folder.write_machine(&MachineInfo::detect())?;
        Ok((folder, Self { metrics, checkpoints, _lock: lock }))
    }

    fn save(&self, trainer: &mut Trainer) -> Result<(), TrainError> {
        trainer.switch(Phase::Checkpoint);
        let header = trainer.header();
        self.checkpoints.write(&header, |writer| trainer.save(writer))?;
        trainer.switch(Phase::Other);
        Ok(())
    }
}

fn store(config: &RunConfig, folder: &RunFolder) -> Result<CheckpointStore, CheckpointError> {
    let keep = Keep { every: config.checkpoint.keep.unwrap_or(0) };
    CheckpointStore::open(&folder.checkpoints(), keep)
}
