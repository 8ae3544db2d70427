//! Puts layers of settings over the defaults and reads the result into typed sections.
//!
//! Every key that is unknown or of the wrong type becomes a problem, and its default stands in for
//! it, so that the rest is read and reported too. Not here: ranges and combinations (see
//! `validate`).

use serde::de::IntoDeserializer;
use toml::{Table, Value};

use super::dotted::{value_at, value_at_mut};
use super::game::WrongType;
use super::problem::Problem;
use super::raw::RawConfig;
use super::schema::Schema;
use super::suggest;

/// Settings so far, and what was wrong with them.
pub(super) struct Layers<'a> {
    schema: &'a Schema,
    defaults: Table,
    merged: Table,
    problems: Vec<Problem>,
}

impl<'a> Layers<'a> {
    pub(super) fn new(schema: &'a Schema) -> Self {
        let defaults = schema.defaults();
        Self { schema, merged: defaults.clone(), defaults, problems: Vec::new() }
    }

    pub(super) fn schema(&self) -> &'a Schema {
        self.schema
    }

    /// Adds a TOML text. `source` names it in messages.
    pub(super) fn add_text(&mut self, source: &str, text: &str) {
        match text.parse::<Table>() {
            Ok(table) => self.add(&table),
            Err(error) => self.report(not_toml(source, text, &error)),
        }
    }

    /// Adds one `section.key=value` of the command line.
    pub(super) fn add_assignment(&mut self, assignment: &str) {
        let Some((path, word)) = assignment.split_once('=').filter(|(path, _)| is_path(path.trim())) else {
            let remedy = "write section.key=value, for example run.seed=2";
            return self.report(Problem::new("--set", assignment, remedy));
        };
        let path = path.trim();
        let is_text = matches!(value_at(&self.defaults, path), Some(Value::String(_)));
        let value = if is_text { text_value(word.trim()) } else { any_value(word.trim()) };
        let layer = path
            .rsplit('.')
            .fold(value, |inner, key| Value::Table(Table::from_iter([(key.to_owned(), inner)])));
        if let Value::Table(table) = layer {
            self.add(&table);
        }
    }

    pub(super) fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn add(&mut self, layer: &Table) {
        let unknown = |path: &str, value: &Value| suggest::unknown_key(path, value, &self.defaults);
        overlay(&mut self.merged, layer, &self.defaults, &mut Vec::new(), &mut |path, value| {
            self.problems.push(unknown(path, value));
        });
    }

    /// The typed sections, the merged text that they were read from, and all problems. Every game's table is
    /// in the game's own form.
    pub(super) fn read(mut self) -> (RawConfig, Table, Vec<Problem>) {
        let mut readable = self.merged.clone();
        let mut raw = loop {
            let deserializer = Value::Table(readable.clone()).into_deserializer();
            let error = match serde_path_to_error::deserialize::<_, RawConfig>(deserializer) {
                Ok(raw) => break raw,
                Err(error) => error,
            };
            let path = error.path().to_string();
            let key = path.split('[').next().unwrap_or(&path);
            self.replace(&mut readable, key, error.inner().message());
        };
        self.read_name(&mut readable);
        self.read_games(&mut readable);
        let game = readable.remove("game").expect("the section is one of the defaults");
        raw.game = game.try_into().expect("the section was read as a table");
        (raw, self.merged, self.problems)
    }

    /// Puts the default in place of the value at `key`, which is reported with what its reader says.
    fn replace(&mut self, readable: &mut Table, key: &str, message: &str) {
        let value = value_at(readable, key).map_or_else(String::new, Value::to_string);
        let default = value_at(&self.defaults, key).expect("unknown keys were left out").clone();
        let remedy = remedy(&default, key, message, &self.defaults);
        assert!(value != default.to_string(), "the default of {key} is wrong: {remedy}");
        self.problems.push(Problem::new(key, value, remedy));
        *value_at_mut(readable, key).expect("the error is at this key") = default;
    }

    fn read_name(&mut self, readable: &mut Table) {
        let name = value_at(readable, "game.name").and_then(Value::as_str);
        let has_games = self.schema.games().next().is_some();
        if has_games && name.is_none_or(|name| self.schema.game(name).is_none()) {
            let known: Vec<&str> = self.schema.games().collect();
            self.replace(readable, "game.name", &format!("expected one of \"{}\"", known.join("\", \"")));
        }
    }

    fn read_games(&mut self, readable: &mut Table) {
        let schema = self.schema;
        for game in schema.games().filter_map(|name| schema.game(name)) {
            let path = format!("game.{}", game.name());
            let table = loop {
                let Some(Value::Table(table)) = value_at(readable, &path) else {
                    self.replace(readable, &path, "expected a section");
                    continue;
                };
                match game.read(table) {
                    Ok(table) => break table,
                    Err(WrongType { key, message }) => {
                        self.replace(readable, &format!("{path}.{key}"), &message);
                    }
                }
            };
            *value_at_mut(readable, &path).expect("it was read there") = Value::Table(table);
        }
    }
}

fn overlay(
    merged: &mut Table,
    layer: &Table,
    known: &Table,
    path: &mut Vec<String>,
    unknown: &mut dyn FnMut(&str, &Value),
) {
    for (key, value) in layer {
        path.push(key.clone());
        match (known.get(key), value, merged.get_mut(key)) {
            (None, _, _) => unknown(&path.join("."), value),
            (Some(Value::Table(known)), Value::Table(layer), Some(Value::Table(merged))) => {
                overlay(merged, layer, known, path, unknown);
            }
            _ => _ = merged.insert(key.clone(), value.clone()),
        }
        path.pop();
    }
}

fn is_path(path: &str) -> bool {
    let word =
        |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    path.split('.').all(word)
}

/// A text: quoted as in TOML, or as it stands.
fn text_value(word: &str) -> Value {
    let quoted = word.starts_with(['"', '\'']);
    if quoted { any_value(word) } else { Value::String(word.to_owned()) }
}

/// A TOML value, or else a text, whose type the reader then refuses with a remedy.
fn any_value(word: &str) -> Value {
    let parsed = format!("value = {word}").parse::<Table>().ok();
    let value = parsed.filter(|table| table.len() == 1).and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(word.to_owned()))
}

fn not_toml(source: &str, text: &str, error: &toml::de::Error) -> Problem {
    let before = error.span().map(|span| &text[..span.start]).unwrap_or_default();
    let (line, column) =
        (before.lines().count().max(1), before.rsplit('\n').next().unwrap_or("").chars().count() + 1);
    let line = line + usize::from(before.ends_with('\n') && !before.is_empty());
    Problem::new(source, format!("line {line}, column {column}"), format!("not TOML: {}", error.message()))
}

fn remedy(default: &Value, key: &str, message: &str, defaults: &Table) -> String {
    if default.is_table() {
        return format!("is a section; set its keys, for example {}", suggest::first_key(key, defaults));
    }
    match message.rsplit_once("expected ").map_or(message, |(_, expected)| expected) {
        // Types of a user's own keys among them.
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "give a whole number, 0 or more".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "give a whole number".to_owned(),
        "f32" | "f64" => "give a number".to_owned(),
        "a boolean" => "give true or false".to_owned(),
        "a string" | "path string" => "give a text in quotes".to_owned(),
        "a sequence" => "give a list in brackets, for example [\"random\"]".to_owned(),
        expected => format!("give {expected}"),
    }
}
