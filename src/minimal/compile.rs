//! From bitcode to an object, function by function, as in the pipeline of the whole command: see there for the method.

use super::begin;
use super::options::Arguments;
use crate::diagnostics::{Diagnostic, Error, Stage, in_function};
use crate::entries::{Entries, is_defined};
use crate::machine::{self, COMPILE_FOR_OURS, Machine, target_entry};
use frazil_codegen::{CompiledFunction, FastState, ModuleView, Target, TargetEntry, Unit, included};
use frazil_emit::dwarf::DebugOptions;
use frazil_emit::{EmitOptions, ObjectBuilder};
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadOptions};
use frazil_ir::included::{DEBUG_INFORMATION, RARE};
use frazil_ir::indirect::merge_indirect_jumps;
use frazil_ir::{FuncId, Function, Module};
use std::io::Write;
use std::mem::{self, ManuallyDrop};

/// Compiles a module. Nothing is written unless every function could be compiled; all that is refused is said.
///
/// # Errors
/// When the bitcode cannot be read, or something in it cannot be compiled or written.
pub(super) fn compile(input: &[u8], arguments: &Arguments, out: &mut dyn Write) -> Result<(), Error> {
    let targets = frazil_targets::builtin();
    let platform_of = |triple: &[u8]| TargetEntry::platform_of(triple, targets);
    let read_options = ReadOptions {
        reads_debug: DEBUG_INFORMATION && !arguments.strip_debug,
        ..ReadOptions::new(&platform_of)
    };
    // The process ends after this, and the system gets the memory back faster than piece by piece.
    let mut bitcode = ManuallyDrop::new(BitcodeModule::open(input, &read_options)?);
    let relocation_model = machine::relocation_model(bitcode.module(), arguments.relocation_model);
    machine::choose_code_model(&mut bitcode, relocation_model, (None, None));
    let module = bitcode.module();
    if !module.asm.is_empty() {
        return Err(included::without_assembler(true).into());
    }
    let entry = target_entry(None, &module.strings.display(module.triple), targets);
    let entry = entry.map_err(|error| error.in_stage(Stage::Read).between("", COMPILE_FOR_OURS))?;
    let target = (entry.new)();
    let mut builder = ObjectBuilder::new(
        module,
        target.desc(),
        EmitOptions {
            relocation_model,
            function_sections: arguments.function_sections,
            data_sections: arguments.data_sections,
            compress_debug: None,
            debug: DebugOptions::default(),
        },
    )?;
    let mut worker = ManuallyDrop::new(Worker {
        reader: FunctionReader::new(&bitcode),
        target: &*target,
        view: ModuleView::new(module, relocation_model),
        machine: Machine::new(target.desc().features, arguments.cpu.as_deref(), &arguments.features)?,
        entries: entries(&bitcode),
        function: Function::new(),
        fast: FastState::default(),
        code: CompiledFunction::new(false),
    });
    let mut failures: Vec<Diagnostic> = Vec::new();
    for id in module.functions.keys().filter(|&id| is_defined(module, id)) {
        let name = module.display_name(module.functions[id].symbol);
        let outcome = worker.compile(module, id, &name).and_then(|()| {
            if failures.is_empty() {
                builder.add_function(id, &worker.code)?;
            }
            Ok(())
        });
        if let Err(error) = outcome {
            failures.extend(in_function(error, &name));
        }
    }
    begin(Stage::Write, "");
    if !failures.is_empty() {
        return Err(failures.into());
    }
    builder.finish(out)?;
    Ok(())
}

/// The functions that indirect branches may enter.
fn entries(bitcode: &BitcodeModule<'_>) -> Entries {
    Entries::find(bitcode.module(), |visit| {
        let mut reader = FunctionReader::new(bitcode);
        let mut function = Function::new();
        for id in bitcode.module().functions.keys() {
            if reader.read(id, &mut function).is_ok() {
                visit(&function);
            }
        }
    })
}

/// Everything that one function after the other is compiled with.
struct Worker<'a> {
    reader: FunctionReader<'a>,
    target: &'a dyn Target,
    view: ModuleView<'a>,
    machine: Machine<'a>,
    entries: Entries,
    function: Function,
    fast: FastState,
    code: CompiledFunction,
}

impl Worker<'_> {
    /// Reads and compiles a function.
    fn compile(&mut self, module: &Module, id: FuncId, name: &str) -> Result<(), Error> {
        let head = &module.functions[id];
        begin(Stage::Read, name);
        self.reader.read(id, &mut self.function)?;
        begin(Stage::Compile, name);
        included::check_jumps(&self.function)?;
        if RARE && self.function.cfg().indirect_jumps() > 1 {
            merge_indirect_jumps(&mut self.function);
        }
        self.view.features = self.machine.features(module, head)?;
        // A function that is only called may still be entered by what a linker puts between.
        self.view.marks_entry = self.entries.contains(id) || head.marks_branch_targets;
        let unit = Unit {
            function: &self.function,
            head,
            view: self.view,
        };
        self.target.compile_fast(&unit, &mut self.fast, &mut self.code)?;
        if !self.code.body.texts().is_empty() {
            return Err(included::without_assembler(false).into());
        }
        self.code.attachments = self.function.attachments.take();
        if self.function.debug.is_on() {
            mem::swap(&mut self.code.debug.function, &mut self.function.debug);
        }
        begin(Stage::Write, name);
        Ok(())
    }
}
