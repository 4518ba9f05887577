//! Location descriptions (DWARF 5, section 2.6) of what code generation says of a place, and of LLVM's expressions.
//!
//! An expression of LLVM is applied to a value of the program. For a declaration, the value is an address, and so is
//! what the expression makes of it. For a value, the result is the variable's value (`DW_OP_stack_value` at the end) or
//! what is at its address (`DW_OP_deref` at the end). What is not certain to mean the same has no description.

use super::DebugWriter;
use super::output::Expression;
use frazil_codegen::debug::{CallParameter, Place, Shape, Spot};
use frazil_ir::debug::DebugKind;
use gimli::constants as dw;
use gimli::{DwOp, Register};

/// Which bits of a variable are meant: the first, and how many. The last operation of an expression.
pub(super) const FRAGMENT: u64 = 0x1000;
/// A conversion: how many bits, and how they are encoded.
const CONVERT: u64 = 0x1001;
/// Loads from an address.
const DEREF: u64 = dw::DW_OP_deref.0 as u64;
/// One of several values: which.
const ARGUMENT: u64 = 0x1005;

/// An expression without which part of the variable is meant, and that part.
pub(super) fn split_fragment(words: &[u64]) -> (&[u64], Option<(u64, u64)>) {
    match words {
        [rest @ .., FRAGMENT, start, size] => (rest, Some((*start, *size))),
        _ => (words, None),
    }
}

/// Appends the description of a variable at a place, of whose expression these are the words.
pub(super) fn describe(out: &mut Expression, place: &Place, words: &[u64]) -> Option<()> {
    let Place { spot, shape, .. } = *place;
    let words = match words {
        [ARGUMENT, 0, rest @ ..] => rest,
        _ => words,
    };
    let (kind, words) = match (place.value.kind, words) {
        // The slot held the address of the variable, or something from which that is computed.
        (DebugKind::Content, [DEREF, rest @ ..]) => (DebugKind::Address, rest),
        (DebugKind::Content, []) => (DebugKind::Value, words),
        // The variable was elsewhere in the slot.
        (DebugKind::Content, _) => return None,
        (kind, words) => (kind, words),
    };
    let is_whole = shape.added == 0 && shape.bits % 8 == 0;
    match (kind, spot, words) {
        (DebugKind::Declare | DebugKind::Address, Spot::InsteadOfMemory(register), []) => {
            out.op_reg(Register(register));
        }
        (DebugKind::Label | DebugKind::Content, ..) | (_, Spot::InsteadOfMemory(_), _) => return None,
        (DebugKind::Value, Spot::Bytes(bytes, count), []) => {
            let bytes = bytes.to_le_bytes();
            out.op_implicit_value(bytes.get(..count.into())?);
        }
        (_, Spot::Bytes(..), _) => return None,
        (DebugKind::Declare | DebugKind::Address, ..) => {
            push(out, spot, shape, false);
            operations(out, words)?;
        }
        (DebugKind::Value, Spot::Register(register), []) if is_whole => out.op_reg(Register(register)),
        (DebugKind::Value, Spot::Frame(offset), []) if is_whole => out.op_fbreg(offset.into()),
        (DebugKind::Value, _, []) => {
            push(out, spot, shape, false);
            out.op(dw::DW_OP_stack_value);
        }
        (DebugKind::Value, _, [first @ .., last]) => {
            if shape.bits % 64 != 0 && needs_sign(words)? {
                return None;
            }
            push(out, spot, shape, true);
            match DwOp(u8_of(*last)?) {
                dw::DW_OP_stack_value => {
                    operations(out, first)?;
                    out.op(dw::DW_OP_stack_value);
                }
                dw::DW_OP_deref if ends_with_operation(words)? => operations(out, first)?,
                _ => return None,
            }
        }
    }
    Some(())
}

/// Appends the description of a variable that an expression computes from several values, by the place of each.
pub(super) fn describe_arguments(out: &mut Expression, places: &[Place], words: &[u64]) -> Option<()> {
    let is_narrow = places.iter().any(|place| place.shape.bits % 64 != 0);
    let is_value = places.iter().all(|place| place.value.kind == DebugKind::Value);
    let (&last, first) = words.split_last()?;
    if !is_value || !ends_with_operation(words)? || is_narrow && needs_sign(words)? {
        return None;
    }
    match DwOp(u8_of(last)?) {
        dw::DW_OP_stack_value => {
            computation(out, first, places)?;
            out.op(dw::DW_OP_stack_value);
        }
        dw::DW_OP_deref => computation(out, first, places)?,
        _ => return None,
    }
    Some(())
}

/// Appends the computation of what a call passes.
pub(super) fn passed(out: &mut Expression, parameter: &CallParameter) {
    push(out, parameter.spot, parameter.shape, false);
    if parameter.bits < 64 {
        mask(out, parameter.bits.into());
    }
}

/// Whether the last word of an expression is an operation and no operand of one.
fn ends_with_operation(words: &[u64]) -> Option<bool> {
    let mut words = words;
    while let Some((&first, rest)) = words.split_first() {
        if rest.is_empty() {
            return Some(true);
        }
        words = rest.get(operand_count(first)?..)?;
    }
    Some(false)
}

/// Whether the sign of a value narrower than the stack matters to an expression. If it has several values, the first
/// conversion may be another's.
fn needs_sign(words: &[u64]) -> Option<bool> {
    const SIGNED: [DwOp; 3] = [dw::DW_OP_div, dw::DW_OP_mod, dw::DW_OP_shra];
    let has_one = !words.contains(&ARGUMENT);
    let mut words = words;
    while let Some((&first, rest)) = words.split_first() {
        if first == CONVERT && has_one {
            return Some(false);
        }
        if SIGNED.iter().any(|operation| u64::from(operation.0) == first) {
            return Some(true);
        }
        words = rest.get(operand_count(first)?..)?;
    }
    Some(false)
}

fn u8_of(word: u64) -> Option<u8> {
    u8::try_from(word).ok()
}

/// How many operands an operation that is understood has.
fn operand_count(operation: u64) -> Option<usize> {
    match operation {
        CONVERT => return Some(2),
        ARGUMENT => return Some(1),
        _ => {}
    }
    Some(match DwOp(u8_of(operation)?) {
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

/// Puts a value on the stack; whether what is above its bits matters is known to the caller.
fn push(out: &mut Expression, spot: Spot, shape: Shape, is_computed_with: bool) {
    let Shape { added, bits } = shape;
    let is_masked = bits % 64 != 0 && bits < 64 && (is_computed_with || bits % 8 != 0);
    match spot {
        Spot::Entry(register) => {
            let mut entry = Expression::new();
            entry.op_reg(Register(register));
            out.op_entry_value(&entry);
        }
        Spot::Register(register) | Spot::InsteadOfMemory(register) => {
            out.op_breg(Register(register), if is_masked { 0 } else { added });
        }
        Spot::Frame(offset) => {
            out.op_fbreg(offset.into());
            match bits.div_ceil(8).next_power_of_two() {
                bytes @ 1..=4 if bits > 0 => out.op_deref_size(bytes as u8),
                _ => out.op_deref(),
            }
        }
        Spot::FrameAddress(offset) => out.op_fbreg(i64::from(offset) + added),
        Spot::Constant(number) => constant(out, number.wrapping_add(added)),
        Spot::Symbol(symbol) => out.op_addr(DebugWriter::address(symbol, added)),
        // Debuggers do not compute with them.
        Spot::Bytes(..) => {}
    }
    if is_masked {
        mask(out, bits.into());
    }
    let is_there = matches!(spot, Spot::Register(_) if !is_masked)
        || matches!(spot, Spot::FrameAddress(_) | Spot::Constant(_) | Spot::Symbol(_));
    if added != 0 && !is_there {
        out.op_consts(added);
        out.op(dw::DW_OP_plus);
    }
}

/// Puts a number on the stack.
fn constant(out: &mut Expression, number: i64) {
    match u64::try_from(number) {
        Ok(number) => out.op_constu(number),
        Err(_) => out.op_consts(number),
    }
}

/// Clears what is above so many bits.
fn mask(out: &mut Expression, bits: u64) {
    out.op_constu((1 << bits) - 1);
    out.op(dw::DW_OP_and);
}

/// Makes so many bits, signed or not, as many as the stack has.
fn convert(out: &mut Expression, bits: u64, encoding: u64) -> Option<()> {
    let above = 64_u64.checked_sub(bits).filter(|&above| above < 64)?;
    if above == 0 {
        return Some(());
    }
    match encoding == u64::from(dw::DW_ATE_signed.0) {
        true => {
            for operation in [dw::DW_OP_shl, dw::DW_OP_shra] {
                out.op_constu(above);
                out.op(operation);
            }
        }
        false => mask(out, bits),
    }
    Some(())
}

/// Appends operations; `None` if one of them is not understood or its place is not here.
pub(super) fn operations(out: &mut Expression, words: &[u64]) -> Option<()> {
    computation(out, words, &[])
}

/// Appends operations on what is on the stack, and on values at these places.
fn computation(out: &mut Expression, words: &[u64], places: &[Place]) -> Option<()> {
    let mut words = words;
    while let Some((&first, rest)) = words.split_first() {
        let count = operand_count(first)?;
        let operands = rest.get(..count)?;
        words = rest.get(count..)?;
        if let (CONVERT, &[bits, encoding]) = (first, operands) {
            convert(out, bits, encoding)?;
            continue;
        }
        if let (ARGUMENT, &[index]) = (first, operands) {
            let place = places.get(usize::try_from(index).ok()?)?;
            let is_computed_with = !matches!(place.spot, Spot::Bytes(..) | Spot::InsteadOfMemory(_));
            is_computed_with.then(|| push(out, place.spot, place.shape, true))?;
            continue;
        }
        let operation = DwOp(u8_of(first)?);
        match (operation, operands) {
            (dw::DW_OP_stack_value, _) => return None,
            (dw::DW_OP_plus_uconst, &[number]) => out.op_plus_uconst(number),
            (dw::DW_OP_constu, &[number]) => out.op_constu(number),
            (dw::DW_OP_consts, &[number]) => out.op_consts(number.cast_signed()),
            (dw::DW_OP_deref, _) => out.op_deref(),
            _ => out.op(operation),
        }
    }
    Some(())
}
