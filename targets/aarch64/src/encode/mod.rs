//! The encoder: the word of an instruction from its row and operands.
//!
//! Sequences and accesses whose address no instruction has are taken apart first ([`crate::expand`]). All fields are
//! checked in debug builds only: rules choose rows by what these hold.

mod vector;

pub(crate) use vector::lane_log2;

use crate::cond::Cond;
use crate::expand::{expand, is_single};
use crate::immediates;
use crate::ops::{Code, Form, Kind, Operand, Row, Width, aux};
use crate::regs::{SP, XZR, x};
use crate::relocs::{self, ADDRESS21, BRANCH14, BRANCH19, BRANCH26};
use crate::table::{Op, ROWS};
use frazil_codegen::{CodeBuffer, Label, MInst, Ref, Reg, Role};

/// `nop`.
pub(crate) const NO_OPERATION: [u8; 4] = 0xd503_201f_u32.to_le_bytes();

/// Encodes an instruction or a sequence.
#[inline]
pub fn encode(inst: &MInst, out: &mut CodeBuffer) {
    let start = out.offset();
    if is_single(inst) {
        put(inst, out);
    } else {
        expand(inst, &mut |single| put(single, out));
    }
    let jump = (inst.op == Op::B as u16).then(|| inst.label());
    out.finish_inst(inst, start, jump);
}

/// Encodes a branch to a label.
pub fn jump(out: &mut CodeBuffer, label: Label) {
    encode(&MInst::new(Op::B as u16, 8).with_label(label), out);
}

/// The reference of an instruction that has it beside a register.
pub(crate) fn reference_in_immediate(inst: &MInst) -> Ref {
    Ref(inst.imm.cast_unsigned())
}

/// What an instruction with a symbol operand refers to.
pub(crate) fn named(inst: &MInst) -> Ref {
    inst.reference().expect("the form has a symbol operand")
}

/// Appends one instruction of the machine.
fn put(inst: &MInst, out: &mut CodeBuffer) {
    let row = &ROWS[usize::from(inst.op)];
    let code = &row.code;
    debug_assert!(row.sizes & inst.size != 0, "{} of {} bytes", row.name, inst.size);
    // Also outside of debug builds: what it finds would be wrong code, and is a defect that the function's name is told
    // of instead.
    assert!(
        has_right_31(inst, row),
        "{}: the zero register for the stack pointer, or the other way round",
        row.name
    );
    let start = out.offset();
    match code.form {
        Form::PageRef => {
            let kind = named(inst).kind();
            let relocation = if inst.op == Op::Adrp as u16 {
                relocs::page(kind)
            } else {
                relocs::near(kind, false)
            };
            out.reloc(start, relocation, named(inst), inst.disp.into());
        }
        Form::WideRef => out.reloc(start, relocs::quarter(inst.imm), named(inst), inst.disp.into()),
        Form::LoadLiteral => out.reloc(
            start,
            relocs::near(named(inst).kind(), true),
            named(inst),
            inst.disp.into(),
        ),
        Form::SumLow | Form::SumHigh => {
            let reference = reference_in_immediate(inst);
            let relocation = match code.form {
                Form::SumLow => relocs::low_sum(reference.kind()),
                _ => relocs::high_sum(reference.kind()),
            };
            out.reloc(start, relocation, reference, inst.disp.into());
        }
        Form::BranchRef => {
            let relocation = if inst.op == Op::Bl as u16 {
                relocs::CALL26
            } else {
                relocs::JUMP26
            };
            out.reloc(start, relocation, named(inst), inst.disp.into());
        }
        Form::DescriptorBranch => out.reloc(start, relocs::TLSDESC_CALL, named(inst), 0),
        Form::Load | Form::Store | Form::Prefetch if inst.aux & aux::LOW != 0 => {
            let reference = reference_in_immediate(inst);
            let relocation = relocs::low_access(reference.kind(), code.access_bytes(inst.size));
            out.reloc(start, relocation, reference, inst.disp.into());
        }
        Form::AddressLabel => out.fixup(start, inst.label(), ADDRESS21),
        Form::Branch => out.fixup(start, inst.label(), BRANCH26),
        Form::BranchIf | Form::BranchZero => out.short_fixup(start, inst.label(), BRANCH19),
        Form::BranchBit => out.short_fixup(start, inst.label(), BRANCH14),
        _ => {}
    }
    out.put(&word(inst, row).to_le_bytes());
}

/// The number of a register in instructions.
#[inline]
/// Whether the stack pointer and the zero register, which have one number, are only where the row means them.
fn has_right_31(inst: &MInst, row: &Row) -> bool {
    if row.code.form == Form::Copy {
        return true;
    }
    let is_right = |(slot, operand): (usize, &Option<Operand>)| match *operand {
        Some(operand) if operand.kind == Kind::SizedOrStack => inst.reg(slot) != XZR,
        // A base, which may also be written.
        Some(operand) if slot == 1 && (row.code.form.has_base() || operand.role == Role::UseDef) => true,
        Some(_) => inst.reg(slot) != SP,
        None => true,
    };
    row.operands.iter().enumerate().all(is_right)
}

const fn number(reg: Reg) -> u32 {
    if reg.0 == XZR.0 { 31 } else { reg.number() }
}

fn word(inst: &MInst, row: &Row) -> u32 {
    let code = &row.code;
    match code.form {
        Form::Copy => return copy(inst, code),
        Form::CopyFloat => return vector::copy(inst),
        _ => {}
    }
    let mut word = code.word ^ sized(code, inst);
    let fields = code.form.fields();
    for (slot, field) in fields.into_iter().enumerate() {
        let reg = inst.reg(slot);
        let is_operand = row.operands[slot].is_some() || slot == 1 && code.form.has_mem();
        if field < 32 && reg.is_physical() && is_operand {
            word |= number(reg) << field;
        }
    }
    word | extra(inst, code)
}

/// The bits that the size turns around, which are clear in the row but for words of halves.
fn sized(code: &Code, inst: &MInst) -> u32 {
    let is_long = u32::from(inst.size == 8);
    let log2 = inst.size.trailing_zeros();
    match code.width {
        Width::Fixed => 0,
        Width::Int => is_long << 31,
        Width::IntTwice => is_long << 31 | is_long << 22,
        Width::IntReverse => is_long << 31 | is_long << 10,
        Width::Float => float_type(inst.size),
        Width::FloatInt => is_long << 31 | float_type(inst.size),
        Width::Access => log2 << 30,
        Width::FloatAccess => (log2 & 3) << 30 | (log2 >> 2) << 23,
        // Results of 8 bytes have the bit clear.
        Width::Signed => u32::from(inst.size != 8) << 22,
        Width::Exclusive => is_long << 30,
        Width::Pair => is_long << 31,
        Width::FloatPair => (log2 - 2) << 30,
        _ => vector::sized(code, inst),
    }
}

/// The field that says how wide a float is.
fn float_type(size: u8) -> u32 {
    match size {
        4 => 0,
        8 => 1 << 22,
        _ => 3 << 22,
    }
}

/// A field of so many low bits of a number.
#[inline]
fn bits(value: i32, count: u32, place: u32) -> u32 {
    debug_assert!(value >> count == 0, "{value} has more than {count} bits");
    (value.cast_unsigned() & ((1 << count) - 1)) << place
}

/// The same of a number with a sign.
#[inline]
fn signed_bits(value: i32, count: u32, place: u32) -> u32 {
    debug_assert!(
        value >> (count - 1) == 0 || value >> (count - 1) == -1,
        "{value} has more than {count} bits"
    );
    (value.cast_unsigned() & ((1 << count) - 1)) << place
}

/// What a form has besides registers.
fn extra(inst: &MInst, code: &Code) -> u32 {
    let condition = u32::from(inst.condition());
    let last_bit = if inst.size == 8 { 63 } else { 31 };
    match code.form {
        Form::Imm(place, count) => bits(inst.imm, count.into(), place.into()),
        Form::RrrShift | Form::CompareShift => bits(inst.imm & 63, 6, 10) | bits(inst.imm >> 6, 2, 22),
        Form::RrrExtend | Form::CompareExtend => bits(inst.imm & 7, 3, 10) | bits(inst.imm >> 3, 3, 13),
        Form::Rri | Form::CompareImm => sum(inst.imm),
        Form::RriLogical | Form::CompareLogical => {
            let value = crate::expand::number(inst);
            let code = immediates::logical(value, inst.size).expect("rules ask whether there is one");
            u32::from(code) << 10
        }
        // The accumulator.
        Form::Accumulate => number(inst.reg(0)) << 10,
        Form::Wide => bits(inst.imm, 16, 5) | bits(inst.disp / 16, 2, 21),
        Form::WideRef => bits(inst.imm, 2, 21),
        Form::Bitfield => bits(inst.imm, 6, 16) | bits(inst.disp, 6, 10),
        Form::ShiftLeft => bits(-inst.imm & last_bit, 6, 16) | bits(last_bit - inst.imm, 6, 10),
        Form::ShiftRight => bits(inst.imm, 6, 16) | bits(last_bit, 6, 10),
        Form::Rotate => number(inst.reg(1)) << 16 | bits(inst.imm, 6, 10),
        Form::Extract => bits(inst.imm, 6, 10),
        Form::Select => condition << 12,
        Form::Set => (condition ^ 1) << 12,
        Form::CompareIf => condition << 12 | bits(inst.disp, 4, 0),
        Form::CompareImmIf => bits(inst.imm, 5, 16) | condition << 12 | bits(inst.disp, 4, 0),
        Form::BranchIf => condition,
        Form::BranchBit => bits(inst.disp & 31, 5, 19) | bits(inst.disp >> 5, 1, 31),
        Form::ReadSystem | Form::WriteSystem => bits(inst.imm, 15, 5),
        Form::Load | Form::Store | Form::LoadExtend | Form::StoreExtend => access(inst, code),
        Form::Prefetch => bits(inst.imm, 5, 0) | access(inst, code),
        Form::LoadBefore | Form::StoreBefore | Form::LoadAfter | Form::StoreAfter => signed_bits(inst.imm, 9, 12),
        Form::LoadPair | Form::StorePair => pair(inst.disp, code.access_bytes(inst.size)),
        Form::LoadPairBefore | Form::StorePairBefore | Form::LoadPairAfter | Form::StorePairAfter => {
            pair(inst.imm, code.access_bytes(inst.size))
        }
        Form::LoadOrdered if inst.op == Op::Ldxr as u16 => u32::from(inst.aux & aux::ACQUIRE) << 15,
        Form::LoadExclusivePair => u32::from(inst.aux & aux::ACQUIRE) << 15,
        Form::StoreExclusive => u32::from(inst.aux & aux::RELEASE) << 14,
        Form::StoreExclusivePair => u32::from(inst.aux & aux::RELEASE) << 14 | number(crate::regs::TEMP) << 16,
        Form::Modify => u32::from(inst.aux & aux::ACQUIRE) << 23 | u32::from(inst.aux & aux::RELEASE) << 21,
        Form::CompareExchange | Form::CompareExchangePair => {
            u32::from(inst.aux & aux::ACQUIRE) << 22
                | u32::from(inst.aux & aux::RELEASE) << 14
                | base_of_pair(inst, code)
        }
        Form::FloatImm => bits(inst.imm, 8, 13),
        Form::Vector(form) => vector::extra(inst, form),
        _ => 0,
    }
}

/// The base of a row whose other operands are implied.
fn base_of_pair(inst: &MInst, code: &Code) -> u32 {
    match code.form {
        Form::CompareExchangePair => number(inst.reg(1)) << 5 | number(x(0)) << 16,
        _ => 0,
    }
}

fn sum(imm: i32) -> u32 {
    debug_assert!(immediates::is_sum(imm as u64), "{imm} is no immediate of a sum");
    if imm >> 12 == 0 {
        bits(imm, 12, 10)
    } else {
        bits(imm >> 12, 12, 10) | 1 << 22
    }
}

/// A copy is `orr` with the zero register, whose source is in the field of `m`; the stack pointer is only known to
/// `add`.
fn copy(inst: &MInst, code: &Code) -> u32 {
    let (dst, src) = (inst.reg(0), inst.reg(1));
    if dst == SP || src == SP {
        return 0x1100_0000 | sized(code, inst) | number(dst) | number(src) << 5;
    }
    code.word | sized(code, inst) | number(dst) | number(src) << 16
}

fn pair(disp: i32, bytes: u8) -> u32 {
    signed_bits(disp / i32::from(bytes), 7, 15)
}

/// The address of a load or store, whose row has the word of an unsigned displacement.
fn access(inst: &MInst, code: &Code) -> u32 {
    const SCALED: u32 = 1 << 24;
    let bytes = code.access_bytes(inst.size);
    if inst.aux & aux::LOW != 0 {
        return SCALED;
    }
    let mem = inst.mem();
    if !mem.index_reg().is_none() {
        let extend = match code.form {
            Form::LoadExtend | Form::StoreExtend if inst.aux & aux::SIGNED_INDEX != 0 => crate::expand::extension::SXTW,
            Form::LoadExtend | Form::StoreExtend => crate::expand::extension::UXTW,
            _ => crate::expand::extension::UXTX,
        };
        let is_shifted = mem.scale_log2 != 0;
        return 1 << 21 | number(mem.index_reg()) << 16 | extend << 13 | u32::from(is_shifted) << 12 | 2 << 10;
    }
    let size = i32::from(bytes);
    if mem.disp >= 0 && mem.disp % size == 0 && mem.disp / size < 4096 {
        SCALED | bits(mem.disp / size, 12, 10)
    } else {
        signed_bits(mem.disp, 9, 12)
    }
}

/// The condition that a branch tests, turned around.
#[must_use]
pub fn inverted(branch: &MInst) -> MInst {
    let other = |op: Op| branch.with_op(op as u16);
    match Op::ALL[usize::from(branch.op)] {
        Op::Bcond => branch.with_aux(branch.aux & !15 | Cond::from_number(branch.condition()).inverse() as u8),
        Op::Cbz => other(Op::Cbnz),
        Op::Cbnz => other(Op::Cbz),
        Op::Tbz => other(Op::Tbnz),
        Op::Tbnz => other(Op::Tbz),
        _ => *branch,
    }
}
