//! The ledger as a table. Not here: the ledger.

use super::{Table, advice::calibration, ratio};
use crate::ledger::{Entry, Ledger};

/// Verified projections with their outcomes, and how right they were.
pub fn ledger(ledger: &Ledger) -> String {
    let mut table = Table::new(&[
        "levers",
        "machine",
        "configuration",
        "projected",
        "observed",
        "covered",
        "learning",
        "turns",
    ]);
    for entry in ledger.entries() {
        let Entry::Verified { levers, projection, observed, covered, drift, setting, .. } = entry else {
            continue;
        };
        let names: Vec<String> = levers.iter().map(ToString::to_string).collect();
        table.push([
            names.join(" + "),
            setting.machine.clone(),
            setting.config_hash.clone(),
            ratio(&projection.calibrated),
            ratio(&observed.speed_up),
            if *covered { "yes" } else { "no" }.to_owned(),
            drift.to_string(),
            format!("{} pairs, {} iterations a side", observed.turns, observed.iterations),
        ]);
    }
    format!("{}{}\n", table.text(), calibration(&ledger.calibration()))
}
