//! What code generation refuses for a whole module: by name, and only where it must.

use frazil_codegen::features::FeatureSet;
use frazil_codegen::{CodegenError, CompiledFunction, FastState, ModuleView, RelocationModel, Unit};
use frazil_ir::{EntityRef, FuncId, text};

/// Compiles a function for x86-64 in a module with this code model.
fn compile(code_model: Option<u8>) -> Result<(), CodegenError> {
    let (mut module, functions) =
        text::parse_module("func @f() -> i32 {\nb0:\n  return 1\n}\n").expect("the text parses");
    module.flags.code_model = code_model;
    let target = (frazil::targets()[0].new)();
    let view = ModuleView::new(&module, RelocationModel::Pic);
    let unit = Unit {
        function: &functions[0],
        head: &module.functions[FuncId::new(0)],
        view,
    };
    target.compile_fast(&unit, &mut FastState::new(), &mut CompiledFunction::new(false))
}

#[test]
fn code_models_are_compiled_or_refused_by_name() {
    for supported in [None, Some(1), Some(3)] {
        assert_eq!(compile(supported), Ok(()));
    }
    let kernel = "kernel in code that may be placed anywhere";
    let others = "x86_64 has small, medium, kernel";
    for (number, name) in [(0, "tiny"), (2, kernel), (4, "large"), (5, "number 5")] {
        let refusal = compile(Some(number)).expect_err("another model");
        let expected = match number {
            2 => name.to_owned(),
            _ => format!("{name}; {others}"),
        };
        assert_eq!(refusal.to_string(), format!("not supported: code model {expected}"));
    }
}

/// Compiles the first function of a module.
fn compiled(text: &str) -> Result<(), CodegenError> {
    let (module, functions) = text::parse_module(text).expect("the text parses");
    let target = (frazil::targets()[0].new)();
    let named = module.strings.display(module.functions[FuncId::new(0)].target_features);
    let features = target
        .desc()
        .features
        .apply(FeatureSet::EMPTY, &named, false)
        .expect("the features exist");
    let unit = Unit {
        function: &functions[0],
        head: &module.functions[FuncId::new(0)],
        view: ModuleView {
            features,
            ..ModuleView::new(&module, RelocationModel::Pic)
        },
    };
    target.compile_fast(&unit, &mut FastState::new(), &mut CompiledFunction::new(false))
}

/// The refusal of the first function of a module.
fn refusal(text: &str) -> String {
    compiled(text).expect_err("it is refused").to_string()
}

/// What LLVM passes in a way of its own, or otherwise where registers are wider.
#[test]
fn vectors_in_signatures_are_named() {
    let wider = "in a signature of a function that may use wider registers for it than are used here";
    let cases = [
        ("<2 x i100>", "", "<2 x i100> in a signature".to_owned()),
        (
            "<16 x i32>",
            " spares_wide_vectors target_features \"+avx512f\"",
            format!("<16 x i32> {wider}"),
        ),
        (
            "<64 x i1>",
            " spares_wide_vectors target_features \"+avx512f\"",
            format!("<64 x i1> {wider}"),
        ),
    ];
    for (ty, features, message) in cases {
        let text = format!("func @f({ty}) -> i32{features} {{\nb0:\n  return 1\n}}\n");
        assert_eq!(refusal(&text), format!("not supported: {message}"));
    }
}

/// They had to save whole registers.
#[test]
fn functions_that_preserve_all_registers_are_refused_where_those_are_wide() {
    let text = "func @f() cc 15 target_features \"+avx\" {\nb0:\n  return\n}\n";
    assert_eq!(
        refusal(text),
        "not supported: a function of the convention preserve_all that may use wider registers"
    );
}

/// Conventions that have no place for such a float: LLVM passes it in ways of its own.
#[test]
fn extended_floats_are_refused_where_conventions_have_no_place() {
    let cases = [
        (
            "(x86_f80) -> i32 cc 79",
            "return 1",
            "an argument of type x86_fp80",
            "Win64",
        ),
        (
            "() -> x86_f80 cc 79",
            "unreachable",
            "a result of type x86_fp80",
            "Win64",
        ),
        (
            "() -> (f64, f64, f64) cc 79",
            "unreachable",
            "a result of type double",
            "Win64",
        ),
        (
            "() -> x86_f80 cc 15",
            "unreachable",
            "a result of type x86_fp80",
            "preserve_all",
        ),
    ];
    for (signature, end, what, convention) in cases {
        let (left, _) = signature.split_once(" cc ").expect("it has a convention");
        for (text, expected) in [
            (format!("func @f{signature} {{\nb0:\n  {end}\n}}\n"), true),
            // The C convention passes it.
            (format!("func @f{left} {{\nb0:\n  {end}\n}}\n"), false),
        ] {
            let message = compiled(&text).err().map(|error| error.to_string());
            let refusal = format!("not supported: {what} in the convention {convention}");
            assert_eq!(message, expected.then_some(refusal), "{text}");
        }
    }
}

#[test]
fn unknown_registers_to_clear_are_named() {
    let text = "func @f() cleared_registers \"most\" {\nb0:\n  return\n}\n";
    assert_eq!(
        refusal(text),
        "not supported: function attribute zero-call-used-regs=\"most\""
    );
}

#[test]
fn argument_memory_that_displacements_do_not_reach_is_refused() {
    let text = |size: u64, count: usize| {
        let params = vec![format!("ptr byval({size}, align 8)"); count].join(", ");
        format!(
            "func @f({params}, i64) -> i64 {{\nb0:\n  v{} = load i64 v{}\n  return v{}\n}}\n",
            count + 1,
            count - 1,
            count + 1
        )
    };
    assert_eq!(compiled(&text(1 << 28, 1)), Ok(()));
    for (size, count) in [
        (1 << 28, 3),
        (1 << 30, 1),
        (u64::from(u32::MAX), 1),
        (u64::from(u32::MAX) - 7, 2),
    ] {
        assert_eq!(
            refusal(&text(size, count)),
            "too large: the memory for arguments (at most 512 MiB)"
        );
    }
}
