//! The symbolic machine that executes instructions on terms, and the trait by which targets define their semantics
//! ([`Meaning`]).

use super::terms::{FunctionKey, Origin, Term, Terms, function};
use super::values::{Side, Values, WORD_BITS, Word, WordPlace};
use crate::buffer::PoolConstant;
use crate::desc::{OpDesc, Role};
use crate::mfunc::{INCOMING, op_desc};
use crate::minst::{MInst, Mem};
use crate::reference::RefKind;
use crate::reg::{PRegSet, Reg, RegClass};

/// What the instructions of a target mean, as far as machine passes rely on it.
///
/// An instruction that the target does not describe is an uninterpreted function of its operands if it is pure, and an
/// event if it is not: passes may move, rename and repeat the former, but must leave the latter as it is.
pub trait Meaning: Send + Sync {
    /// Executes an instruction if the target knows more of it than the op table says; returns whether it does.
    fn execute(&self, _inst: &MInst, _machine: &mut Machine<'_>) -> bool {
        false
    }

    /// The condition under which an instruction branches, or has its effect if that depends on the flags, as a term of
    /// one bit.
    fn condition(&self, _inst: &MInst, _machine: &mut Machine<'_>) -> Option<Term> {
        None
    }

    /// How many bytes of a register operand are read and written; `None` means all of them.
    fn operand_bytes(&self, _inst: &MInst, _operand: usize) -> Option<u8> {
        None
    }

    /// How many bytes are read and written of a register that the instruction uses implicitly.
    fn implicit_bytes(&self, _inst: &MInst, _reg: Reg) -> Option<u8> {
        None
    }

    /// How many bytes of memory an instruction accesses, if that is known.
    fn memory_bytes(&self, _inst: &MInst) -> Option<u8> {
        None
    }

    /// A key of the function that the instruction computes: the same for its forms with a register and with a memory
    /// operand, and different for all other functions. The last number of the key is ignored.
    fn function(&self, inst: &MInst) -> FunctionKey {
        [
            u32::from(inst.op) | u32::from(inst.size) << 16,
            inst.imm.cast_unsigned(),
            0,
            0,
        ]
    }

    /// Whether rows on vectors that are functions read what is significant of their operands and no more: if not,
    /// unequal results of theirs prove nothing.
    fn knows_lanes(&self) -> bool {
        true
    }

    /// How many low bits of `regs[0]`, which an instruction writes that is a function, may be set; `None` for all.
    fn result_bits(&self, _inst: &MInst) -> Option<u16> {
        None
    }

    /// Whether the memory operand is the first argument of this function, before the register operand.
    fn memory_is_first(&self, _inst: &MInst) -> bool {
        false
    }

    /// Whether an instruction that reads memory, and is therefore not called pure, has no other effect: with a spill
    /// slot as its operand, it does the same as its form with a register.
    fn only_computes(&self, _inst: &MInst) -> bool {
        false
    }

    /// Whether an instruction that writes flags may leave some of them unchanged.
    fn keeps_flags(&self, _inst: &MInst) -> bool {
        true
    }
}

/// A target that describes no instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMeaning;

impl Meaning for NoMeaning {}

/// Something that can be observed from outside of the function, or that may stop it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub key: [u32; 4],
    pub operands: Vec<Word>,
    /// The registers that it reads and overwrites besides its operands, if it is a call or the like.
    pub sets: Option<(PRegSet, PRegSet)>,
    pub inst: u32,
}

/// First numbers of the keys of events that do not stand for a single instruction of the op table.
pub(super) mod event {
    pub const LOAD: u32 = u32::MAX;
    pub const STORE: u32 = u32::MAX - 1;
    pub const GROUP: u32 = u32::MAX - 2;
}

/// A value to be stored or compared, as words, the lowest first.
#[derive(Clone, Debug)]
pub struct Contents {
    pub(super) words: Vec<Word>,
}

impl Contents {
    /// The words from number `first` on.
    #[must_use]
    pub fn upper(&self, first: usize) -> Contents {
        Contents {
            words: self.words.get(first..).unwrap_or_default().to_vec(),
        }
    }

    /// Whether any bit of a word is significant.
    pub fn is_significant(&self, word: usize) -> bool {
        self.words.get(word).is_some_and(|word| word.significant > 0)
    }
}

/// The symbolic machine: the state of one of the two functions before one of its instructions.
pub struct Machine<'a> {
    /// Terms of both functions.
    pub terms: &'a mut Terms,
    pub(super) side: Side<'a>,
    pub(super) meaning: &'static dyn Meaning,
    pub(super) constants: &'a [PoolConstant],
    pub(super) values: &'a mut Values,
    pub(super) events: &'a mut Vec<Event>,
    /// The node that the walk began at; it tells symbols of this walk's events from those of other walks.
    pub(super) node: u32,
    /// The number of the current instruction.
    pub(super) inst: u32,
    /// Why the comparison cannot be completed, if an instruction could not be followed.
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

    /// If a virtual register stands for a constant, executes the instruction that makes the constant.
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

    /// Reads the lowest bytes of a register.
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

    /// Writes the lowest bytes of a register; the others keep their contents. In a word that is written in part, only
    /// the bits that are written are significant afterwards.
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

    /// Clears the bytes of a register from number `bytes` on.
    pub fn clear_from(&mut self, reg: Reg, bytes: u8) {
        for word in u32::from(bytes) / 4..self.side.words(reg) {
            let zero = self.terms.constant(WORD_BITS, 0);
            self.set_word(reg, word, Word::whole(zero));
        }
    }

    /// Makes the bytes of a register from number `bytes` on insignificant; their contents stay.
    pub fn ignore_from(&mut self, reg: Reg, bytes: u8) {
        for word in u32::from(bytes).div_ceil(4)..self.side.words(reg) {
            self.ignore_word(reg, word);
        }
    }

    /// Makes a word of a register insignificant; its contents stay.
    pub fn ignore_word(&mut self, reg: Reg, word: u32) {
        // Not read by `word`, which would execute the constant's instruction again.
        let place = self.side.register(reg, word);
        let term = self.values.get(place, self.side.number, self.terms).term;
        self.set_word(reg, word, Word { term, significant: 0 });
    }

    /// Sets a word of a register. Words that a spill of the virtual register does not keep are insignificant.
    pub(super) fn set_word(&mut self, reg: Reg, word: u32, mut value: Word) {
        let place = self.side.register(reg, word);
        if reg.is_virtual() && word > 0 && word >= u32::from(self.side.func.vreg(reg).bytes) / 4 {
            value.significant = 0;
        }
        self.values.set(place, value);
    }

    /// The lowest bytes of a register as contents.
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

    /// A term as contents.
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

    /// How many low bits of a register are defined for a reader: all, if the bits above the significant ones are a
    /// known constant; else the significant ones.
    pub fn significant_bits(&mut self, reg: Reg) -> u8 {
        let word = self.word(reg, 0);
        self.known_bits(word)
    }

    /// The same for the lowest word of contents.
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

    /// Limits what is significant of a register's result to its low `bits`, because it was computed from operands of
    /// which no more was significant; unless the bits above are a known constant all the same.
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

    /// Copies the lowest bytes of a register, with their significance; the other bytes of the destination keep their
    /// contents.
    pub fn copy(&mut self, dst: Reg, src: Reg, bytes: u8) {
        let contents = self.contents(src, bytes);
        self.put(dst, &contents);
    }

    /// Whether a plain copy of the words below `word` may be relied on to leave zero in `word` of the destination,
    /// because the source has zero there. Only in the function after: a pass need not preserve this.
    pub fn may_count_on_zero(&mut self, reg: Reg, word: u32) -> bool {
        let word = self.word(reg, word);
        self.side.number == 1 && word.significant > 0 && self.terms.as_constant(word.term) == Some(0)
    }

    /// Writes contents of whole words to the words of a register from number `first` on; the others keep theirs.
    pub fn put_from(&mut self, dst: Reg, first: u32, contents: &Contents) {
        for (word, &value) in (first..).zip(&contents.words) {
            self.set_word(dst, word, value);
        }
    }

    /// Writes contents to the lowest words of a register; the others keep theirs.
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

    /// Whether no event is needed to access a memory operand.
    fn is_place(&self, mem: Mem) -> bool {
        self.side.is_slot(&mem) || self.side.is_home(&mem, 0)
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
            if mem.base_reg().is_register() {
                parts.push((1, self.read(mem.base_reg(), bytes)));
            }
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

    /// Loads from memory: a spill slot is a place, memory that never changes is a function of its address or a symbol,
    /// and any other load is an event.
    pub fn load(&mut self, mem: Mem, bytes: u8) -> Contents {
        if self.side.is_slot(&mem) || self.side.is_home(&mem, bytes) {
            return self.load_slot(mem.disp, bytes);
        }
        if let Some(known) = self.known_constant(&mem, bytes) {
            return known;
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

    /// The words of a constant beside the code.
    fn known_constant(&mut self, mem: &Mem, bytes: u8) -> Option<Contents> {
        let reference = mem
            .reference()
            .filter(|reference| reference.kind() == RefKind::Constant)?;
        let constant = self.constants.get(reference.number() as usize)?;
        let start = usize::try_from(mem.disp).ok()?;
        let contents = constant.contents().get(start..start + usize::from(bytes))?;
        let words = contents.chunks(4).map(|chunk| {
            let value = chunk.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            Word::whole(self.terms.constant(chunk.len() as u16 * 8, value))
        });
        Some(Contents { words: words.collect() })
    }

    /// Stores to memory: to the places of a spill slot, or as an event.
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
            if disp >= INCOMING / 2 {
                let number = (disp + word * 4).cast_unsigned();
                words.push(Word::whole(self.terms.symbol(Origin::Home, [number, 0, 0], WORD_BITS)));
                continue;
            }
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

    /// The term of contents.
    pub fn term_of(&mut self, contents: &Contents) -> Term {
        let words: Vec<Term> = contents.words.iter().map(|word| word.term).collect();
        self.terms.concat(&words)
    }

    /// A part of the flags: 0 is a value whose sign, parity and zeroness the flags tell, 1 the carry, 2 the overflow.
    pub fn flag(&mut self, part: u32) -> Term {
        let place = Side::flags(part);
        self.values.get(place, self.side.number, self.terms).term
    }

    /// Sets the parts of the flags (see [`Machine::flag`]) that change.
    pub fn set_flags(&mut self, result: Option<Term>, carry: Option<Term>, overflow: Option<Term>) {
        for (part, term) in [result, carry, overflow].into_iter().enumerate() {
            if let Some(term) = term {
                self.values.set(Side::flags(part as u32), Word::whole(term));
            }
        }
    }

    /// Appends an event and returns its number in this walk.
    pub(super) fn event(&mut self, key: [u32; 4], operands: Vec<Word>, sets: Option<(PRegSet, PRegSet)>) -> u32 {
        self.events.push(Event {
            key,
            operands,
            sets,
            inst: self.inst,
        });
        self.events.len() as u32 - 1
    }

    /// The symbol of a result of an event: `index` tells the results apart.
    pub(super) fn result(&mut self, event: u32, index: u32, width: u16) -> Term {
        self.terms.symbol(Origin::Event, [self.node, event, index], width)
    }

    /// Executes an instruction.
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

    /// Executes a copy. What it leaves above its width is not significant.
    fn copy_register(&mut self, inst: &MInst) {
        let [dst, src, _] = inst.regs();
        let bytes = self
            .meaning
            .operand_bytes(inst, 0)
            .unwrap_or(self.side.register_bytes(dst));
        self.copy(dst, src, bytes);
        self.ignore_from(dst, bytes);
    }

    /// Executes an instruction by the columns of the op table alone.
    fn execute_unknown(&mut self, inst: &MInst, desc: &'static OpDesc) {
        let has_memory = desc.roles[1] == Role::Base && (desc.reads_memory || desc.writes_memory);
        let mem = inst.mem();
        let is_slot = has_memory && self.is_place(mem);
        // A form with a memory destination is not called pure, but with a spill slot there, it is a function.
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
        let is_vague = !self.meaning.knows_lanes() && self.reads_vector(inst, desc);
        self.write_results(inst, desc, |machine, index, width| {
            let result = machine.terms.apply([key[0], key[1], key[2], index], width, &args);
            if is_vague {
                machine.terms.mark_vague(result);
            }
            result
        });
        if desc.writes_memory {
            // The destination operand, which would be a register in the instruction's other form.
            let index = if desc.roles[0] == Role::UseDef { 64 } else { 0 };
            let value = self
                .terms
                .apply([key[0], key[1], key[2], index], u16::from(bytes) * 8, &args);
            let contents = self.contents_of(value);
            self.store(mem, &contents);
        }
    }

    /// Whether an instruction reads a register of which a vector may be a part.
    fn reads_vector(&self, inst: &MInst, desc: &OpDesc) -> bool {
        let mut operands = desc.roles.iter().enumerate();
        operands.any(|(index, &role)| {
            let is_read = matches!(role, Role::Use | Role::UseDef) && inst.reg(index).is_register();
            is_read && self.class(inst.reg(index)) == RegClass::Float && self.operand_bytes(inst, index) > 8
        })
    }

    /// The arguments that an instruction reads from registers: its operands, then implicit ones.
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

    /// Writes all results of an instruction; `make(index, width)` makes each of them.
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
            let width = u16::from(bytes) * 8;
            let bits = self.meaning.result_bits(inst).filter(|_| index == 0).unwrap_or(width);
            let value = make(self, index as u32, bits);
            let value = self.terms.zero_extend(value, width);
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

    /// Writes the result of an operation. A result of four bytes clears the bytes above it in an integer register;
    /// else what is above the result is not significant, whatever the register keeps there.
    pub fn write_result(&mut self, reg: Reg, bytes: u8, value: Term) {
        self.write(reg, bytes, value);
        if self.class(reg) == RegClass::Int && bytes == 4 {
            self.clear_from(reg, 4);
        } else {
            self.ignore_from(reg, bytes);
        }
    }

    /// Executes an instruction as an event, since nothing is known of what it does with its operands.
    fn execute_opaque(&mut self, inst: &MInst, desc: &'static OpDesc) {
        let mut operands = Vec::new();
        let has_memory = desc.reads_memory || desc.writes_memory;
        let is_slot = has_memory && self.is_place(inst.mem());
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
            // Each lane of an index may give an address of its own.
            if desc.classes[2] == Some(RegClass::Float) {
                let bytes = self.operand_bytes(inst, 2);
                operands.extend(self.contents(inst.reg(2), bytes).words);
            }
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
        let immediate = if desc.has_sets {
            0
        } else {
            inst.immediate(desc).cast_unsigned()
        };
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

    /// Gives the registers and flags that an event writes unknown contents.
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

    /// Gives all words of a register that an event writes unknown contents.
    pub(super) fn leave_register(&mut self, event: u32, reg: Reg) {
        for word in 0..self.side.words(reg) {
            let value = self.result(event, 128 + reg.0 * 4 + word, WORD_BITS);
            self.set_word(reg, word, Word::whole(value));
        }
    }

    /// All words of a register.
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
