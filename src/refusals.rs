//! The stable codes of refusals: one table of what Frazil does not compile.
//!
//! The crates below say in words what they refuse, with the particulars; here those words are sorted into features, so
//! that scripts can act on a code that stays when the words change. A code is never used again for another feature.
//! The first row with a phrase that occurs in the message decides; each stage has a last row for everything else.
//! `frazil --list-codes` prints the table, `--list-unsupported` reports what a module needs of it.

use crate::stage::Stage;
use std::fmt::Write;

/// A feature that is refused, in whole or in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The code, in messages and reports.
    pub code: &'static str,
    /// The name, in reports.
    pub name: &'static str,
    pub summary: &'static str,
    /// Words of messages about it.
    phrases: &'static [&'static str],
}

const fn feature(
    code: &'static str,
    name: &'static str,
    summary: &'static str,
    phrases: &'static [&'static str],
) -> Feature {
    Feature {
        code,
        name,
        summary,
        phrases,
    }
}

/// How the reader says that a use is not dominated.
const UNDOMINATED: &str = "does not dominate that use";

/// All features, in the order in which messages are compared.
pub const FEATURES: &[Feature] = &[
    feature(
        "FZ0001",
        "too-large",
        "A limit of Frazil or of the file format",
        &["too large", "more than one gigabyte"],
    ),
    feature(
        "FZ0101",
        "scalable-vector",
        "Vectors of a length that only the processor knows",
        &["vscale", "scalable"],
    ),
    feature(
        "FZ0102",
        "x86-tile-or-mmx",
        "Types x86_amx and x86_mmx",
        &["x86_amx", "x86_mmx"],
    ),
    feature(
        "FZ0103",
        "target-type",
        "Target extension types",
        &["target extension type", "target(\""],
    ),
    feature(
        "FZ0104",
        "exotic-float",
        "Floats other than float and double",
        &[
            "f16",
            "bf16",
            "f80",
            "f128",
            "half",
            "bfloat",
            "x86_fp80",
            "fp128",
            "than float and double",
            "float type",
        ],
    ),
    feature(
        "FZ0201",
        "garbage-collection",
        "GC strategies and statepoints",
        &["gc \"", "llvm.experimental.gc", "statepoint", "gc-live"],
    ),
    feature(
        "FZ0202",
        "funclet",
        "Exceptions by funclets, as Windows has them",
        &[
            "catchswitch",
            "catchpad",
            "catchret",
            "cleanuppad",
            "cleanupret",
            "funclet",
            "__CxxFrameHandler",
            "__C_specific_handler",
            "_except_handler",
        ],
    ),
    feature(
        "FZ0203",
        "exception",
        "Forms of exception handling",
        &["invoke", "landing", "resume", "personality", "exception handling"],
    ),
    feature(
        "FZ0301",
        "module-assembly",
        "Module-level assembly",
        &["module-level assembly"],
    ),
    feature(
        "FZ0204",
        "inline-assembly",
        "Inline assembly and callbr",
        &["inline assembly", "callbr"],
    ),
    feature(
        "FZ0205",
        "tail-call",
        "Calls that must be jumps",
        &["musttail", "tail call"],
    ),
    feature(
        "FZ0206",
        "calling-convention",
        "Calling conventions and how parameters are passed",
        &["convention", "byval", "inalloca", "a parameter"],
    ),
    feature(
        "FZ0208",
        "thread-local",
        "Forms of thread-local variables",
        &["thread-local", "threadlocal"],
    ),
    feature("FZ0209", "atomic", "Atomic operations", &["atomic"]),
    feature("FZ0210", "operand-bundle", "Operand bundles", &["operand bundle"]),
    feature(
        "FZ0211",
        "intrinsic",
        "Intrinsics",
        &["intrinsic ", "llvm.is_fpclass", "\" by name"],
    ),
    feature(
        "FZ0212",
        "function-attribute",
        "Attributes of functions",
        &["function attribute", "metadata !"],
    ),
    feature(
        "FZ0213",
        "stack",
        "Forms of stack probes and stack allocation",
        &["stack prob", "stack allocation", "stack alignment", "alloca"],
    ),
    feature(
        "FZ0214",
        "processor-feature",
        "Code without what every processor of the target has, or hardened against what processors do",
        &["without feature", "not supported: feature ", "reserving register"],
    ),
    feature("FZ0215", "address-space", "Address spaces", &["address space"]),
    feature("FZ0105", "vector", "Vectors", &["vector", "type <"]),
    feature(
        "FZ0106",
        "wide-integer",
        "Operations on wide integers",
        &["of type i", "of i1", "of i2", "more than 64 bits"],
    ),
    feature(
        "FZ0302",
        "comdat",
        "Selection kinds of comdats that ELF does not have",
        &["comdat selection"],
    ),
    feature(
        "FZ0309",
        "module-flag",
        "Module flags that change the code",
        &["module flag"],
    ),
    feature("FZ0304", "code-model", "Code models", &["code model"]),
    feature(
        "FZ0305",
        "initializer",
        "Contents of variables that no relocation expresses",
        &[
            "initialiser",
            "in data",
            "bytes of data",
            "difference",
            "constant expression",
            "in a field of",
        ],
    ),
    feature("FZ0306", "alias", "Forms of aliases and ifuncs", &["alias", "resolver"]),
    feature(
        "FZ0307",
        "data-layout",
        "Byte orders and widths of pointers",
        &["byte order", "big-endian", "pointers of"],
    ),
    feature(
        "FZ0308",
        "old-format",
        "Formats of old versions of LLVM",
        &["version", "before 3.8", "old"],
    ),
    feature(
        "FZ0801",
        "undominated-use",
        "Uses of values whose definitions do not dominate them",
        &[UNDOMINATED],
    ),
    feature(
        "FZ0802",
        "invalid-input",
        "Input that is no bitcode, or contradicts itself or the format",
        &[],
    ),
    feature("FZ0901", "bitcode", "Other things in bitcode", &[]),
    feature("FZ0902", "instruction", "Other instructions and operands", &[]),
    feature("FZ0903", "object-file", "Other things in object files", &[]),
];

/// Codes of what is compiled by now.
#[cfg(test)]
const RETIRED: &[&str] = &["FZ0303"];

/// The feature that a message about something unsupported is about.
pub(crate) fn classify(message: &str, stage: Stage) -> &'static Feature {
    let last = match stage {
        Stage::Read => "FZ0901",
        Stage::Write => "FZ0903",
        _ => "FZ0902",
    };
    let found = FEATURES
        .iter()
        .find(|row| row.code == last || row.phrases.iter().any(|phrase| message.contains(phrase)));
    found.expect("the last row of each stage is in the table")
}

/// The feature that a message about invalid input is about. Such messages name all kinds of things.
pub(crate) fn classify_invalid(message: &str) -> &'static Feature {
    let code = if message.contains(UNDOMINATED) {
        "FZ0801"
    } else {
        "FZ0802"
    };
    find(code).expect("the table has both")
}

/// The feature of a code.
pub(crate) fn find(code: &str) -> Option<&'static Feature> {
    FEATURES.iter().find(|row| row.code == code)
}

/// The table as text.
pub(crate) fn list() -> String {
    let mut rows = FEATURES.to_vec();
    rows.sort_by_key(|row| row.code);
    let mut text = String::new();
    for row in rows {
        writeln!(text, "{} {:<20} {}", row.code, row.name, row.summary).expect("strings can be written");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_stand_once() {
        for (index, row) in FEATURES.iter().enumerate() {
            let others = &FEATURES[index + 1..];
            assert!(
                others
                    .iter()
                    .all(|other| other.code != row.code && other.name != row.name),
                "{row:?}"
            );
            assert!(!RETIRED.contains(&row.code), "{row:?}");
        }
    }

    #[test]
    fn messages_find_their_feature() {
        let code = |message| classify(message, Stage::Compile).code;
        assert_eq!(code("not supported: function attribute gc \"shadow-stack\""), "FZ0201");
        assert_eq!(code("not supported: function attribute use-soft-float"), "FZ0212");
        assert_eq!(code("not supported: type <vscale x 4 x i32>"), "FZ0101");
        assert_eq!(code("not supported: a value of type x86_fp80 (i3: load)"), "FZ0104");
        assert_eq!(code("not supported: something new"), "FZ0902");
        assert_eq!(classify("a record of 2031", Stage::Read).code, "FZ0901");
    }
}
