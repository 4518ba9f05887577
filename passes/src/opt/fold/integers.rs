//! Integer arithmetic and addresses.

use super::{Folded, Folder, Rule, binary};
use crate::constants::{evaluate_int, inverted, is_poison, low_mask, sign_extended, zero_extended};
use frazil_ir::{Inst, InstData, IntFlags, Opcode, Operand, Type, TypeData};

const NUW: u16 = IntFlags::NUW.bits();
const NSW: u16 = IntFlags::NSW.bits();
const EXACT: u16 = IntFlags::EXACT.bits();

impl Folder<'_> {
    pub(super) fn fold_integer(&mut self, inst: Inst, data: &InstData) -> Rule {
        let Some(bits) = self.int_bits(data.ty) else {
            return self.fold_added_mask(inst, data);
        };
        let is_unary = data.op.format() == frazil_ir::Format::Unary;
        let (a, b) = (self.int(data.a), if is_unary { Some(0) } else { self.int(data.b) });
        if let (Some(a), Some(b)) = (a, b) {
            return match evaluate_int(data.op, bits, a, b) {
                Some(value) => self.int_result(data.ty, value),
                None => None,
            };
        }
        if is_unary {
            return None;
        }
        if a.is_some() && data.op.is_commutative() {
            return binary(data.op, data.ty, data.flags, data.b, data.a);
        }
        let is_division = data.op.effects() == frazil_ir::Effects::Trap;
        if !is_division && (is_poison(self.f, data.a) || is_poison(self.f, data.b)) {
            let poison = self.f.push_plain_const(frazil_ir::ConstKind::Poison, data.ty);
            return Some(Folded::To(Operand::constant(poison)));
        }
        if data.a == data.b
            && let Some(folded) = self.fold_same(data)
        {
            return Some(folded);
        }
        match b {
            Some(b) => self.fold_with_constant(data, bits, b),
            None => self.fold_two_values(data, a),
        }
    }

    /// Lanes that are counted where a mask says so: all ones, which comparisons make, are subtracted instead.
    fn fold_added_mask(&mut self, inst: Inst, data: &InstData) -> Rule {
        if data.op != Opcode::Add {
            return None;
        }
        for (sum, one) in [(data.a, data.b), (data.b, data.a)] {
            let Some(extension) = self.def_of(one, Opcode::Zext).filter(|_| self.has_one_use(one)) else {
                continue;
            };
            let from = self.type_of(extension.a)?;
            if matches!(self.f.types().data(from), TypeData::Vector { element: Type::I1, .. }) {
                let minus_one = InstData::new(Opcode::Sext, data.ty, 0, extension.a, Operand::NONE);
                let value = self.editor.insert_before(self.f, inst, minus_one, Some(data.ty))?;
                return binary(Opcode::Sub, data.ty, 0, sum, Operand::value(value));
            }
        }
        None
    }

    /// Both operands are the same value.
    fn fold_same(&mut self, data: &InstData) -> Rule {
        use Opcode as O;
        match data.op {
            O::Sub | O::Xor => Some(Folded::To(Operand::ZERO)),
            O::And | O::Or | O::Smin | O::Smax | O::Umin | O::Umax => Some(Folded::To(data.a)),
            _ => None,
        }
    }

    fn fold_two_values(&mut self, data: &InstData, a: Option<i128>) -> Rule {
        use Opcode as O;
        match data.op {
            // x + (0 - y) and x + (y - x), either way round.
            O::Add => [(data.a, data.b), (data.b, data.a)]
                .into_iter()
                .find_map(|(other, part)| {
                    let difference = self.def_of(part, O::Sub)?;
                    if self.is_int(difference.a, 0) {
                        return binary(O::Sub, data.ty, 0, other, difference.b);
                    }
                    (difference.b == other).then_some(Folded::To(difference.a))
                }),
            O::Sub if a == Some(0) => {
                let difference = self.def_of(data.b, O::Sub)?;
                self.is_int(difference.a, 0).then_some(Folded::To(difference.b))
            }
            O::Sub => {
                if let Some(sum) = self.def_of(data.a, O::Add) {
                    if sum.a == data.b {
                        return Some(Folded::To(sum.b));
                    }
                    if sum.b == data.b {
                        return Some(Folded::To(sum.a));
                    }
                }
                let difference = self.def_of(data.b, O::Sub)?;
                (difference.a == data.a).then_some(Folded::To(difference.b))
            }
            O::Shl | O::Lshr | O::Ashr if a == Some(0) => Some(Folded::To(data.a)),
            _ => None,
        }
    }

    fn fold_with_constant(&mut self, data: &InstData, bits: u32, b: i128) -> Rule {
        use Opcode as O;
        let ty = data.ty;
        let unsigned = zero_extended(b, bits);
        let power = unsigned.is_power_of_two().then(|| unsigned.trailing_zeros());
        match data.op {
            O::Add | O::Sub | O::Or | O::Xor | O::Shl | O::Lshr | O::Ashr if b == 0 => Some(Folded::To(data.a)),
            O::Sub => {
                // The lowest number is its own opposite, but adding it overflows for other operands.
                let keeps_nsw = b != sign_extended(1 << (bits - 1), bits);
                let flags = if keeps_nsw { data.flags & NSW } else { 0 };
                let opposite = self.constant(ty, sign_extended(b.wrapping_neg(), bits));
                binary(O::Add, ty, flags, data.a, opposite)
            }
            O::Add => self.fold_sum(data, bits, b),
            O::Mul => match (b, power) {
                (0, _) => Some(Folded::To(Operand::ZERO)),
                (1, _) => Some(Folded::To(data.a)),
                (-1, _) => binary(O::Sub, ty, 0, Operand::ZERO, data.a),
                (_, Some(log2)) => {
                    // Multiplying by the lowest number overflows where the shift does not.
                    let flags = if log2 == bits - 1 {
                        data.flags & NUW
                    } else {
                        data.flags & (NUW | NSW)
                    };
                    let log2 = self.constant(ty, i128::from(log2));
                    binary(O::Shl, ty, flags, data.a, log2)
                }
                _ => None,
            },
            O::Udiv | O::Urem | O::Sdiv | O::Srem => self.fold_division(data, bits, b, power),
            O::And => self.fold_and(data, bits, b),
            O::Or | O::Xor => self.fold_or(data, bits, b),
            O::Shl | O::Lshr | O::Ashr => self.fold_shift(data, bits, unsigned),
            O::Umin if b == 0 => Some(Folded::To(data.b)),
            O::Umin if b == -1 => Some(Folded::To(data.a)),
            O::Umax if b == 0 => Some(Folded::To(data.a)),
            O::Umax if b == -1 => Some(Folded::To(data.b)),
            O::UaddSat | O::SaddSat | O::UsubSat | O::SsubSat if b == 0 => Some(Folded::To(data.a)),
            _ => None,
        }
    }

    /// (x + c) + d, and (c - x) + d.
    fn fold_sum(&mut self, data: &InstData, bits: u32, b: i128) -> Rule {
        let inner = self.def(data.a)?;
        if !self.has_one_use(data.a) {
            return None;
        }
        let (known, rest, op) = match inner.op {
            Opcode::Add => (self.int(inner.b)?, inner.a, Opcode::Add),
            Opcode::Sub => (self.int(inner.a)?, inner.b, Opcode::Sub),
            _ => return None,
        };
        let exact = known.checked_add(b);
        let total = sign_extended(known.wrapping_add(b), bits);
        let total_operand = self.constant(data.ty, total);
        if op == Opcode::Sub {
            return binary(op, data.ty, 0, total_operand, rest);
        }
        // Two steps without wrapping in the same direction are one without wrapping.
        let both = inner.flags & data.flags;
        let same_direction = (known < 0) == (b < 0) && exact == Some(total);
        let flags = if same_direction { both & NSW } else { 0 };
        if total == 0 {
            return Some(Folded::To(rest));
        }
        binary(Opcode::Add, data.ty, flags, rest, total_operand)
    }

    fn fold_division(&mut self, data: &InstData, bits: u32, b: i128, power: Option<u32>) -> Rule {
        use Opcode as O;
        match (data.op, b, power) {
            (O::Udiv | O::Sdiv, 1, _) if bits > 1 => Some(Folded::To(data.a)),
            (O::Urem | O::Srem, 1, _) if bits > 1 => Some(Folded::To(Operand::ZERO)),
            (O::Sdiv, -1, _) => binary(O::Sub, data.ty, 0, Operand::ZERO, data.a),
            (O::Srem, -1, _) => Some(Folded::To(Operand::ZERO)),
            (O::Udiv, _, Some(log2)) => {
                let log2 = self.constant(data.ty, i128::from(log2));
                binary(O::Lshr, data.ty, data.flags & EXACT, data.a, log2)
            }
            (O::Urem, _, Some(log2)) => {
                let mask = self.constant(data.ty, low_mask(log2).cast_signed());
                binary(O::And, data.ty, 0, data.a, mask)
            }
            // Exact: no rounding that would differ between the two.
            (O::Sdiv, 1.., Some(log2)) if data.flags & EXACT != 0 => {
                let log2 = self.constant(data.ty, i128::from(log2));
                binary(O::Ashr, data.ty, EXACT, data.a, log2)
            }
            _ => None,
        }
    }

    fn fold_and(&mut self, data: &InstData, bits: u32, b: i128) -> Rule {
        use Opcode as O;
        let possible = self.possible_bits(data.a, bits, 3);
        let mask = zero_extended(b, bits);
        if possible & mask == 0 {
            return Some(Folded::To(Operand::ZERO));
        }
        if possible & !mask == 0 {
            return Some(Folded::To(data.a));
        }
        let inner = self.def(data.a)?;
        match inner.op {
            O::And => {
                let both = self.int(inner.b)? & b;
                let both = self.constant(data.ty, both);
                binary(O::And, data.ty, 0, inner.a, both)
            }
            // Bits that the mask takes away again.
            O::Or | O::Xor => {
                let set = zero_extended(self.int(inner.b)?, bits);
                (set & mask == 0).then(|| Folded::Into(InstData::new(O::And, data.ty, 0, inner.a, data.b)))
            }
            _ => None,
        }
    }

    fn fold_or(&mut self, data: &InstData, bits: u32, b: i128) -> Rule {
        use Opcode as O;
        if data.op == O::Or && b == -1 {
            return Some(Folded::To(data.b));
        }
        let inner = self.def(data.a)?;
        if inner.op == data.op {
            let known = self.int(inner.b)?;
            let value = if data.op == O::Or { known | b } else { known ^ b };
            let value = self.constant(data.ty, sign_extended(value, bits));
            return binary(data.op, data.ty, 0, inner.a, value);
        }
        if data.op == O::Xor && data.ty == Type::I1 && self.has_one_use(data.a) {
            // The opposite of a comparison is another comparison.
            let op = inverted(inner.op)?;
            return Some(Folded::Into(InstData { op, ..inner }));
        }
        None
    }

    fn fold_shift(&mut self, data: &InstData, bits: u32, amount: u128) -> Rule {
        use Opcode as O;
        if amount >= u128::from(bits) {
            return None;
        }
        let amount = amount as u32;
        let inner = self.def_of(data.a, data.op)?;
        let before = zero_extended(self.int(inner.b)?, bits);
        if before >= u128::from(bits) {
            return None;
        }
        let total = before as u32 + amount;
        let total = match data.op {
            O::Ashr => total.min(bits - 1),
            _ if total >= bits => return Some(Folded::To(Operand::ZERO)),
            _ => total,
        };
        let total = self.constant(data.ty, i128::from(total));
        binary(data.op, data.ty, inner.flags & data.flags, inner.a, total)
    }

    /// Which bits of an operand may be set; a few steps upwards.
    pub(super) fn possible_bits(&mut self, operand: Operand, bits: u32, steps: u32) -> u128 {
        use Opcode as O;
        let all = low_mask(bits);
        if let Some(value) = self.int(operand) {
            return zero_extended(value, bits);
        }
        if steps == 0 {
            return all;
        }
        let Some(def) = self.def(operand) else { return all };
        let shifted = |folder: &Self| {
            let amount = zero_extended(folder.int(def.b)?, bits);
            (amount < u128::from(bits)).then_some(amount as u32)
        };
        match def.op {
            O::Zext => match self.type_of(def.a).and_then(|ty| self.int_bits(ty)) {
                Some(from) => self.possible_bits(def.a, from, steps - 1),
                None => all,
            },
            O::And => self.possible_bits(def.a, bits, steps - 1) & self.possible_bits(def.b, bits, steps - 1),
            O::Or | O::Xor => self.possible_bits(def.a, bits, steps - 1) | self.possible_bits(def.b, bits, steps - 1),
            O::Shl => match shifted(self) {
                Some(amount) => (self.possible_bits(def.a, bits, steps - 1) << amount) & all,
                None => all,
            },
            O::Lshr => match shifted(self) {
                Some(amount) => self.possible_bits(def.a, bits, steps - 1) >> amount,
                None => all,
            },
            _ => all,
        }
    }

    /// Both results of an operation that reports overflow.
    pub(super) fn fold_overflow(&mut self, inst: Inst, data: &InstData) {
        use Opcode as O;
        let plain = match data.op {
            O::UaddOverflow | O::SaddOverflow => O::Add,
            O::UsubOverflow | O::SsubOverflow => O::Sub,
            O::UmulOverflow | O::SmulOverflow => O::Mul,
            _ => return,
        };
        // Of 64 bits at most, so that the exact result is a number.
        let Some(bits) = self.int_bits(data.ty).filter(|&bits| bits <= 64) else {
            return;
        };
        let (a, b) = (self.int(data.a), self.int(data.b));
        let signed = matches!(data.op, O::SaddOverflow | O::SsubOverflow | O::SmulOverflow);
        let (result, overflows) = match (a, b) {
            (Some(a), Some(b)) => {
                let read = |value: i128| {
                    if signed {
                        value
                    } else {
                        zero_extended(value, bits).cast_signed()
                    }
                };
                let exact = match plain {
                    O::Add => Some(read(a) + read(b)),
                    O::Sub => Some(read(a) - read(b)),
                    _ => read(a).checked_mul(read(b)),
                };
                let wrapped = plain_result(plain, bits, a, b);
                let fits = exact.is_some_and(|exact| exact == read(wrapped));
                (self.constant(data.ty, wrapped), !fits)
            }
            (_, Some(0)) if plain != O::Mul => (data.a, false),
            (Some(0), _) if plain == O::Add => (data.b, false),
            (_, Some(1)) if plain == O::Mul && bits > 1 => (data.a, false),
            _ => return,
        };
        let first = data.first_result().expect("two results");
        let second = self.f.results(data).nth(1).expect("two results");
        self.editor.replace_uses(self.f, first, result);
        self.editor.replace_uses(self.f, second, super::bool_operand(overflows));
        self.editor.remove(self.f, inst);
        self.drop_unused(&[data.a, data.b]);
        self.folded += 1;
    }

    /// A funnel shift by a constant: by nothing, or of constants.
    pub(super) fn fold_funnel_shift(&mut self, data: &InstData) -> Rule {
        let bits = self.int_bits(data.ty)?;
        let (b, amount) = self.ternary(data);
        let amount = (zero_extended(self.int(amount)?, bits) % u128::from(bits)) as u32;
        let is_left = data.op == Opcode::Fshl;
        if amount == 0 {
            return Some(Folded::To(if is_left { data.a } else { b }));
        }
        let (high, low) = (self.int(data.a)?, self.int(b)?);
        let (left, right) = if is_left {
            (amount, bits - amount)
        } else {
            (bits - amount, amount)
        };
        let value = (zero_extended(high, bits) << left) | (zero_extended(low, bits) >> right);
        self.int_result(data.ty, sign_extended(value.cast_signed(), bits))
    }

    /// Addresses: nothing added, constants added twice, constant indices.
    pub(super) fn fold_address(&mut self, data: &InstData) -> Rule {
        let offset = self.int(data.b);
        let is_index = data.op == Opcode::PtrIndex;
        if offset == Some(0) || (is_index && data.flags == 0) {
            return Some(Folded::To(data.a));
        }
        let offset_type = frazil_ir::typing::pointer_int(self.pointer_bits);
        if is_index && let Some(offset) = offset {
            let bytes = offset.wrapping_mul(i128::from(data.flags));
            let bytes = self.constant(offset_type, sign_extended(bytes, self.pointer_bits));
            return binary(Opcode::PtrAdd, data.ty, 0, data.a, bytes);
        }
        // An index may be wider than a pointer, what is added may not.
        if is_index && data.flags == 1 && self.type_of(data.b) == Some(offset_type) {
            return binary(Opcode::PtrAdd, data.ty, 0, data.a, data.b);
        }
        let offset = offset?;
        let inner = self.def_of(data.a, Opcode::PtrAdd)?;
        let total = sign_extended(self.int(inner.b)?.wrapping_add(offset), self.pointer_bits);
        let total = self.constant(offset_type, total);
        binary(Opcode::PtrAdd, data.ty, 0, inner.a, total)
    }
}

fn plain_result(op: Opcode, bits: u32, a: i128, b: i128) -> i128 {
    evaluate_int(op, bits, a, b).expect("sums and products are always defined")
}
