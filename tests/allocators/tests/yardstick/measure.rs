//! Compiles functions by recipe O2 and has both allocators work on what comes to register allocation.

use super::count::{self, Counts};
use super::graph::Graph;
use super::ssa::{SsaFunction, their_register};
use super::unit::Facts;
use frazil_codegen::optimize::OptimizeState;
use frazil_codegen::regalloc::{Allocation, Allocator, AllocatorInput, RegAllocState, allocate};
use frazil_codegen::{CodegenError, CompiledFunction, MFunc, ModuleView, PRegSet, RelocationModel, TargetEntry, Unit};
use frazil_ir::{FuncId, Function, Module};
use frazil_passes::observe::Deaf;
use frazil_passes::{Codegen, Observe, Recipe, Runner, Subject, target_facts};
use regalloc2::{MachineEnv, PReg, RegallocOptions};
use std::sync::{Arc, Mutex, PoisonError};

/// What was counted of both.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    pub functions: usize,
    /// Our linear scan.
    pub ours: Counts,
    /// `regalloc2`.
    pub theirs: Counts,
    /// Functions that one of them refused, with reasons.
    pub refused: Vec<String>,
}

impl Comparison {
    /// Adds what another one has counted.
    pub fn add(&mut self, other: &Comparison) {
        self.functions += other.functions;
        self.ours += other.ours;
        self.theirs += other.theirs;
        self.refused.extend_from_slice(&other.refused);
    }
}

/// Compiles the functions of a module for its target, the first built-in one if it names none.
pub fn module(
    module: &Module,
    mut read: impl FnMut(FuncId, &mut Function) -> Result<(), String>,
) -> Result<Comparison, String> {
    let targets = frazil::targets();
    let triple = module.strings.display(module.triple).to_string();
    let target = TargetEntry::of_triple(&triple, targets).unwrap_or(&targets[0]);
    let target = (target.new)();
    let recipe = Recipe::find("O2").map_err(|error| error.to_string())?;
    let Codegen::Select(codegen) = &recipe.codegen else {
        return Err("recipe O2 does not select".to_owned());
    };
    let observe = Observe::default();
    let runner = Runner::new(&recipe, &observe, module, target_facts(target.desc()));
    let mut runner = runner.map_err(|error| error.to_string())?;
    let found = Arc::new(Mutex::new(Comparison::default()));
    let mut state = OptimizeState::default();
    state.set_allocator(Box::new(Both {
        found: found.clone(),
        ..Both::default()
    }));
    let view = ModuleView::new(module, RelocationModel::Pic);
    let mut out = CompiledFunction::new(false);
    let mut function = Function::new();
    for (number, (id, head)) in module.functions.iter().enumerate() {
        read(id, &mut function)?;
        let name = module.display_name(head.symbol);
        let subject = Subject {
            number,
            name: &name,
            head,
        };
        let failed = |error: &dyn std::fmt::Display| format!("{name}: {error}");
        (runner.run(subject, &mut function, &mut Deaf)).map_err(|error| failed(&error))?;
        let mut deaf = Deaf;
        let mut passes = runner.machine(subject, &mut deaf);
        let unit = Unit {
            function: &function,
            head,
            view,
        };
        target
            .compile_optimized(&unit, codegen, &mut passes, &mut state, &mut out)
            .map_err(|error| failed(&error))?;
    }
    drop(state);
    let found = found.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(found.clone())
}

/// The allocator that has both do the work. Ours is applied.
#[derive(Default)]
struct Both {
    found: Arc<Mutex<Comparison>>,
    ours: RegAllocState,
    theirs: regalloc2::Ctx,
}

impl std::fmt::Debug for Both {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("both allocators")
    }
}

impl Allocator for Both {
    fn allocate(
        &mut self,
        func: &MFunc,
        input: &AllocatorInput<'_>,
        allocation: &mut Allocation,
    ) -> Result<(), CodegenError> {
        allocate(func, input, &mut self.ours, allocation)?;
        let graph = Graph::new(func);
        let facts = Facts {
            ops: input.ops,
            allocatable: input.allocatable,
            memory_operands: input.options.memory_operands,
        };
        let function = SsaFunction::new(func, &graph, facts);
        let options = RegallocOptions {
            validate_ssa: true,
            ..RegallocOptions::default()
        };
        let output = regalloc2::run_with_ctx(&function, &environment(input), &options, &mut self.theirs);
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.functions += 1;
        match output {
            Ok(output) => {
                found.ours += count::ours(func, input, allocation);
                found.theirs += count::theirs(&function, &graph, input, output);
            }
            Err(error) => found.refused.push(format!("{error:?}")),
        }
        Ok(())
    }
}

/// The registers as `regalloc2` wants them: those first that cost no save.
fn environment(input: &AllocatorInput<'_>) -> MachineEnv {
    let by_class = |set: PRegSet| {
        [0, 1, 2].map(|class| {
            let registers = set.iter().filter(|reg| reg.bank() == class);
            registers.map(their_register).collect::<regalloc2::PRegSet>()
        })
    };
    let scratch = |class: usize| -> Option<PReg> { Some(their_register(input.desc.classes[class].scratch)) };
    MachineEnv {
        preferred_regs_by_class: by_class(input.allocatable.minus(input.callee_saved)),
        non_preferred_regs_by_class: by_class(input.allocatable.intersection(input.callee_saved)),
        scratch_by_class: [scratch(0), scratch(1), None],
        fixed_stack_slots: Vec::new(),
    }
}
