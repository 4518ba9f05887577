//! What of a module is not supported: all of it, without an output.
//!
//! Each function is compiled as ever, and what comes out is thrown away. Where one is refused, the selecting context
//! goes over it again and says what else it meets; a body that cannot be read gives its first refusal only. What is
//! refused outside of functions comes first, what data is refused for comes last.

use super::source::Opened;
use super::worker::{Compiled, Worker, definitions};
use super::{choose_target, emit_options};
use crate::diagnostics::{Diagnostic, Error, Stage};
use crate::options::Options;
use frazil_codegen::TargetEntry;
use frazil_emit::{EmitError, ObjectBuilder, Placement};
use frazil_ir::module::ComdatSelection;
use frazil_ir::{ComdatId, Module, Str};
use frazil_passes::observe::Deaf;

/// What of a module is not supported, in order: the module, functions, data.
///
/// # Errors
/// What keeps from looking: malformed input, options that do not fit.
pub fn list_refusals(input: &[u8], options: &Options, targets: &[TargetEntry]) -> Result<Vec<Diagnostic>, Error> {
    let (opened, refusals) = Opened::open_tolerantly(input, options, targets)?;
    let mut found: Vec<Diagnostic> = refusals;
    let module = opened.module();
    let placement = Placement::refusals(module);
    found.extend(
        placement
            .into_iter()
            .flat_map(|error| Error::from(error).diagnostics().to_vec()),
    );
    let writable = writable(module);
    let target = choose_target(options, module, targets)?;
    let mut builder = ObjectBuilder::new(&writable, target.desc(), emit_options(module, options))?;
    let mut worker = Worker::new(&opened, options, &*target, false)?;
    for definition in definitions(module) {
        let outcome = worker.guarded(&definition.name, |worker| {
            match worker.compile(&definition, &mut Deaf) {
                Ok(Compiled::Stopped) => Ok(()),
                Ok(Compiled::Code) => Ok(builder.add_function(definition.id, &worker.code)?),
                Err(error) if worker.stage == Stage::Compile => Err(worker.every_refusal(definition.head, error)),
                Err(error) => Err(error),
            }
        });
        if let Err(failure) = outcome {
            found.extend(failure.diagnostics);
            if failure.is_panic {
                worker = Worker::new(&opened, options, &*target, false)?;
            }
        }
    }
    let refusals = builder.data_refusals().into_iter();
    let refusals = refusals.filter(|error| matches!(error, EmitError::Unsupported { .. }));
    found.extend(refusals.flat_map(|error| Error::from(error).diagnostics().to_vec()));
    Ok(found)
}

/// The module without what [`Placement::refusals`] names, so that data can be looked at.
fn writable(module: &Module) -> Module {
    let mut module = module.clone();
    module.asm = Str::EMPTY;
    let comdats: Vec<ComdatId> = module.comdats.keys().collect();
    for comdat in comdats {
        module.comdats[comdat].selection = ComdatSelection::Any;
    }
    module
}
