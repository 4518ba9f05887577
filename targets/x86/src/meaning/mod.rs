//! What instructions mean, for the validator of machine passes (Intel manual, volumes 1 and 2).
//!
//! Rows are told apart by mnemonic and form, so that the forms of one operation with registers, memory and immediates
//! mean the same here, whatever other tables say of them. Rows that only move bits and the arithmetic that passes
//! rewrite are carried out, also those on mask registers; all others are functions of as many bytes of their operands
//! as they look at, and those with an EVEX prefix of their mask and their way to round, too.
//!
//! A copy or reload of less than eight bytes leaves nothing above it that anybody may look at, though the processor
//! clears it; an extension, and any operation of four bytes, leaves zeros.

mod arithmetic;
mod masks;
mod moves;
mod vectors;

use crate::descs::OP_DESCS;
use crate::ops::{Code, Form, Kind, Row, Width};
use crate::regs::{MASK, RCX, WIDE_VECTOR_BYTES};
use crate::rows;
use crate::rows::ROWS;
use crate::table::Op;
use frazil_codegen::check::translation::{FunctionKey, Machine, Meaning, Term};
use frazil_codegen::mfunc::op_desc;
use frazil_codegen::{MInst, Reg, Role};
use frazil_support::FxHashMap;
use std::sync::LazyLock;

/// The meanings of x86-64's rows.
#[derive(Clone, Copy, Debug)]
pub struct X86Meaning;

/// The named row that an instruction's row is or follows from: they mean the same.
fn row_of(inst: &MInst) -> Option<(Op, &'static Row)> {
    if usize::from(inst.op) >= ROWS.len() {
        return None;
    }
    let op = rows::named(inst.op)?;
    Some((op, &ROWS[op as usize]))
}

/// The row of an instruction with an EVEX prefix that has no named row.
fn evex_row(inst: &MInst) -> Option<&'static Row> {
    rows::is_evex(inst.op).then(|| &ROWS[usize::from(inst.op)])
}

/// For each row the first one with the same mnemonic that computes on the same kind of registers.
static FIRST_OF_NAME: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let flags = Code::LOCK | Code::FS | Code::COND;
    let mut firsts = FxHashMap::default();
    let rows = ROWS.iter().enumerate();
    rows.map(|(number, row)| {
        let key = (
            row.mnemonic.as_str(),
            row.code.flags & flags,
            row.code.width != Width::Int,
        );
        *firsts.entry(key).or_insert(number as u32)
    })
    .collect()
});

/// A number that says which operation an instruction is, the same for its forms with registers, memory and immediates.
fn operation_number(inst: &MInst) -> u32 {
    if rows::is_evex(inst.op) {
        return u32::from(inst.op);
    }
    let number = FIRST_OF_NAME.get(usize::from(inst.op)).copied();
    number.unwrap_or(u32::from(inst.op))
}

impl Meaning for X86Meaning {
    fn execute(&self, inst: &MInst, machine: &mut Machine<'_>) -> bool {
        let Some((op, row)) = row_of(inst) else {
            return masks::execute(inst, machine);
        };
        if rows::is_doubled(inst.op) {
            machine.ignore_from(inst.reg(0), WIDE_VECTOR_BYTES);
            return false;
        }
        let (named, own) = rows::without_vex(inst);
        if let Some(own) = own.filter(|&own| inst.reg(0) != own) {
            machine.copy(inst.reg(0), own, 16);
        }
        let inst = &named;
        // What is above a vector belongs to nobody: prefixes decide whether it is cleared or kept.
        let vector = written_vector(row).filter(|_| !matches!(op, Op::Vextractf128RRI | Op::Vextractf64x4RRI));
        if let Some(bytes) = vector {
            machine.ignore_from(inst.reg(0), bytes);
        }
        let is_done = moves::moves(op, inst, machine)
            || vectors::moves(op, inst, machine)
            || arithmetic::arithmetic(op, row, inst, machine)
            || arithmetic::shifts(op, row, inst, machine)
            || arithmetic::single_bits(op, row, inst, machine);
        if let Some(bytes) = vector.filter(|_| is_done) {
            machine.ignore_from(inst.reg(0), bytes);
        }
        is_done
    }

    fn condition(&self, inst: &MInst, machine: &mut Machine<'_>) -> Option<Term> {
        let (_, row) = row_of(inst)?;
        if row.code.has(Code::COND) {
            return Some(arithmetic::condition(inst.condition(), machine));
        }
        // Who reads flags and has no condition reads the carry.
        let reads_carry = matches!(row.mnemonic.as_str(), "adc" | "sbb" | "rcl" | "rcr");
        reads_carry.then(|| arithmetic::bit(machine, 1))
    }

    fn operand_bytes(&self, inst: &MInst, operand: usize) -> Option<u8> {
        if let Some(row) = evex_row(inst) {
            let operand = match (row.code.form.has_vector_index(), operand) {
                (true, 1) => return None,
                (true, 2) => 1,
                _ => operand,
            };
            return Some(row.operands[operand]?.kind.bytes(inst.size));
        }
        let (op, row) = row_of(inst)?;
        // The operands of the named row, of which the first one may be two.
        let operand = match (rows::own_slot(inst.op), operand) {
            (Some(own), operand) if operand == own => 0,
            (Some(1), operand) => operand.saturating_sub(1),
            (None, 1 | 2) if row.code.form == Form::ThreeM => return None,
            (None, 3) if row.code.form == Form::ThreeM => 1,
            _ => operand,
        };
        match row.operands.get(operand).copied().flatten()?.kind {
            _ if rows::is_doubled(inst.op) => Some(WIDE_VECTOR_BYTES),
            Kind::Sized => Some(inst.size),
            Kind::General(bytes) => Some(bytes),
            Kind::Vector => Some(vector_bytes(op, row, inst, operand)),
            kind => Some(kind.bytes(inst.size)),
        }
    }

    fn implicit_bytes(&self, inst: &MInst, reg: Reg) -> Option<u8> {
        if reg == MASK {
            return Some(Kind::Mask.bytes(inst.size));
        }
        let (op, row) = row_of(inst)?;
        match op {
            Op::Mul8R | Op::Mul8M | Op::Imul8R | Op::Imul8M | Op::Div8R | Op::Div8M | Op::Idiv8R | Op::Idiv8M => {
                Some(2)
            }
            Op::Cwd => Some(2),
            Op::Cdq => Some(4),
            Op::Cqo => Some(8),
            _ if matches!(row.code.form, Form::RC | Form::MC | Form::StoreRRC) && reg == RCX => Some(1),
            _ if matches!(row.mnemonic.as_str(), "mul" | "imul" | "div" | "idiv" | "cmpxchg") => Some(inst.size),
            _ => None,
        }
    }

    fn memory_bytes(&self, inst: &MInst) -> Option<u8> {
        if let Some(row) = evex_row(inst) {
            // What is accessed lane by lane is somewhere.
            let is_one = row.code.form.has_mem() && !row.code.form.has_vector_index();
            let lane = row.code.broadcast_bytes(inst);
            return is_one.then(|| lane.unwrap_or(row.code.unit.bytes(inst.size)));
        }
        let (op, row) = row_of(inst)?;
        let bytes = match rows::is_doubled(inst.op) {
            true => WIDE_VECTOR_BYTES,
            false => memory_bytes(op, row, inst),
        };
        row.code.form.has_mem().then_some(bytes)
    }

    fn function(&self, inst: &MInst) -> FunctionKey {
        [
            operation_number(inst) | u32::from(inst.size) << 16 | u32::from(rounding_bits(inst)) << 24,
            inst.immediate(op_desc(&OP_DESCS, inst.op)).cast_unsigned(),
            rows::is_doubled(inst.op).into(),
            0,
        ]
    }

    fn result_bits(&self, inst: &MInst) -> Option<u16> {
        crate::masks::made_bits(inst)
    }

    fn memory_is_first(&self, inst: &MInst) -> bool {
        row_of(inst).is_some_and(|(_, row)| matches!(row.code.form, Form::MR | Form::M | Form::MI | Form::MC))
    }

    fn only_computes(&self, inst: &MInst) -> bool {
        row_of(inst).is_some_and(|(op, _)| matches!(op, Op::MulM | Op::Mul8M | Op::ImulM | Op::Imul8M))
    }

    fn keeps_flags(&self, inst: &MInst) -> bool {
        let Some((_, row)) = row_of(inst) else { return true };
        // A count of zero keeps all of them, rotations most, and bit tests all but the carry.
        matches!(row.code.form, Form::RC | Form::MC | Form::StoreRRC)
            || matches!(
                row.mnemonic.as_str(),
                "rol" | "ror" | "rcl" | "rcr" | "bt" | "bts" | "btr" | "btc" | "shld" | "shrd"
            )
    }
}

/// What an instruction with an EVEX prefix says of zeroing and of rounding.
fn rounding_bits(inst: &MInst) -> u8 {
    if rows::is_evex(inst.op) { inst.aux & 0x0f } else { 0 }
}

/// The bytes of the vector that a row writes, if it writes one.
fn written_vector(row: &Row) -> Option<u8> {
    let operand = row.operands[0]?;
    let is_written = operand.kind.is_vector() && matches!(operand.role, Role::Def | Role::UseDef);
    is_written.then(|| operand.kind.bytes(0))
}

/// How many bytes of a vector register an operand is.
fn vector_bytes(op: Op, row: &Row, inst: &MInst, operand: usize) -> u8 {
    use Op::{
        ComisRM, ComisRR, Cvtsd2siRM, Cvtsd2siRR, Cvtsd2ssRM, Cvtsd2ssRR, Cvtsi2sdRM, Cvtsi2sdRR, Cvtsi2ssRM,
        Cvtsi2ssRR, Cvtss2sdRM, Cvtss2sdRR, Cvtss2siRM, Cvtss2siRR, Cvttsd2siRM, Cvttsd2siRR, Cvttss2siRM, Cvttss2siRR,
        RcpssRR, RoundsdRMI, RoundsdRRI, RoundssRMI, RoundssRRI, RsqrtssRR, UcomisRM, UcomisRR, VcmpsRRRI,
    };
    match op {
        UcomisRR | UcomisRM | ComisRR | ComisRM => inst.size,
        _ if row.code.width == Width::Float => fused_bytes(row, inst),
        // What is above the lowest lane comes from the second operand.
        VcmpsRRRI => 16,
        RoundssRRI | RoundssRMI | RsqrtssRR | RcpssRR | Cvtsi2ssRR | Cvtsi2ssRM => 4,
        Cvttss2siRR | Cvttss2siRM | Cvtss2siRR | Cvtss2siRM => 4,
        RoundsdRRI | RoundsdRMI | Cvtsi2sdRR | Cvtsi2sdRM => 8,
        Cvttsd2siRR | Cvttsd2siRM | Cvtsd2siRR | Cvtsd2siRM => 8,
        Cvtss2sdRR | Cvtss2sdRM => [8, 4][operand.min(1)],
        Cvtsd2ssRR | Cvtsd2ssRM => [4, 8][operand.min(1)],
        _ if row.code.width == Width::Scalar => inst.size,
        _ if operand == 1 => source_bytes(row),
        _ => 16,
    }
}

/// How many bytes the operands of a fused operation have.
fn fused_bytes(row: &Row, inst: &MInst) -> u8 {
    if row.code.is_of_fused_lanes() { 16 } else { inst.size }
}

/// How many bytes of their source packed rows read: those that make wider lanes, and shifts by a number in a register,
/// read the lowest only.
fn source_bytes(row: &Row) -> u8 {
    match row.mnemonic.as_str() {
        _ if let Some(ratio) = widening(row) => 16 / ratio,
        "cvtdq2pd" | "cvtps2pd" | "vcvtph2ps" => 8,
        "psllw" | "pslld" | "psllq" | "psrlw" | "psrld" | "psrlq" | "psraw" | "psrad" => 8,
        _ => 16,
    }
}

/// How many times as wide as before a row makes the lanes of integers.
fn widening(row: &Row) -> Option<u8> {
    let mnemonic = row.mnemonic.as_str();
    Some(match mnemonic.strip_prefix('v').unwrap_or(mnemonic) {
        "pmovsxbw" | "pmovsxwd" | "pmovsxdq" | "pmovzxbw" | "pmovzxwd" | "pmovzxdq" => 2,
        "pmovsxbd" | "pmovsxwq" | "pmovzxbd" | "pmovzxwq" => 4,
        "pmovsxbq" | "pmovzxbq" => 8,
        _ => return None,
    })
}

/// How many bytes of memory a row accesses.
fn memory_bytes(op: Op, row: &Row, inst: &MInst) -> u8 {
    use Op::{
        CallM, ComisRM, Cvtdq2pdRM, Cvtps2pdRM, Cvtsd2siRM, Cvtsd2ssRM, Cvtss2sdRM, Cvtss2siRM, Cvttsd2siRM,
        Cvttss2siRM, JmpM, MovhpMR, MovhpRM, MovlpMR, MovlpRM, MovsxBRM, MovsxWRM, MovsxdRM, MovzxBRM, MovzxWRM,
        PinsrbXMI, PinsrdXMI, PinsrwXMI, PopM, PushM, RoundsdRMI, RoundssRMI, UcomisRM, VbroadcastsdYRM,
        VbroadcastssYRM, Vcvtdq2pdYRM, Vcvtps2pdYRM, VpbroadcastbYRM, VpbroadcastdYRM, VpbroadcastqYRM,
        VpbroadcastwYRM,
    };
    match op {
        MovzxBRM | MovsxBRM | PinsrbXMI => 1,
        MovzxWRM | MovsxWRM | PinsrwXMI => 2,
        MovsxdRM | PinsrdXMI | Cvttss2siRM | Cvtss2siRM | Cvtss2sdRM | RoundssRMI => 4,
        Cvttsd2siRM | Cvtsd2siRM | Cvtsd2ssRM | RoundsdRMI | MovlpRM | MovhpRM | MovlpMR | MovhpMR => 8,
        Cvtdq2pdRM | Cvtps2pdRM => 8,
        UcomisRM | ComisRM => inst.size,
        PushM | PopM | CallM | JmpM => 8,
        Vcvtps2pdYRM | Vcvtdq2pdYRM => 16,
        VpbroadcastbYRM => 1,
        VpbroadcastwYRM => 2,
        VbroadcastssYRM | VpbroadcastdYRM => 4,
        VbroadcastsdYRM | VpbroadcastqYRM => 8,
        _ if row.code.width == Width::Packed => 16,
        _ if row.code.width == Width::Float => fused_bytes(row, inst),
        _ => inst.size / widening(row).unwrap_or(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_codegen::RegClass;

    /// Reads and writes of a class that has no such width would be wrong without a word.
    #[test]
    fn operands_are_as_wide_as_registers_can_be() {
        for (number, row) in ROWS.iter().enumerate() {
            for size in [1, 2, 4, 8, 16, 32, 64]
                .into_iter()
                .filter(|size| row.sizes & size != 0)
            {
                let inst = MInst::new(number as u16, size);
                for operand in 0..3 {
                    let Some(bytes) = X86Meaning.operand_bytes(&inst, operand) else {
                        continue;
                    };
                    let class = row.desc().classes[operand];
                    let most = if class == Some(RegClass::Float) { 64 } else { 8 };
                    assert!(
                        matches!(bytes, 1 | 2 | 4 | 8 | 16 | 32 | 64) && bytes <= most,
                        "{}",
                        row.name
                    );
                }
            }
        }
    }
}
