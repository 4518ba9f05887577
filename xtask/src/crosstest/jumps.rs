//! Programs that jump out of calls by `setjmp` and `longjmp`: `crosstest --jumps N`.
//!
//! Some functions of a program in C note a place to jump back to, with much that lives across it: variables that do not
//! change any more, of all types and more than there are registers, and volatile ones that do. What they call keeps
//! values of its own in registers and jumps back from some depth, sometimes over another function that has noted a
//! place, and sometimes to the same place again and again. All forms are there: `setjmp`, `_setjmp`, `sigsetjmp`, and
//! those of the compiler.
//!
//! Nothing is undefined: a place is jumped to only while the function that noted it runs, and of what is not volatile
//! only what has not changed is examined after it.

use std::fmt::Write as _;

use frazil_test_support::Random;

use super::expression::{HEAD, TYPES};
use super::generated::{Build, Generator, Language, entry};
use super::variables::{Variables, some_type};

/// Functions that note places, and functions that jump.
const NOTING: usize = 8;
const JUMPING: usize = 6;
/// How often each of the first ones is called.
const CALLS: usize = 6;

/// Its programs are compiled at two levels.
pub const GENERATOR: Generator = Generator {
    name: "jumps",
    option: "--jumps",
    language: Language::C,
    source,
    builds: &[Build::scalar("O0", ["O0"; 2]), Build::scalar("optimized", ["O1", "O2"])],
    host_part: None,
    functions: NOTING + JUMPING,
};

/// A way to note a place: the buffer's type, what notes, what jumps there, and whether it brings a number.
struct Form {
    buffer: &'static str,
    note: &'static str,
    jump: &'static str,
    has_number: bool,
}

const FORMS: [Form; 4] = [
    form("jmp_buf", "setjmp(*BUFFER)", "longjmp(*BUFFER, NUMBER)", true),
    form("jmp_buf", "_setjmp(*BUFFER)", "longjmp(*BUFFER, NUMBER)", true),
    form(
        "sigjmp_buf",
        "sigsetjmp(*BUFFER, 0)",
        "siglongjmp(*BUFFER, NUMBER)",
        true,
    ),
    form(
        "compilers_buf",
        "__builtin_setjmp(*BUFFER)",
        "__builtin_longjmp(*BUFFER, 1)",
        false,
    ),
];

const fn form(buffer: &'static str, note: &'static str, jump: &'static str, has_number: bool) -> Form {
    Form {
        buffer,
        note,
        jump,
        has_number,
    }
}

fn source(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let mut text = format!(
        "#include <setjmp.h>\n#include <stdio.h>\n{HEAD}\
         /* Where the compiler has no form of its own, the library's stands for it. */\n\
         #if __has_builtin(__builtin_setjmp) && (defined __x86_64__ || defined __i386__)\n\
         typedef void *compilers_buf[5];\n\
         #else\n\
         typedef jmp_buf compilers_buf;\n\
         #define __builtin_setjmp setjmp\n\
         #define __builtin_longjmp longjmp\n\
         #endif\n\
         /* How far jumps may go on, and which places may be jumped to. */\n\
         static i32 left; static volatile u8 armed[{NOTING}];\n\
         static void disarm(i32 from) {{ for (i32 i = from; i < {NOTING}; i++) armed[i] = 0; }}\n"
    );
    let forms: Vec<usize> = (0..NOTING).map(|_| random.below(FORMS.len())).collect();
    for (number, &form) in forms.iter().enumerate() {
        let _ = writeln!(text, "static {} *place{number};", FORMS[form].buffer);
    }
    text += "\n";
    for number in 0..JUMPING {
        let _ = writeln!(text, "static u64 jump{number}(u64 a, u32 b, i32 depth);");
    }
    for number in 0..NOTING {
        let _ = writeln!(text, "static u64 note{number}(u64 a, u32 b);");
    }
    for number in 0..JUMPING {
        text += &jumping(random, number, &forms);
    }
    for number in 0..NOTING {
        text += &noting(random, number, &FORMS[forms[number]]);
    }
    let _ = writeln!(text, "int {}(void) {{", entry(seed));
    for number in 0..NOTING {
        let _ = writeln!(text, "    sum = 0;");
        for call in 0..CALLS {
            let (a, b) = (random.next_word(), random.below(9));
            let _ = writeln!(
                text,
                "    disarm(0); left = 200; mix(note{number}({a}u + {call}, {b}));"
            );
        }
        let _ = writeln!(text, "    printf(\"{number} %016llx\\n\", sum);");
    }
    text + "    return 0;\n}\n"
}

/// Declares variables with values of the parameters; their declarations.
fn declarations(
    random: &mut Random,
    variables: &mut Variables,
    count: usize,
    prefix: &str,
    is_assigned: bool,
) -> String {
    let mut text = String::new();
    for number in 0..count {
        let (name, ty) = (format!("{prefix}{number}"), some_type(random));
        let volatile = if is_assigned { "volatile " } else { "" };
        let value = variables.value(random, ty);
        let _ = writeln!(text, "    {volatile}{} {name} = {value};", ty.name);
        variables.add(&name, ty, is_assigned);
    }
    text
}

fn parameters() -> Variables {
    let mut variables = Variables::default();
    let ty = |name: &str| TYPES.into_iter().find(|ty| ty.name == name).unwrap_or(TYPES[0]);
    variables.add("a", ty("u64"), false);
    variables.add("b", ty("u32"), false);
    variables
}

/// A function that computes, calls others of its kind, and jumps to a place that is noted.
fn jumping(random: &mut Random, number: usize, forms: &[usize]) -> String {
    let mut variables = parameters();
    let count = 2 + random.below(10);
    let mut text = format!("__attribute__((noinline)) static u64 jump{number}(u64 a, u32 b, i32 depth) {{\n");
    text += &declarations(random, &mut variables, count, "v", false);
    text += "    if (depth <= 0 || --left <= 0) return a ^ b;\n";
    for call in 0..1 + random.below(2) {
        let callee = random.below(JUMPING);
        let (a, b) = (variables.value(random, TYPES[6]), variables.value(random, TYPES[4]));
        let _ = writeln!(text, "    u64 r{call} = jump{callee}({a}, {b}, depth - 1);");
        variables.add(&format!("r{call}"), TYPES[6], false);
    }
    for _ in 0..1 + random.below(3) {
        let to = random.below(NOTING);
        let condition = variables.condition(random);
        let jump = FORMS[forms[to]]
            .jump
            .replace("BUFFER", &format!("place{to}"))
            .replace("NUMBER", &format!("(i32)({} & 3)", variables.value(random, TYPES[4])));
        let _ = writeln!(
            text,
            "    if (armed[{to}] && {condition}) {{ mix({}); {jump}; }}",
            variables.sum()
        );
    }
    let _ = writeln!(text, "    return {};\n}}\n", variables.sum());
    text
}

/// A function that notes a place.
fn noting(random: &mut Random, number: usize, form: &Form) -> String {
    let mut variables = parameters();
    let mut text = format!(
        "__attribute__((noinline)) static u64 note{number}(u64 a, u32 b) {{\n    {} own;\n",
        form.buffer
    );
    let (kept, changing) = (1 + random.below(14), 1 + random.below(4));
    text += &declarations(random, &mut variables, kept, "k", false);
    text += &declarations(random, &mut variables, changing, "c", true);
    let _ = writeln!(text, "    volatile i32 times = 0;\n    place{number} = &own;");
    let note = form.note.replace("BUFFER", "&own");
    let again = random.one_in(2);
    match random.below(3) {
        0 => {
            let _ = writeln!(text, "    if ({note} == 0) {{");
            text += &first_side(random, &variables, number);
            text += "    } else {\n";
            text += &later_side(random, &variables, number, again);
            text += "    }\n";
        }
        1 if form.has_number => {
            let _ = writeln!(text, "    switch ({note}) {{\n    case 0:");
            text += &first_side(random, &variables, number);
            text += "        break;\n    case 2:\n";
            text += &later_side(random, &variables, number, again);
            text += "        break;\n    default:\n";
            text += &later_side(random, &variables, number, again);
            text += "    }\n";
        }
        _ => {
            // The place is noted anew in each turn of a loop.
            let _ = writeln!(
                text,
                "    for (volatile i32 turn = 0; turn < 3; turn++) {{\n    if ({note}) {{"
            );
            text += &later_side(random, &variables, number, false);
            text += "        continue;\n    }\n";
            text += &first_side(random, &variables, number);
            text += "    }\n";
        }
    }
    let _ = writeln!(text, "    disarm({number});\n    return {};\n}}\n", variables.sum());
    text
}

/// What happens before the jump, and the calls that jump.
fn first_side(random: &mut Random, variables: &Variables, number: usize) -> String {
    let mut text = format!("        armed[{number}] = 1;\n");
    for _ in 0..1 + random.below(3) {
        text += &change(random, variables);
        text += &call(random, variables, number);
    }
    text
}

/// What happens after a jump; `again` if one may come back.
fn later_side(random: &mut Random, variables: &Variables, number: usize, again: bool) -> String {
    let mut text = format!("        disarm({});\n        mix({});\n", number + 1, variables.sum());
    text += &change(random, variables);
    if again {
        text += "        if (times < 3) {\n        times++;\n";
        text += &call(random, variables, number);
        text += "        }\n";
    }
    text
}

fn change(random: &mut Random, variables: &Variables) -> String {
    let Some(variable) = variables.assigned(random) else {
        return String::new();
    };
    let value = variables.value(random, variable.ty);
    format!("        {} = {value};\n", variable.name)
}

/// Calls a function that jumps, or one that notes another place first.
fn call(random: &mut Random, variables: &Variables, number: usize) -> String {
    let (a, b) = (variables.value(random, TYPES[6]), variables.value(random, TYPES[4]));
    let later = NOTING - number - 1;
    if later > 0 && random.one_in(3) {
        let callee = number + 1 + random.below(later);
        return format!("        if (left-- > 0) mix(note{callee}({a}, {b}));\n");
    }
    let (callee, depth) = (random.below(JUMPING), 1 + random.below(4));
    format!("        mix(jump{callee}({a}, {b}, {depth}));\n")
}
