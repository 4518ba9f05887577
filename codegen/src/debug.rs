//! Where the variables of a compiled function are, for who writes debug information.
//!
//! Both code paths fill in [`CodeDebug`]; the code itself is the same with and without. A place holds for a range of
//! the body. What is not certain is left out: a variable without a place is one that debuggers call optimized out.

use crate::buffer::CodeBuffer;
use crate::desc::TargetDesc;
use crate::reg::Reg;
use frazil_ir::debug::{DebugConstant, DebugKind, DebugValue, FunctionDebug};
use frazil_ir::{ConstView, Function, Operand, SymbolId};

/// Asked of types that are no pointers, which do not depend on it.
const POINTER_BITS: u32 = 64;

/// The offset of a label of which no code has been found.
const NOT_FOUND: u32 = u32::MAX;

/// Where the operand of a [`DebugValue`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// In a register, by its DWARF number.
    Register(u16),
    /// In memory, so many bytes from the canonical frame address.
    Frame(i32),
    /// It is an address: so many bytes from the canonical frame address.
    FrameAddress(i32),
    /// It is the address of memory whose contents are in a register instead.
    InsteadOfMemory(u16),
    /// It was in this register when the function was called.
    Entry(u16),
    Constant(i64),
    /// It is these bytes, so many of them, the lowest first; they fill the variable.
    Bytes(u128, u8),
    /// The address of a symbol.
    Symbol(SymbolId),
}

/// What of the contents of a place is the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// This is added to them.
    pub added: i64,
    /// How many bits they have, above which there may be anything; 0 for all.
    pub bits: u16,
}

/// A value of a variable, and where it is from one offset of the body to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// As it is in the function that was compiled, which may be a changed copy of the one that was read.
    pub value: DebugValue,
    /// Which bits of the variable are there alone, the first and how many, if the value is in several places.
    pub part: Option<(u64, u64)>,
    /// Offsets in bytes; `None` for the whole function.
    pub range: Option<(u32, u32)>,
    pub spot: Spot,
    pub shape: Shape,
}

/// A call of a function whose debug information says that all of its calls are described (DWARF 5, section 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescribedCall {
    /// Where the call instruction begins, and where it ends, in bytes from the start of the body.
    pub range: (u32, u32),
    pub callee: Callee,
    /// Whether it takes the place of the function, whose frame is gone then.
    pub is_tail: bool,
    /// Which of [`CodeDebug::parameters`] belong to it.
    pub parameters: (u32, u32),
}

/// Where the address of a called function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    Symbol(SymbolId),
    /// The address in this register, and whether it is still there during the call.
    Register(u16, bool),
    /// The address in memory so many bytes from what is in this register, and whether that is still there.
    Memory(u16, i32, bool),
}

/// What a call passes in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallParameter {
    pub register: u16,
    /// Where it is during the call: in the frame, in a register that calls preserve, nowhere but in the caller's
    /// caller.
    pub spot: Spot,
    pub shape: Shape,
    /// How many of the lowest bits of all that count; above them are zeros.
    pub bits: u8,
}

/// How offsets in the frame become distances from the canonical frame address, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameDistances {
    /// Added to offsets of the function's own areas; `None` if that depends on the caller.
    pub areas: Option<i32>,
    /// Added to offsets of arguments on the stack.
    pub incoming: i32,
}

impl FrameDistances {
    /// The distances on a target, by that of the function's areas from where a frame pointer would point.
    pub fn new(areas: Option<i32>, desc: &TargetDesc) -> Option<FrameDistances> {
        Some(FrameDistances {
            areas: areas.map(|areas| areas - desc.incoming_args_offset),
            incoming: -desc.incoming_args_offset,
        })
    }
}

/// The debug information of a compiled function.
#[derive(Debug, Default)]
pub struct CodeDebug {
    /// What its reader and passes said.
    pub function: FunctionDebug,
    pub places: Vec<Place>,
    /// Labels of the source, and the offset in bytes at which each is.
    pub labels: Vec<(DebugValue, u32)>,
    /// Whether all calls are described that are known.
    pub describes_calls: bool,
    /// By offset, ascending.
    pub calls: Vec<DescribedCall>,
    pub parameters: Vec<CallParameter>,
    /// Where the frame of a machine function is.
    pub(crate) distances: Option<FrameDistances>,
}

impl CodeDebug {
    /// Forgets the function but keeps the memory.
    pub fn clear(&mut self) {
        self.function.clear();
        self.places.clear();
        self.labels.clear();
        self.describes_calls = false;
        self.calls.clear();
        self.parameters.clear();
        self.distances = None;
    }

    /// Takes what is known of calls, by offsets from before branches became shorter.
    #[cold]
    pub(crate) fn describe_calls(
        &mut self,
        body: &CodeBuffer,
        calls: Vec<DescribedCall>,
        parameters: Vec<CallParameter>,
    ) {
        self.describes_calls = true;
        (self.calls, self.parameters) = (calls, parameters);
        for call in &mut self.calls {
            call.range = (body.moved_offset(call.range.0), body.moved_offset(call.range.1));
        }
    }

    /// Forgets labels without code, and follows the others as [`CodeDebug::follow_moves`] does.
    pub(crate) fn follow_labels(&mut self, body: &CodeBuffer) {
        self.labels.retain(|label| label.1 != NOT_FOUND);
        for (_, offset) in &mut self.labels {
            *offset = body.moved_offset(*offset);
        }
    }

    /// Follows code that branches before it have moved by becoming shorter.
    #[inline]
    pub(crate) fn follow_moves(&mut self, body: &CodeBuffer) {
        for (start, end) in self.places.iter_mut().filter_map(|place| place.range.as_mut()) {
            (*start, *end) = (body.moved_offset(*start), body.moved_offset(*end));
        }
        self.follow_labels(body);
    }
}

impl CodeDebug {
    /// Prepares the labels of a function, none of which has been found.
    pub(crate) fn begin_labels(labels: &mut Vec<(DebugValue, u32)>, function: &Function) {
        let all = function
            .debug
            .values
            .iter()
            .filter(|value| value.kind == DebugKind::Label);
        labels.extend(all.map(|&value| (value, NOT_FOUND)));
    }
}

/// Notes the labels that stand before an instruction, but not before the first of its block, and were not found yet.
#[cold]
pub(crate) fn find_labels(labels: &mut [(DebugValue, u32)], (first, inst): (usize, usize), offset: u32) {
    for (value, found) in labels {
        if *found == NOT_FOUND && (first..=inst).contains(&(value.before as usize)) {
            *found = offset;
        }
    }
}

/// Where a value is that needs no register, and what is added to that.
pub(crate) fn fixed_spot(function: &Function, value: &DebugValue) -> Option<(Spot, i64)> {
    let operand: Operand = value.operand;
    if let Some(constant) = function.debug.constant_of(value) {
        return Some(match constant {
            DebugConstant::Integer(number) => (Spot::Constant(number), 0),
            DebugConstant::Bytes(bytes, count) => (Spot::Bytes(bytes, count), 0),
            DebugConstant::Symbol(symbol, added) => (Spot::Symbol(symbol), added),
        });
    }
    if let Some(constant) = operand.as_const() {
        let (ty, view) = function.constant(constant);
        return match view {
            ConstView::Int(&[word]) => Some((Spot::Constant(word.cast_signed()), 0)),
            ConstView::Int(words @ &[_, _]) | ConstView::Float(words @ (&[_] | &[_, _])) => {
                let word = |place: usize| u128::from(words.get(place).copied().unwrap_or(0));
                let bits = function.types().bits(ty, POINTER_BITS);
                let bits = u32::try_from(bits).ok()?;
                let unused = u128::BITS
                    .checked_sub(bits)
                    .filter(|_| bits >= 16 && bits.is_power_of_two())?;
                let bytes = (word(0) | word(1) << 64) << unused >> unused;
                Some((Spot::Bytes(bytes, (bits / 8) as u8), 0))
            }
            ConstView::Symbol(symbol, added) => Some((Spot::Symbol(symbol), added)),
            _ => None,
        };
    }
    match (operand.as_imm(), operand.as_symbol()) {
        (Some(number), _) => Some((Spot::Constant(number), 0)),
        (_, Some(symbol)) => Some((Spot::Symbol(symbol), 0)),
        _ => None,
    }
}

/// A register by its DWARF number, as contents of memory.
pub(crate) fn instead_of_memory(desc: &TargetDesc, reg: Reg) -> Option<Spot> {
    desc.dwarf_number(reg).map(Spot::InsteadOfMemory)
}
