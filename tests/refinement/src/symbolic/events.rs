//! What others see of a function: calls, volatile and atomic accesses, everything that has effects of its own.

use super::memory::MemoryId;
use super::step::Executor;
use super::value::{Lane, Value, shape, type_name};
use super::{Outcome, State, Stop, unsupported};
use frazil_ir::{Block, CallFlags, ConstView, Format, Function, InstData, Opcode, Operand, Results, Signature, Type};
use frazil_support::EntityRef;

/// Something that others see.
#[derive(Clone, Debug)]
pub struct Event {
    /// What it is, but for its operands. Events with different keys are different.
    pub key: String,
    pub operands: Vec<Value>,
    /// Widths of its results, lane by lane, and the value that the first is.
    pub results: Vec<Vec<u32>>,
    /// The first result's number.
    pub first_result: usize,
    /// Memory before it.
    pub memory: MemoryId,
    /// Whether it reads and writes memory that others know.
    pub touches_memory: bool,
    /// Whether the program ends with it.
    pub ends: bool,
    /// Where it goes on, if it is an `invoke`: normally, and when something unwinds.
    pub targets: Option<(Block, Block)>,
}

fn signature_name(function: &Function, signature: &Signature) -> String {
    let param = |param: &frazil_ir::Param| {
        format!(
            "{} {:?} {} {:?} {} {}",
            type_name(function.types(), param.ty),
            param.extension,
            param.in_reg,
            param.kind,
            param.array,
            param.is_split
        )
    };
    format!(
        "({}) -> ({}) {} {} {}",
        signature.params.iter().map(param).collect::<Vec<_>>().join(", "),
        signature.returns.iter().map(param).collect::<Vec<_>>().join(", "),
        signature.call_conv,
        signature.variadic,
        signature.fixed_params
    )
}

impl Executor<'_, '_> {
    /// The event that an instruction is.
    pub(super) fn event(&mut self, state: &mut State, data: &InstData) -> Outcome<Stop> {
        let function = self.side.function;
        let mut key = format!(
            "{} {} {}",
            data.op.name(),
            data.flags,
            type_name(function.types(), data.ty)
        );
        let mut operands = Vec::new();
        let mut targets = None;
        match data.op.format() {
            Format::Call | Format::Invoke => {
                let call = function.call(data);
                let signature = function.sig(call.sig);
                key.push_str(&signature_name(function, signature));
                match call.callee.as_const().map(|id| function.constant(id).1) {
                    Some(ConstView::Asm(asm)) => key.push_str(&format!("{asm:?}")),
                    _ => operands.push(self.operand(state, call.callee, Type::PTR)?),
                }
                for (&argument, param) in call.args.iter().zip(&signature.params) {
                    operands.push(self.operand(state, argument, param.ty)?);
                }
                if data.op == Opcode::Invoke {
                    targets = Some(function.invoke_targets(data));
                }
            }
            Format::LandingPad => {
                let clauses = function.landing_pad_clauses(data);
                let symbols: Vec<String> = clauses.iter().map(|word| self.clause_word(*word)).collect();
                key.push_str(&format!("{} {symbols:?}", data.a.as_raw()));
            }
            _ => {
                let mut list = Vec::new();
                function.for_each_operand(data, |operand| list.push(operand));
                for (slot, operand) in list.into_iter().enumerate() {
                    let value = self.slot_value(state, data, slot, operand)?;
                    operands.push(value);
                }
            }
        }
        let mut results = Vec::new();
        for result in function.results(data) {
            let shape = shape(function.types(), function.value(result).ty, self.pointer_bits())?;
            results.push(vec![shape.bits; shape.lanes]);
        }
        if data.op == Opcode::SjljSetjmp {
            return unsupported("opcode sjlj_setjmp");
        }
        if data.op == Opcode::Call && data.flags & CallFlags::RETURNS_TWICE.bits() != 0 {
            return unsupported("a call that returns twice");
        }
        debug_assert!(data.op.results() != Results::None || results.is_empty());
        let touches_memory = !data.op.is_strict()
            && !matches!(
                data.op,
                Opcode::LandingPad
                    | Opcode::HookCall
                    | Opcode::StackSave
                    | Opcode::StackAlloc
                    | Opcode::ReadCycleCounter
                    | Opcode::Prefetch
            );
        self.pass_on(state, &operands, touches_memory);
        Ok(Stop::Event(Event {
            key,
            operands,
            results,
            first_result: data.first_result().map_or(0, EntityRef::index),
            memory: state.memory,
            touches_memory,
            ends: matches!(data.op, Opcode::Trap | Opcode::Resume | Opcode::SjljLongjmp),
            targets,
        }))
    }

    /// A word of a landing pad's clauses, as text that is the same in both functions.
    fn clause_word(&self, word: Operand) -> String {
        let function = self.side.function;
        match word.as_const() {
            Some(id) if (EntityRef::index(id)) < function.consts().len() => {
                format!("{:?}", function.constant(id).1)
            }
            _ => format!("{}", word.as_raw()),
        }
    }

    /// Objects whose addresses are among operands are known to others from here on.
    fn pass_on(&mut self, state: &mut State, operands: &[Value], is_used: bool) {
        let lanes = operands.iter().flatten();
        let found = lanes.fold(0, |mask, lane: &Lane| {
            mask | self.side.objects.within(self.terms, lane.bits)
        });
        let slots = self.side.objects.slots(found);
        state.escaped |= slots;
        if is_used && state.escaped != 0 {
            // What is known leads to what lies in it.
            state.escaped |= state.stored;
        }
    }
}
