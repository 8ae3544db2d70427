//! Devices by their names in a config file, and which one each part of a run uses.
//!
//! Not here: whether a device is there (see `deepcfr-nn`).

use deepcfr_core::{DeviceName, Placement};
use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde::{Serialize, Serializer};

use super::run_config::RunConfig;
use super::words::{Engine, Precision, Provider};

impl RunConfig {
    /// Where networks are trained.
    pub fn training_placement(&self) -> Placement {
        Placement { device: self.run.device, precision: self.training.precision.into() }
    }

    /// Where networks answer traversals; of the server's devices, the first.
    pub fn inference_placement(&self) -> Placement {
        let follows =
            || if self.inference.engine == Engine::Burn { self.run.device } else { DeviceName::Cpu };
        let named = self.server.devices.first().copied().or(self.inference.device);
        Placement { device: named.unwrap_or_else(follows), precision: self.inference.precision.into() }
    }

    /// Every place where networks answer traversals, at least one: the server's devices if it has a list.
    pub fn inference_placements(&self) -> Vec<Placement> {
        let first = self.inference_placement();
        if self.server.devices.is_empty() {
            return vec![first];
        }
        self.server.devices.iter().map(|&device| Placement { device, ..first }).collect()
    }

    /// Whether every place where networks answer traversals is this processor.
    pub fn answers_on_the_processor(&self) -> bool {
        let elsewhere =
            self.inference.engine == Engine::OnnxRuntime && self.inference.provider != Provider::Cpu;
        !elsewhere && self.inference_placements().iter().all(|placement| placement.device.is_cpu())
    }

    /// Where networks answer evaluation; of the server's devices, the first.
    pub fn evaluation_placement(&self) -> Placement {
        let traversals = self.inference_placement();
        Placement { device: self.evaluation.device.unwrap_or(traversals.device), ..traversals }
    }

    /// Every place where networks answer evaluation, at least one.
    pub fn evaluation_placements(&self) -> Vec<Placement> {
        match self.evaluation.device {
            Some(_) => vec![self.evaluation_placement()],
            None => self.inference_placements(),
        }
    }
}

impl From<Precision> for deepcfr_core::Precision {
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
    named(&String::deserialize(deserializer)?)
}

fn named<E: Error>(name: &str) -> Result<DeviceName, E> {
    let expected = "a device: \"cpu\", \"cuda\", \"cuda:1\", \"wgpu\", \"wgpu:1\" or \"vulkan\"";
    name.parse().map_err(|_| unknown(name, expected))
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

/// Devices in an array.
pub(super) mod list {
    use std::fmt;

    use serde::de::{SeqAccess, Visitor};

    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(
        devices: &[DeviceName],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(devices.iter().map(DeviceName::to_string))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<DeviceName>, D::Error> {
        deserializer.deserialize_seq(Names)
    }

    struct Names;

    impl<'de> Visitor<'de> for Names {
        type Value = Vec<DeviceName>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of devices in brackets, for example [\"cuda:0\", \"cuda:1\"], or []")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Self::Value, A::Error> {
            let mut devices = Vec::new();
            while let Some(name) = names.next_element::<String>()? {
                devices.push(named(&name)?);
            }
            Ok(devices)
        }
    }
}
