//! Weights as bytes, for checkpoints: a versioned little-endian layout.
//!
//! Layout: an 8-byte name that ends in the version, then 32-bit counts and 32-bit floats as the
//! writers below put them. Equal weights give equal bytes (table rows are sorted). Not here: files,
//! compression, checksums of files.

use std::collections::HashMap;

use deepcfr_core::{Activation, Dense, MlpWeights, RowKey, TableWeights, Weights};

const MAGIC: &[u8; 8] = b"dcfrwts1";

/// Why bytes are not weights.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum WeightsError {
    /// The name at the start is another one.
    #[error("the bytes start with {got:?}, expected {expected:?}")]
    Name {
        /// What they should start with.
        expected: String,
        /// What they start with.
        got: String,
    },
    /// The bytes end too early.
    #[error("the bytes end at {len}, more were announced")]
    Truncated {
        /// How many there are.
        len: usize,
    },
    /// Bytes are left over.
    #[error("{left} bytes are left over")]
    LeftOver {
        /// How many.
        left: usize,
    },
    /// A value that the layout does not know.
    #[error("{what} cannot be {got}")]
    Value {
        /// What the value is for.
        what: &'static str,
        /// The value.
        got: u64,
    },
}

/// The weights as bytes.
pub fn encode_weights(weights: &Weights) -> Vec<u8> {
    let mut writer = Writer::new(MAGIC);
    match weights {
        Weights::Mlp(mlp) => {
            writer.u32(0);
            writer.u32(match mlp.activation {
                Activation::Relu => 0,
                Activation::Gelu => 1,
            });
            writer.floats(&[mlp.output_scale]);
            writer.layers(&mlp.layers);
        }
        Weights::Table(table) => {
            writer.u32(1);
            writer.table(table);
        }
    }
    writer.finish()
}

/// The weights that [`encode_weights`] wrote.
///
/// # Errors
/// If the bytes are damaged or of another version.
pub fn decode_weights(bytes: &[u8]) -> Result<Weights, WeightsError> {
    let mut reader = Reader::new(bytes, MAGIC)?;
    let weights = match reader.u32()? {
        0 => Weights::Mlp(reader.mlp()?),
        1 => Weights::Table(reader.table()?),
        got => return Err(WeightsError::Value { what: "the kind of weights", got: got.into() }),
    };
    reader.finish()?;
    Ok(weights)
}

/// Appends values in the layout.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn new(magic: &[u8; 8]) -> Self {
        Self(magic.to_vec())
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    pub(crate) fn f64(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).expect("layers and tables have fewer than 2^32 elements"));
    }

    /// Their number, then the floats.
    pub(crate) fn floats(&mut self, floats: &[f32]) {
        self.count(floats.len());
        self.0.extend(floats.iter().flat_map(|value| value.to_le_bytes()));
    }

    pub(crate) fn layers(&mut self, layers: &[Dense]) {
        self.count(layers.len());
        for dense in layers {
            self.count(dense.inputs);
            self.count(dense.outputs);
            self.floats(&dense.weight);
            self.floats(&dense.bias);
        }
    }

    fn table(&mut self, table: &TableWeights) {
        self.count(table.inputs);
        self.count(table.outputs);
        self.count(table.rows.len());
        let bits = |row: &[f32]| row.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let mut rows: Vec<(Vec<f32>, _)> =
            table.rows.iter().map(|(key, outputs)| (key.values().collect(), outputs)).collect();
        rows.sort_by_cached_key(|(features, _)| bits(features));
        for (features, outputs) in rows {
            self.floats(&features);
            self.floats(outputs);
        }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Takes values in the layout.
pub(crate) struct Reader<'a> {
    len: usize,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], magic: &[u8; 8]) -> Result<Self, WeightsError> {
        let mut reader = Self { len: bytes.len(), rest: bytes };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let got = reader.take(magic.len())?;
        if got != magic {
            return Err(WeightsError::Name { expected: text(magic), got: text(got) });
        }
        Ok(reader)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], WeightsError> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or(WeightsError::Truncated { len: self.len })?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WeightsError> {
        Ok(self.take(N)?.try_into().expect("as many bytes as were asked for"))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, WeightsError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn f64(&mut self) -> Result<f64, WeightsError> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// A number of items of at least `item_bytes` each: no more than the bytes can hold, so that
    /// damaged counts cannot ask for memory.
    fn count(&mut self, item_bytes: usize) -> Result<usize, WeightsError> {
        let count = self.u32()? as usize;
        if count > self.rest.len() / item_bytes {
            Err(WeightsError::Truncated { len: self.len })
        } else {
            Ok(count)
        }
    }

    pub(crate) fn floats(&mut self) -> Result<Vec<f32>, WeightsError> {
        let count = self.count(4)?;
        let (words, _) = self.take(4 * count)?.as_chunks();
        Ok(words.iter().map(|&word| f32::from_le_bytes(word)).collect())
    }

    fn floats_of(&mut self, what: &'static str, len: usize) -> Result<Vec<f32>, WeightsError> {
        let floats = self.floats()?;
        if floats.len() == len {
            Ok(floats)
        } else {
            Err(WeightsError::Value { what, got: floats.len() as u64 })
        }
    }

    pub(crate) fn layers(&mut self) -> Result<Vec<Dense>, WeightsError> {
        let count = self.count(16)?;
        let layers = (0..count).map(|_| {
            let (inputs, outputs) = (self.u32()? as usize, self.u32()? as usize);
            let weight = self.floats_of("the number of weights", inputs * outputs)?;
            let bias = self.floats_of("the number of biases", outputs)?;
            Ok(Dense { inputs, outputs, weight, bias })
        });
        layers.collect()
    }

    fn mlp(&mut self) -> Result<MlpWeights, WeightsError> {
        let activation = match self.u32()? {
            0 => Activation::Relu,
            1 => Activation::Gelu,
            got => return Err(WeightsError::Value { what: "the activation", got: got.into() }),
        };
        let output_scale = self.floats_of("the number of output scales", 1)?[0];
        Ok(MlpWeights { activation, output_scale, layers: self.layers()? })
    }

    fn table(&mut self) -> Result<TableWeights, WeightsError> {
        let (inputs, outputs) = (self.u32()? as usize, self.u32()? as usize);
        let count = self.count(8)?;
        let rows = (0..count).map(|_| {
            let features = self.floats_of("the number of features", inputs)?;
            Ok((RowKey::new(&features), self.floats_of("the number of outputs", outputs)?.into()))
        });
        Ok(TableWeights { inputs, outputs, rows: rows.collect::<Result<HashMap<_, _>, _>>()? })
    }

    pub(crate) fn finish(self) -> Result<(), WeightsError> {
        if self.rest.is_empty() { Ok(()) } else { Err(WeightsError::LeftOver { left: self.rest.len() }) }
    }
}
