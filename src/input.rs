//! Reading the input: a file, or standard input.

use crate::diagnostics::{Error, Stage, reason};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Whether a path means standard input or output.
pub(crate) fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The bytes of a file or standard input.
///
/// # Errors
/// When it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let result = if is_standard_stream(path) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    result.map_err(|error| unreadable(&error))
}

/// Says why an input cannot be read, and what to do.
pub(crate) fn unreadable(error: &io::Error) -> Error {
    let advice = match error.kind() {
        ErrorKind::IsADirectory => "; name the files in it, as a shell does for FOLDER/*.bc",
        _ => "",
    };
    Error::new(Stage::Read, format!("cannot read the input: {}{advice}", reason(error)))
}

/// The size of the input in bytes, as far as it can be told before it is read; 0 else.
pub fn size(path: &Path) -> u64 {
    if is_standard_stream(path) {
        return 0;
    }
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// The text of a file that an option names.
///
/// # Errors
/// When it cannot be read, or is no UTF-8.
pub fn read_text(path: &Path) -> Result<String, Error> {
    let result = std::fs::read_to_string(path);
    result.map_err(|error| {
        Error::new(
            Stage::Options,
            format!("{}: cannot read the file: {}", path.display(), reason(&error)),
        )
    })
}
