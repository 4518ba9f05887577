//! The value of an integer or pointer constant as `symbol + number`, `symbol - symbol + number`, or the same with
//! blocks.
//!
//! This is what relocations of object files can express, and all that front ends write into initializers. An
//! expression of any other form evaluates to `None`, and the caller reports what it needed the value for.
//!
//! Depth and the total number of steps are bounded, because constants of a hostile file may be cyclic or share
//! operands.

use super::tables::ModuleValue;
use crate::limits;
use crate::llvm::codes::{binary, casts};
use crate::llvm::constants::{Constant, ConstantKind, ConstantTable, NO_TYPE};
use crate::llvm::types::{Kind, TypeId, TypeTable};
use frazil_ir::SymbolId;
use std::cell::Cell;

/// The address that a sum starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Symbol(SymbolId),
    /// The address of a block of the function with this symbol.
    Block(SymbolId, u32),
    /// The address of a function or of a local stub for it (`dso_local_equivalent`).
    LocalEquivalent(SymbolId),
    /// The address of a function itself, not of its entry in a jump table for control-flow integrity (`no_cfi`).
    NoCfi(SymbolId),
}

/// The value of a constant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The address that the number is added to, if any.
    pub base: Option<Base>,
    /// An address that is subtracted.
    pub minus: Option<Base>,
    /// The number, modulo 2^64.
    pub addend: i64,
    /// For numbers of types with more than 64 bits: whether their upper bits are zero. Otherwise they are copies of
    /// the sign.
    pub is_unsigned: bool,
}

impl Sum {
    fn number(addend: i64) -> Sum {
        Sum {
            addend,
            ..Sum::default()
        }
    }

    fn based(base: Base) -> Sum {
        Sum {
            base: Some(base),
            ..Sum::default()
        }
    }

    /// The bits from number 64 on, as a word that repeats.
    pub fn upper_bits(&self) -> u64 {
        if self.addend < 0 && !self.is_unsigned {
            u64::MAX
        } else {
            0
        }
    }

    /// The value of a sum that is only a number.
    pub fn as_number(&self) -> Option<i64> {
        (self.base.is_none() && self.minus.is_none()).then_some(self.addend)
    }
}

/// What a value number stands for.
#[derive(Clone, Copy)]
pub enum Found<'a> {
    /// The address of a symbol.
    Symbol(SymbolId),
    Row(&'a ConstantTable, &'a Constant),
    /// Nothing constant.
    Nothing,
}

/// Evaluates constants by their value numbers.
pub struct Evaluator<'a> {
    pub types: &'a TypeTable,
    pub values: &'a [ModuleValue],
    pub constants: &'a ConstantTable,
    /// The constants of a function, and the value number of the first one.
    pub local: Option<(&'a ConstantTable, u64)>,
    /// The number of steps that are left.
    pub steps: Cell<u64>,
}

impl<'a> Evaluator<'a> {
    /// What a value number stands for.
    pub fn find(&self, value: u64) -> Found<'a> {
        if let Some((table, first)) = self.local
            && value >= first
        {
            return row(table, value - first);
        }
        match usize::try_from(value).ok().and_then(|value| self.values.get(value)) {
            Some(&ModuleValue::Symbol(symbol)) => Found::Symbol(symbol),
            Some(&ModuleValue::Constant(index)) => row(self.constants, u64::from(index)),
            None => Found::Nothing,
        }
    }

    /// Counts a step; returns false if there have been too many.
    pub fn step(&self) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        left > 0
    }

    /// The value of a constant as a sum, if it is one.
    pub fn sum(&self, value: u64) -> Option<Sum> {
        self.sum_at(value, limits::CONSTANT_DEPTH)
    }

    fn sum_at(&self, value: u64, depth: u32) -> Option<Sum> {
        let depth = depth.checked_sub(1)?;
        if !self.step() {
            return None;
        }
        let (table, constant) = match self.find(value) {
            Found::Symbol(symbol) => return Some(Sum::based(Base::Symbol(symbol))),
            Found::Row(table, constant) => (table, constant),
            Found::Nothing => return None,
        };
        let words = table.words(constant);
        match (constant.kind, words) {
            (ConstantKind::Null, _) => Some(Sum::default()),
            (ConstantKind::Integer, _) => Some(Sum::number(constant.payload() as i64)),
            (ConstantKind::Cast, &[cast, operand]) => {
                let from = self.type_of(operand);
                self.cast(cast, from, constant.ty, self.sum_at(operand, depth)?)
            }
            (ConstantKind::Binary, &[operation, left, right]) => {
                let bits = self.integer_bits(constant.ty)?;
                let sum = binary_sum(operation, self.sum_at(left, depth)?, self.sum_at(right, depth)?, bits)?;
                Some(if sum.as_number().is_some() {
                    wrapped(sum, bits)
                } else {
                    sum
                })
            }
            (ConstantKind::Gep, [source, pointer_type, pointer, indices @ ..]) => {
                let source = if *source == NO_TYPE {
                    self.pointee(*pointer_type)?
                } else {
                    *source as TypeId
                };
                let base = self.sum_at(*pointer, depth)?;
                let offset = self.offset(source, indices, depth)?;
                Some(Sum {
                    addend: base.addend.wrapping_add(offset),
                    ..base
                })
            }
            (ConstantKind::BlockAddress, &[function, block]) => match self.find(function) {
                Found::Symbol(symbol) => Some(Sum::based(Base::Block(symbol, u32::try_from(block).ok()?))),
                _ => None,
            },
            (ConstantKind::LocalEquivalent, &[function]) => match self.sum_at(function, depth)?.base? {
                Base::Symbol(symbol) => Some(Sum::based(Base::LocalEquivalent(symbol))),
                _ => None,
            },
            (ConstantKind::NoCfi, &[function]) => match self.sum_at(function, depth)?.base? {
                Base::Symbol(symbol) => Some(Sum::based(Base::NoCfi(symbol))),
                _ => None,
            },
            _ => None,
        }
    }

    fn integer_bits(&self, ty: TypeId) -> Option<u32> {
        match self.types.kind(ty) {
            Some(&Kind::Integer(bits)) if bits <= 64 => Some(bits),
            _ => None,
        }
    }

    fn pointee(&self, pointer_type: u64) -> Option<TypeId> {
        match self.types.kind(TypeId::try_from(pointer_type).ok()?) {
            Some(&Kind::Pointer { pointee, .. }) => pointee,
            _ => None,
        }
    }

    /// The type of a constant that is no symbol.
    fn type_of(&self, value: u64) -> Option<TypeId> {
        match self.find(value) {
            Found::Row(_, constant) => Some(constant.ty),
            Found::Symbol(_) | Found::Nothing => None,
        }
    }

    fn cast(&self, cast: u64, from: Option<TypeId>, ty: TypeId, operand: Sum) -> Option<Sum> {
        let is_number = operand.as_number().is_some();
        match cast {
            // A truncated address is truncated by the size of its field.
            casts::TRUNC if !is_number => Some(operand),
            casts::TRUNC => Some(match self.integer_bits(ty) {
                Some(bits) => wrapped(operand, bits),
                None => operand,
            }),
            casts::PTR_TO_INT | casts::PTR_TO_ADDRESS if !is_number => Some(operand),
            // `ptrtoint` zero-extends (LLVM Language Reference).
            casts::PTR_TO_INT | casts::PTR_TO_ADDRESS => Some(match self.integer_bits(ty) {
                Some(bits) => wrapped(operand, bits),
                None => Sum {
                    is_unsigned: true,
                    ..operand
                },
            }),
            // So does `inttoptr`. A truncated address that is extended again is no sum.
            casts::INT_TO_PTR => {
                let bits = from.and_then(|from| self.integer_bits(from)).unwrap_or(64);
                match (is_number, bits) {
                    (true, _) => Some(Sum::number(zero_extended(operand.addend, bits))),
                    (false, 64) => Some(operand),
                    (false, _) => None,
                }
            }
            casts::BITCAST if self.integer_bits(ty).is_some() || self.is_pointer(ty) => Some(operand),
            // Between address spaces of different sizes, the extension is the target's choice.
            casts::ADDRESS_SPACE if is_number && operand.addend != 0 => {
                let bits = |ty| self.types.layout(ty).bits;
                (bits(from?) == bits(ty)).then_some(operand)
            }
            casts::ADDRESS_SPACE => Some(operand),
            _ => None,
        }
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.types.kind(ty), Some(Kind::Pointer { .. }))
    }

    /// The offset in bytes of the element that `indices` (pairs of type and value) select from `source`.
    fn offset(&self, source: TypeId, indices: &[u64], depth: u32) -> Option<i64> {
        let mut current = source;
        let mut offset = 0i64;
        for (number, pair) in indices.chunks_exact(2).enumerate() {
            let &[_, index] = pair else { return None };
            let index = self.sum_at(index, depth)?.as_number()?;
            let stride = if number == 0 {
                self.types.layout(current).stride()
            } else {
                match self.types.kind(current)? {
                    Kind::Struct { members, .. } => {
                        let field = usize::try_from(index).ok()?;
                        let distance = *self.types.offsets(members).get(field)?;
                        current = *self.types.members(members).get(field)?;
                        offset = offset.wrapping_add(distance as i64);
                        continue;
                    }
                    Kind::Array { element, .. } | Kind::Vector { element, .. } => {
                        current = *element;
                        self.types.layout(current).stride()
                    }
                    _ => return None,
                }
            };
            offset = offset.wrapping_add(index.wrapping_mul(stride as i64));
        }
        Some(offset)
    }
}

fn row(table: &ConstantTable, index: u64) -> Found<'_> {
    let constant = usize::try_from(index).ok().and_then(|index| table.rows.get(index));
    constant.map_or(Found::Nothing, |constant| Found::Row(table, constant))
}

/// The sum with its number sign-extended from `bits` bits.
fn wrapped(sum: Sum, bits: u32) -> Sum {
    let unused = 64 - bits.clamp(1, 64);
    Sum {
        addend: (sum.addend << unused) >> unused,
        is_unsigned: false,
        ..sum
    }
}

/// A number zero-extended from `bits` bits.
fn zero_extended(number: i64, bits: u32) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    (number.cast_unsigned() << unused >> unused).cast_signed()
}

fn binary_sum(operation: u64, left: Sum, right: Sum, bits: u32) -> Option<Sum> {
    match operation {
        binary::ADD => {
            if left.base.is_some() && right.base.is_some() || left.minus.is_some() && right.minus.is_some() {
                return None;
            }
            Some(Sum {
                base: left.base.or(right.base),
                minus: left.minus.or(right.minus),
                addend: left.addend.wrapping_add(right.addend),
                is_unsigned: false,
            })
        }
        binary::SUB => {
            let addend = left.addend.wrapping_sub(right.addend);
            match (right.base, right.minus) {
                (None, None) => Some(Sum { addend, ..left }),
                (base, None) if base == left.base && left.minus.is_none() => Some(Sum::number(addend)),
                (Some(base @ (Base::Symbol(_) | Base::Block(..))), None) if left.minus.is_none() => Some(Sum {
                    minus: Some(base),
                    addend,
                    ..left
                }),
                _ => None,
            }
        }
        _ => {
            let (a, b) = (left.as_number()?, right.as_number()?);
            let shift = u32::try_from(b).ok().filter(|&shift| shift < bits);
            let unsigned = zero_extended(a, bits);
            Some(Sum::number(match operation {
                binary::MUL => a.wrapping_mul(b),
                binary::AND => a & b,
                binary::OR => a | b,
                binary::XOR => a ^ b,
                binary::SHL => a << shift?,
                binary::LSHR => (unsigned.cast_unsigned() >> shift?).cast_signed(),
                binary::ASHR => a >> shift?,
                _ => return None,
            }))
        }
    }
}
