//! Faults in what machine passes leave, and in what becomes of an allocation, for the validator of machine passes.
//!
//! Method: the passes of a recipe run one after the other, and the validator compares what each leaves with what it was
//! given. For a fault, one of the results is spoiled before it is compared; the code is made of it whatever the
//! verdict.

use super::Way;
use super::subject::{Compiled, FAULTY, Subject};
use frazil_codegen::check::translation::{TranslationFault, Validator, Verdict};
use frazil_codegen::desc::OpDesc;
use frazil_codegen::mfunc::{MFunc, Term, for_each_register, op_desc, pseudo};
use frazil_codegen::minst::{MInst, Mem};
use frazil_codegen::optimize::OptimizeState;
use frazil_codegen::pass::{MachPassCx, MachPasses};
use frazil_codegen::reference::{Ref, RefKind};
use frazil_codegen::{CodegenError, Reg, Role, Target};
use frazil_passes::recipe::MachStep;
use frazil_passes::{Codegen, Recipe};
use frazil_target_testisa::TestIsa;
use frazil_test_support::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};

const KINDS: &[&str] = &[
    "other register",
    "other symbol",
    "other address",
    "other constant",
    "other operation",
    "dropped instruction",
    "exchanged neighbors",
    "moved instruction",
    "inverted branch",
    "exchanged edges",
];

/// A recipe's machine passes, with a fault or without.
pub struct MachinePasses {
    recipe: Recipe,
    /// By result: whether it could not be proved without a fault, so that a fault in it says nothing.
    is_unproved: Vec<bool>,
}

impl MachinePasses {
    /// Those of a recipe.
    pub fn of(recipe: &str) -> MachinePasses {
        let recipe = Recipe::find(recipe).expect("the recipe is built in");
        MachinePasses {
            recipe,
            is_unproved: Vec::new(),
        }
    }
}

/// The passes as they run over one function.
struct Spoiled<'a> {
    steps: &'a [MachStep],
    validator: Validator,
    /// A kind, and what chooses the place; the result to be spoiled, 0 for that of the allocation.
    fault: Option<(usize, Random)>,
    spoiled_step: usize,
    was_spoiled: bool,
    /// What the validator says of each result.
    verdicts: Vec<Verdict>,
}

impl Spoiled<'_> {
    /// Spoils a result, if it is its turn, and compares it.
    fn finish_step(&mut self, step: usize, func: &mut MFunc, cx: &MachPassCx<'_>) {
        if step == self.spoiled_step
            && let Some((kind, mut random)) = self.fault.take()
        {
            self.was_spoiled = spoil(func, cx, KINDS[kind], &mut random).is_some();
        }
        let verdict = self.validator.compare(func, cx);
        self.verdicts.push(verdict);
        self.validator.keep(func, true);
    }
}

impl MachPasses for Spoiled<'_> {
    fn run(&mut self, func: &mut MFunc, cx: &mut MachPassCx<'_>) -> Result<(), CodegenError> {
        if !cx.is_allocated {
            return Ok(());
        }
        self.finish_step(0, func, cx);
        for (number, step) in self.steps.iter().enumerate() {
            step.pass.run(func, cx);
            self.finish_step(number + 1, func, cx);
        }
        Ok(())
    }

    fn allocating(&mut self, func: &MFunc) {
        self.validator.keep(func, false);
    }

    fn finished(&mut self, _: &'static str) {}
}

impl Way for MachinePasses {
    fn kinds(&self) -> &'static [&'static str] {
        KINDS
    }

    fn compile(&mut self, subject: &Subject, fault: Option<(usize, Random)>) -> Compiled {
        let Codegen::Select(recipe) = &self.recipe.codegen else {
            return Compiled::Absent;
        };
        let steps = &self.recipe.mach_after[..];
        let is_faulty = fault.is_some();
        let spoiled_step = fault.as_ref().map_or(0, |(_, random)| {
            let mut random = random.clone();
            random.below(steps.len() + 1)
        });
        if is_faulty && self.is_unproved.get(spoiled_step) == Some(&true) {
            return Compiled::Absent;
        }
        let (mut was_spoiled, mut is_unproved) = (false, Vec::new());
        let compiled = subject.run(&mut |number, unit, out| {
            let mut passes = Spoiled {
                steps,
                validator: Validator::default(),
                fault: fault.clone().filter(|_| number == FAULTY),
                spoiled_step,
                was_spoiled: false,
                verdicts: Vec::new(),
            };
            let mut state = OptimizeState::default();
            // What spoiled code does to those who rely on it does not matter when it was rejected.
            let result = catch_unwind(AssertUnwindSafe(|| {
                Target::compile_optimized(&TestIsa, unit, recipe, &mut passes, &mut state, out)
            }));
            was_spoiled |= passes.was_spoiled;
            if number == FAULTY {
                is_unproved = (passes.verdicts.iter())
                    .map(|verdict| matches!(verdict, Verdict::Unproved(_)))
                    .collect();
            }
            let rejected = passes.verdicts.into_iter().find_map(|verdict| match verdict {
                Verdict::Unproved(fault) if is_faulty => Some(fault),
                Verdict::Proved | Verdict::Unproved(_) => None,
                Verdict::Refuted(fault) => Some(fault),
            });
            match (rejected, result) {
                (Some(fault), _) if number == FAULTY => Err(wrong(fault)),
                (_, Ok(result)) => result,
                (_, Err(panic)) => std::panic::resume_unwind(panic),
            }
        });
        if !is_faulty {
            self.is_unproved = is_unproved;
        }
        if is_faulty && !was_spoiled {
            Compiled::Absent
        } else {
            compiled
        }
    }
}

fn wrong(fault: TranslationFault) -> CodegenError {
    CodegenError::WrongTranslation { pass: "a pass", fault }
}

/// Puts a fault of a kind somewhere; `None` if there is no place for it.
fn spoil(func: &mut MFunc, cx: &MachPassCx<'_>, kind: &str, random: &mut Random) -> Option<()> {
    match kind {
        "other register" => other_register(func, cx, random),
        "other symbol" => other_symbol(func, cx, random),
        "other address" => {
            let index = pick(func, random, |inst| {
                desc(cx, inst).roles[1] == Role::Base && !inst.is_symbol()
            })?;
            func.insts[index].disp += 4;
            Some(())
        }
        "other constant" => {
            let has_constant = |inst: &MInst| inst.op < pseudo::FIRST && inst.imm != 0 && is_pure(cx, inst);
            let index = pick(func, random, has_constant)?;
            func.insts[index].imm += 1;
            Some(())
        }
        "other operation" => other_operation(func, cx, random),
        "dropped instruction" => {
            let index = pick(func, random, |inst| inst.op < pseudo::FIRST && !ends_blocks(cx, inst))?;
            func.insts[index] = MInst::new(pseudo::NOP, 0);
            Some(())
        }
        "exchanged neighbors" => exchange(func, cx, random, 1),
        "moved instruction" => {
            let distance = 2 + random.below(4);
            exchange(func, cx, random, distance)
        }
        "inverted branch" => {
            let block = pick_branch(func, random)?;
            let last = func.blocks[block].end as usize - 1;
            func.insts[last] = cx.hooks.invert(func.insts[last]);
            Some(())
        }
        "exchanged edges" => {
            let block = pick_branch(func, random)?;
            let first = func.blocks[block].first_edge as usize;
            let (left, right) = (func.edges[first].to, func.edges[first + 1].to);
            (func.edges[first].to, func.edges[first + 1].to) = (right, left);
            func.compute_predecessors();
            (left != right).then_some(())
        }
        other => unreachable!("{other} is no kind"),
    }
}

fn desc(cx: &MachPassCx<'_>, inst: &MInst) -> &'static OpDesc {
    op_desc(cx.hooks.ops(), inst.op)
}

fn is_pure(cx: &MachPassCx<'_>, inst: &MInst) -> bool {
    inst.op < pseudo::FIRST && desc(cx, inst).is_pure && !desc(cx, inst).has_sets
}

/// Whether an instruction may be what a block ends with.
fn ends_blocks(cx: &MachPassCx<'_>, inst: &MInst) -> bool {
    let desc = desc(cx, inst);
    !desc.is_pure && !desc.has_sets && !desc.reads_memory && !desc.writes_memory
}

/// An instruction outside of groups that fits.
fn pick(func: &MFunc, random: &mut Random, fits: impl Fn(&MInst) -> bool) -> Option<usize> {
    let in_group = |index: usize| func.groups.iter().any(|group| group.contains(&(index as u32)));
    let fitting: Vec<usize> = (0..func.insts.len())
        .filter(|&index| fits(&func.insts[index]) && !in_group(index))
        .collect();
    random.pick_if_any(&fitting)
}

fn pick_branch(func: &MFunc, random: &mut Random) -> Option<usize> {
    let is_branch = |&block: &usize| func.blocks[block].term == Term::Branch(None);
    let blocks: Vec<usize> = (0..func.blocks.len()).filter(is_branch).collect();
    random.pick_if_any(&blocks)
}

/// Another register of the class in one of an instruction's operands.
fn other_register(func: &mut MFunc, cx: &MachPassCx<'_>, random: &mut Random) -> Option<()> {
    let index = pick(func, random, |inst| {
        let mut has_register = false;
        for_each_register(inst, desc(cx, inst), |_, reg, _| has_register |= reg.is_physical());
        has_register && inst.op < pseudo::FIRST
    })?;
    let mut operands = Vec::new();
    let inst = func.insts[index];
    for_each_register(&inst, desc(cx, &inst), |slot, reg, _| operands.push((slot, reg)));
    let (slot, reg) = random.pick_if_any(&operands)?;
    let others: Vec<Reg> = cx.hooks.desc().classes[reg.bank()].allocatable.iter().collect();
    let other = random.pick_if_any(&others)?;
    func.insts[index].set_reg(slot, other);
    (other != reg).then_some(())
}

/// What a call or an address refers to, by the number next to it. Of constants, another that the function loads: one
/// that there is not cannot be emitted, even where nothing uses it.
fn other_symbol(func: &mut MFunc, cx: &MachPassCx<'_>, random: &mut Random) -> Option<()> {
    let index = pick(func, random, |inst| {
        desc(cx, inst).roles[1] == Role::Base && inst.is_symbol()
    })?;
    let inst = func.insts[index];
    let reference = inst.reference()?;
    let other = match reference.kind() {
        RefKind::Constant => {
            let references = func.insts.iter().filter_map(MInst::reference);
            let others: Vec<Ref> = references
                .filter(|other| other.kind() == RefKind::Constant && *other != reference)
                .collect();
            random.pick_if_any(&others)?
        }
        kind => Ref::new(kind, reference.number() ^ 1),
    };
    func.insts[index] = inst.with_mem(Mem::symbol(other, inst.disp));
    Some(())
}

/// Another row with the same operands.
fn other_operation(func: &mut MFunc, cx: &MachPassCx<'_>, random: &mut Random) -> Option<()> {
    let ops = cx.hooks.ops();
    let is_like = |a: &OpDesc, b: &OpDesc| {
        let shape = |row: &OpDesc| (row.roles, row.classes, row.is_pure, row.reads_memory, row.writes_memory);
        shape(a) == shape(b)
    };
    let index = pick(func, random, |inst| {
        is_pure(cx, inst) && desc(cx, inst).roles[1] == Role::Use
    })?;
    let row = desc(cx, &func.insts[index]);
    let others: Vec<u16> = (0..ops.len() as u16)
        .filter(|&op| is_like(&ops[usize::from(op)], row))
        .collect();
    let other = random.pick_if_any(&others)?;
    let is_other = other != func.insts[index].op;
    func.insts[index].op = other;
    is_other.then_some(())
}

/// Moves an instruction past some others of its block.
fn exchange(func: &mut MFunc, cx: &MachPassCx<'_>, random: &mut Random, distance: usize) -> Option<()> {
    let in_group = |func: &MFunc, index: usize| func.groups.iter().any(|group| group.contains(&(index as u32)));
    let may_move = |inst: &MInst| inst.op < pseudo::FIRST && !ends_blocks(cx, inst);
    let places: Vec<usize> = (func.blocks.iter())
        .flat_map(|block| block.start as usize..(block.end as usize).saturating_sub(distance).max(block.start as usize))
        .filter(|&index| {
            let mut range = index..=index + distance;
            range.all(|index| may_move(&func.insts[index]) && !in_group(func, index))
        })
        .collect();
    let index = random.pick_if_any(&places)?;
    func.insts[index..=index + distance].rotate_left(1);
    Some(())
}
