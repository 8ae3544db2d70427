//! `deepcfr arena`: everybody against everybody, as tables.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use deepcfr_arena::{ArenaRequest, Watch, arena, markdown, write_arena};
use indicatif::{ProgressBar, ProgressStyle};

use super::default_folder;
use crate::arguments::ArenaArguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::figures;
use crate::output::print;

pub(crate) fn run(context: &Context, arguments: &ArenaArguments) -> Result<(), CommandError> {
    let task = request(arguments).task(&context.catalogue, &default_folder(context)?)?;
    let progress = Progress::new(arguments.quiet);
    let report = arena(&context.catalogue, &task, &progress)?;
    progress.close();
    if let Some(folder) = &arguments.out {
        let files = write_arena(folder, &report)?;
        if !arguments.quiet {
            files.iter().for_each(|file| eprintln!("{}", file.display()));
        }
    }
    match &arguments.json {
        Some(path) if path == Path::new("-") => return Ok(print(&report.to_json())?),
        Some(path) => write(path, &report.to_json())?,
        None => {}
    }
    Ok(print(&markdown(&report))?)
}

fn request(arguments: &ArenaArguments) -> ArenaRequest {
    ArenaRequest {
        contestants: arguments.contestants.clone(),
        game: arguments.game.clone(),
        set: arguments.set.clone(),
        games: arguments.games,
        precision: arguments.precision,
        until_decided: arguments.until_decided,
        mirrors: arguments.mirrors,
        seed: arguments.seed,
        threads: arguments.threads,
    }
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    std::fs::write(path, text).map_err(|source| CommandError::File { path: path.to_owned(), source })
}

const BAR: &str = "{bar:16} {human_pos}/{human_len} games  {elapsed}, {eta} to go";
/// Plain lines come no faster than this.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Progress on standard error: a bar on a terminal, a line now and then elsewhere.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    start: Instant,
    planned: AtomicU64,
    finished: AtomicU64,
    /// When the next line is due, in milliseconds since the start.
    next_line: AtomicU64,
}

impl Progress {
    pub(super) fn new(quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template(BAR).expect("the template is well-formed");
            let bar = ProgressBar::new(0).with_style(style);
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        Self {
            bar,
            quiet,
            start: Instant::now(),
            planned: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            next_line: AtomicU64::new(LINE_INTERVAL.as_millis() as u64),
        }
    }

    /// Leaves the terminal to the result, after a line on the time that it took.
    pub(super) fn close(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if !self.quiet {
            let (games, seconds) =
                (self.finished.load(Ordering::Relaxed), self.start.elapsed().as_secs_f64());
            let rate = figures::count(games as f64 / seconds.max(1e-9));
            eprintln!("{games} games in {}, {rate} a second", figures::duration(seconds));
        }
    }

    fn say(&self, finished: u64) {
        let elapsed = self.start.elapsed();
        let (now, due) = (elapsed.as_millis() as u64, self.next_line.load(Ordering::Relaxed));
        let later = now + LINE_INTERVAL.as_millis() as u64;
        let mine = now >= due
            && self.next_line.compare_exchange(due, later, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if mine {
            let planned = self.planned.load(Ordering::Relaxed);
            let left = elapsed.as_secs_f64() / finished as f64 * planned.saturating_sub(finished) as f64;
            eprintln!("{finished} of {planned} games, {} to go", figures::duration(left));
        }
    }
}

impl Watch for Progress {
    fn planned(&self, games: u64) {
        let planned = self.planned.fetch_add(games, Ordering::Relaxed) + games;
        if let Some(bar) = &self.bar {
            bar.set_length(planned);
        }
    }

    fn finished(&self) {
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        // Looking at the clock costs more than a short game.
        match &self.bar {
            Some(bar) if finished.is_multiple_of(16) => bar.set_position(finished),
            None if !self.quiet && finished.is_multiple_of(16) => self.say(finished),
            _ => {}
        }
    }
}
