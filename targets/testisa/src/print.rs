//! Assembly text. What the encoder expands is one line here.

use crate::ops::{Form, Op};
use crate::regs::name;
use frazil_codegen::{AsmNames, MInst, Reg};
use std::fmt::{self, Write};

/// Writes an instruction.
pub fn print(inst: &MInst, names: &dyn AsmNames, out: &mut dyn Write) -> fmt::Result {
    let Some(op) = Op::from_number(inst.op) else {
        return out.write_str("unknown");
    };
    let row = op.row();
    out.write_str(row.name)?;
    if inst.size == 8 {
        out.write_str(".d")?;
    }
    match row.form {
        Form::None => {}
        Form::Rrr | Form::Rr | Form::Split | Form::JumpReg | Form::CallReg => write_regs(&inst.regs(), out)?,
        Form::Rri | Form::Li => {
            write_regs(&inst.regs(), out)?;
            write!(out, ", {}", inst.imm)?;
        }
        Form::SymbolAddress | Form::Literal => {
            write_regs(&[inst.reg(0)], out)?;
            out.write_str(", ")?;
            if let Some(named) = inst.reference() {
                names.write_ref(named, out)?;
            }
            if inst.disp != 0 {
                write!(out, "{:+}", inst.disp)?;
            }
        }
        Form::LabelAddress => {
            write_regs(&inst.regs(), out)?;
            out.write_str(", ")?;
            names.write_label(inst.label(), out)?;
        }
        Form::Load | Form::Store => {
            write_regs(&[inst.reg(0)], out)?;
            write!(out, ", {}({})", inst.disp, name(inst.reg(1)))?;
        }
        Form::Branch => {
            write_regs(&inst.regs(), out)?;
            out.write_str(", ")?;
            names.write_label(inst.label(), out)?;
        }
        Form::Jump => {
            out.write_char(' ')?;
            names.write_label(inst.label(), out)?;
        }
        Form::Call => {
            out.write_char(' ')?;
            if let Some(named) = inst.reference() {
                names.write_ref(named, out)?;
            }
        }
    }
    Ok(())
}

fn write_regs(regs: &[Reg], out: &mut dyn Write) -> fmt::Result {
    let present = regs.iter().filter(|reg| !reg.is_none());
    for (index, &reg) in present.enumerate() {
        write!(out, "{}{}", if index == 0 { " " } else { ", " }, name(reg))?;
    }
    Ok(())
}
