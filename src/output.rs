//! Writing the output so that a failed run changes nothing.
//!
//! A regular file is written under a temporary name in the same folder, and renamed when it is complete; standard
//! output, devices and pipes are written directly. Nothing is opened before the first byte comes, so that a
//! compilation that fails early leaves no trace even if it is killed.

use crate::options::is_standard_stream;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Stdout, Write};
use std::mem;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Room for small pieces; large ones go straight to the file.
const BUFFER_BYTES: usize = 1 << 16;

/// The output of a run.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    state: State,
}

#[derive(Debug)]
enum State {
    Unopened,
    Standard(BufWriter<Stdout>),
    Direct(BufWriter<File>),
    /// Goes away by itself unless it is renamed.
    Temporary {
        file: BufWriter<NamedTempFile>,
        destination: PathBuf,
    },
    Nowhere(io::Sink),
    Done,
}

impl Output {
    /// An output that will go to `path`, or to standard output for `-`.
    pub fn new(path: &Path) -> Output {
        Output {
            path: path.to_owned(),
            state: State::Unopened,
        }
    }

    /// An output that nobody wants to have.
    pub fn nowhere() -> Output {
        Output {
            path: PathBuf::new(),
            state: State::Nowhere(io::sink()),
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match is_standard_stream(&self.path) {
            true => "<stdout>".to_owned(),
            false => self.path.display().to_string(),
        }
    }

    /// Completes the output; without this call, dropping it takes everything back.
    ///
    /// # Errors
    /// The operating system's.
    pub fn commit(mut self) -> io::Result<()> {
        self.writer()?.flush()?;
        if let State::Temporary { file, destination } = mem::replace(&mut self.state, State::Done) {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.persist(destination).map_err(|failure| failure.error)?;
        }
        Ok(())
    }

    fn writer(&mut self) -> io::Result<&mut dyn Write> {
        if let State::Unopened = self.state {
            self.state = open(&self.path)?;
        }
        match &mut self.state {
            State::Standard(out) => Ok(out),
            State::Direct(file) => Ok(file),
            State::Temporary { file, .. } => Ok(file),
            State::Nowhere(sink) => Ok(sink),
            State::Unopened | State::Done => Err(io::Error::other("the output is already complete")),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer()?.flush()
    }
}

fn open(path: &Path) -> io::Result<State> {
    if is_standard_stream(path) {
        return Ok(State::Standard(BufWriter::with_capacity(BUFFER_BYTES, io::stdout())));
    }
    // After a symbolic link, the file itself is replaced and not the link.
    let destination = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&destination).is_ok_and(|metadata| !metadata.is_file()) {
        let file = OpenOptions::new().write(true).open(&destination)?;
        return Ok(State::Direct(BufWriter::with_capacity(BUFFER_BYTES, file)));
    }
    let mut prefix = destination.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let folder = destination.parent().unwrap_or(Path::new(""));
    // The system's own error, without the random name, which means nothing to a user.
    let mut code = None;
    let made = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".tmp")
        .make_in(folder, |path| {
            // With the permissions of any new file.
            let opened = OpenOptions::new().write(true).create_new(true).open(path);
            opened.inspect_err(|error| code = error.raw_os_error())
        });
    let file = made.map_err(|error| code.map_or(error, io::Error::from_raw_os_error))?;
    Ok(State::Temporary {
        file: BufWriter::with_capacity(BUFFER_BYTES, file),
        destination,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_test_support::Folder;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn an_output_that_is_not_completed_leaves_the_earlier_one() {
        let folder = Folder::new("failed");
        let path = folder.path("out.o");
        fs::write(&path, "earlier").expect("writable");
        let mut output = Output::new(&path);
        output.write_all(b"half").expect("writable");
        drop(output);
        assert_eq!(fs::read(&path).expect("readable"), b"earlier");
        assert_eq!(folder.names(), ["out.o"]);
    }

    #[test]
    fn a_completed_output_replaces_the_file_behind_a_link() {
        let folder = Folder::new("link");
        let (file, link) = (folder.path("file.o"), folder.path("link.o"));
        fs::write(&file, "earlier").expect("writable");
        std::os::unix::fs::symlink(&file, &link).expect("links work");
        let mut output = Output::new(&link);
        output.write_all(b"new").expect("writable");
        output.commit().expect("complete");
        assert_eq!(fs::read(&file).expect("readable"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(folder.names().len(), 2);
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode();
        assert_eq!(mode(&file), mode(&folder.write("any", "")), "as of any new file");
    }

    #[test]
    fn the_name_of_a_temporary_file_is_in_no_message() {
        let folder = Folder::new("missing");
        let error = Output::new(&folder.path("no/out.o")).write_all(b"text");
        let expected = io::Error::from_raw_os_error(2);
        assert_eq!(error.expect_err("no folder").to_string(), expected.to_string());
    }

    #[test]
    fn a_device_is_written_directly() {
        let mut output = Output::new(Path::new("/dev/null"));
        output.write_all(&[0; 100_000]).expect("writable");
        output.commit().expect("complete");
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
    }
}
