//! Which device each part of a run uses.
//!
//! Not here: how devices are written (see `device`), and whether a device is there (see `deepcfr-nn`).

use deepcfr_core::{DeviceName, Placement};

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
