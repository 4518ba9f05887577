//! The list of built-in targets after cargo features. A build with fewer features has fewer entries, nothing else.

use frazil_codegen::TargetEntry;

/// Every target that this build contains, in the order in which they are listed to users.
pub fn builtin() -> &'static [TargetEntry] {
    &[
        #[cfg(feature = "x86")]
        frazil_target_x86::isa::X86_64,
        #[cfg(feature = "x86-32")]
        frazil_target_x86::isa::X86_32,
        #[cfg(feature = "aarch64")]
        frazil_target_aarch64::isa::AARCH64,
    ]
}
