//! Which instructions only store a register to a slot of the frame, or only reload one from there.
//!
//! Method: the target is asked once for its spills and reloads of each width, and for those that it has in their places
//! for some processors; what looks like one of them is one. Rows that take an operand from a slot, or change it there,
//! are none of them.

use crate::desc::TargetDesc;
use crate::minst::{MInst, Mem};
use crate::pass::MachHooks;
use crate::reg::{Reg, RegClass};

/// Widest access to a slot.
pub const WIDEST_BYTES: i32 = 64;

/// A spill slot as it is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotAccess {
    /// From the frame pointer's place.
    pub disp: i32,
    /// Width.
    pub bytes: u8,
    /// The class of registers that are stored or reloaded.
    pub class: RegClass,
}

impl SlotAccess {
    /// Whether it has a byte in common with `bytes` at `disp`.
    pub fn overlaps(self, disp: i32, bytes: i32) -> bool {
        self.disp < disp + bytes && disp < self.disp + i32::from(self.bytes)
    }
}

/// What spills or reloads of a class and width look like, besides register and address.
#[derive(Clone, Copy, Debug)]
struct Form {
    inst: MInst,
    bytes: u8,
    class: RegClass,
}

impl Form {
    fn matches(&self, inst: &MInst) -> bool {
        let like = &self.inst;
        (inst.op, inst.size, inst.aux, inst.imm) == (like.op, like.size, like.aux, like.imm)
            && RegClass::of(inst.reg(0)) == self.class
    }
}

/// The forms of a target.
#[derive(Debug, Default)]
pub struct SlotForms {
    target: Option<&'static TargetDesc>,
    spills: Vec<Form>,
    reloads: Vec<Form>,
}

impl SlotForms {
    /// Asks the target, unless it is the one asked before.
    pub fn prepare(&mut self, hooks: &dyn MachHooks) {
        let target = hooks.desc();
        if self.target.is_some_and(|known| std::ptr::eq(known, target)) {
            return;
        }
        self.target = Some(target);
        self.spills.clear();
        self.reloads.clear();
        let mem = Mem::base(Reg::FRAME, 0);
        for class in target.each_class() {
            let reg = Reg::physical(class.bank() as u8, class.numbers().trailing_zeros() as u8);
            // Where widths look alike, the first of them counts; the commonest come first.
            for bytes in [4, 8, 16, 32, 64, 1, 2] {
                // Masks are moved as a whole.
                if bytes > target.widest_bytes(class) || class == RegClass::Mask && bytes < target.widest_bytes(class) {
                    continue;
                }
                let form = |inst| Form { inst, bytes, class };
                self.spills.push(form(hooks.spill(class, bytes, reg, mem)));
                self.reloads.push(form(hooks.reload(class, bytes, reg, mem)));
            }
        }
        for forms in [&mut self.spills, &mut self.reloads] {
            let other = |form: &Form| {
                let inst = hooks.rules().with_three_operands(&form.inst)?;
                Some(Form { inst, ..*form })
            };
            let others: Vec<Form> = forms.iter().filter_map(other).collect();
            forms.extend(others);
        }
    }

    /// The slot if an instruction that accesses one only stores a register.
    #[inline]
    pub fn spilled(&self, inst: &MInst) -> Option<SlotAccess> {
        access(&self.spills, inst)
    }

    /// The slot if an instruction that accesses one only reloads a register.
    #[inline]
    pub fn reloaded(&self, inst: &MInst) -> Option<SlotAccess> {
        access(&self.reloads, inst)
    }
}

fn access(forms: &[Form], inst: &MInst) -> Option<SlotAccess> {
    if !inst.reg(0).is_physical() {
        return None;
    }
    let form = forms.iter().find(|form| form.matches(inst))?;
    Some(SlotAccess {
        disp: inst.disp,
        bytes: form.bytes,
        class: form.class,
    })
}
