//! From probabilities to the integer weights that `Game` has: exactly where 32 bits hold them.
//!
//! Not here: reading the numbers (see `number`) and which outcome leads where.

use crate::number::{Number, Ratio, gcd};

/// How far the probabilities of a chance node may sum from 1, as files do whose writer rounded them:
/// one part in a million. They are then divided by their sum.
pub const SUM_TOLERANCE: f64 = 1e-6;
const SUM_TOLERANCE_INVERSE: u128 = 1_000_000;

/// Denominators of the simple fractions that rounded decimals are recognised as.
const SIMPLE: u64 = 10_000;
/// How close a decimal must be to a simple fraction to be one.
const SIMPLE_WITHIN: f64 = 1e-12;
/// The most that the weights of recognised fractions may sum to.
const SIMPLE_TOTAL: u64 = 1 << 31;
/// What other weights sum to, up to one for each outcome: 65,536 outcomes still fit 32 bits.
const UNITS: f64 = ((1_u64 << 32) - (1 << 18)) as f64;

/// A chance node's outcomes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights {
    /// One for each outcome; 0 where the probability is 0.
    pub(crate) weights: Vec<u32>,
    /// By how much the probabilities missed 1.
    pub(crate) sum_error: f64,
    /// How far the weights are from the probabilities divided by their sum: 0 if exact.
    pub(crate) change: f64,
}

/// The weights of probabilities that are not negative; their sum, in words, where it is not 1.
pub(crate) fn weights(probabilities: &[Number]) -> Result<Weights, String> {
    match common_denominator(probabilities) {
        Some((numerators, denominator)) => from_numerators(&numerators, denominator),
        None => from_doubles(probabilities),
    }
}

fn common_denominator(probabilities: &[Number]) -> Option<(Vec<u128>, u128)> {
    let mut denominator = 1_u128;
    for number in probabilities {
        let own = number.ratio?.denominator.unsigned_abs();
        denominator = (denominator / gcd(denominator, own)).checked_mul(own)?;
    }
    let scale = |number: &Number| {
        let ratio = number.ratio?;
        let factor = denominator / ratio.denominator.unsigned_abs();
        ratio.numerator.unsigned_abs().checked_mul(factor)
    };
    let numerators: Vec<u128> = probabilities.iter().map(scale).collect::<Option<_>>()?;
    // The checks that follow multiply by the tolerance.
    let total = numerators.iter().try_fold(0_u128, |sum, &numerator| sum.checked_add(numerator))?;
    total.max(denominator).checked_mul(SUM_TOLERANCE_INVERSE)?;
    Some((numerators, denominator))
}

fn from_numerators(numerators: &[u128], denominator: u128) -> Result<Weights, String> {
    let total: u128 = numerators.iter().sum();
    let off = total.abs_diff(denominator);
    if off * SUM_TOLERANCE_INVERSE > denominator {
        return Err(sum_in_words(total, denominator));
    }
    let sum_error = off as f64 / denominator as f64;
    let divisor = numerators.iter().fold(0, |divisor, &numerator| gcd(divisor, numerator));
    if u32::try_from(total / divisor).is_ok() {
        // Each is at most the total, which fits.
        let weights = numerators.iter().map(|&numerator| (numerator / divisor) as u32).collect();
        return Ok(Weights { weights, sum_error, change: 0.0 });
    }
    let shares: Vec<f64> = numerators.iter().map(|&numerator| numerator as f64 / total as f64).collect();
    Ok(rounded(&shares, sum_error))
}

fn sum_in_words(total: u128, denominator: u128) -> String {
    let divisor = gcd(total, denominator);
    let reduced = |number: u128| i128::try_from(number / divisor);
    match (reduced(total), reduced(denominator)) {
        (Ok(numerator), Ok(denominator)) if denominator < 1_000_000 => {
            Ratio { numerator, denominator }.to_string()
        }
        _ => (total as f64 / denominator as f64).to_string(),
    }
}

fn from_doubles(probabilities: &[Number]) -> Result<Weights, String> {
    let total: f64 = probabilities.iter().map(|number| number.value).sum();
    let sum_error = (total - 1.0).abs();
    if sum_error > SUM_TOLERANCE {
        return Err(total.to_string());
    }
    let shares: Vec<f64> = probabilities.iter().map(|number| number.value / total).collect();
    Ok(rounded(&shares, sum_error))
}

fn rounded(shares: &[f64], sum_error: f64) -> Weights {
    let weights = simple_fractions(shares).unwrap_or_else(|| units(shares));
    let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let changes =
        shares.iter().zip(&weights).map(|(share, &weight)| (share - f64::from(weight) / total).abs());
    let change = changes.fold(f64::MIN_POSITIVE, f64::max);
    Weights { weights, sum_error, change }
}

/// Multiples of 2⁻³², about; never 0 for what is possible at all.
fn units(shares: &[f64]) -> Vec<u32> {
    let weight = |&share: &f64| if share == 0.0 { 0 } else { ((share * UNITS).round() as u32).max(1) };
    shares.iter().map(weight).collect()
}

/// Weights over a common denominator, where all shares are simple fractions and sum to 1 as such.
fn simple_fractions(shares: &[f64]) -> Option<Vec<u32>> {
    let fractions: Vec<(u64, u64)> =
        shares.iter().map(|&share| simple_fraction(share)).collect::<Option<_>>()?;
    let mut denominator = 1_u64;
    for &(_, own) in &fractions {
        denominator *= own / gcd(denominator.into(), own.into()) as u64;
        if denominator > SIMPLE_TOTAL {
            return None;
        }
    }
    let weights: Vec<u64> = fractions.iter().map(|&(top, bottom)| top * (denominator / bottom)).collect();
    // Each is at most the denominator, which fits.
    (weights.iter().sum::<u64>() == denominator)
        .then(|| weights.iter().map(|&weight| weight as u32).collect())
}

/// The simplest fraction near a number in `[0, 1]`, by continued fractions.
fn simple_fraction(share: f64) -> Option<(u64, u64)> {
    let (mut before, mut last) = ((1_u64, 0_u64), (0_u64, 1_u64));
    let mut rest = share;
    loop {
        if share == 0.0 || last.0 > 0 && (share - last.0 as f64 / last.1 as f64).abs() < SIMPLE_WITHIN {
            return Some(last);
        }
        // A share below 1 in SIMPLE has no simple fraction but 0, which it is not.
        let inverse = 1.0 / rest;
        if inverse.is_nan() || inverse > SIMPLE as f64 {
            return None;
        }
        let whole = inverse.floor();
        rest = inverse - whole;
        let next = (whole as u64 * last.0 + before.0, whole as u64 * last.1 + before.1);
        if next.1 > SIMPLE {
            return None;
        }
        (before, last) = (last, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str) -> Result<Weights, String> {
        let numbers = words.split(' ').map(|word| Number::parse(word).expect("a number"));
        weights(&numbers.collect::<Vec<_>>())
    }

    fn exact(words: &str) -> Vec<u32> {
        let found = of(words).expect("they sum to 1");
        assert_eq!((found.sum_error, found.change), (0.0, 0.0), "{words}");
        found.weights
    }

    #[test]
    fn fractions_and_decimals_keep_their_proportions() {
        assert_eq!(exact("1/3 1/6 0.5"), [2, 1, 3]);
        assert_eq!(exact("0.25 0.750"), [1, 3]);
        assert_eq!(exact("1 0"), [1, 0]);
        assert_eq!(exact("1/4000000000 3999999999/4000000000"), [1, 3_999_999_999]);
        assert_eq!(exact("0.333333 0.666667"), [333_333, 666_667]);
    }

    #[test]
    fn rounded_thirds_are_thirds() {
        let equal = of("0.3333333333333333 0.3333333333333333 0.3333333333333333").expect("nearly 1");
        assert_eq!((equal.weights, equal.change), (vec![1, 1, 1], 0.0));
        assert!(equal.sum_error > 0.0 && equal.sum_error < 1.1e-16);
        let unequal = of("0.3333333333333333 0.6666666666666667").expect("exactly 1");
        assert_eq!((unequal.weights, unequal.sum_error), (vec![1, 2], 0.0));
        assert!(unequal.change > 0.0 && unequal.change < 1e-15);
        let long = format!("0.{} 0.{}7", "3".repeat(50), "6".repeat(49));
        assert_eq!(of(&long).expect("nearly 1").weights, [1, 2]);
    }

    #[test]
    fn what_32_bits_do_not_hold_is_rounded_and_stays_possible() {
        let found = of("0.123456789012345 0.876543210987655").expect("exactly 1");
        assert!(found.change > 0.0 && found.change < 3e-10, "{found:?}");
        let rare = of("1e-15 0 0.999999999999999").expect("exactly 1");
        assert_eq!(rare.weights[..2], [1, 0]);
        assert!(rare.change < 3e-10);
    }

    #[test]
    fn the_largest_node_fits() {
        let mut words = vec!["1e-12".to_owned(); 65_535];
        words.push(format!("0.{}", 1_000_000_000_000_u64 - 65_535));
        let found = of(&words.join(" ")).expect("exactly 1");
        let total: u64 = found.weights.iter().map(|&weight| u64::from(weight)).sum();
        assert!(total <= u64::from(u32::MAX), "{total}");
    }

    #[test]
    fn other_sums_are_told() {
        assert_eq!(of("0.4 0.5"), Err("9/10".to_owned()));
        assert_eq!(of("0 0"), Err("0".to_owned()));
        assert_eq!(of("1 1"), Err("2".to_owned()));
        assert_eq!(of("0.333333 0.333333 0.333333").map(|found| found.weights), Ok(vec![1, 1, 1]));
        assert_eq!(of("0.33333 0.33333 0.33333"), Err("99999/100000".to_owned()));
        assert!(of(&format!("0.{} 1", "3".repeat(50))).is_err());
    }
}
