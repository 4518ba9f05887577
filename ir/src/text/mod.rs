//! The text form of modules and functions (files ending in `.fzl`): printer and parser.
//!
//! The text carries everything that the data structures carry, and reading it back gives the same ones, numbers of
//! values, blocks, instructions, symbols, functions, data and nodes of debug information included. What is not kept are
//! the positions in shared pools: constants, call signatures, extra types and locations are numbered anew in the order
//! of their first mention, and initialiser bytes and relocations are laid out in the order of the data definitions.
//! Printing is deterministic, and `print(parse(print(x)))` equals `print(x)`.
//!
//! ```text
//! source "t.c"                                   ; comments run to the end of the line
//! triple "x86_64-unknown-linux-gnu"
//! layout pointer_bits 64 stack_align 16          ; and big_endian
//! flags pic_level 2 unwind_tables 2
//! comdat @group largest
//!
//! symbol @printf function dso_local              ; order of `symbol` lines, then of first definitions = symbol ids
//! symbol @table internal comdat @group section ".mine"
//! symbol @other alias data @table + 8
//! symbol @chosen ifunc @f
//!
//! data @table constant align 8 size 32 { "text\n\00" zero 3 x"0102ff" } relocations [
//!     8: 8 @f + 4,                               ; offset: width in bytes, target
//!     16: 4 @f minus @table]
//! constructor 65535 @f
//! used [@table]
//!
//! func @f(i32 signext v0, ptr byval(24, align 8) v1, ...) -> (i32, i1) fastcc no_unwind align 16 {
//!   v2 = slot 16 align 8
//! b0:
//!   v3 = load align 4 i32 v1
//!   v4, v5 = sadd_overflow i32 v3, v0
//!   branch v5, b1, b2
//! b1:
//!   v6 = phi i32 [b0: v4, b1: v7]
//!   v7 = add nsw i32 v6, 1
//!   v8 = call @printf(v1, v7) : (ptr, ..., i32) -> i32
//!   v9 = icmp_slt i32 v7, 100
//!   branch v9, b1, b2
//! b2:
//!   return 0, true
//! }
//! ```
//!
//! A `func` or `data` may stand without a `symbol` line; its symbol then has the default attributes. Names that are not
//! plain words are quoted; a nameless symbol is `@#id`. Labels of blocks may be any words; they are numbered as they
//! stand. Values are `v` and a number; numbers may be left out, parameters are `v0` and up. A runtime function that
//! the module does not name is `$memcpy`.
//!
//! An instruction is `results = opcode flags type operands`. The type is left out where the opcode determines it
//! ([`crate::Opcode::fixed_type`]). An operand is a value, a symbol, a number (an immediate if it fits, see
//! [`crate::operand`]), or a constant with its type: `i64 5`, `f64 1.5`, `f32 0x7fc00000` (bits), `ptr @x + 8`,
//! `ptr blockaddress(@f, b2)`, `i8 undef`, `i8 poison`, `ptr zero`, `<2 x i32> [1, i32 undef]`. `true`, `false` and
//! `null` are immediates. Numbers in places of known integer type may be written signed or unsigned.
//!
//! # Debug information
//!
//! ```text
//! debug dwarf 5 units [n2] attached [@table n9]  ; nodes follow, with the fields that are not 0 (crate::debug::kind)
//! n0 = text "t.c"
//! n1 = file (name n0)
//! n7 = expression [35, 8]
//!
//! func @f(i32 v0) -> i32 {
//!   debug n5                                     ; the function's node, then those that are only its own
//!   n20 = location (line 12, scope n6)
//! b0:
//!   value n8 = v0, n7 at 3:0 n5                  ; what a variable has from here on; also declare, address, label
//!   value n8 = none, none at 3:0 n5 in n20       ; it is lost
//!   at 4:5 n5                                    ; where the instructions come from up to the next such line
//!   v1 = add i32 v0, 1
//!   at none
//!   return v1
//! }
//! ```
//!
//! A variable that several values make has a line for each, which ends with `argument 0 of 2` and so on. Constants that
//! are no operands are `integer -5`, `bytes 7 0 16` (two halves and how many bytes count) and `symbol @table + 8`.

mod lexer;
mod literals;
mod names;
mod operands;
mod parser;
mod parser_debug;
mod parser_function;
mod parser_inst;
mod parser_module;
mod pieces;
mod printer;
mod printer_debug;
mod printer_module;
mod signatures;
#[cfg(test)]
mod tests;

pub use parser_module::parse_module;
pub use printer::{print_function, print_inst};
pub use printer_module::{print_module, print_module_head};
pub use signatures::{print_signature, print_type};

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// What was found or expected.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}
