//! Selects that are decided, have equal arms, or are another operation.

use super::{Folded, Folder, Rule, binary, not, unary};
use crate::constants::{inverted, is_undef_or_poison};
use frazil_ir::{Inst, InstData, Opcode, Operand, Type};

impl Folder<'_> {
    pub(super) fn fold_select(&mut self, inst: Inst, data: &InstData) -> Rule {
        let (yes, no) = self.ternary(data);
        if yes == no {
            return Some(Folded::To(yes));
        }
        if let Some(condition) = self.int(data.a).filter(|_| data.a.as_imm().is_some()) {
            return Some(Folded::To(if condition == 0 { no } else { yes }));
        }
        if is_undef_or_poison(self.f, data.a) && self.type_of(data.a) == Some(Type::I1) {
            // Any arm will do, and this one does not use what may be poison.
            return Some(Folded::To(if self.int(yes).is_some() { yes } else { no }));
        }
        if let Some(opposite) = self.negated(data.a) {
            let start = self.f.push_pool(&[no, yes]);
            return Some(Folded::Into(InstData {
                a: opposite,
                b: Operand::raw(start),
                ..*data
            }));
        }
        self.int_bits(data.ty)?;
        if let (Some(yes), Some(no)) = (self.int(yes), self.int(no)) {
            return self.fold_two_numbers(inst, data, yes, no);
        }
        self.fold_selected_equal(data, yes, no)
    }

    /// Zero and one, or all ones, are the condition itself, extended; zero and the size of an element are that,
    /// shifted, which addresses take in.
    fn fold_two_numbers(&mut self, inst: Inst, data: &InstData, yes: i128, no: i128) -> Rule {
        if self.type_of(data.a) != Some(Type::I1) {
            return None;
        }
        match (yes, no) {
            (-1, 0) if data.ty == Type::I1 => Some(Folded::To(data.a)),
            (0, -1) if data.ty == Type::I1 => not(data.a),
            (1, 0) => unary(Opcode::Zext, data.ty, data.a),
            (-1, 0) => unary(Opcode::Sext, data.ty, data.a),
            (0, 1 | -1) => {
                let opposite = self.opposite_compare(inst, data.a)?;
                let op = if no == 1 { Opcode::Zext } else { Opcode::Sext };
                unary(op, data.ty, opposite)
            }
            // Wider integers are no addresses.
            _ if self.int_bits(data.ty)? > 64 => None,
            (2 | 4 | 8, 0) => self.shifted_condition(inst, data, data.a, yes),
            (0, 2 | 4 | 8) => {
                let opposite = self.another_opposite(inst, data.a)?;
                self.shifted_condition(inst, data, opposite, no)
            }
            _ => None,
        }
    }

    /// A power of two if a condition holds, and else zero.
    fn shifted_condition(&mut self, inst: Inst, data: &InstData, condition: Operand, power: i128) -> Rule {
        let zext = InstData::new(Opcode::Zext, data.ty, 0, condition, Operand::NONE);
        let extended = self.editor.insert_before(self.f, inst, zext, Some(data.ty))?;
        let distance = Operand::imm(i64::from(power.trailing_zeros()))?;
        binary(Opcode::Shl, data.ty, 0, Operand::value(extended), distance)
    }

    /// The opposite of a comparison that nothing else uses, made before `inst`.
    fn opposite_compare(&mut self, inst: Inst, condition: Operand) -> Option<Operand> {
        if !self.has_one_use(condition) {
            return None;
        }
        self.another_opposite(inst, condition)
    }

    /// The opposite of a comparison, made before `inst`; others may use the comparison.
    fn another_opposite(&mut self, inst: Inst, condition: Operand) -> Option<Operand> {
        let compare = self.def(condition)?;
        let op = inverted(compare.op)?;
        let compare = InstData { op, ..compare };
        let value = self.editor.insert_before(self.f, inst, compare, Some(Type::I1))?;
        Some(Operand::value(value))
    }

    /// `x == k ? k : x` is x, and `x == k ? x : k` is k.
    fn fold_selected_equal(&mut self, data: &InstData, yes: Operand, no: Operand) -> Rule {
        let compare = self.def(data.a)?;
        let (equal, other) = match compare.op {
            Opcode::IcmpEq => (yes, no),
            Opcode::IcmpNe => (no, yes),
            _ => return None,
        };
        if compare.ty != data.ty {
            return None;
        }
        let is_pair = (equal == compare.a && other == compare.b) || (equal == compare.b && other == compare.a);
        let number = self.int(compare.b)?;
        // The arm for equality gives the number that the other arm gives, or the value that it is equal to.
        let same = self.int(equal) == Some(number) || is_pair;
        (same && (other == compare.a || other == compare.b)).then_some(Folded::To(other))
    }
}
