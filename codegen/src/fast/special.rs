//! What calls with unusual arguments need in the fast context: Swift's error, and a callee whose register an argument
//! has taken, and arguments on the stack that are aligned more strictly than the stack is.
//!
//! Swift's error is a variable that no code may take the address of; callers and callees pass it on in a register. Here
//! it is memory: of the function that declares it, or, for a parameter, of a frame slot that the function fills when it
//! is entered and reads when it returns.

use super::FastCtx;
use super::record::Record;
use crate::abi::ArgLayout;
use crate::context::calls::PendingCall;
use crate::context::{Addressing, Context};
use crate::isa::Isa;
use crate::minst::Mem;
use crate::reg::{Reg, RegClass};

impl<I: Isa, R: Record> FastCtx<'_, I, R> {
    /// Stores the error that the caller has passed; returns the offset of its slot.
    #[cold]
    pub(super) fn enter_swift_error(&mut self, reg: Reg) -> i32 {
        let bytes = self.base.isa.desc().pointer_bytes;
        let offset = self.st.frame.allocate_slot(u32::from(bytes));
        let mem = self.frame_mem(offset);
        self.put(self.base.isa.spill(RegClass::Int, bytes, reg, mem));
        self.base.incoming.swift_error = Some(offset);
        offset
    }

    /// Gives the error back to the caller.
    #[cold]
    pub(super) fn leave_swift_error(&mut self, offset: i32) {
        let mem = self.frame_mem(offset);
        self.load_swift_error(self.base.conv.special.swift_error, mem);
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

    /// The register of the error that a call passes, and the memory where it is before and behind the call.
    pub(super) fn swift_error_place(&mut self, call: &PendingCall<'_>, layout: &ArgLayout) -> Option<(Reg, Mem)> {
        let index = layout.swift_error?;
        let bytes = self.base.isa.desc().pointer_bytes;
        let mem = self.address_of(call.args[index as usize], u32::from(bytes));
        Some((call.conv.special.swift_error, mem))
    }

    /// A frame slot for the callee's address.
    #[cold]
    pub(super) fn callee_slot(&mut self) -> i32 {
        if let Some(offset) = self.callee_slot {
            return offset;
        }
        let bytes = self.base.isa.desc().pointer_bytes;
        let offset = self.st.frame.allocate_slot(u32::from(bytes));
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

    /// Aligns the stack for arguments that want it, before room is made for them; returns the frame slot that has where
    /// it was. On ways that unwind, it stays lower.
    pub(super) fn align_stack(&mut self, layout: &ArgLayout) -> Option<i32> {
        if layout.stack_align <= self.base.frame_align {
            return None;
        }
        let (isa, bytes) = (self.base.isa, self.base.isa.desc().pointer_bytes);
        let reg = isa.desc().stack_pointer;
        let offset = self.st.frame.allocate_slot(u32::from(bytes));
        let mem = self.frame_mem(offset);
        self.put(isa.spill(RegClass::Int, bytes, reg, mem));
        isa.align_down(self, reg, layout.stack_align.trailing_zeros() as u8);
        self.has_dynamic_stack = true;
        Some(offset)
    }

    #[cold]
    pub(super) fn bring_stack_back(&mut self, offset: i32) {
        let (isa, bytes) = (self.base.isa, self.base.isa.desc().pointer_bytes);
        let mem = self.frame_mem(offset);
        self.put(isa.reload(RegClass::Int, bytes, isa.desc().stack_pointer, mem));
    }
}
