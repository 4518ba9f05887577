//! The addresses of thread-local variables in the four models of the System V ABI.
//!
//! The sequences are those of U. Drepper, "ELF Handling For Thread-Local Storage", and of the ABI document's appendix
//! on linker optimization, to the byte: linkers rewrite them in place when the image turns out to allow a better
//! model, and recognize them by their prefixes. The two that call `__tls_get_addr` are therefore one group.
//!
//! Emulated thread-local storage, which some systems have instead, is refused.

use super::{has_relative_addresses, is_32_bit, result};
use crate::build::*;
use crate::regs::{RAX, RBX, RDI};
use crate::table::Op;
use frazil_codegen::{CallSequence, CodegenError, LowerCtx, MInst, Mem, PRegSet, Ref, RefKind, Reg};
use frazil_ir::module::TlsModel;
use frazil_ir::{InstData, Refusal, RuntimeFunction, SymbolId};

/// Lowers `tls_addr`.
pub fn address<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let Some(symbol) = data.a.as_symbol() else {
        return Err(CodegenError::unsupported(
            Refusal::ThreadLocal,
            "the thread-local address of something that is no symbol",
        ));
    };
    refuse_emulated(cx)?;
    match cx.view().tls_model(symbol) {
        TlsModel::LocalExec if is_32_bit::<C>() => local_exec_in_32_bits(cx, data, symbol),
        TlsModel::InitialExec if is_32_bit::<C>() => initial_exec_in_32_bits(cx, data, symbol),
        TlsModel::LocalDynamic if is_32_bit::<C>() => return local_dynamic_in_32_bits(cx, data, symbol),
        TlsModel::GeneralDynamic if is_32_bit::<C>() => return general_dynamic_in_32_bits(cx, data, symbol),
        TlsModel::LocalExec => local_exec(cx, data, symbol),
        TlsModel::InitialExec => initial_exec(cx, data, symbol),
        TlsModel::LocalDynamic => return local_dynamic(cx, data, symbol),
        TlsModel::GeneralDynamic => return general_dynamic(cx, data, symbol),
        TlsModel::NotThreadLocal => {
            return Err(CodegenError::unsupported(
                Refusal::ThreadLocal,
                "the thread-local address of a variable that all threads share",
            ));
        }
    }
    Ok(())
}

/// The systems on which LLVM emulates thread-local storage by library calls.
fn refuse_emulated<C: LowerCtx>(cx: &C) -> Result<(), CodegenError> {
    let module = cx.view().module;
    let triple = module.strings.display(module.triple);
    let is_emulated = ["-openbsd", "-ohos", "-cygnus", "-cygwin"]
        .iter()
        .any(|system| triple.contains(system));
    // Android has them since its interface level 29.
    let level = triple
        .split_once("-android")
        .map(|(_, level)| level.trim_start_matches("eabi"));
    let is_old = level.is_some_and(|level| level.parse::<u32>().map_or(true, |level| level < 29));
    if is_emulated || is_old {
        return Err(CodegenError::unsupported(
            Refusal::ThreadLocal,
            "emulated thread-local storage",
        ));
    }
    Ok(())
}

/// The thread pointer, which the segment has at its start.
fn thread_pointer() -> Mem {
    Mem::base(Reg::NONE, 0)
}

/// The distance from the thread pointer is a constant.
fn local_exec<C: LowerCtx>(cx: &mut C, data: &InstData, symbol: SymbolId) {
    let dst = cx.def(result(data), 0);
    cx.emit(rm(Op::MovFsRM, 8, dst, thread_pointer()));
    cx.emit(lea_ref(8, dst, dst, Ref::symbol(RefKind::TlsLocalExec, symbol), 0));
}

/// The loader puts the distance from the thread pointer into the global offset table.
fn initial_exec<C: LowerCtx>(cx: &mut C, data: &InstData, symbol: SymbolId) {
    let distance = Mem::symbol(Ref::symbol(RefKind::TlsInitialExec, symbol), 0);
    let dst = cx.def(result(data), 0);
    cx.emit(rm(Op::MovFsRM, 8, dst, thread_pointer()));
    cx.emit(rm(Op::AddRM, 8, dst, distance));
}

/// A library function finds the start of the image's variables, from which the distance is a constant.
fn local_dynamic<C: LowerCtx>(cx: &mut C, data: &InstData, symbol: SymbolId) -> Result<(), CodegenError> {
    let image = Mem::symbol(Ref::symbol(RefKind::TlsLocalDynamic, symbol), 0);
    let sequence = CallSequence {
        before: &[rm(Op::LeaRM, 8, RDI, image)],
        arguments: PRegSet::of(&[RDI]),
        call: call(library_function(cx)),
        after: &[lea_ref(8, RAX, RAX, Ref::symbol(RefKind::TlsDtpOffset, symbol), 0)],
    };
    cx.call_sequence(&sequence, result(data))
}

/// A library function finds the variable.
fn general_dynamic<C: LowerCtx>(cx: &mut C, data: &InstData, symbol: SymbolId) -> Result<(), CodegenError> {
    let variable = Mem::symbol(Ref::symbol(RefKind::TlsGeneralDynamic, symbol), 0);
    let sequence = CallSequence {
        before: &[rm(Op::LeaTlsGdRM, 8, RDI, variable)],
        arguments: PRegSet::of(&[RDI]),
        call: branch_ref(Op::CallTlsGdRef, library_function(cx)),
        after: &[],
    };
    cx.call_sequence(&sequence, result(data))
}

fn library_function<C: LowerCtx>(cx: &C) -> Ref {
    Ref::symbol(
        RefKind::Plt,
        RuntimeFunction::TlsGetAddr.symbol(cx.view().symbol_count()),
    )
}

// In 32-bit code, the thread pointer is in another segment.

fn local_exec_in_32_bits<C: LowerCtx>(cx: &mut C, data: &InstData, symbol: SymbolId) {
    let dst = cx.def(result(data), 0);
    cx.emit(rm(Op::MovGsRM, 4, dst, thread_pointer()));
    cx.emit(lea_ref(4, dst, dst, Ref::symbol(RefKind::TlsLocalExec, symbol), 0));
}

/// The slot of the distance is given by its place, or relative to the global offset table.
fn initial_exec_in_32_bits<C: LowerCtx>(cx: &mut C, data: &InstData, symbol: SymbolId) {
    let distance = Ref::symbol(RefKind::TlsInitialExec, symbol);
    let dst = cx.def(result(data), 0);
    let is_relative = has_relative_addresses(cx);
    let named = if is_relative {
        table(cx).as_u32().cast_signed()
    } else {
        0
    };
    cx.emit(rm(Op::MovRM, 4, dst, near(distance, named, is_relative)));
    cx.emit(rm(Op::AddGsRM, 4, dst, thread_pointer()));
}

fn local_dynamic_in_32_bits<C: LowerCtx>(cx: &mut C, data: &InstData, symbol: SymbolId) -> Result<(), CodegenError> {
    let image = Ref::symbol(RefKind::TlsLocalDynamic, symbol);
    let offset = Ref::symbol(RefKind::TlsDtpOffset, symbol);
    call_in_32_bits(cx, data, image, &[lea_ref(4, RAX, RAX, offset, 0)])
}

fn general_dynamic_in_32_bits<C: LowerCtx>(cx: &mut C, data: &InstData, symbol: SymbolId) -> Result<(), CodegenError> {
    call_in_32_bits(cx, data, Ref::symbol(RefKind::TlsGeneralDynamic, symbol), &[])
}

/// The library function takes its argument in `eax`, and entries of the procedure linkage table find the global offset
/// table by `ebx`, as does what linkers put in the place of the sequence.
fn call_in_32_bits<C: LowerCtx>(
    cx: &mut C,
    data: &InstData,
    argument: Ref,
    after: &[MInst],
) -> Result<(), CodegenError> {
    let function = RuntimeFunction::TlsGetAddrInRegister.symbol(cx.view().symbol_count());
    let sequence = CallSequence {
        before: &[table_place(RBX, table(cx)), lea_ref(4, RAX, RBX, argument, 0)],
        arguments: PRegSet::of(&[RAX, RBX]),
        call: call(Ref::symbol(RefKind::Plt, function)),
        after,
    };
    cx.call_sequence(&sequence, result(data))
}

fn table<C: LowerCtx>(cx: &C) -> SymbolId {
    RuntimeFunction::GlobalOffsetTable.symbol(cx.view().symbol_count())
}
