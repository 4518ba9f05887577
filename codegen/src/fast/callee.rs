//! Calls through a pointer for which the convention has no free register: the callee's address is kept in the frame
//! while the arguments are moved.

use super::FastCtx;
use super::record::Record;
use crate::context::Context;
use crate::isa::Isa;
use crate::reg::{Reg, RegClass};

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// The frame slot for the callee's address.
    #[cold]
    pub(super) fn callee_slot(&mut self) -> i32 {
        if let Some(offset) = self.callee_slot {
            return offset;
        }
        let offset = self.pointer_place();
        self.callee_slot = Some(offset);
        offset
    }

    /// Loads the callee's address into the scratch register, after the arguments have been moved.
    #[cold]
    pub(super) fn load_callee(&mut self, reg: Reg) -> Reg {
        let bytes = self.base.isa.desc().pointer_bytes;
        let offset = self.callee_slot();
        let mem = self.frame_mem(offset);
        self.put(self.base.isa.reload(RegClass::Int, bytes, reg, mem));
        reg
    }
}
