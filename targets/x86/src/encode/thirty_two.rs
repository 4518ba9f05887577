//! What 32-bit code has no encoding for, taken apart, and its relocations.
//!
//! *Byte registers.* Only the first four general registers have a low byte that instructions can name (Intel manual,
//! volume 1, table 3-5). An instruction that names the byte of another one stands between two exchanges of that
//! register and one that has a byte, and has the two in each other's place. Exchanges leave the flags alone, and no
//! instruction on bytes reads or writes `ebx`, `edx` or (but for shifts, which name no other register then) `ecx`
//! without naming it. Allocators and rules need not know of it.
//!
//! *Addresses in position-independent code*, and those of labels. They are relative to a place that a call of the next
//! instruction leaves on the stack; processors know such calls. So is the global offset table, which instructions with
//! a slot of it name in their field for displacements.
//!
//! Printer and encoder take the same expansions from here, so that text and bytes agree.

use super::{Out, Place, named, put};
use crate::build::{is_relative, near, r, rm, rr};
use crate::descs::OP_DESCS;
use crate::ops::{Code, Width};
use crate::regs::{RAX, RBX, RCX, RDX, RSP, scratch_of};
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
    /// It gives this register the place of the global offset table.
    Table(Reg),
    /// Its address is counted from that place, which this register holds.
    Based(Reg),
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
            return inst.is_based().then(|| Expansion::Based(inst.reg(1)));
        }
        let is_label = inst.reference().is_some_and(|target| target.kind() == RefKind::Label);
        (is_relative(inst) || is_label && CODES[usize::from(inst.op)].form.has_mem()).then(|| relative(inst))
    }
}

/// What an instruction becomes whose address is relative.
#[cold]
fn relative(inst: &MInst) -> Expansion {
    let is_result = inst.reg(0) != RSP && LOADS.iter().any(|&row| row as u16 == inst.op);
    let is_slot = inst
        .reference()
        .is_some_and(|target| matches!(target.kind(), RefKind::Got | RefKind::TlsInitialExec));
    match (is_slot, is_result) {
        (true, _) if inst.op == Op::LeaRM as u16 => Expansion::Table(inst.reg(0)),
        // That of calls and jumps is one that no argument has.
        (true, _) => Expansion::ThroughTable(inst.reg(0)),
        (false, true) => Expansion::Relative(inst.reg(0), false),
        (false, false) if inst.reg(0) != SCRATCH => Expansion::Relative(SCRATCH, false),
        (false, false) => Expansion::Relative(another(inst), true),
    }
}

/// A register that an instruction neither names nor uses without a name.
fn another(inst: &MInst) -> Reg {
    let desc = &OP_DESCS[usize::from(inst.op)];
    let used = desc.implicit_uses.union(desc.implicit_defs);
    [RAX, RCX, RDX, RBX]
        .into_iter()
        .find(|&reg| inst.reg(0) != reg && !used.contains(reg))
        .expect("no instruction with an address and a register uses three others")
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

/// Whether an instruction may write the scratch register although it does not name it, or become one that does: data is
/// found from where the code is.
pub(crate) fn hides_scratch(inst: &MInst) -> bool {
    is_relative(inst) && matches!(relative(inst), Expansion::Relative(..))
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

/// What becomes of the instruction between the two exchanges. The scratch register must be kept if it holds what the
/// other one did.
pub(crate) fn of_exchanged(inst: &MInst, exchanged: Reg) -> Option<Expansion> {
    let template = Template::of(&CODES[usize::from(inst.op)], inst.size);
    match Expansion::of(&template, inst) {
        Some(Expansion::Relative(SCRATCH, false)) if exchanged == SCRATCH => {
            Some(Expansion::Relative(another(inst), true))
        }
        expansion => expansion,
    }
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
            let exchanged = exchanged(inst, first, second);
            put::<4>(&exchange, buf);
            match of_exchanged(&exchanged, first) {
                Some(expansion) => put_expanded(expansion, &exchanged, buf),
                None => _ = put::<4>(&exchanged, buf),
            }
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
            let table = SymbolId::new(inst.disp.cast_unsigned() as usize);
            put_table(base, table, buf);
            put_from_table(&without_table(inst), base, buf);
        }
        Expansion::Based(base) => put_from_table(&without_base(inst), base, buf),
        Expansion::Table(base) => put_table(base, SymbolId::new(named(inst).number() as usize), buf),
    }
}

/// Appends what brings the place of the global offset table to a register.
fn put_table(base: Reg, table: SymbolId, buf: &mut CodeBuffer) {
    let place = put_place(base, buf);
    let distance = i64::from(buf.offset() - place);
    let address = rm(Op::LeaRM, 4, base, Mem::symbol(Ref::symbol(RefKind::Symbol, table), 0));
    put_as(&address, (base, in_32_bits::GOTPC), distance, buf);
}

/// Appends an instruction whose address is counted from the global offset table, the place of which is in a register.
fn put_from_table(inst: &MInst, base: Reg, buf: &mut CodeBuffer) {
    let kind = match named(inst).kind() {
        RefKind::Got | RefKind::TlsInitialExec => relocation(named(inst).kind(), inst),
        _ => in_32_bits::GOTOFF,
    };
    put_as(inst, (base, kind), 0, buf);
}

/// See [`frazil_codegen::Isa::counted_from`]: counted from the global offset table.
pub(crate) fn counted_from(base: Reg, inst: &MInst) -> Option<MInst> {
    // Where labels are, no linker knows.
    if !is_relative(inst) || named(inst).kind() == RefKind::Label {
        return None;
    }
    let is_slot = matches!(named(inst).kind(), RefKind::Got | RefKind::TlsInitialExec);
    if is_slot && inst.op == Op::LeaRM as u16 {
        return Some(rr(Op::MovRR, 4, inst.reg(0), base));
    }
    // The name of the table is needed no more.
    let disp = if is_slot { 0 } else { inst.disp };
    let mut based = inst.with_mem(Mem::based(base, named(inst), disp));
    if inst.op == Op::CallM as u16 {
        based.set_reg(0, Reg::NONE);
    }
    Some(based)
}

/// The instruction as one whose address is relative, without its base register.
pub(crate) fn without_base(inst: &MInst) -> MInst {
    inst.with_mem(near(named(inst), inst.disp, true))
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
        return out.reloc32(relocation(target.kind(), inst), target, inst.disp.into());
    };
    out.byte(0x80 | reg_field | super::number(place.base) & 7);
    let addend = i64::from(inst.disp) + place.distance + out.len as i64;
    if let Some(kind) = place.kind {
        let counts_from_place = kind == in_32_bits::GOTPC;
        let addend = if counts_from_place { addend } else { inst.disp.into() };
        return out.reloc32(kind, target, addend);
    }
    if target.kind() == RefKind::Label {
        out.fixup32(relocs::REL32, Label(target.number()), addend as i32);
    } else {
        out.reloc32(in_32_bits::PC32, target, addend);
    }
}

/// A move between the accumulator and memory, with an opcode of its own.
#[cold]
pub(super) fn accumulator(out: &mut Out<'_>, template: &Template, inst: &MInst) {
    super::begin(out, template, 0, 0, 0);
    match inst.reference() {
        Some(target) => out.reloc32(relocation(target.kind(), inst), target, inst.disp.into()),
        None => out.word(inst.disp.cast_unsigned(), 4),
    }
}

/// The relocation of a field of 4 bytes. Slots of the global offset table are relative to it in position-independent
/// code.
pub(super) fn relocation(kind: RefKind, inst: &MInst) -> u8 {
    match kind {
        RefKind::Symbol | RefKind::Constant | RefKind::Block | RefKind::Foreign | RefKind::Table => in_32_bits::ABS32,
        RefKind::Plt => in_32_bits::PLT32,
        RefKind::Got if is_rewritten(inst) => in_32_bits::GOT32X,
        RefKind::Got => in_32_bits::GOT32,
        RefKind::TlsGeneralDynamic => in_32_bits::TLS_GD,
        RefKind::TlsLocalDynamic => in_32_bits::TLS_LDM,
        RefKind::TlsDtpOffset => in_32_bits::TLS_LDO,
        RefKind::TlsInitialExec if is_relative(inst) => in_32_bits::TLS_GOTIE,
        RefKind::TlsInitialExec => in_32_bits::TLS_IE,
        RefKind::TlsLocalExec => in_32_bits::TLS_LE,
        RefKind::Label => unreachable!("labels are relative to a place"),
    }
}

/// Whether linkers may rewrite an instruction with a slot of the global offset table (System V ABI for Intel386,
/// section A.2).
fn is_rewritten(inst: &MInst) -> bool {
    let code = &CODES[usize::from(inst.op)];
    let has_short_form = whole_address(inst).is_some() && !is_relative(inst);
    code.has(Code::RELAXABLE) && (code.width != Width::Int || inst.size >= 4 && !has_short_form)
}

/// The opcode without ModRM byte of a move between the accumulator and a place that an address of 4 bytes alone gives
/// (Intel manual, `MOV`).
pub(super) fn whole_address(inst: &MInst) -> Option<u8> {
    let code = &CODES[usize::from(inst.op)];
    let is_move = code.map == 0 && matches!(code.opcode, 0x89 | 0x8b) && !code.has(Code::VEX);
    let opcode = if code.opcode == 0x8b { 0xa0 } else { 0xa2 };
    (is_move && inst.reg(0) == RAX).then_some(opcode | u8::from(inst.size > 1))
}

/// The opcode without ModRM byte of an increment or decrement of a register (Intel manual, `INC`).
#[inline]
pub(super) fn short_count(template: &Template, inst: &MInst) -> Option<u8> {
    let is_count =
        template.opcode == 0xff && template.escape_bytes == 0 && template.reg_mask == 0 && template.digit < 2;
    is_count.then(|| 0x40 | template.digit << 3 | super::number(inst.reg(0)))
}
