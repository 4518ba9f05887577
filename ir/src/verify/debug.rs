//! Rules of debug information. What nodes say is not checked: they come from files and are never changed.

use super::Verifier;
use crate::debug::LocationId;
use crate::function::ValueKind;
use frazil_support::EntityRef;

impl Verifier<'_> {
    /// Checks the columns beside the instructions.
    pub(super) fn debug(&mut self) {
        let function = self.function;
        let debug = &function.debug;
        if !debug.is_on() {
            let is_empty = debug.column.is_empty() && debug.values.is_empty();
            self.check(is_empty, "a function without debug information has none");
            return;
        }
        let is_known = |location: LocationId| location.0 as usize <= debug.locations.len();
        self.check(
            debug.column.len() <= function.insts.len(),
            "locations belong to instructions",
        );
        self.check(debug.column.iter().all(|&id| is_known(id)), "locations are known");
        self.check(
            debug.values.is_sorted_by_key(|value| value.before),
            "values of variables stand in the order of instructions",
        );
        for value in &debug.values {
            let operand = value.operand.as_value();
            let is_defined = operand.is_none_or(|operand| {
                let data = function.values.get(operand.index());
                data.is_some_and(|data| data.kind != ValueKind::Forward)
            });
            self.check(is_defined, "the value of a variable is defined");
            let constants = function.consts.len();
            let is_constant = value.operand.as_const().is_none_or(|id| id.index() < constants);
            self.check(
                is_constant && value.constant as usize <= debug.constants.len(),
                "the constant that a variable is exists",
            );
            self.check(
                value.operand.is_none() || value.constant == 0,
                "a variable is an operand or a constant, not both",
            );
            self.check(is_known(value.location), "the location of a variable is known");
            self.check(
                value.before as usize <= function.insts.len(),
                "a variable has its value before an instruction",
            );
            let argument = value.argument;
            self.check(
                argument.index < argument.count.max(1),
                "an argument of a variable is one of them",
            );
            if self.too_many() {
                return;
            }
        }
    }
}
