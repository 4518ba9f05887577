//! Passes over machine functions.
//!
//! A pass runs before register allocation, on virtual registers, or after it, on physical ones with all moves written
//! out; the recipe says where. It keeps the invariants of [`MFunc`].

use crate::buffer::PoolConstant;
use crate::check::translation::Meaning;
use crate::desc::{OpDesc, TargetDesc};
use crate::error::CodegenError;
use crate::mfunc::MFunc;
use crate::minst::{MInst, Mem};
use crate::reference::{Label, Ref};
use crate::reg::{PRegSet, Reg, RegClass};
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
    /// See [`crate::isa::Isa::mov`].
    fn mov(&self, class: RegClass, bytes: u8, dst: Reg, src: Reg) -> MInst;
    /// See [`crate::isa::Isa::spill`].
    fn spill(&self, class: RegClass, bytes: u8, src: Reg, mem: Mem) -> MInst;
    /// See [`crate::isa::Isa::reload`].
    fn reload(&self, class: RegClass, bytes: u8, dst: Reg, mem: Mem) -> MInst;
    /// The target's rules.
    fn rules(&self) -> &'static dyn MachRules;
    /// Whether instructions that overwrite an operand have forms that do not ([`MachRules::with_three_operands`]).
    fn has_three_operands(&self) -> bool;
    /// [`TargetDesc::upper_registers`] if the function has them.
    fn upper_registers(&self) -> PRegSet;
    /// [`TargetDesc::mask_registers`] if the function has them.
    fn mask_registers(&self) -> PRegSet;
    /// What instructions mean, for the validator of passes.
    fn meaning(&self) -> &'static dyn Meaning;
}

/// What an instruction of a target says besides its registers and its address, for texts that people read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The condition on the flags, by its usual name.
    pub condition: Option<&'static str>,
    pub immediate: Option<i64>,
    /// Where it jumps to, unless the edges of its block say so.
    pub label: Option<Label>,
    /// What it refers to besides its address, and the bytes that are added to that.
    pub reference: Option<(Ref, i32)>,
}

/// What an instruction leaves in a register of which it writes all bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    Constant(i64),
    /// The lowest bits, so many, of the sum of a register and a number; zeros above.
    Sum(Reg, i64, u8),
    /// The address itself, which has no index.
    Address(Mem),
    /// So many bits of memory; zeros above.
    Loaded(Mem, u8),
}

/// Rules of a target over single instructions and pairs of them, whose registers are physical. A target without a rule
/// loses nothing but the improvement.
pub trait MachRules: Send + Sync {
    /// A cheaper instruction that computes the same. Only if `flags_are_free` may it write flags that `inst` does not
    /// write, or leave those alone that `inst` writes.
    fn simplify(&self, _inst: &MInst, _flags_are_free: bool) -> Option<MInst> {
        None
    }

    /// One instruction for two that follow each other, the second of which reads what the first has written to its
    /// `regs[0]`. That register is not read later, or the second writes it. Flags as for [`MachRules::simplify`].
    fn combine(&self, _first: &MInst, _second: &MInst, _flags_are_free: bool) -> Option<MInst> {
        None
    }

    /// The form of an instruction that only some processors have, and that overwrites no operand: if `regs[0]` is read
    /// and written, it is only written there, and what was read is `regs[1]`; what was `regs[1]` is `regs[2]`.
    fn with_three_operands(&self, _inst: &MInst) -> Option<MInst> {
        None
    }

    /// The instruction that does the same to mask registers, of one that only moves bits, or combines each with the
    /// same bit of another register. Registers are the same as before, virtual or physical, but may be in other slots.
    fn on_masks(&self, _inst: &MInst) -> Option<MInst> {
        None
    }

    /// The first of two instructions that follow each other if it can write its mask to the register to which the
    /// second one copies it. Registers may be virtual.
    fn with_mask_in(&self, _inst: &MInst, _copy: &MInst) -> Option<MInst> {
        None
    }

    /// Takes all bits of a mask register to a general one, or back if `to_mask`. Asked only of targets with
    /// [`MachRules::on_masks`].
    fn transfer_mask(&self, dst: Reg, src: Reg, _to_mask: bool) -> MInst {
        unreachable!("{dst:?} and {src:?}: no instruction works on masks")
    }

    /// The form of an instruction with a vector in memory as its last operand that has it in this register instead, and
    /// the bytes of the vector. Registers may be virtual.
    fn with_loaded_operand(&self, _inst: &MInst, _loaded: Reg) -> Option<(MInst, u8)> {
        None
    }

    /// The conditions that an instruction reads from the flags, as a bit mask.
    fn conditions(&self, _inst: &MInst) -> u16 {
        u16::MAX
    }

    /// The register that an instruction compares with zero, if it does nothing else.
    fn tested(&self, _inst: &MInst) -> Option<Reg> {
        None
    }

    /// An instruction that reads flags which a comparison with zero has set, with the condition of least demands.
    fn after_test(&self, inst: &MInst) -> MInst {
        *inst
    }

    /// Whether the flags that `producer` leaves, which writes the tested register as its `regs[0]`, say the same about
    /// these conditions as those that `test` leaves.
    fn sets_flags_like(&self, _producer: &MInst, _test: &MInst, _conditions: u16) -> bool {
        false
    }

    /// The form of an instruction that leaves the same result and also flags which say the same about these conditions
    /// as those of `test`, which compares its `regs[0]` with zero. It writes no flags itself.
    fn with_flags(&self, _producer: &MInst, _test: &MInst, _conditions: u16) -> Option<MInst> {
        None
    }

    /// Whether there are instructions as [`MachRules::with_result`] makes.
    fn joins_results(&self) -> bool {
        false
    }

    /// One instruction that leaves the flags of a comparison and the result of another instruction, which has the same
    /// operands. If the other one writes flags, they are read by nobody.
    fn with_result(&self, _compare: &MInst, _other: &MInst) -> Option<MInst> {
        None
    }

    /// The comparison that leaves the same flags as an instruction, of the registers as they are before it.
    fn same_flags(&self, _inst: &MInst) -> Option<MInst> {
        None
    }

    /// Whether an instruction puts into a register what `test` reads there into the flags, where it has the flags from:
    /// without the test, they say the same about these conditions.
    fn keeps_flags(&self, _inst: &MInst, _test: &MInst, _conditions: u16) -> bool {
        false
    }

    /// Whether an instruction whose result nobody reads lets the next one begin early, since that would wait for the
    /// old contents of the register that it defines.
    fn lets_begin(&self, _inst: &MInst, _next: &MInst) -> bool {
        false
    }

    /// Whether there are instructions as [`MachRules::paired`] makes.
    fn has_pairs(&self) -> bool {
        false
    }

    /// One instruction for two that follow each other, both of which are then left out: accesses side by side, or an
    /// access and a sum that moves its base.
    fn paired(&self, _first: &MInst, _second: &MInst) -> Option<MInst> {
        None
    }

    /// What an instruction of the op table says besides registers and address.
    fn details(&self, inst: &MInst) -> Details {
        Details {
            immediate: (inst.imm != 0).then_some(i64::from(inst.imm)),
            ..Details::default()
        }
    }

    /// What an instruction leaves in `regs[0]`, if it does nothing else; for debuggers.
    fn contents(&self, _inst: &MInst) -> Option<Contents> {
        None
    }

    /// How many of the low bits of `regs[0]` may be set after an instruction; 64 if nothing is known.
    fn significant_bits(&self, _inst: &MInst, _bits_of: &dyn Fn(Reg) -> u8) -> u8 {
        64
    }

    /// For an instruction that copies `regs[1]` to `regs[0]` and extends it: how many low bits may be set in the source
    /// for the extension to change nothing.
    fn extends_beyond(&self, _inst: &MInst) -> Option<u8> {
        None
    }
}

/// The rules of a target that has none for machine passes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMachRules;

impl MachRules for NoMachRules {}

/// What a pass gets besides the function.
pub struct MachPassCx<'a> {
    pub hooks: &'a dyn MachHooks,
    /// Whether registers are physical.
    pub is_allocated: bool,
    /// The constants that stand beside the code, by the number of their reference.
    pub constants: &'a [PoolConstant],
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
    /// Runs the passes that stand before register allocation, or those after it if registers are physical.
    ///
    /// # Errors
    /// What is wrong with the function, if somebody has it checked.
    fn run(&mut self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> Result<(), CodegenError>;

    /// Says what the function is before registers are allocated, for whoever compares it with the result.
    fn allocating(&mut self, _func: &MFunc) {}

    /// Says what has become of it, with all moves written out.
    ///
    /// # Errors
    /// How it differs, if somebody compares.
    fn allocated(&mut self, _func: &MFunc, _cx: &MachPassCx<'_>) -> Result<(), CodegenError> {
        Ok(())
    }

    /// Says that a part of the optimizing path is over, for whoever measures.
    fn finished(&mut self, part: &'static str);
}

/// No passes, and nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMachPasses;

impl MachPasses for NoMachPasses {
    fn run(&mut self, _: &mut MFunc, _: &mut MachPassCx<'_>) -> Result<(), CodegenError> {
        Ok(())
    }

    fn finished(&mut self, _: &'static str) {}
}
