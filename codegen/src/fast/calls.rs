//! Calls, function entry and returns: parallel moves between values and the locations of the calling convention
//! (contract 12).

use super::layouts::{Key, is_kept};
use super::record::{Record, Spot, Thing};
use super::state::{FreshPart, NO_REG};
use super::{FastCtx, reg_of};
use crate::abi::{ArgLayout, ArgPlace, PartPlace};
use crate::branch::CallTarget;
use crate::context::call_plan::{ArgumentArea, CallPlaces, CallPlan, CallStep, MemoryArgument, moved_arguments};
use crate::context::calls::{PendingCall, argument_steps, no_shadows, pending_call};
use crate::context::frame_code::make_room;
use crate::context::intrinsics::{is_intrinsic, lower_intrinsic, text_of_intrinsic};
use crate::context::tail::{TAIL_FLAGS, must_take_place};
use crate::context::{Addressing, Context, SpecialArguments};
use crate::error::CodegenError;
use crate::halt::Halt;
use crate::isa::Isa;
use crate::lower_ctx::{CallSequence, LowerCtx};
use crate::minst::{MInst, Mem};
use crate::parallel_move::{Location, Move, Source};
use crate::parts::Parts;
use crate::reg::{PRegSet, Reg, RegClass};
use crate::unit::convention;
use frazil_ir::{CallConv, EntityRef, Inst, InstData, Operand, Param, ParamKind, SigId, Value};

/// What earlier steps of a call have decided for later ones.
pub(super) struct CallProgress {
    places: CallPlaces,
    /// By how many bytes the stack pointer was moved to make room for arguments.
    stack_bytes: u32,
    /// The frame offset at which home registers are saved.
    homes: i32,
    /// Whether the call's operands are released here, and not by the caller.
    releases: bool,
}

impl CallProgress {
    pub(super) fn new(releases: bool) -> CallProgress {
        CallProgress {
            places: CallPlaces::default(),
            stack_bytes: 0,
            homes: 0,
            releases,
        }
    }
}

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Emits the entry code: gives the parameters their places.
    pub(super) fn enter(&mut self) -> Result<(), Halt> {
        let mut layout = self.st.own_layout.take();
        let signature = self.base.function.signature();
        self.lay_out(&mut layout, signature, self.base.conv)?;
        (self.base.incoming.int_args_used, self.base.incoming.float_args_used) = (layout.int_used, layout.float_used);
        self.base.incoming.stack_bytes = layout.stack_bytes;
        self.base.incoming.popped_bytes = layout.popped_bytes;
        self.base.preserved = layout.preserved;
        // Lowering rules write scratch registers without the register file's knowledge, so they count as written from
        // the start.
        for class in &self.base.isa.desc().classes {
            if layout.preserved.contains(class.scratch) && !(I::SAVES_SCRATCH && class.scratch.bank() == 0) {
                self.st.regs.written.insert(class.scratch);
            }
        }
        if R::IS_ON {
            self.record_params(&layout);
        }
        if layout.returns_in_memory {
            self.result_pointer = Some(match layout.result_pointer {
                PartPlace::Reg(reg) => {
                    let bytes = self.base.isa.desc().pointer_bytes;
                    let offset = self.st.frame.allocate_slot(u32::from(bytes));
                    let mem = self.frame_mem(offset);
                    self.put(self.base.isa.spill(RegClass::Int, bytes, reg, mem));
                    offset
                }
                PartPlace::Stack(offset) => self.incoming_offset() + offset as i32,
            });
        }
        for (index, param) in signature.params.iter().enumerate() {
            self.define_param(Value::new(index), param, &layout)?;
        }
        self.st.own_layout.put(layout);
        if signature.variadic {
            self.save_variadic();
        }
        self.align_slots();
        Ok(())
    }

    /// Where the caller has put what is passed at a place.
    fn incoming_spot(&self, place: PartPlace) -> Spot {
        match place {
            PartPlace::Reg(reg) => Spot::Reg(reg),
            PartPlace::Stack(offset) => {
                let desc = self.base.isa.desc();
                Spot::Memory(desc.frame_pointer, desc.incoming_args_offset + offset as i32)
            }
        }
    }

    /// Tells the recorder where the caller has put the arguments.
    fn record_params(&mut self, layout: &ArgLayout) {
        // A stack slot with a home register that is read before it is written has the register's old contents.
        for (slot, home) in (0..).zip(&self.st.slot_homes) {
            if let Some(home) = reg_of(*home) {
                (self.rec).defined(Spot::Reg(home), Thing::SlotContents(frazil_ir::SlotId::new(slot)));
            }
        }
        if layout.returns_in_memory {
            let spot = self.incoming_spot(layout.result_pointer);
            self.rec.defined(spot, Thing::ResultPointer);
        }
        for (index, arg) in layout.args.iter().enumerate() {
            for part in 0..arg.parts.count {
                let spot = self.incoming_spot(arg.places[usize::from(part)]);
                self.rec.defined(spot, Thing::value(Value::new(index), part));
            }
        }
    }

    fn define_param(&mut self, value: Value, param: &Param, layout: &ArgLayout) -> Result<(), Halt> {
        let arg = &layout.args[value.index()];
        let incoming = self.incoming_offset();
        if let (ParamKind::ByVal { .. }, PartPlace::Stack(offset)) = (param.kind, arg.places[0]) {
            self.st.assigns[value.index()].frame = incoming + offset as i32;
            return Ok(());
        }
        if let (ParamKind::SwiftError, PartPlace::Reg(reg)) = (param.kind, arg.places[0]) {
            let offset = self.enter_swift_error(reg);
            self.st.assigns[value.index()].frame = offset;
            return Ok(());
        }
        if param.kind == ParamKind::StructReturn && self.base.conv.returns_struct_pointer {
            self.base.incoming.struct_return = Some(value);
            self.st.assigns[value.index()].uses += 1;
        }
        if self.st.assigns[value.index()].uses == 0 {
            return Ok(());
        }
        if u32::from(arg.parts.bytes) > self.base.incoming_align && matches!(arg.places[0], PartPlace::Stack(_)) {
            return Err(Halt::Select);
        }
        // If the first part is on the stack, all others are, too, and their places there become the value's slot.
        let is_all_on_stack = matches!(arg.places[0], PartPlace::Stack(_));
        for part in 0..arg.parts.count {
            match arg.places[usize::from(part)] {
                PartPlace::Reg(reg) => self.def_fixed(value, part, reg),
                PartPlace::Stack(offset) if let Some(home) = self.st.home(value) => {
                    let mem = self.frame_mem(incoming + offset as i32);
                    self.put(
                        self.base
                            .isa
                            .reload(arg.parts.class(), arg.parts.bytes.max(4), home, mem),
                    );
                }
                PartPlace::Stack(offset) if is_all_on_stack => {
                    let assign = &mut self.st.assigns[value.index()];
                    assign.frame = incoming + offset as i32 - assign.parts.offset(part);
                    assign.stored |= 1 << part;
                    self.st.frame.needed = true;
                }
                PartPlace::Stack(offset) => self.copy_split_part(value, part, incoming + offset as i32),
            }
        }
        Ok(())
    }

    /// Copies a part from the stack to the value's slot, if an earlier part of the value is in a register.
    fn copy_split_part(&mut self, value: Value, part: u8, offset: i32) {
        let parts = self.st.assigns[value.index()].parts;
        let scratch = self.scratch(parts.float);
        let from = self.frame_mem(offset);
        self.put(self.base.isa.reload(parts.class(), parts.bytes.max(4), scratch, from));
        let slot = self.slot_of(value) + parts.offset(part);
        let to = self.frame_mem(slot);
        self.put(self.base.isa.spill(parts.class(), parts.bytes.max(4), scratch, to));
        self.st.assigns[value.index()].stored |= 1 << part;
    }

    /// Lowers a call of the IR.
    pub(super) fn lower_call(&mut self, inst: Inst, data: &InstData) -> Result<(), Halt> {
        if is_intrinsic(data) && lower_intrinsic(self, data)? {
            self.end_step();
            self.release_operands(data);
            self.free_unused_results(data);
            return Ok(());
        }
        if is_intrinsic(data) && text_of_intrinsic(self, data).is_some() {
            return Err(Halt::Select);
        }
        let Some(call) = pending_call(self, data)? else {
            self.release_operands(data);
            return Ok(());
        };
        if data.flags & TAIL_FLAGS != 0 && must_take_place(self, (inst, data), &call) {
            return self.make_tail_call((inst, data), &call);
        }
        let sig = self.base.function.call(data).sig;
        self.make_listed_call(sig, &call)?;
        self.free_unused_results(data);
        Ok(())
    }

    /// Makes a call whose signature is in the function's list.
    fn make_listed_call(&mut self, sig: SigId, call: &PendingCall<'_>) -> Result<(), CodegenError> {
        let key = Key::new(sig, call.conv, self.base.stack_align);
        let (mut layout, is_known) = self.st.layouts.take(key);
        if !is_known {
            self.lay_out(&mut layout, call.signature, call.conv)?;
        }
        self.make_call_as(call, &layout, true);
        if is_known || is_kept(call.signature) {
            self.st.layouts.put(key, layout);
        }
        Ok(())
    }

    /// Makes a call; `releases` is the field of [`CallProgress`].
    pub(super) fn make_call(&mut self, call: &PendingCall<'_>, releases: bool) -> Result<(), CodegenError> {
        let mut layout = self.st.layout.take();
        self.lay_out(&mut layout, call.signature, call.conv)?;
        self.make_call_as(call, &layout, releases);
        self.st.layout.put(layout);
        Ok(())
    }

    /// Makes a call whose arguments have these places.
    fn make_call_as(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, releases: bool) {
        self.has_calls = true;
        let mut plan = self.st.plan.take();
        plan.plan_call(call, layout, self.base.frame_align);
        self.carry_out(&mut plan, call, layout, CallProgress::new(releases));
        self.st.plan.put(plan);
    }

    /// Carries out the steps of a call.
    pub(super) fn carry_out(
        &mut self,
        plan: &mut CallPlan,
        call: &PendingCall<'_>,
        layout: &ArgLayout,
        mut progress: CallProgress,
    ) {
        let isa = self.base.isa;
        for index in 0..plan.steps.len() {
            match plan.steps[index] {
                CallStep::ReserveArguments { bytes } => {
                    progress.stack_bytes = bytes;
                    argument_steps(isa, self.base.probes, bytes).for_each(|inst| self.put(inst));
                }
                CallStep::ReserveResults { bytes } => {
                    progress.places.results = Some(self.st.frame.allocate(u64::from(bytes), 16));
                }
                CallStep::CopyMemory(memory) => self.copy_memory(call, memory),
                CallStep::SaveMemory(memory) => self.save_memory(call, memory, &mut plan.saved),
                CallStep::PlaceMemory => self.place_memory(&plan.saved),
                // The stack arguments and the callee's address are part of the parallel move of
                // [`CallStep::MoveArguments`]; the bits of float arguments are copied from the argument registers.
                CallStep::FindCallee | CallStep::StoreArguments(_) | CallStep::FindShadows => {}
                CallStep::MoveArguments(ArgumentArea::Outgoing) => self.move_arguments(call, layout, &mut progress),
                CallStep::MoveArguments(ArgumentArea::Incoming) => self.replace_arguments(call, layout),
                CallStep::PassShadows => self.pass_shadows(call, layout),
                CallStep::PassResults => {
                    let offset = progress.places.results.unwrap_or(0);
                    self.pass_area(offset, layout.result_pointer);
                }
                CallStep::PassArea { place, offset } => self.pass_area(offset, place),
                CallStep::PassVariadicCount => {
                    self.rec.hand_over(call.conv.variadic_count);
                    isa.int_constant(self, call.conv.variadic_count, 4, i64::from(layout.float_used_all));
                }
                CallStep::ForwardVariadic => {
                    self.forward_variadic();
                }
                CallStep::Call => self.put_call(call, layout, &progress),
                CallStep::Leave => self.leave_for(call, layout),
                CallStep::TakeStackResults => self.take_stack_results(call, layout, &progress),
                CallStep::ReleaseArguments { bytes } => self.put(isa.adjust_stack(bytes.cast_signed())),
                CallStep::TakeResults => self.take_results(call, layout, &progress),
                step @ (CallStep::AlignStack { .. }
                | CallStep::FindError { .. }
                | CallStep::LoadError
                | CallStep::StoreError
                | CallStep::RestoreStack) => self.special_step(step, call, &mut progress.places),
            }
        }
    }

    /// Stores what must survive the call, then moves the arguments and the callee's address to their places.
    fn move_arguments(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, progress: &mut CallProgress) {
        self.end_step();
        if progress.releases {
            self.count_call_uses(call, -1);
        }
        self.store_before_call(layout.kept);
        progress.homes = self.save_homes(layout.kept);
        self.collect_argument_moves(call, layout);
        self.perform_moves();
    }

    fn put_call(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, progress: &CallProgress) {
        let inst = self.call_inst(call, layout);
        self.rec.leaves();
        make_room(self.base.isa, self.base.buf);
        let start = self.base.buf.offset();
        self.put(inst);
        self.rec.called(layout.preserved);
        if self.base.buf.exceptions.is_wanted() && call.may_unwind {
            let stack = (progress.stack_bytes, progress.places.old_stack);
            self.note_call_site(start, stack, (layout.kept, progress.homes));
        }
        if call.needs_mark {
            self.put_mark();
        }
        if layout.stack_results.is_empty() {
            self.record_results(call, layout, progress);
        }
    }

    /// After the call: marks clobbered registers free, restores home registers and defines the results.
    fn take_results(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, progress: &CallProgress) {
        self.forget_clobbered(layout.kept);
        self.restore_homes(layout.kept, progress.homes);
        if progress.releases {
            self.count_call_uses(call, 1);
            self.release_call_operands(call);
        }
        self.define_results(call, layout, progress.places.results);
        self.end_step();
    }

    /// Copies the bits of those float arguments that the convention also passes in an integer register to that
    /// register.
    #[cold]
    fn pass_shadows(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        let isa = self.base.isa;
        for (_, float, int) in layout.shadows(call.conv, call.signature) {
            self.rec.hand_over(int);
            match isa.float_bits(int, float) {
                Some(inst) => self.put(inst),
                None => self.keep_error(no_shadows()),
            }
        }
    }

    /// The implementation of [`LowerCtx::call_sequence`].
    #[cold]
    pub(super) fn make_call_sequence(
        &mut self,
        sequence: &CallSequence<'_>,
        result: Value,
    ) -> Result<(), CodegenError> {
        self.has_calls = true;
        let conv = convention(self.base.isa, CallConv::C)?;
        let kept = conv.kept_by_calls.minus(sequence.arguments);
        self.store_before_call(kept);
        let homes = self.save_homes(kept);
        self.note_written(kept);
        for reg in sequence.arguments.iter() {
            self.rec.hand_over(reg);
        }
        sequence.before.iter().for_each(|&inst| self.emit(inst));
        self.rec.leaves();
        self.put(sequence.call);
        self.rec.called(conv.callee_saved);
        self.forget_clobbered(kept);
        let (reg, thing) = (conv.int_returns[0], Thing::value(result, 0));
        self.rec.defined(Spot::Reg(reg), thing);
        self.rec.hand_copy(reg, thing);
        sequence.after.iter().for_each(|&inst| self.emit(inst));
        self.restore_homes(kept, homes);
        self.def_fixed(result, 0, reg);
        self.end_step();
        Ok(())
    }

    /// Stores the home registers that a call does not keep in consecutive places of the frame, and returns the first
    /// one's offset.
    fn save_homes(&mut self, kept: PRegSet) -> i32 {
        let homes = self.st.regs.fixed.minus(kept);
        if homes.is_empty() {
            return 0;
        }
        let bytes = u64::from(self.home_bytes());
        let start = self.st.frame.allocate(homes.iter().count() as u64 * bytes, bytes);
        self.each_home(homes, start, |isa, class, bytes, reg, mem| {
            isa.spill(class, bytes, reg, mem)
        });
        start
    }

    /// The size in bytes of the place for one home register.
    fn home_bytes(&self) -> u8 {
        if self.st.parts.iter().all(|parts| parts.bytes <= 8) {
            8
        } else {
            16
        }
    }

    pub(super) fn restore_homes(&mut self, kept: PRegSet, start: i32) {
        let homes = self.st.regs.fixed.minus(kept);
        self.each_home(homes, start, |isa, class, bytes, reg, mem| {
            isa.reload(class, bytes, reg, mem)
        });
    }

    fn each_home(&mut self, homes: PRegSet, start: i32, inst: impl Fn(&I, RegClass, u8, Reg, Mem) -> MInst) {
        let step = self.home_bytes();
        for (reg, index) in homes.iter().zip(0..) {
            let (class, bytes) = match reg.bank() {
                0 => (RegClass::Int, 8),
                _ => (RegClass::Float, step),
            };
            let mem = self.frame_mem(start + i32::from(step) * index);
            self.put(inst(self.base.isa, class, bytes, reg, mem));
        }
    }

    /// Copies memory that is passed by value to the outgoing argument area.
    fn copy_memory(&mut self, call: &PendingCall<'_>, memory: MemoryArgument) {
        let isa = self.base.isa;
        self.claim(isa.block_copy_claims(memory.bytes));
        let source = self.address_of(call.args[memory.index as usize], memory.bytes);
        let dest = Mem::base(isa.desc().stack_pointer, memory.offset as i32);
        isa.block_copy(self, dest, source, memory.bytes);
        self.end_step();
    }

    /// Adds `delta` to the use count of each operand of a call. Without the call's own uses, the counts say what is
    /// needed after it.
    fn count_call_uses(&mut self, call: &PendingCall<'_>, delta: i32) {
        for &operand in call.args.iter().chain([&call.callee]) {
            if let Some(value) = operand.as_value()
                && !self.is_place_value(value)
            {
                let uses = &mut self.st.assigns[value.index()].uses;
                *uses = uses.wrapping_add_signed(delta);
            }
        }
    }

    fn release_call_operands(&mut self, call: &PendingCall<'_>) {
        for &operand in call.args {
            self.release_operand(operand);
        }
        self.release_operand(call.callee);
    }

    /// Stores the values that are still needed and are in registers that the call does not keep.
    fn store_before_call(&mut self, kept: PRegSet) {
        for reg in self.owned().minus(kept).iter() {
            if let Some((value, part)) = self.st.regs.owner[reg.index()].as_part()
                && self.is_needed(value)
            {
                self.store(value, part, reg);
            }
        }
    }

    fn forget_clobbered(&mut self, kept: PRegSet) {
        for reg in self.owned().minus(kept).iter() {
            if let Some((value, part)) = self.st.regs.owner[reg.index()].as_part() {
                self.st.assigns[value.index()].regs[usize::from(part)] = NO_REG;
            }
            self.st.regs.release(reg);
        }
    }

    fn collect_argument_moves(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        self.st.moves.clear();
        for (operand, place) in moved_arguments(call, layout) {
            for part in 0..place.parts.count {
                self.collect_part(operand, place, part, |offset| Location::Outgoing(offset as i32));
            }
        }
        if call.callee.as_symbol().is_none() {
            let dest = match layout.callee_register(call.conv) {
                Some(reg) => Location::Reg(reg),
                None => Location::Frame(self.callee_slot()),
            };
            let source = self.source(call.callee, 0);
            let spot = self.spot(dest);
            self.rec.needs(spot, Thing::Part(call.callee, 0));
            self.move_pointer(source, dest);
        }
        self.note_written(layout.kept);
    }

    /// Passes the address of an area of the frame. It is no operand, so it is not part of the parallel move, which
    /// does not write this register.
    fn pass_area(&mut self, offset: i32, place: PartPlace) {
        let mem = self.frame_mem(offset);
        let isa = self.base.isa;
        let reg = match place {
            PartPlace::Reg(reg) => reg,
            PartPlace::Stack(_) => isa.desc().class(RegClass::Int).scratch,
        };
        self.rec.hand_over(reg);
        isa.address(self, reg, mem);
        (self.rec).keeps(reg, reg, Thing::CalleeResults(offset));
        let PartPlace::Stack(argument) = place else {
            return (self.rec).needs(Spot::Reg(reg), Thing::CalleeResults(offset));
        };
        let (pointer, argument) = (isa.desc().stack_pointer, argument as i32);
        self.put(isa.spill(
            RegClass::Int,
            isa.desc().pointer_bytes,
            reg,
            Mem::base(pointer, argument),
        ));
        (self.rec).needs(Spot::Memory(pointer, argument), Thing::CalleeResults(offset));
    }

    /// Adds the move of an address to the parallel move.
    pub(super) fn move_pointer(&mut self, source: Source<FreshPart>, dest: Location) {
        self.st.moves.push(Move {
            source,
            dest,
            class: RegClass::Int,
            bytes: self.base.isa.desc().pointer_bytes,
            extend: (0, false),
        });
    }

    /// Adds the move of a part of an operand to its register, or to the location that `memory` makes of its stack
    /// offset.
    pub(super) fn collect_part(
        &mut self,
        operand: Operand,
        place: &ArgPlace,
        part: u8,
        memory: impl Fn(u32) -> Location,
    ) {
        let source = self.source(operand, part);
        let dest = match place.places[usize::from(part)] {
            PartPlace::Reg(reg) => Location::Reg(reg),
            PartPlace::Stack(offset) => memory(offset),
        };
        let (class, bytes) = (place.parts.class(), place.parts.bytes);
        let extend = place.extend_of(part);
        let spot = self.spot(dest);
        self.rec.needs(spot, Thing::Part(operand, part));
        self.st.moves.push(Move {
            source,
            dest,
            class,
            bytes,
            extend,
        });
    }

    /// Counts the registers that a call overwrites as written, since the register file does not see it; the prologue
    /// must save those that the function has to preserve.
    pub(super) fn note_written(&mut self, kept: PRegSet) {
        let [int, float] = &self.base.isa.desc().classes;
        let overwritten = int.allocatable.union(float.allocatable).minus(kept);
        self.st.regs.written = self.st.regs.written.union(overwritten);
    }

    fn call_inst(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) -> MInst {
        let target = match call.callee.as_symbol() {
            Some(symbol) => CallTarget::Symbol(symbol),
            None => CallTarget::Reg(match layout.callee_register(call.conv) {
                Some(reg) => reg,
                None => self.load_callee(self.base.isa.desc().class(RegClass::Int).scratch),
            }),
        };
        call.inst(self.base.isa, self.base.view, target, layout)
    }

    /// Tells the recorder where the callee has put the results. This comes right after the call, so that the checker
    /// sees if anything overwrites a result before its first use.
    #[inline]
    fn record_results(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, progress: &CallProgress) {
        let Some(first) = call.first_result.filter(|_| R::IS_ON) else {
            return;
        };
        let result_memory = progress.places.results;
        for (index, result) in layout.returns.iter().enumerate() {
            for part in 0..result.parts.count {
                let spot = match (result.places[usize::from(part)], result_memory) {
                    (PartPlace::Reg(reg), _) => Spot::Reg(reg),
                    (PartPlace::Stack(offset), memory) => {
                        Spot::Memory(self.base.isa.desc().frame_pointer, memory.unwrap_or(0) + offset as i32)
                    }
                };
                let value = Value::new(first.index() + index);
                self.rec.defined(spot, Thing::value(value, part));
            }
        }
    }

    /// Brings results from the register stack to the registers that stand for them, whether they are used or not.
    #[cold]
    fn take_stack_results(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, progress: &CallProgress) {
        for reg in layout.stack_results.registers().iter() {
            self.rec.hand_over(reg);
        }
        let isa = self.base.isa;
        isa.take_stack_results(self, &layout.stack_results);
        self.record_results(call, layout, progress);
    }

    /// Brings the results that are in those registers to the register stack.
    #[cold]
    fn give_stack_results(&mut self, operands: &[Operand], layout: &ArgLayout) {
        for (&operand, result) in operands.iter().zip(&layout.returns) {
            if let PartPlace::Reg(reg) = result.places[0]
                && layout.stack_results.registers().contains(reg)
            {
                self.rec.hand_out(reg, Thing::Part(operand, 0));
            }
        }
        let isa = self.base.isa;
        isa.give_stack_results(self, &layout.stack_results);
    }

    fn define_results(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, result_memory: Option<i32>) {
        let Some(first) = call.first_result else { return };
        for (index, result) in layout.returns.iter().enumerate() {
            let value = Value::new(first.index() + index);
            for part in 0..result.parts.count {
                match (result.places[usize::from(part)], result_memory) {
                    (PartPlace::Reg(reg), None) => self.def_fixed(value, part, reg),
                    (PartPlace::Stack(offset), Some(memory)) => {
                        let dst = self.def(value, part);
                        let mem = self.frame_mem(memory + offset as i32);
                        let Parts { bytes, .. } = result.parts;
                        self.put(self.base.isa.reload(result.parts.class(), bytes, dst, mem));
                        // One part at a time, since a value may have as many parts as the class has registers.
                        self.end_step();
                    }
                    _ => debug_assert!(false, "results are all in registers or all in memory"),
                }
            }
            self.end_step();
        }
    }

    /// Lowers a return: moves the results to their places and jumps to the epilogue.
    pub(super) fn lower_return(&mut self, data: &InstData) -> Result<(), CodegenError> {
        if self.is_left {
            self.is_left = false;
            return Ok(());
        }
        let function = self.base.function;
        let operands = function.list(data);
        let layout = self.st.own_layout.take();
        let pointer_reg = self.base.conv.int_returns[0];
        if let Some(offset) = self.result_pointer {
            self.claim(PRegSet::of(&[pointer_reg]));
            let mem = self.frame_mem(offset);
            self.put(
                self.base
                    .isa
                    .reload(RegClass::Int, self.base.isa.desc().pointer_bytes, pointer_reg, mem),
            );
            (self.rec).needs(Spot::Reg(pointer_reg), Thing::ResultPointer);
        }
        self.st.moves.clear();
        for (&operand, result) in operands.iter().zip(&layout.returns) {
            for part in 0..result.parts.count {
                self.collect_part(operand, result, part, |offset| {
                    Location::Memory(pointer_reg, offset as i32)
                });
            }
        }
        if let Some(value) = self.base.incoming.struct_return {
            let source = self.source(Operand::value(value), 0);
            (self.rec).needs(Spot::Reg(pointer_reg), Thing::value(value, 0));
            self.move_pointer(source, Location::Reg(pointer_reg));
        }
        self.perform_moves();
        if let Some(offset) = self.base.incoming.swift_error {
            self.leave_swift_error(offset);
        }
        if !layout.stack_results.is_empty() {
            self.give_stack_results(operands, &layout);
        }
        self.rec.leaves();
        self.st.own_layout.put(layout);
        operands.iter().for_each(|&operand| self.release_operand(operand));
        self.put(self.base.isa.jump(self.epilogue));
        Ok(())
    }
}
