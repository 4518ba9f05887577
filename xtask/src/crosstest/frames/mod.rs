//! Programs whose functions have frames worth moving: `crosstest --frames N`.
//!
//! Each program is a module of LLVM's text form with many [functions](function) and a table of them. They return early
//! with what they computed of arguments that are saved only later, name many global variables in front of and after
//! their early exits, and hold more values of mixed widths over calls than there are registers. [A part in
//! C](host.c), compiled by the host's compiler, calls them as any caller may, with garbage above every narrow argument
//! and in every register that has no argument, and gives back narrow results in the same way; it looks at results, at
//! all that they write, and at the registers that they must keep.
//!
//! Nothing is undefined: divisors are not zero, distances of shifts are less than the width, and what floats are made
//! of is finite.

mod function;

use std::fmt::Write as _;

use frazil_test_support::Random;

use crate::machine;

use super::generated::{Build, Generator, Language, POSITION_INDEPENDENT, entry};
use function::Function;

/// Functions of a program.
const FUNCTIONS: usize = 40;
/// Global variables of a program: more than there are registers, so that every register's number is a symbol's, too.
const GLOBALS: usize = 24;

/// Its programs are run by the part in C.
pub const GENERATOR: Generator = Generator {
    name: "frames",
    option: "--frames",
    language: Language::Llvm,
    source,
    builds: &[Build::ASSEMBLED],
    host_part: Some(include_str!("host.c")),
    functions: FUNCTIONS,
};

/// What the part in C has.
const DECLARATIONS: &str = "
@in = external global [64 x i64]
@out = external global [256 x i64]
declare i8 @ext8(i8, i8)
declare i16 @ext16(i16, i16)
declare i32 @ext32(i32, i32)
declare i64 @ext64(i64, i64)
declare void @touch(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

";

/// A function that others of its module call: it has an early exit, too, and a narrow argument.
fn leaf(bits: u32, entry: &str) -> String {
    let widened = if bits == 64 {
        "xor i64 %a, 1".to_owned()
    } else {
        format!("sext i{bits} %a to i64")
    };
    format!(
        "define internal i64 @leaf{bits}(i{bits} %a, i32 %b) noinline {{\n\
         entry:\n  %w = {widened}\n  store i32 %b, ptr @{entry}.g3\n  %c = icmp eq i32 %b, 0\n  \
         br i1 %c, label %exit, label %on\n\
         exit:\n  ret i64 %w\n\
         on:\n  %x = call i{bits} @ext{bits}(i{bits} %a, i{bits} 7)\n  %y = call i32 @ext32(i32 %b, i32 1)\n  \
         %z = zext i32 %y to i64\n  %s = add i64 %z, %w\n  ret i64 %s\n}}\n\n"
    )
}

/// The module's text. The global variables come first, so that their symbols have the smallest numbers.
fn source(seed: u64) -> String {
    let (random, entry) = (&mut Random::new(seed), entry(seed));
    let mut text = machine::current().module_head() + POSITION_INDEPENDENT;
    let linkage = random.pick(&["dso_local global", "internal global", "global"]);
    for number in 0..GLOBALS {
        let _ = writeln!(text, "@{entry}.g{number} = {linkage} i64 0");
    }
    text += DECLARATIONS;
    let list: Vec<String> = (0..GLOBALS).map(|number| format!("ptr @{entry}.g{number}")).collect();
    let _ = writeln!(
        text,
        "@{entry} = constant {{ ptr, i64, ptr, i64 }} {{ ptr @table, i64 {FUNCTIONS}, ptr @globals, i64 {GLOBALS} }}\n\
         @globals = internal constant [{GLOBALS} x ptr] [{}]",
        list.join(", ")
    );
    let mut rows = Vec::new();
    let mut functions: String = [8, 16, 32, 64].map(|bits| leaf(bits, &entry)).concat();
    for number in 0..FUNCTIONS {
        let function = Function::new(random, &entry, number);
        rows.push(format!(
            "{{ ptr, i64 }} {{ ptr @{entry}.f{number}, i64 {} }}",
            function.kinds() as i64
        ));
        functions += &function.text();
    }
    let _ = writeln!(
        text,
        "@table = internal constant [{FUNCTIONS} x {{ ptr, i64 }}] [{}]\n",
        rows.join(", ")
    );
    text + &functions
}
