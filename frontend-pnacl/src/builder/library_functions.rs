//! Library functions of which the type or size of what they work on selects one.

use frazil_ir::{RuntimeFunction, Type};

/// A library function for each of `f32`, `f64`, `x86_fp80` and `fp128`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByType(pub(super) [RuntimeFunction; 4]);

impl ByType {
    /// The function for a type, if there is one.
    pub fn of(self, ty: Type) -> Option<RuntimeFunction> {
        let ByType([single, double, extended, quad]) = self;
        match ty {
            Type::F32 => Some(single),
            Type::F64 => Some(double),
            Type::X86_F80 => Some(extended),
            Type::F128 => Some(quad),
            _ => None,
        }
    }
}

/// A library function for each element size of 1, 2, 4, 8 and 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BySize(pub(super) [RuntimeFunction; 5]);

impl BySize {
    /// The function for elements of this size, if there is one.
    pub fn of(self, bytes: u64) -> Option<RuntimeFunction> {
        if !bytes.is_power_of_two() {
            return None;
        }
        self.0.get(bytes.trailing_zeros() as usize).copied()
    }
}
