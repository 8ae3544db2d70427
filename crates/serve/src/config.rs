//! The server's knobs and their validation. Not here: reading them from a file.

/// How the server forms batches. Start from [`ServerConfig::default`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerConfig {
    /// The most rows in one forward call, at least 1. Larger sweeps are run in several calls.
    pub max_batch: usize,
    /// The longest that a waiting sweep is held back for company, in microseconds, from the moment
    /// it was sent. 0 never holds a sweep back. Also the guard against a client that neither works
    /// nor waits.
    pub batch_window_us: u64,
    /// How many rows must wait for an idle device to start although some clients still work, at
    /// least 1. 1 starts at once; more than the clients' lanes leaves the decision to the quorum.
    pub min_batch: usize,
    /// Threads per device, each with a model of its own, at least 1.
    pub server_threads: usize,
    /// Whether what waits when a batch closes is shared out among all threads that have nothing to do,
    /// in parts of at least `min_batch` rows. Right where a row costs much the same in any batch, as on a
    /// processor; wrong where a call costs more than its rows, as on a GPU.
    pub share_out: bool,
    /// Batch sizes that a call is padded to with rows of zeros, ascending, each at most
    /// `max_batch`, which is always the last class. Empty: no padding.
    pub padding_classes: Vec<usize>,
    /// Runs every batch size class once per network before the first sweep, so that kernels are
    /// compiled and tuned by then.
    pub warm_up: bool,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            max_batch: 256,
            batch_window_us: 1000,
            min_batch: 16,
            server_threads: 1,
            share_out: false,
            padding_classes: Vec::new(),
            warm_up: true,
        }
    }
}

impl ServerConfig {
    /// Checks every knob.
    ///
    /// # Errors
    /// The first knob that is out of range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        at_least_one("max_batch", self.max_batch)?;
        at_least_one("min_batch", self.min_batch)?;
        at_least_one("server_threads", self.server_threads)?;
        let mut last = 0;
        for &class in &self.padding_classes {
            if class <= last || class > self.max_batch {
                return Err(ConfigError::PaddingClass { class, previous: last, max_batch: self.max_batch });
            }
            last = class;
        }
        Ok(())
    }

    /// The number of rows that a call of `rows` rows is run with.
    pub(crate) fn padded(&self, rows: usize) -> usize {
        if self.padding_classes.is_empty() {
            return rows;
        }
        let class = self.padding_classes.iter().find(|&&class| class >= rows);
        class.copied().unwrap_or(self.max_batch)
    }

    /// How many of `waiting` rows a thread takes while `others` have nothing to do.
    pub(crate) fn share(&self, waiting: usize, others: usize) -> usize {
        if self.share_out { waiting.div_ceil(1 + others).max(self.min_batch) } else { waiting }
    }

    /// The batch sizes that warm-up runs.
    pub(crate) fn warm_up_sizes(&self) -> impl Iterator<Item = usize> {
        let smallest = self.padding_classes.is_empty().then_some(1);
        let classes = self.padding_classes.iter().copied();
        smallest.into_iter().chain(classes).chain(std::iter::once(self.max_batch))
    }
}

fn at_least_one(knob: &'static str, got: usize) -> Result<(), ConfigError> {
    if got == 0 { Err(ConfigError::Zero { knob }) } else { Ok(()) }
}

/// A knob out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A knob that must be at least 1.
    #[error("{knob} is 0, it must be at least 1")]
    Zero {
        /// The knob.
        knob: &'static str,
    },
    /// Padding classes out of order or beyond the largest batch.
    #[error("padding class {class} is not above {previous} and at most max_batch {max_batch}")]
    PaddingClass {
        /// The class.
        class: usize,
        /// The class before it, 0 for the first.
        previous: usize,
        /// The largest batch.
        max_batch: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_padded_to_the_next_class_and_the_last_class_is_max_batch() {
        let config = ServerConfig { max_batch: 100, padding_classes: vec![8, 32], ..Default::default() };
        assert_eq!(config.validate(), Ok(()));
        let padded: Vec<_> = [1, 8, 9, 32, 33, 100].iter().map(|&rows| config.padded(rows)).collect();
        assert_eq!(padded, [8, 8, 32, 32, 100, 100]);
        assert_eq!(config.warm_up_sizes().collect::<Vec<_>>(), [8, 32, 100]);
    }

    #[test]
    fn rows_are_shared_out_in_parts_that_are_worth_a_call() {
        let config = ServerConfig { min_batch: 16, share_out: true, ..Default::default() };
        let shares = [(100, 0), (100, 1), (100, 2), (20, 1), (3, 1)];
        let shares = shares.map(|(waiting, others)| config.share(waiting, others));
        assert_eq!(shares, [100, 50, 34, 16, 16]);
        assert_eq!(ServerConfig { share_out: false, ..config }.share(100, 3), 100);
    }

    #[test]
    fn knobs_out_of_range_are_named() {
        let zero = ServerConfig { min_batch: 0, ..Default::default() };
        assert_eq!(zero.validate(), Err(ConfigError::Zero { knob: "min_batch" }));
        for classes in [vec![0], vec![8, 8], vec![8, 4], vec![257]] {
            let config = ServerConfig { padding_classes: classes, ..Default::default() };
            assert!(matches!(config.validate(), Err(ConfigError::PaddingClass { .. })));
        }
    }
}
