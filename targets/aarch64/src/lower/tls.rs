//! The addresses of thread-local variables.
//!
//! "ELF for the Arm 64-bit Architecture", section 5.7: a constant distance from the thread pointer in executables, one
//! from the global offset table for variables of images that are loaded with the program, and descriptors else, whose
//! sequence linkers relax and so must stand as it is. Emulated thread-local storage, which some systems have instead,
//! is refused.

use super::{frames, result};
use crate::build::*;
use crate::reach;
use crate::regs::{SCRATCH, x};
use crate::table::Op;
use frazil_codegen::{CallSequence, CodegenError, LowerCtx, PRegSet, Ref, RefKind};
use frazil_ir::module::TlsModel;
use frazil_ir::{InstData, Refusal, SymbolId};

/// Lowers `tls_addr`.
pub fn address<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let Some(symbol) = data.a.as_symbol() else {
        return Err(CodegenError::unsupported(
            Refusal::ThreadLocal,
            "the thread-local address of something that is no symbol",
        ));
    };
    refuse_emulated(cx)?;
    let model = cx.view().tls_model(symbol);
    if model != TlsModel::LocalExec && cx.view().module.flags.is_large() {
        return Err(CodegenError::unsupported(
            Refusal::ThreadLocal,
            "thread-local variables in code model large, but for those that an executable has itself",
        ));
    }
    match model {
        TlsModel::LocalExec => {
            let dst = cx.def(result(data), 0);
            cx.emit(reference(
                Op::TlsLocalExec,
                dst,
                Ref::symbol(RefKind::TlsLocalExec, symbol),
                0,
            ));
        }
        TlsModel::InitialExec => {
            let dst = cx.def(result(data), 0);
            let slot = reach::slot(cx.view(), dst, Ref::symbol(RefKind::TlsInitialExec, symbol));
            cx.emit(slot);
            cx.emit(frames::thread_pointer());
            cx.emit(rrr(Op::Add, 8, dst, dst, SCRATCH));
        }
        TlsModel::LocalDynamic | TlsModel::GeneralDynamic => return by_descriptor(cx, data, symbol),
        TlsModel::NotThreadLocal => {
            return Err(CodegenError::unsupported(
                Refusal::ThreadLocal,
                "the thread-local address of a variable that all threads share",
            ));
        }
    }
    Ok(())
}

/// The systems on which LLVM emulates thread-local storage by library calls, or has another form of it.
fn refuse_emulated<C: LowerCtx>(cx: &C) -> Result<(), CodegenError> {
    let module = cx.view().module;
    let triple = module.strings.display(module.triple);
    let is_emulated = [
        "-openbsd", "-ohos", "-android", "-cygnus", "-fuchsia", "-darwin", "-macos", "-ios", "-windows",
    ]
    .iter()
    .any(|system| triple.contains(system));
    if is_emulated {
        return Err(CodegenError::unsupported(
            Refusal::ThreadLocal,
            "thread-local storage of this system",
        ));
    }
    Ok(())
}

/// A function that the descriptor names gives the distance from the thread pointer in `x0`. It overwrites `x1` and the
/// link register alone, which is not made use of.
fn by_descriptor<C: LowerCtx>(cx: &mut C, data: &InstData, symbol: SymbolId) -> Result<(), CodegenError> {
    let descriptor = Ref::symbol(RefKind::TlsGeneralDynamic, symbol);
    let sequence = CallSequence {
        before: &[],
        arguments: PRegSet::EMPTY,
        call: branch_ref(Op::TlsDescCall, descriptor),
        after: &[frames::thread_pointer(), rrr(Op::Add, 8, x(0), x(0), SCRATCH)],
    };
    cx.call_sequence(&sequence, result(data))
}
