//! Executables that are made record by record: what they compute, and which rules they break.

mod container;
mod damage;
mod divisions;
mod maker;
mod more_rules;
mod programs;
mod rules;

use super::function::PexeReader;
use super::module::PexeModule;
use crate::error::ReadError;
use frazil_ir::{FuncId, Function, Module, verify};

/// Reads all functions, which must be well-formed then.
fn read(bytes: &[u8]) -> Result<(Module, Vec<Function>), ReadError> {
    let mut opened = PexeModule::open(bytes)?;
    // As wide as in the file, which the interpreter's addresses fit, too.
    opened.module_mut().data_layout.pointer_bits = 32;
    let mut reader = PexeReader::new(&opened);
    let mut functions = Vec::new();
    let ids: Vec<FuncId> = opened.module().functions.keys().collect();
    for id in ids {
        let mut function = Function::new();
        reader.read(id, &mut function)?;
        if let Err(errors) = verify::verify_function(opened.module(), &function) {
            panic!("{id:?} is read and not well-formed: {errors:?}");
        }
        functions.push(function);
    }
    if let Err(errors) = verify::verify_module(opened.module()) {
        panic!("the module is read and not well-formed: {errors:?}");
    }
    Ok((opened.module().clone(), functions))
}
