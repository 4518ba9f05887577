//! Operations on integers of two registers that no rule has registers enough for, made of simpler ones in a copy of the
//! function.
//!
//! For targets whose general registers have 32 bits and are few ([`crate::Isa::without_large_rules`]); most integers
//! here have 33 to 64 bits. Where a width is odd, operands are extended to 64 bits, where nothing overflows, and the
//! result is cut off. The formulas are those of H. S. Warren, "Hacker's Delight" (second edition, 2-13, 8-2, 8-3):
//!
//! * the upper half of a product is summed up of four products of 32 bits, and made signed by subtracting each factor
//!   where the other one is negative;
//! * a signed sum overflowed if its sign is neither operand's, an unsigned one if it is less than an operand;
//! * a shift saturates if shifting back does not give the operand.
//!
//! What it leaves out: additions, subtractions and multiplications that report nothing, shifts, comparisons, counting:
//! these have rules.

use crate::floats::{NAN_CLASSES, class_ranges};
use frazil_ir::{Editor, EntityRef, Function, Inst, InstData, Opcode, Operand, Type, Value};

/// The function with such operations made of others; `None` if it has none.
pub fn expanded(old: &Function) -> Option<Function> {
    let first = old.insts().iter().position(|data| is_expanded(old, data))?;
    let mut function = old.clone();
    let mut editor = Editor::default();
    editor.begin(&function);
    for (index, data) in old.insts().iter().enumerate().skip(first) {
        if is_expanded(old, data) {
            let mut expander = Expander {
                bits: bits_of(old, data.ty),
                ty: if (1..=32).contains(&bits_of(old, data.ty)) {
                    Type::I32
                } else {
                    Type::I64
                },
                function: &mut function,
                editor: &mut editor,
                at: Inst::new(index),
                data,
            };
            expander.expand();
        }
    }
    editor.commit(&mut function);
    Some(function)
}

/// The width of a scalar integer; 0 of another type.
fn bits_of(function: &Function, ty: Type) -> u32 {
    function.types().int_bits(ty).unwrap_or(0)
}

/// Whether an instruction is made of others.
fn is_expanded(function: &Function, data: &InstData) -> bool {
    let bits = bits_of(function, data.ty);
    let is_pair = (33..=64).contains(&bits);
    match data.op {
        Opcode::UmulOverflow | Opcode::SmulOverflow | Opcode::UmulHigh | Opcode::SmulHigh => is_pair,
        Opcode::UaddSat | Opcode::SaddSat | Opcode::UsubSat | Opcode::SsubSat => is_pair,
        Opcode::UaddCarry | Opcode::UsubBorrow => is_pair,
        Opcode::UshlSat | Opcode::SshlSat => bits > 0 && bits <= 64,
        Opcode::UaddOverflow | Opcode::SaddOverflow | Opcode::UsubOverflow | Opcode::SsubOverflow => {
            is_pair && bits < 64
        }
        Opcode::Udiv | Opcode::Sdiv | Opcode::Urem | Opcode::Srem => is_pair && bits < 64,
        Opcode::Fshl | Opcode::Fshr => {
            bits > 0 && bits < 64 && !matches!(bits, 8 | 16 | 32) && function.ternary(data).1.as_imm().is_none()
        }
        Opcode::FptosiSat | Opcode::FptouiSat => {
            is_pair && matches!(function.operand_type(data.a), Some(Type::F32 | Type::F64))
        }
        Opcode::IsFpclass => data.ty == Type::F64,
        Opcode::MemCopy | Opcode::MemMove | Opcode::MemSet => is_pair,
        _ => false,
    }
}

/// An instruction that is made of others.
struct Expander<'f> {
    function: &'f mut Function,
    editor: &'f mut Editor,
    at: Inst,
    data: &'f InstData,
    /// The width of its integers.
    bits: u32,
    /// What is computed with: an integer of 64 bits, or of 32 where that is enough.
    ty: Type,
}

impl Expander<'_> {
    fn expand(&mut self) {
        match self.data.op {
            Opcode::UmulOverflow => self.product_overflow(false),
            Opcode::SmulOverflow => self.product_overflow(true),
            Opcode::UmulHigh => self.upper_product(false),
            Opcode::SmulHigh => self.upper_product(true),
            Opcode::UaddOverflow => self.sum_overflow(Opcode::Add, false),
            Opcode::SaddOverflow => self.sum_overflow(Opcode::Add, true),
            Opcode::UsubOverflow => self.sum_overflow(Opcode::Sub, false),
            Opcode::SsubOverflow => self.sum_overflow(Opcode::Sub, true),
            Opcode::UaddCarry => self.sum_with_carry(Opcode::Add),
            Opcode::UsubBorrow => self.sum_with_carry(Opcode::Sub),
            Opcode::UaddSat | Opcode::UsubSat => self.unsigned_sum(),
            Opcode::SaddSat | Opcode::SsubSat => self.signed_sum(),
            Opcode::UshlSat => self.saturating_shift(false),
            Opcode::SshlSat => self.saturating_shift(true),
            Opcode::Udiv | Opcode::Urem => self.division(false),
            Opcode::Sdiv | Opcode::Srem => self.division(true),
            Opcode::Fshl | Opcode::Fshr => self.funnel(),
            Opcode::FptosiSat => self.saturating_conversion(true),
            Opcode::FptouiSat => self.saturating_conversion(false),
            Opcode::IsFpclass => self.classify(),
            _ => self.shorten_length(),
        }
    }

    /// Queues an operation on values of a type, a comparison of such or a cast to it, without flags.
    fn emit(&mut self, op: Opcode, ty: Type, a: Operand, b: Operand) -> Operand {
        let is_comparison = op.is_icmp() || op.is_fcmp();
        self.queue(
            InstData::new(op, ty, 0, a, b),
            if is_comparison { Type::I1 } else { ty },
        )
    }

    fn queue(&mut self, data: InstData, result: Type) -> Operand {
        let value = self.editor.insert_before(self.function, self.at, data, Some(result));
        Operand::value(value.expect("it has a result"))
    }

    /// How many bits are computed with.
    fn width(&self) -> u32 {
        if self.ty == Type::I32 { 32 } else { 64 }
    }

    /// The distance of a shift that leaves the sign.
    fn top_bit(&self) -> Operand {
        i64::from(self.width() - 1).into_operand()
    }

    /// An operation on as many bits as are computed with.
    fn wide(&mut self, op: Opcode, a: Operand, b: Operand) -> Operand {
        self.emit(op, self.ty, a, b)
    }

    fn choose(&mut self, ty: Type, condition: Operand, if_true: Operand, if_false: Operand) -> Operand {
        let start = self.function.push_pool(&[if_true, if_false]);
        self.queue(InstData::new(Opcode::Select, ty, 0, condition, Operand::raw(start)), ty)
    }

    fn constant(&mut self, value: i64) -> Operand {
        self.function.int_operand(self.ty, value.into())
    }

    /// An operand of the instruction's width, extended to all bits that are computed with.
    fn extended(&mut self, operand: Operand, signed: bool) -> Operand {
        let operand = self.editor.resolve(operand);
        if self.bits == self.width() {
            return operand;
        }
        if let Some(value) = self.function.int_constant(operand) {
            let unused = 64 - self.bits;
            let value = value << unused;
            let value = if signed {
                value >> unused
            } else {
                (value.cast_unsigned() >> unused).cast_signed()
            };
            return self.constant(value);
        }
        let op = if signed { Opcode::Sext } else { Opcode::Zext };
        self.emit(op, self.ty, operand, Operand::NONE)
    }

    fn operands(&mut self, signed: bool) -> [Operand; 2] {
        [self.data.a, self.data.b].map(|operand| self.extended(operand, signed))
    }

    /// A number cut off to the instruction's width.
    fn cut(&mut self, value: Operand) -> Operand {
        match self.bits == self.width() {
            true => value,
            false => self.emit(Opcode::Trunc, self.data.ty, value, Operand::NONE),
        }
    }

    /// Uses operands instead of the results of the instruction, and removes it.
    fn finish(&mut self, results: &[Operand]) {
        for (index, &operand) in results.iter().enumerate() {
            let result = Value::new(self.data.result as usize + index);
            self.editor.replace_uses(self.function, result, operand);
        }
        self.editor.remove(self.function, self.at);
    }

    /// The lower 32 bits of a number, as one of 64.
    fn low_half(&mut self, value: Operand) -> Operand {
        // An immediate has no type that a cast could ask for.
        if let Some(value) = self.function.int_constant(value) {
            return self.constant(value & i64::from(u32::MAX));
        }
        let half = self.emit(Opcode::Trunc, Type::I32, value, Operand::NONE);
        self.emit(Opcode::Zext, Type::I64, half, Operand::NONE)
    }

    fn high_half(&mut self, value: Operand) -> Operand {
        if let Some(value) = self.function.int_constant(value) {
            return self.constant((value.cast_unsigned() >> 32).cast_signed());
        }
        self.wide(Opcode::Lshr, value, 32.into_operand())
    }

    /// The upper half of the product of two numbers of 64 bits.
    fn high_product(&mut self, [a, b]: [Operand; 2], signed: bool) -> Operand {
        let [a_low, b_low] = [a, b].map(|factor| self.low_half(factor));
        let [a_high, b_high] = [a, b].map(|factor| {
            let half = self.high_half(factor);
            self.low_half(half)
        });
        let lowest = self.wide(Opcode::Mul, a_low, b_low);
        let first = self.wide(Opcode::Mul, a_high, b_low);
        let second = self.wide(Opcode::Mul, a_low, b_high);
        let highest = self.wide(Opcode::Mul, a_high, b_high);
        let carried = self.high_half(lowest);
        let middle = self.wide(Opcode::Add, first, carried);
        let middle_low = self.low_half(middle);
        let rest = self.wide(Opcode::Add, second, middle_low);
        let middle_high = self.high_half(middle);
        let rest_high = self.high_half(rest);
        let sum = self.wide(Opcode::Add, highest, middle_high);
        let mut product = self.wide(Opcode::Add, sum, rest_high);
        if signed {
            for (sign_of, factor) in [(a, b), (b, a)] {
                let sign = self.wide(Opcode::Ashr, sign_of, 63.into_operand());
                let excess = self.wide(Opcode::And, sign, factor);
                product = self.wide(Opcode::Sub, product, excess);
            }
        }
        product
    }

    fn upper_product(&mut self, signed: bool) {
        let factors = self.operands(signed);
        let high = self.high_product(factors, signed);
        if self.bits == 64 {
            return self.finish(&[high]);
        }
        let low = self.wide(Opcode::Mul, factors[0], factors[1]);
        let down = i64::from(self.bits).into_operand();
        let up = i64::from(64 - self.bits).into_operand();
        let low = self.wide(Opcode::Lshr, low, down);
        let high = self.wide(Opcode::Shl, high, up);
        let both = self.wide(Opcode::Or, low, high);
        let result = self.cut(both);
        self.finish(&[result]);
    }

    fn product_overflow(&mut self, signed: bool) {
        let factors = self.operands(signed);
        let low = self.wide(Opcode::Mul, factors[0], factors[1]);
        let high = self.high_product(factors, signed);
        let sign = match signed {
            true => self.wide(Opcode::Ashr, low, 63.into_operand()),
            false => 0.into_operand(),
        };
        let mut overflows = self.emit(Opcode::IcmpNe, Type::I64, high, sign);
        let result = self.cut(low);
        if self.bits < 64 {
            let whole = self.extended(result, signed);
            let differs = self.emit(Opcode::IcmpNe, Type::I64, whole, low);
            overflows = self.emit(Opcode::Or, Type::I1, overflows, differs);
        }
        self.finish(&[result, overflows]);
    }

    /// Of an odd width: 64 bits have room for the sum.
    fn sum_overflow(&mut self, op: Opcode, signed: bool) {
        let [a, b] = self.operands(signed);
        let sum = self.wide(op, a, b);
        let result = self.cut(sum);
        let whole = self.extended(result, signed);
        let overflows = self.emit(Opcode::IcmpNe, Type::I64, whole, sum);
        self.finish(&[result, overflows]);
    }

    /// In two steps, of which one may wrap.
    fn sum_with_carry(&mut self, op: Opcode) {
        let (right, carry) = self.function.ternary(self.data);
        let carry = self.emit(Opcode::Zext, Type::I64, carry, Operand::NONE);
        let mut flags = [Operand::NONE; 2];
        let mut result = self.data.a;
        for (flag, operand) in flags.iter_mut().zip([right, carry]) {
            let next = self.wide(op, result, operand);
            let less = if op == Opcode::Add { next } else { result };
            *flag = self.emit(Opcode::IcmpUlt, Type::I64, less, operand);
            result = next;
        }
        let wraps = self.emit(Opcode::Or, Type::I1, flags[0], flags[1]);
        self.finish(&[result, wraps]);
    }

    fn unsigned_sum(&mut self) {
        let [a, b] = self.operands(false);
        let result = if self.data.op == Opcode::UsubSat {
            let difference = self.wide(Opcode::Sub, a, b);
            let is_less = self.emit(Opcode::IcmpUlt, Type::I64, a, b);
            self.choose(Type::I64, is_less, 0.into_operand(), difference)
        } else {
            let sum = self.wide(Opcode::Add, a, b);
            let most = self.constant((u64::MAX >> (64 - self.bits)).cast_signed());
            let bound = if self.bits == 64 { a } else { most };
            let op = if self.bits == 64 {
                Opcode::IcmpUlt
            } else {
                Opcode::IcmpUgt
            };
            let overflows = self.emit(op, Type::I64, sum, bound);
            self.choose(Type::I64, overflows, most, sum)
        };
        let result = self.cut(result);
        self.finish(&[result]);
    }

    fn signed_sum(&mut self) {
        let [a, b] = self.operands(true);
        let is_sum = self.data.op == Opcode::SaddSat;
        let sum = self.wide(if is_sum { Opcode::Add } else { Opcode::Sub }, a, b);
        if self.bits < 64 {
            let most = self.constant(i64::MAX >> (64 - self.bits));
            let least = self.constant(i64::MIN >> (64 - self.bits));
            let bounded = self.wide(Opcode::Smin, sum, most);
            let bounded = self.wide(Opcode::Smax, bounded, least);
            let result = self.cut(bounded);
            return self.finish(&[result]);
        }
        let from_a = self.wide(Opcode::Xor, a, sum);
        let other = if is_sum { sum } else { a };
        let from_b = self.wide(Opcode::Xor, b, other);
        let both = self.wide(Opcode::And, from_a, from_b);
        let overflows = self.emit(Opcode::IcmpSlt, Type::I64, both, 0.into_operand());
        let sign = self.wide(Opcode::Ashr, sum, 63.into_operand());
        let least = self.constant(i64::MIN);
        let limit = self.wide(Opcode::Xor, sign, least);
        let result = self.choose(Type::I64, overflows, limit, sum);
        self.finish(&[result]);
    }

    /// At the top of all bits, so that what leaves the value leaves these.
    fn saturating_shift(&mut self, signed: bool) {
        let [mut value, count] = self.operands(false);
        let distance = i64::from(self.width() - self.bits).into_operand();
        if self.bits < self.width() {
            value = self.wide(Opcode::Shl, value, distance);
        }
        let shift_back = if signed { Opcode::Ashr } else { Opcode::Lshr };
        let shifted = self.wide(Opcode::Shl, value, count);
        let back = self.wide(shift_back, shifted, count);
        let overflows = self.emit(Opcode::IcmpNe, self.ty, back, value);
        let limit = match signed {
            true => {
                let top_bit = self.top_bit();
                let sign = self.wide(Opcode::Ashr, value, top_bit);
                let most = self.constant(i64::MAX >> (64 - self.width()));
                self.wide(Opcode::Xor, sign, most)
            }
            false => (-1).into_operand(),
        };
        let mut result = self.choose(self.ty, overflows, limit, shifted);
        if self.bits < self.width() {
            result = self.wide(Opcode::Lshr, result, distance);
        }
        let result = self.cut(result);
        self.finish(&[result]);
    }

    /// Of an odd width, which no library function has.
    fn division(&mut self, signed: bool) {
        let [a, b] = self.operands(signed);
        let result = self.wide(self.data.op, a, b);
        let result = self.cut(result);
        self.finish(&[result]);
    }

    /// Of an odd width, by a count in a register: modulo the width, which is less than that of what is computed with.
    fn funnel(&mut self) {
        let (low, count) = self.function.ternary(self.data);
        let [high, low, count] = [self.data.a, low, count].map(|operand| self.extended(operand, false));
        let width = self.constant(self.bits.into());
        let count = self.wide(Opcode::Urem, count, width);
        let rest = self.wide(Opcode::Sub, width, count);
        let (up, down) = match self.data.op {
            Opcode::Fshl => (count, rest),
            _ => (rest, count),
        };
        let high = self.wide(Opcode::Shl, high, up);
        let low = self.wide(Opcode::Lshr, low, down);
        let both = self.wide(Opcode::Or, high, low);
        let result = self.cut(both);
        self.finish(&[result]);
    }

    fn float(&mut self, ty: Type, value: f64) -> Operand {
        let bits = match ty {
            Type::F32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        };
        Operand::constant(self.function.push_float(ty, &[bits]))
    }

    /// NaN gives 0, and what is beyond an end of the range that end. A conversion that is not chosen may be of
    /// anything.
    fn saturating_conversion(&mut self, signed: bool) {
        let from = self.function.operand_type(self.data.a).expect("a float has a type");
        let ty = self.data.ty;
        let number = self.editor.resolve(self.data.a);
        let (op, low, high) = match signed {
            true => (
                Opcode::Fptosi,
                -(2f64.powi(self.bits as i32 - 1)),
                2f64.powi(self.bits as i32 - 1),
            ),
            false => (Opcode::Fptoui, 0.0, 2f64.powi(self.bits as i32)),
        };
        let unused = 64 - self.bits;
        let (least, most) = match signed {
            true => (i64::MIN >> unused, i64::MAX >> unused),
            false => (0, (u64::MAX >> unused).cast_signed()),
        };
        let [low, high] = [low, high].map(|bound| self.float(from, bound));
        let signed = |bound: i64| i128::from(bound << unused >> unused);
        let [least, most] = [least, most].map(|bound| self.function.int_operand(ty, signed(bound)));
        let converted = self.emit(op, ty, number, Operand::NONE);
        let is_low = self.emit(Opcode::FcmpOlt, from, number, low);
        let result = self.choose(ty, is_low, least, converted);
        let is_high = self.emit(Opcode::FcmpOge, from, number, high);
        let result = self.choose(ty, is_high, most, result);
        let is_number = self.emit(Opcode::FcmpOrd, from, number, number);
        let result = self.choose(ty, is_number, result, 0.into_operand());
        self.finish(&[result]);
    }

    /// Whether the bits of a double lie in one of the ranges that are asked for. NaNs of both signs are one class each.
    fn classify(&mut self) {
        let mask = self.data.b.as_imm().unwrap_or(0);
        let number = self.editor.resolve(self.data.a);
        let bits = self.emit(Opcode::Bitcast, Type::I64, number, Operand::NONE);
        let mut result = Operand::imm(0).expect("a small number");
        const SIGN: u128 = 1 << 63;
        for range in class_ranges(64, 52).iter().filter(|range| range.mask & mask != 0) {
            let is_nan = range.mask & NAN_CLASSES != 0;
            for sign in [0, SIGN].into_iter().take(if is_nan { 2 } else { 1 }) {
                let (low, high) = (range.low | sign, range.high | sign);
                let [low, span] = [low, high - low].map(|bound| self.constant((bound as u64).cast_signed()));
                let distance = self.wide(Opcode::Sub, bits, low);
                let is_within = self.emit(Opcode::IcmpUle, Type::I64, distance, span);
                result = self.emit(Opcode::Or, Type::I1, result, is_within);
            }
        }
        self.finish(&[result]);
    }

    /// A length of 64 bits: no memory is longer than 32 can say.
    fn shorten_length(&mut self) {
        let (second, length) = self.function.ternary(self.data);
        let (first, second, length) = (
            self.editor.resolve(self.data.a),
            self.editor.resolve(second),
            self.editor.resolve(length),
        );
        let length = match self.function.int_constant(length) {
            Some(length) => self.function.int_operand(Type::I32, (length as i32).into()),
            None => self.emit(Opcode::Trunc, Type::I32, length, Operand::NONE),
        };
        let start = self.function.push_pool(&[second, length]);
        let data = InstData {
            ty: Type::I32,
            a: first,
            b: Operand::raw(start),
            ..*self.data
        };
        self.editor.replace(self.function, self.at, data);
    }
}

/// A small number as an operand.
trait IntoOperand {
    fn into_operand(self) -> Operand;
}

impl IntoOperand for i64 {
    fn into_operand(self) -> Operand {
        Operand::imm(self).expect("a small number")
    }
}
