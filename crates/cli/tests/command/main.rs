//! The real command: exit codes, messages, files.

mod arena;
mod bad_input;
mod engines;
mod killed;
mod levers;
mod precision;
mod runs;
mod solutions;
mod tools;

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

struct Answer {
    code: Option<i32>,
    out: String,
    err: String,
}

fn deepcfr(folder: &Path, arguments: &[&str]) -> Answer {
    let command = Command::new(env!("CARGO_BIN_EXE_deepcfr")).args(arguments).current_dir(folder).output();
    let Output { status, stdout, stderr } = command.expect("the command was built");
    let text = |bytes| String::from_utf8(bytes).expect("messages are UTF-8");
    Answer { code: status.code(), out: text(stdout), err: text(stderr) }
}

/// Runs `arguments` in `folder` and checks what holds for every refusal.
fn refused_in(folder: &Path, arguments: &[&str]) -> String {
    let before = listing(folder);
    let answer = deepcfr(folder, arguments);
    assert_eq!(answer.code, Some(2), "{arguments:?}: {}", answer.err);
    assert!(answer.err.starts_with("error: "), "{}", answer.err);
    assert!(answer.err.lines().count() <= 24 && !answer.err.contains("panicked"), "{}", answer.err);
    assert_eq!((answer.out.as_str(), listing(folder)), ("", before), "{arguments:?}");
    answer.err
}

fn refused(arguments: &[&str]) -> String {
    refused_in(TempDir::new().unwrap().path(), arguments)
}

/// Paths and lengths of all files below `folder`.
fn listing(folder: &Path) -> Vec<(String, u64)> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let length = entry.metadata().unwrap().len();
            files.push((entry.path().display().to_string(), length));
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            }
        }
    }
    files.sort();
    files
}
