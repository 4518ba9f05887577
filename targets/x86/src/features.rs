//! What x86-64 processors may be able to do, by LLVM's names (LLVM 22, `X86.td`): every feature of instructions.
//!
//! Rules use few of these features; the others are known so that modules and users may name them. Which processor has
//! which is in the table of processors.

use frazil_codegen::features::{Feature, FeatureSet};

macro_rules! features {
    ($($constant:ident $name:literal $summary:literal [$($implied:ident)*];)*) => {
        /// Places of features in sets, in the order of the table.
        #[repr(u8)]
        #[derive(Clone, Copy)]
        #[allow(clippy::upper_case_acronyms, non_camel_case_types, reason = "names of instruction sets")]
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
    BIT64 "64bit" "64-bit instructions" [];
    BIT64_MODE "64bit-mode" "64-bit mode" [];
    AMX_AVX512 "amx-avx512" "AMX-AVX512 instructions" [AMX_TILE];
    AMX_BF16 "amx-bf16" "AMX-BF16 instructions" [AMX_TILE];
    AMX_COMPLEX "amx-complex" "AMX-COMPLEX instructions" [AMX_TILE];
    AMX_FP16 "amx-fp16" "AMX-FP16 instructions" [AMX_TILE];
    AMX_FP8 "amx-fp8" "AMX-FP8 instructions" [AMX_TILE];
    AMX_INT8 "amx-int8" "AMX-INT8 instructions" [AMX_TILE];
    AMX_MOVRS "amx-movrs" "AMX-MOVRS instructions" [AMX_TILE];
    AMX_TF32 "amx-tf32" "AMX-TF32 instructions" [AMX_TILE];
    AMX_TILE "amx-tile" "AMX-TILE instructions" [];
    AVX10_1 "avx10.1" "AVX10.1 instructions" [AVX512BF16 AVX512BITALG AVX512CD AVX512DQ AVX512FP16 AVX512IFMA
        AVX512VBMI AVX512VBMI2 AVX512VL AVX512VNNI AVX512VPOPCNTDQ];
    AVX10_1_512 "avx10.1-512" "AVX10.1 instructions" [AVX10_1];
    AVX10_2 "avx10.2" "AVX10.2 instructions" [AVX10_1];
    AVX10_2_512 "avx10.2-512" "AVX10.2 instructions" [AVX10_2];
    AVX512BF16 "avx512bf16" "AVX-512 bfloat16" [AVX512BW];
    AVX512BITALG "avx512bitalg" "AVX-512 bit algorithms" [AVX512BW];
    AVX512FP16 "avx512fp16" "AVX-512 half-precision floats" [AVX512BW];
    AVX512IFMA "avx512ifma" "AVX-512 integer multiply-add of 52 bits" [AVX512F];
    AVX512VBMI "avx512vbmi" "AVX-512 permutations of bytes" [AVX512BW];
    AVX512VBMI2 "avx512vbmi2" "AVX-512 further permutations of bytes" [AVX512BW];
    AVX512VNNI "avx512vnni" "AVX-512 products for neural networks" [AVX512F];
    AVX512VP2INTERSECT "avx512vp2intersect" "AVX-512 vp2intersect" [AVX512F];
    AVX512VPOPCNTDQ "avx512vpopcntdq" "AVX-512 population counts" [AVX512F];
    AVXIFMA "avxifma" "AVX-IFMA" [AVX2];
    AVXNECONVERT "avxneconvert" "AVX-NE-CONVERT instructions" [AVX2];
    AVXVNNI "avxvnni" "AVX-VNNI" [AVX2];
    AVXVNNIINT16 "avxvnniint16" "AVX-VNNI-INT16" [AVX2];
    AVXVNNIINT8 "avxvnniint8" "AVX-VNNI-INT8" [AVX2];
    CCMP "ccmp" "conditional CMP and TEST" [];
    CF "cf" "conditional faulting" [];
    CLDEMOTE "cldemote" "CLDEMOTE" [];
    CLFLUSHOPT "clflushopt" "CLFLUSHOPT" [];
    CLWB "clwb" "CLWB" [];
    CLZERO "clzero" "CLZERO" [];
    CMPCCXADD "cmpccxadd" "CMPCCXADD instructions" [];
    CRC32 "crc32" "CRC32" [];
    EGPR "egpr" "32 integer registers" [];
    ENQCMD "enqcmd" "ENQCMD instructions" [];
    ERMSB "ermsb" "fast REP MOVSB and STOSB" [];
    EVEX512 "evex512" "vectors of 512 bits" [];
    FMA4 "fma4" "fused multiply-add with four operands" [AVX SSE4A];
    FSRM "fsrm" "fast short REP MOVSB" [];
    GFNI "gfni" "arithmetic of Galois fields" [SSE2];
    HRESET "hreset" "HRESET" [];
    INVPCID "invpcid" "INVPCID" [];
    KL "kl" "Key Locker" [SSE2];
    LWP "lwp" "LWP instructions" [];
    MOVDIR64B "movdir64b" "MOVDIR64B" [];
    MOVDIRI "movdiri" "MOVDIRI" [];
    MOVRS "movrs" "MOVRS" [];
    MWAITX "mwaitx" "MONITORX and MWAITX" [];
    NDD "ndd" "integer operations with three operands" [];
    NF "nf" "operations that leave the flags" [];
    NOPL "nopl" "long no-operations" [];
    PCONFIG "pconfig" "PCONFIG" [];
    PKU "pku" "protection keys" [];
    PPX "ppx" "hints of matching PUSH and POP" [];
    PREFETCHI "prefetchi" "prefetches of code" [];
    PRFCHW "prfchw" "PRFCHW instructions" [];
    PTWRITE "ptwrite" "PTWRITE" [];
    PUSH2POP2 "push2pop2" "PUSH2 and POP2" [];
    RAOINT "raoint" "RAO-INT instructions" [];
    RDPID "rdpid" "RDPID instructions" [];
    RDPRU "rdpru" "RDPRU instructions" [];
    RTM "rtm" "RTM instructions" [];
    SERIALIZE "serialize" "SERIALIZE" [];
    SGX "sgx" "SGX instructions" [];
    SHA512 "sha512" "SHA512 instructions" [AVX2];
    SHSTK "shstk" "instructions of shadow stacks" [];
    SM3 "sm3" "SM3 instructions" [AVX];
    SM4 "sm4" "SM4 instructions" [AVX2];
    SSE4A "sse4a" "SSE 4a instructions" [SSE3];
    TBM "tbm" "TBM instructions" [];
    TSXLDTRK "tsxldtrk" "TSXLDTRK instructions" [];
    UINTR "uintr" "UINTR instructions" [];
    USERMSR "usermsr" "USERMSR instructions" [];
    VAES "vaes" "AES instructions on vectors of 256 and 512 bits" [AES AVX2];
    VPCLMULQDQ "vpclmulqdq" "carry-less multiplication of longer vectors" [AVX PCLMUL];
    WAITPKG "waitpkg" "UMONITOR, UMWAIT and TPAUSE" [];
    WBNOINVD "wbnoinvd" "WBNOINVD" [];
    WIDEKL "widekl" "Key Locker on eight blocks" [KL];
    XOP "xop" "XOP instructions" [FMA4];
    XSAVEC "xsavec" "XSAVEC" [XSAVE];
    XSAVEOPT "xsaveopt" "XSAVEOPT" [XSAVE];
    XSAVES "xsaves" "XSAVES" [XSAVE];
    ZU "zu" "SETcc and IMUL that clear upper bits" [];
}

/// What the processor that this runs on says of itself. What the standard library cannot ask for, no rule needs.
#[cfg(target_arch = "x86_64")]
pub fn native() -> FeatureSet {
    macro_rules! detect {
        ($($constant:ident $name:tt;)*) => {{
            let mut set = FeatureSet::of(&[X87, CMOV, CX8, FXSR, MMX, SSE, SSE2]);
            $(if std::is_x86_feature_detected!($name) {
                set = set.union(FeatureSet::of(&[$constant]));
            })*
            set
        }};
    }
    detect! {
        CX16 "cmpxchg16b"; SSE3 "sse3"; SSSE3 "ssse3"; SSE4_1 "sse4.1"; SSE4_2 "sse4.2"; POPCNT "popcnt"; AVX "avx";
        AVX2 "avx2"; BMI "bmi1"; BMI2 "bmi2"; F16C "f16c"; FMA "fma"; LZCNT "lzcnt"; MOVBE "movbe"; XSAVE "xsave";
        AES "aes"; PCLMUL "pclmulqdq"; SHA "sha"; ADX "adx"; RDRAND "rdrand"; RDSEED "rdseed"; AVX512F "avx512f";
        AVX512BW "avx512bw"; AVX512CD "avx512cd"; AVX512DQ "avx512dq"; AVX512VL "avx512vl";
    }
}
