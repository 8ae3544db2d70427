//! What the conformance kit can find wrong.

use deepcfr_core::{Action, ActionSet, GameError};

/// A broken contract and where.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("{game} after the actions {history:?}: {breach}")]
pub struct Violation {
    /// The game's name.
    pub game: &'static str,
    /// The actions, chance outcomes included, that lead from the root to the state.
    pub history: Vec<Action>,
    /// What is broken.
    #[source]
    pub breach: Breach,
}

/// Which of the answers about a state differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Who moves.
    Turn,
    /// The legal actions.
    LegalActions,
    /// The chance outcomes and their weights.
    ChanceOutcomes,
    /// The utility.
    Utility,
    /// The infoset key.
    Key,
    /// The features.
    Features,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Turn => "the turn",
            Self::LegalActions => "the set of legal actions",
            Self::ChanceOutcomes => "the list of chance outcomes",
            Self::Utility => "the utility",
            Self::Key => "the infoset key",
            Self::Features => "the feature row",
        })
    }
}

/// A contract of `Game` or `Encoder` that does not hold.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum Breach {
    /// The game is of a kind that solvers and the trainer refuse.
    #[error(transparent)]
    Refused(#[from] GameError),
    /// `utility_range` is not a range of finite numbers.
    #[error("the utility range {low}..={high} is not a finite range")]
    UtilityRange {
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
    },
    /// As many names of actions as there are actions are needed.
    #[error("{named} actions have names, there are {num_actions}")]
    ActionNames {
        /// How many have names.
        named: usize,
        /// The size of the action space.
        num_actions: usize,
    },
    /// The encoder's layout and its rows differ in length.
    #[error("the encoder's layout describes {described} features, a row has {num_features}")]
    Layout {
        /// Features in the layout.
        described: usize,
        /// Features in a row.
        num_features: usize,
    },
    /// A seat that does not exist.
    #[error("player {player} is to move; there are two, 0 and 1")]
    NoSuchPlayer {
        /// The seat.
        player: usize,
    },
    /// A player to move without a legal action.
    #[error("the player to move has no legal action")]
    NoLegalAction,
    /// A legal action beyond the action space.
    #[error("legal actions {legal:?} are not all below num_actions = {num_actions}")]
    ActionOutOfRange {
        /// The legal set.
        legal: ActionSet,
        /// The size of the action space.
        num_actions: usize,
    },
    /// A chance state without outcomes.
    #[error("a chance state has no outcome")]
    NoOutcome,
    /// An outcome that cannot happen.
    #[error("chance outcome {outcome} has weight 0")]
    ZeroWeight {
        /// The outcome.
        outcome: Action,
    },
    /// Outcomes out of order, or the same one twice.
    #[error("chance outcome {outcome} comes after {before}; outcomes ascend")]
    OutcomesOutOfOrder {
        /// The outcome before.
        before: Action,
        /// The outcome that should be higher.
        outcome: Action,
    },
    /// The sum of the weights exceeds 32 bits.
    #[error("the weights of the chance outcomes sum to more than {max}", max = u32::MAX)]
    WeightsOverflow,
    /// `sample_chance` differs from the rule that its documentation gives.
    #[error("sample_chance drew outcome {drawn}; the outcome list gives {expected} for the same number")]
    Sampling {
        /// What it drew.
        drawn: Action,
        /// What the rule gives.
        expected: Action,
    },
    /// `sample_chance` took no number from the stream, or several.
    #[error("sample_chance did not consume exactly one random number")]
    SamplingDraws,
    /// Play goes on at the depth where it should have ended.
    #[error("the game goes on after max_depth = {max_depth} actions")]
    TooDeep {
        /// The promised bound.
        max_depth: usize,
    },
    /// A utility that is not finite or outside the range.
    #[error("utility {utility} is outside {low}..={high}")]
    Utility {
        /// The utility of player 0.
        utility: f64,
        /// The lower end of the range.
        low: f64,
        /// The upper end of the range.
        high: f64,
    },
    /// A feature that the encoder left as it was, or wrote as something that is not a number.
    #[error("feature {index} is {value}: not written, or not finite")]
    Feature {
        /// Its place in the row.
        index: usize,
        /// What was found there; NaN also means that nothing was written.
        value: f32,
    },
    /// The same question about the same state has two answers.
    #[error("{part} changes when asked for again")]
    AnswerChanges {
        /// What changes.
        part: Part,
    },
    /// Playing on a copy changed the original.
    #[error("{part} changes when an action is played on a copy of the state")]
    CopyShared {
        /// What changes.
        part: Part,
    },
    /// The same actions led to different states.
    #[error("{part} depends on whether the same actions were played on copies or in place")]
    ReplayDiffers {
        /// What differs.
        part: Part,
    },
    /// Two states of an infoset with different legal actions.
    #[error("legal actions {legal:?} differ from {other_legal:?} at {other:?}, which has the same key")]
    LegalActionsDiffer {
        /// The legal actions here.
        legal: ActionSet,
        /// Those at the other state.
        other_legal: ActionSet,
        /// The history of the other state.
        other: Vec<Action>,
    },
    /// Two states with equal keys and different features.
    #[error("the features differ from those at {other:?}, which has the same key")]
    FeaturesDiffer {
        /// The history of the other state.
        other: Vec<Action>,
    },
    /// Two states with equal features and different keys.
    #[error("the features equal those at {other:?}, which has another key")]
    FeaturesCollide {
        /// The history of the other state.
        other: Vec<Action>,
    },
    /// Two states with equal keys whose owner knew or did something different on the way.
    #[error(
        "the owner's own past (infosets and actions) differs from that at {other:?}, which has the same key"
    )]
    ImperfectRecall {
        /// The history of the other state.
        other: Vec<Action>,
    },
    /// Something that the player cannot know changes what it is shown.
    #[error("{part} changes when only facts hidden from the player to move do")]
    HiddenShows {
        /// What changes.
        part: Part,
    },
}
