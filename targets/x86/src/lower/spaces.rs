//! Address spaces of x86, numbered as in LLVM (`X86.h`): 256, 257 and 258 are what the segments `gs`, `fs` and `ss`
//! lead to, 270 and 271 hold pointers of 32 bits that are sign- or zero-extended, and 272 those of 64 bits beside them.
//!
//! Method: the rules of the default space are used through a context of their own, which extends addresses and puts the
//! prefix of the segment before every instruction that accesses memory; both are one group. Copies are done here, since
//! each side has its own space, and only in line: no library function knows segments.

use super::forward::forward_requests;
use super::memory::{MAX_INLINE_BYTES, at};
use super::{atomic, extend, int_bits, memory, result, type_of};
use crate::build::*;
use crate::rows::CODES;
use crate::table::Op;
use frazil_codegen::included::{RARE, left_out};
use frazil_codegen::{AreaArgument, CallSequence, CodegenError, GroupKind, LowerCtx, MInst, Mem, Ref, Reg, RegClass};
use frazil_ir::{InstData, MemFlags, Opcode, Operand, Ordering, Refusal, RuntimeFunction, Type, TypeData, Value};

const GS: u32 = 256;
const FS: u32 = 257;
const SS: u32 = 258;
const SIGNED_32: u32 = 270;
const UNSIGNED_32: u32 = 271;
const WIDE: u32 = 272;

/// The size of pointers into a space in bytes, where general registers have `word_bytes`; 0 if there is no such space.
/// 32-bit code has the segments alone.
pub fn pointer_bytes(space: u32, word_bytes: u8) -> u8 {
    match space {
        0 | GS | FS | SS => word_bytes,
        WIDE if word_bytes == 8 => 8,
        SIGNED_32 | UNSIGNED_32 if word_bytes == 8 => 4,
        _ => 0,
    }
}

fn space_of<C: LowerCtx>(cx: &C, pointer: Operand) -> u32 {
    match cx.func().operand_type(pointer).map(|ty| cx.func().types().data(ty)) {
        Some(TypeData::Ptr(space)) => space,
        _ => 0,
    }
}

/// The prefix of a space's segment.
fn segment(space: u32) -> Option<Op> {
    match space {
        GS => Some(Op::SegGs),
        FS => Some(Op::SegFs),
        SS => Some(Op::SegSs),
        _ => None,
    }
}

/// Lowers an access, or a cast from one space to another.
pub fn lower<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    if !RARE {
        return Err(left_out(Refusal::AddressSpace, "other address spaces", "rare"));
    }
    let is_atomic = MemFlags(data.flags).ordering() != Ordering::NotAtomic;
    let (op, pointer) = match (data.op, is_atomic) {
        (Opcode::Addrspacecast, _) => return cast(cx, data),
        (Opcode::SpaceCopy, _) => return copy(cx, data),
        (Opcode::SpaceSet, _) => return fill(cx, data),
        (Opcode::SpaceLoad, false) => (Opcode::Load, data.a),
        (Opcode::SpaceLoad, true) => (Opcode::AtomicLoad, data.a),
        (Opcode::SpaceStore, false) => (Opcode::Store, data.b),
        (Opcode::SpaceStore, true) => (Opcode::AtomicStore, data.b),
        (Opcode::SpaceRmw, _) => (Opcode::AtomicRmw, data.a),
        _ => (Opcode::Cmpxchg, data.a),
    };
    let segment = segment(space_of(cx, pointer));
    let data = InstData { op, ..*data };
    let mut inner = InSpace {
        cx,
        segment,
        in_group: false,
    };
    match op {
        Opcode::Load => memory::load(&mut inner, &data),
        Opcode::Store => memory::store(&mut inner, &data),
        _ => atomic::atomic(&mut inner, &data),
    }
}

/// Pointers of 32 bits are cut off or extended, others stay as they are.
fn cast<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let from_type = type_of(cx, data.a);
    let (from, to) = (int_bits(cx, from_type), int_bits(cx, data.ty));
    if from == 0 || to == 0 {
        return Err(CodegenError::unsupported(
            Refusal::AddressSpace,
            "a cast of vectors between address spaces",
        ));
    }
    let is_signed = space_of(cx, data.a) == SIGNED_32;
    let src = cx.use_last(data.a, 0);
    let dst = cx.def_reuse(result(data), 0, src);
    if from < to {
        extend(cx, dst, dst, from, is_signed, 8);
    }
    Ok(())
}

/// The memory operand after a pointer into any space, in registers of the rule.
fn address<C: LowerCtx>(cx: &mut C, pointer: Operand, span_bytes: u32) -> Mem {
    let space = space_of(cx, pointer);
    if space == 0 {
        return cx.use_addr(pointer, span_bytes);
    }
    if pointer_bytes(space, C::WORD_BYTES) == C::WORD_BYTES {
        return Mem::base(cx.use_reg(pointer, 0), 0);
    }
    let whole = cx.use_copy(pointer, 0);
    extend(cx, whole, whole, 32, space == SIGNED_32, 8);
    Mem::base(whole, 0)
}

/// Emits an instruction whose memory operand is in a segment.
fn emit_in<C: LowerCtx>(cx: &mut C, segment: Option<Op>, inst: MInst) {
    let Some(segment) = segment else {
        cx.emit(inst);
        return;
    };
    cx.begin_group(GroupKind::Plain);
    cx.emit(none(segment, 8));
    cx.emit(inst);
    cx.end_group();
}

/// The length of a block operation, known and short.
fn known_length(length: Operand) -> Result<u32, CodegenError> {
    let known = length.as_imm().and_then(|length| u32::try_from(length).ok());
    known.filter(|&length| length <= MAX_INLINE_BYTES).ok_or_else(|| {
        CodegenError::unsupported(
            Refusal::AddressSpace,
            "a block operation in another address space that is long or of unknown length",
        )
    })
}

/// The pieces of a block: offset and bytes.
fn pieces(length: u32, word_bytes: u8) -> impl DoubleEndedIterator<Item = (u32, u32)> {
    let word = u32::from(word_bytes);
    let whole = (0..length / word).map(move |index| (index * word, word));
    let rest = length % word;
    let tail = [4, 2, 1].into_iter().filter(move |bytes| rest & bytes != 0);
    whole.chain(tail.map(move |bytes| (length - rest + (rest & !(2 * bytes - 1)), bytes)))
}

/// Copies of more pieces that are registers are refused: a rule cannot hold more.
const MAX_COPIED_WORDS: u32 = 2;

/// Reads all pieces before it writes the first, so that it does not matter whether the ranges overlap.
fn copy<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (source, length) = cx.func().ternary(data);
    let length = known_length(length)?;
    let (to_segment, from_segment) = (segment(space_of(cx, data.a)), segment(space_of(cx, source)));
    let to = address(cx, data.a, length);
    let from = address(cx, source, length);
    if length > MAX_COPIED_WORDS * u32::from(C::WORD_BYTES) {
        return Err(CodegenError::unsupported(
            Refusal::AddressSpace,
            format!("a copy of {length} bytes from or to another address space"),
        ));
    }
    let held: Vec<Reg> = pieces(length, C::WORD_BYTES).map(|_| cx.temp(RegClass::Int)).collect();
    for ((offset, bytes), &reg) in pieces(length, C::WORD_BYTES).zip(&held) {
        emit_in(cx, from_segment, load_piece(reg, at(from, offset), bytes));
    }
    for ((offset, bytes), &reg) in pieces(length, C::WORD_BYTES).zip(&held) {
        emit_in(cx, to_segment, mr(Op::MovMR, bytes as u8, at(to, offset), reg));
    }
    Ok(())
}

fn load_piece(dst: Reg, mem: Mem, bytes: u32) -> MInst {
    match bytes {
        1 => rm(Op::MovzxBRM, 4, dst, mem),
        2 => rm(Op::MovzxWRM, 4, dst, mem),
        _ => rm(Op::MovRM, bytes as u8, dst, mem),
    }
}

fn fill<C: LowerCtx>(cx: &mut C, data: &InstData) -> Result<(), CodegenError> {
    let (byte, length) = cx.func().ternary(data);
    let length = known_length(length)?;
    let segment = segment(space_of(cx, data.a));
    let pattern = super::extended_copy(cx, byte, 8, false, C::WORD_BYTES);
    let to = address(cx, data.a, length);
    memory::repeat_byte(cx, pattern);
    for (offset, bytes) in pieces(length, C::WORD_BYTES) {
        emit_in(cx, segment, mr(Op::MovMR, bytes as u8, at(to, offset), pattern));
    }
    Ok(())
}

/// The context in which a rule of the default space does its work for another one.
struct InSpace<'c, C: LowerCtx> {
    cx: &'c mut C,
    segment: Option<Op>,
    in_group: bool,
}

impl<C: LowerCtx> LowerCtx for InSpace<'_, C> {
    const WORD_BYTES: u8 = C::WORD_BYTES;

    fn use_addr(&mut self, pointer: Operand, span_bytes: u32) -> Mem {
        address(self.cx, pointer, span_bytes)
    }

    fn emit(&mut self, inst: MInst) {
        let form = CODES[usize::from(inst.op)].form;
        // What has a symbol as base is a constant of the rule.
        let is_access = form.has_mem() && !inst.is_symbol();
        match self.segment.filter(|_| is_access) {
            Some(segment) if self.in_group => {
                self.cx.emit(none(segment, 8));
                self.cx.emit(inst);
            }
            segment => emit_in(self.cx, segment, inst),
        }
    }

    fn begin_group(&mut self, kind: GroupKind) {
        self.in_group = true;
        self.cx.begin_group(kind);
    }

    fn end_group(&mut self) {
        self.in_group = false;
        self.cx.end_group();
    }

    fn call_runtime_with(
        &mut self,
        _: RuntimeFunction,
        _: &[(Operand, Type)],
        _: &[AreaArgument],
        _: Option<Value>,
    ) -> Result<(), CodegenError> {
        Err(CodegenError::unsupported(
            Refusal::AddressSpace,
            "a library call for an access in another address space",
        ))
    }

    fn call_sequence(&mut self, _: &CallSequence<'_>, _: Value) -> Result<(), CodegenError> {
        Err(CodegenError::unsupported(
            Refusal::AddressSpace,
            "a library call for an access in another address space",
        ))
    }

    forward_requests!(cx);

    fn pool_constant(&mut self, bytes: &[u8]) -> Ref {
        self.cx.pool_constant(bytes)
    }
}
