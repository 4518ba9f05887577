//! The functions that PNaCl's ABI has for what its instructions cannot say: their names and types, and what they do.

use frazil_ir::Opcode;

/// A type in a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Void,
    /// An integer of so many bits.
    I(u32),
    F32,
    F64,
    /// Four floats of 32 bits.
    V4F32,
}

/// What an intrinsic does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// An operation of one operand.
    Unary(Opcode),
    /// The same with a flag for an operand of zero.
    Count(Opcode),
    /// Memory is copied or set.
    Memory(Opcode),
    StackSave,
    StackRestore,
    Trap,
    /// A function of the run-time library is called.
    Library(&'static str),
    /// The same, which comes back once more from elsewhere.
    Setjmp,
    /// The same, which does not come back.
    Longjmp,
    AtomicLoad,
    AtomicStore,
    AtomicRmw,
    CompareExchange,
    /// A fence of an order.
    Fence,
    /// A fence for all memory, also for what is not atomic.
    FenceAll,
    /// Whether an operation of a size needs no lock.
    IsLockFree,
}

/// What the ABI says of a name.
#[derive(Clone, Debug)]
pub struct Intrinsic {
    pub result: Ty,
    pub parameters: &'static [Ty],
    pub action: Action,
}

use Ty::{F32, F64, I, V4F32, Void};

/// Names without the type that ends them, with `T` for it in signatures, and the types that it may be.
struct Family {
    stem: &'static str,
    types: &'static [(&'static str, Ty)],
    signature: fn(Ty) -> (Ty, &'static [Ty]),
    action: Action,
}

const WORDS: &[(&str, Ty)] = &[("i16", I(16)), ("i32", I(32)), ("i64", I(64))];
const COUNTED: &[(&str, Ty)] = &[("i32", I(32)), ("i64", I(64))];
const FLOATS: &[(&str, Ty)] = &[("f32", F32), ("f64", F64)];
const ABSOLUTE: &[(&str, Ty)] = &[("f32", F32), ("f64", F64), ("v4f32", V4F32)];
const ATOMIC: &[(&str, Ty)] = &[("i8", I(8)), ("i16", I(16)), ("i32", I(32)), ("i64", I(64))];

/// A list of types with the family's in it, by type.
macro_rules! by_type {
    ($ty:ident: $($row:tt)*) => {
        match $ty {
            I(8) => by_type!(@ I(8), $($row)*),
            I(16) => by_type!(@ I(16), $($row)*),
            I(32) => by_type!(@ I(32), $($row)*),
            I(64) => by_type!(@ I(64), $($row)*),
            F32 => by_type!(@ F32, $($row)*),
            F64 => by_type!(@ F64, $($row)*),
            _ => by_type!(@ V4F32, $($row)*),
        }
    };
    (@ $own:expr, T) => { const { &[$own] } };
    (@ $own:expr, T, Flag) => { const { &[$own, I(1)] } };
    (@ $own:expr, Load) => { const { &[I(32), I(32)] } };
    (@ $own:expr, Store) => { const { &[$own, I(32), I(32)] } };
    (@ $own:expr, Rmw) => { const { &[I(32), I(32), $own, I(32)] } };
    (@ $own:expr, Exchange) => { const { &[I(32), $own, $own, I(32), I(32)] } };
}

const FAMILIES: &[Family] = &[
    Family {
        stem: "llvm.bswap.",
        types: WORDS,
        signature: |ty| (ty, by_type!(ty: T)),
        action: Action::Unary(Opcode::Bswap),
    },
    Family {
        stem: "llvm.ctlz.",
        types: COUNTED,
        signature: |ty| (ty, by_type!(ty: T, Flag)),
        action: Action::Count(Opcode::Ctlz),
    },
    Family {
        stem: "llvm.cttz.",
        types: COUNTED,
        signature: |ty| (ty, by_type!(ty: T, Flag)),
        action: Action::Count(Opcode::Cttz),
    },
    Family {
        stem: "llvm.ctpop.",
        types: COUNTED,
        signature: |ty| (ty, by_type!(ty: T)),
        action: Action::Unary(Opcode::Ctpop),
    },
    Family {
        stem: "llvm.fabs.",
        types: ABSOLUTE,
        signature: |ty| (ty, by_type!(ty: T)),
        action: Action::Unary(Opcode::Fabs),
    },
    Family {
        stem: "llvm.sqrt.",
        types: FLOATS,
        signature: |ty| (ty, by_type!(ty: T)),
        action: Action::Unary(Opcode::Fsqrt),
    },
    Family {
        stem: "llvm.nacl.atomic.load.",
        types: ATOMIC,
        signature: |ty| (ty, by_type!(ty: Load)),
        action: Action::AtomicLoad,
    },
    Family {
        stem: "llvm.nacl.atomic.store.",
        types: ATOMIC,
        signature: |ty| (Void, by_type!(ty: Store)),
        action: Action::AtomicStore,
    },
    Family {
        stem: "llvm.nacl.atomic.rmw.",
        types: ATOMIC,
        signature: |ty| (ty, by_type!(ty: Rmw)),
        action: Action::AtomicRmw,
    },
    Family {
        stem: "llvm.nacl.atomic.cmpxchg.",
        types: ATOMIC,
        signature: |ty| (ty, by_type!(ty: Exchange)),
        action: Action::CompareExchange,
    },
];

/// Those whose names have no type at the end.
const OTHERS: &[(&str, Intrinsic)] = &[
    (
        "llvm.memcpy.p0i8.p0i8.i32",
        Intrinsic {
            result: Void,
            parameters: &[I(32), I(32), I(32), I(32), I(1)],
            action: Action::Memory(Opcode::MemCopy),
        },
    ),
    (
        "llvm.memmove.p0i8.p0i8.i32",
        Intrinsic {
            result: Void,
            parameters: &[I(32), I(32), I(32), I(32), I(1)],
            action: Action::Memory(Opcode::MemMove),
        },
    ),
    (
        "llvm.memset.p0i8.i32",
        Intrinsic {
            result: Void,
            parameters: &[I(32), I(8), I(32), I(32), I(1)],
            action: Action::Memory(Opcode::MemSet),
        },
    ),
    (
        "llvm.stacksave",
        Intrinsic {
            result: I(32),
            parameters: &[],
            action: Action::StackSave,
        },
    ),
    (
        "llvm.stackrestore",
        Intrinsic {
            result: Void,
            parameters: &[I(32)],
            action: Action::StackRestore,
        },
    ),
    (
        "llvm.trap",
        Intrinsic {
            result: Void,
            parameters: &[],
            action: Action::Trap,
        },
    ),
    (
        "llvm.nacl.read.tp",
        Intrinsic {
            result: I(32),
            parameters: &[],
            action: Action::Library("__pexe_thread_pointer"),
        },
    ),
    (
        "llvm.nacl.setjmp",
        Intrinsic {
            result: I(32),
            parameters: &[I(32)],
            action: Action::Setjmp,
        },
    ),
    (
        "llvm.nacl.longjmp",
        Intrinsic {
            result: Void,
            parameters: &[I(32), I(32)],
            action: Action::Longjmp,
        },
    ),
    (
        "llvm.nacl.atomic.fence",
        Intrinsic {
            result: Void,
            parameters: &[I(32)],
            action: Action::Fence,
        },
    ),
    (
        "llvm.nacl.atomic.fence.all",
        Intrinsic {
            result: Void,
            parameters: &[],
            action: Action::FenceAll,
        },
    ),
    (
        "llvm.nacl.atomic.is.lock.free",
        Intrinsic {
            result: I(1),
            parameters: &[I(32), I(32)],
            action: Action::IsLockFree,
        },
    ),
];

/// The function of the run-time library for an action, if it is one.
pub fn library_function(action: Action) -> Option<&'static str> {
    match action {
        Action::Library(name) => Some(name),
        Action::Setjmp => Some("__pexe_setjmp"),
        Action::Longjmp => Some("__pexe_longjmp"),
        _ => None,
    }
}

/// The intrinsic of a name.
pub fn find(name: &[u8]) -> Option<Intrinsic> {
    if let Some((_, found)) = OTHERS.iter().find(|(own, _)| own.as_bytes() == name) {
        return Some(found.clone());
    }
    FAMILIES.iter().find_map(|family| {
        let ending = name.strip_prefix(family.stem.as_bytes())?;
        let (_, ty) = family.types.iter().find(|(own, _)| own.as_bytes() == ending)?;
        let (result, parameters) = (family.signature)(*ty);
        Some(Intrinsic {
            result,
            parameters,
            action: family.action,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_a_type_of_their_family() {
        let swap = find(b"llvm.bswap.i16").expect("it is one");
        assert_eq!((swap.result, swap.parameters), (I(16), &[I(16)][..]));
        let exchange = find(b"llvm.nacl.atomic.cmpxchg.i8").expect("it is one");
        assert_eq!(exchange.parameters, [I(32), I(8), I(8), I(32), I(32)]);
        assert!(find(b"llvm.bswap.i8").is_none() && find(b"llvm.nacl.atomic.load").is_none());
        assert!(find(b"llvm.stacksave").is_some() && find(b"llvm.stacksave.p0").is_none());
    }
}
