//! The registers of x86: constants, names by width, and the table shared code reads.
//!
//! A register's number within its bank is its hardware number. Bank 0 holds the general registers, bank 1 the vector
//! registers and, from number 32 on, the mask registers. The flags, the instruction pointer and the segment registers
//! are not operands of their own: the op table's columns and forms speak of them.

use frazil_codegen::{PRegSet, Reg, RegDesc};

/// Accumulator.
pub const RAX: Reg = Reg::physical(0, 0);
/// Counter.
pub const RCX: Reg = Reg::physical(0, 1);
/// Data.
pub const RDX: Reg = Reg::physical(0, 2);
/// Base.
pub const RBX: Reg = Reg::physical(0, 3);
/// Stack pointer.
pub const RSP: Reg = Reg::physical(0, 4);
/// Frame pointer.
pub const RBP: Reg = Reg::physical(0, 5);
/// Source index.
pub const RSI: Reg = Reg::physical(0, 6);
/// Destination index.
pub const RDI: Reg = Reg::physical(0, 7);
/// General register 8.
pub const R8: Reg = Reg::physical(0, 8);
/// General register 9.
pub const R9: Reg = Reg::physical(0, 9);
/// General register 10.
pub const R10: Reg = Reg::physical(0, 10);
/// General register 11.
pub const R11: Reg = Reg::physical(0, 11);
/// General register 12.
pub const R12: Reg = Reg::physical(0, 12);
/// General register 13.
pub const R13: Reg = Reg::physical(0, 13);
/// General register 14.
pub const R14: Reg = Reg::physical(0, 14);
/// General register 15.
pub const R15: Reg = Reg::physical(0, 15);

/// Vector register 0.
pub const XMM0: Reg = Reg::physical(1, 0);
/// Vector register 1.
pub const XMM1: Reg = Reg::physical(1, 1);
/// Vector register 2.
pub const XMM2: Reg = Reg::physical(1, 2);
/// Vector register 3.
pub const XMM3: Reg = Reg::physical(1, 3);
/// Vector register 4.
pub const XMM4: Reg = Reg::physical(1, 4);
/// Vector register 5.
pub const XMM5: Reg = Reg::physical(1, 5);
/// Vector register 6.
pub const XMM6: Reg = Reg::physical(1, 6);
/// Vector register 7.
pub const XMM7: Reg = Reg::physical(1, 7);
/// Vector register 8.
pub const XMM8: Reg = Reg::physical(1, 8);
/// Vector register 9.
pub const XMM9: Reg = Reg::physical(1, 9);
/// Vector register 10.
pub const XMM10: Reg = Reg::physical(1, 10);
/// Vector register 11.
pub const XMM11: Reg = Reg::physical(1, 11);
/// Vector register 12.
pub const XMM12: Reg = Reg::physical(1, 12);
/// Vector register 13.
pub const XMM13: Reg = Reg::physical(1, 13);
/// Vector register 14.
pub const XMM14: Reg = Reg::physical(1, 14);
/// Vector register 15.
pub const XMM15: Reg = Reg::physical(1, 15);
/// The vector registers that every prefix can name.
pub const LOWER: [Reg; 16] = [
    XMM0, XMM1, XMM2, XMM3, XMM4, XMM5, XMM6, XMM7, XMM8, XMM9, XMM10, XMM11, XMM12, XMM13, XMM14, XMM15,
];
/// The mask register that instructions with masks name. It is never allocated: a rule fills it right before the
/// instructions that use it.
pub const MASK: Reg = mask(1);
/// Never allocated either: for moves of masks.
pub const SCRATCH_MASK: Reg = mask(7);
/// The mask registers that are allocated.
pub const MASKS: PRegSet = PRegSet::of(&[mask(2), mask(3), mask(4), mask(5), mask(6)]);
/// How wide they are, in bytes.
pub const MASK_BYTES: u8 = 8;
/// The integer scratch register of 64-bit code.
pub const SCRATCH: Reg = R11;
pub const SCRATCH_FLOAT: Reg = XMM15;

/// The general register that is never allocated, where registers have so many bytes.
#[inline]
pub const fn scratch_of(word_bytes: u8) -> Reg {
    if word_bytes == 8 { SCRATCH } else { RDI }
}

/// The vector register that is never allocated.
#[inline]
pub const fn scratch_float_of(word_bytes: u8) -> Reg {
    if word_bytes == 8 { SCRATCH_FLOAT } else { XMM7 }
}

/// How wide vectors are at most, in bytes.
pub const VECTOR_BYTES: u8 = 16;
/// How wide vectors are that are only passed, in bytes.
pub const WIDE_VECTOR_BYTES: u8 = 32;
pub const WIDEST_VECTOR_BYTES: u8 = 64;
/// Registers of the x87 stack.
pub const X87_COUNT: u8 = 8;

/// DWARF number of the return address column in 64-bit code (System V ABI for x86-64, figure 3.36).
pub const DWARF_RETURN_ADDRESS: u16 = 16;

/// A vector register that only an EVEX prefix can name, by its number from 16 to 31.
pub const fn upper(number: u8) -> Reg {
    Reg::physical(1, number)
}

/// A mask register by its number from 0 to 7.
pub const fn mask(number: u8) -> Reg {
    Reg::physical(1, 32 + number)
}

/// All vector registers that only an EVEX prefix can name.
pub const UPPER: PRegSet = PRegSet::from_banks(0, 0xffff_0000);

const fn row(reg: Reg, name: &'static str, dwarf: u16) -> RegDesc {
    RegDesc { reg, name, dwarf }
}

/// The registers of 64-bit code with their DWARF numbers (System V ABI for x86-64, figure 3.36).
pub static REGS: [RegDesc; 55] = [
    row(RAX, "rax", 0),
    row(RCX, "rcx", 2),
    row(RDX, "rdx", 1),
    row(RBX, "rbx", 3),
    row(RSP, "rsp", 7),
    row(RBP, "rbp", 6),
    row(RSI, "rsi", 4),
    row(RDI, "rdi", 5),
    row(R8, "r8", 8),
    row(R9, "r9", 9),
    row(R10, "r10", 10),
    row(R11, "r11", 11),
    row(R12, "r12", 12),
    row(R13, "r13", 13),
    row(R14, "r14", 14),
    row(R15, "r15", 15),
    row(XMM0, "xmm0", 17),
    row(XMM1, "xmm1", 18),
    row(XMM2, "xmm2", 19),
    row(XMM3, "xmm3", 20),
    row(XMM4, "xmm4", 21),
    row(XMM5, "xmm5", 22),
    row(XMM6, "xmm6", 23),
    row(XMM7, "xmm7", 24),
    row(XMM8, "xmm8", 25),
    row(XMM9, "xmm9", 26),
    row(XMM10, "xmm10", 27),
    row(XMM11, "xmm11", 28),
    row(XMM12, "xmm12", 29),
    row(XMM13, "xmm13", 30),
    row(XMM14, "xmm14", 31),
    row(XMM15, "xmm15", 32),
    row(upper(16), "xmm16", 67),
    row(upper(17), "xmm17", 68),
    row(upper(18), "xmm18", 69),
    row(upper(19), "xmm19", 70),
    row(upper(20), "xmm20", 71),
    row(upper(21), "xmm21", 72),
    row(upper(22), "xmm22", 73),
    row(upper(23), "xmm23", 74),
    row(upper(24), "xmm24", 75),
    row(upper(25), "xmm25", 76),
    row(upper(26), "xmm26", 77),
    row(upper(27), "xmm27", 78),
    row(upper(28), "xmm28", 79),
    row(upper(29), "xmm29", 80),
    row(upper(30), "xmm30", 81),
    row(upper(31), "xmm31", 82),
    row(mask(1), MASK_NAMES[1], 119),
    row(mask(2), MASK_NAMES[2], 120),
    row(mask(3), MASK_NAMES[3], 121),
    row(mask(4), MASK_NAMES[4], 122),
    row(mask(5), MASK_NAMES[5], 123),
    row(mask(6), MASK_NAMES[6], 124),
    row(mask(7), MASK_NAMES[7], 125),
];

/// DWARF number of the return address column in 32-bit code (System V ABI for Intel386, table 2.14).
pub const DWARF_RETURN_ADDRESS_32: u16 = 8;

/// The registers of 32-bit code with their DWARF numbers (System V ABI for Intel386, table 2.14; its numbers of mask
/// registers are LLVM's).
pub static REGS_32: [RegDesc; 23] = [
    row(RAX, "eax", 0),
    row(RCX, "ecx", 1),
    row(RDX, "edx", 2),
    row(RBX, "ebx", 3),
    row(RSP, "esp", 4),
    row(RBP, "ebp", 5),
    row(RSI, "esi", 6),
    row(RDI, "edi", 7),
    row(XMM0, "xmm0", 21),
    row(XMM1, "xmm1", 22),
    row(XMM2, "xmm2", 23),
    row(XMM3, "xmm3", 24),
    row(XMM4, "xmm4", 25),
    row(XMM5, "xmm5", 26),
    row(XMM6, "xmm6", 27),
    row(XMM7, "xmm7", 28),
    row(mask(1), MASK_NAMES[1], 94),
    row(mask(2), MASK_NAMES[2], 95),
    row(mask(3), MASK_NAMES[3], 96),
    row(mask(4), MASK_NAMES[4], 97),
    row(mask(5), MASK_NAMES[5], 98),
    row(mask(6), MASK_NAMES[6], 99),
    row(mask(7), MASK_NAMES[7], 100),
];

/// Names of the mask registers.
const MASK_NAMES: [&str; 8] = ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"];

/// Names of the general registers by log2 of the width in bytes.
const GENERAL_NAMES: [[&str; 16]; 4] = [
    [
        "al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b",
        "r15b",
    ],
    [
        "ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w",
    ],
    [
        "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d",
        "r15d",
    ],
    [
        "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    ],
];

/// Names of the vector registers of 512 bits.
const WIDEST_NAMES: [&str; 32] = [
    "zmm0", "zmm1", "zmm2", "zmm3", "zmm4", "zmm5", "zmm6", "zmm7", "zmm8", "zmm9", "zmm10", "zmm11", "zmm12", "zmm13",
    "zmm14", "zmm15", "zmm16", "zmm17", "zmm18", "zmm19", "zmm20", "zmm21", "zmm22", "zmm23", "zmm24", "zmm25",
    "zmm26", "zmm27", "zmm28", "zmm29", "zmm30", "zmm31",
];

/// Names of the vector registers of 256 bits.
const WIDE_NAMES: [&str; 32] = [
    "ymm0", "ymm1", "ymm2", "ymm3", "ymm4", "ymm5", "ymm6", "ymm7", "ymm8", "ymm9", "ymm10", "ymm11", "ymm12", "ymm13",
    "ymm14", "ymm15", "ymm16", "ymm17", "ymm18", "ymm19", "ymm20", "ymm21", "ymm22", "ymm23", "ymm24", "ymm25",
    "ymm26", "ymm27", "ymm28", "ymm29", "ymm30", "ymm31",
];

/// The name of a physical register: of the part of `width_bytes`, 1, 2, 4 or 8 for a general register, 32 or 64 for a
/// vector register of more than 128 bits.
pub fn name(reg: Reg, width_bytes: u8) -> &'static str {
    let number = reg.number() as usize;
    if reg.bank() == 0 {
        GENERAL_NAMES[width_bytes.trailing_zeros() as usize][number]
    } else if number >= 32 {
        MASK_NAMES[number - 32]
    } else if width_bytes == 64 {
        WIDEST_NAMES[number]
    } else if width_bytes == 32 {
        WIDE_NAMES[number]
    } else {
        REGS[16 + number].name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_numbers() {
        for (index, row) in REGS.iter().enumerate() {
            let reg = match index {
                ..16 => Reg::physical(0, index as u8),
                16..48 => Reg::physical(1, index as u8 - 16),
                _ => mask(index as u8 - 47),
            };
            assert_eq!(row.reg, reg);
            assert_eq!(row.name, name(row.reg, 8));
        }
        let mut dwarf: Vec<u16> = REGS.iter().map(|row| row.dwarf).collect();
        dwarf.sort_unstable();
        assert!(
            dwarf
                .iter()
                .copied()
                .eq((0..16).chain(17..33).chain(67..83).chain(119..126))
        );
    }
}
