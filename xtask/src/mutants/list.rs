//! The mistakes that are easily made in Deep CFR, each as an edit and the test that notices it.
//!
//! Not here: how they are tried.

use super::{Edit, Mutant, Test};

const CFR: &str = "deepcfr-cfr";
const EXTERNAL: &str = "crates/cfr/src/traversal/external.rs";
const OUTCOME: &str = "crates/cfr/src/traversal/outcome.rs";
const LANE: &str = "crates/cfr/src/traversal/lane.rs";
const RECORDING: &str = "crates/cfr/src/traversal/recording.rs";

const fn traversal(name: &'static str) -> Test {
    Test { package: CFR, target: "traversal", name }
}

const fn unit(name: &'static str) -> Test {
    Test { package: CFR, target: "--lib", name }
}

pub(super) const MUTANTS: [Mutant; 9] = [
    Mutant {
        name: "in turn, both players see the old networks",
        edits: &[Edit {
            file: "crates/train/src/trainer.rs",
            from: "Updates::InTurn => vec![(&[0], [true, false, false]), (&[1], [false, true, strategy])],",
            to: "Updates::InTurn => vec![(&[0, 1], [true, true, strategy])],",
        }],
        test: Test {
            package: "deepcfr-train",
            target: "--lib",
            name: "trainer::tests::in_turn_player_1_meets_player_0s_new_network",
        },
    },
    Mutant {
        name: "max instead of σ-mean at traverser nodes",
        edits: &[Edit {
            file: EXTERNAL,
            from: "map(|a| f64::from(targets[a]) * values[a]).sum();",
            to: "map(|a| values[a]).fold(f64::NEG_INFINITY, f64::max);",
        }],
        test: traversal("closed_form::external_sampling_gives_strategy_weighted_means"),
    },
    Mutant {
        name: "predicted instead of sampled advantage stored",
        edits: &[
            Edit {
                file: RECORDING,
                from: "    pub(super) strategy: SampleBuffer<P>,\n",
                to: "    pub(super) strategy: SampleBuffer<P>,\n    pub(super) predicted: Vec<Vec<f32>>,\n",
            },
            Edit {
                file: RECORDING,
                from: "            strategy: SampleBuffer::default(),\n",
                to: "            strategy: SampleBuffer::default(),\n            predicted: Vec::new(),\n",
            },
            Edit {
                file: LANE,
                from: "        let legal = samples.legal(slot);\n        regret_matching(",
                to: "        let legal = samples.legal(slot);\n        if player == context.traverser {\n            \
                     let predicted = &mut self.walk.recording.predicted;\n            \
                     predicted.resize(predicted.len().max(slot + 1), Vec::new());\n            \
                     predicted[slot] = advantages.to_vec();\n        }\n        \
                     let samples = samples_of(&mut self.walk.recording, player == context.traverser);\n        \
                     regret_matching(",
            },
            Edit {
                file: RECORDING,
                from: "        self.advantage.each(shape, iteration, |meta, state, targets| {\n            \
                       sink.advantage(traverser, meta, &Encoded { context, state, player: traverser }, targets);",
                to: "        let mut slot = 0;\n        \
                     self.advantage.each(shape, iteration, |meta, state, _| {\n            \
                     let encoded = Encoded { context, state, player: traverser };\n            \
                     sink.advantage(traverser, meta, &encoded, &self.predicted[slot]);\n            \
                     slot += 1;",
            },
        ],
        test: traversal("unbiased::external_sampling_targets_are_advantages_in_the_mean"),
    },
    Mutant {
        name: "ring buffer instead of reservoir",
        edits: &[Edit {
            file: "crates/cfr/src/memory/reservoir.rs",
            from: "(drawn < self.capacity as u64).then_some(drawn as usize)",
            to: "{ let _ = drawn; Some(((self.offered - 1) % self.capacity as u64) as usize) }",
        }],
        test: unit("memory::reservoir::tests::every_sample_is_kept_with_the_same_probability"),
    },
    Mutant {
        name: "ε at opponent nodes",
        edits: &[Edit {
            file: LANE,
            from: "let action = sample_action(samples.targets_mut(context.shape, slot), legal, self.walk.rng.uniform());",
            to: "let explored = 0.4 / legal.len() as f32;\n        \
                 let row = samples.targets_mut(context.shape, slot);\n        \
                 let mixed: Vec<f32> = row.iter().map(|share| 0.6 * share + explored).collect();\n        \
                 let action = sample_action(&mixed, legal, self.walk.rng.uniform());",
        }],
        test: traversal("unbiased::outcome_sampling_targets_are_advantages_in_the_mean"),
    },
    Mutant {
        name: "zeroed unsampled targets",
        edits: &[Edit { file: OUTCOME, from: "let other = (0.0 - mean) as f32;", to: "let other = 0.0;" }],
        test: traversal("unbiased::the_outcome_sampling_target_is_unbiased_and_the_zeroed_one_is_not"),
    },
    Mutant {
        name: "strategy samples at traverser nodes",
        edits: &[Edit {
            file: EXTERNAL,
            from: "        walk.make_row(walk.frames.len());\n",
            to: "        walk.make_row(walk.frames.len());\n        \
                 let recording = &mut walk.recording;\n        \
                 let legal = recording.advantage.legal(slot);\n        \
                 let also = recording.strategy.open(walk.shape, &walk.state, legal);\n        \
                 let row = recording.advantage.targets_mut(walk.shape, slot).to_vec();\n        \
                 recording.strategy.targets_mut(walk.shape, also).copy_from_slice(&row);\n",
        }],
        test: traversal("unbiased::external_sampling_targets_are_advantages_in_the_mean"),
    },
    Mutant {
        name: "unmasked illegal outputs",
        edits: &[Edit {
            file: "crates/cfr/src/regret.rs",
            from: "    let mut total = 0.0f64;\n    legal.iter().map(usize::from).for_each(|action| {\n        let positive",
            to: "    let mut total = 0.0f64;\n    let legal = ActionSet::first(out.len().max(legal.len()));\n    \
                 legal.iter().map(usize::from).for_each(|action| {\n        let positive",
        }],
        test: unit("regret::tests::every_rule_gives_a_distribution_over_legal_actions"),
    },
    Mutant {
        name: "best response keyed by printed state",
        edits: &[
            Edit {
                file: "crates/cfr/src/tabular/tree/build.rs",
                from: "        let parent = pending.past[player];\n",
                to: "        let parent = pending.past[player];\n        \
                     let text = self.game.describe_infoset(&pending.state, player);\n        \
                     let step = |hash: u128, byte: u8| hash.wrapping_mul(257).wrapping_add(byte.into());\n        \
                     let printed = deepcfr_core::InfosetKey(text.bytes().fold(0, step));\n",
            },
            Edit {
                file: "crates/cfr/src/tabular/tree/build.rs",
                from: "self.index.entry((player, key))",
                to: "self.index.entry((player, printed))",
            },
        ],
        test: Test {
            package: CFR,
            target: "tabular",
            name: "policies::best_responses_are_keyed_by_infosets_and_not_by_printed_states",
        },
    },
];
