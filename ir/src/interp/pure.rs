//! Instructions without effects, lane by lane.

use super::floats;
use super::ints::{Results, int_op};
use super::value::{Scalar, Value, mask, scalar_bits, signed};
use super::{Interpreter, Outcome, Stop};
use crate::flags::{FastFlags, IntFlags};
use crate::function::{Function, InstData};
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::types::TypeData;
use crate::typing::{is_cast, is_reduction};

/// What a lane's operation needs to know of its instruction.
struct Lane {
    op: Opcode,
    flags: u16,
    /// The element of the instruction's type.
    ty: TypeData,
    /// The element of the first operand's type.
    operand_ty: TypeData,
    pointer_bits: u32,
}

impl Interpreter<'_> {
    /// The results of an instruction without effects.
    pub(super) fn pure(&self, function: &Function, data: &InstData) -> Outcome<Vec<Value>> {
        use Opcode as O;
        let mut operands: Vec<Operand> = Vec::with_capacity(3);
        function.for_each_operand(data, |operand| operands.push(operand));
        let values = operands
            .iter()
            .enumerate()
            .map(|(slot, &operand)| self.slot(function, data, slot, operand))
            .collect::<Outcome<Vec<Value>>>()?;
        match data.op {
            O::ExtractElement | O::InsertElement | O::Shuffle => return self.vector_op(function, data, &values),
            O::TlsAddr => return Ok(vec![values[0].clone()]),
            O::ThreadPointer | O::EhTypeidFor | O::Phi | O::Addrspacecast => {
                return Err(Stop::Unsupported(format!("opcode {}", data.op.name())));
            }
            O::Bitcast => return self.bitcast(function, data, operands[0], &values[0]),
            _ if is_reduction(data.op) => return self.reduction(function, data, &values),
            _ => {}
        }
        let element = |ty| function.types.data(function.types.scalar(ty));
        let lane = Lane {
            op: data.op,
            flags: data.flags,
            ty: element(data.ty),
            operand_ty: function.operand_type(operands[0]).map_or(element(data.ty), element),
            pointer_bits: self.pointer_bits(),
        };
        lanewise(&lane, function.types.data(data.ty), &values)
    }

    fn bitcast(&self, function: &Function, data: &InstData, operand: Operand, value: &Value) -> Outcome<Vec<Value>> {
        let from = function.operand_type(operand).unwrap_or(data.ty);
        let bytes = self.to_bytes(&function.types, from, value)?;
        self.value_of_bytes(&function.types, data.ty, &bytes)
            .map(|value| vec![value])
    }
}

/// Applies an operation to each lane of its operands.
fn lanewise(lane: &Lane, ty: TypeData, values: &[Value]) -> Outcome<Vec<Value>> {
    let operands = |index: usize| {
        let mut scalars = [Scalar::defined(0); 3];
        for (scalar, value) in scalars.iter_mut().zip(values) {
            *scalar = value.lane(index);
        }
        scalars
    };
    let TypeData::Vector { lanes, .. } = ty else {
        let (first, second) = lane.compute(operands(0))?;
        return Ok(std::iter::once(first).chain(second).map(Value::Scalar).collect());
    };
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    for index in 0..lanes as usize {
        let (first, second) = lane.compute(operands(index))?;
        firsts.push(first);
        seconds.extend(second);
    }
    let second = (!seconds.is_empty()).then_some(Value::Vector(seconds));
    Ok(std::iter::once(Value::Vector(firsts)).chain(second).collect())
}

/// One lane of an arithmetic operation, for reductions.
pub(super) fn arith_lane(op: Opcode, flags: u16, ty: TypeData, a: Scalar, b: Scalar) -> Outcome<Scalar> {
    let lane = Lane {
        op,
        flags,
        ty,
        operand_ty: ty,
        pointer_bits: 64,
    };
    Ok(lane.compute([a, b, Scalar::defined(0)])?.0)
}

impl Lane {
    fn bits(&self, ty: TypeData) -> Outcome<u32> {
        scalar_bits(ty, self.pointer_bits).ok_or_else(|| Stop::Unsupported(format!("values of {ty:?}")))
    }

    fn compute(&self, operands: [Scalar; 3]) -> Outcome<Results> {
        use Opcode as O;
        let [a, b, c] = operands;
        let one = |scalar: Scalar| Ok((scalar, None));
        match self.op {
            O::Copy => return one(a),
            O::Freeze => {
                return one(match a {
                    Scalar::Poison => Scalar::defined(0),
                    Scalar::Bits { value, .. } => Scalar::defined(value),
                });
            }
            O::Select => {
                return one(match a {
                    Scalar::Poison => Scalar::Poison,
                    Scalar::Bits { undef: 0, value } => {
                        if value == 1 {
                            b
                        } else {
                            c
                        }
                    }
                    Scalar::Bits { .. } if b == c => b,
                    Scalar::Bits { .. } => Scalar::undef(self.bits(self.ty)?),
                });
            }
            _ => {}
        }
        let divides = self.op.effects() == crate::Effects::Trap;
        if divides && b == Scalar::Poison {
            return Err(Stop::undefined("division by poison"));
        }
        let int_flags = IntFlags::from_bits_truncate(self.flags);
        if self.is_int_op() {
            return int_op(self.op, int_flags, self.bits(self.ty)?, operands);
        }
        if operands.contains(&Scalar::Poison) {
            return one(Scalar::Poison);
        }
        if is_cast(self.op) {
            return one(self.cast(int_flags, a)?);
        }
        match operands.map(Scalar::known) {
            [Some(a), Some(b), Some(c)] => one(self.defined(a, b, c)?),
            _ => one(Scalar::undef(self.result_bits()?)),
        }
    }

    fn is_int_op(&self) -> bool {
        (Opcode::Add as u8..=Opcode::IcmpSle as u8).contains(&(self.op as u8))
    }

    fn result_bits(&self) -> Outcome<u32> {
        let is_bool = self.op.results() == crate::Results::Bool;
        if is_bool { Ok(1) } else { self.bits(self.ty) }
    }

    /// Operations on fully defined operands that are no integer arithmetic.
    fn defined(&self, a: u128, b: u128, c: u128) -> Outcome<Scalar> {
        use Opcode as O;
        match self.op {
            O::Scmp | O::Ucmp => {
                let from = self.bits(self.operand_ty)?;
                let order = match self.op {
                    O::Scmp => signed(a, from).cmp(&signed(b, from)),
                    _ => a.cmp(&b),
                };
                Ok(Scalar::defined(
                    (order as i128).cast_unsigned() & mask(self.bits(self.ty)?),
                ))
            }
            O::PtrAdd => Ok(Scalar::defined(a.wrapping_add(b) & mask(self.pointer_bits))),
            O::PtrIndex => {
                let offset = b.wrapping_mul(u128::from(self.flags));
                Ok(Scalar::defined(a.wrapping_add(offset) & mask(self.pointer_bits)))
            }
            _ => floats::float_op(self.op, FastFlags::from_bits_truncate(self.flags), self.ty, [a, b, c]),
        }
    }

    fn cast(&self, flags: IntFlags, operand: Scalar) -> Outcome<Scalar> {
        use Opcode as O;
        let (from, to) = (self.bits(self.operand_ty)?, self.bits(self.ty)?);
        let Scalar::Bits { value, undef } = operand else {
            return Ok(Scalar::Poison);
        };
        let extend = |bits: u128| signed(bits, from).cast_unsigned() & mask(to);
        match self.op {
            O::Trunc => {
                let changes = (flags.contains(IntFlags::NUW) && value & mask(to) != value)
                    || (flags.contains(IntFlags::NSW) && signed(value & mask(to), to) != signed(value, from));
                let (value, undef) = (value & mask(to), undef & mask(to));
                Ok(if changes {
                    Scalar::Poison
                } else {
                    Scalar::Bits { value, undef }
                })
            }
            O::Zext if flags.contains(IntFlags::NNEG) && signed(value, from) < 0 => Ok(Scalar::Poison),
            O::Zext => Ok(operand),
            O::Sext => Ok(Scalar::Bits {
                value: extend(value),
                undef: extend(undef),
            }),
            O::Ptrtoint | O::Inttoptr => Ok(Scalar::Bits {
                value: value & mask(to),
                undef: undef & mask(to),
            }),
            _ if undef != 0 => Ok(Scalar::undef(to)),
            O::Fptoui | O::Fptosi | O::FptouiSat | O::FptosiSat => floats::to_int(self.op, self.operand_ty, value, to),
            O::Lrint => floats::to_nearest_int(self.operand_ty, value, to),
            O::Uitofp | O::Sitofp => floats::from_int(self.op, flags, from, value, self.ty),
            _ => floats::convert(self.operand_ty, value, self.ty),
        }
    }
}
