//! Writes one checkpoint file, section by section, in one pass.
//!
//! Not here: names and numbers of files (see `store`).

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{CheckpointError, CheckpointHeader, END_MAGIC, Entry, HEAD_LEN, HEADER_SECTION, VERSION, head};
use crate::atomic_file::AtomicFile;

const BUFFER_BYTES: usize = 1 << 20;

/// A checkpoint under way. It appears at its path when [`CheckpointWriter::finish`] returns, and
/// leaves nothing behind when dropped before.
#[derive(Debug)]
pub struct CheckpointWriter {
    file: BufWriter<AtomicFile>,
    path: PathBuf,
    entries: Vec<Entry>,
    end: u64,
}

impl CheckpointWriter {
    /// Starts the file that will stand at `path`, with `header` as its first section.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn create(path: &Path, header: &CheckpointHeader) -> Result<Self, CheckpointError> {
        let file = AtomicFile::create(path).map_err(CheckpointError::io(path))?;
        let mut file = BufWriter::with_capacity(BUFFER_BYTES, file);
        file.write_all(&head(VERSION)).map_err(CheckpointError::io(path))?;
        let mut writer = Self { file, path: path.to_owned(), entries: Vec::new(), end: HEAD_LEN };
        writer.section(HEADER_SECTION, |out| Ok(serde_json::to_writer_pretty(out, header)?))?;
        Ok(writer)
    }

    /// Appends the section `name`: whatever `fill` writes, of any length.
    ///
    /// # Errors
    /// What `fill` returns, or if the file system refuses.
    ///
    /// # Panics
    /// If the name was used before or is longer than 65,535 bytes.
    pub fn section(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CheckpointError> {
        assert!(self.entries.iter().all(|entry| entry.name != name), "section names are unique");
        let mut out = Checksummed { inner: &mut self.file, checksum: 0, len: 0 };
        fill(&mut out).map_err(CheckpointError::io(&self.path))?;
        let (checksum, len) = (out.checksum, out.len);
        self.entries.push(Entry { name: name.to_owned(), offset: self.end, len, checksum });
        self.end += len;
        Ok(())
    }

    /// Writes the directory and puts the file in place, synced. Returns its length in bytes.
    ///
    /// # Errors
    /// If the file system refuses; the path then still holds what it held before.
    pub fn finish(mut self) -> Result<u64, CheckpointError> {
        let tail = self.tail();
        let path = self.path;
        self.file.write_all(&tail).map_err(CheckpointError::io(&path))?;
        let file = self.file.into_inner().map_err(|error| error.into_error());
        file.and_then(AtomicFile::commit).map_err(CheckpointError::io(&path))?;
        Ok(self.end + tail.len() as u64)
    }

    /// The directory and the foot.
    fn tail(&self) -> Vec<u8> {
        let mut tail = Vec::new();
        for Entry { name, offset, len, checksum } in &self.entries {
            let name_len = u16::try_from(name.len()).expect("section names are short");
            tail.extend_from_slice(&name_len.to_le_bytes());
            tail.extend_from_slice(name.as_bytes());
            tail.extend_from_slice(&offset.to_le_bytes());
            tail.extend_from_slice(&len.to_le_bytes());
            tail.extend_from_slice(&checksum.to_le_bytes());
        }
        let directory_len = u32::try_from(tail.len()).expect("a directory has few, short entries");
        let checksum = crc32c::crc32c_append(crc32c::crc32c(&head(VERSION)), &tail);
        tail.extend_from_slice(&self.end.to_le_bytes());
        tail.extend_from_slice(&directory_len.to_le_bytes());
        tail.extend_from_slice(&checksum.to_le_bytes());
        tail.extend_from_slice(END_MAGIC);
        tail
    }
}

/// Counts and checksums what passes through.
struct Checksummed<'a, W> {
    inner: &'a mut W,
    checksum: u32,
    len: u64,
}

impl<W: Write> Write for Checksummed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.checksum = crc32c::crc32c_append(self.checksum, &bytes[..written]);
        self.len += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
