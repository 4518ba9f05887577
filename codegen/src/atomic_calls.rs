//! Atomic accesses by calls of the compiler's run-time library (`libatomic`): those that are not aligned to their size,
//! and on targets that want it those of 16 bytes.
//!
//! The functions and their arguments are those of "GCC Atomic Library ABI"; orderings are numbered as in C. The flags
//! of a compare-and-exchange hold one ordering for success and failure, and it is passed for both as far as a failed
//! exchange, which stores nothing, can have it.
//!
//! The operations that have no function of their own come here as compare-and-exchanges, since readers make loops of
//! them; in other input they are refused.

use crate::error::CodegenError;
use crate::lower_ctx::{FrameArea, LowerCtx};
use crate::minst::{MInst, Mem};
use crate::reg::{Reg, RegClass};
use frazil_ir::{
    EntityRef, InstData, MemFlags, Opcode, Operand, Ordering, Refusal, RmwOp, RuntimeFunction, Type, Value,
};

/// The target's instructions between registers and the frame, of 1, 2, 4 or 8 bytes.
#[derive(Clone, Copy, Debug)]
pub struct FrameMoves {
    pub store: fn(RegClass, u8, Reg, Mem) -> MInst,
    pub load: fn(RegClass, u8, Reg, Mem) -> MInst,
}

/// Alignment of a copy of a value in the frame.
const AREA_ALIGN: u32 = 16;

/// An operand of a small number.
fn number(value: u32) -> Operand {
    Operand::imm(i64::from(value)).unwrap_or(Operand::ZERO)
}

fn order_of(ordering: Ordering) -> (Operand, Type) {
    (number(ordering.in_c()), Type::I32)
}

fn order(data: &InstData) -> (Operand, Type) {
    order_of(MemFlags(data.flags).ordering())
}

/// The ordering of a failed exchange.
fn failure_order(data: &InstData) -> (Operand, Type) {
    order_of(MemFlags(data.flags).ordering().of_failure())
}

fn refuse<T>(op: Option<RmwOp>) -> Result<T, CodegenError> {
    let name = op.map_or_else(|| "an unknown operation".to_owned(), |op| format!("{op:?}"));
    Err(CodegenError::unsupported(
        Refusal::Atomic,
        format!(
            "atomic operation {name} that no library function does, and that is no loop around a compare-and-exchange"
        ),
    ))
}

/// Lowers an access of 16 bytes that is aligned.
///
/// # Errors
/// An operation that the library has no function for.
pub fn of_16_bytes<C: LowerCtx>(cx: &mut C, moves: FrameMoves, data: &InstData) -> Result<(), CodegenError> {
    use RuntimeFunction as F;
    let pointer = (data.a, Type::PTR);
    let into = data.first_result();
    match data.op {
        Opcode::AtomicLoad => cx.call_runtime(F::AtomicLoad16, &[pointer, order(data)], into),
        Opcode::AtomicStore => {
            let args = [(data.b, Type::PTR), (data.a, data.ty), order(data)];
            cx.call_runtime(F::AtomicStore16, &args, None)
        }
        Opcode::AtomicRmw => {
            let op = MemFlags(data.flags).rmw();
            let function = match op {
                Some(RmwOp::Xchg) => F::AtomicExchange16,
                Some(RmwOp::Add) => F::AtomicFetchAdd16,
                Some(RmwOp::Sub) => F::AtomicFetchSub16,
                Some(RmwOp::And) => F::AtomicFetchAnd16,
                Some(RmwOp::Or) => F::AtomicFetchOr16,
                Some(RmwOp::Xor) => F::AtomicFetchXor16,
                Some(RmwOp::Nand) => F::AtomicFetchNand16,
                _ => return refuse(op),
            };
            cx.call_runtime(function, &[pointer, (data.b, data.ty), order(data)], into)
        }
        _ => {
            let (expected, new) = cx.func().ternary(data);
            let found = copy_in_frame(cx, moves, expected, data.ty, 16);
            let args = [
                pointer,
                (Operand::NONE, Type::PTR),
                (new, data.ty),
                order(data),
                failure_order(data),
            ];
            let exchanged = Some(Value::new(data.result as usize + 1));
            cx.call_runtime_with(F::AtomicCompareExchange16, &args, &[(1, found)], exchanged)?;
            define_from(cx, moves, Value::new(data.result as usize), data.ty, found, 16);
            Ok(())
        }
    }
}

/// Lowers an access of any size: values are passed in memory.
///
/// # Errors
/// As for [`of_16_bytes`].
pub fn of_any_size<C: LowerCtx>(
    cx: &mut C,
    moves: FrameMoves,
    data: &InstData,
    bytes: u32,
) -> Result<(), CodegenError> {
    use RuntimeFunction as F;
    const AREA: (Operand, Type) = (Operand::NONE, Type::PTR);
    let size = (number(bytes), Type::I64);
    let pointer = (data.a, Type::PTR);
    match data.op {
        Opcode::AtomicLoad => {
            let found = cx.frame_area(bytes, AREA_ALIGN);
            cx.call_runtime_with(F::AtomicLoad, &[size, pointer, AREA, order(data)], &[(2, found)], None)?;
            define_from(cx, moves, Value::new(data.result as usize), data.ty, found, bytes);
        }
        Opcode::AtomicStore => {
            let value = copy_in_frame(cx, moves, data.a, data.ty, bytes);
            let args = [size, (data.b, Type::PTR), AREA, order(data)];
            cx.call_runtime_with(F::AtomicStore, &args, &[(2, value)], None)?;
        }
        Opcode::AtomicRmw => {
            let op = MemFlags(data.flags).rmw();
            if op != Some(RmwOp::Xchg) {
                return refuse(op);
            }
            let value = copy_in_frame(cx, moves, data.b, data.ty, bytes);
            let found = cx.frame_area(bytes, AREA_ALIGN);
            let args = [size, pointer, AREA, AREA, order(data)];
            cx.call_runtime_with(F::AtomicExchange, &args, &[(2, value), (3, found)], None)?;
            define_from(cx, moves, Value::new(data.result as usize), data.ty, found, bytes);
        }
        _ => {
            let (expected, new) = cx.func().ternary(data);
            let found = copy_in_frame(cx, moves, expected, data.ty, bytes);
            let new = copy_in_frame(cx, moves, new, data.ty, bytes);
            let args = [size, pointer, AREA, AREA, order(data), failure_order(data)];
            let exchanged = Some(Value::new(data.result as usize + 1));
            cx.call_runtime_with(F::AtomicCompareExchange, &args, &[(2, found), (3, new)], exchanged)?;
            define_from(cx, moves, Value::new(data.result as usize), data.ty, found, bytes);
        }
    }
    Ok(())
}

/// Stores an operand to a new area of the frame.
fn copy_in_frame<C: LowerCtx>(cx: &mut C, moves: FrameMoves, operand: Operand, ty: Type, bytes: u32) -> FrameArea {
    let area = cx.frame_area(bytes, AREA_ALIGN);
    let mem = cx.area_mem(area);
    let low = cx.use_reg(operand, 0);
    cx.emit((moves.store)(class_of(ty), bytes.min(8) as u8, low, mem));
    if bytes > 8 {
        let high = cx.use_reg(operand, 1);
        cx.emit((moves.store)(RegClass::Int, 8, high, upper(mem)));
    }
    cx.step();
    area
}

/// A value is what an area of the frame holds.
fn define_from<C: LowerCtx>(cx: &mut C, moves: FrameMoves, value: Value, ty: Type, area: FrameArea, bytes: u32) {
    let mem = cx.area_mem(area);
    let low = cx.def(value, 0);
    cx.emit((moves.load)(class_of(ty), bytes.min(8) as u8, low, mem));
    if bytes > 8 {
        let high = cx.def(value, 1);
        cx.emit((moves.load)(RegClass::Int, 8, high, upper(mem)));
    }
}

fn class_of(ty: Type) -> RegClass {
    if matches!(ty, Type::F16 | Type::BF16 | Type::F32 | Type::F64) {
        RegClass::Float
    } else {
        RegClass::Int
    }
}

/// The upper half of 16 bytes in an area, whose displacement is small.
fn upper(mem: Mem) -> Mem {
    mem.offset(8).unwrap_or(mem)
}
