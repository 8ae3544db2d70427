//! Files that appear whole or not at all: written beside their place, synced, then renamed.
//!
//! Not here: what is in them, and any guard against two writers of one file (see `RunFolder::lock`).

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Marks files that a crash may have left half-written; never read, replaced by the next write.
pub const PARTIAL_SUFFIX: &str = ".partial";

/// A file under way. Dropping it without [`AtomicFile::commit`] removes what was written.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    partial: PathBuf,
    target: PathBuf,
    committed: bool,
}

impl AtomicFile {
    /// Starts a file that will stand at `target`, whose folder exists.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn create(target: &Path) -> io::Result<Self> {
        let mut partial = target.as_os_str().to_owned();
        partial.push(PARTIAL_SUFFIX);
        let partial = PathBuf::from(partial);
        let file = File::create(&partial)?;
        Ok(Self { file, partial, target: target.to_owned(), committed: false })
    }

    /// Puts the file in place and makes both the contents and the name durable.
    ///
    /// # Errors
    /// If the file system refuses; what stood at the target before is then untouched.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.partial, &self.target)?;
        self.committed = true;
        sync_folder_of(&self.target)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.committed {
            // Best effort: a file left behind is replaced by the next write to the same target.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// Writes `contents` to `target` atomically.
///
/// # Errors
/// If the file system refuses; what stood at the target before is then untouched.
pub fn write(target: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(target)?;
    file.write_all(contents)?;
    file.commit()
}

/// A rename is durable once its folder is; only Unix lets a folder be opened for that.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    if cfg!(unix)
        && let Some(folder) = path.parent()
    {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abandoned_file_leaves_the_old_contents_and_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("summary.md");
        write(&target, b"old").unwrap();
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(b"half of the new").unwrap();
        drop(file);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write(&target, b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
    }
}
