//! How a vector lies in a register.

use crate::included::VECTORS;
use frazil_ir::{ConstView, Function, Operand, Type, TypeData, TypeTable};

/// A vector type that fits a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorShape {
    /// The type of a lane.
    pub element: Type,
    /// Number of lanes.
    pub lanes: u32,
    /// Bits of a lane in a register.
    pub lane_bits: u32,
    /// Whether lanes are of type `i1`.
    pub is_mask: bool,
}

/// Bits of a lane that is no truth value, if vectors of such lanes lie in registers.
pub(super) fn lane_bits(types: &TypeTable, element: Type) -> Option<u32> {
    match types.data(element) {
        TypeData::Int(bits @ (8 | 16 | 32 | 64 | 128)) => Some(bits),
        TypeData::F16 | TypeData::BF16 => Some(16),
        TypeData::F32 => Some(32),
        TypeData::F64 => Some(64),
        TypeData::Ptr(0) => Some(types.pointer_bits()),
        _ => None,
    }
}

impl VectorShape {
    /// The shape of a type in registers of so many bytes ([`crate::TargetDesc::vector_bytes`]); `None` if it is no
    /// vector that fits, and in builds without vectors.
    #[inline]
    pub fn of(types: &TypeTable, ty: Type, register_bytes: u8) -> Option<VectorShape> {
        match VECTORS {
            true => VectorShape::in_register(types, ty, register_bytes),
            false => None,
        }
    }

    fn in_register(types: &TypeTable, ty: Type, register_bytes: u8) -> Option<VectorShape> {
        let TypeData::Vector { element, lanes } = types.data(ty) else {
            return None;
        };
        let is_mask = element == Type::I1;
        let register_bits = u32::from(register_bytes) * 8;
        let lane_bits = match is_mask {
            true if lanes <= register_bits / 8 => (register_bits / lanes.next_power_of_two()).min(64),
            true => return None,
            false => lane_bits(types, element)?,
        };
        (lanes.checked_mul(lane_bits)? <= register_bits).then_some(VectorShape {
            element,
            lanes,
            lane_bits,
            is_mask,
        })
    }

    /// The lane that a constant index names; `None` for a variable, and for a constant out of range.
    pub fn lane(self, function: &Function, index: Operand) -> Option<u32> {
        let number = match (index.as_imm(), index.as_const()) {
            (Some(imm), _) => imm,
            (None, Some(id)) => match function.constant(id).1 {
                ConstView::Zero => 0,
                ConstView::Int(&[word]) => word.cast_signed(),
                _ => return None,
            },
            (None, None) => return None,
        };
        u32::try_from(number).ok().filter(|&lane| lane < self.lanes)
    }

    /// Bytes of the value in memory.
    pub fn memory_bytes(self) -> u32 {
        let bits = if self.is_mask { 1 } else { self.lane_bits };
        (self.lanes * bits).div_ceil(8)
    }
}
