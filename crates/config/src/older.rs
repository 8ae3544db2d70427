//! Runs that older programs began.
//!
//! A key that did not exist then has the value that means what the program did, so that such a run can be read
//! and resumed. Not here: the defaults of new runs (`configs/default.toml`).

use toml::Table;

/// Keys that came later, each with what was done before there was the key.
pub(super) const OLDER: &str = "\
[memory]
kind = \"reservoir\"

[training]
updates = \"together\"
";

/// Takes the keys that came later out of `table` where they say what was done before: what is learned is then
/// told by the same text as it was.
pub(super) fn remove_older(table: &mut Table) {
    let older: Table = OLDER.parse().expect("a test reads it");
    for (section, keys) in &older {
        let Some(own) = table.get_mut(section).and_then(|section| section.as_table_mut()) else { continue };
        for (key, value) in keys.as_table().expect("keys stand in sections") {
            if own.get(key) == Some(value) {
                own.remove(key);
            }
        }
    }
}
