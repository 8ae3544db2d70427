//! The whole `deepcfr` command for a game of one's own, beside the built-in ones.

mod high_card;

use std::process::ExitCode;

fn main() -> ExitCode {
    deepcfr_cli::Program::new()
        .name("own-game")
        .game::<high_card::HighCardConfig>()
        .preset("high-card", include_str!("../high-card.toml"))
        .default_game("high_card")
        .run()
}
