//! What branches, switches and calls are made of, as data that shared code and targets hand to each other.

use crate::minst::MInst;
use crate::reference::{Label, Ref};
use crate::reg::Reg;
use frazil_ir::SymbolId;

/// A branch on `first`, or on `first` combined with `second`. Labels are filled in by shared code.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// A conditional branch instruction.
    pub first: MInst,
    /// Another one, and how they combine.
    pub second: Option<(Join, MInst)>,
}

/// How two conditions make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Both must hold.
    And,
    /// One must hold.
    Or,
}

/// A comparison of a switch value with a case value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseTest {
    Equal,
    /// Unsigned less than.
    Below,
}

/// A switch value in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchValue {
    /// The value, or its low part.
    pub low: Reg,
    /// The part above, or [`Reg::NONE`] when there is none.
    pub high: Reg,
    /// How many bytes of a register are the value, zero-extended; what lies above them may be anything.
    pub bytes: u8,
}

/// A table of labels for the consecutive values from `low` to `low + span`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseTable {
    /// The value of the first entry.
    pub low: u64,
    /// How far above it the last one is.
    pub span: u64,
    /// Where it is: a table in data, or a label in the code.
    pub place: Ref,
    /// Where other values go; `None` if there are none.
    pub default: Option<Label>,
}

/// What targets do that mark the places to which indirect branches may lead.
#[derive(Clone, Copy, Debug)]
pub struct BranchMarks {
    /// What stands where a function is entered.
    pub entry: MInst,
    /// What stands at such places within functions.
    pub mark: MInst,
    /// Whether jumps by tables lead to such places, too; there are none then in functions with marks.
    pub marks_tables: bool,
    /// A call of the address in a register where no mark has to be.
    pub call_unmarked: fn(Reg) -> MInst,
}

/// What a call goes to.
#[derive(Clone, Copy, Debug)]
pub enum CallTarget {
    Symbol(SymbolId),
    /// The address in a register.
    Reg(Reg),
}
