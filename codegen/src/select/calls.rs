//! Calls, the entry of the function, and returns: copies to and from the registers of the convention (contract 12).

use super::SelectCtx;
use crate::abi::{ArgLayout, ArgPlace, Place};
use crate::context::calls::{barrier, refuse_call, runtime_signature};
use crate::context::{Addressing, Constants, Context};
use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::isa::{CallTarget, Isa};
use crate::mfunc::{INCOMING, RegSets, pseudo};
use crate::minst::{MInst, Mem};
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

impl<I: Isa> SelectCtx<'_, I> {
    /// Appends an instruction with these registers besides its operands.
    fn put_with_sets(&mut self, mut inst: MInst, sets: RegSets) {
        inst.imm = self.mfunc.sets.len() as i32;
        self.mfunc.sets.push(sets);
        self.put(inst);
    }

    /// Makes the parameters known and emits what comes before the first block.
    pub(super) fn enter(&mut self) -> Result<(), CodegenError> {
        let mut layout = std::mem::take(&mut self.st.layout);
        let parts = &self.st.parts;
        let signature = &self.function.signature;
        layout.compute(signature, self.conv, &self.function.types, |ty| parts[ty.index()])?;
        (self.int_args_used, self.float_args_used) = (layout.int_used, layout.float_used);
        self.incoming_bytes = layout.stack_bytes;
        self.put_with_sets(
            MInst::new(pseudo::ENTRY, 0),
            RegSets {
                uses: PRegSet::EMPTY,
                defs: self.incoming_registers(&layout),
            },
        );
        if signature.variadic {
            self.save_variadic();
        }
        if layout.returns_in_memory {
            let bytes = self.isa.desc().pointer_bytes;
            let pointer = self.fresh_vreg(RegClass::Int, bytes);
            self.copy(pointer, self.conv.int_args[0], RegClass::Int, bytes);
            self.result_pointer = Some(pointer);
        }
        // Registers first, so that they are free for what comes from the stack.
        for from_stack in [false, true] {
            for (index, param) in signature.params.iter().enumerate() {
                self.define_param(Value::new(index), param, &layout, from_stack);
            }
        }
        self.st.layout = layout;
        self.align_slots();
        Ok(())
    }

    /// Everything that a caller may have put something into.
    fn incoming_registers(&self, layout: &ArgLayout) -> PRegSet {
        let mut set = PRegSet::EMPTY;
        if self.function.signature.variadic {
            self.conv
                .int_args
                .iter()
                .chain(self.conv.float_args)
                .for_each(|&reg| set.insert(reg));
            if !self.conv.variadic_count.is_none() {
                set.insert(self.conv.variadic_count);
            }
        }
        if layout.returns_in_memory {
            set.insert(self.conv.int_args[0]);
        }
        for arg in &layout.args {
            registers_of(arg).for_each(|reg| set.insert(reg));
        }
        set
    }

    fn define_param(&mut self, value: Value, param: &Param, layout: &ArgLayout, from_stack: bool) {
        let arg = &layout.args[value.index()];
        let incoming = INCOMING + self.isa.desc().incoming_args_offset;
        if let (ParamKind::ByVal { .. }, Place::Stack(offset)) = (param.kind, arg.places[0]) {
            self.st.by_value[value.index()] = incoming + offset as i32;
            return;
        }
        let is_returned = param.kind == ParamKind::StructReturn && self.conv.returns_struct_pointer;
        if is_returned {
            self.struct_return = Some(value);
        } else if self.function.uses[value.index()] == 0 {
            return;
        }
        for part in 0..arg.parts.count {
            let (class, bytes) = (arg.parts.class(), arg.parts.bytes);
            match arg.places[usize::from(part)] {
                Place::Reg(reg) if !from_stack => {
                    let dst = self.vreg(value, part);
                    self.copy(dst, reg, class, bytes);
                }
                Place::Stack(offset) if from_stack => {
                    let dst = self.vreg(value, part);
                    let mem = self.frame_mem(incoming + offset as i32);
                    self.put(self.isa.reload(class, bytes.max(4), dst, mem));
                }
                _ => {}
            }
        }
    }

    fn save_variadic(&mut self) {
        let isa = self.isa;
        let bytes = isa.variadic_area_bytes();
        let offset = self.mfunc.frame.areas.allocate(u64::from(bytes), 16);
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
            return barrier(self, data);
        }
        let signature = function.sig(call.sig);
        let conv = self.convention_of(signature.call_conv)?;
        self.make_call(&PendingCall {
            signature,
            conv,
            callee: call.callee,
            args: call.args,
            first_result: data.first_result(),
        })
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
        let signature = runtime_signature(self.function, args, result);
        let conv = self.convention_of(CallConv::C)?;
        let operands: Vec<Operand> = args.iter().map(|&(operand, _)| operand).collect();
        let callee = Operand::symbol(function.symbol(self.view.symbol_count()));
        self.make_call(&PendingCall {
            signature: &signature,
            conv,
            callee,
            args: &operands,
            first_result: result,
        })
    }

    fn make_call(&mut self, call: &PendingCall<'_>) -> Result<(), CodegenError> {
        self.mfunc.frame.has_calls = true;
        let mut layout = std::mem::take(&mut self.st.layout);
        let parts = &self.st.parts;
        layout.compute(call.signature, call.conv, &self.function.types, |ty| parts[ty.index()])?;
        let stack_bytes = layout.stack_bytes.next_multiple_of(call.conv.stack_align);
        let moves_stack = self.mfunc.frame.has_dynamic_stack && stack_bytes > 0;
        if moves_stack {
            self.put(self.isa.adjust_stack(-(stack_bytes as i32)));
        } else {
            let outgoing = &mut self.mfunc.frame.outgoing_bytes;
            *outgoing = stack_bytes.max(*outgoing);
        }
        let result_memory = layout
            .returns_in_memory
            .then(|| self.mfunc.frame.areas.allocate(u64::from(layout.return_bytes), 16));
        self.copy_byval_args(call, &layout);
        // The callee first: nothing may be computed once argument registers are full.
        let target = match call.callee.as_symbol() {
            Some(symbol) => CallTarget::Symbol(symbol),
            None => CallTarget::Reg(self.operand_reg(call.callee, 0)),
        };
        self.pass_on_stack(call, &layout);
        let mut uses = self.pass_in_registers(call, &layout);
        if let Some(offset) = result_memory {
            let mem = self.frame_mem(offset);
            let isa = self.isa;
            isa.address(self, call.conv.int_args[0], mem);
            uses.insert(call.conv.int_args[0]);
        }
        if !call.conv.variadic_count.is_none() && call.signature.variadic {
            let isa = self.isa;
            isa.int_constant(self, call.conv.variadic_count, 4, i64::from(layout.float_used_all));
            uses.insert(call.conv.variadic_count);
        }
        let inst = self.isa.call(self.view, target);
        let defs = self.clobbered(call.conv);
        self.put_with_sets(inst, RegSets { uses, defs });
        if moves_stack {
            self.put(self.isa.adjust_stack(stack_bytes as i32));
        }
        self.define_results(call, &layout, result_memory);
        self.st.layout = layout;
        Ok(())
    }

    /// The registers that a call overwrites.
    fn clobbered(&self, conv: &ConvDesc) -> PRegSet {
        let [int, float] = &self.isa.desc().classes;
        let mut all = int.allocatable.union(float.allocatable);
        all.insert(int.scratch);
        all.insert(float.scratch);
        all.minus(conv.callee_saved)
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
            let source = self.address_of(call.args[index], size);
            let dest = Mem::base(self.isa.desc().stack_pointer, offset as i32);
            let isa = self.isa;
            isa.block_copy(self, dest, source, size);
        }
    }

    fn pass_on_stack(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) {
        for (index, arg) in layout.args.iter().enumerate() {
            if matches!(call.signature.params[index].kind, ParamKind::ByVal { .. }) {
                continue;
            }
            for part in 0..arg.parts.count {
                let Place::Stack(offset) = arg.places[usize::from(part)] else {
                    continue;
                };
                let src = self.extended_part(call.args[index], arg, part);
                let mem = Mem::base(self.isa.desc().stack_pointer, offset as i32);
                self.put(self.isa.spill(arg.parts.class(), arg.parts.bytes.max(4), src, mem));
            }
        }
    }

    /// A part of an operand in a virtual register, extended as the convention asks.
    fn extended_part(&mut self, operand: Operand, place: &ArgPlace, part: u8) -> Reg {
        let (bits, signed) = place.extend_of(part);
        if bits == 0 {
            self.imm_bytes = place.parts.bytes.max(4);
            return self.operand_reg(operand, part);
        }
        let dst = self.fresh_vreg(place.parts.class(), place.parts.bytes.max(4));
        self.bring(dst, operand, place, part, (bits, signed));
        dst
    }

    /// Puts a part of an operand into a register, extended as asked.
    fn bring(&mut self, dst: Reg, operand: Operand, place: &ArgPlace, part: u8, extend: (u32, bool)) {
        let (bits, signed) = extend;
        let parts = place.parts;
        let isa = self.isa;
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
                isa.int_constant(self, dst, parts.bytes.max(4), imm & ((1i64 << bits.min(62)) - 1));
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

    /// Fills the argument registers and returns them.
    fn pass_in_registers(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) -> PRegSet {
        let mut uses = PRegSet::EMPTY;
        for (index, arg) in layout.args.iter().enumerate() {
            if matches!(call.signature.params[index].kind, ParamKind::ByVal { .. }) {
                continue;
            }
            for part in 0..arg.parts.count {
                if let Place::Reg(reg) = arg.places[usize::from(part)] {
                    self.bring(reg, call.args[index], arg, part, arg.extend_of(part));
                    uses.insert(reg);
                }
            }
        }
        uses
    }

    fn define_results(&mut self, call: &PendingCall<'_>, layout: &ArgLayout, result_memory: Option<i32>) {
        let Some(first) = call.first_result else { return };
        for (index, result) in layout.returns.iter().enumerate() {
            let value = Value::new(first.index() + index);
            if self.function.uses[value.index()] == 0 {
                continue;
            }
            for part in 0..result.parts.count {
                let (class, bytes) = (result.parts.class(), result.parts.bytes);
                let dst = self.vreg(value, part);
                match (result.places[usize::from(part)], result_memory) {
                    (Place::Reg(reg), None) => self.copy(dst, reg, class, bytes),
                    (Place::Stack(offset), Some(memory)) => {
                        let mem = self.frame_mem(memory + offset as i32);
                        self.put(self.isa.reload(class, bytes, dst, mem));
                    }
                    _ => debug_assert!(false, "results are all in registers or all in memory"),
                }
            }
        }
    }

    /// Lowers a return: results to their places.
    pub(super) fn lower_return(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let function = self.function;
        let operands = function.list(data);
        let mut layout = std::mem::take(&mut self.st.layout);
        let parts = &self.st.parts;
        layout.compute(&function.signature, self.conv, &function.types, |ty| parts[ty.index()])?;
        let mut uses = PRegSet::EMPTY;
        if let Some(pointer) = self.result_pointer {
            self.store_results(operands, &layout, pointer);
        } else {
            for (&operand, result) in operands.iter().zip(&layout.returns) {
                for part in 0..result.parts.count {
                    if let Place::Reg(reg) = result.places[usize::from(part)] {
                        self.bring(reg, operand, result, part, result.extend_of(part));
                        uses.insert(reg);
                    }
                }
            }
        }
        let pointer = match self.struct_return {
            Some(value) => Some(self.vreg(value, 0)),
            None => self.result_pointer,
        };
        if let Some(pointer) = pointer {
            let reg = self.conv.int_returns[0];
            self.copy(reg, pointer, RegClass::Int, self.isa.desc().pointer_bytes);
            uses.insert(reg);
        }
        self.st.layout = layout;
        self.put_with_sets(
            MInst::new(pseudo::RETURN, 0),
            RegSets {
                uses,
                defs: PRegSet::EMPTY,
            },
        );
        Ok(())
    }

    /// Writes the results to the memory that the caller gave.
    fn store_results(&mut self, operands: &[Operand], layout: &ArgLayout, pointer: Reg) {
        for (&operand, result) in operands.iter().zip(&layout.returns) {
            for part in 0..result.parts.count {
                let Place::Stack(offset) = result.places[usize::from(part)] else {
                    continue;
                };
                let src = self.extended_part(operand, result, part);
                let mem = Mem::base(pointer, offset as i32);
                self.put(self.isa.spill(result.parts.class(), result.parts.bytes, src, mem));
            }
        }
    }
}

/// The registers of an argument.
fn registers_of(arg: &ArgPlace) -> impl Iterator<Item = Reg> {
    arg.places[..usize::from(arg.parts.count)]
        .iter()
        .filter_map(|place| match place {
            Place::Reg(reg) => Some(*reg),
            Place::Stack(_) => None,
        })
}
