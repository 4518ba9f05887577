//! What lies above an integer of fewer bits than its register: nothing is promised of that (contract 1), but many
//! instructions leave zeros there, so that an extension with zeros need not be done.
//!
//! An instruction on 32 bits clears what is above them, as do copies and reloads of four bytes, and one of eight takes
//! zeros along. Only values count here whose rule ends with such an instruction, whatever came before: not those that a
//! copy may be all of, since a copy into the same register is left out, nor phis, into which copies lead. Flags that
//! become values are written as bytes, and keep what was above.

use frazil_ir::{EntityRef, Function, InstData, Opcode, Operand};

/// The most bits that instructions write alone and clear what is above.
const HALF_BITS: u32 = 32;

/// Whether the rule of what computes an operand of at most 32 bits leaves zeros above its width.
pub fn clears_above(function: &Function, operand: Operand, is_folded: &impl Fn(Operand) -> bool) -> bool {
    let Some(value) = operand.as_value() else { return false };
    let Some(inst) = function.def_inst(value) else {
        return false;
    };
    let data = function.inst(inst);
    let bits = function.types().int_bits(function.value(value).ty);
    let bits = bits.filter(|&bits| bits <= HALF_BITS && data.result as usize == value.index());
    bits.is_some_and(|bits| clears(function, data, bits)) && !is_folded(operand)
}

fn clears(function: &Function, data: &InstData, bits: u32) -> bool {
    use Opcode as O;
    let is_half = bits == HALF_BITS;
    match data.op {
        // What is stored to a slot may be in a register, and is loaded as it is.
        O::Load => {
            let is_of_slot = data.a.as_value().is_some_and(|value| function.slot_of(value).is_some());
            matches!(bits, 8 | 16 | HALF_BITS) && !is_of_slot
        }
        O::Zext => true,
        O::Add | O::Sub | O::Mul | O::And | O::Or | O::Xor if is_half => true,
        O::And => data.b.as_imm().is_some_and(|mask| mask >= 0),
        // The bits that move down are made zeros before.
        O::Lshr if !is_half => true,
        // A shift by a register writes even if that holds zero, one by zero is a copy.
        O::Lshr | O::Ashr | O::Shl if is_half => data.b.as_imm() != Some(0),
        _ => false,
    }
}
