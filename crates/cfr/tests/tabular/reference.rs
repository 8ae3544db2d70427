//! The shared figures of `testdata/poker/tabular.json.gz`.

use std::io::Read;
use std::sync::{Arc, LazyLock};

use deepcfr_cfr::tabular::{GameTree, TreeLimits};
use deepcfr_core::Game;
use serde_json::Value;

static DATA: LazyLock<Value> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/poker/tabular.json.gz");
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("testdata is part of the repository");
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("testdata is sound");
    serde_json::from_str(&text).expect("testdata is sound")
});

pub(crate) fn game(name: &str) -> &'static Value {
    &DATA["games"][name]
}

pub(crate) fn bands(game: &str, algorithm: &str) -> &'static Vec<Value> {
    DATA["mccfr"][game][algorithm].as_array().expect("a list of points")
}

pub(crate) fn tree(game: &impl Game) -> Arc<GameTree> {
    Arc::new(GameTree::build(game, TreeLimits::default()).expect("the game is small"))
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}
