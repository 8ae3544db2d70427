//! What a sweep runs: values times seeds.
//!
//! Not here: running them (see `cell`).

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use crate::error::SweepFailure;
use deepcfr_config::{Base, RunConfig, Schema};

/// A cell saves its state this often in the course of its run.
const CHECKPOINTS: u32 = 5;

/// What differs between the values of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Axis {
    /// The size of the networks: (hidden size, hidden layers), the present one first.
    ModelSize(Vec<(usize, usize)>),
    /// One key of the configuration.
    Key {
        /// The key, `section.key`.
        key: String,
        /// Its values as they stand behind `--set key=`.
        values: Vec<String>,
    },
}

/// What a sweep runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepPlan {
    /// The configuration that values are put over, TOML.
    config: String,
    /// The values.
    pub axis: Axis,
    /// The seeds that every value is run with.
    pub seeds: Vec<u64>,
}

impl SweepPlan {
    /// Seeds count up from the configuration's.
    ///
    /// # Errors
    /// If there are too few values, or one is refused by the configuration.
    pub fn new(schema: &Schema, config: &RunConfig, axis: Axis, seeds: u32) -> Result<Self, SweepFailure> {
        let axis = match axis {
            Axis::ModelSize(sizes) => Axis::ModelSize(present_first(config, sizes)),
            other => other,
        };
        let seeds: Vec<u64> = (0..u64::from(seeds)).map(|index| config.run.seed + index).collect();
        let plan = Self { config: config.to_toml(), axis, seeds };
        let least = if matches!(plan.axis, Axis::ModelSize(_)) { 2 } else { 1 };
        for (what, got, least) in [("values", plan.values().len(), 2), ("seeds", plan.seeds.len(), least)] {
            if got < least {
                return Err(SweepFailure::TooFew { what, got, least });
            }
        }
        plan.cells(schema)?;
        Ok(plan)
    }

    /// The values with the assignments that each stands for.
    pub(super) fn values(&self) -> Vec<(String, Vec<String>)> {
        match &self.axis {
            Axis::ModelSize(sizes) => sizes
                .iter()
                .map(|(hidden, layers)| {
                    let sets =
                        [format!("network.hidden_size={hidden}"), format!("network.num_layers={layers}")];
                    (format!("{hidden}x{layers}"), sets.into())
                })
                .collect(),
            Axis::Key { key, values } => {
                values.iter().map(|value| (value.clone(), vec![format!("{key}={value}")])).collect()
            }
        }
    }

    /// Every value with every seed, seeds innermost.
    ///
    /// # Errors
    /// If the configuration refuses a value.
    pub(super) fn cells(&self, schema: &Schema) -> Result<Vec<Cell>, SweepFailure> {
        let base = Base::Text { source: "the sweep's configuration".to_owned(), text: self.config.clone() };
        let mut cells = Vec::new();
        for (value, sets) in self.values() {
            for &seed in &self.seeds {
                let mut config = schema.resolve(&base, &sets, Some(seed))?;
                let often = config.run.iterations.div_ceil(CHECKPOINTS);
                config.checkpoint.every = config.checkpoint.every.min(often).max(1);
                cells.push(Cell { value: value.clone(), seed, config });
            }
        }
        Ok(cells)
    }

    /// What the sweep is over, in words.
    pub fn title(&self) -> String {
        match &self.axis {
            Axis::ModelSize(_) => "model size".to_owned(),
            Axis::Key { key, .. } => key.clone(),
        }
    }

    pub(super) fn slug(&self) -> String {
        format!("sweep-{}", self.title().replace(['.', '_'], "-"))
    }

    /// The game that is played, its rules included.
    pub(super) fn game(&self, schema: &Schema) -> Result<String, SweepFailure> {
        Ok(schema.resolve_text("the sweep's configuration", &self.config)?.game_line())
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain fields become JSON") + "\n"
    }
}

/// The present size is what others are compared with.
fn present_first(config: &RunConfig, sizes: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let present = (config.network.hidden_size, config.network.num_layers);
    let others = sizes.into_iter().filter(|size| *size != present);
    std::iter::once(present).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builtin() -> Schema {
        deepcfr_builtin::catalogue().schema().clone()
    }

    fn config() -> RunConfig {
        builtin()
            .resolve(&Base::Preset("kuhn".to_owned()), &["run.iterations=12".to_owned()], Some(7))
            .unwrap()
    }

    #[test]
    fn sizes_are_compared_with_the_present_one_over_matched_seeds() {
        let plan = SweepPlan::new(&builtin(), &config(), Axis::ModelSize(vec![(64, 3), (32, 2)]), 2).unwrap();
        assert_eq!(plan.axis, Axis::ModelSize(vec![(32, 2), (64, 3)]));
        let cells = plan.cells(&builtin()).unwrap();
        let named: Vec<String> = cells.iter().map(Cell::slug).collect();
        assert_eq!(named, ["32x2-seed7", "32x2-seed8", "64x3-seed7", "64x3-seed8"]);
        assert_eq!((cells[2].config.network.hidden_size, cells[2].config.run.seed), (64, 7));
        assert_eq!(cells[0].config.checkpoint.every, 3);
        assert_eq!(serde_json::from_str::<SweepPlan>(&plan.to_json()).unwrap(), plan);
    }

    #[test]
    fn what_decides_nothing_or_is_no_value_is_refused() {
        let axis = |key: &str, values: &[&str]| Axis::Key {
            key: key.to_owned(),
            values: values.iter().map(ToString::to_string).collect(),
        };
        let refused =
            |axis, seeds| SweepPlan::new(&builtin(), &config(), axis, seeds).unwrap_err().to_string();
        assert!(refused(axis("traversal.lanes", &["16"]), 1).contains("values: 1 where at least 2"));
        assert!(refused(axis("traversal.lanes", &["16", "x"]), 1).contains("traversal.lanes"));
        assert!(refused(axis("traversal.lames", &["1", "2"]), 1).contains("traversal.lames"));
        assert!(refused(Axis::ModelSize(vec![(64, 3)]), 1).contains("seeds: 1 where at least 2"));
    }
}
