//! Global variables: an alignment, whether they are written, and contents of bytes, zeros and addresses.

use super::codes::globals as code;
use crate::bitstream::block::{Block, Item};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::error::{ReadError, ReadErrorKind};
use crate::limits;
use frazil_ir::module::{DataDef, DataRelocation, RelocationTarget, SymbolData};
use frazil_ir::{Linkage, Module, SymbolId, SymbolKind};
use frazil_support::EntityRef;

/// An address in data takes so many bytes.
const ADDRESS_BYTES: u64 = 4;

/// The largest alignment of a variable, as a power of two.
const MOST_ALIGNMENT_LOG2: u64 = 29;

/// A variable whose contents are being read.
struct Open {
    def: DataDef,
    /// How many of its initializers are still to come.
    missing: u64,
    /// Where it begins in the file.
    place: u64,
}

/// Reads the block of variables into a module that has its functions.
///
/// # Errors
/// If it breaks a rule.
pub fn read(cursor: &mut Cursor<'_>, mut block: Block<'_>, module: &mut Module) -> Result<(), ReadError> {
    let mut record = Record::default();
    let functions = module.symbols.len() as u64;
    let (mut count, mut open): (Option<u64>, Option<Open>) = (None, None);
    let mut found = 0;
    loop {
        let item = block.next_restricted(cursor, &mut record)?;
        if item == Item::Record && record.code() == code::COUNT {
            let own = record.operand(0)?;
            if count.is_some() || own > cursor.bits_left() {
                let message = format!(
                    "{own} variables, but only {} bits are left, or a second count",
                    cursor.bits_left()
                );
                return Err(record.malformed(message));
            }
            count = Some(own);
            continue;
        }
        let most_operands = match record.code() {
            code::VARIABLE | code::RELOCATION => 2,
            code::COMPOUND | code::ZERO_FILL => 1,
            _ => usize::MAX,
        };
        if item == Item::Record && record.operands().len() > most_operands {
            let (code, found) = (record.code(), record.operands().len());
            let message = format!("record {code} of {found} operands among the variables; expected {most_operands}");
            return Err(record.malformed(message));
        }
        let Some(count) = count else {
            return Err(record.malformed("variables before their number, which comes first"));
        };
        let variable = open.as_mut().filter(|open| open.missing > 0);
        match (item, record.code(), variable) {
            (Item::Record, code::COMPOUND, Some(variable)) if variable.missing == 1 && variable.def.size == 0 => {
                let own = record.operand(0)?;
                if own < 2 || own > cursor.bits_left() {
                    let message =
                        format!("contents of {own} parts; expected at least 2, and no more than there are bits");
                    return Err(record.malformed(message));
                }
                variable.missing = own;
            }
            (Item::Record, _, Some(variable)) => {
                initialize(cursor, &record, module, &mut variable.def, functions + count)?;
                variable.missing -= 1;
            }
            (Item::Record, code::VARIABLE, None) => {
                close(open.take(), module);
                found += 1;
                if found > count {
                    return Err(record.malformed(format!("more variables than {count}, as the first record says")));
                }
                open = Some(begin(&record, module)?);
            }
            (Item::End, ..) => {
                if let Some(variable) = open.as_ref().filter(|open| open.missing > 0) {
                    let message = format!("a variable that lacks {} of its contents", variable.missing);
                    return Err(ReadError::malformed(variable.place, message));
                }
                close(open.take(), module);
                return match found == count {
                    true => Ok(()),
                    false => Err(record.malformed(format!("{found} variables; expected {count}"))),
                };
            }
            (Item::Block(inner), ..) => {
                let message = format!("block {} among the variables; expected records only", inner.id);
                return Err(record.malformed(message));
            }
            (Item::Record, other, None) => {
                return Err(record.malformed(format!("record {other} among the variables; expected a variable")));
            }
        }
    }
}

fn begin(record: &Record, module: &mut Module) -> Result<Open, ReadError> {
    let (alignment, constant) = (record.operand(0)?, record.operand(1)?);
    if alignment > MOST_ALIGNMENT_LOG2 + 1 {
        let message = format!(
            "a variable aligned to 2^{}; expected at most 2^{MOST_ALIGNMENT_LOG2}",
            alignment - 1
        );
        return Err(record.malformed(message));
    }
    let def = DataDef {
        symbol: SymbolId::new(module.symbols.len()),
        size: 0,
        align_log2: alignment.saturating_sub(1) as u8,
        constant: constant != 0,
        first_byte: module.bytes.len() as u64,
        byte_count: 0,
        first_relocation: module.relocations.len() as u32,
        relocation_count: 0,
    };
    module.symbols.push(SymbolData {
        linkage: Linkage::Private,
        dso_local: true,
        ..SymbolData::default()
    });
    Ok(Open {
        def,
        missing: 1,
        place: record.start(),
    })
}

fn close(open: Option<Open>, module: &mut Module) {
    let Some(Open { def, .. }) = open else { return };
    let symbol = def.symbol;
    let id = module.data.push(def);
    if let Some(data) = module.symbols.get_mut(symbol) {
        data.kind = SymbolKind::Data(id);
    }
}

/// Adds a part to the contents of a variable; there are `symbols` functions and variables.
fn initialize(
    cursor: &Cursor<'_>,
    record: &Record,
    module: &mut Module,
    def: &mut DataDef,
    symbols: u64,
) -> Result<(), ReadError> {
    let most = limits::data_bytes(cursor.bytes().len());
    match record.code() {
        code::ZERO_FILL => {
            let bytes = record.operand(0)?;
            if bytes > u64::from(u32::MAX) || def.size + bytes > u64::from(u32::MAX) {
                let message = format!("{bytes} zeros in a variable, which is larger than the address space then");
                return Err(ReadError::new(ReadErrorKind::TooLarge, record.start(), message));
            }
            def.size += bytes;
            return Ok(());
        }
        code::DATA => {
            fill_zeros(module, def, most, record)?;
            let bytes = record.operands();
            if bytes.is_empty() || bytes.iter().any(|&byte| byte > 0xff) {
                return Err(record.malformed("contents of no bytes, or of something larger than a byte"));
            }
            module.bytes.extend(bytes.iter().map(|&byte| byte as u8));
            def.size += bytes.len() as u64;
        }
        code::RELOCATION => {
            fill_zeros(module, def, most, record)?;
            let (symbol, addend) = (record.operand(0)?, record.operands().get(1).copied().unwrap_or(0));
            if symbol >= symbols || addend > u64::from(u32::MAX) {
                let message = format!("the address of value {symbol} of {symbols}, plus {addend}");
                return Err(record.malformed(message));
            }
            module.bytes.extend([0; ADDRESS_BYTES as usize]);
            module.relocations.push(DataRelocation {
                offset: def.size,
                size: ADDRESS_BYTES as u8,
                target: RelocationTarget::Symbol(SymbolId::new(symbol as usize)),
                // The word is the sum's, modulo 2^32.
                addend: i64::from(addend as u32 as i32),
                minus: None,
            });
            def.relocation_count += 1;
            def.size += ADDRESS_BYTES;
        }
        other => {
            let message = format!("record {other} in the contents of a variable; expected bytes, zeros or an address");
            return Err(record.malformed(message));
        }
    }
    def.byte_count = def.size;
    Ok(())
}

/// Writes the zeros before other contents, which take no room as long as nothing follows.
fn fill_zeros(module: &mut Module, def: &DataDef, most: u64, record: &Record) -> Result<(), ReadError> {
    let zeros = def.size - def.byte_count;
    if module.bytes.len() as u64 + zeros > most {
        let message = format!("more than {most} bytes of data, for the size of the file");
        return Err(ReadError::new(ReadErrorKind::TooLarge, record.start(), message));
    }
    module.bytes.resize(module.bytes.len() + zeros as usize, 0);
    Ok(())
}
