//! Writing the output so that a failed run changes nothing.
//!
//! A regular file is written under a temporary name in the same folder, and renamed when it is complete; standard
//! output, devices and pipes are written directly. Nothing is opened before the first byte comes, so that a
//! compilation that fails early leaves no trace even if it is killed.
//!
//! What an earlier file has besides its contents stays, as if it had been written over (which llc does): permissions,
//! and where the new file would have other owners or the earlier one has more names, the file itself, into which the
//! complete output is copied. A file that may not be written is not replaced. A symbolic link leads to the file that is
//! written, also to one that does not exist yet.

use crate::input::is_standard_stream;
use crate::memory_limit;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Stdout, Write};
use std::mem;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Room for small pieces; large ones go straight to the file.
const BUFFER_BYTES: usize = 1 << 16;

/// How many symbolic links a path may lead through.
const MOST_LINKS: u32 = 40;

/// Who may read, write and execute a file.
const ORDINARY_PERMISSIONS: u32 = 0o777;

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
        /// The earlier file, if it is to stay and take the contents.
        earlier: Option<File>,
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
        if let State::Temporary {
            file,
            destination,
            earlier,
        } = mem::replace(&mut self.state, State::Done)
        {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            match earlier {
                Some(mut earlier) => {
                    earlier.set_len(0)?;
                    io::copy(&mut File::open(file.path())?, &mut earlier)?;
                }
                None => {
                    file.persist(destination).map_err(|failure| failure.error)?;
                }
            }
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
    let destination = after_links(path);
    if fs::metadata(&destination).is_ok_and(|metadata| !metadata.is_file()) {
        let file = OpenOptions::new().write(true).open(&destination)?;
        return Ok(State::Direct(BufWriter::with_capacity(BUFFER_BYTES, file)));
    }
    // What may not be written is not replaced either.
    let earlier = match OpenOptions::new().write(true).open(&destination) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
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
    memory_limit::begin_file(file.path());
    let earlier = match earlier {
        Some(earlier) => take_over(earlier, file.as_file())?,
        None => None,
    };
    Ok(State::Temporary {
        file: BufWriter::with_capacity(BUFFER_BYTES, file),
        destination,
        earlier,
    })
}

/// The file that a path leads to through symbolic links, there or not.
fn after_links(path: &Path) -> PathBuf {
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(target);
    }
    place
}

/// Gives a new file the permissions of the earlier one, without those that writing takes away; returns the earlier one
/// if it must stay itself.
fn take_over(earlier: File, file: &File) -> io::Result<Option<File>> {
    let (old, new) = (earlier.metadata()?, file.metadata()?);
    let must_stay = old.nlink() > 1 || (old.uid(), old.gid()) != (new.uid(), new.gid());
    if must_stay {
        return Ok(Some(earlier));
    }
    file.set_permissions(fs::Permissions::from_mode(old.mode() & ORDINARY_PERMISSIONS))?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_test_support::Folder;
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

    fn write(path: &Path) {
        let mut output = Output::new(path);
        output.write_all(b"new").expect("writable");
        output.commit().expect("complete");
    }

    #[test]
    fn permissions_of_the_earlier_file_stay() {
        let folder = Folder::new("permissions");
        for mode in [0o600, 0o755, 0o664] {
            let path = folder.write("out.o", "earlier and longer");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode | 0o4000)).expect("changeable");
            write(&path);
            assert_eq!(fs::read(&path).expect("readable"), b"new");
            let found = fs::metadata(&path).expect("there").permissions().mode();
            assert_eq!(found & 0o7777, mode, "without the right to run as its owner");
        }
        assert_eq!(folder.names(), ["out.o"]);
    }

    #[test]
    fn a_file_with_another_name_stays_the_same_file() {
        let folder = Folder::new("names");
        let (path, other) = (folder.write("out.o", "earlier and longer"), folder.path("other.o"));
        fs::hard_link(&path, &other).expect("links work");
        write(&path);
        assert_eq!(fs::read(&other).expect("readable"), b"new");
        let mut output = Output::new(&path);
        output.write_all(b"half").expect("writable");
        drop(output);
        assert_eq!(fs::read(&other).expect("readable"), b"new");
        assert_eq!(folder.names(), ["other.o", "out.o"]);
    }

    #[test]
    fn a_link_to_nothing_leads_to_the_new_file() {
        let folder = Folder::new("nothing");
        let link = folder.path("link.o");
        std::os::unix::fs::symlink("file.o", &link).expect("links work");
        write(&link);
        assert_eq!(fs::read(folder.path("file.o")).expect("there"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
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
