//! Reads one checkpoint file; sections stream, so that memories need not fit twice.
//!
//! Not here: which file to read (see `store`).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::{
    CheckpointError, CheckpointHeader, END_MAGIC, Entry, FOOT_LEN, HEAD_LEN, HEADER_SECTION, MAGIC,
    OLDEST_VERSION, VERSION, head,
};

const VERIFY_BUFFER_BYTES: usize = 1 << 18;

/// An opened checkpoint whose head, directory, end and header section have been checked.
#[derive(Debug)]
pub struct CheckpointReader {
    file: File,
    path: PathBuf,
    entries: Vec<Entry>,
    header: CheckpointHeader,
}

impl CheckpointReader {
    /// Opens the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read, is foreign, newer, truncated, or damaged in its directory or header.
    /// Damage elsewhere shows when the section is read, or through [`CheckpointReader::verify`].
    pub fn open(path: &Path) -> Result<Self, CheckpointError> {
        let mut file = File::open(path).map_err(CheckpointError::io(path))?;
        let entries = read_directory(&mut file, path)?;
        let bytes = read_whole(open_section(&mut file, path, &entries, HEADER_SECTION)?)?;
        let header = serde_json::from_slice(&bytes)
            .map_err(|error| content_error(path, HEADER_SECTION, error.to_string()))?;
        Ok(Self { file, path: path.to_owned(), entries, header })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The header section.
    pub fn header(&self) -> &CheckpointHeader {
        &self.header
    }

    /// Names and lengths in bytes of all sections, in file order.
    pub fn sections(&self) -> impl Iterator<Item = (&str, u64)> {
        self.entries.iter().map(|entry| (entry.name.as_str(), entry.len))
    }

    /// Streams the section `name`. The reader buffers nothing: read in large pieces.
    ///
    /// # Errors
    /// If there is no such section.
    pub fn section(&mut self, name: &str) -> Result<SectionReader<'_>, CheckpointError> {
        open_section(&mut self.file, &self.path, &self.entries, name)
    }

    /// Reads a whole small section.
    ///
    /// # Errors
    /// If it is missing or damaged.
    pub fn section_bytes(&mut self, name: &str) -> Result<Vec<u8>, CheckpointError> {
        read_whole(self.section(name)?)
    }

    /// Reads everything once and compares all checksums.
    ///
    /// # Errors
    /// Names the first damaged section.
    pub fn verify(&mut self) -> Result<(), CheckpointError> {
        let mut buffer = vec![0; VERIFY_BUFFER_BYTES];
        for entry in &self.entries {
            let mut section = open_section(&mut self.file, &self.path, &self.entries, &entry.name)?;
            while section
                .read(&mut buffer)
                .map_err(|error| CheckpointError::from_section(&self.path, error))?
                > 0
            {}
        }
        Ok(())
    }

    /// An error about the contents of an intact section of this file.
    pub fn content_error(&self, section: &str, reason: String) -> CheckpointError {
        content_error(&self.path, section, reason)
    }
}

fn content_error(path: &Path, section: &str, reason: String) -> CheckpointError {
    CheckpointError::Content { path: path.to_owned(), section: section.to_owned(), reason }
}

fn open_section<'a>(
    file: &'a mut File,
    path: &'a Path,
    entries: &[Entry],
    name: &str,
) -> Result<SectionReader<'a>, CheckpointError> {
    let found = entries.iter().find(|entry| entry.name == name);
    let entry = found
        .cloned()
        .ok_or_else(|| CheckpointError::MissingSection { path: path.to_owned(), section: name.to_owned() })?;
    file.seek(SeekFrom::Start(entry.offset)).map_err(CheckpointError::io(path))?;
    let left = entry.len;
    Ok(SectionReader { file, path, entry, left, checksum: 0 })
}

fn read_whole(mut section: SectionReader<'_>) -> Result<Vec<u8>, CheckpointError> {
    let path = section.path;
    let mut bytes = Vec::new();
    section.read_to_end(&mut bytes).map_err(|error| CheckpointError::from_section(path, error))?;
    Ok(bytes)
}

/// Streams one section. The read that would hand out its last bytes fails if the checksum does not
/// match, so whoever got the whole section got it intact.
#[derive(Debug)]
pub struct SectionReader<'a> {
    file: &'a mut File,
    path: &'a Path,
    entry: Entry,
    left: u64,
    checksum: u32,
}

impl SectionReader<'_> {
    /// The bytes not yet read.
    pub fn remaining(&self) -> u64 {
        self.left
    }
}

impl Read for SectionReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.file.read(&mut buffer[..wanted])?;
        self.left -= read as u64;
        self.checksum = crc32c::crc32c_append(self.checksum, &buffer[..read]);
        let ended_early = read == 0 && wanted > 0;
        if ended_early || (self.left == 0 && self.checksum != self.entry.checksum) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                CheckpointError::Checksum { path: self.path.to_owned(), section: self.entry.name.clone() },
            ));
        }
        Ok(read)
    }
}

/// Checks head, foot and directory, and returns the directory.
fn read_directory(file: &mut File, path: &Path) -> Result<Vec<Entry>, CheckpointError> {
    let io = |error| CheckpointError::io(path)(error);
    let len = file.metadata().map_err(io)?.len();
    let truncated = || CheckpointError::Truncated { path: path.to_owned(), len };
    let version = check_head(file, path, len)?;
    if len < HEAD_LEN + FOOT_LEN {
        return Err(truncated());
    }
    let mut foot = [0; FOOT_LEN as usize];
    file.seek(SeekFrom::Start(len - FOOT_LEN)).map_err(io)?;
    file.read_exact(&mut foot).map_err(io)?;
    let mut foot = Cursor(&foot);
    let (Some(offset), Some(directory_len), Some(checksum)) = (foot.u64(), foot.u32(), foot.u32()) else {
        return Err(truncated());
    };
    if foot.0 != END_MAGIC {
        return Err(truncated());
    }
    let damaged = || CheckpointError::Checksum { path: path.to_owned(), section: "directory".to_owned() };
    if offset.checked_add(u64::from(directory_len) + FOOT_LEN) != Some(len) || offset < HEAD_LEN {
        return Err(damaged());
    }
    let mut directory = vec![0; directory_len as usize];
    file.seek(SeekFrom::Start(offset)).map_err(io)?;
    file.read_exact(&mut directory).map_err(io)?;
    if crc32c::crc32c_append(crc32c::crc32c(&head(version)), &directory) != checksum {
        return Err(damaged());
    }
    parse_directory(&directory, offset).ok_or_else(damaged)
}

/// The version of the file.
fn check_head(file: &mut File, path: &Path, len: u64) -> Result<u32, CheckpointError> {
    let mut start = Vec::new();
    file.take(HEAD_LEN).read_to_end(&mut start).map_err(CheckpointError::io(path))?;
    if start.is_empty() || !start.iter().zip(MAGIC).all(|(got, expected)| got == expected) {
        return Err(CheckpointError::Foreign { path: path.to_owned() });
    }
    let Some(version) = Cursor(start.get(MAGIC.len()..).unwrap_or_default()).u32() else {
        return Err(CheckpointError::Truncated { path: path.to_owned(), len });
    };
    match version {
        OLDEST_VERSION..=VERSION => Ok(version),
        0 => Err(CheckpointError::Foreign { path: path.to_owned() }),
        got => Err(CheckpointError::NewerVersion { path: path.to_owned(), got, supported: VERSION }),
    }
}

/// The entries, if they tile the file from its head to `end`.
fn parse_directory(bytes: &[u8], end: u64) -> Option<Vec<Entry>> {
    let mut cursor = Cursor(bytes);
    let mut entries = Vec::new();
    let mut next = HEAD_LEN;
    while !cursor.0.is_empty() {
        let name_len = cursor.u16()?;
        let name = std::str::from_utf8(cursor.take(usize::from(name_len))?).ok()?.to_owned();
        let (offset, len, checksum) = (cursor.u64()?, cursor.u64()?, cursor.u32()?);
        if offset != next {
            return None;
        }
        next = offset.checked_add(len)?;
        entries.push(Entry { name, offset, len, checksum });
    }
    (next == end).then_some(entries)
}

/// Takes integers off the front of a slice.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(front)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}
