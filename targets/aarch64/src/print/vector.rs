//! Text of vectors.

use super::Printer;
use crate::encode::lane_log2;
use crate::ops::{Kind, VectorForm};
use crate::regs::scalar_letter;
use frazil_codegen::Reg;
use std::fmt;

impl Printer<'_> {
    /// A vector register as an operand of a kind.
    pub(super) fn vector_reg(&mut self, reg: Reg, kind: Kind) -> fmt::Result {
        let (number, size) = (reg.number(), self.inst.size);
        let lane = 1u8 << lane_log2(self.inst);
        let letter = scalar_letter(lane);
        match kind {
            Kind::Vector => write!(self.out, "v{number}.{}{letter}", size / lane),
            Kind::Bytes => write!(self.out, "v{number}.{size}b"),
            Kind::Lane => write!(self.out, "{letter}{number}"),
            Kind::WideLane => write!(self.out, "{}{number}", scalar_letter(2 * lane)),
            Kind::Element => write!(self.out, "v{number}.d[1]"),
            _ => write!(self.out, "v{number}"),
        }
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
        match form {
            VectorForm::Filled(byte) => {
                let number = self.inst.reg(0).number();
                self.comma()?;
                match self.inst.size {
                    16 => write!(self.out, "v{number}.2d")?,
                    _ => write!(self.out, "d{number}")?,
                }
                write!(self.out, ", #{:#018x}", u64::from(byte) * 0x0101_0101_0101_0101)
            }
            VectorForm::Modified => {
                self.reg(0)?;
                self.imm(self.inst.imm)?;
                match self.inst.disp {
                    0 => Ok(()),
                    shift => write!(self.out, ", lsl #{shift}"),
                }
            }
            _ => self.regs(3),
        }
    }
}
