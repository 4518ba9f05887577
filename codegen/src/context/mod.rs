//! What both contexts do in the same way: addresses, constants, switches.
//!
//! A context ([`crate::fast`], [`crate::select`]) says where stack slots are and grants the requests of
//! [`LowerCtx`]; the trait here has the rest as provided methods. It does not decide in which registers anything is.

mod address;
pub(crate) mod calls;
mod constants;
pub(crate) mod frame_code;
pub(crate) mod refusals;
pub(crate) mod switch;

pub(crate) use address::Addressing;
pub(crate) use constants::Constants;

use crate::analyze::Mark;
use crate::error::CodegenError;
use crate::isa::{Isa, Parts};
use crate::lower_ctx::LowerCtx;
use crate::minst::{Label, Mem};
use crate::module_view::ModuleView;
use crate::reg::Reg;
use frazil_ir::{Effects, Function, InstData, Opcode, Operand, SlotId, Type, Value, ValueKind};

/// A context of one function.
pub(crate) trait Context<'a>: LowerCtx + Sized {
    /// The target.
    type Isa: Isa;

    /// The target.
    fn isa(&self) -> &'a Self::Isa;
    /// The function.
    fn function(&self) -> &'a Function;
    /// The module and the options.
    fn module_view(&self) -> ModuleView<'a>;
    /// What becomes of a value.
    fn mark(&self, value: Value) -> Mark;
    /// How a type is spread over registers.
    fn parts_of(&self, ty: Type) -> Parts;
    /// The offset of a slot from the frame pointer, and whether only the slot's address stands there.
    fn slot_place(&self, slot: SlotId) -> (i32, bool);
    /// The offset of an argument's memory from the frame pointer.
    fn by_value_place(&self, value: Value) -> i32;
    /// What stands as base of addresses in the frame.
    fn frame_base(&self) -> Reg;
    /// Says that something is addressed from it.
    fn use_frame(&mut self);
    /// Keeps the first refusal met where none can be returned; the function is refused at its end.
    fn keep_error(&mut self, error: CodegenError);
    /// Asks for a jump table.
    fn jump_table(&mut self, targets: &[Label]) -> Label;

    /// An address in the frame.
    #[inline]
    fn frame_mem(&mut self, offset: i32) -> Mem {
        self.use_frame();
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

    /// The load that was folded into the current rule by way of this operand: the pointer it reads.
    #[inline]
    fn folded_load(&self, value: Value) -> Option<Operand> {
        if self.mark(value) != Mark::Folded {
            return None;
        }
        let data = self.function().inst(self.function().def_inst(value)?);
        (data.op == Opcode::Load).then_some(data.a)
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
}
