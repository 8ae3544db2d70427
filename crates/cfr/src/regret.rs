//! From advantages or logits to a strategy at one infoset, and an action drawn from it.
//!
//! Not here: where advantages come from, and anything about trees. Every rule is total over legal
//! actions: whatever the numbers (infinite, not a number), the result is a distribution on them.

use deepcfr_core::{Action, ActionSet};

/// What regret matching plays where no legal advantage is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum AllNegative {
    /// The legal action of highest advantage; exact ties share the mass evenly (Brown et al. 2019).
    #[default]
    Argmax,
    /// All legal actions alike (textbook regret matching).
    Uniform,
}

/// Regret matching: `σ(a) = max(A(a), 0) / Σ_b max(A(b), 0)` over `legal`, and `rule` where the sum
/// is 0. Writes every element of `out` (0 at illegal actions).
///
/// An infinite advantage takes all the mass, shared with its equals.
///
/// # Panics
/// If a slice is shorter than a legal action's number.
#[inline]
pub fn regret_matching(advantages: &[f32], legal: ActionSet, rule: AllNegative, out: &mut [f32]) {
    out.fill(0.0);
    let mut total = 0.0f64;
    legal.iter().map(usize::from).for_each(|action| {
        let positive = advantages[action].max(0.0);
        out[action] = positive;
        total += f64::from(positive);
    });
    if total > 0.0 && total < f64::INFINITY {
        let scale = 1.0 / total;
        legal.iter().map(usize::from).for_each(|action| {
            out[action] = (f64::from(out[action]) * scale) as f32;
        });
        return;
    }
    match rule {
        AllNegative::Uniform if total == 0.0 => uniform(legal, out),
        AllNegative::Uniform | AllNegative::Argmax => greedy(advantages, legal, out),
    }
}

/// `softmax` of `logits` over `legal`. Writes every element of `out` (0 at illegal actions).
///
/// # Panics
/// If a slice is shorter than a legal action's number.
pub fn masked_softmax(logits: &[f32], legal: ActionSet, out: &mut [f32]) {
    out.fill(0.0);
    let highest = legal.iter().map(|action| logits[usize::from(action)]).fold(f32::NEG_INFINITY, f32::max);
    if !highest.is_finite() {
        return greedy(logits, legal, out);
    }
    let mut total = 0.0f64;
    for action in legal {
        let weight = (logits[usize::from(action)] - highest).exp().max(0.0);
        out[usize::from(action)] = weight;
        total += f64::from(weight);
    }
    for action in legal {
        let share = &mut out[usize::from(action)];
        *share = (f64::from(*share) / total) as f32;
    }
}

/// The same probability for every member of `legal`. Writes every element of `out`.
#[inline]
pub fn uniform(legal: ActionSet, out: &mut [f32]) {
    out.fill(0.0);
    let share = 1.0 / legal.len() as f32;
    legal.iter().for_each(|action| out[usize::from(action)] = share);
}

/// Draws from `probabilities` over `legal`: the first action whose cumulative probability exceeds
/// `draw` in `[0, 1)`, or the last of positive probability where rounding leaves a gap at the end.
///
/// # Panics
/// If `legal` is empty.
#[inline]
pub fn sample_action(probabilities: &[f32], legal: ActionSet, draw: f64) -> Action {
    sample_by(legal, draw, |action| f64::from(probabilities[usize::from(action)]))
}

/// [`sample_action`] from any weighting whose sum over `legal` is 1 up to rounding.
#[inline]
pub(crate) fn sample_by(legal: ActionSet, draw: f64, probability: impl Fn(Action) -> f64) -> Action {
    let mut cumulative = 0.0;
    let mut last = None;
    for action in legal {
        let share = probability(action);
        if share > 0.0 {
            cumulative += share;
            last = Some(action);
            if draw < cumulative {
                return action;
            }
        }
    }
    last.expect("a distribution over a non-empty set has a positive entry")
}

/// Splits the mass over the legal actions of highest value; over all of them if none compares. Writes
/// every element of `out` (0 at illegal actions).
///
/// # Panics
/// If a slice is shorter than a legal action's number.
#[cold]
pub fn greedy(values: &[f32], legal: ActionSet, out: &mut [f32]) {
    let highest = legal.iter().map(|action| values[usize::from(action)]).fold(f32::NEG_INFINITY, f32::max);
    let best: ActionSet = legal.iter().filter(|&action| values[usize::from(action)] == highest).collect();
    uniform(if best.is_empty() { legal } else { best }, out);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matched(advantages: &[f32], legal: ActionSet, rule: AllNegative) -> Vec<f32> {
        let mut out = vec![f32::NAN; advantages.len()];
        regret_matching(advantages, legal, rule, &mut out);
        out
    }

    fn assert_distribution(out: &[f32], legal: ActionSet) {
        let sum: f64 = out.iter().map(|&p| f64::from(p)).sum();
        assert!((sum - 1.0).abs() < 1e-6, "sum {sum} of {out:?}");
        for (action, &p) in out.iter().enumerate() {
            assert!((0.0..=1.0).contains(&p) && (p == 0.0 || legal.contains(action as Action)), "{out:?}");
        }
    }

    #[test]
    fn positive_advantages_share_in_proportion() {
        let out = matched(&[3.0, -1.0, 1.0, 9.0], ActionSet::first(3), AllNegative::Argmax);
        assert_eq!(out, [0.75, 0.0, 0.25, 0.0]);
    }

    #[test]
    fn without_a_positive_advantage_the_rule_decides() {
        let legal = ActionSet::first(3);
        assert_eq!(matched(&[-2.0, -1.0, -1.0, 5.0], legal, AllNegative::Argmax), [0.0, 0.5, 0.5, 0.0]);
        let third = 1.0 / 3.0;
        assert_eq!(matched(&[-2.0, -1.0, 0.0, 5.0], legal, AllNegative::Uniform), [third, third, third, 0.0]);
    }

    #[test]
    fn numbers_that_do_not_compare_still_give_a_distribution() {
        let legal = ActionSet::first(3);
        let infinite = [1.0, f32::INFINITY, f32::INFINITY];
        assert_eq!(matched(&infinite, legal, AllNegative::Uniform), [0.0, 0.5, 0.5]);
        assert_distribution(&matched(&[f32::NAN; 3], legal, AllNegative::Argmax), legal);
        let mut out = [0.0; 3];
        masked_softmax(&[f32::NAN; 3], legal, &mut out);
        assert_distribution(&out, legal);
    }

    #[test]
    fn a_draw_lands_in_its_share() {
        let (row, legal) = ([0.25, 0.0, 0.75], ActionSet::first(3));
        assert_eq!([0.0, 0.2499, 0.25, 0.999_999].map(|draw| sample_action(&row, legal, draw)), [0, 0, 2, 2]);
        assert_eq!(sample_action(&[0.5, 0.4999, 0.0], legal, 0.99995), 1);
    }

    proptest! {
        #[test]
        fn every_rule_gives_a_distribution_over_legal_actions(
            values in prop::collection::vec(-1e6f32..1e6, 1..128),
            bits in any::<u128>(),
            argmax in any::<bool>(),
        ) {
            let every = ActionSet::first(values.len());
            let drawn = ActionSet::from_bits(bits & every.bits());
            let legal = if drawn.is_empty() { every } else { drawn };
            let rule = if argmax { AllNegative::Argmax } else { AllNegative::Uniform };
            assert_distribution(&matched(&values, legal, rule), legal);
            let mut out = vec![0.0; values.len()];
            masked_softmax(&values, legal, &mut out);
            assert_distribution(&out, legal);
        }

        #[test]
        fn matching_ignores_the_scale_and_the_illegal(
            values in prop::collection::vec(-1e3f32..1e3, 2..40),
            noise in prop::collection::vec(-1e3f32..1e3, 40),
        ) {
            let legal: ActionSet = (0..values.len() as Action).filter(|action| action % 2 == 0).collect();
            let plain = matched(&values, legal, AllNegative::Argmax);
            let mut other: Vec<f32> = values.iter().map(|value| value * 4.0).collect();
            (1..values.len()).step_by(2).for_each(|action| other[action] = noise[action]);
            prop_assert_eq!(plain, matched(&other, legal, AllNegative::Argmax));
        }
    }
}
