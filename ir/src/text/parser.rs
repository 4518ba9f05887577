//! The parser's state and what all of its parts need: the current token, symbols, types, numbers.

use super::ParseError;
use super::lexer::{Lexer, Token};
use super::names::PRIMITIVE_TYPES;
use crate::entities::{ComdatId, SymbolId};
use crate::module::Module;
use crate::types::{Type, TypeData, TypeTable};
use frazil_support::{EntityRef, FxHashMap};
use typed_arena::Arena;

/// The result of a parsing step.
pub(super) type Parsed<T> = Result<T, ParseError>;

/// A module being parsed, and the token in hand.
pub(super) struct Parser<'s> {
    pub(super) lexer: Lexer<'s>,
    pub(super) token: Token<'s>,
    place: (u32, u32),
    pub(super) module: Module,
    pub(super) symbols: FxHashMap<&'s [u8], SymbolId>,
    pub(super) comdats: FxHashMap<&'s [u8], ComdatId>,
    pub(super) source_len: usize,
    /// How many words the integers above 128 bits may still take: a short literal of a wide type takes many.
    pub(super) wide_words_left: usize,
}

impl<'s> Parser<'s> {
    pub(super) fn new(source: &'s str, resolved: &'s Arena<u8>) -> Parsed<Parser<'s>> {
        let mut parser = Parser {
            lexer: Lexer::new(source, resolved),
            token: Token::LineEnd,
            place: (1, 1),
            module: Module::default(),
            symbols: FxHashMap::default(),
            comdats: FxHashMap::default(),
            source_len: source.len(),
            wide_words_left: source.len(),
        };
        parser.advance()?;
        Ok(parser)
    }

    /// Goes to the next token and returns the one before.
    pub(super) fn advance(&mut self) -> Parsed<Token<'s>> {
        self.lexer.skip_blanks();
        self.place = self.lexer.place();
        let next = self.lexer.token()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    /// An error at the token in hand.
    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError {
            line: self.place.0,
            column: self.place.1,
            message: message.into(),
        }
    }

    /// An error that says what was expected and what is there.
    pub(super) fn expected<T>(&self, what: &str) -> Parsed<T> {
        let found = match &self.token {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Text(_) => "a string".to_owned(),
            Token::Symbol(name) => format!("`@{}`", String::from_utf8_lossy(name)),
            Token::SymbolNumber(number) => format!("`@#{number}`"),
            Token::Runtime(name) => format!("`${name}`"),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::LineEnd => "the end of the line".to_owned(),
            Token::End => "the end of the text".to_owned(),
        };
        Err(self.error(format!("expected {what}, found {found}")))
    }

    pub(super) fn at_mark(&self, mark: &str) -> bool {
        matches!(self.token, Token::Mark(found) if found == mark)
    }

    /// Takes a mark if it is there.
    pub(super) fn take_mark(&mut self, mark: &str) -> Parsed<bool> {
        let found = self.at_mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect_mark(&mut self, mark: &str) -> Parsed<()> {
        if self.take_mark(mark)? {
            return Ok(());
        }
        self.expected(&format!("`{mark}`"))
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(found) if found == word)
    }

    /// Takes a word if it is this one.
    pub(super) fn take_word(&mut self, word: &str) -> Parsed<bool> {
        let found = self.at_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word)? {
            return Ok(());
        }
        self.expected(&format!("`{word}`"))
    }

    /// The word in hand, if it is one; it stays in hand.
    pub(super) fn word(&self) -> Option<&'s str> {
        match self.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn skip_line_ends(&mut self) -> Parsed<()> {
        while self.token == Token::LineEnd {
            self.advance()?;
        }
        Ok(())
    }

    pub(super) fn expect_line_end(&mut self) -> Parsed<()> {
        match self.token {
            Token::LineEnd => self.advance().map(drop),
            Token::End => Ok(()),
            _ => self.expected("the end of the line"),
        }
    }

    /// An unsigned number of at most 64 bits.
    pub(super) fn unsigned(&mut self) -> Parsed<u64> {
        let Token::Number(text) = self.token else {
            return self.expected("a number");
        };
        let parsed = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        match parsed {
            Ok(number) => self.advance().map(|_| number),
            Err(_) => self.expected("an unsigned number"),
        }
    }

    /// An unsigned number that fits the type.
    pub(super) fn small<T: TryFrom<u64>>(&mut self) -> Parsed<T> {
        let error = self.error("this number is too large");
        T::try_from(self.unsigned()?).map_err(|_| error)
    }

    /// A power of two, as its logarithm.
    pub(super) fn alignment(&mut self) -> Parsed<u8> {
        let error = self.error("an alignment is a power of two up to 2^31");
        let bytes = self.unsigned()?;
        if !bytes.is_power_of_two() || bytes > 1 << 31 {
            return Err(error);
        }
        Ok(bytes.trailing_zeros() as u8)
    }

    /// `+ n`, `- n` or nothing.
    pub(super) fn addend(&mut self) -> Parsed<i64> {
        if self.take_mark("+")? {
            let error = self.error("this offset is too large");
            return i64::try_from(self.unsigned()?).map_err(|_| error);
        }
        if self.take_mark("-")? {
            let error = self.error("this offset is too large");
            return 0i64.checked_sub_unsigned(self.unsigned()?).ok_or(error);
        }
        Ok(0)
    }

    pub(super) fn text(&mut self) -> Parsed<&'s [u8]> {
        match self.token {
            Token::Text(bytes) => self.advance().map(|_| bytes),
            _ => self.expected("a string"),
        }
    }

    /// The symbol in hand, if it is one of the module or a runtime function. Names may be used before they stand.
    pub(super) fn symbol(&mut self) -> Parsed<SymbolId> {
        let count = self.module.symbols.len();
        let found = match &self.token {
            Token::Symbol(name) => self.symbols.get(name).copied(),
            Token::SymbolNumber(number) => Some(SymbolId::new(*number as usize)).filter(|id| id.index() < count),
            Token::Runtime(name) => {
                crate::runtime::RuntimeFunction::from_name(name).map(|function| function.symbol(count))
            }
            _ => return self.expected("a symbol"),
        };
        match found {
            Some(id) => self.advance().map(|_| id),
            None => self.expected("a symbol of the module or a runtime function"),
        }
    }

    /// A symbol of the module, no runtime function.
    pub(super) fn module_symbol(&mut self) -> Parsed<SymbolId> {
        if matches!(self.token, Token::Runtime(_)) {
            return self.expected("a symbol of the module");
        }
        self.symbol()
    }

    pub(super) fn at_symbol(&self) -> bool {
        matches!(
            self.token,
            Token::Symbol(_) | Token::SymbolNumber(_) | Token::Runtime(_)
        )
    }

    /// A type, if one is in hand.
    pub(super) fn take_type(&mut self, types: &mut TypeTable) -> Parsed<Option<Type>> {
        if self.at_mark("<") {
            return self.vector_type(types).map(Some);
        }
        let Some(word) = self.word() else { return Ok(None) };
        if let Some(bits) = word.strip_prefix('i').and_then(|digits| digits.parse::<u32>().ok()) {
            if bits == 0 || bits > 1 << 23 {
                return Err(self.error("integers have 1 to 2^23 bits"));
            }
            self.advance()?;
            return self.intern(types, TypeData::Int(bits)).map(Some);
        }
        let Some((ty, _)) = PRIMITIVE_TYPES.iter().find(|row| row.1 == word) else {
            return Ok(None);
        };
        self.advance()?;
        if *ty == Type::PTR && self.at_mark("(") {
            self.advance()?;
            let space = self.small()?;
            self.expect_mark(")")?;
            return self.intern(types, TypeData::Ptr(space)).map(Some);
        }
        Ok(Some(*ty))
    }

    fn vector_type(&mut self, types: &mut TypeTable) -> Parsed<Type> {
        self.expect_mark("<")?;
        let lanes: u32 = self.small()?;
        self.expect_word("x")?;
        if self.at_mark("<") {
            return self.expected("a scalar type");
        }
        let element = self.any_type(types)?;
        self.expect_mark(">")?;
        if lanes == 0 || element == Type::VOID {
            return Err(self.error("a vector has at least one lane, of a scalar type"));
        }
        self.intern(types, TypeData::Vector { element, lanes })
    }

    pub(super) fn any_type(&mut self, types: &mut TypeTable) -> Parsed<Type> {
        match self.take_type(types)? {
            Some(ty) => Ok(ty),
            None => self.expected("a type"),
        }
    }

    pub(super) fn intern(&self, types: &mut TypeTable, data: TypeData) -> Parsed<Type> {
        types.intern(data).map_err(|error| self.error(error.to_string()))
    }
}
