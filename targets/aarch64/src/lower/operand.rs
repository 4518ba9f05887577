//! Operands that instructions shift, extend, multiply or turn around themselves.
//!
//! Both the choice of what is folded ([`super::fold`]) and the rules ask here what an instruction would be as such an
//! operand, so that they cannot disagree.

use super::low_bits;
use crate::immediates;
use frazil_ir::{Function, InstData, Opcode, Operand, Type};

/// The kinds of shift, as instructions have them.
const LSL: u32 = 0;
const LSR: u32 = 1;
const ASR: u32 = 2;
const ROR: u32 = 3;

/// What an operand is for the instruction that absorbs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absorbed {
    /// A value shifted by an amount, with the kind in bits 6 and 7: the immediate of such instructions.
    Shifted(Operand, u32),
    /// A value extended from a narrower type: the immediate of such instructions.
    Extended(Operand, u32),
    /// Of two values, to be added or subtracted by the same instruction.
    Product(Operand, Operand),
    /// All bits turned around.
    Not(Operand),
    /// A value plus one.
    Next(Operand),
    /// A value with the other sign.
    Negated(Operand),
}

impl Absorbed {
    /// What a choice of a `select` is.
    pub fn of_choice(inner: &InstData) -> Option<Absorbed> {
        match inner.op {
            Opcode::Add if inner.b.as_imm() == Some(1) && inner.a.as_value().is_some() => Some(Absorbed::Next(inner.a)),
            Opcode::Sub if inner.a.as_imm() == Some(0) && inner.b.as_value().is_some() => {
                Some(Absorbed::Negated(inner.b))
            }
            Opcode::Xor => complement(inner),
            _ => None,
        }
    }
}

fn complement(inner: &InstData) -> Option<Absorbed> {
    let is_complement = inner.op == Opcode::Xor && inner.b.as_imm() == Some(-1) && inner.a.as_value().is_some();
    is_complement.then_some(Absorbed::Not(inner.a))
}

/// The amount of a shift by a constant that moves something.
fn amount(inner: &InstData, bits: u32) -> Option<u32> {
    let amount = inner.b.as_imm()?;
    let is_shift = inner.a.as_value().is_some() && 0 < amount && amount < i64::from(bits);
    is_shift.then_some(amount as u32)
}

/// A shift by a constant. What shifts to the right needs all bits of a register, or zeros above them.
fn shifted(inner: &InstData, bits: u32) -> Option<Absorbed> {
    let amount = amount(inner, bits)?;
    let kind = match inner.op {
        Opcode::Shl => LSL,
        Opcode::Lshr => LSR,
        Opcode::Ashr if matches!(bits, 32 | 64) => ASR,
        _ => return None,
    };
    Some(Absorbed::Shifted(inner.a, kind << 6 | amount))
}

/// Whether an instruction shifts fewer bits than a register has to the right, so that it can only be absorbed where
/// there are zeros above them.
pub fn needs_zeros_above(inner: &InstData, bits: u32) -> bool {
    inner.op == Opcode::Lshr && !matches!(bits, 32 | 64)
}

/// A shift of half a register whose lower bits become a narrower number. What the operation has above those, nobody
/// looks at.
pub fn narrowed_shift(function: &Function, narrowed: &InstData, bits: u32) -> Option<Absorbed> {
    let is_half = bits < 32 && function.operand_type(narrowed.a) == Some(Type::I32);
    let shift = function.inst(function.def_inst(narrowed.a.as_value()?)?);
    let is_absorbed = narrowed.op == Opcode::Trunc && is_half;
    is_absorbed.then(|| shifted(shift, 32)).flatten()
}

/// What an operand of a sum of so many bits is.
pub fn absorbed_by_sum(function: &Function, inner: &InstData, bits: u32) -> Option<Absorbed> {
    match inner.op {
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => shifted(inner, bits),
        Opcode::Mul => product(inner, bits),
        Opcode::Zext | Opcode::Sext if matches!(bits, 32 | 64) => {
            let kind = match function.operand_type(inner.a)? {
                Type::I8 => 0,
                Type::I16 => 1,
                Type::I32 => 2,
                _ => return None,
            };
            let signed = if inner.op == Opcode::Sext { 4 } else { 0 };
            inner.a.as_value()?;
            Some(Absorbed::Extended(inner.a, (kind | signed) << 3))
        }
        _ => None,
    }
}

/// What an operand of a comparison of so many bits is.
pub fn compared(function: &Function, inner: &InstData, bits: u32) -> Option<Absorbed> {
    absorbed_by_sum(function, inner, bits)
        .filter(|absorbed| matches!(absorbed, Absorbed::Shifted(..) | Absorbed::Extended(..)))
}

/// A product by what is not a shift or a sum.
fn product(inner: &InstData, bits: u32) -> Option<Absorbed> {
    let constant = [inner.a, inner.b].iter().find_map(|operand| operand.as_imm());
    if let Some(constant) = constant {
        let factor = low_bits(constant.cast_unsigned(), bits);
        let is_simple = |value: u64| value.is_power_of_two();
        let beside = [
            factor,
            factor.wrapping_sub(1),
            factor.wrapping_add(1),
            low_bits(factor.wrapping_neg(), bits),
        ];
        if beside.into_iter().any(is_simple) || factor == 0 {
            return None;
        }
    }
    let is_value = inner.a.as_value().is_some() || inner.b.as_value().is_some();
    is_value.then_some(Absorbed::Product(inner.a, inner.b))
}

/// What an operand of a bitwise operation of so many bits is.
pub fn absorbed_by_logic(function: &Function, inner: &InstData, bits: u32) -> Option<Absorbed> {
    match inner.op {
        Opcode::Shl | Opcode::Lshr | Opcode::Ashr => shifted(inner, bits),
        // Of one bit, only that one is turned.
        Opcode::Xor if bits > 1 => complement(inner),
        Opcode::Fshl | Opcode::Fshr if matches!(bits, 32 | 64) => {
            let (low, count) = function.ternary(inner);
            let count = low_bits(count.as_imm()?.cast_unsigned(), bits) % u64::from(bits);
            if low != inner.a || inner.a.as_value().is_none() || count == 0 {
                return None;
            }
            let right = if inner.op == Opcode::Fshr {
                count as u32
            } else {
                bits - count as u32
            };
            Some(Absorbed::Shifted(inner.a, ROR << 6 | right))
        }
        _ => None,
    }
}

/// Whether a comparison of so many bits with zero can look at the bits of an `and` itself. Above fewer bits than a
/// register has, only a mask has zeros.
pub fn is_tested(and: &InstData, bits: u32) -> bool {
    let mask = and.b.as_imm().map(|mask| low_bits(mask.cast_unsigned(), bits));
    let is_mask = mask.is_some_and(|mask| immediates::logical(mask, 4).is_some());
    and.op == Opcode::And && (matches!(bits, 32 | 64) || bits < 32 && and.a.as_value().is_some() && is_mask)
}

/// Whether a comparison can be one that only compares under a condition: of two registers, or of one and a constant.
pub fn is_conditional(function: &Function, compare: &InstData, is_folded: &impl Fn(Operand) -> bool) -> bool {
    let bits = match compare.ty {
        Type::PTR => Some(64),
        ty => function.types().int_bits(ty),
    };
    let is_integer = compare.op.is_icmp() && bits.is_some_and(|bits| bits <= 64);
    let is_float = compare.op.is_fcmp()
        && matches!(compare.ty, Type::F32 | Type::F64)
        && !matches!(
            compare.op,
            Opcode::FcmpOne | Opcode::FcmpUeq | Opcode::FcmpFalse | Opcode::FcmpTrue
        );
    (is_integer || is_float) && !is_folded(compare.a) && !is_folded(compare.b)
}

/// Whether an instruction joins comparisons that it has absorbed.
pub fn joins(data: &InstData, is_folded: &impl Fn(Operand) -> bool) -> bool {
    let joins_bits = matches!(data.op, Opcode::And | Opcode::Or) && data.ty == Type::I1;
    joins_bits && (is_folded(data.a) || is_folded(data.b))
}

/// A field of bits that is moved: the numbers of `ubfm` and `sbfm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub source: Operand,
    pub signed: bool,
    /// How far it is turned to the right.
    pub rotation: u32,
    /// The highest bit of the source that belongs to it.
    pub last: u32,
}

/// The field that an instruction of 32 or 64 bits makes of what its first operand computes, if it is one.
pub fn field(outer: &InstData, inner: &InstData, bits: u32) -> Option<Field> {
    if !matches!(bits, 32 | 64) || inner.a.as_value().is_none() {
        return None;
    }
    let outer_imm = outer.b.as_imm()?;
    match (outer.op, inner.op) {
        // Bits from the middle of a register.
        (Opcode::And, Opcode::Lshr) => {
            let (ones, low) = (ones(outer_imm, bits)?, amount(inner, bits)?);
            Some(Field {
                source: inner.a,
                signed: false,
                rotation: low,
                last: (low + ones - 1).min(bits - 1),
            })
        }
        // The lowest bits, moved up.
        (Opcode::Shl, Opcode::And) => {
            let (ones, up) = (ones(inner.b.as_imm()?, bits)?, amount(outer, bits)?);
            Some(Field {
                source: inner.a,
                signed: false,
                rotation: bits - up,
                last: ones.min(bits - up) - 1,
            })
        }
        // Bits that are moved to the top, and down from there with their sign.
        (Opcode::Ashr, Opcode::Shl) => {
            let (down, up) = (amount(outer, bits)?, amount(inner, bits)?);
            Some(Field {
                source: inner.a,
                signed: true,
                rotation: if down >= up { down - up } else { bits + down - up },
                last: bits - 1 - up,
            })
        }
        _ => None,
    }
}

/// How many ones a mask of the lowest bits has.
fn ones(mask: i64, bits: u32) -> Option<u32> {
    let mask = low_bits(mask.cast_unsigned(), bits);
    let is_mask = mask != 0 && mask & mask.wrapping_add(1) == 0;
    is_mask.then(|| mask.count_ones())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(op: Opcode, imm: i64) -> InstData {
        let imm = Operand::imm(imm).expect("it is small");
        let value = Operand::value(frazil_ir::Value::from_u32(0));
        InstData::new(op, Type::I32, 0, value, imm)
    }

    #[test]
    fn fields_are_those_of_the_shifts() {
        let found = |outer: (Opcode, i64), inner: (Opcode, i64)| {
            let found = field(&binary(outer.0, outer.1), &binary(inner.0, inner.1), 32)?;
            Some((found.signed, found.rotation, found.last))
        };
        assert_eq!(found((Opcode::And, 0xff), (Opcode::Lshr, 8)), Some((false, 8, 15)));
        assert_eq!(found((Opcode::And, 0xff), (Opcode::Lshr, 28)), Some((false, 28, 31)));
        assert_eq!(found((Opcode::And, -1), (Opcode::Lshr, 8)), Some((false, 8, 31)));
        assert_eq!(found((Opcode::And, 0xf0), (Opcode::Lshr, 8)), None);
        assert_eq!(found((Opcode::Shl, 4), (Opcode::And, 0xff)), Some((false, 28, 7)));
        assert_eq!(found((Opcode::Shl, 28), (Opcode::And, 0xff)), Some((false, 4, 3)));
        assert_eq!(found((Opcode::Ashr, 24), (Opcode::Shl, 24)), Some((true, 0, 7)));
        assert_eq!(found((Opcode::Ashr, 28), (Opcode::Shl, 24)), Some((true, 4, 7)));
        assert_eq!(found((Opcode::Ashr, 20), (Opcode::Shl, 24)), Some((true, 28, 7)));
    }
}
