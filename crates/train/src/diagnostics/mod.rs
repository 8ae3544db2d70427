//! What a fit learned, action class by action class: advantage targets of this iteration against what
//! the network now says of the same infosets.
//!
//! Targets are sampled and noisy, and the network fits those of all iterations so far: means and
//! correlations over many rows say whether it has learned, single rows do not. Not here: matches.

mod probe;

use deepcfr_cfr::regret::{AllNegative, regret_matching};
use deepcfr_core::{Action, Model, ModelError, NetId};
use deepcfr_runs::metrics::{CalibrationBin, ClassDiagnostics, Diagnostics, PlayerDiagnostics};

use probe::{Kept, ProbedSample};
pub use probe::{Probe, Watched};

/// Groups of a calibration table.
const BINS: usize = 5;

/// What the advantage networks in `model` say of the samples in `probe`.
///
/// # Errors
/// If the model fails.
pub(crate) fn diagnose(
    probe: &Probe,
    model: &mut dyn Model,
    rule: AllNegative,
) -> Result<Diagnostics, ModelError> {
    let players = probe.players.iter().enumerate().filter(|(_, kept)| !kept.samples.is_empty());
    let players = players.map(|(player, kept)| {
        let predictions = predict(kept, NetId::advantage(player), model)?;
        Ok(of_player(probe.classes, kept, &predictions, rule))
    });
    Ok(Diagnostics { players: players.collect::<Result<_, ModelError>>()? })
}

fn predict(kept: &Kept, net: NetId, model: &mut dyn Model) -> Result<Vec<f32>, ModelError> {
    let rows: Vec<f32> = kept.samples.iter().flat_map(|sample| &sample.features).copied().collect();
    let mut out = vec![0.0; kept.samples.len() * model.spec().num_outputs];
    model.forward(net, &rows, &mut out)?;
    Ok(out)
}

/// One legal action of one row.
#[derive(Clone, Copy)]
struct Entry {
    class: usize,
    target: f64,
    prediction: f64,
}

fn of_player(classes: &[&str], kept: &Kept, predictions: &[f32], rule: AllNegative) -> PlayerDiagnostics {
    let samples = &kept.samples;
    let width = predictions.len() / samples.len();
    let mut strategies = Strategies::new(classes.len());
    let mut entries = Vec::new();
    for (sample, outputs) in samples.iter().zip(predictions.chunks_exact(width)) {
        strategies.add(sample, outputs, rule);
        entries.extend(sample.legal.iter().map(usize::from).map(|action| Entry {
            class: usize::from(sample.classes[action]),
            target: f64::from(sample.targets[action]),
            prediction: f64::from(outputs[action]),
        }));
    }
    let rows = samples.len() as f64;
    let of_class = |(class, name): (usize, &&str)| {
        let of: Vec<Entry> = entries.iter().copied().filter(|entry| entry.class == class).collect();
        (!of.is_empty()).then(|| strategies.class(name, class, &of, rows))
    };
    PlayerDiagnostics {
        rows: samples.len() as u64,
        fallback_share: strategies.fallbacks / rows,
        entropy: strategies.entropy / rows,
        classes: classes.iter().enumerate().filter_map(of_class).collect(),
        calibration: calibration(&mut entries),
    }
}

/// Sums over rows of what regret matching makes of the predictions.
struct Strategies {
    fallbacks: f64,
    entropy: f64,
    played: Vec<f64>,
    picked: Vec<f64>,
}

impl Strategies {
    fn new(classes: usize) -> Self {
        Self { fallbacks: 0.0, entropy: 0.0, played: vec![0.0; classes], picked: vec![0.0; classes] }
    }

    fn add(&mut self, sample: &ProbedSample, outputs: &[f32], rule: AllNegative) {
        let mut strategy = vec![0.0; outputs.len()];
        regret_matching(outputs, sample.legal, rule, &mut strategy);
        let fallback = !sample.legal.iter().any(|action| outputs[usize::from(action)] > 0.0);
        self.fallbacks += f64::from(u8::from(fallback));
        for action in sample.legal.iter().map(|action: Action| usize::from(action)) {
            let probability = f64::from(strategy[action]);
            self.played[usize::from(sample.classes[action])] += probability;
            if fallback {
                self.picked[usize::from(sample.classes[action])] += probability;
            }
            if probability > 0.0 {
                self.entropy -= probability * probability.ln();
            }
        }
    }

    fn class(&self, name: &str, class: usize, entries: &[Entry], rows: f64) -> ClassDiagnostics {
        let mut targets: Vec<f64> = entries.iter().map(|entry| entry.target).collect();
        targets.sort_by(f64::total_cmp);
        let quantile = |share: f64| targets[((targets.len() - 1) as f64 * share).round() as usize];
        ClassDiagnostics {
            class: name.to_owned(),
            actions: entries.len() as u64,
            target_mean: mean(entries, |entry| entry.target),
            target_quantiles: [0.1, 0.5, 0.9].map(quantile),
            prediction_mean: mean(entries, |entry| entry.prediction),
            correlation: correlation(entries),
            played: self.played[class] / rows,
            fallback_picks: (self.fallbacks > 0.0).then(|| self.picked[class] / self.fallbacks),
        }
    }
}

fn mean(entries: &[Entry], part: impl Fn(&Entry) -> f64) -> f64 {
    entries.iter().map(part).sum::<f64>() / entries.len() as f64
}

fn correlation(entries: &[Entry]) -> Option<f64> {
    let (target, prediction) = (mean(entries, |entry| entry.target), mean(entries, |entry| entry.prediction));
    let covariance = mean(entries, |entry| (entry.target - target) * (entry.prediction - prediction));
    let spread = |part: fn(&Entry) -> f64, middle: f64| mean(entries, |entry| (part(entry) - middle).powi(2));
    let variances = spread(|entry| entry.target, target) * spread(|entry| entry.prediction, prediction);
    (variances > 0.0).then(|| covariance / variances.sqrt())
}

fn calibration(entries: &mut [Entry]) -> Vec<CalibrationBin> {
    entries.sort_by(|a, b| a.prediction.total_cmp(&b.prediction));
    let bin = |entries: &[Entry]| CalibrationBin {
        actions: entries.len() as u64,
        prediction: mean(entries, |entry| entry.prediction),
        target: mean(entries, |entry| entry.target),
    };
    entries.chunks(entries.len().div_ceil(BINS).max(1)).map(bin).collect()
}

#[cfg(test)]
mod tests {
    use deepcfr_core::{ActionSet, SampleMeta, SampleShape, SampleSink};

    use super::*;

    /// Three rows of two actions: the network is right, has it the wrong way round, and says nothing
    /// positive.
    #[test]
    fn a_small_probe_by_hand() {
        let shape = SampleShape { num_features: 1, num_actions: 2 };
        let mut memories = deepcfr_cfr::memory::Memories::new(shape, 10, 10, 1);
        let mut probe = Probe::new(1, 1, &["all actions", "never"]);
        let meta = SampleMeta { legal: ActionSet::first(2), iteration: 1 };
        let mut sink = Watched { memories: &mut memories, probe: Some(&mut probe) };
        for targets in [[2.0, -2.0], [4.0, -4.0], [6.0, -6.0]] {
            sink.advantage(0, meta, &[0.5f32], &targets);
        }
        assert_eq!(deepcfr_core::SampleSource::len(&memories.advantage[0]), 3);
        let predictions = [1.0, 3.0, 2.0, -9.0, -1.0, -2.0];
        let player = of_player(probe.classes, &probe.players[0], &predictions, AllNegative::Argmax);
        assert_eq!((player.rows, player.classes.len()), (3, 1));
        assert!((player.fallback_share - 1.0 / 3.0).abs() < 1e-12);
        // Strategies (¼, ¾), (1, 0), (1, 0).
        let entropy = -(0.25 * 0.25f64.ln() + 0.75 * 0.75f64.ln()) / 3.0;
        assert!((player.entropy - entropy).abs() < 1e-6, "{}", player.entropy);
        let class = &player.classes[0];
        assert_eq!((class.actions, class.target_mean, class.prediction_mean), (6, 0.0, -1.0));
        assert_eq!(class.target_quantiles, [-4.0, 2.0, 6.0]);
        assert_eq!((class.played, class.fallback_picks), (1.0, Some(1.0)));
        // Σ t·(p + 1) over Σ t² and Σ (p + 1)².
        let expected = (2.0 * 2.0 - 2.0 * 4.0 + 4.0 * 3.0 + 4.0 * 8.0 + 0.0 + 6.0) / (112.0f64 * 94.0).sqrt();
        assert!((class.correlation.unwrap() - expected).abs() < 1e-12, "{:?}", class.correlation);
        let bins = &player.calibration;
        assert_eq!(bins.iter().map(|bin| bin.actions).sum::<u64>(), 6);
        assert!(bins.is_sorted_by(|a, b| a.prediction <= b.prediction));
        assert_eq!((bins[0].prediction, bins[0].target), (-5.5, -5.0));
    }
}
