//! Options about the machine that code is made for.

use crate::diagnostics::Error;
use crate::machine;
use clap::{Args, ValueEnum};
use frazil_codegen::RelocationModel;
use frazil_ir::module::{FramePointer, ModuleFlags};
use std::path::PathBuf;

/// What the command line says about the target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Target")]
pub struct TargetArguments {
    /// Target to compile for, by Frazil's or llc's name; --version lists them [default: the module's]
    #[arg(long, value_name = "NAME", visible_alias = "march")]
    pub target: Option<String>,
    /// Compile for this triple instead of the module's
    #[arg(long, value_name = "TRIPLE")]
    pub mtriple: Option<String>,
    /// Processor for functions that name none (help: list them; native: this machine's)
    #[arg(long, value_name = "NAME")]
    pub mcpu: Option<String>,
    /// Features of the processor to use (+name) or not (-name), besides those that functions name (help: list them)
    #[arg(long, value_name = "+NAME,-NAME,...", allow_hyphen_values = true)]
    pub mattr: Vec<String>,
    /// Where the code may be placed [default: pic if the module has a PIC level, else static]
    #[arg(long, value_enum)]
    pub relocation_model: Option<Model>,
    /// How far apart code and data may be [default: what the module says, else small]
    #[arg(long, value_enum)]
    pub code_model: Option<CodeModel>,
    /// In code model medium, data of more bytes may be anywhere [default: what the module says, else 0]
    #[arg(long, value_name = "BYTES")]
    pub large_data_threshold: Option<u64>,
    /// Which functions keep a frame pointer, if the module does not say it
    #[arg(long, value_enum)]
    pub frame_pointer: Option<FramePointers>,
    /// Never let a call take the place of its caller's return, but where it must
    #[arg(long)]
    pub disable_tail_calls: bool,
    /// Align the stack pointer in every function, for callers that do not
    #[arg(long)]
    pub stackrealign: bool,
    /// Assembler for inline assembly that Frazil does not encode itself [default: llvm-mc, clang or as on PATH]
    #[arg(long, value_name = "PROGRAM")]
    pub assembler: Option<PathBuf>,
}

/// Values of `--relocation-model`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// Fixed addresses, for executables that are not position-independent
    Static,
    /// Position-independent code
    Pic,
}

/// Values of `--code-model`. Each target has some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CodeModel {
    /// All symbols within a megabyte
    Tiny,
    /// All symbols within two gigabytes, or four
    Small,
    /// Within the last two gigabytes of addresses; static code only
    Kernel,
    /// Code and small data within two gigabytes, large data anywhere
    Medium,
    /// Code and data anywhere
    Large,
}

impl CodeModel {
    /// LLVM's number (`llvm/Support/CodeGen.h`).
    pub fn number(self) -> u8 {
        match self {
            CodeModel::Tiny => ModuleFlags::TINY,
            CodeModel::Small => ModuleFlags::SMALL,
            CodeModel::Kernel => ModuleFlags::KERNEL,
            CodeModel::Medium => ModuleFlags::MEDIUM,
            CodeModel::Large => ModuleFlags::LARGE,
        }
    }
}

/// Values of `--frame-pointer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FramePointers {
    /// All functions
    All,
    /// Those that call others
    NonLeaf,
    /// Those that need one
    None,
}

impl TargetArguments {
    /// Where code may be placed, if that is said.
    pub(crate) fn relocation_model(&self) -> Option<RelocationModel> {
        self.relocation_model.map(|model| match model {
            Model::Static => RelocationModel::Static,
            Model::Pic => RelocationModel::Pic,
        })
    }

    /// Which functions keep a frame pointer.
    pub(crate) fn frame_pointer(&self) -> FramePointer {
        match self.frame_pointer {
            Some(FramePointers::All) => FramePointer::All,
            Some(FramePointers::NonLeaf) => FramePointer::NonLeaf,
            Some(FramePointers::None) | None => FramePointer::None,
        }
    }

    /// Whether a list of processors or features is asked for.
    pub(crate) fn asks_for_help(&self) -> bool {
        self.mcpu.as_deref() == Some("help") || self.mattr.iter().any(|word| word == "help")
    }

    /// The features that are named, in order, with their signs.
    ///
    /// # Errors
    /// When one has no sign.
    pub(crate) fn features(&self) -> Result<String, Error> {
        machine::feature_list(&self.mattr)
    }
}
