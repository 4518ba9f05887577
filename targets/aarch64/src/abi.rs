//! The calling conventions of AArch64 as tables.
//!
//! "Procedure Call Standard for the Arm 64-bit Architecture" (AAPCS64), section 6.8, as Linux has it. The others have
//! no document but what LLVM does (`llvm/lib/Target/AArch64/AArch64CallingConvention.td`); `fastcc` and `coldcc` are
//! passed like C there.
//!
//! Callees keep the low halves of `v8` to `v15` alone. No value is ever allocated to these, so that callers do not have
//! to know of halves; functions whose texts of assembly overwrite them save them.
//!
//! What is not here, and so refused by name: `ghccc`, the conventions of vector functions (`aarch64_vector_pcs`,
//! `aarch64_sve_vector_pcs`), of SME's support routines, and of Windows (`win64cc`).

use crate::regs::*;
use frazil_codegen::{ConvDesc, PRegSet, Reg, SpecialArgs};
use frazil_ir::CallConv;

/// `x19` to `x28`, the frame pointer and the link register, which a call overwrites and its function restores; `v8` to
/// `v15`.
const SAVED: PRegSet = PRegSet::from_banks(0x7ff8_0000, 0xff00);

/// The registers of arguments and results (AAPCS64, 6.8.2 and 6.9).
const INTEGERS: [Reg; 8] = [x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7)];
const VECTORS: [Reg; 8] = [v(0), v(1), v(2), v(3), v(4), v(5), v(6), v(7)];

/// Holds the callee of an indirect call: no register of an argument, and free at every call.
const CALLEE: Reg = x(9);

const SPECIAL: SpecialArgs = SpecialArgs {
    nest: x(15),
    swift_self: x(20),
    swift_error: x(21),
    swift_async: x(22),
    struct_return: x(8),
};

const C: ConvDesc = ConvDesc {
    name: "AAPCS64",
    int_args: &INTEGERS,
    float_args: &VECTORS,
    int_returns: &INTEGERS,
    float_returns: &VECTORS,
    narrow_returns: &VECTORS,
    vector_returns: &VECTORS,
    stack_returned: &[],
    stack_returns: &[],
    memory_args: &[],
    callee_saved: SAVED,
    kept_by_calls: SAVED,
    stack_slot_bytes: 8,
    stack_align: 16,
    indirect_callee: CALLEE,
    special: SPECIAL,
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
    keeps_pairs: true,
    pairs_begin_even: true,
    // To 8 bits (AAPCS64, 5.10); what is above them may be anything.
    extends_bool: true,
    short_vector_bytes: 8,
    only_in_reg: false,
    short_memory_bytes: 0,
    result_align: 16,
    tail_calls: false,
    stacks_struct_pointer: false,
    variadic_count: Reg::NONE,
};

/// The C convention.
pub static AAPCS64: ConvDesc = ConvDesc { is_plain: true, ..C };

/// `preserve_mostcc`: callees save `x9` to `x15`, too.
static PRESERVE_MOST: ConvDesc = ConvDesc {
    name: "preserve_most",
    callee_saved: MOST,
    kept_by_calls: SAVED,
    ..C
};

const MOST: PRegSet = SAVED.union(PRegSet::from_banks(0xfe00, 0));

/// `preserve_allcc`: all of the vector registers but those of arguments, too.
static PRESERVE_ALL: ConvDesc = ConvDesc {
    name: "preserve_all",
    callee_saved: MOST.union(PRegSet::from_banks(0, 0xffff_ff00)),
    preserves_wide_vectors: true,
    ..C
};

/// `preserve_nonecc`: callees save nothing but the frame pointer and the link register. LLVM passes integers of less
/// than 32 bits in registers of the C convention that are left.
static PRESERVE_NONE: ConvDesc = ConvDesc {
    name: "preserve_none",
    int_args: &NONE_ARGS,
    indirect_callee: x(19),
    special: SpecialArgs::NONE,
    passes_memory: false,
    keeps_pairs: false,
    narrowest_bytes: 4,
    callee_saved: NONE_SAVED,
    kept_by_calls: NONE_SAVED,
    ..C
};

const NONE_SAVED: PRegSet = PRegSet::of(&[FP, LR]);

const NONE_ARGS: [Reg; 25] = [
    x(20),
    x(21),
    x(22),
    x(23),
    x(24),
    x(25),
    x(26),
    x(27),
    x(28),
    x(0),
    x(1),
    x(2),
    x(3),
    x(4),
    x(5),
    x(6),
    x(7),
    x(10),
    x(11),
    x(12),
    x(13),
    x(14),
    x(9),
    x(15),
    Reg::NONE,
];

/// `swiftcc`.
static SWIFT: ConvDesc = ConvDesc { name: "Swift", ..C };

/// `tailcc`: a tail call takes the place of its caller under every recipe.
static TAIL: ConvDesc = ConvDesc {
    name: "tail",
    callee_pops: true,
    tail_calls: true,
    ..C
};

/// `swifttailcc`. With Swift's error, LLVM has callees save the registers of the others, so that it is refused.
static SWIFT_TAIL: ConvDesc = ConvDesc {
    name: "Swift tail",
    special: SpecialArgs {
        swift_error: Reg::NONE,
        ..SPECIAL
    },
    callee_saved: SWIFT_TAIL_SAVED,
    kept_by_calls: SWIFT_TAIL_SAVED,
    callee_pops: true,
    tail_calls: true,
    ..C
};

const SWIFT_TAIL_SAVED: PRegSet = SAVED.minus(PRegSet::of(&[x(20), x(22)]));

/// LLVM's numbers (`llvm/IR/CallingConv.h`).
const CONVENTIONS: [(u16, &ConvDesc); 9] = [
    (0, &AAPCS64),
    (8, &AAPCS64),
    (9, &AAPCS64),
    (14, &PRESERVE_MOST),
    (15, &PRESERVE_ALL),
    (16, &SWIFT),
    (18, &TAIL),
    (20, &SWIFT_TAIL),
    (21, &PRESERVE_NONE),
];

/// The table of a convention.
pub fn convention(conv: CallConv) -> Option<&'static ConvDesc> {
    CONVENTIONS
        .iter()
        .find(|&&(number, _)| number == conv.0)
        .map(|&(_, table)| table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_write_no_register_that_they_are_said_to_keep() {
        for (_, conv) in CONVENTIONS {
            let arguments = [conv.int_args, conv.float_args].concat();
            let results = [conv.int_returns, conv.float_returns].concat();
            let others = [conv.indirect_callee, conv.special.struct_return];
            let written = [arguments, results, others.to_vec()].concat();
            for reg in written.into_iter().filter(|reg| reg.is_physical()) {
                assert!(!conv.kept_by_calls.contains(reg), "{}: {reg:?}", conv.name);
            }
            assert!(conv.kept_by_calls.minus(conv.callee_saved).is_empty(), "{}", conv.name);
        }
    }
}
