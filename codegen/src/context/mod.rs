//! What the fast and the selecting context have in common: addresses, constants, switches, the order of calls.
//!
//! A context ([`crate::fast`], [`crate::select`]) knows the frame offsets of stack slots and implements the requests
//! of [`LowerCtx`]. The trait here provides the rest as default methods over the state that both contexts have
//! ([`Base`]). It never decides in which register anything is.

mod address;
mod base;
pub(crate) mod call_plan;
pub(crate) mod calls;
pub(crate) mod clearing;
mod constants;
pub(crate) mod frame_code;
pub(crate) mod intrinsics;
pub(crate) mod protector;
pub(crate) mod refusals;
mod special;
pub(crate) mod switch;
pub(crate) mod tail;

pub(crate) use address::{Addressing, PlaceBase};
pub(crate) use base::Base;
pub(crate) use constants::Constants;
pub(crate) use special::SpecialArguments;

use crate::abi::ArgLayout;
use crate::analyze::{Analysis, Mark};
use crate::desc::{ConvDesc, TargetDesc};
use crate::error::CodegenError;
use crate::frame::Frame;
use crate::isa::Isa;
use crate::lower_ctx::{LowerCtx, VariadicArea};
use crate::minst::{MInst, Mem};
use crate::module_view::ModuleView;
use crate::parts::Parts;
use crate::reg::{PRegSet, Reg, RegClass};
use frazil_ir::{Effects, EntityRef, Function, InstData, Opcode, Operand, Signature, SlotId, Type, Value, ValueKind};
use std::ops::Deref;

/// A context of one function.
pub(crate) trait Context<'a>: LowerCtx + Sized {
    /// The target.
    type Isa: Isa;

    /// What both contexts hold.
    fn base(&self) -> &Base<'a, Self::Isa>;
    /// The same, to be changed.
    fn base_mut(&mut self) -> &mut Base<'a, Self::Isa>;
    /// What the analysis walk has found out.
    fn analysis(&self) -> &Analysis;
    /// How types are spread over registers, by the type's number.
    fn parts(&self) -> &[Parts];
    /// The frame as far as it is laid out.
    fn frame(&mut self) -> &mut Frame;
    /// The offset of a slot from the frame pointer, and whether only the slot's address stands there.
    fn slot_place(&self, slot: SlotId) -> (i32, bool);
    /// The offset of an argument's memory from the frame pointer.
    fn by_value_place(&self, value: Value) -> i32;
    /// What stands as base of addresses in the frame.
    fn frame_base(&self) -> Reg;
    /// The offset from there of the first argument on the stack.
    fn incoming_offset(&self) -> i32;

    /// Appends an instruction that is the context's own, and no rule's.
    fn put_own(&mut self, inst: MInst);
    /// A new place in the frame for an address.
    fn pointer_place(&mut self) -> i32;
    /// Says that the stack pointer will not stay where the prologue has put it.
    fn will_move_stack(&mut self);

    /// Whether addresses stay in registers for further uses.
    fn keeps_bases(&self) -> bool {
        false
    }

    /// The register that has the address at a distance from a place at this point, if the context knows one.
    fn known_base(&self, _place: PlaceBase, _distance: i64) -> Option<Reg> {
        None
    }

    /// Says that a register, which nobody writes, has the address at a distance from a place from here on.
    fn remember_base(&mut self, _place: PlaceBase, _distance: i64, _reg: Reg) {}

    /// The target that the function is compiled for.
    #[inline]
    fn isa(&self) -> &'a Self::Isa {
        self.base().isa
    }

    /// The function that is compiled.
    #[inline]
    fn function(&self) -> &'a Function {
        self.base().function
    }

    /// The module and the options.
    #[inline]
    fn module_view(&self) -> ModuleView<'a> {
        self.base().view
    }

    /// What becomes of a value.
    #[inline]
    fn mark(&self, value: Value) -> Mark {
        self.analysis().values[value.index()].mark
    }

    /// How a type is spread over registers.
    #[inline]
    fn parts_of(&self, ty: Type) -> Parts {
        self.parts()[ty.index()]
    }

    /// Keeps the first refusal met where none can be returned; the function is refused at its end.
    #[cold]
    fn keep_error(&mut self, error: CodegenError) {
        self.base_mut().error.get_or_insert(error);
    }

    /// An address in the frame.
    #[inline]
    fn frame_mem(&mut self, offset: i32) -> Mem {
        self.frame().needed = true;
        Mem::base(self.frame_base(), offset)
    }

    /// Whether the value is marked as a place or is a slot.
    #[inline]
    fn is_place_value(&self, value: Value) -> bool {
        self.function().value(value).kind == ValueKind::Slot || self.mark(value) == Mark::Place
    }

    /// The value of an operand that has registers of its own: no place.
    #[inline]
    fn own_value(&self, operand: Operand) -> Option<Value> {
        operand.as_value().filter(|&value| !self.is_place_value(value))
    }

    /// The pointer of the load that is this operand and was folded into the current rule.
    #[inline]
    fn folded_load(&self, value: Value) -> Option<Operand> {
        if self.mark(value) != Mark::Folded {
            return None;
        }
        let data = self.function().inst(self.function().def_inst(value)?);
        (data.op == Opcode::Load).then_some(data.a)
    }

    /// Finds where a signature's arguments and results are in a convention.
    #[inline]
    fn lay_out(&self, layout: &mut ArgLayout, signature: &Signature, conv: &ConvDesc) -> Result<(), CodegenError> {
        let (parts, align) = (self.parts(), self.base().stack_align);
        layout.compute(signature, conv, align, self.function().types(), |ty| parts[ty.index()])?;
        if let Some(keeps) = signature.keeps.as_deref() {
            layout.keep_more(conv, *keeps, self.function().has_wide_vectors());
        }
        Ok(())
    }

    /// Width at which immediates of an instruction are made: that of its type, if all its operands have that type.
    #[inline]
    fn immediate_bytes(&self, data: &InstData) -> u8 {
        let parts = self.parts_of(data.ty);
        let is_uniform = matches!(data.op.effects(), Effects::Pure | Effects::Trap)
            && !matches!(data.op, Opcode::Select | Opcode::Scmp | Opcode::Ucmp);
        if is_uniform && parts.count > 0 && !parts.float {
            parts.bytes.max(4)
        } else {
            self.isa().desc().pointer_bytes
        }
    }

    /// Whether a value is folded into what is being lowered.
    #[inline]
    fn is_folded_operand(&self, operand: Operand) -> bool {
        operand.as_value().is_some_and(|value| self.mark(value) == Mark::Folded)
    }

    /// Saves the argument registers of a variadic function, as the target wants them to be.
    fn save_variadic(&mut self) {
        let isa = self.isa();
        let offset = if self.base().conv.shares_positions {
            self.incoming_offset()
        } else {
            let bytes = isa.variadic_area_bytes();
            self.frame().allocate(u64::from(bytes), 16)
        };
        let incoming = &mut self.base_mut().incoming;
        incoming.variadic_save = Some(offset);
        let (int_used, float_used) = (incoming.int_args_used, incoming.float_args_used);
        let mem = self.frame_mem(offset);
        isa.save_variadic_registers(self, mem, int_used, float_used);
        if self.analysis().has_must_tail {
            self.save_variadic_count();
        }
    }

    /// Saves what the caller has said of float registers, to pass it on.
    #[cold]
    fn save_variadic_count(&mut self) {
        let (isa, reg) = (self.isa(), self.base().conv.variadic_count);
        if reg.is_none() {
            return;
        }
        let bytes = isa.desc().pointer_bytes;
        let offset = self.frame().allocate(u64::from(bytes), u64::from(bytes));
        self.base_mut().incoming.variadic_count = Some(offset);
        let mem = self.frame_mem(offset);
        self.emit(isa.spill(RegClass::Int, bytes, reg, mem));
    }

    /// Fills the argument registers that no fixed parameter has with what the function was called with; returns them.
    #[cold]
    fn forward_variadic(&mut self) -> PRegSet {
        let (isa, incoming, conv) = (self.isa(), self.base().incoming, self.base().conv);
        let mut filled = PRegSet::EMPTY;
        let Some(save) = incoming.variadic_save else {
            return filled;
        };
        for (index, &reg) in conv
            .int_args
            .iter()
            .enumerate()
            .skip(usize::from(incoming.int_args_used))
        {
            let mem = self.frame_mem(save + isa.variadic_place(RegClass::Int, index as u32));
            self.emit(isa.reload(RegClass::Int, isa.desc().pointer_bytes, reg, mem));
            filled.insert(reg);
        }
        for (index, &reg) in conv
            .float_args
            .iter()
            .enumerate()
            .skip(usize::from(incoming.float_args_used))
        {
            let mem = self.frame_mem(save + isa.variadic_place(RegClass::Float, index as u32));
            self.emit(isa.reload(RegClass::Float, isa.desc().classes[1].bytes, reg, mem));
            filled.insert(reg);
        }
        if let Some(offset) = incoming.variadic_count {
            let mem = self.frame_mem(offset);
            self.emit(isa.reload(RegClass::Int, isa.desc().pointer_bytes, conv.variadic_count, mem));
            filled.insert(conv.variadic_count);
        }
        filled
    }

    /// Lowers the number by which landing pads know a type.
    #[cold]
    fn lower_type_number(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let function = self.function();
        let number = self.base_mut().buf.exceptions.type_number(function, data.a)?;
        if let Some(result) = data.first_result() {
            let dst = self.def(result, 0);
            self.isa().int_constant(self, dst, 4, i64::from(number));
        }
        Ok(())
    }

    /// See [`LowerCtx::variadic_area`].
    fn find_variadic_area(&mut self) -> Option<VariadicArea> {
        let incoming = self.base().incoming;
        let save = incoming.variadic_save?;
        let overflow = self.incoming_offset() + incoming.stack_bytes as i32;
        Some(VariadicArea {
            register_save: self.frame_mem(save),
            int_args_used: incoming.int_args_used,
            float_args_used: incoming.float_args_used,
            overflow: self.frame_mem(overflow),
        })
    }
}

/// How the types of the function in hand are spread over registers; as a slice, by type.
#[derive(Debug, Default)]
pub(crate) struct TypeParts {
    /// The target that those of all functions, which come first, were learned from.
    learned_from: Option<&'static TargetDesc>,
    by_type: Vec<Parts>,
}

impl TypeParts {
    pub(crate) fn learn<I: Isa>(&mut self, isa: &I, function: &Function) {
        let types = function.types();
        let of_all = usize::from(Type::FIRST_EXTRA);
        let is_known = self.learned_from.is_some_and(|desc| std::ptr::eq(desc, isa.desc()));
        self.by_type.truncate(if is_known { of_all } else { 0 });
        self.learned_from = Some(isa.desc());
        let unknown = self.by_type.len()..of_all + types.extra_len();
        (self.by_type).extend(unknown.map(|index| isa.parts(types, Type::from_index(index as u8))));
        if !function.has_wide_vectors() {
            let own = self.by_type.iter_mut().skip(of_all);
            own.filter(|parts| parts.is_wide_vector())
                .for_each(|parts| *parts = Parts::default());
        }
    }
}

impl Deref for TypeParts {
    type Target = [Parts];

    #[inline]
    fn deref(&self) -> &[Parts] {
        &self.by_type
    }
}
