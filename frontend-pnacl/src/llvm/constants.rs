//! Constants as the file has them: one row each, operands as value numbers.
//!
//! Nothing is evaluated here. Initialisers become bytes and relocations in [`crate::builder::data`], operands of
//! instructions become operands of the IR in [`crate::builder::consts`]; both only look at the constants that are used.
//! Operands may be constants that come later, and a hostile file may make constants that contain themselves;
//! who follows operands bounds depth and work.

use super::codes::{casts, constants as code};
use super::types::{Float, Kind, OtherType, TypeId, TypeTable};
use crate::bitstream::block::{Block, Item};
use crate::bitstream::cursor::{Cursor, decode_signed};
use crate::bitstream::record::Record;
use crate::error::ReadError;
use frazil_ir::AsmData;

/// What a constant is, and what its payload means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantKind {
    /// All bits zero.
    Null,
    /// Any value.
    Undef,
    Poison,
    /// Payload: the integer, sign-extended to 64 bits, in `payload`.
    Integer,
    /// Payload: 64-bit words, the lowest first.
    WideInteger,
    /// Payload: the bits in 64-bit words, the lowest first.
    Float,
    /// Payload: value numbers of the elements.
    Aggregate,
    /// Payload: a range of the table's bytes; an array of `i8`.
    Bytes,
    /// Payload: one word for each element of an array or vector.
    Data,
    /// Payload: cast, value number.
    Cast,
    /// Payload: operation, two value numbers.
    Binary,
    /// Payload: predicate, two value numbers.
    Compare,
    /// Payload: value numbers of the condition, the value if true and the value if false.
    Select,
    /// Payload: value numbers of a vector and an index.
    ExtractElement,
    /// Payload: value numbers of a vector, an element and an index.
    InsertElement,
    /// Payload: value numbers of two vectors and a mask.
    Shuffle,
    /// Payload: value number. The negative of a float or of floats.
    Negative,
    /// Payload: source element type, then type and value number of the pointer and of each index.
    Gep,
    /// Payload: function's value number, block.
    BlockAddress,
    /// Payload: value number of a function.
    LocalEquivalent,
    /// Payload: value number of a function.
    NoCfi,
    /// The payload is the index of the text.
    InlineAsm,
    /// An expression that is refused when it is used; the payload is its record code.
    Other,
}

/// A constant as the file has it; operands are value numbers.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    pub kind: ConstantKind,
    pub ty: TypeId,
    /// How many words or bytes of payload it has.
    len: u32,
    /// First word or byte of its payload, or the payload itself.
    payload: u64,
}

/// No source element type is known: it is what the pointer points to.
pub const NO_TYPE: u64 = u64::MAX;

/// Constants of a module or of one function, in the order of their value numbers.
#[derive(Debug, Default)]
pub struct ConstantTable {
    pub rows: Vec<Constant>,
    words: Vec<u64>,
    bytes: Vec<u8>,
    asms: Vec<AsmData>,
}

impl ConstantTable {
    /// Forgets all constants but keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.words.clear();
        self.bytes.clear();
        self.asms.clear();
    }

    /// The words of a constant's payload.
    pub fn words(&self, constant: &Constant) -> &[u64] {
        let start = constant.payload as usize;
        self.words
            .get(start..start.saturating_add(constant.len as usize))
            .unwrap_or_default()
    }

    /// The bytes of a [`ConstantKind::Bytes`].
    pub fn bytes(&self, constant: &Constant) -> &[u8] {
        let start = constant.payload as usize;
        self.bytes
            .get(start..start.saturating_add(constant.len as usize))
            .unwrap_or_default()
    }

    /// The text of a [`ConstantKind::InlineAsm`].
    pub fn asm(&self, constant: &Constant) -> Option<&AsmData> {
        self.asms.get(constant.payload as usize)
    }

    /// Reads a constants block, which has just been entered, and appends its constants.
    ///
    /// # Errors
    /// If the block is malformed.
    pub fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut block: Block<'_>,
        record: &mut Record,
        types: &TypeTable,
    ) -> Result<(), ReadError> {
        let mut current = None;
        loop {
            match block.next(cursor, record)? {
                Item::End => return Ok(()),
                Item::Block(_) => {}
                Item::Record if record.code() == code::SET_TYPE => {
                    let ty = record.operand(0)?;
                    if ty >= types.len() as u64 {
                        return Err(record.malformed(format!("type {ty} of {}", types.len())));
                    }
                    current = Some(ty as TypeId);
                }
                Item::Record => {
                    // LLVM begins with i32 if no type is set; no writer relies on it.
                    let ty = current.ok_or_else(|| record.malformed("a constant before its type"))?;
                    self.add(record, ty, types)?;
                }
            }
        }
    }

    fn add(&mut self, record: &Record, ty: TypeId, types: &TypeTable) -> Result<(), ReadError> {
        let operands = record.operands();
        let (kind, payload, len) = match record.code() {
            code::INTEGER => (ConstantKind::Integer, decode_signed(record.operand(0)?) as u64, 0),
            code::NULL => (ConstantKind::Null, 0, 0),
            code::UNDEF => (ConstantKind::Undef, 0, 0),
            code::POISON => (ConstantKind::Poison, 0, 0),
            code::WIDE_INTEGER => {
                record.operand(0)?;
                self.add_words(
                    ConstantKind::WideInteger,
                    operands.iter().map(|&word| decode_signed(word) as u64),
                )
            }
            code::FLOAT => self.add_float(record, ty, types)?,
            code::AGGREGATE => self.add_words(ConstantKind::Aggregate, operands.iter().copied()),
            code::STRING => self.add_bytes(operands.iter().map(|&byte| byte as u8)),
            code::C_STRING => self.add_bytes(operands.iter().map(|&byte| byte as u8).chain([0])),
            code::DATA if is_bytes(ty, types) => self.add_bytes(operands.iter().map(|&byte| byte as u8)),
            code::DATA => self.add_words(ConstantKind::Data, operands.iter().copied()),
            code::CAST if !may_cast(record.operand(0)?, record.operand(1)?, ty, types) => {
                return Err(record.malformed(format!("a cast to type {ty} from one that cannot be cast to it")));
            }
            code::CAST => self.add_words(ConstantKind::Cast, [record.operand(0)?, record.operand(2)?].into_iter()),
            code::BINARY => {
                let words = [record.operand(0)?, record.operand(1)?, record.operand(2)?];
                self.add_words(ConstantKind::Binary, words.into_iter())
            }
            code::COMPARE => {
                expect_type(record, 0, types)?;
                let words = [record.operand(3)?, record.operand(1)?, record.operand(2)?];
                self.add_words(ConstantKind::Compare, words.into_iter())
            }
            code::SELECT => {
                let words = [record.operand(0)?, record.operand(1)?, record.operand(2)?];
                self.add_words(ConstantKind::Select, words.into_iter())
            }
            code::EXTRACT_ELEMENT => {
                expect_vector(record, record.operand(0)?, types)?;
                let words = [record.operand(1)?, index_operand(record, types)?];
                self.add_words(ConstantKind::ExtractElement, words.into_iter())
            }
            code::INSERT_ELEMENT => {
                expect_vector(record, u64::from(ty), types)?;
                let words = [record.operand(0)?, record.operand(1)?, index_operand(record, types)?];
                self.add_words(ConstantKind::InsertElement, words.into_iter())
            }
            code::SHUFFLE | code::SHUFFLE_EXTENDED => {
                // The extended form says the vectors' type first.
                let first = usize::from(record.code() == code::SHUFFLE_EXTENDED);
                expect_vector(record, u64::from(ty), types)?;
                if first > 0 {
                    expect_vector(record, record.operand(0)?, types)?;
                }
                let words = [
                    record.operand(first)?,
                    record.operand(first + 1)?,
                    record.operand(first + 2)?,
                ];
                self.add_words(ConstantKind::Shuffle, words.into_iter())
            }
            code::UNARY if record.operand(0)? == NEGATION => {
                self.add_words(ConstantKind::Negative, [record.operand(1)?].into_iter())
            }
            code::GEP_OLD | code::INBOUNDS_GEP | code::GEP_INRANGE_OLD | code::GEP_INRANGE | code::GEP => {
                self.add_gep(record, types)?
            }
            code::BLOCK_ADDRESS | code::LOCAL_EQUIVALENT | code::NO_CFI if record.operand(0)? >= types.len() as u64 => {
                return Err(record.malformed("a function of a type that is not there"));
            }
            code::BLOCK_ADDRESS => {
                let words = [record.operand(1)?, record.operand(2)?];
                self.add_words(ConstantKind::BlockAddress, words.into_iter())
            }
            code::LOCAL_EQUIVALENT => self.add_words(ConstantKind::LocalEquivalent, [record.operand(1)?].into_iter()),
            code::NO_CFI => self.add_words(ConstantKind::NoCfi, [record.operand(1)?].into_iter()),
            code::INLINE_ASM => {
                let ty = TypeId::try_from(record.operand(0)?).ok();
                if !ty.is_some_and(|ty| matches!(types.kind(ty), Some(Kind::Function { .. }))) {
                    return Err(record.malformed("inline assembly without a function type"));
                }
                self.add_asm(record, 1, 4)?
            }
            // Each form has a flag more: the assembler's dialect, and whether it unwinds.
            code::INLINE_ASM_OLD => self.add_asm(record, 0, 2)?,
            code::INLINE_ASM_OLD2 => self.add_asm(record, 0, 3)?,
            code::INLINE_ASM_OLD3 => self.add_asm(record, 0, 4)?,
            other => (ConstantKind::Other, other, 0),
        };
        let constant = Constant { kind, ty, len, payload };
        if !self.fits(&constant, types) {
            return Err(record.malformed(format!("a constant of type {ty}, which has none of this form")));
        }
        self.rows.push(constant);
        Ok(())
    }

    /// Whether a type has constants of a form and length.
    fn fits(&self, constant: &Constant, types: &TypeTable) -> bool {
        let count = u64::from(constant.len);
        let (elements, element) = match types.kind(constant.ty) {
            Some(&Kind::Array { element, count }) => (count, Some(element)),
            Some(&Kind::Vector { element, count }) => (u64::from(count), Some(element)),
            Some(Kind::Struct { members, .. }) => (members.len() as u64, None),
            _ => (0, None),
        };
        let element = element.and_then(|element| types.kind(element));
        match constant.kind {
            // A vector: the number is that of all its elements.
            ConstantKind::Integer | ConstantKind::WideInteger => {
                matches!(types.kind(constant.ty), Some(Kind::Integer(_)))
                    || matches!(
                        (types.kind(constant.ty), element),
                        (Some(Kind::Vector { .. }), Some(Kind::Integer(_)))
                    )
            }
            ConstantKind::Null => !matches!(
                types.kind(constant.ty),
                Some(Kind::Void | Kind::Label | Kind::Function { .. }) | None
            ),
            ConstantKind::Aggregate => count > 0 && count == elements,
            ConstantKind::Bytes => count == elements && matches!(element, Some(Kind::Integer(8))),
            ConstantKind::Data => {
                let is_packed = matches!(
                    element,
                    Some(
                        Kind::Integer(8 | 16 | 32 | 64)
                            | Kind::Float(Float::Half | Float::BFloat | Float::Float | Float::Double)
                    )
                );
                count > 0 && count == elements && is_packed
            }
            _ => true,
        }
    }

    fn add_words(&mut self, kind: ConstantKind, words: impl Iterator<Item = u64>) -> (ConstantKind, u64, u32) {
        let start = self.words.len();
        self.words.extend(words);
        (kind, start as u64, (self.words.len() - start) as u32)
    }

    fn add_bytes(&mut self, bytes: impl Iterator<Item = u8>) -> (ConstantKind, u64, u32) {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        (ConstantKind::Bytes, start as u64, (self.bytes.len() - start) as u32)
    }

    fn add_float(
        &mut self,
        record: &Record,
        ty: TypeId,
        types: &TypeTable,
    ) -> Result<(ConstantKind, u64, u32), ReadError> {
        let first = record.operand(0)?;
        let words = match types.kind(ty) {
            Some(Kind::Float(Float::X86Fp80)) => {
                // The file has sign, exponent and the upper significand first.
                let second = record.operand(1)?;
                vec![(second & 0xffff) | (first << 16), first >> 48]
            }
            Some(Kind::Float(Float::Fp128 | Float::PpcFp128)) => vec![first, record.operand(1)?],
            Some(Kind::Float(_)) => vec![first],
            _ => return Err(record.malformed(format!("a floating-point constant of type {ty}, which is not one"))),
        };
        Ok(self.add_words(ConstantKind::Float, words.into_iter()))
    }

    fn add_gep(&mut self, record: &Record, types: &TypeTable) -> Result<(ConstantKind, u64, u32), ReadError> {
        let operands = record.operands();
        let code = record.code();
        let explicit = matches!(code, code::GEP_INRANGE_OLD | code::GEP_INRANGE | code::GEP);
        let mut index = 0;
        let mut source = NO_TYPE;
        if explicit || operands.len() % 2 == 1 {
            source = record.operand(0)?;
            index = 1;
        }
        if explicit {
            index += 1; // Flags, which say what gives poison, not where the address is.
        }
        if code == code::GEP_INRANGE {
            let bits = record.operand(index)?;
            let words = if bits > 64 {
                let lengths = record.operand(index + 1)?;
                1 + (lengths & 0xffff_ffff) + (lengths >> 32)
            } else {
                2
            };
            index = usize::try_from(words)
                .ok()
                .and_then(|words| index.checked_add(1 + words))
                .unwrap_or(usize::MAX);
        }
        let pairs = operands.get(index..).unwrap_or_default();
        if pairs.len() < 2 || pairs.len() % 2 == 1 {
            return Err(record.malformed("a constant address with no pointer or half an index"));
        }
        if source != NO_TYPE && source >= types.len() as u64 {
            return Err(record.malformed(format!("a constant address in type {source} of {}", types.len())));
        }
        for at in (index..operands.len()).step_by(2) {
            expect_type(record, at, types)?;
        }
        let base = TypeId::try_from(record.operand(index)?).unwrap_or(TypeId::MAX);
        let base = match types.kind(base) {
            Some(&Kind::Vector { element, .. }) => types.kind(element),
            other => other,
        };
        if !matches!(base, Some(Kind::Pointer { .. })) {
            return Err(record.malformed("a constant address from something that is no pointer"));
        }
        Ok(self.add_words(ConstantKind::Gep, [source].into_iter().chain(pairs.iter().copied())))
    }

    fn add_asm(
        &mut self,
        record: &Record,
        flags_at: usize,
        flag_bits: u32,
    ) -> Result<(ConstantKind, u64, u32), ReadError> {
        let flags = record.operand(flags_at)? & ((1 << flag_bits) - 1);
        let (template, next) = counted_text(record, flags_at + 1)?;
        let (constraints, _) = counted_text(record, next)?;
        self.asms.push(AsmData {
            template,
            constraints,
            flags: flags as u8,
        });
        Ok((ConstantKind::InlineAsm, self.asms.len() as u64 - 1, 0))
    }
}

impl Constant {
    /// The payload itself: of an [`ConstantKind::Integer`] its value, of an [`ConstantKind::Other`] its record code.
    #[inline]
    pub fn payload(&self) -> u64 {
        self.payload
    }
}

/// The only unary operation.
const NEGATION: u64 = 0;

/// The value number of the index of an element; since indices may have any type, that stands before it.
fn index_operand(record: &Record, types: &TypeTable) -> Result<u64, ReadError> {
    const WITHOUT_TYPE: usize = 3;
    if record.operands().len() == WITHOUT_TYPE {
        return record.operand(WITHOUT_TYPE - 1);
    }
    expect_type(record, WITHOUT_TYPE - 1, types)?;
    record.operand(WITHOUT_TYPE)
}

/// Refuses an operand that is no type.
fn expect_type(record: &Record, at: usize, types: &TypeTable) -> Result<(), ReadError> {
    match record.operand(at)? {
        ty if ty < types.len() as u64 => Ok(()),
        ty => Err(record.malformed(format!("a constant with type {ty} of {}", types.len()))),
    }
}

/// Refuses a type that is no vector.
fn expect_vector(record: &Record, ty: u64, types: &TypeTable) -> Result<(), ReadError> {
    let kind = TypeId::try_from(ty).ok().and_then(|ty| types.kind(ty));
    match kind {
        Some(Kind::Vector { .. } | Kind::Other(OtherType::ScalableVector)) => Ok(()),
        _ => Err(record.malformed(format!("a constant with type {ty} where a vector is expected"))),
    }
}

/// Whether there may be such a cast, sizes aside.
fn may_cast(cast: u64, from: u64, to: TypeId, types: &TypeTable) -> bool {
    let from = TypeId::try_from(from).ok().and_then(|from| types.kind(from));
    from.is_some_and(|from| may_cast_kind(cast, from, to, types))
}

/// The same from a type of a kind.
pub(super) fn may_cast_kind(cast: u64, from: &Kind, to: TypeId, types: &TypeTable) -> bool {
    let element = |kind| match kind {
        &Kind::Vector { element, .. } => types.kind(element),
        other => Some(other),
    };
    let is_pointer = |kind: &Kind| matches!(kind, Kind::Pointer { .. });
    let is_integer = |kind: &Kind| matches!(kind, Kind::Integer(_));
    let (Some(from), Some(to)) = (element(from), types.kind(to).and_then(element)) else {
        return false;
    };
    match cast {
        casts::BITCAST => is_pointer(from) == is_pointer(to),
        casts::PTR_TO_INT | casts::PTR_TO_ADDRESS => is_pointer(from) && is_integer(to),
        casts::INT_TO_PTR => is_integer(from) && is_pointer(to),
        casts::ADDRESS_SPACE => is_pointer(from) && is_pointer(to),
        casts::TRUNC | casts::ZEXT | casts::SEXT => is_integer(from) && is_integer(to),
        _ => true,
    }
}

fn is_bytes(ty: TypeId, types: &TypeTable) -> bool {
    match types.kind(ty) {
        Some(Kind::Array { element, .. }) => matches!(types.kind(*element), Some(Kind::Integer(8))),
        _ => false,
    }
}

/// A length at `at` and as many characters; also returns the index after them.
fn counted_text(record: &Record, at: usize) -> Result<(Vec<u8>, usize), ReadError> {
    let length = record.operand(at)?;
    let start = at + 1;
    let end = usize::try_from(length)
        .ok()
        .and_then(|length| start.checked_add(length));
    let text = end.and_then(|end| record.operands().get(start..end));
    let text = text.ok_or_else(|| record.malformed(format!("a text of {length} characters goes beyond its record")))?;
    Ok((text.iter().map(|&byte| byte as u8).collect(), start + text.len()))
}
