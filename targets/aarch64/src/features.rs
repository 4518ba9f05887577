//! What processors can do besides what all of them can.

/// Accesses must be aligned.
pub const STRICT_ALIGN: u8 = 0;
/// Atomic operations by single instructions.
pub const LSE: u8 = 1;
