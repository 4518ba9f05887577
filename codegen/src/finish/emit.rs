//! Lays out the frame and encodes a machine function over physical registers.
//!
//! The frame is laid out first ([`super::frame_layout`]), since it was not known before which registers are saved.
//!
//! Jumps to blocks that contain nothing but a jump are threaded to their final targets ([`super::threading`]), and such
//! blocks are not emitted.

use super::asm;
use super::calls::CallNotes;
use super::frame_layout::{EmitOptions, FrameMap, lay_out_frame};
use super::loops::find_short_loops;
use super::pushes::{Motion, StackMove};
use super::threading::{add_address_labels, thread_empty_blocks};
use super::wrapped::{describe_frame, find_blocks_with_frame, is_worth_sharing};
use crate::annotate::{self, Liveness};
use crate::branch::Branch;
use crate::buffer::CodeBuffer;
use crate::context::frame_code::{
    BodySink, branch_marks, finish_body, finish_prologue, make_room, prologue_bytes, put_branch, put_inst,
};
use crate::debug::{CodeDebug, FrameDistances, find_labels};
use crate::desc::Role;
use crate::error::CodegenError;
use crate::exceptions::{CallSite, DOES_NOT_UNWIND, Landing, pad_of};
use crate::follow::Emitted;
use crate::frame_info::{Clearing, FrameInfo, FrameSink};
use crate::inline_asm::{AsmPlace, flag};
use crate::isa::Isa;
use crate::mfunc::{INCOMING, MBlock, MFunc, Term, op_desc, pseudo};
use crate::minst::MInst;
use crate::reference::Label;
use crate::reg::Reg;
use crate::result::CompiledFunction;
use crate::unit::Unit;
use crate::unwind::UnwindOp;
use frazil_ir::debug::{DebugValue, LocationId};
use frazil_ir::{Block, EntityRef, Inst};

/// The memory of this stage, kept from function to function.
#[derive(Debug, Default)]
pub(crate) struct EmitState {
    /// By block: the block that a jump to it ends at, since empty blocks are passed over.
    threaded: Vec<u32>,
    /// By block, in shrink-wrapped functions: whether it is entered with the frame.
    has_frame: Vec<bool>,
    stack: Vec<u32>,
    /// The labels that dispatch code names and the addresses of blocks, each with the block at which it is bound;
    /// ascending.
    dispatch_labels: Vec<(u32, Label)>,
    /// By block, in modules that mark the targets of indirect branches: whether it is one.
    marked: Vec<bool>,
    /// By block: of a loop that begins with it and may be aligned, the block after the last one; of others 0. Empty if
    /// there are none.
    loop_ends: Vec<u32>,
}

impl EmitState {
    fn collect_dispatch_labels(&mut self, func: &MFunc, block_addresses: Option<(Label, u32)>) {
        let labels = &mut self.dispatch_labels;
        labels.clear();
        let threaded = &self.threaded;
        labels.extend((func.edges.iter()).filter_map(|edge| Some((threaded[edge.to as usize], edge.label?))));
        if let Some((first, count)) = block_addresses {
            add_address_labels(func, first, count, threaded, labels);
        }
        labels.sort_unstable();
    }

    /// Finds the blocks that unwinders or indirect jumps lead to, which need a mark.
    #[cold]
    fn find_marked_blocks(&mut self, func: &MFunc, block_addresses: Option<(Label, u32)>) {
        self.marked.clear();
        self.marked.resize(func.blocks.len(), false);
        for (number, block) in (0..).zip(&func.blocks) {
            if block.term == Term::Invoke {
                let pad = func.edges[func.edges_of(number).start + 1].to;
                self.marked[self.threaded[pad as usize] as usize] = true;
            }
        }
        let Some((first, count)) = block_addresses else {
            return;
        };
        let addresses = first.0..first.0 + count;
        for edge in &func.edges {
            if edge.label.is_some_and(|label| addresses.contains(&label.0)) {
                self.marked[self.threaded[edge.to as usize] as usize] = true;
            }
        }
    }
}

/// Encodes `func`, in which the stack pointer moves as `stack_moves` say, into `out`, and notes in `emitted` which
/// instruction begins where, if that is wanted; the body of `out` already has labels, constants and jump tables of the
/// function.
pub(crate) fn emit<I: Isa>(
    isa: &I,
    func: &mut MFunc,
    unit: &Unit<'_>,
    (options, stack_moves): (EmitOptions, &[StackMove]),
    state: &mut EmitState,
    emitted: Option<&mut Vec<Emitted>>,
    out: &mut CompiledFunction,
) -> Result<(), CodegenError> {
    let (frame, map) = lay_out_frame(isa, func, unit, options)?;
    let CompiledFunction {
        prologue,
        body,
        unwind,
        frame_bytes,
        align_log2,
        mark_bytes,
        debug,
        ..
    } = out;
    if unit.function.debug.is_on() {
        body.keep_marks();
        let is_fixed = func.frame.realigned_to == 0 && map.base == map.incoming_base;
        debug.distances = FrameDistances::new(is_fixed.then_some(map.areas - map.incoming), isa.desc());
    }
    thread_empty_blocks(func, &mut state.threaded);
    state.collect_dispatch_labels(func, body.block_addresses);
    let mark = branch_marks(isa, unit).map(|marks| marks.mark);
    if mark.is_some() {
        state.find_marked_blocks(func, body.block_addresses);
    }
    state.loop_ends.clear();
    if isa.desc().loop_line_log2 > 0 && !options.for_size {
        find_short_loops(func, isa.op_descs(), &state.threaded, &mut state.loop_ends);
    }
    let is_wrapped = func.frame.is_wrapped;
    if is_wrapped {
        find_blocks_with_frame(func, &mut state.has_frame, &mut state.stack);
    }
    body.use_islands(isa.islands());
    let first_label = body.new_labels(func.blocks.len());
    let epilogue = body.new_label();
    let liveness = body.is_annotating().then(|| Liveness::compute(func, isa.op_descs()));
    let calls = match debug.distances {
        Some(_) => CallNotes::new(isa, func, unit, debug.distances, options.conv),
        None => None,
    };
    CodeDebug::begin_labels(&mut debug.labels, unit.function);
    let notes_calls = body.exceptions.is_wanted();
    let forgets_wide = crate::vectors::forgets_wide(isa, unit.function);
    let mut emitter = Emitter {
        isa,
        func,
        unit: *unit,
        liveness,
        is_observed: body.is_observed(),
        frame,
        map,
        threaded: &state.threaded,
        dispatch_labels: &state.dispatch_labels,
        mark,
        marked: &state.marked,
        loop_ends: &state.loop_ends,
        end: None,
        first_label,
        epilogue,
        epilogue_is_used: false,
        blocks_with_frame: is_wrapped.then_some(&state.has_frame),
        has_frame: !is_wrapped,
        clearing_for_tails: options.clearing_for_tails,
        shares_epilogue: options.for_size && is_worth_sharing(func, &frame),
        looks_at_calls: notes_calls || forgets_wide || calls.is_some(),
        notes_calls,
        forgets_wide,
        calls,
        labels: &mut debug.labels,
        buf: body,
        unwind,
        asm_operands: Vec::new(),
        emitted,
        error: None,
        stack_moves: stack_moves.iter(),
        next_move: stack_moves.first().map_or(u32::MAX, |next| next.index),
        depth: 0,
    };
    emitter.emit_blocks();
    if let Some(error) = emitter.error.take() {
        return Err(error);
    }
    let calls = emitter.calls.take().map(|calls| (calls.calls, calls.parameters));
    body.bind_missing_addresses();
    if body.align_log2() > 0 {
        *align_log2 = body.align_log2().max(*align_log2);
        body.set_lead_bytes(prologue_bytes(isa, unit, (!is_wrapped).then_some(&frame)));
    }
    finish_body(isa, body, unwind)?;
    debug.follow_labels(body);
    if let Some((calls, parameters)) = calls {
        debug.describe_calls(body, calls, parameters);
    }
    *frame_bytes = frame.frame_bytes;
    *mark_bytes = finish_prologue(isa, unit, (!is_wrapped).then_some(&frame), prologue, unwind);
    Ok(())
}

struct Emitter<'a, I: Isa> {
    isa: &'a I,
    func: &'a MFunc,
    unit: Unit<'a>,
    /// What is live around each instruction, if the assembly text is annotated.
    liveness: Option<Liveness>,
    /// Whether anything is noted of instructions.
    is_observed: bool,
    frame: FrameInfo,
    map: FrameMap,
    threaded: &'a [u32],
    dispatch_labels: &'a [(u32, Label)],
    /// The instruction that marks targets of indirect branches, if the module has such marks; and by block, whether it
    /// needs one.
    mark: Option<MInst>,
    marked: &'a [bool],
    loop_ends: &'a [u32],
    /// The end of all blocks, where a loop ends there.
    end: Option<Label>,
    first_label: Label,
    epilogue: Label,
    epilogue_is_used: bool,
    /// By block: whether it is entered with the frame; `None` if all are.
    blocks_with_frame: Option<&'a Vec<bool>>,
    /// Whether the frame is set up at the current position, and the unwind table says so.
    has_frame: bool,
    /// See [`EmitOptions::clearing_for_tails`].
    clearing_for_tails: Clearing,
    /// Whether returns share one epilogue.
    shares_epilogue: bool,
    /// Whether anything is to be done at calls.
    looks_at_calls: bool,
    /// Whether calls need entries in the table of call sites.
    notes_calls: bool,
    /// See [`Isa::forget_wide`].
    forgets_wide: bool,
    /// What debuggers are told of calls.
    calls: Option<CallNotes<'a>>,
    /// Labels of the source that are looked for.
    labels: &'a mut Vec<(DebugValue, u32)>,
    buf: &'a mut CodeBuffer,
    unwind: &'a mut Vec<(u32, UnwindOp)>,
    /// The operands of the next inline assembly text so far, by their numbers.
    asm_operands: Vec<(u32, AsmPlace)>,
    /// Which instruction begins where, if that is wanted.
    emitted: Option<&'a mut Vec<Emitted>>,
    /// The first refusal, since the functions that meet one return nothing.
    error: Option<CodegenError>,
    /// The instructions that are still to come at which the stack pointer moves, and the number of the first of them.
    stack_moves: std::slice::Iter<'a, StackMove>,
    next_move: u32,
    /// How much further down the stack pointer is than where blocks find it, in bytes.
    depth: i32,
}

impl<I: Isa> Emitter<'_, I> {
    fn label(&self, block: u32) -> Label {
        Label(self.first_label.0 + self.threaded[block as usize])
    }

    /// Whether a block is not emitted, since all jumps to it are threaded.
    fn is_dropped(&self, block: u32) -> bool {
        self.threaded[block as usize] != block
    }

    fn emit_blocks(&mut self) {
        let func = self.func;
        let count = func.blocks.len() as u32;
        let mut dispatch_labels = self.dispatch_labels.iter().peekable();
        let mut block = 0;
        while block < count {
            let mut next = block + 1;
            while next < count && self.is_dropped(next) {
                next += 1;
            }
            if let Some(&end) = self.loop_ends.get(block as usize).filter(|&&end| end > 0) {
                let end = (end..count).find(|&end| !self.is_dropped(end));
                let label = match end {
                    Some(end) => Label(self.first_label.0 + end),
                    None => *self.end.get_or_insert_with(|| self.buf.new_label()),
                };
                self.buf
                    .align_loop(self.isa.desc().loop_line_log2, self.isa.loop_filler(), label);
            }
            self.buf.bind(Label(self.first_label.0 + block));
            while let Some(&(to, label)) = dispatch_labels.next_if(|&&(to, _)| to == block) {
                debug_assert_eq!(to, block, "labels are sorted");
                self.buf.bind(label);
            }
            if let Some(mark) = self.mark
                && self.marked[block as usize]
            {
                self.sink().emit(mark);
            }
            if let Some(blocks) = self.blocks_with_frame {
                self.describe(blocks[block as usize]);
            }
            self.emit_block(block, next);
            block = next;
        }
        if let Some(end) = self.end {
            self.buf.bind(end);
        }
        if self.epilogue_is_used {
            self.describe(true);
            self.buf.bind(self.epilogue);
            self.buf.mark_epilogue(LocationId::NONE);
            if let Some(emitted) = &mut self.emitted {
                emitted.push(Emitted::nothing(self.buf.offset()));
            }
            self.put_epilogue(true);
        }
    }

    fn emit_block(&mut self, block: u32, next: u32) {
        let func = self.func;
        let data = &func.blocks[block as usize];
        let choice = match data.term {
            Term::Switch => self.turned_choice(data, next),
            _ => None,
        };
        let branches = match data.term {
            Term::Branch(None) => 1,
            Term::Branch(Some(_)) => 2,
            _ => 2 * u32::from(choice.is_some()),
        };
        let end = data.end - branches;
        let mut index = data.start;
        while index < end {
            if self.is_observed {
                self.observe(index, index == data.start);
            }
            if index == self.next_move {
                self.emit_moving(index, next);
            } else if index + 1 < end
                && let Some(pair) = self.paired(index)
            {
                put_inst(self.isa, &pair, self.buf);
                self.remark(index);
                index += 1;
                if self.is_observed {
                    self.observe(index, false);
                }
            } else {
                self.emit_inst(&func.insts[index as usize], next);
            }
            self.remark(index);
            index += 1;
        }
        if branches > 0 && self.is_observed {
            self.observe(data.end - branches, data.end - branches == data.start);
        }
        if !self.labels.is_empty() {
            self.look_for_labels(block, None);
        }
        let edges = func.edges_of(block);
        match data.term {
            Term::Jump => self.jump_unless_next(func.edges[edges.start].to, next),
            Term::Invoke => {
                self.note_landing(data.end - 1, func.edges[edges.start + 1].to);
                self.jump_unless_next(func.edges[edges.start].to, next);
            }
            Term::Branch(join) => {
                let first = func.insts[(data.end - branches) as usize];
                let branch = Branch {
                    first,
                    second: join.map(|join| (join, func.insts[data.end as usize - 1])),
                };
                let (then_to, else_to) = (func.edges[edges.start].to, func.edges[edges.start + 1].to);
                self.emit_branch(branch, (then_to, else_to), block, next);
            }
            Term::Switch | Term::Return | Term::Stop => {
                if let Some(choice) = choice {
                    put_inst(self.isa, &choice, self.buf);
                }
            }
        }
        if self.depth != 0 {
            self.follow_stack(-self.depth);
        }
    }

    /// Notes what is to be said of the next instruction: its location, or for annotated assembly text its origin.
    #[cold]
    fn observe(&mut self, index: u32, begins: bool) {
        if self.buf.is_marking() {
            if let Some(calls) = &mut self.calls {
                calls.index = index;
            }
            if !self.labels.is_empty() {
                let block = self.func.blocks.partition_point(|block| block.end <= index);
                self.look_for_labels(block as u32, Some(index));
            }
            if let Some(emitted) = &mut self.emitted {
                emitted.push(Emitted::of(self.func, index, self.buf.offset(), self.has_frame));
            }
            let origin = self.func.origin(index as usize) as usize;
            let location = self.unit.function.debug.location_of(origin);
            let leaves = self.func.insts[index as usize].op == pseudo::RETURN;
            self.buf.mark_inst(location, begins, leaves);
        }
        if let Some(liveness) = &self.liveness {
            let registers = (liveness.after[index as usize], liveness.ends[index as usize]);
            let origin = self.func.origin(index as usize);
            let note = annotate::note(self.isa.desc(), self.unit.function, self.unit.view, origin, registers);
            self.buf.annotate(note);
        }
    }

    /// Looks for the labels that stand before an instruction of a block, or before its end.
    #[cold]
    fn look_for_labels(&mut self, block: u32, index: Option<u32>) {
        let source = Block::new(self.func.blocks[block as usize].source as usize);
        let range = self.unit.function.block_insts(source);
        let last = range.end.saturating_sub(1);
        let before = index.map_or(last, |index| (self.func.origin(index as usize) as usize).min(last));
        find_labels(self.labels, (range.start, before), self.buf.offset());
    }

    /// For annotated assembly text, notes whether the last instruction is a spill, reload or the like.
    #[inline]
    fn remark(&mut self, index: u32) {
        if self.liveness.is_some() {
            let inst = &self.func.insts[index as usize];
            if let Some(remark) = annotate::remark(self.func, self.isa.op_descs(), inst) {
                self.buf.remark(remark);
            }
        }
    }

    /// Emits the branch of `block`. If neither target comes next, the conditional branch takes the back edge of the
    /// innermost loop, if one is a back edge.
    fn emit_branch(&mut self, branch: Branch, (then_to, else_to): (u32, u32), block: u32, next: u32) {
        let labels = (self.label(then_to), self.label(else_to));
        let (then_block, else_block) = (self.threaded[then_to as usize], self.threaded[else_to as usize]);
        let turns_by_else = else_block <= block && (then_block > block || then_block < else_block);
        let then_follows = then_block == next || (else_block != next && turns_by_else);
        if labels.0 == labels.1 {
            self.jump_unless_next(then_to, next);
            return;
        }
        let isa = self.isa;
        let mut sink = BodySink {
            isa,
            buf: self.buf,
            unwind: self.unwind,
        };
        put_branch(isa, &mut sink, branch, labels, then_follows);
        self.jump_unless_next(if then_follows { then_to } else { else_to }, next);
    }

    /// For a switch that ends with a branch to the next block and a jump elsewhere, the opposite branch, which goes
    /// elsewhere and needs no jump after it.
    fn turned_choice(&self, data: &MBlock, next: u32) -> Option<MInst> {
        let [.., branch, jump] = &self.func.insts[data.start as usize..data.end as usize] else {
            return None;
        };
        let desc = op_desc(self.isa.op_descs(), branch.op);
        let leads_next = || self.dispatch_labels.binary_search(&(next, branch.label())).is_ok();
        let is_choice = branch.op < pseudo::FIRST
            && desc.is_branch()
            && *jump == self.isa.jump(jump.label())
            && *branch != self.isa.jump(branch.label())
            && leads_next();
        is_choice.then(|| self.isa.invert(*branch).with_label(jump.label()))
    }

    fn jump_unless_next(&mut self, to: u32, next: u32) {
        if self.threaded[to as usize] != next {
            let label = self.label(to);
            put_inst(self.isa, &self.isa.jump(label), self.buf);
        }
    }

    /// One instruction for the one with this number and the next, if the target has one.
    #[inline]
    fn paired(&self, index: u32) -> Option<MInst> {
        let [first, second] = [index, index + 1].map(|number| &self.func.insts[number as usize]);
        if first.op >= pseudo::FIRST || second.op >= pseudo::FIRST {
            return None;
        }
        // Only with their places in the frame is it known how far they are from their base.
        self.isa.paired(first, second)?;
        self.isa.paired(&self.with_frame(*first), &self.with_frame(*second))
    }

    fn emit_inst(&mut self, inst: &MInst, next: u32) {
        match inst.op {
            pseudo::LABEL => self.buf.bind(inst.label()),
            pseudo::ENTRY | pseudo::ARRIVE | pseudo::NOP | pseudo::USE => {}
            pseudo::RELEASE if inst.disp == 0 => {}
            pseudo::RELEASE => put_inst(self.isa, &self.isa.adjust_stack(-inst.disp), self.buf),
            pseudo::RETURN if inst.disp == 0 => self.emit_return(next),
            pseudo::RETURN => self.emit_tail_call(inst, next),
            pseudo::PROLOGUE => {
                let (isa, frame) = (self.isa, self.frame);
                self.has_frame = true;
                let sink = &mut self.sink();
                sink.unwind(UnwindOp::RememberState);
                isa.prologue(&frame, sink);
            }
            pseudo::RESTORE => {
                // Code without frame may follow, which computes.
                let frame = FrameInfo {
                    leaves_wide: false,
                    ..self.frame
                };
                self.isa.epilogue(&frame, &mut self.sink());
                self.describe(false);
            }
            op if pseudo::is_asm(op) => self.emit_asm(inst),
            _ => {
                if self.looks_at_calls {
                    return self.encode_noted(inst);
                }
                put_inst(self.isa, &self.with_frame(*inst), self.buf);
            }
        }
    }

    /// Emits an instruction at which the stack pointer moves.
    #[cold]
    fn emit_moving(&mut self, index: u32, next: u32) {
        while let Some(motion) = self.take_motion(index, true) {
            self.follow(motion);
        }
        self.emit_inst(&self.func.insts[index as usize], next);
        while let Some(motion) = self.take_motion(index, false) {
            self.follow(motion);
        }
        self.next_move = self.stack_moves.as_slice().first().map_or(u32::MAX, |next| next.index);
    }

    fn follow(&mut self, motion: Motion) {
        match motion {
            Motion::Entered(bytes) | Motion::Pushed(bytes) => self.follow_stack(bytes),
            Motion::Reserved { bytes, keeps_flags } => self.move_stack(bytes, !keeps_flags),
            Motion::Arguments(bytes) => self.sink().unwind(UnwindOp::ArgumentBytes(bytes)),
            Motion::Called => self.sink().unwind(UnwindOp::ArgumentBytes(0)),
            Motion::Released(bytes) => self.move_stack(-bytes, true),
        }
    }

    /// The next move at an instruction, of those before it or of those after it.
    fn take_motion(&mut self, index: u32, before: bool) -> Option<Motion> {
        let next = self.stack_moves.as_slice().first()?;
        let is_next = next.index == index && next.motion.is_before() == before;
        is_next.then(|| self.stack_moves.next().map(|next| next.motion))?
    }

    /// Moves the stack pointer down by so many bytes.
    fn move_stack(&mut self, bytes: i32, may_write_flags: bool) {
        if bytes != 0 {
            let inst = match may_write_flags {
                true => self.isa.move_stack(-bytes),
                false => self.isa.adjust_stack(-bytes),
            };
            put_inst(self.isa, &inst, self.buf);
            self.follow_stack(bytes);
        }
    }

    /// The stack pointer is so many bytes further down: the distances from it change.
    fn follow_stack(&mut self, bytes: i32) {
        let desc = self.isa.desc();
        if bytes == 0 {
            return;
        }
        self.depth += bytes;
        if self.map.base == desc.stack_pointer {
            self.map.areas += bytes;
        }
        if self.map.incoming_base == desc.stack_pointer {
            self.map.incoming += bytes;
            let offset = self.map.incoming + desc.incoming_args_offset;
            let at = self.buf.offset();
            match self.unwind.last_mut() {
                Some((last, UnwindOp::DefineCfaOffset(old))) if *last == at => *old = offset,
                _ => self.sink().unwind(UnwindOp::DefineCfaOffset(offset)),
            }
        }
    }

    /// Encodes an instruction; if it is a call, adds what belongs before it, and a call site if it may unwind or
    /// debuggers are told.
    #[cold]
    fn encode_noted(&mut self, before_layout: &MInst) {
        let inst = &self.with_frame(*before_layout);
        let is_call = op_desc(self.isa.op_descs(), inst.op).has_sets;
        if self.forgets_wide
            && is_call
            && let Some(before) = self.isa.forget_wide(inst)
        {
            make_room(self.isa, self.buf);
            self.isa.encode(&before, self.buf);
        }
        make_room(self.isa, self.buf);
        let start = self.buf.offset();
        self.isa.encode(inst, self.buf);
        if let Some(calls) = self.calls.as_mut().filter(|_| is_call) {
            calls.note(before_layout, (start, self.buf.offset()), false);
        }
        if self.notes_calls && is_call && inst.condition() != DOES_NOT_UNWIND {
            let end = self.buf.offset();
            let landing = None;
            self.buf.exceptions.call_sites.push(CallSite { start, end, landing });
        }
    }

    /// Sets the landing pad of the last call site, which is that of instruction `index`, to a block.
    #[cold]
    fn note_landing(&mut self, index: u32, to: u32) {
        let function = self.unit.function;
        let invoke = function.inst(Inst::new(self.func.origin(index as usize) as usize));
        let pad = pad_of(function, function.invoke_targets(invoke).1);
        let action = self.buf.exceptions.known_action(pad);
        let label = self.label(to);
        if let Some(site) = self.buf.exceptions.call_sites.last_mut() {
            site.landing = Some(Landing { label, action });
        }
    }

    /// Emits an inline assembly text, or keeps one of its operands until the text comes.
    #[cold]
    #[inline(never)]
    fn emit_asm(&mut self, inst: &MInst) {
        if inst.op != pseudo::ASM {
            let place = asm::operand_place(&self.with_frame(*inst));
            self.asm_operands.push((inst.imm.cast_unsigned(), place));
            return;
        }
        let site = &self.func.asm_sites[inst.disp as usize];
        let start = self.buf.offset();
        if let Err(error) = asm::emit_text(self.isa, site, &self.asm_operands, self.buf) {
            self.error.get_or_insert(error);
        }
        if self.notes_calls && site.data.flags & flag::MAY_UNWIND != 0 {
            let (end, landing) = (self.buf.offset(), None);
            self.buf.exceptions.call_sites.push(CallSite { start, end, landing });
        }
        self.asm_operands.clear();
    }

    fn sink(&mut self) -> BodySink<'_, I> {
        BodySink {
            isa: self.isa,
            buf: self.buf,
            unwind: self.unwind,
        }
    }

    /// Makes the unwind table say whether the frame is set up from here on.
    fn describe(&mut self, has_frame: bool) {
        if has_frame == self.has_frame {
            return;
        }
        self.has_frame = has_frame;
        if has_frame {
            let (isa, frame, offset) = (self.isa, self.frame, self.buf.offset());
            self.sink().unwind(UnwindOp::RememberState);
            describe_frame(isa, &frame, offset, self.unwind);
        } else {
            self.sink().unwind(UnwindOp::RestoreState);
        }
    }

    /// The instruction with a reference to the frame, if it has one, replaced by a register and displacement.
    #[inline]
    fn with_frame(&self, mut inst: MInst) -> MInst {
        debug_assert!(
            self.has_frame || !inst.names_frame(),
            "an access of the frame without one"
        );
        if inst.names_frame() && op_desc(self.isa.op_descs(), inst.op).roles[1] == Role::Base {
            let (base, distance) = self.frame_distance(inst.disp);
            inst.set_reg(1, base);
            inst.disp += distance;
        }
        // Targets that compute addresses by separate instructions have the frame as a plain operand.
        else if inst.names_frame() {
            let (base, distance) = self.frame_distance(inst.imm);
            inst.set_reg(1, base);
            inst.imm += distance;
        }
        inst
    }

    fn frame_distance(&self, displacement: i32) -> (Reg, i32) {
        if displacement < INCOMING / 2 {
            (self.map.base, self.map.areas)
        } else {
            (self.map.incoming_base, self.map.incoming - INCOMING)
        }
    }

    fn emit_return(&mut self, next: u32) {
        let is_last = next as usize >= self.func.blocks.len();
        if !self.has_frame {
            let leave = self.leave();
            self.put_leave(leave);
        } else if self.shares_epilogue && !is_last {
            self.epilogue_is_used = true;
            put_inst(self.isa, &self.isa.jump(self.epilogue), self.buf);
        } else if self.epilogue_is_used && is_last {
            self.buf.bind(self.epilogue);
            self.epilogue_is_used = false;
            self.put_epilogue(true);
        } else {
            self.put_epilogue(is_last);
        }
    }

    /// Emits the epilogue of a tail call and the jump to the callee.
    #[cold]
    fn emit_tail_call(&mut self, leave: &MInst, next: u32) {
        let inst = self.func.tail_calls[leave.disp as usize - 1];
        let is_last = next as usize >= self.func.blocks.len() && !self.epilogue_is_used;
        let frame = self.frame;
        if !self.clearing_for_tails.is_empty() {
            let read = self.func.sets[leave.imm as usize].uses;
            self.frame.clearing = self.clearing_for_tails.without(read, 0);
        }
        let start = if self.has_frame {
            self.frame.keeps_scratch = true;
            self.put_way_out(inst, is_last)
        } else {
            self.put_leave(inst)
        };
        self.frame = frame;
        if let Some(calls) = &mut self.calls {
            calls.note(&inst, (start, self.buf.offset()), true);
        }
    }

    /// Emits the epilogue of a return; the code after it has the frame again.
    fn put_epilogue(&mut self, is_last: bool) {
        self.put_way_out(self.leave(), is_last);
    }

    fn leave(&self) -> MInst {
        self.isa.leave(self.func.frame.popped_bytes)
    }

    /// Emits an epilogue and the instruction that leaves the function; returns where that begins.
    fn put_way_out(&mut self, leave: MInst, is_last: bool) -> u32 {
        let isa = self.isa;
        let frame = FrameInfo {
            frame_bytes: self.frame.frame_bytes + self.depth.cast_unsigned(),
            ..self.frame
        };
        let keeps_state = !is_last && frame.needs_frame;
        let mut sink = self.sink();
        if keeps_state {
            sink.unwind(UnwindOp::RememberState);
        }
        isa.epilogue(&frame, &mut sink);
        let start = self.put_leave(leave);
        if keeps_state {
            self.sink().unwind(UnwindOp::RestoreState);
        }
        start
    }

    /// Emits the instruction that leaves the function, after clearing registers if that is wanted; returns where it
    /// begins.
    fn put_leave(&mut self, leave: MInst) -> u32 {
        let (isa, clearing) = (self.isa, self.frame.clearing);
        let mut sink = self.sink();
        if !clearing.is_empty() {
            isa.clear(&clearing, &mut sink);
        }
        let start = sink.buf.offset();
        sink.emit(leave);
        start
    }
}
