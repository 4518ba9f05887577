//! What instructions mean, for the validator of machine passes: the accesses of words that spills and reloads are, and
//! constants. All other rows are functions of their operands, or events.

use crate::ops::{OP_DESCS, Op};
use frazil_codegen::check::translation::{Machine, Meaning};
use frazil_codegen::{MInst, RegClass};

/// The meanings of the rows.
#[derive(Clone, Copy, Debug)]
pub struct TestMeaning;

impl Meaning for TestMeaning {
    fn execute(&self, inst: &MInst, machine: &mut Machine<'_>) -> bool {
        match Op::from_number(inst.op) {
            Some(Op::Lw | Op::Fl) => {
                let bytes = access_bytes(inst);
                let contents = machine.load(inst.mem(), bytes);
                machine.put(inst.reg(0), &contents);
                machine.ignore_from(inst.reg(0), bytes);
            }
            Some(Op::Sw | Op::Fs) => {
                let contents = machine.contents(inst.reg(0), access_bytes(inst));
                machine.store(inst.mem(), &contents);
            }
            Some(Op::Li) => {
                let value = machine.terms.constant(32, i64::from(inst.imm).cast_unsigned());
                machine.write(inst.reg(0), 4, value);
            }
            _ => return false,
        }
        true
    }

    fn operand_bytes(&self, inst: &MInst, operand: usize) -> Option<u8> {
        let op = Op::from_number(inst.op)?;
        let is_float = OP_DESCS[usize::from(inst.op)].classes[operand] == Some(RegClass::Float);
        let bytes = match op {
            Op::IntToF32 | Op::F32ToInt => 4,
            Op::IntToF64 | Op::F64ToInt => 8,
            // From the other width.
            Op::Fcvt if operand == 1 => 12 - inst.size,
            _ => inst.size,
        };
        is_float.then_some(bytes)
    }

    fn memory_bytes(&self, inst: &MInst) -> Option<u8> {
        Some(access_bytes(inst))
    }

    fn keeps_flags(&self, _: &MInst) -> bool {
        false
    }
}

/// How many bytes a load or store accesses.
fn access_bytes(inst: &MInst) -> u8 {
    match Op::from_number(inst.op) {
        Some(Op::Lb | Op::Sb) => 1,
        Some(Op::Lh | Op::Sh) => 2,
        Some(Op::Fl | Op::Fs) => inst.size,
        _ => 4,
    }
}
