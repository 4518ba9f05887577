//! A module, as far as dividing it depends on it: symbols, constants, types, names. Bodies are only found.

use crate::constants::Constants;
use crate::metadata::Metadata;
use crate::record::{LINKAGE, TYPE, alias, field, function, variable};
use crate::types::Types;
use frazil_frontend_pnacl::bitstream::block::{BLOCKINFO_ID, Block, BlockInfo, Item, SubBlock, next_top_level};
use frazil_frontend_pnacl::bitstream::cursor::Cursor;
use frazil_frontend_pnacl::bitstream::record::Record;
use frazil_frontend_pnacl::codes::{block as id, module as code, strings, symbols};
use frazil_frontend_pnacl::{ReadError, ReadErrorKind, wrapper};
use frazil_ir::Refusal;
use std::borrow::Cow;
use std::ops::Range;

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Variable,
    Function,
    Alias,
    Ifunc,
}

/// A symbol of the module; its number is that of its value.
#[derive(Clone, Debug)]
pub struct Symbol {
    pub kind: Kind,
    pub is_defined: bool,
    /// Where its name is among [`Source::names`].
    pub name: Range<usize>,
    pub ty: u64,
    pub linkage: u64,
    /// The convention of a function.
    pub convention: u64,
    /// The numbers of comdat and section; 0 without.
    pub comdat: u64,
    pub section: u64,
    /// What it is made of, as numbers of values plus one, or 0: the initializer, what an alias names, or personality,
    /// prefix and prologue of a function.
    pub values: [u64; 3],
    /// Whether nobody can tell copies of it from it, if only its contents is plain.
    pub has_no_identity: bool,
    /// The body of a function.
    pub body: Option<SubBlock>,
}

/// What was read of a module.
#[derive(Debug)]
pub struct Source<'a> {
    /// All of the stream.
    pub stream: Cursor<'a>,
    pub identification: Option<SubBlock>,
    pub module: SubBlock,
    /// Version of the module's records: from 2 on, names are in a string table.
    pub version: u64,
    /// Names of symbols, those of a string table first.
    pub names: Cow<'a, [u8]>,
    pub block_info: BlockInfo,
    pub types: Types,
    pub symbols: Vec<Symbol>,
    pub constants: Constants,
    pub metadata: Metadata,
    /// Assembly of the module itself.
    pub assembly: Vec<u8>,
    /// Names of sections.
    pub sections: Vec<Vec<u8>>,
    /// The word before the first block, from which places in the file are counted.
    first_word: u64,
}

/// The version of module records since which names are in a string table.
const WITH_STRING_TABLE: u64 = 2;

impl<'a> Source<'a> {
    /// Reads a module.
    ///
    /// # Errors
    /// If the bytes are not one module of LLVM bitcode, malformed, or of a version that cannot be divided.
    pub fn open(bytes: &'a [u8]) -> Result<Source<'a>, ReadError> {
        let mut cursor = wrapper::open(bytes)?;
        let stream = cursor.clone();
        let mut source: Option<Source<'a>> = None;
        let mut identification = None;
        let mut has_strings = false;
        while let Some(header) = next_top_level(&mut cursor)? {
            match (header.id, &mut source) {
                (id::MODULE, Some(_)) => {
                    let message = "a second module in the file; expected one (extract one with llvm-modextract)";
                    return Err(ReadError::unsupported(Refusal::Bitcode, header.start, message));
                }
                (id::MODULE, none) => *none = Some(Source::new(&stream, identification, header)),
                (id::IDENTIFICATION, None) => identification = Some(header),
                (id::STRING_TABLE, Some(source)) if !has_strings => {
                    let after = cursor.position();
                    let table =
                        string_table(&mut cursor, &header).map_err(|error| error.within(id::name(header.id)))?;
                    source.names = Cow::Borrowed(bytes.get(table).unwrap_or_default());
                    has_strings = true;
                    cursor.seek(after);
                }
                _ => {}
            }
        }
        let Some(mut source) = source else {
            let message = "no module in the file";
            return Err(ReadError::new(ReadErrorKind::NotBitcode, cursor.position(), message));
        };
        source
            .read(stream)
            .map_err(|error| error.within(id::name(id::MODULE)))?;
        Ok(source)
    }

    fn new(stream: &Cursor<'a>, identification: Option<SubBlock>, module: SubBlock) -> Source<'a> {
        Source {
            stream: stream.clone(),
            identification,
            module,
            version: 0,
            names: Cow::Borrowed(&[]),
            block_info: BlockInfo::default(),
            types: Types::default(),
            symbols: Vec::new(),
            constants: Constants::default(),
            metadata: Metadata::default(),
            assembly: Vec::new(),
            sections: Vec::new(),
            first_word: stream.position(),
        }
    }

    /// Whether names are in a string table.
    pub fn has_string_table(&self) -> bool {
        self.version >= WITH_STRING_TABLE
    }

    /// How many values the module has: symbols, then constants.
    pub fn values(&self) -> usize {
        self.symbols.len() + self.constants.rows.len()
    }

    /// The name of a symbol; empty if it has none.
    pub fn name(&self, symbol: &Symbol) -> &[u8] {
        self.names.get(symbol.name.clone()).unwrap_or_default()
    }

    /// Fields of the record of a symbol, after its name.
    pub fn fields<'r>(&self, record: &'r Record) -> &'r [u64] {
        let from = if self.has_string_table() { 2 } else { 0 };
        record.operands().get(from..).unwrap_or_default()
    }

    fn read(&mut self, mut cursor: Cursor<'a>) -> Result<(), ReadError> {
        let mut record = Record::default();
        let header = self.module;
        let mut block = Block::enter(&mut cursor, &header, &[]);
        let mut bodies = Vec::new();
        let mut places = Vec::new();
        loop {
            match block.next(&mut cursor, &mut record)? {
                Item::End => break,
                Item::Record => self.record(&record)?,
                Item::Block(inner) if inner.id == id::FUNCTION => bodies.push(inner),
                Item::Block(inner) => {
                    let after = cursor.position();
                    self.inner(&mut cursor, &inner, &mut record, &mut places)
                        .map_err(|error| error.within(id::name(inner.id)))?;
                    cursor.seek(after);
                }
            }
        }
        if self.version == 0 {
            let message = "a module of an LLVM before 3.2, whose instructions name values by their numbers";
            return Err(ReadError::unsupported(Refusal::OldFormat, header.start, message));
        }
        let mut bodies = bodies.into_iter();
        let defined = |symbol: &&mut Symbol| symbol.kind == Kind::Function && symbol.is_defined;
        for symbol in self.symbols.iter_mut().filter(defined) {
            symbol.body = bodies.next();
            if symbol.body.is_none() {
                return Err(ReadError::malformed(
                    header.start,
                    "fewer function bodies than functions",
                ));
            }
        }
        if bodies.next().is_some() {
            return Err(ReadError::malformed(
                header.start,
                "more function bodies than functions",
            ));
        }
        self.check_places(&places)
    }

    /// Refuses files that have bodies elsewhere than their index says, by which LLVM finds them.
    fn check_places(&self, places: &[(u64, u64)]) -> Result<(), ReadError> {
        const WORD_BITS: u64 = 32;
        for &(value, words) in places {
            let symbol = usize::try_from(value).ok().and_then(|value| self.symbols.get(value));
            let body = symbol.and_then(|symbol| symbol.body);
            // A block begins with two words, and the words are counted from the one before the first block.
            let place = body.map(|body| body.start.wrapping_sub(self.first_word).wrapping_sub(WORD_BITS));
            if place != words.checked_mul(WORD_BITS) {
                let message = format!("value {value} is no function at word {words}, as the index of functions says");
                return Err(ReadError::malformed(self.module.start, message));
            }
        }
        Ok(())
    }

    fn record(&mut self, record: &Record) -> Result<(), ReadError> {
        match record.code() {
            code::VERSION => {
                self.version = record.operand(0)?;
                if !(1..=WITH_STRING_TABLE).contains(&self.version) {
                    let message = format!("module version {}; expected 1 or 2", self.version);
                    return Err(ReadError::unsupported(Refusal::OldFormat, record.start(), message));
                }
            }
            code::ASM => self.assembly.extend(record.text(0)),
            code::SECTION_NAME => self.sections.push(record.text(0)),
            code::GLOBAL_VARIABLE => self.add(record, Kind::Variable)?,
            code::FUNCTION => self.add(record, Kind::Function)?,
            code::ALIAS => self.add(record, Kind::Alias)?,
            code::IFUNC => self.add(record, Kind::Ifunc)?,
            code::ALIAS_OLD => {
                let message = "an alias of an LLVM before 3.8";
                return Err(ReadError::unsupported(Refusal::OldFormat, record.start(), message));
            }
            _ => {}
        }
        Ok(())
    }

    fn inner(
        &mut self,
        cursor: &mut Cursor<'a>,
        inner: &SubBlock,
        record: &mut Record,
        places: &mut Vec<(u64, u64)>,
    ) -> Result<(), ReadError> {
        let Source { block_info, types, .. } = self;
        match inner.id {
            BLOCKINFO_ID => block_info.read(cursor, inner),
            id::TYPES => {
                let block = Block::enter(cursor, inner, block_info.abbreviations(inner.id));
                types.read(cursor, block, record)
            }
            id::CONSTANTS => {
                let block = Block::enter(cursor, inner, block_info.abbreviations(inner.id));
                self.constants.read(cursor, block, record)
            }
            id::METADATA => {
                let enter = |cursor: &mut Cursor<'_>| Block::enter(cursor, inner, block_info.abbreviations(inner.id));
                self.metadata.read(cursor, enter, record)
            }
            id::VALUE_SYMBOLS => self.symbol_table(cursor, inner, record, places),
            _ => Ok(()),
        }
    }

    fn add(&mut self, record: &Record, kind: Kind) -> Result<(), ReadError> {
        if !self.constants.rows.is_empty() {
            return Err(record.malformed("a symbol after constants; expected all symbols before"));
        }
        let mut name = 0..0;
        if self.has_string_table() {
            let (start, length) = (record.operand(0)?, record.operand(1)?);
            let end = start.checked_add(length).filter(|&end| end <= self.names.len() as u64);
            let Some(end) = end else {
                return Err(record.malformed("a name that goes beyond the string table"));
            };
            name = start as usize..end as usize;
        }
        let fields = self.fields(record);
        // Every version has as many.
        const LEAST_FIELDS: usize = 4;
        if fields.len() < LEAST_FIELDS {
            let count = fields.len();
            let message = format!("a symbol's record has {count} fields; expected at least {LEAST_FIELDS}");
            return Err(record.malformed(message));
        }
        let at = |index| field(fields, index);
        let mut symbol = Symbol {
            kind,
            is_defined: true,
            name,
            ty: at(TYPE),
            linkage: at(LINKAGE),
            convention: 0,
            comdat: 0,
            section: 0,
            values: [0; 3],
            has_no_identity: false,
            body: None,
        };
        match kind {
            Kind::Variable => {
                symbol.values = [at(variable::INITIALIZER), 0, 0];
                symbol.is_defined = at(variable::INITIALIZER) != 0;
                symbol.comdat = at(variable::COMDAT);
                symbol.section = at(variable::SECTION);
                symbol.has_no_identity = at(variable::FLAGS) & variable::IS_CONSTANT != 0
                    && at(variable::UNNAMED) == variable::UNNAMED_ANYWHERE
                    && at(variable::THREAD_LOCAL) == 0
                    && symbol.comdat == 0
                    && symbol.section == 0;
            }
            Kind::Function => {
                symbol.is_defined = at(function::IS_DECLARATION) == 0;
                symbol.convention = at(function::CONVENTION);
                symbol.comdat = at(function::COMDAT);
                symbol.values = [at(function::PERSONALITY), at(function::PREFIX), at(function::PROLOGUE)];
            }
            Kind::Alias | Kind::Ifunc => symbol.values = [at(alias::TARGET).saturating_add(1), 0, 0],
        }
        self.symbols.push(symbol);
        Ok(())
    }

    /// Names of symbols in files without string table, and places of bodies.
    fn symbol_table(
        &mut self,
        cursor: &mut Cursor<'a>,
        inner: &SubBlock,
        record: &mut Record,
        places: &mut Vec<(u64, u64)>,
    ) -> Result<(), ReadError> {
        let mut block = Block::enter(cursor, inner, self.block_info.abbreviations(inner.id));
        loop {
            match block.next(cursor, record)? {
                Item::End => return Ok(()),
                Item::Block(_) => continue,
                Item::Record => {}
            }
            let name_at = match record.code() {
                symbols::ENTRY => 1,
                symbols::FUNCTION_ENTRY if self.has_string_table() => {
                    places.push((record.operand(0)?, record.operand(1)?));
                    continue;
                }
                symbols::FUNCTION_ENTRY => 2,
                _ => continue,
            };
            if self.has_string_table() {
                continue;
            }
            let value = record.operand(0)?;
            let symbol = usize::try_from(value)
                .ok()
                .and_then(|value| self.symbols.get_mut(value));
            let Some(symbol) = symbol else {
                return Err(record.malformed(format!("a name for value {value}, which is no symbol")));
            };
            let names = self.names.to_mut();
            let start = names.len();
            names.extend(record.text(name_at));
            symbol.name = start..names.len();
        }
    }
}

/// Which bytes of the input a string table is.
fn string_table(cursor: &mut Cursor<'_>, header: &SubBlock) -> Result<Range<usize>, ReadError> {
    let mut record = Record::default();
    let mut block = Block::enter(cursor, header, &[]);
    let mut table = 0..0;
    while let item @ (Item::Record | Item::Block(_)) = block.next(cursor, &mut record)? {
        if item == Item::Record && record.code() == strings::BLOB {
            table = record.blob();
        }
    }
    Ok(table)
}
