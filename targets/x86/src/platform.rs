//! What readers must know of Linux on x86: data layout, lists of variable arguments, registers that have names, the
//! floating-point environment of glibc, and intrinsics that LLVM has given up.

use frazil_ir::module::GuardPlace;
use frazil_ir::platform::{
    ArgumentList, FloatEnvironment, ListForm, NamedRegister, Passing, Platform, SavedRegisters, VariadicFacts,
};
use frazil_ir::{CallConv, Opcode, TypeData};

/// The facts.
pub static PLATFORM: Platform = Platform {
    // LLVM 22, `X86TargetMachine`.
    data_layout: "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    widest_integer_bits: 128,
    // Up to LLVM 17; LLVM's own reader adds it, too.
    added_integer_aligns: &[(128, 4)],
    passes_arrays_whole: false,
    variadic: Some(VariadicFacts {
        pointer_bits: 64,
        list: ArgumentList {
            form: ListForm::SaveArea {
                next_in_memory: NEXT_IN_MEMORY,
                area: AREA_ADDRESS,
                registers: &[GENERAL, VECTOR],
            },
            bytes: LIST_BYTES,
            passing: system_v,
        },
        lists_of_conventions: &[(
            CallConv(WIN64),
            "Win64",
            ArgumentList {
                form: ListForm::NextArgument,
                bytes: 8,
                passing: win64,
            },
        )],
    }),
    // As for LLVM (`getRegisterByName` in `X86ISelLowering.cpp`).
    named_registers: &[
        NamedRegister {
            name: "rsp",
            bits: 64,
            is_frame_pointer: false,
            read: "movq %rsp, $0",
            write: "movq $0, %rsp",
        },
        NamedRegister {
            name: "esp",
            bits: 32,
            is_frame_pointer: false,
            read: "movl %esp, $0",
            write: "movl $0, %esp",
        },
        NamedRegister {
            name: "rbp",
            bits: 64,
            is_frame_pointer: true,
            read: "movq %rbp, $0",
            write: "movq $0, %rbp",
        },
        NamedRegister {
            name: "ebp",
            bits: 32,
            is_frame_pointer: true,
            read: "movl %ebp, $0",
            write: "movl $0, %ebp",
        },
    ],
    guard_registers: &[("fs", GuardPlace::OwnSegment), ("gs", GuardPlace::OtherSegment)],
    memory_letters: "",
    // glibc, `bits/fenv.h`.
    float_environment: Some(FloatEnvironment {
        environment_bytes: 32,
        modes_bytes: 8,
        default_address: -1,
    }),
    former_intrinsics: FORMER_INTRINSICS,
};

/// The facts of 32-bit Linux.
pub static PLATFORM_32: Platform = Platform {
    data_layout: "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128",
    widest_integer_bits: 64,
    added_integer_aligns: &[(128, 4)],
    passes_arrays_whole: false,
    variadic: Some(VariadicFacts {
        pointer_bits: 32,
        list: ArgumentList {
            form: ListForm::NextArgument,
            bytes: 4,
            passing: intel386,
        },
        lists_of_conventions: &[],
    }),
    named_registers: &[
        NamedRegister {
            name: "esp",
            bits: 32,
            is_frame_pointer: false,
            read: "movl %esp, $0",
            write: "movl $0, %esp",
        },
        NamedRegister {
            name: "ebp",
            bits: 32,
            is_frame_pointer: true,
            read: "movl %ebp, $0",
            write: "movl $0, %ebp",
        },
    ],
    guard_registers: &[("gs", GuardPlace::OwnSegment), ("fs", GuardPlace::OtherSegment)],
    memory_letters: "",
    // glibc, `bits/fenv.h`.
    float_environment: Some(FloatEnvironment {
        environment_bytes: 32,
        modes_bytes: 8,
        default_address: -1,
    }),
    former_intrinsics: FORMER_INTRINSICS,
};

/// Up to LLVM 3.8, 6 or 7 (`AutoUpgrade.cpp`).
const FORMER_INTRINSICS: &[(&str, Opcode)] = &[
    ("x86.sse2.pmaxs.w", Opcode::Smax),
    ("x86.sse41.pmaxsb", Opcode::Smax),
    ("x86.sse41.pmaxsd", Opcode::Smax),
    ("x86.sse2.pmins.w", Opcode::Smin),
    ("x86.sse41.pminsb", Opcode::Smin),
    ("x86.sse41.pminsd", Opcode::Smin),
    ("x86.sse2.pmaxu.b", Opcode::Umax),
    ("x86.sse41.pmaxuw", Opcode::Umax),
    ("x86.sse41.pmaxud", Opcode::Umax),
    ("x86.sse2.pminu.b", Opcode::Umin),
    ("x86.sse41.pminuw", Opcode::Umin),
    ("x86.sse41.pminud", Opcode::Umin),
    ("x86.sse.sqrt.ps", Opcode::Fsqrt),
    ("x86.sse2.sqrt.pd", Opcode::Fsqrt),
    ("x86.fma.vfmadd.ps", Opcode::Fma),
    ("x86.fma.vfmadd.pd", Opcode::Fma),
    ("x86.sse2.cvtdq2ps", Opcode::Sitofp),
    ("x86.sse2.padds.b", Opcode::SaddSat),
    ("x86.sse2.padds.w", Opcode::SaddSat),
    ("x86.sse2.psubs.b", Opcode::SsubSat),
    ("x86.sse2.psubs.w", Opcode::SsubSat),
    ("x86.sse2.paddus.b", Opcode::UaddSat),
    ("x86.sse2.paddus.w", Opcode::UaddSat),
    ("x86.sse2.psubus.b", Opcode::UsubSat),
    ("x86.sse2.psubus.w", Opcode::UsubSat),
];

/// LLVM's number of Win64's convention.
const WIN64: u16 = 79;

/// Where a `va_list` has the address of the next argument on the stack.
pub(crate) const NEXT_IN_MEMORY: i64 = 8;
/// Where it has the address of the register save area.
pub(crate) const AREA_ADDRESS: i64 = 16;
/// How many bytes it has.
pub(crate) const LIST_BYTES: u64 = 24;

/// The six general registers at the start of the save area (System V ABI, section 3.5.7).
pub(crate) const GENERAL: SavedRegisters = SavedRegisters {
    next_offset: 0,
    bytes: 8,
    start: 0,
    end: 6 * 8,
};
/// The eight vector registers after them.
pub(crate) const VECTOR: SavedRegisters = SavedRegisters {
    next_offset: 4,
    bytes: 16,
    start: GENERAL.end,
    end: GENERAL.end + 8 * 16,
};

/// How System V's convention passes a type. Where llc reads one from another place than LLVM passes it in (`x86_fp80`,
/// integers of 128 bits that are not in registers), it is the place where it is that counts here.
fn system_v(data: TypeData, element: Option<TypeData>) -> Option<Passing> {
    let passing = |registers, bytes| Passing {
        registers,
        bytes,
        align: bytes,
    };
    Some(match (data, element) {
        (TypeData::Int(..=64) | TypeData::Ptr(0), _) => passing(Some(GENERAL), 8),
        (TypeData::Int(128), _) => passing(Some(GENERAL), 16),
        (TypeData::F16 | TypeData::BF16 | TypeData::F32 | TypeData::F64, _) => passing(Some(VECTOR), 8),
        (TypeData::F128, _) => passing(Some(VECTOR), 16),
        (TypeData::Vector { lanes: 4, .. }, Some(TypeData::F32))
        | (TypeData::Vector { lanes: 2, .. }, Some(TypeData::F64)) => passing(Some(VECTOR), 16),
        (TypeData::X86F80, _) => passing(None, 16),
        _ => return None,
    })
}

/// How Win64's convention passes a type. Narrower ones are promoted; llc reads them one after the other, which nobody
/// passes like that.
fn win64(data: TypeData, _: Option<TypeData>) -> Option<Passing> {
    matches!(data, TypeData::Int(64) | TypeData::Ptr(0) | TypeData::F64).then_some(Passing {
        registers: None,
        bytes: 8,
        align: 8,
    })
}

/// How the convention of 32-bit code passes a type among variable arguments: in words on the stack. Vectors are aligned
/// to their size.
fn intel386(data: TypeData, element: Option<TypeData>) -> Option<Passing> {
    let (bytes, align) = match (data, element) {
        (TypeData::Int(..=32) | TypeData::Ptr(0), _) => (4, 4),
        (TypeData::Int(33..=64) | TypeData::F64, _) => (8, 4),
        (TypeData::X86F80, _) => (12, 4),
        _ => return None,
    };
    Some(Passing {
        registers: None,
        bytes,
        align,
    })
}
