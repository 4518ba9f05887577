//! Which files are read and written: one input and its output, or many and a folder.

use super::{Arguments, Emit, Personality};
use crate::diagnostics::{Error, Stage};
use crate::input::is_standard_stream;
use crate::part::Part;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// One input and where its output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The file; `-` for standard input.
    pub input: PathBuf,
    /// The file; `-` for standard output.
    pub output: PathBuf,
    /// What of the input is compiled.
    pub(crate) part: Part,
}

impl Job {
    /// All of an input, and where its output goes.
    pub fn new(input: PathBuf, output: PathBuf) -> Job {
        Job {
            input,
            output,
            part: Part::default(),
        }
    }

    /// The input's name in messages.
    pub fn name(&self) -> String {
        let file = match is_standard_stream(&self.input) {
            true => "<stdin>".to_owned(),
            false => self.input.display().to_string(),
        };
        self.part.name_in(file)
    }

    /// Whether the input is text as `--emit ir` writes it, which its name says.
    pub(crate) fn is_frazil_text(&self) -> bool {
        self.part.is_whole() && self.input.extension() == Some(OsStr::new("fzl"))
    }
}

impl Arguments {
    /// What is to be compiled, in the order of the inputs.
    ///
    /// # Errors
    /// When several inputs have one output.
    pub fn jobs(&self, emit: Emit) -> Result<Vec<Job>, Error> {
        match &self.inputs[..] {
            [] => self.jobs_of(&[PathBuf::from("-")], emit),
            inputs => self.jobs_of(inputs, emit),
        }
    }

    /// The same for other inputs than those that are named.
    pub(crate) fn jobs_of(&self, inputs: &[PathBuf], emit: Emit) -> Result<Vec<Job>, Error> {
        let personality = self.personality;
        let folder = self.output.as_deref().filter(|path| is_folder(path));
        if let (None, Some(output), [_, another, ..]) = (folder, &self.output, inputs) {
            let message = format!(
                "-o {}: several inputs ({} is one) need a folder for their outputs, whose name ends with /",
                output.display(),
                another.display()
            );
            return Err(Error::new(Stage::Options, message));
        }
        let jobs = inputs.iter().map(|input| {
            let output = match (folder, &self.output) {
                (Some(folder), _) => folder.join(renamed(input, emit, personality).file_name().unwrap_or_default()),
                (None, Some(output)) => output.clone(),
                (None, None) => named_after(input, emit, personality),
            };
            Job::new(input.clone(), output)
        });
        Ok(jobs.collect())
    }

    /// The folder for outputs, if one is named.
    pub(crate) fn output_folder(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| is_folder(path))
    }
}

/// Whether a path is a folder, or is said to be one.
fn is_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir()
}

/// Ends of names that llc replaces; it appends to other names. It has no `.fzl`.
const REPLACED: [&str; 3] = ["bc", "ll", "fzl"];

/// The output for an input, beside it.
pub(crate) fn named_after(input: &Path, emit: Emit, personality: Personality) -> PathBuf {
    let named = renamed(input, emit, personality);
    // Text to text, or executable to executable: the input is not overwritten.
    match named == input {
        true => PathBuf::from("-"),
        false => named,
    }
}

/// An input with the ending of the output.
fn renamed(input: &Path, emit: Emit, personality: Personality) -> PathBuf {
    let extension = match emit {
        Emit::Obj | Emit::Hooks => "o",
        Emit::Asm => "s",
        Emit::Ir => "fzl",
        Emit::Pexe => "pexe",
        Emit::Mach => "mach",
        Emit::Null => return PathBuf::from("-"),
    };
    let is_replaced = |end: &OsStr| REPLACED.iter().any(|replaced| end == *replaced);
    match personality {
        _ if is_standard_stream(input) => PathBuf::from("-"),
        Personality::Llc if !input.extension().is_some_and(is_replaced) => input.with_added_extension(extension),
        _ => input.with_extension(extension),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use frazil_passes::Recipe;

    fn outputs(words: &str) -> Vec<String> {
        let words = std::iter::once("frazil").chain(words.split(' ').filter(|word| !word.is_empty()));
        let arguments = Arguments::try_parse_from(words).expect("valid arguments");
        let emit = arguments.emit(&Recipe::find("O2").expect("built in")).expect("valid");
        match arguments.jobs(emit) {
            Ok(jobs) => jobs.iter().map(|job| job.output.display().to_string()).collect(),
            Err(error) => vec![error.to_string()],
        }
    }

    #[test]
    fn the_output_is_named_after_input_and_kind() {
        assert_eq!(outputs("dir/in.bc"), ["dir/in.o"]);
        assert_eq!(outputs("in.bc --emit asm"), ["in.s"]);
        assert_eq!(outputs("- --emit ir"), ["-"]);
        assert_eq!(outputs(""), ["-"]);
        assert_eq!(outputs("- -o x.o"), ["x.o"]);
        assert_eq!(outputs("in.bc --stop-after dce"), ["in.fzl"]);
        assert_eq!(outputs("in.fzl --stop-after dce"), ["-"]);
        assert_eq!(outputs("in.bc --stop-after regalloc"), ["in.mach"]);
        assert_eq!(outputs("in.bc --emit pexe"), ["in.pexe"]);
        assert_eq!(outputs("in.pexe --emit pexe"), ["-"]);
    }

    #[test]
    fn many_inputs_go_beside_themselves_or_to_a_folder() {
        assert_eq!(outputs("a.bc b/c.ll"), ["a.o", "b/c.o"]);
        assert_eq!(outputs("a.bc b/c.ll -o out/"), ["out/a.o", "out/c.o"]);
        assert_eq!(
            outputs("a.fzl b.pexe --emit pexe -o out/"),
            ["out/a.pexe", "out/b.pexe"]
        );
        assert_eq!(outputs("a.fzl b.bc --emit ir -o out/"), ["out/a.fzl", "out/b.fzl"]);
        let refused = &outputs("a.bc b.bc -o x.o")[0];
        assert!(refused.contains("need a folder"), "{refused}");
    }
}
