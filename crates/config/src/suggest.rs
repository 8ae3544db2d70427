//! What the writer of an unknown key or preset probably meant.
//!
//! Not here: finding unknown keys.

use toml::{Table, Value};

use super::problem::Problem;

/// Likeness from which a name is suggested.
const ALIKE: f64 = 0.6;

/// The problem of a key that does not exist.
pub(super) fn unknown_key(path: &str, value: &Value, defaults: &Table) -> Problem {
    let known = known_paths(defaults);
    let is_around = |section: &str| path.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'));
    let nearest = known
        .iter()
        .filter(|candidate| !is_around(candidate))
        .map(|candidate| (likeness(path, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    let remedy = match nearest {
        Some((_, name)) => format!("no such key; did you mean {name}?"),
        None => format!("no such key; {}", what_there_is(path, &known)),
    };
    let shown = if value.is_table() { "[section]".to_owned() } else { value.to_string() };
    Problem::new(path, shown, remedy)
}

/// The first key of a section, by its full path.
pub(super) fn first_key(section: &str, defaults: &Table) -> String {
    let prefix = format!("{section}.");
    known_paths(defaults)
        .into_iter()
        .find(|path| path.starts_with(&prefix))
        .unwrap_or_else(|| section.to_owned())
}

/// The one of `names` that is most like `name`, if any is.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = names.map(|known| (strsim::normalized_damerau_levenshtein(name, known), known));
    scored
        .filter(|(score, _)| *score >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}

/// Whole paths are compared, and last words: a key in the wrong section is found by its own name.
fn likeness(path: &str, candidate: &str) -> f64 {
    let whole = strsim::normalized_damerau_levenshtein(path, candidate);
    let words = strsim::normalized_damerau_levenshtein(last_word(path), last_word(candidate));
    whole.max(0.95 * words)
}

fn last_word(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn what_there_is(path: &str, known: &[String]) -> String {
    let section = path.rsplit_once('.').map_or("", |(section, _)| section);
    let prefix = format!("{section}.");
    let keys: Vec<&str> = known.iter().filter_map(|name| name.strip_prefix(&prefix)).collect();
    if !section.is_empty() && !keys.is_empty() {
        let own: Vec<&str> = keys.into_iter().filter(|key| !key.contains('.')).collect();
        return format!("[{section}] has {}", own.join(", "));
    }
    let sections: Vec<&str> = known.iter().map(String::as_str).filter(|name| !name.contains('.')).collect();
    format!("the sections are {}", sections.join(", "))
}

/// Sections and keys by their full paths, in the order of the manual.
fn known_paths(defaults: &Table) -> Vec<String> {
    let mut paths = Vec::new();
    collect(defaults, "", &mut paths);
    paths
}

fn collect(table: &Table, prefix: &str, paths: &mut Vec<String>) {
    for (key, value) in table {
        let path = format!("{prefix}{key}");
        paths.push(path.clone());
        if let Value::Table(section) = value {
            collect(section, &format!("{path}."), paths);
        }
    }
}
