//! Describes a failed proof in words: the use, the place, and what is there instead.

use super::error::{CheckError, CheckFault, Missing};
use super::flow::{Flow, Name, Op, Place};
use super::site::{EDGE_SITE, NO_OPERAND};
use super::solve::{At, Failure};
use crate::desc::{OpDesc, TargetDesc};
use crate::mfunc::{MFunc, for_each_register, op_desc};
use crate::minst::MInst;
use crate::reg::Reg;
use crate::regalloc::AllocatorInput;
use std::fmt::Write;

/// An error about a site of a machine function.
pub(super) fn error(func: &MFunc, input: &AllocatorInput<'_>, block: u32, site: u32, fault: CheckFault) -> CheckError {
    if site & EDGE_SITE != 0 {
        let edge = func.edges[(site & !EDGE_SITE) as usize];
        return CheckError {
            block: edge.from,
            inst: format!("edge to block {}", edge.to),
            operand: None,
            fault,
        };
    }
    let inst = func.insts.get(site as usize / 4).map(|inst| {
        let text = instruction(input.desc, op_desc(input.ops, inst.op), inst);
        format!("{}: {text}", site / 4)
    });
    let operand = site % 4;
    CheckError {
        block,
        inst: inst.unwrap_or_default(),
        operand: (operand != NO_OPERAND).then_some(operand as u8),
        fault,
    }
}

/// A failed use of a machine function in words. `sources` tells what each block of the checker's form stands for.
pub(super) fn failure(
    func: &MFunc,
    input: &AllocatorInput<'_>,
    flow: &Flow,
    sources: &[u32],
    failure: &Failure,
) -> CheckError {
    let site = flow.sites[failure.op as usize];
    let name = |name: Name| machine_name(input.desc, func, name);
    let at = match failure.at {
        At::Use => None,
        At::Entry => Some("at the entry of the function".to_owned()),
        At::End(block) => Some(match sources[block as usize] {
            source if source & EDGE_SITE != 0 => {
                let edge = func.edges[(source & !EDGE_SITE) as usize];
                format!("on the edge from block {} to block {}", edge.from, edge.to)
            }
            source => format!("at the end of block {source}"),
        }),
    };
    let block = sources[flow.block_of(failure.op) as usize];
    let fault = CheckFault::Missing(Box::new(Missing {
        expected: expectation(flow, failure, name),
        place: place(input.desc, failure.place, |slot| format!("slot {slot}")),
        found: list(&failure.found, name),
        at,
    }));
    error(func, input, block, site, fault)
}

/// What a use expects, with the name that it has where it is missing.
pub(super) fn expectation(flow: &Flow, failure: &Failure, describe: impl Fn(Name) -> String) -> String {
    match flow.ops[failure.op as usize] {
        Op::Use { name, .. } if name != failure.name => {
            format!("{} (there {})", describe(name), describe(failure.name))
        }
        _ => describe(failure.name),
    }
}

/// The names that a place holds.
pub(super) fn list(names: &[Name], describe: impl Fn(Name) -> String) -> String {
    if names.is_empty() {
        return "nothing known".to_owned();
    }
    names.iter().map(|&name| describe(name)).collect::<Vec<_>>().join(", ")
}

/// A place in words.
pub(super) fn place(desc: &TargetDesc, place: Place, memory: impl Fn(u32) -> String) -> String {
    match place.0.checked_sub(Place::FLAGS.0) {
        None => register(desc, Reg(place.0)),
        Some(0) => "the flags".to_owned(),
        Some(number) => memory(number - 1),
    }
}

/// A physical register's name.
pub(super) fn register(desc: &TargetDesc, reg: Reg) -> String {
    let row = desc.regs.iter().find(|row| row.reg == reg);
    row.map_or_else(|| format!("{reg:?}"), |row| row.name.to_owned())
}

fn machine_name(desc: &TargetDesc, func: &MFunc, name: Name) -> String {
    if name.0 < Reg::FIRST_VIRTUAL {
        return format!("what the function put into {}", register(desc, Reg(name.0)));
    }
    if Reg(name.0).virtual_index() == func.vregs.len() {
        return "the flags".to_owned();
    }
    format!("{:?}", Reg(name.0))
}

/// An instruction as its row's name and its registers.
pub(super) fn instruction(target: &TargetDesc, desc: &OpDesc, inst: &MInst) -> String {
    let mut text = desc.name.to_string();
    let mut separator = ' ';
    for_each_register(inst, desc, |_, reg, _| {
        let name = if reg.is_physical() {
            register(target, reg)
        } else {
            format!("{reg:?}")
        };
        // Writing to a string does not fail.
        let _ = write!(text, "{separator}{name}");
        separator = ',';
    });
    let immediate = inst.immediate(desc);
    if inst.disp != 0 || immediate != 0 {
        let _ = write!(text, " [{}, {immediate}]", inst.disp);
    }
    text
}
