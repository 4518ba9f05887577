//! Calls, function entry and returns: copies to and from the physical registers of the calling convention (contract
//! 12).

use super::SelectCtx;
use crate::abi::{ArgLayout, ArgPlace, PartPlace};
use crate::branch::CallTarget;
use crate::context::call_plan::{ArgumentArea, CallPlaces, CallPlan, CallStep, MemoryArgument, moved_arguments};
use crate::context::calls::{PendingCall, argument_steps, no_shadows, pending_call};
use crate::context::intrinsics::{is_intrinsic, lower_intrinsic, text_of_intrinsic};
use crate::context::tail::TAIL_FLAGS;
use crate::context::{Addressing, Constants, Context, SpecialArguments};
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::lower_ctx::{CallSequence, GroupKind, LowerCtx};
use crate::mfunc::{RegSets, pseudo};
use crate::minst::{MInst, Mem};
use crate::reg::{PRegSet, Reg, RegClass};
use crate::unit::convention;
use frazil_ir::{CallConv, EntityRef, Inst, InstData, Operand, Param, ParamKind, Value};

/// What earlier steps of a call have decided for later ones.
#[derive(Default)]
pub(super) struct CallProgress {
    places: CallPlaces,
    /// Whether the stack pointer was moved to make room for arguments.
    moves_stack: bool,
    /// The register with the callee's address, unless the callee is a symbol.
    pub(super) callee: Option<Reg>,
    /// The fixed registers that the call reads.
    pub(super) uses: PRegSet,
    /// Bytes of arguments on the stack that were stored as words.
    word_bytes: u32,
}

impl<I: Isa> SelectCtx<'_, I> {
    /// Appends an instruction with the registers that it reads and writes besides its operands.
    pub(super) fn put_with_sets(&mut self, mut inst: MInst, sets: RegSets) {
        inst.imm = self.mfunc.sets.len() as i32;
        self.mfunc.sets.push(sets);
        self.put(inst);
    }

    /// Emits the entry code: copies the parameters to virtual registers.
    pub(super) fn enter(&mut self) -> Result<(), CodegenError> {
        let mut layout = self.st.layout.take();
        let signature = self.base.function.signature();
        self.lay_out(&mut layout, signature, self.base.conv)?;
        (self.base.incoming.int_args_used, self.base.incoming.float_args_used) = (layout.int_used, layout.float_used);
        self.base.incoming.stack_bytes = layout.stack_bytes;
        self.base.incoming.popped_bytes = layout.popped_bytes;
        self.mfunc.frame.popped_bytes = layout.popped_bytes;
        self.base.preserved = layout.preserved;
        self.mfunc.frame.callee_saved = layout.preserved;
        self.put_with_sets(
            MInst::new(pseudo::ENTRY, 0),
            RegSets::new(PRegSet::EMPTY, self.incoming_registers(&layout)),
        );
        if signature.variadic {
            self.save_variadic();
        }
        if layout.returns_in_memory {
            let bytes = self.base.isa.desc().pointer_bytes;
            let pointer = self.fresh_vreg(RegClass::Int, bytes);
            match layout.result_pointer {
                PartPlace::Reg(reg) => self.copy(pointer, reg, RegClass::Int, bytes),
                PartPlace::Stack(offset) => {
                    self.load_argument(pointer, RegClass::Int, bytes, offset);
                }
            }
            self.result_pointer = Some(pointer);
        }
        // Parameters in registers first, which frees these registers for those that are loaded from the stack.
        for from_stack in [false, true] {
            for (index, param) in signature.params.iter().enumerate() {
                self.define_param(Value::new(index), param, &layout, from_stack);
            }
        }
        self.st.layout.put(layout);
        self.align_slots();
        Ok(())
    }

    /// The registers that may hold arguments when the function is entered.
    fn incoming_registers(&self, layout: &ArgLayout) -> PRegSet {
        let mut set = PRegSet::EMPTY;
        if self.base.function.signature().variadic {
            self.base
                .conv
                .int_args
                .iter()
                .chain(self.base.conv.float_args)
                .for_each(|&reg| set.insert(reg));
            if !self.base.conv.variadic_count.is_none() {
                set.insert(self.base.conv.variadic_count);
            }
        }
        if let (true, PartPlace::Reg(reg)) = (layout.returns_in_memory, layout.result_pointer) {
            set.insert(reg);
        }
        for arg in &layout.args {
            registers_of(arg).for_each(|reg| set.insert(reg));
        }
        set
    }

    fn define_param(&mut self, value: Value, param: &Param, layout: &ArgLayout, from_stack: bool) {
        let arg = &layout.args[value.index()];
        let incoming = self.incoming_offset();
        if let (ParamKind::ByVal { .. }, PartPlace::Stack(offset)) = (param.kind, arg.places[0]) {
            self.st.by_value[value.index()] = incoming + offset as i32;
            return;
        }
        if let (ParamKind::SwiftError, PartPlace::Reg(reg)) = (param.kind, arg.places[0]) {
            if !from_stack {
                self.st.by_value[value.index()] = self.enter_swift_error(reg);
            }
            return;
        }
        let is_returned = param.kind == ParamKind::StructReturn && self.base.conv.returns_struct_pointer;
        if is_returned {
            self.base.incoming.struct_return = Some(value);
        } else if self.base.function.use_count(value) == 0 {
            if self.base.function.debug.is_on()
                && let (PartPlace::Reg(reg), 1) = (arg.places[0], arg.parts.count)
                && !from_stack
            {
                self.st.unused.push((value, reg));
            }
            return;
        }
        for part in 0..arg.parts.count {
            let (class, bytes) = (arg.parts.class(), arg.parts.bytes);
            match arg.places[usize::from(part)] {
                PartPlace::Reg(reg) if !from_stack => {
                    let dst = self.vreg(value, part);
                    self.copy(dst, reg, class, bytes);
                }
                PartPlace::Stack(offset) if from_stack => {
                    let dst = self.vreg(value, part);
                    self.load_argument(dst, class, bytes.max(4), offset);
                }
                _ => {}
            }
        }
    }

    /// Loads an argument that was passed in memory.
    fn load_argument(&mut self, dst: Reg, class: RegClass, bytes: u8, offset: u32) {
        let place = self.incoming_offset() + offset as i32;
        self.mfunc.argument_places.push((place, bytes));
        let load = self.base.isa.reload(class, bytes, dst, self.frame_mem(place));
        self.put(self.incoming_access(load, bytes));
    }

    /// Copies the bits of those float arguments that the convention also passes in an integer register (see
    /// [`ArgLayout::shadows`]) to virtual registers.
    #[cold]
    fn find_shadows(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        let isa = self.base.isa;
        self.st.shadows.clear();
        for (index, _, int) in layout.shadows(call.conv, call.signature) {
            let source = self.extended_part(call.args[index], &layout.args[index], 0);
            let shadow = self.fresh_vreg(RegClass::Int, 8);
            match isa.float_bits(shadow, source) {
                Some(inst) => self.put(inst),
                None => self.keep_error(no_shadows()),
            }
            self.st.shadows.push((int, shadow));
        }
    }

    /// Copies these bits to the integer registers.
    #[cold]
    fn pass_shadows(&mut self, uses: &mut PRegSet) {
        for index in 0..self.st.shadows.len() {
            let (reg, shadow) = self.st.shadows[index];
            self.copy(reg, shadow, RegClass::Int, 8);
            uses.insert(reg);
        }
    }

    /// Makes an access of the incoming argument area an unaligned one if the area may not be aligned for it.
    pub(super) fn incoming_access(&self, inst: MInst, bytes: u8) -> MInst {
        if u32::from(bytes) <= self.base.incoming_align.max(8) {
            return inst;
        }
        self.base.isa.unaligned(inst)
    }

    /// Lowers a call of the IR.
    pub(super) fn lower_call(&mut self, inst: Inst, data: &InstData) -> Result<(), CodegenError> {
        if is_intrinsic(data) && lower_intrinsic(self, data)? {
            return Ok(());
        }
        if is_intrinsic(data)
            && let Some(text) = text_of_intrinsic(self, data)
        {
            return self.lower_asm(data, &text);
        }
        match pending_call(self, data)? {
            Some(call) if data.flags & TAIL_FLAGS != 0 && self.take_place((inst, data), &call)? => Ok(()),
            Some(call) => self.make_call(&call),
            None => self.lower_asm_call(data),
        }
    }

    pub(super) fn make_call(&mut self, call: &PendingCall<'_>) -> Result<(), CodegenError> {
        self.mfunc.frame.has_calls = true;
        let mut layout = self.st.layout.take();
        self.lay_out(&mut layout, call.signature, call.conv)?;
        let mut plan = self.st.plan.take();
        plan.plan_call(call, &layout, self.base.frame_align);
        self.carry_out(&mut plan, call, &layout);
        self.st.plan.put(plan);
        self.st.layout.put(layout);
        Ok(())
    }

    /// Carries out the steps of a call.
    pub(super) fn carry_out(&mut self, plan: &mut CallPlan, call: &PendingCall<'_>, layout: &ArgLayout) {
        let isa = self.base.isa;
        let mut progress = CallProgress::default();
        if layout.popped_bytes > 0 && self.is_invoked() && !isa.desc().pushes_arguments {
            // Nothing can stand between the call and the end of its block, not even what moves the stack pointer back.
            self.mfunc.frame.has_dynamic_stack = true;
        }
        for index in 0..plan.steps.len() {
            match plan.steps[index] {
                CallStep::ReserveArguments { bytes } => progress.moves_stack = self.reserve_arguments(bytes),
                CallStep::ReserveResults { bytes } => {
                    progress.places.results = Some(self.mfunc.frame.areas.allocate(u64::from(bytes), 16));
                }
                CallStep::CopyMemory(memory) => self.copy_memory(call, memory),
                CallStep::SaveMemory(memory) => self.save_memory(call, memory, &mut plan.saved),
                CallStep::PlaceMemory => self.place_memory(&plan.saved),
                CallStep::FindCallee => progress.callee = Some(self.operand_reg(call.callee, 0)),
                CallStep::StoreArguments(area) => progress.word_bytes += self.store_arguments(call, layout, area),
                CallStep::FindShadows => self.find_shadows(call, layout),
                CallStep::MoveArguments(area) => self.move_arguments(call, layout, area, &mut progress.uses),
                CallStep::PassShadows => self.pass_shadows(&mut progress.uses),
                CallStep::PassResults => {
                    let offset = progress.places.results.unwrap_or(0);
                    self.pass_area(offset, layout.result_pointer, &mut progress);
                }
                CallStep::PassArea { place, offset } => self.pass_area(offset, place, &mut progress),
                CallStep::PassVariadicCount => {
                    isa.int_constant(self, call.conv.variadic_count, 4, i64::from(layout.float_used_all));
                    progress.uses.insert(call.conv.variadic_count);
                }
                CallStep::ForwardVariadic => progress.uses = progress.uses.union(self.forward_variadic()),
                CallStep::Call => self.put_call(call, layout, &progress),
                CallStep::Leave => self.leave_for(call, layout, &mut progress),
                CallStep::TakeStackResults => isa.take_stack_results(self, &layout.stack_results),
                CallStep::ReleaseArguments { bytes } if progress.moves_stack => {
                    self.put(isa.adjust_stack(bytes.cast_signed()));
                }
                // The arguments are in the frame's area for all calls, so the stack pointer was not moved.
                CallStep::ReleaseArguments { .. } => {}
                CallStep::TakeResults => self.define_results(call, layout, progress.places.results),
                step @ (CallStep::AlignStack { .. }
                | CallStep::FindError { .. }
                | CallStep::LoadError
                | CallStep::StoreError
                | CallStep::RestoreStack) => {
                    self.special_step(step, call, &mut progress.places);
                    if step == CallStep::LoadError {
                        progress.uses.insert(call.conv.special.swift_error);
                    }
                }
            }
        }
    }

    /// Makes room for the stack arguments of a call: in the frame's area for all calls, or by moving the stack pointer
    /// if the function does so anyway. Returns whether the stack pointer was moved.
    fn reserve_arguments(&mut self, bytes: u32) -> bool {
        if self.mfunc.frame.has_dynamic_stack {
            argument_steps(self.base.isa, self.base.probes, bytes).for_each(|inst| self.put(inst));
            return true;
        }
        let outgoing = &mut self.mfunc.frame.outgoing_bytes;
        *outgoing = bytes.max(*outgoing);
        false
    }

    fn put_call(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, progress: &CallProgress) {
        let target = match (call.callee.as_symbol(), progress.callee) {
            (None, Some(reg)) => CallTarget::Reg(reg),
            (symbol, _) => CallTarget::Symbol(symbol.expect("a callee that is no symbol has been found")),
        };
        let mut inst = call.inst(self.base.isa, self.base.view, target, layout);
        if matches!(target, CallTarget::Reg(_)) {
            inst = self.with_callee_in_memory(inst, call.callee);
        }
        let defs = self.clobbered(layout.preserved);
        let uses = progress.uses;
        let is_noted = self.base.buf.exceptions.is_wanted();
        if is_noted {
            inst = self.note_call(inst, call.may_unwind);
        }
        let popped_bytes = if progress.moves_stack { 0 } else { layout.popped_bytes };
        // On the normal edge of an invoke, an instruction for what the callee pops is where pushed arguments are
        // popped.
        let pops_on_edge = self.is_invoked()
            && self.base.isa.desc().pushes_arguments
            && layout.stack_bytes > 0
            && !progress.moves_stack;
        let mark = self.base.branch_mark.filter(|_| call.needs_mark);
        let is_pushable = progress.word_bytes == layout.stack_bytes && !progress.moves_stack;
        let sets = RegSets {
            pushable_bytes: if is_pushable { layout.stack_bytes } else { 0 },
            ..RegSets::new(uses, defs)
        };
        let popped_after = if pops_on_edge { 0 } else { popped_bytes };
        self.put_call_group(inst, sets, popped_after, mark);
        self.leave_bases();
        if is_noted {
            let has_results = call.first_result.is_some() && !layout.returns.is_empty();
            self.split_invoke(layout, has_results, progress.moves_stack || pops_on_edge);
        }
        if pops_on_edge {
            let mut release = MInst::new(pseudo::RELEASE, 0);
            release.disp = popped_bytes as i32;
            self.put(release);
        }
    }

    /// The implementation of [`LowerCtx::call_sequence`].
    #[cold]
    pub(super) fn make_call_sequence(
        &mut self,
        sequence: &CallSequence<'_>,
        result: Value,
    ) -> Result<(), CodegenError> {
        self.mfunc.frame.has_calls = true;
        let conv = convention(self.base.isa, CallConv::C)?;
        self.leave_bases();
        self.begin_group(GroupKind::Plain);
        sequence.before.iter().for_each(|&inst| self.put(inst));
        let (uses, defs) = (sequence.arguments, self.clobbered(conv.callee_saved));
        self.put_with_sets(sequence.call, RegSets::new(uses, defs));
        sequence.after.iter().for_each(|&inst| self.put(inst));
        self.end_group();
        self.def_fixed(result, 0, conv.int_returns[0]);
        Ok(())
    }

    /// Passes the address of an area of the frame as an argument.
    fn pass_area(&mut self, offset: i32, place: PartPlace, progress: &mut CallProgress) {
        let (isa, mem) = (self.base.isa, self.frame_mem(offset));
        match place {
            PartPlace::Reg(reg) => {
                isa.address(self, reg, mem);
                progress.uses.insert(reg);
            }
            PartPlace::Stack(argument) => {
                let bytes = isa.desc().pointer_bytes;
                let address = self.fresh_vreg(RegClass::Int, bytes);
                isa.address(self, address, mem);
                let mem = Mem::base(isa.desc().stack_pointer, argument as i32);
                self.put(isa.spill(RegClass::Int, bytes, address, mem));
                progress.word_bytes += u32::from(bytes);
            }
        }
    }

    /// Appends a call, followed by a mark if one is given. If the callee pops arguments (`popped_bytes`) that are in
    /// the frame's area for all calls, the stack pointer is moved back at once, since the frame may be addressed from
    /// it.
    fn put_call_group(&mut self, inst: MInst, sets: RegSets, popped_bytes: u32, mark: Option<MInst>) {
        if popped_bytes == 0 && mark.is_none() {
            return self.put_with_sets(inst, sets);
        }
        self.begin_group(GroupKind::Plain);
        self.put_with_sets(inst, sets);
        if let Some(mark) = mark {
            self.put(mark);
        }
        if popped_bytes > 0 {
            self.put(self.base.isa.adjust_stack(-(popped_bytes as i32)));
        }
        self.end_group();
    }

    /// The registers that a call overwrites: all that it does not preserve, also those that are never allocated.
    pub(super) fn clobbered(&self, preserved: PRegSet) -> PRegSet {
        let desc = self.base.isa.desc();
        let [int, float] = &desc.classes;
        let mut all = int.allocatable.union(float.allocatable).union(desc.rule_registers);
        all = all
            .union(desc.spare_registers)
            .union(desc.upper_registers)
            .union(desc.mask_registers());
        all.insert(int.scratch);
        all.insert(float.scratch);
        all.minus(preserved)
    }

    /// Copies memory that is passed by value to the outgoing argument area.
    fn copy_memory(&mut self, call: &PendingCall<'_>, memory: MemoryArgument) {
        let source = self.address_of(call.args[memory.index as usize], memory.bytes);
        let isa = self.base.isa;
        let dest = Mem::base(isa.desc().stack_pointer, memory.offset as i32);
        isa.block_copy(self, dest, source, memory.bytes);
    }

    /// Stores the arguments that the convention passes on the stack, the last one first. Returns how many bytes of them
    /// are words of the target.
    fn store_arguments(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, area: ArgumentArea) -> u32 {
        let pointer = self.base.isa.desc().stack_pointer;
        let incoming = self.incoming_offset();
        let mut word_bytes = 0;
        for (operand, place) in moved_arguments(call, layout).rev() {
            for part in (0..place.parts.count).rev() {
                let PartPlace::Stack(offset) = place.places[usize::from(part)] else {
                    continue;
                };
                let (class, bytes) = (place.parts.class(), place.parts.bytes.max(4));
                if class == RegClass::Int && bytes == I::WORD_BYTES {
                    word_bytes += u32::from(bytes);
                }
                let mem = match area {
                    ArgumentArea::Outgoing => Mem::base(pointer, offset as i32),
                    ArgumentArea::Incoming => self.frame_mem(incoming + offset as i32),
                };
                if area == ArgumentArea::Outgoing
                    && let Some(store) = self.constant_argument(operand, place, part, mem)
                {
                    self.put(store);
                    continue;
                }
                let src = self.extended_part(operand, place, part);
                let store = self.base.isa.spill(class, bytes, src, mem);
                self.put(match area {
                    ArgumentArea::Outgoing => store,
                    ArgumentArea::Incoming => self.incoming_access(store, bytes),
                });
            }
        }
        word_bytes
    }

    /// The store of a constant argument where it would be pushed.
    fn constant_argument(&self, operand: Operand, place: &ArgPlace, part: u8, mem: Mem) -> Option<MInst> {
        let desc = self.base.isa.desc();
        let is_word = place.parts.class() == RegClass::Int && place.parts.bytes <= desc.pointer_bytes;
        if !desc.pushes_arguments || !is_word || place.parts.count > 1 {
            return None;
        }
        let imm = operand.as_imm()?;
        let value = match place.extend_of(part) {
            (0, _) | (_, true) => imm,
            (bits, false) => imm & (i64::MAX >> (63 - bits.min(63))),
        };
        self.base.isa.store_constant(value as i32, mem)
    }

    /// A part of an operand in a virtual register, extended as the convention asks.
    pub(super) fn extended_part(&mut self, operand: Operand, place: &ArgPlace, part: u8) -> Reg {
        let (bits, signed) = place.extend_of(part);
        if bits == 0 {
            self.base.imm_bytes = place.parts.bytes.max(4);
            return self.operand_reg(operand, part);
        }
        let dst = self.fresh_vreg(place.parts.class(), place.parts.bytes.max(4));
        self.bring(dst, operand, place, part, (bits, signed));
        dst
    }

    /// Copies a part of an operand to a register, extended from `extend.0` bits (0: not at all), with sign if
    /// `extend.1`.
    fn bring(&mut self, dst: Reg, operand: Operand, place: &ArgPlace, part: u8, extend: (u32, bool)) {
        let (bits, signed) = extend;
        let parts = place.parts;
        let isa = self.base.isa;
        if let Some(value) = self.own_value(operand) {
            let src = self.vreg(value, part);
            if bits == 0 {
                self.copy(dst, src, parts.class(), parts.bytes);
            } else {
                isa.extend(self, dst, src, bits, signed);
            }
            return;
        }
        match operand.as_imm() {
            Some(imm) if bits != 0 && !signed => {
                isa.int_constant(self, dst, parts.bytes.max(4), imm & (i64::MAX >> (63 - bits.min(63))));
                return;
            }
            _ => {
                let before = self.mfunc.insts.len();
                self.make_fresh(operand, part, dst, parts.bytes.max(4));
                if self.mfunc.insts.len() == before {
                    self.define_any(parts.class(), parts.bytes, dst);
                }
            }
        }
        if bits != 0 && operand.as_imm().is_none() {
            isa.extend(self, dst, dst, bits, signed);
        }
    }

    /// Copies arguments to the registers that the convention passes them in.
    fn move_arguments(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, area: ArgumentArea, uses: &mut PRegSet) {
        for (operand, place) in moved_arguments(call, layout) {
            for part in 0..place.parts.count {
                if let PartPlace::Reg(reg) = place.places[usize::from(part)] {
                    self.bring(reg, operand, place, part, place.extend_of(part));
                    uses.insert(reg);
                }
            }
        }
        if area == ArgumentArea::Incoming
            && layout.returns_in_memory
            && let Some(pointer) = self.result_pointer
            && let PartPlace::Reg(reg) = layout.result_pointer
        {
            self.copy(reg, pointer, RegClass::Int, self.base.isa.desc().pointer_bytes);
            uses.insert(reg);
        }
    }

    fn define_results(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, result_memory: Option<i32>) {
        let Some(first) = call.first_result else { return };
        for (index, result) in layout.returns.iter().enumerate() {
            let value = Value::new(first.index() + index);
            if self.base.function.use_count(value) == 0 {
                continue;
            }
            for part in 0..result.parts.count {
                let (class, bytes) = (result.parts.class(), result.parts.bytes);
                let dst = self.vreg(value, part);
                match (result.places[usize::from(part)], result_memory) {
                    (PartPlace::Reg(reg), None) => self.copy(dst, reg, class, bytes),
                    (PartPlace::Stack(offset), Some(memory)) => {
                        let mem = self.frame_mem(memory + offset as i32);
                        self.put(self.base.isa.reload(class, bytes, dst, mem));
                    }
                    _ => debug_assert!(false, "results are all in registers or all in memory"),
                }
            }
        }
    }

    /// Lowers a return: copies the results to the registers or the memory that the convention returns them in.
    pub(super) fn lower_return(&mut self, data: &InstData) -> Result<(), CodegenError> {
        if self.is_left {
            self.is_left = false;
            return Ok(());
        }
        let function = self.base.function;
        let operands = function.list(data);
        let mut layout = self.st.layout.take();
        self.lay_out(&mut layout, function.signature(), self.base.conv)?;
        let mut uses = PRegSet::EMPTY;
        if let Some(pointer) = self.result_pointer {
            self.store_results(operands, &layout, pointer);
        } else {
            for (&operand, result) in operands.iter().zip(&layout.returns) {
                for part in 0..result.parts.count {
                    if let PartPlace::Reg(reg) = result.places[usize::from(part)] {
                        self.bring(reg, operand, result, part, result.extend_of(part));
                        uses.insert(reg);
                    }
                }
            }
        }
        if !layout.stack_results.is_empty() {
            let isa = self.base.isa;
            isa.give_stack_results(self, &layout.stack_results);
        }
        let pointer = match self.base.incoming.struct_return {
            Some(value) => Some(self.vreg(value, 0)),
            None => self.result_pointer.filter(|_| self.base.conv.returns_struct_pointer),
        };
        if let Some(pointer) = pointer {
            let reg = self.base.conv.int_returns[0];
            self.copy(reg, pointer, RegClass::Int, self.base.isa.desc().pointer_bytes);
            uses.insert(reg);
        }
        if let Some(offset) = self.base.incoming.swift_error {
            uses.insert(self.leave_swift_error(offset));
        }
        self.st.layout.put(layout);
        self.put_with_sets(MInst::new(pseudo::RETURN, 0), RegSets::new(uses, PRegSet::EMPTY));
        Ok(())
    }

    /// Writes the results to the memory that the caller gave.
    fn store_results(&mut self, operands: &[Operand], layout: &ArgLayout, pointer: Reg) {
        for (&operand, result) in operands.iter().zip(&layout.returns) {
            for part in 0..result.parts.count {
                let PartPlace::Stack(offset) = result.places[usize::from(part)] else {
                    continue;
                };
                let src = self.extended_part(operand, result, part);
                let mem = Mem::base(pointer, offset as i32);
                self.put(self.base.isa.spill(result.parts.class(), result.parts.bytes, src, mem));
            }
        }
    }
}

/// The registers of an argument.
fn registers_of(arg: &ArgPlace) -> impl Iterator<Item = Reg> {
    arg.places[..usize::from(arg.parts.count)]
        .iter()
        .filter_map(|place| match place {
            PartPlace::Reg(reg) => Some(*reg),
            PartPlace::Stack(_) => None,
        })
}
