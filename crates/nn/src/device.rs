//! Devices that networks run on: their names, whether they can be used, and what each of them is.
//!
//! Which ones there are is decided twice: when the crate is compiled (features `cuda`, `wgpu` and
//! `vulkan`) and when it runs (a driver, a GPU). A device is opened through [`open`] alone, which
//! refuses what could not be used; burn itself would panic at the first read. Not here: what runs on
//! a device.

mod describe;
mod error;
mod future;
mod name;
mod open;
mod precision;

pub use describe::{DeviceFacts, devices};
pub use error::{DeviceError, DeviceProblem};
pub use name::{DeviceName, UnknownDevice};
pub use open::check_device;
pub use precision::Precision;

pub(crate) use future::block_on;
pub(crate) use open::{guarded, open};

/// Where a network runs and how it multiplies there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The device.
    pub device: DeviceName,
    /// Type of the factors of matrix products.
    pub precision: Precision,
}
