//! Who unwinds functions, where landing pads say it and not functions.
//!
//! Code generation wants to know it before it sees a body. So the bodies with old landing pads are read when the module is
//! opened, only to find it: where they are wrong, the reading that follows says so.

use crate::bitstream::block::{Block, Item};
use crate::bitstream::record::Record;
use crate::error::ReadError;
use crate::llvm::codes::{block as id, function as code};
use crate::llvm::function::FunctionReader;
use crate::llvm::module::BitcodeModule;
use frazil_ir::included::RARE;
use frazil_ir::{EntityRef, FuncId, Function, SymbolId};

/// Finds who unwinds the functions of a module whose landing pads say it.
///
/// # Errors
/// If a body is no block of records.
#[cold]
pub(in crate::llvm) fn find(module: &mut BitcodeModule<'_>) -> Result<(), ReadError> {
    if !RARE {
        return Ok(());
    }
    let found = search(module)?;
    for (function, personality) in found {
        if let Some(head) = module.tables.module.functions.get_mut(function) {
            head.personality = Some(personality);
            head.unwind_table = true;
        }
    }
    Ok(())
}

fn search(module: &BitcodeModule<'_>) -> Result<Vec<(FuncId, SymbolId)>, ReadError> {
    let mut found = Vec::new();
    let mut reader = FunctionReader::new(module);
    reader.old.finds_personality = true;
    let mut function = Function::new();
    for index in 0..module.bodies.len() {
        if !has_landing_pad(module, index)? {
            continue;
        }
        let id = FuncId::new(index);
        // What is wrong is found again.
        let _ = reader.read(id, &mut function);
        if let Some(personality) = reader.old.personality.take() {
            found.push((id, personality));
        }
    }
    Ok(found)
}

/// Whether a body has a landing pad of the old form.
fn has_landing_pad(module: &BitcodeModule<'_>, index: usize) -> Result<bool, ReadError> {
    let Some(header) = module.bodies.get(index) else {
        return Ok(false);
    };
    let mut cursor = module.stream.clone();
    let mut record = Record::default();
    let mut block = Block::enter(&mut cursor, header, module.block_info.abbreviations(id::FUNCTION));
    loop {
        match block.next(&mut cursor, &mut record)? {
            Item::End => return Ok(false),
            Item::Block(_) => {}
            Item::Record if record.code() == code::LANDING_PAD_OLD => return Ok(true),
            Item::Record => {}
        }
    }
}
