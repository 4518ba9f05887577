//! A folder for the files of a test, which each test crate that builds programs includes.

use std::path::PathBuf;

/// A folder that goes away at the end of the test.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty one of the running process. Tests of one process use different names.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("frazil-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    /// Where a file of this name lies in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).expect("removable");
    }
}
