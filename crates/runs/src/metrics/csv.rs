//! The metrics as a table for spreadsheets: one row per iteration, one column per figure.
//!
//! Columns are the JSON paths (`phases.traversal`, `evaluation.exact.current.nash_conv_points`).
//! Not here: reading the table back; `metrics.jsonl` is the record.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::IterationMetrics;
use crate::atomic_file;

/// Columns that come first; the others follow in alphabetical order.
const LEADING: [&str; 5] =
    ["iteration", "nodes_total", "clock.wall_seconds", "clock.evaluation_seconds", "iteration_seconds"];

/// The figures of one iteration by column.
pub(super) type Row = BTreeMap<String, String>;

/// The file and the columns that it has.
#[derive(Debug)]
pub(super) struct CsvTable {
    path: PathBuf,
    file: File,
    columns: Vec<String>,
}

impl CsvTable {
    /// Writes the table of `lines` anew, atomically, and stays open for appending.
    pub(super) fn rebuild(path: &Path, lines: &[IterationMetrics]) -> io::Result<Self> {
        let rows: Vec<Row> = lines.iter().map(flatten).collect();
        let columns = columns_of(&rows);
        let mut text = String::new();
        if !columns.is_empty() {
            text = columns.iter().map(|column| quote(column)).collect::<Vec<_>>().join(",") + "\n";
        }
        rows.iter().for_each(|row| text.push_str(&render(&columns, row)));
        atomic_file::write(path, text.as_bytes())?;
        let file = OpenOptions::new().append(true).open(path)?;
        Ok(Self { path: path.to_owned(), file, columns })
    }

    /// Whether every figure of `row` has a column.
    pub(super) fn fits(&self, row: &Row) -> bool {
        row.keys().all(|column| self.columns.contains(column))
    }

    /// Appends a row that fits.
    pub(super) fn append(&mut self, row: &Row) -> io::Result<()> {
        self.file.write_all(render(&self.columns, row).as_bytes())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The figures of an iteration; absent ones have no entry.
pub(super) fn flatten(metrics: &IterationMetrics) -> Row {
    let mut row = Row::new();
    let value = serde_json::to_value(metrics).expect("metrics have string keys and plain values");
    flatten_into(&mut row, String::new(), &value);
    row
}

fn flatten_into(row: &mut Row, path: String, value: &Value) {
    let child = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| flatten_into(row, child(name), value));
        }
        Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| {
            flatten_into(row, child(&label_of(item).unwrap_or_else(|| index.to_string())), item);
        }),
        Value::String(text) => drop(row.insert(path, text.clone())),
        Value::Number(_) | Value::Bool(_) => drop(row.insert(path, value.to_string())),
    }
}

/// Entries of lists that name a strategy go by it: their order may change.
fn label_of(item: &Value) -> Option<String> {
    let policy = item.get("policy")?.as_str()?;
    Some(match item.get("opponent").and_then(Value::as_str) {
        Some(opponent) => format!("{policy} vs {opponent}"),
        None => policy.to_owned(),
    })
}

fn columns_of(rows: &[Row]) -> Vec<String> {
    let all: BTreeSet<&String> = rows.iter().flat_map(BTreeMap::keys).collect();
    let leading = LEADING.iter().map(|&column| column.to_owned()).filter(|column| all.contains(column));
    let others = all.iter().filter(|column| !LEADING.contains(&column.as_str()));
    leading.chain(others.map(|&column| column.clone())).collect()
}

fn render(columns: &[String], row: &Row) -> String {
    let cells = columns.iter().map(|column| row.get(column).map_or_else(String::new, |cell| quote(cell)));
    cells.collect::<Vec<_>>().join(",") + "\n"
}

/// RFC 4180: cells with commas, quotes or line breaks stand in quotes, quotes doubled.
fn quote(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}
