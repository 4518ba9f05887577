//! The projects: where their sources come from, and how each is configured, built and tested.
//!
//! Steps are shell commands that are run in the project's own folder, with `CC`, `CXX`, `CFLAGS` and `CXXFLAGS`, or
//! `RUSTFLAGS`, in the environment. What tests found is in the lines of their output that contain a project's word;
//! they must be those that they print when clang, or rustc, makes all of the code.

/// Where sources come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The source package of that name.
    Debian,
    /// The crate of that name, in a version.
    Crate(&'static str),
}

/// A row of the table of projects.
#[derive(Debug)]
pub struct Project {
    pub name: &'static str,
    pub origin: Origin,
    /// What has to be installed.
    pub tools: &'static [&'static str],
    /// Shell commands.
    pub steps: &'static [&'static str],
    /// What is in the lines that say how many tests passed and failed.
    pub counts: &'static str,
}

/// Steps of projects that cmake configures without further options.
const CMAKE: &[&str] = &["cmake -S . -B build", BUILD, TEST];
const BUILD: &str = "cmake --build build";
const TEST: &str = "ctest --test-dir build --output-on-failure";
/// What ctest says in the end.
const OF_CTEST: &str = "tests passed";
/// Steps of projects with a configure script.
const CONFIGURE: &[&str] = &["./configure --disable-shared", "make", "make check"];
const CMAKE_TOOLS: &[&str] = &["make", "cmake", "ctest"];
/// Steps of crates.
const CARGO: &[&str] = &["cargo test"];
const OF_CARGO: &str = "test result:";

const fn debian(
    name: &'static str,
    tools: &'static [&'static str],
    steps: &'static [&'static str],
    counts: &'static str,
) -> Project {
    Project {
        name,
        origin: Origin::Debian,
        tools,
        steps,
        counts,
    }
}

const fn package(name: &'static str, version: &'static str) -> Project {
    Project {
        name,
        origin: Origin::Crate(version),
        tools: &[],
        steps: CARGO,
        counts: OF_CARGO,
    }
}

/// All projects.
pub const PROJECTS: &[Project] = &[
    debian("zlib", &["make"], &["./configure", "make", "make check"], "test OK"),
    debian("libyaml", CMAKE_TOOLS, CMAKE, OF_CTEST),
    // Keeps its last error in a thread's own memory. Its tests would run in valgrind, which is for its memory.
    debian(
        "json-c",
        CMAKE_TOOLS,
        &[
            "cmake -S . -B build -DDISABLE_WERROR=ON",
            BUILD,
            "USE_VALGRIND=0 ctest --test-dir build --output-on-failure",
        ],
        OF_CTEST,
    ),
    // C++ with exceptions; the second half of its tests reads and writes files.
    debian(
        "libjsoncpp",
        &["make", "cmake", "ctest", "python3"],
        &[
            "cmake -S . -B build -DJSONCPP_WITH_POST_BUILD_UNITTEST=OFF",
            BUILD,
            TEST,
        ],
        OF_CTEST,
    ),
    debian(
        "cjson",
        CMAKE_TOOLS,
        &["cmake -S . -B build -DENABLE_CJSON_UTILS=On", BUILD, TEST],
        OF_CTEST,
    ),
    debian(
        "jansson",
        CMAKE_TOOLS,
        &["cmake -S . -B build -DJANSSON_BUILD_DOCS=OFF", BUILD, TEST],
        OF_CTEST,
    ),
    // C++; its test counts about five hundred checks.
    debian(
        "tinyxml2",
        CMAKE_TOOLS,
        &["cmake -S . -B build", BUILD, "build/xmltest"],
        "Pass",
    ),
    // C++: shortest and exact decimal forms of floating-point numbers.
    debian(
        "double-conversion",
        CMAKE_TOOLS,
        &["cmake -S . -B build -DBUILD_TESTING=ON", BUILD, TEST],
        OF_CTEST,
    ),
    // Its tests print sums of a source.
    debian("xxhash", &["make"], &["make", "make check"], "xxhash.c"),
    debian("bzip2", &["make"], &["make CC=\"$CC\" CFLAGS=\"$CFLAGS\" test"], "cmp"),
    // Numbers of any size, in words of 60 bits. At -O0, calls stay that are never made, of functions that are not
    // there.
    debian(
        "libtommath",
        &["make"],
        &[
            "make test LFLAGS='-static -Wl,--unresolved-symbols=ignore-all'",
            "./test",
        ],
        "passed",
    ),
    // C++ with classes all over, and its own test framework.
    debian(
        "pugixml",
        CMAKE_TOOLS,
        &[
            "cmake -S . -B build -DPUGIXML_BUILD_TESTS=ON",
            BUILD,
            "build/pugixml-check",
        ],
        "tests passed",
    ),
    debian("cmark", &["make", "cmake", "ctest", "python3"], CMAKE, OF_CTEST),
    debian("popt", &["make"], CONFIGURE, "# "),
    debian("libcsv", &["make"], CONFIGURE, "tests passed"),
    package("strsim", "0.11.1"),
    package("heck", "0.5.0"),
    package("shlex", "2.0.1"),
];
