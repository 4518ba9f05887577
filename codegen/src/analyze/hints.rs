//! Register hints: the register in which a value is wanted, because a call takes its argument there or the function
//! returns its result there.
//!
//! Only values that are defined in the block of the call or return get a hint; they are then computed in the right
//! register from the start. Argument registers are counted only roughly (arguments in memory, values of several parts
//! and hidden pointers are not treated exactly), since a wrong hint costs one move and nothing else.

use super::facts::Analysis;
use crate::isa::Isa;
use crate::reg::Reg;
use frazil_ir::{EntityRef, Function, InstData, Opcode, Operand, Param, ParamKind};

impl Analysis {
    /// Notes in which registers a call or return wants its operands; `position` is that of its block.
    pub(super) fn hint_operands<I: Isa>(&mut self, isa: &I, function: &Function, data: &InstData, position: u32) {
        if data.op == Opcode::Return {
            let signature = function.signature();
            if let Some(conv) = isa.convention(signature.call_conv) {
                let regs = [conv.int_returns, conv.float_returns];
                self.hint_list(isa, function, function.list(data), &signature.returns, regs, position);
            }
            return;
        }
        let call = function.call(data);
        let signature = function.sig(call.sig);
        let Some(conv) = isa.convention(signature.call_conv) else {
            return;
        };
        let regs = [conv.int_args, conv.float_args];
        self.hint_list(isa, function, call.args, &signature.params, regs, position);
        self.hint(call.callee, conv.indirect_callee, position);
    }

    fn hint_list<I: Isa>(
        &mut self,
        isa: &I,
        function: &Function,
        operands: &[Operand],
        params: &[Param],
        regs: [&[Reg]; 2],
        position: u32,
    ) {
        let mut next = [0usize; 2];
        for (&operand, param) in operands.iter().zip(params) {
            if matches!(param.kind, ParamKind::ByVal { .. }) {
                continue;
            }
            let parts = isa.parts(function.types(), param.ty);
            let class = usize::from(parts.float);
            if parts.count == 1
                && let Some(&reg) = regs[class].get(next[class])
            {
                self.hint(operand, reg, position);
            }
            next[class] += usize::from(parts.count);
        }
    }

    fn hint(&mut self, operand: Operand, reg: Reg, position: u32) {
        if let Some(value) = operand.as_value()
            && self.values[value.index()].live.def == position
            && reg.is_physical()
        {
            self.values[value.index()].hint = reg.index() as u8;
        }
    }
}
