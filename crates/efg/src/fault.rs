//! What can be wrong with a file, where, and what to do about it.
//!
//! Not here: what can go wrong in writing one (see `write`).

use deepcfr_core::{Action, MAX_ACTIONS};

use crate::chance::SUM_TOLERANCE;
use crate::place::Place;

/// Why a file was refused, and where.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
#[error("{at}: {fault}")]
pub struct EfgError {
    /// The place of what is wrong.
    pub at: Place,
    /// What is wrong there.
    #[source]
    pub fault: Fault,
}

/// What is wrong at a place, with a remedy.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum Fault {
    /// No text at all.
    #[error("the file is empty; a game begins with `EFG 2 R`")]
    Empty,
    /// The bytes are not text.
    #[error("the file is not UTF-8; save it as UTF-8 (labels in another encoding are the usual cause)")]
    NotUtf8,
    /// The first word is not that of the format.
    #[error(
        "the file begins with {found}, not with `EFG`; give a game in extensive form (Gambit saves it as .efg)"
    )]
    NotEfg {
        /// What it begins with.
        found: String,
    },
    /// A version of the format other than 2.
    #[error("version {got} of the format; only version 2 is read: save the file anew with a current Gambit")]
    Version {
        /// The version.
        got: String,
    },
    /// Something stands where something else must.
    #[error("{found} where {expected} must stand")]
    Unexpected {
        /// What must stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// The file ends too early.
    #[error("the file ends where {expected} must stand; it seems cut off: save or copy it again")]
    Truncated {
        /// What must stand there.
        expected: &'static str,
    },
    /// The file ends before every action has led somewhere.
    #[error(
        "the file ends, but nothing follows action {} of the node at {of}; after each node stand the \
         subtrees of its actions, in order: add what is missing",
        .action + 1
    )]
    MissingNode {
        /// Which of the node's actions leads nowhere, from 0.
        action: Action,
        /// The node.
        of: Place,
    },
    /// A text that runs to the end of the file.
    #[error("the text that begins here never ends; close it with a quotation mark")]
    UnclosedText,
    /// A text ends right before something that cannot follow it.
    #[error(
        "a text ends right before {found}; a quotation mark that closes an earlier text is missing, or \
         one within a text must be written \\\""
    )]
    StrayQuote {
        /// What follows.
        found: String,
    },
    /// More after the tree is complete.
    #[error(
        "{found} after the end of the tree: every action already leads somewhere; remove what follows, or give some node more actions"
    )]
    Trailing {
        /// What follows.
        found: String,
    },
    /// A word that should be a number.
    #[error("`{word}` is not a number; write a decimal such as -1.5 or a fraction such as 1/3")]
    NotANumber {
        /// The word.
        word: String,
    },
    /// A word that should be a whole number.
    #[error("`{word}` where {expected} must stand, a whole number that is not negative")]
    NotACount {
        /// The word.
        word: String,
        /// What must stand there.
        expected: &'static str,
    },
    /// A fraction of nothing.
    #[error("`{word}` divides by zero; give it another denominator")]
    ZeroDenominator {
        /// The fraction.
        word: String,
    },
    /// A number that a double cannot hold.
    #[error("`{word}` is too large or too small for a double; scale the payoffs")]
    OutOfRange {
        /// The number.
        word: String,
    },
    /// Other than two players.
    #[error("{players} players; solvers and training need exactly 2: only two-player games are read")]
    Players {
        /// How many the file has.
        players: usize,
    },
    /// A player's number beyond the list.
    #[error("player {player} of {players}; players are numbered from 1 in the order of the list at the top")]
    PlayerRange {
        /// The number.
        player: u64,
        /// How many there are.
        players: usize,
    },
    /// Not as many payoffs as players.
    #[error("{got} payoffs for {expected} players; give one to each, 0 where nothing is paid")]
    PayoffCount {
        /// How many were given, or one more than there are players if more.
        got: usize,
        /// How many players there are.
        expected: usize,
    },
    /// An outcome without payoffs.
    #[error(
        "outcome {outcome} has no payoffs yet; give them where it is first named: {outcome} \"\" {{ 1, -1 }}"
    )]
    UndefinedOutcome {
        /// Its number.
        outcome: u64,
    },
    /// Outcome 0 means that nothing is paid.
    #[error("outcome 0 stands for no payoffs and can have neither name nor payoffs; use another number")]
    OutcomeZero,
    /// An outcome with other payoffs than before.
    #[error("outcome {outcome} has other payoffs than at {first}; use another number for one of them")]
    OutcomeChanges {
        /// Its number.
        outcome: u64,
        /// Where it was first given payoffs.
        first: Place,
    },
    /// An infoset without actions.
    #[error(
        "infoset {infoset} of {owner} has no actions yet; list them where it is first named: {{ \"a\" \"b\" }}"
    )]
    UndefinedInfoset {
        /// Whose.
        owner: Owner,
        /// Its number.
        infoset: u64,
    },
    /// An infoset with other actions than before.
    #[error(
        "infoset {infoset} of {owner} has other actions than at {first}; in an infoset they are the same, in the \
         same order: use another number, or the same list"
    )]
    InfosetChanges {
        /// Whose.
        owner: Owner,
        /// Its number.
        infoset: u64,
        /// Where it was first given actions.
        first: Place,
    },
    /// A list of actions without any.
    #[error("a list of no actions; a node that ends the game begins with t")]
    NoActions,
    /// More actions than can be told apart.
    #[error(
        "infoset {infoset} of {owner} has {actions} actions; at most {max} are supported: split the choice into several"
    )]
    TooManyActions {
        /// Whose.
        owner: Owner,
        /// Its number.
        infoset: u64,
        /// How many it has.
        actions: usize,
        /// The most it could have.
        max: usize,
    },
    /// A probability below 0.
    #[error("probability {word} is negative; probabilities are 0 or more and sum to 1")]
    NegativeProbability {
        /// The probability.
        word: String,
    },
    /// Probabilities that do not sum to 1.
    #[error(
        "the probabilities of this chance node sum to {sum}, not 1; write fractions such as 1/3 (sums within \
         {tolerance} of 1 are taken for rounding and divided by the sum)",
        tolerance = SUM_TOLERANCE
    )]
    ChanceSum {
        /// Their sum.
        sum: String,
    },
    /// A player forgets what it did or knew.
    #[error(
        "player {player} forgets: infoset {infoset} is reached here and at {first} after different own moves \
         (imperfect recall); solvers and training need perfect recall: give the infoset a number of its own here"
    )]
    ImperfectRecall {
        /// The player, from 1.
        player: usize,
        /// The infoset's number.
        infoset: u64,
        /// Where it was first reached.
        first: Place,
    },
    /// Payoffs whose sum varies.
    #[error(
        "the game is not constant-sum: payoffs from the root to here sum to {sum}, to the end at {first} to \
         {first_sum}; only zero-sum games, or such whose payoffs sum to the same everywhere, are read"
    )]
    NotConstantSum {
        /// The sum here.
        sum: f64,
        /// The sum at the first end.
        first_sum: f64,
        /// Where that is.
        first: Place,
    },
    /// Payoffs that sum to more than a double holds.
    #[error("the payoffs from the root to here sum to more than a double holds; scale them")]
    PayoffOverflow,
    /// More nodes than 32 bits can number.
    #[error("more than {limit} nodes; games of this size cannot be read: give a smaller one")]
    TooManyNodes {
        /// How many can be numbered.
        limit: u32,
    },
}

/// Whose an infoset is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// Chance.
    Chance,
    /// A player, numbered from 1 as in the file.
    Player(usize),
}

impl Owner {
    /// How many actions an infoset of this owner may have.
    pub(crate) fn max_actions(self) -> usize {
        match self {
            Self::Chance => usize::from(Action::MAX) + 1,
            Self::Player(_) => MAX_ACTIONS,
        }
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Chance => f.write_str("chance"),
            Self::Player(player) => write!(f, "player {player}"),
        }
    }
}
