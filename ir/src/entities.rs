//! The index types by which everything in the IR is named.

use frazil_support::entity_impl;

macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(u32);
            entity_impl!($name, $prefix);
        )*
    };
}

entities! {
    /// An SSA value of a function.
    Value, "v";
    /// An instruction of a function: its position in program order.
    Inst, "i";
    /// A basic block of a function.
    Block, "b";
    /// A loop of a function's [`crate::loops::LoopTree`].
    Loop, "loop";
    /// A fixed-size stack slot of a function (a static `alloca`).
    SlotId, "s";
    /// A constant of a function that does not fit an immediate operand.
    ConstId, "c";
    /// A signature in a function's table of call signatures.
    SigId, "sig";
    /// A symbol of the module; ids at or above the module's count name runtime functions (see [`crate::runtime`]).
    SymbolId, "sym";
    /// A function definition of the module, in the order of the bodies.
    FuncId, "fn";
    /// A data definition (global variable) of the module.
    DataId, "data";
    /// A comdat group of the module.
    ComdatId, "comdat";
}
