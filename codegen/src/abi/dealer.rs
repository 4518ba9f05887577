//! Deals a convention's registers and stack slots out to the arguments of a signature, in their order.
//!
//! Who says which parts an argument has, and what is special about it, is the [layout](super::ArgLayout).

use super::{MAX_ARGUMENT_BYTES, PartPlace, refuse, type_name};
use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::parts::Parts;
use crate::reg::Reg;
use frazil_ir::{Param, Refusal, Type, TypeTable};

/// What is left to be dealt out of a convention's places while a signature is laid out.
pub(super) struct Dealer<'a> {
    pub(super) conv: &'a ConvDesc,
    pub(super) int_next: usize,
    pub(super) float_next: usize,
    pub(super) vector_next: usize,
    /// A register of integers that an argument with one of its own has taken.
    pub(super) claimed: Reg,
    /// Whether the argument whose turn it is gets no register of integers.
    pub(super) stacks_integers: bool,
    /// Whether the next argument is the other word of an integer of 128 bits that is on the stack.
    pub(super) continues_words: bool,
    /// The register for a narrow integer, unless it is taken.
    pub(super) narrow: Reg,
    pub(super) stack_bytes: u32,
    pub(super) stack_align: u32,
    /// How many of the next arguments are elements of an array on the stack.
    pub(super) packed_elements: usize,
    /// Whether vectors that are only passed are in memory: LLVM passes them so to functions with variable arguments.
    pub(super) keeps_wide_in_memory: bool,
}

impl Dealer<'_> {
    /// A place in the argument area. One that does not fit is anywhere, and the size of the area tells.
    pub(super) fn stack(&mut self, bytes: u32, align: u32) -> u32 {
        if self.packed_elements > 0 {
            return self.stack_packed(bytes);
        }
        let offset = self.stack_bytes.checked_next_multiple_of(align).unwrap_or(u32::MAX);
        let bytes = bytes.checked_next_multiple_of(self.conv.stack_slot_bytes);
        self.stack_bytes = offset.saturating_add(bytes.unwrap_or(u32::MAX));
        offset.min(MAX_ARGUMENT_BYTES)
    }

    /// Before an integer of 128 bits where it begins at every second register: if there are not two, no later argument
    /// gets an integer register either.
    #[cold]
    fn begin_pair(&mut self) {
        let count = self.conv.int_args.len();
        self.int_next = self.int_next.next_multiple_of(2);
        if self.int_next + 2 > count {
            self.int_next = count;
        }
    }

    /// Before the words of an integer of more than 128 bits: the first two are placed like one of 128 bits, the others
    /// wherever they fit.
    #[cold]
    pub(super) fn begin_words(&mut self) {
        self.begin_pair();
        if self.int_next == self.conv.int_args.len() {
            let start = self.stack_bytes.checked_next_multiple_of(self.conv.stack_align);
            self.stack_bytes = start.unwrap_or(u32::MAX);
        }
    }

    /// Before the two words of an integer of 128 bits that is on the stack, and aligned as that is.
    #[cold]
    pub(super) fn align_words(&mut self) {
        (self.stacks_integers, self.continues_words) = (true, true);
        let start = self.stack_bytes.checked_next_multiple_of(self.conv.stack_align);
        self.stack_bytes = start.unwrap_or(u32::MAX);
    }

    /// The place of an element of an array that [`Dealer::begin_array`] has found no registers for.
    #[cold]
    fn stack_packed(&mut self, bytes: u32) -> u32 {
        let offset = self.stack_bytes;
        self.packed_elements -= 1;
        self.stack_bytes = offset.saturating_add(bytes);
        if self.packed_elements == 0 {
            let end = self.stack_bytes.checked_next_multiple_of(self.conv.stack_slot_bytes);
            self.stack_bytes = end.unwrap_or(u32::MAX);
        }
        offset.min(MAX_ARGUMENT_BYTES)
    }

    /// Before the elements of an array, as a platform has it that passes them together: if there are not registers for
    /// all of them, no argument of their class gets one from here on, and they lie side by side on the stack.
    #[cold]
    pub(super) fn begin_array(&mut self, first: &Param, parts: Parts, types: &TypeTable) -> Result<(), CodegenError> {
        let count = usize::from(first.array);
        if parts.count != 1 {
            let what = format!("an array of {} as an argument", type_name(types, first.ty));
            return Err(refuse(self.conv, Refusal::of_type(types, first.ty), &what));
        }
        if !parts.float && parts.bytes < 8 {
            return Ok(());
        }
        let (regs, next) = if parts.float {
            (self.conv.float_args, &mut self.float_next)
        } else {
            (self.conv.int_args, &mut self.int_next)
        };
        if *next + count > regs.len() {
            *next = regs.len();
            self.packed_elements = count;
            let align = u32::from(parts.bytes).max(self.conv.stack_slot_bytes);
            let start = self.stack_bytes.checked_next_multiple_of(align);
            self.stack_bytes = start.unwrap_or(u32::MAX);
        }
        Ok(())
    }

    /// The place of the address of the memory for results.
    pub(super) fn result_pointer(&mut self) -> PartPlace {
        let special = self.conv.special.struct_return;
        if !special.is_none() {
            return PartPlace::Reg(special);
        }
        self.stacks_integers = self.conv.only_in_reg || self.conv.stacks_struct_pointer;
        match self.register(false) {
            Some(reg) => PartPlace::Reg(reg),
            None => PartPlace::Stack(self.stack(self.conv.stack_slot_bytes, self.conv.stack_slot_bytes)),
        }
    }

    /// Takes a register that is that of one argument only; false if another one has it.
    #[cold]
    pub(super) fn claim(&mut self, reg: Reg) -> bool {
        if reg == self.conv.narrow_arg {
            return std::mem::replace(&mut self.narrow, Reg::NONE) == reg;
        }
        match self.conv.int_args.iter().position(|&other| other == reg) {
            Some(place) if place < self.int_next => false,
            Some(_) => {
                self.claimed = reg;
                true
            }
            None => true,
        }
    }

    /// The register for an integer of this many bytes, if that is narrow and there is one when all others are taken.
    pub(super) fn narrow_register(&mut self, bytes: u8) -> Option<Reg> {
        let is_next = bytes <= 2 && !self.stacks_integers && self.int_next >= self.conv.int_args.len();
        let reg = if is_next {
            std::mem::replace(&mut self.narrow, Reg::NONE)
        } else {
            Reg::NONE
        };
        reg.is_physical().then_some(reg)
    }

    /// The next register that only vectors are passed in, if there is one.
    pub(super) fn vector_register(&mut self) -> Option<Reg> {
        let reg = *self.conv.vector_args.get(self.vector_next)?;
        self.vector_next += 1;
        Some(reg)
    }

    /// The next register of a class, if there is one.
    #[inline]
    pub(super) fn register(&mut self, float: bool) -> Option<Reg> {
        let (regs, next) = if float {
            (self.conv.float_args, &mut self.float_next)
        } else if self.stacks_integers {
            return None;
        } else {
            (self.conv.int_args, &mut self.int_next)
        };
        let mut reg = *regs.get(*next)?;
        *next += 1;
        if !float && reg == self.claimed && reg.is_physical() {
            reg = *regs.get(*next)?;
            *next += 1;
        }
        if self.conv.shares_positions {
            self.share_positions();
        }
        Some(reg)
    }

    #[cold]
    fn share_positions(&mut self) {
        let next = self.int_next.max(self.float_next);
        (self.int_next, self.float_next) = (next, next);
    }

    #[inline]
    pub(super) fn deal(&mut self, parts: Parts, ty: Type, is_vector: bool) -> [PartPlace; 4] {
        if parts.count == 1
            && !parts.is_wide_vector()
            && let Some(reg) = self.register(parts.float)
        {
            return [PartPlace::Reg(reg); 4];
        }
        if is_vector && let Some(reg) = self.vector_register() {
            return [PartPlace::Reg(reg); 4];
        }
        self.deal_parts(parts, self.conv.keeps_pairs && ty == Type::I128)
    }

    fn deal_parts(&mut self, parts: Parts, together: bool) -> [PartPlace; 4] {
        if together && self.conv.pairs_begin_even {
            self.begin_pair();
        }
        let mut places = [PartPlace::Stack(0); 4];
        let count = usize::from(parts.count);
        let (regs, next) = if parts.float {
            (self.conv.float_args, self.float_next)
        } else {
            (self.conv.int_args, self.int_next)
        };
        if together && next + count > regs.len() {
            let bytes = parts.slot_bytes();
            let start = self.stack(bytes, bytes.min(self.conv.stack_align));
            for (index, place) in places.iter_mut().take(count).enumerate() {
                *place = PartPlace::Stack(start + parts.offset(index as u8) as u32);
            }
            return places;
        }
        for place in places.iter_mut().take(count) {
            let goes_to_memory = self.keeps_wide_in_memory && parts.is_wide_vector();
            let reg = if goes_to_memory {
                None
            } else {
                self.register(parts.float)
            };
            *place = match reg {
                Some(reg) => PartPlace::Reg(reg),
                None => {
                    let mut align = u32::from(parts.bytes).max(self.conv.stack_slot_bytes);
                    if parts.is_scalar() {
                        align = align.min(self.conv.stack_scalar_align);
                    }
                    let most = match parts.is_wide_vector() {
                        true => align,
                        false => self.conv.stack_align,
                    };
                    self.stack_align = self.stack_align.max(align.min(most));
                    PartPlace::Stack(self.stack(u32::from(parts.bytes), align))
                }
            };
        }
        places
    }
}
