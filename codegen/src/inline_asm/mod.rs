//! Inline assembly: texts with operands that the allocators give registers (contract 13).
//!
//! Life of one: [`crate::select`] reads its constraints, brings operands to registers and memory, and leaves a group
//! in the machine function: an instruction for each operand in a register or memory ([`crate::mfunc::pseudo`]), and
//! one for the text with the registers that it overwrites. When all registers are physical, [`crate::finish`] puts
//! operands into the template. What the target can encode by its own table is encoded at once; any other text is
//! kept in the [`crate::CodeBuffer`], for an assembler to read. When that has read all texts of a module, the function
//! is compiled once more, with what became of its texts ([`AsmCode`]).
//!
//! Intrinsics of the target that only stand for instructions are texts, too ([`AsmRules::intrinsic`]).
//!
//! What constraint letters, register names and modifiers mean, a target says ([`AsmRules`]).

pub(crate) mod assembled;
pub(crate) mod constraints;
pub(crate) mod template;
pub(crate) mod text;

pub use assembled::{AsmCode, AsmReloc, AsmTarget, Splice};
pub use text::{AsmPiece, AsmText};

use crate::error::CodegenError;
use crate::features::FeatureSet;
use crate::minst::{MInst, Mem};
use crate::reference::Label;
use crate::reg::{PRegSet, Reg, RegClass};
use frazil_ir::{AsmData, Refusal, SymbolId, Type};

/// What a constraint letter lets an operand be.
#[derive(Clone, Copy, Debug)]
pub enum AsmClass {
    /// A register of a class; one of these, unless the set is empty.
    Register(RegClass, PRegSet),
    /// Two registers with the low and the high half of an integer.
    Pair(Reg, Reg),
    /// Any place of the register stack ([`AsmStack`]).
    Stack,
    Memory,
    /// An address, not what stands there.
    Address,
    /// A constant.
    Immediate {
        /// Which integers.
        accepts: fn(i64) -> bool,
        /// Whether the numbers that are asked for are those without sign. Written are those with it.
        is_unsigned: bool,
        /// Whether addresses of symbols are taken, too.
        symbols: bool,
    },
    /// A symbol's address.
    Symbol,
    /// A side register ([`AsmSide`]) of this bank with a number of the set.
    Side(u8, u32),
    /// Any register, memory, or a number that instructions hold.
    Any,
    /// Anything, also addresses and numbers of any size.
    Everything,
    /// Known, but not compiled: a name for the message.
    Unsupported(&'static str),
}

/// A register that values are in around texts only, since no allocator gives it to them: operands come from the frame
/// right before the text, and go there after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsmSide {
    /// Which kind, by a number of the target's.
    pub bank: u8,
    pub number: u8,
}

/// Where an operand of a text is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AsmPlace {
    Register(Reg),
    /// On the register stack, so many places below its top.
    Stack(u8),
    /// In a side register.
    Side(AsmSide),
    Memory(Mem),
    Immediate(i64),
    /// The address of a symbol and a distance from there.
    Symbol(SymbolId, i64),
    /// A block of the function.
    Label(Label),
    /// Nowhere that can be named.
    Nowhere,
}

/// An operand of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AsmOperand {
    pub place: AsmPlace,
    /// Its width in bytes.
    pub bytes: u8,
    /// Whether the text writes it.
    pub is_output: bool,
}

/// A text in a function.
#[derive(Clone, Debug, PartialEq)]
pub struct AsmSite {
    /// Template, constraints and flags.
    pub data: AsmData,
    /// The operands in the order of their numbers; those in registers are named by the instructions of the group.
    pub operands: Vec<AsmOperand>,
}

/// What a target knows of inline assembly.
pub trait AsmRules: Sync {
    /// What a constraint letter means; `None` if the target does not have it.
    fn class(&self, letter: &str) -> Option<AsmClass>;
    /// The register with a name in any of its widths.
    fn register(&self, name: &str) -> Option<Reg>;
    /// The register that a clobber says is overwritten, if it is one that values may have, or a part of one.
    fn overwritten(&self, name: &str) -> Option<Reg>;
    /// The side register with a name.
    fn side(&self, name: &str) -> Option<AsmSide>;
    /// The register that a side register is a part of.
    fn whole_of_side(&self, side: AsmSide) -> Option<Reg>;
    /// Whether values of a type, which take so many bytes in one register, can be in side registers of a bank, with the
    /// features of the function.
    ///
    /// # Errors
    /// Why not.
    fn side_holds(&self, bank: u8, ty: Type, bytes: u8, features: FeatureSet) -> Result<(), &'static str>;
    /// Writes the instruction that loads a side register from the frame, or stores it there.
    ///
    /// # Errors
    /// Why the memory cannot be written.
    fn move_side(
        &self,
        side: AsmSide,
        bytes: u8,
        mem: Mem,
        is_store: bool,
        is_intel: bool,
        out: &mut AsmText,
    ) -> Result<(), String>;
    /// How texts use the registers that form a stack; `None` if the target has none.
    fn stack(&self) -> Option<&'static dyn AsmStack>;
    /// The condition that a flag output names, as it stands in braces.
    fn condition(&self, name: &str) -> Option<u8>;
    /// Puts a condition as 0 or 1 into the lowest byte of a register.
    fn set_condition(&self, condition: u8, dst: Reg) -> MInst;
    /// Whether memory is a register alone, without displacement or index.
    fn has_bare_memory(&self) -> bool {
        false
    }
    /// Whether memory can be written in a text; if not, its address is brought to a register.
    fn can_name(&self, _mem: Mem) -> bool {
        true
    }
    /// Writes an operand as it stands in the text.
    ///
    /// # Errors
    /// What the modifier is missing, or why the operand cannot be written.
    fn print_operand(
        &self,
        operand: &AsmOperand,
        modifier: Option<&str>,
        is_intel: bool,
        out: &mut AsmText,
    ) -> Result<(), String>;
    /// What an intrinsic of the target does, as a text whose operands are the results and arguments of the call; `None`
    /// if it is none, or has a rule of its own.
    fn intrinsic(&self, name: &str) -> Option<AsmData>;
    /// What begins a comment.
    fn comment(&self) -> &'static str;
    /// What writes filler that does nothing.
    fn filler(&self) -> fn(&mut [u8]);
    /// The instructions of a text, if the target's table has all of them.
    fn assemble(&self, text: &str, is_intel: bool) -> Option<Vec<AsmLine>>;
}

/// The registers of [`crate::desc::RegisterStack`], which are empty between instructions: operands are pushed before a
/// text and popped after it.
pub trait AsmStack: Sync {
    /// How far below the top the register with a name is.
    fn depth(&self, name: &str) -> Option<u8>;
    /// Whether values of a type can be there.
    fn holds(&self, ty: Type) -> bool;
    /// Pushes a number of so many bytes.
    fn push(&self, bytes: u8, mem: Mem) -> MInst;
    /// Pops a number to so many bytes.
    fn pop(&self, bytes: u8, mem: Mem) -> MInst;
    /// Pops a number that nothing needs.
    fn drop_top(&self) -> MInst;
}

/// What a line of a text is.
#[derive(Clone, Debug, PartialEq)]
pub enum AsmLine {
    Inst(MInst),
    /// Filler up to a power of two.
    Align(u8),
    Bytes(Vec<u8>),
}

/// Bits of [`AsmData::flags`].
pub mod flag {
    pub(crate) const ALIGN_STACK: u8 = 2;
    pub(crate) const INTEL: u8 = 4;
    pub(crate) const MAY_UNWIND: u8 = 8;
    /// The function has a frame pointer, whose old value is in the frame. Only [intrinsics](super::AsmRules::intrinsic)
    /// say so.
    pub const KEEPS_FRAME_POINTER: u8 = 16;
}

/// A refusal of something that a text or its constraints say.
pub(crate) fn wrong(what: impl std::fmt::Display) -> CodegenError {
    CodegenError::unsupported(Refusal::InlineAssembly, format!("inline assembly: {what}"))
}
