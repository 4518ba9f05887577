//! The records of a function before numbers are known: operands name what they mean until the constants of the
//! function, and the intrinsics of the module, have been counted.

use super::types::Kind;
use crate::pnacl::codes::constants as constant;
use frazil_ir::{SymbolId, Value};

/// What an operand names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ref {
    Symbol(SymbolId),
    /// An intrinsic, by the order of their first uses.
    Intrinsic(u32),
    Parameter(u32),
    /// A constant, by the order of their first uses.
    Constant(u32),
    /// A result of a record, counted in the function.
    Result(u32),
    /// A value of the IR that is not defined yet.
    Later(Value),
}

/// A word of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Number(u64),
    /// How far a value is before the next result; as 32 bits.
    Relative(Ref),
    /// The same with a sign, as phis have it.
    Signed(Ref),
    /// The number of a value.
    Absolute(Ref),
}

/// A record of a function.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub code: u64,
    first: u32,
    count: u32,
    /// How many results there are before it.
    pub results: u32,
    /// For a call of a symbol, written as one of an address: the type that its function must have to be called by name.
    pub called_type: Option<u32>,
}

/// A constant's type by number, its record, and its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant {
    pub ty: u32,
    pub code: u64,
    pub word: u64,
}

/// The records of a function, but for its constants and the number of its blocks, which are apart.
#[derive(Debug, Default)]
pub struct Rows {
    rows: Vec<Row>,
    words: Vec<Word>,
    pub constants: Vec<Constant>,
    /// How many results there are so far.
    pub results: u32,
    pub parameters: u32,
    pub blocks: u32,
    /// The number of the function's type.
    pub ty: u32,
}

/// A number with its sign in the lowest bit.
pub fn signed(value: i64) -> u64 {
    match value {
        0.. => value.cast_unsigned() << 1,
        // The smallest number is a minus without digits.
        _ => value.unsigned_abs() << 1 | 1,
    }
}

impl Constant {
    /// An integer, sign-extended from the bits of its type.
    pub fn integer(ty: u32, kind: Kind, value: i64) -> Constant {
        let unused = 64 - kind.bits().unwrap_or(64);
        Constant {
            ty,
            code: constant::INTEGER,
            word: signed((value << unused) >> unused),
        }
    }

    /// The operands of its record.
    pub fn operands(&self) -> &[u64] {
        match self.code {
            constant::UNDEFINED => &[],
            _ => std::slice::from_ref(&self.word),
        }
    }
}

impl Rows {
    /// Appends a record; one with a result has it counted by the caller.
    pub fn push(&mut self, code: u64, words: &[Word]) {
        self.rows.push(Row {
            code,
            first: self.words.len() as u32,
            count: words.len() as u32,
            results: self.results,
            called_type: None,
        });
        self.words.extend_from_slice(words);
    }

    /// Appends the call of a symbol as one of an address, which becomes one by name if the function has this type.
    pub fn push_call(&mut self, code: u64, words: &[Word], called_type: u32) {
        self.push(code, words);
        if let Some(row) = self.rows.last_mut() {
            row.called_type = Some(called_type);
        }
    }

    /// How many words all records have.
    pub fn word_count(&self) -> usize {
        self.words.len()
    }

    /// The records with their words.
    pub fn iter(&self) -> impl Iterator<Item = (&Row, &[Word])> {
        self.rows.iter().map(|row| {
            let place = row.first as usize..(row.first + row.count) as usize;
            (row, self.words.get(place).unwrap_or_default())
        })
    }

    /// Replaces values that were not defined yet by what they have become; the first that never was.
    pub fn resolve(&mut self, defined: impl Fn(Value) -> Option<Ref>) -> Option<Value> {
        for word in &mut self.words {
            let (Word::Relative(name) | Word::Signed(name) | Word::Absolute(name)) = word else {
                continue;
            };
            if let Ref::Later(value) = *name {
                match defined(value) {
                    Some(found) => *name = found,
                    None => return Some(value),
                }
            }
        }
        None
    }
}
