//! The machines that programs of tests are made for: what links their programs, and what runs them.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// A machine, with the tools for its programs.
#[derive(Debug)]
pub struct Machine {
    /// What Frazil calls the target.
    pub target: &'static str,
    /// The triple, for clang and in modules.
    pub triple: &'static str,
    /// What rustc calls it.
    pub rust_target: &'static str,
    /// The C compiler, which also links.
    pub compiler: &'static str,
    /// What the names of its binary utilities begin with.
    pub utilities: &'static str,
    /// A debugger for its programs.
    pub debugger: &'static str,
    /// The emulator and its options; nothing if programs run on the machine that the tests run on. Another one follows
    /// for machines whose system does not execute it.
    emulators: &'static [&'static [&'static str]],
    /// Names of processors for compilers, from the least on, each of which can do more than the one before.
    pub processors: &'static [&'static str],
    /// A feature that the least processor does not have, for vectors.
    pub vector_feature: &'static str,
    /// Whether the least processor fuses products and sums, which then are rounded once.
    pub is_fusing: bool,
    /// Bits of the widest integers that llc converts to floats and from them.
    pub widest_converted_bits: u32,
    /// How data lies in memory, in LLVM's words.
    pub data_layout: &'static str,
}

impl Machine {
    /// The emulator and its options; nothing if programs run on the machine that the tests run on.
    pub fn emulator(&self) -> &'static [&'static str] {
        static IS_FIRST: OnceLock<bool> = OnceLock::new();
        match *self.emulators {
            [] => &[],
            [only] => only,
            [first, second, ..] => {
                let starts = || Command::new(first[0]).arg("--version").output();
                match IS_FIRST.get_or_init(|| starts().is_ok_and(|output| output.status.success())) {
                    true => first,
                    false => second,
                }
            }
        }
    }

    /// The emulator and its options where one is needed to see what programs do; nothing if there is none.
    pub fn true_emulator(&self) -> &'static [&'static str] {
        self.emulators.last().copied().unwrap_or_default()
    }

    /// The command that runs a program of this machine.
    pub fn run(&self, program: &Path) -> Command {
        match self.emulator() {
            [] => Command::new(program),
            [emulator, options @ ..] => {
                let mut command = Command::new(emulator);
                command.args(options).arg(program);
                command
            }
        }
    }

    /// The lines of a module in LLVM's text that say for what machine it is.
    pub fn module_head(&self) -> String {
        format!(
            "target datalayout = \"{}\"\ntarget triple = \"{}\"\n",
            self.data_layout, self.triple
        )
    }
}

/// Whether the processor that the tests run on has a feature, by the name that LLVM has for it and the system, too, but
/// for underscores.
pub fn host_has(feature: &str) -> bool {
    static OWN: OnceLock<String> = OnceLock::new();
    let read = || {
        std::fs::read_to_string("/proc/cpuinfo")
            .unwrap_or_default()
            .replace('_', "")
    };
    OWN.get_or_init(read)
        .split_ascii_whitespace()
        .any(|word| word == feature)
}

/// The machine that the tests run on.
pub const HOST: Machine = Machine {
    target: "x86_64",
    triple: "x86_64-pc-linux-gnu",
    rust_target: "x86_64-unknown-linux-gnu",
    compiler: "cc",
    utilities: "",
    debugger: "gdb",
    emulators: &[],
    processors: &["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"],
    vector_feature: "+avx2",
    is_fusing: false,
    widest_converted_bits: 1024,
    data_layout: "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
};

/// An AArch64 in an emulator, which finds the libraries of Debian's cross compiler. The processors are of ARMv8.0, 8.2
/// and 8.4, the last one that has no scalable vectors.
pub const AARCH64: Machine = Machine {
    target: "aarch64",
    triple: "aarch64-linux-gnu",
    rust_target: "aarch64-unknown-linux-gnu",
    compiler: "aarch64-linux-gnu-gcc",
    utilities: "aarch64-linux-gnu-",
    debugger: "gdb-multiarch",
    emulators: &[&["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]],
    processors: &["generic", "cortex-a76", "apple-m1"],
    vector_feature: "+fullfp16",
    is_fusing: true,
    widest_converted_bits: 128,
    data_layout: "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
};

/// 32-bit code on the machine that the tests run on, whose system executes it, too. What is started is the loader of
/// Debian's cross compiler, which finds its libraries.
pub const X86_32: Machine = Machine {
    target: "x86_32",
    triple: "i686-unknown-linux-gnu",
    rust_target: "i686-unknown-linux-gnu",
    compiler: "i686-linux-gnu-gcc",
    utilities: "i686-linux-gnu-",
    debugger: "gdb",
    emulators: &[
        &[
            "/usr/i686-linux-gnu/lib/ld-linux.so.2",
            "--library-path",
            "/usr/i686-linux-gnu/lib",
        ],
        &["qemu-i386", "-L", "/usr/i686-linux-gnu"],
    ],
    processors: &["pentium4", "x86-64-v2", "x86-64-v3"],
    vector_feature: "+avx2",
    is_fusing: false,
    widest_converted_bits: 64,
    data_layout: "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128",
};

/// Those that tests can be told by name.
pub const ALL: [&Machine; 3] = [&HOST, &AARCH64, &X86_32];
