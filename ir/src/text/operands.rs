//! Writes operands and constants.

use super::names::{ASM_FLAGS, write_quoted, write_type};
use super::pieces::{write_addend, write_symbol};
use crate::constant::{AsmData, ConstView};
use crate::entities::ConstId;
use crate::function::Function;
use crate::module::Module;
use crate::operand::{Operand, OperandKind};
use crate::types::{Type, TypeData};
use std::fmt::{self, Write};

/// Writes an operand; `ty` is the type of its place, if it is known.
pub(super) fn operand_text(
    module: &Module,
    function: &Function,
    out: &mut dyn Write,
    operand: Operand,
    ty: Option<Type>,
) -> fmt::Result {
    if operand.is_none() {
        return out.write_str("none");
    }
    match operand.kind() {
        OperandKind::Value(value) => write!(out, "v{}", value.as_u32()),
        OperandKind::Imm(0) if ty == Some(Type::PTR) => out.write_str("null"),
        OperandKind::Imm(0) if ty == Some(Type::I1) => out.write_str("false"),
        OperandKind::Imm(-1) if ty == Some(Type::I1) => out.write_str("true"),
        OperandKind::Imm(value) => write!(out, "{value}"),
        OperandKind::Const(id) => constant_text(module, function, out, id),
        OperandKind::Symbol(symbol) => write_symbol(out, module, symbol),
    }
}

/// Writes a constant with its type.
fn constant_text(module: &Module, function: &Function, out: &mut dyn Write, id: ConstId) -> fmt::Result {
    let (ty, view) = function.constant(id);
    if let ConstView::Asm(asm) = view {
        return asm_text(out, asm);
    }
    write_type(out, &function.types, ty)?;
    out.write_char(' ')?;
    match view {
        ConstView::Int(words) => write_int(out, words, function.types.int_bits(ty).unwrap_or(64)),
        ConstView::Float(words) => write_float(out, ty, words),
        ConstView::Symbol(symbol, addend) => {
            write_symbol(out, module, symbol)?;
            write_addend(out, addend)
        }
        ConstView::BlockAddress(symbol, block) => {
            out.write_str("blockaddress(")?;
            write_symbol(out, module, symbol)?;
            write!(out, ", b{})", block.as_u32())
        }
        ConstView::Undef => out.write_str("undef"),
        ConstView::Poison => out.write_str("poison"),
        ConstView::Zero => out.write_str("zero"),
        ConstView::Vector(lanes) => {
            let element = match function.types.data(ty) {
                TypeData::Vector { element, .. } => Some(element),
                _ => None,
            };
            out.write_char('[')?;
            for (index, &lane) in lanes.iter().enumerate() {
                if index > 0 {
                    out.write_str(", ")?;
                }
                operand_text(module, function, out, lane, element)?;
            }
            out.write_char(']')
        }
        ConstView::Asm(asm) => asm_text(out, asm),
    }
}

fn asm_text(out: &mut dyn Write, asm: &AsmData) -> fmt::Result {
    out.write_str("asm ")?;
    for (bit, word) in ASM_FLAGS {
        if asm.flags & bit != 0 {
            write!(out, "{word} ")?;
        }
    }
    write_quoted(out, &asm.template)?;
    out.write_char(' ')?;
    write_quoted(out, &asm.constraints)
}

/// Writes the bits of a floating-point number: in decimal where that is exact and readable.
fn write_float(out: &mut dyn Write, ty: Type, words: &[u64]) -> fmt::Result {
    let low = words.first().copied().unwrap_or(0);
    let single = f32::from_bits(low as u32);
    let double = f64::from_bits(low);
    match ty {
        Type::F32 if !single.is_nan() => write!(out, "{single:?}"),
        Type::F64 if !double.is_nan() => write!(out, "{double:?}"),
        _ => {
            let bits = u128::from(low) | u128::from(words.get(1).copied().unwrap_or(0)) << 64;
            let digits = match ty {
                Type::F16 | Type::BF16 => 4,
                Type::F32 => 8,
                Type::X86_F80 => 20,
                Type::F128 => 32,
                _ => 16,
            };
            write!(out, "0x{bits:0digits$x}")
        }
    }
}

/// Writes an integer constant: in decimal up to 128 bits, else as unsigned hexadecimal words.
fn write_int(out: &mut dyn Write, words: &[u64], bits: u32) -> fmt::Result {
    match *words {
        [] => out.write_char('0'),
        [low] => write!(out, "{}", low.cast_signed()),
        [low, high] => write!(out, "{}", (u128::from(low) | u128::from(high) << 64).cast_signed()),
        _ => {
            // Words are sign-extended; the literal has the type's bits only.
            let spare = (words.len() as u32 * 64).saturating_sub(bits).min(63);
            out.write_str("0x")?;
            let mut mask = u64::MAX >> spare;
            words.iter().rev().try_for_each(|word| {
                let kept = word & std::mem::replace(&mut mask, u64::MAX);
                write!(out, "{kept:016x}")
            })
        }
    }
}
