//! The type table of a module: what each type id means, and how values of the type lie in memory.
//!
//! Types may refer to later ones (a structure that holds a pointer to itself, in files with typed pointers), so
//! sizes are computed when the table is complete, inside out, with a work list instead of recursion; a type that
//! contains itself by value is refused. Sizes follow LLVM's `DataLayout`: a type's size in bits, the bytes that a
//! store writes, and the bytes from one array element to the next.

use super::codes::types as code;
use super::data_layout::DataLayout;
use crate::bitstream::block::{Block, Item};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::error::{ReadError, ReadErrorKind};
use crate::limits;
use frazil_ir::Refusal;
use std::ops::Range;

/// A type by its number in the table.
pub type TypeId = u32;

/// Floating-point formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// The variants have LLVM's names.
#[allow(clippy::enum_variant_names)]
pub enum Float {
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Fp128,
    PpcFp128,
}

impl Float {
    /// Size in bits.
    pub fn bits(self) -> u32 {
        match self {
            Float::Half | Float::BFloat => 16,
            Float::Float => 32,
            Float::Double => 64,
            Float::X86Fp80 => 80,
            Float::Fp128 | Float::PpcFp128 => 128,
        }
    }
}

/// The kinds of types in a file, with what tells types of a kind apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No value.
    Void,
    /// An integer of this many bits.
    Integer(u32),
    /// A floating-point number.
    Float(Float),
    /// A pointer; the type it points to is known only in files with typed pointers.
    Pointer {
        /// Address space.
        space: u32,
        /// What it points to, with typed pointers.
        pointee: Option<TypeId>,
    },
    Array {
        element: TypeId,
        count: u64,
    },
    /// A vector of a fixed number of elements.
    Vector {
        element: TypeId,
        count: u32,
    },
    /// Fields one after another; a range of the table's member list.
    Struct {
        /// Where the members stand in the table's list.
        members: Range<u32>,
        /// Without padding.
        packed: bool,
    },
    Function {
        /// Whether more arguments may follow.
        variadic: bool,
        /// What it returns.
        result: TypeId,
        /// Where the parameter types stand in the table's list.
        parameters: Range<u32>,
    },
    /// A basic block.
    Label,
    /// Metadata as an argument.
    Metadata,
    /// A type that this reader knows by name only; using it is refused.
    Other(OtherType),
}

/// A type of which the reader knows no more than that it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherType {
    /// A structure without contents.
    Opaque,
    /// Tiles of AMX.
    Tile,
    /// What only names its user.
    Token,
    /// A type that only a target understands.
    Target,
    /// A vector of a length that only the processor knows.
    ScalableVector,
}

impl OtherType {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            OtherType::Opaque => "opaque",
            OtherType::Tile => "x86_amx",
            OtherType::Token => "token",
            OtherType::Target => "target extension type",
            OtherType::ScalableVector => "scalable vector",
        }
    }

    /// What values and variables of the type are refused for.
    pub fn refusal(self) -> Refusal {
        match self {
            OtherType::Opaque | OtherType::Token => Refusal::Bitcode,
            OtherType::Tile => Refusal::TileOrMmx,
            OtherType::Target => Refusal::TargetType,
            OtherType::ScalableVector => Refusal::ScalableVector,
        }
    }
}

/// How values of a type lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Size in bits, without padding after the value.
    pub bits: u64,
    /// Alignment as log2 of bytes.
    pub align_log2: u8,
    /// Whether values of the type can be in memory at all.
    pub sized: bool,
}

impl Layout {
    /// Bytes that a store of the type writes.
    pub fn store_bytes(&self) -> u64 {
        self.bits.div_ceil(8)
    }

    /// Bytes from one element of an array of the type to the next.
    pub fn stride(&self) -> u64 {
        round_up(self.store_bytes(), self.align_log2)
    }
}

fn round_up(bytes: u64, align_log2: u8) -> u64 {
    let mask = (1u64 << align_log2) - 1;
    (bytes + mask) & !mask
}

/// The types of a module.
#[derive(Debug, Default)]
pub struct TypeTable {
    kinds: Vec<Kind>,
    layouts: Vec<Layout>,
    /// Members of structures and parameters of functions.
    members: Vec<TypeId>,
    /// Offsets in bytes, parallel to `members`; meaningful for structures.
    offsets: Vec<u64>,
    /// Types that were named before they were defined; only while the table is read.
    forward: Vec<TypeId>,
    /// Types that may be named before they are defined, ascending; only while the table is read.
    named: Vec<TypeId>,
}

impl TypeTable {
    /// Reads the type table; the block has just been entered.
    ///
    /// # Errors
    /// If the block is malformed or defines fewer types than it announces.
    pub fn read(cursor: &mut Cursor<'_>, mut block: Block<'_>, record: &mut Record) -> Result<TypeTable, ReadError> {
        let mut table = TypeTable::default();
        let mut announced = None;
        loop {
            match block.next(cursor, record)? {
                Item::End => break,
                Item::Block(_) => {}
                Item::Record if record.code() == code::COUNT => {
                    let count = record.operand(0)?;
                    if count > cursor.bits_left() / 2 {
                        let message = format!("{count} types, but only {} bits are left", cursor.bits_left());
                        return Err(ReadError::new(ReadErrorKind::Truncated, record.start(), message));
                    }
                    announced = Some(count);
                }
                Item::Record => {
                    let Some(count) = announced else {
                        return Err(record.malformed("a type before the number of types"));
                    };
                    if let Some(kind) = table.kind_of_record(record, count)? {
                        if table.kinds.len() as u64 == count {
                            return Err(record.malformed(format!("more types than the {count} announced")));
                        }
                        table.kinds.push(kind);
                    }
                }
            }
        }
        match announced {
            Some(count) if count != table.kinds.len() as u64 => {
                let message = format!("{} types, but {count} were announced", table.kinds.len());
                Err(ReadError::malformed(cursor.position(), message))
            }
            _ => {
                let is_behind = |kind: &Kind| matches!(kind, &Kind::Vector { element, .. } if element as usize == table.kinds.len());
                if table.kinds.iter().any(is_behind) {
                    table.kinds.push(Kind::Integer(u64::BITS));
                }
                table.check_forward(cursor.position())?;
                table.check_parts(cursor.position())?;
                Ok(table)
            }
        }
    }

    /// Refuses types that were named before they were defined but are no structures with a name of their own.
    fn check_forward(&mut self, place: u64) -> Result<(), ReadError> {
        let (forward, named) = (std::mem::take(&mut self.forward), std::mem::take(&mut self.named));
        let wrong = forward.iter().find(|id| named.binary_search(id).is_err());
        wrong.map_or(Ok(()), |id| {
            let message = format!("type {id} is named before it is defined, which only named structures may be");
            Err(ReadError::malformed(place, message))
        })
    }

    /// Whether types consist of what they may consist of; the table is complete.
    fn check_parts(&self, place: u64) -> Result<(), ReadError> {
        for (id, kind) in self.kinds.iter().enumerate() {
            let good = match kind {
                Kind::Array { element, .. } => self.is_field(*element),
                Kind::Vector { element, .. } => matches!(
                    self.kind(*element),
                    Some(Kind::Integer(_) | Kind::Float(_) | Kind::Pointer { .. } | Kind::Other(OtherType::Target))
                ),
                Kind::Struct { members, .. } => self.members(members).iter().all(|&member| self.is_field(member)),
                Kind::Function { result, parameters, .. } => {
                    let is_value = |ty: TypeId| {
                        let unfit = Kind::Other(OtherType::Opaque);
                        let kind = self.kind(ty);
                        !matches!(kind, Some(Kind::Void | Kind::Label | Kind::Function { .. }) | None)
                            && kind != Some(&unfit)
                    };
                    let is_result = !matches!(
                        self.kind(*result),
                        Some(Kind::Function { .. } | Kind::Label | Kind::Metadata) | None
                    );
                    is_result && self.members(parameters).iter().all(|&parameter| is_value(parameter))
                }
                Kind::Pointer {
                    pointee: Some(pointee), ..
                } => !matches!(
                    self.kind(*pointee),
                    Some(Kind::Void | Kind::Label | Kind::Metadata | Kind::Other(OtherType::Token | OtherType::Tile))
                        | None
                ),
                _ => true,
            };
            if !good {
                let message = format!("type {id} consists of types that cannot be part of it");
                return Err(ReadError::malformed(place, message));
            }
        }
        Ok(())
    }

    /// Whether a type may be that of an array's elements or of a structure's fields.
    fn is_field(&self, id: TypeId) -> bool {
        !matches!(
            self.kind(id),
            Some(
                Kind::Void
                    | Kind::Label
                    | Kind::Metadata
                    | Kind::Function { .. }
                    | Kind::Other(OtherType::Token | OtherType::Tile)
            ) | None
        )
    }

    /// Whether two types are the same but for what pointers point to and for names. Types of so many parts that they
    /// are not examined are not.
    pub fn is_same(&self, left: TypeId, right: TypeId) -> bool {
        left == right || self.has_same_parts(left, right, &mut { limits::AGGREGATE_STEPS })
    }

    fn has_same_parts(&self, left: TypeId, right: TypeId, steps: &mut u32) -> bool {
        if left == right {
            return true;
        }
        let Some(fewer) = steps.checked_sub(1) else {
            return false;
        };
        *steps = fewer;
        let mut all_same = |left: &Range<u32>, right: &Range<u32>| {
            let (left, right) = (self.members(left), self.members(right));
            let mut pairs = left.iter().zip(right);
            left.len() == right.len() && pairs.all(|(&left, &right)| self.has_same_parts(left, right, steps))
        };
        match (self.kind(left), self.kind(right)) {
            (Some(Kind::Pointer { space: left, .. }), Some(Kind::Pointer { space: right, .. })) => left == right,
            (
                Some(&Kind::Array { element: left, count }),
                Some(&Kind::Array {
                    element: right,
                    count: other,
                }),
            ) => count == other && self.has_same_parts(left, right, steps),
            (
                Some(&Kind::Vector { element: left, count }),
                Some(&Kind::Vector {
                    element: right,
                    count: other,
                }),
            ) => count == other && self.has_same_parts(left, right, steps),
            (
                Some(Kind::Struct { members: left, packed }),
                Some(Kind::Struct {
                    members: right,
                    packed: other,
                }),
            ) => packed == other && all_same(left, right),
            (Some(Kind::Struct { .. }), _) => false,
            (left, right) => left.is_some() && left == right,
        }
    }

    /// Whether a type is a pointer that says what it points to.
    pub fn is_typed_pointer(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Some(Kind::Pointer { pointee: Some(_), .. }))
    }

    /// Notes a type that a record names.
    fn note(&mut self, id: u64) {
        if id >= self.kinds.len() as u64 {
            self.forward.push(id as TypeId);
        }
    }

    fn kind_of_record(&mut self, record: &Record, count: u64) -> Result<Option<Kind>, ReadError> {
        if matches!(record.code(), code::OPAQUE | code::STRUCT_NAMED) {
            self.named.push(self.kinds.len() as TypeId);
        }
        let known = self.kinds.len() as u64;
        let mut type_at = |index: usize| -> Result<TypeId, ReadError> {
            let id = record.operand(index)?;
            if id >= count {
                return Err(record.malformed(format!("type {id} of {count}")));
            }
            self.note(id);
            Ok(id as TypeId)
        };
        Ok(Some(match record.code() {
            code::VOID => Kind::Void,
            code::FLOAT => Kind::Float(Float::Float),
            code::DOUBLE => Kind::Float(Float::Double),
            code::HALF => Kind::Float(Float::Half),
            code::BFLOAT => Kind::Float(Float::BFloat),
            code::X86_FP80 => Kind::Float(Float::X86Fp80),
            code::FP128 => Kind::Float(Float::Fp128),
            code::PPC_FP128 => Kind::Float(Float::PpcFp128),
            code::LABEL => Kind::Label,
            code::METADATA => Kind::Metadata,
            code::OPAQUE if record.operands().len() != 1 => {
                return Err(record.malformed("an opaque type with other contents than a flag"));
            }
            code::OPAQUE => Kind::Other(OtherType::Opaque),
            // Up to LLVM 19. The integer stands behind all other types.
            code::X86_MMX => Kind::Vector {
                element: count as TypeId,
                count: 1,
            },
            code::X86_AMX => Kind::Other(OtherType::Tile),
            code::TOKEN => Kind::Other(OtherType::Token),
            code::TARGET_TYPE => {
                let types = record.operand(0)?;
                let rest = record.operands().get(1..).unwrap_or_default();
                let parts = usize::try_from(types)
                    .ok()
                    .and_then(|types| rest.split_at_checked(types));
                let Some((types, numbers)) = parts else {
                    return Err(record.malformed(format!("a target extension type of {types} types")));
                };
                if numbers.iter().any(|&number| u32::try_from(number).is_err()) {
                    return Err(record.malformed("a target extension type with a number of more than 32 bits"));
                }
                for index in 1..=types.len() {
                    type_at(index)?;
                }
                Kind::Other(OtherType::Target)
            }
            code::INTEGER => match record.operand(0)? {
                bits @ 1..=limits::INTEGER_BITS => Kind::Integer(bits as u32),
                bits => return Err(record.malformed(format!("an integer of {bits} bits"))),
            },
            code::POINTER => {
                let space = record.operands().get(1).copied().unwrap_or(0);
                Kind::Pointer {
                    space: address_space(record, space)?,
                    pointee: Some(type_at(0)?),
                }
            }
            code::OPAQUE_POINTER if record.operands().len() != 1 => {
                return Err(record.malformed("a pointer with more than an address space"));
            }
            code::OPAQUE_POINTER => Kind::Pointer {
                space: address_space(record, record.operand(0)?)?,
                pointee: None,
            },
            code::ARRAY => Kind::Array {
                count: record.operand(0)?,
                element: type_at(1)?,
            },
            code::VECTOR if record.operands().get(2).is_some_and(|&scalable| scalable != 0) => {
                Kind::Other(OtherType::ScalableVector)
            }
            code::VECTOR => match record.operand(0)? {
                lanes @ 1..=0xffff_ffff => Kind::Vector {
                    count: lanes as u32,
                    element: type_at(1)?,
                },
                lanes => return Err(record.malformed(format!("a vector of {lanes} elements"))),
            },
            code::STRUCT_ANONYMOUS | code::STRUCT_NAMED => {
                let packed = record.operand(0)? != 0;
                Kind::Struct {
                    members: self.add_members(record, 1, count)?,
                    packed,
                }
            }
            code::FUNCTION | code::FUNCTION_OLD => {
                let variadic = record.operand(0)? != 0;
                // A number that means nothing stands before the types in the older form.
                let first = if record.code() == code::FUNCTION { 1 } else { 2 };
                let result = type_at(first)?;
                let mut parameters = record.operands().get(first + 1..).unwrap_or_default().iter();
                if let Some(later) = parameters.find(|&&parameter| parameter >= known) {
                    let message = format!("a function with a parameter of type {later}, which is not defined by then");
                    return Err(record.malformed(message));
                }
                Kind::Function {
                    variadic,
                    result,
                    parameters: self.add_members(record, first + 1, count)?,
                }
            }
            code::STRUCT_NAME => return Ok(None),
            other => return Err(record.malformed(format!("type record {other} is not known"))),
        }))
    }

    fn add_members(&mut self, record: &Record, from: usize, count: u64) -> Result<Range<u32>, ReadError> {
        let start = self.members.len() as u32;
        for &id in record.operands().get(from..).unwrap_or_default() {
            if id >= count {
                return Err(record.malformed(format!("type {id} of {count}")));
            }
            self.note(id);
            self.members.push(id as TypeId);
        }
        Ok(start..self.members.len() as u32)
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is no type at all.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// What a type is; ids come from the file and may be out of range.
    #[inline]
    pub fn kind(&self, id: TypeId) -> Option<&Kind> {
        self.kinds.get(id as usize)
    }

    /// Size and alignment; of a type that does not exist, those of an unsized one.
    #[inline]
    pub fn layout(&self, id: TypeId) -> Layout {
        self.layouts.get(id as usize).copied().unwrap_or_default()
    }

    /// The alignment that is preferred for a type, as log2 of bytes.
    #[cold]
    pub fn preferred_align(&self, id: TypeId, target: &DataLayout) -> u8 {
        let mut id = id;
        while let Some(&Kind::Array { element, .. }) = self.kind(id) {
            id = element;
        }
        let layout = self.layout(id);
        let key = match self.kind(id) {
            Some(&Kind::Integer(bits)) => ('i', bits),
            Some(Kind::Float(float)) => ('f', float.bits()),
            Some(Kind::Vector { .. }) => ('v', u32::try_from(layout.bits).unwrap_or(u32::MAX)),
            Some(&Kind::Pointer { space, .. }) => ('p', space),
            Some(Kind::Struct { .. }) => ('a', 0),
            _ => return layout.align_log2,
        };
        target.preferred_align(key, layout.align_log2)
    }

    /// The types that a structure or parameter range stands for.
    pub fn members(&self, range: &Range<u32>) -> &[TypeId] {
        self.members
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    /// Offsets in bytes of a structure's fields.
    pub fn offsets(&self, range: &Range<u32>) -> &[u64] {
        self.offsets
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    /// Computes all sizes.
    ///
    /// # Errors
    /// If a type contains itself or is larger than an address space; `place` is where the table stands.
    pub fn lay_out(&mut self, target: &DataLayout, place: u64) -> Result<(), ReadError> {
        self.offsets = vec![0; self.members.len()];
        self.layouts = vec![Layout::default(); self.kinds.len()];
        let mut state = vec![Progress::New; self.kinds.len()];
        let mut stack = Vec::new();
        for id in 0..self.kinds.len() as TypeId {
            stack.push(id);
            while let Some(&top) = stack.last() {
                let Some(progress) = state.get_mut(top as usize) else {
                    break;
                };
                match *progress {
                    Progress::Done => {
                        stack.pop();
                    }
                    Progress::New => {
                        *progress = Progress::Open;
                        self.push_parts(top, &state, &mut stack, place)?;
                    }
                    Progress::Open => {
                        *progress = Progress::Done;
                        stack.pop();
                        self.lay_out_one(top, target, place)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Pushes the types that must be laid out before `id`.
    fn push_parts(&self, id: TypeId, state: &[Progress], stack: &mut Vec<TypeId>, place: u64) -> Result<(), ReadError> {
        let mut push = |part: TypeId| match state.get(part as usize) {
            Some(Progress::Open) => Err(ReadError::malformed(
                place,
                format!("type {part} contains itself by way of type {id}"),
            )),
            Some(Progress::New) => {
                stack.push(part);
                Ok(())
            }
            _ => Ok(()),
        };
        match self.kind(id) {
            Some(Kind::Array { element, .. } | Kind::Vector { element, .. }) => push(*element),
            Some(Kind::Struct { members, .. }) => self.members(members).iter().try_for_each(|&part| push(part)),
            _ => Ok(()),
        }
    }

    fn lay_out_one(&mut self, id: TypeId, target: &DataLayout, place: u64) -> Result<(), ReadError> {
        let too_large = || {
            ReadError::new(
                ReadErrorKind::TooLarge,
                place,
                format!("type {id} is larger than 2^47 bytes"),
            )
        };
        let sized = |bits: u64, align_log2: u8| Layout {
            bits,
            align_log2,
            sized: true,
        };
        let layout = match self.kind(id).cloned() {
            Some(Kind::Integer(bits)) => sized(u64::from(bits), target.integer_align(bits)),
            Some(Kind::Float(float)) => sized(u64::from(float.bits()), target.float_align(float.bits())),
            Some(Kind::Pointer { space, .. }) => {
                let pointer = target.pointer(space);
                sized(u64::from(pointer.bits), pointer.align_log2)
            }
            Some(Kind::Array { element, count }) => {
                let element = self.layout(element);
                let bytes = element
                    .stride()
                    .checked_mul(count)
                    .filter(|&bytes| bytes <= limits::TYPE_BYTES);
                Layout {
                    bits: bytes.ok_or_else(too_large)? * 8,
                    ..element
                }
            }
            Some(Kind::Vector { element, count }) => {
                let element = self.layout(element);
                let bits = element
                    .bits
                    .checked_mul(u64::from(count))
                    .filter(|&bits| bits <= limits::TYPE_BYTES);
                let bits = bits.ok_or_else(too_large)?;
                Layout {
                    bits,
                    align_log2: target.vector_align(bits),
                    sized: element.sized,
                }
            }
            Some(Kind::Struct { members, packed }) => self
                .lay_out_struct(&members, packed, target.aggregate_align())
                .ok_or_else(too_large)?,
            _ => Layout::default(),
        };
        if let Some(slot) = self.layouts.get_mut(id as usize) {
            *slot = layout;
        }
        Ok(())
    }

    fn lay_out_struct(&mut self, members: &Range<u32>, packed: bool, least_align: u8) -> Option<Layout> {
        let mut bytes = 0u64;
        let mut align_log2 = if packed { 0 } else { least_align };
        let mut sized = true;
        for index in members.start..members.end {
            let member = self.layout(*self.members.get(index as usize)?);
            if !packed {
                bytes = round_up(bytes, member.align_log2);
                align_log2 = align_log2.max(member.align_log2);
            }
            *self.offsets.get_mut(index as usize)? = bytes;
            bytes = bytes
                .checked_add(member.stride())
                .filter(|&bytes| bytes <= limits::TYPE_BYTES)?;
            sized &= member.sized;
        }
        Some(Layout {
            bits: round_up(bytes, align_log2) * 8,
            align_log2,
            sized,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    New,
    Open,
    Done,
}

fn address_space(record: &Record, space: u64) -> Result<u32, ReadError> {
    match u32::try_from(space) {
        Ok(space) if space < 1 << 24 => Ok(space),
        _ => Err(record.malformed(format!("address space {space}"))),
    }
}
