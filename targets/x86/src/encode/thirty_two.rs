//! What 32-bit code has no encoding for, taken apart, and its relocations.
//!
//! *Byte registers.* Only the first four general registers have a low byte that instructions can name (Intel manual,
//! volume 1, table 3-5). An instruction that names the byte of another one stands between two exchanges of that register
//! and one that has a byte, and has the two in each other's place. Exchanges leave the flags alone, and no instruction on
//! bytes reads or writes `ebx`, `edx` or (but for shifts, which name no other register then) `ecx` without naming it.
//! Allocators and rules need not know of it; they prefer registers that have a byte.
//!
//! *Addresses in position-independent code*, and those of labels. They are relative to a place that a call of the next
//! instruction leaves on the stack; processors know such calls. So is the global offset table, which instructions with
//! a slot of it name in their field for displacements.
//!
//! Printer and encoder take the same expansions from here, so that text and bytes agree.

use super::{Out, Place, named, put};
use crate::build::{is_relative, r, rm, rr};
use crate::regs::{RAX, RBX, RCX, RDX, scratch_of};
use crate::relocs::{self, in_32_bits};
use crate::rows::CODES;
use crate::table::Op;
use crate::template::Template;
use frazil_codegen::{CodeBuffer, Label, MInst, Mem, Ref, RefKind, Reg};
use frazil_ir::{EntityRef, SymbolId};

/// What stands for an instruction that has no encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expansion {
    /// It names the byte of the first register, and does its work with the two exchanged.
    Exchange(Reg, Reg),
    /// Its address is relative to a place, which this register holds then. Whether the register is to be kept.
    Relative(Reg, bool),
    /// Its operand is a slot of the global offset table, whose place this register holds then.
    ThroughTable(Reg),
}

impl Expansion {
    /// What an instruction becomes; `None` if it has an encoding.
    #[inline]
    pub(crate) fn of(template: &Template, inst: &MInst) -> Option<Expansion> {
        if template.byte_reg | template.byte_rm != 0
            && let Some(reg) = without_byte(template, inst)
        {
            return Some(Expansion::Exchange(reg, partner(inst)));
        }
        if !inst.is_symbol() {
            return None;
        }
        let is_label = inst.reference().is_some_and(|target| target.kind() == RefKind::Label);
        (is_relative(inst) || is_label && CODES[usize::from(inst.op)].form.has_mem()).then(|| relative(inst))
    }
}

/// What an instruction becomes whose address is relative.
#[cold]
fn relative(inst: &MInst) -> Expansion {
    let is_result = LOADS.iter().any(|&row| row as u16 == inst.op);
    let is_slot = inst
        .reference()
        .is_some_and(|target| matches!(target.kind(), RefKind::Got | RefKind::TlsInitialExec));
    match (is_slot, is_result) {
        (true, true) => Expansion::ThroughTable(inst.reg(0)),
        // Calls and jumps, which no argument of passes in this register.
        (true, false) => Expansion::ThroughTable(RAX),
        (false, true) => Expansion::Relative(inst.reg(0), false),
        (false, false) if inst.reg(0) != SCRATCH => Expansion::Relative(SCRATCH, false),
        (false, false) => Expansion::Relative(RAX, true),
    }
}

/// Rows that read nothing but their address before they write a whole general register.
const LOADS: [Op; 7] = [
    Op::LeaRM,
    Op::MovRM,
    Op::MovzxLRM,
    Op::MovzxBRM,
    Op::MovzxWRM,
    Op::MovsxBRM,
    Op::MovsxWRM,
];

const SCRATCH: Reg = scratch_of(4);

/// Whether an instruction writes the scratch register.
pub(crate) fn writes_scratch(inst: &MInst) -> bool {
    (0..3).any(|slot| inst.reg(slot) == SCRATCH)
        || is_relative(inst) && matches!(relative(inst), Expansion::Relative(SCRATCH, _))
}

/// The register whose byte an instruction names although there is none.
#[inline]
fn without_byte(template: &Template, inst: &MInst) -> Option<Reg> {
    let has_mem = CODES[usize::from(inst.op)].form.has_mem();
    let named = [
        (template.byte_reg != 0, template.reg_slot),
        (template.byte_rm != 0 && !has_mem, template.rm_slot),
    ];
    let is_without = |reg: Reg| reg.bank() == 0 && reg.number() >= 4;
    named
        .into_iter()
        .filter(|&(is_byte, _)| is_byte)
        .map(|(_, slot)| inst.reg(usize::from(slot & 1)))
        .find(|&reg| is_without(reg))
}

/// A register to be exchanged with: one with a byte that the instruction does not name.
fn partner(inst: &MInst) -> Reg {
    let is_named = |reg: Reg| (0..3).any(|slot| inst.reg(slot) == reg);
    let mut candidates = [RBX, RDX, RCX].into_iter();
    candidates
        .find(|&reg| !is_named(reg))
        .expect("an instruction names two more registers at most")
}

/// The instruction with two registers in each other's place.
pub(crate) fn exchanged(inst: &MInst, first: Reg, second: Reg) -> MInst {
    let mut renamed = *inst;
    let slots = if inst.is_symbol() { 1 } else { 3 };
    for slot in 0..slots {
        match inst.reg(slot) {
            reg if reg == first => renamed.set_reg(slot, second),
            reg if reg == second => renamed.set_reg(slot, first),
            _ => {}
        }
    }
    renamed
}

/// What stands before and after the instruction then.
pub(crate) fn exchange(first: Reg, second: Reg) -> MInst {
    rr(Op::XchgRR, 4, first, second)
}

/// A call of the next instruction.
const CALL_NEXT: [u8; 5] = [0xe8, 0, 0, 0, 0];

/// Appends the instructions.
#[cold]
#[inline(never)]
pub(super) fn put_expanded(expansion: Expansion, inst: &MInst, buf: &mut CodeBuffer) {
    match expansion {
        Expansion::Exchange(first, second) => {
            let exchange = exchange(first, second);
            put::<4>(&exchange, buf);
            put::<4>(&exchanged(inst, first, second), buf);
            put::<4>(&exchange, buf);
        }
        Expansion::Relative(base, is_kept) => {
            if is_kept {
                put::<4>(&r(Op::PushR, 8, base), buf);
            }
            let place = put_place(base, buf);
            let distance = i64::from(buf.offset() - place);
            let kind = None;
            put_relative(inst, Place { base, distance, kind }, buf);
            if is_kept {
                put::<4>(&r(Op::PopR, 8, base), buf);
            }
        }
        Expansion::ThroughTable(base) => {
            let place = put_place(base, buf);
            let table = Ref::symbol(RefKind::Symbol, SymbolId::new(inst.disp.cast_unsigned() as usize));
            let distance = i64::from(buf.offset() - place);
            let address = rm(Op::LeaRM, 4, base, Mem::symbol(table, 0));
            put_as(&address, (base, in_32_bits::GOTPC), distance, buf);
            put_as(&without_table(inst), (base, in_table(named(inst).kind())), 0, buf);
        }
    }
}

/// The instruction without the name of the table.
pub(crate) fn without_table(inst: &MInst) -> MInst {
    let mut slot = *inst;
    slot.disp = 0;
    slot
}

/// Appends what brings the address after a call to a register; gives where that is.
fn put_place(base: Reg, buf: &mut CodeBuffer) -> u32 {
    buf.put(&CALL_NEXT);
    let place = buf.offset();
    put::<4>(&r(Op::PopR, 8, base), buf);
    place
}

/// The relocation of a slot of the global offset table by its distance from the table's place.
fn in_table(kind: RefKind) -> u8 {
    match kind {
        RefKind::TlsInitialExec => in_32_bits::TLS_GOTIE,
        _ => in_32_bits::GOT32X,
    }
}

/// Appends an instruction whose address is a register and a field of this relocation, which counts from `distance`
/// bytes before the instruction if it counts from a place.
fn put_as(inst: &MInst, (base, kind): (Reg, u8), distance: i64, buf: &mut CodeBuffer) {
    let code = &CODES[usize::from(inst.op)];
    let template = Template::of(code, inst.size);
    Out::fill::<4, _>(buf, |out| {
        out.place = Some(Place {
            base,
            distance,
            kind: Some(kind),
        });
        super::write_other(out, &template, code, inst);
    });
}

/// Appends an instruction whose address is relative to a place.
fn put_relative(inst: &MInst, place: Place, buf: &mut CodeBuffer) {
    let code = &CODES[usize::from(inst.op)];
    let template = Template::of(code, inst.size);
    Out::fill::<4, _>(buf, |out| {
        out.place = Some(place);
        super::write_other(out, &template, code, inst);
    });
}

/// ModRM and displacement of an address that a symbol, constant or label gives, with its relocation or fixup.
pub(super) fn symbol_operand(out: &mut Out<'_>, inst: &MInst, reg: u8, target: Ref) {
    let reg_field = (reg & 7) << 3;
    let Some(place) = out.place else {
        out.byte(reg_field | 5);
        return out.reloc32(relocation(target.kind()), target, inst.disp.into());
    };
    out.byte(0x80 | reg_field | super::number(place.base) & 7);
    let addend = i64::from(inst.disp) + place.distance + out.len as i64;
    if let Some(kind) = place.kind {
        let counts_from_place = kind == in_32_bits::GOTPC;
        return out.reloc32(kind, target, if counts_from_place { addend } else { 0 });
    }
    if target.kind() == RefKind::Label {
        out.fixup32(relocs::REL32, Label(target.number()), addend as i32);
    } else {
        out.reloc32(in_32_bits::PC32, target, addend);
    }
}

/// The relocation of a field of 4 bytes.
pub(super) fn relocation(kind: RefKind) -> u8 {
    match kind {
        RefKind::Symbol | RefKind::Constant | RefKind::Block | RefKind::Foreign | RefKind::Table => in_32_bits::ABS32,
        RefKind::Plt => in_32_bits::PLT32,
        RefKind::Got => in_32_bits::GOT32X,
        RefKind::TlsGeneralDynamic => in_32_bits::TLS_GD,
        RefKind::TlsLocalDynamic => in_32_bits::TLS_LDM,
        RefKind::TlsDtpOffset => in_32_bits::TLS_LDO,
        RefKind::TlsInitialExec => in_32_bits::TLS_IE,
        RefKind::TlsLocalExec => in_32_bits::TLS_LE,
        RefKind::Label => unreachable!("labels are relative to a place"),
    }
}
