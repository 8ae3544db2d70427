//! What every command knows: the games, and what the program is called.
//!
//! Not here: arguments.

use deepcfr_board::Catalogue;
use deepcfr_config::Schema;

/// What every command knows.
pub(crate) struct Context {
    /// The games and presets.
    pub(crate) catalogue: Catalogue,
    /// What the program is called, for the commands that it suggests.
    pub(crate) program: &'static str,
}

impl Context {
    /// What configurations are resolved with.
    pub(crate) fn schema(&self) -> &Schema {
        self.catalogue.schema()
    }
}
