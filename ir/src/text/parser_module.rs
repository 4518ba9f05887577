//! Parses what stands outside of functions.
//!
//! A first walk over the tokens gives every symbol, function and data definition its number, so that the second
//! walk, which builds, can resolve names that stand later.

use super::ParseError;
use super::lexer::{Lexer, Token};
use super::names::{
    COMDAT_SELECTIONS, FRAME_POINTERS, GUARD_PLACES, LINKAGES, STACK_PROTECTORS, TLS_MODELS, VISIBILITIES, variant_of,
};
use super::parser::{Parsed, Parser};
use super::printer_debug::node_number;
use crate::constant::ConstView;
use crate::entities::{ConstId, DataId, FuncId, SymbolId};
use crate::function::Function;
use crate::module::{
    Attachments, ComdatData, DataDef, DataRelocation, FunctionHead, InitEntry, Module, RelocationTarget, SymbolData,
    SymbolKind,
};
use crate::refusal::Refusal;
use frazil_support::EntityRef;
use typed_arena::Arena;

/// The most zero bytes that `zero` items of one module may ask for.
const MOST_ZEROS: u64 = 64 << 20;

/// Parses a module with its function bodies, in the order of the bodies.
///
/// # Errors
/// The first thing that is wrong. Rules of the IR that the verifier checks are not checked here.
pub fn parse_module(source: &str) -> Result<(Module, Vec<Function>), ParseError> {
    let resolved = Arena::new();
    let mut parser = Parser::new(source, &resolved)?;
    let mut names = NameWalk::default();
    names.walk(&mut parser, Lexer::new(source, &resolved))?;
    let mut builder = ModuleParser {
        parser,
        functions: Vec::new(),
        listed: vec![false; names.count],
        zeros: 0,
    };
    builder.items()?;
    let (mut module, mut functions) = (builder.parser.module, builder.functions);
    note_block_addresses(&mut module, &mut functions);
    Ok((module, functions))
}

/// Says of each function whether addresses of its blocks are taken, elsewhere too.
fn note_block_addresses(module: &mut Module, functions: &mut [Function]) {
    let mut named = Vec::new();
    for relocation in &module.relocations {
        for target in [Some(relocation.target), relocation.minus].into_iter().flatten() {
            if let RelocationTarget::Block(function, _) = target {
                named.push(function);
            }
        }
    }
    for function in functions.iter() {
        for index in 0..function.consts.len() {
            if let ConstView::BlockAddress(symbol, _) = function.constant(ConstId::new(index)).1
                && let SymbolKind::Function(id) = module.symbols[symbol].kind
                && function.symbol != Some(symbol)
            {
                named.push(id);
            }
        }
    }
    for id in named {
        module.functions[id].has_block_addresses = true;
        if let Some(function) = functions.get_mut(id.index()) {
            function.has_block_addresses = true;
        }
    }
}

/// Whether a word begins an attachment of a symbol.
pub(super) fn is_attachment(word: &str) -> bool {
    let words = [
        "section_prefix",
        "associated",
        "excluded",
        "absolute",
        "type_words",
        "sections_by_kind",
    ];
    words.contains(&word)
}

/// The first walk: numbers symbols and definitions.
#[derive(Default)]
struct NameWalk {
    count: usize,
    data: usize,
    functions: usize,
}

impl NameWalk {
    fn walk<'s>(&mut self, parser: &mut Parser<'s>, mut lexer: Lexer<'s>) -> Parsed<()> {
        let mut depth = 0u32;
        let mut at_start = true;
        let mut item = None;
        loop {
            lexer.skip_blanks();
            let place = lexer.clone();
            let token = lexer.token()?;
            let after = item.take();
            match token {
                Token::End => return Ok(()),
                Token::LineEnd => {
                    at_start = true;
                    continue;
                }
                Token::Mark("{") => depth += 1,
                Token::Mark("}") => depth = depth.saturating_sub(1),
                Token::Word(word @ ("symbol" | "data" | "func")) if at_start && depth == 0 => item = Some(word),
                Token::Symbol(name) if let Some(item) = after => self.name(parser, item, name, &place)?,
                Token::SymbolNumber(number) if let Some(item) = after => {
                    self.number(parser, item, number as usize, &place)?;
                }
                _ => {}
            }
            at_start = false;
        }
    }

    fn name<'s>(&mut self, parser: &mut Parser<'s>, item: &str, name: &'s [u8], place: &Lexer<'_>) -> Parsed<()> {
        let id = match parser.symbols.get(name) {
            Some(&id) => id,
            None => {
                let text = parser.module.strings.add(name);
                let id = parser.module.symbols.push(SymbolData {
                    name: text,
                    ..SymbolData::default()
                });
                parser.symbols.insert(name, id);
                self.count += 1;
                id
            }
        };
        self.define(parser, item, id, place)
    }

    /// A nameless symbol: its number must be the next one where it stands first.
    fn number(&mut self, parser: &mut Parser<'_>, item: &str, number: usize, place: &Lexer<'_>) -> Parsed<()> {
        if number == self.count {
            parser.module.symbols.push(SymbolData::default());
            self.count += 1;
        }
        if number >= self.count {
            return Err(place.error(format!("the next symbol is @#{}", self.count)));
        }
        self.define(parser, item, SymbolId::new(number), place)
    }

    fn define(&mut self, parser: &mut Parser<'_>, item: &str, id: SymbolId, place: &Lexer<'_>) -> Parsed<()> {
        let kind = &mut parser.module.symbols[id].kind;
        if item == "symbol" {
            return Ok(());
        }
        if *kind != SymbolKind::FunctionDeclaration {
            return Err(place.error("this symbol is defined twice"));
        }
        if item == "func" {
            *kind = SymbolKind::Function(FuncId::new(self.functions));
            parser.module.functions.push(FunctionHead::new(id));
            self.functions += 1;
        } else {
            *kind = SymbolKind::Data(DataId::new(self.data));
            self.data += 1;
        }
        Ok(())
    }
}

/// The second walk.
struct ModuleParser<'s> {
    parser: Parser<'s>,
    functions: Vec<Function>,
    listed: Vec<bool>,
    zeros: u64,
}

impl ModuleParser<'_> {
    fn items(&mut self) -> Parsed<()> {
        loop {
            self.parser.skip_line_ends()?;
            if self.parser.token == Token::End {
                return Ok(());
            }
            self.item()?;
            self.parser.expect_line_end()?;
        }
    }

    fn item(&mut self) -> Parsed<()> {
        let Some(word) = self.parser.word() else {
            return self.parser.expected("an item of a module");
        };
        match word {
            "source" | "triple" | "asm" => self.text_item(word),
            "identification" | "command_line" | "dependent_library" | "linker_option" => self.text_item(word),
            "layout" => self.layout(),
            "flags" => self.flags(),
            "comdat" => self.comdat(),
            "symbol" => self.symbol(),
            "data" => {
                let data = self.data()?;
                self.parser.module.data.push(data);
                Ok(())
            }
            "prefix_data" | "prologue_data" => self.entry_data(word),
            "constructor" | "destructor" => self.init_entry(word),
            "used" | "compiler_used" => self.symbol_list(word),
            "debug" => self.parser.module_debug(),
            _ if node_number(word).is_some() => self.parser.module_node(),
            "func" => {
                let function = self.parser.function()?;
                self.functions.push(function);
                Ok(())
            }
            _ => self.parser.expected("an item of a module"),
        }
    }

    fn text_item(&mut self, word: &str) -> Parsed<()> {
        self.parser.advance()?;
        let bytes = self.parser.text()?;
        let text = self.parser.module.strings.add(bytes);
        let module = &mut self.parser.module;
        match word {
            "source" => module.source_name = text,
            "triple" => module.triple = text,
            "identification" => module.tools.identifications.push(text),
            "command_line" => module.tools.command_lines.push(text),
            "dependent_library" => module.tools.dependent_libraries.push(text),
            "linker_option" => module.tools.linker_options.push(text),
            _ => module.asm = text,
        }
        Ok(())
    }

    fn layout(&mut self) -> Parsed<()> {
        let parser = &mut self.parser;
        parser.advance()?;
        while let Some(word) = parser.word() {
            parser.advance()?;
            match word {
                "pointer_bits" => {
                    let error = parser.error("pointers have 16, 32 or 64 bits");
                    let bits = parser.small()?;
                    if ![16, 32, 64].contains(&bits) {
                        return Err(error);
                    }
                    parser.module.data_layout.pointer_bits = bits;
                }
                "stack_align" => parser.module.data_layout.stack_align = parser.small()?,
                "big_endian" => parser.module.data_layout.big_endian = true,
                _ => return Err(parser.error(format!("unknown word `{word}` in the layout"))),
            }
        }
        Ok(())
    }

    fn flags(&mut self) -> Parsed<()> {
        let parser = &mut self.parser;
        parser.advance()?;
        while let Some(word) = parser.word() {
            parser.advance()?;
            match word {
                "pic_level" => parser.module.flags.pic_level = Some(parser.small()?),
                "pie_level" => parser.module.flags.pie_level = Some(parser.small()?),
                "code_model" => parser.module.flags.code_model = Some(parser.small()?),
                "unwind_tables" => parser.module.flags.unwind_tables = parser.small()?,
                "direct_access_external_data" => {
                    parser.module.flags.direct_access_external_data = Some(parser.unsigned()? != 0);
                }
                "frame_pointer" => parser.module.flags.frame_pointer = parser.frame_pointer()?,
                "guard_place" => parser.module.flags.guard_place = parser.guard_place()?,
                "guard_offset" => parser.module.flags.guard_offset = Some(parser.small::<u32>()?.cast_signed()),
                "runtime_uses_got" => parser.module.flags.runtime_uses_got = true,
                "marks_branch_targets" => parser.module.flags.marks_branch_targets = true,
                "stack_align" => parser.module.flags.stack_align = Some(parser.small()?),
                "seals_functions" => parser.module.flags.seals_functions = true,
                "allows_shadow_stack" => parser.module.flags.allows_shadow_stack = true,
                "declares_marked_targets" => parser.module.flags.declares_marked_targets = true,
                "declares_signed_returns" => parser.module.flags.declares_signed_returns = true,
                _ => return Err(parser.error(format!("unknown module flag `{word}`"))),
            }
        }
        Ok(())
    }

    fn comdat(&mut self) -> Parsed<()> {
        let parser = &mut self.parser;
        parser.advance()?;
        let Token::Symbol(name) = parser.advance()? else {
            return Err(parser.error("expected the name of a comdat before this"));
        };
        let selection = match parser.word().and_then(|word| variant_of(COMDAT_SELECTIONS, word)) {
            Some(selection) => selection,
            None => return parser.expected("how to choose: any, exact_match, largest, no_deduplicate, same_size"),
        };
        parser.advance()?;
        let text = parser.module.strings.add(name);
        let id = parser.module.comdats.push(ComdatData { name: text, selection });
        if parser.comdats.insert(name, id).is_some() {
            return Err(parser.error("this comdat is defined twice"));
        }
        Ok(())
    }

    fn symbol(&mut self) -> Parsed<()> {
        let parser = &mut self.parser;
        parser.advance()?;
        let id = parser.module_symbol()?;
        if std::mem::replace(&mut self.listed[id.index()], true) {
            return Err(parser.error("this symbol has two `symbol` lines"));
        }
        self.symbol_kind(id)?;
        let parser = &mut self.parser;
        while let Some(word) = parser.word() {
            parser.advance()?;
            if let Some(linkage) = variant_of(LINKAGES, word) {
                parser.module.symbols[id].linkage = linkage;
            } else if let Some(visibility) = variant_of(VISIBILITIES, word) {
                parser.module.symbols[id].visibility = visibility;
            } else if let Some(model) = variant_of(TLS_MODELS, word) {
                parser.module.symbols[id].tls = model;
            } else {
                parser.symbol_attribute(id, word)?;
            }
        }
        Ok(())
    }

    fn symbol_kind(&mut self, id: SymbolId) -> Parsed<()> {
        let parser = &mut self.parser;
        let defined = parser.module.symbols[id].kind;
        let wrong = parser.error("this symbol is defined as something else");
        let is_free = defined == SymbolKind::FunctionDeclaration;
        let kind = if parser.take_word("data")? {
            if is_free { SymbolKind::DataDeclaration } else { defined }
        } else if parser.take_word("alias")? {
            let is_function = parser.take_word("function")?;
            if !is_function {
                parser.expect_word("data")?;
            }
            let target = parser.module_symbol()?;
            let offset = parser.addend()?;
            SymbolKind::Alias {
                target,
                offset,
                is_function,
            }
        } else if parser.take_word("ifunc")? {
            let resolver = parser.module_symbol()?;
            SymbolKind::Ifunc { resolver }
        } else {
            let says_function = parser.take_word("function")?;
            if says_function && matches!(defined, SymbolKind::Data(_)) {
                return Err(wrong);
            }
            defined
        };
        if !is_free && kind != defined {
            return Err(wrong);
        }
        if kind == SymbolKind::DataDeclaration && matches!(defined, SymbolKind::Function(_)) {
            return Err(wrong);
        }
        parser.module.symbols[id].kind = kind;
        Ok(())
    }

    /// Data before the first byte of a function, or from there on.
    fn entry_data(&mut self, word: &str) -> Parsed<()> {
        let place = self
            .parser
            .error("this is no function with a body that has no such data yet");
        let data = self.data()?;
        let module = &mut self.parser.module;
        let SymbolKind::Function(function) = module.symbols[data.symbol].kind else {
            return Err(place);
        };
        let head = &mut module.functions[function];
        let known = match word {
            "prefix_data" => &mut head.prefix_data,
            _ => &mut head.prologue_data,
        };
        if known.replace(Box::new(data)).is_some() {
            return Err(place);
        }
        Ok(())
    }

    fn data(&mut self) -> Parsed<DataDef> {
        let parser = &mut self.parser;
        parser.advance()?;
        let symbol = parser.module_symbol()?;
        let mut data = DataDef {
            symbol,
            size: 0,
            align_log2: 0,
            constant: false,
            first_byte: parser.module.bytes.len() as u64,
            byte_count: 0,
            first_relocation: parser.module.relocations.len() as u32,
            relocation_count: 0,
        };
        let mut size = None;
        while let Some(word) = parser.word() {
            if word == "relocations" {
                break;
            }
            parser.advance()?;
            match word {
                "constant" => data.constant = true,
                "align" => data.align_log2 = parser.alignment()?,
                "size" => size = Some(parser.unsigned()?),
                _ => return Err(parser.error(format!("unknown word `{word}` in a data definition"))),
            }
        }
        if self.parser.take_mark("{")? {
            self.bytes()?;
        }
        let parser = &mut self.parser;
        data.byte_count = parser.module.bytes.len() as u64 - data.first_byte;
        data.size = size.unwrap_or(data.byte_count);
        if data.byte_count > data.size {
            return Err(parser.error("there are more bytes than the size says"));
        }
        if parser.take_word("relocations")? {
            parser.relocations(data.size)?;
        }
        data.relocation_count = parser.module.relocations.len() as u32 - data.first_relocation;
        Ok(data)
    }

    /// Strings, hexadecimal strings, `zero n`, and typed numbers up to the closing brace.
    fn bytes(&mut self) -> Parsed<()> {
        loop {
            self.parser.skip_line_ends()?;
            let parser = &mut self.parser;
            match &parser.token {
                Token::Mark("}") => return parser.advance().map(drop),
                Token::Mark(",") => drop(parser.advance()?),
                Token::Text(_) => {
                    let bytes = parser.text()?;
                    parser.module.bytes.extend_from_slice(bytes);
                }
                Token::Word("x") => parser.hexadecimal()?,
                Token::Word("zero") => {
                    parser.advance()?;
                    let error = parser.error("more zeros than a text may ask for");
                    let count = parser.unsigned()?;
                    self.zeros = self.zeros.saturating_add(count);
                    if self.zeros > MOST_ZEROS {
                        return Err(error);
                    }
                    let length = parser.module.bytes.len() + count as usize;
                    parser.module.bytes.resize(length, 0);
                }
                Token::Word(_) => parser.number_bytes()?,
                _ => return parser.expected("initialiser bytes or `}`"),
            }
        }
    }

    fn init_entry(&mut self, word: &str) -> Parsed<()> {
        let parser = &mut self.parser;
        parser.advance()?;
        let priority = parser.small()?;
        let function = parser.module_symbol()?;
        let associated = match parser.take_word("associated")? {
            true => Some(parser.module_symbol()?),
            false => None,
        };
        let entry = InitEntry {
            priority,
            function,
            associated,
        };
        if word == "constructor" {
            parser.module.constructors.push(entry);
        } else {
            parser.module.destructors.push(entry);
        }
        Ok(())
    }

    fn symbol_list(&mut self, word: &str) -> Parsed<()> {
        let parser = &mut self.parser;
        parser.advance()?;
        parser.expect_mark("[")?;
        while !parser.take_mark("]")? {
            let symbol = parser.module_symbol()?;
            let list = match word {
                "used" => &mut parser.module.used,
                _ => &mut parser.module.compiler_used,
            };
            list.push(symbol);
            if !parser.at_mark("]") {
                parser.expect_mark(",")?;
            }
        }
        Ok(())
    }
}

impl Parser<'_> {
    fn guard_place(&mut self) -> Parsed<crate::module::GuardPlace> {
        match self.word().and_then(|word| variant_of(GUARD_PLACES, word)) {
            Some(which) => self.advance().map(|_| which),
            None => self.expected("thread, own_segment, other_segment or variable"),
        }
    }

    pub(super) fn stack_protector(&mut self) -> Parsed<crate::module::StackProtector> {
        match self.word().and_then(|word| variant_of(STACK_PROTECTORS, word)) {
            Some(which) => self.advance().map(|_| which),
            None => self.expected("none, basic, strong or required"),
        }
    }

    pub(super) fn frame_pointer(&mut self) -> Parsed<crate::module::FramePointer> {
        match self.word().and_then(|word| variant_of(FRAME_POINTERS, word)) {
            Some(which) => self.advance().map(|_| which),
            None => self.expected("none, non_leaf or all"),
        }
    }

    pub(super) fn refusal(&mut self) -> Parsed<Refusal> {
        match self.word().and_then(|word| Refusal::from_name(&word.replace('_', "-"))) {
            Some(refusal) => self.advance().map(|_| refusal),
            None => self.expected("the name of a feature that is refused"),
        }
    }

    fn symbol_attribute(&mut self, id: SymbolId, word: &str) -> Parsed<()> {
        match word {
            "dso_local" => self.module.symbols[id].dso_local = true,
            "non_lazy_bind" => {
                self.module.symbols[id].non_lazy_bind = true;
                self.module.flags.binds_early = true;
            }
            "far" => self.module.symbols[id].far = true,
            "unnamed_addr" => self.module.symbols[id].unnamed_addr = true,
            "is_absolute" => self.module.symbols[id].is_absolute = true,
            word if is_attachment(word) => {
                let mut attachments = self.module.attachments_of(id).cloned().unwrap_or_default();
                self.attachment(word, &mut attachments)?;
                self.module.symbols[id].has_attachments = true;
                match self.module.attachments.binary_search_by_key(&id, |row| row.0) {
                    Ok(found) => self.module.attachments[found].1 = attachments,
                    Err(place) => self.module.attachments.insert(place, (id, attachments)),
                }
            }
            "section" | "partition" => {
                let bytes = self.text()?;
                let text = self.module.strings.add(bytes);
                let symbol = &mut self.module.symbols[id];
                if word == "section" {
                    symbol.section = text;
                } else {
                    symbol.partition = text;
                }
            }
            "comdat" => {
                let known = match &self.token {
                    Token::Symbol(name) => self.comdats.get(name).copied(),
                    _ => None,
                };
                let Some(comdat) = known else {
                    return self.expected("a comdat that is defined above");
                };
                self.advance()?;
                self.module.symbols[id].comdat = Some(comdat);
            }
            _ => return Err(self.error(format!("unknown attribute `{word}` of a symbol"))),
        }
        Ok(())
    }

    /// What follows the word of an attachment.
    pub(super) fn attachment(&mut self, word: &str, attachments: &mut Attachments) -> Parsed<()> {
        match word {
            "section_prefix" => attachments.section_prefix = self.text()?.to_vec(),
            "associated" => attachments.associated = Some(self.module_symbol()?),
            "absolute" => attachments.absolute = Some((self.unsigned()?, self.unsigned()?)),
            "type_words" => attachments.type_words = Some((self.small()?, self.small()?)),
            "sections_by_kind" => {
                let sections = attachments.sections_by_kind.insert(Box::default());
                for section in sections.iter_mut() {
                    *section = self.text()?.to_vec();
                }
            }
            _ => attachments.is_excluded = true,
        }
        Ok(())
    }

    fn hexadecimal(&mut self) -> Parsed<()> {
        self.advance()?;
        let digits = self.text()?;
        let wrong = || self.error("expected pairs of hexadecimal digits before this");
        let mut bytes = Vec::with_capacity(digits.len() / 2);
        for pair in digits.chunks(2) {
            let text = std::str::from_utf8(pair)
                .ok()
                .filter(|text| text.len() == 2 && !text.starts_with('+'));
            let byte = text
                .and_then(|text| u8::from_str_radix(text, 16).ok())
                .ok_or_else(wrong)?;
            bytes.push(byte);
        }
        self.module.bytes.extend_from_slice(&bytes);
        Ok(())
    }

    /// A number with its type, as bytes in the order of the data layout.
    fn number_bytes(&mut self) -> Parsed<()> {
        let mut scratch = Function::new();
        let ty = self.any_type(&mut scratch.types)?;
        let place = self.error("expected a number of a type of whole bytes, up to 128 bits");
        let words = self.literal_words(&scratch.types, ty)?;
        let size = scratch.types.store_bytes(ty, self.module.data_layout.pointer_bits) as usize;
        let Some(words) = words.filter(|_| size <= 16) else {
            return Err(place);
        };
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(size);
        if self.module.data_layout.big_endian {
            bytes.reverse();
        }
        self.module.bytes.extend_from_slice(&bytes);
        Ok(())
    }

    /// `[offset: width target + addend minus target, ...]`
    fn relocations(&mut self, data_size: u64) -> Parsed<()> {
        self.expect_mark("[")?;
        let mut earliest = 0;
        while !self.take_mark("]")? {
            let place = self.error("relocations stand inside the data, ascending and apart");
            let offset = self.unsigned()?;
            self.expect_mark(":")?;
            let size: u8 = self.small()?;
            let end = offset.checked_add(u64::from(size)).filter(|&end| end <= data_size);
            let (Some(end), true) = (end, offset >= earliest) else {
                return Err(place);
            };
            earliest = end;
            let target = self.relocation_target()?;
            let addend = self.addend()?;
            let minus = match self.take_word("minus")? {
                true => Some(self.relocation_target()?),
                false => None,
            };
            self.module.relocations.push(DataRelocation {
                offset,
                size,
                target,
                addend,
                minus,
            });
            if !self.at_mark("]") {
                self.expect_mark(",")?;
            }
        }
        Ok(())
    }

    fn relocation_target(&mut self) -> Parsed<RelocationTarget> {
        let Some(word) = self.word() else {
            return self.module_symbol().map(RelocationTarget::Symbol);
        };
        self.advance()?;
        self.expect_mark("(")?;
        let symbol = self.module_symbol()?;
        let target = match word {
            "local_equivalent" => RelocationTarget::LocalEquivalent(symbol),
            "no_cfi" => RelocationTarget::NoCfi(symbol),
            "block" => {
                let SymbolKind::Function(function) = self.module.symbols[symbol].kind else {
                    return Err(self.error("this symbol is no function with a body"));
                };
                self.expect_mark(",")?;
                RelocationTarget::Block(function, self.block_number()?)
            }
            _ => return Err(self.error(format!("unknown relocation target `{word}`"))),
        };
        self.expect_mark(")")?;
        Ok(target)
    }

    /// A block by its number (`b3`), where labels are not known: blocks of other functions.
    pub(super) fn block_number(&mut self) -> Parsed<crate::entities::Block> {
        let number = self.word().and_then(|word| word.strip_prefix('b')?.parse::<u32>().ok());
        match number {
            Some(number) if number < u32::MAX => self.advance().map(|_| crate::entities::Block::new(number as usize)),
            _ => self.expected("a block as `b` and its number"),
        }
    }
}
