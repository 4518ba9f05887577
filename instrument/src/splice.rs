//! Copies the body of a hook into a function, with what is given in the place of parameters.
//!
//! Numbers that are known are computed on the way, and if all branches are decided by them, only the path that is taken
//! is copied, without a branch. Otherwise the block of the program is divided: its rest goes to a new block, and the
//! blocks of the body stand between the two, those with calls out of the way.

use crate::evaluate::{Site, result_of};
use crate::low_bits::low_zeros;
use crate::outcomes::{Kind, Outcome, Outcomes};
use frazil_ir::typing::{SlotType, slot_type};
use frazil_ir::{
    Block, CallFlags, ConstId, ConstView, Editor, Effects, EntityRef, Format, Function, Inst, InstData, MemFlags,
    Module, Opcode, Operand, SigId, SymbolId, Type,
};
use frazil_passes::constants::int_value;
use frazil_support::FxHashMap;

/// What of bodies a function has already.
#[derive(Debug, Default)]
pub(crate) struct Copied {
    /// Constants, by hook and number in its tables.
    constants: FxHashMap<(usize, ConstId), Operand>,
    /// The address of the first slot, by hook.
    slots: FxHashMap<usize, Vec<Operand>>,
    /// Signatures of the calls of bodies, by hook.
    signatures: FxHashMap<(usize, SigId), SigId>,
    /// Signatures of hooks that keep registers, by hook.
    pub entries: FxHashMap<usize, SigId>,
    /// What the hook is given that is inlined.
    pub args: Vec<Operand>,
    /// What bodies came to so far.
    outcomes: Outcomes,
    memory: Memory,
}

/// Lists that each copy needs.
#[derive(Debug, Default)]
struct Memory {
    /// What stands for the values of the body; `NONE` for what is not computed yet.
    values: Vec<Operand>,
    /// The values of the body that are numbers.
    known: Vec<Option<i128>>,
    /// The values of the body that something needs.
    needed: Vec<bool>,
    /// The instructions on a path, and the columns of phis.
    path: Vec<(Inst, usize)>,
    /// The blocks that stand for those of the body.
    blocks: Vec<Block>,
    predecessors: Vec<Block>,
    operands: Vec<Operand>,
    words: Vec<Operand>,
}

impl Copied {
    pub(crate) fn clear(&mut self) {
        self.constants.clear();
        self.slots.clear();
        self.signatures.clear();
        self.entries.clear();
        self.outcomes.clear();
    }
}

/// Where copies go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// Before an instruction of the block.
    Before(Inst),
    /// To the end of a block that has no terminator yet, or before its terminator.
    End(Block),
}

/// What copies a body to a place.
pub(crate) struct Splicer<'a> {
    pub function: &'a mut Function,
    /// The program's.
    pub module: &'a Module,
    pub editor: &'a mut Editor,
    pub copied: &'a mut Copied,
    pub body: &'a Function,
    /// The hook's number among all.
    pub hook: usize,
    /// Whether the body is its fast part.
    pub is_fast: bool,
    /// How the hook itself is called by its fast part, if not as it is written.
    pub entry: Option<(SymbolId, SigId)>,
    /// Symbols of the program's module by those of the hooks'.
    pub symbols: &'a [SymbolId],
    pub pointer_bits: u32,
}

impl Splicer<'_> {
    fn values(&mut self) -> &mut [Operand] {
        &mut self.copied.memory.values
    }

    /// Gives parameters and variables in memory their operands.
    fn begin(&mut self, args: &[Operand]) {
        let values = &mut self.copied.memory.values;
        values.clear();
        values.resize(self.body.values().len(), Operand::NONE);
        values[..args.len()].copy_from_slice(args);
        if !self.body.slots().is_empty() {
            let (function, body) = (&mut *self.function, self.body);
            let slots = self.copied.slots.entry(self.hook).or_insert_with(|| {
                let slots = body.slots().iter();
                slots
                    .map(|slot| Operand::value(function.push_slot(slot.size, slot.align_log2)))
                    .collect()
            });
            for (slot, &address) in self.body.slots().iter().zip(slots.iter()) {
                self.copied.memory.values[slot.address.index()] = address;
            }
        }
    }

    /// Copies the body to a place of a block; the block in which the program goes on.
    pub fn copy_body(&mut self, args: &[Operand], (here, spot, layout): (Block, Spot, Block)) -> Block {
        let site = (&*self.function, self.module, args);
        let kind = Kind::of_site((self.hook, self.is_fast), self.body, site);
        let remembered = kind.and_then(|kind| self.copied.outcomes.find(&kind));
        if remembered == Some(Outcome::Nothing) {
            return here;
        }
        self.begin(args);
        let is_straight = remembered != Some(Outcome::Blocks) && self.find_straight(args);
        if is_straight {
            self.leave_needed();
        }
        let outcome = match is_straight {
            true if self.copied.memory.path.is_empty() => Outcome::Nothing,
            true => Outcome::Straight,
            false => Outcome::Blocks,
        };
        if let (Some(kind), None) = (kind, remembered) {
            self.copied.outcomes.add(kind, outcome);
        }
        match outcome {
            Outcome::Nothing => here,
            Outcome::Straight => {
                self.copy_straight(spot);
                here
            }
            Outcome::Blocks => self.copy_blocks(here, spot, layout),
        }
    }

    /// Finds the instructions from the entry to a return, if what is known decides all branches on the path.
    fn find_straight(&mut self, args: &[Operand]) -> bool {
        let (mut known, mut path) = (
            std::mem::take(&mut self.copied.memory.known),
            std::mem::take(&mut self.copied.memory.path),
        );
        path.clear();
        known.clear();
        known.resize(self.body.values().len(), None);
        for (known, &arg) in known.iter_mut().zip(args) {
            *known = int_value(self.function, arg);
        }
        let is_straight = self.walk(args, &mut known, &mut path).is_some();
        (self.copied.memory.known, self.copied.memory.path) = (known, path);
        is_straight
    }

    fn walk(&self, args: &[Operand], known: &mut [Option<i128>], path: &mut Vec<(Inst, usize)>) -> Option<()> {
        let body = self.body;
        let (mut block, mut from) = (Block::new(0), None);
        for _ in 0..=body.blocks().len() {
            let mut next = None;
            let column = from.and_then(|from| body.predecessors(block).iter().position(|&other| other == from));
            for position in body.block_insts(block) {
                let data = &body.insts()[position];
                let number = |operand: Operand| match operand.as_value() {
                    Some(value) => known[value.index()],
                    None => int_value(body, operand),
                };
                let mut found = None;
                match data.op {
                    Opcode::Return => return Some(()),
                    Opcode::Jump => next = Some(data.target()),
                    Opcode::Branch => {
                        next = Some(match number(data.a)? {
                            0 => data.else_target(),
                            _ => data.target(),
                        });
                    }
                    _ if data.op.is_terminator() => return None,
                    Opcode::Phi => {
                        found = number(body.list(data)[column?]);
                        path.push((Inst::new(position), column?));
                    }
                    Opcode::Nop => {}
                    _ => {
                        if data.op.effects() == Effects::Pure {
                            found = result_of(body, data, number).or_else(|| self.masked(data, number, args));
                        }
                        path.push((Inst::new(position), 0));
                    }
                }
                if let (Some(_), Some(result)) = (found, data.first_result()) {
                    known[result.index()] = found;
                }
            }
            (from, block) = (Some(block), next?);
        }
        None
    }

    /// Copies what is on the path.
    fn copy_straight(&mut self, spot: Spot) {
        let path = std::mem::take(&mut self.copied.memory.path);
        for &(inst, column) in &path {
            let data = *self.body.inst(inst);
            if data.op == Opcode::Phi {
                let operand = self.map(self.body.list(&data)[column]);
                let phi = data.first_result().expect("a phi has a result");
                self.values()[phi.index()] = operand;
            } else {
                self.copy(spot, &data);
            }
        }
        self.copied.memory.path = path;
    }

    /// Takes what only computes out of the path, unless something on it needs the result.
    fn leave_needed(&mut self) {
        let (body, memory) = (self.body, &mut self.copied.memory);
        memory.needed.clear();
        memory.needed.resize(body.values().len(), false);
        let mut kept = memory.path.len();
        for index in (0..memory.path.len()).rev() {
            let (inst, column) = memory.path[index];
            let data = body.inst(inst);
            let only_computes = match data.op.effects() {
                Effects::Pure => true,
                Effects::Read => !MemFlags(data.flags).is_volatile(),
                _ => false,
            };
            if only_computes && !body.results(data).any(|value| memory.needed[value.index()]) {
                continue;
            }
            let mut need = |operand: Operand| {
                if let Some(value) = operand.as_value() {
                    memory.needed[value.index()] = true;
                }
            };
            match data.op {
                Opcode::Phi => need(body.list(data)[column]),
                _ => body.for_each_operand(data, need),
            }
            kept -= 1;
            memory.path[kept] = (inst, column);
        }
        memory.path.drain(..kept);
    }

    /// Copies a body with several blocks after what a block has so far, and returns the block for what follows. The
    /// caller gives that its terminator and moves what belongs there.
    fn copy_blocks(&mut self, from: Block, first_spot: Spot, layout: Block) -> Block {
        let body = self.body;
        // The rest of the program's block is the first of the new ones, and stands for those that only return.
        let rest = self.editor.new_block(from, &[]);
        let mut next = rest.index();
        let mut blocks = std::mem::take(&mut self.copied.memory.blocks);
        blocks.clear();
        blocks.extend(body.block_ids().map(|block| {
            if block.index() == 0 {
                return from;
            } else if only_returns(body, block) {
                return rest;
            }
            next += 1;
            Block::new(next)
        }));
        let block_of = |block: Block| blocks[block.index()];
        let mut after = from;
        let mut predecessors = std::mem::take(&mut self.copied.memory.predecessors);
        for block in body
            .block_ids()
            .filter(|&block| ![from, rest].contains(&block_of(block)))
        {
            predecessors.clear();
            predecessors.extend(body.predecessors(block).iter().map(|&other| block_of(other)));
            let insts = &body.insts()[body.block_insts(block)];
            let is_cold = insts
                .iter()
                .any(|data| data.op == Opcode::Call || data.op == Opcode::Unreachable);
            let made = self
                .editor
                .new_block(if is_cold { layout } else { after }, &predecessors);
            debug_assert_eq!(made, block_of(block));
            if !is_cold {
                after = made;
            }
        }
        self.copied.memory.predecessors = predecessors;
        let mut phis = Vec::new();
        for block in body.block_ids().filter(|&block| block_of(block) != rest) {
            let (here, spot) = match block.index() {
                0 => (from, first_spot),
                _ => (block_of(block), Spot::End(block_of(block))),
            };
            for position in body.block_insts(block) {
                let data = body.insts()[position];
                match data.op {
                    Opcode::Phi => {
                        let empty = vec![Operand::ZERO; body.list(&data).len()];
                        let phi = self.editor.insert_phi(self.function, here, data.ty, &empty);
                        let result = data.first_result().expect("a phi has a result");
                        self.values()[result.index()] = Operand::value(phi);
                        phis.push((phi, data));
                    }
                    Opcode::Return => self.editor.set_terminator(self.function, here, InstData::jump(rest)),
                    Opcode::Jump => {
                        let jump = InstData::jump(block_of(data.target()));
                        self.editor.set_terminator(self.function, here, jump);
                    }
                    Opcode::Branch => {
                        let (yes, no) = (block_of(data.target()), block_of(data.else_target()));
                        let condition = self.map(data.a);
                        let branch = match condition.as_imm() {
                            Some(0) => InstData::jump(no),
                            Some(_) => InstData::jump(yes),
                            None if yes == no => InstData::jump(yes),
                            None => InstData::branch(condition, yes, no),
                        };
                        self.editor.set_terminator(self.function, here, branch);
                    }
                    Opcode::Switch => {
                        let (default, cases) = body.switch(&data);
                        let mut words = vec![
                            Operand::raw(cases.len() as u32 / 2),
                            Operand::raw(block_of(default).as_u32()),
                        ];
                        for case in cases.chunks_exact(2) {
                            words.push(self.map(case[0]));
                            let target = Block::new(case[1].as_raw() as usize);
                            words.push(Operand::raw(block_of(target).as_u32()));
                        }
                        let value = self.map(data.a);
                        let start = self.function.push_pool(&words);
                        let switch = InstData::new(Opcode::Switch, data.ty, 0, value, Operand::raw(start));
                        self.editor.set_terminator(self.function, here, switch);
                    }
                    Opcode::Unreachable => self.editor.set_terminator(self.function, here, data),
                    _ => self.copy(spot, &data),
                }
            }
        }
        for (phi, data) in phis {
            for (column, &operand) in body.list(&data).iter().enumerate() {
                let operand = self.map(operand);
                self.editor.set_phi_operand(self.function, phi, column, operand);
            }
        }
        self.copied.memory.blocks = blocks;
        rest
    }

    /// What stands for an operand of the body.
    fn map(&mut self, operand: Operand) -> Operand {
        if operand.is_none() {
            return operand;
        }
        if let Some(value) = operand.as_value() {
            return self.copied.memory.values[value.index()];
        }
        if let Some(symbol) = operand.as_symbol() {
            return Operand::symbol(self.symbols[symbol.index()]);
        }
        let Some(id) = operand.as_const() else { return operand };
        if let Some(&known) = self.copied.constants.get(&(self.hook, id)) {
            return known;
        }
        let (ty, view) = self.body.constant(id);
        let f = &mut *self.function;
        let made = match view {
            ConstView::Int(words) => f.push_int(ty, words),
            ConstView::Float(words) => f.push_float(ty, words),
            ConstView::Symbol(symbol, addend) => f.push_symbol_const(ty, self.symbols[symbol.index()], addend),
            _ => f.push_plain_const(self.body.consts()[id.index()].kind, ty),
        };
        let made = Operand::constant(made);
        self.copied.constants.insert((self.hook, id), made);
        made
    }

    /// Copies an instruction that ends no block and is no phi.
    fn copy(&mut self, spot: Spot, data: &InstData) {
        let body = self.body;
        if data.op == Opcode::Nop {
            return;
        }
        if let Some(folded) = self.folded(data) {
            let result = data.first_result().expect("what is computed has a result");
            self.values()[result.index()] = folded;
            return;
        }
        let mut copy = match data.op.format() {
            Format::Nullary => *data,
            Format::Unary => InstData {
                a: self.mapped(data, 0, data.a),
                ..*data
            },
            Format::Binary => InstData {
                a: self.mapped(data, 0, data.a),
                b: self.mapped(data, 1, data.b),
                ..*data
            },
            _ => self.with_list(data),
        };
        copy.result = InstData::NO_RESULT;
        for value in body.results(data) {
            let made = self.function.declare_value(body.value(value).ty);
            if copy.result == InstData::NO_RESULT {
                copy.result = made.as_u32();
            }
            self.values()[value.index()] = Operand::value(made);
        }
        match spot {
            Spot::Before(inst) => self.editor.insert_before_into(self.function, inst, copy),
            Spot::End(block) => self.editor.insert_at_end_into(self.function, block, copy),
        };
    }

    /// What stands for the operand in a slot of an instruction of the body.
    fn mapped(&mut self, data: &InstData, slot: usize, operand: Operand) -> Operand {
        let mapped = self.map(operand);
        // Only where a value stood can a number have come that must say its type.
        if let (Some(number), Some(_)) = (mapped.as_imm(), operand.as_value())
            && let Some(ty) = self.body.operand_type(operand)
            && data.op != Opcode::Call
            && slot_type(self.body, data, slot, self.pointer_bits) == SlotType::Carried
        {
            return Operand::constant(self.function.push_int(ty, &[number.cast_unsigned()]));
        }
        mapped
    }

    /// An instruction whose operands are in a list.
    fn with_list(&mut self, data: &InstData) -> InstData {
        let body = self.body;
        let mut operands = std::mem::take(&mut self.copied.memory.operands);
        operands.clear();
        body.for_each_operand(data, |operand| operands.push(operand));
        for (slot, place) in operands.iter_mut().enumerate() {
            *place = self.mapped(data, slot, *place);
        }
        let mut words = std::mem::take(&mut self.copied.memory.words);
        words.clear();
        words.extend_from_slice(body.pooled(data));
        if data.op == Opcode::Call {
            words[1] = Operand::raw(self.signature(body.call(data).sig).as_u32());
        }
        let mut next = operands.iter().copied();
        let mut copy = self
            .function
            .copy_mapped(*data, &words, |_| next.next().expect("as many as before"));
        if copy.op == Opcode::Call {
            if let Some((symbol, sig)) = self.entry {
                // There is no other call in a fast part.
                copy.a = Operand::symbol(symbol);
                words[1] = Operand::raw(sig.as_u32());
                words[2..].copy_from_slice(&self.function.pooled(&copy)[2..]);
                copy.b = Operand::raw(self.function.push_pool(&words));
            }
            copy.flags |= CallFlags::NO_UNWIND.bits();
            copy.flags &= !CallFlags::TAIL.bits();
        }
        (self.copied.memory.operands, self.copied.memory.words) = (operands, words);
        copy
    }

    /// What is left of an argument of the site by a mask of low bits, if these are known to be zeros.
    fn masked(&self, data: &InstData, number: impl Fn(Operand) -> Option<i128>, args: &[Operand]) -> Option<i128> {
        if data.op != Opcode::And {
            return None;
        }
        let (value, mask) = match number(data.b) {
            Some(mask) => (data.a, mask),
            None => (data.b, number(data.a)?),
        };
        let bits = i128::BITS - mask.leading_zeros();
        let zeros = low_zeros(self.body, value, (self.function, self.module, args));
        (mask >= 0 && zeros >= bits).then_some(0)
    }

    /// The operand that an instruction gives without being executed.
    fn folded(&mut self, data: &InstData) -> Option<Operand> {
        if data.op.effects() != Effects::Pure || data.op == Opcode::Phi {
            return None;
        }
        let (body, values, function) = (self.body, &self.copied.memory.values, &*self.function);
        let known = |operand: Operand| match operand.as_value() {
            Some(value) => int_value(function, values[value.index()]),
            None => int_value(body, operand),
        };
        if let Some(number) = result_of(body, data, known) {
            return match data.ty {
                _ if data.op.is_icmp() => Some(self.function.int_operand(Type::I1, number)),
                ty => Some(self.function.int_operand(ty, number)),
            };
        }
        if !matches!(data.op, Opcode::PtrAdd | Opcode::PtrIndex) {
            return None;
        }
        // A distance from a symbol that is known.
        let scale = match data.op {
            Opcode::PtrAdd => 1,
            _ => i64::from(data.flags),
        };
        let distance = i64::try_from(known(data.b)?).ok()?.checked_mul(scale)?;
        let base = self.map(data.a);
        let (symbol, addend) = match (base.as_symbol(), base.as_const()) {
            (Some(symbol), _) => (symbol, 0),
            (None, Some(id)) => match self.function.constant(id).1 {
                ConstView::Symbol(symbol, addend) => (symbol, addend),
                _ => return None,
            },
            _ => return None,
        };
        let addend = addend.checked_add(distance)?;
        Some(Operand::constant(self.function.push_symbol_const(
            Type::PTR,
            symbol,
            addend,
        )))
    }

    fn signature(&mut self, sig: SigId) -> SigId {
        if let Some(&known) = self.copied.signatures.get(&(self.hook, sig)) {
            return known;
        }
        let made = self.function.push_sig(self.body.sig(sig).clone());
        self.copied.signatures.insert((self.hook, sig), made);
        made
    }
}

/// A site with what a splicer knows.
pub(crate) fn site<'a>(function: &'a Function, args: &'a [Operand], symbols: &'a [SymbolId]) -> Site<'a> {
    Site {
        function,
        args,
        symbols,
    }
}

/// Whether a block of a body does nothing but return.
fn only_returns(body: &Function, block: Block) -> bool {
    let mut insts = body.insts()[body.block_insts(block)].iter();
    insts.all(|data| matches!(data.op, Opcode::Return | Opcode::Nop))
}
