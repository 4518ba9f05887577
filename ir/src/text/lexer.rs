//! Splits the text form into tokens.
//!
//! Comments run from `;` to the end of the line. Line ends are tokens of their own, but not inside parentheses and
//! square brackets. Strings whose escapes had to be resolved live in an arena as long as the parser; all other text is
//! borrowed from the source. Any byte sequence is accepted as input; what is no token is an error with its place.

use super::ParseError;
use typed_arena::Arena;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'s> {
    /// A word: letters, digits, `_` and `.`, not beginning with a digit.
    Word(&'s str),
    /// A number as written, with its sign.
    Number(&'s str),
    /// A string with its escapes resolved.
    Text(&'s [u8]),
    /// `@name` or `@"name"`.
    Symbol(&'s [u8]),
    /// `@#12`, a symbol by its number.
    SymbolNumber(u32),
    /// `$name`, a runtime function.
    Runtime(&'s str),
    /// One of the marks `( ) [ ] { } < > , : = + - -> ...`.
    Mark(&'static str),
    LineEnd,
    /// The end of the source.
    End,
}

const MARKS: [&str; 14] = ["...", "->", "(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "=", "+"];

/// Reads tokens one after another.
#[derive(Clone)]
pub(super) struct Lexer<'s> {
    source: &'s str,
    /// Strings that do not stand in the source as they are.
    resolved: &'s Arena<u8>,
    position: usize,
    line: u32,
    line_start: usize,
    depth: u32,
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.'
}

/// Whether a symbol name can stand without quotes.
pub(super) fn is_plain_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name
            .iter()
            .all(|&byte| is_word_byte(byte) || byte == b'$' || byte == b'-')
}

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str, resolved: &'s Arena<u8>) -> Lexer<'s> {
        Lexer {
            source,
            resolved,
            position: 0,
            line: 1,
            line_start: 0,
            depth: 0,
        }
    }

    /// Line and column (both from 1) of the next token's first possible byte.
    pub(super) fn place(&self) -> (u32, u32) {
        (self.line, (self.position - self.line_start) as u32 + 1)
    }

    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        let (line, column) = self.place();
        ParseError {
            line,
            column,
            message: message.into(),
        }
    }

    fn rest(&self) -> &'s [u8] {
        &self.source.as_bytes()[self.position..]
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'s str {
        let length = self.rest().iter().take_while(|&&byte| keep(byte)).count();
        let text = &self.source[self.position..self.position + length];
        self.position += length;
        text
    }

    /// Skips blanks and comments, and line ends where they do not count.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.rest() {
                [b' ' | b'\t' | b'\r', ..] => self.position += 1,
                [b'\n', ..] if self.depth > 0 => self.next_line(),
                [b';', ..] => {
                    self.position += self.rest().iter().take_while(|&&byte| byte != b'\n').count();
                }
                _ => return,
            }
        }
    }

    fn next_line(&mut self) {
        self.position += 1;
        self.line += 1;
        self.line_start = self.position;
    }

    /// The next token. `skip_blanks` must have been called.
    pub(super) fn token(&mut self) -> Result<Token<'s>, ParseError> {
        let rest = self.rest();
        match rest {
            [] => Ok(Token::End),
            [b'\n', ..] => {
                self.next_line();
                Ok(Token::LineEnd)
            }
            [b'"', ..] => Ok(Token::Text(self.quoted()?)),
            [b'@', ..] => self.symbol(),
            [b'$', ..] => {
                self.position += 1;
                Ok(Token::Runtime(self.take_while(is_word_byte)))
            }
            [b'0'..=b'9', ..] | [b'-', b'0'..=b'9', ..] => Ok(Token::Number(self.number())),
            [b'-', b'i', b'n', b'f', ..] => {
                self.position += 4;
                Ok(Token::Number("-inf"))
            }
            [byte, ..] if is_word_byte(*byte) && *byte != b'.' => Ok(Token::Word(self.take_while(is_word_byte))),
            _ => self.mark(),
        }
    }

    /// A number: digits, `0x` digits, or a decimal fraction with exponent.
    fn number(&mut self) -> &'s str {
        let start = self.position;
        if self.rest()[0] == b'-' {
            self.position += 1;
        }
        self.take_while(is_word_byte);
        let text = &self.source[start..self.position];
        let exponent = text.ends_with(['e', 'E']) && !text.contains("0x");
        if exponent && matches!(self.rest(), [b'+' | b'-', b'0'..=b'9', ..]) {
            self.position += 1;
            self.take_while(|byte| byte.is_ascii_digit());
        }
        &self.source[start..self.position]
    }

    fn symbol(&mut self) -> Result<Token<'s>, ParseError> {
        self.position += 1;
        match self.rest() {
            [b'"', ..] => Ok(Token::Symbol(self.quoted()?)),
            [b'#', ..] => {
                self.position += 1;
                let digits = self.take_while(|byte| byte.is_ascii_digit());
                let number = digits
                    .parse()
                    .map_err(|_| self.error("expected the number of a symbol"))?;
                Ok(Token::SymbolNumber(number))
            }
            _ => {
                let name = self.take_while(|byte| is_plain_name(&[byte]));
                if name.is_empty() {
                    return Err(self.error("expected the name of a symbol after `@`"));
                }
                Ok(Token::Symbol(name.as_bytes()))
            }
        }
    }

    /// A string in quotes; `\\`, `\"`, `\n`, `\t` and `\xx` (two hexadecimal digits) are escapes.
    fn quoted(&mut self) -> Result<&'s [u8], ParseError> {
        self.position += 1;
        let rest = self.rest();
        let plain = rest
            .iter()
            .take_while(|byte| !matches!(byte, b'"' | b'\\' | b'\n'))
            .count();
        if rest.get(plain) == Some(&b'"') {
            self.position += plain + 1;
            return Ok(&rest[..plain]);
        }
        let mut bytes = Vec::new();
        loop {
            match *self.rest() {
                [] | [b'\n', ..] => return Err(self.error("this string has no end")),
                [b'"', ..] => {
                    self.position += 1;
                    return Ok(self.resolved.alloc_extend(bytes));
                }
                [b'\\', escape @ (b'\\' | b'"'), ..] => {
                    bytes.push(escape);
                    self.position += 2;
                }
                [b'\\', b'n', ..] => {
                    bytes.push(b'\n');
                    self.position += 2;
                }
                [b'\\', b't', ..] => {
                    bytes.push(b'\t');
                    self.position += 2;
                }
                [b'\\', high, low, ..] => {
                    let digit = |byte: u8| char::from(byte).to_digit(16);
                    let (Some(high), Some(low)) = (digit(high), digit(low)) else {
                        return Err(self.error("unknown escape in a string"));
                    };
                    bytes.push((high * 16 + low) as u8);
                    self.position += 3;
                }
                [byte, ..] => {
                    bytes.push(byte);
                    self.position += 1;
                }
            }
        }
    }

    fn mark(&mut self) -> Result<Token<'s>, ParseError> {
        let rest = self.rest();
        let found = MARKS
            .iter()
            .chain(&["-"])
            .find(|mark| rest.starts_with(mark.as_bytes()));
        let Some(mark) = found else {
            let character = self.source.get(self.position..).and_then(|text| text.chars().next());
            return Err(self.error(format!("unexpected {:?}", character.unwrap_or('?'))));
        };
        match *mark {
            "(" | "[" => self.depth += 1,
            ")" | "]" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.position += mark.len();
        Ok(Token::Mark(mark))
    }
}
