//! Several threads make the same output as one, and report the same errors.

use crate::{RECIPES, SAMPLE, frazil};
use frazil::ir::pass::{FunctionPass, Level, PassCx, PassError, PassInfo, Preserved};
use frazil::ir::{Function, Opcode};
use frazil::passes::{NoOptions, Overrides, Recipe, Registry};
use frazil::{Driver, Emit, InputForm, Options};
use frazil_test_support::{Folder, run};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// The numbers of threads that are compared with none.
const THREADS: [u32; 4] = [1, 2, 3, 8];

/// A program with many functions, of which some are large, and data that code names.
fn program() -> String {
    let mut text = String::from("extern int seen[64]; __thread int own; int take(int, const char *);\n");
    for number in 0..420 {
        writeln!(
            text,
            "int f{number}(int a, int b) {{
                int sum = {number};
                for (int i = 0; i < a; i++) {{
                    sum += seen[(i + b) & 63] * {};
                    if (sum % 7 == {}) sum -= take(i, \"text {number}\");
                    own ^= sum;
                }}
                return sum{};
            }}",
            number % 13,
            number % 7,
            if number > 0 {
                format!(" + f{}(b, a)", number - 1)
            } else {
                String::new()
            }
        )
        .expect("strings can be written");
        if number % 200 == 150 {
            writeln!(text, "int large{number}(int x) {{ double d = x; switch (x) {{").expect("strings can be written");
            for case in 0..250 {
                writeln!(
                    text,
                    "case {}: d = d * {case}.5 + f{number}(x, {case}); break;",
                    case * 3
                )
                .expect("strings can be written");
            }
            text.push_str("} return (int)d; }\n");
        }
    }
    text
}

#[test]
fn objects_and_texts_are_the_same_bytes_for_any_number_of_threads() {
    let folder = Folder::new("threads");
    let (source, bitcode) = (folder.write("many.c", program()), folder.path("many.bc"));
    run(Command::new("clang-22")
        .args(["-O1", "-g", "-fPIC", "-c", "-emit-llvm"])
        .arg(&source)
        .arg("-o")
        .arg(&bitcode));
    let bitcode = std::fs::read(&bitcode).expect("it was made");
    for recipe in RECIPES {
        for emit in [Emit::Obj, Emit::Asm] {
            let with = |threads| {
                let options = Options {
                    emit,
                    recipe: Arc::new(Recipe::find(recipe).expect("built in")),
                    threads,
                    ..Options::default()
                };
                let mut out = Vec::new();
                let report = frazil::compile_to(&bitcode, &options, &mut out).expect("it compiles");
                (out, report.counts_text())
            };
            let (expected, counts) = with(0);
            for threads in THREADS {
                let (made, counted) = with(threads);
                assert!(made == expected, "{recipe} {emit:?}, {threads} threads");
                assert_eq!(counted, counts, "{recipe} {emit:?}, {threads} threads");
            }
        }
    }
}

/// A pass that takes offence at operations.
struct Moody;

impl FunctionPass for Moody {
    fn run(&self, function: &mut Function, _: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        let has = |op| function.insts().iter().any(|data| data.op == op);
        assert!(!has(Opcode::Udiv), "on purpose");
        match has(Opcode::Mul) {
            true => Err(PassError::new("no products")),
            false => Ok(Preserved::unchanged()),
        }
    }
}

fn register(registry: &mut Registry) {
    let info = PassInfo {
        name: "test.moody",
        summary: "misbehaves",
        level: Level::Function,
        required: false,
        after: &[],
        before: &[],
    };
    registry.function(info, |NoOptions {}| Moody);
}

/// Functions of which some have a product, and one has a quotient.
fn functions(products: &[usize], quotient: Option<usize>) -> String {
    let mut text = String::new();
    for number in 0..1200 {
        writeln!(text, "func @f{number}(i32) -> i32 {{\nb0:").expect("strings can be written");
        for at in 1..40 {
            let op = match at {
                20 if products.contains(&number) => "mul",
                20 if quotient == Some(number) => "udiv",
                _ => "add",
            };
            writeln!(text, "  v{at} = {op} i32 v{}, v0", at - 1).expect("strings can be written");
        }
        text.push_str("  return v39\n}\n");
    }
    text
}

#[test]
fn errors_are_those_of_one_thread() {
    let driver = Driver::builtin().with_passes(register);
    let overrides = Overrides {
        passes: Some(vec!["test.moody".to_owned()]),
        ..Overrides::default()
    };
    let recipe = Arc::new(driver.recipes().recipe("Om1", &overrides).expect("the recipe is right"));
    let message = |text: &str, threads| {
        let options = Options {
            target: Some("x86_64".to_owned()),
            input_form: InputForm::Text,
            recipe: Arc::clone(&recipe),
            threads,
            ..Options::default()
        };
        let outcome = driver.compile(text.as_bytes(), &options);
        outcome.expect_err("a function is wrong").to_string()
    };
    for (products, quotient) in [
        (&[3, 500, 501, 1199][..], None),
        (&[10, 700, 1100], Some(640)),
        (&[], Some(0)),
        (&[1198], Some(1199)),
    ] {
        let text = functions(products, quotient);
        let expected = message(&text, 0);
        assert!(
            expected.contains("no products") || expected.contains("panicked"),
            "{expected}"
        );
        for threads in THREADS {
            assert_eq!(message(&text, threads), expected, "{threads} threads");
        }
    }
}

/// Several inputs at once make the same outputs as one after the other, and what is said of them comes in their order.
#[test]
fn many_inputs_are_compiled_at_once_and_reported_in_order() {
    let folder = Folder::new("many-inputs");
    let mut inputs = Vec::new();
    for number in 0..12 {
        let name = format!("{number}.bc");
        match number {
            3 => drop(folder.write(&name, "no bitcode")),
            7 => {}
            _ => drop(std::fs::copy(SAMPLE, folder.path(&name)).expect("the sample can be copied")),
        }
        inputs.push(name);
    }
    let outcome = |threads: &str| {
        let output = folder.path(&format!("objects-{threads}"));
        let mut command = frazil();
        command
            .current_dir(folder.path("."))
            .args(["--threads", threads])
            .args(&inputs);
        let done = command
            .arg("-o")
            .arg(format!("objects-{threads}/"))
            .output()
            .expect("frazil starts");
        assert_eq!(done.status.code(), Some(1), "{threads} threads");
        let made = |number: usize| std::fs::read(Path::new(&output).join(format!("{number}.o"))).ok();
        let objects: Vec<Option<Vec<u8>>> = (0..12).map(made).collect();
        (objects, String::from_utf8_lossy(&done.stderr).into_owned())
    };
    let expected = outcome("0");
    assert_eq!(expected.0.iter().flatten().count(), 10);
    assert_eq!(
        expected.1.lines().filter(|line| line.contains("error")).count(),
        2,
        "{}",
        expected.1
    );
    for threads in ["1", "2", "5", "40"] {
        assert!(outcome(threads) == expected, "{threads} threads");
    }
}
