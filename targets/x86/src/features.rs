//! What x86-64 processors can do, by LLVM's names (LLVM 22, `X86.td`; psABI x86-64, section 3.1.1, for the levels
//! v1 to v4).
//!
//! Rules use few of these features; the others are known so that modules and users may name them.

use frazil_codegen::features::{Cpu, Feature, FeatureSet, FeatureTable};

macro_rules! features {
    ($($constant:ident $name:literal $summary:literal [$($implied:ident)*];)*) => {
        /// Places of features in sets, in the order of the table.
        #[repr(u8)]
        #[derive(Clone, Copy)]
        #[allow(clippy::upper_case_acronyms, reason = "names of instruction sets")]
        enum Place { $($constant,)* }
        $(
            #[doc = $summary]
            #[allow(dead_code, reason = "not every feature changes the code")]
            pub const $constant: u8 = Place::$constant as u8;
        )*
        const ROWS: &[Feature] = &[$(
            Feature { name: $name, summary: $summary, bit: $constant, implies: FeatureSet::of(&[$($implied),*]) },
        )*];
        /// Asks the processor that this runs on.
        #[cfg(target_arch = "x86_64")]
        fn native() -> FeatureSet {
            let mut set = FeatureSet::EMPTY;
            $(set = set.union(detect::$constant());)*
            set
        }
    };
}

features! {
    X87 "x87" "x87 float instructions" [];
    CMOV "cmov" "conditional moves" [];
    CX8 "cx8" "CMPXCHG8B" [];
    FXSR "fxsr" "FXSAVE and FXRSTOR" [];
    MMX "mmx" "MMX instructions" [];
    SSE "sse" "SSE instructions" [];
    SSE2 "sse2" "SSE2 instructions" [SSE];
    CX16 "cx16" "CMPXCHG16B" [CX8];
    SAHF "sahf" "LAHF and SAHF" [];
    SSE3 "sse3" "SSE3 instructions" [SSE2];
    SSSE3 "ssse3" "SSSE3 instructions" [SSE3];
    SSE4_1 "sse4.1" "SSE 4.1 instructions" [SSSE3];
    SSE4_2 "sse4.2" "SSE 4.2 instructions" [SSE4_1];
    POPCNT "popcnt" "POPCNT" [];
    AVX "avx" "AVX instructions" [SSE4_2];
    AVX2 "avx2" "AVX2 instructions" [AVX];
    BMI "bmi" "BMI instructions" [];
    BMI2 "bmi2" "BMI2 instructions" [];
    F16C "f16c" "conversions of half-precision floats" [AVX];
    FMA "fma" "fused multiply-add with three operands" [AVX];
    LZCNT "lzcnt" "LZCNT" [];
    MOVBE "movbe" "MOVBE" [];
    XSAVE "xsave" "XSAVE" [];
    AES "aes" "AES instructions" [SSE2];
    PCLMUL "pclmul" "carry-less multiplication" [SSE2];
    SHA "sha" "SHA instructions" [SSE2];
    ADX "adx" "ADCX and ADOX" [];
    RDRAND "rdrnd" "RDRAND" [];
    RDSEED "rdseed" "RDSEED" [];
    FSGSBASE "fsgsbase" "bases of FS and GS" [];
    AVX512F "avx512f" "AVX-512 foundation" [AVX2 F16C FMA];
    AVX512BW "avx512bw" "AVX-512 on bytes and words" [AVX512F];
    AVX512CD "avx512cd" "AVX-512 conflict detection" [AVX512F];
    AVX512DQ "avx512dq" "AVX-512 on doublewords and quadwords" [AVX512F];
    AVX512VL "avx512vl" "AVX-512 on shorter vectors" [AVX512F];
}

/// What the processor that this runs on says; features that no rule uses are taken as LLVM takes them, from the same
/// bits.
#[cfg(target_arch = "x86_64")]
#[allow(non_snake_case, reason = "named like the constants")]
mod detect {
    use super::FeatureSet;

    macro_rules! detect {
        ($($constant:ident $name:tt;)*) => {
            $(pub fn $constant() -> FeatureSet {
                if std::is_x86_feature_detected!($name) { FeatureSet::of(&[super::$constant]) } else { FeatureSet::EMPTY }
            })*
        };
    }

    macro_rules! always {
        ($($constant:ident)*) => {
            $(pub fn $constant() -> FeatureSet { FeatureSet::of(&[super::$constant]) })*
        };
    }

    macro_rules! never {
        ($($constant:ident)*) => {
            $(pub fn $constant() -> FeatureSet { FeatureSet::EMPTY })*
        };
    }

    always! { X87 CMOV CX8 FXSR MMX SSE SSE2 }
    // The standard library cannot ask for these, and no rule needs to know.
    never! { SAHF FSGSBASE }
    detect! {
        CX16 "cmpxchg16b"; SSE3 "sse3"; SSSE3 "ssse3"; SSE4_1 "sse4.1"; SSE4_2 "sse4.2"; POPCNT "popcnt"; AVX "avx";
        AVX2 "avx2"; BMI "bmi1"; BMI2 "bmi2"; F16C "f16c"; FMA "fma"; LZCNT "lzcnt"; MOVBE "movbe"; XSAVE "xsave";
        AES "aes"; PCLMUL "pclmulqdq"; SHA "sha"; ADX "adx"; RDRAND "rdrand"; RDSEED "rdseed"; AVX512F "avx512f";
        AVX512BW "avx512bw"; AVX512CD "avx512cd"; AVX512DQ "avx512dq"; AVX512VL "avx512vl";
    }
}

/// What every x86-64 processor has.
const BASE: FeatureSet = FeatureSet::of(&[X87, CMOV, CX8, FXSR, MMX, SSE, SSE2]);
const V2: FeatureSet = BASE.union(FeatureSet::of(&[CX16, SAHF, SSE4_2, POPCNT]));
const V3: FeatureSet = V2.union(FeatureSet::of(&[AVX2, BMI, BMI2, F16C, FMA, LZCNT, MOVBE, XSAVE]));
const V4: FeatureSet = V3.union(FeatureSet::of(&[AVX512BW, AVX512CD, AVX512DQ, AVX512VL]));
/// Instructions for cryptography and random numbers.
const CRYPTO: FeatureSet = FeatureSet::of(&[AES, PCLMUL, RDRAND]);
const SKYLAKE: FeatureSet = V3.union(CRYPTO).union(FeatureSet::of(&[ADX, RDSEED, FSGSBASE]));
const ZEN: FeatureSet = SKYLAKE.union(FeatureSet::of(&[SHA]));

const fn cpu(name: &'static str, features: FeatureSet) -> Cpu {
    Cpu { name, features }
}

/// Features and processors of x86-64.
pub static FEATURES: FeatureTable = FeatureTable {
    base: BASE,
    refused: &[
        "soft-float",
        "retpoline",
        "retpoline-external-thunk",
        "retpoline-indirect-branches",
        "retpoline-indirect-calls",
        "lvi-cfi",
        "lvi-load-hardening",
        "seses",
        "harden-sls-ijmp",
        "harden-sls-ret",
    ],
    features: ROWS,
    cpus: &[
        cpu("generic", BASE),
        cpu("x86-64", BASE),
        cpu("x86-64-v2", V2),
        cpu("x86-64-v3", V3),
        cpu("x86-64-v4", V4),
        cpu("k8", BASE),
        cpu("core2", BASE.union(FeatureSet::of(&[CX16, SAHF, SSSE3]))),
        cpu("nehalem", V2),
        cpu("westmere", V2.union(FeatureSet::of(&[PCLMUL]))),
        cpu("sandybridge", V2.union(FeatureSet::of(&[AVX, PCLMUL, XSAVE]))),
        cpu(
            "ivybridge",
            V2.union(FeatureSet::of(&[F16C, PCLMUL, XSAVE, RDRAND, FSGSBASE])),
        ),
        cpu("haswell", V3.union(FeatureSet::of(&[PCLMUL, RDRAND, FSGSBASE]))),
        cpu(
            "broadwell",
            V3.union(FeatureSet::of(&[PCLMUL, RDRAND, FSGSBASE, ADX, RDSEED])),
        ),
        cpu("skylake", SKYLAKE),
        cpu("skylake-avx512", SKYLAKE.union(V4)),
        cpu("cascadelake", SKYLAKE.union(V4)),
        cpu("icelake-client", ZEN.union(V4)),
        cpu("icelake-server", ZEN.union(V4)),
        cpu("tigerlake", ZEN.union(V4)),
        cpu("alderlake", ZEN),
        cpu("sapphirerapids", ZEN.union(V4)),
        cpu(
            "btver2",
            V2.union(FeatureSet::of(&[AVX, AES, PCLMUL, BMI, F16C, LZCNT, MOVBE, XSAVE])),
        ),
        cpu("znver1", ZEN),
        cpu("znver2", ZEN),
        cpu("znver3", ZEN),
        cpu("znver4", ZEN.union(V4)),
        cpu("znver5", ZEN.union(V4)),
    ],
    #[cfg(target_arch = "x86_64")]
    native: Some(native),
    #[cfg(not(target_arch = "x86_64"))]
    native: None,
};
