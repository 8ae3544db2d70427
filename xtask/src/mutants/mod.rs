//! `cargo xtask mutants`: breaks the algorithms on purpose, one way at a time, and checks that a named
//! test notices.
//!
//! Works on a copy of the sources below the target directory, so that nothing here is ever left
//! mutated. Only the crates below burn are built. Not here: which mutants there are (see `list`).

mod list;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use list::MUTANTS;

/// A way to be wrong, and the test that must fail because of it.
#[derive(Clone, Copy, Debug)]
struct Mutant {
    name: &'static str,
    edits: &'static [Edit],
    test: Test,
}

/// A replacement in one file, of a text that stands there exactly once.
#[derive(Clone, Copy, Debug)]
struct Edit {
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

/// One test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Test {
    package: &'static str,
    /// `--lib`, or the name of an integration test.
    target: &'static str,
    name: &'static str,
}

/// What became of a mutant, or of the sources as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    /// It could not be judged: for example, it does not compile.
    Unclear(String),
}

pub(crate) fn run() -> ExitCode {
    match check_all() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("mutants: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Whether every mutant is caught, and none of the tests fails without one.
fn check_all() -> Result<bool, String> {
    let target = PathBuf::from(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    let target = std::path::absolute(target.join("mutants")).map_err(|error| error.to_string())?;
    let copy = Copy { sources: target.join("workspace"), target: target.join("target") };
    copy.refresh()?;
    let mut all_is_well = true;
    // All of these before the first mutant, so that nothing is built twice.
    let sound: Vec<Verdict> = MUTANTS.iter().map(|mutant| copy.judge(mutant.test)).collect();
    println!("{:<46} {:<12} test", "mutant", "verdict");
    for (mutant, sound) in MUTANTS.iter().zip(&sound) {
        let mutated = copy.judge_mutated(mutant)?;
        let verdict = verdict(sound, &mutated);
        all_is_well &= verdict == CAUGHT;
        println!("{:<46} {verdict:<12} {}::{}", mutant.name, mutant.test.package, mutant.test.name);
        for unclear in [sound, &mutated] {
            if let Verdict::Unclear(reason) = unclear {
                eprintln!("{reason}");
            }
        }
    }
    Ok(all_is_well)
}

const CAUGHT: &str = "caught";

fn verdict(sound: &Verdict, mutated: &Verdict) -> &'static str {
    match (sound, mutated) {
        (Verdict::Passed, Verdict::Failed) => CAUGHT,
        (Verdict::Passed, Verdict::Passed) => "SURVIVED",
        (Verdict::Failed, _) => "TEST FAILS",
        (Verdict::Unclear(_), _) | (_, Verdict::Unclear(_)) => "UNCLEAR",
    }
}

/// The copy of the sources, and where it is built.
struct Copy {
    sources: PathBuf,
    target: PathBuf,
}

impl Copy {
    /// Copies every file that git knows or would take.
    fn refresh(&self) -> Result<(), String> {
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .output()
            .map_err(|error| format!("git: {error}"))?;
        let files = String::from_utf8(listed.stdout).map_err(|error| error.to_string())?;
        for file in files.split_terminator('\0').filter(|file| Path::new(file).is_file()) {
            let to = self.sources.join(file);
            if fs::read(&to).ok() != Some(fs::read(file).map_err(in_file(file))?) {
                fs::create_dir_all(to.parent().expect("it lies below a folder")).map_err(in_file(file))?;
                fs::copy(file, &to).map_err(in_file(file))?;
            }
        }
        Ok(())
    }

    /// Runs the test of `mutant` with its edits in force.
    fn judge_mutated(&self, mutant: &Mutant) -> Result<Verdict, String> {
        let mut originals: Vec<(PathBuf, String)> = Vec::new();
        let edited = mutant.edits.iter().try_for_each(|edit| {
            let path = self.sources.join(edit.file);
            let text = fs::read_to_string(&path).map_err(in_file(edit.file))?;
            let mutated = apply(&text, edit).map_err(|problem| format!("{}: {problem}", mutant.name))?;
            originals.push((path.clone(), text));
            fs::write(&path, mutated).map_err(in_file(edit.file))
        });
        let verdict = edited.map(|()| self.judge(mutant.test));
        for (path, text) in originals.into_iter().rev() {
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        verdict
    }

    /// Builds and runs one test.
    fn judge(&self, test: Test) -> Verdict {
        let built = self.cargo(test).arg("--no-run").output();
        match built {
            Ok(output) if output.status.success() => {}
            Ok(output) => return Verdict::Unclear(String::from_utf8_lossy(&output.stderr).into_owned()),
            Err(error) => return Verdict::Unclear(format!("cargo: {error}")),
        }
        match self.cargo(test).args(["--", "--exact", test.name]).output() {
            Ok(output) => outcome(&String::from_utf8_lossy(&output.stdout)),
            Err(error) => Verdict::Unclear(format!("cargo: {error}")),
        }
    }

    fn cargo(&self, test: Test) -> Command {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["test", "--release", "--locked", "-p", test.package]);
        match test.target {
            "--lib" => cargo.arg("--lib"),
            target => cargo.args(["--test", target]),
        };
        cargo.current_dir(&self.sources).env("CARGO_TARGET_DIR", &self.target);
        // Quick to build again and again, yet fast enough for statistics.
        cargo.env("CARGO_PROFILE_RELEASE_DEBUG", "0").env("CARGO_PROFILE_RELEASE_INCREMENTAL", "true");
        cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
        cargo
    }
}

/// Exactly one test must have run: a misspelled name runs none, and cargo calls that success.
fn outcome(report: &str) -> Verdict {
    if report.contains("test result: ok. 1 passed;") {
        Verdict::Passed
    } else if report.contains("test result: FAILED. 0 passed; 1 failed;") {
        Verdict::Failed
    } else {
        Verdict::Unclear(format!("not one test was run:\n{report}"))
    }
}

fn apply(text: &str, edit: &Edit) -> Result<String, String> {
    match text.matches(edit.from).count() {
        1 => Ok(text.replacen(edit.from, edit.to, 1)),
        count => Err(format!("{} has {count} places like {:?}, not one", edit.file, edit.from)),
    }
}

fn in_file(file: &str) -> impl Fn(std::io::Error) -> String + '_ {
    move |error| format!("{file}: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_needs_exactly_one_place() {
        let edit = Edit { file: "a.rs", from: "min", to: "max" };
        assert_eq!(apply("a.min(b)", &edit).as_deref(), Ok("a.max(b)"));
        assert!(apply("a.min(b.min(c))", &edit).unwrap_err().contains("2 places"));
        assert!(apply("a", &edit).unwrap_err().contains("0 places"));
    }

    #[test]
    fn every_edit_fits_the_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
        for mutant in &MUTANTS {
            for edit in mutant.edits {
                let text = fs::read_to_string(root.join(edit.file)).expect(edit.file);
                assert!(apply(&text, edit).is_ok(), "{}: {edit:?}", mutant.name);
            }
        }
    }

    #[test]
    fn only_a_test_that_ran_is_judged() {
        assert_eq!(outcome("test result: ok. 1 passed; 0 failed;"), Verdict::Passed);
        assert_eq!(outcome("test result: FAILED. 0 passed; 1 failed;"), Verdict::Failed);
        assert!(matches!(outcome("test result: ok. 0 passed; 0 failed;"), Verdict::Unclear(_)));
        assert_eq!(verdict(&Verdict::Passed, &Verdict::Failed), CAUGHT);
        assert_eq!(verdict(&Verdict::Failed, &Verdict::Failed), "TEST FAILS");
    }
}
