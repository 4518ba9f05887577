//! Keeps masks in mask registers where rules have them as bits in general registers.
//!
//! ```text
//! vpcmpd $1, zmm0, zmm1, k1         vpcmpd $1, zmm0, zmm1, v1
//! kmovw  v1, k1                     vpcmpd $6, zmm2, zmm3, v2
//! vpcmpd $6, zmm2, zmm3, k1    ->   kandd  v1, v1, v2
//! kmovw  v2, k1                     kmovw  k1, v1
//! and    v1, v2                     vpaddd zmm4 {k1}, zmm5, zmm6
//! kmovw  k1, v1
//! vpaddd zmm4 {k1}, zmm5, zmm6
//! ```
//!
//! Method: before registers are allocated, in functions whose features have mask registers. Virtual registers that meet
//! in an instruction with a form for mask registers ([`frazil_codegen::pass::MachRules::on_masks`]), or in a move of an
//! edge, are one web: all of them become masks, or none. A web gains what comes from the mask register of the rules or
//! goes to it, and loses what else names one of its registers, which then needs a transfer; both are weighted by loops.
//! Webs that gain are rewritten. After that, what makes a mask writes it where it is wanted, and copies before
//! instructions that no longer overwrite an operand go.
//!
//! It has to stand before `regalloc` in a recipe; after it, it does nothing. Functions with inline assembly are left
//! alone, since texts name mask registers that allocation knows nothing of.
//!
//! Costs: a walk over functions that have such features. Gains: two transfers of three cycles each for every mask that
//! is combined with another one, and general registers.

use super::live::compact;
use frazil_codegen::desc::{OpDesc, Role};
use frazil_codegen::mfunc::{MFunc, for_each_register, op_desc, pseudo};
use frazil_codegen::minst::{MInst, rewrite_registers};
use frazil_codegen::pass::{MachPass, MachPassCx, MachRules};
use frazil_codegen::{PRegSet, Reg, RegClass};
use frazil_ir::pass::{Level, PassInfo};

pub const INFO: PassInfo = PassInfo {
    name: "mask-registers",
    summary: "keeps masks of vectors in mask registers",
    level: Level::Mach,
    required: false,
    after: &[],
    before: &[],
};

/// What a place counts for each loop around it, up to a depth.
const LOOP_WEIGHT_LOG2: u8 = 3;
const MOST_LOOPS: u8 = 4;

/// See the head of the file.
#[derive(Debug)]
pub struct MaskRegisters;

/// A virtual register, and what is known of its web if it stands for it.
#[derive(Clone, Copy)]
struct Member {
    /// Another member of the web, or itself.
    parent: u32,
    /// What the web gains.
    gain: i32,
    /// Whether something names one that can have no transfer.
    is_fixed: bool,
}

/// Memory that is kept from function to function.
#[derive(Default)]
struct Scratch {
    /// By virtual register.
    members: Vec<Member>,
    /// By instruction: whether it becomes one on masks.
    on_masks: Vec<bool>,
    /// By virtual register: whether anything that is needed reads it.
    is_read: Vec<bool>,
    /// By instruction: whether it is needed for what it does.
    is_needed: Vec<bool>,
    insts: Vec<MInst>,
    origins: Vec<u32>,
}

impl MachPass for MaskRegisters {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        if cx.is_allocated || cx.hooks.mask_registers().is_empty() || !func.asm_sites.is_empty() {
            return 0;
        }
        let mut scratch: Box<Scratch> = cx.scratch.take();
        let count = if scratch.find_webs(func, cx) {
            scratch.rewrite(func, cx);
            shorten(func, cx.hooks.ops(), cx.hooks.rules());
            compact(func);
            scratch.count(func)
        } else {
            0
        };
        cx.scratch.give_back(scratch);
        count
    }
}

impl Scratch {
    /// Finds the webs and what they gain; says whether any does.
    fn find_webs(&mut self, func: &MFunc, cx: &MachPassCx<'_>) -> bool {
        let (ops, rules) = (cx.hooks.ops(), cx.hooks.rules());
        self.members.clear();
        self.members.extend((0..func.vregs.len() as u32).map(|parent| Member {
            parent,
            gain: 0,
            is_fixed: false,
        }));
        self.on_masks.clear();
        self.on_masks.resize(func.insts.len(), false);
        let mut has_masks = false;
        let mut next_group = 0;
        self.find_needed(func, ops);
        for block in &func.blocks {
            let weight = 1 << (block.loop_depth.min(MOST_LOOPS) * LOOP_WEIGHT_LOG2);
            for index in block.start..block.end {
                while func.groups.get(next_group).is_some_and(|group| group.end <= index) {
                    next_group += 1;
                }
                let is_in_group = func.groups.get(next_group).is_some_and(|group| group.start <= index);
                let inst = &func.insts[index as usize];
                let reads_flags = |index: u32| {
                    let next = func.insts.get(index as usize).filter(|_| index < block.end);
                    next.is_some_and(|next| op_desc(ops, next.op).reads_flags)
                };
                if !is_in_group
                    && !reads_flags(index + 1)
                    && let Some(masks) = self.masks_of(func, rules, inst, ops)
                {
                    self.on_masks[index as usize] = true;
                    has_masks |= masks;
                    self.join(inst, op_desc(ops, inst.op), if masks { weight } else { 0 });
                } else {
                    let is_last = index + 1 == block.end;
                    let weight = if self.is_needed[index as usize] { weight } else { 0 };
                    self.note_others(func, inst, op_desc(ops, inst.op), (is_in_group, is_last), weight);
                }
            }
        }
        if !has_masks {
            return false;
        }
        for phi in &func.phi_moves {
            self.join_edge(func, phi.dst, phi.src);
        }
        (0..self.members.len() as u32).any(|member| self.is_mask(member))
    }

    /// Finds the instructions that do something: what nobody reads, allocation leaves out. A walk against the order of
    /// blocks sees all readers but some of loops, for which nothing but the weights of webs would be wrong.
    fn find_needed(&mut self, func: &MFunc, ops: &'static [OpDesc]) {
        self.is_read.clear();
        self.is_read.resize(func.vregs.len(), false);
        for phi in func.phi_moves.iter().filter(|phi| phi.src.is_virtual()) {
            self.is_read[phi.src.virtual_index()] = true;
        }
        self.is_needed.clear();
        self.is_needed.resize(func.insts.len(), false);
        for (index, inst) in func.insts.iter().enumerate().rev() {
            let desc = op_desc(ops, inst.op);
            let mut is_needed = !func.is_pure(desc);
            for_each_register(inst, desc, |_, reg, role| {
                let writes = matches!(role, Role::Def | Role::UseDef);
                is_needed |= writes && (reg.is_physical() || self.is_read[reg.virtual_index()]);
            });
            self.is_needed[index] = is_needed;
            for_each_register(inst, desc, |_, reg, role| {
                if is_needed && role != Role::Def && reg.is_virtual() {
                    self.is_read[reg.virtual_index()] = true;
                }
            });
        }
    }

    /// Whether an instruction has a form for mask registers, and if so, whether it names one already.
    fn masks_of(&self, func: &MFunc, rules: &dyn MachRules, inst: &MInst, ops: &'static [OpDesc]) -> Option<bool> {
        if inst.op >= pseudo::FIRST {
            return None;
        }
        let (mut names_mask, mut is_whole) = (false, true);
        for_each_register(inst, op_desc(ops, inst.op), |_, reg, _| match reg.is_virtual() {
            true => is_whole &= func.vreg(reg).class == RegClass::Int,
            false if RegClass::of(reg) == RegClass::Mask => names_mask = true,
            false => is_whole = false,
        });
        (is_whole && rules.on_masks(inst).is_some()).then_some(names_mask)
    }

    /// The member that stands for the web of one.
    fn web(&mut self, member: u32) -> u32 {
        let mut at = member;
        while self.members[at as usize].parent != at {
            let next = self.members[at as usize].parent;
            self.members[at as usize].parent = self.members[next as usize].parent;
            at = next;
        }
        at
    }

    /// Makes one web of two.
    fn unite(&mut self, first: u32, second: u32) {
        let (first, second) = (self.web(first), self.web(second));
        if first != second {
            let Member { gain, is_fixed, .. } = self.members[second as usize];
            self.members[second as usize].parent = first;
            let all = &mut self.members[first as usize];
            all.gain = all.gain.saturating_add(gain);
            all.is_fixed |= is_fixed;
        }
    }

    /// Joins the registers that an instruction on masks names. Constants are none of them: only edges name these.
    fn join(&mut self, inst: &MInst, desc: &OpDesc, gain: i32) {
        let mut first = None;
        for_each_register(inst, desc, |_, reg, _| {
            if reg.is_virtual() {
                let member = reg.virtual_index() as u32;
                self.unite(*first.get_or_insert(member), member);
            }
        });
        if let Some(first) = first {
            let web = self.web(first);
            let web = &mut self.members[web as usize];
            web.gain = web.gain.saturating_add(gain);
        }
    }

    fn join_edge(&mut self, func: &MFunc, dst: Reg, src: Reg) {
        if !dst.is_virtual() || !src.is_virtual() || func.vreg(dst).class != RegClass::Int {
            return;
        }
        let (dst_member, src_member) = (dst.virtual_index() as u32, src.virtual_index() as u32);
        self.unite(dst_member, src_member);
        let web = self.web(dst_member);
        self.members[web as usize].is_fixed |= func.vreg(src).constant.is_some();
    }

    /// Takes note of an instruction that has no form for mask registers.
    fn note_others(
        &mut self,
        func: &MFunc,
        inst: &MInst,
        desc: &OpDesc,
        (is_in_group, is_last): (bool, bool),
        weight: i32,
    ) {
        for_each_register(inst, desc, |_, reg, role| {
            if !reg.is_virtual() || func.vreg(reg).class != RegClass::Int {
                return;
            }
            let writes = matches!(role, Role::Def | Role::UseDef);
            let web = self.web(reg.virtual_index() as u32);
            let web = &mut self.members[web as usize];
            // Nothing may come between flags and who reads them.
            web.is_fixed |= is_in_group || desc.reads_flags || writes && is_last;
            web.gain = web.gain.saturating_sub(weight);
        });
    }

    /// Whether a virtual register becomes a mask.
    fn is_mask(&mut self, member: u32) -> bool {
        let web = self.web(member);
        let web = &self.members[web as usize];
        web.gain > 0 && !web.is_fixed
    }

    /// How many registers became masks.
    fn count(&mut self, func: &MFunc) -> u64 {
        let vregs = func.vregs.iter().take(self.members.len());
        vregs.filter(|vreg| vreg.class == RegClass::Mask).count() as u64
    }

    /// Rewrites the instructions of webs that gain, and what else names their registers.
    fn rewrite(&mut self, func: &mut MFunc, cx: &MachPassCx<'_>) {
        let (ops, rules) = (cx.hooks.ops(), cx.hooks.rules());
        let bytes = cx.hooks.desc().class(RegClass::Mask).bytes;
        for member in 0..self.members.len() as u32 {
            if self.is_mask(member) {
                let vreg = &mut func.vregs[member as usize];
                (vreg.class, vreg.bytes) = (RegClass::Mask, bytes);
            }
        }
        self.insts.clear();
        self.origins.clear();
        let mut next_group = 0;
        for block in 0..func.blocks.len() {
            let range = func.blocks[block].start..func.blocks[block].end;
            func.blocks[block].start = self.insts.len() as u32;
            for index in range {
                if let Some(group) = func.groups.get_mut(next_group).filter(|group| group.start == index) {
                    *group = self.insts.len() as u32..self.insts.len() as u32 + group.len() as u32;
                    next_group += 1;
                }
                self.rewrite_one(func, index, ops, rules);
                self.origins.resize(self.insts.len(), func.origins[index as usize]);
            }
            func.blocks[block].end = self.insts.len() as u32;
        }
        std::mem::swap(&mut func.insts, &mut self.insts);
        std::mem::swap(&mut func.origins, &mut self.origins);
    }

    /// Appends what becomes of an instruction.
    fn rewrite_one(&mut self, func: &mut MFunc, index: u32, ops: &'static [OpDesc], rules: &dyn MachRules) {
        let inst = func.insts[index as usize];
        let desc = op_desc(ops, inst.op);
        let mut has_mask = false;
        for_each_register(&inst, desc, |_, reg, _| {
            has_mask |= reg.is_virtual() && func.vreg(reg).class == RegClass::Mask;
        });
        if !has_mask {
            self.insts.push(inst);
        } else if self.on_masks[index as usize] {
            self.insts.push(rules.on_masks(&inst).expect("it has a form for masks"));
        } else {
            self.transfer(func, inst, desc, rules);
        }
    }

    /// Appends an instruction on general registers with transfers of the masks that it names.
    fn transfer(&mut self, func: &mut MFunc, inst: MInst, desc: &OpDesc, rules: &dyn MachRules) {
        let mut changed = inst;
        // At most three operands, of which equal ones are one register.
        let mut transfers: [Option<(Reg, Reg, bool)>; 3] = [None; 3];
        rewrite_registers(&mut changed, desc, |operand| {
            if !operand.reg.is_virtual() || func.vreg(operand.reg).class != RegClass::Mask {
                return operand.reg;
            }
            let writes = matches!(operand.role, Role::Def | Role::UseDef);
            if operand.role != Role::Def {
                let known = transfers.iter().flatten().find(|one| one.0 == operand.reg && !one.2);
                if let Some(&(_, reg, _)) = known
                    && !writes
                {
                    return reg;
                }
                let reg = func.new_vreg(RegClass::Int, 8, func.vreg(operand.reg).value);
                self.insts.push(rules.transfer_mask(reg, operand.reg, false));
                if !writes {
                    transfers[operand.slot] = Some((operand.reg, reg, false));
                    return reg;
                }
                transfers[operand.slot] = Some((operand.reg, reg, true));
                return reg;
            }
            let reg = func.new_vreg(RegClass::Int, 8, func.vreg(operand.reg).value);
            transfers[operand.slot] = Some((operand.reg, reg, true));
            reg
        });
        self.insts.push(changed);
        for &(mask, reg, _) in transfers.iter().flatten().filter(|one| one.2) {
            self.insts.push(rules.transfer_mask(mask, reg, true));
        }
    }
}

/// Lets what makes a mask write it to where it is copied, and takes operands from where copies before them come from.
fn shorten(func: &mut MFunc, ops: &'static [OpDesc], rules: &dyn MachRules) {
    let mut next_group = func.groups.len();
    for block in (0..func.blocks.len()).rev() {
        // Mask registers of rules are never live at the end of a block.
        let mut live = PRegSet::EMPTY;
        let range = func.blocks[block].start..func.blocks[block].end;
        for index in range.clone().rev() {
            let inst = func.insts[index as usize];
            let desc = op_desc(ops, inst.op);
            let live_after = live;
            let sets = func.implicit(&inst, desc);
            live = live.minus(sets.defs);
            for_each_register(&inst, desc, |_, reg, role| {
                if reg.is_physical() && role == Role::Def {
                    live.remove(reg);
                }
            });
            live = live.union(sets.uses);
            for_each_register(&inst, desc, |_, reg, role| {
                if reg.is_physical() && role != Role::Def {
                    live.insert(reg);
                }
            });
            while next_group > 0 && func.groups[next_group - 1].start > index {
                next_group -= 1;
            }
            let is_in_group = next_group > 0 && func.groups[next_group - 1].end >= index;
            if index == range.start || is_in_group || inst.op >= pseudo::FIRST || !is_of_masks(func, &inst) {
                continue;
            }
            let before = index as usize - 1;
            let previous = func.insts[before];
            let source = inst.reg(1);
            if source.is_physical() && !live_after.contains(source) {
                if let Some(made) = rules.with_mask_in(&previous, &inst) {
                    func.insts[before] = made;
                    func.insts[index as usize] = MInst::new(pseudo::NOP, 0);
                    live.remove(source);
                    live = live.union(live_after);
                }
            } else if desc.roles[1] == Role::Use
                && inst.reg(0) == source
                && inst.reg(2) != source
                && previous.reg(1).is_virtual()
                && op_desc(ops, previous.op).is_move
                && previous.reg(0) == source
            {
                func.insts[index as usize].set_reg(1, previous.reg(1));
                func.insts[before] = MInst::new(pseudo::NOP, 0);
            }
        }
    }
}

/// Whether what an instruction writes first is a mask in a virtual register.
fn is_of_masks(func: &MFunc, inst: &MInst) -> bool {
    inst.reg(0).is_virtual() && func.vreg(inst.reg(0)).class == RegClass::Mask
}
