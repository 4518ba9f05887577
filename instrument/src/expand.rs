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
//! Method: what is known of a hook was found once, and [plans](crate::plan) are made of it. Additions to numbers in
//! memory whose places and amounts are known at the site are [summed up](crate::merge) between calls, which may look at
//! them or not return; bodies that fulfil the criteria are [copied](crate::splice), others by their part before the
//! first branch; the rest is called.
//!
//! Costs: a look at each instruction; a commit if there are hooks. Blocks in which a body with branches is inlined are
//! divided, and what stands after it moves once. Sums over the whole function take a graph of it.

use crate::bind::{Bound, BoundHook};
use crate::decide::Options;
use crate::emission::Emission;
use crate::evaluate::KnownAddress;
use crate::hooks::HookCode;
use crate::known::Known;
use crate::merge::carry::{self, Carrier};
use crate::merge::derive;
use crate::merge::flow::{self, Flow, Place};
use crate::merge::join::join;
use crate::merge::{Payment, Update, over_regions};
use crate::plan::{Plan, Plans};
use crate::splice::{Copied, Splicer, Spot};
use frazil_ir::domtree::DomTree;
use frazil_ir::loops::LoopTree;
use frazil_ir::module::{PlacedData, SymbolKind};
use frazil_ir::pass::{FunctionPass, Level, Order, PassCx, PassError, PassInfo, Preserved};
use frazil_ir::{
    AnalysisCache, Block, Editor, EntityRef, FuncId, Function, Inst, InstData, Module, Opcode, Operand, SigId,
    SymbolId, TargetFacts, Type,
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
        let SymbolKind::Function(id) = cx.module.symbols[cx.head.symbol].kind else {
            return Ok(Preserved::unchanged());
        };
        let mut state: Box<State> = cx.take_scratch();
        let mut editor: Box<Editor> = cx.take_scratch();
        editor.begin(function);
        state.copied.clear();
        let mut data = Vec::new();
        let mut expander = Expander {
            knower: Knower {
                pass: self,
                bound: Bound::of(cx.module),
                target: cx.target,
                analyzed: 0,
                last: None,
            },
            module: cx.module,
            id,
            pointer_bits: cx.module.data_layout.pointer_bits,
            function,
            editor: &mut editor,
            copied: &mut state.copied,
            counts: Counts::default(),
            data: &mut data,
        };
        let expanded = expander.run(&mut state.plans, cx.analyses);
        let (counts, analyzed) = (expander.counts, expander.knower.analyzed);
        expanded?;
        editor.commit(function);
        if !data.is_empty() {
            function.attachments.get_or_insert_default().data.extend(data);
        }
        cx.return_scratch(editor);
        cx.return_scratch(state);
        cx.count("hooks analyzed", analyzed);
        cx.count("calls summed up", counts.merged);
        cx.count("updates for sums", counts.updates);
        cx.count("updates carried through loops", counts.carried);
        cx.count("numbers derived", counts.derived);
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
    plans: Plans,
}

/// How often something was done.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    merged: u64,
    updates: u64,
    carried: u64,
    derived: u64,
    inlined: u64,
    partially: u64,
    called: u64,
    divided: u64,
}

/// What knows hooks.
struct Knower<'p> {
    pass: &'p ExpandHooks,
    bound: Option<&'p Bound>,
    target: &'p TargetFacts,
    /// How many hooks were looked at for the first time.
    analyzed: u64,
    /// The hook that was asked for last: the next one is the same in most cases.
    last: Option<(SymbolId, &'p BoundHook, &'p Known)>,
}

impl<'p> Knower<'p> {
    /// What is known of the hook that an instruction calls.
    fn hook(&mut self, data: &InstData) -> Result<Option<(&'p BoundHook, &'p Known)>, PassError> {
        let symbol = data.a.as_symbol().expect("a hook is a symbol");
        if let Some((_, hook, known)) = self.last.filter(|last| last.0 == symbol) {
            return Ok(Some((hook, known)));
        }
        let found = self.found(symbol)?;
        self.last = found.map(|(hook, known)| (symbol, hook, known));
        Ok(found)
    }

    fn found(&mut self, symbol: SymbolId) -> Result<Option<(&'p BoundHook, &'p Known)>, PassError> {
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
        let found = &tool.hooks[hook.number];
        let known = found.known.get_or_init(|| {
            self.analyzed += 1;
            match &found.code {
                HookCode::Function(id) => {
                    Known::of_function(&tool.module, &found.name, *id, (target, cleaner), &pass.options)
                }
                HookCode::Machine(machine) => Known::of_machine(&found.name, machine, &found.signature),
            }
        });
        Ok(Some((hook, known)))
    }
}

struct Expander<'a, 'p> {
    knower: Knower<'p>,
    module: &'p Module,
    /// The function's number in its module.
    id: FuncId,
    pointer_bits: u32,
    function: &'a mut Function,
    editor: &'a mut Editor,
    copied: &'a mut Copied,
    counts: Counts,
    /// What the object has for the function beside its code.
    data: &'a mut Vec<PlacedData>,
}

impl Expander<'_, '_> {
    fn run(&mut self, plans: &mut Plans, analyses: &AnalysisCache) -> Result<(), PassError> {
        plans.clear(self.function.blocks().len());
        let options = &self.knower.pass.options;
        let (merges, bound) = (options.merge && options.inline, self.knower.bound);
        plans.make(self.function, bound, merges, |data| self.knower.hook(data))?;
        self.counts.merged += plans.list.iter().filter(|plan| **plan == Plan::Sum).count() as u64;
        let mut emission = Emission::new(&plans.gathered, self.function.blocks().len());
        if !plans.gathered.addends.is_empty() {
            self.place_sums(plans, &mut emission, analyses);
        }
        let last = Block::new(self.function.blocks().len() - 1);
        let mut next = plans.list.iter().copied();
        for block in self.function.block_ids() {
            self.block(block, last, (&mut next, plans, &mut emission))?;
        }
        for (block, payments) in emission.take_edges() {
            payments
                .iter()
                .for_each(|payment| self.update(Spot::End(block), payment, plans));
        }
        Ok(())
    }

    /// Says what is added where.
    fn place_sums(&mut self, plans: &mut Plans, emission: &mut Emission, analyses: &AnalysisCache) {
        let options = &self.knower.pass.options;
        let gathered = &mut plans.gathered;
        let is_one_block = self.function.blocks().len() == 1;
        if is_one_block || !(options.regions || options.carry) {
            for addend in &gathered.addends {
                let place = Place::Part(addend.part);
                emission.add(self.function, self.editor, place, addend.cell, addend.amount);
            }
            return;
        }
        let loops = analyses.get::<LoopTree>(self.function);
        let dominators = analyses.get::<DomTree>(self.function);
        let flow = Flow::new(&flow::Input {
            function: self.function,
            loops,
            dominators,
            parts: &gathered.parts,
            is_fixed: &|block| plans.is_divided[block.index()],
        });
        let mut updates = gathered.by_parts(|part| flow.edges[part as usize].frequency);
        if options.regions {
            let derived = self.derive(&flow, plans, &mut updates);
            updates = over_regions(&flow, updates);
            updates.extend(derived);
            join(
                self.function,
                dominators,
                &plans.gathered,
                &flow.frequencies,
                &mut updates,
            );
        }
        let gathered = &plans.gathered;
        if options.carry {
            let input = carry::Input {
                loops,
                dominators,
                is_busy: &plans.is_busy,
                frequencies: &flow.frequencies,
                int_registers: u32::from(self.knower.target.int_registers),
                pointer_bits: self.pointer_bits,
            };
            let mut carrier = Carrier::new(&input, self.function, self.editor, emission);
            let type_of = |cell: u32| gathered.cells[cell as usize].access.0;
            self.counts.carried += carrier.run(&mut updates, type_of, |part| gathered.parts[part as usize].block);
        }
        for update in updates {
            emission.add(self.function, self.editor, update.place, update.cell, update.amount);
        }
    }

    /// Takes the updates of numbers away that follow from others; returns those that are to be counted instead.
    fn derive(&mut self, flow: &Flow, plans: &mut Plans, updates: &mut Vec<Update>) -> Vec<Update> {
        let mut counted = Vec::new();
        let Some(bound) = self.knower.bound else { return counted };
        for (number, tool) in bound.tools.all().iter().enumerate().filter(|(_, tool)| tool.derive) {
            let Some((own, data)) = bound.own(number, self.id).and_then(|own| Some((own, own.derived?))) else {
                continue;
            };
            let (theirs, others) = plans.derivable(own.counters, std::mem::take(updates));
            *updates = others;
            let number_of = |cell: u32| {
                let address = plans.gathered.cells[cell as usize].address;
                (address.addend / crate::records::COUNTER_BYTES as i64) as u32
            };
            let Some(derived) = derive::derive(flow, &theirs, number_of) else {
                updates.extend(theirs);
                continue;
            };
            let like = plans.gathered.cells[theirs[0].cell as usize];
            self.counts.derived += (theirs.len() - derived.counted.len().min(theirs.len())) as u64;
            counted.extend(derived.counted.iter().map(|&(edge, name)| Update {
                cell: plans.gathered.cell(derive::cell_of(name, (own, data), &like)),
                place: flow.edges[edge as usize].place,
                amount: 1,
                frequency: flow.edges[edge as usize].frequency,
            }));
            let address_bytes = (self.pointer_bits / 8) as u8;
            self.data
                .extend(derive::data(&tool.name, (own, data), &derived, address_bytes));
        }
        counted
    }

    fn block(
        &mut self,
        block: Block,
        layout: Block,
        (next, plans, emission): (&mut impl Iterator<Item = Plan>, &Plans, &mut Emission),
    ) -> Result<(), PassError> {
        let range = self.function.block_insts(block);
        let terminator = *self.function.inst(self.function.terminator(block));
        let mut here = block;
        let mut parts = emission.parts(block).peekable();
        for position in range {
            let inst = Inst::new(position);
            let data = self.function.insts()[position];
            let spot = match here == block {
                true => Spot::Before(inst),
                false => Spot::End(here),
            };
            while let Some(part) = parts.next_if(|&part| plans.gathered.parts[part as usize].anchor == inst) {
                let payments = emission.of_part(part);
                payments.iter().for_each(|payment| self.update(spot, payment, plans));
            }
            if !data.op.is_hook_call() {
                if here != block && !data.op.is_terminator() && data.op != Opcode::Nop {
                    self.editor.move_to_end(self.function, inst, here);
                }
                continue;
            }
            match next.next().expect("there is one for each hook") {
                Plan::Sum => self.editor.remove(self.function, inst),
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

    /// Adds to a number in memory.
    fn update(&mut self, spot: Spot, payment: &Payment, plans: &Plans) {
        let cell = plans.gathered.cells[payment.cell as usize];
        let (ty, flags, op) = cell.access;
        let bits = self.function.types().int_bits(ty).unwrap_or(64);
        let number = frazil_passes::constants::sign_extended(payment.amount, bits);
        let mut terms = payment.values.clone();
        if number != 0 {
            terms.push(self.function.int_operand(ty, number));
        }
        let Some(&first) = terms.first() else { return };
        self.counts.updates += 1;
        let add = |left, right| InstData::new(Opcode::Add, ty, 0, left, right);
        let amount = (terms[1..].iter()).fold(first, |sum, &term| self.queue(spot, add(sum, term), Some(ty)));
        let address = self.address(spot, cell.address);
        if op == Opcode::AtomicRmw {
            self.queue(spot, InstData::new(op, ty, flags, address, amount), Some(ty));
            return;
        }
        let load = InstData::new(Opcode::Load, ty, flags, address, Operand::NONE);
        let loaded = self.queue(spot, load, Some(ty));
        let sum = self.queue(spot, add(loaded, amount), Some(ty));
        self.queue(spot, InstData::new(Opcode::Store, ty, flags, sum, address), None);
    }

    fn address(&mut self, spot: Spot, address: KnownAddress) -> Operand {
        let KnownAddress { symbol, addend, .. } = address;
        if address.is_thread_local {
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
        if let Some((hook, known)) = self.knower.hook(data)?.filter(|_| self.knower.pass.options.preserve) {
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
        let number = self.knower.bound.map_or(0, |bound| bound.parts[hook.tool].first_hook) + hook.number;
        if let Some(&sig) = self.copied.entries.get(&number) {
            return sig;
        }
        let sig = self.function.push_sig(known.entry.clone());
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
        let (hook, known) = self.knower.hook(data)?.expect("its plan was made of it");
        let bound = self.knower.bound.expect("the hook is bound");
        let part = &bound.parts[hook.tool];
        let analysis = known.analysis.as_ref().expect("its plan was made of its body");
        let body = match (is_fast, &analysis.fast) {
            (true, Ok((fast, _))) => fast,
            _ => &analysis.body,
        };
        let mut args = std::mem::take(&mut self.copied.args);
        args.clear();
        args.extend_from_slice(self.function.call(data).args);
        args.iter_mut()
            .for_each(|operand| *operand = self.editor.resolve(*operand));
        match is_fast {
            true => self.counts.partially += 1,
            false => self.counts.inlined += 1,
        }
        let entry = match is_fast && self.knower.pass.options.preserve {
            true => Some((hook.symbol, self.preserving(hook, known))),
            false => None,
        };
        let mut splicer = Splicer {
            entry,
            function: self.function,
            module: self.module,
            editor: self.editor,
            copied: self.copied,
            body,
            hook: part.first_hook + hook.number,
            is_fast,
            symbols: &part.symbols,
            pointer_bits: self.pointer_bits,
        };
        let spot = match here == block {
            true => Spot::Before(inst),
            false => Spot::End(here),
        };
        let next = splicer.copy_body(&args, (here, spot, layout));
        self.copied.args = args;
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
