//! Divisions of integers. One by zero ends the program, which the ABI promises: also where nobody uses the result, so
//! that the division itself may be removed, and on processors that give some number instead.
//!
//! Unless the divisor is a constant, its block is split before the division by a branch to a block with a trap, of
//! which a function has one. The smallest integer divided by -1 is undefined in the ABI, too.

use crate::pnacl::context::{Body, TRAP_BLOCK};
use crate::pnacl::types::Types;
use frazil_ir::{Block, ConstKind, EntityRef, InstData, Opcode, Operand, Type};

/// Sees to it that the program ends here if a divisor, or one of its lanes, is zero.
pub fn trap_if_zero(body: &mut Body<'_, '_>, divisor: Operand, ty: u32) {
    let constant = body.function.int_constant(divisor);
    if constant.is_some_and(|constant| constant != 0) {
        return;
    }
    if constant.is_some() {
        push_trap(body);
        return;
    }
    let ir_type = body.module.types.ir_type(ty, body.function);
    let lanes = body.module.types.lanes(ty);
    let (mut zero, mut flag_type) = (Operand::ZERO, Type::I1);
    if lanes > 0 {
        zero = Operand::constant(body.function.push_plain_const(ConstKind::Zero, ir_type));
        flag_type = Types::flags(lanes, body.function);
    }
    let data = InstData::new(Opcode::IcmpEq, ir_type, 0, divisor, zero);
    let mut flag = Operand::value(body.function.push_inst_result(data, flag_type));
    if lanes > 0 {
        let data = InstData::new(Opcode::ReduceOr, Type::I1, 0, flag, Operand::NONE);
        flag = Operand::value(body.function.push_inst_result(data, Type::I1));
    }
    // Numbers beyond those of the file's blocks are blocks of the IR until the body is complete.
    let next = body.blocks + body.function.blocks().len() as u32;
    let [trap, next] = [TRAP_BLOCK, next].map(|number| Block::new(number as usize));
    body.function.push_inst(InstData::branch(flag, trap, next));
    let block = body.function.begin_block();
    body.state.splits.go_on(block);
    body.state.has_trap = true;
}

fn push_trap(body: &mut Body<'_, '_>) {
    let data = InstData::new(Opcode::Trap, Type::VOID, 0, Operand::NONE, Operand::NONE);
    body.function.push_inst(data);
}

impl Body<'_, '_> {
    /// Appends the block with the trap, and replaces the numbers of blocks by those of the IR, if blocks were split.
    pub(in crate::pnacl) fn finish_splits(&mut self) {
        if self.state.splits.is_empty() {
            return;
        }
        let mut trap = TRAP_BLOCK;
        if self.state.has_trap {
            trap = self.function.begin_block().as_u32();
            push_trap(self);
            let data = InstData::new(Opcode::Unreachable, Type::VOID, 0, Operand::NONE, Operand::NONE);
            self.function.push_inst(data);
        }
        let (splits, count) = (&self.state.splits, self.blocks);
        for block in self.function.block_ids() {
            let terminator = self.function.terminator(block);
            self.function.renumber_targets(terminator, |number| match number {
                TRAP_BLOCK => trap,
                _ => splits.resolve(number, count, false),
            });
        }
        for (_, block) in &mut self.state.incoming {
            *block = splits.resolve(*block, count, true);
        }
    }
}
