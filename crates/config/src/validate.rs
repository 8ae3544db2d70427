//! Ranges of values, and combinations that make no sense.
//!
//! Not here: types and unknown keys (see `layers`), and limits of the machine, which the trainer
//! knows once the game's sizes are known.

use std::ops::RangeInclusive;

use deepcfr_core::DeviceName;
use toml::{Table, Value};

use super::dotted::value_at;
use super::game::GameFacts;
use super::problem::{ConfigError, Problem};
use super::run_config::RunConfig;
use super::schema::Schema;
use super::sections::ServerSection;
use super::suggest;
use super::words::{
    Baseline, Continuation, Engine, EvaluatedPolicy, Optimizer, Precision, Sampling, Scheduler, Steps,
};

/// More lanes in all than this would hold more rows in flight than any batch could take.
const MAX_LANES: usize = 1 << 20;
/// More devices than this are in no machine.
const MAX_DEVICES: usize = 64;

/// Checks `config`, which was read from `values`, beside the problems that reading found.
pub(super) fn validate(
    schema: &Schema,
    config: RunConfig,
    values: &Table,
    problems: Vec<Problem>,
) -> Result<RunConfig, ConfigError> {
    let (facts, impossible) = match schema.facts(&config.game) {
        Ok(facts) => (facts, None),
        Err(reason) => (GameFacts::default(), Some(reason)),
    };
    let mut check = Check { schema, facts, values, problems };
    check.ranges(&config);
    check.game(&config, impossible);
    // Defaults stand in for values that could not be read: combinations with them mean nothing.
    if check.problems.is_empty() {
        check.combinations(&config);
    }
    if check.problems.is_empty() { Ok(config) } else { Err(ConfigError { problems: check.problems }) }
}

struct Check<'a> {
    schema: &'a Schema,
    facts: GameFacts,
    values: &'a Table,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn ranges(&mut self, config: &RunConfig) {
        self.run(config);
        self.traversal(config);
        self.server(&config.server);
        self.training(config);
        self.within("network.hidden_size", config.network.hidden_size, 1..=16_384);
        self.within("network.num_layers", config.network.num_layers, 1..=64);
        self.within("memory.advantage_capacity", config.memory.advantage_capacity, 1..=u32::MAX as usize);
        self.within("memory.strategy_capacity", config.memory.strategy_capacity, 1..=u32::MAX as usize);
        self.within("average.archive_capacity", config.average.archive_capacity, 1..=1_000_000);
        self.within("evaluation.every", config.evaluation.every, 1..=u32::MAX);
        self.within("evaluation.deals", config.evaluation.deals, 0..=10_000_000);
        self.within("evaluation.extended_deals", config.evaluation.extended_deals, 1..=10_000_000);
        self.within("checkpoint.every", config.checkpoint.every, 1..=u32::MAX);
    }

    fn run(&mut self, config: &RunConfig) {
        let run = &config.run;
        self.within("run.seed", run.seed, 0..=i64::MAX as u64);
        self.within("run.iterations", run.iterations, 1..=10_000_000);
        self.within("run.threads", run.threads.unwrap_or(0), 0..=1024);
        self.require("run.folder", !run.folder.as_os_str().is_empty(), "give a folder, for example \"runs\"");
        let slug = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_slug = run.name.bytes().all(slug) && (1..=64).contains(&run.name.len());
        self.require("run.name", is_slug, "give at most 64 lower-case letters, digits and hyphens");
        self.compiled("run.device", Some(run.device));
        self.compiled("inference.device", config.inference.device);
        self.compiled("evaluation.device", config.evaluation.device);
    }

    fn compiled(&mut self, key: &str, device: Option<DeviceName>) {
        let Some(device) = device.filter(|device| !self.schema.is_compiled(*device)) else { return };
        let feature = device.kind();
        let remedy = format!(
            "this build has no feature `{feature}`; build with --features {feature}, or give \"cpu\""
        );
        self.require(key, false, &remedy);
    }

    fn traversal(&mut self, config: &RunConfig) {
        let traversal = &config.traversal;
        self.within("traversal.traversals_per_player", traversal.traversals_per_player, 1..=1_000_000_000);
        let is_share = (0.0..=1.0).contains(&traversal.epsilon);
        self.require("traversal.epsilon", is_share, "give a number from 0 to 1");
        self.within("traversal.rollouts", traversal.rollouts, 1..=1_000_000);
        self.within("traversal.workers", traversal.workers.unwrap_or(0), 0..=1024);
        self.within("traversal.lanes", traversal.lanes.unwrap_or(0), 0..=65_536);
        self.within("traversal.max_batch", traversal.max_batch, 1..=1 << 20);
        self.not_negative("traversal.value_clip", traversal.value_clip.unwrap_or(0.0));
    }

    fn server(&mut self, server: &ServerSection) {
        self.within("server.batch_window_us", server.batch_window_us, 0..=1_000_000);
        self.within("server.min_batch", server.min_batch, 1..=1 << 20);
        self.within("server.server_threads", server.server_threads.unwrap_or(0), 0..=1024);
        let few = server.devices.len() <= MAX_DEVICES;
        self.require("server.devices", few, &format!("give at most {MAX_DEVICES} devices"));
        server.devices.iter().for_each(|&device| self.compiled("server.devices", Some(device)));
    }

    fn training(&mut self, config: &RunConfig) {
        let training = &config.training;
        let is_rate = training.learning_rate > 0.0 && training.learning_rate <= 1.0;
        self.require("training.learning_rate", is_rate, "give a number above 0 and at most 1");
        let fraction = training.final_learning_rate_fraction;
        self.within("training.final_learning_rate_fraction", fraction, 0.0..=1.0);
        self.within("training.weight_decay", training.weight_decay, 0.0..=1.0);
        self.not_negative("training.gradient_clip", training.gradient_clip.unwrap_or(0.0));
        self.within("training.batch_size", training.batch_size, 1..=1 << 20);
        self.within("training.advantage_steps", training.advantage_steps, 1..=10_000_000);
        self.within("training.strategy_steps", training.strategy_steps, 1..=10_000_000);
        self.within("training.min_steps", training.min_steps, 1..=10_000_000);
        let is_passes = training.passes > 0.0 && training.passes.is_finite();
        self.require("training.passes", is_passes, "give a number above 0");
    }

    /// Reports the keys that the rules refuse; where none is, why the rules are `impossible` all the same.
    fn game(&mut self, config: &RunConfig, impossible: Option<String>) {
        let game = self.schema.game(config.game.name());
        let refused = game.map(|game| game.refused(config.game.table())).unwrap_or_default();
        for refused in &refused {
            let key = format!("game.{}.{}", config.game.name(), refused.key);
            self.require(&key, false, &refused.remedy);
        }
        // Keys that could not be read have their own lines, and rules made from defaults mean nothing.
        if let (Some(reason), true, true) = (impossible, refused.is_empty(), self.problems.is_empty()) {
            let key = format!("game.{}", config.game.name());
            self.problems.push(Problem::new(key, config.game.parameters().join(", "), reason));
        }
    }

    fn combinations(&mut self, config: &RunConfig) {
        self.steps(config);
        self.lanes(config);
        self.devices(config);
        self.engine(config);
        self.policies(config);
        self.opponents(config, "evaluation.opponents", &config.evaluation.opponents);
        self.opponents(config, "evaluation.extended_opponents", &config.evaluation.extended_opponents);
        let rollout = std::slice::from_ref(&config.traversal.rollout_policy);
        self.opponents(config, "traversal.rollout_policy", rollout);
        let training = &config.training;
        let explores = config.traversal.epsilon > 0.0 || config.traversal.sampling == Sampling::Rollout;
        self.require("traversal.epsilon", explores, "give a number above 0 and at most 1");
        let decays = training.weight_decay == 0.0 || training.optimizer == Optimizer::AdamW;
        self.require("training.weight_decay", decays, "needs training.optimizer = \"adamw\"; or give 0");
        let clips = config.traversal.value_clip.is_none() || config.traversal.sampling == Sampling::Outcome;
        self.require("traversal.value_clip", clips, "needs traversal.sampling = \"outcome\"; or give 0");
        let continues = config.traversal.continuation == Continuation::Strategy
            || config.traversal.sampling == Sampling::Outcome;
        let remedy = "needs traversal.sampling = \"outcome\"; or give \"strategy\"";
        self.require("traversal.continuation", continues, remedy);
        let scored = config.traversal.baseline == Baseline::None
            || (config.traversal.sampling == Sampling::Outcome && self.facts.scored);
        if !scored {
            let remedy = match self.schema.scored_games().join("\" or \"") {
                none if none.is_empty() => {
                    "needs a game with a running score, which none here has; give \"none\"".to_owned()
                }
                games => format!(
                    "needs traversal.sampling = \"outcome\" and game.name = \"{games}\"; or give \"none\""
                ),
            };
            self.require("traversal.baseline", false, &remedy);
        }
        let rolls = config.traversal.sampling == Sampling::Rollout;
        let remedy = "needs traversal.sampling = \"rollout\"; or give \"random\"";
        self.require("traversal.rollout_policy", rolls || rollout[0] == "random", remedy);
        let remedy = "needs traversal.sampling = \"rollout\"; or give 1";
        self.require("traversal.rollouts", rolls || config.traversal.rollouts == 1, remedy);
        let kept = config.checkpoint.keep.is_none_or(|keep| keep.is_multiple_of(config.checkpoint.every));
        self.require("checkpoint.keep", kept, "give a multiple of checkpoint.every, or 0");
        let evaluation = &config.evaluation;
        let extended = evaluation.extended_every.is_none_or(|every| every.is_multiple_of(evaluation.every));
        self.require("evaluation.extended_every", extended, "give a multiple of evaluation.every, or 0");
    }

    fn steps(&mut self, config: &RunConfig) {
        let training = &config.training;
        if training.steps == Steps::Fixed {
            return;
        }
        let fewest = training.min_steps;
        let remedy = format!("give at least training.min_steps, {fewest}");
        self.require("training.advantage_steps", training.advantage_steps >= fewest, &remedy);
        if config.average.policy_network {
            self.require("training.strategy_steps", training.strategy_steps >= fewest, &remedy);
        }
    }

    fn lanes(&mut self, config: &RunConfig) {
        let traversal = &config.traversal;
        let lanes = traversal.lanes.unwrap_or(1);
        if matches!(traversal.scheduler, Scheduler::Recursive | Scheduler::Server) {
            let remedy = format!("scheduler \"{}\" has one lane a worker; give 0", traversal.scheduler);
            self.require("traversal.lanes", lanes == 1, &remedy);
        }
        let total = traversal.workers.unwrap_or(1) * lanes;
        let remedy = format!("give less: workers times lanes is {total}, at most {MAX_LANES} make sense");
        self.require("traversal.lanes", total <= MAX_LANES, &remedy);
        if matches!(traversal.scheduler, Scheduler::Server | Scheduler::InterleavedServer) {
            let remedy = format!("give at most traversal.max_batch, {}", traversal.max_batch);
            self.require("server.min_batch", config.server.min_batch <= traversal.max_batch, &remedy);
        }
    }

    /// Only a server shares rows out among devices.
    fn devices(&mut self, config: &RunConfig) {
        if config.server.devices.is_empty() {
            return;
        }
        let remedy = "needs traversal.scheduler = \"server\" or \"interleaved+server\"; or give []";
        self.require("server.devices", config.traversal.scheduler.is_served(), remedy);
        let remedy = "takes the place of inference.device; give only one of the two";
        self.require("server.devices", config.inference.device.is_none(), remedy);
    }

    /// Engines of the processor have no other device and no other precision.
    fn engine(&mut self, config: &RunConfig) {
        let inference = &config.inference;
        if inference.engine == Engine::Burn {
            return;
        }
        let on_cpu = |device: Option<DeviceName>| device.is_none_or(DeviceName::is_cpu);
        let remedy = "needs inference.engine = \"burn\"; or give \"cpu\"";
        self.require("inference.device", on_cpu(inference.device), remedy);
        let all_on_cpu = config.server.devices.iter().all(|device| device.is_cpu());
        self.require("server.devices", all_on_cpu, remedy);
        self.require("evaluation.device", on_cpu(config.evaluation.device), remedy);
        let remedy = "needs inference.engine = \"burn\"; or give \"f32\"";
        self.require("inference.precision", inference.precision == Precision::F32, remedy);
    }

    fn policies(&mut self, config: &RunConfig) {
        let average = &config.average;
        let any = average.policy_network || average.sd_cfr;
        self.require("average.policy_network", any, "give true here or for average.sd_cfr");
        for policy in &config.evaluation.policies {
            let (made, flag) = match policy {
                EvaluatedPolicy::PolicyNetwork => (average.policy_network, "average.policy_network"),
                EvaluatedPolicy::SdCfr => (average.sd_cfr, "average.sd_cfr"),
                EvaluatedPolicy::Current => (true, ""),
            };
            self.require("evaluation.policies", made, &format!("\"{policy}\" needs {flag} = true"));
        }
        self.unlike("evaluation.policies", &config.evaluation.policies);
    }

    fn opponents(&mut self, config: &RunConfig, key: &str, named: &[String]) {
        let game = config.game.name();
        let known = self.facts.bots.clone();
        for opponent in named {
            let remedy = match suggest::nearest(opponent, known.iter().map(String::as_str)) {
                Some(nearest) => {
                    format!("{game} has no opponent \"{opponent}\"; did you mean \"{nearest}\"?")
                }
                None => format!("{game} has no opponent \"{opponent}\"; it has {}", known.join(", ")),
            };
            self.require(key, known.contains(opponent), &remedy);
        }
        self.unlike(key, named);
    }

    fn unlike<T: PartialEq>(&mut self, key: &str, list: &[T]) {
        let repeated = list.iter().enumerate().any(|(i, entry)| list[..i].contains(entry));
        self.require(key, !repeated, "give each entry once");
    }

    fn not_negative(&mut self, key: &str, value: f64) {
        self.require(key, value >= 0.0 && value.is_finite(), "give a number, 0 or more");
    }

    fn within<T: PartialOrd + std::fmt::Display>(&mut self, key: &str, value: T, range: RangeInclusive<T>) {
        let inside = range.contains(&value);
        self.require(key, inside, &format!("give {} to {}", range.start(), range.end()));
    }

    /// Reports `key` unless `holds`, and unless something is wrong with it already.
    fn require(&mut self, key: &str, holds: bool, remedy: &str) {
        let known = || self.problems.iter().any(|problem| problem.key == key && problem.remedy == remedy);
        if !holds && !known() {
            let value = value_at(self.values, key).map_or_else(String::new, Value::to_string);
            self.problems.push(Problem::new(key, value, remedy));
        }
    }
}
