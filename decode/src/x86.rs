//! Instructions of x86-64, decoded by `iced-x86`, which knows of each what it reads and writes.

use crate::machine::{Decoded, Flow, Machine};
use frazil_codegen::{PRegSet, Reg};
use frazil_target_x86::abi::SYSTEM_V;
use frazil_target_x86::isa::X86_64;
use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, InstructionInfoOptions, OpAccess,
    Register,
};
use object::elf;
use std::sync::LazyLock;

pub(crate) static MACHINE: LazyLock<Machine> = LazyLock::new(|| Machine {
    name: X86_64.name,
    desc: (X86_64.new)().desc(),
    convention: &SYSTEM_V,
    // Hooks are in the image of their callers, so that no loader's code comes in between.
    overwritten_by_linkers: PRegSet::EMPTY,
    decode,
    branches: &[elf::R_X86_64_PC32, elf::R_X86_64_PLT32, elf::R_X86_64_PC8],
    counts_from_end: true,
});

/// The instruction at the start of the bytes.
fn decode(bytes: &[u8], offset: u64) -> Result<Decoded, String> {
    let inst = Decoder::with_ip(64, bytes, offset, DecoderOptions::NONE).decode();
    if inst.is_invalid() {
        return Err("it has bytes that are no instruction".to_owned());
    }
    // Of these, not all that they write is known: `xrstor` takes a mask for it from a register.
    if inst.is_save_restore_instruction() || inst.is_privileged() {
        return Err("it has an instruction of systems".to_owned());
    }
    Ok(Decoded {
        bytes: inst.len() as u64,
        written: written(&inst)?,
        flow: flow(&inst)?,
    })
}

fn flow(inst: &Instruction) -> Result<Flow, String> {
    let target = inst.near_branch_target();
    let is_conditional = inst.is_jcc_short_or_near() || inst.is_jcx_short() || inst.is_loop() || inst.is_loopcc();
    match inst.flow_control() {
        FlowControl::Next => Ok(Flow::Next),
        FlowControl::UnconditionalBranch if inst.is_jmp_short_or_near() => Ok(Flow::Jump(target)),
        FlowControl::ConditionalBranch if is_conditional => Ok(Flow::Branch(target)),
        FlowControl::Call if inst.is_call_near() => Ok(Flow::Call(target)),
        FlowControl::Return if inst.code() == Code::Retnq => Ok(Flow::Return),
        FlowControl::Exception => Ok(Flow::Stop),
        FlowControl::IndirectBranch => Err("it has a computed jump".to_owned()),
        FlowControl::IndirectCall => Err("it calls through a pointer".to_owned()),
        _ => Err("it has an instruction that goes to a system, or to elsewhere in an unusual way".to_owned()),
    }
}

fn written(inst: &Instruction) -> Result<PRegSet, String> {
    let mut written = PRegSet::EMPTY;
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info_options(inst, InstructionInfoOptions::NO_MEMORY_USAGE);
    for used in info.used_registers() {
        let writes = matches!(
            used.access(),
            OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        if writes {
            written = written.union(allocated(used.register())?);
        }
    }
    Ok(written)
}

/// What of the registers that values live in a register is a part of.
fn allocated(register: Register) -> Result<PRegSet, String> {
    let full = register.full_register();
    let number = full.number() as u8;
    if full.is_gpr() {
        return Ok(PRegSet::of(&[Reg::physical(0, number)]));
    }
    if full.is_vector_register() {
        return Ok(PRegSet::of(&[Reg::physical(1, number)]));
    }
    // No value is in a mask register or on the register stack at a call (contracts 8 and 21).
    if full.is_k() || full.is_st() || full.is_mm() {
        return Ok(PRegSet::EMPTY);
    }
    Err("it writes a register of systems".to_owned())
}
