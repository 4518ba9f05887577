//! Functions of the C and compiler run-time libraries that code may call without the module naming them.
//!
//! The [`SymbolId`] of runtime function `n` is the module's symbol count plus `n`, so that readers and lowering
//! rules can name one without touching the module. A module symbol of the same name is the same symbol in the
//! object file.

use crate::entities::SymbolId;
use frazil_support::EntityRef;

macro_rules! runtime_functions {
    ($($variant:ident $name:literal)*) => {
        /// A runtime function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        // The variants are named as in the C library or libgcc.
        pub enum RuntimeFunction { $($variant,)* }

        const NAMES: &[&str] = &[$($name,)*];
        const ALL: &[RuntimeFunction] = &[$(RuntimeFunction::$variant,)*];
    };
}

runtime_functions! {
    Memcpy "memcpy" Memmove "memmove" Memset "memset"
    Divti3 "__divti3" Udivti3 "__udivti3" Modti3 "__modti3" Umodti3 "__umodti3" Muloti4 "__muloti4"
    Fixsfti "__fixsfti" Fixdfti "__fixdfti" Fixunssfti "__fixunssfti" Fixunsdfti "__fixunsdfti"
    Floattisf "__floattisf" Floattidf "__floattidf" Floatuntisf "__floatuntisf" Floatuntidf "__floatuntidf"
    Fixxfti "__fixxfti" Fixunsxfti "__fixunsxfti" Floattixf "__floattixf" Floatuntixf "__floatuntixf"
    Divdi3 "__divdi3" Udivdi3 "__udivdi3" Moddi3 "__moddi3" Umoddi3 "__umoddi3" Muldi3 "__muldi3"
    Ashldi3 "__ashldi3" Lshrdi3 "__lshrdi3" Ashrdi3 "__ashrdi3"
    Fmodf "fmodf" Fmod "fmod" Floorf "floorf" Floor "floor" Ceilf "ceilf" Ceil "ceil" Truncf "truncf" Trunc "trunc"
    Rintf "rintf" Rint "rint" Nearbyintf "nearbyintf" Nearbyint "nearbyint" Roundf "roundf" Round "round"
    Roundevenf "roundevenf" Roundeven "roundeven" Fmaf "fmaf" Fma "fma" Fminf "fminf" Fmin "fmin"
    Fmaxf "fmaxf" Fmax "fmax" Fminimumf "fminimumf" Fminimum "fminimum" Fmaximumf "fmaximumf" Fmaximum "fmaximum"
    Sinf "sinf" Sin "sin" Cosf "cosf" Cos "cos" Tanf "tanf" Tan "tan" Asinf "asinf" Asin "asin"
    Acosf "acosf" Acos "acos" Atanf "atanf" Atan "atan" Atan2f "atan2f" Atan2 "atan2"
    Sinhf "sinhf" Sinh "sinh" Coshf "coshf" Cosh "cosh" Tanhf "tanhf" Tanh "tanh"
    Expf "expf" Exp "exp" Exp2f "exp2f" Exp2 "exp2" Exp10f "exp10f" Exp10 "exp10"
    Logf "logf" Log "log" Log2f "log2f" Log2 "log2" Log10f "log10f" Log10 "log10" Powf "powf" Pow "pow"
    Powisf2 "__powisf2" Powidf2 "__powidf2" Ldexpf "ldexpf" Ldexp "ldexp" Frexpf "frexpf" Frexp "frexp"
    Sincosf "sincosf" Sincos "sincos" Sincosl "sincosl" Modff "modff" Modf "modf" Lrintf "lrintf" Lrint "lrint" Llrintf "llrintf" Llrint "llrint"
    Lroundf "lroundf" Lround "lround" Llroundf "llroundf" Llround "llround"
    Fmodl "fmodl" Floorl "floorl" Ceill "ceill" Truncl "truncl" Rintl "rintl" Nearbyintl "nearbyintl"
    Roundl "roundl" Roundevenl "roundevenl" Fmal "fmal" Fminl "fminl" Fmaxl "fmaxl" Fminimuml "fminimuml"
    Fmaximuml "fmaximuml" Sinl "sinl" Cosl "cosl" Tanl "tanl" Asinl "asinl" Acosl "acosl" Atanl "atanl"
    Atan2l "atan2l" Sinhl "sinhl" Coshl "coshl" Tanhl "tanhl" Expl "expl" Exp2l "exp2l" Exp10l "exp10l"
    Logl "logl" Log2l "log2l" Log10l "log10l" Powl "powl" Powixf2 "__powixf2" Ldexpl "ldexpl" Frexpl "frexpl"
    Modfl "modfl" Lrintl "lrintl" Llrintl "llrintl" Lroundl "lroundl" Llroundl "llroundl"
    UnwindResume "_Unwind_Resume" StackCheckFail "__stack_chk_fail" TlsGetAddr "__tls_get_addr" GlobalOffsetTable "_GLOBAL_OFFSET_TABLE_"
    // That of 32-bit x86, which has its argument in a register.
    TlsGetAddrInRegister "___tls_get_addr"
    RustProbeStack "__rust_probestack" ProbeStack "__probestack" Fentry "__fentry__"
    AtomicLoad "__atomic_load" AtomicStore "__atomic_store" AtomicExchange "__atomic_exchange"
    AtomicCompareExchange "__atomic_compare_exchange"
    AtomicLoad16 "__atomic_load_16" AtomicStore16 "__atomic_store_16" AtomicExchange16 "__atomic_exchange_16"
    AtomicCompareExchange16 "__atomic_compare_exchange_16" AtomicFetchAdd16 "__atomic_fetch_add_16"
    AtomicFetchSub16 "__atomic_fetch_sub_16" AtomicFetchAnd16 "__atomic_fetch_and_16"
    AtomicFetchOr16 "__atomic_fetch_or_16" AtomicFetchXor16 "__atomic_fetch_xor_16"
    AtomicFetchNand16 "__atomic_fetch_nand_16"
    // In the order that `of_update` counts on.
    Cas1Relax "__aarch64_cas1_relax" Cas1Acq "__aarch64_cas1_acq"
    Cas1Rel "__aarch64_cas1_rel" Cas1AcqRel "__aarch64_cas1_acq_rel"
    Cas2Relax "__aarch64_cas2_relax" Cas2Acq "__aarch64_cas2_acq"
    Cas2Rel "__aarch64_cas2_rel" Cas2AcqRel "__aarch64_cas2_acq_rel"
    Cas4Relax "__aarch64_cas4_relax" Cas4Acq "__aarch64_cas4_acq"
    Cas4Rel "__aarch64_cas4_rel" Cas4AcqRel "__aarch64_cas4_acq_rel"
    Cas8Relax "__aarch64_cas8_relax" Cas8Acq "__aarch64_cas8_acq"
    Cas8Rel "__aarch64_cas8_rel" Cas8AcqRel "__aarch64_cas8_acq_rel"
    Cas16Relax "__aarch64_cas16_relax" Cas16Acq "__aarch64_cas16_acq"
    Cas16Rel "__aarch64_cas16_rel" Cas16AcqRel "__aarch64_cas16_acq_rel"
    Swp1Relax "__aarch64_swp1_relax" Swp1Acq "__aarch64_swp1_acq"
    Swp1Rel "__aarch64_swp1_rel" Swp1AcqRel "__aarch64_swp1_acq_rel"
    Swp2Relax "__aarch64_swp2_relax" Swp2Acq "__aarch64_swp2_acq"
    Swp2Rel "__aarch64_swp2_rel" Swp2AcqRel "__aarch64_swp2_acq_rel"
    Swp4Relax "__aarch64_swp4_relax" Swp4Acq "__aarch64_swp4_acq"
    Swp4Rel "__aarch64_swp4_rel" Swp4AcqRel "__aarch64_swp4_acq_rel"
    Swp8Relax "__aarch64_swp8_relax" Swp8Acq "__aarch64_swp8_acq"
    Swp8Rel "__aarch64_swp8_rel" Swp8AcqRel "__aarch64_swp8_acq_rel"
    Ldadd1Relax "__aarch64_ldadd1_relax" Ldadd1Acq "__aarch64_ldadd1_acq"
    Ldadd1Rel "__aarch64_ldadd1_rel" Ldadd1AcqRel "__aarch64_ldadd1_acq_rel"
    Ldadd2Relax "__aarch64_ldadd2_relax" Ldadd2Acq "__aarch64_ldadd2_acq"
    Ldadd2Rel "__aarch64_ldadd2_rel" Ldadd2AcqRel "__aarch64_ldadd2_acq_rel"
    Ldadd4Relax "__aarch64_ldadd4_relax" Ldadd4Acq "__aarch64_ldadd4_acq"
    Ldadd4Rel "__aarch64_ldadd4_rel" Ldadd4AcqRel "__aarch64_ldadd4_acq_rel"
    Ldadd8Relax "__aarch64_ldadd8_relax" Ldadd8Acq "__aarch64_ldadd8_acq"
    Ldadd8Rel "__aarch64_ldadd8_rel" Ldadd8AcqRel "__aarch64_ldadd8_acq_rel"
    Ldclr1Relax "__aarch64_ldclr1_relax" Ldclr1Acq "__aarch64_ldclr1_acq"
    Ldclr1Rel "__aarch64_ldclr1_rel" Ldclr1AcqRel "__aarch64_ldclr1_acq_rel"
    Ldclr2Relax "__aarch64_ldclr2_relax" Ldclr2Acq "__aarch64_ldclr2_acq"
    Ldclr2Rel "__aarch64_ldclr2_rel" Ldclr2AcqRel "__aarch64_ldclr2_acq_rel"
    Ldclr4Relax "__aarch64_ldclr4_relax" Ldclr4Acq "__aarch64_ldclr4_acq"
    Ldclr4Rel "__aarch64_ldclr4_rel" Ldclr4AcqRel "__aarch64_ldclr4_acq_rel"
    Ldclr8Relax "__aarch64_ldclr8_relax" Ldclr8Acq "__aarch64_ldclr8_acq"
    Ldclr8Rel "__aarch64_ldclr8_rel" Ldclr8AcqRel "__aarch64_ldclr8_acq_rel"
    Ldset1Relax "__aarch64_ldset1_relax" Ldset1Acq "__aarch64_ldset1_acq"
    Ldset1Rel "__aarch64_ldset1_rel" Ldset1AcqRel "__aarch64_ldset1_acq_rel"
    Ldset2Relax "__aarch64_ldset2_relax" Ldset2Acq "__aarch64_ldset2_acq"
    Ldset2Rel "__aarch64_ldset2_rel" Ldset2AcqRel "__aarch64_ldset2_acq_rel"
    Ldset4Relax "__aarch64_ldset4_relax" Ldset4Acq "__aarch64_ldset4_acq"
    Ldset4Rel "__aarch64_ldset4_rel" Ldset4AcqRel "__aarch64_ldset4_acq_rel"
    Ldset8Relax "__aarch64_ldset8_relax" Ldset8Acq "__aarch64_ldset8_acq"
    Ldset8Rel "__aarch64_ldset8_rel" Ldset8AcqRel "__aarch64_ldset8_acq_rel"
    Ldeor1Relax "__aarch64_ldeor1_relax" Ldeor1Acq "__aarch64_ldeor1_acq"
    Ldeor1Rel "__aarch64_ldeor1_rel" Ldeor1AcqRel "__aarch64_ldeor1_acq_rel"
    Ldeor2Relax "__aarch64_ldeor2_relax" Ldeor2Acq "__aarch64_ldeor2_acq"
    Ldeor2Rel "__aarch64_ldeor2_rel" Ldeor2AcqRel "__aarch64_ldeor2_acq_rel"
    Ldeor4Relax "__aarch64_ldeor4_relax" Ldeor4Acq "__aarch64_ldeor4_acq"
    Ldeor4Rel "__aarch64_ldeor4_rel" Ldeor4AcqRel "__aarch64_ldeor4_acq_rel"
    Ldeor8Relax "__aarch64_ldeor8_relax" Ldeor8Acq "__aarch64_ldeor8_acq"
    Ldeor8Rel "__aarch64_ldeor8_rel" Ldeor8AcqRel "__aarch64_ldeor8_acq_rel"
    Fegetenv "fegetenv" Fesetenv "fesetenv" Fegetmode "fegetmode" Fesetmode "fesetmode"
    Truncsfhf2 "__truncsfhf2" Truncdfhf2 "__truncdfhf2" Truncxfhf2 "__truncxfhf2" Extendhfsf2 "__extendhfsf2"
    Trunctfhf2 "__trunctfhf2" Truncsfbf2 "__truncsfbf2" Truncdfbf2 "__truncdfbf2" Truncxfbf2 "__truncxfbf2"
    Trunctfbf2 "__trunctfbf2" Trunctfsf2 "__trunctfsf2" Trunctfdf2 "__trunctfdf2" Trunctfxf2 "__trunctfxf2"
    Extendsftf2 "__extendsftf2" Extenddftf2 "__extenddftf2" Extendxftf2 "__extendxftf2"
    Addtf3 "__addtf3" Subtf3 "__subtf3" Multf3 "__multf3" Divtf3 "__divtf3" Powitf2 "__powitf2"
    Eqtf2 "__eqtf2" Netf2 "__netf2" Lttf2 "__lttf2" Letf2 "__letf2" Gttf2 "__gttf2" Getf2 "__getf2"
    Unordtf2 "__unordtf2" Fixtfsi "__fixtfsi" Fixtfdi "__fixtfdi" Fixtfti "__fixtfti"
    Fixunstfsi "__fixunstfsi" Fixunstfdi "__fixunstfdi" Fixunstfti "__fixunstfti"
    Floatsitf "__floatsitf" Floatditf "__floatditf" Floattitf "__floattitf"
    Floatunsitf "__floatunsitf" Floatunditf "__floatunditf" Floatuntitf "__floatuntitf"
    Fmodf128 "fmodf128" Sqrtf128 "sqrtf128" Floorf128 "floorf128" Ceilf128 "ceilf128" Truncf128 "truncf128"
    Rintf128 "rintf128" Nearbyintf128 "nearbyintf128" Roundf128 "roundf128" Roundevenf128 "roundevenf128"
    Fmaf128 "fmaf128" Fminf128 "fminf128" Fmaxf128 "fmaxf128" Sinf128 "sinf128" Cosf128 "cosf128" Tanf128 "tanf128"
    Asinf128 "asinf128" Acosf128 "acosf128" Atanf128 "atanf128" Atan2f128 "atan2f128" Sinhf128 "sinhf128"
    Coshf128 "coshf128" Tanhf128 "tanhf128" Expf128 "expf128" Exp2f128 "exp2f128" Exp10f128 "exp10f128"
    Logf128 "logf128" Log2f128 "log2f128" Log10f128 "log10f128" Powf128 "powf128" Ldexpf128 "ldexpf128"
    Frexpf128 "frexpf128" Modff128 "modff128" Sincosf128 "sincosf128" Lrintf128 "lrintf128"
    Llrintf128 "llrintf128" Lroundf128 "lroundf128" Llroundf128 "llroundf128"
    MemcpyElements1 "__llvm_memcpy_element_unordered_atomic_1"
    MemcpyElements2 "__llvm_memcpy_element_unordered_atomic_2"
    MemcpyElements4 "__llvm_memcpy_element_unordered_atomic_4"
    MemcpyElements8 "__llvm_memcpy_element_unordered_atomic_8"
    MemcpyElements16 "__llvm_memcpy_element_unordered_atomic_16"
    MemmoveElements1 "__llvm_memmove_element_unordered_atomic_1"
    MemmoveElements2 "__llvm_memmove_element_unordered_atomic_2"
    MemmoveElements4 "__llvm_memmove_element_unordered_atomic_4"
    MemmoveElements8 "__llvm_memmove_element_unordered_atomic_8"
    MemmoveElements16 "__llvm_memmove_element_unordered_atomic_16"
    MemsetElements1 "__llvm_memset_element_unordered_atomic_1"
    MemsetElements2 "__llvm_memset_element_unordered_atomic_2"
    MemsetElements4 "__llvm_memset_element_unordered_atomic_4"
    MemsetElements8 "__llvm_memset_element_unordered_atomic_8"
    MemsetElements16 "__llvm_memset_element_unordered_atomic_16"
    Mcount "mcount" McountOfFreeBsd ".mcount" McountOfBsd "__mcount" McountOfSolaris "_mcount"
    ProfileEnterBare "__cyg_profile_func_enter_bare"
    ProfileEnter "__cyg_profile_func_enter" ProfileExit "__cyg_profile_func_exit"
    // A variable: the value that guards frames.
    StackCheckGuard "__stack_chk_guard"
}

/// An atomic update of memory for which the run-time library has functions that do it by the best instructions of the
/// processor that they find themselves on (LLVM 22, `RuntimeLibcalls.td`: outlined atomics).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicUpdate {
    /// Of 1 to 16 bytes. All others are of 1 to 8.
    CompareExchange,
    Exchange,
    Add,
    /// Clears the bits that the operand has; the others set them, or turn them around.
    Clear,
    Set,
    Toggle,
}

impl RuntimeFunction {
    /// The function that does an update of so many bytes, a power of two, and what orders it. It takes the operands in
    /// the order in which instructions compare and store them, then the address, and returns the old contents.
    pub fn of_update(update: AtomicUpdate, bytes: u32, acquires: bool, releases: bool) -> Option<RuntimeFunction> {
        let (first, most_bytes) = match update {
            AtomicUpdate::CompareExchange => (RuntimeFunction::Cas1Relax, 16),
            AtomicUpdate::Exchange => (RuntimeFunction::Swp1Relax, 8),
            AtomicUpdate::Add => (RuntimeFunction::Ldadd1Relax, 8),
            AtomicUpdate::Clear => (RuntimeFunction::Ldclr1Relax, 8),
            AtomicUpdate::Set => (RuntimeFunction::Ldset1Relax, 8),
            AtomicUpdate::Toggle => (RuntimeFunction::Ldeor1Relax, 8),
        };
        let size = bytes.checked_ilog2().filter(|_| bytes <= most_bytes)?;
        let order = usize::from(acquires) + 2 * usize::from(releases);
        ALL.get(first as usize + 4 * size as usize + order).copied()
    }

    /// The symbol that names it in a module with `module_symbols` symbols.
    #[inline]
    pub fn symbol(self, module_symbols: usize) -> SymbolId {
        SymbolId::new(module_symbols + self as usize)
    }

    /// The runtime function that `symbol` names in a module with `module_symbols` symbols.
    pub fn from_symbol(symbol: SymbolId, module_symbols: usize) -> Option<RuntimeFunction> {
        ALL.get(symbol.index().checked_sub(module_symbols)?).copied()
    }

    /// Its name in object files.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Finds a runtime function by its name in object files.
    pub fn from_name(name: &str) -> Option<RuntimeFunction> {
        NAMES
            .iter()
            .position(|&candidate| candidate == name)
            .map(|index| ALL[index])
    }

    /// The number of runtime functions in the table.
    pub fn count() -> usize {
        ALL.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_have_the_functions_of_their_size_and_order() {
        for (update, name, sizes) in [
            (AtomicUpdate::CompareExchange, "cas", &[1, 2, 4, 8, 16][..]),
            (AtomicUpdate::Exchange, "swp", &[1, 2, 4, 8]),
            (AtomicUpdate::Add, "ldadd", &[1, 2, 4, 8]),
            (AtomicUpdate::Clear, "ldclr", &[1, 2, 4, 8]),
            (AtomicUpdate::Set, "ldset", &[1, 2, 4, 8]),
            (AtomicUpdate::Toggle, "ldeor", &[1, 2, 4, 8]),
        ] {
            for &bytes in sizes {
                for (order, acquires, releases) in [
                    ("relax", false, false),
                    ("acq", true, false),
                    ("rel", false, true),
                    ("acq_rel", true, true),
                ] {
                    let found = RuntimeFunction::of_update(update, bytes, acquires, releases);
                    let expected = format!("__aarch64_{name}{bytes}_{order}");
                    assert_eq!(found.map(RuntimeFunction::name), Some(expected.as_str()));
                }
            }
        }
        assert_eq!(RuntimeFunction::of_update(AtomicUpdate::Add, 16, true, true), None);
    }
}
