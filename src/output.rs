//! Writing the output so that a failed run changes nothing.
//!
//! A regular file is written under a temporary name in the same folder, and renamed when it is complete; standard
//! output, devices and pipes are written directly. Nothing is opened before the first byte comes, so that a
//! compilation that fails early leaves no trace even if it is killed.

use crate::options::is_standard_stream;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

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
    Temporary {
        file: BufWriter<File>,
        path: PathBuf,
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

    /// Completes the output; without this call, dropping it takes everything back.
    ///
    /// # Errors
    /// The operating system's.
    pub fn commit(mut self) -> io::Result<()> {
        self.writer()?.flush()?;
        if let State::Temporary { path, destination, .. } = &self.state {
            fs::rename(path, destination)?;
        }
        self.state = State::Done;
        Ok(())
    }

    fn writer(&mut self) -> io::Result<&mut dyn Write> {
        if let State::Unopened = self.state {
            self.state = open(&self.path)?;
        }
        match &mut self.state {
            State::Standard(out) => Ok(out),
            State::Direct(file) | State::Temporary { file, .. } => Ok(file),
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

impl Drop for Output {
    fn drop(&mut self) {
        if let State::Temporary { path, .. } = &self.state {
            // Nothing better can be done when this fails.
            let _ = fs::remove_file(path);
        }
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
    let mut name = destination.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let path = destination.with_file_name(name);
    let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    Ok(State::Temporary {
        file: BufWriter::with_capacity(BUFFER_BYTES, file),
        path,
        destination,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder for one test.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("frazil-output-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn an_output_that_is_not_completed_leaves_the_earlier_one() {
        let folder = folder("failed");
        let path = folder.join("out.o");
        fs::write(&path, "earlier").expect("writable");
        let mut output = Output::new(&path);
        output.write_all(b"half").expect("writable");
        drop(output);
        assert_eq!(fs::read(&path).expect("readable"), b"earlier");
        assert_eq!(names(&folder), ["out.o"]);
        fs::remove_dir_all(&folder).expect("removable");
    }

    #[test]
    fn a_completed_output_replaces_the_file_behind_a_link() {
        let folder = folder("link");
        let (file, link) = (folder.join("file.o"), folder.join("link.o"));
        fs::write(&file, "earlier").expect("writable");
        std::os::unix::fs::symlink(&file, &link).expect("links work");
        let mut output = Output::new(&link);
        output.write_all(b"new").expect("writable");
        output.commit().expect("complete");
        assert_eq!(fs::read(&file).expect("readable"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(names(&folder).len(), 2);
        fs::remove_dir_all(&folder).expect("removable");
    }

    #[test]
    fn a_device_is_written_directly() {
        let mut output = Output::new(Path::new("/dev/null"));
        output.write_all(&[0; 100_000]).expect("writable");
        output.commit().expect("complete");
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
    }
}
