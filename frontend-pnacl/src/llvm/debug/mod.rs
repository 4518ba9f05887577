//! Debug metadata: from records to the nodes of [`frazil_ir::debug`].
//!
//! [`walk`] reads a whole block of metadata, the module's or a function's, in one go: all of its strings, then one node
//! for each record that has a number. [`records`] knows the layout of each record and what versions of LLVM have
//! changed in it, [`table`] what the nodes are put into. The block of a module is read when everything else of the
//! module is known, the block of a function with the function. Without a unit of compilation, or if debug information
//! is not wanted, none of this is entered.
//!
//! What is not kept (properties of Objective-C, descriptions of arrays of Fortran) becomes a node of which
//! nothing is known, so that the others have their numbers.

mod records;
pub(super) mod table;

pub(super) use table::node_of;

use super::codes::block as id;
use super::codes::metadata as code;
use crate::bitstream::block::{Block, BlockInfo, Item, SubBlock};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::builder::tables::{ModuleTables, ModuleValue};
use crate::error::ReadError;
use frazil_ir::SymbolId;
use frazil_ir::debug::{ModuleDebug, NodeId};
use table::NodeReader;

/// The kind of the attachment that names a function's or variable's node.
pub(super) const ATTACHED: u64 = 0;

/// The name of the list of units.
const UNITS: &[u8] = b"llvm.dbg.cu";

/// Reads the debug information of a module from its block of metadata, at which `cursor` is a cursor of the same file.
///
/// # Errors
/// If it is malformed.
pub(super) fn read_module(
    tables: &ModuleTables,
    mut cursor: Cursor<'_>,
    header: &SubBlock,
    block_info: &BlockInfo,
    dwarf_version: u8,
) -> Result<ModuleDebug, ReadError> {
    let mut debug = ModuleDebug {
        dwarf_version,
        ..ModuleDebug::default()
    };
    let mut record = Record::default();
    let mut block = Block::enter(&mut cursor, header, block_info.abbreviations(id::METADATA));
    let mut is_units = false;
    let (units, variables) = (&mut debug.units, &mut debug.variables);
    let mut reader = NodeReader::new(tables, None, &mut debug.nodes);
    walk(
        &mut reader,
        &mut cursor,
        &mut block,
        &mut record,
        |record| match record.code() {
            code::NAME => is_units = record.text(0) == UNITS,
            code::NAMED_NODE if is_units => units.extend(record.operands().iter().filter_map(|&id| node_of(id))),
            code::GLOBAL_ATTACHMENT => variables.extend(attached(record, &tables.values)),
            _ => {}
        },
    )?;
    variables.sort_by_key(|row| row.0);
    Ok(debug)
}

/// Walks over a block to its end and shows the records that are no nodes. The index of the block, which is for readers
/// that want few of them, is passed over.
///
/// # Errors
/// If the block is malformed.
pub(super) fn walk(
    reader: &mut NodeReader<'_>,
    cursor: &mut Cursor<'_>,
    block: &mut Block<'_>,
    record: &mut Record,
    mut show: impl FnMut(&Record),
) -> Result<(), ReadError> {
    loop {
        match block.next(cursor, record)? {
            Item::End => return Ok(()),
            Item::Block(_) => continue,
            Item::Record => {}
        }
        reader.spend(record, 1 + record.operands().len() as u64)?;
        match record.code() {
            code::STRINGS => reader.strings(cursor, record)?,
            code::INDEX_OFFSET | code::INDEX | code::KIND => {}
            code::NAME | code::NAMED_NODE | code::GLOBAL_ATTACHMENT => show(record),
            code::STRING_OLD => reader.add_text(&record.text(0)),
            code::VALUE => reader.value(record)?,
            code::ARGUMENT_LIST => reader.argument_list(record),
            _ => records::node(reader, record)?,
        }
    }
}

/// The variable that a record attaches nodes to, with each of them.
fn attached(record: &Record, values: &[ModuleValue]) -> Vec<(SymbolId, NodeId)> {
    let Some((&value, pairs)) = record.operands().split_first() else {
        return Vec::new();
    };
    let known = usize::try_from(value).ok().and_then(|value| values.get(value));
    let Some(&ModuleValue::Symbol(symbol)) = known else {
        return Vec::new();
    };
    let nodes = pairs.chunks_exact(2).filter_map(|pair| match *pair {
        [ATTACHED, node] => node_of(node),
        _ => None,
    });
    nodes.map(|node| (symbol, node)).collect()
}
