//! The machine and the build that a run's times belong to.
//!
//! Everything is best effort: what cannot be found out is `None`. Not here: accelerators, which the
//! inference crates name.

use std::fs;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// The machine and the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineInfo {
    /// The processor's name.
    pub cpu: Option<String>,
    /// Threads that can run at once, affinity and quotas regarded.
    pub logical_cores: Option<usize>,
    /// Memory that this process may use, in bytes.
    pub memory_bytes: Option<u64>,
    /// Operating system, with the kernel's release where known.
    pub os: String,
    /// Processor architecture that the program was compiled for.
    pub arch: String,
    /// The compiler that built the program.
    pub rustc: Option<String>,
    /// Version of this crate.
    pub crate_version: String,
    /// The commit that the program was built at.
    pub git_commit: Option<String>,
    /// Whether the program was built with optimisation off, so that times mean nothing.
    pub debug_build: bool,
}

/// The build of the program, which it tells through [`name_build`] when it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// The compiler that built it.
    pub rustc: Option<String>,
    /// The commit that it was built at.
    pub git_commit: Option<String>,
}

static BUILD: OnceLock<Build> = OnceLock::new();

/// Has everything that is written from now on name this build; the first call counts.
///
/// A build script that looked at the commit here would have every crate above compiled again at each commit:
/// so it is the program that looks.
pub fn name_build(build: Build) {
    // A second program in the process does not change what the first has written already.
    let _ = BUILD.set(build);
}

impl MachineInfo {
    /// Looks at the machine that this runs on.
    pub fn detect() -> Self {
        let build = BUILD.get().cloned().unwrap_or_default();
        Self {
            cpu: cpu_name(&read("/proc/cpuinfo")),
            logical_cores: std::thread::available_parallelism().ok().map(usize::from),
            memory_bytes: memory_bytes(),
            os: [std::env::consts::OS, &read("/proc/sys/kernel/osrelease")].join(" ").trim().to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            rustc: build.rustc,
            crate_version: env!("CARGO_PKG_VERSION").to_owned(),
            git_commit: build.git_commit,
            debug_build: cfg!(debug_assertions),
        }
    }
}

/// Memory that this process may use, in bytes: the machine's, or its control group's limit where
/// that is lower. `None` where neither can be read.
pub fn memory_bytes() -> Option<u64> {
    let machine = total_memory(&read("/proc/meminfo"));
    let limit = read("/sys/fs/cgroup/memory.max").trim().parse().ok();
    machine.into_iter().chain(limit).min()
}

/// The most memory that this process has held since [`restart_peak`] (or its start), in bytes.
pub fn peak_bytes() -> Option<u64> {
    kib_line(&read("/proc/self/status"), "VmHWM:")
}

/// Lets [`peak_bytes`] count from now on, where the system allows it.
pub fn restart_peak() {
    // Without it the peak is that of the whole process: higher, never lower.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn cpu_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    known(line.split_once(':')?.1)
}

fn total_memory(meminfo: &str) -> Option<u64> {
    kib_line(meminfo, "MemTotal:")
}

fn kib_line(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

fn known(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_says_is_understood_and_anything_else_is_unknown() {
        let cpuinfo = "processor\t: 0\nmodel name\t: AMD EPYC 7763\nmodel name\t: other\n";
        assert_eq!(cpu_name(cpuinfo).as_deref(), Some("AMD EPYC 7763"));
        assert_eq!(total_memory("MemTotal:       24683656 kB\nMemFree: 1 kB\n"), Some(24_683_656 * 1024));
        for nonsense in
            ["", "model name", "model name\t: \nMemTotal: much kB", "MemTotal: 99999999999999999999 kB"]
        {
            assert_eq!((cpu_name(nonsense), total_memory(nonsense)), (None, None), "{nonsense}");
        }
    }

    #[test]
    fn this_machine_survives_a_round_trip() {
        name_build(Build { rustc: Some("rustc 1.95".to_owned()), git_commit: None });
        let machine = MachineInfo::detect();
        assert!(machine.logical_cores.is_some() && machine.rustc.as_ref().unwrap().starts_with("rustc"));
        let json = serde_json::to_string(&machine).unwrap();
        assert_eq!(serde_json::from_str::<MachineInfo>(&json).unwrap(), machine);
    }
}
