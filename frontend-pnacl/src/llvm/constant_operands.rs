//! What constants name: values that are there, and elements of the types that the aggregate's type says.
//!
//! It is checked when a table of constants is complete, for all of them, whether or not something uses them: LLVM's
//! reader makes all of them, and refuses a module if it cannot.
//!
//! Left to whoever evaluates a constant: the types of operands of other expressions than casts.

use super::constants::{Constant, ConstantKind, ConstantTable, may_cast_kind};
use super::types::{Kind, TypeId, TypeTable};

/// What is known of the type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    Type(TypeId),
    /// It is a symbol's address.
    Address,
}

/// What is wrong with the constants of a table from row `first` on, if anything is; `type_of` gives the types of the
/// values that they may name.
pub fn find_wrong(
    table: &ConstantTable,
    first: usize,
    types: &TypeTable,
    type_of: impl Fn(u64) -> Option<ValueType>,
) -> Option<String> {
    let rows = table.rows.get(first..).unwrap_or_default();
    rows.iter().find_map(|row| match row.kind {
        ConstantKind::Aggregate => wrong_element(table, row, types, &type_of),
        ConstantKind::Cast => wrong_cast(table.words(row), row.ty, types, &type_of),
        ConstantKind::Gep => wrong_address(table.words(row), types, &type_of),
        _ => {
            let words = table.words(row);
            let mut named = operands(row.kind, words);
            match named.find(|&value| type_of(value).is_none()) {
                Some(unknown) => Some(format!("a constant of value {unknown}, which is not there")),
                None => wrong_operand(row, words, types, &type_of),
            }
        }
    })
}

/// The values that an expression names.
fn operands(kind: ConstantKind, words: &[u64]) -> impl Iterator<Item = u64> + '_ {
    let (skip, step) = match kind {
        ConstantKind::Binary | ConstantKind::Compare => (1, 1),
        ConstantKind::Select
        | ConstantKind::ExtractElement
        | ConstantKind::InsertElement
        | ConstantKind::Shuffle
        | ConstantKind::Negative => (0, 1),
        _ => (usize::MAX, 1),
    };
    words.iter().copied().skip(skip).step_by(step)
}

/// An operand of another type than the expression, where both must be the same.
fn wrong_operand(
    row: &Constant,
    words: &[u64],
    types: &TypeTable,
    type_of: &impl Fn(u64) -> Option<ValueType>,
) -> Option<String> {
    let alike = match (row.kind, words) {
        (ConstantKind::Binary | ConstantKind::Select, [_, alike @ ..]) => alike,
        (ConstantKind::Negative, alike) => alike,
        (ConstantKind::InsertElement, [vector, ..]) => std::slice::from_ref(vector),
        _ => &[],
    };
    let is_wrong = |value: &&u64| type_of(**value).is_some_and(|found| !is_same(found, row.ty, types));
    let wrong = alike.iter().find(is_wrong)?;
    Some(format!("a constant of value {wrong}, which is not of type {}", row.ty))
}

/// The words of an address are the type that it steps through, then pairs of a type and a value: pointer and indices.
fn wrong_address(words: &[u64], types: &TypeTable, type_of: &impl Fn(u64) -> Option<ValueType>) -> Option<String> {
    let values = words.iter().skip(2).step_by(2);
    values.enumerate().find_map(|(number, &value)| {
        let found = match type_of(value) {
            None => return Some(format!("a constant of value {value}, which is not there")),
            Some(ValueType::Address) => return (number > 0).then(|| format!("an index {value}, which is an address")),
            Some(ValueType::Type(ty)) => types.kind(ty),
        };
        let scalar = match found {
            Some(&Kind::Vector { element, .. }) => types.kind(element),
            other => other,
        };
        match (number, scalar) {
            (0, Some(Kind::Pointer { .. })) | (1.., Some(Kind::Integer(_))) => None,
            (0, _) => Some(format!("a constant address from value {value}, which is no pointer")),
            _ => Some(format!("an index {value}, which is no integer")),
        }
    })
}

fn wrong_cast(
    words: &[u64],
    to: TypeId,
    types: &TypeTable,
    type_of: &impl Fn(u64) -> Option<ValueType>,
) -> Option<String> {
    const ADDRESS: Kind = Kind::Pointer {
        space: 0,
        pointee: None,
    };
    let &[cast, value] = words else { return None };
    let from = match type_of(value) {
        None => return Some(format!("a constant of value {value}, which is not there")),
        Some(ValueType::Address) => Some(&ADDRESS),
        Some(ValueType::Type(ty)) => types.kind(ty),
    };
    let may_be = from.is_some_and(|from| may_cast_kind(cast, from, to, types));
    (!may_be).then(|| format!("a cast of value {value} to type {to}, to which it cannot be cast"))
}

fn wrong_element(
    table: &ConstantTable,
    row: &Constant,
    types: &TypeTable,
    type_of: &impl Fn(u64) -> Option<ValueType>,
) -> Option<String> {
    let (element, members) = match types.kind(row.ty) {
        Some(&Kind::Array { element, .. } | &Kind::Vector { element, .. }) => (Some(element), &[][..]),
        Some(Kind::Struct { members, .. }) => (None, types.members(members)),
        _ => (None, &[][..]),
    };
    table.words(row).iter().enumerate().find_map(|(index, &value)| {
        let wanted = element.or_else(|| members.get(index).copied())?;
        match type_of(value) {
            None => Some(format!("an aggregate with value {value}, which is not there")),
            Some(found) if is_same(found, wanted, types) => None,
            Some(_) => Some(format!("an aggregate whose element {index} is not of type {wanted}")),
        }
    })
}

/// Whether a value is of a type; pointers to different things are the same since LLVM 15.
fn is_same(found: ValueType, wanted: TypeId, types: &TypeTable) -> bool {
    match (found, types.kind(wanted)) {
        (ValueType::Type(found), _) if found == wanted => true,
        (ValueType::Address, kind) => matches!(kind, Some(Kind::Pointer { .. })),
        (ValueType::Type(found), Some(&Kind::Pointer { space, .. })) => {
            matches!(types.kind(found), Some(&Kind::Pointer { space: other, .. }) if other == space)
        }
        _ => false,
    }
}
