//! Inline assembly: operands are moved to where their constraints want them, around a group for the text (contract
//! 13).
//!
//! Method: the constraints are parsed and one alternative is chosen for each (`choose.rs`). An operand that may be in
//! any register of a class is a virtual register named in the group. One in a specific register is copied there before
//! the group and from there after it, like an argument or result of a call. One in memory is an address. Two tied
//! operands are one register that is read and written. An output that may be in a register and is written to memory, to
//! which an input is tied, is stored after the group ([`indirect`]).
//!
//! In a group, all definitions happen before all uses, as if every output were early-clobber. Only if registers run
//! out, outputs that are not early-clobber share a register with an input.
//!
//! Operands on a register stack are pushed and popped within the group ([`stack`]). Those in registers that are never
//! allocated are loaded and stored by additional instructions of the text ([`side`]). The target's scratch registers
//! are never allocated either, because moves around the group may use them: as operands, they are loaded from the
//! frame and stored to it within the group.

mod choose;
mod indirect;
mod side;
mod stack;
mod transfer;

use super::SelectCtx;
use crate::context::calls::is_barrier;
use crate::context::{Addressing, Context};
use crate::error::CodegenError;
use crate::inline_asm::constraints::{Constraint, Purpose, parse};
use crate::inline_asm::{AsmOperand, AsmPlace, AsmRules, AsmSite, flag, wrong};
use crate::isa::Isa;
use crate::lower_ctx::{GroupKind, LowerCtx};
use crate::mfunc::{RegSets, pseudo};
use crate::minst::{MInst, Mem};
use crate::parts::Parts;
use crate::reference::Label;
use crate::reg::{PRegSet, Reg, RegClass};
use crate::unit::convention;
use choose::Choice;
use frazil_ir::{AsmData, CallConv, ConstView, InstData, Operand, Refusal, Type, Value};
use stack::StackPlan;

/// The jumps out of a text.
struct Jumps {
    labels: Vec<Label>,
    /// The register for the number of the label that is jumped to, counted from 1; 0 if the text ends without a jump.
    number: Reg,
}

/// An operand of the text while it is being prepared.
struct Pending {
    purpose: Purpose,
    is_early: bool,
    /// Whether the argument is the address of memory.
    is_indirect: bool,
    /// The argument that it reads, or whose memory it accesses.
    argument: Option<Operand>,
    /// The result that it defines.
    result: Option<Value>,
    /// The address of the memory that it is stored to after the text.
    stored_to: Option<Operand>,
    ty: Type,
    parts: Parts,
    choice: Choice,
    /// Whether the constraint also allows memory.
    may_spill: bool,
    /// For an input: the number of the output whose register or memory it shares.
    tied_to: Option<usize>,
    /// Its virtual register in the group.
    reg: Reg,
    mem: Option<Mem>,
}

impl Pending {
    fn is_in_any_register(&self, class: RegClass) -> bool {
        self.choice == Choice::Any(class) && self.tied_to.is_none()
    }

    /// Whether the text writes it to a register.
    fn is_output(&self) -> bool {
        self.result.is_some() || self.stored_to.is_some()
    }

    /// The class of the register that the text sees.
    fn class(&self) -> RegClass {
        match self.choice {
            Choice::Any(class) => class,
            Choice::Fixed(reg) => [RegClass::Int, RegClass::Float][reg.bank()],
            _ => self.parts.class(),
        }
    }
}

impl<I: Isa> SelectCtx<'_, I> {
    /// Lowers a call of inline assembly.
    #[cold]
    #[inline(never)]
    pub(super) fn lower_asm_call(&mut self, data: &InstData) -> Result<(), CodegenError> {
        let function = self.base.function;
        let text = data.a.as_const().map(|id| function.constant(id).1);
        let Some(ConstView::Asm(asm)) = text else {
            return Err(wrong("a call without text"));
        };
        if is_barrier(function, data) {
            return Ok(());
        }
        self.lower_asm(data, asm)
    }

    /// Lowers a call that is treated as inline assembly with this text.
    #[cold]
    pub(super) fn lower_asm(&mut self, data: &InstData, asm: &AsmData) -> Result<(), CodegenError> {
        let lowered = match self.base.isa.asm_rules() {
            Some(rules) => self.lower_text(data, asm, rules),
            None => Err(CodegenError::unsupported(Refusal::InlineAssembly, "inline assembly")),
        };
        lowered.map_err(|error| match error {
            CodegenError::Unsupported { refusal, what, place } if place.is_empty() => {
                let template = String::from_utf8_lossy(&asm.template);
                CodegenError::unsupported(refusal, format!("{what}, in {template:?}"))
            }
            other => other,
        })
    }

    fn lower_text(&mut self, data: &InstData, asm: &AsmData, rules: &'static dyn AsmRules) -> Result<(), CodegenError> {
        let mut constraints = parse(&asm.constraints)?;
        let mut pending = self.pair_up(data, &constraints)?;
        let is_invoke = self.is_invoked();
        if !is_invoke {
            indirect::store_afterwards(&mut pending, &mut constraints, rules);
        }
        self.choose_all(&mut pending, &constraints, rules)?;
        let stack = StackPlan::new(&mut pending, &constraints, rules, self.base.isa.desc())?;
        side::assign(&mut pending, &constraints, rules)?;
        let mut sets = fixed_registers(&pending, &constraints, rules);
        if is_invoke {
            self.prefer_lost_registers(&mut pending, &sets)?;
        }
        self.pick_from_sets(&mut pending, &mut sets)?;
        let outputs = sets.defs;
        if is_invoke {
            sets.defs = sets.defs.union(self.lost_registers()?);
        }
        self.make_room(&mut pending, &mut sets)?;
        self.note_frame_pointer(&sets)?;
        self.mfunc.frame.names_frame_pointer |= asm.flags & flag::KEEPS_FRAME_POINTER != 0;
        self.mfunc.frame.has_calls |= asm.flags & (flag::ALIGN_STACK | flag::MAY_UNWIND) != 0;
        self.bring_in(&mut pending)?;
        let jumps = self.jumps(data, &pending)?;
        self.put_group(&pending, asm, rules, &jumps, sets, &stack);
        if is_invoke && pending.iter().any(|one| one.result.is_some()) {
            self.split_invoked_text(outputs);
        }
        self.take_out(&pending);
        Ok(())
    }

    /// The registers that do not keep their values when the call unwinds.
    fn lost_registers(&self) -> Result<PRegSet, CodegenError> {
        Ok(self.clobbered(convention(self.base.isa, CallConv::C)?.callee_saved))
    }

    /// For a text that may unwind to a landing pad: puts operands, as far as possible, into registers that are lost
    /// when it unwinds, like arguments and results of calls, so that no value that is live into the pad is there.
    /// Outputs get fixed registers in any case, since the block on the normal edge copies them from there.
    #[cold]
    fn prefer_lost_registers(&mut self, pending: &mut [Pending], sets: &RegSets) -> Result<(), CodegenError> {
        if pending.iter().any(|one| matches!(one.choice, Choice::Condition(_))) {
            return Err(wrong("flags as outputs of a text that may unwind"));
        }
        let lost = self.lost_registers()?;
        let mut taken = sets.uses.union(sets.defs);
        for one in pending.iter_mut() {
            let Choice::Any(class) = one.choice else { continue };
            if one.tied_to.is_some() {
                continue;
            }
            let free = self.available(class).minus(taken);
            let others = free.iter().filter(|_| one.result.is_some());
            let Some(reg) = free.intersection(lost).iter().chain(others).next() else {
                if one.result.is_some() {
                    return Err(out_of_registers());
                }
                continue;
            };
            taken.insert(reg);
            one.choice = Choice::OneOf(class, PRegSet::of(&[reg]));
        }
        Ok(())
    }

    /// Gives each constraint, except for clobbers, its argument or result.
    fn pair_up(&mut self, data: &InstData, constraints: &[Constraint]) -> Result<Vec<Pending>, CodegenError> {
        let function = self.base.function;
        let call = function.call(data);
        let signature = function.sig(call.sig);
        let mut results = function.results(data);
        let mut arguments = call.args.iter().zip(&signature.params);
        let unpaired = || wrong("constraints that do not fit the operands");
        let mut pending = Vec::new();
        for constraint in constraints {
            let (mut argument, mut result, mut ty) = (None, None, Type::VOID);
            match constraint.purpose {
                Purpose::Clobber => continue,
                Purpose::Label => {}
                Purpose::Output if !constraint.is_indirect => {
                    let value = results.next().ok_or_else(unpaired)?;
                    ty = function.value(value).ty;
                    result = Some(value);
                }
                _ => {
                    let (&operand, param) = arguments.next().ok_or_else(unpaired)?;
                    ty = param.ty;
                    argument = Some(operand);
                }
            }
            let parts = match constraint.purpose {
                Purpose::Label => Parts::default(),
                _ => self.known_parts(ty)?,
            };
            pending.push(Pending {
                purpose: constraint.purpose,
                is_early: constraint.is_early,
                is_indirect: constraint.is_indirect,
                argument,
                result,
                stored_to: None,
                ty,
                parts,
                choice: Choice::Label,
                may_spill: false,
                tied_to: None,
                reg: Reg::NONE,
                mem: None,
            });
        }
        let has_labels = pending.iter().any(|one| one.purpose == Purpose::Label);
        if results.count() != usize::from(has_labels) || arguments.next().is_some() {
            return Err(unpaired());
        }
        Ok(pending)
    }

    fn known_parts(&self, ty: Type) -> Result<Parts, CodegenError> {
        let parts = self.parts_of(ty);
        match parts.count {
            0 => Err(crate::abi::unsupported_type(self.base.function.types(), ty)),
            _ => Ok(parts),
        }
    }

    /// The registers that values may have in this function; the frame pointer is one of them if the function does
    /// without it.
    fn available(&self, class: RegClass) -> PRegSet {
        self.base.isa.desc().class(class).allocatable
    }

    /// Chooses one register for each operand that may be in a few.
    fn pick_from_sets(&mut self, pending: &mut [Pending], sets: &mut RegSets) -> Result<(), CodegenError> {
        for index in 0..pending.len() {
            let operand = &pending[index];
            let (class, set) = match operand.choice {
                Choice::OneOf(class, set) => (class, set),
                Choice::AnyPair(set) => (RegClass::Int, set),
                _ => continue,
            };
            if operand.tied_to.is_some() {
                continue;
            }
            let mut allowed = self.available(class);
            if !set.is_empty() {
                allowed = allowed.intersection(set);
            }
            let mut free = allowed.minus(sets.uses.union(sets.defs)).iter();
            let mut picked = PRegSet::EMPTY;
            let mut pick = || {
                let reg = free.next().ok_or_else(out_of_registers)?;
                picked.insert(reg);
                Ok::<Reg, CodegenError>(reg)
            };
            let choice = match operand.choice {
                Choice::AnyPair(_) => Choice::Pair(pick()?, pick()?),
                _ => Choice::Fixed(pick()?),
            };
            let is_output = operand.result.is_some();
            if is_output {
                sets.defs = sets.defs.union(picked);
            }
            if !is_output || pending.iter().any(|other| other.tied_to == Some(index)) {
                sets.uses = sets.uses.union(picked);
            }
            pending[index].choice = choice;
        }
        Ok(())
    }

    /// If there are too few registers for all operands: has inputs share registers with outputs, moves inputs to
    /// memory, and uses the scratch register.
    fn make_room(&mut self, pending: &mut [Pending], sets: &mut RegSets) -> Result<(), CodegenError> {
        for class in [RegClass::Int, RegClass::Float] {
            let available = self.available(class).minus(sets.uses.union(sets.defs));
            let available = available.iter().count();
            let addresses = match class {
                RegClass::Int => pending.iter().filter(|one| one.choice == Choice::Memory).count(),
                RegClass::Float | RegClass::Mask => 0,
            };
            let any = pending.iter().filter(|one| one.is_in_any_register(class)).count();
            // Counted as one register for each, although most addresses need none: which ones do is not known yet.
            let Some(mut missing) = (any + addresses).checked_sub(available).filter(|&missing| missing > 0) else {
                continue;
            };
            while missing > 0 && share_one(pending, class) {
                missing -= 1;
            }
            let mut spillable = pending
                .iter_mut()
                .filter(|one| one.is_in_any_register(class) && one.may_spill && !one.is_output());
            while missing > 0
                && let Some(one) = spillable.next()
            {
                one.choice = Choice::Memory;
                missing -= 1;
            }
            let any = pending.iter().filter(|one| one.is_in_any_register(class)).count();
            let scratch = self.base.isa.desc().class(class).scratch;
            if any > available && !sets.uses.union(sets.defs).contains(scratch) {
                use_scratch(pending, class, scratch, sets);
            }
            let any = pending.iter().filter(|one| one.is_in_any_register(class)).count();
            if any > available {
                return Err(out_of_registers());
            }
        }
        Ok(())
    }

    /// Has the function do without a frame pointer if the text uses that register.
    fn note_frame_pointer(&mut self, sets: &RegSets) -> Result<(), CodegenError> {
        let desc = self.base.isa.desc();
        if !sets.uses.union(sets.defs).contains(desc.frame_pointer) {
            return Ok(());
        }
        let frame = &self.mfunc.frame;
        if frame.has_dynamic_stack || frame.realigned_to > 0 || !desc.frame_pointer_is_optional {
            return Err(wrong("the frame pointer in a function that cannot do without it"));
        }
        self.mfunc.frame.gives_up_frame_pointer = true;
        Ok(())
    }

    /// Computes addresses and inputs before the group. Inputs in fixed registers are copied last.
    fn bring_in(&mut self, pending: &mut [Pending]) -> Result<(), CodegenError> {
        for one in pending.iter_mut() {
            let Pending {
                choice,
                argument,
                parts,
                result,
                stored_to,
                ..
            } = *one;
            self.base.imm_bytes = parts.bytes.max(4);
            match (choice, argument) {
                (Choice::Indirect, _) if one.tied_to.is_some() => {}
                (Choice::Indirect | Choice::Address, Some(pointer)) => {
                    one.mem = Some(self.address_of(pointer, 16));
                }
                (Choice::Memory, Some(operand)) => one.mem = Some(self.in_frame(operand, parts)),
                (Choice::Any(class), Some(operand)) if one.tied_to.is_none() => {
                    let reg = self.input(operand, parts, class);
                    one.reg = reg;
                }
                (Choice::Any(class), None) => {
                    one.reg = match result {
                        Some(value) if transfer::is_kept_alike(parts, class) => self.vreg(value, 0),
                        _ => self.fresh_vreg(class, transfer::whole_bytes(parts)),
                    };
                    one.mem = stored_to.map(|pointer| self.address_of(pointer, 16));
                }
                (Choice::Condition(_), None) => one.reg = self.fresh_vreg(RegClass::Int, 1),
                _ => {}
            }
            if self.is_scratch(choice) || matches!(choice, Choice::Stack(_) | Choice::AnyStack | Choice::Side(_)) {
                one.mem = Some(match argument {
                    Some(operand) => self.in_frame(operand, parts),
                    None => {
                        let bytes = u64::from(parts.slot_bytes()).max(8);
                        let offset = self.mfunc.frame.areas.allocate(bytes, 16);
                        self.frame_mem(offset)
                    }
                });
            }
        }
        if let Some(rules) = self.base.isa.asm_rules() {
            self.make_bare(pending, rules);
        }
        self.tie(pending)?;
        self.fill_fixed(pending);
        Ok(())
    }

    /// Brings the addresses of memory operands into registers, where those cannot be written otherwise.
    fn make_bare(&mut self, pending: &mut [Pending], rules: &dyn AsmRules) {
        let isa = self.base.isa;
        for one in pending {
            let is_memory = matches!(one.choice, Choice::Indirect | Choice::Memory);
            let is_address = is_memory || one.choice == Choice::Address;
            let is_bare = |mem: Mem| mem.disp == 0 && mem == Mem::base(mem.base_reg(), 0);
            let must_be_bare = is_memory && rules.has_bare_memory();
            if let Some(mem) = one
                .mem
                .filter(|&mem| is_address && !rules.can_name(mem) || must_be_bare && !is_bare(mem))
            {
                let address = self.fresh_vreg(RegClass::Int, isa.desc().pointer_bytes);
                isa.address(self, address, mem);
                one.mem = Some(Mem::base(address, 0));
            }
        }
    }

    fn is_scratch(&self, choice: Choice) -> bool {
        matches!(choice, Choice::Fixed(reg) if self.base.isa.desc().classes[reg.bank()].scratch == reg)
    }

    /// Copies inputs into the registers of the outputs that they are tied to.
    fn tie(&mut self, pending: &mut [Pending]) -> Result<(), CodegenError> {
        for index in 0..pending.len() {
            let Some(output) = pending[index].tied_to else { continue };
            let (reg, parts) = (pending[output].reg, pending[index].parts);
            match pending[output].choice {
                Choice::Any(class) => {
                    let operand = pending[index].argument.expect("an input has an argument");
                    self.base.imm_bytes = parts.bytes.max(4);
                    let src = self.input(operand, parts, class);
                    self.copy(reg, src, class, transfer::whole_bytes(parts));
                    pending[index].reg = reg;
                }
                Choice::Indirect => {
                    let mem = pending[output].mem;
                    if let (Some(mem), false) = (mem, pending[index].is_indirect) {
                        self.store_tied(&pending[index], mem)?;
                    }
                    pending[index].mem = mem;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Copies inputs to the fixed registers that they must be in.
    fn fill_fixed(&mut self, pending: &[Pending]) {
        for one in pending {
            let Some(operand) = one.argument else { continue };
            let choice = match one.tied_to {
                Some(output) => pending[output].choice,
                None => one.choice,
            };
            self.base.imm_bytes = one.parts.bytes.max(4);
            match choice {
                Choice::Fixed(_) if self.is_scratch(choice) => {}
                Choice::Fixed(reg) if one.parts.class() as usize != reg.bank() => {
                    self.give_other(operand, reg, one.parts);
                }
                Choice::Fixed(reg) => self.fill(operand, 0, reg),
                Choice::Pair(low, high) => {
                    self.fill(operand, 0, low);
                    if one.parts.count > 1 {
                        self.fill(operand, 1, high);
                    }
                }
                _ => {}
            }
        }
    }

    fn fill(&mut self, operand: Operand, part: u8, reg: Reg) {
        let before = self.mfunc.insts.len();
        self.use_fixed(operand, part, reg);
        if self.mfunc.insts.len() == before {
            let parts = self.operand_parts(operand);
            self.define_any(parts.class(), parts.bytes, reg);
        }
    }

    /// Emits the group: pseudo-instructions that name the operands, the text, and what must be done on each path out
    /// of it.
    fn put_group(
        &mut self,
        pending: &[Pending],
        asm: &AsmData,
        rules: &'static dyn AsmRules,
        jumps: &Jumps,
        sets: RegSets,
        stack: &StackPlan,
    ) {
        let number = self.mfunc.asm_sites.len() as i32;
        let operands = operands_of(pending, &jumps.labels);
        self.mfunc.asm_sites.push(AsmSite {
            data: asm.clone(),
            operands,
        });
        self.begin_group(GroupKind::Plain);
        for (index, one) in pending.iter().enumerate() {
            let is_tied = |other: &Pending| other.tied_to == Some(index);
            let op = match (one.choice, one.is_output()) {
                (Choice::Any(_), true) if pending.iter().any(is_tied) => pseudo::ASM_IN_OUT,
                (Choice::Any(_), true) => pseudo::ASM_OUT,
                (Choice::Any(_), false) if one.tied_to.is_none() => pseudo::ASM_IN,
                (Choice::Indirect | Choice::Address | Choice::Memory | Choice::Side(_), _) => pseudo::ASM_MEMORY,
                _ => continue,
            };
            let mut inst = MInst::new(op, 0);
            match one.mem {
                Some(mem) if one.stored_to.is_none() => inst = inst.with_mem(mem),
                _ => inst.set_reg(0, one.reg),
            }
            inst.imm = index as i32;
            self.put(inst);
        }
        self.move_scratch(pending, true);
        self.fill_stack(pending, stack);
        let mut inst = MInst::new(pseudo::ASM, 0);
        inst.disp = number;
        inst.imm = self.mfunc.sets.len() as i32;
        self.mfunc.sets.push(sets);
        self.put(inst);
        self.end_paths(pending, jumps, stack, rules);
        self.end_group();
    }

    /// Makes labels for the jumps out of a text, and finds the register of the result that says which label was jumped
    /// to.
    fn jumps(&mut self, data: &InstData, pending: &[Pending]) -> Result<Jumps, CodegenError> {
        let count = pending.iter().filter(|one| one.purpose == Purpose::Label).count();
        let mut jumps = Jumps {
            labels: Vec::new(),
            number: Reg::NONE,
        };
        if count == 0 {
            return Ok(jumps);
        }
        let function = self.base.function;
        let number = function
            .results(data)
            .last()
            .ok_or_else(|| wrong("labels without a result"))?;
        jumps.number = self.vreg(number, 0);
        jumps.labels.extend((0..count).map(|_| self.base.buf.new_label()));
        Ok(jumps)
    }

    /// Emits the code after the text: first what the fall-through path needs, then the same at each label.
    fn end_paths(&mut self, pending: &[Pending], jumps: &Jumps, stack: &StackPlan, rules: &dyn AsmRules) {
        self.end_path(pending, stack, rules);
        if jumps.labels.is_empty() {
            return;
        }
        let isa = self.base.isa;
        let end = self.base.buf.new_label();
        isa.int_constant(self, jumps.number, 4, 0);
        for (index, &label) in jumps.labels.iter().enumerate() {
            self.put(isa.jump(end));
            self.bind(label);
            self.end_path(pending, stack, rules);
            isa.int_constant(self, jumps.number, 4, index as i64 + 1);
        }
        self.bind(end);
    }

    /// Emits what must be done on each path out of a text. Flag outputs come first, since the rest may overwrite the
    /// flags.
    fn end_path(&mut self, pending: &[Pending], stack: &StackPlan, rules: &dyn AsmRules) {
        for one in pending {
            if let Choice::Condition(condition) = one.choice {
                self.put(rules.set_condition(condition, one.reg));
            }
        }
        self.empty_stack(pending, stack);
        self.move_scratch(pending, false);
    }

    /// Loads the inputs that are in scratch registers before the text (`loads`), or stores the outputs in them after
    /// it.
    fn move_scratch(&mut self, pending: &[Pending], loads: bool) {
        let isa = self.base.isa;
        for one in pending {
            let (Choice::Fixed(reg), Some(mem)) = (one.choice, one.mem) else {
                continue;
            };
            let (class, bytes) = (one.class(), one.parts.bytes.max(4));
            self.mfunc.insts.push(match (loads, one.result) {
                (true, None) => isa.reload(class, bytes, reg, mem),
                (false, Some(_)) => isa.spill(class, bytes, reg, mem),
                _ => continue,
            });
        }
    }

    /// Copies outputs to the virtual registers of their values, those in fixed registers first.
    fn take_out(&mut self, pending: &[Pending]) {
        for one in pending {
            let Some(value) = one.result else { continue };
            let parts = one.parts;
            let dst = self.vreg(value, 0);
            match one.choice {
                Choice::Fixed(_) if one.mem.is_some() => {}
                Choice::Fixed(reg) if reg.bank() == parts.class() as usize => {
                    self.copy(dst, reg, parts.class(), parts.bytes);
                }
                Choice::Fixed(reg) => self.take_other(value, reg, one.class(), parts),
                Choice::Pair(low, high) => {
                    self.copy(dst, low, RegClass::Int, parts.bytes);
                    if parts.count > 1 {
                        let dst = self.vreg(value, 1);
                        self.copy(dst, high, RegClass::Int, parts.bytes);
                    }
                }
                _ => {}
            }
        }
        for one in pending {
            let isa = self.base.isa;
            if let (Some(_), Some(mem)) = (one.stored_to, one.mem) {
                self.put(isa.spill(one.parts.class(), one.parts.bytes, one.reg, mem));
            }
            let Some(value) = one.result else { continue };
            let dst = self.vreg(value, 0);
            match (one.choice, one.mem) {
                (Choice::Fixed(_) | Choice::Stack(_) | Choice::Side(_), Some(mem)) => {
                    self.put(isa.reload(one.parts.class(), one.parts.bytes, dst, mem));
                }
                (Choice::Any(class), _) if !transfer::is_kept_alike(one.parts, class) => {
                    self.take_other(value, one.reg, class, one.parts);
                }
                (Choice::Condition(_), _) if one.parts.bytes > 1 => {
                    isa.extend(self, dst, one.reg, 8, false);
                    for part in 1..one.parts.count {
                        let dst = self.vreg(value, part);
                        isa.int_constant(self, dst, one.parts.bytes, 0);
                    }
                }
                (Choice::Condition(_), _) => self.copy(dst, one.reg, RegClass::Int, 1),
                _ => {}
            }
        }
    }
}

/// The message that users know from LLVM.
fn out_of_registers() -> CodegenError {
    wrong("inline assembly requires more registers than available")
}

/// Ties an input to an output that the text writes only after it has read all inputs, so that they share a register;
/// returns whether it found such a pair.
fn share_one(pending: &mut [Pending], class: RegClass) -> bool {
    let is_tied = |index: usize| pending.iter().any(|other| other.tied_to == Some(index));
    let output = (0..pending.len()).find(|&index| {
        let one = &pending[index];
        one.is_in_any_register(class) && one.is_output() && !one.is_early && !is_tied(index)
    });
    let is_free = |one: &Pending| one.is_in_any_register(class) && !one.is_output();
    let input = pending.iter().position(is_free);
    match (output, input) {
        (Some(output), Some(input)) => {
            pending[input].tied_to = Some(output);
            true
        }
        _ => false,
    }
}

/// Moves one operand that shares its register with no other to the scratch register.
fn use_scratch(pending: &mut [Pending], class: RegClass, scratch: Reg, sets: &mut RegSets) {
    let is_alone = |index: &usize| {
        let is_tied = pending.iter().any(|other| other.tied_to == Some(*index));
        pending[*index].is_in_any_register(class) && !is_tied && pending[*index].parts.class() == class
    };
    let Some(index) = (0..pending.len()).find(is_alone) else {
        return;
    };
    pending[index].choice = Choice::Fixed(scratch);
    match pending[index].result {
        Some(_) => sets.defs.insert(scratch),
        None => sets.uses.insert(scratch),
    }
}

/// The fixed registers that the text reads, and those that it writes or clobbers.
fn fixed_registers(pending: &[Pending], constraints: &[Constraint], rules: &dyn AsmRules) -> RegSets {
    let mut sets = RegSets::default();
    for one in pending {
        let choice = match one.tied_to {
            Some(output) => pending[output].choice,
            None => one.choice,
        };
        let set = if one.result.is_some() {
            &mut sets.defs
        } else {
            &mut sets.uses
        };
        match choice {
            Choice::Fixed(reg) => set.insert(reg),
            // The text itself loads a side register before it reads it, so the register counts as written only.
            Choice::Side(side) => {
                if let Some(whole) = rules.whole_of_side(side) {
                    sets.defs.insert(whole);
                }
            }
            Choice::Pair(low, high) => {
                set.insert(low);
                if one.parts.count > 1 {
                    set.insert(high);
                }
            }
            _ => {}
        }
    }
    for constraint in constraints.iter().filter(|one| one.purpose == Purpose::Clobber) {
        sets.defs = sets.defs.union(choose::overwritten(constraint, rules));
    }
    sets
}

/// The places of the operands, as far as they are known before register allocation.
fn operands_of(pending: &[Pending], labels: &[Label]) -> Vec<AsmOperand> {
    let mut labels = labels.iter();
    let operand = |one: &Pending| {
        let choice = match one.tied_to {
            Some(output) => pending[output].choice,
            None => one.choice,
        };
        let place = match choice {
            Choice::Fixed(reg) | Choice::Pair(reg, _) => AsmPlace::Register(reg),
            Choice::Immediate(value) => AsmPlace::Immediate(value),
            Choice::Symbol(symbol, addend) => AsmPlace::Symbol(symbol, addend),
            Choice::Stack(depth) => AsmPlace::Stack(depth),
            Choice::Side(side) => AsmPlace::Side(side),
            Choice::Label => labels.next().map_or(AsmPlace::Nowhere, |&label| AsmPlace::Label(label)),
            _ => AsmPlace::Nowhere,
        };
        AsmOperand {
            place,
            bytes: one.parts.bytes,
            is_output: one.is_output(),
        }
    };
    pending.iter().map(operand).collect()
}
