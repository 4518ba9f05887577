//! The state that both contexts have in common for the function that is compiled.

use crate::buffer::CodeBuffer;
use crate::context::frame_code::{branch_marks, stack_probes};
use crate::context::refusals;
use crate::desc::ConvDesc;
use crate::error::CodegenError;
use crate::frame_info::StackProbes;
use crate::isa::Isa;
use crate::minst::MInst;
use crate::module_view::ModuleView;
use crate::reference::Label;
use crate::reg::PRegSet;
use crate::unit::{Unit, convention};
use frazil_ir::{Block, Function, Refusal, Value};

/// How the function is called.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Incoming {
    /// Size of the arguments on the stack.
    pub stack_bytes: u32,
    /// How much of them the function takes off the stack.
    pub popped_bytes: u32,
    /// Number of integer argument registers that the fixed parameters took.
    pub int_args_used: u8,
    /// Number of float argument registers that they took.
    pub float_args_used: u8,
    /// In a variadic function: the frame slot with the saved argument registers.
    pub variadic_save: Option<i32>,
    /// The parameter that is to be returned.
    pub struct_return: Option<Value>,
    /// In a variadic function with mandatory tail calls: the frame slot with what the caller said of float
    /// registers.
    pub variadic_count: Option<i32>,
    /// The frame slot of Swift's error, whose address the parameter is.
    pub swift_error: Option<i32>,
}

/// The part that both contexts have.
pub(crate) struct Base<'a, I: Isa> {
    pub isa: &'a I,
    pub function: &'a Function,
    /// The module and the options.
    pub view: ModuleView<'a>,
    /// The convention of the function itself.
    pub conv: &'static ConvDesc,
    /// What callers and callees align the stack pointer to around calls, in bytes.
    pub stack_align: u32,
    /// What the function aligns its own frame to: more than that where its head says so.
    pub frame_align: u32,
    /// What is known of the alignment of arguments on the stack: less where the head says that callers err.
    pub incoming_align: u32,
    /// Registers that the function preserves for its caller.
    pub preserved: PRegSet,
    /// The code; in the selecting context, its labels, constants and jump tables.
    pub buf: &'a mut CodeBuffer,
    /// Layout position of the current block.
    pub position: u32,
    /// Width of immediates of the current instruction, in bytes.
    pub imm_bytes: u8,
    /// How the function is called.
    pub incoming: Incoming,
    /// How its stack is probed.
    pub probes: StackProbes,
    /// Whether switches may jump by tables.
    pub may_have_tables: bool,
    /// What stands where indirect branches may lead to, in a module with such marks.
    pub branch_mark: Option<MInst>,
    /// The first refusal met where none could be returned.
    pub error: Option<CodegenError>,
}

impl<'a, I: Isa> Base<'a, I> {
    /// Begins a function, unless it must be refused.
    pub(crate) fn new(isa: &'a I, unit: &Unit<'a>, buf: &'a mut CodeBuffer) -> Result<Base<'a, I>, CodegenError> {
        refusals::refuse_attributes(isa.desc(), unit.head, unit.view)?;
        if unit.head.naked {
            refusals::refuse_naked(unit.function)?;
        }
        refusals::refuse_layout(isa.desc(), unit.function, unit.view)?;
        if unit.head.personality.is_some() {
            refusals::refuse_personality(isa.desc(), unit.head, unit.view)?;
            buf.exceptions.begin(true);
        }
        let conv = convention(isa, unit.function.signature().call_conv)?;
        let stack_align = refusals::stack_align(isa.desc(), conv, unit)?;
        refusals::refuse_entry(isa, unit.head, unit.view)?;
        if conv.preserves_wide_vectors {
            refusals::refuse_wide_saves(isa, conv, unit.view)?;
        }
        if unit.function.has_block_addresses() || unit.function.cfg().indirect_jumps() > 0 {
            address_blocks(unit.function, buf)?;
        }
        let marks = branch_marks(isa, unit);
        Ok(Base {
            isa,
            function: unit.function,
            view: unit.view,
            conv,
            stack_align,
            frame_align: stack_align,
            incoming_align: stack_align,
            preserved: conv.callee_saved,
            buf,
            position: 0,
            imm_bytes: 8,
            incoming: Incoming::default(),
            probes: stack_probes(unit.head, unit.view)?,
            may_have_tables: !unit.head.no_jump_tables && !marks.is_some_and(|marks| marks.marks_tables),
            branch_mark: marks.map(|marks| marks.mark),
            error: None,
        })
    }

    /// The label that is a block's address; `None` if nobody asks for addresses of blocks, or there is no such block.
    pub(crate) fn address_label(&self, block: Block) -> Option<Label> {
        let (first, count) = self.buf.block_addresses?;
        (block.as_u32() < count).then(|| Label(first.0 + block.as_u32()))
    }
}

/// Makes the labels that are the addresses of blocks.
///
/// The address of a target of the function's one indirect jump is the label on the edge from the jump to the target
/// at which the moves into the target's phis begin, if there are any (contract 11); that of another block is the block.
#[cold]
fn address_blocks(function: &Function, buf: &mut CodeBuffer) -> Result<(), CodegenError> {
    if function.cfg().indirect_jumps() > 1 {
        return Err(CodegenError::unsupported(
            Refusal::Instruction,
            "several computed gotos (indirectbr) in one function that were not made one",
        ));
    }
    let count = function.blocks().len();
    buf.block_addresses = Some((buf.new_labels(count), count as u32));
    Ok(())
}
