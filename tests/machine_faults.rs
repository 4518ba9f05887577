//! The verifier of machine functions finds what a broken pass has done: each fault here is put into the machine
//! code of a function that is right, and must be named.

use frazil_codegen::mfunc::{MFunc, Term, op_desc, pseudo};
use frazil_codegen::minst::MInst;
use frazil_codegen::optimize::{MachRecipe, OptimizeState};
use frazil_codegen::pass::{MachPass, MachPassCx, MachPasses};
use frazil_codegen::verify::MachVerifier;
use frazil_codegen::{CodegenError, CompiledFunction, ModuleView, Reg, RelocationModel, Role, Target, Unit};
use frazil_ir::pass::{Level, PassInfo};
use frazil_ir::text::parse_module;
use frazil_passes::{
    Book, Codegen, Dump, Listener, NoOptions, Observe, Overrides, Registry, Runner, Subject, target_facts,
};
use frazil_target_testisa::TestIsa;

/// A loop around a call, so that values wait in slots and edges have moves, and a switch.
const TEXT: &str = "\
layout pointer_bits 32 stack_align 16
func @callee(i32, i32) -> i32 {
b0:
  v2 = sdiv i32 v0, v1
  return v2
}
func @subject(i32, i32, f64) -> i32 {
b0:
  v3 = mul i32 v0, v1
  jump b1
b1:
  v4 = phi i32 [b0: 0, b2: v12]
  v5 = phi i32 [b0: v3, b2: v11]
  v6 = call @callee(v5, v1) : (i32, i32) -> i32
  v7 = add i32 v6, v0
  v8 = icmp_slt i32 v7, 100
  v9 = select i32 v8, v7, v3
  switch i32 v9, default b2, [1: b3, 2: b3, 3: b4]
b2:
  v10 = xor i32 v9, v1
  v11 = add i32 v10, v3
  v12 = add i32 v4, 1
  v13 = icmp_slt i32 v12, v0
  branch v13, b1, b3
b3:
  v14 = phi i32 [b1: v5, b2: v11]
  v15 = mul i32 v14, v0
  return v15
b4:
  v16 = fptosi_sat i32 v2
  return v16
}
";

/// A way to break a function; whether there was a place for it.
type Break = fn(&mut MFunc, &MachPassCx<'_>) -> bool;

/// Runs the verifier on the function over physical registers, breaks it, and runs the verifier again.
struct Breaker {
    verifier: MachVerifier,
    function: Break,
    /// What the verifier says of each function that was broken.
    found: Vec<Result<(), String>>,
}

impl MachPasses for Breaker {
    fn run(&mut self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> Result<(), CodegenError> {
        let outcome = self.verifier.start(func, cx);
        assert_eq!(outcome, Ok(()), "what selection and allocation leave is right");
        if cx.is_allocated && (self.function)(func, cx) {
            let outcome = self.verifier.check(func, cx);
            self.found.push(outcome.map_err(|fault| fault.to_string()));
            return Err(CodegenError::unsupported(
                frazil_ir::Refusal::Instruction,
                "broken functions",
            ));
        }
        Ok(())
    }

    fn finished(&mut self, _: &'static str) {}
}

/// What the verifier says when `function` has broken the functions of the text, compiled for a target.
fn found(target: &dyn Target, function: Break) -> Vec<Result<(), String>> {
    let (module, functions) = parse_module(TEXT).expect("the text is right");
    let view = ModuleView::new(&module, RelocationModel::Pic);
    let mut breaker = Breaker {
        verifier: MachVerifier::default(),
        function,
        found: Vec::new(),
    };
    let (mut state, mut out) = (OptimizeState::default(), CompiledFunction::new(false));
    for (function, head) in functions.iter().zip(module.functions.values()) {
        let recipe = MachRecipe::default();
        // It fails where it was broken.
        let unit = Unit { function, head, view };
        let _ = target.compile_optimized(&unit, &recipe, &mut breaker, &mut state, &mut out);
    }
    breaker.found
}

/// Asserts that the verifier finds the fault in all functions that have a place for it, on all targets, and in one at
/// least.
#[track_caller]
fn assert_found(message: &str, function: Break) {
    let mut all = found(&TestIsa, function);
    for entry in frazil_targets::builtin() {
        all.extend(found(&*(entry.new)(), function));
    }
    assert!(!all.is_empty(), "no place for: {message}");
    for outcome in all {
        let is_named = outcome.as_ref().is_err_and(|found| found.contains(message));
        assert!(is_named, "expected {message}, found {outcome:?}");
    }
}

/// Changes the first instruction that fits.
fn change(func: &mut MFunc, fits: impl Fn(&MFunc, &MInst) -> bool, edit: impl Fn(&mut MInst)) -> bool {
    let Some(index) = func.insts.iter().position(|inst| fits(func, inst)) else {
        return false;
    };
    edit(&mut func.insts[index]);
    true
}

/// Whether an instruction computes its first register.
fn defines(cx: &MachPassCx<'_>, inst: &MInst) -> bool {
    op_desc(cx.hooks.ops(), inst.op).roles[0] == Role::Def
}

/// Whether an instruction computes a register in which the function gets no argument.
fn is_first(func: &MFunc, cx: &MachPassCx<'_>, inst: &MInst) -> bool {
    let arguments = func.sets[func.insts[0].imm as usize].defs;
    let classes = &cx.hooks.desc().classes;
    let dst = inst.reg(0);
    defines(cx, inst) && classes[dst.bank()].allocatable.contains(dst) && !arguments.contains(dst)
}

fn delete(inst: &mut MInst) {
    *inst = MInst::new(pseudo::NOP, 0);
}

#[test]
fn blocks_that_are_not_whole_are_found() {
    assert_found("but origins of", |func, _| func.origins.pop().is_some());
    assert_found("owns instructions", |func, _| {
        let Some(block) = func.blocks.get_mut(1) else {
            return false;
        };
        block.start += 1;
        true
    });
    assert_found("are in no block", |func, cx| {
        func.origins.push(0);
        func.insts.push(cx.hooks.trap());
        true
    });
    assert_found("does not end as", |func, _| {
        func.blocks[0].term = Term::Switch;
        true
    });
    assert_found("does not end as", |func, _| {
        let branches = |block: &&frazil_codegen::mfunc::MBlock| matches!(block.term, Term::Branch(_));
        let Some(block) = func.blocks.iter().find(branches) else {
            return false;
        };
        delete(&mut func.insts[block.end as usize - 1]);
        true
    });
    assert_found("stands where it cannot stand", |func, _| {
        func.insts[0] = MInst::new(pseudo::RETURN, 0);
        true
    });
}

#[test]
fn edges_that_lead_elsewhere_are_found() {
    assert_found("goes from block", |func, _| {
        func.edges
            .first_mut()
            .is_some_and(|edge| std::mem::replace(&mut edge.to, 0) != 0)
    });
    assert_found("as a predecessor", |func, _| {
        let last = func.blocks.len() as u32 - 1;
        func.edges
            .first_mut()
            .is_some_and(|edge| std::mem::replace(&mut edge.to, last) != last)
    });
    assert_found("another block's", |func, _| {
        let mut with_edges = func.blocks.iter_mut().filter(|block| block.edge_count > 0);
        let (Some(first), Some(second)) = (with_edges.next(), with_edges.next()) else {
            return false;
        };
        second.first_edge = first.first_edge;
        true
    });
}

#[test]
fn groups_that_are_not_whole_are_found() {
    assert_found("goes beyond the block", |func, _| {
        let Some(group) = func.groups.iter_mut().find(|group| group.start < group.end) else {
            return false;
        };
        let ends = func.blocks.iter().map(|block| block.end);
        group.end = ends.filter(|&end| end >= group.end).min().expect("a block") + 1;
        group.end as usize <= func.insts.len()
    });
    assert_found("after", |func, _| {
        let Some(group) = func.groups.iter_mut().find(|group| group.start < group.end) else {
            return false;
        };
        std::mem::swap(&mut group.start, &mut group.end);
        true
    });
}

#[test]
fn operands_that_cannot_be_are_found() {
    assert_found("which cannot be here", |func, cx| {
        change(
            func,
            |_, inst| defines(cx, inst),
            |inst| inst.set_reg(0, Reg::virtual_number(0)),
        )
    });
    assert_found("of the wrong class", |func, cx| {
        let other = |reg: Reg| Reg::physical(1 - reg.bank() as u8, 1);
        change(
            func,
            |_, inst| defines(cx, inst),
            |inst| inst.set_reg(0, other(inst.reg(0))),
        )
    });
    assert_found("operand 0 is", |func, cx| {
        change(func, |_, inst| defines(cx, inst), |inst| inst.set_reg(0, Reg::NONE))
    });
    assert_found("which do not exist", |func, _| {
        change(func, |_, inst| inst.op == pseudo::RETURN, |inst| inst.imm = 9999)
    });
    assert_found("no row of the op table", |func, cx| {
        change(func, |_, inst| defines(cx, inst), |inst| inst.op = pseudo::FIRST - 1)
    });
    assert_found("below its end", |func, cx| {
        let reads_slot =
            |func: &MFunc, inst: &MInst| func.is_spill_slot(inst) && op_desc(cx.hooks.ops(), inst.op).reads_memory;
        change(func, reads_slot, |inst| inst.disp -= 100_000)
    });
}

#[test]
fn reads_of_what_was_not_written_are_found() {
    assert_found("which is not written on every path", |func, cx| {
        change(func, |func, inst| is_first(func, cx, inst), delete)
    });
    assert_found("reads the spill slot at", |func, cx| {
        let stores =
            |func: &MFunc, inst: &MInst| func.is_spill_slot(inst) && op_desc(cx.hooks.ops(), inst.op).writes_memory;
        let Some(first) = func.insts.iter().find(|inst| stores(func, inst)).copied() else {
            return false;
        };
        // After any but the first one on a path, something old is there.
        while change(func, |func, inst| stores(func, inst) && inst.disp == first.disp, delete) {}
        true
    });
    assert_found("reads flags that no instruction before it", |func, cx| {
        let reads = |inst: &MInst| op_desc(cx.hooks.ops(), inst.op).reads_flags;
        let Some(reader) = func.insts.iter().position(reads) else {
            return false;
        };
        let block = func
            .blocks
            .iter()
            .find(|block| block.end as usize > reader)
            .expect("a block");
        for index in block.start as usize..reader {
            if op_desc(cx.hooks.ops(), func.insts[index].op).writes_flags {
                delete(&mut func.insts[index]);
            }
        }
        true
    });
}

/// Takes out what computes registers.
struct Careless;

impl MachPass for Careless {
    fn run(&self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> u64 {
        let mut count = 0;
        while change(func, |func, inst| is_first(func, cx, inst), delete) {
            count += 1;
        }
        count
    }
}

/// Listens to nothing.
#[derive(Debug)]
struct Deaf;

impl Listener for Deaf {
    fn dump(&mut self, _: &Dump<'_>) {}

    fn execution(&mut self, _: u64, _: &str, _: &str, _: bool) {}
}

const CARELESS: PassInfo = PassInfo {
    name: "careless",
    summary: "makes functions wrong",
    level: Level::Mach,
    required: false,
    after: &[],
    before: &[],
};

#[test]
fn the_pass_is_named_that_left_the_fault() {
    let mut registry = Registry::builtin();
    registry.mach(CARELESS, |NoOptions {}| Careless);
    let mut book = Book::new(&registry);
    let recipe =
        "[recipe.broken]\nextends = 'O2'\nmach-passes = ['regalloc', 'mach-local-cse', 'careless', 'peephole']\n";
    book.add("broken", recipe).expect("a recipe");
    let recipe = book.recipe("broken", &Overrides::default()).expect("a recipe");
    let Codegen::Select(machine) = &recipe.codegen else {
        unreachable!("O2 selects")
    };
    let (module, functions) = parse_module(TEXT).expect("the text is right");
    let view = ModuleView::new(&module, RelocationModel::Pic);
    for verify_each in [false, true] {
        let observe = Observe {
            verify_each,
            check_machine: false,
            ..Observe::default()
        };
        let facts = target_facts(Target::desc(&TestIsa));
        let mut runner = Runner::new(&recipe, &observe, &module, facts).expect("nothing is asked for by name");
        let head = module.functions.values().nth(1).expect("two functions");
        let subject = Subject {
            number: 1,
            name: "subject",
            head,
        };
        let mut listener = Deaf;
        let mut passes = runner.machine(subject, &mut listener);
        let (mut state, mut out) = (OptimizeState::default(), CompiledFunction::new(false));
        let unit = Unit {
            function: &functions[1],
            head,
            view,
        };
        let outcome = TestIsa.compile_optimized(&unit, machine, &mut passes, &mut state, &mut out);
        assert_eq!(outcome.is_err(), verify_each);
        if let Err(error) = outcome {
            let message = error.to_string();
            assert!(
                message.starts_with("careless left an invalid machine function: block "),
                "{message}"
            );
        }
    }
}
