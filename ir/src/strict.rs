//! Floating-point operations whose environment matters: they round as the program has set it, and the exceptions that
//! they raise can be seen.
//!
//! They are what LLVM's constrained intrinsics become. A strict operation computes what the plain one computes, but it
//! reads the rounding mode and writes the status flags, so its opcode is one that passes take for anything
//! ([`crate::Effects::Any`]): it is not folded, removed, merged, moved or executed where it was not. Which operation it
//! is stands in the flags. Its type is that of the plain operation, and never a vector.
//!
//! The interpreter has one environment: to the nearest, and nobody sees the exceptions.

use crate::function::InstData;
use crate::opcode::{ALL, Opcode};

/// The flags of a strict operation: bits 0-7 the plain opcode; bit 8 says that a comparison raises the invalid
/// exception for every NaN, not only for signaling ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrictFlags(pub u16);

impl StrictFlags {
    /// The bit for comparisons of which every NaN is an exception.
    pub const SIGNALING: u16 = 0x100;
    /// The bits that may be set.
    pub const ALL_BITS: u16 = 0x1ff;

    /// Flags of the strict form of an opcode.
    pub fn of(plain: Opcode) -> StrictFlags {
        StrictFlags(plain as u16)
    }

    /// The same, signaling or not.
    #[must_use]
    pub fn with_signaling(self, signaling: bool) -> StrictFlags {
        StrictFlags((self.0 & !Self::SIGNALING) | (u16::from(signaling) << 8))
    }

    /// Whether every NaN is an exception.
    pub fn is_signaling(self) -> bool {
        self.0 & Self::SIGNALING != 0
    }

    /// The plain opcode; `None` for one that has no strict form.
    pub fn operation(self) -> Option<Opcode> {
        let op = ALL.get(usize::from(self.0 & 0xff)).copied()?;
        op.strict_form().map(|_| op)
    }
}

impl Opcode {
    /// The opcode of the strict operations that compute as this one does; `None` if there are none.
    pub fn strict_form(self) -> Option<Opcode> {
        use Opcode as O;
        match self {
            O::Fsqrt | O::Ffloor | O::Fceil | O::Ftrunc | O::Frint | O::Fnearbyint | O::Fround | O::Froundeven => {
                Some(O::StrictUnary)
            }
            O::Fptoui | O::Fptosi | O::Uitofp | O::Sitofp | O::Fptrunc | O::Fpext => Some(O::StrictUnary),
            O::Fadd | O::Fsub | O::Fmul | O::Fdiv | O::Frem => Some(O::StrictBinary),
            O::Fminnum | O::Fmaxnum | O::Fminimum | O::Fmaximum => Some(O::StrictBinary),
            O::Fma | O::Fmuladd => Some(O::StrictTernary),
            O::FcmpFalse | O::FcmpTrue => None,
            _ if self.is_fcmp() => Some(O::StrictCompare),
            _ => None,
        }
    }

    /// Whether it stands for strict operations.
    #[inline]
    pub fn is_strict(self) -> bool {
        (Opcode::StrictUnary as u8..=Opcode::StrictCompare as u8).contains(&(self as u8))
    }
}

impl InstData {
    /// The plain operation of a strict instruction, if its flags name one of its opcode's.
    pub fn strict_operation(&self) -> Option<Opcode> {
        let op = StrictFlags(self.flags).operation()?;
        (op.strict_form() == Some(self.op)).then_some(op)
    }

    /// The plain instruction that computes what a strict one does, without flags.
    pub fn without_strictness(&self) -> Option<InstData> {
        let op = self.strict_operation()?;
        Some(InstData { op, flags: 0, ..*self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opcode::Effects;

    #[test]
    fn strict_forms_have_the_format_and_results_of_plain_ones_but_effects() {
        let mut count = 0;
        for &op in ALL {
            let Some(form) = op.strict_form() else { continue };
            assert_eq!(
                (form.format(), form.results()),
                (op.format(), op.results()),
                "{}",
                op.name()
            );
            assert!(form.is_strict() && form.effects() == Effects::Any && !op.is_strict());
            let flags = StrictFlags::of(op).with_signaling(true);
            assert_eq!(flags.operation(), Some(op));
            assert!(flags.is_signaling() && !flags.with_signaling(false).is_signaling());
            count += 1;
        }
        assert_eq!(count, 8 + 6 + 5 + 4 + 2 + 14);
        assert_eq!(StrictFlags::of(Opcode::Fneg).operation(), None);
    }
}
