//! Vectors: the intrinsics of clang's headers, and what functions pass each other.

use super::Build;
use frazil_test_support::Folder;

#[test]
fn intrinsics() {
    let folder = Folder::new("vectors");
    for (source, compile) in [
        ("vector-intrinsics.c", &[][..]),
        ("vector-later.c", &["-march=x86-64-v2", "-maes", "-mpclmul"]),
    ] {
        Build {
            source,
            compile,
            ..Build::default()
        }
        .check(&folder);
    }
}

/// Either half of the program is compiled by clang.
#[test]
fn vectors_in_signatures() {
    let folder = Folder::new("vector-calls");
    for (source, other) in [
        ("vector-callee.c", "vector-caller.c"),
        ("vector-caller.c", "vector-callee.c"),
    ] {
        Build {
            source,
            others: &[other],
            ..Build::default()
        }
        .check(&folder);
    }
}
