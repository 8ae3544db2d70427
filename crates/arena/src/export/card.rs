//! What somebody needs to know to use an exported network: the game, the rows it takes, the actions and
//! units of its outputs, and where it comes from. As JSON for programs and as Markdown for people.
//!
//! Not here: writing files.

use std::fmt::Write as _;

use deepcfr_board::BoardFacts;
use deepcfr_config::{AllNegative, RunConfig, Weighting};
use deepcfr_core::{Activation, MlpWeights};
use deepcfr_runs::machine::MachineInfo;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{ExportFormat, ExportNetwork, ExportPlan};

/// Everything that a folder of exported networks is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The files' format.
    pub format: String,
    /// Version of the program that wrote them.
    pub deepcfr_version: String,
    /// The commit that it was built at, where known.
    pub git_commit: Option<String>,
    /// The run's name.
    pub run: String,
    /// The last iteration that the networks were fitted in.
    pub iteration: u32,
    /// Hash of the run's configuration.
    pub config_hash: String,
    /// The game.
    pub game: GameCard,
    /// What a row of inputs holds.
    pub encoder: EncoderCard,
    /// What a row of outputs stands for.
    pub actions: ActionsCard,
    /// The networks.
    pub networks: Vec<NetworkCard>,
}

/// The game and its rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameCard {
    /// Its name in a configuration.
    pub name: String,
    /// Its parameters, `ranks=3`.
    pub parameters: Vec<String>,
    /// The lowest and highest utility of a player, in points.
    pub utility_range: [f64; 2],
}

/// What a row of inputs holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncoderCard {
    /// Its name in a configuration, `default` where the game has one.
    pub name: String,
    /// The length of a row of `f32`.
    pub num_features: usize,
    /// The row from its start to its end.
    pub layout: Vec<FeaturesCard>,
}

/// Features that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeaturesCard {
    /// The place of the first, from 0.
    pub first: usize,
    /// How many there are.
    pub count: usize,
    /// What they say.
    pub what: String,
}

/// What a row of outputs stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionsCard {
    /// The length of a row of `f32`.
    pub count: usize,
    /// What each action is, in order.
    pub names: Vec<String>,
    /// What to do with actions that are not legal.
    pub illegal: String,
}

/// One network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkCard {
    /// Which one: `advantage0`, `advantage1` or `strategy`.
    pub network: String,
    /// Its file.
    pub file: String,
    /// The file's length.
    pub bytes: usize,
    /// SHA-256 of the file, hexadecimal.
    pub sha256: String,
    /// Inputs and outputs of each layer.
    pub layers: Vec<[usize; 2]>,
    /// The non-linearity after every layer but the last.
    pub activation: String,
    /// Multiplies the last layer's sums.
    pub output_scale: f32,
    /// Whether the file multiplies by it already.
    pub scale_is_applied: bool,
    /// What an output means, and its unit.
    pub outputs: String,
    /// How outputs become a strategy.
    pub strategy: String,
}

/// What stands in a network's own file.
#[derive(Serialize)]
struct Metadata<'a> {
    deepcfr_version: &'a str,
    run: &'a str,
    iteration: u32,
    game: &'a GameCard,
    encoder: &'a str,
    network: &'a str,
    activation: &'a str,
    outputs: &'a str,
    strategy: &'a str,
}

impl Card {
    /// The card of a checkpoint, without networks yet.
    pub(super) fn new(plan: &ExportPlan, facts: &BoardFacts, encoder: &str, iteration: u32) -> Self {
        let ExportPlan { run, config, format, .. } = plan;
        let machine = MachineInfo::detect();
        let spec = &facts.spec;
        let folder = run.folder.path();
        Self {
            format: format.to_string(),
            deepcfr_version: machine.crate_version,
            git_commit: machine.git_commit,
            run: folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned(),
            iteration,
            config_hash: config.hash(),
            game: GameCard {
                name: config.game.name().to_owned(),
                parameters: config.game.parameters(),
                utility_range: [spec.utility_range.0, spec.utility_range.1],
            },
            encoder: EncoderCard {
                name: encoder.to_owned(),
                num_features: facts.num_features,
                layout: layout(facts),
            },
            actions: ActionsCard {
                count: spec.num_actions,
                names: facts.action_names.clone(),
                illegal: "their outputs mean nothing: leave them out before anything else".to_owned(),
            },
            networks: Vec::new(),
        }
    }

    /// What stands in a network's own file: enough to use it when the card is lost.
    pub(super) fn metadata(&self, network: &NetworkCard) -> String {
        let metadata = Metadata {
            deepcfr_version: &self.deepcfr_version,
            run: &self.run,
            iteration: self.iteration,
            game: &self.game,
            encoder: &self.encoder.name,
            network: &network.network,
            activation: &network.activation,
            outputs: &network.outputs,
            strategy: &network.strategy,
        };
        serde_json::to_string(&metadata).expect("plain values have a JSON form")
    }

    /// The card for programs.
    pub(super) fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain values have a JSON form") + "\n"
    }

    /// The card for people.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |words: &str| writeln!(text, "{words}").expect("a string takes all text");
        let parameters = self.game.parameters.join(", ");
        let of = if parameters.is_empty() { String::new() } else { format!(" ({parameters})") };
        line(&format!("# {} of {}, iteration {}\n", self.format, self.run, self.iteration));
        let [low, high] = self.game.utility_range;
        line(&format!("- game: {}{of}, two players, utilities from {low} to {high} points", self.game.name));
        let commit = self.git_commit.as_deref().unwrap_or("unknown");
        line(&format!(
            "- deepcfr {}, commit {commit}, configuration {}",
            self.deepcfr_version, self.config_hash
        ));
        line("\n## Networks\n");
        for network in &self.networks {
            network.lines().iter().for_each(|words| line(words));
        }
        let EncoderCard { name, num_features, layout } = &self.encoder;
        line(&format!("\n## Inputs: rows of {num_features} f32 (encoder `{name}`)\n"));
        line("| features | what |\n|---|---|");
        for FeaturesCard { first, count, what } in layout {
            line(&format!("| {first}..{} | {what} |", first + count));
        }
        line(&format!("\n## Outputs: rows of {} f32, one an action\n", self.actions.count));
        line(&format!("Illegal actions: {}.\n\n| output | action |\n|---|---|", self.actions.illegal));
        let actions = self.actions.names.iter().enumerate();
        actions.for_each(|(action, name)| line(&format!("| {action} | {name} |")));
        text
    }
}

impl NetworkCard {
    /// The card of a network whose file is not written yet.
    pub(super) fn new(
        network: ExportNetwork,
        format: ExportFormat,
        mlp: &MlpWeights,
        config: &RunConfig,
    ) -> Self {
        let (outputs, strategy) = meaning(network, config);
        Self {
            network: network.to_string(),
            file: format!("{network}.{format}"),
            bytes: 0,
            sha256: String::new(),
            layers: mlp.layers.iter().map(|dense| [dense.inputs, dense.outputs]).collect(),
            activation: match mlp.activation {
                Activation::Relu => "relu",
                Activation::Gelu => "gelu (exact)",
            }
            .to_owned(),
            output_scale: mlp.output_scale,
            scale_is_applied: format == ExportFormat::Onnx,
            outputs,
            strategy,
        }
    }

    /// Fills in what depends on the file.
    pub(super) fn hash(&mut self, file: &[u8]) {
        self.bytes = file.len();
        self.sha256 = Sha256::digest(file).iter().map(|byte| format!("{byte:02x}")).collect();
    }

    fn lines(&self) -> Vec<String> {
        let widths: Vec<String> = self.layers.iter().map(|[inputs, _]| inputs.to_string()).collect();
        let last = self.layers.last().map_or(0, |[_, outputs]| *outputs);
        let applied = if self.scale_is_applied {
            "applied in the file"
        } else {
            "to be multiplied into the last layer's sums; it is the tensor `output_scale`"
        };
        vec![
            format!("### `{}`: {}\n", self.file, self.network),
            format!("- layers {} → {last}, {} between", widths.join(" → "), self.activation),
            format!("- outputs: {}", self.outputs),
            format!("- strategy: {}", self.strategy),
            format!("- output scale {}: {applied}", self.output_scale),
            format!("- {} bytes, SHA-256 {}\n", self.bytes, self.sha256),
        ]
    }
}

/// What a network's outputs are, and how they become a strategy.
fn meaning(network: ExportNetwork, config: &RunConfig) -> (String, String) {
    let player = match network {
        ExportNetwork::Advantage0 => 0,
        ExportNetwork::Advantage1 => 1,
        ExportNetwork::Strategy => {
            let outputs = "logits of the average strategy of both players";
            return (outputs.to_owned(), "softmax over the legal actions".to_owned());
        }
    };
    let average = match config.training.weighting {
        Weighting::Linear => "averaged over iterations in proportion to their number (Linear CFR)",
        Weighting::None => "averaged over iterations",
    };
    let none_positive = match config.regret_matching.all_negative {
        AllNegative::Argmax => "the largest (equal ones share)",
        AllNegative::Uniform => "all legal ones alike",
    };
    let outputs = format!(
        "advantages of player {player}: by how many points an action is worth more than the strategy's own \
         choice, {average}"
    );
    let strategy = format!(
        "regret matching: positive outputs over their sum; where none is positive, {none_positive}. This is \
         the strategy of the next iteration, not the average one"
    );
    (outputs, strategy)
}

fn layout(facts: &BoardFacts) -> Vec<FeaturesCard> {
    let mut first = 0;
    let blocks = facts.layout.iter().map(|block| {
        let card = FeaturesCard { first, count: block.len, what: block.name.clone() };
        first += block.len;
        card
    });
    blocks.collect()
}
