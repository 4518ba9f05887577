//! What calls with unusual arguments need in the selecting context: Swift's error, which is memory, as in
//! [`crate::fast`], that is passed on in a register; arguments that are aligned more strictly than the stack is.

use super::SelectCtx;
use crate::abi::ArgLayout;
use crate::context::calls::PendingCall;
use crate::context::{Addressing, Context};
use crate::isa::Isa;
use crate::minst::Mem;
use crate::reg::{Reg, RegClass};

impl<I: Isa> SelectCtx<'_, I> {
    /// Stores the error that the caller has passed; returns the offset of its area.
    #[cold]
    pub(super) fn enter_swift_error(&mut self, reg: Reg) -> i32 {
        let bytes = self.base.isa.desc().pointer_bytes;
        let offset = self.mfunc.frame.areas.allocate(u64::from(bytes), u64::from(bytes));
        let mem = self.frame_mem(offset);
        self.put(self.base.isa.spill(RegClass::Int, bytes, reg, mem));
        self.base.incoming.swift_error = Some(offset);
        offset
    }

    /// Gives the error back to the caller, in the register that is returned.
    #[cold]
    pub(super) fn leave_swift_error(&mut self, offset: i32) -> Reg {
        let mem = self.frame_mem(offset);
        let reg = self.base.conv.special.swift_error;
        self.load_swift_error(reg, mem);
        reg
    }

    /// The register of the error that a call passes, and the memory where it is before and behind the call.
    pub(super) fn swift_error_place(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) -> Option<(Reg, Mem)> {
        let index = layout.swift_error?;
        let bytes = self.base.isa.desc().pointer_bytes;
        let mem = self.address_of(call.args[index as usize], u32::from(bytes));
        Some((call.conv.special.swift_error, mem))
    }

    /// Brings the error from its memory.
    #[cold]
    pub(super) fn load_swift_error(&mut self, reg: Reg, mem: Mem) {
        let bytes = self.base.isa.desc().pointer_bytes;
        self.put(self.base.isa.reload(RegClass::Int, bytes, reg, mem));
    }

    /// Puts the error that a callee has given back into its memory.
    #[cold]
    pub(super) fn store_swift_error(&mut self, reg: Reg, mem: Mem) {
        let bytes = self.base.isa.desc().pointer_bytes;
        self.put(self.base.isa.spill(RegClass::Int, bytes, reg, mem));
    }

    /// Aligns the stack for arguments that want it, before room is made for them; returns where in the frame it is kept
    /// where it was. On ways that unwind, it stays lower.
    pub(super) fn align_stack(&mut self, layout: &ArgLayout) -> Option<i32> {
        if layout.stack_align <= self.base.frame_align {
            return None;
        }
        let (isa, bytes) = (self.base.isa, self.base.isa.desc().pointer_bytes);
        let reg = isa.desc().stack_pointer;
        self.mfunc.frame.has_dynamic_stack = true;
        let offset = self.mfunc.frame.areas.allocate(u64::from(bytes), u64::from(bytes));
        let mem = self.frame_mem(offset);
        self.put(isa.spill(RegClass::Int, bytes, reg, mem));
        isa.align_down(self, reg, layout.stack_align.trailing_zeros() as u8);
        Some(offset)
    }

    #[cold]
    pub(super) fn bring_stack_back(&mut self, offset: i32) {
        let (isa, bytes) = (self.base.isa, self.base.isa.desc().pointer_bytes);
        let mem = self.frame_mem(offset);
        self.put(isa.reload(RegClass::Int, bytes, isa.desc().stack_pointer, mem));
    }
}
