//! From bitcode to output: one module, function by function.
//!
//! Method: the module is opened without its bodies; then a [worker] reads and compiles one function after the other,
//! and a [sink] appends each to the output before the next is read, so that memory holds one function at a time. All
//! state is used again for the next function. A function that cannot be compiled does not hide what is wrong with the
//! others: all refusals are collected, and nothing is written then. A panic, which is a defect of Frazil, becomes an
//! error that names the function and the stage.

mod listing;
mod object_sink;
mod parallel;
mod pexe;
mod print;
mod sink;
mod source;
mod splice;
mod worker;

pub use listing::list_refusals;
pub(crate) use parallel::STACK_BYTES;

use crate::assembler::{self, Source};
use crate::contents::Input;
use crate::diagnostics::{Error, Stage};
use crate::machine::{COMPILE_FOR_OURS, target_entry};
use crate::options::{CompressDebug, Emit, Options};
use crate::timing::{Clock, Report};
use frazil_codegen::{Target, TargetEntry};
use frazil_emit::EmitOptions;
use frazil_emit::dwarf::{DebugOptions, SplitDebug};
use frazil_emit::placement::Compressor;
use frazil_ir::Module;
use frazil_passes::Listener;
use frazil_passes::observe::Deaf;
use object_sink::ObjectSink;
use parallel::Plan;
use sink::{Appended, Flow, Sink, TextSink};
use source::Opened;
use std::io::Write;
use std::mem;
use worker::{Worker, definitions};

/// Compiles a module for one of the targets and says how that went. Nothing is written unless every function could be
/// compiled.
pub fn compile_to(
    input: Input<'_>,
    options: &Options,
    targets: &[TargetEntry],
    listener: &mut dyn Listener,
    out: &mut dyn Write,
) -> Result<Report, Error> {
    let clock = Clock::start(options.measure);
    let opened = Opened::open(input, options, targets)?;
    let opening = clock.elapsed();
    let mut job = Job {
        options,
        targets,
        listener,
    };
    let mut report = match options.emit {
        Emit::Ir => job.print(&opened, out)?,
        Emit::Pexe => job.write_pexe(&opened, out)?,
        Emit::Mach => job.print_machine(&opened, out)?,
        Emit::Asm => job.write_text(&opened, out)?,
        Emit::Obj | Emit::Hooks | Emit::Null => job.write_object(&opened, out)?,
    };
    report.times.read += opening;
    if options.instrument.is_some() {
        let bound = frazil_instrument::Bound::of(opened.module());
        report.sites = bound.and_then(|bound| bound.sites(opened.module()));
    }
    if options.ends_process {
        mem::forget(opened);
    }
    Ok(report)
}

/// What is to be done with a module.
struct Job<'a> {
    options: &'a Options,
    targets: &'a [TargetEntry],
    listener: &'a mut dyn Listener,
}

impl Job<'_> {
    /// Writes assembly text.
    fn write_text(&mut self, opened: &Opened<'_>, out: &mut dyn Write) -> Result<Report, Error> {
        let target = choose_target(self.options, opened.module(), self.targets)?;
        let sink = TextSink::new(
            opened.module(),
            &*target,
            emit_options(opened.module(), self.options),
            self.options,
        )?;
        let mut worker = Worker::new(opened, self.options, &*target, true)?;
        // A text takes everything.
        let _ = self.fill(opened, &mut worker, sink, out)?;
        Ok(worker.into_report())
    }

    /// Writes an object, by way of an assembler if the module needs one.
    fn write_object(&mut self, opened: &Opened<'_>, out: &mut dyn Write) -> Result<Report, Error> {
        let (module, options) = (opened.module(), self.options);
        let target = choose_target(options, module, self.targets)?;
        let body_bytes = module.functions.keys().map(|id| opened.body_bytes(id)).sum();
        let emit = emit_options(module, options);
        let Some(sink) = ObjectSink::new(module, &*target, emit, options, body_bytes)? else {
            return self.assemble(opened, &*target, out);
        };
        let mut worker = Worker::new(opened, options, &*target, false)?;
        match self.fill(opened, &mut worker, sink, out)? {
            Flow::Continue => Ok(worker.into_report()),
            Flow::NeedsAssembler => {
                // The functions have been seen once.
                let mut again = Job {
                    listener: &mut Deaf,
                    ..*self
                };
                again.assemble(opened, &*target, out)
            }
        }
    }

    /// Compiles to assembly text and has an assembler make the object.
    #[cold]
    fn assemble(&mut self, opened: &Opened<'_>, target: &dyn Target, out: &mut dyn Write) -> Result<Report, Error> {
        let (module, options) = (opened.module(), self.options);
        let mut sink = TextSink::new(module, target, emit_options(module, options), options)?;
        let mut worker = Worker::new(opened, options, target, true)?;
        let _ = self.compile_all(opened, &mut worker, &mut sink)?;
        let places = sink.places();
        let mut text = Vec::new();
        let _ = sink.finish(&mut worker, &mut text)?;
        let source = Source {
            module,
            target: target.desc(),
            text: &text,
            places: &places,
        };
        let object = assembler::assemble(&source, options.assembler.as_deref())?;
        let written = out.write_all(&object);
        worker.clock.lap(&mut worker.report.times.write);
        written.map_err(|error| Error::output(&error))?;
        Ok(worker.into_report())
    }

    /// Compiles all functions into a sink and has it write the output.
    fn fill<S: Sink>(
        &mut self,
        opened: &Opened<'_>,
        worker: &mut Worker<'_>,
        mut sink: S,
        out: &mut dyn Write,
    ) -> Result<Flow, Error> {
        match self.compile_all(opened, worker, &mut sink)? {
            Flow::NeedsAssembler => Ok(Flow::NeedsAssembler),
            Flow::Continue => {
                let written = sink.finish(worker, out);
                worker.clock.lap(&mut worker.report.times.write);
                written
            }
        }
    }

    /// Compiles all functions into a sink. After the first refusal, what follows is compiled to find the others only.
    fn compile_all<S: Sink>(
        &mut self,
        opened: &Opened<'_>,
        worker: &mut Worker<'_>,
        sink: &mut S,
    ) -> Result<Flow, Error> {
        let mut appended = Appended::default();
        match Plan::new(opened, self.options) {
            Some(plan) => parallel::compile_all(&plan, worker, sink, &mut appended)?,
            None => self.compile_here(opened.module(), worker, sink, &mut appended),
        }
        appended.flow()
    }

    /// The same in this thread.
    fn compile_here<S: Sink>(
        &mut self,
        module: &Module,
        worker: &mut Worker<'_>,
        sink: &mut S,
        appended: &mut Appended,
    ) {
        for definition in definitions(module) {
            let before = worker.report.times;
            let outcome = worker.guarded(&definition.name, |worker| {
                worker.make_code(&definition, self.listener)?;
                if appended.has_failed() {
                    return Ok(Flow::Continue);
                }
                let flow = sink.add(&definition, &mut worker.code)?;
                worker.clock.lap(&mut worker.report.times.write);
                Ok(flow)
            });
            if self.options.measure {
                worker.report.add_function(&definition.name, &before, &worker.function);
            }
            if appended.note(outcome).is_break() {
                return;
            }
            worker.give_back(definition.id);
        }
    }
}

/// How the output is written.
fn emit_options(module: &Module, options: &Options) -> EmitOptions {
    EmitOptions {
        relocation_model: source::relocation_model(module, options),
        function_sections: options.function_sections,
        data_sections: options.data_sections,
        compress_debug: match options.compress_debug {
            CompressDebug::None => None,
            CompressDebug::Zlib => Some(Compressor::Zlib),
            CompressDebug::Zstd => Some(Compressor::Zstd),
        },
        debug: DebugOptions {
            // Texts have everything.
            split: options.debug.split.clone().map(|split| SplitDebug {
                is_file: split.is_file && options.emit != Emit::Asm,
                ..split
            }),
            ..options.debug
        },
    }
}

/// The target that the options ask for, or that of the module's triple.
fn choose_target(options: &Options, module: &Module, targets: &[TargetEntry]) -> Result<Box<dyn Target>, Error> {
    let is_open = options.target.is_none() && options.triple.is_none();
    if let Some(entry) = targets.first().filter(|_| is_open && options.emit == Emit::Pexe) {
        // An executable of PNaCl is for no machine, and passes ask a target for little: the first will do.
        return Ok((entry.new)());
    }
    let of_module = module.strings.display(module.triple);
    let triple = options.triple.as_deref().unwrap_or(&of_module);
    let entry = target_entry(options.target.as_deref(), triple, targets);
    // The options are not to blame for what the module says.
    let entry = entry.map_err(|error| match (&options.target, &options.triple) {
        (None, None) => error.in_stage(Stage::Read).between("", COMPILE_FOR_OURS),
        (None, Some(_)) => error.between("--mtriple: ", ""),
        _ => error,
    })?;
    refuse_hooks_for_others(options, entry)?;
    Ok((entry.new)())
}

/// Refuses tools whose hooks are machine code for another target.
fn refuse_hooks_for_others(options: &Options, entry: &TargetEntry) -> Result<(), Error> {
    let tools = options.instrument.iter().flat_map(|tools| tools.all());
    for tool in tools {
        if let Some(object) = tool.object.as_ref().filter(|object| object.target != entry.name) {
            let message = format!(
                "{}: the hooks in {} are machine code for {}, and the program is compiled for {}",
                tool.file, tool.hooks_path, object.target, entry.name
            );
            return Err(Error::new(Stage::Options, message));
        }
    }
    Ok(())
}
