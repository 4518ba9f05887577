//! Copies returns to the ends of blocks whose calls can then be tail calls.
//!
//! ```text
//! b1:                               b1:
//!   v1 = call tail @f(v0)             v1 = call tail @f(v0)
//!   jump b3                           return v1
//! b2:                               b2:
//!   v2 = call tail @g(v0)     ->      v2 = call tail @g(v0)
//!   jump b3                           return v2
//! b3:
//!   v3 = phi i32 [b1: v1, b2: v2]
//!   return v3
//! ```
//!
//! A call is a jump only if a return of its results follows (`codegen/src/context/tail.rs`). Front ends have one block
//! that returns, and what LLVM's optimizer makes of that is left to code generation there, too
//! (`dupRetToEnableTailCallOpts` in `llvm/lib/CodeGen/CodeGenPrepare.cpp`).
//!
//! Copied is where hardly anything else leads to the return: then recursion by tail calls takes no stack and code does
//! not grow.
//!
//! Not done: where the call cannot be a jump as far as its signature says; whether its arguments fit only the target
//! knows, and where they do not, there is a return more.

use super::State;
use crate::constants::is_undef_or_poison;
use frazil_ir::{Block, CallFlags, Editor, EntityRef, Function, InstData, Opcode, Operand, ParamKind};

/// Flags of calls that are no jumps, or are some already.
const NEVER: CallFlags = CallFlags::MUST_TAIL
    .union(CallFlags::NO_TAIL)
    .union(CallFlags::RETURNS_TWICE)
    .union(CallFlags::NO_RETURN);

impl State {
    /// Copies the returns of blocks that have nothing else but phis.
    pub(super) fn copy_returns(&mut self, f: &mut Function, editor: &mut Editor) {
        if f.signature()
            .params
            .iter()
            .any(|param| param.kind == ParamKind::StructReturn)
        {
            return;
        }
        for block in f.block_ids() {
            if !self.shapes[block.index()].is_return || self.gained[block.index()] {
                continue;
            }
            let edges = f.predecessors(block).len();
            let is_call = |&from: &Block| !self.led_away[from.index()] && jumps_after_call(f, from, block);
            let calls = f.predecessors(block).iter().copied().filter(is_call).count();
            if calls == 0 || calls + MOST_OTHERS < edges {
                continue;
            }
            let columns = (0..edges).filter(|&column| is_call(&f.predecessors(block)[column]));
            let columns: Vec<usize> = columns.collect();
            let copies: Vec<(Block, InstData)> = (columns.into_iter())
                .filter_map(|column| copied_return(f, editor, (block, column)))
                .collect();
            if copies.len() + MOST_OTHERS < edges {
                continue;
            }
            for (from, copy) in copies {
                editor.set_terminator(f, from, copy);
                self.led_away[from.index()] = true;
                self.must_count = true;
                self.counts.returns += 1;
            }
        }
    }
}

/// A return is copied if at most so many other edges lead to it: where it stays for several, each copy is an epilogue
/// more, which takes more than the jump and the call's return that it saves.
const MOST_OTHERS: usize = 1;

/// Whether a block, as it ends now, jumps to another after a call that may be a jump itself.
fn jumps_after_call(f: &Function, from: Block, to: Block) -> bool {
    let range = f.block_insts(from);
    let [.., call, jump] = &f.insts()[range] else {
        return false;
    };
    if jump.op != Opcode::Jump || jump.target() != to || call.op != Opcode::Call {
        return false;
    }
    let flags = CallFlags::from_bits_retain(call.flags);
    if !flags.contains(CallFlags::TAIL) || flags.intersects(NEVER) {
        return false;
    }
    let (own, callee) = (f.signature(), f.sig(f.call(call).sig));
    let is_plain = !callee
        .params
        .iter()
        .any(|param| matches!(param.kind, ParamKind::ByVal { .. }));
    is_plain && callee.call_conv == own.call_conv && (own.returns.is_empty() || own.returns == callee.returns)
}

/// The block from which the edge of a column leads to another, and the return of that one as this edge makes it, if it
/// returns what the call at the end of the former gave.
fn copied_return(f: &mut Function, editor: &mut Editor, (block, column): (Block, usize)) -> Option<(Block, InstData)> {
    let from = f.predecessors(block)[column];
    let given = *f.inst(f.terminator(block));
    let call = f.insts()[f.block_insts(from).end - 2];
    let returned: Vec<Operand> = f.list(&given).to_vec();
    let mut operands = Vec::with_capacity(returned.len());
    for (result, operand) in f.results(&call).zip(returned) {
        let operand = on_edge(f, editor, operand, (block, column));
        if operand != Operand::value(result) && !is_undef_or_poison(f, operand) {
            return None;
        }
        operands.push(operand);
    }
    let start = f.push_pool(&operands);
    let copy = InstData {
        a: Operand::raw(operands.len() as u32),
        b: Operand::raw(start),
        ..given
    };
    Some((from, copy))
}

/// What an operand in a block is if the block is reached by the edge of a column.
fn on_edge(f: &Function, editor: &mut Editor, operand: Operand, (block, column): (Block, usize)) -> Operand {
    let operand = editor.resolve(operand);
    let phi = operand
        .as_value()
        .and_then(|value| f.def_inst(value))
        .filter(|&inst| f.inst(inst).op == Opcode::Phi && f.block_insts(block).contains(&inst.index()));
    match phi {
        Some(phi) => editor.resolve(f.list(f.inst(phi))[column]),
        None => operand,
    }
}
