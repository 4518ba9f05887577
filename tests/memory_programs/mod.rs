//! Whole C programs about memory, threads, frames, vectors, `long double`, fixed-point numbers and the floating-point
//! environment: clang makes bitcode of them, Frazil objects, and the linked program must print what it prints when
//! clang compiles all of it.
//!
//! Each program is taken at -O0 and at -O2 and goes through every built-in recipe with the checker of register
//! allocations. What the bitcode is linked with, and how, is said by the test.

mod atomic_loops;
mod realigned;
mod variadic;
mod vectors;

use crate::{RECIPES, checking_frazil, in_repository};
use frazil_test_support::{Folder, run};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CLANG: &str = "clang-22";

/// One way to build a program; what is not said is empty.
#[derive(Default)]
struct Build<'a> {
    /// The source, in this folder.
    source: &'a str,
    /// For clang, which makes bitcode.
    compile: &'a [&'a str],
    frazil: &'a [&'a str],
    link: &'a [&'a str],
    /// Sources that only clang compiles.
    others: &'a [&'a str],
}

impl Build<'_> {
    /// Builds by clang alone and through Frazil, and compares the output of both.
    fn check(&self, folder: &Folder) {
        let others: Vec<PathBuf> = self
            .others
            .iter()
            .map(|other| self.object_of_clang(folder, other))
            .collect();
        for level in ["-O0", "-O2"] {
            let bitcode = folder.path("program.bc");
            self.clang(
                &["-c", "-emit-llvm", level, "-fno-vectorize", "-fno-slp-vectorize"],
                self.compile,
                &[source(self.source)],
                &bitcode,
            );
            let expected = self.output(folder, &bitcode, &others);
            for recipe in RECIPES {
                let object = folder.path("program.o");
                let mut frazil = checking_frazil(recipe);
                run(frazil.args(self.frazil).arg(&bitcode).arg("-o").arg(&object));
                let found = self.output(folder, &object, &others);
                assert_eq!(
                    found, expected,
                    "{} {:?} {:?} {level} {recipe}",
                    self.source, self.compile, self.link
                );
            }
        }
    }

    fn object_of_clang(&self, folder: &Folder, other: &str) -> PathBuf {
        let object = folder.path(other).with_extension("other.o");
        self.clang(&["-c"], self.compile, &[source(other)], &object);
        object
    }

    /// Links and runs; the exit status is part of the output.
    fn output(&self, folder: &Folder, object: &Path, others: &[PathBuf]) -> String {
        let program = folder.path("program");
        let mut inputs = vec![object.to_path_buf()];
        inputs.extend_from_slice(others);
        let link: Vec<&str> = ["-pthread"].iter().chain(self.link).copied().collect();
        // What only links starts in a third of clang's time.
        let is_bitcode = object.extension().is_some_and(|extension| extension == "bc");
        let mut command = Command::new(match is_bitcode || link.contains(&"-fuse-ld=lld") {
            true => CLANG,
            false => "cc",
        });
        run(command.args(&inputs).args(link).arg("-o").arg(&program));
        let Output { status, stdout, .. } = Command::new(&program).output().expect("the program starts");
        format!("{}{status}", String::from_utf8_lossy(&stdout))
    }

    fn clang(&self, first: &[&str], second: &[&str], inputs: &[PathBuf], output: &Path) {
        let mut command = Command::new(CLANG);
        run(command.args(first).args(second).args(inputs).arg("-o").arg(output));
    }
}

fn source(name: &str) -> PathBuf {
    in_repository("tests/memory_programs").join(name)
}

/// The models of thread-local variables follow from how the code may be placed; linkers turn one into another.
#[test]
fn thread_local_variables() {
    const BFD: &str = "-fuse-ld=bfd";
    const LLD: &str = "-fuse-ld=lld";
    let folder = Folder::new("tls");
    for (compile, frazil, links) in [
        (
            "-fPIC",
            "-relocation-model=pic",
            &[["-static", BFD], ["-pie", LLD], ["-no-pie", BFD]][..],
        ),
        (
            "-fPIE",
            "-relocation-model=pic",
            &[["-static", LLD], ["-pie", BFD], ["-no-pie", LLD]],
        ),
        (
            "-fno-pic",
            "-relocation-model=static",
            &[["-static", BFD], ["-no-pie", LLD]],
        ),
    ] {
        for link in links {
            Build {
                source: "thread-local.c",
                compile: &[compile],
                frazil: &[frazil],
                link,
                others: &["thread-local-other.c"],
            }
            .check(&folder);
        }
    }
}

/// In a shared library, only the library function finds variables.
#[test]
fn thread_local_variables_of_a_shared_library() {
    let folder = Folder::new("tls-shared");
    let library = folder.path("library.so");
    let main = Build {
        source: "thread-local-main.c",
        link: &["-Wl,-rpath,$ORIGIN"],
        ..Build::default()
    };
    let main_object = main.object_of_clang(&folder, main.source);
    let part = Build {
        source: "thread-local.c",
        compile: &["-fPIC", "-DIN_LIBRARY"],
        others: &["thread-local-other.c"],
        ..Build::default()
    };
    let other = part.object_of_clang(&folder, "thread-local-other.c");
    for linker in ["-fuse-ld=bfd", "-fuse-ld=lld"] {
        for level in ["-O0", "-O2"] {
            let bitcode = folder.path("part.bc");
            part.clang(
                &["-c", "-emit-llvm", level],
                part.compile,
                &[source(part.source)],
                &bitcode,
            );
            let in_library = |object: &Path| {
                let inputs = [object.to_path_buf(), other.clone()];
                part.clang(&["-shared", "-pthread", linker], &[], &inputs, &library);
                main.output(&folder, &main_object, std::slice::from_ref(&library))
            };
            let expected = in_library(&bitcode);
            for recipe in RECIPES {
                let object = folder.path("part.o");
                run(checking_frazil(recipe).arg(&bitcode).arg("-o").arg(&object));
                assert_eq!(in_library(&object), expected, "{linker} {level} {recipe}");
            }
        }
    }
}

/// Nothing is lost when several threads update; accesses of 16 bytes are instructions or library calls.
#[test]
fn atomic_accesses() {
    let folder = Folder::new("atomics");
    for compile in [&["-mcx16"][..], &[]] {
        Build {
            source: "atomics.c",
            compile,
            link: &["-latomic"],
            ..Build::default()
        }
        .check(&folder);
    }
    Build {
        source: "atomic-calls.ll",
        link: &["-latomic"],
        others: &["atomic-calls-main.c"],
        ..Build::default()
    }
    .check(&folder);
}

/// Nothing of what a function that is returned to twice needs is kept where the time between changes it.
#[test]
fn jumps_out_of_calls() {
    let folder = Folder::new("jumps");
    Build {
        source: "jumps.c",
        ..Build::default()
    }
    .check(&folder);
}

/// The same by what the compiler itself makes, which keeps no register.
#[test]
fn control_returns_to_jump_buffers() {
    let folder = Folder::new("jump-buffers");
    Build {
        source: "jump-buffers.c",
        ..Build::default()
    }
    .check(&folder);
}

/// Frames with and without probes, at all kinds of places of the stack pointer.
#[test]
fn frames_of_every_kind() {
    let folder = Folder::new("frames");
    for compile in [
        &[][..],
        &["-fstack-clash-protection"],
        &["-fno-omit-frame-pointer", "-mno-red-zone"],
        &["-fstack-protector-all", "-fstack-clash-protection"],
        &["-fstack-protector-strong"],
    ] {
        Build {
            source: "frames.c",
            compile,
            ..Build::default()
        }
        .check(&folder);
    }
}

/// A function that probes the stack for the prologue.
#[test]
fn stack_probes_by_calls() {
    let folder = Folder::new("probes");
    Build {
        source: "probe-call.ll",
        compile: &["-Wno-override-module"],
        others: &["probe-call-main.c"],
        ..Build::default()
    }
    .check(&folder);
}

/// Guards of frames are compared, and lie next to what can be written beyond its end.
#[test]
fn guards_of_frames() {
    let folder = Folder::new("guards");
    for compile in [
        &["-fstack-protector"][..],
        &["-fstack-protector-strong", "-DOVERFLOW", "-fno-omit-frame-pointer"],
        &["-fstack-protector-all", "-DOVERFLOW"],
    ] {
        Build {
            source: "guard.c",
            compile,
            ..Build::default()
        }
        .check(&folder);
    }
}

/// C's `long double`: every operation on all pairs of many values, conversions, calls, complex numbers.
#[test]
fn long_doubles() {
    let folder = Folder::new("long-double");
    for compile in [
        &["-std=gnu11"][..],
        &["-std=gnu11", "-ffp-contract=off", "-mno-red-zone"],
    ] {
        Build {
            source: "long-double.c",
            compile,
            link: &["-lm"],
            ..Build::default()
        }
        .check(&folder);
    }
}

/// Every operation under every rounding mode: results, and the exceptions that they raise.
#[test]
fn floating_point_environment() {
    let folder = Folder::new("environment");
    for compile in [
        &["-std=c23", "-ffp-model=strict"][..],
        &["-std=c23", "-ffp-model=strict", "-msse4.1"],
    ] {
        Build {
            source: "environment.c",
            compile,
            frazil: &[],
            link: &["-lm"],
            others: &[],
        }
        .check(&folder);
    }
}

/// Products and quotients of fixed-point numbers, and products without carries, in many widths.
#[test]
fn fixed_point_numbers() {
    let folder = Folder::new("fixed-point");
    Build {
        source: "fixed-point.ll",
        compile: &["-Wno-override-module"],
        frazil: &["-relocation-model=pic"],
        link: &[],
        others: &["fixed-point-main.c"],
    }
    .check(&folder);
}

/// The environment as a whole, and its modes. What is expected is written down: llc-22 loses the environment that it
/// reads, resets the x87 unit to one whose registers are full, and writes more than the 32 bits of short modes.
#[test]
fn access_to_the_floating_point_environment() {
    let folder = Folder::new("environment-access");
    let build = Build {
        source: "environment-access.ll",
        compile: &[],
        frazil: &[],
        link: &["-lm"],
        others: &["environment-access-main.c"],
    };
    let others = [build.object_of_clang(&folder, "environment-access-main.c")];
    let (bitcode, object) = (folder.path("program.bc"), folder.path("program.o"));
    build.clang(
        &["-c", "-emit-llvm", "-Wno-override-module"],
        &[],
        &[source(build.source)],
        &bitcode,
    );
    for recipe in RECIPES {
        run(checking_frazil(recipe).arg(&bitcode).arg("-o").arg(&object));
        let found = build.output(&folder, &object, &others);
        assert_eq!(found, include_str!("environment-access.txt").trim_end(), "{recipe}");
    }
}

/// The same type in C++, with exceptions.
#[test]
fn long_doubles_and_exceptions() {
    let folder = Folder::new("long-double-exceptions");
    Build {
        source: "long-double.cpp",
        link: &["-lstdc++", "-lm"],
        ..Build::default()
    }
    .check(&folder);
}

/// What C does not say of that type: classes, bits, odd integers, several results, tail calls.
#[test]
fn extended_floats() {
    let folder = Folder::new("extended-floats");
    Build {
        source: "extended-floats.ll",
        compile: &["-Wno-override-module"],
        link: &["-lm"],
        others: &["extended-floats-main.c"],
        ..Build::default()
    }
    .check(&folder);
}

/// Numbers on both sides of each power of two, infinities and what is no number.
#[test]
fn saturating_conversions_of_extended_floats() {
    let folder = Folder::new("saturating");
    Build {
        source: "saturating.ll",
        compile: &["-Wno-override-module"],
        link: &["-lm"],
        others: &["saturating-main.c"],
        ..Build::default()
    }
    .check(&folder);
}

/// Addresses of blocks in a function in which operations take more blocks.
#[test]
fn computed_gotos_beside_loops_of_operations() {
    let folder = Folder::new("computed-goto");
    for compile in [&["-fPIE"][..], &["-fno-pie"]] {
        Build {
            source: "computed-goto.c",
            compile,
            link: &[if compile == ["-fPIE"] { "-pie" } else { "-no-pie" }],
            ..Build::default()
        }
        .check(&folder);
    }
}

/// The same beside landing pads.
#[test]
fn computed_gotos_beside_landing_pads_and_loops_of_operations() {
    let folder = Folder::new("computed-goto-pads");
    Build {
        source: "computed-goto.cpp",
        link: &["-lstdc++"],
        ..Build::default()
    }
    .check(&folder);
}

/// Data and another function name the blocks of such a function.
#[test]
fn addresses_of_blocks_beside_loops_of_operations() {
    let folder = Folder::new("block-addresses");
    Build {
        source: "block-addresses.ll",
        compile: &["-Wno-override-module"],
        link: &["-no-pie"],
        frazil: &["-relocation-model=static"],
        others: &["block-addresses-main.c"],
    }
    .check(&folder);
}

/// What segments lead to, and pointers of 32 bits.
#[test]
fn address_spaces() {
    let folder = Folder::new("segments");
    for compile in [&["-fms-extensions"][..], &["-fms-extensions", "-fPIE"]] {
        Build {
            source: "segments.c",
            compile,
            ..Build::default()
        }
        .check(&folder);
    }
}
