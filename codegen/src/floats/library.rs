//! Which functions of the run-time library do what with an `fp128`, as tables: those of the compiler's library (GCC
//! internals, "Routines for floating point emulation"), and those of the C library for `_Float128` (ISO/IEC TS
//! 18661-3), as LLVM calls them on systems with the GNU C library.

use frazil_ir::{Opcode, RuntimeFunction, RuntimeFunction as F, Type};

/// The function that computes an operation.
pub(super) fn arithmetic(op: Opcode) -> Option<RuntimeFunction> {
    Some(match op {
        Opcode::Fadd => F::Addtf3,
        Opcode::Fsub => F::Subtf3,
        Opcode::Fmul => F::Multf3,
        Opcode::Fdiv => F::Divtf3,
        Opcode::Frem => F::Fmodf128,
        Opcode::Fsqrt => F::Sqrtf128,
        Opcode::Ffloor => F::Floorf128,
        Opcode::Fceil => F::Ceilf128,
        Opcode::Ftrunc => F::Truncf128,
        Opcode::Frint => F::Rintf128,
        Opcode::Fnearbyint => F::Nearbyintf128,
        Opcode::Fround => F::Roundf128,
        Opcode::Froundeven => F::Roundevenf128,
        Opcode::Fminnum => F::Fminf128,
        Opcode::Fmaxnum => F::Fmaxf128,
        Opcode::Fma => F::Fmaf128,
        _ => return None,
    })
}

/// The function of the C library that computes an operation on `x86_fp80`.
pub fn long_arithmetic(op: Opcode) -> Option<RuntimeFunction> {
    Some(match op {
        Opcode::Frem => F::Fmodl,
        Opcode::Ffloor => F::Floorl,
        Opcode::Fceil => F::Ceill,
        Opcode::Ftrunc => F::Truncl,
        Opcode::Frint => F::Rintl,
        Opcode::Fnearbyint => F::Nearbyintl,
        Opcode::Fround => F::Roundl,
        Opcode::Froundeven => F::Roundevenl,
        Opcode::Fminnum => F::Fminl,
        Opcode::Fmaxnum => F::Fmaxl,
        Opcode::Fminimum => F::Fminimuml,
        Opcode::Fmaximum => F::Fmaximuml,
        Opcode::Fma => F::Fmal,
        _ => return None,
    })
}

/// The function whose result, compared with zero by a comparison of signed integers, answers a comparison.
pub(super) fn comparison(op: Opcode) -> Option<(RuntimeFunction, Opcode)> {
    Some(match op {
        Opcode::FcmpOeq => (F::Eqtf2, Opcode::IcmpEq),
        Opcode::FcmpUne => (F::Netf2, Opcode::IcmpNe),
        Opcode::FcmpOgt => (F::Gttf2, Opcode::IcmpSgt),
        Opcode::FcmpOge => (F::Getf2, Opcode::IcmpSge),
        Opcode::FcmpOlt => (F::Lttf2, Opcode::IcmpSlt),
        Opcode::FcmpOle => (F::Letf2, Opcode::IcmpSle),
        Opcode::FcmpOrd => (F::Unordtf2, Opcode::IcmpEq),
        Opcode::FcmpUno => (F::Unordtf2, Opcode::IcmpNe),
        // The opposite of the ordered comparison the other way round.
        Opcode::FcmpUgt => (F::Letf2, Opcode::IcmpSgt),
        Opcode::FcmpUge => (F::Lttf2, Opcode::IcmpSge),
        Opcode::FcmpUlt => (F::Getf2, Opcode::IcmpSlt),
        Opcode::FcmpUle => (F::Gttf2, Opcode::IcmpSle),
        _ => return None,
    })
}

/// The function that extends a type to `fp128`.
pub(super) fn extension(from: Type) -> Option<RuntimeFunction> {
    Some(match from {
        Type::F32 => F::Extendsftf2,
        Type::F64 => F::Extenddftf2,
        Type::X86_F80 => F::Extendxftf2,
        _ => return None,
    })
}

/// The function that rounds one type to another one.
pub(super) fn truncation(from: Type, to: Type) -> Option<RuntimeFunction> {
    Some(match (from, to) {
        (Type::F32, Type::F16) => F::Truncsfhf2,
        (Type::F64, Type::F16) => F::Truncdfhf2,
        (Type::X86_F80, Type::F16) => F::Truncxfhf2,
        (Type::F128, Type::F16) => F::Trunctfhf2,
        (Type::F32, Type::BF16) => F::Truncsfbf2,
        (Type::F64, Type::BF16) => F::Truncdfbf2,
        (Type::X86_F80, Type::BF16) => F::Truncxfbf2,
        (Type::F128, Type::BF16) => F::Trunctfbf2,
        (Type::F128, Type::F32) => F::Trunctfsf2,
        (Type::F128, Type::F64) => F::Trunctfdf2,
        (Type::F128, Type::X86_F80) => F::Trunctfxf2,
        _ => return None,
    })
}

/// The function that converts an `fp128` to an integer of some size, and the size.
pub(super) fn to_integer(bits: u32, signed: bool) -> Option<(RuntimeFunction, Type)> {
    Some(match (bits, signed) {
        // Numbers of all narrower types are numbers of the signed one.
        (..32, _) | (32, true) => (F::Fixtfsi, Type::I32),
        (32, false) => (F::Fixunstfsi, Type::I32),
        (33..64, _) | (64, true) => (F::Fixtfdi, Type::I64),
        (64, false) => (F::Fixunstfdi, Type::I64),
        (65..128, _) | (128, true) => (F::Fixtfti, Type::I128),
        (128, false) => (F::Fixunstfti, Type::I128),
        _ => return None,
    })
}

/// The function that converts an integer of some size to `fp128`, and the size.
pub(super) fn from_integer(bits: u32, signed: bool) -> Option<(RuntimeFunction, Type)> {
    Some(match (bits, signed) {
        (..32, _) | (32, true) => (F::Floatsitf, Type::I32),
        (32, false) => (F::Floatunsitf, Type::I32),
        (33..64, _) | (64, true) => (F::Floatditf, Type::I64),
        (64, false) => (F::Floatunditf, Type::I64),
        (65..128, _) | (128, true) => (F::Floattitf, Type::I128),
        (128, false) => (F::Floatuntitf, Type::I128),
        _ => return None,
    })
}
