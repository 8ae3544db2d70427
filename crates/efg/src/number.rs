//! Numbers as the format writes them: exactly where 38 digits suffice, rounded once otherwise.
//!
//! Not here: what a number stands for.

/// A fraction in lowest terms, denominator positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ratio {
    pub(crate) numerator: i128,
    pub(crate) denominator: i128,
}

impl Ratio {
    fn new(numerator: i128, denominator: i128) -> Self {
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).max(1);
        // The divisor of a positive i128 fits one.
        let divisor = divisor as i128;
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    fn value(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A number of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    /// The nearest `f64`.
    pub(crate) value: f64,
    /// The number itself, unless it has too many digits.
    pub(crate) ratio: Option<Ratio>,
}

/// Why a word is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadNumber {
    /// Not written like one.
    Malformed,
    /// A fraction of nothing.
    ZeroDenominator,
    /// Too large, or too small, for a double.
    OutOfRange,
}

impl Number {
    /// Reads `[+-]` and then `12/34`, or a decimal such as `1.5`, `.25`, `-15e-1`.
    pub(crate) fn parse(word: &str) -> Result<Self, BadNumber> {
        let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
        let parsed = match unsigned.split_once('/') {
            Some((numerator, denominator)) => fraction(numerator, denominator)?,
            None => decimal(unsigned)?,
        };
        Ok(if word.starts_with('-') { parsed.negated() } else { parsed })
    }

    fn negated(self) -> Self {
        let ratio = self.ratio.map(|ratio| Ratio { numerator: -ratio.numerator, ..ratio });
        // Zero has no sign in the format.
        Self { value: 0.0 - self.value, ratio }
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_zero(digits: &str) -> bool {
    digits.bytes().all(|byte| !byte.is_ascii_digit() || byte == b'0')
}

fn fraction(numerator: &str, denominator: &str) -> Result<Number, BadNumber> {
    if !(is_digits(numerator) && is_digits(denominator)) {
        return Err(BadNumber::Malformed);
    }
    if is_zero(denominator) {
        return Err(BadNumber::ZeroDenominator);
    }
    if let (Ok(numerator), Ok(denominator)) = (numerator.parse(), denominator.parse()) {
        let ratio = Ratio::new(numerator, denominator);
        return checked(ratio.value(), numerator == 0, Some(ratio));
    }
    let value = double(numerator)? / double(denominator)?;
    checked(value, is_zero(numerator), None)
}

fn decimal(text: &str) -> Result<Number, BadNumber> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let empty_or_digits = |text: &str| text.is_empty() || is_digits(text);
    let written = empty_or_digits(whole) && empty_or_digits(part) && is_digits(digits);
    if !written || whole.len() + part.len() == 0 {
        return Err(BadNumber::Malformed);
    }
    checked(double(text)?, is_zero(mantissa), scaled(whole, part, exponent))
}

/// `whole.part · 10^exponent` where numerator and denominator fit.
fn scaled(whole: &str, part: &str, exponent: &str) -> Option<Ratio> {
    let part = part.trim_end_matches('0');
    let mantissa: i128 = format!("0{whole}{part}").parse().ok()?;
    let exponent = exponent.parse::<i64>().ok()?.checked_sub(part.len() as i64)?;
    let power = 10_i128.checked_pow(u32::try_from(exponent.unsigned_abs()).ok()?)?;
    if exponent < 0 {
        return Some(Ratio::new(mantissa, power));
    }
    Some(Ratio { numerator: mantissa.checked_mul(power)?, denominator: 1 })
}

fn double(text: &str) -> Result<f64, BadNumber> {
    text.parse().map_err(|_| BadNumber::Malformed)
}

fn checked(value: f64, zero: bool, ratio: Option<Ratio>) -> Result<Number, BadNumber> {
    if !value.is_finite() || value == 0.0 && !zero {
        return Err(BadNumber::OutOfRange);
    }
    Ok(Number { value, ratio })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(word: &str) -> (i128, i128) {
        let ratio = Number::parse(word).expect("it is a number").ratio.expect("it is short");
        (ratio.numerator, ratio.denominator)
    }

    #[test]
    fn numbers_are_read_exactly() {
        assert_eq!(ratio("1/3"), (1, 3));
        assert_eq!(ratio("-2/6"), (-1, 3));
        assert_eq!(ratio("-.25"), (-1, 4));
        assert_eq!(ratio("+1.5"), (3, 2));
        assert_eq!(ratio("-15e-1"), (-3, 2));
        assert_eq!(ratio("1.2E+3"), (1200, 1));
        assert_eq!(ratio("7."), (7, 1));
        assert_eq!(ratio("0.3333333333333333"), (3_333_333_333_333_333, 10_000_000_000_000_000));
        assert_eq!(ratio("0.5000000000000000000000000000000000000000000000"), (1, 2));
        assert_eq!(Number::parse("-0").map(|zero| zero.value.to_bits()), Ok(0));
    }

    #[test]
    fn long_numbers_are_rounded_once() {
        let long = format!("0.{}", "3".repeat(60));
        let third = Number::parse(&long).expect("it is a number");
        assert_eq!((third.value, third.ratio), (1.0 / 3.0, None));
        let fraction = format!("{}/{}", "1".repeat(60), "3".repeat(60));
        assert_eq!(Number::parse(&fraction).map(|number| number.value), Ok(1.0 / 3.0));
        assert_eq!(Number::parse("1e-300").map(|number| number.value), Ok(1e-300));
    }

    #[test]
    fn other_words_are_not_numbers() {
        for word in
            ["", "-", "+", ".", "e5", "1e", "1/", "/2", "1/-2", "--1", "1.5/2", "0x10", "inf", "NaN", "1e+"]
        {
            assert_eq!(Number::parse(word), Err(BadNumber::Malformed), "{word}");
        }
        assert_eq!(Number::parse("1/00"), Err(BadNumber::ZeroDenominator));
        for word in ["1e999", "-1e99999999999999999999", "1e-999"] {
            assert_eq!(Number::parse(word), Err(BadNumber::OutOfRange), "{word}");
        }
        assert_eq!(Number::parse("0e999").map(|zero| zero.value), Ok(0.0));
    }
}
