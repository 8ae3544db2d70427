//! Why a device cannot be used.

use deepcfr_core::{LearnError, ModelError};

use super::DeviceName;

/// A device that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("device {device}: {problem}")]
pub struct DeviceError {
    /// The device that was asked for.
    pub device: DeviceName,
    /// What is wrong with it.
    pub problem: DeviceProblem,
}

/// What is wrong with a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceProblem {
    /// The build lacks the feature.
    #[error("this build has no feature `{feature}`; build with --features {feature}, or give \"cpu\"")]
    NotCompiled {
        /// The feature, of every crate from `deepcfr-nn` to `deepcfr-cli`.
        feature: &'static str,
    },
    /// No device of the kind was found.
    #[error("none found; it needs {needs}, or give \"cpu\"")]
    NoneFound {
        /// Hardware and driver libraries.
        needs: &'static str,
    },
    /// The number is too high.
    #[error("this machine has {count} of that kind, numbered from 0; `deepcfr devices` lists them")]
    NoSuchIndex {
        /// How many there are.
        count: usize,
    },
    /// The device does not compute in the type that was asked for.
    #[error("it does not compute in {precision}; give \"f32\"")]
    Precision {
        /// The type's name.
        precision: &'static str,
    },
    /// The device is there and its runtime failed.
    #[error("{reason}")]
    Failed {
        /// The runtime's own words, in one line.
        reason: String,
    },
}

impl From<DeviceError> for ModelError {
    fn from(error: DeviceError) -> Self {
        Self::Device { device: error.device.kind(), reason: error.problem.to_string() }
    }
}

impl From<DeviceError> for LearnError {
    fn from(error: DeviceError) -> Self {
        Self::Device { device: error.device.kind(), reason: error.problem.to_string() }
    }
}
