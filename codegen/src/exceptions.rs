//! What a personality routine must know of a function: which call unwinds to which landing pad, and what stops there.
//!
//! Filled in while code is made, in terms of labels; `frazil-emit` writes it in the format of the Itanium C++ ABI
//! (Exception Handling Tables, section 4, "Language Specific Data Area"). Each call of a function that has a
//! personality routine is noted, since routines take a call that no entry covers for one that must not unwind, and stop
//! the program.
//!
//! Selectors: the number of a type, from 1 on, when a catch clause has matched it; a negative number for a filter, the
//! distance of its list from the end of the list of types; 0 for a cleanup.

use crate::error::CodegenError;
use crate::reference::Label;
use frazil_ir::{Block, ConstView, EntityRef, Function, Inst, Opcode, Operand, Refusal, SymbolId};
use frazil_support::FxHashMap;

/// Marks a call instruction, in place of a condition, that no exception leaves.
pub const DOES_NOT_UNWIND: u8 = 1;

/// The landing pad of a block.
pub fn pad_of(function: &Function, block: Block) -> Inst {
    let range = function.block_insts(block);
    let phis = function.insts()[range.clone()]
        .iter()
        .take_while(|data| data.op == Opcode::Phi);
    Inst::new(range.start + phis.count())
}

/// A call instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// Its offset in the body.
    pub start: u32,
    /// The offset after it.
    pub end: u32,
    /// Where it unwinds to, if anywhere in the function.
    pub landing: Option<Landing>,
}

/// Where a call unwinds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landing {
    /// The code of the landing pad, or of the moves on its unwind edge.
    pub label: Label,
    /// The pad's first action, counted from 1; 0 if there is nothing but a cleanup.
    pub action: u32,
}

/// One of the reasons to stop at a landing pad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    pub selector: i32,
    /// What is tried next, counted from 1; 0 for nothing.
    pub next: u32,
}

/// The tables of one function, kept from function to function.
#[derive(Debug, Default)]
pub struct ExceptionTable {
    is_wanted: bool,
    /// Calls in the order of their offsets.
    pub call_sites: Vec<CallSite>,
    /// Actions; each stands after the one that is tried next.
    pub actions: Vec<Action>,
    /// The types by their numbers, less 1; `None` stands for any.
    pub types: Vec<Option<SymbolId>>,
    /// The lists of filters: numbers of types, each list ended by 0.
    pub filters: Vec<u32>,
    /// The length of the lists, as they will be written.
    filter_bytes: i32,
    numbers: FxHashMap<Option<SymbolId>, u32>,
    known_actions: FxHashMap<Action, u32>,
    /// By the instruction of a landing pad: its first action.
    pads: FxHashMap<u32, u32>,
}

impl ExceptionTable {
    /// Forgets the function; `is_wanted` says whether calls of the next one are to be noted.
    pub fn begin(&mut self, is_wanted: bool) {
        if self.is_wanted {
            self.call_sites.clear();
            self.actions.clear();
            self.types.clear();
            self.filters.clear();
            self.filter_bytes = 0;
            self.numbers.clear();
            self.known_actions.clear();
            self.pads.clear();
        }
        self.is_wanted = is_wanted;
    }

    /// Whether calls are to be noted.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Whether some call unwinds to a landing pad, so that the personality routine is needed.
    pub fn has_landings(&self) -> bool {
        self.is_wanted && self.call_sites.iter().any(|site| site.landing.is_some())
    }

    /// The number of a type that clauses name.
    ///
    /// # Errors
    /// When it is named in a way that the table has no form for.
    pub fn type_number(&mut self, function: &Function, operand: Operand) -> Result<u32, CodegenError> {
        let constant = operand.as_const().map(|id| function.constant(id).1);
        let symbol = match (operand.as_symbol(), operand.as_imm(), constant) {
            (Some(symbol), ..) | (_, _, Some(ConstView::Symbol(symbol, 0))) => Some(symbol),
            (_, Some(0), _) | (_, _, Some(ConstView::Zero)) => None,
            _ => {
                return Err(CodegenError::unsupported(
                    Refusal::Exception,
                    "a type in a landing pad that is no symbol",
                ));
            }
        };
        Ok(*self.numbers.entry(symbol).or_insert_with(|| {
            self.types.push(symbol);
            self.types.len() as u32
        }))
    }

    /// The first action of a landing pad.
    ///
    /// # Errors
    /// As for [`ExceptionTable::type_number`].
    pub fn pad_action(&mut self, function: &Function, pad: Inst) -> Result<u32, CodegenError> {
        if let Some(&action) = self.pads.get(&(pad.index() as u32)) {
            return Ok(action);
        }
        let data = function.inst(pad);
        let mut selectors = Vec::new();
        let mut words = function.landing_pad_clauses(data);
        while let Some((header, rest)) = words.split_first() {
            let (is_filter, count) = (header.as_raw() & 3 == 1, header.as_raw() >> 2);
            let (operands, rest) = rest.split_at(count as usize);
            words = rest;
            if is_filter {
                selectors.push(self.add_filter(function, operands)?);
            } else {
                for &operand in operands {
                    selectors.push(self.type_number(function, operand)?.cast_signed());
                }
            }
        }
        let is_cleanup = data.a.as_raw() != 0;
        if is_cleanup && !selectors.is_empty() {
            selectors.push(0);
        }
        let first = selectors
            .iter()
            .rev()
            .fold(0, |next, &selector| self.add_action(Action { selector, next }));
        self.pads.insert(pad.index() as u32, first);
        Ok(first)
    }

    /// The same for a pad that was asked about before.
    pub fn known_action(&self, pad: Inst) -> u32 {
        let action = self.pads.get(&(pad.index() as u32));
        *action.expect("the pads of a function are numbered when its invokes are lowered")
    }

    fn add_action(&mut self, action: Action) -> u32 {
        *self.known_actions.entry(action).or_insert_with(|| {
            self.actions.push(action);
            self.actions.len() as u32
        })
    }

    /// The selector of a filter.
    fn add_filter(&mut self, function: &Function, operands: &[Operand]) -> Result<i32, CodegenError> {
        let selector = -1 - self.filter_bytes;
        for &operand in operands {
            let number = self.type_number(function, operand)?;
            self.filters.push(number);
            self.filter_bytes += (1 + number.ilog2() / 7).cast_signed();
        }
        self.filters.push(0);
        self.filter_bytes += 1;
        Ok(selector)
    }
}
