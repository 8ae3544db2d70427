//! What `cargo xtask gpu-check` leaves behind: a page with the figures that matter, and the raw ones.
//!
//! Not here: measuring.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::Part;

/// Forward passes of 512 x 3 on an RTX 3090 in microseconds, by rows: the system that this one
/// succeeds.
const BEFORE: [(&str, f64); 4] = [("1", 80.0), ("64", 94.0), ("256", 88.0), ("1024", 162.0)];

/// What was measured: the tables of `deepcfr bench device --csv`.
#[derive(Default)]
pub(super) struct Measured {
    pub(super) gpu: String,
    pub(super) fused: String,
    pub(super) plain: String,
}

/// Writes `report.md`, `fused.csv` and `plain.csv` into `folder`.
pub(super) fn write(folder: &Path, measured: &Measured, parts: &[Part]) -> Result<(), String> {
    let page = page(measured, parts);
    for (name, text) in [("report.md", &page), ("fused.csv", &measured.fused), ("plain.csv", &measured.plain)]
    {
        fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

fn page(measured: &Measured, parts: &[Part]) -> String {
    let mut page = format!(
        "# GPU check\n\n{}\n\nTimes in µs of one call. First calls, with compilation and tuning, stand apart.\n\n\
         | call | model | type | rows | first | enqueue | device | synchronised | not fused | RTX 3090, before |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        measured.gpu
    );
    let plain: Vec<Vec<&str>> = rows(&measured.plain).collect();
    for row in rows(&measured.fused) {
        let same = |other: &&Vec<&str>| other[..4] == row[..4];
        let plain = plain.iter().find(same).map_or("-", |other| other[8]);
        let before = BEFORE.iter().find(|(rows, _)| row[..4] == ["forward", "512x3", "f32", rows]);
        let before = before.map_or_else(|| "-".to_owned(), |(_, before)| before.to_string());
        let [call, model, precision, rows] = [row[0], row[1], row[2], row[3]];
        let figures =
            [row[4], row[5], row[6], row[8]].map(|figure| if figure.is_empty() { "-" } else { figure });
        writeln!(
            page,
            "| {call} | {model} | {precision} | {rows} | {} | {plain} | {before} |",
            figures.join(" | ")
        )
        .expect("a string takes all text");
    }
    for part in parts.iter().filter(|part| !part.name.starts_with("table") && !part.output.is_empty()) {
        write!(page, "\n## {}\n\n```text\n{}\n```\n", part.name, part.output.trim())
            .expect("a string takes all text");
    }
    page
}

/// The rows below the header, their fields.
fn rows(csv: &str) -> impl Iterator<Item = Vec<&str>> {
    csv.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()).filter(|fields| fields.len() == 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_meet_their_counterparts() {
        let header = "call,model,precision,batch,first_us,enqueue_us,device_us,clock,synchronised_us,round_trip_us,dispatch_share,gflops\n";
        let forward =
            |rows: &str, time: &str| format!("forward,512x3,f32,{rows},900,7,9,events,{time},20,0.4,100\n");
        let measured = Measured {
            gpu: "GPU 0: test".to_owned(),
            fused: format!(
                "{header}{}{}training step,512x3,f32,1024,9,,,,33,,,2\n",
                forward("1", "11"),
                forward("2", "12")
            ),
            plain: format!("{header}{}", forward("1", "15")),
        };
        let page = page(&measured, &[]);
        for line in [
            "| forward | 512x3 | f32 | 1 | 900 | 7 | 9 | 11 | 15 | 80 |",
            "| forward | 512x3 | f32 | 2 | 900 | 7 | 9 | 12 | - | - |",
            "| training step | 512x3 | f32 | 1024 | 9 | - | - | 33 | - | - |",
        ] {
            assert!(page.contains(line), "{page}");
        }
    }
}
