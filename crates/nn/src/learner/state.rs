//! What a warm-started learner carries from fit to fit, and its bytes.
//!
//! A plain layout of our own in place of burn's records: the parameters live outside burn, so that no
//! parameter identities have to be kept for an optimiser to find its state again.

use deepcfr_core::{Dense, LearnError};

use super::adam::Adam;
use crate::codec::{Reader, Writer};

const MAGIC: &[u8; 8] = b"dcfrlrn1";

/// Weights and optimiser state after a fit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Carried {
    /// The parameters, in units of `target_rms`.
    pub(super) layers: Vec<Dense>,
    /// The optimiser.
    pub(super) adam: Adam,
    /// The unit of the network's outputs, in points.
    pub(super) target_rms: f64,
}

/// The bytes of what is carried, if anything.
pub(super) fn encode(carried: Option<&Carried>) -> Vec<u8> {
    let mut writer = Writer::new(MAGIC);
    writer.u32(u32::from(carried.is_some()));
    if let Some(carried) = carried {
        writer.f64(carried.target_rms);
        writer.layers(&carried.layers);
        writer.u32(carried.adam.time);
        carried.adam.first.iter().chain(&carried.adam.second).for_each(|moments| writer.floats(moments));
    }
    writer.finish()
}

/// Reads what [`encode`] wrote, for layers of the shapes of `expected`.
pub(super) fn decode(bytes: &[u8], expected: &[Dense]) -> Result<Option<Carried>, LearnError> {
    decode_any(bytes, expected).map_err(|reason| LearnError::State { reason })
}

fn decode_any(bytes: &[u8], expected: &[Dense]) -> Result<Option<Carried>, String> {
    let mut reader = Reader::new(bytes, MAGIC).map_err(|error| error.to_string())?;
    let carried = match reader.u32().map_err(|error| error.to_string())? {
        0 => None,
        _ => Some(decode_carried(&mut reader, expected)?),
    };
    reader.finish().map_err(|error| error.to_string())?;
    Ok(carried)
}

fn decode_carried(reader: &mut Reader<'_>, expected: &[Dense]) -> Result<Carried, String> {
    let text = |error: crate::WeightsError| error.to_string();
    let target_rms = reader.f64().map_err(text)?;
    let layers = reader.layers().map_err(text)?;
    let shapes =
        |layers: &[Dense]| -> Vec<_> { layers.iter().map(|dense| (dense.inputs, dense.outputs)).collect() };
    if shapes(&layers) != shapes(expected) {
        return Err(format!("layers are {:?}, expected {:?}", shapes(&layers), shapes(expected)));
    }
    let mut adam = Adam { time: reader.u32().map_err(text)?, ..Adam::new(&layers) };
    for moments in adam.first.iter_mut().chain(&mut adam.second) {
        let len = moments.len();
        *moments = reader.floats().map_err(text)?;
        if moments.len() != len {
            return Err(format!("a moment has {} elements, expected {len}", moments.len()));
        }
    }
    Ok(Carried { layers, adam, target_rms })
}
