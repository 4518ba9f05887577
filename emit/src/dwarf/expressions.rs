//! Location descriptions (DWARF 5, section 2.6) of what code generation says of a place, and of LLVM's expressions.
//!
//! An expression of LLVM is applied to a value of the program. For a declaration, the value is an address, and so is
//! what the expression makes of it. For a value, the result is the variable's value (`DW_OP_stack_value` at the end) or
//! what is at its address (`DW_OP_deref` at the end). What is not certain to mean the same has no description.

use super::DebugWriter;
use frazil_codegen::debug::Spot;
use frazil_ir::debug::DebugKind;
use gimli::constants as dw;
use gimli::write::Expression;
use gimli::{DwOp, Register};

/// The description of a variable at a place.
pub(super) fn describe(kind: DebugKind, spot: Spot, words: &[u64]) -> Option<Expression> {
    let mut out = Expression::new();
    match (kind, spot, words) {
        (_, Spot::InsteadOfMemory(register), []) if kind != DebugKind::Value => out.op_reg(Register(register)),
        (_, Spot::InsteadOfMemory(_), _) => return None,
        (DebugKind::Declare | DebugKind::Address, ..) => {
            push(&mut out, spot);
            operations(&mut out, words)?;
        }
        (DebugKind::Value, Spot::Register(register), []) => out.op_reg(Register(register)),
        (DebugKind::Value, Spot::Frame(offset), []) => out.op_fbreg(offset.into()),
        (DebugKind::Value, _, []) => {
            push(&mut out, spot);
            out.op(dw::DW_OP_stack_value);
        }
        // How much of a place is the value, is not known here.
        (DebugKind::Value, Spot::Frame(_), _) => return None,
        (DebugKind::Value, _, [first @ .., last]) => {
            push(&mut out, spot);
            match DwOp(u16_of(*last)?) {
                dw::DW_OP_stack_value => {
                    operations(&mut out, first)?;
                    out.op(dw::DW_OP_stack_value);
                }
                dw::DW_OP_deref if operand_count(words)? => operations(&mut out, first)?,
                _ => return None,
            }
        }
    }
    Some(out)
}

/// Whether the last word of an expression is an operation and no operand of one.
fn operand_count(words: &[u64]) -> Option<bool> {
    let mut words = words;
    while let Some((&first, rest)) = words.split_first() {
        let operands = usize::from(operand_of(DwOp(u16_of(first)?))?);
        if rest.is_empty() {
            return Some(true);
        }
        words = rest.get(operands..)?;
    }
    Some(false)
}

fn u16_of(word: u64) -> Option<u8> {
    u8::try_from(word).ok()
}

/// How many operands an operation that is understood has.
fn operand_of(operation: DwOp) -> Option<u8> {
    Some(match operation {
        dw::DW_OP_plus_uconst | dw::DW_OP_constu | dw::DW_OP_consts => 1,
        dw::DW_OP_deref
        | dw::DW_OP_plus
        | dw::DW_OP_minus
        | dw::DW_OP_mul
        | dw::DW_OP_div
        | dw::DW_OP_mod
        | dw::DW_OP_and
        | dw::DW_OP_or
        | dw::DW_OP_xor
        | dw::DW_OP_shl
        | dw::DW_OP_shr
        | dw::DW_OP_shra
        | dw::DW_OP_neg
        | dw::DW_OP_not
        | dw::DW_OP_dup
        | dw::DW_OP_swap
        | dw::DW_OP_over
        | dw::DW_OP_lit0
        | dw::DW_OP_stack_value => 0,
        _ => return None,
    })
}

/// Puts a value on the stack.
fn push(out: &mut Expression, spot: Spot) {
    match spot {
        Spot::Register(register) | Spot::InsteadOfMemory(register) => out.op_breg(Register(register), 0),
        Spot::Frame(offset) => {
            out.op_fbreg(offset.into());
            out.op_deref();
        }
        Spot::FrameAddress(offset) => out.op_fbreg(offset.into()),
        Spot::Constant(number) => out.op_consts(number),
        Spot::Symbol(symbol) => out.op_addr(DebugWriter::address(symbol, 0)),
    }
}

/// Appends operations; `None` if one of them is not understood or its place is not here.
pub(super) fn operations(out: &mut Expression, words: &[u64]) -> Option<()> {
    let mut words = words;
    while let Some((&first, rest)) = words.split_first() {
        let operation = DwOp(u16_of(first)?);
        let count = usize::from(operand_of(operation)?);
        let operands = rest.get(..count)?;
        match (operation, operands) {
            (dw::DW_OP_stack_value, _) => return None,
            (dw::DW_OP_plus_uconst, &[number]) => out.op_plus_uconst(number),
            (dw::DW_OP_constu, &[number]) => out.op_constu(number),
            (dw::DW_OP_consts, &[number]) => out.op_consts(number.cast_signed()),
            (dw::DW_OP_deref, _) => out.op_deref(),
            _ => out.op(operation),
        }
        words = rest.get(count..)?;
    }
    Some(())
}
