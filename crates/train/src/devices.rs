//! The devices of a run: whether they can be used, before any work, and what to tell the user of them.
//!
//! Not here: opening them, and what a device is (see `deepcfr-nn`).

use std::process::Command;

use deepcfr_config::{ConfigError, Engine, Problem, RunConfig};
use deepcfr_core::ModelFactory;
use deepcfr_nn::{BurnFactory, DeviceError, NativeFactory, Placement, check_device};

pub use deepcfr_nn::{DeviceFacts, DeviceName, DeviceProblem, Precision, WarmUp};

/// The devices of every kind, as `deepcfr-nn` lists them; memory and driver of NVIDIA GPUs are what
/// their `nvidia-smi` says.
pub fn devices() -> Vec<DeviceFacts> {
    let mut devices = deepcfr_nn::devices();
    let mut listed = None;
    for facts in devices.iter_mut().filter(|facts| matches!(facts.name, DeviceName::Cuda(_))) {
        let Some(model) = &facts.model else { continue };
        let listed = listed.get_or_insert_with(nvidia_smi);
        if let Some((memory, driver)) = listed_gpu(listed, model) {
            (facts.memory, facts.driver) = (Some(memory), Some(driver));
        }
    }
    devices
}

fn nvidia_smi() -> String {
    let query = ["--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits"];
    let output = Command::new("nvidia-smi").args(query).output();
    output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Memory in bytes and driver of the GPU called `model`, from lines of name, MiB and version.
fn listed_gpu(listed: &str, model: &str) -> Option<(u64, String)> {
    let fields = |line: &str| line.split(',').map(|field| field.trim().to_owned()).collect::<Vec<_>>();
    let line = listed.lines().map(fields).find(|fields| fields[0] == model)?;
    let mib: u64 = line.get(1)?.parse().ok()?;
    Some((mib << 20, line.get(2)?.clone()))
}

/// An engine, and whether a row's result is the same bit for bit whatever rows share its
/// batch: only then do scheduler, workers, lanes and batch size leave samples unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The engine, as in `inference.engine`.
    pub engine: &'static str,
    /// Where it runs.
    pub on: &'static str,
    /// Whether rows are bit-invariant.
    pub row_invariant: bool,
}

/// What each engine promises.
pub fn promises() -> Vec<Promise> {
    let of = |&engine: &Engine| {
        let (on, row_invariant) = match engine {
            Engine::Native => ("cpu", NativeFactory::new(1, 1, 1).spec().row_invariant),
            Engine::Burn => ("every device", BurnFactory::new(1, 1, 1).spec().row_invariant),
            // Its library need not be there to know.
            Engine::OnnxRuntime => ("inference.provider", deepcfr_onnx::ROW_INVARIANT),
        };
        Promise { engine: engine.word(), on, row_invariant }
    };
    Engine::ALL.iter().map(of).collect()
}

/// A device that a configuration asks for and that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = \"{}\": {}", error.device, error.problem)]
pub struct UnusableDevice {
    /// The key that names it.
    pub key: &'static str,
    /// What is wrong.
    pub error: DeviceError,
}

/// Makes sure that every device of `config` can be used.
///
/// # Errors
/// The first that cannot, with its key.
pub fn check(config: &RunConfig) -> Result<(), UnusableDevice> {
    let inference = if config.inference.device.is_some() { "inference.device" } else { "run.device" };
    let inference = if config.server.devices.is_empty() { inference } else { "server.devices" };
    let evaluation = if config.evaluation.device.is_some() { "evaluation.device" } else { inference };
    for (key, placements) in [
        ("run.device", vec![config.training_placement()]),
        (inference, config.inference_placements()),
        (evaluation, config.evaluation_placements()),
    ] {
        for placement in placements {
            check_device(placement).map_err(|error| UnusableDevice { key, error })?;
        }
    }
    Ok(())
}

/// Makes sure that `config` asks for nothing but the processor in 32 bits, which is what profiles are of.
///
/// # Errors
/// Every key that asks for something else.
pub fn only_processor(config: &RunConfig) -> Result<(), ConfigError> {
    let plain = Placement::default();
    let inference = if config.server.devices.is_empty() { "inference.device" } else { "server.devices" };
    let elsewhere = |placement: &Placement| placement.device != plain.device;
    let answering = config.inference_placements().into_iter().find(elsewhere);
    let parts = [
        ("run.device", "training.precision", config.training_placement()),
        (inference, "inference.precision", answering.unwrap_or_else(|| config.inference_placement())),
    ];
    let mut problems = Vec::new();
    for (device, precision, placement) in parts {
        if placement.device != plain.device {
            let remedy = "profiles are of the processor; give \"cpu\", or use `deepcfr bench device`";
            problems.push(Problem::new(device, placement.device, remedy));
        }
        if placement.precision != plain.precision {
            let remedy = "profiles are of 32 bits; give \"f32\", or use `deepcfr bench device`";
            problems.push(Problem::new(precision, placement.precision.word(), remedy));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(ConfigError { problems }) }
}

/// What is worth knowing about devices and precisions of `config`, a line each; nothing where all is
/// on the processor in 32 bits.
pub fn notes(config: &RunConfig, warm_up: WarmUp) -> Vec<String> {
    let parts = [
        ("training", vec![config.training_placement()]),
        ("inference", config.inference_placements()),
        ("evaluation", config.evaluation_placements()),
    ];
    if parts.iter().flat_map(|(_, placements)| placements).all(|placement| *placement == Placement::default())
    {
        return Vec::new();
    }
    let placed: Vec<String> = parts.iter().map(|(part, placements)| placed(part, placements)).collect();
    let mut notes = vec![placed.join(", ")];
    for (part, placements) in parts {
        let word = placements[0].precision.word();
        if word != "f32" && placements.iter().any(|placement| placement.device.is_cpu()) {
            notes.push(format!(
                "{word} brings nothing to {part} on the processor: it is emulated there, slower than f32"
            ));
        }
    }
    if warm_up.classes > 0 {
        let seconds = warm_up.time.as_secs_f64();
        notes.push(format!(
            "warm-up took {seconds:.1} s for {} batch classes, not counted in any iteration",
            warm_up.classes
        ));
    }
    notes
}

/// One part of a run, whose places share a precision.
fn placed(part: &str, placements: &[Placement]) -> String {
    let devices: Vec<String> = placements.iter().map(|placement| placement.device.to_string()).collect();
    format!("{part} on {} in {}", devices.join(" and "), placements[0].precision.word())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::testing::resolve;

    fn config(sets: &[&str]) -> RunConfig {
        let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
        resolve(None, &sets)
    }

    #[test]
    fn a_device_that_is_not_there_is_refused_by_the_key_that_names_it() {
        let mut asked = config(&["inference.engine=burn"]);
        assert_eq!(check(&asked), Ok(()));
        for (device, index) in [(DeviceName::Cuda(77), 77), (DeviceName::Wgpu(78), 78)] {
            asked.run.device = DeviceName::Cpu;
            asked.inference.device = None;
            asked.evaluation.device = Some(device);
            let said = check(&asked).unwrap_err().to_string();
            assert!(
                said.starts_with(&format!("evaluation.device = \"{}:{index}\": ", device.kind())),
                "{said}"
            );
            asked.inference.device = Some(device);
            assert_eq!(check(&asked).unwrap_err().key, "inference.device");
            asked.server.devices = vec![DeviceName::Cpu, device];
            let said = check(&asked).unwrap_err().to_string();
            assert!(said.starts_with(&format!("server.devices = \"{device}\": ")), "{said}");
            asked.server.devices.clear();
            asked.run.device = device;
            assert_eq!(check(&asked).unwrap_err().key, "run.device");
        }
    }

    #[test]
    fn profiles_are_of_the_processor() {
        assert_eq!(only_processor(&config(&[])), Ok(()));
        let mut elsewhere = config(&["training.precision=f16"]);
        elsewhere.run.device = DeviceName::Wgpu(0);
        let keys: Vec<_> =
            only_processor(&elsewhere).unwrap_err().problems.into_iter().map(|one| one.key).collect();
        assert_eq!(keys, ["run.device", "training.precision"]);
        let served = ["traversal.scheduler=server", "server.devices=[\"cpu\", \"cpu\"]"];
        let mut served = config(&served);
        assert_eq!(only_processor(&served), Ok(()));
        served.server.devices[1] = DeviceName::Cuda(0);
        assert_eq!(only_processor(&served).unwrap_err().problems[0].key, "server.devices");
    }

    #[test]
    fn what_nvidia_smi_says_is_understood() {
        let listed = "NVIDIA H200, 143771, 570.86.15\nNVIDIA GeForce RTX 3090, 24576, 570.86.15\n";
        let found = listed_gpu(listed, "NVIDIA GeForce RTX 3090");
        assert_eq!(found, Some((24576 << 20, "570.86.15".to_owned())));
        for nonsense in ["", "NVIDIA A100", "NVIDIA A100, [N/A], 1", "\n,,"] {
            assert_eq!(listed_gpu(nonsense, "NVIDIA A100"), None, "{nonsense}");
        }
    }

    #[test]
    fn only_what_is_not_plain_is_told() {
        let none = WarmUp::default();
        assert_eq!(notes(&config(&[]), none), [""; 0]);
        let told = notes(&config(&["training.precision=bf16"]), none);
        assert_eq!(
            told,
            [
                "training on cpu in bf16, inference on cpu in f32, evaluation on cpu in f32",
                "bf16 brings nothing to training on the processor: it is emulated there, slower than f32"
            ]
        );
        let mut gpu = config(&["inference.engine=burn"]);
        gpu.run.device = DeviceName::Cuda(0);
        let warm_up = WarmUp { classes: 7, time: Duration::from_millis(2500) };
        let told = notes(&gpu, warm_up);
        assert_eq!(told[0], "training on cuda in f32, inference on cuda in f32, evaluation on cuda in f32");
        assert_eq!(told[1..], ["warm-up took 2.5 s for 7 batch classes, not counted in any iteration"]);
        gpu.server.devices = vec![DeviceName::Cuda(0), DeviceName::Cuda(1)];
        gpu.evaluation.device = Some(DeviceName::Cpu);
        let told = notes(&gpu, none);
        assert_eq!(
            told,
            ["training on cuda in f32, inference on cuda and cuda:1 in f32, evaluation on cpu in f32"]
        );
    }

    #[test]
    fn the_native_engine_alone_promises_bits() {
        let promised: Vec<_> = promises().into_iter().filter(|promise| promise.row_invariant).collect();
        assert_eq!(promised.iter().map(|promise| promise.engine).collect::<Vec<_>>(), ["native"]);
    }
}
