//! The manual of all keys, made from the comments of the embedded default configuration.
//!
//! Not here: anything that those comments do not say.

use std::fmt::Write;

use super::layers::DEFAULT;
use super::presets::PRESETS;

/// The manual as Markdown: a section each, with a table of keys, defaults and meanings.
pub fn manual() -> String {
    let mut page = String::from("# Configuration\n\n");
    page += "<!-- Generated from configs/default.toml and configs/presets; edit those. -->\n";
    let mut comment = Vec::new();
    let mut in_table = false;
    for line in DEFAULT.lines() {
        if let Some(text) = line.strip_prefix('#') {
            comment.push(text.trim());
        } else if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            write!(page, "\n## `[{section}]`\n\n{}\n", comment.join(" ")).expect("a string takes all text");
            comment.clear();
            in_table = false;
        } else if let Some((key, value)) = line.split_once(" = ") {
            if !in_table {
                page += "\n| key | default | meaning |\n|---|---|---|\n";
                in_table = true;
            }
            let meaning = comment.join(" ").replace('|', "\\|");
            writeln!(page, "| `{key}` | `{value}` | {meaning} |").expect("a string takes all text");
            comment.clear();
        } else if !comment.is_empty() {
            writeln!(page, "\n{}", comment.join(" ")).expect("a string takes all text");
            comment.clear();
        }
    }
    page + &preset_table()
}

fn preset_table() -> String {
    let rows = PRESETS.iter().map(|preset| format!("| `{}` | {} |\n", preset.name, preset.summary()));
    format!("\n## Presets\n\n| name | for |\n|---|---|\n{}", rows.collect::<String>())
}
