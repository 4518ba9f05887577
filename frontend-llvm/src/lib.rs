//! Modules read by LLVM itself: text, and bitcode of any kind that LLVM 22 understands.
//!
//! [`Source`] is an input with its name, [`parse`] gives LLVM's module, [`verify`] looks whether it is one,
//! [`run_passes`] runs a pipeline of LLVM's middle end over it, and [`ReadError`] says what LLVM found wrong and where.
//! The program `frazil-llvm` is a few lines around them: text in, bitcode out.
//!
//! The only crate that uses LLVM, and none of the compiler: `frazil` never links it, and reads bitcode by itself. There
//! is no second builder of the intermediate representation here, because what LLVM has read goes to the native reader
//! as bitcode. LLVM ends the process on some malformed bitcode; so this crate belongs into a process of its own.

mod error;
mod passes;
mod source;

pub use error::{ReadError, TextPosition};
pub use inkwell::context::Context;
pub use inkwell::module::Module;
pub use passes::run_passes;
pub use source::Source;

/// Reads a module.
///
/// # Errors
/// If LLVM cannot parse the input.
pub fn parse<'context>(context: &'context Context, source: &Source) -> Result<Module<'context>, ReadError> {
    let parsed = context.create_module_from_ir(source.to_buffer());
    parsed.map_err(|message| ReadError::from_parser(source.name(), &message.to_string_lossy()))
}

/// Looks whether a module that was read from `source` keeps LLVM's rules.
///
/// # Errors
/// If it breaks one.
pub fn verify(module: &Module<'_>, source: &Source) -> Result<(), ReadError> {
    let verified = module.verify();
    verified.map_err(|message| ReadError::from_verifier(source.name(), &message.to_string_lossy()))
}

/// Reads and verifies a module.
///
/// # Errors
/// If LLVM cannot parse the input, or what it parsed breaks LLVM's rules.
pub fn read<'context>(context: &'context Context, source: &Source) -> Result<Module<'context>, ReadError> {
    let module = parse(context, source)?;
    verify(&module, source)?;
    Ok(module)
}
