//! What code generation refuses for a whole module: by name, and only where it must.

use frazil_codegen::{CodegenError, CompiledFunction, FastState, ModuleView, RelocationModel};
use frazil_ir::{EntityRef, FuncId, text};

/// Compiles a function for x86-64 in a module with this code model.
fn compile(code_model: Option<u8>) -> Result<(), CodegenError> {
    let (mut module, functions) =
        text::parse_module("func @f() -> i32 {\nb0:\n  return 1\n}\n").expect("the text parses");
    module.flags.code_model = code_model;
    let target = (frazil::targets()[0].new)();
    let view = ModuleView {
        module: &module,
        relocation_model: RelocationModel::Pic,
    };
    let head = &module.functions[FuncId::new(0)];
    target.compile_fast(
        &functions[0],
        head,
        view,
        &mut FastState::new(),
        &mut CompiledFunction::new(false),
    )
}

#[test]
fn only_the_small_code_models_are_compiled() {
    for small in [None, Some(0), Some(1)] {
        assert_eq!(compile(small), Ok(()));
    }
    for (number, name) in [(2, "kernel"), (3, "medium"), (4, "large")] {
        let refusal = compile(Some(number)).expect_err("another model");
        assert_eq!(refusal.to_string(), format!("not supported: code model {name}"));
    }
}
