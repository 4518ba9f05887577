//! Where functions go that are printed between passes: to standard error, or to files.

use crate::destination::make_folder;
use crate::diagnostics::{Error, Stage, reason};
use frazil_passes::{Dump, Listener, Moment};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Characters of a function's name in a folder's name, at most.
const MOST_NAME_CHARACTERS: usize = 80;

/// Prints functions to standard error, or to a file each.
#[derive(Debug, Default)]
pub struct Printer {
    folder: Option<PathBuf>,
    /// Whether what could not be proved is said.
    says_unproved: bool,
    /// The first failure to write.
    failure: Option<io::Error>,
    /// Whether a function was printed.
    has_printed: bool,
}

impl Printer {
    /// A printer to files in a folder, or to standard error, which says what could not be proved or keeps it to itself.
    pub fn new(folder: Option<PathBuf>, says_unproved: bool) -> Printer {
        Printer {
            folder,
            says_unproved,
            failure: None,
            has_printed: false,
        }
    }

    /// Whether a function was printed.
    pub fn has_printed(&self) -> bool {
        self.has_printed
    }

    /// Says whether everything could be written.
    ///
    /// # Errors
    /// The first failure.
    pub fn finish(self) -> Result<(), Error> {
        match self.failure {
            Some(error) => {
                let message = format!("cannot write functions between passes: {}", reason(&error));
                Err(Error::new(Stage::Options, message))
            }
            None => Ok(()),
        }
    }

    fn write(&self, dump: &Dump<'_>) -> io::Result<()> {
        let Some(folder) = &self.folder else {
            let title = match dump.moment {
                Moment::Input => "input".to_owned(),
                Moment::Before => format!("before {}", dump.pass),
                Moment::After => format!("after {}", dump.pass),
            };
            let (number, function) = (dump.number, dump.function);
            return write!(io::stderr(), "; #{number} @{function}, {title}\n{}\n", dump.text);
        };
        let folder = folder.join(format!("{:04}_{}", dump.number, plain(dump.function)));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(file_name(dump)), &dump.text)
    }
}

impl Listener for Printer {
    fn dump(&mut self, dump: &Dump<'_>) {
        self.has_printed = true;
        if let Err(error) = self.write(dump) {
            self.failure.get_or_insert(error);
        }
    }

    fn execution(&mut self, number: u64, pass: &str, function: &str, skipped: bool) {
        let skipped = if skipped { " (skipped)" } else { "" };
        let line = writeln!(io::stderr(), "{number:>8} {pass} @{function}{skipped}");
        if let Err(error) = line {
            self.failure.get_or_insert(error);
        }
    }

    fn unproved(&mut self, function: &str, pass: &str, why: &str) {
        if !self.says_unproved {
            return;
        }
        let line = writeln!(io::stderr(), "frazil: note: @{function}: {pass}: not proved: {why}");
        if let Err(error) = line {
            self.failure.get_or_insert(error);
        }
    }
}

fn file_name(dump: &Dump<'_>) -> String {
    let (step, pass, extension) = (dump.step, dump.pass, dump.extension);
    match dump.moment {
        Moment::Input => format!("{step:02}_input.{extension}"),
        Moment::Before => format!("{step:02}_{}_before.{extension}", plain(pass)),
        Moment::After => format!("{step:02}_{}.{extension}", plain(pass)),
    }
}

/// A name in which nothing can be taken for a part of a path.
fn plain(name: &str) -> String {
    let letter = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '_' | '$' => letter,
        _ => '_',
    };
    let name: String = name.chars().take(MOST_NAME_CHARACTERS).map(letter).collect();
    name.trim_start_matches('.').to_owned()
}

/// Makes the folder for dumps; one that is not empty is refused, so that it has those of one run only.
///
/// # Errors
/// When the folder cannot be made, or is not empty.
pub fn prepare(folder: &Path) -> Result<(), Error> {
    let wrong = |message: String| Error::new(Stage::Options, format!("--dump-dir {}: {message}", folder.display()));
    make_folder(folder).map_err(wrong)?;
    let entries = fs::read_dir(folder);
    let mut entries = entries.map_err(|error| wrong(format!("cannot read the folder: {}", reason(&error))))?;
    match entries.next() {
        Some(_) => Err(wrong("the folder is not empty; name a new one, or empty it".to_owned())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_those_of_steps_and_stay_in_their_folder() {
        let dump = Dump {
            number: 3,
            function: "a/../b",
            step: 2,
            pass: "local-cse",
            moment: Moment::After,
            extension: "fzl",
            text: String::new(),
        };
        assert_eq!(file_name(&dump), "02_local-cse.fzl");
        assert_eq!(plain(dump.function), "a_.._b");
        assert_eq!(plain("../x"), "_x");
    }
}
