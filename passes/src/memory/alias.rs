//! Addresses and whether accesses through them may touch the same bytes.
//!
//! An address is a base, the multiple of a value at most, and a constant distance from both; its root is what the base
//! was computed from by address arithmetic. Accesses with one base and multiple are compared by their distances. Else
//! they are apart if their roots are different objects (stack slots, data symbols), or if one root is a private slot
//! ([`super::private`]), which no other pointer reaches. Everything else may overlap: types say nothing, in this IR as
//! in machine code.

use super::private::PrivateSlots;
use frazil_ir::edit::Editor;
use frazil_ir::{ConstView, Function, Module, Opcode, Operand, OperandKind, SymbolKind};

/// Steps of address arithmetic that are followed.
const MOST_STEPS: usize = 8;

/// What the base of an address was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The address of a private slot.
    Private,
    /// The address of another slot, or of a symbol that is no second name: an object of its own.
    Object,
    /// A pointer from elsewhere. It does not point into a private slot.
    Elsewhere,
    /// Too far away to be found.
    Unknown,
}

/// An address as a base, the multiple of a value, and a constant distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// What the distance is from.
    pub base: Operand,
    /// A value, and how many times it is added.
    pub index: Option<(Operand, u16)>,
    /// Bytes from there.
    pub offset: i64,
    /// What the base was computed from.
    pub root: Operand,
    pub kind: Root,
}

/// The bytes from an address on that an access touches; [`ALL`] for any number.
pub type Bytes = u64;

/// Any number of bytes, before the address too.
pub const ALL: Bytes = u64::MAX;

/// What addresses of a function are resolved with.
pub struct Resolver<'a> {
    pub module: &'a Module,
    pub private: &'a PrivateSlots,
    /// Replacements so far.
    pub editor: &'a mut Editor,
}

impl Resolver<'_> {
    /// The address that a pointer is.
    pub fn address(&mut self, f: &Function, pointer: Operand) -> Address {
        let (mut base, mut index, mut offset) = (self.editor.resolve(pointer), None, 0i64);
        for _ in 0..MOST_STEPS {
            match step(f, base) {
                Some((from, Distance::Constant(distance))) => {
                    base = self.editor.resolve(from);
                    offset = offset.wrapping_add(distance);
                }
                Some((from, Distance::Multiple(value, scale))) if index.is_none() => {
                    base = self.editor.resolve(from);
                    index = Some((self.editor.resolve(value), scale));
                }
                _ => break,
            }
        }
        if let Some(id) = base.as_const()
            && let ConstView::Symbol(symbol, addend) = f.constant(id).1
        {
            base = Operand::symbol(symbol);
            offset = offset.wrapping_add(addend);
        }
        let spare = 64 - self.module.data_layout.pointer_bits.min(64);
        let (root, kind) = self.root(f, base);
        Address {
            base,
            index,
            offset: (offset << spare) >> spare,
            root,
            kind,
        }
    }

    fn root(&mut self, f: &Function, base: Operand) -> (Operand, Root) {
        let mut root = base;
        for _ in 0..MOST_STEPS {
            let Some((from, _)) = step(f, root) else {
                return (root, self.kind(f, root));
            };
            root = self.editor.resolve(from);
        }
        (root, Root::Unknown)
    }

    fn kind(&self, f: &Function, root: Operand) -> Root {
        match root.kind() {
            OperandKind::Value(value) => match f.slot_of(value) {
                Some(slot) if self.private.contains(slot) => Root::Private,
                Some(_) => Root::Object,
                None => Root::Elsewhere,
            },
            OperandKind::Symbol(symbol) => match self.module.symbols.get(symbol).map(|data| data.kind) {
                Some(SymbolKind::Data(_) | SymbolKind::DataDeclaration) => Root::Object,
                _ => Root::Elsewhere,
            },
            OperandKind::Imm(_) | OperandKind::Const(_) => Root::Elsewhere,
        }
    }
}

/// What address arithmetic adds to a pointer.
enum Distance {
    Constant(i64),
    /// A value so many times.
    Multiple(Operand, u16),
}

/// What a pointer is computed from, if by address arithmetic, and the distance.
fn step(f: &Function, pointer: Operand) -> Option<(Operand, Distance)> {
    let data = f.inst(f.def_inst(pointer.as_value()?)?);
    let distance = match (data.op, data.b.as_imm()) {
        (Opcode::PtrAdd, Some(distance)) => Distance::Constant(distance),
        (Opcode::PtrAdd, None) => Distance::Multiple(data.b, 1),
        (Opcode::PtrIndex, _) => Distance::Multiple(data.b, data.flags),
        _ => return None,
    };
    Some((data.a, distance))
}

impl Address {
    /// Whether both are at known distances from each other.
    #[inline]
    pub fn is_beside(&self, other: &Address) -> bool {
        self.base == other.base && self.index == other.index
    }

    /// Whether accesses of so many bytes at two addresses may touch the same ones.
    #[inline]
    pub fn may_overlap(&self, bytes: Bytes, other: &Address, other_bytes: Bytes) -> bool {
        if self.is_beside(other) {
            return overlap(self.offset, bytes, other.offset, other_bytes);
        }
        let is_object = |kind| matches!(kind, Root::Private | Root::Object);
        if self.root == other.root || self.kind == Root::Unknown || other.kind == Root::Unknown {
            return true;
        }
        let is_private = self.kind == Root::Private || other.kind == Root::Private;
        !(is_private || (is_object(self.kind) && is_object(other.kind)))
    }

    /// Whether an access covers all of the other's bytes.
    pub fn covers(&self, bytes: Bytes, other: &Address, other_bytes: Bytes) -> bool {
        let before = other.offset.wrapping_sub(self.offset);
        self.is_beside(other)
            && before >= 0
            && bytes != ALL
            && before
                .cast_unsigned()
                .checked_add(other_bytes)
                .is_some_and(|end| end <= bytes)
    }
}

fn overlap(offset: i64, bytes: Bytes, other: i64, other_bytes: Bytes) -> bool {
    if bytes == ALL || other_bytes == ALL {
        return true;
    }
    match other.wrapping_sub(offset) {
        ahead @ 0.. => ahead.cast_unsigned() < bytes,
        after => after.unsigned_abs() < other_bytes,
    }
}
