//! Schedulers, workers, lanes and batch sizes change speed only: samples are bit-identical over the
//! whole grid, and so are the memories and metrics of whole iterations.

use deepcfr_cfr::memory::{Memories, Memory};
use deepcfr_config::{RunConfig, Scheduler};
use deepcfr_runs::metrics::{BatchMetrics, IterationMetrics};

use super::Trainer;
use crate::collect::{Collector, Walk};
use crate::diagnostics::Watched;
use crate::error::TrainError;
use crate::inference::Inference;
use crate::networks::{NUM_NETS, factories};

/// Two iterations: the second one's traversals ask the networks that the first one fitted.
const ITERATIONS: usize = 2;

/// What must not depend on how a run is scheduled.
#[derive(PartialEq, Debug)]
struct Learned {
    memories: u64,
    metrics: Vec<IterationMetrics>,
}

fn trainer(preset: &str, sets: &[&str]) -> Trainer {
    let config = resolved(preset, sets);
    let board = deepcfr_builtin::catalogue().board(&config.game).expect("the rules are possible");
    Trainer::new(config, board).expect("the run can start")
}

fn run(preset: &str, sets: &[&str]) -> Learned {
    let mut trainer = trainer(preset, sets);
    let lines = (0..ITERATIONS).map(|_| trainer.iterate()).collect::<Result<Vec<_>, _>>();
    Learned {
        memories: trainer.state.memories.hash(),
        metrics: lines.expect("the run goes through").iter().map(IterationMetrics::without_times).collect(),
    }
}

/// Networks of 3 × 512 and a fit of few steps: what is tested is traversals.
const LARGE_NETWORK: [&str; 8] = [
    "network.hidden_size=512",
    "network.num_layers=3",
    "training.batch_size=32",
    "training.advantage_steps=2",
    "training.strategy_steps=2",
    "traversal.tabulate_below=0",
    "evaluation.deals=0",
    "run.threads=1",
];

const KUHN: [&str; 1] = ["traversal.traversals_per_player=260"];
const LEDUC: [&str; 1] = ["traversal.traversals_per_player=260"];
/// Rounds cut short, so that all 256 lanes hold one.
const LOST_CITIES: [&str; 2] = ["traversal.traversals_per_player=260", "game.lost_cities.ply_cap=8"];

fn resolved(preset: &str, sets: &[&str]) -> RunConfig {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    crate::testing::resolve(Some(preset), &sets)
}

/// Fits networks once, then draws the second iteration's samples under every scheduler.
fn schedulers_agree(preset: &str, game: &[&str]) {
    let sets = [&LARGE_NETWORK[..], game].concat();
    let mut trainer = trainer(preset, &sets);
    trainer.iterate().expect("the first iteration goes through");
    let nets = trainer.advantage_nets().expect("the first iteration fits networks");
    let draw = |knobs: &[String]| -> Result<_, TrainError> {
        let knobs: Vec<&str> = knobs.iter().map(String::as_str).collect();
        let config = resolved(preset, &[&sets[..], &knobs].concat());
        let workers = config.traversal.workers.expect("the grid names it");
        let collector = Collector::new(&config, trainer.board(), workers);
        let mut inference = Inference::open(&config, &factories(&config, trainer.shape, NUM_NETS)?, workers)?;
        inference.publish(&nets)?;
        let mut memories = Memories::new(trainer.shape, 2000, 1000, 1);
        let mut sink = Watched { memories: &mut memories, probe: None };
        let collected = collector.on_board(trainer.board(), Walk::of_both(2), &mut inference, &mut sink)?;
        Ok((memories.hash(), collected.nodes, collected.samples, collected.batches().rows))
    };
    let draw = |knobs: &[String]| draw(knobs).expect("every run goes through");
    let expected = draw(&knobs(Scheduler::Recursive, 1, 0, 1));
    assert!(expected.3 > 500, "the networks are asked: {} rows", expected.3);
    for &scheduler in Scheduler::ALL {
        let lanes: &[usize] = if scheduler.is_one_lane() { &[0] } else { &[1, 7, 64, 256] };
        let batches: &[usize] = if scheduler == Scheduler::Recursive { &[1] } else { &[1, 16, 128, 1024] };
        for workers in [1, 2, 8] {
            for &lanes in lanes {
                for &max_batch in batches {
                    let knobs = knobs(scheduler, workers, lanes, max_batch);
                    assert_eq!(draw(&knobs), expected, "{preset}, {knobs:?}");
                }
            }
        }
    }
}

fn knobs(scheduler: Scheduler, workers: usize, lanes: usize, max_batch: usize) -> [String; 5] {
    [
        format!("traversal.scheduler={scheduler}"),
        format!("traversal.workers={workers}"),
        format!("traversal.lanes={lanes}"),
        format!("traversal.max_batch={max_batch}"),
        // Below most batches: why batches close must not matter either.
        format!("server.min_batch={}", 8.min(max_batch)),
    ]
}

#[test]
fn kuhn_is_the_same_under_every_scheduler() {
    schedulers_agree("kuhn", &KUHN);
}

#[test]
fn leduc_is_the_same_under_every_scheduler() {
    schedulers_agree("leduc", &LEDUC);
}

#[test]
fn lost_cities_is_the_same_under_every_scheduler() {
    schedulers_agree("lost-cities-seed", &LOST_CITIES);
}

/// The presets as they are, but for the number of traversals and steps.
#[test]
fn presets_are_the_same_whatever_the_workers_and_lanes() {
    for (preset, sets) in [
        ("kuhn", &["traversal.tabulate_below=0", "evaluation.every=2"][..]),
        ("kuhn", &["evaluation.every=2"]),
        ("leduc", &["traversal.tabulate_below=0", "evaluation.every=2"]),
        ("leduc", &["evaluation.every=2"]),
        (
            "lost-cities-quick",
            &[
                "traversal.traversals_per_player=70",
                "training.advantage_steps=20",
                "training.strategy_steps=5",
                "evaluation.deals=20",
                "evaluation.every=2",
            ],
        ),
    ] {
        let expected = run(preset, &[sets, &["traversal.workers=1", "traversal.lanes=1"]].concat());
        for workers in [1, 2, 8] {
            for lanes in [7, 64, 256] {
                let knobs = [format!("traversal.workers={workers}"), format!("traversal.lanes={lanes}")];
                let knobs: Vec<&str> = knobs.iter().map(String::as_str).collect();
                let got = run(preset, &[sets, &knobs].concat());
                assert!(got == expected, "{preset}, {sets:?}, {knobs:?}: {got:?}\nexpected {expected:?}");
            }
        }
    }
}

#[test]
fn auto_lanes_are_chosen_once_there_is_a_network_and_change_nothing() {
    let sets = [&LARGE_NETWORK[..], &KUHN, &["evaluation.every=2"]].concat();
    let auto = run("kuhn", &sets);
    assert_eq!(auto, run("kuhn", &[&sets[..], &["traversal.lanes=1"]].concat()));
}

/// Player 1's first traversals ask player 0's first network, under the lanes that there were before it was measured.
#[test]
fn batches_are_told_with_the_lanes_that_they_had() {
    let sets = [&LARGE_NETWORK[..], &KUHN].concat();
    let mut trainer = trainer("kuhn", &sets);
    for _ in 0..2 {
        let lanes = trainer.lanes().of_traversals() as u64;
        let batches = trainer.iterate().expect("the run goes through").batches;
        assert!(batches.rows > 0 && batches.lanes == lanes, "{lanes} lanes: {batches:?}");
    }
}

/// Keys that change what is learned do so: none is read and dropped on the way.
#[test]
fn what_outcome_sampling_is_told_changes_the_samples() {
    let sets = [&LARGE_NETWORK[..], &["traversal.traversals_per_player=20", "game.lost_cities.ply_cap=40"]];
    let base = run("lost-cities-seed", &sets.concat());
    for set in [
        "traversal.continuation=sampling",
        "traversal.baseline=score",
        "traversal.epsilon=0.2",
        "traversal.value_clip=5",
    ] {
        let other = run("lost-cities-seed", &[&sets.concat()[..], &[set]].concat());
        assert_ne!(other.memories, base.memories, "{set}");
    }
}

#[test]
fn what_rollout_sampling_is_told_changes_the_samples() {
    let sets = [
        "traversal.traversals_per_player=3",
        "game.lost_cities.ply_cap=40",
        "training.advantage_steps=2",
        "training.strategy_steps=2",
        "evaluation.deals=0",
    ];
    let base = run("lost-cities-quick", &sets);
    for set in [
        "traversal.rollout_policy=heuristic-balanced",
        "traversal.rollouts=2",
        "traversal.epsilon=0",
        "game.lost_cities.encoder=cards",
    ] {
        let other = run("lost-cities-quick", &[&sets[..], &[set]].concat());
        assert_ne!(other.memories, base.memories, "{set}");
    }
}

/// Iteration 1: player 0 walks before there is any network, player 1 against player 0's first one, or, where both
/// are updated together, before there is any too.
#[test]
fn in_turn_player_1_meets_player_0s_new_network() {
    for table in ["traversal.tabulate_below=100000", "traversal.tabulate_below=0"] {
        let walked = |updates: &str, iterations: usize| {
            let sets = ["traversal.traversals_per_player=200", "evaluation.every=2", table, updates];
            let mut trainer = trainer("leduc", &sets);
            (0..iterations).for_each(|_| _ = trainer.iterate().expect("the run goes through"));
            trainer.memories().advantage.each_ref().map(Memory::hash)
        };
        let walked = |iterations| {
            ["in_turn", "together"].map(|updates| walked(&format!("training.updates={updates}"), iterations))
        };
        let [in_turn, together] = walked(1);
        assert_eq!(in_turn[0], together[0], "{table}");
        assert_ne!(in_turn[1], together[1], "{table}");
        let [in_turn, together] = walked(2);
        assert!(in_turn[0] != together[0] && in_turn[1] != together[1], "{table}");
    }
}

/// Whether the strategy is evaluated exactly, or tabulated, does not decide what is kept.
#[test]
fn memories_merge_where_the_game_is_small_whatever_is_evaluated() {
    let is_merged = |preset: &str, sets: &[&str]| {
        let trainer = trainer(preset, sets);
        let merged = trainer.memories().iter().map(|memory| matches!(memory, Memory::Merged(_)));
        let merged: Vec<bool> = merged.collect();
        assert!(merged.iter().all(|&kind| kind == merged[0]), "{preset}: {merged:?}");
        merged[0]
    };
    for preset in ["kuhn", "leduc"] {
        assert!(is_merged(preset, &[]));
        assert!(is_merged(preset, &["evaluation.nash_conv=off", "traversal.tabulate_below=0"]));
        assert!(is_merged(preset, &["memory.kind=merged"]));
        assert!(!is_merged(preset, &["memory.kind=reservoir"]));
        assert!(!is_merged(preset, &["memory.strategy_capacity=10"]), "its infosets do not fit");
    }
    assert!(!is_merged("lost-cities-quick", &[]));
}

#[test]
fn more_distinct_rows_than_a_merged_memory_holds_end_the_run_with_the_key() {
    let sets = ["memory.kind=merged", "memory.advantage_capacity=20", "evaluation.deals=0"];
    let error = trainer("leduc", &sets).iterate().expect_err("a player of Leduc has 144 rows");
    let told = error.to_string();
    assert!(told.contains("memory.advantage_capacity") && told.contains("20 distinct rows"), "{told}");
    assert!(error.is_bad_input());
}

#[test]
fn a_reservoir_that_leaves_samples_out_tells_its_noise() {
    let sets = ["memory.kind=reservoir", "memory.advantage_capacity=300", "evaluation.deals=0"];
    let learned = run("leduc", &sets);
    let last = &learned.metrics[1];
    assert!(last.left_out.advantage.iter().all(|&left_out| left_out > 0) && last.left_out.strategy == 0);
    let floors: Vec<f64> = last.noise_floor.iter().map(|floor| floor.expect("it is known")).collect();
    // Targets of Leduc spread by some points, over about 144 rows.
    assert!(floors.iter().all(|&floor| (0.5..10.0).contains(&floor)), "{floors:?}");
    let merged = run("leduc", &["evaluation.deals=0"]);
    assert_eq!(merged.metrics[1].noise_floor, [None; 2]);
    assert_eq!(merged.metrics[1].left_out.advantage, [0; 2]);
}

#[test]
fn an_iteration_ended_by_its_node_budget_says_so() {
    let sets = ["traversal.max_nodes_per_iteration=100", "evaluation.deals=0"];
    let cut = run("kuhn", &sets);
    assert!(cut.metrics.iter().all(|line| line.iteration_cut && line.traversals < 600), "{cut:?}");
    assert!(run("kuhn", &sets[1..]).metrics.iter().all(|line| !line.iteration_cut));
}

/// The extended set has its own turn, deals and opponents, and takes no part in training.
#[test]
fn the_extended_set_is_played_when_its_turn_is() {
    let base = run("kuhn", &["evaluation.every=1", "evaluation.deals=10", "run.iterations=3"]);
    let extended = run(
        "kuhn",
        &[
            "evaluation.every=1",
            "evaluation.deals=10",
            "run.iterations=3",
            "evaluation.extended_every=2",
            "evaluation.extended_deals=25",
            "evaluation.extended_opponents=[\"random\", \"always-call\"]",
        ],
    );
    let evaluations: Vec<_> =
        extended.metrics.iter().map(|line| line.evaluation.as_ref().expect("every iteration is")).collect();
    assert!(
        evaluations[0].extended.is_empty()
            && base.metrics[1].evaluation.as_ref().unwrap().extended.is_empty()
    );
    let [random, call, ..] = evaluations[1].extended.as_slice() else { panic!("{:?}", evaluations[1]) };
    assert_eq!((random.opponent.as_str(), call.opponent.as_str()), ("random", "always-call"));
    assert!(evaluations[1].extended.iter().all(|game| game.deals == 25 && game.variance_reduction > 0.0));
    assert_eq!(evaluations[1].extended.len(), 2 * evaluations[1].matches.len());
    assert_eq!(extended.memories, base.memories);
    let light = |learned: &Learned| learned.metrics[1].evaluation.as_ref().unwrap().matches.clone();
    assert_eq!(light(&extended), light(&base));
}

/// The batches of the second iteration's traversals, whose networks a server runs.
fn batches(sets: &[&str]) -> BatchMetrics {
    let mut trainer = trainer("kuhn", sets);
    trainer.iterate().expect("the first iteration goes through");
    trainer.iterate().expect("the second iteration goes through").batches
}

#[test]
fn the_servers_keys_decide_why_batches_close() {
    let served = |sets: &[&str]| {
        let base = ["traversal.scheduler=server", "traversal.workers=3", "traversal.max_batch=64"];
        let batches = batches(&[&LARGE_NETWORK[..], &KUHN, &base, sets].concat());
        (batches.closes.expect("the server tells"), batches)
    };
    // Out of the idle rule's reach, with time: only the quorum is left.
    let patient = ["server.min_batch=64", "server.batch_window_us=1000000"];
    let (closes, batches) = served(&patient);
    assert_eq!((closes.full, closes.idle, closes.window), (0, 0, 0), "{closes:?}");
    assert!(closes.quorum > 0 && batches.server_threads == Some(1), "{batches:?}");
    let (closes, _) = served(&["server.min_batch=64", "server.batch_window_us=0"]);
    assert!(closes.window > 0 && closes.idle == 0, "{closes:?}");
    let (closes, _) = served(&["server.min_batch=1", "server.batch_window_us=1000000"]);
    assert!(closes.idle > 0 && closes.window == 0, "{closes:?}");
    let (closes, _) = served(&[&patient[..1], &["traversal.max_batch=1", "server.min_batch=1"]].concat());
    assert!(closes.full > 0 && closes.idle == 0, "{closes:?}");
    let (_, batches) = served(&[&patient[..], &["server.server_threads=2"]].concat());
    assert_eq!(batches.server_threads, Some(2));
    let (_, batches) = served(&[&patient[..], &["server.devices=[\"cpu\", \"cpu\", \"cpu\"]"]].concat());
    assert_eq!(batches.server_threads, Some(3), "one thread each, since the run has one");
    let devices = ["server.devices=[\"cpu\", \"cpu\"]", "server.server_threads=2"];
    let (_, batches) = served(&[&patient[..], &devices].concat());
    assert_eq!(batches.server_threads, Some(4));
}

/// Matches are played by the server too.
#[test]
fn several_devices_serve_the_same_samples_and_metrics() {
    let served = |sets: &[&str]| {
        let base = ["traversal.workers=3", "evaluation.every=2", "evaluation.deals=40"];
        run("kuhn", &[&LARGE_NETWORK[..], &KUHN, &base, sets].concat())
    };
    for scheduler in ["traversal.scheduler=server", "traversal.scheduler=interleaved+server"] {
        let one = served(&[scheduler]);
        assert!(one.metrics[1].evaluation.as_ref().is_some_and(|evaluation| !evaluation.matches.is_empty()));
        assert_eq!(served(&[scheduler, "server.devices=[\"cpu\", \"cpu\"]"]), one, "{scheduler}");
    }
}
