//! `metrics.jsonl` and `metrics.csv`: appended once per iteration, cut back on resume, read back.
//!
//! The JSON lines are the record; the table beside them holds the same figures and is rebuilt from
//! them whenever it does not fit. Not here: what the figures mean.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::IterationMetrics;
use super::csv::{self, CsvTable};
use crate::atomic_file;

const JSONL: &str = "metrics.jsonl";
const CSV: &str = "metrics.csv";
/// Phases may miss the iteration by rounding only.
const PHASE_TOLERANCE_SECONDS: f64 = 1e-6;

/// Why metrics could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum MetricsError {
    /// The file system refused.
    #[error("metrics file {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A new run found metrics of an earlier one.
    #[error("{} exists already: it belongs to another run", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A line that is not a metrics line.
    #[error("{} line {line}: {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Lines that do not count up from 1.
    #[error("{} line {line} is iteration {got}, expected {expected}", path.display())]
    Order {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The iteration that belongs there.
        expected: u32,
        /// The iteration found.
        got: u32,
    },
    /// Fewer lines than the checkpoint to go on from.
    #[error("{} ends at iteration {got}, the checkpoint is at {expected}", path.display())]
    TooShort {
        /// The file.
        path: PathBuf,
        /// The checkpoint's iteration.
        expected: u32,
        /// The last line's.
        got: u32,
    },
    /// Phases that overlap or leave time out.
    #[error("iteration {iteration}: phases sum to {phases} s, the iteration took {seconds} s")]
    Phases {
        /// The iteration.
        iteration: u32,
        /// Sum of the phases.
        phases: f64,
        /// The iteration's own time.
        seconds: f64,
    },
}

/// Appends to the metrics of one run. One per run folder at a time.
#[derive(Debug)]
pub struct MetricsWriter {
    path: PathBuf,
    file: File,
    csv: CsvTable,
    last: u32,
}

impl MetricsWriter {
    /// Starts the metrics of a new run in `folder`.
    ///
    /// # Errors
    /// If there are some already, or if the file system refuses.
    pub fn create(folder: &Path) -> Result<Self, MetricsError> {
        let path = folder.join(JSONL);
        let file = OpenOptions::new().append(true).create_new(true).open(&path);
        let file = file.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => MetricsError::Exists { path: path.clone() },
            _ => io_error(&path)(source),
        })?;
        let csv = CsvTable::rebuild(&folder.join(CSV), &[]).map_err(io_error(&folder.join(CSV)))?;
        Ok(Self { path, file, csv, last: 0 })
    }

    /// Goes on after `iteration`, the checkpoint's: later lines, and an unfinished last one, are
    /// dropped. Iteration 0 keeps nothing. Line `t` must be written before checkpoint `t`.
    ///
    /// # Errors
    /// If a kept line is damaged, if lines up to `iteration` are missing, or if the file system
    /// refuses; the files are then unchanged.
    pub fn resume(folder: &Path, iteration: u32) -> Result<Self, MetricsError> {
        let path = folder.join(JSONL);
        let text = read_text(&path)?;
        let kept: Vec<&str> = complete_lines(&text).take(iteration as usize).collect();
        let lines = parse(&path, kept.iter().copied())?;
        let last = lines.last().map_or(0, |line| line.iteration);
        if last != iteration {
            return Err(MetricsError::TooShort { path, expected: iteration, got: last });
        }
        let kept_text: String = kept.iter().flat_map(|line| [line, "\n"]).collect();
        if kept_text.len() != text.len() {
            atomic_file::write(&path, kept_text.as_bytes()).map_err(io_error(&path))?;
        }
        let csv = CsvTable::rebuild(&folder.join(CSV), &lines).map_err(io_error(&folder.join(CSV)))?;
        let file = OpenOptions::new().append(true).open(&path).map_err(io_error(&path))?;
        Ok(Self { path, file, csv, last })
    }

    /// Appends the next iteration's line to both files; it is with the operating system when this
    /// returns, so that killing the process loses nothing.
    ///
    /// # Errors
    /// If the line is not the next iteration's, if its phases do not add up, or if the file system
    /// refuses.
    pub fn append(&mut self, metrics: &IterationMetrics) -> Result<(), MetricsError> {
        check_phases(metrics)?;
        if metrics.iteration != self.last + 1 {
            return Err(MetricsError::Order {
                path: self.path.clone(),
                line: self.last as usize + 1,
                expected: self.last + 1,
                got: metrics.iteration,
            });
        }
        let mut line = serde_json::to_string(metrics).expect("metrics have string keys and plain values");
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(io_error(&self.path))?;
        self.last = metrics.iteration;
        self.append_to_table(metrics)
    }

    /// A figure that has no column yet (the first evaluation, a new opponent) rebuilds the table.
    fn append_to_table(&mut self, metrics: &IterationMetrics) -> Result<(), MetricsError> {
        let row = csv::flatten(metrics);
        if self.csv.fits(&row) {
            return self.csv.append(&row).map_err(io_error(self.csv.path()));
        }
        let lines = parse(&self.path, complete_lines(&read_text(&self.path)?))?;
        let path = self.csv.path().to_owned();
        self.csv = CsvTable::rebuild(&path, &lines).map_err(io_error(&path))?;
        Ok(())
    }
}

/// Reads the metrics of the run in `folder`, also while it is being written: an unfinished last
/// line is left out.
///
/// # Errors
/// If the file cannot be read, or a finished line is damaged or out of order.
pub fn read_metrics(folder: &Path) -> Result<Vec<IterationMetrics>, MetricsError> {
    let path = folder.join(JSONL);
    parse(&path, complete_lines(&read_text(&path)?))
}

fn check_phases(metrics: &IterationMetrics) -> Result<(), MetricsError> {
    let (phases, seconds) = (metrics.phases.sum(), metrics.iteration_seconds);
    let tolerance = PHASE_TOLERANCE_SECONDS.max(seconds.abs() * PHASE_TOLERANCE_SECONDS);
    // Written so that NaN is refused.
    if (phases - seconds).abs() <= tolerance {
        return Ok(());
    }
    Err(MetricsError::Phases { iteration: metrics.iteration, phases, seconds })
}

/// A line cut in the middle of a character is unfinished, hence dropped anyway.
fn read_text(path: &Path) -> Result<String, MetricsError> {
    let bytes = std::fs::read(path).map_err(io_error(path))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn complete_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'))
}

fn parse<'a>(
    path: &Path,
    lines: impl Iterator<Item = &'a str>,
) -> Result<Vec<IterationMetrics>, MetricsError> {
    let parse_line =
        |(index, text): (usize, &str)| {
            let line = index + 1;
            let metrics: IterationMetrics = serde_json::from_str(text)
                .map_err(|source| MetricsError::Line { path: path.to_owned(), line, source })?;
            let expected = u32::try_from(line).unwrap_or(u32::MAX);
            if metrics.iteration != expected {
                return Err(MetricsError::Order {
                    path: path.to_owned(),
                    line,
                    expected,
                    got: metrics.iteration,
                });
            }
            Ok(metrics)
        };
    lines.enumerate().map(parse_line).collect()
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> MetricsError + '_ {
    move |source| MetricsError::Io { path: path.to_owned(), source }
}
