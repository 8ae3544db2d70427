//! `deepcfr devices`: what networks can run on, and what each engine promises.

use deepcfr_levers::text::Table;
use deepcfr_train::devices::{DeviceFacts, devices, promises};

use crate::error::CommandError;
use crate::output::print;

const CLOSING: &str = "\
With \"bit for bit\", scheduler, workers, lanes and batch size change speed alone. Otherwise the last bits of
a row's outputs depend on its batch, and so may samples.\n";

pub(crate) fn run() -> Result<(), CommandError> {
    let mut there = Table::new(&["device", "usable", "precisions", "what"]);
    devices().iter().for_each(|facts| there.push(cells(facts)));
    let mut promised = Table::new(&["engine", "runs on", "rows the same, bit for bit, in any batch"]);
    for promise in promises() {
        let same = yes_or_no(promise.row_invariant);
        promised.push([promise.engine, promise.on, same].map(str::to_owned));
    }
    Ok(print(&format!("{}\n{}\n{CLOSING}", there.text(), promised.text()))?)
}

fn cells(facts: &DeviceFacts) -> [String; 4] {
    let words: Vec<&str> = facts.precisions.iter().map(|precision| precision.word()).collect();
    let precisions = if words.is_empty() { "-".to_owned() } else { words.join(", ") };
    let usable = yes_or_no(facts.problem.is_none()).to_owned();
    [facts.name.to_string(), usable, precisions, what(facts)]
}

const fn yes_or_no(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

fn what(facts: &DeviceFacts) -> String {
    match &facts.problem {
        Some(problem) => problem.to_string(),
        None if facts.name.is_cpu() => "the processor; bf16 and f16 are emulated".to_owned(),
        None => {
            let model = facts.model.as_deref().unwrap_or("a device without a name");
            let driver = facts.driver.iter().map(|driver| format!(", driver {driver}"));
            let memory = facts.memory.iter().map(|bytes| format!(", {:.1} GB", *bytes as f64 / 1e9));
            model.to_owned() + &memory.collect::<String>() + &driver.collect::<String>()
        }
    }
}
