//! Calls, the entry of the function, and returns: all by tables and parallel moves (contract 12).

use super::record::{Record, Spot, Thing};
use super::state::NO_REG;
use super::{FastCtx, reg_of};
use crate::abi::{ArgLayout, ArgPlace, Place};
use crate::context::calls::{barrier, refuse_call, runtime_signature};
use crate::context::{Addressing, Context};
use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::isa::{CallTarget, Isa, Parts};
use crate::lower_ctx::LowerCtx;
use crate::minst::{MInst, Mem};
use crate::parallel_move::{Location, Move};
use crate::reg::{PRegSet, Reg, RegClass};
use frazil_ir::{
    CallConv, CallFlags, EntityRef, InstData, Operand, Param, ParamKind, RuntimeFunction, Signature, Type, Value,
};

/// A call ready to be made.
struct PendingCall<'a> {
    signature: &'a Signature,
    conv: &'static ConvDesc,
    callee: Operand,
    args: &'a [Operand],
    /// The results as consecutive values, if any is wanted.
    first_result: Option<Value>,
}

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Makes the parameters known and emits what comes before the first block.
    pub(super) fn enter(&mut self) -> Result<(), CodegenError> {
        let mut layout = std::mem::take(&mut self.st.layout);
        let parts = &self.st.parts;
        let signature = &self.function.signature;
        layout.compute(signature, self.conv, &self.function.types, |ty| parts[ty.index()])?;
        (self.int_args_used, self.float_args_used) = (layout.int_used, layout.float_used);
        self.incoming_bytes = layout.stack_bytes;
        if R::IS_ON {
            self.record_params(&layout);
        }
        if layout.returns_in_memory {
            let reg = self.conv.int_args[0];
            let bytes = self.isa.desc().pointer_bytes;
            let offset = self.st.frame.allocate_slot(u32::from(bytes));
            let mem = self.frame_mem(offset);
            self.put(self.isa.spill(RegClass::Int, bytes, reg, mem));
            self.result_pointer = Some(offset);
        }
        for (index, param) in signature.params.iter().enumerate() {
            self.define_param(Value::new(index), param, &layout);
        }
        self.st.layout = layout;
        if signature.variadic {
            self.save_variadic();
        }
        self.align_slots();
        Ok(())
    }

    /// Says what the caller has put where.
    fn record_params(&mut self, layout: &ArgLayout) {
        // A variable that is read before it is written has whatever its register has.
        for (slot, home) in (0..).zip(&self.st.slot_homes) {
            if let Some(home) = reg_of(*home) {
                (self.rec).defined(Spot::Reg(home), Thing::SlotContents(frazil_ir::SlotId::new(slot)));
            }
        }
        if layout.returns_in_memory {
            (self.rec).defined(Spot::Reg(self.conv.int_args[0]), Thing::ResultPointer);
        }
        for (index, arg) in layout.args.iter().enumerate() {
            for part in 0..arg.parts.count {
                let spot = match arg.places[usize::from(part)] {
                    Place::Reg(reg) => Spot::Reg(reg),
                    Place::Stack(offset) => {
                        let desc = self.isa.desc();
                        Spot::Memory(desc.frame_pointer, desc.incoming_args_offset + offset as i32)
                    }
                };
                self.rec.defined(spot, Thing::value(Value::new(index), part));
            }
        }
    }

    fn define_param(&mut self, value: Value, param: &Param, layout: &ArgLayout) {
        let arg = &layout.args[value.index()];
        let incoming = self.isa.desc().incoming_args_offset;
        if let (ParamKind::ByVal { .. }, Place::Stack(offset)) = (param.kind, arg.places[0]) {
            self.st.assigns[value.index()].frame = incoming + offset as i32;
            return;
        }
        if param.kind == ParamKind::StructReturn && self.conv.returns_struct_pointer {
            self.struct_return = Some(value);
            self.st.assigns[value.index()].uses += 1;
        }
        if self.st.assigns[value.index()].uses == 0 {
            return;
        }
        // Once a part is on the stack, so are the following ones.
        let is_all_on_stack = matches!(arg.places[0], Place::Stack(_));
        for part in 0..arg.parts.count {
            match arg.places[usize::from(part)] {
                Place::Reg(reg) => self.def_fixed(value, part, reg),
                Place::Stack(offset) if let Some(home) = self.st.home(value) => {
                    let mem = self.frame_mem(incoming + offset as i32);
                    self.put(self.isa.reload(arg.parts.class(), arg.parts.bytes.max(4), home, mem));
                }
                Place::Stack(offset) if is_all_on_stack => {
                    let assign = &mut self.st.assigns[value.index()];
                    assign.frame = incoming + offset as i32 - assign.parts.offset(part);
                    assign.stored |= 1 << part;
                    self.st.frame.needed = true;
                }
                Place::Stack(offset) => self.copy_split_part(value, part, incoming + offset as i32),
            }
        }
    }

    /// A later part of a value whose earlier ones are in registers: brought to a slot of the value.
    fn copy_split_part(&mut self, value: Value, part: u8, offset: i32) {
        let parts = self.st.assigns[value.index()].parts;
        let scratch = self.scratch(parts.float);
        let from = self.frame_mem(offset);
        self.put(self.isa.reload(parts.class(), parts.bytes.max(4), scratch, from));
        let slot = self.slot_of(value) + parts.offset(part);
        let to = self.frame_mem(slot);
        self.put(self.isa.spill(parts.class(), parts.bytes.max(4), scratch, to));
        self.st.assigns[value.index()].stored |= 1 << part;
    }

    fn save_variadic(&mut self) {
        let isa = self.isa;
        let bytes = isa.variadic_area_bytes();
        let offset = self.st.frame.allocate(u64::from(bytes), 16);
        self.variadic_save = Some(offset);
        let mem = self.frame_mem(offset);
        isa.save_variadic_registers(self, mem, self.int_args_used, self.float_args_used);
    }

    /// Lowers a call of the IR.
    pub(super) fn lower_call(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let flags = CallFlags::from_bits_retain(data.flags);
        let function = self.function;
        let call = function.call(data);
        refuse_call(self, flags, data)?;
        if flags.contains(CallFlags::INLINE_ASM) {
            barrier(self, data)?;
            call.args.iter().for_each(|&operand| self.release_operand(operand));
            return Ok(());
        }
        let signature = function.sig(call.sig);
        let conv = self.convention_of(signature.call_conv)?;
        let first_result = data.first_result();
        self.make_call(
            PendingCall {
                signature,
                conv,
                callee: call.callee,
                args: call.args,
                first_result,
            },
            true,
        )?;
        self.free_unused_results(data);
        Ok(())
    }

    fn convention_of(&self, conv: CallConv) -> Result<&'static ConvDesc, CodegenError> {
        self.isa
            .convention(conv)
            .ok_or_else(|| CodegenError::unsupported(format!("calling convention {}", conv.0)))
    }

    /// Calls a runtime function from within a rule.
    pub(super) fn lower_runtime_call(
        &mut self,
        function: RuntimeFunction,
        args: &[(Operand, Type)],
        result: Option<Value>,
    ) -> Result<(), CodegenError> {
        self.end_step();
        let signature = runtime_signature(self.function, args, result);
        let conv = self.convention_of(CallConv::C)?;
        let operands: Vec<Operand> = args.iter().map(|&(operand, _)| operand).collect();
        let callee = Operand::symbol(function.symbol(self.view.symbol_count()));
        self.make_call(
            PendingCall {
                signature: &signature,
                conv,
                callee,
                args: &operands,
                first_result: result,
            },
            false,
        )
    }

    /// Makes a call. `releases` says whether the operands' uses are counted as done here.
    fn make_call(&mut self, call: PendingCall<'_>, releases: bool) -> Result<(), CodegenError> {
        self.has_calls = true;
        let mut layout = std::mem::take(&mut self.st.layout);
        let parts = &self.st.parts;
        layout.compute(call.signature, call.conv, &self.function.types, |ty| parts[ty.index()])?;
        let stack_bytes = layout.stack_bytes.next_multiple_of(call.conv.stack_align);
        let result_memory = self.result_memory(&layout);
        if stack_bytes > 0 {
            self.put(self.isa.adjust_stack(-(stack_bytes as i32)));
        }
        self.copy_byval_args(&call, &layout);
        self.end_step();
        if releases {
            self.count_call_uses(&call, -1);
        }
        self.store_before_call(&call);
        let homes = self.save_homes(call.conv);
        self.collect_argument_moves(&call, &layout, result_memory);
        self.perform_moves();
        let inst = self.call_inst(&call);
        if !call.conv.variadic_count.is_none() && call.signature.variadic {
            let isa = self.isa;
            self.rec.hand_over(call.conv.variadic_count);
            isa.int_constant(self, call.conv.variadic_count, 4, i64::from(layout.float_used_all));
        }
        self.rec.leaves();
        self.put(inst);
        self.rec.called(call.conv);
        if stack_bytes > 0 {
            self.put(self.isa.adjust_stack(stack_bytes as i32));
        }
        self.forget_clobbered(call.conv);
        self.restore_homes(call.conv, homes);
        if releases {
            self.count_call_uses(&call, 1);
            self.release_call_operands(&call);
        }
        self.define_results(&call, &layout, result_memory);
        self.st.layout = layout;
        self.end_step();
        Ok(())
    }

    /// Saves the home registers that the call overwrites, one slot after the other; returns the first slot's offset.
    fn save_homes(&mut self, conv: &ConvDesc) -> i32 {
        let homes = self.st.regs.fixed.minus(conv.callee_saved);
        if homes.is_empty() {
            return 0;
        }
        let start = self.st.frame.allocate(homes.iter().count() as u64 * 8, 8);
        self.each_home(homes, start, |isa, class, reg, mem| isa.spill(class, 8, reg, mem));
        start
    }

    fn restore_homes(&mut self, conv: &ConvDesc, start: i32) {
        let homes = self.st.regs.fixed.minus(conv.callee_saved);
        self.each_home(homes, start, |isa, class, reg, mem| isa.reload(class, 8, reg, mem));
    }

    fn each_home(&mut self, homes: PRegSet, start: i32, inst: impl Fn(&I, RegClass, Reg, Mem) -> MInst) {
        for (index, reg) in homes.iter().enumerate() {
            let class = if reg.bank() == 0 {
                RegClass::Int
            } else {
                RegClass::Float
            };
            let mem = self.frame_mem(start + 8 * index as i32);
            self.put(inst(self.isa, class, reg, mem));
        }
    }

    /// A frame slot for results that are returned in memory.
    fn result_memory(&mut self, layout: &ArgLayout) -> Option<i32> {
        layout
            .returns_in_memory
            .then(|| self.st.frame.allocate(u64::from(layout.return_bytes), 16))
    }

    /// Copies memory arguments to the outgoing area.
    fn copy_byval_args(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        for (index, param) in call.signature.params.iter().enumerate() {
            let ParamKind::ByVal { size, .. } = param.kind else {
                continue;
            };
            let Place::Stack(offset) = layout.args[index].places[0] else {
                continue;
            };
            let isa = self.isa;
            self.claim(isa.block_copy_claims(size));
            let source = self.address_of(call.args[index], size);
            let dest = Mem::base(isa.desc().stack_pointer, offset as i32);
            isa.block_copy(self, dest, source, size);
            self.end_step();
        }
    }

    /// Adds to the use counts of the call's operands, so that they tell what is needed afterwards.
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

    /// The registers that a call overwrites.
    fn clobbered(&self, conv: &ConvDesc) -> PRegSet {
        self.owned().minus(conv.callee_saved)
    }

    /// Stores what the call overwrites and somebody needs later.
    fn store_before_call(&mut self, call: &PendingCall<'_>) {
        for reg in self.clobbered(call.conv).iter() {
            if let Some((value, part)) = self.st.regs.owner[reg.index()].as_part()
                && self.is_needed(value)
            {
                self.store(value, part, reg);
            }
        }
    }

    fn forget_clobbered(&mut self, conv: &ConvDesc) {
        for reg in self.clobbered(conv).iter() {
            if let Some((value, part)) = self.st.regs.owner[reg.index()].as_part() {
                self.st.assigns[value.index()].regs[usize::from(part)] = NO_REG;
            }
            self.st.regs.release(reg);
        }
    }

    fn collect_argument_moves(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, result_memory: Option<i32>) {
        self.st.moves.clear();
        for (index, param) in call.signature.params.iter().enumerate() {
            if matches!(param.kind, ParamKind::ByVal { .. }) {
                continue;
            }
            let arg = &layout.args[index];
            for part in 0..arg.parts.count {
                self.collect_part(call.args[index], arg, part, |offset| Location::Outgoing(offset as i32));
            }
        }
        if call.callee.as_symbol().is_none() {
            let (source, dest) = (self.source(call.callee, 0), Location::Reg(call.conv.indirect_callee));
            let bytes = self.isa.desc().pointer_bytes;
            let spot = self.spot(dest);
            self.rec.needs(spot, Thing::Part(call.callee, 0));
            self.st.moves.push(Move {
                source,
                dest,
                float: false,
                bytes,
                extend: (0, false),
            });
        }
        self.note_written(layout, call);
        if let Some(offset) = result_memory {
            // The address of a frame slot: brought by hand, since it is no operand; nothing else writes that register.
            self.perform_moves();
            self.st.moves.clear();
            let mem = self.frame_mem(offset);
            let (isa, reg) = (self.isa, call.conv.int_args[0]);
            self.rec.hand_over(reg);
            isa.address(self, reg, mem);
            (self.rec).keeps(reg, reg, Thing::CalleeResults(offset));
            (self.rec).needs(Spot::Reg(reg), Thing::CalleeResults(offset));
        }
    }

    /// Adds the move of one part of an operand to its register, or to where its stack offset leads.
    fn collect_part(&mut self, operand: Operand, place: &ArgPlace, part: u8, memory: impl Fn(u32) -> Location) {
        let source = self.source(operand, part);
        let dest = match place.places[usize::from(part)] {
            Place::Reg(reg) => Location::Reg(reg),
            Place::Stack(offset) => memory(offset),
        };
        let Parts { float, bytes, .. } = place.parts;
        let extend = place.extend_of(part);
        let spot = self.spot(dest);
        self.rec.needs(spot, Thing::Part(operand, part));
        self.st.moves.push(Move {
            source,
            dest,
            float,
            bytes,
            extend,
        });
    }

    /// Argument registers are overwritten behind the register file's back; none of them is callee-saved, but the
    /// prologue must know of those that are.
    fn note_written(&mut self, layout: &ArgLayout, call: &PendingCall<'_>) {
        for arg in &layout.args {
            for place in &arg.places[..usize::from(arg.parts.count)] {
                if let Place::Reg(reg) = *place {
                    self.st.regs.written.insert(reg);
                }
            }
        }
        self.st.regs.written.insert(call.conv.indirect_callee);
    }

    fn call_inst(&self, call: &PendingCall<'_>) -> MInst {
        let target = match call.callee.as_symbol() {
            Some(symbol) => CallTarget::Symbol(symbol),
            None => CallTarget::Reg(call.conv.indirect_callee),
        };
        self.isa.call(self.view, target)
    }

    /// Says what the callee has put where.
    fn record_results(&mut self, first: Value, layout: &ArgLayout, result_memory: Option<i32>) {
        for (index, result) in layout.returns.iter().enumerate() {
            for part in 0..result.parts.count {
                let spot = match (result.places[usize::from(part)], result_memory) {
                    (Place::Reg(reg), _) => Spot::Reg(reg),
                    (Place::Stack(offset), memory) => {
                        Spot::Memory(self.isa.desc().frame_pointer, memory.unwrap_or(0) + offset as i32)
                    }
                };
                let value = Value::new(first.index() + index);
                self.rec.defined(spot, Thing::value(value, part));
            }
        }
    }

    fn define_results(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, result_memory: Option<i32>) {
        let Some(first) = call.first_result else { return };
        if R::IS_ON {
            self.record_results(first, layout, result_memory);
        }
        for (index, result) in layout.returns.iter().enumerate() {
            let value = Value::new(first.index() + index);
            for part in 0..result.parts.count {
                match (result.places[usize::from(part)], result_memory) {
                    (Place::Reg(reg), None) => self.def_fixed(value, part, reg),
                    (Place::Stack(offset), Some(memory)) => {
                        let dst = self.def(value, part);
                        let mem = self.frame_mem(memory + offset as i32);
                        let Parts { bytes, .. } = result.parts;
                        self.put(self.isa.reload(result.parts.class(), bytes, dst, mem));
                        // One part at a time: a value may have as many parts as the class has registers.
                        self.end_step();
                    }
                    _ => debug_assert!(false, "results are all in registers or all in memory"),
                }
            }
            self.end_step();
        }
    }

    /// Lowers a return: results to their places, then the epilogue.
    pub(super) fn lower_return(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let function = self.function;
        let operands = function.list(data);
        let mut layout = std::mem::take(&mut self.st.layout);
        let parts = &self.st.parts;
        layout.compute(&function.signature, self.conv, &function.types, |ty| parts[ty.index()])?;
        let pointer_reg = self.conv.int_returns[0];
        if let Some(offset) = self.result_pointer {
            self.claim(PRegSet::of(&[pointer_reg]));
            let mem = self.frame_mem(offset);
            self.put(
                self.isa
                    .reload(RegClass::Int, self.isa.desc().pointer_bytes, pointer_reg, mem),
            );
            (self.rec).needs(Spot::Reg(pointer_reg), Thing::ResultPointer);
        }
        self.st.moves.clear();
        for (&operand, result) in operands.iter().zip(&layout.returns) {
            for part in 0..result.parts.count {
                self.collect_part(operand, result, part, |offset| {
                    Location::Behind(pointer_reg, offset as i32)
                });
            }
        }
        if let Some(value) = self.struct_return {
            let source = self.source(Operand::value(value), 0);
            let bytes = self.isa.desc().pointer_bytes;
            let dest = Location::Reg(pointer_reg);
            (self.rec).needs(Spot::Reg(pointer_reg), Thing::value(value, 0));
            self.st.moves.push(Move {
                source,
                dest,
                float: false,
                bytes,
                extend: (0, false),
            });
        }
        self.perform_moves();
        self.rec.leaves();
        self.st.layout = layout;
        operands.iter().for_each(|&operand| self.release_operand(operand));
        self.put(self.isa.jump(self.epilogue));
        Ok(())
    }
}
