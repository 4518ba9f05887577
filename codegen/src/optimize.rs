//! The optimizing path: select, machine passes, allocate, apply, machine passes, emit.

use crate::abi::ArgLayout;
use crate::check::Checker;
use crate::check::translation::Meaning;
use crate::context::clearing::{clearing, results};
use crate::context::frame_code::stack_probes;
use crate::context::refusals::stack_align;
use crate::desc::{ConvDesc, OpDesc, TargetDesc};
use crate::error::CodegenError;
use crate::features::FeatureSet;
use crate::finish::apply::{ApplyState, apply};
use crate::finish::emit::{EmitState, emit};
use crate::finish::frame_layout::EmitOptions;
use crate::finish::pushes::{PushState, push_arguments};
use crate::finish::variables::place_variables;
use crate::floats::{legal_floats, with_legal_types};
use crate::follow::{Follower, Frame};
use crate::frame_info::Clearing;
use crate::halt::Halt;
use crate::isa::Isa;
use crate::mfunc::{FrameNeeds, MFunc, for_each_register, op_desc, pseudo};
use crate::minst::{MInst, Mem};
use crate::pass::{MachHooks, MachPassCx, MachPasses, MachRules};
use crate::reg::{PRegSet, Reg, RegClass};
use crate::regalloc::{Allocation, Allocator, AllocatorInput, AllocatorOptions, RegAllocState, allocate};
use crate::result::CompiledFunction;
use crate::select::{SelectState, select};
use crate::unit::{Unit, convention, with_library_calls, without_large_rules};
use crate::vectors::{expanded, legal_parts};
use frazil_ir::Refusal;
use frazil_ir::module::FramePointer;
use frazil_ir::pass::ScratchPool;

/// What a recipe says of the machine part besides its passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachRecipe {
    pub allocator: AllocatorOptions,
    /// Whether size counts more than speed.
    pub for_size: bool,
}

/// The memory of the optimizing path, kept from function to function.
#[derive(Debug, Default)]
pub struct OptimizeState {
    select: SelectState,
    selected: MFunc,
    allocator: RegAllocState,
    allocation: Allocation,
    apply: ApplyState,
    pushes: PushState,
    allocated: MFunc,
    emit: EmitState,
    scratch: ScratchPool,
    checker: Checker,
    follower: Follower,
    registers: RegisterChoice,
    /// Whether allocations are checked; without it, they are in builds with assertions.
    is_checked: Option<bool>,
    /// What allocates registers instead of the linear scan.
    replaced_allocator: Option<Box<dyn Allocator>>,
}

impl OptimizeState {
    /// Says whether each allocation is proved ([`crate::check`]). It is by default in builds with debug assertions.
    pub fn set_checked(&mut self, is_checked: bool) {
        self.is_checked = Some(is_checked);
    }

    /// Says which registers may be used.
    pub fn set_registers(&mut self, registers: RegisterChoice) {
        self.registers = registers;
    }

    /// Has another allocator do the work of the linear scan.
    pub fn set_allocator(&mut self, allocator: Box<dyn Allocator>) {
        self.replaced_allocator = Some(allocator);
    }
}

/// Which registers may be used, for tests; none of it changes what a program does.
#[derive(Clone, Copy, Debug, Default)]
pub struct RegisterChoice {
    /// If there are any of a class, values of the class get only these.
    pub only: PRegSet,
    /// Values never get these.
    pub excluded: PRegSet,
    /// No instruction may name these; a function that needs one is refused.
    pub reserved: PRegSet,
}

impl RegisterChoice {
    /// What is left of a set of registers that values may get.
    fn restrict(&self, set: PRegSet) -> PRegSet {
        let bank = |number: usize| match self.only.bank(number) {
            0 => u64::MAX,
            only => only,
        };
        set.intersection(PRegSet::from_banks(bank(0), bank(1)))
            .minus(self.excluded)
            .minus(self.reserved)
    }

    /// Refuses a function over physical registers that names a reserved one.
    fn refuse_reserved(&self, func: &MFunc, desc: &TargetDesc, ops: &'static [OpDesc]) -> Result<(), CodegenError> {
        if self.reserved.is_empty() {
            return Ok(());
        }
        for inst in &func.insts {
            let row = op_desc(ops, inst.op);
            let sets = func.implicit(inst, row);
            let mut named = sets.uses.union(row.implicit_defs);
            for_each_register(inst, row, |_, reg, _| {
                if reg.is_physical() {
                    named.insert(reg);
                }
            });
            if let Some(reg) = named.intersection(self.reserved).iter().next() {
                let name = desc.regs.iter().find(|row| row.reg == reg).map_or("?", |row| row.name);
                return Err(CodegenError::unsupported(
                    Refusal::ProcessorFeature,
                    format!("reserving register {name}: the instruction {} needs it", row.name),
                ));
            }
        }
        Ok(())
    }
}

struct Hooks<'a, I> {
    isa: &'a I,
    features: FeatureSet,
    /// Whether values may live in mask registers.
    has_masks: bool,
}

impl<I: Isa> MachHooks for Hooks<'_, I> {
    fn desc(&self) -> &'static TargetDesc {
        self.isa.desc()
    }

    fn ops(&self) -> &'static [OpDesc] {
        self.isa.op_descs()
    }

    fn invert(&self, branch: MInst) -> MInst {
        self.isa.invert(branch)
    }

    fn trap(&self) -> MInst {
        self.isa.trap()
    }

    fn mov(&self, class: RegClass, bytes: u8, dst: Reg, src: Reg) -> MInst {
        self.isa.mov(class, bytes, dst, src)
    }

    fn spill(&self, class: RegClass, bytes: u8, src: Reg, mem: Mem) -> MInst {
        self.isa.spill(class, bytes, src, mem)
    }

    fn reload(&self, class: RegClass, bytes: u8, dst: Reg, mem: Mem) -> MInst {
        self.isa.reload(class, bytes, dst, mem)
    }

    fn rules(&self) -> &'static dyn MachRules {
        self.isa.mach_rules()
    }

    fn has_three_operands(&self) -> bool {
        self.isa.has_three_operands(self.features)
    }

    fn upper_registers(&self) -> PRegSet {
        match self.isa.has_upper_registers(self.features) {
            true => self.isa.desc().upper_registers,
            false => PRegSet::EMPTY,
        }
    }

    fn mask_registers(&self) -> PRegSet {
        match self.has_masks {
            true => self.isa.desc().mask_registers(),
            false => PRegSet::EMPTY,
        }
    }

    fn meaning(&self) -> &'static dyn Meaning {
        self.isa.meaning()
    }
}

/// Compiles a function; see [`crate::target::Target::compile_optimized`].
pub(crate) fn compile<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    recipe: &MachRecipe,
    passes: &mut dyn MachPasses,
    state: &mut OptimizeState,
    out: &mut CompiledFunction,
) -> Result<(), CodegenError> {
    with_library_calls(isa, unit, |unit| {
        with_legal_types(isa, unit, |unit| compile_legal(isa, unit, recipe, passes, state, out))
    })
}

/// The same for a function without vectors that fit no register.
fn compile_legal<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    recipe: &MachRecipe,
    passes: &mut dyn MachPasses,
    state: &mut OptimizeState,
    out: &mut CompiledFunction,
) -> Result<(), CodegenError> {
    let mut compile =
        |unit: &Unit<'_>| without_large_rules(isa, unit, |unit| compile_once(isa, unit, recipe, passes, state, out));
    let outcome = match compile(unit) {
        Err(Halt::Expand) => expanded(isa, unit, compile),
        outcome => outcome,
    };
    outcome.map_err(failure)
}

/// What the selecting context ends with: it has nothing that another one could do.
fn failure(halt: Halt) -> CodegenError {
    match halt {
        Halt::Failed(error) => error,
        Halt::Expand | Halt::Select => unreachable!("vectors are expanded once, and selection is the last resort"),
    }
}

/// The same, without doing vector operations lane by lane.
fn compile_once<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    recipe: &MachRecipe,
    passes: &mut dyn MachPasses,
    state: &mut OptimizeState,
    out: &mut CompiledFunction,
) -> Result<(), Halt> {
    out.clear();
    out.align_log2 = function_align_log2(isa.desc(), recipe.for_size);
    let func = &mut state.selected;
    select(isa, unit, &mut state.select, func, &mut out.body)?;
    state.scratch.begin_function(func.insts.len());
    let conv = convention(isa, unit.function.signature().call_conv)?;
    // Registers that the function would have to clear in the end stay out of it, and other allocators know but two
    // classes. Who preserves vectors of its caller would have to preserve masks, too.
    let is_plain = unit.head.cleared_registers.is_empty() && state.replaced_allocator.is_none();
    let hooks = Hooks {
        isa,
        features: unit.view.features,
        has_masks: is_plain && isa.has_masks(unit.view.features) && conv.callee_saved.bank(RegClass::Float.bank()) == 0,
    };
    let mut cx = MachPassCx {
        hooks: &hooks,
        is_allocated: false,
        constants: &out.body.constants,
        scratch: &mut state.scratch,
    };
    passes.finished("select");
    passes.run(func, &mut cx)?;
    let stack_align = stack_align(isa.desc(), conv, unit)?;
    if func.frame.realigned_to > 0 || stack_align < conv.stack_align {
        realign(isa, func, unit, (stack_align, conv), &state.registers)?;
    }
    let frame_pointer = needs_frame_pointer(isa.desc(), func, unit.view.frame_pointer(unit.head))?;
    // A function that preserves vectors of its caller would have to preserve all of each of these.
    let upper = match func.frame.callee_saved.bank(RegClass::Float.bank()) {
        0 if is_plain => hooks.upper_registers(),
        _ => PRegSet::EMPTY,
    };
    let lends_scratch = I::SAVES_SCRATCH && lends_scratch(isa, func, unit);
    let lent = match lends_scratch {
        true => PRegSet::of(&[isa.desc().class(RegClass::Int).scratch]),
        false => PRegSet::EMPTY,
    };
    let input = AllocatorInput {
        desc: isa.desc(),
        ops: isa.op_descs(),
        allocatable: state.registers.restrict(
            allocatable(isa, unit, &func.frame, frame_pointer)
                .union(upper)
                .union(lent)
                .union(hooks.mask_registers()),
        ),
        lends_scratch,
        upper,
        callee_saved: func.frame.callee_saved,
        reuse_slots: !func.frame.calls_returning_twice,
        for_size: recipe.for_size,
        options: &recipe.allocator,
    };
    state.allocation.clear();
    passes.allocating(func);
    match &mut state.replaced_allocator {
        Some(allocator) => allocator.allocate(func, &input, &mut state.allocation)?,
        None => allocate(func, &input, &mut state.allocator, &mut state.allocation)?,
    }
    if state.is_checked.unwrap_or(cfg!(debug_assertions)) {
        state.checker.check_allocation(func, &input, &state.allocation)?;
    }
    passes.finished("regalloc");
    let is_followed = (state.follower).begin(unit.function, func, &input, &state.allocation);
    apply(
        isa,
        func,
        (&state.allocation, lends_scratch),
        frame_pointer,
        is_followed,
        &mut state.apply,
        &mut state.allocated,
    );
    state.follower.keep(&state.allocated);
    let callee_saved = state.allocated.frame.callee_saved;
    state.allocated.frame.has_pointer = frame_pointer;
    (state.registers).refuse_reserved(&state.allocated, isa.desc(), isa.op_descs())?;
    cx.is_allocated = true;
    passes.finished("apply");
    passes.allocated(&state.allocated, &cx)?;
    passes.run(&mut state.allocated, &mut cx)?;
    if !state
        .allocation
        .written
        .intersection(hooks.upper_registers())
        .is_empty()
    {
        isa.encode_upper(&mut state.allocated.insts);
    }
    let (clearing, clearing_for_tails) = match unit.head.cleared_registers.is_empty() {
        true => <(Clearing, Clearing)>::default(),
        false => clearings(isa, unit, conv, &state.allocated, callee_saved)?,
    };
    let pushes = &mut state.pushes;
    push_arguments(isa, &mut state.allocated, stack_align, recipe.for_size, pushes);
    let options = EmitOptions {
        conv,
        stack_align,
        clearing,
        clearing_for_tails,
        saved: saved_registers(isa, &state.allocated, unit, callee_saved, state.allocation.written),
        frame_pointer,
        for_size: recipe.for_size,
    };
    let emitted = is_followed.then_some(&mut state.follower.emitted);
    let moves = &state.pushes.moves;
    emit(
        isa,
        &mut state.allocated,
        unit,
        (options, moves),
        &mut state.emit,
        emitted,
        out,
    )?;
    if let Some(distances) = out.debug.distances {
        let (slots, by_value) = state.select.memory_places();
        place_variables(unit.function, slots, by_value, distances, &mut out.debug.places);
        let frame = Frame {
            distances,
            slots: &state.apply.slots,
            saved: callee_saved,
            is_cleared: !unit.head.cleared_registers.is_empty() || state.allocated.frame.areas.guard.is_some(),
        };
        let selected = state.select.selected(func);
        let code = (&out.body, &mut out.debug);
        (state.follower).finish(unit, (selected, &state.allocated), &input, frame, code);
    }
    passes.finished("emit");
    Ok(())
}

/// What is zeroed before returns, and before tail calls, except for what these read.
#[cold]
fn clearings<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    conv: &ConvDesc,
    func: &MFunc,
    callee_saved: PRegSet,
) -> Result<(Clearing, Clearing), CodegenError> {
    let function = unit.function;
    let mut layout = ArgLayout::default();
    layout.compute(function.signature(), conv, conv.stack_align, function.types(), |ty| {
        isa.parts(function.types(), ty)
    })?;
    let all = clearing(isa, unit, &layout, callee_saved, used_registers(isa, func))?;
    let kept = results(function, &layout, conv);
    Ok((all.without(kept, layout.stack_results.as_slice().len() as u32), all))
}

/// The registers that a function's own instructions name; what calls overwrite besides is not the function's.
fn used_registers<I: Isa>(isa: &I, func: &MFunc) -> PRegSet {
    let mut used = PRegSet::EMPTY;
    for inst in &func.insts {
        let desc = op_desc(isa.op_descs(), inst.op);
        for_each_register(inst, desc, |_, reg, _| {
            if reg.is_physical() {
                used.insert(reg);
            }
        });
        used = used.union(desc.implicit_uses).union(desc.implicit_defs);
        if inst.op == pseudo::ASM {
            used = used.union(func.sets[inst.imm as usize].defs);
        }
    }
    used
}

/// Whether the integer scratch register may be allocated: if nothing writes it but instructions that name it.
fn lends_scratch<I: Isa>(isa: &I, func: &MFunc, unit: &Unit<'_>) -> bool {
    !has_frame_checks(func, unit) && !unit.head.naked && !func.insts.iter().any(|inst| isa.hides_scratch(inst))
}

/// Whether the frame code checks something, for which it takes the scratch register.
fn has_frame_checks(func: &MFunc, unit: &Unit<'_>) -> bool {
    let probes = stack_probes(unit.head, unit.view).map_or(true, |probes| probes.bytes > 0);
    probes || func.frame.areas.guard.is_some()
}

/// The registers that the function has to save: scratch registers if an instruction names them, or the prologue does.
fn saved_registers<I: Isa>(isa: &I, func: &MFunc, unit: &Unit<'_>, callee_saved: PRegSet, written: PRegSet) -> PRegSet {
    let mut written = written;
    let scratch = isa.desc().classes.map(|class| class.scratch);
    scratch.iter().for_each(|&reg| written.insert(reg));
    if I::SAVES_SCRATCH && !has_frame_checks(func, unit) {
        let is_overwritten =
            |inst: &MInst| inst.op == pseudo::ASM && func.sets[inst.imm as usize].defs.contains(scratch[0]);
        if !func
            .insts
            .iter()
            .any(|inst| isa.writes_scratch(inst) || is_overwritten(inst))
        {
            written.remove(scratch[0]);
        }
    }
    written.intersection(callee_saved)
}

/// Finds what is refused in a function; see [`crate::target::Target::refusals`].
pub(crate) fn refusals<I: Isa>(
    isa: &I,
    unit: &Unit<'_>,
    state: &mut OptimizeState,
    out: &mut CompiledFunction,
) -> Vec<CodegenError> {
    out.clear();
    let mut found = Vec::new();
    let of_floats = legal_floats(isa, unit, &mut found);
    let unit = &Unit {
        function: of_floats.as_ref().unwrap_or(unit.function),
        ..*unit
    };
    let legal = legal_parts(isa, unit, &mut found);
    if legal.is_none() && !found.is_empty() {
        return found;
    }
    let unit = Unit {
        function: legal.as_ref().unwrap_or(unit.function),
        ..*unit
    };
    let of_rest = crate::select::refusals(isa, &unit, &mut state.select, &mut state.selected, &mut out.body);
    found.extend(of_rest);
    found
}

/// What functions are aligned to: as the target wants it, or only as far as its instructions must be.
fn function_align_log2(desc: &TargetDesc, for_size: bool) -> u8 {
    if for_size {
        desc.elf.code_align.max(1).ilog2() as u8
    } else {
        desc.function_align_log2
    }
}

/// Whether the frame pointer must be set up: asked for, named, or needed because the stack pointer moves.
fn needs_frame_pointer(desc: &TargetDesc, func: &MFunc, asked: FramePointer) -> Result<bool, CodegenError> {
    let frame = &func.frame;
    let is_asked = match asked {
        FramePointer::All => true,
        FramePointer::NonLeaf => frame.has_calls,
        FramePointer::None => false,
    };
    let is_needed = frame.names_frame_pointer
        || frame.has_dynamic_stack
        || frame.realigned_to > 0
        || !desc.frame_pointer_is_optional;
    if frame.gives_up_frame_pointer && is_needed {
        return Err(CodegenError::unsupported(
            Refusal::InlineAssembly,
            "inline assembly: the frame pointer in a function that cannot do without it",
        ));
    }
    Ok(is_needed || (is_asked && !frame.gives_up_frame_pointer))
}

fn allocatable<I: Isa>(isa: &I, unit: &Unit<'_>, frame: &FrameNeeds, frame_pointer: bool) -> PRegSet {
    let desc = isa.desc();
    let mut all = desc.classes[0].allocatable.union(desc.classes[1].allocatable);
    if !frame_pointer {
        all.insert(desc.frame_pointer);
    }
    // The return address is in the frame then, and calls overwrite the register.
    if let Some(link) = desc.link_register
        && desc.pushes_saved_registers
        && (frame_pointer || frame.has_calls)
        && !unit.head.naked
    {
        all.insert(link);
    }
    if !desc.spare_registers.is_empty() && isa.has_spare_registers(unit.view, unit.head) {
        all = all.union(desc.spare_registers);
    }
    if let Some(reg) = frame.area_register {
        all.remove(reg);
    }
    all
}

/// Decides whether the frame is aligned: if the function says so, or if something in it needs more than callers see to.
/// That is known before registers are allocated: whatever is wider may be spilled. If the stack pointer moves, the
/// areas are found through a register that the function names nowhere, since calls and unwinders preserve it.
#[cold]
#[inline(never)]
fn realign<I: Isa>(
    isa: &I,
    func: &mut MFunc,
    unit: &Unit<'_>,
    (stack_align, conv): (u32, &ConvDesc),
    registers: &RegisterChoice,
) -> Result<(), CodegenError> {
    let desc = isa.desc();
    let widest = func.vregs.iter().map(|vreg| u32::from(vreg.bytes)).max();
    let saved = [0, 1].map(|bank| match func.frame.callee_saved.bank(bank) {
        0 => 0,
        _ => u32::from(desc.classes[bank].bytes),
    });
    let needed = (widest.into_iter().chain(saved)).fold(func.frame.areas.align as u32, u32::max);
    if func.frame.realigned_to == 0 && needed > stack_align && !unit.head.naked {
        func.frame.realigned_to = needed.min(conv.stack_align);
    }
    let (align, page) = (func.frame.realigned_to, stack_probes(unit.head, unit.view)?.bytes);
    if align == 0 || !desc.pushes_saved_registers {
        return Ok(());
    }
    if page > 0 && align > page {
        let what = format!("stack probes each {page} bytes in a frame aligned to {align}");
        return Err(CodegenError::unsupported(Refusal::Stack, what));
    }
    if func.frame.has_dynamic_stack {
        let named = named_registers(func, isa.op_descs());
        let free = (func.frame.callee_saved.intersection(desc.classes[0].allocatable)).minus(named);
        let Some(reg) = registers.restrict(free).iter().next() else {
            return Err(CodegenError::unsupported(
                Refusal::Stack,
                "stack allocation in an aligned frame with no register left to find it by",
            ));
        };
        func.frame.area_register = Some(reg);
    }
    Ok(())
}

/// All physical registers that instructions name or write.
fn named_registers(func: &MFunc, ops: &'static [OpDesc]) -> PRegSet {
    let mut named = PRegSet::EMPTY;
    for inst in &func.insts {
        let row = op_desc(ops, inst.op);
        let sets = func.implicit(inst, row);
        named = named.union(sets.uses).union(sets.defs).union(row.implicit_defs);
        for_each_register(inst, row, |_, reg, _| {
            if reg.is_physical() {
                named.insert(reg);
            }
        });
    }
    named
}
