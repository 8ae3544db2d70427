//! What a sweep found: a table, the decision, curves.
//!
//! Not here: the statistics (`deepcfr_levers::comparison`).

use std::fmt::Write;
use std::path::Path;

use deepcfr_config::Schema;
use deepcfr_levers::comparison::{
    Better, SizeDecision, SizeResult, ValueComparison, ValueResult, compare_values,
};
use deepcfr_levers::statistics::{deviation, mean};
use deepcfr_levers::text::{Table, bytes, ratio, seconds, size_decision};

use super::cell::CellResult;
use super::plan::{Axis, SweepPlan};
use crate::error::{BenchError, SweepFailure};
use deepcfr_runs::atomic_file;
use deepcfr_runs::report::{Chart, Point, Series, write_chart};

const REPORT: &str = "report.md";
const CURVES: &str = "learning.svg";

/// What a sweep found.
#[derive(Clone, Debug)]
pub struct Findings {
    title: String,
    game: String,
    unit: String,
    better: Better,
    values: Vec<Summary>,
    comparisons: Vec<ValueComparison>,
    /// The decision on the model's size, for that sweep.
    pub decision: Option<SizeDecision>,
}

/// All seeds of one value.
#[derive(Clone, Debug)]
struct Summary {
    value: String,
    cells: Vec<CellResult>,
}

impl Findings {
    pub(super) fn of(
        plan: &SweepPlan,
        schema: &Schema,
        results: &[CellResult],
    ) -> Result<Self, SweepFailure> {
        let values: Vec<Summary> = plan
            .values()
            .into_iter()
            .map(|(value, _)| {
                let cells = results.iter().filter(|cell| cell.value == value).cloned().collect();
                Summary { value, cells }
            })
            .collect();
        let lower = results.iter().all(|cell| cell.lower_is_better);
        let better = if lower { Better::Lower } else { Better::Higher };
        let of_values: Vec<ValueResult> = values.iter().map(Summary::result).collect();
        let decision = match &plan.axis {
            Axis::ModelSize(sizes) => Some(SizeDecision::of(&by_size(sizes, &values), better)?),
            Axis::Key { .. } => None,
        };
        Ok(Self {
            title: plan.title(),
            game: plan.game(schema)?,
            unit: results.first().map_or_else(|| "points".to_owned(), |cell| cell.unit.clone()),
            better,
            comparisons: compare_values(&of_values, better),
            values,
            decision,
        })
    }

    /// The findings as Markdown, without plots.
    pub fn text(&self) -> String {
        let seeds = self.values.first().map_or(0, |value| value.cells.len());
        let mut text = format!("# Sweep over {}\n\n{}, {seeds} seeds a value.\n\n", self.title, self.game);
        text += &self.table().markdown();
        let _ = writeln!(
            text,
            "\nTimes: mean of an iteration without evaluation (± standard deviation between seeds), the first \
             iteration left out. Learning: {} at the last evaluation ({} is better).",
            self.unit,
            if self.better == Better::Lower { "less" } else { "more" }
        );
        text += &format!("\n## Against {} = {}\n\n", self.title, self.values[0].value);
        text += &self.compared().markdown();
        match &self.decision {
            Some(decision) => {
                text += &format!("\n## Decision\n\n```text\n{}```\n", size_decision(decision, &self.unit));
            }
            None if seeds < 2 => text += "\nOne seed gives no interval: repeat with --seeds 3.\n",
            None => {}
        }
        text
    }

    fn table(&self) -> Table {
        let mut table = Table::new(&[
            self.title.as_str(),
            "iteration",
            "traversal",
            "training",
            "policy network",
            "forward passes",
            "learning",
            "memory at most",
            "batches halved",
            "n",
        ]);
        for value in &self.values {
            let mean_of = |of: &dyn Fn(&CellResult) -> f64| mean(&value.figures(of));
            let learning: Vec<f64> =
                value.cells.iter().filter_map(|cell| Some(cell.run.curve.last()?.1)).collect();
            let memory = value.cells.iter().filter_map(|cell| cell.run.peak_bytes).max();
            let halved: u32 = value.cells.iter().map(|cell| cell.run.batch_halvings).sum();
            let iterations: usize = value.cells.iter().map(|cell| cell.iterations).sum();
            table.push([
                value.value.clone(),
                spread(&value.figures(&|cell| cell.run.iteration_seconds), seconds),
                seconds(mean_of(&|cell| cell.phases.traversal)),
                seconds(mean_of(&|cell| cell.phases.advantage_training + cell.phases.batch_assembly)),
                seconds(mean_of(&|cell| cell.phases.strategy_training)),
                seconds(mean_of(&|cell| cell.run.network_seconds)),
                spread(&learning, |value| format!("{value:.4}")),
                memory.map_or_else(|| "unknown".to_owned(), |size| bytes(size as f64)),
                halved.to_string(),
                format!("{} runs, {iterations} iterations", value.cells.len()),
            ]);
        }
        table
    }

    fn compared(&self) -> Table {
        let improvement = format!("better by, in {} (90 %)", self.unit);
        let mut table = Table::new(&[self.title.as_str(), "speed-up (90 %)", &improvement, "seeds"]);
        let none = || "no interval".to_owned();
        for comparison in &self.comparisons {
            table.push([
                comparison.value.clone(),
                comparison.speed_up.as_ref().map_or_else(none, ratio),
                comparison.improvement.map_or_else(none, |estimate| {
                    format!("{:.4} ({:.4} to {:.4})", estimate.value, estimate.low, estimate.high)
                }),
                comparison.seeds.to_string(),
            ]);
        }
        table
    }

    /// Writes `report.md` and, where there is something to draw, `learning.svg`.
    pub(super) fn write(&self, folder: &Path) -> Result<(), BenchError> {
        let mut text = self.text();
        let chart = self.curves();
        if chart.series.iter().any(|series| !series.points.is_empty()) {
            write_chart(folder, CURVES, &chart)?;
            text += &format!("\n![learning]({CURVES})\n");
        }
        let path = folder.join(REPORT);
        atomic_file::write(&path, text.as_bytes()).map_err(SweepFailure::io(&path))?;
        Ok(())
    }

    fn curves(&self) -> Chart {
        let series = self.values.iter().map(|value| Series {
            label: format!("{} {}", self.title, value.value),
            baseline: false,
            points: value.curve(),
        });
        Chart {
            title: "Learning, mean over seeds (bars: standard deviation between them)",
            x_label: "iteration",
            y_label: if self.better == Better::Lower { "exploitability, points" } else { "lead, points" },
            logarithmic: false,
            series: series.collect(),
        }
    }
}

impl Summary {
    fn figures(&self, of: &dyn Fn(&CellResult) -> f64) -> Vec<f64> {
        self.cells.iter().map(of).collect()
    }

    fn result(&self) -> ValueResult {
        let seeds = self.cells.iter().map(|cell| cell.run.clone()).collect();
        ValueResult { value: self.value.clone(), seeds }
    }

    /// The mean over seeds at every iteration that all were evaluated at.
    fn curve(&self) -> Vec<Point> {
        let Some(first) = self.cells.first() else { return Vec::new() };
        let at = |cell: &CellResult, iteration: u32| {
            cell.run.curve.iter().find(|(here, _)| *here == iteration).map(|(_, value)| *value)
        };
        let points = first.run.curve.iter().filter_map(|&(iteration, _)| {
            let values: Option<Vec<f64>> = self.cells.iter().map(|cell| at(cell, iteration)).collect();
            let values = values?;
            let half_width = if values.len() > 1 { deviation(&values) } else { 0.0 };
            Some(Point { x: f64::from(iteration), y: mean(&values), half_width })
        });
        points.collect()
    }
}

fn by_size(sizes: &[(usize, usize)], values: &[Summary]) -> Vec<SizeResult> {
    let result = |(&(hidden, layers), value): (&(usize, usize), &Summary)| SizeResult {
        hidden_size: hidden as u32,
        num_layers: layers as u32,
        seeds: value.result().seeds,
    };
    sizes.iter().zip(values).map(result).collect()
}

fn spread(values: &[f64], show: impl Fn(f64) -> String) -> String {
    match values.len() {
        0 => "not evaluated".to_owned(),
        1 => show(values[0]),
        _ => format!("{} ± {}", show(mean(values)), show(deviation(values))),
    }
}
