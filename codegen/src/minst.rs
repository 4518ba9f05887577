//! The machine instruction: one plain 24-byte struct for all targets.
//!
//! What the fields mean is said by the row of the target's op table (see [`crate::desc::OpDesc`]). The conventions
//! that shared code relies on: a memory operand has its base in `regs[1]`, its index in `regs[2]`, its displacement in
//! `disp` and its scale in the upper bits of `aux`; a base of [`Reg::SYMBOL`] says that `regs[2]` holds a [`Ref`] and
//! `disp` the addend; a branch has its target label in `imm`.

use crate::reg::Reg;
use frazil_ir::{EntityRef, SymbolId};

/// A machine instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MInst {
    /// The row of the target's op table.
    pub op: u16,
    /// Width of the operation in bytes, where the row leaves it open.
    pub size: u8,
    /// Bits 0-3: condition code. Bits 4-5: log2 of the index scale.
    pub aux: u8,
    /// Register operands.
    pub regs: [Reg; 3],
    /// Displacement of the memory operand, or upper half of a 64-bit immediate.
    pub disp: i32,
    /// Immediate or label.
    pub imm: i32,
}

impl MInst {
    /// An instruction with no operands filled in.
    #[inline]
    pub const fn new(op: u16, size: u8) -> MInst {
        MInst {
            op,
            size,
            aux: 0,
            regs: [Reg::NONE; 3],
            disp: 0,
            imm: 0,
        }
    }

    /// The same with a memory operand.
    #[inline]
    #[must_use]
    pub const fn with_mem(mut self, mem: Mem) -> MInst {
        self.regs[1] = mem.base;
        self.regs[2] = mem.index;
        self.disp = mem.disp;
        self.aux |= mem.scale_log2 << 4;
        self
    }

    /// The same with a condition code.
    #[inline]
    #[must_use]
    pub const fn with_condition(mut self, code: u8) -> MInst {
        self.aux |= code;
        self
    }

    /// The condition code.
    #[inline]
    pub const fn condition(&self) -> u8 {
        self.aux & 15
    }

    /// The memory operand.
    #[inline]
    pub const fn mem(&self) -> Mem {
        Mem {
            base: self.regs[1],
            index: self.regs[2],
            scale_log2: self.aux >> 4,
            disp: self.disp,
        }
    }

    /// The label that a branch names.
    #[inline]
    pub const fn label(&self) -> Label {
        Label(self.imm as u32)
    }
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mem {
    /// Base register, or [`Reg::SYMBOL`], or none.
    pub base: Reg,
    /// Index register or none; a [`Ref`] when the base is [`Reg::SYMBOL`].
    pub index: Reg,
    /// Log2 of what the index is multiplied by.
    pub scale_log2: u8,
    /// Bytes added.
    pub disp: i32,
}

impl Mem {
    /// `base + disp`.
    #[inline]
    pub const fn base(base: Reg, disp: i32) -> Mem {
        Mem {
            base,
            index: Reg::NONE,
            scale_log2: 0,
            disp,
        }
    }

    /// What `reference` names, plus `disp` bytes.
    #[inline]
    pub const fn symbol(reference: Ref, disp: i32) -> Mem {
        Mem {
            base: Reg::SYMBOL,
            index: Reg(reference.0),
            scale_log2: 0,
            disp,
        }
    }

    /// The reference, when the base is a symbol.
    #[inline]
    pub fn reference(&self) -> Option<Ref> {
        (self.base == Reg::SYMBOL).then_some(Ref(self.index.0))
    }

    /// The same, `bytes` further; `None` when the displacement overflows.
    #[inline]
    pub fn offset(self, bytes: i32) -> Option<Mem> {
        self.disp.checked_add(bytes).map(|disp| Mem { disp, ..self })
    }
}

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
}

const REF_KINDS: [RefKind; 12] = [
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
];

/// A packed reference to a symbol, constant, label or block: kind in the upper four bits, number in the lower 28.
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

    /// The number of the symbol, constant, label or block.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0 & 0x0fff_ffff
    }

    /// The symbol, unless it names a constant, label or block, or what an assembler defined.
    pub fn as_symbol(self) -> Option<SymbolId> {
        use RefKind::{Block, Constant, Foreign, Label};
        (!matches!(self.kind(), Constant | Label | Block | Foreign)).then(|| SymbolId::new(self.number() as usize))
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
    fn an_instruction_has_24_bytes_and_references_keep_their_kind() {
        assert_eq!(size_of::<MInst>(), 24);
        for kind in REF_KINDS {
            let reference = Ref::new(kind, 12345);
            assert_eq!((reference.kind(), reference.number()), (kind, 12345));
        }
    }
}
