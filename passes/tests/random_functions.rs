//! Passes on random functions: what was defined before must be the same after.
//!
//! The functions are made of the operations that the passes have rules for, with constants at the limits of their
//! types, so that many rules meet. The interpreter is the oracle: results that are poison or undefined before are not
//! compared, and functions whose behavior is undefined only count as not made.

#[path = "random/loops.rs"]
mod loops;
#[path = "random/memory.rs"]
mod memory;

use frazil_ir::interp::{Interpreter, Limits, Scalar, Stop, Value};
use frazil_ir::pass::{PassCx, PassState};
use frazil_ir::text::{parse_module, print_function};
use frazil_ir::verify::verify_function;
use frazil_ir::{EntityRef, FuncId, Function, Module};
use frazil_passes::registry::Made;
use frazil_passes::{Registry, target_facts};
use frazil_test_support::Random;
use std::fmt::Write;

const WIDTHS: [u32; 5] = [1, 8, 16, 32, 64];

/// The text of a function, and the widths of the values so far.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    values: Vec<u32>,
}

impl Writer<'_> {
    fn value_of(&mut self, bits: u32) -> Option<usize> {
        let fitting: Vec<usize> = (0..self.values.len())
            .filter(|&value| self.values[value] == bits)
            .collect();
        if fitting.is_empty() {
            return None;
        }
        // Mostly what was computed last, so that operations build on each other.
        let recent = fitting.len().saturating_sub(3);
        let from = if self.random.below(3) > 0 { recent } else { 0 };
        Some(fitting[from + self.random.below(fitting.len() - from)])
    }

    fn constant(&mut self, bits: u32) -> i128 {
        let half = 1i128 << (bits - 1);
        let number = match self.random.below(8) {
            0 => 0,
            1 => 1,
            2 => -1,
            3 => half - 1,
            4 => -half,
            5 => self.random.below(bits as usize) as i128,
            6 => 1 << self.random.below(bits as usize),
            _ => self.random.below(1000) as i128 - 500,
        };
        (number << (128 - bits)) >> (128 - bits)
    }

    fn operand(&mut self, bits: u32) -> String {
        match self.value_of(bits) {
            Some(value) if self.random.below(5) > 1 => format!("v{value}"),
            _ => self.constant(bits).to_string(),
        }
    }

    /// An operand that carries its type.
    fn typed(&mut self, bits: u32) -> String {
        match self.value_of(bits) {
            Some(value) => format!("v{value}"),
            None => format!("i{bits} {}", self.constant(bits)),
        }
    }

    fn define(&mut self, bits: u32, line: &str) {
        writeln!(self.text, "  v{} = {line}", self.values.len()).expect("text grows");
        self.values.push(bits);
    }

    fn step(&mut self) {
        let bits = WIDTHS[self.random.below(WIDTHS.len())];
        let (a, b) = (self.operand(bits), self.operand(bits));
        match self.random.below(12) {
            0..=4 => {
                let op = self.random.pick(&[
                    "add",
                    "add nsw",
                    "add nuw",
                    "sub",
                    "sub nsw",
                    "mul",
                    "mul nsw",
                    "udiv",
                    "sdiv",
                    "urem",
                    "srem",
                    "and",
                    "and",
                    "or",
                    "or",
                    "xor",
                    "xor",
                    "shl",
                    "shl nuw",
                    "lshr",
                    "lshr exact",
                    "ashr",
                    "umin",
                    "smax",
                    "uadd_sat",
                    "ssub_sat",
                ]);
                self.define(bits, &format!("{op} i{bits} {a}, {b}"));
            }
            5 | 6 => {
                let predicate = self
                    .random
                    .pick(&["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]);
                self.define(1, &format!("icmp_{predicate} i{bits} {a}, {b}"));
            }
            7 | 8 => {
                let condition = self.operand(1);
                self.define(bits, &format!("select i{bits} {condition}, {a}, {b}"));
            }
            9 | 10 => {
                let other = WIDTHS[self.random.below(WIDTHS.len())];
                let op = match bits.cmp(&other) {
                    std::cmp::Ordering::Less => self.random.pick(&["zext", "sext"]),
                    std::cmp::Ordering::Greater => "trunc",
                    std::cmp::Ordering::Equal => "freeze",
                };
                let operand = self.typed(bits);
                self.define(other, &format!("{op} i{other} {operand}"));
            }
            _ if bits > 8 => {
                let op = self.random.pick(&["uadd", "sadd", "usub", "ssub", "umul", "smul"]);
                let first = self.values.len();
                writeln!(self.text, "  v{first}, v{} = {op}_overflow i{bits} {a}, {b}", first + 1).expect("text grows");
                self.values.extend([bits, 1]);
            }
            _ => {
                let amount = self.operand(bits);
                let op = self.random.pick(&["fshl", "fshr"]);
                self.define(bits, &format!("{op} i{bits} {a}, {b}, {amount}"));
            }
        }
    }
}

/// A function of one parameter of each width that returns its last values.
fn straight_line(random: &mut Random) -> String {
    let mut writer = Writer {
        random,
        text: String::new(),
        values: WIDTHS.to_vec(),
    };
    for _ in 0..12 {
        writer.step();
    }
    let count = writer.values.len();
    let last: Vec<usize> = (count - 6..count).collect();
    let types: Vec<String> = last.iter().map(|&value| format!("i{}", writer.values[value])).collect();
    let names: Vec<String> = last.iter().map(|value| format!("v{value}")).collect();
    let (types, names, body) = (types.join(", "), names.join(", "), &writer.text);
    format!("func @f(i1, i8, i16, i32, i64) -> ({types}) {{\nb0:\n{body}  return {names}\n}}\n")
}

/// A function with branches on conditions made of comparisons, as front ends make them.
fn branching(random: &mut Random) -> String {
    let count = 3 + random.below(7);
    let targets: Vec<Vec<usize>> = (0..count)
        .map(|block| {
            // Forward only, so that every run ends.
            let ways = if block + 1 == count { 0 } else { 1 + random.below(2) };
            (0..ways).map(|_| block + 1 + random.below(count - block - 1)).collect()
        })
        .collect();
    let mut writer = Writer {
        random,
        text: String::new(),
        values: WIDTHS.to_vec(),
    };
    let mut own: Vec<Vec<usize>> = Vec::new();
    // Where each block begins in the text and with which value, for its phis are written last.
    for block in 0..count {
        writeln!(writer.text, "b{block}:").expect("text grows");
        let from: Vec<usize> = (0..block).filter(|&from| targets[from].contains(&block)).collect();
        let shared: Vec<u32> = WIDTHS.to_vec();
        let mut visible: Vec<usize> = (0..WIDTHS.len()).collect();
        for bits in [1, 32].into_iter().filter(|_| !from.is_empty()) {
            let columns: Vec<String> = from
                .iter()
                .map(|&from| {
                    let fitting: Vec<usize> = own[from]
                        .iter()
                        .copied()
                        .filter(|&v| writer.values[v] == bits)
                        .collect();
                    let operand = match fitting.as_slice() {
                        [.., last] if writer.random.below(3) > 0 => format!("v{last}"),
                        _ => writer.constant(bits).to_string(),
                    };
                    format!("b{from}: {operand}")
                })
                .collect();
            visible.push(writer.values.len());
            writer.define(bits, &format!("phi i{bits} [{}]", columns.join(", ")));
        }
        // The values of this block and the parameters are all that the steps see.
        let all = std::mem::take(&mut writer.values);
        let offset = all.len();
        let mut renamed = Writer {
            random: writer.random,
            text: String::new(),
            values: visible.iter().map(|&value| all[value]).collect(),
        };
        let known = renamed.values.len();
        for _ in 0..[0, 0, 1, 3][renamed.random.below(4)] {
            renamed.step();
        }
        let condition = renamed.operand(1);
        let result = renamed.operand(32);
        let rename = |text: &str| rename(text, &visible, known, offset);
        let (body, condition, result) = (rename(&renamed.text), rename(&condition), rename(&result));
        let made: Vec<u32> = renamed.values[known..].to_vec();
        writer.text.push_str(&body);
        writer.values = all;
        writer.values.extend(made);
        debug_assert_eq!(&writer.values[..shared.len()], &shared);
        own.push(
            (0..writer.values.len())
                .filter(|&value| visible.contains(&value) || value >= offset)
                .collect(),
        );
        match targets[block][..] {
            [] => writeln!(writer.text, "  return {result}"),
            [to] => writeln!(writer.text, "  jump b{to}"),
            [yes, no, ..] => writeln!(writer.text, "  branch {condition}, b{yes}, b{no}"),
        }
        .expect("text grows");
    }
    format!("func @f(i1, i8, i16, i32, i64) -> i32 {{\n{}}}\n", writer.text)
}

/// Gives the values of a text other numbers: the first `known` those of `visible`, the others those from `offset` on.
fn rename(text: &str, visible: &[usize], known: usize, offset: usize) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('v') {
        let (before, name) = rest.split_at(at);
        out.push_str(before);
        let digits = name[1..].chars().take_while(char::is_ascii_digit).count();
        let starts_word = out
            .chars()
            .last()
            .is_none_or(|last| !last.is_ascii_alphanumeric() && last != '_');
        match name[1..=digits].parse::<usize>() {
            Ok(number) if starts_word => {
                let number = if number < known {
                    visible[number]
                } else {
                    number - known + offset
                };
                write!(out, "v{number}").expect("text grows");
            }
            _ => out.push_str(&name[..=digits]),
        }
        rest = &name[1 + digits..];
    }
    out + rest
}

fn run(module: &Module, function: &Function, arguments: &[u128]) -> Result<Vec<Value>, Stop> {
    let functions = std::slice::from_ref(function);
    let mut interpreter = Interpreter::new(module, functions, Limits::default())?;
    let arguments = arguments.iter().map(|&argument| Value::bits(argument)).collect();
    interpreter.call(FuncId::new(0), arguments)
}

fn text_of(module: &Module, function: &Function) -> String {
    let mut text = String::new();
    print_function(module, function, &mut text).expect("text grows");
    text
}

/// Runs the passes over functions and compares what they compute for a few arguments; returns how many results were
/// compared.
fn check(seed: u64, functions: usize, make: fn(&mut Random) -> String, passes: &[&str]) -> usize {
    let registry = Registry::builtin();
    let passes: Vec<_> = passes
        .iter()
        .map(|name| {
            let entry = registry.find(name).expect("the pass is registered");
            match entry.make(toml::Table::new()) {
                Ok(Made::Function(pass)) => (entry.info.name, pass),
                _ => panic!("{name} is no pass over functions"),
            }
        })
        .collect();
    let mut random = Random::new(seed);
    let mut state = PassState::default();
    let facts = target_facts((frazil_targets::builtin()[0].new)().desc());
    let mut compared = 0;
    for _ in 0..functions {
        let text = make(&mut random);
        let (module, mut bodies) = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let function = &mut bodies[0];
        assert_eq!(verify_function(&module, function), Ok(()), "{text}");
        // What a frozen poison is may change: where it would matter, nothing is compared.
        let (_, reference) = parse_module(&text.replace("freeze", "copy")).expect("the same with copies");
        state.analyses.clear();
        let head = module.functions.values().next().expect("one function");
        for (name, pass) in &passes {
            let mut cx = PassCx::new(name, &module, head, &facts, &mut state);
            let preserved = pass.run(function, &mut cx).expect("passes accept all functions");
            state.analyses.retain(preserved.kept());
            assert_eq!(
                verify_function(&module, function),
                Ok(()),
                "{text}{}",
                text_of(&module, function)
            );
        }
        for _ in 0..4 {
            let arguments: Vec<u128> = WIDTHS
                .iter()
                .map(|&bits| {
                    let number = [
                        0,
                        1,
                        2,
                        u64::MAX,
                        1 << (bits - 1),
                        random.below(usize::MAX >> 12) as u64,
                    ];
                    u128::from(number[random.below(number.len())] & (u64::MAX >> (64 - bits)))
                })
                .collect();
            let Ok(expected) = run(&module, &reference[0], &arguments) else {
                continue;
            };
            let found = run(&module, function, &arguments);
            let after = || format!("{arguments:?}\n{text}{}", text_of(&module, function));
            let found = found.unwrap_or_else(|stop| panic!("{stop}: {}", after()));
            for (index, (expected, found)) in expected.iter().zip(&found).enumerate() {
                if matches!(expected, Value::Scalar(Scalar::Bits { undef: 0, .. })) {
                    assert_eq!(expected, found, "result {index}: {}", after());
                    compared += 1;
                }
            }
        }
    }
    compared
}

#[test]
fn folding_changes_no_defined_result() {
    let compared = check(0x1234_5678_9abc_def1, 4000, straight_line, &["fold", "dce", "fold"]);
    assert!(compared > 10_000, "only {compared}");
}

#[test]
fn simpler_graphs_compute_the_same() {
    let compared = check(
        0x0fed_cba9_8765_4321,
        4000,
        branching,
        &[
            "simplify-cfg",
            "short-circuit",
            "fold",
            "phi-constants",
            "dce",
            "simplify-cfg",
        ],
    );
    assert!(compared > 10_000, "only {compared}");
}

#[test]
fn shared_expressions_and_recognized_shuffles_are_the_same() {
    let passes = &["local-cse", "shuffle-recognition", "cmp-sink", "dce"];
    let compared = check(0x2468_ace0_1357_9bdf, 4000, straight_line, passes);
    assert!(compared > 10_000, "only {compared}");
}

#[test]
fn loops_compute_the_same() {
    let passes = &[
        "local-cse",
        "licm",
        "hoist-constants",
        "addr-fold",
        "cmp-sink",
        "phi-constants",
        "dce",
    ];
    let compared = check(0x1357_9bdf_0246_8ace, 2000, loops::nested, passes);
    assert!(compared > 5_000, "only {compared}");
    let all = &[
        "fold",
        "simplify-cfg",
        "local-cse",
        "redundant-load",
        "shuffle-recognition",
        "licm",
        "hoist-constants",
        "addr-fold",
        "cmp-sink",
        "phi-constants",
        "dce",
    ];
    let compared = check(0x0246_8ace_1357_9bdf, 2000, loops::nested, all);
    assert!(compared > 5_000, "only {compared}");
}

#[test]
fn what_slots_hold_stays_the_same() {
    let lists: [&[&str]; 5] = [
        &["mem2reg"],
        &["sroa", "mem2reg"],
        &["redundant-load"],
        &["alloca-merge"],
        &[
            "sroa",
            "mem2reg",
            "simplify-cfg",
            "local-cse",
            "redundant-load",
            "mem2reg",
            "dce",
            "alloca-merge",
        ],
    ];
    for (number, passes) in lists.into_iter().enumerate() {
        let compared = check(0x1122_3344_5566_7788 + number as u64, 600, memory::in_slots, passes);
        assert!(compared > 1_000, "only {compared} with {passes:?}");
    }
}
