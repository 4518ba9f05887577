//! From bitcode to output: one module, function by function.
//!
//! Method: the module is opened without its bodies; then each body is read, compiled and appended to the output
//! before the next is read, so that memory holds one function at a time. All state is used again for the next
//! function. A function that cannot be compiled does not hide what is wrong with the others: all refusals are
//! collected, and nothing is written then. A panic, which is a defect of Frazil, becomes an error that names the
//! function and the stage.

mod entries;
mod listing;
mod machine;
mod source;
mod splice;

pub use listing::list_refusals;
pub(crate) use machine::target_entry;

use crate::assembler::{self, Source};
use crate::diagnostics::{Diagnostic, Error, Stage};
use crate::options::{Emit, Options};
use crate::timing::{Clock, Report};
use entries::Entries;
use frazil_codegen::optimize::OptimizeState;
use frazil_codegen::{CompiledFunction, FastState, ModuleView, RelocationModel, Target, TargetEntry, Unit};
use frazil_emit::asm::TextPlace;
use frazil_emit::{AsmBuilder, EmitError, EmitOptions, ObjectBuilder};
use frazil_ir::indirect::merge_indirect_jumps;
use frazil_ir::pass::TargetFacts;
use frazil_ir::{FuncId, Function, Linkage, Module, text};
use frazil_passes::observe::Deaf;
use frazil_passes::{Codegen, Listener, Runner, Subject, target_facts};
use machine::Machine;
use source::{BodyReader, Opened};
use splice::Waiting;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Compiles a module for one of the targets and says how that went. Nothing is written unless every function could be
/// compiled.
pub fn compile_to(
    input: &[u8],
    options: &Options,
    targets: &[TargetEntry],
    listener: &mut dyn Listener,
    out: &mut dyn Write,
) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut clock = Clock::start(options.measure);
    let opened = Opened::open(input, options, targets)?;
    clock.lap(&mut report.times.read);
    let mut job = Job {
        opened: &opened,
        options,
        targets,
        listener,
        is_observed: false,
        report: &mut report,
    };
    match options.emit {
        Emit::Ir => job.print_ir(clock, out)?,
        Emit::Obj | Emit::Asm | Emit::Null => job.compile(out)?,
    }
    Ok(report)
}

/// What is to be done.
struct Job<'a> {
    opened: &'a Opened<'a>,
    options: &'a Options,
    targets: &'a [TargetEntry],
    listener: &'a mut dyn Listener,
    /// Whether the listener has seen the functions.
    is_observed: bool,
    report: &'a mut Report,
}

/// Where compiled functions go.
enum Sink<'a> {
    Object(ObjectBuilder<'a>),
    Asm(AsmBuilder<'a>),
}

impl Sink<'_> {
    fn add(&mut self, id: FuncId, code: &CompiledFunction) -> Result<(), EmitError> {
        match self {
            Sink::Object(builder) => builder.add_function(id, code),
            Sink::Asm(builder) => builder.add_function(id, code),
        }
    }

    /// Where assembly stands that users have written.
    fn text_places(&self) -> Vec<TextPlace> {
        match self {
            Sink::Object(_) => Vec::new(),
            Sink::Asm(builder) => builder.text_places().to_vec(),
        }
    }

    fn finish(self, out: &mut dyn Write) -> Result<(), EmitError> {
        match self {
            Sink::Object(builder) => builder.finish(out),
            Sink::Asm(builder) => builder.finish(out),
        }
    }
}

/// Everything that one function after the other is compiled with.
struct Worker<'a> {
    reader: BodyReader<'a>,
    target: &'a dyn Target,
    view: ModuleView<'a>,
    runner: Runner<'a>,
    codegen: &'a Codegen,
    function: Function,
    fast: FastState,
    optimize: OptimizeState,
    code: CompiledFunction,
    machine: Machine<'a>,
    /// The functions that are marked as entered by indirect branches.
    entries: Entries,
    clock: Clock,
    /// What is being done, for the message about a panic.
    stage: Stage,
}

impl Worker<'_> {
    /// Reads and compiles a function; the code is in `self.code` then.
    fn compile(
        &mut self,
        id: FuncId,
        subject: Subject<'_>,
        report: &mut Report,
        listener: &mut dyn Listener,
    ) -> Result<(), Error> {
        self.stage = Stage::Read;
        self.reader.read(id, &mut self.function)?;
        self.clock.lap(&mut report.times.read);
        report.count(&self.function);
        self.stage = Stage::Optimize;
        run_passes(&mut self.runner, subject, &mut self.function, listener)?;
        if self.function.cfg.indirect_jumps() > 1 {
            merge_indirect_jumps(&mut self.function);
        }
        self.clock.lap(&mut report.times.optimize);
        self.stage = Stage::Compile;
        self.view.features = self.machine.features(self.view.module, subject.head)?;
        self.view.marks_entry = self.entries.contains(id);
        let unit = Unit {
            function: &self.function,
            head: subject.head,
            view: self.view,
        };
        match self.codegen {
            Codegen::Fast => {
                self.target.compile_fast(&unit, &mut self.fast, &mut self.code)?;
            }
            Codegen::Select(recipe) => self.target.compile_optimized(
                &unit,
                recipe,
                &mut self.runner.machine(subject, listener),
                &mut self.optimize,
                &mut self.code,
            )?,
        }
        self.code.attachments = self.function.attachments.take();
        self.clock.lap(&mut report.times.compile);
        self.stage = Stage::Write;
        report.count_code(&self.code);
        Ok(())
    }
}

fn run_passes(
    runner: &mut Runner<'_>,
    subject: Subject<'_>,
    function: &mut Function,
    listener: &mut dyn Listener,
) -> Result<(), Error> {
    let outcome = runner.run(subject, function, listener);
    outcome.map_err(|error| Error::new(Stage::Optimize, format!("pass {}: {error}", runner.current_pass())))
}

impl<'a> Job<'a> {
    /// Compiles to an object or to assembly text.
    fn compile(&mut self, out: &mut dyn Write) -> Result<(), Error> {
        match self.compile_as(self.options.emit, out)? {
            Some(_) => Ok(()),
            None => self.assemble(out),
        }
    }

    /// Compiles to assembly text and has an assembler make the object: there is assembly in the module that only an
    /// assembler can encode, and that cannot be parted from the rest of the module.
    #[cold]
    fn assemble(&mut self, out: &mut dyn Write) -> Result<(), Error> {
        *self.report = Report::default();
        let mut text = Vec::new();
        let mut again = Job {
            opened: self.opened,
            options: self.options,
            targets: self.targets,
            listener: if self.is_observed {
                &mut Deaf
            } else {
                &mut *self.listener
            },
            is_observed: false,
            report: &mut *self.report,
        };
        let places = again.compile_as(Emit::Asm, &mut text)?.unwrap_or_default();
        let mut clock = Clock::start(self.options.measure);
        let source = Source {
            module: self.opened.module(),
            text: &text,
            places: &places,
        };
        let object = assembler::assemble(&source, self.options.assembler.as_deref())?;
        let written = out.write_all(&object);
        clock.lap(&mut self.report.times.write);
        written.map_err(|error| Error::output(&error))
    }

    /// Compiles to one of the forms, and gives the places of what users have written as assembly; nothing, and writes
    /// nothing, if an object is asked for that only an assembler can make of the whole module.
    fn compile_as(&mut self, emit: Emit, out: &mut dyn Write) -> Result<Option<Vec<TextPlace>>, Error> {
        let (options, module) = (self.options, self.opened.module());
        let target = (entry(options, module, self.targets)?.new)();
        let (emit_options, relocation_model) = self.emit_options();
        let (mut sink, logging) = match emit {
            Emit::Asm => (Sink::Asm(AsmBuilder::new(module, &*target, emit_options)?), true),
            _ => (
                Sink::Object(ObjectBuilder::new(module, target.desc(), emit_options)?),
                false,
            ),
        };
        let mut worker = self.worker(&*target, relocation_model, logging)?;
        let mut failures = Vec::new();
        let mut waiting = None;
        let mut needs_assembler = false;
        if !logging && !module.asm.is_empty() {
            let Some(own) = Waiting::new(module) else {
                return Ok(None);
            };
            waiting = Some(own);
        }
        self.is_observed = true;
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
            let before = self.report.times;
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                worker.compile(id, subject, self.report, self.listener)?;
                if !logging && waiting.is_none() && !worker.code.body.texts().is_empty() {
                    waiting = Waiting::new(module);
                    needs_assembler = waiting.is_none();
                }
                if !failures.is_empty() || needs_assembler {
                    return Ok(());
                }
                match &mut waiting {
                    Some(waiting) => needs_assembler = !waiting.add(number, id, &mut worker.code),
                    None => {
                        sink.add(id, &worker.code)?;
                        worker.clock.lap(&mut self.report.times.write);
                    }
                }
                Ok(())
            }));
            if needs_assembler && failures.is_empty() {
                return Ok(None);
            }
            if options.measure {
                self.report.add_function(&name, &before, &worker.function);
            }
            match outcome {
                Ok(Ok(())) => {}
                Ok(Err(error)) => failures.extend(in_function(error, &name)),
                Err(_) => {
                    failures.push(panic_in(worker.stage, worker.runner.current_pass(), &name));
                    // Nothing is known of the state that the panic left behind.
                    return Err(failures.into());
                }
            }
        }
        self.report.add_passes(&worker.runner);
        if !failures.is_empty() {
            return Err(failures.into());
        }
        if let Some(waiting) = waiting
            && !self.splice(waiting, &mut worker, &mut sink)?
        {
            return Ok(None);
        }
        let places = sink.text_places();
        let written = sink.finish(out);
        worker.clock.lap(&mut self.report.times.write);
        written?;
        Ok(Some(places))
    }

    /// How the output is written, and where code may be placed.
    fn emit_options(&self) -> (EmitOptions, RelocationModel) {
        let (options, module) = (self.options, self.opened.module());
        let relocation_model = source::relocation_model(module, options);
        let emit_options = EmitOptions {
            relocation_model,
            function_sections: options.function_sections,
            data_sections: options.data_sections,
        };
        (emit_options, relocation_model)
    }

    /// What compiles functions; with `logging`, so that assembly text can be made of them.
    fn worker<'w>(
        &self,
        target: &'w dyn Target,
        relocation_model: RelocationModel,
        logging: bool,
    ) -> Result<Worker<'w>, Error>
    where
        'a: 'w,
    {
        let (options, module) = (self.options, self.opened.module());
        let (mut fast, mut optimize) = (FastState::default(), OptimizeState::default());
        fast.set_checked(options.check_regalloc);
        optimize.set_checked(options.check_regalloc);
        if !options.registers.is_empty() {
            if options.recipe.codegen == Codegen::Fast {
                let message = "--reg-use, --reg-exclude and --reg-reserve need a recipe with codegen mode `select`";
                return Err(Error::new(Stage::Options, message));
            }
            optimize.set_registers(options.registers.choice(target.desc())?);
        }
        let mut code = CompiledFunction::new(logging);
        if options.asm_verbose {
            code = code.with_notes();
        }
        Ok(Worker {
            reader: self.opened.reader(),
            target,
            view: ModuleView {
                frame_pointer: options.frame_pointer,
                ..ModuleView::new(module, relocation_model)
            },
            runner: runner(options, module, target_facts(target.desc()))?,
            codegen: &options.recipe.codegen,
            function: Function::new(),
            fast,
            optimize,
            code,
            machine: Machine::new(target.desc().features, options)?,
            entries: Entries::find(self.opened),
            clock: Clock::start(options.measure),
            stage: Stage::Read,
        })
    }

    /// Prints the module as text, after the passes of the recipe.
    fn print_ir(&mut self, mut clock: Clock, out: &mut dyn Write) -> Result<(), Error> {
        let (options, module) = (self.options, self.opened.module());
        let mut reader = self.opened.reader();
        let mut runner = match options.recipe.steps.is_empty() {
            // Then the target does not matter.
            true => None,
            false => {
                let target = (entry(options, module, self.targets)?.new)();
                Some(runner(options, module, target_facts(target.desc()))?)
            }
        };
        let mut function = Function::new();
        let mut text = String::new();
        let unprintable = |_| Error::new(Stage::Write, "the module cannot be printed");
        text::print_module_head(module, &mut text).map_err(unprintable)?;
        for (number, (id, head)) in module.functions.iter().enumerate() {
            let name = module.display_name(head.symbol);
            let subject = Subject {
                number,
                name: &name,
                head,
            };
            let read = reader.read(id, &mut function);
            read.map_err(|error| Error::from(in_function(error, &name)))?;
            clock.lap(&mut self.report.times.read);
            self.report.count(&function);
            if let Some(runner) = &mut runner {
                let passed = run_passes(runner, subject, &mut function, self.listener);
                passed.map_err(|error| Error::from(in_function(error, &name)))?;
                clock.lap(&mut self.report.times.optimize);
            }
            text::print_function(module, &function, &mut text).map_err(unprintable)?;
            clock.lap(&mut self.report.times.write);
        }
        if let Some(runner) = &runner {
            self.report.add_passes(runner);
        }
        out.write_all(text.as_bytes()).map_err(|error| Error::output(&error))?;
        clock.lap(&mut self.report.times.write);
        Ok(())
    }
}

/// What runs the recipe's passes.
fn runner<'a>(options: &'a Options, module: &'a Module, facts: TargetFacts) -> Result<Runner<'a>, Error> {
    let runner = Runner::new(&options.recipe, &options.observe, module, facts);
    runner.map_err(|error| Error::new(Stage::Options, error.to_string()))
}

fn in_function(error: Error, name: &str) -> Vec<Diagnostic> {
    let mut diagnostics = error.diagnostics().to_vec();
    diagnostics
        .iter_mut()
        .for_each(|diagnostic| diagnostic.function = Some(name.to_owned()));
    diagnostics
}

fn panic_in(stage: Stage, pass: &str, function: &str) -> Diagnostic {
    let doing = match stage {
        Stage::Read => "reading",
        Stage::Optimize | Stage::Compile if !pass.is_empty() => &format!("pass {pass}"),
        Stage::Optimize | Stage::Compile => "code generation",
        _ => "writing",
    };
    let message = format!("{doing} panicked; please report this with the input");
    Diagnostic {
        function: Some(function.to_owned()),
        ..Diagnostic::new(Stage::Internal, message)
    }
}

/// The target that the options ask for, or that of the module's triple.
fn entry<'a>(options: &Options, module: &Module, targets: &'a [TargetEntry]) -> Result<&'a TargetEntry, Error> {
    let of_module = module.strings.display(module.triple);
    let triple = options.triple.as_deref().unwrap_or(&of_module);
    target_entry(options.target.as_deref(), triple, targets)
}
