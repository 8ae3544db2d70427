//! The command line: commands and options.
//!
//! Not here: help that depends on the program (see `help`), and the keys of a configuration, which
//! `deepcfr config --manual` prints.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use deepcfr_arena::export::{ExportFormat, ExportNetwork};
use deepcfr_config::Base;

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
    Train(TrainArguments),
    /// Evaluate a run's checkpoint.
    Eval(EvalArguments),
    /// Solve a small game by a tabular algorithm, or compare several.
    Solve(SolveArguments),
    /// Measure how far a strategy can be exploited: exactly, or from below by learning to.
    Exploit(ExploitArguments),
    /// Let bots, runs, checkpoints and solutions play each other over mirrored deals.
    Arena(ArenaArguments),
    /// List the games with their parameters and sizes.
    Games(GamesArguments),
    /// List the devices that networks can run on, and what each engine promises.
    Devices,
    /// Print a resolved configuration, check one, or print the manual of all keys.
    Config(ConfigArguments),
    /// Measure parts of the system on this machine.
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Measure where the time of a configuration goes on this machine: phases, calls of networks, ceilings.
    Profile(ProfileArguments),
    /// Say which optimisations are worth doing now, from a measured profile; or try one.
    Advise(AdviseArguments),
    /// Run a configuration over sizes of the model or over values of a key, with matched seeds.
    Sweep(SweepArguments),
    /// Show what a run did and which checkpoints it has.
    Inspect(InspectArguments),
    /// Write a run's networks as ONNX or safetensors, with a card that says how to use them.
    Export(ExportArguments),
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

#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    /// The profile, a JSON file that `deepcfr profile` wrote [default: the newest in `runs`]
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Ask about another configuration, for example
    /// --what-if network.hidden_size=1024,evaluation.every=5
    #[arg(long, value_name = "KEY=VALUE,...")]
    pub(crate) what_if: Option<String>,
    /// Try a lever: write its projection down, run the profile's configuration without and with it in
    /// turns, and write down what was observed. Names: `deepcfr advise` lists them
    #[arg(long, value_name = "LEVER", conflicts_with = "what_if")]
    pub(crate) verify: Option<String>,
    /// With --verify: pairs of turns
    #[arg(long, value_name = "N", default_value_t = 4, requires = "verify")]
    pub(crate) turns: usize,
    /// With --verify: counted iterations of a turn [default: as many as take some seconds]
    #[arg(long, value_name = "N", requires = "verify")]
    pub(crate) iterations: Option<u32>,
    /// The ledger of projections and what became of them [default: runs/levers.jsonl]
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    #[command(flatten)]
    pub(crate) source: ConfigSource,
    /// Fewer iterations and timings: wider intervals in a fraction of the time
    #[arg(long)]
    pub(crate) quick: bool,
    /// Time networks of these sizes too, for example 1024x6 (hidden size x hidden layers)
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) sizes: Vec<String>,
    /// A new file (*.json) for the profile alone, or a new folder for it and its plots
    /// [default: runs/<date>-profile-<name>]
    #[arg(long, value_name = "FILE|FOLDER")]
    pub(crate) out: Option<PathBuf>,
}

/// What a sweep is over that is more than one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SweepOver {
    /// Sizes of the networks, with a decision: adopt, keep, or wait.
    ModelSize,
}

#[derive(Debug, Args)]
pub(crate) struct SweepArguments {
    /// What to sweep over, if not one key
    #[arg(value_enum)]
    pub(crate) what: Option<SweepOver>,
    /// Sweep over values of this key, for example traversal.lanes=16,64,256
    #[arg(long, value_name = "KEY=VALUE,...", conflicts_with = "what")]
    pub(crate) over: Option<String>,
    #[command(flatten)]
    pub(crate) source: ConfigSource,
    /// With model-size: sizes beside the configuration's own [default:
    /// 512x3,768x4,1024x6,1536x8]
    #[arg(long, value_name = "SIZES", value_delimiter = ',', requires = "what")]
    pub(crate) grid: Vec<String>,
    /// Iterations of every run [default: the configuration's run.iterations]
    #[arg(long, value_name = "N")]
    pub(crate) iterations: Option<u32>,
    /// Seeds that every value is run with, counted up from the configuration's
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) seeds: u32,
    /// A new folder [default: runs/<date>-sweep-<what>]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with the sweep in this folder, or of this name in `runs`
    #[arg(long, value_name = "SWEEP", conflicts_with_all = ["what", "over", "preset", "config", "set", "seed", "grid", "iterations", "seeds", "out"])]
    pub(crate) resume: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Time the same traversals under every scheduler, in turns, with real networks.
    Schedulers(BenchSchedulersArguments),
    /// Time forward passes of the inference engines, in turns, on rows of real games.
    ///
    /// The game, the activation and what [inference] says come from the configuration, by default that of
    /// the preset lost-cities.
    Inference(BenchInferenceArguments),
    /// Measure this processor's limits, and every stage of training on it against them.
    Cpu(BenchCpuArguments),
    /// Time a device by itself: forward passes, dispatch and computation apart, and training steps.
    Device(BenchDeviceArguments),
}

#[derive(Debug, Args)]
pub(crate) struct BenchInferenceArguments {
    #[command(flatten)]
    pub(crate) source: ConfigSource,
    /// The engines; the first is what the others are compared with [default: all that can be used
    /// here]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) engines: Vec<String>,
    /// Rows of a call
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [1, 4, 16, 64, 256, 1024])]
    pub(crate) batches: Vec<usize>,
    /// Networks: hidden size x hidden layers
    #[arg(long, value_name = "SIZES", value_delimiter = ',', default_values_t = ["512x3".to_owned(), "1024x6".to_owned()])]
    pub(crate) models: Vec<String>,
    /// How often each call has its turn
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub(crate) turns: u32,
    /// Write every timing into this new CSV file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchCpuArguments {
    /// Print one line about what seeded work gives instead: equal before and after a change of speed alone
    #[arg(long, conflicts_with_all = ["turns", "out", "json"])]
    pub(crate) fingerprint: bool,
    /// How often each stage has its turn, after one that warms up; the median counts
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) turns: usize,
    /// Also write cpu.json, cpu.txt and sizes.svg into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchDeviceArguments {
    /// The device, named as in a configuration
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub(crate) device: String,
    /// Networks, hidden size x hidden layers
    #[arg(long, value_name = "SIZES", value_delimiter = ',', default_value = "512x3")]
    pub(crate) models: Vec<String>,
    /// Rows of forward passes
    #[arg(long, value_name = "ROWS", value_delimiter = ',', default_value = "1,4,16,64,256,1024")]
    pub(crate) batches: Vec<usize>,
    /// Types of the factors of matrix products; those that the device lacks are left out
    #[arg(long, value_name = "TYPES", value_delimiter = ',', default_value = "f32")]
    pub(crate) precisions: Vec<String>,
    /// Calls of one timing, of which the median of three counts
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) calls: u32,
    /// Rows of a training step; 0 times none
    #[arg(long, value_name = "ROWS", default_value_t = 1024)]
    pub(crate) step_batch: usize,
    /// Steps of a timed fit
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) steps: usize,
    /// Print comma-separated values
    #[arg(long)]
    pub(crate) csv: bool,
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
pub(crate) struct GamesArguments {
    /// List only this game
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Set one parameter of a game, for example --set game.leduc.ranks=5; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SolveArguments {
    /// The game
    #[arg(long, value_name = "NAME")]
    pub(crate) game: Option<String>,
    /// Set one parameter of the game, for example --set game.leduc.ranks=5; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The algorithm
    #[arg(long, value_name = "NAME", default_value = "cfr+")]
    pub(crate) algorithm: String,
    /// Compare these algorithms instead, each under the same limits, for example cfr,cfr+,es-mccfr
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["algorithm", "resume"])]
    pub(crate) compare: Vec<String>,
    /// Stop after this many iterations, those before resuming included [default: 1000 where no
    /// seconds are given]
    #[arg(long, value_name = "N")]
    pub(crate) iterations: Option<u64>,
    /// Stop after this many seconds of solving, for each algorithm [default: 5 where --compare has no
    /// iterations, else no limit]
    #[arg(long, value_name = "S")]
    pub(crate) seconds: Option<f64>,
    /// Seed of sampling algorithms [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Write the results into this new folder [default: runs/<date>-solve-<game>-<algorithm>]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with the solution in this folder, or of this name in `runs`
    #[arg(long, value_name = "SOLUTION", conflicts_with_all = ["game", "set", "algorithm", "seed", "out"])]
    pub(crate) resume: Option<String>,
    /// Lay no game out that has more nodes than this [default: 20000000]
    #[arg(long, value_name = "N")]
    pub(crate) max_nodes: Option<usize>,
    /// Print no points, only the result
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExploitArguments {
    /// A policy file, the folder of a solution or of a run, its name in `runs`, or a checkpoint
    #[arg(value_name = "RUN|POLICY")]
    pub(crate) subject: String,
    /// Refuse games that have more nodes than this [default: 20000000]
    #[arg(long, value_name = "N", conflicts_with = "approximate")]
    pub(crate) max_nodes: Option<usize>,
    /// Train a fresh network in each seat as a best responder and measure what it gains: a lower bound,
    /// for games of any size. A run may be given as RUN[@ITERATION][:STRATEGY]
    #[arg(long)]
    pub(crate) approximate: bool,
    /// Iterations of the responder [default: 40]
    #[arg(long, value_name = "N", requires = "approximate")]
    pub(crate) iterations: Option<u32>,
    /// Traversals of each of its iterations [default: 10 times those of the run]
    #[arg(long, value_name = "N", requires = "approximate")]
    pub(crate) traversals: Option<u32>,
    /// Games that measure what it learned [default: 20000]
    #[arg(long, value_name = "N", requires = "approximate")]
    pub(crate) games: Option<u64>,
    /// Seed of its samples and networks and of the games [default: 1]
    #[arg(long, value_name = "N", requires = "approximate")]
    pub(crate) seed: Option<u64>,
    /// Threads; they change no result [default: one a core]
    #[arg(long, value_name = "N", requires = "approximate")]
    pub(crate) threads: Option<usize>,
    /// Show no progress, only the result
    #[arg(long, short, requires = "approximate")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ArenaArguments {
    /// Bots, runs or solutions, at least two; everybody meets everybody
    #[arg(required = true, value_name = "CONTESTANT")]
    pub(crate) contestants: Vec<String>,
    /// The game, where only bots play; else it is that of the runs
    #[arg(long, value_name = "NAME")]
    pub(crate) game: Option<String>,
    /// Set one parameter of the game where only bots play, for example --set game.lost_cities.colours=6,
    /// or one key that changes speed only; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Games of a pairing, two a deal; with --precision or --until-decided the most [default: 2000, the
    /// most 1000000]
    #[arg(long, value_name = "N")]
    pub(crate) games: Option<u64>,
    /// Play as many games as it takes to know the mean difference within this many points
    #[arg(long, value_name = "POINTS", conflicts_with = "until_decided")]
    pub(crate) precision: Option<f64>,
    /// End a pairing as soon as it is clear who scores more
    #[arg(long)]
    pub(crate) until_decided: bool,
    /// Let each contestant also play itself
    #[arg(long)]
    pub(crate) mirrors: bool,
    /// Seed of deals and players' choices [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Threads; they change no result [default: one a core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Write the result as JSON into this file; - prints it in place of the tables
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write tables, JSON and a heat map into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Show no progress, only the result
    #[arg(long, short)]
    pub(crate) quiet: bool,
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

/// A file format of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A model that ONNX Runtime and its like run.
    Onnx,
    /// Tensors alone, in PyTorch's layout.
    Safetensors,
}

impl From<Format> for ExportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Onnx => Self::Onnx,
            Format::Safetensors => Self::Safetensors,
        }
    }
}

/// Networks of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Network {
    /// Advantages of player 0.
    Advantage0,
    /// Advantages of player 1.
    Advantage1,
    /// The average strategy.
    Strategy,
    /// Each that the checkpoint holds.
    All,
}

impl From<Network> for Option<ExportNetwork> {
    fn from(network: Network) -> Self {
        match network {
            Network::Advantage0 => Some(ExportNetwork::Advantage0),
            Network::Advantage1 => Some(ExportNetwork::Advantage1),
            Network::Strategy => Some(ExportNetwork::Strategy),
            Network::All => None,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The run: its folder, its name in `runs`, or one of its checkpoints [default checkpoint: the
    /// latest]
    pub(crate) run: String,
    /// The files' format
    #[arg(long, value_enum)]
    pub(crate) format: Format,
    /// Which networks
    #[arg(long, value_enum, default_value_t = Network::All)]
    pub(crate) network: Network,
    /// Write into this folder, beside networks of the same checkpoint and format, if any [default:
    /// export/iteration-<N>-<format> in the run's]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
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
