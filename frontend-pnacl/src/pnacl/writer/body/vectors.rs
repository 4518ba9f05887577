//! Lanes of vectors. The ABI has them one by one, named by constants; all else is taken apart.

use super::{define, own};
use crate::pnacl::writer::builder::{Builder, no_form};
use crate::pnacl::writer::error::WriteError;
use crate::pnacl::writer::records::Ref;
use crate::pnacl::writer::types::Kind;
use frazil_ir::{ConstView, InstData, Opcode, Operand, Refusal};

/// A lane that is taken out or put in, or lanes of two vectors.
pub fn write(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    match data.op {
        Opcode::ExtractElement => {
            let kind = builder.kind(data.ty)?;
            let vector = own(builder, data, data.a)?;
            let result = match lane(builder, data.b, kind)? {
                Some(lane) => builder.extract(vector, lane),
                None => builder.undefined(kind.scalar()),
            };
            define(builder, data, result)
        }
        Opcode::InsertElement => {
            let kind = builder.kind(data.ty)?;
            let (element, place) = builder.function.ternary(data);
            let vector = own(builder, data, data.a)?;
            let element_type = builder.function.types().scalar(data.ty);
            let element = builder.operand(element, element_type)?;
            let result = match lane(builder, place, kind)? {
                Some(lane) => builder.insert(vector, element, lane),
                None => builder.undefined(kind),
            };
            define(builder, data, result)
        }
        _ => shuffle(builder, data),
    }
}

/// The lane that a constant names; none if there is no such lane, where the result is poison.
fn lane(builder: &Builder<'_>, place: Operand, kind: Kind) -> Result<Option<u32>, WriteError> {
    match builder.function.int_constant(place) {
        Some(lane) => Ok(u32::try_from(lane).ok().filter(|&lane| lane < kind.lanes())),
        None => Err(WriteError::new(Refusal::Vector, "a lane whose number is no constant")),
    }
}

/// Lanes of two vectors, one by one; each is taken out once.
fn shuffle(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    let (from, to) = (builder.carried_kind(data.a)?, builder.kind(data.ty)?);
    let (second, mask) = builder.function.ternary(data);
    let source = builder.function.operand_type(data.a).unwrap_or(data.ty);
    let vectors = [builder.operand(data.a, source)?, builder.operand(second, source)?];
    let wanted = mask_lanes(builder, mask, to.lanes());
    let mut taken: Vec<Option<Ref>> = vec![None; 2 * from.lanes() as usize];
    let mut result = builder.undefined(to);
    for (place, lane) in (0..).zip(wanted) {
        let Some(lane) = lane else { continue };
        let (Some(slot), lanes) = (taken.get(lane as usize).copied(), from.lanes()) else {
            continue;
        };
        let element = match slot {
            Some(element) => element,
            None => {
                let [first, second] = vectors;
                let vector = if lane < lanes { first } else { second };
                builder.extract(vector, lane % lanes)
            }
        };
        if let Some(slot) = taken.get_mut(lane as usize) {
            *slot = Some(element);
        }
        result = builder.insert(result, element, place);
    }
    define(builder, data, result)
}

/// The lanes that a mask asks for; none where any will do.
fn mask_lanes(builder: &Builder<'_>, mask: Operand, lanes: u32) -> Vec<Option<u32>> {
    match mask.as_const().map(|id| builder.function.constant(id).1) {
        Some(ConstView::Zero) => vec![Some(0); lanes as usize],
        Some(ConstView::Vector(numbers)) => numbers
            .iter()
            .map(|&number| u32::try_from(builder.function.int_constant(number)?).ok())
            .collect(),
        _ => vec![None; lanes as usize],
    }
}

/// All lanes become one value.
pub fn reduce(builder: &mut Builder<'_>, data: &InstData) -> Result<(), WriteError> {
    use Opcode as O;
    let (start, vector) = match data.op {
        O::ReduceFadd | O::ReduceFmul => (Some(own(builder, data, data.a)?), data.b),
        _ => (None, data.a),
    };
    let kind = builder.carried_kind(vector)?;
    let vector = own(builder, data, vector)?;
    let of_bits = kind.scalar() == Kind::I1;
    let mut result = start;
    for lane in 0..kind.lanes() {
        let element = builder.extract(vector, lane);
        result = Some(match result {
            None => element,
            Some(so_far) => match data.op {
                O::ReduceAdd if of_bits => builder.binary(O::Xor, so_far, element)?,
                O::ReduceMul if of_bits => builder.binary(O::And, so_far, element)?,
                O::ReduceAdd => builder.binary(O::Add, so_far, element)?,
                O::ReduceMul => builder.binary(O::Mul, so_far, element)?,
                O::ReduceAnd => builder.binary(O::And, so_far, element)?,
                O::ReduceOr => builder.binary(O::Or, so_far, element)?,
                O::ReduceXor => builder.binary(O::Xor, so_far, element)?,
                O::ReduceFadd => builder.binary(O::Fadd, so_far, element)?,
                O::ReduceFmul => builder.binary(O::Fmul, so_far, element)?,
                O::ReduceSmin => least(builder, O::IcmpSlt, kind, so_far, element)?,
                O::ReduceSmax => least(builder, O::IcmpSgt, kind, so_far, element)?,
                O::ReduceUmin => least(builder, O::IcmpUlt, kind, so_far, element)?,
                O::ReduceUmax => least(builder, O::IcmpUgt, kind, so_far, element)?,
                op => return Err(no_form(op)),
            },
        });
    }
    match result {
        Some(result) => define(builder, data, result),
        None => Err(no_form(data.op)),
    }
}

fn least(builder: &mut Builder<'_>, op: Opcode, kind: Kind, one: Ref, other: Ref) -> Result<Ref, WriteError> {
    let flag = builder.compare(op, kind.scalar(), one, other)?;
    Ok(builder.select(flag, one, other))
}
