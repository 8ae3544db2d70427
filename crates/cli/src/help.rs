//! Help that depends on the program: its name, games and presets.
//!
//! Not here: commands and options.

use clap::CommandFactory;
use deepcfr_config::Preset;
use deepcfr_solve::ALGORITHMS;

use crate::arguments::Arguments;
use crate::context::Context;
use crate::output::in_own_words;

const ARENA_HELP: &str = "\
Contestants:
  BOT                           a rule-based player, as `deepcfr games` lists them
  RUN[@ITERATION][:STRATEGY]    a run's folder or its name in `runs`; its latest checkpoint, or that of
                                an iteration; current, policy_network or sd_cfr [default: sd_cfr if the
                                run archives networks, else policy_network, else current]
  SOLUTION                      the folder or the policy file of `deepcfr solve`";

/// The command line of a program with the games and presets of `context`.
pub(crate) fn command(context: &Context) -> clap::Command {
    let presets = presets_help(context.schema().presets());
    let command = Arguments::command().name(context.program).bin_name(context.program);
    let game = format!("The game [default: {}]", context.schema().default_game().unwrap_or("none"));
    let command = command.mut_subcommand("solve", |solve| {
        solve.mut_arg("game", |arg| arg.help(game)).after_help(algorithms_help())
    });
    let command =
        command.mut_subcommand("arena", |arena| arena.after_help(in_own_words(ARENA_HELP).into_owned()));
    ["train", "config", "profile", "sweep"].into_iter().fold(command, |command, with_presets| {
        command.mut_subcommand(with_presets, |subcommand| subcommand.after_help(presets.clone()))
    })
}

fn presets_help(presets: &[Preset]) -> String {
    let width = presets.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let lines = presets.iter().map(|preset| format!("\n  {:width$}  {}", preset.name, preset.summary()));
    format!("Presets:{}", lines.collect::<String>())
}

fn algorithms_help() -> String {
    let width = ALGORITHMS.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = ALGORITHMS.iter().map(|(name, summary)| format!("\n  {name:width$}  {summary}"));
    format!("Algorithms:{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn context() -> Context {
        Context { catalogue: deepcfr_builtin::catalogue(), program: "deepcfr" }
    }

    #[test]
    fn the_command_line_is_consistent() {
        command(&context()).debug_assert();
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
        let mut command = command(&context());
        let help = command.find_subcommand_mut("train").unwrap().render_help().to_string();
        assert!(context().schema().presets().iter().all(|preset| help.contains(preset.name)), "{help}");
        assert_eq!(help.matches("[default: ").count(), 3, "{help}");
        let mut own = context();
        own.catalogue.schema_mut().set_default_game("kuhn");
        let mut command = super::command(&own);
        let help = command.find_subcommand_mut("solve").unwrap().render_help().to_string();
        assert!(help.contains("The game [default: kuhn]"), "{help}");
    }
}
