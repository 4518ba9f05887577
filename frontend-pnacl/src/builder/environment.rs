//! The metadata strings by which constrained floating-point operations specify rounding mode and exception behavior,
//! and comparisons that are calls their predicate.
//!
//! A module has few such strings, so their meanings are cached by metadata number; those of the module are kept from
//! function to function.

use frazil_ir::Opcode;

/// The most texts whose meanings are kept. There are fewer that have one.
const MOST_TEXTS: usize = 32;

/// The meaning of such a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// The default environment: round to nearest, ignore exceptions.
    Default,
    /// Another rounding mode, or exceptions that the program may observe.
    Matters,
    /// The predicate of a comparison; that of floats if both kinds of numbers have one of this name.
    Predicate(Opcode),
}

/// The meanings of the texts that constrained operations name.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    /// The metadata numbers of the texts that the call being read names.
    pub(crate) numbers: Vec<u32>,
    /// Texts of the module, by metadata number; kept from function to function.
    shared: Vec<(u32, Said)>,
    own: Vec<(u32, Said)>,
}

impl Environment {
    /// Forgets the texts of the last function.
    pub(crate) fn restart(&mut self) {
        self.numbers.clear();
        self.own.clear();
    }

    /// The meaning of a text, if it is known.
    pub(crate) fn meaning(&self, number: u32) -> Option<Said> {
        let mut known = self.own.iter().chain(&self.shared);
        known.find(|known| known.0 == number).map(|known| known.1)
    }

    /// Keeps a meaning. Returns false if there are more texts than a valid file can have.
    pub(crate) fn remember(&mut self, number: u32, is_shared: bool, said: Said) -> bool {
        let list = if is_shared { &mut self.shared } else { &mut self.own };
        list.push((number, said));
        list.len() <= MOST_TEXTS
    }
}

impl Said {
    /// What a text means (LLVM Language Reference, "Constrained Floating-Point Intrinsics" and "Vector Predication
    /// Intrinsics").
    pub(crate) fn from_text(text: &[u8]) -> Option<Said> {
        Some(match text {
            b"round.tonearest" | b"fpexcept.ignore" => Said::Default,
            b"round.dynamic"
            | b"round.downward"
            | b"round.upward"
            | b"round.towardzero"
            | b"round.tonearestaway"
            | b"fpexcept.maytrap"
            | b"fpexcept.strict" => Said::Matters,
            b"oeq" => Said::Predicate(Opcode::FcmpOeq),
            b"ogt" => Said::Predicate(Opcode::FcmpOgt),
            b"oge" => Said::Predicate(Opcode::FcmpOge),
            b"olt" => Said::Predicate(Opcode::FcmpOlt),
            b"ole" => Said::Predicate(Opcode::FcmpOle),
            b"one" => Said::Predicate(Opcode::FcmpOne),
            b"ord" => Said::Predicate(Opcode::FcmpOrd),
            b"uno" => Said::Predicate(Opcode::FcmpUno),
            b"ueq" => Said::Predicate(Opcode::FcmpUeq),
            b"ugt" => Said::Predicate(Opcode::FcmpUgt),
            b"uge" => Said::Predicate(Opcode::FcmpUge),
            b"ult" => Said::Predicate(Opcode::FcmpUlt),
            b"ule" => Said::Predicate(Opcode::FcmpUle),
            b"une" => Said::Predicate(Opcode::FcmpUne),
            b"eq" => Said::Predicate(Opcode::IcmpEq),
            b"ne" => Said::Predicate(Opcode::IcmpNe),
            b"sgt" => Said::Predicate(Opcode::IcmpSgt),
            b"sge" => Said::Predicate(Opcode::IcmpSge),
            b"slt" => Said::Predicate(Opcode::IcmpSlt),
            b"sle" => Said::Predicate(Opcode::IcmpSle),
            _ => return None,
        })
    }

    /// The comparison of integers, if it is the predicate of one.
    pub(crate) fn of_integers(self) -> Option<Opcode> {
        match self {
            Said::Predicate(Opcode::FcmpUgt) => Some(Opcode::IcmpUgt),
            Said::Predicate(Opcode::FcmpUge) => Some(Opcode::IcmpUge),
            Said::Predicate(Opcode::FcmpUlt) => Some(Opcode::IcmpUlt),
            Said::Predicate(Opcode::FcmpUle) => Some(Opcode::IcmpUle),
            Said::Predicate(op) if !op.is_fcmp() => Some(op),
            _ => None,
        }
    }

    /// The comparison of floats, if it is the predicate of one.
    pub(crate) fn of_floats(self) -> Option<Opcode> {
        match self {
            Said::Predicate(op) if op.is_fcmp() => Some(op),
            _ => None,
        }
    }
}
