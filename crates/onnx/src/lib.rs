//! Networks in other programs' formats, and ONNX Runtime as an inference engine.
//!
//! [`onnx_model`] and [`safetensors_file`] write a network so that any program can run it.
//! [`OnnxFactory`] runs networks through ONNX Runtime, whose library is loaded at run time: nothing is
//! downloaded or linked when this crate is built. Not here: training, which network of a run is wanted,
//! files.
//!
//! ```
//! use deepcfr_core::{Activation, Dense, MlpWeights};
//! use deepcfr_onnx::{onnx_model, read_safetensors, safetensors_file};
//!
//! let dense = |inputs, outputs| {
//!     Dense { inputs, outputs, weight: vec![0.5; inputs * outputs], bias: vec![0.0; outputs] }
//! };
//! let layers = vec![dense(3, 8), dense(8, 2)];
//! let network = MlpWeights { layers, activation: Activation::Relu, output_scale: 10.0 };
//!
//! let onnx: Vec<u8> = onnx_model(&network, &[("game", "kuhn")])?;
//! assert!(onnx.len() > 4 * (3 * 8 + 8 + 8 * 2 + 2));
//! let safetensors: Vec<u8> = safetensors_file(&network, ("game", "kuhn"))?;
//! assert_eq!(read_safetensors(&safetensors, Activation::Relu)?, network);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod engine;
mod graph;
mod protobuf;
mod runtime;
mod safetensors_file;

pub use engine::{OnnxFactory, ROW_INVARIANT};
pub use graph::{INPUT, IR_VERSION, OPSET, OUTPUT, onnx_model};
pub use runtime::{LIBRARY_VARIABLE, Provider, Runtime, RuntimeError};
pub use safetensors_file::{OUTPUT_SCALE, SafetensorsError, read_safetensors, safetensors_file};
