//! A folder for the files of a test.

use crate::command::run;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder that goes away at the end of the test, unless the test fails.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Folder {
    /// An empty one, which no other test has. The name is for people who look for it.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn new(name: &str) -> Folder {
        let mut builder = tempfile::Builder::new();
        let folder = builder.prefix(&format!("frazil-test-{name}-")).tempdir();
        Folder(folder.expect("a temporary folder"))
    }

    /// Where a file of this name lies in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Makes a file in it.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("writable");
        path
    }

    /// Makes a script in it, which may be started at once.
    ///
    /// Another process writes it: a file that this one has open for writing is also open, until it starts its program,
    /// in each process that another test begins meanwhile, and what is open for writing is not run (`ETXTBSY`).
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        let mut install = Command::new("install");
        install.args(["-m", "755", "/dev/stdin"]).arg(&path);
        let mut writer = install.stdin(Stdio::piped()).spawn().expect("install is there");
        let mut input = writer.stdin.take().expect("a pipe");
        input.write_all(text.as_bytes()).expect("it is read");
        drop(input);
        assert!(writer.wait().expect("it ends").success(), "{}", path.display());
        path
    }

    /// Puts a program in it, which may be started at once, as a [`Folder::script`] may be.
    ///
    /// # Panics
    /// When it cannot be read or written.
    pub fn program(&self, name: &str, original: impl AsRef<Path>) -> PathBuf {
        let path = self.path(name);
        if std::fs::hard_link(&original, &path).is_err() {
            run(Command::new("install")
                .args(["-m", "755"])
                .arg(original.as_ref())
                .arg(&path));
        }
        path
    }

    /// The [`names`] of what lies in it.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn names(&self) -> Vec<String> {
        names(self)
    }
}

/// The names of what lies in a folder, in order.
///
/// # Panics
/// When it cannot be read.
pub fn names(folder: impl AsRef<Path>) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The names of the files of a folder that end like this, such as `.toml`, without that, in order.
///
/// # Panics
/// When the folder cannot be read.
pub fn stems(folder: impl AsRef<Path>, ending: &str) -> Vec<String> {
    let names = names(folder);
    let stems = names.iter().filter_map(|name| name.strip_suffix(ending));
    stems.map(str::to_owned).collect()
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.disable_cleanup(true);
            eprintln!("what the test has made is in {}", self.0.path().display());
        }
    }
}
