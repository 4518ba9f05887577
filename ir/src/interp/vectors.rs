//! Operations that mix the lanes of vectors.

use super::pure::arith_lane;
use super::value::{Scalar, Value, scalar_bits};
use super::{Interpreter, Outcome, Stop};
use crate::function::{Function, InstData};
use crate::opcode::Opcode;
use crate::types::TypeData;

impl Interpreter<'_> {
    pub(super) fn vector_op(&self, function: &Function, data: &InstData, values: &[Value]) -> Outcome<Vec<Value>> {
        let result = match data.op {
            Opcode::ExtractElement => Value::Scalar(match values[1].known() {
                Some(index) => values[0].lanes().get(index as usize).copied().unwrap_or(Scalar::Poison),
                None => Scalar::Poison,
            }),
            Opcode::InsertElement => {
                let mut lanes = values[0].lanes().to_vec();
                match values[2].known().and_then(|index| lanes.get_mut(index as usize)) {
                    Some(lane) => *lane = values[1].lane(0),
                    None => lanes.fill(Scalar::Poison),
                }
                Value::Vector(lanes)
            }
            _ => {
                let (first, second) = (values[0].lanes(), values[1].lanes());
                let pick = |index: usize| first.iter().chain(second).nth(index).copied().unwrap_or(Scalar::Poison);
                let TypeData::Vector { lanes, .. } = function.types.data(data.ty) else {
                    return Err(Stop::Unsupported("a shuffle of scalars".to_owned()));
                };
                let lane = |index| {
                    values[2]
                        .lane(index)
                        .known()
                        .map_or(Scalar::Poison, |from| pick(from as usize))
                };
                Value::Vector((0..lanes as usize).map(lane).collect())
            }
        };
        Ok(vec![result])
    }

    pub(super) fn reduction(&self, function: &Function, data: &InstData, values: &[Value]) -> Outcome<Vec<Value>> {
        use Opcode as O;
        let op = match data.op {
            O::ReduceAdd => O::Add,
            O::ReduceMul => O::Mul,
            O::ReduceAnd => O::And,
            O::ReduceOr => O::Or,
            O::ReduceXor => O::Xor,
            O::ReduceSmin => O::Smin,
            O::ReduceSmax => O::Smax,
            O::ReduceUmin => O::Umin,
            O::ReduceUmax => O::Umax,
            O::ReduceFmin => O::Fminnum,
            O::ReduceFmax => O::Fmaxnum,
            O::ReduceFadd => O::Fadd,
            _ => O::Fmul,
        };
        let ty = function.types.data(data.ty);
        if scalar_bits(ty, self.pointer_bits()).is_none() {
            return Err(Stop::Unsupported(format!("values of {ty:?}")));
        }
        let (start, lanes) = match values {
            [start, vector] => (Some(start.lane(0)), vector.lanes()),
            [vector, ..] => (None, vector.lanes()),
            [] => (None, &[][..]),
        };
        let mut scalars = start.into_iter().chain(lanes.iter().copied());
        let first = scalars.next().unwrap_or(Scalar::Poison);
        let result = scalars.try_fold(first, |sum, lane| arith_lane(op, data.flags, ty, sum, lane))?;
        Ok(vec![Value::Scalar(result)])
    }
}
