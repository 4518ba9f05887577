//! Mask registers outside of the instructions that take them: how masks are copied, spilled and combined there, and how
//! many bits of a mask an instruction makes.
//!
//! Masks are bits in general registers where rules make and take them ([`crate::lower::vector::mask_register`]). What
//! moves or combines such bits there has a form for mask registers with the same effect on all 64 bits: operations of
//! 32 bits clear what is above in both. The pass `mask-registers` finds out what is worth it.

use crate::build::{evex, evex_mem};
use crate::evex::Evex;
use crate::ops::{Kind, Row};
use crate::regs::{MASK, VECTOR_BYTES};
use crate::rows;
use crate::rows::ROWS;
use crate::table::Op;
use frazil_codegen::{MInst, Mem, Reg, Role};

/// An instruction of a line that has no vectors.
fn plain(row: Evex, regs: [Reg; 3]) -> MInst {
    evex(row, VECTOR_BYTES, false, regs, 0)
}

/// A copy of a mask.
#[cold]
pub fn mov(dst: Reg, src: Reg) -> MInst {
    plain(Evex::KmovqKK, [dst, src, Reg::NONE])
}

/// A store of a mask to its slot.
#[cold]
pub fn spill(src: Reg, mem: Mem) -> MInst {
    evex_mem(Evex::KmovqM, VECTOR_BYTES, false, src, mem)
}

/// A load of a mask from its slot.
#[cold]
pub fn reload(dst: Reg, mem: Mem) -> MInst {
    evex_mem(Evex::KmovqL, VECTOR_BYTES, false, dst, mem)
}

/// The line of an instruction that names no vector.
pub fn row_of(inst: &MInst) -> Option<Evex> {
    const LINES: [Evex; 21] = [
        Evex::KmovbKR,
        Evex::KmovbKK,
        Evex::KmovwKR,
        Evex::KmovdKR,
        Evex::KmovqKR,
        Evex::KmovwRK,
        Evex::KmovdRK,
        Evex::KmovqRK,
        Evex::KmovwKK,
        Evex::KmovdKK,
        Evex::KmovqKK,
        Evex::KmovqL,
        Evex::KmovqM,
        Evex::Knotd,
        Evex::Knotq,
        Evex::Kandd,
        Evex::Kandq,
        Evex::Kord,
        Evex::Korq,
        Evex::Kxord,
        Evex::Kxorq,
    ];
    let number = inst.op.checked_sub(rows::FIRST_EVEX)?;
    LINES.into_iter().find(|row| row.first_row() == number)
}

/// See [`frazil_codegen::pass::MachRules::transfer_mask`].
pub fn transfer(dst: Reg, src: Reg, to_mask: bool) -> MInst {
    let row = if to_mask { Evex::KmovqKR } else { Evex::KmovqRK };
    plain(row, [dst, src, Reg::NONE])
}

/// See [`frazil_codegen::pass::MachRules::on_masks`].
pub fn on_masks(inst: &MInst) -> Option<MInst> {
    let [first, second, _] = inst.regs();
    if let Some(row) = row_of(inst) {
        let copy = match row {
            Evex::KmovbKR => Evex::KmovbKK,
            Evex::KmovwKR | Evex::KmovwRK => Evex::KmovwKK,
            Evex::KmovdKR | Evex::KmovdRK => Evex::KmovdKK,
            Evex::KmovqKR | Evex::KmovqRK => Evex::KmovqKK,
            _ => return None,
        };
        return Some(plain(copy, [first, second, Reg::NONE]));
    }
    let (short, long) = match rows::named(inst.op)? {
        Op::AndRR => (Evex::Kandd, Evex::Kandq),
        Op::OrRR => (Evex::Kord, Evex::Korq),
        Op::XorRR => (Evex::Kxord, Evex::Kxorq),
        Op::NotR => (Evex::Knotd, Evex::Knotq),
        // What is above a copy of 32 bits belongs to nobody.
        Op::MovRR => (Evex::KmovqKK, Evex::KmovqKK),
        _ => return None,
    };
    let row = match inst.size {
        4 => short,
        8 => long,
        _ => return None,
    };
    let regs = match row {
        Evex::Knotd | Evex::Knotq => [first, first, Reg::NONE],
        Evex::KmovqKK => [first, second, Reg::NONE],
        _ => [first, first, second],
    };
    Some(plain(row, regs))
}

/// See [`frazil_codegen::pass::MachRules::with_mask_in`].
pub fn with_mask_in(inst: &MInst, copy: &MInst) -> Option<MInst> {
    let kept = match row_of(copy)? {
        Evex::KmovbKK => 8,
        Evex::KmovwKK => 16,
        Evex::KmovdKK => 32,
        Evex::KmovqKK => 64,
        _ => return None,
    };
    let made = made_bits(inst)?;
    let is_same = inst.reg(0) == MASK && copy.reg(1) == MASK && made <= kept;
    is_same.then(|| {
        let mut inst = *inst;
        inst.set_reg(0, copy.reg(0));
        inst
    })
}

/// How many bits of a mask an instruction with vectors makes, one for each lane; those above are zero.
pub fn made_bits(inst: &MInst) -> Option<u16> {
    let row = rows::is_evex(inst.op).then(|| &ROWS[usize::from(inst.op)])?;
    let result = row.operands[0]?;
    let is_made = result.kind == Kind::Mask && result.role == Role::Def;
    let source = row.operands[1].filter(|source| is_made && source.kind.is_vector())?;
    Some(u16::from(source.kind.bytes(inst.size)) / lane_bytes(row)?)
}

/// The bytes of the lanes that a row compares or tests; those of all the register if it is the lowest lane alone.
fn lane_bytes(row: &Row) -> Option<u16> {
    let mnemonic = row.mnemonic.as_str();
    let of_floats = mnemonic
        .strip_prefix("vcmp")
        .or_else(|| mnemonic.strip_prefix("vfpclass"));
    let of_integers = mnemonic
        .strip_prefix("vpcmpu")
        .or_else(|| mnemonic.strip_prefix("vpcmp"));
    Some(match (of_floats, of_integers) {
        (Some("ps"), _) | (_, Some("d")) => 4,
        (Some("pd"), _) | (_, Some("q")) => 8,
        (Some("ph"), _) | (_, Some("w")) => 2,
        (_, Some("b")) => 1,
        (Some("ss" | "sd" | "sh"), _) => u16::from(VECTOR_BYTES),
        _ if mnemonic == "vpshufbitqmb" => 1,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masks of rows without a number of bits would be taken for longer than they are.
    #[test]
    fn what_makes_a_mask_makes_a_bit_for_each_lane() {
        let mut count = 0;
        for (number, row) in ROWS.iter().enumerate() {
            let is_mask = |index: usize| row.operands[index].is_some_and(|operand| operand.kind == Kind::Mask);
            if !is_mask(0) || !row.operands[1].is_some_and(|operand| operand.kind.is_vector()) {
                continue;
            }
            for size in [16, 32, 64].into_iter().filter(|size| row.sizes & size != 0) {
                let bits = made_bits(&MInst::new(number as u16, size)).unwrap_or_else(|| panic!("{}", row.name));
                assert!(bits.is_power_of_two() && bits <= 64, "{}: {bits}", row.name);
                count += 1;
            }
        }
        assert!(count > 30, "{count}");
    }
}
