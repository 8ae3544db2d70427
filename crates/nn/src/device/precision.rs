//! The number types of a precision, as burn names them.

use burn::tensor::FloatDType;
use deepcfr_core::Precision;

/// The type to cast factors to; `None` where they are kept.
pub(crate) const fn lower(precision: Precision) -> Option<FloatDType> {
    match precision {
        Precision::F32 => None,
        Precision::Bf16 => Some(FloatDType::BF16),
        Precision::F16 => Some(FloatDType::F16),
    }
}

/// As burn's type.
pub(crate) const fn dtype(precision: Precision) -> FloatDType {
    match lower(precision) {
        Some(dtype) => dtype,
        None => FloatDType::F32,
    }
}
