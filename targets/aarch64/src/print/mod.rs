//! Assembly text of one machine instruction, in the syntax of the Arm ARM, as GNU `as` and the LLVM project's assembler
//! read it.
//!
//! Where an instruction has another name for the operands that it has (`lsr` for a field of bits that ends with the
//! register, `mov` for a sum with nothing), that is printed, as both disassemblers do. Sequences are several lines,
//! with `"\n\t"` between them.

mod aliases;
mod vector;

use crate::cond::Cond;
use crate::encode::{named, reference_in_immediate};
use crate::expand::expand;
use crate::ops::{Form, Kind, Row, aux};
use crate::regs::{SP, XZR, name, scalar_letter};
use crate::relocs;
use crate::table::{Op, ROWS};
use frazil_codegen::{AsmNames, MInst, Ref};
use std::fmt::{self, Write};

/// Writes the text of `inst`.
///
/// # Errors
/// As the writer's.
pub fn print_to(inst: &MInst, names: &dyn AsmNames, out: &mut dyn Write) -> fmt::Result {
    let mut result = Ok(());
    let mut is_first = true;
    expand(inst, &mut |single| {
        if result.is_ok() {
            result = line(single, is_first, names, out);
        }
        is_first = false;
    });
    result
}

fn line(inst: &MInst, is_first: bool, names: &dyn AsmNames, out: &mut dyn Write) -> fmt::Result {
    if !is_first {
        out.write_str("\n\t")?;
    }
    let row = &ROWS[usize::from(inst.op)];
    let mut printer = Printer {
        inst,
        row,
        names,
        out,
        has_operand: false,
    };
    printer.line()
}

/// The kinds of shift by number.
const SHIFTS: [&str; 4] = ["lsl", "lsr", "asr", "ror"];
/// The kinds of extension by number.
const EXTENSIONS: [&str; 8] = ["uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"];

/// What barriers are for, by number.
const BARRIERS: [&str; 16] = [
    "", "oshld", "oshst", "osh", "", "nshld", "nshst", "nsh", "", "ishld", "ishst", "ish", "", "ld", "st", "sy",
];

struct Printer<'a> {
    inst: &'a MInst,
    row: &'static Row,
    names: &'a dyn AsmNames,
    out: &'a mut dyn Write,
    /// Whether an operand was written, so that a comma comes before the next.
    has_operand: bool,
}

impl Printer<'_> {
    fn line(&mut self) -> fmt::Result {
        if self.alias()? {
            return Ok(());
        }
        self.mnemonic()?;
        let inst = self.inst;
        match self.row.code.form {
            Form::None | Form::BranchFixed => Ok(()),
            Form::Imm(8, 4) => {
                self.comma()?;
                match BARRIERS[inst.imm as usize & 15] {
                    "" => write!(self.out, "#{}", inst.imm),
                    domain => self.out.write_str(domain),
                }
            }
            Form::Imm(..) => self.imm(inst.imm),
            Form::Rr | Form::Copy => self.regs(2),
            Form::CopyFloat => self.vector_copy(),
            Form::Rrr => self.regs(3),
            Form::Accumulate => {
                self.regs(3)?;
                self.reg(0)
            }
            Form::RrrShift => {
                self.regs(3)?;
                self.shift()
            }
            Form::CompareShift => {
                self.regs(2)?;
                self.shift()
            }
            Form::RrrExtend => {
                self.regs(2)?;
                self.extended(2, inst.reg(0) == SP || inst.reg(1) == SP)
            }
            Form::CompareExtend => {
                self.reg(0)?;
                self.extended(1, inst.reg(0) == SP)
            }
            Form::Rri => {
                self.regs(2)?;
                self.sum()
            }
            Form::CompareImm => {
                self.reg(0)?;
                self.sum()
            }
            Form::RriLogical => {
                self.regs(2)?;
                self.logical()
            }
            Form::CompareLogical => {
                self.reg(0)?;
                self.logical()
            }
            Form::Wide => {
                self.reg(0)?;
                self.imm(inst.imm)?;
                match inst.disp {
                    0 => Ok(()),
                    shift => write!(self.out, ", lsl #{shift}"),
                }
            }
            Form::Bitfield => {
                self.regs(2)?;
                self.imm(inst.imm)?;
                self.imm(inst.disp)
            }
            Form::ShiftLeft | Form::ShiftRight | Form::Rotate => {
                self.regs(2)?;
                self.imm(inst.imm)
            }
            Form::Extract => {
                self.regs(3)?;
                self.imm(inst.imm)
            }
            Form::Select => {
                self.regs(3)?;
                self.condition(inst.condition())
            }
            Form::Set => {
                self.reg(0)?;
                self.condition(inst.condition())
            }
            Form::CompareIf => {
                self.regs(2)?;
                self.imm(inst.disp)?;
                self.condition(inst.condition())
            }
            Form::CompareImmIf => {
                self.reg(0)?;
                self.imm(inst.imm)?;
                self.imm(inst.disp)?;
                self.condition(inst.condition())
            }
            Form::AddressLabel | Form::BranchZero if self.row.operands[0].is_none() => {
                self.temp()?;
                self.label()
            }
            Form::AddressLabel | Form::BranchZero => {
                self.reg(0)?;
                self.label()
            }
            Form::BranchBit => {
                self.comma()?;
                let bytes = if inst.disp < 32 { 4 } else { 8 };
                self.out.write_str(name(inst.reg(0), bytes))?;
                self.imm(inst.disp)?;
                self.label()
            }
            Form::Branch | Form::BranchIf => self.label(),
            Form::BranchReg => self.reg(0),
            Form::BranchRef => self.symbol("", named(inst), inst.disp),
            Form::DescriptorBranch => {
                self.comma()?;
                self.out.write_str("x1")
            }
            Form::PageRef | Form::LoadLiteral => {
                let kind = named(inst).kind();
                let relocation = match self.row.code.form {
                    Form::LoadLiteral => relocs::near(kind, true),
                    _ if inst.op == Op::Adrp as u16 => relocs::page(kind),
                    _ => relocs::near(kind, false),
                };
                self.reg(0)?;
                self.symbol(relocs::operator(relocation), named(inst), inst.disp)
            }
            Form::WideRef => {
                self.reg(0)?;
                self.comma()?;
                self.out.write_char('#')?;
                let operator = relocs::operator(relocs::quarter(inst.imm));
                self.reference(operator, named(inst), inst.disp)
            }
            Form::SumLow | Form::SumHigh => {
                let reference = reference_in_immediate(inst);
                let relocation = match self.row.code.form {
                    Form::SumLow => relocs::low_sum(reference.kind()),
                    _ => relocs::high_sum(reference.kind()),
                };
                self.regs(2)?;
                self.comma()?;
                // Not all assemblers read an operator before a shift without this.
                let is_high = self.row.code.form == Form::SumHigh;
                self.out.write_str(if is_high { "#" } else { "" })?;
                self.reference(relocs::operator(relocation), reference, inst.disp)?;
                self.out.write_str(if is_high { ", lsl #12" } else { "" })
            }
            Form::ReadSystem => {
                self.reg(0)?;
                self.system()
            }
            Form::WriteSystem => {
                self.system()?;
                self.reg(0)
            }
            Form::Load | Form::Store | Form::LoadExtend | Form::StoreExtend => {
                self.reg(0)?;
                self.memory()
            }
            Form::Prefetch => {
                self.comma()?;
                match prefetch_name(inst.imm) {
                    Some(operation) => self.out.write_str(&operation)?,
                    None => write!(self.out, "#{}", inst.imm)?,
                }
                self.memory()
            }
            Form::LoadBefore | Form::StoreBefore => {
                self.reg(0)?;
                self.base(Some(inst.imm))?;
                self.out.write_char('!')
            }
            Form::LoadAfter | Form::StoreAfter => {
                self.reg(0)?;
                self.base(None)?;
                self.imm(inst.imm)
            }
            Form::LoadPair | Form::StorePair => {
                self.reg(0)?;
                self.reg(2)?;
                self.base(Some(inst.disp).filter(|&disp| disp != 0))
            }
            Form::LoadPairBefore | Form::StorePairBefore => {
                self.reg(0)?;
                self.reg(2)?;
                self.base(Some(inst.imm))?;
                self.out.write_char('!')
            }
            Form::LoadPairAfter | Form::StorePairAfter => {
                self.reg(0)?;
                self.reg(2)?;
                self.base(None)?;
                self.imm(inst.imm)
            }
            Form::LoadOrdered | Form::StoreOrdered => {
                self.reg(0)?;
                self.base(None)
            }
            Form::StoreExclusive => {
                self.reg(0)?;
                self.reg(2)?;
                self.base(None)
            }
            Form::LoadExclusivePair => {
                self.reg(0)?;
                self.reg(2)?;
                self.base(None)
            }
            Form::StoreExclusivePair => {
                self.temp()?;
                self.reg(0)?;
                self.reg(2)?;
                self.base(None)
            }
            Form::Modify => {
                self.reg(2)?;
                self.reg(0)?;
                self.base(None)
            }
            Form::CompareExchange => {
                self.reg(0)?;
                self.reg(2)?;
                self.base(None)
            }
            Form::CompareExchangePair => {
                self.comma()?;
                self.out.write_str("x0, x1, x2, x3")?;
                self.base(None)
            }
            Form::CompareFloat => self.regs(2),
            Form::CompareFloatZero => {
                self.reg(0)?;
                self.out.write_str(", #0.0")
            }
            Form::FloatImm => {
                self.reg(0)?;
                self.float_imm(inst.imm)
            }
            Form::Vector(form) => self.vector(form),
            Form::Constant
            | Form::SymbolAddress
            | Form::WholeAddress
            | Form::TableSlot
            | Form::ThreadOffset
            | Form::DescriptorCall
            | Form::BranchMarked
            | Form::ReturnPopping
            | Form::Address
            | Form::StoreStack
            | Form::LoadStack => unreachable!("sequences are taken apart"),
        }
    }

    /// The mnemonic with what order, size and address add to it.
    fn mnemonic(&mut self) -> fmt::Result {
        let inst = self.inst;
        let mnemonic = self.row.mnemonic.as_str();
        let letters = |is_acquire, is_release| match (is_acquire, is_release) {
            (true, true) => "al",
            (true, false) => "a",
            (false, true) => "l",
            (false, false) => "",
        };
        let (acquire, release) = (inst.aux & aux::ACQUIRE != 0, inst.aux & aux::RELEASE != 0);
        let narrow = match inst.size {
            1 => "b",
            2 => "h",
            _ => "",
        };
        let is_general = self.row.operands[0].is_some_and(|operand| !operand.kind.is_vector());
        match self.row.code.form {
            Form::BranchIf => write!(self.out, "b.{}", Cond::from_number(inst.condition()).name()),
            Form::Load | Form::Store | Form::Prefetch | Form::LoadExtend | Form::StoreExtend => {
                let suffix = if is_general && self.row.code.access == 0 {
                    narrow
                } else {
                    ""
                };
                if self.is_unscaled() {
                    let (start, rest) = mnemonic.split_at(if mnemonic == "prfm" { 3 } else { 2 });
                    write!(self.out, "{start}u{rest}{suffix}")
                } else {
                    write!(self.out, "{mnemonic}{suffix}")
                }
            }
            Form::LoadBefore | Form::StoreBefore | Form::LoadAfter | Form::StoreAfter if is_general => {
                write!(self.out, "{mnemonic}{narrow}")
            }
            Form::LoadOrdered | Form::LoadExclusivePair if acquire && mnemonic.starts_with("ldx") => {
                write!(self.out, "lda{}{narrow}", &mnemonic[2..])
            }
            Form::StoreExclusive | Form::StoreExclusivePair if release => {
                write!(self.out, "stl{}{narrow}", &mnemonic[2..])
            }
            Form::LoadOrdered | Form::StoreOrdered | Form::StoreExclusive => write!(self.out, "{mnemonic}{narrow}"),
            Form::Modify | Form::CompareExchange | Form::CompareExchangePair => {
                write!(self.out, "{mnemonic}{}{narrow}", letters(acquire, release))
            }
            Form::DescriptorBranch => {
                self.out.write_str(".tlsdesccall ")?;
                self.names.write_ref(named(inst), self.out)?;
                write!(self.out, "\n\t{mnemonic}")
            }
            _ => {
                self.out.write_str(mnemonic)?;
                self.half()
            }
        }
    }

    /// Whether the displacement is not a multiple of what is accessed.
    fn is_unscaled(&self) -> bool {
        let (mem, inst) = (self.inst.mem(), self.inst);
        let bytes = i32::from(self.row.code.access_bytes(inst.size));
        inst.aux & aux::LOW == 0
            && mem.index_reg().is_none()
            && !(mem.disp >= 0 && mem.disp % bytes == 0 && mem.disp / bytes < 4096)
    }

    fn comma(&mut self) -> fmt::Result {
        let separator = if self.has_operand { ", " } else { "\t" };
        self.has_operand = true;
        self.out.write_str(separator)
    }

    /// The first operands that are registers.
    fn regs(&mut self, count: usize) -> fmt::Result {
        (0..count).try_for_each(|slot| self.reg(slot))
    }

    fn reg(&mut self, slot: usize) -> fmt::Result {
        self.comma()?;
        let (inst, reg) = (self.inst, self.inst.reg(slot));
        let kind = self.row.operands[slot].expect("the form has this operand").kind;
        match kind {
            Kind::Sized | Kind::SizedOrStack => self.out.write_str(name(reg, inst.size)),
            Kind::Cleared | Kind::Part(_) => self.out.write_str(name(reg, 4)),
            Kind::General(bytes) => self.out.write_str(name(reg, bytes)),
            Kind::Float => write!(self.out, "{}{}", scalar_letter(inst.size), reg.number()),
            Kind::FloatOf(bytes) => write!(self.out, "{}{}", scalar_letter(bytes), reg.number()),
            Kind::GeneralLane => {
                let is_long = crate::encode::lane_log2(inst) == 3;
                self.out.write_str(name(reg, if is_long { 8 } else { 4 }))
            }
            _ => self.vector_reg(slot, reg, kind),
        }
    }

    /// The encoder's register, which is no operand.
    fn temp(&mut self) -> fmt::Result {
        self.comma()?;
        self.out.write_str(name(crate::regs::TEMP, 4))
    }

    fn imm(&mut self, value: i32) -> fmt::Result {
        self.comma()?;
        write!(self.out, "#{value}")
    }

    fn float_imm(&mut self, code: i32) -> fmt::Result {
        let value = f64::from_bits(crate::immediates::float_bits(code as u8, 8));
        self.comma()?;
        write!(self.out, "#{value:.8}")
    }

    fn shift(&mut self) -> fmt::Result {
        match self.inst.imm {
            0 => Ok(()),
            imm => write!(self.out, ", {} #{}", SHIFTS[(imm >> 6) as usize & 3], imm & 63),
        }
    }

    /// An operand that is extended, beside the stack pointer or not.
    fn extended(&mut self, slot: usize, is_stack: bool) -> fmt::Result {
        let (kind, amount) = ((self.inst.imm >> 3) as usize & 7, self.inst.imm & 7);
        let is_long = self.inst.size == 8 && kind & 3 == 3;
        self.comma()?;
        self.out
            .write_str(name(self.inst.reg(slot), if is_long { 8 } else { 4 }))?;
        let own = if self.inst.size == 8 { 3 } else { 2 };
        match amount {
            0 if is_stack && kind == own => Ok(()),
            _ if is_stack && kind == own => write!(self.out, ", lsl #{amount}"),
            0 => write!(self.out, ", {}", EXTENSIONS[kind]),
            _ => write!(self.out, ", {} #{amount}", EXTENSIONS[kind]),
        }
    }

    fn sum(&mut self) -> fmt::Result {
        match self.inst.imm {
            imm @ 0..=0xfff => self.imm(imm),
            imm => {
                self.imm(imm >> 12)?;
                self.out.write_str(", lsl #12")
            }
        }
    }

    fn logical(&mut self) -> fmt::Result {
        let value = crate::expand::number(self.inst);
        let value = if self.inst.size == 8 {
            value
        } else {
            value & 0xffff_ffff
        };
        self.comma()?;
        write!(self.out, "#{value:#x}")
    }

    fn condition(&mut self, condition: u8) -> fmt::Result {
        self.comma()?;
        self.out.write_str(Cond::from_number(condition).name())
    }

    fn label(&mut self) -> fmt::Result {
        self.comma()?;
        self.names.write_label(self.inst.label(), self.out)
    }

    fn symbol(&mut self, operator: &str, reference: Ref, addend: i32) -> fmt::Result {
        self.comma()?;
        self.reference(operator, reference, addend)
    }

    fn reference(&mut self, operator: &str, reference: Ref, addend: i32) -> fmt::Result {
        self.out.write_str(operator)?;
        self.names.write_ref(reference, self.out)?;
        match addend {
            0 => Ok(()),
            _ => write!(self.out, "{addend:+}"),
        }
    }

    /// A base and what is added to it.
    fn base(&mut self, disp: Option<i32>) -> fmt::Result {
        self.comma()?;
        write!(self.out, "[{}", name(self.inst.reg(1), 8))?;
        if let Some(disp) = disp {
            write!(self.out, ", #{disp}")?;
        }
        self.out.write_char(']')
    }

    fn memory(&mut self) -> fmt::Result {
        let (inst, mem) = (self.inst, self.inst.mem());
        self.comma()?;
        write!(self.out, "[{}", name(mem.base_reg(), 8))?;
        if inst.aux & aux::LOW != 0 {
            let reference = reference_in_immediate(inst);
            let bytes = self.row.code.access_bytes(inst.size);
            let operator = relocs::operator(relocs::low_access(reference.kind(), bytes));
            self.out.write_str(", ")?;
            self.reference(operator, reference, inst.disp)?;
        } else if !mem.index_reg().is_none() {
            let scale = mem.scale_log2;
            let (width, extension) = match self.row.code.form {
                Form::LoadExtend | Form::StoreExtend if inst.aux & aux::SIGNED_INDEX != 0 => (4, "sxtw"),
                Form::LoadExtend | Form::StoreExtend => (4, "uxtw"),
                _ => (8, if scale == 0 { "" } else { "lsl" }),
            };
            write!(self.out, ", {}", name(mem.index_reg(), width))?;
            if !extension.is_empty() {
                write!(self.out, ", {extension}")?;
            }
            if scale != 0 {
                write!(self.out, " #{scale}")?;
            }
        } else if mem.disp != 0 {
            write!(self.out, ", #{}", mem.disp)?;
        }
        self.out.write_char(']')
    }

    /// The name of a system register that code uses, or its number.
    fn system(&mut self) -> fmt::Result {
        self.comma()?;
        let number = self.inst.imm;
        if let Some((_, name)) = SYSTEM_REGISTERS.iter().find(|(known, _)| *known == number) {
            return self.out.write_str(name);
        }
        let field = |place: i32, bits: i32| number >> place & ((1 << bits) - 1);
        write!(
            self.out,
            "s{}_{}_c{}_c{}_{}",
            2 + field(14, 1),
            field(11, 3),
            field(7, 4),
            field(3, 4),
            field(0, 3)
        )
    }
}

/// Registers of the system that have a name here, by the 15 bits that instructions have.
pub const SYSTEM_REGISTERS: &[(i32, &str)] = &[
    (crate::expand::THREAD_POINTER, "tpidr_el0"),
    (0x5a10, "nzcv"),
    (0x5a20, "fpcr"),
    (0x5a21, "fpsr"),
    (0x5801, "ctr_el0"),
    (0x5807, "dczid_el0"),
    (0x5ce8, "pmccntr_el0"),
    (0x5f00, "cntfrq_el0"),
    (0x5f02, "cntvct_el0"),
];

/// The name of a prefetch operation: what is loaded, to which cache, and whether it is used once.
fn prefetch_name(number: i32) -> Option<String> {
    let kind = ["pld", "pli", "pst"].get((number >> 3) as usize)?;
    let level = (number >> 1 & 3) + 1;
    if level > 3 {
        return None;
    }
    let policy = if number & 1 == 0 { "keep" } else { "strm" };
    Some(format!("{kind}l{level}{policy}"))
}

/// Whether a register is the zero register.
fn is_zero(reg: frazil_codegen::Reg) -> bool {
    reg == XZR
}
