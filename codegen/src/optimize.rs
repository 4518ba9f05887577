//! The optimizing path: select, machine passes, allocate, apply, machine passes, emit.

use crate::check::Checker;
use crate::desc::{OpDesc, TargetDesc};
use crate::error::CodegenError;
use crate::finish::apply::{ApplyState, apply};
use crate::finish::emit::{EmitOptions, EmitState, Unit, emit};
use crate::isa::Isa;
use crate::mfunc::{MFunc, for_each_register, op_desc};
use crate::minst::{MInst, Mem};
use crate::module_view::ModuleView;
use crate::pass::{MachHooks, MachPassCx, MachPasses, MachRules};
use crate::reg::{PRegSet, Reg, RegClass};
use crate::regalloc::{Allocation, Allocator, AllocatorInput, AllocatorOptions, RegAllocState, allocate};
use crate::result::CompiledFunction;
use crate::select::{SelectState, select};
use frazil_ir::Function;
use frazil_ir::module::{FramePointer, FunctionHead};
use frazil_ir::pass::ScratchPool;

/// What a recipe says of the machine part besides its passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachRecipe {
    /// The allocator's options.
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
    allocated: MFunc,
    emit: EmitState,
    scratch: ScratchPool,
    checker: Checker,
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
                return Err(CodegenError::unsupported(format!(
                    "reserving register {name}: the instruction {} needs it",
                    row.name
                )));
            }
        }
        Ok(())
    }
}

struct Hooks<'a, I>(&'a I);

impl<I: Isa> MachHooks for Hooks<'_, I> {
    fn desc(&self) -> &'static TargetDesc {
        self.0.desc()
    }

    fn ops(&self) -> &'static [OpDesc] {
        self.0.op_descs()
    }

    fn invert(&self, branch: MInst) -> MInst {
        self.0.invert(branch)
    }

    fn trap(&self) -> MInst {
        self.0.trap()
    }

    fn mov(&self, class: RegClass, bytes: u8, dst: Reg, src: Reg) -> MInst {
        self.0.mov(class, bytes, dst, src)
    }

    fn spill(&self, class: RegClass, bytes: u8, src: Reg, mem: Mem) -> MInst {
        self.0.spill(class, bytes, src, mem)
    }

    fn reload(&self, class: RegClass, bytes: u8, dst: Reg, mem: Mem) -> MInst {
        self.0.reload(class, bytes, dst, mem)
    }

    fn rules(&self) -> &'static dyn MachRules {
        self.0.mach_rules()
    }
}

/// Compiles a function; see [`crate::isa::Target::compile_optimized`].
#[allow(clippy::too_many_arguments, reason = "what a compilation consists of")]
pub(crate) fn compile<I: Isa>(
    isa: &I,
    function: &Function,
    head: &FunctionHead,
    view: ModuleView<'_>,
    recipe: &MachRecipe,
    passes: &mut dyn MachPasses,
    state: &mut OptimizeState,
    out: &mut CompiledFunction,
) -> Result<(), CodegenError> {
    out.clear();
    let func = &mut state.selected;
    select(isa, function, head, view, &mut state.select, func, &mut out.body)?;
    let hooks = Hooks(isa);
    let mut cx = MachPassCx {
        hooks: &hooks,
        is_allocated: false,
        scratch: &mut state.scratch,
    };
    passes.finished("select");
    passes.run(func, &mut cx);
    let conv = isa
        .convention(function.signature.call_conv)
        .expect("selection has found the convention");
    let frame_pointer = needs_frame_pointer(isa.desc(), func, head);
    let input = AllocatorInput {
        desc: isa.desc(),
        ops: isa.op_descs(),
        allocatable: state.registers.restrict(allocatable(isa.desc(), frame_pointer)),
        callee_saved: conv.callee_saved,
        reuse_slots: !func.frame.calls_returning_twice,
        options: &recipe.allocator,
    };
    state.allocation.clear();
    match &mut state.replaced_allocator {
        Some(allocator) => allocator.allocate(func, &input, &mut state.allocation)?,
        None => allocate(func, &input, &mut state.allocator, &mut state.allocation)?,
    }
    if state.is_checked.unwrap_or(cfg!(debug_assertions)) {
        state.checker.check_allocation(func, &input, &state.allocation)?;
    }
    passes.finished("regalloc");
    apply(isa, func, &state.allocation, &mut state.apply, &mut state.allocated);
    (state.registers).refuse_reserved(&state.allocated, isa.desc(), isa.op_descs())?;
    cx.is_allocated = true;
    passes.finished("apply");
    passes.run(&mut state.allocated, &mut cx);
    let options = EmitOptions {
        written: state.allocation.written,
        frame_pointer,
        for_size: recipe.for_size,
    };
    let unit = Unit {
        function,
        head,
        view,
        conv,
    };
    emit(isa, &mut state.allocated, &unit, options, &mut state.emit, out)?;
    passes.finished("emit");
    Ok(())
}

/// Whether the frame pointer must be set up: asked for, named, or needed because the stack pointer moves.
fn needs_frame_pointer(desc: &TargetDesc, func: &MFunc, head: &FunctionHead) -> bool {
    let frame = &func.frame;
    let is_asked = match head.frame_pointer {
        FramePointer::All => true,
        FramePointer::NonLeaf => frame.has_calls,
        FramePointer::None => false,
    };
    is_asked || frame.names_frame_pointer || frame.has_dynamic_stack || !desc.pushes_saved_registers
}

fn allocatable(desc: &TargetDesc, frame_pointer: bool) -> PRegSet {
    let mut all = desc.classes[0].allocatable.union(desc.classes[1].allocatable);
    if !frame_pointer {
        all.insert(desc.frame_pointer);
    }
    all
}
