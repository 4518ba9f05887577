//! The place of the image from which a function counts addresses, where instructions cannot have them otherwise but by
//! finding it each time ([`crate::Isa::image_base`]).
//!
//! Method: it is a virtual register like any other, defined at the end of the entry code, and each instruction with
//! such an address becomes one that is relative to it when it is appended. A single one that is in no loop stays as its
//! rule has emitted it, and so do those of the entry code.

use super::SelectCtx;
use crate::isa::Isa;
use crate::lower_ctx::LowerCtx;
use crate::mfunc::pseudo;
use crate::minst::MInst;
use crate::reg::{Reg, RegClass};

/// The state for one function.
#[derive(Debug, Default)]
pub(super) struct ImageBase {
    place: Option<Place>,
    /// How many instructions are relative to it.
    uses: u32,
    /// The position of the first of them, and what it was before; none if it may be executed more than once.
    only: Option<(u32, MInst)>,
}

/// Where the place of the image is.
#[derive(Clone, Copy, Debug)]
struct Place {
    reg: Reg,
    /// The position of the instruction that has nothing to do until the register is used.
    made_at: u32,
}

impl<I: Isa> SelectCtx<'_, I> {
    /// At the end of the entry code: keeps a place for finding the place of the image.
    pub(super) fn begin_image_base(&mut self) {
        if !I::HAS_IMAGE_BASE || self.base.isa.image_base(self.base.view, Reg::NONE).is_none() {
            return;
        }
        let made_at = self.mfunc.insts.len() as u32;
        let reg = self.fresh_vreg(RegClass::Int, I::WORD_BYTES);
        self.image.place = Some(Place { reg, made_at });
        self.emit(MInst::new(pseudo::NOP, 0));
    }

    /// An instruction that is about to be appended, relative to the place of the image if it has an address there.
    #[cold]
    pub(super) fn based(&mut self, inst: MInst) -> MInst {
        let Some(place) = self.image.place else { return inst };
        let Some(based) = self.base.isa.counted_from(place.reg, &inst) else {
            return inst;
        };
        let layout = &self.st.analysis.layout;
        let is_in_loop = layout.loops[layout.loop_at[self.base.position as usize] as usize].depth > 0;
        self.image.uses += 1;
        self.image.only = (self.image.uses == 1 && !is_in_loop).then_some((self.mfunc.insts.len() as u32, inst));
        based
    }

    /// At the end of the function: finds the place of the image if that is worth it.
    pub(super) fn finish_image_base(&mut self) {
        let Some(place) = self.image.place.filter(|_| self.image.uses > 0) else {
            return;
        };
        if let Some((position, original)) = self.image.only
            && let Some(inst) = self.mfunc.insts.get_mut(position as usize)
            && self.base.isa.counted_from(place.reg, &original) == Some(*inst)
        {
            *inst = original;
            return;
        }
        if let Some(made) = self.base.isa.image_base(self.base.view, place.reg) {
            self.mfunc.insts[place.made_at as usize] = made;
        }
    }
}
