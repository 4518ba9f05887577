//! What the metadata of a module says that divides or ties: symbols that it names, and variables that are nothing
//! without another symbol.

use frazil_frontend_pnacl::ReadError;
use frazil_frontend_pnacl::bitstream::block::{Block, Item};
use frazil_frontend_pnacl::bitstream::cursor::Cursor;
use frazil_frontend_pnacl::bitstream::record::Record;
use frazil_frontend_pnacl::codes::metadata as code;
use frazil_ir::Refusal;

/// The kind of the attachment that names the symbol with which a variable goes (`!associated`).
const ASSOCIATED: u64 = 22;

/// What was found.
#[derive(Debug, Default)]
pub struct Metadata {
    /// Numbers of values, each once for each node that is one.
    pub values: Vec<u64>,
    /// Variables with the symbols that they are associated with, both by value number.
    pub associated: Vec<(u64, u64)>,
    /// Symbols that something is attached to, ascending and each once.
    pub attached: Vec<u64>,
}

/// Whether a record is metadata with a number, and how much of it.
fn numbers(record: &Record) -> Result<u64, ReadError> {
    Ok(match record.code() {
        code::STRINGS => record.operand(0)?,
        code::INDEX_OFFSET | code::INDEX | code::NAME | code::NAMED_NODE => 0,
        code::GLOBAL_ATTACHMENT | code::KIND | code::ARGUMENT_LIST => 0,
        _ => 1,
    })
}

/// Refuses nodes that consist of values.
///
/// # Errors
/// If a record is one.
pub fn expect_new(record: &Record) -> Result<(), ReadError> {
    if !matches!(record.code(), code::NODE_OLD | code::LOCAL_OLD) {
        return Ok(());
    }
    let message = "metadata of an LLVM before 3.6";
    Err(ReadError::unsupported(Refusal::OldFormat, record.start(), message))
}

impl Metadata {
    /// Reads the metadata block of the module; `enter` enters it anew.
    ///
    /// # Errors
    /// If the block is malformed.
    pub fn read<'m>(
        &mut self,
        cursor: &mut Cursor<'_>,
        enter: impl Fn(&mut Cursor<'_>) -> Block<'m>,
        record: &mut Record,
    ) -> Result<(), ReadError> {
        // Nodes that are values, by their number, which ascends.
        let mut nodes = Vec::new();
        let mut pending = Vec::new();
        let mut number = 0u64;
        let mut block = enter(cursor);
        while let item @ (Item::Record | Item::Block(_)) = block.next(cursor, record)? {
            if item != Item::Record {
                continue;
            }
            expect_new(record)?;
            if record.code() == code::VALUE {
                nodes.push((number, record.operand(1)?));
                self.values.push(record.operand(1)?);
            }
            if let (code::GLOBAL_ATTACHMENT, [symbol, pairs @ ..]) = (record.code(), record.operands()) {
                self.attached.push(*symbol);
                let wanted = pairs.chunks_exact(2).filter(|pair| pair.first() == Some(&ASSOCIATED));
                pending.extend(wanted.filter_map(|pair| Some((*pair.get(1)?, *symbol))));
            }
            number = number.saturating_add(numbers(record)?);
        }
        self.attached.sort_unstable();
        self.attached.dedup();
        if pending.is_empty() {
            return Ok(());
        }
        pending.sort_unstable();
        let mut number = 0u64;
        let mut block = enter(cursor);
        let mut rest = pending.as_slice();
        while let item @ (Item::Record | Item::Block(_)) = block.next(cursor, record)? {
            if item != Item::Record {
                continue;
            }
            while let [(node, symbol), others @ ..] = rest
                && *node == number
            {
                let value = record.operands().first().and_then(|operand| operand.checked_sub(1));
                let known = value.and_then(|value| nodes.binary_search_by_key(&value, |row| row.0).ok());
                if let Some(&(_, value)) = known.and_then(|index| nodes.get(index)) {
                    self.associated.push((*symbol, value));
                }
                rest = others;
            }
            number = number.saturating_add(numbers(record)?);
            while let [(node, _), others @ ..] = rest
                && *node < number
            {
                rest = others;
            }
        }
        Ok(())
    }
}
