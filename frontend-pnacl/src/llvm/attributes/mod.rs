//! Attributes: what of them decides how code is generated.
//!
//! A module has groups (attributes of one position: function, result or a parameter) and lists (a group for each
//! position); functions and calls name a list. Most attributes are hints or facts for optimisers and are skipped by
//! the shape of their record, which tells their length even when the attribute is younger than this reader.
//! What must not be skipped because ignoring it would change what the code does, and that code generation does not
//! know, is collected by name. [`words`] has the form of LLVM up to 3.2, which knows no groups.

mod hooks;
mod words;

use super::codes::attributes as code;
use super::protection::Protection;
use super::types::{Kind, TypeId, TypeTable};
use crate::bitstream::block::{Block, Item};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::error::ReadError;
use crate::limits;
use frazil_ir::module::{FramePointer, StackProtector};
use frazil_ir::signature::Extension;
use frazil_ir::{CallFlags, Refusal};
use frazil_support::FxHashMap;
use frazil_support::sort::sort_by_key;
pub(in crate::llvm) use hooks::Hooks;
use hooks::{HOOKS, hook_function};

/// The position of a function's own attributes in a list; 0 is the result, `n + 1` parameter `n`.
const FUNCTION_POSITION: u64 = 0xffff_ffff;

/// Shapes of an attribute in a group's record.
mod shape {
    pub const ENUM: u64 = 0;
    pub const INTEGER: u64 = 1;
    pub const STRING: u64 = 3;
    pub const STRING_WITH_VALUE: u64 = 4;
    pub const TYPE_ABSENT: u64 = 5;
    pub const TYPE: u64 = 6;
    pub const RANGE: u64 = 7;
    pub const RANGE_LIST: u64 = 8;
}

/// Numbers of the attributes that the reader acts on (`AttributeKindCodes`).
mod kind {
    /// The last kind that LLVM 22 knows.
    pub const LAST: u64 = 105;
    pub const ALIGNMENT: u64 = 1;
    pub const BY_VAL: u64 = 3;
    pub const IN_REG: u64 = 5;
    pub const NAKED: u64 = 7;
    pub const NEST: u64 = 8;
    pub const NON_LAZY_BIND: u64 = 15;
    pub const NO_IMPLICIT_FLOAT: u64 = 13;
    pub const NO_RED_ZONE: u64 = 16;
    pub const NO_RETURN: u64 = 17;
    pub const NO_UNWIND: u64 = 18;
    pub const RETURNS_TWICE: u64 = 23;
    pub const S_EXT: u64 = 24;
    pub const STACK_ALIGNMENT: u64 = 25;
    pub const SSP: u64 = 26;
    pub const SSP_REQ: u64 = 27;
    pub const SSP_STRONG: u64 = 28;
    pub const STRUCT_RET: u64 = 29;
    pub const UW_TABLE: u64 = 33;
    pub const Z_EXT: u64 = 34;
    pub const COLD: u64 = 36;
    pub const IN_ALLOCA: u64 = 38;
    pub const SWIFT_SELF: u64 = 46;
    pub const SWIFT_ERROR: u64 = 47;
    pub const NO_CF_CHECK: u64 = 56;
    pub const SHADOW_CALL_STACK: u64 = 58;
    pub const PREALLOCATED: u64 = 65;
    pub const SWIFT_ASYNC: u64 = 75;
    pub const BY_REF: u64 = 69;
    pub const ELEMENT_TYPE: u64 = 77;

    /// Kinds with a number, with a type, with a range, with ranges (`Attributes.td`); all others have nothing.
    const INTEGERS: [u64; 11] = [ALIGNMENT, STACK_ALIGNMENT, UW_TABLE, 41, 42, 51, 74, 82, 86, 87, 102];
    const TYPES: [u64; 6] = [BY_VAL, STRUCT_RET, IN_ALLOCA, PREALLOCATED, BY_REF, ELEMENT_TYPE];
    const RANGE: u64 = 92;
    const RANGES: u64 = 94;
    /// Kinds that older versions wrote without their number or type.
    const BARE: [u64; 4] = [BY_VAL, STRUCT_RET, IN_ALLOCA, UW_TABLE];
    /// Kinds that older versions had for functions.
    const OF_FUNCTIONS: [u64; 3] = [45, 49, 50];

    /// Whether an attribute of a kind may have a shape, and may be a function's or something else's.
    pub fn fits(kind: u64, shape: u64, is_function: bool) -> bool {
        let own = match kind {
            _ if INTEGERS.contains(&kind) => super::shape::INTEGER,
            _ if TYPES.contains(&kind) => super::shape::TYPE,
            RANGE => super::shape::RANGE,
            RANGES => super::shape::RANGE_LIST,
            _ => super::shape::ENUM,
        };
        let is_bare = shape == super::shape::ENUM && BARE.contains(&kind);
        (own == shape || is_bare) && (is_function || !OF_FUNCTIONS.contains(&kind))
    }

    /// Attributes of functions that change the code that must be generated, in ways not supported.
    pub const UNSUPPORTED: &[(u64, &str)] = &[
        (NO_IMPLICIT_FLOAT, "noimplicitfloat"),
        (40, "jumptable"),
        (44, "safestack"),
        (59, "speculative_load_hardening"),
        (83, "presplitcoroutine"),
        (84, "fn_ret_thunk_extern"),
        (95, "hybrid_patchable"),
    ];
}

/// Attributes with a name instead of a number that change the code that must be generated, in ways not supported,
/// and the value with which they change nothing.
const UNSUPPORTED_STRINGS: &[(&str, &str)] = &[
    ("function-instrument", "xray-never"),
    ("instrument-function-entry", ""),
    ("instrument-function-exit", ""),
    ("patchable-function", "prologue-short-redirect"),
    ("use-soft-float", "false"),
];

/// The same for attributes that have no value that changes nothing.
const UNSUPPORTED_WORDS: &[&str] = &[
    "interrupt",
    "split-stack",
    "no_caller_saved_registers",
    "no_callee_saved_registers",
    "xray-instruction-threshold",
];

/// The values of the attribute `frame-pointer`.
const FRAME_POINTERS: [&str; 5] = ["all", "non-leaf", "none", "reserved", "non-leaf-no-reserve"];

/// Attributes of functions that must not be called: LLVM reports calls of the first that are left, with the reason
/// that the attribute gives; the second preserve none of their caller's registers.
pub const FORBIDS_CALLS: [&str; 2] = ["dontcall-error", "no_callee_saved_registers"];

/// What is said about a result or a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParameterAttributes {
    /// How narrow integers are widened.
    pub extension: Extension,
    /// Whether `inreg` is there.
    pub in_reg: bool,
    /// Alignment plus one, as log2 of bytes; 0 if not said.
    pub align_log2_plus_one: u8,
    /// The same of its place on the stack, if that is memory (`alignstack`).
    pub stack_align_log2_plus_one: u8,
    /// What is special about the parameter.
    pub role: Role,
    /// The type that comes with the role, in files that say it.
    pub role_type: Option<TypeId>,
    /// What an argument of inline assembly points to (`elementtype`).
    pub element_type: Option<TypeId>,
}

impl ParameterAttributes {
    /// Whether the role has a type that the file does not say: it is what the parameter points to.
    fn lacks_type(&self) -> bool {
        let has_type = matches!(self.role, Role::ByVal | Role::StructReturn | Role::InAlloca);
        has_type && self.role_type.is_none()
    }

    fn set_role(&mut self, role: Role, record: &Record) -> Result<(), ReadError> {
        let is_exclusive = |role| {
            use Role::{ByVal, InAlloca, Nest, Preallocated, StructReturn};
            matches!(role, ByVal | InAlloca | Nest | Preallocated | StructReturn)
        };
        if role != self.role && is_exclusive(role) && is_exclusive(self.role) {
            let message = format!("a parameter with the attributes of {:?} and {role:?}", self.role);
            return Err(record.malformed(message));
        }
        self.role = role;
        Ok(())
    }
}

/// What is special about a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
// The variants have LLVM's names.
pub enum Role {
    #[default]
    Normal,
    ByVal,
    StructReturn,
    Nest,
    SwiftSelf,
    SwiftError,
    SwiftAsync,
    InAlloca,
    Preallocated,
}

/// Attributes with names, and their values: groups have dozens of them, so all of a group share two allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct NamedAttributes {
    /// Names and values, one after the other.
    text: Vec<u8>,
    /// Where in the text each name and its value end.
    ends: Vec<(u32, u32)>,
}

impl NamedAttributes {
    /// Adds an attribute, each character of whose name and value is an operand of a record.
    #[inline(always)]
    fn push(&mut self, name: &[u64], value: &[u64]) {
        let mut append = |characters: &[u64]| {
            self.text.extend(characters.iter().map(|&character| character as u8));
            self.text.len() as u32
        };
        let ends = (append(name), append(value));
        self.ends.push(ends);
    }

    /// The last attribute and its value.
    fn last(&self) -> Option<(&[u8], &[u8])> {
        let &(name, value) = self.ends.last()?;
        let before = self.ends.len().checked_sub(2).and_then(|index| self.ends.get(index));
        let start = before.map_or(0, |&(_, end)| end);
        Some((self.slice(start, name), self.slice(name, value)))
    }

    fn value(&self, name: &[u8]) -> Option<&[u8]> {
        let mut start = 0;
        let found = self.ends.iter().find(|&&(end, next)| {
            let is_found = self.slice(start, end) == name;
            start = next;
            is_found
        });
        found.map(|&(end, next)| self.slice(end, next))
    }

    fn slice(&self, start: u32, end: u32) -> &[u8] {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// What is said about a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionAttributes {
    /// It does not return.
    pub no_return: bool,
    /// It does not unwind.
    pub no_unwind: bool,
    /// It may return twice.
    pub returns_twice: bool,
    /// It, or what is called, is not marked as a place to which indirect branches may lead.
    pub no_cf_check: bool,
    /// How it protects its control flow.
    pub protection: Protection,
    /// Without prologue and epilogue.
    pub naked: bool,
    /// Calls of it go through the global offset table.
    pub non_lazy_bind: bool,
    /// The area below the stack pointer must not be used.
    pub no_red_zone: bool,
    /// Rarely executed.
    pub cold: bool,
    /// Unwind tables are needed.
    pub unwind_table: bool,
    /// Its frame is guarded.
    pub stack_protector: StackProtector,
    /// What its frame is aligned to in bytes; 0 if it does not say.
    pub stack_align: u32,
    /// Attributes with names, and their values.
    strings: NamedAttributes,
    /// Names of attributes that code generation must refuse.
    pub unsupported: Vec<String>,
}

impl FunctionAttributes {
    /// Of several kinds of guards the strictest holds.
    fn guard(&mut self, protector: StackProtector) {
        self.stack_protector = self.stack_protector.max(protector);
    }

    /// The value of a named attribute.
    pub fn string(&self, name: &str) -> Option<&[u8]> {
        self.strings.value(name.as_bytes())
    }

    /// Whether it keeps a frame pointer. What LLVM up to 9 says of it goes before, as in LLVM's `UpgradeAttributes`.
    pub fn frame_pointer(&self) -> FramePointer {
        let of_all = self.string("no-frame-pointer-elim");
        let of_callers = self.string("no-frame-pointer-elim-non-leaf");
        match (of_all, of_callers, self.string("frame-pointer")) {
            (Some(b"true"), _, _) => FramePointer::All,
            (_, Some(_), _) => FramePointer::NonLeaf,
            (Some(_), _, _) => FramePointer::None,
            (_, _, Some(b"all")) => FramePointer::All,
            (_, _, Some(b"non-leaf" | b"non-leaf-no-reserve")) => FramePointer::NonLeaf,
            _ => FramePointer::None,
        }
    }
}

#[derive(Debug)]
enum Group {
    Function(FunctionAttributes),
    Parameter {
        position: u32,
        attributes: ParameterAttributes,
    },
}

/// An attribute list: positions and groups, sorted by position, each position once.
type List = Vec<(u32, u32)>;

/// All attributes of a module.
#[derive(Debug, Default)]
pub struct AttributeTable {
    groups: Vec<Group>,
    /// Group numbers of the file, which need not be dense.
    ids: FxHashMap<u64, u32>,
    /// The groups made of positions and words, as old files have them.
    of_words: FxHashMap<(u32, u64), u32>,
    lists: Vec<List>,
    /// What each list says about a call.
    call_flags: Vec<CallFlags>,
    /// Whether there are functions that must not be called.
    pub forbids_calls: bool,
    /// Whether there are functions that call others where they begin or return.
    pub has_hooks: bool,
    /// Whether there are parameters whose role has a type that the file does not say.
    pub has_untyped_roles: bool,
}

/// One attribute list.
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'m> {
    table: &'m AttributeTable,
    groups: &'m [(u32, u32)],
}

impl<'m> Attributes<'m> {
    fn group(&self, position: u32) -> Option<&'m Group> {
        let found = self
            .groups
            .binary_search_by_key(&position, |&(position, _)| position)
            .ok()?;
        self.table.groups.get(self.groups.get(found)?.1 as usize)
    }

    fn at(&self, position: u32) -> ParameterAttributes {
        match self.group(position) {
            Some(Group::Parameter { attributes, .. }) => *attributes,
            _ => ParameterAttributes::default(),
        }
    }

    /// What is said about the result.
    pub fn result(&self) -> ParameterAttributes {
        self.at(0)
    }

    /// What is said about a parameter.
    pub fn parameter(&self, index: usize) -> ParameterAttributes {
        self.at(u32::try_from(index).map_or(u32::MAX, |index| index.saturating_add(1)))
    }

    /// What is said about the function, if anything.
    pub fn function(&self) -> Option<&'m FunctionAttributes> {
        match self.group(FUNCTION_POSITION as u32) {
            Some(Group::Function(attributes)) => Some(attributes),
            _ => None,
        }
    }
}

/// What [`Attributes::lack_type`] finds, for messages.
pub const LACKS_TYPE: &str = "a parameter whose attribute does not say the type that it is about";

impl Attributes<'_> {
    /// Whether a parameter of a function type has a role with a type that neither the attribute nor the parameter's
    /// own type says.
    #[cold]
    pub fn lack_type(&self, function: TypeId, types: &TypeTable) -> bool {
        let Some(Kind::Function { parameters, .. }) = types.kind(function) else {
            return false;
        };
        let mut parameters = types.members(parameters).iter().enumerate();
        parameters.any(|(index, &ty)| self.parameter(index).lacks_type() && !types.is_typed_pointer(ty))
    }

    fn call_flags(&self) -> CallFlags {
        let mut flags = CallFlags::empty();
        if let Some(function) = self.function() {
            flags.set(CallFlags::NO_RETURN, function.no_return);
            flags.set(CallFlags::NO_UNWIND, function.no_unwind);
            flags.set(CallFlags::RETURNS_TWICE, function.returns_twice);
            flags.set(CallFlags::UNMARKED, function.no_cf_check);
        }
        flags
    }
}

impl AttributeTable {
    /// What a list says about a call: whether the callee returns, unwinds, returns twice.
    #[inline]
    pub fn call_flags(&self, number: u64) -> CallFlags {
        let index = number.wrapping_sub(1) as usize;
        self.call_flags.get(index).copied().unwrap_or(CallFlags::empty())
    }

    /// The list with a number as functions and calls give it: 0 is the empty one, `n` the `n`-th.
    ///
    /// Returns `None` if there is no such list.
    pub fn list(&self, number: u64) -> Option<Attributes<'_>> {
        let Some(index) = number.checked_sub(1) else {
            return Some(Attributes {
                table: self,
                groups: &[],
            });
        };
        let groups = self.lists.get(usize::try_from(index).ok()?)?;
        Some(Attributes { table: self, groups })
    }

    /// Whether no group has been read.
    pub fn has_no_groups(&self) -> bool {
        self.groups.is_empty()
    }

    /// Whether no list has been read.
    pub fn has_no_lists(&self) -> bool {
        self.lists.is_empty()
    }

    /// Reads the block of groups; it has just been entered.
    ///
    /// # Errors
    /// If the block is malformed.
    pub fn read_groups(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut block: Block<'_>,
        record: &mut Record,
    ) -> Result<(), ReadError> {
        loop {
            match block.next(cursor, record)? {
                Item::End => return Ok(()),
                Item::Record if record.code() == code::GROUP => {
                    let id = record.operand(0)?;
                    let group = read_group(record)?;
                    let number = self.add(group);
                    self.ids.insert(id, number);
                }
                Item::Block(_) | Item::Record => {}
            }
        }
    }

    /// Adds a group and returns its number.
    #[inline(always)]
    fn add(&mut self, group: Group) -> u32 {
        self.forbids_calls |= forbids_calls(&group);
        self.has_hooks |= has_hooks(&group);
        self.has_untyped_roles |= matches!(&group, Group::Parameter { attributes, .. } if attributes.lacks_type());
        self.groups.push(group);
        self.groups.len() as u32 - 1
    }

    /// Reads the block of lists; it has just been entered.
    ///
    /// # Errors
    /// If the block is malformed or names groups that are not there.
    pub fn read_lists(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut block: Block<'_>,
        record: &mut Record,
    ) -> Result<(), ReadError> {
        loop {
            match block.next(cursor, record)? {
                Item::End => return Ok(()),
                Item::Record if record.code() == code::LIST => {
                    let mut list = List::with_capacity(record.operands().len());
                    for id in record.operands() {
                        let group = self.ids.get(id).copied();
                        let group =
                            group.ok_or_else(|| record.malformed(format!("attribute group {id} is not there")))?;
                        let position = match self.groups.get(group as usize) {
                            Some(Group::Parameter { position, .. }) => *position,
                            _ => FUNCTION_POSITION as u32,
                        };
                        list.push((position, group));
                    }
                    self.add_list(list);
                }
                Item::Record if record.code() == code::LIST_OLD => {
                    let list = self.list_of_words(record)?;
                    self.add_list(list);
                }
                // LLVM passes over them, too.
                Item::Record => {}
                Item::Block(_) => {}
            }
        }
    }
}

impl AttributeTable {
    #[inline(always)]
    fn add_list(&mut self, mut list: List) {
        sort_by_key(&mut list, |&(position, _)| position);
        list.dedup_by_key(|&mut (position, _)| position);
        self.lists.push(list);
        let flags = self
            .list(self.lists.len() as u64)
            .map_or(CallFlags::empty(), |list| list.call_flags());
        self.call_flags.push(flags);
    }
}

fn forbids_calls(group: &Group) -> bool {
    let is_forbidden = |said: &FunctionAttributes| FORBIDS_CALLS.iter().any(|name| said.string(name).is_some());
    matches!(group, Group::Function(said) if is_forbidden(said))
}

fn has_hooks(group: &Group) -> bool {
    let is_hooked = |said: &FunctionAttributes| HOOKS.iter().any(|name| said.string(name).is_some());
    matches!(group, Group::Function(said) if is_hooked(said))
}

fn read_group(record: &Record) -> Result<Group, ReadError> {
    let position = record.operand(1)?;
    let is_function = position == FUNCTION_POSITION;
    let mut reader = GroupReader {
        record,
        index: 2,
        is_function,
    };
    if is_function {
        let mut attributes = FunctionAttributes::default();
        // Nearly all of the record is text.
        attributes.strings.text.reserve(record.operands().len());
        while let Some(attribute) = reader.next()? {
            apply_to_function(&mut attributes, &attribute, record)?;
        }
        Ok(Group::Function(attributes))
    } else {
        let mut attributes = ParameterAttributes::default();
        while let Some(attribute) = reader.next()? {
            apply_to_parameter(&mut attributes, &attribute, record)?;
        }
        let position =
            u32::try_from(position).map_err(|_| record.malformed(format!("attributes of parameter {position}")))?;
        Ok(Group::Parameter { position, attributes })
    }
}

/// One attribute as it stands in the record `'r`.
enum Attribute<'r> {
    Enum(u64),
    Integer(u64, u64),
    Type(u64, Option<u64>),
    String(&'r [u64], &'r [u64]),
    Skipped,
}

struct GroupReader<'r> {
    record: &'r Record,
    index: usize,
    is_function: bool,
}

impl<'r> GroupReader<'r> {
    fn take(&mut self) -> Result<u64, ReadError> {
        let value = self.record.operand(self.index)?;
        self.index += 1;
        Ok(value)
    }

    /// The kind of an attribute of a shape; what a later LLVM may have added could change the code.
    fn kind(&mut self, shape: u64) -> Result<u64, ReadError> {
        match self.take()? {
            number @ 1..=kind::LAST if kind::fits(number, shape, self.is_function) => Ok(number),
            number @ 1..=kind::LAST => {
                let message = format!("an attribute of kind {number} and shape {shape}, which it cannot have there");
                Err(self.record.malformed(message))
            }
            number => Err(self
                .record
                .malformed(format!("an attribute of kind {number}, which is not known"))),
        }
    }

    /// The characters up to a zero.
    fn text(&mut self) -> Result<&'r [u64], ReadError> {
        let rest = self.record.operands().get(self.index..).unwrap_or_default();
        let length = rest.iter().position(|&byte| byte == 0);
        let length = length.unwrap_or(rest.len());
        self.index += length;
        // The end, without which the record is too short.
        self.take()?;
        Ok(rest.get(..length).unwrap_or_default())
    }

    fn next(&mut self) -> Result<Option<Attribute<'r>>, ReadError> {
        if self.index >= self.record.operands().len() {
            return Ok(None);
        }
        Ok(Some(match self.take()? {
            shape::ENUM => Attribute::Enum(self.kind(shape::ENUM)?),
            shape::INTEGER => Attribute::Integer(self.kind(shape::INTEGER)?, self.take()?),
            shape::STRING => Attribute::String(self.text()?, &[]),
            shape::STRING_WITH_VALUE => Attribute::String(self.text()?, self.text()?),
            shape::TYPE_ABSENT => Attribute::Type(self.kind(shape::TYPE)?, None),
            shape::TYPE => Attribute::Type(self.kind(shape::TYPE)?, Some(self.take()?)),
            shape::RANGE => {
                self.kind(shape::RANGE)?;
                let bits = self.take()?;
                self.skip_range(bits)?;
                Attribute::Skipped
            }
            shape::RANGE_LIST => {
                self.kind(shape::RANGE_LIST)?;
                let count = self.take()?;
                let bits = self.take()?;
                if count > self.record.operands().len() as u64 {
                    return Err(self.record.malformed(format!("{count} ranges in an attribute")));
                }
                for _ in 0..count {
                    self.skip_range(bits)?;
                }
                Attribute::Skipped
            }
            other => {
                let message = format!("attribute shape {other}; expected 0 to 8, shape 2 excepted");
                return Err(ReadError::unsupported(Refusal::Bitcode, self.record.start(), message));
            }
        }))
    }

    /// Two numbers of `bits` bits; wide ones are preceded by their lengths in words.
    fn skip_range(&mut self, bits: u64) -> Result<(), ReadError> {
        let words = if bits <= 64 {
            2
        } else {
            let lengths = self.take()?;
            (lengths & 0xffff_ffff).saturating_add(lengths >> 32)
        };
        let left = self.record.operands().len().saturating_sub(self.index);
        if words > left as u64 {
            return Err(self.record.malformed("an attribute's range goes beyond its record"));
        }
        self.index += words as usize;
        Ok(())
    }
}

// Of the two places that call it, one is for old modules only.
#[inline(always)]
fn apply_to_function(
    attributes: &mut FunctionAttributes,
    attribute: &Attribute<'_>,
    record: &Record,
) -> Result<(), ReadError> {
    match *attribute {
        Attribute::Enum(number) | Attribute::Integer(number, _) => {
            match number {
                kind::NO_RETURN => attributes.no_return = true,
                kind::NO_UNWIND => attributes.no_unwind = true,
                kind::RETURNS_TWICE => attributes.returns_twice = true,
                kind::NAKED => attributes.naked = true,
                kind::NO_CF_CHECK => attributes.no_cf_check = true,
                kind::SHADOW_CALL_STACK => attributes.protection.shadow_call_stack = true,
                kind::NON_LAZY_BIND => attributes.non_lazy_bind = true,
                kind::NO_RED_ZONE => attributes.no_red_zone = true,
                kind::COLD => attributes.cold = true,
                kind::UW_TABLE => attributes.unwind_table = true,
                kind::SSP => attributes.guard(StackProtector::Basic),
                kind::SSP_STRONG => attributes.guard(StackProtector::Strong),
                kind::SSP_REQ => attributes.guard(StackProtector::Required),
                kind::STACK_ALIGNMENT => {
                    if let Attribute::Integer(_, bytes) = *attribute {
                        attributes.stack_align = u32::try_from(bytes).unwrap_or(u32::MAX);
                    }
                }
                _ => {}
            }
            if let Some((_, name)) = kind::UNSUPPORTED.iter().find(|&&(refused, _)| refused == number) {
                attributes.unsupported.push((*name).into());
            }
        }
        Attribute::String(name, value) => {
            attributes.strings.push(name, value);
            let Some((name, value)) = attributes.strings.last() else {
                return Ok(());
            };
            if name == b"frame-pointer" && !FRAME_POINTERS.iter().any(|word| word.as_bytes() == value) {
                let value = String::from_utf8_lossy(value);
                return Err(record.malformed(format!("an attribute frame-pointer of the value {value:?}")));
            }
            if !attributes.protection.note(name, value) {
                return Err(record.malformed("an attribute sign-return-address of an unknown value"));
            }
            let by_value = UNSUPPORTED_STRINGS
                .iter()
                .find(|(refused, harmless)| refused.as_bytes() == name && harmless.as_bytes() != value);
            let by_value = by_value.map(|(refused, _)| refused).or_else(|| {
                // What it may call is known.
                let mut hooks = HOOKS.iter();
                hooks.find(|hook| hook.as_bytes() == name && !value.is_empty() && hook_function(value).is_none())
            });
            let by_name = UNSUPPORTED_WORDS.iter().find(|refused| refused.as_bytes() == name);
            if let Some(refused) = by_value.or(by_name) {
                attributes.unsupported.push((*refused).into());
            }
        }
        Attribute::Type(..) | Attribute::Skipped => {}
    }
    Ok(())
}

// Of the two places that call it, one is for old modules only.
#[inline(always)]
fn apply_to_parameter(
    attributes: &mut ParameterAttributes,
    attribute: &Attribute<'_>,
    record: &Record,
) -> Result<(), ReadError> {
    let role = |number| match number {
        kind::BY_VAL => Some(Role::ByVal),
        kind::STRUCT_RET => Some(Role::StructReturn),
        kind::NEST => Some(Role::Nest),
        kind::SWIFT_SELF => Some(Role::SwiftSelf),
        kind::SWIFT_ERROR => Some(Role::SwiftError),
        kind::SWIFT_ASYNC => Some(Role::SwiftAsync),
        kind::IN_ALLOCA => Some(Role::InAlloca),
        kind::PREALLOCATED => Some(Role::Preallocated),
        _ => None,
    };
    match *attribute {
        Attribute::Enum(number @ (kind::Z_EXT | kind::S_EXT)) => {
            let extension = match number {
                kind::Z_EXT => Extension::Zero,
                _ => Extension::Sign,
            };
            if ![Extension::None, extension].contains(&attributes.extension) {
                return Err(record.malformed("a parameter that is extended in two ways"));
            }
            attributes.extension = extension;
        }
        Attribute::Enum(kind::IN_REG) => attributes.in_reg = true,
        Attribute::Integer(number @ (kind::ALIGNMENT | kind::STACK_ALIGNMENT), bytes) => {
            let log2 = bytes.trailing_zeros();
            if !bytes.is_power_of_two() || u64::from(log2) > limits::MOST_ALIGNMENT_LOG2 {
                return Err(record.malformed(format!("an alignment of {bytes} bytes")));
            }
            let stored = log2.min(limits::ALIGNMENT_LOG2 as u32) as u8 + 1;
            if number == kind::ALIGNMENT {
                attributes.align_log2_plus_one = stored;
            } else {
                attributes.stack_align_log2_plus_one = stored;
            }
        }
        Attribute::Enum(number) => {
            if let Some(role) = role(number) {
                attributes.set_role(role, record)?;
            }
        }
        Attribute::Type(kind::ELEMENT_TYPE, ty) => attributes.element_type = ty.map(|ty| ty as TypeId),
        Attribute::Type(number, ty) => {
            if let Some(role) = role(number) {
                attributes.set_role(role, record)?;
                attributes.role_type = ty.map(|ty| ty as TypeId);
            }
        }
        Attribute::Integer(..) | Attribute::String(..) | Attribute::Skipped => {}
    }
    Ok(())
}
