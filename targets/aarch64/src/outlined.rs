//! Atomic updates by calls of functions that choose their instructions when the program runs.
//!
//! A program for all processors cannot have the instructions of ARMv8.1 (LSE), and loops of exclusive accesses are slow
//! where many processors do them. So where a function has LLVM's feature `outline-atomics` and has not LSE, its updates
//! are calls of functions of the compiler's run-time library (LLVM 22,
//! `AArch64TargetLowering::shouldExpandAtomicRMWInIR`). They overwrite few registers, but are called by the C
//! convention, as LLVM calls them. In a copy of the function,
//! ```text
//! v2 = atomic_rmw sub align 4 acquire i32 v0, v1
//! ```
//! becomes
//! ```text
//! v3 = sub i32 0, v1
//! v2 = call @__aarch64_ldadd4_acq(v3, v0) : (i32, ptr) -> i32
//! ```
//! What has no such function, `atomic_rmw` of 16 bytes included, stays as it is: [`crate::lower::atomic`] makes loops
//! of it.

use crate::features::{LSE, OUTLINE_ATOMICS};
use frazil_codegen::ModuleView;
use frazil_ir::{
    AtomicUpdate, ConstView, Editor, EntityRef, Function, Inst, InstData, MemFlags, Opcode, Operand, Ordering, RmwOp,
    RuntimeFunction, Type, TypeData, TypeTable, Value,
};

/// The function with such calls; `None` if it has none.
pub fn outlined(old: &Function, view: ModuleView<'_>) -> Option<Function> {
    if !view.features.has(OUTLINE_ATOMICS) || view.features.has(LSE) {
        return None;
    }
    let callee = |data: &InstData| library_function(old.types(), data);
    let first = old.insts().iter().position(|data| callee(data).is_some())?;
    let mut function = old.clone();
    let mut editor = Editor::default();
    editor.begin(&function);
    for (index, data) in old.insts().iter().enumerate().skip(first) {
        if let Some(callee) = callee(data) {
            let mut update = Update {
                function: &mut function,
                editor: &mut editor,
                at: Inst::new(index),
                data,
                callee,
                symbol_count: view.symbol_count(),
            };
            match data.op {
                Opcode::Cmpxchg => update.compare_exchange(),
                _ => update.read_modify_write(),
            }
        }
    }
    editor.commit(&mut function);
    Some(function)
}

/// The function that does what an instruction does, if there is one.
fn library_function(types: &TypeTable, data: &InstData) -> Option<RuntimeFunction> {
    let flags = MemFlags(data.flags);
    let update = match data.op {
        Opcode::Cmpxchg => AtomicUpdate::CompareExchange,
        Opcode::AtomicRmw => match flags.rmw()? {
            RmwOp::Xchg => AtomicUpdate::Exchange,
            RmwOp::Add | RmwOp::Sub => AtomicUpdate::Add,
            RmwOp::And => AtomicUpdate::Clear,
            RmwOp::Or => AtomicUpdate::Set,
            RmwOp::Xor => AtomicUpdate::Toggle,
            _ => return None,
        },
        _ => return None,
    };
    let bytes = match types.data(data.ty) {
        TypeData::Int(bits @ (8 | 16 | 32 | 64 | 128)) => bits / 8,
        TypeData::Ptr(0) | TypeData::F64 => 8,
        TypeData::F32 => 4,
        TypeData::F16 | TypeData::BF16 => 2,
        _ => return None,
    };
    if 1u64 << flags.align_log2() < u64::from(bytes) {
        return None;
    }
    let (acquires, releases) = match flags.ordering() {
        Ordering::Acquire => (true, false),
        Ordering::Release => (false, true),
        Ordering::AcquireRelease | Ordering::SequentiallyConsistent => (true, true),
        _ => (false, false),
    };
    RuntimeFunction::of_update(update, bytes, acquires, releases)
}

/// An instruction of the copy that becomes a call.
struct Update<'f> {
    function: &'f mut Function,
    editor: &'f mut Editor,
    at: Inst,
    data: &'f InstData,
    callee: RuntimeFunction,
    /// How many symbols the module has; the run-time library's come after them.
    symbol_count: usize,
}

impl Update<'_> {
    fn read_modify_write(&mut self) {
        let ty = match self.function.types().data(self.data.ty) {
            TypeData::F64 => Type::I64,
            TypeData::F32 => Type::I32,
            TypeData::F16 | TypeData::BF16 => Type::I16,
            _ => self.data.ty,
        };
        let is_float = ty != self.data.ty;
        let value = self.editor.resolve(self.data.b);
        let value = match MemFlags(self.data.flags).rmw() {
            Some(RmwOp::Sub) => self.combined(Opcode::Sub, ty, 0, value),
            // The bits that are to be cleared.
            Some(RmwOp::And) => self.combined(Opcode::Xor, ty, -1, value),
            _ if is_float => self.emit(Opcode::Bitcast, ty, value, Operand::NONE),
            _ => value,
        };
        let mut old = self.call(&[(value, ty), (self.data.a, Type::PTR)], ty);
        if is_float {
            old = self.emit(Opcode::Bitcast, self.data.ty, old, Operand::NONE);
        }
        self.finish(&[old]);
    }

    fn compare_exchange(&mut self) {
        let ty = self.data.ty;
        let (expected, new) = self.function.ternary(self.data);
        let old = self.call(&[(expected, ty), (new, ty), (self.data.a, Type::PTR)], ty);
        let comparison = InstData::new(Opcode::IcmpEq, ty, 0, old, self.editor.resolve(expected));
        let exchanged = self.queue(comparison, Type::I1);
        self.finish(&[old, exchanged]);
    }

    /// A number less a value, or a value whose bits are inverted by a number.
    fn combined(&mut self, op: Opcode, ty: Type, number: i64, value: Operand) -> Operand {
        let constant = match value.as_imm() {
            Some(imm) => Some(imm),
            None => match value.as_const().map(|id| self.function.constant(id).1) {
                Some(ConstView::Int(&[word])) => Some(word.cast_signed()),
                _ => None,
            },
        };
        if let Some(constant) = constant {
            let spare = 64 - self.function.types().int_bits(ty).unwrap_or(64);
            let combined = match op {
                Opcode::Sub => number.wrapping_sub(constant),
                _ => number ^ constant,
            };
            return self.function.int_operand(ty, (combined << spare >> spare).into());
        }
        let number = self.function.int_operand(ty, number.into());
        match op {
            Opcode::Sub => self.emit(op, ty, number, value),
            _ => self.emit(op, ty, value, number),
        }
    }

    /// Queues an instruction on values of a type, or a cast to it.
    fn emit(&mut self, op: Opcode, ty: Type, a: Operand, b: Operand) -> Operand {
        self.queue(InstData::new(op, ty, 0, a, b), ty)
    }

    fn call(&mut self, arguments: &[(Operand, Type)], result: Type) -> Operand {
        let mut resolved = Vec::with_capacity(arguments.len());
        resolved.extend(
            arguments
                .iter()
                .map(|&(operand, ty)| (self.editor.resolve(operand), ty)),
        );
        let (callee, symbols) = (self.callee, self.symbol_count);
        let call = self.function.runtime_call(callee, symbols, &resolved, result);
        self.queue(call, result)
    }

    fn queue(&mut self, data: InstData, result: Type) -> Operand {
        let value = self.editor.insert_before(self.function, self.at, data, Some(result));
        Operand::value(value.expect("it has a result"))
    }

    /// Uses operands instead of the results of the instruction, and removes it.
    fn finish(&mut self, results: &[Operand]) {
        for (index, &operand) in results.iter().enumerate() {
            let result = Value::new(self.data.result as usize + index);
            self.editor.replace_uses(self.function, result, operand);
        }
        self.editor.remove(self.function, self.at);
    }
}
