//! The words of the command line as users of LLVM's tools type them, brought into the form that the option parser
//! takes.
//!
//! Three things are theirs: `@file` stands for the words in a file; one dash is as good as two in front of a long
//! name; and the program does what its own name says ([`Personality`]), by the name of llc also with [llc's
//! options](super::llc). Nothing else is changed: values, unknown options and everything after `--` go on as they are,
//! and the parser says what is wrong with them.

use super::llc::{self, Translated};
use crate::diagnostics::{Error, Stage, reason};
use clap::Command;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// Which program the user has called, by name: the same binary serves as both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Personality {
    /// `frazil`: compiles as fast as it can, to an object.
    #[default]
    Frazil,
    /// `frazil-llc`: has the defaults of LLVM's `llc`, which are -O2 and assembly text.
    Llc,
}

impl Personality {
    /// The personality for the name that the program was called by.
    pub fn of(program: &OsStr) -> Personality {
        let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
        match name.as_ref() {
            "llc" | "frazil-llc" => Personality::Llc,
            _ => Personality::Frazil,
        }
    }
}

/// Files in files in files: deeper than this, one of them names itself.
const DEEPEST_FILE: usize = 16;

/// A command line in the form that the option parser takes.
pub(crate) struct Prepared {
    /// The words; the first is the program's name.
    pub words: Vec<OsString>,
    pub personality: Personality,
    /// What is to be said about words that were left out.
    pub note: Option<String>,
}

/// Words in the form that `command` parses; the first is the program's name.
///
/// # Errors
/// When a file of words cannot be read, or an option of llc is not taken.
pub(crate) fn prepare(words: impl IntoIterator<Item = OsString>, command: &Command) -> Result<Prepared, Error> {
    let mut words = words.into_iter();
    let mut prepared: Vec<OsString> = words.next().into_iter().collect();
    let personality = prepared
        .first()
        .map_or_else(Personality::default, |name| Personality::of(name));
    let mut expanded = Vec::new();
    for word in words {
        expand(word, 0, &mut expanded)?;
    }
    if personality == Personality::Llc {
        let Translated { words, note } = llc::translate(expanded, command)?;
        prepared.extend(words);
        return Ok(Prepared {
            words: prepared,
            personality,
            note,
        });
    }
    let mut options_end = false;
    for word in expanded {
        options_end |= word == "--";
        prepared.push(if options_end {
            word
        } else {
            with_two_dashes(word, command)
        });
    }
    Ok(Prepared {
        words: prepared,
        personality,
        note: None,
    })
}

/// Appends a word, or the words of the file that it names.
fn expand(word: OsString, depth: usize, words: &mut Vec<OsString>) -> Result<(), Error> {
    let Some(path) = word.to_str().and_then(|word| word.strip_prefix('@')) else {
        words.push(word);
        return Ok(());
    };
    let wrong = |message: String| Error::new(Stage::Options, format!("@{path}: {message}"));
    if depth == DEEPEST_FILE {
        return Err(wrong("files of options name each other without end".to_owned()));
    }
    let text = fs::read_to_string(path).map_err(|error| wrong(format!("cannot read the file: {}", reason(&error))))?;
    for inner in split_words(&text) {
        expand(inner.into(), depth + 1, words)?;
    }
    Ok(())
}

/// Splits a text into words as GNU tools do: blanks separate, quotes of both kinds and the backslash take the meaning
/// from what they stand before. (A shell's words, as the package `shlex` splits them, are others: there, `#` begins a
/// comment, and a quote without end is an error.)
pub fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(letters.next()),
            ('\'' | '"', None) => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            (end, Some(begin)) if end == begin => quote = None,
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            (other, _) => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

/// Adds the second dash to a word with one, if it is a long option of the command or nothing that is known.
fn with_two_dashes(word: OsString, command: &Command) -> OsString {
    let Some(name) = word.to_str().and_then(|text| text.strip_prefix('-')) else {
        return word;
    };
    let name = name.split('=').next().unwrap_or_default();
    let mut letters = name.chars();
    let Some(first) = letters.next().filter(|first| *first != '-' && !first.is_ascii_digit()) else {
        return word;
    };
    // With values that may follow at once, as in `-O2`.
    let is_short = letters.next().is_none() || command.get_arguments().any(|option| option.get_short() == Some(first));
    if is_short && !is_long(name, command) {
        return word;
    }
    let mut longer = OsString::from("-");
    longer.push(&word);
    longer
}

/// Whether an option of the command has this long name.
fn is_long(name: &str, command: &Command) -> bool {
    let is_alias = |aliases: Vec<&str>| aliases.contains(&name);
    matches!(name, "help" | "version")
        || command
            .get_arguments()
            .any(|option| option.get_long() == Some(name) || option.get_all_aliases().is_some_and(is_alias))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Arguments;
    use clap::CommandFactory;
    use frazil_test_support::Folder;

    fn prepared(words: &[&str]) -> Vec<String> {
        let words = std::iter::once("frazil")
            .chain(words.iter().copied())
            .map(OsString::from);
        let prepared = prepare(words, &Arguments::command()).expect("no files");
        let text = prepared
            .words
            .iter()
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned());
        text.collect()
    }

    #[test]
    fn one_dash_is_as_good_as_two() {
        assert_eq!(
            prepared(&[
                "-filetype=obj",
                "-mtriple",
                "x86_64",
                "-O2",
                "-o",
                "a.o",
                "-",
                "--stats"
            ]),
            [
                "--filetype=obj",
                "--mtriple",
                "x86_64",
                "-O2",
                "-o",
                "a.o",
                "-",
                "--stats"
            ]
        );
        assert_eq!(
            prepared(&["-oa.o", "-output=b.o", "-h"]),
            ["-oa.o", "--output=b.o", "-h"]
        );
        assert_eq!(prepared(&["-bisect-limit", "-1"]), ["--bisect-limit", "-1"]);
        assert_eq!(prepared(&["-no-such", "--", "-stats"]), ["--no-such", "--", "-stats"]);
    }

    #[test]
    fn words_of_a_file_are_split_as_by_a_shell() {
        assert_eq!(
            split_words("-O2  'a b'\n\"c \\\" d\" e\\ f ''\n"),
            ["-O2", "a b", "c \" d", "e f", ""]
        );
        let folder = Folder::new("words");
        let path = folder.write("words", "-stats \"in put.bc\"");
        let word = format!("@{}", path.display());
        assert_eq!(prepared(&[&word]), ["--stats", "in put.bc"]);
        fs::write(&path, &word).expect("writable");
        let error = prepare(["frazil".into(), word.into()], &Arguments::command())
            .err()
            .expect("endless");
        assert!(error.to_string().contains("name each other without end"), "{error}");
    }

    #[test]
    fn the_name_of_the_program_decides() {
        assert_eq!(Personality::of(OsStr::new("/usr/bin/frazil-llc")), Personality::Llc);
        assert_eq!(Personality::of(OsStr::new("frazil")), Personality::Frazil);
        assert_eq!(Personality::of(OsStr::new("")), Personality::Frazil);
    }
}
