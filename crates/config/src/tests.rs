//! What holds whatever the games are, tried with a game of one key.

use std::sync::Arc;

use deepcfr_core::DeviceName;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::{Table, Value};

use super::*;

/// `[game.coin]`.
struct Coin;

#[derive(Deserialize)]
struct CoinTable {
    sides: u8,
}

impl GameKeys for Coin {
    fn name(&self) -> &'static str {
        "coin"
    }

    fn manual(&self) -> &'static str {
        "# A coin.\n[game.coin]\n# Its sides, 2 or more.\nsides = 2\n"
    }

    fn read(&self, table: &Table) -> Result<Table, WrongType> {
        let deserializer = Value::Table(table.clone()).into_deserializer();
        let read: Result<CoinTable, _> = serde_path_to_error::deserialize(deserializer);
        let read = read.map_err(|error| WrongType {
            key: error.path().to_string(),
            message: error.inner().message().to_owned(),
        })?;
        Ok(Table::from_iter([("sides".to_owned(), Value::Integer(read.sides.into()))]))
    }

    fn refused(&self, table: &Table) -> Vec<Refused> {
        let sides = table["sides"].as_integer().unwrap_or(0);
        Refused::outside("sides", sides, 2..=9).into_iter().collect()
    }

    fn facts(&self, table: &Table) -> Result<GameFacts, String> {
        match table["sides"].as_integer() {
            Some(7) => Err("no fair coin has 7 sides; give another number".to_owned()),
            _ => Ok(GameFacts { bots: vec!["random".to_owned()], scored: false }),
        }
    }

    fn encoder_key(&self) -> Option<EncoderKey> {
        None
    }
}

fn schema() -> Schema {
    let mut schema = Schema::default();
    schema.add_game(Arc::new(Coin));
    schema.add_preset(Preset { name: "fair", text: "# A fair coin.\n[run]\niterations = 3\n" });
    schema
}

fn problems(sets: &[&str]) -> Vec<String> {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    let error = schema().resolve(&Base::Default, &sets, None).unwrap_err();
    error.problems.into_iter().map(|problem| format!("{} | {}", problem.key, problem.remedy)).collect()
}

#[test]
fn a_game_of_ones_own_has_its_keys_checked_as_the_others() {
    let config = schema().resolve(&Base::Preset("fair".to_owned()), &[], Some(4)).unwrap();
    assert_eq!((config.game_line().as_str(), config.run.iterations), ("coin sides=2", 3));
    assert!(config.to_toml().contains("[game]\nname = \"coin\"\n\n[game.coin]\nsides = 2\n"));
    let again = schema().resolve_text("a run", &config.to_toml()).unwrap();
    assert_eq!(again, config);
    assert_eq!(problems(&["game.coin.sides=1"]), ["game.coin.sides | give 2 to 9"]);
    assert_eq!(problems(&["game.coin.sides=-1"]), ["game.coin.sides | give a whole number, 0 or more"]);
    assert_eq!(problems(&["game.coin.sides=300"]), ["game.coin.sides | give a whole number, 0 or more"]);
    let none_fair = "game.coin | no fair coin has 7 sides; give another number";
    assert_eq!(problems(&["game.coin.sides=7"]), [none_fair], "and nothing about opponents");
    assert_eq!(
        problems(&["game.coin.side=1"]),
        ["game.coin.side | no such key; did you mean game.coin.sides?"]
    );
    assert_eq!(problems(&["game.name=dice"]), ["game.name | give one of \"coin\""]);
    assert_eq!(
        problems(&["game.coin=3"]),
        ["game.coin | is a section; set its keys, for example game.coin.sides"]
    );
    assert_eq!(
        problems(&["traversal.sampling=outcome", "traversal.baseline=score"]),
        ["traversal.baseline | needs a game with a running score, which none here has; give \"none\""]
    );
}

#[test]
fn the_game_that_is_meant_is_the_only_one_or_the_programs_default() {
    let mut schema = schema();
    assert_eq!((schema.default_game(), schema.meant_game()), (Some("coin"), Some("coin")));
    schema.set_default_game("dice");
    assert_eq!((schema.default_game(), schema.meant_game()), (Some("coin"), Some("coin")));
    assert_eq!((Schema::default().default_game(), Schema::default().meant_game()), (None, None));
}

#[test]
fn a_game_of_ones_own_stands_in_the_manual() {
    let page = schema().manual();
    assert!(page.contains("## `[game.coin]`\n\nA coin.\n\n| key |"), "{page}");
    assert!(page.contains("| `sides` | `2` | Its sides, 2 or more. |"), "{page}");
    assert!(page.contains("| `fair` | A fair coin. |"), "{page}");
}

#[test]
fn devices_that_the_program_was_not_built_for_are_refused() {
    let mut schema = schema();
    let sets = ["run.device=cuda".to_owned()];
    assert!(schema.resolve(&Base::Default, &sets, None).is_ok());
    schema.set_compiled(DeviceName::is_cpu);
    let said = schema.resolve(&Base::Default, &sets, None).unwrap_err().to_string();
    assert!(said.contains("run.device = \"cuda\"\n      this build has no feature `cuda`"), "{said}");
}

#[test]
fn every_resumable_key_exists() {
    let table = schema().defaults();
    for path in run_config::RESUMABLE {
        assert!(dotted::value_at(&table, path).is_some(), "{path}");
    }
}
