//! The table of what the survey reads: C and C++ code bases of `crosstest --wide` file by file, and Rust packages crate
//! by crate.

use crate::corpus::Package;

/// Names of the code bases, whose rows say the rest.
pub const CODE_BASES: &[&str] = &["zstd", "quickjs", "mimalloc", "secp256k1", "meshoptimizer", "glslang"];

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
