//! Computes a graph of `Gemm`, `Relu`, `Erf`, `Add`, `Mul` and `Div` as ONNX 1.12 (operators 17) defines
//! them, in double precision, and refuses everything else.
//!
//! Not here: the format of files (see `messages`).

use std::collections::HashMap;

use super::messages::{Graph, Initializer, Model, Node, ValueInfo};

/// The element type f32, and the attribute type of a float.
const FLOAT: i32 = 1;
const FLOAT_ATTRIBUTE: i32 = 1;

/// A value of the graph, row-major.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

/// Why a graph is not computed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// The file lacks a part.
    Missing(&'static str),
    /// An operator that is not one of the six, or has another number of inputs or outputs.
    Operator(String),
    /// An attribute that the operator does not have, or of another type.
    Attribute(String),
    /// An initializer whose type, shape and bytes do not agree.
    Tensor(String),
    /// A value that no earlier node computes.
    UnknownValue(String),
    /// A value that is computed twice.
    Twice(String),
    /// Shapes that the operator cannot take together.
    Shapes { operator: String, shapes: Vec<Vec<usize>> },
    /// A graph's input or output that is not as it was declared.
    Declared { name: String, got: Vec<usize> },
}

type Values = HashMap<String, Tensor>;

/// The output of a model with one input and one output.
pub(crate) fn evaluate(model: &Model, input: Tensor) -> Result<Tensor, Refusal> {
    let graph = model.graph.as_ref().ok_or(Refusal::Missing("graph"))?;
    let ([declared_input], [declared_output]) = (&graph.input[..], &graph.output[..]) else {
        return Err(Refusal::Missing("one input and one output"));
    };
    check_declared(declared_input, &input)?;
    let mut values = initial_values(graph)?;
    define(&mut values, declared_input.name(), input)?;
    for node in &graph.node {
        let [output] = &node.output[..] else { return Err(Refusal::Operator(node.op_type().into())) };
        let value = compute(node, &values)?;
        define(&mut values, output, value)?;
    }
    let unknown = || Refusal::UnknownValue(declared_output.name().into());
    let output = values.remove(declared_output.name()).ok_or_else(unknown)?;
    check_declared(declared_output, &output)?;
    Ok(output)
}

fn define(values: &mut Values, name: &str, value: Tensor) -> Result<(), Refusal> {
    match values.insert(name.into(), value) {
        None => Ok(()),
        Some(_) => Err(Refusal::Twice(name.into())),
    }
}

fn initial_values(graph: &Graph) -> Result<Values, Refusal> {
    let mut values = Values::new();
    for initializer in &graph.initializer {
        let bad = || Refusal::Tensor(initializer.name().into());
        define(&mut values, initializer.name(), constant(initializer).ok_or_else(bad)?)?;
    }
    Ok(values)
}

fn constant(initializer: &Initializer) -> Option<Tensor> {
    let lengths = initializer.dims.iter().map(|&length| usize::try_from(length).ok());
    let shape = lengths.collect::<Option<Vec<usize>>>()?;
    let (floats, rest) = initializer.raw_data().as_chunks::<4>();
    let count: usize = shape.iter().product();
    let fits = initializer.data_type() == FLOAT && rest.is_empty() && floats.len() == count;
    let values = floats.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))).collect();
    fits.then_some(Tensor { shape, values })
}

/// Declared lengths must be the value's; a named one may be any.
fn check_declared(declared: &ValueInfo, value: &Tensor) -> Result<(), Refusal> {
    let tensor = declared.r#type.as_ref().and_then(|of| of.tensor_type.as_ref());
    let tensor = tensor.ok_or(Refusal::Missing("type"))?;
    let dimensions = &tensor.shape.as_ref().ok_or(Refusal::Missing("shape"))?.dim;
    let fits = dimensions
        .iter()
        .zip(&value.shape)
        .all(|(dimension, &length)| dimension.dim_param.is_some() || dimension.dim_value() == length as i64);
    if fits && dimensions.len() == value.shape.len() && tensor.elem_type() == FLOAT {
        return Ok(());
    }
    Err(Refusal::Declared { name: declared.name().into(), got: value.shape.clone() })
}

fn compute(node: &Node, values: &Values) -> Result<Tensor, Refusal> {
    let known = |name: &String| values.get(name).ok_or_else(|| Refusal::UnknownValue(name.clone()));
    let inputs = node.input.iter().map(known).collect::<Result<Vec<_>, _>>()?;
    let attributes = attributes(node)?;
    let value = match (node.op_type(), &inputs[..]) {
        ("Gemm", [a, b, c]) => gemm(a, b, c, attributes),
        ("Relu", [x]) => Some(map(x, |x| x.max(0.0))),
        ("Erf", [x]) => Some(map(x, erf)),
        ("Add", [a, b]) => elementwise(a, b, |a, b| a + b),
        ("Mul", [a, b]) => elementwise(a, b, |a, b| a * b),
        ("Div", [a, b]) => elementwise(a, b, |a, b| a / b),
        (other, _) => return Err(Refusal::Operator(other.into())),
    };
    let shapes = || inputs.iter().map(|input| input.shape.clone()).collect();
    value.ok_or_else(|| Refusal::Shapes { operator: node.op_type().into(), shapes: shapes() })
}

/// `alpha` and `beta`, which only `Gemm` has.
fn attributes(node: &Node) -> Result<[f64; 2], Refusal> {
    let mut scales = [1.0; 2];
    for attribute in &node.attribute {
        let place = ["alpha", "beta"].iter().position(|&name| name == attribute.name());
        let is_float = attribute.r#type() == FLOAT_ATTRIBUTE;
        match (place, attribute.f) {
            (Some(place), Some(value)) if is_float && node.op_type() == "Gemm" => {
                scales[place] = value.into()
            }
            _ => return Err(Refusal::Attribute(attribute.name().into())),
        }
    }
    Ok(scales)
}

/// `alpha·A·B + beta·C`, where `C` is one row for all.
fn gemm(a: &Tensor, b: &Tensor, c: &Tensor, [alpha, beta]: [f64; 2]) -> Option<Tensor> {
    let ([rows, inner], [height, columns], [length]) = (&a.shape[..], &b.shape[..], &c.shape[..]) else {
        return None;
    };
    if inner != height || columns != length {
        return None;
    }
    let element = |row: usize, column: usize| {
        let terms = (0..*inner).map(|k| a.values[row * inner + k] * b.values[k * columns + column]);
        alpha * terms.sum::<f64>() + beta * c.values[column]
    };
    let values = (0..*rows).flat_map(|row| (0..*columns).map(move |column| (row, column)));
    let values = values.map(|(row, column)| element(row, column)).collect();
    Some(Tensor { shape: vec![*rows, *columns], values })
}

fn map(x: &Tensor, of: impl Fn(f64) -> f64) -> Tensor {
    Tensor { shape: x.shape.clone(), values: x.values.iter().map(|&value| of(value)).collect() }
}

/// Equal shapes, or a scalar on the right: all the broadcasting that is needed.
fn elementwise(a: &Tensor, b: &Tensor, of: impl Fn(f64, f64) -> f64) -> Option<Tensor> {
    match (&b.values[..], b.shape.is_empty()) {
        ([scalar], true) => Some(map(a, |value| of(value, *scalar))),
        _ if a.shape == b.shape => {
            let values = a.values.iter().zip(&b.values).map(|(&a, &b)| of(a, b)).collect();
            Some(Tensor { shape: a.shape.clone(), values })
        }
        _ => None,
    }
}

/// By the series `2/√π·exp(−x²)·Σ 2ⁿ·x²ⁿ⁺¹/(2n + 1)!!` (Abramowitz and Stegun 1964, 7.1.6), whose terms
/// are all of one sign. From 6 on it is 1 in double precision.
fn erf(x: f64) -> f64 {
    if x.abs() >= 6.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum
}
