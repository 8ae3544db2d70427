//! Number types that networks multiply in.

use burn::tensor::FloatDType;

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

    /// The type to cast factors to; `None` where they are kept.
    pub(crate) const fn lower(self) -> Option<FloatDType> {
        match self {
            Self::F32 => None,
            Self::Bf16 => Some(FloatDType::BF16),
            Self::F16 => Some(FloatDType::F16),
        }
    }

    /// As burn's type.
    pub(crate) const fn dtype(self) -> FloatDType {
        match self.lower() {
            Some(dtype) => dtype,
            None => FloatDType::F32,
        }
    }
}
