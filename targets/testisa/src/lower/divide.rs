//! Division: by an instruction up to 32 bits, by a call of 64 and 128, by a loop in line in between.

use super::wide::{self, A, B, KEPT, R, Wide};
use super::{extended, int_bits, part_count, result};
use crate::build::*;
use crate::ops::Op;
use crate::regs::{SC, ZERO};
use frazil_codegen::{CodegenError, GroupKind, LowerCtx};
use frazil_ir::{InstData, Opcode, RuntimeFunction};

fn is_signed(op: Opcode) -> bool {
    matches!(op, Opcode::Sdiv | Opcode::Srem)
}

/// Lowers `udiv`, `sdiv`, `urem` and `srem`.
pub fn divide<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let bits = int_bits(cx, data.ty);
    if let Some(function) = runtime_function(data.op, bits) {
        return cx.call_runtime(function, &[(data.a, data.ty), (data.b, data.ty)], Some(result(data)));
    }
    if bits > 32 {
        divide_by_loop(cx, data, bits);
        return Ok(());
    }
    let row = match data.op {
        Opcode::Udiv => Op::Divu,
        Opcode::Sdiv => Op::Div,
        Opcode::Urem => Op::Remu,
        _ => Op::Rem,
    };
    let a = extended(cx, data.a, bits, is_signed(data.op));
    let b = extended(cx, data.b, bits, is_signed(data.op));
    let dst = cx.def(result(data), 0);
    cx.emit(rrr(row, dst, a, b));
    Ok(())
}

fn runtime_function(op: Opcode, bits: u32) -> Option<RuntimeFunction> {
    Some(match (op, bits) {
        (Opcode::Udiv, 64) => RuntimeFunction::Udivdi3,
        (Opcode::Sdiv, 64) => RuntimeFunction::Divdi3,
        (Opcode::Urem, 64) => RuntimeFunction::Umoddi3,
        (Opcode::Srem, 64) => RuntimeFunction::Moddi3,
        (Opcode::Udiv, 128) => RuntimeFunction::Udivti3,
        (Opcode::Sdiv, 128) => RuntimeFunction::Divti3,
        (Opcode::Urem, 128) => RuntimeFunction::Umodti3,
        (Opcode::Srem, 128) => RuntimeFunction::Modti3,
        _ => return None,
    })
}

/// Long division, one bit at a time, of magnitudes. The quotient grows in the place of the dividend.
fn divide_by_loop<C: LowerCtx>(cx: &mut C, data: &InstData, bits: u32) {
    let words = part_count(bits);
    let (a, b, rest) = (Wide::at(A, words), Wide::at(B, words), Wide::at(R, words));
    let signed = is_signed(data.op);
    // Signs: bit 31 of `KEPT` that of the result.
    wide::read(cx, a, data.a, bits, signed);
    wide::read(cx, b, data.b, bits, signed);
    stop_at_zero(cx, b);
    if signed {
        cx.emit(rr(Op::Mov, KEPT, a.top()));
        if data.op == Opcode::Sdiv {
            cx.emit(rrr(Op::Xor, KEPT, KEPT, b.top()));
        }
        magnitude(cx, a, rest);
        magnitude(cx, b, rest);
    }
    wide::constant(cx, rest, 0);
    cx.begin_group(GroupKind::Plain);
    let (again, smaller) = (cx.local_label(), cx.local_label());
    cx.emit(li(SC, 32 * i32::from(words)));
    cx.bind(again);
    shift_one_in(cx, a, rest);
    let below = wide::less(cx, rest, b, false);
    cx.emit(branch(Op::Bne, below, ZERO, smaller));
    wide::sub(cx, rest, rest, b);
    cx.emit(rri(Op::Ori, a.word(0), a.word(0), 1));
    cx.bind(smaller);
    cx.emit(rri(Op::Addi, SC, SC, -1));
    cx.emit(branch(Op::Bne, SC, ZERO, again));
    cx.end_group();
    let found = if matches!(data.op, Opcode::Udiv | Opcode::Sdiv) {
        a
    } else {
        rest
    };
    if signed {
        cx.emit(rri(Op::Srli, KEPT, KEPT, 31));
        wide::negate(cx, b, found);
        wide::choose(cx, found, KEPT, b);
    }
    wide::write(cx, result(data), bits, found);
}

/// Divides by the lowest word if all are zero, which stops the machine.
fn stop_at_zero<C: LowerCtx>(cx: &mut C, divisor: Wide) {
    cx.emit(rr(Op::Mov, SC, ZERO));
    for word in 0..divisor.words {
        cx.emit(rrr(Op::Or, SC, SC, divisor.word(word)));
    }
    cx.emit(rrr(Op::Divu, SC, SC, SC));
}

/// Makes a number positive.
fn magnitude<C: LowerCtx>(cx: &mut C, number: Wide, spare: Wide) {
    wide::negate(cx, spare, number);
    cx.emit(rri(Op::Srli, SC, number.top(), 31));
    wide::choose(cx, number, SC, spare);
}

/// Shifts the pair `rest:number` left by one bit.
fn shift_one_in<C: LowerCtx>(cx: &mut C, number: Wide, rest: Wide) {
    let carry = wide::AMOUNT;
    for word in (0..rest.words).rev() {
        let below = if word > 0 { rest.word(word - 1) } else { number.top() };
        cx.emit(rri(Op::Srli, carry, below, 31));
        cx.emit(rri(Op::Slli, rest.word(word), rest.word(word), 1));
        cx.emit(rrr(Op::Or, rest.word(word), rest.word(word), carry));
    }
    for word in (0..number.words).rev() {
        cx.emit(rri(Op::Slli, number.word(word), number.word(word), 1));
        if word > 0 {
            cx.emit(rri(Op::Srli, carry, number.word(word - 1), 31));
            cx.emit(rrr(Op::Or, number.word(word), number.word(word), carry));
        }
    }
}
