//! Which symbols and constants of the module a function body names.
//!
//! Operands are numbers of values counted backwards from the next value, so the walk has to know which instructions
//! yield one; that, and where operands stand in a record, is all that it knows of instructions. What it does not know
//! is refused. An operand that comes later than its user is followed by its type; symbols and constants never do.

use crate::constants;
use crate::metadata::expect_new;
use crate::types::Types;
use frazil_frontend_pnacl::ReadError;
use frazil_frontend_pnacl::bitstream::block::{Block, BlockInfo, Item, SubBlock};
use frazil_frontend_pnacl::bitstream::cursor::{Cursor, decode_signed};
use frazil_frontend_pnacl::bitstream::record::Record;
use frazil_frontend_pnacl::codes::{block as id, call, constants as constant, function as code, metadata};
use frazil_ir::Refusal;

/// What a body says of itself.
pub trait Listener {
    /// It names a value of the module.
    fn value(&mut self, value: u64);
    /// It has the address of a block of this function.
    fn block_address(&mut self, function: u64);
    /// It has this inline assembly.
    fn assembly(&mut self, text: Vec<u8>);
}

/// What all bodies have in common.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'m> {
    pub types: &'m Types,
    pub block_info: &'m BlockInfo,
    /// How many values the module has.
    pub values: u64,
}

/// A body that is being walked.
struct Walk<'m, L> {
    around: Surroundings<'m>,
    listener: &'m mut L,
    /// The number of the next value.
    next: u64,
}

/// Walks the body of a function with so many parameters.
///
/// # Errors
/// If it is malformed, or has an instruction that is not known.
pub fn walk(
    around: Surroundings<'_>,
    mut cursor: Cursor<'_>,
    body: &SubBlock,
    parameters: u64,
    record: &mut Record,
    listener: &mut impl Listener,
) -> Result<(), ReadError> {
    let mut block = Block::enter(&mut cursor, body, around.block_info.abbreviations(id::FUNCTION));
    let mut walk = Walk {
        around,
        listener,
        next: around.values + parameters,
    };
    loop {
        match block.next(&mut cursor, record)? {
            Item::End => return Ok(()),
            Item::Record => walk.instruction(record)?,
            Item::Block(inner) => {
                let after = cursor.position();
                match inner.id {
                    id::CONSTANTS => walk.constants(&mut cursor, &inner, record),
                    id::METADATA => walk.metadata(&mut cursor, &inner, record),
                    _ => Ok(()),
                }
                .map_err(|error| error.within(id::name(inner.id)))?;
                cursor.seek(after);
            }
        }
    }
}

impl<L: Listener> Walk<'_, L> {
    fn name(&mut self, value: u64) {
        if value < self.around.values {
            self.listener.value(value);
        }
    }

    /// Constants of the function: all of them are used in it.
    fn constants(&mut self, cursor: &mut Cursor<'_>, header: &SubBlock, record: &mut Record) -> Result<(), ReadError> {
        let mut block = Block::enter(cursor, header, self.around.block_info.abbreviations(header.id));
        loop {
            match block.next(cursor, record)? {
                Item::End => return Ok(()),
                Item::Record if record.code() != constant::SET_TYPE => {}
                _ => continue,
            }
            self.next += 1;
            if let Some(text) = constants::assembly(record)? {
                self.listener.assembly(text);
            }
            if constants::kind_of(record)? == constants::Kind::BlockAddress {
                self.listener.block_address(record.operand(1)?);
            }
            constants::for_each_operand(record, |value| self.name(value))?;
        }
    }

    /// Metadata of the function: it names values by their numbers.
    fn metadata(&mut self, cursor: &mut Cursor<'_>, header: &SubBlock, record: &mut Record) -> Result<(), ReadError> {
        let mut block = Block::enter(cursor, header, self.around.block_info.abbreviations(header.id));
        loop {
            match block.next(cursor, record)? {
                Item::End => return Ok(()),
                Item::Record if record.code() == metadata::VALUE => self.name(record.operand(1)?),
                Item::Record => expect_new(record)?,
                Item::Block(_) => {}
            }
        }
    }

    fn instruction(&mut self, record: &Record) -> Result<(), ReadError> {
        let yields = match record.code() {
            code::CALL => self.call(record, 1, call::EXPLICIT_TYPE)?,
            code::INVOKE => self.call(record, 3, call::INVOKE_EXPLICIT_TYPE)?,
            code::CALL_BRANCH => {
                let targets = usize::try_from(record.operand(3)?).unwrap_or(usize::MAX);
                self.call(record, targets.saturating_add(3), call::EXPLICIT_TYPE)?
            }
            code::PHI => {
                let incoming = record.operands().get(1..).unwrap_or_default();
                for pair in incoming.chunks_exact(2) {
                    let distance = pair.first().map_or(0, |&value| decode_signed(value));
                    self.name(self.next.wrapping_sub(distance as u64));
                }
                true
            }
            code::LANDING_PAD => {
                let mut at = 3;
                while at < record.operands().len() {
                    at = self.operand(record, at + 1);
                }
                true
            }
            other => match shape(other) {
                Some((shape, yields)) => {
                    self.operands(record, shape);
                    yields
                }
                None => {
                    let message = format!("instruction {other}, which is not known");
                    return Err(ReadError::unsupported(Refusal::Bitcode, record.start(), message));
                }
            },
        };
        self.next += u64::from(yields);
        Ok(())
    }

    /// A call whose function type stands after operand `before`, in the convention word of which (operand 1) the bit
    /// `explicit` says that there is one. Returns whether it yields a value.
    fn call(&mut self, record: &Record, before: usize, explicit: u64) -> Result<bool, ReadError> {
        let convention = record.operand(1)?;
        if convention & explicit == 0 {
            let message = "a call that does not say its type (of an LLVM before 3.8)";
            return Err(ReadError::unsupported(Refusal::OldFormat, record.start(), message));
        }
        let has_flags = record.code() == code::CALL && convention & call::FAST_MATH != 0;
        let type_at = before.saturating_add(1 + usize::from(has_flags));
        let number = record.operand(type_at)?;
        let Some(ty) = self.around.types.function_type(number) else {
            return Err(record.malformed(format!("a call of type {number}, which is no function type")));
        };
        let mut at = self.operand(record, type_at.saturating_add(1));
        for &parameter in ty.parameters {
            if self.around.types.is_value(parameter) {
                self.backward(record, at);
            }
            at += 1;
        }
        while at < record.operands().len() {
            at = self.operand(record, at);
        }
        Ok(ty.has_result)
    }

    /// Operands where a shape says that they are: `V` is one that may be followed by its type, `v` one that never is,
    /// `.` something else, `*` more like the last.
    fn operands(&mut self, record: &Record, shape: &str) {
        let mut at = 0;
        let mut letters = shape.bytes().peekable();
        while let Some(letter) = letters.next() {
            let repeats = letters.next_if_eq(&b'*').is_some();
            loop {
                if at >= record.operands().len() {
                    return;
                }
                at = match letter {
                    b'V' => self.operand(record, at),
                    b'v' => {
                        self.backward(record, at);
                        at + 1
                    }
                    _ => at + 1,
                };
                if !repeats {
                    break;
                }
            }
        }
    }

    /// An operand that is followed by its type if it comes later; returns where the next field is.
    fn operand(&mut self, record: &Record, at: usize) -> usize {
        let value = self.backward(record, at);
        at.saturating_add(if value.is_some_and(|value| value >= self.next) {
            2
        } else {
            1
        })
    }

    /// The value that an operand names.
    fn backward(&mut self, record: &Record, at: usize) -> Option<u64> {
        let &distance = record.operands().get(at)?;
        // Of 32 bits, as LLVM computes.
        let value = u64::from((self.next as u32).wrapping_sub(distance as u32));
        self.name(value);
        Some(value)
    }
}

/// Where the operands of an instruction stand, and whether it yields a value.
fn shape(number: u64) -> Option<(&'static str, bool)> {
    Some(match number {
        code::DECLARE_BLOCKS | code::BLOCK_ADDRESS_USERS => ("", false),
        code::DEBUG_LOCATION | code::DEBUG_LOCATION_AGAIN => ("", false),
        code::UNREACHABLE | code::FENCE => ("", false),
        code::DEBUG_VALUE_SIMPLE => ("...V", false),
        // Values are metadata here.
        code::DEBUG_VALUE..=code::LAST_DEBUG_RECORD => ("", false),
        code::BINARY | code::COMPARE | code::COMPARE2 => ("Vv", true),
        code::CAST | code::UNARY | code::FREEZE | code::LOAD | code::ATOMIC_LOAD | code::EXTRACT_VALUE => ("V", true),
        code::GEP => ("..V*", true),
        code::GEP_OLD | code::INBOUNDS_GEP_OLD => ("V*", true),
        code::SELECT => ("VvV", true),
        code::SELECT_OLD => ("Vvv", true),
        code::EXTRACT_ELEMENT | code::INSERT_VALUE => ("VV", true),
        code::INSERT_ELEMENT | code::SHUFFLE => ("VvV", true),
        code::RETURN | code::RESUME => ("V", false),
        code::BRANCH => ("..v", false),
        code::SWITCH | code::INDIRECT_BRANCH => (".v", false),
        // The size is a constant or a value by its number from the beginning, and no symbol.
        code::ALLOCA => ("", true),
        code::VA_ARG => (".v", true),
        code::STORE | code::ATOMIC_STORE => ("VV", false),
        code::STORE_OLD | code::ATOMIC_STORE_OLD => ("Vv", false),
        code::CMPXCHG => ("VVv", true),
        code::CMPXCHG_OLD => ("Vvv", true),
        code::ATOMIC_RMW => ("VV", true),
        code::ATOMIC_RMW_OLD => ("Vv", true),
        code::CLEANUP_RETURN | code::CATCH_RETURN => ("v", false),
        code::CATCH_PAD | code::CLEANUP_PAD => ("v.V*", true),
        code::CATCH_SWITCH => ("v", true),
        code::OPERAND_BUNDLE => (".V*", false),
        _ => return None,
    })
}
