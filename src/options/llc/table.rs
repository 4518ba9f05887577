//! Options and values of llc that would change what the output means or which files there are, and what to use instead.
//!
//! Each is refused by name, unless it asks for what is done anyway. The defaults are those of LLVM 22's llc for ELF on
//! x86-64.

/// What may follow an option's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// `=` and a truth value, or nothing.
    Flag,
    /// A value, after `=` or as the next word.
    Value,
    /// `=` and anything, or nothing.
    Anything,
}

/// An option that is refused.
pub(super) struct Refused {
    pub name: &'static str,
    pub takes: Takes,
    /// The values that ask for what is done anyway; truth values are `0` and `1`.
    pub done: &'static [&'static str],
    /// What it does in llc.
    pub does: &'static str,
    /// What to use instead, as a sentence.
    pub instead: &'static str,
}

impl Refused {
    /// Whether an option is meant, by its name or, if the row's name ends in a dash, by how its name begins.
    pub fn is_named(&self, name: &str) -> bool {
        name == self.name || self.name.ends_with('-') && name.starts_with(self.name)
    }
}

const fn row(
    name: &'static str,
    takes: Takes,
    done: &'static [&'static str],
    does: &'static str,
    instead: &'static str,
) -> Refused {
    Refused {
        name,
        takes,
        done,
        does,
        instead,
    }
}

use Takes::{Anything, Flag, Value};

const OFF: &[&str] = &["0"];
const ON: &[&str] = &["1"];
const NOTHING: &[&str] = &[];

const OBJDUMP: &str = "write an object (-filetype=obj) and disassemble it: llvm-objdump -d -M intel";
const LISTING: &str = "write an object (-filetype=obj) and look at it: llvm-objdump -d --show-all-symbols";
const REPORT: &str =
    "use -time-passes and -stats, whose tables go to standard error, or -time-passes=json for programs";
const OF_LLVM: &str = "use llc for this, or opt on the bitcode before";
const FOLDER: &str = "use --dump-dir FOLDER, which writes each function after each pass";
const PASSES: &str = "use --stop-after and --start-before with passes of Frazil, which --list-passes lists";
const IN_TEXT: &str = "leave it out, or use llc";
const IN_MODULE: &str = "set it in the module, or use llc";
const HARDENED: &str = "leave it out if the code need not be hardened, or use llc";

/// Most ask for files or sections that are not made; the rest for code that means something else.
#[rustfmt::skip]
pub(super) const REFUSED: &[Refused] = &[
    // Files and texts that are not written.
    row("asm-show-inst", Flag, OFF, "writes LLVM's internal instructions into assembly text", LISTING),
    row("show-mc-encoding", Flag, OFF, "writes the bytes of each instruction into assembly text", LISTING),
    row("asm-print-latency", Flag, OFF, "writes latencies into assembly text", "use llvm-mca on the assembly text"),
    row("x86-asm-syntax", Value, &["att"], "chooses the syntax of assembly text", OBJDUMP),
    row("output-asm-variant", Value, &["0"], "chooses the syntax of assembly text", OBJDUMP),
    row("M", Value, NOTHING, "chooses how instructions are printed", OBJDUMP),
    row("I", Value, NOTHING, "names a folder for .include in inline assembly", "write what is included into the text"),
    row("as-secure-log-file", Value, NOTHING, "names a file for .secure_log in inline assembly", IN_TEXT),
    row("pass-remarks", Value, NOTHING, "prints remarks on what passes did", REPORT),
    row("pass-remarks-analysis", Value, NOTHING, "prints remarks on what passes found", REPORT),
    row("pass-remarks-missed", Value, NOTHING, "prints remarks on what passes did not do", REPORT),
    row("pass-remarks-output", Value, NOTHING, "writes remarks on what passes did to a file", REPORT),
    row("pass-remarks-filter", Value, NOTHING, "says which remarks are written", REPORT),
    row("pass-remarks-format", Value, NOTHING, "says how remarks are written", REPORT),
    row("pass-remarks-with-hotness", Flag, OFF, "adds frequencies to remarks", REPORT),
    row("pass-remarks-hotness-threshold", Value, NOTHING, "says which remarks are written", REPORT),
    row("remarks-section", Flag, OFF, "makes a section for remarks", REPORT),
    row("info-output-file", Value, NOTHING, "names the file for times and counts", REPORT),
    row("save-stats", Anything, NOTHING, "writes counts to a file", REPORT),
    row("stats-json", Flag, OFF, "prints counts as JSON", REPORT),
    row("time-passes-per-run", Flag, OFF, "prints times of each execution of a pass", REPORT),
    row("time-trace", Flag, OFF, "writes times for a browser to a file", REPORT),
    row("time-trace-file", Value, NOTHING, "names the file for times", REPORT),
    row("time-trace-granularity", Value, NOTHING, "says which times are written", REPORT),
    row("track-memory", Flag, OFF, "adds memory to the report of times", REPORT),
    row("ir-dump-directory", Value, NOTHING, "names a folder for what passes print", FOLDER),
    row("debug-pass", Value, &["Disabled"], "prints the passes that are run",
        "use --explain-recipe O2, or --list-passes"),
    row("debug-pass-manager", Anything, NOTHING, "prints the passes that are run", "use --explain-recipe O2"),
    row("print-pipeline-passes", Flag, OFF, "prints the passes that would be run", "use --explain-recipe O2"),
    row("print-module-scope", Flag, OFF, "prints whole modules around passes", "leave it out: functions are printed"),
    row("print-after-isel", Flag, OFF, "prints functions after selection", "use -print-after-all"),
    row("print-isel-input", Flag, OFF, "prints functions before selection", "use -print-after-all, or --emit ir"),
    row("print-regusage", Flag, OFF, "prints the registers that functions use", "use -asm-verbose"),
    row("simplify-mir", Flag, OFF, "writes less machine code as text", "use -print-after-all"),
    row("run-pass", Value, NOTHING, "runs passes over machine code as text", "use --passes PASS,... and --emit ir"),
    row("start-after", Value, NOTHING, "runs the passes after one of LLVM's", PASSES),
    row("stop-before", Value, NOTHING, "runs the passes before one of LLVM's", PASSES),
    row("load", Value, NOTHING, "loads passes of LLVM",
        "add passes to Frazil as a driver of your own: docs/options.md"),
    row("load-pass-plugin", Value, NOTHING, "loads passes of LLVM", "have opt run them on the bitcode before"),
    row("debug-counter", Anything, NOTHING, "has LLVM leave out some of its steps", "use --bisect-limit"),
    row("opt-bisect-limit", Value, &["-1"], "has LLVM leave out passes", "use --bisect-limit"),
    row("opt-bisect", Value, NOTHING, "has LLVM leave out passes", "use --bisect-limit"),
    row("reserve-regs-for-regalloc", Value, NOTHING, "keeps registers unused", "use --reg-exclude rbx,r12,..."),
    row("compile-twice", Flag, OFF, "compares the outputs of two runs", "run frazil-llc twice and compare"),
    row("allow-incomplete-ir", Flag, OFF, "takes text that lacks declarations", OF_LLVM),
    // Sections.
    row("unique-section-names", Flag, ON, "keeps -function-sections from naming sections apart", IN_TEXT),
    row("separate-named-sections", Flag, OFF, "gives each symbol with a section of its own name another one", IN_TEXT),
    row("basic-block-sections", Value, &["none"], "gives blocks sections of their own", "use -function-sections"),
    row("basic-block-address-map", Flag, OFF, "makes a section with the addresses of blocks", IN_TEXT),
    row("emit-bb-hash", Flag, OFF, "makes a section with the addresses of blocks", IN_TEXT),
    row("emit-jump-table-sizes-section", Flag, OFF, "makes a section with the sizes of jump tables", IN_TEXT),
    row("jumptable-in-function-section", Flag, OFF, "places jump tables beside their functions", IN_TEXT),
    row("call-graph-section", Flag, OFF, "makes a section with the calls of functions", IN_TEXT),
    row("stack-size-section", Flag, OFF, "makes a section with the sizes of frames", "use -stats, or llc"),
    row("addrsig", Flag, OFF, "makes a table of the symbols whose addresses matter",
        "link without --icf=safe, or use llc"),
    row("partition-static-data-sections", Flag, OFF, "places data by how often it is used", IN_TEXT),
    row("split-machine-functions", Flag, OFF, "places code by how often it is run", IN_TEXT),
    row("enable-split-machine-functions", Flag, OFF, "places code by how often it is run", IN_TEXT),
    row("emit-dwarf-unwind", Value, &["always", "default"], "says which functions can be unwound", IN_MODULE),
    row("use-ctors", Flag, OFF, "places constructors in .ctors", "have the linker script keep .init_array, or use llc"),
    row("nozero-initialized-in-bss", Flag, OFF, "places zeros in .data", "give the variable a section in the module"),
    row("codegen-data-generate", Flag, OFF, "makes sections with data for later compilations", IN_TEXT),
    row("mark-data-regions", Flag, OFF, "marks jump tables in code", IN_TEXT),
    row("save-temp-labels", Flag, OFF, "keeps labels in the symbol table",
        "use -filetype=asm and an assembler with -L"),
    row("align-all-functions", Value, &["0"], "aligns functions", "give the functions an alignment in the module"),
    // The form of objects.
    row("binutils-version", Value, NOTHING, "says which linker must understand the object", "leave it out"),
    row("crel", Flag, OFF, "writes relocations in a form that few linkers read", "leave it out"),
    row("x86-relax-relocations", Flag, ON, "has linkers keep loads of addresses", "link with --no-relax"),
    // What code means.
    row("emulated-tls", Flag, OFF, "has variables of threads be found by calls of __emutls_get_address",
        "leave it out if libraries agree on native thread-local storage, or use llc"),
    row("enable-tlsdesc", Flag, OFF, "finds variables of threads by descriptors", "leave it out: both forms link"),
    row("trap-func", Value, NOTHING, "has traps be calls of a function",
        "catch SIGILL, or replace llvm.trap by a call"),
    row("trap-unreachable", Flag, OFF, "traps where control cannot come", "have the front end call llvm.trap there"),
    row("tailcallopt", Flag, OFF, "changes the convention fastcc so that callees pop their arguments",
        "mark calls as musttail, or give functions the convention tailcc"),
    row("exception-model", Value, &["default", "dwarf"], "says how exceptions are thrown", IN_MODULE),
    row("swift-async-fp", Value, &["auto"], "marks frame pointers of Swift's asynchronous functions", IN_MODULE),
    row("denormal-fp-math", Value, &["ieee"], "says that denormal numbers are flushed", IN_MODULE),
    row("denormal-fp-math-f32", Value, &["ieee"], "says that denormal numbers are flushed", IN_MODULE),
    row("enable-sign-dependent-rounding-fp-math", Flag, OFF, "lets the rounding mode change",
        "have the front end use constrained operations (clang -frounding-math)"),
    row("enable-implicit-null-checks", Flag, OFF, "replaces comparisons by faults of loads", IN_TEXT),
    row("enable-jmc-instrument", Flag, OFF, "adds calls for debuggers", IN_TEXT),
    row("x86-sse2avx", Flag, OFF, "encodes SSE instructions of inline assembly as AVX", "assemble with as -msse2avx"),
    row("x86-enable-apx-for-relocation", Flag, OFF, "writes relocations for more registers", "leave it out"),
    // Hardening.
    row("x86-indirect-branch-tracking", Flag, OFF, "marks targets of branches",
        "set the module flag cf-protection-branch (clang -fcf-protection)"),
    row("x86-speculative-load-hardening", Flag, OFF, "hardens loads against speculation", HARDENED),
    row("x86-slh-", Anything, NOTHING, "hardens loads against speculation", HARDENED),
    row("x86-seses-", Anything, NOTHING, "hardens loads against speculation", HARDENED),
    row("x86-lvi-", Anything, NOTHING, "hardens loads against injected values", HARDENED),
    row("x86-experimental-lvi-inline-asm-hardening", Flag, OFF, "hardens inline assembly", HARDENED),
    row("x86-align-branch", Value, NOTHING, "keeps branches from the ends of cache lines", HARDENED),
    row("x86-align-branch-boundary", Value, &["0"], "keeps branches from the ends of cache lines", HARDENED),
    row("x86-branches-within-32B-boundaries", Flag, OFF, "keeps branches from the ends of cache lines", HARDENED),
];

/// What becomes of a value of llc.
pub(super) enum Answer {
    /// Frazil's value for the same.
    Same(&'static str),
    /// What it does in llc, and what to use instead.
    Refused(&'static str, &'static str),
}

use Answer::{Refused as No, Same};

/// Values of options that Frazil has, too: the option, llc's value, and the answer.
pub(super) const VALUES: &[(&str, &str, Answer)] = &[
    // As LLVM for 64 bits (`getEffectiveRelocModel`).
    ("relocation-model", "dynamic-no-pic", Same("pic")),
    (
        "relocation-model",
        "ropi",
        No("is for machines without virtual memory", "use static or pic"),
    ),
    (
        "relocation-model",
        "rwpi",
        No("is for machines without virtual memory", "use static or pic"),
    ),
    (
        "relocation-model",
        "ropi-rwpi",
        No("is for machines without virtual memory", "use static or pic"),
    ),
    ("frame-pointer", "non-leaf-no-reserve", Same("non-leaf")),
    (
        "frame-pointer",
        "reserved",
        No(
            "keeps the frame pointer for other code",
            "use all, which keeps and sets it",
        ),
    ),
    (
        "march",
        "x86",
        No("is code of 32 bits", "use x86-64, or llc for 32 bits"),
    ),
    ("O", "4", No("is no level of llc, which has 0 to 3", "use -O3")),
];
