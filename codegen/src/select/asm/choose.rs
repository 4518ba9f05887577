//! Which of several alternatives an operand of inline assembly gets.
//!
//! Alternatives of the whole text are weighted as in LLVM (`TargetLowering::ParseConstraints`): constants count most,
//! then memory, then registers, and the alternative with the largest sum wins. Within one alternative, constants are
//! preferred to registers. A value goes to memory only if nothing else is allowed or registers run out.

use super::{Pending, SelectCtx};
use crate::abi::type_name;
use crate::context::{Addressing, PlaceBase};
use crate::error::CodegenError;
use crate::inline_asm::constraints::{Code, Constraint, Purpose};
use crate::inline_asm::{AsmClass, AsmRules, AsmSide, wrong};
use crate::isa::Isa;
use crate::reg::{PRegSet, Reg, RegClass};
use frazil_ir::{ConstView, Operand, SymbolId};

/// Where an operand is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choice {
    Any(RegClass),
    /// In one of several registers, which is chosen later.
    OneOf(RegClass, PRegSet),
    Fixed(Reg),
    /// In two registers, low half first.
    Pair(Reg, Reg),
    /// In two registers, low half first: any two of this set, or any two at all if it is empty.
    AnyPair(PRegSet),
    /// In a register that is never allocated to values ([`super::side`]).
    Side(AsmSide),
    /// In a side register of this bank whose number is in this bit set.
    AnySide(u8, u32),
    /// In this register of the register stack, counted from its top.
    Stack(u8),
    /// Anywhere on the register stack below the fixed inputs; [`super::stack`] chooses the register.
    AnyStack,
    /// A condition of the flags, by the target's number.
    Condition(u8),
    /// In the memory that the argument points to.
    Indirect,
    /// In an area of the frame.
    Memory,
    Address,
    Immediate(i64),
    /// A symbol's address.
    Symbol(SymbolId, i64),
    Label,
}

/// The weights of LLVM's `TargetLowering::ConstraintWeight`.
const INVALID: i32 = -1;
const OKAY: i32 = 0;
const GOOD: i32 = 1;
const BETTER: i32 = 2;
const BEST: i32 = 3;

/// What an argument is if it is known at compile time.
#[derive(Clone, Copy, Debug)]
enum Known {
    Number(i64),
    Symbol(SymbolId, i64),
    Nothing,
}

impl<I: Isa> SelectCtx<'_, I> {
    /// Decides for every operand where it is to be, and which outputs inputs are tied to.
    pub(super) fn choose_all(
        &mut self,
        pending: &mut [Pending],
        constraints: &[Constraint],
        rules: &dyn AsmRules,
    ) -> Result<(), CodegenError> {
        let count = constraints.iter().map(|one| one.alternatives.len()).max().unwrap_or(1);
        let alternative = match count {
            1 => 0,
            count => self.best_alternative(pending, constraints, rules, count)?,
        };
        let operands = constraints.iter().filter(|one| one.purpose != Purpose::Clobber);
        for (index, constraint) in operands.enumerate() {
            if constraint.purpose == Purpose::Label {
                continue;
            }
            let codes = &constraint.alternatives[alternative.min(constraint.alternatives.len() - 1)];
            if let [Code::SameAs(output)] = codes[..] {
                let is_output = pending.get(output).is_some_and(|one| one.purpose == Purpose::Output);
                if !is_output || pending[output].tied_elsewhere(pending, output) {
                    return Err(wrong(format!("an operand tied to operand {output}")));
                }
                if pending[output].choice != Choice::Indirect {
                    pending[index].tied_to = Some(output);
                    pending[index].choice = pending[output].choice;
                    self.check_tie(&pending[index], &pending[output])?;
                    continue;
                }
                // The input uses the output's memory, whatever its own address is; a value is stored there first.
                pending[index].tied_to = Some(output);
                pending[index].choice = Choice::Indirect;
                continue;
            }
            let (choice, may_spill) = self.choose(&pending[index], constraint, codes, rules)?;
            pending[index].choice = choice;
            pending[index].may_spill = may_spill;
        }
        Ok(())
    }

    fn check_tie(&self, input: &Pending, output: &Pending) -> Result<(), CodegenError> {
        let fits = match output.choice {
            Choice::Condition(_) | Choice::Label => false,
            Choice::Stack(_) => input.parts.float,
            // Integers may be of different widths; floats would have to be converted.
            _ if input.parts.float == output.parts.float => {
                input.parts.count == output.parts.count
                    && (!input.parts.float || input.parts.bytes == output.parts.bytes)
            }
            _ => input.parts.count == 1 && output.parts.count == 1 && input.parts.bytes <= output.parts.bytes,
        };
        match fits {
            true => Ok(()),
            false => Err(wrong("tied operands of different kinds")),
        }
    }

    fn best_alternative(
        &self,
        pending: &[Pending],
        constraints: &[Constraint],
        rules: &dyn AsmRules,
        count: usize,
    ) -> Result<usize, CodegenError> {
        let mut best = None;
        for alternative in 0..count {
            let operands = constraints.iter().filter(|one| one.purpose != Purpose::Clobber);
            let mut sum = 0;
            for (one, constraint) in pending.iter().zip(operands) {
                let codes = constraint
                    .alternatives
                    .get(alternative)
                    .or(constraint.alternatives.first());
                let weights = codes
                    .into_iter()
                    .flatten()
                    .map(|code| self.weight(one, constraint, code, rules));
                let weight = weights.max().unwrap_or(OKAY);
                sum = if weight == INVALID || sum == INVALID {
                    INVALID
                } else {
                    sum + weight
                };
            }
            if sum != INVALID && best.is_none_or(|(most, _)| sum > most) {
                best = Some((sum, alternative));
            }
        }
        best.map(|(_, alternative)| alternative)
            .ok_or_else(|| wrong("no alternative of the constraints fits"))
    }

    fn weight(&self, one: &Pending, constraint: &Constraint, code: &Code, rules: &dyn AsmRules) -> i32 {
        let Code::Letter(letter) = code else { return OKAY };
        let is_memory = constraint.is_indirect;
        match rules.class(letter) {
            Some(AsmClass::Register(..) | AsmClass::Pair(..) | AsmClass::Stack | AsmClass::Side(..)) if is_memory => {
                INVALID
            }
            Some(AsmClass::Register(..) | AsmClass::Stack | AsmClass::Side(..)) => GOOD,
            Some(AsmClass::Pair(..)) => OKAY,
            Some(AsmClass::Memory) if is_memory || one.result.is_none() => BETTER,
            Some(AsmClass::Immediate {
                accepts,
                is_unsigned,
                symbols,
            }) => match self.known(one.argument) {
                Known::Number(value) if accepts(self.counted(one, value, is_unsigned)) && !is_memory => BEST,
                Known::Symbol(..) if symbols && !is_memory => BEST,
                _ => INVALID,
            },
            Some(AsmClass::Symbol) => match self.known(one.argument) {
                Known::Symbol(..) if !is_memory => BEST,
                _ => INVALID,
            },
            Some(AsmClass::Any | AsmClass::Everything) => GOOD,
            Some(AsmClass::Address) => OKAY,
            _ => INVALID,
        }
    }

    /// Chooses among the codes of an operand: the one with the highest rank (constants 3, registers 2, memory 1). Also
    /// returns whether the operand may be in memory instead.
    fn choose(
        &mut self,
        one: &Pending,
        constraint: &Constraint,
        codes: &[Code],
        rules: &dyn AsmRules,
    ) -> Result<(Choice, bool), CodegenError> {
        let (mut best, mut may_spill) = (None, false);
        let mut missing = None;
        for code in codes {
            let found = match code {
                Code::Named(name) => self.named(one, constraint, name, rules)?,
                Code::SameAs(_) => return Err(wrong("an operand that is tied or something else")),
                Code::Letter(letter) => match rules.class(letter) {
                    Some(AsmClass::Stack) => on_stack(one, rules)?,
                    Some(AsmClass::Side(bank, set)) if !constraint.is_indirect => {
                        self.check_side(one, bank, rules)?;
                        Some((2, Choice::AnySide(bank, set)))
                    }
                    Some(class) => self.of_class(one, constraint, class)?,
                    None => return Err(wrong(format!("the constraint `{letter}`"))),
                },
            };
            match found {
                None => missing = missing.or(Some(code.clone())),
                Some((_, Choice::Memory)) if best.is_some() => may_spill = true,
                Some((rank, choice)) => {
                    may_spill |= matches!(best, Some((_, Choice::Memory)));
                    if best.is_none_or(|(other, _)| rank > other) {
                        best = Some((rank, choice));
                    }
                }
            }
        }
        best.map(|(_, choice)| (choice, may_spill))
            .ok_or_else(|| match missing {
                Some(Code::Letter(letter)) => wrong(format!("an operand that does not fit the constraint `{letter}`")),
                _ => wrong("an operand without constraint"),
            })
    }

    /// A register or a condition that the constraint names.
    fn named(
        &self,
        one: &Pending,
        constraint: &Constraint,
        name: &str,
        rules: &dyn AsmRules,
    ) -> Result<Option<(u8, Choice)>, CodegenError> {
        if constraint.is_indirect {
            return Err(wrong("the register of an operand in memory"));
        }
        if name.starts_with('@') {
            let condition = rules
                .condition(name)
                .filter(|_| one.result.is_some() && !one.parts.float);
            return match condition {
                Some(condition) => Ok(Some((2, Choice::Condition(condition)))),
                None => Err(wrong(format!("the flag output `{name}`"))),
            };
        }
        if let Some(side) = rules.side(name) {
            self.check_side(one, side.bank, rules)?;
            return Ok(Some((2, Choice::Side(side))));
        }
        if let Some(stack) = rules.stack()
            && let Some(depth) = stack.depth(name)
        {
            return match stack.holds(one.ty) {
                true => Ok(Some((2, Choice::Stack(depth)))),
                false => Err(wrong(format!("an operand that the register `{name}` cannot hold"))),
            };
        }
        let reg = rules
            .register(name)
            .ok_or_else(|| wrong(format!("the register `{name}`")))?;
        self.fixed(one, reg).map(Some)
    }

    fn fixed(&self, one: &Pending, reg: Reg) -> Result<(u8, Choice), CodegenError> {
        let desc = self.base.isa.desc();
        let widest = desc.widest_bytes([RegClass::Int, RegClass::Float][reg.bank()]);
        if desc.upper_registers.contains(reg) && !self.base.isa.has_upper_registers(self.base.view.features) {
            return Err(wrong("a register that this function does not have"));
        }
        if one.parts.count > 1 || one.parts.bytes > widest {
            return Err(wrong("a value that is wider than its register"));
        }
        if let Some(stack) = desc.register_stack.filter(|_| desc.is_for_stack(one.ty)) {
            let ty = type_name(self.base.function.types(), one.ty);
            return Err(wrong(format!(
                "a value of type {ty} in another register than {}'s",
                stack.name
            )));
        }
        Ok((2, Choice::Fixed(reg)))
    }

    /// The choice for an operand with a constraint letter of this class, with its rank (see [`SelectCtx::choose`]);
    /// `None` if the operand does not fit.
    fn of_class(
        &self,
        one: &Pending,
        constraint: &Constraint,
        class: AsmClass,
    ) -> Result<Option<(u8, Choice)>, CodegenError> {
        let known = self.known(one.argument);
        let is_memory = constraint.is_indirect;
        let fits = |class: RegClass| {
            let desc = self.base.isa.desc();
            let widest = desc.widest_bytes(class);
            one.parts.count == 1 && one.parts.bytes <= widest && !desc.is_for_stack(one.ty) && !is_memory
        };
        let found = match class {
            AsmClass::Unsupported(what) => return Err(wrong(what)),
            AsmClass::Register(class, set) if fits(class) && set.is_empty() => Some((2, Choice::Any(class))),
            AsmClass::Register(class, set) if fits(class) => match self.only(set) {
                Some(reg) => Some((2, Choice::Fixed(reg))),
                None => Some((2, Choice::OneOf(class, set))),
            },
            AsmClass::Register(class, set) if !is_memory && self.is_double(one) => match class {
                RegClass::Int => Some((2, Choice::AnyPair(set))),
                RegClass::Float if set.is_empty() => Some((2, Choice::Any(class))),
                RegClass::Float | RegClass::Mask => self.only(set).map(|reg| (2, Choice::Fixed(reg))),
            },
            AsmClass::Pair(low, _) if fits(RegClass::Int) && one.parts.float => Some((2, Choice::Fixed(low))),
            AsmClass::Pair(low, high) if !is_memory && !one.parts.float => Some((2, Choice::Pair(low, high))),
            AsmClass::Memory | AsmClass::Any | AsmClass::Everything if is_memory => Some((1, Choice::Indirect)),
            AsmClass::Memory if !one.is_output() => Some((1, Choice::Memory)),
            AsmClass::Address if one.result.is_none() => Some((1, Choice::Address)),
            AsmClass::Immediate {
                accepts,
                is_unsigned,
                symbols,
            } if !is_memory => match known {
                Known::Number(value) => accepts(self.counted(one, value, is_unsigned))
                    .then(|| (3, Choice::Immediate(self.counted(one, value, false)))),
                Known::Symbol(symbol, addend) if symbols => Some((3, Choice::Symbol(symbol, addend))),
                _ => None,
            },
            AsmClass::Symbol => match known {
                Known::Symbol(symbol, addend) => Some((3, Choice::Symbol(symbol, addend))),
                _ => None,
            },
            AsmClass::Any | AsmClass::Everything => match known {
                Known::Symbol(symbol, addend) if matches!(class, AsmClass::Everything) => {
                    Some((3, Choice::Symbol(symbol, addend)))
                }
                Known::Number(value) if matches!(class, AsmClass::Everything) || i32::try_from(value).is_ok() => {
                    Some((3, Choice::Immediate(self.counted(one, value, false))))
                }
                _ if fits(one.parts.class()) => Some((2, Choice::Any(one.parts.class()))),
                _ => Some((1, Choice::Memory)).filter(|_| !one.is_output()),
            },
            _ => None,
        };
        Ok(found)
    }

    /// Whether an operand is an integer that takes two general registers.
    fn is_double(&self, one: &Pending) -> bool {
        let widest = self.base.isa.desc().class(RegClass::Int).bytes;
        one.parts.count == 2 && !one.parts.float && one.parts.bytes == widest
    }

    /// The size of the value itself in bytes; narrow vectors are kept in wider registers.
    fn bytes_of(&self, one: &Pending) -> u8 {
        let pointer_bits = 8 * u32::from(self.base.isa.desc().pointer_bytes);
        let bytes = self.base.function.types().store_bytes(one.ty, pointer_bits);
        u8::try_from(bytes).unwrap_or(u8::MAX)
    }

    fn check_side(&self, one: &Pending, bank: u8, rules: &dyn AsmRules) -> Result<(), CodegenError> {
        let features = self.base.view.features;
        rules
            .side_holds(bank, one.ty, self.bytes_of(one), features)
            .map_err(wrong)
    }

    /// A number as the constraint counts it: without sign if that is asked for, or if its type is `i1`, whose values
    /// are 0 and 1.
    fn counted(&self, one: &Pending, value: i64, is_unsigned: bool) -> i64 {
        match self.base.function.types().int_bits(one.ty) {
            Some(bits @ 1..64) if is_unsigned || bits == 1 => value & (i64::MAX >> (63 - bits)),
            _ => value,
        }
    }

    fn only(&self, set: PRegSet) -> Option<Reg> {
        let mut members = set.iter();
        let first = members.next()?;
        members.next().is_none().then_some(first)
    }

    fn known(&self, argument: Option<Operand>) -> Known {
        let Some(operand) = argument else { return Known::Nothing };
        if let Some(value) = operand.as_imm() {
            return Known::Number(value);
        }
        if let Some(id) = operand.as_const()
            && let ConstView::Int(&[word]) = self.base.function.constant(id).1
        {
            return Known::Number(word.cast_signed());
        }
        match self.place(operand) {
            Some((PlaceBase::Symbol(symbol), addend)) => Known::Symbol(symbol, addend),
            _ => Known::Nothing,
        }
    }
}

impl Pending {
    /// Whether another operand is tied to this one, which is operand `index`.
    fn tied_elsewhere(&self, all: &[Pending], index: usize) -> bool {
        all.iter().any(|other| other.tied_to == Some(index))
    }
}

/// The choice for an input that may be anywhere on the register stack. Outputs may not: they must name their register
/// (GCC manual, "Extended Asm", "x86 Floating-Point asm Operands").
fn on_stack(one: &Pending, rules: &dyn AsmRules) -> Result<Option<(u8, Choice)>, CodegenError> {
    match one.result {
        Some(_) => Err(wrong("an output anywhere on the register stack")),
        None => {
            let fits = rules.stack().is_some_and(|stack| stack.holds(one.ty));
            Ok(fits.then_some((2, Choice::AnyStack)))
        }
    }
}

/// The registers that a clobber constraint says are overwritten. Other names (`memory`, `cc`) have no effect here,
/// since no memory access is moved across a text and no flag is live across one.
pub(super) fn overwritten(constraint: &Constraint, rules: &dyn AsmRules) -> PRegSet {
    let mut set = PRegSet::EMPTY;
    for code in constraint.alternatives.iter().flatten() {
        if let Code::Named(name) = code
            && let Some(reg) = rules.overwritten(name)
        {
            set.insert(reg);
        }
    }
    set
}
