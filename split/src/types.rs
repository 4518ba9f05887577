//! The type table, as far as the numbering of values in function bodies depends on it.

use frazil_frontend_pnacl::ReadError;
use frazil_frontend_pnacl::bitstream::block::{Block, Item};
use frazil_frontend_pnacl::bitstream::cursor::Cursor;
use frazil_frontend_pnacl::bitstream::record::Record;
use frazil_frontend_pnacl::codes::types as code;

/// What is to be known of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Void,
    /// What is named by numbers of other kinds than those of values.
    Label,
    Metadata,
    Pointer(u64),
    /// The result, and where the parameters stand.
    Function {
        result: u64,
        first: usize,
        count: usize,
    },
    Other,
}

/// The types of a module, by number.
#[derive(Debug, Default)]
pub struct Types {
    rows: Vec<Type>,
    parameters: Vec<u64>,
}

/// What a call of a type takes and yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionType<'t> {
    /// Whether a call yields a value.
    pub has_result: bool,
    pub parameters: &'t [u64],
}

impl Types {
    /// Reads a type table, which has just been entered.
    ///
    /// # Errors
    /// If the block is malformed.
    pub fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut block: Block<'_>,
        record: &mut Record,
    ) -> Result<(), ReadError> {
        loop {
            match block.next(cursor, record)? {
                Item::End => return Ok(()),
                Item::Block(_) => continue,
                Item::Record => {}
            }
            let row = match record.code() {
                code::COUNT | code::STRUCT_NAME => continue,
                code::VOID => Type::Void,
                code::LABEL => Type::Label,
                code::METADATA => Type::Metadata,
                code::POINTER => Type::Pointer(record.operand(0)?),
                code::FUNCTION => self.function(record, 1)?,
                code::FUNCTION_OLD => self.function(record, 2)?,
                _ => Type::Other,
            };
            self.rows.push(row);
        }
    }

    fn function(&mut self, record: &Record, result: usize) -> Result<Type, ReadError> {
        let first = self.parameters.len();
        let parameters = record.operands().get(result + 1..).unwrap_or_default();
        self.parameters.extend_from_slice(parameters);
        Ok(Type::Function {
            result: record.operand(result)?,
            first,
            count: parameters.len(),
        })
    }

    fn get(&self, id: u64) -> Option<Type> {
        self.rows.get(usize::try_from(id).ok()?).copied()
    }

    /// The function type of this number, or that which a pointer of this number points to.
    pub fn function_type(&self, id: u64) -> Option<FunctionType<'_>> {
        let row = match self.get(id)? {
            Type::Pointer(pointee) => self.get(pointee)?,
            other => other,
        };
        let Type::Function { result, first, count } = row else {
            return None;
        };
        Some(FunctionType {
            has_result: self.get(result)? != Type::Void,
            parameters: self.parameters.get(first..first + count)?,
        })
    }

    /// Whether this is the number of a function type.
    pub fn is_function(&self, id: u64) -> bool {
        matches!(self.get(id), Some(Type::Function { .. }))
    }

    /// Whether operands of this type are numbers of values.
    pub fn is_value(&self, id: u64) -> bool {
        !matches!(self.get(id), Some(Type::Label | Type::Metadata))
    }
}
