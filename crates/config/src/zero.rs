//! Serde forms of optional numbers for which a config file writes 0: "off", "no limit", "auto".
//!
//! Not here: which keys are such.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes `None` as 0.
pub(super) fn serialize<T, S>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Default + Serialize,
    S: Serializer,
{
    value.unwrap_or_default().serialize(serializer)
}

/// Reads 0 as `None`.
pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Default + PartialEq + Deserialize<'de>,
    D: Deserializer<'de>,
{
    let value = T::deserialize(deserializer)?;
    Ok((value != T::default()).then_some(value))
}
