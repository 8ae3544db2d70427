//! The names and parameters of the tabular algorithms, with their sources.
//!
//! Not here: how they work (see `full` and `sampling`).

use std::fmt;
use std::str::FromStr;

/// Whether the second player answers the first one's new strategy or the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Updates {
    /// Player 0 is updated, then player 1 against the new strategy of player 0.
    Alternating,
    /// Both are updated against the strategies that the iteration began with.
    Simultaneous,
}

/// What becomes of a cumulative regret `R + r` when iteration `t` has added `r`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RegretRule {
    /// Kept as it is (Zinkevich et al. 2007, eq. 7).
    Plain,
    /// `max(R + r, 0)`: regret matching⁺ (Tammelin 2014, "Solving large imperfect information games
    /// using CFR+"; Tammelin et al. 2015, eq. 3).
    Plus,
    /// Multiplied by `t^α / (t^α + 1)` where positive or 0, by `t^β / (t^β + 1)` where negative
    /// (Brown and Sandholm 2019, "Solving imperfect-information games via discounted regret
    /// minimization", section 4).
    Discounted {
        /// Exponent for regrets that are not negative.
        alpha: f64,
        /// Exponent for negative regrets.
        beta: f64,
    },
}

/// A member of the family that walks the whole tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FullTree {
    /// Who sees whose new strategy.
    pub updates: Updates,
    /// What becomes of regrets.
    pub regrets: RegretRule,
    /// The average weighs iteration `t` by `t` to this power: 0 uniform, 1 linear.
    pub averaging: f64,
}

/// A tabular algorithm for two-player zero-sum games.
///
/// Regret matching without a positive regret is uniform in all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Algorithm {
    /// Counterfactual regret minimisation over the whole tree.
    FullTree(FullTree),
    /// External-sampling MCCFR (Lanctot et al. 2009, "Monte Carlo sampling for regret minimization
    /// in extensive games", section 3.2, eq. 9): all actions of the traverser, one of everybody
    /// else's. An iteration is one traversal for each player. Differs: the average adds σ at the
    /// opponent's nodes, where being there already has the probability of own reach (the
    /// "stochastically-weighted averaging" of Lanctot 2013), instead of a lazily weighed update.
    ExternalSampling,
    /// External sampling in which what iteration `t` adds to regrets and averages counts `t` times (linear
    /// CFR's weights, Brown and Sandholm 2019, section 3, in sampled form): what Deep CFR with linear weights
    /// is with a perfect memory in place of networks.
    LinearExternalSampling,
    /// Outcome-sampling MCCFR (Lanctot et al. 2009, section 3.1, eq. 10): one trajectory for each
    /// player. Differs: only the traverser explores, the others follow their strategy, and the
    /// average is taken at the opponent's nodes, over the probability that the traverser's
    /// exploration let play come there.
    OutcomeSampling {
        /// ε: the share of uniform play in the traverser's choice, in `(0, 1]`.
        exploration: f64,
    },
}

impl Algorithm {
    /// CFR with alternating updates and the uniform average (Zinkevich et al. 2007; alternating as
    /// in Burch, Moravčík and Schmid 2019).
    pub const CFR: Self = Self::full(Updates::Alternating, RegretRule::Plain, 0.0);
    /// CFR as first published: simultaneous updates.
    pub const CFR_SIMULTANEOUS: Self = Self::full(Updates::Simultaneous, RegretRule::Plain, 0.0);
    /// CFR+: alternating, regret matching⁺, linear averaging. Differs from Tammelin et al. 2015 in
    /// that the average is not delayed: iteration `t` has weight `t` from the first on.
    pub const CFR_PLUS: Self = Self::full(Updates::Alternating, RegretRule::Plus, 1.0);
    /// Linear CFR (Brown and Sandholm 2019, section 3), which is DCFR(1, 1, 1).
    pub const LINEAR_CFR: Self = Self::dcfr(1.0, 1.0, 1.0);
    /// DCFR(1.5, 0, 2), the setting that its authors recommend.
    pub const DCFR: Self = Self::dcfr(1.5, 0.0, 2.0);
    /// Outcome sampling with ε = 0.6 (the value of Lanctot et al. 2009).
    pub const OUTCOME_SAMPLING: Self = Self::OutcomeSampling { exploration: 0.6 };

    /// The names that [`Algorithm::from_str`] knows, with what they stand for.
    pub const NAMED: [(&'static str, Self); 8] = [
        ("cfr", Self::CFR),
        ("cfr-simultaneous", Self::CFR_SIMULTANEOUS),
        ("cfr+", Self::CFR_PLUS),
        ("linear-cfr", Self::LINEAR_CFR),
        ("dcfr", Self::DCFR),
        ("es-mccfr", Self::ExternalSampling),
        ("linear-es-mccfr", Self::LinearExternalSampling),
        ("os-mccfr", Self::OUTCOME_SAMPLING),
    ];

    /// A member of the full-tree family.
    pub const fn full(updates: Updates, regrets: RegretRule, averaging: f64) -> Self {
        Self::FullTree(FullTree { updates, regrets, averaging })
    }

    /// Discounted CFR with alternating updates: positive regrets by `alpha`, negative ones by
    /// `beta`, the average by `gamma`.
    pub const fn dcfr(alpha: f64, beta: f64, gamma: f64) -> Self {
        Self::full(Updates::Alternating, RegretRule::Discounted { alpha, beta }, gamma)
    }
}

impl fmt::Display for Algorithm {
    /// The name, or the parameters of one that has none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = Self::NAMED.iter().find(|(_, named)| named == self) {
            return f.write_str(name);
        }
        match self {
            Self::FullTree(FullTree { updates, regrets, averaging }) => {
                let updates = if *updates == Updates::Alternating { "alternating" } else { "simultaneous" };
                match regrets {
                    RegretRule::Plain => write!(f, "cfr({updates}, average t^{averaging})"),
                    RegretRule::Plus => write!(f, "cfr+({updates}, average t^{averaging})"),
                    RegretRule::Discounted { alpha, beta } => {
                        write!(f, "dcfr({updates}, {alpha}, {beta}, {averaging})")
                    }
                }
            }
            Self::ExternalSampling => f.write_str("es-mccfr"),
            Self::LinearExternalSampling => f.write_str("linear-es-mccfr"),
            Self::OutcomeSampling { exploration } => write!(f, "os-mccfr({exploration})"),
        }
    }
}

impl FromStr for Algorithm {
    type Err = AlgorithmError;

    fn from_str(name: &str) -> Result<Self, AlgorithmError> {
        let known = Self::NAMED.iter().find(|(known, _)| *known == name);
        known
            .map(|&(_, algorithm)| algorithm)
            .ok_or_else(|| AlgorithmError::Unknown { name: name.to_owned() })
    }
}

/// Why a name or its parameters were refused.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum AlgorithmError {
    /// No algorithm has this name.
    #[error("unknown algorithm {name}; known are {}", Algorithm::NAMED.map(|(name, _)| name).join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// An algorithm that needs the whole tree was asked to work without one.
    #[error("{algorithm} walks the whole tree; without one, use es-mccfr or os-mccfr")]
    NeedsTree {
        /// What was asked for.
        algorithm: Algorithm,
    },
    /// A parameter outside its range.
    #[error("{parameter} must lie in {range}, got {got}")]
    Parameter {
        /// Its name.
        parameter: &'static str,
        /// Its range.
        range: &'static str,
        /// What was asked for.
        got: f64,
    },
}
