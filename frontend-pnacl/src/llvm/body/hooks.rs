//! Calls where a function begins and before it returns, as attributes ask for (`instrument-function-entry-inlined` and
//! `instrument-function-exit-inlined`; `clang -pg`, `-finstrument-functions-after-inlining`).
//!
//! LLVM's code generator adds them (`EntryExitInstrumenter`): counters of calls take nothing, profilers the function's
//! address and where it returns to. A function that another one takes the place of has returned before that. Naked
//! functions call nothing. What is to be called before inlining is a matter of the front end.

use super::context::Body;
use super::float_parts::call_of;
use crate::error::ReadError;
use frazil_ir::{CallFlags, Opcode, Operand, RuntimeFunction, Type};

/// Instructions, values and words of a pool that a call takes at most.
const ROOM: usize = 8;

/// The call at the beginning; the entry block has been opened.
#[inline]
pub(in crate::llvm) fn enter(body: &mut Body<'_, '_>) -> Result<(), ReadError> {
    match body.hooks.entry {
        Some(function) => call(body, function),
        None => Ok(()),
    }
}

/// The call before a return, or before a call that takes the function's place.
#[cold]
pub(in crate::llvm) fn leave(body: &mut Body<'_, '_>) -> Result<(), ReadError> {
    match body.hooks.exit {
        Some(function) if !follows_replacement(body) => call(body, function),
        _ => Ok(()),
    }
}

/// Whether the last instruction is a call that takes the function's place.
fn follows_replacement(body: &Body<'_, '_>) -> bool {
    let last = body.build.function.insts().last();
    last.is_some_and(|data| data.op == Opcode::Call && data.flags & CallFlags::MUST_TAIL.bits() != 0)
}

#[cold]
fn call(body: &mut Body<'_, '_>, callee: RuntimeFunction) -> Result<(), ReadError> {
    let build = &mut body.build;
    // A record of a few bits becomes as much.
    build.room += ROOM;
    let symbol = build.function.symbol();
    let mut data = match (callee, symbol) {
        (RuntimeFunction::ProfileEnter | RuntimeFunction::ProfileExit, Some(symbol)) => {
            let this_frame = build.function.int_operand(Type::I32, 0);
            let returns_to = build.emit(Opcode::ReturnAddress, Type::PTR, 0, this_frame, Operand::NONE);
            let arguments = [(Operand::symbol(symbol), Type::PTR), (returns_to, Type::PTR)];
            call_of(build, callee, &arguments, None)
        }
        _ => call_of(build, callee, &[], None),
    };
    // Nothing is said about it.
    data.flags = 0;
    build.function.push_inst(data);
    build.check_room(0)
}
