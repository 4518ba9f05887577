//! What AArch64 processors may be able to do, by LLVM's names (LLVM 22, `AArch64Features.td`): every feature that is no
//! matter of speed.
//!
//! Rules use few of these features; the others are known so that modules and users may name them. Versions of the
//! architecture are features, which imply what they have. Which processor has which is in the table of processors.

use frazil_codegen::features::{Feature, FeatureSet};

macro_rules! features {
    ($($constant:ident $name:literal $summary:literal [$($implied:ident)*];)*) => {
        /// Places of features in sets, in the order of the table.
        #[repr(u8)]
        #[derive(Clone, Copy)]
        #[allow(clippy::upper_case_acronyms, non_camel_case_types, reason = "names of extensions")]
        enum Place { $($constant,)* }
        $(
            #[doc = $summary]
            #[allow(dead_code, reason = "not every feature changes the code")]
            pub const $constant: u8 = Place::$constant as u8;
        )*
        pub const ROWS: &[Feature] = &[$(
            Feature { name: $name, summary: $summary, bit: $constant, implies: FeatureSet::of(&[$($implied),*]) },
        )*];
    };
}

features! {
    CONTEXTIDREL2 "CONTEXTIDREL2" "RW operand CONTEXTIDR_EL2" [];
    AES "aes" "AES support" [NEON];
    ALTNZCV "altnzcv" "alternative NZCV format for floating point comparisons" [FLAGM];
    AM "am" "Armv8.4-A Activity Monitors extension" [];
    AMVS "amvs" "Armv8.6-A Activity Monitors Virtualization support" [AM];
    BF16 "bf16" "BFloat16 Extension" [NEON];
    BRBE "brbe" "branch Record Buffer Extension" [];
    BTI "bti" "branch Target Identification" [];
    BTIE "btie" "enhanced Branch Target Identification extension" [];
    CCDP "ccdp" "Armv8.5-A Cache Clean to Point of Deep Persistence" [CCPP];
    CCIDX "ccidx" "Armv8.3-A Extend of the CCSIDR number of sets" [];
    CCPP "ccpp" "Armv8.2-A data Cache Clean to Point of Persistence" [];
    CHK "chk" "Armv8.0-A Check Feature Status Extension" [];
    CLRBHB "clrbhb" "clear BHB instruction" [];
    CMH "cmh" "Armv9.7-A Contention Management Hints" [];
    CMPBR "cmpbr" "Armv9.6-A base compare and branch instructions" [];
    COMPLXNUM "complxnum" "Armv8.3-A Floating-point complex number support" [NEON];
    CPA "cpa" "Armv9.5-A Checked Pointer Arithmetic" [];
    CRC "crc" "Armv8.0-A CRC-32 checksum instructions" [];
    CRYPTO "crypto" "cryptographic instructions" [AES SHA2];
    CSSC "cssc" "common Short Sequence Compression (CSSC) instructions" [];
    D128 "d128" "Armv9.4-A 128-bit Page Table Descriptors, System Registers and instructions" [LSE128];
    DIT "dit" "Armv8.4-A Data Independent Timing instructions" [];
    DOTPROD "dotprod" "dot product support" [NEON];
    ECV "ecv" "enhanced counter virtualization extension" [];
    EL2VMSA "el2vmsa" "exception Level 2 Virtual Memory System Architecture" [];
    EL3 "el3" "exception Level 3" [];
    ETE "ete" "embedded Trace Extension" [TRBE];
    F16F32DOT "f16f32dot" "Armv9.7-A Advanced SIMD half-precision dot product accumulate to single-precision"
        [FULLFP16 NEON];
    F16F32MM "f16f32mm" "Armv9.7-A Advanced SIMD half-precision matrix multiply-accumulate to single-precision"
        [FULLFP16 NEON];
    F16MM "f16mm" "Armv9.7-A non-widening half-precision matrix multiply-accumulate" [FULLFP16 NEON];
    F32MM "f32mm" "matrix Multiply FP32 Extension" [SVE];
    F64MM "f64mm" "matrix Multiply FP64 Extension" [SVE];
    F8F16MM "f8f16mm" "Armv9.6-A FP8 to Half-Precision Matrix Multiplication" [FP8];
    F8F32MM "f8f32mm" "Armv9.6-A FP8 to Single-Precision Matrix Multiplication" [FP8];
    FAMINMAX "faminmax" "FAMIN and FAMAX instructions" [NEON];
    FGT "fgt" "fine grained virtualization traps extension" [];
    FLAGM "flagm" "Armv8.4-A Flag Manipulation instructions" [];
    FMV "fmv" "function Multi Versioning support" [];
    FP_ARMV8 "fp-armv8" "Armv8.0-A Floating Point Extensions" [];
    FP16FML "fp16fml" "FP16 FML instructions" [FULLFP16 NEON];
    FP8 "fp8" "FP8 instructions" [NEON];
    FP8DOT2 "fp8dot2" "FP8 2-way dot instructions" [FP8];
    FP8DOT4 "fp8dot4" "FP8 4-way dot instructions" [FP8];
    FP8FMA "fp8fma" "Armv9.5-A FP8 multiply-add instructions" [FP8];
    FPAC "fpac" "Armv8.3-A Pointer Authentication Faulting enhancement" [];
    FPRCVT "fprcvt"
        "Armv9.6-A base convert instructions for SIMD&FP scalar register operands of different input and output sizes"
        [FP_ARMV8];
    FPTOINT "fptoint"
        "rounding of floating-point numbers to what fits 32-bit and 64-bit integers"
        [FP_ARMV8];
    FULLFP16 "fullfp16" "half-precision floating-point data processing" [FP_ARMV8];
    GCIE "gcie" "GICv5 (Generic Interrupt Controller) CPU Interface Extension" [];
    GCS "gcs" "Armv9.4-A Guarded Call Stack Extension" [CHK];
    HBC "hbc" "Armv8.8-A Hinted Conditional Branches Extension" [];
    HCX "hcx" "Armv8.7-A HCRX_EL2 system register" [];
    I8MM "i8mm" "matrix Multiply Int8 Extension" [NEON];
    ITE "ite" "Armv9.4-A Instrumentation Extension" [ETE];
    JSCONV "jsconv" "Armv8.3-A JavaScript FP conversion instructions" [FP_ARMV8];
    LOR "lor" "Armv8.1-A Limited Ordering Regions extension" [];
    LS64 "ls64" "Armv8.7-A LD64B/ST64B Accelerator Extension" [];
    LSCP "lscp" "Armv9.7-A Load-acquire and store-release pair extension" [];
    LSE "lse" "Armv8.1-A Large System Extension (LSE) atomic instructions" [];
    LSE128 "lse128" "Armv9.4-A 128-bit Atomic instructions" [LSE];
    LSE2 "lse2" "Armv8.4-A Large System Extension 2 (LSE2) atomicity rules" [];
    LSFE "lsfe" "Armv9.6-A base Atomic floating-point in-memory instructions" [FP_ARMV8];
    LSUI "lsui" "Armv9.6-A unprivileged load/store instructions" [];
    LUT "lut" "lookup Table instructions" [NEON];
    MEC "mec" "memory Encryption Contexts Extension" [RME];
    MOPS "mops" "Armv8.8-A memcpy and memset acceleration instructions" [];
    MOPS_GO "mops-go" "memset acceleration granule only" [MOPS MTE];
    MPAM "mpam" "Armv8.4-A Memory system Partitioning and Monitoring extension" [];
    MPAMV2 "mpamv2" "Armv9.7-A MPAMv2 Lookaside Buffer Invalidate instructions" [];
    MTE "mte" "memory Tagging Extension" [];
    MTETC "mtetc" "virtual Memory Tagging Extension" [MTE];
    NEON "neon" "advanced SIMD instructions" [FP_ARMV8];
    NMI "nmi" "Armv8.8-A Non-maskable Interrupts" [];
    NV "nv" "Armv8.4-A Nested Virtualization Enchancement" [];
    OCCMO "occmo" "Armv9.6-A Outer cacheable cache maintenance operations" [];
    OUTLINE_ATOMICS "outline-atomics" "out of line atomics to support LSE instructions" [];
    PAN "pan" "Armv8.1-A Privileged Access-Never extension" [];
    PAN_RWV "pan-rwv" "Armv8.2-A PAN s1e1R and s1e1W Variants" [PAN];
    PAUTH "pauth" "Armv8.3-A Pointer Authentication extension" [];
    PAUTH_LR "pauth-lr" "Armv9.5-A PAC enhancements" [];
    PCDPHINT "pcdphint" "Armv9.6-A Producer Consumer Data Placement hints" [];
    PERFMON "perfmon" "Armv8.0-A PMUv3 Performance Monitors extension" [];
    POE2 "poe2" "stage 1 Permission Overlays Extension 2 instructions" [];
    POPS "pops" "Armv9.6-A Point Of Physical Storage (PoPS) DC instructions" [];
    PREDRES "predres" "Armv8.5-A execution and data prediction invalidation instructions" [];
    PRFM_SLC_TARGET "prfm-slc-target" "SLC target for PRFM instruction" [];
    RAND "rand" "random Number generation instructions" [];
    RAS "ras" "Armv8.0-A Reliability, Availability and Serviceability Extensions" [];
    RASV2 "rasv2" "Armv8.9-A Reliability, Availability and Serviceability Extensions" [RAS];
    RCPC "rcpc" "support for RCPC extension" [];
    RCPC_IMMO "rcpc-immo" "Armv8.4-A RCPC instructions with Immediate Offsets" [RCPC];
    RCPC3 "rcpc3" "Armv8.9-A RCPC instructions for A64 and Advanced SIMD and floating-point instruction set"
        [RCPC_IMMO];
    RDM "rdm" "Armv8.1-A Rounding Double Multiply Add/Subtract instructions" [NEON];
    RESERVE_X18 "reserve-x18" "x18 is left alone" [];
    RME "rme" "realm Management Extension" [];
    SB "sb" "Armv8.5-A Speculation Barrier" [];
    SEL2 "sel2" "Armv8.4-A Secure Exception Level 2 extension" [];
    SHA2 "sha2" "SHA1 and SHA256 support" [NEON];
    SHA3 "sha3" "SHA512 and SHA3 support" [SHA2];
    SM4 "sm4" "SM3 and SM4 support" [NEON];
    SME "sme" "scalable Matrix Extension (SME)" [BF16 FULLFP16];
    SME_B16B16 "sme-b16b16" "SME2.1 ZA-targeting non-widening BFloat16 instructions" [SME2 SVE_B16B16];
    SME_F16F16 "sme-f16f16" "SME non-widening Float16 instructions" [SME2];
    SME_F64F64 "sme-f64f64" "scalable Matrix Extension (SME) F64F64 instructions" [SME];
    SME_F8F16 "sme-f8f16" "scalable Matrix Extension (SME) F8F16 instructions" [FP8 SME2];
    SME_F8F32 "sme-f8f32" "scalable Matrix Extension (SME) F8F32 instructions" [FP8 SME2];
    SME_FA64 "sme-fa64" "full A64 instruction set in streaming SVE mode" [SME SVE2];
    SME_I16I64 "sme-i16i64" "scalable Matrix Extension (SME) I16I64 instructions" [SME];
    SME_LUTV2 "sme-lutv2" "scalable Matrix Extension (SME) LUTv2 instructions" [SME2];
    SME_MOP4 "sme-mop4" "SME Quarter-tile outer product instructions" [SME2];
    SME_TMOP "sme-tmop" "SME Structured sparsity outer product instructions" [SME2];
    SME2 "sme2" "scalable Matrix Extension 2 (SME2) instructions" [SME];
    SME2P1 "sme2p1" "scalable Matrix Extension 2.1 instructions" [SME2];
    SME2P2 "sme2p2" "Armv9.6-A Scalable Matrix Extension 2.2 instructions" [SME2P1];
    SME2P3 "sme2p3" "Armv9.7-A Scalable Matrix Extension 2.3 instructions" [SME2P2];
    SPE "spe" "statistical Profiling extension" [];
    SPE_EEF "spe-eef" "extra register in the Statistical Profiling Extension" [];
    SPECRES2 "specres2" "speculation Restriction Instruction" [PREDRES];
    SPECRESTRICT "specrestrict" "architectural speculation restriction" [];
    SSBS "ssbs" "speculative Store Bypass Safe bit" [];
    SSVE_AES "ssve-aes" "Armv9.6-A SVE AES support in streaming SVE mode" [SME2 SVE_AES];
    SSVE_BITPERM "ssve-bitperm" "Armv9.6-A SVE BitPerm support in streaming SVE mode" [SME2 SVE_BITPERM];
    SSVE_FEXPA "ssve-fexpa" "SVE FEXPA instruction in Streaming SVE mode" [SME2];
    SSVE_FP8DOT2 "ssve-fp8dot2" "SVE2 FP8 2-way dot product instructions" [FP8 SME2];
    SSVE_FP8DOT4 "ssve-fp8dot4" "SVE2 FP8 4-way dot product instructions" [FP8 SME2];
    SSVE_FP8FMA "ssve-fp8fma" "SVE2 FP8 multiply-add instructions" [FP8 SME2];
    STRICT_ALIGN "strict-align" "disallow all unaligned memory access" [];
    SVE "sve" "scalable Vector Extension (SVE) instructions" [FULLFP16];
    SVE_AES "sve-aes" "SVE AES and quadword SVE polynomial multiply instructions" [AES];
    SVE_AES2 "sve-aes2" "Armv9.6-A SVE multi-vector AES and multi-vector quadword polynomial multiply instructions" [];
    SVE_B16B16 "sve-b16b16" "SVE2 non-widening and SME2 Z-targeting non-widening BFloat16 instructions" [];
    SVE_B16MM "sve-b16mm" "Armv9.7-A SVE non-widening BFloat16 matrix multiply-accumulate" [SVE];
    SVE_BFSCALE "sve-bfscale" "Armv9.6-A SVE BFloat16 scaling instructions" [];
    SVE_BITPERM "sve-bitperm" "bit permutation SVE2 instructions" [];
    SVE_F16F32MM "sve-f16f32mm" "Armv9.6-A FP16 to FP32 Matrix Multiply instructions" [SVE];
    SVE_SHA3 "sve-sha3" "SVE SHA3 instructions" [SHA3];
    SVE_SM4 "sve-sm4" "SVE SM4 instructions" [SM4];
    SVE2 "sve2" "scalable Vector Extension 2 (SVE2) instructions" [SVE];
    SVE2_AES "sve2-aes" "shorthand for +sve2+sve-aes" [SVE_AES SVE2];
    SVE2_BITPERM "sve2-bitperm" "shorthand for +sve2+sve-bitperm" [SVE_BITPERM SVE2];
    SVE2_SHA3 "sve2-sha3" "shorthand for +sve2+sve-sha3" [SVE_SHA3 SVE2];
    SVE2_SM4 "sve2-sm4" "shorthand for +sve2+sve-sm4" [SVE_SM4 SVE2];
    SVE2P1 "sve2p1" "scalable Vector Extension 2.1 instructions" [SVE2];
    SVE2P2 "sve2p2" "Armv9.6-A Scalable Vector Extension 2.2 instructions" [SVE2P1];
    SVE2P3 "sve2p3" "Armv9.7-A Scalable Vector Extension 2.3 instructions" [SVE2P2];
    TEV "tev" "TIndex Exception-like Vector instructions" [];
    THE "the" "Armv8.9-A Translation Hardening Extension" [];
    TLB_RMI "tlb-rmi" "Armv8.4-A TLB Range and Maintenance instructions" [];
    TLBID "tlbid" "Armv9.7-A TLBI Domains extension" [];
    TLBIW "tlbiw" "Armv9.5-A TLBI VMALL for Dirty State" [];
    TRACEV8_4 "tracev8.4" "Armv8.4-A Trace extension" [];
    TRBE "trbe" "trace Buffer Extension" [];
    UAOPS "uaops" "Armv8.2-A UAO PState" [];
    V8_1A "v8.1a" "support ARM v8.1a architecture" [CRC LOR LSE PAN RDM V8A VH];
    V8_2A "v8.2a" "support ARM v8.2a architecture" [CCPP PAN_RWV RAS UAOPS V8_1A];
    V8_3A "v8.3a" "support ARM v8.3a architecture" [COMPLXNUM JSCONV PAUTH RCPC V8_2A];
    V8_4A "v8.4a" "support ARM v8.4a architecture"
        [AM DIT DOTPROD FLAGM LSE2 MPAM NV RCPC_IMMO SEL2 TLB_RMI TRACEV8_4 V8_3A];
    V8_5A "v8.5a" "support ARM v8.5a architecture" [ALTNZCV BTI CCDP FPTOINT PREDRES SB SPECRESTRICT V8_4A];
    V8_6A "v8.6a" "support ARM v8.6a architecture" [AMVS BF16 ECV FGT I8MM V8_5A];
    V8_7A "v8.7a" "support ARM v8.7a architecture" [HCX V8_6A WFXT XS];
    V8_8A "v8.8a" "support ARM v8.8a architecture" [HBC MOPS NMI V8_7A];
    V8_9A "v8.9a" "support ARM v8.9a architecture" [CHK CLRBHB CSSC PRFM_SLC_TARGET RASV2 SPECRES2 V8_8A];
    V8A "v8a" "support ARM v8a architecture" [EL2VMSA EL3];
    V8R "v8r" "support ARM v8r architecture"
        [CONTEXTIDREL2 CCPP CRC DIT FLAGM LSE PAN_RWV PAUTH RAS RCPC_IMMO SEL2 SPECRESTRICT TLB_RMI
        TRACEV8_4 UAOPS];
    V9_1A "v9.1a" "support ARM v9.1a architecture" [V8_6A V9A];
    V9_2A "v9.2a" "support ARM v9.2a architecture" [V8_7A V9_1A];
    V9_3A "v9.3a" "support ARM v9.3a architecture" [V8_8A V9_2A];
    V9_4A "v9.4a" "support ARM v9.4a architecture" [V8_9A V9_3A];
    V9_5A "v9.5a" "support ARM v9.5a architecture" [CPA V9_4A];
    V9_6A "v9.6a" "support ARM v9.6a architecture" [CMPBR LSUI OCCMO V9_5A];
    V9_7A "v9.7a" "support ARM v9.7a architecture" [F16F32DOT FPRCVT SVE2P3 V9_6A];
    V9A "v9a" "support ARM v9a architecture" [V8_5A];
    VH "vh" "Armv8.1-A Virtual Host extension" [CONTEXTIDREL2];
    WFXT "wfxt" "Armv8.7-A WFET and WFIT instruction" [];
    XS "xs" "Armv8.7-A limited-TLB-maintenance instruction" [];
}
