//! The op table as shared code sees it: what follows from the rows' forms, with what rows do otherwise than these say.

use crate::evex::Evex;
use crate::memory_forms::{memory_bytes, memory_forms};
use crate::ops::Code;
use crate::rows;
use crate::rows::ROWS;
use crate::table::{NAMED, Op};
use crate::upper;
use frazil_codegen::OpDesc;

/// Rows that do more than their form says: jump, trap, move the stack pointer, or take part in a sequence that linkers
/// know.
const NOT_PURE: &[Op] = &[
    Op::DivR,
    Op::DivM,
    Op::Div8R,
    Op::Div8M,
    Op::IdivR,
    Op::IdivM,
    Op::Idiv8R,
    Op::Idiv8M,
    Op::PushR,
    Op::PopR,
    Op::JmpR,
    Op::JmpNoTrackR,
    Op::CallR,
    Op::CallNoTrackR,
    Op::LeaTlsGdRM,
];

/// The rows by [`Op`] as shared code sees them.
pub static OP_DESCS: [OpDesc; ROWS.len()] = {
    let mut descs = [ROWS[0].desc(); ROWS.len()];
    let mut index = 0;
    while index < descs.len() {
        descs[index] = ROWS[index].desc();
        index += 1;
    }
    let moves = [Op::MovRR, Op::MovapRR, Op::VmovupYRR, Op::VmovupZRR];
    index = 0;
    while index < moves.len() {
        descs[moves[index] as usize].is_move = true;
        index += 1;
    }
    descs[(rows::FIRST_EVEX + Evex::KmovqKK.first_row()) as usize].is_move = true;
    let calls = [Op::CallRef, Op::CallTlsGdRef, Op::CallR, Op::CallNoTrackR, Op::CallM];
    index = 0;
    while index < calls.len() {
        descs[calls[index] as usize].has_sets = true;
        index += 1;
    }
    let repeatable = [
        Op::MovRI,
        Op::MovabsRI,
        Op::LeaRM,
        Op::ZeroX,
        Op::OnesX,
        Op::MovRM,
        Op::MovsRM,
        Op::MovapRM,
        Op::VxorpsYS,
        Op::VpcmpeqdYS,
        Op::VmovupYRM,
        Op::VmovupZRM,
    ];
    index = 0;
    while index < repeatable.len() {
        descs[repeatable[index] as usize].is_rematerializable = true;
        index += 1;
    }
    let reloads = [
        (Op::MovRM, 0),
        (Op::MovsRM, 0),
        (Op::MovapRM, 16),
        (Op::VmovupYRM, 32),
        (Op::VmovupZRM, 64),
    ];
    index = 0;
    while index < reloads.len() {
        let (op, bytes) = reloads[index];
        descs[op as usize].reload_bytes = Some(bytes);
        index += 1;
    }
    let compares = [Op::CmpMR, Op::CmpMI, Op::TestMR, Op::TestMI];
    index = 0;
    while index < compares.len() {
        descs[compares[index] as usize].is_pure = true;
        index += 1;
    }
    let extend = [Op::Cwd, Op::Cdq, Op::Cqo, Op::Cwde, Op::Cdqe];
    index = 0;
    while index < extend.len() {
        descs[extend[index] as usize].is_pure = true;
        index += 1;
    }
    // Scalar arithmetic, comparisons and conversions.
    index = Op::AddsRR as usize;
    while index <= Op::Cvtsd2ssRM as usize {
        descs[index].rounds = true;
        index += 1;
    }
    index = 0;
    while index < NOT_PURE.len() {
        descs[NOT_PURE[index] as usize].is_pure = false;
        index += 1;
    }
    index = 0;
    while index < NAMED.len() {
        descs[index].memory_forms = memory_forms(index);
        descs[index].memory_bytes = memory_bytes(&ROWS[index]);
        index += 1;
    }
    while index < descs.len() {
        match rows::named(index as u16) {
            Some(named) => {
                descs[index].is_move = descs[named as usize].is_move;
                descs[index].rounds = descs[named as usize].rounds;
            }
            None => descs[index].rounds = ROWS[index].code.has(Code::ROUNDS | Code::SILENCES),
        }
        index += 1;
    }
    // Instructions without such a prefix get one before they are encoded, also those with an operand in memory.
    index = 0;
    while index < descs.len() {
        descs[index].names_upper = match rows::in_vex(index as u16) {
            Some(row) => upper::is_encodable(row),
            None => false,
        };
        index += 1;
    }
    index = 0;
    while index < NAMED.len() {
        let mut operand = 0;
        while operand < 3 {
            if let Some(form) = descs[index].memory_forms[operand]
                && !descs[form as usize].names_upper
            {
                descs[index].names_upper = false;
            }
            operand += 1;
        }
        index += 1;
    }
    descs
};
