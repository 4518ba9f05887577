//! The registers of AArch64: constants, names by width, and the table shared code reads.
//!
//! Bank 0 holds the general registers by their hardware numbers, then the stack pointer (31) and the zero register
//! (32), which instructions encode alike: the op table says for each operand which of the two number 31 is. Bank 1
//! holds the vector registers. The flags and the program counter are not operands of their own.

use frazil_codegen::{Reg, RegDesc};

/// A general register by its number from 0 to 30.
pub const fn x(number: u8) -> Reg {
    debug_assert!(number < 31);
    Reg::physical(0, number)
}

/// A vector register by its number from 0 to 31.
pub const fn v(number: u8) -> Reg {
    debug_assert!(number < 32);
    Reg::physical(1, number)
}

/// Where the address of memory for a struct is passed (AAPCS64, 6.9).
pub const RESULT_POINTER: Reg = x(8);
/// For moves of shared code. Linkers use it in veneers (AAPCS64, 6.1.1).
pub const SCRATCH: Reg = x(16);
/// The encoder's own: it forms addresses that do not fit an instruction. Linkers use it in veneers (AAPCS64, 6.1.1).
pub const TEMP: Reg = x(17);
/// The platform register (AAPCS64, 6.1.1).
pub const PLATFORM_REGISTER: Reg = x(18);
/// Frame pointer.
pub const FP: Reg = x(29);
/// Return address.
pub const LR: Reg = x(30);
/// Stack pointer.
pub const SP: Reg = Reg::physical(0, 31);
/// Reads as zero; what is written is lost.
pub const XZR: Reg = Reg::physical(0, 32);
/// For moves of floats and vectors of shared code.
pub const SCRATCH_FLOAT: Reg = v(31);
/// The registers of lists: of tables, and of structures of several members in memory. Instructions name the first alone
/// and take those after it, so that lists of all lengths begin with the same one.
pub const LIST: [Reg; 4] = [v(24), v(25), v(26), v(27)];
/// How wide vectors are at most, in bytes.
pub const VECTOR_BYTES: u8 = 16;

/// Names of the general registers by whether all of their bits are named.
const GENERAL_NAMES: [[&str; 33]; 2] = [
    [
        "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "w10", "w11", "w12", "w13", "w14", "w15", "w16",
        "w17", "w18", "w19", "w20", "w21", "w22", "w23", "w24", "w25", "w26", "w27", "w28", "w29", "w30", "wsp", "wzr",
    ],
    [
        "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
        "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp", "xzr",
    ],
];

/// Names of the vector registers without anything that says which part is meant.
const VECTOR_NAMES: [&str; 32] = [
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17",
    "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
];

/// The name of a general register: of its lower half if `width_bytes` is at most 4. Of a vector register it is the name
/// that an arrangement of lanes follows.
pub fn name(reg: Reg, width_bytes: u8) -> &'static str {
    let number = reg.number() as usize;
    if reg.bank() == 0 {
        GENERAL_NAMES[usize::from(width_bytes > 4)][number]
    } else {
        VECTOR_NAMES[number]
    }
}

/// The letter that names the lowest `width_bytes` bytes of a vector register.
pub fn scalar_letter(width_bytes: u8) -> char {
    match width_bytes {
        1 => 'b',
        2 => 'h',
        4 => 's',
        8 => 'd',
        _ => 'q',
    }
}

/// DWARF number of the first vector register (DWARF for the Arm 64-bit Architecture, 4.1).
const FIRST_DWARF_VECTOR: u16 = 64;

/// What stands for the DWARF number of the zero register, which has none.
const NO_DWARF_NUMBER: u16 = u16::MAX;

/// The registers with their DWARF numbers (DWARF for the Arm 64-bit Architecture, 4.1), the zero register last.
pub static REGS: [RegDesc; 65] = {
    let mut rows = [RegDesc {
        reg: XZR,
        name: "xzr",
        dwarf: NO_DWARF_NUMBER,
    }; 65];
    let mut number = 0;
    while number < 32 {
        rows[number as usize] = RegDesc {
            reg: Reg::physical(0, number),
            name: GENERAL_NAMES[1][number as usize],
            dwarf: number as u16,
        };
        rows[32 + number as usize] = RegDesc {
            reg: v(number),
            name: VECTOR_NAMES[number as usize],
            dwarf: FIRST_DWARF_VECTOR + number as u16,
        };
        number += 1;
    }
    rows
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_names_of_whole_registers() {
        for row in &REGS {
            assert_eq!(row.name, name(row.reg, 8));
            let number = row.reg.number() as u16;
            assert_eq!(
                row.dwarf,
                match row.reg {
                    XZR => NO_DWARF_NUMBER,
                    reg if reg.bank() == 0 => number,
                    _ => 64 + number,
                }
            );
        }
        assert_eq!((name(SP, 8), name(XZR, 4), name(LR, 8)), ("sp", "wzr", "x30"));
    }
}
