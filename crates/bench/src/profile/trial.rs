//! Trying a lever: the projection is written down, the turns are run, the outcome is written down.
//!
//! Not here: the turns (`verify`) and the projection's arithmetic (`deepcfr-levers`).

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use deepcfr_levers::advise::project;
use deepcfr_levers::catalogue::{Decisions, Exactness, LeverId, Situation};
use deepcfr_levers::ledger::{Entry, Ledger, Projection, Setting};
use deepcfr_levers::model::{Costs, Ensemble};
use deepcfr_levers::profile::Profile;
use deepcfr_levers::verify::{Drift, Observed};

use super::settings;
use super::short_run::{Progress, Watch};
use super::verify::{TurnsPlan, turns};
use crate::error::{BenchError, ProfilingError};
use deepcfr_board::Catalogue;
use deepcfr_config::{Base, RunConfig, Schema};

/// A turn takes about so many seconds where nobody says how many iterations it has.
const TURN_SECONDS: f64 = 4.0;
/// Counted iterations of a turn, at least and at most.
const TURN_ITERATIONS: (f64, f64) = (6.0, 30.0);

/// What is tried, and where it is written down.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialPlan {
    /// The lever.
    pub lever: LeverId,
    /// Pairs of turns.
    pub turns: usize,
    /// Counted iterations of a turn; `None`: as many as take some seconds.
    pub iterations: Option<u32>,
    /// Ledgers that it is written to. The first calibrates the projection.
    pub ledgers: Vec<PathBuf>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The keys that the lever sets.
    pub settings: Vec<String>,
    /// What had been projected.
    pub projection: Projection,
    /// What was measured.
    pub observed: Observed,
    /// Whether learning stayed the same.
    pub drift: Drift,
    /// Whether the projection's interval holds the outcome.
    pub covered: bool,
}

/// Tries `plan.lever` on the configuration of `profile`.
///
/// # Errors
/// See [`ProfilingError`] and [`BenchError`]. A trial that fails leaves its projection in the ledgers.
pub fn try_lever(
    catalogue: &Catalogue,
    profile: &Profile,
    plan: &TrialPlan,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<Trial, BenchError> {
    let ready = Ready::of(catalogue.schema(), profile, plan)?;
    let mut ledgers = Vec::new();
    for path in &plan.ledgers {
        ledgers.push(Ledger::open(path).map_err(ProfilingError::from)?);
    }
    let calibration = ledgers.first().map(Ledger::calibration).unwrap_or_default();
    let raw = ready.projected;
    let projection = Projection::new(raw, &calibration);
    let levers = vec![plan.lever.into()];
    let entry = Entry::Projected {
        levers: levers.clone(),
        projection,
        setting: ready.setting.clone(),
        unix_seconds: unix_seconds(),
    };
    append(&mut ledgers, &entry)?;
    let mut watch = Watch { progress, stop };
    watch.say(&format!("{}: {}", plan.lever, ready.settings.join(", ")));
    let turns = turns(catalogue, &ready.without, &ready.with, ready.turns, &mut watch)?;
    let observed = Observed::of(&turns.pairs, profile.build.seed).map_err(ProfilingError::from)?;
    let drift = turns.drift;
    let entry = Entry::verified(levers, projection, observed, drift.clone(), ready.setting, unix_seconds());
    append(&mut ledgers, &entry)?;
    let covered = projection.calibrated.contains(observed.speed_up.value);
    Ok(Trial { settings: ready.settings, projection, observed, drift, covered })
}

/// Everything that a trial needs before anything is run.
struct Ready {
    without: RunConfig,
    with: RunConfig,
    settings: Vec<String>,
    projected: deepcfr_levers::statistics::Estimate,
    setting: Setting,
    turns: TurnsPlan,
}

impl Ready {
    fn of(schema: &Schema, profile: &Profile, plan: &TrialPlan) -> Result<Self, ProfilingError> {
        let lever = plan.lever;
        let ensemble = Ensemble::of(profile)?;
        let workload = &profile.workload;
        let decisions = Decisions::default();
        let situation = Situation { profile, workload, ensemble: &ensemble, decisions };
        let effect = lever.lever().effect;
        let changes = effect.changes(&situation);
        let unprojected = || ProfilingError::NoProjection {
            lever,
            reason: "the calls that it changes were not timed, or the game does not allow it",
        };
        if changes.is_empty() {
            return Err(unprojected());
        }
        let without = base(schema, profile)?;
        let meaning = settings::Situation {
            matches: workload.evaluation.matches,
            other_engine: ensemble.other_engine.as_deref(),
        };
        let settings = settings::settings(&changes, &without, meaning)
            .map_err(|reason| ProfilingError::NotHere { lever, reason: reason.0 })?;
        let with = schema.resolve(&text(&without), &settings, None)?;
        if with == without {
            return Err(ProfilingError::InForce { lever });
        }
        let projection = project(&situation, &[effect], &Default::default()).ok_or_else(unprojected)?;
        let exact = lever.lever().exactness == Exactness::Exact;
        let seeds = if exact { 1 } else { plan.turns as u64 };
        let seconds = ensemble.estimate(Costs::iteration_seconds).value;
        let fitting = (TURN_SECONDS / seconds).clamp(TURN_ITERATIONS.0, TURN_ITERATIONS.1) as u32;
        Ok(Self {
            setting: Setting {
                machine: profile.machine.name.clone(),
                commit: profile.build.commit.clone(),
                config_hash: profile.build.config_hash.clone(),
                seeds: (0..seeds).map(|index| without.run.seed + index).collect(),
            },
            turns: TurnsPlan { exact, turns: plan.turns, iterations: plan.iterations.unwrap_or(fitting) },
            projected: projection.raw,
            without,
            with,
            settings,
        })
    }
}

/// The profile's configuration, with the lanes that its run chose for itself.
fn base(schema: &Schema, profile: &Profile) -> Result<RunConfig, ProfilingError> {
    let text = profile.build.config.clone().ok_or(ProfilingError::NoConfig)?;
    let mut config = schema.resolve_text("the profile", &text)?;
    if !config.traversal.scheduler.is_one_lane() && !profile.workload.traversal.tabulated {
        config.traversal.lanes = Some(profile.workload.traversal.lanes as usize);
    }
    Ok(config)
}

fn text(config: &RunConfig) -> Base {
    Base::Text { source: "the profile".to_owned(), text: config.to_toml() }
}

fn append(ledgers: &mut [Ledger], entry: &Entry) -> Result<(), ProfilingError> {
    for ledger in ledgers {
        ledger.append(entry.clone())?;
    }
    Ok(())
}

fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
