//! Faults in what the fast path emits.
//!
//! Method: the test target is wrapped in a target that encodes something else than it was asked to, once. The fast
//! context believes what it asked for; the checker reads what came out.

use super::Way;
use super::subject::{Compiled, FAULTY, Subject};
use frazil_codegen::{
    AsmNames, Branch, CallTarget, CaseTable, CaseTest, CodeBuffer, CodegenError, ConvDesc, FastState, Folder,
    FrameInfo, FrameSink, Halt, Isa, Islands, Label, LowerCtx, MInst, Mem, ModuleView, OpDesc, PRegSet, Parts, Ref,
    Reg, RegClass, ShortForm, SwitchValue, Target, TargetDesc,
};
use frazil_ir::{CallConv, Inst, Operand, SymbolId, Type, TypeTable};
use frazil_target_testisa::TestIsa;
use frazil_test_support::Random;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

const KINDS: &[&str] = &[
    "swapped register",
    "dropped reload",
    "dropped spill",
    "dropped move",
    "wrong slot",
    "wrong order",
    "clobbered register",
];
const SWAPPED: usize = 0;
const DROPPED_RELOAD: usize = 1;
const DROPPED_SPILL: usize = 2;
const DROPPED_MOVE: usize = 3;
const WRONG_SLOT: usize = 4;
const WRONG_ORDER: usize = 5;
const CLOBBERED: usize = 6;

/// Bits of [`MInst::aux`] that this target leaves alone: they mark the moves of the context, which is what drops,
/// wrong slots and wrong orders are about.
const MARKS: u8 = 0xc0;
const COPY: u8 = 0x40;
const SPILL: u8 = 0x80;
const RELOAD: u8 = 0xc0;

/// The fast path, with a fault or without.
#[derive(Debug, Default)]
pub struct Fast {
    state: FastState,
    /// How many places for each kind of fault the last subject has.
    places: [usize; KINDS.len()],
    /// Where it has two moves in a row.
    pairs: Vec<usize>,
}

impl Way for Fast {
    fn kinds(&self) -> &'static [&'static str] {
        KINDS
    }

    fn compile(&mut self, subject: &Subject, fault: Option<(usize, Random)>) -> Compiled {
        let plan = match fault {
            None => FaultChoice::default(),
            Some((kind, _)) if self.places[kind] == 0 => return Compiled::Absent,
            Some((kind, mut random)) => {
                let place = random.below(self.places[kind]);
                FaultChoice {
                    fault: Some((kind, place)),
                    held_call: (kind == WRONG_ORDER).then(|| self.pairs[place]),
                    random: Some(random),
                    ..FaultChoice::default()
                }
            }
        };
        self.compile_with(subject, plan)
    }
}

impl Fast {
    /// Compiles a subject once for each instruction and each copy that could clobber a register after it.
    pub fn clobber_everywhere(&mut self, subject: &Subject, found: &mut dyn FnMut(Compiled)) {
        self.compile_with(subject, FaultChoice::default());
        for bank in 0..2 {
            for dst in allocatable(bank) {
                for src in allocatable(bank) {
                    for place in 0..self.places[CLOBBERED] {
                        let plan = FaultChoice {
                            fault: Some((CLOBBERED, place)),
                            copy: Some((bank, dst, src)),
                            ..FaultChoice::default()
                        };
                        found(self.compile_with(subject, plan));
                    }
                }
            }
        }
    }

    fn compile_with(&mut self, subject: &Subject, plan: FaultChoice) -> Compiled {
        let is_clean = plan.fault.is_none();
        let faulty = FaultyIsa(Mutex::new(plan));
        let state = &mut self.state;
        state.set_checked(true);
        let compiled = subject.run(&mut |number, unit, out| {
            if number == FAULTY {
                Target::compile_fast(&faulty, unit, state, out)
            } else {
                Target::compile_fast(&TestIsa, unit, state, out)
            }
        });
        if is_clean {
            let mut plan = faulty.plan();
            self.places = plan.places;
            self.pairs = std::mem::take(&mut plan.pairs);
        }
        compiled
    }
}

/// What goes wrong, and what was met so far.
#[derive(Debug, Default)]
struct FaultChoice {
    /// The kind, and the number of its place.
    fault: Option<(usize, usize)>,
    random: Option<Random>,
    /// What clobbers, if no chance decides: bank, destination and source.
    copy: Option<(usize, Reg, Reg)>,
    places: [usize; KINDS.len()],
    /// Instructions so far.
    calls: usize,
    /// The first ones of two moves in a row.
    pairs: Vec<usize>,
    /// The instruction that is to wait for the one after it, and that instruction.
    held_call: Option<usize>,
    held: Option<MInst>,
    was_move: bool,
    /// The last call instruction.
    call: Option<MInst>,
    /// Displacements that moves had.
    slots: Vec<i32>,
    /// Whether the body is over: prologue and epilogue have no faults.
    is_over: bool,
}

#[derive(Debug)]
struct FaultyIsa(Mutex<FaultChoice>);

impl FaultyIsa {
    fn plan(&self) -> MutexGuard<'_, FaultChoice> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn marked(inst: MInst, mark: u8) -> MInst {
    inst.with_aux(inst.aux | mark)
}

fn allocatable(bank: usize) -> Vec<Reg> {
    Isa::desc(&TestIsa).classes[bank].allocatable.iter().collect()
}

/// The operands that are registers which may be allocated.
fn allocated_operands(inst: &MInst) -> Vec<usize> {
    let is_allocatable = |reg: Reg| reg.is_physical() && allocatable(reg.bank()).contains(&reg);
    (0..3).filter(|&index| is_allocatable(inst.reg(index))).collect()
}

impl FaultChoice {
    /// Whether this is the place for a fault of a kind.
    fn is_place(&mut self, kind: usize) -> bool {
        self.places[kind] += 1;
        self.fault == Some((kind, self.places[kind] - 1))
    }

    /// What is encoded instead of an instruction.
    fn instead(&mut self, asked: MInst) -> Vec<MInst> {
        let mark = asked.aux & MARKS;
        let inst = asked.with_aux(asked.aux & !MARKS);
        if self.is_over {
            return vec![inst];
        }
        let was_move = std::mem::replace(&mut self.was_move, mark != 0);
        if let Some(held) = self.held.take() {
            return vec![inst, held];
        }
        let mut insts = vec![inst];
        if !allocated_operands(&inst).is_empty() && self.is_place(SWAPPED) {
            insts[0] = self.swapped(inst);
        }
        let dropped = match mark {
            COPY if inst.reg(0) != inst.reg(1) => Some(DROPPED_MOVE),
            SPILL => Some(DROPPED_SPILL),
            RELOAD => Some(DROPPED_RELOAD),
            _ => None,
        };
        if dropped.is_some_and(|kind| self.is_place(kind)) {
            insts.clear();
        }
        if mark == SPILL || mark == RELOAD {
            self.slot(&mut insts, inst);
        }
        if mark != 0 && was_move {
            self.places[WRONG_ORDER] += 1;
            self.pairs.push(self.calls - 1);
        }
        if self.held_call == Some(self.calls) {
            self.held = Some(inst);
            insts.clear();
        }
        self.calls += 1;
        // What the call wrote, the context says after it: a copy that comes with the call is no code of the context.
        if self.call != Some(asked) && self.is_place(CLOBBERED) {
            let (bank, dst, src) = self.copy.unwrap_or_else(|| self.any_copy());
            let (class, bytes) = [(RegClass::Int, 4), (RegClass::Float, 8)][bank];
            insts.extend((dst != src).then(|| TestIsa.mov(class, bytes, dst, src)));
        }
        insts
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.as_mut().map_or(0, |random| random.below(bound))
    }

    /// The instruction with one register operand in another register.
    fn swapped(&mut self, inst: MInst) -> MInst {
        let operands = allocated_operands(&inst);
        let operand = operands[self.below(operands.len())];
        let old = inst.reg(operand);
        let others: Vec<Reg> = allocatable(old.bank()).into_iter().filter(|&reg| reg != old).collect();
        let mut swapped = inst;
        swapped.set_reg(operand, others[self.below(others.len())]);
        swapped
    }

    /// Puts another slot into a spill or reload, if there is another one and this is the place for it.
    fn slot(&mut self, insts: &mut [MInst], inst: MInst) {
        if inst.reg(1) != Isa::desc(&TestIsa).frame_pointer {
            return;
        }
        let others: Vec<i32> = self.slots.iter().copied().filter(|&slot| slot != inst.disp).collect();
        if !others.is_empty() && self.is_place(WRONG_SLOT) {
            let disp = others[self.below(others.len())];
            insts.iter_mut().for_each(|inst| inst.disp = disp);
        }
        if others.len() == self.slots.len() {
            self.slots.push(inst.disp);
        }
    }

    /// A copy over some register.
    fn any_copy(&mut self) -> (usize, Reg, Reg) {
        let bank = self.below(2);
        let regs = allocatable(bank);
        (bank, regs[self.below(regs.len())], regs[self.below(regs.len())])
    }
}

impl Isa for FaultyIsa {
    const WORD_BYTES: u8 = 4;

    fn mov(&self, class: RegClass, bytes: u8, dst: Reg, src: Reg) -> MInst {
        marked(TestIsa.mov(class, bytes, dst, src), COPY)
    }

    fn spill(&self, class: RegClass, bytes: u8, src: Reg, mem: Mem) -> MInst {
        marked(TestIsa.spill(class, bytes, src, mem), SPILL)
    }

    fn reload(&self, class: RegClass, bytes: u8, dst: Reg, mem: Mem) -> MInst {
        marked(TestIsa.reload(class, bytes, dst, mem), RELOAD)
    }

    fn encode(&self, inst: &MInst, out: &mut CodeBuffer) {
        let insts = self.plan().instead(*inst);
        insts.iter().for_each(|inst| TestIsa.encode(inst, out));
    }

    fn prologue<S: FrameSink>(&self, frame: &FrameInfo, out: &mut S) {
        TestIsa.prologue(frame, out);
    }

    fn epilogue<S: FrameSink>(&self, frame: &FrameInfo, out: &mut S) {
        self.plan().is_over = true;
        TestIsa.epilogue(frame, out);
    }

    fn leave(&self, popped_bytes: u32) -> MInst {
        TestIsa.leave(popped_bytes)
    }

    fn desc(&self) -> &'static TargetDesc {
        Isa::desc(&TestIsa)
    }

    fn op_descs(&self) -> &'static [OpDesc] {
        TestIsa.op_descs()
    }

    fn convention(&self, conv: CallConv) -> Option<&'static ConvDesc> {
        TestIsa.convention(conv)
    }

    fn parts(&self, types: &TypeTable, ty: Type) -> Parts {
        TestIsa.parts(types, ty)
    }

    fn fold(&self, folder: &mut Folder<'_>, user: Inst) {
        TestIsa.fold(folder, user);
    }

    fn lower<C: LowerCtx>(&self, cx: &mut C, inst: Inst) -> Result<(), Halt> {
        TestIsa.lower(cx, inst)
    }

    fn lower_branch<C: LowerCtx>(&self, cx: &mut C, condition: Operand) -> Result<Branch, CodegenError> {
        TestIsa.lower_branch(cx, condition)
    }

    fn invert(&self, branch: MInst) -> MInst {
        TestIsa.invert(branch)
    }

    fn jump(&self, target: Label) -> MInst {
        TestIsa.jump(target)
    }

    fn switch_value<C: LowerCtx>(&self, cx: &mut C, value: Operand, ty: Type) -> Result<SwitchValue, CodegenError> {
        TestIsa.switch_value(cx, value, ty)
    }

    fn case_branch<C: LowerCtx>(&self, cx: &mut C, test: CaseTest, value: SwitchValue, case: u64) -> MInst {
        TestIsa.case_branch(cx, test, value, case)
    }

    fn range_branch<C: LowerCtx>(&self, cx: &mut C, value: SwitchValue, temp: Reg, low: u64, span: u64) -> MInst {
        TestIsa.range_branch(cx, value, temp, low, span)
    }

    fn bit_branch<C: LowerCtx>(&self, cx: &mut C, index: Reg, mask: u64) -> MInst {
        TestIsa.bit_branch(cx, index, mask)
    }

    fn table_jump<C: LowerCtx>(&self, cx: &mut C, value: SwitchValue, temp: Reg, table: &CaseTable) {
        TestIsa.table_jump(cx, value, temp, table);
    }

    fn symbol_addr<C: LowerCtx>(
        &self,
        cx: &mut C,
        dst: Reg,
        symbol: SymbolId,
        addend: i64,
    ) -> Result<(), CodegenError> {
        TestIsa.symbol_addr(cx, dst, symbol, addend)
    }

    fn block_addr<C: LowerCtx>(&self, cx: &mut C, dst: Reg, block: Ref) -> Result<(), CodegenError> {
        TestIsa.block_addr(cx, dst, block)
    }

    fn indirect_jump(&self, address: Reg) -> MInst {
        TestIsa.indirect_jump(address)
    }

    fn symbol_mem(&self, view: ModuleView<'_>, symbol: SymbolId, addend: i64) -> Option<Mem> {
        TestIsa.symbol_mem(view, symbol, addend)
    }

    fn int_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, value: i64) {
        TestIsa.int_constant(cx, dst, bytes, value);
    }

    fn float_constant<C: LowerCtx>(&self, cx: &mut C, dst: Reg, bytes: u8, bits: u128) {
        TestIsa.float_constant(cx, dst, bytes, bits);
    }

    fn trap(&self) -> MInst {
        TestIsa.trap()
    }

    fn call(&self, view: ModuleView<'_>, target: CallTarget, free: Reg) -> MInst {
        let call = TestIsa.call(view, target, free);
        self.plan().call = Some(call);
        call
    }

    fn address<C: LowerCtx>(&self, cx: &mut C, dst: Reg, mem: Mem) {
        TestIsa.address(cx, dst, mem);
    }

    fn extend<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg, bits: u32, signed: bool) {
        TestIsa.extend(cx, dst, src, bits, signed);
    }

    fn block_copy<C: LowerCtx>(&self, cx: &mut C, dst: Mem, src: Mem, size: u32) {
        TestIsa.block_copy(cx, dst, src, size);
    }

    fn add_pointer<C: LowerCtx>(&self, cx: &mut C, dst: Reg, src: Reg) {
        TestIsa.add_pointer(cx, dst, src);
    }

    fn align_down<C: LowerCtx>(&self, cx: &mut C, reg: Reg, align_log2: u8) {
        TestIsa.align_down(cx, reg, align_log2);
    }

    fn block_copy_claims(&self, size: u32) -> PRegSet {
        TestIsa.block_copy_claims(size)
    }

    fn adjust_stack(&self, bytes: i32) -> MInst {
        TestIsa.adjust_stack(bytes)
    }

    fn save_variadic_registers<C: LowerCtx>(&self, cx: &mut C, area: Mem, int_used: u8, float_used: u8) {
        TestIsa.save_variadic_registers(cx, area, int_used, float_used);
    }

    fn variadic_area_bytes(&self) -> u32 {
        TestIsa.variadic_area_bytes()
    }

    fn print(&self, inst: &MInst, len: u8, names: &dyn AsmNames, out: &mut dyn fmt::Write) -> fmt::Result {
        Isa::print(&TestIsa, inst, len, names, out)
    }

    fn table_entry_fixup(&self) -> Option<u8> {
        TestIsa.table_entry_fixup()
    }

    fn islands(&self) -> Option<&'static Islands> {
        TestIsa.islands()
    }

    fn short_forms(&self) -> &'static [ShortForm] {
        TestIsa.short_forms()
    }
}
