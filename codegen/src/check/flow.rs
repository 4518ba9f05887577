//! The form of a function that the checker reads: a control flow graph whose steps use, define, copy and clobber.
//!
//! Both kinds of compiled functions are brought into it ([`super::machine`], [`super::trace`]). A *name* stands for
//! what a program computes: a virtual register, a part of a value, a constant, what a physical register was made to
//! hold. A *place* is where bits are: a physical register, the condition flags, a piece of memory. An allocation is
//! right if each use finds its name in the place that the instruction reads.
//!
//! This module knows no instructions and no target.

/// What a program computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name(pub u32);

impl Name {
    /// As the old name of a renaming: the new name may be anything, and so is everywhere.
    pub const ANYTHING: Name = Name(u32::MAX);
}

/// Where bits are: the numbers of physical registers, then [`Place::FLAGS`], then memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place(pub u32);

impl Place {
    /// The condition flags.
    pub const FLAGS: Place = Place(crate::reg::Reg::FIRST_VIRTUAL);

    /// A piece of memory.
    pub const fn memory(number: u32) -> Place {
        Place(Place::FLAGS.0 + 1 + number)
    }

    /// A physical register.
    pub const fn reg(reg: crate::reg::Reg) -> Place {
        Place(reg.0)
    }
}

/// A step of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// The place must hold the name.
    Use { place: Place, name: Name },
    /// The name gets a new value, which is in this place and nowhere else; what the place held is lost.
    Define { place: Place, name: Name },
    /// The name gets a new value: the one that the place holds, under its other names too.
    Alias { place: Place, name: Name },
    /// The name gets the value of another one, which is where it is.
    Same { new: Name, old: Name },
    /// The name gets a new value, which is nowhere.
    Forget { name: Name },
    /// The place gets the present value of a name, made from nothing.
    Make { place: Place, name: Name },
    /// What the place held is lost.
    Clobber { place: Place },
    /// `to` gets what `from` holds, as far as it needs no more than so many bytes. With `with_next`, it does so at
    /// the same time as the next step, which is a copy, too.
    Copy {
        from: Place,
        to: Place,
        bytes: u8,
        with_next: bool,
    },
}

impl Op {
    /// A copy that takes place by itself.
    pub const fn copy(from: Place, to: Place, bytes: u8) -> Op {
        Op::Copy {
            from,
            to,
            bytes,
            with_next: false,
        }
    }
}

/// A block: steps in a line, and what becomes of names at their end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowBlock {
    /// First step.
    pub start: u32,
    /// One past the last step.
    pub end: u32,
    /// First of its renamings in [`Flow::renames`].
    pub first_rename: u32,
    /// One past the last of its renamings.
    pub end_rename: u32,
}

/// A function. The first block is the entry.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// The steps, block by block.
    pub ops: Vec<Op>,
    /// For each step, a number by which whoever made the function finds the instruction.
    pub sites: Vec<u32>,
    pub blocks: Vec<FlowBlock>,
    /// `(new, old)`: at the end of the block, all at once, the new name gets the value of the old one. Those of a
    /// block ascend by new name.
    pub renames: Vec<(Name, Name)>,
    /// Control flow: `(from, to)`.
    pub edges: Vec<(u32, u32)>,
    /// The bytes of each name that must be kept.
    pub name_bytes: Vec<u8>,
    /// Number of places.
    pub places: u32,
}

impl Flow {
    /// Empties the function but keeps its memory.
    pub fn clear(&mut self) {
        self.ops.clear();
        self.sites.clear();
        self.blocks.clear();
        self.renames.clear();
        self.edges.clear();
        self.name_bytes.clear();
        self.places = 0;
    }

    /// Begins a block after the last one; returns its number.
    pub fn begin_block(&mut self) -> u32 {
        let (op, rename) = (self.ops.len() as u32, self.renames.len() as u32);
        self.blocks.push(FlowBlock {
            start: op,
            end: op,
            first_rename: rename,
            end_rename: rename,
        });
        self.blocks.len() as u32 - 1
    }

    /// Adds a step to the last block.
    #[inline]
    pub fn push(&mut self, op: Op, site: u32) {
        self.ops.push(op);
        self.sites.push(site);
    }

    /// Adds a renaming to the last block.
    pub fn push_rename(&mut self, new: Name, old: Name) {
        self.renames.push((new, old));
    }

    /// Ends the last block.
    pub fn end_block(&mut self) {
        let block = self.blocks.last_mut().expect("a block was begun");
        block.end = self.ops.len() as u32;
        block.end_rename = self.renames.len() as u32;
        self.renames[block.first_rename as usize..].sort_unstable();
    }

    /// The block of a step.
    pub fn block_of(&self, op: u32) -> u32 {
        (self.blocks)
            .iter()
            .position(|block| (block.start..block.end).contains(&op))
            .unwrap_or_default() as u32
    }
}
