//! The `deepcfr` command as a library: the whole command for a program with games of its own.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     // `.game::<MyGame>()` adds a game of your own (see `deepcfr_board::GameConfig`).
//!     deepcfr_cli::Program::new().name("my-games").run()
//! }
//! ```
//!
//! Exit codes: 0 for success, 1 when a run fails, 2 for bad input, 130 when a second Ctrl-C ends a
//! run at once. Results go to standard output, progress and errors to standard error. Not here:
//! anything that trains or evaluates.

mod arguments;
mod commands;
mod context;
mod error;
mod figures;
mod help;
mod interrupt;
mod output;
mod progress;

use std::process::ExitCode;

use clap::FromArgMatches;
use deepcfr_board::{Catalogue, GameConfig};
use deepcfr_runs::machine::{Build, name_build};

use crate::arguments::{Arguments, Command};
use crate::context::Context;
use crate::error::CommandError;

/// The whole command: `train`, `eval`, `solve`, `exploit`, `arena`, `games`, `profile`, `advise`, `sweep`,
/// `export`, `inspect`, `config` and the rest, for the built-in games and those that are added.
pub struct Program {
    name: &'static str,
    catalogue: Catalogue,
}

impl Default for Program {
    fn default() -> Self {
        Self::new()
    }
}

impl Program {
    /// The command with the built-in games and presets.
    pub fn new() -> Self {
        Self::of(deepcfr_builtin::catalogue())
    }

    /// The command with the games and presets of `catalogue` alone.
    pub fn of(mut catalogue: Catalogue) -> Self {
        catalogue.schema_mut().set_compiled(deepcfr_nn::is_compiled);
        Self { name: "deepcfr", catalogue }
    }

    /// Names the program in its help and in the commands that it suggests.
    #[must_use]
    pub fn name(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Adds a game; one of the same name is replaced.
    ///
    /// # Panics
    /// If the game's manual is not a table of its configuration, which says what to mend.
    #[must_use]
    pub fn game<C: GameConfig>(self) -> Self {
        Self { catalogue: self.catalogue.game::<C>(), ..self }
    }

    /// Adds a preset: a TOML text of the keys that differ from the defaults, whose first line is a comment
    /// that says what it is for.
    #[must_use]
    pub fn preset(self, name: &'static str, text: &'static str) -> Self {
        Self { catalogue: self.catalogue.preset(name, text), ..self }
    }

    /// Has commands play the game `name` where nobody names one; without this Leduc poker.
    #[must_use]
    pub fn default_game(mut self, name: &'static str) -> Self {
        self.catalogue.schema_mut().set_default_game(name);
        self
    }

    /// Reads the command line, does what it says, and gives the exit code.
    pub fn run(self) -> ExitCode {
        name_build(build());
        output::name_program(self.name);
        let context = Context { catalogue: self.catalogue, program: self.name };
        let matches = help::command(&context).get_matches();
        let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        match run(&context, arguments.command) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}", output::in_own_words(&format!("error: {error}")));
                ExitCode::from(error.exit_code())
            }
        }
    }
}

/// The compiler and the commit of this crate, as far as its build script could find them out.
fn build() -> Build {
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Build { rustc: known(env!("DEEPCFR_RUSTC")), git_commit: known(env!("DEEPCFR_GIT_COMMIT")) }
}

fn run(context: &Context, command: Command) -> Result<(), CommandError> {
    match command {
        Command::Arena(arena) => commands::arena::run(context, &arena),
        Command::Train(train) => commands::train::run(context, &train),
        Command::Eval(eval) => commands::eval::run(context, &eval),
        Command::Solve(solve) => commands::solve::run(context, &solve),
        Command::Exploit(exploit) => commands::exploit::run(context, &exploit),
        Command::Games(games) => commands::games::run(context, &games),
        Command::Advise(advise) => commands::advise::run(context, &advise),
        Command::Bench(bench) => commands::bench::run(context, &bench),
        Command::Devices => commands::devices::run(),
        Command::Config(config) => commands::config::run(context, &config),
        Command::Sweep(sweep) => commands::sweep::run(context, &sweep),
        Command::Profile(profile) => commands::profile::run(context, &profile),
        Command::Export(export) => commands::export::run(context, &export),
        Command::Inspect(inspect) => commands::inspect::run(context, &inspect),
    }
}
