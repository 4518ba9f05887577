//! Notes for assembly text: which instruction of the intermediate representation a machine instruction comes from,
//! which registers are live after it, and whose contents is read for the last time.

use crate::desc::{OpDesc, Role, TargetDesc};
use crate::mfunc::{MFunc, Term, for_each_register, op_desc};
use crate::minst::MInst;
use crate::module_view::ModuleView;
use crate::reg::PRegSet;
use frazil_ir::{EntityRef, Function, Inst, text};
use std::fmt::Write;

/// The registers around each instruction of a function over physical registers.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    /// By instruction: live after it.
    pub after: Vec<PRegSet>,
    /// By instruction: read by it and not live after it.
    pub ends: Vec<PRegSet>,
}

impl Liveness {
    /// Computes it by going backward over the blocks until nothing changes.
    pub fn compute(func: &MFunc, ops: &'static [OpDesc]) -> Liveness {
        let mut liveness = Liveness {
            after: vec![PRegSet::EMPTY; func.insts.len()],
            ends: vec![PRegSet::EMPTY; func.insts.len()],
        };
        let mut live_in = vec![PRegSet::EMPTY; func.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..func.blocks.len()).rev() {
                let live = liveness.walk_block(func, ops, block, &live_in);
                changed |= live != live_in[block];
                live_in[block] = live;
            }
        }
        liveness
    }

    /// Goes over a block; what is live at its start.
    fn walk_block(&mut self, func: &MFunc, ops: &'static [OpDesc], block: usize, live_in: &[PRegSet]) -> PRegSet {
        let mut live = PRegSet::EMPTY;
        if func.blocks[block].term != Term::Return {
            for edge in func.edges_of(block as u32) {
                live = live.union(live_in[func.edges[edge].to as usize]);
            }
        }
        for index in (func.blocks[block].start..func.blocks[block].end).rev() {
            let (uses, defs) = accesses(func, ops, &func.insts[index as usize]);
            self.after[index as usize] = live;
            self.ends[index as usize] = uses.minus(live);
            live = live.minus(defs).union(uses);
        }
        live
    }
}

/// The physical registers that an instruction reads and writes.
fn accesses(func: &MFunc, ops: &'static [OpDesc], inst: &MInst) -> (PRegSet, PRegSet) {
    let desc = op_desc(ops, inst.op);
    let sets = func.implicit(inst, desc);
    let (mut uses, mut defs) = (sets.uses, sets.defs);
    for_each_register(inst, desc, |_, reg, role| {
        if !reg.is_physical() {
            return;
        }
        if role != Role::Def {
            uses.insert(reg);
        }
        if matches!(role, Role::Def | Role::UseDef) {
            defs.insert(reg);
        }
    });
    (uses, defs)
}

/// The remark on a store of a register for want of registers.
pub(crate) const SPILL: &str = "spill";
/// The remark on the use of what such a store has put into memory.
pub(crate) const RELOAD: &str = "reload";

/// What is to be remarked on an instruction over physical registers, if it accesses a slot for spilled values.
pub(crate) fn remark(func: &MFunc, ops: &'static [OpDesc], inst: &MInst) -> Option<&'static str> {
    let is_slot = inst.names_frame() && inst.disp < func.frame.spills_below;
    let desc = op_desc(ops, inst.op);
    match (is_slot, desc.reads_memory, desc.writes_memory) {
        (true, true, _) => Some(RELOAD),
        (true, false, true) => Some(SPILL),
        _ => None,
    }
}

/// The text of a note.
pub(crate) fn note(
    desc: &TargetDesc,
    function: &Function,
    view: ModuleView<'_>,
    origin: u32,
    (live, ends): (PRegSet, PRegSet),
) -> String {
    let mut note = String::new();
    if (origin as usize) < function.insts().len() {
        text::print_inst(view.module, function, Inst::new(origin as usize), &mut note).expect("strings can be written");
    }
    for (what, set) in [("live", live), ("ends", ends)] {
        if set.is_empty() {
            continue;
        }
        write!(note, "; {what}").expect("strings can be written");
        for reg in set.iter() {
            if let Some(row) = desc.regs.iter().find(|row| row.reg == reg) {
                write!(note, " {}", row.name).expect("strings can be written");
            }
        }
    }
    note
}
