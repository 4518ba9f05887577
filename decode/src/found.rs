//! Looking at a function of an object: what was found of it, as code generation and as people want to know it.

use crate::machine::Machine;
use crate::object::Object;
use crate::walk::Walk;
use frazil_codegen::PRegSet;
use frazil_ir::RegisterSet;

/// What was found of a function.
#[derive(Debug)]
pub struct Found {
    machine: &'static Machine,
    /// How far its own code reaches that was followed.
    pub extent_bytes: u64,
    /// How many other functions of the object were followed.
    pub others: usize,
    /// The registers that it overwrites and its convention lets it overwrite; or why these are all.
    pub registers: Result<PRegSet, String>,
}

impl Found {
    /// The registers that it keeps besides those of its convention, for [`frazil_ir::Signature::keeps`]; none if
    /// nothing more is known of it than that.
    pub fn keeps(&self) -> Option<RegisterSet> {
        let overwritten = self.registers.as_ref().ok()?;
        let [int, float] = &self.machine.desc.classes;
        let kept = (int.allocatable.union(float.allocatable))
            .minus(self.machine.convention.callee_saved)
            .minus(self.machine.overwritten_by_linkers)
            .minus(*overwritten);
        Some(RegisterSet([kept.bank(0), kept.bank(1)]))
    }

    /// What was found in words, without a full stop: how far it reaches and what it overwrites.
    pub fn in_words(&self) -> String {
        let mut text = format!("machine code of {} bytes", self.extent_bytes);
        if self.others > 0 {
            text += &format!(" and {} more in the object", counted(self.others, "function"));
        }
        match &self.registers {
            Err(reason) => text + " that overwrites what the convention allows: " + reason,
            Ok(registers) if registers.is_empty() => text + " that overwrites nothing but flags",
            Ok(registers) => {
                let names: Vec<&str> = registers.iter().map(|reg| self.machine.name_of(reg)).collect();
                text + " that overwrites " + &names.join(", ")
            }
        }
    }
}

impl Object<'_> {
    /// Looks at a function.
    ///
    /// # Errors
    /// When no function of this name can be called from other objects, in words that continue its name.
    pub fn look(&self, name: &str) -> Result<Found, String> {
        let Some(symbol) = self.symbol(name) else {
            return Err("is no symbol of the object".to_owned());
        };
        let Some(place) = symbol.place else {
            return Err("is only declared in the object: it must be defined there".to_owned());
        };
        if symbol.is_local {
            return Err("is local to the object (`static` in C): other objects cannot call it".to_owned());
        }
        if symbol.is_chosen {
            return Err("is chosen when the program starts (`ifunc`): expected a function".to_owned());
        }
        if !symbol.is_function {
            return Err("is data of the object: expected a function".to_owned());
        }
        let mut walk = Walk::new(self, self.machine);
        let (extent_bytes, outcome) = walk.follow(place, 0);
        let outcome = match symbol.is_weak {
            true => Err("it is weak, so that another object may define it".to_owned()),
            false => outcome,
        };
        let saved = self.machine.convention.callee_saved;
        Ok(Found {
            machine: self.machine,
            extent_bytes,
            others: walk.seen.len() - 1,
            registers: outcome.map(|()| walk.written.minus(saved).minus(self.machine.stack_pointer())),
        })
    }
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("one {what}"),
        _ => format!("{count} {what}s"),
    }
}
