//! Vectors that fit into one register: how they lie there, and how operations on them that a target has no
//! instructions for are done lane by lane. How wide registers are the target says
//! ([`crate::TargetDesc::vector_bytes`]).
//!
//! Contract between shared code and targets: if a target's [`crate::Isa::parts`] gives a vector type a register, then
//! lanes lie in it packed from bit 0 on, as they lie in memory, and what is above them is undefined. A vector of `i1`
//! is a mask: its lanes are spread evenly over the whole register (their number rounded up to a power of two, four
//! lanes get 32 bits each), all ones or all zeros. In memory, and as the bits of an integer, a mask is one bit for
//! each lane; loads, stores and casts convert.
//!
//! All other vectors are taken apart before code is made ([`legalize`]): functions in which the reader saw vectors are
//! looked through once, and copied if there are any. Operations on legal vectors for which the target has no
//! instructions are the last resort's ([`expand`]), which starts only when a rule has met one.

pub mod average;
mod bits;
mod divided;
pub(crate) mod division;
mod expand;
mod halving;
mod lanes;
mod layout;
mod legalize;
mod mask_bits;
mod masked;
mod memory;
mod narrow;
mod narrowed;
mod operations;
mod passed;
mod pieces;
mod promote;
mod rebuild;
mod rotate;
mod saturate;
mod shape;
mod signatures;
mod through;
mod totals;
mod whole;
mod wide;
mod width;

pub use division::{Division, Question, Test};
pub use expand::shuffle_index;
pub use shape::VectorShape;
pub(crate) use width::{forgets_wide, leaves_wide};

use crate::error::CodegenError;
use crate::halt::Halt;
use crate::isa::Isa;
use crate::unit::Unit;
use frazil_ir::verify::verify_function;
use frazil_ir::{ConstView, Function, Operand, Refusal};

/// Compiles a function with [`crate::vectors`] made legal: `compile` gets the function as it is if it has no others.
///
/// # Errors
/// As `compile`'s, and what legalisation refuses.
#[inline]
pub(crate) fn with_legal_vectors<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    mut compile: impl FnMut(&Unit<'_>) -> Result<(), CodegenError>,
) -> Result<(), CodegenError> {
    if unit.function.has_vectors() {
        return legal(isa, unit, None, compile);
    }
    match compile(unit) {
        // What the reader has not seen: types that came in by signatures of other functions.
        Err(error) if error.refusal() == Some(Refusal::Vector) => legal(isa, unit, Some(error), compile),
        outcome => outcome,
    }
}

/// Compiles the legal copy of a function; if it needs none, ends with what it was refused for, or compiles it.
#[cold]
pub(crate) fn legal<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    refused: Option<CodegenError>,
    mut compile: impl FnMut(&Unit<'_>) -> Result<(), CodegenError>,
) -> Result<(), CodegenError> {
    let of_first_stage = legalize::first_stage(isa, unit);
    if let Some(function) = &of_first_stage {
        debug_assert_eq!(verify_function(unit.view.module, function), Ok(()));
    }
    let unit = &Unit {
        function: of_first_stage.as_ref().unwrap_or(unit.function),
        ..*unit
    };
    match (legalize::legalize(isa, unit, None)?, refused) {
        (Some(function), _) => {
            debug_assert_eq!(verify_function(unit.view.module, &function), Ok(()));
            compile(&Unit {
                function: &function,
                ..*unit
            })
        }
        (None, Some(error)) => Err(error),
        (None, None) => compile(unit),
    }
}

/// The legal copy of a function, if it needs one, in which what is refused has become poison; that is put into a list.
#[cold]
pub(crate) fn legal_parts<I: Isa>(isa: &I, unit: &Unit<'_>, refused: &mut Vec<CodegenError>) -> Option<Function> {
    let of_first_stage = legalize::first_stage(isa, unit);
    let unit = &Unit {
        function: of_first_stage.as_ref().unwrap_or(unit.function),
        ..*unit
    };
    match legalize::legalize(isa, unit, Some(refused)) {
        Ok(function) => function,
        Err(error) => {
            refused.push(error);
            None
        }
    }
}

/// Compiles a function again, without the operations that the target has no instructions for.
#[cold]
pub(crate) fn expanded<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    compile: impl FnOnce(&Unit<'_>) -> Result<(), Halt>,
) -> Result<(), Halt> {
    let function = expand::expand(isa, unit)?;
    let again = Unit {
        function: &function,
        ..*unit
    };
    match compile(&again) {
        Err(Halt::Expand) => Err(CodegenError::unsupported(Refusal::Vector, "an operation on vectors").into()),
        result => result,
    }
}

/// The register contents of a constant with these lanes; `None` if one of them is no number.
pub fn constant_bits(function: &Function, shape: VectorShape, lanes: &[Operand]) -> Option<u128> {
    let mut bits = 0;
    for (index, &lane) in lanes.iter().enumerate() {
        let value = lane_bits(function, lane)?;
        let value = match (shape.is_mask, shape.lane_bits) {
            (true, width) => u128::from(value & 1 != 0) * low_ones(width),
            (false, width) => value & low_ones(width),
        };
        bits |= value.checked_shl(shape.lane_bits * index as u32)?;
    }
    Some(bits)
}

/// This many ones.
fn low_ones(bits: u32) -> u128 {
    u128::MAX >> (u128::BITS - bits)
}

/// A lane's bits, sign-extended.
fn lane_bits(function: &Function, lane: Operand) -> Option<u128> {
    if let Some(imm) = lane.as_imm() {
        return Some(i128::from(imm).cast_unsigned());
    }
    match function.constant(lane.as_const()?).1 {
        ConstView::Int(words) => Some(match *words {
            [] => 0,
            [low] => i128::from(low.cast_signed()).cast_unsigned(),
            [low, high, ..] => u128::from(low) | u128::from(high) << 64,
        }),
        ConstView::Float(&[word]) => Some(u128::from(word)),
        ConstView::Zero | ConstView::Undef | ConstView::Poison => Some(0),
        _ => None,
    }
}
