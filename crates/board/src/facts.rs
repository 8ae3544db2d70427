//! What is known of a board without walking it.

use deepcfr_core::{FeatureBlock, GameSpec, SampleShape};

/// What is known of a board without walking it.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardFacts {
    /// The game's static facts.
    pub spec: GameSpec,
    /// Length of a feature row.
    pub num_features: usize,
    /// The feature row from its start to its end.
    pub layout: Vec<FeatureBlock>,
    /// What each action stands for, in order.
    pub action_names: Vec<String>,
    /// Names of the classes of action that reports tell apart.
    pub action_classes: &'static [&'static str],
    /// Names of what a game's end shows of each player.
    pub fact_names: &'static [&'static str],
    /// Names of the rule-based players.
    pub bots: Vec<&'static str>,
    /// The ante in points, for games whose exploitability is told in thousandths of it.
    pub ante: Option<f64>,
    /// Whether there is a running score, which outcome sampling can take as a baseline.
    pub scored: bool,
}

impl BoardFacts {
    /// The lengths of a sample's rows.
    pub fn shape(&self) -> SampleShape {
        SampleShape { num_features: self.num_features, num_actions: self.spec.num_actions }
    }

    /// The place of the rule-based player of that name in [`BoardFacts::bots`].
    pub fn bot(&self, name: &str) -> Option<usize> {
        self.bots.iter().position(|known| *known == name)
    }
}
