//! What readers must know of AArch64 Linux: data layout, registers that have names, the floating-point environment of
//! glibc.
//!
//! Front ends take lists of variable arguments apart themselves; the instruction `va_arg` is refused, as LLVM has no
//! code for it on Linux either.

use frazil_ir::platform::{FloatEnvironment, NamedRegister, Platform};

/// The facts.
pub static PLATFORM: Platform = Platform {
    // LLVM 22, `AArch64TargetMachine`.
    data_layout: "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
    widest_integer_bits: 128,
    added_integer_aligns: &[],
    passes_arrays_whole: true,
    variadic: None,
    // Those that LLVM reads by their names (`getRegisterByName` in `AArch64ISelLowering.cpp`) and does not allocate.
    named_registers: &[
        NamedRegister {
            name: "sp",
            bits: 64,
            is_frame_pointer: false,
            read: "mov $0, sp",
            write: "mov sp, $0",
        },
        NamedRegister {
            name: "x29",
            bits: 64,
            is_frame_pointer: true,
            read: "mov $0, x29",
            write: "mov x29, $0",
        },
    ],
    // The value that guards frames is in a variable.
    guard_registers: &[],
    memory_letters: "Q",
    // glibc, `bits/fenv.h` for aarch64: two words of 32 bits.
    float_environment: Some(FloatEnvironment {
        environment_bytes: 8,
        modes_bytes: 4,
        default_address: -1,
    }),
    former_intrinsics: &[],
};
