//! Parses instructions and operands.

use super::lexer::Token;
use super::names::{ASM_FLAGS, ORDERING_WORDS, bit_words};
use super::parser::Parsed;
use super::parser_function::{FunctionParser, value_number};
use crate::constant::{AsmData, ConstKind};
use crate::entities::Value;
use crate::flags::{FlagKind, RMW_OPS, flag_kind};
use crate::function::InstData;
use crate::opcode::{Format, Opcode, Results};
use crate::operand::Operand;
use crate::strict::StrictFlags;
use crate::types::{Type, TypeData};
use crate::typing::{SlotType, result_type, slot_type};
use frazil_support::EntityRef;

impl FunctionParser<'_, '_> {
    /// An instruction that defines `results`.
    pub(super) fn inst(&mut self, results: &[Value]) -> Parsed<()> {
        let Some(op) = self.parser.word().and_then(Opcode::from_name) else {
            return self.parser.expected("an opcode");
        };
        self.parser.advance()?;
        let flags = self.flags(op)?;
        let ty = match op.fixed_type() {
            Some(ty) => ty,
            None => self.parser.any_type(&mut self.function.types)?,
        };
        let mut data = InstData::new(op, ty, flags, Operand::NONE, Operand::NONE);
        self.operands(&mut data)?;
        self.define(data, results)
    }

    /// Gives the results their types and appends the instruction.
    fn define(&mut self, data: InstData, results: &[Value]) -> Parsed<()> {
        self.check_results(results)?;
        let count = match data.op.results() {
            Results::None => 0,
            _ => self.function.result_count(&data),
        };
        if results.len() != count {
            return Err(self
                .parser
                .error(format!("this instruction has {count} results, not {}", results.len())));
        }
        for (index, &value) in results.iter().enumerate() {
            let ty = result_type(&mut self.function, &data, index);
            self.function.values[value.index()].ty = ty.map_err(|error| self.parser.error(error.to_string()))?;
        }
        match results.first() {
            Some(&first) => self.function.push_inst_into(data, first, count),
            None => self.function.push_inst(data),
        };
        Ok(())
    }

    fn flags(&mut self, op: Opcode) -> Parsed<u16> {
        let kind = flag_kind(op);
        let mut flags = 0;
        if kind == FlagKind::Rmw {
            let row = self
                .parser
                .word()
                .and_then(|word| RMW_OPS.iter().find(|row| row.1 == word));
            match row {
                Some(row) => flags |= (row.0 as u16) << 11,
                None if self.parser.at_word("flags") => {}
                None => return self.parser.expected("an operation"),
            }
            if row.is_some() {
                self.parser.advance()?;
            }
        }
        if kind == FlagKind::Strict {
            let plain = self.parser.word().and_then(Opcode::from_name);
            match plain.filter(|plain| plain.strict_form() == Some(op)) {
                Some(plain) => {
                    flags |= StrictFlags::of(plain).0;
                    self.parser.advance()?;
                }
                None if self.parser.at_word("flags") => {}
                None => return self.parser.expected("an operation"),
            }
        }
        while let Some(word) = self.parser.word() {
            match self.flag(op, kind, word)? {
                Some(bits) => flags |= bits,
                None => break,
            }
        }
        Ok(flags)
    }

    /// The bits of a flag's word, which is taken; `None` if the word in hand is no flag.
    fn flag(&mut self, op: Opcode, kind: FlagKind, word: &str) -> Parsed<Option<u16>> {
        let memory = matches!(kind, FlagKind::Mem | FlagKind::Rmw);
        let bit = bit_words(op).iter().find(|row| row.1 == word).map(|row| row.0);
        let ordering = ORDERING_WORDS.iter().find(|row| row.1 == word && memory);
        let bits = match (bit, ordering) {
            (Some(bit), _) => bit,
            (None, Some(row)) => (row.0 as u16) << 7,
            _ => return self.flag_with_number(kind, word),
        };
        self.parser.advance()?;
        Ok(Some(bits))
    }

    fn flag_with_number(&mut self, kind: FlagKind, word: &str) -> Parsed<Option<u16>> {
        let memory = matches!(kind, FlagKind::Mem | FlagKind::Rmw);
        match word {
            "fast" if kind == FlagKind::Fast => self.parser.advance().map(|_| Some(kind.allowed_bits())),
            "align" if memory => {
                self.parser.advance()?;
                Ok(Some(u16::from(self.parser.alignment()?)))
            }
            "scale" if kind == FlagKind::Scale => {
                self.parser.advance()?;
                Ok(Some(self.parser.small()?))
            }
            "locality" if kind == FlagKind::Prefetch => {
                self.parser.advance()?;
                Ok(Some((self.parser.small::<u16>()? & 3) << 1))
            }
            "flags" => {
                self.parser.advance()?;
                Ok(Some(self.parser.small()?))
            }
            _ => Ok(None),
        }
    }

    fn operands(&mut self, data: &mut InstData) -> Parsed<()> {
        match data.op.format() {
            Format::Nullary => Ok(()),
            Format::Unary => {
                data.a = self.operand(data, 0)?;
                Ok(())
            }
            Format::Binary => {
                data.a = self.operand(data, 0)?;
                data.b = self.next_operand(data, 1)?;
                Ok(())
            }
            Format::Ternary => {
                data.a = self.operand(data, 0)?;
                let rest = [self.next_operand(data, 1)?, self.next_operand(data, 2)?];
                data.b = Operand::raw(self.function.push_pool(&rest));
                Ok(())
            }
            Format::List => self.list(data),
            Format::Phi => self.phi(data),
            Format::Jump => {
                data.result = self.target()?.as_u32();
                Ok(())
            }
            Format::Branch => {
                data.a = self.operand(data, 0)?;
                self.parser.expect_mark(",")?;
                data.result = self.target()?.as_u32();
                self.parser.expect_mark(",")?;
                data.b = Operand::raw(self.target()?.as_u32());
                Ok(())
            }
            Format::Switch => self.switch(data),
            Format::Call | Format::Invoke => self.call(data),
            Format::IndirectJump => self.indirect_jump(data),
            Format::LandingPad => self.landing_pad(data),
        }
    }

    fn next_operand(&mut self, data: &InstData, slot: usize) -> Parsed<Operand> {
        self.parser.expect_mark(",")?;
        self.operand(data, slot)
    }

    /// Operand `slot`, whose type the opcode tells.
    fn operand(&mut self, data: &InstData, slot: usize) -> Parsed<Operand> {
        let place = match slot_type(&self.function, data, slot, self.pointer_bits) {
            SlotType::Exact(ty) => Some(ty),
            SlotType::Pointer => Some(Type::PTR),
            SlotType::AnyInt => Some(Type::I64),
            SlotType::Condition => Some(Type::I1),
            SlotType::LikeFirst => self.function.operand_type(data.a).filter(|&ty| ty != Type::VOID),
            SlotType::Carried | SlotType::Mask => None,
        };
        self.operand_of(place)
    }

    fn list(&mut self, data: &mut InstData) -> Parsed<()> {
        let mut operands = Vec::new();
        while self.at_operand() {
            let place = self
                .function
                .signature
                .returns
                .get(operands.len())
                .map(|param| param.ty);
            operands.push(self.operand_of(place)?);
            if !self.parser.take_mark(",")? {
                break;
            }
        }
        data.a = Operand::raw(operands.len() as u32);
        data.b = Operand::raw(self.function.push_pool(&operands));
        Ok(())
    }

    fn phi(&mut self, data: &mut InstData) -> Parsed<()> {
        self.parser.expect_mark("[")?;
        let (mut operands, mut blocks) = (Vec::new(), Vec::new());
        while !self.parser.take_mark("]")? {
            blocks.push(self.target()?);
            self.parser.expect_mark(":")?;
            operands.push(self.operand_of(Some(data.ty))?);
            if !self.parser.at_mark("]") {
                self.parser.expect_mark(",")?;
            }
        }
        data.a = Operand::raw(operands.len() as u32);
        data.b = Operand::raw(self.function.push_pool(&operands));
        self.phis.push((self.function.insts.len(), blocks));
        Ok(())
    }

    fn switch(&mut self, data: &mut InstData) -> Parsed<()> {
        data.a = self.operand_of(Some(data.ty))?;
        self.parser.expect_mark(",")?;
        self.parser.expect_word("default")?;
        let default = self.target()?;
        self.parser.expect_mark(",")?;
        self.parser.expect_mark("[")?;
        let mut words = vec![Operand::raw(0), Operand::raw(default.as_u32())];
        while !self.parser.take_mark("]")? {
            words.push(self.operand_of(Some(data.ty))?);
            self.parser.expect_mark(":")?;
            words.push(Operand::raw(self.target()?.as_u32()));
            if !self.parser.at_mark("]") {
                self.parser.expect_mark(",")?;
            }
        }
        words[0] = Operand::raw((words.len() as u32 - 2) / 2);
        data.b = Operand::raw(self.function.push_pool(&words));
        Ok(())
    }

    fn call(&mut self, data: &mut InstData) -> Parsed<()> {
        data.a = self.operand_of(Some(Type::PTR))?;
        let arguments = self.parser.lexer.clone();
        let open = self.parser.token;
        let types = self.types_behind_arguments()?;
        (self.parser.lexer, self.parser.token) = (arguments, open);
        let mut words = vec![Operand::raw(0), Operand::raw(0)];
        if data.op == Opcode::Invoke {
            words.extend([Operand::raw(0); 2]);
        }
        let first = words.len();
        self.parser.expect_mark("(")?;
        while !self.parser.take_mark(")")? {
            let place = types.get(words.len() - first).copied();
            words.push(self.operand_of(place)?);
            if !self.parser.at_mark(")") {
                self.parser.expect_mark(",")?;
            }
        }
        self.parser.expect_mark(":")?;
        let signature = self.parser.signature(&mut self.function.types, false)?;
        words[0] = Operand::raw((words.len() - first) as u32);
        words[1] = Operand::raw(self.signature_id(signature).as_u32());
        if data.op == Opcode::Invoke {
            self.parser.expect_word("to")?;
            words[2] = Operand::raw(self.target()?.as_u32());
            self.parser.expect_word("unwind")?;
            words[3] = Operand::raw(self.target()?.as_u32());
        }
        data.b = Operand::raw(self.function.push_pool(&words));
        Ok(())
    }

    /// The parameter types of the signature that stands after the arguments that begin here.
    fn types_behind_arguments(&mut self) -> Parsed<Vec<Type>> {
        self.parser.expect_mark("(")?;
        let mut depth = 1;
        while depth > 0 {
            match self.parser.advance()? {
                Token::Mark("(" | "[") => depth += 1,
                Token::Mark(")" | "]") => depth -= 1,
                Token::End => return self.parser.expected("`)`"),
                _ => {}
            }
        }
        self.parser.expect_mark(":")?;
        let signature = self.parser.signature(&mut self.function.types, false)?;
        Ok(signature.params.iter().map(|param| param.ty).collect())
    }

    fn indirect_jump(&mut self, data: &mut InstData) -> Parsed<()> {
        data.a = self.operand(data, 0)?;
        self.parser.expect_mark(",")?;
        self.parser.expect_mark("[")?;
        let mut words = vec![Operand::raw(0)];
        while !self.parser.take_mark("]")? {
            words.push(Operand::raw(self.target()?.as_u32()));
            if !self.parser.at_mark("]") {
                self.parser.expect_mark(",")?;
            }
        }
        words[0] = Operand::raw(words.len() as u32 - 1);
        data.b = Operand::raw(self.function.push_pool(&words));
        Ok(())
    }

    fn landing_pad(&mut self, data: &mut InstData) -> Parsed<()> {
        data.a = Operand::raw(u32::from(self.parser.take_word("cleanup")?));
        self.parser.expect_mark("[")?;
        let mut words = vec![Operand::raw(0)];
        while !self.parser.take_mark("]")? {
            let kind = u32::from(self.parser.at_word("filter"));
            if kind == 0 && !self.parser.at_word("catch") {
                return self.parser.expected("`catch` or `filter`");
            }
            self.parser.advance()?;
            self.parser.expect_mark("(")?;
            let header = words.len();
            words.push(Operand::raw(0));
            while !self.parser.take_mark(")")? {
                words.push(self.operand_of(Some(Type::PTR))?);
                if !self.parser.at_mark(")") {
                    self.parser.expect_mark(",")?;
                }
            }
            words[header] = Operand::raw(((words.len() - header - 1) as u32) << 2 | kind);
            if !self.parser.at_mark("]") {
                self.parser.expect_mark(",")?;
            }
        }
        words[0] = Operand::raw(words.len() as u32 - 1);
        data.b = Operand::raw(self.function.push_pool(&words));
        Ok(())
    }

    fn at_operand(&self) -> bool {
        !matches!(self.parser.token, Token::LineEnd | Token::End | Token::Mark("}"))
    }

    /// An operand; an untyped literal takes its type from `place`.
    pub(super) fn operand_of(&mut self, place: Option<Type>) -> Parsed<Operand> {
        if self.parser.at_symbol() {
            return self.parser.symbol().map(Operand::symbol);
        }
        if let Token::Number(_) = self.parser.token {
            return self.number(place);
        }
        let word = self.parser.word().unwrap_or("");
        if let Some(number) = value_number(word) {
            let value = self.value(number)?;
            self.parser.advance()?;
            return Ok(Operand::value(value));
        }
        let simple = match word {
            "true" => Operand::imm(-1),
            "false" | "null" => Operand::imm(0),
            _ => None,
        };
        if let Some(operand) = simple {
            self.parser.advance()?;
            return Ok(operand);
        }
        if self.parser.take_word("asm")? {
            return self.asm();
        }
        match self.parser.take_type(&mut self.function.types)? {
            Some(ty) => self.constant(ty),
            None => match place {
                Some(ty) => self.constant(ty),
                None => self.parser.expected("an operand"),
            },
        }
    }

    /// A number without a type: an immediate where one fits, else a constant of the type of its place.
    fn number(&mut self, place: Option<Type>) -> Parsed<Operand> {
        let is_int = |data| matches!(data, TypeData::Int(_) | TypeData::Ptr(_));
        match place {
            Some(ty) if !is_int(self.function.types.data(ty)) => self.constant(ty),
            Some(ty) => {
                let Some(words) = self.parser.literal_words(&self.function.types, ty)? else {
                    return self.parser.expected("an integer that fits its type");
                };
                let low = words.first().map_or(0, |word| word.cast_signed());
                let fill = (low >> 63).cast_unsigned();
                let fits = words.iter().skip(1).all(|&word| word == fill);
                match Operand::imm(low).filter(|_| fits) {
                    Some(operand) => Ok(operand),
                    None => Ok(Operand::constant(self.function.push_int(ty, &words))),
                }
            }
            None => {
                let Token::Number(text) = self.parser.token else {
                    return self.parser.expected("a number");
                };
                match text.parse().ok().and_then(Operand::imm) {
                    Some(operand) => self.parser.advance().map(|_| operand),
                    None => self.parser.expected("a small number, or a constant with its type"),
                }
            }
        }
    }

    /// What stands after a constant's type.
    fn constant(&mut self, ty: Type) -> Parsed<Operand> {
        if self.parser.at_symbol() {
            let symbol = self.parser.symbol()?;
            let addend = self.parser.addend()?;
            return Ok(Operand::constant(self.function.push_symbol_const(ty, symbol, addend)));
        }
        if let Some(words) = self.parser.literal_words(&self.function.types, ty)? {
            let id = match self.function.types.data(ty) {
                TypeData::Int(_) | TypeData::Ptr(_) => self.function.push_int(ty, &words),
                _ => self.function.push_float(ty, &words),
            };
            return Ok(Operand::constant(id));
        }
        if self.parser.at_mark("[") {
            return self.vector_constant(ty);
        }
        let kind = match self.parser.word() {
            Some("undef") => ConstKind::Undef,
            Some("poison") => ConstKind::Poison,
            Some("zero") => ConstKind::Zero,
            Some("blockaddress") => return self.block_address(),
            _ => return self.parser.expected("a constant"),
        };
        self.parser.advance()?;
        Ok(Operand::constant(self.function.push_plain_const(kind, ty)))
    }

    fn block_address(&mut self) -> Parsed<Operand> {
        self.parser.advance()?;
        self.parser.expect_mark("(")?;
        let symbol = self.parser.module_symbol()?;
        self.parser.expect_mark(",")?;
        let block = match Some(symbol) == self.function.symbol {
            true => self.target()?,
            false => self.parser.block_number()?,
        };
        self.parser.expect_mark(")")?;
        Ok(Operand::constant(self.function.push_block_address(symbol, block)))
    }

    fn vector_constant(&mut self, ty: Type) -> Parsed<Operand> {
        let TypeData::Vector { element, lanes } = self.function.types.data(ty) else {
            return self.parser.expected("a constant of a scalar type");
        };
        self.parser.advance()?;
        let mut operands = Vec::new();
        while !self.parser.take_mark("]")? {
            if self.parser.at_mark("<") || self.parser.at_word("asm") {
                return self.parser.expected("a scalar constant");
            }
            let lane = self.operand_of(Some(element))?;
            if lane.as_value().is_some() {
                return Err(self.parser.error("the lanes of a constant are scalar constants"));
            }
            operands.push(lane);
            if !self.parser.at_mark("]") {
                self.parser.expect_mark(",")?;
            }
        }
        if operands.len() != lanes as usize {
            return Err(self.parser.error(format!("this constant has {lanes} lanes")));
        }
        Ok(Operand::constant(self.function.push_vector_const(ty, &operands)))
    }

    fn asm(&mut self) -> Parsed<Operand> {
        let mut asm = AsmData::default();
        while let Some(word) = self.parser.word() {
            let Some((bit, _)) = ASM_FLAGS.iter().find(|row| row.1 == word) else {
                return self.parser.expected("a flag of inline assembly or its template");
            };
            asm.flags |= bit;
            self.parser.advance()?;
        }
        asm.template = self.parser.text()?.to_vec();
        asm.constraints = self.parser.text()?.to_vec();
        Ok(Operand::constant(self.function.push_asm(asm)))
    }
}
