//! Values of a table by dotted paths, `section.key`. Not here: which keys there are.

use toml::{Table, Value};

/// The value at a dotted path.
pub(super) fn value_at<'a>(table: &'a Table, path: &str) -> Option<&'a Value> {
    match path.split_once('.') {
        None => table.get(path),
        Some((section, rest)) => value_at(table.get(section)?.as_table()?, rest),
    }
}

/// The same, to be changed.
pub(super) fn value_at_mut<'a>(table: &'a mut Table, path: &str) -> Option<&'a mut Value> {
    match path.split_once('.') {
        None => table.get_mut(path),
        Some((section, rest)) => value_at_mut(table.get_mut(section)?.as_table_mut()?, rest),
    }
}
