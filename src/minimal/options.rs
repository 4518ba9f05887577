//! The options of the small command: few, by the names and with the meanings that they have in the whole one.

use crate::diagnostics::{Error, Stage};
use crate::input::is_standard_stream;
use crate::machine;
use frazil_codegen::{RelocationModel, included};
use frazil_ir::included::DEBUG_INFORMATION;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What is asked for.
pub(super) enum Request {
    Compile(Arguments),
    /// A text is to be printed, and that is all.
    Print(String),
}

/// A compilation.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub input: PathBuf,
    pub output: PathBuf,
    /// The processor, for functions that name none.
    pub cpu: Option<String>,
    /// Features of the processor, each with its sign.
    pub features: String,
    /// Without it, the module's.
    pub relocation_model: Option<RelocationModel>,
    pub function_sections: bool,
    pub data_sections: bool,
    pub strip_debug: bool,
}

impl Arguments {
    /// The input's name in messages.
    pub fn input_name(&self) -> String {
        match is_standard_stream(&self.input) {
            true => "<stdin>".to_owned(),
            false => self.input.display().to_string(),
        }
    }
}

/// The only recipe.
const RECIPE: &str = "Om1";

const USAGE: &str = "\
Compiles LLVM bitcode to an ELF object file, fast.

Usage: frazil [OPTIONS] [INPUT]

Arguments:
  [INPUT]  Bitcode (LLVM 3.8 to 22); - for standard input [default: standard input]

Options:
  -o, --output <FILE>             Output file, or - for standard output [default: the input's name with .o; - for
                                  standard input]
      --function-sections         Give each function a section of its own
      --data-sections             Give each variable a section of its own
      --strip-debug               Leave out debug information, if this build has it at all
      --threads <N>               Taken from other commands' words: this build compiles in one thread
      --relocation-model <MODEL>  Where the code may be placed: static, pic [default: what the module says]
      --mcpu <NAME>               Processor for functions that name none
      --mattr <+NAME,-NAME,...>   Features of the processor to use or not, besides those that functions name
      --recipe <NAME>, -O0        How to compile: Om1
  -h, --help                      Print help
  -V, --version                   Print the version, the targets, and what this build contains

This is a small build. What it leaves out, builds with the feature `command` have.
";

/// Reads the words after the program's name.
///
/// # Errors
/// When a word is no option, has a wrong value, or is a second input.
pub(super) fn parse(words: impl Iterator<Item = OsString>) -> Result<Request, Error> {
    let mut arguments = Arguments::default();
    let mut input = None;
    let mut output = None;
    let mut features = Vec::new();
    let mut words = Words { words, value: None };
    while let Some(word) = words.next()? {
        let option = match word {
            Word::Input(path) if input.is_none() => {
                input = Some(path);
                continue;
            }
            Word::Input(path) => {
                return Err(wrong(format!(
                    "{}: this build compiles one input at a time",
                    path.display()
                )));
            }
            Word::Option(option) => option,
        };
        match &*option {
            "-o" | "--output" => output = Some(PathBuf::from(words.value(&option)?)),
            "--function-sections" => arguments.function_sections = words.flag(&option)?,
            "--data-sections" => arguments.data_sections = words.flag(&option)?,
            "--strip-debug" => arguments.strip_debug = words.flag(&option)?,
            // The object is the same for any number, and this command has only the main one.
            "--threads" => drop(words.value(&option)?),
            "--mcpu" => arguments.cpu = Some(words.text(&option)?),
            "--mattr" => features.push(words.text(&option)?),
            "--relocation-model" => {
                arguments.relocation_model = Some(match &*words.text(&option)? {
                    "static" => RelocationModel::Static,
                    "pic" => RelocationModel::Pic,
                    other => return Err(wrong(format!("{option}: `{other}` is neither static nor pic"))),
                });
            }
            "--recipe" => match &*words.text(&option)? {
                RECIPE => {}
                other => return Err(left_out(&format!("recipe `{other}`"))),
            },
            "-O0" => {}
            "--emit" | "--filetype" => match &*words.text(&option)? {
                "obj" => {}
                other => return Err(left_out(&format!("{option} {other}"))),
            },
            "-h" | "--help" => return Ok(Request::Print(USAGE.to_owned())),
            "-V" | "--version" => return Ok(Request::Print(version())),
            _ => return Err(left_out(&format!("option `{option}`"))),
        }
        words.refuse_rest(&option)?;
    }
    arguments.features = machine::feature_list(&features)?;
    arguments.input = input.unwrap_or_else(|| PathBuf::from("-"));
    arguments.output = output.unwrap_or_else(|| match is_standard_stream(&arguments.input) {
        true => PathBuf::from("-"),
        false => arguments.input.with_extension("o"),
    });
    Ok(Request::Compile(arguments))
}

fn wrong(message: String) -> Error {
    Error::new(Stage::Options, message)
}

fn left_out(what: &str) -> Error {
    wrong(format!(
        "this small build has no {what}; --help lists what it has, builds of Frazil with the feature `command` have more"
    ))
}

fn version() -> String {
    let mut text = format!("frazil {}\n\nTargets:\n", env!("CARGO_PKG_VERSION"));
    for target in frazil_targets::builtin() {
        text.push_str(&format!("  {}  {}\n", target.name, target.summary));
    }
    text.push_str("\nThis build has:\n");
    for (feature, is_there) in [
        ("vectors", included::VECTORS),
        ("rare", included::RARE),
        ("speed", frazil_support::SPEED),
        ("optimize", included::OPTIMIZING_PATH),
        ("debug-information", DEBUG_INFORMATION),
    ] {
        text.push_str(&format!("  {feature}: {}\n", if is_there { "yes" } else { "no" }));
    }
    text
}

enum Word {
    Input(PathBuf),
    /// With its dashes, without its value; of a long one there are two.
    Option(String),
}

/// The words of a command line.
struct Words<W> {
    words: W,
    /// What stood behind the equals sign of the last option.
    value: Option<String>,
}

impl<W: Iterator<Item = OsString>> Words<W> {
    /// The next input or option.
    fn next(&mut self) -> Result<Option<Word>, Error> {
        let Some(word) = self.words.next() else {
            return Ok(None);
        };
        let text = match word.to_str() {
            Some(text) if text.len() > 1 && text.starts_with('-') => text,
            _ => return Ok(Some(Word::Input(word.into()))),
        };
        if text == "--" {
            return Ok(self.words.next().map(|input| Word::Input(input.into())));
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        self.value = value;
        let letters = name.trim_start_matches('-');
        // Long options may be written with one dash.
        let is_short = letters.len() == 1 || letters.starts_with('O');
        Ok(Some(Word::Option(match is_short {
            true => format!("-{letters}"),
            false => format!("--{letters}"),
        })))
    }

    /// The value of an option.
    fn value(&mut self, option: &str) -> Result<OsString, Error> {
        let value = self.value.take().map(OsString::from).or_else(|| self.words.next());
        value.ok_or_else(|| wrong(format!("{option}: a value must follow")))
    }

    /// The same, which is a text.
    fn text(&mut self, option: &str) -> Result<String, Error> {
        let text = self.value(option)?.into_string();
        text.map_err(|value| wrong(format!("{option}: `{}` is no text", OsStr::new(&value).display())))
    }

    /// The value of an option that is yes or no; yes without one.
    fn flag(&mut self, option: &str) -> Result<bool, Error> {
        match self.value.take().as_deref() {
            None | Some("true" | "1" | "yes") => Ok(true),
            Some("false" | "0" | "no") => Ok(false),
            Some(other) => Err(wrong(format!("{option}: `{other}` is neither true nor false"))),
        }
    }

    /// Refuses a value that an option does not have.
    fn refuse_rest(&mut self, option: &str) -> Result<(), Error> {
        match self.value.take() {
            Some(value) => Err(wrong(format!("{option}: `{value}` is one value too many"))),
            None => Ok(()),
        }
    }
}
