//! Progress of a run on standard error: a bar on a terminal, plain lines elsewhere, nothing when
//! quiet. Also adds up the phases for the closing table.
//!
//! Not here: what a figure is called (see `figures`).

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use deepcfr_runs::metrics::{IterationMetrics, PhaseSeconds};
use deepcfr_train::{Observer, Start};
use indicatif::{ProgressBar, ProgressStyle};

use crate::figures;

/// Plain lines come no faster than this, evaluated iterations and the last one apart.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

const BAR: &str = "{bar:16} {pos}/{len}  {elapsed}, {eta} to go  {wide_msg}";

/// Shows a run.
pub(crate) struct Progress {
    quiet: bool,
    bar: Option<ProgressBar>,
    headline: Option<String>,
    last_line: Option<Instant>,
    iterations: u32,
    /// Which memories are known to leave samples out.
    full: [bool; 3],
    phases: PhaseSeconds,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            quiet,
            bar: None,
            headline: None,
            last_line: None,
            iterations: 0,
            full: [false; 3],
            phases: PhaseSeconds::default(),
        }
    }

    /// Seconds in each phase since the start or resumption.
    pub(crate) fn phases(&self) -> &PhaseSeconds {
        &self.phases
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None if self.quiet => {}
            None => eprintln!("{line}"),
        }
    }

    /// Says once for each memory that it leaves samples out from now on.
    fn tell_overflow(&mut self, metrics: &IterationMetrics) {
        let [first, second] = metrics.left_out.advantage;
        let full = [first, second, metrics.left_out.strategy].map(|left_out| left_out > 0);
        let told = std::mem::replace(&mut self.full, full);
        let names = ["player 0's advantages", "player 1's advantages", "strategies"];
        let keys = ["advantage_capacity", "advantage_capacity", "strategy_capacity"];
        for memory in (0..names.len()).filter(|&memory| full[memory] && !told[memory]) {
            let floor = metrics.noise_floor.get(memory).copied().flatten();
            let noise = floor.map(|points| {
                format!("; its mean targets keep a noise of about {} points", figures::precise(points))
            });
            self.say(&format!(
                "iteration {}: the memory of {} is full and keeps a uniform choice of what comes (memory.{}){}",
                metrics.iteration,
                names[memory],
                keys[memory],
                noise.unwrap_or_default()
            ));
        }
    }

    fn is_line_due(&mut self, metrics: &IterationMetrics) -> bool {
        let recent = self.last_line.is_some_and(|last| last.elapsed() < LINE_INTERVAL);
        let due = !recent || metrics.evaluation.is_some() || metrics.iteration == self.iterations;
        if due {
            self.last_line = Some(Instant::now());
        }
        due
    }

    fn advance_bar(&self, metrics: &IterationMetrics) {
        let Some(bar) = &self.bar else { return };
        let pace = format!("{} nodes/s", figures::count(metrics.nodes_per_second));
        let headline = self.headline.iter().map(|headline| format!("{headline}  "));
        bar.set_message(headline.collect::<String>() + &pace);
        bar.set_position(metrics.iteration.into());
    }
}

impl Observer for Progress {
    fn started(&mut self, start: &Start<'_>) {
        self.iterations = start.config.run.iterations;
        let workers = start.workers;
        let s = if workers == 1 { "" } else { "s" };
        self.say(&format!(
            "{}: {} features, {} actions, seed {}, {workers} worker{s}",
            start.config.game_line(),
            start.num_features,
            start.num_actions,
            start.config.run.seed
        ));
        self.say(&start.memory);
        if let Some(reason) = start.unmeasured {
            self.say(reason);
        }
        if !start.row_invariant {
            self.say(&format!(
                "engine {}: a row's answer may depend on its batch by rounding, and with it samples on workers, \
                 lanes and scheduler; \"native\" promises the same bits",
                start.config.inference.engine
            ));
        }
        start.devices.iter().for_each(|line| self.say(line));
        let verb = if start.iteration == 0 { "writing to" } else { "resuming" };
        self.say(&format!("{verb} {}", start.folder.path().display()));
        if !self.quiet && std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template(BAR).expect("the template is well-formed");
            let bar = ProgressBar::new(self.iterations.into()).with_style(style);
            bar.set_position(start.iteration.into());
            bar.reset_eta();
            bar.enable_steady_tick(Duration::from_millis(500));
            self.bar = Some(bar);
        }
    }

    fn iteration(&mut self, metrics: &IterationMetrics) {
        self.phases.add(&metrics.phases);
        if let Some(evaluation) = &metrics.evaluation {
            self.headline = figures::headline(evaluation).or(self.headline.take());
        }
        self.advance_bar(metrics);
        self.tell_overflow(metrics);
        let is_line =
            if self.bar.is_some() { metrics.evaluation.is_some() } else { self.is_line_due(metrics) };
        if is_line {
            self.say(&figures::iteration(metrics, self.iterations));
            for line in metrics.evaluation.iter().flat_map(figures::evaluation) {
                self.say(&format!("  {line}"));
            }
        }
    }
}

impl Drop for Progress {
    /// Leaves the terminal to whatever is printed next, an error too.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
