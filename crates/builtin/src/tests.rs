//! The whole path from layers to a checked configuration, and the words of its messages.

use std::collections::BTreeSet;

use deepcfr_config::{Base, ConfigError, Engine, Problem, RunConfig};
use deepcfr_core::DeviceName;

use super::*;

fn text(text: &str) -> Base {
    Base::Text { source: "run.toml".to_owned(), text: text.to_owned() }
}

/// In a build that reaches no device but the processor.
fn resolve(base: &Base, assignments: &[String], seed: Option<u64>) -> Result<RunConfig, ConfigError> {
    let mut catalogue = catalogue();
    catalogue.schema_mut().set_compiled(DeviceName::is_cpu);
    catalogue.schema().resolve(base, assignments, seed)
}

fn defaults() -> toml::Table {
    catalogue().schema().defaults()
}

/// `assignments` over `base`, without a seed of their own.
fn with(base: &Base, assignments: &[&str]) -> Result<RunConfig, ConfigError> {
    resolve(base, &owned(assignments), None)
}

fn owned(assignments: &[&str]) -> Vec<String> {
    assignments.iter().map(|&assignment| assignment.to_owned()).collect()
}

fn message(base: &Base, assignments: &[&str]) -> String {
    with(base, assignments).unwrap_err().to_string()
}

/// What is wrong with `assignments` over the defaults, as `key | remedy`.
fn problems(assignments: &[&str]) -> Vec<String> {
    let error = with(&Base::Default, assignments).unwrap_err();
    error.problems.into_iter().map(|problem| format!("{} | {}", problem.key, problem.remedy)).collect()
}

fn leaves(table: &toml::Table, prefix: &str, into: &mut BTreeSet<String>) {
    for (key, value) in table {
        match value {
            toml::Value::Table(section) => leaves(section, &format!("{prefix}{key}."), into),
            _ => _ = into.insert(format!("{prefix}{key}")),
        }
    }
}

#[test]
fn defaults_and_presets_are_valid_and_survive_being_written() {
    let presets = PRESETS.iter().map(|(name, _)| Base::Preset((*name).to_owned()));
    for base in std::iter::once(Base::Default).chain(presets) {
        let config = with(&base, &[]).unwrap();
        let again = with(&text(&config.to_toml()), &[]).unwrap();
        assert_eq!(again, config);
        assert_eq!(again.hash(), config.hash());
    }
}

#[test]
fn the_default_file_names_every_key_and_explains_it() {
    let mut listed = BTreeSet::new();
    leaves(&defaults(), "", &mut listed);
    let mut typed = BTreeSet::new();
    for game in catalogue().schema().games() {
        let config = resolve(&Base::Default, &[format!("game.name={game}")], None).unwrap();
        leaves(&config.to_toml().parse().unwrap(), "", &mut typed);
    }
    assert_eq!(listed, typed);
    let text = catalogue().schema().default_text();
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair[1].contains(" = ") && !pair[1].starts_with('#')) {
        assert!(pair[0].starts_with("# "), "no comment above {}", pair[1]);
    }
}

#[test]
fn the_default_rules_of_lost_cities_are_the_classic_ones() {
    let game = with(&Base::Default, &["game.name=lost_cities"]).unwrap().game;
    let table: LostCitiesConfig = game.table().clone().try_into().expect("it was read before");
    assert_eq!(deepcfr_games::lost_cities::Rules::from(&table), deepcfr_games::lost_cities::Rules::classic());
}

#[test]
fn later_layers_win() {
    let seed_of = |base: &Base, sets: &[&str], seed| resolve(base, &owned(sets), seed).unwrap().run.seed;
    let file = text("[run]\nseed = 2\n");
    assert_eq!(seed_of(&Base::Default, &[], None), 1);
    assert_eq!(seed_of(&file, &[], None), 2);
    assert_eq!(seed_of(&file, &["run.seed=3", "run.seed=4"], None), 4);
    assert_eq!(seed_of(&file, &["run.seed=3"], Some(5)), 5);
    assert_eq!(with(&file, &[]).unwrap().run.iterations, 100);
}

#[test]
fn a_run_is_named_after_itself_its_preset_or_its_game() {
    let name_of = |base: &Base, sets: &[&str]| with(base, sets).unwrap().run.name;
    let preset = Base::Preset("leduc-13".to_owned());
    assert_eq!(name_of(&preset, &[]), "leduc-13");
    assert_eq!(name_of(&preset, &["run.name=mine"]), "mine");
    assert_eq!(name_of(&Base::Default, &["game.name=lost_cities"]), "lost-cities");
}

#[test]
fn zero_means_off_or_automatic_and_is_written_as_zero() {
    let config = with(&Base::Default, &["training.gradient_clip=0", "run.threads=0"]).unwrap();
    assert_eq!((config.training.gradient_clip, config.run.threads), (None, None));
    assert!(config.to_toml().contains("gradient_clip = 0.0"), "{}", config.to_toml());
    let config = with(&Base::Default, &["training.gradient_clip=2", "run.threads=3"]).unwrap();
    assert_eq!((config.training.gradient_clip, config.run.threads), (Some(2.0), Some(3)));
}

#[test]
fn all_problems_of_all_kinds_come_in_one_message() {
    let base = text(concat!(
        "[run]\niterations = 0\n[game.leduc]\nranks = 1\n[training]\nlearning_rat = 0.1\n",
        "batch_size = \"big\"\nsteps = \"some\"\n[evaluation]\npolicies = [\"sd_cfr\", 7]\n",
    ));
    assert_eq!(
        message(&base, &["traversal.workers=-1", "chess.elo=3"]),
        "\
the configuration has 8 problems:
  training.learning_rat = 0.1
      no such key; did you mean training.learning_rate?
  chess = [section]
      no such key; the sections are run, game, network, traversal, server, regret_matching, memory, training, average, inference, evaluation, checkpoint
  traversal.workers = -1
      give a whole number, 0 or more
  training.batch_size = \"big\"
      give a whole number, 0 or more
  training.steps = \"some\"
      give one of \"fixed\", \"scaled\"
  evaluation.policies = [\"sd_cfr\", 7]
      give one of \"policy_network\", \"sd_cfr\", \"current\"
  run.iterations = 0
      give 1 to 10000000
  game.leduc.ranks = 1
      give 2 to 64"
    );
}

#[test]
fn an_unknown_key_is_answered_with_the_nearest() {
    for (set, remedy) in [
        ("run.sed=1", "no such key; did you mean run.seed?"),
        ("learning_rate=1", "no such key; did you mean training.learning_rate?"),
        ("network.batch_size=1", "no such key; did you mean training.batch_size?"),
        ("traversl.lanes=1", "no such key; did you mean traversal?"),
        ("server.x=1", "no such key; [server] has batch_window_us, min_batch, devices, server_threads"),
    ] {
        let found = problems(&[set]);
        assert!(found[0].ends_with(remedy), "{set}: {found:?}");
    }
}

#[test]
fn a_wrong_type_is_answered_with_the_right_one() {
    assert_eq!(
        problems(&[
            "run.folder=3",
            "run.iterations=1.5",
            "game=leduc",
            "training.passes=fast",
            "training.merge_duplicates=1",
            "evaluation.opponents=random",
            "run.seed=99999999999999999999",
        ]),
        [
            "run.seed | give a whole number, 0 or more",
            "run.iterations | give a whole number, 0 or more",
            "game | is a section; set its keys, for example game.name",
            "training.passes | give a number",
            "training.merge_duplicates | give true or false",
            "evaluation.opponents | give a list in brackets, for example [\"random\"]",
        ]
    );
    let error = with(&text("run.folder = 3\nrun.device = true"), &[]).unwrap_err();
    let remedies: Vec<_> = error.problems.iter().map(|problem| problem.remedy.as_str()).collect();
    assert_eq!(remedies, ["give a text in quotes", "give a text in quotes"]);
}

#[test]
fn impossible_rules_are_refused_one_by_one() {
    assert_eq!(
        problems(&[
            "game.name=lost_cities",
            "game.lost_cities.colours=9",
            "game.lost_cities.bonus_amount=-1"
        ]),
        ["game.lost_cities.colours | give 1 to 6", "game.lost_cities.bonus_amount | give 0 to 200"]
    );
    assert_eq!(
        problems(&["game.name=liars_dice", "game.liars_dice.dice=15"]),
        ["game.liars_dice.dice | give less: dice times sides may be at most 32"]
    );
    assert_eq!(
        problems(&["game.name=goofspiel", "game.goofspiel.cards=1"]),
        ["game.goofspiel.cards | give 2 to 12"]
    );
    assert_eq!(
        problems(&["game.name=chess"]),
        ["game.name | give one of \"kuhn\", \"leduc\", \"liars_dice\", \"goofspiel\", \"lost_cities\""]
    );
}

#[test]
fn each_range_is_checked() {
    for set in [
        "run.name=\"No Slug\"",
        "run.folder=",
        "run.threads=5000",
        "network.hidden_size=0",
        "network.num_layers=0",
        "traversal.traversals_per_player=0",
        "traversal.epsilon=0",
        "traversal.epsilon=nan",
        "traversal.max_batch=0",
        "traversal.value_clip=-1",
        "server.min_batch=0",
        "server.server_threads=5000",
        "memory.advantage_capacity=0",
        "memory.strategy_capacity=0",
        "training.learning_rate=0",
        "training.learning_rate=inf",
        "training.final_learning_rate_fraction=1.5",
        "training.weight_decay=-0.1",
        "training.gradient_clip=-1",
        "training.batch_size=0",
        "training.advantage_steps=0",
        "training.strategy_steps=0",
        "training.min_steps=0",
        "training.passes=0",
        "average.archive_capacity=0",
        "evaluation.every=0",
        "checkpoint.every=0",
    ] {
        let found = problems(&[set]);
        let key = set.split('=').next().unwrap();
        assert_eq!(found.len(), 1, "{set}: {found:?}");
        assert!(found[0].starts_with(&format!("{key} | give ")), "{set}: {found:?}");
    }
}

#[test]
fn combinations_that_make_no_sense_are_refused() {
    for (sets, problem) in [
        (
            &["training.weight_decay=0.1"][..],
            "training.weight_decay | needs training.optimizer = \"adamw\"; or give 0",
        ),
        (
            &["traversal.baseline=score", "traversal.sampling=outcome"],
            "traversal.baseline | needs traversal.sampling = \"outcome\" and game.name = \"lost_cities\"; or give \"none\"",
        ),
        (
            &["traversal.continuation=sampling"],
            "traversal.continuation | needs traversal.sampling = \"outcome\"; or give \"strategy\"",
        ),
        (&["traversal.rollouts=2"], "traversal.rollouts | needs traversal.sampling = \"rollout\"; or give 1"),
        (
            &["traversal.rollout_policy=always-call"],
            "traversal.rollout_policy | needs traversal.sampling = \"rollout\"; or give \"random\"",
        ),
        (
            &["traversal.value_clip=10"],
            "traversal.value_clip | needs traversal.sampling = \"outcome\"; or give 0",
        ),
        (
            &[
                "training.steps=scaled",
                "training.min_steps=800",
                "average.policy_network=false",
                "evaluation.policies=[]",
            ],
            "training.advantage_steps | give at least training.min_steps, 800",
        ),
        (
            &["traversal.scheduler=recursive", "traversal.lanes=8"],
            "traversal.lanes | scheduler \"recursive\" has one lane a worker; give 0",
        ),
        (
            &["traversal.workers=1024", "traversal.lanes=65536"],
            "traversal.lanes | give less: workers times lanes is 67108864, at most 1048576 make sense",
        ),
        (
            &["traversal.scheduler=interleaved+server", "server.min_batch=512"],
            "server.min_batch | give at most traversal.max_batch, 256",
        ),
        (
            &["average.policy_network=false", "average.sd_cfr=false", "evaluation.policies=[]"],
            "average.policy_network | give true here or for average.sd_cfr",
        ),
        (&["average.sd_cfr=false"], "evaluation.policies | \"sd_cfr\" needs average.sd_cfr = true"),
        (&["evaluation.policies=[\"current\", \"current\"]"], "evaluation.policies | give each entry once"),
        (
            &["evaluation.opponents=[\"heuristic-balanced\"]"],
            "evaluation.opponents | leduc has no opponent \"heuristic-balanced\"; it has random, always-call",
        ),
        (
            &["game.name=lost_cities", "evaluation.opponents=[\"heuristic-balance\"]"],
            "evaluation.opponents | lost_cities has no opponent \"heuristic-balance\"; did you mean \"heuristic-balanced\"?",
        ),
        (
            &["inference.precision=f16"],
            "inference.precision | needs inference.engine = \"burn\"; or give \"f32\"",
        ),
        (
            &["server.devices=[\"cpu\", \"cpu\"]"],
            "server.devices | needs traversal.scheduler = \"server\" or \"interleaved+server\"; or give []",
        ),
        (
            &["traversal.scheduler=server", "inference.device=cpu", "server.devices=[\"cpu\"]"],
            "server.devices | takes the place of inference.device; give only one of the two",
        ),
        (&["checkpoint.keep=15"], "checkpoint.keep | give a multiple of checkpoint.every, or 0"),
        (
            &["evaluation.extended_every=15"],
            "evaluation.extended_every | give a multiple of evaluation.every, or 0",
        ),
        (
            &["evaluation.extended_opponents=[\"threshold\"]"],
            "evaluation.extended_opponents | leduc has no opponent \"threshold\"; it has random, always-call",
        ),
    ] {
        assert_eq!(problems(sets), [problem]);
    }
}

#[test]
fn files_and_options_that_cannot_be_read_are_problems_too() {
    assert_eq!(
        message(&text("[run]\nseed = 1\niterations 5\n"), &["nonsense", "a b=3"]),
        "\
the configuration has 3 problems:
  run.toml = line 3, column 12
      not TOML: key with no value, expected `=`
  --set = nonsense
      write section.key=value, for example run.seed=2
  --set = a b=3
      write section.key=value, for example run.seed=2"
    );
    let missing = message(&Base::File("no/such/file.toml".into()), &[]);
    assert!(missing.contains("--config = no/such/file.toml\n      cannot be read: "), "{missing}");
    let preset = message(&Base::Preset("leduk".to_owned()), &[]);
    assert!(preset.contains("--preset = leduk\n      no such preset; did you mean leduc?"), "{preset}");
    let preset = message(&Base::Preset("go".to_owned()), &[]);
    assert!(preset.contains("there are kuhn, leduc, leduc-paper"), "{preset}");
    let seed = resolve(&Base::Default, &[], Some(u64::MAX)).unwrap_err().to_string();
    assert!(seed.contains("run.seed = "), "{seed}");
}

#[test]
fn the_manual_has_a_row_for_every_key() {
    let page = catalogue().schema().manual();
    let mut listed = BTreeSet::new();
    leaves(&defaults(), "", &mut listed);
    let rows = page.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 2);
    assert_eq!(rows.count(), listed.len());
    assert!(page.contains("\n## `[game.lost_cities]`\n\nLost Cities, one round.\n\n| key |"), "{page}");
    for preset in catalogue().schema().presets() {
        assert!(page.contains(&format!("| `{}` | {}", preset.name, preset.summary())));
    }
}

/// Written by `cargo xtask docs`.
#[test]
fn the_manual_in_the_documentation_is_up_to_date() {
    // Read when the test runs: a package of this crate does not hold the page.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    let Ok(page) = std::fs::read_to_string(path) else { return };
    assert!(
        page == catalogue().schema().manual(),
        "docs/configuration.md is out of date: run `cargo xtask docs`"
    );
}

#[test]
fn devices_are_named_refused_and_followed() {
    let named = "a device: \"cpu\", \"cuda\", \"cuda:1\", \"wgpu\", \"wgpu:1\" or \"vulkan\"";
    assert_eq!(problems(&["run.device=gpu"]), [format!("run.device | give {named}")]);
    let or_empty = "a device, for example \"cpu\", \"cuda:1\", \"wgpu\" or \"vulkan\", or an empty text";
    assert_eq!(problems(&["inference.device=cuda:x"]), [format!("inference.device | give {or_empty}")]);
    for key in ["run.device", "inference.device", "evaluation.device"] {
        for device in DeviceName::KINDS.into_iter().filter(|device| !device.is_cpu()) {
            let (kind, set) = (device.kind(), format!("{key}={device}"));
            let expected = format!(
                "{key} | this build has no feature `{kind}`; build with --features {kind}, or give \"cpu\""
            );
            assert_eq!(problems(&["inference.engine=burn", &set]), [expected]);
        }
    }
    let config = with(&Base::Default, &["inference.device=", "evaluation.device=cpu"]).unwrap();
    assert_eq!(
        (config.inference.device, config.evaluation.device),
        (None, Some(deepcfr_core::DeviceName::Cpu))
    );
    let text = config.to_toml();
    let inference = text.split("[inference]\n").nth(1).expect("the section is written");
    assert!(inference.contains("\ndevice = \"\"\n"), "{text}");
}

#[test]
fn the_servers_devices_are_listed_and_refused() {
    let served = |devices: &str| {
        let devices = format!("server.devices={devices}");
        with(&Base::Default, &["traversal.scheduler=server", "inference.engine=burn", &devices])
    };
    let refused = |devices: &str| -> Vec<String> {
        let problems = served(devices).unwrap_err().problems.into_iter();
        problems.map(|problem| format!("{} = {} | {}", problem.key, problem.value, problem.remedy)).collect()
    };
    let config = served("[\"cpu\", \"cpu\"]").unwrap();
    assert_eq!(config.server.devices, [deepcfr_core::DeviceName::Cpu; 2]);
    assert!(config.to_toml().contains("\ndevices = [\"cpu\", \"cpu\"]\n"), "{}", config.to_toml());
    assert!(served("[]").unwrap().server.devices.is_empty());
    assert_eq!(
        refused("cuda"),
        [
            "server.devices = \"cuda\" | give a list of devices in brackets, for example [\"cuda:0\", \"cuda:1\"], or []"
        ]
    );
    assert_eq!(
        refused("[\"cpu\", \"gpu\"]"),
        [
            "server.devices = [\"cpu\", \"gpu\"] | give a device: \"cpu\", \"cuda\", \"cuda:1\", \"wgpu\", \"wgpu:1\" or \"vulkan\""
        ]
    );
    let many = format!("[{}]", ["\"cpu\""; 65].join(", "));
    assert!(refused(&many)[0].ends_with(" | give at most 64 devices"));
    for device in DeviceName::KINDS.into_iter().filter(|device| !device.is_cpu()) {
        let list = format!("[\"cpu\", \"{device}\"]");
        let kind = device.kind();
        assert_eq!(
            refused(&list),
            [format!(
                "server.devices = {list} | this build has no feature `{kind}`; build with --features {kind}, or give \"cpu\""
            )]
        );
    }
}

/// Placements of a configuration that was changed by hand, so that no build needs the features.
#[test]
fn each_part_of_a_run_has_its_device() {
    use DeviceName::{Cpu, Cuda, Wgpu};

    let mut config = with(&Base::Default, &["training.precision=bf16"]).unwrap();
    let placed = |config: &RunConfig| {
        [config.training_placement(), config.inference_placement(), config.evaluation_placement()]
            .map(|placement| placement.device)
    };
    config.run.device = Cuda(1);
    // The native engine runs on the processor wherever networks are trained.
    assert_eq!(placed(&config), [Cuda(1), Cpu, Cpu]);
    config.inference.engine = Engine::Burn;
    assert_eq!(placed(&config), [Cuda(1); 3]);
    config.inference.device = Some(Wgpu(0));
    assert_eq!(placed(&config), [Cuda(1), Wgpu(0), Wgpu(0)]);
    config.evaluation.device = Some(Cpu);
    assert_eq!(placed(&config), [Cuda(1), Wgpu(0), Cpu]);
    let devices = |placements: Vec<deepcfr_core::Placement>| -> Vec<_> {
        placements.into_iter().map(|placement| placement.device).collect()
    };
    assert_eq!(devices(config.inference_placements()), [Wgpu(0)]);
    config.inference.device = None;
    config.server.devices = vec![Cuda(0), Cuda(1)];
    assert_eq!(placed(&config), [Cuda(1), Cuda(0), Cpu]);
    assert_eq!(devices(config.inference_placements()), [Cuda(0), Cuda(1)]);
    assert_eq!(devices(config.evaluation_placements()), [Cpu]);
    config.evaluation.device = None;
    assert_eq!(devices(config.evaluation_placements()), [Cuda(0), Cuda(1)]);
    assert_eq!(config.training_placement().precision, deepcfr_core::Precision::Bf16);
    assert_eq!(config.inference_placement().precision, deepcfr_core::Precision::F32);
}

#[test]
fn only_what_is_learned_counts_for_resuming() {
    let with = |set: &str| resolve(&Base::Default, &[set.to_owned()], None).unwrap();
    let base = resolve(&Base::Default, &[], None).unwrap();
    for same in [
        "run.iterations=7",
        "traversal.workers=3",
        "server.min_batch=1",
        "evaluation.every=2",
        "training.precision=bf16",
    ] {
        assert_eq!(with(same).learning_hash(), base.learning_hash(), "{same}");
        assert_ne!(with(same).hash(), base.hash(), "{same}");
    }
    for other in ["run.seed=7", "game.leduc.ranks=4", "training.passes=3", "traversal.epsilon=0.5"] {
        assert_ne!(with(other).learning_hash(), base.learning_hash(), "{other}");
    }
}

/// A run of a program that had no such keys updated players together and kept reservoirs.
#[test]
fn a_run_older_than_a_key_goes_on_as_it_began() {
    let older = ["training.updates=together", "memory.kind=reservoir"];
    let written = with(&Base::Default, &older).unwrap().to_toml();
    let without: Vec<&str> =
        written.lines().filter(|line| !line.starts_with("updates") && !line.starts_with("kind")).collect();
    assert_eq!(without.len() + older.len(), written.lines().count());
    let read = with(&text(&without.join("\n")), &[]).unwrap();
    assert_eq!(read, with(&Base::Default, &older).unwrap());
    // What the program of then wrote into the checkpoints of a run with every other key at its default.
    assert_eq!(read.learning_hash(), "2c0172461bd7ee0b");
    assert_ne!(with(&Base::Default, &[]).unwrap().learning_hash(), read.learning_hash());
    let problems = with(&Base::Default, &[]).unwrap().check_resumes(&read).unwrap_err().problems;
    let keys: Vec<&str> = problems.iter().map(|problem| problem.key.as_str()).collect();
    assert_eq!(keys, ["memory.kind", "training.updates"]);
}

#[test]
fn keys_that_must_not_change_are_named_when_resuming() {
    let with = |sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
        resolve(&Base::Default, &sets, None).unwrap()
    };
    let started = with(&[]);
    let same = with(&["run.iterations=9", "evaluation.deals=5", "traversal.max_batch=7"]);
    assert_eq!(same.check_resumes(&started), Ok(()));
    let other = with(&["game.name=kuhn", "network.hidden_size=9", "run.iterations=9"]);
    let problems = other.check_resumes(&started).unwrap_err().problems;
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    assert_eq!(
        lines,
        [
            "game.name = \"kuhn\"\n      the run was started with \"leduc\", which cannot change; start another run",
            "network.hidden_size = 9\n      the run was started with 64, which cannot change; start another run",
        ]
    );
}

#[test]
fn a_game_line_names_the_rules() {
    let config = resolve(&Base::Preset("leduc-13".to_owned()), &[], None).unwrap();
    assert_eq!(config.game_line(), "leduc ranks=13");
    let config = resolve(&Base::Preset("kuhn".to_owned()), &[], None).unwrap();
    assert_eq!(config.game_line(), "kuhn");
}
