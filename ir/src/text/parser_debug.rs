//! Parses debug information. Nodes stand in the order of their numbers; those of functions go on behind the module's.

use super::lexer::Token;
use super::parser::{Parsed, Parser};
use super::parser_function::FunctionParser;
use super::printer_debug::{VALUE_WORDS, node_number};
use crate::debug::word::{Form, Word};
use crate::debug::{
    Argument, Bound, DebugConstant, DebugKind, DebugValue, Kind, Location, LocationId, Metadata, ModuleDebug, NodeId,
    NodeRef,
};
use crate::operand::Operand;
use crate::types::Type;
use frazil_support::EntityRef;

impl Parser<'_> {
    /// What a module says besides its nodes; `debug` is in hand.
    pub(super) fn module_debug(&mut self) -> Parsed<()> {
        self.advance()?;
        self.expect_word("dwarf")?;
        let mut debug = ModuleDebug {
            dwarf_version: self.small()?,
            ..ModuleDebug::default()
        };
        if self.take_word("units")? {
            self.expect_mark("[")?;
            while !self.take_mark("]")? {
                debug.units.push(self.node_name()?);
                self.take_comma("]")?;
            }
        }
        if self.take_word("attached")? {
            self.expect_mark("[")?;
            while !self.take_mark("]")? {
                let symbol = self.module_symbol()?;
                debug.variables.push((symbol, self.node_name()?));
                self.take_comma("]")?;
            }
        }
        if !debug.variables.is_sorted_by_key(|row| row.0) {
            return Err(self.error("attached nodes stand in the order of symbols"));
        }
        self.module.debug = Some(Box::new(debug));
        Ok(())
    }

    /// A node of the module; its name is in hand.
    pub(super) fn module_node(&mut self) -> Parsed<()> {
        let Some(mut debug) = self.module.debug.take() else {
            return self.expected("the word `debug` with a version before the first node");
        };
        self.node_line(&mut debug.nodes)?;
        self.module.debug = Some(debug);
        Ok(())
    }

    fn take_comma(&mut self, end: &str) -> Parsed<()> {
        match self.at_mark(end) {
            true => Ok(()),
            false => self.expect_mark(","),
        }
    }

    fn node_name(&mut self) -> Parsed<NodeId> {
        match self.word().and_then(node_number) {
            Some(node) => self.advance().map(|_| node),
            None => self.expected("a node"),
        }
    }

    /// A node or `none`.
    fn node_reference(&mut self) -> Parsed<NodeRef> {
        match self.take_word("none")? {
            true => Ok(NodeRef::NONE),
            false => self.node_name().map(NodeRef::to),
        }
    }

    fn signed(&mut self) -> Parsed<i64> {
        let Token::Number(text) = self.token else {
            return self.expected("a number");
        };
        match text.parse() {
            Ok(number) => self.advance().map(|_| number),
            Err(_) => self.expected("a number of at most 64 bits"),
        }
    }

    /// `n3 = kind ...`, the next of these.
    fn node_line(&mut self, nodes: &mut Metadata) -> Parsed<()> {
        let node = self.node_name()?;
        if node.index() != nodes.next() as usize {
            return Err(self.error(format!("expected n{}, the next node", nodes.next())));
        }
        self.expect_mark("=")?;
        let Some(kind) = self.word().and_then(Kind::from_name) else {
            return self.expected("a kind of node");
        };
        self.advance()?;
        let fields = kind.desc().fields;
        if kind == Kind::Text {
            let text = self.text()?;
            nodes.push_text(text);
            return Ok(());
        }
        let mut words = vec![0; fields.len()];
        if fields.is_empty() {
            self.expect_mark("[")?;
            while !self.take_mark("]")? {
                words.push(self.node_word(kind.form(words.len()))?);
                self.take_comma("]")?;
            }
        } else {
            self.expect_mark("(")?;
            while !self.take_mark(")")? {
                let known = |word: &str| fields.iter().position(|field| field.0 == word);
                let Some(field) = self.word().and_then(known) else {
                    return self.expected("a field of this kind of node");
                };
                self.advance()?;
                words[field] = self.node_word(fields[field].1)?;
                self.take_comma(")")?;
            }
        }
        nodes.push_words(kind, &words);
        Ok(())
    }

    fn node_word(&mut self, form: Form) -> Parsed<u64> {
        let is_number = matches!(self.token, Token::Number(_));
        match form {
            Form::Number => self.unsigned(),
            Form::Bound if is_number => self.signed().map(|number| Bound::Number(number).to_word()),
            Form::Node | Form::Bound => self.node_reference().map(Word::to_word),
        }
    }
}

impl FunctionParser<'_, '_> {
    /// A line of debug information, if one is in hand.
    pub(super) fn debug_line(&mut self) -> Parsed<bool> {
        let Some(word) = self.parser.word() else {
            return Ok(false);
        };
        let kind = VALUE_WORDS.iter().find(|row| row.1 == word).map(|row| row.0);
        if word == "debug" {
            self.parser.advance()?;
            let shared = self
                .parser
                .module
                .debug
                .as_deref()
                .map_or(0, |debug| debug.nodes.next());
            self.function.debug.begin(shared);
            self.function.debug.subprogram = self.parser.node_reference()?;
        } else if word == "at" {
            self.parser.advance()?;
            self.check_debug()?;
            self.location = self.debug_location()?;
        } else if node_number(word).is_some() {
            self.check_debug()?;
            self.parser.node_line(&mut self.function.debug.nodes)?;
        } else if let Some(kind) = kind {
            self.parser.advance()?;
            self.check_debug()?;
            let value = self.debug_value(kind)?;
            self.function.debug.values.push(value);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn check_debug(&self) -> Parsed<()> {
        match self.function.debug.is_on() {
            true => Ok(()),
            false => Err(self.parser.error("a line `debug` stands before debug information")),
        }
    }

    /// Line, column and scope, and where that was inlined; or `none`.
    fn debug_location(&mut self) -> Parsed<LocationId> {
        if self.parser.take_word("none")? {
            return Ok(LocationId::NONE);
        }
        let line = self.parser.small()?;
        self.parser.expect_mark(":")?;
        let location = Location {
            line,
            column: self.parser.small()?,
            scope: self.parser.node_reference()?,
            inlined_at: match self.parser.take_word("in")? {
                true => self.parser.node_reference()?,
                false => NodeRef::NONE,
            },
        };
        Ok(self.function.debug.add_location(location))
    }

    fn debug_value(&mut self, kind: DebugKind) -> Parsed<DebugValue> {
        let variable = self.parser.node_name()?;
        self.parser.expect_mark("=")?;
        let (operand, constant) = self.debug_operand()?;
        self.parser.expect_mark(",")?;
        let expression = self.parser.node_reference()?;
        let location = match self.parser.take_word("at")? {
            true => self.debug_location()?,
            false => LocationId::NONE,
        };
        let mut argument = Argument::default();
        if self.parser.take_word("argument")? {
            argument.index = self.parser.small()?;
            self.parser.expect_word("of")?;
            argument.count = self.parser.small()?;
        }
        Ok(DebugValue {
            before: self.function.insts.len() as u32,
            kind,
            variable,
            expression,
            location,
            operand,
            constant,
            argument,
        })
    }

    /// An operand, or the number of a constant that is none.
    fn debug_operand(&mut self) -> Parsed<(Operand, u32)> {
        if self.parser.take_word("none")? {
            return Ok((Operand::NONE, 0));
        }
        let constant = if self.parser.take_word("integer")? {
            DebugConstant::Integer(self.parser.signed()?)
        } else if self.parser.take_word("bytes")? {
            let (low, high) = (self.parser.unsigned()?, self.parser.unsigned()?);
            DebugConstant::Bytes(u128::from(low) | u128::from(high) << 64, self.parser.small()?)
        } else if self.parser.take_word("symbol")? {
            DebugConstant::Symbol(self.parser.module_symbol()?, self.parser.addend()?)
        } else {
            return Ok((self.operand_of(Some(Type::I64))?, 0));
        };
        self.function.debug.constants.push(constant);
        Ok((Operand::NONE, self.function.debug.constants.len() as u32))
    }
}
