//! Executions by the interpreter: what a function does for inputs, and whether another one does the same.
//!
//! Pointers are given as addresses in a buffer of their own; functions that are
//! called are all taken for others', who answer by a number made of their name and how many calls there were. The
//! [`Trace`] of a run is all that others see of it.

use crate::prove::Counterexample;
use frazil_ir::interp::{Interpreter, Limits, Scalar, Stop, Value};
use frazil_ir::{EntityRef, FuncId, Function, Module, Opcode, OperandKind, SymbolKind, Type, TypeData};
use frazil_support::FxHashMap;
use frazil_test_support::Random;
use std::cell::RefCell;

/// Bytes of the buffer that a pointer leads to the middle of.
const BUFFER_BYTES: u64 = 512;

/// What others see of a run.
#[derive(Clone, Debug)]
pub struct Trace {
    /// What is called, with its arguments.
    pub calls: Vec<(String, Vec<Value>)>,
    /// What is returned, or why nothing is.
    pub results: Result<Vec<Value>, Stop>,
    /// The bytes of buffers at the end; `None` for those that are not defined.
    pub memory: Vec<Option<u8>>,
}

/// Executes functions of a module.
#[derive(Debug)]
pub struct Runner {
    module: Module,
}

/// Inputs of a run: the numbers of the parameters' lanes, `None` for poison. Of a pointer, only the distance from the
/// middle of its buffer counts, in its low bits.
pub type Inputs = Vec<Vec<Option<u128>>>;

impl Runner {
    /// For functions of a module.
    pub fn new(module: &Module) -> Runner {
        let mut module = module.clone();
        for data in module.symbols.values_mut() {
            if let SymbolKind::Function(_) = data.kind {
                data.kind = SymbolKind::FunctionDeclaration;
            }
        }
        Runner { module }
    }

    /// Inputs for a function, at random, with numbers that are borders of something.
    pub fn inputs(&self, function: &Function, random: &mut Random) -> Inputs {
        let params = function.signature().params.iter();
        params
            .map(|param| {
                let (element, lanes) = match function.types().data(param.ty) {
                    TypeData::Vector { element, lanes } => (function.types().data(element), lanes),
                    scalar => (scalar, 1),
                };
                (0..lanes)
                    .map(|_| Some(interesting(element, function, random)))
                    .collect()
            })
            .collect()
    }

    /// What a function does for inputs; `None` if they cannot be made.
    pub fn run(&self, function: &Function, inputs: &Inputs) -> Option<Trace> {
        self.run_spaced(function, inputs, 0)
    }

    /// The same, if it does not depend on where buffers lie, as it does if an access of one leads into another one,
    /// which the interpreter lets it do, though it is undefined behavior.
    pub fn run_in_bounds(&self, function: &Function, inputs: &Inputs) -> Option<Trace> {
        let trace = self.run(function, inputs)?;
        let spaced = self.run_spaced(function, inputs, 8 * BUFFER_BYTES)?;
        (refines(&trace, &spaced) && refines(&spaced, &trace)).then_some(trace)
    }

    /// Runs a function with so many bytes of no use after each buffer.
    fn run_spaced(&self, function: &Function, inputs: &Inputs, spacing: u64) -> Option<Trace> {
        let limits = Limits {
            steps: 5000,
            ..Limits::default()
        };
        let functions = [function.clone()];
        let answers = answers(&self.module, function);
        let calls = RefCell::new(Vec::new());
        let mut interpreter = Interpreter::new(&self.module, &functions, limits)
            .ok()?
            .with_platform(&frazil_target_x86::platform::PLATFORM);
        let mut buffers = Vec::new();
        let mut arguments = Vec::new();
        for (number, (param, lanes)) in function.signature().params.iter().zip(inputs).enumerate() {
            if let TypeData::Ptr(0) = function.types().data(param.ty) {
                let base = interpreter.memory().allocate(BUFFER_BYTES, 6).ok()?;
                interpreter.memory().allocate(spacing, 6).ok()?;
                let bytes: Vec<u8> = (0..BUFFER_BYTES)
                    .map(|index| (index * 7 + number as u64 * 13) as u8 & 1)
                    .collect();
                interpreter.memory().write(base, &bytes).ok()?;
                buffers.push(base);
                let distance = lanes[0].map(|bits| (bits % 4) as u64 * 8);
                arguments.push(Value::Scalar(match distance {
                    Some(distance) => Scalar::defined(u128::from(base + BUFFER_BYTES / 2 + distance)),
                    None => Scalar::Poison,
                }));
                continue;
            }
            let scalar = |lane: &Option<u128>| lane.map_or(Scalar::Poison, Scalar::defined);
            arguments.push(match function.types().data(param.ty) {
                TypeData::Vector { .. } => Value::Vector(lanes.iter().map(scalar).collect()),
                _ => Value::Scalar(scalar(&lanes[0])),
            });
        }
        // What called functions point to.
        let shared = interpreter.memory().allocate(BUFFER_BYTES, 6).ok()?;
        interpreter.memory().allocate(spacing, 6).ok()?;
        interpreter.memory().write(shared, &[1; BUFFER_BYTES as usize]).ok()?;
        buffers.push(shared);
        let mut interpreter = interpreter.with_external(|name, arguments, memory| {
            let types = answers.get(name)?.as_ref()?;
            let mut calls = calls.borrow_mut();
            calls.push((name.to_owned(), arguments.to_vec()));
            let seed = calls.len() as u64 + name.len() as u64;
            let mut random = Random::new(seed);
            // It writes where it is let.
            let byte = [random.next_word() as u8 & 1];
            let _ = memory.write(shared + 8, &byte);
            let answer = |ty: &(TypeData, u32)| match ty.0 {
                TypeData::Ptr(_) => Value::bits(u128::from(shared + 64)),
                _ => Value::bits(u128::from(random.next_word() >> 20) & crate::terms::compute::mask(ty.1)),
            };
            Some(Ok(types.iter().map(answer).collect()))
        });
        let results = interpreter.call(FuncId::new(0), arguments);
        let mut memory = Vec::new();
        for base in buffers {
            for offset in 0..BUFFER_BYTES {
                memory.push(interpreter.memory().read(base + offset, 1).ok().map(|bytes| bytes[0]));
            }
        }
        drop(interpreter);
        Some(Trace {
            calls: calls.into_inner(),
            results,
            memory,
        })
    }

    /// Whether the two functions differ for the inputs of a counterexample; `None` if that cannot be told.
    pub fn confirms(&self, before: &Function, after: &Function, found: &Counterexample) -> Option<bool> {
        let (before, after) = (
            self.run(before, &found.parameters)?,
            self.run(after, &found.parameters)?,
        );
        is_meaningful(&before).then(|| !refines(&before, &after))
    }
}

/// Whether a run came to an end that says something.
pub fn is_meaningful(trace: &Trace) -> bool {
    matches!(trace.results, Ok(_) | Err(Stop::Trap))
}

/// Whether a run does what another one did, which came to an end.
pub fn refines(before: &Trace, after: &Trace) -> bool {
    let same_end = match (&before.results, &after.results) {
        (Ok(values), Ok(others)) => all_refine(values, others),
        (Err(one), Err(other)) => one == other,
        // Of what ran out of steps, nothing is known.
        (_, Err(Stop::Limit(_) | Stop::Unsupported(_))) => return true,
        _ => false,
    };
    let same_calls = before.calls.len() == after.calls.len()
        && before
            .calls
            .iter()
            .zip(&after.calls)
            .all(|(one, other)| one.0 == other.0 && all_refine(&one.1, &other.1));
    let same_memory = before
        .memory
        .iter()
        .zip(&after.memory)
        .all(|(one, other)| one.is_none() || one == other);
    same_end && same_calls && same_memory
}

fn all_refine(before: &[Value], after: &[Value]) -> bool {
    let lanes = |values: &[Value]| {
        values
            .iter()
            .flat_map(|value| value.lanes().to_vec())
            .collect::<Vec<Scalar>>()
    };
    let (before, after) = (lanes(before), lanes(after));
    before.len() == after.len() && before.iter().zip(&after).all(|(&one, &other)| lane_refines(one, other))
}

fn lane_refines(before: Scalar, after: Scalar) -> bool {
    match (before, after) {
        (Scalar::Poison, _) => true,
        (Scalar::Bits { .. }, Scalar::Poison) => false,
        (
            Scalar::Bits { value, undef },
            Scalar::Bits {
                value: other,
                undef: open,
            },
        ) => open & !undef == 0 && (value ^ other) & !undef == 0,
    }
}

/// Types of results with their widths.
type Answers = Vec<(TypeData, u32)>;

/// What called functions return, by name; nothing for those that are called in several ways.
fn answers(module: &Module, function: &Function) -> FxHashMap<String, Option<Answers>> {
    let mut answers: FxHashMap<String, Option<Answers>> = FxHashMap::default();
    for data in function.insts() {
        if !matches!(data.op, Opcode::Call | Opcode::Invoke) {
            continue;
        }
        let call = function.call(data);
        let OperandKind::Symbol(symbol) = call.callee.kind() else {
            continue;
        };
        let returns = &function.sig(call.sig).returns;
        let width = |ty: Type| function.types().bits(ty, module.data_layout.pointer_bits) as u32;
        let types: Answers = returns
            .iter()
            .map(|param| (function.types().data(param.ty), width(param.ty)))
            .collect();
        let is_scalar = types
            .iter()
            .all(|row| !matches!(row.0, TypeData::Vector { .. }) && row.1 <= 128);
        let name = module.display_name(symbol).into_owned();
        let known = answers.entry(name).or_insert_with(|| is_scalar.then(|| types.clone()));
        if known.as_ref() != Some(&types) {
            *known = None;
        }
    }
    answers
}

/// A number of a type that a rule may have a border at.
fn interesting(ty: TypeData, function: &Function, random: &mut Random) -> u128 {
    let bits = match ty {
        TypeData::Int(bits) => bits.min(128),
        TypeData::F32 => 32,
        _ => 64,
    };
    let mask = crate::terms::compute::mask(bits);
    let is_float = matches!(ty, TypeData::F32 | TypeData::F64);
    let number = match random.below(if is_float { 4 } else { 8 }) {
        0 => 0,
        1 => u128::from(random.next_word()) << 64 | u128::from(random.next_word()),
        2 => 1 << (bits - 1),
        3 if is_float => [0x3f80_0000, 0x3ff0_0000_0000_0000][usize::from(bits == 64)],
        3 => u128::MAX,
        4 => (1 << (bits - 1)) - 1,
        5 => u128::from(random.next_word() >> 20) & 15,
        _ => {
            // Beside a number of the function.
            let data = random.pick(function.insts());
            let mut found = 0i64;
            function.for_each_operand(&data, |operand| {
                found = operand.as_imm().unwrap_or(found);
            });
            let beside = found.wrapping_add(random.below(3) as i64 - 1);
            i128::from(beside).cast_unsigned()
        }
    };
    number & mask
}
