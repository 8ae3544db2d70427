//! Devices by their names in a config file, and which one each part of a run uses.
//!
//! Not here: whether a device is there (see `deepcfr-nn`).

use deepcfr_nn::{DeviceName, Placement};
use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde::{Serialize, Serializer};

use super::run_config::RunConfig;
use super::words::{Engine, Precision};

impl RunConfig {
    /// Where networks are trained.
    pub fn training_placement(&self) -> Placement {
        Placement { device: self.run.device, precision: self.training.precision.into() }
    }

    /// Where networks answer traversals.
    pub fn inference_placement(&self) -> Placement {
        let follows =
            || if self.inference.engine == Engine::Burn { self.run.device } else { DeviceName::Cpu };
        let device = self.inference.device.unwrap_or_else(follows);
        Placement { device, precision: self.inference.precision.into() }
    }

    /// Where networks answer evaluation.
    pub fn evaluation_placement(&self) -> Placement {
        let traversals = self.inference_placement();
        Placement { device: self.evaluation.device.unwrap_or(traversals.device), ..traversals }
    }
}

impl From<Precision> for deepcfr_nn::Precision {
    fn from(word: Precision) -> Self {
        match word {
            Precision::F32 => Self::F32,
            Precision::Bf16 => Self::Bf16,
            Precision::F16 => Self::F16,
        }
    }
}

/// Writes a device as its name.
pub(super) fn serialize<S: Serializer>(device: &DeviceName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(device)
}

/// Reads a device by its name.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DeviceName, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map_err(|_| {
        unknown(&name, "a device: \"cpu\", \"cuda\", \"cuda:1\", \"wgpu\", \"wgpu:1\" or \"vulkan\"")
    })
}

fn unknown<E: Error>(name: &str, expected: &'static str) -> E {
    E::invalid_value(Unexpected::Str(name), &expected)
}

/// A device, or an empty text for the one that another key names.
pub(super) mod or_empty {
    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(
        device: &Option<DeviceName>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        device.map_or_else(String::new, |device| device.to_string()).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<DeviceName>, D::Error> {
        let name = String::deserialize(deserializer)?;
        if name.is_empty() {
            return Ok(None);
        }
        let expected = "a device, for example \"cpu\", \"cuda:1\", \"wgpu\" or \"vulkan\", or an empty text";
        name.parse().map(Some).map_err(|_| unknown(&name, expected))
    }
}
