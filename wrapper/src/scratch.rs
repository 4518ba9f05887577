//! A folder for objects that live as long as one run.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Removes itself.
pub struct Folder(PathBuf);

impl Folder {
    /// Makes a folder of a name that nothing else has.
    pub fn new() -> io::Result<Folder> {
        let base = env::temp_dir();
        let mut number = 0_u32;
        loop {
            let path = base.join(format!("frazil-cc-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => {
                    let message = format!("cannot make the folder {}: {error}", path.display());
                    return Err(io::Error::new(error.kind(), message));
                }
            }
        }
    }

    /// The place of a source's object. Sources of the same name have different numbers.
    pub fn object(&self, number: usize, source: &Path) -> PathBuf {
        let stem = source.file_stem().unwrap_or_default().display();
        self.0.join(format!("{stem}-{number}.o"))
    }

    /// Makes a folder in this one, named by a number.
    pub fn folder(&self, number: usize) -> io::Result<PathBuf> {
        let path = self.0.join(number.to_string());
        fs::create_dir(&path)?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The system clears folders for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
