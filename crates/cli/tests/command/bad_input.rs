//! Bad input: exit code 2, a one-screen message with a remedy, no panic, nothing written. Also
//! `config`, which shows what good input is.

use tempfile::TempDir;

use crate::{deepcfr, refused, refused_in};

#[test]
fn all_problems_of_a_configuration_are_told_with_remedies() {
    let err = refused(&[
        "train",
        "--preset",
        "leduc",
        "--set",
        "training.learning_rat=0.1",
        "--set",
        "training.batch_size=big",
        "--set",
        "game.leduc.ranks=1",
    ]);
    assert_eq!(
        err,
        "\
error: the configuration has 3 problems:
  training.learning_rat = 0.1
      no such key; did you mean training.learning_rate?
  training.batch_size = \"big\"
      give a whole number, 0 or more
  game.leduc.ranks = 1
      give 2 to 64
"
    );
}

/// The tests are built without it.
const NO_CUDA: &str = "this build has no feature `cuda`; build with --features cuda, or give \"cpu\"";

#[test]
fn unknown_games_presets_files_and_impossible_rules_are_refused() {
    for (arguments, said) in [
        (&["train", "--set", "game.name=chess"][..], "give one of \"kuhn\", \"leduc\""),
        (&["config", "--preset", "ledux"], "did you mean leduc?"),
        (&["train", "--config", "missing.toml"], "cannot be read"),
        (
            &["train", "--set", "game.name=lost_cities", "--set", "game.lost_cities.hand_size=80"],
            "give 1 to 8",
        ),
        (&["train", "--set", "run.device=cuda"], NO_CUDA),
        (&["train", "--set", "inference.engine=burn", "--set", "inference.device=cuda:1"], NO_CUDA),
        (&["train", "--set", "traversal.scheduler=server", "--set", "server.devices=[\"cuda\"]"], NO_CUDA),
        (&["train", "--set", "server.devices=[\"cpu\"]"], "needs traversal.scheduler = \"server\" or"),
        (&["train", "--set", "run.device=gpu"], "give a device: \"cpu\", \"cuda\""),
        (&["train", "--set", "inference.precision=bf16"], "needs inference.engine = \"burn\""),
        (&["bench", "device", "--device", "cuda"], "--device = \"cuda\": this build has no feature `cuda`"),
        (&["bench", "device", "--device", "tpu"], "no such device; give \"cpu\""),
        (&["bench", "device", "--models", "512"], "give hidden size x hidden layers"),
        (&["bench", "device", "--precisions", "f8"], "give \"f32\", \"bf16\" or \"f16\""),
        (&["train", "--resume", "nothing"], "no run \"nothing\""),
        (&["eval", "nothing"], "no run \"nothing\""),
        (&["inspect", "nothing"], "no run \"nothing\""),
        (&["eval", "nothing", "--set", "training.batch_size=1"], "only keys of [evaluation]"),
        (&["train", "--preset", "leduc", "--config", "a.toml"], "cannot be used with"),
        (&["trian"], "similar subcommand"),
    ] {
        let err = refused(arguments);
        assert!(err.contains(said), "{arguments:?}: {err}");
    }
}

#[test]
fn a_file_that_is_not_toml_is_refused_with_the_place() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("run.toml"), "[run]\nseed = \n").unwrap();
    let err = refused_in(folder.path(), &["train", "--config", "run.toml"]);
    assert!(err.contains("run.toml = line 2, column 8\n      not TOML: "), "{err}");
}

#[test]
fn a_resolved_configuration_is_a_configuration() {
    let folder = TempDir::new().unwrap();
    let printed = deepcfr(folder.path(), &["config", "--preset", "leduc-13", "--seed", "7"]);
    assert_eq!((printed.code, printed.err.as_str()), (Some(0), ""));
    assert!(printed.out.contains("seed = 7") && printed.out.contains("ranks = 13"), "{}", printed.out);
    std::fs::write(folder.path().join("run.toml"), &printed.out).unwrap();
    let again = deepcfr(folder.path(), &["config", "--config", "run.toml"]);
    assert_eq!(again.out, printed.out);
    let checked = deepcfr(folder.path(), &["config", "--config", "run.toml", "--check"]);
    assert_eq!((checked.code, checked.out.as_str(), checked.err.as_str()), (Some(0), "", ""));
}
