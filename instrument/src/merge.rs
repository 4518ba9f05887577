//! Sums of additions to numbers in memory: many hooks become one update.
//!
//! What is added up is what a hook was found to do, whatever it is called. Only places and amounts that are known at
//! the site are summed up: those of a counter for everything, and those of a counter for each block, but not those of a
//! histogram of addresses.

use crate::evaluate::KnownAddress;
use frazil_ir::{Opcode, Type};

/// An addition to a number in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    pub address: KnownAddress,
    /// Type, flags and opcode of the access: a load, or an atomic update.
    pub access: (Type, u16, Opcode),
    pub amount: i128,
    /// The last hook that it is made of, which it stands in the place of.
    last: usize,
}

/// The sums of a part of a block.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    list: Vec<Sum>,
}

impl Sums {
    /// Adds an amount for the hook with a number.
    pub fn add(&mut self, hook: usize, address: KnownAddress, access: (Type, u16, Opcode), amount: i128) {
        let same = |sum: &&mut Sum| sum.address == address && sum.access == access;
        match self.list.iter_mut().find(same) {
            Some(sum) => {
                sum.amount = sum.amount.wrapping_add(amount);
                sum.last = hook;
            }
            None => self.list.push(Sum {
                address,
                access,
                amount,
                last: hook,
            }),
        }
    }

    /// Makes plans of the sums that `is_due` wants, at the last hook of each, and forgets them.
    pub fn flush<P>(&mut self, plans: &mut [P], is_due: impl Fn(&Sum) -> bool, plan: impl Fn(Vec<Sum>) -> P) {
        let mut due: Vec<Sum> = Vec::new();
        self.list.retain(|sum| {
            let now = is_due(sum);
            if now {
                due.push(sum.clone());
            }
            !now
        });
        due.sort_by_key(|sum| sum.last);
        while let Some(last) = due.first().map(|sum| sum.last) {
            let count = due.iter().take_while(|sum| sum.last == last).count();
            plans[last] = plan(due.drain(..count).collect());
        }
    }
}
