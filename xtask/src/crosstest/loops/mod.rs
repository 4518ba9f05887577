//! Programs of loops over arrays: `crosstest --loops N`, in the manner of yarpgen (V. Livinskii, D. Babokin, J. Regehr,
//! "Random testing for C and C++ compilers with YARPGen", 2020).
//!
//! A program in C has [functions](kernel) of loops over arrays without [undefined behavior](super::expression), and
//! calls them with arrays that overlap or not and with several bounds; it prints a sum of all memory after each. clang
//! compiles it at -O2 or -O3, once with the vectorizers and once without; every eighth program also at -O0, so that a
//! program whose meaning depends on the level, because it is undefined after all, is found.
//!

mod kernel;

use std::fmt::Write as _;

use frazil_test_support::Random;

use super::expression::{HEAD, TYPES};
use super::generated::{Build, Generator, Language, entry};
use kernel::{FIELDS, Kernel, LENGTH, MOST_BOUND, Pointee};

/// Functions of a program.
const FUNCTIONS: usize = 6;
/// How often each is called.
const CALLS: usize = 4;
/// The elements of the memory that pointers point into, in lengths of an array.
const PLACES: usize = 4;

/// Every eighth program is compiled without optimization, too.
const BUILDS: [Build; 5] = [
    Build::scalar("scalar", ["O2", "O3"]),
    Build {
        options: &[],
        ..Build::scalar("vector", ["O2", "O3"])
    },
    Build {
        options: &[],
        processor: 1,
        every: 4,
        ..Build::scalar("vector-v2", ["O2", "O3"])
    },
    Build {
        options: &[],
        processor: 2,
        every: 2,
        ..Build::scalar("vector-v3", ["O2", "O3"])
    },
    Build {
        every: 8,
        ..Build::scalar("plain", ["O0"; 2])
    },
];

/// Its programs have vectors of all sizes.
pub const GENERATOR: Generator = Generator {
    name: "loops",
    option: "--loops",
    language: Language::C,
    source,
    builds: &BUILDS,
    host_part: None,
    functions: FUNCTIONS,
};

/// What the program uses besides.
const OWN_HEAD: &str = "\
int printf(const char *, ...);
static u64 next(void) { state = state * 6364136223846793005u + 1442695040888963407u; return state ^ state >> 29; }
";

/// The program's text.
fn source(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let mut text = format!("{HEAD}{OWN_HEAD}");
    for ty in TYPES {
        let name = ty.name;
        let _ = writeln!(text, "static {name} m_{name}[{}];", PLACES * LENGTH);
    }
    let fields: Vec<String> = FIELDS
        .iter()
        .map(|(field, ty)| format!("{} {field};", TYPES[*ty].name))
        .collect();
    let _ = writeln!(
        text,
        "struct record {{ {} }};\nstatic struct record m_record[{}];\n",
        fields.join(" "),
        PLACES * LENGTH
    );
    text += &memory();
    let kernels: Vec<Kernel> = (0..FUNCTIONS)
        .map(|number| kernel::make(random, format!("{}_k{number}", entry(seed))))
        .collect();
    for kernel in &kernels {
        text += &kernel.text;
    }
    let _ = writeln!(text, "int {}(void) {{", entry(seed));
    for (number, kernel) in kernels.iter().enumerate() {
        let _ = writeln!(text, "    state = {number}; sum = 0; fill();");
        for _ in 0..CALLS {
            let call = call(random, kernel);
            let _ = writeln!(text, "    mix({call}); look();");
        }
        let _ = writeln!(text, "    printf(\"{number} %016llx\\n\", sum);");
    }
    text + "    return 0;\n}\n"
}

/// Functions that fill all memory, and that take a sum of it.
fn memory() -> String {
    let (mut fill, mut look) = (String::new(), String::new());
    for ty in TYPES {
        let name = ty.name;
        let value = if ty.is_float {
            "(i32)(next() >> 50) / 8.0"
        } else {
            "some()"
        };
        let _ = writeln!(fill, "        m_{name}[i] = ({name})({value});");
        let _ = writeln!(look, "        mix(of_{name}(m_{name}[i]));");
    }
    for (field, ty) in FIELDS {
        let name = TYPES[ty].name;
        let _ = writeln!(fill, "        m_record[i].{field} = ({name})next();");
        let _ = writeln!(look, "        mix(of_{name}(m_record[i].{field}));");
    }
    let head = format!("    for (i32 i = 0; i < {}; i++) {{\n", PLACES * LENGTH);
    format!(
        "static u64 some(void) {{ u64 bits = next(); return bits >> (next() & 31); }}\n\
         __attribute__((noinline)) static void fill(void) {{\n{head}{fill}    }}\n}}\n\
         __attribute__((noinline)) static void look(void) {{\n{head}{look}    }}\n}}\n\n"
    )
}

/// A call of a function, with pointers that overlap only if they may.
fn call(random: &mut Random, kernel: &Kernel) -> String {
    let mut words = Vec::new();
    for (index, pointee) in kernel.pointers.iter().enumerate() {
        let name = match pointee {
            Pointee::Scalars(ty) => TYPES[*ty].name,
            Pointee::Records => "record",
        };
        let place = if kernel.is_restrict {
            index * LENGTH
        } else {
            let start = random.below(PLACES - 1) * LENGTH;
            start + random.pick(&[0, 0, 1, 3, 4, 16, 64, 100])
        };
        words.push(format!("m_{name} + {place}"));
    }
    words.push(random.pick(&[0, 1, 3, 8, 17, 31, MOST_BOUND]).to_string());
    for _ in 0..2 {
        words.push(random.pick(&["0", "1", "-1", "7", "100", "-128", "77777"]).to_owned());
    }
    format!("{}({})", kernel.name, words.join(", "))
}
