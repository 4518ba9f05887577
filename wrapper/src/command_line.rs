//! What a command line of clang's asks for, as far as the wrapper must know: which words are sources, what is made of
//! them, and where it goes.
//!
//! Method: clang's options are recognized by their spelling only. Those that take the next word as their value are
//! listed, so that a value is not taken for a file; everything else that begins with a dash stands for itself. A
//! command line that asks for anything but code of C and C++ sources is passed on whole.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// clang does it alone.
    PassThrough,
    /// An object, or assembly text, of each source.
    Compile {
        /// Whether text is wanted (`-S`).
        to_text: bool,
    },
    /// A program or library of the sources, and of other files.
    Link,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path; `-` for standard input.
    pub path: PathBuf,
    /// Its place in the words.
    pub position: usize,
    /// The language that `-x` names for it.
    pub language: Option<OsString>,
}

/// A command line taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// All words, those of files of words included.
    pub words: Vec<OsString>,
    /// What is to be done.
    pub action: Action,
    /// The sources that Frazil compiles.
    pub sources: Vec<Source>,
    /// The value of `-o`.
    pub output: Option<PathBuf>,
    /// How much Frazil optimizes: the letter after the last `-O`.
    pub level: char,
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
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-Xassembler",
    "-mllvm",
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
    "--serialize-diagnostics",
    "-serialize-diagnostics",
    "-gcc-toolchain",
    "-ccc-gcc-name",
    "-soname",
    "-install_name",
];

/// Options after which clang makes no code, or code in a form of its own.
const NOT_CODE: &[&str] = &[
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-emit-llvm",
    "-emit-ast",
    "-###",
    "-dumpmachine",
    "-dumpversion",
    "-dumpfullversion",
    "-dumpspecs",
    "--version",
    "--help",
    "--precompile",
    "-rewrite-objc",
    "--analyze",
];

/// How such options begin.
const NOT_CODE_BEGINNINGS: &[&str] = &["-flto", "-print-", "--print-", "-fembed-bitcode", "--help"];

/// Endings of names of files that hold C or C++, preprocessed or not.
const SOURCE_ENDINGS: &[&str] = &["c", "i", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "ii"];
/// The same for what `-x` calls them.
const SOURCE_LANGUAGES: &[&str] = &["c", "cpp-output", "c++", "c++-cpp-output"];

/// Files of words in files of words: deeper than this, one of them names itself.
const DEEPEST_FILE: usize = 16;

impl CommandLine {
    /// Takes the words apart.
    ///
    /// # Errors
    /// When a file of words cannot be read.
    pub fn parse(words: &[OsString]) -> io::Result<CommandLine> {
        let mut line = CommandLine {
            words: expanded(words)?,
            action: Action::Link,
            sources: Vec::new(),
            output: None,
            level: '0',
        };
        line.look();
        Ok(line)
    }

    fn look(&mut self) {
        let mut language: Option<OsString> = None;
        let (mut compiles, mut to_text, mut not_code, mut has_others) = (false, false, false, false);
        let mut position = 0;
        while let Some(word) = self.words.get(position) {
            let text = word.to_string_lossy();
            let value = self.words.get(position + 1);
            match text.as_ref() {
                "-c" => compiles = true,
                "-S" => to_text = true,
                "-o" => self.output = value.map(PathBuf::from),
                "-x" => language = value.filter(|name| *name != "none").cloned(),
                _ if text.starts_with("-x") && text.len() > 2 => {
                    language = Some(text[2..].into()).filter(|name: &OsString| name != "none");
                }
                _ if text.starts_with("-o") && text.len() > 2 => self.output = Some(text[2..].into()),
                _ if NOT_CODE.contains(&text.as_ref()) => not_code = true,
                _ if NOT_CODE_BEGINNINGS.iter().any(|start| text.starts_with(start)) => {
                    not_code |= text != "-flto=none" && text != "-fno-lto";
                }
                _ if text.starts_with("-O") => self.level = level(&text[2..]),
                _ if (text == "-" || !text.starts_with('-')) && is_source(Path::new(word), language.as_deref()) => {
                    self.sources.push(Source {
                        path: PathBuf::from(word),
                        position,
                        language: language.clone(),
                    });
                }
                _ => has_others |= text == "-" || !text.starts_with('-'),
            }
            position += if WITH_VALUE.contains(&text.as_ref()) { 2 } else { 1 };
        }
        self.action = match () {
            () if not_code || self.sources.is_empty() => Action::PassThrough,
            () if compiles || to_text => Action::Compile { to_text },
            () => Action::Link,
        };
        // Files of other languages would be left out, and several outputs of one name are an error of clang's.
        let several_to_one = self.sources.len() > 1 && self.output.is_some();
        if matches!(self.action, Action::Compile { .. }) && (several_to_one || has_others) {
            self.action = Action::PassThrough;
        }
    }

    /// Where the code of a source goes: what `-o` says, or the name of the source in the current folder.
    pub fn output_for(&self, source: &Source) -> PathBuf {
        let ending = match self.action {
            Action::Compile { to_text: true } => "s",
            _ => "o",
        };
        match &self.output {
            Some(output) => output.clone(),
            None => Path::new(source.path.file_name().unwrap_or(OsStr::new("-"))).with_extension(ending),
        }
    }

    /// The words for compiling one source alone: without the other sources, `-o`, and what chooses the kind of output.
    pub fn words_for(&self, source: &Source) -> Vec<OsString> {
        let mut kept = Vec::new();
        let mut position = 0;
        while let Some(word) = self.words.get(position) {
            let text = word.to_string_lossy();
            let width = if WITH_VALUE.contains(&text.as_ref()) { 2 } else { 1 };
            let is_file = text == "-" || !text.starts_with('-');
            let drop = match text.as_ref() {
                "-c" | "-S" => true,
                _ => text.starts_with("-o") || text.starts_with("-x") || (is_file && position != source.position),
            };
            // `-object`, `-openmp`, `-xray` and the like are no forms of `-o FILE` and `-x LANGUAGE` that clang has.
            if !drop {
                if position == source.position
                    && let Some(language) = &source.language
                {
                    kept.extend(["-x".into(), language.clone()]);
                }
                kept.extend(self.words.iter().skip(position).take(width).cloned());
            }
            position += width;
        }
        kept
    }

    /// Whether a word is there.
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }

    /// Whether the last of two words that stand for opposites is the first one.
    pub fn is_on(&self, on: &str, off: &str) -> bool {
        let last = self.words.iter().rfind(|word| *word == on || *word == off);
        last.is_some_and(|word| word == on)
    }

    /// Whether a word begins so.
    pub fn has_beginning(&self, beginning: &str) -> bool {
        let begins = |word: &OsString| word.as_encoded_bytes().starts_with(beginning.as_bytes());
        self.words.iter().any(begins)
    }
}

/// The level that the letters after `-O` mean.
fn level(letters: &str) -> char {
    match letters.chars().next() {
        None => '1',
        Some('f' | '4'..='9') => '3',
        Some('g') => '1',
        Some(letter) => letter,
    }
}

fn is_source(path: &Path, language: Option<&OsStr>) -> bool {
    match language {
        Some(language) => SOURCE_LANGUAGES.iter().any(|name| language == *name),
        None => SOURCE_ENDINGS
            .iter()
            .any(|ending| path.extension() == Some(OsStr::new(ending))),
    }
}

/// The words without `-x`: what is linked has no language.
pub fn without_languages(words: Vec<OsString>) -> Vec<OsString> {
    let mut kept = Vec::with_capacity(words.len());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.to_string_lossy().as_ref() {
            "-x" => drop(words.next()),
            text if text.starts_with("-x") => {}
            _ => kept.push(word),
        }
    }
    kept
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> CommandLine {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        CommandLine::parse(&words).expect("no files of words")
    }

    fn sources(words: &str) -> Vec<String> {
        let line = parse(words);
        line.sources
            .iter()
            .map(|source| source.path.display().to_string())
            .collect()
    }

    fn words_of_first(words: &str) -> String {
        let line = parse(words);
        let kept = line.words_for(&line.sources[0]);
        kept.iter()
            .map(|word| word.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn the_action_follows_from_options_and_files() {
        let compile = Action::Compile { to_text: false };
        for (words, action) in [
            ("-c a.c", compile),
            ("-c a.c -o b/a.o -MD", compile),
            ("-S a.c", Action::Compile { to_text: true }),
            ("a.c b.o -o program -lm", Action::Link),
            ("a.o -o program", Action::PassThrough),
            ("-E a.c", Action::PassThrough),
            ("-c a.c -flto", Action::PassThrough),
            ("-c a.c -emit-llvm", Action::PassThrough),
            ("--version", Action::PassThrough),
            ("-print-search-dirs", Action::PassThrough),
            ("-c a.S", Action::PassThrough),
            ("-c a.c b.S", Action::PassThrough),
            ("-c a.cpp", compile),
            ("-x c++-header a.h", Action::PassThrough),
            ("-c a.cppm", Action::PassThrough),
            ("-x c -c -", compile),
            ("-x assembler -c a.c", Action::PassThrough),
        ] {
            assert_eq!(parse(words).action, action, "{words}");
        }
    }

    #[test]
    fn values_of_options_are_no_sources() {
        assert_eq!(sources("-c a.c -include b.c -MF c.c -o d.c -I e.c"), ["a.c"]);
        assert_eq!(sources("x.c -xc y.h -x none z.h w.i"), ["x.c", "y.h", "w.i"]);
        assert_eq!(sources("x.cc -xc++ y.h -x none z.hpp w.C"), ["x.cc", "y.h", "w.C"]);
    }

    #[test]
    fn a_source_alone_keeps_all_other_options() {
        assert_eq!(
            words_of_first("-c -O2 a.c b.c -DX=1 -I inc -o out.o -Wall"),
            "-O2 a.c -DX=1 -I inc -Wall"
        );
        assert_eq!(words_of_first("-x c a.h -xnone lib.a"), "-x c a.h");
    }

    #[test]
    fn levels_and_outputs() {
        for (words, level) in [
            ("-c a.c", '0'),
            ("-O a.c", '1'),
            ("-O3 -O2 a.c", '2'),
            ("-Ofast a.c", '3'),
            ("-Os a.c", 's'),
            ("-Og a.c", '1'),
        ] {
            assert_eq!(parse(words).level, level, "{words}");
        }
        let line = parse("-c dir/a.c");
        assert_eq!(line.output_for(&line.sources[0]), Path::new("a.o"));
        let line = parse("-S dir/a.c");
        assert_eq!(line.output_for(&line.sources[0]), Path::new("a.s"));
        let line = parse("-c a.c -oout/x.o");
        assert_eq!(line.output_for(&line.sources[0]), Path::new("out/x.o"));
    }
}
