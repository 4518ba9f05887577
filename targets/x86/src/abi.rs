//! The calling conventions of x86 as tables.
//!
//! Of 64-bit code:
//!
//! System V: "System V Application Binary Interface, AMD64 Architecture Processor Supplement", section 3.2. Win64:
//! Microsoft's "x64 calling convention". The others have no document but what LLVM does
//! (`llvm/lib/Target/X86/X86CallingConv.td`); `fastcc` and `coldcc` are passed like C there. `inreg` means nothing to
//! any of them, as in LLVM.
//!
//! What is not here, and so refused by name: `ghccc` and `hhvmcc`, which pass an argument in the frame pointer,
//! `anyregcc`, `x86_regcallcc`, `x86_vectorcallcc` and `x86_intrcc`; and `cxx_fast_tlscc`, which is for Darwin alone.

use crate::regs::*;
use frazil_codegen::{ConvDesc, PRegSet, Reg, SpecialArgs};
use frazil_ir::{CallConv, Type};

/// What System V has callees save.
const SAVED: PRegSet = PRegSet::of(&[RBX, RBP, R12, R13, R14, R15]);

const SPECIAL: SpecialArgs = SpecialArgs {
    nest: R10,
    swift_self: R13,
    swift_error: R12,
    swift_async: R14,
    struct_return: Reg::NONE,
};

const C: ConvDesc = ConvDesc {
    name: "System V",
    int_args: &[RDI, RSI, RDX, RCX, R8, R9],
    float_args: &[XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6, XMM7],
    int_returns: &[RAX, RDX, RCX],
    float_returns: &[XMM0, XMM1],
    narrow_returns: &[XMM0, XMM1, XMM2],
    vector_returns: &[XMM0, XMM1, XMM2, XMM3],
    stack_returned: &[Type::X86_F80],
    stack_returns: &[XMM4, XMM5],
    memory_args: &[Type::X86_F80],
    callee_saved: SAVED,
    kept_by_calls: SAVED,
    stack_slot_bytes: 8,
    stack_align: 16,
    indirect_callee: R10,
    special: SPECIAL,
    passes_memory: true,
    callee_pops: false,
    vector_args: &[],
    stack_scalar_align: 16,
    aligns_words: false,
    narrow_arg: Reg::NONE,
    pops_result_pointer: false,
    pushed_address_bytes: 8,
    narrowest_bytes: 1,
    shares_positions: false,
    shadow_bytes: 0,
    returns_struct_pointer: true,
    is_plain: false,
    preserves_wide_vectors: false,
    keeps_pairs: true,
    pairs_begin_even: false,
    extends_bool: false,
    short_vector_bytes: 0,
    only_in_reg: false,
    short_memory_bytes: 0,
    result_align: 16,
    tail_calls: false,
    stacks_struct_pointer: false,
    variadic_count: RAX,
};

/// The C convention of System V.
pub static SYSTEM_V: ConvDesc = ConvDesc { is_plain: true, ..C };

/// `fastcc`.
static FAST: ConvDesc = ConvDesc {
    name: "fast",
    is_plain: true,
    float_returns: &[XMM0, XMM1, XMM2],
    ..C
};

/// `preserve_mostcc`: callees save all integer registers but `r11` and those of results.
static PRESERVE_MOST: ConvDesc = ConvDesc {
    name: "preserve_most",
    callee_saved: MOST,
    returns_struct_pointer: false,
    ..C
};

const MOST: PRegSet = SAVED.union(PRegSet::of(&[RAX, RCX, RDX, RSI, RDI, R8, R9, R10]));

/// `preserve_allcc`: the vector registers, too.
static PRESERVE_ALL: ConvDesc = ConvDesc {
    name: "preserve_all",
    callee_saved: MOST.union(PRegSet::from_banks(0, 0xffff)),
    kept_by_calls: SAVED.union(PRegSet::from_banks(0, 0xff00)),
    stack_returns: &[],
    preserves_wide_vectors: true,
    returns_struct_pointer: false,
    ..C
};

/// `preserve_nonecc`: callees save nothing but the frame pointer. Its eleventh argument is in the scratch register;
/// LLVM passes integers of less than 32 bits in registers of the C convention that are left.
static PRESERVE_NONE: ConvDesc = ConvDesc {
    name: "preserve_none",
    int_args: &[R12, R13, R14, R15, RDI, RSI, RDX, RCX, R8, R9, Reg::NONE],
    special: SpecialArgs::NONE,
    passes_memory: false,
    narrowest_bytes: 4,
    callee_saved: PRegSet::of(&[RBP]),
    kept_by_calls: PRegSet::of(&[RBP]),
    ..C
};

const SWIFT_C: ConvDesc = ConvDesc {
    name: "Swift",
    int_returns: &[RAX, RDX, RCX, R8],
    float_returns: &[XMM0, XMM1, XMM2, XMM3],
    special: SpecialArgs {
        struct_return: RAX,
        ..SPECIAL
    },
    returns_struct_pointer: false,
    ..C
};

/// `swiftcc`.
static SWIFT: ConvDesc = SWIFT_C;

/// `tailcc`: a tail call takes the place of its caller under every recipe.
static TAIL: ConvDesc = ConvDesc {
    name: "tail",
    float_returns: &[XMM0, XMM1, XMM2],
    callee_pops: true,
    tail_calls: true,
    ..C
};

/// `swifttailcc`. Its callees save the register of Swift's error in LLVM, so that none comes back.
static SWIFT_TAIL: ConvDesc = ConvDesc {
    name: "Swift tail",
    special: SpecialArgs {
        swift_error: Reg::NONE,
        struct_return: RAX,
        ..SPECIAL
    },
    callee_saved: SWIFT_TAIL_SAVED,
    kept_by_calls: SWIFT_TAIL_SAVED,
    callee_pops: true,
    tail_calls: true,
    ..SWIFT_C
};

const SWIFT_TAIL_SAVED: PRegSet = PRegSet::of(&[RBX, RBP, R12, R15]);

/// `win64cc`, the convention of Windows; vector registers from `xmm6` on are saved by callees.
static WIN64: ConvDesc = ConvDesc {
    name: "Win64",
    int_args: &[RCX, RDX, R8, R9],
    float_args: &[XMM0, XMM1, XMM2, XMM3],
    callee_saved: WIN64_SAVED,
    kept_by_calls: WIN64_SAVED,
    stack_returns: &[],
    passes_memory: false,
    shares_positions: true,
    shadow_bytes: 32,
    keeps_pairs: false,
    variadic_count: Reg::NONE,
    ..C
};

const WIN64_SAVED: PRegSet = SAVED
    .union(PRegSet::of(&[RSI, RDI]))
    .union(PRegSet::from_banks(0, 0xffc0));

/// What the System V convention of 32-bit code has callees save (System V ABI for Intel386, table 2.3).
const SAVED_32: PRegSet = PRegSet::of(&[RBX, RBP, RSI, RDI]);

/// The C convention of 32-bit code: arguments are on the stack, floats are returned on the x87 stack. LLVM passes the
/// first vectors in registers (`X86CallingConv.td`, `CC_X86_32_Common`).
const C_32: ConvDesc = ConvDesc {
    name: "System V of Intel386",
    int_args: &[RAX, RDX, RCX],
    only_in_reg: true,
    float_args: &[],
    vector_args: &[XMM0, XMM1, XMM2],
    int_returns: &[RAX, RDX, RCX],
    float_returns: &[],
    narrow_returns: &[XMM0, XMM1, XMM2],
    vector_returns: &[XMM0, XMM1, XMM2, XMM3],
    stack_returned: &[Type::X86_F80, Type::F32, Type::F64],
    memory_args: &[Type::X86_F80],
    short_memory_bytes: 12,
    result_align: 4,
    callee_saved: SAVED_32,
    kept_by_calls: SAVED_32,
    stack_slot_bytes: 4,
    stack_scalar_align: 4,
    aligns_words: true,
    indirect_callee: RAX,
    special: SpecialArgs {
        nest: RCX,
        ..SpecialArgs::NONE
    },
    pushed_address_bytes: 4,
    pops_result_pointer: true,
    returns_struct_pointer: true,
    variadic_count: Reg::NONE,
    ..C
};

/// The same.
pub static SYSTEM_V_32: ConvDesc = ConvDesc { is_plain: true, ..C_32 };

/// `fastcc`: two integers and three floats or vectors are in registers.
const FAST_C_32: ConvDesc = ConvDesc {
    name: "fast",
    int_args: &[RCX, RDX],
    only_in_reg: false,
    float_args: &[XMM0, XMM1, XMM2],
    vector_args: &[],
    float_returns: &[XMM0, XMM1, XMM2],
    stack_returned: &[Type::X86_F80],
    stack_scalar_align: 8,
    special: NEST_IN_RAX,
    pops_result_pointer: false,
    aligns_words: false,
    ..C_32
};

const NEST_IN_RAX: SpecialArgs = SpecialArgs {
    nest: RAX,
    ..SpecialArgs::NONE
};

static FAST_32: ConvDesc = FAST_C_32;

/// `tailcc`: a tail call takes the place of its caller under every recipe.
static TAIL_32: ConvDesc = ConvDesc {
    name: "tail",
    callee_pops: true,
    tail_calls: true,
    ..FAST_C_32
};

const STANDARD_C_32: ConvDesc = ConvDesc {
    name: "stdcall",
    callee_pops: true,
    pops_result_pointer: false,
    ..C_32
};

/// Microsoft's `__stdcall`: the callee takes arguments off the stack.
static STANDARD_32: ConvDesc = STANDARD_C_32;

/// Microsoft's `__fastcall`: front ends mark the two arguments that are in registers. LLVM has a third register if one
/// of at most 16 bits is marked (`CC_X86_32_FastCall`).
static FAST_CALL_32: ConvDesc = ConvDesc {
    name: "fastcall",
    int_args: &[RCX, RDX],
    narrow_arg: RAX,
    aligns_words: false,
    special: NEST_IN_RAX,
    ..STANDARD_C_32
};

/// Microsoft's `__thiscall`: the first integer is in a register, unless it is the address of the result.
static THIS_CALL_32: ConvDesc = ConvDesc {
    name: "thiscall",
    int_args: &[RCX],
    only_in_reg: false,
    aligns_words: false,
    stacks_struct_pointer: true,
    special: SpecialArgs::NONE,
    ..STANDARD_C_32
};

/// The conventions of 32-bit code, by LLVM's numbers.
const CONVENTIONS_32: [(u16, &ConvDesc); 7] = [
    (0, &SYSTEM_V_32),
    (8, &FAST_32),
    (9, &SYSTEM_V_32),
    (18, &TAIL_32),
    (64, &STANDARD_32),
    (65, &FAST_CALL_32),
    (70, &THIS_CALL_32),
];

/// LLVM's numbers (`llvm/IR/CallingConv.h`).
const CONVENTIONS: [(u16, &ConvDesc); 11] = [
    (0, &SYSTEM_V),
    (8, &FAST),
    (9, &SYSTEM_V),
    (14, &PRESERVE_MOST),
    (15, &PRESERVE_ALL),
    (16, &SWIFT),
    (18, &TAIL),
    (20, &SWIFT_TAIL),
    (21, &PRESERVE_NONE),
    (78, &SYSTEM_V),
    (79, &WIN64),
];

/// The table of a convention of 64-bit code.
pub fn convention(conv: CallConv) -> Option<&'static ConvDesc> {
    if conv == CallConv::C {
        return Some(&SYSTEM_V);
    }
    find(&CONVENTIONS, conv)
}

/// The table of a convention of 32-bit code.
pub fn convention_32(conv: CallConv) -> Option<&'static ConvDesc> {
    find(&CONVENTIONS_32, conv)
}

fn find(rows: &[(u16, &'static ConvDesc)], conv: CallConv) -> Option<&'static ConvDesc> {
    rows.iter()
        .find(|&&(number, _)| number == conv.0)
        .map(|&(_, table)| table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_write_no_register_that_they_are_said_to_keep() {
        for (_, conv) in CONVENTIONS.into_iter().chain(CONVENTIONS_32) {
            let arguments = [conv.int_args, conv.float_args].concat();
            let results = [
                conv.int_returns,
                conv.float_returns,
                conv.narrow_returns,
                conv.vector_returns,
                conv.stack_returns,
            ]
            .concat();
            let written = [arguments, results].concat();
            let others = [conv.indirect_callee, conv.variadic_count, conv.special.struct_return];
            let written = written.into_iter().chain(others).filter(|reg| reg.is_physical());
            for reg in written {
                assert!(!conv.kept_by_calls.contains(reg), "{}: {reg:?}", conv.name);
            }
            assert!(conv.kept_by_calls.minus(conv.callee_saved).is_empty(), "{}", conv.name);
        }
    }
}
