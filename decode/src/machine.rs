//! What must be known of a machine whose code is followed, and what its decoder says of an instruction.

use frazil_codegen::{ConvDesc, PRegSet, Reg, TargetDesc};
use object::elf::RelocationType;

/// One that code can be followed on: a target with a decoder.
#[derive(Debug)]
pub(crate) struct Machine {
    /// As in `--target`.
    pub name: &'static str,
    pub desc: &'static TargetDesc,
    /// That of hooks.
    pub convention: &'static ConvDesc,
    /// What calls overwrite on the way to their callee, by the code that linkers put in between.
    pub overwritten_by_linkers: PRegSet,
    /// Decodes the instruction at the start of the bytes, which has this place in its section.
    pub decode: fn(bytes: &[u8], offset: u64) -> Result<Decoded, String>,
    /// The relocations of direct branches and calls.
    pub branches: &'static [RelocationType],
    /// Whether the distance in a branch counts from the instruction's end; else from its start.
    pub counts_from_end: bool,
}

impl Machine {
    /// Which is where it was after a return.
    pub fn stack_pointer(&self) -> PRegSet {
        PRegSet::of(&[self.desc.stack_pointer])
    }

    /// The usual name of a register, for people.
    pub fn name_of(&self, reg: Reg) -> &'static str {
        let found = self.desc.regs.iter().find(|row| row.reg == reg);
        found.map_or("another register", |row| row.name)
    }
}

/// What an instruction does, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub bytes: u64,
    /// All registers that it may write.
    pub written: PRegSet,
    pub flow: Flow,
}

/// Where control goes after an instruction. Targets are places in its section, if no relocation says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    /// To the target, or to the next instruction.
    Branch(u64),
    Jump(u64),
    Call(u64),
    Return,
    /// Nowhere.
    Stop,
}
