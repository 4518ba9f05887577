//! The metadata of a module that says something of its code: module flags, texts for tools, attachments of symbols.
//!
//! LLVM writes an index of its metadata when there is much of it; it is followed to the named nodes at the end
//! of the block, so that debug information costs nothing but the index. Without index the few nodes are walked and
//! only their positions kept. Strings stand together in one record; up to LLVM 3.8, each is a record of its own, which
//! is numbered like a node. Up to LLVM 3.5, nodes consist of types and values, and metadata is a type.
//! [`super::attachments`] reads what is attached to functions and instructions.

use super::codes::metadata as code;
use super::types::{Kind, TypeId, TypeTable};
use crate::bitstream::block::{Block, Item};
use crate::bitstream::cursor::Cursor;
use crate::bitstream::record::Record;
use crate::error::{ReadError, ReadErrorKind};
use crate::limits;
use frazil_ir::included::RARE;
use std::ops::Range;

/// The named nodes that are read.
const NAMED_NODES: [&[u8]; 5] = [
    b"llvm.module.flags",
    b"llvm.ident",
    b"llvm.commandline",
    b"llvm.dependent-libraries",
    b"llvm.linker.options",
];

/// What the metadata block of a module says.
#[derive(Clone, Debug, Default)]
pub struct ModuleMetadata {
    pub flags: Vec<RawFlag>,
    /// The texts of `llvm.ident`, `llvm.commandline`, `llvm.dependent-libraries` and `llvm.linker.options`.
    pub texts: [Vec<Vec<u8>>; 4],
    /// What is attached to variables and to functions without bodies.
    pub attachments: Vec<RawAttachment>,
    /// Whether there is a node of one number or symbol, such as marks accesses as non-temporal; those of one function
    /// alone stand in a block of its own.
    pub has_single_values: bool,
    /// The number of the kind of attachments that marks accesses as non-temporal, if the module's metadata says it.
    non_temporal: Option<u64>,
    /// Whether there is anything but names of kinds, which up to LLVM 3.8 have a block of their own.
    pub has_nodes: bool,
    /// Whether there is debug information: a list of units of compilation.
    pub has_units: bool,
}

impl ModuleMetadata {
    /// Takes over what another block of the module says, up to LLVM 3.8 names of kinds. Returns whether that is all, or
    /// there was nothing else before.
    pub fn merge(&mut self, other: ModuleMetadata) -> bool {
        let is_alone = !self.has_nodes || !other.has_nodes;
        let non_temporal = other.non_temporal.or(self.non_temporal);
        if other.has_nodes {
            *self = other;
        }
        self.non_temporal = non_temporal;
        is_alone
    }

    /// The kind of attachments that marks accesses as non-temporal: its number is always the same from LLVM 3.4 on.
    pub fn non_temporal(&self) -> u64 {
        self.non_temporal.unwrap_or(kind::NON_TEMPORAL)
    }
}

/// Something attached to a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawAttachment {
    /// The value number of the symbol; of no meaning for the function that is read.
    pub value: u64,
    pub what: Attached,
}

/// What may be attached to a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attached {
    /// Part of the name of its section.
    SectionPrefix(Vec<u8>),
    /// It is no place, but a number in a range: constants by value number.
    Absolute(u64, u64),
    /// It is needed only with the symbol of this value number.
    Associated(u64),
    /// It is not loaded.
    Exclude,
    /// Two words stand before the function: constants by value number.
    TypeWords(u64, u64),
    /// A node of a kind that asks for something that is not supported.
    Unsupported(&'static str),
}

/// Numbers of kinds of attachments, the same in all versions of LLVM that know the kind.
mod kind {
    pub const NON_TEMPORAL: u64 = 9;
    pub const SECTION_PREFIX: u64 = 20;
    pub const ABSOLUTE_SYMBOL: u64 = 21;
    pub const ASSOCIATED: u64 = 22;
    pub const FUNC_SANITIZE: u64 = 32;
    pub const EXCLUDE: u64 = 33;
    pub const PC_SECTIONS: u64 = 37;
}

/// A module flag whose value is a constant, a text or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFlag {
    pub name: Vec<u8>,
    pub value: RawFlagValue,
}

/// The value of a module flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawFlagValue {
    /// The constant with this value number.
    Constant(u64),
    Text(Vec<u8>),
    /// Nodes, by number.
    List(Vec<u64>),
}

/// An operand has at most so many bits: numbers of metadata are far below 2 to the power of 35.
const MOST_OPERAND_BITS: u32 = 42;

/// Marks an operand of a node that is the number of a value, where others are numbers of metadata plus one.
const IS_VALUE: u64 = 1 << 63;

/// Where metadata stands, by number; strings that stand together come first.
#[derive(Debug)]
pub struct Places<'m> {
    /// The module's types.
    types: &'m TypeTable,
    /// In the block of a function: the module's metadata, whose numbers come first, and how many there are.
    outer: Option<Box<Outer<'m>>>,
    base: u64,
    strings: u64,
    /// The lengths of the strings, bytes of the input.
    lengths: Range<usize>,
    /// Their characters, bytes of the input.
    characters: Range<usize>,
    /// Bit positions of the records of the other metadata.
    records: Vec<u64>,
    /// Where the index begins to count.
    index_base: u64,
}

/// Reads the module's metadata block, which has just been entered.
///
/// # Errors
/// If the block is malformed. Nodes that are not as LLVM defines them are left out.
pub fn read_module(
    cursor: &mut Cursor<'_>,
    mut block: Block<'_>,
    record: &mut Record,
    types: &TypeTable,
) -> Result<ModuleMetadata, ReadError> {
    let mut places = Places::new(types);
    let mut non_temporal = None;
    let mut name = None;
    let mut has_units = false;
    let mut nodes: [Vec<u64>; NAMED_NODES.len()] = Default::default();
    let mut attachments = Vec::new();
    places.walk(cursor, &mut block, record, |record| match record.code() {
        code::NAME => {
            let text = record.text(0);
            has_units |= text == b"llvm.dbg.cu";
            name = NAMED_NODES.iter().position(|known| **known == *text);
        }
        code::KIND if record.text(1) == b"nontemporal" => non_temporal = record.operands().first().copied(),
        code::NAMED_NODE => {
            if let Some(list) = name.and_then(|name| nodes.get_mut(name)) {
                list.extend(record.operands());
            }
        }
        code::GLOBAL_ATTACHMENT => {
            if let [value, pairs @ ..] = record.operands() {
                let wanted = pairs.chunks_exact(2).filter(|pair| is_wanted(pair));
                attachments.extend(wanted.filter_map(|pair| Some((*value, *pair.first()?, *pair.get(1)?))));
            }
        }
        _ => {}
    })?;
    let mut found = ModuleMetadata {
        has_single_values: places.has_single_value(cursor, &mut block, record)?,
        has_units,
        non_temporal,
        has_nodes: places.strings > 0 || !places.records.is_empty(),
        ..ModuleMetadata::default()
    };
    let [flags, mut texts @ ..] = nodes;
    for node in flags.into_iter().take(limits::MODULE_FLAGS) {
        let flag = places.flag(node, cursor, &mut block, record)?;
        // What LLVM up to 4 says to linkers.
        if let Some(RawFlag { name, value }) = &flag
            && let (b"Linker Options", RawFlagValue::List(list), [.., options]) = (name.as_slice(), value, &mut texts)
            && options.is_empty()
        {
            options.extend(list);
        }
        found.flags.extend(flag);
    }
    for (list, nodes) in found.texts.iter_mut().zip(texts) {
        for node in nodes.into_iter().take(limits::MODULE_FLAGS) {
            list.extend(places.texts(node, cursor, &mut block, record)?);
        }
    }
    for (value, kind, node) in attachments {
        let what = places.attached(kind, node, cursor, &mut block, record)?;
        found.attachments.extend(what.map(|what| RawAttachment { value, what }));
    }
    Ok(found)
}

/// Whether a record is a node of operands. Whether it is another than a node of the same operands does not matter.
pub fn is_node(record: &Record) -> bool {
    matches!(record.code(), code::NODE | code::DISTINCT_NODE | code::NODE_OLD)
}

/// Whether a node has a single operand, as marks of accesses have.
pub fn is_single(record: &Record) -> bool {
    match record.code() {
        code::NODE_OLD => record.operands().len() == 2,
        _ => is_node(record) && record.operands().len() == 1,
    }
}

/// Whether a kind and node are an attachment that matters to symbols.
pub fn is_wanted(pair: &[u64]) -> bool {
    let kinds = [
        kind::SECTION_PREFIX,
        kind::ABSOLUTE_SYMBOL,
        kind::ASSOCIATED,
        kind::EXCLUDE,
        kind::FUNC_SANITIZE,
        kind::PC_SECTIONS,
    ];
    pair.first().is_some_and(|kind| kinds.contains(kind))
}

/// The module's metadata, kept from function to function.
pub type Outer<'m> = (Places<'m>, Block<'m>);

impl<'m> Places<'m> {
    /// Places in the block of a module, or of a function of a module without metadata.
    pub fn new(types: &'m TypeTable) -> Places<'m> {
        Places {
            types,
            outer: None,
            base: 0,
            strings: 0,
            lengths: 0..0,
            characters: 0..0,
            records: Vec::new(),
            index_base: 0,
        }
    }

    /// Places in the block of a function, with the module's.
    pub fn within(outer: Box<Outer<'m>>) -> Places<'m> {
        Places {
            base: outer.0.strings.saturating_add(outer.0.records.len() as u64),
            ..Places::new(outer.0.types)
        }
        .with(outer)
    }

    fn with(mut self, outer: Box<Outer<'m>>) -> Places<'m> {
        self.outer = Some(outer);
        self
    }

    /// How much metadata the module has: the number of the function's first.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Gives the module's back.
    pub fn into_outer(self) -> Option<Box<Outer<'m>>> {
        self.outer
    }

    /// Walks over a block to its end, notes where metadata is, and shows the records that are none.
    pub fn walk(
        &mut self,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
        mut show: impl FnMut(&Record),
    ) -> Result<(), ReadError> {
        loop {
            match block.next(cursor, record)? {
                Item::End => return Ok(()),
                Item::Block(_) => continue,
                Item::Record => {}
            }
            match record.code() {
                code::STRINGS => self.set_strings(cursor, record)?,
                code::INDEX_OFFSET => self.follow_index(cursor, record)?,
                code::INDEX => self.set_index(record),
                code::NAME | code::NAMED_NODE | code::GLOBAL_ATTACHMENT | code::KIND => show(record),
                code::ARGUMENT_LIST => {}
                _ => self.records.push(record.start()),
            }
        }
    }

    /// Whether there is a node of a single operand that is a constant or a symbol. What is too long for that is passed
    /// over without a look.
    fn has_single_value(
        &mut self,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<bool, ReadError> {
        // An unabbreviated record of a code, a count and one operand.
        let longest = block.header().abbreviation_width + 6 + 6 + MOST_OPERAND_BITS;
        for index in 0..self.records.len() {
            let (Some(&position), next) = (self.records.get(index), self.records.get(index + 1)) else {
                break;
            };
            if next.is_some_and(|next| next.wrapping_sub(position) > u64::from(longest)) {
                continue;
            }
            if block.record_at(cursor, record, position)?
                && is_single(record)
                && let &[operand] = self.operands(record).as_slice()
                && self.value(operand, cursor, block, record)?.is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The value number that an operand of a node names, if it names one.
    fn value(
        &mut self,
        operand: u64,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<Option<u64>, ReadError> {
        if operand & IS_VALUE != 0 {
            return Ok(Some(operand ^ IS_VALUE));
        }
        let Some(id) = operand.checked_sub(1) else {
            return Ok(None);
        };
        if self.load(id, cursor, block, record)? && record.code() == code::VALUE {
            return Ok(Some(record.operand(1)?));
        }
        Ok(None)
    }

    /// The operands of a node.
    fn node(
        &mut self,
        id: u64,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<Vec<u64>, ReadError> {
        match self.load(id, cursor, block, record)? && is_node(record) {
            true => Ok(self.operands(record)),
            false => Ok(Vec::new()),
        }
    }

    /// The operands of a node: numbers of metadata plus one, or marked numbers of values.
    fn operands(&self, record: &Record) -> Vec<u64> {
        if record.code() != code::NODE_OLD {
            return record.operands().to_vec();
        }
        if !RARE {
            return Vec::new();
        }
        let operand = |pair: &[u64]| {
            let &[ty, number] = pair else { return 0 };
            match TypeId::try_from(ty).ok().and_then(|ty| self.types.kind(ty)) {
                Some(Kind::Metadata) => number.saturating_add(1) & !IS_VALUE,
                Some(Kind::Void) | None => 0,
                Some(_) => number | IS_VALUE,
            }
        };
        record.operands().chunks_exact(2).map(operand).collect()
    }

    /// The texts of a node.
    pub fn texts(
        &mut self,
        id: u64,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<Vec<Vec<u8>>, ReadError> {
        let mut texts = Vec::new();
        for operand in self.node(id, cursor, block, record)? {
            texts.extend(self.text(operand, cursor, block, record)?);
        }
        Ok(texts)
    }

    /// What a node of a kind attaches to a symbol; nothing if it is not as LLVM defines it.
    pub fn attached(
        &mut self,
        kind: u64,
        node: u64,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<Option<Attached>, ReadError> {
        let operands = self.node(node, cursor, block, record)?;
        Ok(match (kind, operands.as_slice()) {
            (kind::SECTION_PREFIX, &[_, text]) => {
                let text = self.text(text, cursor, block, record)?;
                text.map(Attached::SectionPrefix)
            }
            (kind::ABSOLUTE_SYMBOL, &[low, high]) => {
                let low = self.value(low, cursor, block, record)?;
                let high = self.value(high, cursor, block, record)?;
                low.zip(high).map(|(low, high)| Attached::Absolute(low, high))
            }
            (kind::ASSOCIATED, &[symbol]) => self.value(symbol, cursor, block, record)?.map(Attached::Associated),
            (kind::EXCLUDE, _) => Some(Attached::Exclude),
            (kind::FUNC_SANITIZE, &[first, second]) => {
                let first = self.value(first, cursor, block, record)?;
                let second = self.value(second, cursor, block, record)?;
                first
                    .zip(second)
                    .map(|(first, second)| Attached::TypeWords(first, second))
            }
            (kind::PC_SECTIONS, _) => Some(Attached::Unsupported("pcsections")),
            _ => None,
        })
    }

    fn set_strings(&mut self, cursor: &Cursor<'_>, record: &Record) -> Result<(), ReadError> {
        let blob = record.blob();
        let offset = record.operand(1)?;
        if offset > blob.len() as u64 {
            return Err(record.malformed(format!("metadata strings begin at byte {offset} of {}", blob.len())));
        }
        let middle = blob.start + offset as usize;
        self.strings = record.operand(0)?;
        self.lengths = blob.start..middle;
        self.characters = middle..blob.end.min(cursor.bytes().len());
        Ok(())
    }

    /// Goes to the index record; the offset is from the end of the record that holds it.
    fn follow_index(&mut self, cursor: &mut Cursor<'_>, record: &Record) -> Result<(), ReadError> {
        let offset = (record.operand(0)? & 0xffff_ffff) | record.operand(1)? << 32;
        self.index_base = cursor.position();
        match cursor.position().checked_add(offset) {
            Some(position) if position <= cursor.end() => {
                cursor.seek(position);
                Ok(())
            }
            _ => {
                let message = format!("the metadata index is said to be {offset} bits further on, beyond its block");
                Err(ReadError::new(ReadErrorKind::Truncated, record.start(), message))
            }
        }
    }

    /// The index has the distance of each record from the one before.
    fn set_index(&mut self, record: &Record) {
        let distances = record.operands().iter();
        self.records.clear();
        self.records
            .extend(distances.scan(self.index_base, |position, &distance| {
                *position = position.wrapping_add(distance);
                Some(*position)
            }));
    }

    /// The record of a node or constant, if `id` is not a string.
    fn load(
        &mut self,
        id: u64,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<bool, ReadError> {
        if let (Some(outer), true) = (&mut self.outer, id < self.base) {
            let (places, block) = &mut **outer;
            return places.load(id, cursor, block, record);
        }
        let index = id
            .checked_sub(self.base.saturating_add(self.strings))
            .and_then(|index| usize::try_from(index).ok());
        match index.and_then(|index| self.records.get(index)) {
            Some(&position) => block.record_at(cursor, record, position),
            None => Ok(false),
        }
    }

    /// A flag: a node of its behavior, its name and its value; operands of nodes are numbers plus one.
    fn flag(
        &mut self,
        node: u64,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<Option<RawFlag>, ReadError> {
        let &[_, name, value] = self.node(node, cursor, block, record)?.as_slice() else {
            return Ok(None);
        };
        let Some(name) = self.text(name, cursor, block, record)? else {
            return Ok(None);
        };
        let value = match self.text(value, cursor, block, record)? {
            Some(text) => Some(RawFlagValue::Text(text)),
            None => match self.value(value, cursor, block, record)? {
                Some(number) => Some(RawFlagValue::Constant(number)),
                None => self.list(value, cursor, block, record)?.map(RawFlagValue::List),
            },
        };
        Ok(value.map(|value| RawFlag { name, value }))
    }

    /// The nodes that an operand of a node lists, if it names a node.
    fn list(
        &mut self,
        operand: u64,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<Option<Vec<u64>>, ReadError> {
        let Some(id) = operand.checked_sub(1) else {
            return Ok(None);
        };
        if !self.load(id, cursor, block, record)? || !is_node(record) {
            return Ok(None);
        }
        let nodes = self.operands(record).into_iter();
        Ok(Some(nodes.filter_map(|node| node.checked_sub(1)).collect()))
    }

    /// The text that an operand of a node names, if it names one.
    fn text(
        &mut self,
        operand: u64,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<Option<Vec<u8>>, ReadError> {
        match operand.checked_sub(1) {
            Some(id) => self.string(id, cursor, block, record),
            None => Ok(None),
        }
    }

    /// The string with this number, if it is one.
    ///
    /// # Errors
    /// If its record is malformed.
    pub fn string(
        &mut self,
        id: u64,
        cursor: &mut Cursor<'_>,
        block: &mut Block<'_>,
        record: &mut Record,
    ) -> Result<Option<Vec<u8>>, ReadError> {
        if let (Some(outer), true) = (&mut self.outer, id < self.base) {
            let (places, block) = &mut **outer;
            return places.string(id, cursor, block, record);
        }
        let Some(index) = id.checked_sub(self.base) else {
            return Ok(None);
        };
        if index < self.strings {
            return Ok(self.listed_string(index, cursor));
        }
        let is_string = self.load(id, cursor, block, record)? && record.code() == code::STRING_OLD;
        Ok(is_string.then(|| record.text(0)))
    }

    /// One of the strings that stand together, by its place among them.
    fn listed_string(&self, id: u64, cursor: &Cursor<'_>) -> Option<Vec<u8>> {
        let mut lengths = cursor.slice(self.lengths.start as u64 * 8, self.lengths.end as u64 * 8);
        let mut start = self.characters.start as u64;
        for _ in 0..id {
            start = start.checked_add(lengths.vbr(6))?;
            lengths.check().ok()?;
        }
        let end = start.checked_add(lengths.vbr(6))?;
        if end > self.characters.end as u64 {
            return None;
        }
        cursor.bytes().get(start as usize..end as usize).map(<[u8]>::to_vec)
    }
}
