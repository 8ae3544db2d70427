//! The manual of all keys, made from the comments of the embedded default configuration.
//!
//! Not here: anything that those comments do not say.

use std::fmt::Write;

use super::presets::Preset;
use super::schema::Schema;

/// The manual as Markdown: a section each, with a table of keys, defaults and meanings.
pub(crate) fn manual(schema: &Schema) -> String {
    let mut page = String::from("# Configuration\n\n");
    page += "<!-- Generated from configs/default.toml and configs/presets; edit those. -->\n";
    let mut comment = Vec::new();
    let mut in_table = false;
    for line in schema.default_text().lines() {
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
    page + &preset_table(schema.presets())
}

fn preset_table(presets: &[Preset]) -> String {
    let rows = presets.iter().map(|preset| format!("| `{}` | {} |\n", preset.name, preset.summary()));
    format!("\n## Presets\n\n| name | for |\n|---|---|\n{}", rows.collect::<String>())
}
