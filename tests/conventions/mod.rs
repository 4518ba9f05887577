//! Calling conventions against LLVM: functions with random signatures, callers compiled by one compiler and callees by
//! the other.
//!
//! Method: two modules of LLVM's text are generated, one with functions that write their arguments to memory and return
//! what they find in memory, one with their callers, which keep values in registers over the calls. Each module is
//! compiled by `llc-22` and under two recipes; pairs of objects are linked and run with a C program that compares what
//! arrived with what was sent. The same seed gives the same signatures.

mod generate;

use crate::{RECIPES, frazil, in_repository};
use frazil_test_support::machines::{self, Machine};
use frazil_test_support::{Folder, Random, run};
use generate::Case;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Functions for each convention.
const FUNCTIONS: usize = 24;

/// A compiler of a module: the name in file names, and its command line up to the input.
const COMPILERS: [(&str, &[&str]); 4] = [
    ("om1", &[env!("CARGO_BIN_EXE_frazil"), "--recipe", "Om1"]),
    ("o2", &[env!("CARGO_BIN_EXE_frazil"), "--recipe", "O2"]),
    ("llc0", &["llc-22", "-O0", "-filetype=obj", "-relocation-model=pic"]),
    ("llc2", &["llc-22", "-O2", "-filetype=obj", "-relocation-model=pic"]),
];

/// The features of every processor.
const BASELINE: &str = "+sse2";

/// Who compiles callees and callers.
const PAIRS: [(usize, usize); 8] = [(0, 2), (2, 0), (1, 2), (2, 1), (0, 3), (3, 1), (0, 1), (1, 0)];

#[test]
fn arguments_and_results_arrive() {
    for (number, row) in generate::CONVENTIONS.iter().enumerate() {
        let mut random = Random::new(0x00c0_ffee + number as u64);
        let cases: Vec<Case> = (0..FUNCTIONS).map(|_| Case::random(&mut random, row)).collect();
        check(&machines::HOST, row.word, &cases, BASELINE);
    }
}

#[test]
fn arguments_and_results_arrive_on_aarch64() {
    for (number, row) in generate::AARCH64_CONVENTIONS.iter().enumerate() {
        let mut random = Random::new(0x0aa6_4cc0 + number as u64);
        let cases: Vec<Case> = (0..FUNCTIONS).map(|_| Case::random(&mut random, row)).collect();
        check(&machines::AARCH64, row.word, &cases, "+neon");
    }
}

#[test]
fn arguments_and_results_arrive_in_32_bit_code() {
    for (number, row) in generate::X86_32_CONVENTIONS.iter().enumerate() {
        let mut random = Random::new(0x0386_0386 + number as u64);
        let cases: Vec<Case> = (0..FUNCTIONS).map(|_| Case::random(&mut random, row)).collect();
        check(&machines::X86_32, row.word, &cases, BASELINE);
    }
}

/// What C has attributes for on i386: callees by gcc and callers by Frazil, the other way round, and both by Frazil.
#[test]
fn attributes_of_c_mean_the_same_to_gcc() {
    let machine = &machines::X86_32;
    let folder = Folder::new("attributes");
    let source = in_repository("tests/conventions/attributes.c");
    let object = |half: &str, compiler: &str| folder.path(&format!("{half}.{compiler}.o"));
    for half in ["CALLEES", "CALLERS"] {
        let define = format!("-D{half}");
        let mut gcc = Command::new(machine.compiler);
        run(gcc
            .args(["-c", "-O1", "-msse2", "-fPIC", "-w", &define])
            .arg(&source)
            .arg("-o")
            .arg(object(half, "gcc")));
        for level in ["-O0", "-O2"] {
            let bitcode = folder.path(&format!("{half}{level}.bc"));
            let target = format!("--target={}", machine.triple);
            let mut clang = Command::new("clang-22");
            run(clang
                .args(["-c", "-emit-llvm", "-msse2", "-fPIC", "-w", level, &define, &target])
                .arg(&source)
                .arg("-o")
                .arg(&bitcode));
            for recipe in RECIPES {
                let mut command = frazil();
                let object = object(half, &format!("{recipe}{level}"));
                run(command.args(["--recipe", recipe]).arg(&bitcode).arg("-o").arg(object));
            }
        }
    }
    let printed = |callees: &str, callers: &str| {
        let program = folder.path("program");
        run(Command::new(machine.compiler)
            .args([object("CALLEES", callees), object("CALLERS", callers)])
            .arg("-o")
            .arg(&program));
        let output = machine.run(&program).output().expect("the program starts");
        assert!(output.status.success(), "callees by {callees}, callers by {callers}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let expected = printed("gcc", "gcc");
    assert!(expected.lines().count() > 16, "{expected}");
    for recipe in RECIPES {
        for level in ["-O0", "-O2"] {
            let ours = format!("{recipe}{level}");
            for (callees, callers) in [("gcc", &*ours), (&ours, "gcc"), (&ours, &ours)] {
                let found = printed(callees, callers);
                assert_eq!(found, expected, "callees by {callees}, callers by {callers}");
            }
        }
    }
}

#[test]
fn vectors_arrive() {
    for (number, row) in generate::VECTOR_CONVENTIONS.iter().enumerate() {
        let mut random = Random::new(0x00ec_7041 + number as u64);
        let cases: Vec<Case> = (0..FUNCTIONS).map(|_| Case::random(&mut random, row)).collect();
        check(&machines::HOST, row.word, &cases, BASELINE);
    }
}

#[test]
fn vectors_arrive_in_wide_registers() {
    let rows = generate::VECTOR_CONVENTIONS.iter().chain(generate::FLOAT_CONVENTIONS);
    for (number, row) in rows.enumerate() {
        let mut random = Random::new(0x0a5c_2560 + number as u64);
        let cases: Vec<Case> = (0..FUNCTIONS).map(|_| Case::random(&mut random, row)).collect();
        for features in ["+avx", "+avx2,+f16c"] {
            check(&machines::HOST, row.word, &cases, features);
        }
        if std::arch::is_x86_feature_detected!("avx512bw") {
            check(&machines::HOST, row.word, &cases, "+avx512f");
            check(&machines::HOST, row.word, &cases, "+avx512f,+avx512bw,+avx512vl");
        }
    }
}

#[test]
fn other_floats_arrive() {
    for (number, row) in generate::FLOAT_CONVENTIONS.iter().enumerate() {
        let mut random = Random::new(0x00f1_0a75 + number as u64);
        let cases: Vec<Case> = (0..FUNCTIONS).map(|_| Case::random(&mut random, row)).collect();
        check(&machines::HOST, row.word, &cases, BASELINE);
    }
}

/// LLVM passes wide vectors in memory to functions with variable arguments, those among the fixed ones, too.
#[test]
fn wide_vectors_arrive_in_variadic_functions() {
    let callee = "define double @callee(i32 %n, <4 x double> %a, double %b, ...) {
        %first = extractelement <4 x double> %a, i32 0
        %last = extractelement <4 x double> %a, i32 3
        %sum = fadd double %first, %last
        %all = fadd double %sum, %b
        ret double %all
    }";
    let caller = "declare double @callee(i32, <4 x double>, double, ...)
    define i32 @main() {
        %p = alloca <4 x double>
        store volatile <4 x double> <double 1.0, double 2.0, double 3.0, double 4.0>, ptr %p
        %a = load volatile <4 x double>, ptr %p
        %d = call double (i32, <4 x double>, double, ...) @callee(i32 1, <4 x double> %a, double 5.0, <4 x double> %a)
        %i = fptosi double %d to i32
        ret i32 %i
    }";
    let folder = Folder::new("wide-variadic");
    for (module, text) in [("callee", callee), ("caller", caller)] {
        let text = folder.write(&format!("{module}.ll"), text);
        run(Command::new("llvm-as-22").arg(text));
        for (name, words) in COMPILERS {
            let mut command = Command::new(words[0]);
            command
                .args(&words[1..])
                .arg("--mattr=+avx")
                .arg(folder.path(&format!("{module}.bc")));
            run(command.arg("-o").arg(object(&folder, module, name)));
        }
    }
    for (callee, caller) in PAIRS {
        let program = folder.path("program");
        let (callee, caller) = (COMPILERS[callee].0, COMPILERS[caller].0);
        let objects = [object(&folder, "callee", callee), object(&folder, "caller", caller)];
        run(Command::new("cc").args(objects).arg("-o").arg(&program));
        let status = Command::new(&program).status().expect("the program starts");
        assert_eq!(status.code(), Some(10), "callee by {callee}, caller by {caller}");
    }
}

/// A vector that has been put together once may be copied, all of it.
#[test]
fn a_wide_vector_that_is_passed_twice_arrives_twice() {
    let text = "define i32 @last(<8 x i32> %a, <8 x i32> %b, <8 x i32> %c, <8 x i32> %d) noinline {
        %w = extractelement <8 x i32> %a, i32 7
        %x = extractelement <8 x i32> %b, i32 7
        %y = extractelement <8 x i32> %c, i32 7
        %z = extractelement <8 x i32> %d, i32 7
        %wx = sub i32 %w, %x
        %yz = sub i32 %y, %z
        %all = sub i32 %wx, %yz
        ret i32 %all
    }
    define i32 @main() {
        %p = alloca <8 x i32>
        store volatile <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8>, ptr %p
        %a = load volatile <8 x i32>, ptr %p
        store volatile <8 x i32> <i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 9, i32 50>, ptr %p
        %b = load volatile <8 x i32>, ptr %p
        %r = call i32 @last(<8 x i32> %b, <8 x i32> %a, <8 x i32> %a, <8 x i32> %b)
        ret i32 %r
    }";
    let folder = Folder::new("twice");
    let (module, bitcode) = (folder.write("twice.ll", text), folder.path("twice.bc"));
    run(Command::new("llvm-as-22").arg(module).arg("-o").arg(&bitcode));
    let (object, program) = (folder.path("twice.o"), folder.path("twice"));
    for recipe in RECIPES {
        let mut command = frazil();
        run(command
            .args(["--recipe", recipe, "--mattr=+avx"])
            .arg(&bitcode)
            .arg("-o")
            .arg(&object));
        run(Command::new("cc").arg(&object).arg("-o").arg(&program));
        let status = Command::new(&program).status().expect("the program starts");
        assert_eq!(status.code(), Some(84), "{recipe}");
    }
}

/// Calls before returns become jumps where the callee finds its arguments as it wants them, and gives its results where
/// the caller's caller looks for them.
#[test]
fn calls_are_jumps_only_where_places_fit() {
    let wide = ["<4 x double> %v"; 9].join(", ");
    let many: Vec<String> = (0..14).map(|number| format!("i64 %a{number}")).collect();
    let text = format!(
        "declare void @wide({})
        declare fastcc double @fast(double)
        declare fastcc {{ double, double, double }} @three(double)
        define void @not_aligned({}, <4 x double> %v) {{
            tail call void @wide({wide})
            ret void
        }}
        define double @alike(double %x) {{
            %y = tail call fastcc double @fast(double %x)
            ret double %y
        }}
        define {{ double, double, double }} @elsewhere(double %x) {{
            %y = tail call fastcc {{ double, double, double }} @three(double %x)
            ret {{ double, double, double }} %y
        }}",
        ["<4 x double>"; 9].join(", "),
        many.join(", ")
    );
    let folder = Folder::new("jumps");
    let (module, bitcode) = (folder.write("jumps.ll", text), folder.path("jumps.bc"));
    run(Command::new("llvm-as-22").arg(module).arg("-o").arg(&bitcode));
    let mut compile = frazil();
    let output = compile
        .args(["--recipe", "O2", "--mattr=+avx", "--emit", "asm", "-o", "-"])
        .arg(bitcode)
        .output();
    let text = String::from_utf8(output.expect("frazil starts").stdout).expect("text");
    let jumps: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("jmp"))
        .map(str::trim)
        .collect();
    assert_eq!(jumps, ["{disp32} jmp\tfast@PLT"], "{text}");
}

/// What `tail.ll` prints, as compiled by LLVM 22 with ordinary calls where it knows no others.
const TAIL_OUTPUT: &str =
    "4 5 2.5\nname 7 1.500000 2.500000 5 642 21 0.5\n300052 44011 28 10 15 42 name\n246 54 0 0 0 0 name\n";

#[test]
fn calls_take_the_place_of_their_caller() {
    check_program(&machines::HOST, "tail", TAIL_OUTPUT);
}

/// What `tail_32.ll` prints, as compiled by LLVM 22.
const TAIL_32_OUTPUT: &str = "name 7 1.500000 2.500000 5400146 -18 75 96 83 44011 -3 14\n";

#[test]
fn calls_take_the_place_of_their_caller_in_32_bit_code() {
    check_program(&machines::X86_32, "tail_32", TAIL_32_OUTPUT);
}

/// The procedure linkage table of a position-independent 32-bit program asks for the place of the global offset table
/// in a register, which calls do not give it, whatever they were compiled for.
#[test]
fn calls_in_32_bit_code_need_no_register_for_the_linkage_table() {
    let machine = &machines::X86_32;
    let folder = Folder::new("linkage");
    let text = fs::read_to_string(in_repository("tests/conventions/linkage_32.ll")).expect("the file is there");
    for model in ["static", "pic"] {
        // Linkers refuse other calls of what a resolver chooses.
        let text = match model {
            "static" => text.replace("call i32 @chosen", "call i32 @twice"),
            _ => text.clone(),
        };
        let (source, bitcode) = (folder.write("program.ll", text), folder.path("program.bc"));
        run(Command::new("llvm-as-22").arg(source).arg("-o").arg(&bitcode));
        for recipe in RECIPES {
            let (object, program) = (folder.path("program.o"), folder.path("program"));
            let mut command = frazil();
            command.args(["--recipe", recipe, &format!("--relocation-model={model}")]);
            run(command.arg(&bitcode).arg("-o").arg(&object));
            let mut link = Command::new(machine.compiler);
            run(link
                .args(["-pie", "-Wl,-z,lazy,-z,notext"])
                .arg(&object)
                .arg("-o")
                .arg(&program));
            let output = machine.run(&program).output().expect("the program starts");
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{recipe}, {model}: {}", output.status);
            assert_eq!(printed, "20 22 42\n44\n", "{recipe}, {model}");
            let output = machine
                .run(&program)
                .arg("overflow")
                .output()
                .expect("the program starts");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(
                told.contains("stack smashing detected"),
                "{recipe}, {model}: {}",
                output.status
            );
        }
    }
}

#[test]
fn functions_of_assembly_alone_have_no_frame() {
    check_program(&machines::HOST, "naked", "");
}

/// Compiles a program under every recipe and compares what it prints.
fn check_program(machine: &Machine, name: &str, expected: &str) {
    let folder = Folder::new(name);
    let bitcode = folder.path("program.bc");
    let text = in_repository(format!("tests/conventions/{name}.ll"));
    run(Command::new("llvm-as-22").arg(text).arg("-o").arg(&bitcode));
    for recipe in RECIPES {
        let (object, program) = (folder.path("program.o"), folder.path("program"));
        let mut command = frazil();
        command.args(["--recipe", recipe, "--relocation-model=pic"]);
        run(command.arg(&bitcode).arg("-o").arg(&object));
        run(Command::new(machine.compiler).arg(&object).arg("-o").arg(&program));
        let output = machine.run(&program).output().expect("the program starts");
        assert!(output.status.success(), "{recipe}: {}", output.status);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{recipe}");
    }
}

fn check(machine: &Machine, convention: &str, cases: &[Case], features: &str) {
    let folder = Folder::new(&format!("{convention}-{}", machine.target));
    folder.write("callee.ll", generate::callees(machine, convention, cases));
    folder.write("caller.ll", generate::callers(machine, convention, cases));
    folder.write("main.c", generate::main(cases));
    for module in ["callee", "caller"] {
        run(Command::new("llvm-as-22").arg(folder.path(&format!("{module}.ll"))));
        for (name, words) in COMPILERS {
            let object = object(&folder, module, name);
            let mut command = Command::new(words[0]);
            run(command
                .args(&words[1..])
                .arg(format!("--mattr={features}"))
                .arg(folder.path(&format!("{module}.bc")))
                .arg("-o")
                .arg(object));
        }
    }
    for (callee, caller) in PAIRS {
        let program = folder.path("program");
        let (callee, caller) = (COMPILERS[callee].0, COMPILERS[caller].0);
        let objects = [object(&folder, "callee", callee), object(&folder, "caller", caller)];
        run(Command::new(machine.compiler)
            .arg("-g0")
            .arg(folder.path("main.c"))
            .args(objects)
            .arg("-o")
            .arg(&program));
        let output = machine.run(&program).output().expect("the program starts");
        let mut message = format!(
            "{convention} on {} with {features}: callees by {callee}, callers by {caller}: {}\n",
            machine.target, output.status
        );
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let number: usize = line.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
            let _ = writeln!(message, "{line}: {}", cases[number].declaration(convention, number));
        }
        assert!(output.status.success() && output.stdout.is_empty(), "{message}");
    }
}

fn object(folder: &Folder, module: &str, compiler: &str) -> PathBuf {
    folder.path(&format!("{module}.{compiler}.o"))
}
