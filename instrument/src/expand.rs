//! Makes code of the calls of hooks: nothing is left of them that code generation would have to know.
//!
//! ```text
//! b0:                                          b0:
//!   hook_call @count(1) : (i64)                  v2 = load i64 @total
//!   store i32 0, v0                              v3 = add i64 v2, 2
//!   hook_call @count(1) : (i64)        ->        store i64 v3, @total
//!   hook_call @other(v0) : (ptr)                 store i32 0, v0
//!   return                                       call @other(v0) : (ptr)
//!                                                return
//! ```
//!
//! Method: what is known of a hook was found once. Additions to numbers in memory whose places and amounts are known at
//! the site are [summed up](crate::merge) within a block, up to calls, which may look at them or not return; bodies
//! that fulfil the criteria are [copied](crate::splice), others by their part before the first branch; the rest is
//! called.
//!
//! Costs: a look at each instruction; a commit if there are hooks. Blocks in which a body with branches is inlined are
//! divided, and what stands after it moves once.

use crate::bind::{Bound, BoundHook};
use crate::decide::{Options, Way};
use crate::known::Known;
use crate::merge::{Sum, Sums};
use crate::splice::{Copied, Splicer, Spot, site};
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{
    Block, Editor, EntityRef, Function, Inst, InstData, MemFlags, Opcode, Operand, SigId, TargetFacts, Type,
};
use frazil_passes::{Book, Overrides, Recipe, Registry};
use std::sync::OnceLock;

/// What the pass says about itself.
pub const INFO: PassInfo = PassInfo {
    name: "expand-hooks",
    summary: "makes code of calls of hooks: sums them up, inlines them or calls them",
    level: Level::Function,
    required: true,
    after: &[Order {
        pass: "instrument",
        reason: "hooks that are put in later would be left over",
    }],
    before: &[],
};

/// Expansion of hooks.
#[derive(Debug)]
pub struct ExpandHooks {
    options: Options,
    cleaner: OnceLock<Recipe>,
}

/// Makes the pass for one step of a recipe, as the registry asks for it.
pub fn make(options: Options) -> ExpandHooks {
    ExpandHooks {
        options,
        cleaner: OnceLock::new(),
    }
}

impl FunctionPass for ExpandHooks {
    fn run(&self, function: &mut Function, cx: &mut PassCx<'_>) -> Result<Preserved, PassError> {
        if !function.insts().iter().any(|data| data.op.is_hook_call()) {
            return Ok(Preserved::unchanged());
        }
        let mut state: Box<State> = cx.take_scratch();
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        state.copied.clear();
        let mut expander = Expander {
            pass: self,
            bound: Bound::of(cx.module),
            target: cx.target,
            pointer_bits: cx.module.data_layout.pointer_bits,
            function,
            editor: &mut editor,
            copied: &mut state.copied,
            counts: Counts::default(),
        };
        let expanded = expander.run();
        let counts = expander.counts;
        expanded?;
        editor.commit(function);
        cx.return_scratch(editor);
        cx.return_scratch(state);
        cx.count("hooks analyzed", counts.analyzed);
        cx.count("calls summed up", counts.merged);
        cx.count("updates for sums", counts.updates);
        cx.count("calls inlined", counts.inlined);
        cx.count("calls inlined partially", counts.partially);
        cx.count("calls left", counts.called);
        Ok(match counts.divided > 0 {
            true => Preserved::none(),
            false => Preserved::cfg(),
        })
    }
}

/// Memory of the pass.
#[derive(Debug, Default)]
struct State {
    copied: Copied,
}

/// How often something was done.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    analyzed: u64,
    merged: u64,
    updates: u64,
    inlined: u64,
    partially: u64,
    called: u64,
    divided: u64,
}

/// What becomes of the hook at an instruction.
#[derive(Clone, Debug)]
enum Plan {
    /// It is part of a sum that stands elsewhere.
    Nothing,
    /// The sums that stand here.
    Sums(Vec<Sum>),
    Whole,
    Fast,
    Call,
}

struct Expander<'a, 'p> {
    pass: &'p ExpandHooks,
    bound: Option<&'p Bound>,
    target: &'p TargetFacts,
    pointer_bits: u32,
    function: &'a mut Function,
    editor: &'a mut Editor,
    copied: &'a mut Copied,
    counts: Counts,
}

impl<'p> Expander<'_, 'p> {
    fn run(&mut self) -> Result<(), PassError> {
        let last = Block::new(self.function.blocks().len() - 1);
        for block in self.function.block_ids() {
            self.block(block, last)?;
        }
        Ok(())
    }

    /// What is known of the hook that an instruction calls.
    fn hook(&mut self, data: &InstData) -> Result<Option<(&'p BoundHook, &'p Known)>, PassError> {
        let symbol = data.a.as_symbol().expect("a hook is a symbol");
        let Some(bound) = self.bound else { return Ok(None) };
        let Some(hook) = bound.hook_of(symbol) else {
            return Ok(None);
        };
        let tool = &bound.tools.all()[hook.tool];
        let (pass, target) = (self.pass, self.target);
        if let Some(known) = tool.hooks[hook.number].known.get() {
            return Ok(Some((hook, known)));
        }
        let cleaner = pass.cleaner()?;
        let known = tool.hooks[hook.number].known.get_or_init(|| {
            self.counts.analyzed += 1;
            Known::new(
                &tool.module,
                &tool.hooks[hook.number].name,
                tool.hooks[hook.number].function,
                (target, cleaner),
                &pass.options,
            )
        });
        Ok(Some((hook, known)))
    }

    fn block(&mut self, block: Block, layout: Block) -> Result<(), PassError> {
        let range = self.function.block_insts(block);
        let hooks: Vec<usize> = (range.clone())
            .filter(|&position| self.function.insts()[position].op.is_hook_call())
            .collect();
        let Some(&first) = hooks.first() else { return Ok(()) };
        let plans = self.plans(first..range.end)?;
        let terminator = *self.function.inst(self.function.terminator(block));
        let mut here = block;
        let mut plans = plans.into_iter();
        for position in first..range.end {
            let inst = Inst::new(position);
            let data = self.function.insts()[position];
            if !data.op.is_hook_call() {
                if here != block && !data.op.is_terminator() && data.op != Opcode::Nop {
                    self.editor.move_to_end(self.function, inst, here);
                }
                continue;
            }
            let spot = match here == block {
                true => Spot::Before(inst),
                false => Spot::End(here),
            };
            match plans.next().expect("there is one for each hook") {
                Plan::Nothing => self.editor.remove(self.function, inst),
                Plan::Sums(sums) => {
                    sums.iter().for_each(|sum| self.update(spot, sum));
                    self.editor.remove(self.function, inst);
                }
                Plan::Call => self.call(spot, inst, &data)?,
                Plan::Whole => here = self.inline((block, here, layout), inst, &data, false)?,
                Plan::Fast => here = self.inline((block, here, layout), inst, &data, true)?,
            }
        }
        if here != block {
            self.counts.divided += 1;
            self.editor.set_terminator(self.function, here, terminator);
            let mut targets = Vec::new();
            self.function
                .for_each_target(&terminator, |target| targets.push(target));
            targets.sort_unstable();
            targets.dedup();
            for target in targets {
                self.editor.copy_edge(target, here, block);
            }
        }
        Ok(())
    }

    /// What becomes of the hooks of a block, in order.
    fn plans(&mut self, range: std::ops::Range<usize>) -> Result<Vec<Plan>, PassError> {
        let mut plans = Vec::new();
        let mut sums = Sums::default();
        for position in range {
            let data = self.function.insts()[position];
            if !data.op.is_hook_call() {
                if may_look_at_sums(&data) {
                    sums.flush(&mut plans, |_| true, Plan::Sums);
                }
                continue;
            }
            let number = plans.len();
            let Some((hook, known)) = self.hook(&data)? else {
                sums.flush(&mut plans, |_| true, Plan::Sums);
                plans.push(Plan::Call);
                continue;
            };
            let symbols = &self.bound.expect("the hook is bound").parts[hook.tool].symbols;
            if let Some(addition) = known
                .analysis
                .addition
                .filter(|_| self.pass.options.merge && self.pass.options.inline)
            {
                let body = &known.analysis.body;
                let site = site(self.function, self.function.call(&data).args, symbols);
                let address = site.address(body, addition.address, 0);
                if let (Some(address), Some(amount)) = (address, site.number(body, addition.amount, 0)) {
                    let access = body.inst(addition.access);
                    sums.add(number, address, (addition.ty, access.flags, access.op), amount);
                    self.counts.merged += 1;
                    plans.push(Plan::Nothing);
                    continue;
                }
            }
            let facts = &known.analysis.facts;
            if facts.calls > 0 || facts.has_unknown_accesses {
                sums.flush(&mut plans, |_| true, Plan::Sums);
            } else {
                let named: Vec<_> = facts.symbols.iter().map(|symbol| symbols[symbol.index()]).collect();
                sums.flush(&mut plans, |sum| named.contains(&sum.address.symbol), Plan::Sums);
            }
            plans.push(match known.way {
                Way::Inlined => Plan::Whole,
                Way::Partially => Plan::Fast,
                Way::Called => Plan::Call,
            });
        }
        sums.flush(&mut plans, |_| true, Plan::Sums);
        Ok(plans)
    }

    /// Adds a sum to its place in memory.
    fn update(&mut self, spot: Spot, sum: &Sum) {
        self.counts.updates += 1;
        let (ty, flags, op) = sum.access;
        let bits = self.function.types().int_bits(ty).unwrap_or(64);
        let amount = frazil_passes::constants::sign_extended(sum.amount, bits);
        let address = self.address(spot, sum);
        let amount = self.function.int_operand(ty, amount);
        if op == Opcode::AtomicRmw {
            self.queue(spot, InstData::new(op, ty, flags, address, amount), Some(ty));
            return;
        }
        let loaded = self.queue(
            spot,
            InstData::new(Opcode::Load, ty, flags, address, Operand::NONE),
            Some(ty),
        );
        let added = self.queue(spot, InstData::new(Opcode::Add, ty, 0, loaded, amount), Some(ty));
        let flags = MemFlags(flags).0;
        self.queue(spot, InstData::new(Opcode::Store, ty, flags, added, address), None);
    }

    fn address(&mut self, spot: Spot, sum: &Sum) -> Operand {
        let (symbol, addend) = (sum.address.symbol, sum.address.addend);
        if sum.address.is_thread_local {
            let data = InstData::new(Opcode::TlsAddr, Type::VOID, 0, Operand::symbol(symbol), Operand::NONE);
            let data = InstData {
                ty: Opcode::TlsAddr.fixed_type().unwrap_or(Type::PTR),
                ..data
            };
            let base = self.queue(spot, data, Some(Type::PTR));
            if addend == 0 {
                return base;
            }
            let int = Type::primitive_int(self.pointer_bits).unwrap_or(Type::I64);
            let distance = self.function.int_operand(int, i128::from(addend));
            return self.queue(
                spot,
                InstData::new(Opcode::PtrAdd, Type::PTR, 0, base, distance),
                Some(Type::PTR),
            );
        }
        match addend {
            0 => Operand::symbol(symbol),
            _ => Operand::constant(self.function.push_symbol_const(Type::PTR, symbol, addend)),
        }
    }

    /// Queues an instruction; `NONE` if it has no result.
    fn queue(&mut self, spot: Spot, data: InstData, result: Option<Type>) -> Operand {
        let value = match spot {
            Spot::Before(inst) => self.editor.insert_before(self.function, inst, data, result),
            Spot::End(block) => self.editor.insert_at_end(self.function, block, data, result),
        };
        value.map_or(Operand::NONE, Operand::value)
    }

    fn call(&mut self, spot: Spot, inst: Inst, data: &InstData) -> Result<(), PassError> {
        self.counts.called += 1;
        let mut call = InstData {
            op: Opcode::Call,
            ..*data
        };
        let mut words = self.function.pooled(data).to_vec();
        if let Some((hook, known)) = self.hook(data)?.filter(|_| self.pass.options.preserve) {
            let sig = self.preserving(hook, known);
            words[1] = Operand::raw(sig.as_u32());
        }
        let start = self.function.push_pool(&words);
        call.b = Operand::raw(start);
        match spot {
            Spot::Before(_) => self.editor.replace(self.function, inst, call),
            Spot::End(block) => {
                self.editor.insert_at_end_into(self.function, block, call);
                self.editor.remove(self.function, inst);
            }
        }
        Ok(())
    }

    /// The signature of a hook that keeps registers.
    fn preserving(&mut self, hook: &BoundHook, known: &Known) -> SigId {
        let number = self.bound.map_or(0, |bound| bound.parts[hook.tool].first_hook) + hook.number;
        if let Some(&sig) = self.copied.entries.get(&number) {
            return sig;
        }
        let mut signature = known.analysis.body.signature().clone();
        signature.call_conv = known.convention;
        let sig = self.function.push_sig(signature);
        self.copied.entries.insert(number, sig);
        sig
    }

    /// Puts the body of a hook in its place; the block in which the program goes on.
    fn inline(
        &mut self,
        (block, here, layout): (Block, Block, Block),
        inst: Inst,
        data: &InstData,
        is_fast: bool,
    ) -> Result<Block, PassError> {
        let (hook, known) = self.hook(data)?.expect("its plan was made of it");
        let bound = self.bound.expect("the hook is bound");
        let part = &bound.parts[hook.tool];
        let body = match (is_fast, &known.analysis.fast) {
            (true, Ok((fast, _))) => fast,
            _ => &known.analysis.body,
        };
        let args = self.function.call(data).args.to_vec();
        let args: Vec<Operand> = args.into_iter().map(|operand| self.editor.resolve(operand)).collect();
        match is_fast {
            true => self.counts.partially += 1,
            false => self.counts.inlined += 1,
        }
        let entry = match is_fast && self.pass.options.preserve {
            true => Some((hook.symbol, self.preserving(hook, known))),
            false => None,
        };
        let mut splicer = Splicer {
            entry,
            function: self.function,
            editor: self.editor,
            copied: self.copied,
            body,
            hook: part.first_hook + hook.number,
            symbols: &part.symbols,
            pointer_bits: self.pointer_bits,
            values: Vec::new(),
        };
        splicer.begin(&args);
        let spot = match here == block {
            true => Spot::Before(inst),
            false => Spot::End(here),
        };
        let path = splicer.straight(&args);
        let next = match &path {
            Some(path) => {
                splicer.copy_straight(spot, path);
                here
            }
            None => splicer.copy_blocks(here, spot, layout),
        };
        self.editor.remove(self.function, inst);
        Ok(next)
    }
}

impl ExpandHooks {
    /// The passes that clean hooks.
    fn cleaner(&self) -> Result<&Recipe, PassError> {
        if let Some(recipe) = self.cleaner.get() {
            return Ok(recipe);
        }
        let registry = Registry::builtin();
        let overrides = Overrides {
            passes: Some(self.options.clean.clone()),
            ..Overrides::default()
        };
        let recipe = Book::new(&registry).recipe("O2", &overrides);
        let recipe = recipe.map_err(|error| PassError::new(format!("the option `clean`: {error}")))?;
        Ok(self.cleaner.get_or_init(|| recipe))
    }
}

/// Whether a counter that is not up to date may be seen during an instruction, or never be brought up to date after it.
fn may_look_at_sums(data: &InstData) -> bool {
    use Opcode as O;
    matches!(
        data.op,
        O::Call | O::Invoke | O::Trap | O::Debugtrap | O::SjljSetjmp | O::SjljLongjmp
    )
}
