//! Floating point: exact results only, in the formats of 32 and 64 bits.
//!
//! Constants are computed with the host's IEEE operations, which round as the IR's do. What gives NaN is left to the
//! program. Rules that differ in the sign of zero need the flag that says that it does not matter.

use super::{Folded, Folder, Rule, bool_operand};
use frazil_ir::{ConstView, FastFlags, InstData, Opcode, Operand, Type};

/// A constant in one of the formats.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Float {
    F32(f32),
    F64(f64),
}

impl Float {
    fn as_f64(self) -> f64 {
        match self {
            Float::F32(value) => f64::from(value),
            Float::F64(value) => value,
        }
    }

    fn is_negative_zero(self) -> bool {
        self.as_f64() == 0.0 && self.as_f64().is_sign_negative()
    }

    fn is_positive_zero(self) -> bool {
        self.as_f64() == 0.0 && self.as_f64().is_sign_positive()
    }

    /// The reciprocal, if it is exact: of a power of two, none of the two being subnormal.
    fn exact_reciprocal(self) -> Option<Float> {
        let is_exact =
            |fraction: u64, normal: bool, reciprocal_normal: bool| fraction == 0 && normal && reciprocal_normal;
        match self {
            Float::F32(value) => {
                let reciprocal = 1.0 / value;
                let fraction = u64::from(value.to_bits() & 0x007f_ffff);
                is_exact(fraction, value.is_normal(), reciprocal.is_normal()).then_some(Float::F32(reciprocal))
            }
            Float::F64(value) => {
                let reciprocal = 1.0 / value;
                let fraction = value.to_bits() & 0x000f_ffff_ffff_ffff;
                is_exact(fraction, value.is_normal(), reciprocal.is_normal()).then_some(Float::F64(reciprocal))
            }
        }
    }
}

fn evaluate(op: Opcode, a: Float, b: Float) -> Option<Float> {
    use Opcode as O;
    macro_rules! in_format {
        ($format:path, $a:expr, $b:expr) => {
            $format(match op {
                O::Fadd => $a + $b,
                O::Fsub => $a - $b,
                O::Fmul => $a * $b,
                O::Fdiv => $a / $b,
                O::Fneg => -$a,
                O::Fabs => $a.abs(),
                O::Fsqrt => $a.sqrt(),
                O::Ffloor => $a.floor(),
                O::Fceil => $a.ceil(),
                O::Ftrunc => $a.trunc(),
                _ => return None,
            })
        };
    }
    let result = match (a, b) {
        (Float::F32(a), Float::F32(b)) => in_format!(Float::F32, a, b),
        (Float::F64(a), Float::F64(b)) => in_format!(Float::F64, a, b),
        _ => return None,
    };
    (!result.as_f64().is_nan()).then_some(result)
}

impl Folder<'_> {
    /// The number that an operand is.
    fn float(&self, operand: Operand) -> Option<Float> {
        let (ty, view) = self.f.constant(operand.as_const()?);
        let bits = match view {
            ConstView::Float(words) => *words.first()?,
            ConstView::Zero => 0,
            _ => return None,
        };
        match ty {
            Type::F32 => Some(Float::F32(f32::from_bits(bits as u32))),
            Type::F64 => Some(Float::F64(f64::from_bits(bits))),
            _ => None,
        }
    }

    fn float_operand(&mut self, value: Float) -> Operand {
        Operand::constant(match value {
            Float::F32(value) => self.f.push_float(Type::F32, &[u64::from(value.to_bits())]),
            Float::F64(value) => self.f.push_float(Type::F64, &[value.to_bits()]),
        })
    }

    pub(super) fn fold_float(&mut self, data: &InstData) -> Rule {
        if data.ty != Type::F32 && data.ty != Type::F64 {
            return None;
        }
        let is_unary = data.op.format() == frazil_ir::Format::Unary;
        let a = self.float(data.a);
        let b = if is_unary { a } else { self.float(data.b) };
        if let (Some(a), Some(b)) = (a, b) {
            let value = evaluate(data.op, a, b)?;
            return Some(Folded::To(self.float_operand(value)));
        }
        let same = |op: Opcode, a: Operand, b: Operand| Some(Folded::Into(InstData { op, a, b, ..*data }));
        match data.op {
            Opcode::Fneg => {
                let inner = self.def_of(data.a, Opcode::Fneg)?;
                Some(Folded::To(inner.a))
            }
            Opcode::Fabs => {
                let inner = self.def(data.a)?;
                match inner.op {
                    Opcode::Fneg => same(Opcode::Fabs, inner.a, Operand::NONE),
                    Opcode::Fabs => Some(Folded::To(data.a)),
                    _ => None,
                }
            }
            Opcode::Fadd | Opcode::Fmul if a.is_some() => same(data.op, data.b, data.a),
            Opcode::Fadd | Opcode::Fsub => {
                if let Some(folded) = self.fold_zeros(data, a, b) {
                    return Some(folded);
                }
                // The sign of a result that is not a number would be another one.
                if data.flags & FastFlags::NNAN.bits() == 0 {
                    return None;
                }
                let negated = self.def_of(data.b, Opcode::Fneg)?;
                let op = if data.op == Opcode::Fadd {
                    Opcode::Fsub
                } else {
                    Opcode::Fadd
                };
                same(op, data.a, negated.a)
            }
            Opcode::Fmul | Opcode::Fdiv => self.fold_factor(data, b?),
            _ => None,
        }
    }

    /// Sums and differences with zero.
    fn fold_zeros(&mut self, data: &InstData, a: Option<Float>, b: Option<Float>) -> Rule {
        let any_zero = data.flags & FastFlags::NSZ.bits() != 0;
        let is_sum = data.op == Opcode::Fadd;
        if let Some(b) = b {
            let exact = if is_sum {
                b.is_negative_zero()
            } else {
                b.is_positive_zero()
            };
            return (exact || (any_zero && b.as_f64() == 0.0)).then_some(Folded::To(data.a));
        }
        let a = a.filter(|_| !is_sum)?;
        let negates = a.is_negative_zero() || (any_zero && a.as_f64() == 0.0);
        negates.then_some(Folded::Into(InstData {
            op: Opcode::Fneg,
            a: data.b,
            b: Operand::NONE,
            ..*data
        }))
    }

    /// Products and quotients with constants.
    fn fold_factor(&mut self, data: &InstData, b: Float) -> Rule {
        if b.as_f64() == 1.0 {
            return Some(Folded::To(data.a));
        }
        if b.as_f64() == -1.0 {
            return Some(Folded::Into(InstData {
                op: Opcode::Fneg,
                b: Operand::NONE,
                ..*data
            }));
        }
        if data.op != Opcode::Fdiv {
            return None;
        }
        let reciprocal = b.exact_reciprocal()?;
        let reciprocal = self.float_operand(reciprocal);
        Some(Folded::Into(InstData {
            op: Opcode::Fmul,
            b: reciprocal,
            ..*data
        }))
    }

    pub(super) fn fold_float_compare(&mut self, data: &InstData) -> Rule {
        use Opcode as O;
        if data.ty != Type::F32 && data.ty != Type::F64 {
            return None;
        }
        if matches!(data.op, O::FcmpFalse | O::FcmpTrue) {
            return Some(Folded::To(bool_operand(data.op == O::FcmpTrue)));
        }
        // Every number of 32 bits is one of 64 bits, in the same order.
        let (a, b) = (self.float(data.a)?.as_f64(), self.float(data.b)?.as_f64());
        let order = a.partial_cmp(&b);
        let (less, equal, greater) = (a < b, a == b, a > b);
        let unordered = order.is_none();
        Self::bool_result(match data.op {
            O::FcmpOeq => equal,
            O::FcmpOgt => greater,
            O::FcmpOge => greater || equal,
            O::FcmpOlt => less,
            O::FcmpOle => less || equal,
            O::FcmpOne => less || greater,
            O::FcmpOrd => !unordered,
            O::FcmpUno => unordered,
            O::FcmpUeq => unordered || equal,
            O::FcmpUgt => unordered || greater,
            O::FcmpUge => unordered || greater || equal,
            O::FcmpUlt => unordered || less,
            O::FcmpUle => unordered || less || equal,
            O::FcmpUne => unordered || less || greater,
            _ => return None,
        })
    }

    /// Conversions of constants from and to floating point, and of what was widened before.
    pub(super) fn fold_float_cast(&mut self, data: &InstData, from: Type) -> Rule {
        use Opcode as O;
        match data.op {
            O::Sitofp | O::Uitofp => {
                let bits = self.int_bits(from).filter(|&bits| bits <= 64)?;
                let value = self.int(data.a)?;
                let value = if data.op == O::Uitofp {
                    crate::constants::zero_extended(value, bits).cast_signed()
                } else {
                    value
                };
                let value = match data.ty {
                    Type::F32 => Float::F32(value as f32),
                    Type::F64 => Float::F64(value as f64),
                    _ => return None,
                };
                Some(Folded::To(self.float_operand(value)))
            }
            O::Fptosi | O::Fptoui => {
                let bits = self.int_bits(data.ty).filter(|&bits| bits <= 64)?;
                let value = self.float(data.a)?.as_f64().trunc();
                let end = 2f64.powi(bits.cast_signed() - i32::from(data.op == O::Fptosi));
                let start = if data.op == O::Fptosi { -end } else { 0.0 };
                if !(start <= value && value < end) {
                    return None;
                }
                self.int_result(data.ty, crate::constants::sign_extended(value as i128, bits))
            }
            O::Fpext | O::Fptrunc => {
                if let Some(value) = self.float(data.a) {
                    let value = match data.ty {
                        Type::F32 => Float::F32(value.as_f64() as f32),
                        Type::F64 => Float::F64(value.as_f64()),
                        _ => return None,
                    };
                    let is_nan = value.as_f64().is_nan();
                    return if is_nan {
                        None
                    } else {
                        Some(Folded::To(self.float_operand(value)))
                    };
                }
                let inner = self.def_of(data.a, O::Fpext)?;
                (data.op == O::Fptrunc && self.type_of(inner.a) == Some(data.ty)).then_some(Folded::To(inner.a))
            }
            _ => None,
        }
    }
}
