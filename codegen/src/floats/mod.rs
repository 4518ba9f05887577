//! Floats that the target keeps in registers but does not compute with: `half` (`f16`), `bfloat` (`bf16`) and `fp128`
//! (`f128`).
//!
//! Contract between shared code and targets: if a target's [`crate::Isa::parts`] gives one of these types a register,
//! then it can load, store, copy, select, pass and return values of the type, make constants of it, and cast them to
//! and from integers of the same size. Everything else is done by other operations, in a copy of the function
//! ([`legalize`]):
//!
//! * A `half` or a `bfloat` is extended to `float`, computed with, and rounded after each operation, in [whole
//!   vectors](whole) where that takes no calls. Conversions of a `bfloat` from and to `float` are operations on bits;
//!   those of a `half` are instructions where the target has them ([`crate::Isa::half_conversions`]), and like all
//!   others functions of the compiler's run-time library elsewhere.
//! * Every operation on an `f128` is a function of that library or of the C library.
//! * Signs and classes ([`signs`]) are questions about bits, for all three.
//!
//! So are those of the C library on `x86_fp80` where rules cannot pass such arguments.
//!
//! A copy is made only of functions that the target has refused, so that all others pay nothing. Other vectors of such
//! floats are computed with lane by lane.

mod classes;
mod convert;
mod legalize;
mod library;
mod operations;
mod signs;
mod whole;

pub use classes::{ClassRange, NAN_CLASSES, class_ranges};
pub use library::long_arithmetic;

use crate::error::CodegenError;
use crate::included;
use crate::isa::Isa;
use crate::unit::Unit;
use crate::vectors::{legal, with_legal_vectors};
use frazil_ir::verify::verify_function;
use frazil_ir::{CallConv, Function, Refusal};

/// Compiles a function with [`crate::floats`] and [`crate::vectors`] made legal: `compile` gets the function as it is
/// if it has no others.
///
/// # Errors
/// As `compile`'s, and what legalisation refuses.
#[inline]
pub(crate) fn with_legal_types<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    mut compile: impl FnMut(&Unit<'_>) -> Result<(), CodegenError>,
) -> Result<(), CodegenError> {
    if !included::VECTORS {
        return compile(unit).map_err(included::for_want_of_vectors);
    }
    match with_legal_vectors(isa, unit, &mut compile) {
        Ok(()) => Ok(()),
        Err(error) => again(isa, unit, error, compile),
    }
}

/// Compiles the legal copy of a function that was refused; if it has nothing to be legalised, that was the last word.
#[cold]
fn again<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    error: CodegenError,
    mut compile: impl FnMut(&Unit<'_>) -> Result<(), CodegenError>,
) -> Result<(), CodegenError> {
    if !matches!(error.refusal(), Some(Refusal::ExoticFloat | Refusal::Vector)) {
        return Err(error);
    }
    let function = legalize::legalize(unit, abilities(isa, unit), None)?;
    let legal_unit = Unit {
        function: function.as_ref().unwrap_or(unit.function),
        ..*unit
    };
    let outcome = match &function {
        Some(function) => {
            debug_assert_eq!(verify_function(unit.view.module, function), Ok(()));
            with_legal_vectors(isa, &legal_unit, &mut compile)
        }
        None => Err(error),
    };
    match outcome {
        // Results in memory are the business of what does the same for vectors.
        Err(error) if error.refusal() == Some(Refusal::ExoticFloat) => legal(isa, &legal_unit, Some(error), compile),
        outcome => outcome,
    }
}

fn abilities<I: Isa>(isa: &I, unit: &Unit<'_>) -> legalize::Abilities {
    legalize::Abilities {
        half_conversions: isa.half_conversions(unit.view.features),
        passes_long_in_memory: (isa.convention(CallConv::C)).is_some_and(|conv| conv.short_memory_bytes > 0),
    }
}

/// The legal copy of a function, if it needs one; what is refused is put into a list.
#[cold]
pub(crate) fn legal_floats<I: Isa>(isa: &I, unit: &Unit<'_>, refused: &mut Vec<CodegenError>) -> Option<Function> {
    legalize::legalize(unit, abilities(isa, unit), Some(refused))
        .ok()
        .flatten()
}
