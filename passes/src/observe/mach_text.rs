//! The text of a machine function between passes: for reading, not for parsing.

use frazil_codegen::Reg;
use frazil_codegen::desc::{Role, TargetDesc};
use frazil_codegen::mfunc::{MEdge, MFunc, for_each_register, op_desc};
use frazil_codegen::minst::MInst;
use frazil_codegen::pass::MachPassCx;
use std::fmt::{self, Write};

/// A machine function as text: blocks with their edges and moves, instructions with rows and registers.
pub(super) fn text(func: &MFunc, cx: &MachPassCx<'_>) -> String {
    let mut text = String::new();
    write_function(func, cx, &mut text).expect("strings can be written");
    text
}

fn write_function(func: &MFunc, cx: &MachPassCx<'_>, out: &mut String) -> fmt::Result {
    for (number, block) in func.blocks.iter().enumerate() {
        writeln!(
            out,
            "block {number} (b{}, loop depth {}):",
            block.source, block.loop_depth
        )?;
        for index in block.start..block.end {
            write_inst(&func.insts[index as usize], cx, out)?;
        }
        write!(out, "  {:?}", block.term)?;
        for edge in func.edges_of(number as u32) {
            write_edge(func, edge, cx.hooks.desc(), out)?;
        }
        out.push('\n');
    }
    Ok(())
}

fn write_edge(func: &MFunc, edge: usize, desc: &TargetDesc, out: &mut String) -> fmt::Result {
    let MEdge { to, .. } = func.edges[edge];
    write!(out, " -> block {to}")?;
    for (index, phi) in func.moves_of(edge).iter().enumerate() {
        let separator = if index == 0 { " [" } else { ", " };
        write!(out, "{separator}{} = {}", name(phi.dst, desc), name(phi.src, desc))?;
    }
    if !func.moves_of(edge).is_empty() {
        out.push(']');
    }
    Ok(())
}

fn write_inst(inst: &MInst, cx: &MachPassCx<'_>, out: &mut String) -> fmt::Result {
    let desc = op_desc(cx.hooks.ops(), inst.op);
    write!(out, "  {}.{}", desc.name, inst.size)?;
    for_each_register(inst, desc, |_, reg, role| {
        let role = match role {
            Role::Def => "=",
            Role::UseDef => "+",
            Role::Base => "base ",
            Role::Index => "index ",
            Role::Use | Role::None => "",
        };
        out.push_str(&format!(" {role}{}", name(reg, cx.hooks.desc())));
    });
    if let Some(reference) = inst.mem().reference() {
        write!(out, " {reference:?}")?;
    }
    if inst.disp != 0 {
        write!(out, " disp {}", inst.disp)?;
    }
    writeln!(out, " imm {}", inst.imm)
}

/// The name of a register, virtual ones by number.
fn name(reg: Reg, desc: &TargetDesc) -> String {
    if reg.is_virtual() {
        return format!("v{}", reg.virtual_index());
    }
    let row = desc.regs.iter().find(|row| row.reg == reg);
    row.map_or_else(|| format!("{reg:?}"), |row| row.name.to_owned())
}
