//! Checkpoints: a container of named, checksummed byte sections, and the folder that keeps them.
//!
//! Not here: what the sections hold beside the header (networks, memories and counters are written
//! by the trainer), and when checkpoints are taken.
//!
//! # Format, version 2 (integers little-endian)
//!
//! | part | bytes |
//! |---|---|
//! | head | magic `DCFRCKPT`, version `u32` |
//! | sections | payloads, one after another, the `header` first |
//! | directory | per section: name length `u16`, name, offset `u64`, length `u64`, CRC-32C `u32` |
//! | foot | directory offset `u64`, directory length `u32`, CRC-32C of head and directory `u32`, magic `DCFREND.` |
//!
//! The directory stands at the end so that sections of unknown length stream to disk in one pass,
//! and a cut anywhere loses the foot. The sections tile the file from head to directory, so every
//! byte of a file is covered by a checksum or compared with a fixed value.
//!
//! Version 1 is the same container with the numbers of all samples in full; it is still read.

mod error;
mod header;
mod reader;
mod store;
mod writer;

pub use error::CheckpointError;
pub use header::CheckpointHeader;
pub use reader::{CheckpointReader, SectionReader};
pub(crate) use store::iteration_of;
pub use store::{CheckpointStore, Keep};
pub use writer::CheckpointWriter;

const MAGIC: &[u8; 8] = b"DCFRCKPT";
const END_MAGIC: &[u8; 8] = b"DCFREND.";
const VERSION: u32 = 2;
/// The earliest version that is read.
const OLDEST_VERSION: u32 = 1;
const HEAD_LEN: u64 = 12;
const FOOT_LEN: u64 = 24;
const HEADER_SECTION: &str = "header";

/// The head of a file of `version`.
fn head(version: u32) -> [u8; HEAD_LEN as usize] {
    let mut head = [0; HEAD_LEN as usize];
    head[..8].copy_from_slice(MAGIC);
    head[8..].copy_from_slice(&version.to_le_bytes());
    head
}

/// Where a section lies in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    offset: u64,
    len: u64,
    checksum: u32,
}

#[cfg(test)]
mod tests;
