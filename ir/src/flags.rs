//! What the 16 flag bits of an instruction mean, by kind of instruction.

use crate::opcode::Opcode;
use crate::strict::StrictFlags;
use bitflags::bitflags;

bitflags! {
    /// Flags of integer arithmetic, casts and comparisons.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct IntFlags: u16 {
        /// Unsigned wrap gives poison.
        const NUW = 1;
        /// Signed wrap gives poison.
        const NSW = 2;
        /// A remainder, or a bit shifted out, gives poison.
        const EXACT = 4;
        /// `or`: a bit set in both operands gives poison.
        const DISJOINT = 8;
        /// `zext`, `uitofp`: a negative operand gives poison.
        const NNEG = 16;
        /// `icmp`: operands of different signs give poison.
        const SAMESIGN = 32;
        /// `ctlz`, `cttz` of zero, `abs` of the most negative: poison.
        const POISON_SPECIAL = 64;
    }

    /// Fast-math flags, in LLVM's bitcode order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FastFlags: u16 {
        /// Reassociation allowed.
        const REASSOC = 1;
        /// No NaNs.
        const NNAN = 2;
        /// No infinities.
        const NINF = 4;
        /// The sign of zero does not matter.
        const NSZ = 8;
        /// Division may become multiplication by a reciprocal.
        const ARCP = 16;
        /// Contraction allowed.
        const CONTRACT = 32;
        /// Approximate functions allowed.
        const AFN = 64;
    }

    /// Flags of calls and invokes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CallFlags: u16 {
        /// The call may reuse the caller's frame.
        const TAIL = 1;
        /// The call must reuse the caller's frame.
        const MUST_TAIL = 2;
        /// The call must not reuse the caller's frame.
        const NO_TAIL = 4;
        /// The callee returns twice (setjmp).
        const RETURNS_TWICE = 8;
        /// The callee does not return.
        const NO_RETURN = 16;
        /// The callee does not unwind.
        const NO_UNWIND = 32;
        /// The callee is an LLVM intrinsic that has no opcode of its own; code generation refuses it by its name.
        const INTRINSIC = 64;
        /// The callee is inline assembly: a constant of that kind.
        const INLINE_ASM = 128;
        /// The call has operand bundles that matter; code generation refuses it.
        const BUNDLES = 256;
        /// The address that is called need not be marked as a place to which indirect branches may lead.
        const UNMARKED = 512;
        /// A hook that goes where the load or store after it is deleted; see contract 15.
        const FOLLOWS_NEXT = 1024;
        /// The same with the load or store before it.
        const FOLLOWS_PREVIOUS = 2048;
    }
}

/// The ordering of an atomic access or fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
// The variants are the memory orders of C11.
pub enum Ordering {
    NotAtomic,
    Unordered,
    Monotonic,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

impl Ordering {
    /// The number that C's `memory_order` has for it, as the functions of the atomic library take it.
    pub fn in_c(self) -> u32 {
        match self {
            Ordering::NotAtomic | Ordering::Unordered | Ordering::Monotonic => 0,
            Ordering::Acquire => 2,
            Ordering::Release => 3,
            Ordering::AcquireRelease => 4,
            Ordering::SequentiallyConsistent => 5,
        }
    }

    /// The strongest ordering that a failed exchange, which stores nothing, can have beside this one for success.
    #[must_use]
    pub fn of_failure(self) -> Ordering {
        match self {
            Ordering::AcquireRelease => Ordering::Acquire,
            Ordering::Release => Ordering::Monotonic,
            other => other,
        }
    }
}

/// Every ordering, by its number.
pub const ORDERINGS: [Ordering; 7] = [
    Ordering::NotAtomic,
    Ordering::Unordered,
    Ordering::Monotonic,
    Ordering::Acquire,
    Ordering::Release,
    Ordering::AcquireRelease,
    Ordering::SequentiallyConsistent,
];

/// The operation of an `atomic_rmw`, numbered as in LLVM's bitcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
// The variants are named as in LLVM's language reference.
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    Umax,
    Umin,
    Fadd,
    Fsub,
    Fmax,
    Fmin,
    UincWrap,
    UdecWrap,
    UsubCond,
    UsubSat,
    Fmaximum,
    Fminimum,
}

/// Every read-modify-write operation with its name, by its number.
pub const RMW_OPS: [(RmwOp, &str); 21] = [
    (RmwOp::Xchg, "xchg"),
    (RmwOp::Add, "add"),
    (RmwOp::Sub, "sub"),
    (RmwOp::And, "and"),
    (RmwOp::Nand, "nand"),
    (RmwOp::Or, "or"),
    (RmwOp::Xor, "xor"),
    (RmwOp::Max, "max"),
    (RmwOp::Min, "min"),
    (RmwOp::Umax, "umax"),
    (RmwOp::Umin, "umin"),
    (RmwOp::Fadd, "fadd"),
    (RmwOp::Fsub, "fsub"),
    (RmwOp::Fmax, "fmax"),
    (RmwOp::Fmin, "fmin"),
    (RmwOp::UincWrap, "uinc_wrap"),
    (RmwOp::UdecWrap, "udec_wrap"),
    (RmwOp::UsubCond, "usub_cond"),
    (RmwOp::UsubSat, "usub_sat"),
    (RmwOp::Fmaximum, "fmaximum"),
    (RmwOp::Fminimum, "fminimum"),
];

/// Flags of memory instructions, packed: bits 0-4 alignment (log2 of bytes), 5 volatile, 6 non-temporal,
/// 7-9 ordering, 10 single-thread scope (or weak, for a `cmpxchg`, which then counts as strong), 11-15 operation of an
/// `atomic_rmw`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemFlags(pub u16);

impl MemFlags {
    /// Plain access with this alignment; alignments above 2^31 bytes count as 2^31.
    #[inline]
    pub fn aligned(align_log2: u32) -> MemFlags {
        MemFlags(align_log2.min(31) as u16)
    }

    /// The same, volatile or not.
    #[inline]
    #[must_use]
    pub fn with_volatile(self, volatile: bool) -> MemFlags {
        MemFlags((self.0 & !0x20) | (u16::from(volatile) << 5))
    }

    /// The same, non-temporal or not.
    #[must_use]
    pub fn with_nontemporal(self, nontemporal: bool) -> MemFlags {
        MemFlags((self.0 & !0x40) | (u16::from(nontemporal) << 6))
    }

    /// The same with an ordering.
    #[must_use]
    pub fn with_ordering(self, ordering: Ordering) -> MemFlags {
        MemFlags((self.0 & !0x380) | ((ordering as u16) << 7))
    }

    /// The same, only ordered within one thread, or not.
    #[must_use]
    pub fn with_single_thread(self, single: bool) -> MemFlags {
        MemFlags((self.0 & !0x400) | (u16::from(single) << 10))
    }

    /// The same with a read-modify-write operation.
    #[must_use]
    pub fn with_rmw(self, op: RmwOp) -> MemFlags {
        MemFlags((self.0 & 0x7ff) | ((op as u16) << 11))
    }

    /// Alignment as log2 of bytes.
    #[inline]
    pub fn align_log2(self) -> u32 {
        u32::from(self.0 & 31)
    }

    /// Whether the access is volatile.
    #[inline]
    pub fn is_volatile(self) -> bool {
        self.0 & 0x20 != 0
    }

    /// Whether the access should bypass caches.
    pub fn is_nontemporal(self) -> bool {
        self.0 & 0x40 != 0
    }

    /// The memory order of an atomic access.
    pub fn ordering(self) -> Ordering {
        ORDERINGS[usize::from((self.0 >> 7) & 7).min(6)]
    }

    /// Whether only this thread (signal handlers) observes the order.
    pub fn is_single_thread(self) -> bool {
        self.0 & 0x400 != 0
    }

    /// The read-modify-write operation; `None` for a number that is none.
    pub fn rmw(self) -> Option<RmwOp> {
        RMW_OPS.get(usize::from(self.0 >> 11)).map(|row| row.0)
    }
}

/// How the flag bits of an opcode are to be read, and which of them it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagKind {
    /// No flags.
    None,
    Int(IntFlags),
    /// Fast-math flags.
    Fast,
    /// Memory flags: alignment, volatile, non-temporal, ordering, scope.
    Mem,
    /// Memory flags and a read-modify-write operation.
    Rmw,
    Call,
    /// A scale in bytes, 0 to 65535.
    Scale,
    /// Bit 0 write, bits 1-2 locality, bit 3 data cache.
    Prefetch,
    /// The plain operation and, of comparisons, whether they signal; see [`StrictFlags`].
    Strict,
}

impl FlagKind {
    /// The bits that may be set.
    pub fn allowed_bits(self) -> u16 {
        match self {
            FlagKind::None => 0,
            FlagKind::Int(flags) => flags.bits(),
            FlagKind::Fast => FastFlags::all().bits(),
            FlagKind::Mem => 0x7ff,
            FlagKind::Rmw | FlagKind::Scale => u16::MAX,
            FlagKind::Call => CallFlags::all().bits(),
            FlagKind::Prefetch => 15,
            FlagKind::Strict => StrictFlags::ALL_BITS,
        }
    }
}

/// The kind of flags that an opcode has.
pub fn flag_kind(op: Opcode) -> FlagKind {
    use Opcode as O;
    const WRAP: IntFlags = IntFlags::NUW.union(IntFlags::NSW);
    match op {
        O::Add | O::Sub | O::Mul | O::Shl | O::Trunc => FlagKind::Int(WRAP),
        O::Udiv | O::Sdiv | O::Lshr | O::Ashr => FlagKind::Int(IntFlags::EXACT),
        O::Or => FlagKind::Int(IntFlags::DISJOINT),
        O::Zext | O::Uitofp => FlagKind::Int(IntFlags::NNEG),
        O::Abs | O::Ctlz | O::Cttz => FlagKind::Int(IntFlags::POISON_SPECIAL),
        _ if op.is_icmp() => FlagKind::Int(IntFlags::SAMESIGN),
        _ if op.is_fcmp() => FlagKind::Fast,
        O::Phi | O::Select | O::Fptrunc | O::Fpext => FlagKind::Fast,
        O::ReduceFmin | O::ReduceFmax | O::ReduceFadd | O::ReduceFmul => FlagKind::Fast,
        _ if (O::Fadd as u8..=O::Fmuladd as u8).contains(&(op as u8)) => FlagKind::Fast,
        O::Load | O::Store | O::AtomicLoad | O::AtomicStore | O::Cmpxchg | O::Fence => FlagKind::Mem,
        O::MemCopy | O::MemMove | O::MemSet | O::StackAlloc => FlagKind::Mem,
        O::SpaceLoad | O::SpaceStore | O::SpaceCmpxchg | O::SpaceCopy | O::SpaceSet => FlagKind::Mem,
        O::AtomicRmw | O::SpaceRmw => FlagKind::Rmw,
        O::Call | O::Invoke | O::HookCall | O::ReadingHookCall => FlagKind::Call,
        O::PtrIndex => FlagKind::Scale,
        O::Prefetch => FlagKind::Prefetch,
        _ if op.is_strict() => FlagKind::Strict,
        _ => FlagKind::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_flags_do_not_overlap() {
        let flags = MemFlags::aligned(12)
            .with_volatile(true)
            .with_ordering(Ordering::SequentiallyConsistent)
            .with_single_thread(true)
            .with_rmw(RmwOp::Fminimum);
        assert_eq!(flags.align_log2(), 12);
        assert!(flags.is_volatile() && flags.is_single_thread() && !flags.is_nontemporal());
        assert_eq!(flags.ordering(), Ordering::SequentiallyConsistent);
        assert_eq!(flags.rmw(), Some(RmwOp::Fminimum));
    }

    #[test]
    fn tables_are_in_the_order_of_their_numbers() {
        assert!(
            ORDERINGS
                .iter()
                .enumerate()
                .all(|(number, &ordering)| ordering as usize == number)
        );
        assert!(RMW_OPS.iter().enumerate().all(|(number, row)| row.0 as usize == number));
    }
}
