//! The report on a profile: where the time goes, what calls are made of, how large batches can get.
//!
//! Not here: advice.

use serde::Serialize;

use super::{Table, count, rate, seconds, share};
use crate::fit::{Achieved, Ceilings, Classification, Curve, Fit, NetworkShape};
use crate::law::Scheduler;
use crate::model::{Costs, Ensemble, ModelError};
use crate::profile::{Call, CallTimings, PhaseSeconds, Profile, Variant};
use crate::statistics::Estimate;

/// Lanes that the law is shown for where the run does not interleave.
const SHOWN_LANES: f64 = 64.0;

/// What follows from a profile, for people and as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct ProfileReport {
    /// Seconds of an average iteration.
    pub iteration_seconds: Estimate,
    /// Seconds of each phase, in the order of [`PhaseSeconds::NAMES`].
    pub phase_seconds: Vec<(&'static str, Estimate)>,
    /// The share of forward passes of traversals in an iteration.
    pub forward_share: Estimate,
    /// Mean rows of a forward pass.
    pub mean_batch: Estimate,
    /// Seconds of a call within the run over those of the same call timed alone.
    pub contention: Estimate,
    /// Timed calls with their fits.
    pub calls: Vec<CallReport>,
    /// The in-flight law under every scheduler, in words.
    pub in_flight: Vec<(Scheduler, String)>,
    #[serde(skip)]
    heading: String,
    #[serde(skip)]
    ceilings: Option<Ceilings>,
    #[serde(skip)]
    ceilings_of_all_threads: Option<Ceilings>,
    #[serde(skip)]
    threads: u32,
    #[serde(skip)]
    utilisation: Option<String>,
}

/// Timed calls of one kind, fitted.
#[derive(Clone, Debug, Serialize)]
pub struct CallReport {
    /// Which call.
    pub call: Call,
    /// The engine.
    pub engine: String,
    /// How it computed.
    pub variant: Variant,
    /// The network.
    pub network: NetworkShape,
    /// The fit.
    pub fit: Fit,
    /// The class at the batch that the run has.
    pub at_own_batch: Classification,
    /// What was achieved at each timed batch.
    pub achieved: Vec<Achieved>,
    /// The median share of a call after which the host was free again, where the device tells.
    pub enqueue_share: Option<f64>,
}

impl ProfileReport {
    /// Works out what follows from `profile`.
    ///
    /// # Errors
    /// [`ModelError`] if the profile or a set of its timings is unusable.
    pub fn of(profile: &Profile) -> Result<Self, ModelError> {
        let ensemble = Ensemble::of(profile)?;
        let batch = ensemble.estimate(|costs| costs.traversal.batch());
        let phase = |place: usize| ensemble.estimate(|costs| costs.phases().as_array()[place]);
        let names = PhaseSeconds::NAMES.iter().enumerate();
        let calls = profile.calls.iter().map(|timings| CallReport::of(timings, profile, batch.value));
        Ok(Self {
            iteration_seconds: ensemble.estimate(Costs::iteration_seconds),
            phase_seconds: names.map(|(place, &name)| (name, phase(place))).collect(),
            forward_share: ensemble.estimate(Costs::forward_share),
            mean_batch: batch,
            contention: ensemble.estimate(Costs::call_ratio),
            calls: calls.collect::<Result<_, _>>()?,
            in_flight: law(profile),
            heading: heading(profile),
            ceilings: profile.ceilings,
            ceilings_of_all_threads: profile.ceilings_of_all_threads,
            threads: profile.machine.logical_cores,
            utilisation: utilisation(profile),
        })
    }

    /// The report for terminals.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n\n{}\n", self.heading, self.phases().text());
        let n = self.iteration_seconds.samples;
        text += &format!(
            "Forward passes of traversals take {} of an iteration, at {:.1} rows a call on average; a call within the run takes \
             ×{:.2} of what it takes alone (n = {n} iterations).\n",
            share(&self.forward_share),
            self.mean_batch.value,
            self.contention.value
        );
        if !self.calls.is_empty() {
            text +=
                &format!("\nWhat a call costs: t(B) = a + b·B seconds for B rows\n{}", self.fits().text());
            text += "n½ = a/b: the batch at which half of a call is dispatch. Below a third of it a call is\n\
                     dispatch-bound (more rows are nearly free), above three times it kernel-bound.\n";
            if self.calls.iter().any(CallReport::bends) {
                text += "Bend: calls of few rows all take a seconds, for their kernels end before the next one is sent.\n";
            }
            text += &format!("\nMeasured against fitted\n{}", self.points().text());
            if let (Some(one), Some(all)) = (&self.ceilings, &self.ceilings_of_all_threads) {
                text += &ceilings(one, all, self.threads);
            }
        }
        text += "\nHow large batches can get (rows in flight / networks)\n";
        self.in_flight.iter().for_each(|(scheduler, words)| text += &format!("  {scheduler:<20}{words}\n"));
        if let Some(words) = &self.utilisation {
            text += &format!("\n{words}\n");
        }
        text
    }

    /// Phases with shares.
    pub fn phases(&self) -> Table {
        let mut table = Table::new(&["phase", "time an iteration", "90 % interval", "share"]);
        let total = self.iteration_seconds.value;
        let all = [("iteration", self.iteration_seconds)];
        for &(name, estimate) in self.phase_seconds.iter().chain(&all) {
            let interval = format!("{} to {}", seconds(estimate.low), seconds(estimate.high));
            let part = format!("{:.1} %", 100.0 * estimate.value / total);
            table.push([name.to_owned(), seconds(estimate.value), interval, part]);
        }
        table
    }

    /// One line a kind of call.
    pub fn fits(&self) -> Table {
        let heading =
            ["call", "engine", "network", "dispatch a", "kernel b a row", "n½ rows", "at rows", "class", "n"];
        let mut table = Table::new(&heading);
        for call in &self.calls {
            let fit = &call.fit;
            table.push([
                call.name(),
                call.engine.clone(),
                shape(&call.network),
                with_interval(&fit.dispatch_seconds, seconds),
                with_interval(&fit.kernel_seconds_per_row, seconds),
                with_interval(&fit.half_rate_rows, count),
                count(call.at_own_batch.rows),
                call.at_own_batch.to_string(),
                format!("{} in {} blocks", fit.timings, fit.blocks),
            ]);
        }
        table
    }

    /// One line a timed batch.
    pub fn points(&self) -> Table {
        let mut table =
            Table::new(&["call", "engine", "rows", "median", "a + b·B", "a row", "achieved", "of the roof"]);
        for call in &self.calls {
            for (&(rows, median), achieved) in call.fit.medians.iter().zip(&call.achieved) {
                let roof = self.ceilings.map(|ceilings| 100.0 * achieved.share_of_roof(&ceilings));
                table.push([
                    call.name(),
                    call.engine.clone(),
                    count(rows),
                    seconds(median),
                    seconds(call.fit.cost.curve.seconds(rows)),
                    seconds(median / rows),
                    rate(achieved.flops_per_second, "FLOP/s"),
                    roof.map_or_else(String::new, |roof| format!("{roof:.0} %")),
                ]);
            }
        }
        table
    }
}

impl CallReport {
    fn of(timings: &CallTimings, profile: &Profile, batch: f64) -> Result<Self, ModelError> {
        let CallTimings { call, engine, variant, network, .. } = timings.clone();
        let fit = Fit::of(&timings.timings, profile.build.seed).map_err(|source| ModelError::Fit {
            call,
            engine: engine.clone(),
            variant,
            source,
        })?;
        let own = match call {
            Call::Forward => batch,
            Call::TrainingStep => profile.workload.training.rows_of_a_step(),
        };
        let reached = fit.medians.iter().map(|&(rows, seconds)| match call {
            Call::Forward => Achieved::forward(&network, rows, seconds),
            Call::TrainingStep => Achieved::training_step(&network, rows, seconds),
        });
        Ok(Self {
            at_own_batch: fit.classify(own),
            achieved: reached.collect(),
            enqueue_share: enqueue_share(timings),
            call,
            engine,
            variant,
            network,
            fit,
        })
    }

    /// Whether small batches cost the same.
    fn bends(&self) -> bool {
        matches!(self.fit.cost.curve, Curve::Hinge { .. })
    }

    /// The call in words.
    pub fn name(&self) -> String {
        let variant = match self.variant {
            Variant::Plain => String::new(),
            variant => format!(", {}", variant.name()),
        };
        let bend = if self.bends() { " (bend)" } else { "" };
        format!("{}{variant}{bend}", self.call.name())
    }
}

fn enqueue_share(timings: &CallTimings) -> Option<f64> {
    let shares: Option<Vec<f64>> =
        timings.timings.iter().map(|timing| Some(timing.enqueue_seconds? / timing.seconds)).collect();
    shares.map(|shares| crate::statistics::median(&shares))
}

fn with_interval(estimate: &Estimate, unit: fn(f64) -> String) -> String {
    format!("{} ({} to {})", unit(estimate.value), unit(estimate.low), unit(estimate.high))
}

fn shape(network: &NetworkShape) -> String {
    let NetworkShape { features, actions, hidden_size, num_layers } = network;
    format!("{features} → {hidden_size} × {num_layers} → {actions}")
}

fn law(profile: &Profile) -> Vec<(Scheduler, String)> {
    let flight = profile.workload.traversal.in_flight();
    let lanes = if flight.scheduler.interleaves() { flight.lanes } else { SHOWN_LANES };
    let under = |scheduler: Scheduler| (scheduler, flight.under(scheduler, lanes).to_string());
    Scheduler::ALL.into_iter().map(under).collect()
}

fn heading(profile: &Profile) -> String {
    let (machine, load) = (&profile.machine, &profile.workload);
    // A machine that is called by its processor need not be told twice.
    let cpu = machine.cpu.as_deref().filter(|cpu| !machine.name.contains(*cpu));
    let cpu = cpu.map_or_else(String::new, |cpu| format!(" ({cpu})"));
    format!(
        "Profile of {} on {}{cpu} with {} cores: network {} with {} parameters, scheduler {}, {} workers",
        load.game,
        machine.name,
        machine.logical_cores,
        shape(&load.network),
        count(load.network.parameters()),
        load.traversal.scheduler,
        load.traversal.workers
    )
}

fn utilisation(profile: &Profile) -> Option<String> {
    let utilisation = profile.utilisation?;
    let device = utilisation
        .device_busy_share
        .map_or_else(String::new, |share| format!(", the device {:.0} %", 100.0 * share));
    Some(format!(
        "Busy during traversals: workers {:.0} % of the time{device} (n = {} phases)",
        100.0 * utilisation.worker_busy_share,
        utilisation.samples
    ))
}

/// What one thread and all of them can do, and what a share above 100 % means.
fn ceilings(one: &Ceilings, all: &Ceilings, threads: u32) -> String {
    let both = |ceilings: &Ceilings| {
        let flops = rate(ceilings.flops_per_second, "FLOP/s");
        format!("{flops} and {} to and from memory", rate(ceilings.bytes_per_second, "B/s"))
    };
    format!(
        "The roof is the lower of two measured ceilings: arithmetic, and memory traffic times a call's operations a \
         byte. One thread: {}; {threads} threads: {}.\nMore than 100 %: the weights came from a cache rather \
         than from memory, or products with zeros were left out.\n",
        both(one),
        both(all)
    )
}
