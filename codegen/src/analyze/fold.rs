//! Folding: which instructions are computed by their only user instead of at their definition.
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
use crate::features::FeatureSet;
use frazil_ir::{Effects, EntityRef, Function, Inst, InstData, MemFlags, Opcode, Operand, Value, ValueKind};

/// Larger displacements are not folded. So their sum with the distance of a place and a frame offset cannot overflow,
/// and does not cross the border between offsets in the function's own frame and in its incoming arguments
/// ([`crate::mfunc::INCOMING`]).
const MAX_DISP: i64 = 1 << 28;
/// The distance of a place from its slot or symbol is smaller than this.
const MAX_PLACE_DISTANCE: i64 = 1 << 25;
/// The longest chain of `ptr_add` that is followed to compute the distance of a place.
const MAX_PLACE_STEPS: usize = 16;

/// Whether an instruction may change what loads read, or must keep its order with other effects.
#[inline]
pub fn is_effect(data: &InstData) -> bool {
    // Asked of every instruction, so without a jump.
    let effects = data.op.effects();
    let has_some = !matches!(
        effects,
        Effects::Pure | Effects::Trap | Effects::Read | Effects::Control
    );
    let is_volatile = effects == Effects::Read && MemFlags(data.flags).is_volatile();
    // Terminators end the block, but these ones call something.
    has_some | is_volatile | matches!(data.op, Opcode::Invoke | Opcode::Resume)
}

/// Whether a `ptr_add` is a constant distance from a place, and near enough to the slot or symbol in all.
pub fn is_place_offset(function: &Function, analysis: &Analysis, data: &InstData) -> bool {
    let (mut distance, mut data) = (0, data);
    for _ in 0..MAX_PLACE_STEPS {
        let Some(bytes) = data.b.as_imm() else { return false };
        distance += bytes;
        if distance.abs() >= MAX_PLACE_DISTANCE || !analysis.is_place(function, data.a) {
            return false;
        }
        let is_distance = |value: &Value| analysis.values[value.index()].mark == Mark::Place;
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

/// The interface by which a target chooses what to fold into an instruction.
#[derive(Debug)]
pub struct Folder<'a> {
    desc: &'static TargetDesc,
    pub function: &'a Function,
    pub(super) analysis: &'a mut Analysis,
    /// The layout position of the instruction's block.
    position: u32,
    /// The color after the instruction.
    color: u32,
    /// The first result of the instruction.
    result: Option<Value>,
}

impl<'a> Folder<'a> {
    /// Starts at the beginning of the block at layout position `position`, where the color is `color`.
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

    /// What the function's processor has.
    pub fn features(&self) -> FeatureSet {
        self.analysis.features
    }

    pub(super) fn color(&self) -> u32 {
        self.color
    }

    /// The value of an operand and the instruction that computes it, if that may be folded into the current one: the
    /// value has no other use, is defined in the same block and is not folded already; and if it is a load, there is
    /// no side effect in between.
    ///
    /// This finds no loads for instructions that have side effects themselves.
    #[inline]
    pub fn producer(&self, operand: Operand) -> Option<(Value, &'a InstData)> {
        let value = operand.as_value()?;
        let index = value.index();
        let known = self.function.value(value);
        if known.use_count() != 1 || known.kind != ValueKind::Inst {
            return None;
        }
        let fact = self.analysis.values[index];
        if fact.live.def != self.position || fact.mark.is_elsewhere() {
            return None;
        }
        let in_order = fact.color == self.color;
        if fact.mark == Mark::Reads && !in_order {
            return None;
        }
        let data = self.function.inst(Inst::new(known.def as usize));
        match data.op.effects() {
            Effects::Pure if data.op != Opcode::Phi => Some((value, data)),
            Effects::Read if !MemFlags(data.flags).is_volatile() && in_order => Some((value, data)),
            _ => None,
        }
    }

    /// Like [`Folder::producer`], but for instructions that write memory: finds pure instructions only, and one that
    /// has absorbed a load only if there is no side effect between it and this instruction.
    pub fn producer_before(&self, operand: Operand) -> Option<(Value, &'a InstData)> {
        let value = operand.as_value()?;
        let index = value.index();
        if self.function.use_count(value) != 1
            || self.analysis.values[index].live.def != self.position
            || self.analysis.values[index].mark.is_elsewhere()
            || (self.analysis.values[index].mark == Mark::Reads && self.analysis.values[index].color + 1 != self.color)
        {
            return None;
        }
        let data = self.function.inst(self.function.def_inst(value)?);
        (data.op.effects() == Effects::Pure && data.op != Opcode::Phi).then_some((value, data))
    }

    /// Whether an operand is a load from exactly the memory that `store` overwrites, without another use and with no
    /// side effect in between. It may be folded already. Accesses of a whole stack slot do not count, since the slot
    /// may get a home register.
    pub fn is_same_load(&self, operand: Operand, store: &InstData) -> bool {
        let Some(value) = operand.as_value() else { return false };
        let index = value.index();
        let Some(inst) = self.function.def_inst(value) else {
            return false;
        };
        let load = self.function.inst(inst);
        load.op == Opcode::Load
            && load.ty == store.ty
            && self.function.use_count(value) == 1
            && self.analysis.values[index].live.def == self.position
            && self.analysis.values[index].color + 1 == self.color
            && !MemFlags(load.flags).is_volatile()
            && !MemFlags(store.flags).is_volatile()
            && store
                .b
                .as_value()
                .is_none_or(|pointer| self.function.slot_of(pointer).is_none())
            && self.is_same_address(load.a, store.b)
    }

    /// Whether two pointers are equal because they are computed in the same way from the same values.
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

    /// The instruction that says by its second result whether it overflowed, if that is only used by this terminator,
    /// right after it. The terminator may then have it left in the flags ([`Folder::leave_in_flags`]): what shared
    /// code inserts in between does not write them (contract 2).
    pub fn overflow_before(&self, bit: Operand, terminator: Inst) -> Option<(Value, &'a InstData)> {
        let value = bit.as_value()?;
        let data = self.function.value(value);
        if data.result_index != 1 || self.function.use_count(value) != 1 {
            return None;
        }
        let inst = self.function.def_inst(value)?;
        // Others have second results, too: whether a value was exchanged.
        if !self.function.inst(inst).op.is_overflow() {
            return None;
        }
        let between = self.function.insts().get(inst.index() + 1..terminator.index())?;
        let is_right_before = between.iter().all(|data| data.op == Opcode::Nop);
        is_right_before.then(|| (value, self.function.inst(inst)))
    }

    /// Has an overflow bit left in the flags by the instruction that makes it. Both its rule and that of the branch ask
    /// [`crate::LowerCtx::is_in_flags`].
    pub fn leave_in_flags(&mut self, bit: Value) {
        self.analysis.values[bit.index()].mark = Mark::Flags;
    }

    /// Whether an operand is folded into its user.
    pub fn is_folded(&self, operand: Operand) -> bool {
        operand
            .as_value()
            .is_some_and(|value| self.analysis.values[value.index()].mark == Mark::Folded)
    }

    /// Marks the two other parts of a read-modify-write operation as computed by the store: the operation and the
    /// load.
    pub fn fold_update(&mut self, update: Value, loaded: Operand) {
        self.analysis.values[update.index()].mark = Mark::Folded;
        if let Some(value) = loaded.as_value() {
            self.analysis.values[value.index()].mark = Mark::Folded;
        }
    }

    /// Folds a value into the current instruction.
    #[inline]
    pub fn fold(&mut self, value: Value) {
        if self.analysis.values[value.index()].mark == Mark::Reads {
            self.mark_reader();
        }
        self.analysis.values[value.index()].mark = Mark::Folded;
    }

    /// Says that the current instruction absorbs a load, after [`Folder::fold`].
    pub fn mark_reader(&mut self) {
        if let Some(result) = self.result {
            self.analysis.values[result.index()].mark = Mark::Reads;
        }
    }

    /// Folds as much of the address arithmetic of a pointer operand as the target's addressing modes allow. Distances
    /// that are not free for the access are folded, too: their use splits them ([`crate::context`]).
    #[inline]
    pub fn fold_address(&mut self, pointer: Operand) {
        let addressing = &self.desc.addressing;
        let (mut pointer, mut disp, mut has_index) = (pointer, 0i64, false);
        while let Some((value, data)) = self.producer(pointer) {
            match data.op {
                Opcode::PtrAdd => match data.b.as_imm() {
                    Some(distance)
                        if fits(addressing, disp + distance) && (!has_index || addressing.index_with_disp) =>
                    {
                        disp += distance;
                    }
                    None if disp != 0 && !addressing.index_with_disp => return,
                    None if !has_index && addressing.index_scales & 1 != 0 && is_index(data.b) => has_index = true,
                    _ => return,
                },
                Opcode::PtrIndex if disp != 0 && !addressing.index_with_disp => return,
                Opcode::PtrIndex if !has_index && is_index(data.b) && has_scale(addressing, data.flags) => {
                    has_index = true;
                }
                _ => return,
            }
            self.fold(value);
            pointer = data.a;
        }
    }

    /// Folds a load, with its address, into the current instruction as a memory operand. The caller has found the load
    /// with [`Folder::producer`].
    pub fn fold_load(&mut self, value: Value, load: &InstData) {
        self.fold(value);
        self.mark_reader();
        self.fold_address(load.a);
    }

    /// The data of an instruction of the function.
    pub fn inst(&self, inst: Inst) -> &'a InstData {
        self.function.inst(inst)
    }
}

/// Whether an operand can be an index register. Constants cannot, since they are added to the displacement.
fn is_index(operand: Operand) -> bool {
    operand.as_value().is_some()
}

/// Whether the target's addressing modes can multiply an index by this scale.
#[inline]
pub fn has_scale(addressing: &Addressing, scale: u16) -> bool {
    scale.is_power_of_two() && scale <= 8 && addressing.index_scales & (1 << scale.trailing_zeros()) != 0
}

/// Whether accesses have a displacement.
#[inline]
fn fits(addressing: &Addressing, disp: i64) -> bool {
    disp.abs() < MAX_DISP && i64::from(addressing.min_disp) <= disp && disp <= i64::from(addressing.max_disp)
}
