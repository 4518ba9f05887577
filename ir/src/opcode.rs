//! The one table of opcodes: name, operand format, results and effects of each.
//!
//! Everything else about opcodes derives from `for_each_opcode!`: the enum, its text names, the verifier's rules,
//! the operand walk. Predicates are opcodes of their own; what remains of a flavour stands in the flags.

/// How an instruction's words `a`, `b` (and the pool after them) are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// No operands.
    Nullary,
    /// Operand `a`.
    Unary,
    /// Operands `a` and `b`.
    Binary,
    /// Operand `a`; `b` is the pool index of two more.
    Ternary,
    /// `a` is the raw count, `b` the raw pool index of that many operands.
    List,
    /// Phi: as `List`, one operand for each predecessor in the order of the block's predecessor list.
    Phi,
    /// Unconditional branch: `result` is the target block.
    Jump,
    /// Conditional branch: operand `a`, `result` the target if true, raw `b` the target if false.
    Branch,
    /// Operand `a`; raw `b` is the pool index of: raw case count n, raw default block, n times (value, raw block).
    Switch,
    /// Operand `a` is the callee; raw `b` is the pool index of: raw argument count n, raw signature, n arguments.
    Call,
    /// Operand `a` is the callee; raw `b` is the pool index of: raw argument count n, raw signature,
    /// raw normal block, raw unwind block, n arguments.
    Invoke,
    /// Operand `a` is the address; raw `b` is the pool index of: raw count n, n raw blocks.
    IndirectJump,
    /// Landing pad: raw `a` is 1 if it is a cleanup; raw `b` is the pool index of: raw word count n, then clauses in
    /// n words, each a raw header (kind in bits 0-1: 0 catch, 1 filter; operand count above) and its operands,
    /// which are constants.
    LandingPad,
}

/// Which values an instruction defines; `T` is the instruction's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    None,
    /// One of type `T`.
    Ty,
    /// One of `i1`, or of a vector of `i1` when `T` is a vector.
    Bool,
    /// One of `T` and one of `i1` (or a vector of it).
    TyAndBool,
    Ptr,
    /// A pointer and an `i32` (a landing pad's exception pointer and selector).
    PtrAndI32,
    /// What the call's signature returns.
    Signature,
    /// The element type of the vector operand `a`.
    Element,
}

/// What an instruction does besides computing its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// Nothing: may be removed, repeated, moved to any place its operands reach.
    Pure,
    /// May trap (division): removable, but not to be executed where it was not.
    Trap,
    /// Reads memory; removable unless volatile or atomic.
    Read,
    /// Writes memory.
    Write,
    /// Runs code of a tool, which is no part of the program: stays where it is, but neither reads nor writes memory of
    /// the program (contract 15).
    Hook,
    /// Anything: calls, fences, stack changes.
    Any,
    /// Ends a block.
    Control,
}

/// Calls the macro `$m` with every row: `Variant "name" Format Results Effects`.
#[macro_export]
macro_rules! for_each_opcode {
    ($m:ident) => {
        $m! {
            // Placeholders and copies.
            Nop "nop" Nullary None Pure;
            Copy "copy" Unary Ty Pure;
            Phi "phi" Phi Ty Pure;
            Freeze "freeze" Unary Ty Pure;
            Select "select" Ternary Ty Pure;

            // Integer arithmetic. Flags: nuw, nsw, exact, disjoint.
            Add "add" Binary Ty Pure;
            Sub "sub" Binary Ty Pure;
            Mul "mul" Binary Ty Pure;
            // The upper half of the product of twice as many bits: of integers of 8, 16, 32 or 64 bits.
            UmulHigh "umul_high" Binary Ty Pure;
            SmulHigh "smul_high" Binary Ty Pure;
            // The sum of the differences of their bytes without signs: of integers of 64 bits.
            ByteDifferences "byte_differences" Binary Ty Pure;
            // The sum of the products of their words with signs: of integers of 32 bits.
            WordProducts "word_products" Binary Ty Pure;
            Udiv "udiv" Binary Ty Trap;
            Sdiv "sdiv" Binary Ty Trap;
            Urem "urem" Binary Ty Trap;
            Srem "srem" Binary Ty Trap;
            And "and" Binary Ty Pure;
            Or "or" Binary Ty Pure;
            Xor "xor" Binary Ty Pure;
            Shl "shl" Binary Ty Pure;
            Lshr "lshr" Binary Ty Pure;
            Ashr "ashr" Binary Ty Pure;
            UaddOverflow "uadd_overflow" Binary TyAndBool Pure;
            SaddOverflow "sadd_overflow" Binary TyAndBool Pure;
            UsubOverflow "usub_overflow" Binary TyAndBool Pure;
            SsubOverflow "ssub_overflow" Binary TyAndBool Pure;
            UmulOverflow "umul_overflow" Binary TyAndBool Pure;
            SmulOverflow "smul_overflow" Binary TyAndBool Pure;
            // `a + b + c` or `a - b - c`, of which `c` is an `i1`, and whether it wraps: of integers of 32 or 64 bits.
            UaddCarry "uadd_carry" Ternary TyAndBool Pure;
            UsubBorrow "usub_borrow" Ternary TyAndBool Pure;
            UaddSat "uadd_sat" Binary Ty Pure;
            SaddSat "sadd_sat" Binary Ty Pure;
            UsubSat "usub_sat" Binary Ty Pure;
            SsubSat "ssub_sat" Binary Ty Pure;
            UshlSat "ushl_sat" Binary Ty Pure;
            SshlSat "sshl_sat" Binary Ty Pure;
            Smin "smin" Binary Ty Pure;
            Smax "smax" Binary Ty Pure;
            Umin "umin" Binary Ty Pure;
            Umax "umax" Binary Ty Pure;
            // Flag `poison_special`: the most negative input gives poison.
            Abs "abs" Unary Ty Pure;
            // Bit operations. `ctlz` and `cttz` with flag `poison_special`: zero gives poison.
            Ctpop "ctpop" Unary Ty Pure;
            Ctlz "ctlz" Unary Ty Pure;
            Cttz "cttz" Unary Ty Pure;
            Bswap "bswap" Unary Ty Pure;
            Bitreverse "bitreverse" Unary Ty Pure;
            Fshl "fshl" Ternary Ty Pure;
            Fshr "fshr" Ternary Ty Pure;

            // Integer comparisons; the instruction's type is that of the operands. Flag: samesign.
            IcmpEq "icmp_eq" Binary Bool Pure;
            IcmpNe "icmp_ne" Binary Bool Pure;
            IcmpUgt "icmp_ugt" Binary Bool Pure;
            IcmpUge "icmp_uge" Binary Bool Pure;
            IcmpUlt "icmp_ult" Binary Bool Pure;
            IcmpUle "icmp_ule" Binary Bool Pure;
            IcmpSgt "icmp_sgt" Binary Bool Pure;
            IcmpSge "icmp_sge" Binary Bool Pure;
            IcmpSlt "icmp_slt" Binary Bool Pure;
            IcmpSle "icmp_sle" Binary Bool Pure;

            // Floating-point arithmetic. Flags: fast-math.
            Fadd "fadd" Binary Ty Pure;
            Fsub "fsub" Binary Ty Pure;
            Fmul "fmul" Binary Ty Pure;
            Fdiv "fdiv" Binary Ty Pure;
            Frem "frem" Binary Ty Pure;
            Fneg "fneg" Unary Ty Pure;
            Fabs "fabs" Unary Ty Pure;
            Fsqrt "fsqrt" Unary Ty Pure;
            Ffloor "ffloor" Unary Ty Pure;
            Fceil "fceil" Unary Ty Pure;
            Ftrunc "ftrunc" Unary Ty Pure;
            Frint "frint" Unary Ty Pure;
            Fnearbyint "fnearbyint" Unary Ty Pure;
            Fround "fround" Unary Ty Pure;
            Froundeven "froundeven" Unary Ty Pure;
            Fcopysign "fcopysign" Binary Ty Pure;
            // `minnum`, `maxnum`: a NaN operand gives the other; `minimum`, `maximum`: it gives NaN.
            Fminnum "fminnum" Binary Ty Pure;
            Fmaxnum "fmaxnum" Binary Ty Pure;
            Fminimum "fminimum" Binary Ty Pure;
            Fmaximum "fmaximum" Binary Ty Pure;
            // Fused, rounded once.
            Fma "fma" Ternary Ty Pure;
            // Fused or not, as is faster.
            Fmuladd "fmuladd" Ternary Ty Pure;
            // Operand b is the immediate class mask of LLVM's `is.fpclass`; the instruction's type is that of a.
            IsFpclass "is_fpclass" Binary Bool Pure;

            // Floating-point comparisons; the instruction's type is that of the operands.
            FcmpFalse "fcmp_false" Binary Bool Pure;
            FcmpOeq "fcmp_oeq" Binary Bool Pure;
            FcmpOgt "fcmp_ogt" Binary Bool Pure;
            FcmpOge "fcmp_oge" Binary Bool Pure;
            FcmpOlt "fcmp_olt" Binary Bool Pure;
            FcmpOle "fcmp_ole" Binary Bool Pure;
            FcmpOne "fcmp_one" Binary Bool Pure;
            FcmpOrd "fcmp_ord" Binary Bool Pure;
            FcmpUno "fcmp_uno" Binary Bool Pure;
            FcmpUeq "fcmp_ueq" Binary Bool Pure;
            FcmpUgt "fcmp_ugt" Binary Bool Pure;
            FcmpUge "fcmp_uge" Binary Bool Pure;
            FcmpUlt "fcmp_ult" Binary Bool Pure;
            FcmpUle "fcmp_ule" Binary Bool Pure;
            FcmpUne "fcmp_une" Binary Bool Pure;
            FcmpTrue "fcmp_true" Binary Bool Pure;
            // Three-way: -1, 0 or 1 of the instruction's type; the operands have the type of operand a,
            // which is therefore never an untyped immediate.
            Scmp "scmp" Binary Ty Pure;
            Ucmp "ucmp" Binary Ty Pure;

            // Casts: the instruction's type is the result's; the operand is never an untyped immediate.
            Trunc "trunc" Unary Ty Pure;
            Zext "zext" Unary Ty Pure;
            Sext "sext" Unary Ty Pure;
            Fptoui "fptoui" Unary Ty Pure;
            Fptosi "fptosi" Unary Ty Pure;
            FptouiSat "fptoui_sat" Unary Ty Pure;
            FptosiSat "fptosi_sat" Unary Ty Pure;
            // In the environment's rounding mode; a number out of range gives any.
            Lrint "lrint" Unary Ty Pure;
            Uitofp "uitofp" Unary Ty Pure;
            Sitofp "sitofp" Unary Ty Pure;
            Fptrunc "fptrunc" Unary Ty Pure;
            Fpext "fpext" Unary Ty Pure;
            Ptrtoint "ptrtoint" Unary Ty Pure;
            Inttoptr "inttoptr" Unary Ty Pure;
            Bitcast "bitcast" Unary Ty Pure;
            Addrspacecast "addrspacecast" Unary Ty Pure;

            // Floating-point operations whose environment matters; which one is in the flags, see [`crate::strict`].
            // The operands and the type are those of the plain operation.
            StrictUnary "strict_unary" Unary Ty Any;
            StrictBinary "strict_binary" Binary Ty Any;
            StrictTernary "strict_ternary" Ternary Ty Any;
            StrictCompare "strict_compare" Binary Bool Any;

            // Addresses. `ptr_add`: a plus b bytes; b is an integer of pointer width.
            PtrAdd "ptr_add" Binary Ty Pure;
            // a plus b times the scale in the flags; b is an integer of pointer width.
            PtrIndex "ptr_index" Binary Ty Pure;
            // The address of a thread-local symbol (operand a) in this thread.
            TlsAddr "tls_addr" Unary Ptr Pure;

            // Memory. Flags: see `MemFlags`. The pointer is the last operand of a store.
            Load "load" Unary Ty Read;
            Store "store" Binary None Write;
            AtomicLoad "atomic_load" Unary Ty Any;
            AtomicStore "atomic_store" Binary None Any;
            // Operand a is the pointer, b the value; the operation is in the flags.
            AtomicRmw "atomic_rmw" Binary Ty Any;
            // Pointer, expected, new. Results: the old value, and whether it was exchanged.
            // Flag ordering is the success ordering combined with the failure ordering.
            Cmpxchg "cmpxchg" Ternary TyAndBool Any;
            Fence "fence" Nullary None Any;
            // Destination, source, length in bytes (an integer of the instruction's type).
            MemCopy "mem_copy" Ternary None Write;
            MemMove "mem_move" Ternary None Write;
            // Destination, byte, length in bytes.
            MemSet "mem_set" Ternary None Write;
            // Operand a is the address; flags: bit 0 write, bits 1-2 locality, bit 3 data (not instruction) cache.
            Prefetch "prefetch" Unary None Any;
            // Operand a is the size in bytes, an integer of pointer width; alignment in the flags.
            StackAlloc "stack_alloc" Unary Ptr Any;
            StackSave "stack_save" Nullary Ptr Any;
            StackRestore "stack_restore" Unary None Any;

            // Vectors.
            ExtractElement "extract_element" Binary Element Pure;
            // Vector, element, index.
            InsertElement "insert_element" Ternary Ty Pure;
            // First vector, second vector, mask: a constant vector of i32, poison for any.
            // The type of operand a is the source type.
            Shuffle "shuffle" Ternary Ty Pure;
            // Reductions; the instruction's type is the element's.
            ReduceAdd "reduce_add" Unary Ty Pure;
            ReduceMul "reduce_mul" Unary Ty Pure;
            ReduceAnd "reduce_and" Unary Ty Pure;
            ReduceOr "reduce_or" Unary Ty Pure;
            ReduceXor "reduce_xor" Unary Ty Pure;
            ReduceSmin "reduce_smin" Unary Ty Pure;
            ReduceSmax "reduce_smax" Unary Ty Pure;
            ReduceUmin "reduce_umin" Unary Ty Pure;
            ReduceUmax "reduce_umax" Unary Ty Pure;
            ReduceFmin "reduce_fmin" Unary Ty Pure;
            ReduceFmax "reduce_fmax" Unary Ty Pure;
            // Start value, vector.
            ReduceFadd "reduce_fadd" Binary Ty Pure;
            ReduceFmul "reduce_fmul" Binary Ty Pure;

            // Calls and what belongs to frames.
            Call "call" Call Signature Any;
            // A hook of a tool, a symbol, is called at this place, and nothing is returned (contract 15).
            HookCall "hook_call" Call None Hook;
            // The same where the hook looks at the program's memory.
            ReadingHookCall "reading_hook_call" Call None Any;
            VaStart "va_start" Unary None Any;
            VaCopy "va_copy" Binary None Any;
            // Operand a is the immediate level.
            FrameAddress "frame_address" Unary Ptr Any;
            ReturnAddress "return_address" Unary Ptr Any;
            AddressOfReturnAddress "address_of_return_address" Nullary Ptr Any;
            ThreadPointer "thread_pointer" Nullary Ptr Pure;
            ReadCycleCounter "read_cycle_counter" Nullary Ty Any;
            EhTypeidFor "eh_typeid_for" Unary Ty Pure;
            LandingPad "landing_pad" LandingPad PtrAndI32 Any;
            // Notes in the second word of a buffer where `sjlj_longjmp` goes on, and gives 0; then gives 1. The first
            // and third word, the frame and stack pointers, are the program's business.
            SjljSetjmp "sjlj_setjmp" Unary Ty Any;
            SjljLongjmp "sjlj_longjmp" Unary None Any;
            Trap "trap" Nullary None Any;
            Debugtrap "debugtrap" Nullary None Any;

            // Accesses through pointers into address spaces other than 0, which may mean other memory altogether: as
            // the operations without `space`, with the ordering in the flags if they are atomic.
            SpaceLoad "space_load" Unary Ty Any;
            SpaceStore "space_store" Binary None Any;
            SpaceRmw "space_rmw" Binary Ty Any;
            SpaceCmpxchg "space_cmpxchg" Ternary TyAndBool Any;
            // Either side may be in address space 0; the ranges may overlap.
            SpaceCopy "space_copy" Ternary None Any;
            SpaceSet "space_set" Ternary None Any;

            // Terminators.
            Jump "jump" Jump None Control;
            Branch "branch" Branch None Control;
            Switch "switch" Switch None Control;
            // Returns the listed values, one for each of the signature's.
            Return "return" List None Control;
            Invoke "invoke" Invoke Signature Control;
            // The exception pointer and selector.
            Resume "resume" Binary None Control;
            IndirectJump "indirect_jump" IndirectJump None Control;
            Unreachable "unreachable" Nullary None Control;
        }
    };
}

macro_rules! define_opcodes {
    ($($variant:ident $name:literal $format:ident $results:ident $effects:ident;)*) => {
        /// An operation of the IR. The table `for_each_opcode!` says what each does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Opcode {
            $($variant,)*
        }

        /// Every opcode, in the order of the table.
        pub const ALL: &[Opcode] = &[$(Opcode::$variant,)*];

        const NAMES: &[&str] = &[$($name,)*];

        /// Read for every instruction again and again, so apart from the names.
        const ROWS: &[Row] = &[
            $(Row { format: Format::$format, results: Results::$results, effects: Effects::$effects },)*
        ];
    };
}

#[repr(align(4))]
struct Row {
    format: Format,
    results: Results,
    effects: Effects,
}

for_each_opcode!(define_opcodes);

impl Opcode {
    /// How many there are; their numbers begin at 0.
    pub const COUNT: usize = ALL.len();

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// How its operands are laid out.
    #[inline]
    pub const fn format(self) -> Format {
        ROWS[self as usize].format
    }

    /// Which values it defines.
    #[inline]
    pub const fn results(self) -> Results {
        ROWS[self as usize].results
    }

    /// What it does besides computing.
    #[inline]
    pub const fn effects(self) -> Effects {
        ROWS[self as usize].effects
    }

    /// Whether it ends a block.
    #[inline]
    pub fn is_terminator(self) -> bool {
        self.effects() == Effects::Control
    }

    /// Whether it may be removed when nothing uses its results (volatile loads excepted).
    #[inline]
    pub fn is_removable(self) -> bool {
        matches!(self.effects(), Effects::Pure | Effects::Trap | Effects::Read)
    }

    /// Whether it calls a hook of a tool.
    #[inline]
    pub fn is_hook_call(self) -> bool {
        matches!(self, Opcode::HookCall | Opcode::ReadingHookCall)
    }

    /// The opcode with this name.
    pub fn from_name(name: &str) -> Option<Opcode> {
        ALL.iter().copied().find(|opcode| opcode.name() == name)
    }

    /// Whether its two operands may change places; of two NaNs, then another one may be the result's.
    #[inline]
    pub fn is_commutative(self) -> bool {
        use Opcode::{Add, And, Fadd, Fmul, Mul, Or, SaddSat, Smax, Smin, UaddSat, Umax, Umin, Xor};
        matches!(
            self,
            Add | And | Fadd | Fmul | Mul | Or | SaddSat | Smax | Smin | UaddSat | Umax | Umin | Xor
        )
    }

    /// Whether its second result says that the first one overflowed.
    #[inline]
    pub fn is_overflow(self) -> bool {
        (Opcode::UaddOverflow as u8..=Opcode::SmulOverflow as u8).contains(&(self as u8))
    }

    /// Whether it is an integer comparison.
    #[inline]
    pub fn is_icmp(self) -> bool {
        (Opcode::IcmpEq as u8..=Opcode::IcmpSle as u8).contains(&(self as u8))
    }

    /// Whether it is a floating-point comparison.
    #[inline]
    pub fn is_fcmp(self) -> bool {
        (Opcode::FcmpFalse as u8..=Opcode::FcmpTrue as u8).contains(&(self as u8))
    }
}
