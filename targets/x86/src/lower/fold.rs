//! What is folded into what: loads into arithmetic and comparisons, comparisons into branches and selects, address
//! arithmetic into addresses.
//!
//! Each case here has its counterpart in a rule that absorbs exactly this.

use super::overflow::condition_of_overflow;
use super::{arith, compare, contracted, fused, vector};
use crate::features;
use frazil_codegen::Folder;
use frazil_codegen::extended::fold_extensions;
use frazil_codegen::included::VECTORS;
use frazil_ir::{Inst, InstData, MemFlags, Opcode, Operand, Type};

/// Types from here on are the function's own: vectors, and integers of odd widths.
const FIRST_EXTRA: usize = Type::FIRST_EXTRA as usize;

/// Chooses for one instruction, where general registers have `W` bytes.
#[inline]
pub fn fold<const W: u8>(folder: &mut Folder<'_>, user: Inst) {
    let data = folder.inst(user);
    match data.op {
        Opcode::Load | Opcode::AtomicLoad | Opcode::AtomicRmw | Opcode::Cmpxchg | Opcode::Prefetch => {
            folder.fold_address(data.a);
        }
        Opcode::Store => {
            folder.fold_address(data.b);
            // A store past the caches has an instruction of its own.
            if !MemFlags(data.flags).is_nontemporal() {
                fold_update::<W>(folder, data);
                vector::elements::fold_stored(folder, data);
            }
        }
        Opcode::AtomicStore => folder.fold_address(data.b),
        Opcode::Branch => fold_branch::<W>(folder, user, data.a),
        Opcode::Add | Opcode::Sub | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Mul => match data.ty {
            Type::I64 if W == 4 => fold_extensions(folder, data, Type::I32),
            Type::I32 | Type::I64 => fold_arithmetic::<W>(folder, data),
            Type::I128 => fold_extensions(folder, data, Type::I64),
            _ => fold_vector(folder, data),
        },
        Opcode::UaddOverflow | Opcode::SaddOverflow | Opcode::UsubOverflow | Opcode::SsubOverflow
            if is_full_width::<W>(data.ty) =>
        {
            fold_arithmetic::<W>(folder, data);
        }
        Opcode::UaddCarry | Opcode::UsubBorrow if is_full_width::<W>(data.ty) => {
            let (right, _) = folder.function.ternary(data);
            let is_folded = fold_load(folder, right, is_full_width::<W>);
            if data.op == Opcode::UaddCarry && !is_folded && right.as_value().is_some() {
                fold_load(folder, data.a, is_full_width::<W>);
            }
        }
        Opcode::Fadd | Opcode::Fsub | Opcode::Fmul | Opcode::Fdiv => fold_float(folder, user, data),
        Opcode::Fma | Opcode::Fmuladd if folder.features().has(features::FMA) => {
            let (factor, addend) = folder.function.ternary(data);
            fused::fold_load(folder, data, [data.a, factor, addend]);
        }
        Opcode::Zext | Opcode::Sext => {
            fold_extension::<W>(folder, data);
            fold_vector(folder, data);
        }
        Opcode::Select => fold_select::<W>(folder, data),
        Opcode::IcmpEq
        | Opcode::IcmpNe
        | Opcode::IcmpUgt
        | Opcode::IcmpUge
        | Opcode::IcmpUlt
        | Opcode::IcmpUle
        | Opcode::IcmpSgt
        | Opcode::IcmpSge
        | Opcode::IcmpSlt
        | Opcode::IcmpSle => fold_compare::<W>(folder, data),
        Opcode::FcmpOeq
        | Opcode::FcmpOgt
        | Opcode::FcmpOge
        | Opcode::FcmpOlt
        | Opcode::FcmpOle
        | Opcode::FcmpOne
        | Opcode::FcmpOrd
        | Opcode::FcmpUno
        | Opcode::FcmpUeq
        | Opcode::FcmpUgt
        | Opcode::FcmpUge
        | Opcode::FcmpUlt
        | Opcode::FcmpUle
        | Opcode::FcmpUne => {
            let right = compare::right_float_operand(data);
            fold_load(folder, right, is_scalar_float);
        }
        Opcode::Bitcast => fold_compared_bits(folder, data),
        Opcode::Sitofp
        | Opcode::Uitofp
        | Opcode::Fpext
        | Opcode::Trunc
        | Opcode::Shuffle
        | Opcode::InsertElement
        | Opcode::Smin
        | Opcode::Smax
        | Opcode::Umin
        | Opcode::Umax
        | Opcode::Fminnum
        | Opcode::Fmaxnum
        | Opcode::SaddSat
        | Opcode::SsubSat
        | Opcode::UaddSat
        | Opcode::UsubSat => fold_vector(folder, data),
        _ => {}
    }
}

/// Folds into arithmetic on floats: products into sums, or loads.
fn fold_float(folder: &mut Folder<'_>, user: Inst, data: &InstData) {
    if contracted::is_left_to_sum(folder, user, data) {
        return;
    }
    let is_sum = matches!(data.op, Opcode::Fadd | Opcode::Fsub);
    if is_sum && contracted::is_contracted(data) && contracted::fold(folder, data) {
        return;
    }
    if !is_scalar_float(data.ty) {
        fold_vector(folder, data);
    } else if !fold_load(folder, data.b, is_scalar_float) && matches!(data.op, Opcode::Fadd | Opcode::Fmul) {
        fold_load(folder, data.a, is_scalar_float);
    }
}

/// Folds a comparison into the cast of its mask to the bits of an integer.
fn fold_compared_bits(folder: &mut Folder<'_>, data: &InstData) {
    if VECTORS && folder.function.has_wide_vectors() {
        vector::by_bits::fold_compared(folder, data.a);
    }
}

/// Chooses for an instruction of a type that may be a vector.
#[inline]
fn fold_vector(folder: &mut Folder<'_>, data: &InstData) {
    if VECTORS && data.ty.index() >= FIRST_EXTRA {
        fold_on_vector(folder, data);
    }
}

/// Chooses for an instruction of a type of the function's own.
#[inline(never)]
fn fold_on_vector(folder: &mut Folder<'_>, data: &InstData) {
    match data.op {
        Opcode::Sext | Opcode::Zext | Opcode::Sitofp | Opcode::Uitofp | Opcode::Fpext if is_wide(folder, data) => {
            fold_wide_conversion(folder, data);
        }
        Opcode::Zext | Opcode::Sext => vector::extend::fold(folder, data),
        Opcode::Sitofp | Opcode::Fpext => vector::convert::fold(folder, data),
        Opcode::Trunc => vector::clamp::fold(folder, data),
        Opcode::Mul => {
            vector::words::fold(folder, data);
            fold_wide(folder, data);
        }
        Opcode::Shuffle if vector::clamp::fold_pair(folder, data) => {}
        Opcode::Shuffle if is_wide(folder, data) => vector::wide_operations::fold_broadcast(folder, data),
        Opcode::Shuffle if !is_wide(folder, data) && vector::packs::fold(folder, data) => {}
        Opcode::Shuffle if !is_wide(folder, data) => vector::shuffle::fold(folder, data),
        Opcode::InsertElement if vector::four_lanes::fold(folder, data) => {}
        Opcode::InsertElement => vector::elements::fold_inserted(folder, data),
        Opcode::Sub if vector::arith::fold_average(folder, data) => {}
        Opcode::Add | Opcode::Sub | Opcode::And | Opcode::Or | Opcode::Xor => fold_wide(folder, data),
        Opcode::Fadd | Opcode::Fsub | Opcode::Fmul | Opcode::Fdiv => fold_wide(folder, data),
        Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax | Opcode::Fminnum | Opcode::Fmaxnum => {
            fold_wide(folder, data);
        }
        Opcode::SaddSat | Opcode::SsubSat | Opcode::UaddSat | Opcode::UsubSat => fold_wide(folder, data),
        _ => {}
    }
}

/// Whether an instruction has to do with a vector of 256 bits.
#[inline]
fn is_wide(folder: &Folder<'_>, data: &InstData) -> bool {
    VECTORS && folder.function.has_wide_vectors() && vector::wide::is_wide(folder.function, data)
}

/// Folds what operations on vectors of 256 bits take.
#[inline]
fn fold_wide(folder: &mut Folder<'_>, data: &InstData) {
    if VECTORS && folder.function.has_wide_vectors() {
        vector::wide_operations::fold(folder, data);
        vector::widest::fold(folder, data);
    }
}

/// Folds what conversions of vectors of 256 bits or more take.
fn fold_wide_conversion(folder: &mut Folder<'_>, data: &InstData) {
    let is_mask_taken = vector::by_bits::fold_extended(folder, data)
        || data.op == Opcode::Sext && vector::wide_compare::fold_taker(folder, data);
    if !is_mask_taken {
        vector::wide_operations::fold_conversion(folder, data);
    }
}

/// Whether arithmetic on the type is done in a register for vectors, one lane at a time.
fn is_scalar_float(ty: Type) -> bool {
    ty == Type::F32 || ty == Type::F64
}

/// Whether operations of the type are as wide as its loads.
fn is_full_width<const W: u8>(ty: Type) -> bool {
    ty == Type::I32 || ty == Type::I64 && W == 8
}

/// Folds a load of an accepted type.
fn fold_load(folder: &mut Folder<'_>, operand: Operand, accepts: impl Fn(Type) -> bool) -> bool {
    match folder.producer(operand) {
        Some((value, load)) if load.op == Opcode::Load && accepts(load.ty) => {
            folder.fold_load(value, load);
            true
        }
        _ => false,
    }
}

fn fold_arithmetic<const W: u8>(folder: &mut Folder<'_>, data: &InstData) {
    if fold_load(folder, data.b, is_full_width::<W>) {
        return;
    }
    // The other operand of a commutative operation, unless this one is an immediate, which cannot stand beside it.
    let is_difference = matches!(data.op, Opcode::Sub | Opcode::UsubOverflow | Opcode::SsubOverflow);
    if !is_difference
        && data.b.as_value().is_some()
        && !fold_load(folder, data.a, is_full_width::<W>)
        && data.op == Opcode::Add
        && data.a.as_value().is_some()
        && !fold_scaled(folder, data.b)
    {
        fold_scaled(folder, data.a);
    }
}

/// Folds a multiple that an address can have into a sum, which then is computed like an address.
fn fold_scaled(folder: &mut Folder<'_>, operand: Operand) -> bool {
    match folder.producer(operand) {
        Some((value, multiple)) if arith::scale_of(multiple).is_some() => {
            folder.fold(value);
            true
        }
        _ => false,
    }
}

fn fold_extension<const W: u8>(folder: &mut Folder<'_>, data: &InstData) {
    let to = folder.function.types().int_bits(data.ty);
    if to.is_none_or(|bits| bits > u32::from(W) * 8) {
        return;
    }
    if data.op != Opcode::Zext || !fold_mask(folder, data.a) && !fold_truth::<W>(folder, data.a) {
        fold_load(folder, data.a, is_narrow);
    }
}

/// Folds a comparison of integers into the extension of its result: the register can be cleared before.
fn fold_truth<const W: u8>(folder: &mut Folder<'_>, operand: Operand) -> bool {
    let Some((value, compare)) = folder.producer(operand).filter(|(_, data)| data.op.is_icmp()) else {
        return false;
    };
    let is_scalar = is_scalar_compare::<W>(folder, compare);
    if is_scalar {
        folder.fold(value);
    }
    is_scalar
}

/// Folds a mask into the extension of what it leaves, which then is nothing more, and the load that it masks.
fn fold_mask(folder: &mut Folder<'_>, operand: Operand) -> bool {
    let Some((value, and)) = folder.producer(operand).filter(|(_, and)| and.op == Opcode::And) else {
        return false;
    };
    let is_mask = is_narrow(and.ty) && and.b.as_imm().is_some_and(|mask| mask >= 0) && !folder.is_folded(and.a);
    if is_mask {
        folder.fold(value);
        fold_load(folder, and.a, |ty| ty == and.ty);
    }
    is_mask
}

/// Types that loads extend.
fn is_narrow(ty: Type) -> bool {
    matches!(ty, Type::I8 | Type::I16 | Type::I32)
}

/// Types whose comparison is one instruction of exactly their width.
fn is_compared_directly<const W: u8>(ty: Type) -> bool {
    matches!(ty, Type::I8 | Type::I16 | Type::I32 | Type::PTR) || ty == Type::I64 && W == 8
}

fn fold_compare<const W: u8>(folder: &mut Folder<'_>, data: &InstData) {
    if !is_compared_directly::<W>(data.ty) {
        return;
    }
    if is_test(data) && fold_bit_test::<W>(folder, data.a) {
        return;
    }
    if data.a.as_value().is_some() && fold_load(folder, data.a, is_compared_directly::<W>) {
        return;
    }
    fold_load(folder, data.b, is_compared_directly::<W>);
}

/// Folds an operation on what a store overwrites, and the load of that, into the store: one instruction updates
/// memory.
fn fold_update<const W: u8>(folder: &mut Folder<'_>, store: &InstData) {
    let Some((value, update)) = folder.producer_before(store.a) else {
        return;
    };
    if !matches!(
        update.op,
        Opcode::Add | Opcode::Sub | Opcode::And | Opcode::Or | Opcode::Xor
    ) || !is_compared_directly::<W>(update.ty)
    {
        return;
    }
    let is_commutative = update.op != Opcode::Sub;
    for (loaded, other) in [(update.a, update.b), (update.b, update.a)] {
        if folder.is_same_load(loaded, store) && !folder.is_folded(other) {
            folder.fold_update(value, loaded);
            return;
        }
        if !is_commutative {
            return;
        }
    }
}

/// Whether it is a comparison of equality with zero.
fn is_test(compare: &InstData) -> bool {
    matches!(compare.op, Opcode::IcmpEq | Opcode::IcmpNe) && compare.b.as_imm() == Some(0)
}

/// Folds an `and` that is only looked at for being zero, and with a constant also the load it masks.
fn fold_bit_test<const W: u8>(folder: &mut Folder<'_>, operand: Operand) -> bool {
    let Some((value, and)) = folder.producer(operand).filter(|(_, and)| and.op == Opcode::And) else {
        return false;
    };
    folder.fold(value);
    if and.b.as_imm().is_some() {
        fold_load(folder, and.a, is_compared_directly::<W>);
    }
    true
}

fn is_scalar_compare<const W: u8>(folder: &Folder<'_>, compare: &InstData) -> bool {
    let types = folder.function.types();
    let fits = |bits| bits <= u32::from(W) * 8;
    let narrow = compare.ty == Type::PTR || types.int_bits(compare.ty).is_some_and(fits);
    (compare.op.is_icmp() && narrow)
        || (compare.op.is_fcmp()
            && matches!(compare.ty, Type::F32 | Type::F64 | Type::X86_F80)
            && !is_constant_compare(compare.op))
}

/// Comparisons that do not look at their operands.
fn is_constant_compare(op: Opcode) -> bool {
    matches!(op, Opcode::FcmpFalse | Opcode::FcmpTrue)
}

/// Folds the condition of a branch into it, or has an overflow right before it left in the flags.
fn fold_branch<const W: u8>(folder: &mut Folder<'_>, branch: Inst, condition: Operand) {
    if let Some((bit, data)) = folder.overflow_before(condition, branch) {
        let bits = folder.function.types().int_bits(data.ty).unwrap_or(0);
        if condition_of_overflow(data.op, bits, u32::from(W) * 8).is_some() {
            folder.leave_in_flags(bit);
        }
        return;
    }
    fold_condition::<W>(folder, condition);
}

fn fold_condition<const W: u8>(folder: &mut Folder<'_>, condition: Operand) {
    let Some((value, data)) = folder.producer(condition) else {
        return;
    };
    if is_scalar_compare::<W>(folder, data) {
        folder.fold(value);
    } else if data.op == Opcode::Trunc && is_one_part::<W>(folder, data.a) {
        folder.fold(value);
        fold_load(folder, data.a, |ty| ty == Type::I8);
    } else if data.op == Opcode::Freeze {
        folder.fold(value);
        fold_condition::<W>(folder, data.a);
    } else if data.op == Opcode::ExtractElement && vector::elements::is_lane_of_mask(folder.function, data) {
        folder.fold(value);
    }
}

fn is_one_part<const W: u8>(folder: &Folder<'_>, operand: Operand) -> bool {
    let ty = folder.function.operand_type(operand);
    ty.and_then(|ty| folder.function.types().int_bits(ty))
        .is_some_and(|bits| bits <= u32::from(W) * 8)
}

fn fold_select<const W: u8>(folder: &mut Folder<'_>, data: &InstData) {
    if is_wide(folder, data) {
        match vector::mask_register::is_available(folder.features()) {
            true => vector::by_bits::fold_select(folder, data),
            false => {
                vector::wide_compare::fold_taker(folder, data);
            }
        }
        return;
    }
    if let Some((value, compare)) = folder.producer(data.a)
        && (is_scalar_compare::<W>(folder, compare) || is_vector_extreme(folder, data, compare))
    {
        return folder.fold(value);
    }
    if VECTORS && data.ty.index() >= FIRST_EXTRA {
        vector::choice::fold(folder, data);
    }
}

/// Whether a select of vectors and its comparison are one instruction.
fn is_vector_extreme(folder: &Folder<'_>, select: &InstData, compare: &InstData) -> bool {
    compare.op.is_fcmp()
        && compare.ty == select.ty
        && vector::shape(folder.function.types(), compare.ty).is_some()
        && super::extreme::extreme(folder.function, select, compare).is_some()
}
