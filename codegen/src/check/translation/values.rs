//! The symbolic contents of registers, spill slots and flags of one of the two functions: a term for each 32-bit word.
//!
//! Only some low bits of a word may be significant (contract 1): after a copy of four bytes, nobody may rely on the
//! upper half of the register, and after an operation on a byte, on nothing above it. The actual bits are tracked all
//! the same, since passes may use what they know of them; but callers, callees and memory may not rely on them.

use super::terms::{Origin, Term, Terms};
use crate::desc::{OpDesc, Role, TargetDesc};
use crate::mfunc::{INCOMING, MFunc, VReg};
use crate::minst::{MInst, Mem};
use crate::reg::{Reg, RegClass};

pub(super) const WORD_BITS: u16 = 32;
/// The most words of a register.
pub(super) const WORDS: u32 = 16;
/// The unit of the flags. Units before it are physical registers, those after it virtual ones; then come the words of
/// slots.
pub(super) const FLAGS: u32 = Reg::FIRST_VIRTUAL;
const FIRST_VREG: u32 = FLAGS + 1;

/// The place of a word: a word of a register, a part of the flags, or a word of a spill slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct WordPlace(pub u32);

/// How many bytes of the registers of each class are followed: as many as any instruction of either function accesses.
pub(super) fn followed_bytes(
    desc: &TargetDesc,
    ops: &'static [OpDesc],
    functions: [&MFunc; 2],
) -> [u8; RegClass::COUNT] {
    let mut widest = [0; RegClass::COUNT];
    desc.each_class()
        .for_each(|class| widest[class as usize] = desc.class(class).bytes);
    for inst in functions.iter().flat_map(|func| &func.insts) {
        let op = crate::mfunc::op_desc(ops, inst.op);
        for (class, width) in op.classes.into_iter().zip(op.widths) {
            if let Some(class) = class {
                let bytes = &mut widest[class as usize];
                *bytes = width.max(*bytes);
            }
        }
    }
    widest
}

/// A word: its term, and how many of its low bits are significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub term: Term,
    pub significant: u8,
}

impl Word {
    pub(super) fn whole(term: Term) -> Word {
        Word {
            term,
            significant: WORD_BITS as u8,
        }
    }
}

/// One of the two functions, with the numbering of its places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub func: &'a MFunc,
    pub desc: &'static TargetDesc,
    pub ops: &'static [OpDesc],
    /// The places of arguments to which neither function writes, with their sizes.
    homes: &'a [(i32, u8)],
    /// 0 for the function before, 1 for the one after.
    pub number: u32,
    /// Whether registers are physical, so that there are spill slots.
    pub is_allocated: bool,
    /// The lowest displacement of a spill slot, a multiple of a word's size.
    lowest_slot: i32,
    /// Bytes of a register of each class that are followed ([`followed_bytes`]).
    register_bytes: [u8; RegClass::COUNT],
}

impl<'a> Side<'a> {
    pub(super) fn new(
        func: &'a MFunc,
        desc: &'static TargetDesc,
        ops: &'static [OpDesc],
        homes: &'a [(i32, u8)],
        number: u32,
        is_allocated: bool,
        register_bytes: [u8; RegClass::COUNT],
    ) -> Side<'a> {
        let mut side = Side {
            func,
            desc,
            ops,
            homes,
            number,
            is_allocated,
            lowest_slot: 0,
            register_bytes,
        };
        for inst in &func.insts {
            if side.is_slot_of(inst) {
                side.lowest_slot = side.lowest_slot.min(inst.disp & !3);
            }
        }
        side
    }

    fn is_slot_of(&self, inst: &MInst) -> bool {
        let desc = crate::mfunc::op_desc(self.ops, inst.op);
        desc.roles[1] == Role::Base && self.is_slot(&inst.mem())
    }

    /// Whether a memory operand is in a spill slot.
    pub(super) fn is_slot(&self, mem: &Mem) -> bool {
        self.is_allocated
            && mem.base_reg() == Reg::FRAME
            && mem.index_reg().is_none()
            && mem.disp < self.func.frame.spills_below
    }

    /// Whether so many bytes of a memory operand are within a place of an argument to which nothing writes.
    pub(super) fn is_home(&self, mem: &Mem, bytes: u8) -> bool {
        if mem.base_reg() != Reg::FRAME || !mem.index_reg().is_none() || mem.disp < INCOMING / 2 {
            return false;
        }
        let end = mem.disp + i32::from(bytes);
        let has_it = |&(place, size): &(i32, u8)| place <= mem.disp && end <= place + i32::from(size);
        self.homes.iter().any(has_it)
    }

    /// The first place of spill slots.
    fn first_slot(&self) -> u32 {
        (FIRST_VREG + self.func.vregs.len() as u32) * WORDS
    }

    pub(super) fn place_count(&self) -> usize {
        let slots = (self.func.frame.spills_below - self.lowest_slot).max(0) / 4 + WORDS as i32;
        (self.first_slot() + slots.cast_unsigned()) as usize
    }

    /// The place of the word at `disp` in a spill slot, unless it is not aligned.
    pub(super) fn slot(&self, disp: i32) -> Option<WordPlace> {
        let distance = disp - self.lowest_slot;
        (distance >= 0 && distance % 4 == 0).then(|| WordPlace(self.first_slot() + distance.cast_unsigned() / 4))
    }

    /// The place of word number `word` of a register, the lowest first.
    pub(super) fn register(&self, reg: Reg, word: u32) -> WordPlace {
        let unit = match reg.is_physical() {
            true => reg.0,
            false => FIRST_VREG + reg.virtual_index() as u32,
        };
        WordPlace(unit * WORDS + word)
    }

    /// The place of a part of the flags.
    pub(super) fn flags(part: u32) -> WordPlace {
        WordPlace(FLAGS * WORDS + part)
    }

    /// The virtual register that a place is a word of.
    pub(super) fn virtual_register(&self, place: WordPlace) -> Option<&'a VReg> {
        let unit = place.0 / WORDS;
        (unit >= FIRST_VREG && place.0 < self.first_slot()).then(|| &self.func.vregs[(unit - FIRST_VREG) as usize])
    }

    /// Whether a place is part of what nodes know. Words that a register does not have are not, nor are constants,
    /// which are made anew where they are read.
    pub(super) fn is_followed(&self, place: WordPlace) -> bool {
        let (unit, word) = (place.0 / WORDS, place.0 % WORDS);
        if let Some(vreg) = self.virtual_register(place) {
            return vreg.constant.is_none() && word < u32::from(self.register_bytes[vreg.class as usize]).div_ceil(4);
        }
        unit >= FLAGS || word < self.words(Reg(unit))
    }

    pub(super) fn class(&self, reg: Reg) -> RegClass {
        if reg.is_virtual() {
            self.func.vreg(reg).class
        } else {
            RegClass::of(reg)
        }
    }

    pub(super) fn register_bytes(&self, reg: Reg) -> u8 {
        self.register_bytes[self.class(reg) as usize]
    }

    /// Words of a register.
    pub(super) fn words(&self, reg: Reg) -> u32 {
        u32::from(self.register_bytes(reg)).div_ceil(4)
    }
}

/// What the places of a function hold at one point of it.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// By place: the number of its term plus one (0: not known), and how many bits are significant.
    words: Vec<(u32, u8)>,
    touched: Vec<u32>,
    /// The former entries of the places that were set since the last [`Values::commit`].
    journal: Vec<(u32, (u32, u8))>,
}

impl Values {
    /// Forgets everything and makes room for `count` places.
    pub(super) fn reset(&mut self, count: usize) {
        for &place in &self.touched {
            self.words[place as usize] = (0, 0);
        }
        self.touched.clear();
        self.journal.clear();
        self.words.resize(count, (0, 0));
    }

    pub(super) fn known(&self, place: WordPlace) -> Option<Word> {
        let &(number, significant) = self.words.get(place.0 as usize)?;
        (number != 0).then(|| Word {
            term: Term(number - 1),
            significant,
        })
    }

    /// The word at a place; an undefined symbol if it is not known.
    pub(super) fn get(&self, place: WordPlace, side: u32, terms: &mut Terms) -> Word {
        self.known(place)
            .unwrap_or_else(|| Word::whole(terms.symbol(Origin::Undefined, [side, place.0, 0], WORD_BITS)))
    }

    pub(super) fn set(&mut self, place: WordPlace, word: Word) {
        let entry = &mut self.words[place.0 as usize];
        self.journal.push((place.0, *entry));
        self.touched.push(place.0);
        *entry = (word.term.0 + 1, word.significant);
    }

    /// Takes back what was set since the last [`Values::commit`].
    pub(super) fn undo(&mut self) {
        while let Some((place, entry)) = self.journal.pop() {
            self.words[place as usize] = entry;
        }
    }

    pub(super) fn commit(&mut self) {
        self.journal.clear();
    }
}
