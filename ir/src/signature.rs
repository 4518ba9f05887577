//! Signatures: what a function takes and returns, with the attributes that change how values are passed.
//!
//! Aggregates are already split: each parameter and each return value is one scalar or vector.

use crate::types::Type;

/// How a narrow integer is widened when passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extension {
    /// Upper bits are unspecified.
    #[default]
    None,
    /// Zero-extended.
    Zero,
    /// Sign-extended.
    Sign,
}

/// What is special about a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ParamKind {
    #[default]
    Normal,
    /// A pointer to memory that the caller copies to the stack.
    ByVal {
        /// Size in bytes.
        size: u32,
        /// Alignment as log2 of bytes.
        align_log2: u8,
    },
    /// A pointer to memory for the result; ABIs may want it returned.
    StructReturn,
    /// The static chain.
    Nest,
    /// Swift's self register.
    SwiftSelf,
    /// Swift's error register.
    SwiftError,
    /// Swift's asynchronous context register.
    SwiftAsync,
    /// Windows' argument memory.
    InAlloca,
    /// Memory passed by the caller without a copy.
    Preallocated,
}

/// A parameter or return value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Param {
    pub ty: Type,
    /// How it is widened.
    pub extension: Extension,
    /// Whether `inreg` was asked for.
    pub in_reg: bool,
    /// What is special about it.
    pub kind: ParamKind,
    /// Of the first of parameters that are the elements of one array: how many these are, from two on; 0 elsewhere. The
    /// elements have one type. Only on platforms that [pass them together](crate::Platform::passes_arrays_whole).
    pub array: u8,
    /// Whether it is the first word of several that LLVM makes of an integer of more than 128 bits, or of lanes that
    /// are integers of 128 bits. Some conventions begin these at an even register (`ISD::ArgFlagsTy::isSplit`). Where
    /// integers of 128 bits are words, too: whether it is the first of the two of an argument that is such an integer
    /// (`functionArgumentNeedsConsecutiveRegisters`), or the last word of an integer, if it has no more than 16 bits:
    /// LLVM has one of 32 bits there.
    pub is_split: bool,
}

impl Param {
    /// The largest number of [`Param::array`]; longer arrays have this one, which no convention has the registers for.
    pub const MAX_ARRAY: usize = u8::MAX as usize;

    /// A plain parameter of a type.
    pub fn plain(ty: Type) -> Param {
        Param { ty, ..Param::default() }
    }
}

/// A calling convention by LLVM's number (`llvm/IR/CallingConv.h`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallConv(pub u16);

impl CallConv {
    /// The target's C convention.
    pub const C: CallConv = CallConv(0);
    /// LLVM's internal fast convention.
    pub const FAST: CallConv = CallConv(8);
    /// For calls that are rarely taken.
    pub const COLD: CallConv = CallConv(9);

    /// LLVM's words for the conventions that have one and could be met on the targets here, by number.
    pub const NAMES: &'static [(u16, &'static str)] = &[
        (8, "fastcc"),
        (9, "coldcc"),
        (10, "ghccc"),
        (13, "anyregcc"),
        (14, "preserve_mostcc"),
        (15, "preserve_allcc"),
        (16, "swiftcc"),
        (17, "cxx_fast_tlscc"),
        (18, "tailcc"),
        (20, "swifttailcc"),
        (21, "preserve_nonecc"),
        (64, "x86_stdcallcc"),
        (65, "x86_fastcallcc"),
        (70, "x86_thiscallcc"),
        (78, "x86_64_sysvcc"),
        (79, "win64cc"),
        (80, "x86_vectorcallcc"),
        (81, "hhvmcc"),
        (83, "x86_intrcc"),
        (92, "x86_regcallcc"),
    ];
}

impl std::fmt::Display for CallConv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match CallConv::NAMES.iter().find(|row| row.0 == self.0) {
            Some((_, word)) => f.write_str(word),
            None => write!(f, "cc {}", self.0),
        }
    }
}

/// Registers of the target by its own numbers: 64 in each of two banks. Nothing here knows what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RegisterSet(pub [u64; 2]);

/// What a function takes and returns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Parameters; for a call of a variadic function also the variable arguments.
    pub params: Vec<Param>,
    /// Return values.
    pub returns: Vec<Param>,
    pub call_conv: CallConv,
    /// Whether more arguments than `fixed_params` may follow.
    pub variadic: bool,
    /// Number of parameters before the variable ones; all of them when not variadic.
    pub fixed_params: u32,
    /// Of the call of a function that is known: which registers it keeps besides those of its convention (contract 23).
    pub keeps: Option<Box<RegisterSet>>,
}
