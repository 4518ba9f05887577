//! Parses functions: heads, slots, blocks and labels, signatures.
//!
//! A walk over the body's tokens numbers the labels first. Values are numbered by the text; one that is mentioned
//! before its definition stands as a forward reference until then. Phi columns are sorted when the graph is known.

use super::lexer::{Lexer, Token};
use super::names::{EXTENSIONS, PARAM_KINDS, variant_of};
use super::parser::{Parsed, Parser};
use crate::debug::LocationId;
use crate::entities::{Block, SigId, Value};
use crate::flags::CallFlags;
use crate::function::{Function, SlotData, ValueKind};
use crate::module::{ReturnSigning, SymbolKind};
use crate::operand::Operand;
use crate::signature::{CallConv, Param, ParamKind, RegisterSet, Signature};
use crate::types::{Type, TypeTable};
use frazil_support::{EntityRef, FxHashMap};

/// A function being parsed.
pub(super) struct FunctionParser<'p, 's> {
    pub(super) parser: &'p mut Parser<'s>,
    pub(super) function: Function,
    pub(super) labels: FxHashMap<&'s str, Block>,
    pub(super) signatures: FxHashMap<Signature, SigId>,
    /// Positions of phis, with the predecessors as written.
    pub(super) phis: Vec<(usize, Vec<Block>)>,
    pub(super) pointer_bits: u32,
    /// Where the next instructions come from.
    pub(super) location: LocationId,
}

impl<'s> Parser<'s> {
    /// A function with its body; `func` is in hand.
    pub(super) fn function(&mut self) -> Parsed<Function> {
        self.advance()?;
        let symbol = self.module_symbol()?;
        let mut function = Function::new();
        function.symbol = Some(symbol);
        function.set_pointer_bits(self.module.data_layout.pointer_bits);
        let SymbolKind::Function(id) = self.module.symbols[symbol].kind else {
            return self.expected("a symbol that is nothing else");
        };
        function.signature = self.signature(&mut function.types, true)?;
        for index in 0..function.signature.params.len() {
            function.push_param(function.signature.params[index].ty);
        }
        while let Some(word) = self.word() {
            self.function_attribute(id, word, &mut function)?;
        }
        self.module.functions[id].call_conv = function.signature.call_conv;
        self.expect_mark("{")?;
        let labels = self.labels()?;
        let pointer_bits = self.module.data_layout.pointer_bits;
        let mut body = FunctionParser {
            parser: self,
            function,
            labels,
            signatures: FxHashMap::default(),
            phis: Vec::new(),
            pointer_bits,
            location: LocationId::NONE,
        };
        body.body()?;
        Ok(body.function)
    }

    fn function_attribute(&mut self, id: crate::FuncId, word: &str, function: &mut Function) -> Parsed<()> {
        if let Some(call_conv) = self.take_call_conv()? {
            function.signature.call_conv = call_conv;
            return Ok(());
        }
        self.advance()?;
        if super::parser_module::is_attachment(word) {
            let mut attachments = function.attachments.take().unwrap_or_default();
            self.attachment(word, &mut attachments)?;
            function.attachments = Some(attachments);
            return Ok(());
        }
        let personality = if word == "personality" {
            Some(self.module_symbol()?)
        } else {
            None
        };
        let refusal = match word {
            "unsupported" => Some(self.refusal()?),
            _ => None,
        };
        let text = match word {
            "cleared_registers" | "stack_probe" | "unsupported" | "target_cpu" | "target_features" => {
                let bytes = self.text()?;
                self.module.strings.add(bytes)
            }
            _ => frazil_support::Str::EMPTY,
        };
        let align_log2 = if word == "align" { self.alignment()? } else { 0 };
        let bytes = match word {
            "stack_probe_size" | "stack_protector_bytes" | "entry_filler" | "prefix_filler" | "stack_align" => {
                self.small()?
            }
            _ => 0,
        };
        let stack_protector = match word {
            "stack_protector" => self.stack_protector()?,
            _ => crate::module::StackProtector::None,
        };
        let frame_pointer = match word {
            "frame_pointer" => self.frame_pointer()?,
            _ => crate::module::FramePointer::None,
        };
        let unknown = self.error(format!("unknown attribute `{word}` of a function"));
        let head = &mut self.module.functions[id];
        match word {
            "no_unwind_table" => head.unwind_table = false,
            "no_unwind" => head.no_unwind = true,
            "no_red_zone" => head.no_red_zone = true,
            "no_tail_calls" => head.no_tail_calls = true,
            "no_jump_tables" => head.no_jump_tables = true,
            "naked" => head.naked = true,
            "cold" => head.cold = true,
            "no_return" => head.no_return = true,
            "no_entry_mark" => head.no_entry_mark = true,
            "marks_branch_targets" => head.marks_branch_targets = true,
            "signs_stored_return" => head.signs_return = ReturnSigning::NonLeaf,
            "signs_return" => head.signs_return = ReturnSigning::All,
            "signs_by_second_key" => head.signs_by_second_key = true,
            "keeps_shadow_stack" => head.keeps_shadow_stack = true,
            "align" => head.align_log2 = align_log2,
            "frame_pointer" => head.frame_pointer = frame_pointer,
            "stack_probe_size" => head.stack_probe_size = bytes,
            "entry_filler" => head.entry_filler = bytes,
            "prefix_filler" => head.prefix_filler = bytes,
            "has_room_for_jump" => head.has_room_for_jump = true,
            "calls_fentry" => head.calls_fentry = true,
            "stack_align" => head.stack_align = bytes,
            "realigns_stack" => head.realigns_stack = true,
            "spares_wide_vectors" => head.spares_wide_vectors = true,
            "stack_protector" => head.stack_protector = stack_protector,
            "stack_protector_bytes" => head.stack_protector_bytes = bytes,
            "cleared_registers" => head.cleared_registers = text,
            "stack_probe" => head.stack_probe = text,
            "unsupported" => head.unsupported = refusal.map(|refusal| (refusal, text)),
            "target_cpu" => head.target_cpu = text,
            "target_features" => head.target_features = text,
            "personality" => head.personality = personality,
            _ => return Err(unknown),
        }
        Ok(())
    }

    /// A calling convention's word, if it is in hand.
    fn take_call_conv(&mut self) -> Parsed<Option<CallConv>> {
        if self.take_word("cc")? {
            return Ok(Some(CallConv(self.small()?)));
        }
        let found = CallConv::NAMES.iter().find(|row| self.at_word(row.1));
        match found {
            Some(row) => self.advance().map(|_| Some(CallConv(row.0))),
            None => Ok(None),
        }
    }

    /// `(parameters) -> returns`; a definition's parameters may be named, in order.
    pub(super) fn signature(&mut self, types: &mut TypeTable, is_definition: bool) -> Parsed<Signature> {
        let mut signature = Signature::default();
        if !is_definition && let Some(call_conv) = self.take_call_conv()? {
            signature.call_conv = call_conv;
        }
        if !is_definition && self.take_word("keeps")? {
            signature.keeps = Some(Box::new(self.register_set()?));
        }
        self.expect_mark("(")?;
        let mut fixed = None;
        while !self.take_mark(")")? {
            if fixed.is_none() && self.take_mark("...")? {
                fixed = Some(signature.params.len() as u32);
            } else {
                let param = self.param(types)?;
                let name = format!("v{}", signature.params.len());
                if is_definition && self.word().is_some_and(|word| word.starts_with('v')) {
                    self.expect_word(&name)?;
                }
                signature.params.push(param);
            }
            if !self.at_mark(")") {
                self.expect_mark(",")?;
            }
        }
        signature.variadic = fixed.is_some();
        signature.fixed_params = fixed.unwrap_or(signature.params.len() as u32);
        if self.take_mark("->")? {
            self.returns(types, &mut signature)?;
        }
        Ok(signature)
    }

    /// `(first bank, second bank)`.
    fn register_set(&mut self) -> Parsed<RegisterSet> {
        self.expect_mark("(")?;
        let first = self.unsigned()?;
        self.expect_mark(",")?;
        let second = self.unsigned()?;
        self.expect_mark(")")?;
        Ok(RegisterSet([first, second]))
    }

    fn returns(&mut self, types: &mut TypeTable, signature: &mut Signature) -> Parsed<()> {
        if !self.take_mark("(")? {
            signature.returns.push(self.param(types)?);
            return Ok(());
        }
        while !self.take_mark(")")? {
            signature.returns.push(self.param(types)?);
            if !self.at_mark(")") {
                self.expect_mark(",")?;
            }
        }
        Ok(())
    }

    fn param(&mut self, types: &mut TypeTable) -> Parsed<Param> {
        let mut param = Param::plain(self.any_type(types)?);
        if param.ty == Type::VOID {
            return Err(self.error("`void` is no type of a value"));
        }
        while let Some(word) = self.word() {
            if let Some(extension) = variant_of(EXTENSIONS, word) {
                param.extension = extension;
            } else if let Some(kind) = variant_of(PARAM_KINDS, word) {
                param.kind = kind;
            } else if word == "inreg" {
                param.in_reg = true;
            } else if word == "split" {
                param.is_split = true;
            } else if word == "array" {
                self.advance()?;
                self.expect_mark("(")?;
                param.array = self.small()?;
                self.expect_mark(")")?;
                continue;
            } else if word == "byval" {
                self.advance()?;
                self.expect_mark("(")?;
                let size = self.small()?;
                self.expect_mark(",")?;
                self.expect_word("align")?;
                let align_log2 = self.alignment()?;
                param.kind = ParamKind::ByVal { size, align_log2 };
                self.expect_mark(")")?;
                continue;
            } else {
                break;
            }
            self.advance()?;
        }
        Ok(param)
    }

    /// The labels of the body that begins here, numbered in their order.
    fn labels(&mut self) -> Parsed<FxHashMap<&'s str, Block>> {
        let mut labels = FxHashMap::default();
        let mut lexer: Lexer<'s> = self.lexer.clone();
        let mut before = Token::LineEnd;
        let mut label = None;
        loop {
            lexer.skip_blanks();
            let token = lexer.token()?;
            match token {
                Token::End | Token::Mark("}") => return Ok(labels),
                Token::Mark(":") => {
                    if let Some(name) = label.take()
                        && labels.insert(name, Block::new(labels.len())).is_some()
                    {
                        return Err(lexer.error(format!("the label `{name}` stands twice")));
                    }
                }
                _ => {}
            }
            label = match token {
                Token::Word(word) if before == Token::LineEnd => Some(word),
                _ => None,
            };
            before = token;
        }
    }
}

impl FunctionParser<'_, '_> {
    fn body(&mut self) -> Parsed<()> {
        self.parser.expect_line_end()?;
        loop {
            self.parser.skip_line_ends()?;
            if self.parser.take_mark("}")? {
                break;
            }
            if !self.take_label()? {
                let first = self.function.insts.len();
                if !self.debug_line()? {
                    self.line()?;
                }
                if self.location != LocationId::NONE {
                    let end = self.function.insts.len();
                    self.function.debug.locate(first, end, self.location);
                }
                if !self.parser.at_mark("}") {
                    self.parser.expect_line_end()?;
                }
            }
        }
        self.check_forward_references()?;
        self.function.compute_cfg();
        if self.function.types().has_vectors() {
            self.function.note_vectors();
        }
        let follows = CallFlags::FOLLOWS_NEXT.union(CallFlags::FOLLOWS_PREVIOUS).bits();
        let mut insts = self.function.insts().iter();
        if insts.any(|data| data.op.is_hook_call() && data.flags & follows != 0) {
            self.function.note_following_hooks();
        }
        self.sort_phis()
    }

    /// Opens a block if its label is in hand; an instruction may follow on the same line.
    fn take_label(&mut self) -> Parsed<bool> {
        let Some(word) = self.parser.word() else {
            return Ok(false);
        };
        let mut after = self.parser.lexer.clone();
        after.skip_blanks();
        if after.token()? != Token::Mark(":") {
            return Ok(false);
        }
        self.parser.advance()?;
        self.parser.advance()?;
        let block = self.function.begin_block();
        debug_assert_eq!(self.labels.get(word), Some(&block));
        Ok(true)
    }

    /// A slot or an instruction.
    fn line(&mut self) -> Parsed<()> {
        if self.parser.word().is_none() {
            return self.parser.expected("an instruction, a label or `}`");
        }
        let results = self.results()?;
        if self.parser.at_word("slot") {
            return self.slot(&results);
        }
        if self.function.blocks.is_empty() {
            return self.parser.expected("a label before the first instruction");
        }
        self.inst(&results)
    }

    /// `v3 = ` or `v3, v4 = `, or nothing.
    fn results(&mut self) -> Parsed<Vec<Value>> {
        let mut results = Vec::new();
        let Some(first) = self.parser.word().and_then(value_number) else {
            return Ok(results);
        };
        results.push(self.value(first)?);
        self.parser.advance()?;
        while self.parser.take_mark(",")? {
            let Some(number) = self.parser.word().and_then(value_number) else {
                return self.parser.expected("a value");
            };
            results.push(self.value(number)?);
            self.parser.advance()?;
        }
        self.parser.expect_mark("=")?;
        Ok(results)
    }

    /// The value of this number, declared if it is new.
    pub(super) fn value(&mut self, number: usize) -> Parsed<Value> {
        if number > self.parser.source_len {
            return Err(self
                .parser
                .error("this value's number is far above the number of values"));
        }
        while self.function.values.len() <= number {
            self.function.declare_value(Type::VOID);
        }
        Ok(Value::new(number))
    }

    /// Checks that values can be defined here: they are consecutive and not defined yet.
    pub(super) fn check_results(&self, results: &[Value]) -> Parsed<()> {
        let consecutive = results.windows(2).all(|pair| pair[0].index() + 1 == pair[1].index());
        if !consecutive {
            return Err(self.parser.error("several results have consecutive numbers"));
        }
        match results
            .iter()
            .find(|&&value| self.function.value(value).kind != ValueKind::Forward)
        {
            Some(value) => Err(self.parser.error(format!("{value:?} is defined twice"))),
            None => Ok(()),
        }
    }

    fn slot(&mut self, results: &[Value]) -> Parsed<()> {
        self.parser.advance()?;
        let &[address] = results else {
            return Err(self.parser.error("a slot defines one value, its address"));
        };
        if !self.function.blocks.is_empty() {
            return Err(self.parser.error("slots stand before the first label"));
        }
        self.check_results(results)?;
        let size = self.parser.unsigned()?;
        let align_log2 = match self.parser.take_word("align")? {
            true => self.parser.alignment()?,
            false => 0,
        };
        let value = &mut self.function.values[address.index()];
        value.ty = Type::PTR;
        value.kind = ValueKind::Slot;
        value.def = self.function.slots.len() as u32;
        self.function.slots.push(SlotData {
            size,
            align_log2,
            address,
        });
        Ok(())
    }

    /// A label that is used as a target.
    pub(super) fn target(&mut self) -> Parsed<Block> {
        match self.parser.word().and_then(|word| self.labels.get(word).copied()) {
            Some(block) => self.parser.advance().map(|_| block),
            None => self.parser.expected("a label of this function"),
        }
    }

    fn check_forward_references(&self) -> Parsed<()> {
        for (index, value) in self.function.values.iter().enumerate() {
            if value.kind == ValueKind::Forward && value.uses > 0 {
                return Err(self
                    .parser
                    .error(format!("v{index} is used in this function but not defined")));
            }
        }
        Ok(())
    }

    /// Puts phi operands into the order of the predecessors.
    fn sort_phis(&mut self) -> Parsed<()> {
        let mut block = 0;
        for (position, written) in std::mem::take(&mut self.phis) {
            while self.function.blocks[block].end as usize <= position {
                block += 1;
            }
            let predecessors = self.function.predecessors(Block::new(block));
            let mut columns: FxHashMap<Block, usize> = FxHashMap::default();
            let doubled = written
                .iter()
                .enumerate()
                .any(|(column, &from)| columns.insert(from, column).is_some());
            let order: Option<Vec<usize>> = predecessors.iter().map(|from| columns.get(from).copied()).collect();
            let Some(order) = order.filter(|order| !doubled && order.len() == written.len()) else {
                let message = format!("a phi of block {block} does not name each predecessor once");
                return Err(self.parser.error(message));
            };
            let start = self.function.insts[position].b.as_raw() as usize;
            let operands: Vec<Operand> = order.iter().map(|&column| self.function.pool[start + column]).collect();
            self.function.pool[start..start + operands.len()].copy_from_slice(&operands);
        }
        Ok(())
    }

    /// The number of a call signature, the same for equal ones.
    pub(super) fn signature_id(&mut self, signature: Signature) -> SigId {
        if let Some(&id) = self.signatures.get(&signature) {
            return id;
        }
        let id = self.function.push_sig(signature.clone());
        self.signatures.insert(signature, id);
        id
    }
}

/// The number in a value's name.
pub(super) fn value_number(word: &str) -> Option<usize> {
    let digits = word.strip_prefix('v')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}
