//! Opens a device, or says why it cannot be used, before anything is computed on it.
//!
//! Not here: the lists of devices for people (see `describe`).

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use burn::tensor::{Device, Tensor, TensorData};

use super::{DeviceError, DeviceName, DeviceProblem, Placement, dtype};

/// Devices that were opened and found to work.
static OPENED: Mutex<BTreeMap<DeviceName, Device>> = Mutex::new(BTreeMap::new());

/// Makes sure that networks can run at `placement`: the feature is compiled in, the device is there,
/// and it computes in that precision.
///
/// # Errors
/// What is missing.
pub fn check_device(placement: Placement) -> Result<(), DeviceError> {
    let device = open(placement.device)?;
    if supports(&device, placement) {
        return Ok(());
    }
    let precision = placement.precision.word();
    Err(DeviceError { device: placement.device, problem: DeviceProblem::Precision { precision } })
}

/// Whether `device` multiplies in the placement's type.
pub(super) fn supports(device: &Device, placement: Placement) -> bool {
    device.supports_dtype(dtype(placement.precision))
}

/// The device as burn names it, without gradients; it has computed something already.
///
/// # Errors
/// If it is not compiled in, not there, or does not work.
pub(crate) fn open(name: DeviceName) -> Result<Device, DeviceError> {
    // Held meanwhile, so that threads which ask for the same device bring it up once.
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(device) = opened.get(&name) {
        return Ok(device.clone());
    }
    let found = of_kind(name)?;
    let device = match found.get(usize::from(name.index())) {
        Some(device) => device.clone(),
        None if found.is_empty() => {
            return Err(DeviceError {
                device: name,
                problem: DeviceProblem::NoneFound { needs: name.needs() },
            });
        }
        None => {
            let problem = DeviceProblem::NoSuchIndex { count: found.len() };
            return Err(DeviceError { device: name, problem });
        }
    };
    try_out(name, &device)?;
    opened.insert(name, device.clone());
    Ok(device)
}

/// The devices of the kind of `name`, in the runtime's order.
pub(super) fn of_kind(name: DeviceName) -> Result<Vec<Device>, DeviceError> {
    #[cfg(any(feature = "cuda", feature = "wgpu"))]
    use burn::tensor::DeviceType;
    match name {
        DeviceName::Cpu => Ok(vec![Device::flex()]),
        #[cfg(feature = "cuda")]
        DeviceName::Cuda(_) => guarded(name, || Device::enumerate(DeviceType::Cuda).into_vec()),
        #[cfg(feature = "wgpu")]
        DeviceName::Wgpu(_) => guarded(name, || Device::enumerate(DeviceType::Wgpu).into_vec()),
        #[cfg(feature = "vulkan")]
        DeviceName::Vulkan(_) => guarded(name, || Device::enumerate(DeviceType::Vulkan).into_vec()),
        #[allow(unreachable_patterns)] // Every kind may be compiled in.
        DeviceName::Cuda(_) | DeviceName::Wgpu(_) | DeviceName::Vulkan(_) => {
            let problem = DeviceProblem::NotCompiled { feature: name.kind() };
            Err(DeviceError { device: name, problem })
        }
    }
}

/// Adds two numbers and reads the sum back.
fn try_out(name: DeviceName, device: &Device) -> Result<(), DeviceError> {
    let read = guarded(name, || {
        let numbers = Tensor::<1>::from_data(TensorData::from([1.0f32, 2.0]), device);
        numbers.sum().try_into_data().map(|sum| sum.iter::<f32>().next())
    })?;
    let reason = match read {
        Ok(Some(3.0)) => return Ok(()),
        Ok(got) => format!("1 + 2 came back as {got:?}"),
        Err(error) => one_line(&error.to_string()),
    };
    Err(DeviceError { device: name, problem: DeviceProblem::Failed { reason } })
}

/// Runs `work` on a device's runtime, whose panics become errors. Never for work on the processor,
/// where a panic is a mistake of this program.
pub(crate) fn guarded<T>(name: DeviceName, work: impl FnOnce() -> T) -> Result<T, DeviceError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let reason = one_line(&message_of(&*payload));
        DeviceError { device: name, problem: DeviceProblem::Failed { reason } }
    })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a panic said.
fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "the runtime panicked without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Precision, is_compiled};

    #[test]
    fn the_processor_is_there_and_computes_in_every_type() {
        for precision in Precision::ALL {
            assert_eq!(check_device(Placement { device: DeviceName::Cpu, precision }), Ok(()));
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        for device in DeviceName::KINDS.into_iter().filter(|kind| !is_compiled(*kind)) {
            let said = check_device(Placement { device, ..Placement::default() }).unwrap_err().to_string();
            let kind = device.kind();
            let expected = format!(
                "device {kind}: this build has no feature `{kind}`; build with --features {kind}, or give \"cpu\""
            );
            assert_eq!(said, expected);
        }
    }

    #[test]
    fn a_number_beyond_the_last_device_is_refused() {
        for device in DeviceName::KINDS.into_iter().filter(|kind| is_compiled(*kind) && !kind.is_cpu()) {
            let problem = check_device(Placement { device: device.at(999), ..Placement::default() })
                .unwrap_err()
                .problem;
            let refused =
                matches!(problem, DeviceProblem::NoSuchIndex { .. } | DeviceProblem::NoneFound { .. });
            assert!(refused, "{problem:?}");
        }
    }

    #[test]
    fn a_panic_of_a_runtime_is_an_error_in_one_line() {
        let failed: Result<(), _> = guarded(DeviceName::Cuda(1), || panic!("out of\n  memory"));
        assert_eq!(failed.unwrap_err().to_string(), "device cuda:1: out of memory");
    }
}
