//! `deepcfr devices`: what networks can run on, and what each engine promises.

use std::fmt::Write;

use deepcfr_train::devices::{DeviceFacts, devices, promises};

use crate::error::CommandError;
use crate::output::print;

const CLOSING: &str = "\
With \"bit for bit\", scheduler, workers, lanes and batch size change speed alone. Otherwise the last bits of
a row's outputs depend on its batch, and so may samples.\n";

pub(crate) fn run() -> Result<(), CommandError> {
    let mut text = String::from("device      usable  precisions       what\n");
    for facts in devices() {
        text.push_str(&line(&facts));
    }
    text.push_str("\nengine       runs on        rows the same, bit for bit, in any batch\n");
    for promise in promises() {
        let same = if promise.row_invariant { "yes" } else { "no" };
        writeln!(text, "{:<11}  {:<13}  {same}", promise.engine, promise.on)
            .expect("a string takes all text");
    }
    text.push('\n');
    text.push_str(CLOSING);
    Ok(print(&text)?)
}

fn line(facts: &DeviceFacts) -> String {
    let usable = if facts.problem.is_none() { "yes" } else { "no" };
    let words: Vec<&str> = facts.precisions.iter().map(|precision| precision.word()).collect();
    let precisions = if words.is_empty() { "-".to_owned() } else { words.join(", ") };
    format!("{:<10}  {usable:<6}  {precisions:<15}  {}\n", facts.name.to_string(), what(facts))
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
