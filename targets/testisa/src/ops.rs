//! The op table: one row for each machine instruction.
//!
//! From a row follow the encoding ([`crate::encode`]), the text ([`crate::print`]), what shared code sees
//! ([`OP_DESCS`]) and how the simulator takes it apart; what it does is in [`crate::sim`].
//! A word holds the row's number in bits 0-7, the operation's width in bit 8 (set for 8 bytes), registers in bits
//! 9-13, 14-18 and 19-23, and a displacement in bits 24-31; an immediate takes bits 19-31, a jump bits 8-31.

use frazil_codegen::desc::SLOTS;
use frazil_codegen::desc::before_immediate;
use frazil_codegen::{OpDesc, RegClass, Role};

/// What operands an instruction has and where they are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    None,
    /// Destination and two sources.
    Rrr,
    /// Destination and source.
    Rr,
    /// Two destinations and a source.
    Split,
    /// Destination, source, immediate of 13 bits.
    Rri,
    /// Destination; an immediate in the next word, or (short form) 13 bits.
    Li,
    /// Destination; the address of a symbol in the next word.
    SymbolAddress,
    /// Destination; the distance to a label in the next word.
    LabelAddress,
    /// Destination, and memory.
    Load,
    /// Source, and memory.
    Store,
    /// Destination; the distance to a constant in the code.
    Literal,
    /// Two sources, and a label.
    Branch,
    /// A label.
    Jump,
    /// Source.
    JumpReg,
    /// A symbol.
    Call,
    /// Source; calls clobber.
    CallReg,
}

impl Form {
    /// Whether instructions of this form that cannot stop the machine do nothing but compute registers.
    const fn only_computes(self) -> bool {
        matches!(
            self,
            Form::Rrr
                | Form::Rr
                | Form::Split
                | Form::Rri
                | Form::Li
                | Form::SymbolAddress
                | Form::LabelAddress
                | Form::Load
                | Form::Literal
        )
    }

    /// The classes of the operands of an instruction whose results and sources are of these classes.
    const fn classes(self, result: RegClass, source: RegClass) -> [Option<RegClass>; 3] {
        match self {
            Form::None | Form::Jump => [None; 3],
            Form::Rrr | Form::Rr | Form::Rri => [Some(result), Some(source), Some(source)],
            Form::Split => [Some(result), Some(result), Some(source)],
            Form::Load | Form::Store | Form::Literal => [Some(result), Some(RegClass::Int), Some(RegClass::Int)],
            Form::Li | Form::LabelAddress | Form::SymbolAddress => [Some(RegClass::Int); 3],
            Form::Branch | Form::JumpReg | Form::CallReg | Form::Call => [Some(RegClass::Int); 3],
        }
    }

    const fn roles(self) -> [Role; 3] {
        match self {
            Form::None | Form::Jump => [Role::None, Role::None, Role::None],
            Form::Rrr => [Role::Def, Role::Use, Role::Use],
            Form::Rr | Form::Rri => [Role::Def, Role::Use, Role::None],
            Form::Split => [Role::Def, Role::Def, Role::Use],
            Form::Li | Form::LabelAddress => [Role::Def, Role::None, Role::None],
            Form::SymbolAddress | Form::Load | Form::Literal => [Role::Def, Role::Base, Role::Index],
            Form::Store => [Role::Use, Role::Base, Role::Index],
            Form::Branch => [Role::Use, Role::Use, Role::None],
            Form::JumpReg | Form::CallReg => [Role::Use, Role::None, Role::None],
            Form::Call => [Role::None, Role::Base, Role::Index],
        }
    }
}

/// A machine instruction as the table has it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The mnemonic.
    pub name: &'static str,
    /// The operands.
    pub form: Form,
}

macro_rules! ops {
    ($($variant:ident $name:literal $form:ident;)*) => {
        /// A machine instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Op { $($variant,)* }

        /// Every instruction, by number.
        pub const ALL: &[Op] = &[$(Op::$variant,)*];

        /// The rows, by number.
        pub const ROWS: &[Row] = &[$(Row { name: $name, form: Form::$form },)*];

        /// What shared code sees of the rows. There are no flags.
        pub static OP_DESCS: &[OpDesc] = &[$(OpDesc {
            roles: before_immediate(Form::$form.roles(), Role::None),
            // Addresses have four bytes.
            widths: if matches!(Form::$form, Form::Load | Form::Store) { [0, 4, 4, 0] } else { [0; SLOTS] },
            classes: {
                let (result, source) = Op::$variant.classes();
                before_immediate(Form::$form.classes(result, source), None)
            },
            is_move: matches!(Op::$variant, Op::Mov | Op::Fmov),
            has_sets: matches!(Form::$form, Form::Call | Form::CallReg),
            reads_memory: matches!(Form::$form, Form::Load),
            writes_memory: matches!(Form::$form, Form::Store),
            is_pure: Form::$form.only_computes()
                && !matches!(Op::$variant, Op::Div | Op::Divu | Op::Rem | Op::Remu),
            is_rematerializable: matches!(Form::$form, Form::Li | Form::SymbolAddress | Form::Literal),
            reload_bytes: match Op::$variant {
                Op::Lw | Op::Fl => Some(0),
                _ => None,
            },
            ..OpDesc::plain($name)
        },)*];
    };
}

ops! {
    Break "break" None;
    Fence "fence" None;
    Add "add" Rrr;
    Sub "sub" Rrr;
    And "and" Rrr;
    Or "or" Rrr;
    Xor "xor" Rrr;
    Sll "sll" Rrr;
    Srl "srl" Rrr;
    Sra "sra" Rrr;
    Slt "slt" Rrr;
    Sltu "sltu" Rrr;
    Mul "mul" Rrr;
    // The upper half of the unsigned product.
    Mulhu "mulhu" Rrr;
    // Division by zero stops the machine.
    Div "div" Rrr;
    Divu "divu" Rrr;
    Rem "rem" Rrr;
    Remu "remu" Rrr;
    Addi "addi" Rri;
    Andi "andi" Rri;
    Ori "ori" Rri;
    Xori "xori" Rri;
    Slli "slli" Rri;
    Srli "srli" Rri;
    Srai "srai" Rri;
    Sltiu "sltiu" Rri;
    Mov "mov" Rr;
    Clz "clz" Rr;
    Ctz "ctz" Rr;
    Popc "popc" Rr;
    Bswap "bswap" Rr;
    Brev "brev" Rr;
    Li "li" Li;
    La "la" SymbolAddress;
    Ll "ll" LabelAddress;
    Lb "lb" Load;
    Lh "lh" Load;
    Lw "lw" Load;
    Sb "sb" Store;
    Sh "sh" Store;
    Sw "sw" Store;
    // Floats of the operation's width; 8 bytes need an alignment of 4 only.
    Fl "fl" Load;
    Fs "fs" Store;
    // A constant near the instruction.
    Flc "flc" Literal;
    Beq "beq" Branch;
    Bne "bne" Branch;
    Blt "blt" Branch;
    Bge "bge" Branch;
    Bltu "bltu" Branch;
    Bgeu "bgeu" Branch;
    J "j" Jump;
    Jr "jr" JumpReg;
    Call "call" Call;
    Callr "callr" CallReg;
    Fadd "fadd" Rrr;
    Fsub "fsub" Rrr;
    Fmul "fmul" Rrr;
    Fdiv "fdiv" Rrr;
    // The first source with the sign of the second.
    Fsgnj "fsgnj" Rrr;
    Fneg "fneg" Rr;
    Fabs "fabs" Rr;
    Fsqrt "fsqrt" Rr;
    Fmov "fmov" Rr;
    // Comparisons give 0 or 1, and 0 when an operand is NaN.
    Feq "feq" Rrr;
    Flt "flt" Rrr;
    Fle "fle" Rrr;
    // The class as a mask: bit 0 signaling NaN, 1 quiet NaN, then from negative infinity up to positive infinity.
    Fclass "fclass" Rr;
    // To the other float width.
    Fcvt "fcvt" Rr;
    // From and to 32 and 64 bits, signed and unsigned; to integers truncating and saturating, NaN gives 0.
    FromW "fromw" Rr;
    FromWu "fromwu" Rr;
    FromL "froml" Rrr;
    FromLu "fromlu" Rrr;
    ToW "tow" Rr;
    ToWu "towu" Rr;
    ToL "tol" Split;
    ToLu "tolu" Split;
    // Bits between the banks.
    IntToF32 "itof" Rr;
    F32ToInt "ftoi" Rr;
    IntToF64 "itod" Rrr;
    F64ToInt "dtoi" Split;
}

impl Op {
    /// The classes of results (what is stored, too) and of sources.
    const fn classes(self) -> (RegClass, RegClass) {
        use Op::{
            F32ToInt, F64ToInt, Fabs, Fadd, Fclass, Fcvt, Fdiv, Feq, Fl, Flc, Fle, Flt, Fmov, Fmul, Fneg, FromL,
            FromLu, FromW, FromWu, Fs, Fsgnj, Fsqrt, Fsub, IntToF32, IntToF64, ToL, ToLu, ToW, ToWu,
        };
        use RegClass::{Float, Int};
        match self {
            Fl | Flc | Fs | Fadd | Fsub | Fmul | Fdiv | Fsgnj | Fneg | Fabs | Fsqrt | Fmov | Fcvt => (Float, Float),
            Feq | Flt | Fle | Fclass | ToW | ToWu | ToL | ToLu | F32ToInt | F64ToInt => (Int, Float),
            FromW | FromWu | FromL | FromLu | IntToF32 | IntToF64 => (Float, Int),
            _ => (Int, Int),
        }
    }

    /// The instruction with this number.
    pub fn from_number(number: u16) -> Option<Op> {
        ALL.get(usize::from(number)).copied()
    }

    /// What the table says of the instruction.
    pub fn row(self) -> Row {
        ROWS[self as usize]
    }
}
