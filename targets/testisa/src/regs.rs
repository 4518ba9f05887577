//! The registers.
//!
//! Bank 0: `zero` reads as 0; `a0`-`a2` and `s0` are allocatable; `at` belongs to the encoder (it forms what does not
//! fit an instruction), `sc` to moves of shared code, `ic` holds the callee of an indirect call, and `k0`-`k20` are
//! for rules. Bank 1: `f0`-`f2` and `fs` are allocatable, `ft` belongs to moves of shared code.

use frazil_codegen::{PRegSet, Reg, RegDesc};

/// Number of the first rule register.
const FIRST_K: u8 = 11;
/// How many rule registers there are.
pub const K_COUNT: u8 = 21;

const fn int(number: u8) -> Reg {
    Reg::physical(0, number)
}

const fn float(number: u8) -> Reg {
    Reg::physical(1, number)
}

/// Reads as zero; writes are lost.
pub const ZERO: Reg = int(0);
/// First argument and result.
pub const A0: Reg = int(1);
/// Second argument and result.
pub const A1: Reg = int(2);
/// Third argument.
pub const A2: Reg = int(3);
/// Preserved by calls.
pub const S0: Reg = int(4);
/// Stack pointer.
pub const SP: Reg = int(5);
/// Frame pointer.
pub const FP: Reg = int(6);
/// Return address.
pub const RA: Reg = int(7);
/// The encoder's own.
pub const AT: Reg = int(8);
/// For moves of shared code.
pub const SC: Reg = int(9);
/// The callee of an indirect call.
pub const IC: Reg = int(10);

/// A register for rules.
pub const fn k(number: u8) -> Reg {
    debug_assert!(number < K_COUNT);
    int(FIRST_K + number)
}

/// What only rules use: the callee of an indirect call, and theirs.
pub const RULE_REGISTERS: PRegSet = PRegSet::from_banks(((1 << K_COUNT) - 1) << FIRST_K | 1 << IC.number(), 0);

/// First float argument and result.
pub const F0: Reg = float(0);
/// Second float argument and result.
pub const F1: Reg = float(1);
/// Third float argument.
pub const F2: Reg = float(2);
/// Preserved by calls.
pub const FS: Reg = float(3);
/// For moves of shared code.
pub const FT: Reg = float(4);

const NAMES: [&str; 32] = [
    "zero", "a0", "a1", "a2", "s0", "sp", "fp", "ra", "at", "sc", "ic", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
    "k8", "k9", "k10", "k11", "k12", "k13", "k14", "k15", "k16", "k17", "k18", "k19", "k20",
];
const FLOAT_NAMES: [&str; 5] = ["f0", "f1", "f2", "fs", "ft"];

/// The name of a register.
pub fn name(reg: Reg) -> &'static str {
    let number = reg.number() as usize;
    if reg.bank() == 0 {
        NAMES[number]
    } else {
        FLOAT_NAMES[number]
    }
}

const fn describe<const N: usize>(names: [&'static str; N], bank: u8) -> [RegDesc; N] {
    let mut rows = [RegDesc {
        reg: ZERO,
        name: "",
        dwarf: 0,
    }; N];
    let mut number = 0;
    while number < N {
        rows[number] = RegDesc {
            reg: Reg::physical(bank, number as u8),
            name: names[number],
            dwarf: bank as u16 * 32 + number as u16,
        };
        number += 1;
    }
    rows
}

const fn all() -> [RegDesc; 37] {
    let (ints, floats) = (describe(NAMES, 0), describe(FLOAT_NAMES, 1));
    let mut rows = [ints[0]; 37];
    let mut index = 0;
    while index < 37 {
        rows[index] = if index < 32 { ints[index] } else { floats[index - 32] };
        index += 1;
    }
    rows
}

/// Every register.
pub static REGS: [RegDesc; 37] = all();
