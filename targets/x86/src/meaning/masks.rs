//! Rows that move mask registers and combine them (Intel manual, volume 2, `KMOV`, `KAND` and the like): what they
//! write has zeros above their width.

use crate::evex::Evex;
use crate::masks;
use crate::regs::MASK_BYTES;
use frazil_codegen::MInst;
use frazil_codegen::check::translation::{Bitwise, Machine};

/// Executes one of these rows; `false` if it is none of them.
pub(super) fn execute(inst: &MInst, machine: &mut Machine<'_>) -> bool {
    let [first, second, third] = inst.regs();
    let Some(row) = masks::row_of(inst) else {
        return false;
    };
    let bytes = match row {
        Evex::KmovbKR | Evex::KmovbKK => 1,
        Evex::KmovwKR | Evex::KmovwRK | Evex::KmovwKK => 2,
        Evex::KmovdKR | Evex::KmovdRK | Evex::KmovdKK => 4,
        Evex::Kandd | Evex::Kord | Evex::Kxord | Evex::Knotd => 4,
        _ => MASK_BYTES,
    };
    match row {
        Evex::KmovqKK => machine.copy(first, second, MASK_BYTES),
        Evex::KmovqL => {
            let contents = machine.load(inst.mem(), MASK_BYTES);
            machine.put(first, &contents);
        }
        Evex::KmovqM => {
            let contents = machine.contents(first, MASK_BYTES);
            machine.store(inst.mem(), &contents);
        }
        _ => {
            let a = machine.read(second, bytes);
            let value = match row {
                Evex::Knotd | Evex::Knotq => {
                    let ones = machine.terms.constant(u16::from(bytes) * 8, u64::MAX);
                    machine.terms.bitwise(Bitwise::Xor, a, ones)
                }
                Evex::Kandd | Evex::Kandq | Evex::Kord | Evex::Korq | Evex::Kxord | Evex::Kxorq => {
                    let operation = match row {
                        Evex::Kandd | Evex::Kandq => Bitwise::And,
                        Evex::Kord | Evex::Korq => Bitwise::Or,
                        _ => Bitwise::Xor,
                    };
                    let b = machine.read(third, bytes);
                    machine.terms.bitwise(operation, a, b)
                }
                _ => a,
            };
            let value = machine.terms.zero_extend(value, u16::from(MASK_BYTES) * 8);
            machine.write(first, MASK_BYTES, value);
        }
    }
    true
}
