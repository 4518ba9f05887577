//! Blocks of a module that give names and places by number: symbol tables, and lists of tags.

use super::codes::{names, symbols};
use crate::bitstream::block::{Block, Item};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::builder::tables::ModuleValue;
use crate::error::ReadError;
use frazil_ir::Module;

/// Names from a symbol table block, in files without string table.
pub(super) fn read_symbol_names(
    cursor: &mut Cursor<'_>,
    mut block: Block<'_>,
    record: &mut Record,
    values: &[ModuleValue],
    module: &mut Module,
) -> Result<(), ReadError> {
    loop {
        match block.next(cursor, record)? {
            Item::End => return Ok(()),
            Item::Block(_) => continue,
            Item::Record => {}
        }
        let from = match record.code() {
            symbols::ENTRY => 1,
            symbols::FUNCTION_ENTRY => 2,
            _ => continue,
        };
        let value = record.operand(0)?;
        let known = usize::try_from(value).ok().and_then(|value| values.get(value));
        let Some(&ModuleValue::Symbol(symbol)) = known else {
            return Err(record.malformed(format!("a name for value {value}, which is no symbol")));
        };
        let name = module.strings.add(&record.text(from));
        if let Some(data) = module.symbols.get_mut(symbol) {
            data.name = name;
        }
    }
}

/// The index of functions, in files with a string table.
pub(super) fn read_places(
    cursor: &mut Cursor<'_>,
    mut block: Block<'_>,
    record: &mut Record,
    places: &mut Vec<(u64, u64)>,
) -> Result<(), ReadError> {
    loop {
        match block.next(cursor, record)? {
            Item::End => return Ok(()),
            Item::Record if record.code() == symbols::FUNCTION_ENTRY => {
                places.push((record.operand(0)?, record.operand(1)?));
            }
            Item::Block(_) | Item::Record => {}
        }
    }
}

/// A block whose records are names, numbered in their order.
pub(super) fn read_names_in_order(
    cursor: &mut Cursor<'_>,
    mut block: Block<'_>,
    record: &mut Record,
) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut names = Vec::new();
    loop {
        match block.next(cursor, record)? {
            Item::End => return Ok(names),
            Item::Record if record.code() != names::NAME => {
                return Err(record.malformed(format!("record {} in a list of names", record.code())));
            }
            Item::Record => names.push(record.text(0)),
            Item::Block(_) => {}
        }
    }
}
