//! What readers must know of a platform: of the processor, its calling conventions and its C library.
//!
//! Front ends leave some of it to whoever reads their output (how `va_arg` finds an argument, which register a name
//! means), and have compiled some of it in (how large an environment is that a library function saves). All of it is
//! data. A target crate has one [`Platform`] for each of its targets, and drivers hand it to readers, so that neither
//! knows the other.
//!
//! What code generation needs of a target is not here, and what passes ask for is [`crate::pass::TargetFacts`].

use crate::module::GuardPlace;
use crate::opcode::Opcode;
use crate::signature::CallConv;
use crate::types::TypeData;

/// Bits of the widest integers that are single values on any machine.
pub const WIDEST_INTEGER_BITS: u32 = 128;

/// The facts of one platform.
#[derive(Debug)]
pub struct Platform {
    /// The data layout of modules that have none, as LLVM writes it.
    pub data_layout: &'static str,
    /// Wider integers become words of 64 bits when they are read: [`WIDEST_INTEGER_BITS`], or 64 where that takes two
    /// registers.
    pub widest_integer_bits: u32,
    /// Integers whose alignment layouts lacked once: width in bits, alignment as log2 of bytes.
    pub added_integer_aligns: &'static [(u32, u8)],
    /// Whether the elements of an array that is an argument are in registers all or none, so that signatures say which
    /// parameters these are.
    pub passes_arrays_whole: bool,
    /// Lists of variable arguments; `None` if `va_arg` is to be refused.
    pub variadic: Option<VariadicFacts>,
    /// Registers that programs may read and write by their names.
    pub named_registers: &'static [NamedRegister],
    /// Registers that modules name as the way to the value that guards frames, and where that is then.
    pub guard_registers: &'static [(&'static str, GuardPlace)],
    /// Letters of constraints of inline assembly that memory satisfies, besides those that all machines have.
    pub memory_letters: &'static str,
    /// What the C library saves of the floating-point environment, if it can.
    pub float_environment: Option<FloatEnvironment>,
    /// Intrinsics of this target that LLVM has given up for an instruction that every target has, without `llvm.` in
    /// front.
    pub former_intrinsics: &'static [(&'static str, Opcode)],
}

impl VariadicFacts {
    /// The lists of functions of a convention.
    pub fn list_of(&self, convention: CallConv) -> ArgumentList {
        let own = self.lists_of_conventions.iter().find(|row| row.0 == convention);
        own.map_or(self.list, |&(_, _, list)| list)
    }
}

impl Platform {
    /// What an intrinsic of this target is called now, if LLVM has given it up.
    pub fn former_intrinsic(&self, name: &str) -> Option<Opcode> {
        let row = self.former_intrinsics.iter().find(|row| row.0 == name);
        row.map(|&(_, op)| op)
    }
}

/// How functions find their variable arguments.
#[derive(Clone, Copy, Debug)]
pub struct VariadicFacts {
    /// The width of pointers in lists. For pointers of another width lists are not known.
    pub pointer_bits: u32,
    /// The lists of functions of most conventions.
    pub list: ArgumentList,
    /// Conventions whose functions have other lists, with a name for messages.
    pub lists_of_conventions: &'static [(CallConv, &'static str, ArgumentList)],
}

/// A list of variable arguments.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentList {
    pub form: ListForm,
    /// Its size in bytes.
    pub bytes: u64,
    /// How an argument of a type is passed, and the element's for a vector; `None` if a list cannot follow that.
    pub passing: fn(TypeData, Option<TypeData>) -> Option<Passing>,
}

/// What is in a list of variable arguments.
#[derive(Clone, Copy, Debug)]
pub enum ListForm {
    /// The list is the address of the next argument.
    NextArgument,
    /// Arguments that came in registers are in an area that the function has saved them in, the others are where its
    /// caller has put them. Both addresses are in the list at these distances in bytes.
    SaveArea {
        /// Of the address of the next argument that the caller has put into memory.
        next_in_memory: i64,
        /// Of the address of the area.
        area: i64,
        /// All kinds of registers in the area.
        registers: &'static [SavedRegisters],
    },
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug)]
pub struct Passing {
    /// The registers; `None` for what is passed in memory only.
    pub registers: Option<SavedRegisters>,
    /// What it takes, in the area and in memory, in bytes.
    pub bytes: i64,
    /// Its alignment in memory, in bytes.
    pub align: i64,
}

/// Registers of one kind in the area that they are saved in.
#[derive(Clone, Copy, Debug)]
pub struct SavedRegisters {
    /// Where a list has the distance of the next one from the start of the area, as 32 bits; in bytes.
    pub next_offset: i64,
    /// What one takes in the area, in bytes.
    pub bytes: i64,
    /// Where they begin in the area, in bytes.
    pub start: i64,
    /// Where they end in the area, in bytes.
    pub end: i64,
}

/// A register that a program may name.
#[derive(Clone, Copy, Debug)]
pub struct NamedRegister {
    /// Its name in metadata.
    pub name: &'static str,
    /// Its width.
    pub bits: u32,
    /// It is the frame pointer, and something else in functions without one.
    pub is_frame_pointer: bool,
    /// Inline assembly that moves it into a register, operand 0.
    pub read: &'static str,
    /// Inline assembly that moves a register, operand 0, into it.
    pub write: &'static str,
}

/// What the C library's functions save and restore.
#[derive(Clone, Copy, Debug)]
pub struct FloatEnvironment {
    /// Size of all of it (`fenv_t`), a multiple of eight.
    pub environment_bytes: u64,
    /// Size of the modes alone (`femode_t`), at most eight.
    pub modes_bytes: u64,
    /// The address that stands for the default of either (`FE_DFL_ENV`, `FE_DFL_MODE`).
    pub default_address: i64,
}
