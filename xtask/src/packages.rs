//! The Debian packages that tests and long suites need, and how what is missing is installed.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::{process, workspace};

/// How it is seen that a package is there.
enum Sign {
    /// A program on `PATH`.
    Program(&'static str),
    File(&'static str),
}

/// Something that is needed.
struct Need {
    sign: Sign,
    packages: &'static [&'static str],
    /// Whether the workspace's own tests need it, and not only a long suite.
    by_tests: bool,
}

const fn tests(sign: Sign, packages: &'static [&'static str]) -> Need {
    Need {
        sign,
        packages,
        by_tests: true,
    }
}

const fn suites(sign: Sign, packages: &'static [&'static str]) -> Need {
    Need {
        sign,
        packages,
        by_tests: false,
    }
}

/// All of it.
const NEEDS: &[Need] = &[
    tests(Sign::Program("clang-22"), &["clang-22"]),
    tests(Sign::Program("llc-22"), &["llvm-22"]),
    // For the helper program, which is built against LLVM.
    tests(Sign::File("/usr/lib/llvm-22/lib/libLLVM.so"), &["llvm-22-dev"]),
    tests(Sign::Program("ld.lld-22"), &["lld-22"]),
    tests(Sign::Program("cc"), &["gcc", "libc6-dev"]),
    tests(Sign::Program("c++"), &["g++"]),
    tests(Sign::Program("ld"), &["binutils"]),
    // For what is compiled for AArch64.
    tests(
        Sign::Program("aarch64-linux-gnu-gcc"),
        &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
    ),
    tests(Sign::Program("qemu-aarch64"), &["qemu-user"]),
    tests(Sign::Program("aarch64-linux-gnu-g++"), &["g++-aarch64-linux-gnu"]),
    // For what is compiled for 32-bit x86, which our own machines execute.
    tests(
        Sign::Program("i686-linux-gnu-gcc"),
        &["gcc-i686-linux-gnu", "libc6-dev-i386-cross"],
    ),
    tests(Sign::Program("i686-linux-gnu-g++"), &["g++-i686-linux-gnu"]),
    tests(Sign::Program("z3"), &["z3"]),
    tests(Sign::Program("gdb"), &["gdb"]),
    // What keeps or distributes the work of `frazil-cc`.
    tests(Sign::Program("ccache"), &["ccache"]),
    tests(Sign::Program("sccache"), &["sccache"]),
    tests(Sign::File("/usr/bin/distccd"), &["distcc"]),
    tests(Sign::Program("icecc"), &["icecc"]),
    // What shares processors among the jobs of a build.
    tests(Sign::Program("make"), &["make"]),
    suites(Sign::Program("gdb-multiarch"), &["gdb-multiarch"]),
    suites(Sign::Program("mold"), &["mold"]),
    suites(Sign::Program("xz"), &["xz-utils"]),
    suites(Sign::Program("valgrind"), &["valgrind"]),
    suites(Sign::Program("perf"), &["linux-perf"]),
    suites(Sign::Program("lldb-22"), &["lldb-22"]),
    suites(
        Sign::File("/usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.asan-x86_64.a"),
        &["libclang-rt-22-dev"],
    ),
    suites(Sign::Program("csmith"), &["csmith", "libcsmith-dev"]),
    suites(Sign::Program("chromium"), &["chromium"]),
    suites(Sign::Program("cmake"), &["cmake"]),
    suites(Sign::Program("python3"), &["python3"]),
    suites(Sign::Program("dpkg-source"), &["dpkg-dev"]),
    suites(Sign::File("/usr/src/gcc-12"), &["gcc-12-source"]),
];

/// Installs what is missing for the workspace's tests, or for all suites. `Ok(false)` if something is missing still,
/// because this is no Debian; it is named then.
pub fn install(for_suites: bool) -> Result<bool> {
    let missing = missing(for_suites, &is_there);
    if missing.is_empty() {
        return Ok(true);
    }
    let names = missing.join(" ");
    if !is_there(&Sign::Program("apt-get")) {
        println!("not installed (by their names on Debian): {names}");
        return Ok(false);
    }
    println!("installing {names}");
    run_as_root(&["apt-get", "update", "-qq"])?;
    let options = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"];
    run_as_root(&[&options[..], &missing].concat())?;
    Ok(true)
}

fn missing(for_suites: bool, is_there: &dyn Fn(&Sign) -> bool) -> Vec<&'static str> {
    let needs = NEEDS.iter().filter(|need| need.by_tests || for_suites);
    let missing = needs.filter(|need| !is_there(&need.sign));
    missing.flat_map(|need| need.packages).copied().collect()
}

fn is_there(sign: &Sign) -> bool {
    match sign {
        Sign::Program(name) => workspace::is_on_path(name),
        Sign::File(path) => Path::new(path).exists(),
    }
}

fn run_as_root(words: &[&str]) -> Result<()> {
    let user = process::checked(Command::new("id").arg("-u"))?.stdout;
    let is_root = user.trim_ascii() == b"0";
    let mut command = Command::new(if is_root { "env" } else { "sudo" });
    if !is_root {
        command.arg("env");
    }
    let status = command.arg("DEBIAN_FRONTEND=noninteractive").args(words).status()?;
    ensure!(status.success(), "{}: {status}", words.join(" "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_installed_and_tests_need_less() {
        assert_eq!(missing(true, &|_| true), [""; 0]);
        let without = |name: &'static str| move |sign: &Sign| !matches!(sign, Sign::Program(other) if *other == name);
        assert_eq!(missing(true, &without("csmith")), ["csmith", "libcsmith-dev"]);
        assert_eq!(missing(false, &without("csmith")), [""; 0]);
        assert_eq!(missing(false, &without("cc")), ["gcc", "libc6-dev"]);
    }
}
