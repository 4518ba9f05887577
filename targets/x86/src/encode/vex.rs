//! Instructions with a VEX or an EVEX prefix (Intel manual, volume 2, sections 2.3 and 2.7): of three registers, or of
//! two operands like those without.
//!
//! Of EVEX, what rows need is here: masks in one register, rounding, and broadcasts. An instruction of a row with a
//! VEX prefix gets an EVEX prefix if it names a register that only that can name ([`crate::upper`]).

use super::{Out, baseless_after, immediate, memory_after, number, reg_field};
use crate::ops::{Code, Form, aux};
use crate::regs::{MASK, SCRATCH_FLOAT};
use crate::template::Template;
use crate::upper;
use crate::upper::high_bit;
use frazil_codegen::MInst;

/// Encodes an instruction of a row with [`Code::VEX`] or, besides, [`Code::EVEX`].
#[cold]
#[inline(never)]
pub(super) fn with_vex(out: &mut Out<'_>, template: &Template, code: &Code, inst: &MInst) {
    let immediate = immediate(template, inst);
    let (own_slot, rm_slot) = match code.form {
        Form::Three | Form::ThreeI => {
            let [own, rm] = code.sources(inst);
            (Some(own), rm as u8)
        }
        Form::ThreeLast => (Some(2), 1),
        Form::ThreeM => (Some(3), template.rm_slot),
        _ if code.has(Code::OWN_IS_FIRST | Code::OWN_IS_WRITTEN) => (Some(0), template.rm_slot),
        _ => (None, template.rm_slot),
    };
    let own = match code.has(Code::OWN_IS_SCRATCH) {
        true => number(SCRATCH_FLOAT),
        false => own_slot.map_or(0, |slot| number(inst.reg(slot))),
    };
    let promotion = upper::promotion(inst, code);
    let is_extended = code.has(Code::EVEX) || promotion.is_some();
    let begin = |out: &mut Out<'_>, rex: u8| match is_extended {
        true => {
            let rex = rex | promotion.map_or(0, |promotion| promotion.rex(code, inst.size));
            evex_prefix(out, template, code, inst, (own, own_slot, rm_slot), rex);
        }
        false => vex_prefix(out, template, code, own, rex),
    };
    if code.form == Form::None {
        return begin(out, 0);
    }
    if !code.form.has_mem() {
        let reg = match code.has(Code::OWN_IS_WRITTEN) {
            true => code.digit,
            false => reg_field(template, inst),
        };
        let rm = number(inst.reg(usize::from(rm_slot)));
        if code.has(Code::SWAPS) && rm > 7 && reg < 8 && !is_extended {
            let swapped = template.with_opcode(template.opcode + 1);
            vex_prefix(out, &swapped, code, own, (rm >> 3) << 2);
            return out.modrm_reg(rm, reg);
        }
        begin(out, (reg >> 3) << 2 | rm >> 3);
        out.modrm_reg(reg, rm);
        if code.form == Form::Choice {
            out.byte(number(inst.reg(2)) << 4);
        }
    } else if inst.reg(1).is_physical() {
        let unit = match promotion {
            _ if let Some(bytes) = code.broadcast_bytes(inst) => bytes,
            Some(promotion) => promotion.unit_bytes(code, inst.size),
            None if is_extended => code.unit.bytes(inst.size),
            None => 1,
        };
        let unit = i32::from(unit);
        memory_after(out, template, inst, unit, |out, rex, _| {
            begin(out, rex);
            (0, 0)
        });
    } else {
        baseless_after(out, template, inst, immediate, |out, rex, _| begin(out, rex));
    }
    out.immediate(immediate);
}

/// The bits that stand for a mandatory prefix.
fn prefix_bits(template: &Template) -> u8 {
    match template.prefixes {
        0 => 0,
        0x66 => 1,
        0xf3 => 2,
        _ => 3,
    }
}

/// The VEX prefix of two bytes, if that says everything, or of three, and the opcode. `own` is the register that it
/// names itself; `rex` has the bits R, X and B.
fn vex_prefix(out: &mut Out<'_>, template: &Template, code: &Code, own: u8, rex: u8) {
    let rex = rex | template.rex;
    let last = (!own & 15) << 3 | u8::from(code.has(Code::LONG)) << 2 | prefix_bits(template);
    let r = (!rex & 4) << 5;
    if code.map == 1 && rex & 0b1011 == 0 {
        out.byte(0xc5);
        out.byte(r | last);
    } else {
        out.byte(0xc4);
        out.byte(r | (!rex & 3) << 5 | code.map);
        out.byte((rex & 8) << 4 | last);
    }
    out.byte(template.opcode);
}

/// The EVEX prefix and the opcode: the register that it names itself, that one's slot, and the slot of the register in
/// the `rm` field; `rex` as for [`vex_prefix`].
fn evex_prefix(
    out: &mut Out<'_>,
    template: &Template,
    code: &Code,
    inst: &MInst,
    (own, own_slot, rm_slot): (u8, Option<usize>, u8),
    rex: u8,
) {
    let has_mem = code.form.has_mem();
    let has_register = template.reg_mask != 0 && !code.has(Code::OWN_IS_WRITTEN);
    let high = |slot: usize, is_named: bool| if is_named { high_bit(inst.reg(slot)) } else { 0 };
    let high_reg = high(usize::from(template.reg_slot), has_register);
    let high_rm = high(usize::from(rm_slot), !has_mem);
    // The bit stands for the index of an address with an index for each lane.
    let high_own = match own_slot {
        Some(slot) => high(slot, true),
        None => high(2, code.form.has_vector_index()),
    };
    let rex = rex | template.rex | high_rm << 1;
    out.byte(0x62);
    out.byte((!rex & 7) << 5 | (high_reg ^ 1) << 4 | code.map);
    out.byte((rex & 8) << 4 | (!own & 15) << 3 | 4 | prefix_bits(template));
    out.byte((high_own ^ 1) << 3 | last_byte(code, inst));
    out.byte(template.opcode);
}

/// The bits of the last byte of the prefix but for that of a register: zeroing, length or rounding, whether it is
/// rounding, and the mask.
fn last_byte(code: &Code, inst: &MInst) -> u8 {
    const ZEROING: u8 = 0x80;
    const ROUNDING: u8 = 0x10;
    const LONG: u8 = 0x20;
    if !code.has(Code::EVEX) {
        return if code.has(Code::LONG) { LONG } else { 0 };
    }
    let length_or_rounding = match inst.aux & aux::SILENT {
        0 => inst.size & 0x60,
        // The same bit.
        _ if code.broadcast_bytes(inst).is_some() => inst.size & 0x60 | ROUNDING,
        _ => (inst.aux >> aux::ROUNDING_BIT & 3) << 5 | ROUNDING,
    };
    let mask = if code.has(Code::MASKED) { number(MASK) & 7 } else { 0 };
    let zeroing = if inst.aux & aux::ZEROING != 0 { ZEROING } else { 0 };
    zeroing | length_or_rounding | mask
}
