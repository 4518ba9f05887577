//! Unusual arguments of calls, for both contexts: Swift's error, and stack arguments with a stricter alignment than
//! the stack.
//!
//! Swift's error is a variable whose address cannot be taken; callers and callees pass it on in a register. Here it is
//! memory: that of the function that declares it, or, for a parameter, an area of the frame that is written at
//! function entry and read at returns.

use super::call_plan::{CallPlaces, CallStep};
use super::calls::PendingCall;
use super::{Addressing, Context};
use crate::isa::Isa;
use crate::minst::Mem;
use crate::reg::{Reg, RegClass};

/// Unusual arguments of calls.
pub(crate) trait SpecialArguments<'a>: Context<'a> {
    /// Stores the error that the caller has passed; returns the offset of its place.
    #[cold]
    fn enter_swift_error(&mut self, reg: Reg) -> i32 {
        let offset = self.pointer_place();
        let mem = self.frame_mem(offset);
        self.store_swift_error(reg, mem);
        self.base_mut().incoming.swift_error = Some(offset);
        offset
    }

    /// Gives the error back to the caller, in the register that is returned.
    #[cold]
    fn leave_swift_error(&mut self, offset: i32) -> Reg {
        let mem = self.frame_mem(offset);
        let reg = self.base().conv.special.swift_error;
        self.load_swift_error(reg, mem);
        reg
    }

    /// Brings the error from its memory.
    #[cold]
    fn load_swift_error(&mut self, reg: Reg, mem: Mem) {
        let isa = self.isa();
        self.put_own(isa.reload(RegClass::Int, isa.desc().pointer_bytes, reg, mem));
    }

    /// Puts the error that a caller or callee has passed into its memory.
    #[cold]
    fn store_swift_error(&mut self, reg: Reg, mem: Mem) {
        let isa = self.isa();
        self.put_own(isa.spill(RegClass::Int, isa.desc().pointer_bytes, reg, mem));
    }

    /// Carries out the steps of calls with unusual arguments.
    #[cold]
    fn special_step(&mut self, step: CallStep, call: &PendingCall<'_>, places: &mut CallPlaces) {
        match step {
            CallStep::AlignStack { align } => places.old_stack = Some(self.align_stack(align)),
            CallStep::RestoreStack => {
                if let Some(offset) = places.old_stack {
                    self.bring_stack_back(offset);
                }
            }
            CallStep::FindError { index } => {
                let bytes = self.isa().desc().pointer_bytes;
                let mem = self.address_of(call.args[index as usize], u32::from(bytes));
                places.error = Some((call.conv.special.swift_error, mem));
            }
            CallStep::LoadError => {
                if let Some((reg, mem)) = places.error {
                    self.load_swift_error(reg, mem);
                }
            }
            CallStep::StoreError => {
                if let Some((reg, mem)) = places.error {
                    self.store_swift_error(reg, mem);
                }
            }
            step => debug_assert!(false, "{step:?} is a step of the context"),
        }
    }

    /// Aligns the stack before room is made for arguments; returns the offset of the place in the frame that has where
    /// it was. On paths that unwind, it stays lower.
    #[cold]
    fn align_stack(&mut self, align: u32) -> i32 {
        let isa = self.isa();
        let reg = isa.desc().stack_pointer;
        self.will_move_stack();
        let offset = self.pointer_place();
        let mem = self.frame_mem(offset);
        self.put_own(isa.spill(RegClass::Int, isa.desc().pointer_bytes, reg, mem));
        isa.align_down(self, reg, align.trailing_zeros() as u8);
        offset
    }

    /// Puts the stack pointer back to where it was before [`align_stack`](Self::align_stack).
    #[cold]
    fn bring_stack_back(&mut self, offset: i32) {
        let isa = self.isa();
        let mem = self.frame_mem(offset);
        self.put_own(isa.reload(RegClass::Int, isa.desc().pointer_bytes, isa.desc().stack_pointer, mem));
    }
}

impl<'a, C: Context<'a>> SpecialArguments<'a> for C {}
