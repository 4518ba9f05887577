//! All rows: those of the op table, and those with a VEX prefix that do what rows without one do, with which
//! functions for processors with AVX end up.
//!
//! ```text
//! addps  xmm1, xmm2            vaddps xmm1, xmm1, xmm2
//! movaps xmm1, [rdi]     ->    vmovaps xmm1, [rdi]
//! psrld  xmm1, 4               vpsrld xmm1, xmm1, 4
//! ```
//!
//! They clear what is above the vector that they write, where those without keep it, which makes a processor wait for
//! the old contents of the whole register, or move halves aside. And an operand that is read and written becomes two,
//! so that a copy of it is not needed.
//!
//! Method: nothing of them stands in the op table. They follow from its rows at compile time, and have the numbers
//! after those, without names. [The pass that brings them in](crate::peephole)
//! makes such instructions, and rules that read the lower half of a wide vector. After them
//! come rows for vectors of 256 bits, which rules for vectors of 128 bits are applied with
//! ([`crate::lower::vector::doubled`]), and those with an EVEX prefix ([`crate::evex`]).

use crate::evex;
use crate::ops::{Code, Form, Kind, Operand, Row, pad, sizes};
use crate::regs::WIDE_VECTOR_BYTES;
use crate::table::{NAMED, Op};
use frazil_codegen::included::VECTORS;
use frazil_codegen::{MInst, Reg, Role};

/// Rows without a form that both assemblers write in the same way, or whose form has one more operand or does not come
/// with AVX alone.
const WITHOUT: [Op; 12] = [
    Op::MovdqaRR,
    Op::MovdquRR,
    Op::MovqXX,
    Op::Sha1msg1RR,
    Op::Sha1msg2RR,
    Op::Sha1nexteRR,
    Op::Sha1rnds4RRI,
    Op::Sha256msg1RR,
    Op::Sha256msg2RR,
    Op::Gf2p8mulbRR,
    Op::Gf2p8affineqbRRI,
    Op::Gf2p8affineinvqbRRI,
];

/// The row with a VEX prefix for a named row, if there is one.
const fn vex_row(number: usize) -> Option<Row> {
    let row = &NAMED[number];
    let mut index = 0;
    while index < WITHOUT.len() {
        if WITHOUT[index] as usize == number {
            return None;
        }
        index += 1;
    }
    let is_of_vectors = is_vector(row.operands[0]) || is_vector(row.operands[1]);
    if row.code.has(Code::VEX) || row.code.map == 0 || !is_of_vectors || !row.effects.uses.is_empty() {
        return None;
    }
    let is_modified = matches!(row.operands[0], Some(Operand { role: Role::UseDef, .. }));
    let (form, flag) = match row.code.form {
        Form::LoadRR if is_modified => (Form::Three, 0),
        Form::LoadRRI if is_modified => (Form::ThreeI, 0),
        Form::RI => (Form::LoadRRI, Code::OWN_IS_WRITTEN),
        Form::Same => (Form::Same, Code::OWN_IS_FIRST),
        Form::RM if is_modified => (Form::ThreeM, 0),
        Form::RMI if is_modified => (Form::RMI, Code::OWN_IS_FIRST),
        Form::LoadRR | Form::RM | Form::LoadRRI | Form::RMI if row.effects.merges => {
            (row.code.form, Code::OWN_IS_FIRST)
        }
        Form::LoadRR | Form::RM | Form::LoadRRI | Form::RMI | Form::StoreRR | Form::StoreRRI | Form::MR => {
            (row.code.form, 0)
        }
        _ => return None,
    };
    let is_three = matches!(form, Form::Three | Form::ThreeM | Form::ThreeI) || matches!(row.code.form, Form::RI);
    Some(Row {
        code: with_prefix(row, flag).finish(form),
        operands: if is_three { separate(row) } else { row.operands },
        ..*row
    })
}

const fn is_vector(operand: Option<Operand>) -> bool {
    matches!(operand, Some(operand) if operand.kind.is_vector())
}

/// The encoding of a row with a VEX prefix.
const fn with_prefix(row: &Row, flag: u32) -> Code {
    let commutes = match commutes(row) {
        true => Code::COMMUTES,
        false => 0,
    };
    let is_copy = matches!(row.code.form, Form::LoadRR) && row.code.map == 1 && matches!(row.code.opcode, 0x10 | 0x28);
    let swaps = if is_copy { Code::SWAPS } else { 0 };
    row.code.flag(Code::VEX | Code::NAMED_V | flag | commutes | swaps)
}

/// Whether both sources of a row of map 1 may be exchanged, as the LLVM project's assembler sees it.
const fn commutes(row: &Row) -> bool {
    let is_of_two = matches!(row.code.form, Form::LoadRR | Form::LoadRRI);
    if !is_of_two || row.code.map != 1 || !is_vector(row.operands[1]) {
        return false;
    }
    matches!(
        row.code.opcode,
        // Arithmetic and logic of floats, and their comparisons.
        0x54 | 0x56 | 0x57 | 0x58 | 0x59 | 0xc2
        // Comparisons for equality.
        | 0x74 | 0x75 | 0x76
        // Sums, products, averages, logic, and the greater or less of two.
        | 0xd4 | 0xd5 | 0xda | 0xdb | 0xdc | 0xdd | 0xde | 0xe0 | 0xe3 | 0xe4 | 0xe5 | 0xea | 0xeb | 0xec | 0xed
        | 0xee | 0xef | 0xf4 | 0xf5 | 0xf6 | 0xfc | 0xfd | 0xfe
    )
}

/// The operands of a row whose first one is read and written, with one more for what is read.
const fn separate(row: &Row) -> [Option<Operand>; 3] {
    let [Some(first), second, _] = row.operands else {
        return row.operands;
    };
    let (written, read) = (
        Operand {
            role: Role::Def,
            ..first
        },
        Operand {
            role: Role::Use,
            ..first
        },
    );
    match second {
        Some(second) => pad(&[written, read, second]),
        None => pad(&[written, read]),
    }
}

/// Rows on vectors of 128 bits that there are for vectors of 256 bits, too, where each half is treated as if it were
/// all of one: those of the rules that [`crate::lower::vector`] applies to both widths.
const DOUBLED: [Op; 79] = [
    Op::AndpRM,
    Op::OrpRR,
    Op::XorpRM,
    Op::AddpRR,
    Op::SubpRM,
    Op::MulpRR,
    Op::MinpRR,
    Op::MaxpRR,
    Op::CmppRRI,
    Op::PandRR,
    Op::PandRM,
    Op::PandnRR,
    Op::PorRR,
    Op::PorRM,
    Op::PxorRR,
    Op::PxorRM,
    Op::PaddbRR,
    Op::PaddwRR,
    Op::PadddRR,
    Op::PaddqRR,
    Op::PsubbRR,
    Op::PsubbRM,
    Op::PsubwRR,
    Op::PsubwRM,
    Op::PsubdRR,
    Op::PsubdRM,
    Op::PsubqRR,
    Op::PmullwRR,
    Op::PmullwRM,
    Op::PmulhwRR,
    Op::PmulhwRM,
    Op::PmulhuwRR,
    Op::PmulhuwRM,
    Op::PmaddwdRR,
    Op::PmulldRR,
    Op::PmuludqRR,
    Op::PmuldqRR,
    Op::PcmpeqdRR,
    Op::PcmpgtbRR,
    Op::PcmpgtwRR,
    Op::PcmpgtdRR,
    Op::PcmpgtqRR,
    Op::PunpcklbwRR,
    Op::PunpckhbwRR,
    Op::PunpcklwdRR,
    Op::PunpckhwdRR,
    Op::PunpckldqRR,
    Op::PunpckhdqRR,
    Op::PunpcklqdqRR,
    Op::PunpckhqdqRR,
    Op::PacksswbRR,
    Op::PackuswbRR,
    Op::PackssdwRR,
    Op::PackusdwRR,
    Op::PshufdRRI,
    Op::PblendwRRI,
    Op::PsllwRI,
    Op::PsrlwRI,
    Op::PsrawRI,
    Op::PslldRI,
    Op::PsrldRI,
    Op::PsradRI,
    Op::PsllqRI,
    Op::PsrlqRI,
    Op::PabsbRR,
    Op::PabswRR,
    Op::PabsdRR,
    Op::RoundpsRRI,
    Op::RoundpdRRI,
    Op::SqrtpRR,
    Op::AndpRR,
    Op::XorpRR,
    Op::PminubRR,
    Op::PmaxswRR,
    Op::PminswRR,
    Op::Cvtdq2psRR,
    Op::PsubuswRR,
    Op::PavgbRR,
    Op::PavgwRR,
];

/// The row for vectors of 256 bits that follows from one of [`DOUBLED`].
const fn doubled_row(op: Op) -> Row {
    let Some(row) = vex_row(op as usize) else {
        panic!("a row without a VEX prefix");
    };
    let mut operands = row.operands;
    let mut index = 0;
    while index < operands.len() {
        if let Some(operand) = operands[index] {
            operands[index] = Some(Operand {
                kind: Kind::Wide,
                ..operand
            });
        }
        index += 1;
    }
    Row {
        // The size of packed floats is that of their lanes.
        sizes: if row.sizes == sizes::X { sizes::Y } else { row.sizes },
        code: row.code.flag(Code::LONG),
        operands,
        ..row
    }
}

/// How many rows there are with names, and with those with a VEX prefix.
const SINGLE: usize = {
    let (mut count, mut number) = (NAMED.len(), 0);
    while number < NAMED.len() {
        if vex_row(number).is_some() {
            count += 1;
        }
        number += 1;
    }
    count
};

/// The first row with an EVEX prefix of those that follow from a table of their own.
pub(crate) const FIRST_EVEX: u16 = (SINGLE + DOUBLED.len()) as u16;

/// How many rows there are.
pub(crate) const COUNT: usize = FIRST_EVEX as usize + evex::COUNT;

/// The rows by number: those of the table, and after them those that follow from them.
pub static ROWS: [Row; COUNT] = {
    let mut rows = [NAMED[0]; COUNT];
    let (mut next, mut number) = (NAMED.len(), 0);
    while number < NAMED.len() {
        rows[number] = NAMED[number];
        if let Some(row) = vex_row(number) {
            rows[next] = row;
            next += 1;
        }
        number += 1;
    }
    let mut index = 0;
    while index < DOUBLED.len() {
        rows[SINGLE + index] = doubled_row(DOUBLED[index]);
        index += 1;
    }
    let of_evex = evex::rows();
    index = 0;
    while index < evex::COUNT {
        rows[FIRST_EVEX as usize + index] = of_evex[index];
        index += 1;
    }
    rows
};

/// How many rows can be encoded: without vectors, none of those that follow from others.
pub(crate) const ENCODED: usize = if VECTORS { COUNT } else { NAMED.len() };

/// The encodings of rows, by number: what most who look at rows want, in a table that is a tenth of the other's size.
pub(crate) static CODES: [Code; ENCODED] = {
    let mut codes = [ROWS[0].code; ENCODED];
    let mut number = 0;
    while number < ENCODED {
        codes[number] = ROWS[number].code;
        number += 1;
    }
    codes
};

/// By number: of a row without a prefix that with it, and of that the one without, as of one for 256 bits; of others
/// itself.
static OTHERS: [u16; FIRST_EVEX as usize] = {
    let mut others = [0; FIRST_EVEX as usize];
    let (mut next, mut number) = (NAMED.len(), 0);
    while number < NAMED.len() {
        others[number] = number as u16;
        if vex_row(number).is_some() {
            others[number] = next as u16;
            others[next] = number as u16;
            next += 1;
        }
        number += 1;
    }
    let mut index = 0;
    while index < DOUBLED.len() {
        others[SINGLE + index] = DOUBLED[index] as u16;
        index += 1;
    }
    others
};

/// By number of a named row, that for vectors of 256 bits; 0 without one.
static DOUBLES: [u16; NAMED.len()] = {
    let mut doubles = [0; NAMED.len()];
    let mut index = 0;
    while index < DOUBLED.len() {
        doubles[DOUBLED[index] as usize] = (SINGLE + index) as u16;
        index += 1;
    }
    doubles[Op::MovapRR as usize] = Op::VmovupYRR as u16;
    doubles[Op::MovapRM as usize] = Op::VmovupYRM as u16;
    doubles[Op::ZeroX as usize] = Op::VxorpsYS as u16;
    doubles[Op::OnesX as usize] = Op::VpcmpeqdYS as u16;
    doubles
};

/// The instruction that does to both halves of vectors of 256 bits what one does to vectors of 128 bits, if there is
/// one.
pub(crate) fn doubled(inst: &MInst) -> Option<MInst> {
    let op = *DOUBLES.get(usize::from(inst.op)).filter(|&&op| op != 0)?;
    let mut doubled = with_own(inst, op);
    if ROWS[usize::from(op)].sizes & inst.size == 0 {
        doubled.size = WIDE_VECTOR_BYTES;
    }
    Some(doubled)
}

/// An instruction of a row that follows from that of `inst`: if it has an operand more, that is what was overwritten.
fn with_own(inst: &MInst, op: u16) -> MInst {
    let mut other = inst.with_op(op);
    match own_slot(op) {
        Some(3) => other.set_reg(3, inst.reg(0)),
        Some(_) => {
            other.set_reg(2, inst.reg(1));
            other.set_reg(1, inst.reg(0));
        }
        None => {}
    }
    other
}

/// Whether a row is for vectors of 256 bits and follows from one for 128 bits.
pub(crate) fn is_doubled(op: u16) -> bool {
    usize::from(op) >= SINGLE && op < FIRST_EVEX
}

/// Whether a row is one of the table of those with an EVEX prefix.
pub(crate) const fn is_evex(op: u16) -> bool {
    op >= FIRST_EVEX && (op as usize) < COUNT
}

/// The named row that an instruction's row is or follows from; `None` for those with an EVEX prefix and a table of
/// their own.
pub(crate) const fn named(op: u16) -> Option<Op> {
    let number = op as usize;
    if is_evex(op) {
        return None;
    }
    let named = if number < NAMED.len() { op } else { OTHERS[number] };
    Some(Op::ALL[named as usize])
}

/// The slot of the operand that a row has more than the row that it follows from: that which is read and was also
/// written.
pub(crate) fn own_slot(op: u16) -> Option<usize> {
    let number = usize::from(op);
    if number < NAMED.len() || is_evex(op) {
        return None;
    }
    let form = ROWS[number].code.form;
    let slot = if form == Form::ThreeM { 3 } else { 1 };
    (ROWS[usize::from(OTHERS[number])].code.form != form).then_some(slot)
}

/// The row with a VEX or an EVEX prefix that a row is, or that does the same.
pub(crate) const fn in_vex(op: u16) -> Option<u16> {
    let number = op as usize;
    if ROWS[number].code.has(Code::VEX) {
        return Some(op);
    }
    match number < NAMED.len() && OTHERS[number] != op {
        true => Some(OTHERS[number]),
        false => None,
    }
}

/// The same instruction with a VEX prefix, if there is one.
pub(crate) fn with_vex(inst: &MInst) -> Option<MInst> {
    let number = usize::from(inst.op);
    if number >= NAMED.len() || OTHERS[number] == inst.op {
        return None;
    }
    Some(with_own(inst, OTHERS[number]))
}

/// The instruction of a named row that does the same to `regs[0]`, if that holds what an instruction of a row with a
/// VEX prefix finds in a register of its own, and that register, if it needs it.
pub(crate) fn without_vex(inst: &MInst) -> (MInst, Option<Reg>) {
    if usize::from(inst.op) < NAMED.len() || is_evex(inst.op) {
        return (*inst, None);
    }
    let mut named = inst.with_op(OTHERS[usize::from(inst.op)]);
    let own = own_slot(inst.op);
    match own {
        Some(3) => named.imm = 0,
        Some(_) => {
            named.set_reg(1, inst.reg(2));
            named.set_reg(2, Reg::NONE);
        }
        None => {}
    }
    (named, own.map(|slot| inst.reg(slot)))
}
