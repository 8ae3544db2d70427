//! Checks that need a GPU or a software driver of one: builds apart from everybody else's, run part by
//! part, with a summary at the end.
//!
//! Not here: which parts there are (see `soft` and `check`).

mod check;
mod report;
mod soft;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

pub(crate) use check::run as gpu_check;
pub(crate) use soft::run as soft_gpu;

/// Builds of a device feature live in a folder of their own: features change how burn is built.
fn target_folder(name: &str) -> PathBuf {
    match std::env::var_os("DEEPCFR_GPU_TARGET") {
        Some(folder) => folder.into(),
        None => Path::new("target").join(name),
    }
}

/// One part of a check.
struct Part {
    name: &'static str,
    seconds: f64,
    /// What it printed on standard output.
    output: String,
    /// Why it failed, if it did.
    failure: Option<String>,
}

/// Runs a command, shows what it prints, and gives it at most `limit`.
fn part(name: &'static str, command: &mut Command, limit: Duration) -> Part {
    println!("\n== {name}");
    let begin = Instant::now();
    let (output, failure) = match run_within(command, limit) {
        Ok((output, true)) => (output, None),
        Ok((output, false)) => (output, Some("it ended with an error".to_owned())),
        Err(problem) => (String::new(), Some(problem)),
    };
    print!("{output}");
    Part { name, seconds: begin.elapsed().as_secs_f64(), output, failure }
}

/// The standard output, and whether the command succeeded. Standard error is shown as it comes.
fn run_within(command: &mut Command, limit: Duration) -> Result<(String, bool), String> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
    let mut stdout = child.stdout.take().expect("it is piped");
    let reader = std::thread::spawn(move || {
        let mut output = String::new();
        std::io::Read::read_to_string(&mut stdout, &mut output).map(|_| output)
    });
    let end = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if Instant::now() > end {
            child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
            return Err(format!("it was stopped after {:.0} s", limit.as_secs_f64()));
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let output = reader.join().expect("reading does not panic").map_err(|error| error.to_string())?;
    Ok((output, status.success()))
}

/// Prints a line for each part; fails if any did, naming it.
fn conclude(check: &str, parts: &[Part]) -> ExitCode {
    println!("\n{check}:");
    for Part { name, seconds, failure, .. } in parts {
        let verdict = failure.as_ref().map_or_else(|| "passed".to_owned(), |why| format!("FAILED: {why}"));
        println!("  {name:<28} {seconds:>8.1} s  {verdict}");
    }
    let failed: Vec<&str> =
        parts.iter().filter(|part| part.failure.is_some()).map(|part| part.name).collect();
    if failed.is_empty() {
        println!("{check}: all parts passed");
        ExitCode::SUCCESS
    } else {
        println!("{check}: failed in {}", failed.join(", "));
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_part_tells_output_failure_and_time() {
        let second = Duration::from_secs(1);
        assert_eq!(run_within(&mut shell("echo said"), second), Ok(("said\n".to_owned(), true)));
        assert_eq!(run_within(&mut shell("echo said; exit 3"), second), Ok(("said\n".to_owned(), false)));
        let slow = run_within(&mut shell("exec sleep 30"), Duration::from_millis(100));
        assert_eq!(slow, Err("it was stopped after 0 s".to_owned()));
        assert!(run_within(&mut Command::new("no-such-command"), second).is_err());
    }
}
