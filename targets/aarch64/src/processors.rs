//! The processors of AArch64 by LLVM's names (LLVM 22, `AArch64Processors.td`), and what each of them can do.
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
    GENERIC: "generic" = [NONE] ETE NEON;
    APPLE_A7: "apple-a7" "apple-a8" "apple-a9" "cyclone" = [NONE] AES PERFMON SHA2 V8A;
    CORTEX_A34: "cortex-a34" "cortex-a35" "cortex-a53" "cortex-a57" "cortex-a72" "cortex-a73" "exynos-m3" "kryo"
        "thunderx" "thunderxt81" "thunderxt83" "thunderxt88" = [APPLE_A7] CRC;
    FALKOR: "falkor" = [CORTEX_A34] RDM;
    APPLE_A10: "apple-a10" = [FALKOR] LOR PAN VH;
    THUNDERX2T99: "thunderx2t99" = [NONE] AES SHA2 V8_1A;
    CARMEL: "carmel" = [THUNDERX2T99] FULLFP16 V8_2A;
    APPLE_A11: "apple-a11" = [CARMEL] PERFMON;
    EXYNOS_M4: "exynos-m4" "exynos-m5" = [APPLE_A11] DOTPROD;
    A64FX: "a64fx" = [APPLE_A11] COMPLXNUM SVE;
    CORTEX_A55: "cortex-a55" "cortex-a75" = [EXYNOS_M4] RCPC;
    CORTEX_A65: "cortex-a65" "cortex-a65ae" "cortex-a76" "cortex-a76ae" "cortex-a77" "neoverse-e1" = [CORTEX_A55]
        SSBS;
    CORTEX_A78: "cortex-a78" "cortex-a78ae" "cortex-x1" "neoverse-n1" = [CORTEX_A65] SPE;
    APPLE_A12: "apple-a12" "apple-s4" "apple-s5" = [APPLE_A11] V8_3A;
    THUNDERX3T110: "thunderx3t110" = [APPLE_A7] CCIDX V8_3A;
    TSV110: "tsv110" = [EXYNOS_M4] COMPLXNUM FP16FML JSCONV SPE;
    CORTEX_A78C: "cortex-a78c" = [CORTEX_A78] FLAGM PAUTH;
    CORTEX_X1C: "cortex-x1c" = [CORTEX_A78C] LSE2 RCPC_IMMO;
    CORTEX_R82: "cortex-r82" "cortex-r82ae" = [NONE] CCDP COMPLXNUM DOTPROD FP16FML FPAC JSCONV PERFMON PREDRES RDM
        SB SSBS V8R;
    SAPHIRA: "saphira" = [THUNDERX3T110] SPE V8_4A;
    APPLE_A13: "apple-a13" "apple-s6" "apple-s7" "apple-s8" = [APPLE_A7] FP16FML SHA3 V8_4A;
    APPLE_A14: "apple-a14" "apple-m1" = [APPLE_A13] ALTNZCV CCDP FPTOINT PREDRES SB SPECRESTRICT SSBS;
    NEOVERSE_V1: "neoverse-v1" = [SAPHIRA] BF16 CCDP FP16FML I8MM RAND SHA3 SM4 SSBS SVE;
    NEOVERSE_512TVB: "neoverse-512tvb" = [NEOVERSE_V1] FPAC;
    AMPERE1: "ampere1" = [CORTEX_A65] CCIDX RAND SHA3 V8_6A;
    APPLE_A15: "apple-a15" "apple-m2" = [APPLE_A14] FPAC V8_6A;
    APPLE_A16: "apple-a16" "apple-a17" "apple-m3" "apple-s10" "apple-s9" = [APPLE_A15] HCX;
    COBALT_100: "cobalt-100" "cortex-a510" "cortex-a710" "cortex-x2" "neoverse-n2" = [GENERIC] BF16 CCIDX FP16FML
        FPAC I8MM MTE PERFMON SSBS SVE_BITPERM SVE2 V9A;
    ORYON_1: "oryon-1" = [SAPHIRA] RAND SHA3 SM4 SSBS V8_6A;
    AMPERE1A: "ampere1a" = [AMPERE1] MTE SM4;
    CORTEX_A715: "cortex-a715" "cortex-x3" = [COBALT_100] SPE;
    NEOVERSE_V2: "neoverse-v2" = [CORTEX_A715] RAND;
    AMPERE1B: "ampere1b" = [AMPERE1A] CSSC V8_7A;
    APPLE_A18: "apple-a18" "apple-m4" = [APPLE_A13] FPAC SME_F64F64 SME_I16I64 SME2 V8_7A;
    GRACE: "grace" = [CORTEX_A715] SVE_AES SVE_SHA3 SVE_SM4;
    CORTEX_A320: "cortex-a320" = [GENERIC] CCIDX FP16FML MTE PERFMON SSBS SVE_BITPERM SVE2 V9_2A;
    CORTEX_A520: "cortex-a520" "cortex-a520ae" = [COBALT_100] V9_2A;
    CORTEX_A720: "cortex-a720" "cortex-a720ae" "cortex-a725" "cortex-x4" "cortex-x925" = [CORTEX_A715] SPE_EEF
        V9_2A;
    NEOVERSE_N3: "neoverse-n3" = [CORTEX_A720] RAND;
    APPLE_A19: "apple-a19" "apple-m5" = [APPLE_A18] CSSC HBC MTE SME_B16B16 SME_F16F16 SME2P1 SPECRES2;
    NEOVERSE_V3: "neoverse-v3" "neoverse-v3ae" = [NEOVERSE_N3] BRBE LS64 RME;
    GB10: "gb10" = [GRACE] SPE_EEF V9_2A;
    AMPERE1C: "ampere1c" = [AMPERE1B] FAMINMAX FP16FML FP8FMA LUT SVE_AES SVE_B16B16 SVE_SHA3 SVE_SM4 SVE2 V9_2A;
    C1_NANO: "c1-nano" = [COBALT_100] CHK CLRBHB RCPC3 SME2 SPECRES2 V9_3A;
    C1_PREMIUM: "c1-premium" "c1-pro" "c1-ultra" = [C1_NANO] SPE SPE_EEF;
    OLYMPUS: "olympus" = [NEOVERSE_V3] CHK FAMINMAX FP8DOT2 FP8DOT4 FP8FMA LUT MEC SVE_AES SVE_SHA3 SVE_SM4;
    FUJITSU_MONAKA: "fujitsu-monaka" = [AMPERE1] CLRBHB ETE FAMINMAX FP16FML FP8DOT2 FP8DOT4 FP8FMA FPAC LS64 LUT
        MEC SPECRES2 SVE_AES SVE_BITPERM SVE_SHA3 SVE_SM4 SVE2 V9_3A;
}

/// The table of features and processors. Names that are refused change what registers are for, or guard against errors
/// of processors, by code that is not made here.
pub static FEATURES: FeatureTable = FeatureTable {
    base: FeatureSet::of(&[FP_ARMV8, NEON]),
    #[rustfmt::skip]
    refused: &[
        "all", "call-saved-x10", "call-saved-x11", "call-saved-x12", "call-saved-x13", "call-saved-x14",
        "call-saved-x15", "call-saved-x18", "call-saved-x8", "call-saved-x9", "execute-only",
        "fix-cortex-a53-835769", "harden-sls-blr", "harden-sls-nocomdat", "harden-sls-retbr", "reserve-lr-for-ra",
        "reserve-x1", "reserve-x10", "reserve-x11", "reserve-x12", "reserve-x13", "reserve-x14", "reserve-x15",
        "reserve-x18", "reserve-x2", "reserve-x20", "reserve-x21", "reserve-x22", "reserve-x23", "reserve-x24",
        "reserve-x25", "reserve-x26", "reserve-x27", "reserve-x28", "reserve-x3", "reserve-x4", "reserve-x5",
        "reserve-x6", "reserve-x7", "reserve-x9", "tagged-globals", "tpidr-el1", "tpidr-el2", "tpidr-el3",
        "tpidrro-el0",
    ],
    features: ROWS,
    #[rustfmt::skip]
    tuning: &[
        "a320", "a35", "a510", "a520", "a520ae", "a53", "a55", "a57", "a64fx", "a65", "a710", "a715", "a72", "a720",
        "a720ae", "a73", "a75", "a76", "a77", "a78", "a78ae", "a78c", "addr-lsl-slow-14", "aggressive-fma",
        "aggressive-interleaving", "alternate-sextload-cvt-f32-pattern", "alu-lsl-fast", "ampere1", "ampere1a",
        "ampere1b", "ampere1c", "apple-a10", "apple-a11", "apple-a12", "apple-a13", "apple-a14", "apple-a15",
        "apple-a16", "apple-a17", "apple-a7", "apple-m4", "apple-m5", "arith-bcc-fusion", "arith-cbz-fusion",
        "ascend-store-address", "avoid-ldapur", "balance-fp-ops", "c1-nano", "c1-premium", "c1-pro", "c1-ultra",
        "carmel", "cmp-bcc-fusion", "cortex-a725", "cortex-r82", "cortex-r82ae", "cortex-x1", "cortex-x2",
        "cortex-x3", "cortex-x4", "cortex-x925", "disable-fast-inc-vl", "disable-latency-sched-heuristic",
        "disable-ldp", "disable-maximize-scalable-bandwidth", "disable-stp", "disable-unpredicated-ld-st-lower",
        "enable-select-opt", "exynos-cheap-as-move", "exynosm3", "exynosm4", "falkor", "force-32bit-jump-tables",
        "fujitsu-monaka", "fuse-address", "fuse-addsub-2reg-const1", "fuse-adrp-add", "fuse-aes",
        "fuse-arith-logic", "fuse-crypto-eor", "fuse-csel", "fuse-cset", "fuse-literals", "kryo",
        "ldp-aligned-only", "max-interleave-factor-4", "neoverse512tvb", "neoversee1", "neoversen1", "neoversen2",
        "neoversen3", "neoversev1", "neoversev2", "neoversev3", "neoversev3AE", "no-bti-at-return-twice",
        "no-neg-immediates", "no-sve-fp-ld1r", "no-zcz-fpr64", "olympus", "oryon-1", "predictable-select-expensive",
        "saphira", "slow-misaligned-128store", "slow-paired-128", "slow-strqro-store", "store-pair-suppress",
        "stp-aligned-only", "thunderx", "thunderx2t99", "thunderx3t110", "thunderxt81", "thunderxt83",
        "thunderxt88", "tsv110", "use-experimental-zeroing-pseudos", "use-fixed-over-scalable-if-equal-cost",
        "use-postra-scheduler", "use-reciprocal-square-root", "use-wzr-to-vec-move", "zcm-fpr128", "zcm-fpr32",
        "zcm-fpr64", "zcm-gpr32", "zcm-gpr64", "zcz-fp-workaround", "zcz-fpr128", "zcz-gpr32", "zcz-gpr64",
    ],
    cpus: CPUS,
    narrow_cpus: &[],
    native: None,
};
