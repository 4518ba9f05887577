//! Conversions: of constants, and of what was converted before.

use super::{Folded, Folder, Rule, unary};
use crate::constants::{low_mask, sign_extended, zero_extended};
use frazil_ir::{Inst, InstData, Opcode, Type};

impl Folder<'_> {
    pub(super) fn fold_cast(&mut self, inst: Inst, data: &InstData) -> Rule {
        // The operand itself may have become an immediate, which does not know its type.
        let from = self.type_of(self.f.inst(inst).a)?;
        if from == data.ty && data.op == Opcode::Bitcast {
            return Some(Folded::To(data.a));
        }
        match data.op {
            Opcode::Trunc | Opcode::Zext | Opcode::Sext => self.fold_int_cast(data, from),
            Opcode::Ptrtoint | Opcode::Inttoptr | Opcode::Bitcast => self.fold_same_bits(data, from),
            _ => self.fold_float_cast(data, from),
        }
    }

    fn fold_int_cast(&mut self, data: &InstData, from: Type) -> Rule {
        let (from_bits, to_bits) = (self.int_bits(from)?, self.int_bits(data.ty)?);
        if let Some(value) = self.int(data.a) {
            let value = match data.op {
                Opcode::Trunc => sign_extended(value, to_bits),
                Opcode::Zext => zero_extended(value, from_bits).cast_signed(),
                _ => value,
            };
            return self.int_result(data.ty, value);
        }
        let inner = self.def(data.a)?;
        match data.op {
            Opcode::Trunc => self.fold_trunc(data, &inner, to_bits),
            Opcode::Zext => self.fold_zext(data, &inner, from_bits, to_bits),
            _ => self.fold_sext(data, &inner, from_bits),
        }
    }

    fn fold_trunc(&mut self, data: &InstData, inner: &InstData, to_bits: u32) -> Rule {
        match inner.op {
            Opcode::Zext | Opcode::Sext => {
                let narrow = self.type_of(inner.a)?;
                let narrow_bits = self.int_bits(narrow)?;
                if narrow == data.ty {
                    return Some(Folded::To(inner.a));
                }
                let op = if narrow_bits < to_bits { inner.op } else { Opcode::Trunc };
                unary(op, data.ty, inner.a)
            }
            Opcode::Trunc => {
                self.type_of(inner.a)?;
                unary(Opcode::Trunc, data.ty, inner.a)
            }
            Opcode::And => {
                // Bits that are cut anyway.
                let kept = zero_extended(self.int(inner.b)?, to_bits) == low_mask(to_bits);
                self.type_of(inner.a).filter(|_| kept)?;
                unary(Opcode::Trunc, data.ty, inner.a)
            }
            _ => None,
        }
    }

    fn fold_zext(&mut self, data: &InstData, inner: &InstData, from_bits: u32, to_bits: u32) -> Rule {
        match inner.op {
            Opcode::Zext => {
                self.type_of(inner.a)?;
                unary(Opcode::Zext, data.ty, inner.a)
            }
            // Cut and filled with zeros again, where there were zeros.
            Opcode::Trunc if self.type_of(inner.a)? == data.ty => {
                let possible = self.possible_bits(inner.a, to_bits, 3);
                (possible & !low_mask(from_bits) == 0).then_some(Folded::To(inner.a))
            }
            _ => None,
        }
    }

    fn fold_sext(&mut self, data: &InstData, inner: &InstData, from_bits: u32) -> Rule {
        match inner.op {
            Opcode::Sext | Opcode::Zext => {
                self.type_of(inner.a)?;
                unary(inner.op, data.ty, inner.a)
            }
            _ => {
                let possible = self.possible_bits(data.a, from_bits, 3);
                let is_positive = possible >> (from_bits - 1) == 0;
                is_positive.then_some(Folded::Into(InstData {
                    op: Opcode::Zext,
                    ..*data
                }))
            }
        }
    }

    /// Conversions that keep the bits: there and back.
    fn fold_same_bits(&mut self, data: &InstData, from: Type) -> Rule {
        let width = |folder: &Self, ty: Type| folder.f.types().bits(ty, folder.pointer_bits);
        let is_plain = |ty: Type| ty == Type::PTR || ty == frazil_ir::typing::pointer_int(64);
        if let Some(value) = self.int(data.a) {
            // Addresses and integers of the same width have the same form as constants.
            let fits = data.op != Opcode::Bitcast && is_plain(from) && is_plain(data.ty);
            return if fits && width(self, from) == width(self, data.ty) {
                self.int_result(data.ty, value)
            } else {
                None
            };
        }
        let inner = self.def(data.a)?;
        let undone = matches!(
            (data.op, inner.op),
            (Opcode::Ptrtoint, Opcode::Inttoptr)
                | (Opcode::Inttoptr, Opcode::Ptrtoint)
                | (Opcode::Bitcast, Opcode::Bitcast)
        );
        if !undone {
            // Others, phis among them, have no operand there.
            return None;
        }
        let first = self.type_of(inner.a)?;
        if width(self, first) != width(self, from) || width(self, from) != width(self, data.ty) {
            return None;
        }
        if first == data.ty {
            return Some(Folded::To(inner.a));
        }
        if data.op == Opcode::Bitcast {
            unary(Opcode::Bitcast, data.ty, inner.a)
        } else {
            None
        }
    }
}
