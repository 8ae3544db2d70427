//! The schedulers on Lost Cities with real networks on the CPU, over workers, lanes and batch sizes.
//!
//! `cargo bench --workspace --bench schedulers [-- NETWORK [ENGINE [TRAVERSALS]]]`, for example
//! `-- 512x3 native`; all networks and engines without. Settings of a table take turns; every line tells
//! the median nodes a second and its ratio to `recursive` with as many workers in the same turn (lowest
//! to highest). Weights are random: what networks answer does not matter to their speed. For a
//! configuration of your own there is `deepcfr bench schedulers`. Not here: what one call costs.

use std::error::Error;
use std::sync::Arc;

use deepcfr_cfr::memory::Memories;
use deepcfr_cfr::regret::AllNegative;
use deepcfr_cfr::traversal::evaluators::LocalEvaluator;
use deepcfr_cfr::traversal::{self, Budgets, OutcomeSampling, Sampling, StrategySource, TraversalPlan};
use deepcfr_core::{Encoder, Evaluator, Game, ModelFactory, NetId, SampleShape, Weights};
use deepcfr_games::lost_cities::{LostCities, Rules, Slots, SlotsEncoder};
use deepcfr_nn::{BurnFactory, LearnerConfig, NativeFactory};
use deepcfr_serve::{Server, ServerConfig};
use deepcfr_timing::{Stretch, Turns, median, timed};

const TURNS: usize = 3;
/// Traversals of a turn: more than there are lanes, which otherwise stay empty. A budget of nodes would not
/// do: it drops what lanes have walked beyond it.
const TRAVERSALS: u32 = 560;
const NETWORKS: [(usize, usize); 2] = [(512, 3), (1024, 6)];
const ENGINES: [&str; 2] = ["native", "burn"];
const WORKERS: [usize; 2] = [1, 2];
const LANES: [usize; 3] = [16, 64, 256];
const MAX_BATCHES: [usize; 2] = [64, 512];

/// How lanes meet the networks.
#[derive(Clone, Copy, PartialEq)]
enum Scheduler {
    Recursive,
    Interleaved,
    Server,
    InterleavedServer,
}

#[derive(Clone, Copy)]
struct Setting {
    scheduler: Scheduler,
    workers: usize,
    lanes: usize,
    max_batch: usize,
}

impl Setting {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for workers in WORKERS {
            for scheduler in [Scheduler::Recursive, Scheduler::Server] {
                all.push(Self { scheduler, workers, lanes: 1, max_batch: MAX_BATCHES[0] });
            }
            for scheduler in [Scheduler::Interleaved, Scheduler::InterleavedServer] {
                for lanes in LANES {
                    // Batches larger than the lanes of a network do not exist.
                    for max_batch in MAX_BATCHES.into_iter().take(if lanes > 64 { 2 } else { 1 }) {
                        all.push(Self { scheduler, workers, lanes, max_batch });
                    }
                }
            }
        }
        all
    }

    fn name(self) -> &'static str {
        match self.scheduler {
            Scheduler::Recursive => "recursive",
            Scheduler::Interleaved => "interleaved",
            Scheduler::Server => "server",
            Scheduler::InterleavedServer => "interleaved+server",
        }
    }
}

struct Bench {
    game: LostCities<Slots>,
    encoder: SlotsEncoder,
    shape: SampleShape,
    traversals: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds an option of its own.
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let (network, engine) = (arguments.next(), arguments.next());
    let rules = Rules::classic();
    let (game, encoder) = (LostCities::new(rules)?, SlotsEncoder::new(&rules));
    let num_actions = Game::spec(&game).num_actions;
    let num_features = Encoder::<LostCities<Slots>>::num_features(&encoder);
    let traversals = arguments.next().map_or(Ok(TRAVERSALS), |count| count.parse())?;
    let bench = Bench { game, encoder, shape: SampleShape { num_features, num_actions }, traversals };
    for (hidden, layers) in NETWORKS {
        for name in ENGINES {
            let wanted =
                |given: &Option<String>, what: &str| given.as_ref().is_none_or(|given| given == what);
            if wanted(&network, &format!("{hidden}x{layers}")) && wanted(&engine, name) {
                bench.table(name, hidden, layers)?;
            }
        }
    }
    Ok(())
}

impl Bench {
    fn table(&self, engine: &str, hidden: usize, layers: usize) -> Result<(), Box<dyn Error>> {
        let SampleShape { num_features, num_actions } = self.shape;
        let factory: Box<dyn ModelFactory> = match engine {
            "native" => Box::new(NativeFactory::new(num_features, num_actions, 2)),
            _ => Box::new(BurnFactory::new(num_features, num_actions, 2)),
        };
        let network = LearnerConfig::plain(self.shape, hidden, layers);
        let weights = [0, 1].map(|seed| Arc::new(Weights::Mlp(network.fresh_network(seed))));
        let settings = Setting::all();
        // One for all settings: the turn that warms up touches it, and it is full in no time.
        let mut memories = Memories::new(self.shape, 100_000, 100_000, 1);
        let mut batches = vec![0.0; settings.len()];
        let timings = Turns::new(TURNS, 1).take(settings.len(), |place| {
            let (stretch, batch) = self.run(settings[place], &*factory, &weights, &mut memories)?;
            batches[place] = batch;
            Ok::<_, Box<dyn Error>>(stretch)
        })?;
        println!(
            "\n{hidden} x {layers} networks, engine {engine}, {TURNS} turns of {} traversals",
            self.traversals
        );
        println!("| scheduler | workers | lanes | max_batch | nodes/s | mean batch | times recursive |");
        println!("|---|---:|---:|---:|---:|---:|---|");
        for ((setting, own), batch) in settings.iter().zip(&timings).zip(batches) {
            let is_base = |other: &&Setting| {
                other.scheduler == Scheduler::Recursive && other.workers == setting.workers
            };
            let base = settings.iter().position(|other| is_base(&other)).expect("it is one of them");
            let mut ratios = own.against(&timings[base]);
            ratios.sort_by(f64::total_cmp);
            println!(
                "| {} | {} | {} | {} | {:.0} | {:.1} | {:.2} ({:.2} to {:.2}) |",
                setting.name(),
                setting.workers,
                setting.lanes,
                setting.max_batch,
                own.per_second(),
                batch,
                median(ratios.iter().copied()),
                ratios[0],
                ratios[TURNS - 1],
            );
        }
        Ok(())
    }

    /// Nodes as a stretch, and the mean batch.
    fn run(
        &self,
        setting: Setting,
        factory: &dyn ModelFactory,
        weights: &[Arc<Weights>; 2],
        memories: &mut Memories,
    ) -> Result<(Stretch, f64), Box<dyn Error>> {
        let nets = [NetId(0), NetId(1)];
        if matches!(setting.scheduler, Scheduler::Recursive | Scheduler::Interleaved) {
            let rows = if setting.scheduler == Scheduler::Recursive { 1 } else { setting.max_batch };
            let mut evaluators = Vec::new();
            for _ in 0..setting.workers {
                let mut model = factory.open()?;
                for (net, weights) in nets.into_iter().zip(weights) {
                    model.load(net, weights)?;
                }
                evaluators.push(LocalEvaluator::new(model, rows));
            }
            let speed = self.traverse(&mut evaluators, (setting.lanes, 1), memories)?;
            let mut sizes = evaluators[0].take_stats();
            evaluators[1..].iter_mut().for_each(|evaluator| sizes.merge(&evaluator.take_stats()));
            return Ok((speed, sizes.sizes.mean()));
        }
        let groups = if setting.scheduler == Scheduler::Server { 1 } else { 2 };
        let config = ServerConfig {
            max_batch: setting.max_batch,
            server_threads: setting.workers,
            share_out: true,
            ..ServerConfig::default()
        };
        let server = Server::start(&[factory], config)?;
        let weights: Vec<_> = nets.into_iter().zip(weights.iter().cloned()).collect();
        server.publish(1, &weights)?;
        let mut clients = Vec::new();
        for _ in 0..setting.workers {
            clients.push(server.client(groups)?);
        }
        server.take_metrics();
        let speed = self.traverse(&mut clients, (setting.lanes, groups), memories)?;
        Ok((speed, server.take_metrics().sizes.mean()))
    }

    fn traverse<V: Evaluator + Send>(
        &self,
        evaluators: &mut [V],
        (lanes, groups): (usize, usize),
        memories: &mut Memories,
    ) -> Result<Stretch, Box<dyn Error>> {
        let plan = TraversalPlan {
            seed: 1,
            iteration: 1,
            traverser: 0,
            count: self.traversals,
            all_negative: AllNegative::Argmax,
            strategy: [StrategySource::Networks; 2],
            budgets: Budgets { max_nodes_per_iteration: u64::MAX, max_nodes_per_traversal: 1000 },
            lanes,
            groups,
        };
        let mut nodes = 0;
        let stretch = timed(1, || {
            nodes = traversal::run(
                &self.game,
                &self.encoder,
                Sampling::outcome(OutcomeSampling::default()),
                &plan,
                evaluators,
                memories,
            )?
            .nodes;
            Ok::<_, Box<dyn Error>>(())
        })?;
        Ok(Stretch { items: nodes as f64, ..stretch })
    }
}
