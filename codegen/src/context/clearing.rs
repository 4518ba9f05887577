//! Registers that are zeroed before a function returns (LLVM's attribute "zero-call-used-regs"), so that intermediate
//! results do not leak to the caller.
//!
//! The rules are those of LLVM's `PEI::insertZeroCallUsedRegs`: caller-saved registers are zeroed before each return
//! and each tail call, except for those that hold results or arguments. If the attribute asks for used registers only,
//! those count that the function may have used; the fast context counts all registers that any of its calls clobbers.
//! On the stack of the floating-point unit, LLVM zeroes results as well, which are kept here.

use crate::abi::{ArgLayout, ArgPlace, PartPlace};
use crate::desc::{ConvDesc, TargetDesc};
use crate::error::CodegenError;
use crate::frame_info::Clearing;
use crate::isa::Isa;
use crate::reg::{PRegSet, Reg};
use crate::unit::{Unit, convention};
use frazil_ir::{CallFlags, Function, Opcode, ParamKind, Refusal};

/// A value of the attribute.
#[derive(Clone, Copy, Debug)]
struct Kind {
    only_general: bool,
    only_arguments: bool,
    only_used: bool,
}

/// Values of the attribute, with whether each is about general registers, arguments, and used registers only.
const KINDS: &[(&[u8], bool, bool, bool)] = &[
    (b"used-gpr-arg", true, true, true),
    (b"used-gpr", true, false, true),
    (b"used-arg", false, true, true),
    (b"used", false, false, true),
    (b"all-gpr-arg", true, true, false),
    (b"all-gpr", true, false, false),
    (b"all-arg", false, true, false),
    (b"all", false, false, false),
];

fn kind(text: &[u8]) -> Option<Kind> {
    let found = KINDS.iter().find(|row| row.0 == text);
    found.map(|&(_, only_general, only_arguments, only_used)| Kind {
        only_general,
        only_arguments,
        only_used,
    })
}

/// Refuses values that are unknown, and targets that cannot do it.
#[cold]
pub(crate) fn refuse_clearing<I: Isa>(isa: &I, text: &[u8]) -> Result<(), CodegenError> {
    if kind(text).is_some() && isa.clearable() != PRegSet::EMPTY {
        return Ok(());
    }
    let text = String::from_utf8_lossy(text);
    Err(CodegenError::unsupported(
        Refusal::FunctionAttribute,
        format!("function attribute zero-call-used-regs=\"{text}\""),
    ))
}

/// What a function clears that uses some registers; `layout` is its own, `preserved` are its callee-saved registers.
#[cold]
pub(crate) fn clearing<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    layout: &ArgLayout,
    preserved: PRegSet,
    used: PRegSet,
) -> Result<Clearing, CodegenError> {
    let function = unit.function;
    let Some(kind) = kind(unit.view.module.strings.bytes(unit.head.cleared_registers)) else {
        return Ok(Clearing::default());
    };
    let conv = convention(isa, function.signature().call_conv)?;
    let arguments = argument_registers(function, layout, conv);
    let mut registers = isa.clearable().minus(preserved);
    if kind.only_general {
        registers = registers.intersection(PRegSet::from_banks(u64::MAX, 0));
    }
    if kind.only_used {
        let mut used = used.union(arguments);
        let [int, float] = isa.desc().classes;
        used.insert(int.scratch);
        if used.bank(1) != 0 {
            used.insert(float.scratch);
        }
        registers = registers.intersection(used);
    }
    if kind.only_arguments {
        let of_any = convention(isa, frazil_ir::CallConv::C)?;
        let all = PRegSet::of(of_any.int_args).union(PRegSet::of(of_any.float_args));
        registers = registers.intersection(if kind.only_used { arguments } else { all });
    }
    let is_whole = !kind.only_general && !kind.only_arguments;
    Ok(Clearing {
        registers,
        stack_results: 0,
        has_stack: is_whole && (!kind.only_used || uses_stack(function, isa.desc())),
    })
}

/// The registers in which a function gets its parameters.
fn argument_registers(function: &Function, layout: &ArgLayout, conv: &ConvDesc) -> PRegSet {
    let mut found = passed_registers(layout);
    if let (true, PartPlace::Reg(reg)) = (layout.returns_in_memory, layout.result_pointer) {
        found.insert(reg);
    }
    if function.signature().variadic {
        found = found
            .union(PRegSet::of(conv.int_args))
            .union(PRegSet::of(conv.float_args));
    }
    found
}

/// The registers of a signature's arguments that are not variable.
fn passed_registers(layout: &ArgLayout) -> PRegSet {
    registers_of(&layout.args)
}

fn registers_of(places: &[ArgPlace]) -> PRegSet {
    let mut found = PRegSet::EMPTY;
    for place in places {
        for place in &place.places[..usize::from(place.parts.count)] {
            if let PartPlace::Reg(reg) = *place {
                found.insert(reg);
            }
        }
    }
    found
}

/// What the caller reads when the function returns.
#[cold]
pub(crate) fn results(function: &Function, layout: &ArgLayout, conv: &ConvDesc) -> PRegSet {
    // Results on the stack have stood in for registers.
    let mut found = registers_of(&layout.returns).minus(layout.stack_results.registers());
    let has = |kind: fn(&ParamKind) -> bool| function.signature().params.iter().any(|param| kind(&param.kind));
    let gives_pointer = conv.returns_struct_pointer && has(|kind| matches!(kind, ParamKind::StructReturn));
    if layout.returns_in_memory || gives_pointer {
        found.insert(conv.int_returns[0]);
    }
    if has(|kind| matches!(kind, ParamKind::SwiftError)) {
        found.insert(conv.special.swift_error);
    }
    found
}

/// What the callee of a tail call reads; its address may be in `scratch`, if that is a register.
#[cold]
pub(crate) fn handed_over(layout: &ArgLayout, conv: &ConvDesc, is_variadic: bool, scratch: Reg) -> PRegSet {
    let mut found = passed_registers(layout);
    if scratch.is_physical() {
        found.insert(scratch);
    }
    if let (true, PartPlace::Reg(reg)) = (layout.returns_in_memory, layout.result_pointer) {
        found.insert(reg);
    }
    if is_variadic && !conv.only_in_reg {
        found = found
            .union(PRegSet::of(conv.int_args))
            .union(PRegSet::of(conv.float_args));
        if !conv.variadic_count.is_none() {
            found.insert(conv.variadic_count);
        }
    }
    found
}

/// Whether a function may use the register stack.
fn uses_stack(function: &Function, desc: &TargetDesc) -> bool {
    let is_text = |flags: u16| CallFlags::from_bits_retain(flags).contains(CallFlags::INLINE_ASM);
    let uses = |op, ty, flags| desc.is_for_stack(ty) || matches!(op, Opcode::Call | Opcode::Invoke) && is_text(flags);
    function.insts().iter().any(|data| uses(data.op, data.ty, data.flags))
        || function.values().iter().any(|value| desc.is_for_stack(value.ty))
}
