//! What Frazil is known to refuse of generated functions; any other refusal is a failure.

/// With what reasons begin that are known.
const KNOWN: &[&str] = &[
    // What is passed in registers of 32 or 64 bytes, of which Frazil has none.
    "[vector] in a signature of a function that may use wider registers for it than are used here",
    // LLVM returns the third of several floats in the x87 unit.
    "[vector] among results, of which a register stack would return some",
    // Lanes of 128 bits, of which LLVM breaks up those that do not fit into the rest of the registers.
    "[vector] in a signature",
];

/// Whether a reason is on the list.
pub fn is_known(reason: &str) -> bool {
    KNOWN.iter().any(|known| reason.starts_with(known))
}
