//! The command line: commands, options and their help.
//!
//! Not here: the keys of a configuration, which `deepcfr config --manual` prints.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use deepcfr_train::config::{Base, PRESETS};

/// Deep Counterfactual Regret Minimization for imperfect-information games.
#[derive(Debug, Parser)]
#[command(name = "deepcfr", version, propagate_version = true, subcommand_required = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Train a strategy, or resume a run.
    #[command(after_help = presets_help())]
    Train(TrainArguments),
    /// Evaluate a run's checkpoint.
    Eval(EvalArguments),
    /// List the games with their parameters and sizes.
    Games,
    /// Print a resolved configuration, check one, or print the manual of all keys.
    #[command(after_help = presets_help())]
    Config(ConfigArguments),
    /// Measure parts of the system on this machine.
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Show what a run did and which checkpoints it has.
    Inspect(InspectArguments),
}

/// Where a configuration comes from.
#[derive(Debug, Args)]
pub(crate) struct ConfigSource {
    /// Start from this preset [default: none, the default configuration]
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub(crate) preset: Option<String>,
    /// Start from this TOML file [default: none, the default configuration]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Set one key, for example --set run.iterations=50; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Set run.seed [default: the configuration's, 1]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct TrainArguments {
    #[command(flatten)]
    pub(crate) source: ConfigSource,
    /// Go on with this run: its folder, its name in `runs`, or one of its checkpoints. With --set,
    /// only keys may change that do not change what is learned
    #[arg(long, value_name = "RUN", conflicts_with_all = ["preset", "config", "seed"])]
    pub(crate) resume: Option<String>,
    /// Show no progress, only the result
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EvalArguments {
    /// The run: its folder, its name in `runs`, or one of its checkpoints [default checkpoint: the
    /// latest]
    pub(crate) run: String,
    /// Set one key of [evaluation], for example --set evaluation.deals=1000, or one that changes speed
    /// only; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Time the same traversals under every scheduler, in turns, with real networks.
    #[command(after_help = presets_help())]
    Schedulers(BenchSchedulersArguments),
}

#[derive(Debug, Args)]
pub(crate) struct BenchSchedulersArguments {
    #[command(flatten)]
    pub(crate) source: ConfigSource,
    /// How often each scheduler has its turn
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) turns: usize,
    /// Print JSON, one object a scheduler
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    #[command(flatten)]
    pub(crate) source: ConfigSource,
    /// Print nothing but problems
    #[arg(long)]
    pub(crate) check: bool,
    /// Print the manual of all keys, as Markdown
    #[arg(long, conflicts_with_all = ["preset", "config", "set", "seed", "check"])]
    pub(crate) manual: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// The run: its folder, its name in `runs`, or one of its checkpoints
    pub(crate) run: String,
}

impl ConfigSource {
    /// What lies directly over the defaults.
    pub(crate) fn base(&self) -> Base {
        match (&self.preset, &self.config) {
            (Some(name), _) => Base::Preset(name.clone()),
            (None, Some(path)) => Base::File(path.clone()),
            (None, None) => Base::Default,
        }
    }
}

fn presets_help() -> String {
    let width = PRESETS.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let lines = PRESETS.iter().map(|preset| format!("\n  {:width$}  {}", preset.name, preset.summary()));
    format!("Presets:{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_preset_and_a_file_exclude_each_other() {
        let parsed =
            Arguments::try_parse_from(["deepcfr", "train", "--preset", "leduc", "--config", "a.toml"]);
        assert_eq!(parsed.unwrap_err().kind(), clap::error::ErrorKind::ArgumentConflict);
        let parsed = Arguments::try_parse_from(["deepcfr", "train", "--resume", "x", "--seed", "2"]);
        assert_eq!(parsed.unwrap_err().kind(), clap::error::ErrorKind::ArgumentConflict);
    }

    #[test]
    fn help_lists_every_preset_and_says_what_holds_by_default() {
        let mut command = Arguments::command();
        let help = command.find_subcommand_mut("train").unwrap().render_help().to_string();
        assert!(PRESETS.iter().all(|preset| help.contains(preset.name)), "{help}");
        assert_eq!(help.matches("[default: ").count(), 3, "{help}");
    }
}
