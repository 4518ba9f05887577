//! Rows of the call frame description: how an unwinder finds the caller's frame and registers (DWARF 5, section 6.4).

/// A step of the call frame description, valid from an offset on. Registers have their DWARF numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnwindOp {
    /// The canonical frame address is this register plus this many bytes.
    DefineCfa(u16, i32),
    /// The canonical frame address keeps its register but has this offset.
    DefineCfaOffset(i32),
    /// The canonical frame address keeps its offset but has this register.
    DefineCfaRegister(u16),
    /// The caller's value of the register is this many bytes from the canonical frame address.
    SavedAt(u16, i32),
    /// The caller's value of the register is the register plus this many bytes.
    ValuePlus(u16, i8),
    /// The register is as it was at the first instruction.
    AsAtFirst(u16),
    /// From here on the return address is signed, if it was not before, or the other way round; whether the second of
    /// two keys is taken.
    ToggleSigned(bool),
    /// From here on there are so many bytes of arguments on the stack, which an unwinder that enters a landing pad of
    /// the function takes off it.
    ArgumentBytes(i32),
    /// Keeps a copy of the rows so far.
    RememberState,
    /// Goes back to the copy.
    RestoreState,
}
