//! An input: its bytes, and the name that messages call it by.

use inkwell::memory_buffer::MemoryBuffer;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The name of standard input in messages, as LLVM's tools call it.
const STANDARD_INPUT: &str = "<stdin>";

/// An input of LLVM's parser.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    bytes: Vec<u8>,
}

impl Source {
    /// An input in memory. Zero bytes in the name, which LLVM cannot take, are left out.
    pub fn new(name: &str, bytes: Vec<u8>) -> Source {
        Source {
            name: name.replace('\0', ""),
            bytes,
        }
    }

    /// Reads a file, or standard input if the path is `-`.
    ///
    /// # Errors
    /// The operating system's.
    pub fn open(path: &Path) -> io::Result<Source> {
        if path == Path::new("-") {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes)?;
            return Ok(Source::new(STANDARD_INPUT, bytes));
        }
        Ok(Source::new(&path.to_string_lossy(), fs::read(path)?))
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A copy for LLVM, which wants a zero byte after text.
    pub(crate) fn to_buffer(&self) -> MemoryBuffer<'static> {
        MemoryBuffer::create_from_memory_range_copy(&self.bytes, &self.name)
    }
}
