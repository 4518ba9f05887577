//! Which types are computed in registers wider than those that have instructions for every operation.
//!
//! Of each type that fills such a register, the operations of the function are counted that have instructions for it,
//! and those whose operands have to be taken apart. Phis, calls and returns take a value as it is. How often blocks are
//! executed is not known here; what leaves a loop, as reductions do, costs more than it should.

use super::average;
use super::division::Division;
use super::narrow::Narrow;
use crate::included::VECTORS;
use crate::isa::Isa;
use crate::reg::{Reg, RegClass};
use crate::unit::Unit;
use frazil_ir::masked::Masked;
use frazil_ir::{CallFlags, Format, Function, InstData, Opcode, Operand, Param, Type, TypeData};

/// What it costs to take the operands of one operation apart, in operations that are done at once instead of twice.
const APART_COST: i64 = 4;

/// Calls `visit` with the type of an instruction and those of its operands and results.
pub(super) fn each_type(function: &Function, data: &InstData, mut visit: impl FnMut(Type)) {
    visit(data.ty);
    for result in function.results(data) {
        visit(function.value(result).ty);
    }
    let mut slot = 0;
    function.for_each_operand(data, |operand| {
        // A shuffle's indices are no values.
        if (data.op != Opcode::Shuffle || slot != 2)
            && let Some(ty) = function.operand_type(operand)
        {
            visit(ty);
        }
        slot += 1;
    });
}

/// Whether an instruction takes and gives values as they are, whatever their type.
pub(super) fn is_neutral(data: &InstData) -> bool {
    match data.op {
        Opcode::Phi | Opcode::Return | Opcode::Nop => true,
        _ if matches!(data.op.format(), Format::Call | Format::Invoke) => is_plain_call(data),
        _ => false,
    }
}

/// Whether an operation on wide vectors becomes others that the target has for them ([`super::through`]).
pub(super) fn is_rewritten(function: &Function, data: &InstData, has_operation: impl Fn(&InstData) -> bool) -> bool {
    let has = |op, b| has_operation(&InstData::new(op, data.ty, 0, data.a, b));
    match data.op {
        Opcode::Fshl | Opcode::Fshr => {
            let (_, amount) = function.ternary(data);
            amount.as_const().is_some() && has(Opcode::Shl, amount) && has(Opcode::Lshr, amount)
        }
        Opcode::Ctlz | Opcode::Cttz => {
            let types = function.types();
            let is_counted = has(Opcode::Ctpop, Operand::NONE) || has(Opcode::Ctlz, Operand::NONE);
            is_counted && types.int_bits(types.scalar(data.ty)) > Some(8)
        }
        _ => false,
    }
}

/// Whether a call is one of a function, and not of an intrinsic or a text of assembly.
pub(super) fn is_plain_call(data: &InstData) -> bool {
    !CallFlags::from_bits_retain(data.flags).intersects(CallFlags::INTRINSIC | CallFlags::INLINE_ASM)
}

/// Whether a call is a text of assembly.
pub(super) fn is_text(data: &InstData) -> bool {
    data.op == Opcode::Call && CallFlags::from_bits_retain(data.flags).contains(CallFlags::INLINE_ASM)
}

/// Bytes of the widest vectors that a function may compute with if it does without the widest.
const SPARING_BYTES: u8 = 32;

/// Bytes of the widest vectors that are computed in a function; 0 if none are wide.
pub(super) fn computed_bytes<I: Isa>(isa: &I, unit: &Unit<'_>) -> u8 {
    let bytes = isa.computed_vector_bytes(unit.view.features);
    match unit.head.spares_wide_vectors {
        true => bytes.min(SPARING_BYTES),
        false => bytes,
    }
}

/// By type, whether it is computed wide; empty if none is.
pub(super) fn choose<I: Isa>(isa: &I, unit: &Unit<'_>) -> Vec<bool> {
    let function = unit.function;
    let types = function.types();
    let count = usize::from(Type::FIRST_EXTRA) + types.extra_len();
    let bytes = computed_bytes(isa, unit);
    let is_candidate = |index: usize| {
        let ty = Type::from_index(index as u8);
        let parts = isa.parts(types, ty);
        parts.is_wide_vector() && parts.bytes <= bytes && matches!(types.data(ty), TypeData::Vector { .. })
    };
    if bytes == 0 || !(0..count).any(is_candidate) || calls_keep_halves(isa, function) {
        return Vec::new();
    }
    let candidates: Vec<bool> = (0..count).map(is_candidate).collect();
    let mut gains = vec![0i64; count];
    for data in function.insts() {
        // A comparison is done with the select that takes it, or counts by what else does.
        if is_neutral(data) || data.op.is_icmp() || data.op.is_fcmp() {
            continue;
        }
        // Its extensions will not be done.
        if average::operands(function, data).is_some()
            || Narrow::of(function, data, &|bits| isa.has_high_products(bits)).is_some()
        {
            if candidates[data.ty.index()] {
                gains[data.ty.index()] += 1 + 2 * APART_COST;
            }
            continue;
        }
        let has_operation = |data: &InstData| isa.has_vector_operation(function, unit.view, data);
        let is_done = has_operation(data)
            || is_rewritten(function, data, has_operation)
            || is_whole_call(isa, unit, data)
            || is_text(data);
        let gain = match is_done {
            true => 1,
            false => -APART_COST,
        };
        each_type(function, data, |ty| {
            if candidates[ty.index()] {
                gains[ty.index()] += gain;
            }
        });
    }
    let chosen: Vec<bool> = (0..count).map(|index| candidates[index] && gains[index] > 0).collect();
    match chosen.contains(&true) {
        true => chosen,
        false => Vec::new(),
    }
}

/// Whether a call is of an intrinsic that takes vectors as wide as they are.
fn is_whole_call<I: Isa>(isa: &I, unit: &Unit<'_>, data: &InstData) -> bool {
    data.op == Opcode::Call
        && CallFlags::from_bits_retain(data.flags).contains(CallFlags::INTRINSIC)
        && data.a.as_symbol().is_some_and(|symbol| {
            let name = unit.view.module.display_name(symbol);
            // Accesses under masks are where masks are bits, or loads and stores by wide lanes.
            let is_there = match Masked::of(&name) {
                Some(masked) => isa.masks_are_bits(unit.view.features) || has_lane_mask(isa, unit, data, masked),
                None => true,
            };
            is_there && isa.division(&name) == Some(Division::Whole)
        })
}

/// Whether a call loads or stores under a mask of wide lanes, for which there are instructions.
fn has_lane_mask<I: Isa>(isa: &I, unit: &Unit<'_>, data: &InstData, masked: Masked) -> bool {
    let function = unit.function;
    let signature = function.sig(function.call(data).sig);
    let vector = signature.returns.first().or(signature.params.first());
    let bits = vector.map(|param| function.types().bits(function.types().scalar(param.ty), 64));
    masked.is_in_row() && matches!(bits, Some(32 | 64)) && isa.has_lane_masks(unit.view.features)
}

/// Whether a function that is called keeps a part of a float register, so that a wide value could be lost in one.
fn calls_keep_halves<I: Isa>(isa: &I, function: &Function) -> bool {
    let keeps = |data: &InstData| {
        let convention = isa.convention(function.sig(function.call(data).sig).call_conv);
        let is_half_kept = |reg: Reg| RegClass::of(reg) == RegClass::Float;
        convention.is_some_and(|conv| conv.callee_saved.iter().any(is_half_kept))
    };
    let is_call = |data: &&InstData| matches!(data.op.format(), Format::Call | Format::Invoke);
    function.insts().iter().filter(is_call).any(keeps)
}

/// What [`FrameInfo::leaves_wide`](crate::FrameInfo::leaves_wide) says of a function.
#[inline]
pub(crate) fn leaves_wide<I: Isa>(isa: &I, function: &Function) -> bool {
    VECTORS && function.has_wide_vectors() && !returns_wide(isa, function)
}

/// Whether [`Isa::forget_wide`] is asked at each call: a function computes in wide registers, and passes nothing in
/// them.
#[inline]
pub(crate) fn forgets_wide<I: Isa>(isa: &I, function: &Function) -> bool {
    VECTORS && function.has_wide_vectors() && !passes_wide(isa, function)
}

/// Whether a value is passed to a callee in a wide register, or comes from one.
#[cold]
fn passes_wide<I: Isa>(isa: &I, function: &Function) -> bool {
    let is_wide = |param: &Param| isa.parts(function.types(), param.ty).is_wide_vector();
    let is_call = |data: &&InstData| matches!(data.op.format(), Format::Call | Format::Invoke);
    function.insts().iter().filter(is_call).any(|data| {
        let call = function.call(data);
        let signature = function.sig(call.sig);
        let passed = call.args.iter().filter_map(|&argument| function.operand_type(argument));
        signature.returns.iter().any(is_wide)
            || passed
                .into_iter()
                .any(|ty| isa.parts(function.types(), ty).is_wide_vector())
    })
}

#[cold]
fn returns_wide<I: Isa>(isa: &I, function: &Function) -> bool {
    let returns = &function.signature().returns;
    returns
        .iter()
        .any(|param| isa.parts(function.types(), param.ty).is_wide_vector())
}
