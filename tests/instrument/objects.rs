//! Hooks in objects that other compilers have made: programs do the same with them, count exactly, and have values in
//! the registers that a hook does not overwrite.

use super::clang;
use crate::{checking_frazil, frazil};
use frazil_test_support::machines::{AARCH64, HOST, Machine};
use frazil_test_support::{Folder, run};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Much is alive wherever it loads from memory: integers, floats and vectors.
const PROGRAM: &str = "\
int printf(const char *, ...);
typedef int four __attribute__((vector_size(16)));

__attribute__((noinline)) static long work(const int *a, const int *b, long n, long k, double d, float f) {
    long sum = 0, mixed = k, product = 1, last = n;
    double total = d, half = d / 2;
    float small = f;
    four lanes = {1, 2, 3, 4};
    for (long i = 0; i < n; i++) {
        int x = a[i];
        sum += x * k + last;
        mixed ^= sum << 3;
        int y = b[i];
        product = product * 31 + (y ^ mixed);
        total += half * x;
        small = small * f + y;
        lanes = lanes * 3 + (four){x, y, x, y};
        if (product & 4)
            last += product >> 7;
        half -= total / 1000;
    }
    return sum ^ mixed ^ product ^ last ^ (long)total ^ (long)(half * 1000) ^ (long)(small / 1e30f) ^ lanes[0] ^ lanes[1] ^ lanes[2]
        ^ lanes[3];
}

int main(void) {
    int a[50], b[50];
    unsigned seed = 1;
    for (int i = 0; i < 50; i++) {
        seed = seed * 1103515245 + 12345;
        a[i] = seed >> 16 & 1023;
        b[i] = seed >> 8 & 255;
    }
    printf(\"%ld\\n\", work(a, b, 50, 7, 1.5, 1.25f));
    return 0;
}
";

/// Counts blocks and loads, the latter through a function that is called.
const COUNTING: &str = "\
int printf(const char *, ...);
unsigned long blocks, loads, bytes;
static __attribute__((noinline)) void add(unsigned long *where, unsigned long n) { *where += n; }
void on_block(void) { blocks++; }
void on_load(const void *address, unsigned long size) {
    if (address) {
        loads++;
        add(&bytes, size);
    }
}
void on_call(unsigned char one) { if (one != 1) printf(\"wrong\\n\"); }
__attribute__((destructor)) static void report(void) { printf(\"%lu %lu %lu\\n\", blocks, loads, bytes); }
";

const COUNTING_TOOL: &str = "\
hooks = \"counting.o\"

[prototypes]
on_block = []
on_load = [\"ptr\", \"i64\"]
on_call = [\"i8\"]

[[insert]]
at = \"block\"
functions = \"^work$\"
call = \"on_block\"

[[insert]]
at = \"load\"
functions = \"^work$\"
call = \"on_load\"
args = [\"address\", \"size\"]

[[insert]]
at = \"call\"
call = \"on_call\"
args = [1]
";

/// The program as bitcode, and what it prints.
fn program(folder: &Folder, machine: &Machine) -> (PathBuf, String) {
    let source = folder.write("program.c", PROGRAM);
    let bitcode = folder.path("program.bc");
    let target = format!("--target={}", machine.triple);
    let options = [
        "-O1",
        "-fno-vectorize",
        "-fno-unroll-loops",
        "-fPIE",
        "-c",
        "-emit-llvm",
    ];
    clang(&[&[target.as_str()], &options[..]].concat(), &source, &bitcode);
    let (object, plain) = (folder.path("plain.o"), folder.path("plain"));
    run(checking_frazil("O2").arg(&bitcode).arg("-o").arg(&object));
    run(Command::new(machine.compiler).arg(object).arg("-o").arg(&plain));
    let output = machine.run(&plain).output().expect("the program runs");
    assert!(output.status.success());
    (bitcode, String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Compiles the program with a tool and links it with an object of hooks.
fn output(
    (folder, machine): (&Folder, &Machine),
    recipe: &str,
    bitcode: &Path,
    (tool, hooks): (&Path, &Path),
) -> Output {
    let (object, program) = (folder.path("program.o"), folder.path("program"));
    let mut compile = checking_frazil(recipe);
    compile.arg("--check-machine").arg("--instrument").arg(tool);
    run(compile.arg(bitcode).arg("-o").arg(&object));
    run(Command::new(machine.compiler)
        .args([&object, hooks])
        .arg("-o")
        .arg(&program));
    machine.run(&program).output().expect("the program runs")
}

fn check_counting(machine: &Machine) {
    let folder = Folder::new(&format!("instrument-objects-{}", machine.target));
    let (bitcode, expected) = program(&folder, machine);
    let source = folder.write("counting.c", COUNTING);
    let tool = folder.write("counting.toml", COUNTING_TOOL);
    let hooks = folder.path("counting.o");
    let target = format!("--target={}", machine.triple);
    for compiler in [&[machine.compiler][..], &["clang-22", &target]] {
        let mut compile = Command::new(compiler[0]);
        compile.args(&compiler[1..]).args(["-O2", "-fPIE", "-c"]).arg(&source);
        run(compile.arg("-o").arg(&hooks));
        let mut counts = Vec::new();
        for recipe in ["Om1", "O2"] {
            let linked = folder.path("linked.o");
            let mut copy = frazil();
            copy.args(["--emit", "hooks", "--instrument"]).arg(&tool);
            run(copy.arg("-o").arg(&linked));
            let found = output((&folder, machine), recipe, &bitcode, (&tool, &linked));
            let text = String::from_utf8_lossy(&found.stdout).into_owned();
            let rest = text
                .strip_prefix(&expected)
                .unwrap_or_else(|| panic!("{compiler:?} {recipe}: {text}"));
            counts.push(rest.to_owned());
        }
        // The loop is executed 50 times, with two loads of four bytes each, between two other blocks.
        assert_eq!(counts, ["52 100 400\n"; 2], "{compiler:?}");
    }
}

#[test]
fn hooks_in_objects_count_exactly() {
    check_counting(&HOST);
}

#[test]
fn hooks_in_objects_count_exactly_on_aarch64() {
    check_counting(&AARCH64);
}

/// A hook that overwrites one register, one that overwrites all that it may, and one that says nothing of itself
/// because it goes on where its caller says. All have the same name.
struct Texts {
    one: &'static str,
    all: String,
    unknown: &'static str,
}

fn texts_of(machine: &Machine) -> Texts {
    let mut all = String::new();
    if machine.target == HOST.target {
        for register in ["rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"] {
            all += &format!(" mov $-1, %{register}\n");
        }
        (0..16).for_each(|number| all += &format!(" pcmpeqd %xmm{number}, %xmm{number}\n"));
        return Texts {
            one: " mov $-1, %rsi\n ret\n",
            all: all + " ret\n",
            unknown: " lea 1f(%rip), %rax\n jmp *%rax\n1: ret\n",
        };
    }
    (0..18).for_each(|number| all += &format!(" mov x{number}, -1\n"));
    (0..8)
        .chain(16..32)
        .for_each(|number| all += &format!(" movi v{number}.16b, 255\n"));
    Texts {
        one: " mov x1, -1\n ret\n",
        all: all + " ret\n",
        unknown: " adr x9, 1f\n br x9\n1: ret\n",
    }
}

const TOOL: &str = "\
hooks = \"hook.o\"

[prototypes]
hook = [\"ptr\"]

[[insert]]
at = \"load\"
functions = \"^work$\"
call = \"hook\"
args = [\"address\"]
";

fn assembled(folder: &Folder, machine: &Machine, (name, text): (&str, &str)) -> PathBuf {
    let source = folder.write("hook.s", format!(".text\n.globl hook\nhook:\n{text}"));
    let object = folder.path(name);
    run(Command::new(format!("{}as", machine.utilities))
        .arg(source)
        .arg("-o")
        .arg(&object));
    object
}

fn check_overwriting(machine: &Machine) {
    let folder = Folder::new(&format!("instrument-overwritten-{}", machine.target));
    let (bitcode, expected) = program(&folder, machine);
    let tool = folder.write("hook.toml", TOOL);
    let texts = texts_of(machine);
    let hooks = folder.path("hook.o");
    for recipe in ["Om1", "O2"] {
        for text in [texts.one, &texts.all, texts.unknown] {
            assembled(&folder, machine, ("hook.o", text));
            let found = output((&folder, machine), recipe, &bitcode, (&tool, &hooks));
            assert_eq!(String::from_utf8_lossy(&found.stdout), expected, "{recipe}: {text}");
        }
        // What is found matters: the program that knows one register relies on the others.
        let all = assembled(&folder, machine, ("all.o", &texts.all));
        assembled(&folder, machine, ("hook.o", texts.one));
        let found = output((&folder, machine), recipe, &bitcode, (&tool, &all));
        assert_ne!(String::from_utf8_lossy(&found.stdout), expected, "{recipe}");
    }
}

#[test]
fn calls_save_what_hooks_overwrite() {
    check_overwriting(&HOST);
}

#[test]
fn calls_save_what_hooks_overwrite_on_aarch64() {
    check_overwriting(&AARCH64);
}

#[test]
fn what_is_found_of_hooks_is_explained() {
    let folder = Folder::new("instrument-explained");
    let tool = folder.write("hook.toml", TOOL);
    let (bitcode, _) = program(&folder, &HOST);
    let texts = texts_of(&HOST);
    let explained = |text: &str| {
        assembled(&folder, &HOST, ("hook.o", text));
        let mut compile = frazil();
        compile
            .arg(&bitcode)
            .args(["--emit", "null", "--explain-instrument", "--instrument"]);
        let output = compile.arg(&tool).output().expect("the command runs");
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(
        explained(texts.one),
        "tool hook:\nhook hook: called; machine code of 8 bytes that overwrites rsi\n"
    );
    assert_eq!(
        explained(texts.unknown),
        "tool hook:\nhook hook: called; machine code of 7 bytes that overwrites what the convention allows: it has a \
         computed jump\n"
    );
}
