//! Small writes, gathered into large ones. Not here: what is written.

use std::io::{self, Write};

/// Bytes are handed to the writer in pieces of about this size.
const PIECE: usize = 1 << 16;

/// Gathers small writes.
pub(super) struct Pieces<'a, W> {
    writer: &'a mut W,
    piece: Vec<u8>,
}

impl<'a, W: Write> Pieces<'a, W> {
    pub(super) fn new(writer: &'a mut W) -> Self {
        Self { writer, piece: Vec::with_capacity(2 * PIECE) }
    }

    #[inline]
    pub(super) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() < PIECE {
            return Ok(());
        }
        self.writer.write_all(&self.piece)?;
        self.piece.clear();
        Ok(())
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> io::Result<()> {
        self.writer.write_all(&self.piece)
    }
}
