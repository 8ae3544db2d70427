//! What a lever means for a configuration: the keys to set.
//!
//! Not here: what it does to the cost model, from whose changes these follow, so that what is tried is
//! what was projected.

use deepcfr_levers::model::{Alternative, Change};

use deepcfr_config::{RunConfig, Steps};

/// Games of a deal: seats are swapped.
const GAMES_OF_A_DEAL: f64 = 2.0;

/// Why a change cannot be made by any key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotHere(pub(super) &'static str);

/// What a change means depends on, beside the configuration.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Situation<'a> {
    /// Matches of an evaluation.
    pub(super) matches: u32,
    /// The fastest other engine that was timed.
    pub(super) other_engine: Option<&'a str>,
}

/// The `section.key=value` assignments that turn `config` into what `changes` describe.
///
/// # Errors
/// [`NotHere`] if this program has no key for a change.
pub(super) fn settings(
    changes: &[Change],
    config: &RunConfig,
    situation: Situation<'_>,
) -> Result<Vec<String>, NotHere> {
    let mut all = Vec::new();
    for change in changes {
        all.extend(of(change, config, situation)?);
    }
    Ok(all)
}

fn of(change: &Change, config: &RunConfig, situation: Situation<'_>) -> Result<Vec<String>, NotHere> {
    let Situation { matches, other_engine } = situation;
    let training = &config.training;
    let set = |key: &str, value: f64| format!("{key}={value}");
    Ok(match *change {
        Change::Schedule(scheduler, lanes) => {
            let lanes = if scheduler.interleaves() { lanes } else { 0.0 };
            let mut keys = vec![format!("traversal.scheduler={scheduler}"), set("traversal.lanes", lanes)];
            // Only a server has several devices.
            if !scheduler.shares_calls() && !config.server.devices.is_empty() {
                keys.push("server.devices=[]".to_owned());
            }
            keys
        }
        Change::Lanes(lanes) => vec![set("traversal.lanes", lanes)],
        Change::Workers(workers) => vec![set("traversal.workers", workers)],
        Change::MaxBatch(rows) => vec![set("traversal.max_batch", rows)],
        Change::Forward(Alternative::Engine) => {
            let other = other_engine.ok_or(NotHere("no other engine was timed"))?;
            vec![format!("inference.engine={other}")]
        }
        Change::Forward(Alternative::MixedPrecision) => vec!["inference.precision=bf16".to_owned()],
        Change::Step(Alternative::MixedPrecision) => vec!["training.precision=bf16".to_owned()],
        Change::Network(shape) => vec![
            format!("network.hidden_size={}", shape.hidden_size),
            format!("network.num_layers={}", shape.num_layers),
        ],
        Change::TrainingBatch(rows) => vec![set("training.batch_size", rows)],
        Change::TrainingSteps(factor) if training.steps == Steps::Fixed => {
            let times = |steps: usize| (steps as f64 * factor).round().max(1.0);
            vec![
                set("training.advantage_steps", times(training.advantage_steps)),
                set("training.strategy_steps", times(training.strategy_steps)),
            ]
        }
        // Scaled steps follow the batch by themselves.
        Change::TrainingSteps(_) => Vec::new(),
        Change::EvaluationEvery(every) => vec![set("evaluation.every", every)],
        Change::EvaluationGames(games) if matches > 0 => {
            let deals = (games / (GAMES_OF_A_DEAL * f64::from(matches))).round().max(1.0);
            vec![set("evaluation.deals", deals)]
        }
        Change::EvaluationGames(_) => Vec::new(),
        // Evaluation's batches follow the scheduler.
        Change::EvaluationBatch(_) => Vec::new(),
        Change::Tabulate(infosets) => vec![set("traversal.tabulate_below", infosets)],
        Change::Step(Alternative::Engine) => return Err(NotHere("only one engine trains")),
        Change::Rows(_) | Change::FreeKernels => {
            return Err(NotHere("it is a limit to compare with, not a configuration"));
        }
    })
}

#[cfg(test)]
mod tests {
    use deepcfr_levers::law::Scheduler;

    use super::*;
    use deepcfr_config::{Base, Engine, Schema};

    fn builtin() -> Schema {
        deepcfr_builtin::catalogue().schema().clone()
    }

    #[test]
    fn changes_become_keys_that_the_configuration_knows() {
        let config = builtin().resolve(&Base::Default, &[], None).unwrap();
        let changes = [
            Change::Schedule(Scheduler::InterleavedServer, 32.0),
            Change::MaxBatch(512.0),
            Change::Lanes(128.0),
            Change::Workers(2.0),
            Change::Forward(Alternative::Engine),
            Change::TrainingBatch(2048.0),
            Change::TrainingSteps(0.5),
            Change::EvaluationEvery(5.0),
            Change::EvaluationGames(1000.0),
            Change::EvaluationBatch(64.0),
            Change::Tabulate(288.0),
        ];
        let situation = Situation { matches: 3, other_engine: Some("onnxruntime") };
        let sets = settings(&changes, &config, situation).unwrap();
        let text = config.to_toml();
        let with = builtin().resolve(&Base::Text { source: "run".to_owned(), text }, &sets, None).unwrap();
        assert_eq!(with.traversal.scheduler.word(), "interleaved+server");
        assert_eq!((with.traversal.lanes, with.traversal.max_batch), (Some(128), 512));
        assert_eq!((with.inference.engine, with.training.batch_size), (Engine::OnnxRuntime, 2048));
        assert_eq!((with.training.advantage_steps, with.training.strategy_steps), (375, 375));
        assert_eq!((with.evaluation.every, with.evaluation.deals), (5, 167));
        assert_eq!(with.traversal.tabulate_below, Some(288));
    }

    #[test]
    fn a_scheduler_without_a_server_has_no_list_of_devices() {
        let sets = ["traversal.scheduler=server", "server.devices=[\"cpu\", \"cpu\"]"].map(str::to_owned);
        let config = builtin().resolve(&Base::Default, &sets, None).unwrap();
        for (scheduler, devices) in [(Scheduler::Interleaved, 0), (Scheduler::InterleavedServer, 2)] {
            let sets = settings(&[Change::Schedule(scheduler, 8.0)], &config, Situation::default()).unwrap();
            let base = Base::Text { source: "run".to_owned(), text: config.to_toml() };
            assert_eq!(builtin().resolve(&base, &sets, None).unwrap().server.devices.len(), devices);
        }
    }

    #[test]
    fn what_no_key_can_change_is_said() {
        let config = builtin().resolve(&Base::Default, &[], None).unwrap();
        let nothing = Situation::default();
        let engine = Change::Forward(Alternative::Engine);
        for change in [Change::Step(Alternative::Engine), Change::FreeKernels, engine] {
            assert!(settings(&[change], &config, nothing).is_err());
        }
        assert_eq!(settings(&[Change::EvaluationGames(9.0)], &config, nothing), Ok(Vec::new()));
    }
}
