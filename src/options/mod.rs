//! Options: of the library ([`Options`]) and of the command line ([`Arguments`]).

mod debug;
mod hook_objects;
mod instrument;
pub(crate) mod llc;
mod observe;
mod places;
mod recipe;
mod registers;
mod source;
mod target;
pub(crate) mod words;

pub use debug::DebugArguments;
pub(crate) use instrument::hooks_input;
pub use instrument::{InstrumentArguments, read_hooks};
pub use observe::{ObserveArguments, ReportForm};
pub use places::Job;
pub(crate) use places::named_after;
pub use recipe::{Level, RecipeArguments, recipe_of_level};
pub use registers::RegisterArguments;
pub use source::{InputForm, LlvmOptions};
pub use target::{CodeModel, FramePointers, Model, TargetArguments};
pub use words::{Personality, split_words};

use crate::diagnostics::{Error, Stage};
use crate::{input, memory_limit};
use clap::builder::BoolishValueParser;
use clap::{Parser, ValueEnum};
use clap_complete::Shell;
use frazil_codegen::RelocationModel;
pub use frazil_emit::dwarf::{DebugOptions, SplitDebug};
use frazil_instrument::Tools;
use frazil_ir::module::FramePointer;
use frazil_passes::recipe::BUILTIN;
use frazil_passes::{Observe, Recipe};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

/// Modules with fewer bytes of functions are compiled before another thread would have begun.
pub(crate) const LEAST_SHARED_BYTES: u64 = 64 << 10;
/// More threads than any machine has processors.
const MOST_THREADS: i64 = 4096;

/// What a compilation makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// A relocatable object file.
    #[default]
    Obj,
    /// The assembly text of the same object, for GNU `as`.
    Asm,
    /// The module as text of Frazil's intermediate representation.
    Ir,
    /// An executable of PNaCl; the module must have pointers of 32 bits, and define all that it uses.
    Pexe,
    /// Nothing, after all the work of making an object.
    Null,
    /// The object file of the hooks of each tool, without any input.
    Hooks,
    /// Machine code as text, for people, as it is after the pass that [`Observe::stop_after`] names.
    #[value(skip)]
    Mach,
}

/// How debug sections are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CompressDebug {
    /// Not at all
    #[default]
    None,
    /// By zlib, where that makes them smaller
    Zlib,
    /// By zstd, where that makes them smaller
    Zstd,
}

/// Options of a compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The target's name; without it, the target of the triple.
    pub target: Option<String>,
    /// The triple; without it, the module's.
    pub triple: Option<String>,
    /// The processor, for functions that name none.
    pub cpu: Option<String>,
    /// Features of the processor, each with its sign, besides those that functions name.
    pub features: String,
    /// Which functions keep a frame pointer, if the module does not say it.
    pub frame_pointer: FramePointer,
    /// Whether no function may leave by a jump to another, whatever it says.
    pub disable_tail_calls: bool,
    /// Whether every function aligns the stack pointer itself, whatever it says.
    pub realign_stack: bool,
    pub input_form: InputForm,
    /// Which module of a file of bitcode with several is compiled, counted from 0; without it, there must be no other.
    pub module: Option<usize>,
    /// What to make.
    pub emit: Emit,
    /// How to compile.
    pub recipe: Arc<Recipe>,
    /// Where the code may be placed; without it, what the module's flags say, and static if they say nothing.
    pub relocation_model: Option<RelocationModel>,
    /// How far apart code and data may be; without it, what the module's flags say.
    pub code_model: Option<CodeModel>,
    /// In the medium code model, the size in bytes above which data may be anywhere; without it, what the module's
    /// flags say, and 0 if they say nothing.
    pub large_data_threshold: Option<u64>,
    /// Whether each function has a section of its own.
    pub function_sections: bool,
    /// Whether each data definition has a section of its own.
    pub data_sections: bool,
    /// Whether debug information of the input is kept; what is not kept is not even read.
    pub keeps_debug: bool,
    /// How debug sections of objects are compressed.
    pub compress_debug: CompressDebug,
    /// What debug information is made of.
    pub debug: DebugOptions,
    /// Where debug information goes that linkers need not see, if it has a file.
    pub split_output: Option<PathBuf>,
    /// What is observed while passes run.
    pub observe: Observe,
    /// Whether each register allocation is proved; see [`frazil_codegen::check`].
    pub check_regalloc: bool,
    /// Which registers may be used.
    pub registers: RegisterArguments,
    /// Whether assembly text says what each line comes from and which registers are alive.
    pub asm_verbose: bool,
    /// The assembler for inline assembly that Frazil does not encode; without it, it is looked for.
    pub assembler: Option<PathBuf>,
    /// Whether times are measured; see [`crate::Report`].
    pub measure: bool,
    /// How many threads compile besides that of the caller, which does it alone unless they are two at least. The
    /// output is the same for any number. What is told to a listener, and what is timed, is done in the caller's alone.
    pub threads: u32,
    /// The tools whose hooks are called at places of the program.
    pub instrument: Option<Arc<Tools>>,
    /// The tool by its number among those, if the module is that of its hooks.
    pub hooks_of: Option<(Arc<Tools>, usize)>,
    /// Whether the process ends after this module: the system gets the memory back faster than piece by piece, as with
    /// clang's `-disable-free`.
    pub ends_process: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            target: None,
            triple: None,
            cpu: None,
            features: String::new(),
            frame_pointer: FramePointer::None,
            disable_tail_calls: false,
            realign_stack: false,
            input_form: InputForm::default(),
            module: None,
            emit: Emit::default(),
            recipe: Arc::new(Recipe::find(BUILTIN[0].name).expect("built-in recipes are right")),
            relocation_model: None,
            code_model: None,
            large_data_threshold: None,
            function_sections: false,
            data_sections: false,
            keeps_debug: true,
            compress_debug: CompressDebug::None,
            debug: DebugOptions::default(),
            split_output: None,
            observe: Observe::default(),
            check_regalloc: cfg!(debug_assertions),
            registers: RegisterArguments::default(),
            asm_verbose: false,
            assembler: None,
            measure: false,
            threads: 0,
            instrument: None,
            hooks_of: None,
            ends_process: false,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  frazil hello.bc -o hello.o && cc hello.o -o hello    compile, then link with the C compiler's driver
  clang -c -emit-llvm hello.c -o - | frazil > hello.o  read standard input, write standard output
  frazil --emit asm hello.bc -o hello.s                write assembly text
  frazil -O2 *.bc -o objects/                          compile many files
  frazil --llvm-passes 'default<O2>' hello.ll          have LLVM optimize first
  frazil --time-passes --stats big.bc -o /dev/null     say where the time goes

Long options may be written with one dash, and @FILE stands for the words in a file. Called by the name frazil-llc, the
program has the defaults of LLVM's llc, -O2 and assembly text, and takes llc's options; -w leaves out the note on those
that change nothing here.";

/// Compiles LLVM's intermediate representation to native object files, fast.
#[derive(Debug, Parser)]
#[command(name = "frazil", after_help = EXAMPLES, args_override_self = true, disable_version_flag = true)]
pub struct Arguments {
    /// Bitcode (LLVM 3.0 to 22), text of LLVM's IR (.ll, by the helper program frazil-llvm), text as --emit ir writes
    /// it (.fzl), or an archive or object with bitcode; - for standard input [default: standard input]
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Output file, or folder for many inputs or modules, or - for standard output [default: the input's name with .o,
    /// .s or .fzl; - for standard input]
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// What to write [default: obj; ir with --stop-after]
    #[arg(long, value_enum, visible_alias = "filetype")]
    pub emit: Option<Emit>,
    /// Give each function a section of its own
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new())]
    pub function_sections: Option<bool>,
    /// Give each variable a section of its own
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new())]
    pub data_sections: Option<bool>,
    /// Leave out debug information, which is not even read then
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new())]
    pub strip_debug: Option<bool>,
    /// Compress debug sections of objects
    #[arg(long, value_name = "FORM", value_enum, num_args = 0..=1, require_equals = true,
          default_value = "none", default_missing_value = "zlib", hide_default_value = true)]
    pub compress_debug_sections: CompressDebug,
    #[command(flatten)]
    pub debug: DebugArguments,
    /// Say in assembly text what each line comes from, which registers are alive and which end there
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = BoolishValueParser::new())]
    pub asm_verbose: Option<bool>,
    /// Have LLVM run passes of its middle end first, as opt -passes takes them
    #[arg(long, value_name = "PIPELINE")]
    pub llvm_passes: Option<String>,
    /// Take what LLVM reads (text, or anything with --llvm-passes) without a look at LLVM's rules
    #[arg(long)]
    pub disable_verify: bool,
    /// Print everything in the inputs that is not supported, with codes, and compile nothing
    #[arg(long, value_name = "FORM", value_enum, num_args = 0..=1, require_equals = true,
          default_missing_value = "text")]
    pub list_unsupported: Option<ReportForm>,
    /// Print the codes of everything that is not supported, and end
    #[arg(long)]
    pub list_codes: bool,
    /// Compile in so many threads besides the main one, which writes; the output is the same for any number [default:
    /// the processors that the process may use]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=MOST_THREADS))]
    pub threads: Option<u32>,
    /// Fail when compiling takes more memory than this, as 512M or 2G, instead of taking it
    #[arg(long, value_name = "SIZE", value_parser = memory_limit::parse)]
    pub max_memory: Option<u64>,
    /// Print a completion script for a shell, and end
    #[arg(long, value_name = "SHELL", value_enum)]
    pub completions: Option<Shell>,
    /// Print the manual page, and end
    #[arg(long)]
    pub man_page: bool,
    /// Print the version and the targets, and end
    #[arg(short = 'V', long)]
    pub version: bool,
    /// Which machine
    #[command(flatten)]
    pub target: TargetArguments,
    #[command(flatten)]
    pub recipe: RecipeArguments,
    #[command(flatten)]
    pub instrument: InstrumentArguments,
    /// What to look at
    #[command(flatten)]
    pub observe: ObserveArguments,
    #[command(flatten)]
    pub registers: RegisterArguments,
    /// The program's name.
    #[arg(skip)]
    pub personality: Personality,
}

/// What a run may be asked to print instead of compiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question<'a> {
    /// All passes.
    Passes,
    /// The recipe of this name.
    Recipe(&'a str),
    /// The schema of recipe files.
    RecipeSchema,
    /// The version, and the targets.
    Version,
    /// The processors and features of the target.
    Processors,
    /// The codes of refusals.
    Codes,
    /// A completion script.
    Completions(Shell),
    /// The manual page.
    ManPage,
}

impl Arguments {
    /// What is asked for instead of a compilation.
    pub(crate) fn question(&self) -> Option<Question<'_>> {
        match &self.recipe {
            _ if self.version => Some(Question::Version),
            _ if self.target.asks_for_help() => Some(Question::Processors),
            _ if self.man_page => Some(Question::ManPage),
            _ if self.list_codes => Some(Question::Codes),
            _ if self.completions.is_some() => self.completions.map(Question::Completions),
            recipe if recipe.list_passes => Some(Question::Passes),
            recipe if recipe.recipe_schema => Some(Question::RecipeSchema),
            recipe => recipe.explain_recipe.as_deref().map(Question::Recipe),
        }
    }

    /// The options of the compilation, with this recipe and without tools.
    ///
    /// # Errors
    /// When a value is none that this program knows.
    pub fn options(&self, recipe: Recipe) -> Result<Options, Error> {
        Ok(Options {
            target: self.target.target.clone(),
            triple: self.target.mtriple.clone(),
            cpu: self.target.mcpu.clone(),
            features: self.target.features()?,
            frame_pointer: self.target.frame_pointer(),
            disable_tail_calls: self.target.disable_tail_calls,
            realign_stack: self.target.stackrealign,
            input_form: InputForm::Bitcode,
            module: None,
            emit: self.emit(&recipe)?,
            recipe: Arc::new(recipe),
            relocation_model: self.target.relocation_model(),
            code_model: self.target.code_model,
            large_data_threshold: self.target.large_data_threshold,
            function_sections: self.function_sections.unwrap_or_default(),
            data_sections: self.data_sections.unwrap_or_default(),
            keeps_debug: !self.strip_debug.unwrap_or_default(),
            compress_debug: self.compress_debug_sections,
            debug: self.debug.options(),
            split_output: self.debug.split_dwarf_output.clone(),
            observe: self.observe.observe()?,
            check_regalloc: self.observe.checks_regalloc() || cfg!(debug_assertions),
            registers: self.registers.clone(),
            asm_verbose: self.asm_verbose.unwrap_or_default(),
            assembler: self.target.assembler.clone(),
            measure: self.observe.time_passes.is_some(),
            threads: self.threads.unwrap_or_else(|| self.default_threads()),
            instrument: None,
            hooks_of: None,
            ends_process: false,
        })
    }

    /// What LLVM is to do before Frazil compiles.
    pub fn llvm(&self) -> LlvmOptions {
        LlvmOptions {
            passes: self.llvm_passes.clone(),
            disable_verify: self.disable_verify,
            helper: None,
        }
    }

    /// What is to be written.
    pub(crate) fn emit(&self, recipe: &Recipe) -> Result<Emit, Error> {
        let stop = self.observe.stop_after.as_ref();
        let is_machine = |stop: &&String| recipe.is_machine_place(stop.split(':').next().unwrap_or_default());
        match (self.emit, stop) {
            (None, Some(stop)) if is_machine(&stop) => Ok(Emit::Mach),
            (Some(_), Some(stop)) if is_machine(&stop) => {
                let message = format!("--stop-after {stop} writes machine code as text: leave --emit out");
                Err(Error::new(Stage::Options, message))
            }
            (None | Some(Emit::Ir), Some(_)) => Ok(Emit::Ir),
            (Some(emit), None) => Ok(emit),
            (None, None) if self.personality == Personality::Llc => Ok(Emit::Asm),
            (None, None) => Ok(Emit::Obj),
            (Some(_), Some(_)) => {
                let message = "--stop-after writes the intermediate representation: use --emit ir, or no --emit";
                Err(Error::new(Stage::Options, message))
            }
        }
    }
}

impl Arguments {
    /// How many threads compile if nobody says it: as many as there are processors, if there is enough to share out.
    fn default_threads(&self) -> u32 {
        match &*self.inputs {
            // The system need not be asked, which takes as long as compiling a small input.
            [input] if (1..LEAST_SHARED_BYTES).contains(&input::size(input)) => 0,
            _ => processors(),
        }
    }
}

/// How many processors this process may use; with one, threads would be of no use.
fn processors() -> u32 {
    match std::thread::available_parallelism().map_or(1, NonZero::get) {
        1 => 0,
        several => several.min(MOST_THREADS as usize) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Arguments {
        Arguments::try_parse_from(std::iter::once("frazil").chain(words.split(' '))).expect("valid arguments")
    }

    #[test]
    fn values_that_are_not_known_are_refused() {
        let refused = |words: &str| {
            let recipe = Recipe::find("Om1").expect("built in");
            parse(words).options(recipe).expect_err("refused").to_string()
        };
        assert_eq!(
            refused("in.bc --mattr popcnt"),
            "--mattr: `popcnt` has no sign: +popcnt uses the feature, -popcnt does not"
        );
    }

    #[test]
    fn the_last_of_several_values_counts_and_switches_take_values() {
        let arguments = parse("--function-sections --data-sections --data-sections=false --mcpu a --mcpu b in.bc");
        assert_eq!(
            (arguments.function_sections, arguments.data_sections),
            (Some(true), Some(false))
        );
        assert_eq!(arguments.target.mcpu.as_deref(), Some("b"));
    }
}
