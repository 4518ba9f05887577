//! Which rows are other rows with a register operand in memory.
//!
//! ```text
//! AddRR "add" StoreRR  ->  AddMR "add" MR    the first operand in memory
//!                          AddRM "add" RM    the second one
//! ```
//!
//! Method: two rows are a pair if they have the same mnemonic and the memory row all sizes of the other one; which form
//! goes with which follows from the operands. The memory row stands a few lines below the other in the table.
//!
//! Only rows that do the same are pairs. Left out are those of [`ONLY_REGISTERS`]; a few rows are
//! [irregular](IRREGULAR). The allocator ensures that a spill slot is as wide as the operation, by the operation's size
//! or, where that is the size of a lane, by [what the memory form reads](memory_bytes). Rows that read more than their
//! size (conversions from a double to 32 bits) have memory forms, since their operand always is a double.
//!
//! Rows on whole vector registers without a VEX prefix need memory that is aligned. Spill slots of 16 bytes and more
//! are: they are reloaded with `movaps`.

use crate::ops::{Code, Form, Row, Width};
use crate::regs::VECTOR_BYTES;
use crate::rows::ROWS;
use crate::table::{NAMED, Op};

/// Memory rows stand at most so many lines below.
pub(crate) const NEARBY: usize = 6;

/// Rows whose operands stay in registers, though there is a row with memory: ends of blocks, exchanges, single bytes
/// that are written, and copies of float registers, whose size does not tell what is copied.
const ONLY_REGISTERS: [Op; 8] = [
    Op::SetR,
    Op::SetLowR,
    Op::JmpR,
    Op::CmpxchgRR,
    Op::XaddRR,
    Op::MovsRR,
    Op::MovapRR,
    Op::MovqXX,
];

/// Row, the row with its first operand in memory, the row with its second one, where the rule does not find them: a
/// test has no order, what relies on the cleared upper half or on the other kind of register is no reload, and
/// comparisons of floats read one lane, though they are encoded as if they read a whole register.
const IRREGULAR: [(Op, Option<Op>, Option<Op>); 6] = [
    (Op::TestRR, Some(Op::TestMR), Some(Op::TestMR)),
    (Op::MovzxLRR, None, Some(Op::MovzxLRM)),
    (Op::MovdXR, None, Some(Op::BitsXM)),
    (Op::MovdRX, None, Some(Op::BitsRM)),
    (Op::UcomisRR, None, Some(Op::UcomisRM)),
    (Op::ComisRR, None, Some(Op::ComisRM)),
];

/// The row with its first, its second, and its third operand in memory.
pub(crate) const fn memory_forms(row: usize) -> [Option<u16>; 3] {
    let mut index = 0;
    while index < IRREGULAR.len() {
        let (irregular, first, second) = IRREGULAR[index];
        if irregular as usize == row {
            return [number(first), number(second), None];
        }
        index += 1;
    }
    index = 0;
    while index < ONLY_REGISTERS.len() {
        if ONLY_REGISTERS[index] as usize == row {
            return [None; 3];
        }
        index += 1;
    }
    let [first, second, third] = forms_with_memory(ROWS[row].code.form);
    [memory_row(row, first), memory_row(row, second), memory_row(row, third)]
}

/// How many bytes the rows that [`memory_forms`] gives for a row access if its size is that of a lane; 0 for the size.
pub(crate) const fn memory_bytes(row: &Row) -> u8 {
    if matches!(row.code.width, Width::Packed) || row.code.is_of_fused_lanes() {
        VECTOR_BYTES
    } else {
        0
    }
}

/// The forms with the first, the second, and the third operand in memory.
const fn forms_with_memory(form: Form) -> [Option<Form>; 3] {
    match form {
        Form::StoreRR => [Some(Form::MR), Some(Form::RM), None],
        Form::LoadRR => [None, Some(Form::RM), None],
        Form::LoadRRI => [None, Some(Form::RMI), None],
        Form::Three => [None, None, Some(Form::ThreeM)],
        Form::R => [Some(Form::M), None, None],
        Form::RI => [Some(Form::MI), None, None],
        Form::RC => [Some(Form::MC), None, None],
        _ => [None; 3],
    }
}

const fn number(op: Option<Op>) -> Option<u16> {
    match op {
        Some(op) => Some(op as u16),
        None => None,
    }
}

/// The next row of this form that does with memory what a row does with a register.
const fn memory_row(row: usize, form: Option<Form>) -> Option<u16> {
    let Some(form) = form else { return None };
    let mut other = row + 1;
    while other < NAMED.len() && other <= row + NEARBY {
        if ROWS[other].code.form as u8 == form as u8 && is_pair(&ROWS[row], &ROWS[other]) {
            return Some(other as u16);
        }
        other += 1;
    }
    None
}

/// The row that reads its second operand, of a vector register, from memory, which must be aligned if the operand is
/// all of the register.
pub(crate) fn vector_memory_form(row: Op) -> Option<Op> {
    let data = &ROWS[row as usize];
    let following = Op::ALL.iter().zip(&ROWS).skip(row as usize + 1).take(NEARBY);
    let [_, form, _] = forms_with_memory(data.code.form);
    let mut found = following.filter(|(_, other)| {
        Some(other.code.form) == form && other.mnemonic == data.mnemonic && data.sizes & !other.sizes == 0
    });
    found.next().map(|(&op, _)| op)
}

const fn is_pair(row: &Row, memory: &Row) -> bool {
    // A row for which its register's old contents do not matter is none that reads them.
    let merges_alike = row.effects.merges == memory.effects.merges;
    let is_plain = !memory.code.has(Code::LOCK) && !memory.code.has(Code::FS);
    let has_sizes = row.sizes & !memory.sizes == 0;
    is_plain
        && merges_alike
        && has_sizes
        && are_equal(row.mnemonic.as_str().as_bytes(), memory.mnemonic.as_str().as_bytes())
}

const fn are_equal(left: &[u8], right: &[u8]) -> bool {
    let mut index = 0;
    while index < left.len() && index < right.len() && left[index] == right[index] {
        index += 1;
    }
    index == left.len() && index == right.len()
}

#[cfg(test)]
mod tests {
    use super::{forms_with_memory, is_pair, memory_row};
    use crate::descs::OP_DESCS;
    use crate::ops::Row;
    use crate::rows::ROWS;
    use crate::table::{NAMED, Op};

    /// The same effects, and the register operand that stays is treated alike.
    #[test]
    fn forms_do_what_their_rows_do() {
        let mut pairs = 0;
        for (row, data) in Op::ALL.iter().zip(&ROWS) {
            for (form, stays) in OP_DESCS[*row as usize].memory_forms.into_iter().zip([1, 0, 0]) {
                let Some(form) = form else {
                    continue;
                };
                pairs += 1;
                let other = &ROWS[usize::from(form)];
                assert!(other.code.form.has_mem(), "{row:?}");
                assert_eq!(data.effects.reads_flags, other.effects.reads_flags, "{row:?}");
                assert_eq!(data.effects.writes_flags, other.effects.writes_flags, "{row:?}");
                assert_eq!(data.effects.uses, other.effects.uses, "{row:?}");
                assert_eq!(data.effects.defs, other.effects.defs, "{row:?}");
                assert_eq!(data.operands[stays], other.operands[0], "{row:?}");
                assert_eq!(data.sizes & !other.sizes, 0, "{row:?}");
                let renamed = [Op::MovdXR, Op::MovdRX].contains(row);
                assert!(renamed || data.mnemonic == other.mnemonic, "{row:?}");
            }
        }
        assert_eq!(pairs, 312, "rows with an operand in memory");
    }

    /// No pair is missed because its rows stand too far from each other.
    #[test]
    fn memory_rows_are_nearby() {
        for (number, row) in NAMED.iter().enumerate() {
            for form in forms_with_memory(row.code.form).into_iter().flatten() {
                let is_found = |other: &Row| other.code.form == form && is_pair(row, other);
                let anywhere = ROWS.iter().position(is_found).map(|other| other as u16);
                assert_eq!(memory_row(number, Some(form)), anywhere, "{}", row.name);
            }
        }
    }
}
