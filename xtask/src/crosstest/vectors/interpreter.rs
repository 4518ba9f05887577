//! The cases of a module in the reference interpreter, as the native reader reads them and before anything is done to
//! them.
//!
//! What llc's code has read and written in the first sets of inputs is in a file of the [driver](super)'s. Here, each
//! function gets the same inputs, and must write the same bytes and leave all others as they were. NaNs are all the
//! same. Undefined behavior is a failure, and so is a byte that is undefined or poison: of the generator, since nothing
//! says that two compilers write the same there, or of the interpreter.
//!
//! What the interpreter does not know is counted by reason; reasons that are not on a list are failures. Functions
//! whose results the standard of C leaves to its library are compared, too, since the interpreter calls the same one.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, bail};
use frazil_frontend_pnacl::{BitcodeModule, FunctionReader, ReadOptions};
use frazil_ir::interp::{Byte, Interpreter, Limits, Stop, Value};
use frazil_ir::{FuncId, Function, Module};

use super::Case;
use super::maker::{PLACE, PLACES};

/// Bytes of inputs in a file of the driver's, and of outputs with those after them that nobody may write.
const IN_BYTES: usize = PLACE * PLACES;
const OUT_BYTES: usize = PLACE * PLACES + 64;
/// A number, inputs and outputs.
const SET_BYTES: usize = 8 + IN_BYTES + OUT_BYTES;

/// What outputs are before a function runs, and all bytes around them afterwards, too.
const UNTOUCHED: u8 = 0xa5;

/// Both areas begin on a line of the cache.
const ALIGN_LOG2: u32 = 6;

/// With what reasons begin for which the interpreter is known not to execute a function.
const KNOWN: &[&str] = &[
    // Formats that Rust cannot compute in.
    "values of F128",
    "values of X86F80",
];

/// Whether a reason is on the list.
pub fn is_known(reason: &str) -> bool {
    KNOWN.iter().any(|known| reason.starts_with(known))
}

/// What a function reads, and what it is expected to leave where it writes.
type Set<'a> = (&'a [u8], &'a [u8]);

/// What became of the cases of a module, by number.
#[derive(Default)]
pub struct Found {
    /// Cases that the interpreter executed, the failed ones included.
    pub executed: usize,
    /// What was not as expected.
    pub failures: BTreeMap<u64, String>,
    /// Why the others were not executed.
    pub unsupported: BTreeMap<u64, String>,
}

/// Executes the cases of a module for which there are sets of inputs with what is expected of them.
///
/// # Errors
/// When the module as a whole cannot be read, or the file with the sets is none.
pub fn compare(bitcode: &[u8], kept: &[u8], cases: &[&Case]) -> Result<Found> {
    let opened = BitcodeModule::open(bitcode, &ReadOptions::new(&|_| None));
    let opened = opened.map_err(|error| anyhow::anyhow!("the native reader: {error}"))?;
    let (module, functions) = (opened.module(), read(&opened));
    let mut sets: HashMap<u64, Vec<Set<'_>>> = HashMap::new();
    if !kept.len().is_multiple_of(SET_BYTES) {
        bail!("sets of inputs of {} bytes", kept.len());
    }
    for set in kept.chunks_exact(SET_BYTES) {
        let (number, rest) = set.split_first_chunk().context("a set has a number")?;
        sets.entry(u64::from_le_bytes(*number))
            .or_default()
            .push(rest.split_at(IN_BYTES));
    }
    let mut found = Found::default();
    for case in cases {
        let Some(sets) = sets.get(&case.number) else { continue };
        let result = match functions.refused.get(&case.number) {
            Some(reason) => Err(Stop::Unsupported(reason.clone())),
            None => execute(module, &functions, case, sets),
        };
        match result {
            Ok(None) => found.executed += 1,
            Ok(Some(difference)) => {
                found.executed += 1;
                found.failures.insert(case.number, difference);
            }
            Err(Stop::Unsupported(reason)) => {
                // Not where in the function.
                let reason = reason.split(" (in ").next().unwrap_or(&reason).to_owned();
                found.unsupported.insert(case.number, reason);
            }
            Err(stop) => {
                found.executed += 1;
                found.failures.insert(case.number, stop.to_string());
            }
        }
    }
    Ok(found)
}

/// The functions of a module.
struct Functions {
    all: Vec<Function>,
    /// Those of cases, by number.
    by_case: HashMap<u64, FuncId>,
    /// By case, what the reader does not read.
    refused: HashMap<u64, String>,
}

fn read(opened: &BitcodeModule<'_>) -> Functions {
    let module = opened.module();
    let mut functions = Functions {
        all: Vec::new(),
        by_case: HashMap::new(),
        refused: HashMap::new(),
    };
    let mut reader = FunctionReader::new(opened);
    for (id, head) in module.functions.iter() {
        let mut function = Function::new();
        let name = module.display_name(head.symbol);
        let name = name.strip_prefix('f').unwrap_or(&name);
        let (number, rest) = name.split_once('.').unwrap_or((name, ""));
        let number = number.parse().ok();
        if let Err(error) = reader.read(id, &mut function)
            && let Some(number) = number
        {
            functions.refused.insert(number, format!("the native reader: {error}"));
        }
        functions.all.push(function);
        if let Some(number) = number.filter(|_| rest.is_empty()) {
            functions.by_case.insert(number, id);
        }
    }
    functions
}

/// Runs a function with some sets of inputs; returns the first difference.
fn execute(module: &Module, functions: &Functions, case: &Case, sets: &[Set<'_>]) -> Result<Option<String>, Stop> {
    let Some(&function) = functions.by_case.get(&case.number) else {
        return Ok(Some("there is no such function".to_owned()));
    };
    let mut interpreter = Interpreter::new(module, &functions.all, Limits::default())?;
    for (number, (inputs, expected)) in sets.iter().enumerate() {
        let memory = interpreter.memory();
        let input = memory.allocate(IN_BYTES as u64, ALIGN_LOG2)?;
        memory.write(input, inputs)?;
        let output = memory.allocate(OUT_BYTES as u64, ALIGN_LOG2)?;
        memory.write(output, &[UNTOUCHED; OUT_BYTES])?;
        let arguments = [input, output].map(|address| Value::bits(u128::from(address)));
        interpreter.call(function, arguments.to_vec())?;
        let memory = interpreter.memory();
        let mut found = memory.read_bytes(output, OUT_BYTES as u64)?;
        for (place, &row) in case.outputs.iter().enumerate() {
            make_canonical(&mut found[place * PLACE..], row);
        }
        let is_same = |(byte, &expected): (&Byte, &u8)| is_defined(byte) && byte.value == expected;
        if let Some(at) = found.iter().zip(*expected).position(|pair| !is_same(pair)) {
            let (place, byte) = (at / PLACE, at % PLACE);
            let what = match &found[at] {
                Byte { poison: true, .. } => "poison".to_owned(),
                byte if !is_defined(byte) => "undefined".to_owned(),
                byte => format!("{:#04x}", byte.value),
            };
            return Ok(Some(format!(
                "byte {byte} of output {place} is {what} instead of {:#04x} (set {number})",
                expected[at]
            )));
        }
        if memory.read(input, IN_BYTES as u64)? != *inputs {
            return Ok(Some(format!("inputs are changed (set {number})")));
        }
    }
    Ok(None)
}

fn is_defined(byte: &Byte) -> bool {
    !byte.poison && byte.undef == 0
}

/// By number of an output's format, its bytes and the bits after its point; no floats have none.
const FORMATS: [(usize, u32); 6] = [(0, 0), (4, 23), (8, 52), (2, 10), (2, 7), (16, 112)];

/// Gives all NaNs of an output the same bits, as the driver does.
fn make_canonical(bytes: &mut [Byte], row: u64) {
    let (lane_bytes, mantissa) = FORMATS[(row & 0xff) as usize];
    if lane_bytes == 0 {
        return;
    }
    let output = &mut bytes[..(row >> 32) as usize];
    for lane in output.chunks_exact_mut(lane_bytes) {
        let fold = |bits: u128, byte: &Byte| bits << 8 | u128::from(byte.value);
        let bits = lane.iter().rev().fold(0, fold);
        let sign = 1_u128 << (8 * lane_bytes - 1);
        let infinity = sign - (1 << mantissa);
        if lane.iter().all(is_defined) && bits & (sign - 1) > infinity {
            lane.iter_mut().for_each(|byte| byte.value = 0xff);
        }
    }
}
