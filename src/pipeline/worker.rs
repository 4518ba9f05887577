//! The half that produces code: a worker reads one function after the other, runs the recipe's passes over it and
//! compiles it.
//!
//! A worker owns everything that changes while it works (the arrays of a function, those of both code paths, clock and
//! report) and borrows what does not: the module, the target, the recipe. So it may be sent to another thread, and
//! several could share a module. What it has compiled is in [`Worker::code`] until it compiles the next function; a
//! [`Sink`](super::sink::Sink) takes it from there. It writes nothing and knows no form of output.

use super::source::{BodyReader, Opened, relocation_model};
use crate::diagnostics::{Diagnostic, Error, Stage, in_function, panic_in};
use crate::entries::{Entries, is_defined};
use crate::machine::Machine;
use crate::options::Options;
use crate::timing::{Clock, Report};
use frazil_codegen::inline_asm::AsmCode;
use frazil_codegen::optimize::OptimizeState;
use frazil_codegen::{CodegenError, CompiledFunction, FastState, ModuleView, Target, Unit, refuse_code_model};
use frazil_ir::indirect::merge_indirect_jumps;
use frazil_ir::module::FunctionHead;
use frazil_ir::pass::TargetFacts;
use frazil_ir::{FuncId, Function, Module};
use frazil_passes::observe::Deaf;
use frazil_passes::{Codegen, Listener, Runner, Subject, target_facts};
use std::borrow::Cow;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A function that has to be compiled, and its place among those of the module.
pub(super) struct Definition<'a> {
    pub number: usize,
    pub id: FuncId,
    pub head: &'a FunctionHead,
    pub name: Cow<'a, str>,
}

impl<'a> Definition<'a> {
    /// A function of the module.
    pub fn new(module: &'a Module, number: usize, id: FuncId) -> Definition<'a> {
        let head = &module.functions[id];
        Definition {
            number,
            id,
            head,
            name: module.display_name(head.symbol),
        }
    }

    /// The same, if the object of the module has it.
    pub fn find(module: &'a Module, number: usize, id: FuncId) -> Option<Definition<'a>> {
        is_defined(module, id).then(|| Definition::new(module, number, id))
    }

    /// What passes and their observers hear of it.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            number: self.number,
            name: &self.name,
            head: self.head,
        }
    }
}

/// The functions of a module that its object has, in order. Those that are available elsewhere are there for passes
/// only.
pub(super) fn definitions(module: &Module) -> impl Iterator<Item = Definition<'_>> {
    let functions = module.functions.keys().enumerate();
    functions.filter_map(|(number, id)| Definition::find(module, number, id))
}

/// Why there is no code of a function.
pub(super) struct Failure {
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it is a panic: nothing is known of the worker's state then.
    pub is_panic: bool,
}

/// How far a function came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compiled {
    /// Its code is in [`Worker::code`].
    Code,
    /// There is no code, as the user wants it; its text is [`Worker::stopped`].
    Stopped,
}

/// Everything that one function after the other is compiled with.
pub(super) struct Worker<'a> {
    opened: &'a Opened<'a>,
    options: &'a Options,
    keeps_log: bool,
    reader: BodyReader<'a>,
    target: &'a dyn Target,
    view: ModuleView<'a>,
    runner: Runner<'a>,
    codegen: &'a Codegen,
    /// The function that was compiled last.
    pub function: Function,
    // Large, and the worker is moved a few times.
    fast: Box<FastState>,
    optimize: Box<OptimizeState>,
    /// What that became.
    pub code: CompiledFunction,
    machine: Machine<'a>,
    /// The functions that are marked as entered by indirect branches.
    entries: Arc<Entries>,
    /// Up to where the input was given back to the system, in bytes; nothing before the first function is.
    given_back: Option<usize>,
    pub clock: Clock,
    /// What is being done, for the message about a panic.
    pub stage: Stage,
    pub report: Report,
}

/// A worker can be sent to a thread of its own.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Worker<'static>>();
};

impl<'a> Worker<'a> {
    /// A worker for an opened module; with `keeps_log`, so that assembly text can be made of its code.
    pub fn new(
        opened: &'a Opened<'a>,
        options: &'a Options,
        target: &'a dyn Target,
        keeps_log: bool,
    ) -> Result<Worker<'a>, Error> {
        Worker::with_entries(opened, options, (target, keeps_log), Arc::new(entries(opened)))
    }

    /// Another worker for the same.
    pub fn another(&self) -> Result<Worker<'a>, Error> {
        let code = (self.target, self.keeps_log);
        Worker::with_entries(self.opened, self.options, code, Arc::clone(&self.entries))
    }

    fn with_entries(
        opened: &'a Opened<'a>,
        options: &'a Options,
        (target, keeps_log): (&'a dyn Target, bool),
        entries: Arc<Entries>,
    ) -> Result<Worker<'a>, Error> {
        let module = opened.module();
        let (mut fast, mut optimize) = (Box::<FastState>::default(), Box::<OptimizeState>::default());
        fast.set_checked(options.check_regalloc);
        optimize.set_checked(options.check_regalloc);
        if !options.registers.is_empty() {
            if options.recipe.codegen == Codegen::Fast {
                let message = "--reg-use, --reg-exclude and --reg-reserve need a recipe with codegen mode `select`: \
                               --recipe O1, O2 or Os";
                return Err(Error::new(Stage::Options, message));
            }
            optimize.set_registers(options.registers.choice(target.desc())?);
        }
        let view = ModuleView {
            frame_pointer: options.frame_pointer,
            ..ModuleView::new(module, relocation_model(module, options))
        };
        if options.code_model.is_some() {
            refuse_code_model(target.desc(), view)?;
        }
        Ok(Worker {
            opened,
            options,
            keeps_log,
            reader: opened.reader(),
            target,
            view,
            runner: runner(options, module, target_facts(target.desc()))?,
            codegen: &options.recipe.codegen,
            function: Function::new(),
            fast,
            optimize,
            code: new_code(options, keeps_log),
            machine: Machine::new(target.desc().features, options.cpu.as_deref(), &options.features)?,
            entries,
            given_back: None,
            clock: Clock::start(options.measure),
            stage: Stage::Read,
            report: Report::default(),
        })
    }

    /// The module that the functions are of.
    pub fn module(&self) -> &'a Module {
        self.view.module
    }

    /// What it was made for.
    pub fn options(&self) -> &'a Options {
        self.options
    }

    /// A buffer for code, to be used instead of the worker's.
    pub fn new_code(&self) -> CompiledFunction {
        new_code(self.options, self.keeps_log)
    }

    /// The target that code is made for.
    pub fn target(&self) -> &'a dyn Target {
        self.target
    }

    /// Does something for a function. What is refused gets the function's name, and so does a panic, which is a defect
    /// of Frazil.
    pub fn guarded<T>(
        &mut self,
        name: &str,
        work: impl FnOnce(&mut Worker<'a>) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => Err(Failure {
                diagnostics: in_function(error, name),
                is_panic: false,
            }),
            Err(_) => Err(Failure {
                diagnostics: vec![panic_in(self.stage, self.runner.current_pass(), name)],
                is_panic: true,
            }),
        }
    }

    /// The text of the function that was compiled last, if that was stopped.
    pub fn stopped(&self) -> &str {
        self.runner.stopped()
    }

    /// Reads and compiles a function.
    pub fn compile(&mut self, definition: &Definition<'_>, listener: &mut dyn Listener) -> Result<Compiled, Error> {
        let subject = definition.subject();
        self.stage = Stage::Read;
        self.reader.read(definition.id, &mut self.function)?;
        self.clock.lap(&mut self.report.times.read);
        self.report.count(&self.function);
        self.stage = Stage::Optimize;
        run_passes(&mut self.runner, subject, &mut self.function, listener)?;
        if self.function.cfg().indirect_jumps() > 1 {
            merge_indirect_jumps(&mut self.function);
        }
        self.clock.lap(&mut self.report.times.optimize);
        self.stage = Stage::Compile;
        self.view.features = self.machine.features(self.view.module, definition.head)?;
        // A function that is only called may still be entered by what a linker puts between.
        self.view.marks_entry = self.entries.contains(definition.id) || definition.head.marks_branch_targets;
        let unit = Unit {
            function: &self.function,
            head: definition.head,
            view: self.view,
        };
        match self.codegen {
            Codegen::Fast => {
                self.target.compile_fast(&unit, &mut self.fast, &mut self.code)?;
            }
            Codegen::Select(recipe) => {
                let compiled = self.target.compile_optimized(
                    &unit,
                    recipe,
                    &mut self.runner.machine(subject, listener),
                    &mut self.optimize,
                    &mut self.code,
                );
                match compiled {
                    Err(CodegenError::Stopped) => return Ok(Compiled::Stopped),
                    outcome => outcome?,
                }
            }
        }
        self.code.attachments = self.function.attachments.take();
        if self.function.debug.is_on() {
            mem::swap(&mut self.code.debug.function, &mut self.function.debug);
        }
        self.clock.lap(&mut self.report.times.compile);
        self.stage = Stage::Write;
        self.report.count_code(&self.code);
        Ok(Compiled::Code)
    }

    /// Gives the memory of the input back to the system up to the end of a function, which was compiled after those
    /// before it.
    pub fn give_back(&mut self, id: FuncId) {
        self.given_back = self.opened.give_back(self.given_back, id);
    }

    /// The same where the user wants code.
    pub fn make_code(&mut self, definition: &Definition<'_>, listener: &mut dyn Listener) -> Result<(), Error> {
        if self.compile(definition, listener)? == Compiled::Stopped {
            let message = "there is no code after a pass over machine code that is the last, but its text";
            return Err(Error::new(Stage::Options, message));
        }
        Ok(())
    }

    /// Compiles a function once more, with the code of its texts of assembly. It is not observed or counted again.
    pub fn compile_with_texts(&mut self, number: usize, id: FuncId, texts: Vec<AsmCode>) -> Result<(), Error> {
        let definition = Definition::new(self.view.module, number, id);
        let report = mem::take(&mut self.report);
        self.code.body.set_assembled(texts);
        let outcome = self.guarded(&definition.name, |worker| worker.compile(&definition, &mut Deaf));
        self.code.body.set_assembled(Vec::new());
        self.report = report;
        outcome.map(|_| ()).map_err(|failure| Error::from(failure.diagnostics))
    }

    /// All that code generation refuses in the current function; `first` is what it was refused for.
    pub fn every_refusal(&mut self, head: &FunctionHead, first: Error) -> Error {
        let unit = Unit {
            function: &self.function,
            head,
            view: self.view,
        };
        let all = self.target.refusals(&unit, &mut self.optimize, &mut self.code);
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        for error in all {
            if error.refusal().is_some() {
                diagnostics.extend(Error::from(error).diagnostics().to_vec());
            }
        }
        if diagnostics.is_empty() {
            first
        } else {
            Error::from(diagnostics)
        }
    }

    /// Lets the memory go that functions of a large input are compiled in, once there are no more: what is made at the
    /// end takes its place.
    pub fn end_functions(&mut self) {
        if !self.opened.is_large() {
            return;
        }
        self.function = Function::new();
        self.code = CompiledFunction::default();
        *self.fast = FastState::default();
        *self.optimize = OptimizeState::default();
    }

    /// Ends the work and says how it went.
    pub fn into_report(mut self) -> Report {
        self.report.add_passes(&self.runner);
        let report = mem::take(&mut self.report);
        if self.options.ends_process {
            mem::forget(self);
        }
        report
    }
}

/// The functions that indirect branches may enter.
fn entries(opened: &Opened<'_>) -> Entries {
    Entries::find(opened.module(), |visit| {
        let mut reader = opened.reader();
        let mut function = Function::new();
        for id in opened.module().functions.keys() {
            if reader.read(id, &mut function).is_ok() {
                visit(&function);
            }
        }
    })
}

fn new_code(options: &Options, keeps_log: bool) -> CompiledFunction {
    let code = CompiledFunction::new(keeps_log);
    match options.asm_verbose {
        true => code.with_notes(),
        false => code,
    }
}

/// What runs the recipe's passes.
pub(super) fn runner<'a>(options: &'a Options, module: &'a Module, facts: TargetFacts) -> Result<Runner<'a>, Error> {
    let runner = Runner::new(&options.recipe, &options.observe, module, facts);
    runner.map_err(|error| Error::new(Stage::Options, error.to_string()))
}

/// Runs the recipe's passes over a function.
pub(super) fn run_passes(
    runner: &mut Runner<'_>,
    subject: Subject<'_>,
    function: &mut Function,
    listener: &mut dyn Listener,
) -> Result<(), Error> {
    let outcome = runner.run(subject, function, listener);
    outcome.map_err(|error| Error::new(Stage::Optimize, format!("pass {}: {error}", runner.current_pass())))
}
