//! Which values constants name.
//!
//! Of each record of a constants block it is known here where numbers of values stand among its operands; nothing is
//! evaluated. What a later version of LLVM adds is refused, because a use that is not seen would be a wrong program.

use frazil_frontend_pnacl::ReadError;
use frazil_frontend_pnacl::bitstream::block::{Block, Item};
use frazil_frontend_pnacl::bitstream::cursor::Cursor;
use frazil_frontend_pnacl::bitstream::record::Record;
use frazil_frontend_pnacl::codes::{binary, constants as code};
use frazil_ir::Refusal;
use std::ops::Range;

/// What a constant is to the division of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Contents without names, or an expression.
    Plain,
    /// All zeros or undefined, of any size.
    Empty,
    /// The address of a block; the function is the operand.
    BlockAddress,
    /// A difference, which may be one of addresses.
    Difference,
}

/// A constant of the module.
#[derive(Clone, Debug)]
pub struct Constant {
    pub kind: Kind,
    /// Where its operands are among [`Constants::words`].
    pub operands: Range<usize>,
    /// How long its record is.
    pub bytes: u64,
}

/// The constants of a module, in the order of their numbers, the first of which is that after the symbols.
#[derive(Debug, Default)]
pub struct Constants {
    pub rows: Vec<Constant>,
    words: Vec<u64>,
}

impl Constants {
    /// Reads a constants block of the module, which has just been entered.
    ///
    /// # Errors
    /// If the block is malformed, or has an expression that is not known.
    pub fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut block: Block<'_>,
        record: &mut Record,
    ) -> Result<(), ReadError> {
        loop {
            match block.next(cursor, record)? {
                Item::End => return Ok(()),
                Item::Record if record.code() != code::SET_TYPE => {}
                _ => continue,
            }
            let first = self.words.len();
            for_each_operand(record, |value| self.words.push(value))?;
            self.rows.push(Constant {
                kind: kind_of(record)?,
                operands: first..self.words.len(),
                bytes: (cursor.position() - record.start()) / 8,
            });
        }
    }

    /// The values that a constant names.
    pub fn operands(&self, constant: &Constant) -> &[u64] {
        self.words.get(constant.operands.clone()).unwrap_or_default()
    }
}

/// What the constant of a record is.
///
/// # Errors
/// If the record is too short.
pub fn kind_of(record: &Record) -> Result<Kind, ReadError> {
    Ok(match record.code() {
        code::NULL | code::UNDEF | code::POISON => Kind::Empty,
        code::BLOCK_ADDRESS => Kind::BlockAddress,
        code::BINARY if record.operand(0)? == binary::SUB => Kind::Difference,
        _ => Kind::Plain,
    })
}

/// The text of inline assembly, if that is what the record is.
///
/// # Errors
/// If the record is too short.
pub fn assembly(record: &Record) -> Result<Option<Vec<u8>>, ReadError> {
    let length_at = match record.code() {
        code::INLINE_ASM => 2,
        code::INLINE_ASM_OLD | code::INLINE_ASM_OLD2 | code::INLINE_ASM_OLD3 => 1,
        _ => return Ok(None),
    };
    let length = record.operand(length_at)?;
    let mut text = record.text(length_at + 1);
    text.truncate(usize::try_from(length).unwrap_or(usize::MAX));
    Ok(Some(text))
}

/// Shows the values that the record of a constant names.
///
/// # Errors
/// If the record is too short, or not known.
pub fn for_each_operand(record: &Record, mut show: impl FnMut(u64)) -> Result<(), ReadError> {
    let operands = record.operands();
    let from = |first: usize| operands.get(first..).unwrap_or_default();
    match record.code() {
        code::NULL | code::UNDEF | code::POISON | code::INTEGER | code::WIDE_INTEGER | code::FLOAT => {}
        code::STRING | code::C_STRING | code::DATA => {}
        code::INLINE_ASM | code::INLINE_ASM_OLD | code::INLINE_ASM_OLD2 | code::INLINE_ASM_OLD3 => {}
        code::AGGREGATE | code::SELECT | code::SHUFFLE => from(0).iter().copied().for_each(show),
        code::BINARY | code::UNARY | code::SHUFFLE_EXTENDED => from(1).iter().take(3).copied().for_each(show),
        code::COMPARE => {
            show(record.operand(1)?);
            show(record.operand(2)?);
        }
        code::CAST => show(record.operand(2)?),
        code::BLOCK_ADDRESS | code::LOCAL_EQUIVALENT | code::NO_CFI => show(record.operand(1)?),
        code::EXTRACT_ELEMENT => show(record.operand(1)?),
        code::INSERT_ELEMENT => {
            show(record.operand(0)?);
            show(record.operand(1)?);
        }
        // All may be symbols but the key, which is a number.
        code::POINTER_AUTH | code::POINTER_AUTH2 => from(0).iter().copied().for_each(show),
        code::GEP_OLD | code::INBOUNDS_GEP | code::GEP_INRANGE_OLD | code::GEP_INRANGE | code::GEP => {
            // Pairs of a type and a value.
            from(address_start(record)?)
                .iter()
                .skip(1)
                .step_by(2)
                .copied()
                .for_each(show);
        }
        other => {
            let message = format!("constant {other}, which is not known");
            return Err(ReadError::unsupported(Refusal::Bitcode, record.start(), message));
        }
    }
    Ok(())
}

/// Where the pairs of types and values of an address begin.
fn address_start(record: &Record) -> Result<usize, ReadError> {
    /// Bits of a number that stands in the record as it is.
    const WORD_BITS: u64 = 64;
    let is_odd = !record.operands().len().is_multiple_of(2);
    Ok(match record.code() {
        code::GEP_OLD | code::INBOUNDS_GEP => usize::from(is_odd),
        code::GEP_INRANGE_OLD | code::GEP => 2,
        // A range of numbers stands between: their width, and both bounds.
        _ if record.operand(2)? <= WORD_BITS => 5,
        _ => {
            // How many words each of the bounds has, in one operand.
            let lengths = record.operand(3)?;
            let words = (lengths & u64::from(u32::MAX)) + (lengths >> u32::BITS);
            usize::try_from(words).map_or(usize::MAX, |words| words.saturating_add(4))
        }
    })
}
