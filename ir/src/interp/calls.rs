//! Calls and returns.

use super::exec::Next;
use super::masked::is_masked;
use super::value::Value;
use super::{Interpreter, Outcome, Stop};
use crate::entities::SymbolId;
use crate::flags::CallFlags;
use crate::function::{CallView, Function, InstData};
use crate::module::SymbolKind;
use crate::opcode::Opcode;
use crate::operand::OperandKind;
use crate::runtime::RuntimeFunction;
use crate::signature::{ParamKind, Signature};
use crate::types::TypeData;
use frazil_support::EntityRef;

impl<'a> Interpreter<'a> {
    pub(super) fn call_inst(&mut self, function: &'a Function, data: &InstData) -> Outcome<Next> {
        let call = function.call(data);
        let signature = function.sig(call.sig);
        if data.flags & CallFlags::INLINE_ASM.bits() != 0 {
            return self.asm_call(function, data, &call);
        }
        let is_intrinsic = data.flags & CallFlags::INTRINSIC.bits() != 0;
        if is_intrinsic {
            // Before its operands, which may be of types that have no values.
            let name = call.callee.as_symbol().map(|symbol| self.module.display_name(symbol));
            if !name.as_deref().is_some_and(is_masked) {
                return Err(Stop::Unsupported(format!(
                    "the intrinsic {}",
                    name.as_deref().unwrap_or("without a name")
                )));
            }
        }
        let params = signature.params.iter().map(|param| param.ty);
        let arguments = call
            .args
            .iter()
            .zip(params)
            .map(|(&operand, ty)| self.operand(function, operand, ty));
        let arguments = arguments.collect::<Outcome<Vec<Value>>>()?;
        let symbol = self.callee(&call)?;
        if let Some(SymbolKind::Function(id)) = self.module.symbols.get(symbol).map(|data| data.kind) {
            self.enter_call(function, signature, id.index(), arguments)?;
            return Ok(Next::Entered);
        }
        let name = self.module.display_name(symbol);
        let results = match is_intrinsic {
            true => self.masked_access(function, signature, &name, arguments)?,
            false => self.external_call(function, signature, (symbol, &name), &arguments)?,
        };
        self.set_results(data, results)?;
        Ok(self.after_call(function, data))
    }

    /// The results of a function that the module does not define.
    fn external_call(
        &mut self,
        caller: &Function,
        signature: &Signature,
        (symbol, name): (SymbolId, &str),
        arguments: &[Value],
    ) -> Outcome<Vec<Value>> {
        let external = self
            .external
            .as_mut()
            .and_then(|external| external(name, arguments, &mut self.memory));
        if let Some(results) = external {
            return results;
        }
        let returns = signature.returns.iter().map(|param| param.ty).collect::<Vec<_>>();
        let library = RuntimeFunction::from_symbol(symbol, self.module.symbols.len());
        library
            .and_then(|library| self.library_call(caller, library, arguments, &returns))
            .unwrap_or_else(|| Err(Stop::Unsupported(format!("the external function {name}"))))
    }

    /// Where to go on after a call that returned.
    fn after_call(&self, function: &Function, data: &InstData) -> Next {
        match data.op {
            Opcode::Invoke => Next::Jump(function.invoke_targets(data).0),
            _ => Next::Go,
        }
    }

    /// Empty templates without results are barriers for the compiler, no code.
    fn asm_call(&mut self, function: &Function, data: &InstData, call: &CallView<'_>) -> Outcome<Next> {
        let is_empty = call.callee.as_const().is_some_and(|id| match function.constant(id).1 {
            crate::ConstView::Asm(asm) => asm.template.is_empty(),
            _ => false,
        });
        if is_empty && function.sig(call.sig).returns.is_empty() {
            return Ok(self.after_call(function, data));
        }
        Err(Stop::Unsupported("inline assembly".to_owned()))
    }

    fn callee(&self, call: &CallView<'_>) -> Outcome<SymbolId> {
        if let OperandKind::Symbol(symbol) = call.callee.kind() {
            let is_alias = matches!(
                self.module.symbols.get(symbol).map(|data| data.kind),
                Some(SymbolKind::Alias { .. })
            );
            if !is_alias {
                return Ok(symbol);
            }
        }
        let address = self.decided(call.callee, TypeData::Ptr(0), "call through")? as u64;
        self.function_at(address)
            .ok_or_else(|| Stop::undefined("call of what is no function"))
    }

    fn enter_call(
        &mut self,
        caller: &Function,
        signature: &Signature,
        callee: usize,
        mut arguments: Vec<Value>,
    ) -> Outcome<()> {
        let body = &self.functions[callee];
        let wanted = &body.signature;
        // Types beside the primitives have numbers of their own in each function.
        let is_same_type = |left, right| match (caller.types.data(left), body.types.data(right)) {
            (
                TypeData::Vector { element, lanes },
                TypeData::Vector {
                    element: other,
                    lanes: wanted,
                },
            ) => lanes == wanted && caller.types.data(element) == body.types.data(other),
            (left, right) => left == right,
        };
        let is_same = |left: &[crate::Param], right: &[crate::Param]| {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| {
                    is_same_type(left.ty, right.ty)
                        && matches!(left.kind, ParamKind::ByVal { .. }) == matches!(right.kind, ParamKind::ByVal { .. })
                })
        };
        let fixed = wanted.params.len();
        let counts_fit = if wanted.variadic {
            arguments.len() >= fixed
        } else {
            arguments.len() == fixed
        };
        let fits = counts_fit
            && wanted.call_conv == signature.call_conv
            && is_same(&signature.params[..fixed], &wanted.params)
            && is_same(&signature.returns, &wanted.returns);
        if !fits {
            return Err(Stop::undefined("call with another signature than the function has"));
        }
        let variable = arguments.split_off(fixed);
        let types = signature.params[fixed..]
            .iter()
            .map(|param| caller.types.data(param.ty));
        self.enter(callee, arguments, types.zip(variable).collect())
    }

    /// Gives the frame just entered its own copies of `byval` arguments.
    pub(super) fn copy_byval_arguments(&mut self) -> Outcome<()> {
        for (index, param) in self.function().signature.params.iter().enumerate() {
            let ParamKind::ByVal { size, align_log2 } = param.kind else {
                continue;
            };
            let from = self.top().values[index].as_ref().and_then(Value::known);
            let from = from.ok_or_else(|| Stop::undefined("a byval argument that is not defined"))?;
            let bytes = self.memory.read_bytes(from as u64, u64::from(size))?;
            let copy = self.memory.allocate(u64::from(size), u32::from(align_log2.max(3)))?;
            self.memory.write_bytes(copy, &bytes)?;
            self.frame().objects.push(copy);
            self.frame().values[index] = Some(Value::bits(u128::from(copy)));
        }
        Ok(())
    }

    /// Ends the top frame; returns the results if it was the outermost.
    pub(super) fn leave(&mut self, results: Vec<Value>) -> Outcome<Option<Vec<Value>>> {
        if let Some(frame) = self.frames.pop() {
            for object in frame.objects.into_iter().chain(frame.dynamic) {
                self.memory.end_object(object);
            }
        }
        if self.frames.is_empty() {
            return Ok(Some(results));
        }
        let function = self.function();
        let data = function.insts[self.top().position];
        self.set_results(&data, results)?;
        match self.after_call(function, &data) {
            Next::Jump(target) => self.jump(function, target)?,
            _ => self.frame().position += 1,
        }
        Ok(None)
    }
}
