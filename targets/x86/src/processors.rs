//! The processors of x86-64 by LLVM's names and aliases (LLVM 22, `X86.td`; psABI x86-64, section 3.1.1, for the levels
//! v1 to v4), and what each of them can do.
//!
//! A row has all names of processors with the same features, and what they have besides those of an earlier row. It
//! need not be the row that the maker would name: few additions are enough. Implied features come by themselves.

use crate::features::*;
use frazil_codegen::features::{Cpu, FeatureSet, FeatureTable};

macro_rules! processors {
    ($($constant:ident: $($name:literal)* = [$base:ident] $($feature:ident)*;)*) => {
        $(const $constant: FeatureSet = $base.union(FeatureSet::of(&[$($feature),*]));)*
        const CPUS: &[Cpu] = &[$($(Cpu { name: $name, features: $constant },)*)*];
    };
}

const NONE: FeatureSet = FeatureSet::EMPTY;

processors! {
    GENERIC: "generic" = [NONE] X87 CX8 SSE2 BIT64 BIT64_MODE;
    X86_64: "x86-64" = [GENERIC] CMOV FXSR MMX NOPL;
    K8: "k8" "athlon-fx" "athlon64" "opteron" = [X86_64] PRFCHW;
    NOCONA: "nocona" = [X86_64] CX16 SSE3;
    K8_SSE3: "k8-sse3" "athlon64-sse3" "opteron-sse3" = [NOCONA] PRFCHW;
    CORE2: "core2" "core_2_duo_ssse3" = [NOCONA] SAHF SSSE3;
    ATOM: "atom" "bonnell" = [CORE2] MOVBE;
    CORE_2_DUO_SSE4_1: "core_2_duo_sse4_1" "penryn" = [CORE2] SSE4_1;
    AMDFAM10: "amdfam10" "barcelona" = [GENERIC] CMOV FXSR CX16 SAHF POPCNT LZCNT NOPL PRFCHW SSE4A;
    BTVER1: "btver1" = [AMDFAM10] MMX SSSE3;
    X86_64_V2: "x86-64-v2" "core_i7_sse4_2" "corei7" "nehalem" = [CORE_2_DUO_SSE4_1] SSE4_2 POPCNT CRC32;
    WESTMERE: "westmere" "core_aes_pclmulqdq" = [X86_64_V2] PCLMUL;
    ATOM_SSE4_2: "atom_sse4_2" "silvermont" "slm" = [WESTMERE] MOVBE RDRAND PRFCHW;
    SANDYBRIDGE: "sandybridge" "core_2nd_gen_avx" "corei7-avx" = [WESTMERE] AVX XSAVEOPT;
    IVYBRIDGE: "ivybridge" "core-avx-i" "core_3rd_gen_avx" = [SANDYBRIDGE] F16C RDRAND FSGSBASE;
    X86_64_V3: "x86-64-v3" = [X86_64_V2] AVX2 BMI BMI2 F16C FMA LZCNT MOVBE XSAVE;
    BDVER1: "bdver1" = [WESTMERE] LZCNT XSAVE AES LWP PRFCHW XOP;
    BTVER2: "btver2" = [SANDYBRIDGE] BMI F16C LZCNT MOVBE AES PRFCHW SSE4A;
    ATOM_SSE4_2_MOVBE: "atom_sse4_2_movbe" "goldmont" = [ATOM_SSE4_2] AES SHA RDSEED FSGSBASE CLFLUSHOPT XSAVEC
        XSAVEOPT XSAVES;
    BDVER2: "bdver2" = [BDVER1] BMI F16C FMA TBM;
    X86_64_V4: "x86-64-v4" = [X86_64_V3] AVX512BW AVX512CD AVX512DQ AVX512VL;
    HASWELL: "haswell" "core-avx2" "core_4th_gen_avx" "core_4th_gen_avx_tsx" = [X86_64_V3] PCLMUL RDRAND FSGSBASE
        ERMSB INVPCID XSAVEOPT;
    GOLDMONT_PLUS: "goldmont-plus" "goldmont_plus" = [ATOM_SSE4_2_MOVBE] PTWRITE RDPID;
    BDVER3: "bdver3" = [BDVER2] FSGSBASE XSAVEOPT;
    TREMONT: "tremont" = [GOLDMONT_PLUS] CLWB GFNI;
    BROADWELL: "broadwell" "core_5th_gen_avx" "core_5th_gen_avx_tsx" = [HASWELL] ADX RDSEED PRFCHW;
    KNL: "knl" "mic_avx512" = [X86_64_V3] AES PCLMUL ADX RDRAND RDSEED FSGSBASE AVX512CD PRFCHW XSAVEOPT;
    KNM: "knm" = [KNL] AVX512VPOPCNTDQ;
    BDVER4: "bdver4" = [BDVER3] AVX2 BMI2 MOVBE RDRAND MWAITX;
    SKYLAKE: "skylake" = [BROADWELL] AES CLFLUSHOPT XSAVEC XSAVES;
    ZNVER1: "znver1" = [ATOM_SSE4_2_MOVBE] AVX2 BMI BMI2 F16C FMA LZCNT ADX CLZERO MWAITX SSE4A;
    ZNVER2: "znver2" = [ZNVER1] CLWB RDPID RDPRU WBNOINVD;
    SKYLAKE_AVX512: "skylake-avx512" "skx" "skylake_avx512" = [SKYLAKE] AVX512BW AVX512CD AVX512DQ AVX512VL CLWB
        PKU;
    CASCADELAKE: "cascadelake" = [SKYLAKE_AVX512] AVX512VNNI;
    CANNONLAKE: "cannonlake" = [SKYLAKE] SHA AVX512CD AVX512DQ AVX512VL AVX512IFMA AVX512VBMI PKU;
    COOPERLAKE: "cooperlake" = [CASCADELAKE] AVX512BF16;
    ZNVER3: "znver3" = [ZNVER2] FSRM INVPCID PKU VAES VPCLMULQDQ;
    ALDERLAKE: "alderlake" "gracemont" "meteorlake" "raptorlake" = [TREMONT] BMI BMI2 F16C FMA LZCNT ADX AVXVNNI
        HRESET INVPCID MOVDIR64B MOVDIRI PCONFIG PKU SERIALIZE SHSTK VAES VPCLMULQDQ WAITPKG WIDEKL;
    ICELAKE_CLIENT: "icelake-client" "icelake_client" "rocketlake" = [CANNONLAKE] AVX512BITALG AVX512VBMI2
        AVX512VNNI AVX512VPOPCNTDQ FSRM GFNI RDPID VAES VPCLMULQDQ;
    ICELAKE_SERVER: "icelake-server" "icelake_server" = [ICELAKE_CLIENT] CLWB PCONFIG WBNOINVD;
    ARROWLAKE: "arrowlake" = [ALDERLAKE] AVXIFMA AVXNECONVERT AVXVNNIINT8 CMPCCXADD ENQCMD UINTR;
    TIGERLAKE: "tigerlake" = [ICELAKE_CLIENT] AVX512VP2INTERSECT CLWB MOVDIR64B MOVDIRI SHSTK;
    GRANDRIDGE: "grandridge" "sierraforest" = [ARROWLAKE] CLDEMOTE;
    PANTHERLAKE: "pantherlake" "wildcatlake" = [TREMONT] BMI BMI2 F16C FMA LZCNT ADX AVXIFMA AVXNECONVERT AVXVNNI
        AVXVNNIINT16 AVXVNNIINT8 CMPCCXADD ENQCMD HRESET INVPCID MOVDIR64B MOVDIRI PCONFIG PKU SERIALIZE SHA512 SHSTK
        SM3 SM4 UINTR VAES VPCLMULQDQ WAITPKG;
    ZNVER4: "znver4" = [ZNVER3] AVX512CD AVX512DQ AVX512VL AVX512BF16 AVX512BITALG AVX512IFMA AVX512VBMI AVX512VBMI2
        AVX512VNNI AVX512VPOPCNTDQ GFNI SHSTK;
    ARROWLAKE_S: "arrowlake-s" "arrowlake_s" "lunarlake" = [PANTHERLAKE] WIDEKL;
    CLEARWATERFOREST: "clearwaterforest" = [PANTHERLAKE] CLDEMOTE PREFETCHI USERMSR;
    ZNVER5: "znver5" = [ZNVER4] AVX512VP2INTERSECT AVXVNNI MOVDIR64B MOVDIRI PREFETCHI;
    EMERALDRAPIDS: "emeraldrapids" "sapphirerapids" = [ICELAKE_SERVER] AMX_BF16 AMX_INT8 AVX512BF16 AVX512FP16
        AVXVNNI CLDEMOTE ENQCMD MOVDIR64B MOVDIRI PTWRITE SERIALIZE SHSTK TSXLDTRK UINTR WAITPKG;
    GRANITERAPIDS: "graniterapids" = [EMERALDRAPIDS] AMX_FP16 PREFETCHI;
    GRANITERAPIDS_D: "graniterapids-d" "graniterapids_d" = [GRANITERAPIDS] AMX_COMPLEX;
    NOVALAKE: "novalake" = [PANTHERLAKE] AVX10_2 CCMP EGPR MOVRS NDD NF PPX PREFETCHI PUSH2POP2 ZU;
    DIAMONDRAPIDS: "diamondrapids" = [GRANITERAPIDS_D] AMX_AVX512 AMX_FP8 AMX_MOVRS AMX_TF32 AVX10_2 AVXIFMA
        AVXNECONVERT AVXVNNIINT16 AVXVNNIINT8 CCMP CMPCCXADD EGPR MOVRS NDD NF PPX PUSH2POP2 SHA512 SM3 SM4 ZU;
}

/// What every x86-64 processor has; LLVM's `generic` names less.
const BASE: FeatureSet = GENERIC.union(FeatureSet::of(&[CMOV, FXSR, MMX, SSE]));

/// Features and processors of x86-64.
pub static FEATURES: FeatureTable = FeatureTable {
    base: BASE,
    refused: &[
        "16bit-mode",
        "32bit-mode",
        "x32",
        "tagged-globals",
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
    #[rustfmt::skip]
    tuning: &[
        "allow-light-256-bit", "branch-hint", "branchfusion", "false-deps-getmant", "false-deps-lzcnt-tzcnt",
        "false-deps-mulc", "false-deps-mullq", "false-deps-perm", "false-deps-popcnt", "false-deps-range",
        "fast-11bytenop", "fast-15bytenop", "fast-7bytenop", "fast-bextr", "fast-dpwssd", "fast-gather",
        "fast-hops", "fast-imm16", "fast-lzcnt", "fast-movbe", "fast-scalar-fsqrt", "fast-scalar-shift-masks",
        "fast-shld-rotate", "fast-variable-crosslane-shuffle", "fast-variable-perlane-shuffle", "fast-vector-fsqrt",
        "fast-vector-shift-masks", "faster-shift-than-shuffle", "idivl-to-divb", "idivq-to-divl",
        "inline-asm-use-gpr32", "lea-sp", "lea-uses-ag", "macrofusion", "no-bypass-delay", "no-bypass-delay-blend",
        "no-bypass-delay-mov", "no-bypass-delay-shuffle", "pad-short-functions", "prefer-128-bit", "prefer-256-bit",
        "prefer-legacy-setcc", "prefer-mask-registers", "prefer-movmsk-over-vtest", "prefer-no-gather",
        "prefer-no-scatter", "sbb-dep-breaking", "slow-3ops-lea", "slow-incdec", "slow-lea", "slow-pmaddwd",
        "slow-pmulld", "slow-pmullq", "slow-shld", "slow-two-mem-ops", "slow-unaligned-mem-16",
        "slow-unaligned-mem-32", "sse-unaligned-mem", "tuning-fast-imm-vector-shift", "use-glm-div-sqrt-costs",
        "use-slm-arith-costs", "vzeroupper",
    ],
    cpus: CPUS,
    #[rustfmt::skip]
    narrow_cpus: &[
        "athlon", "athlon-4", "athlon-mp", "athlon-tbird", "athlon-xp", "c3", "c3-2", "geode", "i386", "i486",
        "i586", "i686", "k6", "k6-2", "k6-3", "lakemont", "pentium", "pentium-m", "pentium-mmx", "pentium2",
        "pentium3", "pentium3m", "pentium4", "pentium4m", "pentium_4", "pentium_4_sse3", "pentium_ii",
        "pentium_iii", "pentium_iii_no_xmm_regs", "pentium_m", "pentium_mmx", "pentium_pro", "pentiumpro",
        "prescott", "winchip-c6", "winchip2", "yonah",
    ],
    #[cfg(target_arch = "x86_64")]
    native: Some(native),
    #[cfg(not(target_arch = "x86_64"))]
    native: None,
};
