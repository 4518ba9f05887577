//! The table of LLVM's intrinsics and what they become in the IR.
//!
//! A name is looked up once for each declaration, with its overload suffixes stripped one after the other. An
//! intrinsic that is not in the table remains a call with a flag, which code generation refuses by name.

use super::library_functions::{BySize, ByType};
use super::vector_intrinsics::VectorIntrinsic;
use frazil_ir::debug::DebugKind;
use frazil_ir::included::VECTORS;
use frazil_ir::{Opcode, Platform, RuntimeFunction};

/// What a call of an intrinsic is translated to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    /// Nothing. If it has a result, that becomes null, since nothing depends on it. Carries the bits of
    /// [`Intrinsic::immediates`].
    Nothing(u32),
    /// What debug information says of a variable; its arguments are metadata.
    Variable(DebugKind),
    /// Its first argument. Carries the bits of [`Intrinsic::immediates`].
    First(u32),
    True,
    /// Whether the argument is known to be a constant.
    IsConstant,
    /// The size of an object, which is unknown here.
    ObjectSize,
    /// An instruction with this opcode and the same one, two or three arguments.
    Plain(Opcode),
    /// An instruction with this opcode; the second argument says whether a special input gives poison.
    PoisonFlag(Opcode),
    /// An instruction whose type is that of its argument, like comparisons.
    OfArgument(Opcode),
    /// A copy or fill of memory. Arguments: destination, source or byte, length, volatile.
    Memory(Opcode),
    /// An instruction without result; its arguments, if any, are treated by the opcode's reader.
    Bare(Opcode),
    /// The address of a thread-local variable.
    ThreadLocalAddress,
    /// A prefetch. Arguments: address, write, locality, data.
    Prefetch,
    /// A load of a 32-bit offset, which is added to the address.
    LoadRelative,
    /// An address of which some bits are cleared.
    PointerMask,
    /// A call of a library function, which the type selects.
    Library(ByType),
    /// A conversion to the nearest integer; of floats without instructions for it, a call of a library function.
    Nearest(ByType),
    /// A call of a library function that returns its second result through a pointer; the type selects it.
    Split(ByType),
    /// A call of a library function that returns both results through pointers; the type selects it.
    Both(ByType),
    /// A copy or fill of memory with atomic elements. Arguments: destination, source or byte, length, element size.
    /// The size selects the library function.
    Elements(BySize),
    /// A minimum or maximum that ignores a NaN operand; the opcode is that which propagates NaN.
    Number(Opcode),
    /// An operation that depends on the floating-point environment; the opcode is the one for the default environment,
    /// and metadata arguments say more.
    Constrained(Opcode),
    /// A comparison whose predicate is in metadata; whether quiet NaNs raise an exception, too.
    ConstrainedCompare(bool),
    /// A call of a library function that depends on the floating-point environment.
    ConstrainedLibrary(ByType),
    /// A product or quotient of fixed-point numbers.
    FixedPoint(FixedPoint),
    /// A carry-less product.
    CarryLess,
    /// An access to the floating-point environment.
    Environment(EnvironmentAccess),
    /// A floating-point number in canonical form.
    Canonicalize,
    /// A conversion between a float and a half that is held in an `i16`.
    Half {
        to_half: bool,
    },
    /// An access to a register, whose name is in metadata.
    Register,
    /// One that moves lanes of vectors or the like.
    Vector(VectorIntrinsic),
    /// An intrinsic that is not supported.
    Unknown,
}

/// What an intrinsic does with the floating-point environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvironmentAccess {
    GetEnvironment,
    SetEnvironment,
    ResetEnvironment,
    GetModes,
    SetModes,
    ResetModes,
}

/// An operation on fixed-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedPoint {
    /// Whether it divides; else it multiplies.
    pub divides: bool,
    /// Whether the numbers are signed.
    pub signed: bool,
    /// Whether results out of range are replaced by the nearest number.
    pub saturates: bool,
}

impl FixedPoint {
    fn from_name(name: &str) -> Option<FixedPoint> {
        let (name, saturates) = match name.strip_suffix(".sat") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let (divides, signed) = match name {
            "smul.fix" => (false, true),
            "umul.fix" => (false, false),
            "sdiv.fix" => (true, true),
            "udiv.fix" => (true, false),
            _ => return None,
        };
        Some(FixedPoint {
            divides,
            signed,
            saturates,
        })
    }
}

const PREFIX: &[u8] = b"llvm.";

impl Intrinsic {
    /// The intrinsic with this name on a platform; `None` if the name does not begin with `llvm.`.
    pub fn from_name(name: &[u8], platform: Option<&Platform>) -> Option<Intrinsic> {
        let name = name.strip_prefix(PREFIX)?;
        let Ok(mut name) = std::str::from_utf8(name) else {
            return Some(Intrinsic::Unknown);
        };
        let whole = name;
        loop {
            if let Some(intrinsic) = exact(name) {
                return Some(intrinsic);
            }
            match name.rsplit_once('.') {
                Some((shorter, suffix)) if is_overload(suffix) => name = shorter,
                _ => break,
            }
        }
        let former = platform.and_then(|platform| platform.former_intrinsic(whole));
        Some(former.map_or(Intrinsic::Unknown, Intrinsic::Plain))
    }

    /// A bit for each argument that must be a constant in the file (`immarg`), if it exists.
    #[inline]
    pub fn immediates(self) -> u32 {
        match self {
            Intrinsic::Nothing(immediates) | Intrinsic::First(immediates) => immediates,
            Intrinsic::PoisonFlag(_) | Intrinsic::OfArgument(_) => 0b10,
            // The last argument is volatile. Up to LLVM 6, the one before it was the alignment.
            Intrinsic::Memory(_) => 0b11000,
            Intrinsic::Elements(_) => 0b1000,
            Intrinsic::ObjectSize | Intrinsic::Prefetch => 0b1110,
            Intrinsic::FixedPoint(_) => 0b100,
            Intrinsic::Plain(Opcode::FrameAddress | Opcode::ReturnAddress) | Intrinsic::Bare(Opcode::Trap) => 0b1,
            _ => 0,
        }
    }
}

/// Whether a part of a name is an overload suffix, that is, a type, as in `memcpy.p0.p0.i64`.
fn is_overload(part: &str) -> bool {
    let mut rest = part;
    while let Some(shorter) = rest.strip_prefix("nx").or_else(|| rest.strip_prefix('v')) {
        rest = shorter.trim_start_matches(|character: char| character.is_ascii_digit());
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match rest.chars().next() {
        Some('i' | 'f') => rest.get(1..).is_some_and(digits),
        // With typed pointers, the pointee follows the address space; structures have a letter and a name.
        Some('p') => rest.get(1..2).is_some_and(digits),
        Some('b') => rest == "bf16",
        Some('s') => rest.starts_with("s_") || rest.starts_with("sl_"),
        _ => false,
    }
}

fn exact(name: &str) -> Option<Intrinsic> {
    if let Some(name) = name.strip_prefix("experimental.constrained.") {
        return constrained(name);
    }
    memory_and_control(name)
        .or_else(|| elements(name))
        .or_else(|| arithmetic(name))
        .or_else(|| FixedPoint::from_name(name).map(Intrinsic::FixedPoint))
        .or_else(|| library(name))
        .or_else(|| if VECTORS { of_lanes(name) } else { None })
        .or_else(|| former(name))
}

/// Intrinsics that are only for vectors, which builds without [`VECTORS`] refuse for their arguments.
fn of_lanes(name: &str) -> Option<Intrinsic> {
    vector(name)
        .or_else(|| VectorIntrinsic::from_name(name).map(Intrinsic::Vector))
        .or_else(|| every_lane(name.strip_prefix("vp.")?))
}

/// Intrinsics that LLVM has renamed or replaced, by their old names (`AutoUpgrade.cpp`). Those of a single target are
/// listed by its platform.
fn former(name: &str) -> Option<Intrinsic> {
    Some(Intrinsic::Plain(match name {
        // Up to LLVM 6.
        "invariant.group.barrier" => return Some(Intrinsic::First(0)),
        // Up to LLVM 3.9. The guard is checked because of the function's attributes, anyway.
        "stackprotectorcheck" => return Some(Intrinsic::Nothing(0)),
        // From LLVM 9 to 11. The names without `v2` belonged to an older form, which ignored the start value in some
        // cases and which LLVM does not read any more.
        "experimental.vector.reduce.v2.fadd" => Opcode::ReduceFadd,
        "experimental.vector.reduce.v2.fmul" => Opcode::ReduceFmul,
        _ => return None,
    }))
}

fn memory_and_control(name: &str) -> Option<Intrinsic> {
    Some(match name {
        "lifetime.start"
        | "lifetime.end"
        | "assume"
        | "experimental.noalias.scope.decl"
        | "donothing"
        | "sideeffect"
        | "pseudoprobe"
        | "var.annotation"
        | "va_end"
        | "fake.use"
        | "clear_cache"
        | "codeview.annotation" => Intrinsic::Nothing(0),
        // Up to LLVM 18; then, records took their place.
        "dbg.declare" => Intrinsic::Variable(DebugKind::Declare),
        "dbg.value" | "dbg.assign" => Intrinsic::Variable(DebugKind::Value),
        "dbg.addr" => Intrinsic::Variable(DebugKind::Address),
        "dbg.label" => Intrinsic::Variable(DebugKind::Label),
        "invariant.start" => Intrinsic::Nothing(0b1),
        "invariant.end" => Intrinsic::Nothing(0b10),
        "expect.with.probability" => Intrinsic::First(0b100),
        "expect"
        | "annotation"
        | "ptr.annotation"
        | "launder.invariant.group"
        | "strip.invariant.group"
        | "ssa.copy"
        | "adjust.trampoline"
        | "arithmetic.fence" => Intrinsic::First(0),
        // Type tests that no pass has lowered are assumed to succeed.
        "allow.runtime.check" | "allow.ubsan.check" | "type.test" | "public.type.test" => Intrinsic::True,
        "read_register" | "read_volatile_register" | "write_register" => Intrinsic::Register,
        "is.constant" => Intrinsic::IsConstant,
        "objectsize" => Intrinsic::ObjectSize,
        "memcpy" | "memcpy.inline" => Intrinsic::Memory(Opcode::MemCopy),
        "memmove" => Intrinsic::Memory(Opcode::MemMove),
        "memset" | "memset.inline" => Intrinsic::Memory(Opcode::MemSet),
        "threadlocal.address" => Intrinsic::ThreadLocalAddress,
        "prefetch" => Intrinsic::Prefetch,
        "load.relative" => Intrinsic::LoadRelative,
        "ptrmask" => Intrinsic::PointerMask,
        "va_start" => Intrinsic::Bare(Opcode::VaStart),
        "va_copy" => Intrinsic::Bare(Opcode::VaCopy),
        "stackrestore" => Intrinsic::Bare(Opcode::StackRestore),
        "stacksave" => Intrinsic::Plain(Opcode::StackSave),
        "frameaddress" => Intrinsic::Plain(Opcode::FrameAddress),
        "returnaddress" => Intrinsic::Plain(Opcode::ReturnAddress),
        "addressofreturnaddress" => Intrinsic::Plain(Opcode::AddressOfReturnAddress),
        "thread.pointer" => Intrinsic::Plain(Opcode::ThreadPointer),
        "readcyclecounter" => Intrinsic::Plain(Opcode::ReadCycleCounter),
        "eh.typeid.for" => Intrinsic::Plain(Opcode::EhTypeidFor),
        "eh.sjlj.setjmp" => Intrinsic::Plain(Opcode::SjljSetjmp),
        "eh.sjlj.longjmp" => Intrinsic::Bare(Opcode::SjljLongjmp),
        "trap" | "ubsantrap" => Intrinsic::Bare(Opcode::Trap),
        "debugtrap" => Intrinsic::Bare(Opcode::Debugtrap),
        _ => return None,
    })
}

fn elements(name: &str) -> Option<Intrinsic> {
    use RuntimeFunction as F;
    let functions = match name.strip_suffix(".element.unordered.atomic")? {
        "memcpy" => [
            F::MemcpyElements1,
            F::MemcpyElements2,
            F::MemcpyElements4,
            F::MemcpyElements8,
            F::MemcpyElements16,
        ],
        "memmove" => [
            F::MemmoveElements1,
            F::MemmoveElements2,
            F::MemmoveElements4,
            F::MemmoveElements8,
            F::MemmoveElements16,
        ],
        "memset" => [
            F::MemsetElements1,
            F::MemsetElements2,
            F::MemsetElements4,
            F::MemsetElements8,
            F::MemsetElements16,
        ],
        _ => return None,
    };
    Some(Intrinsic::Elements(BySize(functions)))
}

/// The form with mask and length of an intrinsic that works lane by lane, by the name without either.
fn every_lane(name: &str) -> Option<Intrinsic> {
    Some(Intrinsic::Vector(match arithmetic(name).or_else(|| library(name))? {
        Intrinsic::Plain(op) => VectorIntrinsic::Predicated(op),
        Intrinsic::PoisonFlag(op) => VectorIntrinsic::PredicatedSpecial(op),
        Intrinsic::OfArgument(_) => VectorIntrinsic::PredicatedClass,
        Intrinsic::Library(functions) => VectorIntrinsic::PredicatedLibrary(functions),
        Intrinsic::Nearest(functions) => VectorIntrinsic::PredicatedNearest(functions),
        _ => return None,
    }))
}

fn arithmetic(name: &str) -> Option<Intrinsic> {
    let plain = match name {
        "uadd.with.overflow" => Opcode::UaddOverflow,
        "sadd.with.overflow" => Opcode::SaddOverflow,
        "usub.with.overflow" => Opcode::UsubOverflow,
        "ssub.with.overflow" => Opcode::SsubOverflow,
        "umul.with.overflow" => Opcode::UmulOverflow,
        "smul.with.overflow" => Opcode::SmulOverflow,
        "uadd.sat" => Opcode::UaddSat,
        "sadd.sat" => Opcode::SaddSat,
        "usub.sat" => Opcode::UsubSat,
        "ssub.sat" => Opcode::SsubSat,
        "ushl.sat" => Opcode::UshlSat,
        "sshl.sat" => Opcode::SshlSat,
        "smin" => Opcode::Smin,
        "smax" => Opcode::Smax,
        "umin" => Opcode::Umin,
        "umax" => Opcode::Umax,
        "ctpop" => Opcode::Ctpop,
        "bswap" => Opcode::Bswap,
        "bitreverse" => Opcode::Bitreverse,
        "fshl" => Opcode::Fshl,
        "fshr" => Opcode::Fshr,
        "fabs" => Opcode::Fabs,
        "sqrt" => Opcode::Fsqrt,
        "floor" => Opcode::Ffloor,
        "ceil" => Opcode::Fceil,
        "trunc" => Opcode::Ftrunc,
        "rint" => Opcode::Frint,
        "nearbyint" => Opcode::Fnearbyint,
        "round" => Opcode::Fround,
        "roundeven" => Opcode::Froundeven,
        "copysign" => Opcode::Fcopysign,
        "minnum" => Opcode::Fminnum,
        "maxnum" => Opcode::Fmaxnum,
        "minimum" => Opcode::Fminimum,
        "maximum" => Opcode::Fmaximum,
        "fma" => Opcode::Fma,
        "fmuladd" => Opcode::Fmuladd,
        "minimumnum" => return Some(Intrinsic::Number(Opcode::Fminimum)),
        "maximumnum" => return Some(Intrinsic::Number(Opcode::Fmaximum)),
        "abs" => return Some(Intrinsic::PoisonFlag(Opcode::Abs)),
        "ctlz" => return Some(Intrinsic::PoisonFlag(Opcode::Ctlz)),
        "cttz" => return Some(Intrinsic::PoisonFlag(Opcode::Cttz)),
        "is.fpclass" => return Some(Intrinsic::OfArgument(Opcode::IsFpclass)),
        "get.fpenv" => return Some(Intrinsic::Environment(EnvironmentAccess::GetEnvironment)),
        "set.fpenv" => return Some(Intrinsic::Environment(EnvironmentAccess::SetEnvironment)),
        "reset.fpenv" => return Some(Intrinsic::Environment(EnvironmentAccess::ResetEnvironment)),
        "get.fpmode" => return Some(Intrinsic::Environment(EnvironmentAccess::GetModes)),
        "set.fpmode" => return Some(Intrinsic::Environment(EnvironmentAccess::SetModes)),
        "reset.fpmode" => return Some(Intrinsic::Environment(EnvironmentAccess::ResetModes)),
        "canonicalize" => return Some(Intrinsic::Canonicalize),
        "convert.to.fp16" => return Some(Intrinsic::Half { to_half: true }),
        "convert.from.fp16" => return Some(Intrinsic::Half { to_half: false }),
        "clmul" => return Some(Intrinsic::CarryLess),
        "scmp" => Opcode::Scmp,
        "ucmp" => Opcode::Ucmp,
        "fptoui.sat" => Opcode::FptouiSat,
        "fptosi.sat" => Opcode::FptosiSat,
        _ => return None,
    };
    Some(Intrinsic::Plain(plain))
}

/// Operations whose rounding mode and exceptions are described by metadata.
fn constrained(name: &str) -> Option<Intrinsic> {
    let op = match name {
        "fcmp" => return Some(Intrinsic::ConstrainedCompare(false)),
        "fcmps" => return Some(Intrinsic::ConstrainedCompare(true)),
        "fadd" => Opcode::Fadd,
        "fsub" => Opcode::Fsub,
        "fmul" => Opcode::Fmul,
        "fdiv" => Opcode::Fdiv,
        "frem" => Opcode::Frem,
        "fptoui" => Opcode::Fptoui,
        "fptosi" => Opcode::Fptosi,
        "uitofp" => Opcode::Uitofp,
        "sitofp" => Opcode::Sitofp,
        "fptrunc" => Opcode::Fptrunc,
        "fpext" => Opcode::Fpext,
        _ => match arithmetic(name).or_else(|| library(name))? {
            Intrinsic::Plain(op) => op,
            Intrinsic::Library(functions) | Intrinsic::Nearest(functions) => {
                return Some(Intrinsic::ConstrainedLibrary(functions));
            }
            _ => return None,
        },
    };
    op.strict_form().map(|_| Intrinsic::Constrained(op))
}

fn vector(name: &str) -> Option<Intrinsic> {
    // Before LLVM 12, the reductions with a start value had other names.
    let (name, may_start) = match name.strip_prefix("experimental.") {
        Some(name) => (name, false),
        None => (name, true),
    };
    Some(Intrinsic::Plain(match name.strip_prefix("vector.reduce.")? {
        "add" => Opcode::ReduceAdd,
        "mul" => Opcode::ReduceMul,
        "and" => Opcode::ReduceAnd,
        "or" => Opcode::ReduceOr,
        "xor" => Opcode::ReduceXor,
        "smin" => Opcode::ReduceSmin,
        "smax" => Opcode::ReduceSmax,
        "umin" => Opcode::ReduceUmin,
        "umax" => Opcode::ReduceUmax,
        "fmin" => Opcode::ReduceFmin,
        "fmax" => Opcode::ReduceFmax,
        "fadd" if may_start => Opcode::ReduceFadd,
        "fmul" if may_start => Opcode::ReduceFmul,
        _ => return None,
    }))
}

fn library(name: &str) -> Option<Intrinsic> {
    use RuntimeFunction as F;
    let functions = match name {
        "modf" => return Some(Intrinsic::Split(ByType([F::Modff, F::Modf, F::Modfl, F::Modff128]))),
        "frexp" => return Some(Intrinsic::Split(ByType([F::Frexpf, F::Frexp, F::Frexpl, F::Frexpf128]))),
        "sincos" => {
            return Some(Intrinsic::Both(ByType([
                F::Sincosf,
                F::Sincos,
                F::Sincosl,
                F::Sincosf128,
            ])));
        }
        "sin" => [F::Sinf, F::Sin, F::Sinl, F::Sinf128],
        "cos" => [F::Cosf, F::Cos, F::Cosl, F::Cosf128],
        "tan" => [F::Tanf, F::Tan, F::Tanl, F::Tanf128],
        "asin" => [F::Asinf, F::Asin, F::Asinl, F::Asinf128],
        "acos" => [F::Acosf, F::Acos, F::Acosl, F::Acosf128],
        "atan" => [F::Atanf, F::Atan, F::Atanl, F::Atanf128],
        "atan2" => [F::Atan2f, F::Atan2, F::Atan2l, F::Atan2f128],
        "sinh" => [F::Sinhf, F::Sinh, F::Sinhl, F::Sinhf128],
        "cosh" => [F::Coshf, F::Cosh, F::Coshl, F::Coshf128],
        "tanh" => [F::Tanhf, F::Tanh, F::Tanhl, F::Tanhf128],
        "exp" => [F::Expf, F::Exp, F::Expl, F::Expf128],
        "exp2" => [F::Exp2f, F::Exp2, F::Exp2l, F::Exp2f128],
        "exp10" => [F::Exp10f, F::Exp10, F::Exp10l, F::Exp10f128],
        "log" => [F::Logf, F::Log, F::Logl, F::Logf128],
        "log2" => [F::Log2f, F::Log2, F::Log2l, F::Log2f128],
        "log10" => [F::Log10f, F::Log10, F::Log10l, F::Log10f128],
        "pow" => [F::Powf, F::Pow, F::Powl, F::Powf128],
        "powi" => [F::Powisf2, F::Powidf2, F::Powixf2, F::Powitf2],
        "ldexp" => [F::Ldexpf, F::Ldexp, F::Ldexpl, F::Ldexpf128],
        "lrint" => {
            return Some(Intrinsic::Nearest(ByType([
                F::Lrintf,
                F::Lrint,
                F::Lrintl,
                F::Lrintf128,
            ])));
        }
        "llrint" => {
            return Some(Intrinsic::Nearest(ByType([
                F::Llrintf,
                F::Llrint,
                F::Llrintl,
                F::Llrintf128,
            ])));
        }
        "lround" => [F::Lroundf, F::Lround, F::Lroundl, F::Lroundf128],
        "llround" => [F::Llroundf, F::Llround, F::Llroundl, F::Llroundf128],
        _ => return None,
    };
    Some(Intrinsic::Library(ByType(functions)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overload_suffixes_are_cut_off() {
        let of = |name: &str| Intrinsic::from_name(name.as_bytes(), None);
        assert_eq!(
            of("llvm.memcpy.p0i8.p0i8.i64"),
            Some(Intrinsic::Memory(Opcode::MemCopy))
        );
        assert_eq!(
            of("llvm.vector.reduce.add.v4i32"),
            Some(Intrinsic::Plain(Opcode::ReduceAdd))
        );
        assert_eq!(of("llvm.fptosi.sat.i32.f64"), Some(Intrinsic::Plain(Opcode::FptosiSat)));
        let saturated = FixedPoint {
            divides: false,
            signed: false,
            saturates: true,
        };
        assert_eq!(of("llvm.umul.fix.sat.i24"), Some(Intrinsic::FixedPoint(saturated)));
        assert_eq!(of("llvm.umul.fixed.i24"), Some(Intrinsic::Unknown));
        assert_eq!(
            of("llvm.experimental.constrained.fptosi.i32.f64"),
            Some(Intrinsic::Constrained(Opcode::Fptosi))
        );
        assert_eq!(
            of("llvm.experimental.constrained.fcmps.f32"),
            Some(Intrinsic::ConstrainedCompare(true))
        );
        assert_eq!(of("llvm.experimental.constrained.ctpop.i32"), Some(Intrinsic::Unknown));
        let of_elements = of("llvm.memmove.element.unordered.atomic.p0.p0.i64");
        let Some(Intrinsic::Elements(functions)) = of_elements else {
            unreachable!("{of_elements:?}")
        };
        assert_eq!(functions.of(8), Some(RuntimeFunction::MemmoveElements8));
        assert_eq!([0, 3, 32].map(|bytes| functions.of(bytes)), [None; 3]);
        assert_eq!(of("llvm.lifetime.start.p0"), Some(Intrinsic::Nothing(0)));
        assert_eq!(
            of("llvm.experimental.vector.reduce.v2.fadd.f32.v4f32"),
            Some(Intrinsic::Plain(Opcode::ReduceFadd))
        );
        // In this old form, the start value was ignored if the call had fast-math flags.
        assert_eq!(
            of("llvm.experimental.vector.reduce.fadd.f32.f32.v4f32"),
            Some(Intrinsic::Unknown)
        );
        assert_eq!(
            of("llvm.vp.sadd.sat.v4i32"),
            Some(Intrinsic::Vector(VectorIntrinsic::Predicated(Opcode::SaddSat)))
        );
        assert_eq!(
            of("llvm.vp.ctlz.v4i32"),
            Some(Intrinsic::Vector(VectorIntrinsic::PredicatedSpecial(Opcode::Ctlz)))
        );
        assert_eq!(of("llvm.vp.load.ff.v4i32.p0"), Some(Intrinsic::Unknown));
        assert_eq!(of("llvm.cpu.pause"), Some(Intrinsic::Unknown));
        assert_eq!(of("llvm.trunc.strange"), Some(Intrinsic::Unknown));
        assert_eq!(of("memcpy"), None);
    }

    #[test]
    fn immediates_are_those_of_the_intrinsic() {
        let of = |name: &str| Intrinsic::from_name(name.as_bytes(), None).map(Intrinsic::immediates);
        assert_eq!(of("llvm.ctlz.i32"), Some(0b10));
        assert_eq!(of("llvm.memset.inline.p0.i64"), Some(0b11000));
        assert_eq!(of("llvm.invariant.end.p0"), Some(0b10));
        assert_eq!(of("llvm.expect.with.probability.i32"), Some(0b100));
        assert_eq!(of("llvm.lifetime.start.p0"), Some(0));
    }
}
