//! A folder for files that live as long as one run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Removes itself.
pub struct Folder(TempDir);

impl Folder {
    /// Makes a folder of a name that nothing else has.
    pub fn new() -> io::Result<Folder> {
        let folder = tempfile::Builder::new().prefix("frazil-cc-").tempdir();
        if let Ok(folder) = &folder {
            frazil::memory_limit::begin_file(folder.path());
        }
        folder.map(Folder).map_err(|error| {
            let message = format!("cannot make a folder for temporary files: {error}");
            io::Error::new(error.kind(), message)
        })
    }

    /// Its place, to be told to other programs and to whoever removes it after a signal.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The place of an input's object. Inputs of the same name have different numbers.
    pub fn object(&self, number: usize, source: &Path) -> PathBuf {
        let stem = source.file_stem().unwrap_or_default().display();
        self.0.path().join(format!("{stem}-{number}.o"))
    }

    /// Makes a folder in this one, named by a number.
    pub fn folder(&self, number: usize) -> io::Result<PathBuf> {
        let path = self.0.path().join(number.to_string());
        fs::create_dir(&path)?;
        Ok(path)
    }
}
