//! What instructions refer to besides registers: labels of the function, symbols and how they are reached, constants,
//! jump tables.
//!
//! Both fit a word, so that an instruction, a fixup or a relocation holds one without more memory.

use frazil_ir::{EntityRef, SymbolId};

/// A label of the function being emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

/// How a [`Ref`] reaches what it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RefKind {
    /// A symbol, directly.
    Symbol,
    /// The slot of the global offset table that holds the symbol's address.
    Got,
    /// A function, through the procedure linkage table if need be.
    Plt,
    /// The general-dynamic TLS descriptor of the symbol.
    TlsGeneralDynamic,
    /// The local-dynamic TLS descriptor of the module.
    TlsLocalDynamic,
    /// The symbol's offset in the local-dynamic TLS block.
    TlsDtpOffset,
    /// The slot of the global offset table that holds the symbol's offset from the thread pointer.
    TlsInitialExec,
    /// The symbol's offset from the thread pointer.
    TlsLocalExec,
    /// An entry of the function's constant pool.
    Constant,
    /// A label of the function.
    Label,
    /// A block of another function: an entry of the function's list of them.
    Block,
    /// What an assembler defined or named: an entry of the object writer's list of them.
    Foreign,
    /// A jump table of the function that stands in data.
    Table,
}

const REF_KINDS: [RefKind; 13] = [
    RefKind::Symbol,
    RefKind::Got,
    RefKind::Plt,
    RefKind::TlsGeneralDynamic,
    RefKind::TlsLocalDynamic,
    RefKind::TlsDtpOffset,
    RefKind::TlsInitialExec,
    RefKind::TlsLocalExec,
    RefKind::Constant,
    RefKind::Label,
    RefKind::Block,
    RefKind::Foreign,
    RefKind::Table,
];

/// A packed reference to a symbol, constant, label, block or table: kind in the upper four bits, number in the lower
/// 28.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Ref(pub u32);

impl Ref {
    /// The largest number of symbols (module and runtime together) that references can name.
    pub const MAX_SYMBOLS: usize = 1 << 28;

    /// A reference of a kind to a number.
    #[inline]
    pub const fn new(kind: RefKind, number: u32) -> Ref {
        debug_assert!(number < 1 << 28);
        Ref(((kind as u32) << 28) | number)
    }

    /// A reference to a symbol.
    #[inline]
    pub fn symbol(kind: RefKind, symbol: SymbolId) -> Ref {
        Ref::new(kind, symbol.as_u32())
    }

    /// How it reaches what it names.
    #[inline]
    pub const fn kind(self) -> RefKind {
        REF_KINDS[(self.0 >> 28) as usize]
    }

    /// The number of the symbol, constant, label, block or table.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0 & 0x0fff_ffff
    }

    /// The symbol, unless it names a constant, label, block or table, or what an assembler defined.
    pub fn as_symbol(self) -> Option<SymbolId> {
        use RefKind::{Block, Constant, Foreign, Label, Table};
        (!matches!(self.kind(), Constant | Label | Block | Foreign | Table))
            .then(|| SymbolId::new(self.number() as usize))
    }
}

impl std::fmt::Debug for Ref {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({})", self.kind(), self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_keep_their_kind() {
        for kind in REF_KINDS {
            let reference = Ref::new(kind, 12345);
            assert_eq!((reference.kind(), reference.number()), (kind, 12345));
        }
    }
}
