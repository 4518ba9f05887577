//! Text of vectors.

use super::Printer;
use crate::encode::lane_log2;
use crate::ops::{Form, Kind, VectorForm, sizes};
use crate::regs::{LIST, scalar_letter};
use frazil_codegen::Reg;
use std::fmt;

impl Printer<'_> {
    /// A vector register as an operand of a kind.
    pub(super) fn vector_reg(&mut self, slot: usize, reg: Reg, kind: Kind) -> fmt::Result {
        let (number, size) = (reg.number(), self.inst.size);
        let lane = 1u8 << lane_log2(self.inst);
        let letter = scalar_letter(lane);
        match kind {
            Kind::Vector if lane == size && self.is_scalar() => write!(self.out, "{letter}{number}"),
            Kind::Vector => write!(self.out, "v{number}.{}{letter}", size / lane),
            Kind::Wide => write!(self.out, "v{number}.{}{}", 8 / lane, scalar_letter(2 * lane)),
            Kind::Paired => write!(self.out, "v{number}.{}{}", size / lane / 2, scalar_letter(2 * lane)),
            Kind::Bytes => write!(self.out, "v{number}.{size}b"),
            Kind::Halves => write!(self.out, "v{number}.{}h", size / 2),
            Kind::LowerHalves => write!(self.out, "v{number}.{}h", size / 4),
            Kind::Table => write!(self.out, "{{ v{number}.16b }}"),
            Kind::Lane => write!(self.out, "{letter}{number}"),
            Kind::WideLane => write!(self.out, "{}{number}", scalar_letter(2 * lane)),
            Kind::Element => write!(self.out, "v{number}.{letter}[{}]", self.lane(slot)),
            Kind::Upper => write!(self.out, "v{number}.d[1]"),
            _ => unreachable!("other kinds are no vectors"),
        }
    }

    /// Whether a single lane of this row is a scalar.
    fn is_scalar(&self) -> bool {
        let is_widened = self.row.operands[0].is_some_and(|operand| operand.kind == Kind::Wide);
        let is_loaded = self.row.code.form == Form::Vector(VectorForm::LoadAll);
        self.row.lanes & sizes::ONE != 0 && !is_widened && !is_loaded
    }

    /// The lane of an operand.
    fn lane(&self, slot: usize) -> i32 {
        match self.row.code.form {
            Form::Vector(VectorForm::Lanes) if slot == 1 => self.inst.imm >> 4,
            _ => self.inst.imm & 15,
        }
    }

    /// What comes after the mnemonic where the upper half of a vector is meant.
    pub(super) fn half(&mut self) -> fmt::Result {
        let mut kinds = self.row.operands.iter().flatten().map(|operand| operand.kind);
        if self.inst.size == 16 && kinds.any(|kind| kind == Kind::Wide) {
            self.out.write_char('2')?;
        }
        Ok(())
    }

    /// A copy of a float, or of a whole register.
    pub(super) fn vector_copy(&mut self) -> fmt::Result {
        let (dst, src) = (self.inst.reg(0).number(), self.inst.reg(1).number());
        self.comma()?;
        match self.inst.size {
            16 => write!(self.out, "v{dst}.16b, v{src}.16b"),
            8 => write!(self.out, "d{dst}, d{src}"),
            _ => write!(self.out, "s{dst}, s{src}"),
        }
    }

    pub(super) fn vector(&mut self, form: VectorForm) -> fmt::Result {
        let inst = self.inst;
        match form {
            VectorForm::ShiftLeft | VectorForm::ShiftRight => {
                self.regs(2)?;
                self.imm(inst.imm)
            }
            VectorForm::ShiftAll => {
                self.regs(2)?;
                self.imm(8 << lane_log2(inst))
            }
            VectorForm::ByLane => self.regs(3),
            VectorForm::FromLane
            | VectorForm::FromLaneSigned
            | VectorForm::ToLane
            | VectorForm::FromGeneral
            | VectorForm::Lanes => self.regs(2),
            VectorForm::Extract => {
                self.regs(3)?;
                self.imm(inst.imm)
            }
            VectorForm::Zero => {
                self.regs(2)?;
                self.imm(0)
            }
            VectorForm::FloatZero => {
                self.regs(2)?;
                self.out.write_str(", #0.0")
            }
            VectorForm::Filled(byte) => self.bytes(u64::from(byte) * 0x0101_0101_0101_0101),
            VectorForm::Modified if lane_log2(inst) == 3 => {
                // Each bit is a byte.
                let imm = inst.imm.cast_unsigned();
                self.bytes((0..8).fold(0, |all, bit| all | (u64::from(imm >> bit & 1) * 0xff) << (8 * bit)))
            }
            VectorForm::Modified => {
                self.reg(0)?;
                self.imm(inst.imm)?;
                match inst.disp {
                    0 => Ok(()),
                    shift => write!(self.out, ", lsl #{shift}"),
                }
            }
            VectorForm::ModifiedOnes => {
                self.reg(0)?;
                self.imm(inst.imm)?;
                write!(self.out, ", msl #{}", inst.disp)
            }
            VectorForm::Float => {
                self.reg(0)?;
                self.float_imm(inst.imm)
            }
            VectorForm::Complex => {
                self.regs(3)?;
                self.imm(90 * inst.imm)
            }
            VectorForm::LoadLane | VectorForm::StoreLane => {
                let (number, letter) = (inst.reg(0).number(), scalar_letter(1 << lane_log2(inst)));
                self.comma()?;
                write!(self.out, "{{ v{number}.{letter} }}[{}]", inst.imm)?;
                self.base(None)
            }
            VectorForm::LoadAll => {
                self.comma()?;
                self.out.write_str("{ ")?;
                self.vector_reg(0, inst.reg(0), Kind::Vector)?;
                self.out.write_str(" }")?;
                self.base(None)
            }
            VectorForm::Three => {
                self.reg(0)?;
                self.regs(3)
            }
            VectorForm::ByWord => self.regs(3),
            VectorForm::Turned => {
                self.regs(3)?;
                self.imm(inst.imm)
            }
            VectorForm::LoadList(count) | VectorForm::StoreList(count) => {
                let lane = 1u8 << lane_log2(inst);
                self.list(count, &format!("{}{}", inst.size / lane, scalar_letter(lane)))?;
                self.base(None)
            }
            VectorForm::LoadListLane(count) | VectorForm::StoreListLane(count) => {
                self.list(count, &scalar_letter(1 << lane_log2(inst)).to_string())?;
                write!(self.out, "[{}]", inst.imm)?;
                self.base(None)
            }
            VectorForm::TableList(count) => {
                self.reg(0)?;
                self.list(count, "16b")?;
                self.reg(1)
            }
        }
    }

    /// Registers of the list with one arrangement.
    fn list(&mut self, count: u8, arrangement: &str) -> fmt::Result {
        self.comma()?;
        for (index, reg) in LIST.iter().take(count.into()).enumerate() {
            let before = if index == 0 { "{ " } else { ", " };
            write!(self.out, "{before}v{}.{arrangement}", reg.number())?;
        }
        self.out.write_str(" }")
    }

    /// A number of 64 bits for each half of a register.
    fn bytes(&mut self, value: u64) -> fmt::Result {
        let number = self.inst.reg(0).number();
        self.comma()?;
        match self.inst.size {
            16 => write!(self.out, "v{number}.2d")?,
            _ => write!(self.out, "d{number}")?,
        }
        write!(self.out, ", #{value:#018x}")
    }
}
