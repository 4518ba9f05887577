//! The calling conventions of x86-64 as tables.
//!
//! System V: "System V Application Binary Interface, AMD64 Architecture Processor Supplement", section 3.2. LLVM's
//! `fastcc` and `coldcc` are internal to a module and are passed like C.

use crate::regs::*;
use frazil_codegen::{ConvDesc, PRegSet, Reg};
use frazil_ir::CallConv;

const CALLEE_SAVED: PRegSet = PRegSet::of(&[RBX, RBP, R12, R13, R14, R15]);

/// The C convention of System V.
pub static SYSTEM_V: ConvDesc = ConvDesc {
    name: "System V",
    int_args: &[RDI, RSI, RDX, RCX, R8, R9],
    float_args: &[XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6, XMM7],
    int_returns: &[RAX, RDX, RCX],
    float_returns: &[XMM0, XMM1],
    callee_saved: CALLEE_SAVED,
    stack_slot_bytes: 8,
    stack_align: 16,
    indirect_callee: R10,
    nest: Reg::NONE,
    returns_struct_pointer: true,
    keeps_pairs: true,
    variadic_count: RAX,
};

/// The table of a convention.
pub fn convention(conv: CallConv) -> Option<&'static ConvDesc> {
    matches!(conv, CallConv::C | CallConv::FAST | CallConv::COLD).then_some(&SYSTEM_V)
}
