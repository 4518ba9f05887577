//! The vector registers 16 to 31, which only an EVEX prefix can name: how instructions of rows with a VEX prefix are
//! encoded if they name one of them (Intel manual, volume 2, section 2.7).
//!
//! ```text
//! vpxor  xmm1, xmm2, xmm3        C5 E9 EF CB               as the row says
//! vpxord xmm17, xmm2, xmm3       62 E1 6D 08 EF CB         the same row
//! ```
//!
//! Nothing of it is a row of its own: opcode and operands are the same, and what is not follows from [`GROUPS`]. Rows
//! that are not there (comparisons into vectors, blends, tests, horizontal sums) have no such encoding, so that none
//! of their operands may be in these registers ([`frazil_codegen::OpDesc::names_upper`]).

use crate::ops::{Code, Form, Row, Width};
use crate::regs::{VECTOR_BYTES, WIDE_VECTOR_BYTES};
use crate::rows::{CODES, FIRST_EVEX, ROWS};
use crate::unit::Unit;
use frazil_codegen::included::OPTIMIZING_PATH;
use frazil_codegen::{MInst, Reg};

/// What rows of a group have in common, besides what follows from their encoding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Of packed floats: the size of lanes gives the prefix.
    Packed,
    Scalar,
    /// Fused operations of floats.
    Fused,
    /// With this mandatory prefix.
    Prefix(u8),
}

/// Rows that are encoded alike.
struct Group {
    map: u8,
    kind: Kind,
    /// The bit W of the prefix, where the size does not give it.
    is_wide: bool,
    /// How many bytes of memory are accessed; `None` for as many as the operation's size.
    unit: Option<Unit>,
    opcodes: &'static [u8],
}

const fn group(map: u8, kind: Kind, is_wide: bool, unit: Option<Unit>, opcodes: &'static [u8]) -> Group {
    Group {
        map,
        kind,
        is_wide,
        unit,
        opcodes,
    }
}

const WHOLE: Option<Unit> = Some(Unit::Whole);
const HALF: Option<Unit> = Some(Unit::Half);
const QUARTER: Option<Unit> = Some(Unit::Quarter);
const EIGHTH: Option<Unit> = Some(Unit::Eighth);

const fn lane(bytes: u8) -> Option<Unit> {
    Some(Unit::Lane(bytes))
}

/// Opcode bytes before the last, prefix, bit W, unit, and opcodes, from the manual's pages of each instruction. No
/// opcode has an encoding with one digit in the `reg` field and not with another of those in the table, but for
/// [`shift_is_wide`].
const GROUPS: &[Group] = {
    use Kind::{Fused, Packed, Prefix, Scalar};
    &[
        group(
            1,
            Packed,
            false,
            WHOLE,
            &[
                0x10, 0x11, 0x14, 0x15, 0x28, 0x29, 0x2b, 0x51, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5c, 0x5d, 0x5e,
                0x5f, 0xc6,
            ],
        ),
        group(1, Packed, false, lane(8), &[0x12, 0x13, 0x16, 0x17]),
        group(1, Packed, false, None, &[0x2e, 0x2f]),
        group(
            1,
            Scalar,
            false,
            None,
            &[0x10, 0x11, 0x51, 0x58, 0x59, 0x5c, 0x5d, 0x5e, 0x5f],
        ),
        group(
            2,
            Fused,
            false,
            WHOLE,
            &[0x98, 0x9a, 0x9c, 0xa6, 0xa8, 0xaa, 0xac, 0xb8, 0xba, 0xbc],
        ),
        group(
            2,
            Fused,
            false,
            None,
            &[0x99, 0x9b, 0x9d, 0xa9, 0xab, 0xad, 0xb9, 0xbb, 0xbd],
        ),
        group(
            2,
            Prefix(0x66),
            false,
            WHOLE,
            &[0x98, 0x9a, 0x9c, 0xa8, 0xaa, 0xac, 0xb8, 0xba, 0xbc],
        ),
        // Copies, logic and conversions of packed floats; halves of vectors.
        group(
            1,
            Prefix(0),
            false,
            WHOLE,
            &[0x10, 0x11, 0x12, 0x16, 0x28, 0x2b, 0x57, 0x5b],
        ),
        group(1, Prefix(0), false, HALF, &[0x5a]),
        group(1, Prefix(0x66), true, WHOLE, &[0x5a, 0xe6]),
        group(1, Prefix(0xf2), true, WHOLE, &[0xe6]),
        group(1, Prefix(0xf3), false, HALF, &[0xe6]),
        group(1, Prefix(0x66), false, WHOLE, &[0x5b]),
        group(1, Prefix(0xf3), false, WHOLE, &[0x5b, 0x6f, 0x7f]),
        // Conversions of the lowest lane.
        group(1, Prefix(0xf3), false, lane(4), &[0x2c, 0x2d, 0x5a]),
        group(1, Prefix(0xf2), false, lane(8), &[0x2c, 0x2d]),
        group(1, Prefix(0xf2), true, lane(8), &[0x5a]),
        group(1, Prefix(0xf3), false, None, &[0x2a]),
        group(1, Prefix(0xf2), false, None, &[0x2a]),
        // Moves from and to general registers, and of the lowest lane of integers; two assemblers have different
        // encodings for those of 64 bits in memory.
        group(1, Prefix(0x66), false, lane(4), &[0x6e, 0x7e]),
        group(1, Prefix(0x66), false, lane(2), &[0xc4, 0xc5]),
        // Integers: copies, logic, arithmetic, shifts, shuffles.
        group(
            1,
            Prefix(0x66),
            false,
            WHOLE,
            &[
                0x60, 0x61, 0x62, 0x63, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6f, 0x70, 0x71, 0x72, 0x73, 0x7f, 0xd1, 0xd2,
                0xd5, 0xd8, 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xe0, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe7, 0xe8,
                0xe9, 0xea, 0xeb, 0xec, 0xed, 0xee, 0xef, 0xf1, 0xf2, 0xf5, 0xf6, 0xf8, 0xf9, 0xfa, 0xfc, 0xfd, 0xfe,
            ],
        ),
        group(
            1,
            Prefix(0x66),
            true,
            WHOLE,
            &[0x6c, 0x6d, 0xd3, 0xd4, 0xf3, 0xf4, 0xfb],
        ),
        group(1, Prefix(0xf2), false, WHOLE, &[0x70]),
        group(1, Prefix(0xf3), false, WHOLE, &[0x70]),
        group(
            2,
            Prefix(0x66),
            false,
            WHOLE,
            &[
                0x00, 0x04, 0x0b, 0x0c, 0x16, 0x1c, 0x1d, 0x1e, 0x2a, 0x2b, 0x36, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d,
                0x3e, 0x3f, 0x40, 0x45, 0x46, 0x47,
            ],
        ),
        group(2, Prefix(0x66), true, WHOLE, &[0x0d, 0x28]),
        group(
            2,
            Prefix(0x66),
            false,
            HALF,
            &[0x13, 0x20, 0x23, 0x25, 0x30, 0x33, 0x35],
        ),
        group(2, Prefix(0x66), false, QUARTER, &[0x21, 0x24, 0x31, 0x34]),
        group(2, Prefix(0x66), false, EIGHTH, &[0x22, 0x32]),
        // Broadcasts.
        group(2, Prefix(0x66), false, lane(1), &[0x78]),
        group(2, Prefix(0x66), false, lane(2), &[0x79]),
        group(2, Prefix(0x66), false, lane(4), &[0x18, 0x58]),
        group(2, Prefix(0x66), true, lane(8), &[0x19, 0x59]),
        group(2, Prefix(0x66), false, lane(16), &[0x1a, 0x5a]),
        // With an immediate.
        group(3, Prefix(0x66), true, WHOLE, &[0x00, 0x01, 0x05, 0x09]),
        group(3, Prefix(0x66), false, WHOLE, &[0x04, 0x08, 0x0f]),
        group(3, Prefix(0x66), false, lane(4), &[0x0a, 0x16, 0x21, 0x22]),
        group(3, Prefix(0x66), true, lane(8), &[0x0b]),
        group(3, Prefix(0x66), false, lane(1), &[0x14, 0x20]),
        group(3, Prefix(0x66), false, lane(16), &[0x18, 0x19, 0x38, 0x39]),
        group(3, Prefix(0x66), false, HALF, &[0x1d]),
    ]
};

/// Shifts of quadwords by a constant share their opcode with those of whole registers, which differ in the digit, and
/// have the bit W.
const fn shift_is_wide(code: &Code) -> bool {
    code.map == 1 && code.opcode == 0x73 && (code.digit == 2 || code.digit == 6)
}

/// What is different with an EVEX prefix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promotion {
    is_wide: bool,
    unit: Option<Unit>,
}

impl Promotion {
    /// The bit W of the prefix in a REX prefix, besides what the row's template has.
    pub(crate) fn rex(self, code: &Code, size: u8) -> u8 {
        let is_of_doubles = matches!(code.width, Width::Scalar | Width::Packed) && size == 8;
        u8::from(self.is_wide || is_of_doubles) << 3
    }

    /// How many bytes a displacement of one byte counts.
    pub(crate) fn unit_bytes(self, code: &Code, size: u8) -> u8 {
        match self.unit {
            Some(unit) => unit.bytes(if code.has(Code::LONG) {
                WIDE_VECTOR_BYTES
            } else {
                VECTOR_BYTES
            }),
            None => size,
        }
    }
}

const fn promoted(row: &Row) -> Option<Promotion> {
    let code = &row.code;
    if !code.has(Code::VEX) || code.has(Code::EVEX) || !row.has_vector() {
        return None;
    }
    let kind = match code.width {
        Width::Packed => Kind::Packed,
        Width::Scalar => Kind::Scalar,
        Width::Float => Kind::Fused,
        Width::Int | Width::Fixed => Kind::Prefix(code.prefix),
    };
    let mut number = 0;
    while number < GROUPS.len() {
        let group = &GROUPS[number];
        let mut index = 0;
        while group.map == code.map && are_equal(group.kind, kind) && index < group.opcodes.len() {
            if group.opcodes[index] == code.opcode {
                return Some(Promotion {
                    is_wide: group.is_wide || shift_is_wide(code),
                    unit: group.unit,
                });
            }
            index += 1;
        }
        number += 1;
    }
    None
}

const fn are_equal(left: Kind, right: Kind) -> bool {
    match (left, right) {
        (Kind::Prefix(left), Kind::Prefix(right)) => left == right,
        (Kind::Packed, Kind::Packed) | (Kind::Scalar, Kind::Scalar) | (Kind::Fused, Kind::Fused) => true,
        _ => false,
    }
}

/// By number of a row.
static PROMOTIONS: [Option<Promotion>; FIRST_EVEX as usize] = {
    let mut promotions = [None; FIRST_EVEX as usize];
    let mut number = 0;
    while number < promotions.len() {
        promotions[number] = promoted(&ROWS[number]);
        number += 1;
    }
    promotions
};

/// Whether instructions of a row, which has a prefix for vectors, may name the registers.
pub(crate) const fn is_encodable(row: u16) -> bool {
    match ROWS[row as usize].code.has(Code::EVEX) {
        true => true,
        false => row < FIRST_EVEX && promoted(&ROWS[row as usize]).is_some(),
    }
}

/// The bit of a register's number that only an EVEX prefix has.
pub(crate) const fn high_bit(reg: Reg) -> u8 {
    (reg.0 >> 4 & 1) as u8
}

pub(crate) const fn is_upper(reg: Reg) -> bool {
    reg.0 >> 4 == Reg::physical(1, 16).0 >> 4
}

/// Whether an instruction names one of them.
pub(crate) fn names_upper(inst: &MInst) -> bool {
    let code = CODES.get(usize::from(inst.op));
    let has_own = code.is_some_and(|code| code.form == Form::ThreeM);
    inst.regs().into_iter().any(is_upper) || has_own && is_upper(inst.reg(3))
}

/// How an instruction of a row with a VEX prefix is encoded with an EVEX prefix, if it has to be.
pub(crate) fn promotion(inst: &MInst, code: &Code) -> Option<Promotion> {
    let is_needed = OPTIMIZING_PATH && !code.has(Code::EVEX) && names_upper(inst);
    is_needed
        .then(|| PROMOTIONS[usize::from(inst.op)].expect("an instruction that cannot name such registers has none"))
}

/// The mnemonic of an instruction that names such a register, where it is not the row's.
pub(crate) fn mnemonic(inst: &MInst, code: &Code) -> Option<&'static str> {
    let is_candidate = matches!(code.width, Width::Fixed | Width::Int) && !code.has(Code::EVEX);
    if !is_candidate || !names_upper(inst) {
        return None;
    }
    Some(match (code.map, code.prefix, code.opcode) {
        (1, 0x66, 0x6e | 0x7e) if inst.size == 8 => "vmovq",
        (1, 0x66, 0x6f | 0x7f) => "vmovdqa32",
        (1, 0xf3, 0x6f | 0x7f) => "vmovdqu32",
        (1, 0x66, 0xdb) => "vpandd",
        (1, 0x66, 0xdf) => "vpandnd",
        (1, 0x66, 0xeb) => "vpord",
        (1, 0x66, 0xef) => "vpxord",
        (2, 0x66, 0x1a) => "vbroadcastf32x4",
        (2, 0x66, 0x5a) => "vbroadcasti32x4",
        (3, 0x66, 0x08) => "vrndscaleps",
        (3, 0x66, 0x09) => "vrndscalepd",
        (3, 0x66, 0x0a) => "vrndscaless",
        (3, 0x66, 0x0b) => "vrndscalesd",
        (3, 0x66, 0x18) => "vinsertf32x4",
        (3, 0x66, 0x19) => "vextractf32x4",
        (3, 0x66, 0x38) => "vinserti32x4",
        (3, 0x66, 0x39) => "vextracti32x4",
        _ => return None,
    })
}
