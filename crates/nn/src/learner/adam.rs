//! Adam and AdamW on plain slices, one pass over the parameters a step; the gradient's norm.
//!
//! On the CPU, gradients are host memory already, and one fused pass costs a fraction of a chain of
//! tensor operations. Not here: gradients themselves.

use deepcfr_core::Dense;
use pulp::{Arch, Simd, WithSimd};

use super::OptimizerKind;

pub(super) const BETA_1: f32 = 0.9;
pub(super) const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// The figures of a step that are the same for all parameters: the corrections of both moments are in
/// the step size and in epsilon.
pub(super) struct Rates {
    pub(super) step_size: f32,
    pub(super) epsilon: f32,
    /// What a weight is multiplied by; biases do not decay.
    pub(super) decay: f32,
}

impl Rates {
    /// Those of step `time`, from 1.
    pub(super) fn at(time: u32, kind: OptimizerKind, learning_rate: f64) -> Self {
        let weight_decay = match kind {
            OptimizerKind::Adam => 0.0,
            OptimizerKind::AdamW { weight_decay } => weight_decay,
        };
        // α·(m/c₁)/(√(v/c₂) + ε) = (α·√c₂/c₁)·m/(√v + ε·√c₂): divided out once a step instead of once a parameter
        // (Kingma and Ba 2015, end of section 2, with ε scaled too). In 64 bits, since 1 − β₂ᵗ of the first
        // steps is a small difference.
        let correction = |beta: f32| 1.0 - f64::from(beta).powf(f64::from(time));
        let correction_2 = correction(BETA_2).sqrt();
        Self {
            step_size: (learning_rate * correction_2 / correction(BETA_1)) as f32,
            epsilon: (f64::from(EPSILON) * correction_2) as f32,
            decay: 1.0 - learning_rate as f32 * weight_decay,
        }
    }
}

/// The optimiser's state: a first and a second moment for every parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Adam {
    /// Steps taken.
    pub(super) time: u32,
    /// A weight and a bias per layer.
    pub(super) first: Vec<Vec<f32>>,
    /// As `first`.
    pub(super) second: Vec<Vec<f32>>,
}

impl Adam {
    /// The state before the first step.
    pub(super) fn new(layers: &[Dense]) -> Self {
        let zeros: Vec<_> = layers
            .iter()
            .flat_map(|dense| [&dense.weight, &dense.bias])
            .map(|p| vec![0.0; p.len()])
            .collect();
        Self { time: 0, first: zeros.clone(), second: zeros }
    }

    /// One step along `gradients`, each multiplied by `scale`.
    pub(super) fn step(
        &mut self,
        kind: OptimizerKind,
        learning_rate: f64,
        scale: f32,
        layers: &mut [Dense],
        gradients: &[Vec<f32>],
    ) {
        self.time += 1;
        let rates = Rates::at(self.time, kind, learning_rate);
        let parameters = layers.iter_mut().flat_map(|dense| [&mut dense.weight, &mut dense.bias]);
        let moments = self.first.iter_mut().zip(&mut self.second);
        for (index, ((parameters, gradient), (first, second))) in
            parameters.zip(gradients).zip(moments).enumerate()
        {
            let decay = if index % 2 == 0 { rates.decay } else { 1.0 };
            Arch::new().dispatch(Update {
                parameters,
                gradient,
                first,
                second,
                scale,
                step_size: rates.step_size,
                epsilon: rates.epsilon,
                decay,
            });
        }
    }
}

struct Update<'a> {
    parameters: &'a mut [f32],
    gradient: &'a [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    scale: f32,
    step_size: f32,
    epsilon: f32,
    decay: f32,
}

impl WithSimd for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let moments = self.first.iter_mut().zip(self.second);
        for ((parameter, gradient), (first, second)) in
            self.parameters.iter_mut().zip(self.gradient).zip(moments)
        {
            let gradient = gradient * self.scale;
            *first = BETA_1 * *first + (1.0 - BETA_1) * gradient;
            *second = BETA_2 * *second + (1.0 - BETA_2) * gradient * gradient;
            *parameter = *parameter * self.decay - self.step_size * *first / (second.sqrt() + self.epsilon);
        }
    }
}

/// The Euclidean norm of all gradients together, summed in a fixed order.
pub(super) fn global_norm(gradients: &[Vec<f32>]) -> f64 {
    gradients.iter().map(|gradient| Arch::new().dispatch(SquareSum(gradient))).sum::<f64>().sqrt()
}

struct SquareSum<'a>(&'a [f32]);

impl WithSimd for SquareSum<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> f64 {
        // Eight sums whatever the width of vectors: the order of additions, and so the norm, is the same on
        // every processor.
        let mut sums = [0.0f64; 8];
        let chunks = self.0.chunks_exact(sums.len());
        let rest: f64 = chunks.remainder().iter().map(|&value| f64::from(value) * f64::from(value)).sum();
        for chunk in chunks {
            for (sum, &value) in sums.iter_mut().zip(chunk) {
                *sum += f64::from(value) * f64::from(value);
            }
        }
        sums.iter().sum::<f64>() + rest
    }
}
