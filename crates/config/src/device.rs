//! Devices by their names in a config file.
//!
//! Not here: which one each part of a run uses (see `placement`), and whether a device is there (see `deepcfr-nn`).

use deepcfr_core::DeviceName;
use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde::{Serialize, Serializer};

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
