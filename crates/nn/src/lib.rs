//! Networks: training them, running them, and their bytes.
//!
//! The only crate that names burn. Not here: how samples are drawn, when fits happen, anything about
//! games; the crate logs nothing and touches no files.

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
