//! The symbolic machine that executes instructions on terms, and the trait by which targets define their semantics
//! ([`Meaning`]).

use super::terms::{FunctionKey, Origin, Term, Terms, function};
use super::values::{Side, Values, WORD_BITS, Word, WordPlace};
use crate::desc::{OpDesc, Role};
use crate::mfunc::op_desc;
use crate::minst::{MInst, Mem};
use crate::reference::RefKind;
use crate::reg::{PRegSet, Reg, RegClass};

/// What instructions of a target mean, as far as machine passes make use of it.
///
/// Rows that a target says nothing of are functions of their operands, or events if they are not pure: a pass may move,
/// rename and repeat the former, and has to leave the latter as they are.
pub trait Meaning: Send + Sync {
    /// Carries an instruction out, if it is one that the target knows more of than the op table says.
    fn execute(&self, _inst: &MInst, _machine: &mut Machine<'_>) -> bool {
        false
    }

    /// The condition under which an instruction branches, or another one takes effect that depends on the flags: a term
    /// of one bit.
    fn condition(&self, _inst: &MInst, _machine: &mut Machine<'_>) -> Option<Term> {
        None
    }

    /// How many bytes of a register operand are read and written; without an answer, all of it.
    fn operand_bytes(&self, _inst: &MInst, _operand: usize) -> Option<u8> {
        None
    }

    /// The same for a register that the row names by itself.
    fn implicit_bytes(&self, _inst: &MInst, _reg: Reg) -> Option<u8> {
        None
    }

    /// How many bytes of memory an instruction accesses, where that is known.
    fn memory_bytes(&self, _inst: &MInst) -> Option<u8> {
        None
    }

    /// Which function the instruction computes: the same for its forms with a register and with memory, and different
    /// for everything else. The last number is not used.
    fn function(&self, inst: &MInst) -> FunctionKey {
        [
            u32::from(inst.op) | u32::from(inst.size) << 16,
            inst.imm.cast_unsigned(),
            0,
            0,
        ]
    }

    /// Whether the memory operand comes before the register operand.
    fn memory_is_first(&self, _inst: &MInst) -> bool {
        false
    }

    /// Whether an instruction that is not called pure, since it reads memory, does nothing else that can be seen: in a
    /// spill slot it is what its form with a register is.
    fn only_computes(&self, _inst: &MInst) -> bool {
        false
    }

    /// Whether an instruction that writes flags leaves some of them as they were, always or sometimes.
    fn keeps_flags(&self, _inst: &MInst) -> bool {
        true
    }
}

/// A target that says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMeaning;

impl Meaning for NoMeaning {}

/// What can be seen from outside of the function, or may stop it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// What happens.
    pub key: [u32; 4],
    /// What it depends on.
    pub operands: Vec<Word>,
    /// The registers that a call reads and overwrites.
    pub sets: Option<(PRegSet, PRegSet)>,
    pub inst: u32,
}

/// First numbers of the keys of events that are none of an instruction's own.
pub(super) mod event {
    pub const LOAD: u32 = u32::MAX;
    pub const STORE: u32 = u32::MAX - 1;
    pub const GROUP: u32 = u32::MAX - 2;
}

/// A value to be stored or compared: words, the lowest first.
#[derive(Clone, Debug)]
pub struct Contents {
    pub(super) words: Vec<Word>,
}

impl Contents {
    /// Whether anybody may look at a word, or at some of it.
    pub fn is_significant(&self, word: usize) -> bool {
        self.words.get(word).is_some_and(|word| word.significant > 0)
    }
}

/// The symbolic machine: one of the two functions at one of its instructions.
pub struct Machine<'a> {
    /// Terms of both functions.
    pub terms: &'a mut Terms,
    pub(super) side: Side<'a>,
    pub(super) meaning: &'static dyn Meaning,
    pub(super) values: &'a mut Values,
    pub(super) events: &'a mut Vec<Event>,
    /// Where events of this run are told from those of others.
    pub(super) node: u32,
    /// The instruction's number.
    pub(super) inst: u32,
    /// What could not be followed.
    pub(super) unknown: &'a mut Option<&'static str>,
}

impl Machine<'_> {
    /// Whether a register, physical or virtual, is an integer or a float register.
    pub fn class(&self, reg: Reg) -> RegClass {
        self.side.class(reg)
    }

    pub(super) fn word(&mut self, reg: Reg, word: u32) -> Word {
        let place = self.side.register(reg, word);
        if let Some(known) = self.values.known(place) {
            return known;
        }
        self.make_constant(reg);
        self.values.get(place, self.side.number, self.terms)
    }

    /// Makes a virtual register that stands for a constant.
    fn make_constant(&mut self, reg: Reg) {
        let constant = match reg.is_virtual() {
            true => self.side.func.vreg(reg).constant,
            false => None,
        };
        if let Some(constant) = constant {
            let mut inst = self.side.func.constants[constant as usize];
            inst.set_reg(0, reg);
            self.execute(&inst);
        }
    }

    /// The lowest bytes of a register.
    pub fn read(&mut self, reg: Reg, bytes: u8) -> Term {
        if bytes < 4 {
            let word = self.word(reg, 0).term;
            return self.terms.part(word, 0, u16::from(bytes) * 8);
        }
        let words: Vec<Term> = (0..u32::from(bytes) / 4)
            .map(|word| self.word(reg, word).term)
            .collect();
        self.terms.concat(&words)
    }

    /// Writes the lowest bytes of a register and leaves the rest as it was; of a word that is written in part, the rest
    /// is no longer significant.
    pub fn write(&mut self, reg: Reg, bytes: u8, value: Term) {
        if bytes < 4 {
            let bits = u16::from(bytes) * 8;
            let old = self.word(reg, 0).term;
            let rest = self.terms.part(old, bits, WORD_BITS - bits);
            let term = self.terms.concat(&[value, rest]);
            self.set_word(
                reg,
                0,
                Word {
                    term,
                    significant: bits as u8,
                },
            );
            return;
        }
        for word in 0..u32::from(bytes) / 4 {
            let term = self.terms.part(value, word as u16 * WORD_BITS, WORD_BITS);
            self.set_word(reg, word, Word::whole(term));
        }
    }

    /// Clears a register from a byte on.
    pub fn clear_from(&mut self, reg: Reg, bytes: u8) {
        for word in u32::from(bytes) / 4..self.side.words(reg) {
            let zero = self.terms.constant(WORD_BITS, 0);
            self.set_word(reg, word, Word::whole(zero));
        }
    }

    /// Says that a register holds nothing significant from a byte on, whatever stands there.
    pub fn ignore_from(&mut self, reg: Reg, bytes: u8) {
        for word in u32::from(bytes).div_ceil(4)..self.side.words(reg) {
            self.ignore_word(reg, word);
        }
    }

    /// Says that a word of a register is nothing that anybody may look at, whatever stands there.
    pub fn ignore_word(&mut self, reg: Reg, word: u32) {
        // Not by `word`, which may be about to make the register.
        let place = self.side.register(reg, word);
        let term = self.values.get(place, self.side.number, self.terms).term;
        self.set_word(reg, word, Word { term, significant: 0 });
    }

    /// Of a virtual register, only those bytes are significant that are kept when it is spilled.
    pub(super) fn set_word(&mut self, reg: Reg, word: u32, mut value: Word) {
        let place = self.side.register(reg, word);
        if reg.is_virtual() && word > 0 && word >= u32::from(self.side.func.vreg(reg).bytes) / 4 {
            value.significant = 0;
        }
        self.values.set(place, value);
    }

    /// The lowest bytes of a register as something to be stored.
    pub fn contents(&mut self, reg: Reg, bytes: u8) -> Contents {
        if bytes < 4 {
            let term = self.read(reg, bytes);
            return Contents {
                words: vec![Word {
                    term,
                    significant: bytes * 8,
                }],
            };
        }
        Contents {
            words: (0..u32::from(bytes) / 4).map(|word| self.word(reg, word)).collect(),
        }
    }

    /// A term as something to be stored.
    pub fn contents_of(&mut self, value: Term) -> Contents {
        let width = self.terms.width(value);
        if width < WORD_BITS {
            return Contents {
                words: vec![Word {
                    term: value,
                    significant: width as u8,
                }],
            };
        }
        let words = (0..width / WORD_BITS).map(|word| self.terms.part(value, word * WORD_BITS, WORD_BITS));
        Contents {
            words: words.map(Word::whole).collect(),
        }
    }

    /// How many of a register's low bits an operation on it may count on: fewer than a word's only if what is above the
    /// significant ones is not known.
    pub fn significant_bits(&mut self, reg: Reg) -> u8 {
        let word = self.word(reg, 0);
        self.known_bits(word)
    }

    /// The same of contents.
    pub fn significant_bits_of(&mut self, contents: &Contents) -> u8 {
        self.known_bits(contents.words[0])
    }

    fn known_bits(&mut self, word: Word) -> u8 {
        let (significant, width) = (u16::from(word.significant), self.terms.width(word.term));
        if significant >= width {
            return WORD_BITS as u8;
        }
        let rest = self.terms.part(word.term, significant, width - significant);
        if self.terms.as_constant(rest).is_some() {
            WORD_BITS as u8
        } else {
            word.significant
        }
    }

    /// Says that of a register's result nothing is significant from a bit on, as it was computed from bits that nobody
    /// may look at, unless it is a number all the same.
    pub fn limit_significance(&mut self, reg: Reg, bits: u8) {
        let mut word = self.word(reg, 0);
        if bits >= word.significant {
            return;
        }
        word.significant = bits;
        if self.known_bits(word) == bits {
            self.set_word(reg, 0, word);
        }
    }

    /// Copies the lowest bytes of a register, and what is significant of them; the rest of the other register stays.
    pub fn copy(&mut self, dst: Reg, src: Reg, bytes: u8) {
        let contents = self.contents(src, bytes);
        self.put(dst, &contents);
    }

    /// Whether a plain copy of what is below a word of a register may be counted on to leave zero there, since that is
    /// what stands above the source, too: of the function after alone, as nobody has to keep it.
    pub fn may_count_on_zero(&mut self, reg: Reg, word: u32) -> bool {
        let word = self.word(reg, word);
        self.side.number == 1 && word.significant > 0 && self.terms.as_constant(word.term) == Some(0)
    }

    /// Puts words into a register; the rest of it stays.
    pub fn put(&mut self, dst: Reg, contents: &Contents) {
        for (word, &value) in contents.words.iter().enumerate() {
            if self.terms.width(value.term) < WORD_BITS {
                self.write(dst, (self.terms.width(value.term) / 8) as u8, value.term);
            } else {
                self.set_word(dst, word as u32, value);
            }
        }
    }

    /// Whether a memory operand is in a spill slot.
    pub fn is_slot(&self, mem: Mem) -> bool {
        self.side.is_slot(&mem)
    }

    /// The address of a memory operand.
    pub fn address(&mut self, mem: Mem) -> Term {
        let bytes = self.side.desc.pointer_bytes;
        let width = u16::from(bytes) * 8;
        let disp = i64::from(mem.disp).cast_unsigned();
        let mut parts = Vec::with_capacity(2);
        if let Some(reference) = mem.reference() {
            let symbol = self.terms.symbol(Origin::Reference, [reference.0, 0, 0], width);
            parts.push((1, symbol));
        } else {
            if mem.base_reg() == Reg::FRAME {
                parts.push((1, self.terms.symbol(Origin::Frame, [0; 3], width)));
            } else if mem.base_reg().is_register() {
                parts.push((1, self.read(mem.base_reg(), bytes)));
            }
            if mem.index_reg().is_register() {
                parts.push((1 << mem.scale_log2, self.read(mem.index_reg(), bytes)));
            }
        }
        self.terms.sum(width, disp, &parts)
    }

    /// Reads memory.
    pub fn load(&mut self, mem: Mem, bytes: u8) -> Contents {
        if self.side.is_slot(&mem) {
            return self.load_slot(mem.disp, bytes);
        }
        let address = self.address(mem);
        let width = u16::from(bytes) * 8;
        let kind = mem.reference().map(|reference| reference.kind());
        let value = if matches!(kind, Some(RefKind::Constant | RefKind::Got)) {
            self.terms
                .apply([function::CONSTANT_MEMORY, 0, 0, 0], width, &[address])
        } else {
            let number = self.event([event::LOAD, u32::from(bytes), 0, 0], vec![Word::whole(address)], None);
            self.result(number, 0, width)
        };
        self.contents_of(value)
    }

    /// Writes memory.
    pub fn store(&mut self, mem: Mem, contents: &Contents) {
        if self.side.is_slot(&mem) {
            self.store_slot(mem.disp, contents);
            return;
        }
        let address = self.address(mem);
        let mut operands = vec![Word::whole(address)];
        operands.extend(&contents.words);
        let bits: u16 = contents.words.iter().map(|word| self.terms.width(word.term)).sum();
        self.event([event::STORE, u32::from(bits / 8), 0, 0], operands, None);
    }

    fn load_slot(&mut self, disp: i32, bytes: u8) -> Contents {
        let mut words = Vec::with_capacity(4);
        for word in 0..i32::from(bytes).max(4) / 4 {
            let Some(place) = self.side.slot(disp + word * 4) else {
                *self.unknown = Some("an access of a part of a spill slot");
                let term = self
                    .terms
                    .symbol(Origin::Undefined, [2, self.inst, word.cast_unsigned()], WORD_BITS);
                words.push(Word::whole(term));
                continue;
            };
            words.push(self.values.get(place, self.side.number, self.terms));
        }
        if bytes < 4 {
            words[0].term = self.terms.part(words[0].term, 0, u16::from(bytes) * 8);
            words[0].significant = words[0].significant.min(bytes * 8);
        }
        Contents { words }
    }

    fn store_slot(&mut self, disp: i32, contents: &Contents) {
        for (index, &value) in contents.words.iter().enumerate() {
            let Some(place) = self.side.slot(disp + index as i32 * 4) else {
                *self.unknown = Some("an access of a part of a spill slot");
                return;
            };
            let width = self.terms.width(value.term);
            let word = if width < WORD_BITS {
                let old = self.values.get(place, self.side.number, self.terms).term;
                let rest = self.terms.part(old, width, WORD_BITS - width);
                Word {
                    term: self.terms.concat(&[value.term, rest]),
                    significant: width as u8,
                }
            } else {
                value
            };
            self.values.set(place, word);
        }
    }

    /// The term of what has been loaded.
    pub fn term_of(&mut self, contents: &Contents) -> Term {
        let words: Vec<Term> = contents.words.iter().map(|word| word.term).collect();
        self.terms.concat(&words)
    }

    /// Part 0 of the flags is a number whose sign, parity and being zero they tell, 1 the carry, 2 the overflow.
    pub fn flag(&mut self, part: u32) -> Term {
        let place = Side::flags(part);
        self.values.get(place, self.side.number, self.terms).term
    }

    /// Sets the flags: a number whose sign, parity and being zero they tell, carry and overflow, where they change.
    pub fn set_flags(&mut self, result: Option<Term>, carry: Option<Term>, overflow: Option<Term>) {
        for (part, term) in [result, carry, overflow].into_iter().enumerate() {
            if let Some(term) = term {
                self.values.set(Side::flags(part as u32), Word::whole(term));
            }
        }
    }

    /// Notes an event; its number in this run.
    pub(super) fn event(&mut self, key: [u32; 4], operands: Vec<Word>, sets: Option<(PRegSet, PRegSet)>) -> u32 {
        self.events.push(Event {
            key,
            operands,
            sets,
            inst: self.inst,
        });
        self.events.len() as u32 - 1
    }

    /// What an event leaves: result number `index` of it.
    pub(super) fn result(&mut self, event: u32, index: u32, width: u16) -> Term {
        self.terms.symbol(Origin::Event, [self.node, event, index], width)
    }

    /// Carries an instruction out.
    pub(super) fn execute(&mut self, inst: &MInst) {
        if self.meaning.execute(inst, self) {
            return;
        }
        let desc = op_desc(self.side.ops, inst.op);
        if desc.is_move {
            self.copy_register(inst);
        } else {
            self.execute_unknown(inst, desc);
        }
    }

    /// A copy: what lies above its width is as the target does it, and not significant.
    fn copy_register(&mut self, inst: &MInst) {
        let [dst, src, _] = inst.regs();
        let bytes = self
            .meaning
            .operand_bytes(inst, 0)
            .unwrap_or(self.side.register_bytes(dst));
        self.copy(dst, src, bytes);
        self.ignore_from(dst, bytes);
    }

    /// Carries out an instruction of which nothing is known but the op table's columns.
    fn execute_unknown(&mut self, inst: &MInst, desc: &'static OpDesc) {
        let has_memory = desc.roles[1] == Role::Base && (desc.reads_memory || desc.writes_memory);
        let mem = inst.mem();
        let is_slot = has_memory && self.side.is_slot(&mem);
        // Forms with memory as destination are not called pure; what they do to a spill slot is.
        let is_function = match desc.writes_memory {
            true => is_slot,
            false => desc.is_pure || (is_slot && self.meaning.only_computes(inst)),
        };
        if !is_function || desc.has_sets {
            self.execute_opaque(inst, desc);
            return;
        }
        let bytes = match (has_memory, self.meaning.memory_bytes(inst)) {
            (false, _) => 0,
            (true, Some(bytes)) => bytes,
            (true, None) => {
                *self.unknown = Some("an access of unknown width");
                return;
            }
        };
        let loaded = (has_memory && desc.reads_memory).then(|| self.load(mem, bytes));
        let mut args: Vec<Term> = loaded
            .iter()
            .flat_map(|loaded| &loaded.words)
            .map(|word| word.term)
            .collect();
        let registers = self.register_arguments(inst, desc);
        if self.meaning.memory_is_first(inst) {
            args.extend(registers);
        } else {
            args.splice(0..0, registers);
        }
        if desc.roles[1] == Role::Base && !has_memory {
            let address = self.address(mem);
            args.push(address);
        }
        if desc.reads_flags {
            self.flag_arguments(inst, &mut args);
        }
        let key = self.meaning.function(inst);
        self.write_results(inst, desc, |machine, index, width| {
            machine.terms.apply([key[0], key[1], key[2], index], width, &args)
        });
        if desc.writes_memory {
            // The destination, which is a register in the row's other form.
            let index = if desc.roles[0] == Role::UseDef { 64 } else { 0 };
            let value = self
                .terms
                .apply([key[0], key[1], key[2], index], u16::from(bytes) * 8, &args);
            let contents = self.contents_of(value);
            self.store(mem, &contents);
        }
    }

    /// What an instruction reads from registers, in order.
    fn register_arguments(&mut self, inst: &MInst, desc: &OpDesc) -> Vec<Term> {
        let mut args = Vec::new();
        for (index, &role) in desc.roles.iter().enumerate() {
            let reg = inst.reg(index);
            if matches!(role, Role::Use | Role::UseDef) && reg.is_register() {
                let bytes = self.operand_bytes(inst, index);
                let contents = self.contents(reg, bytes);
                args.extend(contents.words.iter().map(|word| word.term));
            }
        }
        for reg in desc.implicit_uses.iter() {
            let bytes = self
                .meaning
                .implicit_bytes(inst, reg)
                .unwrap_or(self.side.register_bytes(reg));
            args.push(self.read(reg, bytes));
        }
        args
    }

    fn operand_bytes(&self, inst: &MInst, index: usize) -> u8 {
        let whole = self.side.register_bytes(inst.reg(index));
        self.meaning.operand_bytes(inst, index).unwrap_or(whole)
    }

    fn flag_arguments(&mut self, inst: &MInst, args: &mut Vec<Term>) {
        match self.meaning.condition(inst, self) {
            Some(condition) => args.push(condition),
            None => {
                for part in 0..3 {
                    args.push(self.flag(part));
                }
            }
        }
    }

    /// Writes all results; `make` makes number `index` of them with a width.
    fn write_results(
        &mut self,
        inst: &MInst,
        desc: &'static OpDesc,
        mut make: impl FnMut(&mut Self, u32, u16) -> Term,
    ) {
        for (index, &role) in desc.roles.iter().enumerate() {
            let reg = inst.reg(index);
            if !matches!(role, Role::Def | Role::UseDef) || !reg.is_register() {
                continue;
            }
            let bytes = self.operand_bytes(inst, index);
            let value = make(self, index as u32, u16::from(bytes) * 8);
            self.write_result(reg, bytes, value);
        }
        for reg in desc.implicit_defs.iter() {
            let bytes = self
                .meaning
                .implicit_bytes(inst, reg)
                .unwrap_or(self.side.register_bytes(reg));
            let value = make(self, 128 + reg.0, u16::from(bytes) * 8);
            self.write_result(reg, bytes, value);
        }
        if desc.writes_flags {
            for part in 0..3 {
                let mut value = make(self, 32 + part, 8);
                if self.meaning.keeps_flags(inst) {
                    let old = self.flag(part);
                    value = self.terms.apply([32, part, 0, u32::MAX], 8, &[value, old]);
                }
                self.values.set(Side::flags(part), Word::whole(value));
            }
        }
    }

    /// Writes the result of an operation: one of four bytes clears what is above it in an integer register. Otherwise
    /// nothing is significant there, whatever the register keeps of its old contents.
    pub fn write_result(&mut self, reg: Reg, bytes: u8, value: Term) {
        self.write(reg, bytes, value);
        if self.class(reg) == RegClass::Int && bytes == 4 {
            self.clear_from(reg, 4);
        } else {
            self.ignore_from(reg, bytes);
        }
    }

    /// An event of its own: nothing is known of what it does with its operands.
    fn execute_opaque(&mut self, inst: &MInst, desc: &'static OpDesc) {
        let mut operands = Vec::new();
        let has_memory = desc.reads_memory || desc.writes_memory;
        let is_slot = has_memory && self.side.is_slot(&inst.mem());
        let has_address = desc.roles[1] == Role::Base && !is_slot;
        if is_slot {
            let bytes = self.meaning.memory_bytes(inst).unwrap_or(0);
            if desc.writes_memory || bytes == 0 {
                *self.unknown = Some("an event that writes a spill slot");
                return;
            }
            operands = self.load(inst.mem(), bytes).words;
        } else if has_address {
            let address = self.address(inst.mem());
            operands.push(Word::whole(address));
        }
        for (index, &role) in desc.roles.iter().enumerate() {
            let reg = inst.reg(index);
            if matches!(role, Role::Use | Role::UseDef) && reg.is_register() {
                let bytes = self.operand_bytes(inst, index);
                operands.extend(self.contents(reg, bytes).words);
            }
        }
        let sets = self.side.func.implicit(inst, desc);
        for reg in sets.uses.iter() {
            let bytes = self
                .meaning
                .implicit_bytes(inst, reg)
                .unwrap_or(self.side.register_bytes(reg));
            operands.extend(self.contents(reg, bytes).words);
        }
        if desc.reads_flags {
            let mut args = Vec::new();
            self.flag_arguments(inst, &mut args);
            operands.extend(args.into_iter().map(Word::whole));
        }
        let immediate = if desc.has_sets { 0 } else { inst.imm.cast_unsigned() };
        let disp = if desc.roles[1] == Role::Base {
            0
        } else {
            inst.disp.cast_unsigned()
        };
        let kind = u32::from(has_address) + 2 * u32::from(has_memory && !is_slot);
        let key = [self.meaning.function(inst)[0], immediate, disp, kind];
        let number = self.event(key, operands, desc.has_sets.then_some((sets.uses, sets.defs)));
        self.leave_results(number, inst, desc, sets.defs);
    }

    /// Registers and flags after an event.
    pub(super) fn leave_results(&mut self, event: u32, inst: &MInst, desc: &'static OpDesc, defs: PRegSet) {
        for (index, &role) in desc.roles.iter().enumerate() {
            let reg = inst.reg(index);
            if matches!(role, Role::Def | Role::UseDef) && reg.is_register() {
                let bytes = self.operand_bytes(inst, index);
                let value = self.result(event, index as u32, u16::from(bytes) * 8);
                self.write_result(reg, bytes, value);
            }
        }
        for reg in defs.iter() {
            self.leave_register(event, reg);
        }
        if desc.writes_flags || desc.has_sets {
            for part in 0..3 {
                let value = self.result(event, 32 + part, 8);
                self.values.set(Side::flags(part), Word::whole(value));
            }
        }
    }

    /// A register after an event that writes it as a whole.
    pub(super) fn leave_register(&mut self, event: u32, reg: Reg) {
        for word in 0..self.side.words(reg) {
            let value = self.result(event, 128 + reg.0 * 4 + word, WORD_BITS);
            self.set_word(reg, word, Word::whole(value));
        }
    }

    /// A place as a term, for edges.
    pub(super) fn words_of(&mut self, reg: Reg) -> Vec<Word> {
        (0..self.side.words(reg)).map(|word| self.word(reg, word)).collect()
    }

    pub(super) fn set_words(&mut self, reg: Reg, words: &[Word]) {
        for (word, &value) in words.iter().enumerate() {
            self.set_word(reg, word as u32, value);
        }
    }

    pub(super) fn set_place(&mut self, place: WordPlace, word: Word) {
        self.values.set(place, word);
    }
}
