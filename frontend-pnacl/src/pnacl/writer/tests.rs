//! What is written of texts, beside what our reader makes of it: names, linkage, calls, and blocks that are joined.

use super::{HEADER, PexeWriter, WriteError};
use crate::pnacl::function::PexeReader;
use crate::pnacl::module::PexeModule;
use frazil_ir::text::{parse_module, print_function};
use frazil_ir::{EntityRef, FuncId, Function, Linkage, Module, Refusal};

const LAYOUT: &str = "layout pointer_bits 32 stack_align 8\n";

fn written(text: &str) -> Result<Vec<u8>, WriteError> {
    let (module, functions) = parse_module(&format!("{LAYOUT}{text}")).unwrap_or_else(|error| panic!("{error}"));
    let mut writer = PexeWriter::new(&module)?;
    for (id, function) in module.functions.keys().zip(&functions) {
        writer.add(id, function)?;
    }
    writer.finish()
}

/// The module and its functions once it has been written and read.
fn again(text: &str) -> (Module, Vec<Function>) {
    let bytes = written(text).unwrap_or_else(|error| panic!("{error}"));
    assert!(bytes.starts_with(HEADER));
    let mut opened = PexeModule::open(&bytes).unwrap_or_else(|error| panic!("{error}"));
    opened.module_mut().data_layout.pointer_bits = 32;
    let mut reader = PexeReader::new(&opened);
    let read = |id| {
        let mut function = Function::new();
        reader.read(id, &mut function).unwrap_or_else(|error| panic!("{error}"));
        function
    };
    let functions = opened.module().functions.keys().map(read).collect();
    (opened.module().clone(), functions)
}

fn printed(module: &Module, function: &Function) -> String {
    let mut text = String::new();
    print_function(module, function, &mut text).expect("a string takes everything");
    text
}

#[test]
fn symbols_keep_their_names_and_only_start_is_known_outside() {
    let text = "\
symbol @llvm.trap function
func @__pexe_start(i32) {
b0:
  trap
  return
}
func @f1() {
b0:
  return
}
func @other() {
b0:
  return
}
data @named align 4 size 4 { zero 4 }
";
    let bytes = written(text).expect("it has a form");
    let (module, _) = again(text);
    let found: Vec<(String, Linkage)> = module
        .symbols
        .iter()
        .map(|(symbol, data)| (module.display_name(symbol).into_owned(), data.linkage))
        .collect();
    let expected = [
        ("__pexe_start", Linkage::External),
        ("f1", Linkage::Internal),
        ("other", Linkage::Internal),
        ("llvm.trap", Linkage::External),
        ("named", Linkage::Internal),
    ];
    assert_eq!(found, expected.map(|(name, linkage)| (name.to_owned(), linkage)));
    // The reader gives such names by itself.
    assert!(written(&text.replace("@f1", "@f2")).expect("it has a form").len() >= bytes.len());
}

#[test]
fn calls_are_by_name_where_the_types_are_those_of_the_function() {
    let text = "\
func @callee(i32) -> i32 {
b0:
  return v0
}
func @same(i32) -> i32 {
b0:
  v1 = call @callee(v0) : (i32) -> i32
  return v1
}
func @other(i64) -> i64 {
b0:
  v1 = call @callee(v0) : (i64) -> i64
  return v1
}
";
    let (module, functions) = again(text);
    assert!(printed(&module, &functions[1]).contains("call no_unwind @callee(v0) : (i32) -> i32"));
    // Through the address, which says nothing of types.
    let other = printed(&module, &functions[2]);
    assert!(other.contains(") : (i64) -> i64"), "{other}");
}

#[test]
fn the_check_of_a_divisor_is_left_out_and_comes_again() {
    let text = "\
func @f(i32, i32) -> i32 {
b0:
  v2 = icmp_eq i32 v1, 0
  branch v2, b2, b1
b1:
  v3 = udiv i32 v0, v1
  return v3
b2:
  trap
  unreachable
}
";
    let (module, functions) = again(text);
    let found = printed(&module, &functions[0]);
    assert_eq!(functions[0].blocks().len(), 3, "{found}");
    assert_eq!(found.matches("icmp_eq").count(), 1, "{found}");
    let bytes = written(text).expect("it has a form").len();
    let without = "func @f(i32, i32) -> i32 {\nb0:\n  v3 = udiv i32 v0, v1\n  return v3\n}\n";
    assert_eq!(written(without).expect("it has a form").len(), bytes);
    // The flag has another use, so that the comparison stays.
    let used = text.replace("return v3", "v4 = zext i32 v2\n  v5 = add i32 v3, v4\n  return v5");
    let (module, functions) = again(&used);
    assert_eq!(printed(&module, &functions[0]).matches("icmp_eq").count(), 2);
}

#[test]
fn a_writer_that_lacks_a_function_does_not_finish() {
    let text = format!("{LAYOUT}func @f() {{\nb0:\n  return\n}}\n");
    let (module, functions) = parse_module(&text).expect("it is a module");
    let writer = PexeWriter::new(&module).expect("there is nothing else");
    assert_eq!(
        writer.finish().expect_err("a body is missing").refusal(),
        Refusal::InvalidInput
    );
    let mut writer = PexeWriter::new(&module).expect("there is nothing else");
    assert!(writer.add(FuncId::new(7), &functions[0]).is_err());
}

#[test]
fn a_refusal_names_instruction_and_code() {
    let error = written("func @f(f64) -> f64 {\nb0:\n  v1 = ffloor f64 v0\n  return v1\n}\n").expect_err("no floor");
    assert_eq!(
        (error.refusal(), error.place()),
        (Refusal::Instruction, Some("i0: ffloor"))
    );
    assert_eq!(
        error.to_string(),
        "not in PNaCl's ABI: the instruction ffloor (i0: ffloor)"
    );
}

#[test]
fn phis_of_many_edges_do_not_multiply() {
    let text = |cases: usize, phis: usize| {
        let cases: Vec<String> = (0..cases).map(|case| format!("{case}: b1")).collect();
        let phis: String = (0..phis)
            .map(|number| format!("  v{} = phi i32 [b0: v0]\n", number + 1))
            .collect();
        format!(
            "func @f(i32) -> i32 {{\nb0:\n  switch i32 v0, default b1, [{}]\nb1:\n{phis}  return v1\n}}\n",
            cases.join(", ")
        )
    };
    assert!(written(&text(100, 100)).is_ok());
    let error = written(&text(3000, 3000)).expect_err("nine million values");
    assert_eq!(error.refusal(), Refusal::TooLarge);
    assert!(error.to_string().contains("for 3001 edges each"), "{error}");
}
