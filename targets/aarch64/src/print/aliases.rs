//! Other names of instructions, for operands that these have.
//!
//! They are those that the Arm ARM prefers for disassembly.

use super::{Printer, is_zero};
use crate::cond::Cond;
use crate::encode::lane_log2;
use crate::ops::{Form, VectorForm};
use crate::regs::{LR, SP};
use crate::table::Op;
use std::fmt;

impl Printer<'_> {
    /// Writes the instruction by another name, if it has one for its operands.
    pub(super) fn alias(&mut self) -> Result<bool, fmt::Error> {
        let op = Op::ALL[usize::from(self.inst.op)];
        match self.row.code.form {
            Form::RrrShift => self.shifted_alias(op),
            Form::RrrExtend if is_zero(self.inst.reg(0)) => match op {
                Op::AddsExt => self.compare_extended("cmn"),
                Op::SubsExt => self.compare_extended("cmp"),
                _ => Ok(false),
            },
            Form::Rri => self.sum_alias(op),
            Form::RriLogical => self.logical_alias(op),
            Form::Wide => self.wide_alias(op),
            Form::Bitfield => self.bitfield_alias(op),
            Form::Extract if self.inst.reg(1) == self.inst.reg(2) => {
                self.named("ror")?;
                self.regs(2)?;
                self.imm(self.inst.imm)?;
                Ok(true)
            }
            Form::Select => self.select_alias(op),
            Form::Rrr => self.register_alias(op),
            Form::BranchReg if op == Op::RetReg && self.inst.reg(0) == LR => {
                self.named("ret")?;
                Ok(true)
            }
            Form::Vector(VectorForm::FromLane) if op == Op::Umov && lane_log2(self.inst) >= 2 => {
                self.named("mov")?;
                self.regs(2)?;
                Ok(true)
            }
            Form::CopyFloat if self.inst.size == 16 => {
                self.named("mov")?;
                self.vector_copy()?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn named(&mut self, mnemonic: &str) -> fmt::Result {
        self.out.write_str(mnemonic)
    }

    fn shifted_alias(&mut self, op: Op) -> Result<bool, fmt::Error> {
        let inst = self.inst;
        if is_zero(inst.reg(0)) {
            let compares = match op {
                Op::Adds => "cmn",
                Op::Subs => "cmp",
                Op::Ands => "tst",
                _ => return Ok(false),
            };
            self.named(compares)?;
            self.reg(1)?;
            self.reg(2)?;
            self.shift()?;
            return Ok(true);
        }
        if !is_zero(inst.reg(1)) {
            return Ok(false);
        }
        let mnemonic = match op {
            Op::Sub => "neg",
            Op::Subs => "negs",
            Op::Orn => "mvn",
            Op::Orr if inst.imm == 0 => "mov",
            _ => return Ok(false),
        };
        self.named(mnemonic)?;
        self.reg(0)?;
        self.reg(2)?;
        self.shift()?;
        Ok(true)
    }

    fn register_alias(&mut self, op: Op) -> Result<bool, fmt::Error> {
        let inst = self.inst;
        let (mnemonic, source) = match op {
            Op::Sbc if is_zero(inst.reg(1)) => ("ngc", 2),
            Op::Sbcs if is_zero(inst.reg(1)) => ("ngcs", 2),
            Op::OrrV if inst.reg(1) == inst.reg(2) => ("mov", 1),
            _ => return Ok(false),
        };
        self.named(mnemonic)?;
        self.reg(0)?;
        self.reg(source)?;
        Ok(true)
    }

    fn compare_extended(&mut self, mnemonic: &str) -> Result<bool, fmt::Error> {
        self.named(mnemonic)?;
        self.reg(1)?;
        self.extended(2, self.inst.reg(1) == SP)?;
        Ok(true)
    }

    fn sum_alias(&mut self, op: Op) -> Result<bool, fmt::Error> {
        let inst = self.inst;
        let mnemonic = match op {
            Op::AddI if inst.imm == 0 && (inst.reg(0) == SP || inst.reg(1) == SP) => {
                self.named("mov")?;
                self.regs(2)?;
                return Ok(true);
            }
            Op::AddsI if is_zero(inst.reg(0)) => "cmn",
            Op::SubsI if is_zero(inst.reg(0)) => "cmp",
            _ => return Ok(false),
        };
        self.named(mnemonic)?;
        self.reg(1)?;
        self.sum()?;
        Ok(true)
    }

    fn logical_alias(&mut self, op: Op) -> Result<bool, fmt::Error> {
        let inst = self.inst;
        match op {
            Op::OrrI if is_zero(inst.reg(1)) && !is_wide_move(crate::expand::number(inst), inst.size) => {
                self.named("mov")?;
                self.reg(0)?;
                self.number(crate::expand::number(inst))?;
                Ok(true)
            }
            Op::AndsI if is_zero(inst.reg(0)) => {
                self.named("tst")?;
                self.reg(1)?;
                self.logical()?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn wide_alias(&mut self, op: Op) -> Result<bool, fmt::Error> {
        let inst = self.inst;
        let value = u64::from(inst.imm.cast_unsigned()) << inst.disp;
        let is_plain = inst.imm != 0 || inst.disp == 0;
        let value = match op {
            Op::Movz if is_plain => value,
            Op::Movn if is_plain && !(inst.size == 4 && inst.imm == 0xffff) => !value,
            _ => return Ok(false),
        };
        self.named("mov")?;
        self.reg(0)?;
        self.number(value)?;
        Ok(true)
    }

    /// A number of the operation's size, with its sign.
    fn number(&mut self, value: u64) -> fmt::Result {
        self.comma()?;
        if self.inst.size == 8 {
            write!(self.out, "#{}", value.cast_signed())
        } else {
            write!(self.out, "#{}", (value as u32).cast_signed())
        }
    }

    fn bitfield_alias(&mut self, op: Op) -> Result<bool, fmt::Error> {
        let inst = self.inst;
        let (low, high) = (inst.imm, inst.disp);
        let last = if inst.size == 8 { 63 } else { 31 };
        let is_inserted = high < low;
        let (mnemonic, first, second) = match op {
            Op::Bfm if is_zero(inst.reg(1)) && is_inserted => {
                self.named("bfc")?;
                self.reg(0)?;
                self.imm((last + 1 - low) & last)?;
                self.imm(high + 1)?;
                return Ok(true);
            }
            Op::Sbfm | Op::Ubfm if low == 0 && matches!(high, 7 | 15 | 31) => {
                let is_signed = op == Op::Sbfm;
                let mnemonic = match (is_signed, high) {
                    (true, 7) => "sxtb",
                    (true, 15) => "sxth",
                    (true, _) if last == 63 => "sxtw",
                    (false, 7) if last == 31 => "uxtb",
                    (false, 15) if last == 31 => "uxth",
                    _ => "",
                };
                if !mnemonic.is_empty() {
                    self.named(mnemonic)?;
                    self.reg(0)?;
                    self.comma()?;
                    self.out.write_str(crate::regs::name(inst.reg(1), 4))?;
                    return Ok(true);
                }
                self.shift_or_field(op, low, high, last)
            }
            _ => self.shift_or_field(op, low, high, last),
        };
        self.named(mnemonic)?;
        self.regs(2)?;
        self.imm(first)?;
        if second >= 0 {
            self.imm(second)?;
        }
        Ok(true)
    }

    /// The name of a field of bits, and the numbers that it is written with; -1 for none.
    fn shift_or_field(&self, op: Op, low: i32, high: i32, last: i32) -> (&'static str, i32, i32) {
        let is_inserted = high < low;
        match op {
            Op::Ubfm if high != last && high + 1 == low => ("lsl", last - high, -1),
            Op::Ubfm if high == last => ("lsr", low, -1),
            Op::Sbfm if high == last => ("asr", low, -1),
            Op::Ubfm if is_inserted => ("ubfiz", last + 1 - low, high + 1),
            Op::Sbfm if is_inserted => ("sbfiz", last + 1 - low, high + 1),
            Op::Bfm if is_inserted => ("bfi", last + 1 - low, high + 1),
            Op::Ubfm => ("ubfx", low, high - low + 1),
            Op::Sbfm => ("sbfx", low, high - low + 1),
            _ => ("bfxil", low, high - low + 1),
        }
    }

    fn select_alias(&mut self, op: Op) -> Result<bool, fmt::Error> {
        let inst = self.inst;
        let condition = Cond::from_number(inst.condition());
        if inst.reg(1) != inst.reg(2) || matches!(condition, Cond::Al | Cond::Nv) {
            return Ok(false);
        }
        let is_of_zero = is_zero(inst.reg(1));
        let mnemonic = match op {
            Op::Csinc if is_of_zero => "cset",
            Op::Csinv if is_of_zero => "csetm",
            Op::Csinc => "cinc",
            Op::Csinv => "cinv",
            Op::Csneg => "cneg",
            _ => return Ok(false),
        };
        self.named(mnemonic)?;
        self.reg(0)?;
        if !is_of_zero || op == Op::Csneg {
            self.reg(1)?;
        }
        self.condition(condition.inverse() as u8)?;
        Ok(true)
    }
}

/// Whether a number is 16 bits with zeros, or ones, around them, which `mov` means before a logical immediate.
fn is_wide_move(value: u64, size: u8) -> bool {
    let (value, quarters) = if size == 8 {
        (value, 4)
    } else {
        (value & 0xffff_ffff, 2)
    };
    let all = if size == 8 { u64::MAX } else { 0xffff_ffff };
    (0..quarters).any(|quarter| {
        let mask = 0xffffu64 << (16 * quarter);
        value & !mask == 0 || !value & all & !mask == 0
    })
}
