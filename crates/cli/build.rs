//! Hands the compiler's version and the commit to `machine`, as far as they are known.
//!
//! Not here: whether the working tree was modified, which a cached build script could not tell.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var("RUSTC").ok().and_then(|rustc| output_of(&rustc, &["--version"]));
    export("DEEPCFR_RUSTC", rustc);
    // The log of HEAD changes with every commit and checkout; HEAD itself only with the branch. Where
    // git does not answer, a path that may not exist has this run again at every build until it does.
    let log = output_of("git", &["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]);
    println!("cargo::rerun-if-changed={}", log.as_deref().unwrap_or("../../.git/logs/HEAD"));
    println!("cargo::rerun-if-env-changed=DEEPCFR_GIT_COMMIT");
    let given = std::env::var("DEEPCFR_GIT_COMMIT").ok();
    export("DEEPCFR_GIT_COMMIT", given.or_else(|| output_of("git", &["rev-parse", "HEAD"])));
}

fn export(name: &str, value: Option<String>) {
    println!("cargo::rustc-env={name}={}", value.unwrap_or_default());
}

fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
