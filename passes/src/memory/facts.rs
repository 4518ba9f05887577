//! What is known of memory at a point of the program: which value lies at which address.
//!
//! A fact comes from a load or a store and holds until something may overwrite its bytes. There are few of them, so
//! that looking through all is cheap; the oldest is forgotten for a new one. A fact from a store also remembers the
//! store until something may read it: a store that is covered by a later one before that is dead.

use super::alias::{Address, Bytes, Root};
use frazil_ir::{Inst, Operand, Type};

/// How many facts are kept.
const MOST_FACTS: usize = 24;

/// A value in memory.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// Where it lies.
    pub address: Address,
    /// How many bytes it has.
    pub bytes: Bytes,
    pub ty: Type,
    pub value: Operand,
    /// The store that put it there, if nothing may have read it since, in the same block.
    pub store: Option<Inst>,
}

/// The facts at a point.
#[derive(Debug, Default)]
pub struct Facts {
    facts: Vec<Fact>,
    /// The one to be forgotten next.
    oldest: usize,
}

impl Facts {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.facts.clear();
        self.oldest = 0;
    }

    /// Everything that is known of memory, in no particular order.
    pub fn all(&self) -> &[Fact] {
        &self.facts
    }

    /// Knows these facts alone.
    pub fn assign(&mut self, facts: &[Fact]) {
        self.clear();
        self.facts.extend_from_slice(facts);
    }

    /// The fact about exactly these bytes.
    #[inline]
    pub fn find(&self, address: &Address, bytes: Bytes) -> Option<&Fact> {
        self.facts.iter().find(|fact| {
            fact.address.is_beside(address) && fact.address.offset == address.offset && fact.bytes == bytes
        })
    }

    /// Adds a fact. There must be none about the same bytes.
    pub fn add(&mut self, fact: Fact) {
        if self.facts.len() < MOST_FACTS {
            self.facts.push(fact);
        } else {
            self.facts[self.oldest] = fact;
            self.oldest = (self.oldest + 1) % MOST_FACTS;
        }
    }

    /// These bytes may be read: stores to them are needed.
    #[inline]
    pub fn read(&mut self, address: &Address, bytes: Bytes) {
        for fact in &mut self.facts {
            if fact.store.is_some() && fact.address.may_overlap(fact.bytes, address, bytes) {
                fact.store = None;
            }
        }
    }

    /// These bytes may be overwritten. With `dead`, they all are, and stores that only wrote to them are handed to it.
    #[inline]
    pub fn overwrite(&mut self, address: &Address, bytes: Bytes, mut dead: impl FnMut(Inst)) {
        self.retain(|fact| {
            let is_hit = fact.address.may_overlap(fact.bytes, address, bytes);
            if let Some(store) = fact.store
                && is_hit
                && address.covers(bytes, &fact.address, fact.bytes)
            {
                dead(store);
            }
            !is_hit
        });
    }

    /// Anything but private slots may be read and overwritten.
    pub fn clobber(&mut self) {
        self.retain(|fact| fact.address.kind == Root::Private);
    }

    /// The function ends: stores to slots that nothing has read are handed to `dead`.
    pub fn end_function(&mut self, is_slot: impl Fn(Operand) -> bool, mut dead: impl FnMut(Inst)) {
        for fact in self.facts.drain(..) {
            if let Some(store) = fact.store
                && is_slot(fact.address.root)
            {
                dead(store);
            }
        }
        self.oldest = 0;
    }

    /// A block ends: what becomes of its stores is not known.
    pub fn end_block(&mut self) {
        self.facts.iter_mut().for_each(|fact| fact.store = None);
    }

    fn retain(&mut self, keep: impl FnMut(&Fact) -> bool) {
        let before = self.facts.len();
        self.facts.retain(keep);
        if self.facts.len() < before {
            self.oldest = 0;
        }
    }
}
