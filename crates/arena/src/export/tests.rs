//! Exports of a short run: the networks of its checkpoint, bit for bit, and a card that fits them.

use std::sync::atomic::AtomicBool;

use deepcfr_core::Activation;
use deepcfr_onnx::read_safetensors;
use sha2::{Digest, Sha256};

use super::*;
use deepcfr_config::Base;
use deepcfr_train::{Observer, train};

struct Silent;

impl Observer for Silent {}

fn builtin() -> Catalogue {
    deepcfr_builtin::catalogue()
}

/// A run of two iterations of Leduc poker in `folder`.
fn run(folder: &Path, sets: &[&str]) -> (RunReference, RunConfig) {
    let place = format!("run.folder={}", folder.display());
    let mut all = vec![place.as_str(), "run.iterations=2", "network.hidden_size=8", "evaluation.deals=0"];
    all.extend(["training.advantage_steps=3", "training.strategy_steps=3", "training.min_steps=1"]);
    all.extend(["traversal.traversals_per_player=20", "evaluation.nash_conv=off", "checkpoint.every=1"]);
    all.extend(sets);
    let all: Vec<String> = all.into_iter().map(str::to_owned).collect();
    let config = builtin().schema().resolve(&Base::Preset("leduc".to_owned()), &all, None).unwrap();
    let outcome = train(&builtin(), &config, &mut Silent, &AtomicBool::new(false)).unwrap();
    (RunReference { folder: outcome.folder, checkpoint: None }, config)
}

fn plan(run: &(RunReference, RunConfig), format: ExportFormat) -> ExportPlan {
    ExportPlan { run: run.0.clone(), config: run.1.clone(), format, network: None, out: None }
}

#[test]
fn safetensors_hold_the_checkpoints_networks_and_the_card_describes_them() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), &["network.activation=gelu"]);
    let Exported { folder, files, card } =
        export(&builtin(), &plan(&run, ExportFormat::Safetensors)).unwrap();
    assert!(folder.ends_with("export/iteration-000002-safetensors"), "{}", folder.display());
    let names = ["advantage0", "advantage1", "strategy"].map(|name| format!("{name}.safetensors"));
    assert_eq!(files, [&names[..], &["card.md".to_owned(), "card.json".to_owned()]].concat());
    let (iteration, saved) = read_networks(&run.0, &run.1).unwrap();
    assert_eq!((iteration, card.iteration), (2, 2));
    for (network, weights) in card.networks.iter().zip(&saved.weights) {
        let bytes = std::fs::read(folder.join(&network.file)).unwrap();
        let read = read_safetensors(&bytes, Activation::Gelu).unwrap();
        assert_eq!(&Weights::Mlp(read), &**weights.as_ref().unwrap());
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((&network.sha256, network.bytes), (&digest, bytes.len()));
        assert_eq!(network.activation, "gelu (exact)");
    }
    let json = std::fs::read_to_string(folder.join("card.json")).unwrap();
    assert_eq!(serde_json::from_str::<Card>(&json).unwrap(), card);
    assert_eq!((card.game.name.as_str(), card.game.parameters), ("leduc", vec!["ranks=3".to_owned()]));
    assert_eq!((card.encoder.num_features, card.actions.names[2].as_str()), (26, "raise"));
    let end = card.encoder.layout.last().map(|block| block.first + block.count);
    assert_eq!(end, Some(26));
    let text = std::fs::read_to_string(folder.join("card.md")).unwrap();
    for said in ["leduc (ranks=3)", "26 f32", "| 2 | raise |", "Linear CFR", "softmax over the legal actions"]
    {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn one_network_or_what_there_is_can_be_chosen_and_equal_exports_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), &["average.policy_network=false", "evaluation.policies=[\"sd_cfr\"]"]);
    let out = folder.path().join("here");
    let one = ExportPlan {
        network: Some(ExportNetwork::Advantage1),
        out: Some(out.clone()),
        ..plan(&run, ExportFormat::Onnx)
    };
    let exported = export(&builtin(), &one).unwrap();
    assert_eq!(exported.files[0], "advantage1.onnx");
    let first = std::fs::read(out.join("advantage1.onnx")).unwrap();
    assert_eq!(export(&builtin(), &one).unwrap(), exported);
    assert_eq!(std::fs::read(out.join("advantage1.onnx")).unwrap(), first);
    assert_eq!(export(&builtin(), &plan(&run, ExportFormat::Onnx)).unwrap().card.networks.len(), 2);
    // A second export beside the first one: the card describes both, and nothing else is overwritten.
    let other = ExportPlan { network: Some(ExportNetwork::Advantage0), ..one.clone() };
    let described = export(&builtin(), &other).unwrap().card.networks;
    let names: Vec<&str> = described.iter().map(|network| network.network.as_str()).collect();
    assert_eq!((names, &described[1]), (vec!["advantage0", "advantage1"], &exported.card.networks[0]));
    let clash = ExportPlan { format: ExportFormat::Safetensors, ..one.clone() };
    assert!(export(&builtin(), &clash).unwrap_err().to_string().contains("another folder"));
    let missing = ExportPlan { network: Some(ExportNetwork::Strategy), ..one };
    let error = export(&builtin(), &missing).unwrap_err();
    assert!(error.is_bad_input());
    let text = error.to_string();
    assert!(text.contains("--network strategy") && text.contains("advantage0, advantage1"), "{text}");
}
