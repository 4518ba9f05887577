//! Removes instructions whose results nothing needs.
//!
//! ```text
//! b1:                                          b1:
//!   v1 = phi i32 [b0: 0, b1: v2]                 v3 = phi i32 [b0: 0, b1: v4]
//!   v3 = phi i32 [b0: 0, b1: v4]                 v4 = add i32 v3, v0
//!   v2 = add i32 v1, 1                  ->       v6 = icmp_slt i32 v4, 100
//!   v4 = add i32 v3, v0                          branch v6, b1, b2
//!   v5 = load i32 @x
//!   v6 = icmp_slt i32 v4, 100
//!   branch v6, b1, b2
//! ```
//!
//! Method: everything is dead until something that must stay needs it. One walk from the last instruction to the first
//! meets users before definitions, so it marks most of what is needed at once; only operands that come from further
//! down (through phis of loops) go through a list. A cycle of phis and arithmetic that feeds nothing but itself is
//! never marked and goes as a whole. Stores and calls stay; volatile loads, too. Without a back edge in the graph there
//! are no cycles, and the walk is left out if each result has uses.
//!
//! Costs: a look at the use counts; one walk in functions with loops or dead results; a commit if anything is dead.
//! Gains: it removes what other passes have made dead, and from unoptimized input what was computed for variables that
//! nobody reads.

use crate::registry::NoOptions;
use frazil_ir::pass::{FunctionPass, Level, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{Editor, Effects, EntityRef, Format, Function, Inst, InstData, MemFlags, Opcode, Operand, Results};

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "dce",
    summary: "removes instructions whose results nothing needs",
    level: Level::Function,
    required: false,
    after: &[],
    before: &[],
};

/// Dead code elimination.
#[derive(Debug)]
pub struct Dce;

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(_: NoOptions) -> Dce {
    Dce
}

impl FunctionPass for Dce {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        if !may_have_cycles(function) && !has_unused(function) {
            return Ok(Preserved::unchanged());
        }
        let mut marks: Box<Marks> = cx.take_scratch();
        marks.find(function);
        let mut removed = 0;
        if !marks.unmarked.is_empty() {
            let mut editor: Box<Editor> = cx.take_scratch();
            removed = marks.sweep(function, &mut editor);
            cx.return_scratch(editor);
        }
        cx.return_scratch(marks);
        cx.count("instructions removed", removed);
        Ok(if removed > 0 {
            Preserved::cfg()
        } else {
            Preserved::unchanged()
        })
    }
}

/// What is needed.
#[derive(Debug, Default)]
struct Marks {
    /// Values that something needed reads.
    needed: Vec<bool>,
    /// Instructions found to be needed after the walk has passed them.
    late: Vec<Inst>,
    /// Instructions that nothing had asked for when the walk passed them.
    unmarked: Vec<Inst>,
}

impl Marks {
    fn find(&mut self, f: &Function) {
        self.needed.clear();
        self.needed.resize(f.values().len(), false);
        self.unmarked.clear();
        for position in (0..f.insts().len()).rev() {
            let inst = Inst::new(position);
            let data = f.inst(inst);
            if self.must_stay(f, data) {
                self.need_operands(f, inst, data);
                while let Some(late) = self.late.pop() {
                    self.need_operands(f, inst, f.inst(late));
                }
            } else {
                self.unmarked.push(inst);
            }
        }
    }

    #[inline]
    fn must_stay(&self, f: &Function, data: &InstData) -> bool {
        if !can_be_removed(data) {
            return true;
        }
        match data.op.results() {
            Results::TyAndBool | Results::PtrAndI32 | Results::Signature => {
                f.results(data).any(|value| self.needed[value.index()])
            }
            _ => self.needed[data.result as usize],
        }
    }

    /// Marks the operands of an instruction that is needed. `at` is where the walk is.
    #[inline]
    fn need_operands(&mut self, f: &Function, at: Inst, data: &InstData) {
        match data.op.format() {
            Format::Unary | Format::Branch => self.need(f, at, data.a),
            Format::Binary => {
                self.need(f, at, data.a);
                self.need(f, at, data.b);
            }
            _ => self.need_list(f, at, data),
        }
    }

    fn need_list(&mut self, f: &Function, at: Inst, data: &InstData) {
        f.for_each_operand(data, |operand| self.need(f, at, operand));
    }

    #[inline]
    fn need(&mut self, f: &Function, at: Inst, operand: Operand) {
        let Some(value) = operand.as_value() else { return };
        if std::mem::replace(&mut self.needed[value.index()], true) {
            return;
        }
        if let Some(def) = f.def_inst(value)
            && def >= at
            && can_be_removed(f.inst(def))
        {
            self.late.push(def);
        }
    }

    /// Removes what is still not needed; the number of instructions removed.
    fn sweep(&self, f: &mut Function, editor: &mut Editor) -> u64 {
        editor.begin(f);
        let mut removed = 0;
        for &inst in &self.unmarked {
            if !self.must_stay(f, f.inst(inst)) {
                editor.remove(f, inst);
                removed += 1;
            }
        }
        editor.commit(f);
        removed
    }
}

/// Whether values may be needed by one another only: around a back edge.
fn may_have_cycles(f: &Function) -> bool {
    f.block_ids()
        .any(|block| f.predecessors(block).last().is_some_and(|&from| from >= block))
}

/// Whether the first result of an instruction that can be removed has no uses.
fn has_unused(f: &Function) -> bool {
    let is_unused = |result: u32| (f.values().get(result as usize)).is_some_and(|value| value.use_count() == 0);
    f.insts()
        .iter()
        .any(|data| is_unused(data.result) && data.first_result().is_some() && can_be_removed(data))
}

/// Whether an instruction does nothing but compute its results.
fn can_be_removed(data: &InstData) -> bool {
    match data.op.effects() {
        Effects::Pure | Effects::Trap => data.op != Opcode::Nop,
        Effects::Read => !MemFlags(data.flags).is_volatile(),
        Effects::Write | Effects::Hook | Effects::Any | Effects::Control => false,
    }
}
