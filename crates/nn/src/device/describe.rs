//! Every kind of device with what is known about it, for people.
//!
//! Not here: opening a device for work (see `open`).

use burn::tensor::Device;

use super::open::{of_kind, supports};
use super::{DeviceError, DeviceName, DeviceProblem, Placement, Precision, open};

/// What is known about a device, or about a kind of which there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFacts {
    /// Its name in a configuration.
    pub name: DeviceName,
    /// What it calls itself, where it does.
    pub model: Option<String>,
    /// The driver and its version, where the runtime tells.
    pub driver: Option<String>,
    /// Its memory in bytes, where known; burn does not tell it, so it is for callers to fill in.
    pub memory: Option<u64>,
    /// Types that networks can multiply in there.
    pub precisions: Vec<Precision>,
    /// Why it cannot be used, if so.
    pub problem: Option<DeviceProblem>,
}

/// The devices of every kind, each tried out; a kind without one stands for itself with the reason.
pub fn devices() -> Vec<DeviceFacts> {
    DeviceName::KINDS.into_iter().flat_map(of).collect()
}

fn of(kind: DeviceName) -> Vec<DeviceFacts> {
    let found = match of_kind(kind) {
        Ok(found) if found.is_empty() => Err(DeviceProblem::NoneFound { needs: kind.needs() }),
        Ok(found) => Ok(found.len()),
        Err(DeviceError { problem, .. }) => Err(problem),
    };
    match found {
        Ok(count) => (0..count as u16).map(|index| facts(kind.at(index))).collect(),
        Err(problem) => vec![DeviceFacts::without(kind, problem)],
    }
}

fn facts(name: DeviceName) -> DeviceFacts {
    match open(name) {
        Err(DeviceError { problem, .. }) => DeviceFacts::without(name, problem),
        Ok(device) => {
            let model = model(&device);
            let driver = model.as_deref().and_then(|model| driver(name, model));
            let usable =
                |precision: &Precision| supports(&device, Placement { device: name, precision: *precision });
            let precisions = Precision::ALL.into_iter().filter(usable).collect();
            DeviceFacts { name, model, driver, memory: None, precisions, problem: None }
        }
    }
}

impl DeviceFacts {
    fn without(name: DeviceName, problem: DeviceProblem) -> Self {
        Self { name, model: None, driver: None, memory: None, precisions: Vec::new(), problem: Some(problem) }
    }
}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
fn model(device: &Device) -> Option<String> {
    device.identity().map(|identity| identity.name)
}

#[cfg(not(any(feature = "cuda", feature = "wgpu")))]
fn model(_device: &Device) -> Option<String> {
    None
}

/// The driver of the adapter that calls itself `model`.
#[cfg(feature = "wgpu")]
fn driver(name: DeviceName, model: &str) -> Option<String> {
    use burn::tensor::wgpu::wgpu::{Backends, Instance, InstanceDescriptor};

    if !matches!(name, DeviceName::Wgpu(_) | DeviceName::Vulkan(_)) {
        return None;
    }
    let instance = Instance::new(InstanceDescriptor::new_without_display_handle());
    let adapters = super::block_on(instance.enumerate_adapters(Backends::PRIMARY));
    let named = adapters.iter().map(|adapter| adapter.get_info()).find(|info| info.name == model)?;
    Some(format!("{} {} ({})", named.driver, named.driver_info, named.backend))
}

#[cfg(not(feature = "wgpu"))]
fn driver(_name: DeviceName, _model: &str) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_listed_and_the_processor_can_be_used() {
        let listed = devices();
        for kind in DeviceName::KINDS {
            assert!(listed.iter().any(|facts| facts.name.kind() == kind.kind()), "{kind}");
        }
        assert_eq!(listed[0].name, DeviceName::Cpu);
        assert_eq!((listed[0].problem.as_ref(), listed[0].precisions.len()), (None, 3));
        for facts in &listed {
            assert_eq!(facts.problem.is_none(), !facts.precisions.is_empty(), "{facts:?}");
        }
    }
}
