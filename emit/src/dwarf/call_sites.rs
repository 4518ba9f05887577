//! Calls and what they pass (DWARF 5, section 3.4), from which debuggers find frames that tail calls have taken and
//! values that functions had at their entry.
//!
//! Their entries are made with the function, but added to it at the end: only then is it known which entry a callee
//! has. Calls of what has no debug information are left out, as LLVM does. Version 4 has GNU's extensions instead, in
//! which debuggers expect the end of tail calls, too (`DwarfCompileUnit::constructCallSiteEntryDIE`); earlier versions
//! have nothing.

use super::expressions::passed;
use super::output::{EntryId, Expression, Value};
use super::units::PendingCall;
use super::{CodePlace, DebugWriter};
use frazil_codegen::CompiledFunction;
use frazil_codegen::debug::{CallParameter, Callee, DescribedCall};
use frazil_ir::SymbolId;
use frazil_ir::debug::NodeRef;
use gimli::constants as dw;
use gimli::{DwAt, DwTag, Register};

/// What the parts of a call are named.
struct Names {
    call: DwTag,
    parameter: DwTag,
    value: DwAt,
    origin: DwAt,
    target: DwAt,
    clobbered_target: DwAt,
    return_address: DwAt,
    is_tail: DwAt,
    all_calls: DwAt,
}

/// DWARF 5.
const STANDARD: Names = Names {
    call: dw::DW_TAG_call_site,
    parameter: dw::DW_TAG_call_site_parameter,
    value: dw::DW_AT_call_value,
    origin: dw::DW_AT_call_origin,
    target: dw::DW_AT_call_target,
    clobbered_target: dw::DW_AT_call_target_clobbered,
    return_address: dw::DW_AT_call_return_pc,
    is_tail: dw::DW_AT_call_tail_call,
    all_calls: dw::DW_AT_call_all_calls,
};

/// GNU's extensions of version 4, which the standard has taken over under other names.
const GNU: Names = Names {
    call: dw::DW_TAG_GNU_call_site,
    parameter: dw::DW_TAG_GNU_call_site_parameter,
    value: dw::DW_AT_GNU_call_site_value,
    origin: dw::DW_AT_abstract_origin,
    target: dw::DW_AT_GNU_call_site_target,
    clobbered_target: dw::DW_AT_GNU_call_site_target_clobbered,
    return_address: dw::DW_AT_low_pc,
    is_tail: dw::DW_AT_GNU_tail_call,
    all_calls: dw::DW_AT_GNU_all_call_sites,
};

impl DebugWriter<'_> {
    fn call_names(&mut self, unit: usize) -> Option<&'static Names> {
        match self.unit(unit).encoding.version {
            5.. => Some(&STANDARD),
            4 => Some(&GNU),
            _ => None,
        }
    }

    /// Makes entries for the calls of a function, if these are described.
    pub(super) fn note_call_sites(
        &mut self,
        unit: usize,
        function: EntryId,
        place: CodePlace,
        code: &CompiledFunction,
    ) {
        let Some(names) = self.call_names(unit).filter(|_| code.debug.describes_calls) else {
            return;
        };
        self.set_flag(unit, function, names.all_calls, true);
        let lead = code.prologue.bytes.len() as i64;
        for call in &code.debug.calls {
            let entry = self.unit(unit).reserve();
            let callee = self.set_callee(unit, entry, call, names);
            self.set_flag(unit, entry, names.is_tail, call.is_tail);
            let is_gnu = names.call == GNU.call;
            let (name, offset) = match call.is_tail && !is_gnu {
                true => (dw::DW_AT_call_pc, call.range.0),
                false => (names.return_address, call.range.1),
            };
            let address = DebugWriter::address(place.symbol, lead + i64::from(offset));
            self.set(unit, entry, name, Value::Address(address));
            let (first, end) = call.parameters;
            let parameters = code.debug.parameters.get(first as usize..end as usize);
            for parameter in parameters.unwrap_or_default() {
                self.add_call_parameter(unit, entry, parameter, names);
            }
            self.units.get(unit).calls.push(PendingCall {
                entry,
                parent: function,
                callee,
            });
        }
    }

    /// Says what is called, unless it is a symbol.
    fn set_callee(&mut self, unit: usize, entry: EntryId, call: &DescribedCall, names: &Names) -> Option<SymbolId> {
        let mut target = Expression::new();
        let is_kept = match call.callee {
            Callee::Symbol(symbol) => return Some(symbol),
            Callee::Register(register, is_kept) => {
                target.op_reg(Register(register));
                is_kept
            }
            Callee::Memory(base, distance, is_kept) => {
                target.op_breg(Register(base), distance.into());
                target.op_deref();
                is_kept
            }
        };
        let name = if is_kept { names.target } else { names.clobbered_target };
        self.set(unit, entry, name, Value::Expression(target));
        None
    }

    fn add_call_parameter(&mut self, unit: usize, call: EntryId, parameter: &CallParameter, names: &Names) {
        let entry = self.unit(unit).add(call, names.parameter);
        let (mut place, mut value) = (Expression::new(), Expression::new());
        place.op_reg(Register(parameter.register));
        passed(&mut value, parameter);
        self.set(unit, entry, dw::DW_AT_location, Value::Expression(place));
        self.set(unit, entry, names.value, Value::Expression(value));
    }

    /// Adds the calls of a unit to its functions, each with the function that it calls.
    pub(super) fn add_call_sites(&mut self, unit: usize) {
        let Some(names) = self.call_names(unit) else { return };
        for call in std::mem::take(&mut self.units.get(unit).calls) {
            if let Some(symbol) = call.callee {
                let node = self.subprograms.get(&symbol).copied();
                let Some(origin) = node.and_then(|node| self.entry(unit, NodeRef::to(node))) else {
                    continue;
                };
                self.set(unit, call.entry, names.origin, Value::Entry(origin));
            }
            self.unit(unit).add_reserved(call.entry, call.parent, names.call);
        }
    }
}
