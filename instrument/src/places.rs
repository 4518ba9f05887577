//! Where hooks can be called, and what is known at each of these places: two tables.
//!
//! [`Kind`] is the word after `at` in a tool file, [`Datum`] a word among `args`. The table [`AVAILABLE`] says which
//! goes with which, and whether a datum is known before or only after the instruction.

use frazil_ir::Opcode;

/// A kind of place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    FunctionEntry,
    FunctionExit,
    Block,
    Edge,
    LoopEntry,
    LoopIteration,
    /// Where a block comes to another line of the source.
    Line,
    Instruction,
    Load,
    Store,
    Atomic,
    Copy,
    Call,
    IndirectCall,
    Return,
    Branch,
    Switch,
    StackAllocation,
}

/// Every kind with its word in tool files, in the order of their numbers.
pub const KINDS: &[(&str, Kind)] = &[
    ("function-entry", Kind::FunctionEntry),
    ("function-exit", Kind::FunctionExit),
    ("block", Kind::Block),
    ("edge", Kind::Edge),
    ("loop-entry", Kind::LoopEntry),
    ("loop-iteration", Kind::LoopIteration),
    ("line", Kind::Line),
    ("instruction", Kind::Instruction),
    ("load", Kind::Load),
    ("store", Kind::Store),
    ("atomic", Kind::Atomic),
    ("copy", Kind::Copy),
    ("call", Kind::Call),
    ("indirect-call", Kind::IndirectCall),
    ("return", Kind::Return),
    ("branch", Kind::Branch),
    ("switch", Kind::Switch),
    ("stack-allocation", Kind::StackAllocation),
];

impl Kind {
    /// The kind that tool files call so.
    pub fn from_word(word: &str) -> Option<Kind> {
        KINDS.iter().find(|row| row.0 == word).map(|row| row.1)
    }

    /// Its word in tool files.
    pub fn word(self) -> &'static str {
        KINDS.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }

    /// Whether it is a single instruction, with a before and an after.
    pub fn is_instruction(self) -> bool {
        self >= Kind::Instruction
    }

    /// Whether it is an instruction that ends a block, so that nothing comes after it.
    pub fn is_terminator(self) -> bool {
        matches!(self, Kind::Return | Kind::Branch | Kind::Switch)
    }

    /// Whether an instruction with this opcode may be such a place.
    pub fn takes(self, op: Opcode) -> bool {
        use Opcode as O;
        match self {
            Kind::Instruction => !matches!(op, O::Phi | O::Nop) && !op.is_hook_call(),
            Kind::Load => matches!(op, O::Load | O::AtomicLoad | O::SpaceLoad),
            Kind::Store => matches!(op, O::Store | O::AtomicStore | O::SpaceStore),
            Kind::Atomic => matches!(
                op,
                O::AtomicLoad | O::AtomicStore | O::AtomicRmw | O::Cmpxchg | O::Fence | O::SpaceRmw | O::SpaceCmpxchg
            ),
            Kind::Copy => matches!(op, O::MemCopy | O::MemMove | O::MemSet | O::SpaceCopy | O::SpaceSet),
            Kind::Call | Kind::IndirectCall => matches!(op, O::Call | O::Invoke),
            Kind::Return => op == O::Return,
            Kind::Branch => op == O::Branch,
            Kind::Switch => op == O::Switch,
            Kind::StackAllocation => op == O::StackAlloc,
            _ => false,
        }
    }
}

/// What a hook can be told of its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Datum {
    /// The number of the function in its module.
    Function,
    /// The function's name, a text.
    FunctionName,
    /// The number of the place among those of the same `[[insert]]` in the function.
    Site,
    /// The address of a number for this place alone, an integer of 64 bits that is zero at first.
    Counter,
    /// The address of a record that says what and where the place is.
    Record,
    /// The line in the source; 0 if it is not known.
    Line,
    /// The name of the source file, a text; empty if it is not known.
    File,
    /// The number of the block in its function.
    Block,
    /// How many instructions the block has.
    Instructions,
    /// The block that an edge comes from.
    From,
    /// The block that an edge leads to.
    To,
    /// The number of the operation.
    Opcode,
    /// Its name, a text.
    OpcodeName,
    /// Bytes that are accessed or allocated.
    Size,
    /// The alignment in bytes that the program promises.
    Alignment,
    Address,
    /// Where a copy is from.
    Source,
    /// How many bytes a copy has.
    Length,
    /// The bits of the type of an instruction.
    Bits,
    /// What is loaded, stored, returned or switched on.
    Value,
    /// Whether a branch goes to its first target.
    Condition,
    /// The address of the function that is called.
    Callee,
    /// How many arguments a call has.
    ArgumentCount,
    /// What a call gives.
    Result,
    /// The operand with this number of an operation on integers or floats.
    Operand(u32),
    /// The argument with this number of a call, or of the function that is entered.
    Argument(u32),
}

/// Every datum but arguments, with its word in tool files.
pub const DATA: &[(&str, Datum)] = &[
    ("function", Datum::Function),
    ("function-name", Datum::FunctionName),
    ("site", Datum::Site),
    ("counter", Datum::Counter),
    ("record", Datum::Record),
    ("line", Datum::Line),
    ("file", Datum::File),
    ("block", Datum::Block),
    ("instructions", Datum::Instructions),
    ("from", Datum::From),
    ("to", Datum::To),
    ("opcode", Datum::Opcode),
    ("opcode-name", Datum::OpcodeName),
    ("size", Datum::Size),
    ("alignment", Datum::Alignment),
    ("address", Datum::Address),
    ("source", Datum::Source),
    ("length", Datum::Length),
    ("bits", Datum::Bits),
    ("value", Datum::Value),
    ("condition", Datum::Condition),
    ("callee", Datum::Callee),
    ("argument-count", Datum::ArgumentCount),
    ("result", Datum::Result),
];

/// What a datum is made of, and so what a hook's parameter for it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// A number that is known when the program is compiled.
    Number,
    /// A text: a pointer to bytes that end with a zero.
    Text,
    /// A pointer to something that the object has for the place.
    Own,
    /// An address in the program.
    Pointer,
    /// A value of the program, of any type.
    Program,
}

impl Datum {
    /// The datum that tool files call so.
    pub fn from_word(word: &str) -> Option<Datum> {
        if let Some(number) = word.strip_prefix("argument-").and_then(|rest| rest.parse().ok()) {
            return Some(Datum::Argument(number));
        }
        if let Some(number) = word.strip_prefix("operand-").and_then(|rest| rest.parse().ok()) {
            return Some(Datum::Operand(number));
        }
        DATA.iter().find(|row| row.0 == word).map(|row| row.1)
    }

    /// Its word in tool files.
    pub fn word(self) -> String {
        match self {
            Datum::Argument(number) => format!("argument-{number}"),
            Datum::Operand(number) => format!("operand-{number}"),
            _ => DATA.iter().find(|row| row.1 == self).map_or("", |row| row.0).to_owned(),
        }
    }

    /// What it is made of.
    pub fn nature(self) -> Nature {
        match self {
            Datum::FunctionName | Datum::OpcodeName | Datum::File => Nature::Text,
            Datum::Counter | Datum::Record => Nature::Own,
            Datum::Address | Datum::Source | Datum::Callee => Nature::Pointer,
            Datum::Value
            | Datum::Condition
            | Datum::Result
            | Datum::Operand(_)
            | Datum::Argument(_)
            | Datum::Length => Nature::Program,
            _ => Nature::Number,
        }
    }

    /// Whether it is known at every kind of place.
    pub fn is_known_everywhere(self) -> bool {
        matches!(
            self,
            Datum::Function
                | Datum::FunctionName
                | Datum::Site
                | Datum::Counter
                | Datum::Record
                | Datum::Line
                | Datum::File
                | Datum::Block
        )
    }

    /// Whether it is known at a kind of place.
    pub fn is_known_at(self, kind: Kind) -> bool {
        let argument = match self {
            Datum::Argument(_) => Datum::Argument(0),
            Datum::Operand(_) => Datum::Operand(0),
            other => other,
        };
        let row = AVAILABLE.iter().find(|row| row.0 == kind);
        self.is_known_everywhere() || row.is_some_and(|row| row.1.contains(&argument))
    }

    /// Whether it is known only after the instruction.
    pub fn comes_after(self, kind: Kind) -> bool {
        matches!(
            (self, kind),
            (Datum::Value, Kind::Load) | (Datum::Result, _) | (Datum::Address, Kind::StackAllocation)
        )
    }
}

/// What is known at each kind of place besides what is known everywhere; `Argument(0)` and `Operand(0)` stand for all
/// of them.
const AVAILABLE: &[(Kind, &[Datum])] = &[
    (Kind::FunctionEntry, &[Datum::Argument(0), Datum::ArgumentCount]),
    (Kind::FunctionExit, &[Datum::Value]),
    (Kind::Block, &[Datum::Instructions]),
    (Kind::Edge, &[Datum::From, Datum::To]),
    (Kind::LoopEntry, &[Datum::From, Datum::To]),
    (Kind::LoopIteration, &[]),
    (Kind::Line, &[]),
    (
        Kind::Instruction,
        &[Datum::Opcode, Datum::OpcodeName, Datum::Bits, Datum::Operand(0)],
    ),
    (
        Kind::Load,
        &[
            Datum::Opcode,
            Datum::OpcodeName,
            Datum::Size,
            Datum::Alignment,
            Datum::Address,
            Datum::Value,
        ],
    ),
    (
        Kind::Store,
        &[
            Datum::Opcode,
            Datum::OpcodeName,
            Datum::Size,
            Datum::Alignment,
            Datum::Address,
            Datum::Value,
        ],
    ),
    (
        Kind::Atomic,
        &[Datum::Opcode, Datum::OpcodeName, Datum::Size, Datum::Address],
    ),
    (
        Kind::Copy,
        &[
            Datum::Opcode,
            Datum::OpcodeName,
            Datum::Address,
            Datum::Source,
            Datum::Length,
        ],
    ),
    (
        Kind::Call,
        &[Datum::Callee, Datum::Argument(0), Datum::ArgumentCount, Datum::Result],
    ),
    (
        Kind::IndirectCall,
        &[Datum::Callee, Datum::Argument(0), Datum::ArgumentCount, Datum::Result],
    ),
    (Kind::Return, &[Datum::Value]),
    (Kind::Branch, &[Datum::Condition]),
    (Kind::Switch, &[Datum::Value]),
    (Kind::StackAllocation, &[Datum::Size, Datum::Alignment, Datum::Address]),
];

/// The words of the data that are known at a kind of place, for messages.
pub fn words_at(kind: Kind) -> Vec<&'static str> {
    let row = AVAILABLE.iter().find(|row| row.0 == kind);
    let takes_arguments = row.is_some_and(|row| row.1.contains(&Datum::Argument(0)));
    let known = DATA.iter().filter(|row| row.1.is_known_at(kind)).map(|row| row.0);
    let takes_operands = row.is_some_and(|row| row.1.contains(&Datum::Operand(0)));
    known
        .chain(takes_arguments.then_some("argument-0"))
        .chain(takes_operands.then_some("operand-0"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_row_and_a_word_of_its_own() {
        for (number, &(word, kind)) in KINDS.iter().enumerate() {
            assert_eq!(kind as usize, number, "{word}");
            assert_eq!((Kind::from_word(word), kind.word()), (Some(kind), word));
            assert!(AVAILABLE.iter().any(|row| row.0 == kind), "{word}");
            assert!(words_at(kind).contains(&"function"), "{word}");
        }
    }

    #[test]
    fn the_header_for_hooks_has_every_kind() {
        let header = include_str!("../../examples/instrument/frazil.h");
        let list = header.split_once("enum frazil_kind {").expect("the kinds").1;
        let list = list.split_once('}').expect("their end").0;
        let found: Vec<&str> = list.split(',').map(str::trim).collect();
        let word = |row: &(&str, Kind)| format!("FRAZIL_{}", row.0.replace('-', "_").to_uppercase());
        assert_eq!(found, KINDS.iter().map(word).collect::<Vec<String>>());
    }

    #[test]
    fn arguments_are_counted() {
        assert_eq!(Datum::from_word("argument-3"), Some(Datum::Argument(3)));
        assert_eq!(Datum::from_word("argument-count"), Some(Datum::ArgumentCount));
        assert!(Datum::Argument(3).is_known_at(Kind::Call));
        assert!(!Datum::Argument(3).is_known_at(Kind::Block));
        assert!(Datum::Value.comes_after(Kind::Load) && !Datum::Value.comes_after(Kind::Store));
    }
}
