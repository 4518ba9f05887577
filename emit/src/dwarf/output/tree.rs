//! Entries of a unit while they are made: a tree, in which siblings stand in the order in which they were added.

use super::lists::{Lists, Location, Range};
use super::{Address, Expression, FileId, LineProgram, Macro, TextId};
use gimli::constants as dw;
use gimli::{DwAt, DwTag, Encoding};

/// None, as the number of an entry or an attribute.
pub(super) const NONE: u32 = u32::MAX;

/// An entry of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dwarf) struct EntryId {
    unit: u32,
    pub(super) number: u32,
}

impl EntryId {
    /// The place of its unit among all units.
    pub fn unit(self) -> usize {
        self.unit as usize
    }
}

/// The root of a unit, by number.
pub(super) const ROOT: u32 = 0;

/// What an attribute says.
#[derive(Clone, Debug)]
pub(in crate::dwarf) enum Value {
    Address(Address),
    Unsigned(u64),
    Signed(i64),
    /// One of the values that the standard has names for.
    Byte(u8),
    Half(u16),
    Present,
    Expression(Expression),
    /// The expression that is a place in the frame, so many bytes from its base: most variables of unoptimized code
    /// have it, and no memory of its own.
    FrameOffset(i32),
    /// Another entry, of this unit or another one.
    Entry(EntryId),
    /// The type that a unit of this signature is of.
    Signature(u64),
    Text(TextId),
    File(FileId),
    /// A list, by its number among those of the unit.
    Ranges(u32),
    Locations(u32),
    /// Where what belongs to the unit begins in another section.
    Base(super::Place, u64),
    /// The number that both halves of a unit have, before version 5; it is filled in later.
    Identity,
}

/// There are many of them: 32 bytes each.
#[derive(Debug)]
pub(super) struct Attribute {
    pub name: DwAt,
    pub value: Value,
    /// The next one of the same entry.
    pub next: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub tag: DwTag,
    pub parent: u32,
    pub first_child: u32,
    last_child: u32,
    /// The next child of the same parent.
    pub sibling: u32,
    pub first_attribute: u32,
    last_attribute: u32,
}

impl Entry {
    const fn new(tag: DwTag) -> Entry {
        Entry {
            tag,
            parent: NONE,
            first_child: NONE,
            last_child: NONE,
            sibling: NONE,
            first_attribute: NONE,
            last_attribute: NONE,
        }
    }

    /// Whether anything is in it.
    pub fn has_children(&self) -> bool {
        self.first_child != NONE
    }
}

/// Which form the list of names of a unit has, which linkers make an index of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dwarf) enum PublicNames {
    Plain,
    /// With what each name stands for.
    Gnu,
}

/// Which part of a unit stands in which file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// All of it in the object.
    Whole,
    /// What the object has of a unit whose entries are in another file.
    Skeleton,
    /// What the other file has.
    Split,
}

/// What a unit of a type has besides others.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnType {
    pub signature: u64,
    /// The number of its entry.
    pub entry: u32,
    /// The unit whose line program names the files.
    pub lines: usize,
}

/// A unit of compilation, or of a type.
#[derive(Debug)]
pub(in crate::dwarf) struct Unit {
    /// Its place among all units.
    number: u32,
    pub encoding: Encoding,
    pub line_program: LineProgram,
    pub(super) half: Half,
    /// What it is the unit of, if that is a type.
    pub(super) own_type: Option<OwnType>,
    /// Whether the index of names has its entries.
    pub is_indexed: bool,
    /// How its names are listed for linkers that make an index, if they are.
    pub public_names: Option<PublicNames>,
    pub macros: Vec<Macro>,
    /// Where its code and data are and how many bytes, for the table of addresses.
    pub addresses: Vec<(Address, u64)>,
    pub(super) entries: Vec<Entry>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) ranges: Lists<Range>,
    pub(super) locations: Lists<Location>,
}

impl Unit {
    /// A unit with its root, which is to stand at a place among all units.
    pub fn new(number: usize, encoding: Encoding, line_program: LineProgram) -> Unit {
        Unit {
            number: number as u32,
            encoding,
            line_program,
            half: Half::Whole,
            own_type: None,
            is_indexed: false,
            public_names: None,
            macros: Vec::new(),
            addresses: Vec::new(),
            entries: vec![Entry::new(dw::DW_TAG_compile_unit)],
            attributes: Vec::new(),
            ranges: Lists::default(),
            locations: Lists::default(),
        }
    }

    /// A unit of a type, whose files another unit has.
    pub fn of_type(number: usize, encoding: Encoding, files: LineProgram, signature: u64, lines: usize) -> Unit {
        let mut unit = Unit::new(number, encoding, files);
        unit.entries[ROOT as usize].tag = dw::DW_TAG_type_unit;
        unit.own_type = Some(OwnType {
            signature,
            entry: ROOT,
            lines,
        });
        unit
    }

    /// Makes room for so many more attributes.
    pub fn expect_attributes(&mut self, count: usize) {
        self.attributes.reserve(count);
    }

    /// What is to stay in the object of a unit, so far its root.
    pub(super) fn skeleton(of: &Unit, files: LineProgram) -> Unit {
        let mut unit = Unit::new(of.number as usize, of.encoding, files);
        if of.encoding.version >= 5 {
            unit.entries[ROOT as usize].tag = dw::DW_TAG_skeleton_unit;
        }
        unit.half = Half::Skeleton;
        unit
    }

    /// Takes an attribute away from an entry.
    pub(super) fn take(&mut self, entry: u32, name: DwAt) -> Option<Value> {
        let (mut before, mut at) = (NONE, self.entries[entry as usize].first_attribute);
        while at != NONE && self.attributes[at as usize].name != name {
            (before, at) = (at, self.attributes[at as usize].next);
        }
        let taken = self.attributes.get(at as usize)?;
        let (value, next) = (taken.value.clone(), taken.next);
        match before {
            NONE => self.entries[entry as usize].first_attribute = next,
            before => self.attributes[before as usize].next = next,
        }
        if next == NONE {
            self.entries[entry as usize].last_attribute = before;
        }
        Some(value)
    }

    /// Says which entry is the one of the type that the unit is of.
    pub fn set_own_type(&mut self, entry: EntryId) {
        debug_assert!(self.has(entry), "an entry of this unit");
        if let Some(own) = &mut self.own_type {
            own.entry = entry.number;
        }
    }

    /// The entry of the unit itself.
    pub fn root(&self) -> EntryId {
        EntryId {
            unit: self.number,
            number: ROOT,
        }
    }

    /// Whether an entry is one of this unit.
    pub(super) fn has(&self, entry: EntryId) -> bool {
        entry.unit == self.number
    }

    /// Whether any attribute or macro names a file.
    pub(super) fn names_files(&self) -> bool {
        let mut values = self.attributes.iter().map(|attribute| &attribute.value);
        !self.macros.is_empty() || values.any(|value| matches!(value, Value::File(_)))
    }

    /// Adds an entry as the last child of another.
    pub fn add(&mut self, parent: EntryId, tag: DwTag) -> EntryId {
        let entry = self.reserve();
        self.add_reserved(entry, parent, tag);
        entry
    }

    /// An entry that is to be added later, and can be named.
    pub fn reserve(&mut self) -> EntryId {
        let entry = EntryId {
            unit: self.number,
            number: self.entries.len() as u32,
        };
        self.entries.push(Entry::new(dw::DW_TAG_null));
        entry
    }

    /// Adds a reserved entry as the last child of another.
    pub fn add_reserved(&mut self, entry: EntryId, parent: EntryId, tag: DwTag) {
        debug_assert!(
            entry.unit == self.number && parent.unit == self.number,
            "entries of this unit"
        );
        let (number, parent) = (entry.number, parent.number);
        let Entry { last_child, .. } = self.entries[parent as usize];
        match last_child {
            NONE => self.entries[parent as usize].first_child = number,
            last => self.entries[last as usize].sibling = number,
        }
        self.entries[parent as usize].last_child = number;
        let data = &mut self.entries[number as usize];
        (data.tag, data.parent) = (tag, parent);
    }

    /// Gives an attribute to an entry, in place of one of the same name. The end of code is its length.
    pub fn set(&mut self, entry: EntryId, name: DwAt, value: Value) {
        let value = match value {
            Value::Unsigned(length) if name == dw::DW_AT_high_pc && self.encoding.version < 4 => {
                self.end_address(entry, length)
            }
            value => value,
        };
        debug_assert_eq!(entry.unit, self.number, "an entry of this unit");
        let own = entry.number as usize;
        let data = self.entries[own];
        let mut at = data.first_attribute;
        while at != NONE {
            let attribute = &mut self.attributes[at as usize];
            if attribute.name == name {
                attribute.value = value;
                return;
            }
            at = attribute.next;
        }
        let number = self.attributes.len() as u32;
        self.attributes.push(Attribute {
            name,
            value,
            next: NONE,
        });
        match data.last_attribute {
            NONE => self.entries[own].first_attribute = number,
            last => self.attributes[last as usize].next = number,
        }
        self.entries[own].last_attribute = number;
    }

    /// Gives the unit's own entry another attribute, before the first of some that it may have. In the order of `llc`,
    /// readers that do not know all forms of version 5 find its lines, such as valgrind 3.19: they lose their place at
    /// the first address.
    pub fn set_before(&mut self, followers: &[DwAt], name: DwAt, value: Value) {
        let before = |unit: &Unit, wanted: &dyn Fn(u32) -> bool| {
            let (mut previous, mut at) = (NONE, unit.entries[ROOT as usize].first_attribute);
            while at != NONE && !wanted(at) {
                (previous, at) = (at, unit.attributes[at as usize].next);
            }
            (previous, at)
        };
        let (previous, follower) = before(self, &|at| followers.contains(&self.attributes[at as usize].name));
        self.set(self.root(), name, value);
        if follower == NONE {
            return;
        }
        let added = self.entries[ROOT as usize].last_attribute;
        debug_assert_eq!(
            self.attributes[added as usize].name, name,
            "a new attribute is the last one"
        );
        let (last, _) = before(self, &|at| at == added);
        self.attributes[last as usize].next = NONE;
        self.attributes[added as usize].next = follower;
        let root = &mut self.entries[ROOT as usize];
        root.last_attribute = last;
        match previous {
            NONE => root.first_attribute = added,
            _ => self.attributes[previous as usize].next = added,
        }
    }

    /// The end of code before version 4, which has an address for it (DWARF 3, section 2.17.2).
    fn end_address(&self, entry: EntryId, length: u64) -> Value {
        let start = self
            .attributes_of(entry.number)
            .find_map(|attribute| match attribute.value {
                Value::Address(address) if attribute.name == dw::DW_AT_low_pc => Some(address),
                _ => None,
            });
        match start {
            Some(address) => Value::Address(Address {
                addend: address.addend.wrapping_add(length.cast_signed()),
                ..address
            }),
            None => Value::Unsigned(length),
        }
    }

    /// Adds a list of ranges; returns its number.
    pub fn add_ranges(&mut self, list: Vec<Range>) -> Value {
        Value::Ranges(self.ranges.insert_full(list).0 as u32)
    }

    /// Adds a list of locations; returns its number.
    pub fn add_locations(&mut self, list: Vec<Location>) -> Value {
        Value::Locations(self.locations.insert_full(list).0 as u32)
    }

    /// The attributes of an entry.
    pub(super) fn attributes_of(&self, entry: u32) -> impl Iterator<Item = &Attribute> {
        let first = self.entries[entry as usize].first_attribute;
        let at = |number: u32| self.attributes.get(number as usize);
        std::iter::successors(at(first), move |attribute| at(attribute.next))
    }

    /// The numbers of lists of ranges and of locations, of which there are so many, in the order in which entries of
    /// the file mention them.
    pub(super) fn mentioned_lists(&self, counts: [usize; 2]) -> [Vec<u32>; 2] {
        let mut orders = counts.map(Vec::with_capacity);
        let mut is_seen = counts.map(|count| vec![false; count]);
        let mut add = |kind: usize, number: u32| {
            if !std::mem::replace(&mut is_seen[kind][number as usize], true) {
                orders[kind].push(number);
            }
        };
        let mut next = Some(ROOT);
        while let Some(entry) = next {
            for attribute in self.attributes_of(entry) {
                match attribute.value {
                    Value::Ranges(number) => add(0, number),
                    Value::Locations(number) => add(1, number),
                    _ => {}
                }
            }
            next = self.after(entry).0;
        }
        // Entries that were left out have lists, too.
        for (kind, count) in counts.into_iter().enumerate() {
            (0..count as u32).for_each(|number| add(kind, number));
        }
        orders
    }

    /// The entry after another in the order of the file, and how many lists of children end between both; `None` after
    /// the last one, with the number of lists that end there.
    pub(super) fn after(&self, entry: u32) -> (Option<u32>, u32) {
        let data = &self.entries[entry as usize];
        if data.first_child != NONE {
            return (Some(data.first_child), 0);
        }
        let (mut at, mut ended) = (entry, 0);
        while at != NONE {
            let data = &self.entries[at as usize];
            if data.sibling != NONE {
                return (Some(data.sibling), ended);
            }
            ended += 1;
            at = data.parent;
        }
        // The root is in no list.
        (None, ended - 1)
    }
}
