//! The words of a command line, as far as the wrapper itself must know them: which are its own, and whether clang may
//! be asked to make code.
//!
//! Method: clang's options are recognized by their spelling only. Those that take the next word as their value are
//! listed, so that a value is not taken for a file or for an option. What a command line means is for clang to say
//! ([`crate::plan`]); here, only those that cannot make code of anything are told apart, because they need no plan.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;

/// What a command line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Which compiler this is (`--version`).
    Version,
    /// Something in which no code is made: clang does it alone.
    NoCode,
    /// Anything else: clang says what is to be done.
    Code,
}

/// A command line, with the wrapper's own options taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The words that are clang's, those of files of words included.
    pub words: Vec<OsString>,
    /// The words that follow `-Xfrazil`.
    pub frazil: Vec<OsString>,
    /// Whether clang compiles what Frazil refuses (`--fallback`).
    pub fallback: bool,
    /// Whether the wrapper is to describe itself (`--frazil-help`).
    pub help: bool,
}

/// Options whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-F",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-B",
    "-G",
    "-h",
    "-include",
    "-imacros",
    "-include-pch",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isystem-after",
    "-imultilib",
    "-ivfsoverlay",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-gen-cdb-fragment-path",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-Xassembler",
    "-mllvm",
    "-mthread-model",
    "-arch",
    "-target",
    "-rpath",
    "-framework",
    "-aux-info",
    "-working-directory",
    "-resource-dir",
    "-dumpdir",
    "-dumpbase",
    "-wrapper",
    "--param",
    "--sysroot",
    "--config",
    "--serialize-diagnostics",
    "-serialize-diagnostics",
    "-gcc-toolchain",
    "-ccc-gcc-name",
    "-soname",
    "-install_name",
];

/// Options after which clang makes no code.
const NOT_CODE: &[&str] = &[
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-emit-llvm",
    "-emit-ast",
    "-dumpmachine",
    "-dumpversion",
    "-dumpfullversion",
    "-dumpspecs",
    "--help",
    "--precompile",
    "-rewrite-objc",
    "--analyze",
];

/// How such options begin.
const NOT_CODE_BEGINNINGS: &[&str] = &["-print-", "--print-", "--help"];

/// Endings of names of files that hold code already, or what an assembler makes code of.
const CODE_ENDINGS: &[&str] = &["o", "a", "so", "lo", "s", "S"];

/// Files of words in files of words: deeper than this, one of them names itself.
const DEEPEST_FILE: usize = 16;

impl CommandLine {
    /// Takes the wrapper's own options out of the words.
    ///
    /// # Errors
    /// When files of words name each other without end, or `-Xfrazil` is the last word.
    pub fn parse(words: &[OsString]) -> io::Result<CommandLine> {
        let mut line = CommandLine::default();
        let mut words = expanded(words)?.into_iter();
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("--fallback") => line.fallback = true,
                Some("--frazil-help") => line.help = true,
                Some(text) if text == "--instrument" || text.starts_with("--instrument=") => {
                    let is_joined = text != "--instrument";
                    line.frazil.push(word);
                    if !is_joined {
                        let missing = || io::Error::other("--instrument: the next word must be a tool file");
                        line.frazil.push(words.next().ok_or_else(missing)?);
                    }
                }
                Some("-Xfrazil") => {
                    let option = words.next();
                    let missing = || io::Error::other("-Xfrazil: the next word must be an option for Frazil");
                    line.frazil.push(option.ok_or_else(missing)?);
                }
                Some(text) if WITH_VALUE.contains(&text) => {
                    line.words.push(word);
                    line.words.extend(words.next());
                }
                _ => line.words.push(word),
            }
        }
        Ok(line)
    }

    /// Whether tools are named.
    pub fn has_tools(&self) -> bool {
        self.frazil
            .iter()
            .any(|word| word.as_encoded_bytes().starts_with(b"--instrument"))
    }

    /// What is asked for.
    pub fn request(&self) -> Request {
        let options = self.options();
        if options.iter().any(|word| *word == "--version") {
            return Request::Version;
        }
        let makes_none = |word: &&OsStr| {
            let text = word.to_string_lossy();
            NOT_CODE.contains(&text.as_ref()) || NOT_CODE_BEGINNINGS.iter().any(|start| text.starts_with(start))
        };
        let may_be_source = |word: &&OsStr| is_file(word) && !has_ending(word, CODE_ENDINGS);
        // A language, linking all at once and a plan that is to be shown are clang's to explain.
        let has_more = |word: &&OsStr| {
            let bytes = word.as_encoded_bytes();
            bytes.starts_with(b"-x") || bytes.starts_with(b"-flto") || *word == "-###" || *word == "-v"
        };
        match () {
            () if options.iter().any(makes_none) => Request::NoCode,
            () if options.iter().any(may_be_source) || options.iter().any(has_more) => Request::Code,
            // What links must link hooks, too.
            () if self.has_tools() => Request::Code,
            () => Request::NoCode,
        }
    }

    /// The words but for those that are values of the words before them.
    fn options(&self) -> Vec<&OsStr> {
        self.groups().map(|words| words[0].as_os_str()).collect()
    }

    /// Each word with the one after it, if that is its value.
    pub fn groups(&self) -> impl Iterator<Item = &[OsString]> {
        let mut rest = &self.words[..];
        std::iter::from_fn(move || {
            let has_value = rest.first()?.to_str().is_some_and(|text| WITH_VALUE.contains(&text));
            let group;
            (group, rest) = rest.split_at((1 + usize::from(has_value)).min(rest.len()));
            Some(group)
        })
    }

    /// The value of the last option with this name, which is a word of its own.
    pub fn value(&self, option: &str) -> Option<&OsStr> {
        let named = self.groups().filter(|words| words[0] == option);
        named.last()?.get(1).map(OsString::as_os_str)
    }

    /// What follows the name of the last option with this name in the same word.
    pub fn joined(&self, option: &str) -> Option<&OsStr> {
        let words = self.groups().map(|words| words[0].as_os_str());
        let joined = words.filter_map(|word| word.to_str()?.strip_prefix(option));
        joined.filter(|value| !value.is_empty()).last().map(OsStr::new)
    }

    /// How many words name files, those behind `-o` and the like not counted.
    pub fn files(&self) -> usize {
        self.options().into_iter().filter(|word| is_file(word)).count()
    }

    /// Whether a word is there.
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }
}

fn is_file(word: &OsStr) -> bool {
    word == "-" || !word.as_encoded_bytes().starts_with(b"-")
}

fn has_ending(name: &OsStr, endings: &[&str]) -> bool {
    let extension = Path::new(name).extension();
    endings.iter().any(|ending| extension == Some(OsStr::new(ending)))
}

/// The words, with those of files of words in the place of the names of these files.
///
/// # Errors
/// When files of words name each other without end.
pub fn expanded(words: &[OsString]) -> io::Result<Vec<OsString>> {
    let mut all = Vec::new();
    for word in words {
        expand(word, 0, &mut all)?;
    }
    Ok(all)
}

fn expand(word: &OsStr, depth: usize, words: &mut Vec<OsString>) -> io::Result<()> {
    let Some(path) = word.to_str().and_then(|word| word.strip_prefix('@')) else {
        words.push(word.to_owned());
        return Ok(());
    };
    if depth == DEEPEST_FILE {
        return Err(io::Error::other(format!(
            "@{path}: files of words name each other without end"
        )));
    }
    // As with other compilers, a file that is not there means the word itself.
    let Ok(text) = fs::read_to_string(path) else {
        words.push(word.to_owned());
        return Ok(());
    };
    for inner in frazil::options::split_words(&text) {
        expand(OsStr::new(&inner), depth + 1, words)?;
    }
    Ok(())
}

/// Writes words to a file, for a program whose command line would be too long, and returns the word that stands for
/// it.
///
/// # Errors
/// The operating system's.
pub fn file_of_words(words: &[OsString], path: &Path) -> io::Result<OsString> {
    let mut text = Vec::new();
    for word in words {
        if word.is_empty() {
            text.extend(b"\"\"");
        }
        for &byte in word.as_encoded_bytes() {
            if matches!(byte, b' ' | b'\t' | b'\n' | b'"' | b'\'' | b'\\') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.push(b'\n');
    }
    fs::write(path, text)?;
    let mut word = OsString::from("@");
    word.push(path);
    Ok(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> CommandLine {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        CommandLine::parse(&words).expect("no files of words")
    }

    #[test]
    fn only_what_cannot_make_code_goes_to_clang_at_once() {
        for (words, request) in [
            ("-c a.c", Request::Code),
            ("-S a.c -o b.s", Request::Code),
            ("a.c b.o -o program -lm", Request::Code),
            ("a.o -o program", Request::NoCode),
            ("-E a.c", Request::NoCode),
            ("-Xlinker -E a.c", Request::Code),
            ("-c a.c -flto", Request::Code),
            ("-c a.c -emit-llvm", Request::NoCode),
            ("-c -emit-llvm-x a.c", Request::Code),
            ("--version", Request::Version),
            ("-print-search-dirs", Request::NoCode),
            ("-c a.S", Request::NoCode),
            ("-c a.c b.S", Request::Code),
            ("-c a.bc", Request::Code),
            ("-c a.unknown", Request::Code),
            ("-x c -c -", Request::Code),
            ("-c -x c a.s", Request::Code),
            ("-c -xc a.s", Request::Code),
            ("a.o -o x.c", Request::NoCode),
            ("-### a.o", Request::Code),
        ] {
            assert_eq!(parse(words).request(), request, "{words}");
        }
    }

    #[test]
    fn own_options_are_taken_out_but_not_where_they_are_values() {
        let line = parse("--fallback -c -Xfrazil --recipe -Xfrazil O1 a.c -Xlinker --fallback");
        assert_eq!(line.words, ["-c", "a.c", "-Xlinker", "--fallback"]);
        assert_eq!(line.frazil, ["--recipe", "O1"]);
        assert!(line.fallback && !line.help);
        assert!(!parse("-Xlinker --fallback a.c").fallback);
        assert!(CommandLine::parse(&["-Xfrazil".into()]).is_err());
    }

    #[test]
    fn words_come_back_from_a_file_of_words() {
        let folder = tempfile::tempdir().expect("writable");
        let words: Vec<OsString> = ["a b", "c\"d", "", "e'f", "g\\h"].map(OsString::from).to_vec();
        let word = file_of_words(&words, &folder.path().join("words")).expect("writable");
        assert_eq!(expanded(&[word]).expect("no more files"), words);
    }
}
