//! What a command line asks for, as a list of programs to start: clang says it.
//!
//! Method: `clang -###` prints the commands that it would run, each word in quotes. So everything that clang's driver
//! decides (names of outputs and of files beside them, languages, defaults, what is linked how) is clang's decision,
//! and options arrive here in the form that its compiler proper takes, of which there is one for each meaning. A
//! command that makes code of a source becomes Frazil's: the compiler proper is told to write bitcode
//! ([`Job::words_for_bitcode`]), and Frazil makes what was asked for.
//!
//! distcc sends preprocessed sources and nothing else to other machines. Bitcode in a file of such a name (`part.i`) is
//! compiled as bitcode, so that what `frazil split` makes can be sent, too.
//!
//! Files that clang passes from one command to the next lie in a folder of the wrapper's, because clang is told that
//! temporary files go there.

use crate::clang::Compiler;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::io::{IsTerminal, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// How lines of clang's begin with which it introduces itself before a plan.
const BANNER: &[&str] = &["Target: ", "Thread model: ", "InstalledDir: ", "Build config: "];
/// What is between two commands when the second is run by clang's own process.
const IN_PROCESS: &str = " (in-process)";

/// What the compiler proper may be told to do, instead of making code: the last such word counts.
const OTHER_ACTIONS: &[&str] = &[
    "-E",
    "-Eonly",
    "-fsyntax-only",
    "-emit-llvm",
    "-emit-llvm-bc",
    "-emit-llvm-only",
    "-emit-codegen-only",
    "-emit-cir",
    "-emit-pch",
    "-emit-header-unit",
    "-emit-module",
    "-emit-module-interface",
    "-emit-reduced-module-interface",
    "-emit-interface-stubs",
    "-emit-html",
    "-emit-ast",
    "-extract-api",
    "-ast-dump",
    "-ast-dump-all",
    "-ast-list",
    "-ast-print",
    "-ast-view",
    "-analyze",
    "-dump-tokens",
    "-dump-raw-tokens",
    "-dump-deserialized-decls",
    "-dump-coverage-mapping",
    "-fixit",
    "-init-only",
    "-module-file-info",
    "-print-preamble",
    "-print-dependency-directives-minimized-source",
    "-rewrite-macros",
    "-rewrite-objc",
    "-rewrite-test",
    "-templight-dump",
    "-verify-pch",
];

/// A command of clang's plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The program and its arguments.
    pub words: Vec<OsString>,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// What clang says about itself.
    pub banner: Vec<u8>,
    /// What clang says about the command line.
    pub messages: Vec<u8>,
    pub jobs: Vec<Job>,
    /// The code that clang ends with if it finds the command line wrong.
    pub failure: Option<i32>,
}

impl Plan {
    /// Asks clang. Temporary files are to be in the folder.
    ///
    /// # Errors
    /// When clang cannot be started.
    pub fn make(compiler: &Compiler, words: &[OsString], temporary: &Path) -> io::Result<Plan> {
        let mut command = compiler.command();
        command.arg("-###");
        // clang sees a pipe and would show no colors.
        if io::stderr().is_terminal() && std::env::var_os("TERM").is_some_and(|terminal| terminal != "dumb") {
            command.arg("-fdiagnostics-color=always");
        }
        command.args(compiler.words(words, &temporary.join("plan"))?);
        for variable in ["TMPDIR", "TMP", "TEMP", "TEMPDIR"] {
            command.env(variable, temporary);
        }
        let output = command.output().map_err(|error| compiler.not_started(&error))?;
        let mut plan = Plan::parse(&output.stderr);
        plan.jobs.iter_mut().for_each(Job::recognize_bitcode);
        if !output.status.success() {
            plan.failure = Some(output.status.code().unwrap_or(1));
        }
        Ok(plan)
    }

    /// Reads what clang prints.
    fn parse(text: &[u8]) -> Plan {
        let mut plan = Plan::default();
        let mut rest = text;
        while !rest.is_empty() {
            if rest.starts_with(b" \"") {
                let words;
                (words, rest) = command(rest);
                plan.jobs.push(Job { words });
                continue;
            }
            let end = rest
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(rest.len(), |at| at + 1);
            let (line, more) = rest.split_at(end);
            rest = more;
            let shown = String::from_utf8_lossy(line);
            let introduces = BANNER.iter().any(|start| shown.starts_with(start));
            match () {
                () if shown.trim_end() == IN_PROCESS => {}
                () if introduces || (plan.banner.is_empty() && shown.contains("clang version ")) => {
                    plan.banner.extend(line);
                }
                () => plan.messages.extend(line),
            }
        }
        plan
    }
}

/// Takes a command from the beginning of a text: words in quotes, in which a backslash takes the meaning from what it
/// stands before, to the end of a line.
fn command(text: &[u8]) -> (Vec<OsString>, &[u8]) {
    let mut words = Vec::new();
    let mut bytes = text.iter().enumerate();
    let mut word: Option<Vec<u8>> = None;
    while let Some((at, &byte)) = bytes.next() {
        match (byte, &mut word) {
            (b'"', None) => word = Some(Vec::new()),
            (b'"', Some(_)) => words.extend(word.take().map(OsString::from_vec)),
            (b'\\', Some(word)) => word.extend(bytes.next().map(|(_, byte)| *byte)),
            (_, Some(word)) => word.push(byte),
            (b'\n', None) => return (words, &text[at + 1..]),
            (_, None) => {}
        }
    }
    (words, &[])
}

/// What a command of the plan does with a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    Object,
    Assembly,
}

/// The languages of sources that have been preprocessed, which distributing tools send as they are.
const PREPROCESSED: &[&str] = &["cpp-output", "c++-cpp-output"];

/// How bitcode begins.
const BITCODE: [u8; 4] = *b"BC\xc0\xde";

impl Job {
    /// Takes bitcode for what it is if it has the name of a preprocessed source.
    fn recognize_bitcode(&mut self) {
        let is_preprocessed = |language: &OsStr| PREPROCESSED.iter().any(|known| language == *known);
        if self.code_kind().is_none() || !self.value("-x").is_some_and(is_preprocessed) {
            return;
        }
        let mut first = [0; BITCODE.len()];
        let read = File::open(self.source()).and_then(|mut file| file.read_exact(&mut first));
        let language = self.words.iter().rposition(|word| word == "-x");
        if let (Ok(()), BITCODE, Some(language)) = (read, first, language) {
            self.words[language + 1] = OsString::from("ir");
        }
    }

    /// The arguments of the compiler proper, if the job is one for it.
    fn compiler_words(&self) -> Option<&[OsString]> {
        let (program_and_kind, rest) = self.words.split_at_checked(2)?;
        (program_and_kind[1] == "-cc1").then_some(rest)
    }

    /// Whether it makes a program or a shared library of objects.
    pub fn is_link(&self) -> bool {
        let kind = self.words.get(1).and_then(|word| word.to_str()).unwrap_or_default();
        let program = Path::new(self.words.first().map_or(OsStr::new(""), OsString::as_os_str));
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let is_linker = ["ld", "ld.bfd", "ld.gold", "mold", "collect2"]
            .iter()
            .any(|linker| name.ends_with(linker));
        let links_for_c = name.ends_with("gcc") || name.ends_with("g++");
        !kind.starts_with("-cc1") && (is_linker || links_for_c || name.ends_with("lld")) && !self.has("-r")
    }

    /// The kind of code that is made of a source, if that is the job.
    pub fn code_kind(&self) -> Option<CodeKind> {
        let words = self.compiler_words()?;
        let kinds = words.iter().rev().filter_map(|word| match word.to_str()? {
            "-emit-obj" => Some(Some(CodeKind::Object)),
            "-S" => Some(Some(CodeKind::Assembly)),
            other => OTHER_ACTIONS.contains(&other).then_some(None),
        });
        kinds.into_iter().next().flatten()
    }

    /// The words of the job of the compiler proper that are options; all others are values or files.
    pub fn options(&self) -> &[OsString] {
        self.compiler_words().unwrap_or_default()
    }

    /// The word after another one.
    pub fn value(&self, option: &str) -> Option<&OsStr> {
        let at = self.words.iter().rposition(|word| word == option)?;
        self.words.get(at + 1).map(OsString::as_os_str)
    }

    /// Whether a word is there.
    pub fn has(&self, option: &str) -> bool {
        self.words.iter().any(|word| word == option)
    }

    /// What follows the beginning of the last word that begins so.
    pub fn suffix(&self, beginning: &str) -> Option<&str> {
        let words = self.words.iter().rev();
        let mut found = words.filter_map(|word| word.to_str()?.strip_prefix(beginning));
        found.next()
    }

    /// Where the output goes.
    pub fn output(&self) -> Option<&OsStr> {
        self.value("-o")
    }

    /// The source: the last word of a job of the compiler proper.
    pub fn source(&self) -> &OsStr {
        self.words.last().map_or(OsStr::new(""), OsString::as_os_str)
    }

    /// The letter of the optimization level.
    pub fn level(&self) -> char {
        let level = self
            .options()
            .iter()
            .rev()
            .find_map(|word| word.to_str()?.strip_prefix("-O"));
        match level.and_then(|letters| letters.chars().next()) {
            None => '0',
            Some('g') => '1',
            Some('4'..='9' | 'f') => '3',
            Some(letter) => letter,
        }
    }

    /// The arguments that make it write bitcode to standard output.
    pub fn words_for_bitcode(&self) -> Vec<OsString> {
        let mut kept = vec![OsString::from("-cc1"), "-emit-llvm-bc".into(), "-o".into(), "-".into()];
        let mut words = self.options().iter();
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("-emit-obj" | "-S") => {}
                Some("-o") => drop(words.next()),
                _ => kept.push(word.clone()),
            }
        }
        kept
    }

    /// The job as clang prints it.
    pub fn shown(words: &[OsString]) -> Vec<u8> {
        let mut text = Vec::new();
        for word in words {
            text.extend(b" \"");
            for &byte in word.as_bytes() {
                if matches!(byte, b'"' | b'\\' | b'$') {
                    text.push(b'\\');
                }
                text.push(byte);
            }
            text.push(b'"');
        }
        text.push(b'\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "Debian clang version 22.1.8\nTarget: x86_64-pc-linux-gnu\nThread model: posix\n\
        InstalledDir: /llvm/bin\nclang: warning: unused\n (in-process)\n \"/bin/clang\" \"-cc1\" \"-O2\" \
        \"-emit-obj\" \"-vectorize-loops\" \"-D\" \"A=\\\"\\$x\\\\\" \"-o\" \"scratch/a.o\" \"-x\" \"c\" \"a b.c\"\n \
        \"/bin/ld\" \"-o\" \"a\nb\" \"scratch/a.o\"\n";

    #[test]
    fn what_clang_prints_is_taken_apart() {
        let plan = Plan::parse(PRINTED.as_bytes());
        assert_eq!(plan.messages, b"clang: warning: unused\n");
        assert!(plan.banner.starts_with(b"Debian") && plan.banner.ends_with(b"bin\n"));
        let [compile, link] = &plan.jobs[..] else {
            panic!("{plan:?}")
        };
        assert_eq!(compile.code_kind(), Some(CodeKind::Object));
        assert_eq!(compile.value("-D"), Some(OsStr::new("A=\"$x\\")));
        assert_eq!((compile.source(), compile.level()), (OsStr::new("a b.c"), '2'));
        assert_eq!(compile.output(), Some(OsStr::new("scratch/a.o")));
        assert_eq!((link.code_kind(), link.output()), (None, Some(OsStr::new("a\nb"))));
        let printed = Job::shown(&compile.words);
        assert_eq!(command(&printed), (compile.words.clone(), &[][..]));
    }

    #[test]
    fn bitcode_goes_to_standard_output() {
        let plan = Plan::parse(PRINTED.as_bytes());
        let words = plan.jobs[0].words_for_bitcode();
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let expected = "-cc1 -emit-llvm-bc -o - -O2 -vectorize-loops -D A=\"$x\\ -x c a b.c";
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn the_last_action_counts() {
        let kind = |words: &str| {
            let words = words.split(' ').map(OsString::from).collect();
            Job { words }.code_kind()
        };
        assert_eq!(kind("clang -cc1 -S -o a.s a.c"), Some(CodeKind::Assembly));
        assert_eq!(kind("clang -cc1 -emit-obj -ast-dump -o a.o a.c"), None);
        assert_eq!(kind("clang -cc1as -filetype obj a.s"), None);
        assert_eq!(kind("ld -S -o a b.o"), None);
    }
}
