//! Writes functions.

use super::names::{FRAME_POINTERS, STACK_PROTECTORS, word_of, write_flags, write_quoted, write_type};
use super::operands::operand_text;
use super::pieces::{write_attachments, write_symbol};
use super::printer_debug::{DebugLines, write_function_debug};
use super::signatures::{print_signature, write_call_conv, write_params, write_returns};
use crate::cfg::Cfg;
use crate::entities::{Block, Inst};
use crate::function::{Function, InstData};
use crate::module::{FramePointer, FunctionHead, Module, ReturnSigning, StackProtector, SymbolKind};
use crate::opcode::{Format, Opcode};
use crate::operand::Operand;
use crate::signature::CallConv;
use crate::types::Type;
use crate::typing::{SlotType, slot_type};
use frazil_support::EntityRef;
use std::fmt::{self, Write};

/// Writes a function with its attributes.
///
/// The function must be well formed enough to be walked (indices in range); it need not pass the verifier. Its
/// [`Function::cfg`] is not used, so that a function can be printed while it is being edited.
///
/// # Errors
/// What `out` returns.
pub fn print_function(module: &Module, function: &Function, out: &mut dyn Write) -> fmt::Result {
    let mut cfg = Cfg::default();
    cfg.compute(function);
    FunctionPrinter {
        module,
        function,
        cfg,
        out,
    }
    .function()
}

/// Prints one instruction, without the values of a phi.
///
/// # Errors
/// What `out` returns.
pub fn print_inst(module: &Module, function: &Function, inst: Inst, out: &mut dyn Write) -> fmt::Result {
    let data = function.inst(inst);
    if data.op == Opcode::Phi {
        return write!(out, "v{} = phi", data.result);
    }
    let mut printer = FunctionPrinter {
        module,
        function,
        cfg: Cfg::default(),
        out,
    };
    printer.inst(Block::new(0), data)
}

struct FunctionPrinter<'a> {
    module: &'a Module,
    function: &'a Function,
    cfg: Cfg,
    out: &'a mut dyn Write,
}

impl FunctionPrinter<'_> {
    fn function(&mut self) -> fmt::Result {
        self.head()?;
        write_function_debug(self.out, self.function)?;
        let mut debug = DebugLines::default();
        for slot in &self.function.slots {
            write!(self.out, "  v{} = slot {}", slot.address.as_u32(), slot.size)?;
            if slot.align_log2 != 0 {
                write!(self.out, " align {}", 1u64 << slot.align_log2.min(63))?;
            }
            self.out.write_char('\n')?;
        }
        for block in self.function.block_ids() {
            writeln!(self.out, "b{}:", block.as_u32())?;
            for position in self.function.block_insts(block) {
                debug.before(self.out, (self.module, self.function), position)?;
                self.out.write_str("  ")?;
                self.inst(block, &self.function.insts[position])?;
                self.out.write_char('\n')?;
            }
        }
        debug.before(self.out, (self.module, self.function), self.function.insts.len())?;
        self.out.write_str("}\n")
    }

    fn head(&mut self) -> fmt::Result {
        self.out.write_str("func ")?;
        match self.function.symbol {
            Some(symbol) => write_symbol(self.out, self.module, symbol)?,
            None => self.out.write_str("@\"\"")?,
        }
        let signature = &self.function.signature;
        let types = &self.function.types;
        write_params(self.out, types, signature, true)?;
        write_returns(self.out, types, signature)?;
        if signature.call_conv != CallConv::C {
            self.out.write_char(' ')?;
            write_call_conv(self.out, signature.call_conv)?;
        }
        let head = self
            .function
            .symbol
            .and_then(|symbol| match self.module.symbols.get(symbol)?.kind {
                SymbolKind::Function(id) => self.module.functions.get(id),
                _ => None,
            });
        if let Some(head) = head {
            self.attributes(head)?;
        }
        if let Some(attachments) = &self.function.attachments {
            write_attachments(self.out, self.module, attachments)?;
        }
        self.out.write_str(" {\n")
    }

    fn attributes(&mut self, head: &FunctionHead) -> fmt::Result {
        let module = self.module;
        let words = [
            (!head.unwind_table, " no_unwind_table"),
            (head.no_unwind, " no_unwind"),
            (head.no_red_zone, " no_red_zone"),
            (head.no_tail_calls, " no_tail_calls"),
            (head.no_jump_tables, " no_jump_tables"),
            (head.naked, " naked"),
            (head.cold, " cold"),
            (head.no_return, " no_return"),
            (head.no_entry_mark, " no_entry_mark"),
            (head.marks_branch_targets, " marks_branch_targets"),
            (head.signs_return == ReturnSigning::NonLeaf, " signs_stored_return"),
            (head.signs_return == ReturnSigning::All, " signs_return"),
            (head.signs_by_second_key, " signs_by_second_key"),
            (head.keeps_shadow_stack, " keeps_shadow_stack"),
            (head.has_room_for_jump, " has_room_for_jump"),
            (head.calls_fentry, " calls_fentry"),
            (head.realigns_stack, " realigns_stack"),
            (head.spares_wide_vectors, " spares_wide_vectors"),
        ];
        for (_, word) in words.iter().filter(|row| row.0) {
            self.out.write_str(word)?;
        }
        if head.align_log2 != 0 {
            write!(self.out, " align {}", 1u64 << head.align_log2.min(63))?;
        }
        if head.frame_pointer != FramePointer::None {
            write!(
                self.out,
                " frame_pointer {}",
                word_of(FRAME_POINTERS, head.frame_pointer)
            )?;
        }
        if head.stack_protector != StackProtector::None {
            write!(
                self.out,
                " stack_protector {}",
                word_of(STACK_PROTECTORS, head.stack_protector)
            )?;
        }
        if head.stack_protector_bytes != 0 {
            write!(self.out, " stack_protector_bytes {}", head.stack_protector_bytes)?;
        }
        let numbers = [
            (head.stack_probe_size, "stack_probe_size"),
            (head.entry_filler, "entry_filler"),
            (head.prefix_filler, "prefix_filler"),
            (head.stack_align, "stack_align"),
        ];
        for (number, word) in numbers.iter().filter(|row| row.0 != 0) {
            write!(self.out, " {word} {number}")?;
        }
        let texts = [
            (head.cleared_registers, " cleared_registers "),
            (head.stack_probe, " stack_probe "),
            (head.target_cpu, " target_cpu "),
            (head.target_features, " target_features "),
        ];
        for (text, word) in texts.iter().filter(|row| !row.0.is_empty()) {
            self.out.write_str(word)?;
            write_quoted(self.out, module.strings.bytes(*text))?;
        }
        if let Some((refusal, names)) = head.unsupported {
            write!(self.out, " unsupported {} ", refusal.name().replace('-', "_"))?;
            write_quoted(self.out, module.strings.bytes(names))?;
        }
        if let Some(personality) = head.personality {
            self.out.write_str(" personality ")?;
            write_symbol(self.out, module, personality)?;
        }
        Ok(())
    }

    fn inst(&mut self, block: Block, data: &InstData) -> fmt::Result {
        let mut results = self.function.results(data).peekable();
        let any = results.peek().is_some();
        for (index, result) in results.enumerate() {
            write!(self.out, "{}v{}", if index > 0 { ", " } else { "" }, result.as_u32())?;
        }
        if any {
            self.out.write_str(" = ")?;
        }
        self.out.write_str(data.op.name())?;
        write_flags(self.out, data.op, data.flags)?;
        if data.op.fixed_type().is_none() {
            self.out.write_char(' ')?;
            write_type(self.out, &self.function.types, data.ty)?;
        }
        let is_bare = match data.op.format() {
            Format::Nullary => true,
            Format::List => self.function.list(data).is_empty(),
            _ => false,
        };
        if !is_bare {
            self.out.write_char(' ')?;
        }
        self.operands(block, data)
    }

    fn operands(&mut self, block: Block, data: &InstData) -> fmt::Result {
        match data.op.format() {
            Format::Nullary => Ok(()),
            Format::Unary => self.operand_list(data, &[data.a]),
            Format::Binary => self.operand_list(data, &[data.a, data.b]),
            Format::Ternary => {
                let (second, third) = self.function.ternary(data);
                self.operand_list(data, &[data.a, second, third])
            }
            Format::List => self.operand_list(data, self.function.list(data)),
            Format::Phi => self.phi(block, data),
            Format::Jump => write!(self.out, "b{}", data.target().as_u32()),
            Format::Branch => {
                self.operand_list(data, &[data.a])?;
                write!(
                    self.out,
                    ", b{}, b{}",
                    data.target().as_u32(),
                    data.else_target().as_u32()
                )
            }
            Format::Switch => self.switch(data),
            Format::Call => self.call(data),
            Format::Invoke => {
                self.call(data)?;
                let (normal, unwind) = self.function.invoke_targets(data);
                write!(self.out, " to b{} unwind b{}", normal.as_u32(), unwind.as_u32())
            }
            Format::IndirectJump => {
                self.operand_list(data, &[data.a])?;
                self.out.write_str(", [")?;
                for (index, target) in self.function.indirect_targets(data).iter().enumerate() {
                    write!(self.out, "{}b{}", if index > 0 { ", " } else { "" }, target.as_raw())?;
                }
                self.out.write_char(']')
            }
            Format::LandingPad => self.landing_pad(data),
        }
    }

    fn operand_list(&mut self, data: &InstData, operands: &[Operand]) -> fmt::Result {
        for (slot, &operand) in operands.iter().enumerate() {
            if slot > 0 {
                self.out.write_str(", ")?;
            }
            let ty = self.slot_type(data, slot);
            self.operand(operand, ty)?;
        }
        Ok(())
    }

    /// The type by which an immediate in a slot is printed, where it matters.
    fn slot_type(&self, data: &InstData, slot: usize) -> Option<Type> {
        if data.op == Opcode::Return {
            return self.function.signature.returns.get(slot).map(|param| param.ty);
        }
        match slot_type(self.function, data, slot, self.module.data_layout.pointer_bits) {
            SlotType::Exact(ty) => Some(ty),
            SlotType::Condition => Some(Type::I1),
            SlotType::Pointer => Some(Type::PTR),
            _ => None,
        }
    }

    fn phi(&mut self, block: Block, data: &InstData) -> fmt::Result {
        self.out.write_char('[')?;
        let predecessors = self.cfg.predecessors(block);
        for (index, &operand) in self.function.list(data).iter().enumerate() {
            if index > 0 {
                self.out.write_str(", ")?;
            }
            match predecessors.get(index) {
                Some(predecessor) => write!(self.out, "b{}: ", predecessor.as_u32())?,
                None => self.out.write_str("?: ")?,
            }
            operand_text(self.module, self.function, self.out, operand, Some(data.ty))?;
        }
        self.out.write_char(']')
    }

    fn switch(&mut self, data: &InstData) -> fmt::Result {
        let (default, cases) = self.function.switch(data);
        self.operand(data.a, Some(data.ty))?;
        write!(self.out, ", default b{}, [", default.as_u32())?;
        for (index, case) in cases.chunks_exact(2).enumerate() {
            if index > 0 {
                self.out.write_str(", ")?;
            }
            self.operand(case[0], Some(data.ty))?;
            write!(self.out, ": b{}", case[1].as_raw())?;
        }
        self.out.write_char(']')
    }

    fn call(&mut self, data: &InstData) -> fmt::Result {
        let call = self.function.call(data);
        let signature = self.function.sig(call.sig);
        self.operand(call.callee, Some(Type::PTR))?;
        self.out.write_char('(')?;
        for (index, &argument) in call.args.iter().enumerate() {
            if index > 0 {
                self.out.write_str(", ")?;
            }
            self.operand(argument, signature.params.get(index).map(|param| param.ty))?;
        }
        self.out.write_str(") : ")?;
        print_signature(&self.function.types, signature, self.out)
    }

    fn landing_pad(&mut self, data: &InstData) -> fmt::Result {
        if data.a.as_raw() != 0 {
            self.out.write_str("cleanup ")?;
        }
        self.out.write_char('[')?;
        let mut words = self.function.landing_pad_clauses(data);
        let mut first = true;
        while let Some((header, rest)) = words.split_first() {
            let count = (header.as_raw() >> 2) as usize;
            let (operands, rest) = rest.split_at(count.min(rest.len()));
            words = rest;
            if !std::mem::take(&mut first) {
                self.out.write_str(", ")?;
            }
            self.out
                .write_str(if header.as_raw() & 1 == 0 { "catch(" } else { "filter(" })?;
            for (index, &operand) in operands.iter().enumerate() {
                if index > 0 {
                    self.out.write_str(", ")?;
                }
                self.operand(operand, Some(Type::PTR))?;
            }
            self.out.write_char(')')?;
        }
        self.out.write_char(']')
    }

    fn operand(&mut self, operand: Operand, ty: Option<Type>) -> fmt::Result {
        operand_text(self.module, self.function, self.out, operand, ty)
    }
}
