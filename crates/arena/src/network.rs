//! The networks of a run, by the names that files and command lines give them. Not here: what they hold.

use std::fmt;

use deepcfr_core::NetId;

/// One of a run's networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportNetwork {
    /// Advantages of player 0.
    Advantage0,
    /// Advantages of player 1.
    Advantage1,
    /// The average strategy.
    Strategy,
}

impl ExportNetwork {
    /// Every network of a run.
    pub const ALL: [Self; 3] = [Self::Advantage0, Self::Advantage1, Self::Strategy];

    pub(crate) const fn net(self) -> NetId {
        match self {
            Self::Advantage0 => NetId::advantage(0),
            Self::Advantage1 => NetId::advantage(1),
            Self::Strategy => NetId::STRATEGY,
        }
    }
}

impl fmt::Display for ExportNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Advantage0 => "advantage0",
            Self::Advantage1 => "advantage1",
            Self::Strategy => "strategy",
        })
    }
}
