//! Tests of both register allocators: [`allocate`], which is what the fuzz target `allocators` and a test do, and in
//! `tests/` [faults](../tests/faults/main.rs) for the checker and [a yardstick](../tests/yardstick/main.rs).

use frazil_codegen::optimize::{MachRecipe, OptimizeState};
use frazil_codegen::pass::NoMachPasses;
use frazil_codegen::{CodegenError, CompiledFunction, FastState, ModuleView, RelocationModel, Target, Unit};
use frazil_ir::platform::WIDEST_INTEGER_BITS;
use frazil_ir::text::parse_module;
use frazil_target_testisa::TestIsa;
use frazil_test_support::Random;
use frazil_test_support::functions::{function, narrow_function};

const STATEMENT_BYTES: usize = 12;
/// Statements of a function, at most.
const MOST_STATEMENTS: usize = 200;

/// Compiles the function that the bytes describe by both paths and for every target, with the checker on.
///
/// # Panics
/// When the checker rejects an allocation.
pub fn allocate(bytes: &[u8]) {
    let statements = (bytes.len() / STATEMENT_BYTES).clamp(1, MOST_STATEMENTS);
    allocate_for(&TestIsa, function, statements, bytes);
    for target in frazil_targets::builtin() {
        let function = match target.platform.widest_integer_bits {
            WIDEST_INTEGER_BITS => function,
            _ => narrow_function,
        };
        allocate_for(&*(target.new)(), function, statements, bytes);
    }
}

/// Writes a function: its number, how many statements it has, the width of pointers, and what it is made from.
type Writer = fn(usize, usize, u32, &mut Random) -> String;

fn allocate_for(target: &dyn Target, function: Writer, statements: usize, bytes: &[u8]) {
    let pointer_bits = u32::from(target.desc().pointer_bytes) * 8;
    let text = format!(
        "layout pointer_bits {pointer_bits} stack_align 16\n{}\n{}",
        function(0, 1, pointer_bits, &mut Random::new(1)),
        function(1, statements, pointer_bits, &mut Random::from_bytes(bytes))
    );
    let (module, functions) = parse_module(&text).expect("generated functions can be parsed");
    let view = ModuleView::new(&module, RelocationModel::Pic);
    let (mut fast, mut optimize) = (FastState::new(), OptimizeState::default());
    fast.set_checked(true);
    optimize.set_checked(true);
    let mut out = CompiledFunction::new(false);
    for (function, head) in functions.iter().zip(module.functions.values()) {
        let unit = Unit { function, head, view };
        let by_fast = target.compile_fast(&unit, &mut fast, &mut out);
        let recipe = MachRecipe::default();
        let passes = &mut NoMachPasses;
        let by_scan = target.compile_optimized(&unit, &recipe, passes, &mut optimize, &mut out);
        for error in [by_fast.err(), by_scan.err()].into_iter().flatten() {
            // Refusals are fine: not every target has every operation.
            assert!(!matches!(error, CodegenError::WrongAllocation(_)), "{error}\n{text}");
        }
    }
}
