//! The calling convention as a table.
//!
//! Four-byte stack slots; a value of several parts may lie partly in registers and partly on the stack; results of
//! more than two words are returned in memory; one register of each class is preserved.

use crate::regs::*;
use frazil_codegen::{ConvDesc, PRegSet, Reg, SpecialArgs};
use frazil_ir::CallConv;

static STANDARD: ConvDesc = ConvDesc {
    name: "testisa",
    int_args: &[A0, A1, A2],
    float_args: &[F0, F1],
    int_returns: &[A0, A1],
    float_returns: &[F0],
    narrow_returns: &[],
    vector_returns: &[],
    stack_returned: &[],
    stack_returns: &[],
    memory_args: &[],
    callee_saved: PRegSet::of(&[S0, FP, FS]),
    kept_by_calls: PRegSet::of(&[S0, FP, FS]),
    stack_slot_bytes: 4,
    stack_align: 8,
    indirect_callee: IC,
    special: SpecialArgs::NONE,
    passes_memory: true,
    callee_pops: false,
    vector_args: &[],
    stack_scalar_align: 16,
    aligns_words: false,
    narrow_arg: Reg::NONE,
    pops_result_pointer: false,
    pushed_address_bytes: 0,
    narrowest_bytes: 1,
    shares_positions: false,
    shadow_bytes: 0,
    returns_struct_pointer: false,
    is_plain: false,
    preserves_wide_vectors: false,
    keeps_pairs: false,
    pairs_begin_even: false,
    extends_bool: false,
    short_vector_bytes: 0,
    only_in_reg: false,
    short_memory_bytes: 0,
    result_align: 16,
    tail_calls: false,
    stacks_struct_pointer: false,
    variadic_count: Reg::NONE,
};

/// The table of a convention.
pub fn convention(conv: CallConv) -> Option<&'static ConvDesc> {
    matches!(conv, CallConv::C | CallConv::FAST | CallConv::COLD).then_some(&STANDARD)
}
