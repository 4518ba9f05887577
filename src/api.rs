//! What the library offers besides its modules, in a build with everything.

pub use crate::driver::Driver;
pub use crate::embedded::Embedded;
pub use crate::options::{Emit, InputForm, Options, read_hooks};
pub use crate::timing::Report;
pub use frazil_codegen as codegen;
pub use frazil_codegen::{RelocationModel, TargetEntry};
pub use frazil_frontend_pnacl::pnacl::is_pexe;
pub use frazil_instrument as instrument;
pub use frazil_ir as ir;
pub use frazil_ir::Refusal;
pub use frazil_passes as passes;
pub use frazil_passes::Recipe;
pub use frazil_split::Split;

use crate::contents::Input;
use crate::{Error, pipeline};
use frazil_ir::Platform;
use frazil_passes::observe::Deaf;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// The targets that this build can compile for.
pub fn targets() -> &'static [TargetEntry] {
    frazil_targets::builtin()
}

/// The platform of a triple among those that this build can compile for, for the reader of bitcode.
pub fn platform_of(triple: &[u8]) -> Option<&'static Platform> {
    TargetEntry::platform_of(triple, targets())
}

/// Compiles a module in memory, with the built-in passes and targets; [`Driver`] has others.
///
/// # Errors
/// When the bitcode cannot be read, or something in it cannot be compiled or written.
pub fn compile(bitcode: &[u8], options: &Options) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    compile_to(bitcode, options, &mut out)?;
    Ok(out)
}

/// Compiles a module and says how that went. Nothing is written unless every function could be compiled.
///
/// # Errors
/// As for [`compile`], and the writer's.
pub fn compile_to(bitcode: &[u8], options: &Options, out: &mut dyn Write) -> Result<Report, Error> {
    pipeline::compile_to(Input::from(bitcode), options, targets(), &mut Deaf, out)
}

/// Runs the command `frazil` with these arguments, the program's name first. Messages go to standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    Driver::builtin().run(arguments)
}
