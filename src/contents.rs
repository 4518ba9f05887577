//! The contents of an input that is compiled.
//!
//! Large files are mapped, so that memory holds the part of them that is being compiled; small ones and what is no
//! regular file are read.

use crate::diagnostics::{Error, Stage};
use crate::input::{is_standard_stream, read, unreadable};
use crate::mapping::Mapping;
use std::fs::File;
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::path::Path;

/// Files of fewer bytes are read: they do not count beside the rest, and cannot change under the reader then.
const SMALLEST_MAPPED_BYTES: u64 = 256 << 10;

/// The contents of an input, owned.
#[derive(Debug)]
pub(crate) enum Contents {
    Read(Vec<u8>),
    Mapped(Mapping),
}

impl Deref for Contents {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Contents::Read(bytes) => bytes,
            Contents::Mapped(mapping) => mapping,
        }
    }
}

impl Contents {
    /// Maps a file that is large enough, else reads what there is.
    fn of_file(path: &Path) -> io::Result<Contents> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.len() >= SMALLEST_MAPPED_BYTES {
            return Ok(Contents::Mapped(Mapping::new(file)?));
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        file.read_to_end(&mut bytes)?;
        Ok(Contents::Read(bytes))
    }
}

/// An input that is compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub bytes: &'a [u8],
    /// The file, if it is mapped.
    mapping: Option<&'a Mapping>,
    /// Where the bytes begin in it.
    offset: usize,
}

impl<'a> From<&'a [u8]> for Input<'a> {
    fn from(bytes: &'a [u8]) -> Input<'a> {
        Input {
            bytes,
            mapping: None,
            offset: 0,
        }
    }
}

impl<'a> From<&'a Contents> for Input<'a> {
    fn from(contents: &'a Contents) -> Input<'a> {
        let mapping = match contents {
            Contents::Read(_) => None,
            Contents::Mapped(mapping) => Some(mapping),
        };
        Input {
            bytes: contents,
            mapping,
            offset: 0,
        }
    }
}

impl<'a> Input<'a> {
    /// A part of the input; nothing if it has no such part.
    pub fn part(self, range: Range<usize>) -> Option<Input<'a>> {
        Some(Input {
            bytes: self.bytes.get(range.clone())?,
            offset: self.offset + range.start,
            ..self
        })
    }

    /// Gives the memory of a part back to the system, as far as that is possible.
    pub fn give_back(&self, part: Range<usize>) {
        if let Some(mapping) = self.mapping {
            mapping.give_back(self.offset + part.start..self.offset + part.end);
        }
    }

    /// Says that there is no output because somebody else has written to the file, if so it is.
    pub fn check_unchanged(&self) -> Result<(), Error> {
        match self.mapping.is_none_or(Mapping::is_unchanged) {
            true => Ok(()),
            false => Err(Error::new(Stage::Read, "the file was changed while it was compiled")),
        }
    }
}

/// The same, mapped if it is a large file.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn open(path: &Path) -> Result<Contents, Error> {
    match is_standard_stream(path) {
        true => read(path).map(Contents::Read),
        false => Contents::of_file(path).map_err(|error| unreadable(&error)),
    }
}
