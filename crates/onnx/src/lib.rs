//! Networks in other programs' formats, and ONNX Runtime as an inference engine.
//!
//! [`onnx_model`] and [`safetensors_file`] write a network so that any program can run it.
//! [`OnnxFactory`] runs networks through ONNX Runtime, whose library is loaded at run time: nothing is
//! downloaded or linked when this crate is built. Not here: training, which network of a run is wanted,
//! files.

mod engine;
mod graph;
mod protobuf;
mod runtime;
mod safetensors_file;

pub use engine::{OnnxFactory, ROW_INVARIANT};
pub use graph::{INPUT, IR_VERSION, OPSET, OUTPUT, onnx_model};
pub use runtime::{LIBRARY_VARIABLE, Provider, Runtime, RuntimeError};
pub use safetensors_file::{OUTPUT_SCALE, SafetensorsError, read_safetensors, safetensors_file};
