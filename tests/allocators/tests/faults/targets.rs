//! Faults in allocations for built-in targets, which no simulator runs.
//!
//! Method: as in [`linear_scan`](super::linear_scan), an allocator spoils what the linear scan did and keeps the
//! checker's verdict. Whether a fault matters says the validator of machine passes, which knows the target's
//! instructions and shares nothing with the checker: it compares the function before the allocation with what the
//! spoiled allocation has made of it. What it refutes counts as seen in a run.

use super::linear_scan::{KINDS, Order, Spoiler};
use super::subject::{Answers, Compiled, FAULTY, Subject};
use super::{Way, try_faults};
use frazil_codegen::check::translation::{Validator, Verdict};
use frazil_codegen::mfunc::MFunc;
use frazil_codegen::optimize::{MachRecipe, OptimizeState};
use frazil_codegen::pass::{MachPassCx, MachPasses};
use frazil_codegen::{CodegenError, CompiledFunction, ModuleView, RelocationModel, Target, Unit};
use frazil_test_support::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

/// The linear scan for a target.
struct OnTarget {
    target: Box<dyn Target>,
    widest_integer_bits: u32,
}

/// Compares a function with what its allocation makes of it.
#[derive(Default)]
struct Judge {
    validator: Validator,
    verdict: Option<Verdict>,
}

impl MachPasses for Judge {
    fn run(&mut self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> Result<(), CodegenError> {
        if cx.is_allocated {
            self.verdict = Some(self.validator.compare(func, cx));
        }
        Ok(())
    }

    fn allocating(&mut self, func: &MFunc) {
        self.validator.keep(func, false);
    }

    fn finished(&mut self, _: &'static str) {}
}

/// What a run gives where a fault is seen, or not.
fn answers(is_seen: bool) -> Answers {
    vec![Ok(vec![u128::from(is_seen)])]
}

impl Way for OnTarget {
    fn kinds(&self) -> &'static [&'static str] {
        KINDS
    }

    fn compile(&mut self, subject: &Subject, fault: Option<(usize, Random)>) -> Compiled {
        let view = ModuleView::new(&subject.module, RelocationModel::Pic);
        let (function, heads) = (&subject.functions[FAULTY], &subject.module.functions);
        let head = heads.values().nth(FAULTY).expect("the text has two functions");
        let unit = Unit { function, head, view };
        let order = Order::new(fault);
        let mut state = OptimizeState::default();
        state.set_checked(false);
        state.set_allocator(Box::new(Spoiler(order.clone())));
        let (mut judge, mut out) = (Judge::default(), CompiledFunction::new(false));
        // What a wrong allocation does to those who rely on it does not matter when it was rejected.
        let result = catch_unwind(AssertUnwindSafe(|| {
            let recipe = MachRecipe::default();
            (self.target).compile_optimized(&unit, &recipe, &mut judge, &mut state, &mut out)
        }));
        let order = order.lock().unwrap_or_else(PoisonError::into_inner);
        if order.is_absent {
            return Compiled::Absent;
        }
        let is_seen = matches!(judge.verdict, Some(Verdict::Refuted(_)));
        match (&order.verdict, result) {
            (Some(error), _) => Compiled::Rejected(error.to_string(), answers(is_seen)),
            (None, Ok(Ok(()))) => Compiled::Accepted(answers(is_seen)),
            (None, Ok(Err(error))) => panic!("{error}"),
            (None, Err(panic)) => std::panic::resume_unwind(panic),
        }
    }

    fn pointer_bits(&self) -> u32 {
        u32::from(self.target.desc().pointer_bytes) * 8
    }

    fn widest_integer_bits(&self) -> u32 {
        self.widest_integer_bits
    }
}

#[test]
fn allocations_for_built_in_targets_are_checked() {
    for entry in frazil_targets::builtin() {
        let mut way = OnTarget {
            target: (entry.new)(),
            widest_integer_bits: entry.platform.widest_integer_bits,
        };
        let seen = try_faults(entry.name, &mut way, 0.1);
        assert!(seen > 0, "no fault matters for {}", entry.name);
    }
}
