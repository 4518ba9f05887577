//! Rules for vectors of 128 bits applied to vectors of 256 bits.
//!
//! Most instructions on 256 bits do to each half what those on 128 bits do to all, also where they shuffle. So what a
//! rule for 128 bits makes of them is right for 256 bits if each instruction is replaced by its wide form, and each
//! constant stands in both halves. [`Doubled`] does that between a rule and the context.
//!
//! It is for rules that treat all lanes alike, take no operand from memory, and make nothing of what is no vector of
//! the same width. Instructions without a wide form are none of theirs: [`rows::doubled`] says which have one.

use super::super::forward::forward_requests;
use crate::regs::VECTOR_BYTES;
use crate::rows;
use frazil_codegen::{AreaArgument, CallSequence, CodegenError, GroupKind, LowerCtx, MInst, Mem, Ref};
use frazil_ir::{Operand, RuntimeFunction, Type, Value};

/// A context in which rules for 128 bits are carried out in 256 bits.
pub struct Doubled<'c, C> {
    pub cx: &'c mut C,
}

impl<C: LowerCtx> LowerCtx for Doubled<'_, C> {
    const WORD_BYTES: u8 = C::WORD_BYTES;

    fn emit(&mut self, inst: MInst) {
        let doubled = rows::doubled(&inst).expect("the rule has rows for both widths");
        self.cx.emit(doubled);
    }

    fn pool_constant(&mut self, bytes: &[u8]) -> Ref {
        debug_assert!(bytes.len() == usize::from(VECTOR_BYTES));
        self.cx.pool_constant(&bytes.repeat(2))
    }

    fn use_addr(&mut self, pointer: Operand, span_bytes: u32) -> Mem {
        self.cx.use_addr(pointer, span_bytes)
    }

    fn begin_group(&mut self, kind: GroupKind) {
        self.cx.begin_group(kind);
    }

    fn end_group(&mut self) {
        self.cx.end_group();
    }

    fn call_runtime_with(
        &mut self,
        function: RuntimeFunction,
        args: &[(Operand, Type)],
        areas: &[AreaArgument],
        result: Option<Value>,
    ) -> Result<(), CodegenError> {
        self.cx.call_runtime_with(function, args, areas, result)
    }

    fn call_sequence(&mut self, sequence: &CallSequence<'_>, result: Value) -> Result<(), CodegenError> {
        self.cx.call_sequence(sequence, result)
    }

    forward_requests!(cx);
}
