//! How code reaches symbols and data, by its code model (ELF for the Arm 64-bit Architecture, 4.3.3; LLVM 22,
//! `AArch64TargetLowering::LowerGlobalAddress`).
//!
//! In the small model, everything is within 4 GiB of the code, so the address is that of a page and a place in it. In
//! the tiny one, everything is within 1 MiB, the distance that one instruction holds. In the large one, data may be
//! anywhere, and four instructions have the whole address; but only a linker knows that, so code that may be placed
//! anywhere is as in the small model, as with LLVM. The global offset table is within 4 GiB always, and calls reach
//! functions or what linkers put between.

use crate::build::{reference, rm};
use crate::table::Op;
use frazil_codegen::{MInst, Mem, ModuleView, Ref, RefKind, Reg, RelocationModel};

/// Whether data may be anywhere.
fn is_far(view: ModuleView<'_>) -> bool {
    view.module.flags.is_large() && view.relocation_model == RelocationModel::Static
}

/// The address of a symbol, constant, table or label, with an addend. Labels are near always.
pub fn address(view: ModuleView<'_>, dst: Reg, target: Ref, addend: i32) -> MInst {
    let op = match () {
        () if target.kind() == RefKind::Label => Op::LoadAddress,
        () if view.module.flags.is_tiny() => Op::AdrRef,
        () if is_far(view) => Op::LoadWholeAddress,
        () => Op::LoadAddress,
    };
    reference(op, dst, target, addend)
}

/// The contents of a slot of the global offset table.
pub fn slot(view: ModuleView<'_>, dst: Reg, slot: Ref) -> MInst {
    let op = if view.module.flags.is_tiny() {
        Op::LdrLit
    } else {
        Op::LoadGot
    };
    reference(op, dst, slot, 0)
}

/// A constant in memory, of 4, 8 or 16 bytes.
pub fn constant(view: ModuleView<'_>, bytes: u8, dst: Reg, constant: Ref) -> MInst {
    let op = match () {
        () if view.module.flags.is_tiny() => Op::LdrFLit,
        () if is_far(view) => Op::LoadFarConstant,
        () => Op::LoadConstant,
    };
    rm(op, bytes, dst, Mem::symbol(constant, 0))
}
