//! Tail calls: which calls may be tail calls, and which mandatory ones (`musttail`) are refused.
//!
//! The callee finds its stack arguments where those of the caller were, and returns to the caller's caller. So caller
//! and callee must agree on the convention and on callee-saved registers, the callee's stack arguments must fit into
//! the caller's area, and its results must be the caller's.

use super::Context;
use super::calls::PendingCall;
use super::clearing::handed_over;
use crate::abi::{ArgLayout, ArgPlace, PartPlace};
use crate::branch::CallTarget;
use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::minst::MInst;
use crate::reg::Reg;
use frazil_ir::{CallFlags, ConstKind, EntityRef, Function, Inst, InstData, Opcode, ParamKind, Refusal};

/// Whether a return follows a call and returns what it returns.
pub(crate) fn is_before_return(function: &Function, inst: Inst, data: &InstData) -> bool {
    let Some(next) = function.insts().get(inst.index() + 1) else {
        return false;
    };
    if next.op != Opcode::Return {
        return false;
    }
    let operands = function.list(next);
    operands.is_empty()
        || function.results(data).count() == operands.len()
            && (function.results(data).zip(operands)).all(|(result, operand)| {
                let is_undefined = (operand.as_const()).is_some_and(|id| {
                    matches!(function.consts()[id.index()].kind, ConstKind::Undef | ConstKind::Poison)
                });
                operand.as_value() == Some(result) || is_undefined
            })
}

/// The flags of calls that might take the place of their caller.
pub(crate) const TAIL_FLAGS: u16 = CallFlags::MUST_TAIL.bits() | CallFlags::TAIL.bits();

/// Whether a call with such a flag must take the caller's place: if it says so, or its convention does.
#[cold]
pub(crate) fn must_take_place<'a>(
    cx: &impl Context<'a>,
    (inst, data): (Inst, &InstData),
    call: &PendingCall<'_>,
) -> bool {
    data.flags & CallFlags::MUST_TAIL.bits() != 0
        || call.conv.tail_calls
            && std::ptr::eq(call.conv, cx.base().conv)
            && is_before_return(cx.function(), inst, data)
}

/// Refuses a call that must take the caller's place and cannot. `layout` is the call's.
#[cold]
pub(crate) fn refuse_must_tail<'a>(
    cx: &impl Context<'a>,
    (inst, data): (Inst, &InstData),
    call: &PendingCall<'_>,
    layout: &ArgLayout,
) -> Result<(), CodegenError> {
    let base = cx.base();
    let is_forwarding = call.signature.variadic;
    let what = if !is_before_return(cx.function(), inst, data) {
        "that no return of its results follows"
    } else if !std::ptr::eq(call.conv, base.conv) {
        "in another convention than the caller's"
    } else if layout.stack_bytes > base.incoming.stack_bytes {
        "with more argument memory than the caller's"
    } else if layout.popped_bytes != base.incoming.popped_bytes {
        "with less argument memory than the caller's, which the callee takes off the stack"
    } else if !base.preserved.minus(layout.preserved).is_empty() {
        "of a callee that keeps fewer registers than the caller"
    } else if is_forwarding
        && (!cx.function().signature().variadic || call.args.len() > call.signature.fixed_params as usize)
    {
        "with variable arguments other than the caller's"
    } else if is_forwarding && call.conv.shares_positions {
        "with variable arguments in a convention whose arguments share positions"
    } else if !call.areas.is_empty() {
        "with a big integer in memory"
    } else {
        return Ok(());
    };
    Err(CodegenError::unsupported(
        Refusal::TailCall,
        format!("a musttail call {what}"),
    ))
}

/// Refuses a call through a pointer in a function with a guard: comparing it takes the register of the pointer.
pub(crate) fn refuse_guarded<'a>(cx: &mut impl Context<'a>, call: &PendingCall<'_>) -> Result<(), CodegenError> {
    if call.callee.as_symbol().is_none() && cx.frame().guard.is_some() {
        return Err(CodegenError::unsupported(
            Refusal::TailCall,
            "a musttail call through a pointer with a stack protector",
        ));
    }
    Ok(())
}

/// Whether a callee takes its arguments and gives its results where the caller's convention does.
fn has_same_places(callee: &ConvDesc, caller: &ConvDesc, layout: &ArgLayout) -> bool {
    if std::ptr::eq(callee, caller) {
        return true;
    }
    let is_shared = |place: &ArgPlace| match place.places[0] {
        PartPlace::Reg(reg) if place.parts.float && place.parts.is_scalar() => caller.float_returns.contains(&reg),
        _ => true,
    };
    callee.is_plain && caller.is_plain && layout.stack_results.is_empty() && layout.returns.iter().all(is_shared)
}

/// Whether a call may take the caller's place, as far as the context does that of its own accord.
pub(crate) fn may_take_place<'a>(
    cx: &impl Context<'a>,
    (inst, data): (Inst, &InstData),
    call: &PendingCall<'_>,
    layout: &ArgLayout,
) -> bool {
    let base = cx.base();
    let flags = CallFlags::from_bits_retain(data.flags);
    let returns = &cx.function().signature().returns;
    !flags.intersects(CallFlags::NO_TAIL | CallFlags::RETURNS_TWICE | CallFlags::NO_RETURN)
        && has_same_places(call.conv, base.conv, layout)
        && !layout.returns_in_memory
        && base.incoming.struct_return.is_none()
        && layout.popped_bytes == 0
        && layout.stack_bytes <= base.incoming.stack_bytes
        && layout.stack_align <= base.stack_align
        && layout.swift_error.is_none()
        && base.incoming.swift_error.is_none()
        && call.areas.is_empty()
        && !(call.signature.variadic && call.conv.shares_positions)
        && base.preserved.minus(layout.preserved).is_empty()
        && call
            .signature
            .params
            .iter()
            .all(|param| !matches!(param.kind, ParamKind::ByVal { .. }))
        && (returns.is_empty() && layout.stack_results.is_empty() || *returns == call.signature.returns)
        && is_before_return(cx.function(), inst, data)
}

/// The instruction that leaves the function for the callee, whose address is in a scratch register unless it is a
/// symbol; none if the target has no such instruction.
pub(crate) fn leaving_instruction<'a>(
    cx: &impl Context<'a>,
    call: &PendingCall<'_>,
    layout: &ArgLayout,
) -> Option<MInst> {
    let isa = cx.isa();
    let free = leaving_register(isa, call, layout);
    let target = match call.callee.as_symbol() {
        Some(symbol) => CallTarget::Symbol(symbol),
        None if free.is_none() => return None,
        None => CallTarget::Reg(free),
    };
    isa.tail_call(cx.module_view(), target, free)
}

/// The register in which the address of a tail call's callee is when the frame is gone, or by which it is found: the
/// scratch register, or, where epilogues restore that, one that neither they nor arguments take; none if there is none.
pub(crate) fn leaving_register<I: Isa>(isa: &I, call: &PendingCall<'_>, layout: &ArgLayout) -> Reg {
    let class = &isa.desc().classes[0];
    if !I::SAVES_SCRATCH {
        return class.scratch;
    }
    let taken = handed_over(layout, call.conv, call.signature.variadic, Reg::NONE).union(layout.preserved);
    [call.conv.indirect_callee]
        .into_iter()
        .chain(class.allocatable.iter())
        .find(|&reg| !taken.contains(reg))
        .unwrap_or(Reg::NONE)
}
