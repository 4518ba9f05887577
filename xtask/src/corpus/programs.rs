//! The tables of corpus programs: where each program's code comes from, how it is compiled, and how it is run.
//!
//! To add a program, add a row. Versions are exact, so that the figures of two machines are about the same code.

/// A package of the Rust registry that carries C code.
#[derive(Debug)]
pub struct Package {
    pub name: &'static str,
    /// The exact version.
    pub version: &'static str,
}

/// One program of the corpus.
#[derive(Debug)]
pub struct Program {
    pub name: &'static str,
    /// Where the library code is; `None` for a program that is all ours.
    pub package: Option<Package>,
    /// C files relative to the package. A path that ends in `/` stands for the folder's C files but for `exclude`.
    pub sources: &'static [&'static str],
    /// File names that a folder in `sources` leaves out.
    pub exclude: &'static [&'static str],
    /// Include folders relative to the package.
    pub includes: &'static [&'static str],
    /// Options for the C compiler.
    pub options: &'static [&'static str],
    /// Our own file with `main`, in C, C++ or Rust, relative to the workspace.
    pub driver: &'static str,
    /// Our own file that the host's compiler translates and that is linked with the module, if there is one. That of a
    /// Rust program brings the standard library.
    pub host_part: Option<&'static str>,
    /// What to run.
    pub runs: &'static [Run],
}

/// One way to run a program: `program [script] argument...`.
#[derive(Debug)]
pub struct Run {
    pub name: &'static str,
    /// A file relative to the workspace, passed as the first argument.
    pub script: Option<&'static str>,
    /// The size arguments of a run that checks behavior: well below a second.
    pub short: Sizes,
    /// The size arguments of a run that is measured: 0.3 to 1.5 seconds with either compiler. `None` for a run that is
    /// not part of the run-time corpus.
    pub long: Option<Sizes>,
}

/// The size arguments of a run.
type Sizes = &'static [&'static str];

const fn lua_script(name: &'static str, script: &'static str, short: Sizes, long: Option<Sizes>) -> Run {
    Run {
        name,
        script: Some(script),
        short,
        long,
    }
}

const fn round_trip(short: Sizes) -> Run {
    Run {
        name: "round-trip",
        script: None,
        short,
        long: None,
    }
}

/// One way of a compressor.
const fn one_way(name: &'static str, short: Sizes, long: Sizes) -> Run {
    Run {
        name,
        script: None,
        short,
        long: Some(long),
    }
}

/// The programs with integers of 128 bits, which compilers do not have for every machine.
pub const WITH_WIDE_INTEGERS: [&str; 2] = ["abi", "mixed"];

/// Every program, smallest first.
pub const PROGRAMS: &[Program] = &[
    Program {
        name: "hello",
        package: None,
        sources: &[],
        exclude: &[],
        includes: &[],
        options: &[],
        driver: "xtask/corpus/hello.c",
        host_part: None,
        runs: &[Run {
            name: "greet",
            script: None,
            short: &["3"],
            long: None,
        }],
    },
    Program {
        name: "abi",
        package: None,
        sources: &[],
        exclude: &[],
        includes: &[],
        options: &[],
        driver: "xtask/corpus/abi.c",
        host_part: Some("xtask/corpus/abi_host.c"),
        runs: &[Run {
            name: "all",
            script: None,
            short: &["5"],
            long: None,
        }],
    },
    Program {
        name: "mixed",
        package: None,
        sources: &[],
        exclude: &[],
        includes: &[],
        options: &[],
        driver: "tests/modules/mixed.c",
        host_part: None,
        runs: &[Run {
            name: "all",
            script: None,
            short: &["12"],
            long: None,
        }],
    },
    Program {
        name: "bzip2",
        package: Some(Package {
            name: "bzip2-sys",
            version: "0.1.13+1.0.8",
        }),
        sources: &[
            "bzip2-1.0.8/blocksort.c",
            "bzip2-1.0.8/bzlib.c",
            "bzip2-1.0.8/compress.c",
            "bzip2-1.0.8/crctable.c",
            "bzip2-1.0.8/decompress.c",
            "bzip2-1.0.8/huffman.c",
            "bzip2-1.0.8/randtable.c",
        ],
        exclude: &[],
        includes: &["bzip2-1.0.8"],
        options: &[],
        driver: "xtask/corpus/bzip2.c",
        host_part: None,
        runs: &[
            round_trip(&["48"]),
            one_way(
                "compress",
                &["100", "compress", "9", "2"],
                &["1000", "compress", "9", "7"],
            ),
            one_way(
                "decompress",
                &["100", "decompress", "1", "4"],
                &["1000", "decompress", "1", "14"],
            ),
        ],
    },
    Program {
        name: "zlib",
        package: Some(Package {
            name: "libz-sys",
            version: "1.1.31",
        }),
        sources: &["src/zlib/"],
        exclude: &[],
        includes: &["src/zlib"],
        options: &["-DSTDC", "-D_LARGEFILE64_SOURCE", "-DHAVE_UNISTD_H"],
        driver: "xtask/corpus/zlib.c",
        host_part: None,
        runs: &[
            round_trip(&["64"]),
            one_way(
                "compress",
                &["100", "compress", "6", "2"],
                &["1000", "compress", "6", "9"],
            ),
            one_way(
                "decompress",
                &["100", "decompress", "6", "20"],
                &["1000", "decompress", "6", "180"],
            ),
        ],
    },
    Program {
        name: "lz4",
        package: Some(Package {
            name: "lz4-sys",
            version: "1.11.1+lz4-1.10.0",
        }),
        sources: &["liblz4/lib/"],
        exclude: &[],
        includes: &["liblz4/lib"],
        options: &[],
        driver: "xtask/corpus/lz4.c",
        host_part: None,
        runs: &[
            round_trip(&["48"]),
            one_way(
                "compress",
                &["100", "compress", "1", "20"],
                &["1000", "compress", "1", "400"],
            ),
            one_way(
                "decompress",
                &["100", "decompress", "1", "100"],
                &["1000", "decompress", "1", "1800"],
            ),
        ],
    },
    Program {
        name: "xz",
        package: Some(Package {
            name: "lzma-sys",
            version: "0.1.20",
        }),
        sources: &[
            "xz-5.2/src/liblzma/check/",
            "xz-5.2/src/liblzma/common/",
            "xz-5.2/src/liblzma/delta/",
            "xz-5.2/src/liblzma/lz/",
            "xz-5.2/src/liblzma/lzma/",
            "xz-5.2/src/liblzma/rangecoder/",
            "xz-5.2/src/liblzma/simple/",
            "xz-5.2/src/common/tuklib_cpucores.c",
            "xz-5.2/src/common/tuklib_physmem.c",
        ],
        // The small variants replace the fast ones; the table generators are programs of their own.
        exclude: &[
            "crc32_small.c",
            "crc64_small.c",
            "crc32_tablegen.c",
            "crc64_tablegen.c",
            "fastpos_tablegen.c",
            "price_tablegen.c",
        ],
        includes: &[
            ".",
            "xz-5.2/src/common",
            "xz-5.2/src/liblzma/api",
            "xz-5.2/src/liblzma/check",
            "xz-5.2/src/liblzma/common",
            "xz-5.2/src/liblzma/delta",
            "xz-5.2/src/liblzma/lz",
            "xz-5.2/src/liblzma/lzma",
            "xz-5.2/src/liblzma/rangecoder",
            "xz-5.2/src/liblzma/simple",
        ],
        options: &["-DHAVE_CONFIG_H"],
        driver: "xtask/corpus/xz.c",
        host_part: None,
        runs: &[
            round_trip(&["16"]),
            one_way(
                "compress",
                &["40", "compress", "6", "1"],
                &["500", "compress", "6", "4"],
            ),
            one_way(
                "decompress",
                &["100", "decompress", "0", "5"],
                &["1000", "decompress", "0", "30"],
            ),
        ],
    },
    Program {
        name: "lua",
        package: Some(Package {
            name: "lua-src",
            version: "551.1.0",
        }),
        sources: &["lua-5.4.9/"],
        exclude: &[],
        includes: &["lua-5.4.9"],
        // Without the jump table: it is made of label addresses, which are a feature of their own. With a fixed hash
        // seed: the order of `pairs` depends on it, and by default it is made of addresses and the time.
        options: &[
            "-DLUA_USE_LINUX",
            "-DLUA_USE_JUMPTABLE=0",
            "-Dluai_makeseed(state)=0x5eed",
        ],
        driver: "xtask/corpus/lua.c",
        host_part: None,
        runs: &[
            lua_script("features", "xtask/corpus/lua/features.lua", &["1"], None),
            lua_script("strings", "xtask/corpus/lua/strings.lua", &["200"], None),
            lua_script("objects", "xtask/corpus/lua/objects.lua", &["2000"], None),
            lua_script("fannkuch", "xtask/corpus/lua/fannkuch.lua", &["7"], Some(&["9", "2"])),
            lua_script("n-body", "xtask/corpus/lua/n_body.lua", &["2000"], Some(&["150000"])),
            lua_script(
                "spectral-norm",
                "xtask/corpus/lua/spectral_norm.lua",
                &["30"],
                Some(&["450"]),
            ),
            lua_script(
                "binary-trees",
                "xtask/corpus/lua/binary_trees.lua",
                &["7"],
                Some(&["14"]),
            ),
        ],
    },
    Program {
        name: "sqlite",
        package: Some(Package {
            name: "libsqlite3-sys",
            version: "0.39.1",
        }),
        sources: &["sqlite3/sqlite3.c"],
        exclude: &[],
        includes: &["sqlite3"],
        options: &[
            "-DSQLITE_CORE",
            "-DSQLITE_DEFAULT_FOREIGN_KEYS=1",
            "-DSQLITE_ENABLE_API_ARMOR",
            "-DSQLITE_ENABLE_COLUMN_METADATA",
            "-DSQLITE_ENABLE_DBSTAT_VTAB",
            "-DSQLITE_ENABLE_FTS3",
            "-DSQLITE_ENABLE_FTS3_PARENTHESIS",
            "-DSQLITE_ENABLE_FTS5",
            "-DSQLITE_ENABLE_RTREE",
            "-DSQLITE_ENABLE_STAT4",
            "-DSQLITE_SOUNDEX",
            "-DSQLITE_THREADSAFE=1",
            "-DSQLITE_USE_URI",
            "-DHAVE_USLEEP=1",
            "-DHAVE_ISNAN",
            "-DHAVE_LOCALTIME_R",
        ],
        driver: "xtask/corpus/sqlite.c",
        host_part: None,
        runs: &[Run {
            name: "workload",
            script: Some("xtask/corpus/workload.sql"),
            short: &["150"],
            long: Some(&["3500"]),
        }],
    },
];

/// Programs that are run, too, but are no input of the other measurements.
pub const RUN_PROGRAMS: &[Program] = &[
    Program {
        name: "containers",
        package: None,
        sources: &[],
        exclude: &[],
        includes: &[],
        options: &[],
        driver: "xtask/corpus/containers.cc",
        host_part: None,
        runs: &[Run {
            name: "all",
            script: None,
            short: &["100"],
            long: Some(&["2500"]),
        }],
    },
    Program {
        name: "collections",
        package: None,
        sources: &[],
        exclude: &[],
        includes: &[],
        options: &[],
        driver: "xtask/corpus/collections.rs",
        host_part: Some("xtask/corpus/std.rs"),
        runs: &[Run {
            name: "all",
            script: None,
            short: &["500"],
            long: Some(&["40000"]),
        }],
    },
];
