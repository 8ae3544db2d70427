//! Devices that networks run on: their names, whether they can be used, and what each of them is.
//!
//! Which ones there are is decided twice: when the crate is compiled (features `cuda`, `wgpu` and
//! `vulkan`) and when it runs (a driver, a GPU). A device is opened through [`open`] alone, which
//! refuses what could not be used; burn itself would panic at the first read. Not here: what runs on
//! a device.

mod describe;
mod error;
mod future;
mod open;
mod precision;

pub use describe::{DeviceFacts, devices};
pub use error::{DeviceError, DeviceProblem};
pub use open::check_device;

pub(crate) use deepcfr_core::{DeviceName, Placement, Precision};
pub(crate) use future::block_on;
pub(crate) use open::{guarded, open};
pub(crate) use precision::{dtype, lower};

/// Whether this build can reach devices of the kind of `device`.
pub const fn is_compiled(device: DeviceName) -> bool {
    match device {
        DeviceName::Cpu => true,
        DeviceName::Cuda(_) => cfg!(feature = "cuda"),
        DeviceName::Wgpu(_) => cfg!(feature = "wgpu"),
        DeviceName::Vulkan(_) => cfg!(feature = "vulkan"),
    }
}
