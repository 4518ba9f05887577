//! What executables compute, by the interpreter: one record form each.

use super::maker::{Part, Pexe, constants, integers, pad, row, signed, ty};
use super::read;
use crate::bitstream::abbrev::Encoding;
use crate::bitstream::shapes::Shape;
use crate::bitstream::writer::Writer;
use crate::pnacl::codes::{block, constants as constant, function as code, globals, module, types};
use frazil_ir::FuncId;
use frazil_ir::interp::{Interpreter, Limits, Value};
use frazil_support::EntityRef;

/// What the last function of an executable returns, also if its records end at whole bytes.
fn run(pexe: &Pexe, arguments: &[Value]) -> u128 {
    let found = run_as_it_is(pexe, arguments);
    assert_eq!(run_as_it_is(&pexe.padded(), arguments), found, "padded");
    found
}

fn run_as_it_is(pexe: &Pexe, arguments: &[Value]) -> u128 {
    let (module, functions) = read(&pexe.write()).unwrap_or_else(|error| panic!("{error}"));
    let mut interpreter = Interpreter::new(&module, &functions, Limits::default()).expect("data fit memory");
    let last = FuncId::new(functions.len() - 1);
    let results = interpreter
        .call(last, arguments.to_vec())
        .unwrap_or_else(|stop| panic!("{stop:?}"));
    results[0].known().expect("it is defined")
}

fn words(arguments: &[i64]) -> Vec<Value> {
    arguments
        .iter()
        .map(|&word| Value::bits(u128::from(word as u32)))
        .collect()
}

/// Expects what a body computes of two `i32`s, which are values 2 and 3.
fn computes(body: Vec<Part>, arguments: [i64; 2], expected: i64) {
    let found = run(&Pexe::with(ty::BINARY, body.clone()), &words(&arguments));
    assert_eq!(found as u32, expected as u32, "{body:?} of {arguments:?}");
}

/// The same for a body of so many blocks.
fn blocks_compute(blocks: u64, body: Vec<Part>, arguments: [i64; 2], expected: i64) {
    let found = run(&Pexe::with_blocks(ty::BINARY, blocks, body.clone()), &words(&arguments));
    assert_eq!(found as u32, expected as u32, "{body:?} of {arguments:?}");
}

#[test]
fn binary_operations_of_words() {
    let cases: [(u64, [i64; 2], i64); 16] = [
        (0, [7, 5], 12),
        (0, [0xffff_ffff, 1], 0),
        (1, [7, 9], -2),
        (2, [70_000, 70_000], 605_032_704),
        (3, [-8, 3], 0xffff_fff8 / 3),
        (4, [-8, 3], -2),
        (5, [-8, 3], 0xffff_fff8 % 3),
        (6, [-8, 3], -2),
        (7, [3, 4], 48),
        (8, [-16, 2], 0x3fff_fffc),
        (9, [-16, 2], -4),
        (10, [12, 10], 8),
        (11, [12, 10], 14),
        (12, [12, 10], 6),
        (12, [-1, 1], -2),
        (1, [0, 0x8000_0000], 0x8000_0000),
    ];
    for (operation, arguments, expected) in cases {
        computes(
            vec![row(code::BINARY, [2, 1, operation]), row(code::RETURN, [1])],
            arguments,
            expected,
        );
        // Older files have flags, too.
        computes(
            vec![row(code::BINARY, [2, 1, operation, 3]), row(code::RETURN, [1])],
            arguments,
            expected,
        );
    }
}

#[test]
fn binary_operations_of_double_words_and_floats() {
    let cases: [(u64, [i64; 2], i64); 6] = [
        (0, [1 << 40, 1], (1 << 40) + 1),
        (2, [1 << 33, -3], -3 << 33),
        (4, [-(1 << 40), 1 << 20], -(1 << 20)),
        (7, [5, 60], 5 << 60),
        (9, [-1 << 50, 49], -2),
        (11, [1 << 63, 1], 1 << 63 | 1),
    ];
    for (operation, arguments, expected) in cases {
        let body = vec![row(code::BINARY, [2, 1, operation]), row(code::RETURN, [1])];
        let arguments = arguments.map(|value| Value::bits(u128::from(value.cast_unsigned())));
        let found = run(&Pexe::with(ty::BINARY64, body), &arguments);
        assert_eq!(found as i64, expected, "operation {operation}");
    }
    for (operation, expected) in [(0, 9.5), (1, 5.5), (2, 15.0), (4, 3.75), (6, 1.5)] {
        let body = vec![row(code::BINARY, [2, 1, operation]), row(code::RETURN, [1])];
        let found = run(
            &Pexe::with(ty::BINARY_DOUBLE, body),
            &[Value::f64(7.5), Value::f64(2.0)],
        );
        assert_eq!(f64::from_bits(found as u64), expected, "operation {operation}");
    }
}

#[test]
fn comparisons_of_words() {
    let outcomes = [
        // With 5 and 5, -1 and 1, 1 and -1.
        (32, [1, 0, 0]),
        (33, [0, 1, 1]),
        (34, [0, 1, 0]),
        (35, [1, 1, 0]),
        (36, [0, 0, 1]),
        (37, [1, 0, 1]),
        (38, [0, 0, 1]),
        (39, [1, 0, 1]),
        (40, [0, 1, 0]),
        (41, [1, 1, 0]),
    ];
    for (predicate, expected) in outcomes {
        for (arguments, expected) in [[5, 5], [-1, 1], [1, -1]].into_iter().zip(expected) {
            let body = vec![
                row(code::COMPARE, [2, 1, predicate]),
                row(code::CAST, [1, ty::I32, 1]),
                row(code::RETURN, [1]),
            ];
            computes(body, arguments, expected);
        }
    }
}

#[test]
fn comparisons_of_floats() {
    // With 1 and 2, 2 and 2, 2 and no number.
    let outcomes = [
        (0, [0, 0, 0]),
        (1, [0, 1, 0]),
        (2, [0, 0, 0]),
        (3, [0, 1, 0]),
        (4, [1, 0, 0]),
        (5, [1, 1, 0]),
        (6, [1, 0, 0]),
        (7, [1, 1, 0]),
        (8, [0, 0, 1]),
        (9, [0, 1, 1]),
        (10, [0, 0, 1]),
        (11, [0, 1, 1]),
        (12, [1, 0, 1]),
        (13, [1, 1, 1]),
        (14, [1, 0, 1]),
        (15, [1, 1, 1]),
    ];
    for (predicate, expected) in outcomes {
        for (arguments, expected) in [[1.0, 2.0], [2.0, 2.0], [2.0, f64::NAN]].into_iter().zip(expected) {
            let body = vec![
                row(code::COMPARE, [2, 1, predicate]),
                row(code::CAST, [1, ty::DOUBLE, 5]),
                row(code::RETURN, [1]),
            ];
            let found = run(&Pexe::with(ty::BINARY_DOUBLE, body), &arguments.map(Value::f64));
            assert_eq!(
                f64::from_bits(found as u64),
                f64::from(expected),
                "{predicate} of {arguments:?}"
            );
        }
    }
}

#[test]
fn casts() {
    let there_and_back = |of: u64, to: u64, back: u64| {
        vec![
            row(code::CAST, [2, of, to]),
            row(code::CAST, [1, ty::I32, back]),
            row(code::RETURN, [1]),
        ]
    };
    computes(there_and_back(ty::I8, 0, 1), [0x1ff, 0], 0xff);
    computes(there_and_back(ty::I8, 0, 2), [0x1ff, 0], -1);
    computes(there_and_back(ty::I16, 0, 2), [0x18000, 0], -0x8000);
    computes(there_and_back(ty::I64, 2, 0), [-7, 0], -7);
    computes(there_and_back(ty::DOUBLE, 6, 4), [-7, 0], -7);
    computes(there_and_back(ty::DOUBLE, 5, 3), [-7, 0], -7);
    computes(there_and_back(ty::FLOAT, 6, 4), [1000, 0], 1000);
    computes(there_and_back(ty::FLOAT, 11, 11), [0x3f80_0000, 0], 0x3f80_0000);
    let through_float = vec![
        row(code::CAST, [2, ty::DOUBLE, 6]),
        row(code::CAST, [1, ty::FLOAT, 7]),
        row(code::CAST, [1, ty::DOUBLE, 8]),
        row(code::CAST, [1, ty::I32, 4]),
        row(code::RETURN, [1]),
    ];
    // The float has 24 bits.
    computes(through_float, [0x0100_0001, 0], 0x0100_0000);
}

#[test]
fn constants_of_all_kinds() {
    for value in [
        0,
        1,
        -1,
        i64::from(i32::MAX),
        i64::from(i32::MIN),
        1 << 29,
        -(1 << 29) - 1,
    ] {
        computes(vec![integers(ty::I32, &[value]), row(code::RETURN, [1])], [0, 0], value);
    }
    let flag = vec![
        integers(ty::I1, &[-1]),
        row(code::SELECT, [3, 2, 1]),
        row(code::RETURN, [1]),
    ];
    computes(flag, [10, 20], 10);
    let zero = vec![
        integers(ty::I1, &[0]),
        row(code::SELECT, [3, 2, 1]),
        row(code::RETURN, [1]),
    ];
    computes(zero, [10, 20], 20);
    let float = vec![
        constants(ty::FLOAT, &[(constant::FLOAT, u64::from(2.5f32.to_bits()))]),
        row(code::CAST, [1, ty::DOUBLE, 8]),
        row(code::RETURN, [1]),
    ];
    let found = run(
        &Pexe::with(ty::BINARY_DOUBLE, float),
        &[Value::f64(0.0), Value::f64(0.0)],
    );
    assert_eq!(f64::from_bits(found as u64), 2.5);
    let narrow = vec![
        integers(ty::I8, &[-2]),
        row(code::CAST, [1, ty::I32, 2]),
        row(code::RETURN, [1]),
    ];
    computes(narrow, [0, 0], -2);
    let wide = vec![integers(ty::I64, &[i64::MIN]), row(code::RETURN, [1])];
    let found = run(&Pexe::with(ty::BINARY64, wide), &[Value::bits(0), Value::bits(0)]);
    assert_eq!(found as i64, i64::MIN);
}

#[test]
fn memory_of_the_stack() {
    // Values 2 and 3, the size 4, the address 5.
    let begin = || vec![integers(ty::I32, &[16]), row(code::ALLOCA, [1, 5])];
    let word = vec![
        row(code::STORE, [1, 4, 1]),
        row(code::LOAD, [1, 1, ty::I32]),
        row(code::RETURN, [1]),
    ];
    computes([begin(), word].concat(), [0x1234_5678, 0], 0x1234_5678);
    for (of, mask) in [(ty::I8, 0xff), (ty::I16, 0xffff)] {
        let narrow = vec![
            row(code::CAST, [4, of, 0]),
            row(code::STORE, [2, 1, 1]),
            row(code::LOAD, [2, 1, of]),
            row(code::CAST, [1, ty::I32, 1]),
            row(code::RETURN, [1]),
        ];
        computes([begin(), narrow].concat(), [0x1234_5678, 0], 0x1234_5678 & mask);
    }
    // The size is known at run time only.
    let dynamic = vec![
        row(code::ALLOCA, [1, 3]),
        row(code::STORE, [1, 3, 1]),
        row(code::LOAD, [1, 1, ty::I32]),
        row(code::RETURN, [1]),
    ];
    computes(dynamic, [77, 64], 77);
    // An address is an integer: four bytes further is another word.
    let further = vec![
        integers(ty::I32, &[8, 4]),
        row(code::ALLOCA, [2, 3]),
        row(code::BINARY, [1, 2, 0]),
        row(code::STORE, [1, 6, 1]),
        row(code::STORE, [2, 5, 1]),
        row(code::LOAD, [1, 1, ty::I32]),
        row(code::RETURN, [1]),
    ];
    computes(further, [5, 6], 5);
}

#[test]
fn data_have_bytes_zeros_and_addresses() {
    // Function 1 of two; variables are values 2, 3 and 4, parameters 5 and 6.
    let rows = vec![
        (globals::COUNT, vec![3]),
        (globals::VARIABLE, vec![3, 1]),
        (globals::DATA, vec![1, 2, 3, 4]),
        (globals::VARIABLE, vec![0, 0]),
        (globals::COMPOUND, vec![3]),
        (globals::ZERO_FILL, vec![4]),
        (globals::DATA, vec![9, 8, 7, 6]),
        (globals::RELOCATION, vec![2, 0xffff_ffff]),
        (globals::VARIABLE, vec![1, 0]),
        (globals::RELOCATION, vec![3, 4]),
    ];
    let load = |body: Vec<Part>, expected: u32| {
        let mut pexe = Pexe::with(ty::BINARY, body);
        pexe.globals = Some(rows.clone());
        assert_eq!(run(&pexe, &words(&[8, 1])) as u32, expected);
    };
    // The next value is 7.
    load(
        vec![row(code::LOAD, [5, 1, ty::I32]), row(code::RETURN, [1])],
        0x0403_0201,
    );
    load(vec![row(code::LOAD, [4, 1, ty::I32]), row(code::RETURN, [1])], 0);
    // Through an address in data, which leads four bytes into the second variable.
    let through = vec![
        row(code::LOAD, [3, 1, ty::I32]),
        row(code::LOAD, [1, 1, ty::I32]),
        row(code::RETURN, [1]),
    ];
    load(through, 0x0607_0809);
    // One byte before the first variable, and one further.
    let before = vec![
        row(code::BINARY, [4, 2, 0]),
        row(code::LOAD, [1, 1, ty::I32]),
        row(code::BINARY, [1, 3, 0]),
        row(code::LOAD, [1, 1, ty::I32]),
        row(code::RETURN, [1]),
    ];
    load(before, 0x0403_0201);
}

#[test]
fn control_flow() {
    let branch = vec![
        row(code::COMPARE, [2, 1, 40]),
        row(code::BRANCH, [1, 2, 1]),
        row(code::RETURN, [3]),
        row(code::RETURN, [2]),
    ];
    blocks_compute(3, branch.clone(), [3, 4], 3);
    blocks_compute(3, branch, [5, 4], 4);
    let switch = |default: u64| {
        vec![
            Part::Record(
                code::SWITCH,
                [
                    vec![ty::I32, 2, default, 2],
                    vec![1, 1, signed(-5), 1],
                    vec![1, 1, signed(7), 2],
                ]
                .concat(),
            ),
            row(code::RETURN, [1]),
            row(code::RETURN, [2]),
            row(code::UNREACHABLE, []),
        ]
    };
    blocks_compute(4, switch(3), [-5, 9], 9);
    blocks_compute(4, switch(3), [7, 9], 7);
    blocks_compute(4, switch(1), [8, 9], 9);
    // The sum of the numbers from the first parameter down to 1: values 2 and 3, constants 4 and 5, phis 6 and 7.
    let sum = vec![
        integers(ty::I32, &[0, 1]),
        row(code::BRANCH, [1]),
        row(code::FORWARD_TYPE, [9, ty::I32]),
        row(code::PHI, [ty::I32, signed(4), 0, signed(-3), 1]),
        row(code::FORWARD_TYPE, [8, ty::I32]),
        row(code::PHI, [ty::I32, signed(3), 0, signed(-1), 1]),
        row(code::BINARY, [1, 2, 0]),
        row(code::BINARY, [3, 4, 1]),
        row(code::COMPARE, [1, 6, 33]),
        row(code::BRANCH, [1, 2, 1]),
        row(code::RETURN, [3]),
    ];
    blocks_compute(3, sum, [10, 0], 55);
}

#[test]
fn phis_of_addresses_are_made_at_the_beginning() {
    let rows = vec![
        (globals::COUNT, vec![2]),
        (globals::VARIABLE, vec![3, 1]),
        (globals::DATA, vec![11, 0, 0, 0]),
        (globals::VARIABLE, vec![3, 1]),
        (globals::DATA, vec![22, 0, 0, 0]),
    ];
    // Variables are values 2 and 3, parameters 4 and 5.
    let body = vec![
        row(code::COMPARE, [2, 1, 40]),
        row(code::BRANCH, [1, 2, 1]),
        row(code::BRANCH, [3]),
        row(code::BRANCH, [3]),
        row(code::PHI, [ty::I32, signed(5), 1, signed(4), 2]),
        row(code::LOAD, [1, 1, ty::I32]),
        row(code::RETURN, [1]),
    ];
    for (arguments, expected) in [([1, 2], 11), ([2, 1], 22)] {
        let mut pexe = Pexe::with_blocks(ty::BINARY, 4, body.clone());
        pexe.globals = Some(rows.clone());
        assert_eq!(run(&pexe, &words(&arguments)), expected);
    }
}

#[test]
fn calls() {
    // Function 2 calls function 1, whose value is 1; parameters are values 3 and 4.
    let mut direct = Pexe::with(ty::BINARY, vec![row(code::BINARY, [2, 1, 1]), row(code::RETURN, [1])]);
    let mut indirect = direct.clone();
    for (pexe, call) in [
        (&mut direct, row(code::CALL, [0, 4, 1, 2])),
        (&mut indirect, row(code::CALL_INDIRECT, [1, 4, ty::I32, 1, 2])),
    ] {
        pexe.functions.push(pexe.functions[1].clone());
        pexe.bodies
            .push(vec![row(code::DECLARE_BLOCKS, [1]), call, row(code::RETURN, [1])]);
        assert_eq!(run(pexe, &words(&[3, 10])) as u32, 7);
    }
}

#[test]
fn vectors() {
    // Values 2 and 3; 4 undefined, 5 and 6 numbers of lanes.
    let body = vec![
        constants(ty::V4I32, &[(constant::UNDEFINED, 0)]),
        integers(ty::I32, &[1, 3]),
        row(code::INSERT_ELEMENT, [3, 5, 2]),
        row(code::INSERT_ELEMENT, [1, 5, 2]),
        row(code::BINARY, [1, 1, 0]),
        row(code::EXTRACT_ELEMENT, [1, 5]),
        row(code::EXTRACT_ELEMENT, [2, 5]),
        row(code::BINARY, [2, 1, 1]),
        row(code::RETURN, [1]),
    ];
    computes(body, [10, 4], 12);
}

/// What a body computes with an intrinsic, which is value 1; parameters are values 3 and 4.
fn with_intrinsic(name: &str, result: u64, parameters: &[u64], body: Vec<Part>, arguments: [i64; 2]) -> u32 {
    let mut pexe = Pexe::with(ty::BINARY, body);
    pexe.add_intrinsic(name, result, parameters);
    run(&pexe, &words(&arguments)) as u32
}

#[test]
fn intrinsics_of_one_operand() {
    let call = || vec![row(code::CALL, [0, 4, 2]), row(code::RETURN, [1])];
    let unary = |name: &str, argument: i64| with_intrinsic(name, ty::I32, &[ty::I32], call(), [argument, 0]);
    assert_eq!(unary("llvm.bswap.i32", 0x1122_3344), 0x4433_2211);
    assert_eq!(unary("llvm.ctpop.i32", 0xf0f1), 9);
    for (name, zero, expected) in [
        ("llvm.ctlz.i32", 0, 24),
        ("llvm.cttz.i32", 0, 4),
        ("llvm.ctlz.i32", -1, 24),
    ] {
        let body = vec![
            integers(ty::I1, &[zero]),
            row(code::CALL, [0, 5, 3, 1]),
            row(code::RETURN, [1]),
        ];
        assert_eq!(
            with_intrinsic(name, ty::I32, &[ty::I32, ty::I1], body, [0xf0, 0]),
            expected,
            "{name}"
        );
    }
    let mut root = Pexe::with(
        ty::BINARY_DOUBLE,
        vec![row(code::CALL, [0, 4, 2]), row(code::RETURN, [1])],
    );
    root.add_intrinsic("llvm.sqrt.f64", ty::DOUBLE, &[ty::DOUBLE]);
    let found = run(&root, &[Value::f64(9.0), Value::f64(0.0)]);
    assert_eq!(f64::from_bits(found as u64), 3.0);
}

#[test]
fn intrinsics_of_memory() {
    // Constants are values 5 to 7, the flag 8, memory 9.
    let set = vec![
        integers(ty::I32, &[16, 4, 1]),
        integers(ty::I1, &[0]),
        integers(ty::I8, &[0x5a]),
        row(code::ALLOCA, [5, 3]),
        row(code::CALL, [0, 10, 1, 2, 5, 4, 3]),
        row(code::LOAD, [1, 1, ty::I32]),
        row(code::RETURN, [1]),
    ];
    let parameters = [ty::I32, ty::I8, ty::I32, ty::I32, ty::I1];
    assert_eq!(
        with_intrinsic("llvm.memset.p0i8.i32", ty::VOID, &parameters, set, [0, 0]),
        0x5a5a_5a5a
    );
    for name in ["llvm.memcpy.p0i8.p0i8.i32", "llvm.memmove.p0i8.p0i8.i32"] {
        let copy = vec![
            integers(ty::I32, &[16, 4, 1]),
            integers(ty::I1, &[0]),
            row(code::ALLOCA, [4, 3]),
            row(code::ALLOCA, [5, 3]),
            row(code::STORE, [2, 8, 1]),
            row(code::CALL, [0, 10, 1, 2, 5, 4, 3]),
            row(code::LOAD, [1, 1, ty::I32]),
            row(code::RETURN, [1]),
        ];
        let parameters = [ty::I32, ty::I32, ty::I32, ty::I32, ty::I1];
        assert_eq!(
            with_intrinsic(name, ty::VOID, &parameters, copy, [4711, 0]),
            4711,
            "{name}"
        );
    }
}

#[test]
fn intrinsics_of_atomic_memory() {
    // Order 6 is value 5, the size 6, memory 7, in which the first parameter is.
    let begin = |number: i64| {
        vec![
            integers(ty::I32, &[6, 4, number]),
            row(code::ALLOCA, [2, 3]),
            row(code::STORE, [1, 6, 1]),
        ]
    };
    let atomic = |name: &str, result: u64, parameters: &[u64], rest: Vec<Part>, number: i64| {
        let body = [begin(number), rest].concat();
        with_intrinsic(name, result, parameters, body, [12, 10])
    };
    let word = ty::I32;
    let load = vec![row(code::CALL, [0, 8, 1, 4]), row(code::RETURN, [1])];
    assert_eq!(atomic("llvm.nacl.atomic.load.i32", word, &[word; 2], load, 0), 12);
    let store = vec![
        row(code::CALL, [0, 8, 5, 1, 4]),
        row(code::LOAD, [1, 1, word]),
        row(code::RETURN, [1]),
    ];
    assert_eq!(atomic("llvm.nacl.atomic.store.i32", ty::VOID, &[word; 3], store, 0), 10);
    for (operation, expected) in [(1, 22), (2, 2), (3, 14), (4, 8), (5, 6), (6, 10)] {
        let update = vec![
            row(code::CALL, [0, 8, 2, 1, 5, 4]),
            row(code::LOAD, [2, 1, word]),
            row(code::BINARY, [2, 1, 0]),
            row(code::RETURN, [1]),
        ];
        let found = atomic("llvm.nacl.atomic.rmw.i32", word, &[word; 4], update, operation);
        assert_eq!(found, 12 + expected, "operation {operation}");
    }
    let exchange = |expected: u64| {
        vec![
            row(code::CALL, [0, 8, 1, expected, 5, 4, 4]),
            row(code::LOAD, [2, 1, word]),
            row(code::BINARY, [2, 1, 0]),
            row(code::RETURN, [1]),
        ]
    };
    let name = "llvm.nacl.atomic.cmpxchg.i32";
    assert_eq!(atomic(name, word, &[word; 5], exchange(6), 0), 12 + 10);
    assert_eq!(atomic(name, word, &[word; 5], exchange(5), 0), 12 + 12);
    let free = vec![
        row(code::CALL, [0, 8, 3, 1]),
        row(code::CAST, [1, word, 1]),
        row(code::RETURN, [1]),
    ];
    assert_eq!(atomic("llvm.nacl.atomic.is.lock.free", ty::I1, &[word; 2], free, 0), 1);
    let fence = vec![
        row(code::CALL, [0, 8, 4]),
        row(code::LOAD, [1, 1, word]),
        row(code::RETURN, [1]),
    ];
    assert_eq!(atomic("llvm.nacl.atomic.fence", ty::VOID, &[word], fence, 0), 12);
}

#[test]
fn names_that_files_have_are_kept() {
    let mut pexe = Pexe::with(ty::BINARY, vec![row(code::RETURN, [1])]);
    pexe.names
        .get_or_insert_default()
        .push(super::maker::entry(1, "second"));
    let (module, _) = read(&pexe.write()).expect("it breaks no rule");
    assert_eq!(module.name(EntityRef::new(1)), b"second");
    let unnamed = Pexe::with(ty::BINARY, vec![row(code::RETURN, [1])]);
    let (module, _) = read(&unnamed.write()).expect("it breaks no rule");
    assert_eq!(module.name(EntityRef::new(1)), b"f1");
    let mut vector = Pexe::new();
    vector.add_type((types::VECTOR, vec![8, ty::I1]));
    assert!(read(&vector.write()).is_ok());
}

#[test]
fn definitions_of_abbreviations_end_at_whole_bytes_too() {
    let shape = |code, fields: &[Encoding]| Shape {
        code,
        fields: fields.to_vec(),
        array: None,
    };
    let shapes = [
        shape(code::BINARY, &[Encoding::Vbr(3), Encoding::Vbr(5), Encoding::Fixed(4)]),
        shape(code::RETURN, &[Encoding::Fixed(3)]),
    ];
    let plain = Pexe::with(ty::BINARY, vec![row(code::BINARY, [2, 1, 1]), row(code::RETURN, [1])]).padded();
    let mut writer = Writer::new(&plain.header, 0);
    writer.begin_block(block::MODULE, 3);
    let record = |writer: &mut Writer, code, operands: &[u64]| {
        writer.record(code, operands);
        pad(writer);
    };
    record(&mut writer, module::VERSION, &[1]);
    writer.begin_block(0, 2);
    writer.set_block(block::FUNCTION);
    pad(&mut writer);
    writer.define(&shapes[0]);
    pad(&mut writer);
    writer.end_block();
    writer.begin_block(block::TYPES, 3);
    plain
        .types
        .iter()
        .for_each(|(code, operands)| record(&mut writer, *code, operands));
    writer.end_block();
    plain
        .functions
        .iter()
        .for_each(|(code, operands)| record(&mut writer, *code, operands));
    writer.begin_block(block::GLOBALS, 3);
    record(&mut writer, globals::COUNT, &[0]);
    writer.end_block();
    for is_last in [false, true] {
        writer.begin_block(block::FUNCTION, 4);
        record(&mut writer, code::DECLARE_BLOCKS, &[1]);
        if is_last {
            writer.define(&shapes[1]);
            pad(&mut writer);
            writer.shaped_record(&shapes, code::BINARY, &[2, 1, 1]);
            pad(&mut writer);
            writer.shaped_record(&shapes, code::RETURN, &[1]);
            pad(&mut writer);
        } else {
            record(&mut writer, code::RETURN, &[]);
        }
        writer.end_block();
    }
    writer.end_block();
    let (module, functions) = read(&writer.finish()).unwrap_or_else(|error| panic!("{error}"));
    let mut interpreter = Interpreter::new(&module, &functions, Limits::default()).expect("data fit memory");
    let results = interpreter.call(FuncId::new(1), words(&[9, 4])).expect("it returns");
    assert_eq!(results[0].known(), Some(5));
}
