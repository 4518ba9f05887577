//! Atomic accesses of 16 bytes, by exclusive loads and stores of pairs (Arm ARM, B2.9) or, with LSE, by an exchange of
//! pairs that compares ([`exchanging`]).
//!
//! An exclusive load of a pair is one access only if an exclusive store to it succeeds, so every loop ends with one,
//! also where nothing is to be changed, as with LLVM. The store's status is in the encoder's register, since its other
//! operands are three. With FEAT_LSE2, plain loads and stores of pairs are one access each.

mod exchanging;

use super::{ALL, LOADS, keeps_old, operation, order, refuse};
use crate::build::*;
use crate::cond::Cond;
use crate::features::{LSE, LSE2};
use crate::lower::condition::is_signed;
use crate::lower::second_result;
use crate::lower::wide::{Pair, chain, compare_pairs, result_pair, temporary_pair, use_pair};
use crate::ops::aux;
use crate::regs::{TEMP, XZR};
use crate::table::Op;
use frazil_codegen::{CodegenError, GroupKind, Label, LowerCtx, Reg};
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Ordering, RmwOp};

/// Lowers any atomic access of 16 bytes.
pub(super) fn atomic<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let has_whole_pairs = cx.view().features.has(LSE2);
    match data.op {
        Opcode::AtomicLoad if has_whole_pairs => load_pair(cx, data),
        Opcode::AtomicStore if has_whole_pairs => store_pair(cx, data),
        _ if cx.view().features.has(LSE) => return exchanging::atomic(cx, data),
        Opcode::AtomicLoad => load(cx, data),
        Opcode::AtomicStore => {
            let value = use_pair(cx, data.a);
            let old = temporary_pair(cx);
            exchange(cx, data, (data.b, old), value);
        }
        Opcode::AtomicRmw => return read_modify_write(cx, data),
        _ => compare_exchange(cx, data),
    }
    Ok(())
}

/// A load of a pair, where that is one access, and what keeps its order.
fn load_pair<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let base = cx.use_reg(data.a, 0);
    let loaded = result_pair(cx, data);
    cx.emit(rrr(Op::Ldp, 8, loaded.low, base, loaded.high));
    match MemFlags(data.flags).ordering() {
        Ordering::SequentiallyConsistent => cx.emit(i(Op::Dmb, ALL)),
        Ordering::Acquire => cx.emit(i(Op::Dmb, LOADS)),
        _ => {}
    }
}

/// The same of stores.
fn store_pair<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let value = use_pair(cx, data.a);
    let base = cx.use_reg(data.b, 0);
    let ordering = MemFlags(data.flags).ordering();
    if matches!(ordering, Ordering::Release | Ordering::SequentiallyConsistent) {
        cx.emit(i(Op::Dmb, ALL));
    }
    cx.emit(rrr(Op::Stp, 8, value.low, base, value.high));
    if ordering == Ordering::SequentiallyConsistent {
        cx.emit(i(Op::Dmb, ALL));
    }
}

fn load_exclusive<C: LowerCtx>(cx: &mut C, old: Pair, base: Reg, order: u8) {
    cx.emit(rrr(Op::Ldxp, 8, old.low, base, old.high).with_aux(order & aux::ACQUIRE));
}

/// Stores, and begins again if that was not exclusive.
fn store_exclusive<C: LowerCtx>(cx: &mut C, value: Pair, base: Reg, order: u8, again: Label) {
    cx.emit(rrr(Op::Stxp, 8, value.low, base, value.high).with_aux(order & aux::RELEASE));
    cx.emit(branch_if_zero(false, 4, TEMP, again));
}

fn load<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let base = cx.use_reg(data.a, 0);
    let old = result_pair(cx, data);
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    cx.bind(again);
    load_exclusive(cx, old, base, order(data));
    store_exclusive(cx, old, base, order(data), again);
    cx.end_group();
}

fn exchange<C: LowerCtx>(cx: &mut C, data: &InstData, (pointer, old): (Operand, Pair), value: Pair) {
    let base = cx.use_reg(pointer, 0);
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    cx.bind(again);
    load_exclusive(cx, old, base, order(data));
    store_exclusive(cx, value, base, order(data), again);
    cx.end_group();
}

fn read_modify_write<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let op = operation(data)?;
    let value = use_pair(cx, data.b);
    if op == RmwOp::Xchg {
        let old = result_pair(cx, data);
        exchange(cx, data, (data.a, old), value);
        return Ok(());
    }
    let base = cx.use_reg(data.a, 0);
    let new = temporary_pair(cx);
    let old = result_pair(cx, data);
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    cx.bind(again);
    load_exclusive(cx, old, base, order(data));
    combine(cx, op, new, old, value)?;
    store_exclusive(cx, new, base, order(data), again);
    cx.end_group();
    Ok(())
}

/// Computes the new contents from the old and the operand.
fn combine<C: LowerCtx>(cx: &mut C, op: RmwOp, new: Pair, old: Pair, value: Pair) -> Result<(), CodegenError> {
    if let Some(cond) = keeps_old(op) {
        // Equal operands may give either, so that greater can be greater or equal.
        let cond = match cond {
            Cond::Gt => Cond::Ge,
            Cond::Hi => Cond::Hs,
            other => other,
        };
        debug_assert!(is_signed(cond) || matches!(cond, Cond::Lo | Cond::Hs));
        compare_pairs(cx, old, value, cond);
        cx.emit(csel(8, new.low, old.low, value.low, cond));
        cx.emit(csel(8, new.high, old.high, value.high, cond));
        return Ok(());
    }
    let (low, high, _) = chain(match op {
        RmwOp::Add => Opcode::Add,
        RmwOp::Sub => Opcode::Sub,
        RmwOp::And | RmwOp::Nand => Opcode::And,
        RmwOp::Or => Opcode::Or,
        RmwOp::Xor => Opcode::Xor,
        _ => return Err(refuse(op)),
    });
    cx.emit(rrr(low, 8, new.low, old.low, value.low));
    cx.emit(rrr(high, 8, new.high, old.high, value.high));
    if op == RmwOp::Nand {
        cx.emit(rrr(Op::Orn, 8, new.low, XZR, new.low));
        cx.emit(rrr(Op::Orn, 8, new.high, XZR, new.high));
    }
    Ok(())
}

/// The old contents, and whether it was the expected.
fn compare_exchange<C: LowerCtx>(cx: &mut C, data: &InstData) {
    let (expected, new) = cx.func().ternary(data);
    let expected = use_pair(cx, expected);
    let new = use_pair(cx, new);
    let base = cx.use_reg(data.a, 0);
    let stored = temporary_pair(cx);
    let old = result_pair(cx, data);
    let exchanged = cx.def(second_result(data), 0);
    cx.begin_group(GroupKind::Plain);
    let again = cx.local_label();
    cx.bind(again);
    load_exclusive(cx, old, base, order(data));
    compare_pairs(cx, old, expected, Cond::Eq);
    cx.emit(csel(8, stored.low, new.low, old.low, Cond::Eq));
    cx.emit(csel(8, stored.high, new.high, old.high, Cond::Eq));
    store_exclusive(cx, stored, base, order(data), again);
    cx.end_group();
    cx.emit(cset(exchanged, Cond::Eq));
}
