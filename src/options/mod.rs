//! Options: of the library ([`Options`]) and of the command line ([`Arguments`]).

mod observe;
mod recipe;
mod registers;

pub use observe::{ObserveArguments, ReportForm};
pub use recipe::RecipeArguments;
pub use registers::RegisterArguments;

use crate::diagnostics::{Error, Stage};
use crate::pipeline::InputForm;
use clap::{Parser, ValueEnum};
use frazil_codegen::RelocationModel;
use frazil_passes::recipe::BUILTIN;
use frazil_passes::{Observe, Recipe};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
}

/// Options of a compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The target's name; without it, the target of the module's triple.
    pub target: Option<String>,
    /// What the input is.
    pub input_form: InputForm,
    /// What to make.
    pub emit: Emit,
    /// How to compile.
    pub recipe: Arc<Recipe>,
    /// Where the code may be placed; without it, what the module's flags say, and static if they say nothing.
    pub relocation_model: Option<RelocationModel>,
    /// Whether each function has a section of its own.
    pub function_sections: bool,
    /// Whether each data definition has a section of its own.
    pub data_sections: bool,
    /// What is observed while passes run.
    pub observe: Observe,
    /// Whether each register allocation is proved; see [`frazil_codegen::check`].
    pub check_regalloc: bool,
    /// Which registers may be used.
    pub registers: RegisterArguments,
    /// Whether assembly text says what each line comes from and which registers are alive.
    pub asm_verbose: bool,
    /// Whether times are measured; see [`crate::Report`].
    pub measure: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            target: None,
            input_form: InputForm::default(),
            emit: Emit::default(),
            recipe: Arc::new(Recipe::find(BUILTIN[0].name).expect("built-in recipes are right")),
            relocation_model: None,
            function_sections: false,
            data_sections: false,
            observe: Observe::default(),
            check_regalloc: cfg!(debug_assertions),
            registers: RegisterArguments::default(),
            asm_verbose: false,
            measure: false,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  frazil hello.bc -o hello.o && cc hello.o -o hello    compile, then link with the C compiler's driver
  clang -c -emit-llvm hello.c -o - | frazil - -o -     read standard input, write standard output
  frazil --emit asm hello.bc -o hello.s                write assembly text
  frazil --time-passes --stats big.bc -o /dev/null     say where the time goes";

/// Compiles LLVM bitcode to native object files, fast.
#[derive(Debug, Parser)]
#[command(name = "frazil", after_help = EXAMPLES)]
pub struct Arguments {
    /// Bitcode file (LLVM 3.8 to 22), or text as --emit ir writes it (.fzl), or - for bitcode from standard input
    #[arg(required_unless_present_any = ["list_passes", "explain_recipe", "recipe_schema"])]
    pub input: Option<PathBuf>,
    /// Output file, or - for standard output [default: the input's name with .o, .s or .fzl; - for standard input]
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Target to compile for; --version lists them [default: the module's]
    #[arg(long)]
    pub target: Option<String>,
    /// What to write [default: obj; ir with --stop-after]
    #[arg(long, value_enum)]
    pub emit: Option<Emit>,
    /// Where the code may be placed [default: pic if the module has a PIC level, else static]
    #[arg(long, value_enum)]
    pub relocation_model: Option<Model>,
    /// Give each function a section of its own
    #[arg(long)]
    pub function_sections: bool,
    /// Give each variable a section of its own
    #[arg(long)]
    pub data_sections: bool,
    /// Say in assembly text what each line comes from, which registers are alive and which end there
    #[arg(long)]
    pub asm_verbose: bool,
    /// Threads besides the main one; only 0 so far
    #[arg(long, default_value_t = 0)]
    pub threads: u32,
    /// Which recipe
    #[command(flatten)]
    pub recipe: RecipeArguments,
    /// What to look at
    #[command(flatten)]
    pub observe: ObserveArguments,
    /// Which registers
    #[command(flatten)]
    pub registers: RegisterArguments,
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
}

/// Values of `--relocation-model`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// Fixed addresses, for executables that are not position-independent
    Static,
    /// Position-independent code
    Pic,
}

impl Arguments {
    /// What is asked for instead of a compilation.
    pub(crate) fn question(&self) -> Option<Question<'_>> {
        match &self.recipe {
            recipe if recipe.list_passes => Some(Question::Passes),
            recipe if recipe.recipe_schema => Some(Question::RecipeSchema),
            recipe => recipe.explain_recipe.as_deref().map(Question::Recipe),
        }
    }

    /// The options of the compilation, with this recipe.
    ///
    /// # Errors
    /// When a value is none that this program knows.
    pub fn options(&self, recipe: Recipe) -> Result<Options, Error> {
        if self.threads != 0 {
            let message = format!("--threads {}: not supported yet; the only value is 0", self.threads);
            return Err(Error::new(Stage::Options, message));
        }
        Ok(Options {
            target: self.target.clone(),
            input_form: self.input_form(),
            emit: self.emit()?,
            recipe: Arc::new(recipe),
            relocation_model: self.relocation_model.map(|model| match model {
                Model::Static => RelocationModel::Static,
                Model::Pic => RelocationModel::Pic,
            }),
            function_sections: self.function_sections,
            data_sections: self.data_sections,
            observe: self.observe.observe()?,
            check_regalloc: self.observe.check_regalloc || cfg!(debug_assertions),
            registers: self.registers.clone(),
            asm_verbose: self.asm_verbose,
            measure: self.observe.time_passes.is_some(),
        })
    }

    /// What is to be written.
    fn emit(&self) -> Result<Emit, Error> {
        match (self.emit, &self.observe.stop_after) {
            (None, None) => Ok(Emit::Obj),
            (None | Some(Emit::Ir), Some(_)) => Ok(Emit::Ir),
            (Some(emit), None) => Ok(emit),
            (Some(_), Some(_)) => {
                let message = "--stop-after writes the intermediate representation: use --emit ir, or no --emit";
                Err(Error::new(Stage::Options, message))
            }
        }
    }

    /// What the input is: text if its name says so.
    fn input_form(&self) -> InputForm {
        let extension = self.input_path().extension();
        match extension.is_some_and(|extension| extension == "fzl") {
            true => InputForm::Text,
            false => InputForm::Bitcode,
        }
    }

    /// The input's name in messages.
    pub fn input_name(&self) -> String {
        if is_standard_stream(self.input_path()) {
            return "<standard input>".to_owned();
        }
        self.input_path().display().to_string()
    }

    /// The input; standard input if there is none.
    pub(crate) fn input_path(&self) -> &Path {
        self.input.as_deref().unwrap_or(Path::new("-"))
    }

    /// Where the output goes.
    pub fn output_path(&self) -> PathBuf {
        if let Some(path) = &self.output {
            return path.clone();
        }
        let input = self.input_path();
        let named = input.with_extension(match self.emit {
            Some(Emit::Ir) => "fzl",
            None if self.observe.stop_after.is_some() => "fzl",
            None | Some(Emit::Obj) => "o",
            Some(Emit::Asm) => "s",
        });
        // Text to text: the input is not overwritten.
        match is_standard_stream(input) || named == input {
            true => PathBuf::from("-"),
            false => named,
        }
    }
}

/// Whether a path means standard input or output.
pub(crate) fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Arguments {
        Arguments::try_parse_from(std::iter::once("frazil").chain(words.split(' '))).expect("valid arguments")
    }

    #[test]
    fn the_output_is_named_after_input_and_kind() {
        assert_eq!(parse("dir/in.bc").output_path(), Path::new("dir/in.o"));
        assert_eq!(parse("in.bc --emit asm").output_path(), Path::new("in.s"));
        assert_eq!(parse("- --emit ir").output_path(), Path::new("-"));
        assert_eq!(parse("- -o x.o").output_path(), Path::new("x.o"));
        assert_eq!(parse("in.bc --stop-after dce").output_path(), Path::new("in.fzl"));
        assert_eq!(parse("in.fzl --stop-after dce").output_path(), Path::new("-"));
    }

    #[test]
    fn values_that_are_not_known_are_refused() {
        let recipe = Recipe::find("Om1").expect("built in");
        let error = parse("in.bc --threads 4").options(recipe).expect_err("refused");
        assert_eq!(error.to_string(), "--threads 4: not supported yet; the only value is 0");
    }
}
