//! From bitcode to output: one module, function by function.
//!
//! Method: the module is opened without its bodies; then each body is read, compiled and appended to the output
//! before the next is read, so that memory holds one function at a time. All state is used again for the next
//! function. A function that cannot be compiled does not hide what is wrong with the others: all refusals are
//! collected, and nothing is written then. A panic, which is a defect of Frazil, becomes an error that names the
//! function and the stage.

use crate::diagnostics::{Diagnostic, Error, Stage};
use crate::options::{Emit, Options};
use crate::timing::{Clock, Report};
use frazil_codegen::optimize::{MachRecipe, OptimizeState};
use frazil_codegen::{CompiledFunction, FastState, ModuleView, RelocationModel, Target, TargetEntry};
use frazil_emit::{AsmBuilder, EmitError, EmitOptions, ObjectBuilder};
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader};
use frazil_ir::pass::{PassState, TargetFacts};
use frazil_ir::{FuncId, Function, Linkage, Module, text};
use frazil_passes::{Codegen, Recipe, target_facts};
use frazil_support::suggest::nearest;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Compiles a module for one of the targets and says how that went. Nothing is written unless every function could be
/// compiled.
pub fn compile_to(
    bitcode: &[u8],
    options: &Options,
    targets: &[TargetEntry],
    out: &mut dyn Write,
) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut clock = Clock::start(options.measure);
    let bitcode = BitcodeModule::open(bitcode)?;
    clock.lap(&mut report.times.read);
    match options.emit {
        Emit::Ir => print_ir(&bitcode, clock, &mut report, out)?,
        Emit::Obj | Emit::Asm => compile_module(&bitcode, options, targets, &mut report, out)?,
    }
    Ok(report)
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

    fn finish(self, out: &mut dyn Write) -> Result<(), EmitError> {
        match self {
            Sink::Object(builder) => builder.finish(out),
            Sink::Asm(builder) => builder.finish(out),
        }
    }
}

/// Everything that one function after the other is compiled with.
struct Worker<'a> {
    reader: FunctionReader<'a>,
    target: &'a dyn Target,
    view: ModuleView<'a>,
    recipe: &'a Recipe,
    facts: TargetFacts,
    passes: PassState,
    function: Function,
    state: FastState,
    mach_recipe: MachRecipe,
    optimize_state: OptimizeState,
    code: CompiledFunction,
    clock: Clock,
    /// What is being done, for the message about a panic.
    stage: Stage,
    /// The pass that runs in stage [`Stage::Optimize`].
    pass: &'static str,
}

impl Worker<'_> {
    /// Reads and compiles a function; the code is in `self.code` then.
    fn compile(&mut self, id: FuncId, report: &mut Report) -> Result<(), Error> {
        self.stage = Stage::Read;
        self.reader.read(id, &mut self.function)?;
        self.clock.lap(&mut report.times.read);
        let head = &self.view.module.functions[id];
        self.stage = Stage::Optimize;
        self.passes.analyses.clear();
        for step in &self.recipe.steps {
            self.pass = step.info.name;
            let outcome = step.run(
                &mut self.function,
                self.view.module,
                head,
                &self.facts,
                &mut self.passes,
            );
            outcome.map_err(|error| Error::new(Stage::Optimize, format!("pass {}: {error}", step.info.name)))?;
        }
        self.clock.lap(&mut report.times.optimize);
        self.stage = Stage::Compile;
        match &self.recipe.codegen {
            Codegen::Select { .. } => {
                self.target.compile_optimized(
                    &self.function,
                    head,
                    self.view,
                    &self.mach_recipe,
                    &mut self.optimize_state,
                    &mut self.code,
                )?;
            }
            Codegen::Fast => {
                self.target
                    .compile_fast(&self.function, head, self.view, &mut self.state, &mut self.code)?;
            }
        }
        self.clock.lap(&mut report.times.compile);
        self.stage = Stage::Write;
        report.count(&self.function);
        report.count_code(&self.code);
        Ok(())
    }
}

/// What the recipe says of the machine part.
fn mach_recipe(recipe: &Recipe) -> MachRecipe {
    match &recipe.codegen {
        Codegen::Fast => MachRecipe::default(),
        Codegen::Select { regalloc } => MachRecipe {
            allocator: regalloc.clone(),
            ..MachRecipe::default()
        },
    }
}

fn compile_module(
    bitcode: &BitcodeModule<'_>,
    options: &Options,
    targets: &[TargetEntry],
    report: &mut Report,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let module = bitcode.module();
    let target = (target_entry(options.target.as_deref(), module, targets)?.new)();
    let relocation_model = options.relocation_model.unwrap_or_else(|| module_model(module));
    let emit_options = EmitOptions {
        relocation_model,
        function_sections: options.function_sections,
        data_sections: options.data_sections,
    };
    let (mut sink, logging) = match options.emit {
        Emit::Asm => (Sink::Asm(AsmBuilder::new(module, &*target, emit_options)?), true),
        _ => (
            Sink::Object(ObjectBuilder::new(module, target.desc(), emit_options)?),
            false,
        ),
    };
    let mut worker = Worker {
        reader: FunctionReader::new(bitcode),
        target: &*target,
        view: ModuleView {
            module,
            relocation_model,
        },
        recipe: &options.recipe,
        facts: target_facts(target.desc()),
        passes: PassState::default(),
        function: Function::new(),
        state: FastState::default(),
        mach_recipe: mach_recipe(&options.recipe),
        optimize_state: OptimizeState::default(),
        code: CompiledFunction::new(logging),
        clock: Clock::start(options.measure),
        stage: Stage::Read,
        pass: "",
    };
    let mut failures = Vec::new();
    for (id, head) in module.functions.iter() {
        if module.symbols[head.symbol].linkage == Linkage::AvailableExternally {
            continue;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            worker.compile(id, report)?;
            if failures.is_empty() {
                sink.add(id, &worker.code)?;
                worker.clock.lap(&mut report.times.write);
            }
            Ok(())
        }));
        let name = || module.display_name(head.symbol).into_owned();
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(error)) => failures.extend(in_function(error, &name())),
            Err(_) => {
                failures.push(panic_in(worker.stage, worker.pass, name()));
                // Nothing is known of the state that the panic left behind.
                return Err(failures.into());
            }
        }
    }
    if !failures.is_empty() {
        return Err(failures.into());
    }
    let written = sink.finish(out);
    worker.clock.lap(&mut report.times.write);
    Ok(written?)
}

fn in_function(error: Error, name: &str) -> Vec<Diagnostic> {
    let mut diagnostics = error.diagnostics().to_vec();
    diagnostics
        .iter_mut()
        .for_each(|diagnostic| diagnostic.function = Some(name.to_owned()));
    diagnostics
}

fn panic_in(stage: Stage, pass: &str, function: String) -> Diagnostic {
    let doing = match stage {
        Stage::Read => "reading".to_owned(),
        Stage::Optimize => format!("pass {pass}"),
        Stage::Compile => "code generation".to_owned(),
        _ => "writing".to_owned(),
    };
    Diagnostic {
        stage: Stage::Internal,
        function: Some(function),
        message: format!("{doing} panicked; please report this with the input"),
    }
}

/// Prints the module as text.
fn print_ir(
    bitcode: &BitcodeModule<'_>,
    mut clock: Clock,
    report: &mut Report,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let module = bitcode.module();
    let mut reader = FunctionReader::new(bitcode);
    let mut function = Function::new();
    let mut text = String::new();
    let unprintable = |_| Error::new(Stage::Write, "the module cannot be printed");
    text::print_module_head(module, &mut text).map_err(unprintable)?;
    for (id, head) in module.functions.iter() {
        let read = reader.read(id, &mut function);
        read.map_err(|error| Error::from(in_function(error.into(), &module.display_name(head.symbol))))?;
        clock.lap(&mut report.times.read);
        report.count(&function);
        text::print_function(module, &function, &mut text).map_err(unprintable)?;
        clock.lap(&mut report.times.write);
    }
    out.write_all(text.as_bytes()).map_err(|error| Error::output(&error))?;
    clock.lap(&mut report.times.write);
    Ok(())
}

/// What the module's flags say of where its code may be placed.
fn module_model(module: &Module) -> RelocationModel {
    match module.flags.pic_level {
        None | Some(0) => RelocationModel::Static,
        Some(_) => RelocationModel::Pic,
    }
}

/// The target that was asked for, or that of the module's triple.
fn target_entry<'a>(name: Option<&str>, module: &Module, targets: &'a [TargetEntry]) -> Result<&'a TargetEntry, Error> {
    let names = || targets.iter().map(|target| target.name);
    let list = || names().collect::<Vec<_>>().join(", ");
    if let Some(name) = name {
        let found = targets.iter().find(|target| target.name == name);
        return found.ok_or_else(|| {
            let hint = match nearest(name, names()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("valid names: {}", list()),
            };
            Error::new(Stage::Options, format!("unknown target `{name}`; {hint}"))
        });
    }
    let triple = module.strings.display(module.triple);
    let architecture = triple.split('-').next().unwrap_or_default();
    let found = targets
        .iter()
        .find(|target| target.triple_prefixes.contains(&architecture));
    found.ok_or_else(|| {
        let message = format!(
            "no target for the module's triple `{triple}`; choose with --target one of {}",
            list()
        );
        Error::new(Stage::Options, message)
    })
}
