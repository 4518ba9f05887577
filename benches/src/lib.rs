//! The stages of a compilation one by one, as the benchmarks run them: what the driver interleaves function by
//! function is done here for a whole module at a time, so that each stage can be timed alone.

use frazil_codegen::{CompiledFunction, FastState, ModuleView, RelocationModel, Target, Unit};
use frazil_emit::dwarf::DebugOptions;
use frazil_emit::{EmitOptions, ObjectBuilder};
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadOptions};
use frazil_ir::{FuncId, Function, Module};

/// A function that was read, with its number.
pub type Body = (FuncId, Function);

/// Reads a module's function bodies into one function after the other, as the driver does, and returns the number of
/// instructions.
///
/// # Panics
/// If the bitcode cannot be read; benchmarks run on good input.
pub fn read(bitcode: &[u8]) -> usize {
    let module = BitcodeModule::open(bitcode, &ReadOptions::new(&frazil::platform_of)).expect("the module is good");
    let mut reader = FunctionReader::new(&module);
    let mut function = Function::new();
    let mut instructions = 0;
    for (id, _) in module.module().functions.iter() {
        reader.read(id, &mut function).expect("the function is good");
        instructions += function.insts().len();
    }
    instructions
}

/// Reads all function bodies and keeps them.
///
/// # Panics
/// As [`read`].
pub fn bodies(module: &BitcodeModule<'_>) -> Vec<Body> {
    let mut reader = FunctionReader::new(module);
    let ids = module.module().functions.iter().map(|(id, _)| id);
    ids.map(|id| {
        let mut function = Function::new();
        reader.read(id, &mut function).expect("the function is good");
        (id, function)
    })
    .collect()
}

/// The machine that the benchmarks compile for.
///
/// # Panics
/// If this build has no such target.
pub fn target() -> Box<dyn Target> {
    let entry = frazil::targets()
        .iter()
        .find(|entry| entry.triple_prefixes.contains(&"x86_64"));
    (entry.expect("x86-64 is built in").new)()
}

/// Compiles all bodies into the same memory, as the driver does, and returns the size of the code in bytes.
///
/// # Panics
/// If a function cannot be compiled.
pub fn compile(target: &dyn Target, module: &Module, bodies: &[Body], state: &mut FastState) -> usize {
    let view = ModuleView::new(module, RelocationModel::Pic);
    let mut code = CompiledFunction::new(false);
    let mut bytes = 0;
    for (id, function) in bodies {
        let head = &module.functions[*id];
        target
            .compile_fast(&Unit { function, head, view }, state, &mut code)
            .expect("the function is supported");
        bytes += code.len();
    }
    bytes
}

/// Compiles all bodies and keeps the code.
///
/// # Panics
/// As [`compile`].
pub fn compiled(target: &dyn Target, module: &Module, bodies: &[Body]) -> Vec<(FuncId, CompiledFunction)> {
    let view = ModuleView::new(module, RelocationModel::Pic);
    let mut state = FastState::default();
    let one = |(id, function): &Body| {
        let mut code = CompiledFunction::new(false);
        let head = &module.functions[*id];
        target
            .compile_fast(&Unit { function, head, view }, &mut state, &mut code)
            .expect("the function is supported");
        (*id, code)
    };
    bodies.iter().map(one).collect()
}

/// Makes an object file in memory and returns its size in bytes.
///
/// # Panics
/// If the module cannot be written.
pub fn write(target: &dyn Target, module: &Module, code: &[(FuncId, CompiledFunction)]) -> usize {
    let options = EmitOptions {
        relocation_model: RelocationModel::Pic,
        function_sections: false,
        compress_debug: None,
        debug: DebugOptions::default(),
        data_sections: false,
    };
    let mut builder = ObjectBuilder::new(module, target.desc(), options).expect("the module can be written");
    for (id, code) in code {
        builder.add_function(*id, code).expect("the function can be written");
    }
    let mut object = Vec::new();
    builder.finish(&mut object).expect("memory takes everything");
    object.len()
}
