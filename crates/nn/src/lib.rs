//! Networks: training them, running them, and their bytes.
//!
//! The only crate that names burn. Not here: how samples are drawn, when fits happen, anything about
//! games; the crate logs nothing and touches no files.
//!
//! ```
//! use deepcfr_core::{ActionSet, FitContext, Learner, ModelFactory, NetId, SampleMeta, SampleShape, SampleSource};
//! use deepcfr_nn::{LearnerConfig, MlpLearner, NativeFactory, StepRule};
//!
//! /// Samples whose first action is worth what their one feature says, and whose second the negative.
//! struct Line;
//!
//! impl SampleSource for Line {
//!     fn shape(&self) -> SampleShape {
//!         SampleShape { num_features: 1, num_actions: 2 }
//!     }
//!     fn len(&self) -> usize {
//!         64
//!     }
//!     fn read(&self, index: usize, features: &mut [f32], targets: &mut [f32]) -> SampleMeta {
//!         let value = index as f32 / 32.0 - 1.0;
//!         features[0] = value;
//!         targets.copy_from_slice(&[value, -value]);
//!         SampleMeta { legal: ActionSet::first(2), iteration: 1 }
//!     }
//! }
//!
//! let plain = LearnerConfig::plain(Line.shape(), 16, 1);
//! let config = LearnerConfig { learning_rate: 0.01, batch_size: 64, steps: StepRule::Fixed(500), ..plain };
//! let (weights, report) = MlpLearner::new(config)?.fit(&Line, FitContext { seed: 7, iteration: 1 })?;
//! println!("a loss of {:.4} after {} steps", report.loss, report.steps);
//!
//! // Engines run what was learnt: this one is the processor's own.
//! let mut model = NativeFactory::new(1, 2, 1).open()?;
//! model.load(NetId(0), &weights)?;
//! let mut outputs = [0.0; 2];
//! model.forward(NetId(0), &[0.5], &mut outputs)?;
//! assert!((outputs[0] - 0.5).abs() < 0.2 && (outputs[1] + 0.5).abs() < 0.2, "{outputs:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod burn_model;
mod codec;
mod device;
mod learner;
mod measure;
mod native;
mod network;
mod peak;
mod pool;
mod shape;

pub use burn_model::{BurnFactory, WarmUp, warm_up_so_far};
pub use codec::{WeightsError, decode_weights, encode_weights};
pub use device::{DeviceError, DeviceFacts, DeviceProblem, check_device, devices, is_compiled};
// Plain data of the seams, which every caller of this crate names.
pub use deepcfr_core::{DeviceName, Placement, Precision, UnknownDevice, Weighting};
pub use learner::{Initialisation, LearnerConfig, Loss, MlpLearner, OptimizerKind, StepRule};
pub use measure::{CallTimes, DeviceClock, ForwardProbe};
pub use native::NativeFactory;
pub use peak::{MatrixProduct, multiply_adds, read_all};
