//! The stack of the x87 unit in inline assembly: its names, and what fills and empties it.

use crate::build::{m, none};
use crate::regs::X87_COUNT;
use crate::table::Op;
use frazil_codegen::inline_asm::AsmStack;
use frazil_codegen::{MInst, Mem};
use frazil_ir::Type;

/// The eight registers of the unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct X87;

/// Bytes of a frame slot with a number of ten bytes.
const EXTENDED: u8 = 16;

impl AsmStack for X87 {
    fn depth(&self, name: &str) -> Option<u8> {
        let name = name.to_ascii_lowercase();
        let inside = match name.strip_prefix("st")? {
            "" => return Some(0),
            rest => match rest.strip_prefix('(') {
                Some(rest) => rest.strip_suffix(')')?,
                None => rest,
            },
        };
        inside.parse().ok().filter(|&depth| depth < X87_COUNT)
    }

    fn holds(&self, ty: Type) -> bool {
        matches!(ty, Type::F32 | Type::F64 | Type::X86_F80)
    }

    fn push(&self, bytes: u8, mem: Mem) -> MInst {
        let row = match bytes {
            4 => Op::FldsM,
            8 => Op::FldlM,
            _ => Op::FldtM,
        };
        m(row, bytes, mem)
    }

    fn pop(&self, bytes: u8, mem: Mem) -> MInst {
        let row = match bytes {
            4 => Op::FstpsM,
            8 => Op::FstplM,
            _ => Op::FstptM,
        };
        m(row, bytes, mem)
    }

    fn drop_top(&self) -> MInst {
        none(Op::FstpTop, EXTENDED)
    }
}
