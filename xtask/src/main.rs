//! Project automation, run as `cargo xtask <command>`.
//!
//! Everything here works on the finished programs from outside (`frazil`, `llc-22`, `clang-22`, `cc`), so that the
//! tests and the figures are those of a user. Nothing of it is linked into `frazil`.

// The commands of this program report on standard output.
#![allow(clippy::print_stdout)]

mod allocation_faults;
mod assembly;
mod bench;
mod bisect;
mod compare_page;
mod compiler;
mod corpus;
mod crosstest;
mod debug_programs;
mod debug_sections;
mod debugger;
mod dist;
mod large;
mod llvm_tests;
mod long_test;
mod machine;
mod machine_passes;
mod new_pass;
mod packages;
mod parallel;
mod process;
mod profiles;
mod projects;
mod random_functions;
mod refinement;
mod regalloc_yardstick;
mod robustness;
mod rust_crates;
mod rust_graph;
mod share;
mod survey;
mod symbolizers;
mod test;
mod tidy;
mod torture;
mod validator;
mod workspace;

use std::process::ExitCode;

use pico_args::Arguments;

const USAGE: &str = "\
cargo xtask <command>

  corpus [FILTER]                       fetch real C programs and make their bitcode in <target>/corpus
  crosstest [--minutes N] [FILTER]      compare each program's behavior under frazil with that under llc-22 -O0
  crosstest --bisect [...]              find the function and the pass that make a module fail
  bisect MODULE.bc [...] -- COMMAND     find the function and the pass that make a command fail, which is given the
                                        module's object for the argument {}
  crosstest --random N [...]            the same with programs that csmith makes
  crosstest --intrinsics [...] [FILTER] every intrinsic of the processor up to AVX2, with random operands
  crosstest --instrument [...] [FILTER] the same with hooks of the tools in examples/instrument in the programs
  crosstest --split N [...] [FILTER]    the same with the modules divided into N parts by frazil split
  crosstest --wide [...], corpus --wide the same with whole code bases in C and C++, a module for each file
  crosstest --integers N [...]          the same with random programs of integers up to 1024 bits
  crosstest --frames N [...]            the same with random functions that return early, hold much over calls and name
                                        many globals, called with garbage wherever a caller may leave some
  crosstest --loops N [...]             the same with random programs of loops over arrays, by clang -O2 and -O3
  crosstest --jumps N, --exceptions N [...]
                                        the same with random programs that jump by longjmp, or throw in C++
  bench [--repeat N] [FILTER]           CPU time, memory and code size of compiling, beside llc-22 -O0 and -O2
  bench --run-time [--against llc-O0|llc-O1|llc-O2] [...]
                                        user time of the compiled programs; --against as often as wanted
  bench --executed --target NAME [...]  instructions that programs for another machine execute, beside llc
  bench --level NAME [...]              the same of modules of another level than O0 and O2, such as O3-v3; also with
                                        --run-time
  bench --kernels [--processor NAME] [--repeat N] [FILTER]
                                        run time of small kernels, beside llc-22 -O2
  bench --overheads [--rivals] [--tool NAME] [--way NAME] [--repeat N] [FILTER]
                                        time and code size of programs with tools, by the ways of calling hooks, and
                                        beside what clang puts in for the same; --tool and --way as often as wanted;
                                        with --rivals, only the latter
  bench --clean-ups [--more PASS] [FILTER]
                                        what the passes gain that clean hooks of tools, and what other ones would
  bench --instrumenting [FILTER]        instructions executed to compile with tools, by how much longer the code is
  bench --scaling [--counted|--quick] [SHAPE]
                                        time and memory of compiling functions of up to a million instructions; with
                                        --counted, executed instructions in place of time; with --quick, of small ones
  bench --memory [FILTER]               peak memory against what the output and the largest function allow, for the
                                        corpus and for modules of 200,000 functions, 200 MB of code and 200 MB of data
  bench --passes [FILTER]               how often each pass fires, what it costs, and what it gains
  bench --pexe [--target x86_32] [...]  the same of executables of PNaCl that Frazil makes of the corpus, beside the
                                        same modules as bitcode, with megabytes in a second
  bench --start-up [--repeat N]         CPU time of --version, an empty module and hello, world
  bench --performance [--measure]       make the page on performance, docs/performance.md, from committed data; with
                                        --measure, of data that are measured now
  bench --figure [--measure]            draw the README's figure, compile time against run time, from committed data; with
                                        --measure, make the data anew
  bench --instructions [--bless]        instructions executed by frazil and by what it compiles, against the
                                        committed counts
  bench --sizes [--quick]               bytes of the small command and of what each cargo feature adds to it, against its
                                        limit; its objects beside those of the whole command
  bench --history                       how those counts have changed from commit to commit, with a plot
  allocation-faults [--functions N] [--minutes N]
                                        faults in register allocations must be rejected by the checker
  assembly [--minutes N] [FILTER]       assembly text assembles to the object, on the corpus and committed modules
  debug-sections [--torture|--wide|--rust] [--minutes N] [FILTER]
                                        the corpus, GCC's tests, code bases or crates with debug information: it is
                                        valid, and the rest is the same without
  debugger [--lldb] [--random N] [--seed N] [FILTER]
                                        sessions of gdb stop at the same lines, or points of lines in optimised code, and
                                        print the same values as with llc -O0;
                                        with --random, of as many programs of csmith, too; with --lldb, of lldb
  symbolizers [FILTER]                  addr2line, valgrind, perf, AddressSanitizer and Rust's backtraces name the same
                                        functions and lines as with llc
  dist [--processor NAME] [FILTER]      build the commands for release by profiles of what they execute for the corpus,
                                        for all processors or those that have what this one has
  dist --small                          build the small command as it is handed out, which needs no library
  large [--megabytes N]                 200 MB of code in functions of 4 MB are linked, and run
  linkers [--minutes N] [FILTER]        llvm-readelf reads objects of the corpus, and GNU ld, ld.lld and mold link them to
                                        static and position-independent executables and shared libraries, which run
  llvm-tests [--minutes N] [FILTER]     the tests of LLVM's own code generator compile, or are refused by name
  machine-passes [--minutes N] [FILTER] the validator proves what machine passes do to the corpus
  modules                               write docs/modules.md, the order of all modules
  new-pass [--machine] NAME             make the files of a pass over functions, or over machine code
  packages                              install the Debian packages that are missing for any of these commands
  random-functions [--series N] [--minutes N]
                                        random functions give the same results everywhere
  refinement [--windows N] [--faults N] [--unproved] [--minutes N] [FILTER]
                                        a solver proves what passes do to file tests and windows of the corpus
  regalloc-yardstick [FILTER]           what our register allocator adds to functions, beside regalloc2
  robustness [--cases N] [--records N] [--debug N] [--pexes N] [--processes N] [--minutes N] [FILTER]
                                        damaged input must end in success or in a clear error
  compare-page [--screenshot FILE]      look at the page of `frazil compare` for SQLite in a headless browser
  profiles [--minutes N] [FILTER]       blocks are counted as often as the counters say that clang and rustc put into
                                        the corpus for profiles
  projects [--level NAME] [--minutes N] [FILTER]
                                        build projects from Debian's sources and crates at -O0, -O2, -O3 and -O3
                                        -march=native, and run their tests; goes on where an earlier run was ended
  rust-crates [--target NAME] [FILTER]  crates with build scripts and procedural macros pass their tests by the README's
                                        recipe
  rust [dev|release]                    a Rust program whose every crate Frazil compiles passes its tests
  survey [FILTER]                       read C, C++ and Rust code of many kinds
  torture [--instrument] [--minutes N] [FILTER]
                                        GCC's C torture execution tests, under the recipes Om1 and O2, or with hooks
  test                                  install the Debian packages that are missing, and run all tests of the workspace
  tidy                                  check the source against the rules that no compiler checks

FILTER selects the modules whose name (such as `lua-O0`) contains it. With `--minutes N`, a share of the suite is made that
`--seed N` chooses, as large as there is time for. Options of every command that runs frazil:

  --frazil PATH      the command under test, instead of a release build of this workspace
  --target NAME      for `corpus`, `crosstest`, `torture`, `linkers`, `large`, `debug-sections`, `debugger` and the compile
                     time of `bench`: programs for another machine, such as aarch64, which run in an emulator
  --recipe NAME      the recipe (O2 for `bench`, Om1 and O2 for `--wide` and `--random`, else Om1); `crosstest` takes `all`, too
  --verify-each, --check-regalloc, --check-machine, --with OPTION
                     passed on to frazil; --with as often as wanted; `crosstest` and `torture` have --check-machine on
                     unless --no-check-machine is there
";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the command that the arguments name. `Ok(false)` means that it ran and reported failures.
fn run() -> anyhow::Result<bool> {
    let mut arguments = Arguments::from_env();
    if arguments.contains(["-h", "--help"]) {
        print!("{USAGE}");
        return Ok(true);
    }
    match arguments.subcommand()?.as_deref() {
        Some("allocation-faults") => allocation_faults::command(arguments),
        Some("assembly") => assembly::command(arguments),
        Some("bench") => bench::command(arguments),
        Some("bisect") => bisect::command(arguments),
        Some("compare-page") => compare_page::command(arguments),
        Some("corpus") if arguments.contains("--wide") => crosstest::wide::make(&corpus::filter(arguments)?),
        Some("corpus") => corpus::command(arguments),
        Some("crosstest") => crosstest::command(arguments),
        Some("dist") => dist::command(arguments),
        Some("debug-sections") => debug_sections::command(arguments),
        Some("debugger") => debugger::command(arguments),
        Some("symbolizers") => symbolizers::command(arguments),
        Some("large") => large::command(arguments),
        Some("linkers") => crosstest::linkers::command(arguments),
        Some("llvm-tests") => llvm_tests::command(arguments),
        Some("machine-passes") => machine_passes::command(arguments),
        // Not for users: starts a program for `process::run_measured`.
        Some(process::LAUNCHER) => process::launch(&arguments.finish()).map(|()| true),
        Some("packages") => test::install(arguments),
        Some("profiles") => profiles::command(arguments),
        Some("projects") => projects::command(arguments),
        Some("modules") => tidy::write_modules(arguments),
        Some("new-pass") => new_pass::command(arguments),
        Some("random-functions") => random_functions::command(arguments),
        Some("refinement") => refinement::command(arguments),
        Some("regalloc-yardstick") => regalloc_yardstick::command(arguments),
        Some("robustness") => robustness::command(arguments),
        Some("rust-crates") => rust_crates::command(arguments),
        Some("rust") => rust_graph::command(arguments),
        Some("survey") => survey::command(arguments),
        Some("test") => test::command(arguments),
        Some("tidy") => tidy::command(arguments),
        Some("torture") => torture::command(arguments),
        Some(other) => anyhow::bail!("unknown command `{other}`\n\n{USAGE}"),
        None => anyhow::bail!("no command given\n\n{USAGE}"),
    }
}
