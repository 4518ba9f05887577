//! The table of code bases: where each one's source comes from, how it is compiled, and how its driver is run.
//!
//! All of them are whole libraries unless their row says what is left out. Versions are exact.

use crate::corpus::Package;

/// A row of the table of code bases.
#[derive(Debug)]
pub struct CodeBase {
    pub name: &'static str,
    pub package: Package,
    /// Whether it is C++, whose library is linked then.
    pub plus_plus: bool,
    /// Source files relative to the package. A path that ends in `/` stands for the folder's files but for `exclude`.
    pub sources: &'static [&'static str],
    /// More source files, which the package's own build reads from a list.
    pub source_list: Option<SourceList>,
    /// File names that a folder in `sources` or `source_list` leaves out.
    pub exclude: &'static [&'static str],
    /// How many source files one module has, in code bases that can be built so: their headers are read less often
    /// then.
    pub joined: usize,
    /// Include folders relative to the package.
    pub includes: &'static [&'static str],
    /// Options for clang.
    pub options: &'static [&'static str],
    /// Names and texts of headers that the package's own build would make.
    pub configuration: &'static [(&'static str, &'static str)],
    /// Assembly, which is not Frazil's business, relative to the package.
    pub assembly: &'static [&'static str],
    /// Our own file with `main`, relative to the workspace.
    pub driver: &'static str,
    /// The arguments of each run, which begins in the workspace's root folder.
    pub runs: &'static [&'static [&'static str]],
}

/// A file of a package that names source files, one in each line, with or without quotes.
#[derive(Debug)]
pub struct SourceList {
    /// The list, relative to the package.
    pub file: &'static str,
    /// What the names are relative to, relative to the package itself.
    pub folder: &'static str,
}

/// What a row that does not say more has.
const PLAIN: CodeBase = CodeBase {
    name: "",
    package: Package { name: "", version: "" },
    plus_plus: false,
    sources: &[],
    source_list: None,
    exclude: &[],
    joined: 1,
    includes: &[],
    options: &[],
    configuration: &[],
    assembly: &[],
    driver: "",
    runs: &[&[]],
};

/// Every code base, C first.
pub const CODE_BASES: &[CodeBase] = &[
    CodeBase {
        name: "sqlite",
        package: Package {
            name: "libsqlite3-sys",
            version: "0.39.1",
        },
        sources: &["sqlite3/sqlite3.c"],
        includes: &["sqlite3"],
        options: &[
            "-DSQLITE_ENABLE_FTS3",
            "-DSQLITE_ENABLE_FTS5",
            "-DSQLITE_ENABLE_RTREE",
            "-DSQLITE_ENABLE_STAT4",
            "-DSQLITE_SOUNDEX",
            "-DSQLITE_THREADSAFE=1",
        ],
        driver: "xtask/corpus/sqlite.c",
        runs: &[&["xtask/corpus/workload.sql", "150"]],
        ..PLAIN
    },
    // With its jump table, unlike that of the small corpus.
    CodeBase {
        name: "lua",
        package: Package {
            name: "lua-src",
            version: "551.1.0",
        },
        sources: &["lua-5.4.9/"],
        includes: &["lua-5.4.9"],
        // The order of `pairs` depends on the seed of hashes, which is made of addresses and the time by default.
        options: &["-DLUA_USE_LINUX", "-Dluai_makeseed(state)=0x5eed"],
        driver: "xtask/corpus/lua.c",
        runs: &[
            &["xtask/corpus/lua/features.lua", "1"],
            &["xtask/corpus/lua/strings.lua", "200"],
            &["xtask/corpus/lua/objects.lua", "2000"],
            &["xtask/corpus/lua/fannkuch.lua", "7"],
            &["xtask/corpus/lua/n_body.lua", "2000"],
        ],
        ..PLAIN
    },
    CodeBase {
        name: "quickjs",
        package: Package {
            name: "rquickjs-sys",
            version: "0.14.0",
        },
        sources: &[
            "quickjs/quickjs.c",
            "quickjs/libregexp.c",
            "quickjs/libunicode.c",
            "quickjs/dtoa.c",
        ],
        includes: &["quickjs"],
        options: &["-D_GNU_SOURCE", "-DNDEBUG"],
        driver: "xtask/corpus/wide/quickjs.c",
        runs: &[&["xtask/corpus/wide/quickjs.js"]],
        ..PLAIN
    },
    // With its inline assembly, its functions for processors that the program finds, and its assembly file.
    CodeBase {
        name: "zstd",
        package: Package {
            name: "zstd-sys",
            version: "2.1.2+zstd.1.5.7",
        },
        sources: &[
            "zstd/lib/common/",
            "zstd/lib/compress/",
            "zstd/lib/decompress/",
            "zstd/lib/dictBuilder/",
        ],
        includes: &["zstd/lib"],
        assembly: &["zstd/lib/decompress/huf_decompress_amd64.S"],
        driver: "xtask/corpus/wide/zstd.c",
        runs: &[&["40"]],
        ..PLAIN
    },
    CodeBase {
        name: "blake3",
        package: Package {
            name: "blake3",
            version: "1.8.7",
        },
        sources: &["c/"],
        exclude: &[
            "blake3_avx512.c",
            "blake3_neon.c",
            "blake3_tbb.cpp",
            "example.c",
            "example_tbb.c",
            "main.c",
        ],
        includes: &["c"],
        // Each of its files is for one kind of processor, among which it chooses when it runs.
        options: &["-DBLAKE3_NO_AVX512", "-msse4.1", "-mavx2"],
        driver: "xtask/corpus/wide/blake3.c",
        ..PLAIN
    },
    CodeBase {
        name: "libdeflate",
        package: Package {
            name: "libdeflate-sys",
            version: "1.26.1",
        },
        sources: &["libdeflate/lib/", "libdeflate/lib/x86/"],
        includes: &["libdeflate"],
        options: &[
            "-DLIBDEFLATE_ASSEMBLER_DOES_NOT_SUPPORT_AVX512VNNI",
            "-DLIBDEFLATE_ASSEMBLER_DOES_NOT_SUPPORT_AVX_VNNI",
        ],
        driver: "xtask/corpus/wide/libdeflate.c",
        ..PLAIN
    },
    CodeBase {
        name: "webp",
        package: Package {
            name: "libwebp-sys",
            version: "0.14.4",
        },
        sources: &[
            "vendor/src/dec/",
            "vendor/src/dsp/",
            "vendor/src/enc/",
            "vendor/src/utils/",
            "vendor/sharpyuv/",
        ],
        includes: &["vendor"],
        options: &["-DWEBP_HAVE_SSE2", "-DWEBP_HAVE_SSE41", "-msse4.1"],
        driver: "xtask/corpus/wide/webp.c",
        ..PLAIN
    },
    CodeBase {
        name: "rnnoise",
        package: Package {
            name: "rnnoise-sys",
            version: "0.1.3",
        },
        sources: &["rnnoise/src/"],
        includes: &["rnnoise/include", "rnnoise/src"],
        driver: "xtask/corpus/wide/rnnoise.c",
        ..PLAIN
    },
    CodeBase {
        name: "xxhash",
        package: Package {
            name: "xxhash-c-sys",
            version: "0.8.7",
        },
        sources: &["src/c/"],
        includes: &["src/c"],
        driver: "xtask/corpus/wide/xxhash.c",
        ..PLAIN
    },
    CodeBase {
        name: "openjpeg",
        package: Package {
            name: "openjpeg-sys",
            version: "1.0.12",
        },
        sources: &["vendor/src/lib/openjp2/"],
        exclude: &[
            "bench_dwt.c",
            "cidx_manager.c",
            "phix_manager.c",
            "ppix_manager.c",
            "t1_generate_luts.c",
            "t1_ht_generate_luts.c",
            "test_sparse_array.c",
            "thix_manager.c",
            "tpix_manager.c",
        ],
        includes: &["vendor/src/lib/openjp2", "config"],
        options: &["-DOPJ_HAVE_POSIX_MEMALIGN", "-DOPJ_STATIC", "-DMUTEX_stub"],
        driver: "xtask/corpus/wide/openjpeg.c",
        ..PLAIN
    },
    CodeBase {
        name: "flac",
        package: Package {
            name: "libflac-sys",
            version: "0.3.4",
        },
        sources: &["flac/src/libFLAC/"],
        exclude: &[
            "ogg_decoder_aspect.c",
            "ogg_encoder_aspect.c",
            "ogg_helper.c",
            "ogg_mapping.c",
        ],
        includes: &["flac/include", "flac/src/libFLAC/include"],
        options: &["-DHAVE_CONFIG_H", "-DFLAC__NO_DLL", "-D_GNU_SOURCE"],
        configuration: &[(
            "config.h",
            "#define CPU_IS_BIG_ENDIAN 0\n#define CPU_IS_LITTLE_ENDIAN 1\n#define ENABLE_64_BIT_WORDS 1\n\
             #define FLAC__CPU_X86_64 1\n#define FLAC__USE_AVX 1\n#define FLAC__HAS_OGG 0\n#define HAVE_BSWAP32 1\n\
             #define HAVE_CPUID_H 1\n#define HAVE_FSEEKO 1\n#define HAVE_INTTYPES_H 1\n#define HAVE_LROUND 1\n\
             #define HAVE_STDINT_H 1\n#define HAVE_STRING_H 1\n#define FLAC__HAS_X86INTRIN 1\n\
             #define FLAC__ALIGN_MALLOC_DATA 1\n#define PACKAGE_VERSION \"1.4.3\"\n",
        )],
        driver: "xtask/corpus/wide/flac.c",
        ..PLAIN
    },
    CodeBase {
        name: "mimalloc",
        package: Package {
            name: "libmimalloc-sys",
            version: "0.1.49",
        },
        sources: &["c_src/mimalloc/v3/src/static.c"],
        includes: &["c_src/mimalloc/v3/include", "c_src/mimalloc/v3/src"],
        options: &["-DMI_STATIC_LIB", "-DNDEBUG", "-ftls-model=initial-exec"],
        driver: "xtask/corpus/wide/mimalloc.c",
        ..PLAIN
    },
    CodeBase {
        name: "secp256k1",
        package: Package {
            name: "secp256k1-sys",
            version: "0.14.1",
        },
        sources: &[
            "depend/secp256k1/src/secp256k1.c",
            "depend/secp256k1/src/precomputed_ecmult.c",
            "depend/secp256k1/src/precomputed_ecmult_gen.c",
        ],
        includes: &["depend/secp256k1", "depend/secp256k1/include", "depend/secp256k1/src"],
        options: &[
            "-DENABLE_MODULE_ECDH",
            "-DENABLE_MODULE_SCHNORRSIG",
            "-DENABLE_MODULE_EXTRAKEYS",
            "-DENABLE_MODULE_RECOVERY",
            "-DECMULT_WINDOW_SIZE=15",
            "-DCOMB_BLOCKS=43",
            "-DCOMB_TEETH=6",
        ],
        driver: "xtask/corpus/wide/secp256k1.c",
        ..PLAIN
    },
    // In floating point, without functions for processors that the program finds.
    CodeBase {
        name: "opus",
        package: Package {
            name: "audiopus_sys",
            version: "0.2.2",
        },
        sources: &["opus/celt/", "opus/silk/", "opus/silk/float/", "opus/src/"],
        exclude: &[
            "opus_compare.c",
            "opus_custom_demo.c",
            "opus_demo.c",
            "repacketizer_demo.c",
            "mlp_train.c",
        ],
        includes: &["opus", "opus/include", "opus/celt", "opus/silk", "opus/silk/float"],
        options: &[
            "-DOPUS_BUILD",
            "-DVAR_ARRAYS",
            "-DHAVE_LRINT",
            "-DHAVE_LRINTF",
            "-DHAVE_STDINT_H",
        ],
        driver: "xtask/corpus/wide/opus.c",
        ..PLAIN
    },
    // Without assembly, without TLS, and with the random numbers that it has for fuzzers instead of the system's and
    // those of the processor's jitter.
    CodeBase {
        name: "aws-lc",
        package: Package {
            name: "aws-lc-sys",
            version: "0.47.0",
        },
        source_list: Some(SourceList {
            file: "builder/cc_builder/universal.rs",
            folder: "aws-lc",
        }),
        exclude: &[
            "jitterentropy-base.c",
            "jitterentropy-gcd.c",
            "jitterentropy-health.c",
            "jitterentropy-noise.c",
            "jitterentropy-sha3.c",
            "jitterentropy-timer.c",
        ],
        includes: &["include", "aws-lc/include"],
        options: &[
            "-std=c11",
            "-pthread",
            "-D_XOPEN_SOURCE=700",
            "-DOPENSSL_NO_ASM",
            "-DDISABLE_CPU_JITTER_ENTROPY",
            "-DBORINGSSL_IMPLEMENTATION",
            "-DBORINGSSL_UNSAFE_DETERMINISTIC_MODE",
        ],
        driver: "xtask/corpus/wide/aws_lc.c",
        ..PLAIN
    },
    CodeBase {
        name: "meshoptimizer",
        package: Package {
            name: "meshopt",
            version: "0.7.0",
        },
        plus_plus: true,
        sources: &["vendor/src/"],
        includes: &["vendor/src"],
        driver: "xtask/corpus/wide/meshoptimizer.cc",
        ..PLAIN
    },
    // Without its second language, HLSL.
    CodeBase {
        name: "astcenc",
        package: Package {
            name: "astcenc-sys",
            version: "0.2.0",
        },
        plus_plus: true,
        sources: &["astc-encoder/Source/"],
        exclude: &[
            "astcenccli_entry.cpp",
            "astcenccli_entry2.cpp",
            "astcenccli_error_metrics.cpp",
            "astcenccli_image.cpp",
            "astcenccli_image_external.cpp",
            "astcenccli_image_load_store.cpp",
            "astcenccli_platform_dependents.cpp",
            "astcenccli_toplevel.cpp",
            "astcenccli_toplevel_help.cpp",
            "wuffs-v0.3.c",
        ],
        includes: &["astc-encoder/Source"],
        driver: "xtask/corpus/wide/astcenc.cc",
        ..PLAIN
    },
    CodeBase {
        name: "simdjson",
        package: Package {
            name: "simdjson-sys",
            version: "0.4.0-alpha.2",
        },
        plus_plus: true,
        sources: &["vendor/simdjson/simdjson.cpp"],
        includes: &["vendor/simdjson"],
        // That for AVX-512 is left out.
        options: &["-std=c++17", "-DSIMDJSON_IMPLEMENTATION_ICELAKE=0"],
        driver: "xtask/corpus/wide/simdjson.cc",
        ..PLAIN
    },
    CodeBase {
        name: "openh264",
        package: Package {
            name: "openh264-sys2",
            version: "0.9.9",
        },
        plus_plus: true,
        // Without the decoder, whose headers have the same names.
        sources: &[
            "upstream/codec/common/src/",
            "upstream/codec/encoder/core/src/",
            "upstream/codec/encoder/plus/src/",
            "upstream/codec/processing/src/adaptivequantization/",
            "upstream/codec/processing/src/backgrounddetection/",
            "upstream/codec/processing/src/common/",
            "upstream/codec/processing/src/complexityanalysis/",
            "upstream/codec/processing/src/denoise/",
            "upstream/codec/processing/src/downsample/",
            "upstream/codec/processing/src/imagerotate/",
            "upstream/codec/processing/src/scenechangedetection/",
            "upstream/codec/processing/src/scrolldetection/",
            "upstream/codec/processing/src/vaacalc/",
        ],
        exclude: &["DllEntry.cpp"],
        includes: &[
            "upstream/codec/api/wels",
            "upstream/codec/common/inc",
            "upstream/codec/encoder/core/inc",
            "upstream/codec/encoder/plus/inc",
            "upstream/codec/processing/interface",
            "upstream/codec/processing/src/common",
            "upstream/codec/processing/src/adaptivequantization",
            "upstream/codec/processing/src/downsample",
            "upstream/codec/processing/src/scrolldetection",
            "upstream/codec/processing/src/vaacalc",
        ],
        driver: "xtask/corpus/wide/openh264.cc",
        ..PLAIN
    },
    CodeBase {
        name: "glslang",
        package: Package {
            name: "shaderc-sys",
            version: "0.10.1",
        },
        plus_plus: true,
        sources: &[
            "build/glslang/glslang/GenericCodeGen/",
            "build/glslang/glslang/MachineIndependent/",
            "build/glslang/glslang/MachineIndependent/preprocessor/",
            "build/glslang/glslang/OSDependent/Unix/",
            "build/glslang/glslang/ResourceLimits/",
            "build/glslang/SPIRV/",
        ],
        includes: &["build/glslang"],
        configuration: &[(
            "glslang/build_info.h",
            "#define GLSLANG_VERSION_MAJOR 14\n#define GLSLANG_VERSION_MINOR 0\n#define GLSLANG_VERSION_PATCH 0\n\
             #define GLSLANG_VERSION_FLAVOR \"\"\n",
        )],
        driver: "xtask/corpus/wide/glslang.cc",
        ..PLAIN
    },
    // Without the libraries that its second interior point method, HiPO, needs to run.
    CodeBase {
        name: "highs",
        package: Package {
            name: "highs-sys",
            version: "1.15.0",
        },
        plus_plus: true,
        sources: &[
            "HiGHS/highs/",
            "HiGHS/highs/interfaces/",
            "HiGHS/highs/io/",
            "HiGHS/highs/io/filereaderlp/",
            "HiGHS/highs/ipm/",
            "HiGHS/highs/ipm/basiclu/",
            "HiGHS/highs/ipm/hipo/auxiliary/",
            "HiGHS/highs/ipm/hipo/factorhighs/",
            "HiGHS/highs/ipm/hipo/ipm/",
            "HiGHS/highs/ipm/ipx/",
            "HiGHS/highs/lp_data/",
            "HiGHS/highs/mip/",
            "HiGHS/highs/model/",
            "HiGHS/highs/parallel/",
            "HiGHS/highs/pdlp/",
            "HiGHS/highs/pdlp/cupdlp/",
            "HiGHS/highs/pdlp/hipdlp/",
            "HiGHS/highs/presolve/",
            "HiGHS/highs/qpsolver/",
            "HiGHS/highs/simplex/",
            "HiGHS/highs/test_kkt/",
            "HiGHS/highs/util/",
            "HiGHS/extern/HighsExtrasApi.cpp",
            "HiGHS/extern/HighsExtrasExternalDeps.cpp",
        ],
        includes: &["HiGHS/highs", "HiGHS/extern"],
        options: &["-DHIGHS_EXTRAS_VERSION=\"1.15.0\""],
        configuration: &[(
            "HConfig.h",
            "#define FAST_BUILD\n#define CUPDLP_CPU\n#define HIGHS_HAVE_MM_PAUSE\n#define HIGHS_HAVE_BUILTIN_CLZ\n\
             #define HIGHS_GITHASH \"\"\n#define HIGHS_VERSION_MAJOR 1\n#define HIGHS_VERSION_MINOR 15\n\
             #define HIGHS_VERSION_PATCH 0\n",
        )],
        driver: "xtask/corpus/wide/highs.cc",
        ..PLAIN
    },
    // The options of its package's build on Linux, without libraries for compression.
    CodeBase {
        name: "rocksdb",
        package: Package {
            name: "librocksdb-sys",
            version: "0.19.0+11.8.1",
        },
        plus_plus: true,
        sources: &["build_version.cc"],
        source_list: Some(SourceList {
            file: "rocksdb_lib_sources.txt",
            folder: "rocksdb",
        }),
        exclude: &["build_version.cc"],
        joined: 40,
        includes: &[
            "rocksdb/include",
            "rocksdb",
            "rocksdb/third-party/gtest-1.8.1/fused-src",
            ".",
        ],
        options: &[
            "-std=c++20",
            // Its checksums use it where there is SSE4.2.
            "-mpclmul",
            "-include",
            "cstdint",
            "-DNDEBUG=1",
            "-DHAVE_ALIGNED_NEW",
            "-DHAVE_UINT128_EXTENSION",
            "-DOS_LINUX",
            "-DROCKSDB_PLATFORM_POSIX",
            "-DROCKSDB_LIB_IO_POSIX",
            "-DROCKSDB_SCHED_GETCPU_PRESENT",
            "-DROCKSDB_AUXV_GETAUXVAL_PRESENT",
            "-DROCKSDB_FALLOCATE_PRESENT",
            "-DROCKSDB_RANGESYNC_PRESENT",
        ],
        driver: "xtask/corpus/wide/rocksdb.cc",
        ..PLAIN
    },
];
