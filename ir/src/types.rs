//! Types: a fixed set of primitives, and per-function extra ones (odd integers, vectors) with the same one-byte id.
//!
//! A [`Type`] below [`Type::FIRST_EXTRA`] means the same everywhere; one above it is an index into a [`TypeTable`].
//! There are no aggregate types: readers split first-class aggregates into several values.

use frazil_support::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// A type: a primitive, or an entry of the function's [`TypeTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub struct Type(u8);

impl Type {
    /// No value.
    pub const VOID: Type = Type(0);
    /// A one-bit integer.
    pub const I1: Type = Type(1);
    /// An 8-bit integer.
    pub const I8: Type = Type(2);
    /// A 16-bit integer.
    pub const I16: Type = Type(3);
    /// A 32-bit integer.
    pub const I32: Type = Type(4);
    /// A 64-bit integer.
    pub const I64: Type = Type(5);
    /// A 128-bit integer.
    pub const I128: Type = Type(6);
    /// IEEE binary16.
    pub const F16: Type = Type(7);
    /// bfloat16.
    pub const BF16: Type = Type(8);
    /// IEEE binary32.
    pub const F32: Type = Type(9);
    /// IEEE binary64.
    pub const F64: Type = Type(10);
    /// The x87 80-bit format.
    pub const X86_F80: Type = Type(11);
    /// IEEE binary128.
    pub const F128: Type = Type(12);
    /// A pointer in address space 0.
    pub const PTR: Type = Type(13);
    /// The first id that belongs to a [`TypeTable`].
    pub const FIRST_EXTRA: u8 = 16;

    /// The id as an index.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The type with this id.
    #[inline]
    pub fn from_index(index: u8) -> Type {
        Type(index)
    }

    /// The primitive integer type of `bits` bits, if there is one.
    pub fn primitive_int(bits: u32) -> Option<Type> {
        Some(match bits {
            1 => Type::I1,
            8 => Type::I8,
            16 => Type::I16,
            32 => Type::I32,
            64 => Type::I64,
            128 => Type::I128,
            _ => return None,
        })
    }
}

/// What a [`Type`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeData {
    /// No value.
    Void,
    /// An integer of this many bits, 1 to 2^23.
    Int(u32),
    /// IEEE binary16.
    F16,
    /// bfloat16.
    BF16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// x87 extended.
    X86F80,
    /// IEEE binary128.
    F128,
    /// A pointer in an address space; its width is the module's data layout's.
    Ptr(u32),
    /// A fixed vector of primitive integer, float or pointer elements.
    Vector {
        /// The element type; never itself a vector.
        element: Type,
        /// Number of elements, at least one.
        lanes: u32,
    },
}

const PRIMITIVES: [TypeData; Type::FIRST_EXTRA as usize] = [
    TypeData::Void,
    TypeData::Int(1),
    TypeData::Int(8),
    TypeData::Int(16),
    TypeData::Int(32),
    TypeData::Int(64),
    TypeData::Int(128),
    TypeData::F16,
    TypeData::BF16,
    TypeData::F32,
    TypeData::F64,
    TypeData::X86F80,
    TypeData::F128,
    TypeData::Ptr(0),
    TypeData::Void,
    TypeData::Void,
];

/// More than the table's room of distinct types besides the primitives in one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyTypes;

impl std::fmt::Display for TooManyTypes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a function uses more than 240 distinct types besides the primitives")
    }
}

/// By what a [`TypeTable`] is told from all others of the process, also from its copies, and from itself before it was
/// cleared: as long as it is the same, every id that the table has given out stands for the same type.
#[derive(Debug, PartialEq, Eq)]
pub struct TableIdentity(u64);

static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(0);

impl Default for TableIdentity {
    fn default() -> Self {
        TableIdentity(NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed))
    }
}

/// A copy is another table.
impl Clone for TableIdentity {
    fn clone(&self) -> Self {
        TableIdentity::default()
    }
}

impl TableIdentity {
    /// The same identity, to be compared with it later.
    pub fn note(&self) -> TableIdentity {
        TableIdentity(self.0)
    }
}

/// The extra types of a function. Kept from function to function as a cache until it is half full.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    identity: TableIdentity,
    /// Whether pointers have 32 bits.
    has_narrow_pointers: bool,
    extra: Vec<TypeData>,
    ids: FxHashMap<TypeData, Type>,
}

impl TypeTable {
    /// Says how wide pointers into the default space are, 32 or 64 bits, by the module's data layout: that is how wide
    /// they are in vectors. It is 64 unless this is called.
    pub fn set_pointer_bits(&mut self, bits: u32) {
        self.has_narrow_pointers = bits == 32;
    }

    /// How wide pointers into the default space are in vectors.
    #[inline]
    pub fn pointer_bits(&self) -> u32 {
        if self.has_narrow_pointers { 32 } else { 64 }
    }

    /// What `ty` stands for.
    #[inline]
    pub fn data(&self, ty: Type) -> TypeData {
        if ty.0 < Type::FIRST_EXTRA {
            PRIMITIVES[ty.index()]
        } else {
            self.extra[ty.index() - usize::from(Type::FIRST_EXTRA)]
        }
    }

    /// The id of a type, added if it is new.
    ///
    /// # Errors
    /// When the one-byte ids are used up.
    pub fn intern(&mut self, data: TypeData) -> Result<Type, TooManyTypes> {
        let primitive = match data {
            TypeData::Void => Some(Type::VOID),
            TypeData::Int(bits) => Type::primitive_int(bits),
            TypeData::F16 => Some(Type::F16),
            TypeData::BF16 => Some(Type::BF16),
            TypeData::F32 => Some(Type::F32),
            TypeData::F64 => Some(Type::F64),
            TypeData::X86F80 => Some(Type::X86_F80),
            TypeData::F128 => Some(Type::F128),
            TypeData::Ptr(0) => Some(Type::PTR),
            TypeData::Ptr(_) | TypeData::Vector { .. } => None,
        };
        if let Some(ty) = primitive {
            return Ok(ty);
        }
        if let Some(&ty) = self.ids.get(&data) {
            return Ok(ty);
        }
        let id = u8::try_from(self.extra.len() + usize::from(Type::FIRST_EXTRA)).map_err(|_| TooManyTypes)?;
        self.extra.push(data);
        self.ids.insert(data, Type(id));
        Ok(Type(id))
    }

    /// Number of types besides the primitives.
    pub fn extra_len(&self) -> usize {
        self.extra.len()
    }

    /// Whether there are vectors among its types.
    pub fn has_vectors(&self) -> bool {
        self.extra.iter().any(|data| matches!(data, TypeData::Vector { .. }))
    }

    /// Tells it from every other table of the process; clones have one of their own.
    pub fn identity(&self) -> &TableIdentity {
        &self.identity
    }

    /// Forgets every extra type; ids given out before are void.
    pub fn clear(&mut self) {
        self.identity = TableIdentity::default();
        self.extra.clear();
        self.ids.clear();
    }

    /// Width in bits of an integer type, `None` for others.
    #[inline]
    pub fn int_bits(&self, ty: Type) -> Option<u32> {
        match self.data(ty) {
            TypeData::Int(bits) => Some(bits),
            _ => None,
        }
    }

    /// The element type of a vector, or the type itself.
    pub fn scalar(&self, ty: Type) -> Type {
        match self.data(ty) {
            TypeData::Vector { element, .. } => element,
            _ => ty,
        }
    }

    /// Size in bits without padding; pointers have `pointer_bits`.
    pub fn bits(&self, ty: Type, pointer_bits: u32) -> u64 {
        match self.data(ty) {
            TypeData::Void => 0,
            TypeData::Int(bits) => u64::from(bits),
            TypeData::F16 | TypeData::BF16 => 16,
            TypeData::F32 => 32,
            TypeData::F64 => 64,
            TypeData::X86F80 => 80,
            TypeData::F128 => 128,
            TypeData::Ptr(_) => u64::from(pointer_bits),
            TypeData::Vector { element, lanes } => self.bits(element, pointer_bits) * u64::from(lanes),
        }
    }

    /// Bytes that a load or store of the type touches (LLVM's store size).
    pub fn store_bytes(&self, ty: Type, pointer_bits: u32) -> u64 {
        self.bits(ty, pointer_bits).div_ceil(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_have_fixed_ids_and_extras_are_interned() {
        let mut table = TypeTable::default();
        assert_eq!(table.intern(TypeData::Int(32)), Ok(Type::I32));
        let odd = table.intern(TypeData::Int(24)).expect("room");
        assert_eq!(table.intern(TypeData::Int(24)), Ok(odd));
        assert_eq!(table.data(odd), TypeData::Int(24));
        assert_eq!(table.store_bytes(odd, 64), 3);
        let vector = table.intern(TypeData::Vector { element: odd, lanes: 4 }).expect("room");
        assert_eq!(table.bits(vector, 64), 96);
    }

    #[test]
    fn tables_are_told_apart() {
        let mut table = TypeTable::default();
        let noted = table.identity().note();
        table.intern(TypeData::Int(24)).expect("room");
        assert_eq!(*table.identity(), noted);
        let moved = std::mem::take(&mut table);
        assert_eq!(*moved.identity(), noted);
        assert!(*table.identity() != noted && *moved.clone().identity() != noted);
        table = moved;
        table.clear();
        assert_ne!(*table.identity(), noted);
    }

    #[test]
    fn a_full_table_says_so() {
        let mut table = TypeTable::default();
        let result = (200..600).try_for_each(|bits| table.intern(TypeData::Int(bits)).map(|_| ()));
        assert_eq!(result, Err(TooManyTypes));
    }
}
