//! Passes over machine functions.
//!
//! A pass runs before register allocation, on virtual registers, or after it, on physical ones with all moves written
//! out; the recipe says where. It keeps the invariants of [`MFunc`].

use crate::desc::{OpDesc, TargetDesc};
use crate::mfunc::MFunc;
use crate::minst::MInst;
use frazil_ir::pass::ScratchPool;

/// What a target tells passes about single instructions.
pub trait MachHooks {
    /// The target as data.
    fn desc(&self) -> &'static TargetDesc;
    /// The op table.
    fn ops(&self) -> &'static [OpDesc];
    /// The opposite of a conditional branch instruction.
    fn invert(&self, branch: MInst) -> MInst;
    /// The instruction that stops the program.
    fn trap(&self) -> MInst;
}

/// What a pass gets besides the function.
pub struct MachPassCx<'a> {
    /// The target.
    pub hooks: &'a dyn MachHooks,
    /// Whether registers are physical.
    pub is_allocated: bool,
    /// Work memory, kept from function to function.
    pub scratch: &'a mut ScratchPool,
}

/// A pass over machine functions.
pub trait MachPass: Send + Sync {
    /// Changes the function; says how often it did something.
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64;
}

/// The machine passes of a recipe, with whoever watches them.
pub trait MachPasses {
    /// Runs the passes that stand before register allocation, or those behind it if registers are physical.
    fn run(&mut self, func: &mut MFunc, cx: &mut MachPassCx<'_>);

    /// Says that a part of the optimizing path is over, for whoever measures.
    fn finished(&mut self, part: &'static str);
}

/// No passes, and nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMachPasses;

impl MachPasses for NoMachPasses {
    fn run(&mut self, _: &mut MFunc, _: &mut MachPassCx<'_>) {}

    fn finished(&mut self, _: &'static str) {}
}
