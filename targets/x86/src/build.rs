//! Constructors of machine instructions, one per shape of operands.
//!
//! They only fill in fields; which rows take which shape is said by the row's [`crate::ops::Form`] and checked in debug
//! builds.

use crate::cond::Cond;
use crate::evex::Evex;
use crate::ops::Form;
use crate::regs::VECTOR_BYTES;
use crate::rows::{self, FIRST_EVEX, ROWS};
use crate::table::Op;
use frazil_codegen::{Label, MInst, Mem, Ref, RefKind, Reg};
use frazil_ir::SymbolId;

#[inline]
fn new(op: Op, size: u8, forms: &[Form]) -> MInst {
    debug_assert!(
        forms.contains(&ROWS[op as usize].code.form),
        "{op:?} does not take these operands"
    );
    MInst::new(op as u16, size)
}

/// No operands.
#[inline]
pub fn none(op: Op, size: u8) -> MInst {
    new(op, size, &[Form::None, Form::NoneModRm])
}

/// An instruction whose only operand is a register.
#[inline]
pub fn r(op: Op, size: u8, reg: Reg) -> MInst {
    let mut inst = new(op, size, &[Form::R, Form::RC, Form::O, Form::Same]);
    inst.set_reg(0, reg);
    inst
}

/// One memory operand.
#[inline]
pub fn m(op: Op, size: u8, mem: Mem) -> MInst {
    new(op, size, &[Form::M, Form::MC]).with_mem(mem)
}

/// Two registers.
#[inline]
pub fn rr(op: Op, size: u8, dst: Reg, src: Reg) -> MInst {
    let forms = &[Form::StoreRR, Form::LoadRR, Form::Exchange, Form::StoreRRC];
    let mut inst = new(op, size, forms);
    inst.set_reg(0, dst);
    inst.set_reg(1, src);
    inst
}

/// Three registers.
#[inline]
pub fn rrr(op: Op, size: u8, dst: Reg, left: Reg, right: Reg) -> MInst {
    let mut inst = new(op, size, &[Form::Three, Form::ThreeLast, Form::Choice]);
    inst.set_reg(0, dst);
    inst.set_reg(1, left);
    inst.set_reg(2, right);
    inst
}

/// Three registers and an immediate.
#[inline]
pub fn rrri(op: Op, size: u8, dst: Reg, left: Reg, right: Reg, imm: i32) -> MInst {
    let inst = new(op, size, &[Form::ThreeI]);
    let mut inst = inst.with_regs([dst, left, right]);
    inst.imm = imm;
    inst
}

/// A register that is written, one that is read, and a memory operand that is read.
#[inline]
pub fn rrm(op: Op, size: u8, dst: Reg, left: Reg, mem: Mem) -> MInst {
    let mut inst = new(op, size, &[Form::ThreeM]).with_mem(mem);
    inst.set_reg(0, dst);
    inst.set_reg(3, left);
    inst
}

/// A register and a memory operand that is read.
#[inline]
pub fn rm(op: Op, size: u8, dst: Reg, mem: Mem) -> MInst {
    let mut inst = new(op, size, &[Form::RM]).with_mem(mem);
    inst.set_reg(0, dst);
    inst
}

/// A memory operand that is written (or compared first) and a register.
#[inline]
pub fn mr(op: Op, size: u8, mem: Mem, src: Reg) -> MInst {
    let mut inst = new(op, size, &[Form::MR]).with_mem(mem);
    inst.set_reg(0, src);
    inst
}

/// A register and an immediate.
#[inline]
pub fn ri(op: Op, size: u8, dst: Reg, imm: i32) -> MInst {
    let mut inst = new(op, size, &[Form::RI, Form::OI]);
    inst.set_reg(0, dst);
    inst.imm = imm;
    inst
}

/// A memory operand and an immediate.
#[inline]
pub fn mi(op: Op, size: u8, mem: Mem, imm: i32) -> MInst {
    let mut inst = new(op, size, &[Form::MI]).with_mem(mem);
    inst.imm = imm;
    inst
}

/// Two registers and an immediate.
#[inline]
pub fn rri(op: Op, size: u8, dst: Reg, src: Reg, imm: i32) -> MInst {
    let mut inst = new(op, size, &[Form::LoadRRI, Form::StoreRRI]);
    inst.set_reg(0, dst);
    inst.set_reg(1, src);
    inst.imm = imm;
    inst
}

/// A register, a memory operand that is read, and an immediate.
#[inline]
pub fn rmi(op: Op, size: u8, dst: Reg, mem: Mem, imm: i32) -> MInst {
    let mut inst = new(op, size, &[Form::RMI]).with_mem(mem);
    inst.set_reg(0, dst);
    inst.imm = imm;
    inst
}

/// An operation with an EVEX prefix on vectors of so many bytes: registers, [`Reg::NONE`] where there are none, and an
/// immediate.
#[cold]
pub fn evex(op: Evex, bytes: u8, is_masked: bool, regs: [Reg; 3], imm: i32) -> MInst {
    let row = FIRST_EVEX + op.row(bytes, is_masked);
    MInst::new(row, bytes).with_regs(regs).with_imm(imm)
}

/// The same with a register and a memory operand.
#[cold]
pub fn evex_mem(op: Evex, bytes: u8, is_masked: bool, reg: Reg, mem: Mem) -> MInst {
    evex(op, bytes, is_masked, [reg, Reg::NONE, Reg::NONE], 0).with_mem(mem)
}

/// The address of a symbol, constant or table. In position-independent 32-bit code it is relative to a place, which the
/// encoder sees by the scale of an index that such an address does not have.
pub fn near(target: Ref, disp: i32, is_relative: bool) -> Mem {
    let mut mem = Mem::symbol(target, disp);
    mem.scale_log2 = u8::from(is_relative);
    mem
}

/// Whether the address of an instruction is one that [`near`] has made relative.
#[inline]
pub fn is_relative(inst: &MInst) -> bool {
    inst.is_symbol() && inst.mem().scale_log2 != 0
}

/// The place of the global offset table, which is this symbol, in a register: in position-independent 32-bit code. No
/// other address is that of a slot.
pub fn table_place(dst: Reg, table: SymbolId) -> MInst {
    rm(Op::LeaRM, 4, dst, near(Ref::symbol(RefKind::Got, table), 0, true))
}

/// The mark of places to which indirect branches may lead, where registers have so many bytes.
pub fn branch_mark(word_bytes: u8) -> MInst {
    none(if word_bytes == 4 { Op::Endbr32 } else { Op::Endbr64 }, 8)
}

/// An immediate alone.
#[inline]
pub fn i(op: Op, imm: i32) -> MInst {
    let mut inst = new(op, 8, &[Form::I, Form::Nop]);
    inst.imm = imm;
    inst
}

/// `dst = src` if the condition holds.
#[inline]
pub fn cmov(cond: Cond, size: u8, dst: Reg, src: Reg) -> MInst {
    rr(Op::CmovRR, size, dst, src).with_condition(cond as u8)
}

/// The condition as 0 or 1 in the low byte of a register.
#[inline]
pub fn setcc(cond: Cond, dst: Reg) -> MInst {
    r(Op::SetR, 1, dst).with_condition(cond as u8)
}

/// The same in a register that is zero before and so is 0 or 1 after it as a whole.
#[inline]
pub fn set_low(cond: Cond, dst: Reg) -> MInst {
    r(Op::SetLowR, 1, dst).with_condition(cond as u8)
}

/// A branch taken if the condition holds.
#[inline]
pub fn jcc(cond: Cond, label: Label) -> MInst {
    let mut inst = MInst::new(Op::Jcc as u16, 8).with_condition(cond as u8);
    inst.imm = label.0.cast_signed();
    inst
}

/// The same to a label within 127 bytes ahead.
#[inline]
pub fn jcc_short(cond: Cond, label: Label) -> MInst {
    let mut inst = MInst::new(Op::JccShort as u16, 8).with_condition(cond as u8);
    inst.imm = label.0.cast_signed();
    inst
}

/// A branch always taken.
#[inline]
pub fn jmp(label: Label) -> MInst {
    let mut inst = MInst::new(Op::Jmp as u16, 8);
    inst.imm = label.0.cast_signed();
    inst
}

/// The same to a label within 127 bytes ahead.
#[inline]
pub fn jmp_short(label: Label) -> MInst {
    let mut inst = MInst::new(Op::JmpShort as u16, 8);
    inst.imm = label.0.cast_signed();
    inst
}

/// A call of a symbol.
#[inline]
pub fn call(target: Ref) -> MInst {
    branch_ref(Op::CallRef, target)
}

/// What a call of a function names. 32-bit code does not name the procedure linkage table: it does not tell entries of
/// that where the global offset table is, which those of position-independent images ask for. Linkers make an entry in
/// other images, and say so if there is none that serves.
#[inline]
pub fn callee<const W: u8>(function: SymbolId) -> Ref {
    Ref::symbol(if W == 8 { RefKind::Plt } else { RefKind::Symbol }, function)
}

/// A branch or call to a symbol.
#[inline]
pub fn branch_ref(op: Op, target: Ref) -> MInst {
    new(op, 8, &[Form::BranchRef]).with_mem(Mem::symbol(target, 0))
}

/// A constant in a register, without touching the flags, in the shortest encoding. Only the low `size` bytes of the
/// register are given; for sizes 1 and 2 the whole low half is written, since that has no prefix and waits for no
/// older value.
#[inline]
pub fn mov_imm(size: u8, dst: Reg, value: i64) -> MInst {
    match size {
        8 => mov_imm64(dst, value),
        _ => ri(Op::MovRI, 4, dst, value as i32),
    }
}

/// A 64-bit constant in a register, without touching the flags, in the shortest encoding.
#[inline]
pub fn mov_imm64(dst: Reg, value: i64) -> MInst {
    if u32::try_from(value).is_ok() {
        return ri(Op::MovRI, 4, dst, value as i32);
    }
    if let Ok(value) = i32::try_from(value) {
        return ri(Op::MovRI, 8, dst, value);
    }
    let mut inst = new(Op::MovabsRI, 8, &[Form::OI64]);
    inst.set_reg(0, dst);
    inst.imm = value as i32;
    inst.disp = (value >> 32) as i32;
    inst
}

/// The absolute address of a symbol, `addend` bytes further, in a register.
#[inline]
pub fn movabs_ref(dst: Reg, target: Ref, addend: i32) -> MInst {
    let mut inst = new(Op::MovabsRRef, 8, &[Form::ORef]).with_mem(Mem::symbol(target, addend));
    inst.set_reg(0, dst);
    inst
}

/// `dst = base + offset of the symbol + addend`, for thread-local symbols.
#[inline]
pub fn lea_ref(size: u8, dst: Reg, base: Reg, target: Ref, addend: i32) -> MInst {
    let mut inst = new(Op::LeaRRef, size, &[Form::RBaseRef]);
    inst.set_reg(0, dst);
    inst.set_reg(1, base);
    inst.imm = target.0.cast_signed();
    inst.disp = addend;
    inst
}

/// `dst = row(first, second)` on vectors of 256 bits, by a row whose first operand is read and written for 128 bits.
pub fn wide_of_two(row: Op, dst: Reg, first: Reg, second: Reg) -> MInst {
    let mut inst = rows::doubled(&rr(row, VECTOR_BYTES, dst, second)).expect("the row has both widths");
    inst.set_reg(1, first);
    inst
}

/// `dst = row(first, second)` on vectors of 128 bits, which may be the lower halves of wider ones; for functions whose
/// processor has VEX prefixes.
pub fn of_two(row: Op, dst: Reg, first: Reg, second: Reg) -> MInst {
    let mut inst = rows::with_vex(&rr(row, VECTOR_BYTES, dst, second)).expect("the row has a form with a VEX prefix");
    inst.set_reg(1, first);
    inst
}
