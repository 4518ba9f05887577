//! The shape of the op table: what a row says and how rows are written.
//!
//! The rows themselves are in [`crate::table`], one line per form of a machine instruction. From a row follow the
//! encoding ([`crate::encode`]), the text ([`crate::print`]), what shared code sees ([`crate::descs`]) and its test
//! against an independent decoder. What its size changes in more than width (`mul` of bytes) has a row of its own.
//!
//! Register operands are in `regs[0]`, then `regs[1]`; a row with a memory operand has its first register in `regs[0]`,
//! and a second one in slot 3.

use crate::unit::Unit;
use frazil_codegen::desc::SLOTS;
use frazil_codegen::{MInst, OpDesc, PRegSet, Reg, RegClass, Role, Text};

/// Size of an integer operation on a part: 4 or 8 bytes.
#[inline]
pub(crate) fn op_size(bytes: u8) -> u8 {
    if bytes > 4 { 8 } else { 4 }
}

/// Where operands are and how they are encoded. `rm` and `reg` are the fields of the ModRM byte; `digit` stands for
/// the row's constant in the `reg` field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Form {
    /// No operands.
    None,
    /// No operands; the row's digit is the ModRM byte.
    NoneModRm,
    /// `rm` = `regs[0]`, `reg` = `regs[1]`.
    StoreRR,
    /// `reg` = `regs[0]`, `rm` = `regs[1]`.
    LoadRR,
    /// `reg` = `rm` = `regs[0]`: idioms that give a constant.
    Same,
    /// As `StoreRR` with two different registers; a one-byte opcode when one is the accumulator.
    Exchange,
    /// `reg` = `regs[0]`, `rm` = memory; the register is the destination, as far as text is concerned.
    RM,
    /// `reg` = `regs[0]`, `rm` = memory; the memory is the destination.
    MR,
    /// `rm` = `regs[0]`, digit.
    R,
    /// `rm` = memory, digit.
    M,
    /// `rm` = `regs[0]`, digit, immediate.
    RI,
    /// `rm` = memory, digit, immediate.
    MI,
    /// `rm` = `regs[0]`, digit; the count is in `cl`.
    RC,
    /// `rm` = memory, digit; the count is in `cl`.
    MC,
    /// `reg` = `regs[0]`, `rm` = `regs[1]`, immediate.
    LoadRRI,
    /// `reg` = `regs[0]`, `rm` = memory, immediate.
    RMI,
    /// `rm` = `regs[0]`, `reg` = `regs[1]`, immediate.
    StoreRRI,
    /// `rm` = `regs[0]`, `reg` = `regs[1]`; the count is in `cl`.
    StoreRRC,
    /// `reg` = `regs[0]`, the VEX prefix's own register = `regs[1]`, `rm` = `regs[2]`.
    Three,
    /// `reg` = `regs[0]`, the VEX prefix's own register = that of slot 3, `rm` = memory.
    ThreeM,
    /// As `Three` with an immediate.
    ThreeI,
    /// `reg` = `regs[0]`, `rm` = `regs[1]`, the VEX prefix's own register = `regs[2]`.
    ThreeLast,
    /// `reg` = the VEX prefix's own register = `regs[0]`, `rm` = `regs[1]`, upper half of an immediate = `regs[2]`.
    Choice,
    /// `reg` = `regs[0]`, read and written, `rm` = memory whose index is a vector: a lane of it for each lane.
    Gather,
    /// The same with `regs[0]` read, and memory written.
    Scatter,
    /// The register in the opcode is `regs[0]`.
    O,
    /// The register in the opcode is `regs[0]`; immediate. With size 8 the C7 form with a sign-extended immediate.
    OI,
    /// The register in the opcode is `regs[0]`; 64-bit immediate in `imm` (low) and `disp` (high).
    OI64,
    /// The register in the opcode is `regs[0]`; the immediate is the address of a symbol operand.
    ORef,
    /// `reg` = `regs[0]`, `rm` = base `regs[1]` with the symbol's offset as displacement; the [`frazil_codegen::Ref`]
    /// is in `imm`, its addend in `disp`.
    RBaseRef,
    /// An immediate.
    I,
    /// A branch to a label: short if the label is bound in reach, else long.
    Branch,
    /// A short branch to a label.
    ShortBranch,
    /// A branch to a symbol operand.
    BranchRef,
    /// As many bytes (1 to 9) of filler that does nothing as `imm` says.
    Nop,
}

impl Form {
    /// Whether there is a memory operand in `regs[1]` and `regs[2]`.
    pub const fn has_mem(self) -> bool {
        let is_plain = matches!(self, Form::RM | Form::MR | Form::M | Form::MI | Form::MC | Form::RMI);
        is_plain || matches!(self, Form::ThreeM) || self.has_vector_index()
    }

    /// Whether the memory operand has an index for each lane, which `operands[1]` then describes.
    pub const fn has_vector_index(self) -> bool {
        matches!(self, Form::Gather | Form::Scatter)
    }

    /// What most instructions of this form do with their memory operand.
    const fn access(self) -> Access {
        match self {
            Form::RM | Form::RMI | Form::ThreeM | Form::Gather => Access::Read,
            Form::MR | Form::M | Form::MI | Form::MC | Form::Scatter => Access::Both,
            _ => Access::None,
        }
    }

    /// Whether most instructions of this form do nothing but compute registers and flags.
    const fn only_computes(self) -> bool {
        matches!(
            self,
            Form::StoreRR
                | Form::LoadRR
                | Form::Same
                | Form::RM
                | Form::R
                | Form::RI
                | Form::RC
                | Form::LoadRRI
                | Form::RMI
                | Form::StoreRRI
                | Form::StoreRRC
                | Form::Three
                | Form::ThreeM
                | Form::ThreeI
                | Form::ThreeLast
                | Form::Choice
                | Form::O
                | Form::OI
                | Form::OI64
                | Form::ORef
                | Form::RBaseRef
        )
    }
}

/// How the operation's size shows in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Width {
    /// Not at all.
    Fixed,
    /// Integer: 1 clears the low opcode bit, 2 adds prefix 66, 8 adds REX.W.
    Int,
    /// Scalar float: 4 has mandatory prefix F3, 8 has F2.
    Scalar,
    /// Packed float: 4 has no mandatory prefix, 8 has 66.
    Packed,
    /// Float: 8 has REX.W.
    Float,
}

/// The immediate of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Imm {
    None,
    Byte,
    /// One byte; the count 1 has an opcode without immediate.
    Shift,
    /// Two bytes.
    Word,
    /// As wide as the operation, at most four bytes.
    Full,
    /// As `Full`, but one sign-extended byte (opcode bit 1 set) where that is enough.
    Short,
}

/// Bits of [`MInst::aux`] in instructions with an EVEX prefix, in the place of a condition (Intel manual, volume 2,
/// section 2.7.2 and 2.7.8).
pub mod aux {
    /// Lanes whose bit in the mask is not set become zero, instead of keeping what is there.
    pub const ZEROING: u8 = 1;
    /// With a memory operand: a single lane of it is read, for all lanes.
    pub const BROADCAST: u8 = 2;
    /// Exceptions are not raised; where there is a rounding mode, it is the one in the bits above.
    pub const SILENT: u8 = 2;
    /// The first of two bits with a rounding mode.
    pub const ROUNDING_BIT: u32 = 2;
}

/// The encoding of a row.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// Last opcode byte; for [`Width::Int`] that of the wide form.
    pub opcode: u8,
    /// Opcode bytes before it: 0 none, 1 `0F`, 2 `0F 38`, 3 `0F 3A`.
    pub map: u8,
    /// Constant of the ModRM byte's `reg` field, or the whole byte.
    pub digit: u8,
    /// Mandatory prefix or 0.
    pub prefix: u8,
    /// Where operands are.
    pub form: Form,
    /// What the size does.
    pub width: Width,
    pub imm: Imm,
    /// Bits named by the constants of this type.
    pub flags: u32,
    /// With [`Code::EVEX`]: how many bytes of memory an instruction accesses, which is what a displacement of one byte
    /// counts (Intel manual, volume 2, section 2.7.5).
    pub unit: Unit,
}

impl Code {
    /// The opcode's low four bits are the condition.
    pub const COND: u32 = 1;
    /// REX.W whatever the size.
    pub const W: u32 = 2;
    /// The register in the `rm` field is a byte register although the operation is wider.
    pub const BYTE_RM: u32 = 4;
    /// Prefix F0.
    pub const LOCK: u32 = 8;
    /// Prefix 64: the memory operand is relative to the thread pointer's segment.
    pub const FS: u32 = 16;
    /// Prefix 65: the memory operand is relative to the thread pointer's segment of 32-bit code.
    pub const GS: u32 = 1 << 23;
    /// No size suffix in text.
    pub const PLAIN: u32 = 32;
    /// A linker may rewrite the instruction when its memory operand is a slot of the global offset table.
    pub const RELAXABLE: u32 = 64;
    /// Indirect branch: text has a star before the operand.
    pub const STAR: u32 = 128;
    /// The prefixes and the bytes before the opcode are a VEX prefix (Intel manual, volume 2, section 2.3).
    pub const VEX: u32 = 256;
    /// With a VEX prefix: its bit L, for vectors of 256 bits.
    pub const LONG: u32 = 512;
    /// With a VEX prefix: the next opcode has the operands swapped, which is shorter if only the second is above 7.
    pub const SWAPS: u32 = 1024;
    /// With [`Code::VEX`]: an EVEX prefix instead (Intel manual, volume 2, section 2.7). The size is that of vectors.
    pub const EVEX: u32 = 2048;
    /// With [`Code::VEX`]: the prefix's own register is `regs[0]`, which is written, and the `reg` field has the digit.
    pub const OWN_IS_WRITTEN: u32 = 4096;
    /// With a VEX prefix: its own register is `regs[0]`, which text names a second time.
    pub const OWN_IS_FIRST: u32 = 16384;
    /// With a VEX prefix: its own register is the scratch register, which text names before the last operand.
    pub const OWN_IS_SCRATCH: u32 = 1 << 24;
    /// A `v` comes before the mnemonic in text.
    pub const NAMED_V: u32 = 32768;
    /// With a VEX prefix: the order of the two sources does not matter, or, of a comparison, not with every predicate.
    pub const COMMUTES: u32 = 8192;
    /// With an EVEX prefix: only lanes whose bit in [`MASK`](crate::regs::MASK) is set are written.
    pub const MASKED: u32 = 1 << 16;
    /// With [`Code::MASKED`]: [`aux::ZEROING`] may say that the other lanes become zero.
    pub const ZEROES: u32 = 1 << 17;
    /// With an EVEX prefix: [`aux::SILENT`] and a rounding mode may stand in `aux`, if vectors are as wide as they can
    /// be, or only the lowest lane is computed.
    pub const ROUNDS: u32 = 1 << 18;
    /// With an EVEX prefix: [`aux::SILENT`] may stand in `aux` in the same cases.
    pub const SILENCES: u32 = 1 << 19;
    /// With an EVEX prefix: there is an instruction with a VEX prefix, which assemblers prefer, that does the same.
    pub const PREFERRED_VEX: u32 = 1 << 20;
    /// With an EVEX prefix and a memory operand: [`aux::BROADCAST`] may stand in `aux`; lanes are as wide as the bit W
    /// says.
    pub const BROADCASTS: u32 = 1 << 22;
    /// The register that is written must not be one that another operand reads.
    pub const APART: u32 = 1 << 21;

    /// Whether a flag is set.
    #[inline]
    pub const fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Whether it is a fused operation on lanes rather than on scalars, whose opcodes are odd.
    pub(crate) const fn is_of_fused_lanes(&self) -> bool {
        matches!(self.width, Width::Float) && self.opcode & 1 == 0
    }

    /// The slots of two sources, the one that a VEX prefix names and the one in the `rm` field. Where their order does
    /// not matter, the latter is not a register above 7 unless both are: the prefix is a byte shorter, and the LLVM
    /// project's assembler would exchange them (the GNU one would not, so text has this order as well).
    #[inline]
    pub fn sources(&self, inst: &MInst) -> [usize; 2] {
        let is_high = |slot| inst.reg(slot).0 & 8 != 0;
        // Equal, not equal, ordered and unordered (Intel manual, `CMPPD`, table 3-1).
        let is_symmetric = self.form != Form::ThreeI || matches!(inst.imm & 7, 0 | 3 | 4 | 7);
        match self.has(Code::COMMUTES) && is_symmetric && is_high(2) && !is_high(1) {
            true => [2, 1],
            false => [1, 2],
        }
    }

    const fn new(opcode: u8, map: u8, width: Width) -> Code {
        Code {
            opcode,
            map,
            digit: 0,
            prefix: 0,
            form: Form::None,
            width,
            imm: Imm::None,
            flags: 0,
            unit: Unit::Whole,
        }
    }

    pub(crate) const fn digit(mut self, digit: u8) -> Code {
        self.digit = digit;
        self
    }

    pub(crate) const fn prefix(mut self, prefix: u8) -> Code {
        self.prefix = prefix;
        self
    }

    pub(crate) const fn scalar(mut self) -> Code {
        self.width = Width::Scalar;
        self
    }

    pub(crate) const fn packed(mut self) -> Code {
        self.width = Width::Packed;
        self
    }

    pub(crate) const fn imm(mut self, imm: Imm) -> Code {
        self.imm = imm;
        self
    }

    pub(crate) const fn flag(mut self, flag: u32) -> Code {
        self.flags |= flag;
        self
    }

    pub(crate) const fn unit(mut self, unit: Unit) -> Code {
        self.unit = unit;
        self
    }

    /// Sets the form, and from the encoding whether it is relaxable (System V ABI for x86-64, appendix B.2).
    pub(crate) const fn finish(mut self, form: Form) -> Code {
        self.form = form;
        let relaxable = self.map == 0
            && match form {
                Form::RM => self.opcode == 0x8b || self.opcode & !0x38 == 0x03,
                Form::MR => self.opcode == 0x85,
                Form::M => self.opcode == 0xff && (self.digit == 2 || self.digit == 4),
                _ => false,
            };
        if relaxable && !self.has(Code::FS) && !self.has(Code::GS) {
            self.flags |= Code::RELAXABLE;
        }
        self
    }
}

/// A one-byte opcode of an integer operation.
pub(crate) const fn int(opcode: u8) -> Code {
    Code::new(opcode, 0, Width::Int)
}

/// An opcode after `0F` of an integer operation.
pub(crate) const fn int0f(opcode: u8) -> Code {
    Code::new(opcode, 1, Width::Int)
}

/// An opcode after `0F 38` of an integer operation.
pub(crate) const fn int38(opcode: u8) -> Code {
    Code::new(opcode, 2, Width::Int)
}

/// A one-byte opcode whose encoding does not depend on the size.
pub(crate) const fn one(opcode: u8) -> Code {
    Code::new(opcode, 0, Width::Fixed)
}

/// An opcode after `0F` whose encoding does not depend on the size.
pub(crate) const fn x0f(opcode: u8) -> Code {
    Code::new(opcode, 1, Width::Fixed)
}

/// An opcode after `0F 38` whose encoding does not depend on the size.
pub(crate) const fn x38(opcode: u8) -> Code {
    Code::new(opcode, 2, Width::Fixed)
}

/// An opcode after `0F 3A` whose encoding does not depend on the size.
pub(crate) const fn x3a(opcode: u8) -> Code {
    Code::new(opcode, 3, Width::Fixed)
}

/// An opcode after the bytes that this map's number stands for, with a VEX prefix.
pub(crate) const fn vex(map: u8, prefix: u8, opcode: u8) -> Code {
    Code::new(opcode, map, Width::Fixed).prefix(prefix).flag(Code::VEX)
}

/// The same of an integer operation.
pub(crate) const fn vex_int(map: u8, prefix: u8, opcode: u8) -> Code {
    Code::new(opcode, map, Width::Int)
        .prefix(prefix)
        .flag(Code::VEX)
        .flag(Code::PLAIN)
}

/// An opcode of floats with a VEX prefix that stands for 66 and `0F 38`.
pub(crate) const fn fused(opcode: u8) -> Code {
    Code::new(opcode, 2, Width::Float).prefix(0x66).flag(Code::VEX)
}

/// An opcode after the bytes that this map's number stands for, with an EVEX prefix.
pub(crate) const fn evex(map: u8, prefix: u8, opcode: u8) -> Code {
    vex(map, prefix, opcode).flag(Code::EVEX)
}

/// What a register operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A general register of the operation's size.
    Sized,
    /// A general register of this many bytes.
    General(u8),
    /// A vector register.
    Vector,
    /// A vector register of 256 bits.
    Wide,
    /// The same, of which only the lower half is read.
    WideLow,
    /// The same, of which only the lower half is named, while the upper one is cleared.
    WideCleared,
    /// A vector register of 512 bits.
    Widest,
    /// The same, of which only the lower half is read.
    WidestLow,
    /// A vector register of the operation's size.
    Full,
    /// A mask register.
    Mask,
}

impl Kind {
    /// Whether it is a vector register.
    pub(crate) const fn is_vector(self) -> bool {
        !matches!(self, Kind::Sized | Kind::General(_) | Kind::Mask)
    }

    /// The class of registers that it may be.
    const fn class(self) -> RegClass {
        match self {
            Kind::Sized | Kind::General(_) => RegClass::Int,
            Kind::Mask => RegClass::Mask,
            _ => RegClass::Float,
        }
    }

    /// The register's width in an operation of `size` bytes.
    pub(crate) const fn bytes(self, size: u8) -> u8 {
        match self {
            Kind::Sized | Kind::Full => size,
            Kind::General(bytes) => bytes,
            Kind::Mask => 8,
            Kind::Vector | Kind::WideLow => 16,
            Kind::Wide | Kind::WideCleared | Kind::WidestLow => 32,
            Kind::Widest => 64,
        }
    }

    /// The width that the register's name tells.
    pub(crate) const fn named_bytes(self, size: u8) -> u8 {
        match self {
            Kind::WideLow => 32,
            Kind::WideCleared => 16,
            Kind::WidestLow => 64,
            _ => self.bytes(size),
        }
    }
}

/// A register operand: what is done with it and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Read, written or both.
    pub role: Role,
    /// Which registers it may be.
    pub kind: Kind,
}

/// Short names for operands, as the rows use them: `U` used, `D` defined, `M` both (modified); then the kind.
pub(crate) mod operands {
    use super::{Kind, Operand};
    use frazil_codegen::Role;

    const fn operand(role: Role, kind: Kind) -> Operand {
        Operand { role, kind }
    }

    pub(crate) const U: Operand = operand(Role::Use, Kind::Sized);
    pub(crate) const D: Operand = operand(Role::Def, Kind::Sized);
    pub(crate) const M: Operand = operand(Role::UseDef, Kind::Sized);
    pub(crate) const U8: Operand = operand(Role::Use, Kind::General(1));
    pub(crate) const U16: Operand = operand(Role::Use, Kind::General(2));
    pub(crate) const U32: Operand = operand(Role::Use, Kind::General(4));
    pub(crate) const U64: Operand = operand(Role::Use, Kind::General(8));
    pub(crate) const D8: Operand = operand(Role::Def, Kind::General(1));
    pub(crate) const D32: Operand = operand(Role::Def, Kind::General(4));
    pub(crate) const D64: Operand = operand(Role::Def, Kind::General(8));
    pub(crate) const M8: Operand = operand(Role::UseDef, Kind::General(1));
    pub(crate) const M32: Operand = operand(Role::UseDef, Kind::General(4));
    pub(crate) const UX: Operand = operand(Role::Use, Kind::Vector);
    pub(crate) const DX: Operand = operand(Role::Def, Kind::Vector);
    pub(crate) const MX: Operand = operand(Role::UseDef, Kind::Vector);
    pub(crate) const UY: Operand = operand(Role::Use, Kind::Wide);
    pub(crate) const DY: Operand = operand(Role::Def, Kind::Wide);
    pub(crate) const MY: Operand = operand(Role::UseDef, Kind::Wide);
    pub(crate) const DYC: Operand = operand(Role::Def, Kind::WideCleared);
    pub(crate) const UYL: Operand = operand(Role::Use, Kind::WideLow);
    pub(crate) const UZ: Operand = operand(Role::Use, Kind::Widest);
    pub(crate) const DZ: Operand = operand(Role::Def, Kind::Widest);
    pub(crate) const UZL: Operand = operand(Role::Use, Kind::WidestLow);
}

/// What is done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: it is only addressed, or hinted at.
    None,
    Read,
    /// It is written.
    Write,
    /// It is read and written.
    Both,
}

/// What a row does besides its register operands.
#[derive(Clone, Copy, Debug)]
pub struct Effects {
    /// Reads status flags.
    pub reads_flags: bool,
    /// Writes status flags, perhaps not all and perhaps not always.
    pub writes_flags: bool,
    /// Registers read.
    pub uses: PRegSet,
    /// Registers written.
    pub defs: PRegSet,
    /// What is done with the memory operand, where its form does not say it: see [`Form::access`].
    pub memory: Option<Access>,
    /// The defined register keeps bits of its old value that no rule may look at: the operand's role is a pure
    /// definition all the same.
    pub merges: bool,
}

impl Effects {
    pub(crate) const fn uses(mut self, regs: &[Reg]) -> Effects {
        self.uses = PRegSet::of(regs);
        self
    }

    pub(crate) const fn defs(mut self, regs: &[Reg]) -> Effects {
        self.defs = PRegSet::of(regs);
        self
    }

    pub(crate) const fn merges(mut self) -> Effects {
        self.merges = true;
        self
    }

    pub(crate) const fn reads_memory(mut self) -> Effects {
        self.memory = Some(Access::Read);
        self
    }

    pub(crate) const fn writes_memory(mut self) -> Effects {
        self.memory = Some(Access::Write);
        self
    }

    pub(crate) const fn only_addresses(mut self) -> Effects {
        self.memory = Some(Access::None);
        self
    }
}

/// No effect on flags.
pub(crate) const NO: Effects = Effects {
    reads_flags: false,
    writes_flags: false,
    uses: PRegSet::EMPTY,
    defs: PRegSet::EMPTY,
    memory: None,
    merges: false,
};
/// Writes flags.
pub(crate) const FW: Effects = Effects {
    writes_flags: true,
    ..NO
};
/// Reads flags.
pub(crate) const FR: Effects = Effects {
    reads_flags: true,
    ..NO
};
/// Reads and writes flags.
pub(crate) const FRW: Effects = Effects {
    reads_flags: true,
    writes_flags: true,
    ..NO
};

/// Sets of sizes in bytes; the sizes are their own bits.
pub(crate) mod sizes {
    pub(crate) const B: u8 = 1;
    pub(crate) const W: u8 = 2;
    pub(crate) const L: u8 = 4;
    pub(crate) const Q: u8 = 8;
    pub(crate) const X: u8 = 16;
    pub(crate) const Y: u8 = 32;
    pub(crate) const Z: u8 = 64;
    pub(crate) const LQ: u8 = L | Q;
    /// A scalar, or a vector, by one instruction.
    pub(crate) const LX: u8 = L | X;
    pub(crate) const WLQ: u8 = W | LQ;
    pub(crate) const BWLQ: u8 = B | WLQ;
}

/// A row of the op table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name, that of the [`Op`](crate::table::Op).
    pub name: Text,
    /// Mnemonic in AT&T syntax without size suffix and condition.
    pub mnemonic: Text,
    /// Allowed sizes, a set of bits 1, 2, 4, 8, 16, 32, 64. The size is the operation's width in bytes, where it
    /// matters.
    pub sizes: u8,
    /// Encoding.
    pub code: Code,
    /// Register operands in `regs[0]` and on, or beside memory in `regs[0]` and slot 3.
    pub operands: [Option<Operand>; 3],
    /// The rest.
    pub effects: Effects,
}

impl Row {
    /// Whether one of the operands is a vector register.
    pub(crate) const fn has_vector(&self) -> bool {
        let mut index = 0;
        while index < self.operands.len() {
            if let Some(operand) = self.operands[index]
                && operand.kind.is_vector()
            {
                return true;
            }
            index += 1;
        }
        false
    }

    /// What is in a slot, if that is a register besides those of a memory operand.
    pub(crate) const fn operand_in(&self, slot: usize) -> Option<Operand> {
        match (slot, self.code.form) {
            (0, _) => self.operands[0],
            (3, Form::ThreeM) => self.operands[1],
            (3, _) | (_, Form::ThreeM) => None,
            _ => self.operands[slot],
        }
    }

    /// The row as shared code sees it.
    pub(crate) const fn desc(&'static self) -> OpDesc {
        let mut roles = [Role::None; SLOTS];
        let mut classes = [None; SLOTS];
        let mut widths = [0; SLOTS];
        let mut slot = 0;
        while slot < SLOTS {
            let operand = self.operand_in(slot);
            if let Some(operand) = operand {
                roles[slot] = operand.role;
            }
            classes[slot] = class_of(operand);
            widths[slot] = width_of(operand);
            slot += 1;
        }
        match self.code.form {
            Form::RBaseRef => roles[1] = Role::Base,
            Form::ORef | Form::BranchRef => {
                roles[1] = Role::Base;
                roles[2] = Role::Index;
            }
            form if form.has_mem() => {
                roles[1] = Role::Base;
                roles[2] = Role::Index;
            }
            _ => {}
        }
        if let Role::Base = roles[1] {
            let of_index = if self.code.form.has_vector_index() {
                classes[1]
            } else {
                Some(RegClass::Int)
            };
            classes[1] = Some(RegClass::Int);
            classes[2] = of_index;
        }
        if let Role::Base = roles[1] {
            widths[2] = if self.code.form.has_vector_index() {
                widths[1]
            } else {
                8
            };
            widths[1] = 8;
        }
        let access = match self.effects.memory {
            Some(access) => access,
            None => self.code.form.access(),
        };
        OpDesc {
            roles,
            widths,
            classes,
            reads_flags: self.effects.reads_flags,
            writes_flags: self.effects.writes_flags,
            implicit_uses: self.effects.uses,
            implicit_defs: self.effects.defs,
            reads_memory: matches!(access, Access::Read | Access::Both),
            writes_memory: matches!(access, Access::Write | Access::Both),
            is_pure: self.code.form.only_computes() && !self.code.has(Code::FS),
            name: self.name,
            ..OpDesc::plain("")
        }
    }
}

/// The class of registers that an operand may be.
const fn class_of(operand: Option<Operand>) -> Option<RegClass> {
    match operand {
        Some(operand) => Some(operand.kind.class()),
        None => None,
    }
}

/// How many bytes of an operand's register are read or written; 0 for the operation's size.
const fn width_of(operand: Option<Operand>) -> u8 {
    match operand {
        Some(operand) => operand.kind.bytes(0),
        None => 0,
    }
}

/// At most three operands as an array with room for three.
pub(crate) const fn pad(operands: &[Operand]) -> [Option<Operand>; 3] {
    let mut padded = [None; 3];
    let mut index = 0;
    while index < operands.len() {
        padded[index] = Some(operands[index]);
        index += 1;
    }
    padded
}

/// Makes the enum and the tables from rows. A row is
/// `Name "mnemonic" Form encoding, sizes, [register operands], effects;`.
macro_rules! op_table {
    ($($name:ident $mnemonic:literal $form:ident $code:expr, $sizes:expr, [$($operand:expr),*], $effects:expr;)*) => {
        /// A row of the op table: a form of a machine instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Op {
            $(#[doc = concat!("`", $mnemonic, "`, form [`Form::", stringify!($form), "`].")] $name,)*
        }

        impl Op {
            /// All rows in order.
            pub const ALL: &[Op] = &[$(Op::$name),*];
        }

        /// The rows that have names, by [`Op`].
        pub(crate) const NAMED: [Row; Op::ALL.len()] = [$(Row {
            name: frazil_codegen::Text::new(stringify!($name)),
            mnemonic: frazil_codegen::Text::new($mnemonic),
            sizes: $sizes,
            code: $code.finish(Form::$form),
            operands: pad(&[$($operand),*]),
            effects: $effects,
        }),*];
    };
}
pub(crate) use op_table;
