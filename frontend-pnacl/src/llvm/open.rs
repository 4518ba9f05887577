//! Opening a module.
//!
//! Up to LLVM 3.6, landing pads say who unwinds, and not functions, but code generation wants to know it before it sees
//! a body. So the bodies with such landing pads are read when the module is opened, only to find it: where they are
//! wrong, the reading that follows says so.

use super::codes::{block as id, function as code};
use super::function::FunctionReader;
use super::module::{BitcodeModule, ReadOptions};
use crate::bitstream::block::{Block, Item};
use crate::bitstream::record::Record;
use crate::error::ReadError;
use frazil_ir::included::RARE;
use frazil_ir::{EntityRef, FuncId, Function, SymbolId};

/// The first version of module records that no LLVM with such landing pads wrote.
const SAYS_PERSONALITIES: u64 = 2;

impl<'a> BitcodeModule<'a> {
    /// Reads everything but the function bodies. How far away data is, [`BitcodeModule::choose_code_model`] says.
    ///
    /// # Errors
    /// If the bytes are not one module of LLVM bitcode, or contain something at module level that is malformed or
    /// not supported.
    pub fn open(bytes: &'a [u8], options: &ReadOptions<'_>) -> Result<BitcodeModule<'a>, ReadError> {
        let mut this = BitcodeModule::open_tolerantly(bytes, options)?;
        match this.refusals.is_empty() {
            true => Ok(this),
            false => Err(this.refusals.swap_remove(0)),
        }
    }

    /// The same, but symbols that contain what is not supported do not keep from reading on: see
    /// [`BitcodeModule::refusals`]. If there are any, the module is only good to find more.
    ///
    /// # Errors
    /// If the bytes are not one module of LLVM bitcode, or contain something else at module level that is malformed or
    /// not supported.
    pub fn open_tolerantly(bytes: &'a [u8], options: &ReadOptions<'_>) -> Result<BitcodeModule<'a>, ReadError> {
        let mut this = BitcodeModule::read(bytes, options)?;
        if RARE && this.version < SAYS_PERSONALITIES {
            find(&mut this)?;
        }
        Ok(this)
    }
}

/// Finds who unwinds the functions of a module whose landing pads say it.
///
/// # Errors
/// If a body is no block of records.
#[cold]
fn find(module: &mut BitcodeModule<'_>) -> Result<(), ReadError> {
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
