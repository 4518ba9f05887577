//! Integer comparisons.

use super::{Folded, Folder, Rule, binary, not};
use crate::constants::{evaluate_compare, is_poison, sign_extended, swapped, zero_extended};
use frazil_ir::{InstData, IntFlags, Opcode, Operand, Type};

impl Folder<'_> {
    pub(super) fn fold_compare(&mut self, data: &InstData) -> Rule {
        let is_pointer = data.ty == Type::PTR;
        let bits = if is_pointer {
            self.pointer_bits
        } else {
            self.int_bits(data.ty)?
        };
        if is_poison(self.f, data.a) || is_poison(self.f, data.b) {
            let poison = self.f.push_plain_const(frazil_ir::ConstKind::Poison, Type::I1);
            return Some(Folded::To(Operand::constant(poison)));
        }
        if data.a == data.b {
            return Self::bool_result(evaluate_compare(data.op, bits, 0, 0)?);
        }
        match (self.int(data.a), self.int(data.b)) {
            (Some(a), Some(b)) => Self::bool_result(evaluate_compare(data.op, bits, a, b)?),
            (Some(_), None) => binary(swapped(data.op), data.ty, data.flags, data.b, data.a),
            (None, Some(b)) if is_pointer => self.fold_pointer_compare(data, b),
            (None, Some(b)) => self.fold_with_number(data, bits, b),
            (None, None) => self.fold_both_extended(data),
        }
    }

    /// A comparison of two values that were extended alike, for this alone, is one of the values themselves.
    fn fold_both_extended(&mut self, data: &InstData) -> Rule {
        let (left, right) = (self.def(data.a)?, self.def(data.b)?);
        let op = match (left.op, right.op) {
            (Opcode::Zext, Opcode::Zext) => unsigned(data.op),
            (Opcode::Sext, Opcode::Sext) => data.op,
            _ => return None,
        };
        let narrow = self.type_of(left.a)?;
        // Others have no registers of their width, so that the extension would only move.
        let fits = matches!(self.int_bits(narrow)?, 8 | 16 | 32 | 64);
        if !fits || self.type_of(right.a) != Some(narrow) || !self.has_one_use(data.a) || !self.has_one_use(data.b) {
            return None;
        }
        binary(op, narrow, 0, left.a, right.a)
    }

    /// Symbols and slots are not at address zero.
    fn fold_pointer_compare(&mut self, data: &InstData, b: i128) -> Rule {
        let is_slot = data.a.as_value().is_some_and(|value| self.f.slot_of(value).is_some());
        match data.op {
            Opcode::IcmpEq if b == 0 && is_slot => Self::bool_result(false),
            Opcode::IcmpNe if b == 0 && is_slot => Self::bool_result(true),
            _ => None,
        }
    }

    fn fold_with_number(&mut self, data: &InstData, bits: u32, b: i128) -> Rule {
        if let Some(result) = at_limit(data.op, bits, b) {
            return Self::bool_result(result);
        }
        if let Some((op, other)) = regular(data.op, bits, b) {
            // A number of the other sign would make poison of other operands.
            let flags = if (other < 0) == (b < 0) { data.flags } else { 0 };
            let other = self.constant(data.ty, other);
            return binary(op, data.ty, flags, data.a, other);
        }
        if data.ty == Type::I1 {
            // Only `eq` and `ne` are left.
            let same = (data.op == Opcode::IcmpNe) == (b == 0);
            return if same { Some(Folded::To(data.a)) } else { not(data.a) };
        }
        let inner = self.def(data.a)?;
        match inner.op {
            Opcode::Zext | Opcode::Sext => self.fold_extended(data, &inner, b),
            Opcode::Select => self.fold_chosen(data, &inner, bits, b),
            _ if matches!(data.op, Opcode::IcmpEq | Opcode::IcmpNe) => self.fold_equal(data, &inner, bits, b),
            Opcode::Sub if b == 0 && inner.flags & IntFlags::NSW.bits() != 0 && self.has_one_use(data.a) => {
                let is_signed = matches!(data.op, Opcode::IcmpSgt | Opcode::IcmpSlt);
                is_signed.then(|| Folded::Into(InstData::new(data.op, data.ty, 0, inner.a, inner.b)))
            }
            _ => None,
        }
    }

    /// A comparison of an extended value is one of the value itself.
    fn fold_extended(&mut self, data: &InstData, extension: &InstData, b: i128) -> Rule {
        use Opcode as O;
        let narrow = self.type_of(extension.a)?;
        let bits = self.int_bits(narrow)?;
        let is_zext = extension.op == O::Zext;
        let fits = if is_zext {
            zero_extended(b, bits).cast_signed() == b
        } else {
            sign_extended(b, bits) == b
        };
        if fits {
            // Zero-extended numbers are not negative.
            let op = if is_zext { unsigned(data.op) } else { data.op };
            let b = self.constant(narrow, sign_extended(b, bits));
            return binary(op, narrow, 0, extension.a, b);
        }
        match data.op {
            O::IcmpEq => Self::bool_result(false),
            O::IcmpNe => Self::bool_result(true),
            // All extended values are on the same side of what is beyond them.
            O::IcmpSgt => Self::bool_result(b < 0),
            O::IcmpSlt => Self::bool_result(b > 0),
            O::IcmpUgt if is_zext => Self::bool_result(false),
            O::IcmpUlt if is_zext => Self::bool_result(true),
            _ => None,
        }
    }

    /// A comparison of one of two numbers is decided by what chose.
    fn fold_chosen(&mut self, data: &InstData, select: &InstData, bits: u32, b: i128) -> Rule {
        let (yes, no) = self.ternary(select);
        let yes = evaluate_compare(data.op, bits, self.int(yes)?, b)?;
        let no = evaluate_compare(data.op, bits, self.int(no)?, b)?;
        match (yes, no) {
            (true, true) | (false, false) => Self::bool_result(yes),
            (true, false) => Some(Folded::To(select.a)),
            (false, true) => not(select.a),
        }
    }

    /// `eq` and `ne` of what can be undone.
    fn fold_equal(&mut self, data: &InstData, inner: &InstData, bits: u32, b: i128) -> Rule {
        use Opcode as O;
        if b == 0 && matches!(inner.op, O::Xor | O::Sub) && self.has_one_use(data.a) {
            return binary(data.op, data.ty, 0, inner.a, inner.b);
        }
        let possible = match inner.op {
            O::And | O::Or | O::Shl | O::Lshr => self.possible_bits(data.a, bits, 3),
            _ => u128::MAX,
        };
        if zero_extended(b, bits) & !possible != 0 {
            return Self::bool_result(data.op == O::IcmpNe);
        }
        if !matches!(inner.op, O::Add | O::Xor) || !self.has_one_use(data.a) {
            return None;
        }
        let known = self.int(inner.b)?;
        let other = if inner.op == O::Add {
            b.wrapping_sub(known)
        } else {
            b ^ known
        };
        let other = self.constant(data.ty, sign_extended(other, bits));
        binary(data.op, data.ty, 0, inner.a, other)
    }
}

/// The result of a comparison with the lowest or highest number that does not depend on the other operand.
fn at_limit(op: Opcode, bits: u32, b: i128) -> Option<bool> {
    use Opcode as O;
    let lowest = sign_extended(1 << (bits - 1), bits);
    let highest = !lowest;
    match op {
        O::IcmpUlt if b == 0 => Some(false),
        O::IcmpUge if b == 0 => Some(true),
        O::IcmpUgt if b == -1 => Some(false),
        O::IcmpUle if b == -1 => Some(true),
        O::IcmpSlt if b == lowest => Some(false),
        O::IcmpSge if b == lowest => Some(true),
        O::IcmpSgt if b == highest => Some(false),
        O::IcmpSle if b == highest => Some(true),
        _ => None,
    }
}

/// The comparison of what is not negative, in the order without sign.
fn unsigned(op: Opcode) -> Opcode {
    use Opcode as O;
    match op {
        O::IcmpSgt => O::IcmpUgt,
        O::IcmpSge => O::IcmpUge,
        O::IcmpSlt => O::IcmpUlt,
        O::IcmpSle => O::IcmpUle,
        _ => op,
    }
}

/// The same comparison without "or equal", or with equality alone, if it has such a form. `b` is no limit for `op`.
fn regular(op: Opcode, bits: u32, b: i128) -> Option<(Opcode, i128)> {
    use Opcode as O;
    let lowest = sign_extended(1 << (bits - 1), bits);
    let highest = !lowest;
    Some(match op {
        O::IcmpUge => (O::IcmpUgt, sign_extended(b.wrapping_sub(1), bits)),
        O::IcmpUle => (O::IcmpUlt, sign_extended(b.wrapping_add(1), bits)),
        O::IcmpSge => (O::IcmpSgt, b - 1),
        O::IcmpSle => (O::IcmpSlt, b + 1),
        O::IcmpUgt if b == 0 => (O::IcmpNe, 0),
        O::IcmpUlt if b == 1 => (O::IcmpEq, 0),
        O::IcmpUgt if b == -2 => (O::IcmpEq, -1),
        O::IcmpUlt if b == -1 => (O::IcmpNe, -1),
        O::IcmpSgt if b == highest - 1 => (O::IcmpEq, highest),
        O::IcmpSlt if b == lowest + 1 => (O::IcmpEq, lowest),
        _ => return None,
    })
}
