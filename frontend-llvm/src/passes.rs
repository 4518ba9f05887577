//! LLVM's middle end over a module, before Frazil compiles it.
//!
//! The pipeline is text as LLVM's `opt -passes` takes it. The vectorizers are on, as they are in clang from -O2
//! on.

use crate::error::ReadError;
use crate::source::Source;
use inkwell::OptimizationLevel;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};

/// Runs a pipeline, such as `default<O2>`, over a module that was read from `source`.
///
/// # Errors
/// If LLVM does not know the module's target, or a pass.
pub fn run_passes(module: &Module<'_>, pipeline: &str, source: &Source) -> Result<(), ReadError> {
    let failed = |message: String| ReadError::without_place(source.name(), format!("--llvm-passes: {message}"));
    let machine = machine(module).map_err(&failed)?;
    let options = PassBuilderOptions::create();
    options.set_loop_vectorization(true);
    options.set_loop_slp_vectorization(true);
    let outcome = module.run_passes(pipeline, &machine, options);
    outcome.map_err(|message| failed(message.to_string_lossy().into_owned()))
}

/// What passes ask about the target that they optimize for: that of the module's triple.
fn machine(module: &Module<'_>) -> Result<TargetMachine, String> {
    Target::initialize_all(&InitializationConfig::default());
    let named = module.get_triple();
    let triple = match named.as_str().to_bytes().is_empty() {
        true => TargetMachine::get_default_triple(),
        false => TargetTriple::create(&named.as_str().to_string_lossy()),
    };
    let target = Target::from_triple(&triple).map_err(|message| message.to_string_lossy().into_owned())?;
    target
        .create_target_machine(
            &triple,
            "",
            "",
            OptimizationLevel::Default,
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| format!("LLVM makes no code for {}", triple.as_str().to_string_lossy()))
}
