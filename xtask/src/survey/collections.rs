//! The table of what the survey reads: C and C++ packages file by file, and Rust packages crate by crate.

use crate::corpus::Package;

/// Files of C or C++ that are compiled one by one; they need not form a program.
#[derive(Debug)]
pub struct Collection {
    pub package: Package,
    /// Relative to the package, as in the corpus.
    pub sources: &'static [&'static str],
    pub exclude: &'static [&'static str],
    pub includes: &'static [&'static str],
    pub options: &'static [&'static str],
}

/// The packages with C and C++ code.
pub const COLLECTIONS: &[Collection] = &[
    Collection {
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
        exclude: &[],
        includes: &["zstd/lib"],
        options: &[],
    },
    Collection {
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
        exclude: &[],
        includes: &["quickjs"],
        options: &["-D_GNU_SOURCE"],
    },
    Collection {
        package: Package {
            name: "libmimalloc-sys",
            version: "0.1.49",
        },
        sources: &["c_src/mimalloc/v3/src/static.c"],
        exclude: &[],
        includes: &["c_src/mimalloc/v3/include", "c_src/mimalloc/v3/src"],
        options: &["-DMI_STATIC_LIB"],
    },
    Collection {
        package: Package {
            name: "secp256k1-sys",
            version: "0.14.1",
        },
        sources: &["depend/secp256k1/src/secp256k1.c"],
        exclude: &[],
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
    },
    Collection {
        package: Package {
            name: "meshopt",
            version: "0.7.0",
        },
        sources: &["vendor/src/"],
        exclude: &[],
        includes: &[],
        options: &[],
    },
    Collection {
        package: Package {
            name: "shaderc-sys",
            version: "0.10.1",
        },
        sources: &[
            "build/glslang/glslang/GenericCodeGen/",
            "build/glslang/glslang/MachineIndependent/",
        ],
        // It needs a file that the package's own build makes.
        exclude: &["ShaderLang.cpp"],
        includes: &["build/glslang", "build/glslang/glslang/Include", "build"],
        options: &[],
    },
];

/// The Rust packages, with everything that they need themselves.
pub const RUST_PACKAGES: &[Package] = &[
    Package {
        name: "serde_json",
        version: "1.0.154",
    },
    Package {
        name: "regex-automata",
        version: "0.4.18",
    },
    Package {
        name: "hashbrown",
        version: "0.17.1",
    },
    Package {
        name: "rayon",
        version: "1.12.0",
    },
    Package {
        name: "tokio",
        version: "1.54.1",
    },
];
