//! Conversions between types of one width: what a load gives of a value that was stored with another type.

use frazil_ir::{ConstKind, Function, InstData, Opcode, Operand, Type, TypeData, TypeTable};

/// The operation that makes a value of type `to` of the bits of one of type `from`, if a single one does that every
/// target has: between pointers and integers, and between integers and `f32` or `f64`.
fn conversion(types: &TypeTable, from: Type, to: Type, pointer_bits: u32) -> Option<Opcode> {
    use TypeData as T;
    if types.bits(from, pointer_bits) != types.bits(to, pointer_bits) {
        return None;
    }
    match (types.data(from), types.data(to)) {
        (T::Ptr(_), T::Int(_)) => Some(Opcode::Ptrtoint),
        (T::Int(_), T::Ptr(_)) => Some(Opcode::Inttoptr),
        (T::Int(_), T::F32 | T::F64) | (T::F32 | T::F64, T::Int(_)) => Some(Opcode::Bitcast),
        _ => None,
    }
}

/// Whether values of two types have the same bits in memory and can be converted both ways.
#[inline]
pub fn are_convertible(types: &TypeTable, one: Type, other: Type, pointer_bits: u32) -> bool {
    one == other
        || (conversion(types, one, other, pointer_bits).is_some()
            && conversion(types, other, one, pointer_bits).is_some())
}

/// Whether copying a value of this type copies all of its bytes on every target.
pub fn is_copied_as(types: &TypeTable, ty: Type, pointer_bits: u32) -> bool {
    match types.data(ty) {
        TypeData::Int(bits) => matches!(bits, 8 | 16 | 32 | 64),
        TypeData::Ptr(0) => pointer_bits == 32 || pointer_bits == 64,
        TypeData::F32 | TypeData::F64 => true,
        _ => false,
    }
}

/// What a value is in another type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Converted {
    Operand(Operand),
    /// The result of this instruction, which has none yet.
    Inst(InstData),
}

/// The operand `value` of type `from` as a value of type `to`; the types must be convertible.
pub fn convert(f: &mut Function, value: Operand, from: Type, to: Type, pointer_bits: u32) -> Converted {
    if from == to {
        return Converted::Operand(value);
    }
    let is_plain = |ty| matches!(f.types().data(ty), TypeData::Int(_) | TypeData::Ptr(_));
    if value.as_imm().is_some() && is_plain(from) && is_plain(to) {
        return Converted::Operand(value);
    }
    let op = conversion(f.types(), from, to, pointer_bits).expect("the types are convertible");
    let value = typed(f, value, from);
    Converted::Inst(InstData::new(op, to, 0, value, Operand::NONE))
}

/// An operand that carries its type: an immediate becomes a constant.
fn typed(f: &mut Function, operand: Operand, ty: Type) -> Operand {
    match operand.as_imm() {
        Some(value) => Operand::constant(f.push_int(ty, &[value.cast_unsigned(), (value >> 63).cast_unsigned()])),
        None => operand,
    }
}

/// Undef constants of a function, one of each type.
#[derive(Debug, Default)]
pub struct Undefs {
    made: Vec<(Type, Operand)>,
}

impl Undefs {
    /// Forgets those of the last function.
    pub fn clear(&mut self) {
        self.made.clear();
    }

    /// The undef constant of a type.
    pub fn of(&mut self, f: &mut Function, ty: Type) -> Operand {
        if let Some(row) = self.made.iter().find(|row| row.0 == ty) {
            return row.1;
        }
        let undef = Operand::constant(f.push_plain_const(ConstKind::Undef, ty));
        self.made.push((ty, undef));
        undef
    }
}
