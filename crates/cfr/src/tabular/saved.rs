//! Solver states and policies as bytes: a header that names the format and the algorithm, then
//! little-endian words.
//!
//! Not here: files, checksums and compression, which belong to whoever stores the bytes.

use super::algorithm::{Algorithm, FullTree, RegretRule, Updates};

const MAGIC: u64 = u64::from_le_bytes(*b"dcfrtab1");

/// Why saved bytes were refused.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum SavedError {
    /// Not written by this program, or by another version of it.
    #[error("the bytes are not a tabular state of this version")]
    Format,
    /// They end early, go on for too long, or hold an impossible value.
    #[error("the bytes are damaged")]
    Damaged,
    /// Written by another algorithm.
    #[error("the state is of {got}, this solver runs {expected}")]
    Algorithm {
        /// The solver's.
        expected: Algorithm,
        /// The one that wrote the bytes.
        got: Algorithm,
    },
    /// Written for another game.
    #[error("the state has {got} {what}, the game has {expected}")]
    Game {
        /// What differs, for example `slots`.
        what: &'static str,
        /// The game's figure.
        expected: u64,
        /// The state's figure.
        got: u64,
    },
}

pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new(algorithm: Algorithm) -> Self {
        let mut writer = Self(Vec::new());
        writer.words(&[MAGIC]);
        writer.words(&encode(algorithm));
        writer
    }

    pub(super) fn words(&mut self, words: &[u64]) {
        words.iter().for_each(|word| self.0.extend(word.to_le_bytes()));
    }

    pub(super) fn wide(&mut self, wide: u128) {
        self.0.extend(wide.to_le_bytes());
    }

    pub(super) fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

pub(super) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    /// Reads a header that must name `expected`.
    pub(super) fn new(bytes: &'b [u8], expected: Algorithm) -> Result<Self, SavedError> {
        let (reader, got) = Self::any(bytes)?;
        if got == expected { Ok(reader) } else { Err(SavedError::Algorithm { expected, got }) }
    }

    /// Reads a header that may name any algorithm.
    pub(super) fn any(bytes: &'b [u8]) -> Result<(Self, Algorithm), SavedError> {
        let mut reader = Self(bytes);
        if reader.words() != Ok([MAGIC]) {
            return Err(SavedError::Format);
        }
        let algorithm = decode(reader.words()?).ok_or(SavedError::Damaged)?;
        Ok((reader, algorithm))
    }

    pub(super) fn words<const N: usize>(&mut self) -> Result<[u64; N], SavedError> {
        let mut words = [0; N];
        for word in &mut words {
            *word = u64::from_le_bytes(self.take()?);
        }
        Ok(words)
    }

    pub(super) fn wide(&mut self) -> Result<u128, SavedError> {
        Ok(u128::from_le_bytes(self.take()?))
    }

    /// Finite numbers only: nothing here ever saves another.
    pub(super) fn numbers(&mut self, count: usize) -> Result<Vec<f64>, SavedError> {
        if self.0.len() / 8 < count {
            return Err(SavedError::Damaged);
        }
        let numbers =
            (0..count).map(|_| self.take().map(f64::from_le_bytes)).collect::<Result<Vec<_>, _>>()?;
        if numbers.iter().all(|number| number.is_finite()) { Ok(numbers) } else { Err(SavedError::Damaged) }
    }

    pub(super) fn end(self) -> Result<(), SavedError> {
        if self.0.is_empty() { Ok(()) } else { Err(SavedError::Damaged) }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], SavedError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(SavedError::Damaged)?;
        self.0 = rest;
        Ok(*taken)
    }
}

fn encode(algorithm: Algorithm) -> [u64; 4] {
    match algorithm {
        Algorithm::FullTree(FullTree { updates, regrets, averaging }) => {
            let simultaneous = u64::from(updates == Updates::Simultaneous) << 8;
            let (rule, alpha, beta) = match regrets {
                RegretRule::Plain => (0, 0.0, 0.0),
                RegretRule::Plus => (1, 0.0, 0.0),
                RegretRule::Discounted { alpha, beta } => (2, alpha, beta),
            };
            [rule | simultaneous, f64::to_bits(alpha), f64::to_bits(beta), averaging.to_bits()]
        }
        Algorithm::ExternalSampling => [3, 0, 0, 0],
        Algorithm::OutcomeSampling { exploration } => [4, exploration.to_bits(), 0, 0],
        Algorithm::LinearExternalSampling => [5, 0, 0, 0],
    }
}

fn decode([kind, first, second, third]: [u64; 4]) -> Option<Algorithm> {
    let [alpha, beta, averaging] = [first, second, third].map(f64::from_bits);
    let updates = if kind >> 8 == 0 { Updates::Alternating } else { Updates::Simultaneous };
    match kind & 0xff {
        0 => Some(Algorithm::full(updates, RegretRule::Plain, averaging)),
        1 => Some(Algorithm::full(updates, RegretRule::Plus, averaging)),
        2 => Some(Algorithm::full(updates, RegretRule::Discounted { alpha, beta }, averaging)),
        3 => Some(Algorithm::ExternalSampling),
        4 => Some(Algorithm::OutcomeSampling { exploration: alpha }),
        5 => Some(Algorithm::LinearExternalSampling),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_keep_every_algorithm() {
        let other =
            Algorithm::full(Updates::Simultaneous, RegretRule::Discounted { alpha: 2.0, beta: -1.0 }, 0.5);
        for algorithm in Algorithm::NAMED.map(|(_, algorithm)| algorithm).into_iter().chain([other]) {
            assert_eq!(decode(encode(algorithm)), Some(algorithm));
        }
        assert_eq!(decode([9, 0, 0, 0]), None);
    }
}
