//! Writing one part: the module again, with the bodies and contents of what is in the part.
//!
//! All symbols and constants keep their numbers, so that bodies can be copied as they are: what is in another part is
//! declared. Left out is what holds places in the file (which readers find without) or describes the module as a whole
//! to optimizers of programs.

use crate::Split;
use crate::record::{DLL_EXPORT, HIDDEN, LINKAGE, TYPE, alias, clear, field, function, linkage, set, variable};
use crate::source::{Kind, Source, Symbol};
use frazil_frontend_pnacl::ReadError;
use frazil_frontend_pnacl::bitstream::block::{Block, FIRST_ABBREVIATION, Item, SubBlock};
use frazil_frontend_pnacl::bitstream::cursor::Cursor;
use frazil_frontend_pnacl::bitstream::record::Record;
use frazil_frontend_pnacl::bitstream::writer::Writer;
use frazil_frontend_pnacl::codes::{
    block as id, constants as constant, metadata, module as code, strings, symbols as symbol_code,
};
use std::ops::Range;

const MAGIC: &[u8] = b"BC\xc0\xde";

/// Bits of abbreviation ids in blocks that are made here.
const ID_WIDTH: u32 = 3;

/// How a record is written.
enum Written {
    AsItIs,
    Not,
    /// With this code and these operands.
    Changed(u64, Vec<u64>),
}

/// A part that is being written.
pub struct Part<'s, 'a> {
    split: &'s Split<'a>,
    source: &'s Source<'a>,
    part: u32,
    writer: Writer,
    /// How many symbols and bodies have been passed.
    symbols: usize,
}

impl<'s, 'a> Part<'s, 'a> {
    /// The bytes of a part.
    ///
    /// # Errors
    /// If something of the module cannot be written anew, which only a file that nobody writes has.
    pub fn write(split: &'s Split<'a>, part: u32) -> Result<Vec<u8>, ReadError> {
        let source = &split.source;
        let input = source.stream.bytes();
        let capacity = input.len() / split.parts as usize + input.len() / 8;
        let mut this = Part {
            split,
            source,
            part,
            writer: Writer::new(MAGIC, capacity),
            symbols: 0,
        };
        if let Some(block) = &source.identification {
            this.writer.copy_block(&source.stream, block);
        }
        this.module().map_err(|error| error.within(id::name(id::MODULE)))?;
        if source.has_string_table() {
            this.writer.begin_block(id::STRING_TABLE, ID_WIDTH);
            let names = [&source.names[..], &split.names.bytes];
            this.writer.blob_record(FIRST_ABBREVIATION, strings::BLOB, &names);
            this.writer.end_block();
        }
        Ok(this.writer.finish())
    }

    fn module(&mut self) -> Result<(), ReadError> {
        let mut cursor = self.source.stream.clone();
        let mut record = Record::default();
        let mut bodies = self
            .source
            .symbols
            .iter()
            .enumerate()
            .filter(|(_, symbol)| symbol.body.is_some());
        let header = self.source.module;
        let block = Block::enter(&mut cursor, &header, &[]);
        self.writer.begin_block(header.id, header.abbreviation_width);
        self.copy(&mut cursor, block, &mut record, &mut |this, cursor, item| {
            let inner = match item {
                Entry::Record(record) => return this.module_record(record),
                Entry::Block(inner) => inner,
            };
            match inner.id {
                id::FUNCTION => {
                    if bodies.next().is_some_and(|(symbol, _)| this.has(symbol)) {
                        this.writer.copy_block(cursor, inner);
                    }
                }
                id::CONSTANTS => this.constants(inner)?,
                id::METADATA => this.metadata(inner)?,
                id::VALUE_SYMBOLS if this.source.has_string_table() => {}
                id::VALUE_SYMBOLS => this.symbol_table(),
                id::USE_ORDERS | id::MODULE_PATHS | id::SUMMARY | id::FULL_SUMMARY => {}
                _ => this.writer.copy_block(cursor, inner),
            }
            Ok(Written::AsItIs)
        })?;
        self.writer.end_block();
        Ok(())
    }

    /// Copies what is in a block, its abbreviations included; records are written as `decide` says, which writes blocks
    /// itself.
    fn copy(
        &mut self,
        cursor: &mut Cursor<'a>,
        mut block: Block<'_>,
        record: &mut Record,
        decide: &mut dyn FnMut(&mut Self, &Cursor<'a>, Entry<'_>) -> Result<Written, ReadError>,
    ) -> Result<(), ReadError> {
        loop {
            let begin = cursor.position();
            let start = block.take_definitions(cursor)?;
            self.writer.copy(cursor, begin..start);
            match block.next(cursor, record)? {
                Item::End => return Ok(()),
                Item::Block(inner) => {
                    decide(self, cursor, Entry::Block(&inner))?;
                }
                Item::Record => match decide(self, cursor, Entry::Record(record))? {
                    Written::AsItIs => {
                        // A blob begins after the record does.
                        let has_blob = record.blob().start != 0;
                        self.writer.copy_record(cursor, start..cursor.position(), has_blob)?;
                    }
                    Written::Not => {}
                    Written::Changed(code, operands) => self.writer.record(code, &operands),
                },
            }
        }
    }

    fn has(&self, symbol: usize) -> bool {
        self.split.plan.is_in(symbol, self.part)
    }

    fn module_record(&mut self, record: &Record) -> Result<Written, ReadError> {
        Ok(match record.code() {
            code::SYMBOLS_OFFSET | code::HASH => Written::Not,
            code::ASM if self.part != 0 => Written::Not,
            code::GLOBAL_VARIABLE | code::FUNCTION | code::ALIAS | code::IFUNC => {
                let number = self.symbols;
                self.symbols += 1;
                match self.source.symbols.get(number) {
                    Some(symbol) => self.symbol(number, symbol, record),
                    None => Written::AsItIs,
                }
            }
            _ => Written::AsItIs,
        })
    }

    /// The record of a symbol.
    fn symbol(&self, number: usize, symbol: &Symbol, record: &Record) -> Written {
        let is_shared = self.split.plan.is_shared.get(number) == Some(&true);
        let is_exported = symbol.is_defined && is_shared && linkage::is_local(symbol.linkage);
        let is_here = symbol.is_defined && self.has(number);
        let mut fields = self.source.fields(record).to_vec();
        let mut code = record.code();
        if is_here {
            let kept = match is_exported {
                true => linkage::EXTERNAL,
                false if is_shared => linkage::kept(symbol.linkage),
                false => symbol.linkage,
            };
            set(&mut fields, LINKAGE, kept);
        } else if symbol.is_defined {
            (code, fields) = self.declaration(number, symbol, fields);
        }
        let (visibility, dso_local) = match code {
            code::GLOBAL_VARIABLE => (variable::VISIBILITY, variable::DSO_LOCAL),
            code::FUNCTION => (function::VISIBILITY, function::DSO_LOCAL),
            code::IFUNC => (alias::VISIBILITY, alias::IFUNC_DSO_LOCAL),
            _ => (alias::VISIBILITY, alias::DSO_LOCAL),
        };
        if !is_here && !self.split.plan.is_used(number, self.part) {
            // LLVM writes symbols that are hidden, and does not know the kind of those that nothing uses.
            clear(&mut fields, visibility);
        } else if is_exported {
            set(&mut fields, visibility, HIDDEN);
            set(&mut fields, dso_local, 1);
        }
        if code == record.code() && fields == self.source.fields(record) {
            return Written::AsItIs;
        }
        let operands = match self.source.has_string_table() {
            true => [self.name(number, symbol), fields].concat(),
            false => fields,
        };
        Written::Changed(code, operands)
    }

    /// Where in the string table the name of a symbol is in this part, and how long it is.
    fn name(&self, number: usize, symbol: &Symbol) -> Vec<u64> {
        let range = match self.new_name(number, symbol) {
            Some(range) => range.start + self.source.names.len()..range.end + self.source.names.len(),
            None => symbol.name.clone(),
        };
        vec![range.start as u64, range.len() as u64]
    }

    /// The new name of a symbol, if it has another one in this part.
    fn new_name(&self, number: usize, symbol: &Symbol) -> Option<Range<usize>> {
        let is_local = linkage::is_local(symbol.linkage);
        let is_exported = is_local && self.split.plan.is_shared.get(number) == Some(&true);
        let range = self.split.names.place(number)?;
        (is_exported || symbol.is_defined && !self.has(number)).then_some(range)
    }

    /// Code and fields of the declaration of a symbol.
    fn declaration(&self, number: usize, symbol: &Symbol, mut fields: Vec<u64>) -> (u64, Vec<u64>) {
        let storage = |index| {
            Some(field(&fields, index))
                .filter(|&storage| storage != DLL_EXPORT)
                .unwrap_or(0)
        };
        match symbol.kind {
            Kind::Variable => {
                let storage = storage(variable::DLL_STORAGE);
                set(&mut fields, variable::INITIALIZER, 0);
                set(&mut fields, LINKAGE, linkage::EXTERNAL);
                set(&mut fields, variable::DLL_STORAGE, storage);
                clear(&mut fields, variable::COMDAT);
                (code::GLOBAL_VARIABLE, fields)
            }
            Kind::Function => {
                let storage = storage(function::DLL_STORAGE);
                set(&mut fields, function::IS_DECLARATION, 1);
                set(&mut fields, LINKAGE, linkage::EXTERNAL);
                set(&mut fields, function::DLL_STORAGE, storage);
                for index in [
                    function::COLLECTOR,
                    function::PROLOGUE,
                    function::COMDAT,
                    function::PREFIX,
                    function::PERSONALITY,
                ] {
                    clear(&mut fields, index);
                }
                (code::FUNCTION, fields)
            }
            Kind::Alias | Kind::Ifunc => self.alias_declaration(number, symbol, &fields),
        }
    }

    /// An alias or ifunc of another part looks like what it stands for.
    fn alias_declaration(&self, number: usize, symbol: &Symbol, fields: &[u64]) -> (u64, Vec<u64>) {
        let is_ifunc = symbol.kind == Kind::Ifunc;
        let of_alias = |index| if is_ifunc { 0 } else { field(fields, index) };
        let dso_local = match is_ifunc {
            true => field(fields, alias::IFUNC_DSO_LOCAL),
            false => field(fields, alias::DSO_LOCAL),
        };
        let (visibility, space) = (field(fields, alias::VISIBILITY), field(fields, alias::SPACE));
        let mut made = Vec::new();
        if is_ifunc || self.source.types.is_function(symbol.ty) {
            set(&mut made, TYPE, symbol.ty);
            set(&mut made, function::CONVENTION, self.convention(number));
            set(&mut made, function::IS_DECLARATION, 1);
            set(&mut made, function::VISIBILITY, visibility);
            set(&mut made, function::UNNAMED, of_alias(alias::UNNAMED));
            set(&mut made, function::DSO_LOCAL, dso_local);
            set(&mut made, function::SPACE, space);
            return (code::FUNCTION, made);
        }
        set(&mut made, TYPE, symbol.ty);
        let flags = variable::HAS_OWN_TYPE | space << variable::SPACE_SHIFT;
        set(&mut made, variable::FLAGS, flags);
        set(&mut made, variable::VISIBILITY, visibility);
        set(&mut made, variable::THREAD_LOCAL, of_alias(alias::THREAD_LOCAL));
        set(&mut made, variable::UNNAMED, of_alias(alias::UNNAMED));
        set(&mut made, variable::DSO_LOCAL, dso_local);
        (code::GLOBAL_VARIABLE, made)
    }

    /// The calling convention of the function that an alias stands for.
    fn convention(&self, alias: usize) -> u64 {
        /// Casts and aliases on the way.
        const MOST_STEPS: usize = 64;
        let mut node = alias;
        for _ in 0..MOST_STEPS {
            match self.source.symbols.get(node) {
                Some(symbol) if symbol.kind == Kind::Function => return symbol.convention,
                _ => {}
            }
            match self.split.graph.edges(node).first() {
                Some(&next) => node = next as usize,
                None => break,
            }
        }
        0
    }

    /// Addresses of blocks of functions that are not here are nothing here.
    fn constants(&mut self, inner: &SubBlock) -> Result<(), ReadError> {
        if !self.split.has_block_addresses {
            self.writer.copy_block(&self.source.stream, inner);
            return Ok(());
        }
        self.rewrite(inner, &mut |this, record| {
            if record.code() == constant::BLOCK_ADDRESS {
                let function = usize::try_from(record.operand(1)?).unwrap_or(usize::MAX);
                if !this.has(function) {
                    return Ok(Written::Changed(constant::NULL, Vec::new()));
                }
            }
            Ok(Written::AsItIs)
        })
    }

    /// What is attached to variables that are not here is left out.
    fn metadata(&mut self, inner: &SubBlock) -> Result<(), ReadError> {
        let is_left_out = |this: &Self, symbol: u64| {
            let symbol = usize::try_from(symbol).unwrap_or(usize::MAX);
            let is_defined = this.source.symbols.get(symbol).is_some_and(|symbol| symbol.is_defined);
            is_defined && !this.has(symbol)
        };
        let attached = &self.source.metadata.attached;
        if !attached.iter().any(|&symbol| is_left_out(self, symbol)) {
            self.writer.copy_block(&self.source.stream, inner);
            return Ok(());
        }
        let mut has_changed = false;
        self.rewrite(inner, &mut |this, record| {
            if record.code() == metadata::GLOBAL_ATTACHMENT && is_left_out(this, record.operand(0)?) {
                has_changed = true;
                return Ok(Written::Not);
            }
            // It has distances from itself to records.
            if has_changed && matches!(record.code(), metadata::INDEX | metadata::INDEX_OFFSET) {
                return Err(record.malformed("an index of metadata after attachments; expected it before"));
            }
            Ok(Written::AsItIs)
        })
    }

    /// Writes a block whose records may change.
    fn rewrite(
        &mut self,
        inner: &SubBlock,
        decide: &mut dyn FnMut(&Self, &Record) -> Result<Written, ReadError>,
    ) -> Result<(), ReadError> {
        let mut cursor = self.source.stream.clone();
        let block = Block::enter(&mut cursor, inner, self.source.block_info.abbreviations(inner.id));
        self.writer.begin_block(inner.id, inner.abbreviation_width);
        self.copy(
            &mut cursor,
            block,
            &mut Record::default(),
            &mut |this, cursor, item| match item {
                Entry::Record(record) => decide(this, record),
                Entry::Block(inner) => {
                    this.writer.copy_block(cursor, inner);
                    Ok(Written::AsItIs)
                }
            },
        )
        .map_err(|error| error.within(id::name(inner.id)))?;
        self.writer.end_block();
        Ok(())
    }

    /// Names of symbols, in files without a string table.
    fn symbol_table(&mut self) {
        self.writer.begin_block(id::VALUE_SYMBOLS, ID_WIDTH);
        for (number, symbol) in self.source.symbols.iter().enumerate() {
            let name = match self.new_name(number, symbol) {
                Some(range) => self.split.names.bytes.get(range).unwrap_or_default(),
                None => self.source.name(symbol),
            };
            if !name.is_empty() {
                let characters = name.iter().map(|&byte| u64::from(byte));
                let operands: Vec<u64> = std::iter::once(number as u64).chain(characters).collect();
                self.writer.record(symbol_code::ENTRY, &operands);
            }
        }
        self.writer.end_block();
    }
}

/// What is found in a block.
enum Entry<'r> {
    Record(&'r Record),
    Block(&'r SubBlock),
}
