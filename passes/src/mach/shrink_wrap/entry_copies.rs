//! Moves copies of arguments to callee-saved registers and spill slots from the first block to the block that needs
//! them, so that paths on which they are not needed do without a frame ([`super`]).
//!
//! Method: a walk over the block replaces uses of a copy by the argument's own register, as long as that has the same
//! value. After that, every instruction that still needs the frame must be one that can be moved after all others: a
//! copy, a pure computation, or a store to a spill slot, whose sources are not written and whose result is neither read
//! nor written after it. If there is one that cannot, nothing is moved.

use super::Needs;
use crate::mach::live::{Live, effects};
use frazil_codegen::desc::{OpDesc, Role};
use frazil_codegen::mfunc::{MFunc, RegSets, op_desc, pseudo};
use frazil_codegen::minst::{MInst, RegisterOperand, rewrite_registers};
use frazil_codegen::reg::{PRegSet, Reg, RegClass};

/// An instruction of the block that is examined, or a copy that has been moved there.
#[derive(Clone, Copy, Debug)]
struct Step {
    inst: MInst,
    origin: u32,
    /// The instruction's number, or `None` for a copy that comes from an earlier block.
    place: Option<u32>,
    needs_frame: bool,
    in_group: bool,
}

/// Two registers whose low bytes are equal.
#[derive(Clone, Copy, Debug)]
struct Equal {
    copy: Reg,
    source: Reg,
    bytes: u8,
}

/// The instructions that are moved to a later block.
#[derive(Debug, Default)]
pub(super) struct Copies {
    pub insts: Vec<MInst>,
    /// The IR instructions that they come from.
    pub origins: Vec<u32>,
    holder: u32,
    steps: Vec<Step>,
    equals: Vec<Equal>,
}

impl Copies {
    /// Forgets the copies of the last function.
    pub fn start(&mut self) {
        self.insts.clear();
        self.origins.clear();
        self.holder = 0;
    }

    /// Whether no instruction has been moved.
    pub fn is_empty(&self) -> bool {
        self.insts.is_empty()
    }

    /// The block at whose start the copies are to be inserted.
    pub fn holder(&self) -> u32 {
        self.holder
    }

    /// Whether all instructions that need the frame can be moved out of a block to which the copies have been moved.
    pub fn can_leave(&mut self, func: &MFunc, needs: &Needs<'_, '_>, block: u32) -> bool {
        self.steps.clear();
        self.equals.clear();
        for index in 0..self.insts.len() {
            let (inst, origin) = (self.insts[index], self.origins[index]);
            self.step(func, needs, inst, origin, None);
        }
        let data = func.blocks[block as usize];
        for index in data.start..data.end {
            let inst = func.insts[index as usize];
            self.step(func, needs, inst, func.origins[index as usize], Some(index));
            // Nothing is moved past a call.
            if self
                .steps
                .last()
                .is_some_and(|step| step.needs_frame && !may_move(func, needs, step))
            {
                return false;
            }
        }
        self.is_free_to_move(func, needs)
    }

    /// Whether no other edge of `block` than that to `target` leads to a reader of what would be moved to `target`.
    pub fn are_only_read_at(&self, func: &MFunc, needs: &Needs<'_, '_>, live: &Live, block: u32, target: u32) -> bool {
        let elsewhere = live.live_elsewhere(func, block, target);
        let mut moved = self.steps.iter().filter(|step| step.needs_frame);
        moved.all(|step| {
            let desc = op_desc(needs.cx.hooks.ops(), step.inst.op);
            let RegSets { defs, .. } = effects(func, &step.inst, desc);
            defs.intersection(elsewhere).is_empty()
        })
    }

    /// Moves what needs the frame out of the block that [`Copies::can_leave`] has examined, to the start of `target`.
    pub fn leave(&mut self, func: &mut MFunc, target: u32) {
        self.insts.clear();
        self.origins.clear();
        for step in &self.steps {
            if step.needs_frame {
                self.insts.push(step.inst);
                self.origins.push(step.origin);
            }
            if let Some(place) = step.place {
                let nothing = MInst::new(pseudo::NOP, 0);
                func.insts[place as usize] = if step.needs_frame { nothing } else { step.inst };
            }
        }
        self.holder = target;
    }

    /// Examines the next instruction.
    fn step(&mut self, func: &MFunc, needs: &Needs<'_, '_>, mut inst: MInst, origin: u32, place: Option<u32>) {
        let desc = op_desc(needs.cx.hooks.ops(), inst.op);
        let in_group = place.is_some_and(|place| func.groups.iter().any(|group| group.contains(&place)));
        if !in_group {
            self.read_sources(&mut inst, desc);
        }
        let RegSets { defs, .. } = effects(func, &inst, desc);
        self.equals
            .retain(|equal| !defs.contains(equal.copy) && !defs.contains(equal.source));
        let is_int = |reg: Reg| reg.is_physical() && RegClass::of(reg) == RegClass::Int;
        let [copy, source, _] = inst.regs();
        if desc.is_move && is_int(copy) && is_int(source) && copy != source {
            self.equals.push(Equal {
                copy,
                source,
                bytes: inst.size,
            });
        }
        self.steps.push(Step {
            inst,
            origin,
            place,
            needs_frame: needs.has(func, &inst),
            in_group,
        });
    }

    /// Replaces operands that are copies of another register by that register.
    fn read_sources(&self, inst: &mut MInst, desc: &OpDesc) {
        rewrite_registers(inst, desc, |RegisterOperand { reg, role, bytes, .. }| {
            let is_read = matches!(role, Role::Use | Role::Base | Role::Index) && bytes > 0;
            let mut equals = self.equals.iter();
            match equals.find(|equal| is_read && equal.copy == reg && bytes <= equal.bytes) {
                Some(equal) => equal.source,
                None => reg,
            }
        });
    }

    /// Whether the instructions that need the frame can be moved after all others.
    fn is_free_to_move(&self, func: &MFunc, needs: &Needs<'_, '_>) -> bool {
        let (mut read, mut written) = (PRegSet::EMPTY, PRegSet::EMPTY);
        let mut flags_are_read = false;
        for step in self.steps.iter().rev() {
            let desc = op_desc(needs.cx.hooks.ops(), step.inst.op);
            let RegSets { uses, defs, .. } = effects(func, &step.inst, desc);
            if !step.needs_frame {
                read = read.union(uses);
                written = written.union(defs);
                flags_are_read = desc.reads_flags || (flags_are_read && !desc.writes_flags);
                continue;
            }
            let passes = defs.intersection(read.union(written)).is_empty()
                && uses.intersection(written).is_empty()
                && !(desc.writes_flags && flags_are_read);
            if !passes || !may_move(func, needs, step) {
                return false;
            }
        }
        true
    }
}

/// Whether an instruction is of a kind that may be moved; what is around it is not considered.
fn may_move(func: &MFunc, needs: &Needs<'_, '_>, step: &Step) -> bool {
    let inst = &step.inst;
    let desc = op_desc(needs.cx.hooks.ops(), inst.op);
    if step.in_group || inst.op >= pseudo::FIRST || desc.has_sets || desc.reads_flags {
        return false;
    }
    let target = needs.cx.hooks.desc();
    let RegSets { uses, defs, .. } = effects(func, inst, desc);
    let touched = uses.union(defs);
    let names_frame = inst.names_frame();
    if touched.contains(target.stack_pointer) || (touched.contains(target.frame_pointer) && needs.has_pointer) {
        return false;
    }
    let is_spill = names_frame
        && desc.writes_memory
        && !desc.reads_memory
        && desc.roles[0] == Role::Use
        && desc.roles[1] == Role::Base
        && inst.reg(2).is_none()
        && inst.disp < func.frame.spills_below
        && defs.is_empty();
    let is_computation = !names_frame && func.is_pure(desc) && !desc.reads_memory && !desc.writes_memory;
    is_spill || desc.is_move || is_computation
}
