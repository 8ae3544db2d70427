//! Evaluators and decorators: the same samples through each.

use deepcfr_cfr::traversal::evaluators::{
    CachedEvaluator, CheckedEvaluator, RecordingEvaluator, ReplayEvaluator, TableEvaluator,
};
use deepcfr_cfr::traversal::{self, Sampling, TraversalPlan, TraversalStats};
use deepcfr_core::{Encoder, Evaluator, Model, NetId};
use deepcfr_games::kuhn::{Kuhn, KuhnEncoder};

use crate::hand_tree::KeyEncoder;
use crate::model::{HashModel, Log, local, plan};

fn run<V: Evaluator + Send>(encoder: &impl Encoder<Kuhn>, workers: &mut [V]) -> (Log, TraversalStats) {
    let mut log = Log::default();
    let plan = TraversalPlan { lanes: 12, ..plan(0, 300) };
    let stats =
        traversal::run(&Kuhn, encoder, Sampling::External, &plan, workers, &mut log).expect("no failure");
    (log, stats)
}

fn reference() -> Log {
    run(&KuhnEncoder, &mut [local(&Kuhn, &KuhnEncoder, 8)]).0
}

#[test]
fn a_local_evaluator_accounts_for_its_batches() {
    let mut worker = [local(&Kuhn, &KuhnEncoder, 8)];
    let (_, stats) = run(&KuhnEncoder, &mut worker);
    let local = worker[0].take_stats();
    assert_eq!((local.sizes.rows(), local.sizes.max() <= 8, local.networks), (stats.rows, true, 2));
    assert!(local.sizes.calls() < stats.rows / 2, "rows share batches");
    assert_eq!(worker[0].take_stats(), Default::default());
}

#[test]
fn a_cache_asks_once_per_infoset_and_version() {
    let mut worker = [CachedEvaluator::new(local(&Kuhn, &KuhnEncoder, 8), 2, 1000)];
    let (log, stats) = run(&KuhnEncoder, &mut worker);
    assert!(log == reference());
    let (hits, misses) = worker[0].hits_and_misses();
    assert_eq!(hits + misses, stats.rows);
    assert_eq!(worker[0].inner_mut().take_stats().sizes.rows(), misses);
    // Twelve infosets; lanes that meet one before its first answer ask too.
    assert!((12..=12 * 12).contains(&misses), "{misses} misses");
    worker[0].set_version(0);
    assert!(run(&KuhnEncoder, &mut worker).0 == log);
    assert_eq!(worker[0].hits_and_misses().1, misses, "the same version is remembered");
    worker[0].set_version(1);
    run(&KuhnEncoder, &mut worker);
    assert!(worker[0].hits_and_misses().1 >= misses + 12, "another version is not");
}

#[test]
fn a_full_cache_still_answers_right() {
    let mut worker = [CachedEvaluator::new(local(&Kuhn, &KuhnEncoder, 8), 2, 3)];
    assert!(run(&KuhnEncoder, &mut worker).0 == reference());
}

#[test]
fn a_check_finds_the_row_that_differs() {
    let checked = |tolerance, network: Box<dyn Model>| {
        let mut worker = [CheckedEvaluator::new(local(&Kuhn, &KuhnEncoder, 8), network, tolerance)];
        let (log, stats) = run(&KuhnEncoder, &mut worker);
        assert!(log == reference());
        assert_eq!(worker[0].report().rows, stats.rows);
        worker[0].report()
    };
    let same = checked(0.0, Box::new(HashModel::new(&Kuhn, &KuhnEncoder)));
    assert_eq!((same.mismatches, same.max_error), (0, 0.0));
    let off = checked(1e-3, Box::new(Shifted(HashModel::new(&Kuhn, &KuhnEncoder))));
    assert_eq!(off.mismatches, off.rows);
    assert!((off.max_error - 0.01).abs() < 1e-6);
    let near = checked(0.02, Box::new(Shifted(HashModel::new(&Kuhn, &KuhnEncoder))));
    assert_eq!(near.mismatches, 0);
}

/// Every output 0.01 too high.
struct Shifted(HashModel);

impl Model for Shifted {
    fn spec(&self) -> deepcfr_core::ModelSpec {
        self.0.spec()
    }

    fn forward(&mut self, net: NetId, rows: &[f32], out: &mut [f32]) -> Result<(), deepcfr_core::ModelError> {
        self.0.forward(net, rows, out)?;
        out.iter_mut().for_each(|value| *value += 0.01);
        Ok(())
    }

    fn load(
        &mut self,
        net: NetId,
        weights: &std::sync::Arc<deepcfr_core::Weights>,
    ) -> Result<(), deepcfr_core::ModelError> {
        self.0.load(net, weights)
    }
}

#[test]
fn a_recording_replays_the_run_and_nothing_else() {
    let mut recorder = [RecordingEvaluator::new(local(&Kuhn, &KuhnEncoder, 8))];
    let (log, _) = run(&KuhnEncoder, &mut recorder);
    let [recorder] = recorder;
    let recorded = recorder.into_recorded();
    assert_eq!(recorded.len(), 12);
    assert!(run(&KuhnEncoder, &mut [ReplayEvaluator::new(&recorded, 2)]).0 == log);
    let empty = Default::default();
    let plan = plan(0, 1);
    let mut stranger = [ReplayEvaluator::new(&empty, 2)];
    let error =
        traversal::run(&Kuhn, &KuhnEncoder, Sampling::External, &plan, &mut stranger, &mut Log::default());
    assert!(error.expect_err("nothing recorded").to_string().contains("lacks this infoset"));
}

#[test]
fn a_tabulated_network_gives_the_network_s_samples() {
    let mut table = vec![0.0; 2 * 1024];
    for key in (0..1024u32).filter(|key| key & 0xff != 0) {
        // The betting after a leading 1: its length says who moves.
        let net = NetId::advantage((key & 0xff).ilog2() as usize & 1);
        HashModel::row(net, &[key as f32], &mut table[2 * key as usize..][..2]);
    }
    let (log, stats) = run(&KeyEncoder, &mut [TableEvaluator::new(&table, 2)]);
    assert!(log == run(&KeyEncoder, &mut [local(&Kuhn, &KeyEncoder, 8)]).0);
    assert!(stats.rows > 0);
}
