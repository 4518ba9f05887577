//! What of a module is not supported: all of it, without an output.
//!
//! Each function is compiled as ever, and what comes out is thrown away. Where one is refused, the selecting context
//! goes over it again and says what else it meets; a body that cannot be read gives its first refusal only. What is
//! refused outside of functions comes first, what data is refused for comes last.

use super::{Job, Sink, entry, in_function, panic_in};
use crate::diagnostics::{Diagnostic, Error, Stage};
use crate::options::Options;
use crate::pipeline::source::Opened;
use crate::timing::Report;
use frazil_codegen::{CodegenError, TargetEntry, Unit};
use frazil_emit::{EmitError, ObjectBuilder, Placement};
use frazil_ir::module::ComdatSelection;
use frazil_ir::{ComdatId, Linkage, Module, Str};
use frazil_passes::Subject;
use frazil_passes::observe::Deaf;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
    let mut report = Report::default();
    let mut job = Job {
        opened: &opened,
        options,
        targets,
        listener: &mut Deaf,
        is_observed: false,
        report: &mut report,
    };
    job.list(&writable, &mut found)?;
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

impl Job<'_> {
    fn list(&mut self, writable: &Module, found: &mut Vec<Diagnostic>) -> Result<(), Error> {
        let module = self.opened.module();
        let target = (entry(self.options, module, self.targets)?.new)();
        let (emit_options, relocation_model) = self.emit_options();
        let builder = ObjectBuilder::new(writable, target.desc(), emit_options)?;
        let mut sink = Sink::Object(builder);
        let mut worker = self.worker(&*target, relocation_model, false)?;
        for (number, (id, head)) in module.functions.iter().enumerate() {
            if module.symbols[head.symbol].linkage == Linkage::AvailableExternally {
                continue;
            }
            let name = module.display_name(head.symbol);
            let subject = Subject {
                number,
                name: &name,
                head,
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                match worker.compile(id, subject, self.report, &mut Deaf) {
                    Ok(()) => Ok(sink.add(id, &worker.code)?),
                    Err(error) if worker.stage == Stage::Compile => Err(worker.every_refusal(subject, error)),
                    Err(error) => Err(error),
                }
            }));
            match outcome {
                Ok(Ok(())) => {}
                Ok(Err(error)) => found.extend(in_function(error, &name)),
                Err(_) => {
                    found.push(panic_in(worker.stage, worker.runner.current_pass(), &name));
                    // Nothing is known of the state that the panic left behind.
                    worker = self.worker(&*target, relocation_model, false)?;
                }
            }
        }
        if let Sink::Object(mut builder) = sink {
            let refusals = builder.data_refusals().into_iter();
            let refusals = refusals.filter(|error| matches!(error, EmitError::Unsupported { .. }));
            found.extend(refusals.flat_map(|error| Error::from(error).diagnostics().to_vec()));
        }
        Ok(())
    }
}

impl super::Worker<'_> {
    /// All that code generation refuses in the current function; `first` is what it was refused for.
    fn every_refusal(&mut self, subject: Subject<'_>, first: Error) -> Error {
        let unit = Unit {
            function: &self.function,
            head: subject.head,
            view: self.view,
        };
        let all = self.target.refusals(&unit, &mut self.optimize, &mut self.code);
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        for error in all {
            if matches!(error, CodegenError::Unsupported { .. } | CodegenError::TooLarge { .. }) {
                diagnostics.extend(Error::from(error).diagnostics().to_vec());
            }
        }
        if diagnostics.is_empty() {
            first
        } else {
            Error::from(diagnostics)
        }
    }
}
