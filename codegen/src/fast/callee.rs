//! Calls through a pointer whose register is needed for an argument: where the fast context keeps the callee
//! meanwhile.

use super::FastCtx;
use super::record::Record;
use crate::context::Context;
use crate::isa::Isa;
use crate::reg::{Reg, RegClass};

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// A frame slot for the callee's address.
    #[cold]
    pub(super) fn callee_slot(&mut self) -> i32 {
        if let Some(offset) = self.callee_slot {
            return offset;
        }
        let offset = self.pointer_place();
        self.callee_slot = Some(offset);
        offset
    }

    /// Loads the callee's address from that slot, when all arguments are in place.
    #[cold]
    pub(super) fn load_callee(&mut self) -> Reg {
        let bytes = self.base.isa.desc().pointer_bytes;
        let offset = self.callee_slot();
        let (reg, mem) = (self.scratch(false), self.frame_mem(offset));
        self.put(self.base.isa.reload(RegClass::Int, bytes, reg, mem));
        reg
    }
}
