//! Materialization of constants, symbols and places in registers.

use super::Context;
use super::address::Addressing;
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::minst::Mem;
use crate::reference::{Ref, RefKind};
use crate::reg::{Reg, RegClass};
use crate::vectors::{VectorShape, constant_bits};
use frazil_ir::{Block, ConstView, EntityRef, Function, Operand, Refusal, SymbolId, Type};

/// Bytes of the parts in which constants of wide vectors are given to targets.
const PART_BYTES: u8 = 16;
/// How many parts there are at most.
const MOST_PARTS: usize = 4;

/// The part of [`Context`] that makes operands which no instruction computed.
pub(crate) trait Constants<'a>: Context<'a> {
    /// The class of a constant, symbol or place.
    fn fresh_class(&self, operand: Operand) -> RegClass {
        match operand.as_const() {
            Some(id) => self.parts_of(self.function().consts()[id.index()].ty).class(),
            None => RegClass::Int,
        }
    }

    /// Puts a part of a constant, symbol or place into a register, touching no other and no flags. `imm_bytes` is the
    /// width of an immediate.
    fn make_fresh(&mut self, operand: Operand, part: u8, dst: Reg, imm_bytes: u8) {
        if let Some(imm) = operand.as_imm() {
            let value = if part == 0 { imm } else { imm >> 63 };
            let isa = self.isa();
            isa.int_constant(self, dst, imm_bytes, value);
        } else if let Some((base, distance)) = self.place(operand) {
            if let Err(error) = self.place_to_reg(dst, base, distance) {
                self.keep_error(error);
            }
        } else if let Some(id) = operand.as_const() {
            let (ty, view) = self.function().constant(id);
            self.make_constant(ty, view, part, dst);
        }
    }

    /// A float constant other than zero as a memory operand, where the target has that.
    fn constant_in_memory(&mut self, operand: Operand) -> Option<Mem> {
        let function = self.function();
        let (ty, ConstView::Float(words)) = function.constant(operand.as_const()?) else {
            return None;
        };
        let (isa, parts) = (self.isa(), self.parts_of(ty));
        let bits = slice_words(words, 0, parts.bytes, false);
        if parts.count != 1 || bits == 0 {
            return None;
        }
        isa.float_constant_mem(self, parts.bytes, bits)
    }

    /// Puts the address of a block of a function into a register.
    #[cold]
    fn make_block_address(&mut self, function: SymbolId, block: Block, dst: Reg) {
        let reference = if self.function().symbol() == Some(function) {
            let Some(label) = self.base().address_label(block) else {
                self.keep_error(CodegenError::unsupported(
                    Refusal::Instruction,
                    "the address of a block that does not exist",
                ));
                return;
            };
            if !self.isa().reaches_blocks(self.function().insts().len()) {
                let isa = self.isa();
                let in_code = isa.table_entry_fixup().is_some();
                let table = self.base_mut().buf.jump_table(std::iter::once(label), in_code);
                isa.distant_block_addr(self, dst, table);
                return;
            }
            Ref::new(RefKind::Label, label.0)
        } else {
            self.base_mut().buf.foreign_block(function, block)
        };
        let isa = self.isa();
        if let Err(error) = isa.block_addr(self, dst, reference) {
            self.keep_error(error);
        }
    }

    /// Puts a constant vector of two or four parts of 128 bits into a register.
    #[cold]
    fn make_wide_constant(&mut self, ty: Type, lanes: &[Operand], bytes: u8, dst: Reg) {
        let isa = self.isa();
        let mut parts = [0; MOST_PARTS];
        let parts = &mut parts[..usize::from(bytes / PART_BYTES)];
        match wide_bits(self.function(), ty, lanes, parts) {
            Some(()) => isa.wide_constant(self, dst, parts),
            None => self.keep_error(crate::abi::unsupported_type(self.function().types(), ty)),
        }
    }

    /// Puts a part of an entry of the constant table into a register.
    fn make_constant(&mut self, ty: Type, view: ConstView<'_>, part: u8, dst: Reg) {
        let (isa, parts) = (self.isa(), self.parts_of(ty));
        if parts.count == 0 {
            self.keep_error(crate::abi::unsupported_type(self.function().types(), ty));
            return;
        }
        let bits = match view {
            ConstView::Int(words) => slice_words(words, part, parts.bytes, true),
            ConstView::Float(words) => slice_words(words, part, parts.bytes, false),
            ConstView::Zero => 0,
            // Any contents will do.
            ConstView::Undef | ConstView::Poison => return,
            ConstView::Vector(lanes) if parts.is_wide_vector() => {
                return self.make_wide_constant(ty, lanes, parts.bytes, dst);
            }
            ConstView::BlockAddress(symbol, block) => return self.make_block_address(symbol, block, dst),
            ConstView::Vector(lanes) if let Some(bits) = vector_bits(self.function(), ty, parts.bytes, lanes) => bits,
            ConstView::Vector(_) => {
                self.keep_error(CodegenError::unsupported(
                    Refusal::Vector,
                    "a constant vector with an address",
                ));
                return;
            }
            ConstView::Symbol(..) | ConstView::Asm(_) => {
                self.keep_error(CodegenError::unsupported(
                    Refusal::Instruction,
                    format!("a constant of kind {view:?}"),
                ));
                return;
            }
        };
        if parts.float {
            isa.float_constant(self, dst, parts.bytes, bits);
        } else {
            isa.int_constant(self, dst, parts.bytes, bits as i64);
        }
    }
}

impl<'a, C: Context<'a>> Constants<'a> for C {}

/// The register contents of a constant vector that is [computed wide](crate::vectors), in equal parts.
#[cold]
fn wide_bits(function: &Function, ty: Type, lanes: &[Operand], parts: &mut [u128]) -> Option<()> {
    let shape = VectorShape::of(function.types(), ty, PART_BYTES * parts.len() as u8)?;
    let lanes_of_part = lanes.len() / parts.len();
    for (part, lanes) in parts.iter_mut().zip(lanes.chunks(lanes_of_part)) {
        *part = constant_bits(function, shape, lanes)?;
    }
    Some(())
}

/// The part of a multi-word constant; integers are sign-extended beyond their words.
fn slice_words(words: &[u64], part: u8, bytes: u8, signed: bool) -> u128 {
    let fill = if signed && words.last().is_some_and(|&word| word >> 63 != 0) {
        u64::MAX
    } else {
        0
    };
    let word = |index: usize| words.get(index).copied().unwrap_or(fill);
    let bit = usize::from(part) * usize::from(bytes) * 8;
    if bytes == 16 {
        return u128::from(word(bit / 64)) | u128::from(word(bit / 64 + 1)) << 64;
    }
    let value = word(bit / 64) >> (bit % 64);
    let shift = 64 - 8 * u32::from(bytes.min(8));
    if signed {
        ((value << shift).cast_signed() >> shift) as u128
    } else {
        u128::from(value << shift >> shift)
    }
}

/// The register contents of a constant vector.
#[cold]
fn vector_bits(function: &Function, ty: Type, register_bytes: u8, lanes: &[Operand]) -> Option<u128> {
    constant_bits(function, VectorShape::of(function.types(), ty, register_bytes)?, lanes)
}
