//! The metadata strings by which constrained floating-point operations specify rounding mode and exception behavior.
//!
//! A module has few such strings, so their meanings are cached by metadata number; those of the module are kept from
//! function to function.

use frazil_ir::Opcode;

/// There are fewer texts that mean something.
const MOST_TEXTS: usize = 32;

/// What a text says of an operation's environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// The default: to the nearest, exceptions ignored.
    Default,
    /// Another mode, or exceptions that can be seen.
    Matters,
    /// The predicate of a comparison.
    Predicate(Opcode),
}

/// The environments that constrained operations specify.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    /// The numbers of the texts in the call that is being read.
    pub(crate) numbers: Vec<u32>,
    /// Meanings of the module's texts, by number.
    shared: Vec<(u32, Said)>,
    own: Vec<(u32, Said)>,
}

impl Environment {
    /// Forgets the last function.
    pub(crate) fn restart(&mut self) {
        self.numbers.clear();
        self.own.clear();
    }

    /// The meaning of a text, if it is known.
    pub(crate) fn meaning(&self, number: u32) -> Option<Said> {
        let mut known = self.own.iter().chain(&self.shared);
        known.find(|known| known.0 == number).map(|known| known.1)
    }

    /// Remembers a meaning; `false` if there are more than a sound file has.
    pub(crate) fn remember(&mut self, number: u32, is_shared: bool, said: Said) -> bool {
        let list = if is_shared { &mut self.shared } else { &mut self.own };
        list.push((number, said));
        list.len() <= MOST_TEXTS
    }
}

impl Said {
    /// What a text means (LLVM Language Reference, "Constrained Floating-Point Intrinsics").
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
            _ => return None,
        })
    }
}
