//! Promotes stack slots that are variables to SSA values.
//!
//! ```text
//! before                              after
//!   v1 = slot 4 align 4
//! b0:                                 b0:
//!   store align 4 i32 0, v1             jump b1
//!   jump b1                           b1:
//! b1:                                   v7 = phi i32 [b0: 0, b1: v3]
//!   v2 = load align 4 i32 v1            v3 = add i32 v7, 1
//!   v3 = add i32 v2, 1                  v4 = icmp_slt i32 v3, v0
//!   store align 4 i32 v3, v1            branch v4, b1, b2
//!   v4 = icmp_slt i32 v3, v0          b2:
//!   branch v4, b1, b2                   return v3
//! b2:
//!   v5 = load align 4 i32 v1
//!   return v5
//! ```
//!
//! A slot qualifies if its address is the pointer of plain loads and stores of one width, and nothing else
//! ([`crate::memory::slots`]). Phis are placed where the variable lives and different stores may reach
//! ([`crate::memory::phis`]); then one walk along the dominator tree keeps each variable's value and replaces its
//! loads. Variables whose loads are all reached by one store of the same or a dominating block need no placement. Loads
//! of what was never stored give undef, as the memory would. Functions that call something returning twice keep their
//! slots.
//!
//! Costs a walk over the instructions and one over the accesses; the placement stops, and leaves the other variables
//! in memory, when it would take more than a constant number of steps for each instruction. Gains in unoptimized
//! input: half of the instructions go away, and values can live in registers. Reference: Cytron, Ferrante, Rosen,
//! Wegman and Zadeck, "Efficiently computing static single assignment form and the control dependence graph", 1991.

use crate::memory::convert::{Converted, Undefs, convert};
use crate::memory::dom_order::DomOrder;
use crate::memory::phis::{BATCH, PhiPlacement};
use crate::memory::slots::{Access, SlotTable};
use crate::registry::NoOptions;
use frazil_ir::domtree::DomTree;
use frazil_ir::edit::Editor;
use frazil_ir::pass::{FunctionPass, Level, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{EntityRef, Function, Inst, InstData, Opcode, Operand, SlotId, Type, Value};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "mem2reg",
    summary: "promotes stack slots that are variables to values",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[],
};

/// The placement of phis takes at most this many steps for each instruction, beyond what any function may take: else
/// many variables that live in many blocks would take quadratic time.
const STEPS_PER_INST: u64 = 16;

/// The steps that any function may take, a few milliseconds.
const FREE_STEPS: u64 = 1 << 20;

/// No phi.
const NONE: u32 = u32::MAX;

/// Promotion of stack slots to SSA values.
#[derive(Debug)]
pub struct Mem2Reg;

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(_: NoOptions) -> Mem2Reg {
    Mem2Reg
}

impl FunctionPass for Mem2Reg {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        if function.slots().is_empty() {
            return Ok(Preserved::unchanged());
        }
        let mut scratch: Box<Scratch> = cx.take_scratch();
        let tree: &DomTree = cx.analyses.get(function);
        scratch.order.compute(tree, function.blocks().len());
        let found = scratch
            .table
            .scan(function, &scratch.order, cx.module.data_layout.pointer_bits);
        if found {
            let counts = promote(&mut scratch, function, cx.module.data_layout.pointer_bits);
            cx.count("slots promoted", counts.slots);
            cx.count("loads removed", counts.loads);
            cx.count("stores removed", counts.stores);
            cx.count("phis made", counts.phis);
        }
        cx.return_scratch(scratch);
        Ok(if found {
            Preserved::cfg()
        } else {
            Preserved::unchanged()
        })
    }
}

/// How much was done.
#[derive(Debug, Default)]
struct Counts {
    slots: u64,
    loads: u64,
    stores: u64,
    phis: u64,
}

/// A phi of a variable, in the list of its block.
#[derive(Clone, Copy, Debug)]
struct VariablePhi {
    slot: SlotId,
    value: Value,
    next: u32,
}

/// A block that the walk is in or below.
#[derive(Clone, Copy, Debug)]
struct Scope {
    /// One past the last block that it dominates.
    end: u32,
    /// How many entries `undo` had before it.
    undo: usize,
}

#[derive(Debug, Default)]
struct Scratch {
    editor: Editor,
    order: DomOrder,
    table: SlotTable,
    placement: PhiPlacement,
    undefs: Undefs,
    /// Variables that need phis.
    spread: Vec<SlotId>,
    heads: Vec<u32>,
    /// Blocks, by number, and the sets of the batch's variables that need phis there.
    places: Vec<(u32, u64)>,
    phis: Vec<VariablePhi>,
    /// The first phi of each block.
    phi_lists: Vec<u32>,
    /// The value of each slot where the walk is; `NONE` if nothing was stored.
    current: Vec<Operand>,
    /// What values were before a block changed them.
    undo: Vec<(SlotId, Operand)>,
    scopes: Vec<Scope>,
    operands: Vec<Operand>,
}

/// Promotes the variables of the table.
fn promote(scratch: &mut Scratch, function: &mut Function, pointer_bits: u32) -> Counts {
    scratch.editor.begin(function);
    scratch.undefs.clear();
    let mut promotion = Promotion {
        s: scratch,
        f: function,
        pointer_bits,
        counts: Counts::default(),
    };
    promotion.place_phis();
    promotion.rename();
    promotion.clear_unreachable();
    let counts = promotion.counts;
    function.remove_unused_slots();
    scratch.editor.commit(function);
    counts
}

struct Promotion<'a> {
    s: &'a mut Scratch,
    f: &'a mut Function,
    pointer_bits: u32,
    counts: Counts,
}

impl Promotion<'_> {
    /// Makes phis without operands for the variables that need them.
    fn place_phis(&mut self) {
        self.s.phis.clear();
        self.s.phi_lists.clear();
        self.s.phi_lists.resize(self.f.blocks().len(), NONE);
        self.s.placement.begin(&self.s.order);
        let limit = FREE_STEPS.max(STEPS_PER_INST * self.f.insts().len() as u64);
        let mut spread = std::mem::take(&mut self.s.spread);
        spread.clear();
        let variables = &self.s.table.variables;
        let needs_phis = |slot: &SlotId| {
            let variable = &variables[slot.index()];
            variable.is_promotable && variable.needs_phis
        };
        spread.extend(self.s.table.slots.iter().copied().filter(needs_phis));
        for batch in spread.chunks(BATCH) {
            if self.s.placement.work() > limit {
                for slot in batch {
                    self.s.table.variables[slot.index()].is_promotable = false;
                }
            } else {
                self.place_batch(batch);
            }
        }
        self.s.spread = spread;
    }

    fn place_batch(&mut self, batch: &[SlotId]) {
        let mut places = std::mem::take(&mut self.s.places);
        places.clear();
        self.s.heads.clear();
        let heads = batch.iter().map(|slot| self.s.table.variables[slot.index()].events);
        self.s.heads.extend(heads);
        let (order, events) = (&self.s.order, &self.s.table.events);
        self.s
            .placement
            .place(order, self.f.cfg(), &self.s.heads, events, |block, set| {
                places.push((block, set))
            });
        for &(block, mut set) in &places {
            while set != 0 {
                self.make_phi(block, batch[set.trailing_zeros() as usize]);
                set &= set - 1;
            }
        }
        self.s.places = places;
    }

    fn make_phi(&mut self, number: u32, slot: SlotId) {
        let block = self.s.order.block(number);
        let ty = self.s.table.variables[slot.index()].ty;
        // Edges that are never taken keep this operand.
        let undef = self.s.undefs.of(self.f, ty);
        self.s.operands.clear();
        self.s.operands.resize(self.f.predecessors(block).len(), undef);
        let value = self.s.editor.insert_phi(self.f, block, ty, &self.s.operands);
        let next = std::mem::replace(&mut self.s.phi_lists[block.index()], self.s.phis.len() as u32);
        self.s.phis.push(VariablePhi { slot, value, next });
        let address = self.f.slots()[slot.index()].address;
        self.s.editor.note_phi(self.f, address, block, value);
        self.counts.phis += 1;
    }

    /// Walks along the dominator tree and replaces accesses by values.
    fn rename(&mut self) {
        self.s.current.clear();
        self.s.current.resize(self.f.slots().len(), Operand::NONE);
        self.s.undo.clear();
        self.s.scopes.clear();
        for number in 0..self.s.order.count() {
            self.leave_scopes(number);
            self.s.scopes.push(Scope {
                end: self.s.order.end(number),
                undo: self.s.undo.len(),
            });
            let block = self.s.order.block(number);
            let mut next = self.s.phi_lists[block.index()];
            while let Some(&phi) = self.s.phis.get(next as usize) {
                self.set(phi.slot, Operand::value(phi.value));
                next = phi.next;
            }
            for index in self.s.table.accesses_of(number) {
                self.access(index);
            }
            self.leave_block(number);
        }
        let variables = &self.s.table.variables;
        self.counts.slots = variables.iter().filter(|variable| variable.is_promotable).count() as u64;
    }

    /// Takes back what blocks did that do not dominate a block.
    fn leave_scopes(&mut self, number: u32) {
        while let Some(scope) = self.s.scopes.pop_if(|scope| scope.end <= number) {
            for (slot, before) in self.s.undo.drain(scope.undo..).rev() {
                self.s.current[slot.index()] = before;
            }
        }
    }

    fn set(&mut self, slot: SlotId, value: Operand) {
        let before = std::mem::replace(&mut self.s.current[slot.index()], value);
        self.s.undo.push((slot, before));
    }

    fn access(&mut self, index: usize) {
        let Access { inst, slot } = self.s.table.accesses[index];
        let variable = &self.s.table.variables[slot.index()];
        if !variable.is_promotable {
            return;
        }
        let (ty, data) = (variable.ty, self.f.insts()[inst.index()]);
        if data.op == Opcode::Load {
            let value = self.s.current[slot.index()];
            return self.replace_load(inst, data, value, ty);
        }
        let value = self.s.editor.resolve(data.a);
        let value = match convert(self.f, value, data.ty, ty, self.pointer_bits) {
            Converted::Operand(operand) => operand,
            Converted::Inst(cast) => {
                let result = self.s.editor.insert_before(self.f, inst, cast, Some(ty));
                Operand::value(result.expect("casts have results"))
            }
        };
        self.set(slot, value);
        let address = self.f.slots()[slot.index()].address;
        self.s.editor.note_store(self.f, address, inst, value);
        self.s.editor.remove(self.f, inst);
        self.counts.stores += 1;
    }

    /// Replaces a load by the variable's value, of type `ty`.
    fn replace_load(&mut self, inst: Inst, data: InstData, value: Operand, ty: Type) {
        self.counts.loads += 1;
        let result = data.first_result().expect("a load has a result");
        if self.f.use_count(result) == 0 {
            return self.s.editor.remove(self.f, inst);
        }
        let value = if value.is_none() {
            Converted::Operand(self.s.undefs.of(self.f, data.ty))
        } else {
            convert(self.f, value, ty, data.ty, self.pointer_bits)
        };
        match value {
            Converted::Operand(operand) => {
                self.s.editor.replace_uses(self.f, result, operand);
                self.s.editor.remove(self.f, inst);
            }
            Converted::Inst(cast) => self.s.editor.replace(self.f, inst, cast),
        }
    }

    /// Gives the phis of a block's successors their operands for the edges from it.
    fn leave_block(&mut self, number: u32) {
        let block = self.s.order.block(number);
        for index in 0..self.f.cfg().successors(block).len() {
            let edge = self.f.cfg().successors(block)[index];
            let mut next = self.s.phi_lists[edge.target.index()];
            while let Some(&phi) = self.s.phis.get(next as usize) {
                let value = self.s.current[phi.slot.index()];
                if !value.is_none() {
                    let column = edge.column as usize;
                    self.s.editor.set_phi_operand(self.f, phi.value, column, value);
                }
                next = phi.next;
            }
        }
    }

    /// Removes the accesses in blocks that are never entered.
    fn clear_unreachable(&mut self) {
        for index in self.s.table.unreachable_accesses() {
            let Access { inst, slot } = self.s.table.accesses[index];
            let data = self.f.insts()[inst.index()];
            if !self.s.table.variables[slot.index()].is_promotable {
                continue;
            }
            if let Some(result) = data.first_result() {
                let undef = self.s.undefs.of(self.f, data.ty);
                self.s.editor.replace_uses(self.f, result, undef);
                self.counts.loads += 1;
            } else {
                self.counts.stores += 1;
            }
            self.s.editor.remove(self.f, inst);
        }
    }
}
