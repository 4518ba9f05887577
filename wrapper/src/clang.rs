//! clang itself: how it is called, and how words get to it.

use crate::command_line::file_of_words;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

/// More bytes than this are not passed as words, but in a file.
const MOST_WORD_BYTES: usize = 100_000;

/// clang, and how it is called.
#[derive(Clone, Debug)]
pub struct Compiler {
    pub clang: OsString,
    /// Whether clang is to behave as `clang++`: sources are C++ by default, and its library is linked.
    pub plus_plus: bool,
}

impl Compiler {
    /// clang, as this wrapper was called.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.clang);
        command.args(self.plus_plus.then_some("--driver-mode=g++"));
        command
    }

    /// A failure to start clang, with its name.
    pub fn not_started(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("cannot run {}: {error}", self.clang.display()))
    }

    /// The words, or one that stands for them if they are too long for a command line.
    ///
    /// # Errors
    /// When the file for them cannot be written.
    pub fn words(&self, words: &[OsString], path: &Path) -> io::Result<Vec<OsString>> {
        match words.iter().map(|word| word.len()).sum::<usize>() > MOST_WORD_BYTES {
            true => Ok(vec![file_of_words(words, path)?]),
            false => Ok(words.to_vec()),
        }
    }
}
