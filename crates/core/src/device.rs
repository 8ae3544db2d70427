//! Names of the devices that networks run on, and of the numbers that they multiply in: plain data, as it
//! stands in a configuration.
//!
//! Not here: whether this build can reach a device and whether it is there (see `deepcfr-nn`).

use std::fmt;
use std::str::FromStr;

/// A device by its name: `cpu`, `cuda`, `cuda:1`, `wgpu`, `wgpu:1`, `vulkan` or `vulkan:1`. Without a
/// number it is the first of its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeviceName {
    /// The processor.
    #[default]
    Cpu,
    /// An NVIDIA GPU, numbered from 0.
    Cuda(u16),
    /// A GPU through whichever graphics interface serves it best, numbered from 0.
    Wgpu(u16),
    /// A GPU through Vulkan, numbered from 0.
    Vulkan(u16),
}

impl DeviceName {
    /// The first device of every kind.
    pub const KINDS: [Self; 4] = [Self::Cpu, Self::Cuda(0), Self::Wgpu(0), Self::Vulkan(0)];

    /// The kind of device in one word.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda(_) => "cuda",
            Self::Wgpu(_) => "wgpu",
            Self::Vulkan(_) => "vulkan",
        }
    }

    /// Its place among the devices of its kind.
    pub const fn index(self) -> u16 {
        match self {
            Self::Cpu => 0,
            Self::Cuda(index) | Self::Wgpu(index) | Self::Vulkan(index) => index,
        }
    }

    /// The device of the same kind at place `index`; there is one processor.
    #[must_use]
    pub const fn at(self, index: u16) -> Self {
        match self {
            Self::Cpu => Self::Cpu,
            Self::Cuda(_) => Self::Cuda(index),
            Self::Wgpu(_) => Self::Wgpu(index),
            Self::Vulkan(_) => Self::Vulkan(index),
        }
    }

    /// Whether this is the processor.
    pub const fn is_cpu(self) -> bool {
        matches!(self, Self::Cpu)
    }

    /// What devices of the kind need from the machine.
    pub const fn needs(self) -> &'static str {
        match self {
            Self::Cpu => "nothing",
            Self::Cuda(_) => "an NVIDIA GPU and its driver's library libcuda.so.1",
            Self::Wgpu(_) => {
                "a GPU with a Vulkan, Metal or DirectX 12 driver (on Linux libvulkan.so.1 and a driver for it)"
            }
            Self::Vulkan(_) => "a GPU with a Vulkan driver (on Linux libvulkan.so.1 and a driver for it)",
        }
    }
}

/// Type of the factors of matrix products. Parameters, optimiser, sums of biases, activations and
/// losses are 32-bit whatever it is, and so are saved weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32-bit floats throughout.
    #[default]
    F32,
    /// Brain floats: the range of 32-bit floats with 8 significant bits.
    Bf16,
    /// Half floats: 11 significant bits, 6·10⁻⁸ to 65,504. Losses are scaled while fitting.
    F16,
}

impl Precision {
    /// Every type.
    pub const ALL: [Self; 3] = [Self::F32, Self::Bf16, Self::F16];

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
        }
    }
}

/// Where a network runs and how it multiplies there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The device.
    pub device: DeviceName,
    /// Type of the factors of matrix products.
    pub precision: Precision,
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index() {
            0 => f.write_str(self.kind()),
            index => write!(f, "{}:{index}", self.kind()),
        }
    }
}

/// A name that no device has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such device; give \"cpu\", \"cuda\", \"cuda:1\", \"wgpu\", \"wgpu:1\" or \"vulkan\"")]
pub struct UnknownDevice;

impl FromStr for DeviceName {
    type Err = UnknownDevice;

    fn from_str(name: &str) -> Result<Self, UnknownDevice> {
        let (kind, index) = match name.split_once(':') {
            None => (name, Some(0)),
            // A sign or a second colon is no number of a device.
            Some((kind, digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                (kind, digits.parse().ok())
            }
            Some((kind, _)) => (kind, None),
        };
        let known = Self::KINDS.into_iter().find(|known| known.kind() == kind).ok_or(UnknownDevice)?;
        let index = index.ok_or(UnknownDevice)?;
        if known.is_cpu() && kind != name { Err(UnknownDevice) } else { Ok(known.at(index)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_being_written_and_anything_else_is_refused() {
        for (name, device) in [
            ("cpu", DeviceName::Cpu),
            ("cuda", DeviceName::Cuda(0)),
            ("cuda:3", DeviceName::Cuda(3)),
            ("wgpu:1", DeviceName::Wgpu(1)),
            ("vulkan", DeviceName::Vulkan(0)),
        ] {
            assert_eq!(name.parse(), Ok(device));
            assert_eq!(device.to_string(), name);
        }
        assert_eq!("cuda:0".parse(), Ok(DeviceName::Cuda(0)));
        for name in
            ["", "gpu", "CUDA", "cpu:0", "cuda:", "cuda:-1", "cuda:+1", "cuda:1:2", "cuda:70000", " cpu"]
        {
            assert_eq!(name.parse::<DeviceName>(), Err(UnknownDevice), "{name}");
        }
    }
}
