//! Legalisation by type: makes a function without vectors that fit no register.
//!
//! ```text
//! v2 = add <8 x i32> v0, v1
//! ```
//! becomes, where registers have 16 bytes,
//! ```text
//! v4 = add <4 x i32> v0, v2
//! v5 = add <4 x i32> v1, v3
//! ```
//! A copy of the function is made in one walk over its blocks, which keep their numbers ([`rebuild`](super::rebuild));
//! how each type is spread is decided before ([`layout`](super::layout)). Phis are opened with as many values as their
//! type is spread over, and get their operands at the end, when everything is known. All other instructions are done
//! value by value, or lane by lane. What the target then has no instructions for is left to
//! [`expand`](super::expand).
//!
//! It runs before any analysis, over functions in which the reader saw vectors ([`Function::has_vectors`]) and that
//! need it, or once a type was refused; passes of recipes see vectors as they were written.

use super::average;
use super::division::Division;
use super::layout::Layouts;
use super::mask_bits;
use super::narrow::Narrow;
use super::pieces;
use super::promote;
use super::rebuild::{Rebuild, is_vector_of_addresses};
use super::signatures::{Abi, Plan, Received};
use super::totals;
use super::width::{self, is_plain_call, is_text};
use crate::abi::ArgLayout;
use crate::error::CodegenError;
use crate::isa::Isa;
use crate::unit::Unit;
use frazil_ir::masked::Masked;
use frazil_ir::typing::is_reduction;
use frazil_ir::{
    Block, CallConv, CallFlags, EntityRef, Format, Function, Inst, InstData, Module, Opcode, Operand, Refusal, SigId,
    Signature, Type, TypeTable,
};
use frazil_support::FxHashMap;

/// Bytes of the widest vectors that are known to be passed in one register by a function that may do without wider
/// ones: processors and options decide it for each.
const SPARING_BYTES: u32 = 32;

/// The function with legal types only; `None` if it has no others. With a list, what is not supported in single
/// instructions is put there, and its results are poison.
///
/// # Errors
/// What is not supported, by name and place.
pub(super) fn legalize<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    refused: Option<&mut Vec<CodegenError>>,
) -> Result<Option<Function>, CodegenError> {
    let layouts = Layouts::of(isa, unit);
    let mut walk_over = |walk: &mut Walk<'_>| {
        let own = walk.own_plan()?;
        if !walk.needs_work(&own)? {
            return Ok(false);
        }
        walk.run(unit, &own)?;
        Ok(true)
    };
    with_walk(isa, unit, &layouts, refused, &mut walk_over)
}

/// The function after the [first stage](promote), if that has something to do. What it refuses is left to the second,
/// which sees it as it was written.
pub(super) fn first_stage<I: Isa>(isa: &I, unit: &Unit<'_>) -> Option<Function> {
    let layouts = promote::layouts(isa, unit)?;
    // What is passed as it is written is one value; masks that are wanted in pieces, and are not promoted, would not
    // be.
    let signature = unit.function.signature();
    let mut passed = signature.params.iter().chain(&signature.returns);
    if passed.any(|param| layouts.real(param.ty).count() > 1 && !layouts.is_promoted(param.ty)) {
        return None;
    }
    let mut walk_over = |walk: &mut Walk<'_>| {
        walk.is_first_stage = true;
        if layouts.has_bits() {
            walk.rebuild.wanted_bits = mask_bits::wanted(unit.function);
        }
        let own = Plan::unchanged(unit.function.signature());
        walk.run(unit, &own).map(|()| true)
    };
    with_walk(isa, unit, &layouts, None, &mut walk_over).ok().flatten()
}

/// What `walk_over` makes of a function, if it says that it has made something.
fn with_walk<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    layouts: &Layouts,
    refused: Option<&mut Vec<CodegenError>>,
    walk_over: &mut dyn FnMut(&mut Walk<'_>) -> Result<bool, CodegenError>,
) -> Result<Option<Function>, CodegenError> {
    let old = unit.function;
    let in_memory = |signature: &Signature, types: &TypeTable| {
        let Some(conv) = isa.convention(signature.call_conv) else {
            return false;
        };
        let mut layout = ArgLayout::default();
        let parts_of = |ty| isa.parts(types, ty);
        let computed = layout.compute(signature, conv, conv.stack_align, types, parts_of);
        computed.is_err() || layout.returns_in_memory
    };
    let by_value = |conv: CallConv, ty: Type| match isa.convention(conv) {
        Some(conv) if conv.memory_args.contains(&ty) => conv.short_memory_bytes,
        _ => 0,
    };
    let abi = Abi {
        returns_in_memory: &in_memory,
        by_value: &by_value,
        result_align: (isa.convention(CallConv::C)).map_or(16, |conv| conv.result_align.into()),
        widest_bytes: isa.widest_passed_vector(unit.view.features).into(),
        short_bytes: (isa.convention(CallConv::C)).map_or(0, |conv| conv.short_vector_bytes.into()),
        mask_lanes: isa.widest_passed_mask(unit.view.features),
        known_bytes: match unit.head.spares_wide_vectors {
            true => SPARING_BYTES,
            false => isa.desc().passed_vector_bytes.max(isa.desc().vector_bytes).into(),
        },
    };
    let division = |name: &str| isa.division(name);
    let has_operation = |data: &InstData| isa.has_vector_operation(old, unit.view, data);
    let mut walk = Walk {
        module: unit.view.module,
        rebuild: Rebuild::new(old, layouts, unit.view.module.data_layout.pointer_bits),
        abi: &abi,
        plans: Vec::new(),
        plan_of: FxHashMap::default(),
        memory: None,
        arrivals: FxHashMap::default(),
        operands: Vec::new(),
        unneeded: Vec::new(),
        totals: Vec::new(),
        division: &division,
        has_operation: &has_operation,
        has_high_products: &|bits| isa.has_high_products(bits),
        has_extending_loads: isa.has_extending_loads(unit.view.features),
        pieces: FxHashMap::default(),
        masks_are_bits: isa.masks_are_bits(unit.view.features),
        has_lane_masks: isa.has_lane_masks(unit.view.features),
        refused,
        is_first_stage: false,
    };
    Ok(walk_over(&mut walk)?.then_some(walk.rebuild.new))
}

/// The walk over the old function.
struct Walk<'a> {
    module: &'a Module,
    rebuild: Rebuild<'a>,
    abi: &'a Abi<'a>,
    plans: Vec<(Plan, SigId)>,
    /// By signature of the old function, which of the plans it has.
    plan_of: FxHashMap<SigId, usize>,
    /// The address of the memory for the function's results, if they are in memory.
    memory: Option<Operand>,
    /// By block, the invoke whose results are converted at its start.
    arrivals: FxHashMap<Block, (InstData, usize, Received)>,
    operands: Vec<Operand>,
    /// See [`average::unneeded`].
    unneeded: Vec<bool>,
    /// See [`totals::find`], in the order of the function.
    totals: Vec<Inst>,
    /// How intrinsics of the target are done with narrower ones, by their names.
    division: &'a dyn Fn(&str) -> Option<Division>,
    /// Whether the target has instructions for one of the old function.
    has_operation: &'a dyn Fn(&InstData) -> bool,
    /// Whether lanes of so many bits have upper halves of products.
    has_high_products: &'a dyn Fn(u32) -> bool,
    /// See [`Isa::has_extending_loads`].
    has_extending_loads: bool,
    /// Loads that are done in pieces of so many lanes.
    pieces: FxHashMap<Inst, u32>,
    /// See [`Isa::masks_are_bits`].
    masks_are_bits: bool,
    /// See [`Isa::has_lane_masks`].
    has_lane_masks: bool,
    /// What is refused, if all of it is to be found.
    refused: Option<&'a mut Vec<CodegenError>>,
    /// Whether this is the [first stage](promote), which does not touch what is passed.
    is_first_stage: bool,
}

impl Walk<'_> {
    fn own_plan(&mut self) -> Result<Plan, CodegenError> {
        let signature = self.rebuild.old.signature().clone();
        Plan::of(&mut self.rebuild, self.abi, &signature)
    }

    /// Whether anything is to be changed.
    fn needs_work(&mut self, own: &Plan) -> Result<bool, CodegenError> {
        let old = self.rebuild.old;
        let layouts = self.rebuild.layouts;
        let is_whole = |ty: Type| layouts.get(ty).is_whole();
        if layouts.has_wide() {
            self.rebuild.new.use_wide_vectors();
            return Ok(true);
        }
        if !self.find_totals().is_empty()
            || !own.is_same
            || old.values().iter().any(|value| !is_whole(value.ty))
            || old.insts().iter().any(|data| !is_whole(data.ty))
        {
            return Ok(true);
        }
        for data in old.insts() {
            if data.op == Opcode::Call && (self.masked(data).is_some() || self.is_always_divided(data)) {
                return Ok(true);
            }
            if self.is_text_of_registers(data) && self.rebuild.has_masks(data) {
                return Ok(true);
            }
            if matches!(data.op.format(), Format::Call | Format::Invoke) && is_plain_call(data) {
                // What is refused is refused where it stands.
                let plan = self.plan(old.call(data).sig);
                if plan.is_err() || plan.is_ok_and(|plan| !self.plans[plan].0.is_same) {
                    return Ok(true);
                }
            }
        }
        // A constant may have a type that no value has.
        let has_address = |operand: Operand| is_vector_of_addresses(old, operand);
        Ok(old.insts().iter().any(|data| {
            let mut found = self.is_concerned(data);
            old.for_each_operand(data, |operand| found |= has_address(operand));
            found
        }))
    }

    /// Differences of bytes and products of words that are added up, if the target has instructions for that.
    fn find_totals(&self) -> Vec<Inst> {
        totals::find(self.rebuild.old, self.has_operation)
    }

    /// The number of the plan for a signature of the old function.
    fn plan(&mut self, sig: SigId) -> Result<usize, CodegenError> {
        if let Some(&plan) = self.plan_of.get(&sig) {
            return Ok(plan);
        }
        let old = self.rebuild.old;
        let plan = Plan::of(&mut self.rebuild, self.abi, old.sig(sig))?;
        let new = match plan.is_same {
            true => sig,
            false => self.rebuild.new.push_sig(plan.signature.clone()),
        };
        self.plans.push((plan, new));
        self.plan_of.insert(sig, self.plans.len() - 1);
        Ok(self.plans.len() - 1)
    }

    fn run(&mut self, unit: &Unit<'_>, own: &Plan) -> Result<(), CodegenError> {
        let old = self.rebuild.old;
        self.unneeded = average::unneeded(old, |data| self.average(data).is_some());
        self.totals = self.find_totals();
        for &inst in &self.totals {
            self.unneeded.resize(old.insts().len(), false);
            let unneeded = &mut self.unneeded;
            totals::unneeded(old, old.inst(inst), &mut |inst| unneeded[inst.index()] = true);
        }
        for data in old.insts() {
            if let Some(narrow) = self.narrow(data) {
                self.unneeded.resize(old.insts().len(), false);
                let unneeded = &mut self.unneeded;
                narrow.unneeded(old, &mut |inst| unneeded[inst.index()] = true);
            }
        }
        // After the others: what is not computed takes no comparison.
        if self.rebuild.layouts.has_wide() {
            self.mark_comparisons();
        }
        if self.has_extending_loads {
            self.find_pieces();
        }
        self.memory = self.rebuild.take_params(own);
        self.rebuild.copy_slots()?;
        for block in old.block_ids() {
            self.rebuild.new.begin_block();
            let range = old.block_insts(block);
            let mut next = range.start;
            while next < range.end && matches!(old.insts()[next].op, Opcode::Phi | Opcode::Nop) {
                let data = old.insts()[next];
                if data.op == Opcode::Phi {
                    let inst = Inst::new(next);
                    let opened = self.open_phi(inst, block);
                    self.keep(&data, opened.map_err(|error| error.at(old, unit.view.module, inst)))?;
                }
                next += 1;
            }
            if block.index() == 0 {
                self.rebuild.define_params(own)?;
            }
            let mut is_arrived = false;
            for index in next..range.end {
                let data = old.insts()[index];
                if !is_arrived && data.op != Opcode::LandingPad {
                    is_arrived = true;
                    self.arrive(block)?;
                }
                if self.unneeded.get(index).is_some_and(|&is_unneeded| is_unneeded) {
                    continue;
                }
                let inst = Inst::new(index);
                let first = self.rebuild.new.insts().len();
                let outcome = if self.totals.binary_search(&inst).is_ok() {
                    self.rebuild.total_of_terms(&data)
                } else if let Some(&lanes) = self.pieces.get(&inst) {
                    self.rebuild.load_pieces(&data, lanes)
                } else if self.rebuild.concerns_promoted(&data) {
                    self.promoted_instruction(&data, own)
                } else if self.rebuild.concerns_wide(&data) {
                    self.wide_instruction(&data, own)
                } else {
                    self.instruction(&data, own)
                };
                self.keep(&data, outcome.map_err(|error| error.at(old, unit.view.module, inst)))?;
                if old.debug.is_on() {
                    self.rebuild.follow(index, first);
                }
            }
        }
        if old.debug.is_on() {
            self.rebuild.follow_variables();
        }
        if !self.arrivals.is_empty() {
            return Err(CodegenError::unsupported(
                Refusal::Vector,
                "vectors returned by an invoke to a block that comes before it",
            ));
        }
        assert!(self.rebuild.is_complete(), "a value that is used is not defined");
        self.rebuild.new.compute_cfg();
        self.fill_phis()
    }

    /// Keeps a refusal and goes on with poison, if all refusals are to be found.
    fn keep(&mut self, data: &InstData, outcome: Result<(), CodegenError>) -> Result<(), CodegenError> {
        let Err(error) = outcome else {
            return Ok(());
        };
        match &mut self.refused {
            Some(refused) if data.op != Opcode::Invoke => refused.push(error),
            _ => return Err(error),
        }
        if data.op == Opcode::Return {
            let data = InstData::new(Opcode::Unreachable, Type::VOID, 0, Operand::NONE, Operand::NONE);
            self.rebuild.new.push_inst(data);
        }
        for result in self.rebuild.old.results(data) {
            let poison = self.rebuild.poison(self.rebuild.layout_of(result))?;
            self.rebuild.define(result, poison)?;
        }
        Ok(())
    }

    /// Opens a phi for each value that the old one's type is spread over.
    fn open_phi(&mut self, inst: Inst, block: Block) -> Result<(), CodegenError> {
        let rebuild = &mut self.rebuild;
        let data = *rebuild.old.inst(inst);
        let room = rebuild.old.predecessors(block).len();
        rebuild.layouts.check(rebuild.old.types(), data.ty)?;
        let result = data.first_result().expect("a phi has a result");
        rebuild.open_phis(inst, result, data.flags, room)
    }

    fn fill_phis(&mut self) -> Result<(), CodegenError> {
        let phis = std::mem::take(&mut self.rebuild.phis);
        for (new, old) in phis {
            let data = *self.rebuild.old.inst(old);
            self.operands.clear();
            self.operands.extend_from_slice(self.rebuild.old.list(&data));
            let count = self.rebuild.layouts.get(data.ty).count();
            let mut spans = Vec::with_capacity(self.operands.len());
            for index in 0..self.operands.len() {
                spans.push(self.rebuild.source(self.operands[index])?.span);
            }
            for part in 0..count {
                let phi = Inst::new(new.index() + part as usize);
                let rebuild = &mut self.rebuild;
                let operands: Vec<Operand> = spans.iter().map(|&span| rebuild.part(span, part)).collect();
                let mut columns = rebuild.new.phi_columns(phi, operands.len());
                for (column, operand) in operands.into_iter().enumerate() {
                    columns.fill(column, operand);
                }
            }
        }
        Ok(())
    }

    /// Converts the results of an invoke at the start of its normal target.
    fn arrive(&mut self, block: Block) -> Result<(), CodegenError> {
        let Some((data, plan, received)) = self.arrivals.remove(&block) else {
            return Ok(());
        };
        self.rebuild.take_results(&data, &self.plans[plan].0, received)
    }

    /// An instruction that has to do with promoted masks.
    fn promoted_instruction(&mut self, data: &InstData, own: &Plan) -> Result<(), CodegenError> {
        if self.rebuild.on_promoted(data)? || self.is_done_by_lane_mask(data)? {
            return Ok(());
        }
        self.rebuild.layouts.set_narrow(true);
        // Intrinsics do; nothing else is passed masks without a register for them.
        self.rebuild.takes_bits = data.op == Opcode::Call;
        let outcome = self.instruction(data, own);
        self.rebuild.layouts.set_narrow(false);
        self.rebuild.takes_bits = false;
        outcome
    }

    /// An instruction that has to do with types that are computed wide.
    fn wide_instruction(&mut self, data: &InstData, own: &Plan) -> Result<(), CodegenError> {
        if self.is_done_by_bits(data) {
            return match data.op {
                op if op.is_icmp() || op.is_fcmp() => self.rebuild.compare_to_bits(data),
                _ => self.rebuild.take_bits(data, self.has_operation),
            };
        }
        if let Some((_, compare)) = self.done_comparison(data) {
            return self.rebuild.on_comparison(data, &compare);
        }
        if self.is_done_by_lane_mask(data)? {
            return Ok(());
        }
        let is_narrow = self.average(data).is_some() || self.narrow(data).is_some();
        let is_done =
            is_narrow || self.is_whole(data) || self.rebuild.is_done_wide(data, self.has_wide_operation(data), None);
        self.rebuild.layouts.set_narrow(!is_done);
        let outcome = self.instruction(data, own);
        self.rebuild.layouts.set_narrow(false);
        outcome
    }

    /// Whether the target has instructions for an operation, or for others that it becomes.
    fn has_wide_operation(&self, data: &InstData) -> bool {
        width::is_rewritten(self.rebuild.old, data, self.has_operation) || (self.has_operation)(data)
    }

    fn is_done_by_bits(&self, data: &InstData) -> bool {
        self.masks_are_bits && self.rebuild.is_done_by_bits(data) && self.has_wide_operation(data)
    }

    /// The comparison that an instruction on wide values is done together with.
    fn taken_comparison(&self, data: &InstData) -> Option<(Inst, InstData)> {
        match self.masks_are_bits {
            true if self.is_done_by_bits(data) => self.rebuild.comparison_to_bits(data, self.has_operation),
            true => None,
            false => self.done_comparison(data),
        }
    }

    /// The same where masks are no bits.
    fn done_comparison(&self, data: &InstData) -> Option<(Inst, InstData)> {
        let (inst, compare) = self.rebuild.taken_comparison(data)?;
        if self.masks_are_bits || !self.rebuild.concerns_wide(data) {
            return None;
        }
        let has_instructions = (self.has_operation)(&compare) && self.has_wide_operation(data);
        let is_done = has_instructions && self.rebuild.is_done_wide(data, true, Some(&compare));
        is_done.then_some((inst, compare))
    }

    /// Marks comparisons of wide values that everything which takes their masks is done together with.
    fn mark_comparisons(&mut self) {
        let old = self.rebuild.old;
        let mut uses: FxHashMap<Inst, u32> = FxHashMap::default();
        for (index, data) in old.insts().iter().enumerate() {
            if self.unneeded.get(index) != Some(&true)
                && let Some((compare, _)) = self.taken_comparison(data)
            {
                *uses.entry(compare).or_default() += 1;
            }
        }
        for (&compare, &uses) in &uses {
            let result = old.inst(compare).first_result();
            if result.is_some_and(|result| old.use_count(result) == uses) {
                self.unneeded.resize(old.insts().len(), false);
                self.unneeded[compare.index()] = true;
            }
        }
    }

    /// Finds loads that are done in pieces.
    fn find_pieces(&mut self) {
        let old = self.rebuild.old;
        for (index, data) in old.insts().iter().enumerate() {
            let Some(load) = pieces::extended(old, data) else {
                continue;
            };
            let is_left_out = |inst: usize| self.unneeded.get(inst) == Some(&true);
            if is_left_out(index) || is_left_out(load.index()) {
                continue;
            }
            if let Some(lanes) = self.rebuild.piece_of(old.inst(load), data) {
                self.pieces.insert(load, lanes);
            }
        }
    }

    /// How a truncation is done in narrow lanes, if its lanes are vectors' here.
    fn narrow(&self, data: &InstData) -> Option<Narrow> {
        if data.op != Opcode::Trunc || self.rebuild.layouts.get(data.ty).is_scalarised() {
            return None;
        }
        Narrow::of(self.rebuild.old, data, self.has_high_products)
    }

    /// What an instruction is the average of, if its lanes are vectors' here.
    fn average(&self, data: &InstData) -> Option<[Operand; 2]> {
        let operands = average::operands(self.rebuild.old, data)?;
        (!self.rebuild.layouts.get(data.ty).is_scalarised()).then_some(operands)
    }

    fn instruction(&mut self, data: &InstData, own: &Plan) -> Result<(), CodegenError> {
        let rebuild = &mut self.rebuild;
        match data.op {
            Opcode::Nop => return Ok(()),
            Opcode::Phi => unreachable!("phis come first in a block"),
            Opcode::Return if !own.is_same => return rebuild.give_results(data, own, self.memory),
            Opcode::Call | Opcode::Invoke => return self.call(data),
            _ => {}
        }
        if !self.rebuild.bits_of_masks.is_empty()
            && (self.rebuild.cast_back(data)? || self.rebuild.combine_bits(data)?)
        {
            return Ok(());
        }
        // Also where its types are legal: what it is made of was left out.
        if let Some(operands) = self.average(data) {
            return self.rebuild.average(data, operands);
        }
        if let Some(narrow) = self.narrow(data) {
            return self.rebuild.narrow(data, &narrow);
        }
        if !self.is_concerned(data) {
            return self.copy(data);
        }
        self.check(data)?;
        let rebuild = &mut self.rebuild;
        match data.op {
            Opcode::Load => rebuild.load(data),
            Opcode::Store => rebuild.store(data),
            Opcode::ExtractElement => rebuild.extract(data),
            Opcode::InsertElement => rebuild.insert(data),
            Opcode::Shuffle => rebuild.shuffle_spread(data),
            Opcode::Bitcast => rebuild.bitcast(data),
            op if is_reduction(op) => rebuild.reduce(data),
            _ if Rebuild::is_lanewise(data) => rebuild.each_lane(data),
            _ => Err(rebuild.refuse(data)),
        }
    }

    /// Whether an instruction has to do with a type that is spread.
    fn is_concerned(&self, data: &InstData) -> bool {
        let (old, layouts) = (self.rebuild.old, self.rebuild.layouts);
        let is_spread = |ty: Type| !layouts.get(ty).is_whole();
        let mut found = is_spread(data.ty) || old.results(data).any(|value| is_spread(old.value(value).ty));
        let is_mask = |slot: u32| data.op == Opcode::Shuffle && slot == 2;
        let mut slot = 0;
        old.for_each_operand(data, |operand| {
            found |= !is_mask(slot) && old.operand_type(operand).is_some_and(is_spread);
            slot += 1;
        });
        found
    }

    /// Refuses an instruction that has to do with lanes which nothing can be done with.
    fn check(&self, data: &InstData) -> Result<(), CodegenError> {
        let (old, layouts) = (self.rebuild.old, self.rebuild.layouts);
        layouts.check(old.types(), data.ty)?;
        for result in old.results(data) {
            layouts.check(old.types(), old.value(result).ty)?;
        }
        let mut outcome = Ok(());
        old.for_each_operand(data, |operand| {
            if let Some(ty) = old.operand_type(operand).filter(|_| outcome.is_ok()) {
                outcome = layouts.check(old.types(), ty);
            }
        });
        outcome
    }

    /// Copies an instruction all of whose types are legal.
    fn copy(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let rebuild = &mut self.rebuild;
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        rebuild.old.for_each_operand(data, |operand| operands.push(operand));
        for operand in &mut operands {
            *operand = rebuild.single(*operand)?;
        }
        let mut next = operands.iter();
        let old = rebuild.old;
        let copy = rebuild.new.copy_mapped(*data, old.pooled(data), |operand| {
            next.next().copied().unwrap_or(operand)
        });
        self.operands = operands;
        self.rebuild.append_results(copy, data)
    }

    fn call(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let sig = self.rebuild.old.call(data).sig;
        if !is_plain_call(data) {
            let is_concerned = self.is_concerned(data);
            if (is_concerned || self.rebuild.has_masks(data)) && self.is_text_of_registers(data) {
                return self.rebuild.whole(data);
            }
            if let Some(masked) = self.masked(data).filter(|_| is_concerned || !self.is_first_stage) {
                if self.is_whole(data) {
                    return self.rebuild.whole(data);
                }
                return match self.is_done_by_lane_mask(data)? {
                    true => Ok(()),
                    false => self.rebuild.masked(data, masked),
                };
            }
            return match self.division(data) {
                Some(division) if is_concerned || self.is_always_divided(data) && !self.is_first_stage => {
                    self.rebuild.divided(data, division)
                }
                None if is_concerned => Err(self.refuse_call(data)),
                _ => self.copy(data),
            };
        }
        if self.is_first_stage {
            return self.copy(data);
        }
        let plan = self.plan(sig)?;
        if self.plans[plan].0.is_same {
            return self.copy(data);
        }
        let (of_call, new) = &self.plans[plan];
        let Some(received) = self.rebuild.call(data, of_call, *new)? else {
            return Ok(());
        };
        if data.op == Opcode::Call {
            return self.rebuild.take_results(data, of_call, received);
        }
        let normal = self.rebuild.old.invoke_targets(data).0;
        if self.rebuild.old.predecessors(normal).len() != 1 {
            return Err(CodegenError::unsupported(
                Refusal::Vector,
                "vectors returned by an invoke to a block that is entered otherwise, too",
            ));
        }
        self.arrivals.insert(normal, (*data, plan, received));
        Ok(())
    }

    /// Whether a call is a text of assembly all of whose vectors the function's registers hold as they are. Masks are
    /// integers of their bits there, as in the registers for them.
    fn is_text_of_registers(&self, data: &InstData) -> bool {
        if !is_text(data) {
            return false;
        }
        let (old, layouts) = (self.rebuild.old, self.rebuild.layouts);
        let widest_bits = 8 * u64::from(self.abi.widest_bytes.min(self.abi.known_bytes));
        let sig = old.sig(old.call(data).sig);
        sig.params.iter().chain(&sig.returns).all(|param| {
            let layout = layouts.get(param.ty);
            let bits = u64::from(layout.lanes) * old.types().bits(layout.element, self.rebuild.pointer_bits);
            let is_mask = layout.element == Type::I1;
            is_mask || layout.is_whole() || matches!(bits, 256 | 512) && bits <= widest_bits
        })
    }

    /// Does a load or store under a mask at once, if the target can; `false` if it is another instruction.
    fn is_done_by_lane_mask(&mut self, data: &InstData) -> Result<bool, CodegenError> {
        let may_be = self.has_lane_masks && data.op == Opcode::Call && self.masked(data).is_some_and(Masked::is_in_row);
        Ok(may_be && self.rebuild.by_lane_mask(data)?)
    }

    /// The access to memory under a mask that a call is, if it is one.
    fn masked(&self, data: &InstData) -> Option<Masked> {
        if !CallFlags::from_bits_retain(data.flags).contains(CallFlags::INTRINSIC) {
            return None;
        }
        Masked::of(&self.module.display_name(data.a.as_symbol()?))
    }

    /// How the intrinsic of the target that a call is of is done with narrower ones.
    fn division(&self, data: &InstData) -> Option<Division> {
        if data.op != Opcode::Call || !CallFlags::from_bits_retain(data.flags).contains(CallFlags::INTRINSIC) {
            return None;
        }
        (self.division)(&self.module.display_name(data.a.as_symbol()?))
    }

    /// Whether a call is done with its operands as wide as they are. Accesses under masks are where masks are bits.
    fn is_whole(&self, data: &InstData) -> bool {
        let has_registers = |masked| self.masks_are_bits && self.rebuild.fills_register(data, masked);
        self.division(data) == Some(Division::Whole) && self.masked(data).is_none_or(has_registers)
    }

    /// Whether a call is of an intrinsic that the target has no rule for as it stands.
    fn is_always_divided(&self, data: &InstData) -> bool {
        match self.division(data) {
            Some(Division::Whole) => self.rebuild.has_masks(data),
            division => division.is_some_and(Division::is_always),
        }
    }

    /// The refusal of an intrinsic or a text of assembly that takes or gives vectors of types that are not legal.
    fn refuse_call(&self, data: &InstData) -> CodegenError {
        let old = self.rebuild.old;
        let layouts = self.rebuild.layouts;
        let sig = old.sig(old.call(data).sig);
        let mut types = sig.params.iter().chain(&sig.returns).map(|param| param.ty);
        let ty = types.find(|&ty| !layouts.get(ty).is_whole()).unwrap_or(data.ty);
        crate::abi::unsupported_type(old.types(), ty)
    }
}
