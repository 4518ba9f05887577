//! Folding: which instructions are computed by their only user instead of where they stand.
//!
//! For each instruction, the target's `fold` gets a [`Folder`] and marks the operands whose defining instructions it
//! can absorb, such as a load that becomes a memory operand, or a comparison that is fused with a branch. A mark is a
//! commitment: nothing is emitted for a marked instruction, so the user's lowering rule must compute it. Address
//! arithmetic is folded here for all targets, according to the addressing modes in their tables.
//!
//! A load may be folded only if no side effect stands between it and its user. To test this without looking at the
//! instructions in between, the walk keeps a counter of side effects (the *color*): a load and its user have equal
//! colors exactly if nothing in between has an effect.

use super::facts::{Analysis, Mark};
use crate::desc::{Addressing, TargetDesc};
use frazil_ir::{Effects, EntityRef, Function, Inst, InstData, MemFlags, Opcode, Operand, Value};

/// Displacements beyond this many bytes are not folded, so that sums with the distance of a place and a frame offset
/// cannot overflow, and stay on their side of the border between a function's own frame and its incoming arguments
/// ([`crate::mfunc::INCOMING`]).
const MAX_DISP: i64 = 1 << 28;
/// Places are nearer than this to their slot or symbol.
const MAX_PLACE_DISTANCE: i64 = 1 << 25;
/// The longest chain of distances that makes a place.
const MAX_PLACE_STEPS: usize = 16;

/// Whether an instruction changes what loads may see, or must keep its order with others.
#[inline]
pub fn is_effect(data: &InstData) -> bool {
    match data.op.effects() {
        Effects::Pure | Effects::Trap => false,
        Effects::Read => MemFlags(data.flags).is_volatile(),
        // Nothing comes after a terminator in its block, but these call something.
        Effects::Control => matches!(data.op, Opcode::Invoke | Opcode::Resume),
        Effects::Write | Effects::Any => true,
    }
}

/// Whether a `ptr_add` is a constant distance from a place, and all in all near enough to its slot or symbol.
pub fn is_place_offset(function: &Function, analysis: &Analysis, data: &InstData) -> bool {
    let (mut distance, mut data) = (0, data);
    for _ in 0..MAX_PLACE_STEPS {
        let Some(bytes) = data.b.as_imm() else { return false };
        distance += bytes;
        if distance.abs() >= MAX_PLACE_DISTANCE || !analysis.is_place(function, data.a) {
            return false;
        }
        let is_distance = |value: &Value| analysis.marks[value.index()] == Mark::Place;
        match data
            .a
            .as_value()
            .filter(is_distance)
            .and_then(|value| function.def_inst(value))
        {
            Some(inst) => data = function.inst(inst),
            None => return true,
        }
    }
    false
}

/// The view of a function by which a target chooses what to fold into one instruction.
#[derive(Debug)]
pub struct Folder<'a> {
    desc: &'static TargetDesc,
    pub function: &'a Function,
    pub(super) analysis: &'a mut Analysis,
    /// The layout position of the block.
    position: u32,
    /// The effect counter after the instruction.
    color: u32,
    /// The first result of the instruction.
    result: Option<Value>,
}

impl<'a> Folder<'a> {
    /// For the block at layout position `position`, with the effect counter before it.
    pub(super) fn new(
        desc: &'static TargetDesc,
        function: &'a Function,
        analysis: &'a mut Analysis,
        position: u32,
        color: u32,
    ) -> Folder<'a> {
        Folder {
            desc,
            function,
            analysis,
            position,
            color,
            result: None,
        }
    }

    /// Advances to the next instruction of the block.
    #[inline(always)]
    pub(super) fn next(&mut self, data: &InstData) {
        self.result = data.first_result();
        if let Some(first) = self.result {
            (self.analysis).define(self.function, data, first, self.position, self.color);
        }
        if is_effect(data) {
            self.color += 1;
            self.analysis.note_effect(data);
        }
    }

    /// The effect counter after the instruction.
    pub(super) fn color(&self) -> u32 {
        self.color
    }

    /// The instruction that computes an operand, if the user may compute it instead: it has one use, stands in the
    /// same block, is not folded already, and (loads) nothing between has an effect.
    ///
    /// Loads cannot be folded into instructions that have an effect themselves by this test.
    #[inline]
    pub fn producer(&self, operand: Operand) -> Option<(Value, &'a InstData)> {
        let value = operand.as_value()?;
        let index = value.index();
        if self.function.use_counts()[index] != 1
            || self.analysis.live[index].def != self.position
            || self.analysis.marks[index].is_elsewhere()
        {
            return None;
        }
        let in_order = self.analysis.colors[index] == self.color;
        if self.analysis.marks[index] == Mark::Reads && !in_order {
            return None;
        }
        let inst = self.function.def_inst(value)?;
        let data = self.function.inst(inst);
        match data.op.effects() {
            Effects::Pure if data.op != Opcode::Phi => Some((value, data)),
            Effects::Read if !MemFlags(data.flags).is_volatile() && in_order => Some((value, data)),
            _ => None,
        }
    }

    /// The instruction that computes an operand of an instruction which writes memory, if that may compute it instead:
    /// as [`Folder::producer`], but pure, and no load that it absorbed may be moved over an effect.
    pub fn producer_before(&self, operand: Operand) -> Option<(Value, &'a InstData)> {
        let value = operand.as_value()?;
        let index = value.index();
        if self.function.use_counts()[index] != 1
            || self.analysis.live[index].def != self.position
            || self.analysis.marks[index].is_elsewhere()
            || (self.analysis.marks[index] == Mark::Reads && self.analysis.colors[index] + 1 != self.color)
        {
            return None;
        }
        let data = self.function.inst(self.function.def_inst(value)?);
        (data.op.effects() == Effects::Pure && data.op != Opcode::Phi).then_some((value, data))
    }

    /// Whether an operand is a load of exactly what `store` overwrites, with no other use and no side effect in
    /// between; it may be folded already. Accesses of a whole stack slot do not count, since the slot may get a home
    /// register.
    pub fn is_same_load(&self, operand: Operand, store: &InstData) -> bool {
        let Some(value) = operand.as_value() else { return false };
        let index = value.index();
        let Some(inst) = self.function.def_inst(value) else {
            return false;
        };
        let load = self.function.inst(inst);
        load.op == Opcode::Load
            && load.ty == store.ty
            && self.function.use_counts()[index] == 1
            && self.analysis.live[index].def == self.position
            && self.analysis.colors[index] + 1 == self.color
            && !MemFlags(load.flags).is_volatile()
            && !MemFlags(store.flags).is_volatile()
            && store
                .b
                .as_value()
                .is_none_or(|pointer| self.function.slot_of(pointer).is_none())
            && self.is_same_address(load.a, store.b)
    }

    /// Whether two pointers are the same computation of the same values.
    fn is_same_address(&self, a: Operand, b: Operand) -> bool {
        const MAX_STEPS: usize = 4;
        let (mut a, mut b) = (a, b);
        for _ in 0..MAX_STEPS {
            if a == b {
                return true;
            }
            let definition = |operand: Operand| {
                let data = self.function.inst(self.function.def_inst(operand.as_value()?)?);
                matches!(data.op, Opcode::PtrAdd | Opcode::PtrIndex).then_some(data)
            };
            let (Some(first), Some(second)) = (definition(a), definition(b)) else {
                return false;
            };
            if first.op != second.op || first.b != second.b || first.flags != second.flags {
                return false;
            }
            (a, b) = (first.a, second.a);
        }
        false
    }

    /// Whether the producer of an operand is folded into its user.
    pub fn is_folded(&self, operand: Operand) -> bool {
        operand
            .as_value()
            .is_some_and(|value| self.analysis.marks[value.index()] == Mark::Folded)
    }

    /// Marks a read-modify-write operation: the load and the operation on it are computed by the store.
    pub fn fold_update(&mut self, update: Value, loaded: Operand) {
        self.analysis.marks[update.index()] = Mark::Folded;
        if let Some(value) = loaded.as_value() {
            self.analysis.marks[value.index()] = Mark::Folded;
        }
    }

    /// Marks a producer as computed by its user.
    #[inline]
    pub fn fold(&mut self, value: Value) {
        if self.analysis.marks[value.index()] == Mark::Reads {
            self.mark_reader();
        }
        self.analysis.marks[value.index()] = Mark::Folded;
    }

    fn mark_reader(&mut self) {
        if let Some(result) = self.result {
            self.analysis.marks[result.index()] = Mark::Reads;
        }
    }

    /// Folds the address arithmetic that makes a pointer operand, as far as the target's address forms go.
    #[inline]
    pub fn fold_address(&mut self, pointer: Operand) {
        let addressing = self.desc.addressing;
        let (mut pointer, mut disp, mut has_index) = (pointer, 0i64, false);
        while let Some((value, data)) = self.producer(pointer) {
            match data.op {
                Opcode::PtrAdd => match data.b.as_imm() {
                    Some(bytes) if fits(addressing, disp + bytes) => disp += bytes,
                    None if !has_index && addressing.index_scales & 1 != 0 && is_index(data.b) => has_index = true,
                    _ => return,
                },
                Opcode::PtrIndex if !has_index && is_index(data.b) && has_scale(addressing, data.flags) => {
                    has_index = true;
                }
                _ => return,
            }
            self.fold(value);
            pointer = data.a;
        }
    }

    /// Folds a load into its user's memory operand, address included; the caller has checked with
    /// [`Folder::producer`] that it may.
    pub fn fold_load(&mut self, value: Value, load: &InstData) {
        self.fold(value);
        self.mark_reader();
        self.fold_address(load.a);
    }

    /// The instruction that is asked about.
    pub fn inst(&self, inst: Inst) -> &'a InstData {
        self.function.inst(inst)
    }
}

/// Whether an operand can be an index: a value, since constants are better added up.
fn is_index(operand: Operand) -> bool {
    operand.as_value().is_some()
}

/// Whether the target multiplies an index by this scale.
#[inline]
pub fn has_scale(addressing: Addressing, scale: u16) -> bool {
    scale.is_power_of_two() && scale <= 8 && addressing.index_scales & (1 << scale.trailing_zeros()) != 0
}

fn fits(addressing: Addressing, disp: i64) -> bool {
    disp.abs() < MAX_DISP && i64::from(addressing.min_disp) <= disp && disp <= i64::from(addressing.max_disp)
}
