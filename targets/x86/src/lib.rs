//! The x86 target family.
