//! The compiler inside of another program that has options and files of its own: a wrapper of clang, a linker.
//!
//! Such a program passes on what its user says to Frazil, in the words of the command ([`Embedded::new`]), and has
//! modules compiled with it, whose files and kind it chooses itself. Only the options in [`ALLOWED`] have a meaning
//! there; all others (input, output, machine, questions) are the other program's, and refused by name.

use crate::contents::Input;
use crate::diagnostics::{Error, Stage};
use crate::driver::Driver;
use crate::options::{Arguments, CompressDebug, Emit, Options, hooks_input, recipe_of_level, words};
use crate::output::Output;
use crate::timing::Clock;
use crate::{Report, dump, input};
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches};
use frazil_emit::dwarf::DebugOptions;
pub use frazil_emit::dwarf::SplitDebug;
use frazil_passes::{Observe, Recipe};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The options that another program may be given for Frazil, by the names that the option parser knows them by.
const ALLOWED: &[&str] = &[
    "recipe",
    "recipe_file",
    "passes",
    "disable",
    "set",
    "assembler",
    "asm_verbose",
    "print_before",
    "print_after",
    "print_before_all",
    "print_after_all",
    "print_changed",
    "filter_func",
    "filter_print_funcs",
    "dump_dir",
    "dot_cfg",
    "verify_each",
    "check_regalloc",
    "check_machine",
    "verify_machineinstrs",
    "check_preserved",
    "start_before",
    "bisect_limit",
    "time_passes",
    "time_functions",
    "stats",
    "reg_use",
    "reg_exclude",
    "reg_reserve",
    "threads",
    "instrument",
    "explain_instrument",
];

/// Frazil with options that came in words.
#[derive(Debug)]
pub struct Embedded {
    driver: Driver,
    arguments: Arguments,
    options: Options,
    /// The recipe without what tools put in.
    plain: Arc<Recipe>,
}

impl Embedded {
    /// Takes options as the command has them; `level` is the letter of the other program's optimization level, which
    /// chooses the recipe where the words do not.
    ///
    /// # Errors
    /// When the words are no options, or none that have a meaning in another program.
    pub fn new(options: &[OsString], level: char) -> Result<Embedded, Error> {
        let wrong = |message: String| Error::new(Stage::Options, message);
        let mut command = Arguments::command();
        let program = OsString::from("frazil");
        let options = words::prepare(std::iter::once(program).chain(options.iter().cloned()), &command)?.words;
        let usage = |error: clap::Error| {
            let text = error.to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            // What follows is about the command as it is called alone.
            wrong(text.split("\n\nUsage:").next().unwrap_or(text).trim_end().to_owned())
        };
        let mut matches = command.try_get_matches_from_mut(options).map_err(usage)?;
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
            if is_given && !ALLOWED.contains(&id) {
                return Err(wrong(refusal(argument)));
            }
        }
        let mut arguments = Arguments::from_arg_matches_mut(&mut matches).map_err(usage)?;
        let recipe = &mut arguments.recipe;
        if recipe.recipe.is_none() && recipe.recipe_file.is_empty() {
            recipe.recipe = Some(recipe_of_level(level).to_owned());
        }
        let driver = Driver::builtin();
        let plain = driver.recipe(&arguments, None)?;
        let options = Options {
            // Build systems start as many compilers as there are processors.
            threads: arguments.threads.unwrap_or(0),
            ..driver.options(&arguments, driver.recipe(&arguments, None)?)?
        };
        if let Some(folder) = arguments.observe.dump_dir.as_deref() {
            dump::prepare(folder)?;
        }
        Ok(Embedded {
            driver,
            arguments,
            options,
            plain: plain.into(),
        })
    }

    /// The same with so many threads besides that of the caller, unless the words say how many.
    #[must_use]
    pub fn with_threads(mut self, threads: u32) -> Embedded {
        self.options.threads = self.arguments.threads.unwrap_or(threads);
        self
    }

    /// The same for a target, by its name, instead of that of each module.
    #[must_use]
    pub fn with_target(mut self, name: &str) -> Embedded {
        self.options.target = Some(name.to_owned());
        self
    }

    /// Compiles a module, which has a name for messages. What the options ask to be printed goes to standard error.
    ///
    /// # Errors
    /// When the bitcode cannot be read, or something in it cannot be compiled or written.
    pub fn compile(&self, (name, bitcode): (&str, &[u8]), module: &Wanted, out: Output) -> Result<Report, Error> {
        let options = Options {
            emit: module.emit,
            function_sections: module.function_sections,
            data_sections: module.data_sections,
            asm_verbose: module.asm_verbose || self.options.asm_verbose,
            compress_debug: module.compress_debug,
            debug: DebugOptions {
                all_frames: module.debug_frames || self.options.debug.all_frames,
                address_ranges: module.address_ranges || self.options.debug.address_ranges,
                type_units: module.type_units || self.options.debug.type_units,
                split: module.split.as_ref().map(|(split, _)| split.clone()),
            },
            split_output: module.split.as_ref().and_then(|(_, path)| path.clone()),
            ..self.options.clone()
        };
        let start = Clock::start(options.measure);
        let (report, text) =
            self.driver
                .compile_bytes(&self.arguments, &options, (name, Input::from(bitcode)), start, out)?;
        let explanations = match &options.instrument {
            Some(tools) if self.arguments.instrument.explain_instrument => tools.explanations(),
            _ => String::new(),
        };
        // There is no other place for it.
        let _ = std::io::stderr().write_all((text + &explanations).as_bytes());
        Ok(report)
    }

    /// Whether tools instrument what is compiled, so that the objects of their hooks must be linked.
    pub fn has_tools(&self) -> bool {
        self.options.instrument.is_some()
    }

    /// The objects of the hooks of all tools, for the target of those that are compiled, each with the name of its
    /// tool.
    ///
    /// # Errors
    /// When hooks cannot be read, or something in them cannot be compiled.
    pub fn hooks(&self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        hooks_objects(&self.driver, &self.options, &self.plain)
    }

    /// The name of the recipe.
    pub fn recipe(&self) -> &str {
        &self.options.recipe.name
    }
}

/// The objects of the hooks of all tools of a compilation, by a recipe without instrumentation, each with the name of
/// its tool.
///
/// # Errors
/// When hooks cannot be read, or something in them cannot be compiled.
pub fn hooks_objects(
    driver: &Driver,
    options: &Options,
    recipe: &Arc<Recipe>,
) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let Some(tools) = &options.instrument else {
        return Ok(Vec::new());
    };
    let mut objects = Vec::new();
    for (number, tool) in tools.all().iter().enumerate() {
        let path = Path::new(&tool.hooks_path);
        let bytes = input::read(path)?;
        if tool.object.is_some() {
            // It is linked as it is.
            objects.push((tool.name.clone(), bytes));
            continue;
        }
        let (bytes, input_form) = hooks_input(path, bytes)?;
        let options = Options {
            input_form,
            instrument: None,
            hooks_of: Some((Arc::clone(tools), number)),
            recipe: Arc::clone(recipe),
            emit: Emit::Obj,
            observe: Observe::default(),
            ..options.clone()
        };
        let object = driver.compile(&bytes, &options);
        let object = object.map_err(|error| error.between(&format!("{}: ", path.display()), ""))?;
        objects.push((tool.name.clone(), object));
    }
    Ok(objects)
}

/// What is to be made of a module, which the other program decides.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub emit: Emit,
    /// Whether each function has a section of its own.
    pub function_sections: bool,
    /// Whether each data definition has a section of its own.
    pub data_sections: bool,
    /// Whether assembly text has comments.
    pub asm_verbose: bool,
    /// How debug sections are compressed.
    pub compress_debug: CompressDebug,
    /// Whether `.debug_frame` has all functions.
    pub debug_frames: bool,
    /// Whether `.debug_aranges` is written.
    pub address_ranges: bool,
    /// Whether types have units of their own.
    pub type_units: bool,
    /// What other file there is for debug information that linkers need not see, and its path.
    pub split: Option<(SplitDebug, Option<PathBuf>)>,
}

fn refusal(argument: &clap::Arg) -> String {
    match (argument.get_long(), argument.get_short()) {
        (None, None) => "only options may be given to Frazil here, and no files".to_owned(),
        (Some(long), _) => format!("--{long} has no meaning here: it is for the command `frazil` alone"),
        (None, Some(short)) => format!("-{short} has no meaning here: it is for the command `frazil` alone"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(words: &str) -> Result<Embedded, String> {
        let words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
        Embedded::new(&words, '2').map_err(|error| error.to_string())
    }

    #[test]
    fn the_level_of_the_other_program_chooses_unless_a_recipe_is_named() {
        assert_eq!(made("").expect("nothing is wrong").recipe(), "O2");
        assert_eq!(made("--recipe Om1").expect("built in").recipe(), "Om1");
        assert_eq!(made("-disable=licm").expect("there is such a pass").recipe(), "O2");
    }

    #[test]
    fn what_has_no_meaning_there_is_refused_by_name() {
        for (words, message) in [
            ("in.bc", "only options may be given"),
            ("-o x.o", "--output has no meaning here"),
            ("--emit ir", "--emit has no meaning here"),
            ("--mtriple x", "--mtriple has no meaning here"),
            ("-O3", "-O has no meaning here"),
            ("--list-passes", "--list-passes has no meaning here"),
            ("--stop-after dce", "--stop-after has no meaning here"),
            ("--recipe no-such", "no-such"),
            ("--disable no-such", "no-such"),
            ("--no-such", "unexpected argument '--no-such' found"),
        ] {
            let error = made(words).expect_err(words);
            assert!(error.contains(message), "{words}: {error}");
        }
    }

    #[test]
    fn all_options_that_are_allowed_exist() {
        let command = Arguments::command();
        let known: Vec<&str> = command
            .get_arguments()
            .map(|argument| argument.get_id().as_str())
            .collect();
        for name in ALLOWED {
            assert!(known.contains(name), "{name}");
        }
    }
}
