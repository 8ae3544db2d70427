//! The back-test as a table for documents. Not here: the judgements.

use super::{Judgement, Sign};
use crate::text::{Table, ratio};

/// One line a measurement.
pub fn table(judgements: &[Judgement]) -> Table {
    let heading =
        ["change", "of", "projected from before (90 %)", "measured", "sign", "in the interval", "remark"];
    let mut table = Table::new(&heading);
    for judgement in judgements {
        table.push([
            judgement.title.clone(),
            judgement.measure.name().to_owned(),
            judgement.projected.as_ref().map_or_else(|| "—".to_owned(), ratio),
            format!("×{:.2}", judgement.observed),
            sign(judgement).to_owned(),
            match (judgement.projected, judgement.covered) {
                (None, _) => "—",
                (_, true) => "yes",
                (_, false) => "no",
            }
            .to_owned(),
            judgement.remark.clone().unwrap_or_default(),
        ]);
    }
    table
}

fn sign(judgement: &Judgement) -> &'static str {
    match (judgement.sign, judgement.right()) {
        (Sign::CannotJudge, _) => "cannot judge",
        (_, Some(true)) => "right",
        _ => "wrong",
    }
}
